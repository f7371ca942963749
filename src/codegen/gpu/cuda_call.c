/* SPDX-License-Identifier: BSD-3-Clause */
/* A call of a stage's kernel: its argument, its blocks and threads, its shared memory. */
#include "codegen/codegen_private.h"

/* ---- kernels ----------------------------------------------------------------------- */

static int64_t numbers_of(const bool *used, int64_t count, int *number)
{
    int64_t found = 0;

    for (int64_t k = 0; k < count; k++)
        if (used[k])
            number[found++] = (int)k;
    return found;
}

static int64_t bytes_of_numbers(const emit_gpu_kernel *k)
{
    const int64_t each = (int64_t)pav_type_size(k->real);

    return (k->seeds * 8 + (k->uniforms - k->seeds) * each + 7) / 8 * 8;
}

static int64_t bytes_of_argument(const emit_gpu_kernel *k)
{
    const schedule_uniforms where = k->schedule.coefficients;
    const int64_t numbers = where == UNIFORMS_ARGUMENT ? k->number_bytes
                            : where == UNIFORMS_CONSTANT || k->uniforms == 0
                                ? 0
                                : (int64_t)sizeof(void *);
    const int64_t bytes = (int64_t)sizeof(emit_gpu_work) +
                          k->slots * (int64_t)sizeof(emit_grid) +
                          k->tables * (int64_t)sizeof(double *) + numbers;
    const int64_t suits = k->parts > 0 ? (int64_t) _Alignof(emit_gpu_tensor) : 1;

    return (bytes + suits - 1) / suits * suits +
           k->parts * (int64_t)sizeof(emit_gpu_tensor);
}

/* Moves the lists of the survey to the kernel. */
static pav_status take_lists(emit_stage *e, emit_gpu_kernel *k)
{
    k->slot = e->slot;
    k->slots = e->slots;
    e->slot = NULL;
    k->table = mem_new(e->code->tables + 1, sizeof *k->table);
    k->uniform = mem_new(e->code->uniforms + 1, sizeof *k->uniform);
    if (!k->table || !k->uniform)
        return PAV_ENOMEM;
    k->tables = numbers_of(e->table, e->code->tables, k->table);
    k->uniforms = cuda_order_uniforms(e, k->uniform, &k->seeds);
    k->real = e->real;
    k->number_bytes = bytes_of_numbers(k);
    k->argument_bytes = bytes_of_argument(k);
    k->fixed = k->schedule.coefficients == UNIFORMS_SHARED ? k->number_bytes : 0;
    return PAV_OK;
}

pav_status emit_gpu_kernel_of(const ir *code, const ir_stage *stage,
                              const schedule *requested, emit_gpu_kernel *k)
{
    emit_stage e;

    *k = (emit_gpu_kernel){.schedule = cuda_with_defaults(code, stage, requested),
                           .reductions = ir_reductions(stage)};
    k->ghosts = cuda_stores_ghosts(code, stage, &k->schedule);
    k->around = cuda_wraps_around(code, stage, &k->schedule);
    TRY(emit_survey(code, stage, &e));
    e.schedule = &k->schedule;
    k->alike = cuda_may_index(&e);
    pav_status status = cuda_sweep_shared(&e, k);
    if (status == PAV_OK)
        status = take_lists(&e, k);
    emit_survey_close(&e);
    if (status != PAV_OK)
        emit_gpu_kernel_free(k);
    return status;
}

/* ---- calls ------------------------------------------------------------------------- */

/* The least power of two not below `count`, at most `most`. */
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

/* If a box is narrow along an axis, the spare threads go to the next axis. */
void cuda_extent_point(const ir *code, const schedule *s, const emit_gpu_work *w,
                       int64_t blocks[3], int threads[3])
{
    (void)code;
    const int all = s->tile.size[0] * s->tile.size[1];
    const int64_t ny = w->hi[1] - w->lo[1], nz = w->hi[2] - w->lo[2];

    threads[0] = power_within(w->hi[0] - w->lo[0], s->tile.size[0]);
    threads[1] = power_within(ny, all / threads[0]);
    threads[2] = power_within(nz, all / (threads[0] * threads[1]));
    threads[2] = threads[2] < GPU_BLOCK_Z ? threads[2] : GPU_BLOCK_Z;
    blocks[0] = blocks_along_x(w, threads[0]);
    blocks[1] = blocks_for(ny, threads[1], INT64_MAX);
    blocks[2] = blocks_for(nz, threads[2], INT64_MAX);
    if (blocks[1] > GPU_GRID_YZ || blocks[2] > GPU_GRID_YZ) {
        blocks[0] *= blocks[1] * blocks[2]; /* in one line: kernel_point.cuh */
        blocks[1] = blocks[2] = 1;
    }
}

/* A row of threads is one piece wide. For shorter rows it is the least block of the tree
 * that contains the row; more rows then fill whole warps. */
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
    blocks[1] = blocks_for(w->hi[1] - w->lo[1], threads[1], GPU_GRID_YZ);
    blocks[2] = blocks_for(w->hi[2] - w->lo[2], 1, GPU_GRID_YZ);
}

void cuda_extent_sweep(const ir *code, const schedule *s, const emit_gpu_work *w,
                       int64_t blocks[3], int threads[3])
{
    const int axis = code->dim - 1;

    threads[0] = s->tile.size[0];
    threads[1] = s->tile.size[1];
    threads[2] = 1;
    blocks[0] = blocks_along_x(w, threads[0] * s->thread.size[0]);
    blocks[1] = blocks_for(w->hi[1] - w->lo[1], threads[1] * s->thread.size[1],
                           GPU_GRID_YZ);
    blocks[2] = 1;
    blocks[axis] = blocks_for(w->hi[axis] - w->lo[axis], w->planes, GPU_GRID_YZ);
}

void emit_gpu_extent(const ir *code, const emit_gpu_kernel *k, const emit_gpu_work *w,
                     int64_t blocks[3], int threads[3], int64_t *shared)
{
    *shared = w->list ? 0 : k->shared;
    if (w->list) {
        const int all = EMIT_LIST_THREADS;
        threads[0] = all;
        blocks[0] = blocks_for(w->count, all, INT32_MAX);
        threads[1] = threads[2] = 1;
        blocks[1] = blocks[2] = 1;
    } else if (k->reductions) {
        extent_of_pieces(w, blocks, threads);
    } else {
        cuda_kind_of(k->schedule.kind)->extent(code, &k->schedule, w, blocks, threads);
    }
}
