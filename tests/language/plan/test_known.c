/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages that differ in their fields alone form a class. Passes rewrite the first of them
 * and copy it to the others. */
#include <string.h>

#include "lowered.h"

#include "test.h"

#define FIELDS "grid x 17, y 19\nfield u = x; v = y; w = 1\nborder u, v, w = 0\n"

/* Each stage reads the new values of the previous one, so a step has three. */
#define FIRST "u' = laplace(w)\n"

static lowered build(const char *source)
{
    lowered l = {0};
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &l.program));
    REQUIRE_OK(ir_build(l.program, NULL, &l.code));
    return l;
}

/* True if the last stage of a step is like the second. */
static bool are_alike(const char *source)
{
    lowered l = build(source);
    const ir_known *k = ir_known_of(l.code, step_stage(&l, 2));
    const bool found = &l.code->stage[k->like] == step_stage(&l, 1);
    lowered_free(&l);
    return found;
}

TEST(stages_that_differ_in_fields_of_one_nature_are_alike)
{
    CHECK(are_alike(FIELDS FIRST "v' = laplace(u')\nw' = laplace(v')"));
    CHECK(are_alike(FIELDS FIRST "v' = v + laplace(u')\nw' = w + laplace(v')"));
}

TEST(stages_with_other_numbers_or_readings_are_not_alike)
{
    CHECK(!are_alike(FIELDS FIRST "v' = 2*laplace(u')\nw' = 3*laplace(v')"));
    CHECK(!are_alike(FIELDS FIRST "v' = v + laplace(u')\nw' = v + laplace(v')"));
    CHECK(!are_alike(FIELDS FIRST "v' = v + laplace(u')\nw' = w[1,0] + laplace(v')"));
}

TEST(fields_of_another_nature_make_another_class)
{
    CHECK(!are_alike("grid x 17\nfield u = x; v = x; w stored f32 = x\n"
                     "border u, v, w = 0\n" FIRST "v' = laplace(u')\nw' = laplace(v')"));
    CHECK(!are_alike("grid x 17\nfield u = x; v = x; w = x\nborder u, v = 0\n"
                     "border mirror w\n" FIRST "v' = laplace(u')\nw' = laplace(v')"));
}

static text printed(const lowered *l, int64_t stage)
{
    text t = {0};
    ir_stage_print(l->code, step_stage(l, stage), &t);
    return t;
}

TEST(a_copied_stage_is_what_the_passes_make_of_it_alone)
{
    lowered copied = build(FIELDS FIRST
                           "v' = v + 2*laplace(u')/3\nw' = w + 2*laplace(v')/3");
    lowered made = build(FIELDS FIRST "v' = v + 5*laplace(u')\nw' = w + 2*laplace(v')/3");
    text copy = printed(&copied, 2), own = printed(&made, 2);
    CHECK_STR(copy.data, own.data);
    text_free(&copy);
    text_free(&own);
    lowered_free(&copied);
    lowered_free(&made);
}

TEST(stages_with_uniforms_to_compute_have_uniforms_of_their_own)
{
    lowered l = build(FIELDS "param dt = 0.1\n" FIRST
                             "v' = sin(2*t)*laplace(u')\nw' = sin(2*t)*laplace(v')");
    CHECK(step_stage(&l, 1)->before >= 0 && step_stage(&l, 2)->before >= 0);
    CHECK(step_stage(&l, 1)->before != step_stage(&l, 2)->before);
    lowered_free(&l);
}

TEST(a_stage_outside_of_the_ir_has_no_class)
{
    lowered l = build(FIELDS "u' = laplace(u)");
    const ir_stage copy = *step_stage(&l, 0);
    CHECK(ir_known_of(l.code, &copy) == NULL);
    lowered_free(&l);
}
