/* SPDX-License-Identifier: BSD-3-Clause */
/* How a grid is cut for blocks that stay, and after how many steps they meet: by a model of what a step takes. Meeting costs
 * the way to other blocks and back, and more the more units are shown and fetched; meeting less often, each block computes
 * more of what others compute as well. */
#include <math.h>

#include "emit/pass_private.h"

/* In cycles of a multiprocessor, as measured on an H200. */
enum {
    MEETING = 2200, /* to tell, to be heard, and to fetch */
    UNIT = 5,       /* of 4 points, to show it or to fetch it; by 8 */
    OF_LINE = 4,    /* as many where each lies in a line of its own */
    STEP = 220,     /* until all threads have come, and what they read first is there */
};
static const double in_place = 1.35; /* as many where results wait in registers */
/* In instructions of a warp, of which a multiprocessor takes so many in a cycle; fitted by hand to rows of `pavior bench` of
 * 5 points at 1024^2 (f32, one H200, 2026-11-23). */
enum { AT_ONCE = 4, OF_BRICK = 45, OF_ROW = 4, OF_LONE_ROW = 12, LANES = 32 };

/* Of bricks in two dimensions, where nobody says otherwise. */
static const int likely_rows[] = {2, 3, 4, 6, 7, 8};

/* ---- the model ---------------------------------------------------------------------------- */

/* Warps that one of a multiprocessor's schedulers has for an act when so many steps follow before blocks meet; one takes as
 * long as two, since it waits for its own results. Along x lanes stay, needed or not. */
static double warps_of(const pass_plan *p, const pass_act *act, int follow)
{
    double lanes = (double)resident_lanes(p, act);

    for (int axis = 1; axis < MAX_DIM; axis++) {
        const int around = resident_is_parted(p, axis)
                               ? follow * p->reach[axis] + act->around[axis]
                               : 0;
        const int each = axis == 1 ? p->schedule.rows : p->schedule.planes;
        lanes *= (double)int_parts(resident_units(p, axis) + 2 * around, each);
    }
    return fmax(2, ceil(lanes / (LANES * AT_ONCE)));
}

/* Of a brick, whose neighbours along x come from lanes beside, or from shared memory as well. */
static double instructions_of(const pass_plan *p, const pass_act *act)
{
    const ir_stage *s = pass_stage_of(p, act);
    const double rows = p->schedule.rows * p->schedule.planes;
    const double nodes = (double)act->nodes * (s->real == PAV_F64 ? 2 : 1);

    return rows * p->schedule.vector * nodes + OF_BRICK +
           rows * (resident_is_alone(p, act) ? OF_ROW : OF_LONE_ROW);
}

/* Of one step on average. */
static double work_of(const pass_plan *p)
{
    const double again = p->aside ? 1 : in_place;
    double sum = 0;

    for (int64_t n = 0; n < p->acts; n++) {
        double warps = 0;
        for (int follow = 0; follow < p->schedule.depth; follow++)
            warps += warps_of(p, &p->act[n], follow);
        sum += STEP + again * warps / p->schedule.depth * instructions_of(p, &p->act[n]);
    }
    return sum;
}

static int units_beside(const pass_plan *p, int axis)
{
    const int unit = axis == 0 ? p->schedule.vector : 1;

    return resident_is_parted(p, axis) ? (p->near[axis][0] + unit - 1) / unit +
                                             (p->near[axis][1] + unit - 1) / unit
                                       : 0;
}

/* That are shown and fetched of a level; each of those that stand one below the other takes a line of memory. */
static double units_told(const pass_plan *p)
{
    double all = 1, beside = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        all *= resident_units(p, axis) + units_beside(p, axis);
    for (int axis = 0; axis < MAX_DIM; axis++)
        beside += all * units_beside(p, axis) /
                  (resident_units(p, axis) + units_beside(p, axis)) *
                  (axis == 0 ? OF_LINE : 1);
    return 2 * beside;
}

/* What is held is lost where points around tiles are fetched. */
static double cost_of_meeting(const pass_plan *p)
{
    double tile = 1;
    int levels = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        tile *= resident_units(p, axis);
    for (int f = 0; f < p->code->fields; f++)
        for (int level = 0; p->moves[f] && level >= p->field[f].oldest; level--)
            levels += resident_shows(p, f, level);
    if (!resident_reaches_out(p))
        tile = 0;
    return MEETING + levels * (units_told(p) * UNIT + tile) / 8;
}

static double cost_of(const pass_plan *p)
{
    return work_of(p) + cost_of_meeting(p) / p->schedule.depth;
}

/* ---- parts and depth ---------------------------------------------------------------------- */

typedef struct parts_choice {
    const resident_limits *most;
    double least;
    int parts[MAX_DIM], depth, rows;
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
    c->rows = p->schedule.rows;
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

static void try_depths(pass_plan *p, const emit_gpu_schedule *wanted, parts_choice *c)
{
    static const int likely[] = {1, 2, 3, 4, 6, 8, 12, 16};

    for (size_t n = 0; n < COUNT_OF(likely); n++) {
        const int depth = wanted->depth > 0 ? wanted->depth : likely[n];
        if (wanted->parts[0] > 0)
            try_parts(p, wanted->parts, depth, c);
        else
            try_all_parts(p, depth, c);
        if (wanted->depth > 0)
            break;
    }
}

static void try_rows(pass_plan *p, const emit_gpu_schedule *wanted, parts_choice *c)
{
    for (size_t n = 0; n < COUNT_OF(likely_rows); n++) {
        p->schedule.rows = likely_rows[n];
        try_depths(p, wanted, c);
    }
}

/* What is not said; 1 part each where nothing fits. In three dimensions bricks are as `choose_brick` says. */
static void choose(pass_plan *p, const emit_gpu_schedule *wanted,
                   const resident_limits *most)
{
    parts_choice c = {most, INFINITY, {1, 1, 1}, 1, p->schedule.rows};

    if (wanted->rows == 0 && p->code->dim == 2)
        try_rows(p, wanted, &c);
    else
        try_depths(p, wanted, &c);
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->schedule.parts[axis] = wanted->parts[0] > 0 ? wanted->parts[axis]
                                                       : c.parts[axis];
    p->schedule.depth = wanted->depth > 0 ? wanted->depth : c.depth;
    p->schedule.rows = c.rows;
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
    enum { USUAL_ROWS = 2 };
    emit_gpu_schedule *s = &p->schedule;

    s->vector = wanted->vector > 0 ? wanted->vector : usual_vector(p, wanted);
    s->planes = wanted->planes > 0 ? wanted->planes : 1;
    s->rows = wanted->rows > 0 ? wanted->rows : p->code->dim > 1 ? USUAL_ROWS : 1;
}

static void count_nodes(pass_plan *p)
{
    for (int64_t n = 0; n < p->acts; n++)
        p->act[n].nodes = ir_stage_cost(p->code, pass_stage_of(p, &p->act[n])).nodes;
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
    count_nodes(p);
    resident_find_versions(p);
    choose(p, wanted, most);
    resident_place_all(p, most->shared);
    s->threads[0] = wanted->threads[0] > 0 ? wanted->threads[0] * wanted->threads[1]
                                           : resident_threads(p);
    s->threads[1] = 1;
    s->versions = 1 + p->aside;
    resident_check(p, wanted, most);
}
