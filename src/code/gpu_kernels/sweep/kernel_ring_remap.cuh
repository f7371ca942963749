/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings filled through registers: all threads load a plane one step before they store it
 * in shared memory. The threads are renumbered in one line laid over the tile and its
 * margin. So 32 x 6 threads act like 48 x 4 and read a tile with a margin of one point in
 * two loads each, without a branch (Krotkiewski and Dabrowski, Efficient 3D stencil
 * computations using CUDA, figure 3). */
template <class S> struct remap_ring : ring<S> {
    typedef typename word_of<sizeof(pack_of<S>)>::type word;
    enum { READS = (remap_ring::PACKS + S::block::COUNT - 1) / S::block::COUNT };
    const pack_of<S> *base;
    unsigned from[READS];
    word soon[READS];
    /* destination of the last read; reads beyond the plane repeat its last vector */
    int last;
};

/* Opens the ring `at` bytes into shared memory. */
template <class S>
INLINE void open_ring(remap_ring<S> &r, int at, const work &w, const grid &g,
                      const tile &b)
{
    place_ring(r, at, b);
    r.base = first_in_plane(r, g, b);
    for (int n = 0; n < r.READS; n++) {
        r.last = (int)lesser(thread_in_block() + n * S::block::COUNT, r.PACKS - 1);
        r.from[n] = offset_in_plane(r, r.last, w, g, b);
    }
}

/* Loads plane `number` of the level into registers. */
template <class S>
INLINE void read_plane(remap_ring<S> &r, int64_t number, int64_t stride)
{
    typedef typename word_of<sizeof(pack_of<S>)>::type word;
    const pack_of<S> *from = r.base + number * (stride / S::VECTOR);

#pragma unroll
    for (int n = 0; n < r.READS; n++)
        r.soon[n] = __ldg((const word *)(from + r.from[n]));
}

/* Stores the loaded plane in shared memory: plane z, relative to the computed one. */
template <class S> INLINE void keep_plane(const remap_ring<S> &r, int z)
{
    typedef typename word_of<sizeof(pack_of<S>)>::type word;
    word *to = (word *)(r.planes + r.plane(z));

#pragma unroll
    for (int n = 0; n < r.READS - 1; n++)
        to[thread_in_block() + n * S::block::COUNT] = r.soon[n];
    to[r.last] = r.soon[r.READS - 1];
}
