/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowering: from the tree to stages, nothing simplified. Uniform slots and fields come
 * first, then the step, then events, and last the start, since it fills everything read
 * by the others. */
#include "plan/plan_private.h"

/* Scalars and params that hold reductions always have slots: users ask a run for them by
 * name. */
static void add_slots(lowering *l)
{
    const program *p = l->program;
    ir *code = l->code;

    code->uniform_t = code_add_uniform(code, UNIFORM_T, "t", 0);
    code->uniform_step = code_add_uniform(code, UNIFORM_STEP, "step", 0);
    for (int64_t k = 0; k < p->scalars.count; k++) {
        const symbol *s = p->scalars.item[k];
        l->scalar_slot[s->index] = code_add_uniform(code, UNIFORM_SCALAR, s->name,
                                                    num_f64(s->number));
    }
    for (int64_t k = 0; k < p->params.count; k++) {
        const symbol *s = p->params.item[k];
        l->param_slot[s->index] = s->constant
                                      ? -1
                                      : code_add_uniform(code, UNIFORM_PARAM, s->name, 0);
    }
}

static void set_dt(lowering *l)
{
    const symbol *dt = l->program->dt;

    l->code->dt = dt && !dt->constant ? l->param_slot[dt->index] : -1;
    l->code->dt_value = dt && dt->constant ? dt->number : num_int(1);
}

void ir_lower(const program *p, ir *code, text *scratch)
{
    arena *a = code->arena;
    lowering l = {.arena = a, .code = code, .program = p, .scratch = scratch};

    l.let_grids = arena_alloc(a, p->lets.count + 1, sizeof *l.let_grids);
    l.param_slot = arena_alloc(a, p->params.count + 1, sizeof *l.param_slot);
    l.scalar_slot = arena_alloc(a, p->scalars.count + 1, sizeof *l.scalar_slot);
    l.params = arena_alloc(a, p->params.count + 1, sizeof *l.params);
    add_slots(&l);
    set_dt(&l);
    lower_fields(&l);
    lower_borders(&l);
    lower_updates(&l);
    lower_events(&l);
    lower_start(&l);
}
