/* SPDX-License-Identifier: BSD-3-Clause */
/* Full multigrid (Brandt 1977). The residual is restricted to all grids. The solution of
 * the coarsest grid is interpolated to the next finer grid and improved there by an
 * F-cycle, and so on. From u = 0, one step reaches about the discretisation error.
 *
 * Interpolation needs functions smooth up to the walls. A correction from u = 0 is not
 * smooth at walls with given values. So the first step adds u, sampled on the coarser
 * grid, to the correction before interpolation, and subtracts u afterwards. Operators of
 * fourth order use cubic interpolation. */
#include <math.h>

#include "solve/multigrid/multigrid_private.h"

enum { LEAST_CUBIC = 9 }; /* points along an axis, enough for a cubic */

typedef struct full {
    const shape *s;
    bool lifted; /* the first step interpolates u plus its correction */
    bool fourth; /* the operator is of fourth order */
    double blur; /* see operator_is_fourth */
    const char *sample[MOST_GRIDS];
} full;

static bool gives_value(const deriver *d, int face)
{
    return d->fixed & FACE_BIT(face / 2, face % 2);
}

/* ---- restriction ------------------------------------------------------------------- */

/* x[at - 1] - 2*x[at] + x[at + 1] along an axis. */
static const char *second_difference(deriver *d, const char *x, int axis, int at)
{
    return arena_print(d->arena, "(%s - 2*%s + %s)", edges_next_to(d, x, axis, at - 1),
                       edges_next_to(d, x, axis, at), edges_next_to(d, x, axis, at + 1));
}

/* Sets x to 0 at the last points before faces with a given value: second differences are
 * unknown there. */
static const char *inside_only(deriver *d, const char *x, int axis, int coarse)
{
    for (int side = 0; side < 2; side++)
        if (gives_value(d, 2 * axis + side))
            x = arena_print(d->arena, "where(%c %s %.17g, 0, %s)", "xyz"[axis],
                            side ? ">" : "<", wall_between(d, 2 * axis + side, coarse, 1),
                            x);
    return x;
}

/* Full weighting adds a quarter of second differences to the average. For an operator
 * with an exact right side this quarter is subtracted beforehand. */
static const char *sharpened(const full *f, const char *r, int coarse)
{
    deriver *d = f->s->d;
    const char *all = "";

    if (!f->fourth || f->blur > 0)
        return r;
    for (int axis = 0; axis < d->p->dim; axis++)
        all = arena_print(d->arena, "%s - %s/4", all,
                          inside_only(d, second_difference(d, r, axis, 0), axis, coarse));
    const char *name = write_field(d, "r", coarse);
    write_equation(d, name, "%s%s", r, all);
    return primed(d, name);
}

static void sample_all(full *f)
{
    deriver *d = f->s->d;

    f->sample[0] = d->unknown->name;
    text_add(d->head, "let %sfirst = where(step == 0, 1, 0)\n", d->prefix);
    for (int coarse = 1; coarse < f->s->grids; coarse++) {
        const char *name = write_sample(d, "w", coarse);
        write_equation(d, name, "%s", f->sample[coarse - 1]);
        f->sample[coarse] = primed(d, name);
    }
}

/* The operator of a grid applied to the sample of u, in the first step; 0 in later
 * steps. */
static const char *first_image(const full *f, int coarse)
{
    deriver *d = f->s->d;

    return arena_print(d->arena, "%sfirst*%s", d->prefix,
                       operator_applied(d, f->sample[coarse], coarse));
}

/* Restricts the right side, because it is smooth; the residual is not. On each grid the
 * residual follows from the sample of u on that grid. */
static void restrict_all(const full *f, const char **b)
{
    const shape *s = f->s;
    deriver *d = s->d;
    const char *r = write_field(d, "r", 0);

    write_equation(d, r, "%s", operator_residual(d, d->unknown->name));
    const char *q = b[0] = primed(d, r);
    if (f->lifted) {
        const char *right = write_field(d, "q", 0);
        write_equation(d, right, "%s + %s", q, first_image(f, 0));
        q = primed(d, right);
    }
    for (int coarse = 1; coarse < s->grids; coarse++) {
        b[coarse] = q = restricted(s, sharpened(f, q, coarse - 1), coarse);
        if (!f->lifted)
            continue;
        const char *left = write_field(d, "b", coarse);
        write_equation(d, left, "%s - %s", q, first_image(f, coarse));
        b[coarse] = primed(d, left);
    }
}

/* ---- interpolation ----------------------------------------------------------------- */

static bool is_cubic(const full *f, int coarse)
{
    deriver *d = f->s->d;

    for (int axis = 0; axis < d->p->dim; axis++)
        if (grid_extent(d, coarse, axis) < LEAST_CUBIC)
            return false;
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (!(d->periodic & FACE_BIT(face / 2, face % 2)) &&
            fabs(wall_gap(d, face, coarse + 1)) > 1e-9)
            return false;
    return f->fourth;
}

/* Correction of a linear interpolation x to a cubic one along an axis. For a cubic, a
 * straight line between two points is wrong by an eighth of the sum of the second
 * differences of both points. Second differences of x are 0 between coarse points, and at
 * coarse points half the second differences of the coarser grid. Beside a wall the second
 * differences are extrapolated linearly from inside. */
static const char *cubic_part(deriver *d, const char *x, int axis, int coarse)
{
    const char *all = arena_print(d->arena, "%s + %s", second_difference(d, x, axis, -1),
                                  second_difference(d, x, axis, 1));

    for (int side = 0; side < 2; side++) {
        const int face = 2 * axis + side, in = side ? -1 : 1;
        if (d->periodic & FACE_BIT(axis, side))
            continue;
        all = arena_print(d->arena, "where(%c %s %.17g, 3*%s - %s, %s)", "xyz"[axis],
                          side ? ">" : "<", wall_between(d, face, coarse, 2),
                          second_difference(d, x, axis, in),
                          second_difference(d, x, axis, 3 * in), all);
    }
    return arena_print(d->arena, " - (%s)/8", all);
}

/* Initial value of the cycle on a grid: the interpolated correction c of the next coarser
 * grid. */
static const char *begun(const full *f, const char *c, int coarse)
{
    deriver *d = f->s->d;
    const char *first = arena_print(d->arena, "%sfirst*", d->prefix);
    const char *x = f->lifted ? arena_print(d->arena, "interpolate(%s + %s%s)", c, first,
                                            f->sample[coarse + 1])
                              : arena_print(d->arena, "interpolate(%s)", c);

    if (is_cubic(f, coarse)) {
        const char *v = write_field(d, "v", coarse);
        write_equation(d, v, "%s", x);
        x = v = primed(d, v);
        for (int axis = 0; axis < d->p->dim; axis++)
            x = arena_print(d->arena, "%s%s", x, cubic_part(d, v, axis, coarse));
    }
    const char *start = write_field(d, "v", coarse);
    write_equation(d, start, "%s%s%s%s", x, f->lifted ? " - " : "",
                   f->lifted ? first : "", f->lifted ? f->sample[coarse] : "");
    return primed(d, start);
}

void full_derive(const shape *s)
{
    deriver *d = s->d;
    const char *u = d->unknown->name, *b[MOST_GRIDS];
    full f = {.s = s, .lifted = !d->given && (d->mask || write_has_values(d))};

    f.fourth = operator_is_fourth(d, &f.blur);
    if (f.lifted)
        sample_all(&f);
    restrict_all(&f, b);
    const char *c = coarsest(s, NULL, b[s->grids - 1]);
    for (int coarse = s->grids - 2; coarse >= 0; coarse--) {
        c = cycle_from(s, coarse, begun(&f, c, coarse), b[coarse], CYCLE_F);
        if (f.fourth) /* the error falls by 16 from grid to grid, not by 4 */
            c = cycle_from(s, coarse, c, b[coarse], CYCLE_F);
    }
    write_equation(d, u, "%s + %s%s", u, c,
                   d->singular ? arena_print(d->arena, " - %sdrift", d->prefix) : "");
    d->about = arena_print(
        d->arena, "a step is full multigrid: %s F(%d,%d) cycle%s from each of %d grids%s",
        f.fourth ? "two" : "an", s->pre, s->post, f.fourth ? "s" : "", s->grids,
        f.fourth ? ", begun cubically" : "");
}
