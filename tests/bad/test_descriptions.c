/* SPDX-License-Identifier: BSD-3-Clause */
/* Malformed descriptions: each gets one clear sentence at the place of the mistake. */
#include "bad_helper.h"

#define HEAT "grid x 10, y 10\nfield u\n"

TEST(grids_are_checked)
{
    static const bad rows[] = {
        {"", "1:1", "no grid"},
        {"\n\n# nothing but a comment\n", "1:1", "no grid"},
        {"field u\nu' = u\n", "1:1", "no grid"},
        {"grid x\nfield u\nu' = u", "1:7", "an expression is missing"},
        {"grid\nfield u\nu' = u", "1:5", "axis"},
        {"grid y 5\nfield u\nu' = u", "1:6", "order x, y, z"},
        {"grid x 5, x 5\nfield u\nu' = u", "1:11", "the axis y is expected"},
        {"grid x 5, y 5, z 5, t 5\nfield u\nu' = u", "1:21", "at most 3 axes"},
        {"grid w 5\nfield u\nu' = u", "1:6", "the axis x"},
        {"grid x 0\nfield u\nu' = u", "1:8", "extent of the axis x"},
        {"grid x -4\nfield u\nu' = u", "1:8", "extent of the axis x"},
        {"grid x 2.5\nfield u\nu' = u", "1:8", "extent of the axis x"},
        {"grid x 1/0\nfield u\nu' = u", "1:10", "the divisor is 0"},
        {"grid x u\nfield u\nu' = u", "1:8", "unknown name 'u'"},
        {"grid x 1 from 0 to 1\nfield u\nu' = u", "1:15", "at least 2 points"},
        {"grid x 5 from 1 to 0\nfield u\nu' = u", "1:20", "upwards"},
        {"grid x 5 from 0\nfield u\nu' = u", "1:16", "'to'"},
        {"grid x 5 spacing 0\nfield u\nu' = u", "1:18", "larger than 0"},
        {"grid x 5 spacing -1\nfield u\nu' = u", "1:18", "larger than 0"},
        {"grid x 5 from 0 to 1 spacing 2\nfield u\nu' = u", "1:22", "either a range"},
        {"grid x 5\ngrid y 5\nfield u\nu' = u", "2:1", "line 1 already"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(extents_beyond_64_bits_are_refused)
{
    static const bad rows[] = {
        {"grid x 9223372036854775808\nfield u\nu' = u", "1:8", "extent of the axis x"},
        {"grid x 1e30\nfield u\nu' = u", "1:8", "extent of the axis x"},
        {"grid x 1e400\nfield u\nu' = u", "1:8", "too large"},
        {"grid x 2^70\nfield u\nu' = u", "1:8", "extent of the axis x"},
        {"grid x 4294967296, y 4294967296\nfield u\nu' = u", "1:1",
         "the grid is too large: its "},
        {"grid x 3e9, y 3e9, z 3e9\nfield u\nu' = u", "1:1",
         "the grid is too large: its "},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(values_of_borders_read_closed_fields_on_the_face_and_inwards)
{
    static const bad rows[] = {
        {HEAT "u' = laplace(u)\nborder u = u[1,0]", "4:12",
         "read outwards at the face x+"},
        {HEAT "u' = laplace(u)\nborder u = 0\nborder u = u[-1,0] at x-", "5:12",
         "read outwards at the face x-"},
        {HEAT "u' = laplace(u)\nborder u = 0\nborder u = dx(u) at x-", "5:15",
         "read outwards"},
        {HEAT "u' = laplace(u)\nborder u = 0\nborder u = u[1,1] at x-", "5:12",
         "read along the face x-"},
        {HEAT "u' = laplace(u)\nborder u = 0\nborder u = u[9,0] at x-", "5:12",
         "9 points inwards at the face x-, at a point that"},
        {HEAT "field v\nu' = laplace(u)\nv' = v\nborder u = v", "6:12",
         "declare the field 'v' before 'u'"},
        {HEAT "field v\nv' = laplace(v)\nu' = u\nborder v = u\nborder u = 0", "6:12",
         "move that equation before the one of 'v'"},
        {HEAT "field c\nu' = u*laplace(c)\nborder c = u", "5:12",
         "'c' has no equation, and cannot read 'u'"},
        {HEAT "field v\nu' = u\nv' = laplace(v)\nborder v = u\nborder u = 0\n"
              "inject 1 into u at (3, 3)",
         "6:12", "a source adds to it"},
        {HEAT "u' = laplace(u)\nborder u = 0.5*u", "4:16", "where this border gives it"},
        {HEAT "u' = laplace(u)\nborder u = u'", "4:12", "u' cannot stand in"},
        {HEAT "u' = laplace(u)\nborder u = prev(u)", "4:12", "prev(u) cannot stand in"},
        {HEAT "u' = laplace(u)\nborder u = sum(u)", "4:12", "over the grid cannot stand"},
        {HEAT "solve laplace(u) = 1 by cg to 1e-3\nborder neumann u = -u", "4:20",
         "'u' is solved for"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(insulated_masks_hold_on_the_grid)
{
    static const bad rows[] = {
        {HEAT "field c coarse\nu' = u\nc' = restrict(u)\nmask x > 3 insulated", "6:1",
         "'c' is coarse"},
        {HEAT "u' = u\nmask x > 3 insulated u", "4:22", "'u'"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(names_are_checked)
{
    static const bad rows[] = {
        {HEAT "u' = uu", "3:6", "did you mean 'u'?"},
        {HEAT "u' = lapalce(u)", "3:6", "did you mean 'laplace'?"},
        {HEAT "v' = u", "3:1", "unknown field 'v'"},
        {HEAT "field u\nu' = u", "3:7", "'u'"},
        {HEAT "param u = 1\nu' = u", "3:7", "'u'"},
        {HEAT "field x\nu' = u", "3:7", "'x'"},
        {HEAT "let laplace(a) = a\nu' = u", "3:5", "'laplace' is a function"},
        {HEAT "param grid = 1\nu' = u", "3:7", "grid"},
        {HEAT "param pi = 3\nu' = u", "3:7", "'pi'"},
        {HEAT "param 2a = 3\nu' = u", "3:7", "'2a' begins with a digit"},
        {HEAT "param a\nu' = u", "3:8", "'='"},
        {HEAT "param a = b; b = 1\nu' = a*u", "3:11", "unknown name 'b'"},
        {HEAT "paran a = 1\nu' = u", "3:1", "did you mean 'param'?"},
        {HEAT "a = 1\nu' = u", "3:1", "param a = ..."},
        {HEAT "u' = u\nu' = 2*u", "4:1", "line 3 already"},
        {HEAT "let f(a, a) = a\nu' = u", "3:10", "given twice"},
        {HEAT "let f(x) = x\nu' = u", "3:7", "is a coordinate"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(expressions_are_checked)
{
    static const bad rows[] = {
        {HEAT "u' = ", "3:5", "an expression is missing"},
        {HEAT "u' = u +", "3:9", "an expression is missing"},
        {HEAT "u' = (u", "3:8", "')' is missing"},
        {HEAT "u' = u)", "3:7", "')'"},
        {HEAT "u' = u[1,0", "3:11", "']' is missing"},
        {HEAT "u' = u[1]", "3:7", "1 offset for a grid of 2 axes"},
        {HEAT "u' = u[1,0,0]", "3:7", "3 offsets for a grid of 2 axes"},
        {HEAT "u' = u[0.5,0]", "3:8", "an offset"},
        {HEAT "u' = u[1000000000,0]", "3:8", "an offset"},
        {HEAT "u' = u[-1025,0]", "3:8", "an offset"},
        {HEAT "u' = u[x,0]", "3:8", "offset"},
        {HEAT "u' = 2u", "3:6", "a product is written"},
        {HEAT "u' = 1.2.3", "3:6", "second point"},
        {HEAT "u' = u u", "3:8", "'u' is not expected"},
        {HEAT "u' = u ** 2", "3:8", "a power is written ^"},
        {HEAT "u' = u & u", "3:8", "written 'and'"},
        {HEAT "u' = $HOME", "3:6", "'$' has no meaning"},
        {HEAT "u' = `id`", "3:6", "no meaning"},
        {HEAT "u' = \"u\"", "3:6", "a text stands here"},
        {HEAT "u' = \"u", "3:6", "not closed"},
        {HEAT "u' = 1 < u < 2", "3:12", "do not follow one another"},
        {HEAT "u' = u < 2", "3:6", "number"},
        {HEAT "u' = where(u, 1, 2)", "3:12", "condition"},
        {HEAT "u' = where(u < 1, 1)", "3:6", "'where' takes 3 arguments, not 2"},
        {HEAT "u' = exp()", "3:10", "nothing stands in the parentheses"},
        {HEAT "u' = exp(1, 2)", "3:6", "'exp' takes 1 argument, not 2"},
        {HEAT "u' = u(1)", "3:6", "takes no arguments"},
        {HEAT "u' = exp", "3:6", "exp"},
        {HEAT "u' = not u", "3:6", "condition"},
        {HEAT "u' = -", "3:7", "an expression is missing"},
        {HEAT "u' = 1e999999*u", "3:6", "too large"},
        {HEAT "param a = 1\nu' = a'", "4:6", "only the name of a field"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(derivatives_are_checked)
{
    static const bad rows[] = {
        {HEAT "u' = dz(u)", "3:6", "needs an axis z"},
        {HEAT "u' = laplace(u, order 3)", "3:23", "even"},
        {HEAT "u' = laplace(u, order 0)", "3:23", "from 2 to 32"},
        {HEAT "u' = laplace(u, order 1000000)", "3:23", "from 2 to 32"},
        {HEAT "u' = laplace(u, order x)", "3:23", "'order'"},
        {HEAT "u' = laplace(u, order -2)", "3:23", "'order'"},
        {HEAT "u' = dxx(u, at +1/2)", "3:16", "half a cell"},
        {HEAT "u' = dx(u, at 1/2)", "3:15", "+1/2 or -1/2"},
        {HEAT "u' = dxxxxx(u)", "3:6", "dxxxxx"},
        {HEAT "u' = exp(u, order 2)", "3:19", "belongs to derivatives"},
        {HEAT "u' = laplace(u, order 24)\nborder periodic", "3:14",
         "at least 12 points along x"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(levels_are_checked)
{
    static const bad rows[] = {
        {HEAT "u' = prev(u, 0)", "3:14", "age"},
        {HEAT "u' = prev(u, 16)", "3:14", "age"},
        {HEAT "u' = prev(u, 1e9)", "3:14", "age"},
        {HEAT "u' = prev(2)", "3:6", "the name of a field"},
        {HEAT "field c = 1\nu' = prev(c)", "4:6", "never updated"},
        {HEAT "u' = u'", "3:6", "its own equation"},
        {HEAT "field v\nu' = v'\nv' = u", "4:6", "before its equation"},
        {HEAT "field v\nu' = v'", "4:6", "no equation"},
        {HEAT "prev(u) = 1\nu' = u", "3:1", "prev(u, 1)"},
        {HEAT "u' = prev(u)\nprev(u) = 1\nprev(u) = 2", "5:1", "twice"},
        {HEAT "u' = u\nmeasure m = sum(prev(u, 5))", "4:17", "prev(u"},
        {HEAT "field v = u'\nu' = u", "3:11", "u'"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(borders_are_checked)
{
    static const bad rows[] = {
        {HEAT "u' = u[1,0]", "3:6", "x+"},
        {HEAT "u' = u[1,0]\nborder u = 0 at x-", "3:6", "x+"},
        {HEAT "u' = u\nborder u = 0 at w-", "4:17", "a face is missing"},
        {HEAT "u' = u\nborder u = 0 at z-", "4:17", "no axis z"},
        {HEAT "u' = u\nborder u = 0 at x", "4:17", "a face is missing"},
        {HEAT "u' = u\nborder u = 0 beyond at y+", "4:21",
         "faces are x-, x+, y- and y+, as in border u = 0 beyond x-, x+"},
        {HEAT "u' = u\nborder u = 0 y+", "4:14",
         "'at' or 'beyond' is missing before 'y+'"},
        {HEAT "u' = u\nborder u = 0 at x- and x+", "4:20",
         "a comma is missing; faces are"},
        {HEAT "u' = u\nborder u = periodic", "4:12",
         "'periodic' stands without '=', as in border periodic u"},
        {HEAT "u' = u\nabsorb 2 cells y-", "4:16",
         "'at' is missing before 'y-'; faces are x-, x+, y- and y+, as in absorb 8"},
        {HEAT "u' = u\nabsorb cells 2", "4:8", "as in absorb 8 cells"},
        {HEAT "u' = u\nborder v = 0", "4:8", "unknown field 'v'"},
        {HEAT "u' = u\nborder", "4:7", "a border needs"},
        {HEAT "u' = u\nborder soft u", "4:8", "soft"},
        {HEAT "u' = u\nborder periodic = 1", "4:19", "takes no value"},
        {HEAT "u' = u\nborder periodic at x-", "4:1", "must hold on both"},
        {HEAT "u' = u\nborder mirror beyond x-", "4:15", "'beyond' goes with a value"},
        {HEAT "u' = u\nborder u = sum(u)", "4:12", "the value of a border"},
        {HEAT "u' = u\nborder u = 0/0", "4:14", "the divisor is 0"},
        {HEAT "u' = u\nborder u = log(-1)", "4:12", "finite"},
        {HEAT "u' = u\nborder u = 1/0", "4:14", "the divisor is 0"},
        {"grid x 3\nfield u\nu' = u[4]\nborder periodic", "3:6", "3 points"},
        {"grid x 3\nfield u\nu' = u[3]\nborder neumann", "3:6", "3 points"},
        {"grid x 1\nfield u\nu' = u[-2]\nborder mirror", "3:6", "1 point"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(layers_masks_and_stencils_are_checked)
{
    static const bad rows[] = {
        {HEAT "u' = u\nabsorb 0 cells", "4:8", "absorbing cells"},
        {HEAT "u' = u\nabsorb 11 cells", "4:8", "do not fit"},
        {HEAT "u' = u\nabsorb 1e12 cells", "4:8", "absorbing cells"},
        {HEAT "u' = u\nabsorb 3", "4:9", "'cells'"},
        {HEAT "u' = u\nabsorb 3 cells strength -1", "4:25", "negative"},
        {HEAT "u' = u\nabsorb 3 cells\nborder periodic", "4:1", "periodic"},
        {HEAT "u' = u\nmask 3", "4:6", "condition"},
        {HEAT "u' = u\nmask v = 1 < 2", "4:6", "unknown field 'v'"},
        {HEAT "field c\nu' = u\nmask c = x < 2", "5:1", "never updated"},
        {HEAT "u' = u\nmask x < 2\nmask x < 3", "5:1", "already"},
        {HEAT "stencil s { corner 1 }\nu' = s(u)", "3:13",
         "no neighbours of class 'corner'"},
        {HEAT "stencil s { middle 1 }\nu' = s(u)", "3:13", "begins with"},
        {HEAT "stencil s { [1] 1 }\nu' = s(u)", "3:13", "1 offset for a grid of 2 axes"},
        {HEAT "stencil s { [1,0] 1, [1,0] 2 }\nu' = s(u)", "3:28", "twice"},
        {HEAT "stencil s { [1,0] 1, face 2 }\nu' = s(u)", "3:22", "either a list"},
        {HEAT "stencil s { box 1, 2, 3 }\nu' = s(u)", "3:13", "these are 3"},
        {HEAT "stencil s { }\nu' = u", "3:9", "no neighbours"},
        {HEAT "stencil s { centre 1\nu' = s(u)", "3:21", "'}' is missing"},
        {HEAT "stencil s { [99999,0] 1 }\nu' = s(u)", "3:14", "an offset"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(what_follows_a_step_is_checked)
{
    static const bad rows[] = {
        {HEAT "u' = u\ninject 1 into v at (1,1)", "4:15", "unknown field 'v'"},
        {HEAT "u' = u\ninject 1 into u at (1)", "4:20",
         "1 coordinate for a grid of 2 axes"},
        {HEAT "u' = u\ninject 1 into u at (99,1)", "4:21", "outside of the grid"},
        {HEAT "u' = u\ninject 1 into u at (0/0,1)", "4:23", "the divisor is 0"},
        {HEAT "u' = u\ninject 1 into u", "4:16", "'at'"},
        {HEAT "field c\nu' = u\ninject 1 into c at (1,1)", "5:1", "never updated"},
        {HEAT "u' = u\ninject 1 into u at (1,1) by cubic", "4:29", "linear or sinc"},
        {HEAT "u' = u\nsample u along (0,0) to (1,1)", "4:30", "'count'"},
        {HEAT "u' = u\nsample u along (0,0) to (1,1) count 0", "4:37",
         "number of points"},
        {HEAT "u' = u\nmeasure m = u", "4:13", "sum, min, max or norm"},
        {HEAT "u' = u\nmeasure m = x", "4:13", "differs from point to point"},
        {HEAT "u' = u\nuntil 3", "4:7", "condition"},
        {HEAT "u' = u\nexpect max(u)", "4:8", "condition"},
        {HEAT "u' = u\nsteps 0", "4:7", "number of steps"},
        {HEAT "u' = u\nsteps -1", "4:7", "number of steps"},
        {HEAT "u' = u\nsteps 1.5", "4:7", "number of steps"},
        {HEAT "u' = u\nsteps 1e19", "4:7", "number of steps"},
        {HEAT "u' = u\nsteps 2\nsteps 3", "5:1", "line 4 already"},
        {HEAT "u' = u\noutput v", "4:8", "unknown field 'v'"},
        {HEAT "u' = u\noutput u every 0", "4:16", "every"},
        {"grid x 5, y 5, z 5\nfield u\nu' = u\noutput u slice x 5 into \"a.png\"", "4:18",
         "index of the slice"},
        {"grid x 5, y 5, z 5\nfield u\nu' = u\noutput u slice w 1 into \"a.png\"", "4:16",
         "is no axis of the grid"},
        {HEAT "u' = u\noutput u slice x 1 into \"a.png\"", "4:18", "of a 3-D grid"},
        {HEAT "u' = u\noutput u range 2 to 1 into \"a.png\"", "4:16", "upwards"},
        {HEAT "u' = u\noutput u into u.npy", "4:15", "stands in quotes"},
        {HEAT "u' = random(1)", "3:6", "only in initial values"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(grids_of_two_sizes_are_kept_apart)
{
    static const bad rows[] = {
        {HEAT "field e coarse\nu' = e", "4:6", "interpolate(e)"},
        {HEAT "field e coarse\nu' = restrict(u)", "4:15", "coarse"},
        {HEAT "field e coarse\ne' = interpolate(e)", "4:18", "interpolate"},
        {HEAT "field e coarse\ne' = restrict(e)", "4:15", "is coarse"},
        {HEAT "field e coarse\ne' = restrict(interpolate(e))", "4:15",
         "within one another"},
        {HEAT "field e coarse\ne' = laplace(u)", "4:14", "restrict"},
        {HEAT "field e coarse\ne' = e\ninject 1 into e at (0,0)", "5:15", "coarse"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(types_are_checked)
{
    static const bad rows[] = {
        {"grid x 5\nreal f16\nfield u\nu' = u", "2:6", "real f32 stored f16"},
        {"grid x 5\nreal double\nfield u\nu' = u", "2:6", "f32"},
        {"grid x 5\nreal f32\nreal f64\nfield u\nu' = u", "3:1", "line 2 already"},
        {"grid x 5\nreal f32\nfield u stored f64\nu' = u", "3:7", "wider"},
        {"grid x 5\nfield u stored u8\nu' = u", "2:16", "a type is missing"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(lets_do_not_call_themselves)
{
    static const bad rows[] = {
        {HEAT "let f(a) = f(a)\nu' = f(u)", "3:12", "f"},
        {HEAT "let f(a) = g(a)\nlet g(a) = f(a)\nu' = f(u)", "3:12", "g"},
        {HEAT "let f(a, b) = a\nu' = f(u)", "4:6", "'f' takes 2 arguments, not 1"},
        {HEAT "let f(a) = a\nu' = f", "4:6", "it needs an argument"},
        {HEAT "let f(a,b,c,d,e,g,i,j,k,l,m,n,o,p,q,r,s) = a\nu' = u", "3:39",
         "at most 16"},
        {HEAT "let f(a) = a\nu' = f(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", "4:6",
         "takes 1 argument, not 17"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(several_mistakes_are_reported_at_once)
{
    parse_bytes(HEAT "u' = uu\nborder v = 0\nsteps 0",
                strlen(HEAT "u' = uu\nborder v = 0\nsteps 0"));
    CHECK(strstr(pav_message(), "bad.pav:3:6:"));
    CHECK(strstr(pav_message(), "bad.pav:4:8:"));
    CHECK(strstr(pav_message(), "bad.pav:5:7:"));
}

TEST(a_caret_points_at_the_word)
{
    CHECK_STATUS(parse_bytes(HEAT "u' = uu", strlen(HEAT "u' = uu")), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "u' = uu\n"));
    CHECK(strstr(pav_message(), "^~"));
}
