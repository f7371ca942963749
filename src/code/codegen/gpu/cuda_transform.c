/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms on a GPU: a block transforms a few adjacent lines in shared memory, by the
 * text shared with processors. */
#include "codegen/codegen_private.h"

enum { KIB = 1024, USUAL = 64 * KIB, MOST = 96 * KIB, MOST_LINES = 8 };

extern const char cuda_kernel_transform_words[], cuda_kernel_transform[],
    transform_kind_private[], transform_text_private[];

/* ---- sizes ------------------------------------------------------------------------- */

/* Bytes of the buffers of one line. */
static int64_t line_bytes(const ir *code, const ir_stage *stage)
{
    const int64_t period = ir_transform_of(code, stage).period;

    return 4 * (period % 2 == 0 ? period / 2 : period) *
           (int64_t)pav_type_size(stage->real);
}

static int lines_of(const ir *code, const ir_stage *stage)
{
    int lines = MOST_LINES;

    while (lines > 1 && lines * line_bytes(code, stage) > USUAL)
        lines /= 2;
    return lines;
}

bool cuda_transform_fits(const ir *code, const ir_stage *stage)
{
    return !stage->transform || line_bytes(code, stage) <= MOST;
}

void cuda_transform_kernel(const ir *code, const ir_stage *stage, emit_gpu_kernel *k)
{
    if (!stage->transform)
        return;
    k->lines = lines_of(code, stage);
    k->shared = k->lines * line_bytes(code, stage);
}

void cuda_transform_extent(const emit_gpu_kernel *k, const emit_gpu_work *w,
                           int64_t blocks[3], int threads[3])
{
    const int axis = k->along - 1, across = axis == 0, outer = axis == 2 ? 1 : 2;

    blocks[0] = (w->hi[across] - w->lo[across] + k->lines - 1) / k->lines *
                (w->hi[outer] - w->lo[outer]);
    threads[0] = k->schedule.tile.size[0] * k->schedule.tile.size[1];
    blocks[1] = blocks[2] = threads[1] = threads[2] = 1;
}

/* ---- texts ------------------------------------------------------------------------- */

void cuda_transform_text(emit_stage *e)
{
    const line_transform t = ir_transform_of(e->code, e->stage);
    const ir_node *table = &e->stage->node[e->stage->count - 1];

    cuda_open_kernel(e, "", e->schedule->tile.size[0] * e->schedule->tile.size[1], 0);
    text_add(e->t, "    const line_transform t = {%d, %d, %d, %d, %d, %d, %d, ", t.points,
             t.period, t.before, t.half, t.sign, t.shift, t.part);
    text_add_double(e->t, t.scale);
    text_add(e->t, "};\n\n    %s_transform_block(a.w, a.g0, %d, %d, t, a.table%d);\n}\n",
             e->real == PAV_F64 ? "f64" : "f32", e->stage->along - 1,
             lines_of(e->code, e->stage), emit_table_number(e, table->table));
}

static bool transforms(const ir *code, pav_type real)
{
    for (int64_t n = 0; code && n < code->stages; n++)
        if (code->stage[n].transform && code->stage[n].real == real)
            return true;
    return false;
}

void cuda_add_transforms(const ir *const *code, int64_t count, text *t)
{
    bool any = false;

    for (int64_t p = 0; p < count; p++)
        any = any || transforms(code[p], PAV_F32) || transforms(code[p], PAV_F64);
    if (any)
        text_add(t,
                 "\n%s%s#define REAL double\n#define NAME(word) f64_##word\n%s%s"
                 "#undef REAL\n#undef NAME\n"
                 "#define REAL float\n#define NAME(word) f32_##word\n%s%s",
                 transform_kind_private, cuda_kernel_transform_words,
                 transform_text_private, cuda_kernel_transform, transform_text_private,
                 cuda_kernel_transform);
}
