/* SPDX-License-Identifier: BSD-3-Clause */
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
