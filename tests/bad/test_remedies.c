/* SPDX-License-Identifier: BSD-3-Clause */
/* Habits from other languages: the message names the notation of this language. */
#include "bad_helper.h"

#define HEAT "grid x 10, y 10\nfield u\n"

TEST(signs_of_other_languages_have_a_remedy)
{
    static const bad rows[] = {
        {HEAT "u' = u + 0.1 laplace(u)", "3:14", "a product is written 0.1*laplace"},
        {HEAT "u' = u**2", "3:7", "a power is written ^"},
        {HEAT "u' = u << 2", "3:8", "move up by shl(a, b)"},
        {HEAT "u' = where(u > 1 && u < 2, 1, 0)", "3:18", "written 'and', not '&&'"},
        {HEAT "u' = where(u > 1 || u < 2, 1, 0)", "3:18", "written 'or', not '||'"},
        {HEAT "u' = where(!(u > 1), 1, 0)", "3:12", "written 'not', not '!'"},
        {HEAT "u' = where(u = 1, 1, 0)", "3:14", "equality is written =="},
        {HEAT "u' == u", "3:4", "an equation is written with ="},
        {HEAT "u' = u // as it is", "3:8", "a comment begins with #"},
        {HEAT "u' = u > 1 ? 1 : 0", "3:12", "where(condition, a, b)"},
        {HEAT "u' = where(u ~= 1, 1, 0)", "3:14", "unequal is written !="},
        {HEAT "u' = where(u /= 1, 1, 0)", "3:14", "unequal is written !="},
        {HEAT "u' = u.*u", "3:7", "a product is written *, not '.*'"},
        {HEAT "u' += 1", "3:4", "such as u' = u + a, not u += a"},
        {HEAT "param a: 3\nu' = u", "3:8", "a value is given with ="},
        {HEAT "% a comment\nu' = u", "3:1", "a comment with #"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(signs_that_look_like_those_of_the_keyboard_have_a_remedy)
{
    static const bad rows[] = {
        {HEAT "u' = u \xe2\x88\x92 1", "3:8", "write -"},
        {HEAT "u' = 2\xc3\x97u", "3:7", "a product is written *"},
        {HEAT "u' = u\xc2\xb2", "3:7", "a square is written ^2"},
        {HEAT "u\xe2\x80\x99 = u", "3:2", "with a plain '"},
        {HEAT "output u into \xe2\x80\x9cu.npy\xe2\x80\x9d", "3:15", "plain quotes"},
        {HEAT "u' = u\xef\xbc\x8b\x31", "3:7", "full-width character; write +"},
        {HEAT "u' =\xc2\xa0u", "3:5", "write a plain one"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(calls_of_other_systems_have_a_remedy)
{
    static const bad rows[] = {
        {HEAT "u' = laplace(u, 4)", "3:6", "written laplace(u, order 4)"},
        {HEAT "u' = dxxyyx(u)", "3:6", "a derivative of a derivative"},
        {HEAT "u' = u\nborder dirichlet", "4:8", "written border u = 0"},
        {HEAT "u' = u\nborder u dirichlet", "4:10", "written border u = 0"},
        {HEAT "u' = dt*u", "3:6", "param dt = ..."},
        {HEAT "u' = u[1 0]", "3:10", "a comma, or an operator such as *, is missing"},
        {HEAT "u' = u\nsample u at (1 2)", "4:16", "a comma"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(a_choice_has_a_remedy_that_works)
{
    static const bad rows[] = {
        {HEAT "if u > 1 then u' = 0", "3:1", "as in u' = where(u > 1, 0, u)"},
        {HEAT "u' = if u > 1 then 0 else u", "3:6", "as in where(u > 1, 0, u)"},
        {HEAT "u' = u if u > 1 else 0", "3:8", "as in where(u > 1, 0, u)"},
        {HEAT "u' = if u > 1", "3:6", "as in where(u > 1, 0, u)"},
    };
    check_refused(rows, COUNT_OF(rows));
    CHECK(!strstr(pav_message(), "if*u"));
}

TEST(equations_and_borders_of_other_systems_have_a_remedy)
{
    static const bad rows[] = {
        {HEAT "u' = u[i+1,j]", "3:8", "a neighbour has no index: u[1]"},
        {HEAT "u' = np.sin(u)", "3:6", "a function is written sin(...)"},
        {HEAT "u' = u.laplace", "3:6", "a function is written laplace(...)"},
        {HEAT "u' = roll(u, 1)", "3:6", "a neighbour is written u[1]"},
        {HEAT "u = u + 1", "3:1", "such as u' = ... for a new value"},
        {HEAT "u[t+1] = u[t]", "3:1", "such as u' = ... for a new value"},
        {HEAT "u_t = u", "3:1", "as in u' = u + dt*laplace(u)"},
        {HEAT "u' - laplace(u') = u", "3:4", "solve u' - dt*laplace(u') = u by auto"},
        {HEAT "u' = u\nborder u = 0 on x-", "4:14", "as in border u = 0 at x-, x+"},
        {HEAT "u' = u\nborder periodic x", "4:17", "'at' or 'beyond' is missing"},
        {HEAT "u' = u\nborder dx(u) = 0", "4:8", "border neumann u = 0"},
        {HEAT "u' = u\nsteps = 10", "4:7", "write no '='"},
        {HEAT "u' = u\noutput u every 10 steps", "4:19", "every 10 counts steps"},
        {HEAT "u' = u\nassert max(u) < 1", "4:1", "by expect max(u) < 1"},
        {HEAT "u' = 1.0d0*u", "3:6", "an exponent 1e3"},
        {HEAT "u' = rand()", "3:6", "written uniform(seed)"},
    };
    check_refused(rows, COUNT_OF(rows));
    CHECK(!strstr(pav_message(), "nothing stands"));
}

TEST(numbers_that_are_none_are_told_as_what_they_are)
{
    static const bad rows[] = {
        {"grid x 0x10\nfield u\nu' = u", "1:8", "numbers are decimal"},
        {HEAT "u' = 1e*u", "3:6", "the exponent of 1 is missing"},
        {HEAT "u' = u\nsteps 99999999999999999999", "4:7",
         "too large: it is 1e+20, and at most 9223372036854775807"},
        {"grid x 1e19\nfield u\nu' = u", "1:8", "too large"},
        {"grid x 1e18\nfield u\nu' = u", "1:1",
         "the grid is too large: its 1e+18 points need about 13.9 EiB of memory, "},
        {"grid x 1e6, y 1e6, z 1e6\nfield u\nu' = u", "1:1", " points would fit"},
        {"grid x 1e9, y 1e9, z 1e9\nfield u\nu' = u", "1:1",
         "its 1e+27 points need about 6.94e+09 EiB of memory, "},
        {HEAT "field v coarse coarse\nu' = u", "3:16", "'coarse' is given twice"},
        {HEAT "field v stored f32 stored f32\nu' = u", "3:20", "'stored' is given twice"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(what_others_write_has_its_counterpart)
{
    static const bad rows[] = {
        {"grid 8x8\nfield u\nu' = u", "1:6", "an axis stands before its extent"},
        {"grid x=8\nfield u\nu' = u", "1:7", "an extent follows its axis without '='"},
        {HEAT "u'' = u", "3:3", "the value after a step, u' = ..."},
        {HEAT "du/dt = u", "3:1", "as in u' = u + dt*laplace(u)"},
        {HEAT "u' = u\noutput u to \"u.npy\"", "4:10", "'into' is missing"},
        {HEAT "u' = u\noutput u \"u.npy\"", "4:10", "'into' is missing"},
        {HEAT "u' = u\nmeasure max(u)", "4:9", "as in measure m = max(u)"},
        {HEAT "param a = 1,5\nu' = u", "3:12", "decimals follow a point: 1.5"},
        {HEAT "param a = 1, b = 2\nu' = u", "3:12", "another statement follows"},
        {HEAT "real double\nu' = u", "3:6", "f64 (double)"},
        {HEAT "u' = u\nif x > 3", "4:1", "where(condition, a, b)"},
        {HEAT "u' = u /* c */", "3:8", "a comment begins with #"},
        {HEAT "u' = u \\\n+ 1", "3:8", "a line goes on behind an operator"},
        {"grid x 8\rfield u\r", "1:9", "a carriage return (0x0d) stands here alone"},
    };
    check_refused(rows, COUNT_OF(rows));
}

static void check_no_suggestion(const char *source)
{
    CHECK_STATUS(parse_bytes(source, strlen(source)), PAV_ESYNTAX);
    CHECK(!strstr(pav_message(), "did you mean"));
    if (strstr(pav_message(), "did you mean"))
        printf("---- said:\n%s\n", pav_message());
}

TEST(only_what_fits_the_place_is_suggested)
{
    static const bad rows[] = {
        {HEAT "u' = Sin(u)", "3:6", "did you mean 'sin'?"},
        {HEAT "u' = PI*u", "3:6", "did you mean 'pi'?"},
        {HEAT "let pulse(s) = s\nu' = puls(u)", "4:6", "did you mean 'pulse'?"},
        {HEAT "output U", "3:8", "did you mean 'u'?"},
    };
    check_refused(rows, COUNT_OF(rows));
    check_no_suggestion(HEAT "u' = u\nsteps ten");
    check_no_suggestion(HEAT "u' = dt*u");
    check_no_suggestion(HEAT "let pulse(s) = s\nu' = puls*u");
    check_no_suggestion(HEAT "param speed = 1\nu' = u\noutput sped");
}

TEST(a_name_declared_below_is_said_to_be)
{
    static const bad rows[] = {
        {HEAT "u' = a*u\nparam a = 3", "3:6", "declared below, in line 4"},
        {HEAT "u' = v\nfield w,\n  v", "3:6", "declared below, in line 5"},
        {HEAT "u' = u*b\nparam a = 3; b = 4", "3:8", "declared below, in line 4"},
        {HEAT "v' = u\nfield v", "3:1", "unknown field 'v': it is declared below"},
        {HEAT "param a = b; b = 1\nu' = u", "3:11", "declared below, in line 3"},
    };
    check_refused(rows, COUNT_OF(rows));
    check_no_suggestion(HEAT "u' = v\nborder u, v = 0");
    CHECK(!strstr(pav_message(), "declared below"));
}

TEST(what_is_open_at_the_end_is_reported_where_it_opens)
{
    static const bad rows[] = {
        {HEAT "u' =\n\n", "3:5", "the text ends after '='"},
        {HEAT "u' = u +\n# more\n", "3:9", "the text ends after '+'"},
        {HEAT "u' = (u + 1\n", "3:12", "for the '(' at 3:6"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(utf_16_is_recognised)
{
    static const char little[] = "\xff\xfeg\0r\0i\0d\0", plain[] = "g\0r\0i\0d\0";
    CHECK_STATUS(parse_bytes(little, sizeof little - 1), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "is UTF-16; save it as UTF-8"));
    CHECK_STATUS(parse_bytes(plain, sizeof plain - 1), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "is UTF-16; save it as UTF-8"));
}

TEST(what_does_not_belong_to_a_statement_is_reported_by_what_it_is)
{
    static const bad rows[] = {
        {"grid x 9 from 0 to 1 m\nfield u", "1:22", "numbers stand without units"},
        {HEAT "u' = u\nparam f = 15 Hz", "4:14", "numbers stand without units"},
        {HEAT "u' = u\nuntil t > 1 hour every 10", "4:13", "numbers stand without units"},
        {HEAT "u' = u\nsteps 10 until max(u) < 1", "4:10",
         "begins a statement of its own"},
        {HEAT "u' = u\nmeasure m = u at (1, 2)", "4:15", "recorded by sample"},
        {HEAT "u' = u\nsample u at 5, 3", "4:13", "in parentheses, as in at (10, 20)"},
        {HEAT "u' = u\noutput u slice 3", "4:16", "as in slice z 10"},
        {HEAT "field v = random()", "3:18", "of 'random', as in random(1)"},
        {"grid x 32; y 32\nfield u\nu' = u", "1:12", "with commas between"},
        {HEAT "u' = u\nmeasure m = mean(u)", "4:13", "sum(u)/(nx*ny)"},
        {HEAT "u' = u/dx", "3:8", "the spacing is written h, or hx"},
    };
    check_refused(rows, COUNT_OF(rows));
}

static int count_lines_with(const char *text, const char *phrase)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, phrase)) != NULL; at++)
        count++;
    return count;
}

TEST(a_text_in_full_width_characters_is_reported_once)
{
    static const char source[] = "\xef\xbd\x87rid x 9\n\xef\xbd\x86ield u\n"
                                 "u\xef\xbc\x87 = \xef\xbc\x91\nu' = v\n";
    CHECK_STATUS(parse_bytes(source, sizeof source - 1), PAV_ESYNTAX);
    CHECK_EQ(count_lines_with(pav_message(), "full-width"), 1);
    CHECK(strstr(pav_message(), "full-width characters, 4 in all"));
}
