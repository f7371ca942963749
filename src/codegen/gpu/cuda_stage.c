/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a stage on a GPU, whatever its schedule: is it part of a step, its
 * radius, and reasons against a sweep. */
#include "codegen/codegen_private.h"

enum {
    MOST_LINES = 4000 /* values of a thread; compile time grows faster than linearly */
};

bool cuda_is_injected(const ir *code, const ir_stage *stage)
{
    for (int64_t k = 0; k < code->injections.count; k++) {
        const ir_list *list = &code->injections.item[k].list;
        if (list->count > 0 && &code->stage[list->stage[list->count - 1]] == stage)
            return true;
    }
    return false;
}

static bool is_of_border(const ir *code, int64_t number)
{
    for (int64_t f = 0; f < code->fields; f++)
        for (int axis = 0; axis < MAX_DIM; axis++)
            for (int side = 0; side < 2; side++)
                if (code->field[f].border[axis][side].stage == number)
                    return true;
    return false;
}

/* True for stages of a step itself, of its borders and of its sources. */
bool cuda_is_of_step(const ir *code, const ir_stage *stage)
{
    const int64_t number = stage - code->stage;

    return ir_list_has(&code->step, number) || is_of_border(code, number) ||
           cuda_is_injected(code, stage);
}

/* True if a GPU's values may differ from the host's in their last bits. */
bool emit_gpu_differs(const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_op op = stage->node[k].op;
        if (op == IR_POW || (op >= IR_EXP && op <= IR_TANH))
            return true;
    }
    return false;
}

bool cuda_is_listed(const ir *code, const ir_stage *stage)
{
    return stage->stands_in || cuda_is_called(code, stage);
}

bool cuda_is_called(const ir *code, const ir_stage *stage)
{
    return ir_list_has(&code->step, stage - code->stage);
}

/* The farthest neighbour along an axis. */
int cuda_radius(const ir_stage *stage, int axis)
{
    int most = 0;

    for (int64_t k = 0; k < stage->count; k++)
        if (stage->node[k].op == IR_LOAD) {
            const int offset = stage->node[k].offset[axis];
            most = offset > most ? offset : -offset > most ? -offset : most;
        }
    return most;
}

int cuda_default_vector(const ir *code, const ir_stage *stage)
{
    int64_t size = 1;

    for (int64_t k = 0; k < stage->count; k++)
        if (stage->node[k].op == IR_LOAD) {
            const int64_t one = (int64_t)pav_type_size(
                code->field[stage->node[k].field].storage);
            size = one > size ? one : size;
        }
    for (int64_t k = 0; k < stage->outputs; k++)
        if (stage->output[k].kind == IR_STORE) {
            const int64_t one = (int64_t)pav_type_size(
                code->field[stage->output[k].field].storage);
            size = one > size ? one : size;
        }
    return (int)(16 / size);
}

const char *cuda_sweep_refusal(const ir *code, const ir_stage *stage)
{
    if (ir_reductions(stage) > 0)
        return "what is reduced goes piece by piece of a row";
    if (code->dim == 1)
        return "a grid of one dimension has no planes to stream";
    if (cuda_is_injected(code, stage))
        return "injections are of single points";
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op == IR_LOAD && n->transfer != IR_SAME)
            return "it reads another grid than its own";
        for (int64_t o = 0; n->op == IR_LOAD && o < stage->outputs; o++)
            if (stage->output[o].field == n->field && stage->output[o].level == n->level)
                return "it reads what it also stores";
    }
    return NULL;
}

bool cuda_knows_plane(const ir *code, const ir_stage *stage)
{
    const int axis = code->dim - 1;

    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op == IR_RANDOM || (n->op == IR_INDEX && n->axis == axis) ||
            (n->op == IR_TABLE && code->table[n->table].axis == axis))
            return true;
    }
    return false;
}

bool cuda_is_short(const ir_stage *stage, const schedule *s)
{
    return stage->count * s->thread.size[0] * s->thread.size[1] <= MOST_LINES;
}

bool emit_gpu_is_open(const schedule *s)
{
    const schedule bare = {.kind = s->kind};

    return s->kind == SCHEDULE_AUTO || schedule_fuses_steps(s) ||
           (s->kind == SCHEDULE_TWO_PASS && schedule_is_same(s, &bare));
}

void emit_gpu_kernel_free(emit_gpu_kernel *k)
{
    mem_free(k->slot);
    mem_free(k->table);
    mem_free(k->uniform);
    mem_free(k->part);
    *k = (emit_gpu_kernel){0};
}

/* Planes of a slot along the sweep that a thread keeps for its own points; 0: the slot is
 * not read. */
int cuda_planes_in_registers(const emit_slot *slot, const ir_stage *stage, int axis)
{
    int first = MAX_OFFSET, last = -MAX_OFFSET;

    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op != IR_LOAD || n->field != slot->field || n->level != slot->level)
            continue;
        first = n->offset[axis] < first ? n->offset[axis] : first;
        last = n->offset[axis] > last ? n->offset[axis] : last;
    }
    return last < first ? 0 : last - first + 1;
}
