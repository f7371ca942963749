/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches planes of a store on disk in the host's memory, within --host-memory besides the
 * window and its staging memory. Each visit gets an equal part, so that all visits wait
 * equally long for the disk. */
#include "run/outofcore/outofcore_private.h"

enum { MOST_GROUPS = 256 };

/* Bytes of a plane in all slots. */
static int64_t slots_bytes(const pav_run *run)
{
    int64_t all = 0;
    for (int64_t n = 0; n < run->code->fields; n++) {
        const ir_field *f = &run->code->field[n];
        const field_shape shape = run_shape_of(run, f);
        int64_t stride[MAX_DIM];
        levels_strides(&shape, stride);
        all += f->memory ? 0
                         : stride[run->outofcore->axis] * disk_slots(run, f) *
                               (int64_t)pav_type_size(f->storage);
    }
    return all;
}

int64_t disk_cached_planes(const pav_run *run, int64_t planes, int64_t width)
{
    const outofcore *o = run->outofcore;
    const int64_t each = slots_bytes(run);
    int64_t window = 0;
    if (o->requested.host_bytes == 0 || each == 0 ||
        (!run_uses_device_memory(run) && !outofcore_bytes(run, planes, &window)))
        return 0;
    const int64_t on_their_way = o->why_stages[0] ? 0 : disk_staged_bytes(run, width);
    const int64_t taken = o->windows * window + on_their_way;
    const int64_t cached = (o->disk->limit - taken) / each;
    return cached < 0 ? 0 : cached < o->extent ? cached : o->extent;
}

int64_t outofcore_cached_bytes(const pav_run *run)
{
    return outofcore_is_on_disk(run) ? run->outofcore->disk->cached * slots_bytes(run)
                                     : 0;
}

/* Caches planes `lo` up to `end` of a group. */
static pav_status cache_some(const pav_run *run, const disk_field *d, int slot,
                             int64_t lo, int64_t end)
{
    const outofcore *o = run->outofcore;
    const int64_t hi = end < d->slot->extent[o->axis] ? end : d->slot->extent[o->axis];
    const int64_t at = disk_place_in_files(o, d, slot, lo);
    return lo < hi ? striped_cache(o->disk->files, at, (hi - lo) * d->plane) : PAV_OK;
}

static pav_status cache_slot(const pav_run *run, const disk_field *d, int slot)
{
    const outofcore *o = run->outofcore;
    const int64_t visits = int_parts(o->extent, o->width);
    const int64_t groups = visits < MOST_GROUPS ? visits : MOST_GROUPS;
    const int64_t each = int_parts(o->extent, groups), cached = o->disk->cached;
    for (int64_t k = 0; k < groups; k++) {
        const int64_t count = cached * (k + 1) / groups - cached * k / groups;
        TRY(cache_some(run, d, slot, k * each, k * each + count));
    }
    return PAV_OK;
}

/* Slots are contiguous, and so are fields. */
pav_status disk_cache(pav_run *run)
{
    const disk_tier *t = run->outofcore->disk;
    for (int64_t f = 0; t->cached > 0 && f < run->code->fields; f++)
        for (int slot = 0; slot < t->field[f].slots && !run->code->field[f].memory;
             slot++)
            TRY(cache_slot(run, &t->field[f], slot));
    return PAV_OK;
}
