/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: small blocks (mem_new, mem_grow) and large arrays (mem_big).
 *
 * Linux hands out more memory than it has and later kills a process touching it. So each
 * large request is first compared with the available memory and rejected with both
 * numbers. Memory handed out by mem_big but not touched yet counts as used. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base_private.h"

enum {
    LINE = 64,           /* alignment of large arrays: a cache line, a vector register */
    HUGE_PAGE = 2 << 20, /* alignment of arrays in huge pages */
    HUGE_FROM = 2 * HUGE_PAGE,
    /* smaller requests are not compared with the available memory */
    CHECKED_FROM = 16 << 20,
};

static _Atomic int64_t countdown; /* allocations until one fails; 0: none fails */
static _Atomic int64_t used, peak;
/* nested mem_trust calls: requests are not compared with the available memory */
static _Atomic int trusted;

bool mul_fits(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

bool add_fits(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

void mem_fail_after(int64_t n)
{
    atomic_store(&countdown, n > 0 ? n : 0);
}

static bool has_to_fail(void)
{
    int64_t left = atomic_load_explicit(&countdown, memory_order_relaxed);

    while (left > 0)
        if (atomic_compare_exchange_weak(&countdown, &left, left - 1))
            return left == 1;
    return false;
}

static void ran_out(int64_t bytes)
{
    char size[SIZE_TEXT];

    fail(PAV_ENOMEM, "memory ran out: %s more were needed", size_text(bytes, size));
}

/* True if `bytes` are available; otherwise the message gives the reason. */
static bool affordable(int64_t bytes)
{
    char need[SIZE_TEXT], have[SIZE_TEXT];

    if (has_to_fail()) {
        ran_out(bytes);
        return false;
    }
    if (bytes < CHECKED_FROM || atomic_load(&trusted) > 0)
        return true;
    const int64_t available = mem_available();
    if (available < 0 || bytes <= available)
        return true;
    fail(PAV_ENOMEM,
         "needs %s of memory, %s are available; use a smaller grid, fewer fields or "
         "narrower "
         "storage (stored bf16), or free memory",
         size_text(bytes, need), size_text(available, have));
    return false;
}

/* Returns count * size, at least 1; or -1 with a message. */
static int64_t block_size(int64_t count, size_t size)
{
    int64_t bytes;

    if (count < 0 || size > INT64_MAX || !mul_fits(count, (int64_t)size, &bytes)) {
        fail(PAV_ENOMEM, "%lld items of %zu bytes are more memory than 64 bits can count",
             (long long)count, size);
        return -1;
    }
    return bytes > 0 ? bytes : 1;
}

void *mem_new(int64_t count, size_t size)
{
    const int64_t bytes = block_size(count, size);

    if (bytes < 0 || !affordable(bytes))
        return NULL;
    void *block = calloc(1, (size_t)bytes);
    if (!block)
        ran_out(bytes);
    return block;
}

void *mem_grow(void *block, int64_t count, size_t size)
{
    const int64_t bytes = block_size(count, size);

    if (bytes < 0 || !affordable(bytes))
        return NULL;
    void *grown = realloc(block, (size_t)bytes);
    if (!grown)
        ran_out(bytes);
    return grown;
}

void mem_free(void *block)
{
    free(block);
}

void mem_free_all(int count, void *const *block)
{
    for (int n = 0; n < count; n++)
        free(block[n]);
}

/* The address is one of a pointer to objects of any type, so it is read as bytes. */
void *mem_hand_over(void *variable)
{
    void *block, *const none = NULL;

    memcpy(&block, variable, sizeof block);
    memcpy(variable, &none, sizeof none);
    return block;
}

void mem_release(void *variable)
{
    mem_free(mem_hand_over(variable));
}

pav_status mem_take(void *variable, int64_t count, size_t size)
{
    void *block = mem_new(count, size);

    memcpy(variable, &block, sizeof block);
    return block ? PAV_OK : PAV_ENOMEM;
}

pav_status mem_extend(void *variable, int64_t count, size_t size)
{
    void *block;

    memcpy(&block, variable, sizeof block);
    block = mem_grow(block, count, size);
    if (block)
        memcpy(variable, &block, sizeof block);
    return block ? PAV_OK : PAV_ENOMEM;
}

pav_status mem_reserve(void *variable, int64_t *room, int64_t count, size_t size)
{
    const int64_t more = count < *room ? *room : 2 * *room + 8;

    if (more > *room)
        TRY(mem_extend(variable, more, size));
    *room = more;
    return PAV_OK;
}

static void count_used(int64_t bytes)
{
    const int64_t now = atomic_fetch_add(&used, bytes) + bytes;
    int64_t most = atomic_load(&peak);

    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
        ;
}

void *mem_big(int64_t bytes)
{
    const int64_t asked = block_size(bytes, 1);
    void *block = NULL;

    if (asked < 0 || !affordable(asked))
        return NULL;
    if (posix_memalign(&block, asked >= HUGE_FROM ? HUGE_PAGE : LINE, (size_t)asked) !=
        0) {
        ran_out(asked);
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (asked >= HUGE_FROM)
        (void)madvise(block, (size_t)asked,
                      MADV_HUGEPAGE); /* optional: the array works without huge pages */
#endif
    count_used(bytes);
    return block;
}

void mem_big_free(void *block, int64_t bytes)
{
    if (!block)
        return;
    count_used(-bytes);
    free(block);
}

int64_t mem_used(void)
{
    return atomic_load(&used);
}

int64_t mem_peak(void)
{
    return atomic_load(&peak);
}

void mem_trust(int change)
{
    atomic_fetch_add(&trusted, change);
}

int64_t mem_available(void)
{
    return mem_available_under("");
}
