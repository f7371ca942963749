/* SPDX-License-Identifier: BSD-3-Clause */
/* Operation instances of a time block: the operations of single steps on whole levels,
 * prepared for any part of them, with the levels, times and uniforms of their step. */
#include <assert.h>
#include <string.h>

#include "exec/time/tile_private.h"

/* State of the preparation. */
typedef struct making {
    time_block *block;
    int step;
    const view *const *const *view;
    schedule loop;
} making;

/* ---- levels of an operation -------------------------------------------------------- */

static const view **slots_at(arena *a, const levels *now, int step)
{
    levels then = *now;
    const int count = then.count + 1;
    const view **slot = arena_alloc(a, count + 1, sizeof *slot);
    for (int k = 0; k < step; k++)
        levels_rotate(&then);
    for (int k = 0; k < count; k++)
        slot[k] = levels_view(&then, 1 - k);
    return slot;
}

static const view *const *const *views_at(const time_block *p, int step)
{
    const ir *code = p->part->code;
    const view *const **all = arena_alloc(p->arena, code->fields + 1, sizeof *all);
    for (int64_t f = 0; f < code->fields; f++)
        all[f] = slots_at(p->arena, &p->part->field[f],
                          code->field[f].updated ? step : 0);
    return all;
}

static double *keep_uniforms(const time_block *p)
{
    const int64_t count = p->whole->code->uniforms;
    double *kept = arena_alloc(p->arena, count + 1, sizeof *kept);
    memcpy(kept, p->whole->uniform, (size_t)count * sizeof *kept);
    return kept;
}

static pav_status make_stage(const making *k, int stage,
                             const view *const *const *view_of, const box *b,
                             ready_stage *ready)
{
    const subdomain *whole = k->block->whole;
    const ir_stage *s = &whole->code->stage[stage];
    interp_args args = {.code = whole->code,
                        .stage = s,
                        .view = view_of,
                        .table = whole->table,
                        .uniform = whole->uniform,
                        .box = *b};
    TRY(stage_before(&args));
    args.uniform = keep_uniforms(k->block);
    return kernels_ready(k->block->part->executor, &args, &k->loop, ready);
}

/* ---- borders ----------------------------------------------------------------------- */

static pav_status make_face(const making *k, time_fill *fill, int axis, int side)
{
    const ir_border *b = subdomain_border(
        k->block->part, fill->field - k->block->part->code->field, axis, side);
    if (b->stage < 0)
        return PAV_OK;
    const box all = border_box(fill->view, axis, side, b->kind);
    return make_stage(k, b->stage, fill->views, &all, &fill->face[axis][side]);
}

static pav_status make_faces(const making *k, time_fill *fill)
{
    subdomain *whole = k->block->whole;
    subdomain_set_time(whole, k->block->step + k->step + 1);
    for (int axis = 0; axis < whole->code->dim; axis++)
        for (int side = 0; side < 2; side++)
            TRY(make_face(k, fill, axis, side));
    subdomain_set_time(whole, k->block->step + k->step);
    return PAV_OK;
}

static pav_status make_fill(const making *k, time_instance *m, int field)
{
    const subdomain *whole = k->block->whole;
    const bool *kept = k->block->slab.kept;
    if (kept ? kept[field] : subdomain_border_state(whole, field) == BORDER_KEPT)
        return PAV_OK;
    time_fill *fill = &m->fill[m->fills++];
    const int64_t fields = whole->code->fields;
    fill->field = &whole->code->field[field];
    fill->view = fill->slot[0] = fill->slot[1] = k->view[field][0];
    fill->views = arena_alloc(k->block->arena, fields + 1, sizeof *fill->views);
    memcpy(fill->views, k->view, (size_t)fields * sizeof *fill->views);
    fill->views[field] = fill->slot;
    return make_faces(k, fill);
}

static pav_status make_fills(const making *k, time_instance *m, const bool *stored)
{
    const int64_t fields = k->block->whole->code->fields;
    m->fill = arena_alloc(k->block->arena, fields + 1, sizeof *m->fill);
    for (int f = 0; f < fields; f++)
        if (stored[f])
            TRY(make_fill(k, m, f));
    return PAV_OK;
}

/* ---- operations -------------------------------------------------------------------- */

/* A slab restricts an instance to the points of its tiles. */
static void limit_to_slab(const time_slab *slab, time_instance *m)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (int64_t n = 0; n < slab->tiles; n++) {
        const spans s = time_points(slab->cut, slab->first + n, m->shift[slab->axis]);
        if (s.count == 0)
            continue;
        lo = s.at[0].lo < lo ? s.at[0].lo : lo;
        hi = s.at[s.count - 1].hi > hi ? s.at[s.count - 1].hi : hi;
    }
    box within = m->box;
    within.lo[slab->axis] = lo < hi ? lo : 0;
    within.hi[slab->axis] = lo < hi ? hi : 0;
    m->box = box_common(&m->box, &within);
}

static pav_status make_points(const making *k, time_instance *m)
{
    const time_block *p = k->block;
    const ir *code = p->part->code;
    const ir_stage *s = &code->stage[m->operation->stage];
    bool *stored = arena_alloc(p->arena, code->fields + 1, sizeof *stored);
    m->box = p->number < 0
                 ? ir_stage_box(code, s)
                 : exec_split_share(p->whole, p->number, s, p->steps - 1 - k->step);
    if (p->slab.cut)
        limit_to_slab(&p->slab, m);
    if (!p->slab.cut || !box_is_empty(&m->box)) /* faces may remain even without points */
        TRY(make_stage(k, m->operation->stage, k->view, &m->box, &m->stage));
    for (int64_t n = 0; n < s->outputs; n++)
        stored[s->output[n].field] = true;
    return make_fills(k, m, stored);
}

static pav_status make_injection(const making *k, time_instance *m, int64_t index)
{
    subdomain *whole = k->block->whole;
    const ir_list *list = &whole->code->injections.item[index].list;
    const int field = whole->code->injections.item[index].field;
    const box anywhere = point_box(k->view[field][0]->first);
    for (int64_t n = 0; n + 1 < list->count; n++)
        TRY(subdomain_stage(whole, list->stage[n], NULL));
    return make_stage(k, list->stage[list->count - 1], k->view, &anywhere,
                      &m->inject[index]);
}

static pav_status make_injections(const making *k, time_instance *m)
{
    const time_block *p = k->block;
    const ir *code = p->whole->code;
    bool *stored = arena_alloc(p->arena, code->fields + 1, sizeof *stored);
    m->inject = arena_alloc(p->arena, code->injections.count, sizeof *m->inject);
    for (int64_t n = 0; n < code->injections.count; n++) {
        TRY(make_injection(k, m, n));
        stored[code->injections.item[n].field] |= p->state->injection[n].near_face;
    }
    return make_fills(k, m, stored);
}

static time_instance *add_instance(const making *k, const ir_operation *operation)
{
    time_block *p = k->block;
    time_instance *m = &p->instance[p->instances++];
    m->operation = operation;
    m->step = k->step;
    m->view = k->view;
    for (int axis = 0; axis < MAX_DIM; axis++)
        m->shift[axis] = (int64_t)k->step * p->state->blocking.skew[axis] +
                         operation->skew[axis];
    if (p->columns.turn > 0)
        m->shift[p->state->column] = time_turning_shift(
            &p->state->blocking, &p->columns, p->state->column, k->step, operation);
    return m;
}

/* Stages with uniforms only have no operation: they are evaluated here. */
static pav_status make_stages(const making *k, const ir_operation **operation)
{
    const ir_list *list = &k->block->whole->code->step;
    for (int64_t n = 0; n < list->count; n++)
        if ((*operation)->kind == OPERATION_STAGE &&
            (*operation)->stage == list->stage[n])
            TRY(make_points(k, add_instance(k, (*operation)++)));
        else
            TRY(subdomain_stage(k->block->whole, list->stage[n], NULL));
    return PAV_OK;
}

static pav_status make_step(const making *k)
{
    time_block *p = k->block;
    const ir_operation *operation = p->state->blocking.operation;
    subdomain_set_time(p->whole, p->step + k->step);
    TRY(make_stages(k, &operation));
    if (operation->kind == OPERATION_INJECT)
        TRY(make_injections(k, add_instance(k, operation++)));
    assert(operation->kind == OPERATION_SAMPLE); /* the last operation of a step */
    (void)add_instance(k, operation);
    assert(p->instances == (k->step + 1) * p->state->blocking.operations);
    subdomain_set_time(p->whole, p->step + k->step + 1);
    p->state->time[p->before + k->step] = p->whole->uniform[p->whole->code->uniform_t];
    return PAV_OK;
}

static pav_status make_all(time_block *p)
{
    p->instance = arena_alloc(p->arena, p->steps * p->state->blocking.operations,
                              sizeof *p->instance);
    for (int step = 0; step < p->steps; step++) {
        const making k = {p, step, views_at(p, step), p->shape};
        TRY(make_step(&k));
    }
    return PAV_OK;
}

pav_status time_instances_open(time_block *p)
{
    pav_status status = PAV_ENOMEM;
    p->arena = arena_new();
    if (p->arena)
        ARENA_GUARD(p->arena, status, make_all(p));
    return status;
}

static void close_instance(const ir *code, time_instance *m)
{
    ready_close(&m->stage);
    for (int64_t n = 0; m->inject && n < code->injections.count; n++)
        ready_close(&m->inject[n]);
    for (int64_t n = 0; n < m->fills; n++)
        for (int face = 0; face < 2 * MAX_DIM; face++)
            ready_close(&m->fill[n].face[face / 2][face % 2]);
}

void time_instances_close(time_block *p)
{
    for (int64_t n = 0; n < p->instances; n++)
        close_instance(p->whole->code, &p->instance[n]);
    arena_free(p->arena);
}
