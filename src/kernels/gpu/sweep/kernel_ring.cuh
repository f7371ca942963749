/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of planes in shared memory. A block copies whole planes of what its threads read,
 * their own points and those around them, while it computes others; each takes the place
 * of one that is no longer read. How they come there: kernel_ring_async.cuh,
 * kernel_ring_remap.cuh, kernel_ring_tensor.cuh. */
#ifndef PAV_NO_PTX
template <class T> INLINE T *kernel_shared()
{
    extern __shared__ __align__(128) unsigned char shared_memory[];
    return (T *)shared_memory;
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

/* All threads of a block in one line. */
INLINE int thread_in_block()
{
    return threadIdx.y * blockDim.x + threadIdx.x;
}

/* The threads of a block, each with a pack of so many rows. */
template <int X, int Y, int EACH> struct block_shape {
    enum { COUNT = X * Y, ACROSS = X, OWN_ROWS = EACH, ROWS = Y * EACH };
};

/* Packs and rows that are read beside those of a block; and packs that have a place
 * beside those, but are not read. */
template <int LEFT_VECTORS, int RIGHT_VECTORS, int ROWS_BELOW, int ROWS_ABOVE,
          int FARTHER_LEFT = 0, int FARTHER_RIGHT = 0>
struct margin {
    enum {
        LEFT = LEFT_VECTORS,
        RIGHT = RIGHT_VECTORS,
        BELOW = ROWS_BELOW,
        ABOVE = ROWS_ABOVE,
        FARTHER = FARTHER_LEFT,
        BEGIN = LEFT + FARTHER_LEFT,
        BEYOND = RIGHT + FARTHER_RIGHT
    };
};

/* The first point of a block in its planes, and that of a thread. Where a block goes
 * beyond the box, threads compute what others do as well, alike: every thread takes part
 * in copies, and stores what is right. */
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

/* From row y on, or so far before it that the block's rows are within the box, where it
 * has as many. */
template <class B, int N> INLINE tile tile_at(const work &w, int64_t y)
{
    tile b = tile_of_row<B, N>(w);

    b.y = greater(lesser(y, w.hi[1] - B::ROWS), w.lo[1]);
    b.j = lesser(b.y + threadIdx.y * B::OWN_ROWS, w.hi[1] - B::OWN_ROWS);
    return b;
}

/* PLANES planes of a level, plane FIRST from that of the points before all others. Those
 * of `turn` is where it lies. Sizes are in packs; each plane begins at a multiple of 128
 * bytes. */
template <class T, int N, class B, class M, int FIRST, int PLANES> struct ring {
    typedef pack<T, N> element;
    enum {
        WIDTH = M::BEGIN + B::ACROSS + M::BEYOND,
        HEIGHT = M::BELOW + B::ROWS + M::ABOVE,
        PACKS = WIDTH * HEIGHT,
        LINE = 128 / sizeof(element),
        SPAN = (PACKS + LINE - 1) / LINE * LINE
    };
    element *planes, *own; /* in shared memory: all, and from the thread's own pack on */
    int turn;

    /* Of plane z from that of the points. */
    INLINE int plane(int z) const
    {
        const int n = turn + z - FIRST;
        return (n < PLANES ? n : n - PLANES) * SPAN;
    }
};

/* At so many bytes of the shared memory. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE void place_ring(ring<T, N, B, M, FIRST, PLANES> &r, int at, const tile &b)
{
    r.turn = 0;
    r.planes = (pack<T, N> *)(kernel_shared<unsigned char>() + at);
    r.own = r.planes + (M::BELOW + b.j - b.y) * r.WIDTH + M::BEGIN + (b.i - b.x) / N;
}

/* Where pack `number` of a plane comes from, in packs from the first of all: nothing is
 * read farther from the tile, or from the box, than margins are wide, but what is last
 * there again. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE unsigned offset_in_plane(const ring<T, N, B, M, FIRST, PLANES> &r, int number,
                                const work &w, const grid &g, const tile &b)
{
    const int64_t x = b.x / N - M::BEGIN, y = b.y - M::BELOW;
    const int64_t least = (w.lo[0] & -(int64_t)N) / N - M::LEFT - x;
    const int64_t most = ((w.hi[0] - 1) & -(int64_t)N) / N + M::RIGHT - x;
    const int64_t top = w.hi[1] - 1 + M::ABOVE - y;
    const int64_t last = M::BEGIN + B::ACROSS + M::RIGHT - 1;
    const int64_t column = lesser(greater(number % r.WIDTH, M::FARTHER), last);
    const int64_t row = number / r.WIDTH;

    return (unsigned)(lesser(greater(column, least), most) +
                      lesser(row, top) * (g.y / N));
}

template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE const pack<T, N> *first_in_plane(const ring<T, N, B, M, FIRST, PLANES> &r,
                                        const grid &g, const tile &b)
{
    return (const pack<T, N> *)g.data + (b.y - M::BELOW) * (g.y / N) +
           (b.x / N - M::BEGIN);
}

/* On to the next plane. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE void turn(ring<T, N, B, M, FIRST, PLANES> &r)
{
    r.turn = r.turn + 1 < PLANES ? r.turn + 1 : 0;
}

/* A pack that has been copied; a point of it, from the thread's own first one. */
template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE pack<T, N> vector_in(const ring<T, N, B, M, FIRST, PLANES> &r, int z, int y, int x)
{
    typedef typename word_of<N * sizeof(T)>::type word;
    const word w = *(const word *)(r.own + r.plane(z) + y * r.WIDTH + x);
    pack<T, N> p;

    memcpy(&p, &w, sizeof p);
    return p;
}

template <class T, int N, class B, class M, int FIRST, int PLANES>
INLINE T point_in(const ring<T, N, B, M, FIRST, PLANES> &r, int z, int y, int x)
{
    return ((const T *)(r.own + r.plane(z) + y * r.WIDTH))[x];
}
