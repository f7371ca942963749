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
static void some_planes(const work *w, const parts *p, const int64_t lo[3],
                        const int64_t hi[3])
{
    for (int64_t begin = lo[1]; begin < hi[1]; begin += w->block) {
        const int64_t end = begin + w->block < hi[1] ? begin + w->block : hi[1];
        for (int64_t k = lo[2]; k < hi[2]; k++)
            some_rows(w, p, lo, hi, begin, end, k);
    }
    fence();
}

/* Where part n begins; along x only where a piece does. */
static int64_t cut(const work *w, int64_t n)
{
    const int64_t lo = w->lo[w->axis], hi = w->hi[w->axis];
    const int64_t at = lo + (hi - lo) / w->threads * n +
                       (hi - lo) % w->threads * n / w->threads;

    if (w->axis > 0 || n == w->threads)
        return at;
    return (at & -(int64_t)PIECE) > lo ? at & -(int64_t)PIECE : lo;
}

static void one_part(const work *w, const parts *p, int64_t n)
{
    int64_t lo[3] = {w->lo[0], w->lo[1], w->lo[2]};
    int64_t hi[3] = {w->hi[0], w->hi[1], w->hi[2]};

    lo[w->axis] = cut(w, n);
    hi[w->axis] = cut(w, n + 1);
    if (lo[0] < hi[0])
        some_planes(w, p, lo, hi);
}

NOT_INLINE void each_row(const work *w, parts p)
{
    if (w->threads == 1) {
        some_planes(w, &p, w->lo, w->hi);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(w->threads)
#endif
    for (int n = 0; n < w->threads; n++)
        one_part(w, &p, n);
}

/* Points from x to the end of its piece, or of the row. */
INLINE int64_t piece(int64_t x, int64_t end)
{
    const int64_t next = (x & -(int64_t)PIECE) + PIECE;

    return (next < end ? next : end) - x;
}
