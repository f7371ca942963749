/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants: values known before a run, exact while they are rational; and the values
 * that must be constant. */
#include <math.h>
#include <stdio.h>

#include "base/functions/functions.h"
#include "lang/lang_private.h"

/* ---- operators and functions of doubles -------------------------------------------- */

/* For values neither exact nor computed by kernels. */

static double power_of(double a, double b)
{
    return b == 2 ? a * a : b == 3 ? a * a * a : f64_pow(a, b);
}

/* Whether a comparison holds of values whose difference has this sign. */
static bool sign_holds(op_kind op, int sign)
{
    static const unsigned bit[] = {
        [OP_LT] = 1, [OP_LE] = 3, [OP_GT] = 4, [OP_GE] = 6, [OP_EQ] = 2, [OP_NE] = 5};

    return bit[op] >> (sign + 1) & 1;
}

/* NaN only differs. */
static bool compares_f64(op_kind op, double a, double b)
{
    return isnan(a) || isnan(b) ? op == OP_NE : sign_holds(op, (a > b) - (a < b));
}

double combine_f64(op_kind op, double a, double b)
{
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_POW: return power_of(a, b);
    case OP_AND: return a != 0 && b != 0;
    case OP_OR: return a != 0 || b != 0;
    default: return compares_f64(op, a, b);
    }
}

static double ricker(double f, double t)
{
    const double q = PI * f * (t - 1.2 / f);

    return (1 - 2 * q * q) * f64_exp(-q * q);
}

double function_f64(function_kind f, double a, double b)
{
    if (f == FUNCTION_POW)
        return power_of(a, b);
    switch (f) {
    case FUNCTION_MIN: return a < b ? a : b;
    case FUNCTION_MAX: return a > b ? a : b;
    case FUNCTION_ABS: return fabs(a);
    case FUNCTION_SQRT: return sqrt(a);
#define ONE(NAME, word, ...)                                                             \
    case FUNCTION_##NAME: return f64_##word(a);
        SMOOTH_FUNCTION_LIST(ONE)
        STEPWISE_FUNCTION_LIST(ONE)
#define PAIR(NAME, word, ...)                                                            \
    case FUNCTION_##NAME: return f64_##word(a, b);
        PAIR_FUNCTION_LIST(PAIR)
    default: return ricker(a, b);
    }
}

/* ---- constants --------------------------------------------------------------------- */

static num find(parser *p, const expr *e, constant *c);

/* Keeps the first reason why the value is not known. */
PRINTF_LIKE(4, 5)
static num give_up(parser *p, const expr *e, constant *c, const char *format, ...)
{
    char why[512];
    va_list list;

    if (!c->known)
        return num_int(0);
    va_start(list, format);
    (void)vsnprintf(why, sizeof why, format, list);
    va_end(list);
    c->known = false;
    c->why = arena_print(p->arena, "%s", why);
    c->at = e->at;
    return num_int(0);
}

/* Like give_up, for a mistake reported earlier. */
static num give_up_quietly(const expr *e, constant *c)
{
    c->quiet = c->known || c->quiet;
    c->known = false;
    c->at = e->at;
    return num_int(0);
}

static num of_bool(bool holds)
{
    return num_int(holds ? 1 : 0);
}

/* ---- names ------------------------------------------------------------------------- */

bool spacing_shared(const program *tree, num *step)
{
    *step = tree->axis[0].step;
    for (int i = 0; i < tree->dim; i++)
        if (axis_stretched(tree, i) || !num_equal(tree->axis[i].step, *step))
            return false;
    return true;
}

const char *spacing_differs(parser *p)
{
    const axis_grid *axis = p->program->axis;

    for (int i = 0; i < p->dim; i++)
        if (axis[i].at)
            return arena_print(p->arena,
                               "'h' needs one spacing, and those along %c differ; write "
                               "h%c, the width of the cell around a point",
                               axis_letters[i], axis_letters[i]);
    if (p->dim == 2)
        return arena_print(p->arena,
                           "'h' needs one spacing for all axes, and x has %.6g, y %.6g; "
                           "write hx, hy",
                           axis[0].step.v, axis[1].step.v);
    return arena_print(
        p->arena,
        "'h' needs one spacing for all axes, and x has %.6g, y %.6g, z %.6g; "
        "write hx, hy, hz",
        axis[0].step.v, axis[1].step.v, axis[2].step.v);
}

static num find_grid_value(parser *p, const expr *e, constant *c)
{
    const program *tree = p->program;
    const char *name = builtin_names[e->builtin];
    num step;

    if (p->dim == 0 || p->grid_bad)
        return give_up_quietly(e, c);
    c->early |= c->known && !p->grid_known;
    if (!p->grid_known)
        return give_up(p, e, c, "'%s' is known only after the grid", name);
    if (e->builtin >= BUILTIN_NX)
        return num_int(tree->axis[e->builtin - BUILTIN_NX].points);
    if (e->builtin >= BUILTIN_HX && axis_stretched(tree, (int)e->builtin - BUILTIN_HX))
        return give_up(p, e, c,
                       "'%s' differs from point to point along a stretched axis; in a "
                       "param write min(%s)",
                       name, name);
    return e->builtin >= BUILTIN_HX       ? tree->axis[e->builtin - BUILTIN_HX].step
           : !spacing_shared(tree, &step) ? give_up(p, e, c, "%s", spacing_differs(p))
                                          : step;
}

static num find_builtin(parser *p, const expr *e, constant *c)
{
    switch (e->builtin) {
    case BUILTIN_PI: return num_double(PI);
    case BUILTIN_X:
    case BUILTIN_Y:
    case BUILTIN_Z:
        if (p->moved[e->builtin - BUILTIN_X])
            return *p->moved[e->builtin - BUILTIN_X];
    /* fall through */
    case BUILTIN_IX:
    case BUILTIN_IY:
    case BUILTIN_IZ:
        return give_up(p, e, c, "'%s' differs from point to point",
                       builtin_names[e->builtin]);
    case BUILTIN_T:
    case BUILTIN_STEP:
        return give_up(p, e, c, "'%s' changes with time", builtin_names[e->builtin]);
    default: return find_grid_value(p, e, c);
    }
}

/* A let is evaluated at its declaration, and again after the grid is known. */
void constant_settle(parser *p, symbol *let)
{
    constant *c = arena_alloc(p->arena, 1, sizeof *c);

    *c = constant_find(p, let->value);
    let->notes->constant = c;
}

static num find_symbol(parser *p, const expr *e, constant *c)
{
    const symbol *s = e->symbol;

    if (s->notes->bad) {
        return give_up_quietly(e, c);
    }
    if (s->kind == SYMBOL_PARAM && s->constant)
        return s->number;
    if (s->kind == SYMBOL_LET) {
        const constant *found = e->symbol->notes->constant;
        if (found->known)
            return found->value;
        c->early |= found->early;
        return found->quiet ? give_up_quietly(e, c) : give_up(p, e, c, "%s", found->why);
    }
    if (s->kind == SYMBOL_ARGUMENT && s->notes->bound)
        return *s->notes->bound;
    return give_up(p, e, c, "%s'%s' %s",
                   s->kind == SYMBOL_PARAM    ? "the param "
                   : s->kind == SYMBOL_SCALAR ? "the scalar "
                                              : "",
                   s->name,
                   s->kind == SYMBOL_PARAM      ? "is known only when the run starts"
                   : s->kind == SYMBOL_ARGUMENT ? "is an argument"
                   : s->kind == SYMBOL_SCALAR   ? "may change between steps"
                   : s->kind == SYMBOL_MEASURE  ? "is measured during the run"
                                                : "is a field");
}

/* Evaluates a let with arguments: the arguments are evaluated first, and bound during the
 * evaluation. */
static num find_applied(parser *p, const expr *e, constant *c)
{
    num value[MAX_ARGUMENTS];
    const num *outer[MAX_ARGUMENTS];
    const symbol *s = e->symbol;

    if (++c->depth > MAX_DEPTH)
        return give_up(p, e, c, "lets are applied within lets more than %d times",
                       MAX_DEPTH);
    for (int i = 0; i < e->count; i++)
        value[i] = find(p, e->arg[i], c);
    if (!c->known)
        return num_int(0);
    for (int i = 0; i < e->count; i++) {
        outer[i] = s->argument[i]->notes->bound;
        s->argument[i]->notes->bound = &value[i];
    }
    const num result = find(p, s->value, c);
    for (int i = 0; i < e->count; i++)
        s->argument[i]->notes->bound = outer[i];
    c->depth--;
    return result;
}

/* ---- arithmetic -------------------------------------------------------------------- */

static bool compares(op_kind op, num a, num b)
{
    return a.exact && b.exact ? sign_holds(op, num_compare(a, b))
                              : compares_f64(op, a.v, b.v);
}

static num power(num a, num b)
{
    int64_t n;

    return num_is_int(b, &n) ? num_power(a, n) : num_double(pow(num_f64(a), num_f64(b)));
}

num constant_combine(op_kind op, num a, num b)
{
    switch (op) {
    case OP_ADD: return num_add(a, b);
    case OP_SUB: return num_sub(a, b);
    case OP_MUL: return num_mul(a, b);
    case OP_DIV: return num_div(a, b);
    case OP_POW: return power(a, b);
    case OP_AND: return of_bool(a.v != 0 && b.v != 0);
    case OP_OR: return of_bool(a.v != 0 || b.v != 0);
    default: return of_bool(compares(op, a, b));
    }
}

/* Notes a divisor of 0. Within a let with arguments, the mistake lies in the use of the
 * let. */
static void note_divisor(constant *c, const expr *e)
{
    if (!c->divided && c->depth == 0) {
        c->divided = true;
        c->divisor = e->at;
    }
}

/* Without recursion, because sums and products may be long. */
const expr **constant_chain(arena *a, const expr **e, int64_t *count)
{
    *count = 0;
    for (const expr *left = *e; left->kind == EXPR_BINARY; left = left->arg[0])
        ++*count;
    const expr **chain = arena_alloc(a, *count, sizeof(const expr *));
    for (int64_t i = *count - 1; i >= 0; i--, *e = (*e)->arg[0])
        chain[i] = *e;
    return chain;
}

static num find_binary(parser *p, const expr *e, constant *c)
{
    int64_t count;
    const expr **chain = constant_chain(p->arena, &e, &count);

    num value = find(p, e, c);
    for (int64_t i = 0; i < count && c->known; i++) {
        const num right = find(p, chain[i]->arg[1], c);
        if (c->known && chain[i]->op == OP_DIV && right.v == 0)
            note_divisor(c, chain[i]->arg[1]);
        value = constant_combine(chain[i]->op, value, right);
    }
    return value;
}

static num floor_of(num a)
{
    const double value = floor(num_f64(a));

    if (fabs(value) < 9e15) {
        int64_t whole = (int64_t)value;
        while (a.exact && num_compare(num_int(whole), a) > 0)
            whole--;
        while (a.exact && num_compare(num_int(whole + 1), a) <= 0)
            whole++;
        return num_int(whole);
    }
    return num_double(value);
}

num constant_call(function_kind function, const num a[3])
{
    switch (function) {
    case FUNCTION_MIN: return compares(OP_LT, a[0], a[1]) ? a[0] : a[1];
    case FUNCTION_MAX: return compares(OP_GT, a[0], a[1]) ? a[0] : a[1];
    case FUNCTION_ABS: return a[0].v < 0 ? num_neg(a[0]) : a[0];
    case FUNCTION_POW: return power(a[0], a[1]);
    case FUNCTION_FLOOR: return floor_of(a[0]);
    case FUNCTION_WHERE: return a[0].v != 0 ? a[1] : a[2];
    default: return num_double(function_f64(function, num_f64(a[0]), num_f64(a[1])));
    }
}

static num find_call(parser *p, const expr *e, constant *c)
{
    num a[3] = {{0}};

    if (function_draws(e->function))
        return give_up(p, e, c, "'%s' differs from point to point",
                       function_table[e->function].name);
    for (int i = 0; i < e->count && i < 3; i++)
        a[i] = find(p, e->arg[i], c);
    return c->known ? constant_call(e->function, a) : num_int(0);
}

static num find(parser *p, const expr *e, constant *c)
{
    static const char *const why[EXPR_KINDS] = {
        [EXPR_DERIVE] = "a derivative is known only when the run starts",
        [EXPR_LAPLACE] = "'laplace' is known only when the run starts",
        [EXPR_TRANSFER] = "'restrict' and 'interpolate' read fields",
        [EXPR_LIST] = "a list is no number", /* refused before */
        [EXPR_GRADIENT] = "a gradient differs from cell to cell",
        [EXPR_DOT] = "a gradient differs from cell to cell"};

    if (!c->known)
        return num_int(0);
    switch (e->kind) {
    case EXPR_NUMBER: return e->number;
    case EXPR_BUILTIN: return find_builtin(p, e, c);
    case EXPR_SYMBOL: return find_symbol(p, e, c);
    case EXPR_SHIFT: return find(p, e->arg[0], c);
    case EXPR_UNARY: {
        const num a = find(p, e->arg[0], c);
        return e->op == OP_NEG ? num_neg(a) : of_bool(a.v == 0);
    }
    case EXPR_BINARY: return find_binary(p, e, c);
    case EXPR_CALL: return find_call(p, e, c);
    case EXPR_APPLY: return find_applied(p, e, c);
    case EXPR_STENCIL: return give_up(p, e, c, "'%s' is a stencil", e->symbol->name);
    case EXPR_REDUCE:
        return give_up(p, e, c, "'%s' over the grid is known only when the run starts",
                       reduction_names[e->reduction]);
    case EXPR_LINE:
        return give_up(p, e, c, "'%s' along an axis reads fields", line_names[e->line]);
    default: return give_up(p, e, c, "%s", why[e->kind]);
    }
}

constant constant_find(parser *p, const expr *e)
{
    constant c = {.known = true};

    c.value = find(p, e, &c);
    return c;
}

/* ---- required constants ------------------------------------------------------------ */

/* Required constants: returns the value, or reports that it must be constant and why it
 * is not. */

void report_infinite(parser *p, const expr *e, const constant *c, const char *what)
{
    if (c->divided)
        mistake_at(p, c->divisor, "the divisor is 0");
    else
        mistake_at(p, e->at, "%s must be a finite number", what);
}

bool constant_need(parser *p, const expr *e, const char *what, num *value)
{
    if (list_refused(p, e))
        return false;
    const constant c = constant_find(p, e);

    *value = c.value;
    if (c.known && isfinite(c.value.v))
        return true;
    if (c.known) {
        report_infinite(p, e, &c, what);
    } else if (!c.quiet) {
        mistake_at(p, c.at, "%s must be constant: %s", what, c.why);
    }
    return false;
}

/* True for whole numbers, including results of functions such as sqrt(4). */
static bool is_whole(num a, int64_t *value)
{
    if (num_is_int(a, value))
        return true;
    if (a.exact || !(fabs(a.v) < 9e15) || a.v != floor(a.v))
        return false;
    *value = (int64_t)a.v;
    return true;
}

bool constant_integer(parser *p, const expr *e, const char *what, int64_t least,
                      int64_t most, int64_t *value)
{
    num number;
    int64_t whole;

    if (!constant_need(p, e, what, &number))
        return false;
    if (is_whole(number, &whole) && whole >= least && whole <= most) {
        *value = whole;
        return true;
    }
    if (num_f64(number) >= 0x1p63)
        mistake_at(p, e->at, "%s is too large: it is %.12g, and at most %lld can be",
                   what, number.v, (long long)most);
    else if (most == INT64_MAX)
        mistake_at(p, e->at, "%s must be a whole number of at least %lld, not %.12g",
                   what, (long long)least, number.v);
    else
        mistake_at(p, e->at, "%s must be a whole number from %lld to %lld, not %.12g",
                   what, (long long)least, (long long)most, number.v);
    return false;
}

expr *integer_parse(parser *p, const char *what, int64_t least, int64_t most,
                    int64_t *value)
{
    expr *e = expr_parse(p);

    if (!p->panic)
        constant_integer(p, e, what, least, most, value);
    return e;
}
