/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of doubles stored in two halves: all lower 32-bit words of a plane, then all
 * higher ones. Neighbouring threads then read neighbouring banks, without bank conflicts.
 * Copies of 4 bytes separate the halves. */
template <class S> struct split_ring : async_ring<S> {
    static_assert(sizeof(typename S::value) == 8, "doubles are split");
    enum {
        HIGH = S::VECTOR *
               split_ring::SPAN /* words from a lower half to its higher half */
    };

    /* The lower half of the first point of a plane. */
    INLINE unsigned *low(int z) const
    {
        return (unsigned *)(this->planes + this->plane(z));
    }

    /* Index of a point in a plane, counted from the thread's own first one. */
    INLINE int point(int y, int x) const
    {
        return ((int)(this->own - this->planes) + y * this->WIDTH) * S::VECTOR + x;
    }
};

/* Starts to copy plane z, relative to the computed one; `number` is its index in the
 * level. */
template <class S>
INLINE void copy_plane(const split_ring<S> &r, int z, int64_t number, int64_t stride)
{
    const pack_of<S> *from = r.base + number * (stride / S::VECTOR);
    const int thread = thread_in_block();
    unsigned *low = r.low(z) + S::VECTOR * thread;

#pragma unroll
    for (int n = 0; n < r.COPIES; n++)
        if ((n + 1) * S::block::COUNT <= r.PACKS ||
            thread + n * S::block::COUNT < r.PACKS)
#pragma unroll
            for (int k = 0; k < S::VECTOR; k++) {
                const unsigned *point = (const unsigned *)(from + r.from[n]) + 2 * k;
                unsigned *to = low + n * S::block::COUNT * S::VECTOR + k;
                kernel_copy_async<4>(to, point);
                kernel_copy_async<4>(to + r.HIGH, point + 1);
            }
}

template <class S>
INLINE pack_of<S> vector_in(const split_ring<S> &r, int z, int y, int x)
{
    typedef typename word_of<4 * S::VECTOR>::type halves;
    const unsigned *at = r.low(z) + r.point(y, x * S::VECTOR);
    const halves low = *(const halves *)at, high = *(const halves *)(at + r.HIGH);
    unsigned lower[S::VECTOR], higher[S::VECTOR];
    pack_of<S> p;

    memcpy(lower, &low, sizeof lower);
    memcpy(higher, &high, sizeof higher);
    for (int k = 0; k < S::VECTOR; k++)
        p.v[k] = __hiloint2double((int)higher[k], (int)lower[k]);
    return p;
}

template <class S>
INLINE typename S::value point_in(const split_ring<S> &r, int z, int y, int x)
{
    const unsigned *at = r.low(z) + r.point(y, x);

    return __hiloint2double((int)at[r.HIGH], (int)at[0]);
}
