/* SPDX-License-Identifier: BSD-3-Clause */
/* The input levels of a fused launch in shared memory. Planes of a tile are prefetched
 * into rings read by all threads of the block, so they need no registers. The tensor
 * memory accelerator copies whole planes, or each thread copies its own vectors. A new
 * plane overwrites one that no thread has read since the last barrier. */

/* PLANES planes of each input level of a field, from byte AT of shared memory on. */
template <class V, class T, int PLANES, int AT> struct input_planes {
    typedef pack<V, T::N> element;
    enum {
        SPAN = T::Y * 32,
        BYTES = SPAN * sizeof(element),
        /* bytes of the tensor map's element */
        WORD = sizeof(element) < 8 ? sizeof(element) : 8
    };

    static INLINE element *plane(int version, int turn)
    {
        return (element *)(kernel_shared<unsigned char>() + AT) +
               (version * PLANES + turn) * SPAN;
    }
    static INLINE element *place(const thread_place &b, int version, int turn, int r)
    {
        return plane(version, turn) + b.slot + r * 32;
    }
    /* Row y, counted from the thread's first; outside the tile any row, because nobody
     * uses it. */
    static INLINE element row(const thread_place &b, int version, int turn, int y)
    {
        const int at = b.slot + y * 32;
        return plane(version, turn)[y >= 0 && y < T::ROWS ? at : within(at, 0, SPAN - 1)];
    }
    /* Starts to copy a plane; called by one thread. The gate waits for its bytes. */
    static INLINE void copy(const tensor &t, const thread_place &b, int version, int turn,
                            int plane_number, uint64_t *gate)
    {
        kernel_mbarrier_await(gate, BYTES);
        kernel_tensor_load(plane(version, turn), t.map,
                           (b.tile_x - (int)t.first[0]) * (int)sizeof(V) / WORD,
                           b.tile_y - (int)t.first[1], plane_number - (int)t.first[2],
                           gate);
    }
};

/* The slot of the plane loaded `ago` planes before the newest, in a ring of ROUNDS *
 * PHASES slots. */
template <int PHASES, int ROUNDS>
INLINE int ring_slot_before(int phase, int round, int ago)
{
    const int n = phase - ago, at = round * PHASES + n;

    return n >= 0 || at >= 0 ? at : at + PHASES * ROUNDS;
}
