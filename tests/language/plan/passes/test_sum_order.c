/* SPDX-License-Identifier: BSD-3-Clause */
/* Guarantees of the order of sums: mirrored data give the same bits, constants stay
 * exact, and the value equals the sum of the description. */
#include "passed.h"

#include <stdio.h>

#include "test.h"

/* ---- mirror images ----------------------------------------------------------------- */

static int mirrored_axis; /* -1: none; the mirror lies at `twice` / 2 */
static int64_t twice;

static double noise(const char *field, int level, const int64_t *at)
{
    int64_t p[MAX_DIM] = {at[0], at[1], at[2]};

    if (mirrored_axis >= 0)
        p[mirrored_axis] = twice - p[mirrored_axis];
    return random_at((uint64_t)field[0] + 10 * (uint64_t)(level + 20), p[0], p[1], p[2]) -
           0.5;
}

/* Compares the output on random data with the output on data mirrored at `middle`/2 past
 * the point. */
static bool is_mirrored(const char *source, int axis, int middle, double sign)
{
    lowered l = passed_open(source, NULL);
    const setting s = {.value = noise};

    mirrored_axis = -1;
    const double plain = output_at(&l, step_stage(&l, 0), 0, 5, 6, 7, &s);
    mirrored_axis = axis;
    twice = 2 * (5 + axis) + middle;
    const double mirror = output_at(&l, step_stage(&l, 0), 0, 5, 6, 7, &s);
    lowered_free(&l);
    return plain != 0 && mirror == sign * plain;
}

static bool is_mirrored_on_all_axes(const char *equation)
{
    char source[2000];
    bool all = true;

    snprintf(source, sizeof source,
             "grid x 20, y 20, z 20\nfield u; v\n%s\nborder periodic\nsteps 1\n",
             equation);
    for (int axis = 0; axis < MAX_DIM; axis++)
        all = all && is_mirrored(source, axis, 0, 1);
    return all;
}

TEST(symmetric_operators_give_the_same_bits_on_mirrored_data)
{
    CHECK(is_mirrored_on_all_axes("u' = u + 0.1*laplace(u)"));
    CHECK(is_mirrored_on_all_axes("u' = 2*u - prev(u) + 0.01*v^2*laplace(u, order 8)"));
    CHECK(is_mirrored_on_all_axes(
        "stencil s { centre 0.4, face 0.05, edge 0.02, corner 0.0075 }\nu' = s(u)"));
    CHECK(is_mirrored_on_all_axes(
        "u' = u + 0.1*(dxx(u) + 2*dyy(u) + 3*dzz(u)) + 0.7*laplace(v)"));
    CHECK(is_mirrored_on_all_axes("u' = laplace(laplace(u)) + laplace(u^2)"));
}

TEST(differences_of_fluxes_give_the_same_bits_on_mirrored_data)
{
    CHECK(is_mirrored_on_all_axes(
        "let f(e) = (v + v[1,0,0])*(e[1,0,0] - e)\n"
        "let g(e) = (v + v[0,1,0])*(e[0,1,0] - e)\n"
        "let q(e) = (v + v[0,0,1])*(e[0,0,1] - e)\n"
        "u' = u + 0.05*(f(u) - f(u)[-1,0,0] + g(u) - g(u)[0,-1,0] +"
        " q(u) - q(u)[0,0,-1])"));
}

TEST(antisymmetric_operators_give_the_exact_negative)
{
    static const char source[] =
        "grid x 20, y 20, z 20\nfield u\n"
        "u' = dx(u, order 6) + dxyy(u)\nborder periodic\nsteps 1\n";

    CHECK(is_mirrored(source, 0, 0, -1));
    CHECK(is_mirrored(source, 1, 0, 1));
}

TEST(staggered_operators_are_mirrored_about_half_points)
{
    static const char source[] =
        "grid x 20, y 20, z 20\nfield u\n"
        "u' = dx(u, order 8, at +1/2)\nborder periodic\nsteps 1\n";

    CHECK(is_mirrored(source, 0, 1, -1));
}

/* ---- constants --------------------------------------------------------------------- */

static double level_field(const char *field, int level, const int64_t *at)
{
    (void)field;
    (void)level;
    (void)at;
    return 5;
}

static double on_constant(const char *equation)
{
    char source[2000];

    snprintf(source, sizeof source,
             "grid x 20, y 20, z 20 spacing 0.3\nfield u; param a = 0.07\n%s\nborder "
             "periodic\nsteps 1\n",
             equation);
    lowered l = passed_open(source, NULL);
    const setting s = {.value = level_field};
    const double v = output_at(&l, step_stage(&l, 0), 0, 1, 2, 3, &s);
    lowered_free(&l);
    return v;
}

TEST(a_constant_of_few_bits_stays_exactly)
{
    CHECK(on_constant("u' = u + a*laplace(u)") == 5);
    CHECK(on_constant("u' = u + a*laplace(u, order 12)") == 5);
    CHECK(on_constant("u' = u + a*(dxx(u, order 4) - dy(u))") == 5);
}

/* ---- random sums ------------------------------------------------------------------- */

static void add_random_sum(text *t, rng *r, int depth)
{
    const int64_t count = 1 + rng_below(r, 6);

    for (int64_t k = 0; k < count; k++) {
        text_add(t, k ? rng_below(r, 2) ? " + " : " - " : "");
        if (rng_below(r, 3))
            text_add(
                t, "%s*",
                (const char *[]){"0.5", "3", "s", "(1/3)", "2*s", "v"}[rng_below(r, 6)]);
        if (depth > 0 && rng_below(r, 3) == 0) {
            text_add(t, "(");
            add_random_sum(t, r, depth - 1);
            text_add(t, ")");
        } else {
            text_add(t, "u[%d,%d,%d]", (int)rng_below(r, 3) - 1, (int)rng_below(r, 3) - 1,
                     (int)rng_below(r, 3) - 1);
        }
    }
}

static void step_value(const char *right, const char *last, long double *value,
                       long double *size)
{
    char source[10000];

    snprintf(source, sizeof source,
             "grid x 9, y 9, z 9\nfield u; v\nscalar s = 2\nu' = %s\nborder "
             "periodic\nsteps 1\n",
             right);
    lowered l = passed_open(source, last);
    REQUIRE_OK(ir_evaluate(l.code, step_stage(&l, 0), 7, value, size));
    lowered_free(&l);
}

TEST(random_sums_mean_the_same_and_cost_no_more)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        rng r = {.state = seed};
        text t = {0};
        long double before, after, size;
        add_random_sum(&t, &r, 3);
        step_value(t.data, "powers", &before, &size);
        step_value(t.data, "sums", &after, &size);
        if (fabsl(before - after) > 1e-16L * size)
            CHECK_STR(t.data, "the same");
        CHECK(passed_cost(t.data, "sums").streamed <=
              passed_cost(t.data, "powers").streamed);
        text_free(&t);
    }
}
