/* SPDX-License-Identifier: BSD-3-Clause */
/* The window of a run out of core is opened: whether there is to be one, then its
 * memory. */
#include "run/outofcore/outofcore_private.h"

/* ---- whether ----------------------------------------------------------------------- */

/* Bytes of all fields, as a device would have them. */
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

static bool is_asked_for(const pav_run *run, const outofcore_request *r)
{
    return r->always || is_on_disk(run, r) || (r->bytes > 0 && !fits(run, r->bytes));
}

pav_status outofcore_begin(pav_run *run, const outofcore_request *r)
{
    subdomain *whole = run->part;
    run->outofcore = mem_new(1, sizeof *run->outofcore);
    if (!run->outofcore)
        return PAV_ENOMEM;
    run->outofcore->requested = *r;
    TRY(is_on_disk(run, r) ? disk_find(run) : PAV_OK);
    if (run->is_cut)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s cannot be computed out of core: its grid is cut into subdomains",
                    run->program->name);
    whole->plain = false;
    whole->inner = mem_new(1, sizeof *whole->inner);
    if (!whole->inner)
        return PAV_ENOMEM;
    whole->inners = 1;
    *whole->inner = (subdomain){.code = whole->code, .is_inner = true};
    whole->inner->grid = mem_new(subdomain_grids(whole->code),
                                 sizeof *whole->inner->grid);
    return whole->inner->grid ? PAV_OK : PAV_ENOMEM;
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
        time_state_close(run, &run->outofcore->state);
    if (run->outofcore)
        gpu_fused_free(run->outofcore->fused);
    if (run->outofcore)
        mem_free(run->outofcore->span);
    mem_free(run->outofcore);
    run->outofcore = NULL;
}

/* ---- the window -------------------------------------------------------------------- */

static pav_status take_fields(pav_run *run)
{
    subdomain *window = run->part->inner;
    executor *e = window->executor;
    TRY(subdomain_open_fields(window));
    for (int64_t f = 0; f < run->code->fields; f++) {
        const field_shape shape = outofcore_shape_of(run, &run->code->field[f],
                                                     run->outofcore->planes);
        TRY(e->ops.take_field(e, f, &shape, NULL));
    }
    return PAV_OK;
}

/* Once the fields and tables of the whole are filled. */
pav_status outofcore_open_window(pav_run *run)
{
    subdomain *window = run->part->inner;
    if (!run->outofcore)
        return run->options.timeline
                   ? FAIL(PAV_EINVAL,
                          "a timeline is of a run out of core, and %s fits: give "
                          "--out-of-core auto, or less --device-memory",
                          run->program->name)
                   : PAV_OK;
    executor *e = window->executor;
    TRY(take_fields(run));
    TRY(subdomain_open_views(window, run->part));
    TRY(e->ops.place_views(e));
    TRY(e->ops.fill_tables(e));
    TRY(outofcore_make_launch(run));
    TRY(outofcore_pin(run));
    if (run->outofcore->disk)
        TRY(disk_open_areas(run));
    return e->ops.begin(e);
}
