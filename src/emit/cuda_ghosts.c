/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks that store ghosts, too: where all that a stage stores has borders that are copies of points, the thread that has
 * a point stores its images beyond the faces (kernel_ghosts.cuh). Of a grid with 512 points along each axis a kernel for
 * the borders alone took a tenth of the time of a step, since it reads and writes a sector of 32 bytes
 * for each point of a face along x. */
#include "emit/emit_private.h"

enum { MOST_LANES = 8 /* that have bits in row_ends */ };

/* A copy of one point each; odd borders change points as well, and a clamped one may have many ghosts. */
static bool is_image(const ir_border *b)
{
    return b->stage < 0 && (b->kind == BORDER_NEUMANN || b->kind == BORDER_PERIODIC ||
                            b->kind == BORDER_MIRROR);
}

static bool has_images(const ir *code, const ir_output *o)
{
    for (int axis = 0; o->kind == IR_STORE && axis < code->dim; axis++)
        for (int side = 0; side < 2; side++)
            if (!is_image(&code->field[o->field].border[axis][side]))
                return false;
    return o->kind == IR_STORE;
}

bool cuda_stores_ghosts(const ir *code, const ir_stage *stage, const emit_gpu_schedule *s)
{
    bool all = s->form == EMIT_GPU_STREAM && !s->apart && s->vector <= MOST_LANES &&
               stage->outputs > 0 && cuda_is_listed(code, stage);

    for (int64_t o = 0; o < stage->outputs; o++)
        all = all && has_images(code, &stage->output[o]);
    return all;
}

static bool stores_ghosts(const emit_stage *e)
{
    return cuda_stores_ghosts(e->code, e->stage, e->schedule);
}

static const char *row_of(const emit_stage *e)
{
    return e->stream->axis == 2 ? "j" : "0";
}

void cuda_note_images(const emit_stage *e)
{
    if (stores_ghosts(e))
        text_add(e->t, "    note_images<%d, %d, %d>(ends, a.w, i, %s);\n",
                 e->stream->axis, e->stream->lanes, e->stream->rows, row_of(e));
}

/* "store_in_plane<2>(at_f0_u_new + 1 * a.g1.y, r1_1, false, i, j + 1, ends, a.g1, a.w);" */
static void add_in_plane(const emit_stage *e, int slot)
{
    text_add(e->t, "            store_in_plane<%d>(at_", e->stream->axis);
    emit_slot_name(e, slot, e->t);
    if (e->shift > 0)
        text_add(e->t, " + %d * a.g%d.y", e->shift, slot);
    text_add(e->t, ", r%d_%d, false, i, %s + %d, ends, a.g%d, a.w);\n", slot, e->shift,
             row_of(e), e->shift, slot);
}

static int stored(const emit_stage *e, int64_t output)
{
    return emit_slot_of(e, e->stage->output[output].field,
                        e->stage->output[output].level);
}

void cuda_store_in_plane(emit_stage *e)
{
    if (!stores_ghosts(e))
        return;
    text_add(e->t, "        if (has_noted(ends)) {\n");
    for (; e->shift < e->stream->rows; e->shift++)
        for (int64_t k = 0; k < e->stage->outputs; k++)
            add_in_plane(e, stored(e, k));
    e->shift = 0;
    text_add(e->t, "        }\n");
}

void cuda_store_faces(const emit_stage *e)
{
    const stream *s = e->stream;

    for (int64_t k = 0; k < e->stage->outputs && stores_ghosts(e); k++) {
        const int slot = stored(e, k);
        text_add(e->t,
                 "    store_faces<%d, %d, %d>((%s *)a.g%d.data, i, %s, from, to, ends, "
                 "a.g%d, a.w);\n",
                 s->axis, s->lanes, s->rows, emit_c_type(emit_storage(e, slot)), slot,
                 row_of(e), slot);
    }
}
