/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations to solve: both sides, the unknown, the method with its settings, the
 * tolerance. */
#include <string.h>

#include "lang/lang_private.h"

static const char *const methods[] = {"auto",    "jacobi",    "chebyshev", "sor",
                                      "cg",      "multigrid", "vcycle",    "async-0",
                                      "async-1", "async-2",   "async-3"};

/* A word or a number. */
static void parse_option_value(parser *p, solve_option *o)
{
    num value = {0};

    if (p->next->kind == TOKEN_NAME &&
        (token_is(p->next + 1, ",") || token_is(p->next + 1, ")")))
        o->word = token_text(p, take(p));
    else if (constant_need(p, expr_parse(p), "a setting of a method", &value))
        o->number = num_f64(value);
}

static void parse_option(parser *p, statement *s)
{
    const token *name = expect_name(p, "a setting");

    if (!name)
        return;
    solve_option o = {.name = token_text(p, name), .at = name->at};
    expect_on(p, "=");
    parse_option_value(p, &o);
    for (int k = 0; k < s->options; k++)
        if (strcmp(s->option[k].name, o.name) == 0)
            mistake_at(p, name->at, "'%s' is given twice", o.name);
    if (s->options == MAX_SOLVE_OPTIONS)
        mistake_at(p, name->at, "a method takes at most %d settings", MAX_SOLVE_OPTIONS);
    else
        s->option[s->options++] = o;
}

/* Parses (cycle = F, pre = 2). The method gives the names their meaning. */
static void parse_options(parser *p, statement *s)
{
    do {
        parse_option(p, s);
    } while (!p->panic && accept_on(p, ","));
    expect(p, ")");
}

/* Joins the tokens of a method: async-2 consists of a name, a sign and a number. */
static char *take_method(parser *p, const token *name)
{
    char *word = token_text(p, name);

    if (strcmp(word, "async") == 0 && token_is(p->next, "-") &&
        p->next[1].kind == TOKEN_NUMBER) {
        take(p);
        word = arena_print(p->arena, "async-%s", token_text(p, take(p)));
    }
    return word;
}

static void parse_solver(parser *p, statement *s)
{
    const token *t = expect_name(p, "a method");

    if (!t)
        return;
    s->method = take_method(p, t);
    if (word_find(methods, (int)COUNT_OF(methods), s->method, (int)strlen(s->method)) <
        0) {
        const char *near = text_nearest(s->method, methods, COUNT_OF(methods));
        mistake_at(p, t->at,
                   "'%.40s' is no method; there are auto, jacobi, chebyshev, sor, cg, "
                   "multigrid, vcycle and async-0, -1, -2 and -3%s%s%s",
                   s->method, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
    }
    if (accept(p, "("))
        parse_options(p, s);
}

/* Marks an equation for u': it belongs to the time step. */
static bool is_in_step(const symbol *unknown, const reads *left)
{
    for (int64_t i = 0; i < left->count; i++)
        if (left->item[i].symbol == unknown && left->item[i].level == 1)
            return true;
    return false;
}

static void claim(parser *p, statement *s, place at)
{
    struct symbol_notes *notes = s->symbol->notes;
    const statement *other = s->level && notes->equation ? notes->equation
                                                         : notes->solver;

    if (other)
        mistake_at(p, at, "'%s' is %s in line %d already", s->symbol->name,
                   other->kind == STATEMENT_SOLVE ? "solved for" : "computed",
                   other->at.line);
    if (!s->level) {
        notes->solver = s;
        return;
    }
    notes->equation = s;
    notes->equation_number = ++p->equations;
    s->symbol->updated = true;
}

static void check_solve(parser *p, statement *s, const expr *tolerance, symbol *stated,
                        place at)
{
    reads *left = reads_new(p), *r = reads_new(p);

    if (constant_need(p, tolerance, "the tolerance", &s->tolerance) &&
        !(s->tolerance.v > 0 && s->tolerance.v <= 1))
        mistake_at(p, tolerance->at,
                   "the tolerance is a part of the residual at the start: larger than 0 "
                   "and at most 1, not %.12g",
                   s->tolerance.v);
    type_check(p, s->value, false);
    reads_collect(p, s->value, left);
    s->symbol = stated ? stated : solve_new(left);
    if (!s->symbol)
        s->symbol = solve_unknown(left);
    if (!s->symbol) {
        if (!statement_is_bad(p))
            mistake_at(p, at, "what is solved for? 'for u' after the right side says it");
        return;
    }
    s->level = is_in_step(s->symbol, left);
    const context where = s->level ? CONTEXT_SOLVE_STEP : CONTEXT_SOLVE;
    expr_check(p, s->value, false, where, s->symbol->coarse, reads_new(p));
    expr_check(p, s->right, false, where, s->symbol->coarse, reads_new(p));
    if (statement_is_bad(p))
        return;
    reads_collect(p, s->value, r);
    reads_collect(p, s->right, r);
    linear_check(p, s);
    claim(p, s, at);
    statement_check(p, s, r);
}

void solve_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_SOLVE, at);
    symbol *stated = NULL;
    bool named = false;

    s->value = expr_parse(p);
    expect_on(p, "=");
    s->right = expr_parse(p);
    if (accept(p, "for")) {
        stated = field_parse(p);
        named = true;
    }
    expect(p, "by");
    parse_solver(p, s);
    expect(p, "to");
    const expr *tolerance = expr_parse(p);
    if (!p->panic && !(named && !stated))
        check_solve(p, s, tolerance, stated, at);
}
