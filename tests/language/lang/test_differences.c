/* SPDX-License-Identifier: BSD-3-Clause */
/* Finite difference weights: compared with the published tables (Fornberg, Mathematics of
 * Computation 51, 1988, tables 1 and 2), and with their defining conditions in exact
 * arithmetic. */
#include "lang/lang.h"
#include "test.h"

typedef struct ratio {
    int64_t p, q;
} ratio;

/* Weights of the offsets 0, 1, 2 ...; if half: of the offsets 1/2, 3/2, ... */
typedef struct table_row {
    int m, order, half;
    ratio weight[9];
} table_row;

static const table_row table[] = {
    {1, 2, 0, {{0, 1}, {1, 2}}},
    {1, 4, 0, {{0, 1}, {2, 3}, {-1, 12}}},
    {1, 6, 0, {{0, 1}, {3, 4}, {-3, 20}, {1, 60}}},
    {1, 8, 0, {{0, 1}, {4, 5}, {-1, 5}, {4, 105}, {-1, 280}}},
    {1, 10, 0, {{0, 1}, {5, 6}, {-5, 21}, {5, 84}, {-5, 504}, {1, 1260}}},
    {1, 12, 0, {{0, 1}, {6, 7}, {-15, 56}, {5, 63}, {-1, 56}, {1, 385}, {-1, 5544}}},
    {1,
     14,
     0,
     {{0, 1}, {7, 8}, {-7, 24}, {7, 72}, {-7, 264}, {7, 1320}, {-7, 10296}, {1, 24024}}},
    {1,
     16,
     0,
     {{0, 1},
      {8, 9},
      {-14, 45},
      {56, 495},
      {-7, 198},
      {56, 6435},
      {-2, 1287},
      {8, 45045},
      {-1, 102960}}},
    {2, 2, 0, {{-2, 1}, {1, 1}}},
    {2, 4, 0, {{-5, 2}, {4, 3}, {-1, 12}}},
    {2, 6, 0, {{-49, 18}, {3, 2}, {-3, 20}, {1, 90}}},
    {2, 8, 0, {{-205, 72}, {8, 5}, {-1, 5}, {8, 315}, {-1, 560}}},
    {2, 10, 0, {{-5269, 1800}, {5, 3}, {-5, 21}, {5, 126}, {-5, 1008}, {1, 3150}}},
    {2,
     12,
     0,
     {{-5369, 1800}, {12, 7}, {-15, 56}, {10, 189}, {-1, 112}, {2, 1925}, {-1, 16632}}},
    {2,
     14,
     0,
     {{-266681, 88200},
      {7, 4},
      {-7, 24},
      {7, 108},
      {-7, 528},
      {7, 3300},
      {-7, 30888},
      {1, 84084}}},
    {2,
     16,
     0,
     {{-1077749, 352800},
      {16, 9},
      {-14, 45},
      {112, 1485},
      {-7, 396},
      {112, 32175},
      {-2, 3861},
      {16, 315315},
      {-1, 411840}}},
    {4, 2, 0, {{6, 1}, {-4, 1}, {1, 1}}},
    {4, 4, 0, {{28, 3}, {-13, 2}, {2, 1}, {-1, 6}}},
    {4, 6, 0, {{91, 8}, {-122, 15}, {169, 60}, {-2, 5}, {7, 240}}},
    {4,
     8,
     0,
     {{1529, 120}, {-1669, 180}, {4369, 1260}, {-541, 840}, {1261, 15120}, {-41, 7560}}},
    {1, 2, 1, {{1, 1}}},
    {1, 4, 1, {{9, 8}, {-1, 24}}},
    {1, 6, 1, {{75, 64}, {-25, 384}, {3, 640}}},
    {1, 8, 1, {{1225, 1024}, {-245, 3072}, {49, 5120}, {-5, 7168}}},
    {1,
     10,
     1,
     {{19845, 16384}, {-735, 8192}, {567, 40960}, {-405, 229376}, {35, 294912}}},
    {1,
     12,
     1,
     {{160083, 131072},
      {-12705, 131072},
      {22869, 1310720},
      {-5445, 1835008},
      {847, 2359296},
      {-63, 2883584}}},
    {0, 2, 1, {{1, 2}}},
    {0, 4, 1, {{9, 16}, {-1, 16}}},
    {0, 6, 1, {{75, 128}, {-25, 256}, {3, 256}}},
    {3, 2, 1, {{-3, 1}, {1, 1}}},
};

enum { MAX_WEIGHTS = 2 * MAX_OFFSET + 1 };
static num weight[MAX_WEIGHTS];

static bool weights_are(const table_row *row)
{
    int first, count;
    if (!difference_weights(row->m, row->order, row->half, weight, &first, &count))
        return false;
    const int middle = row->half ? 1 - first : -first;
    for (int i = 0; i < count - middle; i++) {
        const ratio want = row->weight[i];
        if (!num_equal(weight[middle + i], num_ratio(want.p, want.q)))
            return false;
    }
    return true;
}

TEST(weights_equal_the_published_tables)
{
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        const table_row *row = &table[i];
        if (!weights_are(row))
            CHECK_EQ(row->order, -row->m);
    }
}

/* The position of weight i from the point of evaluation, in cells. */
static num position(int first, int i, int half)
{
    return num_sub(num_int(first + i), num_ratio(half, 2));
}

/* sum of w_i x_i^k: m! for k = m and 0 for every other k < m + order. */
static bool moments_hold(int m, int order, int half)
{
    int first, count;
    if (!difference_weights(m, order, half, weight, &first, &count))
        return false;
    num factorial = num_int(1);
    for (int k = 0; k < m + order; k++) {
        num sum = num_int(0);
        for (int i = 0; i < count; i++)
            sum = num_add(sum,
                          num_mul(weight[i], num_power(position(first, i, half), k)));
        if (!sum.exact || !num_equal(sum, k == m ? factorial : num_int(0)))
            return false;
        factorial = num_mul(factorial, num_int(k + 1));
    }
    return true;
}

TEST(central_weights_are_exact_on_polynomials)
{
    for (int m = 0; m <= 12; m++)
        for (int order = 2; order <= 12; order += 2)
            if (!moments_hold(m, order, 0))
                CHECK_EQ(order, -m);
}

TEST(half_point_weights_are_exact_on_polynomials)
{
    for (int m = 0; m <= 6; m++)
        for (int order = 2; order <= 12; order += 2)
            for (int half = -1; half <= 1; half += 2)
                if (!moments_hold(m, order, half))
                    CHECK_EQ(order, -m * half);
}

/* A derivative has at most four letters, and at most three if it is taken half a cell
 * off. */
TEST(weights_of_all_that_the_language_can_say_are_exact)
{
    int first, count;
    for (int order = 2; order <= MAX_ORDER; order += 2) {
        for (int m = 0; m <= 4; m++)
            CHECK(difference_weights(m, order, 0, weight, &first, &count));
        for (int m = 0; m <= 3; m++)
            CHECK(difference_weights(m, order, 1, weight, &first, &count));
    }
}

TEST(weights_are_even_or_odd_as_the_derivative)
{
    for (int m = 0; m <= 12; m++) {
        int first, count;
        REQUIRE(difference_weights(m, 8, 0, weight, &first, &count));
        for (int i = 0; i < count; i++) {
            const num mirrored = weight[count - 1 - i];
            CHECK(num_equal(weight[i], m % 2 == 0 ? mirrored : num_neg(mirrored)));
        }
    }
}

TEST(the_radius_is_the_least_that_gives_the_order)
{
    int first, count;
    REQUIRE(difference_weights(1, 2, 0, weight, &first, &count));
    CHECK(first == -1 && count == 3);
    REQUIRE(difference_weights(3, 4, 0, weight, &first, &count));
    CHECK(first == -3 && count == 7);
    REQUIRE(difference_weights(4, 2, 0, weight, &first, &count));
    CHECK(first == -2 && count == 5);
    REQUIRE(difference_weights(0, 2, 0, weight, &first, &count));
    CHECK(first == 0 && count == 1 && num_equal(weight[0], num_int(1)));
}

TEST(half_a_cell_up_and_down_have_the_same_weights_a_cell_apart)
{
    static num below[MAX_WEIGHTS];
    int first, count, first_below, count_below;
    REQUIRE(difference_weights(3, 6, 1, weight, &first, &count));
    REQUIRE(difference_weights(3, 6, -1, below, &first_below, &count_below));
    CHECK(first == -3 && count == 8);
    CHECK(first_below == first - 1 && count_below == count);
    for (int i = 0; i < count; i++)
        CHECK(num_equal(weight[i], below[i]));
}

TEST(weights_that_overflow_exact_arithmetic_are_refused)
{
    int first, count;
    CHECK(!difference_weights(12, 32, 1, weight, &first, &count));
    CHECK(!difference_weights(2, 400, 0, weight, &first, &count));
}
