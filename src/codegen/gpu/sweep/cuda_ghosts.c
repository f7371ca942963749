/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps that also store ghosts. If all borders of the stored fields are copies of
 * points, the thread of a point stores its images beyond the faces (kernel_ghosts.cuh).
 * With 512 points along each axis, a separate kernel for borders took a tenth of a step's
 * time: it reads and writes a sector of 32 bytes for each point of a face along x. For
 * many fields the text would be longer than the sweep itself and take its registers. */
#include "codegen/codegen_private.h"

enum { MOST_STORED = 8 /* fields */ };

/* True if each ghost copies a point bit for bit. Clamped borders are excluded: a point
 * may have many ghosts there. */
static bool is_image(const ir_border *b)
{
    const border_rule *r = &border_rules[b->kind];

    return b->stage < 0 && r->copies && !(r->map & (GHOST_CLAMPS | GHOST_NEGATIVE));
}

static bool has_images(const ir *code, const ir_output *o)
{
    for (int axis = 0; o->kind == IR_STORE && axis < code->dim; axis++)
        for (int side = 0; side < 2; side++)
            if (!is_image(&code->field[o->field].border[axis][side]))
                return false;
    return o->kind == IR_STORE;
}

bool cuda_stores_ghosts(const ir *code, const ir_stage *stage, const schedule *s)
{
    bool all = s->kind == SCHEDULE_SWEEP && s->ghosts == GHOSTS_FUSED &&
               stage->outputs > 0 && stage->outputs <= MOST_STORED &&
               cuda_is_called(code, stage);

    for (int64_t o = 0; o < stage->outputs; o++)
        all = all && has_images(code, &stage->output[o]);
    return all;
}

static bool stores_ghosts(const emit_stage *e)
{
    return cuda_stores_ghosts(e->code, e->stage, e->schedule);
}

/* "store_ghosts<SWEEP_AXIS, VECTOR, ROWS>((float *)a.g1.data, mine, from, to, a.g1,
 * a.w);" */
static void add_ghosts(const emit_stage *e, const ir_output *o)
{
    const int slot = emit_slot_of(e, o->field, o->level);

    text_add(
        e->t,
        "    store_ghosts<SWEEP_AXIS, VECTOR, ROWS>((%s *)a.g%d.data, mine, from, to, "
        "a.g%d, a.w);\n",
        emit_c_type(emit_storage(e, slot)), slot, slot);
}

void cuda_store_ghosts(const emit_stage *e)
{
    if (!stores_ghosts(e))
        return;
    text_add(e->t, "    enum { SWEEP_AXIS = %d, VECTOR = %d, ROWS = %d };\n",
             e->sweep_plan->axis, e->sweep_plan->lanes, e->sweep_plan->rows);
    text_add(e->t, "    const stored mine = {(int)i, %s, ends};\n",
             e->sweep_plan->axis == 2 ? "(int)j" : "0");
    for (int64_t k = 0; k < e->stage->outputs; k++)
        add_ghosts(e, &e->stage->output[k]);
}
