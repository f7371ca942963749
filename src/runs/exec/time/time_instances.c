/* SPDX-License-Identifier: BSD-3-Clause */
/* What a time block works with: the state kept between blocks, and operation instances,
 * prepared from the operations of single steps, one after another. */
#include <assert.h>
#include <string.h>

#include "cost/cost.h"
#include "exec/time/instances_private.h"

/* ---- state between time blocks ----------------------------------------------------- */

/* State kept between time blocks: skews, neighbours of sources and receivers sorted by
 * place, and room for samples taken within a time block. */

pav_status time_state_open(const subdomain *whole, time_state *s, int steps)
{
    assert(steps > 0 && steps <= TIME_MOST_STEPS); /* s->time has room */
    if (!s->ready) {
        const int64_t injections = whole->code->injections.count;
        TRY(mem_take(&s->injection, injections + 1, sizeof *s->injection));
        TRY(mem_take(&s->sample, s->receivers + 1, sizeof *s->sample));
        TRY(mem_take(&s->sampled, s->receivers + 1, sizeof *s->sampled));
        for (int64_t k = 0; k < injections; k++)
            TRY(placed_of_source(whole, k, s->stream, &s->injection[k]));
        for (int64_t k = 0; k < s->receivers; k++)
            if (s->receiver[k].points)
                TRY(placed_of_sample(s->receiver[k].points, s->stream, &s->sample[k]));
    }
    s->ready = true;
    if (steps <= s->sampled_steps)
        return PAV_OK;
    for (int64_t k = 0; k < s->receivers; k++) {
        mem_free(s->sampled[k]);
        TRY(mem_take(&s->sampled[k], steps * s->sample[k].count + 1,
                     sizeof **s->sampled));
    }
    s->sampled_steps = steps;
    return PAV_OK;
}

void time_state_close(const ir *code, time_state *s)
{
    for (int64_t k = 0; s->injection && k < code->injections.count; k++)
        placed_close(&s->injection[k]);
    for (int64_t k = 0; k < s->receivers; k++) {
        if (s->sample)
            placed_close(&s->sample[k]);
        if (s->sampled)
            mem_free(s->sampled[k]);
    }
    MEM_FREE_ALL(s->receiver, s->injection, s->sample, s->sampled);
    ir_blocking_close(&s->blocking);
}

/* ---- operation instances ----------------------------------------------------------- */

/* Operation instances of a time block: the operations of single steps on whole levels,
 * prepared for any part of them, with the levels, times and uniforms of their step. */

/* ---- the operations of a step ------------------------------------------------------ */

pav_status time_each_operation(subdomain *whole, const ir_blocking *b, int64_t step,
                               time_operation_work *work, void *user)
{
    const ir_operation *o = b->operation;
    const ir_list *list = &whole->code->step;
    subdomain_set_time(whole, step);
    for (int64_t n = 0; n < list->count; n++)
        if (o->kind == OPERATION_STAGE && o->stage == list->stage[n])
            TRY(work(user, o++));
        else
            TRY(subdomain_stage(whole, list->stage[n], NULL));
    for (; o < b->operation + b->operations; o++)
        TRY(work(user, o));
    assert(o[-1].kind == OPERATION_SAMPLE); /* it ends each step */
    subdomain_set_time(whole, step + 1);
    return PAV_OK;
}

double *time_keep_uniforms(const subdomain *whole, arena *a)
{
    const int64_t count = whole->code->uniforms;
    double *kept = arena_alloc(a, count + 1, sizeof *kept);
    memcpy(kept, whole->uniform, (size_t)count * sizeof *kept);
    return kept;
}

/* State of the preparation. */
typedef struct making {
    time_block *block;
    int step;
    const view *const *const *view;
} making;

/* ---- levels of an operation -------------------------------------------------------- */

static const view *const *const *views_at(const time_block *p, int step)
{
    const ir *code = p->part->code;
    const view *const **all = arena_alloc(p->arena, code->fields + 1, sizeof *all);
    for (int64_t f = 0; f < code->fields; f++) {
        levels then = p->part->field[f];
        const view **slot = arena_alloc(p->arena, then.count + 2, sizeof *slot);
        for (int k = 0; k < step && code->field[f].updated; k++)
            levels_rotate(&then);
        for (int k = 0; k <= then.count; k++)
            slot[k] = levels_view(&then, 1 - k);
        all[f] = slot;
    }
    return all;
}

static pav_status make_stage(const making *k, int stage,
                             const view *const *const *view_of, const box *b,
                             ready_stage *ready)
{
    const subdomain *whole = k->block->whole;
    interp_args args = {.code = whole->code,
                        .stage = &whole->code->stage[stage],
                        .view = view_of,
                        .table = whole->table,
                        .uniform = whole->uniform,
                        .box = *b};
    TRY(stage_before(&args));
    args.uniform = time_keep_uniforms(whole, k->block->arena);
    return kernels_ready(k->block->part->executor, &args, &k->block->shape, ready);
}

/* ---- borders ----------------------------------------------------------------------- */

static pav_status make_face(const making *k, time_fill *fill, int axis, int side)
{
    const subdomain *part = k->block->part;
    const ir_border *b = subdomain_border(part, fill->field - part->code->field, axis,
                                          side);
    fill->ends[axis].filled[side] = border_is(b->kind);
    if (b->stage < 0)
        return PAV_OK;
    const box all = border_box(fill->view, axis, side, border_stores_face(b->kind));
    return make_stage(k, b->stage, fill->views, &all, &fill->face[axis][side]);
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
    subdomain_set_time(k->block->whole, k->block->step + k->step + 1);
    for (int axis = 0; axis < MAX_DIM; axis++)
        fill->ends[axis] = time_ends_of(fill->field, axis);
    for (int face = 0; face < 2 * whole->code->dim; face++)
        TRY(make_face(k, fill, face / 2, face % 2));
    subdomain_set_time(k->block->whole, k->block->step + k->step);
    return PAV_OK;
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
    m->box = box_common(
        m->box, box_along(m->box, slab->axis, lo < hi ? lo : 0, lo < hi ? hi : 0));
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

static pav_status make_injections(const making *k, time_instance *m)
{
    const time_block *p = k->block;
    const ir *code = p->whole->code;
    bool *stored = arena_alloc(p->arena, code->fields + 1, sizeof *stored);
    m->inject = arena_alloc(p->arena, code->injections.count, sizeof *m->inject);
    for (int64_t n = 0; n < code->injections.count; n++) {
        const ir_event *event = &code->injections.item[n];
        /* In the middle: the first plane of a window has no plane before it. */
        const view *v = k->view[event->field][0];
        int64_t middle[MAX_DIM];
        for (int axis = 0; axis < MAX_DIM; axis++)
            middle[axis] = v->first[axis] + v->extent[axis] / 2;
        const box anywhere = point_box(middle);
        TRY(subdomain_source_numbers(p->whole, n));
        TRY(make_stage(k, source_stage(event), k->view, &anywhere, &m->inject[n]));
        stored[event->field] |= p->state->injection[n].near_face;
    }
    return make_fills(k, m, stored);
}

static pav_status make_instance(void *user, const ir_operation *operation)
{
    const making *k = user;
    time_block *p = k->block;
    time_instance *m = &p->instance[p->instances++];
    *m = (time_instance){.operation = operation, .step = k->step, .view = k->view};
    for (int axis = 0; axis < MAX_DIM; axis++)
        m->shift[axis] = (int64_t)k->step * p->state->blocking.skew[axis] +
                         operation->skew[axis];
    const int turn = p->columns.turn, column = p->state->column;
    if (turn > 0) { /* for boundaries of odd number */
        const int64_t moved = (int64_t)(k->step % turn) *
                                  cost_column_skew(&p->state->blocking, column) +
                              operation->skew[column];
        m->shift[column] = k->step / turn % 2 ? p->columns.axis.swing - moved : moved;
    }
    return operation->kind == OPERATION_STAGE    ? make_points(k, m)
           : operation->kind == OPERATION_INJECT ? make_injections(k, m)
                                                 : PAV_OK;
}

static pav_status make_all(time_block *p)
{
    const ir_blocking *b = &p->state->blocking;
    p->instance = arena_alloc(p->arena, p->steps * b->operations, sizeof *p->instance);
    for (int step = 0; step < p->steps; step++) {
        making k = {p, step, views_at(p, step)};
        TRY(time_each_operation(p->whole, b, p->step + step, make_instance, &k));
        p->state->time[p->before + step] = p->whole->uniform[p->whole->code->uniform_t];
    }
    return PAV_OK;
}

pav_status time_instances_open(time_block *p)
{
    p->arena = arena_new();
    RETURN_GUARDED(p->arena, make_all(p));
}

static void ready_close(ready_stage *ready)
{
    mem_free(ready->grid);
    *ready = (ready_stage){0};
}

void time_instances_close(time_block *p)
{
    for (int64_t n = 0; n < p->instances; n++) {
        time_instance *m = &p->instance[n];
        ready_close(&m->stage);
        for (int64_t k = 0; m->inject && k < p->whole->code->injections.count; k++)
            ready_close(&m->inject[k]);
        for (int64_t k = 0; k < m->fills; k++)
            for (int face = 0; face < 2 * MAX_DIM; face++)
                ready_close(&m->fill[k].face[face / 2][face % 2]);
    }
    arena_free(p->arena);
}
