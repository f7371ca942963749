/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders of adjoints. A border with given values does not depend on the field, so its
 * adjoint is 0. A border that copies points from inside is transposed: the adjoint beyond
 * the face is added (folded) to the copied point. Each folded term has a factor of 1 on
 * one plane of points and 0 elsewhere. Folding is not needed if the equation reads its
 * own field across the face only with even derivatives. Then `odd` and `mirror` are
 * borders of the adjoint, too, if the coefficients beyond the face are those of a mirror
 * image. */
#include <string.h>

#include "solve/adjoint/adjoint_private.h"

static border_kind kind_at(const adjoint_deriver *a, const symbol *field, int face)
{
    const statement *s = field_border(a->p, field, face / 2, face % 2);

    return s && s->kind == STATEMENT_BORDER ? s->border : BORDER_NONE;
}

/* ---- symmetry about a face --------------------------------------------------------- */

typedef struct symmetry {
    const adjoint_deriver *a;
    int axis, face;
    border_kind kind; /* border of the field */
} symmetry;

static bool is_even(const symmetry *s, const expr *e)
{
    border_kind own;

    switch (e->kind) {
    case EXPR_SHIFT: return e->offset[s->axis] == 0;
    case EXPR_DERIVE: return e->derivative[s->axis] % 2 == 0 && !e->half[s->axis];
    case EXPR_BUILTIN: return (int)e->builtin != BUILTIN_X + s->axis;
    case EXPR_STENCIL:
    case EXPR_TRANSFER: return false;
    case EXPR_SYMBOL:
        if (e->symbol->kind != SYMBOL_FIELD || e->symbol->updated)
            return true;
        own = kind_at(s->a, e->symbol, s->face);
        return !border_is(own) || own == border_unsigned(s->kind);
    default: return true;
    }
}

static bool all_even(const symmetry *s, const expr *e)
{
    bool even = is_even(s, e);

    for (int k = 0; k < e->count && even; k++)
        even = all_even(s, e->arg[k]);
    return even;
}

static bool has_layer(const adjoint_deriver *a, int face)
{
    EACH_STATEMENT(s, a->p)
        if (s->kind == STATEMENT_ABSORB && s->matched && s->faces & (1U << face))
            return true;
    return false;
}

/* True if the adjoint's border at a face can equal the field's border. The memory of a
 * matched layer is ignored: at a face without a layer it is 0. */
static bool is_like(const adjoint_deriver *a, const adjoint_part *part, int face)
{
    const symmetry s = {a, face / 2, face, kind_at(a, part->field, face)};

    if (!border_rules[s.kind].own_adjoint || has_layer(a, face))
        return false;
    for (int64_t k = 0; k < a->parts; k++) {
        const adjoint_part *other = &a->part[k];
        if (other != part && !other->equation->made &&
            tree_reads(other->value, part->field))
            return false;
    }
    const expr *written = part->equation->written;
    return all_even(&s, written ? copy_inlined(&a->d, written) : part->value);
}

/* True if e reads a coordinate along the axis. A coordinate is not periodic. */
static bool has_coordinate(const expr *e, int axis)
{
    bool found = e->kind == EXPR_BUILTIN && (int)e->builtin == BUILTIN_X + axis;

    for (int k = 0; k < e->count && !found; k++)
        found = has_coordinate(e->arg[k], axis);
    return found;
}

void borders_choose(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++) {
        adjoint_part *part = &a->part[k];
        a->d.solve = part->equation;
        for (int axis = 0; axis < a->p->dim; axis++)
            if (border_wraps(kind_at(a, part->field, 2 * axis)) &&
                has_coordinate(part->value, axis))
                solve_fail(
                    &a->d, PAV_EUNSUPPORTED,
                    "the adjoint of '%s': a coordinate along a periodic axis; make "
                    "a field of what holds it",
                    part->field->name);
        for (int face = 0; face < 2 * a->p->dim; face++)
            part->like[face] = is_like(a, part, face);
    }
}

/* ---- the radius of reads ----------------------------------------------------------- */

static void difference_reach(deriver *d, int m, int order, int half, int reach[2])
{
    int first = 0, count = 1;

    if ((m || half) && !difference_taps(m, order, half, &first, &count))
        solve_fail(d, PAV_ELIMIT, "derivative %d of order %d has no exact weights", m,
                   order);
    reach[0] = -first;
    reach[1] = first + count - 1;
}

typedef struct reach {
    deriver *d;
    const symbol *field;
    int axis, far[2]; /* towards both faces */
} reach;

static void find_reach(reach *r, const expr *e, int below, int above)
{
    int more[2] = {0, 0};

    if (e->kind == EXPR_SYMBOL && e->symbol == r->field) {
        r->far[0] = below > r->far[0] ? below : r->far[0];
        r->far[1] = above > r->far[1] ? above : r->far[1];
    }
    if (e->kind == EXPR_STENCIL) {
        for (int k = 0; k < e->symbol->taps; k++) {
            const int o = e->symbol->tap[k].offset[r->axis];
            find_reach(r, e->arg[0], below - o, above + o);
        }
        return;
    }
    if (e->kind == EXPR_SHIFT)
        more[0] = -(more[1] = e->offset[r->axis]);
    else if (e->kind == EXPR_LAPLACE)
        difference_reach(r->d, 2, e->order, 0, more);
    else if (e->kind == EXPR_DERIVE)
        difference_reach(r->d, e->derivative[r->axis], e->order, e->half[r->axis], more);
    for (int k = 0; k < e->count; k++)
        find_reach(r, e->arg[k], below + more[0], above + more[1]);
}

/* ---- folding ----------------------------------------------------------------------- */

/* A factor of 1 at the points `inside` points from the face, and 0 elsewhere. */
static const char *plane_text(deriver *d, int face, int64_t inside)
{
    const axis_grid *g = &d->p->axis[face / 2];
    const int64_t index = face % 2 ? g->points - 1 - inside : inside;
    const double h = num_f64(g->step);

    return arena_print(d->arena, "where(abs(%c - (%s)) < %s, 1, 0)", "xyz"[face / 2],
                       text_digits(d, num_f64(g->origin) + h * (double)index),
                       text_digits(d, (h < 0 ? -h : h) / 2));
}

/* The sum `all` and the terms of `name` that are folded at a face. */
static const char *fold_face(deriver *d, border_kind kind, const char *name, int face,
                             int far, const char *all)
{
    for (int k = 1; k <= far; k++) {
        const int inside = border_inside(kind, k), by = k + inside;
        if (inside >= 0 && inside < d->p->axis[face / 2].points)
            all = arena_print(d->arena, "%s %s %s*%s", all,
                              border_rules[kind].map & GHOST_NEGATIVE ? "-" : "+",
                              plane_text(d, face, inside),
                              text_next(d, name, face / 2, face % 2 ? by : -by));
    }
    return all;
}

/* Adds the folded terms along an axis to the sum `name`. Returns the name of the new sum,
 * or `name` if nothing is folded. */
static const char *fold_axis(adjoint_deriver *a, const adjoint_part *part,
                             const char *name, int axis)
{
    const char *sum = name;

    for (int side = 0; side < 2; side++) {
        const int face = 2 * axis + side;
        reach r = {&a->d, part->field, axis, {0, 0}};
        for (int64_t k = 0; k < a->parts; k++)
            if (a->folds_made || !a->part[k].equation->made)
                find_reach(&r, a->part[k].value, 0, 0);
        if (!part->like[face])
            sum = fold_face(&a->d, kind_at(a, part->field, face), name, face, r.far[side],
                            sum);
    }
    if (sum == name)
        return name;
    const char *next = adjoint_unique(a, part->name,
                                      arena_print(a->d.arena, "_%c", "xyz"[axis]));
    text_add(&a->d.equations, "let %s = %s\n", next, sum);
    return next;
}

static bool folds_at(const adjoint_deriver *a, const adjoint_part *part, int face)
{
    return !part->like[face] && border_inside(kind_at(a, part->field, face), 1) >= 0;
}

bool borders_any_fold(const adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++)
        for (int face = 0; face < 2 * a->p->dim; face++)
            if (folds_at(a, &a->part[k], face))
                return true;
    return false;
}

const char *borders_fold(adjoint_deriver *a, adjoint_part *part)
{
    bool folds = false;

    for (int face = 0; face < 2 * a->p->dim; face++)
        if (folds_at(a, part, face)) {
            folds = true;
            if (has_layer(a, face))
                a->folds_made = true;
        }
    if (a->folds_made && part->made) {
        part->sum = part->sum ? tree_binary(&a->d, OP_ADD, part->sum, part->made)
                              : part->made;
        part->made = NULL;
    }
    const char *sum = part->sum ? tree_text(&a->d, part->sum) : NULL,
               *made = part->made ? tree_text(&a->d, part->made) : NULL;
    if (folds && sum) {
        const char *name = adjoint_unique(a, part->name, "_sum");
        text_add(&a->d.equations, "let %s = %s\n", name, sum);
        sum = name;
        for (int axis = 0; axis < a->p->dim; axis++)
            sum = fold_axis(a, part, sum, axis);
    }
    return sum && made ? arena_print(a->d.arena, "%s + %s", sum, made)
           : sum       ? sum
           : made      ? made
                       : "0";
}

/* ---- rules ------------------------------------------------------------------------- */

static void adjoint_rule(adjoint_deriver *a, const adjoint_part *part, int face)
{
    const border_kind kind = kind_at(a, part->field, face);
    solve_write_border(&a->d.tail,
                       part->like[face] || border_wraps(kind) ? kind
                       : border_rules[kind].has_face          ? BORDER_VALUE
                                                              : BORDER_BEYOND,
                       part->name, NULL, face);
}

/* Border of a coefficient. Without a rule in the description, it must match the borders
 * of the equations: periodic, mirrored, or `clamp`. */
static void coefficient_rule(adjoint_deriver *a, const symbol *field, int face)
{
    const statement *own = field_border(a->p, field, face / 2, face % 2);
    border_kind kind = BORDER_CLAMP;

    if (own && own->kind == STATEMENT_BORDER) {
        solve_write_border(&a->d.tail, own->border, field->name, own->value, face);
        return;
    }
    for (int64_t k = 0; k < a->parts; k++) {
        const border_kind other = kind_at(a, a->part[k].field, face);
        if (border_wraps(other) || a->part[k].like[face])
            kind = border_unsigned(other);
    }
    solve_write_border(&a->d.tail, kind, field->name, NULL, face);
}

/* A forward field keeps its borders from the forward run. */
static void history_rule(adjoint_deriver *a, const adjoint_history *h, int face)
{
    const statement *own = field_border(a->p, h->field, face / 2, face % 2);

    if (own && own->kind == STATEMENT_BORDER)
        solve_write_border(
            &a->d.tail, own->border, h->name,
            own->value ? time_turned(a, own->value, NULL, 0, h->level) : NULL, face);
    else
        solve_write_border(&a->d.tail, BORDER_BEYOND, h->name, NULL, face);
}

void borders_write(adjoint_deriver *a)
{
    for (int face = 0; face < 2 * a->p->dim; face++) {
        for (int64_t k = 0; k < a->parts; k++)
            adjoint_rule(a, &a->part[k], face);
        for (int64_t k = 0; k < a->p->fields.count; k++)
            if (!a->p->fields.item[k]->updated && !a->p->fields.item[k]->coarse &&
                !a->p->fields.item[k]->shown)
                coefficient_rule(a, a->p->fields.item[k], face);
        for (int64_t k = 0; k < a->result->histories; k++)
            history_rule(a, &a->result->history[k], face);
    }
}
