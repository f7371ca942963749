/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms on a GPU: a block transforms a few adjacent lines in shared memory, by the
 * text shared with processors. A kernel lists the passes, so all sizes and strides are
 * constants. */
#include "codegen/codegen_private.h"

enum {
    KIB = 1024,
    USUAL = 74 * KIB, /* of a block; MOST: else its schedule is refused */
    MOST = 96 * KIB,
    MOST_LINES = 8,
    THREADS = 256, /* TRANSFORM_THREADS */
    GROUPS = 4,    /* groups of lines of a block, if there are MANY blocks */
    MANY = 1024
};

extern const char cuda_kernel_transform_words[], cuda_kernel_transform[],
    transform_kind_private[], transform_text_private[];

/* ---- sizes ------------------------------------------------------------------------- */

/* Bytes of the buffers of `lines` lines, and of their turns. */
static int64_t room_bytes(const ir *code, const ir_stage *stage, int lines)
{
    const line_transform t = ir_transform_of(code, stage);

    return (4 * lines + 2) * transform_places(transform_length(&t)) *
           (int64_t)pav_type_size(stage->real);
}

static int lines_of(const ir *code, const ir_stage *stage)
{
    int lines = MOST_LINES;

    while (lines > 1 && room_bytes(code, stage, lines) > USUAL)
        lines /= 2;
    return lines;
}

bool cuda_transform_fits(const ir *code, const ir_stage *stage)
{
    return !stage->transform || room_bytes(code, stage, 1) <= MOST;
}

void cuda_transform_kernel(const ir *code, const ir_stage *stage, emit_gpu_kernel *k)
{
    if (!stage->transform)
        return;
    k->lines = lines_of(code, stage);
    k->shared = room_bytes(code, stage, k->lines);
}

void cuda_transform_extent(const emit_gpu_kernel *k, const emit_gpu_work *w,
                           int64_t blocks[3], int threads[3])
{
    const int axis = k->along - 1, across = axis == 0, outer = axis == 2 ? 1 : 2;

    const int64_t from = w->lo[across] / k->lines * k->lines;
    const int64_t groups = (w->hi[across] - from + k->lines - 1) / k->lines *
                           (w->hi[outer] - w->lo[outer]);

    blocks[0] = int64_most(int64_least(groups, MANY), groups / GROUPS);
    threads[0] = THREADS;
}

/* ---- texts ------------------------------------------------------------------------- */

static void add_passes(emit_stage *e, const line_transform *t, int width, int table)
{
    const char *type = e->real == PAV_F64 ? "f64" : "f32";
    const int length = transform_length(t);
    int half = 0;

    text_add(e->t, "        %s_load(&x, &t, a.table%d, half[0]);\n", type, table);
    for (int done = 1, radix; done < length; done *= radix, half = !half) {
        radix = transform_radix(length / done);
        text_add(e->t, "        %s_pass(half[%d], half[%d], %d, %d, %d, %d, turns);\n",
                 type, half, !half, length, done, radix, width);
    }
    text_add(e->t, "        %s_store(&x, &t, a.table%d, half[%d]);\n    }\n}\n", type,
             table, half);
}

void cuda_transform_text(emit_stage *e)
{
    const line_transform t = ir_transform_of(e->code, e->stage);
    const int table = emit_table_number(e, e->stage->node[e->stage->count - 1].table);
    const bool wide = e->real == PAV_F64;
    const char *type = wide ? "f64" : "f32", *real = wide ? "double" : "float";
    const int axis = e->stage->along - 1;
    const int width = lines_of(e->code, e->stage),
              size = transform_places(transform_length(&t)) * width;

    cuda_open_kernel(e, "", THREADS, 0);
    text_add(e->t, "    const line_transform t = {%d, %d, %d, %d, %d, %d, %d, ", t.points,
             t.period, t.before, t.half, t.sign, t.shift, t.part);
    text_add_double(e->t, t.scale);
    text_add(e->t,
             "};\n"
             "    %s *const room = kernel_shared<%s>(), *const turns = room + %d;\n"
             "    const %s_buffer half[2] = {%s_half(room, %d, 0), %s_half(room, %d, "
             "1)};\n"
             "    const int64_t groups = %s_groups(a.w, %d, %d);\n\n"
             "    %s_fill_turns(&t, a.table%d, turns);\n"
             "    for (int64_t n = blockIdx.x; n < groups; n += gridDim.x) {\n"
             "        const %s_lines x = %s_group(a.w, a.g0, %d, %d, n);\n",
             real, real, 4 * size, type, type, size, type, size, type, axis, width, type,
             table, type, type, axis, width);
    add_passes(e, &t, width, table);
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
