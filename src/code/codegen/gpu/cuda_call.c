/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of a stage's kernel: its argument, its blocks and threads, its shared memory, its
 * boxes for the tensor memory accelerator, and the bytes that a call moves. */
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen_private.h"

/* ---- boxes of the tensor memory accelerator ---------------------------------------- */
/* The boxes of a level for the tensor memory accelerator. A region covers exactly the
 * points that a call reads. So a tile may begin before it and end behind it, and gets
 * zeros there that nobody uses. The accelerator copies words without a type, so every bit
 * stays the same. */

enum { UNIT = 16, MOST_WORD = 8 }; /* bytes */

static int word_of(const emit_gpu_tensor_box *s)
{
    return int_least(s->pack * s->size, MOST_WORD);
}

static emit_gpu_tensor_box tensor_box_of(const emit_stage *e, const ring *r)
{
    const schedule *s = e->schedule;
    emit_gpu_tensor_box part = {.slot = r->slot,
                                .planes = e->sweep_plan->axis,
                                .pack = s->thread.size[0],
                                .size = (int)pav_type_size(emit_storage(e, r->slot)),
                                .before = {r->left * s->thread.size[0], r->below, 0},
                                .beyond = {r->right * s->thread.size[0], r->above, 0}};

    part.before[part.planes] = -cuda_planes_read(e, r->slot).first;
    part.beyond[part.planes] = r->last;
    part.box[0] = r->width * s->thread.size[0] * part.size / word_of(&part);
    part.box[1] = r->height;
    part.box[2] = 1;
    return part;
}

void cuda_find_tensor_boxes(const emit_stage *e, emit_gpu_kernel *k)
{
    if (e->schedule->tile.copy != COPY_TMA)
        return;
    k->part = arena_alloc(e->arena, e->sweep_plan->rings + 1, sizeof *k->part);
    for (int64_t n = 0; n < e->sweep_plan->rings; n++)
        k->part[k->parts++] = tensor_box_of(e, &e->sweep_plan->ring[n]);
}

const char *cuda_box_refusal(const emit_gpu_kernel *k)
{
    for (int64_t n = 0; n < k->parts; n++)
        if (k->part[n].box[0] > GPU_TENSOR_BOX || k->part[n].box[1] > GPU_TENSOR_BOX)
            return "the tensor memory accelerator copies at most 256 words of 8 bytes of "
                   "256 rows at once: take fewer threads or rows";
    return NULL;
}

/* ---- of a call --------------------------------------------------------------------- */

/* Rows, or planes along `axis`. */
static void find_others(const emit_gpu_tensor_box *s, const emit_gpu_work *w, int axis,
                        int at, emit_gpu_tensor_region *p)
{
    p->first[at] = w->lo[axis] - s->before[axis];
    p->count[at] = w->hi[axis] + s->beyond[axis] - p->first[at];
}

void emit_gpu_tensor_region_of(const emit_gpu_tensor_box *s, const emit_gpu_work *w,
                               const emit_grid *grid, emit_gpu_tensor_region *p)
{
    const emit_grid *g = &grid[s->slot];
    const int64_t plane = s->planes == 2 ? g->z : g->y;

    *p = (emit_gpu_tensor_region){.count = {0, 1, 1}};

    /* Along x: from the first multiple of 16 bytes to the end of the last vector. */
    const int64_t first = (w->lo[0] & -(int64_t)s->pack) - s->before[0];
    const int64_t end = ((w->hi[0] - 1) & -(int64_t)s->pack) + s->pack + s->beyond[0];

    p->first[0] = first & -(int64_t)(UNIT / s->size);
    p->stride[0] = word_of(s);
    p->count[0] = (end - p->first[0]) * s->size / p->stride[0];

    if (s->planes == 2)
        find_others(s, w, 1, 1, p);
    find_others(s, w, s->planes, 2, p);
    const int64_t begin = p->first[0] + p->first[1] * g->y + p->first[2] * plane;
    p->stride[1] = g->y * s->size;
    p->stride[2] = plane * s->size;
    p->data = (char *)g->data + begin * s->size;
    memcpy(p->box, s->box, sizeof p->box);
}

/* ---- kernels ----------------------------------------------------------------------- */

int64_t cuda_argument_bytes(int64_t bytes, int64_t parts)
{
    const int64_t suits = parts > 0 ? (int64_t) _Alignof(emit_gpu_tensor) : 1;

    return int_rounded(bytes, suits) + parts * (int64_t)sizeof(emit_gpu_tensor);
}

void cuda_kernel_of(arena *a, const ir *code, const ir_stage *stage,
                    const schedule *requested, emit_gpu_kernel *k)
{
    emit_stage e = emit_survey(
        (emit_stage){.code = code, .stage = stage, .arena = a, .schedule = &k->schedule});

    k->schedule = cuda_with_defaults(code, stage, requested);
    *k = (emit_gpu_kernel){.schedule = k->schedule,
                           .reductions = e.reductions,
                           .along = stage->along,
                           .ghosts = cuda_stores_ghosts(code, stage, &k->schedule),
                           .around = cuda_wraps_around(code, stage, &k->schedule),
                           .alike = cuda_may_index(&e)};
    cuda_sweep_shared(&e, k);
    cuda_transform_kernel(code, stage, k);
    /* Moves the lists of the survey to the kernel. */
    k->slot = e.slot;
    k->slots = e.slots;
    k->table = arena_alloc(e.arena, e.code->tables + 1, sizeof *k->table);
    k->uniform = arena_alloc(e.arena, e.code->uniforms + 1, sizeof *k->uniform);
    for (int n = 0; n < (int)e.code->tables; n++)
        if (e.table[n])
            k->table[k->tables++] = n;
    k->uniforms = cuda_order_uniforms(&e, k->uniform, &k->seeds);
    k->real = e.real;
    const int64_t each = (int64_t)pav_type_size(k->real);
    k->number_bytes = int_rounded(k->seeds * 8 + (k->uniforms - k->seeds) * each, 8);
    const schedule_uniforms where = k->schedule.coefficients;
    const int64_t numbers = where == UNIFORMS_ARGUMENT ? k->number_bytes
                            : where == UNIFORMS_CONSTANT || k->uniforms == 0
                                ? 0
                                : (int64_t)sizeof(void *);
    const int64_t bytes = (int64_t)sizeof(emit_gpu_work) +
                          k->slots * (int64_t)sizeof(emit_grid) +
                          k->tables * (int64_t)sizeof(double *) + numbers;
    k->argument_bytes = cuda_argument_bytes(bytes, k->parts);
    k->fixed = (where == UNIFORMS_SHARED ? k->number_bytes : 0) + cuda_line_bytes(&e);
}

static void *copy_of(const void *list, int64_t count, size_t size)
{
    void *copy = mem_new(count + 1, size);

    if (copy && count > 0)
        memcpy(copy, list, (size_t)count * size);
    return copy;
}

static pav_status make_kernel(arena *a, const ir *code, const ir_stage *stage,
                              const schedule *requested, emit_gpu_kernel *k)
{
    emit_gpu_kernel own; /* its lists lie in the arena, even if that fails */

    cuda_kernel_of(a, code, stage, requested, &own);
    *k = own;
    k->slot = copy_of(own.slot, own.slots, sizeof *own.slot);
    k->table = copy_of(own.table, own.tables, sizeof *own.table);
    k->uniform = copy_of(own.uniform, own.uniforms, sizeof *own.uniform);
    k->part = copy_of(own.part, own.parts, sizeof *own.part);
    return k->slot && k->table && k->uniform && k->part ? PAV_OK : PAV_ENOMEM;
}

pav_status emit_gpu_kernel_of(const ir *code, const ir_stage *stage,
                              const schedule *requested, emit_gpu_kernel *k)
{
    pav_status status;

    *k = (emit_gpu_kernel){0};
    IN_ARENA(a, status, make_kernel(a, code, stage, requested, k));
    if (status != PAV_OK)
        emit_gpu_kernel_free(k);
    return status;
}

void emit_gpu_kernel_free(emit_gpu_kernel *k)
{
    MEM_FREE_ALL(k->slot, k->table, k->uniform, k->part);
    *k = (emit_gpu_kernel){0};
}

/* ---- calls ------------------------------------------------------------------------- */

/* The least power of two not below `count`, at most `most`. */
static int power_within(int64_t count, int most)
{
    int power = 1;

    while (power < count && 2 * power <= most)
        power *= 2;
    return power;
}

static int64_t blocks_for(int64_t count, int64_t threads, int64_t most)
{
    return int64_least(int_parts(count, threads), most);
}

static int64_t block_of(int64_t at, int64_t width)
{
    return (at & -width) / width;
}

static int64_t blocks_along_x(const emit_gpu_work *w, int width)
{
    return block_of(w->hi[0] - 1, width) - block_of(w->lo[0], width) + 1;
}

/* Whole rows of a tile: gpu_kernels/point.cuh. */
int cuda_line_threads(const schedule *s)
{
    const int rows = s->tile.size[0] * s->tile.size[1] / EMIT_LINE_TILE;

    return (rows > 1 ? rows : 1) * EMIT_LINE_TILE;
}

/* If a box is narrow along an axis, the spare threads go to the next axis. */
void cuda_extent_point(const ir *code, const schedule *s, const emit_gpu_work *w,
                       int64_t blocks[3], int threads[3])
{
    (void)code;
    const int all = s->tile.size[0] * s->tile.size[1];
    const int64_t ny = w->hi[1] - w->lo[1], nz = w->hi[2] - w->lo[2];

    threads[0] = power_within(w->hi[0] - w->lo[0], s->tile.size[0]);
    threads[1] = power_within(ny, all / threads[0]);
    threads[2] = power_within(nz, all / (threads[0] * threads[1]));
    threads[2] = threads[2] < GPU_BLOCK_Z ? threads[2] : GPU_BLOCK_Z;
    blocks[0] = blocks_along_x(w, threads[0]);
    blocks[1] = blocks_for(ny, threads[1], INT64_MAX);
    blocks[2] = blocks_for(nz, threads[2], INT64_MAX);
    if (blocks[1] > GPU_GRID_YZ || blocks[2] > GPU_GRID_YZ) {
        blocks[0] *= blocks[1] * blocks[2]; /* in one line: gpu_kernels/point.cuh */
        blocks[1] = blocks[2] = 1;
    }
}

void cuda_extent_sweep(const ir *code, const schedule *s, const emit_gpu_work *w,
                       int64_t blocks[3], int threads[3])
{
    const int axis = code->dim - 1;

    threads[0] = s->tile.size[0];
    threads[1] = s->tile.size[1];
    blocks[0] = blocks_along_x(w, threads[0] * s->thread.size[0]);
    blocks[1] = blocks_for(w->hi[1] - w->lo[1], threads[1] * s->thread.size[1],
                           GPU_GRID_YZ);
    blocks[axis] = blocks_for(w->hi[axis] - w->lo[axis], w->planes, GPU_GRID_YZ);
}

void emit_gpu_extent(const ir *code, const emit_gpu_kernel *k, const emit_gpu_work *w,
                     int64_t blocks[3], int threads[3], int64_t *shared)
{
    emit_gpu_work first = *w; /* of each line */
    *shared = w->list ? 0 : k->shared;
    for (int axis = 0; axis < MAX_DIM; axis++)
        blocks[axis] = threads[axis] = 1;
    if (k->along)
        first.hi[abs(k->along) - 1] = first.lo[abs(k->along) - 1] + 1;
    if (k->lines)
        cuda_transform_extent(k, w, blocks, threads);
    else if (w->list) {
        threads[0] = EMIT_LIST_THREADS;
        blocks[0] = blocks_for(w->count, EMIT_LIST_THREADS, INT32_MAX);
    } else if (k->reductions) {
        /* A row of threads is one warp. For shorter rows it is the least block of the
         * tree that contains the row; several rows then share a warp. */
        while (block_of(w->lo[0], threads[0]) != block_of(w->hi[0] - 1, threads[0]) &&
               threads[0] < GPU_WARP)
            threads[0] *= 2;
        threads[1] = EMIT_GPU_COMMON / threads[0];
        blocks[0] = blocks_along_x(w, EMIT_PIECE);
        blocks[1] = blocks_for(w->hi[1] - w->lo[1], threads[1], GPU_GRID_YZ);
        blocks[2] = blocks_for(w->hi[2] - w->lo[2], 1, GPU_GRID_YZ);
    } else if (abs(k->along) == 1) {
        threads[0] = cuda_line_threads(&k->schedule);
        blocks[0] = int_parts(w->hi[1] - w->lo[1], EMIT_LINE_TILE) *
                    (w->hi[2] - w->lo[2]);
    } else {
        cuda_kind_of(k->schedule.kind)
            ->extent(code, &k->schedule, &first, blocks, threads);
    }
}

/* ---- bytes of a call --------------------------------------------------------------- */
/* An upper bound for the traffic of tiles and their halos. A tile is the points of a
 * block in all planes of its sweep. It reads each sector with needed values once,
 * whatever other tiles have read. A GPU's caches keep values from tile to tile and so
 * reduce this traffic, down to each value once. This is the model of Krotkiewski and
 * Dabrowski, "Efficient 3D stencil computations using CUDA", section 4, for any stage and
 * tile. */

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

/* The first plane of a ring. A sweep begins some planes before its first stored plane. */
static int first_of(const tiles *t, const ring *r)
{
    return int_most(r->first - t->e->sweep_plan->warm,
                    cuda_planes_read(t->e, r->slot).first);
}

static void find_spans(tiles *t, int slot)
{
    const emit_stage *e = t->e;
    const ring *r = e->sweep_plan ? cuda_ring_of(e->sweep_plan, slot) : NULL;
    const int64_t shared = r ? (int64_t)(r->last - first_of(t, r) + 1) *
                                   (r->below + r->above + 1)
                             : 0;

    t->size = (int64_t)pav_type_size(emit_storage(e, slot));
    t->transfer = IR_SAME;
    t->kept = 0;
    t->spans = 0;
    t->span = arena_alloc(e->arena, e->stage->count + shared + 1, sizeof *t->span);

    for (int64_t n = 0; n < e->stage->count; n++) {
        const ir_node *node = &e->stage->node[n];
        if (node->op != IR_LOAD || e->place[n] == PLACE_UNUSED ||
            emit_slot_of(e, node->field, node->level) != slot)
            continue;
        t->transfer = node->transfer;
        t->kept = node->kept;
        add_span(t, node->offset[1], node->offset[2], node->offset[0], node->offset[0]);
    }

    /* Whole planes of a block's points with their margins. */
    const sweep_plan *s = e->sweep_plan;
    for (int plane = r ? first_of(t, r) : 0; r && plane <= r->last; plane++)
        for (int y = -r->below; y <= r->above; y++)
            add_span(t, s->axis == 2 ? y : plane, s->axis == 2 ? plane : 0,
                     -r->left * s->lanes, r->right * s->lanes);
}

/* ---- traffic of a tile ------------------------------------------------------------- */

static int64_t place_of(const tiles *t, int axis, int64_t point, int offset)
{
    return ir_index_read(ir_transfer_along(t->transfer, t->kept, axis), point, offset);
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
        low = int64_least(low, from);
        high = int64_most(high, to);
    }
    *rows = high - low + 1;
    return low;
}

/* Adds the traffic of all tiles along x with ny rows in each of nz planes. */
static void add_tile(const tiles *t, int64_t ny, int64_t nz, double count, double *bytes)
{
    int64_t across, down, marked = 0;
    const int64_t y = reach(t, false, ny, &across), z = reach(t, true, nz, &down);
    extent *row = arena_alloc(t->e->arena, across * down, sizeof *row);

    for (int64_t n = 0; n < t->spans; n++)
        for (int64_t k = 0; k < nz; k++)
            for (int64_t j = 0; j < ny; j++)
                widen(&row[(place_of(t, 2, k, t->span[n].z) - z) * across +
                           place_of(t, 1, j, t->span[n].y) - y],
                      &t->span[n].x);
    for (int64_t k = 0; k < across * down; k++)
        marked += row[k].read ? bytes_of_rows(t, &row[k]) : 0;
    *bytes += count * (double)marked;
}

static void add_read(tiles *t, int slot, double *bytes)
{
    find_spans(t, slot);
    for (int y = 0; y < 2; y++)
        for (int z = 0; z < 2; z++)
            if (t->y.count[y] > 0 && t->z.count[z] > 0)
                add_tile(t, t->y.size[y], t->z.size[z],
                         (double)t->y.count[y] * (double)t->z.count[z], bytes);
}

/* ---- all --------------------------------------------------------------------------- */

static void add_all(tiles *t, double *bytes)
{
    const emit_gpu_work *w = t->w;

    for (int slot = 0; slot < t->e->slots; slot++) {
        const int64_t size = (int64_t)pav_type_size(emit_storage(t->e, slot));

        if (t->e->slot[slot].loaded)
            add_read(t, slot, bytes);
        if (t->e->slot[slot].stored)
            *bytes += (double)((w->hi[1] - w->lo[1]) * (w->hi[2] - w->lo[2])) *
                      (double)bytes_between(w->lo[0], w->hi[0] - 1, size);
    }
}

/* The last part has the remaining rows, rounded up to whole `grains`. */
static parts parts_of(const emit_gpu_work *w, int axis, int64_t each, int64_t grain)
{
    const int64_t all = w->hi[axis] - w->lo[axis], left = all % each;

    return (parts){{each, int64_least(int_rounded(left, grain), all)},
                   {all / each, left > 0}};
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

static pav_status footprint(arena *a, const ir *code, const ir_stage *stage,
                            const emit_gpu_kernel *k, const emit_gpu_work *w,
                            double *bytes)
{
    emit_stage e = emit_survey(
        (emit_stage){.code = code, .stage = stage, .arena = a, .schedule = &k->schedule});
    tiles t = {.e = &e, .w = w};
    sweep_plan s;

    if (k->schedule.kind == SCHEDULE_SWEEP)
        cuda_sweep_survey(&e, &s);
    cut(&t, code, k);
    add_all(&t, bytes);
    return PAV_OK;
}

pav_status emit_gpu_footprint(const ir *code, const ir_stage *stage,
                              const emit_gpu_kernel *k, const emit_gpu_work *w,
                              double *bytes)
{
    *bytes = 0;
    RETURN_IN_ARENA(a, footprint(a, code, stage, k, w, bytes));
}
