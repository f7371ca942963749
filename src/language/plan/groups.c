/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of stages: consecutive stages of a step on one of the finest grids, each reading
 * a result of the ones before it. A GPU may take a group in one launch, like the steps of
 * a fused launch: each block computes its tile with an overlap. Then memory is crossed
 * once for all stages, and what only the group reads is never stored.
 *
 * Blocks of such a launch have no order. So no buffer that the group reads may be stored
 * by it: buffers.c keeps them apart. */
#include <string.h>

#include "plan/plan_private.h"

enum { MOST_GROUPED = 3 /* the overlap of tiles grows with each stage */ };

/* ---- groups of a step -------------------------------------------------------------- */

static const ir_stage *stage_at(const ir *code, int64_t at)
{
    return &code->stage[code->step.stage[at]];
}

/* Each stage of a group has one result. */
static bool may_be_grouped(const ir *code, const ir_stage *s)
{
    const ir_output *o = s->output;
    bool may = s->outputs == 1 && s->coarse < code->grouped && !s->along &&
               !s->transform && !s->gated && !s->rests && o->kind == IR_STORE &&
               o->level == 1 && code->field[o->field].masks == 0;

    for (int64_t k = 0; k < s->count; k++)
        may &= s->node[k].transfer != IR_TO_FINE;
    return may;
}

/* True if a level is a result of places first .. end - 1 of a group. */
static bool is_result(const ir *code, int64_t first, int64_t end, int field, int level)
{
    bool found = false;

    for (int64_t k = first; k < end; k++)
        found |= level == 1 && stage_at(code, k)->output->field == field;
    return found;
}

/* A stage that stores a field again begins a new group. */
static bool joins(const ir *code, int64_t first, int64_t end)
{
    const ir_stage *s = stage_at(code, end);
    bool reads = false;

    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        reads |= is_result(code, first, end, n->field, n->level);
    return reads && may_be_grouped(code, s) &&
           s->coarse == stage_at(code, first)->coarse &&
           !is_result(code, first, end, s->output->field, 1);
}

void ir_find_groups(ir *code)
{
    const ir_list *step = &code->step;

    code->group = arena_alloc(code->arena, step->count + 1, sizeof *code->group);
    for (int64_t k = 0, end; k < step->count; k = end) {
        const bool may = may_be_grouped(code, stage_at(code, k));
        end = k + 1;
        while (may && end < step->count && end - k < MOST_GROUPED && joins(code, k, end))
            end++;
        if (end - k > 1)
            code->group[code->groups++] = (ir_group){.first = k, .end = end};
    }
}

ir_group ir_group_at(const ir *code, int64_t at)
{
    for (int64_t g = 0; g < code->groups; g++)
        if (at >= code->group[g].first && at < code->group[g].end)
            return code->group[g];
    return (ir_group){.first = at, .end = at + 1};
}

int64_t ir_bytes_by_groups(const ir *code, const ir_stage *s, int64_t bytes)
{
    for (int64_t g = 0; g < code->groups; g++)
        for (int64_t k = code->group[g].first; k < code->group[g].end; k++)
            if (stage_at(code, k) == s)
                return k == code->group[g].first ? code->group[g].bytes : 0;
    return bytes;
}

/* ---- views ------------------------------------------------------------------------- */

/* The field of the view for a level that the group reads. */
static int input_of(const ir *code, const ir_node *n, ir_group_view *v)
{
    ir *own = &v->code;
    int64_t f = code->fields;

    while (f < own->fields && (v->of[f].field != n->field || v->of[f].level != n->level))
        f++;
    if (f < own->fields)
        return (int)f;
    own->field[f] = own->field[n->field];
    own->field[f].updated = false;
    own->field[f].levels = 1;
    v->of[f] = (ir_field_level){n->field, n->level};
    if (n->transfer == IR_SAME)
        v->group.bytes += (int64_t)pav_type_size(own->field[f].storage);
    return (int)own->fields++;
}

static void view_stage(const ir *code, int64_t at, arena *a, ir_group_view *v)
{
    const ir_stage *from = stage_at(code, at);
    ir_stage *s = &v->code.stage[from - code->stage];

    s->coarse = 0;
    s->node = arena_alloc(a, s->count + 1, sizeof *s->node);
    memcpy(s->node, from->node, (size_t)s->count * sizeof *s->node);
    for (int64_t k = 0; k < s->count; k++) {
        ir_node *n = &s->node[k];
        if (n->op != IR_LOAD || is_result(code, v->group.first, at, n->field, n->level))
            continue;
        n->field = input_of(code, n, v);
        n->level = 0;
    }
}

void ir_view_group(const ir *code, const ir_group *group, arena *a, ir_group_view *v)
{
    int64_t most = code->fields + 1;

    for (int64_t k = group->first; k < group->end; k++)
        most += stage_at(code, k)->count;
    *v = (ir_group_view){.group = {group->first, group->end, 0},
                         .of = arena_alloc(a, most, sizeof *v->of)};
    v->code = (ir){.arena = a,
                   .program = code->program,
                   .dim = code->dim,
                   .stages = code->stages,
                   .stage = arena_alloc(a, code->stages + 1, sizeof *code->stage),
                   .knowns = code->knowns,
                   .known = code->known,
                   .fields = code->fields,
                   .field = arena_alloc(a, most, sizeof *code->field),
                   .tables = code->tables,
                   .table = code->table,
                   .uniforms = code->uniforms,
                   .uniform = code->uniform,
                   .finest = stage_at(code, group->first)->coarse,
                   .group_of = code->fields,
                   .step = {.count = group->end - group->first,
                            .stage = code->step.stage + group->first}};
    memcpy(v->code.stage, code->stage, (size_t)code->stages * sizeof *code->stage);
    for (int f = 0; f < code->fields; f++) {
        ir_field *to = &v->code.field[f];
        *to = code->field[f];
        to->updated = is_result(code, group->first, group->end, f, 1);
        to->levels = to->updated && !to->within ? 2 : 1;
        to->in_place = false;
        to->symbol = NULL;
        to->coarse -= v->code.finest;
        v->of[f] = (ir_field_level){f, 1};
        if (to->levels > 1)
            v->group.bytes += (int64_t)pav_type_size(to->storage);
    }
    for (int64_t k = group->first; k < group->end; k++)
        view_stage(code, k, a, v);
}
