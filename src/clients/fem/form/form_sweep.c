/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs element kernels over a mesh: sums of forms over cells and faces, and values of
 * expressions at the nodes or as numbers. */
#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "fem/form/form_private.h"

/* ---- sweeps ------------------------------------------------------------------------ */

/* Runs an element kernel over a mesh. Threads take the volume colour by colour, so the
 * sum at a node has one order. The caller alone takes faces, in the order of the border's
 * edges or triangles, since they are few. */

enum { LIDS = 32 * ELEMENT_ALIGNED /* triangles of a level that are taken together */ };

/* While a matrix is found, the trial function is a probe: `pattern` at one corner, and 0
 * at the others. Otherwise it is u. */
typedef struct traversal {
    const form_sweep *s;
    int probed;                   /* the corner */
    const double *pattern, *zero; /* of the probe; NULL: there is none */
    double *sums;                 /* of an integral: of triangles, then of edges */
    mesh_matrix *matrix;          /* receives the probed entries */
    int parity;
    _Atomic(int) status;
} traversal;

static const double *node_values(const form_sweep *s, const symbol *field)
{
    return field->kind == SYMBOL_FIELD ? form_values(s->run, field) : s->u;
}

/* ---- calls on columns -------------------------------------------------------------- */

static void set_corner(const traversal *w, element_call *c, int corner, int64_t column,
                       int64_t triangle)
{
    const pav_mesh *m = w->s->run->mesh;
    const element *k = w->s->k;
    const int64_t first = column * m->levels;

    for (int a = 0; a < 3; a++)
        c->at[corner][a] = m->at[a] + first;
    for (int n = 0; n < k->fields; n++)
        if (k->field[n]->kind != SYMBOL_FIELD && w->pattern)
            c->field[corner][n] = corner == w->probed ? w->pattern : w->zero;
        else
            c->field[corner][n] = node_values(w->s, k->field[n]) +
                                  (k->field[n]->on_cells ? triangle * m->layers : first);
}

/* Fields of the description are 3 + fields of each corner, then the outputs. */
static void *memory_of(const element *k, const element_call *c, int field)
{
    const int each = 3 + k->fields, corner = field / each, n = field % each;

    if (corner >= k->corners)
        return c->out[field - each * k->corners];
    return n < 3 ? (void *)c->at[corner][n] : (void *)c->field[corner][n - 3];
}

static pav_status element_run(const element *k, const element_call *c)
{
    emit_grid grid[3 * (3 + FORM_FIELDS) + 6];

    if (!k->kernel) {
        enum { MOST = 3 * (3 + FORM_FIELDS) + 6 };
        view v[MOST];
        const view *level[MOST][2];
        const view *const *all[MOST];
        for (int f = 0; f < k->code->fields; f++) {
            v[f] = (view){.data = memory_of(k, c, f),
                          .type = k->stage->real,
                          .extent = {c->layers, 1, 1},
                          .stride = {1, c->layers + 1, c->layers + 1},
                          .halo = {{0, 1}, {0, 0}, {0, 0}}};
            const bool out = f >= k->corners * (3 + k->fields);
            level[f][0] = out ? &v[f] : NULL;
            level[f][1] = out ? NULL : &v[f];
            all[f] = level[f];
        }
        const interp_args args = {.code = k->code,
                                  .stage = &k->bare,
                                  .view = all,
                                  .uniform = k->uniform,
                                  .box = {{0, 0, 0}, {c->layers, 1, 1}}};
        return interp_stage(&args);
    }
    for (int64_t s = 0; s < k->slots; s++)
        grid[s] = (emit_grid){memory_of(k, c, k->slot[s].field), c->layers + 1,
                              c->layers + 1};
    const emit_work work = {.hi = {c->layers, 1, 1},
                            .grid = grid,
                            .uniform = k->uniform,
                            .block = 1,
                            .several_rows = 1};
    k->kernel(&work);
    return PAV_OK;
}

static void run_element(traversal *w, const element_call *c)
{
    const pav_status status = element_run(w->s->k, c);

    if (status != PAV_OK)
        atomic_store(&w->status, (int)status);
}

/* Output n of a call, in scratch memory. */
static double *output_of(const traversal *w, double *scratch, int n)
{
    return scratch + n * int_rounded(w->s->run->mesh->layers, ELEMENT_ALIGNED);
}

static void run_column(traversal *w, element_call *c, double *scratch)
{
    c->layers = w->s->run->mesh->layers;
    for (int n = 0; n < w->s->k->outputs; n++)
        c->out[n] = output_of(w, scratch, n);
    run_element(w, c);
}

/* ---- results of a call ------------------------------------------------------------- */

static void add_integral(const traversal *w, int64_t cell, const double *layer)
{
    for (int l = 0; l < w->s->run->mesh->layers; l++)
        w->sums[cell] += layer[l];
}

/* Without a probe the outputs are added to y. A probe of ones on every other level gives
 * two columns of the matrix in each cell: a one at the lower or at the upper node of the
 * probed corner. */
static void take_outputs(const traversal *w, const int32_t *column, double *scratch)
{
    const pav_mesh *m = w->s->run->mesh;
    const int corners = w->s->k->corners;

    for (int k = 0; k < corners; k++) {
        const double *low = output_of(w, scratch, k);
        const double *high = output_of(w, scratch, corners + k);
        if (!w->pattern) {
            prism_add_column(w->s->y + (int64_t)column[k] * m->levels, low, high,
                             m->layers);
            continue;
        }
        double *entry = mesh_matrix_at(w->matrix, column[k], column[w->probed]);
        for (int l = 0; l < m->layers && entry; l++) { /* of its lower or upper node */
            double *of_node = entry + (l % 2 == w->parity ? 0 : m->levels);
            of_node[m->levels + l] += low[l];
            of_node[l + 1] += high[l];
        }
    }
}

/* ---- the volume -------------------------------------------------------------------- */

static void visit(void *context, int64_t triangle, int thread)
{
    traversal *w = context;
    const pav_mesh *m = w->s->run->mesh;
    const prism_operator *o = w->s->run->team;
    const int32_t *column = m->corner + 3 * triangle;
    element_call c = {0};

    for (int k = 0; k < 3; k++)
        set_corner(w, &c, k, column[k], triangle);
    double *scratch = (double *)(void *)(o->scratch + thread * o->scratch_bytes);
    run_column(w, &c, scratch);
    if (w->sums)
        add_integral(w, triangle, scratch);
    else
        take_outputs(w, column, scratch);
}

/* ---- faces ------------------------------------------------------------------------- */

/* Lids: the corners of this number of triangles of one level are stored one after the
 * other, like the layers of a column. */
typedef struct lids {
    double at[3][3][LIDS], field[3][FORM_FIELDS][LIDS], out[3][LIDS];
} lids;

static int64_t lid_node(const traversal *w, int64_t triangle, int64_t corner, int level)
{
    const pav_mesh *m = w->s->run->mesh;

    return (int64_t)m->corner[3 * triangle + corner] * m->levels + level;
}

static void visit_level(traversal *w, lids *g, int level)
{
    const pav_mesh *m = w->s->run->mesh;
    const element *k = w->s->k;
    element_call c = {.layers = 0};

    for (int corner = 0; corner < 3; corner++) {
        for (int a = 0; a < 3; a++)
            c.at[corner][a] = g->at[corner][a];
        for (int n = 0; n < k->fields; n++)
            c.field[corner][n] = g->field[corner][n];
        c.out[corner] = g->out[corner];
    }
    for (int64_t first = 0; first < m->triangles; first += LIDS) {
        c.layers = int64_least(m->triangles - first, LIDS);
        for (int64_t t = 0; t < 3 * c.layers; t++) {
            const int64_t corner = t % 3,
                          node = lid_node(w, first + t / 3, corner, level);
            for (int a = 0; a < 3; a++)
                g->at[corner][a][t / 3] = m->at[a][node];
            for (int n = 0; n < k->fields; n++)
                g->field[corner][n][t / 3] = w->pattern &&
                                                     k->field[n]->kind != SYMBOL_FIELD
                                                 ? corner == w->probed
                                                 : node_values(w->s, k->field[n])[node];
        }
        run_element(w, &c);
        for (int64_t t = 0; t < c.layers && w->sums; t++)
            w->sums[first + t] += g->out[0][t];
        for (int64_t t = 0; t < 3 * c.layers && !w->sums; t++) {
            const int64_t corner = t % 3,
                          node = lid_node(w, first + t / 3, corner, level);
            const double sum = g->out[corner][t / 3];
            double *to = !w->pattern ? w->s->y + node
                                     : mesh_matrix_node(
                                           w->matrix, node,
                                           lid_node(w, first + t / 3, w->probed, level));
            if (to)
                *to += sum;
        }
    }
}

bool form_covers(const char *border, element_kind kind)
{
    const bool lid = border && (!strcmp(border, "bottom") || !strcmp(border, "top"));

    return kind == ELEMENT_PRISM  ? !border
           : kind == ELEMENT_WALL ? border && !lid
                                  : lid || (border && !strcmp(border, "all"));
}

static void free_lids(lids **g)
{
    mem_big_free(*g, (int64_t)sizeof **g);
}

static pav_status visit_lids(traversal *w)
{
    const char *border = w->s->border;
    OWNED_BY(free_lids) lids *g = mem_big((int64_t)sizeof *g);

    assert(border); /* lids belong to a border */
    if (!g)
        return PAV_ENOMEM;
    if (strcmp(border, "top") != 0)
        visit_level(w, g, 0);
    if (strcmp(border, "bottom") != 0)
        visit_level(w, g, w->s->run->mesh->layers);
    return PAV_OK;
}

/* ---- all --------------------------------------------------------------------------- */

static pav_status sweep(traversal *w)
{
    const element *k = w->s->k;

    assert(!w->pattern || w->matrix); /* a probe fills it */
    if (k->empty)
        return PAV_OK;
    if (k->kind == ELEMENT_PRISM)
        prism_for_triangles(w->s->run->team, visit, w);
    else if (k->kind == ELEMENT_WALL) {
        const pav_mesh *m = w->s->run->mesh;
        double *scratch = (double *)(void *)w->s->run->team->scratch;
        element_call c = {0};
        for (int64_t e = 0; e < m->plane.edges; e++) {
            const int32_t *edge = m->plane.edge + 3 * e;
            if (!mesh_is_border(m, edge[2], w->s->border))
                continue;
            for (int n = 0; n < 2; n++)
                set_corner(w, &c, n, edge[n], 0);
            run_column(w, &c, scratch);
            if (w->sums)
                add_integral(w, m->triangles + e, scratch);
            else
                take_outputs(w, edge, scratch);
        }
    } else
        TRY(visit_lids(w));
    const pav_status status = (pav_status)atomic_load(&w->status);
    return status == PAV_OK
               ? PAV_OK
               : FAIL(status, "an element kernel could not be run: memory ran out");
}

pav_status form_sweep_add(const form_sweep *s)
{
    traversal w = {.s = s};

    return sweep(&w);
}

pav_status form_sweep_matrix(const form_sweep *s, mesh_matrix *matrix)
{
    const int nodes = s->run->mesh->levels;
    const int parities = s->k->kind == ELEMENT_LID ? 1 : 2;
    traversal w = {.s = s, .matrix = matrix};
    OWNED_NEW(double, pattern, 2 * (int64_t)nodes + MESH_PADDING);

    w.pattern = pattern;
    w.zero = pattern + nodes;
    for (w.parity = 0; w.parity < parities; w.parity++) {
        for (int l = 0; l < nodes; l++)
            pattern[l] = l % 2 == w.parity;
        for (w.probed = 0; w.probed < s->k->corners; w.probed++)
            TRY(sweep(&w));
    }
    return PAV_OK;
}

/* ---- values ------------------------------------------------------------------------ */

/* Values of expressions: at all nodes, and numbers, in which reductions over the nodes
 * and integrals stand. */

static pav_status known(void *context, const expr *e, const form_binding *bound,
                        double *value);

/* ---- at nodes ---------------------------------------------------------------------- */

enum { NODES = 256 * ELEMENT_ALIGNED };

static void free_nodes(double **out)
{
    mem_big_free(*out, NODES * (int64_t)sizeof **out);
}

/* Opens the kernel of an expression without a test function. */
static pav_status open_value(const pav_mesh_run *r, element_kind kind, const expr *e,
                             const form_binding *bound, element *k)
{
    const element_source o = {.kind = kind,
                              .form = e,
                              .bound = bound,
                              .real = PAV_F64,
                              .once = true,
                              .context = (void *)r,
                              .known = known};

    return form_open(r, &o, k);
}

pav_status form_at_nodes(const pav_mesh_run *r, const expr *e, const form_binding *bound,
                         double *values)
{
    OWNED_BY(element_close) element k = {0};

    TRY(open_value(r, ELEMENT_NODE, e, bound, &k));
    /* Nodes are taken in groups of this size, like a column without layers. */
    OWNED_BY(free_nodes) double *out = mem_big(NODES * (int64_t)sizeof *out);
    element_call c = {.out = {out}};
    if (!out)
        return PAV_ENOMEM;
    for (int64_t first = 0; first < r->mesh->nodes; first += NODES) {
        c.layers = int64_least(r->mesh->nodes - first, NODES);
        for (int a = 0; a < 3; a++)
            c.at[0][a] = r->mesh->at[a] + first;
        for (int n = 0; n < k.fields; n++)
            c.field[0][n] = form_values(r, k.field[n]) + first;
        TRY(element_run(&k, &c));
        memcpy(values + first, out, (size_t)c.layers * sizeof *out);
    }
    return PAV_OK;
}

/* ---- numbers ----------------------------------------------------------------------- */

static pav_status over_nodes(const pav_mesh_run *r, const expr *e,
                             const form_binding *bound, double *value)
{
    OWNED_NEW(double, values, r->mesh->nodes);

    TRY(form_at_nodes(r, e->arg[0], bound, values));
    *value = interp_reduce(e->reduction, values, 0, r->mesh->nodes);
    return PAV_OK;
}

static pav_status integrate(const pav_mesh_run *r, element_kind kind, const expr *e,
                            const form_binding *bound, double *sums)
{
    OWNED_BY(element_close) element k = {0};
    const form_sweep s = {.run = r, .k = &k, .border = e->border};
    traversal w = {.s = &s, .sums = sums};

    TRY(open_value(r, kind, e->arg[0], bound, &k));
    return sweep(&w);
}

static pav_status over_cells(const pav_mesh_run *r, const expr *e,
                             const form_binding *bound, double *value)
{
    const pav_mesh *m = r->mesh;
    const int64_t cells = m->triangles + (e->border ? m->plane.edges : 0);
    OWNED_NEW(double, sums, cells);

    if (e->border)
        TRY(mesh_check_border(m, e->border));
    for (int kind = ELEMENT_PRISM; kind <= ELEMENT_LID; kind++)
        if (form_covers(e->border, (element_kind)kind))
            TRY(integrate(r, (element_kind)kind, e, bound, sums));
    *value = interp_reduce(REDUCTION_SUM, sums, 0, cells);
    return PAV_OK;
}

static pav_status known(void *context, const expr *e, const form_binding *bound,
                        double *value)
{
    const pav_mesh_run *r = context;

    if (e->kind == EXPR_SYMBOL)
        *value = r->measure[e->symbol->index];
    else if (e->reduction == REDUCTION_INTEGRAL)
        TRY(over_cells(r, e, bound, value));
    else
        TRY(over_nodes(r, e, bound, value));
    if (isfinite(*value))
        return PAV_OK;
    return FAIL(PAV_EINVAL, "%s:%d: %s is %s", r->p->name, e->at.line,
                e->kind == EXPR_SYMBOL ? e->symbol->name : reduction_names[e->reduction],
                isnan(*value) ? "no number" : "infinite");
}

pav_status form_scalar(const pav_mesh_run *r, const expr *e, double *value)
{
    static const double zero = 0;
    const double *const at[3] = {&zero, &zero, &zero};
    OWNED_BY(node_expression_free) node_expression made = {0};
    OWNED_BY(text_free) text t = {0};
    form_writer w = {.t = &t, .point = -1, .context = (void *)r, .known = known};

    text_add(&t, e->boolean ? "where(" : "");
    form_write_value(&w, e, NULL);
    text_add(&t, e->boolean ? ", 1, 0)" : "");
    TRY(w.status);
    if (t.failed)
        return PAV_ENOMEM;
    TRY(node_expression_open(t.data, &made));
    node_expression_values(&made, at, 1, value);
    return PAV_OK;
}
