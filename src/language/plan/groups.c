/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of stages: consecutive stages of a step on one of the finest grids, each reading
 * a result of the ones before it. A GPU may take a group in one launch, like the steps of a
 * fused launch: each block computes its tile with an overlap. Then memory is crossed once
 * for all stages, and what only the group reads is never stored.
 *
 * Blocks of such a launch have no order. So no buffer that the group reads may be stored
 * by it: buffers.c keeps them apart. */
#include <string.h>

#include "plan/plan_private.h"

enum { MOST_GROUPED = 3 /* the overlap of tiles grows with each stage */ };

/* ---- groups of a step -------------------------------------------------------------- */

static bool may_be_grouped(const ir *code, const ir_stage *s)
{
    bool may = s->outputs == 1 && !ir_is_uniform(s) && s->coarse < code->grouped && !s->along && !s->transform &&
               !s->gated && !s->rests;

    for (const ir_node *n = NULL; may && (n = ir_next_load(s, n));)
        may = n->transfer != IR_TO_FINE;
    for (const ir_output *o = NULL; may && (o = ir_next_output(s, o));)
        may = o->kind == IR_STORE && o->level == 1 && code->field[o->field].masks == 0;
    return may;
}

/* True if a stage at places first .. end - 1 stores the field. */
static bool is_stored(const ir *code, int64_t first, int64_t end, int field)
{
    for (int64_t k = first; k < end; k++)
        for (const ir_output *o = NULL;
             (o = ir_next_store(&code->stage[code->step.stage[k]], o));)
            if (o->field == field)
                return true;
    return false;
}

static bool reads_result(const ir *code, int64_t first, int64_t end, const ir_stage *s)
{
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        if (n->level == 1 && is_stored(code, first, end, n->field))
            return true;
    return false;
}

/* A stage that stores a field again begins a new group. */
static bool joins(const ir *code, int64_t first, int64_t end)
{
    const ir_stage *s = &code->stage[code->step.stage[end]];
    bool joins = may_be_grouped(code, s) && reads_result(code, first, end, s) &&
                 s->coarse == code->stage[code->step.stage[first]].coarse;

    for (const ir_output *o = NULL; joins && (o = ir_next_store(s, o));)
        joins = !is_stored(code, first, end, o->field);
    return joins;
}

void ir_find_groups(ir *code)
{
    const ir_list *step = &code->step;

    code->group = arena_alloc(code->arena, step->count + 1, sizeof *code->group);
    for (int64_t k = 0, end; k < step->count; k = end) {
        end = k + 1;
        if (!may_be_grouped(code, &code->stage[step->stage[k]]))
            continue;
        while (end < step->count && end - k < MOST_GROUPED && joins(code, k, end))
            end++;
        if (end - k > 1)
            code->group[code->groups++] = (ir_group){k, end};
    }
}

ir_group ir_group_at(const ir *code, int64_t at)
{
    for (int64_t g = 0; g < code->groups; g++)
        if (at >= code->group[g].first && at < code->group[g].end)
            return code->group[g];
    return (ir_group){at, at + 1};
}

/* ---- bytes ------------------------------------------------------------------------- */

static bool is_loaded(const ir *code, int64_t first, int64_t end, const ir_node *load)
{
    for (int64_t k = first; k < end; k++)
        for (const ir_node *n = NULL;
             (n = ir_next_load(&code->stage[code->step.stage[k]], n)) && n != load;)
            if (n->field == load->field && n->level == load->level)
                return true;
    return false;
}

int64_t ir_bytes_within(const ir *code, const ir_stage *s)
{
    const int64_t stage = s - code->stage;
    int64_t bytes = 0, at = 0;

    while (at < code->step.count && code->step.stage[at] != stage)
        at++;
    const ir_group own = ir_group_at(code, at);
    if (at == code->step.count || own.first + 1 == own.end)
        return 0;
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        if (n->transfer == IR_SAME && !is_loaded(code, at, at + 1, n) &&
            (is_loaded(code, own.first, at, n) ||
             (n->level == 1 && is_stored(code, own.first, at, n->field))))
            bytes += (int64_t)pav_type_size(code->field[n->field].storage);
    for (const ir_output *o = NULL; (o = ir_next_store(s, o));)
        if (code->field[o->field].within)
            bytes += (int64_t)pav_type_size(code->field[o->field].storage);
    return bytes;
}

/* ---- views ------------------------------------------------------------------------- */

static int input_of(const ir *code, ir_group_view *v, ir_field_level of)
{
    ir *own = &v->code;
    int64_t f = code->fields;

    while (f < own->fields && (v->of[f].field != of.field || v->of[f].level != of.level))
        f++;
    if (f == own->fields) {
        own->field[f] = code->field[of.field];
        own->field[f].updated = false;
        own->field[f].levels = 1;
        own->field[f].symbol = NULL;
        own->field[f].coarse -= own->finest;
        v->of[own->fields++] = of;
    }
    return (int)f;
}

static void view_stage(const ir *code, const ir_group *group, int64_t at, arena *a,
                       ir_group_view *v)
{
    ir_stage *s = &v->code.stage[code->step.stage[at]];
    const ir_node *from = s->node;

    s->coarse = 0;
    s->node = arena_alloc(a, s->count + 1, sizeof *s->node);
    for (int64_t k = 0; k < s->count; k++) {
        ir_node *n = &s->node[k];
        *n = from[k];
        if (n->op != IR_LOAD ||
            (n->level == 1 && is_stored(code, group->first, at, n->field)))
            continue;
        n->field = input_of(code, v, (ir_field_level){n->field, n->level});
        n->level = 0;
    }
}

static pav_status view_in(const ir *code, const ir_group *group, arena *a,
                          ir_group_view *v)
{
    static const ir_event_list none = {0};
    int64_t most = code->fields + 1;

    for (int64_t k = group->first; k < group->end; k++)
        most += code->stage[code->step.stage[k]].count;
    *v = (ir_group_view){.code = *code, .of = arena_alloc(a, most, sizeof *v->of)};
    ir *own = &v->code;
    own->arena = a;
    own->group_of = true;
    own->finest = code->stage[code->step.stage[group->first]].coarse;
    own->start = (ir_start_list){0};
    own->first = (ir_list){0};
    own->injections = own->measures = own->untils = own->expects = own->solves = none;
    own->step = (ir_list){.count = group->end - group->first,
                           .stage = code->step.stage + group->first};
    own->field = arena_alloc(a, most, sizeof *own->field);
    memcpy(own->field, code->field, (size_t)code->fields * sizeof *own->field);
    for (int f = 0; f < code->fields; f++) {
        ir_field *to = &own->field[f];
        to->updated = is_stored(code, group->first, group->end, f);
        to->levels = to->updated && !to->within ? 2 : 1;
        to->in_place = false;
        to->symbol = NULL;
        to->coarse -= own->finest;
        v->of[f] = (ir_field_level){f, 1};
    }
    own->stage = arena_alloc(a, code->stages + 1, sizeof *own->stage);
    memcpy(own->stage, code->stage, (size_t)code->stages * sizeof *own->stage);
    for (int64_t k = group->first; k < group->end; k++)
        view_stage(code, group, k, a, v);
    return PAV_OK;
}

pav_status ir_view_group(const ir *code, const ir_group *group, arena *a,
                         ir_group_view *result)
{
    pav_status status;

    ARENA_GUARD(a, status, view_in(code, group, a, result));
    return status;
}
