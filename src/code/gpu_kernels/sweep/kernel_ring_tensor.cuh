/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes that one thread of a block asks for: the tensor memory accelerator, which GPUs
 * have from sm_90 on, copies each as a whole and counts its bytes at an mbarrier.
 *
 * Step n of a sweep goes by the gates n % GATES, and the copies that begin in step n are
 * those of step n + AHEAD:
 *
 *     free     all warps have come to step n: the planes that step n - 1 was the last to
 *              read may be overwritten
 *     there    what is read from step n on has arrived
 *
 * There is one gate more than steps that are under way at once. So what is copied for
 * step n + GATES, and a warp's arrival in it, come after all warps have left step n: no
 * gate is ever two phases ahead of a thread that waits for it. */
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

/* Its memory may be used for something else, or begun anew. */
INLINE void kernel_mbarrier_end(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

/* What was begun is seen by the accelerator, too. */
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

/* The phase waits for so many bytes, too; somebody who has not arrived says so. */
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

/* A box of what the map covers, from its word x of row y of plane z on; zeros where that
 * ends. */
INLINE void kernel_tensor_load(void *to, const uint64_t *map, int x, int y, int z,
                               uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
                 : "memory");
}
#endif

/* What the accelerator needs to know of a level, and the indices along x, y, z of the
 * first point that it covers. */
struct alignas(64) tensor {
    uint64_t map[16];
    int64_t first[3];
};

/* ---- gates ------------------------------------------------------------------------- */

template <class B, int AHEAD> struct gates {
    enum { GATES = AHEAD + 1, WARPS = (B::COUNT + 31) / 32 };
    uint64_t *there, *free;
    int now;         /* those of this step */
    unsigned parity; /* of their phase */

    /* Those of the step that is AHEAD planes further on. */
    INLINE uint64_t *asked() const
    {
        return there + (now > 0 ? now - 1 : AHEAD);
    }
};

/* In one of the threads. */
INLINE bool copies_planes()
{
    return thread_in_block() == 0;
}

/* At so many bytes of the shared memory. */
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

/* Once all threads are through. */
template <class B, int AHEAD> INLINE void close_gates(const gates<B, AHEAD> &g)
{
    __syncthreads();
    if (copies_planes())
        for (int n = 0; n < 2 * g.GATES; n++)
            kernel_mbarrier_end(&g.there[n]);
}

/* The thread has come to this step; one of each warp says so, once all of it have. */
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

/* On to the next step. */
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
                                      : 8 /* bytes that the map counts in */
    };
    const tensor *map_of;
    int x, y; /* of the block's first vector, in what the map covers */
};

/* At so many bytes of the shared memory. */
template <class S>
INLINE void open_ring(tensor_ring<S> &r, int at, const tensor &t, const tile &b)
{
    place_ring(r, at, b);
    r.map_of = &t;
    r.x = (int)((b.x - S::VECTOR * r.BEGIN - t.first[0]) *
                (int64_t)sizeof(typename S::value) / r.WORD);
    r.y = (int)(b.y - S::BELOW - t.first[1]);
}

/* Begins to copy plane z from that of the points, which is `number` of the level: the
 * gate waits for it. */
template <class S>
INLINE void copy_plane(const tensor_ring<S> &r, uint64_t *gate, int z, int64_t number)
{
    kernel_mbarrier_await(gate, r.BYTES);
    kernel_tensor_load(r.planes + r.plane(z), r.map_of->map, r.x, r.y,
                       (int)(number - r.map_of->first[2]), gate);
}
