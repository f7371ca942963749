/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches with time levels in registers: the sweep, its rings, and whole rows a
 * block. The build makes a text of each part (cmake/embed.cmake). */

/* ==== kernel_registers ==== */
/* A fused launch with planes in registers. Each thread keeps its own points of the last
 * planes of every version: vectors along x of several rows. A warp is a row of vectors,
 * and its lanes take neighbours along x from each other by shuffle. Rows read by another
 * warp are published in shared memory: the rows of one plane can be read from the next
 * plane on, after one barrier. */

/* Named template arguments: planes; points before a vector; points behind it. */
template <int COUNT> struct planes_kept {
    enum { PLANES = COUNT };
};
template <int COUNT> struct points_before {
    enum { BEFORE = COUNT };
};
template <int COUNT> struct points_behind {
    enum { BEHIND = COUNT };
};

/* A thread's own points of the last planes, the newest first. */
template <class V, class T, class OF> struct own_planes {
    enum { ROWS = T::ROWS, PLANES = OF::PLANES };
    pack<V, T::N> at[PLANES][ROWS];

    INLINE void turn()
    {
#pragma unroll
        for (int p = PLANES - 1; p > 0; p--)
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                at[p][r] = at[p - 1][r];
    }
};

/* A vector with some points on either side. */
template <class V, int N, int BEFORE, int BEHIND> struct wide {
    V v[BEFORE + N + BEHIND];
};

INLINE float from_lane(float v, int by)
{
    return by < 0 ? __shfl_up_sync(0xffffffffU, v, 1)
                  : __shfl_down_sync(0xffffffffU, v, 1);
}

INLINE double from_lane(double v, int by)
{
    return by < 0 ? __shfl_up_sync(0xffffffffU, v, 1)
                  : __shfl_down_sync(0xffffffffU, v, 1);
}

INLINE unsigned from_lane(unsigned v, int by)
{
    return by < 0 ? __shfl_up_sync(0xffffffffU, v, 1)
                  : __shfl_down_sync(0xffffffffU, v, 1);
}

INLINE uint16_t from_lane(uint16_t v, int by)
{
    return (uint16_t)from_lane((unsigned)v, by);
}

INLINE uint8_t from_lane(uint8_t v, int by)
{
    return (uint8_t)from_lane((unsigned)v, by);
}

/* Adds neighbour points to a vector by shuffle. The first and last lane get wrong points,
 * but these lie in the overlap and nobody uses them. */
template <class LEFT, class RIGHT, class V, int N>
INLINE wide<V, N, LEFT::BEFORE, RIGHT::BEHIND> widened(const pack<V, N> &own)
{
    enum { BEFORE = LEFT::BEFORE, BEHIND = RIGHT::BEHIND };
    wide<V, N, BEFORE, BEHIND> w;

#pragma unroll
    for (int n = 0; n < N; n++)
        w.v[BEFORE + n] = own.v[n];
#pragma unroll
    for (int n = 0; n < BEFORE; n++)
        w.v[n] = from_lane(own.v[N - BEFORE + n], -1);
#pragma unroll
    for (int n = 0; n < BEHIND; n++)
        w.v[BEFORE + N + n] = from_lane(own.v[n], 1);
    return w;
}

/* A tile of WARPS rows of 32 vectors of N points; each thread has ROWS rows. The OVERLAP
 * points belong to neighbour tiles. In two dimensions each warp has its own tile. */
template <int POINTS, int WARP_COUNT, int EACH, int HALO_X, int HALO_Y, int SWEEP,
          bool WRAPS_X, bool WRAPS_Y>
struct rows_of {
    enum {
        PERIODIC_X = WRAPS_X, /* periodic along x */
        PERIODIC_Y = WRAPS_Y,
        N = POINTS,
        WARPS = WARP_COUNT,
        ROWS = EACH,
        AXIS = SWEEP,
        X = 32 * N,
        Y = AXIS == 2 ? WARPS * ROWS : 1,
        OVERLAP_X = HALO_X,
        OVERLAP_Y = HALO_Y,
        OWN_X = X - 2 * OVERLAP_X,
        OWN_Y = Y - 2 * OVERLAP_Y
    };
};

struct thread_place {
    int x, y;           /* the thread's first point */
    int tile_x, tile_y; /* the tile's first point */
    int i, j;           /* the thread's first point, wrapped on periodic axes */
    int from, to;       /* planes stored by the block */
    int row;            /* the thread's first row in the tile */
    int warp;           /* the warp in the block */
    int slot;           /* the thread's first vector in a plane of the tile */
    unsigned own;       /* bit r: the thread stores the points of row r */
    /* `own` of the neighbour lane: the two store large vectors together */
    unsigned partner;
    bool edge; /* the tile reaches a face, or wraps within a vector */
    /* bit r: row r lies on a face along y or beyond it */
    unsigned rows;
    bool ragged; /* the tile passes the end of rows that end within a vector */
    bool around; /* the tile wraps around a periodic face */
    bool none;   /* the warp has no points to store (two dimensions only) */
};

/* The rows stored by the thread: inside the grid and outside the overlap. */
template <class T> INLINE unsigned own_rows(const fused_work &w, const thread_place &b)
{
    const int at = threadIdx.x * T::N;
    unsigned own = 0;

    if (at < T::OVERLAP_X || at >= T::X - T::OVERLAP_X || b.x >= (int)w.extent[0])
        return 0;
#pragma unroll
    for (int r = 0; r < T::ROWS; r++) {
        const int row = b.row + r;
        const bool in = T::AXIS == 1 ||
                        (row >= T::OVERLAP_Y && row < T::Y - T::OVERLAP_Y &&
                         b.y + r < (int)w.extent[1]);
        own |= (unsigned)in << r;
    }
    return own;
}

/* The rows of the thread on a face or beyond it. */
template <class T> INLINE unsigned rows_on_faces(const fused_work &w, int y)
{
    unsigned on = 0;

    if (T::AXIS == 1 || T::PERIODIC_Y)
        return 0;
#pragma unroll
    for (int r = 0; r < T::ROWS; r++)
        on |= (unsigned)(y + r <= 0 || y + r >= (int)w.extent[1] - 1) << r;
    return on;
}

/* On a periodic axis: moves a position by one period if it lies beyond a face. The result
 * lies in the grid unless the position was more than one period outside. */
template <bool WRAPS> INLINE int nearly(int at, int64_t extent)
{
    return !WRAPS              ? at
           : at < 0            ? at + (int)extent
           : at >= (int)extent ? at - (int)extent
                               : at;
}

template <bool WRAPS> INLINE bool wraps_around(int first, int points, int64_t extent)
{
    return WRAPS && (first < 0 || first + points > (int)extent);
}

/* True if a tile touches a face of the axis, or wraps within a vector. */
template <bool WRAPS>
INLINE bool has_edge(int first, int points, int pack, int64_t extent)
{
    if (WRAPS)
        return (int)extent < points || (int)extent % pack != 0;
    return first <= 0 || first + points >= (int)extent;
}

/* Hides a value from the optimiser. Otherwise compilers keep everything derived from the
 * number in registers. */
INLINE int kept_opaque(int number)
{
#ifndef PAV_NO_PTX
    asm volatile("" : "+r"(number));
#endif
    return number;
}

/* The work of a block: some planes of a tile. */
struct block_sweep {
    int tile, from, planes;
};

/* In three dimensions consecutive blocks sweep through the same planes of neighbouring
 * tiles, so that the overlaps are still in L2. The tail tiles, too few to fill the GPU,
 * come last and in shorter sweeps. */
template <class T> INLINE block_sweep sweep_of_block(const fused_work &w)
{
    const int begin = (int)w.begin, block = (int)blockIdx.x;
    const int planes = kept_opaque((int)w.planes), tiles = (int)w.tiles;
    const int first = tiles * parts_of((int)w.end - begin, planes), next = block - first;

    if (next < 0)
        return {block % tiles, begin + block / tiles * planes, planes};
    const int tail = kept_opaque((int)w.tail),
              others = parts_of((int)w.extent[0], T::OWN_X) *
                           parts_of((int)w.extent[1], T::OWN_Y) -
                       tiles;
    return {tiles + next % others, begin + next / others * tail, tail};
}

/* In two dimensions each warp has its own tile. */
template <class T> INLINE block_sweep sweep_of_warp(const fused_work &w)
{
    const int planes = (int)w.planes;
    return {(int)blockIdx.x * T::WARPS + (int)threadIdx.y,
            (int)w.begin + (int)blockIdx.y * planes, planes};
}

template <class T> INLINE thread_place place_of_rows(const fused_work &w)
{
    const block_sweep own = T::AXIS == 2 ? sweep_of_block<T>(w) : sweep_of_warp<T>(w);
    const int end = (int)w.end;
    const int along = T::AXIS == 2 ? parts_of((int)w.extent[0], T::OWN_X) : 1;
    const int x = (T::AXIS == 2 ? own.tile % along : own.tile) * T::OWN_X - T::OVERLAP_X;
    const int y = T::AXIS == 2 ? own.tile / along * T::OWN_Y - T::OVERLAP_Y : 0;
    thread_place b;

    b.from = own.from;
    b.to = b.from + own.planes < end ? b.from + own.planes : end;
    b.warp = kept_opaque((int)threadIdx.y);
    b.row = T::AXIS == 2 ? b.warp * T::ROWS : 0;
    b.slot = kept_opaque(b.row * 32 + (int)threadIdx.x);
    b.tile_x = x;
    b.tile_y = y;
    b.x = x + (int)threadIdx.x * T::N;
    b.y = y + b.row;
    b.i = T::PERIODIC_X ? (int)wrapped(b.x, w.extent[0]) : b.x;
    b.j = T::PERIODIC_Y ? (int)wrapped(b.y, w.extent[1]) : b.y;
    b.around = wraps_around<T::PERIODIC_X>(x, T::X, w.extent[0]) ||
               wraps_around<T::PERIODIC_Y>(y, T::Y, w.extent[1]);
    b.ragged = x + T::X >= (int)w.extent[0] && (int)w.extent[0] % T::N != 0;
    b.none = T::AXIS == 1 && x + T::OVERLAP_X >= (int)w.extent[0];
    b.own = own_rows<T>(w, b);
    b.partner = from_neighbour_lane(b.own);
    b.rows = rows_on_faces<T>(w, b.y);
    b.edge = has_edge<T::PERIODIC_X>(x, T::X, T::N, w.extent[0]) ||
             (T::AXIS == 2 && has_edge<T::PERIODIC_Y>(y, T::Y, 1, w.extent[1]));
    return b;
}

/* True if the tile reaches a face along x. Recomputed at each use to save a register. */
template <class T> INLINE bool has_ends(const fused_work &w, const thread_place &b)
{
    return b.tile_x <= 0 || b.tile_x + T::X >= (int)w.extent[0];
}

INLINE int within(int at, int low, int high)
{
    return at < low ? low : at > high ? high : at;
}

/* The exchange buffer. It has the P::EDGE rows at both edges of each thread tile, or all
 * rows, of P::PLANES planes of each version from P::FIRST on. It begins at byte P::AT of
 * shared memory. */
template <class V, class T, class P> struct exchange {
    enum {
        EDGE = P::EDGE,
        ALL = 2 * EDGE >= T::ROWS,
        EACH = ALL ? T::ROWS : 2 * EDGE,
        ROW = 32,
        PLANE = T::WARPS * EACH * ROW
    };
    typedef pack<V, T::N> element;

    static INLINE element *plane(int version, int turn)
    {
        return (element *)(kernel_shared<unsigned char>() + P::AT) +
               ((version - P::FIRST) * P::PLANES + turn) * PLANE;
    }
    /* Index of the thread's first row. */
    static INLINE int own(const thread_place &b)
    {
        return b.slot - b.warp * ((T::ROWS - EACH) * ROW);
    }
    static INLINE void publish(const thread_place &b, int version, int turn,
                               const pack<V, T::N> (&rows)[T::ROWS])
    {
        element *const first = plane(version, turn) + own(b);
#pragma unroll
        for (int r = 0; r < T::ROWS; r++)
            if (ALL || r < EDGE || r >= T::ROWS - EDGE)
                first[(ALL || r < EDGE ? r : r + EACH - T::ROWS) * ROW] = rows[r];
    }
    /* Row y, counted from the thread's first; outside the tile any row, because nobody
     * uses it. */
    static INLINE pack<V, T::N> row(const thread_place &b, int version, int turn, int y)
    {
        const int at = own(b) + (y < T::ROWS ? y : y + EACH - T::ROWS) * ROW;
        return plane(version,
                     turn)[y >= 0 && y < T::ROWS ? at : within(at, 0, PLANE - 1)];
    }
};

/* The slot of the plane published `ago` planes before. */
template <int PLANES> INLINE int slot_before(int turn, int ago)
{
    const int n = turn - ago;
    return n < 0 ? n + PLANES : n;
}

INLINE int at_most(int at, int high)
{
    return at > high ? high : at;
}

/* Compilers may not move later reads before this point, and a branch around it stays a
 * branch. */
INLINE void no_earlier()
{
#ifndef PAV_NO_PTX
    asm volatile("" ::: "memory");
#endif
}

/* The index of a position along an axis: wrapped if the axis is periodic, else clamped to
 * LOW points before the first point and HIGH points behind the last. 32 bits suffice
 * within a plane. */
template <bool WRAPS> INLINE int index_at(int at, int64_t extent, int low, int high)
{
    if (!WRAPS)
        return within(at, -low, (int)extent - 1 + high);
    int next = at;
#pragma unroll 1
    while (next < 0)
        next += (int)extent;
#pragma unroll 1
    while (next >= (int)extent)
        next -= (int)extent;
    return next;
}

/* A product of two 32-bit numbers in one instruction. Compilers emit three if they know
 * that a factor was once a 64-bit number. */
INLINE int64_t product(int a, int b)
{
#ifdef PAV_NO_PTX
    return (int64_t)a * b;
#else
    int64_t c;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(c) : "r"(a), "r"(b));
    return c;
#endif
}

/* The first point of a plane; in two dimensions, of a row. */
template <class T, class V> INLINE const V *plane_in(const grid &g, int plane)
{
    return (const V *)g.data + product(plane, (int)(T::AXIS == 2 ? g.z : g.y));
}

/* The same position `rows` rows further on. */
template <class V> INLINE V *row_from(V *place, int64_t pitch, int rows)
{
    return (V *)((const char *)place + product((int)pitch * (int)sizeof(V), rows));
}

/* True if memory stores this position: a point, or one of `low` ghosts before the first
 * and `high` ghosts behind the last. */
template <bool WRAPS> INLINE bool is_stored(int at, int64_t extent, int low, int high)
{
    return WRAPS || (at >= -low && at < (int)extent + high);
}

/* Planes prefetched by asynchronous copies into shared memory. Each thread reads only its
 * own vectors, so no barrier is needed. */
template <class V, class T, int PLANES, int AT> struct prefetched_planes {
    static INLINE pack<V, T::N> *place(int version, int turn, int row)
    {
        pack<V, T::N> *const own = (pack<V, T::N> *)(kernel_shared<unsigned char>() +
                                                     AT) +
                                   (threadIdx.y * 32 + threadIdx.x);
        return own + ((version * PLANES + turn) * T::ROWS + row) * (T::WARPS * 32);
    }
};

/* Prefetches the vector of load_row. */
template <bool WRAPS, class V, int N>
INLINE void prefetch_row(pack<V, N> *to, const V *plane, int64_t pitch, int row, int x,
                         int64_t extent)
{
    enum { EACH = piece_of<V, N>::POINTS };

    if (!WRAPS || (int)extent % N == 0) {
        const V *const from = row_from(
            plane + (WRAPS ? index_at<true>(x, extent, 0, 0) : x), pitch, row);
#pragma unroll
        for (int n = 0; n < N; n += EACH)
            kernel_copy_async<EACH * sizeof(V)>(&to->v[n], from + n);
        return;
    }
#pragma unroll
    for (int n = 0; n < N; n++)
        kernel_copy_async<sizeof(V)>(
            &to->v[n], row_from(plane + index_at<true>(x + n, extent, 0, 0), pitch, row));
}

/* Loads a vector from point x of a row. Rows begin at a cache line, so a load before or
 * behind a row stays in bounds. */
template <bool WRAPS, int N, class V>
INLINE pack<V, N> load_row(const V *plane, int64_t pitch, int row, int x, int64_t extent)
{
    if (!WRAPS || (int)extent % N == 0)
        return load_pieces<N>(
            row_from(plane + (WRAPS ? index_at<true>(x, extent, 0, 0) : x), pitch, row));
    pack<V, N> p;
#pragma unroll
    for (int n = 0; n < N; n++)
        p.v[n] = __ldg(row_from(plane + index_at<true>(x + n, extent, 0, 0), pitch, row));
    return p;
}

/* Stores the first points of a vector. */
template <class V, int N> INLINE void store_begin(V *to, const pack<V, N> &p, int points)
{
#pragma unroll
    for (int n = 0; n < N; n++)
        if (n < points)
            to[n] = p.v[n];
}

/* Stores the block's own points of a plane: point by point at the end of a row or of the
 * sweep, else whole vectors. A vector stored by two lanes together is tested as well: on
 * an H200 the branch costs less. */
template <bool INSIDE, bool EDGE, class V, class T, int N, int ROWS>
INLINE void store_own_rows(const grid &g, const fused_work &w, const thread_place &b,
                           int plane, const pack<V, N> (&rows)[ROWS])
{
    enum { PIECES = piece_of<V, N>::COUNT, ENDS = EDGE && (!INSIDE || PIECES == 2) };
    V *const first = (V *)plane_in<T, V>(g, plane);
    V *to = first + (T::AXIS == 1 ? 0 : b.y * (int)g.y) + b.x;
    const bool is_kept = plane >= b.from && plane < b.to;
    const bool is_whole = !ENDS || b.x + N <= (int)w.extent[0];
    const unsigned own = is_kept ? b.own : 0, whole = is_whole ? own : 0;

    if (!ENDS && PIECES == 2) {
        store_paired(to, g.y, rows, own, is_kept ? b.partner : 0);
        return;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        store_where(whole & 1U << r, to + r * g.y, rows[r]);
    if (!ENDS || is_whole)
        return;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (own >> r & 1)
            store_begin(to + r * g.y, rows[r], (int)w.extent[0] - b.x);
}

/* ==== kernel_registers_ring ==== */
/* The input levels of a fused launch in shared memory. Planes of a tile are prefetched
 * into rings read by all threads of the block, so they need no registers. The tensor
 * memory accelerator copies whole planes, or each thread copies its own vectors. A new
 * plane overwrites one that no thread has read since the last barrier. */

/* PLANES planes of each input level of a field, from byte AT of shared memory on. */
template <class V, class T, int PLANES, int AT> struct input_planes {
    typedef pack<V, T::N> element;
    enum {
        SPAN = T::Y * 32,
        BYTES = SPAN * sizeof(element),
        /* bytes of the tensor map's element */
        WORD = sizeof(element) < 8 ? sizeof(element) : 8
    };

    static INLINE element *plane(int version, int turn)
    {
        return (element *)(kernel_shared<unsigned char>() + AT) +
               (version * PLANES + turn) * SPAN;
    }
    static INLINE element *place(const thread_place &b, int version, int turn, int r)
    {
        return plane(version, turn) + b.slot + r * 32;
    }
    /* Row y, counted from the thread's first; outside the tile any row, because nobody
     * uses it. */
    static INLINE element row(const thread_place &b, int version, int turn, int y)
    {
        const int at = b.slot + y * 32;
        return plane(version, turn)[y >= 0 && y < T::ROWS ? at : within(at, 0, SPAN - 1)];
    }
    /* Starts to copy a plane; called by one thread. The gate waits for its bytes. */
    static INLINE void copy(const tensor &t, const thread_place &b, int version, int turn,
                            int plane_number, uint64_t *gate)
    {
        kernel_mbarrier_await(gate, BYTES);
        kernel_tensor_load(plane(version, turn), t.map,
                           (b.tile_x - (int)t.first[0]) * (int)sizeof(V) / WORD,
                           b.tile_y - (int)t.first[1], plane_number - (int)t.first[2],
                           gate);
    }
};

/* The slot of the plane loaded `ago` planes before the newest, in a ring of ROUNDS *
 * PHASES slots. */
template <int PHASES, int ROUNDS>
INLINE int ring_slot_before(int phase, int round, int ago)
{
    const int n = phase - ago, at = round * PHASES + n;

    return n >= 0 || at >= 0 ? at : at + PHASES * ROUNDS;
}

/* ==== kernel_registers_lines ==== */
/* Loads and stores of register-resident vectors in pieces of at most 16 bytes. If each
 * lane accessed both pieces of its own 32-byte vector, every request of a warp would
 * touch all sectors of a row and use half of each. So lanes copy each other's pieces, and
 * two neighbour lanes store their vectors together. */
template <class V, int N> struct piece_of {
    enum { POINTS = N * sizeof(V) > 16 ? 16 / sizeof(V) : N, COUNT = N / POINTS };
};

template <int N, class V> INLINE pack<V, N> load_pieces(const V *from)
{
    enum { EACH = piece_of<V, N>::POINTS };
    pack<V, N> p;

#pragma unroll
    for (int n = 0; n < N; n += EACH) {
        const pack<V, EACH> piece = load_vector<EACH>(from + n);
#pragma unroll
        for (int l = 0; l < EACH; l++)
            p.v[n + l] = piece.v[l];
    }
    return p;
}

template <class V, int N> INLINE void store_pieces(V *to, const pack<V, N> &p)
{
    enum { EACH = piece_of<V, N>::POINTS };

#pragma unroll
    for (int n = 0; n < N; n += EACH) {
        pack<V, EACH> piece;
#pragma unroll
        for (int l = 0; l < EACH; l++)
            piece.v[l] = p.v[n + l];
        store_whole(to + n, piece);
    }
}

/* Prefetches the row of the warp. `to` and `from` point to the lane's own vectors. */
template <class V, int N> INLINE void prefetch_line(pack<V, N> *to, const V *from)
{
    enum { EACH = piece_of<V, N>::POINTS, COUNT = piece_of<V, N>::COUNT };
    const int own = threadIdx.x * N;

#pragma unroll
    for (int n = 0; n < COUNT; n++) {
        const int at = (n * 32 + threadIdx.x) * EACH - own;
        kernel_copy_async<EACH * sizeof(V)>(&to->v[0] + at, from + at);
    }
}

template <class V> INLINE V from_neighbour_lane(V v)
{
    return __shfl_xor_sync(0xffffffffU, v, 1);
}

INLINE uint16_t from_neighbour_lane(uint16_t v)
{
    return (uint16_t)from_neighbour_lane((unsigned)v);
}

INLINE uint8_t from_neighbour_lane(uint8_t v)
{
    return (uint8_t)from_neighbour_lane((unsigned)v);
}

/* Stores a vector if `take` is not 0. A predicated store replaces a branch, because
 * compilers schedule the code before and behind a branch separately. No thread reads the
 * stored points again. */
template <class V, int N>
INLINE void store_where(unsigned take, V *to, const pack<V, N> &p)
{
#ifndef PAV_NO_PTX
    if (sizeof(p) == 16) {
        uint4 w;

        memcpy(&w, &p, sizeof w);
        asm volatile("{\n"
                     "    .reg .pred p;\n"
                     "    setp.ne.u32 p, %0, 0;\n"
                     "    @p st.global.v4.u32 [%1], {%2, %3, %4, %5};\n"
                     "}" ::"r"(take),
                     "l"(to), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w));
        return;
    }
#endif
    if (take)
        store_pieces(to, p);
}

/* Stores the vectors of two neighbour lanes together: first the two pieces of the even
 * lane, then the two of the odd lane. `own` and `partner`: bit r is set if row r of the
 * lane, or of its neighbour, is stored. */
template <class V, int N, int ROWS>
INLINE void store_paired(V *to, int64_t pitch, const pack<V, N> (&rows)[ROWS],
                         unsigned own, unsigned partner)
{
    enum { EACH = piece_of<V, N>::POINTS };
    const bool is_odd = threadIdx.x % 2 == 1;
    const unsigned first = is_odd ? partner : own, second = is_odd ? own : partner;
    V *const at = to - (is_odd ? EACH : 0);

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        pack<V, EACH> left, right;
#pragma unroll
        for (int n = 0; n < EACH; n++) {
            const V mine = rows[r].v[n], last = rows[r].v[EACH % N + n];
            const V other = from_neighbour_lane(is_odd ? mine : last);
            left.v[n] = is_odd ? other : mine;
            right.v[n] = is_odd ? last : other;
        }
        store_where(first & 1U << r, at + r * pitch, left);
        store_where(second & 1U << r, at + r * pitch + 2 * EACH, right);
    }
}
