/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages with kernels on GPUs, and their default schedules. */
#include "codegen/codegen_private.h"

enum {
    BLOCK_X = 2 * GPU_WARP, /* threads of a POINT */
    BLOCK_Y = 4,
    STREAM_X = GPU_WARP, /* of a SWEEP */
    STREAM_Y = 8,
    NARROWEST = 8,
    NARROW = 64, /* largest extent along y too small for a block with shared planes */
    OF_MANY = 2, /* points along x of a thread with many fields */
    FAR = 3,     /* radius along y from which sharing is better */
    DEFAULT_PREFETCH = 2,
    MOST_WIDE = 1600, /* most values of a thread tile, if the size is free */
};

/* ---- stages with kernels ----------------------------------------------------------- */

bool emit_gpu_has_kernel(const ir *code, const ir_stage *stage)
{
    emit_gpu_kernel k;

    if (!emit_has_kernel(stage) ||
        (emit_gpu_differs(stage) && !cuda_is_of_step(code, stage)))
        return false;
    if (emit_gpu_kernel_of(code, stage, NULL, &k) != PAV_OK)
        return false;
    const bool fits = k.argument_bytes <= GPU_MOST_ARGUMENT &&
                      k.number_bytes <= GPU_MOST_ARGUMENT;
    emit_gpu_kernel_free(&k);
    return fits;
}

/* ---- schedules --------------------------------------------------------------------- */

static schedule default_point(const ir *code, const ir_stage *stage)
{
    schedule s = {.kind = SCHEDULE_POINT,
                  .tile.size = {BLOCK_X, BLOCK_Y},
                  .thread.size[0] = 1,
                  .thread.size[1] = 1};

    if (ir_reductions(stage) > 0 || code->dim == 1) {
        s.tile.size[0] = ir_reductions(stage) > 0 ? EMIT_PIECE : BLOCK_X * BLOCK_Y;
        s.tile.size[1] = 1;
    }
    return s;
}

int64_t emit_gpu_sweep_registers(const ir *code, const ir_stage *stage, const schedule *s)
{
    enum { HALF = 2 };
    emit_slot *slot = mem_new(stage->count + stage->outputs + 1, sizeof *slot);
    int64_t read = 0;

    for (int64_t k = 0; slot && k < emit_slots(stage, slot); k++)
        read += HALF * cuda_planes_in_registers(&slot[k], stage, code->dim - 1);
    for (int64_t k = 0; k < stage->count; k++)
        read += stage->node[k].op == IR_LOAD;
    mem_free(slot);
    return int_parts(read * s->thread.size[0] * s->thread.size[1] *
                         (stage->real == PAV_F64 ? 2 : 1),
                     HALF);
}

bool cuda_fits_registers(const ir *code, const ir_stage *stage, const schedule *s)
{
    return emit_gpu_sweep_registers(code, stage, s) <= GPU_SWEEP_REGISTERS;
}

static schedule default_sweep(const ir *code, const ir_stage *stage)
{
    schedule s = {.kind = SCHEDULE_SWEEP,
                  .tile.size = {STREAM_X, STREAM_Y},
                  .thread.size[0] = cuda_default_vector(code, stage),
                  .thread.size[1] = 1};

    if (code->dim == 2) {
        s.tile.size[0] = STREAM_X * STREAM_Y;
        s.tile.size[1] = 1;
    }
    if (s.thread.size[0] > OF_MANY && cuda_has_many_fields(code, stage))
        s.thread.size[0] = OF_MANY;
    while (s.thread.size[0] > 1 &&
           !(cuda_is_short(stage, &s) && cuda_fits_registers(code, stage, &s)))
        s.thread.size[0] /= 2;
    return s;
}

static int requested_or(int requested, int usual)
{
    return requested > 0 ? requested : usual;
}

static int default_prefetch(const schedule *s)
{
    if (s->tile.storage != STORAGE_SHARED)
        return 0;
    return s->tile.copy == COPY_REMAP ? 1 : DEFAULT_PREFETCH;
}

/* The threads of a block are fixed to a piece for a stage with reductions. */
static void settle_block(const ir_stage *stage, const schedule *requested, bool has_rows,
                         schedule *s)
{
    s->blocks = requested->blocks;
    s->plain = requested->plain;
    s->ghosts = requested->ghosts;
    if (ir_reductions(stage) > 0)
        return;
    s->tile.size[0] = requested_or(requested->tile.size[0], s->tile.size[0]);
    if (has_rows)
        s->tile.size[1] = requested_or(requested->tile.size[1], s->tile.size[1]);
}

schedule cuda_settle_point(const ir *code, const ir_stage *stage,
                           const schedule *requested)
{
    schedule s = default_point(code, stage);

    settle_block(stage, requested, true, &s);
    return s;
}

schedule cuda_settle_sweep(const ir *code, const ir_stage *stage,
                           const schedule *requested)
{
    schedule s = default_sweep(code, stage);

    settle_block(stage, requested, code->dim == 3, &s);
    s.tile.storage = requested->tile.storage;
    s.planes = requested->planes;
    s.tile.copy = s.tile.storage == STORAGE_SHARED ? requested->tile.copy : COPY_ASYNC;
    s.input = requested->input;
    s.unroll = requested->unroll;
    s.tile.ahead = requested_or(requested->tile.ahead, default_prefetch(&s));
    s.prefetch = requested->prefetch;
    s.thread.size[0] = requested_or(requested->thread.size[0],
                                    s.plain ? 1 : s.thread.size[0]);
    s.thread.size[1] = code->dim == 3
                           ? requested_or(requested->thread.size[1], s.thread.size[1])
                           : 1;
    return s;
}

static schedule settled_form(const ir *code, const ir_stage *stage,
                             const schedule *requested)
{
    if (!requested || emit_gpu_is_open(requested) || !cuda_is_listed(code, stage))
        return cuda_default(code, stage);
    return cuda_kind_of(requested->kind)->settle(code, stage, requested);
}

/* A sweep loads global uniforms into registers, so many uniforms go into the argument. */
static schedule_uniforms default_place(const ir *code, const ir_stage *stage)
{
    enum { FEW = 8 };

    return cuda_is_of_step(code, stage) && cuda_uniforms_change(code, stage) &&
                   (!cuda_is_listed(code, stage) || cuda_reads_live(code, stage) ||
                    cuda_count_uniforms(code, stage) <= FEW)
               ? UNIFORMS_GLOBAL
               : UNIFORMS_ARGUMENT;
}

schedule cuda_with_defaults(const ir *code, const ir_stage *stage,
                            const schedule *requested)
{
    schedule s = settled_form(code, stage, requested);

    s.coefficients = requested && requested->coefficients != UNIFORMS_DEFAULT
                         ? requested->coefficients
                         : default_place(code, stage);
    return s;
}

void emit_gpu_leave_defaults(const ir *code, const ir_stage *stage, schedule *s)
{
    if (s->coefficients == default_place(code, stage))
        s->coefficients = UNIFORMS_DEFAULT;
    if (s->thread.size[1] == 1)
        s->thread.size[1] = 0;
}

int emit_gpu_oldest(const schedule *s)
{
    return s->tile.copy == COPY_TMA &&
                   (s->tile.storage == STORAGE_SHARED || s->kind == SCHEDULE_GPU_TIME)
               ? GPU_TENSOR_OLDEST
               : GPU_OLDEST;
}

const gpu_facts *cuda_reference(void)
{
    return gpu_facts_default();
}

/* ---- the default ------------------------------------------------------------------- */

/* Estimates if the compiler needs no spills, from measured registers of stars and waves
 * of many orders. */
bool cuda_has_registers(const ir_stage *stage, const schedule *s)
{
    emit_slot *slot = mem_new(stage->count + stage->outputs + 1, sizeof *slot);
    int requested = GPU_BASE_REGISTERS -
                    (s->tile.copy == COPY_TMA ? GPU_COPY_REGISTERS : 0);

    for (int64_t k = 0; slot && k < emit_slots(stage, slot); k++) {
        const int planes = cuda_planes_in_registers(&slot[k], stage, 2);
        requested += planes * s->thread.size[1] * GPU_PLANE_REGISTERS +
                     (planes > 0 ? GPU_SLOT_REGISTERS : 0);
    }
    const bool enough = slot && requested <= GPU_THREAD_REGISTERS &&
                        requested * s->tile.size[0] * s->tile.size[1] <=
                            gpu_facts_architecture(cuda_reference())->registers;
    mem_free(slot);
    return enough;
}

bool cuda_is_narrow(const ir_stage *stage, const schedule *s)
{
    return stage->count * s->thread.size[0] * s->thread.size[1] <= MOST_WIDE;
}

static bool has_tile(const ir *code, const ir_stage *stage, const schedule *s)
{
    const box b = ir_stage_box(code, stage);

    return b.hi[0] - b.lo[0] >= (int64_t)s->tile.size[0] * s->thread.size[0] &&
           b.hi[1] - b.lo[1] >= (int64_t)s->tile.size[1] * s->thread.size[1];
}

/* The first candidate with shared planes that fits in memory and registers. */
static bool find_shared(const ir *code, const ir_stage *stage, schedule *s)
{
    static const struct {
        int y, rows, ahead;
    } candidate[] = {{16, 2, 2}, {12, 2, 2}, {16, 1, 2}, {12, 1, 2}, {12, 1, 1}};

    for (size_t n = 0; n < COUNT_OF(candidate); n++) {
        schedule requested = *s;
        requested.tile.storage = STORAGE_SHARED;
        requested.tile.size[1] = candidate[n].y;
        requested.thread.size[1] = candidate[n].rows;
        requested.tile.ahead = candidate[n].ahead;
        /* only one fits; otherwise compilers reserve registers for more */
        requested.blocks = 1;
        const int64_t bytes = cuda_shared_bytes(code, stage, &requested);
        if (bytes > 0 && bytes <= gpu_shared_everywhere() &&
            has_tile(code, stage, &requested) && cuda_is_narrow(stage, &requested) &&
            cuda_has_registers(stage, &requested)) {
            *s = requested;
            return true;
        }
    }
    return false;
}

/* Narrows the block along x to the points of a strip along y. Returns true for such a
 * strip, or for a strip along x. */
static bool narrow_tile(const ir *code, const ir_stage *stage, schedule *s)
{
    const box b = ir_stage_box(code, stage);
    const int64_t packs = int_parts(b.hi[0] - b.lo[0], s->thread.size[0]);

    if (!stage->stands_in || code->dim != 3)
        return false;
    while (s->tile.size[0] > NARROWEST && s->tile.size[0] >= 2 * packs) {
        s->tile.size[0] /= 2;
        s->tile.size[1] *= 2;
    }
    return s->tile.size[0] < STREAM_X || b.hi[1] - b.lo[1] <= NARROW;
}

/* Stages that run once, or on faces only, use the schedule point. */
schedule cuda_default(const ir *code, const ir_stage *stage)
{
    if (!cuda_is_listed(code, stage) || cuda_sweep_refusal(code, stage))
        return default_point(code, stage);
    schedule s = default_sweep(code, stage);
    if (narrow_tile(code, stage, &s))
        return s;
    if (code->dim == 3 && cuda_radius(stage, 1) >= FAR)
        (void)find_shared(code, stage, &s);
    return s;
}
