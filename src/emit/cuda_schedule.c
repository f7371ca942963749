/* SPDX-License-Identifier: BSD-3-Clause */
/* Which stages have kernels for GPUs, by which schedules they can go, and what a call of one needs. */
#include "emit/emit_private.h"

enum {
    BLOCK_X = 64, /* threads of a POINT */
    BLOCK_Y = 4,
    STREAM_X = 32, /* of a STREAM */
    STREAM_Y = 8,
    MOST_THREADS = 1024,
    MOST_Z = 64,
    MOST_BLOCKS = 65535,
    MOST_LINES =
        4000 /* of values that a STREAM computes; compilers take more than linear time */
};

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

/* Points along x that make 16 bytes of the largest numbers that are read or stored. */
static int usual_vector(const ir *code, const ir_stage *stage)
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

/* Why no walk from plane to plane computes the stage; NULL: one can. */
static const char *stream_refusal(const ir *code, const ir_stage *stage)
{
    if (reductions_of(stage) > 0)
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

static bool has_rows(const ir *code, const ir_stage *stage, int rows)
{
    const box b = ir_stage_box(code, stage);

    return code->dim == 2 || b.hi[1] - b.lo[1] >= rows;
}

static bool is_listed(const ir *code, const ir_stage *stage)
{
    return is_in(&code->step, stage - code->stage);
}

static emit_gpu_schedule usual_point(const ir *code, const ir_stage *stage)
{
    emit_gpu_schedule s = {
        .form = EMIT_GPU_POINT, .threads = {BLOCK_X, BLOCK_Y}, .vector = 1, .rows = 1};

    if (reductions_of(stage) > 0 || code->dim == 1) {
        s.threads[0] = reductions_of(stage) > 0 ? EMIT_PIECE : BLOCK_X * BLOCK_Y;
        s.threads[1] = 1;
    }
    return s;
}

static emit_gpu_schedule usual_stream(const ir *code, const ir_stage *stage)
{
    emit_gpu_schedule s = {.form = EMIT_GPU_STREAM,
                           .threads = {STREAM_X, STREAM_Y},
                           .vector = usual_vector(code, stage),
                           .rows = 1};

    if (code->dim == 2) {
        s.threads[0] = STREAM_X * STREAM_Y;
        s.threads[1] = 1;
    }
    while (s.vector > 1 && stage->count * s.vector > MOST_LINES)
        s.vector /= 2;
    return s;
}

/* What runs once, or on faces only, goes point by point. */
emit_gpu_schedule cuda_usual(const ir *code, const ir_stage *stage)
{
    return is_listed(code, stage) && !stream_refusal(code, stage)
               ? usual_stream(code, stage)
               : usual_point(code, stage);
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

static int wanted_or(int wanted, int usual)
{
    return wanted > 0 ? wanted : usual;
}

static emit_gpu_schedule settled(const ir *code, const ir_stage *stage,
                                 const emit_gpu_schedule *wanted)
{
    if (!wanted || wanted->form == EMIT_GPU_USUAL || !is_listed(code, stage))
        return cuda_usual(code, stage);
    emit_gpu_schedule s = wanted->form == EMIT_GPU_POINT ? usual_point(code, stage)
                                                         : usual_stream(code, stage);
    s.blocks = wanted->blocks;
    s.source = wanted->source;
    s.ahead = wanted->ahead;
    if (s.form == EMIT_GPU_STREAM) {
        s.vector = wanted_or(wanted->vector, s.vector);
        s.rows = code->dim == 3 ? wanted_or(wanted->rows, s.rows) : 1;
    }
    if (reductions_of(stage) > 0)
        return s;
    s.threads[0] = wanted_or(wanted->threads[0], s.threads[0]);
    if (s.form == EMIT_GPU_POINT || code->dim == 3)
        s.threads[1] = wanted_or(wanted->threads[1], s.threads[1]);
    return s;
}

static bool is_power(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

const char *emit_gpu_refusal(const ir *code, const ir_stage *stage,
                             const emit_gpu_schedule *schedule)
{
    const emit_gpu_schedule s = settled(code, stage, schedule);

    if (!is_power(s.threads[0]) || !is_power(s.vector))
        return "the threads of a block along x, and the points of each, have to be "
               "powers of two";
    if (s.threads[0] * s.threads[1] > MOST_THREADS)
        return "a block has at most 1024 threads";
    if (s.form == EMIT_GPU_POINT)
        return NULL;
    if (s.vector > usual_vector(code, stage))
        return "a thread loads at most 16 bytes at once";
    if (s.source != EMIT_GPU_CACHE || s.ahead > 0)
        return "streams find neighbours in the cache only, and read nothing ahead yet";
    if (s.rows > 1 && !has_rows(code, stage, s.rows))
        return "a thread takes more rows than there are";
    return stream_refusal(code, stage);
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

static int64_t blocks_for(int64_t count, int64_t threads, int64_t most)
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

static void extent_of_walks(const ir *code, const emit_gpu_schedule *s,
                            const emit_gpu_work *w, int64_t blocks[3], int threads[3])
{
    const int axis = code->dim - 1;

    threads[0] = s->threads[0];
    threads[1] = s->threads[1];
    threads[2] = 1;
    blocks[0] = blocks_along_x(w, threads[0] * s->vector);
    blocks[1] = blocks_for(w->hi[1] - w->lo[1], threads[1] * s->rows, MOST_BLOCKS);
    blocks[2] = 1;
    blocks[axis] = blocks_for(w->hi[axis] - w->lo[axis], w->planes, MOST_BLOCKS);
}

void emit_gpu_extent(const ir *code, const emit_gpu_kernel *k, const emit_gpu_work *w,
                     int64_t blocks[3], int threads[3], int64_t *shared)
{
    *shared = 0;
    if (w->list) {
        const int all = EMIT_LIST_THREADS;
        threads[0] = all;
        blocks[0] = blocks_for(w->count, all, INT32_MAX);
        threads[1] = threads[2] = 1;
        blocks[1] = blocks[2] = 1;
    } else if (k->reductions) {
        extent_of_pieces(w, blocks, threads);
    } else if (k->schedule.form == EMIT_GPU_STREAM) {
        extent_of_walks(code, &k->schedule, w, blocks, threads);
    } else {
        extent_of_box(&k->schedule, w, blocks, threads);
    }
}
