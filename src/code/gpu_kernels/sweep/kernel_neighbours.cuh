/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours along x by shuffle: the lanes of a warp take points from each other instead
 * of loading them again. */
enum { ALL_LANES = 32 };

/* The vector of this thread, clamped to the box. Every lane must take part in a shuffle,
 * so lanes outside the box repeat a vector inside. */
template <int N> INLINE int64_t vector_within(const work &w)
{
    const int64_t first = w.lo[0] & -(int64_t)N, last = (w.hi[0] - 1) & -(int64_t)N;
    const int64_t i = first_vector<N>(w);

    return i < first ? first : i > last ? last : i;
}

INLINE int neighbour_lane(int by)
{
    return threadIdx.x % ALL_LANES + by;
}

/* True if the lane BY vectors further along x exists in this warp and has exactly the
 * neighbour vector. */
template <int BY, int N> INLINE bool has_neighbour(int64_t i)
{
    const int lane = neighbour_lane(BY);
    const int there = __shfl_sync(0xffffffffU, (int)i, lane & (ALL_LANES - 1));

    return lane >= 0 && lane < ALL_LANES && there == (int)i + BY * N;
}

/* The neighbour lane's vector; loaded from memory if `there` is false. */
template <int BY, class T, int N>
INLINE pack<T, N> neighbour_vector(const pack<T, N> &own, const T *from, bool there)
{
    enum { WORDS = (sizeof own + 3) / 4 };
    unsigned word[WORDS] = {};
    pack<T, N> p;

    memcpy(word, &own, sizeof own);
#pragma unroll
    for (int n = 0; n < WORDS; n++)
        word[n] = __shfl_sync(0xffffffffU, word[n], neighbour_lane(BY) & (ALL_LANES - 1));
    memcpy(&p, word, sizeof p);
    return there ? p : load_vector<N>(from);
}

template <int BY, class T> INLINE T neighbour_point(T own, const T *from, bool there)
{
    return neighbour_vector<BY>(pack<T, 1>{{own}}, from, there).v[0];
}
