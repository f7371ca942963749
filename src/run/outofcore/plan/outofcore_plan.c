/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans visits: the steps of a block, the planes of a visit and the resident planes,
 * within the device's memory.
 *
 * A block of T steps uploads each plane once, so many steps are good. But the window
 * keeps T times the skew of a step besides the visit's own planes, and these are shifted
 * within it. */
#include "run/outofcore/outofcore_private.h"

/* The widest ghosts of any field, or the farthest neighbour of any stage along the
 * axis. */
static int deepest(const ir *code, int axis)
{
    int most = 0;
    for (int64_t f = 0; f < code->fields; f++)
        for (int side = 0; side < 2; side++)
            most = int_most(most, code->field[f].halo[axis][side]);
    for (int64_t n = 0; n < code->stages; n++)
        for (int64_t k = 0; k < code->stage[n].count; k++) {
            const ir_node *node = &code->stage[n].node[k];
            const int far = node->op == IR_LOAD ? node->offset[axis] : 0;
            most = int_most(most, far < 0 ? -far : far);
        }
    return most;
}

static pav_status check(const pav_run *run)
{
    text why = {0};
    pav_status status = PAV_OK;
    outofcore_refusal(run, run->outofcore, &why);
    if (why.failed)
        status = PAV_ENOMEM;
    else if (why.length > 0)
        status = FAIL(PAV_EUNSUPPORTED, "%s cannot be computed out of core: %s",
                      run->program->name, why.data);
    text_free(&why);
    return status;
}

/* The memory for all windows on one device. */
static int64_t limit_of_all(const pav_run *run)
{
    const int64_t given = run->outofcore->requested.bytes;
    if (given > 0)
        return given;
    if (run_uses_device_memory(run))
        return place_free_memory(run_place(run), 1) / 10 * 9;
    return run->outofcore->disk ? run->outofcore->disk->limit : INT64_MAX;
}

static int64_t limit_of(const pav_run *run)
{
    return limit_of_all(run) / int_parts(run->outofcore->windows, run->places);
}

static pav_status choose_window(const pav_run *run)
{
    outofcore *o = run->outofcore;
    if (o->why_stages[0])
        return outofcore_choose_stages(run, outofcore_most_planes(run))
                   ? PAV_OK
                   : outofcore_too_little(run);
    if (!outofcore_choose(run))
        return outofcore_too_little(run);
    outofcore_fit_tiles(run);
    o->planes = outofcore_planes(o, o->steps, o->width, o->overlaps, &o->out);
    o->staged = o->disk ? disk_staged_bytes(run, o->width) : 0;
    if (o->disk)
        o->disk->cached = disk_cached_planes(run, o->planes, o->width);
    return PAV_OK;
}

/* Called after the executor of the window is known, because it decides the layout of
 * rows. */
pav_status outofcore_plan(pav_run *run)
{
    outofcore *o = run->outofcore;
    if (!o || o->is_planned)
        return PAV_OK;
    o->axis = o->state.stream = run->code->dim - 1;
    o->state.column = -1;
    o->extent = points_along(run->code, o->axis, false);
    o->halo = deepest(run->code, o->axis);
    o->unit = o->axis == 0 ? 64 : 1;
    TRY(ir_blocking_open(run->code, NULL, &o->state.blocking));
    TRY(check(run));
    TRY(outofcore_find_stages(run));
    if (run_uses_device_memory(run))
        run->part->executor->line = run->part->inner->executor->line;
    o->depth = 1;
    if (!o->why_stages[0])
        TRY(outofcore_find_launch(run));
    TRY(outofcore_find_tiles(run));
    if (o->disk)
        TRY(disk_plan(run));
    o->limit = limit_of(run);
    TRY(outofcore_check_resident(run));
    TRY(outofcore_measure(run));
    TRY(choose_window(run));
    o->is_planned = true;
    return outofcore_bytes(run, o->planes, &o->bytes)
               ? PAV_OK
               : FAIL(PAV_EINTERNAL, "the window has more bytes than 64 bits can count");
}
