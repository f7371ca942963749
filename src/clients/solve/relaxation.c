/* SPDX-License-Identifier: BSD-3-Clause */
/* The stationary methods: Jacobi, successive over-relaxation in red and black,
 * Chebyshev's semi-iteration, and asynchronous relaxation by blocks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/solve_private.h"

/* ---- red and black ----------------------------------------------------------------- */

/* Red points have an even sum of indices on their grid, black points an odd sum. A
 * neighbour along an axis has the other colour. Half a relaxation changes one colour and
 * reads only unchanged neighbours. */

/* reason why indices are unknown; or NULL */
static const char *stretched_refuse(deriver *d)
{
    for (int axis = 0; axis < d->p->dim; axis++)
        if (axis_stretched(d->p, axis))
            return "points are told apart by equal spacings, and those of a stretched "
                   "axis differ: take chebyshev, cg or multigrid";
    return NULL;
}

const char *colours_refuse(deriver *d)
{
    if (stretched_refuse(d))
        return stretched_refuse(d);
    for (int64_t k = 0; k < d->form.count; k++) {
        const int *o = d->form.tap[k].offset;
        const int sum = abs(o[0]) + abs(o[1]) + abs(o[2]);
        if (sum > 0 && sum % 2 == 0)
            return "red and black points do not part an operator that reads diagonal or "
                   "second neighbours: take chebyshev, cg or multigrid";
    }
    return NULL;
}

/* A condition, true at the points of one colour. A user's own name may hide an index. */
static const char *colour_on(deriver *d, int coarse, colour which)
{
    const char *sum = "";

    for (int axis = 0; axis < d->p->dim; axis++) {
        const char *index = arena_print(d->arena, "i%c", "xyz"[axis]);
        index = names_begin(d->p, index, strlen(index))
                    ? arena_print(d->arena, "floor(%s)", text_index(d, axis))
                    : arena_print(d->arena, "%s/%d", index,
                                  1 << grid_shift(d, coarse, axis));
        sum = arena_print(d->arena, "%s%s%s", sum, *sum ? " + " : "", index);
    }
    return arena_print(d->arena, "(%s) %% 2 == %d", sum, which != RED);
}

/* Half a relaxation of x (NULL: of 0) at the points of one colour. The other points keep
 * their value. */
static const char *half_relaxed(deriver *d, const char *x, const char *b, double weight,
                                int coarse, colour which)
{
    const char *is_one = colour_on(d, coarse, which);

    if (!x)
        return arena_print(d->arena, "(where(%s, %s, 0))", is_one,
                           operator_scaled(d, weight, b, coarse));
    const char *residual = arena_print(d->arena, "%s - %s", b,
                                       operator_applied(d, x, coarse));
    return arena_print(d->arena, "where(%s, %s, %s)", is_one,
                       operator_relaxed(d, x, weight, residual, coarse), x);
}

/* If x is 0, the first half is cheap. It is inlined into its readers, not stored. */
const char *red_black_relaxed(deriver *d, const char *name, const char *x, const char *b,
                              double weight, int coarse, colour first)
{
    const char *half = half_relaxed(d, x, b, weight, coarse, first);

    if (x)
        half = write_stored(d, "h", coarse, half);
    write_equation(d, name, "%s",
                   half_relaxed(d, half, b, weight, coarse, first == RED ? BLACK : RED));
    return arena_print(d->arena, "%s'", name);
}

static const char *half_smoothed(deriver *d, const char *x, double weight, colour which)
{
    return arena_print(d->arena, "where(%s, %s, %s)", colour_on(d, 0, which),
                       operator_relaxed(d, x, weight, operator_residual(d, x), 0), x);
}

const char *red_black_smoothed(deriver *d, const char *x, double weight)
{
    const char *half = write_like_unknown(d, "h");

    write_equation(d, half, "%s", half_smoothed(d, x, weight, RED));
    return half_smoothed(d, arena_print(d->arena, "%s'", half), weight, BLACK);
}

/* ---- Jacobi ------------------------------------------------------------------------ */

/* Damped Jacobi relaxation: u' = u + weight/diagonal * (right - left) (Saad, Iterative
 * Methods, 4.1). */

static const char *const jacobi_settings[] = {"weight", "every", NULL};

static void derive_jacobi(deriver *d)
{
    const double weight = setting_number(d, "weight", 1.8 / d->spectrum.high[0], 1e-6, 2);
    const char *u = d->unknown->name;

    write_equation(d, u, "%s",
                   operator_relaxed(d, u, weight, operator_residual(d, u), 0));
    d->about = arena_print(d->arena, "a step is a relaxation with weight %.3g", weight);
}

const solve_method solve_jacobi = {
    .name = "jacobi",
    .about = "damped Jacobi relaxation",
    .settings = jacobi_settings,
    .steps = 1000000,
    .every = 10,
    .derive = derive_jacobi,
};

/* ---- successive over-relaxation ---------------------------------------------------- */

/* Successive over-relaxation in red and black (Young 1954). The points with an even sum
 * of indices are relaxed first. The other points follow and read the new values. */

static const char *const sor_settings[] = {"weight", "every", NULL};

/* On a periodic axis with an odd number of points, two neighbours have the same colour.
 * They are relaxed at once, which diverges for weights above 1. */
static const char *sor_refuses(deriver *d)
{
    for (int axis = 0; axis < d->p->dim; axis++)
        if ((d->periodic & FACE_BIT(axis, 0)) && d->p->axis[axis].points % 2)
            return "around a periodic axis with an odd number of points two of one "
                   "colour "
                   "are neighbours: take one point more, or chebyshev, cg or multigrid";
    return colours_refuse(d);
}

static void derive_sor(deriver *d)
{
    /* the optimal weight for a Jacobi factor rho */
    const double rho = fmin(fmax(1 - d->spectrum.low[0], 0), 1 - 1e-12),
                 best = 2 / (1 + sqrt(1 - rho * rho)),
                 weight = setting_number(d, "weight", best, 1e-6, 2);
    const char *u = d->unknown->name;

    write_equation(d, u, "%s", red_black_smoothed(d, u, weight));
    d->about = arena_print(
        d->arena, "a step relaxes red, then black points with weight %.4g", weight);
}

const solve_method solve_sor = {
    .name = "sor",
    .about = "successive over-relaxation, red and black",
    .settings = sor_settings,
    .steps = 100000,
    .every = 10,
    .refuses = sor_refuses,
    .derive = derive_sor,
};

/* ---- Chebyshev --------------------------------------------------------------------- */

/* Chebyshev's semi-iteration on the equation divided by its diagonal, in the three-term
 * form (Golub and Varga 1961). The error after k steps is a Chebyshev polynomial between
 * the bounds of the eigenvalues. The method needs these bounds, but no sums over the
 * grid. */

static const char *const chebyshev_settings[] = {"low", "every", NULL};

static const char *chebyshev_refuses(deriver *d)
{
    return operator_is_symmetric(d) ? NULL : "it is for symmetric operators";
}

static void derive_chebyshev(deriver *d)
{
    const double high = d->spectrum.high[0];
    const double low = high *
                       setting_number(d, "low", d->spectrum.low[0] / high, 1e-12, 0.9);
    const double ratio = (high - low) / (high + low),
                 q = fmax((1 - sqrt(1 - ratio * ratio)) / ratio, 1e-150);
    const char *u = d->unknown->name, *p = d->prefix;

    /* omega of step k: 1, then (1 + q^2)(1 + q^2k)/(1 + q^(2k+2)) */
    text_add(&d->head,
             "let %sq(k) = exp(2*k*%.17g)\n"
             "let %somega = where(step == 0, 1, (1 + %.17g)*(1 + %sq(step))/"
             "(1 + %sq(step + 1)))\n",
             p, log(q), p, q * q, p, p);
    write_equation(d, u, "prev(%s) + %somega*(%s - prev(%s))", u, d->prefix,
                   operator_relaxed(d, u, 2 / (high + low), operator_residual(d, u), 0),
                   u);
    d->about = arena_print(
        d->arena,
        "a step is one of Chebyshev's for eigenvalues from %.3g to %.3g, "
        "divided by the diagonal",
        low, high);
}

const solve_method solve_chebyshev = {
    .name = "chebyshev",
    .about = "Chebyshev's semi-iteration",
    .settings = chebyshev_settings,
    .steps = 100000,
    .every = 10,
    .needs_spd = true,
    .refuses = chebyshev_refuses,
    .derive = derive_chebyshev,
};

/* ---- asynchronous relaxation ------------------------------------------------------- */

/* Asynchronous relaxation, also called chaotic (Chazan and Miranker 1969). Blocks of
 * points relax without waiting for each other and read older values of other blocks.
 * After alpha + 1 relaxations all blocks read the newest values. The variants differ in
 * the age of the older values. By default the age is fixed, so a run is bitwise identical
 * on every device; with `chaotic` it is left to chance. Any bounded age converges at the
 * same rate.
 *
 * A step is one relaxation. If blocks relax in place, a step is half a relaxation, of the
 * red or the black points. An extra field stores the values visible to other blocks. */

static const char *const async_settings[] = {"alpha",  "block", "ages",
                                             "weight", "every", NULL};
static const char *const ages_words[] = {"fixed", "chance"};

enum { IN_PLACE = 3, MOST_ALPHA = 1000, MOST_CHANCE = 120 };

typedef struct blocks {
    deriver *d;
    int variant, alpha, size;
    const char *seen; /* field with the values visible to other blocks */
} blocks;

/* ---- blocks ------------------------------------------------------------------------ */

static const char *crossing_name(const blocks *b, int axis, int by)
{
    return arena_print(b->d->arena, "%sleaves_%c%s%d", b->d->prefix, "xyz"[axis],
                       by < 0 ? "m" : "p", by < 0 ? -by : by);
}

/* Declares the number of blocks between a point and each point `by` further along an axis
 * that the operator reads. */
static void declare_crossings(const blocks *b)
{
    deriver *d = b->d;

    for (int axis = 0; axis < d->p->dim; axis++)
        for (int by = -MAX_OFFSET; by <= MAX_OFFSET; by++) {
            bool read = false;
            for (int64_t k = 0; k < d->form.count && by; k++)
                read = read || d->form.tap[k].offset[axis] == by;
            if (!read)
                continue;
            const char *index = text_index(d, axis);
            text_add(&d->head, "let %s = floor((%s + (%d))/%d) - floor((%s)/%d)\n",
                     crossing_name(b, axis, by), index, by, b->size, index, b->size);
        }
}

static const char *leaves(const blocks *b, const int *offset)
{
    const char *all = "";

    for (int axis = 0; axis < b->d->p->dim; axis++)
        if (offset[axis])
            all = arena_print(b->d->arena, "%s%s%s %c 0", all, *all ? " or " : "",
                              crossing_name(b, axis, offset[axis]),
                              offset[axis] < 0 ? '<' : '>');
    return all;
}

/* Change of the residual if the neighbours in other blocks have their visible values. */
static const char *difference_seen(const blocks *b)
{
    deriver *d = b->d;
    const char *sum = "0";

    for (int64_t k = 0; k < d->form.count; k++) {
        const solve_tap *t = &d->form.tap[k];
        const char *where = leaves(b, t->offset);
        if (*where)
            sum = arena_print(d->arena, "%s + where(%s, (%s)*(%s - %s), 0)", sum, where,
                              tree_text(d, t->weight),
                              text_at(d, d->unknown->name, t->offset),
                              text_at(d, b->seen, t->offset));
    }
    return sum;
}

/* ---- values read from other blocks ------------------------------------------------- */

/* Steps from one exchange of the newest values to the next. */
static int period(const blocks *b)
{
    return (b->variant == IN_PLACE ? 2 : 1) * (b->alpha + 1);
}

/* ---- the step ---------------------------------------------------------------------- */

/* Relaxes red points in even steps and black points in odd steps. */
static const char *halved(const blocks *b, const char *relaxed)
{
    deriver *d = b->d;

    return arena_print(
        d->arena, "where(step %% 2 == 0 and %s or step %% 2 == 1 and %s, %s, %s)",
        colour_on(d, 0, RED), colour_on(d, 0, BLACK), relaxed, d->unknown->name);
}

/* Variant without the field `seen`: blocks read the current values of memory. */
static void derive_chance(const blocks *b, const char *step, double weight)
{
    deriver *d = b->d;
    const char *u = d->unknown->name;

    if (b->variant != 0 && b->variant != IN_PLACE)
        solve_fail(d, PAV_EINVAL,
                   "what blocks of %s see of each other has an age, so ages = chance is "
                   "for async-0 and async-3",
                   d->method->name);
    const char *relaxed = operator_relaxed(d, u, weight, operator_residual(d, u), 0);
    write_equation(d, u, "%s", b->variant == IN_PLACE ? halved(b, relaxed) : relaxed);
    text_add(&d->tail, "chaotic %d by %d\n", period(b), b->size);
    d->about = arena_print(
        d->arena,
        "a step is %s relaxation with weight %.3g by blocks of %d %s; blocks read the "
        "present values of each other; after each %d all see the newest",
        step, weight, b->size, d->p->dim > 2 ? "planes" : "rows", b->alpha + 1);
}

static const char *const ages[] = {
    "as they were a relaxation before",
    "as they were two relaxations before",
    "as they were when all saw the newest",
    "as they were a relaxation before, and its own in place",
};

static void derive_async(deriver *d)
{
    const int variant = d->method->name[strlen(d->method->name) - 1] - '0';
    const double usual = variant == IN_PLACE ? 1 : 1.8 / d->spectrum.high[0];
    const double weight = setting_number(d, "weight", usual, 1e-6, 2);
    const char *u = d->unknown->name;
    const char *step = variant == IN_PLACE ? "half a" : "a";
    const bool chance = setting_word(d, "ages", ages_words, 2) == 1;
    blocks b = {
        .d = d,
        .variant = variant,
        .alpha = setting_count(d, "alpha", 6, 1, chance ? MOST_CHANCE : MOST_ALPHA),
        .size = setting_count(d, "block", 64, 2, 1000000)};
    if (chance) {
        derive_chance(&b, step, weight);
        return;
    }
    b.seen = write_like_unknown(d, "seen");
    declare_crossings(&b);
    const char *residual = arena_print(d->arena, "%s + %sstale*(%s)",
                                       operator_residual(d, u), d->prefix,
                                       difference_seen(&b));
    const char *relaxed = operator_relaxed(d, u, weight, residual, 0);
    write_equation(d, u, "%s", variant == IN_PLACE ? halved(&b, relaxed) : relaxed);
    const char *p = d->prefix;
    const int n = period(&b);
    /* values visible in the next step; `next` is its number within the period */
    const char *const next[] = {
        u, arena_print(d->arena, "where(%snext == 1, %s, prev(%s))", p, u, u), b.seen,
        arena_print(d->arena, "where(%snext == 2*floor(%snext/2), prev(%s), %s)", p, p, u,
                    b.seen)};
    text_add(&d->head,
             "let %sstale = where(step == %d*floor(step/%d), 0, 1)\n"
             "let %snext = step + 1 - %d*floor((step + 1)/%d)\n",
             p, n, n, p, n, n);
    write_equation(d, b.seen, "where(%snext == 0, %s', %s)", p, u, next[variant]);
    d->about = arena_print(d->arena,
                           "a step is %s relaxation with weight %.3g by blocks of %d "
                           "points along each axis, "
                           "which see each other %s; after each %d all see the newest",
                           step, weight, b.size, ages[variant], b.alpha + 1);
}

#define ASYNC(number, why_not)                                                           \
    {                                                                                    \
        .name = "async-" #number, .about = "asynchronous relaxation by blocks",          \
        .settings = async_settings, .steps = 1000000, .every = 10, .refuses = why_not,   \
        .derive = derive_async,                                                          \
    }
const solve_method solve_async[4] = {
    ASYNC(0, stretched_refuse),
    ASYNC(1, stretched_refuse),
    ASYNC(2, stretched_refuse),
    ASYNC(3, colours_refuse),
};
