/* SPDX-License-Identifier: BSD-3-Clause */
/* A run out of core, from the question whether it is one to the end. It has one window on
 * each GPU, or the requested number; windows differ only in their blocks. A long run pins
 * its store. */
#include <assert.h>
#include <stdlib.h>

#include "run/outofcore/outofcore_private.h"

/* ---- levels of one step ------------------------------------------------------------ */

static pav_status check_whole(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    int64_t step;
    if (o->under_way)
        return FAIL(
            PAV_EINVAL,
            "visits of a block of steps are under way, so the fields of %s belong to no "
            "single step: ask when the block is over, or once pav_run_steps has returned",
            run->program->name);
    if (o->broken.status == PAV_OK) {
        /* the host may be unable to read the store */
        const disk_tier *t = run->outofcore->disk;
        return t && t->files ? striped_check(t->files) : PAV_OK;
    }
    const char *kept = pav_run_checkpointed(run, &step);
    if (kept)
        return FAIL(
            o->broken.status,
            "visits of a block of steps failed, so the fields of %s belong to no single "
            "step: restart from the checkpoint %s of step %lld; the failure was this: %s",
            run->program->name, kept, (long long)step,
            o->broken.why ? o->broken.why : "memory ran out");
    return FAIL(o->broken.status,
                "visits of a block of steps failed, so the fields of %s belong to no "
                "single step: open the run again; the failure was this: %s",
                run->program->name, o->broken.why ? o->broken.why : "memory ran out");
}

/* ---- windows ----------------------------------------------------------------------- */

outofcore *outofcore_of(const pav_run *run, int window)
{
    outofcore *o = run->outofcore;
    return window == 0 ? o : &o->other[window - 1];
}

/* Some blocks cannot overlap: they begin with planes from the end of the last block, or
 * need the store in its old state. */
int outofcore_at_once(const outofcore *o)
{
    const bool alone = o->requested.single || o->requested.again || o->why_stages[0] ||
                       o->state.blocking.periodic[o->axis];
    return alone ? 1 : o->windows;
}

/* ---- a pinned store ---------------------------------------------------------------- */

/* Pins the store in a long run, so that the device copies it directly. If the system
 * refuses, planes pass through pinned buffers. */

enum {
    WORTH = 3 /* blocks */,
    WORTH_OF_STAGES = 64 /* steps; each moves all planes */
};

bool outofcore_pins(const pav_run *run, int steps)
{
    return run->steps == 0 || run->steps >= WORTH * steps;
}

static pav_status pin_store(pav_run *run)
{
    outofcore *o = run->outofcore;
    const bool by_stages = o->why_stages[0] && !o->disk &&
                           (run->steps == 0 || run->steps >= WORTH_OF_STAGES);
    const bool pays = by_stages || (o->overlaps && outofcore_pins(run, o->steps));
    for (int64_t f = 0; f < run->code->fields && pays && run_uses_device_memory(run);
         f++) {
        const levels *l = &run->part->field[f];
        if (run->code->field[f].memory || l->bytes == 0)
            continue;
        /* Pinned by each GPU, since each copies by itself. */
        pav_status status = PAV_OK;
        for (int n = 0; n < run->places && status == PAV_OK; n++)
            status = place_pin(&run->place[n], l->block, l->bytes);
        if (status != PAV_OK) {
            exec_note(&run->client,
                      "%s: planes go through pinned buffers of a few MiB, which is "
                      "slower; ulimit -l may say why",
                      pav_message());
            return PAV_OK;
        }
        o->pinned += l->bytes;
    }
    return PAV_OK;
}

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
    return r->disk || disk_store_is_restarted(run) ||
           (r->host_bytes > 0 && !fits(run, r->host_bytes));
}

/* In a list with processors, GPUs get shares within their memory instead
 * (subdomains/hybrid.c). */
static bool has_processors(const pav_run *run)
{
    for (int n = 0; n < run->places && run->places > 1; n++)
        if (place_kind_of(run->place[n].device) != PLACE_GPU)
            return true;
    return false;
}

static pav_status check_places(const pav_run *run, const outofcore_request *r)
{
    enum { MOST = 64 };
    if (run->options.subdomains || run->part->ranks)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s cannot be computed out of core: its grid is cut into subdomains",
                    run->program->name);
    if (has_processors(run))
        return FAIL(PAV_EUNSUPPORTED,
                    "%s cannot be computed out of core by %s: of several devices all "
                    "have to be GPUs",
                    run->program->name, run->device_name);
    const bool on_gpu = place_kind_of(run->place->device) == PLACE_GPU;
    const int most = on_gpu ? run->places : MOST;
    if (r->windows == 0 || (r->windows <= most && r->windows >= run->places))
        return PAV_OK;
    return FAIL(PAV_EINVAL,
                on_gpu ? "%lld windows: each of %d GPUs has one"
                       : "%lld windows: give no more than %d",
                (long long)r->windows, most);
}

/* Refuses settings and methods without effect. */
static pav_status check_settings(const pav_run *run)
{
    const outofcore_request *r = &run->outofcore->requested;
    if (r->asks_depth && r->depth > 1 && place_kind_of(run->place->device) != PLACE_GPU)
        return FAIL(PAV_EINVAL,
                    "depth=%lld: launches of several steps are of GPUs; visits of %s on "
                    "processors take time tiles (--schedule time:depth=%lld)",
                    (long long)r->depth, run->program->name, (long long)r->depth);
    if (!run->outofcore->disk)
        return PAV_OK;
    if (r->asks_overlap)
        return FAIL(PAV_EINVAL,
                    "overlap=%d: over files planes always come from the disk and go "
                    "there while a visit computes, and are copied to the window and "
                    "from it between visits; leave it out",
                    r->overlapped);
    return r->overlapped
               ? FAIL(PAV_EINVAL,
                      "%s moves planes to the window and from it while a visit "
                      "computes, which fields in files do not: m-mmtb is the same but "
                      "for that",
                      r->method)
               : PAV_OK;
}

pav_status outofcore_begin(pav_run *run, const outofcore_request *r)
{
    subdomain *whole = run->part;
    TRY(mem_take(&run->outofcore, 1, sizeof *run->outofcore));
    run->stepper = &window_steps;
    run->outofcore->requested = *r;
    if (!r->method)
        run->outofcore->requested.method = "auto";
    run->checkpoint.in_files = is_on_disk(run, r);
    if (run->checkpoint.in_files)
        TRY(disk_find(run));
    TRY(check_places(run, r));
    TRY(check_settings(run));
    whole->plain = false;
    const int windows = r->windows > 0 ? (int)r->windows : run->places;
    run->outofcore->windows = windows;
    TRY(mem_take(&whole->inner, windows, sizeof *whole->inner));
    whole->inners = windows;
    for (int n = 0; n < windows; n++) {
        subdomain *window = &whole->inner[n];
        *window = (subdomain){.code = whole->code,
                              .is_inner = true,
                              .step = whole->step,
                              .place = n % run->places};
        TRY(mem_take(&window->grid, subdomain_grids(whole->code), sizeof *window->grid));
    }
    return PAV_OK;
}

pav_status outofcore_find(pav_run *run, const outofcore_request *given)
{
    outofcore_request r;
    if (given)
        return outofcore_begin(run, given);
    TRY(outofcore_parse(run, &r));
    /* The share of a rank or of one of several GPUs is not known here; their own memory
     * checks report a lack. */
    const bool shared_out = run->part->ranks ||
                            (run->options.subdomains &&
                             place_kind_of(run->place->device) == PLACE_GPU);
    const bool is_too_large = r.bytes > 0 && !shared_out && !fits(run, r.bytes);
    return r.always || is_on_disk(run, &r) || (is_too_large && !has_processors(run))
               ? outofcore_begin(run, &r)
               : PAV_OK;
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

/* If an unrequested launch cannot be made, the windows still fit single steps. */
static pav_status outofcore_make_launches(pav_run *run)
{
    for (int n = 0; n < run->outofcore->windows && run->outofcore->launch.depth > 1;
         n++) {
        outofcore *o = outofcore_of(run, n);
        o->launch.depth = run->outofcore->launch.depth;
        pav_status status = place_launch_make(o->executor, &o->launch.launch, o->width,
                                              &o->fused);
        if (status == PAV_OK)
            status = place_launch_points(o->executor, o->fused, run->part);
        else if (status != PAV_ENOMEM && !outofcore_asks_for_launch(run)) {
            exec_note(&run->client, "visits take single steps: %s", pav_message());
            o->launch.depth = 1;
            status = PAV_OK;
        }
        TRY(status);
    }
    return PAV_OK;
}

/* Called after the fields and tables of the whole grid are filled. */
pav_status outofcore_open_window(pav_run *run)
{
    TRY(outofcore_begin_timeline(run));
    /* Further windows are copies of the first, which has no memory of its own yet. */
    outofcore *o = run->outofcore;
    /* the copies share no memory */
    assert(!o->span && !o->newest && !o->fused && !o->state.ready && !o->tiles.ready);
    TRY(mem_take(&o->other, o->windows, sizeof *o->other));
    for (int n = 0; n < o->windows; n++) {
        outofcore *own = outofcore_of(run, n);
        if (n > 0)
            *own = *o;
        own->window = &run->part->inner[n];
        own->executor = run->place[own->window->place].executor;
    }
    if (run->outofcore->stay > 0) {
        TRY(mem_take(&run->outofcore->newest, run->code->fields + 1,
                     sizeof *run->outofcore->newest));
    }
    for (int64_t n = 0; n < run->part->inners; n++)
        TRY(take_fields(run, &run->part->inner[n]));
    TRY(outofcore_make_launches(run));
    TRY(pin_store(run));
    if (run->outofcore->disk && !run->outofcore->why_stages[0])
        TRY(disk_open_areas(run));
    for (int64_t n = 0; n < run->part->inners; n++) {
        executor *e = run->part->inner[n].executor;
        TRY(e->ops.begin(e));
    }
    return PAV_OK;
}

/* ---- the stepper ------------------------------------------------------------------- */

static pav_status take_field(pav_run *run, int64_t field, const field_shape *shape)
{
    executor *e = run->part->executor;
    return run->outofcore->disk ? disk_open_store(run)
                                : e->ops.take_field(e, field, shape, &run->setup.sink);
}

static void caller_has_written(const pav_run *run)
{
    for (int n = 0; n < run->outofcore->windows; n++)
        outofcore_of(run, n)->are_there = outofcore_of(run, n)->stays = false;
}

static void add_figures(const pav_run *run, executor_figures *f)
{
    const outofcore *o = run->outofcore;
    f->behind = f->behind || o->behind;
    f->bytes = o->bytes * o->windows;
    if (outofcore_has_tiles(o))
        f->schedule = o->tile_words;
}

static void close_run(pav_run *run)
{
    outofcore *o = run->outofcore;
    if (run->part->field) {
        for (int64_t f = 0; run->outofcore->pinned > 0 && f < run->code->fields; f++)
            for (int n = 0; n < run->places; n++)
                if (!run->code->field[f].memory && run->part->field[f].bytes > 0)
                    place_unpin(&run->place[n], run->part->field[f].block);
        run->outofcore->pinned = 0;
    }
    disk_close(run);
    if (o->drains) /* after a failed run */
        (void)o->window->executor->ops.exchanged(o->window->executor);
    for (int n = 1; o->other && n < o->windows; n++) {
        outofcore *other = &o->other[n - 1];
        other->state.blocking = (ir_blocking){0};
        time_state_close(run->part->code, &other->state);
        place_launch_free(other->fused);
    }
    mem_free(o->other);
    o->other = NULL;
    time_state_close(run->part->code, &o->state);
    time_state_close(run->part->code, &o->tiles);
    place_launch_free(o->fused);
    MEM_FREE_ALL(o->span, o->newest);
    free(o->broken.why);
    mem_free(o);
    run->outofcore = NULL;
}

const stepper window_steps = {
    .windows = true,
    .plan = outofcore_plan,
    .take_field = take_field,
    .steps = outofcore_steps,
    .stage = outofcore_stage,
    .settle = outofcore_settle,
    .check = check_whole,
    .written = caller_has_written,
    .figures = add_figures,
    .finish = outofcore_write_timeline,
    .close = close_run,
};
