/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks depths and tiles of time blocks by the bytes they move in the model of cost.h, as
 * candidates for autotuning. */
#include <string.h>

#include "run/time/time_private.h"

/* Limit for skewed tiles of default depth: with deep tiles, threads wait long for each
 * other. */
enum { DEEPEST_SKEWED = 24 };

schedule time_requested(const pav_run *run)
{
    return run->schedule.kind == SCHEDULE_CPU_TIME ? run->schedule
                                                   : (schedule){.kind = SCHEDULE_AUTO};
}

int64_t time_line(int dim)
{
    return schedule_column_axis(dim) == 0 ? 64 : 4;
}

bool time_other_size(int dim, const schedule *shape, int k, schedule *other)
{
    const int of = k < 2 ? TILE_COLUMN : TILE_SWEEP, size = shape->tile.size[of];
    const int64_t line = of == TILE_COLUMN ? time_line(dim) : 1;
    const int64_t wide = (k % 2 ? 2 * (int64_t)size : size / 2) / line * line;

    *other = *shape;
    other->tile.size[of] = (int)wide;
    return wide > 0;
}

static int64_t extent_along(const pav_run *run, int axis)
{
    return axis < 0 ? 1 : points_along(run->part->code, axis, false);
}

enum {
    OF_CACHE = 4,
    MOST_SHARE = 4,        /* threads of a tile, if the user requests no number */
    HEIGHT_OF_PIECES = 16, /* rows of a tile if it has pieces of rows */
    HEIGHT_OF_ROWS = 4,    /* least rows of a tile with whole rows */
};

typedef struct fitting {
    const pav_run *run;
    const ir_blocking *b;
    cost_traffic traffic;
    int stream, column;
    int64_t line; /* widths of tiles are multiples of these points */
    /* steps from one observation to the next; 0: no end is known */
    int64_t unobserved;
    /* groups of threads: each gets at least one column, if the grid has enough */
    int groups;
    machine_facts machine;
    double arithmetic; /* seconds of a step */
} fitting;

/* The widest column whose tiles fit into `bytes`. */
static int64_t widest(const fitting *f, const schedule *s, int64_t bytes)
{
    /* Points along x of one row of a tile. */
    const int64_t others = f->column <= 0 ? 1 : extent_along(f->run, 0);
    const double row = f->traffic.touched *
                       (double)(others * (cost_skew(f->b, f->stream, s->tile.steps) +
                                          s->tile.size[TILE_SWEEP]));
    const int64_t fits = (int64_t)((double)bytes / row) - 2 * f->b->skew[f->column];
    return fits / f->line * f->line;
}

static int limit_depth(const fitting *f, int depth)
{
    return f->unobserved > 0 && f->unobserved < depth ? (int)f->unobserved : depth;
}

/* The mean steps of a block: blocks between two observations are of equal length. */
static double steps_of(const fitting *f, int depth)
{
    return f->unobserved > 0
               ? (double)f->unobserved / (double)int_parts(f->unobserved, depth)
               : depth;
}

/* Bytes per point and step, in units of memory traffic: bytes from memory, plus bytes
 * from the cache divided by its speedup. */
static double bytes_of(const fitting *f, const schedule *s, const cpu_cache *c)
{
    if (s->shape != SHAPE_SKEWED && f->column >= 0)
        return cost_turning_bytes(&f->traffic, f->b, f->column, s,
                                  limit_depth(f, schedule_longest(s, false))) +
               f->traffic.touched / c->speedup;
    return cost_tile_bytes(&f->traffic, f->b, f->column, s, steps_of(f, s->tile.steps)) +
           f->traffic.touched / c->speedup;
}

/* Inserts by rank, without duplicates. */
static void put(time_trial *trial, int *known, int most, const time_trial *one)
{
    int at = *known;
    for (int k = 0; k < *known; k++)
        if (schedule_is_same(&trial[k].shape, &one->shape))
            return;
    while (at > 0 && trial[at - 1].forecast > one->forecast)
        at--;
    if (at >= most)
        return;
    *known += *known < most;
    memmove(&trial[at + 1], &trial[at], (size_t)(*known - 1 - at) * sizeof *trial);
    trial[at] = *one;
}

/* Two rows of equal columns, one column for each group. Columns must be wide enough for
 * their boundaries to turn; false: such columns do not fit in the cache. */
static bool fit_turning(const fitting *f, int64_t wide, schedule *s)
{
    const int64_t all = extent_along(f->run, f->column), pair = 2 * (int64_t)f->groups;
    const int64_t least = (int64_t)schedule_turn(s) * cost_column_skew(f->b, f->column) +
                          f->b->unit[f->column] - 1;
    if (wide < 1 || wide < least || all < 2 * least)
        return false;
    const int64_t even = all / (pair * int_parts(all, pair * wide));
    s->tile.size[TILE_COLUMN] = schedule_size(even >= least ? even : least);
    return true;
}

/* False if no tile of this height fits with more width than its skew in a step. */
static bool fit_columns(const fitting *f, const cpu_cache *c, int high, schedule *s)
{
    int *size = s->tile.size;
    /* Rows of a tile: `high`, or more if a periodic axis needs more. */
    schedule asked = *s;
    asked.tile.size[TILE_SWEEP] = high;
    size[TILE_SWEEP] = (int)time_axis_in(f->run->part->code, f->b, &asked, f->stream,
                                         s->tile.steps)
                           .width;
    const int64_t wide = widest(f, s, c->bytes * int_most(1, s->device.size[0]));
    if (s->shape != SHAPE_SKEWED)
        return fit_turning(f, wide, s);
    const int64_t all = extent_along(f->run, f->column);
    const int64_t share = all / f->groups / f->line * f->line;
    const int64_t most = share > 0 ? share : all;
    size[TILE_COLUMN] = schedule_size(wide < most ? wide : most);
    return wide > 0 && wide >= 2 * (int64_t)f->b->skew[f->column];
}

/* Prefers tiles of twice the skew in height: lower tiles read more halo rows than their
 * own. */
static bool fit(const fitting *f, const schedule *requested, const cpu_cache *c,
                schedule *s)
{
    if (requested->tile.size[TILE_SWEEP] > 0)
        return true;
    if (f->column < 0) {
        /* In one dimension a tile is a piece of the row. It is as long as the cache
         * allows, because one call of a kernel costs the time of hundreds of points. */
        enum {
            LEAST = 4096
        }; /* points of a call; shorter calls cost more than they save */
        const int64_t fits = (int64_t)((double)c->bytes / f->traffic.touched) -
                             cost_skew(f->b, f->stream, s->tile.steps);
        s->tile.size[TILE_SWEEP] = schedule_size(fits / LEAST * LEAST);
        return fits >= LEAST;
    }
    if (f->column == 0)
        return fit_columns(f, c, HEIGHT_OF_PIECES, s);
    return fit_columns(f, c, int_most(HEIGHT_OF_ROWS, 2 * f->b->skew[f->stream]), s) ||
           fit_columns(f, c, HEIGHT_OF_ROWS, s);
}

/* Narrows columns so that each group gets the same number of them. */
static schedule evened(const fitting *f, const schedule *s)
{
    schedule even = *s;
    int *wide = &even.tile.size[TILE_COLUMN];
    if (f->column < 0 || *wide <= 0)
        return even;
    const int64_t all = extent_along(f->run, f->column);
    const int64_t each = int_rounded(
        int_parts(all, int_parts(all, (int64_t)*wide * f->groups) * f->groups), f->line);
    if (each < *wide && each >= 2 * (int64_t)f->b->skew[f->column])
        *wide = (int)each;
    return even;
}

/* Predicted seconds; the bytes alone if the machine's rates are not known. */
static double forecast(const fitting *f, const schedule *s, double bytes)
{
    const cost_question q = {.code = f->run->part->code,
                             .schedule = s,
                             .machine = &f->machine,
                             .blocking = f->b,
                             .arithmetic = f->arithmetic};
    step_cost c;
    return cost_forecast(&q, &c) == PAV_OK && c.seconds > 0 ? c.seconds : bytes;
}

static void put_shape(const fitting *f, const schedule *s, const cpu_cache *c,
                      time_trial trial[OF_CACHE], int *known)
{
    time_trial one = {.shape = *s, .bytes = bytes_of(f, s, c)};
    one.forecast = forecast(f, s, one.bytes);
    put(trial, known, OF_CACHE, &one);
}

typedef struct ranking {
    int count;
    time_trial trial[OF_CACHE];
} ranking;

/* Adds a few ranked depths of one shape for one cache. */
static void add_depths(const fitting *f, const schedule *requested, const schedule *of,
                       const cpu_cache *c, ranking *l)
{
    const bool skewed = of->shape == SHAPE_SKEWED;
    const bool said = requested->kind == SCHEDULE_CPU_TIME && requested->tile.steps > 0;
    for (int k = 0; k < SCHEDULE_DEPTHS; k++) {
        schedule shape = *of;
        if (!requested->tile.steps)
            shape.tile.steps = limit_depth(f, schedule_depths[k]);
        if (shape.tile.steps < 2 ||
            (!said && skewed && shape.tile.steps > DEEPEST_SKEWED) ||
            !fit(f, requested, c, &shape))
            continue;
        put_shape(f, &shape, c, l->trial, &l->count);
        if (requested->tile.size[TILE_COLUMN] > 0 || !skewed)
            continue;
        const schedule even = evened(f, &shape);
        put_shape(f, &even, c, l->trial, &l->count);
    }
}

/* Threads with a common cache may share a tile, too. */
static void add_shapes(const fitting *of, const schedule *requested, schedule_shape kind,
                       const kernel_host *host, const cpu_cache *c, ranking *l)
{
    const bool said = requested->kind == SCHEDULE_CPU_TIME;
    fitting f = *of;
    schedule shape = *requested;
    shape.kind = SCHEDULE_CPU_TIME;
    shape.shape = kind;
    for (int share = 1; share <= host->sharers; share *= 2) {
        if (!said)
            shape.device.size[0] = share > 1 ? share : 0;
        f.groups = int_most(1, host->threads / int_most(1, shape.device.size[0]));
        add_depths(&f, requested, &shape, c, l);
        if (said || kind == SHAPE_SKEWED || share == MOST_SHARE)
            return;
    }
}

/* Autotuning stops after some losses in a row. Losses of one shape predict nothing about
 * another shape, because the model knows least about waiting threads. So the best
 * candidate of another shape is tried second. */
static void put_other_shape_second(time_trial *trial, int known)
{
    int other = 1;
    while (other < known && trial[other].shape.shape == trial[0].shape.shape)
        other++;
    if (other >= known)
        return;
    const time_trial one = trial[other];
    memmove(&trial[2], &trial[1], (size_t)(other - 1) * sizeof *trial);
    trial[1] = one;
}

int time_model(const pav_run *run, const ir_blocking *b, const schedule *requested,
               const kernel_host *host, int most, time_trial *trial)
{
    const cpu_facts facts = {host->threads, host->cache, host->core_cache,
                             cpu_vector_bytes()};
    cpu_cache caches[CPU_TILE_CACHES];
    ranking of[2 * COUNT_OF(caches)] = {0};
    fitting f = {.run = run,
                 .b = b,
                 .stream = time_sweep_axis(run->part->code->dim),
                 .column = schedule_column_axis(run->part->code->dim),
                 .line = time_line(run->part->code->dim),
                 .unobserved = run_steps_to_observer(run),
                 .machine = {.cpu = facts, .rate = host->rates}};
    if (cost_traffic_of(run->part->code, b, &f.traffic) != PAV_OK ||
        cost_arithmetic(run->part->code, &f.machine, &f.arithmetic) != PAV_OK)
        return 0;
    cpu_tile_caches(&facts, caches);
    for (size_t c = 0; c < COUNT_OF(caches); c++) {
        ranking *asked = &of[2 * c], *free = asked + 1;
        add_shapes(&f, requested, requested->shape, host, &caches[c], asked);
        if (requested->kind == SCHEDULE_AUTO && f.column >= 0)
            add_shapes(&f, requested, SHAPE_DIAMOND, host, &caches[c], free);
    }
    int known = 0;
    for (size_t c = 0; c < COUNT_OF(of); c++)
        for (int k = 0; k < of[c].count; k++)
            put(trial, &known, most, &of[c].trial[k]);
    put_other_shape_second(trial, known);
    return known;
}
