/* SPDX-License-Identifier: BSD-3-Clause */
/* Multigrid over an extruded mesh, the set-up: smoothed aggregation of columns (Vanek,
 * Mandel, Brezina, Computing 56, 1996). Lines along columns treat thin layers, so levels
 * are never coarsened. Neighbouring columns become one column of the next grid. The
 * prolongation has one weight for all levels of two columns, so each grid's matrix
 * couples columns on three levels, like the finest one. Columns are grouped by their
 * coupling in the plane, the sum over all levels. Sums have a fixed order.
 *
 * Convection makes couplings unsymmetric. No relaxation damps couplings that outweigh
 * diffusion. So the grids of an unsymmetric form get artificial diffusion, just enough
 * for each coupling to have the sign of diffusion (upwind differences). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/fem_private.h"

/* ---- matrices of columns ----------------------------------------------------------- */

/* A matrix that is filled row by row. seen: 1 + the last entry of each column. */
typedef struct builder {
    mesh_matrix *a;
    int64_t row, nears, values; /* room for the last two */
    int64_t *seen;
} builder;

static void close_builder(builder *b)
{
    mem_free(b->seen);
}

static pav_status open_builder(mesh_matrix *a, int64_t rows, int64_t columns,
                               int64_t each, builder *b)
{
    *b = (builder){.a = a};
    *a = (mesh_matrix){.rows = rows, .each = each};
    TRY(mem_take(&b->seen, columns, sizeof *b->seen));
    return mem_take(&a->first, rows + 2, sizeof *a->first);
}

static void next_row(builder *b)
{
    b->row++;
    b->a->first[b->row + 1] = b->a->first[b->row];
}

/* Adds an entry of zeros to the present row, unless it exists. */
static pav_status find_entry(builder *b, int64_t column, double **value)
{
    mesh_matrix *a = b->a;
    int64_t *end = &a->first[b->row + 1];
    const size_t bytes = (size_t)a->each * sizeof *a->value;

    if (b->seen[column] <= a->first[b->row]) {
        TRY(mem_reserve(&a->near, &b->nears, *end, sizeof *a->near));
        TRY(mem_reserve(&a->value, &b->values, *end, bytes));
        memset(a->value + *end * a->each, 0, bytes);
        a->near[*end] = (int32_t)column;
        b->seen[column] = ++*end;
    }
    *value = a->value + (b->seen[column] - 1) * a->each;
    return PAV_OK;
}

static int by_number(const void *a, const void *b)
{
    return int_compare(*(const int32_t *)a, *(const int32_t *)b);
}

pav_status mesh_matrix_open(const pav_mesh *m, bool whole, int64_t each, mesh_matrix *a)
{
    OWNED_BY(close_builder) builder b = {0};
    double *value;

    TRY(open_builder(a, m->columns, m->columns, each, &b));
    for (; b.row < a->rows; next_row(&b)) {
        TRY(find_entry(&b, b.row, &value));
        for (int64_t k = 3 * m->first[b.row]; k < 3 * m->first[b.row + 1] && whole; k++)
            TRY(find_entry(&b, m->corner[m->incident[k / 3] / 3 * 3 + k % 3], &value));
        qsort(a->near + a->first[b.row], (size_t)(a->first[b.row + 1] - a->first[b.row]),
              sizeof *a->near, by_number);
    }
    return PAV_OK;
}

void mesh_matrix_close(mesh_matrix *a)
{
    MEM_FREE_ALL(a->first, a->near, a->value);
}

double *mesh_matrix_at(const mesh_matrix *a, int64_t row, int64_t column)
{
    int64_t e = a->first[row];

    while (e < a->first[row + 1] && a->near[e] != column)
        e++;
    return e < a->first[row + 1] ? a->value + e * a->each : NULL;
}

double *mesh_matrix_node(const mesh_matrix *a, int64_t row, int64_t column)
{
    const int64_t levels = a->each / 3, l = row % levels;
    double *value = mesh_matrix_at(a, row / levels, column / levels);

    return value ? value + (column % levels - l + 1) * levels + l : NULL;
}

/* c = down a up, where down and up have one number per entry; down NULL is the identity.
 * Numbers that are 0 add no entries. */
static pav_status multiply(const mesh_matrix *down, const mesh_matrix *a,
                           const mesh_matrix *up, int64_t columns, mesh_matrix *c)
{
    OWNED_BY(close_builder) builder b = {0};
    double *sum;

    TRY(open_builder(c, down ? down->rows : a->rows, columns, a->each, &b));
    for (; b.row < c->rows; next_row(&b)) {
        const int64_t end = down ? down->first[b.row + 1] : b.row + 1;
        for (int64_t d = down ? down->first[b.row] : b.row; d < end; d++) {
            const int64_t row = down ? down->near[d] : d;
            for (int64_t e = a->first[row]; e < a->first[row + 1]; e++)
                for (int64_t u = up->first[a->near[e]]; u < up->first[a->near[e] + 1];
                     u++) {
                    const double weight = (down ? down->value[d] : 1) * up->value[u];
                    if (a->each == 1 && a->value[e] == 0)
                        continue;
                    TRY(find_entry(&b, up->near[u], &sum));
                    for (int64_t k = 0; k < a->each; k++)
                        sum[k] += weight * a->value[e * a->each + k];
                }
        }
    }
    return PAV_OK;
}

/* `down` becomes the transpose of `up`, of one number per entry. */
static pav_status transpose(const mesh_matrix *up, int64_t columns, mesh_matrix *down)
{
    const int64_t entries = up->first[up->rows];

    *down = (mesh_matrix){.rows = columns, .each = 1};
    TRY(mem_take(&down->first, columns + 2, sizeof *down->first));
    TRY(mem_take(&down->near, entries, sizeof *down->near));
    TRY(mem_take(&down->value, entries, sizeof *down->value));
    OWNED_NEW(int64_t, from, entries);
    OWNED_NEW(int32_t, row, entries);
    for (int64_t c = 0; c < up->rows; c++)
        for (int64_t e = up->first[c]; e < up->first[c + 1]; e++)
            row[e] = (int32_t)c;
    mesh_list_incident(up->near, entries, columns, down->first, from);
    for (int64_t e = 0; e < entries; e++) {
        down->near[e] = row[from[e]];
        down->value[e] = up->value[from[e]];
    }
    return PAV_OK;
}

static void add_upwind(mesh_matrix *a)
{
    const int64_t levels = a->each / 3;

    for (int64_t c = 0; c < a->rows; c++)
        for (int64_t k = a->first[c] * a->each; k < a->first[c + 1] * a->each; k++) {
            const int64_t l = k % levels, other = l + k % a->each / levels - 1,
                          i = c * levels + l, j = a->near[k / a->each] * levels + other;
            if (other < 0 || other >= levels || j <= i)
                continue;
            double *back = mesh_matrix_node(a, j, i);
            const double skew = fabs(a->value[k] - *back) / 2,
                         diffusion = fmax(0, -(a->value[k] + *back) / 2),
                         added = fmax(0, skew - diffusion);
            a->value[k] -= added;
            *back -= added;
            *mesh_matrix_node(a, i, i) += added;
            *mesh_matrix_node(a, j, j) += added;
        }
}

/* ---- lines ------------------------------------------------------------------------- */

/* Rows and columns of fixed nodes become the identity's. */
static void eliminate(const mesh_solver *s, mesh_matrix *a)
{
    const int levels = s->m->levels;

    for (int64_t c = 0; c < a->rows; c++)
        for (int64_t e = a->first[c]; e < a->first[c + 1]; e++)
            for (int k = 0; k < 3 * levels; k++) {
                const int l = k % levels, other = l + k / levels - 1;
                const int64_t i = c * levels + l,
                              j = (int64_t)a->near[e] * levels + other;
                if (other >= 0 && other < levels && (s->fixed[i] || s->fixed[j]))
                    a->value[e * a->each + k] = i == j;
            }
}

/* The tridiagonal matrix of each column becomes L D L^T: `above` L, the diagonal D. A
 * matrix without symmetry has the lines of its symmetric part. */
static pav_status set_lines(mesh_grid *g, int levels, bool finest, bool columns)
{
    mesh_lines *f = &g->lines;

    f->n = g->a.rows * levels;
    TRY(mem_take(&f->diagonal, f->n, sizeof *f->diagonal));
    if (columns)
        TRY(mem_take(&f->above, f->n, sizeof *f->above));
    for (int64_t i = 0; i < f->n; i++) {
        const double whole = *mesh_matrix_node(&g->a, i, i);
        f->diagonal[i] = whole;
        if (columns && i % levels) {
            const double couple = 0.5 * (*mesh_matrix_node(&g->a, i - 1, i) +
                                         *mesh_matrix_node(&g->a, i, i - 1)),
                         l = couple / f->diagonal[i - 1];
            f->above[i - 1] = l;
            f->diagonal[i] -= l * couple;
        }
        if (isnan(f->diagonal[i]))
            return FAIL(PAV_EINVAL,
                        "a coefficient of the form is not finite at node %lld",
                        (long long)i);
        if (!finest && !(f->diagonal[i] > 1e-13 * whole))
            return FAIL(PAV_EUNSUPPORTED,
                        "a coarse grid of multigrid is singular or not positive: give "
                        "values on a border, add a term in u*v, or take the "
                        "preconditioner column");
        if (!(f->diagonal[i] > 0))
            return FAIL(
                PAV_EUNSUPPORTED,
                "the preconditioner is not positive at node %lld (%g): the mass term "
                "outweighs the stiffness of a cell; refine the mesh, or take no "
                "preconditioner",
                (long long)i, f->diagonal[i]);
    }
    return PAV_OK;
}

pav_status mesh_lines_open(mesh_solver *s, bool columns)
{
    mesh_grid *g = &s->grid[0];

    TRY(mesh_matrix_open(s->m, false, 3 * (int64_t)s->m->levels, &g->a));
    TRY(s->matrix(s->context, true, &g->a));
    eliminate(s, &g->a);
    TRY(set_lines(g, s->m->levels, true, columns));
    mesh_matrix_close(&g->a);
    g->a = (mesh_matrix){0};
    return PAV_OK;
}

/* ---- groups of columns ------------------------------------------------------------- */

/* The coupling of columns in the plane. A column of fixed nodes has no coupling, and a
 * diagonal of 0. */
static pav_status open_flat(const mesh_solver *s, const mesh_matrix *a, mesh_matrix *flat)
{
    const int levels = s->m->levels;
    OWNED_BY(close_builder) builder b = {0};
    double *sum;

    TRY(open_builder(flat, a->rows, a->rows, 1, &b));
    for (; b.row < a->rows; next_row(&b))
        for (int64_t k = a->first[b.row] * a->each; k < a->first[b.row + 1] * a->each;
             k++) {
            const int64_t other = a->near[k / a->each];
            TRY(find_entry(&b, other, &sum));
            if (memchr(s->fixed + b.row * levels, 0, (size_t)levels) &&
                memchr(s->fixed + other * levels, 0, (size_t)levels))
                *sum += a->value[k];
        }
    return PAV_OK;
}

/* Adds weak couplings to the diagonal: at most this part of it. Where a coefficient
 * jumps, a column of the weak side keeps its coupling to the strong side, not the
 * reverse. */
static void drop_weak(mesh_matrix *flat, double part)
{
    for (int64_t c = 0; c < flat->rows; c++) {
        double *diagonal = mesh_matrix_at(flat, c, c);
        const double most = part * fabs(*diagonal);
        for (int64_t e = flat->first[c]; e < flat->first[c + 1]; e++)
            if (flat->near[e] != c && fabs(flat->value[e]) <= most) {
                *diagonal += flat->value[e];
                flat->value[e] = 0;
            }
    }
}

static bool is_strong(const mesh_matrix *flat, int64_t row, int64_t e)
{
    return flat->near[e] != row && flat->value[e] != 0;
}

/* A column whose strong neighbours have no group yet forms one with them. The others
 * join the group of their strongest neighbour. Without strong neighbours a column stays
 * alone, group -1: relaxation is enough there. Returns the number of groups. */
static int32_t find_groups(const mesh_matrix *flat, int32_t *group)
{
    int32_t groups = 0;

    memset(group, -1, (size_t)flat->rows * sizeof *group);
    for (int64_t c = 0; c < flat->rows; c++) {
        int strong = 0, taken = group[c] >= 0;
        for (int64_t e = flat->first[c]; e < flat->first[c + 1]; e++) {
            strong += is_strong(flat, c, e);
            taken += is_strong(flat, c, e) && group[flat->near[e]] >= 0;
        }
        if (taken || !strong)
            continue;
        for (int64_t e = flat->first[c]; e < flat->first[c + 1]; e++)
            if (is_strong(flat, c, e))
                group[flat->near[e]] = groups;
        group[c] = groups++;
    }
    for (int64_t c = 0; c < flat->rows; c++) {
        double most = 0;
        for (int64_t e = flat->first[c]; e < flat->first[c + 1]; e++)
            if (is_strong(flat, c, e) && group[flat->near[e]] >= 0 &&
                fabs(flat->value[e]) > most && (group[c] < 0 || most > 0)) {
                most = fabs(flat->value[e]);
                group[c] = group[flat->near[e]];
            }
    }
    return groups;
}

/* The prolongation: 1 in each column's group, then one step of Jacobi's method. The sum
 * of a row's magnitudes bounds eigenvalues, and 4/3 of its inverse is the best step. */
static pav_status open_up(const mesh_matrix *flat, const int32_t *group, int32_t groups,
                          mesh_matrix *up)
{
    OWNED_BY(mesh_matrix_close) mesh_matrix plain = {0};
    OWNED_BY(close_builder) builder b = {0};
    double *value;

    TRY(open_builder(&plain, flat->rows, groups, 1, &b));
    for (; b.row < plain.rows; next_row(&b))
        if (group[b.row] >= 0) {
            TRY(find_entry(&b, group[b.row], &value));
            *value = 1;
        }
    TRY(multiply(NULL, flat, &plain, groups, up));
    for (int64_t c = 0; c < up->rows; c++) {
        double sum = 0;
        for (int64_t e = flat->first[c]; e < flat->first[c + 1]; e++)
            sum += fabs(flat->value[e]);
        for (int64_t e = up->first[c]; e < up->first[c + 1]; e++)
            up->value[e] = (up->near[e] == group[c]) - 4.0 / 3 / sum * up->value[e];
    }
    return PAV_OK;
}

/* ---- the grids --------------------------------------------------------------------- */

/* The largest eigenvalue of the relaxation's operator, inv(lines) a, by a few steps of
 * the power method. */
static void find_largest(mesh_solver *s, mesh_grid *g)
{
    enum { STEPS = 8 };
    const mesh_space *space = &mesh_space_host;
    const int64_t n = g->lines.n;
    double *x = g->vectors, *y = x + n;

    for (int64_t i = 0; i < n; i++)
        y[i] = random_at(3, i, 0, 0) - 0.5;
    for (int k = 0; k < STEPS; k++) {
        space->axpby(s, n, 1 / sqrt(space->dot(s, n, y, y)), y, 0, x);
        space->product(s, &g->a, 1, x, NULL, y);
        space->lines(s, &g->lines, y, y);
    }
    g->largest = sqrt(space->dot(s, n, y, y));
}

/* Sets the transfers and both matrices of the next grid. Without groups, this grid is
 * the coarsest. */
static pav_status coarsen(mesh_solver *s, mesh_matrix *flat)
{
    mesh_grid *g = &s->grid[s->grids - 1];
    OWNED int32_t *group = mem_new(flat->rows, sizeof *group);
    OWNED_BY(mesh_matrix_close) mesh_matrix fine = *flat;

    *flat = (mesh_matrix){0};
    if (!group)
        return PAV_ENOMEM;
    drop_weak(&fine, ldexp(0.08, 1 - s->grids));
    const int32_t groups = find_groups(&fine, group);
    if (groups == 0)
        return PAV_OK;
    TRY(open_up(&fine, group, groups, &g->up));
    TRY(transpose(&g->up, groups, &g->down));
    TRY(multiply(&g->down, &fine, &g->up, groups, flat));
    s->grids++;
    return multiply(&g->down, &g->a, &g->up, groups, &g[1].a);
}

pav_status mesh_grids_open(mesh_solver *s)
{
    OWNED_BY(mesh_matrix_close) mesh_matrix flat = {0};
    mesh_matrix *finest = &s->grid[0].a;

    TRY(mesh_matrix_open(s->m, true, 3 * (int64_t)s->m->levels, finest));
    TRY(s->matrix(s->context, false, finest));
    if (s->unsymmetric)
        add_upwind(finest);
    TRY(open_flat(s, finest, &flat));
    eliminate(s, finest);
    for (int k = 0; k < s->grids; k++) {
        mesh_grid *g = &s->grid[k];
        if (s->unsymmetric && k > 0)
            add_upwind(&g->a);
        TRY(set_lines(g, s->m->levels, k == 0, true));
        TRY(mem_take(&g->vectors, MESH_GRID_VECTORS * g->lines.n, sizeof *g->vectors));
        if (g->a.first[g->a.rows] == g->a.rows)
            return PAV_OK; /* its lines solve it */
        find_largest(s, g);
        if (s->grids < MESH_GRIDS)
            TRY(coarsen(s, &flat));
    }
    return PAV_OK;
}
