/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of lines on processors: the text shared with CUDA, for the lines of a vector
 * at once. All vectors give the same bits. */
#include <assert.h>
#include <stdlib.h>

#include "interp/interp_private.h"

/* The lines of a stage. */
typedef struct request {
    const view *v;
    const box *box;
    int axis;
    line_transform t;
    const double *cosine, *parts;
    void *room;
} request;

/* The text and the runner of each level: of 16, 32 and 64 bytes. */
#define RUN(level)                                                                       \
    LEVEL_TARGET static void run_##level(const request *r)                               \
    {                                                                                    \
        const view *v = r->v;                                                            \
        if (v->type == PAV_F64)                                                          \
            level##_f64_transform_box(v->data, v->stride, r->box->lo, r->box->hi,        \
                                      r->axis, &r->t, r->cosine, r->parts, r->room);     \
        else                                                                             \
            level##_f32_transform_box(v->data, v->stride, r->box->lo, r->box->hi,        \
                                      r->axis, &r->t, r->cosine, r->parts, r->room);     \
    }
#define LEVEL_BYTES 16
#define LEVEL_TARGET
#define LEVEL(word) plain_##word
#include "base/transforms/transforms.h"
RUN(plain)
#ifdef __x86_64__
#undef LEVEL_BYTES
#undef LEVEL_TARGET
#undef LEVEL
#define LEVEL_BYTES 32
#define LEVEL_TARGET FOR_AVX2
#define LEVEL(word) avx2_##word
#include "base/transforms/transforms.h"
RUN(avx2)
#undef LEVEL_BYTES
#undef LEVEL_TARGET
#undef LEVEL
#define LEVEL_BYTES 64
#define LEVEL_TARGET FOR_AVX512
#define LEVEL(word) avx512_##word
#include "base/transforms/transforms.h"
RUN(avx512)
#endif

pav_status interp_transform(const interp_args *args)
{
    const ir_output *o = args->stage->output;
    const ir_node *last = &args->stage->node[args->stage->count - 1];
    OWNED void *room = NULL;
    request r = {
        .v = args->view[o->field][1 - o->level],
        .box = &args->box,
        .axis = args->stage->along - 1,
        .t = ir_transform_of(args->code, args->stage),
        .cosine = args->table[last[-1].table],
        .parts = args->table[last->table],
    };

    assert(args->box.hi[r.axis] - args->box.lo[r.axis] == r.t.points); /* whole lines */
    assert(r.v->type == args->stage->real); /* the field is stored in the type of sums */
    TRY(mem_take(&room, transform_box_room(&r.t), pav_type_size(r.v->type)));
    r.room = room;
#ifdef __x86_64__
    (HAS_AVX512 ? run_avx512 : HAS_AVX2 ? run_avx2 : run_plain)(&r);
#else
    run_plain(&r);
#endif
    return PAV_OK;
}
