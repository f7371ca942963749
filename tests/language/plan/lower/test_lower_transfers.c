/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers between the grid and a coarse grid. Coarse point I lies on point 2I of the
 * grid. */
#include "lowered.h"
#include "test.h"

/* Linear in space on both grids; the field c is coarse. */
static double linear_field(const char *field, int level, const int64_t *p)
{
    const double scale = field[0] == 'c' ? 2 : 1;

    (void)level;
    return scale * (double)p[0] + 10 * scale * (double)p[1];
}

static double square_field(const char *field, int level, const int64_t *p)
{
    const double x = linear_field(field, level, (int64_t[]){p[0], 0, 0});

    return x * x;
}

#define GRIDS "grid x 9, y 9\nfield r\nfield c coarse\nborder = 0 beyond\n"

static double evaluate(const char *source, field_value *value, int64_t x, int64_t y)
{
    lowered l = lowered_open(source);
    const setting with = {.value = value};
    const double v = output_at(&l, step_stage(&l, 0), 0, x, y, 0, &with);

    lowered_free(&l);
    return v;
}

TEST(a_coarse_equation_reads_the_grid_at_twice_its_index)
{
    CHECK_NEAR(evaluate(GRIDS "c' = c + r[1,0]\n", linear_field, 2, 1), 24 + 25, 0);
}

TEST(restriction_weighs_the_nine_points_around)
{
    lowered l = lowered_open(GRIDS "c' = restrict(r)\n");
    const setting with = {.value = square_field};
    const ir_stage *s = step_stage(&l, 0);

    CHECK(s->coarse);
    CHECK_EQ(count_op(s, IR_LOAD), 9);
    CHECK_NEAR(output_at(&l, s, 0, 2, 1, 0, &with), (9 + 2 * 16 + 25) / 4.0, 1e-12);
    lowered_free(&l);
}

TEST(a_shifted_restriction_moves_by_coarse_points)
{
    CHECK_NEAR(evaluate(GRIDS "c' = restrict(r)[1,0]\n", square_field, 1, 1), 16.5,
               1e-12);
}

TEST(inside_a_restriction_spacing_and_coordinates_are_the_grids)
{
    const char *source = "grid x 9, y 9 spacing 0.5\nfield r\nfield c coarse\n"
                         "border = 0 beyond\nc' = restrict(dxx(r) + 0*x) + 100*x\n";

    CHECK_NEAR(evaluate(source, square_field, 2, 1), 2 / 0.25 + 100 * 2, 1e-9);
}

TEST(coarse_derivatives_divide_by_twice_the_spacing)
{
    CHECK_NEAR(evaluate(GRIDS "c' = dx(c) + 100*dxx(c) + 1000*h\n", square_field, 3, 1),
               2 * 6 + 100 * 2 + 1000 * 2, 1e-9);
}

TEST(interpolation_is_exact_on_coinciding_points_and_means_between)
{
    const char *source = GRIDS "r' = interpolate(c)\n";

    CHECK_NEAR(evaluate(source, linear_field, 4, 2), 24, 0);
    CHECK_NEAR(evaluate(source, linear_field, 5, 3), 35, 0);
    CHECK_NEAR(evaluate(source, square_field, 5, 2), (16 + 36) / 2.0, 0);
}

TEST(an_interpolated_shift_moves_by_coarse_points)
{
    CHECK_NEAR(evaluate(GRIDS "r' = interpolate(c[1,0])\n", linear_field, 4, 2), 26, 0);
    CHECK_NEAR(evaluate(GRIDS "r' = interpolate(c)[1,0]\n", linear_field, 4, 2), 25, 0);
    CHECK_NEAR(evaluate(GRIDS "r' = interpolate(x*c/c)\n", linear_field, 4, 2), 4, 0);
}

TEST(a_mask_of_all_fields_is_read_by_coarse_equations_on_the_grid)
{
    lowered l = lowered_open(GRIDS "mask x > 3\nc' = c + 1\n");
    const ir_stage *s = step_stage(&l, 0);
    int loads = 0;

    for (int64_t k = 0; k < s->count; k++)
        loads += s->node[k].op == IR_LOAD && s->node[k].transfer == IR_TO_FINE;
    CHECK_EQ(loads, 1);
    CHECK(!l.code->field[2].coarse);
    lowered_free(&l);
}

TEST(reductions_of_coarse_fields_run_over_the_coarse_grid)
{
    lowered l = lowered_open(GRIDS "c' = c - sum(c)\nr' = r - sum(r)\n");

    CHECK(step_stage(&l, 0)->coarse);
    CHECK_EQ(ir_stage_box(l.code, step_stage(&l, 0)).hi[0], 5);
    CHECK(!named_stage(&l, "sum(r)")->coarse);
    lowered_free(&l);
}
