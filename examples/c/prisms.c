/* SPDX-License-Identifier: BSD-3-Clause */
/* prisms.c: Helmholtz's equation on a disc with layers, against the cosine that solves
 * it, on two meshes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pavior.h"

static const char exact[] = "cos(pi*x)*cos(pi*y)*cos(pi*z)";
static const pav_mesh_border all = {"all", PAV_BORDER_DIRICHLET, exact, 0};
static const pav_mesh_problem helmholtz = {
    .form = {1, -4},
    .source = "(3*pi^2 - 4)*cos(pi*x)*cos(pi*y)*cos(pi*z)",
    .border = &all,
    .borders = 1,
};

static pav_status error_on(const pav_mesh *mesh, double *error)
{
    pav_solve_result result = {0};
    double *u = malloc((size_t)pav_mesh_sizes(mesh).nodes * sizeof *u);
    pav_status status = u ? pav_mesh_solve(mesh, &helmholtz, u, &result) : PAV_ENOMEM;
    if (status == PAV_OK)
        status = pav_mesh_error(mesh, u, exact, NULL, error, NULL);
    if (status == PAV_OK)
        printf("%8lld nodes: %3lld iterations, off by %.3e in L2\n",
               (long long)pav_mesh_sizes(mesh).nodes, (long long)result.iterations,
               *error);
    free(u);
    return status;
}

static pav_status solve(const char *word, int layers, double *error)
{
    const pav_mesh_options options = {.layers = layers};
    pav_mesh *mesh = NULL;
    pav_status status = pav_mesh_open(word, &options, &mesh);
    if (status == PAV_OK)
        status = error_on(mesh, error);
    pav_mesh_free(mesh);
    return status;
}

int main(void)
{
    double coarse = 0, fine = 0;
    pav_status status = solve("disc:n=8", 8, &coarse);
    if (status == PAV_OK)
        status = solve("disc:n=16", 16, &fine);
    if (status != PAV_OK) {
        fprintf(stderr, "%s\n", pav_message());
        return 1;
    }
    printf("order %.2f\n", log2(coarse / fine));
    return log2(coarse / fine) > 1.9 && log2(coarse / fine) < 2.1 ? 0 : 1;
}
