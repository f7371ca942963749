/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixed tree over rows of values of any length, a block for each. The block folds
 * chunk after chunk, whose indices begin at multiples of CHUNK; what they give waits for
 * its partner as in interp/row_sweep.c. */
enum { THREADS = 256, OWN = 8, CHUNK = OWN * THREADS, MOST_WAITING = 64, TOP_LEVEL = 62 };

struct folds {
    const double *from;
    double *to;
    int64_t first, count, groups, kind;
};

/* Blocks of the tree that wait to be the left half of the next, by falling size. */
struct waiting {
    int depth;
    double value[MOST_WAITING];
};

/* They come in the order of their indices without a gap: so what waits last is the other
 * half, unless this is the first one of all. */
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

/* The values of indices at ... at + OWN - 1, as far as they are there. */
INLINE double reduce_own(int kind, const double *value, int64_t at, range r)
{
    double part[OWN];

    for (int n = 0; n < OWN; n++)
        part[n] = at + n >= r.from && at + n < r.to ? value[at + n - r.from] : 0;
#pragma unroll
    for (int size = 1; size < OWN; size *= 2)
#pragma unroll
        for (int n = 0; n + size < OWN; n += 2 * size)
            part[n] = joined_blocks(kind, part[n], part[n + size], at + n, size, r);
    return part[0];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    run_reductions(const __grid_constant__ folds a)
{
    __shared__ waiting all;
    const int kind = a.kind == REDUCTION_MIN   ? REDUCE_MIN
                     : a.kind == REDUCTION_MAX ? REDUCE_MAX
                                               : REDUCE_SUM;
    const double *const value = a.from + (int64_t)blockIdx.x * a.count;
    const range r = {a.first, a.first + a.count};

    if (threadIdx.x == 0)
        all.depth = 0;
    for (int64_t begin = r.from & -(int64_t)CHUNK; begin < r.to; begin += CHUNK) {
        const int64_t at = begin + OWN * threadIdx.x;
        const double own = reduce_own(kind, value, at, r);
        const double chunk = reduce_row(kind, own, at, OWN, r);
        if (threadIdx.x == 0)
            add_block(kind, all, begin / CHUNK, chunk);
    }
    if (threadIdx.x == 0)
        a.to[blockIdx.x] = value_of_all(kind, all);
}
