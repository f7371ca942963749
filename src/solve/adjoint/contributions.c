/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the contributions of each equation to the adjoints of the fields in it, and
 * adds them up. */
#include "solve/adjoint/adjoint_private.h"

static bool is_updated(const transposition *t, const symbol *field)
{
    (void)t;
    return field->updated;
}

static void add(adjoint_deriver *a, expr **sum, expr *more)
{
    *sum = *sum ? tree_binary(&a->d, OP_ADD, *sum, more) : more;
}

/* t->user is the part of the transposed equation. */
static void contribute(transposition *t, const expr *leaf, expr *cotangent)
{
    adjoint_deriver *a = t->a;

    arena_reserve(a->d.arena, &a->contribution, a->contributions, &a->room,
                  sizeof *a->contribution);
    a->contribution[a->contributions++] = (contribution){
        t->user, adjoint_part_of(a, leaf->symbol), a->own, leaf->level, cotangent};
}

void contributions_take(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++) {
        adjoint_part *reader = &a->part[k];
        expr *own = tree_field(&a->d, reader->name, 0);
        expr *factor = sponge_factor(a, reader->field);
        transposition t = {.a = a,
                           .linear = true,
                           .is_target = is_updated,
                           .take = contribute,
                           .user = reader};
        a->own = own->symbol;
        a->d.solve = reader->equation;
        transpose(&t, reader->value,
                  factor ? tree_binary(&a->d, OP_MUL, factor, own) : own);
    }
}

/* The contribution at the time of the step. Older levels were damped by the sponge once
 * per level. */
static expr *contributed(adjoint_deriver *a, const contribution *c, const expr *cotangent)
{
    const int level = c->level + c->reader->ahead - c->part->ahead;
    expr *value = time_turned(a, cotangent, c->own, level, c->part->ahead - c->level);
    expr *factor = c->level < 0 ? sponge_factor(a, c->part->field) : NULL;

    for (int k = c->level; k < 0 && factor; k++)
        value = tree_binary(&a->d, OP_MUL, factor, value);
    return value;
}

/* True for a contribution of a point to itself: it has the scale already. */
static bool is_scaled(const contribution *c)
{
    return c->reader == c->part && !scale_is_apart(c->cotangent, c->own);
}

void contributions_add(adjoint_deriver *a, adjoint_part *part)
{
    expr *others = NULL, *made = NULL;

    for (int64_t k = 0; k < a->contributions; k++) {
        const contribution *c = &a->contribution[k];
        const bool of_layer = c->reader->equation->made || part->equation->made;
        const bool scaled = !part->scale || is_scaled(c);
        if (c->part != part)
            continue;
        const expr *cotangent = part->scale && is_scaled(c)
                                    ? c->cotangent
                                    : scale_removed(a, c->reader, c->own, c->cotangent);
        expr **sum = scaled ? (of_layer ? &part->made : &part->sum)
                            : (of_layer ? &made : &others);
        add(a, sum, contributed(a, c, cotangent));
    }
    if (others)
        add(a, &part->sum, tree_binary(&a->d, OP_MUL, part->scale, others));
    if (made)
        add(a, &part->made, tree_binary(&a->d, OP_MUL, part->scale, made));
}
