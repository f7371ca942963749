/* SPDX-License-Identifier: BSD-3-Clause */
/* The mask of an equation as a condition on each grid. One of coordinates is the same on
 * all; one from a file, or of fields, becomes a field that is not 0 where points are
 * solved for, and on coarser grids every second point of it. */
#include "solve/solve_private.h"

static bool reads_fields(const expr *e)
{
    bool reads = e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD;

    for (int k = 0; k < e->count && !reads; k++)
        reads = reads_fields(e->arg[k]);
    return reads;
}

/* A condition of fields in a step is of those that are handed over. */
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
