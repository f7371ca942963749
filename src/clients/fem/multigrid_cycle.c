/* SPDX-License-Identifier: BSD-3-Clause */
/* Multigrid over an extruded mesh, the cycle: a V-cycle as preconditioner, wherever the
 * iterations run. Chebyshev's method relaxes with exact solutions along columns. It takes
 * the same polynomial before and after the coarser grids, so the cycle is symmetric. */
#include "fem/fem_private.h"

enum { STEPS = 2 /* of a relaxation */ };

/* Eigenvalues above this part of the largest one belong to the relaxation. The largest
 * one is an estimate from below. Convection makes eigenvalues complex, and a narrow
 * interval damps more of them. */
static const double relaxed = 0.2, narrow = 0.5, margin = 1.1;

/* x += p(a) (b - a x); x is 0 before if `fresh`, whatever its memory holds */
static void relax(mesh_solver *s, const mesh_grid *g, bool fresh, const double *b,
                  double *x)
{
    const mesh_space *space = s->space;
    const int64_t n = g->lines.n;
    double *r = g->vectors, *d = r + n;
    const double high = margin * g->largest,
                 low = (s->unsymmetric ? narrow : relaxed) * high,
                 middle = (high + low) / 2, half = (high - low) / 2;
    double last = half / middle, old = 0, now = 1 / middle;

    for (int k = 0; k < STEPS; k++) {
        if (fresh && k == 0) {
            space->lines(s, &g->lines, b, x);
            space->axpby(s, n, 0, x, now, x);
            space->axpby(s, n, 1, x, 0, d);
        } else {
            space->product(s, &g->a, -1, x, b, r);
            space->lines(s, &g->lines, r, r);
            space->axpby(s, n, now, r, old, d);
            space->axpby(s, n, 1, d, 1, x);
        }
        const double next = 1 / (2 * middle / half - last);
        old = next * last;
        now = 2 * next / half;
        last = next;
    }
}

/* x = about inv(a) b on grid k */
static void cycle(mesh_solver *s, int k, const double *b, double *x)
{
    const mesh_space *space = s->space;
    const mesh_grid *g = &s->at[k], *coarse = g + 1;

    if (g->largest == 0) {
        space->lines(s, &g->lines, b, x);
        return;
    }
    relax(s, g, true, b, x);
    if (k + 1 < s->grids) {
        double *right = coarse->vectors + 2 * coarse->lines.n,
               *solution = right + coarse->lines.n;
        space->product(s, &g->a, -1, x, b, g->vectors);
        space->product(s, &g->down, 1, g->vectors, NULL, right);
        cycle(s, k + 1, right, solution);
        space->product(s, &g->up, 1, solution, x, x);
    }
    relax(s, g, false, b, x);
}

void mesh_grids_cycle(mesh_solver *s, const double *r, double *z)
{
    cycle(s, 0, r, z);
}
