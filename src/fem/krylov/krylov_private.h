/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterations over the nodes of a mesh, and the few vector operations used in them. */
#ifndef FEM_KRYLOV_PRIVATE_H
#define FEM_KRYLOV_PRIVATE_H

#include <math.h>

#include "fem/fem_private.h"

/* True if the norm of a residual is small compared with the first norm. The result keeps
 * their ratio. */
bool krylov_is_done(const mesh_solver *s, double norm, double first);
pav_status krylov_not_converged(const mesh_solver *s);
/* Refuses norms that are not finite. first: the norm of the residual before the
 * iterations, the base of relative tolerances. Given values contribute by their effect on
 * other nodes. */
pav_status krylov_check_start(const mesh_solver *s, double first);
pav_status krylov_singular(void);
/* Computes the true residual of x when the iterations' own residual is small. Its norm is
 * the norm of the preconditioner (z is scratch memory) or (NULL) the default norm.
 * Refuses a residual kept far above the tolerance by rounding. r, masked: scratch
 * memory. */
pav_status krylov_confirm(mesh_solver *s, double *r, double *z, double *masked,
                          double first);

pav_status krylov_cg(mesh_solver *s);
pav_status krylov_minres(mesh_solver *s);
pav_status krylov_bicgstab(mesh_solver *s);

INLINE double dot(mesh_solver *s, const double *x, const double *z)
{
    return s->space->dot(s, x, z);
}

/* y = a x + b y */
INLINE void axpby(mesh_solver *s, double a, const double *x, double b, double *y)
{
    s->space->axpby(s, a, x, b, y);
}

INLINE void copy(mesh_solver *s, const double *x, double *y)
{
    s->space->copy(s, x, y);
}

/* Applies A. Fixed nodes are coupled only to themselves. x may be anything there, and
 * `masked` hides it from the others. */
INLINE void apply(mesh_solver *s, const double *x, double *masked, double *y)
{
    s->space->mask(s, x, masked);
    s->space->act(s, masked, y);
    s->space->restore(s, x, y);
}

INLINE void precondition(mesh_solver *s, const double *r, double *z)
{
    if (s->diagonal)
        s->space->precondition(s, r, z);
    else
        copy(s, r, z);
}

#endif
