/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions of walls on coarser grids. A coarser grid has every second point of the finer
 * grid. Its wall therefore lies a fraction of a spacing behind its last point, unless the
 * extent is a multiple plus one.
 *
 * A wall with a given value lies `gap` spacings (at most 1) behind the last point. The
 * value beyond is extrapolated on the straight line from this point through 0 at the
 * wall. The extrapolation adds (1 - gap)/gap of the weights that read beyond the face to
 * the diagonal. On the finest grid the borders do this, and only the diagonal of
 * relaxations changes.
 *
 * At an insulated wall the cell of the last point is 1/2 + gap spacings wide. The flux
 * from its neighbour therefore counts 1/(1/2 + gap) times. The nearer border rule is
 * used: a wall on the point gives a factor of 2, a wall half a spacing behind it a factor
 * of 1. The remainder is added to the weights of both points. */
#include <math.h>
#include <stdlib.h>

#include "solve/solve_private.h"

static const double AT_THE_POINT = 0.3; /* nearer walls count as lying on the point */

/* Position of the wall, in indices of the finest grid. */
static double wall_at(const deriver *d, int face)
{
    const statement *s = d->rule[face];
    const axis_grid *g = &d->p->axis[face / 2];
    const double last = face % 2 ? (double)(g->points - 1) : 0,
                 behind = s ? 0.5 * (int)border_rules[s->border].wall : 0;
    return face % 2 ? last + behind : -behind;
}

/* True if nothing flows through the wall, for any values of the points. */
static bool has_no_flow(const statement *s)
{
    return s && border_is(s->border) && !border_wraps(s->border) &&
           !border_rules[s->border].fixes_wall;
}

/* A single point between insulated walls has no neighbour: it is its own mirror image.
 * Coarser grids then treat the walls like the finest grid. */
double wall_gap(const deriver *d, int face, int coarse)
{
    if (grid_extent(d, coarse, face / 2) == 1 && has_no_flow(d->rule[face]))
        return 0.5;
    const double last = face % 2 ? (double)grid_extent(d, coarse, face / 2) - 1 : 0,
                 wall = ldexp(wall_at(d, face), -grid_shift(d, coarse, face / 2));

    return face % 2 ? wall - last : -wall;
}

border_kind wall_rule(const deriver *d, int face, int coarse)
{
    /* transfers read beyond a face where an unknown of a system has no border */
    const border_kind kind = d->rule[face]    ? d->rule[face]->border
                             : d->first->next ? BORDER_CLAMP
                                              : BORDER_NONE;
    const double gap = wall_gap(d, face, coarse);

    if (coarse == 0 || border_wraps(kind) || !border_is(kind))
        return kind;
    if (border_rules[kind].fixes_wall)
        return gap > 1e-9 ? BORDER_BEYOND : kind;
    /* a mirror needs more points for wide stencils */
    return grid_extent(d, coarse, face / 2) == 1 ? BORDER_CLAMP
           : gap < AT_THE_POINT                  ? BORDER_NEUMANN
                                                 : BORDER_MIRROR;
}

double wall_length(const deriver *d, int axis, int coarse)
{
    return ldexp(wall_at(d, 2 * axis + 1) - wall_at(d, 2 * axis),
                 -grid_shift(d, coarse, axis));
}

/* ---- terms of walls between points on the diagonal --------------------------------- */

static bool is_insulated(const deriver *d, int face)
{
    return has_no_flow(d->rule[face]) && !edges_fit(d);
}

static double share_of(deriver *d, int face, int coarse)
{
    const statement *s = d->rule[face];
    const double gap = wall_gap(d, face, coarse);

    if (is_insulated(d, face) && coarse)
        return 1 / (0.5 + gap) - (gap < AT_THE_POINT ? 2 : 1);
    return !s || !border_rules[s->border].fixes_wall || !(gap > 1e-9) ||
                   (coarse && edges_fit(d) && edges_sealed(d, face))
               ? 0
               : (1 - gap) / gap;
}

/* On the finest grid the border fills the points beyond. Only the next point beyond is an
 * image of the point at the wall. */
static bool reads_beyond(const solve_tap *t, int face, int coarse)
{
    const int offset = face % 2 ? t->offset[face / 2] : -t->offset[face / 2],
              along = abs(t->offset[0]) + abs(t->offset[1]) + abs(t->offset[2]);

    return coarse ? offset > 0 : offset == 1 && along == 1;
}

/* Sum of the weights that read beyond the face, negated: a number or an expression. */
static const char *weights_beyond(deriver *d, int face, int coarse)
{
    expr *sum = tree_number(d, num_int(0));
    double value = 0;

    for (int64_t k = 0; k < d->form.count; k++) {
        const solve_tap *t = &d->form.tap[k];
        if (!reads_beyond(t, face, coarse))
            continue;
        value -= t->value;
        sum = tree_binary(d, OP_SUB, sum, t->weight);
    }
    if (d->form.constant)
        return arena_print(d->arena, "%.17g", value);
    if (coarse && edges_fit(d))
        return edges_beyond(d, face, coarse);
    expr *there = copy_with(d, sum, tree_field(d, d->unknown->name, 0), coarse);
    return arena_print(d->arena, "(%s)", tree_text(d, there));
}

double wall_between(const deriver *d, int face, int coarse, int inside)
{
    const int axis = face / 2, shift = grid_shift(d, coarse, axis);
    const axis_grid *g = &d->p->axis[axis];
    const int64_t n = grid_extent(d, coarse, axis),
                  behind = face % 2 ? n - 2 - inside : inside;

    return axis_stretched(d->p, axis)
               ? (axis_coordinate(d->p, axis, 0, behind << shift) +
                  axis_coordinate(d->p, axis, 0, (behind + 1) << shift)) /
                     2
               : num_f64(g->origin) +
                     ldexp(num_f64(g->step), shift) * ((double)behind + 0.5);
}

/* True at the points beyond the middle of the points `inside` and inside + 1. */
static const char *condition(deriver *d, int face, int coarse, int inside)
{
    return arena_print(d->arena, "%c %s %.17g", "xyz"[face / 2], face % 2 ? ">" : "<",
                       wall_between(d, face, coarse, inside));
}

const char *wall_is_last(deriver *d, int face, int coarse)
{
    return condition(d, face, coarse, 0);
}

/* True for the last face of an axis on the coarsest grid, if its wall lies on the point.
 * Its term holds at no point. With it the coarsest grids of all extents share kernels. */
static bool has_idle_term(const deriver *d, int face, int coarse)
{
    return face % 2 && coarse && coarse == d->grids - 1 &&
           grid_extent(d, coarse, face / 2) <= 3 && d->rule[face] &&
           border_rules[d->rule[face]->border].fixes_wall &&
           wall_gap(d, face, coarse) <= 1e-9;
}

/* The term of all walls for the diagonal. NULL: all walls lie on points. */
const char *wall_term(deriver *d, int coarse)
{
    const char *term = NULL;

    for (int face = 0; face < 2 * d->p->dim; face++) {
        const bool idle = has_idle_term(d, face, coarse);
        const double share = idle ? 0.5 : share_of(d, face, coarse);
        if (fabs(share) < 1e-9)
            continue;
        const char *part = arena_print(d->arena, "where(%s, %.17g*%s, 0)",
                                       condition(d, face, coarse, idle ? -1 : 0), share,
                                       weights_beyond(d, face, coarse));
        term = term ? arena_print(d->arena, "%s + %s", term, part) : part;
    }
    return term;
}

const char *wall_flux(deriver *d, const char *x, int coarse)
{
    const char *all = "";

    for (int face = 0; face < 2 * d->p->dim && coarse; face++) {
        const double share = share_of(d, face, coarse);
        if (is_insulated(d, face) && fabs(share) >= 1e-9)
            all = arena_print(d->arena, "%s - where(%s, %.17g*%s*%s, 0)", all,
                              wall_is_last(d, face, coarse), share,
                              weights_beyond(d, face, coarse),
                              text_next(d, x, face / 2, face % 2 ? -1 : 1));
    }
    return all;
}

/* ---- residuals at insulated walls -------------------------------------------------- */

/* Factor for the last points before insulated walls, on the grid or on the next coarser
 * grid (`restricted`). It is needed because restriction takes only half of the points
 * behind the last coarse point. NULL: no such walls. */
static const char *cell_factor(deriver *d, int coarse, bool restricted)
{
    const char *all = NULL;

    for (int axis = 0; axis < d->p->dim; axis++) {
        const int face = 2 * axis + 1;
        /* Does the last point lie between the wall and the last point of the coarser
         * grid? The coarse cell then contains the whole cell of this point. */
        if (!is_insulated(d, face) || grid_keeps(d, coarse + 1, axis) ||
            grid_extent(d, coarse, axis) % 2 != 0)
            continue;
        const double gap = wall_gap(d, face, coarse);
        const char *one = arena_print(d->arena, "where(%s, %.17g, 1)",
                                      wall_is_last(d, face, coarse + restricted),
                                      restricted ? 2 / (2 + gap) : 1 + 2 * gap);
        all = all ? arena_print(d->arena, "%s*%s", all, one) : one;
    }
    return all;
}

const char *wall_weighed(deriver *d, const char *residual, int coarse)
{
    const bool edges = edges_fit(d);
    const char *factor = edges ? write_weight(d) : cell_factor(d, coarse, false);

    return factor && !(edges && (coarse || !factor[1]))
               ? arena_print(d->arena, "%s*(%s)", factor, residual)
               : residual;
}

const char *wall_gathered(deriver *d, int coarse)
{
    const char *factor = cell_factor(d, coarse - 1, true);

    return factor ? arena_print(d->arena, "%s*", factor) : "";
}
