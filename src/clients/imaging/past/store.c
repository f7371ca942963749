/* SPDX-License-Identifier: BSD-3-Clause */
/* A store of frames of equal size. A frame holds all points of some levels of a run's
 * fields, one level after another. Frames lie in the memory of the run's device while it
 * has room, then in the host's memory. Frames for the disk lie in one file, which is
 * unlinked after opening. */
#define _GNU_SOURCE

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imaging/imaging_private.h"

/* ---- narrow types ------------------------------------------------------------------ */

/* Checks one stored item in a narrower type. A finite value that overflows to infinity is
 * an error, with infinities and zeros that were there before apart. A level whose values
 * all underflow to 0 is counted. Values have 2 or 4 bytes. */
static pav_status narrow_check(pav_run *run, const frame_item *i, const char *memory,
                               int64_t count, narrowed *n)
{
    const uint16_t *half = (const void *)memory;
    const uint32_t *single = (const void *)memory;
    const int64_t size = (int64_t)pav_type_size(i->type);
    const uint32_t top = i->type == PAV_F16    ? 0x7c00u
                         : i->type == PAV_BF16 ? 0x7f80u
                                               : 0x7f800000u;
    uint32_t all = 0, infinite = 0;
    bool some = false;

    for (int64_t k = 0; size == 2 && k < count; k++) {
        const uint32_t value = half[k] & 0x7fffu;
        all |= value;
        infinite |= value == top;
    }
    for (int64_t k = 0; size == 4 && k < count; k++) {
        const uint32_t value = single[k] & 0x7fffffffu;
        all |= value;
        infinite |= value == top;
    }
    n->kept += all != 0;
    if (all && !infinite)
        return PAV_OK;
    OWNED_NEW(double, was, count);
    TRY(run_keep_points(run, i->field, i->age, PAV_F64, was));
    for (int64_t k = 0; k < count; k++) {
        if (isfinite(was[k]) && isinf(type_load(i->type, memory + k * size)))
            return FAIL(PAV_EINVAL,
                        "the past of the run has the value %g, which is infinite in %s: "
                        "store it in %s, or sources of a smaller amplitude",
                        was[k], pav_type_name(i->type),
                        i->type == PAV_F16 ? "bf16 or f32" : "its own type");
        some |= was[k] != 0;
    }
    n->lost += some && !all;
    return PAV_OK;
}

/* ---- the store --------------------------------------------------------------------- */

enum { SLAB = 64 << 20 }; /* bytes */

struct store {
    arena *arena;
    pav_run *run;
    const frame_layout *layout;
    int64_t each;                 /* size of a frame, bytes */
    int64_t there;                /* slabs that the device's memory may still take */
    int64_t slabs, slab_room, of; /* of: number of frames per slab */
    struct slab {
        char *memory;
        bool there;
    } * slab;
    int64_t loose, free_room; /* loose: number of free frames in memory */
    stored *free;
    int file; /* -1: none yet */
    const char *disk;
    /* slots of the file; number of unused slots among them */
    int64_t slots, unused, slot_room;
    int64_t *slot;
    char *passing; /* buffer for a frame read from or written to the file */
    narrowed narrow;
};

void frame_add(arena *a, frame_layout *l, const frame_item *item, int64_t count)
{
    ARENA_ADD(a, l->item, l->count, l->capacity) = *item;
    l->item[l->count - 1].at = l->bytes;
    l->bytes += count * (int64_t)pav_type_size(item->type);
}

store *store_open(arena *a, pav_run *run, const frame_layout *layout,
                  const store_room *room)
{
    store *s = arena_alloc(a, 1, sizeof *s);

    *s = (store){.arena = a,
                 .run = run,
                 .layout = layout,
                 .file = -1,
                 .disk = room->disk,
                 .each = int64_most(int_rounded(layout->bytes, CPU_LINE), CPU_LINE)};
    s->of = int64_most(int64_least(SLAB / s->each, room->frames), 1);
    s->there = room->there / (s->of * s->each);
    return s;
}

void store_close(store *s)
{
    if (!s)
        return;
    for (int64_t k = 0; k < s->slabs; k++)
        if (s->slab[k].there)
            run_release_on_device(s->run, s->slab[k].memory);
        else
            mem_big_free(s->slab[k].memory, s->of * s->each);
    if (s->file >= 0)
        (void)close(s->file);
    mem_big_free(s->passing, s->each);
}

/* ---- room -------------------------------------------------------------------------- */

static pav_status add_slab(store *s, bool there, char **memory)
{
    void *block = NULL;

    arena_reserve(s->arena, &s->slab, s->slabs, &s->slab_room, sizeof *s->slab);
    if (there)
        TRY(run_take_on_device(s->run, s->of * s->each, &block));
    else
        block = mem_big(s->of * s->each);
    if (!block)
        return PAV_ENOMEM;
    s->slab[s->slabs++] = (struct slab){block, there};
    *memory = block;
    return PAV_OK;
}

/* If an allocation on the device fails, because others took the free memory, all further
 * frames lie in the host's memory. */
static pav_status make_room(store *s)
{
    bool there = s->there > 0;
    char *memory;

    pav_status status = add_slab(s, there, &memory);
    if (status == PAV_ENOMEM && there) {
        s->there = 0;
        there = false;
        status = add_slab(s, false, &memory);
    }
    TRY(status);
    s->there -= there;
    for (int64_t k = s->of - 1; k >= 0; k--) {
        stored f = {there ? STORED_THERE : STORED_HERE, memory + k * s->each, 0};
        store_drop(s, &f);
    }
    return PAV_OK;
}

void store_drop(store *s, stored *f)
{
    if (f->where == STORED_DISK)
        s->slot[s->unused++] = f->slot;
    if (f->where == STORED_THERE || f->where == STORED_HERE) {
        ARENA_ADD(s->arena, s->free, s->loose, s->free_room) = *f;
    }
    *f = (stored){0};
}

/* ---- a disk ------------------------------------------------------------------------ */

static pav_status disk_failed(const store *s, const char *what)
{
    return FAIL(PAV_EIO,
                "the past of the run cannot be %s a file in %s: %s; --history "
                "SIZE,disk=DIR names another directory",
                what, s->disk, strerror(errno));
}

static pav_status open_file(store *s)
{
    OWNED_BY(text_free) text path = {0};

    TRY(directory_make(s->disk));
    TRY(text_print(&path, "%s/pavior-history-XXXXXX", s->disk));
    s->file = mkstemp(path.data);
    if (s->file < 0)
        return disk_failed(s, "written to");
    (void)unlink(path.data);
    s->passing = mem_big(s->each);
    return s->passing ? PAV_OK : PAV_ENOMEM;
}

/* Bytes from .. to - 1 of a slot, from the buffer to the file or back. */
static pav_status pass_bytes(const store *s, bool writes, int64_t slot, int64_t from,
                             int64_t to)
{
    while (from < to) {
        const int64_t at = slot * s->each + from;
        const size_t left = (size_t)(to - from);
        const ssize_t count = writes ? pwrite(s->file, s->passing + from, left, at)
                                     : pread(s->file, s->passing + from, left, at);
        if (count <= 0)
            return disk_failed(s, writes ? "written to" : "read from");
        from += count;
    }
    return PAV_OK;
}

/* ---- points ------------------------------------------------------------------------ */

static int64_t item_end(const frame_layout *l, int64_t item)
{
    return item + 1 < l->count ? l->item[item + 1].at : l->bytes;
}

const narrowed *store_narrowed(const store *s)
{
    return &s->narrow;
}

pav_status store_put(store *s, bool disk, stored *f)
{
    const frame_layout *l = s->layout;

    if (disk && s->file < 0)
        TRY(open_file(s));
    if (disk && s->unused == 0) {
        arena_reserve(s->arena, &s->slot, s->slots, &s->slot_room, sizeof *s->slot);
        s->slot[s->unused++] = s->slots++;
    }
    if (!disk && s->loose == 0)
        TRY(make_room(s));
    *f = disk ? (stored){STORED_DISK, s->passing, s->slot[--s->unused]}
              : s->free[--s->loose];
    for (int64_t k = 0; k < l->count; k++) {
        const frame_item *i = &l->item[k];
        const int64_t bytes = item_end(l, k) - i->at;
        char *to = f->memory + i->at;
        if (f->where == STORED_THERE)
            TRY(run_save_on_device(s->run, i->field, i->age, i->part ? &i->range : NULL,
                                   to));
        else if (i->part)
            TRY(run_save_box(s->run, i->field, i->age, &i->range, to));
        else
            TRY(run_keep_points(s->run, i->field, i->age, i->type, to));
        if (i->narrow)
            TRY(narrow_check(s->run, i, to, bytes / (int64_t)pav_type_size(i->type),
                             &s->narrow));
    }
    return disk ? pass_bytes(s, true, f->slot, 0, l->bytes) : PAV_OK;
}

pav_status store_get(const store *s, const stored *f, int64_t item, pav_run *to,
                     int field, int age)
{
    const frame_layout *l = s->layout;
    const frame_item *i = &l->item[item];

    if (f->where == STORED_THERE)
        return run_restore_from_device(to, field, age, i->part ? &i->range : NULL,
                                       f->memory + i->at);
    if (f->where == STORED_DISK)
        TRY(pass_bytes(s, false, f->slot, i->at, item_end(l, item)));
    return i->part ? run_restore_box(to, field, age, &i->range, f->memory + i->at)
                   : run_bring_points(to, field, age, i->type, f->memory + i->at);
}
