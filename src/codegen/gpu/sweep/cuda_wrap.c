/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps over periodic rows without ghosts along x: the vector before the first of a row
 * is its last one. Reading and writing ghosts took a tenth of a step of Gray-Scott with
 * 512 points along each axis, since each costs a sector of 32 bytes. This works only for
 * vectors loaded through the caches: with neighbour lanes and shared tiles, ghosts stand
 * in for the neighbours. */
#include "codegen/codegen_private.h"

/* Threads of a block. With more, NVRTC leaves a thread too few registers for two extra
 * numbers, and spills (Gray-Scott by 32 x 8 threads for sm_100, 88 bytes). */
enum { MOST_THREADS = 128 };

static bool is_wrapped(const ir_field *f)
{
    return border_wraps(f->border[0][0].kind) && border_wraps(f->border[0][1].kind);
}

/* True if values of the border vary along the axis: by the place itself, or by other
 * fields there. */
static bool differs_along(const ir *code, int field, int stage, int axis)
{
    const ir_stage *s = stage < 0 ? NULL : &code->stage[stage];

    for (int64_t k = 0; s && k < s->count; k++) {
        const ir_node *n = &s->node[k];
        if ((n->op == IR_INDEX && n->axis == axis) ||
            (n->op == IR_TABLE && code->table[n->table].axis == axis) ||
            (n->op == IR_LOAD && (n->field != field || n->offset[axis] != 0)))
            return true;
    }
    return false;
}

bool emit_corner_differs(const ir *code, const ir_node *load, int axis)
{
    const ir_field *f = &code->field[load->field];

    for (int later = axis + 1; load->offset[axis] != 0 && later < code->dim; later++)
        for (int side = 0; side < 2; side++) {
            const ir_border *b = &f->border[later][side];
            const bool read = load->offset[later] != 0 || border_stores_face(b->kind);
            if (read && differs_along(code, load->field, b->stage, axis))
                return true;
        }
    return false;
}

/* True if all neighbours of a point along x are at most a vector away in a periodic
 * row. */
static bool wraps_around(const ir *code, const ir_node *n, int64_t extent, int vector)
{
    const ir_field *f = &code->field[n->field];
    const int away = n->offset[0] < 0 ? -n->offset[0] : n->offset[0];

    return n->transfer == IR_SAME && f->extent[0] == extent && away <= vector &&
           is_wrapped(f) && !emit_corner_differs(code, n, 0);
}

bool cuda_wraps_around(const ir *code, const ir_stage *stage, const schedule *s)
{
    int neighbours = 0;

    if (s->kind != SCHEDULE_SWEEP || s->tile.storage != STORAGE_CACHE ||
        s->tile.size[0] * s->tile.size[1] > MOST_THREADS ||
        !cuda_is_called(code, stage) || stage->output[0].kind != IR_STORE)
        return false;
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op != IR_LOAD || n->offset[0] == 0)
            continue;
        if (!wraps_around(code, n, code->field[stage->output[0].field].extent[0],
                          s->thread.size[0]))
            return false;
        neighbours++;
    }
    return neighbours > 0;
}

void cuda_find_wraps(const emit_stage *e)
{
    if (!cuda_wraps_around(e->code, e->stage, e->schedule))
        return;
    text_add(e->t,
             "    const int before = before_row(i, a.w);\n"
             "    const int behind = behind_row<%d>(i, a.w);\n",
             e->sweep_plan->lanes);
}

void cuda_add_wrap(const emit_stage *e, int block, text *t)
{
    if (block && cuda_wraps_around(e->code, e->stage, e->schedule))
        text_add(t, block < 0 ? " + before" : " + behind");
}
