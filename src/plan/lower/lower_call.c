/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions: most are one node; ricker, random and where consist of several. */
#include "plan/plan_private.h"

/* The wavelet (1 - 2*a)*exp(-a), a = (pi*f*(t - 1.2/f))^2. */
static int lower_ricker(lowering *l, int f, int t)
{
    const int delay = lower_op(l, IR_DIV, lower_const(l, num_ratio(6, 5)), f);
    const int pi_f = lower_op(l, IR_MUL,
                              lower_const(l, num_double(3.14159265358979323846)), f);
    const int phase = lower_op(l, IR_MUL, pi_f, lower_op(l, IR_SUB, t, delay));
    const int a = lower_op(l, IR_MUL, phase, phase);
    const int twice = lower_op(l, IR_MUL, lower_const(l, num_int(2)), a);
    const int hat = lower_op(l, IR_SUB, lower_const(l, num_int(1)), twice);
    const int bell = lower_op(l, IR_EXP, lower_op(l, IR_NEG, a, -1), -1);

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
    draft d = draft_new("seed", PAV_F64, false, DRAFT_START);
    d.uniform = true;
    draft_open(l, &d);
    draft_set(l, &d, lower_number(l, seed, &key), slot);
    start_add_stage(l, draft_close(l, &d), -1, 0);
    memo_put(l, &l->seeds, seed, &key, slot);
    return slot;
}

static int lower_where(lowering *l, const expr *e, const spot *at)
{
    const int condition = lower_condition(l, e->arg[0], at);
    const int yes = lower_number(l, e->arg[1], at);
    const int no = lower_number(l, e->arg[2], at);

    return build_op(&l->draft->build, IR_SELECT, condition, yes, no);
}

static int lower_plain(lowering *l, const expr *e, const spot *at)
{
    static const ir_op of[FUNCTION_COUNT] = {
        [FUNCTION_MIN] = IR_MIN,   [FUNCTION_MAX] = IR_MAX, [FUNCTION_ABS] = IR_ABS,
        [FUNCTION_SQRT] = IR_SQRT, [FUNCTION_EXP] = IR_EXP, [FUNCTION_LOG] = IR_LOG,
        [FUNCTION_SIN] = IR_SIN,   [FUNCTION_COS] = IR_COS, [FUNCTION_TAN] = IR_TAN,
        [FUNCTION_TANH] = IR_TANH, [FUNCTION_POW] = IR_POW, [FUNCTION_FLOOR] = IR_FLOOR,
    };
    const int a = lower_number(l, e->arg[0], at);
    const int b = e->count > 1 ? lower_number(l, e->arg[1], at) : -1;

    return lower_op(l, of[e->function], a, b);
}

int lower_call(lowering *l, const expr *e, const spot *at)
{
    switch (e->function) {
    case FUNCTION_WHERE: return lower_where(l, e, at);
    case FUNCTION_RICKER: {
        const int f = lower_number(l, e->arg[0], at);
        return lower_ricker(l, f, lower_number(l, e->arg[1], at));
    }
    case FUNCTION_RANDOM: return lower_random(l, seed_slot(l, e->arg[0], at->scope), at);
    default: return lower_plain(l, e, at);
    }
}
