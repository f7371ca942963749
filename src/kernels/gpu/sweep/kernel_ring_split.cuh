/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes of doubles that lie in shared memory as two of 32-bit words, the lower halves
 * and then the higher ones, so that neighbouring threads find theirs in neighbouring
 * banks. Copies of 4 bytes part them on their way. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
struct split_ring : async_ring<T, N, B, M, FIRST, PLANES> {
    static_assert(sizeof(T) == 8, "doubles are split");
    enum { HIGH = N * split_ring::SPAN /* words from a lower half to the higher one */ };

    /* The lower half of the first point of a plane. */
    INLINE unsigned *low(int z) const
    {
        return (unsigned *)(this->planes + this->plane(z));
    }

    /* The number of a point of that plane, from the thread's own first one. */
    INLINE int point(int y, int x) const
    {
        return ((int)(this->own - this->planes) + y * this->WIDTH) * N + x;
    }
};

/* Begins to copy plane z from that of the points, which is `number` of the level. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE void copy_plane(const split_ring<T, N, B, M, FIRST, PLANES> &r, int z,
                       int64_t number, int64_t stride)
{
    const pack<T, N> *from = r.base + number * (stride / N);
    const int thread = thread_in_block();
    unsigned *low = r.low(z) + N * thread;

#pragma unroll
    for (int n = 0; n < r.COPIES; n++)
        if ((n + 1) * B::COUNT <= r.PACKS || thread + n * B::COUNT < r.PACKS)
#pragma unroll
            for (int k = 0; k < N; k++) {
                const unsigned *point = (const unsigned *)(from + r.from[n]) + 2 * k;
                unsigned *to = low + n * B::COUNT * N + k;
                kernel_copy_async<4>(to, point);
                kernel_copy_async<4>(to + r.HIGH, point + 1);
            }
}

template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE pack<T, N> vector_in(const split_ring<T, N, B, M, FIRST, PLANES> &r, int z, int y,
                            int x)
{
    typedef typename word_of<4 * N>::type halves;
    const unsigned *at = r.low(z) + r.point(y, x * N);
    const halves low = *(const halves *)at, high = *(const halves *)(at + r.HIGH);
    unsigned lower[N], higher[N];
    pack<T, N> p;

    memcpy(lower, &low, sizeof lower);
    memcpy(higher, &high, sizeof higher);
    for (int k = 0; k < N; k++)
        p.v[k] = __hiloint2double((int)higher[k], (int)lower[k]);
    return p;
}

template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE T point_in(const split_ring<T, N, B, M, FIRST, PLANES> &r, int z, int y, int x)
{
    const unsigned *at = r.low(z) + r.point(y, x);

    return __hiloint2double((int)at[r.HIGH], (int)at[0]);
}
