/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings filled by asynchronous copies: each thread copies its vectors of a plane and
 * computes meanwhile. */
#ifndef PAV_NO_PTX
#if __CUDA_ARCH__ < 800
/* Before sm_80 a thread copies through its registers, and nothing is left to wait for. */
template <int BYTES> struct __align__(BYTES) copied_words
{
    unsigned word[BYTES / 4];
};

template <int BYTES> INLINE void kernel_copy_async(void *to, const void *from)
{
    *(copied_words<BYTES> *)to = *(const copied_words<BYTES> *)from;
}

INLINE void kernel_copy_commit()
{
    asm volatile("" ::: "memory");
}

template <int LEFT> INLINE void kernel_copy_wait()
{
    asm volatile("" ::: "memory");
}
#else
/* Threads wait for copies in groups. */
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

/* Waits for all groups except the newest `LEFT`. */
template <int LEFT> INLINE void kernel_copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
#endif
#endif

template <class S> struct async_ring : ring<S> {
    enum { COPIES = (async_ring::PACKS + S::block::COUNT - 1) / S::block::COUNT };
    const pack_of<S> *base;
    unsigned from[COPIES];
};

/* Opens the ring `at` bytes into shared memory. */
template <class S>
INLINE void open_ring(async_ring<S> &r, int at, const work &w, const grid &g,
                      const tile &b)
{
    place_ring(r, at, b);
    r.base = first_in_plane(r, g, b);
    for (int n = 0; n < r.COPIES; n++)
        r.from[n] = offset_in_plane(r, thread_in_block() + n * S::block::COUNT, w, g, b);
}

/* Starts to copy plane z, relative to the computed one; `number` is its index in the
 * level. */
template <class S>
INLINE void copy_plane(const async_ring<S> &r, int z, int64_t number, int64_t stride)
{
    const pack_of<S> *from = r.base + number * (stride / S::VECTOR);
    const int thread = thread_in_block();
    pack_of<S> *to = r.planes + r.plane(z) + thread;

#pragma unroll
    for (int n = 0; n < r.COPIES; n++)
        if ((n + 1) * S::block::COUNT <= r.PACKS ||
            thread + n * S::block::COUNT < r.PACKS)
            kernel_copy_async<sizeof(pack_of<S>)>(to + n * S::block::COUNT,
                                                  from + r.from[n]);
}
