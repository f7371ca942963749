/* SPDX-License-Identifier: BSD-3-Clause */
/* The NaN check finds values that are not finite and names their origin. */
#include "opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char blow_up[] = "grid x 8, y 6\nfield v = 1\nfield u = 1\nv' = v\n"
                              "u' = where(x == 5 and y == 2 and step == 3, log(-u), u)\n"
                              "steps 10\n";

TEST(the_nan_check_names_field_place_and_step_of_what_is_not_finite)
{
    opened o = open_text(blow_up, NULL);
    CHECK_STATUS(pav_run_finish(o.run), PAV_ENOTFINITE);
    CHECK(message_has("field u") && message_has("(5, 2)") && message_has("step 4"));
    CHECK_EQ(pav_run_step(o.run), 4);
    close_opened(&o);
}

TEST(a_zero_pivot_is_reported_with_its_line)
{
    static const struct {
        const char *source, *words;
    } cases[] = {
        {"grid x 5, y 6, z 4\nfield s; b = where(x == 3 and y == 4 and z == 1, 1/4, 4)\n"
         "s' = tridiagonal(1, b, 1, x along z)\n",
         "text:3: the matrix of the line along z at (3, 4) has a zero pivot at z index "
         "1"},
        {"grid x 5, z 4\nfield s\ns' = s + tridiagonal(1, 1, 1, x along z)\n",
         "text:3: the matrix of every line along z has a zero pivot at z index 1"},
        {"grid x 9\nfield u = 0; f = x\nsolve -dxx(u) - u = f by transform to 1e-8\n"
         "border u = 0\n",
         "text:3: the matrix of every line along x has a zero pivot at x index 2"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        opened o = open_text(cases[k].source, &(pav_run_options){.nan_check_every = 1});
        CHECK_STATUS(pav_run_steps(o.run, 1), PAV_ENOTFINITE);
        CHECK(message_has(cases[k].words));
        close_opened(&o);
    }
}

TEST(the_nan_check_can_be_told_how_often_to_look)
{
    opened o = open_text(blow_up,
                         &(pav_run_options){.nan_check_every = 7, .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_ENOTFINITE);
    CHECK_EQ(pav_run_step(o.run), 7);
    close_opened(&o);
    o = open_text(blow_up, &(pav_run_options){.nan_check_every = -1, .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    close_opened(&o);
}

TEST(the_nan_check_says_when_it_last_found_all_finite)
{
    opened o = open_text("grid x 8\nfield u = 1\nu' = where(step == 9, log(-u), u)\n"
                         "steps 20\n",
                         &(pav_run_options){.nan_check_every = 7, .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_ENOTFINITE);
    CHECK(message_has("after step 14 (after step 7 all was finite)"));
    close_opened(&o);
}

/* Takes the first check of a description, before any step. */
static void watch(const char *source)
{
    opened o = open_text(source, NULL);
    CHECK_STATUS(pav_run_steps(o.run, 0), PAV_ENOTFINITE);
    close_opened(&o);
}

TEST(a_coefficient_that_is_nan_at_the_start_is_named)
{
    watch("grid x 8\nfield u = 1\nfield c = log(x - 2)\nu' = u + c[-1]\nborder c clamp\n"
          "border u clamp\n");
    CHECK(message_has("field c is not finite at point (0) at the start"));
    CHECK(message_has("text:3)") && message_has("log(x - 2)") && message_has("nan"));
    CHECK(!message_has("time step"));
}

TEST(a_weight_of_an_equation_is_named_by_a_quotient_of_the_description)
{
    const char *program =
        "grid x 33 from 0 to 1, y 33 from 0 to 1\nfield k = x*y\nfield u; f = 1\n"
        "solve -(dx(1/(k - 0.25)*dx(u, at +1/2), at -1/2) + dyy(u)) = f for u by auto to "
        "1e-8\nborder u = 0\nborder mirror k\n";
    opened o = open_text(program, &(pav_run_options){.no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_ENOTFINITE);
    CHECK(
        message_has("text:4: a weight of the equation is nan at point (16, 8) of coarse "
                    "grid 1: "));
    CHECK(message_has("because a divisor is 0, as in 1/(k - 0.25)"));
    CHECK(!message_has("mg_"));
    close_opened(&o);
}

TEST(a_cause_is_named_and_not_its_effect)
{
    watch("grid x 8\nfield c = 1/(x - 5)\nfield u = 2*c\nu' = c*u\n");
    CHECK(message_has("field c") && message_has("(5)") && message_has("inf"));
}

TEST(an_older_level_is_named_with_its_age)
{
    watch("grid x 4\nfield u\nprev(u) = sqrt(1 - x)\nu' = u + prev(u)\n");
    CHECK(message_has("prev(u, 1) is not finite at point (2)"));
    CHECK(message_has("sqrt(1 - x)") || message_has("sqrt(-x + 1)"));
}

TEST(what_narrow_storage_cannot_hold_is_reported)
{
    watch("grid x 4\nreal f32\nfield c stored f16 = 30000*x\nfield u\nu' = c*u\n");
    CHECK(message_has("field c") && message_has("(3)") && message_has("65504"));
    CHECK(message_has("bf16 or f32"));
}

TEST(a_file_is_named_as_the_source)
{
    char path[] = "/tmp/pavior-test-XXXXXX.npy", source[200];
    static const char head[] = "\x93NUMPY\1\0v\0{'descr': '<f8', 'fortran_order': False, "
                               "'shape': (3,), }";
    char bytes[128 + 24];
    const double values[] = {1, 2, (double)NAN};
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, head, sizeof head - 1);
    bytes[127] = '\n';
    memcpy(bytes + 128, values, sizeof values);
    const int descriptor = mkstemps(path, 4);
    REQUIRE(descriptor >= 0);
    REQUIRE(write(descriptor, bytes, sizeof bytes) == (ssize_t)sizeof bytes);
    REQUIRE(close(descriptor) == 0);
    snprintf(source, sizeof source, "grid x 3\nfield u\nfield c = \"%s\"\nu' = c*u\n",
             path);
    watch(source);
    CHECK(message_has("field c is not finite at point (2)") && message_has(path));
    unlink(path);
}

TEST(a_border_value_that_is_not_finite_is_named_as_such)
{
    watch("grid x 8, y 4\nfield u\nu' = u + u[1,0]\nborder u = log(-y)/0.5 at x+\n"
          "border u = 0 at x-, y-, y+\n");
    CHECK(message_has("the border at x+") && message_has("text:4)"));
    CHECK(message_has("log("));
}

TEST(a_border_value_beyond_the_face_is_watched_too)
{
    watch("grid x 8\nfield u\nu' = u + u[1]\nborder u = sqrt(-1 - t) beyond\n");
    CHECK(message_has("field u is not finite at point (7)"));
    CHECK(message_has("the border at x+"));
}

TEST(a_border_that_stops_to_be_finite_is_reported_from_the_scheme)
{
    opened o = open_text("grid x 8\nfield u = 1\nu' = u + u[1]\n"
                         "border u = sqrt(2 - t)\nsteps 9\n",
                         NULL);
    CHECK_STATUS(pav_run_finish(o.run), PAV_ENOTFINITE);
    CHECK(message_has("after step 3") && message_has("the border at x"));
    CHECK(!message_has("time step too long"));
    close_opened(&o);
}

TEST(a_flux_through_the_border_of_a_broken_field_is_not_blamed)
{
    opened o = open_text(
        "grid x 8\nfield u = 1\nu' = where(x == 1, log(-u), u) + 0*u[-1]\n"
        "border neumann u = 1\nsteps 9\n",
        NULL);
    CHECK_STATUS(pav_run_finish(o.run), PAV_ENOTFINITE);
    CHECK(message_has("point (1)") && message_has("time step"));
    close_opened(&o);
}

TEST(a_flux_that_is_not_finite_is_named)
{
    watch("grid x 8\nfield u\nu' = u + u[-1]\nborder neumann u = log(-1 - t)\n");
    CHECK(message_has("the border at x-") && message_has("(0)"));
}

TEST(a_param_that_is_nan_is_named)
{
    watch("grid x 8\nfield u = 1\nparam a = log(min(u) - 2)\nu' = a*u\n");
    CHECK(message_has("text:3") && message_has("param a is nan"));
}

TEST(values_that_were_written_are_reported_to_be)
{
    opened o = open_text("grid x 2\nfield u\nfield c = 1\nu' = c*u\n", NULL);
    const double c[] = {1, (double)INFINITY};
    REQUIRE_OK(pav_field_write(o.run, "c", 0, PAV_F64, c, 2));
    CHECK_STATUS(pav_run_steps(o.run, 1), PAV_ENOTFINITE);
    CHECK(message_has("field c") && message_has("pav_field_write"));
    close_opened(&o);
}
