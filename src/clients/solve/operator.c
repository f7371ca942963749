/* SPDX-License-Identifier: BSD-3-Clause */
/* The operator of an equation on each grid: its text, its order of accuracy, and the
 * bounds of its eigenvalues. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/solve_private.h"

/* The operator in text form, for each grid.
 *
 * Constant weights are written in one stencil. On a coarser grid the equation is
 * multiplied by 4 for each halving. Second differences then have the same weights on all
 * grids, and one text serves all of them. Weights odd in the offset (first differences)
 * grow by 2 per halving, and the sum of all weights (c*u) grows by 4. Varying weights are
 * written with the expression itself, with the coefficients and spacings of the grid. */

/* ---- constant weights -------------------------------------------------------------- */

static double weight_at(const solve_form *f, const int *offset, int sign)
{
    for (int64_t k = 0; k < f->count; k++) {
        const int *o = f->tap[k].offset;
        if (o[0] == sign * offset[0] && o[1] == sign * offset[1] &&
            o[2] == sign * offset[2])
            return f->tap[k].value;
    }
    return 0;
}

double operator_size(const solve_form *f)
{
    double size = 0;

    for (int64_t k = 0; k < f->count; k++)
        size += fabs(f->tap[k].value);
    return size;
}

static bool is_centre(const solve_tap *t)
{
    return !t->offset[0] && !t->offset[1] && !t->offset[2];
}

/* ---- coupling across axes ---------------------------------------------------------- */

/* With a strong mixed derivative, second differences are small in one oblique direction v
 * of the plane of two axes. The symbol there is A2*t^2 + A4*t^4, and the error term A4
 * dominates at most frequencies. On the next grid the same weights have four times this
 * term, and corrections are up to four times too small. Coarser grids therefore add a
 * multiple of the product of both second differences: it changes A4 alone. A4 halves from
 * grid to grid, down to an eighth. Less would leave relaxations nothing to damp. */

static double moment_along(const solve_form *f, int a, int b, const double *v, int power)
{
    double sum = 0;

    for (int64_t k = 0; k < f->count; k++)
        sum += f->tap[k].value *
               pow(v[0] * f->tap[k].offset[a] + v[1] * f->tap[k].offset[b], power);
    return sum;
}

/* The relative A4 of two axes, with the sign of the diagonal; 0: no strong coupling. */
static double oblique(const deriver *d, int a, int b)
{
    static const double along[] = {1, 0}, across[] = {0, 1}, both[] = {1, 1};
    const double aa = moment_along(&d->form, a, b, along, 2),
                 bb = moment_along(&d->form, a, b, across, 2),
                 ab = (moment_along(&d->form, a, b, both, 2) - aa - bb) / 2;
    const double v[] = {sqrt(fabs(bb)), -copysign(sqrt(fabs(aa)), ab * aa)};
    const double a4 = moment_along(&d->form, a, b, v, 4) / (24 * fabs(aa * bb));

    int corner[2][MAX_DIM] = {{0}};
    corner[0][a] = corner[0][b] = corner[1][a] = 1;
    corner[1][b] = -1;
    const bool whole = weight_at(&d->form, corner[0], 1) != 0 && /* a tap for each part */
                       weight_at(&d->form, corner[1], 1) != 0;
    return d->form.constant && whole && ab * ab > 0.0625 * aa * bb && a4 * aa < 0 ? a4
                                                                                  : 0;
}

bool operator_is_oblique(const deriver *d)
{
    for (int a = 0; a < d->p->dim; a++)
        for (int b = a + 1; b < d->p->dim; b++)
            if (oblique(d, a, b) != 0)
                return true;
    return false;
}

/* The added product in the weight of a neighbour. */
static double oblique_part(const deriver *d, const int *offset, int coarse)
{
    const double share = fmax(ldexp(1, -coarse), 0.125) - 1;
    double sum = 0;

    for (int a = 0; a < d->p->dim; a++)
        for (int b = a + 1; b < d->p->dim; b++) {
            const int steps = abs(offset[a]) + abs(offset[b]), other = 3 - a - b;
            const bool near = abs(offset[a]) < 2 && abs(offset[b]) < 2 && !offset[other];
            sum += near && steps ? oblique(d, a, b) * share * (steps == 2 ? 1 : -2) : 0;
        }
    return sum;
}

/* The weight of a neighbour on a coarser grid: its even part and its odd part scale
 * differently. An axis with fewer halvings than the other axes is coupled more
 * strongly. A coarse cell may convect more than it diffuses, and relaxations would then
 * diverge. So the even part of neighbours along an axis is at least the odd part, as in
 * differences against the flow. */
static double neighbour_weight(const deriver *d, const solve_tap *t, int coarse)
{
    const double there = weight_at(&d->form, t->offset, 1),
                 mirrored = weight_at(&d->form, t->offset, -1);
    int shift = coarse;

    for (int axis = 0; axis < d->p->dim; axis++)
        if (t->offset[axis] && grid_shift(d, coarse, axis) < shift)
            shift = grid_shift(d, coarse, axis);
    const double even = ldexp((there + mirrored) / 2, 2 * (coarse - shift)),
                 odd = ldexp((there - mirrored) / 2, 2 * coarse - shift);

    return copysign(fmax(fabs(even), fabs(odd)), even) + odd +
           oblique_part(d, t->offset, coarse);
}

/* The weight of a tap on grid `coarse`, for constant weights only. */
static double operator_weight(const deriver *d, const solve_tap *t, int coarse)
{
    const double kept = d->eased ? copysign(d->form.sum, d->form.diagonal) : d->form.sum;
    double sum = ldexp(kept, 2 * coarse);

    if (coarse == 0 && !d->eased)
        return t->value;
    if (!is_centre(t))
        return neighbour_weight(d, t, coarse);
    for (int64_t k = 0; k < d->form.count; k++)
        if (!is_centre(&d->form.tap[k]))
            sum -= neighbour_weight(d, &d->form.tap[k], coarse);
    return sum;
}

bool operator_is_symmetric(const deriver *d)
{
    for (int64_t k = 0; k < d->form.count && d->form.constant; k++)
        if (fabs(weight_at(&d->form, d->form.tap[k].offset, 1) -
                 weight_at(&d->form, d->form.tap[k].offset, -1)) >
            1e-12 * operator_size(&d->form))
            return false;
    return true;
}

double operator_share(const deriver *d)
{
    return fabs(d->form.sum) / operator_size(&d->form);
}

bool operator_sums_to_zero(const deriver *d)
{
    return operator_share(d) < 1e-12;
}

/* True if all grids have the same weights. */
static bool is_uniform(const deriver *d)
{
    return operator_sums_to_zero(d) && operator_is_symmetric(d) &&
           !hierarchy_keeps_axes(d) && !operator_is_oblique(d);
}

static double diagonal_on(const deriver *d, int coarse)
{
    for (int64_t k = 0; k < d->form.count; k++)
        if (is_centre(&d->form.tap[k]))
            return operator_weight(d, &d->form.tap[k], coarse);
    return d->form.diagonal;
}

static const char *stencil_name(deriver *d, int coarse)
{
    return d->eased ? arena_print(d->arena, "%sM%d", d->prefix, coarse)
           : is_uniform(d) || coarse == 0
               ? arena_print(d->arena, "%sA", d->prefix)
               : arena_print(d->arena, "%sA%d", d->prefix, coarse);
}

/* Declares a name for the term added by walls. Every operator on a coarser grid and every
 * diagonal contains it. */
static const char *wall_of(deriver *d, int coarse)
{
    const char *term = d->wall[coarse] ? NULL : wall_term(d, coarse);

    if (term) {
        d->wall[coarse] = arena_print(d->arena, "%swall%d", d->prefix, coarse);
        text_add(&d->head, "let %s = %s\n", d->wall[coarse], term);
    }
    return d->wall[coarse];
}

/* ---- varying weights --------------------------------------------------------------- */

static const char *on_grid(deriver *d, const expr *e, int coarse)
{
    return tree_text(d, copy_with(d, e, tree_field(d, d->unknown->name, 0), coarse));
}

/* Term to add to c*u on a coarser grid. If no weight contains a spacing, the equation is
 * the equation with spacings times h^2, so c*u must grow with h^2. */
static const char *gained(deriver *d, const char *by, int coarse)
{
    expr *sum = tree_number(d, num_int(0));

    if (d->form.spaced || coarse == 0)
        return "";
    for (int64_t k = 0; k < d->form.count; k++)
        sum = tree_binary(d, OP_ADD, sum, d->form.tap[k].weight);
    return arena_print(d->arena, " + %.0f*(%s)%s", ldexp(1, 2 * coarse) - 1,
                       on_grid(d, sum, coarse), by);
}

expr *weight_next(deriver *d, int axis, int by)
{
    return form_weight(d, &d->form, axis, by);
}

expr *form_weight(deriver *d, const solve_form *f, int axis, int by)
{
    int at[MAX_DIM] = {0};

    at[axis] = by;
    for (int64_t k = 0; k < f->count; k++)
        if (memcmp(f->tap[k].offset, at, sizeof at) == 0)
            return f->tap[k].weight;
    return tree_number(d, num_int(0));
}

/* A coarse cell may convect more than it diffuses: a weight of a neighbour then has the
 * sign of the diagonal, and relaxations diverge. Declares this weight; 0: both neighbours
 * along the axis have the opposite sign. It is subtracted from both weights, as in
 * differences against the flow. NULL: the operator is symmetric. */
static const char *convected(deriver *d, int axis, int coarse)
{
    const char *name = arena_print(d->arena, "%sflow%c_%d", d->prefix, "xyz"[axis],
                                   coarse);

    if (d->form.constant || d->symmetric || (coarse == 0 && !d->eased))
        return NULL;
    if (!(d->flows[coarse] >> axis & 1)) {
        const char *before = on_grid(d, weight_next(d, axis, -1), coarse),
                   *behind = on_grid(d, weight_next(d, axis, 1), coarse);
        text_add(&d->head,
                 "let %s = where((%s) < 0, min(%s, min(%s, 0)), "
                 "max(%s, max(%s, 0)))\n",
                 name, on_grid(d, weight_next(d, 0, 0), coarse), before, behind, before,
                 behind);
    }
    d->flows[coarse] |= 1u << axis;
    return name;
}

/* The terms of `convected` in the operator; in its diagonal if x is NULL. */
static const char *convected_terms(deriver *d, const char *x, int coarse)
{
    const char *all = "";

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *flow = convected(d, axis, coarse);
        if (flow)
            all = x ? arena_print(d->arena, "%s + %s*(2*%s - %s - %s)", all, flow, x,
                                  text_next(d, x, axis, 1), text_next(d, x, axis, -1))
                    : arena_print(d->arena, "%s + 2*%s", all, flow);
    }
    return all;
}

const char *operator_diagonal(deriver *d, int coarse)
{
    const char *wall = wall_of(d, coarse);

    if (coarse && edges_fit(d))
        return arena_print(d->arena, "%ssolid(%s%s%s)", d->prefix,
                           edges_diagonal(d, coarse), wall ? " + " : "",
                           wall ? wall : "");
    return arena_print(d->arena, "(%s%s%s%s%s)", on_grid(d, weight_next(d, 0, 0), coarse),
                       convected_terms(d, NULL, coarse), gained(d, "", coarse),
                       wall ? " + " : "", wall ? wall : "");
}

/* ---- for both ---------------------------------------------------------------------- */

/* Norms and bounds cover more points than the equation, so the coefficients need values
 * beyond all faces. */
static void clamp_coefficients(deriver *d, const expr *e)
{
    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD &&
        e->symbol->index >= 0 && !system_holds(d, e->symbol))
        write_clamped(d, e->symbol);
    for (int k = 0; e->kind == EXPR_STENCIL && k < e->symbol->taps; k++)
        clamp_coefficients(d, e->symbol->tap[k].weight);
    for (int k = 0; k < e->count; k++)
        clamp_coefficients(d, e->arg[k]);
}

static void declare_stencils(deriver *d)
{
    const bool once = is_uniform(d) && !d->eased;

    for (int coarse = 0; coarse < (once ? 1 : d->grids); coarse++) {
        text_add(&d->head, "stencil %s {", stencil_name(d, coarse));
        for (int64_t k = 0; k < d->form.count; k++) {
            const solve_tap *t = &d->form.tap[k];
            text_add(&d->head, "%s %s", text_at(d, k ? "; " : " ", t->offset),
                     text_digits(d, operator_weight(d, t, coarse)));
        }
        text_add(&d->head, " }\n");
    }
}

void operator_declare(deriver *d)
{
    if (d == d->first)
        hierarchy_declare(d);
    clamp_coefficients(d, d->difference);
    if (!d->form.constant) {
        /* Declares the largest possible eigenvalue divided by the diagonal
         * (Gershgorin). */
        expr *sum = tree_number(d, num_int(0));
        const char *below = "", *most = "1e-300";
        EACH_RELAXED(o, d) {
            const solve_form *f = &d->block[o->number];
            const char *centre = system_centre(d, o, 0);
            for (int64_t k = 0; k < f->count; k++)
                sum = tree_binary(d, OP_ADD, sum,
                                  tree_call(d, FUNCTION_ABS, f->tap[k].weight, NULL));
            if (centre)
                below = arena_print(d->arena, "%s%sabs(%s)", below, *below ? " + " : "",
                                    centre);
            most = arena_print(d->arena, "max(%stop, %s)", o->prefix, most);
        }
        if (!d->apart)
            text_add(&d->head, "param %stop = max(where(%s, (%s)/%s, 0))\n", d->prefix,
                     write_inside(d), tree_text(d, sum),
                     d->first->next ? arena_print(d->arena, "(%s)", below) : below);
        if (!d->next)
            text_add(&d->first->joint, "param %sunit = %s/%s\n", d->first->prefix,
                     text_digits(d, d->spectrum.high[0]), most);
        if (edges_fit(d))
            edges_declare(d);
        return;
    }
    declare_stencils(d);
}

bool operator_is_indefinite(const deriver *d)
{
    return d->form.constant && d->spectrum.least < -1e-9 &&
           d->form.sum * d->form.diagonal < 0;
}

void operator_ease(deriver *d)
{
    const bool shifts = operator_is_indefinite(d);

    if (d->symmetric ? !shifts : d->form.constant && d->convection <= 1 && !shifts)
        return;
    d->eased = true;
    spectrum_find(d);
    if (d->form.constant)
        declare_stencils(d);
}

const char *operator_applied(deriver *d, const char *x, int coarse)
{
    const char *wall = coarse ? wall_of(d, coarse) : NULL;
    if (d->form.constant)
        return wall ? arena_print(d->arena, "(%s(%s) + (%s)*%s%s)",
                                  stencil_name(d, coarse), x, wall, x,
                                  wall_flux(d, x, coarse))
                    : arena_print(d->arena, "%s(%s)", stencil_name(d, coarse), x);
    if (coarse && edges_fit(d))
        return arena_print(d->arena, "(%s%s%s%s%s)", edges_applied(d, x, coarse),
                           wall ? " + (" : "", wall ? wall : "", wall ? ")*" : "",
                           wall ? x : "");
    const expr *e = copy_linear(d, d->difference, tree_field(d, x, 0), coarse);
    if (!e) /* of a system */
        e = tree_number(d, num_int(0));
    const char *by = arena_print(d->arena, "*%s", x);
    return arena_print(
        d->arena, "(%s%s%s%s%s%s%s)", tree_text(d, e), convected_terms(d, x, coarse),
        gained(d, by, coarse), wall ? " + (" : "", wall ? wall : "",
        wall ? arena_print(d->arena, ")*%s", x) : "", wall_flux(d, x, coarse));
}

const char *operator_residual(deriver *d, const char *x)
{
    vector all = system_unknowns(d);

    all.of[d->number] = x;
    return system_residual(d, &all);
}

const char *operator_scaled(deriver *d, double omega, const char *residual, int coarse)
{
    const char *wall = wall_of(d, coarse), *digits = text_digits(d, omega);

    if (!d->form.constant)
        return coarse == 0 && d->used && edges_fit(d)
                   ? arena_print(d->arena, "%s*%sunit*%s*(%s)", digits, d->prefix,
                                 edges_scale(d), residual)
                   : arena_print(d->arena, "%s*%sunit/%s*(%s)", digits, d->prefix,
                                 operator_diagonal(d, coarse), residual);
    const double diagonal = diagonal_on(d, coarse);
    return wall ? arena_print(d->arena, "%s/(%.17g + %s)*(%s)", digits, diagonal, wall,
                              residual)
                : arena_print(d->arena, "%s*(%s)", text_digits(d, omega / diagonal),
                              residual);
}

const char *operator_relaxed(deriver *d, const char *x, double omega,
                             const char *residual, int coarse)
{
    return arena_print(d->arena, "%s + %s", x,
                       operator_scaled(d, omega, residual, coarse));
}

/* ---- the order --------------------------------------------------------------------- */

/* The order of accuracy of an operator with constant weights, from the moments of its
 * weights.
 *
 * The symbol of the operator is A2 + A4 + ..., of second and fourth derivatives. A
 * compact operator has an A4 other than 0, but is still of fourth order. The condition
 * is: A4 equals A2 times a multiple of the Laplacian, and the right side is averaged by
 * the same multiple. On a grid of twice the spacing A4 is four times larger, so a
 * restricted residual must be averaged by three times the multiple. Full weighting
 * averages by a quarter of second differences, the amount for compact operators. Wide
 * operators with A4 = 0 need no average. */

/* ---- the spectrum ------------------------------------------------------------------ */

/* Bounds of the eigenvalues of the operator, divided by its diagonal. For constant
 * weights the bounds come from the symbol: the sum of weight * cos(offset . frequency) at
 * frequencies up to pi. */

enum { SAMPLES = 17 }; /* along each axis, from 0 to pi */

static double symbol_at(const deriver *d, const double *frequency)
{
    double sum = 0, centre = 0;

    for (int64_t k = 0; k < d->form.count; k++) {
        const solve_tap *t = &d->form.tap[k];
        double phase = 0;
        for (int axis = 0; axis < d->p->dim; axis++)
            phase += t->offset[axis] * frequency[axis];
        sum += t->on_grid * cos(phase);
        if (is_centre(t))
            centre = t->on_grid;
    }
    return sum / centre;
}

/* The symbol of the Laplacian stands in for varying weights. */
static double laplacian_at(const deriver *d, const double *frequency, int coarse)
{
    double sum = 0, all = 0;

    for (int axis = 0; axis < d->p->dim; axis++) {
        const double strength = grid_strength(d, coarse, axis);
        sum += strength * (1 - cos(frequency[axis]));
        all += strength;
    }
    return all > 0 ? sum / all : 0;
}

static double value_at(const deriver *d, const double *frequency, int coarse)
{
    return d->form.constant ? symbol_at(d, frequency)
                            : laplacian_at(d, frequency, coarse);
}

/* An axis of one point has no oscillation, unless a wall gives a value. */
static int samples_along(const deriver *d, int axis)
{
    return axis < d->p->dim && (d->fixed >> (2 * axis) & 3 || d->p->axis[axis].points > 1)
               ? SAMPLES
               : 1;
}

/* True if the next coarser grid represents this frequency: it must be low along every
 * axis halved there. Behind the coarsest grid, a grid with all axes halved is assumed. */
static bool is_seen(const deriver *d, const double *frequency, int coarse)
{
    const unsigned halved = coarse + 1 < d->grids ? d->halved[coarse + 1] : ~0u;

    for (int axis = 0; axis < MAX_DIM; axis++)
        if (halved >> axis & 1 && frequency[axis] >= PI / 2 - 1e-9)
            return false;
    return true;
}

static void sample_all(const deriver *d, solve_spectrum *s, int coarse)
{
    const int n[] = {samples_along(d, 0), samples_along(d, 1), samples_along(d, 2)};
    double high = 0, smooth = HUGE_VAL;

    for (int at = 0; at < n[0] * n[1] * n[2]; at++) {
        const int index[] = {at % n[0], at / n[0] % n[1], at / n[0] / n[1]};
        double frequency[MAX_DIM] = {0};
        for (int axis = 0; axis < MAX_DIM; axis++)
            frequency[axis] = index[axis] * PI / (SAMPLES - 1);
        const double value = value_at(d, frequency, coarse);
        high = fmax(high, value);
        if (!is_seen(d, frequency, coarse))
            smooth = fmin(smooth, value);
    }
    /* a grid of one point; varying weights may differ */
    if (!d->form.constant && high == 0)
        high = 1;
    s->high[coarse] = high;
    s->smooth[coarse] = fmax(fmin(smooth, high), 0.02 * high);
}

/* Frequency of the slowest oscillation along an axis of a grid. */
static double lowest_along(const deriver *d, int axis, int coarse)
{
    const double length = fmax(wall_length(d, axis, coarse), 1);
    const bool low = d->fixed & FACE_BIT(axis, 0), high = d->fixed & FACE_BIT(axis, 1);

    return low && high ? PI / fmax(length, 2) : low || high ? PI / (2 * length) : 0;
}

/* The lowest eigenvalue. For a singular operator: the lowest one of a non-constant
 * function along one axis. */
static double lowest(const deriver *d, int coarse)
{
    double frequency[MAX_DIM] = {0}, least = HUGE_VAL;

    for (int axis = 0; axis < d->p->dim; axis++)
        frequency[axis] = lowest_along(d, axis, coarse);
    if (!d->singular)
        return value_at(d, frequency, coarse);
    for (int axis = 0; axis < d->p->dim; axis++) {
        const double n = (double)grid_extent(d, coarse, axis);
        double alone[MAX_DIM] = {0};
        alone[axis] = d->periodic & FACE_BIT(axis, 0) ? 2 * PI / n : PI / n;
        if (n > 1)
            least = fmin(least, value_at(d, alone, coarse));
    }
    return isfinite(least) ? least : value_at(d, frequency, coarse);
}

void spectrum_find(deriver *d)
{
    solve_spectrum *s = &d->spectrum;

    for (int k = 0; k < d->grids; k++) {
        for (int64_t tap = 0; d->form.constant && tap < d->form.count; tap++)
            d->form.tap[tap].on_grid = operator_weight(d, &d->form.tap[tap], k);
        sample_all(d, s, k);
        s->weakest[k] = strength_weakest(d, k);
        s->low[k] = fmax(lowest(d, k), 1e-9 * s->high[k]);
        s->least = k == 0 ? lowest(d, 0) : s->least;
    }
}
