/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations to the stages of a step. Each equation is lowered on its own and then joined
 * to the previous stage, if nothing forbids it. Both must cover the same points, and the
 * later equation may read results of the earlier one only at the point itself, where the
 * value is at hand. Equations with different fields are joined only in small numbers:
 * compile time grows faster than the length of a stage, and nothing is saved. */
#include <string.h>

#include "plan/plan_private.h"

enum { JOINED_ANY = 16, JOINED_MOST = 32 }; /* equations of a stage */

/* ---- one equation ------------------------------------------------------------------ */

void set_inset(ir_stage *stage, const ir_field *f)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++)
            stage->inset[axis][side] = border_rules[f->border[axis][side].kind].has_face;
}

/* The condition that all masks of a field hold, or -1. */
static int lower_masks(lowering *l, const ir_field *f, const spot *at)
{
    int condition = -1;

    for (int k = 0; k < f->masks; k++) {
        const int load = lower_load(l, f->mask[k], 0, at);
        const int open = lower_op(l, IR_NE, load, lower_const(l, num_int(0)));
        condition = condition < 0 ? open : lower_op(l, IR_AND, condition, open);
    }
    return condition;
}

static int lower_root(lowering *l, const statement *s, const spot *at)
{
    const int field = s->symbol->index;
    const int damping = lower_damping(l, field, at);
    int value = lower_number(l, s->value, at);

    if (damping >= 0)
        value = lower_op(l, IR_MUL, damping, value);
    const int open = lower_masks(l, &l->code->field[field], at);
    if (open >= 0)
        value = build_op(&l->draft->build, IR_SELECT, open, value,
                         lower_load(l, field, 0, at));
    return value;
}

/* `reductions` receives the reductions needed by the equation. */
static draft *lower_equation(lowering *l, const statement *s, ir_list *reductions)
{
    const int field = s->symbol->index;
    draft *d = arena_alloc(l->arena, 1, sizeof *d);
    const spot at = {.coarse = s->symbol->coarse};

    *d = draft_new(s->symbol->name, l->program->real, at.coarse, DRAFT_STEP);
    set_inset(&d->stage, &l->code->field[field]);
    d->absorbs = true;
    d->list = reductions;
    d->listed = &l->code->step;
    l->at = s->at;
    draft_open(l, d);
    draft_store(l, d, lower_root(l, s, &at), field, 1);
    draft_leave(l, d);
    return d;
}

/* ---- joining ----------------------------------------------------------------------- */

/* The node of the stage that computes the value loaded by `n`, or -1. */
static int computed(const ir_stage *stage, const ir_node *n)
{
    if (n->op != IR_LOAD || n->level != 1)
        return -1;
    for (int64_t k = 0; k < stage->outputs; k++)
        if (stage->output[k].field == n->field)
            return stage->output[k].node;
    return -1;
}

static bool is_here(const ir_node *n)
{
    return n->transfer == IR_SAME && !n->offset[0] && !n->offset[1] && !n->offset[2];
}

/* True if a stage reads results of `before`; without here_too, only reads away from the
 * point count. */
static bool depends(const ir_stage *before, const ir_stage *stage, bool here_too)
{
    for (int64_t k = 0; k < stage->count; k++)
        if (computed(before, &stage->node[k]) >= 0 &&
            (here_too || !is_here(&stage->node[k])))
            return true;
    return false;
}

/* Counts fields read by a stage and not yet in `seen`, and adds them. */
static int64_t count_fresh(const ir_stage *stage, bool *seen)
{
    int64_t fresh = 0;

    for (int64_t k = 0; k < stage->count; k++)
        if (stage->node[k].op == IR_LOAD) {
            fresh += !seen[stage->node[k].field];
            seen[stage->node[k].field] = true;
        }
    return fresh;
}

/* True if the previous stage reads most of the stage's fields. */
static bool reads_the_same(const lowering *l, const ir_stage *before,
                           const ir_stage *stage)
{
    bool *seen = arena_alloc(l->arena, l->code->fields + 1, sizeof *seen);
    bool *own = arena_alloc(l->arena, l->code->fields + 1, sizeof *own);

    (void)count_fresh(before, seen);
    return 2 * count_fresh(stage, seen) < count_fresh(stage, own);
}

static bool is_wide(const lowering *l, const ir_stage *before, const ir_stage *stage)
{
    return before->outputs >= JOINED_MOST ||
           (before->outputs >= JOINED_ANY && !reads_the_same(l, before, stage));
}

/* True if the stage reads the result of a solver. The solver runs after all earlier
 * stages. */
static bool reads_solved(const ir *code, const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        const symbol *s = n->op == IR_LOAD ? code->field[n->field].symbol : NULL;
        if (s && s->solved)
            return true;
    }
    return false;
}

/* Equations of different matched layers, or with different gates, stay apart: memory of a
 * layer is computed only next to the faces of its axis, and a gated equation only in some
 * steps (layered.c). */
static bool is_taken_apart(const ir *code, const ir_stage *before, const ir_stage *stage)
{
    const symbol *a = code->field[before->output->field].symbol;
    const symbol *b = code->field[stage->output->field].symbol;

    return a->gate != b->gate || a->layered != b->layered ||
           (a->layered && a->layer_axis != b->layer_axis);
}

static bool may_join(const lowering *l, const ir_stage *before, const ir_stage *stage,
                     const ir_list *reductions)
{
    const ir *code = l->code;

    if (is_taken_apart(code, before, stage) || is_wide(l, before, stage) ||
        before->coarse != stage->coarse ||
        memcmp(before->inset, stage->inset, sizeof before->inset) != 0)
        return false;
    for (int64_t k = 0; k < reductions->count; k++)
        if (depends(before, &code->stage[reductions->stage[k]], true))
            return false;
    return !depends(before, stage, false) && !reads_solved(code, stage);
}

static void join(lowering *l, draft *into, const ir_stage *stage)
{
    int *map = arena_alloc(l->arena, stage->count + 1, sizeof *map);

    for (int64_t k = 0; k < stage->count; k++) {
        const int known = computed(&into->stage, &stage->node[k]);
        map[k] = known >= 0 ? known : build_copy(&into->build, &stage->node[k], map);
    }
    for (int64_t k = 0; k < stage->outputs; k++) {
        ir_output output = stage->output[k];
        output.node = map[output.node];
        stage_add_output(l->code, &into->stage, &output);
    }
    into->stage.name = arena_print(l->arena, "%s, %s", into->stage.name, stage->name);
}

/* ---- all equations ----------------------------------------------------------------- */

static void list_all(lowering *l, const ir_list *stages)
{
    for (int64_t k = 0; k < stages->count; k++)
        list_add(l->code, &l->code->step, stages->stage[k]);
}

static void list_draft(lowering *l, draft *d)
{
    if (d)
        list_add(l->code, &l->code->step, draft_add(l, d));
}

/* Adds one equation to the current stage, or begins the next one; returns the current
 * stage. */
static draft *add_equation(lowering *l, draft *under_way, const statement *s)
{
    ir_list reductions = {0};
    draft *d = lower_equation(l, s, &reductions);
    const bool joins = under_way &&
                       may_join(l, &under_way->stage, &d->stage, &reductions);

    if (!joins)
        list_draft(l, under_way);
    list_all(l, &reductions);
    if (!joins)
        return d;
    join(l, under_way, &d->stage);
    return under_way;
}

void lower_updates(lowering *l)
{
    draft *under_way = NULL;

    for (const statement *s = l->program->first; s; s = s->next)
        if (s->kind == STATEMENT_UPDATE)
            under_way = add_equation(l, under_way, s);
    list_draft(l, under_way);
}
