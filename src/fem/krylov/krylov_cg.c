/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradients (Saad, Iterative Methods for Sparse Linear Systems, alg. 9.1), for
 * positive operators. */
#include "fem/krylov/krylov_private.h"

static pav_status not_positive(double pq)
{
    if (pq == 0)
        return FAIL(PAV_EUNSUPPORTED,
                    "p.Ap = 0: the form is singular, as without given values and without "
                    "a term in u*v: give values on a border");
    return FAIL(PAV_EUNSUPPORTED,
                "p.Ap = %g: the form is not positive, so conjugate gradients do not "
                "solve it: take minres",
                pq);
}

pav_status krylov_cg(mesh_solver *s)
{
    double *x = s->x, *r = s->vector[0], *z = s->vector[1], *p = s->vector[2],
           *q = s->vector[3], *masked = s->vector[4];

    apply(s, x, masked, r);
    axpby(s, 1, s->right, -1, r);
    precondition(s, r, z);
    copy(s, z, p);
    double rz = dot(s, r, z);
    const double first = sqrt(dot(s, r, r));
    TRY(krylov_check_start(s, first));
    for (; s->result->iterations < s->most; s->result->iterations++) {
        const bool done = krylov_is_done(s, sqrt(dot(s, r, r)), first);
        TRY(s->status);
        if (done)
            return krylov_confirm(s, r, NULL, masked, first);
        apply(s, p, masked, q);
        const double pq = dot(s, p, q);
        TRY(s->status);
        if (!(pq > 0))
            return not_positive(pq);
        axpby(s, rz / pq, p, 1, x);
        axpby(s, -rz / pq, q, 1, r);
        precondition(s, r, z);
        const double next = dot(s, r, z);
        axpby(s, 1, z, next / rz, p);
        rz = next;
    }
    return krylov_is_done(s, sqrt(dot(s, r, r)), first)
               ? krylov_confirm(s, r, NULL, masked, first)
               : krylov_not_converged(s);
}
