/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops over rows: an operation has the same result with the vector instructions of every
 * machine. */
#include "base/functions/functions.h"
#include "interp/interp_private.h"
#include "world.h"

enum { MOST = 3 * LANE };

static const double numbers[] = {0.0,  -0.0, 1.0,    -1.5,   0.1,      3e-45, 1e-310,
                                 1e30, 1e39, 0x1p53, -2.5,   INFINITY, NAN,   -INFINITY,
                                 2.5,  -3.7, 1e-3,   65504., 7.0,      -1e-40};

static double number(int i)
{
    return numbers[(size_t)i % COUNT_OF(numbers)];
}

/* Applies one operation to three numbers, with the loop of a level. */
static double op_f64(row_level level, ir_op op, double a, double b, double c)
{
    double x[LANE] = {a}, y[LANE] = {b}, z[LANE] = {c}, out[LANE] = {0};
    const operand in[3] = {{x, LANE}, {y, LANE}, {z, LANE}};

    row_op_find(level)(PAV_F64, op, 1, out, in);
    return out[0];
}

static float op_f32(row_level level, ir_op op, float a, float b, float c)
{
    float x[LANE] = {a}, y[LANE] = {b}, z[LANE] = {c}, out[LANE] = {0};
    const operand in[3] = {{x, LANE}, {y, LANE}, {z, LANE}};

    row_op_find(level)(PAV_F32, op, 1, out, in);
    return out[0];
}

static void fill(pav_type real, char *row, int from, int stride)
{
    for (int i = 0; i < MOST; i++)
        type_store(real, row + (size_t)i * pav_type_size(real),
                   number(from + i * stride));
}

/* True if the loops of this machine equal the plain loops and change only `count`
 * numbers. */
static bool same_as_plain(pav_type real, ir_op op, int count)
{
    char in[3][MOST * sizeof(double)], out[2][MOST * sizeof(double)] = {{0}};
    const operand at[3] = {{in[0], LANE}, {in[1], LANE}, {in[2], LANE}};

    fill(real, in[0], 0, 1);
    fill(real, in[1], count, 7);
    fill(real, in[2], (int)op, 3);
    row_op_find(ROW_PLAIN)(real, op, count, out[0], at);
    row_op_find(row_level_best())(real, op, count, out[1], at);
    for (size_t i = 0; i < MOST; i++) {
        const double a = type_load(real, out[0] + i * pav_type_size(real));
        const double b = type_load(real, out[1] + i * pav_type_size(real));
        if (!same_number(a, b))
            return false;
        if ((int)i >= count && b != 0)
            return false;
    }
    return true;
}

TEST(every_operation_is_the_same_on_every_machine_and_at_every_length)
{
    for (int op = IR_NEG; op < IR_OP_COUNT; op++)
        for (int count = 1; count <= MOST; count += count < 5 ? 1 : 29) {
            CHECK(same_as_plain(PAV_F32, (ir_op)op, count));
            CHECK(same_as_plain(PAV_F64, (ir_op)op, count));
        }
}

TEST(a_lane_of_copies_stands_for_a_whole_row)
{
    double same[LANE], other[MOST], out[MOST] = {0};
    const operand in[3] = {{same, 0}, {other, LANE}, {other, LANE}};

    for (int i = 0; i < MOST; i++)
        other[i] = i;
    for (int i = 0; i < LANE; i++)
        same[i] = 5;
    row_op_find(row_level_best())(PAV_F64, IR_SUB, MOST - 1, out, in);
    for (int i = 0; i < MOST - 1; i++)
        CHECK(out[i] == 5 - i);
    CHECK(out[MOST - 1] == 0);
}

TEST(a_result_may_replace_an_operand)
{
    float v[MOST];
    const operand in[3] = {{v, LANE}, {v, LANE}, {v, LANE}};

    for (int i = 0; i < MOST; i++)
        v[i] = (float)i;
    row_op_find(row_level_best())(PAV_F32, IR_FMA, MOST, v, in);
    for (int i = 0; i < MOST; i++)
        CHECK(v[i] == (float)(i * i + i));
}

TEST(fma_rounds_once_in_both_types)
{
    for (int level = 0; level <= (int)row_level_best(); level++) {
        const double a = 1 + 0x1p-30, b = 1 - 0x1p-30;
        CHECK(op_f64((row_level)level, IR_FMA, a, b, -1) == -0x1p-60);
        CHECK(op_f32((row_level)level, IR_FMA, 1 + 0x1p-13F, 1 - 0x1p-13F, -1) ==
              -0x1p-26F);
        /* 0x1p60 lies half way between two floats, and the product is a little more. */
        CHECK(op_f32((row_level)level, IR_FMA, 1 + 0x1p-12F, 1 + 0x1p-12F, 0x1p-40F) ==
              1 + 0x1p-11F + 0x1p-23F);
    }
}

TEST(product_and_sum_are_not_contracted)
{
    const double a = 1 + 0x1p-30, b = 1 - 0x1p-30;
    double x[LANE] = {a}, y[LANE] = {b}, one[LANE] = {1};
    row_op *op = row_op_find(row_level_best());

    op(PAV_F64, IR_MUL, 1, x, (operand[3]){{x, LANE}, {y, LANE}, {y, LANE}});
    op(PAV_F64, IR_SUB, 1, x, (operand[3]){{x, LANE}, {one, LANE}, {one, LANE}});
    CHECK(x[0] == 0);
}

TEST(the_second_of_min_and_max_wins_ties_and_nan)
{
    const row_level best = row_level_best();

    CHECK(signbit(op_f64(best, IR_MIN, 0.0, -0.0, 0)));
    CHECK(!signbit(op_f64(best, IR_MAX, -0.0, 0.0, 0)));
    CHECK(op_f64(best, IR_MIN, (double)NAN, 2, 0) == 2);
    CHECK(isnan(op_f64(best, IR_MIN, 2, (double)NAN, 0)));
    CHECK(op_f32(best, IR_MAX, (float)NAN, -2, 0) == -2);
    CHECK(isnan(op_f32(best, IR_MAX, -2, (float)NAN, 0)));
}

TEST(comparisons_are_false_of_nan_but_unequal)
{
    static const ir_op ops[] = {IR_LT, IR_LE, IR_EQ};
    const row_level best = row_level_best();

    for (size_t k = 0; k < COUNT_OF(ops); k++)
        CHECK(op_f64(best, ops[k], (double)NAN, (double)NAN, 0) == 0);
    CHECK(op_f64(best, IR_NE, (double)NAN, (double)NAN, 0) == 1);
    CHECK(op_f64(best, IR_LE, 2, 2, 0) == 1);
    CHECK(op_f64(best, IR_LT, 2, 2, 0) == 0);
}

TEST(logic_knows_true_from_false)
{
    const row_level best = row_level_best();

    for (int a = 0; a <= 1; a++)
        for (int b = 0; b <= 1; b++) {
            CHECK(op_f32(best, IR_AND, (float)a, (float)b, 0) == (float)(a && b));
            CHECK(op_f32(best, IR_OR, (float)a, (float)b, 0) == (float)(a || b));
            CHECK(op_f32(best, IR_SELECT, (float)a, 8, 9) == (a ? 8 : 9));
            CHECK(op_f32(best, IR_NOT, (float)a, 0, 0) == (float)!a);
        }
}

TEST(functions_are_pavior_s_own_in_the_type_at_hand)
{
    const row_level best = row_level_best();

    for (int i = 1; i < 100; i++) {
        const float x = 0.37F * (float)i;
        CHECK(op_f32(best, IR_SIN, x, 0, 0) == f32_sin(x));
        CHECK(op_f32(best, IR_EXP, x, 0, 0) == f32_exp(x));
        CHECK(op_f32(best, IR_POW, x, 1.7F, 0) == f32_pow(x, 1.7F));
        CHECK(op_f64(best, IR_TANH, (double)x, 0, 0) == f64_tanh((double)x));
        CHECK(op_f64(best, IR_LOG, (double)x, 0, 0) == f64_log((double)x));
        CHECK(op_f64(best, IR_ATAN2, (double)x, 2, 0) == f64_atan2((double)x, 2));
        CHECK(op_f64(best, IR_FLOOR, -(double)x, 0, 0) == floor(-(double)x));
    }
}
