/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations to solve: both sides, the unknown, the method with its settings, the
 * tolerance; and values from outside ("a=0.2"). */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"

/* ---- settings from outside --------------------------------------------------------- */

/* In place of the declared values of params and scalars. */

#define BLANKS " \t"

/* Length of a text without trailing blanks. */
static size_t trimmed(const char *at, size_t length)
{
    while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t'))
        length--;
    return length;
}

/* True for printable text: UTF-8 without control characters. */
static bool is_clean(const char *word)
{
    for (const char *c = word; *c; c++)
        if (((unsigned char)*c < 0x20U && *c != '\t') || *c == 0x7f)
            return false;
    return text_is_utf8(word, (int64_t)strlen(word));
}

pav_status settings_take(parser *p, const char *const *set)
{
    int64_t count = 0;

    while (set && set[count])
        count++;
    p->setting = arena_alloc(p->arena, count, sizeof *p->setting);
    for (; set && p->settings < count; p->settings++) {
        setting *s = &p->setting[p->settings];
        if (!is_clean(set[p->settings]))
            return FAIL(PAV_EINVAL,
                        "setting number %lld is not UTF-8 text or holds control "
                        "characters; it must read name=value",
                        (long long)p->settings + 1);
        const char *name = set[p->settings] + strspn(set[p->settings], BLANKS),
                   *equals = strchr(name, '=');
        size_t length = equals ? trimmed(name, (size_t)(equals - name)) : 0;
        s->varies = length > 0 && name[length - 1] == ':';
        length = trimmed(name, length - s->varies);
        if (!equals || length == 0 || equals[1 + strspn(equals + 1, BLANKS)] == '\0')
            return FAIL(PAV_EINVAL,
                        "cannot set '%s': it must read name=value, as in a=0.2",
                        set[p->settings]);
        s->name = arena_copy(p->arena, name, length);
        s->value = arena_print(p->arena, "%s", equals + 1 + strspn(equals + 1, BLANKS));
    }
    return PAV_OK;
}

/* Parses a setting's value with the names declared so far. NULL: it is invalid, and *why
 * gets the reason. */
static expr *read_value(const parser *p, setting *s)
{
    parser inner = *p;
    expr *e = NULL;
    num value;

    inner.source = s->value;
    inner.length = (int64_t)strlen(s->value);
    inner.tokens = inner.token_capacity = 0;
    inner.token = NULL;
    inner.mistakes = (mistake_list){0};
    inner.mistakes_before = 0;
    inner.panic = inner.declares = false;
    inner.frozen = true;
    if (lexer_read(&inner)) {
        e = expr_parse(&inner);
        if (!inner.panic && inner.next->kind != TOKEN_END)
            syntax_mistake(&inner, "'%.*s' is not expected there%s", inner.next->length,
                           inner.next->text,
                           *inner.next->text == ','
                               ? "; a fraction is written with a point, as in 0.1"
                               : "");
    }
    if (inner.mistakes.count == 0 && !inner.panic)
        type_check(&inner, e, false);
    if (inner.mistakes.count == 0 && !inner.panic)
        constant_need(&inner, e, "the value", &value);
    if (inner.mistakes.count == 0)
        return e;
    s->why = inner.mistakes.item[0].message;
    return NULL;
}

/* True if the word is the symbol's name. Numbers stand for letters of elements, w.1 for
 * w.y, also if the table itself is unknown, as in a printed description. */
static bool is_named(const parser *p, const symbol *s, const char *word)
{
    const char *name = s->name;

    if (symbol_find(p, word, (int)strlen(word)) == s)
        return true;
    for (; *word && (*word == *name ||
                     (name > s->name && name[-1] == '.' && *name - 'x' == *word - '0'));
         word++)
        name++;
    return !*word && !*name;
}

static void override(parser *p, symbol *s)
{
    for (int64_t i = 0; i < p->settings; i++) {
        setting *set = &p->setting[i];
        if (!is_named(p, s, set->name))
            continue;
        set->used = true;
        expr *value = read_value(p, set);
        if (value) {
            s->value = value;
            s->overridden = true;
            s->varies = set->varies && s->kind == SYMBOL_PARAM;
        }
    }
}

void value_settle(parser *p, symbol *s)
{
    if (!s->notes->bad && !p->panic)
        override(p, s);
    if (s->notes->bad)
        return;
    const constant c = constant_find(p, s->value);
    s->constant = c.known && !s->varies;
    s->number = c.value;
    if (c.known && !isfinite(c.value.v))
        report_infinite(p, s->value, &c,
                        arena_print(p->arena, "the value of '%s'", s->name));
    else if (c.early)
        mistake_at(p, c.at, "%s", c.why);
}

/* ---- afterwards -------------------------------------------------------------------- */

static pav_status report_unused(const parser *p, const setting *s)
{
    const program *tree = p->program;
    const int64_t count = tree->params.count + tree->scalars.count;
    const symbol *other = symbol_find(p, s->name, (int)strlen(s->name));
    const char **name = arena_alloc(p->arena, count, sizeof *name), *near = NULL;
    const size_t length = strlen(s->name);

    if (other && other->kind != SYMBOL_LIST)
        return FAIL(PAV_EINVAL,
                    "cannot set '%s', which is a %s; only params and scalars can be set",
                    s->name, symbol_kind_name(other->kind));
    for (int64_t i = count; i-- > 0;) {
        name[i] = i < tree->params.count
                      ? tree->params.item[i]->name
                      : tree->scalars.item[i - tree->params.count]->name;
        if (strncmp(name[i], s->name, length) == 0 && name[i][length] == '.')
            near = name[i]; /* the first element of a table */
    }
    near = near || length >= 100 ? near : text_nearest(s->name, name, count);
    return FAIL(PAV_EINVAL, "cannot set '%s': %s has no such param or scalar%s%s%s",
                s->name, p->name, near ? "; did you mean '" : "", near ? near : "",
                near ? "'?" : "");
}

pav_status settings_done(const parser *p)
{
    for (int64_t i = 0; i < p->settings; i++) {
        const setting *s = &p->setting[i];
        if (s->why)
            return FAIL(
                PAV_EINVAL, "cannot set %s to '%s': %s%s", s->name, s->value, s->why,
                strpbrk(s->value, ":,") ? "; many values are run by pavior sweep" : "");
        if (!s->used)
            return report_unused(p, s);
    }
    return PAV_OK;
}

/* ---- linearity --------------------------------------------------------------------- */

/* Both sides must be linear in the unknown. The degree of an expression is 0 (without the
 * unknown), 1 or 2 (anything beyond linear). */

typedef struct linear {
    parser *p;
    const statement *system; /* its unknowns */
    const expr *culprit;     /* the first nonlinear part */
} linear;

static int degree_of(linear *l, const expr *e);

static bool is_unknown(const statement *system, const symbol *s, int level)
{
    const statement *m = system;

    while (m && m->symbol != s)
        m = m->more;
    return m && level == system->level;
}

static int degree_of_symbol(linear *l, const expr *e)
{
    switch (e->symbol->kind) {
    case SYMBOL_FIELD: return is_unknown(l->system, e->symbol, e->level);
    case SYMBOL_ARGUMENT: return e->symbol->notes->degree;
    case SYMBOL_LET: return degree_of(l, e->symbol->value);
    default: return 0;
    }
}

static bool is_one(parser *p, const expr *e)
{
    const constant c = constant_find(p, e);

    return c.known && c.value.v == 1;
}

/* True for arguments of these degrees of which e is no linear combination. */
static bool is_beyond(linear *l, const expr *e, const int *own, int most)
{
    switch (e->kind) {
    case EXPR_REDUCE: return most > 0;
    case EXPR_UNARY: return e->op == OP_NOT && most > 0;
    case EXPR_CALL: return most > 0 && (e->function != FUNCTION_WHERE || own[0] > 0);
    case EXPR_BINARY: break;
    default: return most > 1;
    }
    if (e->op == OP_ADD || e->op == OP_SUB)
        return false;
    return e->op == OP_MUL || e->op == OP_DIV
               ? own[1] > 0 && (own[0] > 0 || e->op == OP_DIV)
               : most > 0 && (e->op != OP_POW || own[1] > 0 || !is_one(l->p, e->arg[1]));
}

static int degree_of(linear *l, const expr *e)
{
    int own[MAX_ARGUMENTS] = {0}, most = 0, weights = 0;

    if (e->kind == EXPR_SYMBOL)
        return degree_of_symbol(l, e);
    for (int k = 0; k < e->count && k < MAX_ARGUMENTS; k++) {
        own[k] = degree_of(l, e->arg[k]);
        most = int_most(most, own[k]);
    }
    if (e->kind == EXPR_APPLY) {
        int outer[MAX_ARGUMENTS];
        symbol **argument = e->symbol->argument;
        for (int i = 0; i < e->count; i++) {
            outer[i] = argument[i]->notes->degree;
            argument[i]->notes->degree = own[i];
        }
        const int result = degree_of(l, e->symbol->value);
        for (int i = 0; i < e->count; i++)
            argument[i]->notes->degree = outer[i];
        return result;
    }
    for (int i = 0; e->kind == EXPR_STENCIL && i < e->symbol->taps; i++)
        weights = int_most(weights, degree_of(l, e->symbol->tap[i].weight));
    most += weights;
    if (!is_beyond(l, e, own, most))
        return most;
    l->culprit = l->culprit ? l->culprit : e;
    return 2;
}

/* The difference of both sides must be linear, and the left side must contain an
 * unknown. */
static void check_linear(parser *p, const statement *s, const statement *system)
{
    const expr *const side[2] = {s->value, s->right};
    const char *const name[2] = {"left", "right"};

    for (int i = 0; i < 2 && !statement_is_bad(p); i++) {
        linear l = {.p = p, .system = system};
        const int degree = degree_of(&l, side[i]);
        if (i == 0 && degree == 0)
            mistake_at(
                p, side[i]->at,
                system->more
                    ? "the left side holds none of the unknowns"
                    : "the left side does not hold '%s', which is to be solved for",
                s->symbol->name);
        else if (degree > 1)
            mistake_at(p, l.culprit ? l.culprit->at : side[i]->at,
                       "the %s side must be linear in %s'%s'", name[i],
                       system->more ? "all unknowns, such as " : "", s->symbol->name);
    }
}

/* The unknown of an equation for u': the only field with its new value on the left side
 * and without an earlier equation. NULL: none, or several. */
static symbol *find_new_unknown(const reads *left)
{
    symbol *only = NULL;

    for (int64_t i = 0; i < left->count; i++) {
        symbol *s = left->item[i].symbol;
        if (s->kind != SYMBOL_FIELD || left->item[i].level != 1 || s->notes->equation)
            continue;
        if (only && only != s)
            return NULL;
        only = s;
    }
    return only;
}

/* The vector or complex field that a field is a part of; or NULL. */
static symbol *whole_of(parser *p, const symbol *s)
{
    symbol *of = symbol_find(p, s->name, (int)strcspn(s->name, "."));

    return of && of->kind == SYMBOL_LIST ? of : NULL;
}

/* The unknown of a solve statement, if the statement does not name it; NULL: unclear.
 * parts: it is a vector or complex field. */
static symbol *find_unknown(parser *p, const reads *left, bool parts)
{
    symbol *only = NULL, *empty = NULL;
    bool several = false, empties = false;

    for (int64_t i = 0; i < left->count; i++) {
        symbol *field = left->item[i].symbol, *s = parts ? whole_of(p, field) : field;
        if (!s || field->kind != SYMBOL_FIELD || left->item[i].reach.reduced)
            continue;
        several |= only && only != s;
        only = s;
        if (field->value || field->file)
            continue;
        empties |= empty && empty != s;
        empty = s;
    }
    return !several ? only : !empties ? empty : NULL;
}

/* ---- equations to solve ------------------------------------------------------------ */

static const char *const methods[] = {"auto",      "jacobi",   "chebyshev", "sor",
                                      "cg",        "bicgstab", "gmres",     "minres",
                                      "multigrid", "vcycle",   "transform", "async-0",
                                      "async-1",   "async-2",  "async-3"};

static void parse_option(parser *p, statement *s)
{
    const token *name = expect_name(p, "a setting");

    if (!name)
        return;
    solve_option o = {.name = token_text(p, name), .at = name->at};
    expect_on(p, "=");
    /* A word or a number. */
    num value = {0};
    if (p->next->kind == TOKEN_NAME &&
        (token_is(p->next + 1, ",") || token_is(p->next + 1, ")")))
        o.word = token_text(p, take(p));
    else if (constant_need(p, expr_parse(p), "a setting of a method", &value))
        o.number = num_f64(value);
    for (int k = 0; k < s->options; k++)
        if (strcmp(s->option[k].name, o.name) == 0)
            mistake_at(p, name->at, "'%s' is given twice", o.name);
    if (s->options == MAX_SOLVE_OPTIONS)
        mistake_at(p, name->at, "a method takes at most %d settings", MAX_SOLVE_OPTIONS);
    else
        s->option[s->options++] = o;
}

static void parse_solver(parser *p, statement *s)
{
    const token *t = expect_name(p, "a method");

    if (!t)
        return;
    char *word = token_text(p, t);

    if (strcmp(word, "async") == 0 && token_is(p->next, "-") &&
        p->next[1].kind == TOKEN_NUMBER) {
        take(p);
        word = arena_print(p->arena, "async-%s", token_text(p, take(p)));
    }

    s->method = word;
    if (word_find(methods, (int)COUNT_OF(methods), s->method, (int)strlen(s->method)) < 0)
        mistake_at(p, t->at,
                   "'%.40s' is no method; there are auto, jacobi, chebyshev, sor, cg, "
                   "minres, bicgstab, gmres, multigrid, vcycle, transform and async-0, "
                   "-1, -2 and -3%s",
                   s->method, did_you_mean(p, s->method, methods, COUNT_OF(methods)));
    if (!accept(p, "("))
        return;
    do
        parse_option(p, s);
    while (!p->panic && accept_on(p, ","));
    expect(p, ")");
}

static bool holds(const symbol *unknown, int level, const reads *left)
{
    for (int64_t i = 0; i < left->count; i++)
        if (left->item[i].symbol == unknown && left->item[i].level == level)
            return true;
    return false;
}

static void claim(parser *p, statement *s, symbol *unknown)
{
    struct symbol_notes *notes = unknown->notes;
    const statement *other = s->level && notes->equation ? notes->equation
                                                         : notes->solver;

    if (other)
        mistake_at(p, s->at, "'%s' is %s in line %d already", unknown->name,
                   other->kind == STATEMENT_SOLVE ? "solved for" : "computed",
                   other->at.line);
    if (!s->level) {
        notes->solver = s;
        return;
    }
    notes->equation = s;
    notes->equation_number = ++p->equations;
    unknown->updated = true;
}

/* ---- systems ----------------------------------------------------------------------- */

/* Equation k of a system belongs to its unknown k. The first equation is the statement
 * itself. */

/* Both sides of an equation. Lists stand for an equation of each part. */
static statement *equation_parse(parser *p, statement *s, statement *last)
{
    expr *left = expr_parse_any(p), *right;

    expect_on(p, "=");
    right = expr_parse_any(p);
    const expr *list = left->kind == EXPR_LIST ? left : right;
    const int parts = list->kind == EXPR_LIST ? list->count : 1;
    p->is_complex = left->is_complex || right->is_complex;
    for (int k = 0; k < parts && !p->panic; k++) {
        statement *m = s;
        if (s->value) {
            m = last->more = arena_alloc(p->arena, 1, sizeof *m);
            *m = (statement){.kind = s->kind, .at = s->at};
        }
        m->value = list_turn(p, left, parts, k);
        m->right = list_turn(p, right, parts, k);
        last = m;
    }
    return last;
}

static bool another_follows(parser *p)
{
    bool any = false;

    for (; p->next->inside && (next_is(p, ";") || p->next->kind == TOKEN_NEWLINE);
         any = true)
        take(p);
    return any && !p->panic && !next_is(p, "}");
}

/* Appends a field, or all fields of a list. */
static int add_unknown(parser *p, symbol *unknown, symbol **all, int count)
{
    for (int k = 0; unknown->kind == SYMBOL_LIST && k < unknown->parts; k++)
        count = add_unknown(p, list_part(p, unknown, k), all, count);
    if (unknown->kind != SYMBOL_LIST && count++ < MAX_UNKNOWNS)
        all[count - 1] = unknown;
    return count;
}

/* The fields behind `for`. */
static int unknowns_parse(parser *p, symbol **all)
{
    int count = 0;

    do {
        symbol *s = symbol_find(p, p->next->text, p->next->length);
        if (s && s->kind == SYMBOL_LIST && !s->notes->bad)
            take(p);
        else
            s = field_parse(p);
        if (s)
            count = add_unknown(p, s, all, count);
    } while (accept_on(p, ","));
    return count;
}

/* All parts of the vector or complex field that several equations solve for, if the
 * statement does not name it; 0: unclear. */
static int find_parts(parser *p, const reads *left, symbol **all)
{
    for (int64_t i = 0; i < left->count; i++) {
        symbol *of = whole_of(p, left->item[i].symbol);
        if (left->item[i].level == 1 && !left->item[i].symbol->notes->equation && of)
            return add_unknown(p, of, all, 0);
    }
    symbol *of = find_unknown(p, left, true);
    return of ? add_unknown(p, of, all, 0) : 0;
}

static bool give_unknowns(parser *p, statement *s, const reads *left, symbol **stated,
                          int unknowns)
{
    int equations = 0;

    for (const statement *m = s; m; m = m->more)
        equations++;
    if (unknowns == 0 && equations == 1)
        stated[unknowns++] = find_new_unknown(left);
    else if (unknowns == 0)
        unknowns = find_parts(p, left, stated);
    if (equations == 1 && !stated[0])
        stated[0] = find_unknown(p, left, false);
    if (unknowns == 0 || !stated[0])
        return mistake_at(
            p, s->at,
            "what is solved for? 'for u' after the right side says it, also "
            "of a vector or complex u, 'for a, b' after two equations, and "
            "other fields are read without '");
    if (unknowns > MAX_UNKNOWNS || equations != unknowns)
        return mistake_at(p, s->at,
                          "%d equation%s for %d unknown%s: each of at most %d unknowns "
                          "has an equation of its own",
                          equations, equations == 1 ? "" : "s", unknowns,
                          unknowns == 1 ? "" : "s", MAX_UNKNOWNS);
    for (statement *m = s; m; m = m->more) {
        m->symbol = *stated++;
        s->level |= holds(m->symbol, 1, left); /* it belongs to the time step */
    }
    return true;
}

static bool check_solve(parser *p, statement *s, const expr *tolerance, symbol **stated,
                        int unknowns)
{
    reads *left = reads_new(p);

    if (constant_need(p, tolerance, "the tolerance", &s->tolerance) &&
        !(s->tolerance.v > 0 && s->tolerance.v <= 1))
        mistake_at(p, tolerance->at,
                   "the tolerance is a part of the residual at the start: larger than 0 "
                   "and at most 1, not %.12g",
                   s->tolerance.v);
    for (const statement *m = s; m; m = m->more) {
        type_check(p, m->value, false);
        reads_collect(p, m->value, left);
    }
    if (statement_is_bad(p) || !give_unknowns(p, s, left, stated, unknowns))
        return false;
    const context where = s->level ? CONTEXT_SOLVE_STEP : CONTEXT_SOLVE;
    for (const statement *m = s; m; m = m->more) {
        expr_check(p, m->value, false, where, s->symbol->coarse, reads_new(p));
        expr_check(p, m->right, false, where, s->symbol->coarse, reads_new(p));
    }
    if (statement_is_bad(p))
        return false;
    for (statement *m = s; m; m = m->more) {
        m->level = s->level;
        reads_collect(p, m->value, p->reads);
        reads_collect(p, m->right, p->reads);
        check_linear(p, m, s);
        if (s->more && !holds(m->symbol, s->level, left))
            mistake_at(p, s->at, "no left side holds %s%s, which is to be solved for",
                       m->symbol->name, s->level ? "'" : "");
        claim(p, s, m->symbol);
    }
    return true;
}

bool solve_parse(parser *p, statement *s)
{
    symbol *stated[MAX_UNKNOWNS] = {NULL};
    statement *last = s;
    int unknowns = 0;

    if (accept_on(p, "{")) {
        const token *open = p->next - 1;
        do
            last = equation_parse(p, s, last);
        while (another_follows(p));
        expect_closed(p, open, "}");
    } else {
        (void)equation_parse(p, s, s);
    }
    if (accept(p, "for"))
        unknowns = unknowns_parse(p, stated);
    expect(p, "by");
    parse_solver(p, s);
    expect(p, "to");
    const expr *tolerance = expr_parse(p);
    return !p->panic && check_solve(p, s, tolerance, stated, unknowns);
}
