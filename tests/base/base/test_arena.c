/* SPDX-License-Identifier: BSD-3-Clause */
/* An arena gives zeroed memory. On failure it jumps to the guard. */
#include "base/base.h"
#include "test.h"

static pav_status allocate_much(arena *a, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        char *block = arena_alloc(a, i % 100, 1);
        if ((uintptr_t)block % 16 != 0)
            return PAV_EINTERNAL;
        for (int64_t j = 0; j < i % 100; j++)
            if (block[j] != 0)
                return PAV_EINTERNAL;
        memset(block, 0xff, (size_t)(i % 100));
    }
    return PAV_OK;
}

TEST(blocks_are_zeroed_and_aligned_and_apart)
{
    arena *a = arena_new();
    pav_status status;

    REQUIRE(a != NULL);
    ARENA_GUARD(a, status, allocate_much(a, 5000));
    CHECK_STATUS(status, PAV_OK);
    arena_free(a);
    arena_free(NULL);
}

static pav_status allocate_large(arena *a)
{
    char *small = arena_copy(a, "small", 5), *large = arena_alloc(a, 9 << 20, 1);

    memset(large, 1, 9 << 20);
    CHECK_STR(small, "small");
    CHECK_STR(arena_print(a, "%s-%d", small, 12), "small-12");
    CHECK_STR(arena_copy(a, small, 0), "");
    CHECK_STR(arena_copy(a, "ab\0cd", 5), "ab");
    return PAV_OK;
}

TEST(a_block_larger_than_any_piece_is_given)
{
    arena *a = arena_new();
    pav_status status;

    REQUIRE(a != NULL);
    ARENA_GUARD(a, status, allocate_large(a));
    CHECK_STATUS(status, PAV_OK);
    arena_free(a);
}

static pav_status give_up(arena *a)
{
    arena_fail(a, PAV_ESYNTAX, "line %d: %s", 3, "no");
}

TEST(arena_fail_ends_the_guarded_call)
{
    arena *a = arena_new();
    pav_status status;

    REQUIRE(a != NULL);
    ARENA_GUARD(a, status, give_up(a));
    CHECK_EQ(status, PAV_ESYNTAX);
    CHECK_STR(pav_message(), "line 3: no");
    ARENA_GUARD(a, status, allocate_much(a, 10));
    CHECK_EQ(status, PAV_OK);
    arena_free(a);
}

static pav_status guard_within(arena *a)
{
    pav_status inner;

    ARENA_GUARD(a, inner, give_up(a));
    CHECK_EQ(inner, PAV_ESYNTAX);
    arena_fail(a, PAV_EINVAL, "outer");
}

TEST(a_guard_without_an_arena_reports_that_memory_ran_out)
{
    arena *none = NULL;
    pav_status status;
    ARENA_GUARD(none, status, PAV_OK);
    CHECK_EQ(status, PAV_ENOMEM);
}

TEST(guards_nest)
{
    arena *a = arena_new();
    pav_status status;

    REQUIRE(a != NULL);
    ARENA_GUARD(a, status, guard_within(a));
    CHECK_EQ(status, PAV_EINVAL);
    CHECK(a->guard == NULL);
    arena_free(a);
}

static pav_status allocate_block(arena *a, int64_t count, size_t size)
{
    return arena_alloc(a, count, size) ? PAV_OK : PAV_EINTERNAL;
}

TEST(sizes_that_overflow_or_pass_the_limit_are_refused)
{
    arena *a = arena_new();
    pav_status status;

    REQUIRE(a != NULL);
    ARENA_GUARD(a, status, allocate_block(a, INT64_MAX / 2, 4));
    CHECK_EQ(status, PAV_ELIMIT);
    ARENA_GUARD(a, status, allocate_block(a, -1, 1));
    CHECK_EQ(status, PAV_ELIMIT);
    a->limit = 1 << 20;
    ARENA_GUARD(a, status, allocate_much(a, 1000000));
    CHECK_EQ(status, PAV_ELIMIT);
    CHECK(strstr(pav_message(), "more than 1.0 MiB of memory") != NULL);
    arena_free(a);
}

typedef struct numbers {
    int *items;
    int64_t count, capacity;
} numbers;

static pav_status append_many(arena *a, numbers *n)
{
    for (int i = 0; i < 1000; i++) {
        arena_reserve(a, &n->items, n->count, &n->capacity, sizeof *n->items);
        CHECK_EQ(n->items[n->count], 0);
        n->items[n->count++] = i;
    }
    return PAV_OK;
}

TEST(a_list_grows_and_keeps_its_items)
{
    arena *a = arena_new();
    numbers n = {0};
    pav_status status;

    REQUIRE(a != NULL);
    ARENA_GUARD(a, status, append_many(a, &n));
    CHECK_EQ(status, PAV_OK);
    CHECK_EQ(n.capacity, 1024);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(n.items[i], i);
    arena_free(a);
}
