/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over neighbours: derivatives, stencils, restriction, interpolation, reductions.
 * Weights come from the exact tables of lang, but the sums are written independently. */
#include <math.h>

#include "check/check_private.h"

direct_spot direct_shifted(const direct_spot *at, const int *offset)
{
    direct_spot there = *at;
    for (int axis = 0; axis < MAX_DIM; axis++)
        there.at[axis] += offset[axis];
    return there;
}

static estimate add_term(direct *d, estimate sum, estimate weight, estimate value)
{
    return estimate_op(&d->rounding, OP_ADD, sum,
                       estimate_op(&d->rounding, OP_MUL, weight, value));
}

/* ---- which grid -------------------------------------------------------------------- */

static unsigned grids_of(const expr *e, const direct_frame *frame);

static unsigned grids_of_symbol(const expr *e, const direct_frame *frame)
{
    const symbol *s = e->symbol;
    if (s->kind == SYMBOL_FIELD)
        return 1u << s->coarse;
    if (s->kind == SYMBOL_LET)
        return grids_of(s->value, NULL);
    if (s->kind == SYMBOL_ARGUMENT && frame)
        return grids_of(frame->apply->arg[s->index], frame->outer);
    return 0;
}

static unsigned grids_of(const expr *e, const direct_frame *frame)
{
    const direct_frame inner = {e, frame, 0};
    unsigned grids = 0;
    if (e->kind == EXPR_SYMBOL)
        return grids_of_symbol(e, frame);
    if (e->kind == EXPR_REDUCE)
        return 0;
    if (e->kind == EXPR_APPLY)
        return grids_of(e->symbol->value, &inner);
    for (int k = 0; e->kind == EXPR_STENCIL && k < e->symbol->taps; k++)
        grids |= grids_of(e->symbol->tap[k].weight, NULL);
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

/* Returns the weight table of a kind of derivative, computed at first use. */
static const direct_weights *weights_of(direct *d, int m, int order, int half)
{
    direct_weights *w = d->weights;
    for (; w; w = w->next)
        if (w->m == m && w->order == order && w->half == half)
            return w;
    w = mem_new(1, sizeof *w);
    if (!w) {
        d->status = PAV_ENOMEM;
        return NULL;
    }
    *w = (direct_weights){.next = d->weights, .m = m, .order = order, .half = half};
    d->weights = w;
    if (!difference_weights(m, order, half, w->weight, &w->first, &w->count))
        d->status = FAIL(PAV_ELIMIT, "derivative %d of order %d has no exact weights", m,
                         order);
    return w;
}

static line stretched_line(const direct *d, const expr *e, int axis,
                           const direct_spot *at)
{
    const int m = e->derivative[axis], half = e->half[axis];
    line l = {.stretched = true};
    if (difference_taps(m, e->order, half, &l.first, &l.count))
        axis_weights(d->program, axis, at->coarse, at->at[axis], m, e->order, half,
                     l.own);
    return l;
}

static line line_along(direct *d, const expr *e, int axis, const direct_spot *at)
{
    const num spacing = direct_spacing(d, axis, at->coarse);
    const int m = e->derivative[axis];
    if (m == 0 && e->half[axis] == 0)
        return (line){.count = 1, .weight = &one, .scale = 1};
    if (axis_stretched(d->program, axis))
        return stretched_line(d, e, axis, at);
    const direct_weights *w = weights_of(d, m, e->order, e->half[axis]);
    if (!w)
        return (line){0};
    const long double h = (long double)spacing.v;
    return (line){.first = w->first,
                  .count = w->count,
                  .weight = w->weight,
                  .scale = powl(h, (long double)m)};
}

static long double weight_at(const line *l, int k)
{
    return l->stretched ? (long double)l->own[k] : extended(l->weight[k]) / l->scale;
}

static estimate along_all(direct *d, const expr *e, const direct_spot *at, const line *l)
{
    estimate sum = estimate_exact(0);
    for (int k = 0; k < l[2].count; k++)
        for (int j = 0; j < l[1].count; j++)
            for (int i = 0; i < l[0].count; i++) {
                const int offset[] = {l[0].first + i, l[1].first + j, l[2].first + k};
                const long double w = weight_at(&l[0], i) * weight_at(&l[1], j) *
                                      weight_at(&l[2], k);
                const direct_spot there = direct_shifted(at, offset);
                if (w != 0)
                    sum = add_term(d, sum, estimate_of(&d->rounding, w),
                                   direct_value(d, e->arg[0], &there));
            }
    return sum;
}

static estimate derive(direct *d, const expr *e, const direct_spot *at)
{
    line l[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        l[axis] = line_along(d, e, axis, at);
    return along_all(d, e, at, l);
}

static estimate laplace(direct *d, const expr *e, const direct_spot *at)
{
    estimate sum = estimate_exact(0);
    for (int axis = 0; axis < d->program->dim; axis++) {
        expr second = *e;
        second.kind = EXPR_DERIVE;
        for (int a = 0; a < MAX_DIM; a++) {
            second.derivative[a] = a == axis ? 2 : 0;
            second.half[a] = 0;
        }
        sum = estimate_op(&d->rounding, OP_ADD, sum, derive(d, &second, at));
    }
    return sum;
}

/* ---- stencils ---------------------------------------------------------------------- */

/* Evaluates a stencil. Weights are evaluated at the centre and do not see arguments of
 * lets. */
static estimate stencil(direct *d, const expr *e, const direct_spot *at)
{
    direct_spot centre = *at;
    estimate sum = estimate_exact(0);
    centre.frame = NULL;
    for (int k = 0; k < e->symbol->taps; k++) {
        const stencil_tap *tap = &e->symbol->tap[k];
        const direct_spot there = direct_shifted(at, tap->offset);
        sum = add_term(d, sum, direct_value(d, tap->weight, &centre),
                       direct_value(d, e->arg[0], &there));
    }
    return sum;
}

estimate direct_weighted(direct *d, const expr *e, const direct_spot *at)
{
    if (e->kind == EXPR_STENCIL)
        return stencil(d, e, at);
    return e->kind == EXPR_LAPLACE ? laplace(d, e, at) : derive(d, e, at);
}

/* ---- between the grids ------------------------------------------------------------- */

static int64_t half_below(int64_t n)
{
    return n >= 0 ? n / 2 : -((1 - n) / 2);
}

/* Full weighting: 1/4, 1/2, 1/4 along each axis about point 2*I of the grid. */
static estimate restriction(direct *d, const expr *e, const direct_spot *at)
{
    const int dim = d->program->dim;
    estimate sum = estimate_exact(0);
    for (int n = 0; n < 27; n++) {
        const int offset[] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        direct_spot there = *at;
        long double weight = 1;
        there.coarse--;
        for (int axis = 0; axis < MAX_DIM; axis++) {
            const bool halved = axis < dim && coarse_halves(d->program, at->coarse, axis);
            there.at[axis] = (halved ? 2 : 1) * at->at[axis] + offset[axis];
            weight *= halved ? (offset[axis] ? 0.25L : 0.5L) : (offset[axis] ? 0 : 1);
        }
        if (weight > 0)
            sum = add_term(d, sum, estimate_exact(weight),
                           direct_value(d, e->arg[0], &there));
    }
    return sum;
}

/* The mean of the two nearest coarse points along each axis. On coinciding points the two
 * are the same. */
static estimate interpolation(direct *d, const expr *e, const direct_spot *at)
{
    const int corners = 1 << d->program->dim;
    const estimate weight = estimate_exact(1 / (long double)corners);
    estimate sum = estimate_exact(0);
    for (int n = 0; n < corners; n++) {
        direct_spot there = *at;
        there.coarse++;
        for (int axis = 0; axis < d->program->dim; axis++)
            if (coarse_halves(d->program, there.coarse, axis))
                there.at[axis] = half_below(at->at[axis] + (n >> axis & 1));
        sum = add_term(d, sum, weight, direct_value(d, e->arg[0], &there));
    }
    return sum;
}

estimate direct_transfer(direct *d, const expr *e, const direct_spot *at)
{
    return e->transfer == TRANSFER_RESTRICT ? restriction(d, e, at)
                                            : interpolation(d, e, at);
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

static estimate over_points(direct *d, const expr *e, const direct_spot *at)
{
    const unsigned grids = grids_of(e->arg[0], at->frame);
    const int coarse = grids ? __builtin_ctz(grids) : 0;
    const rounding *r = &d->rounding;
    estimate sum = {0};
    int64_t n[MAX_DIM], p[MAX_DIM], count = 0;
    for (int axis = 0; axis < MAX_DIM; axis++)
        n[axis] = coarse_extent(d->program, coarse, axis);
    for (p[2] = 0; p[2] < n[2]; p[2]++)
        for (p[1] = 0; p[1] < n[1]; p[1]++)
            for (p[0] = 0; p[0] < n[0]; p[0]++) {
                direct_spot here = direct_here(d, coarse, p);
                here.frame = at->frame;
                here.step = at->step;
                const estimate value = direct_value(d, e->arg[0], &here);
                const bool first = count++ == 0 && e->reduction != REDUCTION_NORM;
                sum = first ? value : gather(r, e->reduction, sum, value);
            }
    return e->reduction == REDUCTION_NORM ? estimate_call(r, FUNCTION_SQRT, &sum) : sum;
}

/* A reduction is the same at every point, so it is computed once for each state of the
 * fields. */
estimate direct_reduce(direct *d, const expr *e, const direct_spot *at)
{
    const uint64_t identity = at->frame ? at->frame->identity : 0;
    const uint64_t key = hash_mix((uint64_t)(uintptr_t)e) + identity;
    direct_sum *s = &d->sum[key % DIRECT_SUMS];
    const bool known = s->expr == e && s->identity == identity &&
                       s->moment == d->moment && s->step == at->step;
    if (!known) {
        const estimate value = over_points(d, e, at);
        *s = (direct_sum){e, identity, d->moment, at->step, value};
    }
    return s->value;
}
