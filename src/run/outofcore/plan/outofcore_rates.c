/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of the link and of the disks for the model of visits: kept ones (`pavior doctor
 * --measure`), or else measured for the plan. */
#include <string.h>
#include <unistd.h>

#include "run/outofcore/outofcore_private.h"

/* Bytes moved for a measurement: a sixteenth of the store, at most. */
enum { DISK_TRIAL = 64 << 20, LEAST_TRIAL = 4 << 20, DISK_UNIT = 1 << 20 };

/* ---- disks ------------------------------------------------------------------------- */

static pav_status time_both(striped *files, void *memory, int64_t bytes, double *seconds)
{
    uint64_t sum[DISK_TRIAL / DISK_UNIT] = {0};
    striped_move m = {0, bytes, DISK_UNIT, memory, sum, true};
    const double begun = clock_seconds();
    TRY(striped_begin(files, &m));
    TRY(striped_wait(files));
    m.write = false;
    TRY(striped_begin(files, &m));
    TRY(striped_wait(files));
    *seconds = clock_seconds() - begun;
    return PAV_OK;
}

static pav_status time_disks(const disk_tier *t, int64_t bytes, double *seconds)
{
    char *path[STRIPED_FILES] = {NULL};
    void *memory = mem_big(bytes);
    striped *files = NULL;
    pav_status status = memory ? PAV_OK : PAV_ENOMEM;
    for (int n = 0; n < t->paths && status == PAV_OK; n++) {
        text name = {0};
        text_add(&name, "%s/.pavior-trial-%ld-%d", t->path[n], (long)getpid(), n);
        status = text_take(&name, &path[n]);
    }
    const striped_options o = {.path = path, .paths = t->paths, .bytes = bytes};
    if (status == PAV_OK)
        status = striped_open(&o, &files);
    if (status == PAV_OK)
        memset(memory, 1, (size_t)bytes);
    if (status == PAV_OK)
        status = time_both(files, memory, bytes, seconds);
    striped_close(files);
    for (int n = 0; n < t->paths; n++)
        mem_free(path[n]);
    if (memory)
        mem_big_free(memory, bytes);
    return status;
}

/* Measures the rate each way while both go on. A failing disk is reported later by the
 * run. */
static void measure_disks(disk_tier *t)
{
    double seconds = 0;
    const int64_t some = t->bytes / 16 / DISK_UNIT * DISK_UNIT;
    const int64_t bytes = some < DISK_TRIAL ? some : DISK_TRIAL;
    if (t->there || bytes < LEAST_TRIAL || time_disks(t, bytes, &seconds) != PAV_OK ||
        seconds <= 0)
        return;
    t->rate = (double)bytes / seconds;
    t->is_measured = true;
}

/* ---- devices ----------------------------------------------------------------------- */

bool outofcore_is_timed(const pav_run *run)
{
    const machine_facts m = place_machine(run_place(run), 1);
    return machine_has_link(&m);
}

/* The interpreter has no model. */
bool outofcore_is_predicted(const pav_run *run)
{
    return run_uses_device_memory(run) ? outofcore_is_timed(run) : run->compiled;
}

/* If no memory is left to measure the link, its rates are assumed. */
pav_status outofcore_measure(pav_run *run)
{
    outofcore *o = run->outofcore;
    /* An emulated GPU gets the visits of its model. */
    o->machine = machine_modelled(&run->client.machine);
    if (o->disk)
        measure_disks(o->disk);
    if (!outofcore_is_timed(run) || o->machine.rate.link.busy > 0)
        return PAV_OK;
    if (place_link_rates(run_place(run), &o->machine.rate) != PAV_OK)
        o->machine.rate.link = o->machine.rate.staged = (machine_link){0};
    return PAV_OK;
}
