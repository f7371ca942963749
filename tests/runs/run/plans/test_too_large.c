/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids too large for memory are refused, and the message names the largest possible one.
 * Plans and runs say the same. */
#include "planned.h"

#include <stdio.h>
#include <stdlib.h>

static const char large[] = "param n = 20001\nreal f64\ngrid x n, y n, z n\nfield u = 1\n"
                            "u' = u + 0.1*laplace(u)\nborder u = 0\nsteps 1\n";

static const char *between(const char *from, const char *words)
{
    const char *at = strstr(from, words);
    REQUIRE(at != NULL);
    return at + strlen(words);
}

TEST(plans_and_runs_refuse_in_the_same_words)
{
    const int64_t before = mem_peak();
    char said[2][1024];
    planned p;
    pav_run *run = (pav_run *)&run;
    REQUIRE_OK(plan_text_of(large, "interpreter", NULL, &p));
    CHECK_STATUS(pav_plan_verdict(p.plan), PAV_ENOMEM);
    (void)snprintf(said[0], sizeof said[0], "%s", pav_message());
    CHECK_STATUS(pav_run_open(p.program, p.device, NULL, &run), PAV_ENOMEM);
    (void)snprintf(said[1], sizeof said[1], "%s", pav_message());
    CHECK(run == NULL && mem_peak() == before);
    (void)between(said[0], " of memory, ");
    /* the available memory changes from one moment to the next */
    *strstr(said[0], " of memory, ") = *strstr(said[1], " of memory, ") = '\0';
    CHECK_STR(said[0], said[1]);
    CHECK(strstr(planned_report(&p, 0), "available: DOES NOT FIT") != NULL);
    CHECK(strstr(planned_report(&p, 1), "\"fits\": false, \"message\": \"text needs") !=
          NULL);
    close_planned(&p);
}

TEST(the_grid_that_is_said_to_fit_fits_and_one_much_larger_does_not)
{
    char source[256];
    planned p;
    REQUIRE_OK(plan_text_of(large, "interpreter", NULL, &p));
    CHECK_STATUS(pav_plan_verdict(p.plan), PAV_ENOMEM);
    const int fits = atoi(between(pav_message(), "a grid of "));
    close_planned(&p);
    for (int n = 0; n < 2; n++) {
        /* nine tenths: the machine is used by others meanwhile */
        const int size = n ? fits * 11 / 10 : fits * 9 / 10;
        (void)snprintf(source, sizeof source, "param n = %d\n%s", size,
                       strchr(large, '\n') + 1);
        REQUIRE_OK(plan_text_of(source, "interpreter", NULL, &p));
        CHECK_STATUS(pav_plan_verdict(p.plan), n ? PAV_ENOMEM : PAV_OK);
        close_planned(&p);
    }
}

/* A grid too large in f64, but not in narrower types. */
TEST(narrower_types_are_named_where_they_fit)
{
    char source[256];
    planned p;
    const int64_t size = mem_available() / 2 / 6;
    (void)snprintf(source, sizeof source,
                   "grid x %lld\nfield u\nu' = u[1]\nborder periodic\nsteps 1\n",
                   (long long)size);
    REQUIRE_OK(plan_text_of(source, "interpreter", NULL, &p));
    CHECK_STATUS(pav_plan_verdict(p.plan), PAV_ENOMEM);
    const char *f32 = between(pav_message(), "`real f32` (");
    const char *bf16 = between(pav_message(), "fields `stored bf16` or `stored f16` (");
    CHECK(atof(f32) > 1.9 * atof(bf16) && atof(f32) < 2.1 * atof(bf16));
    close_planned(&p);
}

TEST(extents_beside_a_coarse_grid_stay_odd)
{
    planned p;
    REQUIRE_OK(plan_text_of("grid x 200001, y 200001\nfield u = 1; v coarse\nu' = u\n"
                            "v' = restrict(u)\nborder neumann\nsteps 1\n",
                            "interpreter", NULL, &p));
    CHECK_STATUS(pav_plan_verdict(p.plan), PAV_ENOMEM);
    CHECK_EQ(atoi(between(pav_message(), "a grid of ")) % 2, 1);
    close_planned(&p);
}

TEST(a_run_that_is_forced_is_planned_as_one_that_begins)
{
    planned p;
    REQUIRE_OK(plan_text_of(large, "interpreter", &(pav_run_options){.force = 1}, &p));
    CHECK_STATUS(pav_plan_verdict(p.plan), PAV_OK);
    CHECK(strstr(planned_report(&p, 1), "\"fits\": true") != NULL);
    close_planned(&p);
    CHECK(mem_big(INT64_C(1) << 50) == NULL);
    CHECK(strstr(pav_message(), "are available") != NULL);
}

TEST(arguments_of_plans_that_are_missing_are_refused)
{
    planned p;
    pav_plan *plan = (pav_plan *)&plan;
    char *said = (char *)&said;
    REQUIRE_OK(plan_text_of(large, "interpreter", NULL, &p));
    CHECK_STATUS(pav_plan_open(NULL, p.device, NULL, 0, &plan), PAV_EINVAL);
    CHECK(plan == NULL);
    CHECK_STATUS(pav_plan_open(p.program, NULL, NULL, 0, &plan), PAV_EINVAL);
    CHECK_STATUS(pav_plan_open(p.program, p.device, NULL, 0, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_plan_open(p.program, p.device, NULL, (double)NAN, &plan),
                 PAV_EINVAL);
    CHECK_STATUS(pav_plan_verdict(NULL), PAV_EINVAL);
    CHECK_STATUS(pav_plan_forecast(p.plan, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_plan_report(NULL, 0, &said), PAV_EINVAL);
    CHECK(said == NULL);
    close_planned(&p);
    pav_plan_free(NULL);
}

TEST(a_plan_is_made_or_refused_wherever_memory_runs_out)
{
    int refused = 0;
    pav_status status = PAV_ENOMEM;
    planned p;
    REQUIRE_OK(plan_text_of("grid x 40\nfield u\nu' = u + 1\nsteps 4\noutput u every 2\n",
                            "cpu", NULL, &p));
    pav_plan_free(p.plan);
    for (int n = 1; status != PAV_OK && n < 5000; n++) {
        mem_fail_after(n);
        status = pav_plan_open(p.program, p.device, NULL, 10, &p.plan);
        mem_fail_after(0);
        refused += status == PAV_ENOMEM;
    }
    CHECK(refused > 0);
    CHECK(strstr(planned_report(&p, 1), "u.npy") != NULL);
    close_planned(&p);
}
