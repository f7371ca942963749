/* SPDX-License-Identifier: BSD-3-Clause */
/* The modelled costs of each schedule of a run, before it begins. One list has single
 * steps and fused ones together, the fastest first, and a reason for each missing kind.
 * The models go by the rates of the machine, which `pavior doctor --measure` measures. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/cost/cost_private.h"
#include "run/time/time_private.h"

/* ---- rates of the machine ---------------------------------------------------------- */

machine_facts cost_machine(const pav_run *run, const exec_place *at)
{
    const machine_facts m = place_machine(at, run_threads(run));
    const char *name = m.gpu ? m.gpu->name : pav_host_name();
    machine_rates r = {0};
    if (run->options.wisdom >= 0 && rates_load(name, m.cpu.threads, &r) != PAV_OK)
        r = (machine_rates){0};
    return machine_with_rates(&m, &r);
}

/* ---- measuring --------------------------------------------------------------------- */

enum { TIMES = 3 }; /* measurements of each rate; the best counts */

typedef struct rate_row {
    size_t at;
    const char *host, *gpu; /* the name in the printed table */
    double unit;
    const char *name;
} rate_row;
#define RATE(member) offsetof(machine_rates, member)
static const rate_row rate_rows[] = {
    {RATE(memory), "memory, copied", "memory, copied", 1e9, "GB/s"},
    {RATE(last_cache), "last cache, copied", "L2, copied", 1e9, "GB/s"},
    {RATE(core_cache), "a core's cache, copied", "", 1e9, "GB/s"},
    {RATE(link.busy), "", "pinned, each way at once", 1e9, "GB/s"},
    {RATE(link.alone), "", "pinned, one way", 1e9, "GB/s"},
    {RATE(staged.busy), "", "buffered, each way", 1e9, "GB/s"},
    {RATE(staged.alone), "", "buffered, one way", 1e9, "GB/s"},
    {RATE(f32), "sums and products, f32", "", 1e9, "Gflop/s"},
    {RATE(f64), "sums and products, f64", "", 1e9, "Gflop/s"},
    {RATE(launch), "to begin a piece of work", "from launch to launch", 1 / 1e6, "us"}};

static double *rate_at(machine_rates *r, size_t at)
{
    return (double *)(void *)((char *)r + at);
}

/* Stores the best of all in the first. For seconds the least is best. */
static double keep_best(place_rates found[TIMES], const rate_row *row)
{
    double *best = rate_at(&found[0].rate, row->at), least = *best, most = *best;
    for (int n = 1; n < TIMES; n++) {
        const double value = *rate_at(&found[n].rate, row->at);
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    *best = row->at == RATE(launch) ? least : most;
    return least > 0 ? most / least - 1 : 0;
}

static void report_rates(place_rates found[TIMES], text *t)
{
    char path[WISDOM_PATH];
    const int threads = found->threads;
    text_add(t, "%s", found->machine);
    if (threads > 0)
        text_add(t, ", %d thread%s", threads, threads == 1 ? "" : "s");
    text_add(t, ", %s, the best of %d:\n", found->rate.date, TIMES);
    for (size_t n = 0; n < COUNT_OF(rate_rows); n++) {
        const double spread = keep_best(found, &rate_rows[n]);
        const double value = *rate_at(&found->rate, rate_rows[n].at);
        if (value > 0)
            text_add(t, "  %-24s %8.4g %-8s spread %.0f %%\n",
                     threads > 0 ? rate_rows[n].host : rate_rows[n].gpu,
                     value / rate_rows[n].unit, rate_rows[n].name, 100 * spread);
    }
    if (rates_path(path))
        text_add(t, "kept in %s: plans and first choices go by them\n", path);
    else
        text_add(t, "not kept: PAV_WISDOM is none\n");
}

pav_status pav_machine_measure(const pav_device *device, int threads, char **result)
{
    GUARDED;
    OWNED_BY(text_free) text t = {0};
    if (result)
        *result = NULL;
    if (!device || !result || threads < 0 || threads > PAV_MAX_THREADS)
        return FAIL(PAV_EINVAL,
                    "pav_machine_measure needs a device, a number of threads "
                    "from 0 to %d, and a place for the text",
                    PAV_MAX_THREADS);
    TRY(device_check_single(device, "a measurement"));
    char path[WISDOM_PATH];
    place_rates found[TIMES] = {{.threads = 0}};
    for (int n = 0; n < TIMES; n++)
        TRY(place_measure_rates(device, threads, &found[n]));
    date_put(found->rate.date, sizeof found->rate.date);
    report_rates(found, &t);
    TRY(rates_path(path) ? rates_keep(found->machine, found->threads, &found->rate)
                         : PAV_OK);
    return text_take(&t, result);
}

/* ---- the list ---------------------------------------------------------------------- */

/* Inserts by rank, once. A full list drops its slowest. */
static void put(cost_list *l, const schedule *s, const step_cost *c, bool tried)
{
    cost_candidate one = {.kind = s->kind,
                          .steps = schedule_fuses_steps(s) ? c->schedule.tile.steps : 1,
                          .tried = tried,
                          .cost = *c};
    if (!(c->seconds > 0))
        return;
    schedule_string(s, one.words);
    for (int n = 0; n < l->count; n++)
        if (strcmp(l->at[n].words, one.words) == 0)
            return;
    int at = l->count;
    while (at > 0 && l->at[at - 1].cost.seconds > one.cost.seconds)
        at--;
    if (at == COST_MOST)
        return;
    l->count += l->count < COST_MOST;
    memmove(&l->at[at + 1], &l->at[at], (size_t)(l->count - 1 - at) * sizeof one);
    l->at[at] = one;
}

/* Inserts a schedule of single steps or a time block, with its forecast. */
static pav_status put_forecast(pav_run *run, const schedule *s, bool tried, cost_list *l)
{
    step_cost c;
    TRY(cost_forecast(&(cost_question){.code = run->part->code,
                                       .schedule = s,
                                       .machine = &run->client.machine},
                      &c));
    put(l, s, &c, tried);
    return PAV_OK;
}

/* ---- schedules of processors ------------------------------------------------------- */

/* Schedules of processors: loops of single steps, the same for all stages, and time
 * blocks of all depths with tiles that fit the caches. */

/* Lists variants of a loop that autotuning tries, with other settings. */
static pav_status put_variants(pav_run *run, const schedule *s, cost_list *l)
{
    const int own = s->tile.size[1];
    for (int k = 0; k < (own > 0 ? SCHEDULE_HALF_BLOCKS : 1); k++)
        for (int streams = 0; streams < 2; streams++)
            for (int single = 0; single < 2; single++) {
                schedule other = *s;
                other.tile.size[1] = own > 0 ? schedule_size((int64_t)own *
                                                             schedule_half_blocks[k] / 2)
                                             : 0;
                other.non_temporal = streams;
                other.thread.size[1] = single;
                if (own == 0 || other.tile.size[1] > 0)
                    TRY(put_forecast(run, &other, false, l));
            }
    return PAV_OK;
}

/* ---- several at once --------------------------------------------------------------- */

static pav_status put_shape(pav_run *run, const ir_blocking *b, const schedule *shape,
                            cost_list *l)
{
    schedule s = *shape;
    time_round_tile(run->part->code, b, &s);
    return s.tile.steps > 1 ? put_forecast(run, &s, false, l) : PAV_OK;
}

/* Also lists tiles of half and twice the width and height; no run tries these. */
static pav_status put_shapes(pav_run *run, const ir_blocking *b, const schedule *shape,
                             cost_list *l)
{
    schedule other;
    TRY(put_shape(run, b, shape, l));
    for (int k = 0; k < TIME_OTHERS; k++)
        if (time_other_size(run->part->code->dim, shape, k, &other))
            TRY(put_shape(run, b, &other, l));
    return PAV_OK;
}

static pav_status list_depths(pav_run *run, const ir_blocking *b, const kernel_host *host,
                              cost_list *l)
{
    const int64_t interval = run_steps_between_observations(run);
    time_trial found[MOST_SHAPES];
    for (int d = 0; d < SCHEDULE_DEPTHS; d++) {
        const schedule asked = {.kind = SCHEDULE_AUTO,
                                .tile = {.steps = schedule_depths[d]}};
        if (interval > 0 && schedule_depths[d] > interval)
            continue;
        const int count = time_model(run, b, &asked, host, 3, found);
        for (int n = 0; n < count; n++)
            TRY(put_shapes(run, b, &found[n].shape, l));
    }
    return PAV_OK;
}

static pav_status list_host(pav_run *run, cost_list *l)
{
    const kernel_host host = kernel_host_of(&run->client);
    const ir_stage *first = &run->code->stage[run->code->step.stage[0]];
    loop_tuner m;
    schedule s;
    TRY(kernel_candidates(&run->client, run->code, first, &m));
    for (m.tuner.fastest = 0; m.tuner.fastest < m.count; m.tuner.fastest++) {
        if (!loop_tuner_fastest(&m, &s))
            continue;
        TRY(put_forecast(run, &s, true, l));
        TRY(put_variants(run, &s, l));
    }
    time_choice c;
    OWNED_BY(text_free) text why = {0};
    TRY(temporal_refusal(run, &why));
    if (why.length > 0)
        return PAV_OK;
    TRY(temporal_plan(run, false, &c));
    pav_status status = PAV_OK;
    for (int n = 0; n < c.count && status == PAV_OK; n++)
        if (c.trial[n].shape.tile.steps > 1)
            status = put_forecast(run, &c.trial[n].shape, true, l);
    if (status == PAV_OK)
        status = list_depths(run, &c.state.blocking, &host, l);
    ir_blocking_close(&c.state.blocking);
    return status;
}

/* ---- schedules of a device --------------------------------------------------------- */

/* Schedules of a device with its own memory: kernels of single steps, the same for all
 * stages and with each number of planes; fused launches; persistent kernels. */

typedef struct listing {
    pav_run *run;
    const exec_place *on;
    cost_list *l;
    bool tried; /* autotuning tries the present ones */
} listing;

/* ---- single steps ------------------------------------------------------------------ */

/* Skips schedules that the device or a stage does not support. */
static pav_status try_single(const listing *o, const schedule *s)
{
    const int64_t all = points_along(o->run->part->code, o->run->part->code->dim - 1,
                                     false);
    pav_status status = PAV_OK;
    if (s->kind != SCHEDULE_SWEEP || s->planes > 0)
        status = put_forecast(o->run, s, o->tried, o->l);
    for (int n = 0; s->kind == SCHEDULE_SWEEP && s->planes == 0 && n < SCHEDULE_PLANES &&
                    schedule_planes[n] < 2 * all && status == PAV_OK;
         n++) {
        schedule with = *s;
        with.planes = schedule_planes[n];
        status = put_forecast(o->run, &with, o->tried, o->l);
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

/* Lists a requested launch, or with NULL the candidates. A persistent kernel is listed
 * with all its chosen settings, other launches as requested. */
static pav_status try_launch(const listing *o, const schedule *requested)
{
    launch_list list;
    const pav_status status = place_launches(o->on, requested, &list);
    for (int n = 0; status == PAV_OK && n < list.count; n++) {
        const launch_forecast *f = &list.launch[n];
        put(o->l, f->schedule.kind == SCHEDULE_PERSISTENT ? &f->schedule : &f->requested,
            &f->cost, o->tried);
    }
    return status == PAV_ENOMEM ? status : PAV_OK;
}

static pav_status list_launches(listing *o)
{
    schedule_list ranked;
    o->tried = true;
    TRY(try_launch(o, NULL));
    o->tried = false;
    schedule_candidates(CANDIDATES_RANKED_FUSED, &ranked);
    for (int n = 0; n < ranked.count; n++)
        TRY(try_launch(o, &ranked.schedule[n]));
    return PAV_OK;
}

static pav_status list_device(pav_run *run, cost_list *l)
{
    listing o = {.run = run, .on = run_place(run), .l = l};
    TRY(place_choose(o.on));
    TRY(list_singles(&o));
    /* Fusion is impossible with an observation after each step or each second one. */
    const int64_t interval = run_steps_between_observations(run);
    return interval == 0 || interval > 2 ? list_launches(&o) : PAV_OK;
}

/* ---- reasons for missing schedules ------------------------------------------------- */

const cost_candidate *cost_best(const cost_list *l, schedule_kind kind)
{
    const cost_candidate *best = NULL;
    for (int n = 0; n < l->count; n++)
        if (l->at[n].kind == kind && (!best || (l->at[n].tried && !best->tried)))
            best = &l->at[n];
    return best;
}

/* ---- all of it --------------------------------------------------------------------- */

pav_status cost_list_open(pav_run *run, cost_list *l)
{
    *l = (cost_list){0};
    if (!run_is_whole(run) || run->code->step.count == 0 || !run_has_kernels(run))
        return PAV_OK;
    TRY(run_has_launches(run) ? list_device(run, l) : list_host(run, l));
    for (int kind = SCHEDULE_AUTO + 1; kind < SCHEDULE_KINDS; kind++) {
        OWNED_BY(text_free) text why = {0};
        if (schedule_is_of_gpus((schedule_kind)kind) != run_has_launches(run) ||
            cost_best(l, (schedule_kind)kind))
            continue;
        /* The reason lies in the program, in the device, or in the observers. */
        const machine_facts m = place_machine(run_place(run), run_threads(run));
        const schedule any = {.kind = ((schedule_kind)kind)};
        TRY(emit_legal(run->part->code, &any, m.gpu, &why));
        if (why.length == 0 && schedule_fuses_steps(&any))
            run_list_observers(run, 2, &why);
        if (why.length == 0)
            text_add(&why, "none of its settings suits this program");
        TRY(why.failed ? PAV_ENOMEM : PAV_OK);
        TRY(text_take(&why, &l->reason[kind]));
    }
    return PAV_OK;
}
