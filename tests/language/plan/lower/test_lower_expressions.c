/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions are lowered to nodes, and equal values share one node. */
#include <stdio.h>

#include "lowered.h"
#include "test.h"

/* A cubic polynomial along x with mixed terms: finite differences of it are exact. */
static double cubic(const char *field, int level, const int64_t *p)
{
    const double x = (double)p[0], y = (double)p[1], z = (double)p[2];

    return field[0] == 'u' ? x * x * x + 5 * x * y - 2 * y * y + z + 1000 * level
                           : 7 * x - y;
}

static double evaluate(const char *source, int64_t x, int64_t y, int64_t z)
{
    lowered l = lowered_open(source);
    setting s = {.value = cubic};

    for (int k = 0; k < 64; k++)
        s.uniform[k] = 10 + k;
    const double v = output_at(&l, step_stage(&l, 0), 0, x, y, z, &s);
    lowered_free(&l);
    return v;
}

#define GRID "grid x 9, y 9\nborder = 0\nfield u\nfield v = 1\n"

TEST(heat_in_three_dimensions_reads_seven_points)
{
    lowered l = lowered_open("grid x 8, y 8, z 8\nfield u\nparam a = 0.1\nborder u = 0\n"
                             "u' = u + a*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0]"
                             " + u[0,0,1] + u[0,0,-1] - 6*u)\n");
    const ir_stage *s = step_stage(&l, 0);

    CHECK_EQ(count_op(s, IR_LOAD), 7);
    CHECK_EQ(count_op(s, IR_ADD), 6);
    CHECK_EQ(count_op(s, IR_SUB), 1);
    CHECK_EQ(count_op(s, IR_MUL), 2);
    CHECK_EQ(count_op(s, IR_ROUND), 0);
    CHECK_EQ(s->outputs, 1);
    CHECK_EQ(s->output[0].level, 1);
    lowered_free(&l);
}

TEST(a_shift_moves_everything_inside_it)
{
    const int64_t there[3] = {5, 1, 0};

    CHECK_NEAR(evaluate(GRID "u' = (u + x*y + v)[2,-3]\n", 3, 4, 0),
               cubic("u", 0, there) + 5 * 1 + cubic("v", 0, there), 0);
}

TEST(shifts_within_shifts_add_up)
{
    const int64_t there[3] = {4, 5, 0};

    CHECK_NEAR(
        evaluate(GRID "let f = u[2,0]\nu' = (f + f[-1,0])[0,1] - f[1,1]\n", 2, 4, 0),
        cubic("u", 0, there) + cubic("u", 0, (int64_t[]){3, 5, 0}) -
            cubic("u", 0, (int64_t[]){5, 5, 0}),
        0);
}

TEST(arguments_of_a_let_are_read_where_the_let_reads_them)
{
    CHECK_NEAR(evaluate(GRID "let d(a) = a[1,0] - a[-1,0]\nu' = d(u*x)\n", 3, 2, 0),
               cubic("u", 0, (int64_t[]){4, 2, 0}) * 4 -
                   cubic("u", 0, (int64_t[]){2, 2, 0}) * 2,
               0);
}

TEST(a_let_applied_within_itself_keeps_its_arguments_apart)
{
    CHECK_NEAR(
        evaluate(GRID "let f(a, b) = a[1,0] - b\nu' = f(f(u, v), f(v, u))\n", 1, 1, 0),
        cubic("u", 0, (int64_t[]){3, 1, 0}) - cubic("v", 0, (int64_t[]){2, 1, 0}) -
            (cubic("v", 0, (int64_t[]){2, 1, 0}) - cubic("u", 0, (int64_t[]){1, 1, 0})),
        0);
}

TEST(derivatives_of_polynomials_are_exact)
{
    CHECK_NEAR(evaluate(GRID "u' = dxx(u)\n", 4, 3, 0), 6 * 4, 1e-9);
    CHECK_NEAR(evaluate(GRID "u' = dxy(u)\n", 4, 3, 0), 5, 1e-9);
    CHECK_NEAR(evaluate(GRID "u' = dx(u, order 4)\n", 4, 3, 0), 3 * 16 + 5 * 3, 1e-9);
    CHECK_NEAR(evaluate(GRID "u' = dxxx(u, order 4)\n", 4, 3, 0), 6, 1e-9);
    CHECK_NEAR(evaluate(GRID "u' = laplace(u, order 8)\n", 4, 3, 0), 6 * 4 - 4, 1e-9);
}

TEST(half_point_derivatives_are_taken_half_a_cell_off)
{
    const double right = 3 * 4.5 * 4.5 + 5 * 3, left = 3 * 3.5 * 3.5 + 5 * 3;

    CHECK_NEAR(evaluate(GRID "u' = dx(u, order 4, at +1/2)\n", 4, 3, 0), right, 1e-9);
    CHECK_NEAR(evaluate(GRID "u' = dx(u, order 4, at -1/2)\n", 4, 3, 0), left, 1e-9);
}

TEST(derivatives_divide_by_the_spacing)
{
    const char *source = "grid x 9 spacing 0.5, y 9 spacing 4\nborder = 0\nfield u\n"
                         "u' = dx(u, order 4) + 1e6*dyy(u)\n";

    CHECK_NEAR(evaluate(source, 4, 3, 0), (3 * 16 + 5 * 3) / 0.5 - 1e6 * 4 / 16, 1e-6);
}

TEST(weights_over_spacings_are_one_exact_constant)
{
    lowered l = lowered_open(
        "grid x 9 spacing 0.1\nfield u\nborder u = 0\nu' = dxx(u)\n");
    const ir_stage *s = step_stage(&l, 0);
    int found = 0;

    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_CONST)
            found += num_equal(s->node[k].value, num_int(100)) +
                     num_equal(s->node[k].value, num_int(-200));
    CHECK_EQ(found, 2);
    CHECK_EQ(count_op(s, IR_DIV), 0);
    lowered_free(&l);
}

TEST(weights_of_a_stencil_are_those_of_the_centre)
{
    CHECK_NEAR(evaluate(GRID "stencil s {\n[1,0] v*x\n[0,-1] 2\n}\nu' = s(u)\n", 3, 4, 0),
               cubic("v", 0, (int64_t[]){3, 4, 0}) * 3 *
                       cubic("u", 0, (int64_t[]){4, 4, 0}) +
                   2 * cubic("u", 0, (int64_t[]){3, 3, 0}),
               0);
}

TEST(coordinates_follow_the_range_of_the_axis)
{
    CHECK_NEAR(evaluate("grid x 5 from 1 to 3, y 9 spacing 0.25\nborder = 0\nfield u\n"
                        "u' = 100*x + y + nx + hy\n",
                        3, 2, 0),
               100 * 2.5 + 0.5 + 5 + 0.25, 1e-12);
}

TEST(conditions_choose)
{
    const char *source = GRID "let inner = x > 2 and not (y >= 5)\n"
                              "u' = where(inner or x == 0, min(x, y), max(x, 10*y))\n";

    CHECK_NEAR(evaluate(source, 3, 4, 0), 3, 0);
    CHECK_NEAR(evaluate(source, 3, 5, 0), 50, 0);
    CHECK_NEAR(evaluate(source, 2, 4, 0), 40, 0);
    CHECK_NEAR(evaluate(source, 0, 7, 0), 0, 0);
}

TEST(the_parity_of_a_sum_of_indices_is_one_operation)
{
    static const struct {
        const char *sum;
        int operations;
    } row[] = {{"(ix - 3*iy + 2*ix + 5) % 2 == 1", 1},
               {"(4*ix/2 + iy/1) % 2 == 0", 1},
               {"(ix/2 + iy) % 2 == 0", 0},
               {"(ix*iy) % 2 == 0", 0},
               {"(ix + iy) % 3 == 0", 0},
               {"(2*ix) % 2 == 0", 0}};

    for (size_t k = 0; k < COUNT_OF(row); k++) {
        char source[200];
        (void)snprintf(source, sizeof source, GRID "u' = where(%s, 1, 0)\n", row[k].sum);
        lowered l = lowered_open(source);
        CHECK_EQ(count_op(step_stage(&l, 0), IR_EVEN), row[k].operations);
        lowered_free(&l);
    }
}

TEST(a_ricker_wavelet_peaks_at_its_delay)
{
    const char *source = GRID "u' = ricker(2, 0.6) + 10*ricker(2, x/10)\n";
    const double a = 3.14159265358979323846 * 2 * (0.5 - 0.6);

    CHECK_NEAR(evaluate(source, 5, 1, 0), 1 + 10 * (1 - 2 * a * a) * exp(-a * a), 1e-12);
}

TEST(older_levels_and_time_are_read)
{
    lowered l = lowered_open(GRID "u' = prev(u) + prev(u, 3) + t + step\n");
    setting s = {.value = cubic};
    const double u = cubic("u", 0, (int64_t[]){1, 2, 0});

    s.uniform[l.code->uniform_t] = 0.5;
    s.uniform[l.code->uniform_step] = 4;
    CHECK_NEAR(output_at(&l, step_stage(&l, 0), 0, 1, 2, 0, &s), 2 * u - 4000 + 4.5, 0);
    CHECK_EQ(l.code->field[field_number(&l, "u")].levels, 5);
    lowered_free(&l);
}

TEST(a_sum_of_thousands_of_terms_is_lowered)
{
    text t = {0};

    text_add(&t, GRID "u' = u");
    for (int k = 0; k < 4000; k++)
        text_add(&t, " + %d*v", k);
    text_add(&t, "\n");
    CHECK_NEAR(evaluate(t.data, 1, 0, 0), 1 + 7 * (4000.0 * 3999 / 2), 0);
    text_free(&t);
}

TEST(composed_laplacians_cost_what_their_points_do)
{
    lowered l = lowered_open(
        "grid x 99, y 99\nfield u\nborder u = 0\nlet a = laplace(u)\n"
        "let b = laplace(a)\nlet c = laplace(b)\nlet d = laplace(c)\n"
        "let e = laplace(d)\nlet f = laplace(e)\nu' = laplace(f)\n");
    const ir_stage *s = step_stage(&l, 0);

    CHECK_EQ(count_op(s, IR_LOAD), 7 * 7 + 8 * 8); /* a diamond of radius 7 */
    CHECK(s->count < 6000);
    lowered_free(&l);
}

TEST(what_grows_without_bound_is_refused)
{
    const char *source = "grid x 99, y 99, z 99\nfield u\nborder u = 0\n"
                         "let a(e) = dxxyy(dyyzz(dxxzz(e, order 8), order 8), order 8)\n"
                         "u' = a(a(a(u)))\n";

    CHECK_EQ(lowered_status(source) == PAV_OK, 0);
    CHECK(strlen(pav_message()) > 20);
}
