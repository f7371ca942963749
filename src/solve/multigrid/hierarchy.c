/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the axes halved by each coarser grid. A relaxation damps errors along strongly
 * coupled axes only. If the axes couple unequally, only the strong ones are halved until
 * all couple alike (semicoarsening: Mulder 1989); each halving weakens an axis by 4. A
 * `coarse` statement of the description overrides this choice. */
#include <math.h>
#include <stdlib.h>

#include "solve/solve_private.h"

int grid_shift(const deriver *d, int coarse, int axis)
{
    int shift = 0;

    for (; coarse > 0; coarse--)
        shift += (int)(d->halved[coarse] >> axis & 1);
    return shift;
}

int64_t grid_extent(const deriver *d, int coarse, int axis)
{
    int64_t extent = coarse_extent(d->p, 0, axis);

    for (int k = grid_shift(d, coarse, axis); k > 0; k--)
        extent = extent / 2 + extent % 2;
    return extent;
}

double grid_strength(const deriver *d, int coarse, int axis)
{
    return ldexp(d->strength[axis], -2 * grid_shift(d, coarse, axis));
}

bool grid_keeps(const deriver *d, int coarse, int axis)
{
    return !(d->halved[coarse] >> axis & 1) && grid_extent(d, coarse, axis) > 1;
}

bool hierarchy_keeps_axes(const deriver *d)
{
    for (int k = 1; k < d->grids; k++)
        for (int axis = 0; axis < d->p->dim; axis++)
            if (grid_keeps(d, k, axis))
                return true;
    return false;
}

/* ---- whether an axis can be halved ------------------------------------------------- */

/* True if a coarser grid can halve the axis. It must keep at least one unknown, and
 * enough points for the reads of the operator. */
static bool can_halve(deriver *d, int axis, int coarse)
{
    const int64_t n = grid_extent(d, coarse - 1, axis);
    const unsigned before = d->halved[coarse];
    int64_t least = 2;

    for (int64_t k = 0; k < d->form.count; k++)
        if (d->form.tap[k].offset[axis] >= least)
            least = d->form.tap[k].offset[axis] + 1;
    if (n <= 2 || n / 2 + n % 2 < least || (n % 2 && d->periodic & FACE_BIT(axis, 0)))
        return false;
    d->halved[coarse] = 1u << axis;
    const bool any = wall_unknowns(d, axis, coarse) > 0;
    d->halved[coarse] = before;
    return any;
}

/* Bit mask of the axes with more than one point. */
static unsigned axes_of(const deriver *d, int coarse)
{
    unsigned axes = 0;

    for (int axis = 0; axis < d->p->dim; axis++)
        if (grid_extent(d, coarse, axis) > 1)
            axes |= 1u << axis;
    return axes;
}

static unsigned axes_to_halve(deriver *d, int coarse)
{
    unsigned axes = 0;

    for (int axis = 0; axis < d->p->dim; axis++)
        if (grid_extent(d, coarse - 1, axis) > 1 && can_halve(d, axis, coarse))
            axes |= 1u << axis;
    return axes;
}

static double strongest(const deriver *d, unsigned axes, int coarse)
{
    double most = 0;

    for (int axis = 0; axis < d->p->dim; axis++)
        if (axes >> axis & 1)
            most = fmax(most, grid_strength(d, coarse, axis));
    return most;
}

/* ---- what an operator allows ------------------------------------------------------- */

static bool holds_one_spacing(const expr *e)
{
    bool holds = e->kind == EXPR_BUILTIN && e->builtin == BUILTIN_H;

    for (int k = 0; k < e->count && !holds; k++)
        holds = holds_one_spacing(e->arg[k]);
    return holds;
}

/* True if a grid can keep an axis. Each weight must belong to one axis alone. Varying
 * weights must name the spacing of their axis. */
static bool parts_axes(const deriver *d)
{
    for (int64_t k = 0; k < d->form.count; k++) {
        const int *o = d->form.tap[k].offset;
        if ((o[0] != 0) + (o[1] != 0) + (o[2] != 0) > 1 ||
            (!d->form.constant && holds_one_spacing(d->form.tap[k].weight)))
            return false;
    }
    return d->form.constant || d->form.spaced;
}

/* True if the description has coarse fields. All its solvers then share their
 * hierarchy. */
static bool has_own_grids(const deriver *d)
{
    for (int64_t f = 0; f < d->p->fields.count; f++)
        if (d->p->fields.item[f]->coarse)
            return true;
    return false;
}

static bool has_own_hierarchy(const deriver *d)
{
    for (const statement *s = d->p->first; s; s = s->next)
        if (s->kind == STATEMENT_COARSE)
            return true;
    return false;
}

/* ---- the choice -------------------------------------------------------------------- */

/* Chooses the strong axes among the axes to halve; 0: the grid is the coarsest. If a
 * strong axis cannot be halved, no coarser grid reduces its errors. */
static unsigned chosen(deriver *d, int coarse)
{
    const unsigned all = axes_of(d, coarse - 1), can = axes_to_halve(d, coarse);
    const double most = strongest(d, can, coarse - 1),
                 stuck = strongest(d, all & ~can, coarse - 1);
    unsigned axes = 0;

    if (!can || stuck >= (coarse == 1 ? 0.5 : 1) * most)
        return 0;
    for (int axis = 0; axis < d->p->dim; axis++)
        if (can >> axis & 1 && grid_strength(d, coarse - 1, axis) >= 0.5 * most)
            axes |= 1u << axis;
    return axes;
}

static unsigned next_axes(deriver *d, int coarse, bool own, bool parted)
{
    const unsigned all = axes_of(d, coarse - 1), can = axes_to_halve(d, coarse);

    if (own && (all & ~can & ~d->p->kept[coarse]))
        return 0;
    if (own)
        return all & ~d->p->kept[coarse];
    return parted ? chosen(d, coarse) : all == can ? all : 0;
}

/* Axes of one point count as halved. */
void hierarchy_find(deriver *d)
{
    const bool own = has_own_hierarchy(d), parted = !has_own_grids(d) && parts_axes(d);

    strength_find(d, d->strength);
    for (d->grids = 1; d->grids < MOST_GRIDS; d->grids++) {
        const unsigned all = axes_of(d, d->grids - 1);
        const unsigned axes = next_axes(d, d->grids, own, parted);
        if (!axes)
            break;
        d->halved[d->grids] = axes | (~all & ((1u << MAX_DIM) - 1));
    }
    d->own_hierarchy = own;
}

/* ---- the text ---------------------------------------------------------------------- */

/* Letters of the axes: x, y, z for derived text, or the letters of the description
 * (`given`). */
static const char *letters_of(deriver *d, unsigned axes, bool given)
{
    const char *all = "";

    for (int axis = 0; axis < d->p->dim; axis++)
        if (axes >> axis & 1)
            all = arena_print(d->arena, "%s%s%c", all, *all ? ", " : "",
                              given ? axis_letter(d->p, axis) : "xyz"[axis]);
    return all;
}

void hierarchy_declare(deriver *d)
{
    for (int k = 1; k < d->grids && !d->own_hierarchy; k++) {
        const unsigned axes = axes_of(d, k - 1);
        if (axes & ~d->halved[k])
            text_add(d->head, "coarse %d along %s\n", k,
                     letters_of(d, axes & d->halved[k], false));
    }
}

/* "x 4 times, then x, y" */
const char *hierarchy_text(deriver *d)
{
    const char *all = "";

    for (int k = 1, next; k < d->grids; k = next) {
        const unsigned axes = d->halved[k] & axes_of(d, k - 1);
        for (next = k + 1; next < d->grids; next++)
            if ((d->halved[next] & axes_of(d, next - 1)) != axes)
                break;
        all = arena_print(d->arena, "%s%s%s", all, *all ? ", then " : "",
                          letters_of(d, axes, true));
        if (next > k + 1)
            all = arena_print(d->arena, "%s %d times", all, next - k);
    }
    return all;
}

/* Writes a comment for each grid, with its points and halved axes. */
void hierarchy_list(deriver *d, int grids, text *t)
{
    for (int k = 0; k < grids; k++) {
        text_add(t, "#   grid %d: ", k);
        for (int axis = 0; axis < d->p->dim; axis++)
            text_add(t, "%s%lld", axis ? " x " : "", (long long)grid_extent(d, k, axis));
        text_add(t, " points");
        if (k)
            text_add(t, ", halves %s",
                     letters_of(d, d->halved[k] & axes_of(d, k - 1), true));
        text_add(t, "\n");
    }
}
