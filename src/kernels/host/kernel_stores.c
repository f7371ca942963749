/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks memory for a strip of some rows; what it guesses by itself ends with a page. */
INLINE void fetch(const void *row, int64_t stride, int bytes, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < bytes; n += LINE)
            __builtin_prefetch((const char *)row + r * stride + n, 0, 2);
}

/* Asks for what is wanted after this call, some lines at a time: many at once would have to wait for each other. */
INLINE void prefetch_requested(prefetch *s)
{
    s->strips++;
    for (int64_t n = 0; n < s->lines; n++) {
        if (s->at >= s->end && !*s->row[0])
            return;
        if (s->at >= s->end) {
            s->at = (*s->row)[0];
            s->end = (*s->row++)[1];
        }
        __builtin_prefetch(s->at, 0, 2);
        s->at += LINE;
    }
}

static void prefetch_row(const char *row, int64_t bytes)
{
    for (int64_t n = 0; n < bytes; n += LINE)
        __builtin_prefetch(row + n, 0, 2);
}

/* What lies around rows that are wanted soon: the first and the last line of each and those beyond, with
 * neighbours of its ends; where a plane begins and ends, whole rows before and after them. */
INLINE void prefetch_around(const work *w, const place *p, const void *row,
                            int64_t stride, int size, int before, int rows, int after)
{
    const char *const first = (const char *)row + p->x * size;
    const int64_t bytes = (p->end - p->x) * size;

    if (!w->ahead)
        return;
    for (int r = 0; r < rows; r++) {
        prefetch_row(first + r * stride - LINE, 2 * LINE);
        prefetch_row(first + r * stride + bytes - LINE, 2 * LINE);
    }
    for (int r = p->first ? -before : 0; r < 0; r++)
        prefetch_row(first + r * stride, bytes);
    for (int r = rows; p->last && r < rows + after; r++)
        prefetch_row(first + r * stride, bytes);
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

/* Bytes `from` to `to` of a strip past the caches, in whole lines: around them stays what another level holds
 * there. A line stored in part would be read first, and waited for. */
INLINE void stream_some(char *out, const char *in, const char *alike, int bytes, int size,
                        int from, int to)
{
    typedef int word __attribute__((may_alias));
    const int length = bytes < LINE ? bytes : LINE;

    for (int n = 0; n < bytes; n += LINE) {
        ALIGNED char line[LINE];
        if (n + LINE <= from || n >= to)
            continue;
        for (int b = 0; size >= 4 && b < length; b += 4)
            *(word *)(line + b) = n + b >= from && n + b < to
                                      ? *(const word *)(in + n + b)
                                      : *(const word *)(alike + n + b);
        for (int b = 0; size < 4 && b < length; b++)
            line[b] = n + b >= from && n + b < to ? in[n + b] : alike[n + b];
        stream(out + n, line, length);
    }
}

/* Bytes `from` to `to` of a strip: by a mask where the processor has such stores. */
INLINE void put_some(char *out, const char *in, int bytes, int size, int from, int to)
{
#ifdef __AVX512F__
    typedef int words __attribute__((vector_size(64), may_alias, aligned(4)));

    for (int n = 0; size >= 4 && n < bytes; n += LINE) {
        const int lo = from > n ? (from - n) / 4 : 0;
        const int hi = to < n + LINE ? (to - n) / 4 : LINE / 4;
        if (lo < hi)
            __builtin_ia32_storedqusi512_mask((int *)(out + n), *(const words *)(in + n),
                                              (unsigned short)((1U << hi) - (1U << lo)));
    }
    if (size >= 4)
        return;
#endif
    (void)bytes, (void)size;
    __builtin_memcpy(out + from, in + from, (unsigned long)(to - from));
}

/* Strips of some rows to where they belong: of their `points` elements those from `lo` to `hi`, which at
 * the ends of a row are not all. alike: the same rows of a level that holds the same beyond them, or 0. */
INLINE void put(void *row, int64_t stride, const void *strips, const void *alike,
                int size, int points, int rows, int64_t lo, int64_t hi, int past)
{
    const int bytes = points * size, whole = lo <= 0 && hi >= points;
    const int from = lo > 0 ? (int)lo * size : 0,
              to = hi < points ? (int)hi * size : bytes;

    for (int r = 0; r < rows; r++) {
        char *const out = (char *)row + r * stride;
        const char *const in = (const char *)strips + r * bytes;
        if (whole && past)
            stream(out, in, bytes);
        else if (whole)
            __builtin_memcpy(out, in, (unsigned long)bytes);
        else if (past && alike)
            stream_some(out, in, (const char *)alike + r * stride, bytes, size, from, to);
        else
            put_some(out, in, bytes, size, from, to);
    }
}
