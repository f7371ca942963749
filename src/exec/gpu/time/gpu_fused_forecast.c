/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of fused launches by the model, in bytes of a point and step: for all candidates,
 * before any is compiled, and for the present launch. */
#include "exec/gpu/time/gpu_fused_private.h"

/* Bytes of a point in a single step, by the kernels tried first. If the host runs some
 * stages, by the fields of a step. */
static pav_status single_bytes(const gpurun *g, double *bytes)
{
    const ir_list *list = &g->base.part->code->step;
    double sum = 0;
    *bytes = g->client->ops->state(g->client).step_bytes /
             cost_points_of(g->base.part->code);
    for (int64_t n = 0; n < list->count; n++) {
        stage_forecast one;
        TRY(gpu_forecast_stage(g, list->stage[n], &one));
        if (one.tried == 0)
            return PAV_OK;
        sum += one.bytes;
    }
    *bytes = sum / cost_points_of(g->base.part->code);
    return PAV_OK;
}

/* Bytes of the shorter launch; steps 0: there is none. */
static pav_status shorter_bytes(const gpurun *g, const schedule *requested,
                                const emit_gpu_fused *what, int *steps, double *bytes)
{
    schedule shorter;
    emit_gpu_fused found;
    TRY(gpu_fused_shorter(g, requested, what, &shorter));
    *steps = shorter.tile.steps;
    if (*steps == 0)
        return PAV_OK;
    TRY(gpu_fused_find(g, &shorter, &found));
    const cost_launch l = gpu_launch_of(g, &found, NULL);
    *bytes = cost_launch_bytes(&l, cost_first_sweep(&l, &shorter));
    emit_gpu_fused_free(&found);
    return PAV_OK;
}

/* Mean bytes of a point and step between two observations. Steps outside launches are
 * single steps, at least one. */
static pav_status mean_bytes(const gpurun *g, const schedule *requested,
                             const emit_gpu_fused *what, double launch,
                             launch_forecast *f)
{
    const int64_t unobserved = g->client->ops->to_observer(g->client),
                  most = gpu_fused_most_steps(what);
    double single, cut = launch;
    f->bytes = launch / (double)most;
    if (unobserved == 0)
        return PAV_OK;
    TRY(single_bytes(g, &single));
    TRY(shorter_bytes(g, requested, what, &f->shorter, &cut));
    const int64_t whole = (unobserved - 1) / most, left = (unobserved - 1) % most;
    const int64_t cuts = f->shorter > 0 ? left / f->shorter : left >= what->least;
    const int64_t alone = f->shorter > 0 ? left % f->shorter : cuts > 0 ? 0 : left;
    f->bytes = (launch * (double)whole + cut * (double)cuts +
                single * (double)(alone + 1)) /
               (double)unobserved;
    return PAV_OK;
}

static pav_status describe(const gpurun *g, const schedule *requested,
                           const emit_gpu_fused *what, launch_forecast *f)
{
    const cost_launch l = gpu_launch_of(g, what, NULL);
    const cost_sweep sweep = cost_first_sweep(&l, requested);
    *f = (launch_forecast){
        .requested = *requested, .schedule = what->schedule, .shared = what->shared};
    if (what->sweeps) {
        f->schedule.planes = (int)sweep.planes;
        f->schedule.tail = (int)sweep.tail;
    }
    const machine_facts machine = {.gpu = l.gpu, .rate = g->client->machine.rate};
    TRY(cost_forecast(
        &(cost_question){
            .code = l.code, .schedule = requested, .machine = &machine, .launch = &l},
        &f->cost));
    return mean_bytes(g, requested, what, cost_launch_bytes(&l, sweep), f);
}

static pav_status forecast(const gpurun *g, const schedule *requested, launch_forecast *f)
{
    schedule suited = *requested;
    emit_gpu_fused what;
    TRY(gpu_fused_find(g, &suited, &what));
    pav_status status = gpu_fused_check_observers(g, requested, &what);
    if (status == PAV_OK)
        status = describe(g, requested, &what, f);
    emit_gpu_fused_free(&what);
    return status;
}

/* Without an accelerator, threads copy the planes. */
void gpu_fused_suit(const gpurun *g, schedule *candidate)
{
    enum { AHEAD = 2 };
    if (candidate->tile.copy != COPY_TMA || !gpu_tensor_refusal(g->gpu))
        return;
    candidate->tile.copy = COPY_ASYNC;
    candidate->prefetch = AHEAD;
}

pav_status gpu_fused_fewest(const gpurun *g, int *fewest)
{
    schedule candidate[EMIT_GPU_FUSED_CANDIDATES];
    int known;
    *fewest = 0;
    TRY(emit_gpu_fused_candidates(g->base.part->code, candidate, &known));
    for (int n = 0; n < known; n++) {
        emit_gpu_fused what;
        gpu_fused_suit(g, &candidate[n]);
        if (gpu_fused_find(g, &candidate[n], &what) != PAV_OK)
            continue;
        if (*fewest == 0 || what.least < *fewest)
            *fewest = what.least;
        emit_gpu_fused_free(&what);
    }
    return PAV_OK;
}

/* Skips launches that this GPU does not support. */
pav_status gpu_fused_candidates(const gpurun *g, double single,
                                launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                                int *count)
{
    schedule candidate[EMIT_GPU_FUSED_CANDIDATES];
    int known;
    *count = 0;
    TRY(emit_gpu_fused_candidates(g->base.part->code, candidate, &known));
    for (int n = 0; n < known; n++) {
        launch_forecast *f = &list[*count];
        gpu_fused_suit(g, &candidate[n]);
        const pav_status status = forecast(g, &candidate[n], f);
        if (status != PAV_OK && status != PAV_EUNSUPPORTED)
            return status;
        *count += status == PAV_OK &&
                  (single <= 0 || f->bytes * cost_points_of(g->base.part->code) < single);
    }
    return PAV_OK;
}

/* ---- requested launches ------------------------------------------------------------ */

/* "time" alone asks for its candidates, and so does "persistent". */
static bool is_bare(const schedule *requested)
{
    const schedule ghosts_stale = {.kind = requested->kind};
    return schedule_is_same(requested, &ghosts_stale);
}

/* Candidates of a persistent kernel: synchronisation every so many steps by the model,
 * and twice and half as many. */
static pav_status add_synchronisations(const gpurun *g,
                                       launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                                       int *count)
{
    schedule requested = {.kind = SCHEDULE_PERSISTENT};
    TRY(forecast(g, &requested, &list[0]));
    const int usual = list[0].schedule.tile.steps, others[] = {usual / 2, 2 * usual};
    *count = 1;
    for (size_t n = 0; n < COUNT_OF(others); n++) {
        requested.tile.steps = others[n];
        if (requested.tile.steps > 0 && requested.tile.steps <= SCHEDULE_MOST_DEPTH &&
            forecast(g, &requested, &list[*count]) == PAV_OK)
            (*count)++;
    }
    return PAV_OK;
}

pav_status gpu_fused_requested(const gpurun *g, const schedule *requested,
                               launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                               int *count)
{
    int candidate = 0;
    *count = 0;
    if (is_bare(requested) && requested->kind == SCHEDULE_PERSISTENT)
        return add_synchronisations(g, list, count);
    if (is_bare(requested))
        TRY(gpu_fused_candidates(g, 0, list, &candidate));
    for (int n = 0; n < candidate; n++)
        if (list[n].requested.kind == SCHEDULE_GPU_TIME)
            list[(*count)++] = list[n];
    if (*count > 0)
        return PAV_OK;
    *count = 1;
    return forecast(g, requested, &list[0]);
}

/* ---- the present launch ------------------------------------------------------------ */

pav_status gpu_fused_bytes(const gpurun *g, double *bytes)
{
    const emit_gpu_fused *what = &g->fused->what;
    const cost_launch l = gpu_launch_of(g, what, g->fused->call);
    *bytes = cost_points_of(l.code) / gpu_fused_most_steps(what) *
             cost_launch_bytes(&l, g->fused->sweep);
    return PAV_OK;
}
