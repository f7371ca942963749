/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings about correct descriptions with two readings, and their remedies. */
#include "parse_helper.h"

static bool warns(const char *source, const char *part)
{
    program *p = parse_good(source);
    const bool told = p->warnings && strstr(p->warnings, part);
    if (!told)
        printf("  of\n%s\n  is said: %s\n", source,
               p->warnings ? p->warnings : "nothing");
    program_free(p);
    return told;
}

static bool is_silent(const char *source)
{
    program *p = parse_good(source);
    const bool silent = !p->warnings;
    if (!silent)
        printf("  of\n%s\n  is said: %s\n", source, p->warnings);
    program_free(p);
    return silent;
}

#define COARSE "grid x 65 spacing 2\nfield u, c coarse 2\nborder u, c = 0\n"

TEST(a_spacing_in_a_let_of_a_coarse_equation_is_told)
{
    CHECK(warns(COARSE "let lap(e) = (e[1] - 2*e + e[-1])/h^2\nc' = lap(c)",
                "text:5:6: 'h' in this let is the spacing of the coarse grid here, 4 "
                "times"));
    CHECK(warns(COARSE "let k = 1/hx\nlet l = k^2\nc' = c*l", "'hx' in this let"));
}

TEST(a_spacing_that_is_written_or_a_param_is_silent)
{
    CHECK(is_silent(COARSE "let lap(e, d) = (e[1] - 2*e + e[-1])/d^2\nc' = lap(c, h)"));
    CHECK(is_silent(COARSE "param d = h\nlet l = d^2\nc' = c*l + c*h"));
    CHECK(is_silent(COARSE "let l = h^2\nu' = u*l"));
    CHECK(is_silent(COARSE "let id(e) = e\nc' = id(c*h)"));
}

#define RELAX LINE "let relax(e) = e + 0.1*(e[1] - 2*e + e[-1])\n"

TEST(a_let_read_at_neighbours_beyond_a_given_wall_is_told)
{
    CHECK(warns(RELAX "u' = relax(relax(u))", "a let has no border: at x- and beyond"));
    CHECK(warns(LINE "let l = laplace(u)\nu' = u - laplace(l)", "text:5:18: "));
    CHECK(warns("grid x 10\nfield u\nborder neumann\nborder u = 1 at x+\n"
                "let l = laplace(u)\nu' = u - dxx(l)",
                "at x+ and beyond"));
}

TEST(a_restricted_let_is_told_only_beside_a_wall)
{
    static const char area[] = "grid x 33\nfield u; e coarse\nborder u = 0\n"
                               "let lap(w) = laplace(w)\n";
    char source[300];
    (void)snprintf(source, sizeof source, "%sborder e = 0\ne' = restrict(lap(u))", area);
    CHECK(is_silent(source));
    (void)snprintf(source, sizeof source, "%sborder mirror e\ne' = restrict(lap(u))",
                   area);
    CHECK(warns(source, "a let has no border"));
    (void)snprintf(source, sizeof source, "%sborder e = 0\ne' = restrict(lap(u)[1])",
                   area);
    CHECK(warns(source, "a let has no border"));
}

TEST(a_let_that_a_border_continues_or_that_stands_between_points_is_silent)
{
    CHECK(is_silent(RELAX "u' = relax(u)"));
    CHECK(is_silent(RELAX "field w\nborder w = 0\nw' = relax(u)\nu' = relax(w')"));
    CHECK(is_silent(LINE "u' = u - laplace(laplace(u))"));
    CHECK(is_silent(LINE "let flux = dx(u, at +1/2)\nu' = u + dx(flux, at -1/2)"));
    CHECK(is_silent(LINE "let square = u^2\nu' = u + dx(square)"));
    CHECK(is_silent("grid x 10\nfield u\nborder periodic\nlet l = laplace(u)\n"
                    "u' = u - laplace(l)"));
    CHECK(is_silent(LINE "let l = laplace(u)\nu' = u\nmeasure m = max(dx(l))"));
}

TEST(a_last_axis_without_the_spacing_of_another_is_told)
{
    const char *rest = "\nfield u = x\noutput u";
    char source[200];
    (void)snprintf(source, sizeof source, "grid x 10 spacing 5, y 10%s", rest);
    CHECK(warns(source, "text:1:24: y has the spacing 1"));
    (void)snprintf(source, sizeof source, "grid x 10 from 0 to 1, z 10%s", rest);
    CHECK(warns(source, "z has the spacing 1"));
    (void)snprintf(source, sizeof source, "grid x 10 spacing 5, y 10 spacing 1%s", rest);
    CHECK(is_silent(source));
    (void)snprintf(source, sizeof source, "grid x 10, y 10 spacing 5%s", rest);
    CHECK(is_silent(source));
    (void)snprintf(source, sizeof source, "grid x 10, y 10%s", rest);
    CHECK(is_silent(source));
}
