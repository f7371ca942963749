/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations are grouped into the stages of a step. */
#include "lowered.h"
#include "test.h"

static double plain(const char *field, int level, const int64_t *p)
{
    const double base = field[0] == 'm' ? (double)(p[0] % 2) : field[0] == 'u' ? 3 : 5;

    return base + 100 * level + 0.001 * (double)(field[0] == 'm' ? 0 : p[0]);
}

TEST(equations_that_read_each_other_at_the_point_are_one_stage)
{
    lowered l = lowered_open("grid x 9\nfield u, v\nborder = 0\n"
                             "u' = u + u[1]\nv' = v + 2*u'\n");
    const ir_stage *s = step_stage(&l, 0);
    const setting with = {.value = plain};

    CHECK_EQ(l.code->step.count, 1);
    CHECK_STR(s->name, "u, v");
    CHECK_EQ(s->outputs, 2);
    CHECK_NEAR(output_at(&l, s, 1, 4, 0, 0, &with), 5.004 + 2 * (3.004 + 3.005), 1e-12);
    lowered_free(&l);
}

TEST(a_neighbour_of_a_new_value_is_read_by_a_later_stage)
{
    lowered l = lowered_open("grid x 9\nfield u, v, w\nborder = 0\n"
                             "u' = u + u[1]\nv' = v + u'[-1]\nw' = v' + u'\n");

    CHECK_EQ(l.code->step.count, 2);
    CHECK_STR(step_stage(&l, 0)->name, "u");
    CHECK_STR(step_stage(&l, 1)->name, "v, w");
    CHECK_EQ(count_op(step_stage(&l, 1), IR_LOAD), 3);
    lowered_free(&l);
}

/* Lowers `count` equations. Each equation reads the next field, or all fields if
 * `all`. */
static lowered lower_many(int count, bool all)
{
    text t = {0};
    text_add(&t, "grid x 9\nborder periodic\nfield c");
    for (int k = 0; k < count; k++)
        text_add(&t, ", u%d", k);
    for (int k = 0; k < count; k++) {
        text_add(&t, "\nu%d' = 1", k);
        for (int n = all ? 0 : k; n < (all ? count : k + 2); n++)
            text_add(&t, " + u%d[%d]", n % count, n % 3);
    }
    text_add(&t, "\n");
    const lowered l = lowered_open(t.data);
    text_free(&t);
    return l;
}

TEST(equations_of_many_fields_are_stages_that_a_compiler_can_take)
{
    lowered l = lower_many(100, false);
    CHECK_EQ(l.code->step.count, 7);
    for (int64_t k = 0; k < l.code->step.count; k++)
        CHECK(step_stage(&l, k)->outputs <= 16);
    lowered_free(&l);
}

TEST(equations_that_read_the_same_fields_stay_together)
{
    lowered l = lower_many(27, true);
    CHECK_EQ(l.code->step.count, 1);
    lowered_free(&l);
}

TEST(other_given_faces_make_another_stage)
{
    lowered l = lowered_open("grid x 9, y 9\nfield u, v\nborder u = 1 at x-\n"
                             "border periodic v\nu' = u + 1\nv' = u' + v\n");
    const ir_stage *s = step_stage(&l, 0);
    const box b = ir_stage_box(l.code, s);

    CHECK_EQ(l.code->step.count, 2);
    CHECK_EQ(b.lo[0], 1);
    CHECK_EQ(b.hi[0], 9);
    CHECK_EQ(b.lo[1], 0);
    CHECK_EQ(ir_stage_box(l.code, step_stage(&l, 1)).lo[0], 0);
    lowered_free(&l);
}

TEST(what_is_stored_narrower_is_rounded_once)
{
    lowered l = lowered_open(
        "grid x 9\nreal f32 stored bf16\nfield u\nfield v stored f32\n"
        "border = 0\nu' = u + 0.3\nv' = u' + v\n");
    const ir_stage *s = step_stage(&l, 0);
    const setting with = {.value = plain};
    const double u = bf16_rounded((double)(float)(3.004 + 0.3));

    CHECK_EQ(count_op(s, IR_ROUND), 1);
    CHECK_NEAR(output_at(&l, s, 0, 4, 0, 0, &with), u, 0);
    CHECK_NEAR(output_at(&l, s, 1, 4, 0, 0, &with), u + 5.004, 0);
    lowered_free(&l);
}

TEST(f64_arithmetic_stored_in_f32_is_rounded_too)
{
    lowered l = lowered_open(
        "grid x 9\nreal f64 stored f32\nfield u\nborder = 0\nu' = u/3\n");

    CHECK_EQ(count_op(step_stage(&l, 0), IR_ROUND), 1);
    CHECK_EQ(count_op(named_stage(&l, "border u"), IR_ROUND), 1);
    lowered_free(&l);
}

/* ---- masks and layers ---------------------------------------------------------- */

TEST(a_masked_point_keeps_its_value)
{
    lowered l = lowered_open("grid x 9\nfield u, v\nborder = 0\nmask u = x > 3\n"
                             "u' = 2*u\nv' = 2*v\n");
    const setting with = {.value = plain};
    const ir_stage *s = step_stage(&l, 0);
    const ir_field *mask = &l.code->field[field_number(&l, "mask 1")];

    CHECK_NEAR(output_at(&l, s, 0, 4, 0, 0, &with), 3.004, 1e-12);
    CHECK_NEAR(output_at(&l, s, 0, 5, 0, 0, &with), 6.01, 1e-12);
    CHECK_NEAR(output_at(&l, s, 1, 4, 0, 0, &with), 10.008, 1e-12);
    CHECK_EQ(mask->storage, PAV_U8);
    CHECK(mask->symbol == NULL);
    CHECK_EQ(l.code->field[field_number(&l, "u")].masks, 1);
    CHECK_EQ(l.code->field[field_number(&l, "v")].masks, 0);
    lowered_free(&l);
}

/* The damping factor at index i of 20 points, in an absorbing layer of 5 cells at both
 * ends. */
static double layer(int64_t i)
{
    const int64_t from = i < 19 - i ? i : 19 - i, d = from < 5 ? 5 - from : 0;
    const double part = 0.3 * (double)d / 5;

    return exp(-part * part);
}

TEST(an_absorbing_layer_damps_new_and_older_levels_at_their_own_points)
{
    lowered l = lowered_open("grid x 20\nfield u\nabsorb 5 cells\n"
                             "u' = u + prev(u)[1] + prev(u, 2)\n");
    const setting with = {.value = plain};
    const ir_stage *s = step_stage(&l, 0);

    for (int64_t i = 0; i < 20; i++) {
        const double u = 3 + 0.001 * (double)i, next = u + 0.001;
        const double older = layer(i) * layer(i) * (u - 200);
        CHECK_NEAR(output_at(&l, s, 0, i, 0, 0, &with),
                   layer(i) * (u + layer(i + 1) * (next - 100) + older), 1e-11);
    }
    CHECK_EQ(l.code->field[0].border[0][1].kind, BORDER_BEYOND);
    lowered_free(&l);
}

TEST(faces_without_a_layer_do_not_damp)
{
    lowered l = lowered_open("grid x 20, y 20\nfield u\nborder periodic at y-, y+\n"
                             "border u = 0 at x+\nabsorb 5 cells strength 2 at x-\n"
                             "u' = u\n");
    const setting with = {.value = plain};
    const ir_stage *s = step_stage(&l, 0);

    CHECK_NEAR(output_at(&l, s, 0, 18, 0, 0, &with), 3.018, 0);
    CHECK_NEAR(output_at(&l, s, 0, 4, 0, 0, &with), 3.004 * exp(-0.16), 1e-12);
    CHECK_EQ(count_op(s, IR_EXP), 1);
    lowered_free(&l);
}

/* ---- reductions ---------------------------------------------------------------- */

TEST(a_reduction_is_a_stage_before_its_user_and_equal_ones_are_one)
{
    lowered l = lowered_open("grid x 9\nreal f32\nfield u, v\nborder = 0\n"
                             "u' = u - sum(u*v)\nv' = v + sum(u*v) + norm(v)\n");

    CHECK_EQ(l.code->step.count, 3);
    CHECK_STR(step_stage(&l, 0)->name, "sum(u*v)");
    CHECK_EQ(step_stage(&l, 0)->real, PAV_F64);
    CHECK_EQ(step_stage(&l, 0)->output[0].kind, IR_REDUCE);
    CHECK_EQ(step_stage(&l, 1)->output[0].reduction, REDUCTION_SUM);
    CHECK_STR(step_stage(&l, 2)->name, "u, v");
    CHECK_EQ(count_op(step_stage(&l, 2), IR_SQRT), 1);
    lowered_free(&l);
}

TEST(reductions_within_reductions_run_first)
{
    lowered l = lowered_open(
        "grid x 9\nfield u\nborder = 0\nu' = u - sum(u - sum(u)/9)\n");
    const ir_stage *inner = step_stage(&l, 0), *outer = step_stage(&l, 1);

    CHECK_EQ(l.code->step.count, 3);
    CHECK_EQ(count_op(inner, IR_UNIFORM), 0);
    CHECK_EQ(count_op(outer, IR_UNIFORM), 1);
    CHECK(inner->output[0].uniform != outer->output[0].uniform);
    lowered_free(&l);
}

TEST(lets_with_arguments_reduce_each_argument)
{
    lowered l = lowered_open("grid x 9\nfield u, v\nborder = 0\nlet mean(a) = sum(a)/9\n"
                             "u' = u - mean(u)\nv' = v - mean(v)\n");

    CHECK_EQ(l.code->step.count, 3);
    CHECK_EQ(step_stage(&l, 0)->node[0].field, field_number(&l, "u"));
    CHECK_EQ(step_stage(&l, 1)->node[0].field, field_number(&l, "v"));
    lowered_free(&l);
}
