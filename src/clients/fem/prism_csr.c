/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembled matrix in compressed rows. Two columns of nodes are neighbours at all
 * levels or at none. So the pattern of a row follows from its column and from its level:
 * `degree` neighbours on three levels, on two levels at the ends of a column. Nine
 * numbers for each triangle give the places of its contributions, so nothing is searched
 * for. */
#include <string.h>

#include "fem/fem_private.h"

/* ---- the pattern ------------------------------------------------------------------- */

/* The neighbours of a column, ascending, itself among them; how many. */
static int neighbours_of(const pav_mesh *m, int64_t column, int32_t *near)
{
    int count = 0;

    for (int64_t k = m->first[column]; k < m->first[column + 1]; k++)
        for (int c = 0; c < 3; c++) {
            const int32_t other = m->corner[m->incident[k] / 3 * 3 + c];
            int at = count;
            while (at > 0 && near[at - 1] > other)
                at--;
            if (at > 0 && near[at - 1] == other)
                continue;
            memmove(near + at + 1, near + at, (size_t)(count - at) * sizeof *near);
            near[at] = other;
            count++;
        }
    return count;
}

/* Finds the pattern of a column's rows, of its neighbours `near`. */
static void set_column(prism_csr *a, const pav_mesh *m, int64_t column,
                       const int32_t *near)
{
    for (int level = 0; level < m->levels; level++) {
        int64_t at = a->start[column] +
                     (level ? (3 * level - 1) * (int64_t)a->degree[column] : 0);
        a->first[column * m->levels + level] = at;
        for (int k = 0; k < a->degree[column]; k++)
            for (int l = int_most(level - 1, 0); l <= level + 1 && l < m->levels; l++)
                a->column[at++] = (int32_t)((int64_t)near[k] * m->levels + l);
    }
    for (int64_t k = m->first[column]; k < m->first[column + 1]; k++)
        for (int c = 0; c < 3; c++) {
            const int32_t other = m->corner[m->incident[k] / 3 * 3 + c];
            uint16_t place = 0;
            while (near[place] != other)
                place++;
            a->place[3 * m->incident[k] + c] = place;
        }
}

static void drop(prism_csr **a)
{
    prism_csr_close(*a);
}

pav_status prism_csr_open(prism_operator *o, prism_csr **result)
{
    const pav_mesh *m = o->m;
    OWNED_BY(drop) prism_csr *a = mem_new(1, sizeof *a);
    int64_t most = 0;

    *result = NULL;
    if (!a)
        return PAV_ENOMEM;
    a->rows = m->nodes;
    TRY(mem_take(&a->first, a->rows + 1, sizeof *a->first));
    TRY(mem_take(&a->start, m->columns, sizeof *a->start));
    TRY(mem_take(&a->degree, m->columns, sizeof *a->degree));
    TRY(mem_take(&a->place, 9 * m->triangles, sizeof *a->place));
    for (int64_t c = 0; c < m->columns; c++)
        most = int64_most(most, m->first[c + 1] - m->first[c]);
    OWNED int32_t *near = mem_new(3 * most + 1, sizeof *near);
    if (!near)
        return PAV_ENOMEM;
    for (int64_t c = 0; c < m->columns; c++) {
        a->degree[c] = neighbours_of(m, c, near);
        a->start[c] = a->entries;
        a->entries += (int64_t)a->degree[c] * (3 * m->levels - 2);
        if (a->degree[c] > UINT16_MAX)
            return FAIL(PAV_ELIMIT, "%d triangles meet at a point; %d are supported",
                        (int)a->degree[c], UINT16_MAX);
    }
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
    for (int64_t c = 0; c < m->columns; c++) {
        (void)neighbours_of(m, c, near);
        set_column(a, m, c, near);
    }
    a->first[a->rows] = a->entries;
    *result = mem_hand_over(&a);
    return PAV_OK;
}

void prism_csr_close(prism_csr *a)
{
    if (!a)
        return;
    mem_big_free(a->column, a->entries * (int64_t)sizeof *a->column);
    mem_big_free(a->value, a->entries * (int64_t)sizeof *a->value);
    mem_free(a->first);
    mem_free(a->start);
    mem_free(a->degree);
    mem_free(a->place);
    mem_free(a);
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
        const int64_t column = m->corner[3 * triangle + i], degree = s->a->degree[column],
                      place = s->a->place[9 * triangle + pair];
        const double *low = (const double *)c.matrix + ij * layers,
                     *high = low + 9 * layers,
                     *up = (const double *)c.matrix + (18 + 3 * i + j) * layers,
                     *down = (const double *)c.matrix + (18 + 3 * j + i) * layers;
        double *to = s->a->value + s->a->start[column] + 2 * place;
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

void prism_csr_clear(prism_operator *o, prism_csr *a)
{
    prism_for_parts(o, a->entries, zero_values, a);
}

void prism_csr_add(prism_csr *a, int64_t row, int64_t column, double value)
{
    int64_t low = a->first[row], high = a->first[row + 1] - 1;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (a->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    a->value[low] += value;
}

pav_matrix prism_csr_sizes(const prism_csr *a)
{
    return (pav_matrix){.rows = a->rows,
                        .entries = a->entries,
                        .first = a->first,
                        .column = a->column,
                        .value = a->value};
}

void prism_csr_assemble(prism_operator *o, prism_csr *a)
{
    const pav_mesh *m = o->m;
    const prism_method method = o->method;
    assembly s = {.o = o, .a = a};
    double at[3 * PRISM_NODES], matrix[PRISM_NODES * PRISM_NODES];
    int64_t node[PRISM_NODES];

    prism_csr_clear(o, a);
    if (method != PRISM_REFERENCE) {
        o->method = PRISM_COLUMNS; /* a matrix is never summed by atomics */
        prism_for_triangles(o, visit_matrix, &s);
        o->method = method;
        return;
    }
    for (int64_t c = 0; c < m->cells; c++) {
        mesh_cell_at(m, c / m->layers, (int)(c % m->layers), node, at);
        prism_reference_matrix(at, o->form, matrix);
        for (int k = 0; k < PRISM_NODES * PRISM_NODES; k++)
            prism_csr_add(a, node[k / PRISM_NODES], node[k % PRISM_NODES], matrix[k]);
    }
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
