/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule of a stage on a GPU: the properties of stages that matter for it, the
 * defaults of the options left open, the candidates of autotuning, and the reasons
 * against a schedule. */
#include <string.h>

#include "codegen/codegen_private.h"

/* ---- properties of a stage --------------------------------------------------------- */

enum {
    MOST_LINES = 4000 /* values of a thread; compile time grows faster than linearly */
};

bool cuda_is_injected(const ir *code, const ir_stage *stage)
{
    for (int64_t k = 0; k < code->injections.count; k++) {
        const ir_list *list = &code->injections.item[k].list;
        if (list->count > 0 && &code->stage[list->stage[list->count - 1]] == stage)
            return true;
    }
    return false;
}

/* True for stages of a step itself, of its borders and of its sources. */
static bool is_of_step(const ir *code, const ir_stage *stage)
{
    const ir_known *k = ir_known_of(code, stage);

    return (k && (k->in_step || k->of_border)) || cuda_is_injected(code, stage);
}

static bool is_listed(const ir *code, const ir_stage *stage)
{
    return stage->stands_in || cuda_is_called(code, stage);
}

bool cuda_is_called(const ir *code, const ir_stage *stage)
{
    const ir_known *k = ir_known_of(code, stage);

    return k && k->in_step;
}

/* The farthest neighbour along an axis. */
static int radius_along(const ir_stage *stage, int axis)
{
    const emit_reach r = emit_reach_of(stage, -1, 0);

    return int_most(r.far[axis][0], r.far[axis][1]);
}

int cuda_default_vector(const ir *code, const ir_stage *stage)
{
    int size = 1;

    for (int64_t k = 0; k < stage->count; k++)
        if (stage->node[k].op == IR_LOAD)
            size = int_most(
                size, (int)pav_type_size(code->field[stage->node[k].field].storage));
    for (int64_t k = 0; k < stage->outputs; k++)
        if (stage->output[k].kind == IR_STORE)
            size = int_most(
                size, (int)pav_type_size(code->field[stage->output[k].field].storage));
    return 16 / size;
}

static const char too_long[] =
    "a thread would compute so many points that compilers take minutes";

static const char *sweep_refusal(const ir *code, const ir_stage *stage)
{
    if (stage->count > MOST_LINES)
        return too_long;
    if (ir_reductions(stage) > 0)
        return "its reduction adds up pieces of rows, not planes";
    if (code->dim == 1)
        return "a grid of one dimension has no planes to stream";
    if (cuda_is_injected(code, stage))
        return "injections change single points, not planes";
    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));) {
        if (n->transfer != IR_SAME)
            return "it reads another grid than its own";
        for (int64_t o = 0; o < stage->outputs; o++)
            if (stage->output[o].field == n->field && stage->output[o].level == n->level)
                return "it reads a level that it also stores";
    }
    return NULL;
}

static bool is_short(const ir_stage *stage, const schedule *s)
{
    return stage->count * s->thread.size[0] * s->thread.size[1] <= MOST_LINES;
}

bool emit_gpu_is_open(const schedule *s)
{
    const schedule bare = {.kind = s->kind};

    return s->kind == SCHEDULE_AUTO || schedule_groups_stages(s) ||
           schedule_fuses_steps(s) ||
           (s->kind == SCHEDULE_TWO_PASS && schedule_is_same(s, &bare));
}

/* The kernel's shared memory and boxes; 0 bytes if nothing is shared. */
static emit_gpu_kernel shares(arena *a, const ir *code, const ir_stage *stage,
                              const schedule *s)
{
    emit_gpu_kernel k = {0};
    emit_stage e = emit_survey(
        (emit_stage){.code = code, .stage = stage, .arena = a, .schedule = s});

    cuda_sweep_shared(&e, &k);
    return k;
}

static pav_status find_bytes(arena *a, const ir *code, const ir_stage *stage,
                             const schedule *s, int64_t *bytes)
{
    *bytes = shares(a, code, stage, s).shared;
    return PAV_OK;
}

static void find_shared_bytes(const ir *code, const ir_stage *stage, const schedule *s,
                              int64_t *bytes)
{
    pav_status status;

    *bytes = 0;
    IN_ARENA(a, status, find_bytes(a, code, stage, s, bytes));
    if (status != PAV_OK)
        *bytes = 0;
}

/* ---- defaults ---------------------------------------------------------------------- */

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

/* True if the argument of a kernel is short by any schedule, however many tables,
 * uniforms and tensors of the stage's levels it has. Runs ask at every turn, and nearly
 * all stages are short, so this needs neither memory nor a survey. */
static bool is_surely_short(const ir_stage *stage)
{
    enum { FEW = 16, LEVEL = sizeof(emit_grid) + sizeof(emit_gpu_tensor) };
    emit_slot level[FEW];
    int64_t levels = 0, others = 0;

    for (const ir_node *n = NULL; levels < FEW && (n = ir_next_node(stage, n));) {
        bool is_new = n->op == IR_LOAD;
        for (int64_t l = 0; l < levels && is_new; l++)
            is_new = level[l].field != n->field || level[l].level != n->level;
        if (is_new)
            level[levels++] = (emit_slot){.field = n->field, .level = n->level};
        others += n->op == IR_TABLE || n->op == IR_UNIFORM || n->op == IR_RANDOM;
    }
    const int64_t numbers = others * (int64_t)sizeof(double) + (int64_t)sizeof(void *);
    const int64_t bytes = (int64_t)sizeof(emit_gpu_work) + numbers +
                          (levels + stage->outputs) * LEVEL +
                          (int64_t) _Alignof(emit_gpu_tensor);
    return levels < FEW && bytes <= GPU_MOST_ARGUMENT;
}

bool emit_gpu_has_kernel(const ir *code, const ir_stage *stage)
{
    if (!emit_fits_kernel(stage) || !cuda_transform_fits(code, stage))
        return false;
    if (is_surely_short(stage))
        return true;
    OWNED_BY(emit_gpu_kernel_free) emit_gpu_kernel k = {0};
    return emit_gpu_kernel_of(code, stage, NULL, &k) == PAV_OK &&
           k.argument_bytes <= GPU_MOST_ARGUMENT && k.number_bytes <= GPU_MOST_ARGUMENT;
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
    OWNED emit_slot *slot = mem_new(stage->count + stage->outputs + 1, sizeof *slot);
    int64_t read = 0;

    for (int64_t k = 0; slot && k < emit_slots(stage, slot); k++)
        read += s->input
                    ? HALF
                    : HALF * cuda_planes_loaded(stage, &slot[k], code->dim - 1, false);
    for (int64_t k = 0; k < stage->count; k++)
        read += stage->node[k].op == IR_LOAD;
    return int_parts(read * s->thread.size[0] * s->thread.size[1] *
                         (stage->real == PAV_F64 ? 2 : 1),
                     HALF);
}

static bool fits_registers(const ir *code, const ir_stage *stage, const schedule *s)
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
    if (s.thread.size[0] > OF_MANY && cuda_has_many_fields(code, stage, false))
        s.thread.size[0] = OF_MANY;
    while (s.thread.size[0] > 1 &&
           !(is_short(stage, &s) && fits_registers(code, stage, &s)))
        s.thread.size[0] /= 2;
    return s;
}

static int requested_or(int requested, int usual)
{
    return requested > 0 ? requested : usual;
}

static int default_prefetch(const schedule *s)
{
    return s->tile.storage != STORAGE_SHARED ? 0
           : s->tile.copy == COPY_REMAP      ? 1
                                             : DEFAULT_PREFETCH;
}

/* The threads of a block are fixed to a piece for a stage with reductions. */
static void settle_block(const ir_stage *stage, const schedule *requested, bool has_rows,
                         schedule *s)
{
    s->blocks = requested->blocks;
    s->plain = requested->plain;
    if (ir_reductions(stage) > 0)
        return;
    s->tile.size[0] = requested_or(requested->tile.size[0], s->tile.size[0]);
    if (has_rows)
        s->tile.size[1] = requested_or(requested->tile.size[1], s->tile.size[1]);
}

static schedule settle_point(const ir *code, const ir_stage *stage,
                             const schedule *requested)
{
    schedule s = default_point(code, stage);

    settle_block(stage, requested, true, &s);
    return s;
}

static schedule settle_sweep(const ir *code, const ir_stage *stage,
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

/* A stage may stand in for another one in a thin strip along a face. For a strip along y
 * the block gets the strip's width along x. Returns true for a strip along x or y. */
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

static bool has_tile(const ir *code, const ir_stage *stage, const schedule *s)
{
    const box b = ir_stage_box(code, stage);

    return b.hi[0] - b.lo[0] >= (int64_t)s->tile.size[0] * s->thread.size[0] &&
           b.hi[1] - b.lo[1] >= (int64_t)s->tile.size[1] * s->thread.size[1];
}

/* True if the thread tile is so small that a trial is worth the time of the compiler. */
static bool is_narrow(const ir_stage *stage, const schedule *s)
{
    return stage->count * s->thread.size[0] * s->thread.size[1] <= MOST_WIDE;
}

/* Estimates if the compiler needs no spills, from measured registers of stars and waves
 * of many orders. */
static bool has_registers(const ir_stage *stage, const schedule *s)
{
    OWNED emit_slot *slot = mem_new(stage->count + stage->outputs + 1, sizeof *slot);
    int requested = GPU_BASE_REGISTERS -
                    (s->tile.copy == COPY_TMA ? GPU_COPY_REGISTERS : 0);

    for (int64_t k = 0; slot && k < emit_slots(stage, slot); k++) {
        const int planes = cuda_planes_loaded(stage, &slot[k], 2, false);
        requested += planes * s->thread.size[1] * GPU_PLANE_REGISTERS +
                     (planes > 0 ? GPU_SLOT_REGISTERS : 0);
    }
    return slot && requested <= GPU_THREAD_REGISTERS &&
           requested * s->tile.size[0] * s->tile.size[1] <=
               gpu_facts_architecture(cuda_reference())->registers;
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
        int64_t bytes;
        find_shared_bytes(code, stage, &requested, &bytes);
        if (bytes > 0 && bytes <= gpu_shared_everywhere() &&
            has_tile(code, stage, &requested) && is_narrow(stage, &requested) &&
            has_registers(stage, &requested)) {
            *s = requested;
            return true;
        }
    }
    return false;
}

/* Stages that run once, or on faces only, use the schedule point. */
static schedule cuda_default(const ir *code, const ir_stage *stage)
{
    if (!is_listed(code, stage) || sweep_refusal(code, stage))
        return default_point(code, stage);
    schedule s = default_sweep(code, stage);
    if (narrow_tile(code, stage, &s))
        return s;
    if (code->dim == 3 && radius_along(stage, 1) >= FAR)
        (void)find_shared(code, stage, &s);
    return s;
}

/* A sweep loads global uniforms into registers, so many uniforms go into the argument. */
static schedule_uniforms default_place(const ir *code, const ir_stage *stage)
{
    enum { FEW = 8 };

    return cuda_uniforms_change(code, stage) && is_of_step(code, stage) &&
                   (!is_listed(code, stage) || emit_gpu_reads_live(code, stage) ||
                    cuda_count_uniforms(stage) <= FEW)
               ? UNIFORMS_GLOBAL
               : UNIFORMS_ARGUMENT;
}

schedule cuda_with_defaults(const ir *code, const ir_stage *stage,
                            const schedule *requested)
{
    schedule s = !requested || emit_gpu_is_open(requested) || !is_listed(code, stage)
                     ? cuda_default(code, stage)
                     : cuda_kind_of(requested->kind)->settle(code, stage, requested);

    s.coefficients = requested && requested->coefficients != UNIFORMS_DEFAULT
                         ? requested->coefficients
                         : default_place(code, stage);
    if (stage->transform && requested && requested->tile.size[0] > 0)
        s.tile.size[0] = requested->tile.size[0];
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

/* ---- candidates -------------------------------------------------------------------- */
/* Candidates for the schedule of a stage. No formula predicts the rows and threads that
 * suit a GPU's caches, registers and memory best, so a run measures these candidates in
 * its first steps. Large stages are not worth the compiler's time: they use the default
 * alone. */

enum {
    ALL_KEPT = -1, /* replaced by the number of planes of its points in a thread */
    MOST_UNROLLED = 13
};
#define SHARED .tile.storage = STORAGE_SHARED
#define TMA .tile.copy = COPY_TMA
#define ALONE                                                                            \
    SHARED, .blocks = 1 /* only one block fits in a multiprocessor   \
                                   */

/* With radius 1 neighbours come through the cache; with a larger radius planes may be
 * shared. */
static const schedule near[] = {
    {.tile.size = {GPU_WARP, 8}, .thread.size[1] = 2},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 1},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 2},
    {.tile.size = {GPU_WARP, 8}, .thread.size[1] = 1, .blocks = 5},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 2, .prefetch = 3},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 3, .prefetch = 1},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 1, .prefetch = 1, .unroll = ALL_KEPT},
    {SHARED, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 2,
     .prefetch = 1},
    {ALONE, TMA, .tile.size = {GPU_WARP, 16}, .thread.size[1] = 2, .tile.ahead = 2},
    {ALONE, TMA, .tile.size = {2 * GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 2},
};
static const schedule far[] = {
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 1},
    {ALONE, .tile.size = {GPU_WARP, 16}, .thread.size[1] = 2, .tile.ahead = 2,
     .prefetch = 1},
    {ALONE, TMA, .tile.size = {GPU_WARP, 16}, .thread.size[1] = 2, .tile.ahead = 2},
    {ALONE, TMA, .tile.size = {GPU_WARP, 16}, .thread.size[1] = 2, .tile.ahead = 3},
    {ALONE, TMA, .tile.size = {GPU_WARP, 12}, .thread.size[1] = 2, .tile.ahead = 2},
    {ALONE, TMA, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 1},
    {SHARED, TMA, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 2},
    {SHARED, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 2,
     .unroll = ALL_KEPT},
    {SHARED, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 1, .tile.ahead = 2,
     .unroll = ALL_KEPT},
    {SHARED, .tile.size = {GPU_WARP, 4}, .thread.size[1] = 4, .tile.ahead = 1},
    {SHARED, TMA, .tile.size = {GPU_WARP, 4}, .thread.size[1] = 4, .tile.ahead = 1},
};
/* For many fields. */
static const schedule many[] = {
    {.tile.size = {2 * GPU_WARP, 2}, .thread.size[1] = 1},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 1},
    {.tile.size = {2 * GPU_WARP, 2}, .thread.size = {4, 1}},
    {.tile.size = {2 * GPU_WARP, 4}, .thread.size = {1, 1}},
};
/* For many fields read in several planes: each plane is used for all results as it comes,
 * so a thread carries sums, not planes. */
static const schedule by_plane[] = {
    {.input = true, .tile.size = {GPU_WARP, 4}, .thread.size = {4, 1}},
    {.input = true, .tile.size = {GPU_WARP, 4}, .thread.size = {2, 1}},
    {.input = true, .tile.size = {2 * GPU_WARP, 2}, .thread.size = {4, 1}},
};
/* For strips narrow along x. */
static const schedule narrow[] = {
    {.tile.size = {8, 16}, .thread.size[1] = 1},
    {.tile.size = {8, GPU_WARP}, .thread.size[1] = 2},
    {.tile.size = {GPU_WARP / 2, 16}, .thread.size = {2, 1}},
    {.tile.size = {GPU_WARP, 8}, .thread.size = {1, 1}},
};
static const schedule flat[] = {
    {.tile.size = {4 * GPU_WARP, 1}, .thread.size[1] = 1},
    {.tile.size = {16 * GPU_WARP, 1}, .thread.size[1] = 1},
};

bool cuda_is_new(const schedule *list, int64_t count, const schedule *s)
{
    for (int64_t n = 0; n < count; n++)
        if (schedule_is_same(&list[n], s))
            return false;
    return true;
}

/* A bound on registers suffices only for stages with few loads. */
static bool reads_little(const ir_stage *stage)
{
    enum { LITTLE = 16 };
    int64_t loads = 0;

    for (int64_t k = 0; k < stage->count; k++)
        loads += stage->node[k].op == IR_LOAD;
    return loads <= LITTLE;
}

/* False if the candidate would spill, leave threads idle, or is refused. */
static bool is_worth(const ir *code, const ir_stage *stage, const schedule *s)
{
    const ir_output *o = &stage->output[0];

    /* Wide tiles need rows long enough to fill them. */
    return (code->dim < 3 || s->tile.size[0] <= GPU_WARP || o->kind != IR_STORE ||
            code->field[o->field].extent[0] >=
                (int64_t)s->tile.size[0] * s->thread.size[0]) &&
           is_narrow(stage, s) && !emit_gpu_refusal(code, stage, s) &&
           (s->tile.storage == STORAGE_SHARED
                ? has_registers(stage, s)
                : fits_registers(code, stage, s) &&
                      (s->blocks == 0 || reads_little(stage)));
}

static int64_t add_those(const ir *code, const ir_stage *stage, const schedule *some,
                         size_t of_them, int64_t count, schedule *list)
{
    for (size_t n = 0; n < of_them && count < EMIT_GPU_CANDIDATES; n++) {
        schedule other = some[n];
        other.kind = SCHEDULE_SWEEP;
        if (other.unroll == ALL_KEPT)
            other.unroll = 2 * radius_along(stage, code->dim - 1) + 1;
        if (other.thread.size[0] == 0)
            other.thread.size[0] = list[0].thread.size[0];
        if (other.unroll <= MOST_UNROLLED && is_worth(code, stage, &other) &&
            cuda_is_new(list, count, &other))
            list[count++] = other;
    }
    return count;
}

int64_t emit_gpu_candidates(const ir *code, const ir_stage *stage,
                            schedule list[EMIT_GPU_CANDIDATES])
{
    list[0] = cuda_default(code, stage);
    for (int n = 1; stage->transform && n < 3; n++) { /* fewer lines for older GPUs */
        list[n] = list[0];
        list[n].tile.size[0] = n == 1 ? 2 : 1;
    }
    if (list[0].kind != SCHEDULE_SWEEP)
        return stage->transform ? 3 : 1;
    if (code->dim == 2)
        return add_those(code, stage, flat, COUNT_OF(flat), 1, list);
    if (list[0].tile.size[0] < GPU_WARP)
        return add_those(code, stage, narrow, COUNT_OF(narrow), 1, list);
    if (cuda_has_many_fields(code, stage, false))
        return add_those(code, stage, many, COUNT_OF(many), 1, list);
    if (radius_along(stage, 1) > 1)
        return add_those(code, stage, far, COUNT_OF(far), 1, list);
    const int64_t count = cuda_has_many_fields(code, stage, true)
                              ? add_those(code, stage, by_plane, COUNT_OF(by_plane), 1,
                                          list)
                              : 1;
    return add_those(code, stage, near, COUNT_OF(near), count, list);
}

/* ---- refusals ---------------------------------------------------------------------- */
/* Reasons against a schedule for a stage: a property missing in its nature, for example
 * planes or neighbours; or impossible settings. */

enum {
    MOST_PLANES_UNROLLED = 64,
    MOST_AHEAD = 8,
};

static const char too_large[] = "its planes take more than the " GPU_LIMIT_TEXT(
    GPU_MOST_SHARED_KIB) " KiB of shared memory that a block can have: take fewer "
                         "threads, rows or planes ahead";

/* True if `count` values of each field with loads of neighbours in the plane take this
 * many bytes. */
static bool neighbours_take(const ir *code, const ir_stage *stage, int count, int bytes)
{
    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));)
        for (int axis = 0; axis < code->dim - 1; axis++)
            if (n->offset[axis] != 0 &&
                count * (int)pav_type_size(code->field[n->field].storage) != bytes)
                return false;
    return true;
}

/* ---- coefficients ------------------------------------------------------------------ */

/* Checks a requested place of the uniforms only: the default always fits. */
static const char *place_refusal(const ir *code, const ir_stage *stage,
                                 const schedule *requested)
{
    OWNED_BY(emit_gpu_kernel_free) emit_gpu_kernel k = {0};

    if (!requested || requested->coefficients == UNIFORMS_DEFAULT ||
        emit_gpu_kernel_of(code, stage, requested, &k) != PAV_OK)
        return NULL;
    return k.argument_bytes > GPU_MOST_ARGUMENT
               ? "its coefficients make the argument longer than 4000 bytes: say "
                 "coefficients=global"
           : k.shared + k.fixed <= gpu_shared_most() ? NULL
                                                     : too_large;
}

/* ---- by its nature ----------------------------------------------------------------- */

static const char *sweep_lack(const ir *code, const ir_stage *stage,
                              const schedule *requested)
{
    const schedule kind = {.kind = requested->kind,
                           .tile.storage = requested->tile.storage,
                           .tile.copy = requested->tile.copy,
                           .input = requested->input,
                           .plain = requested->plain};
    const char *why = sweep_refusal(code, stage);

    if (why)
        return why;
    const schedule s = cuda_with_defaults(code, stage, &kind);
    bool shares = s.tile.storage != STORAGE_SHARED;
    for (int64_t k = 0; k < stage->count && !shares; k++)
        shares = cuda_is_neighbour(code, &stage->node[k], &s);

    if (s.tile.storage == STORAGE_REGISTERS && radius_along(stage, 0) == 0)
        return "the stage reads no neighbours along x for threads to exchange";
    if (!shares)
        return "the stage reads no neighbours in a plane for threads to share";
    if (s.tile.copy == COPY_SPLIT && !neighbours_take(code, stage, 1, sizeof(double)))
        return "only fields in f64 are split into halves";
    if (s.input && ir_stage_knows_index(code, stage, code->dim - 1))
        return "its values depend on the index of a plane, not only on values of the "
               "plane";
    return s.input && radius_along(stage, code->dim - 1) == 0
               ? "it reads one plane only, so each plane is used when it arrives anyway"
               : NULL;
}

const char *emit_gpu_lack(const ir *code, const ir_stage *stage,
                          const schedule *requested)
{
    const cuda_kind *form = cuda_kind_of(requested ? requested->kind : SCHEDULE_AUTO);

    return form->lack && is_listed(code, stage) ? form->lack(code, stage, requested)
                                                : NULL;
}

/* ---- all --------------------------------------------------------------------------- */

static bool is_power(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static const char *thread_refusal(const schedule *s)
{
    if (!is_power(s->tile.size[0]) || !is_power(s->thread.size[0]))
        return "the threads of a block along x, and the points of each, have to be "
               "powers of two";
    if (s->tile.size[0] * s->tile.size[1] > GPU_BLOCK_THREADS)
        return "a block has at most " GPU_LIMIT_TEXT(GPU_BLOCK_THREADS) " threads";
    return s->blocks * s->tile.size[0] * s->tile.size[1] >
                   gpu_facts_architecture(cuda_reference())->threads
               ? "a multiprocessor has room for " GPU_LIMIT_TEXT(
                     GPU_MOST_THREADS) " threads: take fewer blocks or threads"
               : NULL;
}

static pav_status check_shared(arena *a, const ir *code, const ir_stage *stage,
                               const schedule *s, const char **why)
{
    const emit_gpu_kernel k = shares(a, code, stage, s);

    *why = k.shared > gpu_shared_most() ? too_large : cuda_box_refusal(&k);
    return PAV_OK;
}

static const char *sweep_settings(const ir *code, const ir_stage *stage,
                                  const schedule *requested, const schedule *s)
{
    if (code->dim == 2 && requested &&
        (requested->thread.size[1] > 1 || requested->tile.size[1] > 1))
        return "a sweep in two dimensions has one row: leave out rows, with one thread "
               "along y";
    if (s->unroll > MOST_PLANES_UNROLLED)
        return "at most 64 planes can be unrolled";
    if (s->prefetch > MOST_AHEAD)
        return "at most 8 planes are prefetched";
    if (s->plain && s->thread.size[0] > 1)
        return "rows without padding are read point by point: no vector with plain";
    if (s->thread.size[0] > cuda_default_vector(code, stage))
        return "a thread loads at most 16 bytes at once";
    if (!is_short(stage, s))
        return too_long;
    const box b = ir_stage_box(code, stage);
    if (s->thread.size[1] > 1 && code->dim != 2 && b.hi[1] - b.lo[1] < s->thread.size[1])
        return "a thread takes more rows than there are";
    if (requested && !emit_gpu_is_open(requested) && requested->tile.copy != COPY_ASYNC &&
        requested->tile.storage != STORAGE_SHARED)
        return "only sweep:shared and two-pass:shared have methods of copying planes";

    if (s->tile.storage == STORAGE_REGISTERS && s->tile.size[0] % GPU_WARP != 0)
        return "threads exchange values within whole warps: take 32 threads along x, or "
               "a multiple";
    if (s->tile.storage != STORAGE_SHARED)
        return s->tile.ahead > 1 ? "planes for registers are read at most one plane ahead"
                                 : NULL;
    if (s->tile.copy == COPY_REMAP && s->tile.ahead > 1)
        return "copies through registers are read exactly one plane ahead";
    if (s->tile.copy == COPY_TMA &&
        !neighbours_take(code, stage, s->thread.size[0], GPU_VECTOR))
        return s->plain
                   ? "rows without padding have no vectors, and the tensor memory "
                     "accelerator copies vectors of 16 bytes: leave out plain or copy=tma"
                   : "the tensor memory accelerator copies vectors of 16 bytes";
    if (s->tile.ahead > MOST_AHEAD)
        return "at most 8 planes are copied ahead";

    const char *why = NULL;
    pav_status status;

    /* Without memory for the answer, printing the kernel fails, too. */
    IN_ARENA(a, status, check_shared(a, code, stage, s, &why));
    return status == PAV_OK ? why : NULL;
}

const char *emit_gpu_refusal(const ir *code, const ir_stage *stage,
                             const schedule *requested)
{
    const char *why = emit_gpu_lack(code, stage, requested);
    if (why)
        return why;
    const schedule s = cuda_with_defaults(code, stage, requested);
    const cuda_kind *form = cuda_kind_of(s.kind);

    why = thread_refusal(&s);
    why = why ? why : place_refusal(code, stage, requested);
    return why || !form->refusal ? why : form->refusal(code, stage, requested, &s);
}

/* ---- requested schedules ----------------------------------------------------------- */
/* A schedule requested for a whole program. Stages without neighbours to share, and
 * reductions, use their default. But some stage of the step must use the requested
 * schedule, and no stage may contradict its settings. */

static void refuse(const ir_stage *stage, const char *reason, text *why)
{
    text_add(why, "stage %s: %s", stage->name ? stage->name : "without a name", reason);
}

/* Writes to `why` the machine's missing property for a stage whose nature allows the
 * schedule. */
pav_status emit_gpu_machine_lack(const ir *code, const ir_stage *stage,
                                 const schedule *requested, const gpu_facts *machine,
                                 text *why)
{
    OWNED_BY(emit_gpu_kernel_free) emit_gpu_kernel k = {0};

    TRY(emit_gpu_kernel_of(code, stage, requested, &k));
    const int64_t bytes = k.shared + k.fixed;
    if (k.parts > 0 && machine->no_tensors)
        text_add(why, "%s", machine->no_tensors);
    else if (bytes > machine->shared_block)
        text_add(why, "a block takes %lld bytes of shared memory, and has %d",
                 (long long)bytes, machine->shared_block);
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

/* True if some stage with the requested schedule reads uniforms; or if memory runs out:
 * the caller that prints the kernels reports the error. */
static bool any_has_numbers(const ir *code, const schedule *requested)
{
    for (int64_t n = 0; n < code->stages; n++) {
        const ir_stage *stage = &code->stage[n];
        OWNED_BY(emit_gpu_kernel_free) emit_gpu_kernel k = {0};

        if (ir_is_first(code, n) && emit_gpu_has_kernel(code, stage) &&
            !emit_gpu_lack(code, stage, requested) &&
            (emit_gpu_kernel_of(code, stage, requested, &k) != PAV_OK ||
             k.number_bytes > 0))
            return true;
    }
    return false;
}

static pav_status check_machine(const ir *code, const schedule *requested,
                                const gpu_facts *machine, text *why)
{
    OWNED_BY(text_free) text lack = {0};
    pav_status status = PAV_OK;

    for (int64_t n = 0; n < code->stages && status == PAV_OK && lack.length == 0; n++) {
        const ir_stage *stage = &code->stage[n];
        const schedule own = emit_gpu_schedule_of(code, n, requested);
        if (!ir_is_first(code, n) || !emit_gpu_has_kernel(code, stage) ||
            emit_gpu_is_open(&own))
            continue;
        status = emit_gpu_machine_lack(code, stage, &own, machine, &lack);
        if (lack.length > 0)
            refuse(stage, lack.data, why);
    }
    return status;
}

pav_status cuda_accept_stages(const ir *code, const schedule *s, const gpu_facts *machine,
                              text *why)
{
    bool any = false;

    for (int64_t n = 0; n < code->stages && why->length == 0; n++) {
        const ir_stage *stage = &code->stage[n];
        if (!ir_is_first(code, n) || !emit_gpu_has_kernel(code, stage))
            continue;
        const bool lacks = emit_gpu_lack(code, stage, s) != NULL;
        const char *reason = lacks ? NULL : emit_gpu_refusal(code, stage, s);
        if (reason)
            refuse(stage, reason, why);
        any |= !lacks && is_listed(code, stage);
    }
    for (int64_t n = code->stages; n-- > 0 && !any && why->length == 0;) {
        const ir_stage *stage = &code->stage[n];
        const char *lack = emit_gpu_has_kernel(code, stage)
                               ? emit_gpu_lack(code, stage, s)
                               : NULL;
        if (lack)
            refuse(stage, lack, why);
    }

    if (s->coefficients != UNIFORMS_DEFAULT && why->length == 0 &&
        !any_has_numbers(code, s))
        text_add(why, "all numbers of this program are literals of its kernels: leave "
                      "out coefficients");
    return machine && why->length == 0 ? check_machine(code, s, machine, why) : PAV_OK;
}

/* Rows without padding have no vectors, and sweeps read vectors. */
schedule emit_gpu_schedule_of(const ir *code, int64_t stage, const schedule *requested)
{
    return emit_gpu_lack(code, &code->stage[stage], requested)
               ? (schedule){.kind = requested->plain ? SCHEDULE_POINT : SCHEDULE_AUTO,
                            .plain = requested->plain}
               : *requested;
}

/* ---- two passes -------------------------------------------------------------------- */
/* The schedule TWO_PASS: stages are split in parts, and each part is a sweep. */

/* Clears options without effect on a part: sharing for a part without neighbours in the
 * plane, and the order of input planes for a part with a single plane. */
static schedule settle_part(const ir *code, const ir_stage *stage,
                            const schedule *requested)
{
    schedule own = *requested;
    const bool has_neighbours = radius_along(stage, 0) > 0 ||
                                (code->dim == 3 && radius_along(stage, 1) > 0);

    if (!has_neighbours) {
        own.tile.storage = STORAGE_CACHE;
        own.tile.copy = COPY_ASYNC;
        own.tile.ahead = 0;
    }
    if (radius_along(stage, code->dim - 1) == 0)
        own.input = false;
    return settle_sweep(code, stage, &own);
}

static const char *lack_of_part(const ir *code, const ir_stage *stage,
                                const schedule *requested)
{
    const char *why = sweep_refusal(code, stage);

    if (!why && stage->part == 0)
        return stage->whole ? stage->whole : "it was not parted";
    return why ? why : sweep_lack(code, stage, requested);
}

/* ---- kinds ------------------------------------------------------------------------- */

static const cuda_kind cuda_point = {
    .settle = settle_point,
    .text = cuda_point_text,
    .extent = cuda_extent_point,
};
static const cuda_kind cuda_sweep = {
    .lack = sweep_lack,
    .settle = settle_sweep,
    .refusal = sweep_settings,
    .text = cuda_sweep_text,
    .extent = cuda_extent_sweep,
};
static const cuda_kind cuda_two_pass = {
    .split = ir_split_stages,
    .lack = lack_of_part,
    .settle = settle_part,
};

#define ROW(kind, name, on, steps, options, emitter, model)                              \
    [SCHEDULE_##kind] = &(emitter),

static const cuda_kind *const table[SCHEDULE_KINDS] = {SCHEDULES_GPU_SINGLE(ROW)};

const cuda_kind *cuda_kind_of(schedule_kind kind)
{
    static const cuda_kind none;

    return table[kind] ? table[kind] : &none;
}
