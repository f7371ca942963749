/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of lines on processors: the text shared with CUDA, for several adjacent
 * lines at once. All vectors give the same bits. */
#include <assert.h>
#include <stdlib.h>

#include "interp/interp_private.h"

#include "base/transforms/transforms.h"

typedef void runner(const interp_args *args, const line_transform *t, void *room);

INLINE void run(const interp_args *args, const line_transform *t, void *room)
{
    const ir_output *o = args->stage->output;
    const view *v = args->view[o->field][1 - o->level];
    const ir_node *last = &args->stage->node[args->stage->count - 1];
    const double *cosine = args->table[last[-1].table], *parts = args->table[last->table];
    const int axis = args->stage->along - 1;

    if (v->type == PAV_F64)
        f64_transform_box(v->data, v->stride, args->box.lo, args->box.hi, axis, t, cosine,
                          parts, room);
    else
        f32_transform_box(v->data, v->stride, args->box.lo, args->box.hi, axis, t, cosine,
                          parts, room);
}

static void run_plain(const interp_args *args, const line_transform *t, void *room)
{
    run(args, t, room);
}

FOR_AVX2 static void run_avx2(const interp_args *args, const line_transform *t,
                              void *room)
{
    run(args, t, room);
}

static runner *const runners[ROW_LEVELS] = {run_plain, run_avx2};

pav_status interp_transform(const interp_args *args)
{
    const ir_output *o = args->stage->output;
    const pav_type type = args->view[o->field][1 - o->level]->type;
    const line_transform t = ir_transform_of(args->code, args->stage);
    const int axis = args->stage->along - 1;
    OWNED void *room = NULL;

    assert(args->box.hi[axis] - args->box.lo[axis] == t.points); /* lines are whole */
    assert(type == args->stage->real); /* the field is stored in the type of the sums */
    TRY(mem_take(&room, transform_room(&t, 2 * HELD), pav_type_size(type)));
    runners[row_level_best()](args, &t, room);
    return PAV_OK;
}
