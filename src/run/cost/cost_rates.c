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

/* Arithmetic of a GPU follows from its clock. */
static machine_facts of_far(const executor *far, bool ask)
{
    machine_facts m = far->there->machine(far);
    const machine_rates r = kept(m.gpu->name, 0, ask);
    if (!r.measured)
        return m;
    m.rate.memory = r.memory;
    m.rate.last_cache = r.last_cache;
    m.rate.launch = r.launch;
    m.rate.link = r.link;
    m.rate.staged = r.staged;
    m.rate.measured = true;
    return m;
}

machine_facts cost_machine(const pav_run *run)
{
    const bool ask = run->options.wisdom >= 0;
    const cpu_facts cpu = {run_threads(run), host_cache(0), host_cache(2)};
    if (places_far(run))
        return of_far(places_far(run), ask);
    machine_facts m = machine_of_cpu(&cpu);
    const machine_rates r = kept(pav_host_name(), cpu.threads, ask);
    if (r.measured)
        m.rate = r;
    return m;
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

static pav_status keep(const char *machine, int threads, const machine_rates *r, text *t)
{
    char path[WISDOM_PATH];
    if (rates_path(path))
        TRY(rates_keep(machine, threads, r));
    tell(machine, threads, r, t);
    return PAV_OK;
}

static pav_status measure_host(int threads, text *t)
{
    machine_rates r;
    host_team *team;
    TRY(host_team_open(threads, HOST_BIND_AUTO, &team));
    const pav_status status = host_rates_measure(team, &r);
    const int count = host_team_threads(team);
    host_team_close(team);
    TRY(status);
    return keep(*pav_host_name() ? pav_host_name() : "a processor", count, &r, t);
}

static pav_status measure_gpu(const pav_device *device, text *t)
{
    machine_rates r;
    gpu *g;
    TRY(gpu_open(device, &g));
    pav_status status = gpu_rates_measure(g, &r);
    if (status == PAV_OK)
        status = keep(gpu_facts_of(g)->name, 0, &r, t);
    gpu_close(g);
    return status;
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
    const pav_status status = device->ops->gpu
                                  ? measure_gpu(device, &t)
                                  : measure_host(threads > 0 ? threads : host_threads(),
                                                 &t);
    if (status == PAV_OK)
        return text_take(&t, result);
    text_free(&t);
    return status;
}
