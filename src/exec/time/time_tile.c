/* SPDX-License-Identifier: BSD-3-Clause */
/* One time tile: its operation instances, prepared from the operations of single steps,
 * one after another, with their sources, receivers and borders. */
#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "exec/time/tile_private.h"

/* ---- state between time blocks ----------------------------------------------------- */

/* State kept between time blocks: skews, neighbours of sources and receivers sorted by
 * place, and room for samples taken within a time block. */

pav_status time_state_open(const subdomain *whole, time_state *s, int steps)
{
    assert(steps > 0 && steps <= TIME_MOST_STEPS); /* s->time has room */
    if (!s->ready) {
        const int64_t injections = whole->code->injections.count;
        s->injection = mem_new(injections + 1, sizeof *s->injection);
        s->sample = mem_new(s->receivers + 1, sizeof *s->sample);
        s->sampled = mem_new(s->receivers + 1, sizeof *s->sampled);
        if (!s->injection || !s->sample || !s->sampled)
            return PAV_ENOMEM;
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
        const int64_t count = steps * s->sample[k].count;
        mem_free(s->sampled[k]);
        s->sampled[k] = mem_new(count + 1, sizeof **s->sampled);
        if (!s->sampled[k])
            return PAV_ENOMEM;
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
    mem_free(s->receiver);
    mem_free(s->injection);
    mem_free(s->sample);
    mem_free(s->sampled);
    ir_blocking_close(&s->blocking);
}

/* ---- operation instances ----------------------------------------------------------- */

/* Operation instances of a time block: the operations of single steps on whole levels,
 * prepared for any part of them, with the levels, times and uniforms of their step. */

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

/* ---- sources and receivers --------------------------------------------------------- */

/* Sources and receivers within a time block, tile by tile. */

/* ---- sources ----------------------------------------------------------------------- */

typedef struct injecting {
    const ready_stage *stage;
    const ir *code;
    double *uniform; /* the thread's own */
    int weight;
} injecting;

static pav_status inject_one(void *user, double amount, const box *point)
{
    const injecting *i = user;
    ready_stage one = *i->stage;
    memcpy(i->uniform, one.args.uniform, (size_t)i->code->uniforms * sizeof *i->uniform);
    i->uniform[i->weight] = amount;
    one.args.uniform = i->uniform;
    one.work.uniform = i->uniform;
    return ready_call(&one, point);
}

static pav_status inject_sources(const time_block *p, const time_instance *m,
                                 const box *b, double *uniform)
{
    const ir *code = p->part->code;
    assert(p->state->ready); /* points are sorted before a block */
    for (int64_t k = 0; k < code->injections.count; k++) {
        injecting i = {&m->inject[k], code, uniform, code->injections.item[k].weight};
        const box own = p->number < 0 ? *b : exec_split_injected(p->part, k);
        const box here = box_common(b, &own);
        TRY(sources_within(&p->whole->injection[k], &p->state->injection[k], &here,
                           p->step + m->step, inject_one, &i));
    }
    return PAV_OK;
}

/* ---- borders ----------------------------------------------------------------------- */

/* Borders tile by tile. Of each face it fills the ghosts next to, or copied from, points
 * already done. The order is the same as for a whole level in borders.c. */

/* Shift of an operation instance relative to the first one of the tile. */
static int64_t shift_in(const time_tile *t, const time_instance *m, int axis)
{
    return m->shift[axis] - t->back[axis];
}

static pav_status fill_face(const time_block *p, const time_instance *m,
                            const time_fill *fill, int axis, int side, const time_tile *t)
{
    const ir_field *f = fill->field;
    const ready_stage *stage = &fill->face[axis][side];
    const border_kind kind = f->border[axis][side].kind;
    const box there = view_window(fill->view);
    spans at[MAX_DIM];
    box b;
    if (!border_is(
            subdomain_border(p->part, f - p->part->code->field, axis, side)->kind) ||
        !time_has_face(&p->axis[axis], t->at[axis], shift_in(t, m, axis), f, axis, side))
        return PAV_OK;
    for (int n = 0; n < MAX_DIM; n++) {
        at[n] = (n < axis ? time_outer : time_inner)(&p->axis[n], t->at[n],
                                                     shift_in(t, m, n), f, n);
        for (int k = 0; k < at[n].count; k++) { /* within the subdomain */
            at[n].at[k].lo = int64_most(at[n].at[k].lo, there.lo[n]);
            at[n].at[k].hi = int64_least(at[n].at[k].hi, there.hi[n]);
        }
    }
    at[axis] = (spans){1, {{0, 1}}};
    for (int n = 0; time_box(at, n, &b); n++) {
        border_copy(fill->view, axis, side, kind, &b);
        border_slab(fill->view, axis, side, kind, &b);
        if (stage->there)
            TRY(ready_call(stage, &b));
    }
    return PAV_OK;
}

pav_status time_fill_borders(const time_block *p, const time_instance *m,
                             const time_tile *t)
{
    for (int64_t k = 0; k < m->fills; k++)
        for (int axis = 0; axis < p->part->code->dim; axis++)
            for (int side = 0; side < 2; side++)
                TRY(fill_face(p, m, &m->fill[k], axis, side, t));
    return PAV_OK;
}

/* ---- one tile ---------------------------------------------------------------------- */

/* One time tile: its operation instances one after another. All threads of a group share
 * the tile. They divide the points of an operation along x, so that each keeps its piece
 * of all rows in its own cache, and synchronise after it. A group of one thread needs no
 * synchronisation. */

enum {
    SPINS = 2000,        /* before other threads get the processor */
    PIECE = CPU_LINE / 2 /* points that fill whole lines of memory in any type */
};

/* ---- groups ------------------------------------------------------------------------ */

void time_spin(int *spins)
{
    if (++*spins > SPINS)
        (void)sched_yield();
}

void time_synchronise(time_group *g)
{
    int spins = 0;
    const unsigned turn = atomic_load_explicit(&g->turn, memory_order_relaxed);
    if (g->threads == 1)
        return;
    if (atomic_fetch_add(&g->come, 1) == g->threads - 1) {
        atomic_store_explicit(&g->come, 0, memory_order_relaxed);
        atomic_store_explicit(&g->turn, turn + 1, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&g->turn, memory_order_acquire) == turn)
        time_spin(&spins);
}

/* First point of the n-th thread along x. */
static int64_t cut(const box *b, int threads, int n)
{
    const int64_t at = b->lo[0] + (b->hi[0] - b->lo[0]) * n / threads;
    const int64_t piece = at & -(int64_t)PIECE;
    return n == threads ? b->hi[0] : piece > b->lo[0] ? piece : b->lo[0];
}

/* The thread's part of a box computed by its group. */
static box part_of(const time_own *mine, const box *b)
{
    box part = *b;
    part.lo[0] = cut(b, mine->group->threads, mine->number);
    part.hi[0] = cut(b, mine->group->threads, mine->number + 1);
    assert(mine->number < mine->group->threads && part.lo[0] <= part.hi[0]);
    return part;
}

/* ---- one operation ----------------------------------------------------------------- */

/* Samples after the last step of a time block are taken like after any step, unless other
 * steps follow at once. */
static pav_status take_samples(const time_block *p, const time_instance *m, const box *b)
{
    const time_state *s = p->state;
    const box own = p->number < 0 ? *b : p->part->grid->box, here = box_common(b, &own);
    const bool is_own = m->step + 1 < p->steps || p->goes_on;
    assert(s->receivers == 0 || p->before + m->step < s->sampled_steps);
    for (int64_t k = 0; k < s->receivers && is_own; k++) {
        const time_receiver *r = &s->receiver[k];
        if (!r->points || !sample_is_due(r->statement, p->step + m->step + 1))
            continue;
        TRY(placed_values(&s->sample[k], &here,
                          m->view[r->field][!p->whole->code->field[r->field].updated],
                          s->sampled[k] + (p->before + m->step) * s->sample[k].count));
    }
    return PAV_OK;
}

static pav_status do_points(const time_block *p, const time_instance *m, time_own *mine,
                            const time_tile *t)
{
    const ir_operation_kind kind = m->operation->kind;
    spans at[MAX_DIM];
    box b;
    for (int axis = 0; axis < MAX_DIM; axis++)
        at[axis] = time_points(&p->axis[axis], t->at[axis], shift_in(t, m, axis));
    for (int n = 0; time_box(at, n, &b); n++) {
        if (kind == OPERATION_STAGE) {
            const box all = box_common(&b, &m->box);
            if (box_is_empty(&all))
                continue;
            const box part = part_of(mine, &all);
            TRY(ready_call(&m->stage, &part));
        } else {
            TRY(kind == OPERATION_INJECT ? inject_sources(p, m, &b, mine->uniform)
                                         : take_samples(p, m, &b));
        }
    }
    return PAV_OK;
}

/* After a failure threads still synchronise, so that no thread waits for ever. */
static void note(time_own *mine, pav_status status)
{
    if (status != PAV_OK)
        atomic_store(mine->failed, (int)status);
}

static bool works(const time_own *mine)
{
    return atomic_load(mine->failed) == PAV_OK;
}

/* All threads compute a part of a stage; every other operation is done by the first
 * thread. */
void time_do_tile(const time_block *p, time_own *mine, const time_tile *t)
{
    for (int64_t n = t->first; n < t->end; n++) {
        const time_instance *m = &p->instance[n];
        const bool all = m->operation->kind == OPERATION_STAGE, first = mine->number == 0;
        if (m->operation->kind == OPERATION_SAMPLE && p->state->receivers == 0)
            continue;
        if ((all || first) && works(mine))
            note(mine, do_points(p, m, mine, t));
        if (all)
            time_synchronise(mine->group);
        if (first && works(mine))
            note(mine, time_fill_borders(p, m, t));
        if (!all || m->fills > 0)
            time_synchronise(mine->group);
    }
}

static void find_column(const time_block *p, int axis, time_tile *t)
{
    t->column = (span){p->axis[axis].extent, 0};
    for (int64_t n = t->first; n < t->end; n++) {
        const span s = time_last_points(&p->axis[axis], t->at[axis],
                                        shift_in(t, &p->instance[n], axis));
        t->column.lo = s.lo < t->column.lo ? s.lo : t->column.lo;
        t->column.hi = s.hi > t->column.hi ? s.hi : t->column.hi;
    }
}

/* Along the sweep and along x each row begins anew, so columns have equal length in all
 * rows. */
time_tile time_tile_of(const time_block *p, int64_t row, int64_t column)
{
    const ir_blocking *b = &p->state->blocking;
    int first, end;
    time_steps_of_row(&p->columns, row, p->steps, &first, &end);
    time_tile t = {.first = first * b->operations, .end = end * b->operations};
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (axis != p->state->column)
            t.back[axis] = (int64_t)first * b->skew[axis];
    if (p->state->column < 0)
        return t;
    t.at[p->state->column] = column;
    find_column(p, p->state->column, &t);
    return t;
}
