/* SPDX-License-Identifier: BSD-3-Clause */
/* The executors' view of a run (exec/exec.h). */
#include <stddef.h>

#include "run/time/time_private.h"

static pav_run *of(exec_client *c)
{
    return (pav_run *)(void *)((char *)c - offsetof(pav_run, client));
}

static const pav_run *const_run(const exec_client *c)
{
    return (const pav_run *)(const void *)((const char *)c - offsetof(pav_run, client));
}

static client_state state(const exec_client *c)
{
    const pav_run *run = const_run(c);
    return (client_state){.steps = run->steps,
                          .expected = solver_expected_steps(run),
                          .seconds = run->seconds.steps,
                          .step_bytes = run->work.step_bytes,
                          .inners = run->part->inners,
                          .only_single = run_is_single(run),
                          .wants_single = run->progress.stopped || run->checkpoint.waits};
}

static pav_status one_step(exec_client *c)
{
    return run_one_step(of(c));
}

static pav_status record(exec_client *c)
{
    return run_record(of(c), false);
}

static void count(exec_client *c, int64_t steps, bool shorter)
{
    pav_run *run = of(c);
    run_count_block(run, steps);
    run->blocks.count.shorter += shorter;
}

/* ---- observers --------------------------------------------------------------------- */

static int64_t until_event(const exec_client *c, int64_t most)
{
    return time_until_event(const_run(c), most);
}

static int64_t to_observer(const exec_client *c)
{
    return run_steps_to_observer(const_run(c));
}

static void list_observers(const exec_client *c, int64_t least, text *why)
{
    run_list_observers(const_run(c), least, why);
}

static const sampler *sampler_of(const exec_client *c, const statement *s)
{
    const recorder *r = const_run(c)->observers.recorder;
    while (r->statement != s)
        r++;
    return &r->sampler;
}

static pav_status each_sample(exec_client *c, int64_t step, sample_visit *visit,
                              void *user)
{
    const pav_run *run = of(c);
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        recorder *r = &run->observers.recorder[k];
        if (!time_sample_is_due(r, step))
            continue;
        r->last_step = step;
        TRY(visit(user, r->statement, &r->sampler));
    }
    return PAV_OK;
}

/* ---- schedules and the host -------------------------------------------------------- */

static const schedule *known(const exec_client *c, int64_t stage, bool *is_hint)
{
    const pav_run *run = const_run(c);
    *is_hint = run->known.choice && run->known.choice->is_hint;
    return run_choice_of_stage(run, stage);
}

static int threads(const exec_client *c)
{
    return run_threads(const_run(c));
}

static pav_status host_team_of(exec_client *c, host_team **team)
{
    pav_run *run = of(c);
    run->compiled = true;
    if (!run->team.all)
        TRY(run_open_team(run, run_threads(run), &run->team.all));
    *team = run->team.all;
    return PAV_OK;
}

static void has_kernels(exec_client *c, bool there)
{
    of(c)->compiled = there;
}

static void report(const exec_client *c, bool warning, const char *line)
{
    const pav_run_options *options = &const_run(c)->options;
    if (options->listener)
        options->listener(options->user, warning ? PAV_EVENT_WARNING : PAV_EVENT_NOTE,
                          NULL, line);
}

void run_open_client(pav_run *run)
{
    static const exec_client_ops ops = {
        .state = state,
        .one_step = one_step,
        .record = record,
        .count = count,
        .until_event = until_event,
        .to_observer = to_observer,
        .list_observers = list_observers,
        .sampler_of = sampler_of,
        .each_sample = each_sample,
        .known = known,
        .threads = threads,
        .host_team = host_team_of,
        .has_kernels = has_kernels,
        .report = report,
    };
    run->client = (exec_client){.ops = &ops,
                                .program = run->program,
                                .schedule = &run->schedule,
                                .device_name = run->device_name,
                                .rough = run->opened.rough};
}
