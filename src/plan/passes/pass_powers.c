/* SPDX-License-Identifier: BSD-3-Clause */
/* powers: x^n for integers |n| <= 64 becomes multiplications by repeated squaring, so
 * that x^3 and x^4 share x^2; x^-n is 1/x^n; x^(1/2) is a root. Other powers are
 * unchanged. */
#include "plan/plan_private.h"

/* n >= 1 */
static int multiply(builder *b, int x, int64_t n)
{
    if (n == 1)
        return x;
    const int half = multiply(b, x, n / 2);
    const int square = build_op(b, IR_MUL, half, half, -1);
    return n % 2 ? build_op(b, IR_MUL, square, x, -1) : square;
}

static int invert(builder *b, int x)
{
    return build_op(b, IR_DIV, build_const(b, num_int(1)), x, -1);
}

/* The expanded power, or -1 if it stays a power. */
static int expand(builder *b, int x, num exponent)
{
    int64_t n = 0;

    if (num_equal(exponent, num_ratio(1, 2)))
        return build_op(b, IR_SQRT, x, -1, -1);
    if (num_equal(exponent, num_ratio(-1, 2)))
        return invert(b, build_op(b, IR_SQRT, x, -1, -1));
    if (!num_is_int(exponent, &n) || n > MAX_POWER || n < -MAX_POWER)
        return -1;
    if (n == 0)
        return build_const(b, num_int(1));
    return n > 0 ? multiply(b, x, n) : invert(b, multiply(b, x, -n));
}

static int rewrite(builder *b, const ir_node *n, const int *map)
{
    if (n->op == IR_POW && b->stage->node[map[n->arg[1]]].op == IR_CONST) {
        const int made = expand(b, map[n->arg[0]], b->stage->node[map[n->arg[1]]].value);
        if (made >= 0)
            return made;
    }
    return build_copy(b, n, map);
}

void pass_powers(ir *code, int stage)
{
    stage_rewrite(code, stage, rewrite);
}
