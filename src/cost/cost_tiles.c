/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory traffic of a time block of several steps on processors.
 * Along y, the operations of a tile touch the rows skewed over in a time block and a few
 * more, in all levels of their fields. If these fit in a core's cache, memory sees each
 * level read once and written once in a time block of any depth, plus the strips where
 * columns overlap by their skew. */
#include <math.h>

#include "cost/models_private.h"

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
    bool *seen = mem_new(code->fields + 1, sizeof *seen);
    *t = (cost_traffic){0};
    if (!seen)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < b->operations; k++)
        if (b->operation[k].kind == OPERATION_STAGE)
            see_stage(code, &code->stage[b->operation[k].stage], seen, t);
    mem_free(seen);
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
    const int most = cost_column_skew(b, axis);
    return (int64_t)(depth - 1) * b->skew[axis] + 2 * most;
}

/* Factor on the bytes: tiles of this width along an axis (0: one tile) move their
 * overlapping strips twice. */
static double twice(const ir_blocking *b, int axis, int width, int depth)
{
    return axis >= 0 && width > 0 ? 1 + (double)cost_skew(b, axis, depth) / width : 1;
}

double cost_tile_bytes(const cost_traffic *t, const ir_blocking *b, int column,
                       const schedule *s, double steps)
{
    const int *size = s->tile.size, depth = s->tile.steps;
    return t->moved * twice(b, column, size[TILE_COLUMN], depth) *
           twice(b, 0, size[TILE_WIDTH], depth) / steps;
}

/* A row of tiles touches half the columns at their widest, with the strips read next to
 * them. A time block has one row more than phases. */
double cost_turning_bytes(const cost_traffic *t, const ir_blocking *b, int column,
                          const schedule *s, int steps)
{
    const int turn = int_least(schedule_turn(s), steps), wide = s->tile.size[TILE_COLUMN];
    const double rows = (double)int_parts(steps, turn) + 1;
    const double strips = turn * cost_column_skew(b, column) + 2 * b->skew[column];
    const double moved = t->moved * twice(b, 0, s->tile.size[TILE_WIDTH], 2 * turn);
    if (wide == 0)
        return moved / steps;
    return moved * rows * (wide + strips) / (2.0 * wide * steps);
}

/* ---- seconds ----------------------------------------------------------------------- */

typedef struct tiling {
    const ir *code;
    const ir_blocking *b;
    const schedule *s;
    const machine_facts *m;
    cost_traffic traffic;
    int sweep, column;                /* axes; column -1: none */
    double wide, high, along, points; /* of a tile; of the grid */
    int share, groups;                /* threads sharing a tile; number of such groups */
} tiling;

static double extent(const tiling *t, int axis)
{
    return axis < 0 ? 1 : (double)points_along(t->code, axis, false);
}

static pav_status open_tiling(const ir *code, const ir_blocking *b, const schedule *s,
                              const machine_facts *m, tiling *t)
{
    *t = (tiling){.code = code,
                  .b = b,
                  .s = s,
                  .m = m,
                  .sweep = code->dim > 1 ? 1 : 0,
                  .column = schedule_column_axis(code->dim)};
    t->high = s->tile.size[TILE_SWEEP] > 0 ? s->tile.size[TILE_SWEEP]
                                           : extent(t, t->sweep);
    t->wide = t->column >= 0 && s->tile.size[TILE_COLUMN] > 0 ? s->tile.size[TILE_COLUMN]
                                                              : extent(t, t->column);
    t->along = s->tile.size[TILE_WIDTH] > 0 ? s->tile.size[TILE_WIDTH] : extent(t, 0);
    t->points = extent(t, 0) * extent(t, 1) * extent(t, 2);
    t->share = s->device.size[0] > 1 ? s->device.size[0] : 1;
    t->groups = m->cpu.threads > t->share ? m->cpu.threads / t->share : 1;
    return cost_traffic_of(code, b, &t->traffic);
}

/* Bytes touched by the operations of a tile for each thread, including its skew. */
static double bytes_of_tile(const tiling *t)
{
    const int depth = t->s->tile.steps;
    double points_of = ((double)cost_skew(t->b, t->sweep, depth) + t->high) / t->share;
    if (t->column > 0)
        points_of *= fmin(t->along + (double)cost_skew(t->b, 0, depth), extent(t, 0));
    if (t->column >= 0)
        points_of *= t->wide + 2 * t->b->skew[t->column];
    return t->traffic.touched * points_of;
}

/* Bytes loaded and stored by the kernels of a step; a written line is read first. */
static pav_status cached_bytes(const tiling *t, double *bytes)
{
    *bytes = 0;
    for (int64_t k = 0; k < t->code->step.count; k++) {
        cost_load l;
        TRY(cost_load_of_stage(t->code, &t->code->stage[t->code->step.stage[k]], &l));
        *bytes += cost_crowd(&l) * t->points *
                  (double)(2 * l.point_bytes - l.loaded_bytes);
    }
    return PAV_OK;
}

/* A core's own cache delivers all bytes. The part of a tile beyond its size comes from
 * the last cache, or from memory. */
static pav_status add_caches(const tiling *t, step_cost *c)
{
    const machine_rates *r = &t->m->rate;
    const int threads = t->m->cpu.threads > 0 ? t->m->cpu.threads : 1;
    const double core = cpu_costs_of()->share * (double)t->m->cpu.core_cache;
    const double last = (double)t->m->cpu.last_cache / threads;
    const double tile = bytes_of_tile(t);
    double bytes;
    TRY(cached_bytes(t, &bytes));
    const double beyond = tile > core ? (1 - core / tile) * bytes : 0;
    c->term[COST_CACHE] = cost_seconds(bytes, r->core_cache);
    if (tile <= last)
        c->term[COST_CACHE] += cost_seconds(beyond, r->last_cache);
    else
        c->bytes += beyond;
    return PAV_OK;
}

/* If the whole grid fits in the last cache, nothing comes from memory. */
static void leave_cached(const tiling *t, step_cost *c)
{
    if (t->points * t->traffic.touched > (double)t->m->cpu.last_cache)
        return;
    c->term[COST_CACHE] += cost_seconds(c->bytes, t->m->rate.last_cache);
    c->bytes = 0;
}

static bool turns(const tiling *t)
{
    return t->column >= 0 && schedule_turn(t->s) > 0 && t->s->tile.size[TILE_COLUMN] > 0;
}

/* Threads sharing a tile wait for the slowest after each operation. */
static double uneven(const tiling *t)
{
    return 1 + cpu_costs_of()->uneven * (t->share - 1);
}

/* Idle factor of the threads. Skewed columns start some tiles behind their neighbours.
 * Turning boundaries let half the columns run at once. */
static double idle_of(const tiling *t)
{
    const int groups = t->groups;
    const double columns = ceil(extent(t, t->column) / t->wide);
    const double tiles = ceil(extent(t, t->sweep) / t->high);
    if (turns(t))
        return uneven(t) * ceil(columns / (2 * groups)) * 2 * groups / columns;
    const double rounds = ceil(columns / groups);
    const double late = cpu_costs_of()->lag * (fmin(columns, groups) - 1);
    return uneven(t) * (rounds * tiles + late) * groups / (columns * tiles);
}

/* Number of operation instances over all tiles of a step. */
static double operations_of(const tiling *t)
{
    const double pieces = t->column > 0 ? ceil(extent(t, 0) / t->along) : 1;
    return ceil(extent(t, t->column) / t->wide) * ceil(extent(t, t->sweep) / t->high) *
           pieces * (double)t->code->step.count;
}

/* Seconds of an operation on a tile, independent of its points. */
static double operation_seconds(const tiling *t)
{
    const cpu_costs *k = cpu_costs_of();
    return k->tile + (t->share > 1 ? k->meet * t->share : 0);
}

/* Calls of kernels, one for each row of a tile. */
static double rows_of(const tiling *t)
{
    const double pieces = t->column > 0
                              ? ceil(extent(t, 0) / t->along)
                              : ceil(extent(t, 0) / (t->column == 0 ? t->wide : t->high));
    return extent(t, 1) * extent(t, 2) * pieces * (double)t->code->step.count;
}

pav_status cost_add_tiles(const cost_question *q, const ir_blocking *b, double arithmetic,
                          step_cost *c)
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
    leave_cached(&t, c);
    c->term[COST_MEMORY] = cost_seconds(c->bytes, m->rate.memory);
    c->term[COST_ARITHMETIC] = arithmetic;
    c->term[COST_IDLE] = (c->term[COST_MEMORY] + c->term[COST_CACHE] + arithmetic) *
                         (idle_of(&t) - 1);
    c->term[COST_LAUNCH] = m->rate.launch / s->tile.steps;
    if (m->rate.launch > 0)
        c->term[COST_LAUNCH] += cpu_costs_of()->level +
                                (operations_of(&t) * operation_seconds(&t) +
                                 rows_of(&t) * cpu_costs_of()->row) /
                                    t.groups;
    return PAV_OK;
}
