/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves A u = b over the nodes of a mesh for any operator A, by conjugate gradients,
 * MINRES or BiCGSTAB. The preconditioner is the diagonal, or a tridiagonal solve along
 * each column, which layers thinner than triangles need. Given values are eliminated
 * symmetrically (their rows and columns become the identity's). Sums have a fixed order,
 * so iterations are the same for every number of threads, and on GPUs. */
#include <math.h>
#include <string.h>

#include "fem/fem_private.h"

/* ---- vectors and residuals --------------------------------------------------------- */

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

/* True if the norm of a residual is small compared with the first norm. The result keeps
 * their ratio. */
static bool krylov_is_done(const mesh_solver *s, double norm, double first)
{
    s->result->residual = first > 0 ? norm / first : 0;
    return norm <= s->tolerance * first || norm == 0;
}

/* Refuses norms that are not finite. first: the norm of the residual before the
 * iterations, the base of relative tolerances. Given values contribute by their effect on
 * other nodes. */
static pav_status krylov_check_start(const mesh_solver *s, double first)
{
    TRY(s->status);
    return isfinite(first)
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "the residual before the first iteration is %g: a "
                      "right-hand side, a coefficient or a given value is not "
                      "finite, or a preconditioner not positive",
                      first);
}

/* Computes the true residual of x when the iterations' own residual is small. Its norm is
 * the norm of the preconditioner (z is scratch memory) or (NULL) the default norm.
 * Refuses a residual kept far above the tolerance by rounding. r, masked: scratch
 * memory. */
static pav_status krylov_confirm(mesh_solver *s, double *r, double *z, double *masked,
                                 double first)
{
    apply(s, s->x, masked, r);
    axpby(s, 1, s->right, -1, r);
    if (z)
        precondition(s, r, z);
    const double norm = sqrt(dot(s, z ? z : r, r));
    TRY(s->status);
    s->result->residual = first > 0 ? norm / first : 0;
    if (norm <= 10 * s->tolerance * first)
        return PAV_OK;
    return FAIL(
        PAV_ECONVERGE,
        "the iterations' own residual came down to %.2e of the first, but that of "
        "the solution is %.2e: rounding allows no less, ask for a larger tolerance",
        s->tolerance, s->result->residual);
}

static pav_status krylov_singular(void)
{
    return FAIL(
        PAV_EUNSUPPORTED,
        "the iterations broke down: the form is singular, as without given values "
        "and without a term in u*v, or the right-hand side does not fit it");
}

static pav_status krylov_not_converged(const mesh_solver *s)
{
    return FAIL(PAV_ECONVERGE,
                "after %lld iterations the residual is %.2e of the first, %.2e was asked "
                "for: allow more, or take the preconditioner column",
                (long long)s->most, s->result->residual, s->tolerance);
}

/* ---- conjugate gradients ----------------------------------------------------------- */

/* Conjugate gradients (Saad, Iterative Methods for Sparse Linear Systems, alg. 9.1), for
 * positive operators. */

static pav_status krylov_cg(mesh_solver *s)
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
        if (pq == 0)
            return FAIL(PAV_EUNSUPPORTED,
                        "p.Ap = 0: the form is singular, as without given values and "
                        "without a term in u*v: give values on a border");
        if (!(pq > 0))
            return FAIL(PAV_EUNSUPPORTED,
                        "p.Ap = %g: the form is not positive, so conjugate gradients do "
                        "not solve it: take minres",
                        pq);
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

/* ---- MINRES ------------------------------------------------------------------------ */

/* MINRES (Elman, Silvester, Wathen, Finite Elements and Fast Iterative Solvers, alg.
 * 4.1), for symmetric operators, positive or not. */

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

static pav_status krylov_minres(mesh_solver *s)
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

/* ---- BiCGSTAB ---------------------------------------------------------------------- */

/* BiCGSTAB, preconditioned from the right (Saad, Iterative Methods for Sparse Linear
 * Systems, alg. 7.7), for operators without symmetry, for instance with first
 * derivatives. */

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

static pav_status krylov_bicgstab(mesh_solver *s)
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

/* ---- preconditioners --------------------------------------------------------------- */

/* Factors every column's tridiagonal matrix as L D L^T: above becomes L's, the diagonal
 * D. Rows and columns of fixed nodes become the identity's before. */
static pav_status set_preconditioner(mesh_solver *s, const char *name)
{
    static const char *const names[] = {"jacobi", "column", "none"};
    const int levels = s->m->levels;
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
    for (int64_t i = 0; i < s->n; i++) {
        if (s->fixed[i])
            s->diagonal[i] = 1;
        if (s->above &&
            (s->fixed[i] || (i + 1 < s->n && (i + 1) % levels && s->fixed[i + 1])))
            s->above[i] = 0;
    }
    for (int64_t i = 0; i < s->n; i++) {
        if (s->above && i % levels) {
            const double couple = s->above[i - 1], l = couple / s->diagonal[i - 1];
            s->above[i - 1] = l;
            s->diagonal[i] -= l * couple;
        }
        if (isnan(s->diagonal[i]))
            return FAIL(PAV_EINVAL,
                        "a coefficient of the form is not finite at node %lld",
                        (long long)i);
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

/* ---- the solver -------------------------------------------------------------------- */

pav_status mesh_solver_open(const pav_mesh *m, prism_operator *o, double *u,
                            mesh_solver *s)
{
    *s = (mesh_solver){.m = m,
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

void mesh_solver_close(mesh_solver *s)
{
    for (int k = 0; k < MESH_SOLVER_VECTORS; k++)
        mem_free(s->host[k]);
    mem_free(s->fixed);
    mem_free(s->b);
    mem_free(s->sums);
    mem_free(s->diagonal);
    mem_free(s->above);
}

pav_status mesh_solver_mark(mesh_solver *s, const char *border, const double *values)
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

pav_status mesh_solver_run(mesh_solver *s, const char *method, bool indefinite,
                           const char *preconditioner, pav_solve_result *result)
{
    static const char *const names[] = {"cg", "minres", "bicgstab"};
    static const struct {
        pav_status (*solve)(mesh_solver *s);
        int vectors;
    } methods[] = {{krylov_cg, 5}, {krylov_minres, 9}, {krylov_bicgstab, 7}};
    int found = indefinite;

    if (method)
        TRY(text_choice("method", method, names, COUNT_OF(names), &found));
    s->result = result;
    /* moves the effect of given values on other nodes to the right-hand side */
    s->apply(s->context, s->u, s->host[0]);
    for (int64_t i = 0; i < s->n; i++)
        s->b[i] = s->fixed[i] ? s->u[i] : s->b[i] - s->host[0][i];
    TRY(set_preconditioner(s, preconditioner));
    pav_status status = s->space->open(s, methods[found].vectors);
    result->setup_seconds = clock_seconds() - s->opened;
    if (status == PAV_OK)
        status = methods[found].solve(s);
    const pav_status closed = s->space->close(s);
    return status == PAV_OK ? closed : status;
}
