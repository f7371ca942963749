/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms on a GPU: a block transforms a few adjacent lines in shared memory, by the
 * text shared with processors. A kernel lists the passes, so all sizes and strides are
 * constants. */
#include "codegen/codegen_private.h"

enum {
    NUMBERS = 4096, /* complex numbers of a block; a thread keeps eight in registers */
    RESIDENT = 768, /* threads of a multiprocessor, at least */
    GROUPS = 4,     /* groups of lines of a block, if there are MANY blocks */
    MANY = 1024
};

extern const char cuda_kernel_transform_words[], cuda_kernel_transform[],
    transform_kind_private[], transform_text_private[];

/* ---- sizes ------------------------------------------------------------------------- */

static int64_t room_bytes(const ir_stage *stage, const line_transform *t, int lines)
{
    return transform_room(t, lines) * (int64_t)pav_type_size(stage->real);
}

/* Adjacent lines fill a sector of memory, or the tile of the schedule. */
static int lines_of(const ir_stage *stage, const schedule *s, const line_transform *t)
{
    int lines = GPU_SECTOR / (int)pav_type_size(stage->real);

    while (lines > 1 && (lines > s->tile.size[0] ||
                         room_bytes(stage, t, lines) > transform_cost.bytes ||
                         lines * transform_passes(t) > NUMBERS))
        lines /= 2;
    return lines;
}

bool cuda_transform_fits(const ir *code, const ir_stage *stage)
{
    if (!stage->transform)
        return true;
    const line_transform t = ir_transform_of(code, stage);
    return room_bytes(stage, &t, 1) <= transform_cost.bytes;
}

void cuda_transform_kernel(const ir *code, const ir_stage *stage, emit_gpu_kernel *k)
{
    if (!stage->transform)
        return;
    const line_transform t = ir_transform_of(code, stage);
    k->lines = lines_of(stage, &k->schedule, &t);
    k->threads = transform_threads(k->lines * transform_passes(&t));
    k->shared = room_bytes(stage, &t, k->lines);
}

void cuda_transform_extent(const emit_gpu_kernel *k, const emit_gpu_work *w,
                           int64_t blocks[3], int threads[3])
{
    const int axis = k->along - 1, across = axis == 0, outer = axis == 2 ? 1 : 2;

    const int64_t from = w->lo[across] / k->lines * k->lines;
    const int64_t groups = (w->hi[across] - from + k->lines - 1) / k->lines *
                           (w->hi[outer] - w->lo[outer]);

    blocks[0] = int64_most(int64_least(groups, MANY), groups / GROUPS);
    threads[0] = k->threads;
}

/* ---- texts ------------------------------------------------------------------------- */

/* A first pass reads the lines themselves, if nothing turns its numbers before. */
static bool reads_lines(const line_transform *t)
{
    return !t->padded && transform_has_radix(transform_radix(transform_length(t)));
}

static void add_passes(emit_stage *e, const line_transform *t, int width,
                       const char *buffer, const char *first)
{
    const int length = transform_passes(t);

    for (int done = 1, radix; done < length; done *= radix) {
        radix = transform_radix(length / done);
        text_add(e->t, "        %s_pass(%s, %s, %d, %d, %d, %d, turns, %s);\n",
                 e->real == PAV_F64 ? "f64" : "f32", buffer, buffer, length, done, radix,
                 width, done == 1 ? first : "0, 0, 0");
    }
}

static void add_transform(emit_stage *e, const line_transform *t, int width, int table)
{
    const char *type = e->real == PAV_F64 ? "f64" : "f32";
    char first[32];

    snprintf(first, sizeof first, "&x, &t, a.table%d", table);
    if (!reads_lines(t))
        text_add(e->t, "        %s_load(&x, &t, a.table%d, z);\n", type, table);
    if (t->padded)
        text_add(e->t, "        %s_turn_squares(z, &t, a.table%d, %d, %d);\n", type,
                 table, t->padded, width);
    add_passes(e, t, width, "z", reads_lines(t) ? first : "0, 0, 0");
    if (t->padded) {
        text_add(e->t, "        %s_convolve(z, &t, turns, %d);\n", type, width);
        add_passes(e, t, width, "back", "0, 0, 0");
        text_add(e->t, "        %s_turn_squares(z, &t, a.table%d, %d, %d);\n", type,
                 table, transform_length(t), width);
    }
    text_add(e->t, "        %s_store(&x, &t, a.table%d, z);\n    }\n}\n", type, table);
}

void cuda_transform_text(emit_stage *e)
{
    const line_transform t = ir_transform_of(e->code, e->stage);
    const ir_node *last = &e->stage->node[e->stage->count - 1];
    const int table = emit_table_number(e, last[-1].table),
              parts = emit_table_number(e, last->table);
    const bool wide = e->real == PAV_F64;
    const char *type = wide ? "f64" : "f32", *real = wide ? "double" : "float";
    const int axis = e->stage->along - 1;
    const int width = lines_of(e->stage, e->schedule, &t),
              threads = transform_threads(width * transform_passes(&t)),
              size = transform_places(transform_passes(&t)) * width;

    cuda_open_kernel(e, "", threads, (RESIDENT + threads - 1) / threads);
    emit_transform_literal(&t, e->t);
    text_add(e->t,
             "    %s *const room = kernel_shared<%s>(), *const turns = room + %d;\n"
             "    const %s_buffer z = %s_half(room, %d, 0), back = %s_exchanged(z);\n"
             "    const int64_t groups = %s_groups(a.w, %d, %d);\n\n"
             "    (void)back;\n"
             "    %s_fill_turns(&t, a.table%d, a.table%d, room, turns);\n"
             "    for (int64_t n = blockIdx.x; n < groups; n += gridDim.x) {\n"
             "        const %s_lines x = %s_group(a.w, a.g0, %d, %d, n);\n",
             real, real, 2 * size, type, type, size, type, type, axis, width, type, table,
             parts, type, type, axis, width);
    add_transform(e, &t, width, table);
}

void emit_transforms(const char *words, const char *lines, const char *more, text *t)
{
    static const char *const names[][2] = {{"double", "f64"}, {"float", "f32"}};

    text_add(t, "\n%s%s", transform_kind_private, words);
    for (int n = 0; n < (int)COUNT_OF(names); n++)
        text_add(t,
                 "#define REAL %s\n#define NAME(word) %s_##word\n%s%s%s"
                 "#undef REAL\n#undef NAME\n",
                 names[n][0], names[n][1], transform_text_private, lines, more);
}

void emit_transform_literal(const line_transform *t, text *to)
{
    text_add(to, "    const line_transform t = {%d, %d, %d, %d, %d, %d, %d, ", t->points,
             t->period, t->before, t->half, t->sign, t->shift, t->part);
    text_add_double(to, t->scale);
    text_add(to, ", %d};\n", t->padded);
}

void cuda_add_transforms(const ir *const *code, int64_t count, text *t)
{
    bool any = false;

    for (int64_t p = 0; p < count; p++)
        for (int64_t n = 0; code[p] && n < code[p]->stages; n++)
            any = any || code[p]->stage[n].transform;
    if (any)
        emit_transforms(cuda_kernel_transform_words, cuda_kernel_transform, "", t);
}
