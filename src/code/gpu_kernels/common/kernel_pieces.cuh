/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions: each row of a block folds a piece, which are those points of a row of the
 * grid whose indices begin at a multiple of PIECE. The block is as wide as a piece, or
 * where rows are short, as what holds one. */
enum { PIECE = 512 };

/* The indices of piece p of a row of the box. */
INLINE range piece_of(const work &w, int64_t p)
{
    const int64_t begin = (w.lo[0] & -(int64_t)PIECE) + p * PIECE, end = begin + PIECE;

    return {begin > w.lo[0] ? begin : w.lo[0], end < w.hi[0] ? end : w.hi[0]};
}

/* Of the first threads of the block. */
INLINE int64_t first_row(const work &w)
{
    return w.lo[1] + (int64_t)blockIdx.y * blockDim.y;
}

/* The point of this thread. */
INLINE int64_t index_in(range r)
{
    return (r.from & -(int64_t)blockDim.x) + threadIdx.x;
}

/* Folds what the threads give for reduction n of a piece, into where it belongs; no row:
 * it belongs nowhere. */
INLINE void reduction_piece(const work &w, int n, int kind, double value, range r,
                            int64_t p, int64_t j, int64_t k)
{
    value = reduce_row(kind, value, index_in(r), 1, r);
    if (threadIdx.x == 0 && j < w.hi[1])
        w.fold[n * w.folds[2] + (k - w.lo[2]) * w.folds[1] + (j - w.lo[1]) * w.folds[0] +
               p] = value;
}
