/* SPDX-License-Identifier: BSD-3-Clause */
// A prelude to generated kernels for HIP's compiler for AMD GPUs: the CUDA functions that
// HIP lacks. Warps are halves of AMD's 64 lanes. tools/hip-check compiles kernels with
// it; no run uses it.
#include <hip/hip_runtime.h>

#define PAV_NO_PTX 1
#define __grid_constant__
#define int64_t kernel_int64 // long long in kernels, long in C's headers
#define uint64_t kernel_uint64
#undef INT64_MAX
#undef UINT64_C
#undef INFINITY
#undef NAN

#define HIP_INLINE static __device__ __forceinline__

template <class T> HIP_INLINE T *kernel_shared()
{
    extern __shared__ __attribute__((aligned(128))) unsigned char shared_memory[];
    return reinterpret_cast<T *>(shared_memory);
}

// ---- warps ----------------------------------------------------------------------------

#define HIP_SHUFFLE(name, number)                                                        \
    template <class T>                                                                   \
    HIP_INLINE T name##_sync(unsigned, T value, number by, int width = 32)               \
    {                                                                                    \
        return name(value, by, width);                                                   \
    }
HIP_SHUFFLE(__shfl, int)
HIP_SHUFFLE(__shfl_up, unsigned)
HIP_SHUFFLE(__shfl_down, unsigned)
HIP_SHUFFLE(__shfl_xor, int)

HIP_INLINE unsigned __ballot_sync(unsigned mask, int vote)
{
    return static_cast<unsigned>(__ballot(vote) >> (__lane_id() & 32)) & mask;
}
HIP_INLINE int __any_sync(unsigned mask, int vote)
{
    return __ballot_sync(mask, vote) != 0;
}
HIP_INLINE int __all_sync(unsigned mask, int vote)
{
    return __ballot_sync(mask, vote) == mask;
}

// ---- memory ---------------------------------------------------------------------------

// Loads and stores at the scope of the device, past the caches of one block: each load
// gets the newest value of other blocks, and each store is visible to them.
template <int REST> struct hip_word {
    typedef unsigned short type;
};
template <> struct hip_word<0> {
    typedef unsigned type;
};
template <class T> struct hip_words {
    typedef typename hip_word<sizeof(T) % sizeof(unsigned)>::type type;
    enum { COUNT = sizeof(T) / sizeof(type) };
};
template <class T> HIP_INLINE T __ldcg(const T *from)
{
    typedef typename hip_words<T>::type word;
    word all[hip_words<T>::COUNT];
    T value;

    for (int i = 0; i < hip_words<T>::COUNT; i++)
        all[i] = __hip_atomic_load(reinterpret_cast<const word *>(from) + i,
                                   __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    memcpy(&value, all, sizeof value);
    return value;
}
template <class T> HIP_INLINE void __stcg(T *to, T value)
{
    typedef typename hip_words<T>::type word;
    word all[hip_words<T>::COUNT];

    memcpy(all, &value, sizeof value);
    for (int i = 0; i < hip_words<T>::COUNT; i++)
        __hip_atomic_store(reinterpret_cast<word *>(to) + i, all[i], __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_AGENT);
}
HIP_INLINE void kernel_prefetch(const void *at)
{
    __builtin_prefetch(at);
}
HIP_INLINE long long kernel_opaque(long long number)
{
    asm volatile("" : "+v"(number));
    return number;
}
HIP_INLINE void kernel_signal(unsigned *at, unsigned value)
{
    __hip_atomic_store(at, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T> HIP_INLINE T kernel_load_relaxed(const T *from)
{
    return __ldcg(from);
}
template <class T> HIP_INLINE void kernel_store_relaxed(T *to, T value)
{
    __stcg(to, value);
}
HIP_INLINE void kernel_wait_epoch(const unsigned *at, unsigned value)
{
    while (static_cast<int>(
               __hip_atomic_load(at, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) -
               value) < 0) {
    }
}

// ---- copies into shared memory: made at once ------------------------------------------

template <int BYTES> HIP_INLINE void kernel_copy_async(void *to, const void *from)
{
    memcpy(__builtin_assume_aligned(to, BYTES), __builtin_assume_aligned(from, BYTES),
           BYTES);
}
HIP_INLINE void kernel_copy_commit()
{
}
template <int LEFT> HIP_INLINE void kernel_copy_wait()
{
}
