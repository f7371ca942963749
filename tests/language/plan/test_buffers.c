/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields are stored in place if dependences permit it. Derived programs (of an equation
 * to solve) need even fewer buffers: fields share memory, or overwrite a level after its
 * last read. */
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

TEST(programs_that_people_write_share_no_buffers)
{
    lowered l = made_of("a' = u[1] + 1\nb' = a'[1]\nc' = b'[1]\nu' = c'[1]\n", false);
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

/* ---- programs that people write ---------------------------------------------------- */

/* The levels of the fields u and v, as the number uv; equations and observers given. */
static int levels_of(const char *lines)
{
    char source[512];
    lowered l = {0};
    (void)snprintf(source, sizeof source,
                   "grid x 17\nfield u = x; v; c = x\nborder periodic\n%s", lines);
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &l.program));
    REQUIRE_OK(ir_build(l.program, NULL, &l.code));
    const int levels = 10 * field_of(&l, "u")->levels + field_of(&l, "v")->levels;
    lowered_free(&l);
    return levels;
}

TEST(the_oldest_level_of_a_wave_is_stored_over)
{
    CHECK_EQ(levels_of("u' = 2*u - prev(u) + u[1]\nv' = v[1]\n"), 22);
    CHECK_EQ(levels_of("u' = 2*u - prev(u)[1]\nv' = v[1]\n"), 32);
}

TEST(staggered_fields_have_one_buffer_each)
{
    CHECK_EQ(levels_of("u' = u + v[1] - v\nv' = v + u' - u'[-1]\n"), 11);
    CHECK_EQ(levels_of("u' = u + v[1] - v\nv' = v + u - u[-1]\n"), 22);
    CHECK_EQ(levels_of("u' = u + v[1] - v\nv' = v + u'[1] - u\n"), 21);
}

TEST(a_field_without_a_read_of_its_old_value_has_one_buffer)
{
    CHECK_EQ(levels_of("v' = u[1] - u\nu' = u + v'[1]\n"), 11);
}

TEST(a_level_that_is_read_after_the_store_keeps_its_buffer)
{
    CHECK_EQ(levels_of("v' = v\nu' = u + v'[1]\nmeasure m = sum(u - prev(u)) every 1 "
                       "into \"m.csv\"\n"),
             21);
    CHECK_EQ(levels_of("u' = u\nv' = v\ninject u into v at (3)\n"), 21);
    CHECK_EQ(levels_of("u' = u\nv' = v\ninject u' into v at (3)\n"), 11);
    CHECK_EQ(levels_of("u' = u - prev(u)\nv' = v\nmeasure m = sum(u - prev(u)) every 1 "
                       "into \"m.csv\"\n"),
             21);
}

TEST(a_level_with_initial_values_keeps_its_buffer_if_its_read_folds_away)
{
    CHECK_EQ(
        levels_of("u' = u\nv' = v\nmeasure m = sum(where(prev(u) < 1 or 2 > 1, v, 2)) "
                  "every 1 into \"m.csv\"\n"),
        21);
}

TEST(levels_of_the_catalogue)
{
    static const struct {
        const char *word;
        int levels; /* of all updated fields together */
    } known[] = {{"wave2d@21x15", 2},    {"wave2d:order=4,absorb=5,layer=pml@22x19", 6},
                 {"elastic2d@20x20", 5}, {"maxwell2d@20x20", 3},
                 {"heat2d@20x20", 2},    {"grayscott2d@20x20", 4}};
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        lowered l = {0};
        text t = {0};
        int levels = 0;
        REQUIRE_OK(catalogue_text(known[n].word, &t));
        REQUIRE_OK(program_parse(t.data, t.length, NULL, &l.program));
        REQUIRE_OK(ir_build(l.program, NULL, &l.code));
        for (int64_t f = 0; f < l.code->fields; f++)
            levels += l.code->field[f].updated ? l.code->field[f].levels : 0;
        CHECK_EQ(levels, known[n].levels);
        lowered_free(&l);
        text_free(&t);
    }
}
