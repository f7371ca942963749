/* SPDX-License-Identifier: BSD-3-Clause */
/* The slots of a store on disks. A round of blocks writes only to slots without its
 * input, so a run killed during the round restarts from there. Each block reads the
 * results of the blocks before it. */
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* ---- how many ---------------------------------------------------------------------- */

/* Levels read by a block. It never reads the oldest level of an updated field, and may
 * overwrite it. */
int disk_kept(const ir_field *f)
{
    return f->levels - (f->updated && f->levels > 1 && !f->shared);
}

/* Slots for the input of a round and for all its buffers, because its blocks store to
 * each buffer in turn. */
int disk_slots(const pav_run *run, const ir_field *f)
{
    (void)run;
    const int kept = disk_kept(f);
    return f->memory ? f->levels : f->levels + (f->updated || f->shared ? kept : 0);
}

static field_shape shape_of(const pav_run *run, const ir_field *f)
{
    field_shape shape = run_shape_of(run, f);
    shape.count = disk_slots(run, f);
    return shape;
}

/* Rounded to whole pages, since another field may be mapped from another file; -1: too
 * large. */
int64_t disk_bytes(const pav_run *run, const ir_field *f)
{
    const field_shape shape = shape_of(run, f);
    levels_size size;
    if (f->memory)
        return 0;
    return levels_measure(&shape, &size) ? int_rounded(size.bytes, STRIPED_ALIGN) : -1;
}

/* ---- opened ------------------------------------------------------------------------ */

static pav_status open_buffers(const pav_run *run, disk_field *d, const ir_field *f)
{
    const int axis = run->outofcore->axis;
    const view *v = d->slot;
    d->planes = v->extent[axis] + v->halo[axis][0] + v->halo[axis][1];
    d->plane = v->stride[axis] * (int64_t)pav_type_size(v->type);
    d->buffers = f->levels;
    d->sum = mem_new(d->planes * d->slots, sizeof *d->sum);
    d->seen = mem_new(d->planes * d->slots, sizeof *d->seen);
    d->buffer = mem_new(d->buffers, sizeof *d->buffer);
    if (!d->sum || !d->seen || !d->buffer)
        return PAV_ENOMEM;
    for (int n = 0; n < d->buffers; n++) {
        d->buffer[n] = (disk_buffer){.slot = n, .fresh = -1};
        d->buffer[n].written = mem_new(d->planes, 1);
        if (!d->buffer[n].written)
            return PAV_ENOMEM;
    }
    return PAV_OK;
}

static pav_status open_field(pav_run *run, int64_t number, char *memory)
{
    const ir_field *f = &run->code->field[number];
    disk_field *d = &run->outofcore->disk->field[number];
    levels *l = &run->part->field[number];
    const field_shape shape = shape_of(run, f);
    TRY(levels_at(&shape, f->memory ? run->part->field[f->memory - 1].block : memory, l));
    d->slots = shape.count;
    d->slot = mem_new(d->slots, sizeof *d->slot);
    if (!d->slot)
        return PAV_ENOMEM;
    memcpy(d->slot, l->level, (size_t)d->slots * sizeof *d->slot);
    l->count = f->levels;
    return f->memory ? PAV_OK : open_buffers(run, d, f);
}

pav_status disk_open_slots(pav_run *run)
{
    disk_tier *t = run->outofcore->disk;
    char *memory = striped_memory(t->files);
    t->field = mem_new(run->code->fields + 1, sizeof *t->field);
    if (!t->field)
        return PAV_ENOMEM;
    for (int64_t f = 0; f < run->code->fields; f++) {
        TRY(open_field(run, f, memory));
        memory += disk_bytes(run, &run->code->field[f]);
    }
    return PAV_OK;
}

void disk_close_slots(pav_run *run)
{
    disk_tier *t = run->outofcore->disk;
    for (int64_t f = 0; t->field && f < run->code->fields; f++) {
        disk_field *d = &t->field[f];
        for (int n = 0; d->buffer && n < d->buffers; n++)
            mem_free(d->buffer[n].written);
        mem_free(d->buffer);
        mem_free(d->sum);
        mem_free(d->seen);
        mem_free(d->slot);
    }
    mem_free(t->field);
    t->field = NULL;
}

/* ---- where planes are -------------------------------------------------------------- */

char *disk_plane_at(const outofcore *o, const view *v, int64_t plane)
{
    const box all = view_window(v);
    int64_t at[MAX_DIM] = {all.lo[0], all.lo[1], all.lo[2]};
    at[o->axis] = plane;
    return view_at(v, at[0], at[1], at[2]);
}

int64_t disk_place_in_files(const outofcore *o, const disk_field *d, int slot,
                            int64_t plane)
{
    const char *at = disk_plane_at(o, &d->slot[slot], plane);
    return at - (char *)striped_memory(o->disk->files);
}

/* ---- a round of blocks ----------------------------------------------------------- */

static bool lives(const outofcore_block *b, int field, int buffer)
{
    for (int level = 0; level < b->run->code->field[field].levels; level++)
        if (outofcore_moves(b, field, level, TO_DEVICE, false) &&
            outofcore_store_buffer(b, field, level, TO_DEVICE) == buffer)
            return true;
    return false;
}

/* Flushes the host's writes, so that the round reads them from the files. */
pav_status disk_begin_round(const outofcore_block *b)
{
    for (int f = 0; f < b->run->code->fields; f++) {
        const disk_field *d = &b->o->disk->field[f];
        for (int n = 0; n < d->buffers; n++) {
            d->buffer[n].lives = lives(b, f, n);
            d->buffer[n].fresh = -1;
            memset(d->buffer[n].written, 0, (size_t)d->planes);
        }
    }
    return striped_flush(b->o->disk->files);
}

static bool is_taken(const disk_field *d, int slot)
{
    for (int n = 0; n < d->buffers; n++)
        if (d->buffer[n].fresh == slot ||
            (d->buffer[n].lives && d->buffer[n].slot == slot))
            return true;
    return false;
}

/* A free slot always exists: there are enough for the input and output of a round. */
int disk_fresh(const outofcore_block *b, int field, int buffer)
{
    const disk_field *d = &b->o->disk->field[field];
    disk_buffer *own = &d->buffer[buffer];
    for (int slot = 0; own->fresh < 0 && slot < d->slots; slot++)
        if (!is_taken(d, slot)) {
            own->fresh = slot;
            memset(d->sum + slot * d->planes, 0, (size_t)d->planes * sizeof *d->sum);
        }
    return own->fresh;
}

static bool is_of_another(const disk_field *d, int buffer, int slot)
{
    for (int n = 0; n < d->buffers; n++)
        if (n != buffer && d->buffer[n].slot == slot)
            return true;
    return false;
}

/* A buffer without new contents is invalid now if a written buffer took its slot: it
 * moves to a free slot. A constant buffer keeps its slot. */
static void end_field(const disk_field *d, levels *l)
{
    for (int n = 0; n < d->buffers; n++)
        if (d->buffer[n].fresh >= 0)
            d->buffer[n].slot = d->buffer[n].fresh;
    for (int n = 0; n < d->buffers; n++) {
        disk_buffer *own = &d->buffer[n];
        for (int slot = 0; own->fresh < 0 && is_of_another(d, n, own->slot); slot++)
            own->slot = slot;
    }
    for (int n = 0; n < d->buffers; n++)
        disk_place(d, n, l);
}

void disk_place(const disk_field *d, int buffer, levels *l)
{
    d->buffer[buffer].fresh = -1;
    l->level[buffer] = d->slot[d->buffer[buffer].slot];
}

void disk_end_round(const outofcore_block *b)
{
    for (int64_t f = 0; f < b->run->code->fields; f++)
        end_field(&b->o->disk->field[f], &b->run->part->field[f]);
    subdomain_refresh_views(b->run->part);
}

/* Drops the checksums of a field, or of its ghosts along the axis, because the host has
 * written there. */
void disk_forget_sums(const pav_run *run, int64_t field, bool ghosts)
{
    const disk_field *d = &run->outofcore->disk->field[field];
    const int axis = run->outofcore->axis;
    if (!ghosts)
        striped_touch(run->outofcore->disk->files);
    for (int64_t n = 0; d->sum && n < d->slots * d->planes; n++) {
        const int64_t plane = n % d->planes - d->slot->halo[axis][0];
        if (!ghosts || plane < 0 || plane >= d->slot->extent[axis])
            d->sum[n] = 0;
    }
}
