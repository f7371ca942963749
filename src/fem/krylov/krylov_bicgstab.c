/* SPDX-License-Identifier: BSD-3-Clause */
/* BiCGSTAB, preconditioned from the right (Saad, Iterative Methods for Sparse Linear
 * Systems, alg. 7.7), for operators without symmetry, for instance with first
 * derivatives. */
#include "fem/krylov/krylov_private.h"

typedef struct steps {
    double rho, alpha, omega;
} steps;

/* Restarts from the present residual r, in the role of the first residual. */
static void restart(mesh_solver *s, steps *k)
{
    copy(s, s->vector[0], s->vector[1]);
    s->space->zero(s, s->vector[2]);
    s->space->zero(s, s->vector[3]);
    *k = (steps){1, 1, 1};
}

/* Returns r0.r, after a restart if r has become almost orthogonal to r0. */
static double projection(mesh_solver *s, steps *k, double norm)
{
    const double *r = s->vector[0], *r0 = s->vector[1];
    const double rho = dot(s, r0, r);

    if (k->omega != 0 && fabs(rho) > 1e-8 * norm * sqrt(dot(s, r0, r0)))
        return rho;
    restart(s, k);
    return norm * norm;
}

/* From r, the residual, to the next one; vectors are named as in the book, r0 is the
 * first residual. */
static pav_status iterate(mesh_solver *s, steps *k, double norm)
{
    double *r = s->vector[0], *r0 = s->vector[1], *p = s->vector[2], *v = s->vector[3],
           *z = s->vector[4], *t = s->vector[5], *masked = s->vector[6];
    const double rho = projection(s, k, norm);

    axpby(s, -k->omega, v, 1, p);
    axpby(s, 1, r, rho / k->rho * (k->alpha / k->omega), p);
    precondition(s, p, z);
    apply(s, z, masked, v);
    const double projected = dot(s, r0, v);
    if (projected == 0)
        return krylov_singular();
    k->alpha = rho / projected;
    axpby(s, k->alpha, z, 1, s->x);
    axpby(s, -k->alpha, v, 1, r);
    precondition(s, r, z);
    apply(s, z, masked, t);
    const double square = dot(s, t, t);
    k->omega = square > 0 ? dot(s, t, r) / square : 0;
    axpby(s, k->omega, z, 1, s->x);
    axpby(s, -k->omega, t, 1, r);
    k->rho = rho;
    return PAV_OK;
}

pav_status krylov_bicgstab(mesh_solver *s)
{
    double *r = s->vector[0], *masked = s->vector[6];
    steps k;

    apply(s, s->x, masked, r);
    axpby(s, 1, s->right, -1, r);
    restart(s, &k);
    const double first = sqrt(dot(s, r, r));
    TRY(krylov_check_start(s, first));
    for (; s->result->iterations < s->most; s->result->iterations++) {
        const double norm = sqrt(dot(s, r, r));
        TRY(s->status);
        if (krylov_is_done(s, norm, first))
            return krylov_confirm(s, r, NULL, masked, first);
        TRY(iterate(s, &k, norm));
    }
    return krylov_is_done(s, sqrt(dot(s, r, r)), first)
               ? krylov_confirm(s, r, NULL, masked, first)
               : krylov_not_converged(s);
}
