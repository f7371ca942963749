/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields with storage narrower than the arithmetic have an error of their rounding
 * only. */
#include "trial.h"

#include <stdlib.h>

static double *heat(const char *real, int steps, int64_t *count)
{
    trial t;
    trial_open(&t,
               "grid x 24, y 20, z 16\nreal %s\n"
               "field u = 1 + sin(0.3*x)*cos(0.2*y)*sin(0.4*z)/2\n"
               "u' = u + 0.1*laplace(u)\nborder neumann u\n",
               real);
    trial_step(&t, steps);
    double *values = trial_read(&t, "u", count);
    trial_close(&t);
    return values;
}

static double largest_difference(const double *a, const double *b, int64_t count)
{
    double largest = 0;
    for (int64_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

/* Values below 2 are rounded by at most `half` at the start and after each step, and f32
 * by a little more within a step. A heat step is a mean, so errors add up and never grow.
 * The error of one step shows whether values are really rounded. */
static const struct {
    const char *real;
    double half; /* half the distance between neighbours in [1, 2) */
} narrow[] = {{"f32", 0x1p-24},
              {"f32 stored bf16", 0x1p-8},
              {"f32 stored f16", 0x1p-11},
              {"f64 stored f32", 0x1p-24},
              {"f64 stored bf16", 0x1p-8}};
enum { NARROW = sizeof narrow / sizeof *narrow };

TEST(tiny_results_of_updates_become_zero)
{
    const double left = trial_end(
        "grid x 8\nreal f32 flushed below 1/1000\nfield u = where(x < 4, 1/1024, 1/512)\n"
        "mask u = x > 0\nu' = -u\nmeasure e = sum(u)\nsteps %d\n",
        1);
    CHECK_NEAR(left, 1.0 / 1024 - 4.0 / 512, 0); /* a mask's 0 keeps the first value */
    const double solved = trial_end("grid x 8\nreal f64 flushed below 1/1000\n"
                                    "field s = 1/1024\nsolve s' = s by cg to 1e-10\n"
                                    "measure e = sum(s)\nsteps %d\n",
                                    1);
    CHECK_NEAR(solved, 8.0 / 1024, 1e-9);
}

TEST(narrow_storage_costs_its_rounding_and_no_more)
{
    int64_t count;
    for (int k = 0; k < NARROW; k++)
        for (int steps = 1; steps <= 25; steps += 24) {
            double *exact = heat("f64", steps, &count);
            double *got = heat(narrow[k].real, steps, &count);
            const double e = largest_difference(exact, got, count);
            CHECK(e <= (2 * steps + 1.5) * narrow[k].half);
            CHECK(e > 0.2 * narrow[k].half);
            free(exact);
            free(got);
        }
}

static int64_t not_of_8_bits(const double *u, int64_t count)
{
    int64_t wider = 0;
    for (int64_t k = 0; k < count; k++) {
        const double scaled = u[k] * 128; /* multiples of 2^-7 in bf16 */
        wider += u[k] >= 1 && u[k] < 2 && scaled != floor(scaled);
    }
    return wider;
}

TEST(a_bf16_field_holds_bf16_values_at_the_start_and_after_steps)
{
    int64_t count;
    for (int steps = 0; steps < 4; steps++) {
        double *u = heat("f32 stored bf16", steps, &count);
        CHECK_EQ(not_of_8_bits(u, count), 0);
        free(u);
    }
}

/* One program with a narrow and a wide field. */
TEST(storage_is_chosen_field_by_field)
{
    const double e = trial_end("grid x 50\nreal f32\nfield a stored bf16 = 1/3\n"
                               "field b = 1/3\na' = a\nb' = b\nsteps 1\n"
                               "measure e = max(abs(a - b))\n");
    CHECK_NEAR(e, fabs(0x1.56p-2 - (double)(1.0f / 3)), 1e-9);
}

/* A later equation reads the stored, rounded value of u'. */
TEST(a_later_equation_reads_what_was_stored)
{
    const double e = trial_end("grid x 50\nreal f32\nfield a stored bf16 = 0\n"
                               "field b\na' = a + 0.1 + 0.001*x\nb' = a'\nsteps 1\n"
                               "measure e = max(abs(a - b))\n");
    CHECK(e == 0);
}
