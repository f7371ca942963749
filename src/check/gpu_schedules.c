/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedules for stages of programs compared on a GPU. The program's seed chooses one
 * schedule per stage, and also split stages and rows without padding. Some hundred
 * programs use all of them. */
#include "check/check_private.h"

/* A stage without support for one schedule takes the next legal one. */
static const schedule ways[] = {
    {.kind = SCHEDULE_SWEEP, .tile.size = {4, 2}},
    {.kind = SCHEDULE_SWEEP,
     .tile.size = {2, 1},
     .thread.size[0] = 1,
     .thread.size[1] = 2},
    {.kind = SCHEDULE_POINT, .tile.size = {32, 1}},
    {.kind = SCHEDULE_SWEEP,
     .tile.size = {2, 2},
     .thread.size[0] = 2,
     .thread.size[1] = 3},
    {.kind = SCHEDULE_SWEEP, .tile.size = {8, 1}, .thread.size[0] = 1},
    {.kind = SCHEDULE_SWEEP, .tile.storage = STORAGE_SHARED, .tile.size = {8, 2}},
    {.kind = SCHEDULE_SWEEP, .tile.storage = STORAGE_REGISTERS},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_TMA,
     .tile.size = {16, 5}},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_REMAP,
     .tile.size = {4, 6},
     .thread.size[0] = 1},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_TMA,
     .tile.size = {8, 2},
     .thread.size[1] = 2,
     .tile.ahead = 1},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_SPLIT,
     .tile.size = {8, 3}},
    {.kind = SCHEDULE_SWEEP, .tile.size = {4, 2}, .tile.ahead = 1, .prefetch = 1},
    {.kind = SCHEDULE_SWEEP, .input = true, .tile.size = {4, 2}, .thread.size[1] = 2},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .input = true,
     .tile.size = {8, 2},
     .prefetch = 1},
    {.kind = SCHEDULE_POINT, .tile.size = {128, 2}},
    {.kind = SCHEDULE_SWEEP, .tile.size = {4, 2}, .unroll = 3},
    {.kind = SCHEDULE_SWEEP,
     .tile.size = {4, 2},
     .thread.size[1] = 2,
     .tile.ahead = 1,
     .unroll = 2},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.size = {8, 2},
     .thread.size[1] = 2,
     .unroll = 5},
    {.kind = SCHEDULE_SWEEP, .input = true, .tile.size = {4, 2}, .unroll = 3},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_REGISTERS,
     .tile.size = {32, 2},
     .thread.size[1] = 2,
     .unroll = 2,
     .prefetch = 2},
    {.kind = SCHEDULE_SWEEP, .tile.size = {4, 2}, .thread.size[1] = 2, .blocks = 5},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .tile.size = {8, 2},
     .thread.size[1] = 2,
     .blocks = 1},
    {.kind = SCHEDULE_POINT, .tile.size = {64, 2}, .blocks = 3},
    {.kind = SCHEDULE_SWEEP, .ghosts = GHOSTS_SEPARATE, .tile.size = {4, 2}},
    {.kind = SCHEDULE_SWEEP,
     .tile.storage = STORAGE_SHARED,
     .ghosts = GHOSTS_SEPARATE,
     .tile.size = {8, 2},
     .thread.size[1] = 2},
    {.kind = SCHEDULE_TWO_PASS},
    {.kind = SCHEDULE_TWO_PASS, .tile.size = {4, 2}, .thread.size[1] = 2, .unroll = 2},
    {.kind = SCHEDULE_TWO_PASS, .tile.storage = STORAGE_SHARED, .tile.size = {4, 2}},
    {.kind = SCHEDULE_TWO_PASS, .tile.storage = STORAGE_REGISTERS, .tile.size = {32, 2}},
    {.kind = SCHEDULE_TWO_PASS,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_TMA,
     .tile.size = {8, 2},
     .prefetch = 1},
    {.kind = SCHEDULE_TWO_PASS,
     .tile.storage = STORAGE_SHARED,
     .tile.copy = COPY_REMAP,
     .tile.size = {4, 6},
     .thread.size[0] = 1,
     .ghosts = GHOSTS_SEPARATE},
    {.kind = SCHEDULE_TWO_PASS, .input = true, .tile.size = {4, 2}},
};

static bool can_go(int architecture, const ir *code, int64_t stage,
                   const schedule *requested)
{
    return emit_gpu_oldest(requested) <= architecture &&
           !emit_gpu_refusal(code, &code->stage[stage], requested);
}

/* Rows without padding have no vectors. */
static schedule made_plain(schedule s)
{
    s.plain = true;
    s.thread.size[0] = 0;
    return s;
}

schedule gpu_schedule_of_seed(int architecture, const ir *code, int64_t stage,
                              uint64_t seed)
{
    static const schedule_uniforms places[] = {UNIFORMS_ARGUMENT, UNIFORMS_CONSTANT,
                                               UNIFORMS_GLOBAL, UNIFORMS_SHARED};
    const uint64_t first = hash_mix(seed + (uint64_t)stage);
    const schedule_uniforms coefficients = places[hash_mix(first) % COUNT_OF(places)];
    const bool plain = rows_are_plain(seed);

    for (uint64_t n = 0; n < COUNT_OF(ways); n++) {
        const schedule *way = &ways[(first + n) % COUNT_OF(ways)];
        schedule requested = plain ? made_plain(*way) : *way;
        requested.coefficients = coefficients;
        if (can_go(architecture, code, stage, &requested))
            return requested;
    }
    return (schedule){.kind = plain ? SCHEDULE_POINT : SCHEDULE_AUTO, .plain = plain};
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
