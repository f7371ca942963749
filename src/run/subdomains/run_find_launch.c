/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a fused launch on a GPU for some planes of the grid: of a visit out of core, or
 * of a subdomain. It reads enough planes around its own for all its steps. Operations
 * that need the whole grid between steps rule it out. */
#include <limits.h>
#include <stdio.h>

#include "run/run_private.h"

static bool is_asked_for(const pav_run *run, const launch_request *r)
{
    return schedule_fuses_steps(&run->schedule) || r->depth > 1 || r->given;
}

/* NULL: no reason. */
static const char *reason_against(const launch_request *r, const emit_gpu_fused *what)
{
    if (!what->sweeps)
        return "persistent blocks keep all of the grid";
    if (what->injections > 0 && !r->injects)
        return "sources inject between its steps";
    if (what->samples > 0 && !r->samples)
        return "receivers record between its steps";
    if (!r->blocking->periodic[r->axis])
        return NULL;
    if (!r->goes_on)
        return "its slowest axis wraps around";
    return what->injections > 0 || what->samples > 0
               ? "its slowest axis wraps around, and it has sources or receivers"
               : NULL;
}

/* On an H100, launches with two fields, or by shared memory, were slower than single
 * steps. */
static bool is_fast(const ir *code, const emit_gpu_fused *what)
{
    int updated = 0;
    for (int64_t f = 0; f < code->fields; f++)
        updated += code->field[f].updated;
    return updated == 1 && what->schedule.tile.storage == STORAGE_REGISTERS;
}

static void take(const launch_request *r, const emit_gpu_fused *what, visit_launch *l)
{
    const int skew = what->most * r->blocking->skew[r->axis];
    const int around = what->around[r->axis];
    l->depth = what->most;
    l->radius = around > skew ? around : skew;
    l->ahead = what->ahead;
    l->lag = what->schedule.tile.storage == STORAGE_REGISTERS ? l->radius : 0;
}

static void say_too_long(const launch_request *r, const emit_gpu_fused *what,
                         visit_launch *l)
{
    (void)snprintf(l->why_single, sizeof l->why_single,
                   "launches of %d steps (depth=) are longer than the %d for which "
                   "nothing is exchanged or observed",
                   what->most, r->most);
}

/* *found: the launch is possible; otherwise why_single has the reason. */
static pav_status find(const pav_run *run, const launch_request *r,
                       const schedule *requested, visit_launch *l, bool *found)
{
    schedule suited = *requested;
    emit_gpu_fused what;
    *found = false;
    const pav_status status = place_find_launch(run_place(run), &suited, &what);
    const char *why = status == PAV_OK ? reason_against(r, &what) : pav_message();
    if (!why && !is_asked_for(run, r) && !is_fast(run->code, &what))
        why = "those of several are slower (--schedule time takes them)";
    (void)snprintf(l->why_single, sizeof l->why_single, "%s", why ? why : "");
    if (status != PAV_OK)
        return status == PAV_EUNSUPPORTED ? PAV_OK : status;
    if (!why && r->most > 0 && what.most > r->most)
        say_too_long(r, &what, l);
    *found = !l->why_single[0] && what.most > 1;
    if (*found) {
        take(r, &what, l);
        l->launch = suited;
    }
    emit_gpu_fused_free(&what);
    return PAV_OK;
}

/* *least: steps of the shortest candidate. */
static pav_status find_candidate(const pav_run *run, const launch_request *r,
                                 visit_launch *l, int *least, bool *found)
{
    schedule candidate[EMIT_GPU_FUSED_CANDIDATES];
    int count;
    *found = false;
    TRY(emit_gpu_fused_candidates(run->code, candidate, &count));
    for (int n = 0; n < count && !*found; n++) {
        if (candidate[n].kind != SCHEDULE_GPU_TIME)
            continue;
        *least = candidate[n].tile.steps < *least ? candidate[n].tile.steps : *least;
        if (r->depth == 0 || candidate[n].tile.steps == r->depth)
            TRY(find(run, r, &candidate[n], l, found));
    }
    return PAV_OK;
}

/* If the number of steps is unknown, compiling cannot pay. */
static bool is_too_short(const pav_run *run, const launch_request *r)
{
    return r->by_model ? run->client.rough || run->steps == 0
                       : launch_is_short(&run->client, LAUNCH_WORTH);
}

static bool is_bare(const schedule *s)
{
    const schedule bare = {.kind = SCHEDULE_GPU_TIME};
    return schedule_is_same(s, &bare);
}

static pav_status refuse(const pav_run *run, const launch_request *r,
                         const visit_launch *l)
{
    return FAIL(PAV_EUNSUPPORTED, "%s cannot take several steps in one launch %s: %s",
                run->program->name, r->where, l->why_single);
}

pav_status run_find_launch(const pav_run *run, const launch_request *r, visit_launch *l)
{
    const schedule *asked = r->given ? r->given : &run->schedule;
    const int depth = r->depth > 0 ? (int)r->depth : r->most;
    const schedule given = {.kind = SCHEDULE_GPU_TIME, .tile.steps = depth};
    bool found = false;
    int least = INT_MAX;
    *l = (visit_launch){.depth = 1};
    if (!run_has_launches(run) && r->depth > 1)
        (void)snprintf(l->why_single, sizeof l->why_single,
                       "processors have no launches");
    if (!run_has_launches(run) || r->depth == 1 ||
        (!is_asked_for(run, r) && (asked->kind != SCHEDULE_AUTO || is_too_short(run, r))))
        return PAV_OK;
    if (schedule_fuses_steps(asked) && !is_bare(asked))
        TRY(find(run, r, asked, l, &found));
    else
        TRY(find_candidate(run, r, l, &least, &found));
    if (!found && depth > 1 && (r->depth > 0 || depth < least) &&
        (is_bare(asked) || !schedule_fuses_steps(asked)))
        TRY(find(run, r, &given, l, &found));
    return found || !is_asked_for(run, r) ? PAV_OK : refuse(run, r, l);
}
