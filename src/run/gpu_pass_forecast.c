/* SPDX-License-Identifier: BSD-3-Clause */
/* What passes cost by the model, in bytes of a point and step, before any is compiled; and which of them a run may try. */
#include "run/gpu_private.h"

double gpu_points(const ir *code)
{
    double all = 1;
    for (int axis = 0; axis < code->dim; axis++)
        all *= (double)points_along(code, axis, false);
    return all;
}

/* Of a point in a single step, by the kernels that are tried first; where the host runs some, of its fields. */
static pav_status single_bytes(const gpurun *g, double *bytes)
{
    const ir_list *list = &g->run->code->step;
    double sum = 0;
    *bytes = g->run->step_bytes / gpu_points(g->run->code);
    for (int64_t n = 0; n < list->count; n++) {
        gpu_forecast one;
        TRY(gpu_forecast_stage(g, list->stage[n], &one));
        if (one.tried == 0)
            return PAV_OK;
        sum += one.bytes;
    }
    *bytes = sum / gpu_points(g->run->code);
    return PAV_OK;
}

static gpu_walk walk_of(const gpurun *g, const emit_gpu_schedule *wanted,
                        const emit_gpu_pass *what)
{
    gpu_walk_list walks;
    if (what->schedule.form == EMIT_GPU_RESIDENT)
        return (gpu_walk){0};
    if (wanted->planes > 0)
        return (gpu_walk){wanted->planes, wanted->rest};
    gpu_walks(g, what, NULL, &walks);
    return walks.walk[0];
}

/* Of a point in a launch, however many steps that has. */
static double launch_bytes(const gpurun *g, const emit_gpu_pass *what, gpu_walk walk)
{
    const emit_gpu_pass_work w = gpu_walk_work(g, what, NULL, walk);
    return emit_gpu_pass_bytes(g->run->code, what, gpu_walk_mean(g, what, &w));
}

/* Of the shorter launch that is taken beside; steps 0: there is none. */
static pav_status shorter_bytes(const gpurun *g, const emit_gpu_schedule *wanted,
                                const emit_gpu_pass *what, int *steps, double *bytes)
{
    emit_gpu_schedule shorter;
    emit_gpu_pass found;
    TRY(gpu_pass_shorter(g, wanted, what, &shorter));
    *steps = shorter.depth;
    if (*steps == 0)
        return PAV_OK;
    TRY(gpu_pass_find(g, &shorter, &found));
    *bytes = launch_bytes(g, &found, walk_of(g, &shorter, &found));
    emit_gpu_pass_free(&found);
    return PAV_OK;
}

/* Of a point and step from one look to the next: what launches leave are single steps, one at least. */
static pav_status mean_bytes(const gpurun *g, const emit_gpu_schedule *wanted,
                             const emit_gpu_pass *what, double launch,
                             gpu_pass_forecast *f)
{
    const int64_t unseen = run_steps_unseen(g->run), most = gpu_pass_most_steps(what);
    double single, cut = launch;
    f->bytes = launch / (double)most;
    if (unseen == 0)
        return PAV_OK;
    TRY(single_bytes(g, &single));
    TRY(shorter_bytes(g, wanted, what, &f->shorter, &cut));
    const int64_t whole = (unseen - 1) / most, left = (unseen - 1) % most;
    const int64_t cuts = f->shorter > 0 ? left / f->shorter : left >= what->least;
    const int64_t alone = f->shorter > 0 ? left % f->shorter : cuts > 0 ? 0 : left;
    f->bytes = (launch * (double)whole + cut * (double)cuts +
                single * (double)(alone + 1)) /
               (double)unseen;
    return PAV_OK;
}

static pav_status describe(const gpurun *g, const emit_gpu_schedule *wanted,
                           const emit_gpu_pass *what, gpu_pass_forecast *f)
{
    const gpu_walk walk = walk_of(g, wanted, what);
    *f = (gpu_pass_forecast){
        .wanted = *wanted, .schedule = what->schedule, .shared = what->shared};
    if (what->schedule.form != EMIT_GPU_RESIDENT) {
        f->schedule.planes = (int)walk.planes;
        f->schedule.rest = (int)walk.rest;
    }
    return mean_bytes(g, wanted, what, launch_bytes(g, what, walk), f);
}

static pav_status forecast(const gpurun *g, const emit_gpu_schedule *wanted,
                           gpu_pass_forecast *f)
{
    emit_gpu_schedule suited = *wanted;
    emit_gpu_pass what;
    TRY(gpu_pass_find(g, &suited, &what));
    pav_status status = gpu_pass_check_looks(g, wanted, &what);
    if (status == PAV_OK)
        status = describe(g, wanted, &what, f);
    emit_gpu_pass_free(&what);
    return status;
}

/* Where there is no accelerator, by threads. */
static void suit(const gpurun *g, emit_gpu_schedule *likely)
{
    enum { AHEAD = 2 };
    if (likely->copy != EMIT_GPU_TMA || !gpu_part_refusal(g->gpu))
        return;
    likely->copy = EMIT_GPU_ASYNC;
    likely->prefetch = AHEAD;
}

pav_status gpu_pass_fewest(const gpurun *g, int *fewest)
{
    emit_gpu_schedule likely[EMIT_GPU_PASSES];
    int known;
    *fewest = 0;
    TRY(emit_gpu_pass_likely(g->run->code, likely, &known));
    for (int n = 0; n < known; n++) {
        emit_gpu_pass what;
        suit(g, &likely[n]);
        if (gpu_pass_find(g, &likely[n], &what) != PAV_OK)
            continue;
        if (*fewest == 0 || what.least < *fewest)
            *fewest = what.least;
        emit_gpu_pass_free(&what);
    }
    return PAV_OK;
}

/* What this GPU lacks something for is left out. */
pav_status gpu_pass_likely(const gpurun *g, double single,
                           gpu_pass_forecast list[EMIT_GPU_PASSES], int *count)
{
    emit_gpu_schedule likely[EMIT_GPU_PASSES];
    int known;
    *count = 0;
    TRY(emit_gpu_pass_likely(g->run->code, likely, &known));
    for (int n = 0; n < known; n++) {
        gpu_pass_forecast *f = &list[*count];
        suit(g, &likely[n]);
        const pav_status status = forecast(g, &likely[n], f);
        if (status != PAV_OK && status != PAV_EUNSUPPORTED)
            return status;
        *count += status == PAV_OK &&
                  (single <= 0 || f->bytes * gpu_points(g->run->code) < single);
    }
    return PAV_OK;
}

/* ---- what was asked for ------------------------------------------------------------------- */

/* "time" alone asks for what is likely of it, and so does "resident". */
static bool is_bare(const emit_gpu_schedule *wanted)
{
    const emit_gpu_schedule bare = {.form = wanted->form};
    return emit_gpu_schedule_is_same(wanted, &bare);
}

/* Blocks that stay, as seldom as the model has them meet, and twice and half as often. */
static pav_status add_meetings(const gpurun *g, gpu_pass_forecast list[EMIT_GPU_PASSES],
                               int *count)
{
    emit_gpu_schedule wanted = {.form = EMIT_GPU_RESIDENT};
    TRY(forecast(g, &wanted, &list[0]));
    const int usual = list[0].schedule.depth, others[] = {usual / 2, 2 * usual};
    *count = 1;
    for (size_t n = 0; n < COUNT_OF(others); n++) {
        wanted.depth = others[n];
        if (wanted.depth > 0 && wanted.depth <= EMIT_GPU_MOST_TIME &&
            forecast(g, &wanted, &list[*count]) == PAV_OK)
            (*count)++;
    }
    return PAV_OK;
}

pav_status gpu_pass_asked(const gpurun *g, const emit_gpu_schedule *wanted,
                          gpu_pass_forecast list[EMIT_GPU_PASSES], int *count)
{
    int likely = 0;
    *count = 0;
    if (is_bare(wanted) && wanted->form == EMIT_GPU_RESIDENT)
        return add_meetings(g, list, count);
    if (is_bare(wanted))
        TRY(gpu_pass_likely(g, 0, list, &likely));
    for (int n = 0; n < likely; n++)
        if (list[n].wanted.form == EMIT_GPU_TIME)
            list[(*count)++] = list[n];
    if (*count > 0)
        return PAV_OK;
    *count = 1;
    return forecast(g, wanted, &list[0]);
}
