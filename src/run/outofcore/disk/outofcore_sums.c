/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksums for the planes of a store on disk, if the host maps its files. Planes written
 * by the host get checksums before visits read them. Planes written by visits are
 * compared with their checksums before the host reads them. */
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* ---- planes of a slot -------------------------------------------------------------- */

static pav_status sum_plane(const pav_run *run, disk_field *d, int slot, int64_t n)
{
    const outofcore *o = run->outofcore;
    const striped_move plane = {
        .at = disk_place_in_files(o, d, slot, n - d->slot->halo[o->axis][0]),
        .bytes = d->plane,
        .unit = d->plane,
        .sum = d->sum + slot * d->planes + n,
    };
    return striped_compare(o->disk->files, &plane);
}

/* Gives each unsealed plane a checksum. */
static pav_status seal_slot(const pav_run *run, disk_field *d, int slot)
{
    for (int64_t n = 0; n < d->planes; n++)
        if (d->sum[slot * d->planes + n] == 0) {
            TRY(sum_plane(run, d, slot, n));
            d->seen[slot * d->planes + n] = true;
        }
    return PAV_OK;
}

/* Compares planes of the range, each once between two blocks. */
static pav_status compare_slot(const pav_run *run, disk_field *d, int slot,
                               const box *range)
{
    const int axis = run->outofcore->axis;
    const int64_t first = d->slot->halo[axis][0];
    const int64_t lo = range ? range->lo[axis] + first : 0;
    const int64_t hi = range ? range->hi[axis] + first : d->planes;
    for (int64_t n = lo > 0 ? lo : 0; n < hi && n < d->planes; n++) {
        const int64_t k = slot * d->planes + n;
        if (d->sum[k] != 0 && !d->seen[k])
            TRY(sum_plane(run, d, slot, n));
        d->seen[k] = d->sum[k] != 0;
    }
    return PAV_OK;
}

/* -1: the field uses the memory of another. */
static int slot_of(const disk_field *d, const view *v)
{
    for (int slot = 0; d->sum && slot < d->slots; slot++)
        if (d->slot[slot].data == v->data)
            return slot;
    return -1;
}

/* ---- all that a block begins with -------------------------------------------------- */

typedef pav_status slot_work(const pav_run *run, disk_field *d, int slot);

static pav_status each_slot(const pav_run *run, slot_work *work)
{
    for (int64_t f = 0; f < run->code->fields; f++) {
        disk_field *d = &run->outofcore->disk->field[f];
        for (int n = 0; n < disk_kept(&run->code->field[f]); n++) {
            const int slot = slot_of(d, run->part->view[f][1 + n]);
            if (slot >= 0)
                TRY(work(run, d, slot));
        }
    }
    return PAV_OK;
}

pav_status disk_seal(const pav_run *run)
{
    return each_slot(run, seal_slot);
}

static pav_status compare_all_of(const pav_run *run, disk_field *d, int slot)
{
    return compare_slot(run, d, slot, NULL);
}

static pav_status compare(const pav_run *run)
{
    return each_slot(run, compare_all_of);
}

static void forget_seen(const pav_run *run)
{
    for (int64_t f = 0; f < run->code->fields; f++) {
        const disk_field *d = &run->outofcore->disk->field[f];
        if (d->seen)
            memset(d->seen, 0, (size_t)(d->slots * d->planes) * sizeof *d->seen);
    }
}

/* ---- blocks and steps -------------------------------------------------------------- */

/* Seals planes written by the host before the round reads them. */
pav_status disk_seal_round(const pav_run *run)
{
    TRY(disk_seal(run));
    forget_seen(run);
    return PAV_OK;
}

/* True for a field that a step changes. The partial sums of two passes are such a field,
 * though no equation updates them. */
static bool is_changed(const ir *code, int64_t field)
{
    bool any = code->field[field].updated || code->field[field].shared;
    for (int64_t n = 0; n < code->step.count && !any; n++) {
        const ir_stage *s = &code->stage[code->step.stage[n]];
        for (int64_t k = 0; k < s->outputs; k++)
            any |= s->output[k].kind == IR_STORE && s->output[k].field == field;
    }
    return any;
}

/* Before a step on the host: compares the planes that it may change, and drops their
 * checksums. */
pav_status disk_begin_single(const pav_run *run)
{
    TRY(disk_seal(run));
    TRY(compare(run));
    for (int64_t f = 0; f < run->code->fields; f++)
        if (is_changed(run->code, f)) {
            disk_forget_sums(run, f, true);
            disk_forget_sums(run, f, false);
        }
    return PAV_OK;
}

/* ---- before the host reads or changes points --------------------------------------- */

static pav_status ask(void *user, int field, const view *v, host_use how,
                      const box *range)
{
    const pav_run *run = user;
    disk_field *d = &run->outofcore->disk->field[field];
    const int slot = slot_of(d, v);
    if (slot < 0)
        return PAV_OK;
    if (how != HOST_FILL)
        TRY(compare_slot(run, d, slot, range));
    if (how == HOST_READ)
        return PAV_OK;
    striped_touch(run->outofcore->disk->files);
    memset(d->sum + slot * d->planes, 0, (size_t)d->planes * sizeof *d->sum);
    return PAV_OK;
}

void disk_keep_watch(pav_run *run)
{
    run->part->keeper = (field_keeper){ask, run};
}
