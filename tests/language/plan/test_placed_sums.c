/* SPDX-License-Identifier: BSD-3-Clause */
/* A derived program (of an equation to solve) takes the sums of the next step in the
 * stages that store their inputs. */
#include <stdio.h>
#include <string.h>

#include "lowered.h"

#include "test.h"

static lowered made_of(const char *equations, const char *border)
{
    char source[512];
    lowered l = {0};
    (void)snprintf(source, sizeof source,
                   "real f64\ngrid x 17, y 9\nfield a = x; b = y; c\nlet s = sum(a*b)\n"
                   "%s\n%s",
                   border, equations);
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &l.program));
    l.program->derived = true;
    REQUIRE_OK(ir_build(l.program, NULL, &l.code));
    return l;
}

/* The place in the step of the only sum: the number of its stage, from 0; -1: the sum
 * has a stage of its own. */
static int place_of_sum(const char *equations, const char *border)
{
    lowered l = made_of(equations, border);
    int found = -1, sums = 0;
    for (int64_t k = 0; k < l.code->step.count; k++) {
        const ir_stage *s = &l.code->stage[l.code->step.stage[k]];
        sums += ir_reductions(s);
        found = ir_reductions(s) > 0 && ir_next_store(s, NULL) ? (int)k : found;
    }
    CHECK_EQ(sums, 1);
    CHECK_EQ((int)l.code->first.count, found >= 0);
    lowered_free(&l);
    return found;
}

TEST(a_sum_goes_to_the_stage_that_stores_its_last_input)
{
    CHECK_EQ(place_of_sum("a' = a + s\nb' = a'[1, 0]\n", "border periodic"), 1);
    CHECK_EQ(place_of_sum("a' = a + s\nb' = a'\n", "border periodic"), 0);
}

TEST(a_sum_goes_behind_all_readers_of_its_result)
{
    CHECK_EQ(
        place_of_sum("a' = a + 1\nb' = b + 1\nc' = s + a'[1, 0]\n", "border periodic"),
        1);
}

TEST(a_sum_with_other_points_or_inputs_keeps_its_stage)
{
    CHECK_EQ(place_of_sum("a' = a + s\nb' = a'\n", "border a, b = 0\nborder clamp c"), 0);
    CHECK_EQ(place_of_sum("a' = a + s\nb' = a'\n", "border a, b = 1\nborder clamp c"),
             -1);
    CHECK_EQ(place_of_sum("a' = a + s\n", "border periodic"), -1);
}
