/* SPDX-License-Identifier: BSD-3-Clause */
/* Injections of a direct evaluation: hat functions, or Hicks' windowed sinc of radius
 * 4. Every point of a window takes its share, whose error allows for the last bits of
 * the position. */
#include <math.h>

#include "check/check_private.h"

enum { RADIUS = 4 };
static const long double window = 6.31L;
static const long double pi = 3.14159265358979323846264338L;
static const long double position_error = 1e-12L; /* in cells */

static long double bessel_i0(long double x)
{
    long double term = 1, sum = 1;
    for (int k = 1; k < 100; k++) {
        term *= x * x / (4.0L * k * k);
        sum += term;
    }
    return sum;
}

static long double weight_at(point_method method, long double distance)
{
    const long double share = distance / RADIUS;
    if (method == POINTS_LINEAR)
        return fmaxl(0, 1 - fabsl(distance));
    if (fabsl(distance) < position_error)
        return 1;
    if (fabsl(share) >= 1)
        return 0;
    return sinl(pi * distance) / (pi * distance) *
           bessel_i0(window * sqrtl(1 - share * share)) / bessel_i0(window);
}

/* ---- positions --------------------------------------------------------------------- */

/* Where a position lies in cells of the field's own grid. It is certain when every
 * number on the way is a short binary fraction; else a run's may differ in the last
 * bits. */
typedef struct position {
    long double cell[MAX_DIM];
    bool certain;
} position;

static estimate constant(direct *d, const expr *e)
{
    const direct_spot here = direct_here(d, false, NULL);
    return direct_value(d, e, &here);
}

static estimate on_line(direct *d, const points *p, int64_t row, int64_t rows, int axis)
{
    const rounding *r = &d->rounding;
    const estimate from = constant(d, p->list[0][axis]),
                   to = constant(d, p->list[1][axis]);
    const long double share = rows > 1 ? (long double)row / (long double)(rows - 1) : 0;
    const estimate way = estimate_op(r, OP_SUB, to, from);
    return estimate_op(r, OP_ADD, from,
                       estimate_op(r, OP_MUL, estimate_of(r, share), way));
}

static position locate(direct *d, const direct_field *f, const points *p, int64_t row,
                       int64_t rows, const double *file)
{
    const rounding *r = &d->rounding;
    position where = {.certain = true};
    for (int axis = 0; axis < d->program->dim; axis++) {
        const estimate h = estimate_num(r, direct_spacing(d, axis, f->symbol->coarse));
        const estimate origin = estimate_num(r, d->program->axis[axis].origin);
        const estimate x = file ? estimate_of(
                                      r, (long double)file[row * d->program->dim + axis])
                           : p->line_count ? on_line(d, p, row, rows, axis)
                                           : constant(d, p->list[row][axis]);
        const estimate cell = estimate_op(r, OP_DIV, estimate_op(r, OP_SUB, x, origin),
                                          h);
        where.cell[axis] = cell.v;
        where.certain = where.certain && cell.e == 0;
    }
    return where;
}

/* ---- weights ----------------------------------------------------------------------- */

/* The weights of one position on all points of a field; inexact where `near` is set. */
typedef struct cover {
    long double *weight;
    unsigned char *near;
} cover;

/* The point itself, wrapped along periodic axes; false outside. */
static bool land(const direct *d, const direct_field *f, int64_t *at)
{
    for (int axis = 0; axis < d->program->dim; axis++) {
        const int64_t n = f->extent[axis];
        if (f->face[axis][0].kind == BORDER_PERIODIC)
            at[axis] = (at[axis] % n + n) % n;
        if (at[axis] < 0 || at[axis] >= n)
            return false;
    }
    return true;
}

/* Every point of the window about a position; where it is not certain, also those with
 * no weight. */
static void cover_window(const direct *d, const direct_field *f, const position *where,
                         point_method method, cover *c)
{
    const int reach = method == POINTS_LINEAR ? 2 : RADIUS + 1, width = 2 * reach + 1;
    const int dim = d->program->dim;
    const int count = dim == 1 ? width : dim == 2 ? width * width : width * width * width;
    for (int n = 0; n < count; n++) {
        const int offset[] = {n % width - reach, n / width % width - reach,
                              n / width / width - reach};
        int64_t at[MAX_DIM] = {0};
        long double weight = 1;
        for (int axis = 0; axis < MAX_DIM && axis < dim; axis++) {
            at[axis] = (int64_t)floorl(where->cell[axis]) + offset[axis];
            weight *= weight_at(method, (long double)at[axis] - where->cell[axis]);
        }
        if ((weight != 0 || !where->certain) && land(d, f, at)) {
            c->weight[direct_index(f, at)] += weight;
            c->near[direct_index(f, at)] = 1;
        }
    }
}

/* ---- adding ------------------------------------------------------------------------ */

typedef struct shot {
    const statement *statement;
    const position *where;
    const cover *cover;
} shot;

static void add_at(direct *d, direct_field *f, const int64_t *at, void *user)
{
    const shot *s = user;
    const rounding *r = &d->rounding;
    const int64_t point = direct_index(f, at);
    const long double weight = s->cover->weight[point];
    if (!s->cover->near[point] || direct_is_given(d, f, at))
        return;
    const direct_spot here = direct_here(d, f->symbol->coarse, at);
    estimate w = estimate_of(r, weight);
    if (!s->where->certain || s->statement->points.method == POINTS_SINC)
        w.e += position_error;
    const estimate value = direct_value(d, s->statement->value, &here);
    estimate *to = &direct_level(f, 1)[point];
    const estimate sum = estimate_op(r, OP_ADD, *to, estimate_op(r, OP_MUL, w, value));
    *to = estimate_store(r, f->symbol->storage, direct_masked(f, point, sum, *to));
    d->moment++;
}

static void inject_at(direct *d, direct_field *f, const statement *s,
                      const position *where)
{
    cover c = {.weight = mem_new(f->points, sizeof *c.weight),
               .near = mem_new(f->points, 1)};
    shot all = {s, where, &c};
    if (c.weight && c.near) {
        cover_window(d, f, where, s->points.method, &c);
        direct_each(d, f, add_at, &all);
    } else {
        d->status = PAV_ENOMEM;
    }
    mem_free(c.weight);
    mem_free(c.near);
}

static int64_t count_rows(direct *d, const statement *s, double **file)
{
    enum { MOST = 100000 };
    const points *p = &s->points;
    int64_t rows = p->line_count ? (int64_t)constant(d, p->line_count).v : p->count;
    text path = {0};
    if (!p->file)
        return rows;
    direct_path(d, p->file, &path);
    d->status = path.failed
                    ? PAV_ENOMEM
                    : npy_read_table(path.data, d->program->dim, MOST, file, &rows);
    text_free(&path);
    return d->status == PAV_OK ? rows : 0;
}

void direct_inject(direct *d, const statement *s)
{
    direct_field *f = direct_of(d, s->symbol);
    double *file = NULL;
    const int64_t rows = count_rows(d, s, &file);
    for (int64_t row = 0; row < rows && d->status == PAV_OK; row++) {
        const position where = locate(d, f, &s->points, row, rows, file);
        inject_at(d, f, s, &where);
    }
    mem_free(file);
}
