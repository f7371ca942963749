/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls: functions, derivatives, reductions, and the program's own lets and stencils;
 * the words of the language, one table for each kind. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- words, for parser, printer and suggestions ------------------------------------ */

const function_info function_table[FUNCTION_COUNT] = {
#define ROW(NAME, word, arguments, about) {#word, arguments, 0, about},
#define SMOOTH_ROW(NAME, word, most, slope, about) {#word, 1, most, about},
#define STEPWISE_ROW(NAME, word, about) {#word, 1, 0, about},
#define PAIR_ROW(NAME, word, about) {#word, 2, 0, about},
    FUNCTION_LIST(ROW, SMOOTH_ROW, STEPWISE_ROW, PAIR_ROW)
#undef ROW
};

const char *const builtin_names[BUILTIN_COUNT] = {"x",  "y",  "z",  "h",  "hx", "hy",
                                                  "hz", "nx", "ny", "nz", "t",  "step",
                                                  "pi", "ix", "iy", "iz"};
const char *const reduction_names[REDUCTION_COUNT] = {"sum", "min", "max", "norm",
                                                      "integral"};
const format_info format_table[FORMATS] = {
    {".npy", .field = true, .table = true},
    {".npy.zst", .field = true},
    {".png", .picture = true, .gather = true},
    {".csv", .table = true},
    {".vti", .field = true, .several = true, .vectors = true},
    {".vtr", .field = true, .several = true, .vectors = true},
    {".pvd", .field = true, .film = true, .several = true, .vectors = true,
     .piece = ".vti"},
    {".h5", .field = true, .several = true},
    {".nc", .field = true, .several = true},
    {".xdmf", .field = true, .film = true, .several = true, .piece = ".h5"},
    {".apng", .picture = true, .film = true},
    {".sgy", .gather = true},
    {".segy", .gather = true},
};
const char *const colour_names[COLOUR_MAPS] = {"viridis", "magma", "inferno", "grey",
                                               "seismic"};
const char *const face_names[2 * MAX_DIM] = {"x-", "x+", "y-", "y+", "z-", "z+"};
const char axis_letters[MAX_DIM + 1] = "xyz";

const operator_info operator_table[OP_MOD + 1] = {
    [OP_NEG] = {"-", PRECEDENCE_UNARY, 0, PRECEDENCE_UNARY},
    [OP_NOT] = {"not", PRECEDENCE_NOT, 0, PRECEDENCE_COMPARE},
    [OP_ADD] = {"+", PRECEDENCE_SUM, PRECEDENCE_SUM, PRECEDENCE_PRODUCT},
    [OP_SUB] = {"-", PRECEDENCE_SUM, PRECEDENCE_SUM, PRECEDENCE_PRODUCT},
    [OP_MUL] = {"*", PRECEDENCE_PRODUCT, PRECEDENCE_PRODUCT, PRECEDENCE_UNARY},
    [OP_DIV] = {"/", PRECEDENCE_PRODUCT, PRECEDENCE_PRODUCT, PRECEDENCE_UNARY},
    [OP_POW] = {"^", PRECEDENCE_POWER, PRECEDENCE_POSTFIX, PRECEDENCE_UNARY},
    [OP_LT] = {"<", PRECEDENCE_COMPARE, PRECEDENCE_SUM, PRECEDENCE_SUM},
    [OP_LE] = {"<=", PRECEDENCE_COMPARE, PRECEDENCE_SUM, PRECEDENCE_SUM},
    [OP_GT] = {">", PRECEDENCE_COMPARE, PRECEDENCE_SUM, PRECEDENCE_SUM},
    [OP_GE] = {">=", PRECEDENCE_COMPARE, PRECEDENCE_SUM, PRECEDENCE_SUM},
    [OP_EQ] = {"==", PRECEDENCE_COMPARE, PRECEDENCE_SUM, PRECEDENCE_SUM},
    [OP_NE] = {"!=", PRECEDENCE_COMPARE, PRECEDENCE_SUM, PRECEDENCE_SUM},
    [OP_AND] = {"and", PRECEDENCE_AND, PRECEDENCE_AND, PRECEDENCE_NOT},
    [OP_OR] = {"or", PRECEDENCE_OR, PRECEDENCE_OR, PRECEDENCE_AND},
    [OP_MOD] = {"%", PRECEDENCE_PRODUCT, PRECEDENCE_PRODUCT, PRECEDENCE_UNARY},
};

#define STATEMENT_WORD(word, ...) #word,
static const char *const statement_words[] = {STATEMENT_LIST(STATEMENT_WORD)};
#define BORDER_WORD(kind, word, ...) word,
static const char *const part_words[] = {BORDER_NAMED(BORDER_WORD) "from",
                                         "to",
                                         "spacing",
                                         "f32",
                                         "f64",
                                         "bf16",
                                         "f16",
                                         "stored",
                                         "coarse",
                                         "centre",
                                         "face",
                                         "edge",
                                         "corner",
                                         "box",
                                         "at",
                                         "beyond",
                                         "cells",
                                         "strength",
                                         "insulated",
                                         "into",
                                         "by",
                                         "linear",
                                         "sinc",
                                         "along",
                                         "count",
                                         "every",
                                         "slice",
                                         "range",
                                         "colours",
                                         "contours",
                                         "arrows",
                                         "streamlines",
                                         "size",
                                         "for",
                                         "order",
                                         "crop",
                                         "stride"};
#define FUNCTION_WORD(NAME, word, ...) #word,
static const char *const call_words[] = {
    "prev",
    "sum",
    "norm",
    "laplace",
    "restrict",
    "interpolate",
    "scan",
    "tridiagonal",
    FUNCTION_LIST(FUNCTION_WORD, FUNCTION_WORD, FUNCTION_WORD, FUNCTION_WORD) "dx",
    "dy",
    "dz",
    "dxx",
    "dyy",
    "dzz",
    "dxy",
    "dxz",
    "dyz"};
static const char *const value_words[] = {"and", "or", "not", "x",  "y",    "z", "t",
                                          "h",   "hx", "hy",  "hz", "step", "pi"};

/* Values and functions that a declaration may hide. Other functions keep their meaning
 * before a parenthesis. */
static const char *const own_words[] = {
    "t",      "h",     "hx",     "hy",    "hz",   "scan", "mod",  "sign",
    "round",  "ceil",  "atan",   "atan2", "sinh", "cosh", "asin", "acos",
    "erf",    "hypot", "log10",  "cbrt",  "ix",   "iy",   "iz",   "tridiagonal",
    "bitand", "bitor", "bitxor", "shl",   "shr"};

static const struct word_row {
    unsigned near;
    int count;
    const char *const *list;
} lists[] = {
    {NEAR_STATEMENTS, COUNT_OF(statement_words), statement_words},
    {NEAR_PARTS, COUNT_OF(part_words), part_words},
    {NEAR_CALLS, COUNT_OF(call_words), call_words},
    {NEAR_VALUES, COUNT_OF(value_words), value_words},
};

int word_find(const char *const *list, int count, const char *word, int length)
{
    for (int i = 0; i < count; i++)
        if (strlen(list[i]) == (size_t)length &&
            memcmp(list[i], word, (size_t)length) == 0)
            return i;
    return -1;
}

const char *const *word_list(unsigned near, int *count)
{
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        if (lists[i].near == near) {
            *count = lists[i].count;
            return lists[i].list;
        }
    *count = 0;
    return NULL;
}

bool word_is_in(const token *t, unsigned near)
{
    int count = 0;
    const char *const *list = word_list(near, &count);

    return t->kind == TOKEN_NAME && word_find(list, count, t->text, t->length) >= 0;
}

bool word_is_known(const char *word, int length)
{
    int derivative[MAX_DIM];

    for (size_t i = 0; i < COUNT_OF(lists); i++)
        if (word_find(lists[i].list, lists[i].count, word, length) >= 0)
            return true;
    return derivative_find(word, length, derivative);
}

bool word_is_reserved(const char *word, int length)
{
    return word_begins_statement(word, length) ||
           (word_find(value_words, COUNT_OF(value_words), word, length) >= 0 &&
            word_find(own_words, COUNT_OF(own_words), word, length) < 0);
}

bool word_is_call(const char *word, int length)
{
    int derivative[MAX_DIM];

    return word_find(call_words, COUNT_OF(call_words), word, length) >= 0 ||
           derivative_find(word, length, derivative);
}

bool word_is_hidden(const char *word, int length)
{
    return word_find(own_words, COUNT_OF(own_words), word, length) >= 0;
}

bool word_begins_statement(const char *word, int length)
{
    return word_find(statement_words, COUNT_OF(statement_words), word, length) >= 0;
}

static int function_find(const char *word, int length)
{
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (word_find(&function_table[i].name, 1, word, length) == 0)
            return i;
    return -1;
}

bool derivative_find(const char *word, int length, int derivative[MAX_DIM])
{
    memset(derivative, 0, MAX_DIM * sizeof *derivative);
    if (length < 2 || length > 5 || word[0] != 'd')
        return false;
    for (int i = 1; i < length; i++) {
        if (word[i] < 'x' || word[i] > 'z')
            return false;
        derivative[word[i] - 'x']++;
    }
    return true;
}

/* ---- calls ------------------------------------------------------------------------- */

/* The content of a call's parentheses. */
typedef struct call {
    const token *name;
    int count;
    expr *arg[MAX_ARGUMENTS];
    bool ordered;
    int64_t order;
    int half; /* twice the distance: -1 or +1; 0 without `at` */
    place order_at, half_at;
    int axis; /* `along z`, or -1 */
    bool down, exclusive, other, mirrored;
    place along_at;
    const expr *each; /* sum(e for k from a to b): the list */
} call;

static bool is(const call *c, const char *word)
{
    return token_is(c->name, word);
}

/* ---- arguments --------------------------------------------------------------------- */

/* along z, along z down, along z exclusive; other words: of a transform, along z inverse
 * or along z mirrored; of a tridiagonal system, along z cyclic */
static void parse_along(parser *p, call *c)
{
    const token *t = p->next;

    c->along_at = t->at;
    for (int axis = 0; axis < p->dim; axis++)
        if (t->length == 1 && *t->text == axis_letters[axis])
            c->axis = axis;
    if (c->axis < 0) {
        syntax_mistake(p, "after 'along' stands an axis of the grid, as in 'along x'");
        return;
    }
    take(p);
    while (!p->panic && (next_is(p, "down") || next_is(p, "exclusive")))
        *(accept(p, "down") ? &c->down : (take(p), &c->exclusive)) = true;
    c->other = (token_is(c->name, "transform") && accept(p, "inverse")) ||
               (token_is(c->name, "tridiagonal") && accept(p, "cyclic"));
    c->mirrored = token_is(c->name, "transform") && accept(p, "mirrored");
    if (!p->panic && !next_is(p, ")"))
        syntax_mistake(p, "after the axis stands ')', or a word: 'down' and 'exclusive' "
                          "belong to scan, 'cyclic' to tridiagonal");
}

/* sum(u where x > 3) is sum(where(x > 3, u, 0)). Other points do not count. */
static expr *parse_where(parser *p, expr *e, reduction_kind reduction)
{
    const double far = 3e38; /* beyond all values, also in f32 */
    expr *other = number_new(p, e->at,
                             reduction == REDUCTION_MIN   ? num_double(far)
                             : reduction == REDUCTION_MAX ? num_double(-far)
                                                          : num_int(0));

    return expr_call(p, e->at, FUNCTION_WHERE, 3,
                     (expr *[]){expr_parse_inside(p), e, other});
}

/* at +1/2, at -1/2 */
static bool is_half(const token *t)
{
    return (token_is(t, "+") || token_is(t, "-")) && t[1].kind == TOKEN_NUMBER &&
           t[1].length == 1 && *t[1].text == '1' && token_is(t + 2, "/") &&
           t[3].kind == TOKEN_NUMBER && t[3].length == 1 && *t[3].text == '2';
}

static void parse_argument(parser *p, call *c)
{
    const token *t = p->next;
    /* names of one's own are not followed by what these words need */
    const bool own = symbol_find(p, t->text, t->length) &&
                     (token_is(t, "at") ? c->count == 0 || !is_half(t + 1)
                                        : t[1].kind != TOKEN_NUMBER);
    if (!own && accept(p, "order")) {
        num value;
        c->order_at = p->next->at;
        c->ordered = true;
        if (p->next->kind == TOKEN_NUMBER &&
            num_parse(p->next->text, (size_t)p->next->length, &value) &&
            num_is_int(value, &c->order))
            take(p);
        else
            syntax_mistake(p, "after 'order' stands an even number such as 4");
    } else if (!own && accept(p, "at")) {
        c->half_at = p->next->at;
        c->half = next_is(p, "-") ? -1 : 1;
        if (is_half(p->next))
            p->next += 4;
        else
            syntax_mistake(p, "after 'at' stands +1/2 or -1/2");
    } else {
        expr *e = expr_parse_inside(p);
        const int reduction = word_find(reduction_names, REDUCTION_NORM + 1,
                                        c->name->text, c->name->length);
        if (reduction >= 0 && accept(p, "where"))
            e = parse_where(p, e, (reduction_kind)reduction);
        if (c->count < MAX_ARGUMENTS)
            c->arg[c->count] = e;
        c->count++; /* nothing takes more */
        if (accept(p, "along"))
            parse_along(p, c);
    }
}

static call parse_call(parser *p, const token *name)
{
    call c = {.name = name, .axis = -1};
    const token *open = p->next;

    if (!expect(p, "("))
        return c;
    if (next_is(p, ")")) {
        if (symbol_poisoned(p, name)) /* reported before */
            abandon_rest(p);
        else
            syntax_mistake(
                p, "nothing stands in the parentheses of '%.*s', as in %.*s(%s)",
                name->length, name->text, name->length, name->text,
                is(&c, "random") || is(&c, "uniform") || is(&c, "normal") ? "1" : "u");
        return c;
    }
    const token *loop = is(&c, "sum") ? list_loop(p) : NULL;
    if (loop)
        c.each = list_each(p, loop);
    else
        do
            parse_argument(p, &c);
        while (accept(p, ","));
    expect_closed(p, open, ")");
    return c;
}

/* ---- calls ------------------------------------------------------------------------- */

/* Suggests the intended call for a wrong number of arguments, if it is clear. */
static const char *meant(const parser *p, const call *c, bool differences)
{
    const token *name = c->name;

    return differences && c->count == 2 && c->arg[1]->kind == EXPR_NUMBER
               ? arena_print(p->arena, "; an order is written %.*s(u, order %lld)",
                             name->length, name->text,
                             (long long)num_f64(c->arg[1]->number))
               : "";
}

static int line_of(const call *c)
{
    return word_find(line_names, LINE_KINDS, c->name->text, c->name->length);
}

static bool is_line(const call *c)
{
    return c->axis >= 0 && line_of(c) >= 0;
}

/* False after a mistake: a wrong number of arguments, or options for a different
 * function. */
static bool fits(parser *p, const call *c, int count, bool differences)
{
    if (p->panic)
        return false;
    if (c->count != count)
        return mistake_at(p, c->name->at, "'%.*s' takes %d argument%s%s, not %d%s",
                          c->name->length, c->name->text, count, count == 1 ? "" : "s",
                          is(c, "scan") ? " or 2" : "", c->count,
                          meant(p, c, differences));
    if (c->axis >= 0 && !is_line(c))
        return mistake_at(
            p, c->along_at,
            "'along' belongs to scan, tridiagonal, sum, min and max, not to "
            "'%.*s'",
            c->name->length, c->name->text);
    if (!differences && (c->ordered || c->half != 0))
        return mistake_at(p, c->ordered ? c->order_at : c->half_at,
                          "'%s' belongs to derivatives, not to '%.*s'",
                          c->ordered ? "order" : "at", c->name->length, c->name->text);
    return true;
}

/* Parses the order of a difference: even, 2 by default. */
static int order_of(parser *p, const call *c)
{
    if (!c->ordered)
        return 2;
    if (c->order >= 2 && c->order <= MAX_ORDER && c->order % 2 == 0)
        return (int)c->order;
    mistake_at(p, c->order_at, "an order is even and from 2 to %d, not %lld", MAX_ORDER,
               (long long)c->order);
    return 2;
}

/* A call like the given expression, if its number of arguments is right. */
static expr *build(parser *p, const call *c, int arguments, expr like)
{
    return fits(p, c, arguments, false)
               ? expr_make(p, c->name->at, like, c->count, c->arg)
               : expr_unknown(p, c->name->at);
}

/* Half a cell off, only first and third derivatives along one axis are allowed. */
static expr *build_derivative(parser *p, const call *c, const int derivative[MAX_DIM])
{
    int axes = 0, axis = 0, missing = -1;

    if (!fits(p, c, 1, true))
        return expr_unknown(p, c->name->at);
    expr like = {.kind = EXPR_DERIVE, .order = order_of(p, c)};
    for (int i = 0; i < MAX_DIM; i++) {
        like.derivative[i] = derivative[i];
        if (derivative[i] == 0)
            continue;
        axes++;
        axis = i;
        if (p->dim > 0 && i >= p->dim && missing < 0)
            missing = i;
    }
    if (missing >= 0)
        mistake_at(p, c->name->at, "'%.*s' needs an axis %c, and the grid has none",
                   c->name->length, c->name->text, axis_letters[missing]);
    if (c->half != 0 && (axes != 1 || derivative[axis] % 2 == 0))
        mistake_at(p, c->half_at,
                   "half a cell off, only a first or third derivative along one axis can "
                   "be taken");
    like.half[axis] = c->half;
    return expr_make(p, c->name->at, like, c->count, c->arg);
}

static expr *build_laplace(parser *p, const call *c)
{
    if (!fits(p, c, 1, true))
        return expr_unknown(p, c->name->at);
    if (c->half != 0)
        mistake_at(p, c->half_at,
                   "'at' belongs to first and third derivatives, not to 'laplace'");
    return expr_make(p, c->name->at,
                     (expr){.kind = EXPR_LAPLACE, .order = order_of(p, c)}, 1, c->arg);
}

/* min and max of several numbers are calls of two: min(min(a, b), c). */
static expr *build_function(parser *p, const call *c, int function)
{
    const expr like = {.kind = EXPR_CALL, .function = (function_kind)function};
    const bool several = function == FUNCTION_MIN || function == FUNCTION_MAX;
    const int first = several && c->count > 2 && c->count <= MAX_ARGUMENTS ? 2 : c->count;
    call part = *c;
    int64_t seed;

    part.count = first;
    expr *e = build(p, &part, function_table[function].arguments, like);
    for (int k = first; k < c->count && e->kind != EXPR_SYMBOL; k++) {
        part.count = 2;
        part.arg[0] = e;
        part.arg[1] = c->arg[k];
        e = build(p, &part, 2, like);
    }

    return !function_draws((function_kind)function) || e->kind == EXPR_SYMBOL ||
                   constant_integer(p, c->arg[0], "the seed", 0,
                                    function == FUNCTION_RANDOM ? INT64_MAX : MAX_SEED,
                                    &seed)
               ? e
               : expr_unknown(p, c->name->at);
}

/* prev(u), prev(u, 2) */
static expr *build_prev(parser *p, const call *c)
{
    int64_t level = 1;

    if (p->panic)
        return expr_unknown(p, c->name->at);
    const expr *first = c->count > 0 ? c->arg[0] : expr_unknown(p, c->name->at);
    const bool list = first->kind == EXPR_LIST;
    if (list)
        first = first->arg[0];
    const symbol *s = first->kind == EXPR_SYMBOL ? first->symbol : NULL;
    if (s && s->notes->bad)
        return expr_unknown(p, c->name->at);
    if (c->count < 1 || c->count > 2 || c->ordered || c->half != 0 || !s ||
        s->kind != SYMBOL_FIELD || first->level != 0)
        return EXPR_MISTAKE(
            p, c->name->at,
            "'prev' takes the name of a field, as in prev(u) or prev(u, 2)");
    if (c->count == 2 &&
        !constant_integer(p, c->arg[1], "the age of a level", 1, MAX_LEVEL, &level))
        return expr_unknown(p, c->name->at);
    for (int i = 0; i < (list ? c->arg[0]->count : 1); i++) {
        expr *e = list ? c->arg[0]->arg[i] : c->arg[0];
        e->level = (int)-level;
        e->at = c->name->at;
    }
    return c->arg[0];
}

/* Builds a call of a let or a stencil of the program. */
static expr *build_named(parser *p, const call *c, symbol *s)
{
    const bool let = s->kind == SYMBOL_LET;

    if (s->notes->bad || p->panic)
        return expr_unknown(p, c->name->at);
    if (s->kind == SYMBOL_LIST) {
        expr **part = arena_alloc(p->arena, s->parts, sizeof *part);
        for (int i = 0; i < s->parts; i++)
            part[i] = build_named(p, c, list_part(p, s, i));
        expr *list = list_new(p, c->name->at, s->parts, part);
        list->is_complex = s->is_complex;
        return s->is_complex && (part[0]->is_complex || part[1]->is_complex)
                   ? expr_binary(
                         p, OP_ADD, part[0],
                         expr_binary(p, OP_MUL, complex_unit(p, list->at), part[1]))
                   : list;
    }
    if (!let && s->kind != SYMBOL_STENCIL)
        return EXPR_MISTAKE(p, c->name->at,
                            "'%s' is a %s and takes no arguments; a product is written "
                            "%s*(...), and another point of a field u[1]",
                            s->name, symbol_kind_name(s->kind), s->name);
    if (let && s->arguments == 0)
        return EXPR_MISTAKE(p, c->name->at,
                            "'%s' takes no arguments; a product is written %s*(...)",
                            s->name, s->name);
    return build(p, c, let ? s->arguments : 1,
                 (expr){.kind = let ? EXPR_APPLY : EXPR_STENCIL, .symbol = s});
}

expr *call_parse_named(parser *p, const token *name, symbol *s)
{
    const call c = parse_call(p, name);

    return s ? build_named(p, &c, s) : expr_unknown(p, name->at);
}

/* ---- on a mesh --------------------------------------------------------------------- */

static const char *const mesh_calls[] = {"grad", "dot", "integral"};

bool mesh_is_call(const parser *p, const token *name)
{
    return p->on_mesh && word_find(mesh_calls, (int)COUNT_OF(mesh_calls), name->text,
                                   name->length) >= 0;
}

expr *mesh_call_parse(parser *p, const token *name)
{
    const call c = parse_call(p, name);

    if (is(&c, "integral")) {
        const char *border = accept(p, "at") ? expect_string(p) : NULL;
        return build(p, &c, 1,
                     (expr){.kind = EXPR_REDUCE,
                            .reduction = REDUCTION_INTEGRAL,
                            .border = border});
    }
    return is(&c, "dot") ? build(p, &c, 2, (expr){.kind = EXPR_DOT})
                         : build(p, &c, 1, (expr){.kind = EXPR_GRADIENT});
}

/* ---- normal numbers, calls of vectors ---------------------------------------------- */

static const char *const list_calls[] = {"dot", "grad", "div", "curl", "normal"};

bool list_is_call(const parser *p, const token *name)
{
    return !p->on_mesh && next_is(p, "(") &&
           word_find(list_calls, (int)COUNT_OF(list_calls), name->text, name->length) >=
               0;
}

/* The derivative along an axis, with the options of the call. */
static expr *derive(parser *p, const call *c, const expr *of, int axis)
{
    call part = *c;
    int derivative[MAX_DIM] = {0};

    part.arg[0] = expr_copy(p, of);
    derivative[axis] = 1;
    return build_derivative(p, &part, derivative);
}

/* ---- divergence -------------------------------------------------------------------- */

/* The divergence of k*grad(u) is a difference of fluxes between points: dx((k +
 * k[1])/2*dx(u, at +1/2), at -1/2). A difference of central differences would read every
 * second point. */

static const expr *let_value(const expr *e)
{
    return (e->kind == EXPR_SYMBOL || e->kind == EXPR_APPLY) &&
                   e->symbol->kind == SYMBOL_LET
               ? e->symbol->value
               : NULL;
}

/* True if a factor or a term of e is a first derivative along the axis. */
static bool is_flux(const expr *e, int axis)
{
    const expr *value = let_value(e);

    return value ? is_flux(value, axis)
           : e->kind == EXPR_DERIVE
               ? e->derivative[axis] == 1 && e->order == 2 &&
                     e->derivative[0] + e->derivative[1] + e->derivative[2] == 1 &&
                     !e->half[axis]
           : e->kind == EXPR_UNARY || (e->kind == EXPR_BINARY && e->op != OP_POW)
               ? is_flux(e->arg[0], axis) || (e->count > 1 && is_flux(e->arg[1], axis))
               : false;
}

/* False for numbers, params and scalars, and what is made of them. */
static bool varies(const expr *e)
{
    bool any = e->kind == EXPR_SYMBOL
                   ? e->symbol->kind != SYMBOL_PARAM && e->symbol->kind != SYMBOL_SCALAR
               : e->kind == EXPR_BUILTIN
                   ? e->builtin <= BUILTIN_HZ || e->builtin >= BUILTIN_IX
               : e->kind == EXPR_CALL ? function_draws(e->function)
                                      : e->kind == EXPR_LINE;

    for (int i = 0; i < e->count && e->kind != EXPR_REDUCE; i++)
        any |= varies(e->arg[i]);
    return any;
}

/* The value half a cell towards larger coordinates. Without a derivative along the axis
 * it is the mean of two points. */
static expr *at_middle(parser *p, const expr *e, int axis)
{
    const expr *value = let_value(e);

    if (is_flux(e, axis) && value)
        return at_middle(p, e->count ? let_applied(p, value, e) : value, axis);
    expr *c = expr_copy(p, e);
    if (is_flux(e, axis)) {
        for (int i = 0; i < c->count && e->kind != EXPR_DERIVE; i++)
            c->arg[i] = at_middle(p, e->arg[i], axis);
        c->half[axis] = e->kind == EXPR_DERIVE;
        expr_close(p, c);
        return c;
    }
    if (!varies(e))
        return c;
    const expr next = {
        .kind = EXPR_SHIFT, .order = p->dim, .offset = {axis == 0, axis == 1, axis == 2}};
    return expr_binary(
        p, OP_DIV,
        expr_binary(p, OP_ADD, expr_copy(p, e), expr_make(p, e->at, next, 1, &c)),
        number_new(p, e->at, num_int(2)));
}

static expr *diverge(parser *p, const call *c, const expr *of, int axis)
{
    call near = *c;

    if (c->half || (c->ordered && c->order != 2) || !is_flux(of, axis))
        return derive(p, c, of, axis);
    near.half = -1;
    return derive(p, &near, at_middle(p, of, axis), axis);
}

/* One component of a curl, or the curl of a vector in the plane. */
static expr *build_turn(parser *p, const call *c, const expr *v, int a, int b)
{
    return expr_binary(p, OP_SUB, derive(p, c, v->arg[b], a), derive(p, c, v->arg[a], b));
}

/* normal(k): a pair of uniform numbers by Box and Muller's formula. 1 - u is not 0. */
static expr *build_normal(parser *p, const call *c)
{
    const place at = c->name->at;
    int64_t seed = 0;

    if (!fits(p, c, 1, false) || !c->arg[0] ||
        !constant_integer(p, c->arg[0], "the seed", 0, MAX_SEED / 2, &seed))
        return expr_unknown(p, at);
    expr *first = number_new(p, at, num_int(seed)),
         *second = number_new(p, at, num_int(seed + MAX_SEED / 2 + 1)),
         *turn = expr_make(p, at, (expr){.kind = EXPR_BUILTIN, .builtin = BUILTIN_PI}, 0,
                           NULL);
    first = expr_call(p, at, FUNCTION_UNIFORM, 1, &first);
    second = expr_call(p, at, FUNCTION_UNIFORM, 1, &second);
    first = expr_binary(p, OP_SUB, number_new(p, at, num_int(1)), first);
    first = expr_binary(p, OP_MUL, number_new(p, at, num_int(-2)),
                        expr_call(p, at, FUNCTION_LOG, 1, &first));
    second = expr_binary(
        p, OP_MUL, expr_binary(p, OP_MUL, number_new(p, at, num_int(2)), turn), second);
    return expr_binary(p, OP_MUL, expr_call(p, at, FUNCTION_SQRT, 1, &first),
                       expr_call(p, at, FUNCTION_COS, 1, &second));
}

static expr *list_sum(parser *p, const expr *list)
{
    expr *sum = list->arg[0];

    for (int i = 1; i < list->count; i++)
        sum = expr_binary(p, OP_ADD, sum, list->arg[i]);
    return sum;
}

expr *list_call_parse(parser *p, const token *name)
{
    const call c = parse_call(p, name);
    const bool two = is(&c, "dot");
    expr *part[MAX_DIM];

    if (is(&c, "normal"))
        return build_normal(p, &c);

    if (!fits(p, &c, two ? 2 : 1, !two) || p->dim == 0 || !c.arg[0])
        return expr_unknown(p, name->at);
    const expr *v = two ? expr_binary(p, OP_MUL, c.arg[0], c.arg[1]) : c.arg[0];
    const int parts = v->kind == EXPR_LIST ? v->count : 1;
    const bool gradient = is(&c, "grad");
    if (v->kind == EXPR_SYMBOL && v->symbol->notes->bad)
        return expr_unknown(p, name->at);
    if (two && parts > 1 && !v->is_complex)
        return list_sum(p, v);
    if (two || v->is_complex || parts != (gradient ? 1 : p->dim) ||
        (is(&c, "curl") && p->dim == 1))
        return EXPR_MISTAKE(p, name->at,
                            two ? "'dot' takes two lists of the same length"
                            : gradient
                                ? "'grad' takes a number, as in grad(p)"
                                : "'%.*s' takes a list of %d numbers, one for each axis",
                            name->length, name->text, p->dim);
    if (is(&c, "curl") && p->dim == 2)
        return build_turn(p, &c, v, 0, 1);
    for (int i = 0; i < p->dim; i++)
        part[i] = gradient         ? derive(p, &c, v, i)
                  : is(&c, "curl") ? build_turn(p, &c, v, (i + 1) % 3, (i + 2) % 3)
                                   : diverge(p, &c, parts > 1 ? v->arg[i] : v, i);
    expr *list = list_new(p, name->at, p->dim, part);
    return is(&c, "div") || p->dim == 1 ? list_sum(p, list) : list;
}

/* ---- along axes, and all words ----------------------------------------------------- */

static expr *build_line(parser *p, const call *c)
{
    const line_kind line = (line_kind)line_of(c);

    p->has_lines = true;
    if (c->axis < 0 && !p->panic)
        mistake_at(p, c->name->at, "'%.*s' needs its axis, as in %.*s(%s along x)",
                   c->name->length, c->name->text, c->name->length, c->name->text,
                   line == LINE_TRIDIAGONAL ? "a, b, c, d" : "u");
    else if (line != LINE_SCAN && (c->down || c->exclusive))
        mistake_at(p, c->along_at, "'%s' belongs to scan, not to '%.*s'",
                   c->down ? "down" : "exclusive", c->name->length, c->name->text);
    if (c->axis < 0 || (line != LINE_SCAN && (c->down || c->exclusive)))
        return expr_unknown(p, c->name->at);
    return build(p, c,
                 line == LINE_TRIDIAGONAL             ? 4
                 : line == LINE_SCAN && c->count == 2 ? 2
                                                      : 1,
                 (expr){.kind = EXPR_LINE,
                        .line = line,
                        .axis = c->axis,
                        .down = c->down || c->other,
                        .exclusive = c->exclusive || c->mirrored});
}

/* Parses a call of a reserved word; NULL for other words. */
expr *call_parse(parser *p, const token *name)
{
    int derivative[MAX_DIM];
    const int reduction = word_find(reduction_names, 4, name->text, name->length);
    const int function = function_find(name->text, name->length);
    const bool transfer = token_is(name, "restrict") || token_is(name, "interpolate");
    const bool derives = derivative_find(name->text, name->length, derivative);

    const bool line = token_is(name, "scan") || token_is(name, "tridiagonal") ||
                      token_is(name, "transform"); /* of derived programs */

    if (reduction < 0 && function < 0 && !transfer && !derives && !line &&
        !token_is(name, "laplace") && !token_is(name, "prev"))
        return NULL;
    if (!next_is(p, "(")) {
        syntax_mistake_at(
            p, name->at, "'%.*s' needs what it is of in parentheses, as in %.*s(%s)%s",
            name->length, name->text, name->length, name->text,
            token_is(name, "where") ? "x > 3, u, 0" : "u",
            derives && name->length == 2 ? "; the spacing is written h, or hx, hy, hz"
                                         : "");
        return expr_unknown(p, name->at);
    }
    const call c = parse_call(p, name);
    if (c.each)
        return c.each->kind == EXPR_LIST ? list_sum(p, c.each)
                                         : expr_unknown(p, name->at);
    if (line || is_line(&c))
        return build_line(p, &c);
    if (derives)
        return build_derivative(p, &c, derivative);
    if (is(&c, "laplace"))
        return build_laplace(p, &c);
    if (is(&c, "prev"))
        return build_prev(p, &c);
    if (transfer)
        return build(p, &c, 1,
                     (expr){.kind = EXPR_TRANSFER,
                            .transfer = is(&c, "restrict") ? TRANSFER_RESTRICT
                                                           : TRANSFER_INTERPOLATE});
    if (is(&c, "norm") && c.count == 1 && c.arg[0]->kind == EXPR_LIST) {
        /* norm(u) of a list: over all components. */
        expr *list = expr_copy(p, c.arg[0]);
        list->is_complex = false;
        expr *sum = list_sum(p, expr_binary(p, OP_MUL, list, expr_copy(p, list)));
        sum = expr_make(p, c.name->at,
                        (expr){.kind = EXPR_REDUCE, .reduction = REDUCTION_SUM}, 1, &sum);
        return expr_call(p, c.name->at, FUNCTION_SQRT, 1, &sum);
    }
    return reduction >= 0 && (function < 0 || c.count == 1)
               ? build(
                     p, &c, 1,
                     (expr){.kind = EXPR_REDUCE, .reduction = (reduction_kind)reduction})
               : build_function(p, &c, function);
}
