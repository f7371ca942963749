/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids of more than 2^32 points: start values, steps, borders, sources, receivers, sums,
 * crops and checkpoints are right at the last of them. */
#include "beyond_32_bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- a cube ------------------------------------------------------------------------ */

enum { NX = 2052, NY = 2049, NZ = 1025 }; /* the last two planes lie beyond 2^32 points */
static const int64_t source[] = {2050, 2047, 1023};

static const char cube[] =
    "grid x 2052, y 2049, z 1025\nreal f32 stored bf16\n"
    "let n = x + 7*y + 13*z\n"
    "field u = n - 256*floor(n/256)\n"
    "u' = (u[1,0,0] + u[0,-1,0] + 2*u[0,0,-1])/4\n"
    "border mirror u at x+\nborder clamp u at y-, z-\nborder u = 7 at z+\n"
    "inject 64 into u at (2050, 2047, 1023)\n"
    "sample u at (2050, 2047, 1023), (0, 0, 0)\n"
    "measure last = sum(where(z >= 1023, u, 0))\n"
    "output u crop (2047, 2045, 1023) to (2051, 2048, 1024) into \"u.npy\"\n"
    "steps 1";

static double cube_start(int64_t i, int64_t j, int64_t k)
{
    return (double)((i + 7 * j + 13 * k) % 256);
}

/* The equation alone, its sum exact in f32. */
static double cube_stepped(int64_t i, int64_t j, int64_t k)
{
    const double x = cube_start(i + 1 < NX ? i + 1 : i, j, k);
    const double y = cube_start(i, j > 0 ? j - 1 : j, k);
    const double z = cube_start(i, j, k > 0 ? k - 1 : k);
    return far_rounded(PAV_BF16, (x + y + 2 * z) / 4);
}

static double cube_end(int64_t i, int64_t j, int64_t k)
{
    const double stepped = k == NZ - 1 ? 7 : cube_stepped(i, j, k);
    return i == source[0] && j == source[1] && k == source[2]
               ? far_rounded(PAV_BF16, stepped + 64)
               : stepped;
}

static void check_sample(far_run *f)
{
    double values[2];
    REQUIRE_OK(pav_sample_read(f->run, 0, NULL, values, 2));
    CHECK(values[0] == cube_end(source[0], source[1], source[2]));
    CHECK(values[1] == cube_end(0, 0, 0));
}

static void check_sum(far_run *f)
{
    double sum = 0, got;
    for (int64_t k = NZ - 2; k < NZ; k++)
        for (int64_t j = 0; j < NY; j++)
            for (int64_t i = 0; i < NX; i++)
                sum += cube_end(i, j, k); /* exact in any order */
    REQUIRE_OK(pav_run_get(f->run, "last", &got));
    CHECK(got == sum);
}

static void check_crop(const char *path)
{
    float values[2 * 4 * 5];
    FILE *file = fopen(path, "rb");
    REQUIRE(file && fseek(file, 128, SEEK_SET) == 0);
    CHECK_EQ(fread(values, sizeof *values, COUNT_OF(values), file), COUNT_OF(values));
    (void)fclose(file);
    for (int n = 0; n < (int)COUNT_OF(values); n++)
        CHECK((double)values[n] ==
              cube_end(2047 + n % 5, 2045 + n / 5 % 4, 1023 + n / 20));
}

/* Compares both executors in the last planes, except at the source and at border
 * points. */
static void check_interpreter(far_run *f)
{
    const box last = {{0, 0, NZ - 2}, {NX, NY, NZ - 1}};
    levels_rotate(
        &f->run->part->field[0]); /* the start is level 0 again, the result +1 */
    subdomain_refresh_views(f->run->part);
    far_clear(f->run->part->view[0][0], &last);
    far_interpret(f, &last);
    CHECK(far_same(f->run->part->view[0][0], &last, cube_stepped));
    levels_rotate(&f->run->part->field[0]);
    subdomain_refresh_views(f->run->part);
}

LONG_TEST(the_last_points_of_a_cube_beyond_32_bits_are_right)
{
    char folder[] = "/tmp/pavior-far-XXXXXX", path[64];
    far_run f;
    REQUIRE(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/u.npy", folder);
    far_finish(cube, folder, &f);
    CHECK(far_same(f.u, &(box){{0, 0, NZ - 2}, {NX, NY, NZ}}, cube_end));
    CHECK(far_same(f.u, &(box){{0, 0, 0}, {NX, NY, 2}}, cube_end));
    check_sample(&f);
    check_sum(&f);
    check_crop(path);
    far_keep_and_read(&f, &(box){{0, 0, NZ - 2}, {NX, NY, NZ}});
    CHECK(far_same(f.u, &(box){{0, 0, NZ - 2}, {NX, NY, NZ}}, cube_end));
    check_interpreter(&f);
    far_close(&f);
    CHECK(unlink(path) == 0);
    (void)snprintf(path, sizeof path, "%s/u-samples.csv", folder);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

/* ---- a line ------------------------------------------------------------------------ */

#define LINE_POINTS (INT64_C(4294967296) + 1000)
enum { LINE_STEPS = 2, SEEN = 8 }; /* points to both sides of the source */

static double ring[2 * SEEN + 1]; /* values around the source, the last point */

static void step_ring(void)
{
    double next[2 * SEEN + 1] = {0};
    for (int n = 1; n < 2 * SEEN; n++)
        next[n] = far_rounded(PAV_BF16, (ring[n + 1] + 3 * ring[n - 1]) / 4);
    next[SEEN] += 64;
    memcpy(ring, next, sizeof ring);
}

static double line_end(int64_t i, int64_t j, int64_t k)
{
    const int64_t n = (i < LINE_POINTS / 2 ? i + LINE_POINTS : i) - (LINE_POINTS - 1);
    (void)j, (void)k;
    return n >= -SEEN && n <= SEEN ? ring[SEEN + n] : 0;
}

LONG_TEST(the_ends_of_a_ring_beyond_32_bits_are_neighbours)
{
    far_run f;
    double sampled;
    for (int n = 0; n < LINE_STEPS; n++)
        step_ring();
    far_finish("grid x 4294968296\nreal f32 stored bf16\nfield u\n"
               "u' = (u[1] + 3*u[-1])/4\nborder periodic u\n"
               "inject 64 into u at (4294968295)\nsample u at (4294968294)\nsteps 2",
               NULL, &f);
    CHECK(far_same(f.u, &(box){{LINE_POINTS - 100000, 0, 0}, {LINE_POINTS, 1, 1}},
                   line_end));
    CHECK(far_same(f.u, &(box){{0, 0, 0}, {100000, 1, 1}}, line_end));
    REQUIRE_OK(pav_sample_read(f.run, 0, NULL, &sampled, 1));
    CHECK(sampled == ring[SEEN - 1] && sampled > 0);
    far_close(&f);
}
