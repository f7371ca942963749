/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches within a visit: as a single operation that lies as many planes behind
 * the one before it as it reads around its own. It stores in other buffers than it reads,
 * so fields of three levels have four. Where there can be none, steps are single ones,
 * for a reason. */
#include <stdio.h>

#include "run/outofcore/outofcore_private.h"

int outofcore_buffers(const pav_run *run, const ir_field *f)
{
    return gpu_fused_buffers(f, run->outofcore->depth > 1);
}

/* ---- whether there are any --------------------------------------------------------- */

static bool is_asked_for(const pav_run *run)
{
    return schedule_fuses_steps(&run->schedule) || run->outofcore->requested.depth > 1;
}

/* NULL: nothing is against it. */
static const char *reason_against(const pav_run *run, const emit_gpu_fused *what)
{
    if (what->schedule.kind == SCHEDULE_PERSISTENT)
        return "persistent blocks keep all of the grid";
    if (what->injections > 0)
        return "sources inject between its steps";
    if (what->looks > 0)
        return "receivers record between its steps";
    return run->outofcore->state.blocking.periodic[run->outofcore->axis]
               ? "its slowest axis wraps around"
               : NULL;
}

/* Of two fields, or in shared memory, launches were slower than single steps on an
 * H100. */
static bool is_fast(const ir *code, const emit_gpu_fused *what)
{
    int updated = 0;
    for (int64_t f = 0; f < code->fields; f++)
        updated += code->field[f].updated;
    return updated == 1 && what->schedule.tile.storage == STORAGE_REGISTERS;
}

static void take(pav_run *run, const emit_gpu_fused *what)
{
    outofcore *o = run->outofcore;
    const int64_t skew = (int64_t)what->most * o->state.blocking.skew[o->axis];
    const int64_t around = what->around[o->axis];
    o->depth = what->most;
    o->radius = around > skew ? around : skew;
    o->launch = what->schedule;
}

/* *found: this one can be; else why_single says why not. */
static pav_status find(pav_run *run, const schedule *requested, bool *found)
{
    schedule suited = *requested;
    emit_gpu_fused what;
    gpu_fused_suit(places_gpu(run), &suited);
    *found = false;
    const pav_status status = gpu_fused_find(places_gpu(run), &suited, &what);
    const char *why = status == PAV_OK ? reason_against(run, &what) : pav_message();
    if (!why && !is_asked_for(run) && !is_fast(run->code, &what))
        why = "those of several are slower (--schedule time takes them)";
    (void)snprintf(run->outofcore->why_single, sizeof run->outofcore->why_single, "%s",
                   why ? why : "");
    if (status != PAV_OK)
        return status == PAV_EUNSUPPORTED ? PAV_OK : status;
    *found = !why && what.most > 1;
    if (*found) {
        take(run, &what);
        run->outofcore->launch = suited;
    }
    emit_gpu_fused_free(&what);
    return PAV_OK;
}

static pav_status find_candidate(pav_run *run, int depth, bool *found)
{
    schedule candidate[EMIT_GPU_FUSED_CANDIDATES];
    int count;
    *found = false;
    TRY(emit_gpu_fused_candidates(run->code, candidate, &count));
    for (int n = 0; n < count && !*found; n++)
        if (candidate[n].kind == SCHEDULE_GPU_TIME &&
            (depth == 0 || candidate[n].tile.steps == depth))
            TRY(find(run, &candidate[n], found));
    return PAV_OK;
}

static pav_status refuse(const pav_run *run)
{
    return FAIL(PAV_EUNSUPPORTED,
                "%s cannot take several steps in one launch out of core: %s",
                run->program->name, run->outofcore->why_single);
}

static bool is_bare(const schedule *s)
{
    const schedule bare = {.kind = SCHEDULE_GPU_TIME};
    return schedule_is_same(s, &bare);
}

pav_status outofcore_find_launch(pav_run *run)
{
    const outofcore_request *r = &run->outofcore->requested;
    const schedule *asked = &run->schedule;
    bool found = false;
    run->outofcore->depth = 1;
    if (!places_gpu(run) && r->depth > 1)
        (void)snprintf(run->outofcore->why_single, sizeof run->outofcore->why_single,
                       "processors have no launches");
    if (!places_gpu(run) || r->single || r->depth == 1 ||
        (!is_asked_for(run) && (asked->kind != SCHEDULE_AUTO ||
                                gpu_fused_is_short(&run->client, GPU_FUSED_WORTH))))
        return PAV_OK;
    const schedule given = {.kind = SCHEDULE_GPU_TIME, .tile.steps = (int)r->depth};
    if (schedule_fuses_steps(asked) && !is_bare(asked))
        TRY(find(run, asked, &found));
    else
        TRY(find_candidate(run, (int)r->depth, &found));
    if (!found && r->depth > 1)
        TRY(find(run, &given, &found));
    return found || !is_asked_for(run) ? PAV_OK : refuse(run);
}

/* ---- launches ---------------------------------------------------------------------- */

/* Where it cannot be made unasked, the window has room for single steps. */
pav_status outofcore_make_launch(pav_run *run)
{
    outofcore *o = run->outofcore;
    if (o->depth < 2)
        return PAV_OK;
    const pav_status status = gpu_fused_make_visits(places_gpu(run), &o->launch, o->width,
                                                    &o->fused);
    if (status == PAV_OK || status == PAV_ENOMEM || is_asked_for(run))
        return status;
    exec_note(&run->client, "visits take single steps: %s", pav_message());
    o->depth = 1;
    return PAV_OK;
}

pav_status outofcore_launch(outofcore_block *b, const outofcore_operation *m,
                            const box *where)
{
    const outofcore *o = b->o;
    const bool is_end = b->at.hi == o->extent + o->halo;
    const gpu_fused_visit v = {.begin = where->lo[o->axis],
                               .end = where->hi[o->axis],
                               .first = b->at.lo,
                               .last = b->at.lo + o->planes,
                               .behind = is_end ? o->extent : b->at.hi - o->halo,
                               .numbers = m->numbers};
    return v.begin < v.end ? gpu_fused_visit_planes(places_gpu(b->run), o->fused, &v)
                           : PAV_OK;
}
