/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves A u = b over the nodes of a mesh for any operator A, by conjugate gradients,
 * MINRES or BiCGSTAB. The preconditioner is the diagonal, a tridiagonal solve along each
 * column, which layers thinner than triangles need, or a cycle of multigrid. Given values
 * are eliminated symmetrically (their rows and columns become the identity's). Sums have
 * a fixed order, so iterations are the same for every number of threads, and on GPUs. */
#include <math.h>
#include <string.h>

#include "fem/fem_private.h"

/* ---- vectors and residuals --------------------------------------------------------- */

INLINE double dot(mesh_solver *s, const double *x, const double *z)
{
    return s->space->dot(s, s->n, x, z);
}

/* y = a x + b y */
INLINE void axpby(mesh_solver *s, double a, const double *x, double b, double *y)
{
    s->space->axpby(s, s->n, a, x, b, y);
}

INLINE void copy(mesh_solver *s, const double *x, double *y)
{
    s->space->copy(s, x, y);
}

/* Applies A, by the matrix of the finest grid if that is A. Fixed nodes are coupled only
 * to themselves. x may be anything there, and
 * `masked` hides it from the others. */
INLINE void apply(mesh_solver *s, const double *x, double *masked, double *y)
{
    if (s->grids > 0 && s->at->a.rows > 0 && !s->unsymmetric) {
        s->space->product(s, &s->at->a, 1, x, NULL, y);
        return;
    }
    s->space->mask(s, x, masked);
    s->space->act(s, masked, y);
    s->space->restore(s, x, y);
}

INLINE void precondition(mesh_solver *s, const double *r, double *z)
{
    if (s->grids > 0)
        mesh_grids_cycle(s, r, z);
    else
        copy(s, r, z);
}

/* ---- the frame of all methods ------------------------------------------------------ */

typedef struct rotation {
    double gamma, eta, c[2], s[2]; /* [0]: the last rotation, [1]: the one before it */
} rotation;

/* The state of a method between two steps: its numbers and, for minres, its vectors,
 * which change their places. */
typedef struct iteration {
    double norm; /* of the present residual */
    double rz, last, rho, alpha, omega;
    rotation turn;
    double *v[MESH_SOLVER_VECTORS];
} iteration;

/* A method with so many vectors: vector[0] is for the residual, the last one for
 * `masked`. begin: from the residual to the first iteration. step: to the next one. */
typedef struct krylov_method {
    int vectors;
    bool preconditioned; /* the norm is that of the preconditioner; vector[1] is free */
    void (*begin)(mesh_solver *s, iteration *k);
    pav_status (*step)(mesh_solver *s, iteration *k);
} krylov_method;

static void set_residual(mesh_solver *s, const krylov_method *m)
{
    apply(s, s->x, s->vector[m->vectors - 1], s->vector[0]);
    axpby(s, 1, s->right, -1, s->vector[0]);
}

/* Computes the true residual of x when the iterations' own residual is small. Its norm is
 * the norm of the preconditioner or the default norm. Refuses a residual kept far above
 * the tolerance by rounding. */
static pav_status confirm(mesh_solver *s, const krylov_method *m, double first)
{
    double *r = s->vector[0], *z = m->preconditioned ? s->vector[1] : r;

    set_residual(s, m);
    if (m->preconditioned)
        precondition(s, r, z);
    const double norm = sqrt(dot(s, z, r));
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

/* The first norm is the base of relative tolerances. Given values contribute to it by
 * their effect on other nodes. */
static pav_status iterate(mesh_solver *s, const krylov_method *m)
{
    iteration k = {.last = 1};
    double first = 0;

    set_residual(s, m);
    m->begin(s, &k);
    for (s->result->iterations = 0;; s->result->iterations++) {
        /* rotations of MINRES give the norm of the preconditioned residual */
        k.norm = m->preconditioned ? fabs(k.turn.eta)
                                   : sqrt(dot(s, s->vector[0], s->vector[0]));
        TRY(s->status);
        if (s->result->iterations == 0 && !isfinite(k.norm))
            return FAIL(PAV_EINVAL,
                        "the residual before the first iteration is %g: a "
                        "right-hand side, a coefficient or a given value is not "
                        "finite, or a preconditioner not positive",
                        k.norm);
        first = s->result->iterations == 0 ? k.norm : first;
        s->result->residual = first > 0 ? k.norm / first : 0;
        if (k.norm <= s->tolerance * first || k.norm == 0)
            return confirm(s, m, first);
        if (s->result->iterations >= s->most)
            return FAIL(PAV_ECONVERGE,
                        "after %lld iterations the residual is %.2e of the first, %.2e "
                        "was asked for: allow more, or take the preconditioner column",
                        (long long)s->most, s->result->residual, s->tolerance);
        TRY(m->step(s, &k));
    }
}

static pav_status singular(void)
{
    return FAIL(
        PAV_EUNSUPPORTED,
        "the iterations broke down: the form is singular, as without given values "
        "and without a term in u*v, or the right-hand side does not fit it");
}

/* ---- conjugate gradients ----------------------------------------------------------- */

/* Conjugate gradients (Saad, Iterative Methods for Sparse Linear Systems, alg. 9.1), for
 * positive operators. */

static void begin_cg(mesh_solver *s, iteration *k)
{
    precondition(s, s->vector[0], s->vector[1]);
    copy(s, s->vector[1], s->vector[2]);
    k->rz = dot(s, s->vector[0], s->vector[1]);
}

static pav_status step_cg(mesh_solver *s, iteration *k)
{
    double *r = s->vector[0], *z = s->vector[1], *p = s->vector[2], *q = s->vector[3];
    apply(s, p, s->vector[4], q);
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
    axpby(s, k->rz / pq, p, 1, s->x);
    axpby(s, -k->rz / pq, q, 1, r);
    precondition(s, r, z);
    const double next = dot(s, r, z);
    axpby(s, 1, z, next / k->rz, p);
    k->rz = next;
    return PAV_OK;
}

/* ---- MINRES ------------------------------------------------------------------------ */

/* MINRES (Elman, Silvester, Wathen, Finite Elements and Fast Iterative Solvers, alg.
 * 4.1), for symmetric operators, positive or not. */

/* The places of vectors: the last, the present and the next of the residuals v, of the
 * directions w, and of z, the preconditioned residual; then the image of z. */
enum { V0, V, V1, W0, W, Z, Z1, IMAGE };

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

/* Every vector takes the place of the one before it; the first one is free now. */
static void move_up(double **v, int count)
{
    double *const free = v[0];

    memmove(v, v + 1, (size_t)(count - 1) * sizeof *v);
    v[count - 1] = free;
}

static void begin_minres(mesh_solver *s, iteration *k)
{
    for (int n = 0; n < MESH_SOLVER_VECTORS; n++) {
        k->v[n] = s->vector[n == V0 ? V : n == V ? V0 : n];
        if (n != V)
            s->space->zero(s, k->v[n]);
    }
    precondition(s, k->v[V], k->v[Z]);
    k->turn = (rotation){.c = {1, 1}};
    k->turn.gamma = k->turn.eta = sqrt(dot(s, k->v[Z], k->v[V]));
}

static pav_status step_minres(mesh_solver *s, iteration *k)
{
    double **v = k->v, a[3];
    rotation *t = &k->turn;
    const double gamma = t->gamma;
    if (!(gamma > 0))
        return singular();
    axpby(s, 0, v[Z], 1 / gamma, v[Z]);
    apply(s, v[Z], s->vector[8], v[IMAGE]);
    const double delta = dot(s, v[IMAGE], v[Z]);
    copy(s, v[IMAGE], v[V1]);
    axpby(s, -delta / gamma, v[V], 1, v[V1]);
    axpby(s, -gamma / k->last, v[V0], 1, v[V1]);
    precondition(s, v[V1], v[Z1]);
    const double square = dot(s, v[Z1], v[V1]);
    rotate(t, delta, sqrt(square > 0 ? square : 0), a);
    if (!(a[0] > 0))
        return singular();
    /* z becomes the next w; w0 is the one before the last */
    axpby(s, -a[2], v[W0], 1, v[Z]);
    axpby(s, -a[1], v[W], 1, v[Z]);
    axpby(s, 0, v[Z], 1 / a[0], v[Z]);
    axpby(s, t->c[0] * t->eta, v[Z], 1, s->x);
    t->eta *= -t->s[0];
    k->last = gamma;
    move_up(v + W0, Z1 - W0 + 1);
    move_up(v + V0, V1 - V0 + 1);
    return PAV_OK;
}

/* ---- BiCGSTAB ---------------------------------------------------------------------- */

/* BiCGSTAB, preconditioned from the right (Saad, Iterative Methods for Sparse Linear
 * Systems, alg. 7.7), for operators without symmetry, for instance with first
 * derivatives. Vectors are named as in the book, r0 is the first residual. */

/* Starts or restarts from the present residual r, in the role of the first residual. */
static void begin_bicgstab(mesh_solver *s, iteration *k)
{
    copy(s, s->vector[0], s->vector[1]);
    s->space->zero(s, s->vector[2]);
    s->space->zero(s, s->vector[3]);
    k->rho = k->alpha = k->omega = 1;
}

static pav_status step_bicgstab(mesh_solver *s, iteration *k)
{
    double *r = s->vector[0], *r0 = s->vector[1], *p = s->vector[2], *v = s->vector[3],
           *z = s->vector[4], *t = s->vector[5], *masked = s->vector[6];
    double rho = dot(s, r0, r);

    /* restarts if r has become almost orthogonal to r0 */
    if (!(k->omega != 0 && fabs(rho) > 1e-8 * k->norm * sqrt(dot(s, r0, r0)))) {
        begin_bicgstab(s, k);
        rho = k->norm * k->norm;
    }

    axpby(s, -k->omega, v, 1, p);
    axpby(s, 1, r, rho / k->rho * (k->alpha / k->omega), p);
    precondition(s, p, z);
    apply(s, z, masked, v);
    const double projected = dot(s, r0, v);
    if (projected == 0)
        return singular();
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

/* ---- preconditioners --------------------------------------------------------------- */

static pav_status set_preconditioner(mesh_solver *s, const char *name)
{
    static const char *const names[] = {"jacobi", "column", "none", "multigrid"};
    int found = 1;

    if (name)
        TRY(text_choice("preconditioner", name, names, COUNT_OF(names), &found));
    s->at = s->grid;
    s->grids = found != 2;
    return found == 3   ? mesh_grids_open(s)
           : found == 2 ? PAV_OK
                        : mesh_lines_open(s, found == 1);
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
    TRY(mem_take(&s->fixed, s->n, 1));
    TRY(mem_take(&s->b, s->n, sizeof *s->b));
    TRY(mem_take(&s->sums, int_parts(s->n, MESH_SUM_BLOCK), sizeof *s->sums));
    return mem_take(&s->host[0], s->n + MESH_PADDING, sizeof *s->u);
}

static void mesh_grids_close(mesh_grid *grid, int grids)
{
    for (mesh_grid *g = grid; g < grid + grids; g++) {
        mesh_matrix_close(&g->a);
        mesh_matrix_close(&g->up);
        mesh_matrix_close(&g->down);
        MEM_FREE_ALL(g->lines.diagonal, g->lines.above, g->vectors);
    }
}

void mesh_solver_close(mesh_solver *s)
{
    for (int k = 0; k < MESH_SOLVER_VECTORS; k++)
        mem_free(s->host[k]);
    MEM_FREE_ALL(s->fixed, s->b, s->sums);
    mesh_grids_close(s->grid, s->grids);
}

/* Marks the nodes of a border. */
static pav_status mark(const pav_mesh *m, const char *border, uint8_t *marked)
{
    OWNED_BY(prism_faces_close) prism_faces f = {0};

    TRY(prism_faces_open(m, border, &f));
    for (int64_t k = 0; k < f.count; k++)
        for (int n = 0; n < f.face[k].corners; n++)
            marked[f.face[k].node[n]] = 1;
    return PAV_OK;
}

pav_status mesh_solver_mark(mesh_solver *s, const char *border, const double *values)
{
    OWNED_NEW(uint8_t, marked, s->n);

    TRY(mark(s->m, border, marked));
    for (int64_t i = 0; i < s->n; i++)
        if (marked[i]) {
            s->fixed[i] = 1;
            s->u[i] = values[i];
        }
    return PAV_OK;
}

pav_status mesh_solver_run(mesh_solver *s, const char *method, bool indefinite,
                           const char *preconditioner, pav_solve_result *result)
{
    static const char *const names[] = {"cg", "minres", "bicgstab"};
    static const krylov_method methods[] = {
        {5, false, begin_cg, step_cg},
        {MESH_SOLVER_VECTORS, true, begin_minres, step_minres},
        {7, false, begin_bicgstab, step_bicgstab}};
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
        status = iterate(s, &methods[found]);
    const pav_status closed = s->space->close ? s->space->close(s) : PAV_OK;
    return status == PAV_OK ? closed : status;
}
