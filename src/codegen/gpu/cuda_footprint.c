/* SPDX-License-Identifier: BSD-3-Clause */
/* An upper bound for the traffic of tiles and their halos. A tile is the points of a
 * block in all planes of its sweep. It reads each sector with needed values once,
 * whatever other tiles have read. A GPU's caches keep values from tile to tile and so
 * reduce this traffic, down to each value once. This is the model of Krotkiewski and
 * Dabrowski, "Efficient 3D stencil computations using CUDA", section 4, for any stage and
 * tile. */
#include "codegen/codegen_private.h"

/* Loaded points along x of one row: from `first` after a tile's first point to `last`
 * after its last. */
typedef struct extent {
    bool read;
    int first, last;
} extent;

/* Loaded rows at offset y, z from the rows of a tile. */
typedef struct span {
    int y, z;
    extent x;
} span;

/* An axis in parts: count[0] parts of size[0], and count[1], 0 or 1, of size[1]. */
typedef struct parts {
    int64_t size[2], count[2];
} parts;

typedef struct tiles {
    const emit_stage *e;
    const emit_gpu_work *w;
    int64_t width; /* along x; tiles begin at multiples of it */
    parts y, z;
    /* of the slot being counted */
    int64_t size; /* bytes of a value */
    ir_transfer transfer;
    unsigned kept;
    span *span;
    int64_t spans;
} tiles;

/* ---- loads of a slot --------------------------------------------------------------- */

static void widen(extent *x, const extent *more)
{
    x->first = x->read && x->first < more->first ? x->first : more->first;
    x->last = x->read && x->last > more->last ? x->last : more->last;
    x->read = true;
}

static void add_span(tiles *t, int y, int z, int first, int last)
{
    const extent x = {true, first, last};

    for (int64_t k = 0; k < t->spans; k++)
        if (t->span[k].y == y && t->span[k].z == z) {
            widen(&t->span[k].x, &x);
            return;
        }
    t->span[t->spans++] = (span){y, z, x};
}

static void add_loads(tiles *t, int slot)
{
    for (int64_t n = 0; n < t->e->stage->count; n++) {
        const ir_node *node = &t->e->stage->node[n];
        if (node->op != IR_LOAD || t->e->place[n] == PLACE_UNUSED ||
            emit_slot_of(t->e, node->field, node->level) != slot)
            continue;
        t->transfer = node->transfer;
        t->kept = node->kept;
        add_span(t, node->offset[1], node->offset[2], node->offset[0], node->offset[0]);
    }
}

/* The first plane of a ring. A sweep begins some planes before its first stored plane. */
static int first_of(const tiles *t, const ring *r)
{
    const int first = r->first - t->e->sweep_plan->warm;
    const int least = cuda_planes_read(t->e, r->slot).first;

    return first > least ? first : least;
}

/* Whole planes of a block's points with their margins. */
static void add_ring(tiles *t, const ring *r)
{
    const sweep_plan *s = t->e->sweep_plan;

    for (int plane = first_of(t, r); plane <= r->last; plane++)
        for (int y = -r->below; y <= r->above; y++)
            add_span(t, s->axis == 2 ? y : plane, s->axis == 2 ? plane : 0,
                     -r->left * s->lanes, r->right * s->lanes);
}

static pav_status find_spans(tiles *t, int slot)
{
    const ring *r = t->e->sweep_plan ? cuda_ring_of(t->e->sweep_plan, slot) : NULL;
    const int64_t shared = r ? (int64_t)(r->last - first_of(t, r) + 1) *
                                   (r->below + r->above + 1)
                             : 0;

    t->size = (int64_t)pav_type_size(emit_storage(t->e, slot));
    t->transfer = IR_SAME;
    t->kept = 0;
    t->spans = 0;
    t->span = mem_new(t->e->stage->count + shared + 1, sizeof *t->span);
    if (!t->span)
        return PAV_ENOMEM;
    add_loads(t, slot);
    if (r)
        add_ring(t, r);
    return PAV_OK;
}

/* ---- traffic of a tile ------------------------------------------------------------- */

static int64_t place_of(const tiles *t, int axis, int64_t point, int offset)
{
    const ir_transfer along = ir_transfer_along(t->transfer, t->kept, axis);

    return along == IR_TO_FINE     ? 2 * point + offset
           : along == IR_TO_COARSE ? (point + offset) >> 1
                                   : point + offset;
}

/* Bytes of whole sectors from one value of a row to another. */
static int64_t bytes_between(int64_t first, int64_t last, int64_t size)
{
    const int64_t sector = GPU_SECTOR;

    return ((last * size) & -sector) - ((first * size) & -sector) + sector;
}

/* Bytes of a row, for all tiles along x. */
static int64_t bytes_of_rows(const tiles *t, const extent *x)
{
    const int64_t lo = t->w->lo[0], hi = t->w->hi[0];
    int64_t bytes = 0;

    for (int64_t begin = lo & -t->width; begin < hi; begin += t->width) {
        const int64_t first = begin > lo ? begin : lo;
        const int64_t last = (begin + t->width < hi ? begin + t->width : hi) - 1;
        bytes += bytes_between(place_of(t, 0, first, x->first),
                               place_of(t, 0, last, x->last), t->size);
    }
    return bytes;
}

/* The first row along an axis that `count` rows of a tile read, and the number of rows
 * from there to the last. */
static int64_t reach(const tiles *t, bool along_z, int64_t count, int64_t *rows)
{
    int64_t low = INT64_MAX, high = INT64_MIN;

    for (int64_t k = 0; k < t->spans; k++) {
        const int offset = along_z ? t->span[k].z : t->span[k].y;
        const int axis = along_z ? 2 : 1;
        const int64_t from = place_of(t, axis, 0, offset),
                      to = place_of(t, axis, count - 1, offset);
        low = from < low ? from : low;
        high = to > high ? to : high;
    }
    *rows = high - low + 1;
    return low;
}

static int64_t bytes_marked(const tiles *t, const extent *row, int64_t rows)
{
    int64_t bytes = 0;

    for (int64_t k = 0; k < rows; k++)
        if (row[k].read)
            bytes += bytes_of_rows(t, &row[k]);
    return bytes;
}

/* Adds the traffic of all tiles along x with ny rows in each of nz planes. */
static pav_status add_tile(const tiles *t, int64_t ny, int64_t nz, double count,
                           double *bytes)
{
    int64_t across, down;
    const int64_t y = reach(t, false, ny, &across), z = reach(t, true, nz, &down);
    extent *row = mem_new(across * down, sizeof *row);

    if (!row)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < t->spans; n++)
        for (int64_t k = 0; k < nz; k++)
            for (int64_t j = 0; j < ny; j++)
                widen(&row[(place_of(t, 2, k, t->span[n].z) - z) * across +
                           place_of(t, 1, j, t->span[n].y) - y],
                      &t->span[n].x);
    *bytes += count * (double)bytes_marked(t, row, across * down);
    mem_free(row);
    return PAV_OK;
}

static pav_status add_read(tiles *t, int slot, double *bytes)
{
    pav_status status = find_spans(t, slot);

    for (int y = 0; y < 2; y++)
        for (int z = 0; z < 2 && status == PAV_OK; z++)
            if (t->y.count[y] > 0 && t->z.count[z] > 0)
                status = add_tile(t, t->y.size[y], t->z.size[z],
                                  (double)t->y.count[y] * (double)t->z.count[z], bytes);
    mem_free(t->span);
    return status;
}

/* ---- all --------------------------------------------------------------------------- */

static void add_stored(const tiles *t, int slot, double *bytes)
{
    const emit_gpu_work *w = t->w;
    const int64_t size = (int64_t)pav_type_size(emit_storage(t->e, slot));

    *bytes += (double)((w->hi[1] - w->lo[1]) * (w->hi[2] - w->lo[2])) *
              (double)bytes_between(w->lo[0], w->hi[0] - 1, size);
}

static pav_status add_all(tiles *t, double *bytes)
{
    pav_status status = PAV_OK;

    for (int slot = 0; slot < t->e->slots && status == PAV_OK; slot++) {
        if (t->e->slot[slot].loaded)
            status = add_read(t, slot, bytes);
        if (t->e->slot[slot].stored)
            add_stored(t, slot, bytes);
    }
    return status;
}

/* The last part has the remaining rows, rounded up to whole `grains`. */
static parts parts_of(const emit_gpu_work *w, int axis, int64_t each, int64_t grain)
{
    const int64_t all = w->hi[axis] - w->lo[axis];
    const int64_t left = all % each, whole = (left + grain - 1) / grain * grain;

    return (parts){{each, whole < all ? whole : all}, {all / each, left > 0}};
}

/* At the end of the box, a thread's rows move back to stay inside it. With shared planes,
 * the whole block moves back. */
static void cut(tiles *t, const ir *code, const emit_gpu_kernel *k)
{
    const schedule *s = &k->schedule;
    const bool streams = s->kind == SCHEDULE_SWEEP, deep = code->dim == 3;
    const int64_t rows = (int64_t)s->tile.size[1] * s->thread.size[1];
    int64_t blocks[3], shared;
    int threads[3];

    emit_gpu_extent(code, k, t->w, blocks, threads, &shared);
    t->width = k->reductions ? EMIT_PIECE
                             : threads[0] * (streams ? s->thread.size[0] : 1);
    t->y = !streams ? parts_of(t->w, 1, threads[1], 1)
           : deep   ? parts_of(t->w, 1, rows, shared > 0 ? rows : s->thread.size[1])
                    : parts_of(t->w, 1, t->w->planes, 1);
    t->z = parts_of(t->w, 2, streams && deep ? t->w->planes : threads[2], 1);
}

pav_status emit_gpu_footprint(const ir *code, const ir_stage *stage,
                              const emit_gpu_kernel *k, const emit_gpu_work *w,
                              double *bytes)
{
    const bool streams = k->schedule.kind == SCHEDULE_SWEEP;
    emit_stage e;
    sweep_plan s = {0};

    *bytes = 0;
    TRY(emit_survey(code, stage, &e));
    e.schedule = &k->schedule;
    pav_status status = streams ? cuda_sweep_survey(&e, &s) : PAV_OK;
    tiles t = {.e = &e, .w = w};
    cut(&t, code, k);
    if (status == PAV_OK)
        status = add_all(&t, bytes);
    cuda_sweep_close(&s);
    emit_survey_close(&e);
    return status;
}
