/* SPDX-License-Identifier: BSD-3-Clause */
/* The modelled cost of visits (cost.h). */
#include "cost/cost.h"
#include "run/outofcore/outofcore_private.h"

static double plane_bytes(const pav_run *run, const ir_field *f)
{
    double bytes = (double)pav_type_size(f->storage);
    for (int axis = 0; axis < run->code->dim - 1; axis++)
        bytes *= (double)(f->extent[axis] + f->halo[axis][0] + f->halo[axis][1]);
    return bytes;
}

/* Bytes of one plane: uploaded and brought back per block, moved by a step, and in all
 * its buffers. */
typedef struct plane_cost {
    double come, go, step, all;
} plane_cost;
static plane_cost plane_cost_of(const pav_run *run)
{
    plane_cost c = {0};
    for (int64_t n = 0; n < run->code->fields; n++) {
        const ir_field *f = &run->code->field[n];
        const double one = f->memory ? 0 : plane_bytes(run, f);
        const bool whole = outofcore_is_whole(run->outofcore, f);
        const int spare = f->updated && f->levels > 1 && !f->shared;
        c.come += whole ? 0 : one * (f->levels - spare);
        c.go += f->updated || f->shared ? one * (f->levels - spare) : 0;
        c.step += one * (f->levels > 1 ? f->levels : 1 + f->updated);
        c.all += whole ? 0 : one * f->levels;
    }
    return c;
}

static double buffers_of(const pav_run *run)
{
    double buffers = 0;
    for (int64_t f = 0; f < run->code->fields; f++)
        buffers += outofcore_buffers(run, &run->code->field[f]);
    return buffers;
}

double outofcore_single_seconds(const pav_run *run)
{
    const schedule loops = {.kind = SCHEDULE_ROWS, .tile.ahead = 1};
    const cost_question q = {
        .code = run->part->code, .schedule = &loops, .machine = &run->client.machine};
    step_cost c;
    return cost_forecast(&q, &c) == PAV_OK ? c.seconds : 0;
}

/* On a periodic axis the last visit takes single steps. */
static double tiles_of(const pav_run *run, int64_t width)
{
    const outofcore *o = run->outofcore;
    if (!o->state.blocking.periodic[o->axis])
        return o->tile_seconds;
    const double last = 1 / (double)int64_most(o->extent / width, 1);
    return (1 - last) * o->tile_seconds + last * outofcore_single_seconds(run);
}

/* Seconds of a step in core on processors, by the loops or tiles of the visits; 0 on a
 * GPU. */
static double kernels_of(const pav_run *run, int64_t width)
{
    return outofcore_has_tiles(run->outofcore) ? tiles_of(run, width)
           : run_has_launches(run)             ? 0
                                               : outofcore_single_seconds(run);
}

/* The cached part of a store on disk, besides these visits. */
static double cached_part(const pav_run *run, const outofcore_visits *v)
{
    const outofcore *o = run->outofcore;
    int64_t out;
    if (!o->disk)
        return 0;
    const int64_t planes = outofcore_planes(o, v->steps, v->width, v->overlaps, &out);
    return (double)disk_cached_planes(run, planes, v->width) / (double)o->extent;
}

static void add_planes(const outofcore *with, cost_visits *c)
{
    const time_axis axis = outofcore_axis(with, c->steps);
    const int64_t width = with->width;
    int64_t out = 0;
    (void)outofcore_planes(with, c->steps, width, c->overlaps, &out);
    c->extent = (double)with->extent;
    c->width = (double)width;
    c->kept = (double)(out - width);
    c->stay = (double)with->stay;
    c->visits = (double)axis.tiles;
    c->window = (double)(width + outofcore_reach(with));
    c->drained = (double)outofcore_most_shift(with, c->steps);
    c->ends = axis.first == 0 || !c->overlaps;
}

/* Windows computing at the same time: one on each device. */
static int side_by_side(const pav_run *run)
{
    return int_least(outofcore_at_once(run->outofcore), run->places);
}

static cost_visits visits_cost(const pav_run *run, const outofcore_visits *v)
{
    const plane_cost plane = plane_cost_of(run);
    outofcore with = *run->outofcore;
    cost_visits c = {.come = plane.come,
                     .go = plane.go,
                     .step = plane.step,
                     .all = plane.all,
                     .buffers = buffers_of(run),
                     .kernels = kernels_of(run, v->width),
                     .again = with.requested.again,
                     .steps = v->steps,
                     .launches = outofcore_launches(&with, v->steps, false),
                     .depth = with.depth,
                     .stages = (int)outofcore_stages_of(&with),
                     .radius = (int)with.radius,
                     .halo = (int)with.halo,
                     .overlaps = v->overlaps,
                     .pinned = outofcore_pins(run, v->steps),
                     .disk = with.disk ? with.disk->rate / side_by_side(run) : 0,
                     .missing = 1 - cached_part(run, v)};
    with.width = v->width;
    with.stay = v->stay;
    add_planes(&with, &c);
    return c;
}

static step_cost forecast(const pav_run *run, const outofcore_visits *v)
{
    const cost_visits visits = visits_cost(run, v);
    step_cost c;
    (void)cost_forecast(
        &(cost_question){.machine = &run->outofcore->machine, .visits = &visits}, &c);
    return c;
}

double outofcore_cost(const pav_run *run, const outofcore_visits *v)
{
    return forecast(run, v).seconds;
}

/* Resident planes are uploaded before the first block, and brought back after the
 * last. */
static double once_of(const pav_run *run, const outofcore_visits *v)
{
    const plane_cost c = plane_cost_of(run);
    const machine_link rate = machine_link_of(&run->outofcore->machine,
                                              outofcore_pins(run, v->steps));
    return run->steps > 0
               ? (double)v->stay * (c.come + c.go) / rate.alone / (double)run->steps
               : 0;
}

double outofcore_seconds(const pav_run *run, double *work, double *link)
{
    const outofcore *o = run->outofcore;
    const outofcore_visits v = outofcore_visits_of(o);
    const step_cost c = forecast(run, &v);
    const int at_once = side_by_side(run);
    *work = c.term[COST_MEMORY] / at_once;
    *link = c.term[COST_SYNCHRONISE] / at_once;
    return outofcore_is_predicted(run) && !o->why_stages[0]
               ? c.seconds / at_once + once_of(run, &v)
               : 0;
}
