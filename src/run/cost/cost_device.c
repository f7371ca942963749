/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of a device with its own memory: kernels of single steps, the same for all
 * stages and with each number of planes; fused launches; persistent kernels. */
#include "run/cost/cost_private.h"

typedef struct listing {
    pav_run *run;
    const exec_place *on;
    cost_list *l;
    bool tried; /* autotuning tries the present ones */
} listing;

/* ---- single steps ------------------------------------------------------------------ */

static pav_status put_single(const listing *o, const schedule *s)
{
    step_cost c;
    TRY(cost_forecast(&(cost_question){.code = o->run->part->code,
                                       .schedule = s,
                                       .machine = &o->run->client.machine},
                      &c));
    cost_put(o->l, s, &c, o->tried);
    return PAV_OK;
}

/* Skips schedules that the device or a stage does not support. */
static pav_status try_single(const listing *o, const schedule *s)
{
    const int64_t all = points_along(o->run->part->code, o->run->part->code->dim - 1,
                                     false);
    pav_status status = PAV_OK;
    if (s->kind != SCHEDULE_SWEEP || s->planes > 0)
        status = put_single(o, s);
    for (int n = 0; s->kind == SCHEDULE_SWEEP && s->planes == 0 && n < SCHEDULE_PLANES &&
                    schedule_planes[n] < 2 * all && status == PAV_OK;
         n++) {
        schedule with = *s;
        with.planes = schedule_planes[n];
        status = put_single(o, &with);
    }
    return status == PAV_ENOMEM ? status : PAV_OK;
}

static pav_status list_singles(listing *o)
{
    schedule_list ranked;
    const ir *code = o->run->part->code;
    for (int64_t k = 0; k < code->step.count; k++)
        if (!emit_gpu_has_kernel(code, &code->stage[code->step.stage[k]]))
            return PAV_OK;
    o->tried = true;
    for (int n = 0; n < EMIT_GPU_CANDIDATES; n++) {
        const schedule *s = place_candidate(o->on, code->step.stage[0], n);
        if (!s || s->kind == SCHEDULE_NONE)
            break;
        TRY(try_single(o, s));
    }
    o->tried = false;
    schedule_candidates(CANDIDATES_RANKED_SINGLE, &ranked);
    for (int n = 0; n < ranked.count; n++)
        TRY(try_single(o, &ranked.schedule[n]));
    return PAV_OK;
}

/* ---- several at once --------------------------------------------------------------- */

/* A persistent kernel is listed with all its chosen settings, other launches as
 * requested. */
static void put_launch(const listing *o, const launch_forecast *f)
{
    const bool whole = f->schedule.kind == SCHEDULE_PERSISTENT;
    cost_put(o->l, whole ? &f->schedule : &f->requested, &f->cost, o->tried);
}

static pav_status try_launch(const listing *o, const schedule *s)
{
    launch_list list;
    const pav_status status = place_launches(o->on, s, &list);
    for (int n = 0; status == PAV_OK && n < list.count; n++)
        put_launch(o, &list.launch[n]);
    return status == PAV_ENOMEM ? status : PAV_OK;
}

static pav_status list_launches(listing *o)
{
    schedule_list ranked;
    launch_list list;
    o->tried = true;
    if (place_launches(o->on, NULL, &list) == PAV_OK)
        for (int n = 0; n < list.count; n++)
            put_launch(o, &list.launch[n]);
    o->tried = false;
    schedule_candidates(CANDIDATES_RANKED_FUSED, &ranked);
    for (int n = 0; n < ranked.count; n++)
        TRY(try_launch(o, &ranked.schedule[n]));
    return PAV_OK;
}

/* Fusion is impossible if there is an observation after each step or each second one. */
static bool may_fuse(const pav_run *run)
{
    const int64_t interval = run_steps_between_observations(run);
    return interval == 0 || interval > 2;
}

pav_status cost_list_device(pav_run *run, cost_list *l)
{
    listing o = {.run = run, .on = run_place(run), .l = l};
    TRY(place_choose(o.on));
    TRY(list_singles(&o));
    return may_fuse(run) ? list_launches(&o) : PAV_OK;
}
