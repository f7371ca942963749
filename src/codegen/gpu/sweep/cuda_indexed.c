/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps over many fields without carried planes. A pointer for each field would take
 * most registers of a thread. Fields of one size have the same strides on a GPU
 * (run/fields.c), so one index serves them all. */
#include "codegen/codegen_private.h"

enum {
    MANY = 16 /* slots */,
    FEW = 4 /* at most one in FEW slots is read in several planes */
};

static bool is_same_size(const ir_field *a, const ir_field *b)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (a->extent[axis] != b->extent[axis])
            return false;
    return pav_type_size(a->storage) == pav_type_size(b->storage);
}

/* Planes of the points' own row with loads of a slot. */
static int planes_of_own_row(const ir *code, const ir_stage *stage, const emit_slot *slot)
{
    const int axis = code->dim - 1;
    int first = MAX_OFFSET, last = -MAX_OFFSET;

    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op != IR_LOAD || n->field != slot->field || n->level != slot->level ||
            (axis == 2 && n->offset[1] != 0))
            continue;
        first = n->offset[axis] < first ? n->offset[axis] : first;
        last = n->offset[axis] > last ? n->offset[axis] : last;
    }
    return last - first + 1;
}

/* True if there are many fields of one size, and a sweep would carry planes for few of
 * them. */
static bool are_many(const ir *code, const ir_stage *stage, const emit_slot *slot,
                     int64_t slots)
{
    int64_t kept = 0;

    for (int64_t k = 0; k < slots; k++) {
        if (!is_same_size(&code->field[slot[0].field], &code->field[slot[k].field]))
            return false;
        kept += planes_of_own_row(code, stage, &slot[k]) > 1;
    }
    return slots >= MANY && kept * FEW <= slots;
}

bool cuda_has_many_fields(const ir *code, const ir_stage *stage)
{
    emit_slot *slot = mem_new(stage->count + stage->outputs + 1, sizeof *slot);
    const bool many = slot && are_many(code, stage, slot, emit_slots(stage, slot));

    mem_free(slot);
    return many;
}

bool cuda_may_index(const emit_stage *e)
{
    const schedule *s = e->schedule;

    return s->kind == SCHEDULE_SWEEP && s->tile.storage == STORAGE_CACHE && !s->input &&
           s->tile.ahead == 0 && s->prefetch == 0 &&
           cuda_has_many_fields(e->code, e->stage);
}

int cuda_stride_slot(const emit_stage *e, int slot)
{
    return e->sweep_plan && e->sweep_plan->indexed ? 0 : slot;
}

/* Hides the index from compilers: otherwise they make a pointer for each field. */
void cuda_add_index(const emit_stage *e)
{
    const bool planes = e->sweep_plan->axis == 2;

    text_add(e->t, "        const int64_t at = kernel_opaque(i + j * a.g0.y%s);\n",
             planes ? " + k * a.g0.z" : "");
    for (int k = 0; k < e->slots; k++) {
        const char *only = e->slot[k].stored ? "" : "const ";
        text_add(e->t, "        %s%s *at_", only, emit_c_type(emit_storage(e, k)));
        emit_slot_name(e, k, e->t);
        text_add(e->t, " = (%s%s *)a.g%d.data + at;\n", only,
                 emit_c_type(emit_storage(e, k)), k);
    }
}
