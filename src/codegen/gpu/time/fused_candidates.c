/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates for fused launches, and the bytes that a launch moves. */
#include "codegen/gpu/time/fused_private.h"

/* Unrolled by three, planes in registers need no moves between registers. These schedules
 * were the fastest of 7 and 5 points on some grid, in f32 or in f64
 * (docs/notes/gpu-temporal-blocking.md). */
static const schedule solid[] = {{.tile.steps = 4, .unroll = 3, .tile.copy = COPY_TMA},
                                 {.tile.steps = 3, .unroll = 3, .tile.copy = COPY_TMA},
                                 {.tile.steps = 2, .unroll = 3, .tile.copy = COPY_TMA},
                                 {.tile.steps = 4, .unroll = 3}};
/* For box stencils and several fields: deeper schedules have fewer points of their own,
 * or no registers. */
static const schedule wide[] = {
    {.tile.steps = 2, .unroll = 3, .tile.copy = COPY_TMA},
    {.tile.steps = 3, .unroll = 3, .tile.copy = COPY_TMA},
    {.tile.steps = 2, .unroll = 3},
    {.tile.steps = 3, .unroll = 3, .tile.size = {GPU_WARP, 8}, .tile.copy = COPY_TMA}};
/* In two dimensions a warp is a tile. With 128 registers a thread, sixteen warps share a
 * multiprocessor; with 250, eight. In f64 eight warps are as fast, because they have
 * vectors of 4 points: with vectors of 2 points half of a tile would be overlap. */
static const schedule flat[] = {
    {.tile.steps = 8, .unroll = 4, .tile.size = {GPU_WARP, 2}, .prefetch = 8},
    {.tile.steps = 6, .unroll = 4, .tile.size = {GPU_WARP, 2}, .prefetch = 8},
    {.tile.steps = 4, .unroll = 4, .tile.size = {GPU_WARP, 2}, .prefetch = 8},
    {.tile.steps = 3, .unroll = 3}};
static const schedule flat_long[] = {
    {.tile.steps = 8,
     .unroll = 3,
     .tile.size = {GPU_WARP, 2},
     .thread.size[0] = 4,
     .prefetch = 8},
    {.tile.steps = 6,
     .unroll = 3,
     .tile.size = {GPU_WARP, 2},
     .thread.size[0] = 4,
     .prefetch = 8},
    {.tile.steps = 4, .unroll = 4, .tile.size = {GPU_WARP, 2}, .prefetch = 8},
    {.tile.steps = 3, .unroll = 3}};

/* The schedule if several fields leave few registers. */
static const schedule flat_short = {
    .kind = SCHEDULE_GPU_TIME, .tile.steps = 2, .tile.storage = STORAGE_REGISTERS};

/* Candidates in two dimensions, by the widest type of the fields. */
static const schedule *flat_of(const ir *code)
{
    bool is_long = false;

    for (int f = 0; f < code->fields; f++)
        is_long |= code->field[f].updated && pav_type_size(code->field[f].storage) > 4;
    return is_long ? flat_long : flat;
}

/* More registers leave fewer warps on a multiprocessor. Two steps are worth that. */
static bool has_registers(const fused_plan *p)
{
    const int words = fused_register_words(p);
    return words <= GPU_FLAT_REGISTERS ||
           (p->schedule.tile.steps == 2 && words <= GPU_SHORT_REGISTERS);
}

/* Tiles of warps are for versions in registers, and these must suffice. */
static pav_status is_good(const ir *code, const schedule *s, bool *good)
{
    fused_plan p;

    TRY(fused_plan_open(code, s, NULL, &p));
    *good = !p.refusal && (code->dim != 2 || !p.of->sweeps ||
                           (p.in_registers ? has_registers(&p) : s->tile.size[0] == 0));
    fused_plan_close(&p);
    return PAV_OK;
}

static bool is_new(const schedule *list, int count, const schedule *one)
{
    for (int n = 0; n < count; n++)
        if (schedule_is_same(&list[n], one))
            return false;
    return true;
}

static pav_status add_good(const ir *code, const schedule *one, schedule *list,
                           int *count)
{
    bool good = is_new(list, *count, one);

    if (good)
        TRY(is_good(code, one, &good));
    if (good)
        list[(*count)++] = *one;
    return PAV_OK;
}

/* For a schedule outside registers the depth is the only option. */
static pav_status add_time(const ir *code, schedule one, schedule *list, int *count)
{
    const schedule bare = {.kind = SCHEDULE_GPU_TIME, .tile.steps = one.tile.steps};
    const int before = *count;

    one.kind = SCHEDULE_GPU_TIME;
    TRY(add_good(code, &one, list, count));
    return *count > before ? PAV_OK : add_good(code, &bare, list, count);
}

static pav_status candidates_of(const ir *code, const schedule **all)
{
    const schedule any = {.kind = SCHEDULE_GPU_TIME, .tile.steps = 2};
    fused_plan p;

    TRY(fused_plan_open(code, &any, NULL, &p));
    *all = code->dim == 2                     ? flat_of(code)
           : p.operation && fused_is_wide(&p) ? wide
                                              : solid;
    fused_plan_close(&p);
    return PAV_OK;
}

/* True if some candidate has tiles of warps and so keeps planes in registers. */
static bool keeps_several(const schedule *list, int count)
{
    for (int n = 0; n < count; n++)
        if (list[n].tile.size[0] > 0 || list[n].unroll > 0)
            return true;
    return false;
}

/* A persistent kernel may be a candidate if the grid fits in the shared memory of the
 * multiprocessors. */
pav_status emit_gpu_fused_candidates(const ir *code,
                                     schedule list[EMIT_GPU_FUSED_CANDIDATES], int *count)
{
    static const schedule is_persistent = {.kind = SCHEDULE_PERSISTENT};
    const schedule *all;

    *count = 0;
    TRY(candidates_of(code, &all));
    TRY(add_good(code, &is_persistent, list, count));
    for (size_t n = 0; n < COUNT_OF(solid); n++)
        TRY(add_time(code, all[n], list, count));
    return code->dim == 2 && !keeps_several(list, *count)
               ? add_good(code, &flat_short, list, count)
               : PAV_OK;
}

/* Loaded points for each stored point. */
static double read_for_each(const ir *code, const emit_gpu_fused *fused, int64_t planes)
{
    double each = 1;

    if (!fused->sweeps)
        return 1;
    for (int axis = 0; axis < code->dim; axis++) {
        const double own = axis == code->dim - 1 ? (double)planes : fused->useful[axis];
        each *= (own + 2 * fused->around[axis]) / own;
    }
    return each;
}

double emit_gpu_fused_bytes(const ir *code, const emit_gpu_fused *fused, int64_t planes)
{
    const double each = read_for_each(code, fused, planes);
    double bytes = 0;

    for (int64_t k = 0; k < fused->slots; k++) {
        const emit_slot *s = &fused->slot[k];
        const double size = (double)pav_type_size(code->field[s->field].storage);
        bytes += s->stored ? size : each * size;
    }
    return bytes;
}
