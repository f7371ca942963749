/* SPDX-License-Identifier: BSD-3-Clause */
/* taylor.c: the gradient of a shot's misfit J is checked by Taylor's remainder:
 * J(c + e*d) - J(c) - e*(gradient, d) falls like e^2. */
#include <math.h>
#include <stdio.h>

#include "pavior.h"

enum { NX = 61, NZ = 46, POINTS = NX * NZ };

/* e moves the velocity along d; nothing was observed, so J is half the sum of
 * u^2. */
static const char shot[] = "grid x 61, z 46 spacing 10 down\n"
                           "param dt = 0.0015; e = 0\n"
                           "field u\n"
                           "let d = exp(-((x - 320)/60)^2 - ((z - 260)/60)^2)\n"
                           "field c = 1500 + z + e*d\n"
                           "u' = 2*u - prev(u) + (c*dt)^2*laplace(u, order 8)\n"
                           "absorb 10 cells by pml\n"
                           "inject (c*dt)^2*ricker(20, t)/h^2 into u at (250, 120)\n"
                           "sample u along (120, 120) to (480, 120) count 37\n"
                           "steps 300\n";

static pav_status misfit(pav_device *device, double e, double *gradient, double *value)
{
    char word[64];
    const char *const set[] = {word, NULL}, *const of[] = {"c", NULL};
    const pav_program_options load = {.set = set, .name = "shot"};
    const pav_adjoint_options options = {
        .coefficients = of, .values = &gradient, .no_files = 1};
    pav_adjoint_result result;
    pav_program *program = NULL;

    (void)snprintf(word, sizeof word, "e=%.17g", e);
    pav_status status = pav_program_parse(shot, sizeof shot - 1, &load, &program);
    if (status == PAV_OK)
        status = pav_gradient(program, device, &options, &result);
    *value = status == PAV_OK ? result.misfit : 0;
    pav_program_free(program);
    return status;
}

/* (gradient, d): how fast J grows with e. */
static double slope(const double *gradient)
{
    double sum = 0;

    for (int z = 0; z < NZ; z++)
        for (int x = 0; x < NX; x++)
            sum += gradient[z * NX + x] *
                   exp(-pow((10 * x - 320) / 60.0, 2) - pow((10 * z - 260) / 60.0, 2));
    return sum;
}

int main(void)
{
    static double gradient[POINTS], other[POINTS];
    double rest[3] = {0}, value[4] = {0};
    pav_device *device = NULL;
    pav_status status = pav_device_open("auto", &device);

    for (int k = 0; k < 4 && status == PAV_OK; k++)
        status = misfit(device, k ? 40.0 / (1 << k) : 0, k ? other : gradient, &value[k]);
    pav_device_free(device);
    if (status != PAV_OK)
        return fprintf(stderr, "%s\n", pav_message()), 1;
    for (int k = 1; k < 4; k++)
        rest[k - 1] = fabs(value[k] - value[0] - 40.0 / (1 << k) * slope(gradient));
    printf("the remainder falls by orders %.3f and %.3f\n", log2(rest[0] / rest[1]),
           log2(rest[1] / rest[2]));
    return fabs(log2(rest[1] / rest[2]) - 2) < 0.05 ? 0 : 1;
}
