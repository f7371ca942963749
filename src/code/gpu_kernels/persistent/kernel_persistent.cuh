/* SPDX-License-Identifier: BSD-3-Clause */
/* A persistent kernel: each block keeps a tile of the grid, with all levels of its
 * fields, in shared memory through all steps of a launch. Around its tile it keeps a halo
 * so wide that DEPTH steps depend on nothing else, and computes there what its neighbours
 * compute as well; so blocks exchange halos once in DEPTH steps:
 *
 *     publish   points that others read go to a buffer in global memory, as they are made
 *     signal    the block raises its epoch, which counts its exchanges
 *     wait      until the epochs of all neighbours are as high
 *     fetch     the halo comes from the neighbours' buffers
 *
 * Of chaotic programs blocks wait for their neighbours the first time in a launch alone,
 * and fetch what is there, as relaxed atomic numbers. There is then one buffer.
 *
 * Else there are two buffers for each field: a block that publishes for the second time
 * has waited for all neighbours, which had fetched by then what it published the first
 * time.
 * A unit is a vector of N points along x: tiles begin with one, and count in them along
 * x. */
#ifndef PAV_NO_PTX
INLINE void kernel_signal(unsigned *at, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

/* Until the number there has come to a value; numbers go round. */
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

/* Numbers of 4 or 8 bytes are whole, in vectors, too. */
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

enum { FLAG_WORDS = 32 }; /* of a block's number: a line of its own */

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

/* A number for each side along x, y and z: of the lower ones, and the others. */
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

/* How the grid is parted: the points of EXTENT among BLOCKS, whose tiles differ by one
 * unit at most; where an axis WRAPS, the last one is next to the first. NEAR: points
 * around a tile that a block keeps; BOX: units of that and the tile, as it lies in
 * memory. CORNERS: points are read that lie off along more than one axis. A thread
 * computes ROWS along y in PLANES along z of one unit at a time. */
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
        LEFT = parts_of(NEAR::low(0), N), /* units around a tile */
        RIGHT = parts_of(NEAR::high(0), N),
        RIM_X = BLOCKS::X == 1 ? 0
                : LEFT > RIGHT ? LEFT
                               : RIGHT, /* that others read */
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
    int at[3];        /* the block, among others */
    const unsigned
        *neighbour; /* the number of a block around it, another for each lane; or NULL */
    unsigned *own;  /* and its own */
    unsigned char *exchange; /* memory that all blocks see */
};

/* ---- where a block is -------------------------------------------------------------- */

/* What is meant by a place along an axis that may lie beyond its ends, where it wraps. */
template <class T> INLINE int wrapped_index(int axis, int at, int count)
{
    return !T::wraps(axis) ? at : at < 0 ? at + count : at < count ? at : at - count;
}

/* The first unit of the block that is so far along an axis. */
template <class T> INLINE int first_vector_of(int axis, int at)
{
    return (int)((int64_t)at * T::units(axis) / T::blocks::of(axis));
}

template <class T> INLINE int number_of_block(const int (&at)[3])
{
    return (at[2] * T::blocks::Y + at[1]) * T::blocks::X + at[0];
}

/* Whether what lies so far off is read. */
template <class T> INLINE bool is_read(int x, int y, int z)
{
    return T::CORNERS || (x != 0) + (y != 0) + (z != 0) < 2;
}

/* The block that lies so far off along an axis, or itself. */
template <class T> INLINE int neighbour_block(int axis, int at, int by)
{
    const int to = wrapped_index<T>(axis, at + by, T::blocks::of(axis));

    return to >= 0 && to < T::blocks::of(axis) ? to : at;
}

/* Memory begins with the numbers of all blocks. Lanes of a warp have one of the blocks
 * around each. */
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

/* Whether blocks synchronise so many steps after this one; there is no need to after the
 * last. */
template <class T> INLINE bool synchronises_after(int step, int steps, int more)
{
    return (step + more) % T::DEPTH == T::DEPTH - 1 && step + more + 1 < steps;
}

/* All that the block wrote before is seen by those who wait for this number. */
INLINE void signal(const persistent_block &b, unsigned count)
{
    __syncthreads();
    if (threadIdx.x == 0)
        kernel_signal(b.own, count);
}

/* One warp asks for all. */
INLINE void wait_for_neighbours(const persistent_block &b, unsigned count)
{
    if (threadIdx.x < 32 && b.neighbour)
        kernel_wait_epoch(b.neighbour, count);
    __syncthreads();
}

/* ---- points of a tile -------------------------------------------------------------- */

/* Of the first unit that has a place. */
template <class T> INLINE int origin(const persistent_block &b, int axis)
{
    return b.lo[axis] - T::before(axis);
}

/* The unit of a place. */
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

/* The point that lies at a position; of what nobody needs, whichever. */
template <class T> INLINE int64_t index_along(int axis, int at)
{
    const int n = T::extent::of(axis), meant = wrapped_index<T>(axis, at, n);

    return meant < 0 ? 0 : meant < n ? meant : n - 1;
}
