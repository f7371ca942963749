/* SPDX-License-Identifier: BSD-3-Clause */
/* The direct evaluation of a program, compared with a run. Every field, every kept level
 * with ghosts, and every measure must agree within the errors of rounding. */
#include <math.h>
#include <string.h>

#include "check/check_private.h"

static void direct_inject(direct *d, const statement *s);

/* ---- a step ------------------------------------------------------------------------ */

/* One step of a direct evaluation: every equation in order at every point, with masks and
 * absorbing layers; then injections; then levels change their names. */

/* ---- absorbing layers -------------------------------------------------------------- */

/* Face 2*axis + side, unless it is periodic. */
bool direct_absorbs(const direct *d, const direct_field *f, const statement *s, int face)
{
    const bool named = !s->faces || (s->faces >> face & 1);
    return s->kind == STATEMENT_ABSORB && s->cell_count > 0 &&
           face < 2 * d->program->dim && named && !direct_wraps(f, face / 2, face % 2);
}

bool direct_is_damped(const direct *d, const direct_field *f)
{
    for (const statement *s = d->program->first; s && f->symbol->updated; s = s->next)
        for (int face = 0; face < 2 * MAX_DIM; face++)
            if (!s->matched && direct_absorbs(d, f, s, face))
                return true;
    return false;
}

/* exp(-(strength*depth/cells)^2), with the depth counted from the inner edge of the
 * layer. */
static estimate layer(direct *d, const direct_field *f, const statement *s, int64_t depth,
                      const int64_t *at)
{
    const rounding *r = &d->rounding;
    const direct_spot here = direct_here(d, f->symbol->coarse, at);
    const estimate strength = s->strength ? direct_value(d, s->strength, &here)
                                          : estimate_of(r, 0.3L);
    const estimate share = estimate_of(r,
                                       (long double)depth / (long double)s->cell_count);
    const estimate part = estimate_op(r, OP_MUL, strength, share);
    const estimate power = estimate_neg(estimate_op(r, OP_MUL, part, part));
    return estimate_call(r, FUNCTION_EXP, &power);
}

/* Depth in the layer of an axis; the nearer absorbing face counts. */
static int64_t depth_along(const direct *d, const direct_field *f, const statement *s,
                           int axis, int64_t i)
{
    int64_t depth = 0;
    for (int side = 0; side < 2; side++) {
        const int64_t distance = side ? f->extent[axis] - 1 - i : i;
        const int64_t here = s->cell_count - distance;
        if (direct_absorbs(d, f, s, 2 * axis + side) && here > depth)
            depth = here;
    }
    return depth;
}

estimate direct_damping(direct *d, const direct_field *f, const int64_t *at)
{
    estimate g = estimate_exact(1);
    for (const statement *s = d->program->first; s; s = s->next)
        for (int axis = 0;
             s->kind == STATEMENT_ABSORB && !s->matched && axis < d->program->dim;
             axis++) {
            const int64_t depth = depth_along(d, f, s, axis, at[axis]);
            if (depth > 0)
                g = estimate_op(&d->rounding, OP_MUL, g, layer(d, f, s, depth, at));
        }
    return g;
}

/* ---- equations --------------------------------------------------------------------- */

static estimate direct_masked(const direct_field *f, int64_t point, estimate value,
                              estimate kept)
{
    const unsigned owned = f->owned[point];
    const verdict open = {!owned, !(owned & DIRECT_KEPT) && (owned & DIRECT_DOUBTFUL)};
    return estimate_choose(open, value, kept);
}

static void update_point(direct *d, direct_field *f, const int64_t *at, void *user)
{
    const statement *s = user;
    const int64_t point = direct_index(f, at);
    direct_spot here = direct_here(d, f->symbol->coarse, at);
    if (direct_is_given(d, f, at))
        return;
    here.absorbs = true;
    estimate value = direct_value(d, s->value, &here);
    if (d->damped)
        value = estimate_op(&d->rounding, OP_MUL, value, direct_damping(d, f, at));
    value = direct_masked(f, point, value, direct_level(f, 0)[point]);
    direct_level(f, 1)[point] = estimate_store(&d->rounding, f->symbol->storage, value);
}

static void direct_step(direct *d)
{
    for (int64_t k = 0; k < d->program->fields.count; k++)
        if (d->field[k].symbol->updated)
            direct_unset(&d->field[k]);
    for (const statement *s = d->program->first; s && d->status == PAV_OK; s = s->next)
        if (s->kind == STATEMENT_UPDATE) {
            direct_field *f = direct_of(d, s->symbol);
            d->damped = direct_is_damped(d, f);
            direct_each(d, f, update_point, (void *)(uintptr_t)s);
            direct_set(d, f, 1);
        }
    for (const statement *s = d->program->first; s && d->status == PAV_OK; s = s->next)
        if (s->kind == STATEMENT_INJECT)
            direct_inject(d, s);
    direct_rotate(d);
}

/* ---- injections -------------------------------------------------------------------- */

/* Injections of a direct evaluation: hat functions, or Hicks' windowed sinc of radius 4,
 * divided by the sum of its weights. Every point of a window takes its share, with an
 * error for the last bits of the position. The share of a point outside goes to the
 * points copied by the border rule. */

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

/* The weights of one position for the points of one axis. The weight of a grid point is
 * the product over its axes. A grid point takes part only if it is `near` along all
 * axes. */
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

/* ---- adding ------------------------------------------------------------------------ */

typedef struct shot {
    const statement *statement;
    const position *where;
    cover cover[MAX_DIM];
} shot;

static void add_at(direct *d, direct_field *f, const int64_t *at, void *user)
{
    const shot *s = user;
    const rounding *r = &d->rounding;
    const int64_t point = direct_index(f, at);
    long double weight = 1;
    bool near = !direct_is_given(d, f, at);
    for (int axis = 0; axis < d->program->dim; axis++) {
        weight *= s->cover[axis].weight[at[axis]];
        near = near && s->cover[axis].near[at[axis]];
    }
    if (!near)
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
    shot all = {.statement = s, .where = where};
    bool good = true;
    for (int axis = 0; axis < d->program->dim; axis++) {
        good = cover_new(&all.cover[axis], f->extent[axis]) && good;
        if (good)
            cover_axis(f->face[axis], f->extent[axis], where->cell[axis], where->certain,
                       s->points.method, &all.cover[axis]);
    }
    if (good)
        direct_each(d, f, add_at, &all);
    else
        d->status = PAV_ENOMEM;
    for (int axis = 0; axis < d->program->dim; axis++)
        cover_free(&all.cover[axis]);
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

static void direct_inject(direct *d, const statement *s)
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

/* ---- comparison -------------------------------------------------------------------- */

/* One level of one field, to be compared. */
typedef struct pair {
    direct *direct;
    const direct_field *field;
    int level;
    const view *view;
    long double sharp; /* largest error of a sharp comparison */
    direct_tally *tally;
} pair;

/* ---- points ------------------------------------------------------------------------ */

static pav_status differs(const pair *p, const int64_t *at, double got, estimate want)
{
    return FAIL(
        PAV_EINTERNAL,
        "field %s, level %d, after step %lld, at (%lld, %lld, %lld): the run has %.17g, "
        "evaluated directly it is %.17Lg within %.3Lg",
        p->field->symbol->name, p->level, (long long)p->direct->step, (long long)at[0],
        (long long)at[1], (long long)at[2], got, want.v, want.e);
}

static pav_status compare_point(const pair *p, const int64_t *at)
{
    const double got = type_load(p->view->type, view_at(p->view, at[0], at[1], at[2]));
    const estimate want = direct_read(p->direct, p->field, p->level, at);
    p->tally->compared++;
    if (!isfinite(want.e))
        return PAV_OK;
    p->tally->sharp += want.e <= p->sharp;
    return fabsl((long double)got - want.v) <= want.e ? PAV_OK
                                                      : differs(p, at, got, want);
}

static pav_status compare_box(const pair *p, const box *range)
{
    int64_t at[MAX_DIM];
    for (at[2] = range->lo[2]; at[2] < range->hi[2]; at[2]++)
        for (at[1] = range->lo[1]; at[1] < range->hi[1]; at[1]++)
            for (at[0] = range->lo[0]; at[0] < range->hi[0]; at[0]++)
                TRY(compare_point(p, at));
    return p->direct->status;
}

/* ---- fields ------------------------------------------------------------------------ */

static void find_largest(direct *d, direct_field *f, const int64_t *at, void *user)
{
    pair *p = user;
    p->sharp = fmaxl(p->sharp, fabsl(direct_read(d, f, p->level, at).v));
}

/* A hundredth of the largest value, or almost 0 if all values are zero. */
static long double sharp_error(direct *d, const direct_field *f, int level)
{
    pair p = {.level = level};
    direct_each(d, direct_of(d, f->symbol), find_largest, &p);
    return p.sharp / 100 + 1e-30L;
}

static pav_status compare_level(direct *d, const direct_field *f, int level,
                                const view *v, direct_tally *tally)
{
    if (!direct_ready(d, f, level))
        return d->status;
    const pair p = {d, f, level, v, sharp_error(d, f, level), tally};
    box all;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        all.lo[axis] = -v->halo[axis][0];
        all.hi[axis] = v->extent[axis] + v->halo[axis][1];
        if (v->extent[axis] != f->extent[axis])
            return FAIL(PAV_EINTERNAL, "field %s has %lld points along %c, not %lld",
                        f->symbol->name, (long long)v->extent[axis], "xyz"[axis],
                        (long long)f -> extent[axis]);
    }
    return compare_box(&p, &all);
}

static int field_number(const ir *code, const symbol *s)
{
    for (int64_t k = 0; k < code->fields; k++)
        if (code->field[k].name && !strcmp(code->field[k].name, s->name))
            return (int)k;
    return -1;
}

static pav_status compare_fields(direct *d, const pav_run *run, direct_tally *tally)
{
    const ir *code = run_code(run);
    for (int64_t k = 0; k < d->program->fields.count; k++) {
        const direct_field *f = &d->field[k];
        const int number = field_number(code, f->symbol);
        if (number < 0)
            return FAIL(PAV_EINTERNAL, "the run has no field %s", f->symbol->name);
        const int kept = f->symbol->updated ? f->symbol->oldest + 1 : 1;
        for (int age = 0; age < kept; age++) {
            const view *v;
            TRY(run_host_view(run, number, -age, HOST_READ, &v));
            TRY(compare_level(d, f, -age, v, tally));
        }
    }
    return d->status;
}

/* ---- params and measures ----------------------------------------------------------- */

static pav_status compare_number(pav_run *run, const char *name, estimate want)
{
    double got;
    TRY(pav_run_get(run, name, &got));
    if (!isfinite(want.e) || fabsl((long double)got - want.v) <= want.e)
        return PAV_OK;
    return FAIL(PAV_EINTERNAL,
                "%s is %.17g in the run, evaluated directly it is %.17Lg within %.3Lg",
                name, got, want.v, want.e);
}

static pav_status compare_params(direct *d, pav_run *run)
{
    for (int64_t k = 0; k < d->program->params.count; k++) {
        const symbol *s = d->program->params.item[k];
        TRY(compare_number(run, s->name, direct_param(d, s)));
    }
    return d->status;
}

static pav_status compare_measures(direct *d, pav_run *run)
{
    const direct_spot here = direct_here(d, false, NULL);
    for (const statement *s = d->program->first; s; s = s->next)
        if (s->kind == STATEMENT_MEASURE)
            TRY(compare_number(run, s->symbol->name, direct_value(d, s->value, &here)));
    return d->status;
}

/* Evaluates all `until`: holds, does not hold, or doubtful within errors. */
static verdict until_holds(direct *d)
{
    const direct_spot here = direct_here(d, false, NULL);
    verdict any = {false, false};
    for (const statement *s = d->program->first; s; s = s->next)
        if (s->kind == STATEMENT_UNTIL &&
            d->step % (s->every_steps > 0 ? s->every_steps : 1) == 0)
            any = verdict_both(OP_OR, any, direct_condition(d, s->value, &here));
    return any;
}

/* ---- steps ------------------------------------------------------------------------- */

static pav_status compare_all(direct *d, pav_run *run, direct_tally *tally)
{
    TRY(compare_fields(d, run, tally));
    return compare_measures(d, run);
}

/* Takes a step of both. *ended is set if an `until` ended the run instead. */
static pav_status step_both(direct *d, pav_run *run, verdict until, bool *ended)
{
    if (!until.holds || until.doubtful)
        direct_step(d);
    TRY(d->status);
    TRY(pav_run_steps(run, 1));
    *ended = until.holds;
    if (pav_run_step(run) == d->step)
        return PAV_OK;
    *ended = true;
    if (until.doubtful)
        return PAV_OK;
    return FAIL(PAV_EINTERNAL, "the run is at step %lld, not at step %lld: `until` %s",
                (long long)pav_run_step(run), (long long)d->step,
                until.holds ? "holds" : "does not hold");
}

static pav_status follow(direct *d, pav_run *run, int steps, direct_tally *tally)
{
    verdict until = {false, false};
    bool ended = false;
    TRY(compare_params(d, run));
    TRY(compare_all(d, run, tally));
    for (int k = 0; k < steps; k++) {
        TRY(step_both(d, run, until, &ended));
        if (ended)
            return PAV_OK;
        TRY(compare_all(d, run, tally));
        until = until_holds(d);
    }
    return PAV_OK;
}

pav_status direct_follow(const program *p, pav_run *run, int steps, int rounded,
                         direct_tally *tally)
{
    direct d;
    *tally = (direct_tally){0};
    pav_status status = direct_open(p, &d);
    d.rounding.unit *= rounded;
    if (status == PAV_OK)
        status = follow(&d, run, steps, tally);
    direct_close(&d);
    return status;
}

pav_status direct_agrees(const program *p, uint64_t seed)
{
    direct_tally tally = {0};
    pav_run *run = NULL;
    (void)seed;
    pav_status status = run_open_with(p, interp_stage, &run);
    if (status == PAV_OK)
        status = direct_follow(p, run, PROOF_STEPS, ROUNDED_AS_USUAL, &tally);
    if (status == PAV_OK)
        status = proof_is_sharp(tally.compared, tally.sharp);
    pav_run_free(run);
    return status;
}
