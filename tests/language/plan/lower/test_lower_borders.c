/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders with an expression are lowered to a stage; the other borders are only a
 * kind. */
#include <string.h>

#include "lowered.h"
#include "test.h"

static double five(const char *field, int level, const int64_t *p)
{
    (void)field;
    (void)level;
    (void)p;
    return 5;
}

static const setting with = {.value = five};

TEST(a_value_is_that_of_the_ghost_point)
{
    lowered l = lowered_open(
        "grid x 9, y 9\nfield u\nborder u = 10*x + y\nu' = dxx(u)\n");
    const ir_stage *s = border_stage(&l, "u", 0, 0);

    CHECK_NEAR(output_at(&l, s, 0, -1, 3, 0, &with), -7, 0);
    CHECK(border_stage(&l, "u", 1, 1) == s);
    CHECK_EQ(s->output[0].level, 0);
    lowered_free(&l);
}

TEST(a_flux_is_taken_at_the_face_and_rises_with_the_distance)
{
    lowered l = lowered_open("grid x 9 spacing 0.5, y 9\nfield u\n"
                             "border neumann u = 100*x + y\nu' = laplace(u, order 4)\n");

    CHECK_NEAR(output_at(&l, border_stage(&l, "u", 0, 0), 0, -2, 4, 0, &with),
               5 + 2 * 2 * 0.5 * (0 + 4), 1e-12);
    CHECK_NEAR(output_at(&l, border_stage(&l, "u", 0, 1), 0, 9, 4, 0, &with),
               5 + 2 * 1 * 0.5 * (400 + 4), 1e-9);
    lowered_free(&l);
}

static double twice_x(const char *field, int level, const int64_t *p)
{
    return strcmp(field, "v") == 0 ? 1000 * level : (double)(2 * p[0]);
}

TEST(a_value_that_reads_fields_is_taken_at_the_face_for_each_layer)
{
    static const setting places = {.value = twice_x};
    lowered l = lowered_open("grid x 9\nfield v, u\nv' = v\nu' = laplace(u, order 4)\n"
                             "border v = 0\nborder u = 10*x + u[1] + v at x-\n"
                             "border neumann u = u[-1] at x+\n");
    const ir_border *low = &l.code->field[1].border[0][0], *high = low + 1;
    const ir_stage *stage = l.code->stage;

    CHECK_EQ(low->layers, 2); /* the face and a ghost: no step stores the face */
    CHECK_EQ(high->layers, 2);
    for (int k = 0; k < 2; k++)
        CHECK_NEAR(output_at(&l, stage + low->stage + k, 0, -k, 0, 0, &places), 1002, 0);
    CHECK_NEAR(output_at(&l, stage + high->stage + 1, 0, 10, 0, 0, &places),
               20 + 2 * 2 * 14, 0);
    lowered_free(&l);
}

TEST(a_wall_between_points_has_a_value_or_a_flux)
{
    lowered l = lowered_open("grid x 9 spacing 0.5\nfield u\nborder antimirror u = 3\n"
                             "border mirror u = 7 at x+\nu' = laplace(u, order 4)\n");

    CHECK_NEAR(output_at(&l, border_stage(&l, "u", 0, 0), 0, -2, 0, 0, &with), 5 + 6, 0);
    CHECK_NEAR(output_at(&l, border_stage(&l, "u", 0, 1), 0, 10, 0, 0, &with),
               5 + 3 * 0.5 * 7, 0);
    lowered_free(&l);
}

TEST(borders_that_copy_have_no_stage)
{
    lowered l = lowered_open("grid x 9, y 9\nfield u, v\nborder neumann u\n"
                             "border mirror v at x-\nborder odd v at x+\n"
                             "border clamp v at y-, y+\nu' = dxx(u)\nv' = laplace(v)\n");
    const ir_field *u = &l.code->field[0], *v = &l.code->field[1];

    CHECK_EQ(u->border[0][0].kind, BORDER_NEUMANN);
    CHECK_EQ(u->border[0][0].stage, -1);
    CHECK_EQ(v->border[0][0].kind, BORDER_MIRROR);
    CHECK_EQ(v->border[0][1].kind, BORDER_ODD);
    CHECK_EQ(v->border[1][1].kind, BORDER_CLAMP);
    CHECK_EQ(v->border[1][1].stage, -1);
    lowered_free(&l);
}

TEST(later_rules_win_face_by_face)
{
    lowered l = lowered_open("grid x 9\nfield u\nborder u = 1\nborder u = 2 beyond x+\n"
                             "u' = dxx(u)\n");

    CHECK_EQ(l.code->field[0].border[0][0].kind, BORDER_VALUE);
    CHECK_EQ(l.code->field[0].border[0][1].kind, BORDER_BEYOND);
    CHECK_NEAR(output_at(&l, border_stage(&l, "u", 0, 1), 0, 9, 0, 0, &with), 2, 0);
    CHECK_EQ(step_stage(&l, 0)->inset[0][0], 1);
    CHECK_EQ(step_stage(&l, 0)->inset[0][1], 0);
    lowered_free(&l);
}

TEST(a_border_may_move_in_time)
{
    lowered l = lowered_open("grid x 9\nparam dt = 0.5\nfield u\nborder u = 3*t\n"
                             "u' = dxx(u)\n");
    setting at = with;

    at.uniform[l.code->uniform_t] = 1.5;
    CHECK_NEAR(output_at(&l, border_stage(&l, "u", 0, 0), 0, -1, 0, 0, &at), 4.5, 0);
    lowered_free(&l);
}
