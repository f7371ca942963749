/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes move between the window and a store on disks, through staging memory of the
 * host. During a visit, planes for the next visit are read and planes of the last one are
 * written. A visit waits for planes that were not read ahead. */
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* ---- where planes are -------------------------------------------------------------- */

static int64_t number_of(const outofcore *o, const disk_field *d, int64_t plane)
{
    return plane + d->slot->halo[o->axis][0];
}

/* A view with plane `lo` at `memory`. */
static view view_moved(const outofcore *o, const view *v, int64_t lo, char *memory)
{
    view there = *v;
    there.data = (char *)v->data + (memory - disk_plane_at(o, v, lo));
    return there;
}

/* Staging memory for planes from `lo` up to *end at most; *end becomes the end of the
 * planes with room. The memory has the same offset from a page boundary as the planes in
 * the files. */
static char *room_for(const outofcore *o, disk_area *a, const disk_field *d, int slot,
                      int64_t lo, int64_t *end)
{
    const int64_t at = disk_place_in_files(o, d, slot, lo) % STRIPED_ALIGN;
    const int64_t begin = int_rounded(a->used, STRIPED_ALIGN) + at;
    const int64_t planes = begin < a->bytes ? (a->bytes - begin) / d->plane : 0;
    *end = int64_least(*end, lo + planes);
    if (*end <= lo)
        return NULL;
    a->used = begin + (*end - lo) * d->plane;
    return a->memory + begin;
}

static pav_status begin(const outofcore *o, const disk_field *d, int slot, int64_t lo,
                        int64_t hi, char *memory, bool write)
{
    const striped_move m = {
        .at = disk_place_in_files(o, d, slot, lo),
        .bytes = (hi - lo) * d->plane,
        .unit = d->plane,
        .memory = memory,
        .sum = d->sum + slot * d->planes + number_of(o, d, lo),
        .write = write,
    };
    return striped_begin(o->disk->files, &m);
}

/* ---- to the window ----------------------------------------------------------------- */

/* Planes of a level on their way to the window; `where` numbers the levels. */
typedef struct coming {
    int field, level, where;
} coming;

static pav_status take(outofcore_block *b, const coming *c, int64_t lo, int64_t hi,
                       int64_t first, char *memory)
{
    executor *e = b->window->executor;
    const view from = view_moved(b->o, b->o->disk->field[c->field].slot, first, memory);
    const view *to = outofcore_in_window(b, c->field, c->level, c->where);
    const box range = outofcore_range(b, c->field, lo, hi, true);
    return e->ops.from_host(e, c->field, to, &range, &from);
}

/* The slot with the planes of a buffer from `lo` up to *end: the fresh slot, if the round
 * has written them; -1 if no slot has them and the buffer was no input of the round. */
static int slot_of(const outofcore_block *b, int field, int buffer, int64_t lo,
                   int64_t *end)
{
    const disk_field *d = &b->o->disk->field[field];
    const disk_buffer *own = &d->buffer[buffer];
    const char written = own->written[number_of(b->o, d, lo)];
    int64_t at = lo + 1;
    while (at < *end && own->written[number_of(b->o, d, at)] == written)
        at++;
    *end = at;
    return written ? own->fresh : own->lives ? own->slot : -1;
}

/* Reads planes of one slot and waits for them. */
static pav_status bring_run(outofcore_block *b, const coming *c, int slot, int64_t lo,
                            int64_t hi)
{
    disk_tier *t = b->o->disk;
    const disk_field *d = &t->field[c->field];
    while (lo < hi) {
        int64_t end = hi;
        t->some.used = 0;
        char *memory = room_for(b->o, &t->some, d, slot, lo, &end);
        if (!memory)
            return FAIL(PAV_EINTERNAL, "no plane of the store fits into memory");
        TRY(striped_wait(t->files)); /* planes written before must be on disk */
        TRY(begin(b->o, d, slot, lo, end, memory, false));
        TRY(striped_wait(t->files));
        TRY(take(b, c, lo, end, lo, memory));
        lo = end;
    }
    return PAV_OK;
}

static pav_status bring_all(outofcore_block *b, const coming *c, int buffer, int64_t lo,
                            int64_t hi)
{
    while (lo < hi) {
        int64_t end = hi;
        const int slot = slot_of(b, c->field, buffer, lo, &end);
        if (slot >= 0)
            TRY(bring_run(b, c, slot, lo, end));
        lo = end;
    }
    return PAV_OK;
}

pav_status disk_bring(outofcore_block *b, int field, int level, const box *range,
                      int where)
{
    const disk_passage *t = &b->o->passage;
    const coming c = {field, level, where};
    const int buffer = outofcore_store_buffer(b, field, level, where);
    int64_t lo = range->lo[b->o->axis];
    const int64_t hi = range->hi[b->o->axis];
    for (int64_t n = 0; n < t->staged_count; n++) {
        const disk_planes *p = &t->staged[n];
        if (p->field != field || p->buffer != buffer || p->lo > lo || p->hi <= lo)
            continue;
        const int64_t end = int64_least(hi, p->hi);
        TRY(take(b, &c, lo, end, p->lo, p->memory));
        lo = end;
    }
    return bring_all(b, &c, buffer, lo, hi);
}

/* ---- to the disk ------------------------------------------------------------------- */

static pav_status keep_run(outofcore_block *b, int field, int level, int64_t lo,
                           int64_t *end)
{
    executor *e = b->window->executor;
    const disk_field *d = &b->o->disk->field[field];
    const int buffer = outofcore_store_buffer(b, field, level, TO_STORE);
    const int slot = disk_fresh(b, field, buffer);
    if (slot < 0)
        return FAIL(PAV_EINTERNAL, "the store has no free slot");
    char *memory = room_for(b->o, &b->o->passage.out, d, slot, lo, end);
    if (!memory)
        return PAV_OK;
    const view to = view_moved(b->o, d->slot, lo, memory);
    const box range = outofcore_range(b, field, lo, *end, true);
    memset(memory, 0, (size_t)((*end - lo) * d->plane)); /* padding is zero, too */
    TRY(e->ops.to_host(e, field, outofcore_in_window(b, field, level, TO_STORE), &range,
                       &to));
    memset(d->buffer[buffer].written + number_of(b->o, d, lo), 1, (size_t)(*end - lo));
    return begin(b->o, d, slot, lo, *end, memory, true);
}

/* If the staging memory is full, waits for the earlier writes. */
pav_status disk_keep(outofcore_block *b, int field, int level, const box *range)
{
    disk_area *out = &b->o->passage.out;
    int64_t lo = range->lo[b->o->axis];
    const int64_t hi = range->hi[b->o->axis];
    while (lo < hi) {
        int64_t end = hi;
        TRY(keep_run(b, field, level, lo, &end));
        if (end <= lo && out->used == 0)
            return FAIL(PAV_EINTERNAL, "no plane of the store fits into memory");
        lo = int64_most(lo, end);
        if (lo < hi) {
            TRY(striped_wait(b->o->disk->files));
            out->used = 0;
        }
    }
    return PAV_OK;
}

/* ---- for the next visit ------------------------------------------------------------ */

static pav_status ask_for_run(outofcore_block *b, int field, int buffer, int slot,
                              int64_t lo, int64_t *end)
{
    disk_passage *p = &b->o->passage;
    const disk_field *d = &b->o->disk->field[field];
    char *memory = room_for(b->o, &p->in, d, slot, lo, end);
    if (!memory)
        return PAV_OK;
    p->staged[p->staged_count++] = (disk_planes){field, buffer, lo, *end, memory};
    return begin(b->o, d, slot, lo, *end, memory, false);
}

/* All planes of this level are in one slot: the blocks before this one have written all
 * or none. */
static pav_status ask_for(outofcore_block *b, int field, int level, const box *range)
{
    const int buffer = outofcore_store_buffer(b, field, level, TO_DEVICE);
    const int64_t lo = range->lo[b->o->axis];
    int64_t end = range->hi[b->o->axis];
    const int slot = slot_of(b, field, buffer, lo, &end);
    return slot >= 0 ? ask_for_run(b, field, buffer, slot, lo, &end) : PAV_OK;
}

/* Methods without shared planes (mm, naive) wait for their planes instead. */
pav_status disk_prefetch(outofcore_block *b)
{
    b->o->passage.staged_count = 0;
    b->o->passage.in.used = 0;
    if (b->visit + 1 >= b->axis.tiles || b->o->requested.again || b->o->requested.single)
        return PAV_OK;
    const outofcore_window next = outofcore_window_of(b->o, b->steps, b->visit + 1);
    for (int f = 0; f < b->run->code->fields; f++) {
        const box range = outofcore_range(b, f, b->at.hi, next.hi, next.wrapped == 0);
        for (int n = 0; n < b->run->code->field[f].levels && !box_is_empty(&range); n++)
            if (outofcore_moves(b, f, n, TO_DEVICE, false))
                TRY(ask_for(b, f, n, &range));
    }
    return PAV_OK;
}

/* Waits for the transfers of all windows. Staged planes remain until the window's next
 * visit takes them. */
pav_status disk_wait(outofcore_block *b)
{
    b->o->passage.out.used = 0;
    return striped_wait(b->o->disk->files);
}
