/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings filled by the tensor memory accelerator (sm_90 and later). One thread of a block
 * requests a plane; the accelerator copies it and counts its bytes at an mbarrier.
 *
 * Step n of a sweep uses gates n % GATES. Copies started in step n belong to step n +
 * AHEAD:
 *
 *     free     all warps have reached step n, so planes last read in step n - 1 may be
 *              overwritten
 *     there    all planes first read in step n have arrived
 *
 * There is one gate more than steps in flight. So the copies for step n + GATES, and the
 * arrivals of warps in it, come after all warps have left step n: no gate is ever two
 * phases ahead of a waiting thread. */
#ifndef PAV_NO_PTX
INLINE unsigned shared_address(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

INLINE void kernel_mbarrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

/* Afterwards the barrier's memory may be reused. */
INLINE void kernel_mbarrier_end(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

/* Makes initialised barriers visible to the accelerator. */
INLINE void kernel_mbarrier_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

INLINE void kernel_mbarrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

/* Adds bytes to the transfers awaited in this phase. The caller must not have arrived
 * yet. */
INLINE void kernel_mbarrier_await(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

INLINE bool has_left(uint64_t *barrier, unsigned parity)
{
    unsigned passed;

    asm volatile("{\n"
                 "    .reg .pred p;\n"
                 "    mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "    selp.u32 %0, 1, 0, p;\n"
                 "}"
                 : "=r"(passed)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return passed;
}

INLINE void kernel_mbarrier_wait(uint64_t *barrier, unsigned parity)
{
    while (!has_left(barrier, parity)) {
    }
}

/* Copies a box of the tensor map, from word x of row y of plane z on. The accelerator
 * fills words outside the map with zeros. */
INLINE void kernel_tensor_load(void *to, const uint64_t *map, int x, int y, int z,
                               uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
                 : "memory");
}
#endif

/* The tensor map of a level for the accelerator, and the indices along x, y and z of the
 * first point in the map. */
struct alignas(64) tensor {
    uint64_t map[16];
    int64_t first[3];
};

/* ---- gates ------------------------------------------------------------------------- */

template <class B, int AHEAD> struct gates {
    enum { GATES = AHEAD + 1, WARPS = (B::COUNT + 31) / 32 };
    uint64_t *there, *free;
    int now;         /* gate of this step */
    unsigned parity; /* parity of the gate's phase */

    /* The gate of the step AHEAD planes further on. */
    INLINE uint64_t *asked() const
    {
        return there + (now > 0 ? now - 1 : AHEAD);
    }
};

/* True in the one thread that starts copies. */
INLINE bool copies_planes()
{
    return thread_in_block() == 0;
}

/* Opens the gates `at` bytes into shared memory. */
template <class B, int AHEAD> INLINE void open_gates(gates<B, AHEAD> &g, int at)
{
    g.there = (uint64_t *)(kernel_shared<unsigned char>() + at);
    g.free = g.there + g.GATES;
    g.now = 0;
    g.parity = 0;
    if (copies_planes()) {
        for (int n = 0; n < g.GATES; n++) {
            kernel_mbarrier_init(&g.there[n], 1);
            kernel_mbarrier_init(&g.free[n], g.WARPS);
        }
        kernel_mbarrier_fence();
    }
    __syncthreads();
}

/* Closes the gates after all threads have finished. */
template <class B, int AHEAD> INLINE void close_gates(const gates<B, AHEAD> &g)
{
    __syncthreads();
    if (copies_planes())
        for (int n = 0; n < 2 * g.GATES; n++)
            kernel_mbarrier_end(&g.there[n]);
}

/* Signals that the thread has reached this step: one lane arrives for its whole warp. */
template <class B, int AHEAD> INLINE void come(const gates<B, AHEAD> &g)
{
    const int lane = thread_in_block() % 32, first = thread_in_block() - lane;

    __syncwarp(B::COUNT - first < 32 ? (1U << (B::COUNT - first)) - 1 : 0xffffffffU);
    if (lane == 0)
        kernel_mbarrier_arrive(&g.free[g.now]);
}

template <class B, int AHEAD> INLINE void wait_for_all(const gates<B, AHEAD> &g)
{
    kernel_mbarrier_wait(&g.free[g.now], g.parity);
}

template <class B, int AHEAD> INLINE void wait_for_planes(const gates<B, AHEAD> &g)
{
    kernel_mbarrier_wait(&g.there[g.now], g.parity);
}

/* Advances to the gate of the next step. */
template <class B, int AHEAD> INLINE void turn(gates<B, AHEAD> &g)
{
    g.now = g.now < AHEAD ? g.now + 1 : 0;
    g.parity ^= g.now == 0;
}

/* ---- planes ------------------------------------------------------------------------ */

template <class S> struct tensor_ring : ring<S> {
    enum {
        BYTES = tensor_ring::PACKS * sizeof(pack_of<S>),
        WORD = sizeof(pack_of<S>) < 8 ? sizeof(pack_of<S>)
                                      : 8 /* bytes of the tensor map's element */
    };
    const tensor *map_of;
    int x, y; /* the block's first vector, in the map's elements and rows */
};

/* Opens the ring `at` bytes into shared memory. */
template <class S>
INLINE void open_ring(tensor_ring<S> &r, int at, const tensor &t, const tile &b)
{
    place_ring(r, at, b);
    r.map_of = &t;
    r.x = (int)((b.x - S::VECTOR * r.BEGIN - t.first[0]) *
                (int64_t)sizeof(typename S::value) / r.WORD);
    r.y = (int)(b.y - S::BELOW - t.first[1]);
}

/* Starts to copy plane z, relative to the computed one; `number` is its index in the
 * level. The gate waits for its bytes. */
template <class S>
INLINE void copy_plane(const tensor_ring<S> &r, uint64_t *gate, int z, int64_t number)
{
    kernel_mbarrier_await(gate, r.BYTES);
    kernel_tensor_load(r.planes + r.plane(z), r.map_of->map, r.x, r.y,
                       (int)(number - r.map_of->first[2]), gate);
}
