/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates where fields are in memory of their own: kernels of single steps that a run
 * would try, whose planes each finds by itself; fused launches, those first that move the
 * fewest bytes by the model; and with more effort, other depths, threads and rows. What
 * this device cannot do is left out when it is its turn. */
#include <stdio.h>

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

/* The fewer bytes the earlier. */
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

static void add_words(tuning *t, const char *head, int least, int most)
{
    for (int n = least; n <= most; n++) {
        char words[64];
        (void)snprintf(words, sizeof words, "%s%d", head, n);
        tune_add(t, words);
    }
}

static void add_more(tuning *t)
{
    static const char *const singles[] = {
        "point",
        "sweep:shuffle",
        "sweep:shared",
        "sweep:shared,copy=tma,ahead=2",
        "sweep:shared,threads=32x16",
        "sweep:shared,threads=64x4",
        "sweep:shared,threads=64x8",
        "sweep:shared,rows=2",
        "sweep:shared,threads=32x8,rows=4",
        "sweep:shuffle,rows=2",
        "sweep:shuffle,rows=4",
        "sweep:shuffle,vector=2,rows=2",
        "sweep:shared,ahead=3,prefetch=4",
        "two-pass",
    };
    add_words(t, "time:shared,depth=", 2, 6);
    add_words(t, "time:shuffle,depth=", 2, 8);
    for (size_t n = 0; n < COUNT_OF(singles); n++)
        tune_add(t, singles[n]);
}

static void add_all(tuning *t)
{
    static const char *const threads[] = {"32x4", "32x8", "32x16", "64x4", "64x8"};
    char words[96];
    for (size_t k = 0; k < COUNT_OF(threads); k++)
        for (int n = 1; n <= 8; n++) {
            (void)snprintf(words, sizeof words, "time:shuffle,depth=%d,threads=%s", n + 1,
                           threads[k]);
            tune_add(t, words);
            (void)snprintf(words, sizeof words, "sweep:shared,threads=%s,rows=%d",
                           threads[k], n);
            if (n <= 4)
                tune_add(t, words);
        }
    add_words(t, "persistent:depth=", 1, 8);
}

pav_status tune_list_device(tuning *t)
{
    const schedule persistent = {.kind = SCHEDULE_PERSISTENT};
    TRY(place_choose(run_place(t->like)));
    add_launches(t, NULL);
    add_launches(t, &persistent);
    tune_add_stages(t, kernel_of, EMIT_GPU_CANDIDATES);
    if (t->effort >= EFFORT_PATIENT)
        add_more(t);
    if (t->effort == EFFORT_EXHAUSTIVE)
        add_all(t);
    return PAV_OK;
}
