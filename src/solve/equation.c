/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses an equation before a method is chosen: its faces, mask and operator, and the
 * possible halvings of its grid. */
#include <math.h>
#include <string.h>

#include "solve/solve_private.h"

void equation_choose_prefix(deriver *d)
{
    const symbol_list *const lists[] = {&d->p->fields, &d->p->params,   &d->p->scalars,
                                        &d->p->lets,   &d->p->stencils, &d->p->measures};

    d->prefix = "mg_";
    for (int again = 1; again;) {
        again = 0;
        for (size_t l = 0; l < COUNT_OF(lists); l++)
            for (int64_t k = 0; k < lists[l]->count; k++)
                again |= strncmp(lists[l]->item[k]->name, d->prefix, strlen(d->prefix)) ==
                         0;
        if (again)
            d->prefix = arena_print(d->arena, "%s_", d->prefix);
    }
}

static void find_faces(deriver *d)
{
    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *s = field_border(d->p, d->unknown, face / 2, face % 2);
        if (!s)
            continue;
        if (s->kind == STATEMENT_ABSORB)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "an absorbing layer damps what a step changes, and '%s' is solved "
                       "for: give it a border",
                       d->unknown->name);
        if (border_wraps(s->border))
            d->periodic |= 1u << face;
        else if (border_rules[s->border].fixes_wall)
            d->fixed |= 1u << face;
    }
}

static void find_mask(deriver *d)
{
    for (const statement *s = d->p->first; s; s = s->next) {
        if (s->kind != STATEMENT_MASK || (s->symbol && s->symbol != d->unknown))
            continue;
        if (d->mask)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "'%s' that is solved for has two masks; make them one",
                       d->unknown->name);
        d->mask = s;
    }
}

static void check_taps(deriver *d)
{
    if (d->unknown->coarse)
        solve_fail(d, PAV_EUNSUPPORTED,
                   "'%s' is coarse; only fields of the grid are solved for",
                   d->unknown->name);
    if (d->form.constant && !(fabs(d->form.diagonal) > 0))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "the equation does not hold '%s' at its own point, so no relaxation "
                   "can begin",
                   d->unknown->name);
}

/* A single point between periodic or insulated faces has no differences. */
static void check_extents(deriver *d)
{
    if (d->form.constant && !(d->spectrum.high[0] > 0))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "nothing is left of the operator: no axis has two points or a face "
                   "that gives a value of '%s'; take more points",
                   d->unknown->name);
}

static bool has_transfer(const expr *e)
{
    bool found = e->kind == EXPR_TRANSFER;

    for (int k = 0; k < e->count && !found; k++)
        found = has_transfer(e->arg[k]);
    return found;
}

/* On stretched axes both sides are multiplied by the widths of the cell. The weight
 * between two points is then the same in both directions, so conjugate gradients
 * apply. */
static const expr *of_cell(deriver *d, const expr *side)
{
    expr *all = copy_inlined(d, side);

    for (int axis = 0; axis < d->p->dim; axis++)
        if (axis_stretched(d->p, axis))
            all = tree_binary(d, OP_MUL, tree_spacing(d, axis), all);
    return all;
}

void equation_understand(deriver *d)
{
    find_faces(d);
    find_mask(d);
    d->left = of_cell(d, d->solve->value);
    d->right = of_cell(d, d->solve->right);
    if (d->given)
        step_part(d);
    expr *difference = arena_alloc(d->arena, 1, sizeof *difference);
    *difference = (expr){.kind = EXPR_BINARY, .op = OP_SUB, .count = 2};
    difference->arg = arena_alloc(d->arena, 2, sizeof *difference->arg);
    memcpy(difference->arg, (const void *[]){d->left, d->right}, 2 * sizeof(void *));
    d->difference = difference;
    if (has_transfer(difference))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "restrict and interpolate cannot stand in an equation to solve");
    form_find(d);
    check_taps(d);
    d->singular = !d->fixed && !d->mask &&
                  (!d->form.constant || operator_sums_to_zero(d));
    hierarchy_find(d);
    spectrum_find(d);
    check_extents(d);
}
