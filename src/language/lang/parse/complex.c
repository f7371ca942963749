/* SPDX-License-Identifier: BSD-3-Clause */
/* Complex numbers: lists of a real and an imaginary part (lists.c), with operations of
 * their own. `field psi complex` is a name for the fields psi.re and psi.im. Parts that
 * are a written 0 are left out of sums and products, so i*psi is [-psi.im, psi.re]. */
#include "lang/lang_private.h"

/* ---- parts; NULL is 0 -------------------------------------------------------------- */

static bool is_number(const expr *e, int64_t value)
{
    return e->kind == EXPR_NUMBER && num_equal(e->number, num_int(value));
}

static expr *part(expr *z, int k)
{
    expr *e = z->kind != EXPR_LIST ? (k ? NULL : z) : z->arg[k];

    return e && is_number(e, 0) ? NULL : e;
}

static expr *negated(parser *p, expr *a)
{
    if (!a || (a->kind == EXPR_UNARY && a->op == OP_NEG))
        return a ? a->arg[0] : NULL;
    return a->kind == EXPR_NUMBER ? number_new(p, a->at, num_neg(a->number))
                                  : expr_unary(p, OP_NEG, a->at, a);
}

static expr *add(parser *p, expr *a, expr *b)
{
    return !a || !b ? (a ? a : b) : expr_binary(p, OP_ADD, a, b);
}

static expr *subtract(parser *p, expr *a, expr *b)
{
    return !a || !b ? (a ? a : negated(p, b)) : expr_binary(p, OP_SUB, a, b);
}

static expr *multiply(parser *p, const expr *a, const expr *b)
{
    if (!a || !b)
        return NULL;
    if (is_number(a, 1) || is_number(b, 1))
        return expr_copy(p, is_number(a, 1) ? b : a);
    return is_number(a, -1) || is_number(b, -1)
               ? negated(p, expr_copy(p, is_number(a, -1) ? b : a))
               : expr_binary(p, OP_MUL, expr_copy(p, a), expr_copy(p, b));
}

static expr *divide(parser *p, expr *a, const expr *b)
{
    return a ? expr_binary(p, OP_DIV, a, expr_copy(p, b)) : NULL;
}

static expr *complex_new(parser *p, place at, expr *re, expr *im)
{
    expr *const zero = number_new(p, at, num_int(0));
    expr *e = list_new(p, at, 2, (expr *[]){re ? re : zero, im ? im : zero});

    e->is_complex = true;
    return e;
}

expr *complex_unit(parser *p, place at)
{
    return complex_new(p, at, NULL, number_new(p, at, num_int(1)));
}

/* ---- operators --------------------------------------------------------------------- */

static expr *product(parser *p, place at, expr *a, expr *b)
{
    expr *const re = subtract(p, multiply(p, part(a, 0), part(b, 0)),
                              multiply(p, part(a, 1), part(b, 1)));

    return complex_new(
        p, at, re,
        add(p, multiply(p, part(a, 0), part(b, 1)), multiply(p, part(a, 1), part(b, 0))));
}

static expr *square(parser *p, expr *z)
{
    return add(p, multiply(p, part(z, 0), part(z, 0)),
               multiply(p, part(z, 1), part(z, 1)));
}

static expr *call(parser *p, place at, function_kind f, expr *a, expr *b)
{
    expr *const zero = number_new(p, at, num_int(0));

    return expr_call(
        p, at, f, 1 + (f == FUNCTION_ATAN2 || f == FUNCTION_HYPOT || f == FUNCTION_MAX),
        (expr *[]){a ? expr_copy(p, a) : zero, b ? expr_copy(p, b) : zero});
}

static expr *over(parser *p, place at, expr *a, const expr *by)
{
    return complex_new(p, at, divide(p, part(a, 0), by), divide(p, part(a, 1), by));
}

/* a/b is a*conj(c)/(c*conj(c))/size of c = b/size. The larger part of c is 1, so no
 * square overflows. A number of one part needs no squares. */
static expr *quotient(parser *p, place at, expr *a, expr *b)
{
    expr *const re = part(b, 0), *const im = part(b, 1);

    if (!im)
        return over(p, at, a, b->kind == EXPR_LIST ? b->arg[0] : b);
    if (!re)
        return over(
            p, at,
            product(p, at, a, complex_new(p, at, NULL, number_new(p, at, num_int(-1)))),
            im);
    expr *const size = call(p, at, FUNCTION_MAX, call(p, at, FUNCTION_ABS, re, NULL),
                            call(p, at, FUNCTION_ABS, im, NULL));
    expr *const c = over(p, at, b, size), *const turned = complex_new(
                                              p, at, part(c, 0), negated(p, part(c, 1)));
    return over(p, at, over(p, at, product(p, at, a, turned), square(p, c)), size);
}

enum { FEW_FACTORS = 8, MOST_POWER = 1024, POWER_NODES = 20 * MAX_NODES_WRITTEN };

/* Squares of squares. Large ones are re^2 - im^2 and 2*(re*im): a power has its operand
 * once in the tree, a product has it twice, so the tree only doubles. */
static expr *power(parser *p, place at, expr *z, int64_t n)
{
    if (n == 1)
        return z;
    expr *const half = power(p, at, z, n / 2), *const two = number_new(p, at, num_int(2)),
                *even = NULL, *of[2] = {part(half, 0), part(half, 1)};

    if (n > FEW_FACTORS && of[0] && of[1])
        even = complex_new(
            p, at,
            subtract(p, expr_binary(p, OP_POW, expr_copy(p, of[0]), two),
                     expr_binary(p, OP_POW, expr_copy(p, of[1]), expr_copy(p, two))),
            multiply(p, two, multiply(p, of[0], of[1])));
    else
        even = product(p, at, half, half);
    return n % 2 ? product(p, at, even, z) : even;
}

static expr *binary(parser *p, const expr *e)
{
    expr *const a = e->arg[0], *const b = e->arg[1];
    int64_t n;

    switch (e->op) {
    case OP_ADD:
        return complex_new(p, e->at, add(p, part(a, 0), part(b, 0)),
                           add(p, part(a, 1), part(b, 1)));
    case OP_SUB:
        return complex_new(p, e->at, subtract(p, part(a, 0), part(b, 0)),
                           subtract(p, part(a, 1), part(b, 1)));
    case OP_MUL: return product(p, e->at, a, b);
    case OP_DIV: return quotient(p, e->at, a, b);
    default: break;
    }
    const constant c = constant_find(p, b);
    if (e->op != OP_POW || !c.known || !num_is_int(c.value, &n) || n < -MOST_POWER ||
        n > MOST_POWER)
        return NULL;
    const int64_t nodes = p->nodes; /* in the text it is one operation */
    p->nodes -= POWER_NODES;
    expr *const one = number_new(p, e->at, num_int(1)),
                *const whole = n ? power(p, e->at, a, n < 0 ? -n : n)
                                 : complex_new(p, e->at, one, NULL);
    expr *const result = n < 0 ? quotient(p, e->at, one, whole) : whole;
    p->nodes = nodes + 1;
    return result;
}

/* ---- functions --------------------------------------------------------------------- */

static expr *function(parser *p, const expr *e)
{
    expr *const z = e->arg[0];

    if (e->function == FUNCTION_WHERE && z->kind != EXPR_LIST) {
        expr *const yes = complex_new(p, e->at, part(e->arg[1], 0), part(e->arg[1], 1)),
                    *const no = complex_new(p, e->at, part(e->arg[2], 0),
                                            part(e->arg[2], 1));
        for (int k = 0; k < 2; k++)
            yes->arg[k] = expr_call(p, e->at, FUNCTION_WHERE, 3,
                                    (expr *[]){expr_copy(p, z), yes->arg[k], no->arg[k]});
        return yes;
    }
    if (e->function == FUNCTION_ABS)
        return call(p, e->at, FUNCTION_HYPOT, part(z, 0), part(z, 1));
    if (e->function != FUNCTION_EXP)
        return NULL;
    expr *const size = part(z, 0) ? call(p, e->at, FUNCTION_EXP, part(z, 0), NULL) : NULL;
    expr *const cosine = call(p, e->at, FUNCTION_COS, part(z, 1), NULL),
                *const sine = call(p, e->at, FUNCTION_SIN, part(z, 1), NULL);
    return complex_new(p, e->at, size ? multiply(p, size, cosine) : cosine,
                       size ? multiply(p, size, sine) : sine);
}

/* True if an operation acts on both parts alone. */
static bool is_linear(const expr *e)
{
    const bool sums = e->kind == EXPR_REDUCE ? e->reduction == REDUCTION_SUM
                      : e->kind == EXPR_LINE
                          ? e->count == 1 && (e->line == LINE_SCAN || e->line == LINE_SUM)
                          : false;

    return sums || e->kind == EXPR_SHIFT || e->kind == EXPR_DERIVE ||
           e->kind == EXPR_LAPLACE || e->kind == EXPR_STENCIL || e->kind == EXPR_TRANSFER;
}

bool complex_close(parser *p, expr *e)
{
    if (is_linear(e))
        return false;
    expr *const z = e->arg[0];
    const bool negative = e->kind == EXPR_UNARY && e->op == OP_NEG;
    const expr *value = negative ? complex_new(p, e->at, negated(p, part(z, 0)),
                                               negated(p, part(z, 1)))
                        : e->kind == EXPR_BINARY ? binary(p, e)
                        : e->kind == EXPR_CALL   ? function(p, e)
                        : e->kind == EXPR_APPLY && e->symbol->value &&
                                !e->symbol->notes->parted
                            ? let_applied(p, e->symbol->value, e)
                            : NULL;
    if (!value) {
        mistake_at(
            p, e->at,
            "this is not known of complex numbers, but + - * /, known whole powers from "
            "-1024 to 1024, abs, exp, where, sums, derivatives and stencils; re(z), "
            "im(z), abs(z) and arg(z) are numbers: a root is "
            "sqrt(abs(z))*exp(i*arg(z)/2), a logarithm log(abs(z)) + i*arg(z)");
        value = expr_unknown(p, e->at);
    }
    *e = *value;
    return true;
}

static const char *const complex_calls[] = {"re", "im", "conj", "arg"};

bool complex_is_call(const parser *p, const token *name)
{
    return p->has_complex && next_is(p, "(") &&
           word_find(complex_calls, (int)COUNT_OF(complex_calls), name->text,
                     name->length) >= 0;
}

expr *complex_call_parse(parser *p, const token *name)
{
    const token *open = take(p);
    expr *z = expr_parse_inside(p),
         *both = complex_new(p, name->at, part(z, 0), part(z, 1));

    p->parted = true;
    expect_closed(p, open, ")");
    if (z->kind == EXPR_LIST && !z->is_complex) {
        list_refused(p, z);
        return expr_unknown(p, name->at);
    }
    switch (word_find(complex_calls, (int)COUNT_OF(complex_calls), name->text,
                      name->length)) {
    case 0: return both->arg[0];
    case 1: return both->arg[1];
    case 2: return complex_new(p, name->at, part(z, 0), negated(p, part(z, 1)));
    default: return call(p, name->at, FUNCTION_ATAN2, both->arg[1], both->arg[0]);
    }
}
