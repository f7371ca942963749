/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of stages: consecutive stages on one grid, with buffers of their own for what
 * they store. */
#include <stdio.h>
#include <string.h>

#include "lowered.h"

#include "test.h"

static lowered grouped_of(const char *equations)
{
    char source[512];
    lowered l = {0};
    (void)snprintf(source, sizeof source,
                   "grid x 17\nfield u = x; a; b; c\nfield r coarse\nborder periodic\n"
                   "%smeasure m = sum(u) every 1 into \"m.csv\"\n",
                   equations);
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &l.program));
    l.program->derived = true;
    REQUIRE_OK(ir_build_grouped(l.program, 1, &l.code));
    return l;
}

static int buffer_of(const ir *code, int field)
{
    const int memory = code->field[field].memory;
    return memory ? memory - 1 : field;
}

TEST(stages_that_read_the_stage_before_form_a_group)
{
    lowered l = grouped_of("a' = u[1]\nb' = a'[1]\nr' = restrict(b')\nu' = b'[1]\n");
    REQUIRE(l.code->groups == 1);
    CHECK_EQ(l.code->group[0].first, 0);
    CHECK_EQ(l.code->group[0].end, 2);
    lowered_free(&l);
}

TEST(a_group_has_three_stages_at_most)
{
    lowered l = grouped_of("a' = u[1]\nb' = a'[1]\nc' = b'[1]\nu' = c'[1]\n"
                           "r' = restrict(u')\n");
    REQUIRE(l.code->groups == 1);
    CHECK_EQ(l.code->group[0].end, 3);
    lowered_free(&l);
}

/* Stage by stage b would be stored over u: no stage reads u any more. */
TEST(a_group_stores_no_buffer_that_it_reads)
{
    lowered l = grouped_of("a' = u[1]\nb' = a'[1]\nr' = restrict(b')\nu' = b'[1]\n");
    const int u = field_number(&l, "u"), b = field_number(&l, "b");
    REQUIRE(l.code->groups == 1);
    CHECK(buffer_of(l.code, b) != buffer_of(l.code, u));
    CHECK(l.code->field[field_number(&l, "a")].within);
    CHECK(!l.code->field[b].within);
    lowered_free(&l);
}

TEST(a_view_counts_each_level_once_and_nothing_within_the_group)
{
    lowered l = grouped_of("a' = u[1] + c\nb' = a'[1] + c\nr' = restrict(b')\n"
                           "u' = b'[1]\nc' = c + 1\n");
    arena *a = arena_new();
    static ir_group_view v;
    pav_status status;
    REQUIRE(a != NULL);
    REQUIRE(l.code->groups > 0);
    ARENA_GUARD(a, status, (ir_view_group(l.code, &l.code->group[0], a, &v), PAV_OK));
    REQUIRE_OK(status);
    CHECK_EQ(v.group.bytes, 3 * 8); /* u and c are read, b is stored */
    CHECK_EQ(v.code.step.count, 2);
    CHECK_EQ(v.code.fields - v.code.group_of, 2);
    arena_free(a);
    lowered_free(&l);
}
