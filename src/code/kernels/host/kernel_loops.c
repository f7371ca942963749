/* SPDX-License-Identifier: BSD-3-Clause */
/* A row from x to `end`, or the first of several rows. The next row to prefetch is
 * (prefetch_j, prefetch_k). */
typedef struct place {
    int64_t x, end, j, k;
    int64_t prefetch_j, prefetch_k;
} place;
typedef void row_function(const work *, const place *);

/* Orders non-temporal stores before all later stores, so other threads see them. */
INLINE void fence(void)
{
#ifdef __SSE2__
    __builtin_ia32_sfence();
#endif
}

/* Rows of a block, plane after plane. */
typedef struct block {
    int64_t begin, end, planes; /* planes: end of the planes */
} block;

/* The row to prefetch, `ahead` rows further on: in the same plane, else in the next
 * plane, else the last row. */
INLINE void find_prefetch(const block *b, int64_t ahead, int64_t height, place *at)
{
    at->prefetch_j = at->j + ahead;
    at->prefetch_k = at->k;
    if (at->prefetch_j >= b->end && at->k + 1 < b->planes) {
        at->prefetch_j -= b->end - b->begin;
        at->prefetch_k++;
    }
    if (at->prefetch_j > b->end - height)
        at->prefetch_j = b->end - height;
}

/* Computes the rows of one plane, `height` rows at once. The last group moves back, so
 * that it is whole too. */
INLINE void rows_of_plane(const work *w, row_function *part, int64_t height,
                          const block *b, place at)
{
    for (int64_t j = b->begin; j < b->end; j += height) {
        at.j = j < b->end - height ? j : b->end - height;
        find_prefetch(b, w->ahead, height, &at);
        part(w, &at);
    }
}

/* Computes a box by blocks of rows. The planes of a block stay in cache until their
 * neighbours along z need them. row: computes one row. rows: computes `height` rows, or
 * NULL. in_place: no row may be computed twice, so the last rows are computed one by one.
 * Compilers inline both functions, so values common to all rows are computed once. */
INLINE void each_row(const work *given, row_function *row, row_function *rows,
                     int64_t height, int in_place)
{
    const work own = *given, *const w = &own; /* a copy: no store can change it */
    const int64_t stop = w->hi[1];
    place at = {.x = w->lo[0], .end = w->hi[0]};

    for (int64_t begin = w->lo[1]; begin < stop; begin += w->block) {
        const int64_t end = begin + w->block < stop ? begin + w->block : stop;
        const int several = rows && w->several_rows && end - begin >= height;
        const int64_t last = !several   ? begin
                             : in_place ? end - (end - begin) % height
                                        : end;
        const block groups = {begin, last, w->hi[2]}, others = {last, end, w->hi[2]};
        for (at.k = w->lo[2]; at.k < w->hi[2]; at.k++) {
            if (several)
                rows_of_plane(w, rows, height, &groups, at);
            rows_of_plane(w, row, 1, &others, at);
        }
    }
    if (w->streams)
        fence();
}

/* Computes the rows of an operation along y or z, in its order. */
INLINE void each_row_in_order(const work *given, row_function *row, int axis, int down)
{
    const work own = *given, *const w = &own;
    const int64_t ny = w->hi[1] - w->lo[1], nz = w->hi[2] - w->lo[2];
    place at = {.x = w->lo[0], .end = w->hi[0]};

    for (int64_t k = 0; k < nz; k++)
        for (int64_t j = 0; j < ny; j++) {
            at.j = at.prefetch_j = axis == 1 && down ? w->hi[1] - 1 - j : w->lo[1] + j;
            at.k = at.prefetch_k = axis == 2 && down ? w->hi[2] - 1 - k : w->lo[2] + k;
            row(w, &at);
        }
}

/* Number of points from x to the end of its piece, or of the row. */
INLINE int64_t piece(int64_t x, int64_t end)
{
    const int64_t next = (x & -(int64_t)PIECE) + PIECE;

    return (next < end ? next : end) - x;
}
