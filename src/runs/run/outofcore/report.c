/* SPDX-License-Identifier: BSD-3-Clause */
/* What plans and reports say of a grid out of core: visits, steps of a block, memory,
 * traffic on the link and the disks, and waiting times. */
#include <math.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"
#include "run/record_private.h"

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
        text_add(t, ",depth=%d", o->launch.depth);
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
        return (traffic){plane.uploaded * planes, plane.downloaded * planes};
    for (int64_t n = 0; n < run->code->step.count; n++) {
        const ir_stage *s = &run->code->stage[run->code->step.stage[n]];
        if (outofcore_is_visited(run->code, s))
            add_stage(run, s, &all);
    }
    return all;
}

static int64_t visits_of(const outofcore *o)
{
    return o->why_stages[0] ? int_parts(o->extent, o->width)
                            : outofcore_axis(o, o->steps).tiles;
}

/* A reason, or NULL. */
static const char *because(const char *why)
{
    return why[0] ? why : NULL;
}

void plan_outofcore(const pav_plan *plan, bool json, text *t)
{
    const pav_run *run = plan->run;
    const outofcore *o = run->outofcore;
    if (!o && json)
        JSON_ADD(t, json_known("out_of_core", -1));
    if (!o)
        return;
    static const fact_unit rate = {1e-9, "%.3g GB/s", NULL};
    const char axis[] = {"xyz"[o->axis], '\0'};
    const bool device = run_uses_device_memory(run), stages = o->why_stages[0];
    const disk_tier *d = o->disk;
    const machine_link link = machine_link_of(&o->machine, true);
    const traffic a_step = traffic_of(run);
    double work, moving;
    const double step = outofcore_seconds(run, &work, &moving);
    OWNED_BY(text_free) text as = {0};
    add_settings(run, &as);
    const json_fact fact[] = {
        json_word("method", o->requested.method),
        json_word("as", as.data),
        json_word("tiles", outofcore_has_tiles(o) ? o->tile_words : NULL),
        json_word("axis", axis),
        json_count("visits", visits_of(o)),
        json_count("steps", o->steps),
        json_count("planes", o->width),
        json_count("window_planes", o->planes),
        json_count("planes_that_stay", o->stay),
        in_unit(&unit_bytes, json_count("device_bytes", o->bytes)),
        json_count("sent_bytes", llrint(a_step.sent)),
        json_count("received_bytes", llrint(a_step.got)),
        json_truth("overlapped", o->overlaps),
        json_count("launch_steps", o->launch.depth),
        json_count("tile_steps", outofcore_tile_steps(o)),
        json_word("single_steps_because", because(o->launch.why_single)),
        json_word("stages_because", because(o->why_stages)),
        json_truth("sent_once", o->sent_once),
        json_count("windows", o->windows),
        in_unit(&unit_time,
                json_digits("predicted_seconds", 9, step > 0 ? step : (double)NAN)),
        json_count("disks", d ? d->paths : 0),
        in_unit(&unit_bytes, json_count("disk_bytes", d ? d->bytes : 0)),
        only_said(json_word("memory", device ? "device's" : "host's")),
        only_said(in_unit(&unit_bytes, json_number("sent", a_step.sent))),
        only_said(in_unit(&unit_bytes, json_number("received", a_step.got))),
        only_said(in_unit(&rate, json_number("disk_rate", d ? d->rate : 0))),
        only_said(
            json_word("disk_source", d && d->is_measured ? "measured now" : "assumed")),
        only_said(json_count("cached", d ? d->cached : 0)),
        only_said(json_count("extent", o->extent)),
        only_said(in_unit(&unit_time, json_number("work", work))),
        only_said(in_unit(&unit_time, json_number("moving", moving))),
        only_said(in_unit(&unit_time, json_number("all", step * (double)run->steps))),
        only_said(json_word("mover", d ? "the disk" : "the link")),
        only_said(in_unit(&rate, json_number("link_rate", link.busy))),
        only_said(json_word("link_source", run->client.machine.rate.link.busy > 0
                                               ? "kept by `pavior doctor --measure`"
                                           : o->machine.rate.link.busy > 0
                                               ? "measured now"
                                               : "assumed")),
        {.kind = JSON_END}};
    if (json)
        json_object(t, "out_of_core", fact);
    else
        SAY(t, fact, {"out of core", true, "{method}: {visits:visit} along {axis} take "},
            {NULL, stages, "one stage"}, {NULL, !stages, "{steps:step}"},
            {NULL, o->launch.depth > 1, " in launches of {launch_steps}"},
            {NULL, outofcore_has_tiles(o), " in time tiles of {tile_steps}"},
            {NULL, true, ", each goes on by {planes:plane}"},
            {"", true,
             "a window of {window_planes}, {device_bytes} of the {memory} memory"},
            {"", true, "a step sends {sent} there and {received} back"},
            {NULL, o->overlaps, ", while it computes"},
            {NULL, !o->overlaps, ", between visits"},
            {NULL, is_not_overlapped(o), ", since the window has no room for more"},
            {"", o->stay > 0, "the first {planes_that_stay} planes stay on the device"},
            {"", true, "as --out-of-core {as}"},
            {NULL, outofcore_has_tiles(o), " --schedule {tiles}"},
            {"", o->sent_once, "coefficients are sent once, and stay"},
            {"", d != NULL,
             "fields of {disk_bytes} lie in files of {disks:disk}, which each step reads "
             "and writes so much of"},
            {"", d != NULL, "at {disk_rate} each way ({disk_source})"},
            {"", d && d->cached > 0,
             "{cached} of {extent} planes of them stay in the host's memory"},
            {"", step > 0,
             "by the model a step takes {predicted_seconds}: {work} of kernels"},
            {NULL, d || !device, " and moves"},
            {NULL, true, ", {moving} of {mover}; bound by "},
            {NULL, moving <= work, "kernels"}, {NULL, moving > work, "{mover}"},
            {NULL, run->steps > 0, "; all take {all}"},
            {"", step > 0 && device,
             "the link moves {link_rate} each way at once, pinned ({link_source})"},
            {"", o->windows > 1 && outofcore_at_once(o) > 1,
             "blocks go through several windows one behind the other"},
            {"", o->windows > 1 && outofcore_at_once(o) <= 1,
             "one window at a time: a block needs all of the one before"},
            {"", stages, "stage by stage: {stages_because}"},
            {"", o->launch.why_single[0],
             "launches take single steps: {single_steps_because}"});
    t->failed |= as.failed;
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

static const char *mover_of(const outofcore *o, const striped_figures *f)
{
    return f->direct          ? "threads"
           : o->why_stages[0] ? "the page cache: stages see the files as memory"
                              : "threads: the file system knows the page cache alone";
}

/* ---- the report -------------------------------------------------------------------- */

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
    outofcore_request as;
    for (int64_t n = 0; n < OUTOFCORE_METHODS; n++)
        seen->method[n] += strcmp(outofcore_method(n, &as), o->requested.method) == 0;
    seen->stages += o->why_stages[0] != '\0';
    seen->launches += o->launch.depth > 1;
    seen->tiles += outofcore_has_tiles(o);
    seen->around += o->width < o->extent && o->state.blocking.periodic[o->axis];
    seen->stay += o->stay > 0;
    seen->windows += outofcore_at_once(o) > 1 && o->blocks > 1;
    seen->disk += o->disk != NULL;
    seen->bounded += o->disk && o->requested.host_bytes > 0 && !o->why_stages[0] &&
                     o->disk->cached < o->extent;
}

/* ---- reports ----------------------------------------------------------------------- */

void outofcore_report(const pav_run *run, bool json, text *t)
{
    const outofcore *o = run->outofcore;
    if (!o && json)
        text_add(t, "null");
    if (!o)
        return;
    const disk_tier *d = o->disk;
    const striped_figures f = figures_of(run);
    const outofcore_use use = outofcore_use_of(run);
    const double all = run->seconds.spent[PHASE_STEPS], model = predicted(run);
    const bool files = d && d->files, is_predicted = model > 0 && all > 0;
    OWNED_BY(text_free) text as = {0};
    add_settings(run, &as);
    const json_fact fact[] = {
        json_word("method", o->requested.method),
        json_word("as", as.data),
        json_word("tiles", outofcore_has_tiles(o) ? o->tile_words : NULL),
        json_count("visits", o->visits),
        json_count("planes", o->width),
        json_count("window_planes", o->planes),
        json_count("planes_that_stay", o->stay),
        in_unit(&unit_bytes, json_count("sent_bytes", o->sent)),
        in_unit(&unit_bytes, json_count("received_bytes", o->got)),
        json_truth("overlapped", o->overlaps),
        json_count("pinned_bytes", o->pinned),
        in_unit(&unit_seconds, json_digits("kernels_waited", 9, use.kernels_waited)),
        in_unit(&unit_seconds, json_digits("link_waited", 9, use.link_waited)),
        json_digits("kernels_busy", 9, use.kernels_busy),
        json_digits("link_busy", 9, use.link_busy),
        in_unit(&unit_time, json_digits("predicted_seconds", 9, model)),
        json_count("launch_steps", o->fused ? o->launch.depth : 1),
        json_count("tile_steps", outofcore_tile_steps(o)),
        json_count("disks", d ? d->paths : 0),
        in_unit(&unit_bytes, json_count("disk_bytes", d ? d->bytes : 0)),
        in_unit(&unit_bytes, json_count("disk_read", f.read)),
        in_unit(&unit_bytes, json_count("disk_cached", f.cached)),
        in_unit(&unit_bytes, json_count("disk_holes", f.holes)),
        in_unit(&unit_bytes, json_count("disk_written", f.written)),
        in_unit(&unit_seconds, json_digits("disk_waited", 9, f.waited)),
        json_truth("disk_direct", f.direct),
        only_said(json_word("mover", mover_of(o, &f))),
        only_said(json_word("why_stages", o->why_stages)),
        only_said(json_word("why_single", o->launch.why_single)),
        only_said(in_unit(&unit_percent,
                          json_number("kernels_share", run_rate(use.kernels_busy, all)))),
        only_said(in_unit(&unit_percent,
                          json_number("link_share", run_rate(use.link_busy, all)))),
        only_said(in_unit(&unit_time, json_number("taken", all))),
        {.kind = JSON_END}};
    if (json)
        json_object(t, NULL, fact);
    else
        SAY(t, fact,
            {"out of core", true,
             "{method}: {visits:visit} of a window of {window_planes:plane}"},
            {NULL, o->stay > 0, ", of which {planes_that_stay} stay"},
            {NULL, o->fused, ", launches of {launch_steps} steps"},
            {NULL, outofcore_has_tiles(o), ", time tiles of {tile_steps} steps"},
            {NULL, true, "; {sent_bytes} sent, {received_bytes} back"},
            {NULL, o->overlaps, ", while it computes"},
            {NULL, o->overlaps && o->pinned > 0, ", of pinned memory"},
            {"", true, "as --out-of-core {as}"},
            {NULL, outofcore_has_tiles(o), " --schedule {tiles}"},
            {NULL, is_not_overlapped(o), "; no overlap: the window has no room for more"},
            {"", o->why_stages[0], "stage by stage: {why_stages}"},
            {"", o->launch.why_single[0], "launches take single steps: {why_single}"},
            {"fields", files,
             "{disk_bytes} in files; {disk_read} read, {disk_written} written"},
            {NULL, f.direct, " past the page cache"}, {NULL, true, "; "},
            {NULL, f.holes > 0, "{disk_holes} of zeros not written; "},
            {NULL, files && d->cached > 0, "{disk_cached} found in memory; "},
            {NULL, true, "waited {disk_waited} for them"},
            {"", files, "moved by {mover}"},
            {"", o->overlaps && run_uses_device_memory(run),
             "kernels waited {kernels_waited} for the link, the link {link_waited} for "
             "kernels"},
            {"", is_predicted, ""},
            {NULL, use.kernels_busy > 0,
             "kernels were busy {kernels_share} of the time, the link {link_share}; "},
            {NULL, true, "{predicted_seconds} predicted, {taken} taken"});
    t->failed |= as.failed;
}
