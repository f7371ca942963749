/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions: operators by precedence. Nesting, length and size (with lets inlined) are
 * limited, so that trees can be visited recursively and inlining terminates. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"

/* ---- primaries --------------------------------------------------------------------- */

/* Numbers and names, with their marks, and words for files of bare values. */

/* ---- names ------------------------------------------------------------------------- */

static expr *build_builtin(parser *p, const token *name, int builtin)
{
    static const int axes[BUILTIN_COUNT] = {
        [BUILTIN_Y] = 1,  [BUILTIN_HY] = 1, [BUILTIN_NY] = 1, [BUILTIN_Z] = 2,
        [BUILTIN_HZ] = 2, [BUILTIN_NZ] = 2, [BUILTIN_IY] = 1, [BUILTIN_IZ] = 2,
    };

    if (p->builtin_at[builtin].line == 0)
        p->builtin_at[builtin] = name->at;
    if (p->dim > 0 && axes[builtin] >= p->dim)
        mistake_at(p, name->at, "'%s' needs an axis %c, and the grid has none",
                   builtin_names[builtin], axis_letters[axes[builtin]]);
    return expr_make(p, name->at,
                     (expr){.kind = EXPR_BUILTIN, .builtin = (builtin_kind)builtin}, 0,
                     NULL);
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
    if (s->kind == SYMBOL_INDEX) {
        if (!s->constant)
            mistake_at(p, name->at, "'%s' has a value only in its list", s->name);
        return number_new(p, name->at, s->number);
    }
    if (s->kind == SYMBOL_STENCIL || (s->kind == SYMBOL_LET && s->arguments > 0))
        return EXPR_MISTAKE(p, name->at, "'%s' is a %s; it needs %s, as in %s(u)",
                            s->name,
                            s->kind == SYMBOL_LET ? "let with arguments" : "stencil",
                            s->arguments > 1 ? "its arguments" : "an argument", s->name);
    return list_value(p, name->at, s);
}

/* The symbol of a name. A value does not hide the function of its name: max(max). */
static symbol *find_symbol(parser *p, const token *name)
{
    symbol *s = symbol_find(p, name->text, name->length);
    const bool calls = s && (s->kind == SYMBOL_STENCIL || s->arguments > 0),
               word = word_is_call(name->text, name->length) || list_is_call(p, name) ||
                      complex_is_call(p, name);

    return s && !calls && !s->notes->bad && next_is(p, "(") && word ? NULL : s;
}

static expr *parse_name(parser *p)
{
    const token *name = take(p);
    symbol *s = find_symbol(p, name);
    const int builtin = word_find(builtin_names, BUILTIN_COUNT, name->text, name->length);

    if (!s && builtin < 0 && word_is_known(name->text, name->length)) {
        expr *own = call_parse(p, name);
        if (own)
            return own;
        p->next = p->panic ? p->next : name;
        syntax_mistake(p, "an expression is missing; '%.*s' is %s", name->length,
                       name->text, word_purpose(p, name));
        return expr_unknown(p, name->at);
    }
    if (s)
        return build_symbol(p, name, s);
    if (p->derived && token_is(name, "transform"))
        return call_parse(p, name);
    if (mesh_is_call(p, name))
        return mesh_call_parse(p, name);
    if (list_is_call(p, name))
        return list_call_parse(p, name);
    if (complex_is_call(p, name))
        return complex_call_parse(p, name);
    return p->has_complex && token_is(name, "i") ? complex_unit(p, name->at)
           : builtin >= 0                        ? build_builtin(p, name, builtin)
                                                 : unknown_name(p, name);
}

static expr *parse_number(parser *p)
{
    const token *t = take(p);
    num value = num_int(1);

    if (!num_parse(t->text, (size_t)t->length, &value) || !isfinite(value.v))
        mistake_at(p, t->at, "the number %.*s is too large", int_least(t->length, 40),
                   t->text);
    return number_new(p, t->at, value);
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
    if (accept(p, "["))
        return list_parse(p, t);
    if (at_statement_end(p))
        report_end(p);
    else if (t->kind == TOKEN_STRING)
        syntax_mistake(p, "an expression is missing; a text stands here");
    else
        syntax_mistake(
            p, "an expression is missing; '%.*s' stands here%s", t->length, t->text,
            token_is(t, "=") && word_is_in(t - 1, NEAR_STATEMENTS) ? ", write no '='"
                                                                   : "");
    return expr_unknown(p, t->at);
}

/* ---- shifts ------------------------------------------------------------------------ */

/* u' */
static expr *mark_new(parser *p, expr *e)
{
    for (int i = 0; e->kind == EXPR_LIST && i < e->count; i++)
        mark_new(p, e->arg[i]);
    if (e->kind == EXPR_LIST || (e->kind == EXPR_SYMBOL && e->symbol->notes->bad))
        return e;
    if (e->kind == EXPR_SYMBOL && e->level == 0 &&
        (e->symbol->kind == SYMBOL_FIELD || e->symbol->kind == SYMBOL_SCALAR))
        e->level = 1;
    else
        mistake_at(p, e->at, "' follows only the name of a field or scalar, as in u'");
    return e;
}

int offsets_parse(parser *p, const token *open, int offset[MAX_DIM])
{
    int count = 0;

    do {
        const place at = p->next->at;
        int64_t step = 0;
        expr *value = expr_parse_inside(p), **each = &value;
        const int values = value->kind == EXPR_LIST ? value->count : 1;
        if (value->kind == EXPR_LIST)
            each = value->arg;
        for (int i = 0; i < values; i++) {
            if (!p->panic &&
                constant_integer(p, each[i], "an offset", -MAX_OFFSET, MAX_OFFSET,
                                 &step) &&
                count < MAX_DIM)
                offset[count] = (int)step;
            if (count++ == MAX_DIM && p->dim == 0)
                mistake_at(p, at, "a grid has at most %d axes", MAX_DIM);
        }
    } while (accept(p, ","));
    expect_closed(p, open, "]");
    if (!p->panic && p->dim > 0 && count != p->dim)
        mistake_at(p, open->at, "%d offset%s for a grid of %d ax%s", count,
                   count == 1 ? "" : "s", p->dim, p->dim == 1 ? "is" : "es");
    return int_least(count, MAX_DIM);
}

static expr *parse_shift(parser *p, expr *inner, const token *open)
{
    expr like = {.kind = EXPR_SHIFT};

    like.order = offsets_parse(p, open, like.offset);
    return expr_make(p, inner->at, like, 1, &inner);
}

/* a list of params */
static bool is_table(const expr *e)
{
    const bool list = e->kind == EXPR_LIST && !e->is_complex;

    while (e->kind == EXPR_LIST)
        e = e->arg[0];
    return list && e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_PARAM;
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
            e = is_table(e) ? list_element(p, e, t, "]") : parse_shift(p, e, t);
        else if (accept(p, "."))
            e = list_part_parse(p, e);
        else
            break;
    }
    return e;
}

/* ---- operators --------------------------------------------------------------------- */

enum {
    ALL_SIZES = 16
}; /* times MAX_SIZE, of all expressions of a description together */

expr *expr_new(parser *p, expr_kind kind, place at)
{
    expr *e = arena_alloc(p->arena, 1, sizeof *e);

    *e = (expr){.kind = kind, .at = at, .size = 1, .height = 1};
    if (++p->nodes == MAX_NODES_WRITTEN)
        syntax_mistake(
            p, "this expression is longer than %d terms; %s", MAX_NODES_WRITTEN,
            p->has_complex
                ? "products, quotients and powers of complex numbers repeat "
                  "their operands: name the operand, as in let q = a/b, then q^5, or a "
                  "part of the power, as in let q = psi^31, then q^33 for psi^1023"
                : "a stencil or let is shorter");
    return e;
}

expr *expr_make(parser *p, place at, expr like, int count, expr *const *arg)
{
    expr *e = expr_new(p, like.kind, at);

    like.at = at;
    like.size = like.height = 1;
    *e = like;
    expr_arguments(p, e, count, arg);
    expr_close(p, e);
    return e;
}

expr *expr_unknown(parser *p, place at)
{
    return expr_make(p, at, (expr){.kind = EXPR_SYMBOL, .symbol = p->unknown}, 0, NULL);
}

void expr_arguments(parser *p, expr *e, int count, expr *const *arg)
{
    e->count = count;
    e->arg = arena_alloc(p->arena, count, sizeof(expr *));
    for (int k = 0; k < count; k++)
        e->arg[k] = arg[k];
}

/* The place from the left operand to the end of the right operand, if both are on one
 * line. */
static place spanned(place left, place right)
{
    if (right.line == left.line && right.column > left.column)
        left.length = right.column + right.length - left.column;
    return left;
}

expr *expr_unary(parser *p, op_kind op, place at, expr *arg)
{
    return expr_make(p, spanned(at, arg->at), (expr){.kind = EXPR_UNARY, .op = op}, 1,
                     &arg);
}

expr *expr_binary(parser *p, op_kind op, expr *left, expr *right)
{
    return expr_make(p, spanned(left->at, right->at),
                     (expr){.kind = EXPR_BINARY, .op = op}, 2, (expr *[]){left, right});
}

/* ---- sizes ------------------------------------------------------------------------- */

/* Number of copies of an expression's argument once written out. */
static double repeats(const parser *p, const expr *e)
{
    double taps = 1;

    if (e->kind == EXPR_STENCIL)
        return e->symbol->taps;
    if (e->kind == EXPR_LAPLACE)
        return (double)(e->order + 1) * (p->dim > 0 ? p->dim : MAX_DIM);
    if (e->kind == EXPR_TRANSFER)
        return 1 << (2 * (p->dim > 0 ? p->dim : MAX_DIM));
    for (int i = 0; e->kind == EXPR_DERIVE && i < MAX_DIM; i++)
        if (e->derivative[i] > 0)
            taps *= e->order + e->derivative[i];
    return taps;
}

/* Makes an operation on lists a list of operations; false: it is none. */
static bool list_spread(parser *p, expr *e)
{
    const expr *list = NULL, *complex = NULL;
    bool fits = true;

    for (int i = 0; i < e->count; i++) {
        const expr *other = list;
        complex = e->arg[i]->is_complex ? e->arg[i] : complex;
        list = e->arg[i]->kind == EXPR_LIST && !e->arg[i]->is_complex ? e->arg[i] : list;
        if (other && other->count != list->count)
            fits = mistake_at(p, list->at,
                              "a list of %d and one of %d cannot be combined",
                              other->count, list->count);
    }
    if (!list && (!complex || complex_close(p, e)))
        return complex != NULL;
    const expr *whole = list ? list : complex;
    expr **part = arena_alloc(p->arena, whole->count, sizeof *part);
    for (int i = 0; i < whole->count && fits; i++) {
        part[i] = expr_new(p, e->kind, e->at);
        *part[i] = *e;
        expr_arguments(p, part[i], e->count, e->arg);
        for (int k = 0; k < e->count; k++)
            part[i]->arg[k] = e->arg[k]->kind == EXPR_LIST &&
                                      e->arg[k]->is_complex == whole->is_complex
                                  ? e->arg[k]->arg[i]
                              : i > 0 ? expr_copy(p, e->arg[k])
                                      : e->arg[k];
        expr_close(p, part[i]);
    }
    *e = fits ? *list_new(p, e->at, whole->count, part) : *expr_unknown(p, e->at);
    e->is_complex = fits && whole->is_complex;
    return true;
}

void expr_close(parser *p, expr *e)
{
    if (list_spread(p, e))
        return;
    const symbol *s = e->symbol;
    const bool let = (e->kind == EXPR_SYMBOL || e->kind == EXPR_APPLY) &&
                     s->kind == SYMBOL_LET && s->value;
    const int taps = e->kind == EXPR_STENCIL ? s->taps : 0;
    int height = 0, named_height = let ? s->value->height : 0;
    /* compiled once, however often derived programs name it; their texts are ours */
    const bool once = let && p->derived && e->kind == EXPR_SYMBOL;
    double size = 0, named_size = let && !once ? (double)s->value->size : 1;

    for (int i = 0; i < e->count; i++) {
        height = int_most(height, e->arg[i]->height);
        size += (double)e->arg[i]->size;
    }
    for (int i = 0; i < taps; i++) {
        named_height = int_most(named_height, s->tap[i].weight->height);
        named_size += (double)s->tap[i].weight->size;
    }
    size *= repeats(p, e);
    if (e->kind == EXPR_APPLY && let) {
        size = 0;
        for (int i = 0; i < e->count && i < s->arguments; i++)
            size += s->argument[i]->notes->uses * (double)(e->arg[i]->size - 1);
    }
    size += named_size;
    height += 1 + named_height;
    e->size = size > MAX_SIZE ? 1 : (int64_t)size;
    e->height = height > MAX_HEIGHT ? 1 : height;
    if (size > MAX_SIZE)
        mistake_at(p, e->at,
                   "written out, with lets and derivatives in place, this expression "
                   "has more than %d terms",
                   MAX_SIZE);
    else if (height > MAX_HEIGHT)
        mistake_at(p, e->at,
                   "with its lets in place, this expression is more than %d levels deep",
                   MAX_HEIGHT);
}

/* Number of uses of a let's argument in its value, with lets inlined. */
double argument_uses(const parser *p, const expr *e, const symbol *argument)
{
    double uses = e->kind == EXPR_SYMBOL && e->symbol == argument;

    for (int i = 0; i < e->count; i++) {
        const bool applied = e->kind == EXPR_APPLY && i < e->symbol->arguments;
        const double times = applied ? e->symbol->argument[i]->notes->uses : 1;
        uses += times * argument_uses(p, e->arg[i], argument);
    }
    return uses * repeats(p, e);
}

/* ---- parsing ----------------------------------------------------------------------- */

static expr *parse_unary(parser *p);
static expr *parse_binary(parser *p, int least);

/* Parses an inner expression, or the operand of a sign or of `^`. */
static expr *parse_deeper(parser *p, int least)
{
    const place at = p->next->at;
    expr *e;

    if (p->depth++ < MAX_DEPTH) {
        e = least == PRECEDENCE_UNARY ? parse_unary(p) : parse_binary(p, least);
    } else {
        syntax_mistake(p, "this expression is nested deeper than %d levels", MAX_DEPTH);
        e = expr_unknown(p, at);
    }
    p->depth--;
    return e;
}

expr *expr_parse_inside(parser *p)
{
    return parse_deeper(p, PRECEDENCE_OR);
}

static expr *parse_unary(parser *p)
{
    const place at = p->next->at;

    if (accept_on(p, "-"))
        return expr_unary(p, OP_NEG, at, parse_deeper(p, PRECEDENCE_UNARY));
    if (accept_on(p, "+"))
        return parse_deeper(p, PRECEDENCE_UNARY);
    expr *base = primary_parse(p);
    return accept_on(p, "^")
               ? expr_binary(p, OP_POW, base, parse_deeper(p, PRECEDENCE_UNARY))
               : base;
}

static expr *parse_prefix(parser *p, int least)
{
    const place at = p->next->at;

    if (!next_is(p, "not"))
        return parse_unary(p);
    if (least > PRECEDENCE_NOT) {
        syntax_mistake(p, "'not' needs parentheses here: (not ...)");
        return expr_unknown(p, at);
    }
    accept_on(p, "not");
    return expr_unary(p, OP_NOT, at, parse_binary(p, PRECEDENCE_COMPARE));
}

/* The next token's binary operator, or -1. */
static int next_operator(const parser *p)
{
    if (p->panic || (p->next->kind != TOKEN_SIGN && p->next->kind != TOKEN_NAME))
        return -1;
    for (int op = OP_ADD; op <= OP_MOD; op++)
        if (op != OP_POW && next_is(p, operator_table[op].sign))
            return op;
    return -1;
}

static expr *parse_binary(parser *p, int least)
{
    expr *left = parse_prefix(p, least);
    bool compared = false;

    for (;;) {
        const int op = next_operator(p);
        if (op < 0 || operator_table[op].precedence < least)
            return left;
        const bool compares = operator_table[op].precedence == PRECEDENCE_COMPARE;
        if (compares && compared)
            syntax_mistake(
                p, "comparisons do not follow one another; write a < b and b < c");
        compared = compares;
        accept_on(p, operator_table[op].sign);
        expr *right = parse_binary(p, operator_table[op].precedence + 1);
        left = op == OP_MOD ? expr_call(p, spanned(left->at, right->at), FUNCTION_MOD, 2,
                                        (expr *[]){left, right})
                            : expr_binary(p, (op_kind)op, left, right);
    }
}

static expr *parse_whole(parser *p, int least)
{
    p->depth = 0;
    p->nodes = 0;
    expr *e = parse_binary(p, least);
    p->size += e->size;
    if (p->size > (int64_t)ALL_SIZES * MAX_SIZE) {
        p->size = 0;
        mistake_at(p, e->at,
                   "written out, the expressions so far have more than %lld terms",
                   (long long)ALL_SIZES * MAX_SIZE);
    }
    return e;
}

expr *expr_parse_any(parser *p)
{
    return parse_whole(p, PRECEDENCE_OR);
}

expr *expr_parse_part(parser *p)
{
    return list_turn(p, expr_parse_any(p), p->numbers ? 0 : p->list, p->turn);
}

/* A number, or a mistake. */
static expr *need_number(parser *p, expr *e)
{
    return list_refused(p, e) ? expr_unknown(p, e->at) : e;
}

expr *expr_parse(parser *p)
{
    return need_number(p, expr_parse_any(p));
}

expr *expr_parse_factors(parser *p)
{
    return need_number(p, parse_whole(p, PRECEDENCE_PRODUCT));
}
