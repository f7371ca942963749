/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of the language: one table for each kind, for parser, printer and
 * suggestions. */
#include <string.h>

#include "lang/lang_private.h"

const function_info function_table[FUNCTION_COUNT] = {
    [FUNCTION_MIN] = {"min", 2, "the smaller"},
    [FUNCTION_MAX] = {"max", 2, "the larger"},
    [FUNCTION_ABS] = {"abs", 1, "without sign"},
    [FUNCTION_SQRT] = {"sqrt", 1, "square root"},
    [FUNCTION_EXP] = {"exp", 1, "e to a power"},
    [FUNCTION_LOG] = {"log", 1, "natural logarithm"},
    [FUNCTION_SIN] = {"sin", 1, "sine of radians"},
    [FUNCTION_COS] = {"cos", 1, "cosine of radians"},
    [FUNCTION_TAN] = {"tan", 1, "tangent of radians"},
    [FUNCTION_TANH] = {"tanh", 1, "hyperbolic tangent"},
    [FUNCTION_POW] = {"pow", 2, "pow(a, b) is a^b"},
    [FUNCTION_FLOOR] = {"floor", 1, "largest whole number that is not larger"},
    [FUNCTION_WHERE] = {"where", 3,
                        "where(condition, a, b) is a if the condition holds, else b"},
    [FUNCTION_RICKER] = {"ricker", 2,
                         "ricker(f, t): wavelet of peak frequency f, delayed by 1.2/f"},
    [FUNCTION_RANDOM] = {"random", 1,
                         "random(seed): uniform in [0, 1), in initial values"},
};

const char *const builtin_names[BUILTIN_COUNT] = {
    "x", "y", "z", "h", "hx", "hy", "hz", "nx", "ny", "nz", "t", "step", "pi"};
const char *const reduction_names[REDUCTION_COUNT] = {"sum", "min", "max", "norm",
                                                      "integral"};
const format_info format_table[FORMATS] = {
    {".npy", .field = true, .table = true},
    {".npy.zst", .field = true},
    {".png", .picture = true, .gather = true},
    {".csv", .table = true},
    {".vti", .field = true},
    {".vtr", .field = true},
    {".pvd", .field = true, .film = true, .piece = ".vti"},
    {".h5", .field = true},
    {".xdmf", .field = true, .film = true, .piece = ".h5"},
    {".apng", .picture = true, .film = true},
    {".sgy", .gather = true},
    {".segy", .gather = true},
};
const char *const colour_names[COLOUR_MAPS] = {"viridis", "magma", "inferno", "grey",
                                               "seismic"};
const char *const face_names[2 * MAX_DIM] = {"x-", "x+", "y-", "y+", "z-", "z+"};
const char axis_letters[MAX_DIM + 1] = "xyz";

const operator_info operator_table[OP_OR + 1] = {
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
};

static const char *const statement_words[] = {
    "grid",   "real",   "param",  "scalar", "let",        "field",   "stencil",
    "border", "absorb", "mask",   "inject", "sample",     "measure", "until",
    "steps",  "output", "expect", "solve",  "checkpoint", "chaotic"};
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
                                         "for",
                                         "order",
                                         "crop",
                                         "stride"};
static const char *const call_words[] = {
    "prev", "sum",   "norm",  "laplace", "restrict", "interpolate", "min", "max",
    "abs",  "sqrt",  "exp",   "log",     "sin",      "cos",         "tan", "tanh",
    "pow",  "floor", "where", "ricker",  "random",   "dx",          "dy",  "dz",
    "dxx",  "dyy",   "dzz",   "dxy",     "dxz",      "dyz"};
static const char *const value_words[] = {"and", "or", "not", "x",  "y",    "z", "t",
                                          "h",   "hx", "hy",  "hz", "step", "pi"};

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

bool word_is_reserved(const char *word, int length)
{
    int derivative[MAX_DIM];

    for (size_t i = 0; i < COUNT_OF(lists); i++)
        if (word_find(lists[i].list, lists[i].count, word, length) >= 0)
            return true;
    return derivative_find(word, length, derivative);
}

bool word_begins_statement(const char *word, int length)
{
    return word_find(statement_words, COUNT_OF(statement_words), word, length) >= 0;
}

int function_find(const char *word, int length)
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
