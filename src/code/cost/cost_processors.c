/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of processors. Loop schedules: the caches that deliver planes and rows for their
 * later uses, and the balance of threads over the box.
 *
 * Time tiles: along y, the operations of a tile touch the rows skewed over in a time
 * block and a few more, in all levels of their fields. If these fit in a core's cache,
 * memory sees each level read once and written once in a time block of any depth, plus
 * the strips where columns overlap by their skew. */
#include <math.h>

#include "cost/cost_private.h"

/* ---- loads of a stage -------------------------------------------------------------- */

/* Rows or planes spanned by the loads of a slot, including the point's own. */
static int64_t width_of(const ir_stage *stage, const emit_slot *slot, int axis)
{
    int least = 0, most = 0;
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op != IR_LOAD || n->field != slot->field || n->level != slot->level)
            continue;
        least = n->offset[axis] < least ? n->offset[axis] : least;
        most = n->offset[axis] > most ? n->offset[axis] : most;
    }
    return most - least + 1;
}

cost_load cost_load_of(const ir *code, const ir_stage *stage, const emit_slot *slot,
                       int64_t slots)
{
    cost_load load = {.rows = 1, .planes = 1, .levels = slots};
    for (int64_t n = 0; n < slots; n++) {
        const int64_t size = (int64_t)pav_type_size(code->field[slot[n].field].storage);
        const ir_field *f = &code->field[slot[n].field];
        bool any = false;
        for (int64_t k = 0; k < slots && slot[n].stored && f->in_place; k++)
            any = any ||
                  (slot[k].field == slot[n].field && slot[k].level == 1 - f->levels);

        const bool over = any;
        *(over ? &load.overwritten : &load.point_bytes) += size;
        load.levels -= over;
        load.element = int64_most(size, load.element);
        if (!slot[n].loaded)
            continue;
        load.loaded_bytes += size;
        load.rows = int64_most(width_of(stage, &slot[n], 1), load.rows);
        load.planes = int64_most(width_of(stage, &slot[n], 2), load.planes);
    }
    return load;
}

pav_status cost_load_of_stage(const ir *code, const ir_stage *stage, cost_load *load)
{
    *load = (cost_load){.rows = 1, .planes = 1};
    OWNED_NEW(emit_slot, slot, stage->count + stage->outputs);
    *load = cost_load_of(code, stage, slot, emit_slots(stage, slot));
    return PAV_OK;
}

/* Factor on the bytes from caches and memory. Loads and stores of many levels use the
 * same sets of a cache, because points of different levels have similar addresses. */
static double crowd_of(const cost_load *load)
{
    const cpu_costs *k = cpu_costs_of();
    return 1 + k->crowd * fmax(0, (double)load->levels - k->streams);
}

/* ---- single steps by a loop schedule ----------------------------------------------- */

typedef struct loop {
    const box *box;
    int threads, axis; /* split axis */
} loop;

static double width(const loop *l, int axis)
{
    return (double)(l->box->hi[axis] - l->box->lo[axis]);
}

/* Idle factor: the largest share of a thread over the mean share. */
static double loop_idle(const loop *l, int all)
{
    const double parts = width(l, l->axis);
    return l->threads < all ? fmax(1, cpu_costs_of()->alone * all)
           : all > 1        ? ceil(parts / all) * all / parts
                            : 1;
}

/* Adds the terms of a box of a stage by a loop schedule, with `arithmetic` seconds of
 * arithmetic. Without an axis in the schedule, threads split the outermost one. */
static void add_loop(const box *b, const cost_load *load, const cost_question *q,
                     double arithmetic, step_cost *c)
{
    const schedule *s = q->schedule;
    const cpu_facts *f = &q->machine->cpu;
    const machine_rates *r = &q->machine->rate;
    const cpu_costs *k = cpu_costs_of();
    loop l = {b, .threads = f->threads > 0 ? f->threads : 1};
    double from_memory = 0, from_last = 0, from_core = 0; /* bytes */

    if (box_is_empty(b))
        return;
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (width(&l, axis) > 1)
            l.axis = axis;
    if (s->device.size[0] == 1)
        l.threads = 1;
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (s->device.size[axis] > 1)
            l.axis = axis;

    /* Rows around a block are read again with the next block. Lines written into caches
     * are read first, unless they were loaded. Those written past caches leave them. */
    const double all = width(&l, 0) * width(&l, 1) * width(&l, 2);
    const double block = s->tile.size[1];
    const double again = block > 0 ? (block + (double)load->rows - 1) / block : 1;
    const double stored = (double)(load->point_bytes - load->loaded_bytes);
    const double moved = (double)load->loaded_bytes * again +
                         (s->non_temporal ? 1 : 2) * stored +
                         (s->non_temporal ? 2 : 1) * (double)load->overwritten;
    const bool cached = all * (double)load->point_bytes <= (double)f->last_cache;
    *(cached ? &from_last : &from_memory) += all * moved;
    from_core += all * (double)(load->point_bytes + load->overwritten);

    /* Later uses of a plane are served by the core's own cache, the last cache, or
     * memory. `passing` bytes pass through a thread's caches between the first and the
     * last use. */
    double rows = block > 0 ? block : width(&l, 1);
    if (l.axis == 1 && rows > width(&l, 1) / l.threads)
        rows = ceil(width(&l, 1) / l.threads);
    const double passing = (double)load->planes * (double)load->loaded_bytes *
                           width(&l, 0) * (rows + (double)load->rows - 1);
    const double more = (double)(load->planes - 1) * (double)load->element * all;
    if (passing <= k->share * (double)f->core_cache)
        from_core += more;
    else if (passing <= (double)f->last_cache / l.threads)
        from_last += more;
    else
        from_memory += more;

    const double crowd = crowd_of(load);
    const double memory = crowd * cost_seconds(from_memory, r->memory) *
                          (s->tile.ahead > 0 ? 1 : k->late);
    const double cache = crowd * (cost_seconds(from_last, r->last_cache) +
                                  cost_seconds(from_core, r->core_cache));
    const double work = arithmetic * (s->thread.size[1] == 1 ? k->single : 1);
    c->bytes += from_memory;
    c->term[COST_MEMORY] += memory;
    c->term[COST_CACHE] += cache;
    c->term[COST_ARITHMETIC] += work;
    c->term[COST_IDLE] += (memory + cache + work) * (loop_idle(&l, f->threads) - 1);
    c->term[COST_LAUNCH] += l.threads > 1 ? r->launch : 0;
    if (r->launch > 0)
        c->term[COST_LAUNCH] += width(&l, 1) * width(&l, 2) * k->row / l.threads;
}

pav_status cost_loops(const cost_question *q, step_cost *c)
{
    if (q->box) {
        add_loop(q->box, q->load, q, 0, c);
        return PAV_OK;
    }
    const ir_list *step = &q->code->step;
    for (int64_t n = 0; n < step->count; n++) {
        const ir_stage *s = &q->code->stage[step->stage[n]];
        const box b = ir_stage_box(q->code, s);
        cost_load load;
        double seconds;
        TRY(cost_load_of_stage(q->code, s, &load));
        TRY(cost_stage_arithmetic(q, s, cost_host_use(), &seconds));
        if (!s->rests)
            add_loop(&b, &load, q, seconds, c);
    }
    return PAV_OK;
}

/* ---- traffic of a time block of several steps -------------------------------------- */

static void see(const ir *code, int field, bool *seen, cost_traffic *t)
{
    const ir_field *f = &code->field[field];
    const double size = (double)pav_type_size(f->storage);
    if (seen[field])
        return;
    seen[field] = true;
    t->touched += f->updated ? f->levels * size : size;
    t->moved += f->updated ? 2 * f->levels * size : size;
}

static void see_stage(const ir *code, const ir_stage *s, bool *seen, cost_traffic *t)
{
    for (int64_t n = 0; n < s->count; n++)
        if (s->node[n].op == IR_LOAD)
            see(code, s->node[n].field, seen, t);
    for (int64_t n = 0; n < s->outputs; n++)
        if (s->output[n].kind == IR_STORE)
            see(code, s->output[n].field, seen, t);
}

pav_status cost_traffic_of(const ir *code, const ir_blocking *b, cost_traffic *t)
{
    *t = (cost_traffic){0};
    OWNED_NEW(bool, seen, code->fields + 1);
    for (int64_t k = 0; k < b->operations; k++)
        if (b->operation[k].kind == OPERATION_STAGE)
            see_stage(code, &code->stage[b->operation[k].stage], seen, t);
    return PAV_OK;
}

int cost_column_skew(const ir_blocking *b, int axis)
{
    int most = b->skew[axis];
    for (int64_t k = 0; k < b->operations; k++)
        most = int_most(most, b->operation[k].skew[axis]);
    return most;
}

int64_t cost_skew(const ir_blocking *b, int axis, int depth)
{
    return (int64_t)(depth - 1) * b->skew[axis] + 2 * cost_column_skew(b, axis);
}

/* Factor on the bytes of a time block cut into tiles of this width along an axis (0: one
 * tile). Strips where neighbouring tiles overlap by their skew move twice. */
static double twice(const ir_blocking *b, int axis, int width, int depth)
{
    return axis >= 0 && width > 0 ? 1 + (double)cost_skew(b, axis, depth) / width : 1;
}

double cost_tile_bytes(const cost_traffic *t, const ir_blocking *b, int column,
                       const schedule *s, double steps)
{
    const int *size = s->tile.size, depth = s->tile.steps;
    return t->moved * twice(b, column, size[TILE_COLUMN], depth) / steps;
}

/* Each row of tiles moves half of the columns, at their widest, and the strips read next
 * to them. A time block has one more row of tiles than it has turns. */
double cost_turning_bytes(const cost_traffic *t, const ir_blocking *b, int column,
                          const schedule *s, int steps)
{
    const int turn = int_least(schedule_turn(s), steps), wide = s->tile.size[TILE_COLUMN];
    const double rows = (double)int_parts(steps, turn) + 1;
    const double strips = turn * cost_column_skew(b, column) + 2 * b->skew[column];
    return wide == 0 ? t->moved / steps
                     : t->moved * rows * (wide + strips) / (2.0 * wide * steps);
}

/* ---- seconds of time tiles --------------------------------------------------------- */

typedef struct tiling {
    const ir *code;
    const ir_blocking *b;
    const schedule *s;
    const machine_facts *m;
    cost_traffic traffic;
    int sweep, column;         /* axes; column -1: none */
    double wide, high, points; /* of a tile; of the grid */
    int share, groups;         /* threads sharing a tile; number of such groups */
} tiling;

static double extent(const tiling *t, int axis)
{
    return axis < 0 ? 1 : (double)points_along(t->code, axis, false);
}

static pav_status open_tiling(const ir *code, const ir_blocking *b, const schedule *s,
                              const machine_facts *m, tiling *t)
{
    const int share = s->device.size[0] > 1 ? s->device.size[0] : 1;

    *t = (tiling){.code = code,
                  .b = b,
                  .s = s,
                  .m = m,
                  .sweep = code->dim > 1 ? 1 : 0,
                  .column = schedule_column_axis(code->dim),
                  .share = share,
                  .groups = m->cpu.threads > share ? m->cpu.threads / share : 1};
    t->high = s->tile.size[TILE_SWEEP] > 0 ? s->tile.size[TILE_SWEEP]
                                           : extent(t, t->sweep);
    t->wide = t->column >= 0 && s->tile.size[TILE_COLUMN] > 0 ? s->tile.size[TILE_COLUMN]
                                                              : extent(t, t->column);
    t->points = extent(t, 0) * extent(t, 1) * extent(t, 2);
    return cost_traffic_of(code, b, &t->traffic);
}

/* A core's own cache delivers all bytes. The part of a tile beyond its size comes from
 * the last cache, or from memory. If the whole grid fits in the last cache, nothing comes
 * from memory. */
static pav_status add_caches(const tiling *t, step_cost *c)
{
    const machine_rates *r = &t->m->rate;
    const int threads = t->m->cpu.threads > 0 ? t->m->cpu.threads : 1;
    const double core = cpu_costs_of()->share * (double)t->m->cpu.core_cache;
    const double last = (double)t->m->cpu.last_cache / threads;
    const int depth = t->s->tile.steps;
    double points_of = ((double)cost_skew(t->b, t->sweep, depth) + t->high) / t->share;
    if (t->column > 0)
        points_of *= extent(t, 0);
    if (t->column >= 0)
        points_of *= t->wide + 2 * t->b->skew[t->column];

    const double tile = t->traffic.touched * points_of;
    double bytes = 0; /* loaded and stored by kernels; a written line is read first */
    for (int64_t k = 0; k < t->code->step.count; k++) {
        cost_load l;
        TRY(cost_load_of_stage(t->code, &t->code->stage[t->code->step.stage[k]], &l));
        bytes += crowd_of(&l) * t->points * (double)(2 * l.point_bytes - l.loaded_bytes);
    }
    const double beyond = tile > core ? (1 - core / tile) * bytes : 0;
    c->term[COST_CACHE] = cost_seconds(bytes, r->core_cache);
    if (tile <= last)
        c->term[COST_CACHE] += cost_seconds(beyond, r->last_cache);
    else
        c->bytes += beyond;
    if (t->points * t->traffic.touched <= (double)t->m->cpu.last_cache) {
        c->term[COST_CACHE] += cost_seconds(c->bytes, r->last_cache);
        c->bytes = 0;
    }
    return PAV_OK;
}

static bool turns(const tiling *t)
{
    return t->column >= 0 && schedule_turn(t->s) > 0 && t->s->tile.size[TILE_COLUMN] > 0;
}

/* Idle factor of the threads. Threads sharing a tile wait for the slowest after each
 * operation. Skewed columns start some tiles behind their neighbours. Turning boundaries
 * let half the columns run at once. */
static double tiles_idle(const tiling *t)
{
    const int groups = t->groups;
    const double columns = ceil(extent(t, t->column) / t->wide),
                 tiles = ceil(extent(t, t->sweep) / t->high);
    const double uneven = 1 + cpu_costs_of()->uneven * (t->share - 1);
    if (turns(t))
        return uneven * ceil(columns / (2 * groups)) * 2 * groups / columns;
    const double rounds = ceil(columns / groups);
    const double late = cpu_costs_of()->lag * (fmin(columns, groups) - 1);
    return uneven * (rounds * tiles + late) * groups / (columns * tiles);
}

/* Seconds of the calls of a step: of operations on tiles, independent of their points,
 * and of kernels, one for each row of a tile. */
static double tile_calls(const tiling *t)
{
    const cpu_costs *k = cpu_costs_of();
    const double row_pieces = t->column > 0 ? 1
                                            : ceil(extent(t, 0) /
                                                   (t->column == 0 ? t->wide : t->high));
    const double operations = ceil(extent(t, t->column) / t->wide) *
                              ceil(extent(t, t->sweep) / t->high) *
                              (double)t->code->step.count;
    const double rows = extent(t, 1) * extent(t, 2) * row_pieces *
                        (double)t->code->step.count;
    return (operations * (k->tile + (t->share > 1 ? k->meet * t->share : 0)) +
            rows * k->row) /
           t->groups;
}

static pav_status add_tiles(const cost_question *q, const ir_blocking *b,
                            double arithmetic, step_cost *c)
{
    const schedule *s = q->schedule;
    const machine_facts *m = q->machine;
    tiling t;
    TRY(open_tiling(q->code, b, s, m, &t));
    c->bytes = t.points *
               (turns(&t) ? cost_turning_bytes(&t.traffic, b, t.column, s,
                                               schedule_longest(s, false))
                          : cost_tile_bytes(&t.traffic, b, t.column, s, s->tile.steps));
    TRY(add_caches(&t, c));
    c->term[COST_MEMORY] = cost_seconds(c->bytes, m->rate.memory);
    c->term[COST_ARITHMETIC] = arithmetic;
    c->term[COST_IDLE] = (c->term[COST_MEMORY] + c->term[COST_CACHE] + arithmetic) *
                         (tiles_idle(&t) - 1);
    c->term[COST_LAUNCH] = m->rate.launch / s->tile.steps;
    if (m->rate.launch > 0)
        c->term[COST_LAUNCH] += cpu_costs_of()->level + tile_calls(&t);
    return PAV_OK;
}

pav_status cost_tiles(const cost_question *q, step_cost *c)
{
    double arithmetic = q->arithmetic;
    OWNED_BY(ir_blocking_close) ir_blocking b = {0};
    if (q->schedule->tile.steps < 1)
        return FAIL(PAV_EINVAL, "time tiles of 0 steps cost nothing: give depth=N");
    if (arithmetic <= 0)
        TRY(cost_step_arithmetic(q, cost_host_use(), &arithmetic));
    if (q->blocking)
        return add_tiles(q, q->blocking, arithmetic, c);
    TRY(ir_blocking_open(q->code, NULL, &b));
    return add_tiles(q, &b, arithmetic, c);
}
