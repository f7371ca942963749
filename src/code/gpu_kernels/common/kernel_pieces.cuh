/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions: each row of threads folds a piece, the points of a row of the grid whose
 * indices begin at a multiple of PIECE. A row of threads is a warp, or for short rows of
 * the grid the least power of two that holds them. No warp waits for another one. */
enum { PIECE = 512, AT_ONCE = 4 /* points of a thread */ };

/* The indices of piece p of a row of the box. */
INLINE range piece_of(const work &w, int64_t p)
{
    const int64_t begin = (w.lo[0] & -(int64_t)PIECE) + p * PIECE, end = begin + PIECE;

    return {begin > w.lo[0] ? begin : w.lo[0], end < w.hi[0] ? end : w.hi[0]};
}

/* The row along y of the first threads of the block. */
INLINE int64_t first_row(const work &w)
{
    return w.lo[1] + (int64_t)blockIdx.y * blockDim.y;
}

/* A chunk of a piece: AT_ONCE points of each thread, one row of threads after the other.
 * A row of threads narrower than a warp holds its row of the grid at once. */
INLINE int64_t chunk_size()
{
    return blockDim.x < WARP ? blockDim.x : AT_ONCE * WARP;
}

/* The first index of the chunk with the first point of the piece. */
INLINE int64_t first_chunk(range r)
{
    return r.from & -chunk_size();
}

/* Thread n of the row keeps the value of chunk n of the piece. Value n of a thread has
 * the index at + n * blockDim.x + threadIdx.x. A row of threads narrower than a warp has
 * one chunk. */
INLINE double keep_chunk(int kind, double kept, double (&value)[AT_ONCE], int64_t at)
{
    if (blockDim.x < WARP)
        return reduce_threads(kind, value[0], blockDim.x);
    const double chunk = __shfl_sync(0xffffffffU,
                                     reduce_warp<AT_ONCE>(kind, value, threadIdx.x), 0);
    return threadIdx.x == (at & (PIECE - 1)) / chunk_size() ? chunk : kept;
}

/* Folds the chunks of a piece for reduction n. A row of threads outside of the box, past
 * its last row, stores nothing. */
INLINE void reduction_piece(const work &w, int n, int kind, double value, int64_t p,
                            int64_t j, int64_t k)
{
    if (blockDim.x == WARP)
        value = reduce_threads(kind, value, PIECE / (AT_ONCE * WARP));
    if (threadIdx.x == 0 && j < w.hi[1])
        w.fold[n * w.folds[2] + (k - w.lo[2]) * w.folds[1] + (j - w.lo[1]) * w.folds[0] +
               p] = value;
}
