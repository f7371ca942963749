/* SPDX-License-Identifier: BSD-3-Clause */
/* How a grid is cut for blocks that stay, and after how many steps they meet: by a model of what a step takes. Meeting costs
 * the way to other blocks and back, and more the more units are shown and fetched; meeting less often, each block computes
 * more of what others compute as well. */
#include <math.h>

#include "emit/pass_private.h"

/* In cycles of a multiprocessor, as measured on an H200. */
enum {
    MEETING = 2200, /* to tell, to be heard, and to fetch */
    UNIT = 3,       /* of 4 points, to show it or to fetch it; by 8 */
    BRICK = 100,    /* threads that go over all their bricks once more: a step at least */
    OF_POINT = 10,  /* instructions of a point, beside its nodes */
    AT_ONCE = 100,  /* instructions of all threads in a cycle */
    USUAL_ROWS = 4,
    USUAL_PLANES = 2
};

/* ---- the model ---------------------------------------------------------------------------- */

/* Points that an act computes when so many steps follow before blocks meet. */
static double points_of(const pass_plan *p, const pass_act *act, int follow)
{
    double all = 1;

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int unit = axis == 0 ? p->schedule.vector : 1;
        const int around = resident_is_parted(p, axis)
                               ? follow * p->reach[axis] + act->around[axis]
                               : 0;
        const int beside = (around + unit - 1) / unit;
        all *= (resident_units(p, axis) + 2 * beside) * unit;
    }
    return all;
}

/* Of one step on average. */
static double work_of(const pass_plan *p)
{
    double sum = 0;

    for (int64_t n = 0; n < p->acts; n++)
        for (int follow = 0; follow < p->schedule.depth; follow++)
            sum += points_of(p, &p->act[n], follow) *
                   ((double)pass_stage_of(p, &p->act[n])->count + OF_POINT);
    return sum / AT_ONCE / p->schedule.depth + BRICK * (double)p->acts;
}

/* Shown and fetched. */
static double units_beside(const pass_plan *p)
{
    double tile = 1, around = 1;
    int levels = 0;

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int unit = axis == 0 ? p->schedule.vector : 1;
        const int beside = resident_is_parted(p, axis)
                               ? (p->near[axis][0] + unit - 1) / unit +
                                     (p->near[axis][1] + unit - 1) / unit
                               : 0;
        tile *= resident_units(p, axis);
        around *= resident_units(p, axis) + beside;
    }
    for (int f = 0; f < p->code->fields; f++)
        for (int level = 0; p->moves[f] && level >= p->field[f].oldest; level--)
            levels += resident_shows(p, f, level);
    return 2 * levels * (around - tile);
}

static double cost_of(const pass_plan *p)
{
    return work_of(p) + (MEETING + units_beside(p) * UNIT / 8) / p->schedule.depth;
}

/* ---- parts and depth ---------------------------------------------------------------------- */

typedef struct parts_choice {
    const resident_limits *most;
    double least;
    int parts[MAX_DIM], depth;
} parts_choice;

static void try_parts(pass_plan *p, const int parts[MAX_DIM], int depth, parts_choice *c)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->schedule.parts[axis] = parts[axis];
    p->schedule.depth = depth;
    resident_place_all(p, c->most->shared);
    if (p->shared > c->most->shared || !resident_has_room(p) || !resident_units_wrap(p) ||
        cost_of(p) >= c->least)
        return;
    c->least = cost_of(p);
    c->depth = depth;
    for (int axis = 0; axis < MAX_DIM; axis++)
        c->parts[axis] = parts[axis];
}

/* As many parts along the last axis as there are blocks for, all of the same size. */
static int parts_left(const pass_plan *p, int blocks, int x, int y)
{
    const int64_t nz = points_along(p->code, 2, false), z = blocks / (x * y);
    const int64_t each = (nz + z - 1) / z;

    return p->code->dim > 2 ? (int)((nz + each - 1) / each) : 1;
}

static void try_all_parts(pass_plan *p, int depth, parts_choice *c)
{
    const int blocks = c->most->blocks, ny = p->code->dim > 1 ? blocks : 1;

    for (int y = 1; y <= ny; y++)
        for (int x = 1; x * y <= blocks; x++)
            try_parts(p, (int[]){x, y, parts_left(p, blocks, x, y)}, depth, c);
}

/* What is not said; 1 part each where nothing fits. */
static void choose(pass_plan *p, const emit_gpu_schedule *wanted,
                   const resident_limits *most)
{
    static const int likely[] = {1, 2, 3, 4, 6, 8, 12, 16};
    parts_choice c = {most, INFINITY, {1, 1, 1}, 1};

    for (size_t n = 0; n < COUNT_OF(likely); n++) {
        const int depth = wanted->depth > 0 ? wanted->depth : likely[n];
        if (wanted->parts[0] > 0)
            try_parts(p, wanted->parts, depth, &c);
        else
            try_all_parts(p, depth, &c);
        if (wanted->depth > 0)
            break;
    }
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->schedule.parts[axis] = wanted->parts[0] > 0 ? wanted->parts[axis]
                                                       : c.parts[axis];
    p->schedule.depth = wanted->depth > 0 ? wanted->depth : c.depth;
}

/* ---- all ---------------------------------------------------------------------------------- */

/* Where parts along x are wanted of a grid that wraps, a number that they can be whole packs of. */
static int usual_vector(const pass_plan *p, const emit_gpu_schedule *wanted)
{
    const int64_t nx = points_along(p->code, 0, false);
    int most = 4;

    for (int64_t n = 0; n < p->acts; n++)
        most = int_least(most, cuda_usual_vector(p->code, pass_stage_of(p, &p->act[n])));
    while (p->periodic[0] && wanted->parts[0] > 1 && nx % most != 0)
        most /= 2;
    return most;
}

static void choose_brick(pass_plan *p, const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule *s = &p->schedule;
    const int dim = p->code->dim;

    s->vector = wanted->vector > 0 ? wanted->vector : usual_vector(p, wanted);
    s->planes = wanted->planes > 0 ? wanted->planes : dim > 2 ? USUAL_PLANES : 1;
    s->rows = wanted->rows > 0 ? wanted->rows
              : dim > 2        ? USUAL_ROWS / USUAL_PLANES
              : dim > 1        ? USUAL_ROWS
                               : 1;
}

void resident_settle(pass_plan *p, const emit_gpu_schedule *wanted,
                     const resident_limits *most)
{
    emit_gpu_schedule *s = &p->schedule;

    resident_check_marks(p);
    if (p->refusal)
        return;
    *s = *wanted;
    choose_brick(p, wanted);
    resident_find_versions(p);
    choose(p, wanted, most);
    resident_place_all(p, most->shared);
    s->threads[0] = wanted->threads[0] > 0 ? wanted->threads[0] * wanted->threads[1]
                                           : resident_threads(p);
    s->threads[1] = 1;
    s->versions = 1 + p->aside;
    resident_check(p, wanted, most);
}
