/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes of a store on disks: the slots of its files, checksums, and the way between the
 * files and the window. */
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* ---- slots ------------------------------------------------------------------------- */

/* The slots of a store on disks. A round of blocks writes only to slots without its
 * input, so a run killed during the round restarts from there. Each block reads the
 * results of the blocks before it. */

/* Slots for the input of a round and for all its buffers, because its blocks store to
 * each buffer in turn. */
int disk_slots(const ir_field *f)
{
    const int written = f->updated || f->shared ? ir_kept_levels(f) : 0;
    return f->memory ? f->levels : f->levels + written;
}

static field_shape shape_of(const pav_run *run, const ir_field *f)
{
    field_shape shape = run_shape_of(run, f);
    shape.count = disk_slots(f);
    return shape;
}

/* Rounded to whole pages, since another field may be mapped from another file; -1: too
 * large. */
int64_t disk_bytes(const pav_run *run, const ir_field *f)
{
    const field_shape shape = shape_of(run, f);
    levels_size size;
    return f->memory                       ? 0
           : levels_measure(&shape, &size) ? int_rounded(size.bytes, STRIPED_ALIGN)
                                           : -1;
}

/* ---- opened ------------------------------------------------------------------------ */

static void open_buffers(const pav_run *run, disk_field *d, const ir_field *f)
{
    arena *a = run->outofcore->disk->arena;
    const int axis = run->outofcore->axis;
    const view *v = d->slot;
    d->planes = v->extent[axis] + v->halo[axis][0] + v->halo[axis][1];
    d->plane = v->stride[axis] * (int64_t)pav_type_size(v->type);
    d->buffers = f->levels;
    d->sum = arena_alloc(a, d->planes * d->slots, sizeof *d->sum);
    d->seen = arena_alloc(a, d->planes * d->slots, sizeof *d->seen);
    d->buffer = arena_alloc(a, d->buffers, sizeof *d->buffer);
    for (int n = 0; n < d->buffers; n++)
        d->buffer[n] = (disk_buffer){
            .slot = n, .fresh = -1, .written = arena_alloc(a, d->planes, 1)};
}

static pav_status open_slots(pav_run *run)
{
    disk_tier *t = run->outofcore->disk;
    char *memory = striped_memory(t->files);
    t->field = arena_alloc(t->arena, run->code->fields + 1, sizeof *t->field);
    for (int64_t n = 0; n < run->code->fields; n++) {
        const ir_field *f = &run->code->field[n];
        disk_field *d = &t->field[n];
        levels *l = &run->part->field[n];
        const field_shape shape = shape_of(run, f);
        TRY(levels_at(&shape, f->memory ? run->part->field[f->memory - 1].block : memory,
                      l));
        d->slots = shape.count;
        d->slot = arena_alloc(t->arena, d->slots, sizeof *d->slot);
        memcpy(d->slot, l->level, (size_t)d->slots * sizeof *d->slot);
        l->count = f->levels;
        if (!f->memory)
            open_buffers(run, d, f);
        memory += disk_bytes(run, f);
    }
    return PAV_OK;
}

/* ---- where planes are -------------------------------------------------------------- */

int64_t disk_place_in_files(const outofcore *o, const disk_field *d, int slot,
                            int64_t plane)
{
    return outofcore_plane_at(o, &d->slot[slot], plane) -
           (char *)striped_memory(o->disk->files);
}

/* ---- a round of blocks ------------------------------------------------------------- */

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

void disk_place(const disk_field *d, int buffer, levels *l)
{
    d->buffer[buffer].fresh = -1;
    l->level[buffer] = d->slot[d->buffer[buffer].slot];
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

/* ---- checksums --------------------------------------------------------------------- */

/* Checksums for the planes of a store on disk, if the host maps its files. Planes written
 * by the host get checksums before visits read them. Planes written by visits are
 * compared with their checksums before the host reads them. */

/* What is done to planes: planes without a checksum get one, or planes with a checksum
 * are compared, each once between two blocks. */
typedef enum plane_check { PLANE_SEAL, PLANE_COMPARE } plane_check;

/* range: NULL: all planes. */
static pav_status check_slot(const pav_run *run, const disk_field *d, int slot,
                             const box *range, plane_check how)
{
    const outofcore *o = run->outofcore;
    const int64_t first = d->slot->halo[o->axis][0];
    const int64_t lo = range ? int64_most(range->lo[o->axis] + first, 0) : 0;
    const int64_t hi = range ? int64_least(range->hi[o->axis] + first, d->planes)
                             : d->planes;
    for (int64_t n = lo; n < hi; n++) {
        const int64_t k = slot * d->planes + n;
        const striped_move plane = {.at = disk_place_in_files(o, d, slot, n - first),
                                    .bytes = d->plane,
                                    .unit = d->plane,
                                    .sum = d->sum + k};
        const bool due = how == PLANE_SEAL ? d->sum[k] == 0
                                           : d->sum[k] != 0 && !d->seen[k];
        if (due)
            TRY(striped_compare(o->disk->files, &plane));
        if (due || how == PLANE_COMPARE)
            d->seen[k] = d->sum[k] != 0;
    }
    return PAV_OK;
}

/* -1: the field uses the memory of another. */
static int slot_of_view(const disk_field *d, const view *v)
{
    for (int slot = 0; d->sum && slot < d->slots; slot++)
        if (d->slot[slot].data == v->data)
            return slot;
    return -1;
}

/* ---- the input of a block ---------------------------------------------------------- */

static pav_status check_input(const pav_run *run, plane_check how)
{
    for (int64_t f = 0; f < run->code->fields; f++) {
        const disk_field *d = &run->outofcore->disk->field[f];
        for (int n = 0; n < ir_kept_levels(&run->code->field[f]); n++) {
            const int slot = slot_of_view(d, run->part->view[f][1 + n]);
            if (slot >= 0)
                TRY(check_slot(run, d, slot, NULL, how));
        }
    }
    return PAV_OK;
}

pav_status disk_seal(const pav_run *run)
{
    return check_input(run, PLANE_SEAL);
}

/* ---- blocks and steps -------------------------------------------------------------- */

/* Seals planes written by the host before the round reads them. */
pav_status disk_seal_round(const pav_run *run)
{
    TRY(disk_seal(run));
    for (int64_t f = 0; f < run->code->fields; f++) {
        const disk_field *d = &run->outofcore->disk->field[f];
        if (d->seen)
            memset(d->seen, 0, (size_t)(d->slots * d->planes) * sizeof *d->seen);
    }
    return PAV_OK;
}

/* True for a field that a step changes. The partial sums of two passes are such a field,
 * though no equation updates them. */
static bool is_changed(const ir *code, int64_t field)
{
    bool any = code->field[field].updated || code->field[field].shared;
    for (int64_t n = 0; n < code->step.count && !any; n++) {
        for (const ir_output *o = NULL;
             (o = ir_next_store(&code->stage[code->step.stage[n]], o));)
            any |= o->field == field;
    }
    return any;
}

/* Before a step on the host: compares the planes that it may change, and drops their
 * checksums. */
pav_status disk_begin_single(const pav_run *run)
{
    TRY(disk_seal(run));
    TRY(check_input(run, PLANE_COMPARE));
    for (int64_t f = 0; f < run->code->fields; f++)
        if (is_changed(run->code, f))
            disk_forget_sums(run, f, false);
    return PAV_OK;
}

/* ---- before the host reads or changes points --------------------------------------- */

static pav_status compare_sums_before(void *user, int field, const view *v, host_use how,
                                      const box *range)
{
    const pav_run *run = user;
    disk_field *d = &run->outofcore->disk->field[field];
    const int slot = slot_of_view(d, v);
    if (slot < 0)
        return PAV_OK;
    if (how != HOST_FILL)
        TRY(check_slot(run, d, slot, range, PLANE_COMPARE));
    if (how == HOST_READ)
        return PAV_OK;
    striped_touch(run->outofcore->disk->files);
    memset(d->sum + slot * d->planes, 0, (size_t)d->planes * sizeof *d->sum);
    return PAV_OK;
}

/* Planes are compared whenever the host reads them. */
pav_status disk_open_slots(pav_run *run)
{
    disk_tier *t = run->outofcore->disk;
    pav_status status;
    t->arena = arena_new();
    if (!t->arena)
        return PAV_ENOMEM;
    t->arena->limit = INT64_MAX; /* a byte for each plane is no program */
    ARENA_GUARD(t->arena, status, open_slots(run));
    if (status == PAV_OK)
        run->part->keeper = (field_keeper){compare_sums_before, run};
    return status;
}

/* ---- transfers --------------------------------------------------------------------- */

/* Planes move between the window and a store on disks, through staging memory of the
 * host. During a visit, planes for the next visit are read and planes of the last one are
 * written. A visit waits for planes that were not read ahead. */

static int64_t index_plane(const outofcore *o, const disk_field *d, int64_t plane)
{
    return plane + d->slot->halo[o->axis][0];
}

/* A view with plane `lo` at `memory`. */
static view view_moved(const outofcore *o, const view *v, int64_t lo, char *memory)
{
    view there = *v;
    there.data = (char *)v->data + (memory - outofcore_plane_at(o, v, lo));
    return there;
}

/* Staging memory for planes from `lo` up to *end at most; *end becomes the end of the
 * planes with room. The memory has the same offset from a page boundary as the planes in
 * the files. */
static char *room_for(const outofcore *o, disk_area *a, const disk_field *d, int slot,
                      int64_t lo, int64_t *end)
{
    const int64_t begin_transfer = int_rounded(a->used, STRIPED_ALIGN) +
                                   disk_place_in_files(o, d, slot, lo) % STRIPED_ALIGN;
    const int64_t planes = begin_transfer < a->bytes
                               ? (a->bytes - begin_transfer) / d->plane
                               : 0;
    *end = int64_least(*end, lo + planes);
    if (*end <= lo)
        return NULL;
    a->used = begin_transfer + (*end - lo) * d->plane;
    return a->memory + begin_transfer;
}

static pav_status begin_transfer(const outofcore *o, const disk_field *d, int slot,
                                 int64_t lo, int64_t hi, char *memory, bool write)
{
    const striped_move m = {
        .at = disk_place_in_files(o, d, slot, lo),
        .bytes = (hi - lo) * d->plane,
        .unit = d->plane,
        .memory = memory,
        .sum = d->sum + slot * d->planes + index_plane(o, d, lo),
        .write = write,
    };
    return striped_begin(o->disk->files, &m);
}

/* ---- to the window ----------------------------------------------------------------- */

/* Planes of a level on their way to the window; `where` numbers the levels. */
typedef struct coming {
    int field, level, where;
} coming;

static pav_status take_planes(outofcore_block *b, const coming *c, int64_t lo, int64_t hi,
                              int64_t first, char *memory)
{
    executor *e = b->window->executor;
    const view from = view_moved(b->o, b->o->disk->field[c->field].slot, first, memory);
    const view *to = outofcore_in_window(b, c->field, c->level, c->where);
    const box range = outofcore_range(b, c->field, lo, hi, true);
    return e->ops.move_rows(e, c->field, to, &range, &from, true);
}

/* The slot with the planes of a buffer from `lo` up to *end: the fresh slot, if the round
 * has written them; -1 if no slot has them and the buffer was no input of the round. */
static int slot_with_planes(const outofcore_block *b, int field, int buffer, int64_t lo,
                            int64_t *end)
{
    const disk_field *d = &b->o->disk->field[field];
    const disk_buffer *own = &d->buffer[buffer];
    const char written = own->written[index_plane(b->o, d, lo)];
    int64_t at = lo + 1;
    while (at < *end && own->written[index_plane(b->o, d, at)] == written)
        at++;
    *end = at;
    return written ? own->fresh : own->lives ? own->slot : -1;
}

/* Reads planes of one slot and waits for them. */
static pav_status read_planes_at_once(outofcore_block *b, const coming *c, int slot,
                                      int64_t lo, int64_t hi)
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
        TRY(begin_transfer(b->o, d, slot, lo, end, memory, false));
        TRY(striped_wait(t->files));
        TRY(take_planes(b, c, lo, end, lo, memory));
        lo = end;
    }
    return PAV_OK;
}

pav_status disk_fetch(outofcore_block *b, int field, int level, const box *range,
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
        TRY(take_planes(b, &c, lo, end, p->lo, p->memory));
        lo = end;
    }
    while (lo < hi) {
        int64_t end = hi;
        const int slot = slot_with_planes(b, field, buffer, lo, &end);
        if (slot >= 0)
            TRY(read_planes_at_once(b, &c, slot, lo, end));
        lo = end;
    }
    return PAV_OK;
}

/* ---- to the disk ------------------------------------------------------------------- */

static pav_status keep_run(outofcore_block *b, int field, int level, int64_t lo,
                           int64_t *end)
{
    executor *e = b->window->executor;
    const disk_field *d = &b->o->disk->field[field];
    const int buffer = outofcore_store_buffer(b, field, level, TO_STORE);
    /* A free slot always exists: there are enough for the input and output of a round. */
    disk_buffer *own = &d->buffer[buffer];
    for (int slot = 0; own->fresh < 0 && slot < d->slots; slot++) {
        bool taken = false;
        for (int n = 0; n < d->buffers; n++)
            taken = taken || d->buffer[n].fresh == slot ||
                    (d->buffer[n].lives && d->buffer[n].slot == slot);
        if (taken)
            continue;
        own->fresh = slot;
        memset(d->sum + slot * d->planes, 0, (size_t)d->planes * sizeof *d->sum);
    }
    const int slot = own->fresh;
    if (slot < 0)
        return FAIL(PAV_EINTERNAL, "the store has no free slot");
    char *memory = room_for(b->o, &b->o->passage.out, d, slot, lo, end);
    if (!memory)
        return PAV_OK;
    const view to = view_moved(b->o, d->slot, lo, memory);
    const box range = outofcore_range(b, field, lo, *end, true);
    memset(memory, 0, (size_t)((*end - lo) * d->plane)); /* padding is zero, too */
    TRY(e->ops.move_rows(e, field, outofcore_in_window(b, field, level, TO_STORE), &range,
                         &to, false));
    memset(d->buffer[buffer].written + index_plane(b->o, d, lo), 1, (size_t)(*end - lo));
    return begin_transfer(b->o, d, slot, lo, *end, memory, true);
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

/* All planes of this level are in one slot: the blocks before this one have written all
 * or none. */
static pav_status request_planes(outofcore_block *b, int field, int level,
                                 const box *range, int where)
{
    const int buffer = outofcore_store_buffer(b, field, level, where);
    const int64_t lo = range->lo[b->o->axis];
    int64_t end = range->hi[b->o->axis];
    const int slot = slot_with_planes(b, field, buffer, lo, &end);
    disk_passage *p = &b->o->passage;
    const disk_field *d = &b->o->disk->field[field];
    char *memory = slot >= 0 ? room_for(b->o, &p->in, d, slot, lo, &end) : NULL;
    if (!memory)
        return PAV_OK;
    p->staged[p->staged_count++] = (disk_planes){field, buffer, lo, end, memory};
    return begin_transfer(b->o, d, slot, lo, end, memory, false);
}

/* Methods without shared planes (mm, naive) wait for their planes instead. */
pav_status disk_prefetch(outofcore_block *b)
{
    b->o->passage.staged_count = 0;
    b->o->passage.in.used = 0;
    if (b->visit + 1 >= b->axis.tiles || b->o->requested.again || b->o->requested.single)
        return PAV_OK;
    const outofcore_window next = outofcore_window_of(b->o, b->steps, b->visit + 1);
    return outofcore_each_level(b, b->at.hi, next.hi, TO_DEVICE, false, next.wrapped == 0,
                                request_planes);
}
