/* SPDX-License-Identifier: BSD-3-Clause */
/* The canonical form is short, and parsing and printing it again gives the same text. */
#include "parse_helper.h"

#define SAME(expression) CHECK_STR(canonical_expression(expression), expression)

TEST(parentheses_stay_where_they_are_needed)
{
    SAME("-u^2");
    SAME("(-u)^2");
    SAME("a - (b - c)");
    SAME("a/(b*c)");
    SAME("a*(b/c)");
    SAME("(a + b)*c");
    SAME("2^-u");
    SAME("(a^b)^c");
    SAME("-(a + b)");
    SAME("a - -b");
    SAME("--a");
    SAME("a*-b");
    SAME("(-a)^-b^c");
}

TEST(parentheses_go_where_they_are_not)
{
    CHECK_STR(canonical_expression("((a)) + (b*c)"), "a + b*c");
    CHECK_STR(canonical_expression("(a - b) - c"), "a - b - c");
    CHECK_STR(canonical_expression("a^(b^c)"), "a^b^c");
    CHECK_STR(canonical_expression("-(a^b)"), "-a^b");
    CHECK_STR(canonical_expression("(-a)*b"), "-a*b");
    CHECK_STR(canonical_expression("+a + +b"), "a + b");
}

TEST(conditions_keep_their_structure)
{
    SAME("where(not a < b and c > 1 or u == 2, 1, 0)");
    SAME("where(not (a < b and c > 1), 1, 0)");
    SAME("where(a < b and (c < 1 or u != 2), 1, 0)");
    SAME("where(not (not a < b), 1, 0)");
    SAME("where(a < b or (b < c or c < a), 1, 0)");
    CHECK_STR(canonical_expression("where((a<b) and not c>=2, 1, 0)"),
              "where(a < b and not c >= 2, 1, 0)");
}

TEST(functions_are_parsed_and_printed)
{
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        const function_info *row = &function_table[f];
        char call[64];
        snprintf(call, sizeof call, "%s(%s%s)", row->name,
                 row->arguments == 3   ? "u > 1, v, "
                 : row->arguments == 2 ? "u, "
                                       : "",
                 "v");
        if (!function_draws((function_kind)f)) /* a seed is constant */
            SAME(call);
    }
}

/* docs/language.md has a row for each function, with the phrase of the table. */
TEST(functions_are_documented)
{
    char *page = NULL, row[160];
    int64_t length;

    REQUIRE_OK(file_read(TEST_SOURCE "/docs/language.md", 1 << 20, &page, &length));
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        snprintf(row, sizeof row, "\n| `%s(", function_table[f].name);
        const char *at = strstr(page, row);
        REQUIRE(at);
        const char *value = strstr(at, " | ");
        REQUIRE(value);
        CHECK(strncmp(value + 3, function_table[f].about,
                      strlen(function_table[f].about)) == 0);
    }
    mem_free(page);
}

TEST(shifts_follow_what_they_move)
{
    SAME("u[1] + (u + v)[-1]");
    SAME("prev(u)[2] + prev(u, 3)[1][1]");
    SAME("(-u)[1]");
    SAME("f(u)[1] + x[-1]");
    CHECK_STR(canonical_expression("(u)[ 2-1 ]"), "u[1]");
}

TEST(numbers_are_normalised)
{
    CHECK_STR(canonical_expression("0.10*u + .50 + 1e0 + 2.000"), "0.1*u + 0.5 + 1 + 2");
    CHECK_STR(canonical_expression("100E-2*u"), "1*u");
}

TEST(derivatives_state_only_what_differs_from_the_default)
{
    CHECK_STR(canonical_expression("dx(u, order 2) + laplace(u,order 4)"),
              "dx(u) + laplace(u, order 4)");
    SAME("dx(u, order 4, at -1/2)");
    SAME("dxxx(u, at +1/2)");
}

TEST(a_statement_takes_a_line)
{
    CHECK_STR(
        canonical(
            "grid x 4,y 5 spacing .50;real f32 stored f32\nparam a=1;b=2\nfield u,v=3\n"
            "u'=a*u ; border  = 0 at y-,x-\nborder v periodic\nsteps 2*3"),
        "grid x 4, y 5 spacing 0.5\nreal f32\nparam a = 1\nparam b = 2\nfield u\nfield v "
        "= 3\n"
        "u' = a*u\nborder = 0 at x-, y-\nborder periodic v\nsteps 2*3\n");
}

/* True if the canonical text is its own canonical text. */
static bool returns(const char *source)
{
    const char *first = canonical(source), *second = canonical(first);
    if (strcmp(first, second) != 0)
        printf("%s---- becomes\n%s", first, second);
    return strcmp(first, second) == 0;
}

TEST(every_statement_returns)
{
    CHECK(returns(
        "grid x 9 from 0 to 1, y 9 from -1 to 1\nreal f32 stored bf16 flushed below "
        "1e-30\nscalar s = 1/3\n"
        "let f(a, b) = a*b[1,0]; let g = f(x, y)\nfield u stored f16 = \"u 1.npy\"\n"
        "field w; prev(u) = g; prev(u, 2) = random(3)\n"
        "stencil k { [1,0] s, [-1,0] -s }\nstencil m { centre 1, edge 0 }\n"
        "stencil b { box 1,2,1,2,4,2,1,2,1 }\nu' = k(m(b(u))) + prev(u, 2)\n"
        "w' = u'[1,1] + sum(u)\nborder u = t at x-\nborder u = 0 beyond x+, y-, y+\n"
        "border clamp w\nborder neumann u = 3 at y+\n"
        "absorb 2 cells strength 0.5 at y-\nmask x < 0.5\nmask u = \"m.npy\"\n"
        "inject ricker(3, t) into u at (0.5, 0), (1, 1)\n"
        "sample u at (0.1, 0.2) by sinc every 3 into \"s.npy\"\n"
        "measure e = norm(u)/nx every 2 into \"e.csv\"\nuntil e < 1e-3 every 5\nsteps "
        "10\n"
        "output u every 2 into \"u.png\" range 0 to 1 colours grey\n"
        "output u every 2 into \"v.png\" range over frames contours 5 arrows u, w\n"
        "output w every 2 into \"x.png\" streamlines w, u size 2\n"
        "output w every 2 into \"w.apng\" range each frame contours at 1/3, 1 size 2\n"
        "expect e < 1 and max(prev(u)) > 0\n"));
}

TEST(layers_solves_and_coarse_fields_return)
{
    CHECK(returns("grid x 9, y 9\ncoarse 1 to 3 along y\ncoarse 4 along x, y\n"
                  "field u, c coarse 2\nu' = u\nc' = c"));
    CHECK(returns(
        "grid x 9\nfield u, f = x\nfield c coarse = 1\nborder odd u; border mirror c\n"
        "border f clamp\nc' = restrict(f) + f[1] + c[1]\nf' = interpolate(c)\n"
        "absorb 2 cells\nsolve -laplace(u) + 3*u = f for u by auto to 1e-6"));
    CHECK(returns("grid x 9\nfield a; b\nborder a, b = 0\n"
                  "solve { a' - dxx(b') = a\n\n b' - a' = 1; } for a, b by cg to 1e-6"));
}

TEST(a_setting_shows_in_the_canonical_form)
{
    const char *const set[] = {"a=2^7", NULL};
    const pav_program_options options = {.set = set};
    const char *source = "param a = 1\ngrid x a\nfield u\nu' = u\n";
    program *p = NULL;
    text t = {0};
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), &options, &p));
    program_print(p, &t);
    CHECK_STR(t.data, "param a = 2^7\ngrid x a\nfield u\nu' = u\n");
    text_free(&t);
    program_free(p);
}

TEST(equal_programs_have_equal_identities)
{
    program *a = parse_good("grid x 4 # four\nfield u;u' = (u)"),
            *b = parse_good("grid x 4\nfield u\nu' = u\n"),
            *c = parse_good("grid x 5\nfield u\nu' = u\n");
    uint64_t one, same, other;
    REQUIRE_OK(program_identity(a, &one));
    REQUIRE_OK(program_identity(b, &same));
    REQUIRE_OK(program_identity(c, &other));
    CHECK(one == same);
    CHECK(one != other);
    program_free(a);
    program_free(b);
    program_free(c);
}

TEST(random_programs_return)
{
    rng r = {20};
    for (int i = 0; i < 300; i++) {
        text t = {0};
        random_program(&r, 500, &t);
        CHECK(returns(t.data));
        text_free(&t);
    }
}

TEST(the_whole_catalogue_returns)
{
    for (int i = 0; catalogue_small(i); i++) {
        text t = {0};
        REQUIRE_OK(catalogue_text(catalogue_small(i), &t));
        CHECK(returns(t.data));
        text_free(&t);
    }
}

TEST(an_injection_into_several_fields_is_one_for_each)
{
    CHECK_STR(canonical("grid x 10\nfield a, b; c\na' = a\nb' = b\nc' = c\n"
                        "inject t into a, b, c at (3), (4.5) by sinc\n"),
              "grid x 10\nfield a\nfield b\nfield c\na' = a\nb' = b\nc' = c\n"
              "inject t into a at (3), (4.5) by sinc\n"
              "inject t into b at (3), (4.5) by sinc\n"
              "inject t into c at (3), (4.5) by sinc\n");
    CHECK(mistaken("grid x 10\nfield a, c coarse\na' = a\nc' = c\n"
                   "inject t into a, c at (3)",
                   "'c' is coarse"));
}

TEST(an_output_of_an_expression_has_a_name)
{
    CHECK_STR(canonical("grid x 10\nfield a, b\na' = a\nborder a = 0\n"
                        "output sqrt(a^2 + dx(a)) as speed every 3 into \"s.png\" "
                        "label \"v (m/s)\"\noutput a as copy\noutput a\n"),
              "grid x 10\nfield a\nfield b\na' = a\nborder a = 0\n"
              "output sqrt(a^2 + dx(a)) as speed every 3 into \"s.png\" "
              "label \"v (m/s)\"\noutput a as copy\noutput a\n");
    CHECK_STR(canonical("param dt = 2\ngrid x 10\nfield a, b\na' = a\n"
                        "output a, b as v every 3 time into \"s.vti\"; output b, a into "
                        "\"s.h5\"\n"),
              "param dt = 2\ngrid x 10\nfield a\nfield b\na' = a\n"
              "output a, b as v every 3 time into \"s.vti\"\noutput b, a into "
              "\"s.h5\"\n");
    CHECK(mistaken(LINE "output max(u)", "an expression is written under a name"));
    CHECK(mistaken(LINE "output u + 1 as u", "'u' is declared already"));
    CHECK(mistaken(LINE "output u' + 1 as v", "u' cannot stand in an output"));
    CHECK(
        mistaken(LINE "output u label \"u\"", "'label' is of the colours of a picture"));
}

TEST(a_reduction_of_a_part_is_one_of_a_choice)
{
    CHECK_STR(canonical("grid x 10\nfield u\nmeasure m = sum(u where x > 3) + "
                        "max(u^2 where x < 2 or x > 8)\n"),
              "grid x 10\nfield u\nmeasure m = sum(where(x > 3, u, 0)) + "
              "max(where(x < 2 or x > 8, u^2, -3e38))\n");
    CHECK(mistaken(LINE "u' = abs(u where x > 3)", "a comma, or an operator"));
}
