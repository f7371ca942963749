/* SPDX-License-Identifier: BSD-3-Clause */
/* solve a + r = L + g: kernels of every form, given values at borders, and the iterations
 * of krylov.c. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "fem/gpu/fem_gpu_private.h"

/* A form over the volume has one kernel, one over a border one for its walls and one for
 * its lids. */
enum { FORM_TERMS = 2 * MAX_ARGUMENTS };

typedef struct term {
    const symbol *form;
    element_kind kind;
    element k;
} term;

typedef struct equation {
    pav_mesh_run *run;
    mesh_solver s;
    term left[FORM_TERMS], right[FORM_TERMS];
    int lefts, rights;
    bool indefinite, symmetric;
    bool held;         /* a term in u*v is positive: the form is not singular */
    double start;      /* on the clock */
    pav_status status; /* of what the solver calls */
    form_gpu *gpu;     /* the operator on the GPU; NULL: on the host */
    mesh_place place;
    pthread_t mover; /* opens the GPU while the host sets up */
    bool moving;
    pav_status moved;
    text why; /* its failure */
} equation;

/* ---- kernels ----------------------------------------------------------------------- */

static pav_status open_term(const pav_mesh_run *r, const term *t, element_parts parts,
                            bool once, element *k)
{
    const symbol *f = t->form;
    const element_source o = {.kind = t->kind,
                              .parts = parts,
                              .form = f->value,
                              .test = f->argument[f->arguments - 1],
                              .real = PAV_F64,
                              .once = once};

    return form_open(r, &o, k);
}

static pav_status add_terms(const pav_mesh_run *r, symbol *const *form, int forms,
                            term *terms, int *count)
{
    for (int f = 0; f < forms; f++) {
        const char *border = form[f]->border;
        if (border)
            TRY(mesh_check_border(r->mesh, border));
        for (int kind = ELEMENT_PRISM; kind <= ELEMENT_LID; kind++) {
            if (!form_covers(border, (element_kind)kind))
                continue;
            term *t = &terms[(*count)++];
            *t = (term){.form = form[f], .kind = (element_kind)kind};
            TRY(open_term(r, t, ELEMENT_ALL, form[f]->arguments == 1, &t->k));
        }
    }
    return PAV_OK;
}

static void close_terms(term *terms, int count)
{
    for (int k = 0; k < count; k++)
        element_close(&terms[k].k);
}

/* ---- the operator ------------------------------------------------------------------ */

static void note(equation *q, pav_status status)
{
    if (q->status == PAV_OK)
        q->status = status;
}

static void apply(void *context, const double *x, double *y)
{
    equation *q = context;

    memset(y, 0, (size_t)q->s.n * sizeof *y);
    for (int k = 0; k < q->lefts; k++) {
        const form_sweep s = {q->run, &q->left[k].k, q->left[k].form->border, x, y};
        note(q, form_sweep_add(&s));
    }
}

/* Adds a term of the form to the preconditioner, a positive matrix of columns. A term of
 * the test function itself may be negative, for instance -k^2*u*v; then its positive
 * counterpart is added. a: NULL if only the sign is needed. */
static pav_status add_part(equation *q, const term *t, element_parts parts,
                           mesh_matrix *a)
{
    OWNED_BY(mesh_matrix_close) mesh_matrix own = {0};
    OWNED_BY(element_close) element k = {0};
    const form_sweep s = {q->run, &k, t->form->border, NULL, NULL};
    double sum = 0;

    TRY(open_term(q->run, t, parts, true, &k));
    TRY(mesh_matrix_open(q->run->mesh, false, 3 * (int64_t)q->run->mesh->levels, &own));
    TRY(form_sweep_matrix(&s, &own));
    for (int64_t i = 0; i < q->s.n; i++)
        sum += *mesh_matrix_node(&own, i, i);
    q->indefinite |= sum < 0;
    q->held |= sum > 0 && parts == ELEMENT_VALUES;
    for (int64_t i = 0; a && i < own.rows * own.each; i++)
        a->value[i] += sum < 0 ? -own.value[i] : own.value[i];
    return PAV_OK;
}

static pav_status add_matrix(void *context, bool positive, mesh_matrix *a)
{
    equation *q = context;

    for (int k = 0; k < q->lefts; k++) {
        const term *t = &q->left[k];
        const form_sweep s = {q->run, &t->k, t->form->border, NULL, NULL};
        if (!positive) {
            TRY(form_sweep_matrix(&s, a));
            continue;
        }
        TRY(add_part(q, t, ELEMENT_VALUES, a));
        TRY(add_part(q, t, ELEMENT_SLOPES, a));
    }
    return PAV_OK;
}

/* ---- symmetry ---------------------------------------------------------------------- */

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Finds whether x.Ay equals y.Ax for two irregular vectors. */
static pav_status find_symmetry(equation *q)
{
    const int64_t n = q->s.n;
    OWNED_NEW(double, x, 3 * n + MESH_PADDING);
    double *y = x + n, *image = y + n;
    for (int64_t i = 0; i < n; i++) {
        x[i] = random_at(1, i, 0, 0) - 0.5;
        y[i] = random_at(2, i, 0, 0) - 0.5;
    }
    apply(q, y, image);
    const double xy = dot(x, image, n), scale = sqrt(dot(image, image, n) * dot(x, x, n));
    apply(q, x, image);
    q->symmetric = fabs(xy - dot(y, image, n)) <= 1e-9 * scale;
    q->s.unsymmetric = !q->symmetric;
    return q->status;
}

static bool is_open(const statement *s)
{
    return strcmp(s->method, "auto") == 0 || strcmp(s->method, "multigrid") == 0;
}

/* `auto` takes multigrid for positive forms. The choice depends on no device, so bits do
 * not either. */
static pav_status choose_method(const equation *q, const statement *s,
                                struct form_solved *solved)
{
    const char **method = &solved->method;
    const bool given = memchr(q->s.fixed, 1, (size_t)q->s.n) != NULL;

    *method = !is_open(s)     ? s->method
              : !q->symmetric ? "bicgstab"
              : q->indefinite ? "minres"
                              : "cg";
    const bool multigrid = *s->method == 'm' && is_open(s);
    solved->preconditioner = s->preconditioner ? s->preconditioner
                             : multigrid ||
                                     (is_open(s) && **method == 'c' && (given || q->held))
                                 ? "multigrid"
                                 : NULL;
    if (q->symmetric || strcmp(*method, "bicgstab") == 0)
        return PAV_OK;
    return FAIL(PAV_EUNSUPPORTED,
                "%s:%d: the forms on the left are not symmetric, a(u, v) is not a(v, u), "
                "as %s needs: solve by bicgstab or auto",
                q->run->p->name, q->left[0].form->at.line, *method);
}

/* ---- borders and right-hand side --------------------------------------------------- */

static pav_status add_borders(equation *q, const symbol *unknown)
{
    double *values = q->s.host[0];

    EACH_STATEMENT(b, q->run->p) {
        if (b->kind != STATEMENT_BORDER || b->symbol != unknown)
            continue;
        TRY(form_at_nodes(q->run, b->value, NULL, values));
        for (int k = 0; k < b->at_borders; k++)
            TRY(mesh_solver_mark(&q->s, b->at_border[k], values));
        if (b->at_borders == 0)
            TRY(mesh_solver_mark(&q->s, "all", values));
    }
    return PAV_OK;
}

/* ---- the GPU ----------------------------------------------------------------------- */

/* Moves the operator to the GPU if the iterations run there. All work before and after
 * the iterations stays on the host. */
static pav_status move(equation *q)
{
    TRY(form_gpu_open(q->run, &q->gpu));
    for (int k = 0; k < q->lefts; k++)
        TRY(form_gpu_add(q->gpu, &q->left[k].k, q->left[k].form->border));
    q->place = (mesh_place){
        .mesh = form_gpu_mesh(q->gpu), .context = q->gpu, .act = form_gpu_apply};
    q->s.place = &q->place;
    q->s.space = &mesh_space_gpu;
    return PAV_OK;
}

static void *move_ahead(void *equation_of)
{
    equation *q = equation_of;

    q->moved = move(q);
    if (q->moved != PAV_OK)
        text_add(&q->why, "%s", pav_message());
    return NULL;
}

/* The driver's start and the compiler take as long as the set-up on the host. */
static void begin_move(equation *q)
{
    if (!q->run->gpu)
        return;
    q->moving = host_thread_start(&q->mover, -1, move_ahead, q) == 0;
    if (!q->moving)
        (void)move_ahead(q);
}

/* ---- solving ----------------------------------------------------------------------- */

static pav_status solve(equation *q, const statement *s, struct form_solved *solved)
{
    pav_mesh_run *r = q->run;

    double *u = r->value[s->symbol->index];
    memset(u, 0, (size_t)r->mesh->nodes * sizeof *u);
    TRY(mesh_solver_open(r->mesh, r->team, u, &q->s));
    TRY(add_terms(r, s->left, s->left_count, q->left, &q->lefts));
    begin_move(q);
    TRY(add_terms(r, s->rights, s->right_count, q->right, &q->rights));
    q->s.opened = q->start;
    q->s.context = q;
    q->s.apply = apply;
    q->s.matrix = add_matrix;
    q->s.tolerance = num_f64(s->tolerance);
    TRY(find_symmetry(q));
    for (int k = 0; k < q->rights; k++) {
        const term *t = &q->right[k];
        TRY(form_sweep_add(&(form_sweep){r, &t->k, t->form->border, NULL, q->s.b}));
    }
    TRY(add_borders(q, s->symbol));
    /* If the part with values is negative, minres is the default method. */
    for (int k = 0; k < q->lefts && is_open(s); k++)
        TRY(add_part(q, &q->left[k], ELEMENT_VALUES, NULL));
    TRY(choose_method(q, s, solved));
    if (q->moving)
        (void)pthread_join(q->mover, NULL);
    q->moving = false;
    TRY(q->moved == PAV_OK ? PAV_OK
                           : FAIL(q->moved, "%s", q->why.data ? q->why.data : ""));
    const pav_status status = mesh_solver_run(&q->s, solved->method, false,
                                              solved->preconditioner, &solved->result);
    const mesh_matrix *finest = &q->s.grid[0].a;
    solved->grids = finest->rows > 0 ? q->s.grids : 0;
    for (const mesh_grid *g = q->s.grid; g < q->s.grid + solved->grids; g++)
        solved->complexity += (double)g->a.first[g->a.rows] /
                              (double)finest->first[finest->rows];
    TRY(q->status);
    return status;
}

static void close_equation(equation **q)
{
    if (!*q)
        return;
    if ((*q)->moving) /* after a failure of the host */
        (void)pthread_join((*q)->mover, NULL);
    text_free(&(*q)->why);
    close_terms((*q)->left, (*q)->lefts);
    close_terms((*q)->right, (*q)->rights);
    mesh_solver_close(&(*q)->s);
    form_gpu_close((*q)->gpu);
    mem_free(*q);
}

pav_status form_solve(pav_mesh_run *r, const statement *s)
{
    struct form_solved *solved = &r->solved[r->solves++];
    NEW_BY(close_equation, equation, q, 1);

    *solved = (struct form_solved){.s = s};
    q->run = r;
    q->start = clock_seconds();
    const pav_status status = solve(q, s, solved);
    solved->result.seconds = clock_seconds() - q->start;
    return status;
}

/* ---- the matrix -------------------------------------------------------------------- */

static pav_status assemble(pav_mesh_run *r, const statement *s)
{
    OWNED_BY(mesh_matrix_close) mesh_matrix a = {0};
    NEW_BY(close_equation, equation, q, 1);

    q->run = r;
    TRY(add_terms(r, s->left, s->left_count, q->left, &q->lefts));
    TRY(mesh_matrix_open(r->mesh, true, 3 * (int64_t)r->mesh->levels, &a));
    TRY(add_matrix(q, false, &a));
    prism_csr_take(r->matrix, &a);
    return PAV_OK;
}

pav_status pav_mesh_run_matrix(pav_mesh_run *r, const char *field, pav_matrix *matrix)
{
    GUARDED;
    if (!r || !field || !matrix)
        return FAIL(PAV_EINVAL,
                    "pav_mesh_run_matrix needs a run, the name of a field that "
                    "is solved for, and a place for the matrix");
    *matrix = (pav_matrix){0};
    EACH_STATEMENT(s, r->p) {
        if (s->kind != STATEMENT_SOLVE || strcmp(s->symbol->name, field) != 0)
            continue;
        bool solved = false;
        for (int64_t k = 0; k < r->solves; k++)
            solved = solved || r->solved[k].s == s;
        if (!solved)
            return FAIL(PAV_EINVAL,
                        "%s is not solved for yet: call pav_mesh_run_finish "
                        "first, which gives fields their values",
                        field);
        if (!r->matrix)
            TRY(prism_csr_open(r->team, &r->matrix));
        TRY(assemble(r, s));
        *matrix = prism_csr_sizes(r->matrix);
        return PAV_OK;
    }
    return FAIL(PAV_EINVAL, "%s does not solve for '%s'", r->p->name, field);
}
