/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators and functions of doubles, for values that are neither exact nor computed by
 * kernels. */
#include <math.h>

#include "lang/lang_private.h"

static double power(double a, double b)
{
    return b == 2 ? a * a : b == 3 ? a * a * a : pow(a, b);
}

double combine_f64(op_kind op, double a, double b)
{
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_POW: return power(a, b);
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    case OP_GE: return a >= b;
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_AND: return a != 0 && b != 0;
    default: return a != 0 || b != 0;
    }
}

static double ricker(double f, double t)
{
    const double pi = 3.14159265358979323846;
    const double q = pi * f * (t - 1.2 / f);

    return (1 - 2 * q * q) * exp(-q * q);
}

double function_f64(function_kind f, double a, double b)
{
    switch (f) {
    case FUNCTION_MIN: return a < b ? a : b;
    case FUNCTION_MAX: return a > b ? a : b;
    case FUNCTION_ABS: return fabs(a);
    case FUNCTION_SQRT: return sqrt(a);
    case FUNCTION_EXP: return exp(a);
    case FUNCTION_LOG: return log(a);
    case FUNCTION_SIN: return sin(a);
    case FUNCTION_COS: return cos(a);
    case FUNCTION_TAN: return tan(a);
    case FUNCTION_TANH: return tanh(a);
    case FUNCTION_POW: return power(a, b);
    case FUNCTION_FLOOR: return floor(a);
    default: return ricker(a, b);
    }
}
