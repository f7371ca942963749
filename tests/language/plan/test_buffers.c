/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived programs (of an equation to solve) need fewer buffers: fields share memory, or
 * overwrite a level after its last read. */
#include <stdio.h>
#include <string.h>

#include "lowered.h"

#include "test.h"

/* Fields on two grids, so no temporal blocking is possible. */
static lowered made_of(const char *equations, bool derived)
{
    char source[512];
    lowered l = {0};
    (void)snprintf(source, sizeof source,
                   "grid x 17\nfield u = x; a; b; c\nfield r coarse\nborder periodic\n%s"
                   "r' = restrict(u')\nmeasure m = sum(u) every 1 into \"m.csv\"\n",
                   equations);
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &l.program));
    l.program->derived = derived;
    REQUIRE_OK(ir_build(l.program, NULL, &l.code));
    return l;
}

static const ir_field *field_of(const lowered *l, const char *name)
{
    return &l->code->field[field_number(l, name)];
}

/* The number of stored levels of u, given the equations. */
static int levels_of_u(const char *equations)
{
    lowered l = made_of(equations, true);
    const int levels = field_of(&l, "u")->levels;
    lowered_free(&l);
    return levels;
}

TEST(a_field_that_is_stored_after_its_last_read_has_one_buffer)
{
    CHECK_EQ(levels_of_u("a' = u[1]\nu' = a'[1]\n"), 1);
    CHECK_EQ(levels_of_u("a' = u[1]\nu' = a'[1]\nb' = u[1]\n"), 2);
    CHECK_EQ(levels_of_u("a' = u[1]\nu' = a'[1]\nb' = prev(u)\n"), 3);
}

TEST(a_field_that_is_read_at_the_point_that_is_stored_has_one_buffer)
{
    CHECK_EQ(levels_of_u("a' = u[1]\nu' = u + a'[1]\n"), 1);
    CHECK_EQ(levels_of_u("a' = u[1]\nu' = u[1] + a'[1]\n"), 2);
}

TEST(fields_that_are_not_needed_at_once_share_a_buffer)
{
    lowered l = made_of("a' = u[1] + 1\nb' = a'[1]\nc' = b'[1]\nu' = c'[1]\n", true);
    CHECK_EQ(field_of(&l, "a")->memory, 0);
    CHECK_EQ(field_of(&l, "b")->memory, 1 + field_number(&l, "u"));
    CHECK_EQ(field_of(&l, "c")->memory, 1 + field_number(&l, "a"));
    CHECK(field_of(&l, "u")->shared && field_of(&l, "c")->shared);
    CHECK_EQ(field_of(&l, "r")->memory, 0);
    lowered_free(&l);
}

TEST(what_shares_a_buffer_begins_with_nothing_of_its_own)
{
    lowered l = made_of("a' = u[1] + 1\nb' = a'[1]\nc' = b'[1]\nu' = c'[1]\n", true);
    for (int64_t k = 0; k < l.code->start.count; k++) {
        const int f = l.code->start.item[k].field;
        CHECK(f < 0 || l.code->field[f].memory == 0);
    }
    lowered_free(&l);
}

TEST(a_field_that_is_read_in_the_next_step_keeps_its_buffer)
{
    lowered l = made_of("a' = u[1] + c\nb' = a'[1]\nc' = b'[1]\nu' = c'[1]\n", true);
    CHECK_EQ(field_of(&l, "c")->memory, 0);
    CHECK_EQ(field_of(&l, "c")->levels, 1);
    lowered_free(&l);
}

TEST(programs_that_people_write_keep_two_buffers)
{
    lowered l = made_of("a' = u[1] + 1\nb' = a'[1]\nc' = b'[1]\nu' = c'[1]\n", false);
    CHECK_EQ(field_of(&l, "u")->levels, 2);
    CHECK_EQ(field_of(&l, "c")->memory, 0);
    lowered_free(&l);
}

TEST(steps_that_may_share_a_pass_keep_two_buffers)
{
    static const char source[] = "grid x 17\nfield u = x; a\nborder periodic\n"
                                 "a' = u[1]\nu' = a'[1]\n";
    lowered l = {0};
    REQUIRE_OK(program_parse(source, sizeof source - 1, NULL, &l.program));
    l.program->derived = true;
    REQUIRE_OK(ir_build(l.program, NULL, &l.code));
    CHECK_EQ(field_of(&l, "a")->levels, 2);
    lowered_free(&l);
}
