/* SPDX-License-Identifier: BSD-3-Clause */
/* MINRES (Elman, Silvester, Wathen, Finite Elements and Fast Iterative Solvers, alg.
 * 4.1), for symmetric operators, positive or not. */
#include "fem/krylov/krylov_private.h"

enum { VECTORS = MESH_SOLVER_VECTORS };

typedef struct rotation {
    double gamma, eta, c[2], s[2]; /* [0]: the last, [1]: the one before */
} rotation;

/* Turns the next column of the tridiagonal matrix; its three entries go to a[]. */
static void rotate(rotation *t, double delta, double next, double a[3])
{
    const double a0 = t->c[0] * delta - t->c[1] * t->s[0] * t->gamma,
                 a1 = sqrt(a0 * a0 + next * next);

    a[1] = t->s[0] * delta + t->c[1] * t->c[0] * t->gamma;
    a[2] = t->s[1] * t->gamma;
    a[0] = a1;
    t->c[1] = t->c[0];
    t->s[1] = t->s[0];
    t->c[0] = a0 / a1;
    t->s[0] = next / a1;
    t->gamma = next;
}

static void swap(double **a, double **b)
{
    double *const kept = *a;

    *a = *b;
    *b = kept;
}

pav_status krylov_minres(mesh_solver *s)
{
    double *x = s->x, *v0 = s->vector[0], *v = s->vector[1], *v1 = s->vector[2],
           *w0 = s->vector[3], *w = s->vector[4], *z = s->vector[5], *z1 = s->vector[6],
           *q = s->vector[7], *masked = s->vector[8];
    rotation t = {.c = {1, 1}, .s = {0, 0}};

    for (int k = 0; k < VECTORS; k++)
        s->space->zero(s, s->vector[k]);
    apply(s, x, masked, v);
    axpby(s, 1, s->right, -1, v);
    precondition(s, v, z);
    const double first = t.gamma = t.eta = sqrt(dot(s, z, v));
    TRY(krylov_check_start(s, first));
    double last = 1;
    for (; s->result->iterations < s->most; s->result->iterations++) {
        double a[3];
        TRY(s->status);
        if (krylov_is_done(s, fabs(t.eta), first))
            return krylov_confirm(s, q, v1, masked, first);
        if (!(t.gamma > 0))
            return krylov_singular();
        axpby(s, 0, z, 1 / t.gamma, z);
        apply(s, z, masked, q);
        const double gamma = t.gamma, delta = dot(s, q, z);
        copy(s, q, v1);
        axpby(s, -delta / gamma, v, 1, v1);
        axpby(s, -gamma / last, v0, 1, v1);
        precondition(s, v1, z1);
        const double square = dot(s, z1, v1);
        rotate(&t, delta, sqrt(square > 0 ? square : 0), a);
        if (!(a[0] > 0))
            return krylov_singular();
        axpby(s, -a[2], w0, 1,
              z); /* z becomes the next w; w0 is the one before the last */
        axpby(s, -a[1], w, 1, z);
        axpby(s, 0, z, 1 / a[0], z);
        axpby(s, t.c[0] * t.eta, z, 1, x);
        t.eta *= -t.s[0];
        swap(&w0, &w);
        swap(&w, &z);
        swap(&z, &z1);
        swap(&v0, &v);
        swap(&v, &v1);
        last = gamma;
    }
    return krylov_is_done(s, fabs(t.eta), first) ? krylov_confirm(s, q, v1, masked, first)
                                                 : krylov_not_converged(s);
}
