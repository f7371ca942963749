/* SPDX-License-Identifier: BSD-3-Clause */
/* The direct evaluation of a program, compared with a run: its fields, levels and params,
 * its steps, and the comparison. Every field, every kept level with ghosts, and every
 * measure must agree within the errors of rounding. */
#include <math.h>
#include <string.h>

#include "check/check_private.h"

/* ---- fields, levels and params ----------------------------------------------------- */

/* A start value is computed at its first use, so the order of statements does not
 * matter. */

/* A step's length, at most the time left before the end, or half of it. */
static estimate least(const direct *d, estimate length, estimate left)
{
    const estimate half = estimate_op(&d->rounding, OP_MUL, left, estimate_exact(0.5L));
    const estimate both[2] = {half, length};
    const estimate most = estimate_op(&d->rounding, OP_MUL, length,
                                      estimate_exact(1 + TIME_TOLERANCE));
    const estimate last = estimate_choose(
        estimate_compare(OP_LE, left, most), left,
        estimate_call(&d->rounding, FUNCTION_MIN, both));
    return estimate_choose(estimate_compare(OP_GT, left, estimate_exact(0)), last,
                           length);
}

/* The first stop after t: the end, or a multiple of an interval; 0: none. */
static estimate next_stop(const direct *d, estimate t)
{
    const program *p = d->program;
    const rounding *r = &d->rounding;
    const estimate end = estimate_num(r, p->end);
    estimate stop = estimate_exact(p->stops ? INFINITY : p->end.v);
    EACH_STATEMENT(s, p) {
        if (!p->stops || s->interval.v <= 0)
            continue;
        const estimate interval = estimate_num(r, s->interval);
        const estimate count = estimate_op(r, OP_ADD, estimate_op(r, OP_DIV, t, interval),
                                           estimate_exact(TIME_TOLERANCE));
        const estimate next = estimate_op(
            r, OP_ADD, estimate_call(r, FUNCTION_FLOOR, &count), estimate_exact(1));
        const estimate both[2] = {stop, estimate_op(r, OP_MUL, next, interval)};
        stop = estimate_call(r, FUNCTION_MIN, both);
    }
    const estimate both[2] = {stop, end};
    return p->ends ? estimate_choose(estimate_compare(OP_LT, t, end),
                                     estimate_call(r, FUNCTION_MIN, both), stop)
                   : stop;
}

direct_field *direct_of(const direct *d, const symbol *field)
{
    return &d->field[field->index];
}

int64_t direct_index(const direct_field *f, const int64_t *at)
{
    return at[0] + f->extent[0] * (at[1] + f->extent[1] * at[2]);
}

static int slot_of(const direct_field *f, int level)
{
    return f->kept == 1 ? 0 : (f->newest + 1 - level) % f->kept;
}

estimate *direct_level(const direct_field *f, int level)
{
    return f->level + slot_of(f, level) * f->points;
}

static void set_level(direct *d, direct_field *f, int level)
{
    f->state[slot_of(f, level)] = DIRECT_DONE;
    d->moment++;
}

static void rotate_levels(direct *d)
{
    for (int64_t k = 0; k < d->program->fields.count; k++) {
        direct_field *f = &d->field[k];
        if (f->kept > 1)
            f->newest = (f->newest + f->kept - 1) % f->kept;
    }
    for (int64_t k = 0; k < d->program->scalars.count; k++)
        d->scalar[k] = d->next[k];
    d->time = d->next_time;
    d->step++;
    d->moment++;
}

/* ---- files ------------------------------------------------------------------------- */

static void add_path(const direct *d, const char *file, text *path)
{
    if (file[0] != '/')
        text_add(path, "%s/", d->program->directory);
    text_add(path, "%s", file);
}

/* Values of an npy file on the points of a field. */
static double *load(direct *d, const char *file, const int64_t *extent)
{
    double *values = arena_alloc(d->memory, extent[0] * extent[1] * extent[2],
                                 sizeof *values);
    const view v = {.data = values,
                    .type = PAV_F64,
                    .extent = {extent[0], extent[1], extent[2]},
                    .stride = {1, extent[0], extent[0] * extent[1]}};
    OWNED_BY(text_free) text path = {0};
    add_path(d, file, &path);
    d->status = path.failed
                    ? PAV_ENOMEM
                    : field_read(path.data, d->program->dim,
                                 d->program->axis[d->program->dim - 1].down, &v, NULL);
    return values;
}

/* ---- the start --------------------------------------------------------------------- */

bool direct_ready(direct *d, const direct_field *field, int level)
{
    direct_field *f = &d->field[field->symbol->index];
    unsigned char *state = &f->state[slot_of(f, level)];
    if (*state == DIRECT_DONE)
        return true;
    if (*state == DIRECT_UNDER_WAY || level > 0 || d->step > 0 || d->status != PAV_OK) {
        if (d->status == PAV_OK)
            d->status = FAIL(PAV_EINTERNAL,
                             "level %d of field %s is read before it has a value", level,
                             f->symbol->name);
        return false;
    }
    *state = DIRECT_UNDER_WAY;
    /* Fills a level at the start. An older level without its own initial value starts
     * like level 0, at its own time. */
    const symbol *s = f->symbol;
    const bool own = level < 0 && -level <= MAX_LEVEL && s->initial_prev[-level];
    const expr *const start = own ? s->initial_prev[-level] : s->value;
    const double *values = own || !s->file ? NULL : load(d, s->file, f->extent);
    int64_t at[MAX_DIM] = {-1, 0, 0};
    while (next_point(NULL, f->extent, at)) {
        const int64_t point = direct_index(f, at);
        direct_spot here = direct_here(d, s->coarse, at);
        here.step = level;
        here.starts = true;
        const estimate value = values
                                   ? estimate_of(&d->rounding, (long double)values[point])
                               : start ? direct_value(d, start, here)
                                       : estimate_exact(0);
        direct_level(f, level)[point] = estimate_store(&d->rounding, s->storage, value);
    }
    *state = DIRECT_DONE;
    return true;
}

estimate direct_number(direct *d, const symbol *s)
{
    const bool scalar = s->kind == SYMBOL_SCALAR;
    estimate *value = &(scalar ? d->scalar : d->param)[s->index];
    unsigned char *state = &(scalar ? d->scalar_state : d->param_state)[s->index];
    if (s->constant && *state == DIRECT_NOT_BEGUN)
        *value = estimate_num(&d->rounding, s->number);
    else if (*state == DIRECT_UNDER_WAY && d->status == PAV_OK)
        d->status = FAIL(PAV_EINTERNAL, "%s is read before it has a value", s->name);
    else if (*state == DIRECT_NOT_BEGUN) {
        *state = DIRECT_UNDER_WAY;
        *value = direct_value(d, s->value, direct_here(d, false, NULL));
    }
    if (*state != DIRECT_DONE && scalar && s == d->program->dt)
        *value = least(d, *value, next_stop(d, estimate_exact(0)));
    *state = DIRECT_DONE;
    return *value;
}

/* ---- masks ------------------------------------------------------------------------- */

/* values: of the mask's file, on its grid; or NULL. */
static void hold_point(direct *d, direct_field *f, const int64_t *at,
                       const statement *mask, const double *values)
{
    const int insulated = mask->insulated;
    const int coarse = mask->symbol ? mask->symbol->coarse : 0;
    int64_t there[MAX_DIM];
    for (int a = 0; a < MAX_DIM; a++)
        there[a] = at[a] * (f->symbol->coarse > coarse &&
                                    coarse_halves(d->program, f->symbol->coarse, a)
                                ? 2
                                : 1);
    const axis_grid *axis = d->program->axis;
    const int64_t row = coarse ? f->extent[0] : axis[0].points;
    const int64_t plane = row *
                          (coarse || d->program->dim < 2 ? f->extent[1] : axis[1].points);
    unsigned char *owned = &f->owned[direct_index(f, at)];
    const unsigned kept = DIRECT_KEPT | (insulated ? DIRECT_CLOSED : 0),
                   doubtful = DIRECT_DOUBTFUL | (insulated ? DIRECT_MAYBE_CLOSED : 0);
    const verdict open =
        values
            ? (verdict){values[there[0] + row * there[1] + plane * there[2]] != 0, false}
            : direct_condition(d, mask->value, direct_here(d, coarse, there));
    *owned |= (unsigned char)(open.doubtful ? doubtful : open.holds ? 0 : kept);
}

static void mask_fields(direct *d, const statement *s)
{
    const double *values = NULL;
    if (s->file) {
        const symbol grid = {.coarse = s->symbol ? s->symbol->coarse : 0};
        int64_t extent[MAX_DIM];
        for (int axis = 0; axis < MAX_DIM; axis++)
            extent[axis] = field_extent(d->program, &grid, axis);
        values = load(d, s->file, extent);
    }
    for (int64_t k = 0; d->status == PAV_OK && k < d->program->fields.count; k++) {
        direct_field *f = &d->field[k];
        int64_t at[MAX_DIM] = {-1, 0, 0};
        if (f->owned && (s->symbol ? s->symbol->index == k : !f->symbol->line_of))
            while (next_point(NULL, f->extent, at))
                hold_point(d, f, at, s, values);
    }
}

/* ---- opening ----------------------------------------------------------------------- */

static void open_field(direct *d, const symbol *s)
{
    direct_field *f = &d->field[s->index];
    *f = (direct_field){.symbol = s, .points = 1, .kept = s->updated ? s->oldest + 3 : 1};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        f->extent[axis] = field_extent(d->program, s, axis);
        f->points *= f->extent[axis];
    }
    f->level = arena_alloc(d->memory, f->points * f->kept, sizeof *f->level);
    f->owned = s->updated ? arena_alloc(d->memory, f->points, 1) : NULL;
}

/* Face 2*axis + side, unless it is periodic. */
static bool absorbs(const direct *d, const direct_field *f, const statement *s, int face)
{
    return s->kind == STATEMENT_ABSORB && s->cell_count > 0 && !f->symbol->line_of &&
           face < 2 * d->program->dim && (!s->faces || (s->faces >> face & 1)) &&
           f->face[face / 2][face % 2].kind != BORDER_PERIODIC;
}

/* Sets the borders; later statements win. An absorbing face without a rule is 0 beyond;
 * for coefficients, it has the value at the face. */
static void set_borders(direct *d)
{
    for (int pass = 0; pass < 2; pass++)
        EACH_STATEMENT(s, d->program)
            for (int64_t k = 0; k < d->program->fields.count; k++)
                for (int face = 0; face < 2 * d->program->dim; face++) {
                    direct_face *rule = &d->field[k].face[face / 2][face % 2];
                    const symbol *f = d->field[k].symbol;
                    const bool named = (!s->faces || (s->faces >> face & 1)) &&
                                       (s->symbol ? s->symbol->index == k : !f->line_of);
                    if (pass == 0 && s->kind == STATEMENT_BORDER && named)
                        *rule = (direct_face){s->border, s->value, s->reads_fields,
                                              s->where ? s : NULL};
                    else if (pass == 1 && rule->kind == BORDER_NONE &&
                             absorbs(d, &d->field[k], s, face))
                        rule->kind = f->updated || f->coarse ? BORDER_BEYOND
                                                             : BORDER_CLAMP;
                }
}

static pav_status open_state(direct *d)
{
    const program *p = d->program;
    d->field = arena_alloc(d->memory, p->fields.count + 1, sizeof *d->field);
    d->param = arena_alloc(d->memory, p->params.count + 1, sizeof *d->param);
    d->param_state = arena_alloc(d->memory, p->params.count + 1, 1);
    d->scalar = arena_alloc(d->memory, p->scalars.count + 1, sizeof *d->scalar);
    d->next = arena_alloc(d->memory, p->scalars.count + 1, sizeof *d->next);
    d->scalar_state = arena_alloc(d->memory, p->scalars.count + 1, 1);
    d->time = estimate_exact(0);
    for (int64_t k = 0; k < p->fields.count; k++)
        open_field(d, p->fields.item[k]);
    set_borders(d);
    for (int64_t k = 0; k < p->fields.count; k++)
        for (int age = 0; age + 2 < d->field[k].kept || age == 0; age++)
            (void)direct_ready(d, &d->field[k], -age);
    for (int64_t k = 0; k < p->params.count; k++)
        (void)direct_number(d, p->params.item[k]);
    for (int64_t k = 0; k < p->scalars.count; k++)
        (void)direct_number(d, p->scalars.item[k]);
    EACH_STATEMENT(s, p)
        if (s->kind == STATEMENT_MASK && d->status == PAV_OK)
            mask_fields(d, s);
    return d->status;
}

/* ---- a step ------------------------------------------------------------------------ */

/* One step of a direct evaluation: every equation in order at every point, with masks and
 * absorbing layers; then injections; then levels change their names. */

/* ---- absorbing layers -------------------------------------------------------------- */

bool direct_is_damped(const direct *d, const direct_field *f)
{
    for (const statement *s = d->program->first; s && f->symbol->updated; s = s->next)
        for (int face = 0; face < 2 * MAX_DIM; face++)
            if (!s->matched && absorbs(d, f, s, face))
                return true;
    return false;
}

/* A layer's factor is exp(-(strength*depth/cells)^2), with the depth counted from the
 * inner edge of the layer; along an axis the nearer absorbing face counts. */
estimate direct_damping(direct *d, const direct_field *f, const int64_t *at)
{
    const rounding *r = &d->rounding;
    const direct_spot here = direct_here(d, f->symbol->coarse, at);
    estimate g = estimate_exact(1);
    EACH_STATEMENT(s, d->program)
        for (int axis = 0;
             s->kind == STATEMENT_ABSORB && !s->matched && axis < d->program->dim;
             axis++) {
            int64_t depth = 0;
            for (int side = 0; side < 2; side++)
                if (absorbs(d, f, s, 2 * axis + side))
                    depth = int64_most(
                        depth, s->cell_count -
                                   (side ? f->extent[axis] - 1 - at[axis] : at[axis]));
            if (depth == 0)
                continue;
            const estimate strength = s->strength ? direct_value(d, s->strength, here)
                                                  : estimate_of(r, 0.3L);
            const estimate part = estimate_op(
                r, OP_MUL, strength,
                estimate_of(r, (long double)depth / (long double)s->cell_count));
            const estimate power = estimate_neg(estimate_op(r, OP_MUL, part, part));
            g = estimate_op(r, OP_MUL, g, estimate_call(r, FUNCTION_EXP, &power));
        }
    return g;
}

static estimate direct_masked(const direct_field *f, int64_t point, estimate value,
                              estimate kept)
{
    const unsigned owned = f->owned[point];
    const verdict open = {!owned, !(owned & DIRECT_KEPT) && (owned & DIRECT_DOUBTFUL)};
    return estimate_choose(open, value, kept);
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
    return direct_value(d, e, direct_here(d, false, NULL));
}

static position locate(direct *d, const direct_field *f, const points *p, int64_t row,
                       int64_t rows, const double *file)
{
    const rounding *r = &d->rounding;
    const int dim = d->program->dim;
    const long double share = rows > 1 ? (long double)row / (long double)(rows - 1) : 0;
    position where = {.certain = true};
    for (int axis = 0; axis < dim; axis++) {
        const estimate h = estimate_num(r, direct_spacing(d, axis, f->symbol->coarse));
        const estimate origin = estimate_num(r, d->program->axis[axis].origin);
        estimate x;
        if (file) {
            x = estimate_of(r, (long double)file[row * dim + axis]);
        } else if (p->line_count) {
            const estimate from = constant(d, p->list[0][axis]);
            x = estimate_op(
                r, OP_ADD, from,
                estimate_op(r, OP_MUL, estimate_of(r, share),
                            estimate_op(r, OP_SUB, constant(d, p->list[1][axis]), from)));
        } else {
            x = constant(d, p->list[row][axis]);
        }
        estimate cell = estimate_op(r, OP_DIV, estimate_op(r, OP_SUB, x, origin), h);
        if (axis_stretched(d->program, axis))
            cell = estimate_of(r, (long double)axis_index(d->program, axis, (double)x.v));
        where.cell[axis] = cell.v;
        where.certain = where.certain && cell.e == 0;
    }
    return where;
}

/* ---- weights ----------------------------------------------------------------------- */

/* A position has a weight on each point of an axis, NAN on points that are not near. A
 * point of the grid has the product along all axes, and takes no part if it is NAN. */

/* The share of a weight beyond a face that belongs to the copied point. 0: no rule
 * copies, and values are extrapolated linearly. */
static int direct_share(border_kind kind)
{
    switch (kind) {
    case BORDER_NONE:
    case BORDER_VALUE:
    case BORDER_BEYOND:
    case BORDER_ODD: return 0;
    case BORDER_ANTIMIRROR: return -1;
    default: return 1;
    }
}

/* Distributes a weight beyond a face. If no rule copies, values are extrapolated
 * linearly: 2*u(0) - u(k). */
static void land(long double *weights, const direct_face face[2], int64_t n, int64_t i,
                 long double weight)
{
    const int side = i >= n;
    const border_kind kind = face[side].kind;
    if (i >= 0 && i < n) {
        weights[i] = isnan(weights[i]) ? weight : weights[i] + weight;
    } else if (direct_share(kind) != 0) {
        land(weights, face, n, direct_copied(kind, n, side, i),
             direct_share(kind) * weight);
    } else {
        land(weights, face, n, side ? n - 1 : 0, 2 * weight);
        land(weights, face, n, direct_copied(kind, n, side, i), -weight);
    }
}

/* Covers every point of the window around a position on an axis. An uncertain position
 * also covers points without weight. */
static void cover_axis(const direct_face face[2], int64_t n, long double cell,
                       bool certain, point_method method, long double *weights)
{
    const int reach = method == POINTS_LINEAR ? 2 : RADIUS + 1;
    const int64_t foot = (int64_t)floorl(cell);
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        weights[i] = NAN;
    for (int64_t i = foot - reach; i <= foot + reach; i++)
        sum += weight_at(method, (long double)i - cell);
    for (int64_t i = foot - reach; i <= foot + reach; i++) {
        const long double weight = weight_at(method, (long double)i - cell) / sum;
        if (weight != 0 || !certain)
            land(weights, face, n, i, weight);
    }
}

/* ---- adding ------------------------------------------------------------------------ */

static void add_at(direct *d, direct_field *f, const int64_t *at, const statement *s,
                   long double weight, bool certain)
{
    const rounding *r = &d->rounding;
    const int64_t point = direct_index(f, at);
    estimate w = estimate_of(r, weight);
    if (!certain || s->points.method == POINTS_SINC)
        w.e += position_error;
    const estimate value = direct_value(d, s->value,
                                        direct_here(d, f->symbol->coarse, at));
    estimate *to = &direct_level(f, 1)[point];
    *to = estimate_store(
        r, f->symbol->storage,
        direct_masked(f, point,
                      estimate_op(r, OP_ADD, *to, estimate_op(r, OP_MUL, w, value)),
                      *to));
    d->moment++;
}

static void inject(direct *d, const statement *s)
{
    enum { MOST = 100000 };
    const points *p = &s->points;
    direct_field *f = direct_of(d, s->symbol);
    const int64_t *n = f->extent;
    int64_t rows = p->line_count ? (int64_t)constant(d, p->line_count).v : p->count;
    OWNED double *file = NULL;
    OWNED_BY(text_free) text path = {0};
    OWNED long double *weights = mem_new(n[0] + n[1] + n[2], sizeof *weights);
    /* on the points of each axis */
    long double *const of_axis[] = {weights, weights + n[0], weights + n[0] + n[1]};
    if (p->file)
        add_path(d, p->file, &path);
    if (path.failed || !weights)
        d->status = PAV_ENOMEM;
    else if (p->file)
        d->status = npy_read_table(path.data, d->program->dim, MOST, &file, &rows);
    for (int64_t row = 0; row < rows && d->status == PAV_OK; row++) {
        const position where = locate(d, f, p, row, rows, file);
        int64_t at[MAX_DIM] = {-1, 0, 0};
        for (int axis = 0; axis < d->program->dim && axis < MAX_DIM; axis++)
            cover_axis(f->face[axis], n[axis], where.cell[axis], where.certain, p->method,
                       of_axis[axis]);
        while (next_point(NULL, n, at)) {
            long double weight = 1;
            for (int axis = 0; axis < d->program->dim; axis++)
                weight *= of_axis[axis][at[axis]];
            if (!isnan(weight) && !direct_is_given(d, f, at))
                add_at(d, f, at, s, weight, where.certain);
        }
    }
}

/* ---- equations --------------------------------------------------------------------- */

/* Points are visited with rising indices; an operation down an axis mirrors them. */
static void update_point(direct *d, direct_field *f, const int64_t *visited,
                         const statement *s)
{
    int64_t at[MAX_DIM] = {visited[0], visited[1], visited[2]};
    if (s->along < 0)
        at[-s->along - 1] = f->extent[-s->along - 1] - 1 - at[-s->along - 1];
    const int64_t point = direct_index(f, at);
    direct_spot here = direct_here(d, f->symbol->coarse, at);
    if (direct_is_given(
            d, direct_of(d, f->symbol->line_of ? f->symbol->line_of : f->symbol), at))
        return;
    here.absorbs = true;
    estimate value = direct_value(d, s->value, here);
    if (d->damped)
        value = estimate_op(&d->rounding, OP_MUL, value, direct_damping(d, f, at));
    if (update_flushes(d->program, s)) {
        const estimate size = estimate_call(&d->rounding, FUNCTION_ABS, &value),
                       limit = estimate_of(&d->rounding, d->program->tiny.v);
        value = estimate_choose(estimate_compare(OP_LT, size, limit),
                                estimate_of(&d->rounding, 0), value);
    }
    value = direct_masked(f, point, value, direct_level(f, 0)[point]);
    direct_level(f, 1)[point] = estimate_store(&d->rounding, f->symbol->storage, value);
}

static void evolve(direct *d, const symbol *scalar, const expr *value)
{
    estimate *next = &d->next[scalar->index];
    *next = value ? direct_value(d, value, direct_here(d, false, NULL))
                  : d->scalar[scalar->index];
    if (scalar == d->program->dt && (d->program->ends || d->program->stops))
        *next = least(
            d, *next,
            estimate_op(&d->rounding, OP_SUB, next_stop(d, d->next_time), d->next_time));
    d->moment++;
}

/* Scalars keep their values without an equation. The end is exact in the step shortened
 * for it, so that later steps do not see an error of rounding there. */
static void begin_scalars(direct *d)
{
    const program *p = d->program;
    const rounding *r = &d->rounding;
    if (p->dt && p->dt->kind == SYMBOL_SCALAR) {
        const estimate dt = d->scalar[p->dt->index], end = next_stop(d, d->time);
        d->next_time = estimate_op(r, OP_ADD, d->time, dt);
        if (p->ends || p->stops)
            d->next_time = estimate_choose(
                verdict_both(
                    OP_AND, estimate_compare(OP_LT, d->time, end),
                    estimate_compare(OP_LE, estimate_op(r, OP_SUB, end, d->time), dt)),
                end, d->next_time);
    }
    for (int64_t k = 0; k < p->scalars.count; k++)
        evolve(d, p->scalars.item[k], NULL);
}

static void direct_step(direct *d)
{
    begin_scalars(d);
    for (int64_t k = 0; k < d->program->fields.count; k++)
        if (d->field[k].symbol->updated)
            d->field[k].state[slot_of(&d->field[k], 1)] = DIRECT_NOT_BEGUN;
    for (const statement *s = d->program->first; s && d->status == PAV_OK; s = s->next)
        if (s->kind == STATEMENT_UPDATE) {
            direct_field *f = direct_of(d, s->symbol);
            int64_t at[MAX_DIM] = {-1, 0, 0};
            d->damped = direct_is_damped(d, f);
            d->line = s->along ? s : NULL;
            if (s->along) /* it reads the points already computed */
                set_level(d, f, 1);
            while (next_point(NULL, f->extent, at))
                update_point(d, f, at, s);
            set_level(d, f, 1);
        } else if (s->kind == STATEMENT_EVOLVE) {
            evolve(d, s->symbol, s->value);
        }
    d->line = NULL;
    for (const statement *s = d->program->first; s && d->status == PAV_OK; s = s->next)
        if (s->kind == STATEMENT_INJECT)
            inject(d, s);
    rotate_levels(d);
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

static pav_status compare_point(const pair *p, const int64_t *at)
{
    const double got = type_load(p->view->type, view_at(p->view, at[0], at[1], at[2]));
    const estimate want = direct_read(p->direct, p->field, p->level, at);
    p->tally->compared++;
    if (!isfinite(want.e))
        return PAV_OK;
    p->tally->sharp += want.e <= p->sharp;
    /* A pass may write (1.5 + 0.0035*p)/8 as (3000 + 7*p)*6.25e-5. So one unit of the
     * value is allowed, even if its error is 0. */
    if (fabsl((long double)got - want.v) <=
        want.e + p->direct->rounding.unit * fabsl(want.v))
        return PAV_OK;
    return FAIL(
        PAV_EINTERNAL,
        "field %s, level %d, after step %lld, at (%lld, %lld, %lld): the run has %.17g, "
        "evaluated directly it is %.17Lg within %.3Lg",
        p->field->symbol->name, p->level, (long long)p->direct->step, (long long)at[0],
        (long long)at[1], (long long)at[2], got, want.v, want.e);
}

/* ---- fields ------------------------------------------------------------------------ */

static pav_status compare_level(direct *d, const direct_field *f, int level,
                                const view *v, direct_tally *tally)
{
    pair p = {.direct = d, .field = f, .level = level, .view = v, .tally = tally};
    int64_t here[MAX_DIM] = {-1, 0, 0}, at[MAX_DIM], begin[MAX_DIM], end[MAX_DIM];
    if (!direct_ready(d, f, level))
        return d->status;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        at[axis] = begin[axis] = -v->halo[axis][0];
        end[axis] = v->extent[axis] + v->halo[axis][1];
        if (v->extent[axis] != f->extent[axis])
            return FAIL(PAV_EINTERNAL, "field %s has %lld points along %c, not %lld",
                        f->symbol->name, (long long)v->extent[axis], "xyz"[axis],
                        (long long)f -> extent[axis]);
    }
    while (next_point(NULL, f->extent, here))
        p.sharp = fmaxl(p.sharp, fabsl(direct_read(d, f, level, here).v));
    p.sharp = p.sharp / 100 + 1e-30L; /* almost 0 if all values are zero */
    for (at[0]--; next_point(begin, end, at);)
        TRY(compare_point(&p, at));
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

/* Evaluates all `until`: holds, does not hold, or doubtful within errors. */
static verdict until_holds(direct *d)
{
    verdict any = {false, false};
    EACH_STATEMENT(s, d->program)
        if (s->kind == STATEMENT_UNTIL &&
            d->step % (s->every_steps > 0 ? s->every_steps : 1) == 0)
            any = verdict_both(
                OP_OR, any, direct_condition(d, s->value, direct_here(d, false, NULL)));
    return any;
}

/* ---- steps ------------------------------------------------------------------------- */

static pav_status compare_all(direct *d, pav_run *run, direct_tally *tally)
{
    const direct_spot here = direct_here(d, false, NULL);
    for (int64_t k = 0; k < d->program->fields.count; k++) {
        const direct_field *f = &d->field[k];
        const int number = run_field_number(run, f->symbol->name);
        if (number < 0 && !f->symbol->line_of) /* it may be a table */
            return FAIL(PAV_EINTERNAL, "the run has no field %s", f->symbol->name);
        const int kept = number < 0 ? 0 : f->symbol->updated ? f->symbol->oldest + 1 : 1;
        for (int age = 0; age < kept; age++) {
            const view *v;
            TRY(run_host_view(run, number, -age, HOST_READ, &v));
            TRY(compare_level(d, f, -age, v, tally));
        }
    }
    TRY(d->status);
    EACH_STATEMENT(s, d->program)
        if (s->kind == STATEMENT_MEASURE)
            TRY(compare_number(run, s->symbol->name, direct_value(d, s->value, here)));
    for (int64_t k = 0; k < d->program->scalars.count; k++)
        TRY(compare_number(run, d->program->scalars.item[k]->name, d->scalar[k]));
    return d->status;
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

/* Not inlined: locals of an inlined function would be lost by the guard's jump. */
__attribute__((noinline)) static pav_status follow(direct *d, pav_run *run, int steps,
                                                   direct_tally *tally)
{
    verdict until = {false, false};
    bool ended = false;
    TRY(open_state(d));
    for (int64_t k = 0; k < d->program->params.count; k++) {
        const symbol *s = d->program->params.item[k];
        TRY(compare_number(run, s->name, direct_number(d, s)));
    }
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

pav_status direct_follow(const program *p, pav_run *run, int steps, direct_tally *tally)
{
    direct d = {.memory = arena_new(), .program = p, .rounding = rounding_of(p->real)};
    pav_status status;
    *tally = (direct_tally){0};
    ARENA_GUARD(d.memory, status, follow(&d, run, steps, tally));
    arena_free(d.memory);
    return status;
}

pav_status direct_agrees(const proof_case *c)
{
    direct_tally tally = {0};
    OWNED_BY(free_run) pav_run *run = NULL;
    TRY(run_open_with(c->program, interp_stage, &run));
    TRY(direct_follow(c->program, run, PROOF_STEPS, &tally));
    return proof_is_sharp(tally.compared, tally.sharp);
}
