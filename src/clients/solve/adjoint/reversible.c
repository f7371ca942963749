/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests whether a description can reverse its own steps. With the two newest levels
 * exchanged, u' = ... - prev(u) gives the level before if ... reads only level 0.
 * Absorbing layers are ignored: the caller must handle them. */
#include <string.h>

#include "solve/adjoint/adjoint_private.h"

typedef struct reversing {
    deriver d;
    const statement *equation;
    text *why;
} reversing;

static bool is_time(const expr *e)
{
    return e->kind == EXPR_BUILTIN &&
           (e->builtin == BUILTIN_T || e->builtin == BUILTIN_STEP);
}

static bool is_updated(const expr *e)
{
    return e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD &&
           e->symbol->updated;
}

/* True if an inlined expression reads a level other than 0. */
static bool is_other_level(const expr *e)
{
    return is_updated(e) && e->level != 0;
}

static bool reads_other(const expr *e)
{
    return tree_any(e, is_other_level);
}

/* ---- the weight of prev(u) --------------------------------------------------------- */

/* Adds `times` the weight of prev(u) to *weight. False if the weight is not a number, or
 * if another level is read. */
static bool weigh(const reversing *r, const expr *e, double times, double *weight)
{
    double value;

    if (!reads_other(e))
        return true;
    if (e->kind == EXPR_SYMBOL && e->symbol == r->equation->symbol && e->level == -1) {
        *weight += times;
        return true;
    }
    if (e->kind == EXPR_UNARY && e->op == OP_NEG)
        return weigh(r, e->arg[0], -times, weight);
    if (e->kind != EXPR_BINARY)
        return false;
    const expr *a = e->arg[0], *b = e->arg[1];
    if (e->op == OP_ADD || e->op == OP_SUB)
        return weigh(r, a, times, weight) &&
               weigh(r, b, e->op == OP_SUB ? -times : times, weight);
    if (e->op == OP_DIV && !reads_other(b) && tree_known(&r->d, b, &value))
        return weigh(r, a, times / value, weight);
    if (e->op == OP_MUL && !reads_other(b) && tree_known(&r->d, b, &value))
        return weigh(r, a, times * value, weight);
    return e->op == OP_MUL && !reads_other(a) && tree_known(&r->d, a, &value) &&
           weigh(r, b, times * value, weight);
}

static void check_equation(reversing *r)
{
    const statement *s = r->equation;
    const char *name = s->symbol->name;
    double weight = 0;

    if (pav_type_size(s->symbol->storage) < 4)
        text_add(r->why, "the roundings of '%s' to %s would add up", name,
                 pav_type_name(s->symbol->storage));
    else if (s->symbol->oldest != 1)
        text_add(r->why,
                 "the equation of '%s' is not of second order in time, u' = ... - "
                 "prev(u)",
                 name);
    else if (!weigh(r, copy_inlined(&r->d, s->written ? s->written : s->value), 1,
                    &weight))
        text_add(r->why,
                 "the equation of '%s' reads levels other than 0 in another way than as "
                 "-prev(%s)",
                 name, name);
    else if (weight != -1)
        text_add(r->why,
                 "the equation of '%s' loses energy, or gains it: prev(%s) has the "
                 "weight %.6g, and -1 is needed",
                 name, name, weight);
}

/* ---- other statements -------------------------------------------------------------- */

static pav_status check_all(reversing *r)
{
    for (const statement *s = r->d.p->first; s && !r->why->data; s = s->next) {
        const bool injects = s->kind == STATEMENT_INJECT,
                   border = s->kind == STATEMENT_BORDER && s->value && !s->made;
        const expr *value = injects || border ? copy_inlined(&r->d, s->value) : NULL;
        r->equation = s;
        if (s->kind == STATEMENT_UPDATE && !s->made)
            check_equation(r);
        if (injects && tree_any(value, is_updated))
            text_add(r->why, "what line %d injects depends on the wave", s->at.line);
        if (border && (tree_any(value, is_time) || tree_any(value, is_updated)))
            text_add(r->why, "the border of line %d changes with time", s->at.line);
    }
    return PAV_OK;
}

pav_status steps_reversible(const program *p, text *why)
{
    reversing r = {.d = {.p = p, .arena = arena_new(), .first = &r.d}, .why = why};
    pav_status status;

    ARENA_GUARD(r.d.arena, status, check_all(&r));
    arena_free(r.d.arena);
    return status != PAV_OK ? status : why->failed ? PAV_ENOMEM : PAV_OK;
}
