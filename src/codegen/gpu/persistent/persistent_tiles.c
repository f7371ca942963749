/* SPDX-License-Identifier: BSD-3-Clause */
/* The division of a grid between persistent blocks, and the steps between
 * synchronisations, chosen by a model of a step's time. A synchronisation costs a round
 * trip to other blocks, plus time for each published and fetched unit. With fewer
 * synchronisations, blocks compute more points twice. */
#include <math.h>

#include "codegen/gpu/time/fused_private.h"

/* Candidates for rows of a thread tile in two dimensions. */
static const int expected_rows[] = {2, 3, 4, 6, 7, 8};

static const gpu_persistent_costs *costs_of(const fused_plan *p)
{
    return gpu_persistent_costs_of(p->gpu);
}

/* ---- the model --------------------------------------------------------------------- */

/* Warps of a scheduler of a multiprocessor for an operation, with `follow` steps left
 * before the next synchronisation. One warp takes the time of two, because it waits for
 * its own results. Along x all lanes stay active. */
static double warps_of(const fused_plan *p, const fused_operation *operation, int follow)
{
    double lanes = (double)persistent_lanes(p, operation);

    for (int axis = 1; axis < MAX_DIM; axis++) {
        const int around = persistent_is_split(p, axis)
                               ? follow * p->reach[axis] + operation->around[axis]
                               : 0;
        const int each = axis == 1 ? p->schedule.thread.size[1] : p->schedule.planes;
        lanes *= (double)int_parts(persistent_vectors(p, axis) + 2 * around, each);
    }
    return fmax(2, ceil(lanes / (GPU_WARP * gpu_facts_architecture(p->gpu)->schedulers)));
}

/* Instructions for a thread tile. Its neighbours along x come from neighbour lanes, or
 * also from shared memory. */
static double instructions_of(const fused_plan *p, const fused_operation *operation)
{
    const ir_stage *s = fused_stage_of(p, operation);
    const double rows = p->schedule.thread.size[1] * p->schedule.planes;
    const double nodes = (double)operation->nodes * (s->real == PAV_F64 ? 2 : 1);

    return rows * p->schedule.thread.size[0] * nodes + costs_of(p)->tile +
           rows * (persistent_fits_one_warp(p, operation) ? costs_of(p)->row
                                                          : costs_of(p)->shared_row);
}

/* Cycles of one step on average. */
static double work_of(const fused_plan *p)
{
    const double again = p->double_buffered ? 1 : costs_of(p)->in_place;
    double sum = 0;

    for (int64_t n = 0; n < p->operations; n++) {
        double warps = 0;
        for (int follow = 0; follow < p->schedule.tile.steps; follow++)
            warps += warps_of(p, &p->operation[n], follow);
        sum += costs_of(p)->step + again * warps / p->schedule.tile.steps *
                                       instructions_of(p, &p->operation[n]);
    }
    return sum;
}

static int halo_vectors(const fused_plan *p, int axis)
{
    const int unit = axis == 0 ? p->schedule.thread.size[0] : 1;

    return persistent_is_split(p, axis) ? (p->near[axis][0] + unit - 1) / unit +
                                              (p->near[axis][1] + unit - 1) / unit
                                        : 0;
}

/* Published and fetched units of a level. Along x each unit costs a whole line of
 * memory. */
static double units_signalled(const fused_plan *p)
{
    double all = 1, halo = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        all *= persistent_vectors(p, axis) + halo_vectors(p, axis);
    for (int axis = 0; axis < MAX_DIM; axis++)
        halo += all * halo_vectors(p, axis) /
                (persistent_vectors(p, axis) + halo_vectors(p, axis)) *
                (axis == 0 ? costs_of(p)->scattered : 1);
    return 2 * halo;
}

/* With overlap, a fetch of points around tiles makes threads reload the results kept in
 * registers. */
static double cost_of_synchronising(const fused_plan *p)
{
    double tile = 1;
    int levels = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        tile *= persistent_vectors(p, axis);
    for (int f = 0; f < p->code->fields; f++)
        for (int level = 0; p->moves[f] && level >= p->field[f].oldest; level--)
            levels += persistent_publishes(p, f, level);
    if (!persistent_overlaps(p))
        tile = 0;
    return costs_of(p)->exchange + levels *
                                       (units_signalled(p) * costs_of(p)->vector + tile) /
                                       costs_of(p)->parallel;
}

static double cost_of(const fused_plan *p)
{
    return work_of(p) + cost_of_synchronising(p) / p->schedule.tile.steps;
}

void persistent_cycles(const fused_plan *p, double *work, double *waiting)
{
    *work = work_of(p);
    *waiting = cost_of_synchronising(p) / p->schedule.tile.steps;
}

/* ---- division and depth ------------------------------------------------------------ */

typedef struct parts_choice {
    double least;
    int parts[MAX_DIM], depth, rows;
} parts_choice;

static void try_parts(fused_plan *p, const int parts[MAX_DIM], int depth, parts_choice *c)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->schedule.device.size[axis] = parts[axis];
    p->schedule.tile.steps = depth;
    persistent_place_all(p);
    if (p->shared > p->gpu->shared_block || !persistent_has_room(p) ||
        !persistent_vectors_wrap(p) || cost_of(p) >= c->least)
        return;
    c->least = cost_of(p);
    c->depth = depth;
    c->rows = p->schedule.thread.size[1];
    for (int axis = 0; axis < MAX_DIM; axis++)
        c->parts[axis] = parts[axis];
}

/* The most parts along the last axis for the remaining blocks, all of the same size. */
static int parts_left(const fused_plan *p, int blocks, int x, int y)
{
    const int64_t nz = points_along(p->code, 2, false), z = blocks / (x * y);
    const int64_t each = (nz + z - 1) / z;

    return p->code->dim > 2 ? (int)((nz + each - 1) / each) : 1;
}

static void try_all_parts(fused_plan *p, int depth, parts_choice *c)
{
    const int blocks = p->gpu->multiprocessors, ny = p->code->dim > 1 ? blocks : 1;

    for (int y = 1; y <= ny; y++)
        for (int x = 1; x * y <= blocks; x++)
            try_parts(p, (int[]){x, y, parts_left(p, blocks, x, y)}, depth, c);
}

static void try_depths(fused_plan *p, const schedule *requested, parts_choice *c)
{
    static const int candidates[] = {1, 2, 3, 4, 6, 8, 12, 16};

    for (size_t n = 0; n < COUNT_OF(candidates); n++) {
        const int depth = requested->tile.steps > 0 ? requested->tile.steps
                                                    : candidates[n];
        if (requested->device.size[0] > 0)
            try_parts(p, requested->device.size, depth, c);
        else
            try_all_parts(p, depth, c);
        if (requested->tile.steps > 0)
            break;
    }
}

static void try_rows(fused_plan *p, const schedule *requested, parts_choice *c)
{
    for (size_t n = 0; n < COUNT_OF(expected_rows); n++) {
        p->schedule.thread.size[1] = expected_rows[n];
        try_depths(p, requested, c);
    }
}

/* Chooses options left open; 1 part along each axis if nothing fits. In three dimensions
 * `choose_tile` has set the thread tiles. */
static void choose(fused_plan *p, const schedule *given)
{
    schedule own = *given, *const requested = &own;
    /* blocks of chaotic programs read each other's halos after each step */
    if (p->code->program->chaotic && own.tile.steps == 0)
        own.tile.steps = 1;
    parts_choice c = {INFINITY, {1, 1, 1}, 1, p->schedule.thread.size[1]};

    if (requested->thread.size[1] == 0 && p->code->dim == 2)
        try_rows(p, requested, &c);
    else
        try_depths(p, requested, &c);
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->schedule.device.size[axis] = requested->device.size[0] > 0
                                            ? requested->device.size[axis]
                                            : c.parts[axis];
    p->schedule.tile.steps = requested->tile.steps > 0 ? requested->tile.steps : c.depth;
    p->schedule.thread.size[1] = c.rows;
}

/* ---- all --------------------------------------------------------------------------- */

/* If parts along x are requested of a periodic grid, the vector must divide the points
 * along x. */
static int default_vector(const fused_plan *p, const schedule *requested)
{
    const int64_t nx = points_along(p->code, 0, false);
    int most = 4;

    for (int64_t n = 0; n < p->operations; n++)
        most = int_least(
            most, cuda_default_vector(p->code, fused_stage_of(p, &p->operation[n])));
    while (p->periodic[0] && requested->device.size[0] > 1 && nx % most != 0)
        most /= 2;
    return most;
}

static void choose_tile(fused_plan *p, const schedule *requested)
{
    enum { DEFAULT_ROWS = 2 };
    schedule *s = &p->schedule;

    s->thread.size[0] = requested->thread.size[0] > 0 ? requested->thread.size[0]
                                                      : default_vector(p, requested);
    s->planes = requested->planes > 0 ? requested->planes : 1;
    s->thread.size[1] = requested->thread.size[1] > 0 ? requested->thread.size[1]
                        : p->code->dim > 1            ? DEFAULT_ROWS
                                                      : 1;
}

static void count_nodes(fused_plan *p)
{
    for (int64_t n = 0; n < p->operations; n++)
        p->operation[n]
            .nodes = ir_stage_cost(p->code, fused_stage_of(p, &p->operation[n])).nodes;
}

void persistent_choose(fused_plan *p, const schedule *requested)
{
    schedule *s = &p->schedule;

    persistent_check_marks(p);
    if (p->refusal)
        return;
    *s = *requested;
    choose_tile(p, requested);
    count_nodes(p);
    persistent_find_versions(p);
    choose(p, requested);
    persistent_place_all(p);
    s->tile.size[0] = requested->tile.size[0] > 0
                          ? requested->tile.size[0] * requested->tile.size[1]
                          : persistent_threads(p);
    s->tile.size[1] = 1;
    s->buffers = 1 + p->double_buffered;
    persistent_check(p, requested);
}
