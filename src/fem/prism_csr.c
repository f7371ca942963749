/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembled matrix in compressed rows. Columns of nodes are neighbours or not, so a
 * row's pattern follows from its column and whether it lies at an end: every row of a
 * column has `degree` neighbours of three levels, at the ends of two. Where a triangle
 * adds is known from nine numbers a triangle, and nothing is searched for. */
#include <string.h>

#include "fem/fem_private.h"

/* ---- the pattern ------------------------------------------------------------------- */

static int64_t row_start(const prism_csr *a, int64_t column, int level)
{
    return a->start[column] + (level ? (3 * level - 1) * (int64_t)a->degree[column] : 0);
}

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

static int64_t most_near(const pav_mesh *m)
{
    int64_t most = 0;

    for (int64_t c = 0; c < m->columns; c++)
        if (m->first[c + 1] - m->first[c] > most)
            most = m->first[c + 1] - m->first[c];
    return 3 * most + 1;
}

static void set_row(prism_csr *a, const pav_mesh *m, int64_t column, int level,
                    const int32_t *near, int count)
{
    int64_t at = row_start(a, column, level);

    a->first[column * m->levels + level] = at;
    for (int k = 0; k < count; k++)
        for (int l = level > 0 ? level - 1 : 0; l <= level + 1 && l < m->levels; l++)
            a->column[at++] = (int32_t)((int64_t)near[k] * m->levels + l);
}

static void set_places(prism_csr *a, const pav_mesh *m, int64_t column,
                       const int32_t *near)
{
    for (int64_t k = m->first[column]; k < m->first[column + 1]; k++)
        for (int c = 0; c < 3; c++) {
            const int32_t other = m->corner[m->incident[k] / 3 * 3 + c];
            uint16_t place = 0;
            while (near[place] != other)
                place++;
            a->place[3 * m->incident[k] + c] = place;
        }
}

static pav_status count_entries(prism_csr *a, const pav_mesh *m, int32_t *near)
{
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
    return PAV_OK;
}

static pav_status set_pattern(prism_csr *a, const pav_mesh *m, int32_t *near)
{
    TRY(count_entries(a, m, near));
    a->column = mem_big(a->entries * (int64_t)sizeof *a->column);
    a->value = a->column ? mem_big(a->entries * (int64_t)sizeof *a->value) : NULL;
    if (!a->value)
        return FAIL(PAV_ENOMEM, "a matrix of %lld entries: %s", (long long)a->entries,
                    pav_message());
    for (int64_t c = 0; c < m->columns; c++) {
        const int count = neighbours_of(m, c, near);
        for (int l = 0; l < m->levels; l++)
            set_row(a, m, c, l, near, count);
        set_places(a, m, c, near);
    }
    a->first[a->rows] = a->entries;
    return PAV_OK;
}

pav_status prism_csr_open(prism_operator *o, prism_csr **result)
{
    const pav_mesh *m = o->m;
    prism_csr *a = mem_new(1, sizeof *a);
    int32_t *near = mem_new(most_near(m), sizeof *near);
    pav_status status = PAV_ENOMEM;

    *result = NULL;
    if (a && near) {
        a->rows = m->nodes;
        a->first = mem_new(a->rows + 1, sizeof *a->first);
        a->start = mem_new(m->columns, sizeof *a->start);
        a->degree = mem_new(m->columns, sizeof *a->degree);
        a->place = mem_new(9 * m->triangles, sizeof *a->place);
        if (a->first && a->start && a->degree && a->place)
            status = set_pattern(a, m, near);
    }
    mem_free(near);
    if (status == PAV_OK)
        *result = a;
    else
        prism_csr_close(a);
    return status;
}

void prism_csr_close(prism_csr *a)
{
    if (!a)
        return;
    if (a->column)
        mem_big_free(a->column, a->entries * (int64_t)sizeof *a->column);
    if (a->value)
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
    const double *x;
    double *y;
} assembly;

/* The four blocks of a pair of corners, each a row of layers. */
typedef struct pair_blocks {
    const double *low, *up, *down, *high;
} pair_blocks;

static pair_blocks blocks_of(const double *matrix, int layers, int i, int j)
{
    const int ij = i < j ? 3 * i + j : 3 * j + i;

    return (pair_blocks){matrix + ij * layers, matrix + (18 + 3 * i + j) * layers,
                         matrix + (18 + 3 * j + i) * layers, matrix + (9 + ij) * layers};
}

/* `to`: the entry of row (column, 0) with the same level of the neighbour at place p. */
static void add_pair(double *value, int64_t degree, int64_t place, pair_blocks b,
                     int layers)
{
    double *to = value + 2 * place;

    to[0] += b.low[0];
    to[1] += b.up[0];
    to = value + 2 * degree + 3 * place;
    for (int l = 1; l < layers; l++, to += 3 * degree) {
        to[0] += b.down[l - 1];
        to[1] += b.low[l] + b.high[l - 1];
        to[2] += b.up[l];
    }
    to -= place;
    to[0] += b.down[layers - 1];
    to[1] += b.high[layers - 1];
}

static void visit_matrix(void *context, int64_t triangle, int thread)
{
    const assembly *s = context;
    const pav_mesh *m = s->o->m;
    const prism_column c = prism_column_of(s->o, triangle, NULL, thread);

    s->o->kernels->matrix(&c);
    for (int pair = 0; pair < 9; pair++) {
        const int64_t column = m->corner[3 * triangle + pair / 3];
        add_pair(s->a->value + s->a->start[column], s->a->degree[column],
                 s->a->place[9 * triangle + pair],
                 blocks_of(c.matrix, m->layers, pair / 3, pair % 3), m->layers);
    }
}

static void visit_reference(const assembly *s, int64_t triangle, int level)
{
    const pav_mesh *m = s->o->m;
    double at[3 * PRISM_NODES], matrix[PRISM_NODES * PRISM_NODES];
    int64_t node[PRISM_NODES];

    mesh_cell(m, triangle, level, node);
    for (int k = 0; k < 3 * PRISM_NODES; k++)
        at[k] = m->at[k % 3][node[k / 3]];
    prism_reference_matrix(at, s->o->form, matrix);
    for (int k = 0; k < PRISM_NODES * PRISM_NODES; k++) {
        const int64_t row = node[k / PRISM_NODES];
        for (int64_t e = s->a->first[row]; e < s->a->first[row + 1]; e++)
            if (s->a->column[e] == node[k % PRISM_NODES])
                s->a->value[e] += matrix[k];
    }
}

static void zero_values(void *context, int64_t from, int64_t to)
{
    const assembly *s = context;

    memset(s->a->value + from, 0, (size_t)(to - from) * sizeof(double));
}

void prism_csr_clear(prism_operator *o, prism_csr *a)
{
    assembly s = {.a = a};

    prism_for_parts(o, a->entries, zero_values, &s);
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
    const prism_method method = o->method;
    assembly s = {.o = o, .a = a};

    prism_csr_clear(o, a);
    if (method == PRISM_REFERENCE) {
        for (int64_t c = 0; c < o->m->cells; c++)
            visit_reference(&s, c / o->m->layers, (int)(c % o->m->layers));
        return;
    }
    o->method = PRISM_COLUMNS; /* a matrix is never summed by atomics */
    prism_for_triangles(o, visit_matrix, &s);
    o->method = method;
}

/* Rows of a column have the same neighbours, three levels side by side: the textbook's
 * product. */
static void multiply_part(void *context, int64_t from, int64_t to)
{
    const assembly *s = context;
    const prism_csr *a = s->a;

    for (int64_t row = from; row < to; row++) {
        double sum = 0;
        for (int64_t e = a->first[row]; e < a->first[row + 1]; e++)
            sum += a->value[e] * s->x[a->column[e]];
        s->y[row] = sum;
    }
}

void prism_csr_multiply(prism_operator *o, const prism_csr *a, const double *x, double *y)
{
    assembly s = {.o = o, .x = x, .y = y};
    union {
        const prism_csr *in;
        prism_csr *out;
    } same = {.in = a};

    s.a = same.out;
    prism_for_parts(o, a->rows, multiply_part, &s);
}
