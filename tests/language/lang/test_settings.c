/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings from outside replace the values of params and scalars, and change nothing
 * else. */
#include "parse_helper.h"

static const char description[] =
    "param n = 10\nparam a = 0.1; b = 2*a\nscalar s = 1\ngrid x n\n"
    "field u\nparam m = max(u)\nu' = u*(a + b + s)\n";

static pav_status parse_set(const char *first, const char *second, program **p)
{
    const char *const set[] = {first, second, NULL};
    const pav_program_options options = {.set = set, .name = "d.pav"};
    return program_parse(description, (int64_t)strlen(description), &options, p);
}

static bool refused(const char *set, const char *part)
{
    program *p = NULL;
    const pav_status status = parse_set(set, NULL, &p);
    program_free(p);
    return status == PAV_EINVAL && strstr(pav_message(), part) != NULL;
}

TEST(a_setting_replaces_a_value_and_what_follows_from_it)
{
    program *p = NULL;
    REQUIRE_OK(parse_set("a=1/3", "n = 2^7", &p));
    CHECK_EQ(num_equal(symbol_named(&p->params, "b")->number, num_ratio(2, 3)), true);
    CHECK_EQ(symbol_named(&p->params, "a")->overridden, true);
    CHECK_EQ(symbol_named(&p->params, "b")->overridden, false);
    CHECK_EQ(p->axis[0].points, 128);
    program_free(p);
}

TEST(the_last_setting_of_a_name_holds)
{
    program *p = NULL;
    REQUIRE_OK(parse_set("s=4", "s=5", &p));
    CHECK_EQ(num_equal(symbol_named(&p->scalars, "s")->number, num_int(5)), true);
    program_free(p);
}

TEST(a_value_known_only_at_the_start_can_be_set)
{
    program *p = NULL;
    REQUIRE_OK(parse_set("m=3", NULL, &p));
    CHECK_EQ(symbol_named(&p->params, "m")->constant, true);
    program_free(p);
}

TEST(a_setting_may_use_what_is_declared_before)
{
    program *p = NULL;
    REQUIRE_OK(parse_set("a=n/5", NULL, &p));
    CHECK_EQ(num_equal(symbol_named(&p->params, "a")->number, num_int(2)), true);
    program_free(p);
}

TEST(unknown_names_are_reported_with_the_nearest)
{
    CHECK(refused("aa=1", "did you mean 'a'?"));
    CHECK(refused("speed=1", "d.pav has no such param or scalar"));
    CHECK(refused("u=1", "which is a field; only params and scalars can be set"));
    static const char table[] = "grid x 9\nparam k = [1, 2]\nfield u\nu' = k[0]*u";
    const pav_program_options options = {.set = (const char *const[]){"k=1", NULL}};
    program *p = NULL;
    CHECK_STATUS(program_parse(table, (int64_t)strlen(table), &options, &p), PAV_EINVAL);
    CHECK(strstr(pav_message(), "did you mean 'k.x'?"));
}

TEST(values_must_be_constant_numbers)
{
    CHECK(refused("a=0..2", "0..2"));
    CHECK(refused("a=1 2", "'2' is not expected there"));
    CHECK(refused("a=0,1", "a fraction is written with a point, as in 0.1"));
    CHECK(refused("a=foo", "unknown name 'foo'"));
    CHECK(refused("a=1/0", "the divisor is 0"));
    CHECK(refused("a=1<2", "a number is needed"));
    CHECK(refused("a=x", "differs from point to point"));
    CHECK(refused("a=1\n2", "control characters"));
    CHECK(refused("a=\xff", "not UTF-8"));
}

TEST(a_setting_reads_name_equals_value)
{
    CHECK(refused("a", "must read name=value"));
    CHECK(refused("a=", "must read name=value"));
    CHECK(refused("=1", "must read name=value"));
    CHECK(refused("", "must read name=value"));
}

TEST(a_value_that_does_not_fit_is_reported_where_it_is_used)
{
    program *p = NULL;
    CHECK_STATUS(parse_set("n=2.5", NULL, &p), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "d.pav:4:8: the extent of the axis x") != NULL);
}
