/* SPDX-License-Identifier: BSD-3-Clause */
/* Which stages have kernels for GPUs, by which schedules they can go, and what a call of one needs. */
#include "emit/emit_private.h"

enum { BLOCK_X = 64, BLOCK_Y = 4, MOST_THREADS = 1024, MOST_Z = 64, MOST_BLOCKS = 65535 };

/* ---- which stages have kernels ------------------------------------------------------------ */

static bool is_in(const ir_list *list, int64_t number)
{
    for (int64_t k = 0; k < list->count; k++)
        if (list->stage[k] == number)
            return true;
    return false;
}

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

/* The only stages whose values may differ from the host's in their last bits. */
static bool is_of_step(const ir *code, const ir_stage *stage)
{
    const int64_t number = stage - code->stage;

    return is_in(&code->step, number) || is_of_border(code, number) ||
           cuda_is_injected(code, stage);
}

bool emit_gpu_differs(const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_op op = stage->node[k].op;
        if (op == IR_POW || (op >= IR_EXP && op <= IR_TANH))
            return true;
    }
    return false;
}

bool emit_gpu_has_kernel(const ir *code, const ir_stage *stage)
{
    emit_gpu_kernel k;

    if (!emit_has_kernel(stage) || (emit_gpu_differs(stage) && !is_of_step(code, stage)))
        return false;
    if (emit_gpu_kernel_of(code, stage, NULL, &k) != PAV_OK)
        return false;
    const bool fits = k.argument_bytes <= EMIT_GPU_ARGUMENT;
    emit_gpu_kernel_free(&k);
    return fits;
}

/* ---- schedules ---------------------------------------------------------------------------- */

static int64_t reductions_of(const ir_stage *stage)
{
    int64_t count = 0;

    for (int64_t k = 0; k < stage->outputs; k++)
        count += stage->output[k].kind == IR_REDUCE;
    return count;
}

emit_gpu_schedule cuda_usual(const ir *code, const ir_stage *stage)
{
    emit_gpu_schedule s = {
        .form = EMIT_GPU_POINT, .threads = {BLOCK_X, BLOCK_Y}, .vector = 1, .rows = 1};

    if (reductions_of(stage) > 0 || code->dim == 1) {
        s.threads[0] = reductions_of(stage) > 0 ? EMIT_PIECE : BLOCK_X * BLOCK_Y;
        s.threads[1] = 1;
    }
    return s;
}

pav_status emit_gpu_schedule_find(const char *name, emit_gpu_schedule *s)
{
    static const char *const names[] = {
        [EMIT_GPU_USUAL] = "auto",
        [EMIT_GPU_POINT] = "point",
        [EMIT_GPU_STREAM] = "stream",
    };
    int found = EMIT_GPU_USUAL;

    *s = (emit_gpu_schedule){0};
    if (name)
        TRY(text_choice("schedule", name, names, COUNT_OF(names), &found));
    s->form = (emit_gpu_form)found;
    return PAV_OK;
}

static emit_gpu_schedule settled(const ir *code, const ir_stage *stage,
                                 const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule s = cuda_usual(code, stage);

    if (!wanted || wanted->form == EMIT_GPU_USUAL)
        return s;
    s.form = wanted->form;
    s.blocks = wanted->blocks;
    for (int axis = 0; axis < 2; axis++)
        if (wanted->threads[axis] > 0 && reductions_of(stage) == 0)
            s.threads[axis] = wanted->threads[axis];
    return s;
}

const char *emit_gpu_refusal(const ir *code, const ir_stage *stage,
                             const emit_gpu_schedule *schedule)
{
    const emit_gpu_schedule s = settled(code, stage, schedule);

    if (s.form != EMIT_GPU_POINT)
        return "only the schedule point is there yet";
    if ((s.threads[0] & (s.threads[0] - 1)) != 0)
        return "the threads of a block along x have to be a power of two";
    if (s.threads[0] * s.threads[1] > MOST_THREADS)
        return "a block has at most 1024 threads";
    return NULL;
}

/* ---- kernels ------------------------------------------------------------------------------ */

static int64_t numbers_of(const bool *used, int64_t count, int *number)
{
    int64_t found = 0;

    for (int64_t k = 0; k < count; k++)
        if (used[k])
            number[found++] = (int)k;
    return found;
}

pav_status emit_gpu_kernel_of(const ir *code, const ir_stage *stage,
                              const emit_gpu_schedule *schedule, emit_gpu_kernel *k)
{
    emit_stage e;

    *k = (emit_gpu_kernel){.schedule = settled(code, stage, schedule),
                           .reductions = reductions_of(stage)};
    TRY(emit_survey(code, stage, &e));
    k->slot = e.slot;
    k->slots = e.slots;
    e.slot = NULL;
    k->table = mem_new(code->tables + 1, sizeof *k->table);
    k->uniform = mem_new(code->uniforms + 1, sizeof *k->uniform);
    if (k->table && k->uniform) {
        k->tables = numbers_of(e.table, code->tables, k->table);
        k->uniforms = numbers_of(e.uniform, code->uniforms, k->uniform);
    }
    emit_survey_close(&e);
    if (!k->table || !k->uniform) {
        emit_gpu_kernel_free(k);
        return PAV_ENOMEM;
    }
    k->argument_bytes = (int64_t)sizeof(emit_gpu_work) +
                        k->slots * (int64_t)sizeof(emit_grid) +
                        k->tables * (int64_t)sizeof(double *) +
                        k->uniforms * (int64_t)sizeof(double);
    return PAV_OK;
}

void emit_gpu_kernel_free(emit_gpu_kernel *k)
{
    mem_free(k->slot);
    mem_free(k->table);
    mem_free(k->uniform);
    *k = (emit_gpu_kernel){0};
}

/* ---- calls -------------------------------------------------------------------------------- */

/* The least power of two that is `count` at least; `most` at most. */
static int power_within(int64_t count, int most)
{
    int power = 1;

    while (power < count && 2 * power <= most)
        power *= 2;
    return power;
}

static int64_t blocks_for(int64_t count, int threads, int64_t most)
{
    const int64_t blocks = (count + threads - 1) / threads;

    return blocks < most ? blocks : most;
}

static int64_t block_of(int64_t at, int64_t width)
{
    return (at & -width) / width;
}

static int64_t blocks_along_x(const emit_gpu_work *w, int width)
{
    return block_of(w->hi[0] - 1, width) - block_of(w->lo[0], width) + 1;
}

/* Threads that narrow boxes leave along an axis go on along the next. */
static void extent_of_box(const emit_gpu_schedule *s, const emit_gpu_work *w,
                          int64_t blocks[3], int threads[3])
{
    const int all = s->threads[0] * s->threads[1];
    const int64_t ny = w->hi[1] - w->lo[1], nz = w->hi[2] - w->lo[2];

    threads[0] = power_within(w->hi[0] - w->lo[0], s->threads[0]);
    threads[1] = power_within(ny, all / threads[0]);
    threads[2] = power_within(nz, all / (threads[0] * threads[1]));
    threads[2] = threads[2] < MOST_Z ? threads[2] : MOST_Z;
    blocks[0] = blocks_along_x(w, threads[0]);
    blocks[1] = blocks_for(ny, threads[1], INT64_MAX);
    blocks[2] = blocks_for(nz, threads[2], INT64_MAX);
    if (blocks[1] > MOST_BLOCKS || blocks[2] > MOST_BLOCKS) {
        blocks[0] *= blocks[1] * blocks[2]; /* in one line: kernel_point.cuh */
        blocks[1] = blocks[2] = 1;
    }
}

/* A row of threads is as wide as a piece, or as the least block of the tree that holds the whole row; and all
 * of them make whole warps. */
static void extent_of_pieces(const emit_gpu_work *w, int64_t blocks[3], int threads[3])
{
    const int64_t pieces = blocks_along_x(w, EMIT_PIECE);

    threads[0] = 1;
    while (block_of(w->lo[0], threads[0]) != block_of(w->hi[0] - 1, threads[0]) &&
           threads[0] < EMIT_PIECE)
        threads[0] *= 2;
    threads[1] = EMIT_PIECE / threads[0];
    threads[2] = 1;
    blocks[0] = pieces;
    blocks[1] = blocks_for(w->hi[1] - w->lo[1], threads[1], MOST_BLOCKS);
    blocks[2] = blocks_for(w->hi[2] - w->lo[2], 1, MOST_BLOCKS);
}

void emit_gpu_extent(const ir *code, const emit_gpu_kernel *k, const emit_gpu_work *w,
                     int64_t blocks[3], int threads[3], int64_t *shared)
{
    (void)code;
    *shared = 0;
    if (w->list) {
        const int all = EMIT_LIST_THREADS;
        threads[0] = all;
        blocks[0] = blocks_for(w->count, all, INT32_MAX);
        threads[1] = threads[2] = 1;
        blocks[1] = blocks[2] = 1;
    } else if (k->reductions) {
        extent_of_pieces(w, blocks, threads);
    } else {
        extent_of_box(&k->schedule, w, blocks, threads);
    }
}
