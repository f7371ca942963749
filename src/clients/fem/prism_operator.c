/* SPDX-License-Identifier: BSD-3-Clause */
/* Prisms: the textbook's cell, and operators over all columns of a mesh. A chunk of
 * triangles belongs to one thread, chunks of one colour share no node, and colours follow
 * each other. The thread of a chunk is arbitrary, but the order of sums at a node is
 * fixed. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "fem/fem_private.h"

/* ---- the textbook ------------------------------------------------------------------ */

/* The prism of a textbook, point by point, in f64: six shape functions, the inverse of
 * the Jacobian, a 6 x 6 matrix. It is slow, and all faster versions are compared with
 * it. */

typedef struct point {
    double weight, value[PRISM_NODES], derivative[PRISM_NODES][3];
} point;

/* Two heights of Gauss; in the triangle Gauss-Jacobi (weight 1 - a) times Gauss: exact to
 * degree 3 in each. */
static void set_point(int number, point *q)
{
    const double root = sqrt(1.0 / 3), z[2] = {(1 - root) / 2, (1 + root) / 2},
                 r[2] = {(4 - sqrt(6)) / 10, (4 + sqrt(6)) / 10},
                 w[2] = {(9 + sqrt(6)) / 36, (9 - sqrt(6)) / 36};
    const double s = z[number / 4], a = r[number / 2 % 2], b = (1 - a) * z[number % 2];
    const double corner[3] = {1 - a - b, a, b};
    static const double slope[3][2] = {{-1, -1}, {1, 0}, {0, 1}};

    q->weight = w[number / 2 % 2] / 2 / 2;
    for (int n = 0; n < PRISM_NODES; n++) {
        const double height = n < 3 ? 1 - s : s;
        q->value[n] = corner[n % 3] * height;
        q->derivative[n][0] = slope[n % 3][0] * height;
        q->derivative[n][1] = slope[n % 3][1] * height;
        q->derivative[n][2] = corner[n % 3] * (n < 3 ? -1 : 1);
    }
}

void prism_reference_rule(double *rule)
{
    for (int p = 0; p < PRISM_POINTS; p++) {
        point q;
        set_point(p, &q);
        *rule++ = q.weight;
        for (int n = 0; n < PRISM_NODES; n++)
            *rule++ = q.value[n];
        for (int n = 0; n < 3 * PRISM_NODES; n++)
            *rule++ = q.derivative[n / 3][n % 3];
    }
}

/* jacobian[3*i + k]: derivative of coordinate i by reference coordinate k. */
double prism_reference_point(const double *at, int number, double value[PRISM_NODES],
                             double gradient[PRISM_NODES][3])
{
    point q;
    double j[9] = {0}, inverse[9];

    set_point(number, &q);
    for (int n = 0; n < PRISM_NODES; n++)
        for (int i = 0; i < 9; i++)
            j[i] += at[3 * n + i / 3] * q.derivative[n][i % 3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3,
                      k2 = (k + 2) % 3;
            inverse[3 * k + i] = j[3 * i1 + k1] * j[3 * i2 + k2] -
                                 j[3 * i1 + k2] * j[3 * i2 + k1];
        }
    const double det = j[0] * inverse[0] + j[1] * inverse[3] + j[2] * inverse[6];
    for (int n = 0; n < PRISM_NODES; n++) {
        value[n] = q.value[n];
        for (int i = 0; i < 3; i++) {
            gradient[n][i] = 0;
            for (int k = 0; k < 3; k++)
                gradient[n][i] += q.derivative[n][k] * (inverse[3 * k + i] / det);
        }
    }
    return q.weight * det;
}

void prism_reference_matrix(const double *at, pav_form form,
                            double matrix[PRISM_NODES * PRISM_NODES])
{
    double value[PRISM_NODES], gradient[PRISM_NODES][3];

    memset(matrix, 0, PRISM_NODES * PRISM_NODES * sizeof(double));
    for (int p = 0; p < PRISM_POINTS; p++) {
        const double scale = prism_reference_point(at, p, value, gradient);
        for (int e = 0; e < PRISM_NODES * PRISM_NODES; e++) {
            const int n = e / PRISM_NODES, k = e % PRISM_NODES;
            double product = 0;
            for (int i = 0; i < 3; i++)
                product += gradient[n][i] * gradient[k][i];
            matrix[e] += scale *
                         (form.stiffness * product + form.mass * value[n] * value[k]);
        }
    }
}

void prism_reference_action(const pav_mesh *m, pav_form form, const double *u, double *y)
{
    memset(y, 0, (size_t)m->nodes * sizeof *y);
    for (int64_t cell = 0; cell < m->cells; cell++) {
        double at[3 * PRISM_NODES], matrix[PRISM_NODES * PRISM_NODES];
        int64_t node[PRISM_NODES];
        mesh_cell_at(m, cell / m->layers, (int)(cell % m->layers), node, at);
        prism_reference_matrix(at, form, matrix);
        for (int k = 0; k < PRISM_NODES * PRISM_NODES; k++)
            y[node[k / PRISM_NODES]] += matrix[k] * u[node[k % PRISM_NODES]];
    }
}

/* ---- opening ----------------------------------------------------------------------- */

static const char *const methods[] = {"columns", "atomics", "reference"};

pav_status prism_operator_open(const pav_mesh *m, pav_form form, pav_type type,
                               const char *method, int threads, prism_operator **result)
{
    int how = PRISM_COLUMNS;

    *result = NULL;
    if (threads < 0 || threads > PAV_MAX_THREADS)
        return FAIL(PAV_EINVAL, "%d threads: give 0 (all) to %d", threads,
                    PAV_MAX_THREADS);
    if (method)
        TRY(text_choice("method for prisms", method, methods, COUNT_OF(methods), &how));
    prism_operator *o = *result = mem_new(1, sizeof *o);
    if (!o)
        return PAV_ENOMEM;
    const bool single = type == PAV_F32;
    const prism_kernels *vector = single ? &prism_f32_vector : &prism_f64_vector;
    const bool fits = HAS_AVX2 && vector->action && m->layers >= vector->lanes;
    *o = (prism_operator){.m = m,
                          .form = form,
                          .type = type,
                          .method = (prism_method)how,
                          .kernels = fits     ? vector
                                     : single ? &prism_f32_plain
                                              : &prism_f64_plain};
    for (int a = 0; a < 3; a++) {
        o->own[a] = single ? mem_big(m->nodes * (int64_t)sizeof(float)) : NULL;
        o->at[a] = single ? o->own[a] : m->at[a];
        if (!o->at[a])
            return PAV_ENOMEM;
        if (single)
            type_convert(PAV_F32, o->own[a], PAV_F64, m->at[a], m->nodes);
    }
    TRY(host_team_open(threads ? threads : host_threads(), HOST_BIND_AUTO, &o->team));
    o->threads = host_team_threads(o->team);
    o->scratch_bytes = int_rounded(33 * (int64_t)m->layers * 8, 4096);
    o->scratch = mem_big(o->scratch_bytes * o->threads);
    return o->scratch ? PAV_OK : PAV_ENOMEM;
}

void prism_operator_close(prism_operator *o)
{
    if (!o)
        return;
    for (int a = 0; a < 3; a++)
        mem_big_free(o->own[a], o->m->nodes * (int64_t)sizeof(float));
    mem_big_free(o->scratch, o->scratch_bytes * o->threads);
    host_team_close(o->team);
    mem_free(o);
}

/* ---- by chunks --------------------------------------------------------------------- */

typedef struct chunk_traversal {
    prism_operator *o;
    prism_visit *visit;
    void *context;
    atomic_int next;
    int end;
} chunk_traversal;

static void take_chunks(void *argument, int64_t part)
{
    chunk_traversal *w = argument;
    const int32_t *chunk = w->o->m->chunk;

    for (int k; (k = atomic_fetch_add(&w->next, 1)) < w->end;)
        for (int64_t t = chunk[k]; t < chunk[k + 1]; t++)
            w->visit(w->context, t, (int)part);
}

void prism_for_triangles(prism_operator *o, prism_visit *visit, void *context)
{
    const pav_mesh *m = o->m;
    const bool at_once = o->method == PRISM_ATOMICS;
    chunk_traversal w = {.o = o, .visit = visit, .context = context};

    host_team_keep_awake(o->team);
    for (int c = 0; c < (at_once ? 1 : m->colours); c++) {
        atomic_store(&w.next, at_once ? 0 : m->colour[c]);
        w.end = at_once ? m->chunks : m->colour[c + 1];
        host_team_run(o->team, o->threads, take_chunks, &w);
    }
    host_team_release(o->team);
}

typedef struct part_traversal {
    prism_run *run;
    void *context;
    int64_t count;
    int parts;
} part_traversal;

static void take_part(void *argument, int64_t part)
{
    const part_traversal *w = argument;

    w->run(w->context, w->count * part / w->parts, w->count * (part + 1) / w->parts);
}

void prism_for_parts(prism_operator *o, int64_t count, prism_run *run, void *context)
{
    part_traversal w = {run, context, count, o->threads};

    host_team_run(o->team, o->threads, take_part, &w);
}

/* ---- columns ----------------------------------------------------------------------- */

static const void *element(const void *values, pav_type type, int64_t index)
{
    return (const char *)values + index * (int64_t)pav_type_size(type);
}

prism_column prism_column_of(const prism_operator *o, int64_t triangle, const void *u,
                             int thread)
{
    const int64_t size = (int64_t)pav_type_size(o->type);
    char *scratch = o->scratch + thread * o->scratch_bytes;
    prism_column c = {.layers = o->m->layers,
                      .stiffness = o->form.stiffness,
                      .mass = o->form.mass,
                      .low = scratch,
                      .high = scratch + 3 * o->m->layers * size,
                      .matrix = scratch + 6 * o->m->layers * size};

    for (int k = 0; k < 3; k++) {
        const int64_t first = (int64_t)o->m->corner[3 * triangle + k] * o->m->levels;
        for (int a = 0; a < 3; a++)
            c.at[k][a] = element(o->at[a], o->type, first);
        c.u[k] = u ? element(u, o->type, first) : NULL;
    }
    return c;
}

/* ---- the action -------------------------------------------------------------------- */

typedef struct sweep {
    prism_operator *o;
    prism_kernel *kernel;
    const void *u;
    void *y;
    double mass;
} sweep;

INLINE void add_f32(float *restrict y, const float *restrict low,
                    const float *restrict high, int layers)
{
    y[0] += low[0];
    for (int l = 1; l < layers; l++)
        y[l] += low[l] + high[l - 1];
    y[layers] += high[layers - 1];
}

static void add_one(double *y, double value)
{
    uint64_t old, now;
    double sum;

    __atomic_load((uint64_t *)(void *)y, &old, __ATOMIC_RELAXED);
    do {
        memcpy(&sum, &old, sizeof sum);
        sum += value;
        memcpy(&now, &sum, sizeof now);
    } while (!__atomic_compare_exchange_n((uint64_t *)(void *)y, &old, now, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void add_atomic(double *y, const double *low, const double *high, int layers)
{
    add_one(y, low[0]);
    for (int l = 1; l < layers; l++)
        add_one(y + l, low[l] + high[l - 1]);
    add_one(y + layers, high[layers - 1]);
}

static void visit_column(void *context, int64_t triangle, int thread)
{
    const sweep *s = context;
    const prism_operator *o = s->o;
    const int layers = o->m->layers;
    prism_column c = prism_column_of(o, triangle, s->u, thread);

    c.mass = s->mass;
    s->kernel(&c);
    for (int k = 0; k < 3; k++) {
        const int64_t first = (int64_t)o->m->corner[3 * triangle + k] * o->m->levels;
        const double *low = (double *)c.low + k * layers,
                     *high = (double *)c.high + k * layers;
        if (o->type == PAV_F32)
            add_f32((float *)s->y + first, (float *)c.low + k * layers,
                    (float *)c.high + k * layers, layers);
        else if (o->method == PRISM_ATOMICS)
            add_atomic((double *)s->y + first, low, high, layers);
        else
            prism_add_column((double *)s->y + first, low, high, layers);
    }
}

static void zero_part(void *context, int64_t from, int64_t to)
{
    const sweep *s = context;
    const int64_t size = (int64_t)pav_type_size(s->o->type);

    memset((char *)s->y + from * size, 0, (size_t)((to - from) * size));
}

void prism_operator_apply(prism_operator *o, bool mass, const void *u, void *y)
{
    sweep s = {o, mass ? o->kernels->mass : o->kernels->action, u, y,
               mass ? 1 : o->form.mass};

    if (o->method == PRISM_REFERENCE && o->type == PAV_F64) {
        prism_reference_action(o->m, mass ? (pav_form){0, 1} : o->form, u, y);
        return;
    }
    prism_for_parts(o, o->m->nodes, zero_part, &s);
    prism_for_triangles(o, visit_column, &s);
}
