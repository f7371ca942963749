/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates gradients and images over the steps of an adjoint. The gradient with
 * respect to a coefficient is the derivative of each equation times the adjoint of the
 * equation's field. The image is the product of the forward field and the adjoint at the
 * same time; the illumination is the square of the forward field. Forward fields have
 * names of their own here: the run copies them in from the past. */
#include <string.h>

#include "solve/adjoint/adjoint_private.h"

/* ---- the past ---------------------------------------------------------------------- */

static const char *history_name(adjoint_deriver *a, const symbol *field, int level)
{
    adjoint *r = a->result;

    for (int64_t k = 0; k < r->histories; k++)
        if (r->history[k].field == field && r->history[k].level == level)
            return r->history[k].name;
    const char *ending = level == 0  ? "_forward"
                         : level > 0 ? "_forward_new"
                                     : arena_print(a->d.arena, "_forward_old%d", -level);
    const char *name = adjoint_unique(a, field->name, ending);
    ARENA_ADD(r->names, r->history, r->histories,
              a->history_room) = (adjoint_history){field, level, name};
    text_add(&a->d.head, "field %s", name);
    if (field->storage_stated)
        text_add(&a->d.head, " stored %s", pav_type_name(field->storage));
    text_add(&a->d.head, "\n");
    return name;
}

/* Within a sponge, equations read older levels damped once per level. */
static expr *with_past(adjoint_deriver *a, const expr *e)
{
    const bool past = e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD &&
                      e->symbol->index >= 0 && e->symbol->updated;

    if (past) {
        expr *value = tree_field(&a->d, history_name(a, e->symbol, e->level), 0);
        return damped(a, e->symbol, e->level, value);
    }
    expr *copy = tree_clone(&a->d, e);
    for (int k = 0; k < e->count; k++)
        copy->arg[k] = with_past(a, e->arg[k]);
    return copy;
}

/* ---- gradients --------------------------------------------------------------------- */

typedef struct gradient {
    const symbol *coefficient;
    expr *sum;
    const adjoint_part *part; /* of the current equation */
    int ahead;
} gradient;

static bool is_coefficient(const transposition *t, const symbol *field)
{
    const gradient *g = t->user;

    return field == g->coefficient;
}

static void gather(transposition *t, const expr *leaf, expr *cotangent)
{
    adjoint_deriver *a = t->a;
    gradient *g = t->user;
    const expr *plain = scale_removed(a, g->part, a->own, cotangent);
    expr *value = with_past(a, time_turned(a, plain, a->own, g->ahead, 0));

    (void)leaf;
    g->sum = g->sum ? tree_binary(&a->d, OP_ADD, g->sum, value) : value;
}

static const symbol *find_coefficient(adjoint_deriver *a, const char *name)
{
    const symbol *s = symbol_in(&a->p->fields, name);

    if (s && !s->updated && !s->coarse)
        return s;
    solve_fail(&a->d, PAV_EINVAL,
               "'%s' is no coefficient field of the description, so there is no gradient "
               "with respect to it",
               name);
}

/* A source contributes to the gradient at its own points only. */
static void add_source(adjoint_deriver *a, transposition *t, const statement *s,
                       int number, const char *into)
{
    gradient *g = t->user;
    const adjoint_part *part = adjoint_part_of(a, s->symbol);
    const expr *value = copy_inlined(&a->d, s->value);

    a->d.solve = s;
    if (!part || !transpose_reads(t, value))
        return;
    if (part->ahead)
        solve_fail(&a->d, PAV_EUNSUPPORTED,
                   "the source depends on '%s' and goes into '%s', whose new value "
                   "another equation reads",
                   g->coefficient->name, part->field->name);
    expr *own = tree_field(&a->d, part->name, 0);
    a->own = own->symbol;
    g->part = part;
    g->ahead = 0;
    g->sum = NULL;
    transpose(t, value, own);
    symbol field = {.name = into, .kind = SYMBOL_FIELD};
    statement inject = {.kind = STATEMENT_INJECT,
                        .symbol = &field,
                        .points = s->points,
                        .value = g->sum,
                        .slice_axis = -1};
    if (s->trace)
        inject.trace = adjoint_file(a, "source", number);
    statement_print(a->p, &inject, &a->injections);
    text_add(&a->injections, "\n");
}

/* The weight of a step in gradients and images, followed by "*"; "" without a weight. */
static const char *times(adjoint_deriver *a)
{
    return a->result->weight ? arena_print(a->d.arena, "%s*", a->result->weight) : "";
}

/* Sources depend on the coefficient at their own points. Other dependences outside of
 * equations are refused: the gradient omits them. */
static void add_gradient(adjoint_deriver *a, const char *name, const char **result)
{
    gradient g = {.coefficient = find_coefficient(a, name)};
    transposition t = {.a = a, .is_target = is_coefficient, .take = gather, .user = &g};
    int number = 0;

    a->d.solve = a->part[0].equation;
    for (int64_t k = 0; k < a->p->fields.count; k++) {
        const symbol *f = a->p->fields.item[k];
        for (int n = 0; n <= MAX_LEVEL + 1; n++) {
            const expr *value = n <= MAX_LEVEL       ? f->initial_prev[n]
                                : f != g.coefficient ? f->value
                                                     : NULL;
            if (value && transpose_reads(&t, copy_inlined(&a->d, value)))
                solve_fail(
                    &a->d, PAV_EUNSUPPORTED,
                    "%s of '%s' depend on '%s', and their share of its gradient is "
                    "not taken: let them have numbers or a field of their own",
                    n <= MAX_LEVEL ? "older initial values" : "initial values", f->name,
                    name);
        }
    }
    *result = adjoint_unique(a, name, "_gradient");
    for (int64_t k = 0; k < a->parts; k++) {
        g.part = &a->part[k];
        g.ahead = g.part->ahead;
        transpose_equation(&t, g.part);
    }
    text_add(&a->d.head, "field %s\n", *result);
    const char *more = g.sum ? arena_print(a->d.arena, " + %s(%s)", times(a),
                                           tree_text(&a->d, g.sum))
                             : "";
    text_add(&a->d.equations, "%s' = %s%s\n", *result, *result, more);
    EACH_STATEMENT(s, a->p)
        if (s->kind == STATEMENT_INJECT)
            add_source(a, &t, s, ++number, *result);
}

/* ---- images ------------------------------------------------------------------------ */

void sensitivity_write(adjoint_deriver *a)
{
    const char *const *wanted = a->wish->coefficients;
    int64_t count = 0;

    while (wanted && wanted[count])
        count++;
    a->result->gradient = arena_alloc(a->result->names, count + 1, sizeof(char *));
    if (a->wish->every > 1) {
        a->result->weight = adjoint_unique(a, "counts", "");
        text_add(&a->d.head, "scalar %s = 0\n", a->result->weight);
    }
    for (int64_t k = 0; k < count; k++)
        add_gradient(a, wanted[k], &a->result->gradient[k]);
    if (a->wish->image) {
        const adjoint_part *part = adjoint_part_of(a, a->result->channel[0].line->symbol);
        const char *past = history_name(a, part->field, part->ahead);
        adjoint *r = a->result;
        r->image = adjoint_unique(a, "image", "");
        r->illumination = adjoint_unique(a, "illumination", "");
        text_add(&a->d.head, "field %s; %s\n", r->image, r->illumination);
        const char *over = part->scale ? arena_print(a->d.arena, "/(%s)",
                                                     tree_text(&a->d, part->scale))
                                       : "";
        text_add(&a->d.equations, "%s' = %s + %s%s*%s'%s\n%s' = %s + %s%s^2\n", r->image,
                 r->image, times(a), past, part->name, over, r->illumination,
                 r->illumination, times(a), past);
    }
}
