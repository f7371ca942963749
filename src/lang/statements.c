/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements, one after the other; those that compute and those that say how long are here. */
#include <string.h>

#include "lang/lang_private.h"

statement *statement_new(parser *p, statement_kind kind, place at)
{
    statement *s = arena_alloc(p->arena, 1, sizeof *s);

    s->kind = kind;
    s->at = at;
    s->slice_axis = -1;
    *p->last = s;
    p->last = &s->next;
    return s;
}

symbol *field_parse(parser *p)
{
    const token *name = expect_name(p, "the name of a field");

    if (!name)
        return NULL;
    symbol *s = symbol_find(p, name->text, name->length);
    if (!s)
        mistake_near(p, name, NEAR_NAMES | NEAR_PARTS, "unknown field '%.*s'",
                     name->length < 40 ? name->length : 40, name->text);
    else if (s->kind != SYMBOL_FIELD && !s->notes->bad)
        mistake_at(p, name->at, "'%s' is a %s; the name of a field is needed here",
                   s->name, symbol_kind_name(s->kind));
    return s && s->kind == SYMBOL_FIELD && !s->notes->bad ? s : NULL;
}

bool every_parse(parser *p, statement *s)
{
    const place at = p->next->at;

    if (!accept(p, "every"))
        return false;
    if (s->every)
        mistake_at(p, at, "'every' is given twice");
    s->every = expr_parse(p);
    if (!p->panic)
        constant_integer(p, s->every, "the number of steps after 'every'", 1, INT64_MAX,
                         &s->every_steps);
    return true;
}

bool file_parse(parser *p, statement *s)
{
    const place at = p->next->at;

    if (!accept(p, "into"))
        return false;
    if (s->file)
        mistake_at(p, at, "'into' is given twice");
    s->file = expect_string(p);
    return true;
}

/* ---- computing ---------------------------------------------------------------------------- */

static void initial_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_INITIAL, at);
    int64_t level = 1;

    expect(p, "(");
    s->symbol = field_parse(p);
    if (accept(p, ",")) {
        const expr *e = expr_parse(p);
        if (!p->panic)
            constant_integer(p, e, "the age of a level", 1, MAX_LEVEL, &level);
    }
    expect(p, ")");
    expect_on(p, "=");
    s->value = expr_parse(p);
    s->level = (int)level;
    if (p->panic || !s->symbol)
        return;
    if (s->symbol->initial_prev[level])
        mistake_at(p, at, "what prev(%s, %d) starts from is given twice", s->symbol->name,
                   (int)level);
    s->symbol->initial_prev[level] = s->value;
    reads *r = reads_new(p);
    expr_check(p, s->value, false, CONTEXT_INITIAL, s->symbol->coarse, r);
    statement_check(p, s, r);
}

static void update_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_UPDATE, at);

    s->symbol = field_parse(p);
    expect(p, "'");
    expect_on(p, "=");
    s->value = expr_parse(p);
    if (p->panic || !s->symbol)
        return;
    struct symbol_notes *notes = s->symbol->notes;
    if (notes->equation)
        mistake_at(p, at, "%s' has an equation in line %d already", s->symbol->name,
                   notes->equation->at.line);
    notes->equation = s;
    notes->equation_number = ++p->equations;
    s->symbol->updated = true;
    reads *r = reads_new(p);
    expr_check(p, s->value, false, CONTEXT_UPDATE, s->symbol->coarse, r);
    statement_check(p, s, r);
}

static void until_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_UNTIL, at);
    reads *r = reads_new(p);

    s->value = expr_parse(p);
    every_parse(p, s);
    if (!p->panic)
        expr_check(p, s->value, true, CONTEXT_AFTER, false, r);
    statement_check(p, s, r);
}

static void expect_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_EXPECT, at);
    reads *r = reads_new(p);

    s->value = expr_parse(p);
    if (!p->panic)
        expr_check(p, s->value, true, CONTEXT_AFTER, false, r);
    statement_check(p, s, r);
}

static void steps_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_STEPS, at);

    if (p->steps)
        mistake_at(p, at, "'steps' stands in line %d already", p->steps->at.line);
    else
        p->steps = s;
    s->value = expr_parse(p);
    if (p->steps == s && !p->panic &&
        constant_integer(p, s->value, "the number of steps", 1, INT64_MAX, &s->count))
        p->program->steps = s->count;
}

/* ---- all statements ----------------------------------------------------------------------- */

static const struct statement_row {
    const char *word;
    void (*parse)(parser *p, place at);
} rows[] = {
    {"grid", grid_parse},     {"real", real_parse},       {"param", param_parse},
    {"scalar", scalar_parse}, {"let", let_parse},         {"field", fields_parse},
    {"prev", initial_parse},  {"stencil", stencil_parse}, {"border", border_parse},
    {"absorb", absorb_parse}, {"mask", mask_parse},       {"inject", inject_parse},
    {"sample", sample_parse}, {"measure", measure_parse}, {"until", until_parse},
    {"steps", steps_parse},   {"output", output_parse},   {"expect", expect_parse},
    {"solve", solve_parse},
};

/* A line that begins no statement. */
static void tell_beginning(parser *p)
{
    const token *t = p->next;
    const int shown = t->length < 40 ? t->length : 40;

    if (t->kind == TOKEN_NAME && token_is(t + 1, "="))
        mistake_at(p, t->at,
                   "what is '%.*s'? An update is written %.*s' = ..., a number param "
                   "%.*s = ...",
                   shown, t->text, shown, t->text, shown, t->text);
    else if (t->kind == TOKEN_NAME)
        mistake_near(p, t, NEAR_STATEMENTS | NEAR_NAMES, "'%.*s' begins no statement",
                     shown, t->text);
    else
        syntax_mistake(p, "no statement begins so");
    if (!p->panic) {
        p->panic = true;
        skip_rest(p);
    }
}

static void parse_one(parser *p)
{
    const token *t = p->next;

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (t->kind == TOKEN_NAME && token_is(t, rows[i].word)) {
            take(p);
            rows[i].parse(p, t->at);
            return;
        }
    if (t->kind == TOKEN_NAME && token_is(t + 1, "'"))
        update_parse(p, t->at);
    else
        tell_beginning(p);
}

/* Something stands after a whole statement. */
static void tell_rest(parser *p)
{
    const token *t = p->next;
    const int shown = t->length < 40 ? t->length : 40;

    if (t->kind == TOKEN_NAME)
        mistake_near(p, t, NEAR_PARTS | NEAR_EXPRESSIONS, "'%.*s' is not expected here",
                     shown, t->text);
    else if (t->kind == TOKEN_STRING)
        mistake_at(p, t->at, "a text is not expected here");
    else if (t->kind != TOKEN_BAD)
        mistake_at(p, t->at, "'%.*s' is not expected here", shown, t->text);
    p->panic = true;
    skip_rest(p);
}

void statements_parse(parser *p)
{
    while (p->next->kind != TOKEN_END && p->mistakes.count <= MAX_MISTAKES) {
        if (p->next->kind == TOKEN_NEWLINE || token_is(p->next, ";")) {
            p->next++;
            continue;
        }
        p->panic = false;
        p->arguments = 0;
        p->mistakes_before = p->mistakes.count;
        parse_one(p);
        if (!p->panic && !at_statement_end(p))
            tell_rest(p);
    }
}
