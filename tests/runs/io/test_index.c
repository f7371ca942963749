/* SPDX-License-Identifier: BSD-3-Clause */
/* Indices of a continued run. Files were removed or cut between the two runs. */
#include <string.h>
#include <unistd.h>

#include "io/io.h"
#include "scratch.h"
#include "shown.h"
#include "test.h"

static const char *file; /* name of the index */

static io_frame frame_at(int64_t step)
{
    const view v = shown_view(PAV_F32, 3, 2, 1);
    io_frame f = frame_of_view(&v, 2);
    f.name = "u";
    f.step = step;
    f.time = (double)step * 0.125;
    return f;
}

static series *open_series(void)
{
    series *s = NULL;
    REQUIRE_OK(series_open(scratch_path(file),
                           &(series_style){.numbered = true, .every = 10}, &s));
    return s;
}

static void add(series *s, int64_t from, int64_t to)
{
    text path = {0};
    for (int64_t step = from; step <= to; step += 10) {
        const io_frame f = frame_at(step);
        REQUIRE_OK(series_add(s, &f, &path));
    }
    text_free(&path);
}

/* Writes the files of steps 0 to 40 and returns the text of their index. */
static char *leave(const char *name)
{
    int64_t length;
    file = name;
    series *s = open_series();
    add(s, 0, 40);
    series_close(s);
    return scratch_read(file, &length);
}

/* Continues a run after step 20, with `frames` files written, to step 40. Returns the
 * number of files found. `said` gets the messages. */
static text said;
static int64_t go_on(int64_t frames)
{
    series_past past = {
        .frame = frame_at(20), .step = 21, .frames = frames, .step_time = 0.125};
    series *s = open_series();
    said.length = 0;
    text_add(&said, "%s", "");
    REQUIRE_OK(series_resume(s, &past, &said));
    add(s, 30, 40);
    series_close(s);
    return past.frames;
}

static void check_says(const char *words)
{
    CHECK(words ? strstr(said.data, words) != NULL : said.length == 0);
    text_free(&said);
}

static void check_index(const char *want)
{
    int64_t length;
    char *got = scratch_read(file, &length);
    CHECK_STR(got, want);
    mem_free(got);
}

TEST(an_index_continues_where_an_earlier_run_left_it)
{
    char *whole = leave("a&b.pvd");
    CHECK_EQ(go_on(3), 3);
    check_says(NULL);
    check_index(whole);
    mem_free(whole);
}

TEST(an_index_that_is_gone_or_was_cut_anywhere_is_made_anew_of_its_files)
{
    char *whole = leave("a&b.pvd");
    const int64_t length = (int64_t)strlen(whole);
    for (int64_t cut = 0; cut < length; cut += 1 + length / 50) {
        scratch_write(file, whole, cut);
        CHECK_EQ(go_on(3), 3);
        check_says("b.pvd is no whole index: it is made anew, with 3 of the 3 files");
        check_index(whole);
    }
    REQUIRE(unlink(scratch_path(file)) == 0);
    CHECK_EQ(go_on(3), 3);
    check_says(
        "b.pvd is gone: it is made anew, with 3 of the 3 files that were written up "
        "to step 20");
    check_index(whole);
    mem_free(whole);
}

TEST(an_index_does_not_name_a_file_that_is_gone)
{
    int64_t length;
    mem_free(leave("a.pvd"));
    REQUIRE(unlink(scratch_path("a-000010.vti")) == 0);
    CHECK_EQ(go_on(3), 2);
    check_says("a.pvd continues with 2 of the 3 files written up to step 20");
    char *got = scratch_read(file, &length);
    CHECK(strstr(got, "a-000000.vti") && strstr(got, "a-000020.vti"));
    CHECK(strstr(got, "a-000040.vti") && !strstr(got, "a-000010.vti"));
    mem_free(got);
}

TEST(an_index_that_is_mended_is_whole_before_the_next_file)
{
    mem_free(leave("a.pvd"));
    REQUIRE(unlink(scratch_path(file)) == 0);
    series_past past = {
        .frame = frame_at(20), .step = 21, .frames = 3, .step_time = 0.125};
    series *s = open_series();
    REQUIRE_OK(series_resume(s, &past, &said));
    text_free(&said);
    CHECK(access(scratch_path(file), R_OK) == 0);
    series_close(s);
}

TEST(of_an_output_that_is_new_no_file_is_missed_and_none_is_taken_up)
{
    int64_t length;
    mem_free(leave("a.pvd"));
    REQUIRE(unlink(scratch_path(file)) == 0);
    CHECK_EQ(go_on(0), 0);
    check_says(NULL);
    char *got = scratch_read(file, &length);
    CHECK(!strstr(got, "a-000020.vti") && strstr(got, "a-000030.vti"));
    mem_free(got);
}

TEST(an_xdmf_index_is_made_anew_of_its_files_and_names_none_that_is_gone)
{
    int64_t length;
    if (hdf5_missing()) {
        test_skip("xdmf", hdf5_missing());
        return;
    }
    char *whole = leave("a.xdmf");
    REQUIRE(unlink(scratch_path(file)) == 0);
    CHECK_EQ(go_on(3), 3);
    check_index(whole);
    mem_free(whole);
    REQUIRE(unlink(scratch_path("a-000000.h5")) == 0);
    CHECK_EQ(go_on(3), 2);
    char *got = scratch_read(file, &length);
    CHECK(strstr(got, "a-000010.h5") && !strstr(got, "a-000000.h5"));
    mem_free(got);
    text_free(&said);
}
