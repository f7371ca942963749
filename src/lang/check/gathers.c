/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of expressions. A column consists of forms and the operations around them. A
 * form is a maximal sum of sampled fields (taps.c). The run evaluates the operations
 * around the forms, products and functions, at each position. A form in turn consists of
 * samples of single fields, the parts of the gather; they precede it in the program. */
#include <string.h>

#include "lang/lang_private.h"

enum { MOST_FORMS = 1000 };

typedef struct gathering {
    parser *p;
    statement *gather, **at; /* at: insertion point of the next part */
    int column;
} gathering;

/* ---- parts ------------------------------------------------------------------------- */

static bool is_new(const sample_taps *t, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (t->item[i].field == t->item[n].field)
            return false;
    return true;
}

/* The taps of one field. */
static void add_part(gathering *g, const sample_taps *t, int64_t n)
{
    statement *s = arena_alloc(g->p->arena, 1, sizeof *s);

    *s = *g->gather;
    s->kind = STATEMENT_SAMPLE;
    s->symbol = t->item[n].field;
    s->gather = g->gather;
    s->of = g->column;
    s->form = g->gather->forms;
    s->columns = 0;
    s->file = NULL;
    s->tap = arena_alloc(g->p->arena, t->count, sizeof *s->tap);
    for (int64_t i = n; i < t->count; i++)
        if (t->item[i].field == s->symbol)
            s->tap[s->taps++] = t->item[i];
    s->next = g->gather;
    *g->at = s;
    g->at = &s->next;
}

/* Adds a form, and returns the leaf for its value. */
static expr *add_form(gathering *g, const expr *e, const sample_taps *t)
{
    expr *leaf = expr_new(g->p, EXPR_SYMBOL, e->at);

    if (g->gather->forms == MOST_FORMS) {
        mistake_at(g->p, e->at, "this sample has more than %d sums of fields",
                   MOST_FORMS);
        return leaf;
    }
    for (int64_t n = 0; n < t->count; n++)
        if (is_new(t, n))
            add_part(g, t, n);
    leaf->level = g->gather->forms++;
    return leaf;
}

/* ---- columns ----------------------------------------------------------------------- */

/* True for values known to a run at each row and position. */
static bool is_known_there(const parser *p, const expr *e)
{
    const bool is_axis = e->kind == EXPR_BUILTIN && e->builtin <= BUILTIN_Z;

    return e->kind == EXPR_BUILTIN &&
           (e->builtin == BUILTIN_T || e->builtin == BUILTIN_STEP ||
            (is_axis && (int)(e->builtin - BUILTIN_X) < p->dim));
}

static bool has_arguments(const expr *e)
{
    return e->kind == EXPR_BINARY || e->kind == EXPR_UNARY ||
           (e->kind == EXPR_CALL && e->function != FUNCTION_RANDOM);
}

static expr *take_apart(gathering *g, const expr *e)
{
    const constant c = constant_find(g->p, e);
    sample_taps t;

    if (c.known) {
        expr *number = expr_new(g->p, EXPR_NUMBER, e->at);
        number->number = c.value;
        return number;
    }
    if (is_known_there(g->p, e)) {
        expr *known = expr_new(g->p, EXPR_BUILTIN, e->at);
        known->builtin = e->builtin;
        return known;
    }
    if (taps_collect(g->p, e, false, &t))
        return add_form(g, e, &t);
    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_LET)
        return take_apart(g, e->symbol->value);
    if (!has_arguments(e)) {
        (void)taps_collect(g->p, e, true, &t);
        return NULL;
    }
    expr *copy = expr_new(g->p, e->kind, e->at), *arg[3] = {NULL};
    copy->op = e->op;
    copy->function = e->function;
    for (int k = 0; k < e->count && !statement_is_bad(g->p); k++)
        arg[k] = take_apart(g, e->arg[k]);
    expr_arguments(g->p, copy, e->count, arg);
    return copy;
}

static statement **add_parts(parser *p, statement *gather, statement **at)
{
    gathering g = {.p = p, .gather = gather, .at = at};

    gather->made_of = arena_alloc(p->arena, gather->columns + 1, sizeof *gather->made_of);
    for (; g.column < gather->columns; g.column++) {
        p->mistakes_before = p->mistakes.count;
        gather->made_of[g.column] = take_apart(&g, gather->column[g.column]);
    }
    return g.at;
}

void gathers_check(parser *p)
{
    for (statement **at = &p->program->first; *at; at = &(*at)->next)
        if ((*at)->kind == STATEMENT_GATHER)
            at = add_parts(p, *at, at);
}
