/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates an expression at one point, by recursion over its tree. */
#include <math.h>

#include "check/check_private.h"

direct_spot direct_here(const direct *d, int coarse, const int64_t *at)
{
    direct_spot s = {.coarse = coarse, .step = d->step};
    for (int axis = 0; axis < MAX_DIM; axis++)
        s.from[axis] = s.at[axis] = at ? at[axis] : 0;
    return s;
}

num direct_spacing(const direct *d, int axis, int coarse)
{
    const num step = axis < d->program->dim ? d->program->axis[axis].step : num_int(1);
    return num_mul(num_int(1 << coarse_shift(d->program, coarse, axis)), step);
}

/* ---- leaves ------------------------------------------------------------------------ */

static estimate coordinate(direct *d, int axis, const direct_spot *at)
{
    const rounding *r = &d->rounding;
    if (axis >= d->program->dim)
        return estimate_exact(0);
    if (axis_stretched(d->program, axis))
        return estimate_of(
            r, (long double)axis_coordinate(d->program, axis, at->coarse, at->at[axis]));
    const axis_grid *g = &d->program->axis[axis];
    const int times = 1 << coarse_shift(d->program, at->coarse, axis);
    const estimate index = estimate_of(r, (long double)at->at[axis] * times);
    const estimate way = estimate_op(r, OP_MUL, index, estimate_num(r, g->span));
    return estimate_op(r, OP_ADD, estimate_num(r, g->origin),
                       estimate_op(r, OP_DIV, way, estimate_num(r, g->over)));
}

static long double width(const direct *d, int axis, const direct_spot *at)
{
    return (long double)axis_width(d->program, axis, at->coarse, at->at[axis]);
}

static estimate time_of(direct *d, const direct_spot *at)
{
    const estimate step = estimate_of(&d->rounding, (long double)at->step);
    if (!d->program->dt)
        return step;
    return estimate_op(&d->rounding, OP_MUL, step, direct_param(d, d->program->dt));
}

static estimate builtin(direct *d, builtin_kind b, const direct_spot *at)
{
    const rounding *r = &d->rounding;
    switch (b) {
    case BUILTIN_X:
    case BUILTIN_Y:
    case BUILTIN_Z: return coordinate(d, (int)b - BUILTIN_X, at);
    case BUILTIN_H: return estimate_num(r, direct_spacing(d, 0, at->coarse));
    case BUILTIN_HX:
    case BUILTIN_HY:
    case BUILTIN_HZ:
        if (axis_stretched(d->program, (int)b - BUILTIN_HX))
            return estimate_of(r, width(d, (int)b - BUILTIN_HX, at));
        return estimate_num(r, direct_spacing(d, (int)b - BUILTIN_HX, at->coarse));
    case BUILTIN_NX:
    case BUILTIN_NY:
    case BUILTIN_NZ: {
        const int axis = (int)b - BUILTIN_NX;
        const int64_t n = axis < d->program->dim ? d->program->axis[axis].points : 1;
        return estimate_of(r, (long double)n);
    }
    case BUILTIN_T: return time_of(d, at);
    case BUILTIN_STEP: return estimate_of(r, (long double)at->step);
    default: return estimate_of(r, 3.14159265358979323846264338L);
    }
}

/* Reads a field. A coarse equation reads the next finer grid at 2*I + the offset. */
static estimate field(direct *d, const expr *e, const direct_spot *at)
{
    const direct_field *f = direct_of(d, e->symbol);
    const int level = e->symbol->updated ? e->level : 0;
    int64_t there[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const bool twice = at->coarse > e->symbol->coarse &&
                           coarse_halves(d->program, at->coarse, axis);
        there[axis] = at->at[axis] + (twice ? at->from[axis] : 0);
    }
    estimate value = direct_read(d, f, level, there);
    for (int k = 0; k < -level && at->absorbs && direct_is_damped(d, f); k++)
        value = estimate_op(&d->rounding, OP_MUL, value, direct_damping(d, f, there));
    return value;
}

/* ---- symbols ----------------------------------------------------------------------- */

static estimate within(direct *d, const expr *e, const direct_frame *frame,
                       const direct_spot *at)
{
    direct_spot there = *at;
    there.frame = frame;
    return direct_value(d, e, &there);
}

static const expr *measured(const direct *d, const symbol *measure)
{
    for (const statement *s = d->program->first; s; s = s->next)
        if (s->kind == STATEMENT_MEASURE && s->symbol == measure)
            return s->value;
    return NULL;
}

static estimate symbol_value(direct *d, const expr *e, const direct_spot *at)
{
    const symbol *s = e->symbol;
    switch (s->kind) {
    case SYMBOL_FIELD: return field(d, e, at);
    case SYMBOL_PARAM: return direct_param(d, s);
    case SYMBOL_SCALAR: return estimate_num(&d->rounding, s->number);
    case SYMBOL_LET: return within(d, s->value, NULL, at);
    case SYMBOL_ARGUMENT:
        return within(d, at->frame->apply->arg[s->index], at->frame->outer, at);
    case SYMBOL_MEASURE: return within(d, measured(d, s), NULL, at);
    default:
        d->status = FAIL(PAV_EINTERNAL, "%s has no value to evaluate directly", s->name);
        return estimate_exact(0);
    }
}

static estimate apply(direct *d, const expr *e, const direct_spot *at)
{
    const uint64_t outer = at->frame ? at->frame->identity : 0;
    const uint64_t identity = (outer ^ (uint64_t)(uintptr_t)e) *
                              UINT64_C(0x9e3779b97f4a7c15);
    const direct_frame frame = {e, at->frame, identity};
    return within(d, e->symbol->value, &frame, at);
}

/* ---- functions --------------------------------------------------------------------- */

/* Evaluates a random number. Its seed is a double computed by the run; if the last bit of
 * the seed is uncertain, so is the number. */
static estimate at_random(direct *d, const expr *e, const direct_spot *at)
{
    const estimate seed = direct_value(d, e->arg[0], at);
    const bool literal = e->arg[0]->kind == EXPR_NUMBER;
    const union {
        double value;
        uint64_t bits;
    } as = {.value = literal ? num_f64(e->arg[0]->number) : (double)seed.v};
    if (seed.e > 0 && !literal)
        return (estimate){0.5L, 1, 0.5L};
    const double value = random_at(as.bits, at->at[0], at->at[1], at->at[2]);
    return estimate_of(&d->rounding, (long double)value);
}

static estimate where_chosen(direct *d, const expr *e, const direct_spot *at)
{
    const verdict c = direct_condition(d, e->arg[0], at);
    estimate yes = {0}, no = {0};
    if (c.holds || c.doubtful)
        yes = direct_value(d, e->arg[1], at);
    if (!c.holds || c.doubtful)
        no = direct_value(d, e->arg[2], at);
    return estimate_choose(c, yes, no);
}

static estimate call(direct *d, const expr *e, const direct_spot *at)
{
    estimate arg[2] = {{0}};
    if (e->function == FUNCTION_WHERE)
        return where_chosen(d, e, at);
    if (e->function == FUNCTION_RANDOM)
        return at_random(d, e, at);
    for (int k = 0; k < e->count && k < 2; k++)
        arg[k] = direct_value(d, e->arg[k], at);
    return estimate_call(&d->rounding, e->function, arg);
}

/* ---- conditions -------------------------------------------------------------------- */

static verdict condition_of_binary(direct *d, const expr *e, const direct_spot *at)
{
    if (e->op == OP_AND || e->op == OP_OR)
        return verdict_both(e->op, direct_condition(d, e->arg[0], at),
                            direct_condition(d, e->arg[1], at));
    return estimate_compare(e->op, direct_value(d, e->arg[0], at),
                            direct_value(d, e->arg[1], at));
}

verdict direct_condition(direct *d, const expr *e, const direct_spot *at)
{
    if (e->kind == EXPR_BINARY && e->op >= OP_LT)
        return condition_of_binary(d, e, at);
    if (e->kind == EXPR_UNARY && e->op == OP_NOT)
        return verdict_not(direct_condition(d, e->arg[0], at));
    return estimate_test(direct_value(d, e, at));
}

/* ---- dispatch ---------------------------------------------------------------------- */

static estimate operate(direct *d, const expr *e, const direct_spot *at)
{
    if (e->op == OP_NOT || (e->kind == EXPR_BINARY && e->op >= OP_LT))
        return estimate_truth(direct_condition(d, e, at));
    const estimate a = direct_value(d, e->arg[0], at);
    if (e->kind == EXPR_UNARY)
        return estimate_neg(a);
    return estimate_op(&d->rounding, e->op, a, direct_value(d, e->arg[1], at));
}

static estimate shifted(direct *d, const expr *e, const direct_spot *at)
{
    const direct_spot there = direct_shifted(at, e->offset);
    return direct_value(d, e->arg[0], &there);
}

estimate direct_value(direct *d, const expr *e, const direct_spot *at)
{
    switch (e->kind) {
    case EXPR_NUMBER: return estimate_num(&d->rounding, e->number);
    case EXPR_BUILTIN: return builtin(d, e->builtin, at);
    case EXPR_SYMBOL: return symbol_value(d, e, at);
    case EXPR_SHIFT: return shifted(d, e, at);
    case EXPR_UNARY:
    case EXPR_BINARY: return operate(d, e, at);
    case EXPR_CALL: return call(d, e, at);
    case EXPR_APPLY: return apply(d, e, at);
    case EXPR_STENCIL:
    case EXPR_DERIVE:
    case EXPR_LAPLACE: return direct_weighted(d, e, at);
    case EXPR_TRANSFER: return direct_transfer(d, e, at);
    default: return direct_reduce(d, e, at);
    }
}
