/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of planes in shared memory. A block copies whole planes of what its threads read, their own points and those
 * around them, while it computes others; each takes the place of one that is no longer read. */
#ifndef PAV_EMULATED
template <class T> INLINE T *kernel_shared()
{
    extern __shared__ __align__(128) unsigned char shared_memory[];
    return (T *)shared_memory;
}

/* Copies that are under way while a thread goes on, in groups. */
template <int BYTES> INLINE void kernel_copy_async(void *to, const void *from)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);

    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from),
                     "n"(BYTES)
                     : "memory");
}

INLINE void kernel_copy_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* All groups but the newest `LEFT`. */
template <int LEFT> INLINE void kernel_copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
#endif

INLINE int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

INLINE int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The threads of a block, each with a pack of so many rows. */
template <int X, int Y, int EACH> struct crew {
    enum { COUNT = X * Y, ACROSS = X, OWN_ROWS = EACH, ROWS = Y * EACH };
};

/* Packs and rows that are read beside those of a block. */
template <int LEFT_PACKS, int RIGHT_PACKS, int ROWS_BELOW, int ROWS_ABOVE> struct margin {
    enum {
        LEFT = LEFT_PACKS,
        RIGHT = RIGHT_PACKS,
        BELOW = ROWS_BELOW,
        ABOVE = ROWS_ABOVE
    };
};

/* The first point of a block in its planes, and that of a thread. Where a block goes beyond the box, threads compute
 * what others do as well, alike: every thread takes part in copies, and stores what is right. */
struct tile {
    int64_t x, y, i, j;
};

/* Of planes that are rows. */
template <class B, int N> INLINE tile tile_of_row(const work &w)
{
    const int64_t first = w.lo[0] & -(int64_t)N, last = (w.hi[0] - 1) & -(int64_t)N;
    const int64_t x = (w.lo[0] & -(int64_t)(N * B::ACROSS)) +
                      (int64_t)blockIdx.x * (N * B::ACROSS);

    return {x, 0, lesser(greater(x + threadIdx.x * N, first), last), 0};
}

/* From row y on, or so far before it that the block's rows are within the box, where it has as many. */
template <class B, int N> INLINE tile tile_at(const work &w, int64_t y)
{
    tile b = tile_of_row<B, N>(w);

    b.y = greater(lesser(y, w.hi[1] - B::ROWS), w.lo[1]);
    b.j = lesser(b.y + threadIdx.y * B::OWN_ROWS, w.hi[1] - B::OWN_ROWS);
    return b;
}

/* PLANES planes of a level, plane FIRST from that of the points before all others. Those of `turn` is where it lies; the
 * offsets from `base` are in packs, as are all sizes. */
template <class T, int N, class B, class M, int FIRST, int PLANES> struct ring {
    typedef pack<T, N> element;
    enum {
        WIDTH = M::LEFT + B::ACROSS + M::RIGHT,
        PACKS = WIDTH * (M::BELOW + B::ROWS + M::ABOVE),
        COPIES = (PACKS + B::COUNT - 1) / B::COUNT
    };
    element *own, *copied; /* in shared memory: the thread's own, and its first copy's */
    const element *base;
    unsigned from[COPIES];
    int turn;

    /* Of plane z from that of the points. */
    INLINE int plane(int z) const
    {
        const int n = turn + z - FIRST;
        return (n < PLANES ? n : n - PLANES) * PACKS;
    }
};

/* At so many bytes of the shared memory. Nothing is read farther from the box than margins are wide. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE void open_ring(ring<T, N, B, M, FIRST, PLANES> &r, int at, const work &w,
                      const grid &g, const tile &b)
{
    typedef ring<T, N, B, M, FIRST, PLANES> type;
    const int64_t x = b.x / N - M::LEFT, y = b.y - M::BELOW;
    const int64_t least = (w.lo[0] & -(int64_t)N) / N - M::LEFT - x;
    const int64_t most = ((w.hi[0] - 1) & -(int64_t)N) / N + M::RIGHT - x;
    const int64_t top = w.hi[1] - 1 + M::ABOVE - y;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;

    r.turn = 0;
    r.base = (const pack<T, N> *)g.data + y * (g.y / N) + x;
    for (int n = 0; n < type::COPIES; n++) {
        const int number = thread + n * B::COUNT;
        const int64_t column = number % type::WIDTH, row = number / type::WIDTH;
        r.from[n] = (unsigned)(lesser(greater(column, least), most) +
                               lesser(row, top) * (g.y / N));
    }
    r.copied = (pack<T, N> *)(kernel_shared<unsigned char>() + at) + thread;
    r.own = r.copied - thread + (M::BELOW + b.j - b.y) * type::WIDTH + M::LEFT +
            (b.i - b.x) / N;
}

/* Begins to copy plane z from that of the points, which is `number` of the level. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE void copy_plane(const ring<T, N, B, M, FIRST, PLANES> &r, int z, int64_t number,
                       int64_t stride)
{
    typedef ring<T, N, B, M, FIRST, PLANES> type;
    const pack<T, N> *from = r.base + number * (stride / N);
    pack<T, N> *to = r.copied + r.plane(z);
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;

#pragma unroll
    for (int n = 0; n < type::COPIES; n++)
        if ((n + 1) * B::COUNT <= type::PACKS || thread + n * B::COUNT < type::PACKS)
            kernel_copy_async<N * sizeof(T)>(to + n * B::COUNT, from + r.from[n]);
}

/* On to the next plane. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE void turn(ring<T, N, B, M, FIRST, PLANES> &r)
{
    r.turn = r.turn + 1 < PLANES ? r.turn + 1 : 0;
}

/* A pack that has been copied; a point of it, from the thread's own first one. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE pack<T, N> pack_in(const ring<T, N, B, M, FIRST, PLANES> &r, int z, int y, int x)
{
    typedef typename word_of<N * sizeof(T)>::type word;
    const int at = r.plane(z) + y * ring<T, N, B, M, FIRST, PLANES>::WIDTH + x;
    const word w = *(const word *)(r.own + at);
    pack<T, N> p;

    memcpy(&p, &w, sizeof p);
    return p;
}

template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE T point_in(const ring<T, N, B, M, FIRST, PLANES> &r, int z, int y, int x)
{
    const int at = r.plane(z) + y * ring<T, N, B, M, FIRST, PLANES>::WIDTH;

    return ((const T *)(r.own + at))[x];
}
