/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks for the bytes that lie `ahead` of a span: memory is far, and its own guesses end with a page. */
INLINE void fetch(const void *span, int64_t bytes, int64_t ahead)
{
    const char *at = (const char *)((uintptr_t)span + (uintptr_t)ahead);

    for (int64_t n = 0; n < bytes; n += LINE)
        __builtin_prefetch(at + n, 0, 2);
}

#ifdef __SSE2__
#if defined(__AVX512F__)
typedef float part __attribute__((vector_size(64), may_alias));
#elif defined(__AVX__)
typedef float part __attribute__((vector_size(32), may_alias));
#else
typedef float part __attribute__((vector_size(16), may_alias));
#endif

INLINE void store_part(part *to, part v)
{
#if defined(__clang__)
    __builtin_nontemporal_store(v, to);
#elif defined(__AVX512F__)
    __builtin_ia32_movntps512((float *)to, v);
#elif defined(__AVX__)
    __builtin_ia32_movntps256((float *)to, v);
#else
    __builtin_ia32_movntps((float *)to, v);
#endif
}
#else
typedef uint64_t part __attribute__((may_alias));

INLINE void store_part(part *to, part v)
{
    *to = v;
}
#endif

/* Whole lines past the caches: what a large grid stores is not read again soon. */
INLINE void stream(void *to, const void *from, int64_t bytes)
{
    for (int64_t n = 0; n < bytes / (int64_t)sizeof(part); n++)
        store_part((part *)to + n, ((const part *)from)[n]);
}
