/* SPDX-License-Identifier: BSD-3-Clause */
/* One loop for each operation, in f32 and in f64.
 *
 * The list below has each operation once; <tgmath.h> selects fma, sqrt ... of the type.
 * `apply` of a constant operation is inlined into loops over LANE elements, and
 * compilers turn these into vector instructions. Everything is compiled twice, for
 * machines with and without wide vectors and fma. This needs no -m option, no ifunc and
 * no copies, and a test can compare all versions. They are bitwise identical: every
 * operation rounds once, and without the instruction fma is a slow, exact call of the
 * library. */
#include "base/functions/functions.h"

#include <tgmath.h>

#include "interp/interp_private.h"

#define ROW_LIST(X, ONE, PAIR)                                                           \
    SMOOTH_FUNCTION_LIST(ONE)                                                            \
    STEPWISE_FUNCTION_LIST(ONE)                                                          \
    PAIR_FUNCTION_LIST(PAIR)                                                             \
    X(ROUND, a)                                                                          \
    X(NEG, -a)                                                                           \
    X(ADD, a + b)                                                                        \
    X(SUB, a - b)                                                                        \
    X(MUL, (a * b))                                                                      \
    X(DIV, a / b)                                                                        \
    X(FMA, fma(a, b, c))                                                                 \
    X(MIN, a < b ? a : b)                                                                \
    X(MAX, a > b ? a : b)                                                                \
    X(ABS, fabs(a))                                                                      \
    X(SQRT, sqrt(a))                                                                     \
    X(LT, a < b ? 1 : 0)                                                                 \
    X(LE, a <= b ? 1 : 0)                                                                \
    X(EQ, a == b ? 1 : 0)                                                                \
    X(NE, a != b ? 1 : 0)                                                                \
    X(AND, a != 0 && b != 0 ? 1 : 0)                                                     \
    X(OR, a != 0 || b != 0 ? 1 : 0)                                                      \
    X(NOT, a == 0 ? 1 : 0)                                                               \
    X(EVEN, a - a == 0 && a / 2 == floor(a / 2) ? 1 : 0)                                 \
    X(SELECT, a != 0 ? b : c)

#define APPLY(name, expression)                                                          \
    case IR_##name:                                                                      \
        return expression;

#define REAL float
#define NAME(word) f32_##word
#include "interp/text/rows_private.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(word) f64_##word
#include "interp/text/rows_private.h"
#undef REAL
#undef NAME

/* Each case has its own loops, so the operation is a constant in them. */
#define LOOPS(name, ...)                                                                 \
    case IR_##name:                                                                      \
        if (real == PAV_F32)                                                             \
            f32_loop(IR_##name, count, out, in);                                         \
        else                                                                             \
            f64_loop(IR_##name, count, out, in);                                         \
        break;

#define NO_LOOPS(...)

INLINE void loop_function(pav_type real, ir_op op, int64_t count, void *out,
                          const operand in[3])
{
    switch (op) {
        ROW_LIST(NO_LOOPS, LOOPS, LOOPS)
    default: break;
    }
}

INLINE void loop(pav_type real, ir_op op, int64_t count, void *out, const operand in[3])
{
    switch (op) {
        ROW_LIST(LOOPS, NO_LOOPS, NO_LOOPS)
    default: loop_function(real, op, count, out, in);
    }
}

static void op_plain(pav_type real, ir_op op, int64_t count, void *out,
                     const operand in[3])
{
    loop(real, op, count, out, in);
}

FOR_AVX2 static void op_avx2(pav_type real, ir_op op, int64_t count, void *out,
                             const operand in[3])
{
    loop(real, op, count, out, in);
}

row_op *row_op_find(row_level level)
{
    static row_op *const ops[ROW_LEVELS] = {op_plain, op_avx2};

    return ops[level];
}

row_level row_level_best(void)
{
    return HAS_AVX2 ? ROW_AVX2 : ROW_PLAIN;
}
