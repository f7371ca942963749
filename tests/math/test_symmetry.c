/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic keeps mirror symmetry of the data and constants to the last bit. */
#include "trial.h"

#include <stdlib.h>

enum { NX = 17, NY = 14, NZ = 11, POINTS = NX * NY * NZ };

static const char *const schemes[] = {
    "u' = u + 0.1*laplace(u)\n",
    "u' = u + 0.1*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]"
    " - 6*u)\n",
    "stencil fe { centre 8/3; edge -1/6; corner -1/12 }\nu' = u - 0.1*fe(u)\n",
    "stencil fd { centre 128/30; face -14/30; edge -3/30; corner -1/30 }\n"
    "u' = u - 0.1*fd(u)\n",
    "u' = 2*u - prev(u) + 0.1*laplace(u, order 8)\n",
    "let off(s, n) = abs(s - (n - 1)/2)\n"
    "field c = 0.4 + 0.1/(1 + off(x, nx)) + 0.1/(2 + off(y, ny) + off(z, nz))\n"
    "u' = 2*u - prev(u) + 0.2*c^2*laplace(u, order 8)\n",
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static int64_t mirrored(int64_t at, unsigned axes)
{
    int64_t i = at % NX, j = at / NX % NY, k = at / NX / NY;
    i = axes & 1 ? NX - 1 - i : i;
    j = axes & 2 ? NY - 1 - j : j;
    k = axes & 4 ? NZ - 1 - k : k;
    return i + NX * (j + NY * k);
}

/* Numbers without any pattern except the mirror symmetry, and none a multiple of
 * another. */
static void fill_symmetric(double *u, unsigned axes)
{
    for (int64_t at = 0; at < POINTS; at++) {
        const int64_t host_mirror = mirrored(at, axes);
        const int64_t first = at < host_mirror ? at : host_mirror;
        u[at] = (double)(first * 2654435761 % 1000003) / 1000003 - 0.4;
    }
}

static int64_t count_broken(const double *u, unsigned axes)
{
    int64_t broken = 0;
    for (int64_t at = 0; at < POINTS; at++)
        broken += u[at] != u[mirrored(at, axes)];
    return broken;
}

static int64_t broken_after_20_steps(const char *scheme, const char *real, unsigned axes)
{
    static double u[POINTS];
    trial t;
    trial_open(&t, "grid x %d, y %d, z %d\nreal %s\nfield u\n%sborder odd u\n%s", NX, NY,
               NZ, real, scheme, strstr(scheme, "field c") ? "border mirror c\n" : "");
    fill_symmetric(u, axes);
    REQUIRE_OK(pav_field_write(t.run, "u", 0, PAV_F64, u, POINTS));
    if (strstr(scheme, "prev"))
        REQUIRE_OK(pav_field_write(t.run, "u", 1, PAV_F64, u, POINTS));
    trial_step(&t, 20);
    REQUIRE_OK(pav_field_read(t.run, "u", 0, PAV_F64, u, POINTS));
    trial_close(&t);
    return count_broken(u, axes);
}

TEST(data_symmetric_about_a_plane_stay_so_bit_for_bit)
{
    for (int k = 0; k < SCHEMES; k++)
        for (unsigned axes = 1; axes <= 4; axes *= 2)
            CHECK_EQ(broken_after_20_steps(schemes[k], "f64", axes), 0);
}

TEST(in_f32_data_symmetric_about_a_plane_stay_so_bit_for_bit)
{
    for (int k = 0; k < SCHEMES; k++)
        for (unsigned axes = 1; axes <= 4; axes *= 2)
            CHECK_EQ(broken_after_20_steps(schemes[k], "f32", axes), 0);
}

/* A half turn about an axis is two reflections. */
TEST(data_symmetric_about_an_axis_or_a_point_stay_so_bit_for_bit)
{
    for (int k = 0; k < SCHEMES; k++)
        for (unsigned axes = 3; axes <= 7; axes++)
            if (axes != 4)
                CHECK_EQ(broken_after_20_steps(schemes[k], "f32", axes), 0);
}

/* A lopsided scheme breaks the symmetry at once, so the tests above can fail. */
TEST(a_lopsided_scheme_breaks_the_symmetry)
{
    CHECK(broken_after_20_steps("u' = u + 0.1*(u[1,0,0] - u)\n", "f64", 1) > 0);
}

static const char *const heat_schemes[] = {
    "u' = u + a*laplace(u)\n",
    ("u' = u + a*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]"
     " - 6*u)\n"),
    "u' = u + a*(dxx(u) + dyy(u) + dzz(u))\n",
    "u' = u + a*laplace(u, order 4)\n",
    "stencil fe { centre 8/3; edge -1/6; corner -1/12 }\nu' = u - a*fe(u)\n",
};

/* The change of a constant in 100 steps. */
static double drift(const char *scheme, const char *real, double value, double a)
{
    return trial_end("grid x 9, y 8, z 7\nreal %s\nparam a = %g\nfield u = %.17g\n"
                     "field start = %.17g\n%sborder neumann u\nsteps 100\n"
                     "measure e = max(abs(u - start))\n",
                     real, a, value, value, scheme);
}

TEST(heat_leaves_a_constant_exactly_as_it_is)
{
    static const double values[] = {1.0 / 3, 0.1, 77.7, 1e-3, 12345.678};
    for (size_t k = 0; k < sizeof heat_schemes / sizeof *heat_schemes; k++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            CHECK(drift(heat_schemes[k], "f32", values[v], 0.1) == 0);
            CHECK(drift(heat_schemes[k], "f64", values[v], 0.12) == 0);
        }
}
