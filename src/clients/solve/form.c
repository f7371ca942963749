/* SPDX-License-Identifier: BSD-3-Clause */
/* The operator in the form of a list of neighbours and weights, collected from the
 * expression. Derivatives have the weights of the compiler's differences. Factors of the
 * unknown become factors of the weights. */
#include <string.h>

#include "solve/solve_private.h"

static solve_form collect(deriver *d, const expr *e);

/* ---- lists ------------------------------------------------------------------------- */

static solve_tap *tap_at(deriver *d, solve_form *f, const int *offset)
{
    for (int64_t k = 0; k < f->count; k++)
        if (memcmp(f->tap[k].offset, offset, sizeof f->tap[k].offset) == 0)
            return &f->tap[k];
    arena_reserve(d->arena, &f->tap, f->count, &f->capacity, sizeof *f->tap);
    solve_tap *t = &f->tap[f->count++];
    memcpy(t->offset, offset, sizeof t->offset);
    t->weight = tree_number(d, num_int(0));
    return t;
}

static void add_tap(deriver *d, solve_form *f, const int *offset, expr *weight)
{
    solve_tap *t = tap_at(d, f, offset);

    t->weight = tree_binary(d, OP_ADD, t->weight, weight);
}

static void add_form(deriver *d, solve_form *f, const solve_form *more, bool negative)
{
    for (int64_t k = 0; k < more->count; k++)
        add_tap(d, f, more->tap[k].offset,
                negative ? tree_negated(d, more->tap[k].weight) : more->tap[k].weight);
}

/* Adds weight * inner, with `inner` moved by `offset`. */
static void add_moved(deriver *d, solve_form *f, const solve_form *inner, expr *weight,
                      const int *offset)
{
    for (int64_t k = 0; k < inner->count; k++) {
        int there[MAX_DIM];
        for (int axis = 0; axis < MAX_DIM; axis++)
            there[axis] = inner->tap[k].offset[axis] + offset[axis];
        expr *moved = tree_shifted(d, inner->tap[k].weight, offset);
        add_tap(d, f, there, tree_binary(d, OP_MUL, weight, moved));
    }
}

/* ---- each kind of expression ------------------------------------------------------- */

static expr *plain(deriver *d, const expr *e)
{
    return copy_with(d, e, tree_field(d, d->unknown->name, 0), 0);
}

static solve_form of_binary(deriver *d, const expr *e)
{
    solve_form a = collect(d, e->arg[0]), b = collect(d, e->arg[1]);

    if (e->op == OP_ADD || e->op == OP_SUB)
        add_form(d, &a, &b, e->op == OP_SUB);
    if (e->op == OP_ADD || e->op == OP_SUB || e->op == OP_POW)
        return a;
    for (int64_t k = 0; k < a.count; k++)
        a.tap[k].weight = tree_binary(d, e->op, a.tap[k].weight, plain(d, e->arg[1]));
    for (int64_t k = 0; k < b.count && !a.count; k++)
        b.tap[k].weight = tree_binary(d, OP_MUL, plain(d, e->arg[0]), b.tap[k].weight);
    return a.count ? a : b;
}

/* where(condition of e, yes, no) */
static expr *chosen(deriver *d, const expr *e, expr *yes, expr *no)
{
    expr *c = tree_clone(d, e);

    memcpy(c->arg, (expr *[]){plain(d, e->arg[0]), yes, no}, 3 * sizeof *c->arg);
    return c;
}

static solve_form of_choice(deriver *d, const expr *e)
{
    solve_form f = {0};

    if (e->function != FUNCTION_WHERE)
        return f;
    const solve_form yes = collect(d, e->arg[1]), no = collect(d, e->arg[2]);
    for (int64_t k = 0; k < yes.count; k++)
        add_tap(d, &f, yes.tap[k].offset,
                chosen(d, e, yes.tap[k].weight, tree_number(d, num_int(0))));
    for (int64_t k = 0; k < no.count; k++)
        add_tap(d, &f, no.tap[k].offset,
                chosen(d, e, tree_number(d, num_int(0)), no.tap[k].weight));
    return f;
}

static solve_form of_stencil(deriver *d, const expr *e)
{
    const solve_form inner = collect(d, e->arg[0]);
    solve_form f = {0};

    for (int k = 0; inner.count && k < e->symbol->taps; k++) {
        const stencil_tap *t = &e->symbol->tap[k];
        add_moved(d, &f, &inner, plain(d, copy_inlined(d, t->weight)), t->offset);
    }
    return f;
}

/* ---- derivatives ------------------------------------------------------------------- */

typedef struct line {
    int first, count;
    num *weight;
    /* of a stretched axis: factors of the weights, with all weights 1 */
    expr *stretched[3];
} line;

/* Distance from the point `from` to the point `to` along an axis. */
static expr *way(deriver *d, int axis, int from, int to)
{
    expr *x = tree_new(d, EXPR_BUILTIN, 0);
    int first[MAX_DIM] = {0}, last[MAX_DIM] = {0};

    x->builtin = BUILTIN_X + (unsigned)axis;
    first[axis] = from;
    last[axis] = to;
    return tree_binary(d, OP_SUB, tree_shifted(d, x, last), tree_shifted(d, x, first));
}

/* Quotient above/(a*b), or above/a without b. */
static expr *over(deriver *d, expr *above, expr *a, expr *b)
{
    return tree_binary(d, OP_DIV, above, b ? tree_binary(d, OP_MUL, a, b) : a);
}

static line plain_line(deriver *d, int m, int order, int half)
{
    num weight[2 * MAX_OFFSET + 1];
    line l = {.count = 1};

    weight[0] = num_int(1);
    if ((m || half) && !difference_weights(m, order, half, weight, &l.first, &l.count))
        solve_fail(d, PAV_ELIMIT, "derivative %d of order %d has no exact weights", m,
                   order);
    l.weight = arena_alloc(d->arena, l.count, sizeof *l.weight);
    memcpy(l.weight, weight, (size_t)l.count * sizeof *weight);
    return l;
}

/* Weights of order 2 on a stretched axis, equal to those of axis_weights. A second
 * derivative is a difference of fluxes. */
static line stretched_line(deriver *d, int axis, int m, int order, int half)
{
    expr *one = tree_number(d, num_int(1)), *width = tree_spacing(d, axis);
    expr *before = way(d, axis, -1, 0), *behind = way(d, axis, 0, 1);
    line l = {0};

    if (order != 2 || m > 2 || !difference_taps(m, order, half, &l.first, &l.count))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "the axis %c is stretched, and derivatives along it in an equation to "
                   "solve are first and second ones of order 2",
                   axis_letter(d->p, axis));
    l.weight = arena_alloc(d->arena, l.count, sizeof *l.weight);
    for (int k = 0; k < l.count; k++)
        l.weight[k] = num_int(1);
    if (half) {
        l.stretched[1] = over(d, one, half > 0 ? behind : width, NULL);
        l.stretched[0] = tree_negated(d, l.stretched[1]);
        return l;
    }
    expr *twice = tree_binary(d, OP_MUL, tree_number(d, num_int(2)), width);
    l.stretched[0] = m == 2 ? over(d, one, before, width)
                            : tree_negated(d, over(d, behind, before, twice));
    l.stretched[2] = m == 2 ? over(d, one, behind, width)
                            : over(d, before, behind, twice);
    l.stretched[1] = tree_negated(d,
                                  tree_binary(d, OP_ADD, l.stretched[0], l.stretched[2]));
    return l;
}

/* weight / spacing^m along each axis; `at` are the indices of the taps along the axes. */
static expr *spaced_weight(deriver *d, num weight, const int *m, const line *l,
                           const int *at)
{
    expr *below = tree_number(d, num_int(1)), *all;

    for (int axis = 0; axis < d->p->dim; axis++)
        for (int k = 0; k < m[axis] && !l[axis].stretched[0]; k++)
            below = tree_binary(d, OP_MUL, below, tree_spacing(d, axis));
    all = tree_binary(d, OP_DIV, tree_number(d, weight), below);
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (l[axis].stretched[0])
            all = tree_binary(d, OP_MUL, all, l[axis].stretched[at[axis]]);
    return all;
}

static void add_derivative(deriver *d, solve_form *f, const solve_form *inner,
                           const int *m, const int *half, int order)
{
    line l[MAX_DIM];

    for (int axis = 0; axis < MAX_DIM; axis++)
        l[axis] = (m[axis] || half[axis]) && axis_stretched(d->p, axis)
                      ? stretched_line(d, axis, m[axis], order, half[axis])
                      : plain_line(d, m[axis], order, half[axis]);
    for (int k = 0; k < l[2].count; k++)
        for (int j = 0; j < l[1].count; j++)
            for (int i = 0; i < l[0].count; i++) {
                const int index[MAX_DIM] = {i, j, k};
                const int at[] = {l[0].first + i, l[1].first + j, l[2].first + k};
                const num w = num_mul(l[0].weight[i],
                                      num_mul(l[1].weight[j], l[2].weight[k]));
                if (!num_is_zero(w))
                    add_moved(d, f, inner, spaced_weight(d, w, m, l, index), at);
            }
}

static solve_form of_laplace(deriver *d, const expr *e)
{
    static const int none[MAX_DIM] = {0};
    const solve_form inner = collect(d, e->arg[0]);
    solve_form f = {0};

    for (int axis = 0; axis < d->p->dim && inner.count; axis++) {
        int m[MAX_DIM] = {0};
        m[axis] = 2;
        add_derivative(d, &f, &inner, m, none, e->order);
    }
    return f;
}

/* True if e has a first difference of the unknown along an axis, from point to point. */
static bool has_difference(const deriver *d, const expr *e, int axis)
{
    bool has = e->kind == EXPR_DERIVE && e->derivative[axis] == 1 && !e->half[axis] &&
               tree_reads(e, d->unknown);

    for (int k = 0; k < e->count; k++)
        has |= has_difference(d, e->arg[k], axis);
    return has;
}

/* ---- all kinds --------------------------------------------------------------------- */

static solve_form collect(deriver *d, const expr *e)
{
    static const int here[MAX_DIM] = {0};
    solve_form f = {0}, inner;

    switch (e->kind) {
    case EXPR_SYMBOL:
        if (e->symbol == d->unknown)
            add_tap(d, &f, here, tree_number(d, num_int(1)));
        return f;
    case EXPR_UNARY:
        inner = collect(d, e->arg[0]);
        add_form(d, &f, &inner, e->op == OP_NEG);
        return f;
    case EXPR_SHIFT:
        inner = collect(d, e->arg[0]);
        add_moved(d, &f, &inner, tree_number(d, num_int(1)), e->offset);
        return f;
    case EXPR_BINARY: return of_binary(d, e);
    case EXPR_CALL: return of_choice(d, e);
    case EXPR_STENCIL: return of_stencil(d, e);
    case EXPR_LAPLACE: return of_laplace(d, e);
    case EXPR_DERIVE:
        inner = collect(d, e->arg[0]);
        for (int axis = 0; axis < d->p->dim; axis++)
            d->first->is_wide |= e->derivative[axis] == 1 && !e->half[axis] &&
                                 has_difference(d, e->arg[0], axis);
        if (inner.count)
            add_derivative(d, &f, &inner, e->derivative, e->half, e->order);
        return f;
    default: return f;
    }
}

/* True if a weight depends on the spacing. */
static bool is_spaced(const expr *e)
{
    return e->kind == EXPR_DERIVE || e->kind == EXPR_LAPLACE ||
           (e->kind == EXPR_BUILTIN && e->builtin >= BUILTIN_H &&
            e->builtin <= BUILTIN_HZ);
}

/* The weights of each unknown. Those of a system count as varying: all of its rows are
 * written with their expressions. */
void form_find(deriver *d)
{
    static const int here[MAX_DIM] = {0};
    const symbol *own = d->unknown;
    bool spaced = false;
    num sum = num_int(0);
    solve_form f;

    EACH_UNKNOWN(o, d) {
        d->unknown = o == d ? own : o->unknown;
        f = d->block[o->number] = collect(d, d->difference);
        for (int64_t k = 0; k < f.count; k++)
            spaced |= tree_any(f.tap[k].weight, is_spaced);
    }
    d->unknown = own;
    f = d->block[d->number];
    f.constant = !d->first->next;
    (void)tap_at(d, &f, here);
    for (int64_t k = 0; k < f.count; k++) {
        solve_tap *t = &f.tap[k];
        num exact;
        f.constant = tree_number_of(d, t->weight, &exact) && f.constant;
        t->value = num_f64(exact);
        sum = num_add(sum, exact);
    }
    f.exact = sum.exact;
    f.sum = f.constant ? num_f64(sum) : 0;
    if (f.constant)
        f.diagonal = tap_at(d, &f, here)->value;
    f.spaced = spaced;
    d->form = d->block[d->number] = f;
}
