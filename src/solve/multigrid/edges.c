/* SPDX-License-Identifier: BSD-3-Clause */
/* Coarser grids of an operator with varying weights, such as a coefficient with jumps.
 * A symmetric operator that reads only its next neighbours along the axes is a sum
 * over edges, weight * (neighbour - u), plus c*u. The weight of a coarse edge is the
 * harmonic mean of its two fine edges in a row, averaged over the neighbour rows. c is
 * restricted. */
#include <stdlib.h>
#include <string.h>

#include "solve/solve_private.h"

static int length_of(const int *offset)
{
    return abs(offset[0]) + abs(offset[1]) + abs(offset[2]);
}

/* False if a wall lies between points: no coarser grid has points on it, and the
 * transposed transfer would not keep the sums. */
static bool walls_fit(const deriver *d)
{
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (border_rules[wall_rule(d, face, 0)].wall == WALL_BETWEEN)
            return false;
    return true;
}

/* True if e reads coordinates. Edge weights of the finer grid are evaluated on the
 * coarser grid, with different coordinates. */
static bool holds_coordinates(const expr *e)
{
    bool holds = e->kind == EXPR_BUILTIN && e->builtin <= BUILTIN_Z;

    for (int k = 0; k < e->count && !holds; k++)
        holds = holds_coordinates(e->arg[k]);
    return holds;
}

bool edges_fit(const deriver *d)
{
    if (d->form.constant || !d->method->edges || !walls_fit(d))
        return false;
    for (int64_t k = 0; k < d->form.count; k++)
        if (length_of(d->form.tap[k].offset) > 1 ||
            holds_coordinates(d->form.tap[k].weight))
            return false;
    return true;
}

/* The weight of the neighbour behind each point along an axis; 0 if the operator does not
 * read it. */
static expr *edge_weight(deriver *d, int axis)
{
    for (int64_t k = 0; k < d->form.count; k++)
        if (d->form.tap[k].offset[axis] == 1)
            return d->form.tap[k].weight;
    return tree_number(d, num_int(0));
}

const char *edges_name(deriver *d, int axis, int coarse)
{
    if (coarse == 0)
        return arena_print(d->arena, "(%s)", tree_text(d, edge_weight(d, axis)));
    return arena_print(d->arena, "%sedge%c_%d", d->prefix, "xyz"[axis], coarse);
}

static const char *sum_name(deriver *d, int coarse)
{
    return arena_print(d->arena, "%ssum_%d", d->prefix, coarse);
}

/* The text of x at a neighbour; x may be primed. */
const char *edges_next_to(deriver *d, const char *x, int axis, int by)
{
    const char *comma = "";
    const char *t = arena_print(d->arena, "%s[", x);

    for (int a = 0; a < d->p->dim; a++, comma = ", ")
        t = arena_print(d->arena, "%s%s%d", t, comma, a == axis ? by : 0);
    return arena_print(d->arena, "%s]", t);
}

/* ---- from grid to grid ------------------------------------------------------------- */

/* Declares quotients that are also defined for coefficients of 0. */
static void declare_quotients(deriver *d)
{
    const char *p = d->prefix;

    text_add(d->head,
             "let %sover(a, b) = where(b == 0, 0, a/b)\n"
             "let %srow(a, b) = %sover(a*b, a + b)\n"
             "let %ssolid(a) = where(a == 0, 1, a)\n",
             p, p, p, p);
}

static const char *shifted(deriver *d, expr *fine, const int *offset)
{
    return tree_text(d, tree_shifted(d, fine, offset));
}

bool edges_keep(const deriver *d, int axis, int coarse)
{
    const bool copied = grid_extent(d, coarse - 1, axis) == 1 &&
                        !(d->fixed >> (2 * axis) & 3);

    return copied || grid_keeps(d, coarse, axis);
}

/* Half the harmonic mean of two fine edges in a row, averaged over the neighbour rows
 * with the weights 1/4, 1/2, 1/4 along each axis across. Along an axis that is not halved
 * the edges stay. */
static const char *mean_of_rows(deriver *d, expr *fine, int axis, int coarse, int start)
{
    const bool row = !edges_keep(d, axis, coarse);
    const char *sum = "";
    int all = 0;

    for (int n = 0; n < 27; n++) {
        int offset[] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, weight = 1;
        for (int a = 0; a < MAX_DIM; a++)
            weight *= a == axis || a >= d->p->dim || edges_keep(d, a, coarse)
                          ? offset[a] == 0
                          : 2 - abs(offset[a]);
        if (weight == 0)
            continue;
        offset[axis] = row ? start : 0;
        const char *one = shifted(d, fine, offset);
        offset[axis]++;
        if (row)
            one = arena_print(d->arena, "%srow(%s, %s)", d->prefix, one,
                              shifted(d, fine, offset));
        else
            one = arena_print(d->arena, "(%s)", one);
        sum = arena_print(d->arena, "%s%s%d*%s", sum, all ? " + " : "", weight, one);
        all += weight;
    }
    return arena_print(d->arena, "(%s)/%d", sum, all);
}

/* The weight of a coarse edge: the harmonic mean of two fine edges. If the weights scale
 * with 1/h^2, a quarter of it. On grid 1 the fine weights are expressions with the
 * spacing of grid 1, so they need no quarter. Beyond an insulated wall lies a copy of the
 * last edge. */
static const char *coarse_edge(deriver *d, int axis, int coarse)
{
    expr *fine = coarse == 1 ? edge_weight(d, axis)
                             : tree_field(d, edges_name(d, axis, coarse - 1), 0);
    const bool quarter = coarse > 1 && d->form.spaced;
    const char *rows = mean_of_rows(d, fine, axis, coarse, 0);

    if (grid_keeps(d, coarse, axis))
        return rows;
    if (edges_keep(d, axis, coarse))
        return quarter ? arena_print(d->arena, "1/4*(%s)", rows) : rows;
    if (border_insulates_points(wall_rule(d, 2 * axis + 1, coarse)))
        rows = arena_print(d->arena, "where(%s, %s, %s)",
                           wall_is_last(d, 2 * axis + 1, coarse),
                           mean_of_rows(d, fine, axis, coarse, -2), rows);
    return arena_print(d->arena, "%s(%s)", quarter ? "1/2*" : "2*", rows);
}

static void declare(deriver *d, const char *name, int coarse, const char *value)
{
    text_add(d->head, "field %s coarse %d = %s\n", name, coarse, value);
    for (int face = 0; face < 2 * d->p->dim; face++)
        text_add(d->tail, "border %s %s at %c%c\n",
                 write_copies(d, face, d->periodic & (1u << face)), name, "xyz"[face / 2],
                 "-+"[face % 2]);
}

static void declare_sum(deriver *d, expr *fine, int coarse)
{
    expr *of = coarse == 1 ? fine : tree_field(d, sum_name(d, coarse - 1), 0);

    declare(d, sum_name(d, coarse), coarse,
            arena_print(d->arena, "%srestrict(%s)", d->form.spaced ? "" : "4*",
                        tree_text(d, of)));
}

void edges_declare(deriver *d)
{
    expr *all = tree_number(d, num_int(0));

    declare_quotients(d);
    for (int64_t k = 0; k < d->form.count; k++)
        all = tree_binary(d, OP_ADD, all, d->form.tap[k].weight);
    for (int coarse = 1; coarse < d->grids; coarse++) {
        for (int axis = 0; axis < d->p->dim; axis++)
            declare(d, edges_name(d, axis, coarse), coarse, coarse_edge(d, axis, coarse));
        declare_sum(d, all, coarse);
    }
}

/* ---- the operator of a coarser grid ------------------------------------------------ */

const char *edges_applied(deriver *d, const char *x, int coarse)
{
    const char *sum = arena_print(d->arena, "%s*%s", sum_name(d, coarse), x);

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *e = edges_name(d, axis, coarse);
        sum = arena_print(d->arena, "%s + %s*(%s - %s) + %s*(%s - %s)", sum, e,
                          edges_next_to(d, x, axis, 1), x, edges_next_to(d, e, axis, -1),
                          edges_next_to(d, x, axis, -1), x);
    }
    return sum;
}

const char *edges_diagonal(deriver *d, int coarse)
{
    const char *sum = sum_name(d, coarse);

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *e = edges_name(d, axis, coarse);
        sum = arena_print(d->arena, "%s - %s - %s", sum, e,
                          edges_next_to(d, e, axis, -1));
    }
    return sum;
}

/* The weights of the edges across a face, negated. */
const char *edges_beyond(deriver *d, int face, int coarse)
{
    const char *e = edges_name(d, face / 2, coarse);

    return arena_print(d->arena, "(-%s)",
                       face % 2 ? e : edges_next_to(d, e, face / 2, -1));
}
