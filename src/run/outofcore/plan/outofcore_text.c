/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a plan about a grid out of core: visits, steps of a block, memory, and
 * traffic on the link. */

#include "run/outofcore/outofcore_private.h"

typedef struct traffic {
    double sent, got; /* bytes of a step */
} traffic;

/* Bytes of one plane with its ghosts: uploaded by a block, and brought back if the next
 * block follows at once. */
static void add_plane(const pav_run *run, const ir_field *f, traffic *all)
{
    const bool spare = f->updated && f->levels > 1 && !f->shared;
    double bytes = (double)pav_type_size(f->storage);
    for (int axis = 0; axis < run->code->dim; axis++)
        if (axis != run->outofcore->axis)
            bytes *= (double)(f->extent[axis] + f->halo[axis][0] + f->halo[axis][1]);
    all->sent += outofcore_is_whole(run->outofcore, f)
                     ? 0
                     : bytes * (double)(f->levels - spare);
    all->got += f->updated || f->shared ? bytes * (double)(f->levels - spare) : 0;
}

/* Steps by stages: bytes of the levels that each stage reads and stores. */
static void add_stage(const pav_run *run, const ir_stage *s, traffic *all)
{
    for (int f = 0; f < run->code->fields; f++) {
        double bytes = (double)pav_type_size(run->code->field[f].storage);
        for (int axis = 0; axis < run->code->dim; axis++)
            bytes *= (double)run->code->field[f].extent[axis];
        for (int level = 1; level >= 1 - run->code->field[f].levels; level--) {
            all->sent += outofcore_stage_moves(run->code, s, f, level, TO_DEVICE) ? bytes
                                                                                  : 0;
            all->got += outofcore_stage_moves(run->code, s, f, level, TO_STORE) ? bytes
                                                                                : 0;
        }
    }
}

static traffic traffic_of_stages(const pav_run *run)
{
    traffic all = {0};
    for (int64_t n = 0; n < run->code->step.count; n++) {
        const ir_stage *s = &run->code->stage[run->code->step.stage[n]];
        if (outofcore_is_visited(run->code, s))
            add_stage(run, s, &all);
    }
    return all;
}

static traffic traffic_of(const pav_run *run)
{
    if (run->outofcore->why_stages[0])
        return traffic_of_stages(run);
    const outofcore *o = run->outofcore;
    const double planes = (double)(o->extent - o->stay) / o->steps;
    traffic all = {0};
    for (int64_t f = 0; f < run->code->fields; f++)
        if (!run->code->field[f].memory)
            add_plane(run, &run->code->field[f], &all);
    return (traffic){all.sent * planes, all.got * planes};
}

static void add_link(const pav_run *run, text *t)
{
    const machine_link rate = machine_link_of(&run->outofcore->machine, true);
    text_add(t, "\n%-12s the link moves %.3g GB/s each way at once, pinned (%s)", "",
             rate.busy / 1e9,
             run->client.machine.rate.link.busy > 0 ? "kept by `pavior doctor --measure`"
             : run->outofcore->machine.rate.link.busy > 0 ? "measured now"
                                                          : "assumed");
}

/* Predicted seconds to the end of the run, or of one step. */
static void add_prediction(const pav_run *run, text *t)
{
    double work, moving;
    const bool disk = run->outofcore->disk;
    const double step = outofcore_seconds(run, &work, &moving);
    if (step <= 0)
        return;
    text_add(t, "%-12s by the model a step takes ", "");
    text_add_duration(t, step);
    text_add(t, ": ");
    text_add_duration(t, work);
    text_add(t, " of kernels%s, ",
             disk || !run_uses_device_memory(run) ? " and moves" : "");
    text_add_duration(t, moving);
    text_add(t, disk ? " of the disk" : " of the link");
    text_add(t, "; bound by %s",
             moving <= work ? "kernels"
             : disk         ? "the disk"
                            : "the link");
    if (run->steps > 0) {
        text_add(t, "; all take ");
        text_add_duration(t, step * (double)run->steps);
    }
    if (run_uses_device_memory(run))
        add_link(run, t);
    text_add(t, "\n");
}

static int64_t visits_of(const outofcore *o)
{
    return o->why_stages[0] ? int_parts(o->extent, o->width)
                            : outofcore_axis(o, o->steps).tiles;
}

void plan_outofcore_text(const pav_plan *plan, text *t)
{
    const outofcore *o = plan->run->outofcore;
    if (!o)
        return;
    const traffic a_step = traffic_of(plan->run);
    text_add(t, "%-12s ", "out of core");
    text_add(t, "%s: ", o->requested.method);
    outofcore_add_count(t, visits_of(o), "visit");
    text_add(t, " along %c take ", "xyz"[o->axis]);
    if (o->why_stages[0])
        text_add(t, "one stage");
    else
        outofcore_add_count(t, o->steps, "step");
    if (o->depth > 1)
        text_add(t, " in launches of %d", o->depth);
    if (outofcore_has_tiles(o))
        text_add(t, " in time tiles of %d", outofcore_tile_steps(o));
    text_add(t, ", each goes on by ");
    outofcore_add_count(t, o->width, "plane");
    text_add(t, "\n%-12s a window of %lld, ", "", (long long)o->planes);
    text_add_bytes_size(t, o->bytes);
    text_add(t, " of the %s memory\n%-12s a step sends ",
             run_uses_device_memory(plan->run) ? "device's" : "host's", "");
    text_add_bytes_size(t, (int64_t)a_step.sent);
    text_add(t, " there and ");
    text_add_bytes_size(t, (int64_t)a_step.got);
    text_add(t, " back%s%s\n", o->overlaps ? ", while it computes" : ", between visits",
             outofcore_is_not_overlapped(o) ? ", since the window has no room for more"
                                            : "");
    if (o->stay > 0)
        text_add(t, "%-12s the first %lld planes stay on the device\n", "",
                 (long long)o->stay);
    text_add(t, "%-12s as --out-of-core ", "");
    outofcore_add_as(plan->run, t);
    if (outofcore_has_tiles(o))
        text_add(t, " --schedule %s", o->tile_words);
    text_add(t, "\n");
    if (o->sent_once)
        text_add(t, "%-12s coefficients are sent once, and stay\n", "");
    if (o->disk) {
        text_add(t, "%-12s fields of ", "");
        text_add_bytes_size(t, o->disk->bytes);
        text_add(t,
                 " lie in files of %d disk%s, which each step reads and writes so "
                 "much of\n%-12s at %.3g GB/s each way (%s)\n",
                 o->disk->paths, o->disk->paths == 1 ? "" : "s", "", o->disk->rate / 1e9,
                 o->disk->is_measured ? "measured now" : "assumed");
    }
    if (o->disk && o->disk->cached > 0)
        text_add(t, "%-12s %lld of %lld planes of them stay in the host's memory\n", "",
                 (long long)o->disk->cached, (long long)o->extent);
    add_prediction(plan->run, t);
    if (o->windows > 1)
        text_add(t, "%-12s %s\n", "",
                 outofcore_at_once(o) > 1
                     ? "blocks go through several windows one behind the other"
                     : "one window at a time: a block needs all of the one before");
    if (o->why_stages[0])
        text_add(t, "%-12s stage by stage: %s\n", "", o->why_stages);
    if (o->why_single[0])
        text_add(t, "%-12s launches take single steps: %s\n", "", o->why_single);
}

void plan_outofcore_json(const pav_plan *plan, text *t)
{
    const outofcore *o = plan->run->outofcore;
    text_add(t, ", \"out_of_core\": %s", o ? "{" : "null");
    if (!o)
        return;
    const traffic a_step = traffic_of(plan->run);
    outofcore_add_method_json(plan->run, t);
    text_add(t, "\"axis\": \"%c\", \"visits\": %lld, \"steps\": %d, \"planes\": %lld, ",
             "xyz"[o->axis], (long long)visits_of(o), o -> steps, (long long)o -> width);
    text_add(t, "\"window_planes\": %lld, \"planes_that_stay\": %lld, ",
             (long long)o->planes, (long long)o->stay);
    text_add(t, "\"device_bytes\": %lld, ", (long long)o->bytes);
    text_add(t, "\"sent_bytes\": %.0f, \"received_bytes\": %.0f, \"overlapped\": %s, ",
             a_step.sent, a_step.got, o->overlaps ? "true" : "false");
    text_add(t, "\"launch_steps\": %d, \"tile_steps\": %d, ", o->depth,
             outofcore_tile_steps(o));
    text_add(t, "\"single_steps_because\": ");
    text_add_json(t, o->why_single[0] ? o->why_single : NULL);
    text_add(t, ", \"stages_because\": ");
    text_add_json(t, o->why_stages[0] ? o->why_stages : NULL);
    double work, link;
    const double step = outofcore_seconds(plan->run, &work, &link);
    text_add(t, ", \"sent_once\": %s", o->sent_once ? "true" : "false");
    text_add(t, ", \"windows\": %d, \"predicted_seconds\": ", o->windows);
    text_add(t, step > 0 ? "%.9g" : "null", step);
    text_add(t, ", \"disks\": %d, \"disk_bytes\": %lld", o->disk ? o->disk->paths : 0,
             o->disk ? (long long)o->disk->bytes : 0LL);
    text_add(t, "}");
}
