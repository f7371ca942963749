/* SPDX-License-Identifier: BSD-3-Clause */
/* Files removed, cut or changed between a run and its continuation. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kept.h"

static char path[4096];

/* Runs to step `steps`, from the beginning or from the checkpoint, and leaves a
 * checkpoint. */
static pav_status run_to(int steps, bool from_checkpoint)
{
    (void)strcpy(path, kept_path("c"));
    return kept_run(kept_program(steps), "auto",
                    &(pav_run_options){.directory = kept_path(""),
                                       .checkpoint = path,
                                       .restart = from_checkpoint ? path : NULL,
                                       .listener = kept_listen});
}

static void take_away(const char *name)
{
    CHECK_EQ(unlink(kept_path(name)), 0);
}

/* Checks the table of v, one row a step: rows from `first` on must equal the rows of an
 * unbroken run to `last`. */
static void check_rows(int64_t first, int64_t last)
{
    char whole[4200];
    double *got = NULL, *want = NULL;
    int64_t rows = 0, all = 0;
    (void)snprintf(whole, sizeof whole, "%s", kept_path("whole"));
    REQUIRE_OK(kept_run(kept_program((int)last), "auto",
                        &(pav_run_options){.directory = whole}));
    REQUIRE_OK(npy_read_table(kept_path("v.npy"), 1, 1000, &got, &rows));
    REQUIRE_OK(npy_read_table(kept_path("whole/v.npy"), 1, 1000, &want, &all));
    CHECK_EQ(rows, last - first + 1);
    CHECK_EQ(all, last + 1);
    CHECK(memcmp(got, want + first, (size_t)rows * sizeof *got) == 0);
    mem_free(got);
    mem_free(want);
}

TEST(a_table_that_began_anew_is_continued_twice)
{
    REQUIRE_OK(run_to(10, false));
    take_away("v.npy");
    take_away("u.csv");
    kept_notes[0] = '\0';
    REQUIRE_OK(run_to(17, true));
    CHECK(strstr(kept_notes, "v.npy is gone, and 11 rows with it: it begins anew at step "
                             "10"));
    CHECK(strstr(kept_notes, "v.npy: 7 rows") && strstr(kept_notes, "u.csv: 2 rows"));
    REQUIRE_OK(run_to(23, true));
    CHECK(strstr(kept_notes, "v.npy: 13 rows") && strstr(kept_notes, "u.csv: 4 rows"));
    check_rows(11, 23);
}

/* The state after a kill: the checkpoint belongs to the run before. */
TEST(a_table_that_began_anew_behind_a_checkpoint_is_not_cut_to_the_rows_of_another)
{
    REQUIRE_OK(run_to(5, false));
    take_away("v.npy");
    REQUIRE_OK(kept_run(
        kept_program(20), "auto",
        &(pav_run_options){.directory = kept_path(""), .restart = kept_path("c")}));
    check_rows(6, 20);
    CHECK_STATUS(run_to(23, true), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "row 6 of "));
    check_rows(6, 20);
    take_away("v.npy");
    REQUIRE_OK(run_to(23, true));
    check_rows(6, 23);
}

TEST(a_table_that_began_anew_is_in_a_checkpoint_after_one_step)
{
    begun b;
    int64_t step;
    REQUIRE_OK(run_to(5, false));
    take_away("v.npy");
    REQUIRE_OK(kept_open(kept_program(20), "auto",
                         &(pav_run_options){.directory = kept_path(""),
                                            .checkpoint = path,
                                            .checkpoint_every = 100,
                                            .restart = path},
                         &b));
    REQUIRE_OK(pav_run_steps(b.run, 1));
    CHECK(pav_run_checkpointed(b.run, &step) && step == 6);
    REQUIRE_OK(pav_run_steps(b.run, 3));
    CHECK(pav_run_checkpointed(b.run, &step) && step == 6);
    close_begun(&b); /* this has the effect of a kill */
    REQUIRE_OK(run_to(20, true));
    check_rows(6, 20);
}

TEST(a_run_that_is_refused_for_one_table_begins_no_other)
{
    REQUIRE_OK(run_to(5, false));
    take_away("u.csv");
    REQUIRE(rename(kept_path("v.npy"), kept_path("mine")) == 0);
    kept_write(kept_path("v.npy"), "", 0);
    CHECK_STATUS(run_to(10, true), PAV_EFORMAT);
    CHECK(access(kept_path("u.csv"), F_OK) != 0);
    REQUIRE(rename(kept_path("mine"), kept_path("v.npy")) == 0);
    REQUIRE_OK(run_to(10, true));
    check_rows(0, 10);
}

TEST(a_table_that_lacks_the_rows_of_a_run_without_files_is_not_gone_on_with)
{
    REQUIRE_OK(run_to(5, false));
    REQUIRE_OK(
        kept_run(kept_program(10), "auto",
                 &(pav_run_options){.no_files = 1, .checkpoint = path, .restart = path}));
    CHECK_STATUS(run_to(12, true), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "or that run wrote no files"));
}

/* Changes one byte of a file. A negative `at` counts from the end. */
static void change_byte(const char *name, int64_t at)
{
    int64_t length;
    char *all = kept_bytes(kept_path(name), &length);
    all[at < 0 ? length + at : at] ^= 1;
    kept_write(kept_path(name), all, length);
    mem_free(all);
}

TEST(a_table_of_which_an_earlier_row_was_changed_is_left_alone)
{
    static const char *const names[] = {"v.npy", "u.csv"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        const int64_t at = k == 0 ? 128 + 8 * 3 : -40;
        REQUIRE_OK(run_to(10, false));
        change_byte(names[k], at);
        CHECK_STATUS(run_to(17, true), PAV_EFORMAT);
        CHECK(strstr(pav_message(), names[k]) && strstr(pav_message(), "changed since"));
        change_byte(names[k], at);
        REQUIRE_OK(run_to(17, true));
        REQUIRE_OK(run_to(20, true));
        check_rows(0, 20);
    }
}

TEST(a_checkpoint_that_was_taken_away_is_not_told_as_there)
{
    begun b;
    int64_t step;
    (void)strcpy(path, kept_path("away/c"));
    REQUIRE(mkdir(kept_path("away"), 0700) == 0);
    REQUIRE_OK(kept_open(kept_program(9), "auto",
                         &(pav_run_options){.no_files = 1,
                                            .checkpoint = path,
                                            .checkpoint_every = 3,
                                            .listener = kept_listen},
                         &b));
    REQUIRE_OK(pav_run_steps(b.run, 4));
    CHECK(pav_run_checkpointed(b.run, &step) && step == 3);
    take_away("away/c");
    REQUIRE(rmdir(kept_path("away")) == 0);
    CHECK(!pav_run_checkpointed(b.run, &step) && step == -1);
    REQUIRE_OK(pav_run_steps(b.run, 3));
    CHECK(strstr(kept_notes, "step 6 goes without a checkpoint"));
    CHECK(!strstr(kept_notes, "is still there"));
    close_begun(&b);
}

TEST(rows_of_a_run_without_files_are_not_counted_as_written)
{
    (void)strcpy(path, kept_path("c"));
    REQUIRE_OK(kept_run(kept_program(5), "auto",
                        &(pav_run_options){.no_files = 1, .checkpoint = path}));
    REQUIRE_OK(run_to(10, true));
    REQUIRE_OK(run_to(15, true));
    check_rows(6, 15);
}

/* ---- indices and animations -------------------------------------------------------- */

static const char *shown(int every, int steps)
{
    static char source[512];
    (void)snprintf(source, sizeof source,
                   "grid x 9, y 7\nreal f32\nparam dt = 0.3\nfield u = x*y\n"
                   "u' = 0.9*u\noutput u every %d into \"u.pvd\"\n"
                   "output u every %d into \"u.apng\"\nsteps %d\n",
                   every, every, steps);
    return source;
}

static pav_status show_to(int every, int steps, bool from_checkpoint)
{
    (void)strcpy(path, kept_path("c"));
    kept_notes[0] = '\0';
    return kept_run(shown(every, steps), "auto",
                    &(pav_run_options){.directory = kept_path(""),
                                       .checkpoint = path,
                                       .restart = from_checkpoint ? path : NULL,
                                       .listener = kept_listen});
}

static void check_as_unbroken(const char *name, int steps)
{
    char whole[4200], other[4500];
    (void)snprintf(whole, sizeof whole, "%s", kept_path("whole"));
    REQUIRE_OK(kept_run(shown(5, steps), "auto", &(pav_run_options){.directory = whole}));
    (void)snprintf(other, sizeof other, "%s/%s", whole, name);
    CHECK(kept_same(kept_path(name), other));
}

TEST(an_index_that_is_gone_is_made_anew_with_the_bits_of_its_times)
{
    REQUIRE_OK(show_to(5, 17, false));
    take_away("u.pvd");
    REQUIRE_OK(show_to(5, 30, true));
    CHECK(strstr(kept_notes, "u.pvd is gone: it is made anew, with 4 of the 4 files that "
                             "were written up to step 17"));
    check_as_unbroken("u.pvd", 30);
    check_as_unbroken("u.apng", 30);
}

TEST(an_index_of_which_files_are_gone_is_reported_once)
{
    REQUIRE_OK(show_to(5, 15, false));
    take_away("u-000005.vti");
    REQUIRE_OK(show_to(5, 20, true));
    CHECK(strstr(kept_notes, "u.pvd continues with 3 of the 4 files"));
    REQUIRE_OK(show_to(5, 30, true));
    CHECK(!strstr(kept_notes, "u.pvd goes on"));
}

TEST(an_animation_that_began_anew_is_continued_twice)
{
    REQUIRE_OK(show_to(5, 10, false));
    take_away("u.apng");
    REQUIRE_OK(show_to(5, 20, true));
    CHECK(strstr(kept_notes, "u.apng is gone, and 3 pictures with it: it begins anew at "
                             "step 10"));
    REQUIRE_OK(show_to(5, 30, true));
    CHECK(!strstr(kept_notes, "u.apng is gone"));
}

TEST(an_animation_of_which_a_picture_was_changed_is_left_alone)
{
    for (int64_t at = -220; at < -20; at += 40) { /* in the values of the last picture */
        REQUIRE_OK(show_to(5, 10, false));
        change_byte("u.apng", at);
        CHECK_STATUS(show_to(5, 20, true), PAV_EFORMAT);
        CHECK(strstr(pav_message(), "u.apng does not begin with the 3 pictures"));
    }
    change_byte("u.apng", -60);
    REQUIRE_OK(show_to(5, 20, true));
}

TEST(an_output_that_is_another_now_continues_with_the_index_and_spares_the_animation)
{
    int64_t length;
    REQUIRE_OK(show_to(5, 15, false));
    CHECK_STATUS(show_to(7, 30, true), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "u.apng exists, but the run before the restart had no "
                                "such output"));
    take_away("u.apng");
    REQUIRE_OK(show_to(7, 30, true));
    char *all = kept_bytes(kept_path("u.pvd"), &length);
    CHECK(strstr(all, "u-000010.vti") && strstr(all, "u-000015.vti"));
    CHECK(strstr(all, "u-000021.vti") && strstr(all, "u-000028.vti"));
    mem_free(all);
}
