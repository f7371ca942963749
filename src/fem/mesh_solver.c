/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves  A u = b  over the nodes of a mesh, whatever A is: conjugate gradients where it is positive, MINRES where it is not,
 * both preconditioned by the diagonal or by a tridiagonal solve along each column, which layers thinner than triangles need.
 * Given values are taken out of the equations symmetrically (their rows and columns are the identity's). Sums are taken in
 * blocks of nodes in a fixed order, so iterations are the same for every number of threads. */
#include <math.h>
#include <string.h>

#include "fem/fem_private.h"

enum { VECTORS = MESH_SOLVER_VECTORS };

typedef mesh_solver solver;

/* ---- the space where the iterations run ----------------------------------------------------- */

static double dot(solver *s, const double *x, const double *z)
{
    return s->space->dot(s, x, z);
}

/* y = a x + b y */
static void axpby(solver *s, double a, const double *x, double b, double *y)
{
    s->space->axpby(s, a, x, b, y);
}

static void copy(solver *s, const double *x, double *y)
{
    s->space->copy(s, x, y);
}

/* Fixed nodes see and give nothing but themselves; x is 0 or whatever there, and kept out by `masked`. */
static void apply(solver *s, const double *x, double *masked, double *y)
{
    s->space->mask(s, x, masked);
    s->space->act(s, masked, y);
    s->space->restore(s, x, y);
}

static void precondition(solver *s, const double *r, double *z)
{
    if (s->diagonal)
        s->space->precondition(s, r, z);
    else
        copy(s, r, z);
}

/* ---- preconditioners ----------------------------------------------------------------------- */

static void release_fixed(solver *s)
{
    for (int64_t i = 0; i < s->n; i++)
        if (s->fixed[i]) {
            s->diagonal[i] = 1;
            if (s->above) {
                s->above[i] = 0;
                if (i % s->m->levels)
                    s->above[i - 1] = 0;
            }
        }
}

/* Factors every column's tridiagonal matrix as L D L^T: above becomes L's, the diagonal D. */
static pav_status factor(solver *s)
{
    const int levels = s->m->levels;

    for (int64_t i = 0; i < s->n; i++) {
        if (s->above && i % levels) {
            const double couple = s->above[i - 1], l = couple / s->diagonal[i - 1];
            s->above[i - 1] = l;
            s->diagonal[i] -= l * couple;
        }
        if (!(s->diagonal[i] > 0))
            return FAIL(
                PAV_EUNSUPPORTED,
                "the preconditioner is not positive at node %lld (%g): the mass term "
                "outweighs the stiffness of a cell; refine the mesh, or take no "
                "preconditioner",
                (long long)i, s->diagonal[i]);
    }
    return PAV_OK;
}

static pav_status set_preconditioner(solver *s, const char *name)
{
    static const char *const names[] = {"jacobi", "column", "none"};
    int found = 1;

    if (name)
        TRY(text_choice("preconditioner", name, names, COUNT_OF(names), &found));
    if (found == 2)
        return PAV_OK;
    s->diagonal = mem_new(s->n, sizeof *s->diagonal);
    s->above = found == 1 ? mem_new(s->n, sizeof *s->above) : NULL;
    if (!s->diagonal || (found == 1 && !s->above))
        return PAV_ENOMEM;
    s->couplings(s->context, s->diagonal, s->above);
    release_fixed(s);
    return factor(s);
}

/* ---- conjugate gradients (Saad, Iterative Methods, alg. 9.1) -------------------------------- */

static bool is_done(const solver *s, double norm, double first)
{
    s->result->residual = first > 0 ? norm / first : 0;
    return norm <= s->tolerance * first || norm == 0;
}

static pav_status not_converged(const solver *s)
{
    return FAIL(PAV_EEXPECT,
                "after %lld iterations the residual is %.2e of the first, %.2e was asked "
                "for: allow more, or take the preconditioner column",
                (long long)s->most, s->result->residual, s->tolerance);
}

static pav_status solve_cg(solver *s)
{
    double *x = s->x, *r = s->vector[0], *z = s->vector[1], *p = s->vector[2],
           *q = s->vector[3], *masked = s->vector[4];

    apply(s, x, masked, r);
    axpby(s, 1, s->right, -1, r);
    precondition(s, r, z);
    copy(s, z, p);
    double rz = dot(s, r, z);
    const double first = sqrt(dot(s, s->right, s->right));
    for (; s->result->iterations < s->most; s->result->iterations++) {
        const bool done = is_done(s, sqrt(dot(s, r, r)), first);
        TRY(s->status);
        if (done)
            return PAV_OK;
        apply(s, p, masked, q);
        const double pq = dot(s, p, q);
        TRY(s->status);
        if (!(pq > 0))
            return FAIL(
                PAV_EUNSUPPORTED,
                "p.Ap = %g: the form is not positive, so conjugate gradients do not "
                "solve it: take minres",
                pq);
        axpby(s, rz / pq, p, 1, x);
        axpby(s, -rz / pq, q, 1, r);
        precondition(s, r, z);
        const double next = dot(s, r, z);
        axpby(s, 1, z, next / rz, p);
        rz = next;
    }
    return is_done(s, sqrt(dot(s, r, r)), first) ? PAV_OK : not_converged(s);
}

/* ---- MINRES (Elman, Silvester, Wathen, Finite Elements and Fast Iterative Solvers, alg. 4.1) - */

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

static pav_status solve_minres(solver *s)
{
    double *x = s->x, *v0 = s->vector[0], *v = s->vector[1], *v1 = s->vector[2],
           *w0 = s->vector[3], *w = s->vector[4], *z = s->vector[5], *z1 = s->vector[6],
           *q = s->vector[7], *masked = s->vector[8];
    rotation t = {.c = {1, 1}, .s = {0, 0}};

    for (int k = 0; k < VECTORS; k++)
        s->space->zero(s, s->vector[k]);
    precondition(s, s->right, z);
    const double first = sqrt(dot(s, z, s->right));
    apply(s, x, masked, v);
    axpby(s, 1, s->right, -1, v);
    precondition(s, v, z);
    t.gamma = t.eta = sqrt(dot(s, z, v));
    double last = 1;
    for (; s->result->iterations < s->most; s->result->iterations++) {
        double a[3];
        TRY(s->status);
        if (is_done(s, fabs(t.eta), first))
            return PAV_OK;
        axpby(s, 0, z, 1 / t.gamma, z);
        apply(s, z, masked, q);
        const double gamma = t.gamma, delta = dot(s, q, z);
        copy(s, q, v1);
        axpby(s, -delta / gamma, v, 1, v1);
        axpby(s, -gamma / last, v0, 1, v1);
        precondition(s, v1, z1);
        const double square = dot(s, z1, v1);
        rotate(&t, delta, sqrt(square > 0 ? square : 0), a);
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
    return is_done(s, fabs(t.eta), first) ? PAV_OK : not_converged(s);
}

/* ---- all of it ----------------------------------------------------------------------------- */

pav_status mesh_solver_open(const pav_mesh *m, prism_operator *o, double *u, solver *s)
{
    *s = (solver){.m = m,
                  .o = o,
                  .u = u,
                  .n = m->nodes,
                  .most = 10000,
                  .tolerance = 1e-8,
                  .space = &mesh_space_host,
                  .opened = clock_seconds()};
    s->fixed = mem_new(s->n, 1);
    s->b = mem_new(s->n, sizeof *s->b);
    s->sums = mem_new(int_parts(s->n, MESH_SUM_BLOCK), sizeof *s->sums);
    s->host[0] = mem_new(s->n + MESH_PADDING, sizeof *s->u);
    return s->fixed && s->b && s->sums && s->host[0] ? PAV_OK : PAV_ENOMEM;
}

void mesh_solver_close(solver *s)
{
    for (int k = 0; k < VECTORS; k++)
        mem_free(s->host[k]);
    mem_free(s->fixed);
    mem_free(s->b);
    mem_free(s->sums);
    mem_free(s->diagonal);
    mem_free(s->above);
}

pav_status mesh_solver_mark(solver *s, const char *border, const double *values)
{
    uint8_t *marked = mem_new(s->n, 1);
    const pav_status status = marked ? mesh_mark(s->m, border, marked) : PAV_ENOMEM;

    for (int64_t i = 0; i < s->n && status == PAV_OK; i++)
        if (marked[i]) {
            s->fixed[i] = 1;
            s->u[i] = values[i];
        }
    mem_free(marked);
    return status;
}

/* What given values do to the others goes to the right. */
static void lift(solver *s)
{
    double *y = s->host[0];

    s->apply(s->context, s->u, y);
    for (int64_t i = 0; i < s->n; i++)
        s->b[i] = s->fixed[i] ? s->u[i] : s->b[i] - y[i];
}

pav_status mesh_solver_run(solver *s, const char *method, bool indefinite,
                           const char *preconditioner, pav_solve_result *result)
{
    static const char *const names[] = {"cg", "minres"};
    int found = indefinite;

    if (method)
        TRY(text_choice("method", method, names, COUNT_OF(names), &found));
    s->result = result;
    lift(s);
    TRY(set_preconditioner(s, preconditioner));
    pav_status status = s->space->open(s, found ? VECTORS : 5);
    result->setup_seconds = clock_seconds() - s->opened;
    if (status == PAV_OK)
        status = found ? solve_minres(s) : solve_cg(s);
    const pav_status closed = s->space->close(s);
    return status == PAV_OK ? closed : status;
}
