/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves a(u, v) = L(v) for the hand-written form on a mesh, with Dirichlet values, and
 * Neumann and Robin terms by integrals over faces; and measures the error of a solution.
 * krylov.c has the iterations. */
#include <math.h>
#include <string.h>

#include "fem/fem_private.h"

/* ---- errors ------------------------------------------------------------------------ */

/* Error of nodal values against a known function, in the L2 norm and the H1 seminorm.
 * Both are integrated at the eight points of each cell, where the function is evaluated,
 * cell by cell. */

enum { FUNCTIONS = 4 }; /* the value and its three derivatives */

typedef struct measuring {
    node_expression f[FUNCTIONS];
    int functions;
} measuring;

/* Positions of a cell's quadrature points, u and its gradient there, and the weights. */
typedef struct cell_points {
    double at[3][PRISM_POINTS], mine[FUNCTIONS][PRISM_POINTS], weight[PRISM_POINTS];
} cell_points;

static void end_measuring(measuring *e)
{
    for (int k = 0; k < e->functions; k++)
        node_expression_free(&e->f[k]);
}

static void set_points(const pav_mesh *m, const double *u, int64_t cell, cell_points *c)
{
    double at[3 * PRISM_NODES], value[PRISM_NODES], gradient[PRISM_NODES][3];
    int64_t node[PRISM_NODES];

    mesh_cell_at(m, cell / m->layers, (int)(cell % m->layers), node, at);
    for (int p = 0; p < PRISM_POINTS; p++) {
        c->weight[p] = prism_reference_point(at, p, value, gradient);
        for (int n = 0; n < PRISM_NODES; n++) {
            c->mine[0][p] += value[n] * u[node[n]];
            for (int a = 0; a < 3; a++) {
                c->at[a][p] += value[n] * at[3 * n + a];
                c->mine[1 + a][p] += gradient[n][a] * u[node[n]];
            }
        }
    }
}

pav_status pav_mesh_error(const pav_mesh *m, const double *u, const char *exact,
                          const char *const gradient[3], double *l2, double *h1)
{
    GUARDED;
    OWNED_BY(end_measuring) measuring e = {.functions = 0};
    double want[PRISM_POINTS], square[2] = {0};

    if (!m || !u || !exact || !l2)
        return fem_missing("pav_mesh_error",
                           "a mesh, values, a function and a place for the distance");
    TRY(node_expression_open(exact, &e.f[e.functions++]));
    for (int a = 0; a < 3 && gradient; a++)
        TRY(node_expression_open(gradient[a], &e.f[e.functions++]));
    for (int64_t cell = 0; cell < m->cells; cell++) {
        cell_points c = {0};
        set_points(m, u, cell, &c);
        const double *const at[3] = {c.at[0], c.at[1], c.at[2]};
        for (int k = 0; k < e.functions; k++) {
            node_expression_values(&e.f[k], at, PRISM_POINTS, want);
            for (int p = 0; p < PRISM_POINTS; p++)
                square[k > 0] += c.weight[p] * (c.mine[k][p] - want[p]) *
                                 (c.mine[k][p] - want[p]);
        }
    }
    *l2 = sqrt(square[0]);
    if (h1)
        *h1 = sqrt(square[1]);
    return PAV_OK;
}

typedef struct border_term {
    prism_faces faces;
    double scale;
} border_term;

typedef struct problem {
    mesh_solver s;
    prism_operator *o;
    border_term *term; /* Robin */
    int terms;
    mesh_matrix *matrix; /* while it is added up */
} problem;

/* ---- the operator ------------------------------------------------------------------ */

/* Adds in the order of the faces, so sums are always the same. */
static void add_faces(const prism_faces *f, double scale, const double *u, double *y)
{
    for (const prism_face *k = f->face; k < f->face + f->count; k++)
        for (int i = 0; i < k->corners; i++) {
            double sum = 0;
            for (int j = 0; j < k->corners; j++)
                sum += k->mass[4 * i + j] * u[k->node[j]];
            y[k->node[i]] += scale * sum;
        }
}

static void apply(void *context, const double *x, double *y)
{
    problem *s = context;

    prism_operator_apply(s->o, false, x, y);
    for (int k = 0; k < s->terms; k++)
        add_faces(&s->term[k].faces, s->term[k].scale, x, y);
}

/* Adds a triangle's column of matrices. Blocks of the same level are symmetric; the other
 * two blocks couple a corner to the level above and to the one below. */
static void visit_matrix(void *context, int64_t triangle, int thread)
{
    problem *s = context;
    const pav_mesh *m = s->o->m;
    const prism_column c = prism_column_of(s->o, triangle, NULL, thread);
    const int32_t *corner = m->corner + 3 * triangle;

    s->o->kernels->matrix(&c);
    for (int pair = 0; pair < 9; pair++) {
        const int i = pair / 3, j = pair % 3, ij = i < j ? 3 * i + j : 3 * j + i;
        const double *low = (const double *)c.matrix + ij * m->layers,
                     *high = low + 9 * m->layers,
                     *up = (const double *)c.matrix + (18 + 3 * i + j) * m->layers,
                     *down = (const double *)c.matrix + (18 + 3 * j + i) * m->layers;
        double *to = mesh_matrix_at(s->matrix, corner[i], corner[j]);
        for (int l = 0; l < m->layers && to; l++) {
            to[m->levels + l] += low[l];
            to[m->levels + l + 1] += high[l];
            to[2 * m->levels + l] += up[l];
            to[l + 1] += down[l];
        }
    }
}

static pav_status add_matrix(void *context, bool positive, mesh_matrix *a)
{
    problem *s = context;
    const double mass = s->o->form.mass;

    s->matrix = a;
    s->o->form.mass = positive ? fabs(mass) : mass;
    prism_for_triangles(s->o, visit_matrix, s);
    s->o->form.mass = mass;
    for (int t = 0; t < s->terms; t++)
        for (int64_t f = 0; f < s->term[t].faces.count; f++) {
            const prism_face *k = &s->term[t].faces.face[f];
            for (int n = 0; n < k->corners * k->corners; n++) {
                double *to = mesh_matrix_node(a, k->node[n / k->corners],
                                              k->node[n % k->corners]);
                if (to)
                    *to += s->term[t].scale *
                           k->mass[4 * (n / k->corners) + n % k->corners];
            }
        }
    return PAV_OK;
}

/* ---- borders and right-hand side --------------------------------------------------- */

static pav_status set_values(const mesh_solver *s, const char *value, double *values)
{
    if (value)
        return pav_mesh_evaluate(s->m, value, values);
    memset(values, 0, (size_t)s->n * sizeof *values);
    return PAV_OK;
}

/* Fluxes: stiffness du/dn + robin u = value. */
static pav_status add_borders(problem *s, const pav_mesh_problem *p)
{
    double *values = s->s.host[0];

    memset(s->s.u, 0, (size_t)s->s.n * sizeof *s->s.u);
    for (int64_t n = 0; n < p->borders; n++) {
        const pav_mesh_border *b = &p->border[n];
        border_term *t = &s->term[s->terms];
        TRY(set_values(&s->s, b->value, values));
        if (b->kind == PAV_BORDER_DIRICHLET) {
            TRY(mesh_solver_mark(&s->s, b->name, values));
            continue;
        }
        TRY(prism_faces_open(s->s.m, b->name, &t->faces));
        s->terms++;
        t->scale = b->kind == PAV_BORDER_ROBIN ? b->robin : 0;
        add_faces(&t->faces, 1, values, s->s.b);
    }
    return PAV_OK;
}

/* ---- the solution ------------------------------------------------------------------ */

static pav_status solve(problem *s, const pav_mesh *m, const pav_mesh_problem *p,
                        double *u, pav_solve_result *result)
{
    TRY(prism_operator_open(m, p->form, PAV_F64, NULL, p->threads, &s->o));
    TRY(mesh_solver_open(m, s->o, u, &s->s));
    s->s.context = s;
    s->s.apply = apply;
    s->s.matrix = add_matrix;
    s->s.most = p->most ? p->most : s->s.most;
    s->s.tolerance = p->tolerance > 0 ? p->tolerance : s->s.tolerance;
    TRY(mem_take(&s->term, p->borders + 1, sizeof *s->term));
    TRY(set_values(&s->s, p->source, s->s.host[0]));
    prism_operator_apply(s->o, true, s->s.host[0], s->s.b);
    TRY(add_borders(s, p));
    return mesh_solver_run(&s->s, p->method, p->form.mass < 0, p->preconditioner, result);
}

static void close(problem *s)
{
    for (int k = 0; k < s->terms; k++)
        prism_faces_close(&s->term[k].faces);
    mem_free(s->term);
    mesh_solver_close(&s->s);
    prism_operator_close(s->o);
}

pav_status pav_mesh_solve(const pav_mesh *m, const pav_mesh_problem *p, double *u,
                          pav_solve_result *result)
{
    GUARDED;
    pav_solve_result unasked, *wanted = result ? result : &unasked;
    OWNED_BY(close) problem s = {.term = NULL};

    if (!m || !p || !u || (p->borders > 0 && !p->border))
        return FAIL(PAV_EINVAL, "pav_mesh_solve needs a mesh, a problem with its borders "
                                "and a vector; one is NULL");
    for (int k = 0; k < p->borders; k++) {
        const pav_mesh_border *b = &p->border[k];
        if (!b->name)
            return FAIL(PAV_EINVAL, "a border of pav_mesh_solve has no name; it is NULL");
        if (b->kind < PAV_BORDER_DIRICHLET || b->kind > PAV_BORDER_ROBIN)
            return FAIL(PAV_EINVAL, "border '%s': there is no kind %d of borders",
                        b->name, (int)b->kind);
    }
    if (!(p->tolerance >= 0 && p->tolerance < 1) || p->most < 0 || p->borders < 0)
        return FAIL(PAV_EINVAL,
                    "a tolerance of %g and %lld iterations: give one of 0 "
                    "(1e-8) to 1, and none below 0",
                    p->tolerance, (long long)p->most);
    const double start = clock_seconds();
    *wanted = (pav_solve_result){0};
    const pav_status status = solve(&s, m, p, u, wanted);
    wanted->seconds = clock_seconds() - start;
    return status;
}
