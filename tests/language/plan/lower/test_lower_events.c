/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowering of the statements at the end of a step: injections, measures, until and
 * expect. */
#include <stdio.h>

#include "lowered.h"
#include "test.h"

static double two(const char *field, int level, const int64_t *p)
{
    (void)field;
    (void)p;
    return 2 + 10 * level;
}

#define HEAT "grid x 9\nfield u\nborder u = 0\nu' = u + 0.1*dxx(u)\n"

static const ir_stage *last_stage(const lowered *l, const ir_event *e)
{
    return &l->code->stage[e->list.stage[e->list.count - 1]];
}

TEST(a_measure_reduces_first_and_then_sets_its_slot)
{
    lowered l = lowered_open(HEAT "measure mean = sum(u)/9\n");
    const ir_event *e = &l.code->measures.item[0];
    setting s = {0};

    CHECK_EQ(l.code->measures.count, 1);
    CHECK_EQ(e->list.count, 2);
    s.uniform[l.code->stage[e->list.stage[0]].output[0].uniform] = 18;
    CHECK_NEAR(output_at(&l, last_stage(&l, e), 0, 0, 0, 0, &s), 2, 0);
    CHECK_EQ(last_stage(&l, e)->output[0].uniform, e->result);
    CHECK_STR(l.code->uniform[e->result].name, "mean");
    CHECK_STR(e->text, "sum(u)/9");
    lowered_free(&l);
}

TEST(a_sum_has_no_points_at_an_end_that_its_condition_leaves_out)
{
    static const struct {
        const char *value;
        int low, high;
    } row[] = {{"norm(where(x > 0.5, u, 0))", 1, 0},
               {"sum(where(u > 1 and x > 0.5 and x < 7.5, u, 0))", 1, 1},
               {"sum(where(x < 7.6 or u > 1, u, 0))", 0, 0},
               {"sum(where(x > 0.9, u, 0))", 0, 0},
               {"sum(where(x > 1.5, u, 0))", 0, 0},
               {"sum(where(x > 0.5, u, 1))", 0, 0},
               {"max(where(x > 0.5, u, 0))", 0, 0}};

    for (size_t k = 0; k < COUNT_OF(row); k++) {
        char source[200];
        (void)snprintf(source, sizeof source, HEAT "measure m = %s\n", row[k].value);
        lowered l = lowered_open(source);
        const ir_list *list = &l.code->measures.item[0].list;
        const ir_stage *s = &l.code->stage[list->stage[0]];
        CHECK_EQ(s->inset[0][0], row[k].low);
        CHECK_EQ(s->inset[0][1], row[k].high);
        lowered_free(&l);
    }
}

TEST(the_sides_of_a_comparison_have_slots)
{
    lowered l = lowered_open(HEAT "expect 3 < 2 + max(u)\n");
    const ir_event *e = &l.code->expects.item[0];
    const ir_stage *s = last_stage(&l, e);
    setting at = {0};

    at.uniform[l.code->stage[e->list.stage[0]].output[0].uniform] = 4;
    CHECK_NEAR(output_at(&l, s, 0, 0, 0, 0, &at), 1, 0);
    CHECK_NEAR(output_at(&l, s, 1, 0, 0, 0, &at), 3, 0);
    CHECK_NEAR(output_at(&l, s, 2, 0, 0, 0, &at), 6, 0);
    CHECK_EQ(s->output[1].uniform, e->left);
    CHECK_EQ(s->output[2].uniform, e->right);
    lowered_free(&l);
}

TEST(until_may_read_measures_and_the_level_before)
{
    lowered l = lowered_open(HEAT "measure change = norm(u - prev(u))\n"
                                  "until change < 1e-6 and step > 2\n");
    const ir_event *e = &l.code->untils.item[0];

    CHECK_EQ(e->left, -1);
    CHECK_EQ(e->list.count, 2);
    CHECK_EQ(count_op(&l.code->stage[e->list.stage[0]], IR_LOAD), 2);
    CHECK_EQ(l.code->field[0].levels, 2);
    lowered_free(&l);
}

TEST(an_injection_adds_its_weighted_value_to_the_new_level)
{
    lowered l = lowered_open("grid x 9\nfield u\nfield c = 3\nborder u = 0\nu' = 2*u\n"
                             "inject c*x into u at (3.5)\n");
    const ir_event *e = &l.code->injections.item[0];
    setting s = {.value = two};

    s.uniform[e->weight] = 0.25;
    CHECK_NEAR(output_at(&l, last_stage(&l, e), 0, 4, 0, 0, &s), 0.25 * 2 * 4 + 12, 0);
    CHECK_EQ(e->field, 0);
    CHECK_EQ(last_stage(&l, e)->output[0].level, 1);
    CHECK_EQ(l.code->uniform[e->weight].kind, UNIFORM_WEIGHT);
    CHECK_EQ(last_stage(&l, e)->node[last_stage(&l, e)->output[0].node].op, IR_FMA);
    lowered_free(&l);
}

TEST(scalars_have_slots_with_their_values)
{
    lowered l = lowered_open("grid x 9\nscalar a = 0.5; b = 2\nfield u\nborder u = 0\n"
                             "u' = b*u\n");
    const ir_stage *s = step_stage(&l, 0);
    int slot = -1;

    for (int64_t k = 0; k < s->count; k++)
        slot = s->node[k].op == IR_UNIFORM ? s->node[k].uniform : slot;
    CHECK_EQ(l.code->uniform[slot].kind, UNIFORM_SCALAR);
    CHECK_STR(l.code->uniform[slot].name, "b");
    CHECK_NEAR(l.code->uniform[slot].value, 2, 0);
    lowered_free(&l);
}
