/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of equations. Each unknown has a deriver of its own, with its equation, borders
 * and mask. A vector of a method is one field for each unknown. The operator of a row is
 * the sum of its parts in all unknowns.
 *
 * At each point a relaxation solves the small system of all unknowns: its matrix holds
 * the weights of the point itself. Elimination without pivots is written as lets. An
 * unknown is apart if its own weight is 0, or if its sign makes a symmetric operator
 * indefinite. Cycles leave it out. */
#include <math.h>
#include <string.h>

#include "solve/solve_private.h"

/* ---- the unknowns ------------------------------------------------------------------ */

void system_open(deriver *d)
{
    deriver *last = d;

    d->names = d->unknown ? d->unknown->name : "";
    for (const statement *m = d->solve->more; m; m = m->more, last = last->next) {
        last->next = arena_alloc(d->arena, 1, sizeof *d);
        *last->next = *d;
        last->next->next = NULL;
        last->next->solve = m;
        last->next->unknown = m->symbol;
        d->names = arena_print(d->arena, "%s, %s", d->names, m->symbol->name);
        last->next->number = last->number + 1;
        last->next->prefix = arena_print(d->arena, "%s%d_", d->prefix,
                                         last->next->number + 1);
    }
}

bool system_holds(const deriver *d, const symbol *unknown)
{
    bool holds = false;

    EACH_UNKNOWN(o, d)
    holds |= o->unknown == unknown;
    return holds;
}

/* Grids that all unknowns halve alike; what `auto` and the cycles know of each other. */
void system_join(deriver *d)
{
    double own = 0, first = 0;

    EACH_UNKNOWN(e, d)
    {
        /* between unknowns; insulated walls have half cells or copies */
        d->symmetric &= e->symmetric && d->fixed == e->fixed &&
                        d->periodic == e->periodic && d->mask == e->mask &&
                        (!d->next || ((d->fixed | d->periodic) + 1) >> (2 * d->p->dim));
        d->form.spaced |= e->form.spaced;
        for (int k = 1; k < d->grids; k++)
            if (k >= e->grids || e->halved[k] != d->halved[k])
                d->grids = k;
    }
    EACH_UNKNOWN(e, d)
    {
        (void)tree_known(d, weight_next(d, 0, 0), &first);
        e->apart = tree_known(e, weight_next(e, 0, 0), &own) &&
                   (own == 0 || (d->symmetric && own * first < 0));
        e->symmetric = d->symmetric;
        e->grids = d->grids;
        e->form.spaced = d->form.spaced;
    }
}

/* ---- vectors ----------------------------------------------------------------------- */

vector vector_field(deriver *d, const char *stem, int coarse, bool whole)
{
    vector v = {{NULL}};

    EACH_UNKNOWN(e, d)
    if (whole || !e->apart)
        v.of[e->number] = write_field(e, stem, coarse);
    return v;
}

vector vector_mapped(deriver *d, const char *before, const vector *v, const char *behind)
{
    vector all = {{NULL}};

    EACH_UNKNOWN(e, d)
    if (v->of[e->number])
        all.of[e->number] = arena_print(d->arena, "%s%s%s", before, v->of[e->number],
                                        behind);
    return all;
}

/* ---- rows -------------------------------------------------------------------------- */

expr *system_part(deriver *d, const deriver *o, const expr *e, const expr *x, int coarse)
{
    const symbol *own = d->unknown;

    d->unknown = o->unknown;
    expr *part = copy_linear(d, e, x, coarse);
    d->unknown = own;
    return part;
}

expr *system_with(deriver *d, const expr *e, const expr *x)
{
    const symbol *own = d->unknown;
    expr *copy = NULL;

    EACH_UNKNOWN(o, d)
    {
        d->unknown = o == d ? own : o->unknown;
        copy = copy_with(d, copy ? copy : e, x, 0);
    }
    d->unknown = own;
    return copy;
}

const char *system_applied(deriver *d, const vector *x, int coarse, bool whole)
{
    const char *all = operator_applied(d, x->of[d->number], coarse);

    EACH_UNKNOWN(o, d)
    {
        const expr *part = o == d || (o->apart && !whole)
                               ? NULL
                               : system_part(d, o, d->difference,
                                             tree_field(d, x->of[o->number], 0), coarse);
        if (part)
            all = arena_print(d->arena, "(%s + %s)", all, tree_text(d, part));
    }
    return all;
}

/* ---- the system of a point --------------------------------------------------------- */

const char *system_centre(deriver *d, const deriver *o, int coarse)
{
    static const int here[MAX_DIM] = {0};
    const solve_form *f = &d->block[o->number];

    if (o == d)
        return operator_diagonal(d, coarse);
    for (int64_t k = 0; k < f->count; k++)
        if (memcmp(f->tap[k].offset, here, sizeof here) == 0 &&
            !tree_is_number(f->tap[k].weight, 0))
            return arena_print(
                d->arena, "(%s)",
                tree_text(d, copy_with(d, f->tap[k].weight, tree_number(d, num_int(0)),
                                       coarse)));
    return NULL;
}

/* Declares an entry of the matrix once, and returns its name. */
static const char *entry(deriver *d, int coarse, int at, const char *value)
{
    const char *name = arena_print(d->arena, "%sm%d_%d", d->prefix, coarse, at);

    if (!d->pointed[coarse])
        text_add(&d->joint, "let %s = %s\n", name, value);
    return name;
}

typedef const char *matrix[MAX_UNKNOWNS][MAX_UNKNOWNS]; /* NULL: 0 */

static void eliminate(deriver *d, int coarse, matrix a)
{
    int at = 0;

    EACH_RELAXED(e, d)
    EACH_RELAXED(o, d)
    {
        const char *value = system_centre(e, o, coarse);
        a[e->number][o->number] = value ? entry(d, coarse, at, value) : NULL;
        at++;
    }
    for (int m = 0; m < MAX_UNKNOWNS; m++)
        for (int i = m + 1; i < MAX_UNKNOWNS; i++)
            for (int j = m + 1; j < MAX_UNKNOWNS; j++, at++)
                if (a[i][m] && a[m][j])
                    a[i][j] = entry(d, coarse, at,
                                    arena_print(d->arena, "%s - %s/%s*%s",
                                                a[i][j] ? a[i][j] : "0", a[i][m], a[m][m],
                                                a[m][j]));
    d->pointed[coarse] = true;
}

vector system_scaled(deriver *d, double omega, const vector *r, int coarse)
{
    matrix a = {{NULL}};
    vector z = *r;

    if (!d->next) {
        z.of[0] = operator_scaled(d, omega, r->of[0], coarse);
        return z;
    }
    eliminate(d, coarse, a);
    for (int i = 0; i < MAX_UNKNOWNS; i++)
        for (int m = 0; m < i; m++)
            if (a[i][m])
                z.of[i] = arena_print(d->arena, "(%s - %s/%s*(%s))", z.of[i], a[i][m],
                                      a[m][m], z.of[m]);
    for (int i = MAX_UNKNOWNS - 1; i >= 0; i--) {
        for (int j = i + 1; j < MAX_UNKNOWNS; j++)
            if (a[i][j])
                z.of[i] = arena_print(d->arena, "(%s - %s*%s)", z.of[i], a[i][j],
                                      z.of[j]);
        if (a[i][i])
            z.of[i] = arena_print(d->arena, "(%s)/%s", z.of[i], a[i][i]);
    }
    const char *by = arena_print(d->arena, "%s*%sunit*(", text_digits(d, omega),
                                 d->prefix);
    return vector_mapped(d, by, &z, ")");
}

const char *system_beside(deriver *e, const char *r)
{
    double own = 0;

    (void)tree_known(e, weight_next(e, 0, 0), &own);
    return arena_print(e->arena, "%s*%s", text_digits(e, own == 0 ? 1 : 1 / fabs(own)),
                       r);
}
