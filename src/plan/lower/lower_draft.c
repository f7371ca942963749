/* SPDX-License-Identifier: BSD-3-Clause */
/* Drafts: stages while they are lowered. A draft is separate from the ir until it is
 * closed, because lowering it may add other stages (its reductions) before it. */
#include "plan/plan_private.h"

draft draft_new(const char *name, pav_type real, int coarse, draft_use use)
{
    return (draft){
        .stage = {.name = name, .real = real, .coarse = coarse, .before = -1},
        .use = use,
        .fixed_axis = -1,
    };
}

void draft_open(lowering *l, draft *d)
{
    d->outer = l->draft;
    d->build = builder_open(l->code, &d->stage);
    l->draft = d;
}

void draft_leave(lowering *l, draft *d)
{
    l->draft = d->outer;
}

int draft_add(lowering *l, draft *d)
{
    const int number = code_add_stage(l->code, d->stage.name, d->stage.real,
                                      d->stage.coarse);

    l->code->stage[number] = d->stage;
    return number;
}

int draft_close(lowering *l, draft *d)
{
    draft_leave(l, d);
    return draft_add(l, d);
}

static bool narrows(pav_type real, pav_type storage)
{
    if (storage == PAV_U8) /* masks: 0 or 1 */
        return false;
    return storage != real && !(real == PAV_F32 && storage == PAV_F64);
}

static int round_stored(lowering *l, draft *d, int node, int field)
{
    const pav_type storage = l->code->field[field].storage;
    ir_node n = node_blank(IR_ROUND);

    if (!narrows(d->stage.real, storage))
        return node;
    n.arg[0] = node;
    n.type = storage;
    return build_node(&d->build, &n);
}

void draft_store(lowering *l, draft *d, int node, int field, int level)
{
    const ir_output output = {
        .kind = IR_STORE,
        .node = round_stored(l, d, node, field),
        .field = field,
        .level = level,
        .uniform = -1,
    };

    stage_add_output(l->code, &d->stage, &output);
}

void draft_set(lowering *l, draft *d, int node, int slot)
{
    const ir_output output = {.kind = IR_SET, .node = node, .field = -1, .uniform = slot};

    stage_add_output(l->code, &d->stage, &output);
}
