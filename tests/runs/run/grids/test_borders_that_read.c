/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders whose values read fields, and insulated masks, give the same bits by compiled
 * kernels, on an emulated GPU and on subdomains. */
#include <math.h>

#include "on_gpu.h"

static const char *const sources[] = {
    "grid x 9, y 11, z 8\nreal f32\nfield u = sin(x) + y*z, w\n"
    "u' = u + 0.1*laplace(u, order 4)\nw' = 0.9*w + 0.01*laplace(w) + 0.02*u'\n"
    "border neumann u = 0.2 - 0.1*u[1,0,0] at x-\nborder u = 2*u[-1,0,0] - u[-2,0,0] at "
    "x+\n"
    "border antimirror u = 0.5 - 0.1*u[0,1,0] at y-\n"
    "border mirror u = 0.5 - 0.1*u[0,-1,0] at y+\nborder u = 0.3*u[0,0,1] beyond z-\n"
    "border neumann u = -0.1*u[0,0,-1] at z+\nborder neumann w = u - w\n"
    "border w = 0.1*u[0,1,0] at y-\nsteps 4\nmeasure size = sum(u^2) + sum(w)\n",
    "grid x 14, y 13\nfield u = sin(x)*y\nu' = u + 0.2*laplace(u)\n"
    "mask (x - 6)^2 + (y - 5)^2 > 9 insulated\nborder mirror\nsteps 7\n"
    "measure size = sum(u*(x + 2*y))\n",
};

static double size_on(const char *source, const char *device, const char *subdomains)
{
    const pav_run_options how = {.no_files = 1, .subdomains = subdomains};
    double value = NAN;
    begun b;
    REQUIRE_OK(kept_open(source, device, &how, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    REQUIRE_OK(pav_run_get(b.run, "size", &value));
    close_begun(&b);
    return value;
}

TEST(borders_that_read_and_insulated_masks_have_the_same_bits_everywhere)
{
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        const double size = size_on(sources[k], "interpreter", NULL);
        CHECK(isfinite(size));
        CHECK_NEAR(size_on(sources[k], "cpu", NULL), size, 0);
        CHECK_NEAR(size_on(sources[k], "emulated", NULL), size, 0);
        CHECK_NEAR(size_on(sources[k], "interpreter", "2"), size, 0);
    }
}

TEST(a_border_reads_the_start_of_a_field_at_the_start)
{
    const char *source = "grid x 9\nfield p = x + 1, w\np' = p + dx(w)\nw' = w - dx(p)\n"
                         "border clamp p\nborder w = p at x+\nborder clamp w at x-\n"
                         "steps 1\nmeasure size = sum(p where x == 7)\n";

    CHECK_NEAR(size_on(source, "interpreter", NULL), 8 + 9.0 / 2, 0);
    CHECK_NEAR(size_on(source, "emulated", NULL), 8 + 9.0 / 2, 0);
}
