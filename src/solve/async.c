/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous relaxation, also called chaotic (Chazan and Miranker 1969). Blocks of
 * points relax without waiting for each other and read older values of other blocks.
 * After alpha + 1 relaxations all blocks read the newest values. The variants differ in
 * the age of the older values. By default the age is fixed, so a run is bitwise identical
 * on every device; with `chaotic` it is left to chance. Any bounded age converges at the
 * same rate.
 *
 * A step is one relaxation. If blocks relax in place, a step is half a relaxation, of the
 * red or the black points. An extra field stores the values visible to other blocks. */
#include <string.h>

#include "solve/solve_private.h"

static const char *const settings[] = {"alpha", "block", "ages", "weight", "every", NULL};
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

/* Declares the number of blocks between a point and the point `by` further along the
 * axis. */
static void declare_crossing(const blocks *b, int axis, int by)
{
    deriver *d = b->d;
    const char c = "xyz"[axis];

    text_add(d->head, "let %s = floor(((%c - (", crossing_name(b, axis, by), c);
    text_add_double(d->head, num_f64(d->p->axis[axis].origin));
    text_add(d->head, "))/h%c + 1/2 + (%d))/%d) - floor(((%c - (", c, by, b->size, c);
    text_add_double(d->head, num_f64(d->p->axis[axis].origin));
    text_add(d->head, "))/h%c + 1/2)/%d)\n", c, b->size);
}

static void declare_crossings(const blocks *b)
{
    const solve_form *f = &b->d->form;

    for (int axis = 0; axis < b->d->p->dim; axis++)
        for (int by = -MAX_OFFSET; by <= MAX_OFFSET; by++) {
            bool read = false;
            for (int64_t k = 0; k < f->count && by; k++)
                read = read || f->tap[k].offset[axis] == by;
            if (read)
                declare_crossing(b, axis, by);
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

static const char *at_offset(const deriver *d, const char *name, const int *offset)
{
    const char *all = arena_print(d->arena, "%s[%d", name, offset[0]);

    for (int axis = 1; axis < d->p->dim; axis++)
        all = arena_print(d->arena, "%s, %d", all, offset[axis]);
    return arena_print(d->arena, "%s]", all);
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
                              at_offset(d, d->unknown->name, t->offset),
                              at_offset(d, b->seen, t->offset));
    }
    return sum;
}

/* ---- what they see of each other --------------------------------------------------- */

/* Steps from one exchange of the newest values to the next. */
static int period(const blocks *b)
{
    return (b->variant == IN_PLACE ? 2 : 1) * (b->alpha + 1);
}

/* Values visible in the next step; `next` is its number within the period. */
static const char *seen_next(const blocks *b)
{
    const char *u = b->d->unknown->name, *p = b->d->prefix;
    arena *a = b->d->arena;

    switch (b->variant) {
    case 0: return u;
    case 1: return arena_print(a, "where(%snext == 1, %s, prev(%s))", p, u, u);
    case 2: return b->seen;
    default:
        return arena_print(a, "where(%snext == 2*floor(%snext/2), prev(%s), %s)", p, p, u,
                           b->seen);
    }
}

static void write_seen(const blocks *b)
{
    const char *u = b->d->unknown->name, *p = b->d->prefix;
    const int n = period(b);

    text_add(b->d->head, "let %sstale = where(step == %d*floor(step/%d), 0, 1)\n", p, n,
             n);
    text_add(b->d->head, "let %snext = step + 1 - %d*floor((step + 1)/%d)\n", p, n, n);
    write_equation(b->d, b->seen, "where(%snext == 0, %s', %s)", p, u, seen_next(b));
}

/* ---- the step ---------------------------------------------------------------------- */

/* Relaxes red points in even steps and black points in odd steps. */
static const char *halved(const blocks *b, const char *relaxed)
{
    deriver *d = b->d;

    text_add(d->head, "let %shalf = 1 - 2*(step - 2*floor(step/2))\n", d->prefix);
    return arena_print(d->arena, "where(%s*%shalf > 0, %s, %s)", colours_name(d, 0),
                       d->prefix, relaxed, d->unknown->name);
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
    text_add(d->tail, "chaotic %d by %d\n", period(b), b->size);
    d->about = arena_print(d->arena,
                           "a step is %s relaxation with weight %.3g by blocks of %d %s, "
                           "which read of each other what is there; after each %d all "
                           "see the newest",
                           step, weight, b->size, d->p->dim > 2 ? "planes" : "rows",
                           b->alpha + 1);
}

static const char *const ages[] = {
    "as they were a relaxation before",
    "as they were two relaxations before",
    "as they were when all saw the newest",
    "as they were a relaxation before, and its own in place",
};

static void derive(deriver *d)
{
    const int variant = d->method->name[strlen(d->method->name) - 1] - '0';
    const double usual = variant == IN_PLACE ? 1 : 1.8 / d->spectrum.high[0];
    const double weight = setting_number(d, "weight", usual, 1e-6, 2);
    const char *u = d->unknown->name;
    const char *step = variant == IN_PLACE ? "half a" : "a";
    const bool chance = setting_word(d, "ages", ages_words, 2) == 1;
    blocks b = {.d = d, .variant = variant};

    b.alpha = setting_count(d, "alpha", 6, 1, chance ? MOST_CHANCE : MOST_ALPHA);
    b.size = setting_count(d, "block", 64, 2, 1000000);
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
    write_seen(&b);
    d->about = arena_print(d->arena,
                           "a step is %s relaxation with weight %.3g by blocks of %d "
                           "points along each axis, "
                           "which see each other %s; after each %d all see the newest",
                           step, weight, b.size, ages[variant], b.alpha + 1);
}

#define ASYNC(number, why_not)                                                           \
    {                                                                                    \
        .name = "async-" #number, .about = "asynchronous relaxation by blocks",          \
        .settings = settings, .steps = 1000000, .every = 10, .refuses = why_not,         \
        .derive = derive,                                                                \
    }
const solve_method solve_async[4] = {
    ASYNC(0, stretched_refuse),
    ASYNC(1, stretched_refuse),
    ASYNC(2, stretched_refuse),
    ASYNC(3, colours_refuse),
};
