/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixed tree of reductions over the values of the threads of a warp or a block:
 * neighbours pair up, 0 with 1, 2 with 3, then pairs of pairs. A missing partner changes
 * nothing: threads without a point hold the value of `missing`. */
enum { WARP = 32, MOST_WARPS = 32 };

/* The indices from ... to - 1, held by the lanes of a warp. */
struct range {
    int64_t from, to;
};

/* The neutral value of a reduction: joined with any value, on either side, it gives that
 * value, bit for bit. */
INLINE double missing(int kind)
{
    return kind == REDUCE_SUM ? -0.0 : kind == REDUCE_MIN ? INFINITY : -INFINITY;
}

/* `count` neighbours of a warp, a power of two. The first one has the result. */
INLINE double reduce_threads(int kind, double value, int count)
{
    for (int n = 1; n < count; n *= 2)
        value = joined(kind, value, __shfl_down_sync(0xffffffffU, value, n));
    return value;
}

/* COUNT values of each thread of a warp, at most 32: value n of thread t has the index
 * 32 * n + t. The first levels of the tree also spread the values over the threads: after
 * them thread t goes on with value t % COUNT. So four values need 8 exchanges, not 20. */
template <int COUNT>
INLINE double reduce_warp(int kind, double (&value)[COUNT], int thread)
{
#pragma unroll
    for (int half = COUNT / 2, bit = 1; half >= 1; half /= 2, bit *= 2) {
        const bool second = thread & bit;
#pragma unroll
        for (int n = 0; n < half; n++) {
            const double own = second ? value[2 * n + 1] : value[2 * n];
            const double other = __shfl_xor_sync(
                0xffffffffU, second ? value[2 * n] : value[2 * n + 1], bit);
            value[n] = second ? joined(kind, other, own) : joined(kind, own, other);
        }
    }
    double sum = value[0];
#pragma unroll
    for (int n = COUNT; n < WARP; n *= 2)
        sum = joined(kind, sum, __shfl_down_sync(0xffffffffU, sum, n));
    return reduce_threads(kind, sum, COUNT);
}

/* All threads of a block along x, whole warps. Thread 0 has the result. Every thread of
 * the block must call it. */
INLINE double reduce_block(int kind, double value)
{
    __shared__ double part[MOST_WARPS];
    const int x = threadIdx.x, warps = blockDim.x / WARP;

    value = reduce_threads(kind, value, WARP);
    if (x % WARP == 0)
        part[x / WARP] = value;
    __syncthreads();
    if (x < WARP)
        value = reduce_threads(kind, x < warps ? part[x] : missing(kind), WARP);
    __syncthreads(); /* before the next call writes its parts */
    return value;
}
