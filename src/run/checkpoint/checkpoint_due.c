/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the checkpoint of a run, when due or requested, and handles failures. Outputs
 * reach the disk before the checkpoint counts them, so that a restarted run ends with the
 * same files. */
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/run_private.h"

/* Brings all outputs counted by the checkpoint to the disk. */
static pav_status settle_outputs(pav_run *run)
{
    const double begun = clock_seconds();
    pav_status status = run->observers.writer ? output_wait(run) : PAV_OK;
    for (int64_t k = 0; status == PAV_OK && k < run->observers.recorders; k++)
        if (run->observers.recorder[k].series)
            status = series_sync(run->observers.recorder[k].series);
    run->checkpoint.spent += clock_seconds() - begun;
    return status;
}

static void miss(pav_run *run)
{
    checkpoint_plan *c = &run->checkpoint;
    text still = {0};
    free(c->why);
    c->why = strdup(pav_message());
    c->missed = run->part->step;
    if (pav_run_checkpointed(run, NULL))
        text_add(&still, "; that of step %lld is still there", (long long)c->saved);
    exec_warn(&run->client, "step %lld goes without a checkpoint: %s%s",
              (long long)run->part->step, c->why ? c->why : "",
              still.data ? still.data : "");
    text_free(&still);
}

/* A run goes on after a failed checkpoint, because the old one still exists. But a failed
 * output ends it. */
static pav_status keep(pav_run *run)
{
    run->checkpoint.outdated = false;
    if (run->observers.nan_check_every == 0 &&
        run->observers.nan_checked != run->part->step && !outofcore_is_on_disk(run))
        TRY(run_check_nan_now(run));
    TRY(settle_outputs(run));
    const pav_status status = checkpoint_write(run, run->checkpoint.path);
    if (status != PAV_OK && outofcore_is_on_disk(run))
        return status; /* later blocks would overwrite the old checkpoint */
    if (status != PAV_OK)
        miss(run);
    return PAV_OK;
}

/* Fused launches skip levels; the next single step makes them. */
static bool lacks_levels(const pav_run *run)
{
    return run_executor_figures(run).behind && !outofcore_is_on_disk(run);
}

bool checkpoint_is_requested(const pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    return c->outdated || (c->every == 0 && clock_seconds() - c->saved_at >= c->seconds);
}

pav_status checkpoint_after_step(pav_run *run)
{
    checkpoint_plan *c = &run->checkpoint;
    const bool wished = run->part->ranks ? (run->progress.agreed & WISH_CHECKPOINT) != 0
                                         : checkpoint_is_requested(run);
    const bool due = wished || outofcore_is_on_disk(run) ||
                     (c->every > 0 && run->part->step % c->every == 0);
    const bool requested = c->path && (due || c->waits);
    c->waits = requested && lacks_levels(run);
    return requested && !c->waits ? keep(run) : PAV_OK;
}

pav_status checkpoint_of_start(pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    return c->path && c->saved < 0 ? keep(run) : PAV_OK;
}

pav_status checkpoint_at_end(pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    const bool tried = c->saved == run->part->step || c->missed == run->part->step;
    return c->path && !tried ? keep(run) : PAV_OK;
}

pav_status checkpoint_check_last(const pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    if (!c->path || c->missed != run->part->step)
        return PAV_OK;
    return FAIL(PAV_EIO, "step %lld, the last, goes without a checkpoint: %s",
                (long long)run->part->step, c->why ? c->why : "memory ran out");
}

/* ---- for callers ------------------------------------------------------------------- */

pav_status pav_run_checkpoint(pav_run *run, const char *path)
{
    GUARDED;
    if (!run)
        return FAIL(PAV_EINVAL, "pav_run_checkpoint needs a run");
    if (!path && !run->checkpoint.path)
        return FAIL(PAV_EINVAL,
                    "pav_run_checkpoint needs a path: neither the options nor the "
                    "description say where the run's checkpoint is kept");
    TRY(outofcore_check_whole(run));
    if (lacks_levels(run))
        return FAIL(PAV_EINVAL,
                    "step %lld is the last of a fused launch, which lacks the "
                    "oldest levels that a checkpoint holds: ask once pav_run_steps has "
                    "returned",
                    (long long)run->part->step);
    TRY(settle_outputs(run));
    return checkpoint_write(run, path ? path : run->checkpoint.path);
}
