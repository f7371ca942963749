/* SPDX-License-Identifier: BSD-3-Clause */
/* hello.c: ten steps of the heat equation from C. */
#include <stdio.h>

#include "pavior.h"

static const char heat[] = "grid x 64, y 64\n"
                           "field u = exp(-((x - 32)^2 + (y - 32)^2)/40)\n"
                           "u' = u + 0.2*laplace(u)\n"
                           "border mirror u\n"
                           "measure total = sum(u)\n";

static pav_status compute(pav_device *device, pav_program *program, double *total)
{
    pav_run *run = NULL;
    pav_status status = pav_run_open(program, device, NULL, &run);
    if (status == PAV_OK)
        status = pav_run_steps(run, 10);
    if (status == PAV_OK)
        status = pav_run_get(run, "total", total);
    pav_run_free(run);
    return status;
}

int main(void)
{
    pav_device *device = NULL;
    pav_program *program = NULL;
    double total = 0;
    pav_status status = pav_device_open("auto", &device);
    if (status == PAV_OK)
        status = pav_program_parse(heat, sizeof heat - 1, NULL, &program);
    if (status == PAV_OK)
        status = compute(device, program, &total);
    if (status == PAV_OK)
        printf("after 10 steps the heat is %.6f\n", total);
    else
        fprintf(stderr, "%s\n", pav_message());
    pav_program_free(program);
    pav_device_free(device);
    return status == PAV_OK && total > 125.6 && total < 125.7 ? 0 : 1;
}
