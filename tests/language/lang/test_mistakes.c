/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes: place, line, caret, the nearest word, and one message for one mistake. */
#include "parse_helper.h"

TEST(a_mistake_shows_its_line_and_a_caret)
{
    program *p = NULL;
    const pav_program_options options = {.name = "heat3d.pav"};
    const char *source = "grid x 9\nfield u\nborder u = 0\nu' = uu + 1\n";
    CHECK_STATUS(program_parse(source, (int64_t)strlen(source), &options, &p),
                 PAV_ESYNTAX);
    CHECK_STR(pav_message(), "heat3d.pav:4:6: unknown name 'uu'; did you mean 'u'?\n"
                             "    u' = uu + 1\n"
                             "         ^~");
    CHECK(p == NULL);
}

TEST(columns_count_characters_and_tabs_are_blanks)
{
    CHECK(mistaken(LINE "\tu' =\tuu # \xc3\xa9",
                   "text:4:7: unknown name 'uu'; did you mean 'u'?\n"
                   "     u' = uu # \xc3\xa9\n"
                   "          ^~"));
    CHECK(mistaken(LINE "u' = u; output u into \"\xc3\xa9\xc3\xa9\" evry 3",
                   "text:4:28: 'evry'"));
}

TEST(a_long_line_is_shown_in_part)
{
    static char source[1000] = LINE "u' = ";
    for (int i = 0; i < 60; i++)
        strcat(source, "u + ");
    strcat(source, "uu + ");
    for (int i = 0; i < 60; i++)
        strcat(source, "u + ");
    strcat(source, "u");
    CHECK(mistaken(source, "text:4:246: unknown name 'uu'"));
    CHECK(mistaken(source, "\n    ...+ u + u"));
    CHECK(mistaken(source, "+ uu + u + u"));
    CHECK(strlen(pav_message()) < 300);
}

TEST(several_mistakes_come_in_order_and_one_each)
{
    CHECK(mistakes_are(LINE "u' = uu + vv\nparam a = 1 +\nsteps 0\n", 4));
    CHECK(mistaken(LINE "field v = (1 + 2\nu' = u\nsteps 0\n", "'(' at 4:11"));
    CHECK(mistaken(LINE "field v = (1 + 2\nu' = u\nsteps 0\n",
                   "text:6:7: the number of steps"));
}

TEST(a_failed_declaration_still_declares)
{
    CHECK(mistakes_are(
        LINE "param a = foo\nlet b = a + 1\nfield c = b +\nu' = a + b + c\n", 2));
    CHECK(mistakes_are("grid x 0\nfield u = x\nparam a = h*nx\nu' = a*dx(u)\n", 1));
    CHECK(mistakes_are(LINE "stencil s { [1 1 }\nu' = s(u)\n", 1));
}

TEST(an_unclosed_bracket_ends_with_its_statement)
{
    CHECK(mistakes_are(LINE "u' = (u + 1\nborder u = 0\n", 1));
    CHECK(mistakes_are(LINE "stencil s { [1] 1\nu' = u\n", 1));
    CHECK(mistakes_are(LINE "u' = u[1\nv' = 2\n", 2));
}

TEST(twenty_mistakes_are_reported_and_no_more)
{
    static char source[2000] = LINE;
    for (int i = 0; i < 30; i++)
        strcat(source, "u' = qq + \n");
    CHECK(mistakes_are(source, MAX_MISTAKES));
    CHECK(mistaken(source, "more mistakes follow"));
}

TEST(the_nearest_word_is_of_the_right_kind)
{
    CHECK(mistaken("gird x 10\n", "did you mean 'grid'?"));
    CHECK(mistaken(LINE "u' = lapalce(u)", "did you mean 'laplace'?"));
    CHECK(mistaken(LINE "u' = u\noutput u evry 3", "did you mean 'every'?"));
    CHECK(mistaken(LINE "u' = u\nborder perodic", "did you mean 'periodic'?"));
    CHECK(mistaken(LINE "u' = u\nsolve u = 1 by jakobi to 1", "did you mean 'jacobi'?"));
    CHECK(mistaken(LINE "field speed\nu' = sped*u", "did you mean 'speed'?"));
}

TEST(a_text_that_is_none_is_refused_once)
{
    program *p = NULL;
    CHECK(mistaken("", "empty"));
    CHECK(mistaken("\n# nothing\n", "empty"));
    CHECK(mistaken(LINE "u' = \xff\xfe", "text:4:6: the description is not UTF-8"));
    CHECK(mistaken(LINE "u' = \a", "text:4:6: the byte 0x07"));
    CHECK_STATUS(program_parse("grid x 1\0", 9, NULL, &p), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "the byte 0x00") != NULL);
}

TEST(a_text_that_is_too_large_is_refused)
{
    program *p = NULL;
    char *source = malloc(MAX_SOURCE + 1);
    REQUIRE(source != NULL);
    memset(source, '#', MAX_SOURCE + 1);
    CHECK_STATUS(program_parse(source, MAX_SOURCE + 1, NULL, &p), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "4194305 bytes") != NULL);
    memset(source, '(', MAX_SOURCE);
    CHECK_STATUS(program_parse(source, MAX_SOURCE, NULL, &p), PAV_ESYNTAX);
    free(source);
}

/* The description u' = open open ... u ... close close, with `count` of each. */
static const char *nested(const char *open, int count, const char *close)
{
    static char source[100000];
    strcpy(source, LINE "u' = ");
    for (int i = 0; i < count; i++)
        strcat(source, open);
    strcat(source, "u");
    for (int i = 0; i < count; i++)
        strcat(source, close);
    return source;
}

TEST(a_product_without_a_star_is_recognised)
{
    CHECK(
        mistaken("grid x 9\nfield u\nu' = (u) (u)", "a product is written (...)*(...)"));
    CHECK(mistaken("grid x 9\nfield u\nu' = u pi", "a product is written u*pi"));
    CHECK(mistaken("grid x 9\nfield u\nmeasure a = u[0] where x == 0",
                   "'where' is not expected here\n"));
    CHECK(
        mistaken("grid x 9\nfield u\nu += 1", "begins with a statement, such as u' = "));
}

TEST(deep_nesting_is_a_mistake_and_no_crash)
{
    CHECK(mistaken(nested("(", 5000, ")"), "nested deeper than 200"));
    CHECK(mistaken(nested("-", 5000, ""), "nested deeper than 200"));
    CHECK(mistaken(nested("sqrt(", 5000, ")"), "nested deeper than 200"));
    CHECK(mistaken(nested("u^", 5000, ""), "nested deeper than 200"));
    CHECK(mistaken(nested("", 5000, "[1]"), "more than 200 marks"));
    CHECK(mistaken(nested("u+", 20000, ""), "longer than 20000 terms"));
    CHECK(strlen(canonical(nested("u+", 9000, ""))) > 36000);
}

TEST(lets_that_explode_when_written_out_are_a_mistake)
{
    static char source[10000] = LINE "let a0 = u\n";
    for (int i = 1; i < 60; i++)
        (void)snprintf(source + strlen(source), 100, "let a%d = a%d*a%d\n", i, i - 1,
                       i - 1);
    strcat(source, "u' = a59");
    CHECK(mistaken(source, "written out"));
    CHECK(mistaken(
        LINE "u' = dxx(dxx(dxx(dxx(u, order 32), order 32), order 32), order 32)\n"
             "let a = dxx(dxx(dxx(dxx(dxx(u, order 32), order 32), order 32), order 32))",
        "written out"));
}

TEST(words_of_other_systems_name_the_word_of_this_one)
{
    CHECK(mistaken(LINE "u' = laplacian(u)", "written laplace(u)"));
    CHECK(mistaken(LINE "u' = gradient(u)", "written grad(u)"));
    CHECK(mistaken(LINE "u' = divergence(u)", "written div(u)"));
    CHECK(mistaken(LINE "u' = u*time", "the time is written t"));
    CHECK(mistaken(LINE "source u at (3)", "a source is written inject"));
    CHECK(mistaken(LINE "receiver u at (3)", "a receiver is written sample"));
    CHECK(mistaken(LINE "boundary u = 0", "written border u = 0"));
    CHECK(mistaken(LINE "dirichlet u = 0", "a given value is written border u = 0"));
    CHECK(mistaken(LINE "plot u", "a picture is written output u"));
    CHECK(mistaken(LINE "time 3", "steps 100 says"));
}

TEST(equations_and_unknowns_of_a_solve_must_fit)
{
#define PAIR LINE "field v\nborder v = 0\nsolve { "
#define BY " by cg to 1e-3"
    CHECK(
        mistaken(PAIR "u - v = 1; v = 2 } for u" BY, "2 equations for 1 unknown: each"));
    CHECK(mistaken(PAIR "u - v = 1 } for u, v" BY, "1 equation for 2 unknowns: each"));
    CHECK(mistaken(PAIR "u - v = 1; v = 2 }" BY, "'for a, b' after two equations"));
    CHECK(mistaken(PAIR "u = v; 1 = v } for u, v" BY, "holds none of the unknowns"));
    CHECK(mistaken(PAIR "u = v; 2*u = v } for u, v" BY, "no left side holds v, which"));
    CHECK(mistaken(PAIR "u' - v = 1; u' = 2 } for u, v" BY,
                   "no left side holds v', which"));
    CHECK(mistaken(PAIR "u*v = 1; v = 2 } for u, v" BY, "linear in all unknowns"));
    CHECK(mistaken(PAIR "u + v = 1; v = 2 } for u, u" BY, "in line 6 already"));
#undef PAIR
#undef BY
}

TEST(solves_that_read_each_other_s_new_values_are_told_to_be_one)
{
    const char *pair = LINE
        "field v\nborder v = 0\nsolve u' - laplace(v') = u%s by cg to "
        "1e-3\nsolve v' - laplace(u) = v by cg to 1e-3";
    char source[300];
    (void)snprintf(source, sizeof source, pair, "");
    CHECK(mistaken(source, "'for a, b' after two equations"));
    (void)snprintf(source, sizeof source, pair, " for u");
    CHECK(mistaken(source, "v' is an unknown of another solve, in line 7: read v, of the "
                           "step before, or make both one"));
}
