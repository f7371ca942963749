/* SPDX-License-Identifier: BSD-3-Clause */
/* Error of nodal values against a known function, in the L2 norm and the H1 seminorm.
 * Both are integrated at the eight points of each cell, where the function is evaluated,
 * cell by cell. */
#include <math.h>

#include "fem/fem_private.h"

enum { FUNCTIONS = 4 }; /* the value and its three derivatives */

typedef struct measuring {
    const pav_mesh *m;
    const double *u;
    node_expression *f[FUNCTIONS];
    double square[2];
} measuring;

/* Positions of a cell's quadrature points, u and its gradient there, and the weights. */
typedef struct cell_points {
    double at[3][PRISM_POINTS], mine[FUNCTIONS][PRISM_POINTS], weight[PRISM_POINTS];
} cell_points;

static void set_points(const measuring *e, int64_t cell, cell_points *c)
{
    const pav_mesh *m = e->m;
    double at[3 * PRISM_NODES], value[PRISM_NODES], gradient[PRISM_NODES][3];
    int64_t node[PRISM_NODES];

    mesh_cell(m, cell / m->layers, (int)(cell % m->layers), node);
    for (int k = 0; k < 3 * PRISM_NODES; k++)
        at[k] = m->at[k % 3][node[k / 3]];
    *c = (cell_points){0};
    for (int p = 0; p < PRISM_POINTS; p++) {
        c->weight[p] = prism_reference_point(at, p, value, gradient);
        for (int n = 0; n < PRISM_NODES; n++) {
            c->mine[0][p] += value[n] * e->u[node[n]];
            for (int a = 0; a < 3; a++) {
                c->at[a][p] += value[n] * at[3 * n + a];
                c->mine[1 + a][p] += gradient[n][a] * e->u[node[n]];
            }
        }
    }
}

static pav_status add_cell(measuring *e, int64_t cell)
{
    double want[PRISM_POINTS];
    cell_points c;

    set_points(e, cell, &c);
    const double *const at[3] = {c.at[0], c.at[1], c.at[2]};
    for (int k = 0; k < FUNCTIONS && e->f[k]; k++) {
        TRY(node_expression_values(e->f[k], at, PRISM_POINTS, want));
        for (int p = 0; p < PRISM_POINTS; p++)
            e->square[k > 0] += c.weight[p] * (c.mine[k][p] - want[p]) *
                                (c.mine[k][p] - want[p]);
    }
    return PAV_OK;
}

static pav_status open_functions(measuring *e, const char *exact,
                                 const char *const gradient[3])
{
    TRY(node_expression_open(exact, &e->f[0]));
    for (int a = 0; a < 3 && gradient; a++)
        TRY(node_expression_open(gradient[a], &e->f[1 + a]));
    return PAV_OK;
}

pav_status prism_error(const pav_mesh *m, const double *u, const char *exact,
                       const char *const gradient[3], double *l2, double *h1)
{
    measuring e = {.m = m, .u = u};
    pav_status status = open_functions(&e, exact, gradient);

    for (int64_t cell = 0; cell < m->cells && status == PAV_OK; cell++)
        status = add_cell(&e, cell);
    for (int k = 0; k < FUNCTIONS; k++)
        node_expression_free(e.f[k]);
    *l2 = sqrt(e.square[0]);
    if (h1)
        *h1 = sqrt(e.square[1]);
    return status;
}
