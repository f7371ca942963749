/* SPDX-License-Identifier: BSD-3-Clause */
/* Primaries: numbers and names, with their marks: u' and u[1,0,0]. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"

/* ---- names ------------------------------------------------------------------------- */

/* Axis of a builtin, or -1. */
static int builtin_axis(int builtin)
{
    if (builtin <= BUILTIN_Z)
        return builtin - BUILTIN_X;
    if (builtin >= BUILTIN_HX && builtin <= BUILTIN_HZ)
        return builtin - BUILTIN_HX;
    if (builtin >= BUILTIN_NX && builtin <= BUILTIN_NZ)
        return builtin - BUILTIN_NX;
    return -1;
}

static expr *build_builtin(parser *p, const token *name, int builtin)
{
    expr *e = expr_new(p, EXPR_BUILTIN, name->at);
    const int axis = builtin_axis(builtin);

    e->builtin = (builtin_kind)builtin;
    if (builtin == BUILTIN_H && p->spacing_at.line == 0)
        p->spacing_at = name->at;
    if (p->dim > 0 && axis >= p->dim)
        mistake_at(p, name->at, "'%s' needs an axis %c, and the grid has none",
                   builtin_names[builtin], axis_letters[axis]);
    return e;
}

static expr *unknown_name(parser *p, const token *name)
{
    const bool called = next_is(p, "(");

    if (p->next->kind == TOKEN_BAD)
        syntax_mistake(p, "a name is missing");
    else
        report_unknown(p, name, called ? "function" : "name",
                       called ? NEAR_CALLS : NEAR_VALUES | NEAR_NAMES);
    return called ? call_parse_named(p, name, NULL) : expr_unknown(p, name->at);
}

static expr *build_symbol(parser *p, const token *name, symbol *s)
{
    if (next_is(p, "("))
        return call_parse_named(p, name, s);
    if (s->notes->bad)
        return expr_unknown(p, name->at);
    if (s->kind == SYMBOL_STENCIL || (s->kind == SYMBOL_LET && s->arguments > 0)) {
        mistake_at(p, name->at, "'%s' is a %s; it needs %s, as in %s(u)", s->name,
                   s->kind == SYMBOL_LET ? "let with arguments" : "stencil",
                   s->arguments > 1 ? "its arguments" : "an argument", s->name);
        return expr_unknown(p, name->at);
    }
    expr *e = expr_new(p, EXPR_SYMBOL, name->at);
    e->symbol = s;
    expr_close(p, e);
    return e;
}

static expr *parse_name(parser *p)
{
    const token *name = p->next;
    symbol *s = symbol_find(p, name->text, name->length);
    const int builtin = word_find(builtin_names, BUILTIN_COUNT, name->text, name->length);

    if (!s && builtin < 0 && word_is_reserved(name->text, name->length)) {
        take(p);
        expr *own = call_parse(p, name);
        if (own)
            return own;
        p->next = p->panic ? p->next : name;
        syntax_mistake(p, "an expression is missing; '%.*s' is a word of the language",
                       name->length, name->text);
        return expr_unknown(p, name->at);
    }
    take(p);
    if (s)
        return build_symbol(p, name, s);
    if (mesh_is_call(p, name))
        return mesh_call_parse(p, name);
    return builtin >= 0 ? build_builtin(p, name, builtin) : unknown_name(p, name);
}

static expr *parse_number(parser *p)
{
    const token *t = take(p);
    expr *e = expr_new(p, EXPR_NUMBER, t->at);

    if (!num_parse(t->text, (size_t)t->length, &e->number) || !isfinite(e->number.v)) {
        const int shown = t->length < 40 ? t->length : 40;
        mistake_at(p, t->at, "the number %.*s is too large", shown, t->text);
        e->number = num_int(1);
    }
    return e;
}

/* Reports a statement without an end. At the end of the text the message names the open
 * bracket or sign. */
static void report_end(parser *p)
{
    const token *t = p->next, *last = t;

    while (last > p->token && last->kind != TOKEN_SIGN && last->kind != TOKEN_NAME)
        last--;
    if (t->kind == TOKEN_END && last > p->token)
        syntax_mistake(p, "an expression is missing: the text ends after '%.*s'",
                       last->length < 40 ? last->length : 40, last->text);
    else
        syntax_mistake(p, "an expression is missing before the %s ends",
                       token_is(t, ";") ? "statement" : "line");
}

static expr *parse_atom(parser *p)
{
    const token *t = p->next;

    if (p->panic)
        return expr_unknown(p, t->at);
    if (t->kind == TOKEN_NUMBER)
        return parse_number(p);
    if (t->kind == TOKEN_NAME)
        return parse_name(p);
    if (accept(p, "(")) {
        expr *e = expr_parse_inside(p);
        expect_closed(p, t, ")");
        return e;
    }
    if (at_statement_end(p))
        report_end(p);
    else if (t->kind == TOKEN_STRING)
        syntax_mistake(p, "an expression is missing; a text stands here");
    else
        syntax_mistake(p, "an expression is missing; '%.*s' stands here", t->length,
                       t->text);
    return expr_unknown(p, t->at);
}

/* ---- what follows ------------------------------------------------------------------ */

/* u' */
static expr *mark_new(parser *p, expr *e)
{
    if (e->kind == EXPR_SYMBOL && e->symbol->notes->bad)
        return e;
    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD && e->level == 0)
        e->level = 1;
    else
        mistake_at(p, e->at, "' follows only the name of a field, as in u'");
    return e;
}

static expr *parse_shift(parser *p, expr *inner, const token *open)
{
    expr *e = expr_new(p, EXPR_SHIFT, inner->at);
    int count = 0;

    expr_arguments(p, e, 1, &inner);
    do {
        const place at = p->next->at;
        int64_t offset = 0;
        const expr *value = expr_parse_inside(p);
        if (!p->panic &&
            constant_integer(p, value, "an offset", -MAX_OFFSET, MAX_OFFSET, &offset) &&
            count < MAX_DIM)
            e->offset[count] = (int)offset;
        if (count++ == MAX_DIM && p->dim == 0)
            mistake_at(p, at, "a grid has at most %d axes", MAX_DIM);
    } while (accept(p, ","));
    expect_closed(p, open, "]");
    if (!p->panic && p->dim > 0 && count != p->dim)
        mistake_at(p, open->at, "%d offset%s for a grid of %d ax%s", count,
                   count == 1 ? "" : "s", p->dim, p->dim == 1 ? "is" : "es");
    e->order = count < MAX_DIM ? count : MAX_DIM;
    expr_close(p, e);
    return e;
}

expr *primary_parse(parser *p)
{
    expr *e = parse_atom(p);

    for (int marks = 0; !p->panic; marks++) {
        const token *t = p->next;
        if (marks == MAX_DEPTH)
            syntax_mistake(p, "more than %d marks follow one another here", MAX_DEPTH);
        else if (accept(p, "'"))
            e = mark_new(p, e);
        else if (accept(p, "["))
            e = parse_shift(p, e, t);
        else
            break;
    }
    return e;
}
