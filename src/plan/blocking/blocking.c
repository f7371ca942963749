/* SPDX-License-Identifier: BSD-3-Clause */
/* Can several steps share one pass over memory? This file finds reasons against it, and
 * the uses and stores of each operation of a step. From these, skews.c finds the skew of
 * each step behind the previous one. */
#include <string.h>

#include "plan/plan_private.h"

typedef struct survey {
    const ir *code;
    arena *arena;
    ir_blocking *result;
    int64_t uses, capacity, operation_capacity;
    ir_use *use;  /* far: ghosts count at their place inside */
    bool *stored; /* [operation][field] */
} survey;

/* ---- refusals ---------------------------------------------------------------------- */

static void refuse(survey *s, const char *why)
{
    if (!s->result->refusal)
        s->result->refusal = why;
}

static void check_nodes(survey *s, const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->count; k++)
        if (stage->node[k].op == IR_LOAD && stage->node[k].transfer != IR_SAME)
            refuse(s, arena_print(s->arena, "stage \"%s\" reads across two grids",
                                  stage->name));
    for (int64_t k = 0; k < stage->count; k++)
        if (stage->node[k].op == IR_LOAD && s->code->field[stage->node[k].field].symbol &&
            s->code->field[stage->node[k].field].symbol->solved)
            refuse(s, "a step solves an equation");
    if (stage->coarse)
        refuse(s,
               arena_print(s->arena, "stage \"%s\" is on the coarse grid", stage->name));
}

static void check_outputs(survey *s, const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->outputs; k++)
        if (stage->output[k].kind == IR_REDUCE)
            refuse(s,
                   arena_print(s->arena,
                               "a step folds all points into one value (stage \"%s\"), "
                               "which other points need",
                               stage->name));
}

static bool is_own_point(const ir_node *n, int field)
{
    return n->field == field && n->level == 0 && n->transfer == IR_SAME &&
           !n->offset[0] && !n->offset[1] && !n->offset[2];
}

static void check_border(survey *s, int field, const ir_border *b)
{
    const ir_stage *stage = b->stage >= 0 ? &s->code->stage[b->stage] : NULL;

    for (int64_t k = 0; stage && k < stage->count; k++)
        if (stage->node[k].op == IR_LOAD && !is_own_point(&stage->node[k], field))
            refuse(s, arena_print(s->arena, "\"%s\" is computed from other points",
                                  stage->name));
}

static int halo_of(const ir_field *f, int axis)
{
    return f->halo[axis][0] > f->halo[axis][1] ? f->halo[axis][0] : f->halo[axis][1];
}

static void check_field(survey *s, int field)
{
    static const char axes[] = "xyz";
    const ir_field *f = &s->code->field[field];

    for (int axis = 0; axis < s->code->dim; axis++) {
        for (int side = 0; side < 2; side++) {
            const ir_border *b = &f->border[axis][side];
            check_border(s, field, b);
            s->result->periodic[axis] |= border_wraps(b->kind);
        }
        if (f->extent[axis] <= halo_of(f, axis) + 1)
            refuse(s, arena_print(s->arena,
                                  "field %s has %lld point%s along %c, where steps that "
                                  "are taken together need %d",
                                  f->name, (long long)f->extent[axis],
                                  f->extent[axis] == 1 ? "" : "s", axes[axis],
                                  halo_of(f, axis) + 2));
    }
}

/* ---- operations and uses ----------------------------------------------------------- */

static int64_t add_operation(survey *s, ir_operation_kind kind, int stage)
{
    ir_blocking *r = s->result;

    arena_reserve(s->arena, &r->operation, r->operations, &s->operation_capacity,
                  sizeof *r->operation);
    r->operation[r->operations] = (ir_operation){.kind = kind, .stage = stage};
    return r->operations++;
}

static ir_use *find_use(survey *s, int64_t operation, int field, int level)
{
    for (int64_t k = 0; k < s->uses; k++)
        if (s->use[k].operation == operation && s->use[k].field == field &&
            s->use[k].level == level)
            return &s->use[k];
    arena_reserve(s->arena, &s->use, s->uses, &s->capacity, sizeof *s->use);
    s->use[s->uses] = (ir_use){.operation = operation, .field = field, .level = level};
    return &s->use[s->uses++];
}

static void add_load(survey *s, int64_t operation, const ir_node *n)
{
    ir_use *u = find_use(s, operation, n->field, n->level);

    for (int axis = 0; axis < MAX_DIM; axis++) {
        u->reach[axis][0] = int_most(u->reach[axis][0], -n->offset[axis]);
        u->reach[axis][1] = int_most(u->reach[axis][1], n->offset[axis]);
        u->far[axis] = int_most(halo_of(&s->code->field[n->field], axis),
                                int_most(u->reach[axis][0], u->reach[axis][1]));
    }
}

static void add_loads(survey *s, int64_t operation, const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->count; k++)
        if (stage->node[k].op == IR_LOAD)
            add_load(s, operation, &stage->node[k]);
}

static bool *stored_by(const survey *s, int64_t operation)
{
    return s->stored + operation * s->code->fields;
}

static void add_stage(survey *s, int number)
{
    const ir_stage *stage = &s->code->stage[number];

    check_outputs(s, stage);
    if (ir_is_uniform(stage))
        return;
    const int64_t operation = add_operation(s, OPERATION_STAGE, number);
    check_nodes(s, stage);
    add_loads(s, operation, stage);
    for (int64_t k = 0; k < stage->outputs; k++) {
        const ir_output *o = &stage->output[k];
        if (o->kind != IR_STORE)
            continue;
        stored_by(s, operation)[o->field] = true;
        if (o->level != 1)
            refuse(s, arena_print(s->arena, "stage \"%s\" stores an old level",
                                  stage->name));
    }
}

/* Points of sources are neither ghosts nor given by borders. */
static void add_injection(survey *s, int64_t operation, const ir_event *event)
{
    const ir_stage *last = &s->code->stage[event->list.stage[event->list.count - 1]];

    for (int64_t k = 0; k < event->list.count; k++)
        check_outputs(s, &s->code->stage[event->list.stage[k]]);
    check_nodes(s, last);
    for (int64_t k = 0; k < last->count; k++)
        if (last->node[k].op == IR_LOAD &&
            !(last->node[k].field == event->field && last->node[k].level == 1))
            add_load(s, operation, &last->node[k]);
    stored_by(s, operation)[event->field] = true;
}

/* The value added at one point must not depend on values added at other points. */
static void check_injection(survey *s, int64_t operation, const ir_event *event)
{
    const ir_stage *last = &s->code->stage[event->list.stage[event->list.count - 1]];

    for (int64_t k = 0; k < last->count; k++) {
        const ir_node *n = &last->node[k];
        if (n->op == IR_LOAD && n->level == 1 && stored_by(s, operation)[n->field] &&
            (n->offset[0] || n->offset[1] || n->offset[2]))
            refuse(s,
                   arena_print(s->arena, "\"%s\" depends on other points injected into",
                               last->name));
    }
}

static void add_injections(survey *s)
{
    const ir_event_list *list = &s->code->injections;
    const int64_t operation = list->count ? add_operation(s, OPERATION_INJECT, -1) : 0;

    for (int64_t k = 0; k < list->count; k++)
        add_injection(s, operation, &list->item[k]);
    for (int64_t k = 0; k < list->count; k++) {
        check_injection(s, operation, &list->item[k]);
        (void)find_use(s, operation, list->item[k].field, 1);
    }
}

/* Points with values given by a border are observed, too. */
static void add_look(survey *s)
{
    const int64_t operation = add_operation(s, OPERATION_SAMPLE, -1);

    for (int k = 0; k < s->code->fields; k++) {
        const ir_field *f = &s->code->field[k];
        if (!f->updated)
            continue;
        ir_use *u = find_use(s, operation, k, 1);
        for (int axis = 0; axis < s->code->dim; axis++)
            if (border_rules[f->border[axis][0].kind].has_face ||
                border_rules[f->border[axis][1].kind].has_face)
                u->far[axis] = halo_of(f, axis);
    }
}

static void add_operations(survey *s)
{
    const ir *code = s->code;

    s->stored = arena_alloc(s->arena, (code->step.count + 2) * (code->fields + 1),
                            sizeof *s->stored);
    for (int64_t k = 0; k < code->step.count; k++)
        add_stage(s, code->step.stage[k]);
    if (s->result->operations == 0)
        refuse(s, "a step computes no points");
    add_injections(s);
    add_look(s);
    for (int k = 0; k < code->fields; k++)
        if (code->field[k].updated)
            check_field(s, k);
}

/* ---- skews ------------------------------------------------------------------------- */

static int whole(int count, int unit)
{
    return (count + unit - 1) / unit * unit;
}

/* Along a periodic axis, the last tile gives the first face, and the first tile must lag
 * behind it. With only the load distance between operations, the first tile would read
 * this face too early. */
static int given_before(const survey *s, int field, int axis)
{
    return s->result->periodic[axis] &&
           border_rules[s->code->field[field].border[axis][0].kind].has_face;
}

static void round_uses(survey *s, const int *unit)
{
    for (int64_t k = 0; k < s->uses; k++)
        for (int axis = 0; axis < MAX_DIM; axis++) {
            ir_use *u = &s->use[k];
            u->far[axis] = whole(u->far[axis] + given_before(s, u->field, axis),
                                 unit[axis]);
        }
}

static void take_skews(survey *s, const ir_skews *found)
{
    ir_blocking *r = s->result;

    for (int64_t k = 0; k < r->operations; k++)
        memcpy(r->operation[k].skew, found->of[k].skew, sizeof found->of[k].skew);
    for (int axis = 0; axis < MAX_DIM; axis++)
        r->skew[axis] = whole(found->step[axis], r->unit[axis]);
    memcpy(r->reach, found->reach, sizeof r->reach);
}

static pav_status find(survey *s, const int *unit)
{
    const ir *code = s->code;
    int *levels = arena_alloc(s->arena, code->fields + 1, sizeof *levels);
    ir_skews found = {0};

    add_operations(s);
    memcpy(s->result->unit, unit, sizeof s->result->unit);
    round_uses(s, unit);
    for (int f = 0; f < code->fields; f++)
        levels[f] = code->field[f].levels;
    found.of = arena_alloc(s->arena, s->result->operations + 1, sizeof *found.of);
    ir_find_skews(&(ir_uses){.operations = s->result->operations,
                             .fields = code->fields,
                             .uses = s->uses,
                             .use = s->use,
                             .stored = s->stored,
                             .levels = levels},
                  &found);
    take_skews(s, &found);
    return PAV_OK;
}

pav_status ir_blocking_open(const ir *code, const int unit[MAX_DIM], ir_blocking *result)
{
    static const int ones[MAX_DIM] = {1, 1, 1};
    survey s = {.code = code, .arena = arena_new(), .result = result};
    pav_status status = PAV_ENOMEM;

    *result = (ir_blocking){.arena = s.arena};
    if (s.arena)
        ARENA_GUARD(s.arena, status, find(&s, unit ? unit : ones));
    if (status != PAV_OK)
        ir_blocking_close(result);
    return status;
}

void ir_blocking_close(ir_blocking *b)
{
    arena_free(b->arena);
    *b = (ir_blocking){0};
}
