/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixed tree of reductions over what the threads of one row of a block hold:
 * neighbours pair up, 0 with 1, 2 with 3, then pairs of pairs; a missing partner changes
 * nothing. */
enum { WARP = 32, MOST_WARPS = 32 };

/* The indices at hand are from ... to - 1. */
struct range {
    int64_t from, to;
};

/* Values of the blocks [at, at + size) and [at + size, at + 2 * size) of indices become
 * one. */
INLINE double joined_blocks(int kind, double left, double right, int64_t at, int64_t size,
                            range r)
{
    const bool first = at < r.to && at + size > r.from;
    const bool second = at + size < r.to && at + 2 * size > r.from;

    return !second ? left : first ? joined(kind, left, right) : right;
}

/* `count` threads of a warp, a power of two, whose first one has the result. */
INLINE double reduce_threads(int kind, double value, int count, int64_t at, int64_t size,
                             range r)
{
    for (int n = 1; n < count; n *= 2) {
        const double right = __shfl_down_sync(0xffffffffU, value, n);
        value = joined_blocks(kind, value, right, at, n * size, r);
    }
    return value;
}

/* The whole row of the block: threads (0, y) have the result. The thread's own block of
 * indices is [at, at + size); that of the row's first thread begins at a multiple of all
 * of them. Every thread of the block has to come here, and whole warps. */
INLINE double reduce_row(int kind, double value, int64_t at, int64_t size, range r)
{
    __shared__ double part[MOST_WARPS];
    const int x = threadIdx.x, width = blockDim.x, warps = width / WARP;
    const int warp = (threadIdx.y * width + x) / WARP;

    value = reduce_threads(kind, value, width < WARP ? width : WARP, at, size, r);
    if (warps <= 1)
        return value;
    if (x % WARP == 0)
        part[warp] = value;
    __syncthreads();
    if (x < warps)
        value = part[warp + x];
    at += x * (WARP - 1) * size;
    if (x < WARP)
        value = reduce_threads(kind, value, warps, at, WARP * size, r);
    __syncthreads(); /* before the next one writes its parts */
    return value;
}
