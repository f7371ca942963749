/* SPDX-License-Identifier: BSD-3-Clause */
/* The hierarchy of grids: how strongly the operator couples along each axis, and the axes
 * halved by each coarser grid.
 *
 * A relaxation damps errors along strongly coupled axes only. If the axes couple
 * unequally, only the strong ones are halved until all couple alike (semicoarsening:
 * Mulder 1989); each halving weakens an axis by 4. A `coarse` statement of the
 * description overrides this choice. */
#include <math.h>
#include <stdlib.h>

#include "solve/solve_private.h"

/* ---- strength ---------------------------------------------------------------------- */

/* Coupling strength of the operator along each axis: the sum of weight * offset^2. It is
 * twice the factor of the second derivative over the square of a spacing. For varying
 * weights it is the geometric mean over some sample points; coefficients have their
 * initial values there, or 1 if unknown. */

enum { SAMPLES = 5 }; /* along each axis */

/* The value of an unknown at a point: 1, or a number drawn for it (d->draws > 0). All
 * copies of the unknown at this point get the same number. Each odd draw has positive
 * numbers only. */
static double unknown_at(const deriver *d, const char *name, const int64_t *at)
{
    uint64_t mixed = (uint64_t)d->draws;

    if (d->draws == 0)
        return 1;
    for (; *name; name++)
        mixed = hash_mix(mixed + (unsigned char)*name);
    for (int axis = 0; axis < MAX_DIM && at; axis++)
        mixed = hash_mix(mixed + (uint64_t)at[axis]);
    const double size = pow(10, ldexp((double)(mixed >> 12), -50) - 2);
    return d->draws % 2 == 0 && mixed & 1 ? -size : size;
}

static double value_at(deriver *d, const expr *e, const int64_t *at)
{
    const symbol *s = e->symbol;
    int64_t there[MAX_DIM];
    double a;

    switch (e->kind) {
    case EXPR_NUMBER: return num_f64(e->number);
    case EXPR_BUILTIN: return builtin_at(d, e->builtin, at);
    case EXPR_SYMBOL:
        if (s->kind == SYMBOL_PARAM && s->constant)
            return num_f64(s->number);
        if (d->draws && s->kind != SYMBOL_LET)
            return unknown_at(d, s->name, s->kind == SYMBOL_FIELD ? at : NULL);
        const bool known = s->kind == SYMBOL_FIELD && s->index >= 0 && !s->updated &&
                           s->value;
        return known || s->kind == SYMBOL_LET ? value_at(d, copy_inlined(d, s->value), at)
                                              : 1;
    case EXPR_UNARY: a = value_at(d, e->arg[0], at); return e->op == OP_NEG ? -a : a == 0;
    case EXPR_BINARY:
        return combine_f64(e->op, value_at(d, e->arg[0], at), value_at(d, e->arg[1], at));
    case EXPR_CALL:
        a = value_at(d, e->arg[0], at);
        if (e->function == FUNCTION_WHERE)
            return value_at(d, e->arg[a != 0 ? 1 : 2], at);
        return function_draws(e->function)
                   ? unknown_at(d, function_table[e->function].name, at)
                   : function_f64(e->function, a,
                                  e->count > 1 ? value_at(d, e->arg[1], at) : 0);
    case EXPR_SHIFT:
        for (int axis = 0; axis < MAX_DIM; axis++)
            there[axis] = at[axis] + e->offset[axis];
        return value_at(d, e->arg[0], there);
    case EXPR_DERIVE:
    case EXPR_LAPLACE:
    case EXPR_STENCIL: return unknown_at(d, "derivative", at);
    default: return 1;
    }
}

double value_in_middle(deriver *d, const expr *e)
{
    int64_t at[MAX_DIM];

    for (int axis = 0; axis < MAX_DIM; axis++)
        at[axis] = coarse_extent(d->p, 0, axis) / 2;
    return value_at(d, e, at);
}

/* True if the weight from a point to each neighbour equals the weight from the neighbour
 * back, for drawn values of the coefficients at some points. Two expressions that differ
 * would have to agree by chance in all draws. */
bool weights_are_symmetric(deriver *d)
{
    enum { DRAWS = 8 };
    bool same = true;

    EACH_UNKNOWN(other, d)
        for (d->draws = 1; d->draws <= DRAWS; d->draws++)
            for (int64_t k = 0; k < d->block[other->number].count && same; k++) {
                const solve_form *g = &other->block[d->number];
                const solve_tap *t = &d->block[other->number].tap[k], *back = NULL;
                int64_t at[MAX_DIM], there[MAX_DIM];
                for (int axis = 0; axis < MAX_DIM; axis++) {
                    at[axis] = coarse_extent(d->p, 0, axis) * d->draws / (DRAWS + 1);
                    there[axis] = at[axis] + t->offset[axis];
                }
                for (int64_t n = 0; n < g->count; n++) {
                    const int *o = g->tap[n].offset;
                    if (o[0] == -t->offset[0] && o[1] == -t->offset[1] &&
                        o[2] == -t->offset[2])
                        back = &g->tap[n];
                }
                const double a = value_at(d, t->weight, at),
                             b = back ? value_at(d, back->weight, there) : 0;
                same = !(fabs(a - b) > 1e-8 * (fabs(a) + fabs(b)));
            }
    d->draws = 0;
    return same;
}

/* Adds the sums of weight * offset^power at sample n, one of SAMPLES along each axis. */
static void add_moments(deriver *d, const solve_form *f, int n, int power,
                        double moment[MAX_DIM])
{
    int64_t at[MAX_DIM];

    for (int axis = 0; axis < MAX_DIM; axis++, n /= SAMPLES)
        at[axis] = (coarse_extent(d->p, 0, axis) - 1) * (2 * (n % SAMPLES) + 1) /
                   (2 * SAMPLES);
    for (int64_t k = 0; k < f->count; k++) {
        const solve_tap *t = &f->tap[k];
        const double w = d->form.constant ? t->value : value_at(d, t->weight, at);
        for (int axis = 0; axis < d->p->dim; axis++)
            moment[axis] += w * t->offset[axis] * (power == 2 ? t->offset[axis] : 1);
    }
}

/* The second moments of all weights of a system: their sizes are added. */
static void add_sizes(deriver *d, int n, double size[MAX_DIM])
{
    EACH_UNKNOWN(e, d)
        EACH_UNKNOWN(o, d) {
            double moment[MAX_DIM] = {0};
            add_moments(e, &e->block[o->number], n, 2, moment);
            for (int axis = 0; axis < d->p->dim; axis++)
                size[axis] += fabs(moment[axis]);
        }
}

double convection_strongest(deriver *d)
{
    double most = 0;

    for (int n = 0; n < SAMPLES * SAMPLES * SAMPLES; n++) {
        double odd[MAX_DIM] = {0}, even[MAX_DIM] = {0};
        add_moments(d, &d->form, n, 1, odd);
        add_moments(d, &d->form, n, 2, even);
        for (int axis = 0; axis < d->p->dim; axis++)
            if (odd[axis] != 0)
                most = fmax(most, fabs(odd[axis] / even[axis]));
    }
    return most;
}

/* Strengths relative to the strongest axis. An axis of one point has strength 0. If
 * nothing is coupled, all other axes are equal. */
void strength_find(deriver *d, double *strength)
{
    double sum[MAX_DIM] = {0}, most = 0;
    int count[MAX_DIM] = {0};

    for (int n = 0; n < SAMPLES * SAMPLES * SAMPLES; n++) {
        double here[MAX_DIM] = {0};
        add_sizes(d, n, here);
        for (int axis = 0; axis < MAX_DIM; axis++) {
            const bool counts = isfinite(here[axis]) && here[axis] != 0;
            sum[axis] += counts ? log(fabs(here[axis])) : 0;
            count[axis] += counts;
        }
    }
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const bool couples = axis < d->p->dim && d->p->axis[axis].points > 1;
        strength[axis] = couples && count[axis] ? exp(sum[axis] / count[axis]) : 0;
        most = fmax(most, strength[axis]);
    }
    for (int axis = 0; axis < MAX_DIM; axis++)
        strength[axis] = most > 0 ? strength[axis] / most
                                  : axis < d->p->dim && d->p->axis[axis].points > 1;
}

bool convects(const deriver *d)
{
    return d->convection > 0.6;
}

/* The share of the weakest axis in the coupling at one point, among the axes halved by
 * the next grid. Errors along this axis alone are invisible to coarser grids, and
 * relaxations hardly damp them. */
static double weakest_here(const deriver *d, int coarse, const double here[MAX_DIM])
{
    double all = 0, least = INFINITY;

    for (int axis = 0; axis < d->p->dim; axis++) {
        const double s = ldexp(fabs(here[axis]), -2 * grid_shift(d, coarse, axis));
        const bool halved = coarse + 1 >= d->grids || d->halved[coarse + 1] >> axis & 1;
        if (grid_extent(d, coarse, axis) <= 1 || !isfinite(s))
            continue;
        all += s;
        least = halved ? fmin(least, s) : least;
    }
    return all > 0 && least > 0 ? fmin(least / all, 1) : 1;
}

/* The weakest share at any sample point. Infinite without stretched axes: only their
 * widths move the strongest axis from place to place. */
double strength_weakest(deriver *d, int coarse)
{
    double least = INFINITY;
    bool stretched = false;

    for (int axis = 0; axis < d->p->dim; axis++)
        stretched = stretched || axis_stretched(d->p, axis);
    for (int n = 0; n < SAMPLES * SAMPLES * SAMPLES && stretched && !d->form.constant;
         n++) {
        double here[MAX_DIM] = {0};
        add_sizes(d, n, here);
        least = fmin(least, weakest_here(d, coarse, here));
    }
    return least;
}

/* ---- grids ------------------------------------------------------------------------- */

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

/* ---- axes to halve ----------------------------------------------------------------- */

static int64_t wall_unknowns(const deriver *d, int axis, int coarse)
{
    int64_t count = grid_extent(d, coarse, axis);

    for (int side = 0; side < 2; side++)
        count -= border_rules[wall_rule(d, 2 * axis + side, coarse)].has_face;
    return count;
}

/* True if a coarser grid can halve the axis. It must keep at least one unknown, and
 * enough points for the reads of the operator. */
static bool can_halve(deriver *d, int axis, int coarse)
{
    const int64_t n = grid_extent(d, coarse - 1, axis);
    const unsigned before = d->halved[coarse];
    int64_t least = 2;

    EACH_UNKNOWN(other, d)
        for (int64_t k = 0; k < d->block[other->number].count; k++)
            least = int64_most(least, d->block[other->number].tap[k].offset[axis] + 1);
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

/* ---- semicoarsening ---------------------------------------------------------------- */

static bool is_one_spacing(const expr *e)
{
    return e->kind == EXPR_BUILTIN && e->builtin == BUILTIN_H;
}

/* True if a grid can keep an axis. Each weight must belong to one axis alone. Varying
 * weights must name the spacing of their axis. */
static bool parts_axes(const deriver *d)
{
    EACH_UNKNOWN(other, d)
        for (int64_t k = 0; k < d->block[other->number].count; k++) {
            const solve_tap *t = &d->block[other->number].tap[k];
            const int *o = t->offset;
            if ((o[0] != 0) + (o[1] != 0) + (o[2] != 0) > 1 ||
                (!d->form.constant && tree_any(t->weight, is_one_spacing)))
                return false;
        }
    return d->form.constant || d->form.spaced;
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

/* Axes of one point count as halved. If the description has coarse fields, all solvers
 * share their hierarchy, so each grid halves all axes or none. */
void hierarchy_find(deriver *d)
{
    bool own = false, parted = parts_axes(d);

    EACH_STATEMENT(s, d->p)
        own = own || s->kind == STATEMENT_COARSE;
    for (int64_t f = 0; f < d->p->fields.count; f++)
        parted = parted && !d->p->fields.item[f]->coarse;
    strength_find(d, d->strength);
    for (d->grids = 1; d->grids < MOST_GRIDS; d->grids++) {
        const int k = d->grids;
        const unsigned all = axes_of(d, k - 1), can = axes_to_halve(d, k),
                       wanted = all & ~d->p->kept[k];
        const unsigned axes = own      ? (wanted & ~can ? 0 : wanted)
                              : parted ? chosen(d, k)
                                       : (all == can ? all : 0);
        if (!axes)
            break;
        d->halved[k] = axes | (~all & ((1u << MAX_DIM) - 1));
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
            text_add(&d->head, "coarse %d along %s\n", k,
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
