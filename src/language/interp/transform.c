/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of lines on processors: the text shared with CUDA, for several adjacent
 * lines at once. All vectors give the same bits. */
#include <assert.h>
#include <stdlib.h>

#include "interp/interp_private.h"

enum { WIDTH_F64 = 8, WIDTH_F32 = 8 }; /* lines at once */

#define SYNC (void)0
#define ITEMS(b, count, width) for (int b = 0; b < (count); b++)
#define LINES(l, width) INDEPENDENT for (int l = 0; l < (width); l++)
#define PLACE(m) (m)
#define TURN(n) (n)
#define HELD 8
#define UNROLLED _Pragma("GCC unroll 8")
#include "base/transforms/transforms.h"

/* The lines that begin at `data`; `across` is the stride from line to line. */
typedef struct group {
    void *data;
    int64_t along, across;
    int count;
} group;

INLINE void run(pav_type type, const group *g, const line_transform *t,
                const double *cosine, const void *turns, void *room)
{
    f64_lines wide = {g->data, g->along, g->across, 0, g->count, WIDTH_F64};
    f32_lines narrow = {g->data, g->along, g->across, 0, g->count, WIDTH_F32};

    if (type == PAV_F64)
        f64_transform(&wide, t, cosine, turns, room);
    else
        f32_transform(&narrow, t, cosine, turns, room);
}

typedef void runner(pav_type type, const group *g, const line_transform *t,
                    const double *cosine, const void *turns, void *room);

static void run_plain(pav_type type, const group *g, const line_transform *t,
                      const double *cosine, const void *turns, void *room)
{
    run(type, g, t, cosine, turns, room);
}

FOR_AVX2 static void run_avx2(pav_type type, const group *g, const line_transform *t,
                              const double *cosine, const void *turns, void *room)
{
    run(type, g, t, cosine, turns, room);
}

static runner *const runners[ROW_LEVELS] = {run_plain, run_avx2};

pav_status interp_transform(const interp_args *args)
{
    const ir_output *o = args->stage->output;
    const view *v = args->view[o->field][1 - o->level];
    const line_transform t = ir_transform_of(args->code, args->stage);
    const int axis = args->stage->along - 1, across = axis == 0,
              outer = axis == 2 ? 1 : 2;
    const int64_t size = (int64_t)pav_type_size(v->type);
    const int width = v->type == PAV_F64 ? WIDTH_F64 : WIDTH_F32;
    const ir_node *last = &args->stage->node[args->stage->count - 1];
    const double *cosine = args->table[last[-1].table], *parts = args->table[last->table];
    runner *transform = runners[row_level_best()];
    OWNED char *room = NULL;

    assert(args->box.hi[axis] - args->box.lo[axis] == t.points); /* lines are whole */
    assert(v->type ==
           args->stage->real); /* the field is stored in the type of the sums */
    TRY(mem_take(&room, transform_room(&t, width), (size_t)size));
    char *const turns = room + 4 * width *
                                   (int64_t)transform_places(transform_passes(&t)) * size;
    if (v->type == PAV_F64)
        f64_fill_turns(&t, cosine, parts, (double *)room, (double *)turns);
    else
        f32_fill_turns(&t, cosine, parts, (float *)room, (float *)turns);
    for (int64_t n = args->box.lo[outer]; n < args->box.hi[outer]; n++)
        for (int64_t m = args->box.lo[across]; m < args->box.hi[across]; m += width) {
            const group g = {
                .data = (char *)v->data + (args->box.lo[axis] * v->stride[axis] +
                                           m * v->stride[across] + n * v->stride[outer]) *
                                              size,
                .along = v->stride[axis],
                .across = v->stride[across],
                .count = (int)int64_least(width, args->box.hi[across] - m),
            };
            transform(v->type, &g, &t, cosine, turns, room);
        }
    return PAV_OK;
}
