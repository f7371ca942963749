/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes and random numbers are the same on every machine, and medians are the middle
 * value. */
#include "base/base.h"
#include "test.h"

TEST(a_hash_does_not_depend_on_how_the_bytes_are_cut)
{
    hash h;

    hash_init(&h);
    hash_add(&h, "abc", 3);
    hash_add(&h, NULL, 0);
    hash_add(&h, "defg", 4);
    CHECK(hash_end(&h) == hash_bytes("abcdefg", 7));
    CHECK(hash_end(&h) == hash_end(&h));
}

TEST(every_bit_and_zero_byte_counts)
{
    unsigned char bytes[64] = {0};
    const uint64_t plain = hash_bytes(bytes, 64);

    CHECK(hash_bytes(bytes, 63) != plain && hash_bytes(bytes, 0) != hash_bytes(bytes, 1));
    for (int bit = 0; bit < 512; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        const uint64_t changed = hash_bytes(bytes, 64) ^ plain;
        CHECK(__builtin_popcountll(changed) > 8 && __builtin_popcountll(changed) < 56);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

TEST(the_stream_is_that_of_splitmix64)
{
    rng r = {0};

    CHECK(rng_next(&r) == UINT64_C(0xe220a8397b1dcdaf));
    CHECK(rng_next(&r) == UINT64_C(0x6e789e6aa1b965f4));
}

TEST(numbers_below_n_are_spread_evenly)
{
    rng r = {1};
    int counts[7] = {0};

    for (int i = 0; i < 70000; i++)
        counts[rng_below(&r, 7)]++;
    for (int i = 0; i < 7; i++)
        CHECK(counts[i] > 9600 && counts[i] < 10400);
    CHECK_EQ(rng_below(&r, 1), 0);
    CHECK_EQ(rng_below(&r, 0), 0);
    CHECK_EQ(rng_below(&r, -5), 0);
}

TEST(large_ranges_are_spread_evenly_too)
{
    rng r = {4};
    int low = 0;

    for (int i = 0; i < 10000; i++) { /* a plain remainder would give 7500 */
        const int64_t value = rng_below(&r, INT64_C(3) << 61);
        CHECK(value >= 0 && value < INT64_C(3) << 61);
        low += value < INT64_C(1) << 62;
    }
    CHECK_NEAR(low, 6667, 200);
}

TEST(unit_numbers_have_mean_one_half)
{
    rng r = {2};
    double sum = 0;

    for (int i = 0; i < 10000; i++) {
        const double value = rng_unit(&r);
        CHECK(value >= 0 && value < 1);
        sum += value;
    }
    CHECK_NEAR(sum / 10000, 0.5, 0.01);
}

/* The upper 53 bits of the first two words of a vector of Random123's kat_vectors. */
static double upper(uint64_t words)
{
    return (double)(words >> 11) * 0x1p-53;
}

TEST(philox_gives_the_published_numbers)
{
    const uint64_t pi = UINT64_C(0x299f31d0a4093822), x = UINT64_C(0x03707344243f6a88);

    CHECK_NEAR(philox_at(0, 0, 0, 0, 53), upper(UINT64_C(0x6627e8d5e169c58d)), 0);
    CHECK_NEAR(philox_at(UINT64_MAX, -1, -1, -1, 53), upper(UINT64_C(0x408f276d41c83b0e)),
               0);
    CHECK_NEAR(philox_at(pi, (int64_t)x, 0x85a308d3, 0x13198a2e, 53),
               upper(UINT64_C(0xd16cfe0994fdcceb)), 0);
    CHECK_NEAR(philox_at(0, 0, 0, 0, 24), 0x6627e8 * 0x1p-24, 0);
}

/* Moments of 10^6 numbers, and the product of neighbours in space and in key: within five
 * standard deviations. */
TEST(philox_is_uniform_and_its_neighbours_independent)
{
    enum { N = 1000000 };
    double mean = 0, square = 0, beside = 0, later = 0;

    for (int64_t i = 0; i < N; i++) {
        const double u = philox_at(7, i % 1000, i / 1000, 0, 53) - 0.5;
        mean += u / N;
        square += u * u / N;
        beside += u * (philox_at(7, i % 1000 + 1, i / 1000, 0, 53) - 0.5) / N;
        later += u * (philox_at(8, i % 1000, i / 1000, 0, 53) - 0.5) / N;
    }
    CHECK_NEAR(mean, 0, 5 * 0.2887e-3);
    CHECK_NEAR(square, 1 / 12.0, 5 * 0.0745e-3);
    CHECK_NEAR(beside, 0, 5 * 0.0833e-3);
    CHECK_NEAR(later, 0, 5 * 0.0833e-3);
}

TEST(random_at_is_a_fixed_function_of_seed_and_index)
{
    CHECK_NEAR(random_at(1, 0, 0, 0), 0x1.c5032bbbb3dc9p-1, 0);
    CHECK_NEAR(random_at(1, 2, 3, 4), 0x1.9b6192ae5e600p-3, 0);
    CHECK_NEAR(random_at(42, -1, INT64_C(1) << 40, 7), 0x1.e856630e40a2cp-1, 0);
    CHECK(fabs(random_at(1, 1, 2, 3) - random_at(1, 2, 1, 3)) > 0);
}

TEST(the_median_is_in_the_middle)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, none[] = {5, (double)NAN, 4};

    CHECK_NEAR(median(odd, 3), 2, 0);
    CHECK_NEAR(median(even, 4), 2.5, 0);
    CHECK_NEAR(median(none, 3), 5, 0);
    CHECK_NEAR(median(none, 0), 0, 0);
}

TEST(the_clock_does_not_run_backwards)
{
    double last = clock_seconds();

    for (int i = 0; i < 1000; i++) {
        const double now = clock_seconds();
        CHECK(now >= last);
        last = now;
    }
    CHECK(last > 0);
}
