/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that stay for many steps, each with a tile of the grid whose levels it keeps in shared memory. A stage goes like
 * this, so that the way to other blocks and back takes no longer than computing:
 *
 *     show      points that other blocks read are computed first, and go to memory that all see
 *     tell      the block tells those around it how far it is
 *     compute   all points of the tile, to registers; when all threads have read, they take their places
 *     await     those around the block are as far
 *     fetch     what lies around the tile comes from that memory, and beyond faces what borders make of it
 *
 * That memory has two places for each field, for versions that are even and odd: whoever writes a version has heard of all
 * who read the one before last. */
#ifndef PAV_EMULATED
INLINE void kernel_tell(unsigned *at, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

/* Until the number there has come to a value; numbers go round. */
INLINE void kernel_await(const unsigned *at, unsigned value)
{
    unsigned now;

    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(now)
                     : "l"(at)
                     : "memory");
    while ((int)(now - value) < 0);
}
#endif

enum { FLAG_WORDS = 32 }; /* of a block's number: a line of its own */

/* A number for each axis. */
template <int X, int Y, int Z> struct axes {
    static INLINE constexpr int of(int axis)
    {
        return axis == 0 ? X : axis == 1 ? Y : Z;
    }
};

/* How the grid is parted: N points along each axis among B blocks, which differ by one at most; where an axis WRAPS, the
 * last one is beside the first. CORNERS: points are read that lie off along more than one axis. A thread computes ROWS
 * points, one above the other along y, in each of COLUMNS places. */
template <int NX, int NY, int NZ, int BX, int BY, int BZ, bool WRAPS_X, bool WRAPS_Y,
          bool WRAPS_Z, bool READS_CORNERS, int COUNT, int EACH>
struct parting {
    typedef axes<NX, NY, NZ> extent;
    typedef axes<BX, BY, BZ> blocks;
    typedef axes<WRAPS_X, WRAPS_Y, WRAPS_Z> wraps;
    enum {
        CORNERS = READS_CORNERS,
        THREADS = COUNT,
        ROWS = EACH,
        X = (NX + BX - 1) / BX, /* points of the largest tile */
        Y = (NY + BY - 1) / BY,
        Z = (NZ + BZ - 1) / BZ,
        GROUPS = (Y + ROWS - 1) / ROWS,
        COLUMNS = (X * GROUPS * Z + THREADS - 1) / THREADS
    };
};

/* The point that lies at a place along an axis, or is meant by one beyond its faces. */
template <class T> INLINE int point_along(int axis, int at)
{
    const int n = T::extent::of(axis);

    return !T::wraps::of(axis) ? at : at < 0 ? at + n : at < n ? at : at - n;
}

struct resident_place {
    int lo[3], hi[3]; /* the block's tile */
    const unsigned
        *beside;   /* the number of a block around it, another for each lane; or NULL */
    unsigned *own; /* and its own */
    unsigned char *seen; /* memory that all blocks see */
};

/* A number for each side along x, y and z. */
template <int XL, int XH, int YL, int YH, int ZL, int ZH> struct sides {
    static INLINE int low(int axis)
    {
        return axis == 0 ? XL : axis == 1 ? YL : ZL;
    }
    static INLINE int high(int axis)
    {
        return axis == 0 ? XH : axis == 1 ? YH : ZH;
    }
    enum { X = XL + XH, Y = YL + YH, Z = ZL + ZH };
};

/* ---- where a block is --------------------------------------------------------------------- */

/* The block that lies so far off along an axis, or itself. */
template <class T> INLINE int block_beside(int axis, int at, int by)
{
    const int count = T::blocks::of(axis), to = at + by;

    return to >= 0 && to < count ? to : T::wraps::of(axis) ? (to + count) % count : at;
}

/* Whether what lies so far off is read. */
template <class T> INLINE bool is_read(int x, int y, int z)
{
    return T::CORNERS || (x != 0) + (y != 0) + (z != 0) < 2;
}

/* Lanes 0 to 26 have one of the blocks around each. */
template <class T> INLINE resident_place place_of_block(void *memory, int64_t flag_bytes)
{
    const int lane = threadIdx.x % 32, block = blockIdx.x, nx = T::blocks::of(0),
              ny = T::blocks::of(1);
    const int at[3] = {block % nx, block / nx % ny, block / nx / ny};
    const int by[3] = {lane % 3 - 1, lane / 3 % 3 - 1, lane / 9 - 1};
    unsigned *const flags = (unsigned *)memory;
    int beside[3] = {};
    resident_place b;

    for (int axis = 0; axis < 3; axis++) {
        b.lo[axis] = (int)((int64_t)at[axis] * T::extent::of(axis) / T::blocks::of(axis));
        b.hi[axis] = (int)((int64_t)(at[axis] + 1) * T::extent::of(axis) /
                           T::blocks::of(axis));
        beside[axis] = block_beside<T>(axis, at[axis], by[axis]);
    }
    const int other = (beside[2] * ny + beside[1]) * nx + beside[0];
    const bool read = lane < 27 && is_read<T>(by[0], by[1], by[2]);
    b.beside = read && other != block ? flags + other * FLAG_WORDS : nullptr;
    b.own = flags + block * FLAG_WORDS;
    b.seen = (unsigned char *)memory + flag_bytes;
    return b;
}

/* All that the block wrote before is seen by those who wait for this number. */
INLINE void tell(const resident_place &b, unsigned count)
{
    __syncthreads();
    if (threadIdx.x == 0)
        kernel_tell(b.own, count);
}

/* One warp asks for all. */
INLINE void await(const resident_place &b, unsigned count)
{
    if (threadIdx.x < 32 && b.beside)
        kernel_await(b.beside, count);
    __syncthreads();
}

/* ---- points of a tile --------------------------------------------------------------------- */

/* What is computed of a tile: all points but so many next to the faces. */
template <class T, class I> INLINE int inner_low(const resident_place &b, int axis)
{
    return b.lo[axis] > I::low(axis) ? b.lo[axis] : I::low(axis);
}

template <class T, class I> INLINE int inner_high(const resident_place &b, int axis)
{
    const int most = T::extent::of(axis) - I::high(axis);

    return b.hi[axis] < most ? b.hi[axis] : most;
}

INLINE int clamped(int at, int low, int high)
{
    return at < low ? low : at < high ? at : high;
}

/* The first point of a thread's column. Where there are fewer columns, or a column has fewer rows, threads compute what
 * others do as well, alike. */
template <class T, class I>
INLINE tile_point column_of(const resident_place &b, int column)
{
    const unsigned n = column * T::THREADS + threadIdx.x;
    const unsigned group = n / T::X;
    const int i = b.lo[0] + (int)(n % T::X), k = b.lo[2] + (int)(group / T::GROUPS),
              j = b.lo[1] + (int)(group % T::GROUPS) * T::ROWS;

    return {clamped(i, inner_low<T, I>(b, 0), inner_high<T, I>(b, 0) - 1),
            clamped(j, inner_low<T, I>(b, 1), inner_high<T, I>(b, 1) - T::ROWS),
            clamped(k, inner_low<T, I>(b, 2), inner_high<T, I>(b, 2) - 1)};
}

/* ---- levels of a field -------------------------------------------------------------------- */

/* KEPT versions of a field in shared memory from byte AT on, with what is read around the tile (NEAR) as far as there is
 * something beyond the faces (HALO); stages compute all points but so many next to the faces (MADE). SEEN: where its two
 * places begin in the memory that all see. */
template <class V, class T, class NEAR, class HALO, class MADE, int KEPT, int64_t AT,
          int64_t SEEN>
struct resident_field {
    typedef V value;
    typedef T tiles;
    typedef MADE made;
    enum {
        WIDTH = T::X + NEAR::X,
        HEIGHT = T::Y + NEAR::Y,
        Y = WIDTH, /* strides */
        Z = WIDTH * HEIGHT,
        DEEP = T::Z + NEAR::Z,
        SPAN = Z * DEEP
    };

    /* What is there of the tile and around it. */
    static INLINE int first(const resident_place &b, int axis)
    {
        const int at = b.lo[axis] - NEAR::low(axis), least = -HALO::low(axis);

        return at > least ? at : least;
    }
    static INLINE int end(const resident_place &b, int axis)
    {
        const int at = b.hi[axis] + NEAR::high(axis),
                  most = T::extent::of(axis) + HALO::high(axis);

        return at < most ? at : most;
    }

    /* A point in the tile, or around it. */
    static INLINE V *near(const resident_place &b, int version, int i, int j, int k)
    {
        V *const all = (V *)(kernel_shared<unsigned char>() + AT);

        return all + (version + KEPT) % KEPT * SPAN + (i - b.lo[0] + NEAR::low(0)) +
               (j - b.lo[1] + NEAR::low(1)) * Y + (k - b.lo[2] + NEAR::low(2)) * Z;
    }

    static INLINE V *seen(const resident_place &b, int version, int64_t i, int64_t j,
                          int64_t k)
    {
        const int64_t nx = T::extent::of(0), ny = T::extent::of(1), nz = T::extent::of(2);

        return (V *)(b.seen + SEEN) + ((version & 1) * nz + k) * ny * nx + j * nx + i;
    }

    /* A point of whichever block, of a version that it told of. */
    static INLINE V at(const resident_place &b, int version, int64_t i, int64_t j,
                       int64_t k)
    {
        return __ldcg(seen(b, version, point_along<T>(0, (int)i),
                           point_along<T>(1, (int)j), point_along<T>(2, (int)k)));
    }

    /* A point that others read. */
    static INLINE void show(const resident_place &b, int version, const tile_point &p,
                            const V (&v)[1])
    {
        __stcg(seen(b, version, p.i, p.j, p.k), v[0]);
    }

    /* The values of a column. */
    static INLINE void keep(const resident_place &b, int version, const tile_point &p,
                            const V (&v)[T::ROWS])
    {
        V *const to = near(b, version, p.i, p.j, p.k);

#pragma unroll
        for (int n = 0; n < T::ROWS; n++)
            to[n * Y] = v[n];
    }
};

/* What is found before the first step, of the tile and around it. */
template <class F>
INLINE void load_tile(const resident_place &b, int version, const grid &g)
{
    const typename F::value *const from = (const typename F::value *)g.data;

    for (int n = threadIdx.x; n < F::SPAN; n += F::tiles::THREADS) {
        const int i = F::first(b, 0) + n % F::WIDTH,
                  j = F::first(b, 1) + n / F::WIDTH % F::HEIGHT,
                  k = F::first(b, 2) + n / F::Z;
        if (i < F::end(b, 0) && j < F::end(b, 1) && k < F::end(b, 2))
            *F::near(b, version, i, j, k) = __ldcg(from + i + j * g.y + k * g.z);
    }
}

/* What stages made of the tile goes to where it has to be after the last step. */
template <class F>
INLINE void leave_tile(const resident_place &b, int version, const grid &g)
{
    typedef typename F::tiles T;
    typename F::value *const to = (typename F::value *)g.data;

    for (int n = 0; n < T::COLUMNS; n++) {
        const tile_point p = column_of<T, typename F::made>(b, n);
        for (int row = 0; row < T::ROWS; row++)
            to[p.i + (p.j + row) * g.y + p.k * g.z] = *F::near(b, version, p.i, p.j + row,
                                                               p.k);
    }
}

/* ---- around a tile ------------------------------------------------------------------------ */

/* What lies around the points that stages make of a tile. */
template <class F> struct around_size {
    typedef typename F::tiles T;
    typedef typename F::made I;
    typedef shell_size<F::WIDTH, F::HEIGHT, F::DEEP, F::WIDTH - T::X + 1 + I::X,
                       F::HEIGHT - T::Y + 1 + I::Y, F::DEEP - T::Z + 1 + I::Z>
        type;
};

template <class F> INLINE shell shell_around(const resident_place &b)
{
    shell s;

    for (int axis = 0; axis < 3; axis++) {
        s.lo[axis] = F::first(b, axis);
        s.hi[axis] = F::end(b, axis);
        s.from[axis] = inner_low<typename F::tiles, typename F::made>(b, axis);
        s.to[axis] = inner_high<typename F::tiles, typename F::made>(b, axis);
    }
    count_rows<typename around_size<F>::type>(s);
    return s;
}

/* Off the tile, in its own grid: -1, 0, 1. */
INLINE int side_of(const resident_place &b, int axis, int at)
{
    return at < b.lo[axis] ? -1 : at >= b.hi[axis];
}

template <class T> INLINE bool is_read(const resident_place &b, const tile_point &p)
{
    return is_read<T>(side_of(b, 0, p.i), side_of(b, 1, p.j), side_of(b, 2, p.k));
}

/* Takes what `value` gives for each point around the tile, AT_ONCE of them before any is stored: they come from far. */
template <class F, class M>
INLINE void fetch(const resident_place &b, int version, const M &value)
{
    typedef typename F::tiles T;
    typedef typename around_size<F>::type size;
    enum {
        TURNS = (size::MOST + T::THREADS - 1) / T::THREADS,
        AT_ONCE = TURNS < 8 ? TURNS : 8
    };
    const shell s = shell_around<F>(b);

    for (int turn = 0; turn < TURNS; turn += AT_ONCE) {
        typename F::value v[AT_ONCE], *to[AT_ONCE];
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++) {
            tile_point p;
            to[n] = nullptr;
            if (turn + n < TURNS && in_shell<T, size>(s, turn + n, p) &&
                is_read<T>(b, p)) {
                to[n] = F::near(b, version, p.i, p.j, p.k);
                v[n] = value(p);
            }
        }
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++)
            if (to[n])
                *to[n] = v[n];
    }
}

/* Calls `make` for each of the points that stages make of a tile which others may read: so many next to its faces. */
template <class F, class R, class M>
INLINE void each_on_rim(const resident_place &b, const M &make)
{
    typedef typename F::tiles T;
    typedef shell_size<T::X, T::Y, T::Z, 2 * R::of(0), 2 * R::of(1), 2 * R::of(2)> size;
    shell s;

    for (int axis = 0; axis < 3; axis++) {
        const int low = b.lo[axis] + R::of(axis), high = b.hi[axis] - R::of(axis);
        s.lo[axis] = inner_low<T, typename F::made>(b, axis);
        s.hi[axis] = inner_high<T, typename F::made>(b, axis);
        s.from[axis] = clamped(low, s.lo[axis], s.hi[axis]);
        s.to[axis] = clamped(high, s.from[axis], s.hi[axis]);
    }
    count_rows<size>(s);
#pragma unroll 2
    for (int turn = 0; turn * T::THREADS < size::MOST; turn++) {
        tile_point p;
        if (in_shell<T, size>(s, turn, p))
            make(p);
    }
}
