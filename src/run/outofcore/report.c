/* SPDX-License-Identifier: BSD-3-Clause */
/* What plans and reports say of a grid out of core: visits, steps of a block, memory,
 * traffic on the link and the disks, and waiting times. */
#include <errno.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* "8 planes" */
static short_words count_words(int64_t count, const char *what)
{
    short_words w;
    (void)snprintf(w.s, sizeof w.s, "%lld %s%s", (long long)count, what,
                   count == 1 ? "" : "s");
    return w;
}

/* Appends settings to request the same visits again:
 * "auto:steps=8,parts=4,overlap=1,stay=0". */
static void add_settings(const pav_run *run, text *t)
{
    const outofcore *o = run->outofcore;
    const outofcore_request *r = &o->requested;
    const bool is_auto = strcmp(r->method, "auto") == 0;
    const bool wraps = o->state.blocking.periodic[o->axis] && !o->why_stages[0];
    text_add(t, "%s:parts=%lld", r->method,
             (long long)(wraps ? o->extent / o->width : int_parts(o->extent, o->width)));
    if (!r->single && !o->why_stages[0])
        text_add(t, ",steps=%d", o->steps);
    if (o->windows > 1)
        text_add(t, ",windows=%d", o->windows);
    if (!is_auto || o->why_stages[0])
        return;
    if (run_has_launches(run))
        text_add(t, ",depth=%d", o->depth);
    if (!o->disk)
        text_add(t, ",overlap=%d,stay=%lld", o->overlaps, (long long)o->stay);
    text_add(t, ",once=%d", o->sent_once);
    if (!run_has_launches(run) && !outofcore_has_tiles(o))
        text_add(t, ",depth=1");
}

/* True if planes move between visits although overlap was requested. */
static bool is_not_overlapped(const outofcore *o)
{
    return o->requested.overlapped && !o->overlaps && o->width < o->extent;
}

static void add_method_json(const pav_run *run, text *t)
{
    text as = {0};
    add_settings(run, &as);
    text_add(t, "\"method\": \"%s\", \"as\": ", run->outofcore->requested.method);
    text_add_json(t, as.data);
    text_add(t, ", \"tiles\": ");
    text_add_json(t, run_executor_figures(run).schedule);
    text_add(t, ", ");
    t->failed = t->failed || as.failed;
    text_free(&as);
}

/* ---- plans ------------------------------------------------------------------------- */

typedef struct traffic {
    double sent, got; /* bytes of a step */
} traffic;

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

static traffic traffic_of(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    const double planes = (double)(o->extent - o->stay) / o->steps;
    const outofcore_plane plane = outofcore_plane_of(run);
    traffic all = {0};
    if (!o->why_stages[0])
        return (traffic){plane.come * planes, plane.go * planes};
    for (int64_t n = 0; n < run->code->step.count; n++) {
        const ir_stage *s = &run->code->stage[run->code->step.stage[n]];
        if (outofcore_is_visited(run->code, s))
            add_stage(run, s, &all);
    }
    return all;
}

/* Predicted seconds to the end of the run, or of one step. */
static void add_prediction(const pav_run *run, text *t)
{
    double work, moving;
    const bool disk = run->outofcore->disk, on_gpu = run_uses_device_memory(run);
    const double step = outofcore_seconds(run, &work, &moving);
    const machine_link rate = machine_link_of(&run->outofcore->machine, true);
    if (step <= 0)
        return;
    text_add(
        t,
        "%-12s by the model a step takes %s: %s of kernels%s, %s of the %s; bound by "
        "%s",
        "", duration_words(t, step).s, duration_words(t, work).s,
        disk || !on_gpu ? " and moves" : "", duration_words(t, moving).s,
        disk ? "disk" : "link",
        moving <= work ? "kernels"
        : disk         ? "the disk"
                       : "the link");
    if (run->steps > 0)
        text_add(t, "; all take %s", duration_words(t, step * (double)run->steps).s);
    if (on_gpu)
        text_add(t, "\n%-12s the link moves %.3g GB/s each way at once, pinned (%s)", "",
                 rate.busy / 1e9,
                 run->client.machine.rate.link.busy > 0
                     ? "kept by `pavior doctor --measure`"
                 : run->outofcore->machine.rate.link.busy > 0 ? "measured now"
                                                              : "assumed");
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
    text_add(t, "%-12s %s: %s along %c take %s", "out of core", o->requested.method,
             count_words(visits_of(o), "visit").s, "xyz"[o->axis],
             o -> why_stages[0] ? "one stage" : count_words(o->steps, "step").s);
    if (o->depth > 1)
        text_add(t, " in launches of %d", o->depth);
    if (outofcore_has_tiles(o))
        text_add(t, " in time tiles of %d", outofcore_tile_steps(o));
    text_add(t,
             ", each goes on by %s\n%-12s a window of %lld, %s of the %s memory\n%-12s a "
             "step sends %s there and %s back%s%s\n",
             count_words(o->width, "plane").s, "", (long long)o->planes,
             size_words(t, o->bytes).s,
             run_uses_device_memory(plan->run) ? "device's" : "host's", "",
             size_words(t, (int64_t)a_step.sent).s, size_words(t, (int64_t)a_step.got).s,
             o->overlaps ? ", while it computes" : ", between visits",
             is_not_overlapped(o) ? ", since the window has no room for more" : "");
    if (o->stay > 0)
        text_add(t, "%-12s the first %lld planes stay on the device\n", "",
                 (long long)o->stay);
    text_add(t, "%-12s as --out-of-core ", "");
    add_settings(plan->run, t);
    if (outofcore_has_tiles(o))
        text_add(t, " --schedule %s", o->tile_words);
    text_add(t, "\n");
    if (o->sent_once)
        text_add(t, "%-12s coefficients are sent once, and stay\n", "");
    if (o->disk)
        text_add(
            t,
            "%-12s fields of %s lie in files of %s, which each step reads and writes "
            "so much of\n%-12s at %.3g GB/s each way (%s)\n",
            "", size_words(t, o->disk->bytes).s, count_words(o->disk->paths, "disk").s,
            "", o->disk->rate / 1e9, o->disk->is_measured ? "measured now" : "assumed");
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
    const char axis = "xyz"[o->axis];
    add_method_json(plan->run, t);
    text_add(t,
             "\"axis\": \"%c\", \"visits\": %lld, \"steps\": %d, \"planes\": %lld, "
             "\"window_planes\": %lld, \"planes_that_stay\": %lld, "
             "\"device_bytes\": %lld, \"sent_bytes\": %.0f, \"received_bytes\": %.0f, "
             "\"overlapped\": %s, \"launch_steps\": %d, \"tile_steps\": %d, "
             "\"single_steps_because\": ",
             axis, (long long)visits_of(o), o->steps, (long long)o->width,
             (long long)o->planes, (long long)o->stay, (long long)o->bytes, a_step.sent,
             a_step.got, o->overlaps ? "true" : "false", o->depth,
             outofcore_tile_steps(o));
    text_add_json(t, o->why_single[0] ? o->why_single : NULL);
    text_add(t, ", \"stages_because\": ");
    text_add_json(t, o->why_stages[0] ? o->why_stages : NULL);
    double work, link;
    const double step = outofcore_seconds(plan->run, &work, &link);
    text_add(t, ", \"sent_once\": %s, \"windows\": %d, \"predicted_seconds\": ",
             o->sent_once ? "true" : "false", o->windows);
    text_add(t, step > 0 ? "%.9g" : "null", step);
    text_add(t, ", \"disks\": %d, \"disk_bytes\": %lld}", o->disk ? o->disk->paths : 0,
             o->disk ? (long long)o->disk->bytes : 0LL);
}

/* ---- files ------------------------------------------------------------------------- */

/* Steps by stages fill the window from mapped files. */
static striped_figures figures_of(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    const disk_tier *d = o->disk;
    striped_figures f = d && d->files ? striped_figures_of(d->files)
                                      : (striped_figures){0};
    if (d && o->why_stages[0]) {
        f.read += o->sent;
        f.written += o->got;
        f.direct = false;
    }
    return f;
}

static void disk_report_text(const pav_run *run, text *t)
{
    const disk_tier *d = run->outofcore->disk;
    const striped_figures f = figures_of(run);
    text_add(t, "\n%-12s %s in files; %s read, %s written%s; ", "fields",
             size_words(t, d->bytes).s, size_words(t, f.read).s,
             size_words(t, f.written).s, f.direct ? " past the page cache" : "");
    if (f.holes > 0)
        text_add(t, "%s of zeros not written; ", size_words(t, f.holes).s);
    if (d->cached > 0)
        text_add(t, "%s found in memory; ", size_words(t, f.cached).s);
    text_add(t, "waited %.3g s for them\n%-12s moved by ", f.waited, "");
    if (f.direct && !f.no_ring)
        text_add(t, "io_uring");
    else
        text_add(t, "%s",
                 run->outofcore->why_stages[0]
                     ? "the page cache: stages see the files as memory"
                 : !f.direct ? "threads: the file system knows the page cache alone"
                 : f.no_ring == ECANCELED
                     ? "threads: PAV_DISK_RING=0"
                     : "threads: the system has no io_uring, or forbids it");
}

static void disk_report_json(const pav_run *run, text *t)
{
    const disk_tier *d = run->outofcore->disk;
    const striped_figures f = figures_of(run);
    text_add(t,
             ", \"disks\": %d, \"disk_bytes\": %lld, \"disk_read\": %lld, "
             "\"disk_cached\": %lld, \"disk_holes\": %lld, \"disk_written\": %lld, "
             "\"disk_waited\": %.9g, \"disk_direct\": %s, \"disk_ring\": %s",
             d ? d->paths : 0, d ? (long long)d->bytes : 0LL, (long long)f.read,
             (long long)f.cached, (long long)f.holes, (long long)f.written, f.waited,
             f.direct ? "true" : "false", f.direct && !f.no_ring ? "true" : "false");
}

/* ---- all of it --------------------------------------------------------------------- */

/* Modelled seconds of the steps taken; 0: unknown. */
static double predicted(const pav_run *run)
{
    double work, link;
    return outofcore_seconds(run, &work, &link) *
           (double)(run->part->step - run->first_step);
}

/* ---- for checks -------------------------------------------------------------------- */

void outofcore_see(const pav_run *run, outofcore_seen *seen)
{
    const outofcore *o = run->outofcore;
    const bool parts = o->width < o->extent;
    outofcore_request as;
    for (int64_t n = 0; n < OUTOFCORE_METHODS; n++)
        seen->method[n] += strcmp(outofcore_method(n, &as), o->requested.method) == 0;
    seen->stages += o->why_stages[0] != '\0';
    seen->launches += o->depth > 1;
    seen->tiles += outofcore_has_tiles(o);
    seen->around += parts && o->state.blocking.periodic[o->axis];
    seen->stay += o->stay > 0;
    seen->windows += outofcore_at_once(o) > 1 && o->blocks > 1;
    seen->disk += o->disk != NULL;
    seen->bounded += o->disk && o->requested.host_bytes > 0 && !o->why_stages[0] &&
                     o->disk->cached < o->extent;
}

/* ---- reports ----------------------------------------------------------------------- */

void outofcore_report_text(const pav_run *run, text *t)
{
    const outofcore *o = run->outofcore;
    if (!o)
        return;
    text_add(t, "\n%-12s %s: %s of a window of %s", "out of core", o->requested.method,
             count_words(o->visits, "visit").s, count_words(o->planes, "plane").s);
    if (o->stay > 0)
        text_add(t, ", of which %lld stay", (long long)o->stay);
    if (o->fused)
        text_add(t, ", launches of %d steps", o->depth);
    if (outofcore_has_tiles(o))
        text_add(t, ", time tiles of %d steps", outofcore_tile_steps(o));
    text_add(t, "; %s sent, %s back", size_words(t, o->sent).s, size_words(t, o->got).s);
    if (o->overlaps)
        text_add(t, o->pinned > 0 ? ", while it computes, of pinned memory"
                                  : ", while it computes");
    text_add(t, "\n%-12s as --out-of-core ", "");
    add_settings(run, t);
    if (outofcore_has_tiles(o))
        text_add(t, " --schedule %s", o->tile_words);
    if (is_not_overlapped(o))
        text_add(t, "; no overlap: the window has no room for more");
    if (o->why_stages[0])
        text_add(t, "\n%-12s stage by stage: %s", "", o->why_stages);
    if (o->why_single[0])
        text_add(t, "\n%-12s launches take single steps: %s", "", o->why_single);
    if (o->disk && o->disk->files)
        disk_report_text(run, t);
    const outofcore_use use = outofcore_use_of(run);
    const double all = run->seconds.steps, model = predicted(run);
    if (o->overlaps && run_uses_device_memory(run))
        text_add(
            t, "\n%-12s kernels waited %.3g s for the link, the link %.3g s for kernels",
            "", use.kernels_waited, use.link_waited);
    if (model <= 0 || all <= 0)
        return;
    text_add(t, "\n%-12s ", "");
    if (use.kernels_busy > 0)
        text_add(t, "kernels were busy %.0f %% of the time, the link %.0f %%; ",
                 100 * use.kernels_busy / all, 100 * use.link_busy / all);
    text_add(t, "%s predicted, %s taken", duration_words(t, model).s,
             duration_words(t, all).s);
}

void outofcore_report_json(const pav_run *run, text *t)
{
    const outofcore *o = run->outofcore;
    text_add(t, "\"out_of_core\": %s", o ? "{" : "null, ");
    if (!o)
        return;
    const outofcore_use use = outofcore_use_of(run);
    add_method_json(run, t);
    text_add(
        t,
        "\"visits\": %lld, \"planes\": %lld, \"window_planes\": "
        "%lld, \"planes_that_stay\": %lld, \"sent_bytes\": %lld, \"received_bytes\": "
        "%lld, \"overlapped\": %s, "
        "\"pinned_bytes\": %lld, \"kernels_waited\": %.9g, \"link_waited\": %.9g, "
        "\"kernels_busy\": %.9g, \"link_busy\": %.9g, \"predicted_seconds\": %.9g, "
        "\"launch_steps\": %d, \"tile_steps\": %d",
        (long long)o->visits, (long long)o->width, (long long)o->planes,
        (long long)o->stay, (long long)o->sent, (long long)o->got,
        o->overlaps ? "true" : "false", (long long)o->pinned, use.kernels_waited,
        use.link_waited, use.kernels_busy, use.link_busy, predicted(run),
        o->fused ? o->depth : 1, outofcore_tile_steps(o));
    disk_report_json(run, t);
    text_add(t, "}, ");
}
