/* SPDX-License-Identifier: BSD-3-Clause */
/* One mistake gives one message: mistakes caused by an earlier mistake are not
 * reported. */
#include "bad_helper.h"

static void check_told(const char *source, int count, const char *phrase)
{
    int told = 0;
    CHECK_STATUS(parse_bytes(source, strlen(source)), PAV_ESYNTAX);
    for (const char *at = pav_message(); (at = strstr(at, "bad.pav:")); at++)
        told++;
    CHECK_EQ(told, count);
    CHECK(strstr(pav_message(), phrase));
    if (told != count || !strstr(pav_message(), phrase))
        printf("---- %s\n---- said:\n%s\n---- not: %s\n", source, pav_message(), phrase);
}

TEST(a_field_that_is_not_declared_is_reported_once)
{
    check_told("grid x 9\nfeild u\nu' = u + 1\nborder u = 0\noutput u", 1, "'field'");
    check_told("grid x 9\nu' = u + 1\nborder u = 0\noutput u", 1, "unknown field 'u'");
    check_told("grid x 9\nfield 2u\nu' = u\nborder u = 0", 1, "begins with a digit");
    check_told("grid x 9\nfield 2u\n2u' = 2u + 1\nborder 2u = 0", 1, "with a digit");
    check_told("grid x 9\nfield u v w\nu' = u + v + w\nborder w = 0", 1,
               "a comma is missing before 'v'");
}

TEST(a_word_of_the_language_as_a_name_is_reported_once)
{
    check_told("grid x 9\nfield step\nstep' = step\nborder step = 0\noutput step", 1,
               "'step' is the number of steps taken");
    check_told("grid x 9\nfield u\nparam pi = 3\nu' = pi*u\nmeasure m = pi", 1,
               "'pi' is the number");
    check_told("grid x 9\nfield y\ny' = 2*y\nexpect max(y) < 1", 1, "'y'");
}

TEST(what_is_looked_at_twice_is_reported_once)
{
    check_told("grid x 9\nfield u, v\nsolve u*where(v, 1, 2) = v for u by cg to 1e-3\n"
               "border = 0",
               1, "a condition is needed");
    check_told(
        "grid x 9\nfield u, c coarse\nsolve restrict(c')*c = 0 for c by cg to 1e-3\n"
        "border = 0",
        1, "'restrict' takes fields of the grid here");
}

TEST(an_unknown_name_is_reported_once)
{
    check_told("grid x 9\nfield u, v\nu' = q*u + q\nv' = q", 1, "unknown name 'q'");
    check_told("grid x 9\nfield u\nu' = q\nparam a = r\nlet b = q + r", 2, "'r'");
}

TEST(a_name_may_be_declared_after_a_mistake_with_it)
{
    check_told("grid x 9\nfield u\nu' = v\nfield v\nv' = v[1]", 1, "declared below");
    check_told("grid x 9\nfield u\nu' = q\nfield q\nparam q = 1", 2, "declared already");
}

TEST(after_a_mistake_of_form_the_statement_is_silent)
{
    check_told("grid x 9 y 9 z 9\nfield u\nu' = u[1,0,0]\nborder u = 0", 1,
               "a comma is missing before the axis y");
    check_told("grid x 9\nfield u\nu' = sin u + cos u", 1,
               "in parentheses, as in sin(u)");
    check_told("grid x 9\nfield u\nexpect max(u) = 3 = 4", 1, "equality is written ==");
    check_told("grid x 9\nfield u\noutput max(u)", 1, "written under a name");
    check_told("grid x 9\nfield u\noutput u into u.png", 1, "stands in quotes");
    check_told("grid x 9\nfield u\nlet f(a b c) = a\nu' = f(u, u, u)", 1, "before 'b'");
    check_told("grid x 9\nfield u\nu' = u & u | u ! u $ 3", 1, "written 'and'");
}

TEST(a_text_that_is_not_closed_is_reported_once)
{
    check_told("grid x 9\nfield u = \"a.npy\nu' = u", 1, "this text is not closed");
    check_told("grid x 9\nfield u\nsample u at \"p.npy every 3 into \"a.csv\"\nu' = u", 1,
               "one of the texts that begin here is not closed");
    check_told("grid x 9\nfield u\nu' = u + \"u\nu' = u", 1, "is not closed");
}

TEST(an_axis_that_is_too_short_is_reported_once)
{
    check_told("grid x 9, y 1\nfield u\nu' = laplace(u)\nborder neumann", 1, "face y-");
    check_told("grid x 9, y 1\nfield u\nu' = laplace(u, order 4)\nborder periodic", 1,
               "face y-");
}

TEST(mistakes_in_two_axes_are_two)
{
    check_told("grid x 1, y 1\nfield u\nu' = laplace(u)\nborder neumann", 2, "face x-");
}
