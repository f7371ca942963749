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

bool cuda_may_use_shared(const emit_stage *e, int slot)
{
    const int axes = e->code->dim - 1;
    const int64_t size = (int64_t)pav_type_size(emit_storage(e, slot));
    bool reaches = false;

    for (int64_t n = 0; n < e->stage->count; n++) {
        const ir_node *node = &e->stage->node[n];
        if (node->op != IR_LOAD || e->place[n] == PLACE_UNUSED ||
            emit_slot_of(e, node->field, node->level) != slot)
            continue;
        for (int axis = 0; axis < axes; axis++)
            reaches = reaches || node->offset[axis] != 0;
    }
    return e->schedule->tile.storage == STORAGE_SHARED && reaches &&
           size * e->schedule->thread.size[0] >= LEAST_COPY;
}

const ring *cuda_ring_of(const sweep_plan *s, int slot)
{
    for (int64_t r = 0; r < s->rings; r++)
        if (s->ring[r].slot == slot)
            return &s->ring[r];
    return NULL;
}

static void take_column(const sweep_plan *s, const column *c, ring *r)
{
    r->first = int_least(r->first, c->kept ? c->last : c->first);
    r->last = int_most(r->last, c->last);
    r->left = int_most(r->left, -c->block);
    r->right = int_most(r->right, c->block);
    r->below = int_most(r->below, -c->y);
    r->above = int_most(r->above, c->y - (s->rows - 1));
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
    const int suits = int_most(unit / (int)vector_bytes(e, r->slot), 1);

    return (packs + suits - 1) / suits * suits;
}

static void widen_for_tensors(const emit_stage *e, ring *r, int unit)
{
    const int end = r->left + e->schedule->tile.size[0] + r->right;

    r->farther_left = packs_of_units(e, r, r->left, unit) - r->left;
    r->farther_right = packs_of_units(e, r, r->farther_left + end, unit) -
                       (r->farther_left + end);
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

static void widen_for_remap(const emit_stage *e, ring *r)
{
    const int farther = width_of_remap(e, r) - r->width;

    r->farther_left = farther / 2;
    r->farther_right = farther - r->farther_left;
}

static void measure(const emit_stage *e, int unit, ring *r)
{
    const schedule *s = e->schedule;

    r->width = r->left + s->tile.size[0] + r->right;
    r->height = r->below + s->tile.size[1] * s->thread.size[1] + r->above;
    if (s->tile.copy == COPY_TMA)
        widen_for_tensors(e, r, unit);
    if (s->tile.copy == COPY_REMAP)
        widen_for_remap(e, r);
    r->width += r->farther_left + r->farther_right;
    const int64_t plane = r->width * r->height * vector_bytes(e, r->slot);
    r->bytes = (plane + GPU_LINE - 1) / GPU_LINE * GPU_LINE * ring_planes(e, r);
}

static ring ring_for(const emit_stage *e, const sweep_plan *s, int slot, int unit)
{
    ring r = {.slot = slot, .first = MAX_OFFSET, .last = -MAX_OFFSET};

    for (int64_t c = 0; c < s->columns; c++)
        if (s->column[c].slot == slot)
            take_column(s, &s->column[c], &r);
    r.at = cuda_rings_end(s);
    measure(e, unit, &r);
    return r;
}

int64_t cuda_rings_end(const sweep_plan *s)
{
    const ring *last = s->rings > 0 ? &s->ring[s->rings - 1] : NULL;

    return last ? last->at + last->bytes : 0;
}

/* Gates for the accelerator's copies lie behind the last ring: kernel_ring_tensor.cuh. */
int64_t cuda_ring_bytes(const emit_stage *e, const sweep_plan *s)
{
    const bool gates = s->rings > 0 && e->schedule->tile.copy == COPY_TMA;

    return cuda_rings_end(s) + (gates ? 2 * GATE * (e->schedule->tile.ahead + 1) : 0);
}

static void add_rings(const emit_stage *e, sweep_plan *s, int unit)
{
    s->rings = 0;
    for (int slot = 0; slot < e->slots; slot++)
        if (cuda_may_use_shared(e, slot)) {
            s->ring[s->rings] = ring_for(e, s, slot, unit);
            s->rings++;
        }
}

/* Aligns rows to whole lines if a block has a multiprocessor for itself and the memory
 * suffices; else to sectors. */
pav_status cuda_find_rings(const emit_stage *e, sweep_plan *s)
{
    s->ring = mem_new(e->slots + 1, sizeof *s->ring);
    if (!s->ring)
        return PAV_ENOMEM;
    int unit = e->schedule->blocks == 1 ? GPU_LINE : GPU_SECTOR;
    add_rings(e, s, unit);
    for (; unit > GPU_SECTOR && cuda_ring_bytes(e, s) > gpu_shared_most(); unit /= 2)
        add_rings(e, s, unit / 2);
    return PAV_OK;
}

/* ---- as text ----------------------------------------------------------------------- */

void cuda_ring_name(const emit_stage *e, const ring *r, text *t)
{
    text_add(t, "in_");
    emit_slot_name(e, r->slot, t);
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
void cuda_ring_load(const emit_stage *e, const column *c, int z, text *t)
{
    const bool single = c->single >= 0;

    text_add(t, single ? "point_in(" : "vector_in(");
    cuda_ring_name(e, cuda_ring_of(e->sweep_plan, c->slot), t);
    text_add(t, ", %d, %d, %d)", z, c->y,
             single ? c->block * e->sweep_plan->lanes + c->single : c->block);
}

/* "struct in_f0_u_shape {...};" */
void cuda_ring_shape(const emit_stage *e, const ring *r)
{
    text_add(e->t, "    struct ");
    cuda_ring_name(e, r, e->t);
    text_add(e->t,
             "_shape {\n        typedef %s value;\n        typedef threads block;\n"
             "        enum { VECTOR = %d, FIRST = %d, PLANES = %d };\n"
             "        enum { LEFT = %d, RIGHT = %d, BELOW = %d, ABOVE = %d };\n"
             "        enum { FARTHER_LEFT = %d, FARTHER_RIGHT = %d };\n    };\n",
             emit_c_type(emit_storage(e, r->slot)), e->sweep_plan->lanes, r->first,
             ring_planes(e, r), r->left, r->right, r->below, r->above, r->farther_left,
             r->farther_right);
}
