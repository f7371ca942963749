/* SPDX-License-Identifier: BSD-3-Clause */
/* BiCGSTAB, preconditioned from the right (Saad, Iterative Methods for Sparse Linear Systems, alg. 7.7), for operators
 * that are not symmetric, as those with first derivatives. */
#include "fem/krylov/krylov_private.h"

typedef struct steps {
    double rho, alpha, omega;
} steps;

static pav_status broke_down(const char *what)
{
    return FAIL(PAV_EUNSUPPORTED,
                "bicgstab broke down, %s is 0: take another mesh, or a smaller weight of "
                "first derivatives beside second ones",
                what);
}

/* From r, the residual, to the next one; vectors are named as in the book, r0 is the first residual. */
static pav_status iterate(mesh_solver *s, steps *k)
{
    double *r = s->vector[0], *r0 = s->vector[1], *p = s->vector[2], *v = s->vector[3],
           *z = s->vector[4], *t = s->vector[5], *masked = s->vector[6];
    const double rho = dot(s, r0, r);

    if (rho == 0)
        return broke_down("r0.r");
    axpby(s, -k->omega, v, 1, p);
    axpby(s, 1, r, rho / k->rho * (k->alpha / k->omega), p);
    precondition(s, p, z);
    apply(s, z, masked, v);
    const double projected = dot(s, r0, v);
    if (projected == 0)
        return broke_down("r0.Ap");
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
    steps k = {1, 1, 1};

    apply(s, s->x, masked, r);
    axpby(s, 1, s->right, -1, r);
    copy(s, r, s->vector[1]);
    s->space->zero(s, s->vector[2]);
    s->space->zero(s, s->vector[3]);
    const double first = sqrt(dot(s, s->right, s->right));
    for (; s->result->iterations < s->most; s->result->iterations++) {
        const bool done = krylov_is_done(s, sqrt(dot(s, r, r)), first);
        TRY(s->status);
        if (done)
            return PAV_OK;
        if (k.omega == 0)
            return broke_down("As.s");
        TRY(iterate(s, &k));
        TRY(s->status);
    }
    return krylov_is_done(s, sqrt(dot(s, r, r)), first) ? PAV_OK
                                                        : krylov_not_converged(s);
}
