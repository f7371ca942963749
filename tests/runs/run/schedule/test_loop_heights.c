/* SPDX-License-Identifier: BSD-3-Clause */
/* The height of blocks of rows fits a core's own cache. Stores pass the caches by only if
 * that saves a load. */
#include "exec/host/host.h"
#include "test.h"

/* One step of the wave of order 8 in f32 reads nine planes of one level, and one point of
 * two other levels. */
static const cost_load wave = {
    .point_bytes = 16, .loaded_bytes = 12, .rows = 9, .planes = 9, .element = 4};

static loop_tuner list(const cost_load *l, int64_t rows, int threads, int64_t core_cache)
{
    const box b = {.hi = {512, rows, 512}};
    const kernel_host host = {
        .threads = threads, .cache = 1 << 22, .core_cache = core_cache};
    loop_tuner m;
    loop_tuner_list(&b, l, &host, &m);
    return m;
}

static bool has_height(const loop_tuner *m, int axis, int height)
{
    for (int n = 0; n < m->count; n++)
        if (m->loop[n].tile.size[1] == height && schedule_axis(&m->loop[n]) == axis)
            return true;
    return false;
}

TEST(what_passes_between_the_first_and_the_last_use_of_a_plane_fits)
{
    const loop_tuner m = list(&wave, 512, 1, 2 << 20);
    CHECK(has_height(&m, 2, 20)); /* 28 rows * 9 planes * 512 points * 12 bytes: 1.5 MB */
    CHECK(!has_height(&m, 2, 40));
}

TEST(threads_that_share_out_rows_have_blocks_of_one_height)
{
    const loop_tuner m = list(&wave, 512, 16, 2 << 20);
    CHECK(has_height(&m, 1, 16)); /* a thread has 32 rows */
    CHECK(has_height(&m, 2, 20));
}

TEST(blocks_are_not_lower_than_the_rows_that_a_point_needs)
{
    const loop_tuner m = list(&wave, 512, 1, 1 << 18);
    CHECK(has_height(&m, 2, 9));
}

TEST(grids_of_which_all_planes_fit_have_no_blocks)
{
    const cost_load star = {
        .point_bytes = 8, .loaded_bytes = 4, .rows = 3, .planes = 3, .element = 4};
    const loop_tuner m = list(&star, 200, 1, 2 << 20);
    for (int n = 0; n < m.count; n++)
        CHECK_EQ(m.loop[n].kind, SCHEDULE_ROWS);
}

static int streaming(const cost_load *l)
{
    const loop_tuner m = list(l, 512, 1, 2 << 20);
    int count = 0;
    for (int n = 0; n < m.count; n++)
        count += m.loop[n].non_temporal;
    return count;
}

TEST(stores_over_loaded_levels_do_not_pass_the_caches_by)
{
    cost_load in_place = wave;
    in_place.point_bytes = 12;
    in_place.overwritten = 4;
    CHECK(streaming(&wave) > 0);
    CHECK_EQ(streaming(&in_place), 0);
}
