/* SPDX-License-Identifier: BSD-3-Clause */
/* The reads and dependences of an expression: a list with one entry for each level of
 * each field (or argument of a let) and each kind of transfer. An entry has the interval
 * of offsets along each axis.
 *
 * The list of a let is collected once, at its declaration. At each use the list is moved
 * to the place of use, and the entries of arguments are replaced by the reads of the
 * actual arguments. The work therefore does not grow with the size of the inlined
 * expression. */
#include "lang/lang_private.h"

enum { FAR = 1 << 24 }; /* upper limit of offsets, beyond any halo */

/* Position of the current point relative to the reader's point. */
typedef struct view_point {
    read_reach reach; /* let_axes, let_moved: of a let around an argument */
    reads *outer;     /* within a reduction: reads of its operand */
    place at;         /* to report, if `fixed` */
    bool fixed;       /* inside a let: all places are the place of its use */
} view_point;

reads *reads_new(parser *p)
{
    return arena_alloc(p->arena, 1, sizeof(reads));
}

static int clamp(int64_t value)
{
    return value > FAR ? FAR : value < -FAR ? -FAR : (int)value;
}

static place place_for(const view_point *v, place at)
{
    return v->fixed ? v->at : at;
}

/* ---- entries ----------------------------------------------------------------------- */

static bool same_way(const field_read *a, const field_read *b)
{
    return a->symbol == b->symbol && a->level == b->level &&
           a->reach.transfer == b->reach.transfer &&
           a->reach.reduced == b->reach.reduced && a->reach.derived == b->reach.derived;
}

static void join(int *lo, int *hi, int other_lo, int other_hi)
{
    *lo = other_lo < *lo ? other_lo : *lo;
    *hi = other_hi > *hi ? other_hi : *hi;
}

static void add_entry(parser *p, reads *into, const field_read *r)
{
    for (int64_t i = into->count - 1; i >= 0; i--) {
        field_read *old = &into->item[i];
        if (!same_way(old, r))
            continue;
        old->reach.let_axes |= r->reach.let_axes;
        old->reach.let_moved |= r->reach.let_moved;
        for (int axis = 0; axis < MAX_DIM; axis++) {
            join(&old->reach.lo[axis], &old->reach.hi[axis], r->reach.lo[axis],
                 r->reach.hi[axis]);
            join(&old->reach.kept_lo[axis], &old->reach.kept_hi[axis],
                 r->reach.kept_lo[axis], r->reach.kept_hi[axis]);
        }
        return;
    }
    ARENA_ADD(p->arena, into->item, into->count, into->capacity) = *r;
}

static void note_use(reads *into, const view_point *v, use_kind kind, const char *name,
                     place at)
{
    const bool inner = kind == USE_POINT || kind == USE_RESTRICT ||
                       kind == USE_INTERPOLATE;

    if (!(v->reach.reduced && inner) && !into->use[kind].name)
        into->use[kind] = (use){name, place_for(v, at)};
}

/* True if `restrict` alone moves along the axis, one point to both sides. */
static bool is_bare_restriction(const view_point *v, int axis)
{
    return v->reach.transfer == READ_TO_FINE && v->reach.lo[axis] == -1 &&
           v->reach.hi[axis] == 1;
}

/* Moves an entry to the reader's point; false after a mistake. */
static bool move_entry(parser *p, const view_point *v, field_read *r)
{
    const int outer = r->reach.transfer == READ_TO_FINE ? 2 : 1,
              inner = v->reach.transfer == READ_TO_COARSE ? 2 : 1;

    r->at = place_for(v, r->at);
    if (r->reach.reduced)
        return true;
    if (v->reach.transfer != READ_SAME && r->reach.transfer != READ_SAME)
        return mistake_at(p, r->at,
                          "restrict and interpolate do not stand within one another");
    for (int i = 0; i < MAX_DIM; i++) {
        if (v->reach.lo[i] || v->reach.hi[i])
            r->reach.let_moved |= (r->reach.let_axes & 1u << i)
                                  << (is_bare_restriction(v, i) ? MAX_DIM : 0);
        r->reach.lo[i] = clamp((int64_t)inner * r->reach.lo[i] +
                               (int64_t)outer * v->reach.lo[i]);
        r->reach.hi[i] = clamp((int64_t)inner * r->reach.hi[i] +
                               (int64_t)outer * v->reach.hi[i]);
        r->reach.kept_lo[i] = clamp((int64_t)r->reach.kept_lo[i] + v->reach.kept_lo[i]);
        r->reach.kept_hi[i] = clamp((int64_t)r->reach.kept_hi[i] + v->reach.kept_hi[i]);
    }
    r->reach.let_axes |= v->reach.let_axes;
    r->reach.let_moved |= v->reach.let_moved;
    r->reach.transfer = v->reach.transfer != READ_SAME ? v->reach.transfer
                                                       : r->reach.transfer;
    r->reach.reduced = v->reach.reduced;
    r->reach.derived |= v->reach.derived;
    return true;
}

/* Reports `interpolate` of a field on the finest grid: it takes coarse fields only. */
static bool transfer_fits(parser *p, const field_read *r)
{
    return r->symbol->kind != SYMBOL_FIELD || r->reach.transfer != READ_TO_COARSE ||
           r->symbol->coarse ||
           mistake_at(p, r->at,
                      "'interpolate' takes coarse fields, and '%s' is not coarse",
                      r->symbol->name);
}

static void put_read(parser *p, reads *into, const view_point *v, field_read r)
{
    reads *list = r.reach.reduced && v->outer ? v->outer : into;

    if (move_entry(p, v, &r) && transfer_fits(p, &r))
        add_entry(p, list, &r);
}

/* ---- lets -------------------------------------------------------------------------- */

/* by_let: the uses are in the value of a let. */
static void put_uses(reads *into, const view_point *v, const reads *from, place at,
                     bool by_let)
{
    for (int i = 0; i < USE_COUNT; i++)
        if (from->use[i].name)
            note_use(into, v, i == USE_SPACING && by_let ? USE_LET_SPACING : (use_kind)i,
                     from->use[i].name, at);
}

/* Adds the reads of an argument, moved by one entry of the let for this argument. */
static void put_argument(parser *p, reads *into, const view_point *v,
                         const field_read *through, const reads *argument)
{
    field_read moved = *through;
    view_point inner = *v;

    if (!move_entry(p, v, &moved))
        return;
    inner.reach = moved.reach;
    for (int64_t i = 0; i < argument->count; i++)
        put_read(p, into, &inner, argument->item[i]);
    put_uses(into, &inner, argument, inner.at, false);
}

/* Adds the list of a let at the place of use; argument[k] has the reads of its argument
 * k. */
static void put_list(parser *p, reads *into, const view_point *v, const symbol *let,
                     const reads *list, reads *const *argument, place at)
{
    view_point here = *v;

    here.at = place_for(v, at);
    here.fixed = true;
    put_uses(into, &here, list, at, true);
    for (int64_t i = 0; i < list->count; i++) {
        const field_read *r = &list->item[i];
        const bool own = r->symbol->kind == SYMBOL_ARGUMENT && let &&
                         r->symbol->index < let->arguments &&
                         let->argument[r->symbol->index] == r->symbol;
        if (own)
            put_argument(p, into, &here, r, argument[r->symbol->index]);
        else
            put_read(p, into, &here, *r);
    }
}

static void add_reads(parser *p, reads *into, view_point v, const expr *e);

static void note_reduced(parser *p, reads *into, const reads *inner);

static void collect_apply(parser *p, reads *into, const view_point *v, const expr *e)
{
    reads *argument[MAX_ARGUMENTS];
    const reads *list = e->symbol->notes->reads;

    for (int i = 0; i < e->count; i++) {
        view_point plain = {.at = v->at, .fixed = v->fixed};
        argument[i] = reads_new(p);
        add_reads(p, argument[i], plain, e->arg[i]);
    }
    if (!list)
        return;
    const int before = p->mistakes.count;
    put_list(p, into, v, e->symbol, list, argument, e->at);
    for (int i = 0; i < list->open && p->mistakes.count == before; i++) {
        /* A reduction inside the let is complete with the actual arguments. */
        reads *given = reads_new(p);
        const view_point here = {
            .reach.reduced = true, .at = place_for(v, e->at), .fixed = true};

        put_list(p, given, &here, e->symbol, list->reduced[i], argument, e->at);
        note_reduced(p, into, given);
    }
}

static void collect_symbol(parser *p, reads *into, const view_point *v, const expr *e)
{
    symbol *s = e->symbol;
    const field_read r = {.symbol = s, .level = e->level, .at = e->at};

    if (s->notes->bad)
        return;
    switch (s->kind) {
    case SYMBOL_FIELD:
    case SYMBOL_ARGUMENT: put_read(p, into, v, r); break;
    case SYMBOL_SCALAR:
        note_use(into, v, USE_SCALAR, s->name, e->at);
        put_read(p, into, v, r);
        break;
    case SYMBOL_MEASURE: note_use(into, v, USE_MEASURE, s->name, e->at); break;
    case SYMBOL_LET:
        if (s->notes->reads)
            put_list(p, into, v, NULL, s->notes->reads, NULL, e->at);
        break;
    case SYMBOL_PARAM:
        if (!s->constant)
            put_read(p, into, v, r);
        break;
    case SYMBOL_STENCIL:
    case SYMBOL_LIST: /* its parts are read */
    case SYMBOL_INDEX:
    case SYMBOL_FORM: break;
    }
}

/* ---- moving the point -------------------------------------------------------------- */

/* Widens the offsets by lo..hi along an axis, in points of the reader. */
static void widen(view_point *v, int axis, int lo, int hi)
{
    const int scale = v->reach.transfer == READ_TO_COARSE ? 2 : 1;

    v->reach.lo[axis] = clamp(v->reach.lo[axis] + (int64_t)scale * lo);
    v->reach.hi[axis] = clamp(v->reach.hi[axis] + (int64_t)scale * hi);
    v->reach.kept_lo[axis] = clamp(v->reach.kept_lo[axis] + (int64_t)lo);
    v->reach.kept_hi[axis] = clamp(v->reach.kept_hi[axis] + (int64_t)hi);
}

static void widen_derivative(view_point *v, const expr *e)
{
    for (int i = 0; i < MAX_DIM; i++) {
        const int m = e->derivative[i], half = e->half[i];
        const int central = (e->order + 2 * ((m + 1) / 2) - 2) / 2;
        const int staggered = e->order / 2 + (m - 1) / 2;
        if (m > 0 && half == 0)
            widen(v, i, -central, central);
        else if (m > 0)
            widen(v, i, half > 0 ? 1 - staggered : -staggered,
                  half > 0 ? staggered : staggered - 1);
    }
    v->reach.derived = true;
}

static void widen_laplace(const parser *p, view_point *v, const expr *e)
{
    for (int i = 0; i < p->dim; i++)
        widen(v, i, -e->order / 2, e->order / 2);
    v->reach.derived = true;
}

static void widen_stencil(view_point *v, const symbol *s)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int lo = s->taps > 0 ? s->tap[0].offset[axis] : 0, hi = lo;
        for (int i = 1; i < s->taps; i++) {
            const int offset = s->tap[i].offset[axis];
            lo = offset < lo ? offset : lo;
            hi = offset > hi ? offset : hi;
        }
        widen(v, axis, lo, hi);
    }
}

static void collect_stencil(parser *p, reads *into, view_point *v, const expr *e)
{
    if (e->symbol->notes->reads)
        put_list(p, into, v, NULL, e->symbol->notes->reads, NULL, e->at);
    widen_stencil(v, e->symbol);
}

/* False after a mistake. */
static bool enter_transfer(parser *p, reads *into, view_point *v, const expr *e)
{
    const bool fine = e->transfer == TRANSFER_RESTRICT;

    note_use(into, v, fine ? USE_RESTRICT : USE_INTERPOLATE,
             fine ? "restrict" : "interpolate", e->at);
    if (v->reach.transfer != READ_SAME)
        return mistake_at(p, place_for(v, e->at),
                          "restrict and interpolate do not stand within one another");
    for (int i = 0; i < p->dim; i++) {
        v->reach.lo[i] = fine ? clamp(2 * (int64_t)v->reach.lo[i] - 1) : v->reach.lo[i];
        v->reach.hi[i] = fine ? clamp(2 * (int64_t)v->reach.hi[i] + 1)
                              : clamp((int64_t)v->reach.hi[i] + 1);
    }
    v->reach.transfer = fine ? READ_TO_FINE : READ_TO_COARSE;
    return true;
}

/* The grid of a reduction over this read. */
static int reduced_grid(const field_read *r)
{
    return r->symbol->coarse + (r->reach.transfer == READ_TO_FINE) -
           (r->reach.transfer == READ_TO_COARSE);
}

/* A reduction runs over one grid: a coarse field next to one of a finer grid must be
 * interpolated. */
static void check_grids(parser *p, const reads *list)
{
    const field_read *fine = NULL, *coarse = NULL;

    for (int64_t i = 0; i < list->count; i++) {
        const field_read *r = &list->item[i];
        if (r->symbol->kind != SYMBOL_FIELD)
            continue;
        if (!fine || reduced_grid(r) < reduced_grid(fine))
            fine = r;
        if (!coarse || reduced_grid(r) > reduced_grid(coarse))
            coarse = r;
    }
    if (!fine || reduced_grid(fine) == reduced_grid(coarse))
        return;
    const bool grid = reduced_grid(fine) == 0;
    mistake_at(p, coarse->at,
               "'%s' is %s and cannot be reduced together with '%s' of %s grid; "
               "write interpolate(%s)",
               coarse->symbol->name,
               coarse->reach.transfer == READ_TO_FINE ? "restricted" : "coarse",
               fine->symbol->name, grid ? "the" : "a finer", coarse->symbol->name);
}

/* Notes the reads of a reduction. If they depend on arguments of a let, they are kept
 * until the let's use. */
static void note_reduced(parser *p, reads *into, const reads *inner)
{
    bool open = false;

    check_grids(p, inner);
    for (int64_t i = 0; i < inner->count; i++)
        open |= inner->item[i].symbol->kind == SYMBOL_ARGUMENT;
    if (open && into->open < MAX_OPEN)
        into->reduced[into->open++] = inner;
}

static void collect_reduced(parser *p, reads *into, const view_point *v, const expr *e)
{
    reads *inner = reads_new(p), *all = v->outer ? v->outer : into;
    const view_point here = {
        .reach.reduced = true, .outer = all, .at = v->at, .fixed = v->fixed};

    note_use(into, v, USE_REDUCTION, reduction_names[e->reduction], e->at);
    add_reads(p, inner, here, e->arg[0]);
    note_reduced(p, into, inner);
    for (int64_t i = 0; i < inner->count; i++)
        add_entry(p, all, &inner->item[i]);
    for (int i = 0; i < USE_COUNT; i++)
        if (!into->use[i].name)
            into->use[i] = inner->use[i];
}

static void collect_builtin(const parser *p, reads *into, const view_point *v,
                            const expr *e)
{
    const char *name = builtin_names[e->builtin];
    const bool width = e->builtin >= BUILTIN_HX && e->builtin <= BUILTIN_HZ &&
                       axis_stretched(p->program, (int)e->builtin - BUILTIN_HX);

    if (e->builtin <= BUILTIN_Z || e->builtin >= BUILTIN_IX || width)
        note_use(into, v, USE_POINT, name, e->at);
    else if (e->builtin == BUILTIN_T || e->builtin == BUILTIN_STEP)
        note_use(into, v, USE_TIME, name, e->at);
    if (e->builtin >= BUILTIN_H && e->builtin <= BUILTIN_HZ)
        note_use(into, v, USE_SPACING, name, e->at);
}

/* First operands by iteration: sums and products may be long. */
static void add_reads(parser *p, reads *into, view_point v, const expr *e)
{
    for (;; e = e->arg[0]) {
        switch (e->kind) {
        case EXPR_NUMBER: return;
        case EXPR_BUILTIN: collect_builtin(p, into, &v, e); return;
        case EXPR_SYMBOL: collect_symbol(p, into, &v, e); return;
        case EXPR_APPLY: collect_apply(p, into, &v, e); return;
        case EXPR_SHIFT:
            for (int i = 0; i < MAX_DIM; i++)
                widen(&v, i, e->offset[i], e->offset[i]);
            break;
        case EXPR_CALL:
            if (e->function == FUNCTION_RANDOM)
                note_use(into, &v, USE_RANDOM, "random", e->at);
            if (e->function == FUNCTION_UNIFORM) {
                note_use(into, &v, USE_UNIFORM, "uniform", e->at);
                note_use(into, &v, USE_POINT, "uniform", e->at);
            }
            break;
        case EXPR_STENCIL: collect_stencil(p, into, &v, e); break;
        case EXPR_DERIVE: widen_derivative(&v, e); break;
        case EXPR_LAPLACE: widen_laplace(p, &v, e); break;
        case EXPR_TRANSFER:
            if (!enter_transfer(p, into, &v, e))
                return;
            break;
        case EXPR_REDUCE: collect_reduced(p, into, &v, e); return;
        case EXPR_LINE: note_use(into, &v, USE_LINE, line_names[e->line], e->at); break;
        default: break; /* lists were refused before */
        }
        for (int i = 1; i < e->count; i++)
            add_reads(p, into, v, e->arg[i]);
    }
}

void reads_collect(parser *p, const expr *e, reads *into)
{
    add_reads(p, into, (view_point){.reach.transfer = READ_SAME}, e);
}
