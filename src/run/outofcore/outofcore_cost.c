/* SPDX-License-Identifier: BSD-3-Clause */
/* What visits cost by the model: bytes that kernels and the link move, and calls. */
#include "run/outofcore/outofcore_private.h"

static double plane_bytes(const pav_run *run, const ir_field *f)
{
    double bytes = (double)pav_type_size(f->storage);
    for (int axis = 0; axis < run->code->dim - 1; axis++)
        bytes *= (double)(f->extent[axis] + f->halo[axis][0] + f->halo[axis][1]);
    return bytes;
}

/* Of one plane: that come and go each block, that a step reads and stores, and of all its
 * buffers. */
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

/* How much more than its own planes a launch reads. */
static double around(double planes, double width)
{
    return (width + planes) / width;
}

/* Seconds of a step whose planes are all computed once: fused launches move about as much
 * as a step, and read planes around their own. */
static double work_of(const pav_run *run, const machine_facts *m, int steps,
                      int64_t width, double planes)
{
    const outofcore *o = run->outofcore;
    const outofcore_costs *costs = outofcore_costs_of(m);
    const int fused = o->depth * outofcore_launches(o, steps, false);
    const double wide = (double)width, bytes = planes * plane_cost_of(run).step;
    const double launches = fused * costs->fused * around(2 * (double)o->radius, wide) /
                            o->depth;
    const double singles = (steps - fused) * costs->single *
                           around(costs->around + 2 * (double)o->halo, wide);
    return bytes / m->rate.memory * (launches + singles) / steps;
}

typedef struct block_cost {
    double visits, kept, twice; /* kept: planes of a visit that move within the window */
    double still;               /* the share of planes that stay where they are */
    double work, link, moves,
        ends; /* seconds of a step; ends: when nothing is concurrent */
} block_cost;

static double link_of(const pav_run *run, machine_link rate, bool overlaps, double come,
                      double go)
{
    const disk_tier *disk = run->outofcore->disk;
    const double most = come > go ? come : go;
    if (disk)
        return most / disk->rate;
    return overlaps ? most / rate.busy : (come + go) / rate.alone;
}

/* Seconds of the launches of a visit, besides their bytes: a fused launch sweeps over the
 * planes around its own one after another. */
static double calls_of(const pav_run *run, const outofcore_costs *costs, int steps)
{
    const outofcore *o = run->outofcore;
    const int launches = outofcore_launches(o, steps, false);
    const double singles = steps - launches * o->depth;
    return launches * (costs->operation + costs->plane * (double)(2 * o->radius)) +
           singles * (double)outofcore_stages_of(o) * costs->operation;
}

/* Seconds in which planes of a visit move within the window: those that are kept, those
 * that came, and those that go. Nothing else goes on meanwhile. */
static double moves_of(const pav_run *run, double kept, double width, double bytes)
{
    const machine_facts *m = &run->outofcore->machine;
    const outofcore_costs *costs = outofcore_costs_of(m);
    double buffers = 0;
    for (int64_t f = 0; f < run->code->fields; f++)
        buffers += outofcore_buffers(run, &run->code->field[f]);
    return (kept / width + 2) * buffers * costs->move +
           (kept + 2 * width) * 2 * bytes * costs->moved / m->rate.memory;
}

static block_cost block_cost_of(const pav_run *run, const outofcore_visits *v)
{
    outofcore with = *run->outofcore;
    const int steps = v->steps;
    const int64_t width = v->width;
    const machine_facts m = with.machine;
    const machine_link rate = machine_link_of(&m, outofcore_pins(run, steps));
    const outofcore_costs *costs = outofcore_costs_of(&m);
    const plane_cost c = plane_cost_of(run);
    const double extent = (double)with.extent, depth = steps, wide = (double)width;
    const double most = (double)outofcore_most_shift(&with, steps);
    int64_t out = 0;
    with.width = width;
    with.stay = v->stay;
    (void)outofcore_planes(&with, steps, width, v->overlaps, &out);
    block_cost b = {.visits = (double)outofcore_axis(&with, steps).tiles,
                    .kept = (double)(out - width),
                    .still = (double)v->stay / extent};
    b.twice = with.requested.again ? b.visits * b.kept : 0;
    b.work = work_of(run, &m, steps, width, extent + b.twice / 2) +
             b.visits * calls_of(run, costs, steps) / depth;
    b.moves = b.visits > 1 ? b.visits * moves_of(run, b.kept, wide, c.all) / depth : 0;
    const double moving = extent - (double)v->stay;
    b.link = link_of(run, rate, v->overlaps, (moving + b.twice) * c.come / depth,
                     moving * c.go / depth);
    const double window = (double)(width + outofcore_reach(&with));
    const bool ends = outofcore_axis(&with, steps).first == 0 || !v->overlaps;
    b.ends = ends * (window * c.come + (window + most) * c.go) / rate.alone / depth;
    return b;
}

/* Planes cross the link both ways, which goes on while others are computed but for those
 * of the first visit of a block and of the last. While planes that stay are computed,
 * none do. */
double outofcore_cost(const pav_run *run, const outofcore_visits *v)
{
    const block_cost b = block_cost_of(run, v);
    const bool beside = v->overlaps || run->outofcore->disk;
    const double moving = b.work * (1 - b.still);
    const double alone = moving + b.ends; /* which the link shares in, too */
    if (!beside || b.visits <= 1)
        return b.link + b.work + b.moves;
    return b.moves + b.work * b.still + (b.link > alone ? b.link : alone);
}

/* Planes that stay come before the first block, and go after the last. */
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
    const block_cost b = block_cost_of(run, &v);
    *work = b.work + b.moves;
    *link = b.link;
    return outofcore_is_timed(run) && !o->why_stages[0]
               ? outofcore_cost(run, &v) / outofcore_at_once(o) + once_of(run, &v)
               : 0;
}
