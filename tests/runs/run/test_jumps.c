/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps at once: a run warns of waves that grow, by the factor of the symbol, and
 * measures the difference of a jump to single steps on a small grid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_private.h"
#include "test.h"

static int hear(void *user, pav_event event, const pav_progress *progress,
                const char *line)
{
    (void)progress;
    if (event == PAV_EVENT_WARNING)
        (void)snprintf(user, 400, "%s", line);
    return 0;
}

typedef struct jumping {
    program *program;
    pav_run *run;
    char warning[400];
} jumping;

static void jumping_open(const char *source, jumping *j)
{
    const pav_run_options how = {
        .no_files = 1, .nan_check_every = -1, .listener = hear, .user = j->warning};

    *j = (jumping){0};
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &j->program));
    REQUIRE_OK(run_open_interpreted(j->program, &how, &j->run));
}

static void jumping_close(jumping *j)
{
    pav_run_free(j->run);
    program_free(j->program);
}

/* The factor in the warning; 0: there is none. */
static double warned(const char *grid, const char *equation, const char *border)
{
    static const char words[] = "grows by the factor ";
    char source[300];
    jumping j;

    (void)snprintf(source, sizeof source,
                   "grid %s\nfield u = random(1)\nu' = %s\nborder %s\nsteps 900 at once",
                   grid, equation, border);
    jumping_open(source, &j);
    const char *at = strstr(j.warning, words);
    const double factor = at ? strtod(at + strlen(words), NULL) : 0;
    jumping_close(&j);
    return factor;
}

TEST(waves_that_grow_are_told_by_their_factor)
{
    const double sine = sin(acos(-1) * 8 / 18); /* the shortest of 8 waves */

    CHECK_NEAR(warned("x 10", "u + 0.6*dxx(u)", "u = 0"), 1 - 2.4 * sine * sine, 1e-8);
    CHECK_NEAR(warned("x 10, y 12", "u + 0.3*laplace(u)", "periodic u"), -1.4, 1e-8);
    CHECK_NEAR(warned("x 10, y 12", "1.01*u + 0.2*laplace(u)", "mirror u"), 1.01, 1e-8);
    CHECK_NEAR(warned("x 40", "u + 0.4*dxx(u, order 4)", "odd u"),
               1 - 0.4 * 4 * pow(sin(acos(-1) * 38 / 78), 2) *
                       (1 + pow(sin(acos(-1) * 38 / 78), 2) / 3),
               1e-8);
    CHECK_NEAR(warned("x 10, y 12", "u + 0.25*laplace(u)", "periodic u"), 0, 0);
    CHECK_NEAR(warned("x 10", "2*u - prev(u) + dxx(u)", "periodic u"), 0, 0);
}

TEST(the_power_of_a_growing_wave_may_be_beyond_all_numbers)
{
    jumping j;

    jumping_open("real f32\ngrid x 9\nfield u = x\nu' = 1.2*u + 0.1*dxx(u)\n"
                 "border mirror u\nsteps 600 at once 300\n",
                 &j);
    CHECK(strstr(j.warning, "by 3.2") && strstr(j.warning, "in all 600 steps"));
    CHECK(strstr(j.warning, "beyond the largest number"));
    jumping_close(&j);
}

/* The difference of a jump of so many steps. */
static double difference(const char *head, const char *equation, int steps)
{
    char source[300];
    jumping j;

    (void)snprintf(source, sizeof source,
                   "%sfield u = 0; f = x\nu' = %s\nborder u = 1 at x-\n"
                   "border neumann u at x+\nborder antimirror u at y-, y+\n"
                   "steps %d at once",
                   head, equation, steps);
    jumping_open(source, &j);
    solver_compare(j.run);
    const double found = j.run->solver.difference;
    jumping_close(&j);
    return found;
}

TEST(the_difference_to_single_steps_is_that_of_roundings)
{
    const char *wide = "grid x 100, y 9\n", *narrow = "real f32\ngrid x 100, y 9\n";
    const char *heat = "u + 0.2*laplace(u) + f", *wave = "2*u - prev(u) + 0.4*laplace(u)";
    const double all[] = {difference(wide, heat, 100), difference(wide, heat, 90000),
                          difference(wide, wave, 100)};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CHECK(all[k] > 0 && all[k] < 1e-11);
    CHECK(difference(narrow, heat, 100) > 1e-8 && difference(narrow, heat, 100) < 1e-5);
}

TEST(reports_of_jumps_have_their_growth_and_difference)
{
    char *said = NULL, *json = NULL;
    jumping j;

    jumping_open("grid x 9\nfield u = x\nu' = u + 0.1*dxx(u)\nborder mirror u\n"
                 "steps 600 at once 300\n",
                 &j);
    solver_compare(j.run);
    REQUIRE_OK(pav_run_report(j.run, 0, &said));
    REQUIRE_OK(pav_run_report(j.run, 1, &json));
    CHECK(strstr(said, "at once      256 steps on a small grid differ from single ones"));
    CHECK(strstr(json, "\"at_once_growth\": 1, \"at_once_compared\": 256, "));
    pav_text_free(said);
    pav_text_free(json);
    jumping_close(&j);
}
