/* SPDX-License-Identifier: BSD-3-Clause */
/* The rates that models of a run divide by; and how they are measured and kept. */
#include <stdio.h>

#include "run/cost/cost_private.h"

static machine_rates kept(const char *machine, int threads, bool ask)
{
    machine_rates r = {0};
    if (ask && rates_load(machine, threads, &r) != PAV_OK)
        r = (machine_rates){0};
    return r;
}

machine_facts cost_machine(const pav_run *run)
{
    const machine_facts m = place_machine(run_place(run), run_threads(run));
    const machine_rates r = kept(m.gpu ? m.gpu->name : pav_host_name(), m.cpu.threads,
                                 run->options.wisdom >= 0);
    return machine_with_rates(&m, &r);
}

/* ---- measuring --------------------------------------------------------------------- */

static void add_rate(text *t, const char *name, double rate)
{
    if (rate > 0)
        text_add(t, "  %-24s %.4g GB/s\n", name, rate / 1e9);
}

static void tell(const char *machine, int threads, const machine_rates *r, text *t)
{
    char path[WISDOM_PATH];
    text_add(t, "%s", machine);
    if (threads > 0)
        text_add(t, ", %d thread%s", threads, threads == 1 ? "" : "s");
    text_add(t, ":\n");
    add_rate(t, "memory, copied", r->memory);
    add_rate(t, threads > 0 ? "last cache, copied" : "L2, copied", r->last_cache);
    add_rate(t, "a core's cache, copied", r->core_cache);
    add_rate(t, "pinned, each way at once", r->link.busy);
    add_rate(t, "pinned, one way", r->link.alone);
    add_rate(t, "buffered, each way", r->staged.busy);
    add_rate(t, "buffered, one way", r->staged.alone);
    if (r->f32 > 0)
        text_add(t, "  %-24s %.4g Gflop/s in f32, %.4g in f64\n", "sums and products",
                 r->f32 / 1e9, r->f64 / 1e9);
    text_add(t, "  %-24s %.3g us\n",
             threads > 0 ? "to begin a piece of work" : "from launch to launch",
             1e6 * r->launch);
    if (rates_path(path))
        text_add(t, "kept in %s: plans and first choices go by them\n", path);
    else
        text_add(t, "not kept: PAV_WISDOM is none\n");
}

static pav_status measure(const pav_device *device, int threads, text *t)
{
    char path[WISDOM_PATH];
    place_rates found = {.threads = 0};
    TRY(place_kind_of(device)->rates(device, threads, &found));
    if (rates_path(path))
        TRY(rates_keep(found.machine, found.threads, &found.rate));
    tell(found.machine, found.threads, &found.rate, t);
    return PAV_OK;
}

pav_status pav_machine_measure(const pav_device *device, int threads, char **result)
{
    GUARDED;
    text t = {0};
    if (result)
        *result = NULL;
    if (!device || !result || threads < 0 || threads > PAV_MAX_THREADS)
        return FAIL(PAV_EINVAL,
                    "pav_machine_measure needs a device, a number of threads "
                    "from 0 to %d, and a place for the text",
                    PAV_MAX_THREADS);
    TRY(device_check_single(device, "a measurement"));
    const pav_status status = measure(device, threads, &t);
    if (status == PAV_OK)
        return text_take(&t, result);
    text_free(&t);
    return status;
}
