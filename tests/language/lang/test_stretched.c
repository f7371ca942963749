/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretched axes: their syntax, refusals, positions of points, and weights of
 * derivatives. */
#include <math.h>

#include "parse_helper.h"

#define REST "\nfield u\nu' = dxx(u)\nborder u = 0\n"

TEST(a_stretched_axis_is_printed_as_it_is_read)
{
    CHECK(strstr(canonical("grid x 9 from 0 to 1 at x^2, y 4 spacing 2" REST),
                 "grid x 9 from 0 to 1 at x^2, y 4 spacing 2\n") != NULL);
}

TEST(points_lie_where_the_expression_puts_them)
{
    program *p = parse_good("grid x 5 from 0 to 2 at x^2/2, y 4" REST);
    CHECK(axis_stretched(p, 0) && !axis_stretched(p, 1));
    CHECK(axis_coordinate(p, 0, 0, 3) == 1.125);
    CHECK(axis_coordinate(p, 0, 1, 1) == 0.5);     /* every second point */
    CHECK(axis_coordinate(p, 0, 0, -3) == -1.125); /* mirrored at the ends */
    CHECK(axis_coordinate(p, 0, 0, 5) == 4 - 1.125);
    CHECK(axis_coordinate(p, 0, 0, 8) == 4); /* and again */
    CHECK(axis_width(p, 0, 0, 2) == (1.125 - 0.125) / 2);
    CHECK(axis_index(p, 0, 0.5 + 0.625 / 4) == 2.25);
    program_free(p);
}

TEST(a_periodic_axis_continues_with_its_first_point)
{
    program *p = parse_good("grid x 4 at x + x^2/16\nfield u = x\nu' = dx(u)\n"
                            "border periodic\n");
    CHECK(axis_coordinate(p, 0, 0, 4) == 5);
    CHECK(axis_coordinate(p, 0, 0, -1) == 3.5625 - 5);
    CHECK(axis_coordinate(p, 0, 0, 9) == 10 + 1.0625);
    program_free(p);
}

/* The position of point i, or of the middle behind it. Derivatives with half = -1 read
 * values at middles; all others read values at points. */
static double point_of(const program *p, int64_t i, bool middle)
{
    const double a = axis_coordinate(p, 0, 0, i);
    return middle ? (a + axis_coordinate(p, 0, 0, i + 1)) / 2 : a;
}

static double derived(const program *p, int64_t i, int m, int order, int half, int power)
{
    double weight[64], sum = 0;
    int first, count;
    CHECK(difference_taps(m, order, half, &first, &count));
    axis_weights(p, 0, 0, i, m, order, half, weight);
    for (int k = 0; k < count; k++)
        sum += weight[k] * pow(point_of(p, i + first + k, half < 0), power);
    return sum;
}

TEST(weights_are_exact_for_polynomials)
{
    program *p = parse_good("grid x 40 from 0 to 1 at x^2 + x" REST);
    for (int order = 2; order <= 6; order += 2)
        for (int half = -1; half <= 1; half++) {
            const double x = point_of(p, 20, half > 0);
            for (int power = 0; power <= order - (half != 0); power++) {
                const double exact = power ? power * pow(x, power - 1) : 0;
                CHECK_NEAR(derived(p, 20, 1, order, half, power), exact, 1e-9);
            }
        }
    const double x = point_of(p, 7, false);
    CHECK_NEAR(derived(p, 7, 2, 2, 0, 2), 2, 1e-10);
    CHECK_NEAR(derived(p, 7, 2, 4, 0, 4), 12 * x * x, 1e-8);
    program_free(p);
}

TEST(coordinates_that_do_not_grow_are_refused)
{
    CHECK(mistaken(
        "grid x 9 at (x - 2)^2" REST,
        "coordinates must grow, and along x point 0 lies at 4 and point 1 at 1"));
    CHECK(mistaken("grid x 9 at sqrt(x - 3)" REST, "point 0 of x lies at -nan"));
    CHECK(mistaken("grid x 1 at x" REST, "a stretched axis has from 2 to"));
    CHECK(mistaken("param a = max(u)\ngrid x 9 at x + y" REST, "'y'"));
}

TEST(a_file_that_is_missing_is_reported_with_its_place)
{
    CHECK(mistaken("grid x 9 at \"none.npy\"" REST, "text:1:13: ./none.npy cannot be"));
    CHECK(mistaken("grid x 9 from 0 to 1 at \"none.npy\"" REST, "leave out the range"));
}

TEST(spacings_that_differ_have_no_one_name)
{
    CHECK(mistaken("grid x 9 at x^2, y 4\nfield u\nu' = u*h\n", "'h' needs one spacing"));
    CHECK(mistaken("grid x 9 at x^2\nparam a = hx\nfield u\nu' = a*u\n",
                   "'hx' differs from point to point"));
    program_free(
        parse_good("grid x 9 at x^2 + x\nparam a = min(hx)\nfield u\nu' = a*u\n"));
}

TEST(what_needs_equal_spacings_says_so)
{
    CHECK(mistaken("grid x 99 at x^2 + x" REST "absorb 9 cells by pml\n",
                   "absorb by pml needs one spacing"));
    CHECK(mistaken("grid x 9 at x^2 + x" REST "sample u at (3) by sinc\n", "'by sinc'"));
    CHECK(mistaken("grid x 9 at x^2 + x" REST "sample dx(u) at (3)\n",
                   "weights of a derivative differ"));
    CHECK(mistaken("grid x 9 at x^2 + x, y 4\nfield u\noutput u into \"u.vti\"\n",
                   "write into a .vtr or .xdmf file"));
}

TEST(fields_go_around_a_stretched_axis_together)
{
    CHECK(mistaken("grid x 9 at x^2 + x\nfield u; v\nu' = dx(u)\nv' = dx(v)\n"
                   "border periodic u\nborder v = 0\n",
                   "'u' is periodic and 'v' is not"));
    CHECK(mistaken("grid x 9 at x^2 + x\nfield u; v\nu' = dx(u)\nv' = dx(v)\n"
                   "border periodic u\nborder clamp v at x-\nborder neumann v at x+\n",
                   "'u' is periodic and 'v' is not"));
    CHECK(mistaken("grid x 9 at x*sqrt(8 - x)/3\nfield u\nu' = u\n",
                   "coordinates must grow"));
    CHECK(mistaken("grid x 5 from 0 to 1 at 1 - sqrt(1 - x)\nfield u\nu' = dx(u)\n"
                   "border periodic\n",
                   "must say where the first point comes again"));
}

TEST(the_second_axis_of_x_and_z_is_z_in_messages)
{
    CHECK(mistaken("grid x 10, z 10 at -z\nfield u = x\noutput u", "along z point 0"));
}
