/* SPDX-License-Identifier: BSD-3-Clause */
/* A persistent kernel: each block keeps a tile of the grid, with all levels of its
 * fields, in shared memory through all steps of a launch. The block also keeps a halo
 * around its tile, wide enough for DEPTH steps without a neighbour's help. Neighbours
 * compute the halo points redundantly, so blocks exchange halos only once in DEPTH steps:
 *
 *     publish   the block copies points read by other blocks to a buffer in global memory
 *               while it computes them
 *     signal    the block raises its epoch, a counter of its exchanges
 *     wait      the block pauses until the epochs of all neighbours have caught up
 *     fetch     the block copies its halo from the neighbours' buffers
 *
 * A chaotic program (asynchronous relaxation) waits for its neighbours only before the
 * first fetch of a launch. Later fetches take the present values of one buffer, by
 * relaxed atomic loads.
 *
 * All other programs have two buffers for each field. A block publishes to a buffer a
 * second time only after a wait for all neighbours; by then each neighbour has fetched
 * the first contents.
 * A unit is a vector of N points along x. Every tile begins with a whole unit, and
 * positions along x count units. */
#ifndef PAV_NO_PTX
INLINE void kernel_signal(unsigned *at, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

/* Waits until the epoch reaches a value. The signed difference stays correct if epochs
 * overflow. */
INLINE void kernel_wait_epoch(const unsigned *at, unsigned value)
{
    unsigned now;

    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(now)
                     : "l"(at)
                     : "memory");
    while ((int)(now - value) < 0);
}

/* Relaxed loads and stores never tear a number of 4 or 8 bytes, even inside a vector. */
INLINE unsigned kernel_load_relaxed(const unsigned *from)
{
    unsigned v;

    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(from));
    return v;
}

INLINE uint2 kernel_load_relaxed(const uint2 *from)
{
    uint64_t v;
    uint2 w;

    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(from));
    memcpy(&w, &v, sizeof w);
    return w;
}

INLINE uint4 kernel_load_relaxed(const uint4 *from)
{
    uint64_t v[2];
    uint4 w;

    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(v[0]), "=l"(v[1])
                 : "l"(from));
    memcpy(&w, v, sizeof w);
    return w;
}

INLINE void kernel_store_relaxed(unsigned *to, unsigned v)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(v));
}

INLINE void kernel_store_relaxed(uint2 *to, uint2 w)
{
    uint64_t v;

    memcpy(&v, &w, sizeof v);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(v));
}

INLINE void kernel_store_relaxed(uint4 *to, uint4 w)
{
    uint64_t v[2];

    memcpy(v, &w, sizeof w);
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(v[0]),
                 "l"(v[1]));
}

INLINE unsigned short kernel_load_relaxed(const unsigned short *from)
{
    unsigned short v;

    asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];" : "=h"(v) : "l"(from));
    return v;
}

INLINE void kernel_store_relaxed(unsigned short *to, unsigned short v)
{
    asm volatile("st.relaxed.gpu.global.u16 [%0], %1;" ::"l"(to), "h"(v));
}

INLINE unsigned char kernel_load_relaxed(const unsigned char *from)
{
    return *(const volatile unsigned char *)from;
}

INLINE void kernel_store_relaxed(unsigned char *to, unsigned char v)
{
    *(volatile unsigned char *)to = v;
}
#endif

enum { FLAG_WORDS = 32 }; /* words from one epoch to the next: a cache line each */

INLINE constexpr int at_least(int least, int count)
{
    return count > least ? count : least;
}

INLINE constexpr int clamped(int at, int low, int high)
{
    return at < low ? low : at < high ? at : high;
}

/* A number for each axis. */
template <int X_AXIS, int Y_AXIS, int Z_AXIS> struct axes {
    enum { X = X_AXIS, Y = Y_AXIS, Z = Z_AXIS };
    static INLINE constexpr int of(int axis)
    {
        return axis == 0 ? X : axis == 1 ? Y : Z;
    }
};

/* A number for each lower side along x, y and z, and one for each upper side. */
template <int X, int Y, int Z> struct lower_sides : axes<X, Y, Z> {
};
template <int X, int Y, int Z> struct upper_sides : axes<X, Y, Z> {
};
template <class LOWER, class UPPER> struct sides {
    enum {
        X = int(LOWER::X) + int(UPPER::X),
        Y = int(LOWER::Y) + int(UPPER::Y),
        Z = int(LOWER::Z) + int(UPPER::Z)
    };
    static INLINE constexpr int low(int axis)
    {
        return LOWER::of(axis);
    }
    static INLINE constexpr int high(int axis)
    {
        return UPPER::of(axis);
    }
};

/* The partition of the grid among blocks. The points of EXTENT are divided among BLOCKS;
 * tiles differ by at most one unit. WRAPS: periodic axes, so the last block is a
 * neighbour of the first. NEAR: points around a tile kept by its block. BOX: units of the
 * tile with those points, the layout in memory. CORNERS: the stencil reads diagonal
 * neighbours. A thread computes a thread tile of one unit along x, ROWS along y and
 * PLANES along z. */
template <class EXTENT, class BLOCKS, class WRAPS, class NEAR, class BOX,
          bool READS_CORNERS, int STEPS, int COUNT, int PACK, int ROWS_EACH,
          int PLANES_EACH>
struct parting {
    typedef EXTENT extent;
    typedef BLOCKS blocks;
    typedef NEAR near;
    enum {
        CORNERS = READS_CORNERS,
        DEPTH = STEPS,
        THREADS = COUNT,
        N = PACK,
        ROWS = ROWS_EACH,
        PLANES = PLANES_EACH,
        UNITS = parts_of(EXTENT::X, N), /* along x */
        X = parts_of(UNITS, BLOCKS::X), /* units of the largest tile */
        Y = parts_of(EXTENT::Y, BLOCKS::Y),
        Z = parts_of(EXTENT::Z, BLOCKS::Z),
        RAGGED_X = UNITS % BLOCKS::X != 0, /* some tiles are one unit narrower */
        RAGGED_Y = EXTENT::Y % BLOCKS::Y != 0,
        RAGGED_Z = EXTENT::Z % BLOCKS::Z != 0,
        LEFT = parts_of(NEAR::low(0), N), /* units kept around a tile */
        RIGHT = parts_of(NEAR::high(0), N),
        RIM_X = BLOCKS::X == 1 ? 0
                : LEFT > RIGHT ? LEFT
                               : RIGHT, /* width of the rim read by other blocks */
        RIM_Y = BLOCKS::Y == 1                 ? 0
                : NEAR::low(1) > NEAR::high(1) ? NEAR::low(1)
                                               : NEAR::high(1),
        RIM_Z = BLOCKS::Z == 1                 ? 0
                : NEAR::low(2) > NEAR::high(2) ? NEAR::low(2)
                                               : NEAR::high(2),
        WIDTH = BOX::X,
        HEIGHT = BOX::Y,
        PLANE = WIDTH * HEIGHT,
        SPAN = PLANE * BOX::Z
    };
    static INLINE constexpr bool is_parted(int axis)
    {
        return BLOCKS::of(axis) > 1;
    }
    static INLINE constexpr bool wraps(int axis)
    {
        return WRAPS::of(axis) != 0;
    }
    static INLINE constexpr int units(int axis)
    {
        return axis == 0 ? (int)UNITS : EXTENT::of(axis);
    }
    static INLINE constexpr int before(int axis)
    {
        return axis == 0 ? (int)LEFT : NEAR::low(axis);
    }
    static INLINE constexpr int behind(int axis)
    {
        return axis == 0 ? (int)RIGHT : NEAR::high(axis);
    }
};

struct persistent_block {
    int lo[3], hi[3]; /* the block's tile, in units */
    int at[3];        /* the block's index along each axis */
    /* epoch of a neighbour block, a different one for each lane; or NULL */
    const unsigned *neighbour;
    unsigned *own;           /* the epoch of this block */
    unsigned char *exchange; /* buffers in global memory */
};

/* ---- where a block is -------------------------------------------------------------- */

/* On a periodic axis: the position inside the grid for one up to a period outside. */
template <class T> INLINE int wrapped_index(int axis, int at, int count)
{
    return !T::wraps(axis) ? at : at < 0 ? at + count : at < count ? at : at - count;
}

/* The first unit of block `at` along an axis. */
template <class T> INLINE int first_vector_of(int axis, int at)
{
    return (int)((int64_t)at * T::units(axis) / T::blocks::of(axis));
}

template <class T> INLINE int number_of_block(const int (&at)[3])
{
    return (at[2] * T::blocks::Y + at[1]) * T::blocks::X + at[0];
}

/* True if the stencil reads from the neighbour block in this direction. */
template <class T> INLINE bool is_read(int x, int y, int z)
{
    return T::CORNERS || (x != 0) + (y != 0) + (z != 0) < 2;
}

/* The neighbour block `by` blocks along an axis; the block itself beyond a face. */
template <class T> INLINE int neighbour_block(int axis, int at, int by)
{
    const int to = wrapped_index<T>(axis, at + by, T::blocks::of(axis));

    return to >= 0 && to < T::blocks::of(axis) ? to : at;
}

/* Finds the block's tile and neighbours. The memory begins with the epochs of all blocks.
 * Each lane of a warp takes one neighbour block, so one warp can wait for all of them at
 * once. */
template <class T>
INLINE persistent_block place_of_block(void *memory, int64_t flag_bytes)
{
    const int lane = threadIdx.x % 32, block = blockIdx.x;
    const int by[3] = {lane % 3 - 1, lane / 3 % 3 - 1, lane / 9 - 1};
    unsigned *const flags = (unsigned *)memory;
    int neighbour[3] = {};
    persistent_block b = {{},
                          {},
                          {block % T::blocks::X, block / T::blocks::X % T::blocks::Y,
                           block / T::blocks::X / T::blocks::Y}};

    for (int axis = 0; axis < 3; axis++) {
        b.lo[axis] = first_vector_of<T>(axis, b.at[axis]);
        b.hi[axis] = first_vector_of<T>(axis, b.at[axis] + 1);
        neighbour[axis] = neighbour_block<T>(axis, b.at[axis], by[axis]);
    }
    const int other = number_of_block<T>(neighbour);
    const bool read = lane < 27 && is_read<T>(by[0], by[1], by[2]);
    b.neighbour = read && other != block ? flags + other * FLAG_WORDS : nullptr;
    b.own = flags + block * FLAG_WORDS;
    b.exchange = (unsigned char *)memory + flag_bytes;
    return b;
}

/* True if blocks synchronise `more` steps after this one. The last step needs no
 * synchronisation. */
template <class T> INLINE bool synchronises_after(int step, int steps, int more)
{
    return (step + more) % T::DEPTH == T::DEPTH - 1 && step + more + 1 < steps;
}

/* Makes all earlier writes of the block visible to blocks waiting for this epoch. */
INLINE void signal(const persistent_block &b, unsigned count)
{
    __syncthreads();
    if (threadIdx.x == 0)
        kernel_signal(b.own, count);
}

/* One warp polls all neighbours: a lane for each. */
INLINE void wait_for_neighbours(const persistent_block &b, unsigned count)
{
    if (threadIdx.x < 32 && b.neighbour)
        kernel_wait_epoch(b.neighbour, count);
    __syncthreads();
}

/* ---- points of a tile -------------------------------------------------------------- */

/* Position of the first unit stored by the block along an axis. */
template <class T> INLINE int origin(const persistent_block &b, int axis)
{
    return b.lo[axis] - T::before(axis);
}

/* The unit stored at a place in shared memory. */
template <class T> INLINE tile_point vector_at(const persistent_block &b, int place)
{
    return {origin<T>(b, 0) + place % T::WIDTH,
            origin<T>(b, 1) + place / T::WIDTH % T::HEIGHT,
            origin<T>(b, 2) + place / T::PLANE};
}

template <class T> INLINE int place_of(const persistent_block &b, int x, int y, int z)
{
    return x - origin<T>(b, 0) + (y - origin<T>(b, 1)) * T::WIDTH +
           (z - origin<T>(b, 2)) * T::PLANE;
}

/* The index of a position, wrapped or clamped to the grid. Clamped indices only keep
 * loads in bounds: nobody uses their values. */
template <class T> INLINE int64_t index_along(int axis, int at)
{
    const int n = T::extent::of(axis), meant = wrapped_index<T>(axis, at, n);

    return meant < 0 ? 0 : meant < n ? meant : n - 1;
}
