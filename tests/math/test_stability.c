/* SPDX-License-Identifier: BSD-3-Clause */
/* Before its first step a run warns if the time step of a linear scheme is too long, and
 * gives the longest stable step. The tests compare this step with textbooks (von
 * Neumann's analysis) and with actual runs. */
#include <stdio.h>
#include <stdlib.h>

#include "trial.h"

typedef struct told {
    char warning[400];
} told;

static int hear(void *user, pav_event event, const pav_progress *progress,
                const char *text)
{
    told *t = user;
    (void)progress;
    if (event == PAV_EVENT_WARNING)
        (void)snprintf(t->warning, sizeof t->warning, "%s", text);
    return 0;
}

/* max(abs(u)) after 400 steps, and the warning before them. */
static double run_steps(const char *text, told *t)
{
    double most = 0;
    trial own = {0};
    *t = (told){""};
    REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &own.program));
    REQUIRE_OK(pav_device_open("interpreter", &own.device));
    REQUIRE_OK(pav_run_open(
        own.program, own.device,
        &(pav_run_options){
            .listener = hear, .user = t, .no_files = 1, .nan_check_every = -1},
        &own.run));
    REQUIRE_OK(pav_run_steps(own.run, 400));
    REQUIRE_OK(pav_run_get(own.run, "most", &most));
    trial_close(&own);
    return most;
}

/* The number behind these words; 0 if they are missing. */
static double number_after(const char *warning, const char *words)
{
    const char *at = strstr(warning, words);
    return at ? strtod(at + strlen(words), NULL) : 0;
}

typedef struct scheme {
    const char *grid, *equation, *border;
    double longest; /* dt, or the largest `a` */
} scheme;

static const scheme with_dt[] = {
    {"x 24", "u' = u + dt*dxx(u)", "border u = 0", 1.0 / 2},
    {"x 16, y 16", "u' = u + dt*laplace(u)", "border u = 0", 1.0 / 4},
    {"x 10, y 10, z 10", "u' = u + dt*laplace(u)", "border u = 0", 1.0 / 6},
    {"x 24", "u' = u + dt*dxx(u, order 4)", "border u = 0", 3.0 / 8},
    {"x 16, y 16", "u' = u + dt*(dx(k*dx(u, at +1/2), at -1/2) + dyy(u))",
     "border u = 0\nborder clamp k", 1.0 / 6},
    {"x 16, y 16", "u' = u + dt*(3*(u[1,0] - u) - 2*(u - u[0,-1]))", "border periodic u",
     1.0 / 5},
    {"x 24", "u' = u + dt*(dxx(u) - (u - u[-1]))", "border periodic u", 1.0 / 3},
    {"x 24", "u' = u - dt*30*u", "border u = 0", 2.0 / 30},
};

static void print_scheme(const scheme *s, double dt, char text[600])
{
    (void)snprintf(text, 600,
                   "grid %s\nparam dt = %.17g\nfield k = 1 + x/(nx - 1)\n"
                   "field u = random(7)\n%s\n%s\nmeasure most = max(abs(u))\n",
                   s->grid, dt, s->equation, s->border);
}

TEST(a_step_that_is_too_long_is_reported_with_the_longest)
{
    for (size_t k = 0; k < sizeof with_dt / sizeof *with_dt; k++) {
        char text[600];
        told t;
        print_scheme(&with_dt[k], 1.3 * with_dt[k].longest, text);
        CHECK(!(run_steps(text, &t) < 1e3)); /* or NaN */
        CHECK_NEAR(number_after(t.warning, "the longest stable step is "),
                   with_dt[k].longest, 1e-3 * with_dt[k].longest);
    }
}

TEST(a_step_as_long_as_it_may_be_is_not_told)
{
    for (size_t k = 0; k < sizeof with_dt / sizeof *with_dt; k++) {
        char text[600];
        told t;
        print_scheme(&with_dt[k], with_dt[k].longest, text);
        CHECK(run_steps(text, &t) < 10);
        CHECK_STR(t.warning, "");
    }
}

TEST(a_scheme_without_a_stable_step_is_reported)
{
    static const scheme row[] = {
        {"x 24", "u' = u - dt*(u[1] - u)", "border periodic u", 0.1},
        {"x 24", "u' = u - dt*(u[1] - u[-1])/2", "border periodic u", 0.1},
        {"x 16, y 16", "u' = u + dt*(laplace(u)/1000 - (u[0,1] - u)/2)",
         "border periodic u", 0.1},
        {"x 16, y 16", "u' = u - dt*laplace(u)", "border periodic u", 0.1},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[600];
        told t;
        print_scheme(&row[k], row[k].longest, text);
        (void)run_steps(text, &t);
        CHECK(strstr(t.warning, "no time step is stable for 'u'") != NULL);
    }
}

/* Without dt, the message gives a share of the change of a step. */
TEST(a_step_that_changes_too_much_is_reported_with_what_it_may)
{
    static const scheme row[] = {
        {"x 16, y 16", "u' = u + 0.3*laplace(u)", "border u = 0", 0.25 / 0.3},
        {"x 24", "u' = u - 1.5*(u - u[-1])", "border periodic u", 1 / 1.5},
        {"x 16, y 16", "u' = u - 0.9*(u - u[1,0]) - 0.6*(u - u[0,-1])",
         "border periodic u", 1 / 1.5},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[600];
        told t;
        print_scheme(&row[k], 1, text);
        CHECK(!(run_steps(text, &t) < 1e3));
        CHECK_NEAR(number_after(t.warning, "at most "), row[k].longest, 1e-3);
    }
}

/* The solutions of these equations grow with any time step. */
TEST(what_grows_by_nature_is_not_told)
{
    static const scheme row[] = {
        {"x 24", "u' = u + dt*u", "border u = 0", 0},
        {"x 24", "u' = 2*u", "border u = 0", 0},
        {"x 16, y 16", "u' = u + 0.2*laplace(u) + 0.01*u", "border u = 0", 0},
        {"x 16, y 16", "u' = u - 0.01*laplace(u)", "border periodic u", 0},
        {"x 24", "u' = u[1]", "border periodic u", 0},
        {"x 24", "u' = (u[1] + u[-1])/2", "border periodic u", 0},
        {"x 24", "u' = u + 0.9*laplace(u)*u", "border u = 0", 0}, /* not linear */
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[600];
        told t;
        print_scheme(&row[k], 0.01, text);
        (void)run_steps(text, &t);
        CHECK_STR(t.warning, "");
    }
}

TEST(a_field_may_be_called_like_a_spacing)
{
    told t;
    (void)run_steps("grid x 24\nfield hx = random(1)\nhx' = hx + 0.6*dxx(hx)\n"
                    "border hx = 0\nmeasure most = max(abs(hx))\n",
                    &t);
    CHECK_NEAR(number_after(t.warning, "at most "), 5.0 / 6, 1e-3);
}
