/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors over the nodes on the host, by its threads. A sum is taken in blocks of nodes.
 * Inside a block, 32 lanes are summed and then added in halves. Threads, vectors and GPUs
 * (gpu/mesh_gpu.c) all keep this order. */
#include <string.h>

#include "fem/fem_private.h"

typedef struct vector_work {
    const mesh_solver *s;
    double *y;
    const double *x, *z;
    double a, b;
    int64_t n;
    const mesh_lines *lines;
    const mesh_matrix *matrix;
} vector_work;

static pav_status open(mesh_solver *s, int vectors)
{
    for (int k = 0; k < vectors; k++) {
        if (k > 0 && !(s->host[k] = mem_new(s->n + MESH_PADDING, sizeof *s->u)))
            return PAV_ENOMEM;
        s->vector[k] = s->host[k];
    }
    s->x = s->u;
    s->right = s->b;
    return PAV_OK;
}

/* ---- elementwise ------------------------------------------------------------------- */

static void axpby_part(void *context, int64_t from, int64_t to)
{
    const vector_work *w = context;

    for (int64_t i = from; i < to; i++)
        w->y[i] = w->a * w->x[i] + w->b * w->y[i];
}

static void axpby(mesh_solver *s, int64_t n, double a, const double *x, double b,
                  double *y)
{
    vector_work w = {.s = s, .y = y, .x = x, .a = a, .b = b};

    prism_for_parts(s->o, n, axpby_part, &w);
}

static void copy(mesh_solver *s, const double *x, double *y)
{
    memcpy(y, x, (size_t)s->n * sizeof *y);
}

static void zero(mesh_solver *s, double *y)
{
    memset(y, 0, (size_t)s->n * sizeof *y);
}

static void mask(mesh_solver *s, const double *x, double *y)
{
    for (int64_t i = 0; i < s->n; i++)
        y[i] = s->fixed[i] ? 0 : x[i];
}

static void restore(mesh_solver *s, const double *x, double *y)
{
    for (int64_t i = 0; i < s->n; i++)
        if (s->fixed[i])
            y[i] = x[i];
}

/* ---- sums -------------------------------------------------------------------------- */

static double block_sum(const double *x, const double *z, int64_t count)
{
    enum { LANES = 32 };
    double lane[LANES] = {0};
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += x[i + k] * z[i + k];
    for (int k = 0; i + k < count; k++)
        lane[k] += x[i + k] * z[i + k];
    for (int apart = LANES / 2; apart; apart /= 2)
        for (int k = 0; k < apart; k++)
            lane[k] += lane[k + apart];
    return lane[0];
}

static void sum_part(void *context, int64_t from, int64_t to)
{
    const vector_work *w = context;

    for (int64_t k = from; k < to; k++) {
        const int64_t first = k * MESH_SUM_BLOCK, rest = w->n - first;
        w->s->sums[k] = block_sum(w->x + first, w->z + first,
                                  rest < MESH_SUM_BLOCK ? rest : MESH_SUM_BLOCK);
    }
}

double mesh_sum_blocks(const double *sums, int64_t n)
{
    double sum = 0;

    for (int64_t k = 0; k < int_parts(n, MESH_SUM_BLOCK); k++)
        sum += sums[k];
    return sum;
}

static double dot(mesh_solver *s, int64_t n, const double *x, const double *z)
{
    vector_work w = {.s = s, .x = x, .z = z, .n = n};

    prism_for_parts(s->o, int_parts(n, MESH_SUM_BLOCK), sum_part, &w);
    return mesh_sum_blocks(s->sums, n);
}

/* ---- lines, matrices and the operator ---------------------------------------------- */

static void lines_part(void *context, int64_t from, int64_t to)
{
    const vector_work *w = context;
    const int levels = w->s->m->levels;

    for (int64_t c = from; c < to; c++) {
        const int64_t first = c * levels;
        const double *r = w->x + first, *d = w->lines->diagonal + first,
                     *l = w->lines->above ? w->lines->above + first : NULL;
        double *z = w->y + first;
        z[0] = r[0];
        for (int k = 1; k < levels; k++)
            z[k] = l ? r[k] - l[k - 1] * z[k - 1] : r[k];
        z[levels - 1] /= d[levels - 1];
        for (int k = levels - 2; k >= 0; k--)
            z[k] = l ? z[k] / d[k] - l[k] * z[k + 1] : z[k] / d[k];
    }
}

static void lines(mesh_solver *s, const mesh_lines *f, const double *r, double *z)
{
    vector_work w = {.s = s, .y = z, .x = r, .lines = f};

    prism_for_parts(s->o, f->n / s->m->levels, lines_part, &w);
}

/* sum += v x, level by level; x is `up` levels above */
INLINE void add_entry(const double *restrict v, bool many, const double *restrict x,
                      int count, double *restrict sum)
{
    if (many)
        for (int k = 0; k < count; k++)
            sum[k] += v[k] * x[k];
    else
        for (int k = 0; k < count; k++)
            sum[k] += *v * x[k];
}

/* Some levels of a row at a time, so their sums stay in the fastest cache. */
static void product_part(void *context, int64_t from, int64_t to)
{
    enum { LEVELS = 128 };
    const vector_work *w = context;
    const mesh_matrix *m = w->matrix;
    const int levels = w->s->m->levels;
    const bool many = m->each > 1;

    for (int64_t row = from; row < to; row++)
        for (int low = 0; low < levels; low += LEVELS) {
            const int count = int_least(LEVELS, levels - low);
            double sum[LEVELS] = {0};
            for (int64_t e = m->first[row]; e < m->first[row + 1]; e++)
                for (int d = -many; d <= many; d++) {
                    const int skip = low + d < 0,
                              last = count - (low + count + d > levels);
                    add_entry(m->value + e * m->each +
                                  (many ? (d + 1) * levels + low + skip : 0),
                              many, w->x + (int64_t)m->near[e] * levels + low + skip + d,
                              last - skip, sum + skip);
                }
            double *y = w->y + row * levels + low;
            const double *b = w->z ? w->z + row * levels + low : NULL;
            for (int k = 0; k < count; k++)
                y[k] = b ? b[k] + w->a * sum[k] : w->a * sum[k];
        }
}

static void product(mesh_solver *s, const mesh_matrix *m, double sign, const double *x,
                    const double *b, double *y)
{
    vector_work w = {.s = s, .y = y, .x = x, .z = b, .a = sign, .matrix = m};

    prism_for_parts(s->o, m->rows, product_part, &w);
}

static void act(mesh_solver *s, const double *x, double *y)
{
    s->apply(s->context, x, y);
}

const mesh_space mesh_space_host = {open,    NULL,  axpby,   copy, zero, mask,
                                    restore, lines, product, dot,  act};
