/* SPDX-License-Identifier: BSD-3-Clause */
/* Gradients by Taylor's remainder: J(c + e*d) - J(c) - e*(gradient, d) falls as e^2. The
 * bits do not depend on the method of keeping the past. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "imaging/imaging.h"
#include "test.h"

enum { POINTS = 14 * 12, MOST = 2 };

typedef struct gradient {
    double misfit, value[MOST][POINTS];
    pav_adjoint_result result;
} gradient;

/* The gradient of a description with the param e. `options` may ask for more results. */
static void take_on(const char *name, const char *source, double e,
                    pav_adjoint_options options, gradient *g)
{
    char set[64];
    const char *const words[] = {set, NULL};
    double *const values[] = {g->value[0], g->value[1]};
    pav_device *device = NULL;
    pav_program *p = NULL;

    (void)snprintf(set, sizeof set, "e=%.17g", e);
    options.values = values;
    options.no_files = 1;
    REQUIRE_OK(pav_device_open(name, &device));
    REQUIRE_OK(pav_program_parse(source, strlen(source),
                                 &(pav_program_options){.set = words}, &p));
    const pav_status status = pav_gradient(p, device, &options, &g->result);
    pav_program_free(p);
    pav_device_free(device);
    REQUIRE_OK(status);
    g->misfit = g->result.misfit;
}

static void take(const char *source, double e, pav_adjoint_options options, gradient *g)
{
    take_on("interpreter", source, e, options, g);
}

/* The directional derivative of J as e moves the coefficients of the description. */
static double slope(const char *source, int coefficients)
{
    static gradient g;
    double sum = 0;
    const char *const words[] = {"e=1", NULL};
    pav_device *device = NULL;
    pav_run *run[2] = {NULL, NULL};
    pav_program *p[2] = {NULL, NULL};
    static double value[2][POINTS];

    take(source, 0, (pav_adjoint_options){0}, &g);
    REQUIRE_OK(pav_device_open("interpreter", &device));
    for (int k = 0; k < 2; k++) {
        REQUIRE_OK(pav_program_parse(source, strlen(source),
                                     &(pav_program_options){.set = k ? words : NULL},
                                     &p[k]));
        REQUIRE_OK(
            pav_run_open(p[k], device, &(pav_run_options){.no_files = 1}, &run[k]));
    }
    for (int c = 0; c < coefficients; c++) {
        for (int k = 0; k < 2; k++)
            REQUIRE_OK(
                pav_field_read(run[k], c ? "r" : "c", 0, PAV_F64, value[k], POINTS));
        for (int n = 0; n < POINTS; n++)
            sum += g.value[c][n] * (value[1][n] - value[0][n]);
    }
    for (int k = 0; k < 2; k++) {
        pav_run_free(run[k]);
        pav_program_free(p[k]);
    }
    pav_device_free(device);
    return sum;
}

static double remainder_at(const char *source, double e, double first, double along)
{
    static gradient g;

    take(source, e, (pav_adjoint_options){0}, &g);
    return fabs(g.misfit - first - e * along);
}

static void check_order_two(const char *source, int coefficients, double e)
{
    static gradient g;

    take(source, 0, (pav_adjoint_options){0}, &g);
    const double along = slope(source, coefficients);
    const double far = remainder_at(source, e, g.misfit, along);
    const double near = remainder_at(source, e / 2, g.misfit, along);
    CHECK(fabs(along) > 0);
    CHECK_NEAR(log2(far / near), 2, 0.1);
}

#define GRID                                                                             \
    "grid x 14, y 12\nparam e = 0; dt = 0.5\n"                                           \
    "field u; c = 0.6 + 0.02*x + e*sin(x + 2*y)\n"
#define WAVE GRID "u' = 2*u - prev(u) + (c*dt)^2*laplace(u, order 4)\n"
#define SHOT                                                                             \
    "inject c^2*exp(-(t - 2)^2)*t into u at (4.3, 5)\n"                                  \
    "sample u at (8, 4.6), (7, 7), (5, 3)\nsteps 20\n"

TEST(a_wave_in_a_matched_layer_has_a_gradient)
{
    check_order_two(WAVE "absorb 3 cells by pml\n" SHOT, 1, 0.02);
}

TEST(a_wave_below_a_free_surface_has_a_gradient)
{
    check_order_two(WAVE "border odd u at y-\nabsorb 3 cells at x-, x+, y+\n" SHOT, 1,
                    0.02);
}

TEST(a_wave_around_rock_that_a_mask_keeps_has_a_gradient)
{
    check_order_two("grid x 14, y 12\nparam e = 0; dt = 0.5\n"
                    "field u = where(x > 8, 0.3, 0); c = 0.6 + 0.02*x + e*sin(x + 2*y)\n"
                    "u' = 2*u - prev(u) + (c*dt)^2*laplace(u, order 4)\n"
                    "mask not (abs(x - 9) < 1.5 and abs(y - 4) < 2.5)\n"
                    "absorb 3 cells by pml\n" SHOT,
                    1, 0.02);
}

TEST(a_coefficient_read_at_neighbours_has_a_gradient)
{
    check_order_two(GRID
                    "u' = u + 0.2*dx(c*dx(u)) + 0.1*u/sqrt(c) - 0.05*c[1,0]*prev(u)\n"
                    "border mirror u\nborder clamp c\n" SHOT,
                    1, 0.02);
}

TEST(two_coefficients_of_a_staggered_wave_have_gradients)
{
    check_order_two(
        "grid x 14, y 12\nparam e = 0\nfield vx; vy; p; c = 0.4 + 0.01*x + e*sin(y)\n"
        "field r = 1 + 0.02*y + 0.3*e*cos(x)\n"
        "vx' = vx + 0.5/r*dx(p, order 4, at +1/2)\n"
        "vy' = vy + 0.5/r*dy(p, order 4, at +1/2)\n"
        "p' = p + c*(dx(vx', order 4, at -1/2) + dy(vy', order 4, at -1/2))\n"
        "border vx, vy, p = 0 beyond\ninject exp(-(t - 4)^2/4) into p at (4.3, 5)\n"
        "sample p at (8, 4.6), (7, 7), (5, 3) every 2\nsteps 20\n",
        2, 0.02);
}

TEST(several_components_at_several_receivers_have_a_gradient)
{
    check_order_two(
        "grid x 14, y 12\nparam e = 0\nfield vx; vy; p; c = 0.4 + 0.01*x\n"
        "field r = 1 + 0.02*y + 0.3*e*cos(x)\n"
        "vx' = vx + 0.5/r*dx(p, order 4, at +1/2)\n"
        "vy' = vy + 0.5/r*dy(p, order 4, at +1/2)\n"
        "p' = p + c*(dx(vx', order 4, at -1/2) + dy(vy', order 4, at -1/2))\n"
        "absorb 3 cells by pml\ninject exp(-(t - 4)^2/4) into p at (4.3, 5)\n"
        "sample p at (8, 4.6) every 2\nsample vx - vy, dx(p) at (7, 7), (5, 3)\n"
        "steps 20\n",
        2, 0.02);
}

TEST(a_wave_in_layers_that_dip_has_a_gradient)
{
    check_order_two(GRID "field q\nlet a(e) = 0.7*dxx(e) + 0.3*dyy(e) + 0.9*dxy(e)\n"
                         "let b(e) = 0.3*dxx(e) + 0.7*dyy(e) - 0.9*dxy(e)\n"
                         "u' = 2*u - prev(u) + (c*dt)^2*(1.4*a(u) + 1.1*b(q))\n"
                         "q' = 2*q - prev(q) + (c*dt)^2*(1.1*a(u) + b(q))\n"
                         "absorb 3 cells\n" SHOT,
                    1, 0.02);
}

TEST(a_wave_that_rock_damps_has_gradients_of_velocity_and_quality)
{
    check_order_two("grid x 14, y 12\nparam e = 0\nfield vx; vy; p; m\n"
                    "field c = 0.6 + 0.02*x + e*sin(x + 2*y)\n"
                    "field r = 0.3 + 0.02*y + 0.3*e*cos(x)\n"
                    "let flow = dx(vx', at -1/2) + dy(vy', at -1/2)\n"
                    "vx' = vx - 0.5*dx(p, at +1/2)\nvy' = vy - 0.5*dy(p, at +1/2)\n"
                    "m' = (1.8*m - 0.4*r*c^2*flow)/(2 + r)\n"
                    "p' = p - 0.5*(c^2*(1 + r)*flow + (m + m')/2)\n"
                    "absorb 3 cells by pml\ninject exp(-(t - 4)^2/4) into p at (4.3, 5)\n"
                    "sample p at (8, 4.6), (7, 7), (5, 3) every 2\nsteps 20\n",
                    2, 0.002);
}

static void check_refused(const char *source, const char *phrase)
{
    pav_program *p = NULL;
    pav_device *device = NULL;
    pav_adjoint_result result;

    REQUIRE_OK(pav_device_open("interpreter", &device));
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    const char *of[] = {"c", NULL};
    CHECK_STATUS(
        pav_gradient(p, device, &(pav_adjoint_options){.coefficients = of}, &result),
        PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), phrase) != NULL);
    pav_program_free(p);
    pav_device_free(device);
}

TEST(other_ways_from_a_coefficient_to_the_data_are_refused)
{
    check_refused(GRID "field m = 1/c\nu' = u + m*laplace(u)\nborder u = 0\n" SHOT,
                  "initial values of 'm' depend on 'c'");
    check_refused("grid x 14, y 12\nparam e = 0\nfield c = 0.2 + 0.01*x; u = 3*c\n"
                  "u' = u + c*laplace(u)\nborder u = 0\n" SHOT,
                  "initial values of 'u' depend on 'c'");
}

TEST(the_past_has_the_same_bits_however_it_is_kept)
{
    static const char source[] = WAVE "absorb 3 cells by pml\n" SHOT;
    static gradient all, few;

    take(source, 0, (pav_adjoint_options){.keep = "all"}, &all);
    for (int states = 1; states < 9; states += 3) {
        take(source, 0, (pav_adjoint_options){.history = states * 6L * POINTS * 8}, &few);
        CHECK_EQ(few.result.history_bytes, states * 6 * POINTS * 8);
        CHECK_EQ(few.result.steps_again, revolve_cost(20, states - 1)); /* the optimum */
        for (int n = 0; n < POINTS; n++)
            CHECK(all.value[0][n] == few.value[0][n]);
    }
}

/* At points with c = 0, the content of the adjoint field cannot be divided by c. */
TEST(a_coefficient_that_is_0_somewhere_has_a_gradient)
{
    check_order_two("grid x 14, y 12\nparam e = 0; dt = 0.5\nfield u\n"
                    "field c = where(x < 3, 0, 0.2 + 0.01*x) + e*(1 + sin(x + 2*y))\n"
                    "u' = 2*u - prev(u) + c*laplace(u, order 4)\n"
                    "border u = 0 beyond\n" SHOT,
                    1, 0.01);
}

TEST(every_device_gives_the_bits_of_the_interpreter)
{
    static const char source[] = WAVE "absorb 3 cells\n" SHOT;
    static const char *const device[] = {"cpu", "emulated"};
    static gradient one, other;

    for (int64_t every = 1; every < 4; every += 2)
        for (int k = 0; k < 4; k++) {
            const pav_adjoint_options o = {.every = every,
                                           .keep = k < 2 ? "all" : "snapshots",
                                           .history = 8 * 6L * POINTS * 8,
                                           .threads = 2};
            take(source, 0, o, &one);
            take_on(device[k % 2], source, 0, o, &other);
            CHECK(one.misfit == other.misfit);
            for (int n = 0; n < POINTS; n++)
                CHECK(one.value[0][n] == other.value[0][n]);
        }
}

TEST(a_past_on_a_disk_has_the_same_bits)
{
    static const char source[] = WAVE "absorb 3 cells by pml\n" SHOT;
    static gradient all, disk;
    const int64_t state = 6L * POINTS * 8;
    const pav_adjoint_options way[] = {
        {.keep = "all", .history = 7 * state, .disk = "past"},
        {.keep = "snapshots",
         .history = 2 * state,
         .disk = "past",
         .disk_bytes = 3 * state},
        {.keep = "snapshots", .history = 1, .disk = "past", .disk_bytes = state},
    };

    take(source, 0, (pav_adjoint_options){.keep = "all"}, &all);
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        take(source, 0, way[k], &disk);
        CHECK(disk.result.disk_bytes > 0);
        CHECK(disk.result.history_bytes <= way[k].history);
        if (k == 1)
            CHECK_EQ(disk.result.steps_again, revolve_cost(20, 4));
        for (int n = 0; n < POINTS; n++)
            CHECK(all.value[0][n] == disk.value[0][n]);
    }
}

TEST(a_past_stored_narrow_takes_half_and_rounds)
{
    static const char source[] = WAVE "absorb 3 cells\n" SHOT;
    static gradient all, narrow;
    double most = 0, error = 0;

    take(source, 0, (pav_adjoint_options){.keep = "all"}, &all);
    take(source, 0, (pav_adjoint_options){.keep = "all", .stored = "f32"}, &narrow);
    CHECK_EQ(2 * narrow.result.history_bytes, all.result.history_bytes);
    for (int n = 0; n < POINTS; n++) {
        most = fmax(most, fabs(all.value[0][n]));
        error = fmax(error, fabs(all.value[0][n] - narrow.value[0][n]));
    }
    CHECK(error > 0);
    CHECK(error < 1e-6 * most);
}

static int count_warnings(void *user, pav_event event, const pav_progress *progress,
                          const char *said)
{
    (void)progress;
    (void)said;
    *(int *)user += event == PAV_EVENT_WARNING;
    return 0;
}

/* The status of a gradient after a source of amplitude `times`, with the past stored as
 * `type`. A listener counts the warnings. */
static pav_status take_loud(const char *times, const char *type, int *warnings)
{
    static const char source[] = "param loud = 1\n" WAVE "absorb 3 cells\ninject "
                                 "loud*exp(-(t - 4)^2/4) into u at (4.3, 5)\n"
                                 "sample u at (8, 4.6)\nsteps 20\n";
    const char *const words[] = {times, NULL};
    const char *of[] = {"c", NULL};
    const pav_adjoint_options o = {.keep = "all",
                                   .stored = type,
                                   .no_files = 1,
                                   .coefficients = of,
                                   .listener = count_warnings,
                                   .user = warnings};
    pav_program *p = NULL;
    pav_device *device = NULL;
    pav_adjoint_result result;

    *warnings = 0;
    REQUIRE_OK(pav_device_open("interpreter", &device));
    REQUIRE_OK(pav_program_parse(source, strlen(source),
                                 &(pav_program_options){.set = words}, &p));
    const pav_status status = pav_gradient(p, device, &o, &result);
    pav_program_free(p);
    pav_device_free(device);
    return status;
}

TEST(a_past_too_large_for_its_type_is_refused)
{
    int warnings;

    CHECK_STATUS(take_loud("loud=1e8", "f16", &warnings), PAV_EINVAL);
    CHECK(strstr(pav_message(), "infinite in f16: store it in bf16 or f32") != NULL);
    CHECK_STATUS(take_loud("loud=1e8", "bf16", &warnings), PAV_OK);
    CHECK_EQ(warnings, 0);
}

TEST(a_past_that_vanishes_in_its_type_is_reported)
{
    int warnings;

    CHECK_STATUS(take_loud("loud=1e-12", "f16", &warnings), PAV_OK);
    CHECK_EQ(warnings, 1);
    CHECK_STATUS(take_loud("loud=1e-12", "f32", &warnings), PAV_OK);
    CHECK_EQ(warnings, 0);
    CHECK_STATUS(take_loud("loud=1", "f16", &warnings), PAV_OK);
    CHECK_EQ(warnings, 0);
}

TEST(a_history_that_holds_no_state_is_refused)
{
    static const char source[] = WAVE "absorb 3 cells by pml\n" SHOT;
    pav_program *p = NULL;
    pav_device *device = NULL;
    pav_adjoint_result result;

    REQUIRE_OK(pav_device_open("interpreter", &device));
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    CHECK(pav_gradient(p, device, &(pav_adjoint_options){.history = 1000}, &result) ==
          PAV_ENOMEM);
    CHECK(strstr(pav_message(), "do not hold one state") != NULL);
    pav_program_free(p);
    pav_device_free(device);
}

/* The gradient of a survey with its shots at different places, `at_once` of them at the
 * same time. */
static void take_survey(const char *device, int at_once, gradient *g)
{
    static const char list[] = "e\n0\n0.01\n0.02\n0.03\n0.04\n";
    FILE *f = fopen("shots.csv", "w");

    REQUIRE(f);
    REQUIRE(fwrite(list, 1, sizeof list - 1, f) == sizeof list - 1);
    REQUIRE(fclose(f) == 0);
    take_on(device, WAVE "absorb 3 cells\n" SHOT, 0,
            (pav_adjoint_options){.shots = "shots.csv", .at_once = at_once, .threads = 2},
            g);
    CHECK(remove("shots.csv") == 0);
}

TEST(a_survey_has_the_same_bits_however_it_is_dealt)
{
    static gradient one, other;

    take_survey("interpreter", 0, &one);
    CHECK(one.misfit > 0);
    take_survey("interpreter", 3, &other);
    CHECK(one.misfit == other.misfit);
    for (int n = 0; n < POINTS; n++)
        CHECK(one.value[0][n] == other.value[0][n]);
    take_survey("cpu+emulated", 2, &other);
    CHECK(one.misfit == other.misfit);
    for (int n = 0; n < POINTS; n++)
        CHECK(one.value[0][n] == other.value[0][n]);
}

/* The second shot of the list has no data file. The other workers must not wait for it,
 * and the message must cross from its thread to the caller. */
TEST(a_shot_that_fails_on_another_thread_is_named)
{
    static const char list[] = "data\nnone.npy\nnone.npy\nnone.npy\n";
    pav_device *device = NULL;
    pav_program *p = NULL;
    pav_adjoint_result result;
    FILE *f = fopen("fail.csv", "w");

    REQUIRE(f);
    REQUIRE(fwrite(list, 1, sizeof list - 1, f) == sizeof list - 1);
    REQUIRE(fclose(f) == 0);
    REQUIRE_OK(pav_device_open("interpreter", &device));
    REQUIRE_OK(pav_program_parse(WAVE "absorb 3 cells\n" SHOT,
                                 strlen(WAVE "absorb 3 cells\n" SHOT), NULL, &p));
    const pav_adjoint_options o = {.shots = "fail.csv", .at_once = 3, .no_files = 1};
    CHECK(pav_gradient(p, device, &o, &result) == PAV_EIO);
    CHECK(strstr(pav_message(), "of 3: ") && strstr(pav_message(), "none.npy"));
    CHECK(remove("fail.csv") == 0);
    pav_program_free(p);
    pav_device_free(device);
}
