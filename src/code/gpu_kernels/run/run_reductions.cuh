/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixed tree over groups of values of any length: a warp folds a short group, a block
 * a long one. It folds chunk after chunk, with indices from multiples of the chunk's
 * size; the value of a chunk waits for its partner as in interp/row_sweep.c. */
enum {
    THREADS = 256,
    OWN = 8,
    WARPS = THREADS / WARP,
    MOST_WAITING = 64,
    TOP_LEVEL = 62
};

/* Blocks of the tree that wait to be the left half of the next, by falling size. */
struct waiting {
    int depth;
    double value[MOST_WAITING];
};

/* Adds the next block. Blocks come in index order without a gap, so the last waiting
 * block is the other half of this one, unless this is the first of all. */
INLINE void add_block(int kind, waiting &w, int64_t index, double value)
{
    for (int level = 0; (index & 1) && level < TOP_LEVEL; index >>= 1, level++)
        if (w.depth > 0)
            value = joined(kind, w.value[--w.depth], value);
    w.value[w.depth++] = value;
}

INLINE double value_of_all(int kind, const waiting &w)
{
    double value = w.value[w.depth - 1];

    for (int n = w.depth - 2; n >= 0; n--)
        value = joined(kind, w.value[n], value);
    return value;
}

/* The values of indices at ... at + OWN - 1. */
INLINE double reduce_own(int kind, const double *value, int64_t at, range r)
{
    double part[OWN];

    for (int n = 0; n < OWN; n++)
        part[n] = at + n >= r.from && at + n < r.to ? value[at + n - r.from]
                                                    : missing(kind);
#pragma unroll
    for (int size = 1; size < OWN; size *= 2)
#pragma unroll
        for (int n = 0; n + size < OWN; n += 2 * size)
            part[n] = joined(kind, part[n], part[n + size]);
    return part[0];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    run_reductions(const __grid_constant__ emit_gpu_reductions a)
{
    __shared__ waiting all[WARPS];
    const bool is_short = a.count <= EMIT_GPU_SHORT;
    const int width = is_short ? WARP : THREADS;
    const int warp = threadIdx.x / width, thread = threadIdx.x % width,
              chunk = OWN * width;
    const int64_t group = (int64_t)blockIdx.x * (THREADS / width) + warp;
    const int kind = a.kind == REDUCTION_MIN   ? REDUCE_MIN
                     : a.kind == REDUCTION_MAX ? REDUCE_MAX
                                               : REDUCE_SUM;
    const double *const value = a.from + group * a.count;
    const range r = {a.first, a.first + a.count};

    if (group >= a.groups)
        return;
    if (thread == 0)
        all[warp].depth = 0;
    for (int64_t begin = r.from & -(int64_t)chunk; begin < r.to; begin += chunk) {
        const int64_t at = begin + OWN * thread;
        const double own = reduce_own(kind, value, at, r);
        const double sum = is_short ? reduce_threads(kind, own, WARP)
                                    : reduce_block(kind, own);
        if (thread == 0)
            add_block(kind, all[warp], begin / chunk, sum);
    }
    if (thread == 0)
        a.to[group] = value_of_all(kind, all[warp]);
}
