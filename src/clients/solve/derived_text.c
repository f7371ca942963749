/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the mask, fields, equations and borders of the derived description. A correction
 * has the borders of the unknown with 0 in place of their values. A field like the
 * unknown has the same borders and values. */
#include <string.h>

#include "solve/solve_private.h"

/* ---- the mask ---------------------------------------------------------------------- */

/* The mask of an equation, in the form of a condition on each grid. A condition on
 * coordinates is the same on all grids. A mask from a file or from fields becomes a
 * field, nonzero at the solved points; coarser grids have every second point of it. */

bool reads_field(const expr *e)
{
    return e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD;
}

static const char *mask_name(deriver *d, int coarse)
{
    return coarse ? arena_print(d->arena, "%sinside_%d", d->prefix, coarse)
                  : arena_print(d->arena, "%sinside", d->prefix);
}

static void declare_mask(deriver *d, int coarse)
{
    const char *name = mask_name(d, coarse);

    if (coarse)
        text_add(&d->head, "field %s coarse %d = %s\n", name, coarse,
                 mask_name(d, coarse - 1));
    else if (d->mask->file)
        text_add(&d->head, "field %s = \"%s\"\n", name, d->mask->file);
    else
        text_add(&d->head, "field %s = where(%s, 1, 0)\n", name,
                 tree_text(d, d->mask->value));
}

/* The mask is stored in a field if it must be: in a step, the fields in the condition are
 * inputs of the solver, so the condition can read them. */
const char *mask_text(deriver *d, int coarse)
{
    const bool is_field = d->mask->file ||
                          (!d->given &&
                           tree_any(copy_inlined(d, d->mask->value), reads_field));

    if (!is_field)
        return tree_text(d, d->mask->value);
    for (; d->masked <= coarse; d->masked++)
        declare_mask(d, d->masked);
    return arena_print(d->arena, "%s != 0", mask_name(d, coarse));
}

const char *write_name(deriver *d, const char *stem)
{
    if (++d->first->made > MOST_MADE)
        solve_fail(d, PAV_ELIMIT,
                   "this cycle needs more than %d fields: take cycle = V or F, or fewer "
                   "grids (grids = 4)",
                   MOST_MADE);
    return arena_print(d->arena, "%s%s%d", d->prefix, stem, d->first->made);
}

/* ---- fields ------------------------------------------------------------------------ */

static void add_grid(text *t, int coarse)
{
    if (coarse)
        text_add(t, " coarse");
    if (coarse > 1)
        text_add(t, " %d", coarse);
}

/* Points outside the mask keep their initial values. */
static void add_mask(deriver *d, const char *name, int coarse)
{
    if (d->mask)
        text_add(&d->tail, "mask %s = %s\n", name, mask_text(d, coarse));
}

const char *write_field(deriver *d, const char *stem, int coarse)
{
    const char *name = write_name(d, stem);

    text_add(&d->head, "field %s", name);
    add_grid(&d->head, coarse);
    text_add(&d->head, "%s\n", d->narrow ? " stored f32" : "");
    write_zero(d, name, coarse);
    add_mask(d, name, coarse);
    return name;
}

const char *write_stored(deriver *d, const char *stem, int coarse, const char *value)
{
    const char *name = write_field(d, stem, coarse);

    write_equation(d, name, "%s", value);
    return arena_print(d->arena, "%s'", name);
}

void write_zero(deriver *d, const char *name, int coarse)
{
    text *t = &d->zeros[coarse];

    text_add(t, "%s%s", t->length ? ", " : "", name);
}

static const char *const faces[] = {"x-", "x+", "y-", "y+", "z-", "z+"};

void solve_write_border(text *t, border_kind kind, const char *names, const expr *value,
                        int face)
{
    const border_rule *rule = &border_rules[kind];

    text_add(t, "border %s%s%s", rule->copies ? rule->word : "", rule->copies ? " " : "",
             names);
    if (value) {
        text_add(t, " = ");
        expr_print(value, t);
    } else if (!rule->copies)
        text_add(t, " = 0");
    text_add(t, " %s %s\n", border_lies_beyond(kind) ? "beyond" : "at", faces[face]);
}

bool write_has_values(deriver *d)
{
    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *s = d->rule[face];
        if (s && s->value && !tree_is_number(copy_inlined(d, s->value), 0))
            return true;
    }
    return false;
}

const char *write_bordered(deriver *d, const char *stem, const char *value)
{
    const char *name = write_name(d, stem);

    text_add(&d->head, "field %s%s%s\n", name, value ? " = " : "", value ? value : "");
    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *s = d->rule[face];
        if (s)
            solve_write_border(&d->tail, s->border, name, s->value, face);
    }
    return name;
}

/* The field has the initial values of the unknown, because a mask keeps them. */
const char *write_like_unknown(deriver *d, const char *stem)
{
    const char *name = write_bordered(d, stem, d->mask ? d->unknown->name : NULL);

    add_mask(d, name, 0);
    return name;
}

const char *write_sample(deriver *d, const char *stem, int coarse)
{
    const char *name = write_name(d, stem);

    text_add(&d->head, "field %s", name);
    add_grid(&d->head, coarse);
    text_add(&d->head, "\n");
    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *s = d->rule[face];
        const border_kind kind = wall_rule(d, face, coarse);
        if (!s)
            continue;
        const bool takes = border_rules[kind].takes_value &&
                           (kind != BORDER_MIRROR || s->border == kind);
        if (border_is(kind))
            solve_write_border(&d->tail, kind, name, takes ? s->value : NULL, face);
    }
    return name;
}

void write_equation(deriver *d, const char *name, const char *format, ...)
{
    va_list list;

    text_add(&d->first->equations, "%s' = ", name);
    va_start(list, format);
    text_add_list(&d->first->equations, format, list);
    va_end(list);
    text_add(&d->first->equations, "\n");
}

void write_borders(deriver *d)
{
    for (int k = 0; k < MOST_GRIDS; k++)
        for (int face = 0; d->zeros[k].length && face < 2 * d->p->dim; face++) {
            const border_kind rule = wall_rule(d, face, k);
            if (border_is(rule))
                solve_write_border(&d->tail, rule, d->zeros[k].data, NULL, face);
        }
}

/* ---- coefficients of coarser grids ------------------------------------------------- */

static const char *coefficient_name(deriver *d, const symbol *field, int coarse)
{
    return coarse ? arena_print(d->arena, "%s%s_%d", d->prefix, field->name, coarse)
                  : field->name;
}

/* Completes the borders of a coefficient with `clamp`: sums over all points and averages
 * read beyond the faces. */
void write_clamped(deriver *d, const symbol *field)
{
    d = d->first;
    if (d->clamped[field->index])
        return;
    d->clamped[field->index] = true;
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (!field_border(d->p, field, face / 2, face % 2))
            text_add(&d->tail, "border clamp %s at %s\n", field->name, faces[face]);
}

/* Border of a coefficient on a coarser grid. All copies of a single point are equal, so
 * `clamp` replaces "periodic" there: it needs no second point. */
const char *write_copies(const deriver *d, int face, bool wraps)
{
    return wraps && d->p->axis[face / 2].points > 1 ? "periodic" : "clamp";
}

const char *write_coefficient(deriver *d, const symbol *field, int coarse)
{
    d = d->first;
    if (field->coarse || field->updated)
        solve_fail(d, PAV_EUNSUPPORTED,
                   "the operator reads '%s', which is %s: coarser grids have no such "
                   "coefficient; take jacobi, or cg without preconditioner = multigrid",
                   field->name, field->coarse ? "coarse" : "updated");
    if (!d->coefficient[field->index]) {
        d->coefficient[field->index] = true;
        for (int k = 1; k < d->grids; k++) {
            text_add(&d->head, "field %s", coefficient_name(d, field, k));
            add_grid(&d->head, k);
            text_add(&d->head, " = restrict(%s)\n", coefficient_name(d, field, k - 1));
        }
        write_clamped(d, field);
        const char *names = coefficient_name(d, field, 1);
        for (int k = 2; k < d->grids; k++)
            names = arena_print(d->arena, "%s, %s", names, coefficient_name(d, field, k));
        for (int face = 0; face < 2 * d->p->dim; face++) {
            const statement *s = field_border(d->p, field, face / 2, face % 2);
            text_add(&d->tail, "border %s %s at %s\n",
                     write_copies(d, face, s && border_wraps(s->border)), names,
                     faces[face]);
        }
    }
    return coefficient_name(d, field, coarse);
}

/* ---- sums over the points ---------------------------------------------------------- */

/* A condition, true inside the face: its limit lies half a spacing inside the outermost
 * point. */
static const char *limit_text(deriver *d, int face)
{
    return arena_print(d->arena, "%c %s %s", "xyz"[face / 2], face % 2 ? "<" : ">",
                       text_digits(d, wall_between(d, face, 0, 0)));
}

const char *write_inside(deriver *d)
{
    const char *all = d->mask ? arena_print(d->arena, "(%s)", mask_text(d, 0)) : "";

    for (int face = 0; face < 2 * d->p->dim; face++)
        if (d->rule[face] && border_rules[d->rule[face]->border].has_face)
            all = arena_print(d->arena, "%s%s%s", all, *all ? " and " : "",
                              limit_text(d, face));
    return *all ? all : "1 == 1";
}

/* A point on a mirroring wall has half a cell, so its weight is 1/2 for each such
 * wall. */
const char *write_cells(deriver *d, int but)
{
    const char *all = "";

    for (int face = 0; face < 2 * d->p->dim; face++)
        if (face / 2 != but && d->rule[face] &&
            border_insulates_points(d->rule[face]->border))
            all = arena_print(d->arena, "%s%swhere(%s, 1, 1/2)", all, *all ? "*" : "",
                              limit_text(d, face));
    return *all ? all : "1";
}

const char *write_weight(deriver *d)
{
    return write_cells(d, MAX_DIM);
}
