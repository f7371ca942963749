/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a grid out of core: visits, traffic on the link and the disk, and waiting
 * times. */
#include <errno.h>

#include <string.h>

#include "run/outofcore/outofcore_private.h"

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
    text_add(t, "\n%-12s ", "fields");
    text_add_bytes_size(t, d->bytes);
    text_add(t, " in files; ");
    text_add_bytes_size(t, f.read);
    text_add(t, " read, ");
    text_add_bytes_size(t, f.written);
    text_add(t, " written%s; ", f.direct ? " past the page cache" : "");
    if (f.holes > 0) {
        text_add_bytes_size(t, f.holes);
        text_add(t, " of zeros not written; ");
    }
    if (d->cached > 0) {
        text_add_bytes_size(t, f.cached);
        text_add(t, " found in memory; ");
    }
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
    text_add(t, ", \"disks\": %d, \"disk_bytes\": %lld, \"disk_read\": %lld, ",
             d ? d->paths : 0, d ? (long long)d->bytes : 0LL, (long long)f.read);
    text_add(t, "\"disk_cached\": %lld, \"disk_holes\": %lld, ", (long long)f.cached,
             (long long)f.holes);
    text_add(t, "\"disk_written\": %lld, \"disk_waited\": %.9g, \"disk_direct\": %s",
             (long long)f.written, f.waited, f.direct ? "true" : "false");
    text_add(t, ", \"disk_ring\": %s", f.direct && !f.no_ring ? "true" : "false");
}

/* ---- all of it --------------------------------------------------------------------- */

int64_t outofcore_device_bytes(const pav_run *run)
{
    return run->outofcore->bytes * run->outofcore->windows;
}

/* Modelled seconds of the steps taken; 0: unknown. */
static double predicted(const pav_run *run)
{
    double work, link;
    return outofcore_seconds(run, &work, &link) *
           (double)(run->part->step - run->first_step);
}

static void report_waits(const pav_run *run, text *t)
{
    double kernels, link;
    outofcore_waits(run, &kernels, &link);
    text_add(t, "\n%-12s kernels waited %.3g s for the link, the link %.3g s for kernels",
             "", kernels, link);
}

static void report_busy(const pav_run *run, text *t)
{
    double kernels, link;
    const double all = run->seconds.steps, model = predicted(run);
    outofcore_busy(run, &kernels, &link);
    if (model <= 0 || all <= 0)
        return;
    text_add(t, "\n%-12s ", "");
    if (kernels > 0)
        text_add(t, "kernels were busy %.0f %% of the time, the link %.0f %%; ",
                 100 * kernels / all, 100 * link / all);
    text_add_duration(t, model);
    text_add(t, " predicted, ");
    text_add_duration(t, all);
    text_add(t, " taken");
}

/* ---- for checks -------------------------------------------------------------------- */

static void see_disk(const outofcore *o, outofcore_seen *seen)
{
    seen->disk += o->disk != NULL;
    seen->bounded += o->disk && o->requested.host_bytes > 0 && !o->why_stages[0] &&
                     o->disk->cached < o->extent;
}

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
    see_disk(o, seen);
}

/* ---- reports ----------------------------------------------------------------------- */

void outofcore_report_text(const pav_run *run, text *t)
{
    const outofcore *o = run->outofcore;
    if (!o)
        return;
    text_add(t, "\n%-12s %s: ", "out of core", o->requested.method);
    outofcore_add_count(t, o->visits, "visit");
    text_add(t, " of a window of ");
    outofcore_add_count(t, o->planes, "plane");
    if (o->stay > 0)
        text_add(t, ", of which %lld stay", (long long)o->stay);
    if (o->fused)
        text_add(t, ", launches of %d steps", o->depth);
    if (outofcore_has_tiles(o))
        text_add(t, ", time tiles of %d steps", outofcore_tile_steps(o));
    text_add(t, "; ");
    text_add_bytes_size(t, o->sent);
    text_add(t, " sent, ");
    text_add_bytes_size(t, o->got);
    text_add(t, " back");
    if (o->overlaps)
        text_add(t, o->pinned > 0 ? ", while it computes, of pinned memory"
                                  : ", while it computes");
    text_add(t, "\n%-12s as --out-of-core ", "");
    outofcore_add_as(run, t);
    if (outofcore_has_tiles(o))
        text_add(t, " --schedule %s", o->tile_words);
    if (outofcore_is_not_overlapped(o))
        text_add(t, "; no overlap: the window has no room for more");
    if (o->why_stages[0])
        text_add(t, "\n%-12s stage by stage: %s", "", o->why_stages);
    if (o->why_single[0])
        text_add(t, "\n%-12s launches take single steps: %s", "", o->why_single);
    if (o->disk && o->disk->files)
        disk_report_text(run, t);
    if (o->overlaps && run_uses_device_memory(run))
        report_waits(run, t);
    report_busy(run, t);
}

void outofcore_report_json(const pav_run *run, text *t)
{
    const outofcore *o = run->outofcore;
    double kernels = 0, link = 0, busy_kernels = 0, busy_link = 0;
    if (o)
        outofcore_waits(run, &kernels, &link);
    if (o)
        outofcore_busy(run, &busy_kernels, &busy_link);
    text_add(t, "\"out_of_core\": %s", o ? "{" : "");
    if (o)
        outofcore_add_method_json(run, t);
    if (o)
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
            o->overlaps ? "true" : "false", (long long)o->pinned, kernels, link,
            busy_kernels, busy_link, predicted(run), o->fused ? o->depth : 1,
            outofcore_tile_steps(o));
    if (o)
        disk_report_json(run, t);
    if (o)
        text_add(t, "}, ");
    else
        text_add(t, "null, ");
}
