/* SPDX-License-Identifier: BSD-3-Clause */
// The basis of CUDA C++ for the host's C++ compiler: its keywords, indices and vectors.
// It includes no header, because NVRTC has none either: code for this shim also compiles
// with NVRTC.
#define PAV_NO_PTX 1
#define __global__
#define __device__
#define __shared__ thread_local // a block runs on one thread of the host
#define __constant__ __attribute__((visibility("default"))) // set by the host
#define __grid_constant__
#ifdef __OPTIMIZE__
#define __forceinline__ inline __attribute__((always_inline))
#else // without optimisation, forced copies take most of the compile time
#define __forceinline__ inline
#endif
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define memcpy __builtin_memcpy // device code has memcpy
#define __align__(n) __attribute__((aligned(n)))

typedef decltype(sizeof 0) size_t;
typedef emulated_index uint3, dim3;

static thread_local emulated_here emulated_now;
#define threadIdx (emulated_now.thread)
#define blockIdx (emulated_now.block)
#define blockDim (emulated_now.threads)
#define gridDim (emulated_now.blocks)
static const int warpSize = 32;

extern "C" __attribute__((visibility("default"))) emulated_here *emulated_place()
{
    return &emulated_now;
}

static inline unsigned long long emulated_do(const emulated_request &ask)
{
    return emulated_now.ask(&ask);
}

// Calls a kernel with the argument structure at an address.
template <class T>
static inline void emulated_call(void (*kernel)(T), const void *argument)
{
    kernel(*static_cast<const T *>(argument));
}
#define EMULATED_KERNEL(name)                                                            \
    extern "C" __attribute__((visibility("default"))) void emulated_enter_##name(        \
        const void *argument)                                                            \
    {                                                                                    \
        emulated_call(name, argument);                                                   \
    }

// ---- vectors --------------------------------------------------------------------------

#define EMULATED_VECTORS(type, name, suits)                                              \
    struct __align__(2 * sizeof(type)) name##2                                           \
    {                                                                                    \
        type x, y;                                                                       \
    };                                                                                   \
    struct name##3                                                                       \
    {                                                                                    \
        type x, y, z;                                                                    \
    };                                                                                   \
    struct __align__(suits) name##4                                                      \
    {                                                                                    \
        type x, y, z, w;                                                                 \
    };                                                                                   \
    static inline name##2 make_##name##2(type x, type y)                                 \
    {                                                                                    \
        return {x, y};                                                                   \
    }                                                                                    \
    static inline name##3 make_##name##3(type x, type y, type z)                         \
    {                                                                                    \
        return {x, y, z};                                                                \
    }                                                                                    \
    static inline name##4 make_##name##4(type x, type y, type z, type w)                 \
    {                                                                                    \
        return {x, y, z, w};                                                             \
    }
#define uint3 emulated_uint3 // the name is taken
EMULATED_VECTORS(float, float, 16)
EMULATED_VECTORS(double, double, 16)
EMULATED_VECTORS(int, int, 16)
EMULATED_VECTORS(unsigned, uint, 16)
EMULATED_VECTORS(long long, longlong, 16)
EMULATED_VECTORS(unsigned long long, ulonglong, 16)
EMULATED_VECTORS(short, short, 8)
EMULATED_VECTORS(unsigned short, ushort, 8)
EMULATED_VECTORS(signed char, char, 4)
EMULATED_VECTORS(unsigned char, uchar, 4)
#undef uint3

// ---- loads and stores by kind -- ------------------------------------------------------

#define EMULATED_LOAD(name)                                                              \
    template <class T> static inline T name(const T *p)                                  \
    {                                                                                    \
        return *p;                                                                       \
    }
#define EMULATED_STORE(name)                                                             \
    template <class T> static inline void name(T *p, T value)                            \
    {                                                                                    \
        *p = value;                                                                      \
    }
#define __builtin_assume(condition) ((void)0)
EMULATED_LOAD(__ldg)
EMULATED_LOAD(__ldcg)
// Reads the address, so a prefetch of an invalid address fails.
static inline void kernel_prefetch(const void *at)
{
    (void)*static_cast<const volatile char *>(at);
}
static inline long long kernel_opaque(long long number)
{
    return number;
}
EMULATED_STORE(__stcg)
