/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pass finds, in shared memory: planes of a tile come ahead into rings that all threads of the block read, so that
 * no thread holds them. The tensor memory accelerator brings whole planes, or each thread copies its own packs. A plane
 * takes the place of one that all threads had left when they last met. */

/* PLANES planes of each level that a pass finds of a field, from byte AT of the shared memory on. */
template <class V, class T, int PLANES, int AT> struct found_planes {
    typedef pack<V, T::N> element;
    enum {
        SPAN = T::Y * 32,
        BYTES = SPAN * sizeof(element),
        WORD = sizeof(element) < 8 ? sizeof(element) : 8 /* bytes that maps count in */
    };

    static INLINE element *plane(int version, int turn)
    {
        return (element *)(kernel_shared<unsigned char>() + AT) +
               (version * PLANES + turn) * SPAN;
    }
    static INLINE element *place(const held_place &b, int version, int turn, int r)
    {
        return plane(version, turn) + (b.row + r) * 32 + threadIdx.x;
    }
    /* Row y from the thread's first; beyond the tile the last one. */
    static INLINE element row(const held_place &b, int version, int turn, int y)
    {
        const int row = y < 0 || y >= T::ROWS ? within(b.row + y, 0, T::Y - 1) - b.row : y;
        return *place(b, version, turn, row);
    }
    /* In one thread, the tile's first: begins to copy a plane, which the gate waits for. */
    static INLINE void copy(const tensor &t, const held_place &b, int version, int turn,
                            int plane_number, uint64_t *gate)
    {
        kernel_mbarrier_await(gate, BYTES);
        kernel_tensor_load(plane(version, turn), t.map,
                           (b.x - (int)t.first[0]) * (int)sizeof(V) / WORD,
                           b.y - (int)t.first[1], plane_number - (int)t.first[2], gate);
    }
};

/* Which points those of a tile are that wraps around a face, from byte AT of the shared memory on. */
template <class T, int AT> struct wrapped_tile {
    static INLINE int *x()
    {
        return (int *)(kernel_shared<unsigned char>() + AT);
    }
    static INLINE int *y()
    {
        return x() + T::X;
    }
    template <bool WRAPS_X, bool WRAPS_Y>
    static INLINE void open(const pass_work &w, const held_place &b)
    {
        const int first_x = b.x - (int)threadIdx.x * T::N, first_y = b.y - b.row;

        for (int n = thread_in_block(); n < T::X; n += 32 * T::WARPS)
            x()[n] = WRAPS_X ? index_at<true>(first_x + n, w.extent[0], 0, 0)
                             : first_x + n;
        for (int n = thread_in_block(); n < T::Y; n += 32 * T::WARPS)
            y()[n] = WRAPS_Y ? index_at<true>(first_y + n, w.extent[1], 0, 0)
                             : first_y + n;
        __syncthreads();
    }
};

/* Begins to copy a pack of a row, whose points need not lie together where the row wraps. */
template <bool TOGETHER, class V, int N>
INLINE void ask_points(pack<V, N> *to, const V *row, const int *x)
{
    enum { EACH = TOGETHER ? piece_of<V, N>::POINTS : 1 };

#pragma unroll
    for (int n = 0; n < N; n += EACH)
        kernel_copy_async<EACH * sizeof(V)>(&to->v[n], row + (TOGETHER ? x[0] + n : x[n]));
}
