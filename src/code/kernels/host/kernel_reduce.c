/* SPDX-License-Identifier: BSD-3-Clause */
/* Address of the result of reduction r for a piece. */
static double *reduction_of(const work *w, int r, int64_t x, int64_t j, int64_t k)
{
    const int64_t p = (x - (w->lo[0] & -(int64_t)PIECE)) / PIECE;

    return &w->reduce[r * w->folds[2] + (k - w->lo[2]) * w->folds[1] +
                      (j - w->lo[1]) * w->folds[0] + p];
}

/* The fixed tree over v[0 .. count - 1]; the index of v[0] is `first`. */
INLINE double reduce(int kind, double *v, int64_t first, int64_t count)
{
    while (count > 1) {
        const int64_t last = first + count - 1, alone = first & 1;
        const int64_t pairs = (count - alone) / 2;
        INDEPENDENT
        for (int64_t i = 0; i < pairs; i++)
            v[alone + i] = joined(kind, v[alone + 2 * i], v[alone + 2 * i + 1]);
        if (count - alone > 2 * pairs)
            v[alone + pairs] = v[count - 1];
        first >>= 1;
        count = (last >> 1) - first + 1;
    }
    return v[0];
}
