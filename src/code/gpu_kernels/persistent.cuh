/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent kernels: the time loop on the GPU, halos between blocks, and the shell of a
 * block. The build makes a text of each part (cmake/embed.cmake). */

/* ==== kernel_persistent ==== */
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

/* ==== kernel_persistent_halo ==== */
/* The halo exchange of persistent blocks, and the points on faces and beyond. Each thread
 * finds its halo units and their addresses once, before the first step. */

/* ---- halos of other blocks --------------------------------------------------------- */

template <class T> INLINE int halo_vectors(int axis, bool before)
{
    return !T::is_parted(axis) ? 0 : before ? T::before(axis) : T::behind(axis);
}

template <class T> struct halo_size {
    enum {
        X = T::is_parted(0) ? T::LEFT + T::RIGHT : 0,
        Y = T::is_parted(1) ? T::near::Y : 0,
        Z = T::is_parted(2) ? T::near::Z : 0
    };
    typedef shell_size<T::X + X, T::Y + Y, T::Z + Z, X + T::RAGGED_X, Y + T::RAGGED_Y,
                       Z + T::RAGGED_Z>
        type;
};

/* The halo units of a thread, one for each turn. place: index in shared memory, negative
 * if there is none. from: index in the exchange buffer. */
template <class T> struct halo_units {
    typedef typename halo_size<T>::type size;
    enum { TURNS = at_least(1, parts_of(size::MOST, T::THREADS)) };
    int place[TURNS], from[TURNS];

    /* The index of a unit in the exchange buffer of its block. Negative: the unit lies
     * outside the grid, or the stencil does not read it. */
    static INLINE int published_at(const persistent_block &b, const tile_point &p)
    {
        const int at[3] = {p.i, p.j, p.k};
        int block[3] = {}, off[3] = {}, inside[3] = {};

        for (int axis = 0; axis < 3; axis++) {
            const int unit = wrapped_index<T>(axis, at[axis], T::units(axis));
            off[axis] = at[axis] < b.lo[axis] ? -1 : at[axis] >= b.hi[axis];
            block[axis] = neighbour_block<T>(axis, b.at[axis], off[axis]);
            inside[axis] = unit - first_vector_of<T>(axis, block[axis]) + T::before(axis);
            if (unit < 0 || unit >= T::units(axis))
                return -1;
        }
        if (!is_read<T>(off[0], off[1], off[2]))
            return -1;
        return number_of_block<T>(block) * T::SPAN + inside[2] * T::PLANE +
               inside[1] * T::WIDTH + inside[0];
    }

    INLINE explicit halo_units(const persistent_block &b)
    {
        shell s;

        for (int axis = 0; axis < 3; axis++) {
            s.lo[axis] = b.lo[axis] - halo_vectors<T>(axis, true);
            s.hi[axis] = b.hi[axis] + halo_vectors<T>(axis, false);
            s.from[axis] = b.lo[axis];
            s.to[axis] = b.hi[axis];
        }
        count_rows<size>(s);
#pragma unroll
        for (int turn = 0; turn < TURNS; turn++) {
            tile_point p;
            const bool is_there = in_shell<T, size>(s, turn, p);
            from[turn] = is_there ? published_at(b, p) : -1;
            place[turn] = from[turn] >= 0 ? place_of<T>(b, p.i, p.j, p.k) : -1;
        }
    }
};

/* Fetches the halo. AT_ONCE loads are in flight before the first store, to hide the
 * latency of global memory. */
template <class F, bool RELAXED, class T>
INLINE void fetch_halo(const persistent_block &b, const halo_units<T> &t, int version,
                       int level, unsigned epoch)
{
    enum { TURNS = halo_units<T>::TURNS, AT_ONCE = TURNS < 4 ? TURNS : 4 };
    typename F::unit *const to = F::version_of(version + level);
    const typename F::unit *const from = F::exchange(b, level, epoch);

#pragma unroll
    for (int turn = 0; turn < TURNS; turn += AT_ONCE) {
        typename F::unit v[AT_ONCE];
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++)
            if (turn + n < TURNS && t.place[turn + n] >= 0)
                v[n] = load_exchange<RELAXED>(from + t.from[turn + n]);
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++)
            if (turn + n < TURNS && t.place[turn + n] >= 0)
                to[t.place[turn + n]] = v[n];
    }
}

/* ---- faces ------------------------------------------------------------------------- */

/* Sets points on faces and beyond to `value`: no stage computes these points. */
template <class F, class B, class M>
INLINE void fill_faces(const persistent_block &b, int version, const M &value)
{
    typedef typename F::tiles T;
    typedef shell_size<T::X * T::N + T::near::X, T::Y + T::near::Y, T::Z + T::near::Z, 0,
                       0, 0>
        size;
    shell s;

    for (int axis = 0; axis < 3; axis++) {
        s.lo[axis] = F::first(b, axis);
        s.hi[axis] = F::end(b, axis);
        s.from[axis] = B::first_made(axis, s.lo[axis], s.hi[axis]);
        s.to[axis] = B::end_made(axis, s.from[axis], s.hi[axis]);
    }
    count_rows<size>(s);
    tile_point p;
    for (int turn = 0; has_turn<T, size>(s, turn); turn++)
        if (in_shell<T, size>(s, turn, p))
            *F::point(b, version, p.i, p.j, p.k) = value(p);
}

/* ==== kernel_shell ==== */
/* Shells: the points between an outer and an inner box, distributed evenly among the
 * threads of a block. */
struct tile_point {
    int i, j, k;
};

/* A shell consists of whole rows in the planes before and after the inner box, whole rows
 * beside it in its own planes, and the two ends of the inner box's rows. */
struct shell {
    int lo[3], hi[3];     /* the outer box */
    int from[3], to[3];   /* the inner one */
    int planes, of_plane; /* outer planes; outer rows of an inner plane */
    int rows, ends;
};

/* Upper bounds known at compile time. WIDTH x HEIGHT x DEEP: the outer box. LESS: the
 * difference in width between the two boxes. */
template <int SHELL_WIDTH, int SHELL_HEIGHT, int SHELL_DEEP, int LESS_X, int LESS_Y,
          int LESS_Z>
struct shell_size {
    enum {
        WIDTH = SHELL_WIDTH,
        HEIGHT = SHELL_HEIGHT,
        PLANES = LESS_Z < SHELL_DEEP ? LESS_Z : SHELL_DEEP,
        OF_PLANE = LESS_Y < HEIGHT ? LESS_Y : HEIGHT,
        ENDS = LESS_X < WIDTH ? LESS_X : WIDTH,
        MOST = (PLANES * HEIGHT + SHELL_DEEP * OF_PLANE) * WIDTH +
               SHELL_DEEP * HEIGHT * ENDS
    };
};

template <class SIZE> INLINE void count_rows(shell &s)
{
    s.planes = s.from[2] - s.lo[2] + s.hi[2] - s.to[2];
    s.of_plane = s.from[1] - s.lo[1] + s.hi[1] - s.to[1];
    s.rows = s.planes * SIZE::HEIGHT + (s.to[2] - s.from[2]) * s.of_plane;
    s.ends = s.from[0] - s.lo[0] + s.hi[0] - s.to[0];
}

/* Position n outside the inner box along an axis: positions before it come first. */
INLINE int outer_part(const shell &s, int axis, int n)
{
    const int before = s.from[axis] - s.lo[axis];

    return n < before ? s.lo[axis] + n : s.to[axis] + n - before;
}

/* Point n of the whole rows; it may lie beyond the last row. */
template <class SIZE> INLINE tile_point in_rows(const shell &s, int n)
{
    const int row = n / SIZE::WIDTH, i = s.lo[0] + n % SIZE::WIDTH;
    const int rest = row - s.planes * SIZE::HEIGHT;

    if (rest < 0)
        return {i, s.lo[1] + row % SIZE::HEIGHT, outer_part(s, 2, row / SIZE::HEIGHT)};
    return {i, outer_part(s, 1, rest % s.of_plane), s.from[2] + rest / s.of_plane};
}

INLINE tile_point in_ends(const shell &s, int n)
{
    const int row = n / s.ends, rows = s.to[1] - s.from[1];

    return {outer_part(s, 0, n % s.ends), s.from[1] + row % rows, s.from[2] + row / rows};
}

INLINE int points_of(const shell &s)
{
    return (s.to[1] - s.from[1]) * (s.to[2] - s.from[2]) * s.ends;
}

/* True if any thread has a point in this turn. */
template <class T, class SIZE> INLINE bool has_turn(const shell &s, int turn)
{
    return turn * T::THREADS < s.rows * SIZE::WIDTH + points_of(s);
}

/* Finds the thread's point in a turn; false if it has none. */
template <class T, class SIZE>
INLINE bool in_shell(const shell &s, int turn, tile_point &p)
{
    const int whole = s.rows * SIZE::WIDTH, n = turn * T::THREADS + threadIdx.x;
    const int all = whole + points_of(s);

    if (n >= all)
        return false;
    p = n < whole ? in_rows<SIZE>(s, n) : in_ends(s, n - whole);
    return n >= whole || (p.i < s.hi[0] && p.j < s.hi[1]);
}
