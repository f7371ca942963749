/* SPDX-License-Identifier: BSD-3-Clause */
/* fields.c: values copied into a field, read in place while stepping, and copied out. */
#include <stdio.h>
#include <string.h>

#include "pavior.h"

enum { N = 32 };

static const char shift[] = "grid x 32, y 32\n"
                            "real f32\n"
                            "field u\n"
                            "u' = u[-1,0]\n"
                            "border periodic\n";

/* A view's strides lead to its points without a copy. */
static float point(const pav_view *v, int64_t i, int64_t j)
{
    return ((const float *)v->data)[i + j * v->stride[1]];
}

static pav_status compute(pav_run *run, double *values)
{
    pav_view view;
    memset(values, 0, N * N * sizeof *values);
    values[5 * N + 3] = 1; /* x 3, y 5 */
    pav_status status = pav_field_write(run, "u", 0, PAV_F64, values, (int64_t)N * N);
    for (int step = 1; step <= 8 && status == PAV_OK; step++) {
        status = pav_run_steps(run, 1);
        if (status == PAV_OK)
            status = pav_field_borrow(run, "u", 0, &view);
        if (status == PAV_OK)
            printf("step %d: u(%d, 5) = %g\n", step, 3 + step, point(&view, 3 + step, 5));
    }
    if (status == PAV_OK)
        status = pav_field_read(run, "u", 0, PAV_F64, values, (int64_t)N * N);
    return status;
}

int main(void)
{
    static double values[N * N];
    pav_device *device = NULL;
    pav_program *program = NULL;
    pav_run *run = NULL;
    pav_status status = pav_device_open("auto", &device);
    if (status == PAV_OK)
        status = pav_program_parse(shift, sizeof shift - 1, NULL, &program);
    if (status == PAV_OK)
        status = pav_run_open(program, device, NULL, &run);
    if (status == PAV_OK)
        status = compute(run, values);
    if (status != PAV_OK)
        fprintf(stderr, "%s\n", pav_message());
    pav_run_free(run);
    pav_program_free(program);
    pav_device_free(device);
    return status == PAV_OK && values[5 * N + 11] == 1 ? 0 : 1;
}
