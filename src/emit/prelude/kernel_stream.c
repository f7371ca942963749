/* SPDX-License-Identifier: BSD-3-Clause */
/* Strips of a row: the first where the row begins, the others where whole lines do, and the last early
 * enough to be whole. */
INLINE int64_t next_strip(int64_t at, int64_t end, int64_t strip)
{
    const int64_t next = (at + strip) & -strip;

    return next + strip <= end ? next : end - strip;
}

/* Asks for the bytes that lie `ahead` of some rows: memory is far, and its own guesses end with a page. */
INLINE void fetch(const void *row, int64_t stride, int64_t bytes, int rows, int64_t ahead)
{
    const uintptr_t first = (uintptr_t)row + (uintptr_t)ahead;

    for (int r = 0; ahead && r < rows; r++)
        for (int64_t n = 0; n < bytes; n += LINE)
            __builtin_prefetch((const char *)(first + (uintptr_t)(r * stride + n)), 0, 2);
}

/* Past the caches: what a large grid stores is not read again soon. */
INLINE void stream(void *to, const void *from, int64_t bytes)
{
#ifdef __SSE2__
    typedef float quarter __attribute__((vector_size(16), may_alias));
    int64_t n = 0;
#ifdef __AVX512F__
    typedef float whole __attribute__((vector_size(64), may_alias));
    for (; n + LINE <= bytes; n += LINE) {
        whole *const line = (whole *)((char *)to + n);
        const whole v = *(const whole *)((const char *)from + n);
#ifdef __clang__
        __builtin_nontemporal_store(v, line);
#else
        __builtin_ia32_movntps512((float *)line, v);
#endif
    }
#endif
    for (; n < bytes; n += 16) {
        quarter *const part = (quarter *)((char *)to + n);
        const quarter v = *(const quarter *)((const char *)from + n);
#ifdef __clang__
        __builtin_nontemporal_store(v, part);
#else
        __builtin_ia32_movntps((float *)part, v);
#endif
    }
#else
    __builtin_memcpy(to, from, (unsigned long)bytes);
#endif
}

/* Strips of some rows to where they belong. */
INLINE void put(void *row, int64_t stride, const void *strips, int64_t bytes, int rows,
                int past)
{
    for (int r = 0; r < rows; r++) {
        char *const to = (char *)row + r * stride;
        const char *const from = (const char *)strips + r * bytes;
        if (past)
            stream(to, from, bytes);
        else
            __builtin_memcpy(to, from, (unsigned long)bytes);
    }
}
