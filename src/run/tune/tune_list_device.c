/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates on a device with its own memory: the kernels of single steps that autotuning
 * tries, each with its own planes; fused launches, in the order of modelled bytes; and
 * with more effort, other depths, threads and rows. Unsupported candidates are dropped
 * when measured. */
#include "run/run_private.h"
#include "run/tune/tune_private.h"

static bool kernel_of(const tuning *t, int64_t stage, int n, schedule *s)
{
    const exec_place *on = run_place(t->like);
    if (!emit_gpu_has_kernel(t->like->part->code, &t->like->part->code->stage[stage]))
        return false;
    int last = n;
    while (last > 0 && !place_candidate(on, stage, last))
        last--;
    *s = *place_candidate(on, stage, last);
    return last == n;
}

static void add_one(tuning *t, const schedule *s)
{
    char words[SCHEDULE_STRING];
    tune_add(t, schedule_string(s, words));
}

/* Sorts by bytes, fewest first. */
static void sort(launch_forecast *list, int count)
{
    for (int n = 1; n < count; n++)
        for (int k = n; k > 0 && list[k].bytes < list[k - 1].bytes; k--) {
            const launch_forecast other = list[k];
            list[k] = list[k - 1];
            list[k - 1] = other;
        }
}

static void add_launches(tuning *t, const schedule *requested)
{
    launch_list list = {0};
    if (place_launches(run_place(t->like), requested, &list) != PAV_OK)
        return;
    sort(list.launch, list.count);
    for (int n = 0; n < list.count; n++)
        add_one(t, &list.launch[n].requested);
}

static void add_candidates(tuning *t, schedule_candidates_of which)
{
    schedule_list list;
    schedule_candidates(which, &list);
    for (int n = 0; n < list.count; n++)
        add_one(t, &list.schedule[n]);
}

pav_status tune_list_device(tuning *t)
{
    const schedule persistent = {.kind = SCHEDULE_PERSISTENT};
    TRY(place_choose(run_place(t->like)));
    add_launches(t, NULL);
    add_launches(t, &persistent);
    tune_add_stages(t, kernel_of, EMIT_GPU_CANDIDATES);
    if (t->effort >= EFFORT_PATIENT)
        add_candidates(t, CANDIDATES_PATIENT);
    if (t->effort == EFFORT_EXHAUSTIVE)
        add_candidates(t, CANDIDATES_EXHAUSTIVE);
    return PAV_OK;
}
