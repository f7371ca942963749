/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders of runs on processors: ghosts filled by several threads, and ghosts filled
 * once. */
#include "kept.h"
#include "run/run_private.h"

static void verified_on(int threads, const char *source)
{
    const pav_run_options how = {.no_files = 1, .threads = threads};
    begun b;
    char *said = NULL;
    REQUIRE_OK(kept_open(source, kept_kernels(), NULL, &b));
    CHECK_STATUS(pav_run_verify(b.program, b.device, &how, 3, &said), PAV_OK);
    pav_text_free(said);
    close_begun(&b);
}

/* Enough rows for threads to share the ends along x, and enough layers for the faces
 * along y and z. */
TEST(ghosts_that_threads_share_have_the_bits_of_the_interpreter)
{
    static const char sides[] =
        "grid x 480, y 36, z 37\nreal f32\nfield u = sin(x + 2*y + 3*z); v = x*y - z\n"
        "u' = u + 0.05*v[1, -1, 1] - 0.1*u[-2, 1, 0]\nv' = v + 0.1*u[-1, 1, -1]\n"
        "border periodic u at x-, x+\nborder mirror u at y-, y+\nborder odd u at z-, z+\n"
        "border clamp v at x-, x+\nborder periodic v at y-, y+, z-, z+\n";
    verified_on(2, sides);
    verified_on(3, sides);
}

static uint64_t kept_after(const char *source, int64_t steps)
{
    begun b;
    REQUIRE_OK(kept_open(source, kept_kernels(), NULL, &b));
    REQUIRE_OK(pav_run_steps(b.run, steps));
    const uint64_t kept = b.run->part->kept[0];
    close_begun(&b);
    return kept;
}

TEST(what_lies_beyond_and_never_changes_is_filled_once)
{
    CHECK_EQ(kept_after("grid x 9\nfield u = x\nu' = 0.5*u[1]\nborder u = 3 beyond", 4),
             3);
    CHECK_EQ(kept_after("grid x 9\nfield u = x\nu' = 0.5*u[1]\nborder u = t beyond", 4),
             0);
    CHECK_EQ(kept_after("grid x 9\nfield u = x\nu' = 0.5*u[1]\nborder mirror", 4), 0);
}
