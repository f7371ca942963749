/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways by which stages of programs go whose bits are compared on a GPU: one a stage, and some stages in parts, and some
 * with rows that have no padding, as the program's seed says, so that some hundred programs try all of them. */
#include "check/check_private.h"

/* Where a stage cannot go by one it goes by the next that it can. */
static const emit_gpu_schedule ways[] = {
    {.kind = EMIT_GPU_SWEEP, .threads = {4, 2}},
    {.kind = EMIT_GPU_SWEEP, .threads = {2, 1}, .vector = 1, .rows = 2},
    {.kind = EMIT_GPU_POINT, .threads = {32, 1}},
    {.kind = EMIT_GPU_SWEEP, .threads = {2, 2}, .vector = 2, .rows = 3},
    {.kind = EMIT_GPU_SWEEP, .threads = {8, 1}, .vector = 1},
    {.kind = EMIT_GPU_SWEEP, .source = EMIT_GPU_SHARED, .threads = {8, 2}},
    {.kind = EMIT_GPU_SWEEP, .source = EMIT_GPU_SHUFFLE},
    {.kind = EMIT_GPU_SWEEP,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_TMA,
     .threads = {16, 5}},
    {.kind = EMIT_GPU_SWEEP,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_REMAP,
     .threads = {4, 6},
     .vector = 1},
    {.kind = EMIT_GPU_SWEEP,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_TMA,
     .threads = {8, 2},
     .rows = 2,
     .ahead = 1},
    {.kind = EMIT_GPU_SWEEP,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_SPLIT,
     .threads = {8, 3}},
    {.kind = EMIT_GPU_SWEEP, .threads = {4, 2}, .ahead = 1, .prefetch = 1},
    {.kind = EMIT_GPU_SWEEP, .input = true, .threads = {4, 2}, .rows = 2},
    {.kind = EMIT_GPU_SWEEP,
     .source = EMIT_GPU_SHARED,
     .input = true,
     .threads = {8, 2},
     .prefetch = 1},
    {.kind = EMIT_GPU_POINT, .threads = {128, 2}},
    {.kind = EMIT_GPU_SWEEP, .threads = {4, 2}, .unroll = 3},
    {.kind = EMIT_GPU_SWEEP, .threads = {4, 2}, .rows = 2, .ahead = 1, .unroll = 2},
    {.kind = EMIT_GPU_SWEEP,
     .source = EMIT_GPU_SHARED,
     .threads = {8, 2},
     .rows = 2,
     .unroll = 5},
    {.kind = EMIT_GPU_SWEEP, .input = true, .threads = {4, 2}, .unroll = 3},
    {.kind = EMIT_GPU_SWEEP,
     .source = EMIT_GPU_SHUFFLE,
     .threads = {32, 2},
     .rows = 2,
     .unroll = 2,
     .prefetch = 2},
    {.kind = EMIT_GPU_SWEEP, .threads = {4, 2}, .rows = 2, .blocks = 5},
    {.kind = EMIT_GPU_SWEEP,
     .source = EMIT_GPU_SHARED,
     .threads = {8, 2},
     .rows = 2,
     .blocks = 1},
    {.kind = EMIT_GPU_POINT, .threads = {64, 2}, .blocks = 3},
    {.kind = EMIT_GPU_SWEEP, .apart = true, .threads = {4, 2}},
    {.kind = EMIT_GPU_SWEEP,
     .source = EMIT_GPU_SHARED,
     .apart = true,
     .threads = {8, 2},
     .rows = 2},
    {.kind = EMIT_GPU_TWO_PASS},
    {.kind = EMIT_GPU_TWO_PASS, .threads = {4, 2}, .rows = 2, .unroll = 2},
    {.kind = EMIT_GPU_TWO_PASS, .source = EMIT_GPU_SHARED, .threads = {4, 2}},
    {.kind = EMIT_GPU_TWO_PASS, .source = EMIT_GPU_SHUFFLE, .threads = {32, 2}},
    {.kind = EMIT_GPU_TWO_PASS,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_TMA,
     .threads = {8, 2},
     .prefetch = 1},
    {.kind = EMIT_GPU_TWO_PASS,
     .source = EMIT_GPU_SHARED,
     .copy = EMIT_GPU_REMAP,
     .threads = {4, 6},
     .vector = 1,
     .apart = true},
    {.kind = EMIT_GPU_TWO_PASS, .input = true, .threads = {4, 2}},
};

static bool can_go(int architecture, const ir *code, int64_t stage,
                   const emit_gpu_schedule *requested)
{
    return emit_gpu_oldest(requested) <= architecture &&
           !emit_gpu_refusal(code, &code->stage[stage], requested);
}

/* Rows without padding have no packs. */
static emit_gpu_schedule made_plain(emit_gpu_schedule s)
{
    s.plain = true;
    s.vector = 0;
    return s;
}

emit_gpu_schedule gpu_schedule_of_seed(int architecture, const ir *code, int64_t stage,
                                       uint64_t seed)
{
    static const emit_gpu_place places[] = {EMIT_GPU_PLACE_ARGUMENT,
                                            EMIT_GPU_PLACE_CONSTANT,
                                            EMIT_GPU_PLACE_GLOBAL, EMIT_GPU_PLACE_SHARED};
    const uint64_t first = hash_mix(seed + (uint64_t)stage);
    const emit_gpu_place coefficients = places[hash_mix(first) % COUNT_OF(places)];
    const bool plain = rows_are_plain(seed);

    for (uint64_t n = 0; n < COUNT_OF(ways); n++) {
        const emit_gpu_schedule *way = &ways[(first + n) % COUNT_OF(ways)];
        emit_gpu_schedule requested = plain ? made_plain(*way) : *way;
        requested.coefficients = coefficients;
        if (can_go(architecture, code, stage, &requested))
            return requested;
    }
    return (emit_gpu_schedule){.kind = plain ? EMIT_GPU_POINT : EMIT_GPU_DEFAULT,
                               .plain = plain};
}

bool split_stages_are_proved(uint64_t seed)
{
    return hash_mix(seed) % 2 != 0;
}

bool rows_are_plain(uint64_t seed)
{
    return hash_mix(seed) / 2 % 8 == 0;
}

bool walks_are_free(uint64_t seed)
{
    return hash_mix(seed) / 16 % 2 != 0;
}
