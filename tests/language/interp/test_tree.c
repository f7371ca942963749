/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions follow one fixed tree over global indices, for any order and size of the
 * pieces. */
#include "interp/interp_private.h"
#include "world.h"

enum { MOST = 70, FARTHEST = 40 };

/* The definition of the tree: a block combines its left half with its right half. */
static double by_definition(reduction_kind kind, const double *values, int64_t lo,
                            int64_t hi, int64_t first, int64_t size)
{
    const int64_t middle = first + size / 2;

    if (size == 1)
        return values[first - lo];
    if (hi <= middle)
        return by_definition(kind, values, lo, hi, first, size / 2);
    if (lo >= middle)
        return by_definition(kind, values, lo, hi, middle, size / 2);
    const double left = by_definition(kind, values, lo, hi, first, size / 2);
    const double right = by_definition(kind, values, lo, hi, middle, size / 2);
    return tree_combine(kind, left, right);
}

static void fill(double *values, int count)
{
    rng r = {(uint64_t)count};

    for (int i = 0; i < count; i++)
        values[i] = (rng_unit(&r) - 0.5) * exp(20 * rng_unit(&r));
}

static double fold(const double *values, int64_t first, int count)
{
    double copy[MOST];

    memcpy(copy, values, (size_t)count * sizeof *copy);
    return interp_reduce(REDUCTION_SUM, copy, first, count);
}

static double add_all(const double *values, int64_t first, int count)
{
    tree t;

    tree_start(&t, REDUCTION_SUM);
    for (int i = 0; i < count; i++)
        tree_add(&t, first + i, values[i]);
    return tree_value(&t);
}

TEST(rows_of_1_to_70_from_any_index_are_added_by_the_tree)
{
    double v[MOST];

    for (int count = 1; count <= MOST; count++)
        for (int64_t first = -FARTHEST; first <= FARTHEST; first++) {
            fill(v, count);
            const double want = by_definition(REDUCTION_SUM, v, first, first + count,
                                              -128, 256);
            CHECK(fold(v, first, count) == want);
            CHECK(add_all(v, first, count) == want);
        }
}

TEST(three_numbers_from_an_odd_index_pair_the_last_two)
{
    const double v[3] = {1, 0x1p-53, 0x1p-53};

    CHECK(fold(v, 1, 3) == 1 + 0x1p-52);
    CHECK(fold(v, 0, 3) == 1);
}

TEST(minimum_and_maximum_of_anything_and_nan_are_nan)
{
    for (int at = 0; at < 5; at++) {
        double low[5] = {3, 1, 4, 1, 5}, high[5] = {3, 1, 4, 1, 5};
        low[at] = high[at] = (double)NAN;
        CHECK(isnan(interp_reduce(REDUCTION_MIN, low, 0, 5)));
        CHECK(isnan(interp_reduce(REDUCTION_MAX, high, 3, 5)));
    }
    double low[5] = {3, 1, 4, 1, 5}, high[5] = {3, 1, 4, 1, 5};
    CHECK(interp_reduce(REDUCTION_MIN, low, 7, 5) == 1);
    CHECK(interp_reduce(REDUCTION_MAX, high, 7, 5) == 5);
}

/* The sum of a field over a box of one row, so long that it takes many pieces. */
static double sum_of_row(world *w, int64_t lo, int64_t hi)
{
    w->box.lo[0] = lo;
    w->box.hi[0] = hi;
    CHECK(world_agrees(w));
    return w->slot[FAST][0];
}

static world *world_to_sum(int64_t nx)
{
    world *w = world_new(3, PAV_F64, nx, 1, 1);
    const int f = world_field(w, PAV_F64, false);

    for (int64_t i = -WORLD_HALO; i < nx + WORLD_HALO; i++)
        world_set(w, f, 0, i, 0, 0, 1 / (double)(3 + i * i));
    world_reduce(w, world_load(w, f, 0, 0, 0, 0), REDUCTION_SUM, 0);
    return w;
}

TEST(rows_of_many_pieces_are_added_by_the_same_tree)
{
    world *w = world_to_sum(5000);

    for (int64_t lo = -2; lo < 3; lo++)
        for (int64_t hi = 4995; hi < 5003; hi++)
            sum_of_row(w, lo, hi);
    sum_of_row(w, 511, 1537);
    sum_of_row(w, 1536, 4096);
    world_free(w);
}

/* Blocks of 1024 from index 0 are whole blocks of the tree. */
TEST(partial_sums_of_aligned_parts_combine_to_the_sum)
{
    world *w = world_to_sum(3000);
    tree t;

    tree_start(&t, REDUCTION_SUM);
    tree_add(&t, 0, sum_of_row(w, 0, 1024));
    tree_add(&t, 1, sum_of_row(w, 1024, 2048));
    tree_add(&t, 2, sum_of_row(w, 2048, 3000));
    CHECK(tree_value(&t) == sum_of_row(w, 0, 3000));
    world_free(w);
}

/* A stage with many buffers cuts its rows into shorter pieces. This must not change the
 * sum. */
TEST(the_sum_does_not_depend_on_how_rows_are_cut)
{
    world *narrow = world_to_sum(2000), *wide = world_to_sum(2000);
    int term[50], most = 0;

    for (int k = 0; k < 50; k++)
        term[k] = world_op(wide, IR_SQRT, world_load(wide, 0, 0, k % 5, 0, 0), -1, -1);
    for (int k = 0; k < 50; k++)
        most = world_op(wide, IR_MAX, term[k], k ? most : term[0], -1);
    world_reduce(wide, most, REDUCTION_MAX, 1);
    CHECK(sum_of_row(wide, 0, 2000) == sum_of_row(narrow, 0, 2000));
    world_free(narrow);
    world_free(wide);
}
