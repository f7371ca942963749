/* SPDX-License-Identifier: BSD-3-Clause */
/* The rates of a machine for the models, and their measurement. */
#include <stddef.h>
#include <stdio.h>

#include "run/cost/cost_private.h"

static machine_rates kept(const char *machine, int threads, bool ask)
{
    machine_rates r = {0};
    if (ask && rates_load(machine, threads, &r) != PAV_OK)
        r = (machine_rates){0};
    return r;
}

machine_facts cost_machine(const pav_run *run, const exec_place *at)
{
    const machine_facts m = place_machine(at, run_threads(run));
    const machine_rates r = kept(m.gpu ? m.gpu->name : pav_host_name(), m.cpu.threads,
                                 run->options.wisdom >= 0);
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
static const rate_row rows[] = {
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

static void report(place_rates found[TIMES], text *t)
{
    char path[WISDOM_PATH];
    const int threads = found->threads;
    text_add(t, "%s", found->machine);
    if (threads > 0)
        text_add(t, ", %d thread%s", threads, threads == 1 ? "" : "s");
    text_add(t, ", %s, the best of %d:\n", found->rate.date, TIMES);
    for (size_t n = 0; n < COUNT_OF(rows); n++) {
        const double spread = keep_best(found, &rows[n]);
        const double value = *rate_at(&found->rate, rows[n].at);
        if (value > 0)
            text_add(t, "  %-24s %8.4g %-8s spread %.0f %%\n",
                     threads > 0 ? rows[n].host : rows[n].gpu, value / rows[n].unit,
                     rows[n].name, 100 * spread);
    }
    if (rates_path(path))
        text_add(t, "kept in %s: plans and first choices go by them\n", path);
    else
        text_add(t, "not kept: PAV_WISDOM is none\n");
}

static pav_status measure(const pav_device *device, int threads, text *t)
{
    const place_kind *kind = place_kind_of(device);
    char path[WISDOM_PATH];
    place_rates found[TIMES] = {{.threads = 0}};
    if (!kind->rates)
        return FAIL(PAV_EUNSUPPORTED,
                    "no plan goes by rates of the device %s: measure those of cpu",
                    pav_device_name(device));
    for (int n = 0; n < TIMES; n++)
        TRY(kind->rates(device, threads, &found[n]));
    wisdom_put_date(found->rate.date, sizeof found->rate.date);
    report(found, t);
    return rates_path(path) ? rates_keep(found->machine, found->threads, &found->rate)
                            : PAV_OK;
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
