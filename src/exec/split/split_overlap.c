/* SPDX-License-Identifier: BSD-3-Clause */
/* Overlap of halos and computing. While halos are under way, every subdomain computes the
 * points that read no halo, then the strips along its seams (the two phases of
 * Micikevicius, 3D finite difference computation on GPUs, 2009). The points of strips
 * leave in the next exchange, at once.
 * Rows stay whole: strips are never cut off along x. If the grid is cut along x, the
 * halos are awaited first. */
#include <assert.h>

#include "exec/split/split_private.h"

enum {
    /* share of the inside, on processors, before messages of ranks are polled ... */
    FIRST_PIECE = 16,
    LEAST_POINTS = 1 << 18 /* ... if the inside has at least this many points */
};

/* Finds the radius of a stage beyond its points, at seams of the fields it reads. Fields
 * may differ: one may be periodic, another not. -1: nothing is read there. With wide
 * halos the points beyond the seam are the subdomain's. False: the stage also reads other
 * grids. */
static bool find_reach(const subdomain *inner, const ir_stage *stage,
                       int reach[MAX_DIM][2])
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        reach[axis][0] = reach[axis][1] = -1;
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op != IR_LOAD)
            continue;
        if (n->transfer != IR_SAME)
            return false;
        for (int axis = 0; axis < MAX_DIM; axis++) {
            int of_load[2] = {0, 0};
            halo_reach(n, axis, of_load);
            for (int side = 0; side < 2; side++)
                if (subdomain_is_seam(inner, n->field, axis, side) &&
                    reach[axis][side] < of_load[side])
                    reach[axis][side] = of_load[side];
        }
    }
    return true;
}

/* Points of a share that read nothing beyond seams; false: fewer than half of the
 * share. */
static bool find_inside(const subdomain *inner, const interp_args *args, const box *share,
                        box *inside)
{
    const subdomain_grid *g = &inner->grid[args->stage->coarse];
    int reach[MAX_DIM][2];
    *inside = *share;
    if (g->all || g->cut[0] || inner->executor->absent ||
        !find_reach(inner, args->stage, reach))
        return false;
    for (int axis = 1; axis < MAX_DIM; axis++) {
        const int64_t lo = g->box.lo[axis] + reach[axis][0],
                      hi = g->box.hi[axis] - reach[axis][1];
        if (reach[axis][0] >= 0 && inside->lo[axis] < lo)
            inside->lo[axis] = lo;
        if (reach[axis][1] >= 0 && inside->hi[axis] > hi)
            inside->hi[axis] = hi;
    }
    assert(box_is_empty(inside) || box_is_inside(inside, share));
    return !box_is_empty(inside) && 2 * box_points(inside) >= box_points(share);
}

bool split_overlaps(const split *s, const interp_args *args, const halo_depth *extra,
                    box *share, box *inside)
{
    bool any = false;
    for (int64_t n = 0; n < s->whole->inners; n++) {
        share[n] = split_share_of(s, n, args, extra);
        inside[n] = share[n];
        if (s->parcels == 0 || !stage_may_be_cut(args->stage) || box_is_empty(&share[n]))
            continue;
        if (find_inside(&s->whole->inner[n], args, &share[n], &inside[n]))
            any = true;
        else
            inside[n].hi[0] = inside[n].lo[0];
    }
    return any;
}

/* ---- two phases -------------------------------------------------------------------- */

/* Computes boxes in all subdomains with asynchronous executors, or in all others. */
static pav_status compute_all(const split *s, const interp_args *args, const box *b,
                              bool asynchronous)
{
    for (int64_t n = 0; n < s->whole->inners; n++)
        if (s->whole->inner[n].executor->asynchronous == asynchronous)
            TRY(split_compute(s, n, args, &b[n]));
    return PAV_OK;
}

/* Cuts along the outermost axis with several points. */
static bool cut_off(const box *all, box *first, box *rest)
{
    int axis = MAX_DIM - 1;
    while (axis > 1 && all->hi[axis] - all->lo[axis] < 2)
        axis--;
    const int64_t count = all->hi[axis] - all->lo[axis];
    *first = *rest = *all;
    rest->lo[axis] = first->hi[axis] = all->lo[axis] +
                                       (count + FIRST_PIECE - 1) / FIRST_PIECE;
    return box_points(all) >= LEAST_POINTS && rest->lo[axis] < rest->hi[axis];
}

/* Messages of ranks advance only during calls of MPI, so the inside is computed in two
 * pieces. */
static pav_status compute_inside(split *s, const interp_args *args, const box *inside)
{
    for (int64_t n = 0; n < s->whole->inners; n++) {
        box first, rest;
        if (s->whole->inner[n].executor->asynchronous)
            continue;
        if (s->whole->ranks && cut_off(&inside[n], &first, &rest)) {
            TRY(split_compute(s, n, args, &first));
            TRY(split_progress(s));
            TRY(split_compute(s, n, args, &rest));
        } else {
            TRY(split_compute(s, n, args, &inside[n]));
        }
    }
    return PAV_OK;
}

/* Computes the strips of a share, on both sides of the outermost axis, then of the next
 * one. */
static pav_status compute_strips(const split *s, const interp_args *args,
                                 const box *share, const box *inside, bool asynchronous)
{
    for (int64_t n = 0; n < s->whole->inners; n++) {
        box left = share[n];
        if (s->whole->inner[n].executor->asynchronous != asynchronous)
            continue;
        if (box_is_empty(&inside[n])) {
            TRY(split_compute(s, n, args, &left));
            continue;
        }
        for (int axis = MAX_DIM - 1; axis > 0; axis--) {
            box strip = left;
            strip.hi[axis] = inside[n].lo[axis];
            TRY(split_compute(s, n, args, &strip));
            strip = left;
            strip.lo[axis] = inside[n].hi[axis];
            TRY(split_compute(s, n, args, &strip));
            left.lo[axis] = inside[n].lo[axis];
            left.hi[axis] = inside[n].hi[axis];
        }
    }
    return PAV_OK;
}

pav_status split_overlap(split *s, const interp_args *args, const box *share,
                         const box *inside)
{
    TRY(compute_all(s, args, inside, true));
    TRY(split_mark_inside(s));
    TRY(split_progress(s));
    TRY(compute_inside(s, args, inside));
    TRY(split_arrive(s));
    TRY(compute_strips(s, args, share, inside, true));
    return compute_strips(s, args, share, inside, false);
}
