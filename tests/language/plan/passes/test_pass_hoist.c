/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass hoist moves arithmetic on uniforms out of a stage, into an earlier stage of
 * f64. */
#include "passed.h"

#include "test.h"

static const char frame[] = "grid x 9\nfield u; v\nscalar s = 2; r = 3\n";

static lowered hoisted(const char *equations)
{
    text t = {0};

    text_add(&t, "%s%s\nborder periodic\nsteps 1\n", frame, equations);
    const lowered l = passed_open(t.data, "hoist");
    text_free(&t);
    return l;
}

static const ir_stage *before_of(const lowered *l)
{
    REQUIRE(step_stage(l, 0)->before >= 0);
    return &l->code->stage[step_stage(l, 0)->before];
}

TEST(uniform_arithmetic_moves_to_a_stage_in_f64)
{
    lowered l = hoisted("u' = (2*s + r^2)*u");

    CHECK_STR(output_text(&l, step_stage(&l, 0), 0), "(c * u)");
    CHECK_EQ(before_of(&l)->outputs, 1);
    CHECK_EQ(before_of(&l)->real, PAV_F64);
    CHECK_STR(output_text(&l, before_of(&l), 0), "((2 * s) + (r * r))");
    lowered_free(&l);
}

TEST(a_single_precision_stage_computes_its_uniforms_in_f64)
{
    lowered l = passed_open(
        "grid x 9\nreal f32\nfield u\nscalar s = 2\nu' = (s + 0.1)*u\n"
        "border periodic\nsteps 1\n",
        "hoist");

    CHECK_EQ(step_stage(&l, 0)->real, PAV_F32);
    CHECK_EQ(before_of(&l)->real, PAV_F64);
    lowered_free(&l);
}

TEST(a_value_moves_once_though_it_is_read_twice)
{
    lowered l = hoisted("u' = sin(s)*u\nv' = sin(s)*v");

    CHECK_EQ(step_stage(&l, 0)->outputs, 2);
    CHECK_EQ(before_of(&l)->outputs, 1);
    lowered_free(&l);
}

TEST(a_uniform_itself_and_its_negative_stay)
{
    lowered l = hoisted("u' = u*s + max(v, -r)");

    CHECK(step_stage(&l, 0)->before < 0);
    lowered_free(&l);
}

TEST(conditions_stay_and_compare_slots)
{
    lowered l = hoisted("u' = where(2*s < u and r*s < 4, u, v)");

    CHECK_STR(output_text(&l, step_stage(&l, 0), 0),
              "where(((c < 4) and (c < u)), u, v)");
    CHECK_EQ(before_of(&l)->outputs, 2);
    lowered_free(&l);
}

TEST(a_uniform_choice_moves_with_its_condition)
{
    lowered l = hoisted("u' = u*where(s < r, s, 2)");

    CHECK_STR(output_text(&l, step_stage(&l, 0), 0), "(c * u)");
    lowered_free(&l);
}

TEST(borders_have_stages_before_them_too)
{
    lowered l = passed_open(
        "grid x 9\nfield u\nscalar s = 1\nu' = u[1]\nborder = 2*s beyond\n"
        "steps 1\n",
        "hoist");

    CHECK(border_stage(&l, "u", 0, 1)->before >= 0);
    lowered_free(&l);
}
