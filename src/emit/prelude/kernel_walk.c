/* SPDX-License-Identifier: BSD-3-Clause */
typedef void row_part(const work *, int64_t x, int64_t end, int64_t j, int64_t k);

/* What goes through a row, and what goes through `height` rows at once; 0: nothing does. */
typedef struct parts {
    row_part *row, *rows;
    int64_t height;
} parts;

/* Stores that went past the caches are seen by others from here on. */
INLINE void fence(void)
{
#ifdef __SSE2__
    __builtin_ia32_sfence();
#endif
}

/* The rows of one plane from `begin`; the last of several at once begin early enough to be whole. */
static void some_rows(const work *w, const parts *p, const int64_t lo[3],
                      const int64_t hi[3], int64_t begin, int64_t end, int64_t k)
{
    int64_t j = begin;

    if (p->height > 0 && end - begin >= p->height) {
        for (; j + p->height <= end; j += p->height)
            p->rows(w, lo[0], hi[0], j, k);
        if (j < end)
            p->rows(w, lo[0], hi[0], end - p->height, k);
        return;
    }
    for (; j < end; j++)
        p->row(w, lo[0], hi[0], j, k);
}

/* A box by blocks of rows: the planes of a block stay in the caches until their neighbours along z
 * need them. */
NOT_INLINE void some_planes(const work *w, const parts *p, const int64_t lo[3],
                            const int64_t hi[3])
{
    for (int64_t begin = lo[1]; begin < hi[1]; begin += w->block) {
        const int64_t end = begin + w->block < hi[1] ? begin + w->block : hi[1];
        for (int64_t k = lo[2]; k < hi[2]; k++)
            some_rows(w, p, lo, hi, begin, end, k);
    }
    fence();
}

/* Points from x to the end of its piece, or of the row. */
INLINE int64_t piece(int64_t x, int64_t end)
{
    const int64_t next = (x & -(int64_t)PIECE) + PIECE;

    return (next < end ? next : end) - x;
}
