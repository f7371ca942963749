/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps with shared loads: whole planes of a block's points and the points around them
 * are copied to a ring of planes in shared memory, some planes ahead of their use, and
 * columns are read from there. A new plane replaces the oldest one; one barrier in each
 * plane ensures that no thread still reads it. A slot read only at the points themselves
 * is not shared. */
#include "codegen/codegen_private.h"

enum {
    LEAST_COPY = 4, /* smallest copy in bytes */
    GATE = 8
};

/* ---- finding them ------------------------------------------------------------------ */

bool cuda_is_neighbour(const ir *code, const ir_node *n, const schedule *s)
{
    if (n->op != IR_LOAD ||
        (int)pav_type_size(code->field[n->field].storage) * s->thread.size[0] <
            LEAST_COPY)
        return false;
    for (int axis = 0; axis < code->dim - 1; axis++)
        if (n->offset[axis] != 0)
            return true;
    return false;
}

bool cuda_may_use_shared(const emit_stage *e, int slot)
{
    if (e->schedule->tile.storage != STORAGE_SHARED)
        return false;
    for (int64_t n = 0; n < e->stage->count; n++) {
        const ir_node *node = &e->stage->node[n];
        if (e->place[n] != PLACE_UNUSED &&
            cuda_is_neighbour(e->code, node, e->schedule) &&
            emit_slot_of(e, node->field, node->level) == slot)
            return true;
    }
    return false;
}

const ring *cuda_ring_of(const sweep_plan *s, int slot)
{
    for (int64_t r = 0; r < s->rings; r++)
        if (s->ring[r].slot == slot)
            return &s->ring[r];
    return NULL;
}

static int ring_planes(const emit_stage *e, const ring *r)
{
    return r->last - r->first + 1 + e->schedule->tile.ahead;
}

static int64_t vector_bytes(const emit_stage *e, int slot)
{
    return e->schedule->thread.size[0] * (int64_t)pav_type_size(emit_storage(e, slot));
}

/* ---- width ------------------------------------------------------------------------- */

/* The accelerator's rows begin and end at multiples of `unit` bytes. Unaligned rows would
 * read an extra sector or line. */
static int packs_of_units(const emit_stage *e, const ring *r, int packs, int unit)
{
    return (int)int_rounded(packs, int_most(unit / (int)vector_bytes(e, r->slot), 1));
}

/* A width such that each thread reads one column, if this takes no additional reads. */
static int width_of_remap(const emit_stage *e, const ring *r)
{
    const int threads = e->schedule->tile.size[0] * e->schedule->tile.size[1];
    const int reads = (r->width * r->height + threads - 1) / threads;

    for (int width = r->width; width * r->height <= reads * threads; width++)
        if (threads % width == 0)
            return width;
    return r->width;
}

static void measure(const emit_stage *e, int unit, ring *r)
{
    const schedule *s = e->schedule;

    r->width = r->left + s->tile.size[0] + r->right;
    r->height = r->below + s->tile.size[1] * s->thread.size[1] + r->above;
    if (s->tile.copy == COPY_TMA) {
        r->farther_left = packs_of_units(e, r, r->left, unit) - r->left;
        const int end = r->farther_left + r->width;
        r->farther_right = packs_of_units(e, r, end, unit) - end;
    }
    if (s->tile.copy == COPY_REMAP) {
        const int farther = width_of_remap(e, r) - r->width;

        r->farther_left = farther / 2;
        r->farther_right = farther - r->farther_left;
    }
    r->width += r->farther_left + r->farther_right;
    const int64_t plane = r->width * r->height * vector_bytes(e, r->slot);
    r->bytes = int_rounded(plane, GPU_LINE) * ring_planes(e, r);
}

static int64_t rings_end(const sweep_plan *s)
{
    const ring *last = s->rings > 0 ? &s->ring[s->rings - 1] : NULL;

    return last ? last->at + last->bytes : 0;
}

static ring ring_for(const emit_stage *e, const sweep_plan *s, int slot, int unit)
{
    ring r = {.slot = slot, .first = MAX_OFFSET, .last = -MAX_OFFSET};

    for (int64_t c = 0; c < s->columns; c++)
        if (s->column[c].slot == slot) {
            r.first = int_least(r.first, s->column[c].kept ? s->column[c].last
                                                           : s->column[c].first);
            r.last = int_most(r.last, s->column[c].last);
            r.left = int_most(r.left, -s->column[c].block);
            r.right = int_most(r.right, s->column[c].block);
            r.below = int_most(r.below, -s->column[c].y);
            r.above = int_most(r.above, s->column[c].y - (s->rows - 1));
        }
    r.at = rings_end(s);
    measure(e, unit, &r);
    return r;
}

/* Gates for the accelerator's copies lie behind the last ring: gpu_kernels/ring.cuh. */
int64_t cuda_ring_bytes(const emit_stage *e, const sweep_plan *s)
{
    const bool gates = s->rings > 0 && e->schedule->tile.copy == COPY_TMA;

    return rings_end(s) + (gates ? 2 * GATE * (e->schedule->tile.ahead + 1) : 0);
}

static void place_rings(const emit_stage *e, sweep_plan *s, int unit)
{
    s->rings = 0;
    for (int slot = 0; slot < e->slots; slot++)
        if (cuda_may_use_shared(e, slot)) {
            const ring r = ring_for(e, s, slot, unit);
            s->ring[s->rings++] = r;
        }
}

/* Aligns rows to whole lines if a block has a multiprocessor for itself and the memory
 * suffices; else to sectors. */
void cuda_find_rings(const emit_stage *e, sweep_plan *s)
{
    int unit = e->schedule->blocks == 1 ? GPU_LINE : GPU_SECTOR;

    s->ring = arena_alloc(e->arena, e->slots + 1, sizeof *s->ring);
    place_rings(e, s, unit);
    for (; unit > GPU_SECTOR && cuda_ring_bytes(e, s) > gpu_shared_most(); unit /= 2)
        place_rings(e, s, unit / 2);
}

/* ---- as text ----------------------------------------------------------------------- */

/* "in_f0_u" */
static const char *ring_name(const emit_stage *e, const ring *r)
{
    return arena_print(e->arena, "in_%s", emit_slot_name(e, r->slot));
}

void cuda_block_shape(const emit_stage *e)
{
    const schedule *s = e->schedule;

    text_add(e->t,
             "    enum { THREADS_X = %d, THREADS_Y = %d, OWN_ROWS = %d };\n"
             "    typedef block_shape<THREADS_X, THREADS_Y, OWN_ROWS> threads;\n",
             s->tile.size[0], s->tile.size[1], s->thread.size[1]);
}

/* "vector_in(in_f0_u, 1, 0, 0)" */
const char *cuda_ring_load(const emit_stage *e, const column *c, int z)
{
    const char *name = ring_name(e, cuda_ring_of(e->sweep_plan, c->slot));

    return c->single >= 0 ? arena_print(e->arena, "point_in(%s, %d, %d, %d)", name, z,
                                        c->y, c->block * e->sweep_plan->lanes + c->single)
                          : arena_print(e->arena, "vector_in(%s, %d, %d, %d)", name, z,
                                        c->y, c->block);
}

/* ---- filling ----------------------------------------------------------------------- */
/* Rings of a block are filled by asynchronous copies of its threads,
 * through their registers, or by the tensor memory accelerator. Each kind of copy has a
 * file of device code, and four parts in a sweep:
 *
 *     before      waits until the previous sweep has read all; opens the ring
 *     first       copies the planes for the first step, and the planes of the next
 *                 steps up to the copy distance
 *     step        waits for the planes of this step; starts the next copies
 *     after       runs after the last step */

typedef struct copy_method {
    const char *type;
    void (*before)(const emit_stage *e);
    void (*first)(const emit_stage *e);
    void (*step)(const emit_stage *e);
    const char *after;
} copy_method;

/* ---- common parts ------------------------------------------------------------------ */

/* Prints the number of the plane at offset `z` from plane `index`: "k + 6". If this plane
 * may lie outside of the planes read by the stage, the number is clamped to them:
 * "greater(k + 6, from + (-1))". Warm-up loads may lie before the first of these planes,
 * loads for results after the last result beyond the last one. */
static const char *print_plane(const emit_stage *e, const ring *r, const char *index,
                               const char *z)
{
    const cuda_planes read = cuda_planes_read(e, r->slot);
    const char *number = arena_print(e->arena, "%s + %s", index, z);

    if (e->sweep_plan->warm > 0)
        number = arena_print(e->arena, "greater(%s, from + (%d))", number, read.first);
    return r->last > read.last
               ? arena_print(e->arena, "lesser(%s, to - 1 + (%d))", number, read.last)
               : number;
}

/* "a.g0.z" */
static const char *plane_stride(const emit_stage *e, const ring *r)
{
    return arena_print(e->arena, "a.g%d.%c", r->slot, cuda_plane_stride(e->sweep_plan));
}

/* Prints the copy of plane `z` of step `index` to one ring. gate: where the accelerator's
 * copy arrives; NULL: threads copy. */
typedef void copy_text(const emit_stage *e, const ring *r, const char *gate,
                       const char *index, const char *z);

/* "copy_plane(in_f0_u, 6, k + 6, a.g0.z);" */
static void copy_plane(const emit_stage *e, const ring *r, const char *gate,
                       const char *index, const char *z)
{
    const char *number = print_plane(e, r, index, z);

    if (gate)
        text_add(e->t, "copy_plane(%s, %s, %s, %s);\n", ring_name(e, r), gate, z, number);
    else
        text_add(e->t, "copy_plane(%s, %s, %s, %s);\n", ring_name(e, r), z, number,
                 plane_stride(e, r));
}

/* Copies the farthest plane of each ring, and `ahead` planes more: "6", or "n + 6". */
static void add_copies(const emit_stage *e, copy_text *copy, const char *gate,
                       const char *indent, const char *index, const char *before,
                       int ahead)
{
    for (int64_t n = 0; n < e->sweep_plan->rings; n++) {
        const ring *r = &e->sweep_plan->ring[n];

        text_add(e->t, "%s", indent);
        copy(e, r, gate, index, arena_print(e->arena, "%s%d", before, r->last + ahead));
    }
}

/* Copies all planes for the first step. */
static void add_first_copies(const emit_stage *e, const char *gate, const char *indent)
{
    for (int64_t n = 0; n < e->sweep_plan->rings; n++) {
        const ring *r = &e->sweep_plan->ring[n];
        text_add(e->t, "%sfor (int z = %d; z <= %d; z++)\n%s    ", indent, r->first,
                 r->last, indent);
        copy_plane(e, r, gate, "from - WARM", "z");
    }
}

static void wait_for_sweep(const emit_stage *e)
{
    text_add(
        e->t,
        "    __syncthreads(); /* all planes of the previous sweep have been read */\n");
}

/* ---- asynchronous copies ----------------------------------------------------------- */

static void first_async(const emit_stage *e)
{
    add_first_copies(e, NULL, "    ");
    text_add(e->t, "    kernel_copy_commit();\n"
                   "    for (int n = 1; n < AHEAD; n++) {\n"
                   "        if (from - WARM + n < to) {\n");
    add_copies(e, copy_plane, NULL, "            ", "from - WARM", "n + ", 0);
    text_add(e->t, "        }\n        kernel_copy_commit();\n    }\n");
}

static void step_async(const emit_stage *e)
{
    const char *index = cuda_plane_index(e->sweep_plan);

    text_add(e->t,
             "        kernel_copy_wait<AHEAD - 1>();\n"
             "        __syncthreads();\n"
             "        if (%s + AHEAD < to) {\n",
             index);
    add_copies(e, copy_plane, NULL, "            ", index, "", e->schedule->tile.ahead);
    text_add(e->t, "        }\n        kernel_copy_commit();\n");
}

/* ---- registers --------------------------------------------------------------------- */

/* "read_plane(in_f0_u, k + 2, a.g0.z);" */
static void read_plane(const emit_stage *e, const ring *r, const char *gate,
                       const char *index, const char *z)
{
    (void)gate;
    text_add(e->t, "read_plane(%s, %s, %s);\n", ring_name(e, r),
             print_plane(e, r, index, z), plane_stride(e, r));
}

static void keep_plane(const emit_stage *e, const ring *r, const char *gate,
                       const char *index, const char *z)
{
    (void)gate;
    (void)index;
    text_add(e->t, "keep_plane(%s, %s);\n", ring_name(e, r), z);
}

/* The last plane stays in registers until the first step. */
static void first_remap(const emit_stage *e)
{
    for (int64_t n = 0; n < e->sweep_plan->rings; n++) {
        const ring *r = &e->sweep_plan->ring[n];
        text_add(e->t, "    for (int z = %d; z < %d; z++) {\n        ", r->first,
                 r->last);
        read_plane(e, r, NULL, "from - WARM", "z");
        text_add(e->t, "        ");
        keep_plane(e, r, NULL, "", "z");
        text_add(e->t, "    }\n");
    }
    add_copies(e, read_plane, NULL, "    ", "from - WARM", "", 0);
}

static void step_remap(const emit_stage *e)
{
    const char *index = cuda_plane_index(e->sweep_plan);

    add_copies(e, keep_plane, NULL, "        ", index, "", 0);
    text_add(e->t,
             "        __syncthreads();\n"
             "        if (%s + AHEAD < to) {\n",
             index);
    add_copies(e, read_plane, NULL, "            ", index, "", 1);
    text_add(e->t, "        }\n");
}

/* ---- the tensor memory accelerator ------------------------------------------------- */

static void open_gates(const emit_stage *e)
{
    text_add(e->t, "    gates<threads, AHEAD> gate;\n    open_gates(gate, %lld);\n",
             (long long)rings_end(e->sweep_plan));
}

static void first_tensor(const emit_stage *e)
{
    text_add(e->t, "    if (copies_planes()) {\n");
    add_first_copies(e, "gate.there", "        ");
    text_add(e->t, "        kernel_mbarrier_arrive(gate.there);\n"
                   "        for (int n = 1; n < AHEAD && from - WARM + n < to; n++) {\n");
    add_copies(e, copy_plane, "gate.there + n", "            ", "from - WARM", "n + ", 0);
    text_add(e->t, "            kernel_mbarrier_arrive(gate.there + n);\n"
                   "        }\n    }\n");
}

static void step_tensor(const emit_stage *e)
{
    const char *index = cuda_plane_index(e->sweep_plan);

    text_add(e->t,
             "        come(gate);\n"
             "        if (copies_planes() && %s + AHEAD < to) {\n"
             "            wait_for_all(gate);\n",
             index);
    add_copies(e, copy_plane, "gate.asked()", "            ", index, "",
               e->schedule->tile.ahead);
    text_add(e->t, "            kernel_mbarrier_arrive(gate.asked());\n"
                   "        }\n"
                   "        wait_for_planes(gate);\n");
}

/* ---- kinds of copies --------------------------------------------------------------- */

static const copy_method copy_methods[] = {
    [COPY_ASYNC] = {"async_ring", wait_for_sweep, first_async, step_async, ""},
    [COPY_REMAP] = {"remap_ring", wait_for_sweep, first_remap, step_remap, ""},
    [COPY_TMA] = {"tensor_ring", open_gates, first_tensor, step_tensor,
                  "    close_gates(gate);\n"},
    [COPY_SPLIT] = {"split_ring", wait_for_sweep, first_async, step_async, ""},
};

void cuda_open_rings(const emit_stage *e)
{
    const copy_method *f = &copy_methods[e->schedule->tile.copy];

    cuda_block_shape(e);
    text_add(e->t, e->sweep_plan->axis == 2 ? "    const int64_t i = b.i, j = b.j;\n"
                                            : "    const int64_t i = b.i;\n");
    f->before(e);

    for (int64_t n = 0; n < e->sweep_plan->rings; n++) {
        const ring *r = &e->sweep_plan->ring[n];
        const char *name = ring_name(e, r);
        const char *from = e->schedule->tile.copy == COPY_TMA
                               ? arena_print(e->arena, "a.m%lld", (long long)n)
                               : arena_print(e->arena, "a.w, a.g%d", r->slot);

        text_add(e->t,
                 "    struct %s_shape {\n"
                 "        typedef %s value;\n        typedef threads block;\n"
                 "        enum { VECTOR = %d, FIRST = %d, PLANES = %d };\n"
                 "        enum { LEFT = %d, RIGHT = %d, BELOW = %d, ABOVE = %d };\n"
                 "        enum { FARTHER_LEFT = %d, FARTHER_RIGHT = %d };\n    };\n"
                 "    %s<%s_shape> %s;\n    open_ring(%s, %lld, %s, b);\n",
                 name, emit_c_type(emit_storage(e, r->slot)), e->sweep_plan->lanes,
                 r->first, ring_planes(e, r), r->left, r->right, r->below, r->above,
                 r->farther_left, r->farther_right, f->type, name, name, name,
                 (long long)r->at, from);
    }

    f->first(e);
}

void cuda_rotate_rings(const emit_stage *e)
{
    copy_methods[e->schedule->tile.copy].step(e);
}

void cuda_close_rings(const emit_stage *e)
{
    text_add(e->t, "%s", copy_methods[e->schedule->tile.copy].after);
}

/* ", turn(in_f0_u), turn(gate)" */
const char *cuda_release_rings(const emit_stage *e)
{
    const sweep_plan *s = e->sweep_plan;
    const char *turns = "";

    for (int64_t r = 0; r < s->rings; r++)
        turns = arena_print(e->arena, "%s, turn(%s)", turns, ring_name(e, &s->ring[r]));
    return e->schedule->tile.copy == COPY_TMA && s->rings > 0
               ? arena_print(e->arena, "%s, turn(gate)", turns)
               : turns;
}
