/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of `pavior explain`, in text and in JSON. */
#include "passed.h"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

static const char heat[] = "grid x 12, y 10\nfield u = sin(x)\nparam a = 0.1\n"
                           "u' = u + a*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u)\n"
                           "border u = 0\nmeasure most = max(u)\nsteps 5\n";

static char *explained(const char *source, bool json)
{
    program *p = NULL;
    text t = {0};
    char *result = NULL;

    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &p));
    REQUIRE_OK(ir_explain(p, json, &t));
    REQUIRE_OK(text_take(&t, &result));
    program_free(p);
    return result;
}

static int count_of(const char *where, const char *word)
{
    int count = 0;

    for (; (where = strstr(where, word)); where++)
        count++;
    return count;
}

TEST(the_text_tells_every_pass_once)
{
    char *t = explained(heat, false);

    for (const ir_pass *pass = pass_table; pass->name; pass++) {
        char title[200];
        snprintf(title, sizeof title, "## %s: %s", pass->name, pass->about);
        CHECK_EQ(count_of(t, title), 1);
    }
    CHECK_EQ(count_of(t, "nothing to do"), 4);
    mem_free(t);
}

TEST(the_text_holds_program_code_and_analysis)
{
    char *t = explained(heat, false);

    CHECK(strstr(t, "u' = u + a*("));
    CHECK(strstr(t, "= fma 0.1 "));
    CHECK(strstr(t, "table 0[x+0]"));
    CHECK(strstr(t, "reads u at 5 points, radius x -1 +1, y -1 +1: symmetric star"));
    CHECK(strstr(t, "7 flops a point alone, 7 streamed (5 instructions)"));
    CHECK(strstr(t, "8 bytes a point read, 8 written: 0.438 flops a byte"));
    CHECK(strstr(t, "# border of u at x-, x+, y-, y+: value"));
    CHECK(strstr(t, "max over all points of"));
    CHECK(strstr(t, "u: 2 levels of 12x10 f64"));
    mem_free(t);
}

/* ---- JSON -------------------------------------------------------------------------- */

static const char *skip_value(const char *at);

static const char *skip_space(const char *at)
{
    return at ? at + strspn(at, " \n\t") : NULL;
}

static const char *skip_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if (*at == '\\')
            at++;
        if ((unsigned char)*at < 0x20)
            return NULL;
    }
    return at + 1;
}

static const char *skip_member(const char *at)
{
    at = skip_space(skip_string(at));
    return at && *at == ':' ? skip_value(at + 1) : NULL;
}

static const char *skip_items(const char *at, char close,
                              const char *(*skip)(const char *at))
{
    at = skip_space(at + 1);
    while (at && *at != close) {
        at = skip_space(skip(at));
        if (at && *at == ',')
            at = skip_space(at + 1);
        else if (at && *at != close)
            return NULL;
    }
    return at ? at + 1 : NULL;
}

static const char *skip_number(const char *at)
{
    char *end = NULL;

    (void)strtod(at, &end);
    return end > at ? end : NULL;
}

static const char *skip_value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};

    at = skip_space(at);
    for (int k = 0; at && k < 3; k++)
        if (strncmp(at, words[k], strlen(words[k])) == 0)
            return at + strlen(words[k]);
    if (!at || *at == '"')
        return at ? skip_string(at) : NULL;
    if (*at == '{')
        return skip_items(at, '}', skip_member);
    return *at == '[' ? skip_items(at, ']', skip_value) : skip_number(at);
}

static bool is_json(const char *t)
{
    const char *end = skip_space(skip_value(t));

    return end && *end == '\0';
}

TEST(what_checks_json_tells_good_from_bad)
{
    CHECK(is_json("{\"a\": [1, -2e5, null], \"b\": {}}"));
    CHECK(!is_json("{\"a\": [1 2]}"));
    CHECK(!is_json("{\"a\" 1}"));
    CHECK(!is_json("{\"a\": \"\n\"}"));
    CHECK(!is_json("{} {}"));
}

TEST(the_json_is_one_valid_object)
{
    char *t = explained(heat, true);

    CHECK(is_json(t));
    CHECK_EQ(count_of(t, "\"pass\": "), 7);
    CHECK(strstr(t, "\"shape\": \"star\""));
    CHECK(strstr(t, "\"radius\": [[1, 1], [1, 1]]"));
    mem_free(t);
}

TEST(the_text_names_fields_stored_in_place)
{
    char *t = explained("grid x 9\nfield u = x\nborder periodic\n"
                        "u' = 2*u - prev(u) + 0.1*laplace(u)\n",
                        false);
    CHECK(strstr(t, "u: 2 levels of 9 f64"));
    CHECK(strstr(t, "B, stored in place\n"));
    mem_free(t);
}

static const char poisson[] = "grid x 17, y 12 from 0 to 1\nfield u; f = x*y\n"
                              "solve -laplace(u, order 4) = f + 1 by cg to 1e-8\n"
                              "border odd u\n";

TEST(the_text_shows_the_operator_of_an_equation_to_solve)
{
    char *t = explained(poisson, false);

    CHECK(
        strstr(t, "equation to solve: -laplace(u, order 4) = f + 1 for u by cg to 1e-8"));
    CHECK(strstr(t, "\"left side of solve u\", f64: 150 points\n  reads u at 9 points, "
                    "radius x -2 +2, y -2 +2: symmetric star\n"));
    CHECK(strstr(t, "\"right side of solve u\", f64: 150 points\n  reads f at the point\n"
                    "  1 flops a point alone"));
    CHECK_EQ(count_of(t, "\"left side of solve u\"\n"), 3);
    CHECK(strstr(t, "u: 1 level of 17x12 f64, halo x -1 +1, y -1 +1"));
    mem_free(t);
}

TEST(the_json_shows_the_operator_of_an_equation_to_solve)
{
    char *t = explained(poisson, true);

    CHECK(is_json(t));
    CHECK(strstr(t, "\"solves\": [\n{\"field\": \"u\", \"equation\": "));
    CHECK(strstr(t, "\"method\": \"cg\", \"tolerance\": 1e-8, \"stages\": ["));
    CHECK_EQ(count_of(t, "side of solve u\", \"real\""), 2);
    mem_free(t);
}

TEST(every_catalogue_entry_is_explained_both_ways)
{
    for (int k = 0; catalogue_small(k); k++) {
        text word = {0};
        REQUIRE_OK(catalogue_text(catalogue_small(k), &word));
        char *t = explained(word.data, false), *json = explained(word.data, true);
        CHECK(strstr(t, "# memory"));
        CHECK(is_json(json));
        mem_free(t);
        mem_free(json);
        text_free(&word);
    }
}
