/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembled matrix in compressed rows. Two columns of nodes are neighbours at all
 * levels or at none. So the pattern of a row follows from its column and from its level:
 * `degree` neighbours on three levels, on two levels at the ends of a column. The place
 * of a triangle's contributions is searched for once in a column. */
#include <string.h>

#include "fem/fem_private.h"

/* ---- the pattern ------------------------------------------------------------------- */

RELEASES(drop, prism_csr, prism_csr_close)

pav_status prism_csr_open(prism_operator *o, prism_csr **result)
{
    const pav_mesh *m = o->m;
    OWNED_BY(drop) prism_csr *a = mem_new(1, sizeof *a);
    OWNED_BY(mesh_matrix_close) mesh_matrix near = {0};
    int64_t at = 0;

    *result = NULL;
    if (!a)
        return PAV_ENOMEM;
    a->rows = m->nodes;
    TRY(mem_take(&a->first, a->rows + 1, sizeof *a->first));
    TRY(mesh_matrix_open(m, true, 1, &near));
    a->entries = near.first[m->columns] * (3 * (int64_t)m->levels - 2);
    if (m->nodes > INT32_MAX)
        return FAIL(PAV_ELIMIT,
                    "a matrix of %lld rows: 2^31 are supported; the action "
                    "needs no matrix",
                    (long long)m->nodes);
    a->column = mem_big(a->entries * (int64_t)sizeof *a->column);
    a->value = a->column ? mem_big(a->entries * (int64_t)sizeof *a->value) : NULL;
    if (!a->value)
        return FAIL(PAV_ENOMEM, "a matrix of %lld entries: %s", (long long)a->entries,
                    pav_message());
    for (int64_t row = 0; row < a->rows; a->first[++row] = at) {
        const int64_t c = row / m->levels, level = row % m->levels;
        for (int64_t e = near.first[c]; e < near.first[c + 1]; e++)
            for (int64_t l = int64_most(level - 1, 0); l <= level + 1 && l < m->levels;
                 l++)
                a->column[at++] = (int32_t)((int64_t)near.near[e] * m->levels + l);
    }
    *result = mem_hand_over(&a);
    return PAV_OK;
}

void prism_csr_close(prism_csr *a)
{
    if (!a)
        return;
    mem_big_free(a->column, a->entries * (int64_t)sizeof *a->column);
    mem_big_free(a->value, a->entries * (int64_t)sizeof *a->value);
    MEM_FREE_ALL(a->first, a);
}

/* ---- values ------------------------------------------------------------------------ */

typedef struct assembly {
    prism_operator *o;
    prism_csr *a;
} assembly;

/* Adds a triangle's column of matrices. A pair of corners has four blocks, each a row of
 * layers; `to` is the entry of a row with the same level of the neighbour. */
static void visit_matrix(void *context, int64_t triangle, int thread)
{
    const assembly *s = context;
    const pav_mesh *m = s->o->m;
    const prism_column c = prism_column_of(s->o, triangle, NULL, thread);
    const int layers = m->layers;

    s->o->kernels->matrix(&c);
    for (int pair = 0; pair < 9; pair++) {
        const int i = pair / 3, j = pair % 3, ij = i < j ? 3 * i + j : 3 * j + i;
        const int64_t row = (int64_t)m->corner[3 * triangle + i] * m->levels,
                      other = (int64_t)m->corner[3 * triangle + j] * m->levels,
                      start = s->a->first[row],
                      degree = (s->a->first[row + 1] - start) / 2;
        int64_t place = 0;
        while (s->a->column[start + 2 * place] != other)
            place++;
        const double *low = (const double *)c.matrix + ij * layers,
                     *high = low + 9 * layers,
                     *up = (const double *)c.matrix + (18 + 3 * i + j) * layers,
                     *down = (const double *)c.matrix + (18 + 3 * j + i) * layers;
        double *to = s->a->value + start + 2 * place;
        to[0] += low[0];
        to[1] += up[0];
        to += 2 * degree + place;
        for (int l = 1; l < layers; l++, to += 3 * degree) {
            to[0] += down[l - 1];
            to[1] += low[l] + high[l - 1];
            to[2] += up[l];
        }
        to -= place;
        to[0] += down[layers - 1];
        to[1] += high[layers - 1];
    }
}

static void zero_values(void *context, int64_t from, int64_t to)
{
    const prism_csr *a = context;

    memset(a->value + from, 0, (size_t)(to - from) * sizeof(double));
}

void prism_csr_take(prism_csr *a, const mesh_matrix *values)
{
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t e = a->first[row]; e < a->first[row + 1]; e++)
            a->value[e] = *mesh_matrix_node(values, row, a->column[e]);
}

pav_matrix prism_csr_sizes(const prism_csr *a)
{
    return (pav_matrix){.rows = a->rows,
                        .entries = a->entries,
                        .first = a->first,
                        .column = a->column,
                        .value = a->value};
}

pav_status prism_csr_assemble(prism_operator *o, prism_csr *a)
{
    const pav_mesh *m = o->m;
    const prism_method method = o->method;
    assembly s = {.o = o, .a = a};
    OWNED_BY(mesh_matrix_close) mesh_matrix all = {0};
    double at[3 * PRISM_NODES], matrix[PRISM_NODES * PRISM_NODES];
    int64_t node[PRISM_NODES];

    if (method != PRISM_REFERENCE) {
        o->method = PRISM_COLUMNS; /* a matrix is never summed by atomics */
        prism_for_parts(o, a->entries, zero_values, a);
        prism_for_triangles(o, visit_matrix, &s);
        o->method = method;
        return PAV_OK;
    }
    TRY(mesh_matrix_open(m, true, 3 * (int64_t)m->levels, &all));
    for (int64_t c = 0; c < m->cells; c++) {
        mesh_cell_at(m, c / m->layers, (int)(c % m->layers), node, at);
        prism_reference_matrix(at, o->form, matrix);
        for (int k = 0; k < PRISM_NODES * PRISM_NODES; k++)
            *mesh_matrix_node(&all, node[k / PRISM_NODES],
                              node[k % PRISM_NODES]) += matrix[k];
    }
    prism_csr_take(a, &all);
    return PAV_OK;
}

typedef struct product {
    const prism_csr *a;
    const double *x;
    double *y;
} product;

/* All rows of a column have the same neighbours, on three adjacent levels. The product is
 * the textbook's. */
static void multiply_part(void *context, int64_t from, int64_t to)
{
    const product *p = context;
    const prism_csr *a = p->a;

    for (int64_t row = from; row < to; row++) {
        double sum = 0;
        for (int64_t e = a->first[row]; e < a->first[row + 1]; e++)
            sum += a->value[e] * p->x[a->column[e]];
        p->y[row] = sum;
    }
}

void prism_csr_multiply(prism_operator *o, const prism_csr *a, const double *x, double *y)
{
    product p = {a, x, y};

    prism_for_parts(o, a->rows, multiply_part, &p);
}
