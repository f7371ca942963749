/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a run is out of core, and opens its window. */
#include <stdlib.h>

#include "run/outofcore/outofcore_private.h"

/* ---- whether ----------------------------------------------------------------------- */

/* True if all fields fit in a device's layout. */
static bool fits(const pav_run *run, int64_t bytes)
{
    int64_t all = 0;
    for (int64_t f = 0; f < run->code->fields; f++) {
        const field_shape shape = run_shape_of(run, &run->code->field[f]);
        levels_size size;
        if (run->code->field[f].memory)
            continue;
        if (!levels_measure(&shape, &size) || !add_fits(all, size.bytes, &all))
            return false;
    }
    return all <= bytes;
}

static bool is_on_disk(const pav_run *run, const outofcore_request *r)
{
    return r->disk || disk_is_gone_on_from(run) ||
           (r->host_bytes > 0 && !fits(run, r->host_bytes));
}

static bool is_shared_out(const pav_run *run)
{
    return run->options.subdomains || run->part->ranks;
}

/* In a list with processors, GPUs get shares within their memory instead
 * (hybrid_memory.c). */
static bool has_processors(const pav_run *run)
{
    bool any = false;
    for (int n = 0; n < run->places && run->places > 1; n++)
        any = any || !place_kind_of(run->place[n].device)->own_memory;
    return any;
}

/* The share of a rank or of one of several GPUs is not known here; their own memory
 * checks report a lack. */
static bool is_too_large(const pav_run *run, int64_t bytes)
{
    const bool shared_out = run->options.subdomains &&
                            place_kind_of(run->place->device)->own_memory;
    return bytes > 0 && !run->part->ranks && !shared_out && !fits(run, bytes);
}

static bool is_asked_for(const pav_run *run, const outofcore_request *r)
{
    return r->always || is_on_disk(run, r) ||
           (is_too_large(run, r->bytes) && !has_processors(run));
}

static pav_status check_places(const pav_run *run, const outofcore_request *r)
{
    enum { MOST = 64 };
    if (is_shared_out(run))
        return FAIL(PAV_EUNSUPPORTED,
                    "%s cannot be computed out of core: its grid is cut into subdomains",
                    run->program->name);
    if (has_processors(run))
        return FAIL(PAV_EUNSUPPORTED,
                    "%s cannot be computed out of core by %s: of several devices all "
                    "have to be GPUs",
                    run->program->name, run->device_name);
    const bool on_gpu = place_kind_of(run->place->device)->own_memory;
    const int most = on_gpu ? run->places : MOST;
    if (r->windows == 0 || (r->windows <= most && r->windows >= run->places))
        return PAV_OK;
    return FAIL(PAV_EINVAL,
                on_gpu ? "%lld windows: each of %d GPUs has one"
                       : "%lld windows: give no more than %d",
                (long long)r->windows, most);
}

static pav_status new_windows(pav_run *run, int windows)
{
    subdomain *whole = run->part;
    whole->inner = mem_new(windows, sizeof *whole->inner);
    if (!whole->inner)
        return PAV_ENOMEM;
    whole->inners = windows;
    for (int n = 0; n < windows; n++) {
        subdomain *window = &whole->inner[n];
        *window = (subdomain){.code = whole->code,
                              .is_inner = true,
                              .step = whole->step,
                              .place = n % run->places};
        window->grid = mem_new(subdomain_grids(whole->code), sizeof *window->grid);
        if (!window->grid)
            return PAV_ENOMEM;
    }
    return PAV_OK;
}

pav_status outofcore_begin(pav_run *run, const outofcore_request *r)
{
    subdomain *whole = run->part;
    run->outofcore = mem_new(1, sizeof *run->outofcore);
    if (!run->outofcore)
        return PAV_ENOMEM;
    run->outofcore->requested = *r;
    if (!r->method)
        run->outofcore->requested.method = "auto";
    TRY(is_on_disk(run, r) ? disk_find(run) : PAV_OK);
    TRY(check_places(run, r));
    TRY(outofcore_check_settings(run));
    whole->plain = false;
    run->outofcore->windows = r->windows > 0 ? (int)r->windows : run->places;
    return new_windows(run, run->outofcore->windows);
}

pav_status outofcore_find(pav_run *run, const outofcore_request *given)
{
    outofcore_request r;
    if (given)
        return outofcore_begin(run, given);
    TRY(outofcore_parse(run, &r));
    return is_asked_for(run, &r) ? outofcore_begin(run, &r) : PAV_OK;
}

void outofcore_close(pav_run *run)
{
    if (run->outofcore && run->part->field)
        outofcore_unpin(run);
    if (run->outofcore)
        disk_close(run);
    if (run->outofcore)
        outofcore_close_windows(run);
    if (run->outofcore)
        time_state_close(run->part->code, &run->outofcore->state);
    if (run->outofcore)
        time_state_close(run->part->code, &run->outofcore->tiles);
    if (run->outofcore)
        place_launch_free(run->outofcore->fused);
    if (run->outofcore)
        mem_free(run->outofcore->span);
    if (run->outofcore)
        mem_free(run->outofcore->newest);
    if (run->outofcore)
        free(run->outofcore->why_broken);
    mem_free(run->outofcore);
    run->outofcore = NULL;
}

/* ---- the window -------------------------------------------------------------------- */

static pav_status take_fields(pav_run *run, subdomain *window)
{
    executor *e = window->executor;
    TRY(subdomain_open_fields(window));
    for (int64_t f = 0; f < run->code->fields; f++) {
        const field_shape shape = outofcore_shape_of(run, &run->code->field[f],
                                                     run->outofcore->planes);
        TRY(e->ops.take_field(e, f, &shape, NULL));
    }
    TRY(subdomain_open_views(window, run->part));
    TRY(e->ops.place_views(e));
    return e->ops.fill_tables(e);
}

/* Called after the fields and tables of the whole grid are filled. */
pav_status outofcore_open_window(pav_run *run)
{
    if (!run->outofcore)
        return run->options.timeline
                   ? FAIL(PAV_EINVAL,
                          "a timeline is of a run out of core, and %s fits: give "
                          "--out-of-core auto, or less --device-memory",
                          run->program->name)
                   : PAV_OK;
    TRY(outofcore_begin_timeline(run));
    TRY(outofcore_open_windows(run));
    TRY(outofcore_resident_open(run));
    for (int64_t n = 0; n < run->part->inners; n++)
        TRY(take_fields(run, &run->part->inner[n]));
    TRY(outofcore_make_launches(run));
    TRY(outofcore_pin(run));
    if (run->outofcore->disk && !run->outofcore->why_stages[0])
        TRY(disk_open_areas(run));
    for (int64_t n = 0; n < run->part->inners; n++) {
        executor *e = run->part->inner[n].executor;
        TRY(e->ops.begin(e));
    }
    return PAV_OK;
}
