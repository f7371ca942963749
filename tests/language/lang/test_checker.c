/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of the language: each violation is reported at its place, and correct
 * programs pass. */
#include "parse_helper.h"

static bool right(const char *source)
{
    program *p = NULL;
    const bool good = parse_text(source, &p) == PAV_OK;
    if (!good)
        printf("  of\n%s\n  is said: %s\n", source, pav_message());
    program_free(p);
    return good;
}

TEST(a_program_has_one_grid_and_something_to_do)
{
    CHECK(mistaken("field u\nu' = u", "no grid"));
    CHECK(mistaken("grid x 4\ngrid x 4\nfield u\nu' = u",
                   "text:2:1: the grid is declared in line 1"));
    CHECK(mistaken("grid x 4\nfield u", "asks for nothing"));
    CHECK(right("grid x 4\nexpect 1 < 2"));
    CHECK(right("grid x 4\nfield u\noutput u"));
}

TEST(extents_fit_64_bits)
{
    CHECK(
        mistaken("grid x 2^31, y 2^31\nfield u\nu' = u", "the grid is too large: its "));
    CHECK(right("grid x 2^30, y 2^28\nfield u\nu' = u"));
    CHECK(mistaken("grid x 1e400\nfield u\nu' = u", "too large"));
    CHECK(mistaken("grid x nx\nfield u\nu' = u", "'nx' is known only after the grid"));
}

TEST(conditions_and_numbers_are_told_apart)
{
    CHECK(mistaken(LINE "u' = u < 1", "text:4:6: a number is needed"));
    CHECK(mistaken(LINE "u' = where(u, 1, 2)", "text:4:12: a condition is needed"));
    CHECK(mistaken(LINE "u' = u\nuntil 3", "a condition is needed"));
    CHECK(mistaken(LINE "let c = u < 1\nu' = c + 1", "a number is needed"));
    CHECK(mistaken(LINE "let f(c) = where(c, 1, 2)\nu' = f(u)", "a condition is needed"));
    CHECK(right(LINE "let f(c, a) = where(c and a > 1, a, 2)\nlet d = u[1] < 2\n"
                     "u' = f(d[-1] or u == 1, u)"));
}

TEST(offsets_are_as_many_as_axes_and_bounded)
{
    CHECK(mistaken(PLANE "u' = u[1]", "1 offset for a grid of 2 axes"));
    CHECK(mistaken(LINE "u' = u[1025]", "from -1024 to 1024"));
    CHECK(mistaken(LINE "u' = u[0.5]", "whole number"));
    CHECK(mistaken(LINE "u' = u[x]", "an offset must be constant: 'x' differs"));
    CHECK(mistaken(LINE "scalar s = 1\nu' = u[s]", "the scalar 's' may change"));
}

TEST(axes_that_the_grid_lacks_are_unknown)
{
    CHECK(mistaken(PLANE "u' = dz(u)", "'dz' needs an axis z"));
    CHECK(mistaken(PLANE "u' = dxz(u)", "'dxz' needs an axis z"));
    CHECK(mistaken(LINE "u' = y*hz*nz", "'nz' needs an axis z"));
    CHECK(mistaken(PLANE "u' = u\noutput u slice z 3", "is no axis"));
    CHECK(mistaken(PLANE "border u = 0 at z-\nu' = u", "no axis z"));
}

TEST(h_needs_equal_spacings)
{
    CHECK(mistaken("grid x 4 spacing 1, y 4 spacing 2\nfield u\nu' = u/h",
                   "one spacing for all axes, and x has 1, y 2; write hx, hy"));
    CHECK(mistaken("grid x 4 spacing 1, y 4 spacing 2\nparam a = h\nfield u\nu' = u",
                   "one spacing for all axes, and x has 1, y 2; write hx, hy"));
    CHECK(right("grid x 5 from 0 to 1, y 9 from 0 to 2\nparam a = h\nfield u\nu' = u/h"));
}

TEST(orders_are_even_up_to_32)
{
    CHECK(mistaken(LINE "u' = dx(u, order 3)", "even and from 2 to 32"));
    CHECK(mistaken(LINE "u' = laplace(u, order 34)", "even and from 2 to 32"));
    CHECK(mistaken(LINE "u' = sin(u, order 2)", "belongs to derivatives"));
    CHECK(mistaken(LINE "u' = dxx(u, at +1/2)", "first or third"));
    CHECK(mistaken(PLANE "u' = dxy(u, at +1/2)", "along one axis"));
}

TEST(what_is_read_beyond_a_face_needs_a_border)
{
    CHECK(mistaken("grid x 9\nfield u\nu' = u[1]", "text:3:6: 'u' is read beyond x+"));
    CHECK(mistaken("grid x 9\nfield u\nu' = laplace(u)", "beyond x-, x+"));
    CHECK(mistaken("grid x 9, y 9\nfield u\nborder u = 0 at x-, x+\nu' = laplace(u)",
                   "beyond y-, y+"));
    CHECK(right("grid x 9\nfield u\nu' = u[1] + u[-1]\nborder u = 0"));
    CHECK(right("grid x 9\nfield u\nu' = u[1] + u[-1]\nabsorb 2 cells"));
}

TEST(fixed_faces_are_not_computed)
{
    CHECK(right("grid x 9\nfield u, c\nborder u = 0\nu' = c[1] + c[-1]"));
    CHECK(mistaken("grid x 9\nfield u, c\nborder u = 0\nu' = c[2]",
                   "'c' is read beyond x+"));
    CHECK(mistaken("grid x 9\nfield u, c\nborder u = 0 beyond\nu' = c[1]",
                   "'c' is read beyond x+"));
    CHECK(right(
        "grid x 9\nfield u, c\nborder u = 0 at x+\nborder clamp u at x-\nu' = c[1]"));
    CHECK(right("grid x 2\nfield u, c\nborder u = 0\nu' = c[5]"));
}

TEST(reach_is_followed_through_lets_and_stencils)
{
    CHECK(mistaken("grid x 9\nfield u, c\nborder u = 0\nlet g = c[1]\nu' = g[1]",
                   "text:5:6: 'c'"));
    CHECK(right("grid x 9\nfield u, c\nborder u = 0\nlet g = c[2]\nu' = g[-1]"));
    CHECK(mistaken("grid x 9\nfield u, c\nborder u = 0\nlet f(a) = a[1]\nu' = f(c[1])",
                   "'c'"));
    CHECK(mistaken("grid x 9\nfield u, c\nborder u = 0\nstencil s { [2] 1 }\nu' = s(c)",
                   "'c'"));
    CHECK(mistaken(
        "grid x 9\nfield u, c\nborder u = 0\nstencil s { [1] c[2] }\nu' = s(u)", "'c'"));
    CHECK(right("grid x 9\nfield u, c\nborder u = 0\nstencil s { [1] c }\nu' = s(u)"));
    CHECK(mistaken("grid x 9\nfield u, c\nborder u = 0\nu' = dx(c, order 4)", "'c'"));
    CHECK(right("grid x 9\nfield u, c\nborder u = 0\nu' = dx(dx(c, at +1/2), at -1/2)"));
}

TEST(reductions_read_all_points)
{
    CHECK(mistaken("grid x 9\nfield u\nborder u = 0 at x-\nu' = u\nmeasure m = sum(u[1])",
                   "beyond x+"));
    CHECK(right("grid x 9\nfield u\nu' = u\nmeasure m = sum(u)"));
}

TEST(a_border_needs_enough_points)
{
    CHECK(right("grid x 4\nfield u\nborder periodic\nu' = u[4]"));
    CHECK(mistaken("grid x 4\nfield u\nborder periodic\nu' = u[5]",
                   "at least 5 points along x"));
    CHECK(mistaken("grid x 4\nfield u\nborder mirror\nu' = u[-5]",
                   "at least 5 points along x"));
    CHECK(mistaken("grid x 4\nfield u\nborder odd\nu' = u[5]",
                   "at least 5 points along x"));
    CHECK(mistaken("grid x 4\nfield u\nborder neumann\nu' = u[4]",
                   "at least 5 points along x"));
    CHECK(right("grid x 4\nfield u\nborder clamp\nu' = u[5]"));
    CHECK(right("grid x 1\nfield u\nborder periodic\nu' = u[1]"));
}

TEST(halos_are_bounded)
{
    CHECK(right("grid x 9\nfield u\nborder clamp\nu' = u[1000][24]"));
    CHECK(mistaken("grid x 9\nfield u\nborder clamp\nu' = u[1024][1]",
                   "read 1025 points away; at most 1024"));
    CHECK(mistaken("grid x 9\nfield u\nborder clamp\nu' = dx(u[-1024])",
                   "read 1025 points away; at most 1024"));
    CHECK(right("grid x 9\nfield u, c coarse\nborder clamp\nc' = u[1024][1024]"));
    CHECK(mistaken("grid x 9\nfield u, c coarse\nborder clamp\nc' = u[1024][1024][1]",
                   "read 2049 points away; at most 2048"));
}

TEST(borders_are_whole_and_finite)
{
    CHECK(mistaken(LINE "u' = u\nborder periodic at x-", "periodic at x- but not at x+"));
    CHECK(mistaken(LINE "u' = u\nborder u = 0/0", "the divisor is 0"));
    CHECK(mistaken(LINE "u' = u % (2 - 2)", "the divisor is 0"));
    CHECK(mistaken(LINE "u' = u\nborder u = log(0)", "must be a finite number"));
    CHECK(mistaken(LINE "u' = u\nborder u = sum(u)", "name it before, as in param m"));
    CHECK(mistaken(LINE "u' = u\nborder odd u = 1", "takes no value"));
    CHECK(mistaken(LINE "u' = u\nborder odd beyond", "goes with a value"));
    CHECK(right(LINE "u' = u\nborder u = sin(t)*x"));
    CHECK(right(LINE "u' = u\nborder neumann u = sin(t)*x - u"));
}

TEST(params_hold_fields_only_in_reductions)
{
    CHECK(mistaken(LINE "param a = u\nu' = u", "cannot stand in a param; sum, min"));
    CHECK(mistaken(LINE "param a = x\nu' = u", "'x' differs from point to point"));
    CHECK(mistaken(LINE "param a = t\nu' = u", "'t' changes with time"));
    CHECK(
        mistaken(LINE "scalar s = 1\nparam a = s\nu' = u", "the scalar 's' may change"));
    CHECK(mistaken(LINE "param a = exp(1000)\nu' = u", "finite"));
    CHECK(right(LINE "param a = max(u*x) + sum(1)\nu' = u*a"));
    CHECK(mistaken(LINE "scalar s = u\nu' = u",
                   "cannot stand in the initial value of a scalar; sum, min"));
    CHECK(right(LINE "scalar s = max(u)\nu' = u"));
}

TEST(the_time_step_is_a_number)
{
    CHECK(right("scalar dt = 1\n" LINE "u' = u"));
    CHECK(
        mistaken("let dt = 1\n" LINE "u' = u", "must be a param or a scalar, not a let"));
    CHECK(right("param dt = 1\n" LINE "u' = u + t"));
}

TEST(intervals_of_time_need_a_dt_that_they_can_shorten)
{
    CHECK(right("param dt = 1/8\n" LINE "u' = u\noutput u every 0.25 time"));
    CHECK(right("scalar dt = 1\n" LINE "dt' = 1\nu' = u\noutput u every 0.2 time"));
    CHECK(mistaken(LINE "u' = u\noutput u every 0.2 time", "nothing is called dt"));
    CHECK(mistaken("param dt = 1\n" LINE "u' = u\nmeasure m = max(u) every -1 time",
                   "must be positive, not -1"));
    CHECK(mistaken("scalar dt = 1\n" LINE "u' = u\noutput u every 0.2 time",
                   "without an equation it would stay short"));
    CHECK(mistaken("param dt = 1\n" LINE
                   "u' = u\nsample u at (1) every 1.5 time into \"s.sgy\"",
                   "has equal intervals, and 1.5 is no whole number of steps"));
    CHECK(mistaken("param dt = 1\n" LINE "u' = u\nuntil t > 2 every 0.2 time", "time"));
}

TEST(new_levels_are_read_after_their_equation)
{
    CHECK(mistaken(LINE "u' = u'", "cannot stand in its own equation"));
    CHECK(mistaken(LINE "field v\nu' = v'\nv' = u", "before its equation in line 6"));
    CHECK(mistaken(LINE "field v\nu' = v'", "v' has no equation"));
    CHECK(mistaken(LINE "u' = u\nu' = u", "text:5:1: u' has an equation in line 4"));
    CHECK(mistaken(LINE "field v\nlet n = v'\nu' = n\nv' = u",
                   "text:6:6: v' is read before"));
    CHECK(right(LINE "field v\nlet n = u'\nu' = u\nv' = n"));
    CHECK(right(LINE "field v\nv' = u\nu' = sum(v')"));
    CHECK(mistaken(LINE "field v\nu' = sum(v')\nv' = u", "v' is read before"));
    CHECK(mistaken(LINE "u' = u\nmeasure m = sum(u')", "u' cannot stand"));
}

TEST(equations_of_scalars_follow_the_rules_of_equations)
{
    CHECK(right("scalar s = 0\n" LINE "s' = s + sum(u)\nu' = u + s'"));
    CHECK(mistaken("scalar s = 0\n" LINE "u' = u + s'\ns' = s", "s' is read before"));
    CHECK(mistaken("scalar s = 0\n" LINE "u' = u + s'", "s' has no equation"));
    CHECK(mistaken("scalar s = 0\n" LINE "s' = u", "in the equation of a scalar; sum"));
    CHECK(
        mistaken("scalar s = 0\n" LINE "s' = uniform(1)", "differs from point to point"));
    CHECK(mistaken("scalar dt = 1\n" LINE "u' = prev(u)\nborder u = t",
                   "the times of older levels are not kept"));
}

TEST(a_border_reads_a_scalar_after_the_equation_of_the_scalar)
{
    CHECK(mistaken("field w = 1\nborder w = 1\n" LINE
                   "w' = w\nsolve u' - dxx(u') = u by cg to 1e-9\nborder u = w",
                   "nor read u itself or fields with equations"));
    CHECK(right("field w = 1\nborder w = 1\n" LINE
                "solve u' - dxx(u') = u by cg to 1e-9\nborder u = w"));
    CHECK(right("scalar s = 0\n" LINE "s' = s + 1\nsolve u' - dxx(u') = u by cg to 1e-9\n"
                "border u = s"));
    CHECK(right("scalar s = 0\n" LINE "s' = s + 1\nu' = u[1]\nborder u = s"));
    CHECK(mistaken("scalar s = 0\n" LINE "u' = u[1]\ns' = s + 1\nborder u = s",
                   "before 's' has its next value; write the equation of 's' before"));
    CHECK(mistaken("scalar dt = 1\n" LINE "u' = u[1]\nuntil t >= 3\nborder u = dt",
                   "before 'dt' has its next value"));
    CHECK(mistaken("scalar s = 0\n" LINE "s' = s + 1\nborder u = s",
                   "no equation u' = ...; a field can: write `field wall"));
    CHECK(mistaken("scalar s = 0\n" LINE "s' = s\nu' = prev(u) + u[1]\nborder u = s",
                   "its older values are not kept"));
}

TEST(a_sum_in_an_output_is_named_as_a_scalar)
{
    CHECK(mistaken(LINE "output u - sum(u) as q",
                   "cannot stand in an output; name it before, as in scalar m = sum(u)"));
    CHECK(right("scalar m = 0\n" LINE "u' = u\nm' = sum(u')\noutput u - m as q"));
    CHECK(mistaken(LINE "u' = u\noutput prev(u) as q", "cannot stand in an output"));
}

TEST(rates_are_of_the_present_level)
{
    CHECK(right("param dt = 1\n" LINE "advance u = -u by rk4"));
    CHECK(right("param dt = 1\n" LINE "advance u = -u by ssprk3 in 4 steps"));
    CHECK(right("param dt = 1\nscalar s = 1\n" LINE "advance u = u, s = -s by rk4"));
    CHECK(mistaken("param dt = 1\nscalar s = 1\n" LINE "advance u = u, s = u by rk4",
                   "in the equation of a scalar; sum"));
    CHECK(mistaken(LINE "advance u = -u by rk4", "a param or scalar called dt"));
    CHECK(
        mistaken("param dt = 1\n" LINE "advance u = -u by rk9",
                 "the methods are euler, rk2, ssprk3, rk4 and ab2; did you mean 'rk2'?"));
    CHECK(mistaken("param dt = 1\n" LINE "advance u = -u by rk3",
                   "did you mean 'ssprk3'?"));
    CHECK(
        mistaken("param dt = 1\n" LINE "advance u = prev(u) by rk4", "reads 'u' itself"));
    CHECK(mistaken("param dt = 1\n" LINE "u' = u\nadvance u = u by rk4",
                   "u' has an equation in line 5"));
    CHECK(mistaken("scalar dt = 1\n" LINE "advance u = -u by ab2", "needs equal steps"));
    CHECK(mistaken("param dt = 1\n" LINE "advance u = u by rk4\nabsorb 2 cells",
                   "cannot stand together"));
    CHECK(mistaken("param dt = 1; k = [1, 2]\n" LINE "advance k = 2 by rk4",
                   "'k' is a param; the name of a field is needed here"));
    CHECK(mistaken("param dt = 1\n" LINE "advance dt = 2 by rk4", "'dt' is a param"));
}

TEST(borders_beside_advance_read_the_stages)
{
    CHECK(right("param dt = 1\n" LINE "advance u = laplace(u) by rk4\n"
                "border neumann u = -u at x+\nborder u = 0 at x-"));
    CHECK(mistaken("param dt = 1\n" LINE "advance u = laplace(u) by rk4\n"
                   "border neumann u = u[1]",
                   "'u' is read outwards at the face x+"));
}

TEST(a_param_has_no_equation)
{
    CHECK(mistaken("param k = [1, 2]\n" LINE "k' = 1",
                   "'k' is a param; the name of a field is needed here, or of a scalar"));
    CHECK(mistaken("param dt = 1\n" LINE "dt' = 2", "scalars can have equations"));
}

TEST(the_axis_of_a_line_stands_last)
{
    CHECK(mistaken(LINE "u' = scan(u along x, x)", "after the axis stands ')'"));
    CHECK(mistaken(LINE "u' = scan(u along x cyclic)", "'cyclic' to tridiagonal"));
    CHECK(mistaken(LINE "u' = scan(u, u, u along x)", "takes 1 argument or 2, not 3"));
    CHECK(mistaken(LINE "measure m = sum(u along x)",
                   "'sum' along an axis stands in updates"));
}

TEST(old_levels_exist_as_far_back_as_they_are_read)
{
    CHECK(mistaken(LINE "field c\nu' = prev(c)", "never updated"));
    CHECK(mistaken(LINE "u' = prev(u, 16)", "from 1 to 15"));
    CHECK(mistaken(LINE "u' = prev(u, 0)", "from 1 to 15"));
    CHECK(mistaken(LINE "u' = u\nprev(u) = 1", "no equation reads prev(u, 1)"));
    CHECK(mistaken(LINE "u' = u\nmeasure m = sum(prev(u, 2))", "prev(u, 2) is not kept"));
    CHECK(right(LINE "u' = u\nmeasure m = sum(prev(u))"));
    CHECK(right(LINE "u' = prev(u)\nprev(u) = 1\nmeasure m = sum(prev(u, 2))"));
    CHECK(mistaken(LINE "u' = prev(u)\nprev(u) = 1\nprev(u) = 2", "given twice"));
}

TEST(random_stands_in_initial_values)
{
    CHECK(mistaken(LINE "u' = random(1)", "only in initial values"));
    CHECK(mistaken(LINE "let r = random(1)\nu' = u\nmask r < 0.5",
                   "only in initial values"));
    CHECK(mistaken(LINE "field v = random(x)\nu' = u", "the seed must be constant"));
    CHECK(right(LINE "let r = random(1)\nfield v = r - 0.5\nprev(u) = r\nu' = prev(u)"));
}

TEST(what_is_taken_after_a_step_is_one_number)
{
    CHECK(mistaken(LINE "u' = u\nexpect u < 1", "the field 'u' differs"));
    CHECK(mistaken(LINE "u' = u\nmeasure m = x", "'x' differs"));
    CHECK(mistaken(LINE "u' = u\nmeasure m = sum(u)\nfield v = m", "the measure 'm'"));
    CHECK(right(
        LINE
        "u' = u\nmeasure m = sum(u)/t + step\nuntil m < 1 or norm(u - prev(u)) < 2"));
}

TEST(files_and_intervals_are_usable)
{
    CHECK(mistaken(LINE "u' = u\noutput u into \"\"", "file name is empty"));
    CHECK(mistaken(LINE "u' = u\noutput u into \"a\tb\"", "holds a tab"));
    CHECK(mistaken(LINE "u' = u\noutput u every 0", "at least 1, not 0"));
    CHECK(mistaken(LINE "u' = u\nmeasure m = 1 every 1.5", "at least 1, not 1.5"));
    CHECK(mistaken(LINE "u' = u\noutput u every x", "must be constant"));
    CHECK(mistaken(LINE "u' = u\nsteps 0", "at least 1, not 0"));
    CHECK(mistaken(LINE "u' = u\nsteps 1\nsteps 2", "in line 5 already"));
}

TEST(crops_lie_in_the_field_and_strides_are_steps)
{
    static const struct {
        const char *output, *said;
    } cases[] = {
        {"crop (0, 0, 0) to (9, 12, 9)",
         "an index of the crop must be a whole number from 0 to 11"},
        {"crop (-1, 0, 0) to (9, 9, 9)", "from 0 to 9, not -1"},
        {"crop (5, 0, 0) to (4, 9, 9)", "a crop must go upwards, not from 5 to 4"},
        {"crop (5, 0) to (4, 9, 9)", "2 coordinates for a grid of 3 axes"},
        {"crop (5, 0, 0) (6, 9, 9)", "'to'"},
        {"crop 5 to 6", "in parentheses"},
        {"crop (0, 0, 0) to (1, 1, 1) crop (0, 0, 0) to (1, 1, 1)", "given twice"},
        {"slice z 9 crop (0, 0, 0) to (9, 9, 8)",
         "the slice z 9 lies outside of the crop, which goes from 0 to 8"},
        {"stride 0", "from 1 to 2147483647, not 0"},
        {"stride 1.5", "1.5"},
        {"stride (1, 2)", "2 coordinates for a grid of 3 axes"},
        {"stride x", "must be constant"},
        {"stride 2 stride 2", "'stride' is given twice"},
    };
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        char source[300];
        (void)snprintf(source, sizeof source, SPACE "u' = u\noutput u %s",
                       cases[n].output);
        CHECK(mistaken(source, cases[n].said));
    }
    CHECK(mistaken("grid x 9\nfield c coarse\noutput c crop (0) to (5)", "from 0 to 4"));
    CHECK(right("grid x 9\nfield c coarse\noutput c crop (0) to (4) stride 100"));
}

TEST(slices_and_positions_lie_in_the_grid)
{
    CHECK(mistaken(SPACE "u' = u\noutput u slice x 10", "from 0 to 9, not 10"));
    CHECK(mistaken(PLANE "u' = u\noutput u slice x 1", "this one is 2-D"));
    CHECK(mistaken(LINE "u' = u\nsample u at (9.5)",
                   "x = 9.5 lies outside of the grid, which goes "
                   "from 0 to 9"));
    CHECK(mistaken(PLANE "u' = u\nsample u at (1)", "1 coordinate for a grid of 2 axes"));
    CHECK(mistaken(PLANE "u' = u\nsample u along (1, 1) to (2, 20) count 3",
                   "y = 20 lies outside"));
    CHECK(right("grid x 3 from -1 to 1\nfield u\nu' = u\nsample u at (-1), (1), (0.3)"));
}

TEST(injections_go_into_updated_fields_of_the_grid)
{
    CHECK(
        mistaken(LINE "inject t into u at (1)\nfield v\nv' = 1", "'u' is never updated"));
    CHECK(
        mistaken(LINE "field c coarse\nc' = c\ninject t into c at (1)", "'c' is coarse"));
    CHECK(mistaken(LINE "u' = u\ninject t into w at (1)", "unknown field 'w'"));
    CHECK(right(LINE "field c = 2\nu' = u\ninject c^2*t into u at (1)"));
}

TEST(coarse_and_fine_meet_through_transfers)
{
    CHECK(mistaken(LINE "field c coarse\nu' = c", "read through interpolate(c)"));
    CHECK(mistaken(LINE "u' = interpolate(u)", "takes coarse fields"));
    CHECK(mistaken(LINE "u' = restrict(u)", "stands only in equations of coarse fields"));
    CHECK(mistaken(LINE "field c coarse\nc' = restrict(c)", "takes fields of the grid"));
    CHECK(mistaken(LINE "field c coarse\nc' = interpolate(c)",
                   "cannot stand in equations of coarse"));
    CHECK(
        mistaken(LINE "field c coarse\nc' = dx(u)", "its derivative is not known there"));
    CHECK(mistaken(LINE "field c coarse\nu' = interpolate(interpolate(c))",
                   "within one another"));
    CHECK(right(LINE "field c coarse\nborder clamp\nc' = u[1] + restrict(u) + dx(c)\n"
                     "u' = interpolate(c' + c[1]) + u"));
}

TEST(coarse_grids_say_which_axes_they_halve)
{
    static const char area[] = "grid x 9, y 9\ncoarse 1 to 2 along x\nfield u\n";
    char source[300];

    CHECK(right("grid x 9, y 9\ncoarse 2 along x, y\nfield u, c coarse 2\nc' = c"));
    CHECK(mistaken("coarse 1 along x\ngrid x 9", "stands behind the grid"));
    CHECK(mistaken("grid x 9\nfield c coarse\ncoarse 1 along x", "before the first"));
    CHECK(mistaken("grid x 9\ncoarse 1 along y", "'y' is no axis of the grid"));
    CHECK(mistaken("grid x 9\ncoarse 1", "'along' and axes are missing"));
    CHECK(mistaken("grid x 9\ncoarse 3 to 2 along x", "number of a coarse grid"));
    /* Axis y is not halved, so nothing is read beyond the grid along y. */
    (void)snprintf(source, sizeof source,
                   "%sfield c coarse\nborder clamp u at x-, x+\nc' = restrict(u)", area);
    CHECK(right(source));
    (void)snprintf(source, sizeof source, "%sfield c coarse\nc' = restrict(u)", area);
    CHECK(mistaken(source, "'u' is read beyond x-"));
}

TEST(coarse_points_reach_as_far_as_their_fine_ones)
{
    CHECK(right("grid x 9\nfield u\nfield c coarse\nc' = u[0]"));
    CHECK(mistaken("grid x 9\nfield u\nfield c coarse\nc' = u[1]",
                   "'u' is read beyond x+"));
    CHECK(right("grid x 10\nfield u\nfield c coarse\nc' = u[1]"));
    CHECK(right("grid x 9\nfield u\nfield c coarse\nu' = interpolate(c)"));
    CHECK(mistaken("grid x 10\nfield u\nfield c coarse\nu' = interpolate(c)",
                   "'c' is read beyond x+"));
}

TEST(solves_are_linear_in_one_unknown)
{
    CHECK(mistaken(LINE "solve u^2 = 1 by cg to 1e-3", "linear in 'u'"));
    CHECK(mistaken(LINE "let f(a) = a*a\nsolve f(u) = 1 by cg to 1e-3", "linear in 'u'"));
    CHECK(mistaken(LINE "solve 1 = u by cg to 1e-3", "what is solved for?"));
    CHECK(right("grid x 9\nfield q complex\nborder q = 0\n"
                "solve q' - i*dxx(q') = q by auto to 1e-3"));
    CHECK(mistaken("grid x 9\nfield q complex, v\nborder q, v = 0\n"
                   "solve q' - i*dxx(v') = q by auto to 1e-3",
                   "v' has no equation"));
    CHECK(mistaken(LINE "solve u = u^2 by cg to 1e-3",
                   "the right side must be linear in 'u'"));
    CHECK(right(LINE "solve u = u[1]/2 + 1 by cg to 1e-3"));
    CHECK(mistaken(LINE "field v\nsolve u + v = 1 by cg to 1e-3", "what is solved for?"));
    CHECK(right("grid x 9\nfield q[2], v[2] = 1\nborder q, v = 0\n"
                "solve -dxx(q) + v = 1 by gmres to 1e-3"));
    CHECK(mistaken("grid x 9\nfield q[2], v[2]\nborder q, v = 0\n"
                   "solve -dxx(q) + v = 1 by gmres to 1e-3",
                   "also of a vector or complex u"));
    CHECK(mistaken(LINE "solve 1 = 1 for u by cg to 1e-3", "does not hold 'u'"));
    CHECK(mistaken(LINE "solve u = 1 by cgg to 1e-3", "is no method"));
    CHECK(mistaken(LINE "solve u = 1 by cg to 0", "larger than 0"));
    CHECK(mistaken(LINE "u' = u\nsolve u = 1 by cg to 1", "either updated or solved"));
    CHECK(right(LINE "field k = 1\nlet f(a) = 2*a - a/k\nsolve where(x < 3, f(u), -u) = "
                     "k by sor to 1e-3"));
}

TEST(stencils_are_of_one_form_and_name_a_neighbour_once)
{
    CHECK(mistaken(PLANE "stencil s { corner 1 }\nu' = s(u)",
                   "no neighbours of class 'corner'"));
    CHECK(mistaken(LINE "stencil s { [1] 1, face 2 }\nu' = s(u)", "either a list"));
    CHECK(mistaken(LINE "stencil s { [1] 1, [1] 2 }\nu' = s(u)",
                   "text:4:24: the neighbour"));
    CHECK(
        mistaken(PLANE "stencil s { box 1, 2, 3 }\nu' = s(u)", "1, 9, 25, ... weights"));
    CHECK(mistaken(LINE "stencil s { }\nu' = s(u)", "has no neighbours"));
    CHECK(mistaken(LINE "stencil s { [1] u < 1 }\nu' = s(u)", "a number is needed"));
}

TEST(names_are_declared_once_before_their_use)
{
    CHECK(mistaken(LINE "param u = 1\nu' = u",
                   "'u' is declared already, in line 2 as a field"));
    CHECK(mistaken(LINE "let f(a) = f(a)\nu' = u", "unknown function 'f'"));
    CHECK(mistaken(LINE "u' = a\nparam a = 1", "unknown name 'a'"));
    CHECK(mistaken(LINE "param pi = 1\nu' = u", "'pi' is the number 3.14159..."));
    CHECK(mistaken(LINE "u' = u + dx",
                   "'dx' needs what it is of in parentheses, as in dx(u); the spacing is "
                   "written h"));
    CHECK(mistaken(LINE "let f(a, a) = a\nu' = u", "given twice"));
    CHECK(right(LINE "let f(u) = u^2\nu' = f(x)"));
}

TEST(calls_take_the_arguments_they_take)
{
    CHECK(mistaken(LINE "u' = sqrt(u, 2)", "'sqrt' takes 1 argument, not 2"));
    CHECK(mistaken(LINE "let f(a, b) = a\nu' = f(u)", "'f' takes 2 arguments, not 1"));
    CHECK(mistaken(LINE "u' = u(1)", "takes no arguments"));
    CHECK(mistaken(LINE "let f(a) = a\nu' = f", "needs an argument, as in f(u)"));
    CHECK(mistaken(LINE "u' = mod(1, 2, 3)", "'mod' takes 2 arguments, not 3"));
    CHECK(right(LINE "u' = min(1, 2, 3)"));
    CHECK(mistaken(LINE "u' = atan2(1, 2, 3)", "'atan2' takes 2 arguments, not 3"));
    CHECK(mistaken(LINE "u' = prev(2*u)", "takes the name of a field"));
}

TEST(masks_and_layers_fit_their_program)
{
    CHECK(mistaken(LINE "u' = u\nmask x", "a condition is needed"));
    CHECK(mistaken(LINE "u' = u\nmask u = x < 1\nmask u = x < 2",
                   "a mask in line 5 already"));
    CHECK(mistaken(LINE "field c\nu' = u\nmask c = x < 1", "'c' is never updated"));
    CHECK(mistaken(LINE "u' = u\nmask prev(u) < 1", "only u itself can"));
    CHECK(mistaken(LINE "u' = u\nabsorb 11 cells", "do not fit in 10 points"));
    CHECK(mistaken(LINE "u' = u\nabsorb 2 cells\nabsorb 3 cells at x-",
                   "x- absorbs already"));
    CHECK(mistaken(LINE "u' = u\nborder periodic\nabsorb 2 cells",
                   "all are periodic for every"));
    CHECK(
        mistaken(LINE "u' = u\nborder periodic\nabsorb 2 cells at x-", "cannot absorb"));
    CHECK(right(LINE
                "field v = 1\nu' = u\nv' = v\nborder periodic u\nabsorb 2 cells at x-"));
    CHECK(mistaken(LINE "field v\nu' = u\nborder periodic u\nabsorb 2 cells",
                   "all are periodic for every"));
    CHECK(mistaken(LINE "output u\nabsorb 2 cells", "no field is updated"));
}

TEST(points_that_a_border_gives_read_nothing)
{
    CHECK(mistaken("grid x 9\nfield q complex\nq' = q\nborder q = i*q[1] at x-",
                   "of the parts of one field only 'q.im' may read 'q.re'; if both read "
                   "each other, declare a field before theirs, give it the new value of "
                   "'q.im' by an equation before theirs, and read it here"));
    static const char odd[] = "grid x 10\nfield u; w\nu' = w[1] + w[-1]\nborder odd u";
    CHECK(right(odd));
    CHECK(right("grid x 9\nfield u; c coarse\nc' = restrict(u)\nborder odd c"));
    CHECK(mistaken("grid x 10\nfield u; w\nu' = w[1] + w[-1]\nborder clamp u",
                   "read beyond x-, x+"));
}

TEST(a_divisor_known_to_be_zero_is_a_mistake)
{
    CHECK(mistaken(LINE "u' = u/0", "text:4:8: the divisor is 0"));
    CHECK(mistaken(LINE "param a = 1\nu' = u/(a - 1)", "text:5:9: the divisor is 0"));
    CHECK(mistaken(LINE "u' = u\nlet r = u/(nx - 10)", "text:5:12: the divisor is 0"));
    CHECK(mistaken(LINE "param a = 1/0\nu' = a*u", "text:4:13: the divisor is 0"));
    CHECK(mistaken("grid x 10/0\nfield u\nu' = u", "text:1:11: the divisor is 0"));
    CHECK(mistaken("let r = 1/(nx - 4)\ngrid x 4\nfield u\nu' = r*u", "is 0"));
    CHECK(mistaken(LINE "let f(a) = a^2\nu' = 1/f(0)", "the divisor is 0"));
    CHECK(mistaken(LINE "u' = u\nborder u = 3/(nx - 10)", "the divisor is 0"));
    CHECK(mistaken(LINE "stencil s { [1] 1/0 }\nu' = s(u)", "the divisor is 0"));
}

TEST(what_starts_from_itself_is_a_mistake)
{
    CHECK(mistaken(LINE "param m = max(prev(u))\nprev(u) = m*x\nu' = u + prev(u)",
                   "text:4:15: at the start the param 'm' depends on itself"));
    CHECK(mistaken(LINE "field a = 2\nborder a = 1\nparam m = max(prev(u))\n"
                        "prev(u) = a[1]\nu' = u + prev(u)\nborder a = m",
                   "text:9:12: the border of 'a' needs the param 'm'"));
    CHECK(right(LINE "param m = max(u)\nprev(u) = m*x\nu' = u + prev(u)"));
    CHECK(right(LINE "param m = max(prev(u))\nfield a = m\nu' = u + prev(u)"));
}

TEST(a_reduction_runs_over_one_grid_whatever_its_lets_are_given)
{
    static const char grids[] = "grid x 9\nfield u = 1, c coarse\nborder = 0\n"
                                "let f(a, b) = sum(a*b)\nlet g(a) = 1 + f(2*a, c)\n"
                                "c' = c\n";
    char source[400];
    snprintf(source, sizeof source, "%su' = f(u, c)", grids);
    CHECK(mistaken(source, "text:7:6: 'c' is coarse and cannot be reduced together"));
    snprintf(source, sizeof source, "%smeasure m = g(u)", grids);
    CHECK(mistaken(source, "text:7:13: 'c' is coarse and cannot be reduced together"));
    snprintf(source, sizeof source, "%su' = f(u, interpolate(c)) + f(c, c) + g(c)",
             grids);
    CHECK(right(source));
}

TEST(a_divisor_that_may_be_zero_is_right)
{
    CHECK(right(LINE "scalar s = 0\nu' = u/s"));
    CHECK(right(LINE "field v = where(x == 0, 1, 1/x)\nu' = u/v"));
    CHECK(right(LINE "param a = 0\nu' = where(a == 0, u, u/a)"));
    CHECK(right(LINE "param a = 0\nu' = where(a > 0 and x < 1/a, u, 2*u)"));
}

TEST(arithmetic_is_f32_or_f64_and_storage_no_wider)
{
    CHECK(mistaken("real bf16\n" LINE "u' = u", "real f32 stored bf16"));
    CHECK(mistaken("real f32 stored f64\n" LINE "u' = u", "wider than the arithmetic"));
    CHECK(mistaken("real f32 flushed\n" LINE "u' = u", "'below' is missing"));
    CHECK(mistaken("real f32 flushed below 2\n" LINE "u' = u", "this limit is 2"));
    CHECK(mistaken("real f32 flushed below t\n" LINE "u' = u", "the limit"));
    CHECK(mistaken("real f32\n" LINE "field v stored f64\nu' = u", "wider"));
    CHECK(mistaken("real f32\nreal f64\n" LINE "u' = u", "in line 1 already"));
}

TEST(a_rule_of_a_part_of_a_face_has_a_rest)
{
#define FACE "grid x 9, y 9\nfield v, u\nborder u = 0\nv' = v\nu' = laplace(u)\n"
    CHECK(right(FACE "border mirror u at x- where y < 3 and v > 0"));
    CHECK(
        right(FACE "border u = 1 where y < 3\nborder neumann u = -u at x+ where t > 1"));
    CHECK(mistaken(FACE "border v = 1 at y+ where x < 3", "y+ has no border of 'v' yet"));
    CHECK(mistaken(FACE "border = 1 at y+ where x < 3", "names its field"));
    CHECK(mistaken(FACE "border mirror u at y+ where x", "a condition is needed"));
    CHECK(mistaken(FACE "border mirror u at y+ where u < 1", "gives in part"));
    CHECK(mistaken(FACE "border mirror u at x+\nborder u = 2*u at x+ where y < 3",
                   "gives in part"));
    CHECK(mistaken(FACE "border periodic u at x- where y < 3", "holds for whole faces"));
    CHECK(mistaken("grid x 3, y 9\nfield u\nborder u = 0\nu' = laplace(u, order 4)\n"
                   "border mirror u at x- where y < 3",
                   "needs at least 4 points"));
    CHECK(
        mistaken("grid x 9, y 9\nfield u\nborder u = 0\n"
                 "border mirror u at x- where y < 3\nsolve laplace(u) = 1 by cg to 1e-9",
                 "cannot mix kinds"));
#undef FACE
}

TEST(normal_numbers_have_seeds)
{
    CHECK(right("grid x 4\nfield u = normal(1048575)\nu' = normal(0) + normal(1)[1]"));
    CHECK(right("grid x 4\nfield normal\nnormal' = normal"));
    CHECK(mistaken(LINE "u' = normal(1048576)", "from 0 to 1048575"));
    CHECK(mistaken(LINE "u' = normal()", "nothing stands in the parentheses"));
    CHECK(mistaken(LINE "u' = u\nborder u = normal(1)", "'uniform' stands in"));
}
