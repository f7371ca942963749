/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves A u = b over the nodes of a mesh for any operator A, by one of the methods of
 * krylov_private.h. The preconditioner is the diagonal, or a tridiagonal solve along each
 * column, which layers thinner than triangles need. Given values are eliminated
 * symmetrically (their rows and columns become the identity's). Sums have a fixed order,
 * so iterations are the same for every number of threads, and on GPUs. */
#include <string.h>

#include "fem/krylov/krylov_private.h"

/* ---- preconditioners --------------------------------------------------------------- */

static void release_fixed(mesh_solver *s)
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

/* Factors every column's tridiagonal matrix as L D L^T: above becomes L's, the diagonal
 * D. */
static pav_status factor(mesh_solver *s)
{
    const int levels = s->m->levels;

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

static pav_status set_preconditioner(mesh_solver *s, const char *name)
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

/* ---- iterations -------------------------------------------------------------------- */

bool krylov_is_done(const mesh_solver *s, double norm, double first)
{
    s->result->residual = first > 0 ? norm / first : 0;
    return norm <= s->tolerance * first || norm == 0;
}

pav_status krylov_check_start(const mesh_solver *s, double first)
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

pav_status krylov_confirm(mesh_solver *s, double *r, double *z, double *masked,
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

pav_status krylov_singular(void)
{
    return FAIL(
        PAV_EUNSUPPORTED,
        "the iterations broke down: the form is singular, as without given values "
        "and without a term in u*v, or the right-hand side does not fit it");
}

pav_status krylov_not_converged(const mesh_solver *s)
{
    return FAIL(PAV_ECONVERGE,
                "after %lld iterations the residual is %.2e of the first, %.2e was asked "
                "for: allow more, or take the preconditioner column",
                (long long)s->most, s->result->residual, s->tolerance);
}

/* ---- all of it --------------------------------------------------------------------- */

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

/* Moves the effect of given values on other nodes to the right-hand side. */
static void lift(mesh_solver *s)
{
    double *y = s->host[0];

    s->apply(s->context, s->u, y);
    for (int64_t i = 0; i < s->n; i++)
        s->b[i] = s->fixed[i] ? s->u[i] : s->b[i] - y[i];
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
    lift(s);
    TRY(set_preconditioner(s, preconditioner));
    pav_status status = s->space->open(s, methods[found].vectors);
    result->setup_seconds = clock_seconds() - s->opened;
    if (status == PAV_OK)
        status = methods[found].solve(s);
    const pav_status closed = s->space->close(s);
    return status == PAV_OK ? closed : status;
}
