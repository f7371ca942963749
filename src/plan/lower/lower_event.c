/* SPDX-License-Identifier: BSD-3-Clause */
/* Events after a step: sources add to the new level; measures, until and expect read the
 * levels after their rotation. Equations to solve are lowered here, too. */
#include "plan/plan_private.h"

static void add_event(lowering *l, ir_event_list *events, const ir_event *event)
{
    arena_reserve(l->arena, &events->item, events->count, &events->capacity,
                  sizeof *events->item);
    events->item[events->count++] = *event;
}

static ir_event event_of(lowering *l, const statement *s)
{
    return (ir_event){
        .statement = s,
        .text = lower_text(l, s->value),
        .result = -1,
        .left = -1,
        .right = -1,
        .field = -1,
        .weight = -1,
    };
}

/* ---- sources ----------------------------------------------------------------------- */

static int weight_slot(lowering *l)
{
    const ir_event_list *others = &l->code->injections;

    return others->count ? others->item[0].weight
                         : code_add_uniform(l->code, UNIFORM_WEIGHT, NULL, 0);
}

static void lower_injection(lowering *l, const statement *s)
{
    ir_event event = event_of(l, s);
    const char *name = arena_print(l->arena, "inject into %s", s->symbol->name);
    draft d = draft_new(name, l->program->real, s->symbol->coarse, DRAFT_STEP);
    const spot at = {.coarse = d.stage.coarse};

    event.field = s->symbol->index;
    event.weight = weight_slot(l);
    d.list = &event.list;
    draft_open(l, &d);
    const int weight = build_uniform(&d.build, event.weight);
    const int value = lower_number(l, s->value, &at);
    const int sum = build_op(&d.build, IR_FMA, weight, value,
                             lower_load(l, event.field, 1, &at));
    draft_store(l, &d, sum, event.field, 1);
    list_add(l->code, &event.list, draft_close(l, &d));
    add_event(l, &l->code->injections, &event);
}

/* ---- values after a step ----------------------------------------------------------- */

static int set_slot(lowering *l, draft *d, const expr *e, const char *name)
{
    const spot at = {0};
    const int slot = code_add_uniform(l->code, UNIFORM_COMPUTED, name, 0);

    draft_set(l, d, lower_number(l, e, &at), slot);
    return slot;
}

/* The sides of a comparison have slots, too: a message may quote them. */
static void lower_value_event(lowering *l, const statement *s, ir_event_list *events)
{
    ir_event event = event_of(l, s);
    const char *name = s->kind == STATEMENT_MEASURE ? s->symbol->name : NULL;
    draft d = draft_new(name ? name : event.text, PAV_F64, false, DRAFT_EVENT);

    d.uniform = true;
    d.list = &event.list;
    draft_open(l, &d);
    event.result = set_slot(l, &d, s->value, name);
    if (expr_compares(s->value)) {
        event.left = set_slot(l, &d, s->value->arg[0], NULL);
        event.right = set_slot(l, &d, s->value->arg[1], NULL);
    }
    list_add(l->code, &event.list, draft_close(l, &d));
    add_event(l, events, &event);
}

/* ---- equations to solve ------------------------------------------------------------ */

static void lower_side(lowering *l, const statement *s, const expr *side,
                       const char *name, ir_list *list)
{
    draft d = draft_new(
        arena_print(l->arena, "%s side of solve %s", name, s->symbol->name),
        l->program->real, s->symbol->coarse, DRAFT_STEP);
    const spot at = {.coarse = d.stage.coarse};
    ir_output output = {.kind = IR_SIDE, .field = s->symbol->index, .uniform = -1};

    set_inset(&d.stage, &l->code->field[s->symbol->index]);
    d.list = list;
    draft_open(l, &d);
    output.node = lower_number(l, side, &at);
    stage_add_output(l->code, &d.stage, &output);
    list_add(l->code, list, draft_close(l, &d));
}

static const char *solve_text(lowering *l, const statement *s)
{
    const char *left = lower_text(l, s->value), *right = lower_text(l, s->right);

    return arena_print(l->arena, "%s = %s for %s by %s to %s", left, right,
                       s->symbol->name, s->method, lower_digits(l, s->tolerance));
}

static void lower_solve(lowering *l, const statement *s)
{
    ir_event event = event_of(l, s);

    event.text = solve_text(l, s);
    event.field = s->symbol->index;
    lower_side(l, s, s->value, "left", &event.list);
    lower_side(l, s, s->right, "right", &event.list);
    add_event(l, &l->code->solves, &event);
}

void lower_events(lowering *l)
{
    for (const statement *s = l->program->first; s; s = s->next) {
        l->at = s->at;
        switch (s->kind) {
        case STATEMENT_INJECT: lower_injection(l, s); break;
        case STATEMENT_MEASURE: lower_value_event(l, s, &l->code->measures); break;
        case STATEMENT_UNTIL: lower_value_event(l, s, &l->code->untils); break;
        case STATEMENT_EXPECT: lower_value_event(l, s, &l->code->expects); break;
        case STATEMENT_SOLVE: lower_solve(l, s); break;
        default: break;
        }
    }
}
