/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the parts of multigrid: settings (cycle_shape.c), corrections on coarser
 * grids (correction.c), full multigrid (full_cycle.c), and the step of the unknown
 * (multigrid.c). */
#ifndef SOLVE_MULTIGRID_PRIVATE_H
#define SOLVE_MULTIGRID_PRIVATE_H

#include "solve/solve_private.h"

enum { CYCLE_V, CYCLE_W, CYCLE_F, CYCLE_FULL, CYCLES };
enum { BY_CHEBYSHEV, BY_JACOBI, BY_REDBLACK };

typedef struct shape {
    deriver *d;
    int cycle, grids, smoother, coarsest;
    int pre, post;      /* relaxations on the finest grid */
    int below;          /* relaxations before the correction, other grids */
    bool symmetric;     /* a preconditioner: same relaxations after as before */
    const char *result; /* result of a preconditioner on the finest grid; or NULL */
} shape;

/* cycle_shape.c */
extern const char *const multigrid_settings[], *const vcycle_settings[];
shape shape_of(deriver *d);
const char *shape_name(const shape *s); /* "V" */
/* Relaxations before and after the correction of a symmetric cycle. The number is larger
 * if the strongest axis differs from point to point. */
int shape_relaxations(const deriver *d);
/* Weight of relaxation k of `count`, the total of both sides of the correction. */
double shape_weight(const shape *s, int k, int count, int coarse);

/* correction.c: each function writes equations and returns the text of the result. */
const char *primed(deriver *d, const char *name);
int coarsest_steps(const shape *s);
const char *coarsest(const shape *s, const char *x, const char *b);
const char *restricted(const shape *s, const char *r, int coarse);
/* x (NULL: 0) plus the correction from the next coarser grid. */
const char *corrected(const shape *s, int coarse, const char *x, const char *residual,
                      int cycle);
/* A cycle from grid `coarse` down. */
const char *cycle_from(const shape *s, int coarse, const char *x, const char *b,
                       int cycle);

/* full_cycle.c: a step of full multigrid. */
void full_derive(const shape *s);

#endif
