/* SPDX-License-Identifier: BSD-3-Clause */
/* The dot test (F x, y) = (x, F' y) holds for every border, layer, derivative and order
 * of equations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "imaging/imaging.h"
#include "test.h"

/* The difference of the two products, relative to |F x| |y|. */
static double dot_error(const char *source)
{
    pav_device *device = NULL;
    pav_program *p = NULL;
    double forward = 0, backward = 0, size = 0;

    REQUIRE_OK(pav_device_open("interpreter", &device));
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    const pav_status status = pav_adjoint_test(p, device, NULL, &forward, &backward,
                                               &size);
    pav_program_free(p);
    pav_device_free(device);
    REQUIRE_OK(status);
    CHECK(size > 0);
    return fabs(forward - backward) / size;
}

#define SOURCE                                                                           \
    "inject 1 into u at (4.3, 5)\nsample u at (6, 4.6), (2, 7) every 2\nsteps 9\n"
#define PLANE "grid x 11, y 10\nfield u; c = 0.3 + 0.01*x + 0.02*y*x\n"
#define WAVE PLANE "u' = 2*u - prev(u) + c^2*laplace(u, order 4)\n"

static const char four[] =
    "border mirror u at x-\nborder odd u at y-\nborder clamp u at x+\n"
    "border neumann u at y+";
static const char given[] =
    "border neumann u = 0.3 at x-\nborder u = 2 at x+\nborder odd u at y-, y+\n"
    "border clamp c";
#define TWO "border odd u at x-, y+\nborder clamp u at x+, y-"

TEST(borders_are_transposed)
{
    static const char *const border[] = {
        "border u = 0",
        "border u = 1 beyond",
        "border periodic u",
        "border mirror u",
        "border odd u",
        "border neumann u",
        "border clamp u",
        four,
        "border antimirror u",
        "border clamp u, c\nborder antimirror u at x-, y+",
        given,
    };
    for (size_t k = 0; k < sizeof border / sizeof *border; k++) {
        char source[1024];
        (void)snprintf(source, sizeof source, "%s%s\n%s",
                       k == 2 ? "grid x 11, y 10\nfield u; c = 0.3\n"
                                "u' = 2*u - prev(u) + c^2*laplace(u, order 4)\n"
                              : WAVE,
                       border[k], SOURCE);
        CHECK_NEAR(dot_error(source), 0, 1e-13);
    }
}

TEST(derivatives_that_are_not_symmetric_are_transposed)
{
    static const char *const update[] = {
        "u' = u + 0.1*c*dx(u, order 4) - 0.2*dy(c*u)",
        "u' = u + c*(u[1,0] - 2*u + u[-2,1])",
        "stencil s { [0,0] 0.5, [-1,0] c, [-1,1] c/9, [0,-2] 1 }\nu' = s(u) + c*s(s(u))",
        "u' = where(x > 4, u + 0.1*dxy(u), c*u[0,1]) - prev(u, 2)/7",
        "let f = c*dx(u, at +1/2)\nu' = u + 0.1*dx(f, at -1/2)",
    };
    static const char *const border[] = {"border mirror u", TWO};
    for (size_t k = 0; k < sizeof update / sizeof *update; k++)
        for (int b = 0; b < 2; b++) {
            char source[1024];
            (void)snprintf(source, sizeof source, PLANE "%s\nborder clamp c\n%s\n%s",
                           update[k], border[b], SOURCE);
            CHECK_NEAR(dot_error(source), 0, 1e-13);
        }
}

TEST(absorbing_layers_are_transposed)
{
    CHECK_NEAR(dot_error(WAVE "absorb 4 cells\n" SOURCE), 0, 1e-13);
    CHECK_NEAR(
        dot_error(WAVE "absorb 4 cells at x-, x+, y+\nborder mirror u at y-\n" SOURCE), 0,
        1e-13);
    CHECK_NEAR(dot_error(WAVE "absorb 3 cells by pml\n" SOURCE), 0, 1e-13);
    CHECK_NEAR(
        dot_error(WAVE
                  "border odd u at y-\nabsorb 3 cells at x-, x+, y+ by pml\n" SOURCE),
        0, 1e-13);
    CHECK_NEAR(dot_error(WAVE "border mirror u at y-\nabsorb 3 cells by pml\n" SOURCE), 0,
               1e-13);
}

#define STAGGERED                                                                        \
    "grid x 11, y 10\nfield vx; vy; p; c = 0.3 + 0.01*x; r = 1 + 0.02*y\n"               \
    "vx' = vx + 0.5/r*dx(p, order 4, at +1/2)\n"                                         \
    "vy' = vy + 0.5/r*dy(p, order 4, at +1/2)\n"                                         \
    "p' = p + c*(dx(vx', order 4, at -1/2) + dy(vy', order 4, at -1/2))\n"               \
    "inject 1 into p at (4.3, 5)\nsteps 9\n"

TEST(equations_that_read_new_values_are_transposed)
{
    CHECK_NEAR(dot_error(STAGGERED "border vx, vy, p = 0 beyond\nsample p at (6, 4.6)\n"),
               0, 1e-13);
    CHECK_NEAR(dot_error(STAGGERED "border odd p\nborder mirror vx, vy\n"
                                   "sample p at (6, 4.6)\n"),
               0, 1e-13);
    CHECK_NEAR(dot_error(STAGGERED "absorb 3 cells by pml\nsample p at (6, 4.6)\n"), 0,
               1e-13);
    CHECK_NEAR(dot_error(STAGGERED "border vx, vy, p = 0 beyond\nsample vx at (6, 4)\n"),
               0, 1e-13);
}

TEST(samples_of_several_fields_and_lines_are_receivers)
{
    static const char *const samples[] = {
        "sample p at (6, 4.6)\nsample vx, vy along (2, 3) to (8, 4) count 3 every 2\n",
        "sample 2*vx - p[1,0]/3, dx(vy) at (6,4.3), (5,5) by linear\nsample p at (2,7)\n",
        "sample p at (6, 4.6)\nsample p at (6, 4.6) every 3\n",
    };
    static const char *const border[] = {"absorb 3 cells by pml\n", "absorb 2 cells\n",
                                         "border odd p\nborder mirror vx, vy\n"};
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
        for (size_t b = 0; b < sizeof border / sizeof *border; b++) {
            char source[1024];
            (void)snprintf(source, sizeof source, STAGGERED "%s%s", border[b],
                           samples[k]);
            CHECK_NEAR(dot_error(source), 0, 1e-13);
        }
}

TEST(a_wave_in_f32_and_in_three_dimensions_is_transposed)
{
    CHECK_NEAR(dot_error("real f32\n" WAVE "absorb 3 cells by pml\n" SOURCE), 0, 1e-5);
    CHECK_NEAR(dot_error("grid x 7, y 8, z 6\nfield u; c = 0.2 + 0.01*z\n"
                         "u' = 2*u - prev(u) + c^2*laplace(u)\nborder mirror u at z-\n"
                         "absorb 2 cells at x-, x+, y-, y+, z+\n"
                         "inject 1 into u at (3, 3.5, 2)\n"
                         "sample u along (1, 1, 1) to (5, 6, 1) count 4\nsteps 7\n"),
               0, 1e-13);
}

#define ISLAND "mask not (abs(x - 8) < 1.5 and abs(y - 6) < 1.5)\n"

TEST(points_that_masks_keep_send_nothing_back)
{
    CHECK_NEAR(dot_error(WAVE ISLAND "border odd u\n" SOURCE), 0, 1e-13);
    CHECK_NEAR(dot_error(WAVE "mask u = c < 0.8\n" ISLAND "absorb 3 cells by pml\n"
                              "border clamp c\n" SOURCE),
               0, 1e-13);
    CHECK_NEAR(dot_error(STAGGERED "mask vx = x != 5\n" ISLAND
                                   "border odd p\nborder mirror vx, vy\n"
                                   "sample vx, p at (6, 4.6), (5, 6)\n"),
               0, 1e-13);
}

static void check_refused(const char *source, const char *why)
{
    pav_program *p = NULL;
    char *said = NULL;

    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    CHECK(pav_program_adjoint(p, 0, &said) == PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), why) != NULL);
    pav_program_free(p);
}

TEST(what_is_not_linear_is_refused_with_its_term)
{
    check_refused(PLANE "u' = u + c*u*u\nborder mirror u\n" SOURCE,
                  "'c*u*u': a product of updated fields is not linear");
    check_refused(WAVE "mask u == 0\nborder mirror u\n" SOURCE,
                  "a mask of an updated field has no adjoint");
    check_refused(PLANE "u' = u + 1/u\nborder mirror u\n" SOURCE, "'1/u': a division");
    check_refused(PLANE "u' = u + exp(u)\nborder mirror u\n" SOURCE, "'exp(u)': a func");
    check_refused(PLANE "u' = u - sum(u)\nborder mirror u\n" SOURCE, "'sum(u)': a value");
    check_refused(WAVE "border mirror u\nsample sqrt(u) at (4, 4)\nsteps 3\n",
                  "expression 1 of this one is another");
    check_refused(WAVE "border mirror u\nsample dx(u) at \"p.npy\"\nsteps 3\n",
                  "at a list or a line of positions");
}

/* Each fold asks for the reach of each derivative of each equation. */
TEST(large_systems_between_mirrors_have_adjoints)
{
    enum { FIELDS = 12 };
    pav_program *p = NULL;
    char *said = NULL;
    text t = {0};

    text_add(&t, "grid x 20, y 20\nfield u0");
    for (int n = 1; n < FIELDS; n++)
        text_add(&t, "; u%d", n);
    for (int n = 0; n < FIELDS; n++) {
        text_add(&t, "\nu%d' = u%d", n, n);
        for (int k = 0; k < FIELDS; k++)
            text_add(&t, " + 0.1*dx(u%d, at %s1/2)", (n + k) % FIELDS, k % 2 ? "+" : "-");
    }
    text_add(&t, "\nborder mirror\ninject 1 into u0 at (5, 5)\nsample u1 at (6, 6)\n");
    REQUIRE_OK(pav_program_parse(t.data, (size_t)t.length, NULL, &p));
    CHECK_STATUS(pav_program_adjoint(p, 4, &said), PAV_OK);
    pav_text_free(said);
    pav_program_free(p);
    text_free(&t);
}
