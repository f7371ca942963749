/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses all statements one after the other. This file contains the equations and the
 * statements about the length of a run. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- computing --------------------------------------------------------------------- */

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
    if (!statement_ends(p) || !s->symbol)
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
    if (next_is(p, "'"))
        syntax_mistake(p,
                       "an equation gives the value after a step, u' = ...; older values "
                       "are prev(u), as in u' = 2*u - prev(u) + ...");
    expect_on(p, "=");
    s->value = expr_parse(p);
    if (!statement_ends(p) || !s->symbol)
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
    if (statement_ends(p))
        expr_check(p, s->value, true, CONTEXT_AFTER, false, r);
    statement_check(p, s, r);
}

static void expect_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_EXPECT, at);
    reads *r = reads_new(p);

    s->value = expr_parse(p);
    if (statement_ends(p))
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

/* chaotic 7 by 64 */
static void chaotic_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_CHAOTIC, at);
    program *tree = p->program;

    if (tree->chaotic)
        mistake_at(p, at, "'chaotic' stands twice");
    s->value = expr_parse(p);
    if (!p->panic)
        constant_integer(p, s->value, "the steps that blocks do not wait", 2, 256,
                         &tree->chaotic);
    if (!expect_on(p, "by"))
        return;
    s->every = expr_parse(p);
    if (!p->panic)
        constant_integer(p, s->every, "the points of a block", 1, INT32_MAX,
                         &tree->chaotic_block);
    (void)statement_ends(p);
}

/* checkpoint every 1000 into "heat.checkpoint" */
static void checkpoint_parse(parser *p, place at)
{
    const statement *other = p->program->first;
    statement *s = statement_new(p, STATEMENT_CHECKPOINT, at);

    while (every_parse(p, s) || file_parse(p, s))
        continue;
    if (!statement_ends(p))
        return;
    if (!s->every)
        mistake_at(p, at, "how often? 'checkpoint every 1000' says it");
    while (other && other->kind != STATEMENT_CHECKPOINT)
        other = other->next;
    if (other && other != s)
        mistake_at(p, at, "'checkpoint' stands in line %d already", other->at.line);
    statement_check(p, s, reads_new(p));
}

/* ---- all statements ---------------------------------------------------------------- */

static const struct statement_row {
    const char *word;
    void (*parse)(parser *p, place at);
    bool declares; /* several names may follow */
} rows[] = {
    {"grid", grid_parse, false},     {"real", real_parse, false},
    {"param", param_parse, true},    {"scalar", scalar_parse, true},
    {"let", let_parse, true},        {"field", fields_parse, true},
    {"prev", initial_parse, false},  {"stencil", stencil_parse, false},
    {"border", border_parse, false}, {"absorb", absorb_parse, false},
    {"mask", mask_parse, false},     {"inject", inject_parse, false},
    {"sample", sample_parse, false}, {"measure", measure_parse, false},
    {"until", until_parse, false},   {"steps", steps_parse, false},
    {"output", output_parse, false}, {"expect", expect_parse, false},
    {"solve", solve_parse, false},   {"checkpoint", checkpoint_parse, false},
    {"coarse", coarse_parse, false}, {"chaotic", chaotic_parse, false},
};

/* Reports a line without a statement. Its names count as declared, because the line may
 * be a misspelt declaration. */
static void report_beginning(parser *p)
{
    const token *t = p->next;
    const int shown = t->length < 40 ? t->length : 40;

    p->declares = true;
    if (p->grid && t->kind == TOKEN_NAME && t->length == 1 &&
        strchr(axis_letters, *t->text)) {
        syntax_mistake(p, "axes stand in one statement, with commas between: grid x 100, "
                          "y 100");
    } else if (t->kind == TOKEN_NAME && t[1].kind == TOKEN_BAD) {
        p->next++;
        syntax_mistake(p, "unknown statement");
    } else if (t->kind == TOKEN_NAME && token_is(t + 1, "=")) {
        syntax_mistake(p,
                       "what is '%.*s'? An update is written %.*s' = ..., a number param "
                       "%.*s = ...",
                       shown, t->text, shown, t->text, shown, t->text);
    } else if (t->kind == TOKEN_NAME && foreign_statement(p, t)) {
        syntax_mistake(p, "%s", foreign_statement(p, t));
    } else if (t->kind == TOKEN_NAME) {
        mistake_near(p, t, NEAR_STATEMENTS | NEAR_FIELDS, "unknown statement '%.*s'",
                     shown, t->text);
        p->next++;
        p->panic = true;
        skip_rest(p);
    } else {
        syntax_mistake(p, "unknown statement");
    }
}

static void parse_one(parser *p)
{
    const token *t = p->next;

    if (p->on_mesh && mesh_statement_parse(p, t))
        return;
    if (t->kind == TOKEN_NAME && token_is(t + 1, "'")) {
        update_parse(p, t->at);
        return;
    }
    for (size_t i = 0; !p->on_mesh && i < COUNT_OF(rows); i++)
        if (t->kind == TOKEN_NAME && token_is(t, rows[i].word)) {
            take(p);
            p->declares = rows[i].declares;
            rows[i].parse(p, t->at);
            return;
        }
    report_beginning(p);
}

void statements_parse(parser *p)
{
    while (p->next->kind != TOKEN_END && p->mistakes.count <= MAX_MISTAKES) {
        if (p->next->kind == TOKEN_NEWLINE || token_is(p->next, ";")) {
            p->next++;
            continue;
        }
        p->panic = p->declares = false;
        p->arguments = 0;
        p->mistakes_before = p->mistakes.count;
        parse_one(p);
        statement_ends(p);
    }
}
