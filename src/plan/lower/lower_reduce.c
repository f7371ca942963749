/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions: each is a separate stage in f64, listed before the stage that uses it.
 * Equal reductions in one list are merged. */
#include <string.h>

#include "plan/plan_private.h"

/* ---- equal reductions -------------------------------------------------------------- */

static int find_in_list(const ir *code, const ir_list *list, const ir_stage *wanted)
{
    for (int64_t k = 0; list && k < list->count; k++)
        if (stage_equals(&code->stage[list->stage[k]], wanted))
            return list->stage[k];
    return -1;
}

static int find_in_start(const ir *code, const ir_stage *wanted)
{
    const ir_start_list *start = &code->start;

    for (int64_t k = 0; k < start->count; k++) {
        const int stage = start->item[k].stage;
        if (stage >= 0 && stage_equals(&code->stage[stage], wanted))
            return stage;
    }
    return -1;
}

static int find_equal(const lowering *l, const draft *d)
{
    if (d->use == DRAFT_START)
        return find_in_start(l->code, &d->stage);
    const int found = find_in_list(l->code, d->list, &d->stage);
    return found >= 0 ? found : find_in_list(l->code, d->listed, &d->stage);
}

/* ---- lowering ---------------------------------------------------------------------- */

static draft reduction_draft(lowering *l, const expr *e, const scope *in)
{
    const draft *user = l->draft;
    const unsigned grids = lower_grids(l, e->arg[0], in);
    const int coarse = grids ? __builtin_ctz(grids) : 0;
    draft d = draft_new(lower_text(l, e), PAV_F64, coarse, user->use);

    if (user->use == DRAFT_BORDER)
        lower_fail(
            l, PAV_ESYNTAX,
            "a border value cannot hold sum, min, max or norm; compute it in a param");
    d.list = user->list;
    d.listed = user->listed;
    return d;
}

static int lower_reduced(lowering *l, const expr *e, const spot *at)
{
    const int value = lower_number(l, e->arg[0], at);

    return e->reduction == REDUCTION_NORM ? lower_op(l, IR_MUL, value, value) : value;
}

/* Lists the finished stage, unless an equal one is listed. Returns the number of the
 * listed stage. */
static int list_reduction(lowering *l, draft *d, ir_output *output)
{
    const int found = find_equal(l, d);

    draft_leave(l, d);
    if (found >= 0)
        return found;
    output->uniform = code_add_uniform(l->code, UNIFORM_REDUCTION, NULL, 0);
    d->stage.output[0] = *output;
    const int stage = draft_add(l, d);
    if (d->use == DRAFT_START)
        start_add_stage(l, stage, -1, 0);
    else
        list_add(l->code, d->list, stage);
    return stage;
}

static int reduction_slot(lowering *l, const expr *e, const scope *in)
{
    draft d = reduction_draft(l, e, in);
    const spot at = {.scope = in, .coarse = d.stage.coarse};
    ir_output output = {.kind = IR_REDUCE, .field = -1, .uniform = -1};

    output.reduction = e->reduction == REDUCTION_NORM ? REDUCTION_SUM : e->reduction;
    draft_open(l, &d);
    output.node = lower_reduced(l, e, &at);
    stage_add_output(l->code, &d.stage, &output);
    const int stage = list_reduction(l, &d, &output); /* the ir's stages may move */
    return l->code->stage[stage].output[0].uniform;
}

int lower_reduce(lowering *l, const expr *e, const scope *in)
{
    const int value = build_uniform(&l->draft->build, reduction_slot(l, e, in));

    return e->reduction == REDUCTION_NORM ? lower_op(l, IR_SQRT, value, -1) : value;
}
