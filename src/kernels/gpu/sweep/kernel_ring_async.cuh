/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes that all threads of a block copy, each its packs, by copies that are under way
 * while the thread goes on. */
#ifndef PAV_NO_PTX
/* They are waited for in groups. */
template <int BYTES> INLINE void kernel_copy_async(void *to, const void *from)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);

    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from),
                     "n"(BYTES)
                     : "memory");
}

INLINE void kernel_copy_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* All groups but the newest `LEFT`. */
template <int LEFT> INLINE void kernel_copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
#endif

template <class T, int N, class B, class M, int FIRST, int PLANES>
struct async_ring : ring<T, N, B, M, FIRST, PLANES> {
    enum { COPIES = (async_ring::PACKS + B::COUNT - 1) / B::COUNT };
    const pack<T, N> *base;
    unsigned from[COPIES];
};

/* At so many bytes of the shared memory. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE void open_ring(async_ring<T, N, B, M, FIRST, PLANES> &r, int at, const work &w,
                      const grid &g, const tile &b)
{
    place_ring(r, at, b);
    r.base = first_in_plane(r, g, b);
    for (int n = 0; n < r.COPIES; n++)
        r.from[n] = offset_in_plane(r, thread_in_block() + n * B::COUNT, w, g, b);
}

/* Begins to copy plane z from that of the points, which is `number` of the level. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE void copy_plane(const async_ring<T, N, B, M, FIRST, PLANES> &r, int z,
                       int64_t number, int64_t stride)
{
    const pack<T, N> *from = r.base + number * (stride / N);
    const int thread = thread_in_block();
    pack<T, N> *to = r.planes + r.plane(z) + thread;

#pragma unroll
    for (int n = 0; n < r.COPIES; n++)
        if ((n + 1) * B::COUNT <= r.PACKS || thread + n * B::COUNT < r.PACKS)
            kernel_copy_async<N * sizeof(T)>(to + n * B::COUNT, from + r.from[n]);
}
