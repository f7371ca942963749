/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of planes in shared memory. A block copies whole planes, its own points and the
 * stencil's neighbours around them, while it computes other planes. A new plane
 * overwrites the oldest. The methods of copying: kernel_ring_async.cuh,
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

/* Number of the thread in its block. */
INLINE int thread_in_block()
{
    return threadIdx.y * blockDim.x + threadIdx.x;
}

/* The threads of a block; each has a vector of OWN_ROWS rows. */
template <int X, int Y, int EACH> struct block_shape {
    enum { COUNT = X * Y, ACROSS = X, OWN_ROWS = EACH, ROWS = Y * EACH };
};

/* x, y: the first point of a block in a plane; i, j: of the thread. At the end of the box
 * threads repeat points of other threads with equal results. So every thread takes part
 * in copies, and no store needs a test. */
struct tile {
    int64_t x, y, i, j;
    int64_t own; /* the thread's first row that no other thread computes, too */
};

/* The tile of a block in two dimensions: its planes are rows. */
template <class B, int N> INLINE tile tile_of_row(const work &w)
{
    const int64_t first = w.lo[0] & -(int64_t)N, last = (w.hi[0] - 1) & -(int64_t)N;
    const int64_t x = (w.lo[0] & -(int64_t)(N * B::ACROSS)) +
                      (int64_t)blockIdx.x * (N * B::ACROSS);

    const int64_t i = x + threadIdx.x * N;

    return {x, 0, lesser(greater(i, first), last), 0,
            i < first || i > last ? INT64_MAX : 0};
}

/* The tile from row y on. It moves back at the end of the box, so that all its rows lie
 * inside if the box has enough rows. */
template <class B, int N> INLINE tile tile_at(const work &w, int64_t y)
{
    tile b = tile_of_row<B, N>(w);

    b.y = greater(lesser(y, w.hi[1] - B::ROWS), w.lo[1]);
    b.j = lesser(b.y + threadIdx.y * B::OWN_ROWS, w.hi[1] - B::OWN_ROWS);
    b.own = greater(b.own, greater(y, b.y + threadIdx.y * B::OWN_ROWS));
    return b;
}

/* The planes of a level needed at once; `turn` is the slot of the first one. Sizes are in
 * vectors; each plane begins at a multiple of 128 bytes. S defines
 *
 *     value, VECTOR                 type and number of a vector's points
 *     block                         the threads, a block_shape
 *     LEFT, RIGHT, BELOW, ABOVE     vectors and rows read around a block
 *     FARTHER_LEFT, FARTHER_RIGHT   unused vectors stored beyond them
 *     FIRST, PLANES                 first plane relative to the computed one; number of
 *                                   planes */
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
    element *planes, *own; /* in shared memory: the ring; the thread's own first vector */
    int turn;

    /* Offset of plane z, relative to the computed plane. */
    INLINE int plane(int z) const
    {
        const int n = turn + z - S::FIRST;
        return (n < S::PLANES ? n : n - S::PLANES) * SPAN;
    }
};

/* Places the ring `at` bytes into shared memory. */
template <class S> INLINE void place_ring(ring<S> &r, int at, const tile &b)
{
    r.turn = 0;
    r.planes = (pack_of<S> *)(kernel_shared<unsigned char>() + at);
    r.own = r.planes + (S::BELOW + b.j - b.y) * r.WIDTH + r.BEGIN +
            (b.i - b.x) / S::VECTOR;
}

/* The offset of vector `number` of a plane in global memory, in vectors. Positions are
 * clamped to the margins of the tile and of the box, so that every load stays in
 * bounds. */
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

/* Advances the ring by one plane. */
template <class S> INLINE void turn(ring<S> &r)
{
    r.turn = r.turn + 1 < S::PLANES ? r.turn + 1 : 0;
}

/* A vector of the ring; then a point, counted from the thread's own first one. */
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
