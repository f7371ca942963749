/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that fused launches on a GPU are bitwise identical to single steps: with
 * tiles of a few points, sweeps of a few planes, and launches of all lengths up to the
 * depth. Programs without legal fused launches are left out. */
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

enum { FEW_PLANES = 5, HEAVY = 1200 };

/* ---- schedules --------------------------------------------------------------------- */

#define IN_SHARED .kind = SCHEDULE_GPU_TIME, .tile.storage = STORAGE_SHARED
#define IN_REGISTERS .kind = SCHEDULE_GPU_TIME, .tile.storage = STORAGE_REGISTERS
#define STAYS .kind = SCHEDULE_PERSISTENT
static const schedule tiles[] = {
    {IN_REGISTERS, .tile.size = {32, 5}, .thread.size[1] = 2, .thread.size[0] = 1,
     .planes = 5, .tail = 3},
    {IN_SHARED, .tile.size = {12, 11}},
    {IN_REGISTERS, .tile.size = {32, 4}, .thread.size[1] = 3, .thread.size[0] = 2},
    {IN_SHARED, .tile.size = {16, 9}},
    {IN_REGISTERS, .tile.size = {32, 12}, .thread.size[1] = 1, .thread.size[0] = 4},
    {IN_REGISTERS, .tile.size = {32, 6}, .thread.size[1] = 2, .unroll = 3,
     .thread.size[0] = 1},
    {IN_REGISTERS, .tile.size = {32, 6}, .thread.size[1] = 2, .prefetch = 2,
     .thread.size[0] = 1},
    {IN_REGISTERS, .tile.size = {32, 6}, .thread.size[1] = 2, .tile.copy = COPY_TMA,
     .planes = 4, .tail = 2},
    {IN_REGISTERS, .tile.size = {32, 5}, .thread.size[1] = 3, .prefetch = 1,
     .thread.size[0] = 1, .unroll = 2},
    {IN_SHARED, .tile.size = {9, 16}},
    {IN_SHARED, .tile.size = {23, 23}},
    {IN_SHARED, .tile.size = {32, 32}},
    {STAYS, .device.size = {2, 2, 1}, .thread.size[1] = 1, .tile.size = {32, 1}},
    {STAYS, .device.size = {1, 3, 2}, .thread.size[1] = 2, .planes = 1,
     .tile.size = {32, 1}},
    {STAYS, .device.size = {3, 1, 1}, .thread.size[1] = 3, .thread.size[0] = 1,
     .tile.size = {64, 1}},
    {STAYS, .device.size = {1, 2, 2}, .buffers = 1},
    {STAYS, .device.size = {2, 1, 1}, .buffers = 1, .thread.size[0] = 2,
     .tile.size = {32, 1}},
    {STAYS, .device.size = {1, 2, 1}, .tile.size = {64, 1}},
};

int64_t gpu_fused_values(const ir *code, const schedule *s)
{
    int64_t values = 0;

    for (int64_t k = 0; k < code->step.count; k++)
        values += code->stage[code->step.stage[k]].count;
    return values * s->tile.steps * int_most(1, s->thread.size[1]) *
           int_most(1, s->thread.size[0]) * int_most(1, s->unroll);
}

/* True if the kernel has few values. Heavier kernels compile for seconds. */
static bool is_light(const ir *code, const schedule *s)
{
    return gpu_fused_values(code, s) <= HEAVY;
}

static bool has_pass(const ir *code, const schedule *requested)
{
    text why = {0};
    const pav_status status = emit_legal(code, requested, NULL, &why);
    const bool good = status == PAV_OK && why.length == 0;

    text_free(&why);
    return good;
}

/* The first tile, from a random one on, with points of its own for the program and a
 * short kernel. */
schedule gpu_fused_of_seed(int architecture, const ir *code, uint64_t seed)
{
    const uint64_t first = hash_mix(seed + 1);

    for (uint64_t n = 0; n < COUNT_OF(tiles); n++) {
        schedule requested = tiles[(first + n) % COUNT_OF(tiles)];
        requested.tile.steps = 2 + (int)(first >> 8 & 255) % 3 -
                               (requested.kind == SCHEDULE_PERSISTENT);
        if (!is_light(code, &requested))
            requested.tile.steps = int_least(requested.tile.steps, 2);
        if (emit_gpu_oldest(&requested) <= architecture && is_light(code, &requested) &&
            has_pass(code, &requested))
            return requested;
    }
    return (schedule){0};
}

/* ---- runs -------------------------------------------------------------------------- */

/* Single steps come first, while borders are kept. Then come launches of full depth and a
 * shorter one. */
static pav_status follow_passes(pav_run *reference, pav_run *run, int depth)
{
    const int64_t steps[] = {2, depth + 1, 2 * depth + 3};

    for (size_t n = 0; n < COUNT_OF(steps); n++) {
        TRY(pav_run_steps(reference, steps[n]));
        TRY(pav_run_steps(run, steps[n]));
        TRY(runs_are_equal(reference, run, true));
    }
    return PAV_OK;
}

static pav_status said_of(const schedule *s, pav_status status)
{
    text words = {0};
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    char *why = strdup(pav_message());
    schedule_print(s, &words);
    FAIL(status, "%s: %s", words.data ? words.data : "passes", why ? why : "");
    text_free(&words);
    free(why);
    return status;
}

/* Opens a run with two or three slabs across the slowest axis. */
static pav_status open_slabs(const proof_case *c, const place_opening *how, int every,
                             pav_run **run)
{
    int64_t extent[MAX_DIM], parts[MAX_DIM] = {1, 1, 1};
    decomposition d = {0};
    ir *code;
    TRY(ir_build(c->program, NULL, &code));
    for (int axis = 0; axis < MAX_DIM; axis++)
        extent[axis] = points_along(code, axis, false);
    parts[code->dim - 1] = 2 + (int64_t)(c->seed / 4 % 4 == 0);
    pav_status status = decompose(extent, parts, &d);
    const cut_opening cut = {
        .cut = &d, .every = every, .there = how, .apart = c->seed / 8 % 2};
    if (status == PAV_OK)
        status = run_open_cut(c->program, &cut, run);
    decomposition_free(&d);
    ir_free(code);
    return status;
}

/* The same within subdomains with a halo exchange before every launch, or every second
 * one. */
static pav_status slabs_equal_steps(const proof_case *c, const place_opening *how,
                                    int depth)
{
    pav_run *reference = NULL, *run = NULL;
    const int every = depth * (1 + (int)(c->seed / 2 % 4 == 0));
    pav_status status = open_slabs(c, how, every, &run);
    if (status == PAV_EUNSUPPORTED || status == PAV_EINVAL)
        return PAV_OK; /* the slabs are too thin, or have no fused launches */
    if (status == PAV_OK)
        status = run_open_with(c->program, interp_stage, &reference);
    if (status == PAV_OK)
        status = follow_passes(reference, run, depth);
    if (status == PAV_OK && c->tally)
        c->tally->within = run_blocks(run)->taken > 0;
    pav_run_free(run);
    pav_run_free(reference);
    return status;
}

pav_status gpu_fused_equal_steps(const proof_case *c, const gpu_proof *k, int64_t number)
{
    const schedule *s = gpu_proof_fused(k, number);
    pav_run *reference = NULL, *run = NULL;
    if (!s)
        return PAV_OK;
    place_opening how = gpu_proof_of(k, number, AS_ANY_RUN);
    how.planes = FEW_PLANES;
    how.fuses_steps = true;
    pav_status status = run_open_with(c->program, interp_stage, &reference);
    if (status == PAV_OK)
        status = run_open_there(c->program, &how, &run);
    if (status == PAV_OK)
        status = follow_passes(reference, run, s->tile.steps);
    if (status == PAV_OK && c->tally)
        c->tally->several = run_blocks(run)->taken > 0;
    pav_run_free(run);
    pav_run_free(reference);
    if (status == PAV_OK && s->kind == SCHEDULE_GPU_TIME)
        status = slabs_equal_steps(c, &how, s->tile.steps);
    return said_of(s, status);
}
