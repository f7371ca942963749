/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of every GPU kernel: types, narrow storage, arguments of a block, and the fixed
 * tree of reductions. The build makes a text of each part (cmake/embed.cmake). */

/* ==== kernel_gpu ==== */
/* The basis of all kernels: integer types of fixed size, because NVRTC has no headers,
 * and the argument of a stage kernel. */
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT64_MAX 0x7fffffffffffffffLL
#define UINT64_C(digits) digits##ULL
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define INLINE __device__ __forceinline__

/* One level of one field. */
struct grid {
    void *data;   /* point (0, 0, 0) */
    int64_t y, z; /* strides in elements */
};

/* The ghosts beyond one side of an axis: point p is copied to from + sign * p if that is
 * one of `depth` ghosts from `first` on. */
struct images {
    int from, sign, first, depth;
};

/* The argument of a stage kernel. */
struct work {
    int64_t lo[3], hi[3];     /* a box of points */
    double *fold;             /* results of reductions, one for each piece of a row */
    int64_t folds[3];         /* strides in `fold`: row, plane, reduction */
    const int64_t (*list)[3]; /* points, in place of the box */
    const double *weight;     /* weight of each listed point */
    int64_t count;            /* number of listed points */
    int64_t planes;           /* planes swept by one block */
    int64_t same_ends;        /* nonzero: all levels are equal around the rows */
    int64_t around;           /* length of periodic rows; 0: ghosts are in memory */
    images beyond[3][2];      /* ghosts stored by the sweep: kernel_ghosts */
};

/* ==== kernel_narrow ==== */
/* Conversions of narrow storage types by the GPU's own instructions. They replace the
 * arithmetic above, with the same bits except for NaN. */
#ifndef PAV_NO_PTX
INLINE float own_f32_of_f16(uint16_t half)
{
    float v;

    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(half));
    return v;
}

INLINE uint16_t own_f16_of_f32(float v)
{
    uint16_t half;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(v));
    return half;
}

#define f32_of_f16 own_f32_of_f16
#define f16_of_f32 own_f16_of_f32

#if __CUDA_ARCH__ >= 800
INLINE uint16_t own_bf16_of_f32(float v)
{
    uint16_t half;

    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(half) : "f"(v));
    return half;
}
#define bf16_of_f32 own_bf16_of_f32
#endif
#endif

/* ==== kernel_uniforms ==== */
/* Copies kernel arguments read by all threads of a block to shared memory. Every thread
 * must call it before anything else. */
template <class T> INLINE void stage_numbers(T &to, const T *from)
{
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
                       threadIdx.x;
    const int threads = blockDim.x * blockDim.y * blockDim.z;

    for (int n = thread; n < (int)(sizeof(T) / sizeof(unsigned)); n += threads) {
        const unsigned word = __ldg((const unsigned *)from + n);
        memcpy((unsigned char *)&to + n * sizeof word, &word, sizeof word);
    }
    __syncthreads();
}

/* ==== kernel_warps ==== */
/* The fixed tree of reductions over the values of the threads of a warp or a block:
 * neighbours pair up, 0 with 1, 2 with 3, then pairs of pairs. A missing partner changes
 * nothing: threads without a point hold the value of `missing`. */
enum { WARP = 32, MOST_WARPS = 32 };

/* The indices from ... to - 1, held by the lanes of a warp. */
struct range {
    int64_t from, to;
};

/* The neutral value of a reduction: joined with any value, on either side, it gives that
 * value, bit for bit. */
INLINE double missing(int kind)
{
    return kind == REDUCE_SUM ? -0.0 : kind == REDUCE_MIN ? INFINITY : -INFINITY;
}

/* `count` neighbours of a warp, a power of two. The first one has the result. */
INLINE double reduce_threads(int kind, double value, int count)
{
    for (int n = 1; n < count; n *= 2)
        value = joined(kind, value, __shfl_down_sync(0xffffffffU, value, n));
    return value;
}

/* COUNT values of each thread of a warp, at most 32: value n of thread t has the index
 * 32 * n + t. The first levels of the tree also spread the values over the threads: after
 * them thread t goes on with value t % COUNT. So four values need 8 exchanges, not 20. */
template <int COUNT>
INLINE double reduce_warp(int kind, double (&value)[COUNT], int thread)
{
#pragma unroll
    for (int half = COUNT / 2, bit = 1; half >= 1; half /= 2, bit *= 2) {
        const bool second = thread & bit;
#pragma unroll
        for (int n = 0; n < half; n++) {
            const double own = second ? value[2 * n + 1] : value[2 * n];
            const double other = __shfl_xor_sync(
                0xffffffffU, second ? value[2 * n] : value[2 * n + 1], bit);
            value[n] = second ? joined(kind, other, own) : joined(kind, own, other);
        }
    }
    double sum = value[0];
#pragma unroll
    for (int n = COUNT; n < WARP; n *= 2)
        sum = joined(kind, sum, __shfl_down_sync(0xffffffffU, sum, n));
    return reduce_threads(kind, sum, COUNT);
}

/* All threads of a block along x, whole warps. Thread 0 has the result. Every thread of
 * the block must call it. */
INLINE double reduce_block(int kind, double value)
{
    __shared__ double part[MOST_WARPS];
    const int x = threadIdx.x, warps = blockDim.x / WARP;

    value = reduce_threads(kind, value, WARP);
    if (x % WARP == 0)
        part[x / WARP] = value;
    __syncthreads();
    if (x < WARP)
        value = reduce_threads(kind, x < warps ? part[x] : missing(kind), WARP);
    __syncthreads(); /* before the next call writes its parts */
    return value;
}

/* ==== kernel_pieces ==== */
/* Reductions: each row of threads folds a piece, the points of a row of the grid whose
 * indices begin at a multiple of PIECE. A row of threads is a warp, or for short rows of
 * the grid the least power of two that holds them. No warp waits for another one. */
enum { PIECE = 512, AT_ONCE = 4 /* points of a thread */ };
enum { CHUNKS = PIECE / (AT_ONCE * WARP) };

/* The indices of piece p of a row of the box. */
INLINE range piece_of(const work &w, int64_t p)
{
    const int64_t begin = (w.lo[0] & -(int64_t)PIECE) + p * PIECE, end = begin + PIECE;

    return {begin > w.lo[0] ? begin : w.lo[0], end < w.hi[0] ? end : w.hi[0]};
}

/* The row along y of the first threads of the block. */
INLINE int64_t first_row(const work &w)
{
    return w.lo[1] + (int64_t)blockIdx.y * blockDim.y;
}

/* A chunk of a piece: AT_ONCE points of each thread, one row of threads after the other.
 * A row of threads narrower than a warp holds its row of the grid at once. */
INLINE int64_t chunk_size()
{
    return blockDim.x < WARP ? blockDim.x : AT_ONCE * WARP;
}

/* The first index of the chunk with the first point of the piece. */
INLINE int64_t first_chunk(range r)
{
    return r.from & -chunk_size();
}

/* Thread n of the row keeps the value of chunk n of the piece. Value n of a thread has
 * the index at + n * blockDim.x + threadIdx.x. A row of threads narrower than a warp has
 * one chunk. */
INLINE double keep_chunk(int kind, double kept, double (&value)[AT_ONCE], int64_t at)
{
    if (blockDim.x < WARP)
        return reduce_threads(kind, value[0], blockDim.x);
    const double chunk = __shfl_sync(0xffffffffU,
                                     reduce_warp<AT_ONCE>(kind, value, threadIdx.x), 0);
    return threadIdx.x == (at & (PIECE - 1)) / chunk_size() ? chunk : kept;
}

/* COUNT neighbours of one thread, a power of two. */
template <int COUNT> INLINE double reduce_own(int kind, double (&value)[COUNT])
{
#pragma unroll
    for (int half = COUNT / 2; half >= 1; half /= 2)
#pragma unroll
        for (int n = 0; n < half; n++)
            value[n] = joined(kind, value[2 * n], value[2 * n + 1]);
    return value[0];
}

/* Stores reduction n of a piece. A row of threads past the last row of the box stores
 * nothing. */
INLINE void store_piece(const work &w, int n, double value, int64_t p, int64_t j,
                        int64_t k)
{
    if (threadIdx.x == 0 && j < w.hi[1])
        w.fold[n * w.folds[2] + (k - w.lo[2]) * w.folds[1] + (j - w.lo[1]) * w.folds[0] +
               p] = value;
}

/* Folds the chunks of a piece for reduction n. */
INLINE void reduction_piece(const work &w, int n, int kind, double value, int64_t p,
                            int64_t j, int64_t k)
{
    if (blockDim.x == WARP)
        value = reduce_threads(kind, value, CHUNKS);
    store_piece(w, n, value, p, j, k);
}
