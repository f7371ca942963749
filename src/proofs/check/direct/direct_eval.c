/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates an expression at one point: fields beyond faces, sums over neighbours, the
 * tree of the expression. */
#include <assert.h>
#include <math.h>

#include "check/check_private.h"

/* ---- borders ----------------------------------------------------------------------- */

/* Reads a field at any point, and applies the border rules to points beyond faces.
 * Filling goes axis by axis, x first, with the ghosts of lower axes included. Reading
 * therefore undoes the highest axis first, and of one axis the + side, which was filled
 * last. */

static bool gives_face(border_kind kind)
{
    return kind == BORDER_VALUE || kind == BORDER_ODD;
}

bool direct_is_given(const direct *d, const direct_field *f, const int64_t *at)
{
    for (int face = 0; face < 2 * d->program->dim; face++)
        if (at[face / 2] == (face % 2 ? f->extent[face / 2] - 1 : 0) &&
            gives_face(f->face[face / 2][face % 2].kind))
            return true;
    return false;
}

/* The place of a border's value: a point, or the point on the face beside it. In rules of
 * parts, ghosts of lower axes have the coordinates of the points that they copy, or of
 * the nearest points. Fields are read at the ghost itself. */
static direct_spot place_of(const direct *d, const direct_field *f, int level, int axis,
                            int side, const int64_t *at, bool on_face)
{
    direct_spot here = direct_here(d, f->symbol->coarse, at);
    here.level = level; /* of the fields that it reads */
    /* Fields without updates are filled once, at the start. */
    here.step = f->symbol->updated ? d->step + level : 0;
    if (on_face)
        here.at[axis] = side ? f->extent[axis] - 1 : 0;
    for (int n = 0; n < 2 * axis && f->face[axis][side].parts; n++) {
        const int a = n / 2;
        const int64_t end = n % 2 ? f->extent[a] - 1 : 0;
        const border_kind kind = f->face[a][n % 2].kind;
        if (n % 2 ? at[a] > end : at[a] < end)
            here.moved[a] = (border_rules[kind].copies
                                 ? direct_copied(kind, f->extent[a], n % 2, at[a])
                                 : end) -
                            at[a];
    }
    return here;
}

/* The rule of a face at a point: of the part whose condition holds there. */
static direct_face face_at(direct *d, const direct_field *f, int level, int axis,
                           int side, const int64_t *at)
{
    const direct_face *face = &f->face[axis][side];
    const statement *s = face->parts;
    const direct_spot here = place_of(d, f, level, axis, side, at, true);
    while (s && s->where && !direct_condition(d, s->where, here).holds)
        s = s->rest;
    return s ? (direct_face){s->where ? s->part : s->border, s->value, true, face->parts}
             : *face;
}

/* Finds the axis and side whose rule applies to a point; false for a plain point. */
static bool find_face(direct *d, const direct_field *f, int level, const int64_t *at,
                      int *axis, int *side)
{
    for (*axis = d->program->dim - 1; *axis >= 0; (*axis)--)
        for (*side = 1; *side >= 0; (*side)--) {
            const int64_t last = f->extent[*axis] - 1, i = at[*axis];
            const int64_t beyond = *side ? i - last : -i;
            if (beyond > 0 ||
                (beyond == 0 && gives_face(face_at(d, f, level, *axis, *side, at).kind)))
                return true;
        }
    return false;
}

int64_t direct_copied(border_kind kind, int64_t n, int side, int64_t i)
{
    if (n == 1)
        return 0;
    switch (kind) {
    case BORDER_PERIODIC: return i < 0 ? i + n : i - n;
    case BORDER_ANTIMIRROR:
    case BORDER_MIRROR: return side ? 2 * n - 1 - i : -i - 1;
    case BORDER_CLAMP: return side ? n - 1 : 0;
    default: return side ? 2 * (n - 1) - i : -i;
    }
}

/* The distance of ghost k and its image times g, with g at the face: 2*k*h*g, or
 * (2*k - 1)*h*g with a wall between points; on a stretched axis 2 times the way to the
 * face. A wall between points with the value g: 2*g. */
static estimate rise(direct *d, const direct_field *f, const direct_face *rule, int level,
                     int axis, int side, const int64_t *at)
{
    const rounding *r = &d->rounding;
    const program *p = d->program;
    const int coarse = f->symbol->coarse;
    const int64_t face = side ? f->extent[axis] - 1 : 0;
    const direct_spot foot = place_of(d, f, level, axis, side, at, true);
    const estimate g = direct_value(d, rule->value, foot);
    const border_kind kind = rule->kind;
    if (kind == BORDER_ANTIMIRROR)
        return estimate_op(r, OP_MUL, estimate_exact(2), g);
    if (!axis_stretched(p, axis)) {
        const long double steps = 2 * (long double)(side ? at[axis] - face : -at[axis]) -
                                  (kind == BORDER_MIRROR);
        return estimate_op(r, OP_MUL,
                           estimate_op(r, OP_MUL, estimate_of(r, steps),
                                       estimate_num(r, direct_spacing(d, axis, coarse))),
                           g);
    }
    const estimate way = estimate_op(
        r, OP_SUB,
        estimate_of(r, (long double)axis_coordinate(p, axis, coarse, at[axis])),
        estimate_of(r, (long double)axis_coordinate(p, axis, coarse, face)));
    return estimate_op(r, OP_MUL,
                       estimate_op(r, OP_MUL, estimate_of(r, side ? 2 : -2), way), g);
}

static estimate ruled(direct *d, const direct_field *f, int level, const int64_t *at,
                      int axis, int side)
{
    const direct_face own = face_at(d, f, level, axis, side, at), *face = &own;
    const int64_t i = at[axis], n = f->extent[axis];
    const bool beyond = i < 0 || i >= n;
    int64_t from[MAX_DIM] = {at[0], at[1], at[2]};
    from[axis] = direct_copied(face->kind, n, side, i);
    const direct_spot there = place_of(d, f, level, axis, side, at, face->reads);
    switch (face->kind) {
    case BORDER_NONE: return (estimate){NAN, 0, INFINITY};
    case BORDER_VALUE:
    case BORDER_BEYOND:
        return face->value ? direct_value(d, face->value, there) : estimate_exact(0);
    case BORDER_ODD:
        return beyond ? estimate_neg(direct_read(d, f, level, from)) : estimate_exact(0);
    default: break;
    }
    const estimate image = direct_read(d, f, level, from);
    const estimate copy = face->kind == BORDER_ANTIMIRROR ? estimate_neg(image) : image;
    return face->value ? estimate_op(&d->rounding, OP_ADD, copy,
                                     rise(d, f, face, level, axis, side, at))
                       : copy;
}

estimate direct_read(direct *d, const direct_field *f, int level, const int64_t *at)
{
    int axis, side;
    if (!direct_ready(d, f, level))
        return (estimate){NAN, 0, INFINITY};
    if (!find_face(d, f, level, at, &axis, &side))
        return direct_level(f, level)[direct_index(f, at)];
    return estimate_store(&d->rounding, f->symbol->storage,
                          ruled(d, f, level, at, axis, side));
}

/* ---- sums over neighbours ---------------------------------------------------------- */

/* Sums over neighbours: derivatives, stencils, restriction, interpolation, reductions.
 * Weights come from the exact tables of lang, but the sums are written independently. */

static direct_spot direct_shifted(direct_spot at, const int *offset)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        at.at[axis] += offset[axis];
    return at;
}

static estimate add_term(direct *d, estimate sum, estimate weight, estimate value)
{
    return estimate_op(&d->rounding, OP_ADD, sum,
                       estimate_op(&d->rounding, OP_MUL, weight, value));
}

/* ---- which grid -------------------------------------------------------------------- */

static unsigned grids_of(const expr *e, const direct_frame *frame);

static unsigned grids_of(const expr *e, const direct_frame *frame)
{
    const direct_frame inner = {e, frame, 0};
    const symbol *s = e->symbol;
    unsigned grids = 0;
    if (e->kind == EXPR_SYMBOL)
        return s->kind == SYMBOL_FIELD ? 1u << s->coarse
               : s->kind == SYMBOL_LET ? grids_of(s->value, NULL)
               : s->kind == SYMBOL_ARGUMENT && frame
                   ? grids_of(frame->apply->arg[s->index], frame->outer)
                   : 0;
    if (e->kind == EXPR_REDUCE)
        return 0;
    if (e->kind == EXPR_APPLY)
        return grids_of(s->value, &inner);
    for (int k = 0; e->kind == EXPR_STENCIL && k < s->taps; k++)
        grids |= grids_of(s->tap[k].weight, NULL);
    for (int k = 0; k < e->count; k++)
        grids |= grids_of(e->arg[k], frame);
    if (e->kind == EXPR_TRANSFER)
        return e->transfer == TRANSFER_RESTRICT ? grids << 1 : grids >> 1;
    return grids;
}

/* ---- derivatives ------------------------------------------------------------------- */

/* Weights along one axis, per power of the spacing. */
enum { MOST_STRETCHED = 64 };
typedef struct line {
    int first, count;
    const num *weight;
    long double scale;
    bool stretched; /* uses its own weights below */
    double own[MOST_STRETCHED];
} line;

static const num one = {.p = 1, .q = 1, .v = 1, .exact = true};
static const line nothing = {.count = 1, .weight = &one, .scale = 1};

/* Returns the weight table of a kind of derivative, computed at first use. */
static const direct_weights *weights_of(direct *d, int m, int order, int half)
{
    direct_weights *w = d->weights;
    for (; w; w = w->next)
        if (w->m == m && w->order == order && w->half == half)
            return w;
    w = arena_alloc(d->memory, 1, sizeof *w);
    *w = (direct_weights){.next = d->weights, .m = m, .order = order, .half = half};
    d->weights = w;
    if (!difference_weights(m, order, half, w->weight, &w->first, &w->count))
        d->status = FAIL(PAV_ELIMIT, "derivative %d of order %d has no exact weights", m,
                         order);
    return w;
}

static line line_along(direct *d, int m, int order, int half, int axis, direct_spot at)
{
    line l = {.stretched = axis_stretched(d->program, axis)};
    if (m == 0 && half == 0)
        return nothing;
    if (l.stretched) {
        if (difference_taps(m, order, half, &l.first, &l.count))
            axis_weights(d->program, axis, at.coarse, at.at[axis], m, order, half, l.own);
        return l;
    }
    const direct_weights *w = weights_of(d, m, order, half);
    const long double h = (long double)direct_spacing(d, axis, at.coarse).v;
    return (line){w->first, w->count, w->weight, powl(h, (long double)m), false, {0}};
}

static long double weight_at(const line *l, int k)
{
    return l->stretched ? (long double)l->own[k] : extended(l->weight[k]) / l->scale;
}

static estimate along_all(direct *d, const expr *e, direct_spot at, const line *l)
{
    estimate sum = estimate_exact(0);
    for (int k = 0; k < l[2].count; k++)
        for (int j = 0; j < l[1].count; j++)
            for (int i = 0; i < l[0].count; i++) {
                const int offset[] = {l[0].first + i, l[1].first + j, l[2].first + k};
                const long double w = weight_at(&l[0], i) * weight_at(&l[1], j) *
                                      weight_at(&l[2], k);
                if (w != 0)
                    sum = add_term(
                        d, sum, estimate_of(&d->rounding, w),
                        direct_value(d, e->arg[0], direct_shifted(at, offset)));
            }
    return sum;
}

/* A derivative, or the sum of the second derivatives along each axis. */
static estimate derive(direct *d, const expr *e, direct_spot at)
{
    line l[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        l[axis] = line_along(d, e->derivative[axis], e->order, e->half[axis], axis, at);
    return along_all(d, e, at, l);
}

static estimate laplace(direct *d, const expr *e, direct_spot at)
{
    estimate sum = estimate_exact(0);
    for (int axis = 0; axis < d->program->dim; axis++) {
        line l[MAX_DIM] = {nothing, nothing, nothing};
        l[axis] = line_along(d, 2, e->order, 0, axis, at);
        sum = estimate_op(&d->rounding, OP_ADD, sum, along_all(d, e, at, l));
    }
    return sum;
}

/* ---- stencils ---------------------------------------------------------------------- */

/* Evaluates a stencil. Weights are evaluated at the centre and do not see arguments of
 * lets. */
static estimate stencil(direct *d, const expr *e, direct_spot at)
{
    direct_spot centre = at;
    estimate sum = estimate_exact(0);
    centre.frame = NULL;
    for (int k = 0; k < e->symbol->taps; k++) {
        const stencil_tap *tap = &e->symbol->tap[k];
        sum = add_term(d, sum, direct_value(d, tap->weight, centre),
                       direct_value(d, e->arg[0], direct_shifted(at, tap->offset)));
    }
    return sum;
}

/* ---- between the grids ------------------------------------------------------------- */

/* Full weighting: 1/4, 1/2, 1/4 along each axis about point 2*I of the grid. */
static estimate restriction(direct *d, const expr *e, direct_spot at)
{
    static const line halves = {
        .first = -1, .count = 3, .stretched = true, .own = {0.25, 0.5, 0.25}};
    line l[MAX_DIM] = {nothing, nothing, nothing};
    at.coarse--;
    for (int axis = 0; axis < d->program->dim; axis++)
        if (coarse_halves(d->program, at.coarse + 1, axis)) {
            at.at[axis] *= 2;
            l[axis] = halves;
        }
    return along_all(d, e, at, l);
}

/* The mean of the two nearest coarse points along each axis. On coinciding points the two
 * are the same. */
static estimate interpolation(direct *d, const expr *e, direct_spot at)
{
    const int corners = 1 << d->program->dim;
    const estimate weight = estimate_exact(1 / (long double)corners);
    estimate sum = estimate_exact(0);
    for (int n = 0; n < corners; n++) {
        direct_spot there = at;
        there.coarse++;
        for (int axis = 0; axis < d->program->dim; axis++)
            if (coarse_halves(d->program, there.coarse, axis))
                there.at[axis] = int_floor_half(at.at[axis] + (n >> axis & 1));
        sum = add_term(d, sum, weight, direct_value(d, e->arg[0], there));
    }
    return sum;
}

/* ---- reductions -------------------------------------------------------------------- */

static estimate gather(const rounding *r, reduction_kind kind, estimate sum,
                       estimate value)
{
    const estimate pair[] = {sum, value};
    switch (kind) {
    case REDUCTION_MIN: return estimate_call(r, FUNCTION_MIN, pair);
    case REDUCTION_MAX: return estimate_call(r, FUNCTION_MAX, pair);
    case REDUCTION_SUM: return estimate_op(r, OP_ADD, sum, value);
    default: return estimate_op(r, OP_ADD, sum, estimate_op(r, OP_MUL, value, value));
    }
}

static estimate over_points(direct *d, const expr *e, direct_spot at)
{
    const unsigned grids = grids_of(e->arg[0], at.frame);
    const int coarse = grids ? __builtin_ctz(grids) : 0;
    const rounding *r = &d->rounding;
    estimate sum = {0};
    int64_t n[MAX_DIM], p[MAX_DIM] = {-1, 0, 0}, count = 0;
    for (int axis = 0; axis < MAX_DIM; axis++)
        n[axis] = coarse_extent(d->program, coarse, axis);
    while (next_point(NULL, n, p)) {
        direct_spot here = direct_here(d, coarse, p);
        here.frame = at.frame;
        here.step = at.step;
        const estimate value = direct_value(d, e->arg[0], here);
        const bool first = count++ == 0 && e->reduction != REDUCTION_NORM;
        sum = first ? value : gather(r, e->reduction, sum, value);
    }
    return e->reduction == REDUCTION_NORM ? estimate_call(r, FUNCTION_SQRT, &sum) : sum;
}

/* A reduction is the same at every point, so it is computed once for each state of the
 * fields. */
static estimate direct_reduce(direct *d, const expr *e, direct_spot at)
{
    const uint64_t identity = at.frame ? at.frame->identity : 0;
    direct_sum *s = &d->sum[(hash_mix((uint64_t)(uintptr_t)e) + identity) % DIRECT_SUMS];
    const bool known = s->expr == e && s->identity == identity &&
                       s->moment == d->moment && s->step == at.step;
    if (!known) {
        const estimate value = over_points(d, e, at);
        *s = (direct_sum){e, identity, d->moment, at.step, value};
    }
    return s->value;
}

/* ---- expressions ------------------------------------------------------------------- */

direct_spot direct_here(const direct *d, int coarse, const int64_t *at)
{
    direct_spot s = {.coarse = coarse, .step = d->step};
    for (int axis = 0; axis < MAX_DIM; axis++)
        s.from[axis] = s.at[axis] = at ? at[axis] : 0;
    return s;
}

num direct_spacing(const direct *d, int axis, int coarse)
{
    return num_mul(num_int(1 << coarse_shift(d->program, coarse, axis)),
                   axis < d->program->dim ? d->program->axis[axis].step : num_int(1));
}

/* ---- leaves ------------------------------------------------------------------------ */

static estimate coordinate(direct *d, int axis, direct_spot at)
{
    const rounding *r = &d->rounding;
    if (axis >= d->program->dim)
        return estimate_exact(0);
    const int64_t i = at.at[axis] + at.moved[axis];
    if (axis_stretched(d->program, axis))
        return estimate_of(r,
                           (long double)axis_coordinate(d->program, axis, at.coarse, i));
    const axis_grid *g = &d->program->axis[axis];
    const estimate index = estimate_of(
        r, (long double)i * (1 << coarse_shift(d->program, at.coarse, axis)));
    const estimate way = estimate_op(r, OP_MUL, index, estimate_num(r, g->span));
    return estimate_op(r, OP_ADD, estimate_num(r, g->origin),
                       estimate_op(r, OP_DIV, way, estimate_num(r, g->over)));
}

static estimate time_of(direct *d, direct_spot at)
{
    const estimate step = estimate_of(&d->rounding, (long double)at.step);
    const symbol *dt = d->program->dt;
    if (!dt)
        return step;
    if (dt->kind == SYMBOL_PARAM || d->step == 0)
        return estimate_op(&d->rounding, OP_MUL, step, direct_number(d, dt));
    const estimate steps = estimate_of(&d->rounding, (long double)(at.step - d->step));
    return estimate_op(&d->rounding, OP_ADD, d->time,
                       estimate_op(&d->rounding, OP_MUL, steps, direct_number(d, dt)));
}

static estimate builtin(direct *d, builtin_kind b, direct_spot at)
{
    const rounding *r = &d->rounding;
    const program *p = d->program;
    const int axis = b <= BUILTIN_Z    ? (int)b - BUILTIN_X
                     : b == BUILTIN_H  ? 0
                     : b <= BUILTIN_HZ ? (int)b - BUILTIN_HX
                     : b <= BUILTIN_NZ ? (int)b - BUILTIN_NX
                                       : (int)b - BUILTIN_IX;
    switch (b) {
    case BUILTIN_X:
    case BUILTIN_Y:
    case BUILTIN_Z: return coordinate(d, axis, at);
    case BUILTIN_HX:
    case BUILTIN_HY:
    case BUILTIN_HZ:
        if (axis_stretched(p, axis))
            return estimate_of(r, (long double)axis_width(p, axis, at.coarse,
                                                          at.at[axis] + at.moved[axis]));
        return estimate_num(r, direct_spacing(d, axis, at.coarse));
    case BUILTIN_H: return estimate_num(r, direct_spacing(d, 0, at.coarse));
    case BUILTIN_NX:
    case BUILTIN_NY:
    case BUILTIN_NZ:
        return estimate_of(r, axis < p->dim ? (long double)p->axis[axis].points : 1);
    case BUILTIN_T: return time_of(d, at);
    case BUILTIN_STEP: return estimate_of(r, (long double)at.step);
    case BUILTIN_IX:
    case BUILTIN_IY:
    case BUILTIN_IZ:
        return estimate_of(
            r, (long double)((at.at[axis] + at.moved[axis]) *
                             (INT64_C(1) << coarse_shift(p, at.coarse, axis))));
    default: return estimate_of(r, 3.14159265358979323846264338L);
    }
}

/* True if a new value of an operation along an axis would lie before its line. A line has
 * the points that its equation computes. */
static bool is_before_line(const direct *d, const direct_field *f, const int64_t *there)
{
    const statement *s = d->line;
    if (!s || (f->symbol != s->symbol && !f->symbol->line_of))
        return false;
    const int axis = (s->along > 0 ? s->along : -s->along) - 1, side = s->along < 0;
    const direct_field *covered = direct_of(d, s->symbol->line_of ? s->symbol->line_of
                                                                  : s->symbol);
    const bool face = gives_face(covered->face[axis][side].kind);
    return side ? there[axis] > f->extent[axis] - 1 - face : there[axis] < face;
}

/* The value at a point, and damped: older levels of an equation. */
static estimate damped(direct *d, const direct_field *f, int level, const int64_t *there,
                       direct_spot at)
{
    estimate value = direct_read(d, f, level, there);
    for (int k = 0; k < -level && at.absorbs && direct_is_damped(d, f); k++)
        value = estimate_op(&d->rounding, OP_MUL, value, direct_damping(d, f, there));
    return value;
}

/* True if an equation reads a neighbour. *state: its state in insulated masks. Beyond a
 * face it is the state of the copied point, or of the face. */
static bool finds_mask(const direct_field *f, const int64_t *there, direct_spot at,
                       int *state)
{
    bool away = false;
    int64_t image[MAX_DIM];
    if (!at.absorbs || !f->owned)
        return false;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t n = f->extent[axis];
        away = away || there[axis] != at.from[axis];
        image[axis] = there[axis];
        while (image[axis] < 0 || image[axis] >= n) {
            const int side = image[axis] >= n;
            const border_kind kind = f->face[axis][side].kind;
            image[axis] = direct_copied(kind == BORDER_VALUE || kind == BORDER_BEYOND ||
                                                kind == BORDER_NONE
                                            ? BORDER_CLAMP
                                            : kind,
                                        n, side, image[axis]);
        }
    }
    *state = f->owned[direct_index(f, image)];
    return away;
}

/* Reads a field. A coarse equation reads the next finer grid at 2*I + the offset. */
static estimate field(direct *d, const expr *e, direct_spot at)
{
    const direct_field *f = direct_of(d, e->symbol);
    const int level = e->symbol->updated ? e->level + at.level : 0;
    int64_t there[MAX_DIM];
    int state = 0;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const bool twice = at.coarse > e->symbol->coarse &&
                           coarse_halves(d->program, at.coarse, axis);
        there[axis] = at.at[axis] + (twice ? at.from[axis] : 0);
    }
    if (level == 1 && is_before_line(d, f, there)) {
        direct_spot here = direct_here(d, at.coarse, at.from);
        here.absorbs = at.absorbs;
        return direct_value(d, d->line->edge, here);
    }
    estimate value = damped(d, f, level, there, at);
    if (e->symbol->coarse || at.coarse || !finds_mask(f, there, at, &state) ||
        !(state & (DIRECT_CLOSED | DIRECT_MAYBE_CLOSED)))
        return value;
    const estimate own = damped(d, f, level, at.from, at);
    if (state & DIRECT_CLOSED)
        return own;
    value.e += own.e + fabsl(value.v - own.v);
    return value;
}

/* ---- symbols ----------------------------------------------------------------------- */

static estimate within(direct *d, const expr *e, const direct_frame *frame,
                       direct_spot at)
{
    at.frame = frame;
    return direct_value(d, e, at);
}

static const expr *measured(const direct *d, const symbol *measure)
{
    EACH_STATEMENT(s, d->program)
        if (s->kind == STATEMENT_MEASURE && s->symbol == measure)
            return s->value;
    return NULL;
}

static estimate symbol_value(direct *d, const expr *e, direct_spot at)
{
    const symbol *s = e->symbol;
    switch (s->kind) {
    case SYMBOL_FIELD: return field(d, e, at);
    case SYMBOL_PARAM: return direct_number(d, s);
    case SYMBOL_SCALAR:
        return e->level > 0 || at.level > 0 ? d->next[s->index] : direct_number(d, s);
    case SYMBOL_LET: return within(d, s->value, NULL, at);
    case SYMBOL_ARGUMENT:
        assert(at.frame); /* arguments stand in lets alone */
        return within(d, at.frame->apply->arg[s->index], at.frame->outer, at);
    case SYMBOL_MEASURE: return within(d, measured(d, s), NULL, at);
    default:
        d->status = FAIL(PAV_EINTERNAL, "%s has no value to evaluate directly", s->name);
        return estimate_exact(0);
    }
}

/* ---- functions --------------------------------------------------------------------- */

static estimate call(direct *d, const expr *e, direct_spot at)
{
    estimate arg[2] = {{0}};
    if (function_draws(e->function)) {
        /* Evaluates a random number. Its seed is a double computed by the run; if the
         * last bit of the seed is uncertain, so is the number. */
        const estimate seed = direct_value(d, e->arg[0], at);
        const bool literal = e->arg[0]->kind == EXPR_NUMBER;
        const double as = literal ? num_f64(e->arg[0]->number) : (double)seed.v;
        if (e->function == FUNCTION_UNIFORM) {
            const double key = as * 0x1p32 + (at.starts ? -1 : (double)at.step);
            return estimate_of(
                &d->rounding,
                (long double)philox_at(double_bits(key), at.at[0], at.at[1], at.at[2],
                                       d->program->real == PAV_F32 ? 24 : 53));
        }
        if (seed.e > 0 && !literal)
            return (estimate){0.5L, 1, 0.5L};
        return estimate_of(&d->rounding, (long double)random_at(double_bits(as), at.at[0],
                                                                at.at[1], at.at[2]));
    }
    if (e->function == FUNCTION_WHERE) {
        const verdict c = direct_condition(d, e->arg[0], at);
        for (int k = 0; k < 2; k++)
            if (c.doubtful || c.holds == (k == 0))
                arg[k] = direct_value(d, e->arg[1 + k], at);
        return estimate_choose(c, arg[0], arg[1]);
    }
    for (int k = 0; k < e->count && k < 2; k++)
        arg[k] = direct_value(d, e->arg[k], at);
    return estimate_call(&d->rounding, e->function, arg);
}

/* ---- conditions -------------------------------------------------------------------- */

/* a != 0 */
static verdict estimate_test(estimate a)
{
    return estimate_compare(OP_NE, a, estimate_exact(0));
}

verdict direct_condition(direct *d, const expr *e, direct_spot at)
{
    if (e->kind == EXPR_UNARY && e->op == OP_NOT)
        return verdict_not(direct_condition(d, e->arg[0], at));
    if (e->kind != EXPR_BINARY || e->op < OP_LT)
        return estimate_test(direct_value(d, e, at));
    if (e->op == OP_AND || e->op == OP_OR)
        return verdict_both(e->op, direct_condition(d, e->arg[0], at),
                            direct_condition(d, e->arg[1], at));
    return estimate_compare(e->op, direct_value(d, e->arg[0], at),
                            direct_value(d, e->arg[1], at));
}

/* ---- dispatch ---------------------------------------------------------------------- */

static estimate apply(direct *d, const expr *e, direct_spot at)
{
    const uint64_t identity = ((at.frame ? at.frame->identity : 0) ^
                               (uint64_t)(uintptr_t)e) *
                              UINT64_C(0x9e3779b97f4a7c15);
    return within(d, e->symbol->value, &(direct_frame){e, at.frame, identity}, at);
}

estimate direct_value(direct *d, const expr *e, direct_spot at)
{
    estimate a;
    switch (e->kind) {
    case EXPR_NUMBER: return estimate_num(&d->rounding, e->number);
    case EXPR_BUILTIN: return builtin(d, e->builtin, at);
    case EXPR_SYMBOL: return symbol_value(d, e, at);
    case EXPR_SHIFT: return direct_value(d, e->arg[0], direct_shifted(at, e->offset));
    case EXPR_UNARY:
    case EXPR_BINARY:
        if (e->op == OP_NOT || (e->kind == EXPR_BINARY && e->op >= OP_LT))
            return estimate_truth(direct_condition(d, e, at));
        a = direct_value(d, e->arg[0], at);
        return e->kind == EXPR_UNARY
                   ? estimate_neg(a)
                   : estimate_op(&d->rounding, e->op, a, direct_value(d, e->arg[1], at));
    case EXPR_CALL: return call(d, e, at);
    case EXPR_APPLY: return apply(d, e, at);
    case EXPR_STENCIL: return stencil(d, e, at);
    case EXPR_DERIVE: return derive(d, e, at);
    case EXPR_LAPLACE: return laplace(d, e, at);
    case EXPR_TRANSFER:
        return e->transfer == TRANSFER_RESTRICT ? restriction(d, e, at)
                                                : interpolation(d, e, at);
    default: return direct_reduce(d, e, at);
    }
}
