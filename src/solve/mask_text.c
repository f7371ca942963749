/* SPDX-License-Identifier: BSD-3-Clause */
/* The mask of an equation, in the form of a condition on each grid. A condition on
 * coordinates is the same on all grids. A mask from a file or from fields becomes a
 * field, nonzero at the solved points; coarser grids have every second point of it. */
#include "solve/solve_private.h"

static bool reads_fields(const expr *e)
{
    bool reads = e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD;

    for (int k = 0; k < e->count && !reads; k++)
        reads = reads_fields(e->arg[k]);
    return reads;
}

/* True if the mask must be stored in a field. In a step, the fields in the condition are
 * inputs of the solver, so the condition can read them. */
static bool is_field(deriver *d)
{
    return d->mask->file || (!d->given && reads_fields(copy_inlined(d, d->mask->value)));
}

static const char *condition(deriver *d)
{
    text t = {0};

    expr_print(d->mask->value, &t);
    const char *result = t.failed ? "" : arena_print(d->arena, "%s", t.data);
    text_free(&t);
    return result;
}

static const char *name_on(deriver *d, int coarse)
{
    return coarse ? arena_print(d->arena, "%sinside_%d", d->prefix, coarse)
                  : arena_print(d->arena, "%sinside", d->prefix);
}

static void declare(deriver *d, int coarse)
{
    const char *name = name_on(d, coarse);

    if (coarse)
        text_add(d->head, "field %s coarse %d = %s\n", name, coarse,
                 name_on(d, coarse - 1));
    else if (d->mask->file)
        text_add(d->head, "field %s = \"%s\"\n", name, d->mask->file);
    else
        text_add(d->head, "field %s = where(%s, 1, 0)\n", name, condition(d));
}

const char *mask_text(deriver *d, int coarse)
{
    if (!is_field(d))
        return condition(d);
    for (; d->masked <= coarse; d->masked++)
        declare(d, d->masked);
    return arena_print(d->arena, "%s != 0", name_on(d, coarse));
}
