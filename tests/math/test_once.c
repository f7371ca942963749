/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps at once: a jump of many steps ends in the values of single steps, up to their
 * roundings. What excludes jumps is refused with its cause. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "trial.h"

enum { MOST = 4096 };

/* The values of u after all steps. Returns their count. */
static int64_t values_of(const char *device, const char *text, double *u, double *time)
{
    trial own = {0};
    pav_view v;

    REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &own.program));
    REQUIRE_OK(pav_device_open(device, &own.device));
    REQUIRE_OK(pav_run_open(own.program, own.device, &(pav_run_options){.no_files = 1},
                            &own.run));
    REQUIRE_OK(pav_run_finish(own.run));
    REQUIRE_OK(pav_field_borrow(own.run, "u", 0, &v));
    const int64_t count = v.extent[0] * v.extent[1] * v.extent[2];
    REQUIRE(count <= MOST);
    REQUIRE_OK(pav_field_read(own.run, "u", 0, PAV_F64, u, count));
    REQUIRE_OK(pav_run_get(own.run, "time", time));
    trial_close(&own);
    return count;
}

typedef struct evolution {
    const char *grid, *equation, *borders;
} evolution;

static const evolution evolutions[] = {
    {"x 24 from 0 to 1", "u' = u + 0.4*(u[1] + u[-1] - 2*u)", "border u = x"},
    {"x 17 from 0 to 1", "u' = u + 0.6*(u[1] + u[-1] - 2*u)/2 + 0.01*x",
     "border mirror u"},
    {"x 12", "u' = u + 0.2*laplace(u) + sin(x)/9 + pow(2, -x)", "border mirror u"},
    {"x 13", "u' = 0.9*u - 0.3*(u[1] + u[-1])", "border periodic u"},
    {"x 1, y 7", "u' = u + dt*(dyy(u) - u)", "border antimirror u = 2"},
    {"x 12 from 0 to 1, y 10 from 0 to 1", "u' = u + dt*hx^2*(laplace(u) + f)",
     "border u = x*y at x-\nborder neumann u = 0.5 at x+\nborder odd u at y-\n"
     "border mirror u at y+"},
    {"x 15, y 14", "u' = u + dt*(laplace(u, order 4) - 0.01*u)",
     "border periodic u at x-, x+\nborder odd u at y-, y+"},
    {"x 8, y 9, z 7", "u' = u + 0.1*dt*laplace(u) + dt*f", "border neumann u"},
    {"x 30", "u' = 2*u - prev(u) + dt^2*(dxx(u) + f)", "border u = 0.1"},
    {"x 32", "u' = 2*u - prev(u) + u[1] + u[-1] - 2*u", "border periodic u"},
    {"x 12, y 16", "u' = 2*u - prev(u) + dt^2*laplace(u)", "border mirror u"},
    /* the longest stable step: roundings leave 0 ... 1 */
    {"x 8, y 6", "u' = 2*u - prev(u) + (dt/0.45)^2/2*laplace(u)", "border periodic u"},
    {"x 6, y 5, z 4", "u' = 2*u - prev(u) + (dt/0.45)^2/3*laplace(u)",
     "border neumann u\nprev(u) = random(3)"},
    {"x 9, y 8, z 10", "u' = 2*u + (dt*0.7)^2*(laplace(u) - 0.3*u) - prev(u)",
     "border antimirror u\nprev(u) = random(4)"},
    /* prev(u) with any weights; a wave that grows */
    {"x 15", "u' = 1.9*u - 0.9*prev(u) + 0.1*dxx(u) + 0.01*f", "border u = 0.3"},
    {"x 9, y 8", "u' = 2*u - prev(u) + 0.1*laplace(u) + 0.02*laplace(u - prev(u))",
     "border odd u at x-, x+\nborder mirror u at y-, y+\nprev(u) = random(6)"},
    {"x 12", "u' = 2.01*u - prev(u) + 0.1*dxx(u)", "border periodic u"},
    /* a flow around a ring */
    {"x 16, y 9", "u' = u - 0.3*(u - u[-1, 0]) + 0.1*dyy(u) + 0.01*f",
     "border periodic u at x-, x+\nborder neumann u = 0.2 at y-\nborder u = 1 at y+"},
    {"x 6, y 15", "u' = u - 0.2*dy(u, order 4) + 0.1*laplace(u)", "border periodic u"},
    /* two fields: slow and fast reactions, a wave of first order */
    {"x 11, y 7",
     "u' = u + 0.2*laplace(u) - 0.5*u + 0.1*v\n"
     "v' = v + 0.01*laplace(v) + 0.1*u - 0.02*v + 0.01*f",
     "border u, v = 0.4 at x-, x+\nborder mirror u, v at y-, y+"},
    {"x 17", "u' = u - 0.5*dx(v, at +1/2)\nv' = v - 0.5*dx(u', at -1/2)",
     "border periodic"},
    {"x 10, y 11", "u' = u + 0.1*laplace(v)\nv' = v - 0.1*laplace(u')",
     "border antimirror u, v"},
    /* flows along two and three axes, also a flow across them */
    {"x 16, y 9",
     "u' = u - 0.3*(u - u[-1, 0]) + 0.2*(u[0, 1] - u) + 0.05*(u[1, 1] - u) + 0.01*f",
     "border periodic u"},
    {"x 5, y 6, z 7",
     "u' = u - 0.1*(u - u[-1, 0, 0]) - 0.2*(u - u[0, 1, 0]) + 0.1*(u[1, 1, -1] - u)",
     "border periodic u"},
    {"x 1, y 2, z 3", "u' = u - 0.1*dx(u) - 0.2*dy(u) - 0.3*dz(u) + 0.1*laplace(u) + f",
     "border periodic u"},
    /* fields of unlike units */
    {"x 16",
     "field n = 1e20*(1 + 0.1*cos(x/2))\nu' = u + 0.1*dxx(u) - 1e-19*(n[1] - n[-1])\n"
     "n' = n + 0.1*dxx(n) + 1e15*(u'[1] - u'[-1])",
     "border periodic"},
    /* more levels, and levels beside other fields */
    {"x 11", "u' = 2.5*u - 2*prev(u) + 0.5*prev(u, 2) + 0.1*dxx(u)",
     "border u = 0.3\nprev(u) = random(5)"},
    {"x 11",
     "u' = 2*u - prev(u) + 0.1*dxx(u) + 0.1*(v - prev(u))\n"
     "v' = 2*v - prev(v) + 0.2*dxx(v) + 0.1*(u' - v)",
     "border u, v = 0.3"},
    {"x 13", "u' = u - 0.5*dx(v)\nv' = prev(v) - dx(u)", "border periodic"},
    /* three and more fields: light, a flow with reactions, a chain, a quantum wave */
    {"x 12, y 10",
     "field w = random(4)\nw' = w - 0.5*dy(u, at +1/2)\nv' = v + 0.5*dx(u, at +1/2)\n"
     "u' = u + 0.5*(dx(v', at -1/2) - dy(w', at -1/2))",
     "border periodic"},
    {"x 11, y 9",
     "field w = random(4)\nu' = u - 0.3*(u - u[-1, 0]) - 0.1*(v - w) + 0.1*laplace(u)\n"
     "v' = v + 0.1*(u - v) + 0.2*dx(v) + 0.1*dy(w) + 0.1*laplace(v) + 0.01*f\n"
     "w' = w - 0.1*w + 0.05*laplace(w) - 0.1*v",
     "border periodic"},
    {"x 7, y 6",
     "field a = x, b = 1, c, e = y\nu' = u + 0.1*laplace(u) + 0.1*(a - u)\n"
     "v' = v + 0.05*laplace(v) + 0.1*(u - v)\na' = a + 0.1*(b - a)\n"
     "b' = b + 0.1*(c - b)\nc' = c + 0.2*laplace(c) + 0.1*(e - c)\n"
     "e' = e + 0.1*(v' - e)",
     "border u, v, a, b, c, e = 0.1 at x-, x+\nborder neumann u, v, a, b, c, e = 0 at "
     "y-, "
     "y+"},
    {"x 16, y 9",
     "field p complex = exp(i*x)\np' = p + 0.1*i*laplace(p) - 0.02*laplace(laplace(p))\n"
     "u' = u + 0.1*laplace(u) + 0.1*p.re",
     "border periodic"},
};

static void print_evolution(const evolution *e, const char *how, char text[1000])
{
    (void)snprintf(text, 1000,
                   "grid %s\nparam dt = 0.45\nfield u = random(3); f = random(5) - 1/2; "
                   "v = 1 - u\n%s\n"
                   "%s\nmeasure time = max(t + 0*u)\nsteps 96%s\n",
                   e->grid, e->equation, e->borders, how);
}

/* The largest difference of both, relative to the largest value. */
static double difference_of(const evolution *e, const char *device, const char *how)
{
    static double single[MOST], once[MOST];
    double most = 0, least = 0, t[2];
    char text[1000];

    print_evolution(e, "", text);
    const int64_t count = values_of("interpreter", text, single, &t[0]);
    print_evolution(e, how, text);
    REQUIRE(values_of(device, text, once, &t[1]) == count);
    CHECK_NEAR(t[1], t[0], 1e-9);
    for (int64_t k = 0; k < count; k++) {
        most = fmax(most, fabs(single[k]));
        least = fmax(least, fabs(single[k] - once[k]));
    }
    return isnan(most) || !(most > 0) ? INFINITY : least / most;
}

TEST(steps_at_once_end_where_single_steps_end)
{
    for (size_t k = 0; k < sizeof evolutions / sizeof *evolutions; k++) {
        CHECK_NEAR(difference_of(&evolutions[k], "interpreter", " at once"), 0, 1e-11);
        CHECK_NEAR(difference_of(&evolutions[k], "interpreter", " at once 32"), 0, 1e-11);
        CHECK_NEAR(difference_of(&evolutions[k], "interpreter", " at once 1"), 0, 1e-11);
    }
}

TEST(steps_at_once_have_the_bits_of_the_interpreter_on_other_devices)
{
    static double a[MOST], b[MOST];
    double t;

    for (size_t k = 0; k < sizeof evolutions / sizeof *evolutions; k += 3) {
        char text[1000];
        print_evolution(&evolutions[k], " at once", text);
        const int64_t count = values_of("interpreter", text, a, &t);
        CHECK(values_of(k % 2 ? "cpu" : "emulated", text, b, &t) == count);
        CHECK(memcmp(a, b, (size_t)count * sizeof *a) == 0);
    }
}

/* Some waves of light rest: their sums of powers are the number of steps. Roundings must
 * not mix them into others at each doubling. */
TEST(resting_waves_do_not_grow)
{
    static const evolution light = {
        "x 12, y 10",
        "field w = random(4)\nw' = w - 0.5*dy(u, at +1/2)\nv' = v + 0.5*dx(u, at +1/2)\n"
        "u' = u + 0.5*(dx(v', at -1/2) - dy(w', at -1/2))",
        ""};
    static double a[MOST], b[MOST];
    double t, most = 0;
    char text[1000];
    const int64_t steps = 1 << 18;
    const char *const jumps[] = {"262144", "1024"};

    for (int k = 0; k < 2; k++) {
        (void)snprintf(text, sizeof text,
                       "grid %s\nfield u = random(3); v = 1 - u\n%s\nborder periodic\n"
                       "measure time = max(t + 0*u)\nsteps %lld at once %s\n",
                       light.grid, light.equation, (long long)steps, jumps[k]);
        (void)values_of("interpreter", text, k ? b : a, &t);
    }
    for (int k = 0; k < 120; k++)
        most = fmax(most, fabs(a[k] - b[k]));
    CHECK_NEAR(most, 0, 1e-9);
}

/* The error of a mode of heat after n steps in jumps: its factor is a power. */
static double mode_error(int n, int jump)
{
    char text[600];
    (void)snprintf(text, sizeof text,
                   "grid x 65 from 0 to 1\nparam r = 0.25\nfield u = sin(pi*x)\n"
                   "u' = u + r*(u[1] + u[-1] - 2*u)\nborder u = 0\nsteps %d at once %d\n"
                   "let power = exp(%d*log(1 - 4*r*sin(pi*h/2)^2))\n"
                   "measure e = max(abs(u/power - sin(pi*x)))\n",
                   n, jump, n);
    return trial_end("%s", text);
}

TEST(many_steps_are_one_power)
{
    static const int steps[] = {1, 2, 3, 5, 999, 1000, 4095, 4096, 4097};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        CHECK_NEAR(mode_error(steps[k], steps[k]), 0, 1e-12);
    CHECK_NEAR(mode_error(20000, 1000), 0, 1e-11);
}

TEST(a_decay_far_below_a_rounding_is_kept_for_a_million_million_steps)
{
    static const char text[] =
        "grid x 32\nparam time = 0\n"
        "field u = 1 + cos(2*pi*x/32)\nu' = u + 0.1*dxx(u) - 1e-13*u\n"
        "border periodic\nsteps 1000000000000 at once\n";
    static double u[MOST];
    double time;

    for (int64_t k = values_of("interpreter", text, u, &time) - 1; k >= 0; k--)
        CHECK_NEAR(u[k], exp(-0.1), 1e-14);
}

TEST(functions_of_numbers_are_constant_weights)
{
    static const char text[] = "grid x 32\nfield u = 1\nparam k = 0.3; time = 0\n"
                               "u' = exp(-k)*u + max(k, 0.1)*dxx(u)/3\nborder periodic\n"
                               "steps 10 at once\n";
    static double u[MOST];
    double time;

    for (int64_t k = values_of("interpreter", text, u, &time) - 1; k >= 0; k--)
        CHECK_NEAR(u[k], exp(-3), 1e-15);
}

TEST(outputs_divide_the_steps_into_jumps)
{
    static double u[MOST];
    double t;
    char *said = NULL;
    pav_program *p = NULL;
    static const char text[] =
        "grid x 9\nfield u = x\nu' = u + 0.1*dxx(u)\nborder u = 0\n"
        "measure time = max(t + 0*u) every 60\n"
        "measure b = max(u) every 90\nmeasure c = sum(u) into \"c.csv\"\n"
        "steps 3000 at once\n";

    (void)values_of("interpreter", text, u, &t);
    CHECK_NEAR(t, 3000, 0);
    REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &p));
    REQUIRE_OK(pav_program_solver(p, &said));
    CHECK(strstr(said, "a step is a jump of 30 steps of u") != NULL);
    CHECK(strstr(said, "steps 100\n") != NULL);
    pav_text_free(said);
    pav_program_free(p);
}

TEST(what_excludes_jumps_is_told)
{
    static const char *const row[][2] = {
        {"u' = u + 0.1*u^2", "the equation is not linear"},
        {"u' = u + 0.1*exp(u)", "the equation is not linear"},
        {"u' = u + 0.1*t", "the equation changes in time"},
        {"u' = u + 0.1*x*dxx(u)", "its weights are not the same at all points"},
        {"u' = u - 0.1*(u - u[-1])",
         "not the same on both sides along x, and this axis is not periodic"},
        {"u' = u + 0.1*dxx(u)\nmask x > 3", "waves do not fit a mask"},
        {"u' = u + 0.1*dxx(u)\ninject 1 into u at (4)", "a source acts in each step"},
        {"u' = u + 0.1*dxx(u)\nborder u = t at x-",
         "the value of a border changes in time"},
        {"u' = u + 0.1*dxx(u)\nborder neumann u = -u at x-",
         "the value of a border reads a field"},
        {"u' = u + 0.1*sum(u)", "the equation holds a sum"},
        {"u' = u + 0.1*sum(u along x)", "the equation holds a sum"},
        {"u' = 2*u - prev(u, 6) + 0.1*dxx(u)", "it has more than 6 fields and levels"},
        {"u' = u + 0.1*dxx(u) every 2", "is not taken in each step"},
        {"u' = prev(u, 2)\nv' = prev(v, 2)\nw' = u", "it has more than 6 fields"},
        {"u' = u + v\nv' = u\nborder mirror v at x-", "its fields have unlike borders"},
        {"u' = u + dx(v, at +1/2)\nv' = u", "the same on both sides along x"},
        {"u' = u + 0.1*dxx(u)\nsample u at (4)", "is taken in each step"},
        {"u' = u + 0.1*dxx(u)\nmeasure d = max(u - prev(u))",
         "'prev' would be a jump ago"},
        {"u' = u + 0.1*dxx(u)\nsample u*step at (4) every 9", "'step' would count jumps"},
        {"u' = 2*u - prev(u) + 0.1*dxx(u)\nprev(u) = x - t",
         "the start of prev(u) changes in time"},
        {"real f32\nu' = 2*u - prev(u) + 0.1*dxx(u)\nborder periodic u",
         "would gather roundings of f32"},
        {"u' = u + 0.1*dxx(u)\nmeasure m = max(u) every 7", "share no divisor"},
        {"u' = u + 0.1*dxx(u)\nmeasure m = max(u) every 7",
         "a jump of 30 does not divide them"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const bool given = k + 1 == sizeof row / sizeof *row;
        char text[400], *said = NULL;
        pav_program *p = NULL;
        (void)snprintf(text, sizeof text,
                       "grid x 9\nfield u = x; v; w\nborder u = 0\nborder v = 0\n%s\n"
                       "steps 900 at once%s\n",
                       row[k][0], given ? " 30" : "");
        REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &p));
        CHECK(pav_program_solver(p, &said) != PAV_OK);
        CHECK(strstr(pav_message(), row[k][1]) != NULL);
        pav_program_free(p);
    }
}
