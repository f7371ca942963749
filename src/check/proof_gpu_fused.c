/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that several steps in one launch of a GPU give the bits of single steps: in tiles of a few points, walks of
 * a few planes, passes of all lengths up to the depth. Programs whose steps cannot share a launch are not walked. */
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

enum { FEW_PLANES = 5, HEAVY = 1200 };

/* ---- schedules ---------------------------------------------------------------------------- */

#define IN_SHARED .kind = EMIT_GPU_TIME, .source = EMIT_GPU_SHARED
#define IN_REGISTERS .kind = EMIT_GPU_TIME, .source = EMIT_GPU_SHUFFLE
#define STAYS .kind = EMIT_GPU_PERSISTENT
static const emit_gpu_schedule tiles[] = {
    {IN_REGISTERS, .threads = {32, 5}, .rows = 2, .vector = 1, .planes = 5, .tail = 3},
    {IN_SHARED, .threads = {12, 11}},
    {IN_REGISTERS, .threads = {32, 4}, .rows = 3, .vector = 2},
    {IN_SHARED, .threads = {16, 9}},
    {IN_REGISTERS, .threads = {32, 12}, .rows = 1, .vector = 4},
    {IN_REGISTERS, .threads = {32, 6}, .rows = 2, .unroll = 3, .vector = 1},
    {IN_REGISTERS, .threads = {32, 6}, .rows = 2, .prefetch = 2, .vector = 1},
    {IN_REGISTERS, .threads = {32, 6}, .rows = 2, .copy = EMIT_GPU_TMA, .planes = 4,
     .tail = 2},
    {IN_REGISTERS, .threads = {32, 5}, .rows = 3, .prefetch = 1, .vector = 1,
     .unroll = 2},
    {IN_SHARED, .threads = {9, 16}},
    {IN_SHARED, .threads = {23, 23}},
    {IN_SHARED, .threads = {32, 32}},
    {STAYS, .parts = {2, 2, 1}, .rows = 1, .threads = {32, 1}},
    {STAYS, .parts = {1, 3, 2}, .rows = 2, .planes = 1, .threads = {32, 1}},
    {STAYS, .parts = {3, 1, 1}, .rows = 3, .vector = 1, .threads = {64, 1}},
    {STAYS, .parts = {1, 2, 2}, .versions = 1},
    {STAYS, .parts = {2, 1, 1}, .versions = 1, .vector = 2, .threads = {32, 1}},
    {STAYS, .parts = {1, 2, 1}, .threads = {64, 1}},
};

int64_t gpu_fused_values(const ir *code, const emit_gpu_schedule *s)
{
    int64_t values = 0;

    for (int64_t k = 0; k < code->step.count; k++)
        values += code->stage[code->step.stage[k]].count;
    return values * s->depth * int_most(1, s->rows) * int_most(1, s->vector) *
           int_most(1, s->unroll);
}

/* Compilers take seconds for a kernel of so many values. */
static bool is_light(const ir *code, const emit_gpu_schedule *s)
{
    return gpu_fused_values(code, s) <= HEAVY;
}

static bool has_pass(const ir *code, const emit_gpu_schedule *requested)
{
    text why = {0};
    const pav_status status = emit_gpu_fused_refusal(code, requested, &why);
    const bool good = status == PAV_OK && why.length == 0;

    text_free(&why);
    return good;
}

/* The first tile from one on that leaves the program points of its own, and whose kernel is not too long. */
emit_gpu_schedule gpu_fused_of_seed(int architecture, const ir *code, uint64_t seed)
{
    const uint64_t first = hash_mix(seed + 1);

    for (uint64_t n = 0; n < COUNT_OF(tiles); n++) {
        emit_gpu_schedule requested = tiles[(first + n) % COUNT_OF(tiles)];
        requested.depth = 2 + (int)(first >> 8 & 255) % 3 -
                          (requested.kind == EMIT_GPU_PERSISTENT);
        if (!is_light(code, &requested))
            requested.depth = int_least(requested.depth, 2);
        if (emit_gpu_oldest(&requested) <= architecture && is_light(code, &requested) &&
            has_pass(code, &requested))
            return requested;
    }
    return (emit_gpu_schedule){0};
}

/* ---- runs --------------------------------------------------------------------------------- */

/* The first steps are single ones where borders are kept; then come passes as long as they can be, and a shorter one. */
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

static pav_status said_of(const emit_gpu_schedule *s, pav_status status)
{
    text words = {0};
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    char *why = strdup(pav_message());
    emit_gpu_schedule_string(s, &words);
    FAIL(status, "%s: %s", words.data ? words.data : "passes", why ? why : "");
    text_free(&words);
    free(why);
    return status;
}

pav_status gpu_fused_equal_steps(const proof_case *c, const gpu_proof *k, int64_t number)
{
    const emit_gpu_schedule *s = gpu_proof_fused(k, number);
    pav_run *reference = NULL, *run = NULL;
    if (!s)
        return PAV_OK;
    gpu_opening how = gpu_proof_of(k, number, AS_ANY_RUN);
    how.planes = FEW_PLANES;
    how.passes = true;
    pav_status status = run_open_with(c->program, interp_stage, &reference);
    if (status == PAV_OK)
        status = run_open_gpu(c->program, &how, &run);
    if (status == PAV_OK)
        status = follow_passes(reference, run, s->depth);
    if (status == PAV_OK && c->tally)
        c->tally->several = run_blocks(run)->taken > 0;
    pav_run_free(run);
    pav_run_free(reference);
    return said_of(s, status);
}
