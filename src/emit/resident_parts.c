/* SPDX-License-Identifier: BSD-3-Clause */
/* How a grid is cut for blocks that stay, and after how many steps they meet: by a model of what a step takes. Meeting costs
 * the way to other blocks and back, and more the more units are shown and fetched; meeting less often, each block computes
 * more of what others compute as well. */
#include <math.h>

#include "emit/pass_private.h"

/* Of bricks in two dimensions, where nobody says otherwise. */
static const int likely_rows[] = {2, 3, 4, 6, 7, 8};

static const gpu_persistent_costs *costs(void)
{
    return gpu_persistent_costs_of(gpu_facts_default());
}

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
    return fmax(
        2, ceil(lanes /
                (GPU_WARP * gpu_facts_architecture(gpu_facts_default())->schedulers)));
}

/* Of a brick, whose neighbours along x come from lanes beside, or from shared memory as well. */
static double instructions_of(const pass_plan *p, const pass_act *act)
{
    const ir_stage *s = pass_stage_of(p, act);
    const double rows = p->schedule.rows * p->schedule.planes;
    const double nodes = (double)act->nodes * (s->real == PAV_F64 ? 2 : 1);

    return rows * p->schedule.vector * nodes + costs()->tile +
           rows * (resident_is_alone(p, act) ? costs()->row : costs()->shared_row);
}

/* Of one step on average. */
static double work_of(const pass_plan *p)
{
    const double again = p->aside ? 1 : costs()->in_place;
    double sum = 0;

    for (int64_t n = 0; n < p->acts; n++) {
        double warps = 0;
        for (int follow = 0; follow < p->schedule.depth; follow++)
            warps += warps_of(p, &p->act[n], follow);
        sum += costs()->step +
               again * warps / p->schedule.depth * instructions_of(p, &p->act[n]);
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
                  (axis == 0 ? costs()->scattered : 1);
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
    return costs()->exchange +
           levels * (units_told(p) * costs()->vector + tile) / costs()->parallel;
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
