/* SPDX-License-Identifier: BSD-3-Clause */
/* steering.c: a param given when the program is loaded, a scalar changed between steps,
 * and progress. */
#include <math.h>
#include <stdio.h>

#include "pavior.h"

static const char room[] =
    "param n = 16\n"
    "grid x n, y n\n"
    "scalar power = 0\n"
    "field T = 20\n"
    "T' = T + 0.2*laplace(T) + where(x == 3 and y == 3, power, 0)\n"
    "border T = 20\n"
    "measure hottest = max(T)\n";

static int report(void *user, pav_event event, const pav_progress *progress,
                  const char *text)
{
    if (event == PAV_EVENT_PROGRESS)
        *(int64_t *)user = progress->step;
    else
        printf("%s\n", text);
    return 0; /* anything else stops the run */
}

/* A thermostat: heat when the hottest point is below 60 degrees. */
static pav_status control(pav_run *run, double *hottest)
{
    pav_status status = PAV_OK;
    for (int k = 0; k < 50 && status == PAV_OK; k++) {
        status = pav_run_get(run, "hottest", hottest);
        if (status == PAV_OK)
            status = pav_run_set(run, "power", *hottest < 60 ? 20 : 14);
        if (status == PAV_OK)
            status = pav_run_steps(run, 10);
    }
    return status;
}

int main(void)
{
    const char *const set[] = {"n=24", NULL};
    const pav_program_options load = {.set = set, .name = "room"};
    int64_t reported = 0;
    const pav_run_options options = {
        .listener = report, .user = &reported, .report_seconds = 1e-9};
    pav_device *device = NULL;
    pav_program *program = NULL;
    pav_run *run = NULL;
    double hottest = 0;
    pav_status status = pav_device_open("auto", &device);
    if (status == PAV_OK)
        status = pav_program_parse(room, sizeof room - 1, &load, &program);
    if (status == PAV_OK)
        status = pav_run_open(program, device, &options, &run);
    if (status == PAV_OK)
        status = control(run, &hottest);
    if (status == PAV_OK)
        printf("after %lld steps the hottest point has %.1f degrees\n",
               (long long)reported, hottest);
    else
        fprintf(stderr, "%s\n", pav_message());
    pav_run_free(run);
    pav_program_free(program);
    pav_device_free(device);
    return status == PAV_OK && reported == 500 && fabs(hottest - 60) < 8 ? 0 : 1;
}
