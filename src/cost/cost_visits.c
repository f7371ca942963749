/* SPDX-License-Identifier: BSD-3-Clause */
/* Model of a step of a grid out of core: bytes moved by kernels and by the link, and
 * calls. */
#include "cost/models_private.h"

/* Factor for the planes that a launch reads around its own. */
static double around(double planes, double width)
{
    return (width + planes) / width;
}

/* Seconds of a step of all planes by single launches, without planes around them. */
static double step_of(const cost_visits *v, const machine_facts *m)
{
    return v->kernels > 0
               ? v->kernels
               : v->extent * v->step / m->rate.memory * outofcore_costs_of(m)->single;
}

/* Seconds for planes computed once each. A fused launch has about the memory traffic of
 * one step, and reads planes around its own. */
static double work_of(const cost_visits *v, const machine_facts *m, double planes)
{
    const outofcore_costs *costs = outofcore_costs_of(m);
    const int fused = v->depth * v->launches;
    const double launches = fused * costs->fused / costs->single *
                            around(2 * (double)v->radius, v->width) / v->depth;
    const double singles = (v->steps - fused) *
                           around(costs->around + 2 * (double)v->halo, v->width);
    return planes / v->extent * step_of(v, m) * (launches + singles) / v->steps;
}

/* Seconds for the launches of a visit besides their bytes. A fused launch sweeps over the
 * planes around its own one after another. */
static double calls_of(const cost_visits *v, const outofcore_costs *costs)
{
    const double singles = v->steps - v->launches * v->depth;
    return v->launches * (costs->operation + costs->plane * (double)(2 * v->radius)) +
           singles * (double)v->stages * costs->operation;
}

/* Seconds for moves within the window in a visit: of kept planes, of uploaded planes, and
 * of planes to download. Nothing overlaps them. */
static double moves_of(const cost_visits *v, const machine_facts *m)
{
    const outofcore_costs *costs = outofcore_costs_of(m);
    return (v->kept / v->width + 2) * v->buffers * costs->move +
           (v->kept + 2 * v->width) * 2 * v->all * costs->moved / machine_moving_rate(m);
}

static double link_of(const cost_visits *v, machine_link rate, double come, double go)
{
    const double most = come > go ? come : go;
    return v->overlaps ? most / rate.busy : (come + go) / rate.alone;
}

/* Seconds to fill the first window of a block, and to drain the last one. */
static double ends_of(const cost_visits *v, double rate)
{
    return v->ends * (v->window * v->come + (v->window + v->drained) * v->go) / rate /
           v->steps;
}

/* Planes of a disk come and go during computing, and pass through the host's memory
 * between visits. */
static void add_disk(const cost_visits *v, double work, double copies, double most,
                     step_cost *c)
{
    const double disk = v->missing * most / v->disk;
    const double alone = work + v->missing * ends_of(v, v->disk);
    c->term[COST_MEMORY] = work + copies;
    c->term[COST_SYNCHRONISE] = disk;
    c->seconds = copies + (v->visits <= 1 ? work + 2 * disk
                           : disk > alone ? disk
                                          : alone);
}

/* Planes cross the link in both directions during computing, except for the first and the
 * last visit of a block. During work on planes that stay, the link is idle. */
void cost_add_visits(const cost_question *q, step_cost *c)
{
    const cost_visits *v = q->visits;
    const machine_facts *m = q->machine;
    const machine_link rate = machine_link_of(m, v->pinned);
    const double twice = v->again ? v->visits * v->kept : 0;
    const double moving = v->extent - v->stay, still = v->stay / v->extent;
    const double moves = v->visits > 1 ? v->visits * moves_of(v, m) / v->steps : 0;
    const double work = work_of(v, m, v->extent + twice / 2) +
                        v->visits * calls_of(v, outofcore_costs_of(m)) / v->steps;
    const double come = (moving + twice) * v->come / v->steps;
    const double go = moving * v->go / v->steps;
    const double link = link_of(v, rate, come, go);
    const double alone = work * (1 - still) + ends_of(v, rate.alone);
    if (v->disk > 0) {
        add_disk(v, work, moves + link, come > go ? come : go, c);
        return;
    }
    c->term[COST_MEMORY] = work + moves;
    c->term[COST_SYNCHRONISE] = link;
    if (!v->overlaps || v->visits <= 1)
        c->seconds = link + work + moves;
    else
        c->seconds = moves + work * still + (link > alone ? link : alone);
}
