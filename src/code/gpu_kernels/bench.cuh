/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of benches: the access of a stencil, and copies. The build makes a text of
 * each part (cmake/embed.cmake). */

/* ==== bench_access ==== */
/* Copy kernels to measure access patterns: one word for each thread, in rows with any
 * alignment and any distance between words. */
struct accesses {
    const unsigned char *from;
    unsigned char *to;
    int64_t words, rows; /* words of a row; rows */
    int64_t pitch;       /* bytes from a row to the next */
    int64_t begin;       /* bytes from the start of a row to its first word */
    int64_t apart;       /* bytes from a word to the next */
};

template <class W> INLINE void copy_words(const accesses &a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= a.words)
        return;
    for (int64_t j = blockIdx.y; j < a.rows; j += gridDim.y) {
        const int64_t at = j * a.pitch + a.begin + i * a.apart;
        *(W *)(a.to + at) = __ldg((const W *)(a.from + at));
    }
}

extern "C" __global__ void copy_words_4(const __grid_constant__ accesses a)
{
    copy_words<unsigned>(a);
}

extern "C" __global__ void copy_words_8(const __grid_constant__ accesses a)
{
    copy_words<uint2>(a);
}

extern "C" __global__ void copy_words_16(const __grid_constant__ accesses a)
{
    copy_words<uint4>(a);
}

/* ==== bench_copies ==== */
/* Copy kernels with the access patterns of stencils, to measure copy bandwidth: from one
 * grid of 16-byte vectors to another.
 *
 *     copy_packs   one vector for each thread
 *     copy_tiles   like a stencil of radius 1: thread tiles sweep along z, and threads at
 *                  the faces of a sweep also read the neighbour vector
 *     copy_remap   tiles with their margin, read like sweeps with copy=remap: 32 x 6
 *                  threads act like 48 x 4 and read twice in a plane. The grid has one
 *                  more row and vector before the first and behind the last */
struct copies {
    const uint4 *from;
    uint4 *to;
    int64_t nx, ny, nz; /* vectors, rows, planes */
    int64_t planes;     /* planes of a sweep */
    unsigned *never;    /* written only if the neighbours combine to UNLIKELY, */
};
enum {
    UNLIKELY = 0x5a17c0de
}; /* so compilers cannot drop their loads; grids of zeros never do */

extern "C" __global__ void copy_packs(const __grid_constant__ copies a)
{
    const int64_t n = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (n < a.nx * a.ny * a.nz)
        a.to[n] = a.from[n];
}

/* Reads only the last number of the neighbour vector: the smallest read of its line. */
INLINE unsigned neighbour(const copies &a, int64_t i, int64_t j, int64_t k)
{
    const bool there = i >= 0 && j >= 0 && k >= 0 && i < a.nx && j < a.ny && k < a.nz;

    return there ? a.from[(k * a.ny + j) * a.nx + i].w : 0;
}

INLINE unsigned neighbour_plane(const copies &a, int64_t i, int64_t j, int64_t k)
{
    const bool there = k >= 0 && k < a.nz;
    const uint4 p = there ? a.from[(k * a.ny + j) * a.nx + i] : uint4{0, 0, 0, 0};

    return p.x ^ p.y ^ p.z ^ p.w;
}

INLINE unsigned neighbour_row(const copies &a, int64_t i, int64_t j, int64_t k)
{
    return j >= 0 && j < a.ny ? neighbour_plane(a, i, j, k) : 0;
}

extern "C" __global__ void copy_tiles(const __grid_constant__ copies a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t j = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    const int64_t first = blockIdx.z * a.planes;
    const int64_t end = first + a.planes < a.nz ? first + a.planes : a.nz;

    if (i >= a.nx || j >= a.ny)
        return;
    unsigned seen = neighbour_plane(a, i, j, first - 1) ^ neighbour_plane(a, i, j, end);
    for (int64_t k = first; k < end; k++) {
        const int64_t n = (k * a.ny + j) * a.nx + i;
        a.to[n] = a.from[n];
        if (threadIdx.x == 0)
            seen ^= neighbour(a, i - 1, j, k);
        if (threadIdx.x == blockDim.x - 1)
            seen ^= neighbour(a, i + 1, j, k);
        if (threadIdx.y == 0)
            seen ^= neighbour_row(a, i, j - 1, k);
        if (threadIdx.y == blockDim.y - 1)
            seen ^= neighbour_row(a, i, j + 1, k);
    }
    if (seen == UNLIKELY)
        *a.never = seen;
}

extern "C" __global__ void __launch_bounds__(192)
    copy_remap(const __grid_constant__ copies a)
{
    enum { N = 4 };
    typedef block_shape<32, 6, 1> threads;
    const grid g = {(void *)a.from, a.nx * N, a.nx * a.ny * N};
    const int64_t first = blockIdx.z * a.planes;
    const int64_t end = lesser(first + a.planes, a.nz);
    work w = {};

    w.hi[0] = a.nx * N;
    w.hi[1] = a.ny;
    const tile b = tile_at<threads, N>(w, (int64_t)blockIdx.y * threads::ROWS);
    float *to = (float *)a.to + b.j * g.y + b.i;
    struct shape {
        typedef float value;
        typedef threads block;
        enum {
            VECTOR = N,
            LEFT = 1,
            RIGHT = 1,
            BELOW = 1,
            ABOVE = 1,
            FARTHER_LEFT = 7,
            FARTHER_RIGHT = 7,
            FIRST = 0,
            PLANES = 2
        };
    };
    remap_ring<shape> in;
    open_ring(in, 0, w, g, b);
    read_plane(in, first, g.z);
    for (int64_t k = first; k < end; k++, turn(in)) {
        keep_plane(in, 0);
        __syncthreads();
        if (k + 1 < end)
            read_plane(in, k + 1, g.z);
        store_whole(to + k * g.z, vector_in(in, 0, 0, 0));
    }
}
