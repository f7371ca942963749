/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers between grids for varying weights (Alcouffe, Brandt, Dendy and Painter 1981).
 * The interpolated value of a point between coarse points satisfies the equation along
 * its halved axes. Across a jump of a coefficient, the flux of a correction is then
 * continuous, but not its slope. Residuals are restricted by the transpose. */
#include <string.h>

#include "solve/solve_private.h"

/* Declares names for the parity of a point's index along each axis (1: odd). */
static void declare_odd(deriver *d)
{
    const char *p = d->prefix;

    if (d->odd_declared)
        return;
    d->odd_declared = true;
    text_add(d->head, "let %sodd(i) = i - 2*floor(i/2)\n", p);
    for (int axis = 0; axis < d->p->dim; axis++) {
        const char c = "xyz"[axis];
        text_add(d->head, "let %sodd%c = %sodd(floor((%c - (", p, c, p, c);
        text_add_double(d->head, num_f64(d->p->axis[axis].origin));
        text_add(d->head, "))/h%c + 1/2))\n", c);
    }
}

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

/* Number of axes, among the axes halved by the next grid, with an odd index of the
 * point. */
static const char *odds_text(deriver *d, int coarse)
{
    const char *sum = "";

    declare_odd(d);
    for (int axis = 0; axis < d->p->dim; axis++)
        if (is_halved(d, coarse, axis))
            sum = arena_print(d->arena, "%s%s%sodd%c", sum, *sum ? " + " : "", d->prefix,
                              "xyz"[axis]);
    return arena_print(d->arena, "(%s)", sum);
}

/* Sum of the weights of both edges of a point, along the axes with an odd index. */
static const char *odd_weights(deriver *d, int coarse)
{
    const char *sum = "";

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *e = edges_name(d, axis, coarse);
        if (is_halved(d, coarse, axis))
            sum = arena_print(d->arena, "%s%s%sodd%c*(%s + %s)", sum, *sum ? " + " : "",
                              d->prefix, "xyz"[axis], e, edges_next_to(d, e, axis, -1));
    }
    return sum;
}

/* Sum of both neighbours times the weight of their edge, along the axes with an odd index
 * (`odd` 0: an even index). */
static const char *neighbours(deriver *d, const char *of, int coarse, int odd)
{
    const char *sum = "";

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *e = edges_name(d, axis, coarse), *p = d->prefix;
        if (!is_halved(d, coarse, axis))
            continue;
        sum = arena_print(d->arena, "%s%s(%s%sodd%c)*(%s*%s + %s*%s)", sum,
                          *sum ? " + " : "", odd ? "" : "1 - ", p, "xyz"[axis], e,
                          edges_next_to(d, of, axis, 1), edges_next_to(d, e, axis, -1),
                          edges_next_to(d, of, axis, -1));
    }
    return sum;
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
                       neighbours(d, old, coarse, 1), odd_weights(d, coarse), old);
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
                       edges_next_to(d, e, axis, edge), edges_next_to(d, e, axis, edge),
                       edges_next_to(d, e, axis, edge + side));
}

/* Contribution of a neighbour's residual. Beyond an insulated wall lies the mirror image
 * of the grid. */
static const char *given(deriver *d, const char *r, const char *e, int axis, int side,
                         int coarse)
{
    const int face = 2 * axis + (side > 0);
    const char *part = share(d, e, axis, side);

    if (border_insulates_points(wall_rule(d, face, coarse)))
        part = arena_print(d->arena, "where(%s, %s, %s)",
                           wall_is_last(d, face, coarse + 1), share(d, e, axis, -side),
                           part);
    return arena_print(d->arena, "%s*%s", part, edges_next_to(d, r, axis, side));
}

/* Restricts to the next coarser grid, not yet scaled: the weights add up to 2^dim. */
const char *edges_restricted(deriver *d, const char *r, int coarse)
{
    const char *sum;

    for (int odds = count_halved(d, coarse); odds > 1; odds--) {
        const char *name = write_field(d, "q", coarse);
        const char *part = arena_print(d->arena, "where(%s == %d, %sover(%s, %s), 0)",
                                       odds_text(d, coarse), odds, d->prefix, r,
                                       odd_weights(d, coarse));
        write_equation(d, name, "where(%s == %d, %s + %s, %s)", odds_text(d, coarse),
                       odds - 1, r, neighbours(d, part, coarse, 0), r);
        r = arena_print(d->arena, "%s'", name);
    }
    sum = edges_next_to(d, r, 0, 0);
    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *e = edges_name(d, axis, coarse);
        if (!is_halved(d, coarse, axis))
            continue;
        sum = arena_print(d->arena, "%s + %s + %s", sum, given(d, r, e, axis, 1, coarse),
                          given(d, r, e, axis, -1, coarse));
    }
    return arena_print(d->arena, "(%s)/%d", sum, 1 << count_halved(d, coarse));
}
