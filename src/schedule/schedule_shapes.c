/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of time tiles, a row each: the number of turns of the boundaries between tiles.
 * Everything else follows from it (src/exec/time/time_shapes.c). */
#include "schedule/schedule_private.h"

static const struct {
    int turns;        /* turns of a boundary during the steps of a tile */
    int trial, block; /* consecutive tiles in a trial, and in any other block */
} shapes[] = {
    [SHAPE_SKEWED] = {0, 1, 1},
    [SHAPE_PYRAMID] = {1, 1, 1},
    [SHAPE_DIAMOND] = {2, 2, 4},
};

int schedule_longest(const schedule *s, bool trial)
{
    const int tiles = trial ? shapes[s->shape].trial : shapes[s->shape].block;
    return tiles * s->tile.steps;
}

int schedule_turn(const schedule *s)
{
    const int turns = shapes[s->shape].turns;
    return turns ? (s->tile.steps + turns - 1) / turns : 0;
}
