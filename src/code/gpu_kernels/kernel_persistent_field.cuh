/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a persistent block in shared memory, and the thread tiles: units of
 * several rows and planes, computed by one thread. A thread reads whole units of its rows
 * and of the rows around them. Neighbour points along x come by shuffle if a neighbour
 * lane has them. */

/* VERSIONS of a field in shared memory, from byte AT on. Beyond faces it also stores the
 * ghost points of its HALO. EXCHANGE: first byte of the field in the exchange buffer. */
template <class V, class T, class STORAGE> struct persistent_field {
    typedef typename STORAGE::halo HALO;
    typedef V value;
    typedef T tiles;
    typedef pack<V, T::N> unit;
    enum { Y = T::WIDTH * T::N, Z = T::PLANE * T::N }; /* strides */

    /* The first point stored along an axis and the end of the stored points, halo
     * included. */
    static INLINE int first(const persistent_block &b, int axis)
    {
        const int scale = axis == 0 ? (int)T::N : 1,
                  at = b.lo[axis] * scale - T::near::low(axis), least = -HALO::low(axis);

        return at > least || (T::wraps(axis) && T::is_parted(axis)) ? at : least;
    }
    static INLINE int end(const persistent_block &b, int axis)
    {
        const int scale = axis == 0 ? (int)T::N : 1,
                  at = b.hi[axis] * scale + T::near::high(axis),
                  most = T::extent::of(axis) + HALO::high(axis);

        return at < most || (T::wraps(axis) && T::is_parted(axis)) ? at : most;
    }

    static INLINE unit *version_of(int version)
    {
        return (unit *)(kernel_shared<unsigned char>() + STORAGE::AT) +
               (version + STORAGE::VERSIONS) % STORAGE::VERSIONS * T::SPAN;
    }

    static INLINE V *point(const persistent_block &b, int version, int i, int j, int k)
    {
        return version_of(version)->v + (i - origin<T>(b, 0) * T::N) +
               (j - origin<T>(b, 1)) * Y + (k - origin<T>(b, 2)) * Z;
    }

    /* The value of a point. On a periodic axis within one block, positions outside the
     * grid wrap around. */
    static INLINE V at(const persistent_block &b, int version, int64_t i, int64_t j,
                       int64_t k)
    {
        const int64_t at[3] = {i, j, k};
        int meant[3] = {};

        for (int axis = 0; axis < 3; axis++)
            meant[axis] = T::is_parted(axis) ? (int)at[axis]
                                             : wrapped_index<T>(axis, (int)at[axis],
                                                                T::extent::of(axis));
        return *point(b, version, meant[0], meant[1], meant[2]);
    }

    /* The exchange buffer of a level for an epoch: the points published by all blocks. */
    static INLINE unit *exchange(const persistent_block &b, int level, unsigned epoch)
    {
        return (unit *)(b.exchange + STORAGE::EXCHANGE) +
               (2 * -level + (epoch & 1)) * (int64_t)T::SPAN * T::blocks::X *
                   T::blocks::Y * T::blocks::Z;
    }
};

/* ---- thread tiles ------------------------------------------------------------------ */

/* Layout of the bits of a thread tile: one bit for each of its rows; then the number of
 * steps since the last exchange in which a point is needed; WHOLE: its rows consist of
 * register-resident points only; FIRST, LAST: no neighbour lane has the unit before it,
 * or behind it; then one bit for each computed point of a row. */
enum {
    TILE_ROWS = 16,
    TILE_STEPS = 0x7f,
    TILE_WHOLE = 1 << 24,
    TILE_FIRST = 1 << 25,
    TILE_LAST = 1 << 26,
    TILE_POINT_BITS = 27
};

/* The thread tiles of a thread for one stage. Its results are needed `around` points
 * outside the tile after the last step, and `radius` points more for each step before.
 * The stage computes all points except the inset next to the faces. EARLY: the PUBLISHED
 * thread tiles come first, so that their points reach other blocks soon. FACE_BITS: bit n
 * is set if point n of some vector lies on a face or beyond. The values there never
 * change, so threads keep them in registers. FACE_BITS < 0: the values do change, or are
 * not kept. */
template <class T, class P> struct thread_tiles_of {
    typedef typename P::radius RADIUS;
    typedef typename P::around AROUND;
    typedef typename P::inset INSET;
    enum {
        EARLY = P::EARLY,
        GIVEN = P::FACE_BITS >= 0,
        HALO_X = T::is_parted(0) ? parts_of((T::DEPTH - 1) * RADIUS::X + AROUND::X, T::N)
                                 : 0,
        HALO_Y = T::is_parted(1) ? (T::DEPTH - 1) * RADIUS::Y + AROUND::Y : 0,
        HALO_Z = T::is_parted(2) ? (T::DEPTH - 1) * RADIUS::Z + AROUND::Z : 0,
        ALONG = T::X + 2 * HALO_X,
        WARPS = parts_of(ALONG, 32) * 32,
        LANES = !EARLY && 8 * (WARPS - ALONG) <= WARPS ? (int)WARPS : (int)ALONG,
        /* every needed neighbour unit is in a neighbour lane */
        ALONE = LANES == 32 && T::is_parted(0) && HALO_X >= T::LEFT && HALO_X >= T::RIGHT,
        ACROSS = parts_of(T::Y + 2 * HALO_Y, T::ROWS),
        DEEP = parts_of(T::Z + 2 * HALO_Z, T::PLANES),
        ALL = LANES * ACROSS * DEEP,
        COUNT = parts_of(ALL, T::THREADS),
        INNER_X = HALO_X + T::RIM_X, /* first thread tile with nothing to publish */
        INNER_Y = parts_of(HALO_Y + T::RIM_Y, T::ROWS),
        INNER_Z = parts_of(HALO_Z + T::RIM_Z, T::PLANES),
        END_X = at_least(INNER_X, HALO_X + T::X - T::RAGGED_X - T::RIM_X),
        END_Y = at_least(INNER_Y, (HALO_Y + T::Y - T::RAGGED_Y - T::RIM_Y) / T::ROWS),
        END_Z = at_least(INNER_Z, (HALO_Z + T::Z - T::RAGGED_Z - T::RIM_Z) / T::PLANES),
        INNER = (END_X - INNER_X) * (END_Y - INNER_Y) * (END_Z - INNER_Z),
        PUBLISHED = EARLY ? parts_of(ALL - INNER, T::THREADS) : COUNT
    };
    typedef shell_size<ALONG, ACROSS, DEEP, 0, 0, 0> size;
    int place[COUNT];
    unsigned bits[COUNT];
    unsigned published[COUNT]; /* rows read by other blocks; above them, given rows */

    /* True if the stage computes this position of an axis. On a periodic axis cut among
     * blocks it computes every position. */
    static INLINE bool is_made(int axis, int at)
    {
        return (T::wraps(axis) && T::is_parted(axis)) ||
               (at >= INSET::low(axis) && at < T::extent::of(axis) - INSET::high(axis));
    }

    /* The first computed position of a range, and the end of the computed positions. */
    static INLINE int first_made(int axis, int from, int to)
    {
        return is_made(axis, from) ? from : clamped(INSET::low(axis), from, to);
    }
    static INLINE int end_made(int axis, int from, int to)
    {
        return is_made(axis, to - 1)
                   ? to
                   : clamped(T::extent::of(axis) - INSET::high(axis), from, to);
    }

    /* The number of steps that need points `off` positions outside the tile. */
    static INLINE int steps_of(int axis, int off)
    {
        const int more = off - AROUND::of(axis), each = RADIUS::of(axis);

        return more <= 0   ? (int)T::DEPTH
               : each == 0 ? 0
                           : T::DEPTH - parts_of(more, each > 0 ? each : 1);
    }

    static INLINE int least_steps(const persistent_block &b, int x, int y, int z)
    {
        const int at[3] = {x, y, z};
        int least = T::DEPTH;

        for (int axis = 0; axis < 3; axis++) {
            const int scale = axis == 0 ? (int)T::N : 1;
            const int off = at[axis] < b.lo[axis]
                                ? (b.lo[axis] - 1 - at[axis]) * scale + 1
                            : at[axis] >= b.hi[axis] ? (at[axis] - b.hi[axis]) * scale + 1
                                                     : 0;
            const int steps = steps_of(axis, off);
            least = steps < least ? steps : least;
        }
        return least;
    }

    static INLINE unsigned points_made(int x)
    {
        unsigned made = 0;

        for (int n = 0; n < T::N; n++)
            made |= (unsigned)is_made(0, x * T::N + n) << n;
        return made;
    }

    static INLINE bool is_on_rim(const persistent_block &b, int x, int y, int z)
    {
        const int at[3] = {x, y, z};
        bool inside = true, near = false;

        for (int axis = 0; axis < 3; axis++) {
            const int width = axes<T::RIM_X, T::RIM_Y, T::RIM_Z>::of(axis);
            inside = inside && at[axis] >= b.lo[axis] && at[axis] < b.hi[axis];
            near = near || at[axis] < b.lo[axis] + width ||
                   at[axis] >= b.hi[axis] - width;
        }
        return inside && near;
    }

    static INLINE unsigned rows_published(const persistent_block &b, int x, int y, int z)
    {
        unsigned rows = 0;

        for (int n = 0; n < T::ROWS * T::PLANES; n++)
            rows |= (unsigned)is_on_rim(b, x, y + n % T::ROWS, z + n / T::ROWS) << n;
        return rows;
    }

    /* Rows not computed by this thread: rows on faces, and halo rows fetched after each
     * step if the stage computes no halo. */
    static INLINE unsigned rows_given(const persistent_block &b, int x, int y, int z)
    {
        const bool none_around = HALO_X + HALO_Y + HALO_Z == 0;
        unsigned rows = 0;

        for (int n = 0; n < T::ROWS * T::PLANES; n++) {
            const int j = y + n % T::ROWS, k = z + n / T::ROWS;
            const bool given = !is_made(1, j) || !is_made(2, k) ||
                               (none_around && least_steps(b, x, j, k) <= 0);
            rows |= (unsigned)given << n;
        }
        return rows;
    }

    /* True if point x of some vector is given by a face. */
    static INLINE constexpr bool is_cut(int x)
    {
        return GIVEN && (P::FACE_BITS >> x & 1);
    }

    /* The rows of a thread tile to compute, and the number of steps that need them. A
     * published row is always needed, even if only borders set it. */
    static INLINE unsigned rows_made(const persistent_block &b, int x, int y, int z,
                                     unsigned published)
    {
        unsigned rows = 0;
        int steps = published ? (int)T::DEPTH : 0;

        for (int n = 0; n < T::ROWS * T::PLANES; n++) {
            const int j = y + n % T::ROWS, k = z + n / T::ROWS;
            const int least = least_steps(b, x, j, k);
            if (!is_made(1, j) || !is_made(2, k) || least <= 0)
                continue;
            rows |= 1U << n;
            steps = least > steps ? least : steps;
        }
        return rows | (unsigned)steps << TILE_ROWS;
    }

    /* The thread tile of a number: x fastest, then y and z. Some lanes may have none. */
    static INLINE tile_point in_box(int number)
    {
        return {number % LANES, number / LANES % ACROSS, number / LANES / ACROSS};
    }
    static INLINE tile_point in_inner(int number)
    {
        enum { WIDE = END_X - INNER_X, HIGH = END_Y - INNER_Y };
        constexpr int wide = WIDE > 0 ? WIDE : 1, high = HIGH > 0 ? HIGH : 1;

        return {INNER_X + number % wide, INNER_Y + number / wide % high,
                INNER_Z + number / wide / high};
    }

    static INLINE tile_point thread_tile_of(int turn)
    {
        const int number = turn * T::THREADS + threadIdx.x;
        tile_point p = {0, 0, 0};

        if (!EARLY || INNER <= 0)
            return in_box(number < ALL ? number : 0);
        shell s = {{0, 0, 0},
                   {ALONG, ACROSS, DEEP},
                   {INNER_X, INNER_Y, INNER_Z},
                   {END_X, END_Y, END_Z}};
        count_rows<size>(s);
        if (!in_shell<T, size>(s, turn, p) && number < ALL)
            p = in_inner(number - (ALL - INNER));
        return p;
    }

    /* TILE_FIRST and TILE_LAST: the neighbour unit along x is not in the neighbour
     * lane. */
    static INLINE unsigned lone_ends(int place)
    {
        const int lane = threadIdx.x % 32;
        const int before = __shfl_up_sync(0xffffffffU, place, 1),
                  behind = __shfl_down_sync(0xffffffffU, place, 1);
        const bool first = lane == 0 || before != place - 1,
                   last = lane == 31 || behind != place + 1;

        return ALONE ? 0
                     : (first ? (unsigned)TILE_FIRST : 0U) |
                           (last ? (unsigned)TILE_LAST : 0U);
    }

    INLINE explicit thread_tiles_of(const persistent_block &b)
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            const tile_point p = thread_tile_of(n);
            const int x = b.lo[0] - HALO_X + (p.i < ALONG ? p.i : ALONG - 1),
                      y = b.lo[1] - HALO_Y + p.j * T::ROWS,
                      z = b.lo[2] - HALO_Z + p.k * T::PLANES;
            const bool is_there = n * T::THREADS + threadIdx.x < ALL && p.i < ALONG;
            const unsigned made = points_made(x);
            const bool whole = GIVEN || made == (1U << T::N) - 1;
            place[n] = place_of<T>(b, x, y, z);
            published[n] = is_there ? rows_published(b, x, y, z) : 0;
            bits[n] = is_there ? rows_made(b, x, y, z, published[n]) : 0;
            published[n] |= rows_given(b, x, y, z) << TILE_ROWS;
            /* no change: tells compilers that the high bits are 0 */
            bits[n] &= TILE_WHOLE - 1;
            bits[n] |= (whole ? (unsigned)TILE_WHOLE : 0U) | lone_ends(place[n]) |
                       made << TILE_POINT_BITS;
        }
    }

    /* Rows kept in registers from step to step: the thread computes all their points, or
     * the points are given and never change. */
    INLINE unsigned register_rows(int n) const
    {
        const unsigned all = (1U << T::ROWS * T::PLANES) - 1;

        return GIVEN ? all & ~(published[n] >> TILE_ROWS) : made_rows(n);
    }

    /* Rows computed by the thread, if it has all of their points. */
    INLINE unsigned made_rows(int n) const
    {
        return bits[n] & TILE_WHOLE ? bits[n] & ((1U << TILE_ROWS) - 1) : 0;
    }

    /* Rows to store in shared memory for other threads: every row if ALL is set or a
     * neighbour lane cannot shuffle this thread tile, else only the rows at its EDGES. */
    INLINE unsigned stored_rows(int n, unsigned edges, bool all) const
    {
        const unsigned alone = bits[n] & (TILE_WHOLE | TILE_FIRST | TILE_LAST);

        return all || alone != TILE_WHOLE ? bits[n] : bits[n] & edges;
    }

    /* True if a thread of the warp needs its thread tile in step `turn` since the last
     * exchange. */
    INLINE bool is_needed(int n, int turn) const
    {
        return __any_sync(0xffffffffU, (int)(bits[n] >> TILE_ROWS & TILE_STEPS) > turn) !=
               0;
    }
};

/* Stores and loads of the exchange buffer. RELAXED: other blocks access the unit at the
 * same time, so no number may tear. */
template <bool RELAXED, class U> INLINE void store_exchange(U *to, const U &u)
{
    typename word_of<sizeof(U)>::type w;

    memcpy(&w, &u, sizeof w);
    if (RELAXED)
        kernel_store_relaxed((decltype(w) *)to, w);
    else
        __stcg((decltype(w) *)to, w);
}

template <bool RELAXED, class U> INLINE U load_exchange(const U *from)
{
    typedef typename word_of<sizeof(U)>::type word;
    const word w = RELAXED ? kernel_load_relaxed((const word *)from)
                           : __ldcg((const word *)from);
    U u;

    memcpy(&u, &w, sizeof u);
    return u;
}

/* Names a template argument of widen_row: the place of a row's first own point. */
template <int PLACE> struct first_at {
    enum { AT = PLACE };
};

/* Copies a row to to[AT ..] with BEFORE points before it and BEHIND points behind it. The
 * neighbour points come by shuffle, or from memory at the ends of the warp's run. */
template <class FIRST, class LEFT, class RIGHT, int N, class V, int ALL>
INLINE void widen_row(V (&to)[ALL], const pack<V, N> &own, const V *from, unsigned bits)
{
    enum { AT = FIRST::AT, BEFORE = LEFT::BEFORE, BEHIND = RIGHT::BEHIND };

#pragma unroll
    for (int n = 0; n < N; n++)
        to[AT + n] = own.v[n];
#pragma unroll
    for (int n = 1; n <= BEFORE; n++) {
        if (N > 1 && BEFORE <= N)
            to[AT - n] = from_lane(own.v[n <= N ? N - n : 0], -1);
        if (N == 1 || BEFORE > N || (bits & TILE_FIRST))
            to[AT - n] = from[-n];
    }
#pragma unroll
    for (int n = 0; n < BEHIND; n++) {
        if (N > 1 && BEHIND <= N)
            to[AT + N + n] = from_lane(own.v[n < N ? n : 0], 1);
        if (N == 1 || BEHIND > N || (bits & TILE_LAST))
            to[AT + N + n] = from[N + n];
    }
}

template <class FIRST, class LEFT, class RIGHT, int N, class V, int ALL>
INLINE void load_row(V (&to)[ALL], const V *from, unsigned bits)
{
    widen_row<FIRST, LEFT, RIGHT>(to, *(const pack<V, N> *)from, from, bits);
}

/* Loads the rows of the thread tile that are no longer in registers. Bit n of `kept` is
 * set if row n still is. */
template <class F>
INLINE void reload_rows(typename F::unit (&v)[F::tiles::PLANES][F::tiles::ROWS],
                        const typename F::unit *from, unsigned kept)
{
    typedef typename F::tiles T;
    enum { COUNT = T::ROWS * T::PLANES };

    if (!__any_sync(0xffffffffU, kept != (1U << COUNT) - 1))
        return;
#pragma unroll
    for (int row = 0; row < COUNT; row++)
        if (!(kept >> row & 1))
            v[row / T::ROWS][row % T::ROWS] =
                from[row % T::ROWS * T::WIDTH + row / T::ROWS * T::PLANE];
}

/* Loads a vector in row j of plane k of a fixed field. Outside the grid it loads clamped
 * points, because nobody uses them. */
template <class T, class V>
INLINE void fixed_row(V (&to)[T::N], const grid &g, const tile_point &p, int64_t j,
                      int64_t k)
{
    const V *const row = (const V *)g.data + j * g.y + k * g.z;
    const int i = wrapped_index<T>(0, p.i, T::units(0)) * T::N;
    const bool whole = i >= 0 && i + T::N <= T::extent::X;

    if (whole && (size_t)(row + i) % sizeof(pack<V, T::N>) == 0) {
        const pack<V, T::N> own = load_vector<T::N>(row + i);
        for (int n = 0; n < T::N; n++)
            to[n] = own.v[n];
        return;
    }
    for (int n = 0; n < T::N; n++)
        to[n] = row[index_along<T>(0, i + n)];
}

/* Stores the computed points of a thread tile cut by the ends of the grid. */
template <class F>
INLINE void store_made(typename F::unit *to, unsigned points, unsigned rows,
                       const typename F::unit (&v)[F::tiles::PLANES][F::tiles::ROWS])
{
    typedef typename F::tiles T;

#pragma unroll
    for (int row = 0; row < T::ROWS * T::PLANES; row++)
        for (int p = 0; p < T::N; p++)
            if ((rows >> row & 1) && (points >> p & 1))
                to[row % T::ROWS * T::WIDTH + row / T::ROWS * T::PLANE]
                    .v[p] = v[row / T::ROWS][row % T::ROWS].v[p];
}

/* Stores some rows of a thread tile in shared memory for other threads. */
template <class F, class B>
INLINE void keep(int version, const B &thread_tiles, int n, unsigned rows,
                 const typename F::unit (&v)[F::tiles::PLANES][F::tiles::ROWS])
{
    typedef typename F::tiles T;
    typename F::unit *const to = F::version_of(version) + thread_tiles.place[n];

    if (!(thread_tiles.bits[n] & TILE_WHOLE)) {
        store_made<F>(to, thread_tiles.bits[n] >> TILE_POINT_BITS, rows, v);
        return;
    }
#pragma unroll
    for (int row = 0; row < T::ROWS * T::PLANES; row++)
        if (rows >> row & 1)
            to[row % T::ROWS * T::WIDTH + row / T::ROWS * T::PLANE] = v[row / T::ROWS]
                                                                       [row % T::ROWS];
}

/* Copies the rim rows of a thread tile to the exchange buffer. */
template <class F, bool RELAXED, class B>
INLINE void publish(const persistent_block &b, int version, int level, unsigned epoch,
                    const B &thread_tiles, int n,
                    const typename F::unit (&v)[F::tiles::PLANES][F::tiles::ROWS])
{
    typedef typename F::tiles T;
    const typename F::unit *const own = F::version_of(version) + thread_tiles.place[n];
    typename F::unit *const to = F::exchange(b, level, epoch) +
                                 blockIdx.x * (int64_t)T::SPAN + thread_tiles.place[n];

#pragma unroll
    for (int row = 0; row < T::ROWS * T::PLANES; row++) {
        const int at = row % T::ROWS * T::WIDTH + row / T::ROWS * T::PLANE;
        if (!(thread_tiles.published[n] >> row & 1))
            continue;
        if (thread_tiles.made_rows(n) >> row & 1)
            store_exchange<RELAXED>(to + at, v[row / T::ROWS][row % T::ROWS]);
        else
            store_exchange<RELAXED>(to + at, own[at]);
    }
}

/* ---- before and after -------------------------------------------------------------- */

/* Loads a level of the tile and its halo before the first step. Ghosts of a periodic axis
 * may be stale in global memory, so the load wraps around to the points instead. */
template <class F>
INLINE void load_tile(const persistent_block &b, int version, const grid &g)
{
    typedef typename F::tiles T;
    const typename F::value *const from = (const typename F::value *)g.data;

    for (int n = threadIdx.x; n < T::SPAN * T::N; n += T::THREADS) {
        const int at[3] = {origin<T>(b, 0) * T::N + n % F::Y,
                           origin<T>(b, 1) + n / F::Y % T::HEIGHT,
                           origin<T>(b, 2) + n / F::Z};
        int64_t index[3] = {};
        bool is_there = true;
        for (int axis = 0; axis < 3; axis++) {
            is_there = is_there && at[axis] >= F::first(b, axis) &&
                       at[axis] < F::end(b, axis);
            index[axis] = wrapped_index<T>(axis, at[axis], T::extent::of(axis));
        }
        if (is_there)
            F::version_of(version)->v[n] = __ldcg(from + index[0] + index[1] * g.y +
                                                  index[2] * g.z);
    }
}

/* Stores the computed points of the tile after the last step. */
template <class F, class B>
INLINE void store_tile(const persistent_block &b, int version, const grid &g)
{
    typedef typename F::tiles T;
    typename F::value *const to = (typename F::value *)g.data;

    for (int n = threadIdx.x; n < T::X * T::N * T::Y * T::Z; n += T::THREADS) {
        const int i = b.lo[0] * T::N + n % (T::X * T::N),
                  j = b.lo[1] + n / (T::X * T::N) % T::Y,
                  k = b.lo[2] + n / (T::X * T::N * T::Y);
        const bool own = i < b.hi[0] * T::N && j < b.hi[1] && k < b.hi[2] &&
                         i < T::extent::X;
        if (own && B::is_made(0, i) && B::is_made(1, j) && B::is_made(2, k))
            to[i + j * g.y + k * g.z] = *F::point(b, version, i, j, k);
    }
}
