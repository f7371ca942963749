/* SPDX-License-Identifier: BSD-3-Clause */
/* Exhausted memory and overflowing sizes are both reported. */
#include "base/base.h"
#include "test.h"

TEST(new_memory_is_zero)
{
    int64_t *block = mem_new(1000, sizeof *block);

    REQUIRE(block != NULL);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(block[i], 0);
    mem_free(block);
}

TEST(no_items_are_a_block_too)
{
    void *block = mem_new(0, 8), *big = mem_big(0);

    CHECK(block != NULL && big != NULL);
    mem_free(block);
    mem_big_free(big, 0);
}

TEST(sizes_beyond_64_bits_are_refused)
{
    CHECK(mem_new(INT64_MAX / 4, 8) == NULL);
    CHECK(strstr(pav_message(), "2305843009213693951 items of 8 bytes") != NULL);
    CHECK(mem_new(-1, 1) == NULL);
    CHECK(mem_new(2, SIZE_MAX / 2 + 1) == NULL);
    CHECK(mem_grow(NULL, INT64_MAX, 2) == NULL);
    CHECK(mem_big(-5) == NULL);
}

TEST(a_failed_growth_keeps_the_old_block)
{
    char *block = mem_new(4, 1);

    REQUIRE(block != NULL);
    memcpy(block, "abc", 4);
    CHECK(mem_grow(block, INT64_MAX, 2) == NULL);
    CHECK(mem_grow(block, INT64_C(1) << 60, 1) == NULL);
    mem_fail_after(1);
    CHECK(mem_grow(block, 8, 1) == NULL);
    CHECK_STR(block, "abc");
    mem_free(block);
}

TEST(more_than_is_available_is_refused_with_both_numbers)
{
    CHECK(mem_big(INT64_C(1) << 60) == NULL);
    CHECK(strncmp(pav_message(), "needs 1.0 EiB of memory, ", 25) == 0);
    CHECK(strstr(pav_message(), "iB are available; use a smaller grid") != NULL);
    CHECK(mem_new(1, (size_t)1 << 60) == NULL);
    CHECK(strncmp(pav_message(), "needs 1.0 EiB of memory, ", 25) == 0);
    CHECK_EQ(mem_used(), 0);
}

TEST(what_was_promised_is_not_promised_again)
{
    const int64_t most = mem_available() / 4 * 3;
    void *first = mem_big(most); /* never touched */

    REQUIRE(most > 0 && first != NULL);
    CHECK(mem_big(most) == NULL);
    CHECK(strstr(pav_message(), "are available") != NULL);
    mem_big_free(first, most);
}

TEST(whoever_is_trusted_may_ask_for_more_than_is_available)
{
    const int64_t most = mem_available() / 4 * 3;
    void *first = mem_big(most); /* never touched */

    REQUIRE(most > 0 && first != NULL);
    mem_trust(1);
    void *second = mem_big(most);
    mem_trust(-1);
    CHECK(second != NULL);
    CHECK(mem_big(most) == NULL);
    mem_big_free(second, most);
    mem_big_free(first, most);
}

TEST(big_arrays_are_aligned)
{
    static const int64_t sizes[] = {1, 63, 64, 1000003, 4 << 20, (9 << 20) + 1};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        char *block = mem_big(sizes[i]);
        REQUIRE(block != NULL);
        CHECK_EQ((uintptr_t)block % 64, 0);
        block[0] = block[sizes[i] - 1] = 1;
        mem_big_free(block, sizes[i]);
    }
}

TEST(big_arrays_are_counted)
{
    void *a = mem_big(1000), *b = mem_big(500);

    CHECK_EQ(mem_used(), 1500);
    mem_big_free(a, 1000);
    CHECK_EQ(mem_used(), 500);
    mem_big_free(b, 500);
    mem_big_free(NULL, 500);
    CHECK_EQ(mem_used(), 0);
    CHECK_EQ(mem_peak(), 1500);
}

TEST(the_nth_allocation_fails_and_only_that_one)
{
    mem_fail_after(2);
    void *first = mem_new(1, 8), *second = mem_big(8), *third = mem_new(1, 8);

    CHECK(first != NULL && second == NULL && third != NULL);
    CHECK_STR(pav_message(), "memory ran out: 8 B more were needed");
    mem_fail_after(1);
    mem_fail_after(0);
    void *fourth = mem_new(1, 8);
    CHECK(fourth != NULL);
    mem_free(first);
    mem_free(third);
    mem_free(fourth);
}

TEST(products_and_sums_are_checked)
{
    int64_t result = 0;

    CHECK(mul_fits(INT64_C(3037000499), INT64_C(3037000499), &result));
    CHECK_EQ(result, INT64_C(9223372030926249001));
    CHECK(!mul_fits(INT64_C(3037000500), INT64_C(3037000500), &result));
    CHECK(!mul_fits(INT64_MIN, -1, &result));
    CHECK(add_fits(INT64_MAX, INT64_MIN, &result));
    CHECK_EQ(result, -1);
    CHECK(!add_fits(INT64_MAX, 1, &result));
}
