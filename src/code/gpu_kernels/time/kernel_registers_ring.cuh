/* SPDX-License-Identifier: BSD-3-Clause */
/* What a fused launch finds, in shared memory: planes of a tile come ahead into rings
 * that all threads of the block read, so that no thread holds them. The tensor memory
 * accelerator brings whole planes, or each thread copies its own packs. A plane takes the
 * place of one that all threads had left when they last synchronised. */

/* PLANES planes of each level that a fused launch finds of a field, from byte AT of the
 * shared memory on. */
template <class V, class T, int PLANES, int AT> struct input_planes {
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
    static INLINE element *place(const thread_place &b, int version, int turn, int r)
    {
        return plane(version, turn) + b.slot + r * 32;
    }
    /* Row y from the thread's first; beyond the tile some other. */
    static INLINE element row(const thread_place &b, int version, int turn, int y)
    {
        const int at = b.slot + y * 32;
        return plane(version, turn)[y >= 0 && y < T::ROWS ? at : within(at, 0, SPAN - 1)];
    }
    /* In one thread: begins to copy a plane, which the gate waits for. */
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

/* The place in a ring of so many times so many planes of the one that came `ago` planes
 * before the newest. */
template <int PHASES, int ROUNDS>
INLINE int ring_slot_before(int phase, int round, int ago)
{
    const int n = phase - ago, at = round * PHASES + n;

    return n >= 0 || at >= 0 ? at : at + PHASES * ROUNDS;
}
