/* SPDX-License-Identifier: BSD-3-Clause */
/* dots.c: a shot below a free surface and its adjoint F', which takes what receivers
 * record back to the source: the dot-product test, (F x, y) = (x, F' y) for random traces
 * x of the source and y of the receivers. */
#include <math.h>
#include <stdio.h>

#include "pavior.h"

static const char shot[] =
    "grid x 61, z 46 spacing 10 down\n"
    "param dt = 0.0015\n"
    "field u; c = 1500 + 2*z + 100*sin(x/50)\n"
    "u' = 2*u - prev(u) + (c*dt)^2*laplace(u, order 8)\n"
    "border odd u at z-\n"
    "absorb 10 cells at x-, x+, z+ by pml\n"
    "inject (c*dt)^2*ricker(20, t)/h^2 into u at (250, 33) by sinc\n"
    "sample u along (120, 20) to (480, 20) count 37\n"
    "steps 300\n";

int main(void)
{
    double forward = 0, backward = 0, size = 1;
    pav_device *device = NULL;
    pav_program *program = NULL;
    char *adjoint = NULL;

    pav_status status = pav_device_open("auto", &device);
    if (status == PAV_OK)
        status = pav_program_parse(shot, sizeof shot - 1, NULL, &program);
    if (status == PAV_OK)
        status = pav_program_adjoint(program, 0, &adjoint);
    if (status == PAV_OK)
        status = pav_adjoint_test(program, device, NULL, &forward, &backward, &size);
    if (status == PAV_OK)
        printf("%s\n(F x, y) = %.15g, (x, F' y) = %.15g\n", adjoint, forward, backward);
    else
        fprintf(stderr, "%s\n", pav_message());
    pav_text_free(adjoint);
    pav_program_free(program);
    pav_device_free(device);
    return status == PAV_OK && fabs(forward - backward) < 1e-12 * fabs(forward) ? 0 : 1;
}
