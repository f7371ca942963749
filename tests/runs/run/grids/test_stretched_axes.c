/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs on stretched axes: order of the schemes, bitwise identity of all devices, files of
 * coordinates, and text of outputs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "on_gpu.h"

/* A measure at the end of a run on a device. */
static double measured(const char *device, const char *source, const char *name)
{
    const pav_run_options plain = {.no_files = 1};
    double value = NAN;
    begun b = {0};
    REQUIRE_OK(pav_device_open(device, &b.device));
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &b.program));
    REQUIRE_OK(pav_run_open(b.program, b.device, &plain, &b.run));
    REQUIRE_OK(pav_run_finish(b.run));
    REQUIRE_OK(pav_run_get(b.run, name, &value));
    close_begun(&b);
    return value;
}

/* Heat with a known solution in `dim` dimensions, n points an axis. */
static const char *heat(int dim, int n)
{
    static const char *const grids[] = {
        "grid x %d from 0 to 1 at x + 0.4*x*(1 - x)\n",
        "grid x %d from 0 to 1 at x + 0.4*x*(1 - x), y %d from 0 to 1 at "
        "tanh(y)/tanh(1)\n",
        "grid x %d from 0 to 1 at x + 0.4*x*(1 - x), y %d from 0 to 1 at "
        "tanh(y)/tanh(1), z %d from 0 to 1\n"};
    static const char *const shapes[] = {"cos(pi*x)", "cos(pi*x)*sin(pi*y)",
                                         "cos(pi*x)*sin(pi*y)*sin(pi*z)"};
    static char source[1000];
    char grid[300];
    (void)snprintf(grid, sizeof grid, grids[dim - 1], n, n, n);
    (void)snprintf(source, sizeof source,
                   "%sparam dt = 0.02/%d^2; rate = %d*pi^2\n"
                   "let exact = exp(-rate*t)*%s\nfield u = exact\n"
                   "u' = u + dt*laplace(u)\nborder u = exact\nborder neumann u at x-\n"
                   "steps %d\nmeasure error = max(abs(u - exact))\n"
                   "measure size = norm(u)\n",
                   grid, n - 1, dim, shapes[dim - 1], 2 * (n - 1) * (n - 1));
    return source;
}

TEST(the_laplacian_is_of_order_2_in_each_dimension)
{
    for (int dim = 1; dim <= 3; dim++) {
        const double coarse = measured("interpreter", heat(dim, 9), "error");
        const double fine = measured("interpreter", heat(dim, 17), "error");
        CHECK_NEAR(coarse / fine, 4, 0.5);
    }
}

TEST(kernels_and_an_emulated_gpu_have_the_interpreters_bits)
{
    const double size = measured("interpreter", heat(3, 13), "size");
    CHECK(measured(kept_kernels(), heat(3, 13), "size") == size);
    if (on_gpu_there())
        CHECK(measured("emulated", heat(3, 13), "size") == size);
}

TEST(a_flux_beyond_a_wall_counts_the_way_to_its_image)
{
    CHECK(measured("interpreter",
                   "grid x 9 at x^2 + x\nfield u = 3*x; v\nv' = dx(u)\n"
                   "border neumann u = -3 at x-\nborder neumann u = 3 at x+\nsteps 1\n"
                   "measure off = max(abs(v - 3))\n",
                   "off") < 1e-13);
}

TEST(sums_of_widths_are_integrals)
{
    CHECK_NEAR(measured("interpreter",
                        "grid x 200 from 0 to 1 at x^2/2 + x/2, y 7 spacing 1/7\n"
                        "field u = x\nmeasure all = sum(hx*hy*u)\n",
                        "all"),
               0.5, 0.01);
}

TEST(receivers_and_sources_lie_between_points_by_their_coordinates)
{
    CHECK_NEAR(measured("interpreter",
                        "grid x 9 at x^2\nfield u\nu' = u\ninject 1 into u at (5)\n"
                        "steps 1\nmeasure there = max(where(x == 4, u, 0))\n",
                        "there"),
               0.8, 1e-15);
}

static void write_numbers(const char *path, const double *value, int count)
{
    static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    char head[128];
    FILE *out = fopen(path, "wb");
    REQUIRE(out != NULL);
    memset(head, ' ', sizeof head);
    memcpy(head, magic, sizeof magic);
    const int length = snprintf(
        head + 10, 118, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }",
        count);
    head[10 + length] = ' ';
    head[127] = '\n';
    CHECK(fwrite(head, 1, 128, out) == 128);
    CHECK(fwrite(value, 8, (size_t)count, out) == (size_t)count);
    (void)fclose(out);
}

/* The status of a description with a temporary file of these numbers. */
static pav_status with_file(const char *format, const double *value, int count,
                            double *measure)
{
    char path[] = "/tmp/pavior-axis-XXXXXX", source[600];
    const int file = mkstemp(path);
    REQUIRE(file >= 0);
    (void)close(file);
    write_numbers(path, value, count);
    (void)snprintf(source, sizeof source, format, path);
    begun b;
    const pav_status status = begin_text(source, NULL, &b);
    if (status == PAV_OK) {
        REQUIRE_OK(pav_run_finish(b.run));
        REQUIRE_OK(pav_run_get(b.run, "m", measure));
    }
    close_begun(&b);
    (void)unlink(path);
    return status;
}

TEST(a_file_holds_coordinates_or_spacings)
{
    const double at[] = {-1, 0, 0.5, 4}, gap[] = {1, 0.5, 3.5, 2};
    double m = NAN;
    REQUIRE_OK(
        with_file("grid x 4 at \"%s\"\nfield u = x\nmeasure m = sum(u)\n", at, 4, &m));
    CHECK(m == 3.5);
    REQUIRE_OK(with_file("grid x 4 spacing \"%s\"\nfield u = x\nmeasure m = sum(u)\n",
                         gap, 3, &m));
    CHECK(m == 7.5);
    REQUIRE_OK(with_file("grid x 4 spacing \"%s\"\nfield u = x; v\nv' = u[1]*0 + hx\n"
                         "border periodic\nsteps 1\nmeasure m = sum(v)\n",
                         gap, 4, &m));
    CHECK(m == 7);
}

TEST(a_file_that_does_not_fit_is_refused_with_both_numbers)
{
    const double at[] = {0, 1, 1, 2, NAN};
    double m = NAN;
    CHECK_STATUS(
        with_file("grid x 9 at \"%s\"\nfield u\nmeasure m = sum(u)\n", at, 5, &m),
        PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "holds 5 values; the axis x has 9 points"));
    CHECK_STATUS(
        with_file("grid x 4 at \"%s\"\nfield u\nmeasure m = sum(u)\n", at, 4, &m),
        PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "point 1 lies at 1 and point 2 at 1"));
    CHECK_STATUS(with_file("grid x 2 spacing \"%s\"\nfield u\nmeasure m = sum(u)\n",
                           at + 4, 1, &m),
                 PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "which is no place"));
}

#define FILES "grid x 4 from 0 to 3 at x^2, y 3\nfield u = x\n"

TEST(outputs_say_where_points_lie)
{
    int64_t length;
    finish_in_folder(FILES "output u into \"u.vtr\"\n");
    const char *vtr = folder_take("u.vtr", &length);
    CHECK(strstr(vtr, "<RectilinearGrid WholeExtent=\"0 3 0 2 0 0\">"));
    CHECK(strstr(vtr, "Name=\"x\" format=\"ascii\">0 1 4 9</DataArray>"));
    finish_in_folder(FILES "output u crop (1, 1) to (3, 1) into \"u.csv\"\n");
    CHECK_STR(folder_take("u.csv", &length), "x,y,u\n1,1,1\n4,1,4\n9,1,9\n");
}

TEST(a_picture_has_equal_spacings)
{
    int64_t length;
    finish_in_folder(FILES "output u into \"u.png\"\n");
    CHECK(memcmp(folder_take("u.png", &length), "\x89PNG", 4) == 0);
}
