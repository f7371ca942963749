/* SPDX-License-Identifier: BSD-3-Clause */
/* Scopes: the values of a let's arguments. Equal scopes are stored once, so that a memo
 * may compare pointers. */
#include "plan/plan_private.h"

const scope *lower_apply(lowering *l, const expr *apply, const scope *outer)
{
    const spot key = {.scope = outer};
    const int known = memo_get(&l->scopes, apply, &key);

    if (known >= 0)
        return l->scope[known];
    scope *s = arena_alloc(l->arena, 1, sizeof *s);
    *s = (scope){.apply = apply, .outer = outer};
    arena_reserve(l->arena, &l->scope, l->scope_count, &l->scope_capacity,
                  sizeof *l->scope);
    memo_put(l, &l->scopes, apply, &key, (int)l->scope_count);
    l->scope[l->scope_count++] = s;
    return s;
}

const expr *lower_argument(lowering *l, const expr *argument, const scope **in)
{
    const scope *s = *in;
    const int index = argument->symbol->index;

    if (!s || index < 0 || index >= s->apply->count)
        lower_fail(l, PAV_EINTERNAL, "argument %s has no value here",
                   argument->symbol->name);
    *in = s->outer;
    return s->apply->arg[index];
}
