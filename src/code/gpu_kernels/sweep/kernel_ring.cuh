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

/* The planes of a level that are read at once; `turn` is where the first of them lies.
 * Sizes are in packs; each plane begins at a multiple of 128 bytes. S says
 *
 *     value, VECTOR                 what a pack has, and how many of it
 *     block                         the threads, a block_shape
 *     LEFT, RIGHT, BELOW, ABOVE     packs and rows that are read around those of a block
 *     FARTHER_LEFT, FARTHER_RIGHT   packs that have a place beyond those
 *     FIRST, PLANES                 the first plane, from that of the points; how many */
template <class S> using pack_of = pack<typename S::value, S::VECTOR>;
template <class S> struct ring {
    typedef pack_of<S> element;
    enum {
        BEGIN = S::LEFT + S::FARTHER_LEFT,
        BEYOND = S::RIGHT + S::FARTHER_RIGHT,
        WIDTH = BEGIN + S::block::ACROSS + BEYOND,
        HEIGHT = S::BELOW + S::block::ROWS + S::ABOVE,
        PACKS = WIDTH * HEIGHT,
        LINE = 128 / sizeof(element),
        SPAN = (PACKS + LINE - 1) / LINE * LINE
    };
    element *planes, *own; /* in shared memory: all, and from the thread's own pack on */
    int turn;

    /* Of plane z from that of the points. */
    INLINE int plane(int z) const
    {
        const int n = turn + z - S::FIRST;
        return (n < S::PLANES ? n : n - S::PLANES) * SPAN;
    }
};

/* At so many bytes of the shared memory. */
template <class S> INLINE void place_ring(ring<S> &r, int at, const tile &b)
{
    r.turn = 0;
    r.planes = (pack_of<S> *)(kernel_shared<unsigned char>() + at);
    r.own = r.planes + (S::BELOW + b.j - b.y) * r.WIDTH + r.BEGIN +
            (b.i - b.x) / S::VECTOR;
}

/* Where pack `number` of a plane comes from, in packs from the first of all: nothing is
 * read farther from the tile, or from the box, than margins are wide, but what is last
 * there again. */
template <class S>
INLINE unsigned offset_in_plane(const ring<S> &r, int number, const work &w,
                                const grid &g, const tile &b)
{
    const int64_t x = b.x / S::VECTOR - r.BEGIN, y = b.y - S::BELOW;
    const int64_t least = (w.lo[0] & -(int64_t)S::VECTOR) / S::VECTOR - S::LEFT - x;
    const int64_t most = ((w.hi[0] - 1) & -(int64_t)S::VECTOR) / S::VECTOR + S::RIGHT - x;
    const int64_t top = w.hi[1] - 1 + S::ABOVE - y;
    const int64_t last = r.BEGIN + S::block::ACROSS + S::RIGHT - 1;
    const int64_t column = lesser(greater(number % r.WIDTH, S::FARTHER_LEFT), last);
    const int64_t row = number / r.WIDTH;

    return (unsigned)(lesser(greater(column, least), most) +
                      lesser(row, top) * (g.y / S::VECTOR));
}

template <class S>
INLINE const pack_of<S> *first_in_plane(const ring<S> &r, const grid &g, const tile &b)
{
    return (const pack_of<S> *)g.data + (b.y - S::BELOW) * (g.y / S::VECTOR) +
           (b.x / S::VECTOR - r.BEGIN);
}

/* On to the next plane. */
template <class S> INLINE void turn(ring<S> &r)
{
    r.turn = r.turn + 1 < S::PLANES ? r.turn + 1 : 0;
}

/* A pack that has been copied; a point of it, from the thread's own first one. */
template <class S> INLINE pack_of<S> vector_in(const ring<S> &r, int z, int y, int x)
{
    typedef typename word_of<sizeof(pack_of<S>)>::type word;
    const word w = *(const word *)(r.own + r.plane(z) + y * r.WIDTH + x);
    pack_of<S> p;

    memcpy(&p, &w, sizeof p);
    return p;
}

template <class S>
INLINE typename S::value point_in(const ring<S> &r, int z, int y, int x)
{
    return ((const typename S::value *)(r.own + r.plane(z) + y * r.WIDTH))[x];
}
