/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads with a common time tile are bitwise identical to single steps. */
#include "kept.h"
#include "run/run.h"

#define CUBE "grid x 420, y 13, z 22\nreal f32\nfield u = random(1)\nsteps 99\n"
#define SMALL "grid x 140, y 13, z 12\nreal f32\nfield u = random(1)\nsteps 99\n"
#define HEAT "u' = u + 0.1*laplace(u)\n"

/* Verifies a run of 11 steps by so many threads against single steps, and returns how
 * many threads shared a tile. */
static int verified(const char *source, const char *requested, int threads)
{
    const pav_run_options how = {
        .no_files = 1, .schedule = requested, .threads = threads};
    begun b;
    char *said = NULL;
    REQUIRE_OK(kept_open(source, "cpu", &how, &b));
    REQUIRE_OK(pav_run_verify(b.program, b.device, &how, 11, &said));
    pav_text_free(said);
    REQUIRE_OK(pav_run_steps(b.run, 11));
    const int sharers = run_blocks(b.run)->tile.sharers;
    close_begun(&b);
    return sharers;
}

static bool has_kernels(void)
{
    return strcmp(kept_kernels(), "cpu") == 0;
}

static void all_shapes(const char *source)
{
    static const char *const shapes[] = {
        "time:depth=3,tile=9x3,share=2", "time:depth=4,tile=40x1,share=3",
        "time:diamond,depth=4,tile=6x2,share=3", "time:diamond,depth=6,tile=9x2,share=2",
        "time:depth=3,tile=12x3"};
    for (size_t k = 0; has_kernels() && k < COUNT_OF(shapes); k++) {
        const int sharers = verified(source, shapes[k], 3);
        CHECK(sharers == 0 || strstr(shapes[k], "share="));
    }
}

TEST(tiles_are_shared_between_given_faces)
{
    all_shapes(CUBE HEAT "border u = sin(t) + 0.1*x\n");
}

TEST(tiles_are_shared_around_faces_that_wrap)
{
    all_shapes(CUBE HEAT "border periodic u\n");
    all_shapes(CUBE HEAT "border periodic u at x-, x+\n"
                         "border mirror u at y-, y+, z-, z+\n");
}

LONG_TEST(tiles_are_shared_by_stages_and_sources)
{
    all_shapes(SMALL "field v = random(2)\n"
                     "u' = 2*u - prev(u) + 0.1*laplace(u, order 4) + 0.1*v[1,0,0]\n"
                     "v' = v + 0.1*(u'[0,1,0] - u'[-1,0,0])\n"
                     "border mirror u\nborder clamp v\n"
                     "inject sin(t) into u at (20.3, 10.6, 10.1), (139, 0.2, 1.5)\n"
                     "sample u at (40.5, 2, 10), (0, 12, 11) into \"shared.csv\"\n");
}

TEST(a_tile_of_two_axes_or_of_one_is_shared)
{
    if (!has_kernels())
        return;
    const int two = verified("grid x 300, y 70\nfield u = random(1)\nsteps 99\n"
                             "border periodic u\n" HEAT,
                             "time:diamond,depth=4,tile=50x3,share=2", 4);
    const int one = verified("grid x 3000\nfield u = random(1)\nsteps 99\n"
                             "border clamp u\n" HEAT,
                             "time:depth=4,tile=0x300,share=4", 4);
    CHECK(two == 0 || two == 2);
    CHECK(one == 0 || one == 4);
}

/* ---- messages ---------------------------------------------------------------------- */

static void told_as(const char *requested, int threads, const char *said)
{
    const pav_run_options how = {
        .no_files = 1, .schedule = requested, .threads = threads};
    begun b;
    if (!has_kernels())
        return;
    REQUIRE_OK(kept_open(CUBE HEAT "border u = 0\n", "cpu", &how, &b));
    CHECK_STR(run_schedule(b.run), said);
    close_begun(&b);
}

TEST(no_more_threads_share_a_tile_than_there_are)
{
    told_as("time:depth=3,tile=7x2,share=4", 2, "time:depth=3,tile=7x2,share=2");
    told_as("time:depth=3,tile=7x2,share=4", 1, "time:depth=3,tile=7x2");
}
