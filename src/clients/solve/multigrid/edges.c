/* SPDX-License-Identifier: BSD-3-Clause */
/* Coarser grids of an operator with varying weights, such as a coefficient with jumps.
 * A symmetric operator that reads only its next neighbours along the axes is a sum
 * over edges, weight * (neighbour - u), plus c*u. The weight of a coarse edge is the
 * harmonic mean of its two fine edges in a row, averaged over the neighbour rows. c is
 * restricted. The transfers between the grids use the same edges. */
#include <stdlib.h>
#include <string.h>

#include "solve/solve_private.h"

static bool is_coordinate(const expr *e)
{
    return e->kind == EXPR_BUILTIN &&
           (e->builtin <= BUILTIN_Z || e->builtin >= BUILTIN_IX);
}

/* No edge crosses the wall: nothing flows through it, or it lies between points. Half of
 * the cells of points on an insulated wall lie behind it. */
bool edges_sealed(const deriver *d, int face)
{
    const border_kind kind = wall_rule(d, face, 0);

    return border_rules[kind].wall == WALL_BETWEEN || border_insulates_points(kind);
}

/* Sealed walls need the edges of the finest grid in fields, with 0 at these walls. */
static bool are_stored(const deriver *d)
{
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (edges_sealed(d, face))
            return true;
    return false;
}

/* False if a weight reads coordinates: edge weights of the finer grid are evaluated on
 * the coarser grid, with different coordinates. */
bool edges_fit(const deriver *d)
{
    if (d->form.constant || !d->method->edges || !d->symmetric || d->first->next)
        return false;
    for (int64_t k = 0; k < d->form.count; k++) {
        const int *o = d->form.tap[k].offset;
        if (abs(o[0]) + abs(o[1]) + abs(o[2]) > 1 ||
            tree_any(d->form.tap[k].weight, is_coordinate))
            return false;
    }
    return true;
}

/* edge from each point to the next */
static const char *edges_name(deriver *d, int axis, int coarse)
{
    return coarse == 0 && !are_stored(d)
               ? arena_print(d->arena, "(%s)", tree_text(d, weight_next(d, axis, 1)))
               : arena_print(d->arena, "%sedge%c_%d", d->prefix, "xyz"[axis], coarse);
}

static const char *sum_name(deriver *d, int coarse)
{
    return arena_print(d->arena, "%ssum_%d", d->prefix, coarse);
}

/* ---- from grid to grid ------------------------------------------------------------- */

static const char *shifted(deriver *d, expr *fine, const int *offset)
{
    return tree_text(d, tree_shifted(d, fine, offset));
}

/* True if grid `coarse` keeps an axis, or if the axis has one point, copied to its
 * neighbours. */
static bool edges_keep(const deriver *d, int axis, int coarse)
{
    const bool copied = grid_extent(d, coarse - 1, axis) == 1 &&
                        !(d->fixed >> (2 * axis) & 3);

    return copied || grid_keeps(d, coarse, axis);
}

/* The part of a neighbour row that belongs to the coarse row: the interpolation weight of
 * its points. A point interpolates from its neighbours towards the coarse row, in
 * proportion to the edges between them. `across` holds these edges for each axis, as sums
 * over both ends of the row. Beside a jump, the flux of a row then stays with the rows of
 * its own coefficient. */
static const char *share_of_row(deriver *d, const char *const *across, const int *offset)
{
    const char *sum = "", *all = "";

    for (int a = 0; a < MAX_DIM; a++) {
        int near[] = {offset[0], offset[1], offset[2]},
            far[] = {near[0], near[1], near[2]}, rest[] = {near[0], near[1], near[2]};
        if (!across[a] || offset[a] == 0)
            continue;
        (offset[a] > 0 ? near : far)[a]--;
        rest[a] = 0;
        const char *plus = *sum ? " + " : "", *edge = text_at(d, across[a], near);
        sum = arena_print(d->arena, "%s%s%s*%s", sum, plus, edge,
                          share_of_row(d, across, rest));
        all = arena_print(d->arena, "%s%s%s + %s", all, plus, edge,
                          text_at(d, across[a], far));
    }
    return *sum ? arena_print(d->arena, "%sover(%s, %s)", d->prefix, sum, all) : "1";
}

/* The weight of a coarse edge: half the harmonic mean of its two fine edges, averaged
 * over the neighbour rows by their shares. Along an axis that is not halved, fine edges
 * stay coarse edges. Without an axis (MAX_DIM): the mean of sums of weights at points. */
static const char *mean_of_rows(deriver *d, expr *fine, int axis, int coarse)
{
    const bool row = axis < MAX_DIM && !edges_keep(d, axis, coarse);
    const char *sum = "", *across[MAX_DIM] = {NULL};
    int all = 1;

    for (int a = 0; a < d->p->dim; a++) {
        if (a == axis || edges_keep(d, a, coarse))
            continue;
        const char *e = edges_name(d, a, coarse - 1);
        across[a] = axis == MAX_DIM ? e
                                    : arena_print(d->arena, "(%s + %s)", e,
                                                  text_next(d, e, axis, 1 + row));
        all *= 2;
    }
    for (int n = 0; n < 27; n++) {
        int offset[] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        bool averaged = true;
        for (int a = 0; a < MAX_DIM; a++)
            averaged = averaged && (across[a] || offset[a] == 0);
        if (!averaged)
            continue;
        const char *share = share_of_row(d, across, offset);
        const char *one = arena_print(d->arena, "(%s)", shifted(d, fine, offset));
        if (row) {
            offset[axis]++;
            one = arena_print(d->arena, "%srow(%s, %s)", d->prefix, one,
                              shifted(d, fine, offset));
        }
        sum = arena_print(d->arena, "%s%s%s*%s", sum, *sum ? " + " : "", share, one);
    }
    return arena_print(d->arena, "(%s)/%d", sum, all);
}

/* The weight of a coarse edge: the harmonic mean of two fine edges. If the weights scale
 * with 1/h^2, a quarter of it. On grid 1 the fine weights are expressions with the
 * spacing of grid 1, so they need no quarter. */
static const char *coarse_edge(deriver *d, int axis, int coarse)
{
    const bool stored = coarse > 1 || are_stored(d);
    expr *fine = stored ? tree_field(d, edges_name(d, axis, coarse - 1), 0)
                        : weight_next(d, axis, 1);
    const bool quarter = stored && d->form.spaced;
    const char *rows = mean_of_rows(d, fine, axis, coarse);

    return grid_keeps(d, coarse, axis) ? rows
           : !edges_keep(d, axis, coarse)
               ? arena_print(d->arena, "%s(%s)", quarter ? "1/2*" : "2*", rows)
           : quarter ? arena_print(d->arena, "1/4*(%s)", rows)
                     : rows;
}

/* Beyond sealed walls a field of edges is 0. A field of points is the mirror image there,
 * as corrections are. */
static void declare(deriver *d, const char *name, int coarse, const char *value,
                    bool of_edges)
{
    text_add(&d->head, "field %s", name);
    if (coarse)
        text_add(&d->head, " coarse %d", coarse);
    text_add(&d->head, " = %s\n", value);
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (edges_sealed(d, face) && of_edges)
            solve_write_border(&d->tail, BORDER_BEYOND, name, NULL, face);
        else if (border_insulates_points(wall_rule(d, face, 0)))
            solve_write_border(&d->tail, wall_rule(d, face, 0), name, NULL, face);
        else
            text_add(&d->tail, "border %s %s at %c%c\n",
                     write_copies(d, face, d->periodic & (1u << face)), name,
                     "xyz"[face / 2], "-+"[face % 2]);
}

/* The reciprocal of the finest grid's diagonal, in a field. A relaxation from 0 reads it
 * at all neighbours, and each would cost the means of its edges. */
const char *edges_scale(deriver *d)
{
    const char *name = arena_print(d->arena, "%sscale", d->prefix);

    if (!d->scaled)
        declare(d, name, 0, arena_print(d->arena, "1/%s", operator_diagonal(d, 0)),
                false);
    d->scaled = true;
    return name;
}

/* Declares the edges of the finest grid, with 0 behind the last points before sealed
 * walls, and the sums of weights. Both belong to the cells of the points. A wall with a
 * given value between points adds to the sum of its last point: beyond lies minus the
 * value of this point. */
static void declare_finest(deriver *d, expr *all)
{
    const char *wall = wall_term(d, 0);

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *weight = arena_print(d->arena, "%s*(%s)", write_cells(d, axis),
                                         tree_text(d, weight_next(d, axis, 1)));
        if (edges_sealed(d, 2 * axis + 1))
            weight = arena_print(d->arena, "where(%s, 0, %s)",
                                 wall_is_last(d, 2 * axis + 1, 0), weight);
        declare(d, edges_name(d, axis, 0), 0, weight, true);
    }
    declare(d, sum_name(d, 0), 0,
            arena_print(d->arena, "%s*(%s%s%s)", write_weight(d), tree_text(d, all),
                        wall ? " + 2*" : "",
                        wall ? arena_print(d->arena, "(%s)", wall) : ""),
            true);
}

void edges_declare(deriver *d)
{
    const char *p = d->prefix;
    expr *all = tree_number(d, num_int(0));

    /* quotients that are also defined for coefficients of 0 */
    text_add(&d->head,
             "let %sover(a, b) = where(b == 0, 0, a/b)\n"
             "let %srow(a, b) = %sover(a*b, a + b)\n"
             "let %ssolid(a) = where(a == 0, 1, a)\n",
             p, p, p, p);
    for (int64_t k = 0; k < d->form.count; k++)
        all = tree_binary(d, OP_ADD, all, d->form.tap[k].weight);
    if (are_stored(d))
        declare_finest(d, all);
    for (int coarse = 1; coarse < d->grids; coarse++) {
        for (int axis = 0; axis < d->p->dim; axis++)
            declare(d, edges_name(d, axis, coarse), coarse, coarse_edge(d, axis, coarse),
                    true);
        const char *sum = coarse > 1 || are_stored(d)
                              ? mean_of_rows(d, tree_field(d, sum_name(d, coarse - 1), 0),
                                             MAX_DIM, coarse)
                              : arena_print(d->arena, "restrict(%s)", tree_text(d, all));
        declare(d, sum_name(d, coarse), coarse,
                arena_print(d->arena, "%s%s", d->form.spaced ? "" : "4*", sum), true);
    }
}

/* ---- the operator of a coarser grid ------------------------------------------------ */

const char *edges_applied(deriver *d, const char *x, int coarse)
{
    const char *sum = arena_print(d->arena, "%s*%s", sum_name(d, coarse), x);

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *e = edges_name(d, axis, coarse);
        sum = arena_print(d->arena, "%s + %s*(%s - %s) + %s*(%s - %s)", sum, e,
                          text_next(d, x, axis, 1), x, text_next(d, e, axis, -1),
                          text_next(d, x, axis, -1), x);
    }
    return sum;
}

const char *edges_diagonal(deriver *d, int coarse)
{
    const char *sum = sum_name(d, coarse);

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *e = edges_name(d, axis, coarse);
        sum = arena_print(d->arena, "%s - %s - %s", sum, e, text_next(d, e, axis, -1));
    }
    return sum;
}

/* The weights of the edges across a face, negated. */
const char *edges_beyond(deriver *d, int face, int coarse)
{
    const char *e = edges_name(d, face / 2, coarse);

    return arena_print(d->arena, "(-%s)", face % 2 ? e : text_next(d, e, face / 2, -1));
}

/* ---- transfers --------------------------------------------------------------------- */

/* Transfers between grids for varying weights (Alcouffe, Brandt, Dendy and Painter 1981).
 * The interpolated value of a point between coarse points satisfies the equation along
 * its halved axes. Across a jump of a coefficient, the flux of a correction is then
 * continuous, but not its slope. Residuals are restricted by the transpose. */

/* True if the next coarser grid halves an axis. */
static bool is_halved(const deriver *d, int coarse, int axis)
{
    return !edges_keep(d, axis, coarse + 1);
}

static int count_halved(const deriver *d, int coarse)
{
    int count = 0;

    for (int axis = 0; axis < d->p->dim; axis++)
        count += is_halved(d, coarse, axis);
    return count;
}

/* Number of axes, among the axes halved by the next grid, with an odd index of the point.
 * Declares names for the parity of a point's index along each axis (1: odd). */
static const char *odds_text(deriver *d, int coarse)
{
    const char *sum = "", *p = d->prefix;

    if (!d->odd_declared)
        text_add(&d->head, "let %sodd(i) = i - 2*floor(i/2)\n", p);
    for (int axis = 0; axis < d->p->dim; axis++) {
        const char c = "xyz"[axis];
        if (!d->odd_declared)
            text_add(&d->head, "let %sodd%c = %sodd(floor(%s))\n", p, c, p,
                     text_index(d, axis));
        if (is_halved(d, coarse, axis))
            sum = arena_print(d->arena, "%s%s%sodd%c", sum, *sum ? " + " : "", p, c);
    }
    d->odd_declared = true;
    return arena_print(d->arena, "(%s)", sum);
}

/* Sum of both neighbours times the weight of their edge, along the axes with an odd index
 * (`odd` 0: an even index). of NULL: the sum of the weights. */
static const char *neighbours(deriver *d, const char *of, int coarse, int odd)
{
    const char *sum = "";

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *e = edges_name(d, axis, coarse), *before = text_next(d, e, axis, -1);
        const char *one = of ? arena_print(d->arena, "%s*%s + %s*%s", e,
                                           text_next(d, of, axis, 1), before,
                                           text_next(d, of, axis, -1))
                             : arena_print(d->arena, "%s + %s", e, before);
        if (is_halved(d, coarse, axis))
            sum = arena_print(d->arena, "%s%s(%s%sodd%c)*(%s)", sum, *sum ? " + " : "",
                              odd ? "" : "1 - ", d->prefix, "xyz"[axis], one);
    }
    return sum;
}

/* The reciprocal of the sum of edges that share the residual of a point, in a field: a
 * restriction reads it at all neighbours. */
static const char *share_of_edge(deriver *d, int coarse)
{
    const char *name = arena_print(d->arena, "%sshare_%d", d->prefix, coarse);

    if (!d->shared[coarse])
        declare(d, name, coarse,
                arena_print(d->arena, "%sover(1, %s)", d->prefix,
                            neighbours(d, NULL, coarse, 1)),
                true);
    d->shared[coarse] = true;
    return name;
}

/* Interpolates x from the next coarser grid to grid `coarse`. */
const char *edges_interpolated(deriver *d, const char *x, int coarse)
{
    const char *v = write_field(d, "i", coarse);

    write_equation(d, v, "interpolate(%s)", x);
    for (int odds = 1; odds <= count_halved(d, coarse); odds++) {
        const char *name = write_field(d, "i", coarse);
        const char *old = arena_print(d->arena, "%s'", v);
        write_equation(d, name, "where(%s == %d, %sover(%s, %s), %s)",
                       odds_text(d, coarse), odds, d->prefix,
                       neighbours(d, old, coarse, 1), neighbours(d, NULL, coarse, 1),
                       old);
        v = name;
    }
    return arena_print(d->arena, "%s'", v);
}

/* Fraction of the residual of a point between two coarse points that goes to the point
 * before it or behind it. */
static const char *share(deriver *d, const char *e, int axis, int side)
{
    const int edge = side > 0 ? 0 : -1;

    return arena_print(d->arena, "%sover(%s, %s + %s)", d->prefix,
                       text_next(d, e, axis, edge), text_next(d, e, axis, edge),
                       text_next(d, e, axis, edge + side));
}

/* Restricts to the next coarser grid, not yet scaled: the weights add up to 2^dim. */
const char *edges_restricted(deriver *d, const char *r, int coarse)
{
    const char *sum;

    for (int odds = count_halved(d, coarse); odds > 1; odds--) {
        const char *name = write_field(d, "q", coarse), *odd = odds_text(d, coarse);
        const char *part = arena_print(d->arena, "where(%s == %d, %s*%s, 0)", odd, odds,
                                       r, share_of_edge(d, coarse));
        write_equation(d, name, "where(%s == %d, %s + %s, %s)", odd, odds - 1, r,
                       neighbours(d, part, coarse, 0), r);
        r = arena_print(d->arena, "%s'", name);
    }
    sum = text_next(d, r, 0, 0);
    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *e = edges_name(d, axis, coarse);
        if (!is_halved(d, coarse, axis))
            continue;
        for (int side = 1; side >= -1; side -= 2)
            sum = arena_print(d->arena, "%s + %s*%s", sum, share(d, e, axis, side),
                              text_next(d, r, axis, side));
    }
    return arena_print(d->arena, "(%s)/%d", sum, 1 << count_halved(d, coarse));
}
