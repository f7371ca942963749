/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels with a thread for each point, and kernels of whole lines: operations along an
 * axis, and transforms. The build makes a text of each part (cmake/embed.cmake). */

/* ==== kernel_point ==== */
/* One thread for each point of a box. Along x blocks begin at multiples of their width, a
 * power of two, so that warps load whole lines. A thread may therefore lie before the box
 * or behind it. */
struct place {
    int64_t i, j, k;
};

INLINE int64_t first_x(const work &w)
{
    return w.lo[0] & -(int64_t)blockDim.x;
}

/* True if all blocks stand in one line along x: a launch limits the number of blocks
 * along y and z. */
INLINE bool is_in_line(const work &w)
{
    return (gridDim.y == 1 && w.hi[1] - w.lo[1] > blockDim.y) ||
           (gridDim.z == 1 && w.hi[2] - w.lo[2] > blockDim.z);
}

INLINE place place_of_thread(const work &w)
{
    int64_t x = blockIdx.x, y = blockIdx.y, z = blockIdx.z;

    if (is_in_line(w)) {
        const int64_t across = (w.hi[0] - first_x(w) + blockDim.x - 1) / blockDim.x;
        const int64_t down = (w.hi[1] - w.lo[1] + blockDim.y - 1) / blockDim.y;
        z = x / across / down;
        y = x / across % down;
        x = x % across;
    }
    return {first_x(w) + x * blockDim.x + threadIdx.x,
            w.lo[1] + y * blockDim.y + threadIdx.y,
            w.lo[2] + z * blockDim.z + threadIdx.z};
}

INLINE bool is_inside(const work &w, place p)
{
    return p.i >= w.lo[0] && p.i < w.hi[0] && p.j < w.hi[1] && p.k < w.hi[2];
}

/* ==== kernel_line_tiles ==== */
/* Tiles of an operation along x. One thread computes a line, so neighbouring threads
 * would access neighbouring rows, each in a sector of its own. A block therefore copies
 * LINE_TILE points of LINE_TILE rows to shared memory, by whole rows of threads. Its
 * threads then go along their lines there, and the block copies the results back. */
enum { LINE_TILE = 32 };

/* The rows of a block, from (j, k) on, and the first and last tile of a row. */
struct line_tiles {
    int64_t lo, hi, first, last, j, k;
    int rows;
};

INLINE line_tiles tiles_of(const work &w, int64_t block)
{
    const int64_t down = (w.hi[1] - w.lo[1] + LINE_TILE - 1) / LINE_TILE;
    const int64_t j = w.lo[1] + block % down * LINE_TILE, left = w.hi[1] - j;

    return {w.lo[0],
            w.hi[0],
            w.lo[0] & -(int64_t)LINE_TILE,
            (w.hi[0] - 1) & -(int64_t)LINE_TILE,
            j,
            w.lo[2] + block / down,
            left < LINE_TILE ? (int)left : (int)LINE_TILE};
}

/* A tile as a grid. Its column 0 is point x0. PITCH is odd, so the threads of a warp
 * access different banks. */
template <typename T, int PITCH>
INLINE grid grid_of_tile(T *tile, int64_t x0, const line_tiles &t)
{
    return {tile - t.j * PITCH - x0, PITCH, 0};
}

/* Calls copy(i, j) for the points [from, to) of all rows. A warp takes one row. */
template <typename COPY>
INLINE void each_of_tile(int64_t from, int64_t to, const line_tiles &t, COPY copy)
{
    for (int64_t i = (from & -(int64_t)LINE_TILE) + threadIdx.x % LINE_TILE; i < to;
         i += LINE_TILE)
        for (int n = threadIdx.x / LINE_TILE; n < t.rows && i >= from;
             n += blockDim.x / LINE_TILE)
            copy(i, t.j + n);
}

template <typename T, int PITCH>
INLINE void load_tile(const grid &tile, const grid &g, int64_t from, int64_t to,
                      const line_tiles &t)
{
    const T *const memory = (const T *)g.data + t.k * g.z;

    each_of_tile(from, to, t, [&](int64_t i, int64_t j) {
        ((T *)tile.data)[j * PITCH + i] = memory[j * g.y + i];
    });
}

template <typename T, int PITCH>
INLINE void store_tile(const grid &tile, const grid &g, int64_t from, int64_t to,
                       const line_tiles &t)
{
    T *const memory = (T *)g.data + t.k * g.z;

    each_of_tile(from, to, t, [&](int64_t i, int64_t j) {
        memory[j * g.y + i] = ((const T *)tile.data)[j * PITCH + i];
    });
}

/* ==== kernel_transform ==== */
/* Groups of adjacent lines. They begin at multiples of their width, where segments of
 * memory begin. */
FUNCTION int64_t NAME(groups)(const work &w, int axis, int width)
{
    const int across = axis == 0, outer = axis == 2 ? 1 : 2;

    return ((w.hi[across] + width - 1) / width - w.lo[across] / width) *
           (w.hi[outer] - w.lo[outer]);
}

FUNCTION NAME(lines)
    NAME(group)(const work &w, const grid &g, int axis, int width, int64_t number)
{
    const int across = axis == 0, outer = axis == 2 ? 1 : 2;
    const int64_t stride[3] = {1, g.y, g.z}, from = w.lo[across] / width;
    const int64_t abreast = (w.hi[across] + width - 1) / width - from;
    const int64_t first = (from + (unsigned)number % (unsigned)abreast) * width;
    const int64_t left = w.hi[across] - first,
                  n = w.lo[outer] + (unsigned)number / (unsigned)abreast;

    return {(REAL *)g.data + w.lo[axis] * stride[axis] + first * stride[across] +
                n * stride[outer],
            stride[axis],
            stride[across],
            first < w.lo[across] ? (int)(w.lo[across] - first) : 0,
            left < width ? (int)left : width,
            width};
}

/* ==== kernel_transform_words ==== */
/* The words of transform_text for CUDA C++: the threads of a block share the loops. Lines
 * of a buffer lie abreast. Passes store every eighth number: a gap after each eight puts
 * these into different banks. */
#undef REAL
#undef NAME
#undef FUNCTION
#define FUNCTION static INLINE __attribute__((unused))
#define CALLED FUNCTION
enum { TRANSFORM_KEPT = 24 }; /* numbers of a thread: eight, or some more at the ends */
#define SYNC __syncthreads()
#define PLACE(m) ((m) + ((m) >> 3))
#define ABREAST
#define FIRST(value) (value)
#define UNROLLED _Pragma("unroll")
#define ITEMS(b, count, width)                                                           \
    for (int b = threadIdx.x / (width); b < (count); b += blockDim.x / (width))
#define KNOWN(condition) __builtin_assume(condition)
#define IN_PLACE 1
#define AT_ONCE(numbers, width) (transform_threads((numbers) * (width)) / (width))
#define ROUNDS(b, slot, count, numbers, width)                                           \
    UNROLLED for (int slot = 0; slot * AT_ONCE(numbers, width) < (count);                \
                  slot++) for (int b = threadIdx.x / (width) +                           \
                                       slot * AT_ONCE(numbers, width),                   \
                               once = 1;                                                 \
                               once && b < (count); once = 0)
#define KEPT REAL kept_re[TRANSFORM_KEPT], kept_im[TRANSFORM_KEPT]
#define KEEP(slot, radix)                                                                \
    REAL *const r = kept_re + (slot) * (radix), *const m = kept_im + (slot) * (radix)
#define LINES(l, width) for (int l = threadIdx.x % (width), one = 1; one; one = 0)
