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

static void axpby(mesh_solver *s, double a, const double *x, double b, double *y)
{
    vector_work w = {s, y, x, NULL, a, b};

    prism_for_parts(s->o, s->n, axpby_part, &w);
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
        const int64_t first = k * MESH_SUM_BLOCK, rest = w->s->n - first;
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

static double dot(mesh_solver *s, const double *x, const double *z)
{
    vector_work w = {.s = s, .x = x, .z = z};

    prism_for_parts(s->o, int_parts(s->n, MESH_SUM_BLOCK), sum_part, &w);
    return mesh_sum_blocks(s->sums, s->n);
}

/* ---- the preconditioner and the operator ------------------------------------------- */

static void precondition_part(void *context, int64_t from, int64_t to)
{
    const vector_work *w = context;
    const mesh_solver *s = w->s;
    const int levels = s->m->levels;

    for (int64_t c = from; c < to; c++) {
        const int64_t first = c * levels;
        const double *r = w->x + first, *d = s->diagonal + first,
                     *l = s->above ? s->above + first : NULL;
        double *z = w->y + first;
        z[0] = r[0];
        for (int k = 1; k < levels; k++)
            z[k] = l ? r[k] - l[k - 1] * z[k - 1] : r[k];
        z[levels - 1] /= d[levels - 1];
        for (int k = levels - 2; k >= 0; k--)
            z[k] = l ? z[k] / d[k] - l[k] * z[k + 1] : z[k] / d[k];
    }
}

static void precondition(mesh_solver *s, const double *r, double *z)
{
    vector_work w = {.s = s, .y = z, .x = r};

    prism_for_parts(s->o, s->m->columns, precondition_part, &w);
}

static void act(mesh_solver *s, const double *x, double *y)
{
    s->apply(s->context, x, y);
}

const mesh_space mesh_space_host = {open, NULL,    axpby,        copy, zero,
                                    mask, restore, precondition, dot,  act};
