/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowers expressions to nodes, as written: every operation of the tree becomes a node of
 * the innermost draft. An expression is lowered once for every spot with a use of it. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "plan/plan_private.h"

static int lower_any(lowering *l, const expr *e, const spot *at);

/* ---- arguments of lets ------------------------------------------------------------- */

/* Scopes hold the values of a let's arguments. Equal scopes are stored once, so that a
 * memo may compare pointers. */
static const scope *find_scope(lowering *l, const expr *apply, const scope *outer)
{
    const spot key = {.scope = outer};
    const int known = memo_get(&l->scopes, apply, &key);

    if (known >= 0)
        return l->scope[known];
    scope *s = arena_alloc(l->arena, 1, sizeof *s);
    *s = (scope){.apply = apply, .outer = outer};
    ARENA_ADD(l->arena, l->scope, l->scope_count, l->scope_capacity) = s;
    memo_put(l, &l->scopes, apply, &key, (int)l->scope_count - 1);
    return s;
}

/* The expression for an argument, and (in *in) its scope. */
static const expr *find_argument(lowering *l, const expr *argument, const scope **in)
{
    const scope *s = *in;
    const int index = argument->symbol->index;

    if (!s || index < 0 || index >= s->apply->count)
        lower_fail(l, PAV_EINTERNAL, "argument %s has no value here",
                   argument->symbol->name);
    *in = s->outer;
    return s->apply->arg[index];
}

/* ---- leaves ------------------------------------------------------------------------ */

static int lower_spacing(lowering *l, int axis, const spot *at)
{
    return axis_stretched(l->program, axis)
               ? lower_place(l, METRIC_WIDTH, axis, at)
               : lower_const(l, spacing_along(l->code, axis, at->coarse));
}

/* The index on the finest grid. */
static int lower_fine_index(lowering *l, int axis, const spot *at)
{
    const int shift = coarse_shift(l->program, at->coarse, axis);
    const int index = axis < l->code->dim ? lower_index(l, axis, at)
                                          : lower_const(l, num_int(0));

    return shift ? lower_op(l, IR_MUL, lower_const(l, num_int(1 << shift)), index)
                 : index;
}

static int lower_builtin(lowering *l, const expr *e, const spot *at)
{
    switch (e->builtin) {
    case BUILTIN_X:
    case BUILTIN_Y:
    case BUILTIN_Z: return lower_coordinate(l, (int)e->builtin - BUILTIN_X, at);
    case BUILTIN_H:
        for (int axis = 1; axis < l->code->dim; axis++)
            if (coarse_shift(l->program, at->coarse, axis) !=
                coarse_shift(l->program, at->coarse, 0))
                lower_fail(
                    l, PAV_ESYNTAX,
                    "'h' is one spacing, and on coarse %d that along %c differs from "
                    "that along x; write hx, hy, hz",
                    at->coarse, axis_letter(l->program, axis));
        return lower_spacing(l, 0, at);
    case BUILTIN_HX:
    case BUILTIN_HY:
    case BUILTIN_HZ: return lower_spacing(l, (int)e->builtin - BUILTIN_HX, at);
    case BUILTIN_NX:
    case BUILTIN_NY:
    case BUILTIN_NZ:
        return lower_const(
            l, num_int(points_along(l->code, (int)e->builtin - BUILTIN_NX, false)));
    case BUILTIN_T: return build_uniform(&l->draft->build, l->code->uniform_t);
    case BUILTIN_STEP: return build_uniform(&l->draft->build, l->code->uniform_step);
    case BUILTIN_IX:
    case BUILTIN_IY:
    case BUILTIN_IZ: return lower_fine_index(l, (int)e->builtin - BUILTIN_IX, at);
    default: return lower_const(l, num_double(PI));
    }
}

static const expr *measured(lowering *l, const symbol *measure)
{
    EACH_STATEMENT(s, l->program)
        if (s->kind == STATEMENT_MEASURE && s->symbol == measure)
            return s->value;
    lower_fail(l, PAV_EINTERNAL, "measure %s has no value", measure->name);
}

static int lower_in(lowering *l, const expr *e, const scope *in, const spot *at)
{
    spot there = *at;

    there.scope = in;
    return lower_any(l, e, &there);
}

static int lower_symbol(lowering *l, const expr *e, const spot *at)
{
    const symbol *s = e->symbol;
    const scope *in = at->scope;

    switch (s->kind) {
    case SYMBOL_FIELD: return lower_load(l, s->index, e->level, at);
    case SYMBOL_PARAM:
        return s->constant ? lower_const(l, s->number)
                           : build_uniform(&l->draft->build, l->param_slot[s->index]);
    case SYMBOL_SCALAR: {
        const int slot = l->scalar_slot[s->index], next = l->code->uniform[slot].next;
        /* a border is filled after the equation of the scalar (check/whole.c) */
        const bool after = e->level > 0 || (next && l->draft->use == DRAFT_BORDER);
        return build_uniform(&l->draft->build, after ? next : slot);
    }
    case SYMBOL_LET: return lower_in(l, s->value, NULL, at);
    case SYMBOL_ARGUMENT: {
        const expr *value = find_argument(l, e, &in);
        return lower_in(l, value, in, at);
    }
    case SYMBOL_MEASURE: return lower_in(l, measured(l, s), NULL, at);
    default: lower_fail(l, PAV_EINTERNAL, "%s has no value", s->name);
    }
}

/* ---- operations -------------------------------------------------------------------- */

static bool is_arithmetic(const expr *e)
{
    return e->kind == EXPR_BINARY && e->op <= OP_DIV;
}

/* Long sums and products nest to the left, so a loop follows the left arguments instead
 * of a recursion. */
static int lower_terms(lowering *l, const expr *e, const spot *at)
{
    static const ir_op of[] = {
        [OP_ADD] = IR_ADD, [OP_SUB] = IR_SUB, [OP_MUL] = IR_MUL, [OP_DIV] = IR_DIV};
    int64_t count = 0;

    for (const expr *sum = e; is_arithmetic(sum); sum = sum->arg[0])
        count++;
    const expr **spine = arena_alloc(l->arena, count, sizeof *spine);
    for (int64_t k = 0; k < count; k++, e = e->arg[0])
        spine[k] = e;
    int value = lower_number(l, e, at);
    while (count-- > 0)
        value = lower_op(l, of[spine[count]->op], value,
                         lower_number(l, spine[count]->arg[1], at));
    return value;
}

/* A sum of whole multiples of indices and numbers: is the multiple along an axis odd, and
 * the rest? False: the node is another expression, or depends on other things. */
static bool find_parity(const ir_stage *s, int node, num sum[MAX_DIM + 1])
{
    const ir_node *n = &s->node[node];
    num b[MAX_DIM + 1];

    for (int k = 0; k <= MAX_DIM; k++)
        sum[k] = b[k] = num_int(0);
    if (n->op == IR_INDEX)
        sum[n->axis] = num_int(1);
    if (n->op == IR_CONST)
        sum[MAX_DIM] = n->value;
    if (n->op == IR_INDEX || n->op == IR_CONST)
        return true;
    if (n->op != IR_ADD && n->op != IR_SUB && n->op != IR_MUL && n->op != IR_DIV)
        return false;
    bool known = find_parity(s, n->arg[0], sum) && find_parity(s, n->arg[1], b);
    const bool first = s->node[n->arg[0]].op == IR_CONST, product = n->op == IR_MUL;
    const num factor = first && product ? sum[MAX_DIM] : b[MAX_DIM];
    if (product || n->op == IR_DIV)
        known &= s->node[n->arg[first && product ? 0 : 1]].op == IR_CONST;
    for (int k = 0; k <= MAX_DIM; k++)
        sum[k] = num_operate(n->op, first && product ? b[k] : sum[k],
                             product || n->op == IR_DIV ? factor : b[k]);
    return known;
}

/* sum % 2 == 0 or 1 for a sum of indices: EVEN of the indices that count; or -1. */
static int lower_even(lowering *l, int a, int b)
{
    const ir_stage *s = &l->draft->stage;
    const ir_node *mod = &s->node[a], *is = &s->node[b];
    num sum[MAX_DIM + 1];
    int64_t most = 1 << FLT_MANT_DIG; /* an f32 holds the sum of indices */
    int indices = -1;

    if (mod->op != IR_MOD || is->op != IR_CONST || s->node[mod->arg[1]].op != IR_CONST ||
        num_f64(s->node[mod->arg[1]].value) != 2 || !find_parity(s, mod->arg[0], sum))
        return -1;
    bool odd = num_f64(is->value) == 1, whole = odd || num_is_zero(is->value);
    for (int k = 0; k <= MAX_DIM; k++)
        whole = whole && sum[k].exact && sum[k].q == 1;
    for (int axis = 0; whole && axis < l->code->dim; axis++) {
        ir_node n = node_blank(IR_INDEX);
        n.axis = axis;
        if (sum[axis].p % 2 == 0)
            continue;
        most -= points_along(l->code, axis, s->coarse);
        const int index = build_node(&l->draft->build, &n);
        indices = indices < 0 ? index : lower_op(l, IR_ADD, indices, index);
    }
    if (indices < 0 || most < 0)
        return -1;
    odd ^= sum[MAX_DIM].p % 2 != 0;
    indices = lower_op(l, IR_EVEN, indices, -1);
    return odd ? lower_op(l, IR_NOT, indices, -1) : indices;
}

static int lower_binary(lowering *l, const expr *e, const spot *at)
{
    static const ir_op of[] = {
        [OP_POW] = IR_POW, [OP_LT] = IR_LT,   [OP_LE] = IR_LE,
        [OP_GT] = IR_LT,   [OP_GE] = IR_LE,   [OP_EQ] = IR_EQ,
        [OP_NE] = IR_NE,   [OP_AND] = IR_AND, [OP_OR] = IR_OR,
    };
    const bool logical = e->op == OP_AND || e->op == OP_OR,
               swapped = e->op == OP_GT || e->op == OP_GE;
    int (*const lower)(lowering *, const expr *, const spot *) = logical ? lower_condition
                                                                         : lower_number;

    if (is_arithmetic(e))
        return lower_terms(l, e, at);
    const int a = lower(l, e->arg[0], at), b = lower(l, e->arg[1], at);
    const int even = e->op == OP_EQ ? lower_even(l, a, b) : -1;

    return even >= 0 ? even : lower_op(l, of[e->op], swapped ? b : a, swapped ? a : b);
}

/* ---- functions: most are one node; ricker, random and where have several ----------- */

/* The wavelet (1 - 2*a)*exp(-a), a = (pi*f*(t - 1.2/f))^2. */
static int lower_ricker(lowering *l, int f, int t)
{
    const int delay = lower_op(l, IR_DIV, lower_const(l, num_ratio(6, 5)), f),
              pi_f = lower_op(l, IR_MUL, lower_const(l, num_double(PI)), f),
              phase = lower_op(l, IR_MUL, pi_f, lower_op(l, IR_SUB, t, delay)),
              a = lower_op(l, IR_MUL, phase, phase),
              twice = lower_op(l, IR_MUL, lower_const(l, num_int(2)), a),
              hat = lower_op(l, IR_SUB, lower_const(l, num_int(1)), twice),
              bell = lower_op(l, IR_EXP, lower_op(l, IR_NEG, a, -1), -1);

    return lower_op(l, IR_MUL, hat, bell);
}

/* The slot of a seed, set at the start by a separate stage; each expression has one. */
static int seed_slot(lowering *l, const expr *seed, const scope *in)
{
    const spot key = {.scope = in};
    const int known = memo_get(&l->seeds, seed, &key);

    if (known >= 0)
        return known;
    const int slot = code_add_uniform(l->code, UNIFORM_COMPUTED, NULL, 0);
    start_add_slot(l, "seed", seed, &key, slot);
    memo_put(l, &l->seeds, seed, &key, slot);
    return slot;
}

/* The slot of seed*2^32 + step, set in each step before its first use. Initial values
 * have the step -1. */
static int noise_slot(lowering *l, const expr *seed, const scope *in)
{
    const draft_use use = l->draft->use;
    const bool starts = use == DRAFT_START;
    const spot key = {.scope = in, .coarse = starts};
    const int known = memo_get(&l->seeds, seed, &key);
    ir_list *const list = l->draft->list;
    draft d = draft_new("noise", PAV_F64, 0, starts ? use : DRAFT_STEP);

    if (known >= 0)
        return known;
    if (l->program->derived && !starts)
        lower_fail(
            l, PAV_EUNSUPPORTED,
            "'uniform' is a factor of the unknown of an equation to solve: compute "
            "it in a field before");
    const int slot = code_add_uniform(l->code, UNIFORM_COMPUTED, NULL, 0);
    d.uniform = true;
    draft_open(l, &d);
    const int high = lower_op(l, IR_MUL, lower_number(l, seed, &key),
                              lower_const(l, num_int(INT64_C(1) << 32)));
    const int step = starts ? lower_const(l, num_int(-1))
                            : build_uniform(&d.build, l->code->uniform_step);
    draft_set(l, &d, lower_op(l, IR_ADD, high, step), slot);
    if (starts)
        start_add_stage(l, draft_close(l, &d), -1, 0);
    else
        list_add(l->code, list, draft_close(l, &d));
    memo_put(l, &l->seeds, seed, &key, slot);
    return slot;
}

static int lower_call(lowering *l, const expr *e, const spot *at)
{
    static const ir_op of[FUNCTION_COUNT] = {
#define OPERATION(NAME, ...) [FUNCTION_##NAME] = IR_##NAME,
        SMOOTH_FUNCTION_LIST(OPERATION) STEPWISE_FUNCTION_LIST(OPERATION)
            PAIR_FUNCTION_LIST(OPERATION)[FUNCTION_MIN] = IR_MIN,
        [FUNCTION_MAX] = IR_MAX,
        [FUNCTION_ABS] = IR_ABS,
        [FUNCTION_SQRT] = IR_SQRT,
    };

    if (e->function == FUNCTION_RANDOM)
        return lower_random(l, seed_slot(l, e->arg[0], at->scope), 0, at);
    if (e->function == FUNCTION_UNIFORM)
        return lower_random(l, noise_slot(l, e->arg[0], at->scope), 1, at);
    if (e->function == FUNCTION_WHERE) {
        const int condition = lower_condition(l, e->arg[0], at);
        const int yes = lower_number(l, e->arg[1], at),
                  no = lower_number(l, e->arg[2], at);
        return build_op(&l->draft->build, IR_SELECT, condition, yes, no);
    }
    const int a = lower_number(l, e->arg[0], at);
    const int b = e->count > 1 ? lower_number(l, e->arg[1], at) : -1;
    return e->function == FUNCTION_RICKER ? lower_ricker(l, a, b)
                                          : lower_op(l, of[e->function], a, b);
}

/* ---- reductions -------------------------------------------------------------------- */

static unsigned find_grids(lowering *l, const expr *e, const scope *in);

/* The grids of the fields in an expression: bit 0 is the grid, bit k the grid of `coarse
 * k`. A reduction runs over the points of its grid. */
static unsigned find_grids(lowering *l, const expr *e, const scope *in)
{
    const symbol *s = e->symbol;
    unsigned grids = 0;

    lower_enter(l);
    if (e->kind == EXPR_SYMBOL && s->kind == SYMBOL_FIELD) {
        grids = 1u << s->coarse;
    } else if (e->kind == EXPR_SYMBOL && s->kind == SYMBOL_ARGUMENT && in) {
        const expr *value = find_argument(l, e, &in);
        grids = find_grids(l, value, in);
    } else if (e->kind == EXPR_APPLY ||
               (e->kind == EXPR_SYMBOL && s->kind == SYMBOL_LET)) {
        unsigned *known = &l->let_grids[s->index];

        if (!*known)
            *known = 1 + find_grids(l, s->value, NULL);

        grids = *known - 1;
    }
    for (int k = 0; e->kind == EXPR_STENCIL && k < s->taps; k++)
        grids |= find_grids(l, s->tap[k].weight, NULL);
    for (int k = 0; e->kind != EXPR_SYMBOL && e->kind != EXPR_REDUCE && k < e->count; k++)
        grids |= find_grids(l, e->arg[k], in);
    lower_leave(l);
    return e->kind != EXPR_TRANSFER           ? grids
           : e->transfer == TRANSFER_RESTRICT ? grids << 1
                                              : grids >> 1;
}

static int find_in_list(const ir *code, const ir_list *list, const ir_stage *wanted)
{
    for (int64_t k = 0; list && k < list->count; k++)
        if (stage_equals(&code->stage[list->stage[k]], wanted))
            return list->stage[k];
    return -1;
}

/* The number of an equal reduction listed before, or -1. */
static int find_equal(const lowering *l, const draft *d)
{
    const ir_start_list *start = &l->code->start;

    for (int64_t k = 0; d->use == DRAFT_START && k < start->count; k++) {
        const int stage = start->item[k].stage;
        if (stage >= 0 && stage_equals(&l->code->stage[stage], &d->stage))
            return stage;
    }
    if (d->use == DRAFT_START)
        return -1;
    const int found = find_in_list(l->code, d->list, &d->stage);
    return found >= 0 ? found : find_in_list(l->code, d->listed, &d->stage);
}

/* True if a condition, x > number or x < number, leaves out the outermost points at one
 * end of an axis and no others. Then the stage has no such points. The number must lie
 * well between two points: else the rounding of coordinates decides. */
static bool leaves_out(const lowering *l, const expr *c, ir_stage *s)
{
    if (c->kind != EXPR_BINARY || (c->op != OP_LT && c->op != OP_GT) ||
        c->arg[0]->kind != EXPR_BUILTIN || c->arg[0]->builtin > BUILTIN_Z)
        return false;
    const int axis = (int)(c->arg[0]->builtin - BUILTIN_X), end = c->op == OP_LT;
    const bool minus = c->arg[1]->kind == EXPR_UNARY && c->arg[1]->op == OP_NEG;
    const expr *limit = minus ? c->arg[1]->arg[0] : c->arg[1];
    const int64_t last = points_along(l->code, axis, s->coarse) - 1;
    if (limit->kind != EXPR_NUMBER || axis_stretched(l->program, axis) || last < 2)
        return false;
    const double at = ((minus ? -1 : 1) * num_f64(limit->number) -
                       num_f64(l->program->axis[axis].origin)) /
                      num_f64(spacing_along(l->code, axis, s->coarse));
    if (!(fabs((end ? (double)last - at : at) - 0.5) < 0.25))
        return false;
    s->inset[axis][end] = 1;
    return true;
}

/* The summand of a sum of where(condition, value, 0), without conditions that limit the
 * points of its stage. */
static const expr *left_over(lowering *l, const expr *e, ir_stage *s)
{
    if (e->kind != EXPR_CALL || e->function != FUNCTION_WHERE ||
        e->arg[2]->kind != EXPR_NUMBER || num_f64(e->arg[2]->number) != 0)
        return e;
    const expr *c = e->arg[0];
    while (c->kind == EXPR_BINARY && c->op == OP_AND && leaves_out(l, c->arg[1], s))
        c = c->arg[0];
    if (leaves_out(l, c, s))
        return e->arg[1];
    expr *rest = arena_alloc(l->arena, 1, sizeof *rest);
    *rest = *e;
    rest->arg = arena_alloc(l->arena, e->count, sizeof *rest->arg);
    memcpy(rest->arg, e->arg, (size_t)e->count * sizeof *rest->arg);
    rest->arg[0] = (expr *)c;
    return rest;
}

/* Each reduction is a separate stage in f64, listed before the stage that uses it, and
 * its result is in a uniform. Equal reductions in one list are merged. */
static int lower_reduce(lowering *l, const expr *e, const scope *in)
{
    const draft *user = l->draft;
    const bool norm = e->reduction == REDUCTION_NORM;
    const unsigned grids = find_grids(l, e->arg[0], in);
    const int coarse = grids ? __builtin_ctz(grids) : 0;
    draft d = draft_new(lower_text(l, e), PAV_F64, coarse, user->use);
    const spot at = {.scope = in, .coarse = coarse};
    ir_output output = {.kind = IR_REDUCE, .field = -1, .uniform = -1};

    if (user->use == DRAFT_BORDER)
        lower_fail(
            l, PAV_ESYNTAX,
            "a border value cannot hold sum, min, max or norm; compute it in a param");
    d.list = user->list;
    d.listed = user->listed;
    output.reduction = norm ? REDUCTION_SUM : e->reduction;
    draft_open(l, &d);
    const bool sums = norm || e->reduction == REDUCTION_SUM;
    const int reduced = lower_number(
        l, sums ? left_over(l, e->arg[0], &d.stage) : e->arg[0], &at);
    output.node = norm ? lower_op(l, IR_MUL, reduced, reduced) : reduced;
    stage_add_output(l->code, &d.stage, &output);
    int stage = find_equal(l, &d);
    draft_leave(l, &d);
    if (stage < 0) {
        output.uniform = code_add_uniform(l->code, UNIFORM_REDUCTION, NULL, 0);
        d.stage.output[0] = output;
        stage = draft_add(l, &d);
        if (d.use == DRAFT_START)
            start_add_stage(l, stage, -1, 0);
        else
            list_add(l->code, d.list, stage);
    }
    const int value = build_uniform(&l->draft->build,
                                    l->code->stage[stage].output[0].uniform);
    return norm ? lower_op(l, IR_SQRT, value, -1) : value;
}

/* ---- dispatch ---------------------------------------------------------------------- */

static int lower_kind(lowering *l, const expr *e, const spot *at)
{
    switch (e->kind) {
    case EXPR_NUMBER: return lower_const(l, e->number);
    case EXPR_BUILTIN: return lower_builtin(l, e, at);
    case EXPR_SYMBOL: return lower_symbol(l, e, at);
    case EXPR_SHIFT: {
        const spot there = spot_shift(l, at, e->offset);
        return lower_any(l, e->arg[0], &there);
    }
    case EXPR_UNARY:
        return e->op == OP_NOT
                   ? lower_op(l, IR_NOT, lower_condition(l, e->arg[0], at), -1)
                   : lower_op(l, IR_NEG, lower_number(l, e->arg[0], at), -1);
    case EXPR_BINARY: return lower_binary(l, e, at);
    case EXPR_CALL: return lower_call(l, e, at);
    case EXPR_APPLY:
        return lower_in(l, e->symbol->value, find_scope(l, e, at->scope), at);
    case EXPR_TRANSFER: return lower_transfer(l, e, at);
    case EXPR_REDUCE: return lower_reduce(l, e, at->scope);
    default: return lower_neighbours(l, e, at); /* STENCIL, DERIVE, LAPLACE */
    }
}

static int lower_any(lowering *l, const expr *e, const spot *at)
{
    /* a reduction has the same value at every spot */
    const spot here = e->kind == EXPR_REDUCE ? (spot){.scope = at->scope} : *at;
    int node = memo_get(&l->draft->nodes, e, &here);

    if (node >= 0)
        return node;
    lower_enter(l);
    node = lower_kind(l, e, &here);
    lower_leave(l);
    memo_put(l, &l->draft->nodes, e, &here, node);
    return node;
}

static bool is_boolean(const lowering *l, int node)
{
    return ir_is_boolean(l->draft->stage.node[node].op);
}

int lower_number(lowering *l, const expr *e, const spot *at)
{
    const int node = lower_any(l, e, at);

    return is_boolean(l, node)
               ? build_op(&l->draft->build, IR_SELECT, node, lower_const(l, num_int(1)),
                          lower_const(l, num_int(0)))
               : node;
}

int lower_condition(lowering *l, const expr *e, const spot *at)
{
    const int node = lower_any(l, e, at);

    return is_boolean(l, node) ? node
                               : lower_op(l, IR_NE, node, lower_const(l, num_int(0)));
}
