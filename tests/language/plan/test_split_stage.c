/* SPDX-License-Identifier: BSD-3-Clause */
/* Split stages: each part reads neighbours along one direction only, and a stage that
 * cannot be split gives the reason. `pavior check` proves that splitting changes no
 * bit. */
#include "passed.h"

#include "test.h"

static lowered parted(const char *source)
{
    lowered l = passed_open(source, NULL);
    REQUIRE_OK(ir_split_stages(l.code));
    return l;
}

enum { IN_PLANE = 1, ACROSS = 2 };

/* The directions of the neighbours read by a stage. */
static int directions(const ir_stage *s, int slowest)
{
    int found = 0;
    for (int64_t k = 0; k < s->count; k++)
        for (int axis = 0; axis < MAX_DIM && s->node[k].op == IR_LOAD; axis++)
            if (s->node[k].offset[axis] != 0)
                found |= axis == slowest ? ACROSS : IN_PLANE;
    return found;
}

static const char heat[] = "grid x 9, y 9, z 9\nfield u = 1\nparam a = 0.1\n"
                           "u' = u + a*laplace(u)\nborder u = 0";

TEST(a_symmetric_star_is_a_part_in_planes_and_one_across_them)
{
    lowered l = parted(heat);
    REQUIRE(l.code->step.count == 2);
    CHECK_EQ(directions(step_stage(&l, 0), 2), IN_PLANE);
    CHECK_EQ(directions(step_stage(&l, 1), 2), ACROSS);
    CHECK_EQ(step_stage(&l, 0)->part, 1);
    CHECK_EQ(step_stage(&l, 1)->part, 2);
    CHECK_EQ(l.code->carried, 1);
    CHECK_EQ(ir_lasting_fields(l.code), 1);
    lowered_free(&l);
}

TEST(the_last_part_stands_where_the_whole_stage_stood)
{
    lowered l = passed_open(heat, NULL);
    const int whole = l.code->step.stage[0];
    REQUIRE_OK(ir_split_stages(l.code));
    CHECK_EQ(l.code->step.stage[1], whole);
    CHECK_EQ(step_stage(&l, 1)->output[0].field, field_number(&l, "u"));
    CHECK_EQ(step_stage(&l, 0)->output[0].field, field_number(&l, "part 1"));
    lowered_free(&l);
}

TEST(a_sum_in_the_order_of_memory_has_lines_before_its_planes)
{
    lowered l = parted("grid x 9, y 9, z 9\nfield u = 1\nborder u = 0\n"
                       "u' = 0.1*u[0,0,-1] + 0.2*u[0,-1,0] + 0.3*u + 0.15*u[0,1,0] + "
                       "0.25*u[0,0,1]");
    REQUIRE(l.code->step.count == 3);
    CHECK_EQ(directions(step_stage(&l, 0), 2), ACROSS);
    CHECK_EQ(directions(step_stage(&l, 1), 2), IN_PLANE);
    CHECK_EQ(directions(step_stage(&l, 2), 2), ACROSS);
    lowered_free(&l);
}

/* One of the two sums is also read in the planes before and behind. */
TEST(sums_that_planes_share_are_carried_once_from_beyond_the_box)
{
    lowered l = parted(
        "grid x 9, y 9, z 9\nfield u = 1\nborder u = 0\n"
        "stencil s { centre 0.3, face 0.06, edge 0.02, corner 0.0125 }\nu' = s(u)");
    REQUIRE(l.code->step.count == 2);
    const ir_stage *planes = step_stage(&l, 0), *lines = step_stage(&l, 1);
    CHECK_EQ(l.code->carried, 2);
    CHECK_EQ(planes->inset[2][0], lines->inset[2][0] - 1);
    CHECK_EQ(planes->inset[1][0], lines->inset[1][0]);
    CHECK_EQ(directions(lines, 2), ACROSS);
    lowered_free(&l);
}

TEST(planes_beyond_the_grid_have_memory)
{
    lowered l = parted("grid x 9, y 9\nfield u = 1\nborder periodic\n"
                       "let row = u[1,0] + u[-1,0]\nu' = 0.1*(row[0,1] + row[0,-1])");
    REQUIRE(l.code->step.count == 2);
    const ir_field *carried = &l.code->field[field_number(&l, "part 1")];
    CHECK_EQ(step_stage(&l, 0)->inset[1][0], -1);
    CHECK_EQ(carried->halo[1][0], 1);
    CHECK_EQ(carried->halo[1][1], 1);
    CHECK_EQ(carried->halo[0][0], 0);
    lowered_free(&l);
}

/* exp(-y) is a table with a fixed ratio of neighbouring numbers. The sum of the plane
 * before reads it at y - 2, so the in-plane part needs a table margin of 2. */
TEST(what_planes_share_reads_the_table_at_its_own_plane)
{
    lowered l = parted("grid x 9, y 9\nfield u = 1\nborder periodic\n"
                       "let f = where(u[1,0] > u[-1,0]*exp(-y), u[1,0], u)\n"
                       "u' = 0.1*(f[0,1] + f[0,-1])");
    REQUIRE(l.code->step.count == 2 && l.code->carried == 1);
    const ir_stage *planes = step_stage(&l, 0);
    CHECK_EQ(count_op(planes, IR_TABLE), 1);
    for (int64_t k = 0; k < planes->count; k++)
        if (planes->node[k].op == IR_TABLE)
            CHECK_EQ(planes->node[k].offset[0], -1);
    CHECK_EQ(directions(planes, 1), IN_PLANE);
    CHECK_EQ(l.code->table[0].margin[0], 2);
    lowered_free(&l);
}

TEST(what_stays_whole_says_why)
{
    static const struct {
        const char *source, *why;
    } whole[] = {
        {"grid x 9\nfield u = 1\nborder u = 0\nu' = u[1] + u[-1]", "one dimension"},
        {"grid x 9, y 9\nfield u = 1\nborder u = 0\nu' = u[0,1] + u[0,-1]",
         "no neighbours in a plane"},
        {"grid x 9, y 9\nfield u = 1\nborder u = 0\nu' = u[1,0] + u[-1,0]",
         "no neighbours across"},
        {"grid x 9, y 9\nfield u = 1\nborder u = 0\n"
         "u' = 0.1*u[1,-1] + 0.2*u[-1,-1] + 0.3*u[1,0] + 0.4*u[1,1]",
         "continues from plane to plane"},
        {"grid x 9, y 2\nfield u = 1\nborder u = 0\nu' = u[1,0] + u[0,1]",
         "no points between its faces"},
    };
    for (size_t n = 0; n < COUNT_OF(whole); n++) {
        lowered l = parted(whole[n].source);
        CHECK_EQ(l.code->carried, 0);
        CHECK_EQ(l.code->step.count, 1);
        CHECK(strstr(step_stage(&l, 0)->whole, whole[n].why));
        lowered_free(&l);
    }
}
