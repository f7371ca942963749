/* SPDX-License-Identifier: BSD-3-Clause */
/* A run from a checkpoint equals an unbroken run. If a checkpoint is refused, the message
 * names the reason. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kept.h"
#include "run/run_private.h"

static char path[4096], old[4200];

static void name_files(void)
{
    (void)strcpy(path, kept_path("c"));
    (void)snprintf(old, sizeof old, "%s.old", path);
}

/* Runs `steps` steps with a checkpoint every five steps. */
static void leave_checkpoints(int steps)
{
    name_files();
    REQUIRE_OK(kept_run(kept_program(steps), "auto",
                        &(pav_run_options){.directory = kept_path(""),
                                           .checkpoint = path,
                                           .checkpoint_every = 5}));
}

static pav_status go_on(const char *source)
{
    return kept_run(
        source, "auto",
        &(pav_run_options){.no_files = 1, .restart = path, .listener = kept_listen});
}

/* ---- the same bits ----------------------------------------------------------------- */

TEST(a_longer_run_may_continue_from_where_a_shorter_one_ended)
{
    char whole[4200];
    leave_checkpoints(23);
    REQUIRE_OK(kept_run(kept_program(40), "interpreter",
                        &(pav_run_options){.directory = kept_path(""),
                                           .checkpoint = path,
                                           .restart = path}));
    (void)snprintf(whole, sizeof whole, "%s", kept_path("whole"));
    REQUIRE_OK(
        kept_run(kept_program(40), "auto",
                 &(pav_run_options){.directory = whole, .checkpoint = kept_path("d")}));
    CHECK(kept_same(kept_path("u.csv"), kept_path("whole/u.csv")));
    CHECK(kept_same(kept_path("v.npy"), kept_path("whole/v.npy")));
    CHECK(kept_same(kept_path("top.csv"), kept_path("whole/top.csv")));
    CHECK(kept_same(kept_path("v-end.npy"), kept_path("whole/v-end.npy")));
    CHECK(kept_same(path, kept_path("d")));
}

/* Older versions kept one more level of fields that are stored in place now. */
TEST(a_checkpoint_with_more_levels_is_read)
{
    static const char source[] =
        "grid x 9, y 5\nfield u = sin(x*y); v = x\nborder u = 0\nborder mirror v\n"
        "u' = u + 0.3*(u - prev(u)) + 0.1*laplace(u)\nv' = v + u'\nsteps 9\n";
    static const char *const names[] = {"u", "v"};
    begun a, b;
    double want[45], got[45];
    name_files();
    REQUIRE_OK(kept_open(source, "auto", &(pav_run_options){.no_files = 1}, &a));
    REQUIRE_OK(pav_run_steps(a.run, 4));
    a.run->checkpoint.apart = true;
    REQUIRE_OK(pav_run_checkpoint(a.run, path));
    a.run->checkpoint.apart = false;
    REQUIRE_OK(kept_open(source, "interpreter",
                         &(pav_run_options){.no_files = 1, .restart = path}, &b));
    CHECK_EQ(pav_run_step(b.run), 4);
    CHECK(!b.run->checkpoint.apart);
    REQUIRE_OK(pav_run_finish(a.run));
    REQUIRE_OK(pav_run_finish(b.run));
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        REQUIRE_OK(pav_field_read(a.run, names[n], 0, PAV_F64, want, 45));
        REQUIRE_OK(pav_field_read(b.run, names[n], 0, PAV_F64, got, 45));
        CHECK(memcmp(want, got, sizeof want) == 0);
    }
    close_begun(&a);
    close_begun(&b);
}

static const char remembers[] =
    "grid x 9\nscalar s = 1\nfield u\nfield c = 1\n"
    "u' = prev(u)[-1] + prev(u)[1] + c\nborder u = s beyond\nsteps 9\n";

/* The scalar and a constant field change at step 4; then a checkpoint is written to
 * `path`. */
static void change_midway(begun *b, const char *where)
{
    static const double other[9] = {2, 3, 4, 5, 6, 7, 8, 9, 1};
    REQUIRE_OK(kept_open(remembers, "auto", &(pav_run_options){.no_files = 1}, b));
    REQUIRE_OK(pav_run_steps(b->run, 4));
    REQUIRE_OK(pav_run_set(b->run, "s", -7));
    REQUIRE_OK(pav_field_write(b->run, "c", 0, PAV_F64, other, 9));
    REQUIRE_OK(pav_run_checkpoint(b->run, where));
}

TEST(values_set_on_the_way_and_borders_of_their_own_time_are_kept)
{
    begun unbroken, second;
    double want[9], got[9];
    name_files();
    change_midway(&unbroken, path);
    REQUIRE_OK(kept_open(remembers, "interpreter",
                         &(pav_run_options){.no_files = 1, .restart = path}, &second));
    CHECK_EQ(pav_run_step(second.run), 4);
    REQUIRE_OK(pav_run_finish(unbroken.run));
    REQUIRE_OK(pav_run_finish(second.run));
    REQUIRE_OK(pav_field_read(unbroken.run, "u", 0, PAV_F64, want, 9));
    REQUIRE_OK(pav_field_read(second.run, "u", 0, PAV_F64, got, 9));
    CHECK(memcmp(want, got, sizeof want) == 0);
    CHECK(want[0] != 0 && isfinite(want[0]));
    close_begun(&unbroken);
    close_begun(&second);
}

TEST(a_run_that_ended_by_until_has_ended_when_it_is_continued)
{
    static const char source[] =
        "grid x 4\nfield u\nu' = u + 1\nuntil max(u) >= 7\nsteps 20\n";
    begun b;
    name_files();
    REQUIRE_OK(kept_run(source, "auto", &(pav_run_options){.checkpoint = path}));
    REQUIRE_OK(kept_open(source, "auto", &(pav_run_options){.restart = path}, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK_EQ(pav_run_step(b.run), 7);
    close_begun(&b);
}

TEST(a_description_may_say_how_often_and_where)
{
    int64_t step = 0;
    begun b;
    const pav_run_options options = {.directory = kept_path("")};
    REQUIRE_OK(kept_open("grid x 4\nfield u\nu' = u + 1\nsteps 5\n"
                         "checkpoint every 2 into \"mine\"\n",
                         "auto", &options, &b));
    CHECK(pav_run_checkpointed(b.run, &step) == NULL && step == -1);
    REQUIRE_OK(pav_run_steps(b.run, 3));
    CHECK(strstr(pav_run_checkpointed(b.run, &step), "/mine") && step == 2);
    CHECK(access(kept_path("mine"), R_OK) == 0);
    close_begun(&b);
}

TEST(checkpoints_may_be_written_by_time)
{
    begun b;
    name_files();
    REQUIRE_OK(kept_open(
        kept_program(5), "auto",
        &(pav_run_options){.no_files = 1, .checkpoint = path, .checkpoint_seconds = 1e-9},
        &b));
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK(report_number(&b, "checkpoints") == 5);
    CHECK(report_number(&b, "seconds_checkpoints") > 0);
    close_begun(&b);
}

/* ---- damage ------------------------------------------------------------------------ */

TEST(where_the_newest_is_damaged_the_one_before_is_taken_and_that_is_said)
{
    int64_t length;
    leave_checkpoints(10);
    char *bytes = kept_bytes(path, &length);
    for (int64_t at = 0; at < length; at += 1 + length / 60) {
        bytes[at] ^= 0x10;
        kept_write(path, bytes, length);
        bytes[at] ^= 0x10;
        kept_notes[0] = '\0';
        const pav_status status = go_on(kept_program(12));
        const bool told = strstr(kept_notes, "c.old, of step 5") != NULL;
        CHECK(status == PAV_EUNSUPPORTED || (status == PAV_OK && told));
    }
    mem_free(bytes);
}

TEST(where_the_newest_is_cut_short_or_gone_the_one_before_is_taken)
{
    int64_t length;
    leave_checkpoints(10);
    char *bytes = kept_bytes(path, &length);
    for (int64_t cut = 0; cut < length; cut += 1 + length / 20) {
        kept_write(path, bytes, cut);
        kept_notes[0] = '\0';
        CHECK_STATUS(go_on(kept_program(12)), PAV_OK);
        CHECK(strstr(kept_notes, "damaged") && strstr(kept_notes, "of step 5"));
    }
    CHECK_EQ(unlink(path), 0);
    CHECK_STATUS(go_on(kept_program(12)), PAV_OK);
    mem_free(bytes);
}

TEST(a_damaged_checkpoint_does_not_take_the_place_of_the_good_one)
{
    leave_checkpoints(10);
    kept_write(path, "damaged", 7);
    REQUIRE_OK(
        kept_run(kept_program(6), "auto",
                 &(pav_run_options){.no_files = 1, .checkpoint = path, .restart = path}));
    kept_write(path, "damaged", 7);
    CHECK_STATUS(go_on(kept_program(12)), PAV_OK);
}

TEST(two_damaged_checkpoints_are_refused_and_both_are_named)
{
    leave_checkpoints(10);
    kept_write(path, "cut", 3);
    kept_write(old, "what is this? It is far too long to be one", 42);
    CHECK_STATUS(go_on(kept_program(12)), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "/c is damaged") && strstr(pav_message(), "c.old is no"));
}

/* ---- refusals ---------------------------------------------------------------------- */

static void refuse(const char *source, pav_status status, const char *words)
{
    CHECK_STATUS(go_on(source), status);
    CHECK(strstr(pav_message(), words) != NULL);
}

TEST(a_checkpoint_of_another_program_is_refused_and_the_difference_is_reported)
{
    name_files();
    REQUIRE_OK(kept_run("grid x 8\nparam a = 0.1\nfield u = x\nu' = a*u\nsteps 4\n",
                        "auto", &(pav_run_options){.checkpoint = path}));
    refuse("grid x 8\nparam a = 0.2\nfield u = x\nu' = a*u\nsteps 4\n", PAV_EINVAL,
           "it has `param a = 0.1` where text has `param a = 0.2`");
    refuse("grid x 8\nparam a = 0.1\nfield u = x\nu' = a*u\nborder u = 0\nsteps 4\n",
           PAV_EINVAL, "`border u = 0` stands in text only");
    refuse("grid x 8\nparam a = 0.1\nfield u = x\nu' = a*u\nsteps 3\n", PAV_EINVAL,
           "of step 4, past the 3 requested steps");
    CHECK_STATUS(go_on("grid x 8\nparam a = 0.1\nfield u = x\nu' = a*u\nsteps 6\n"
                       "output u into \"x.npy\"\n"),
                 PAV_OK);
}

TEST(what_is_no_checkpoint_or_is_not_there_is_reported)
{
    name_files();
    refuse(kept_program(3), PAV_EIO, "No such file");
    kept_write(path, "a text that is long enough to hold all that stands in front", 58);
    refuse(kept_program(3), PAV_EFORMAT, "is no checkpoint");
}

TEST(the_other_byte_order_is_reported)
{
    int64_t length;
    leave_checkpoints(10);
    char *bytes = kept_bytes(path, &length);
    (void)memcpy(bytes + 8, (const char[]){1, 2, 3, 4}, 4);
    kept_write(path, bytes, length);
    refuse(kept_program(12), PAV_EUNSUPPORTED, "the other byte order");
    mem_free(bytes);
}

TEST(how_often_without_where_is_refused)
{
    const pav_run_options options = {.no_files = 1, .checkpoint_every = 3};
    CHECK_STATUS(kept_run(kept_program(3), "auto", &options), PAV_EINVAL);
    CHECK(strstr(pav_message(), "not where") != NULL);
}

TEST(a_table_that_is_not_the_runs_is_left_alone)
{
    int64_t length;
    const pav_run_options options = {
        .directory = kept_path(""), .restart = path, .listener = kept_listen};
    leave_checkpoints(10);
    kept_write(kept_path("u.csv"), "a,b\n", 4);
    CHECK_STATUS(kept_run(kept_program(12), "auto", &options), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "u.csv has 4 bytes") != NULL);
    char *bytes = kept_bytes(kept_path("u.csv"), &length);
    CHECK_STR(bytes, "a,b\n");
    mem_free(bytes);
    CHECK_EQ(unlink(kept_path("u.csv")), 0);
    CHECK_STATUS(kept_run(kept_program(12), "auto", &options), PAV_OK);
    CHECK(strstr(kept_notes, "u.csv is gone, and 4 rows with it: it begins anew "
                             "at step 10") != NULL);
    CHECK(strstr(kept_notes, "u.csv: 1 row\n") != NULL);
}

/* ---- trouble while writing --------------------------------------------------------- */

TEST(a_checkpoint_that_cannot_be_written_is_reported_before_the_first_step)
{
    const pav_run_options nowhere = {.checkpoint = "/no/such/place/c"};
    CHECK_STATUS(kept_run(kept_program(3), "auto", &nowhere), PAV_EIO);
    CHECK(strstr(pav_message(), "its directory is not there: make it") != NULL);
    const pav_run_options directory = {.checkpoint = "/tmp"};
    CHECK_STATUS(kept_run(kept_program(3), "auto", &directory), PAV_EIO);
}

TEST(a_checkpoint_may_lie_in_the_directory_that_the_run_makes)
{
    char directory[4200];
    (void)snprintf(directory, sizeof directory, "%s", kept_path("new"));
    const pav_run_options options = {.directory = directory,
                                     .checkpoint = kept_path("new/c")};
    CHECK_STATUS(kept_run(kept_program(3), "auto", &options), PAV_OK);
    CHECK(access(kept_path("new/c"), R_OK) == 0);
}

TEST(two_runs_do_not_write_one_checkpoint)
{
    char part[4200];
    name_files();
    (void)snprintf(part, sizeof part, "%s.part", path);
    const int other = open(part, O_RDWR | O_CREAT, 0600);
    REQUIRE(other >= 0 && flock(other, LOCK_EX) == 0);
    CHECK_STATUS(kept_run(kept_program(3), "auto",
                          &(pav_run_options){.no_files = 1, .checkpoint = path}),
                 PAV_EIO);
    CHECK(strstr(pav_message(), "another run") != NULL);
    CHECK(access(part, F_OK) == 0);
    (void)close(other);
}

TEST(a_full_disk_ends_no_run_early_and_costs_no_older_checkpoint)
{
    const struct rlimit little = {1000, RLIM_INFINITY},
                        much = {RLIM_INFINITY, RLIM_INFINITY};
    int64_t step;
    begun b;
    name_files();
    REQUIRE_OK(kept_open(kept_program(9), "auto",
                         &(pav_run_options){.no_files = 1,
                                            .checkpoint = path,
                                            .checkpoint_every = 2,
                                            .listener = kept_listen},
                         &b));
    REQUIRE_OK(pav_run_steps(b.run, 2));
    (void)signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &little) == 0);
    CHECK_STATUS(pav_run_finish(b.run), PAV_EIO);
    CHECK(strstr(pav_message(), "step 9, the last, goes without a checkpoint") != NULL);
    CHECK_EQ(pav_run_step(b.run), 9);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &much) == 0);
    CHECK(strstr(kept_notes, "step 4 goes without a checkpoint") != NULL);
    CHECK(strstr(kept_notes, "that of step 2 is still there") != NULL);
    CHECK(pav_run_checkpointed(b.run, &step) != NULL && step == 2);
    CHECK_STATUS(go_on(kept_program(9)), PAV_OK);
    close_begun(&b);
}

TEST(scarce_memory_is_reported_and_harms_no_checkpoint)
{
    pav_status status = PAV_ENOMEM;
    leave_checkpoints(10);
    begun b;
    for (int n = 1; status != PAV_OK && n < 5000; n++) {
        REQUIRE_OK(kept_open(kept_program(12), "interpreter", NULL, &b));
        pav_run_free(b.run);
        b.run = NULL;
        mem_fail_after(n);
        status = pav_run_open(
            b.program, b.device,
            &(pav_run_options){.no_files = 1, .restart = path, .checkpoint = path},
            &b.run);
        if (status == PAV_OK)
            status = pav_run_checkpoint(b.run, NULL);
        mem_fail_after(0);
        CHECK(status == PAV_OK || status == PAV_ENOMEM);
        close_begun(&b);
    }
    CHECK_STATUS(status, PAV_OK);
    CHECK_STATUS(go_on(kept_program(12)), PAV_OK);
}

TEST(a_checkpoint_takes_the_place_of_no_other_file)
{
    const char *notes = kept_path("notes.txt");
    char *bytes;
    int64_t length;
    kept_write(notes, "dear diary", 10);
    CHECK_STATUS(kept_run(kept_program(6), "auto",
                          &(pav_run_options){.no_files = 1, .checkpoint = notes}),
                 PAV_EINVAL);
    CHECK(strstr(pav_message(), "and no checkpoint; give another name"));
    bytes = kept_bytes(notes, &length);
    CHECK(length == 10 && memcmp(bytes, "dear diary", 10) == 0);
    mem_free(bytes);
}
