/* SPDX-License-Identifier: BSD-3-Clause */
/* Masks from files, in programs and in equations to solve, have the effect of the
 * condition they were made from. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "on_gpu.h"

#define DISC "(x - 12)^2 + (y - 10)^2 < 70"
enum { NX = 25, NY = 21 };

static char path[] = "/tmp/pavior-mask-XXXXXX";

/* Writes the points of the disc, or a mask of a wrong shape. */
static void write_mask(bool fits)
{
    static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    char head[128];
    (void)strcpy(path + strlen(path) - 6, "XXXXXX");
    const int file = mkstemp(path);
    FILE *out = file < 0 ? NULL : fdopen(file, "wb");
    REQUIRE(out != NULL);
    memset(head, ' ', sizeof head);
    memcpy(head, magic, sizeof magic);
    const int length = snprintf(
        head + 10, 118, "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }",
        fits ? NY : NX, fits ? NX : NY);
    head[10 + length] = ' ';
    head[127] = '\n';
    CHECK(fwrite(head, 1, 128, out) == 128);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            (void)fputc((x - 12) * (x - 12) + (y - 10) * (y - 10) < 70, out);
    (void)fclose(out);
}

/* `format` takes the mask. */
static double value_with(const char *format, const char *mask, const char *device,
                         const char *subdomains)
{
    const pav_run_options how = {.no_files = 1, .subdomains = subdomains};
    char source[1000];
    double value = NAN;
    begun b;
    (void)snprintf(source, sizeof source, format, mask);
    REQUIRE_OK(kept_open(source, device, &how, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    REQUIRE_OK(pav_run_get(b.run, "size", &value));
    close_begun(&b);
    return value;
}

static void check_alike(const char *format, const char *subdomains)
{
    char file[100];
    write_mask(true);
    (void)snprintf(file, sizeof file, "\"%s\"", path);
    const double size = value_with(format, DISC, "interpreter", NULL);
    CHECK(value_with(format, file, "interpreter", NULL) == size);
    CHECK(value_with(format, file, kept_kernels(), NULL) == size);
    if (subdomains)
        CHECK(value_with(format, file, "interpreter", subdomains) == size);
    if (on_gpu_there())
        CHECK(value_with(format, file, "emulated", NULL) == size);
    (void)unlink(path);
}

TEST(a_program_goes_by_a_file_as_by_its_condition)
{
    check_alike("grid x 25, y 21\nfield u = random(3)\nu' = u + 0.2*laplace(u)\nmask %s\n"
                "border u = 0\nsteps 12\nmeasure size = norm(u)\n",
                "2x2");
}

LONG_TEST(an_equation_goes_by_a_file_as_by_its_condition)
{
    check_alike("grid x 25, y 21\nfield u\nsolve -laplace(u) = x for u by auto to 1e-9\n"
                "mask %s\nborder u = 0\nmeasure size = norm(u)\n",
                NULL);
}

TEST(an_equation_in_a_step_does_so_too)
{
    check_alike("grid x 25, y 21\nfield u = x\n"
                "solve u' - 0.3*laplace(u') = u by auto to 1e-9\n"
                "mask u = %s\nborder u = 0\nsteps 5\nmeasure size = norm(u)\n",
                NULL);
}

TEST(a_condition_of_fields_masks_an_equation)
{
    const char *const format = "grid x 25, y 21\nfield u; rock = where(" DISC ", 1, 0)\n"
                               "solve -laplace(u) = x for u by auto to 1e-9\n"
                               "mask %s\nborder u = 0\nmeasure size = norm(u)\n";
    CHECK(value_with(format, "rock > 0.5", "interpreter", NULL) ==
          value_with(format, DISC, "interpreter", NULL));
}

TEST(auto_takes_cycles_that_are_fast_beside_a_mask)
{
    CHECK(value_with("grid x 65, y 65\nfield u\nmask %s\nborder u = 0\n"
                     "solve -laplace(u) = 1 for u by auto to 1e-9\nmeasure size = step\n",
                     "(x - 38)^2 + (y - 35)^2 >= 165", "interpreter", NULL) < 20);
}

TEST(a_mask_of_another_shape_is_reported_with_both)
{
    char source[300];
    begun b;
    write_mask(false);
    (void)snprintf(source, sizeof source,
                   "grid x 25, y 21\nfield u\nsolve -laplace(u) = x for u by cg to 1e-3\n"
                   "mask \"%s\"\nborder u = 0\n",
                   path);
    CHECK_STATUS(begin_text(source, NULL, &b), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "the file holds 25x21 (y, x), the grid is x 25, y 21"));
    close_begun(&b);
    (void)unlink(path);
}
