/* SPDX-License-Identifier: BSD-3-Clause */
/* Injections of a direct evaluation: hat functions, or Hicks' windowed sinc of radius 4,
 * divided by the sum of its weights. Every point of a window takes its share, with an
 * error for the last bits of the position. The share of a point outside goes to the
 * points copied by the border rule. */
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

/* A position in cells of the field's grid. It is certain if all numbers on the way are
 * short binary fractions; else a run may differ in the last bits. */
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
        estimate cell = estimate_op(r, OP_DIV, estimate_op(r, OP_SUB, x, origin), h);
        if (axis_stretched(d->program, axis))
            cell = estimate_of(r, (long double)axis_index(d->program, axis, (double)x.v));
        where.cell[axis] = cell.v;
        where.certain = where.certain && cell.e == 0;
    }
    return where;
}

/* ---- weights ----------------------------------------------------------------------- */

/* The weights of one position on all points of a field, or of an axis. They are inexact
 * at points with `near` set. */
typedef struct cover {
    long double *weight;
    unsigned char *near;
} cover;

static bool cover_new(cover *c, int64_t count)
{
    c->weight = mem_new(count, sizeof *c->weight);
    c->near = mem_new(count, 1);
    return c->weight && c->near;
}

static void cover_free(cover *c)
{
    mem_free(c->weight);
    mem_free(c->near);
}

/* Distributes a weight beyond a face. If no rule copies, values are extrapolated
 * linearly: 2*u(0) - u(k). */
static void land(const cover *c, const direct_face face[2], int64_t n, int64_t i,
                 long double weight)
{
    const int side = i >= n;
    const border_kind kind = face[side].kind;
    if (i >= 0 && i < n) {
        c->weight[i] += weight;
        c->near[i] = 1;
    } else if (direct_share(kind) != 0) {
        land(c, face, n, direct_copied(kind, n, side, i), direct_share(kind) * weight);
    } else {
        land(c, face, n, side ? n - 1 : 0, 2 * weight);
        land(c, face, n, direct_copied(kind, n, side, i), -weight);
    }
}

/* Covers every point of the window around a position on an axis. An uncertain position
 * also covers points without weight. */
static void cover_axis(const direct_face face[2], int64_t n, long double cell,
                       bool certain, point_method method, const cover *c)
{
    const int reach = method == POINTS_LINEAR ? 2 : RADIUS + 1;
    const int64_t foot = (int64_t)floorl(cell);
    long double sum = 0;
    for (int64_t i = foot - reach; i <= foot + reach; i++)
        sum += weight_at(method, (long double)i - cell);
    for (int64_t i = foot - reach; i <= foot + reach; i++) {
        const long double weight = weight_at(method, (long double)i - cell) / sum;
        if (weight != 0 || !certain)
            land(c, face, n, i, weight);
    }
}

static void multiply(const direct_field *f, int axis, const cover *line, const cover *c)
{
    int64_t below = 1;
    for (int a = 0; a < axis; a++)
        below *= f->extent[a];
    for (int64_t point = 0; point < f->points; point++) {
        const int64_t i = point / below % f->extent[axis];
        c->weight[point] *= line->weight[i];
        c->near[point] &= line->near[i];
    }
}

/* The product over the axes. */
static void cover_points(direct *d, const direct_field *f, const position *where,
                         point_method method, const cover *c)
{
    for (int64_t point = 0; point < f->points; point++) {
        c->weight[point] = 1;
        c->near[point] = 1;
    }
    for (int axis = 0; axis < d->program->dim; axis++) {
        cover line;
        if (cover_new(&line, f->extent[axis])) {
            cover_axis(f->face[axis], f->extent[axis], where->cell[axis], where->certain,
                       method, &line);
            multiply(f, axis, &line, c);
        } else {
            d->status = PAV_ENOMEM;
        }
        cover_free(&line);
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
    cover c;
    if (cover_new(&c, f->points)) {
        shot all = {s, where, &c};
        cover_points(d, f, where, s->points.method, &c);
        direct_each(d, f, add_at, &all);
    } else {
        d->status = PAV_ENOMEM;
    }
    cover_free(&c);
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
