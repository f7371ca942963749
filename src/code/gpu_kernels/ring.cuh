/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps with a ring of planes in shared memory, and the ways to copy a plane into it:
 * by asynchronous copies, remapped or split threads, or tensor copies. The build makes a
 * text of each part (cmake/embed.cmake). */

/* ==== kernel_ring ==== */
/* Rings of planes in shared memory. A block copies whole planes, its own points and the
 * stencil's neighbours around them, while it computes other planes. A new plane
 * overwrites the oldest. The methods of copying: kernel_ring_async, kernel_ring_remap,
 * kernel_ring_tensor. */
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

/* ==== kernel_ring_async ==== */
/* Rings filled by asynchronous copies: each thread copies its vectors of a plane and
 * computes meanwhile. */
#ifndef PAV_NO_PTX
#if __CUDA_ARCH__ < 800
/* Before sm_80 a thread copies through its registers, and nothing is left to wait for. */
template <int BYTES> struct __align__(BYTES) copied_words
{
    unsigned word[BYTES / 4];
};

template <int BYTES> INLINE void kernel_copy_async(void *to, const void *from)
{
    *(copied_words<BYTES> *)to = *(const copied_words<BYTES> *)from;
}

INLINE void kernel_copy_commit()
{
    asm volatile("" ::: "memory");
}

template <int LEFT> INLINE void kernel_copy_wait()
{
    asm volatile("" ::: "memory");
}
#else
/* Threads wait for copies in groups. */
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

/* Waits for all groups except the newest `LEFT`. */
template <int LEFT> INLINE void kernel_copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
#endif
#endif

template <class S> struct async_ring : ring<S> {
    enum { COPIES = (async_ring::PACKS + S::block::COUNT - 1) / S::block::COUNT };
    const pack_of<S> *base;
    unsigned from[COPIES];
};

/* Opens the ring `at` bytes into shared memory. */
template <class S>
INLINE void open_ring(async_ring<S> &r, int at, const work &w, const grid &g,
                      const tile &b)
{
    place_ring(r, at, b);
    r.base = first_in_plane(r, g, b);
    for (int n = 0; n < r.COPIES; n++)
        r.from[n] = offset_in_plane(r, thread_in_block() + n * S::block::COUNT, w, g, b);
}

/* Starts to copy plane z, relative to the computed one; `number` is its index in the
 * level. */
template <class S>
INLINE void copy_plane(const async_ring<S> &r, int z, int64_t number, int64_t stride)
{
    const pack_of<S> *from = r.base + number * (stride / S::VECTOR);
    const int thread = thread_in_block();
    pack_of<S> *to = r.planes + r.plane(z) + thread;

#pragma unroll
    for (int n = 0; n < r.COPIES; n++)
        if ((n + 1) * S::block::COUNT <= r.PACKS ||
            thread + n * S::block::COUNT < r.PACKS)
            kernel_copy_async<sizeof(pack_of<S>)>(to + n * S::block::COUNT,
                                                  from + r.from[n]);
}

/* ==== kernel_ring_remap ==== */
/* Rings filled through registers: all threads load a plane one step before they store it
 * in shared memory. The threads are renumbered in one line laid over the tile and its
 * margin. So 32 x 6 threads act like 48 x 4 and read a tile with a margin of one point in
 * two loads each, without a branch (Krotkiewski and Dabrowski, Efficient 3D stencil
 * computations using CUDA, figure 3). */
template <class S> struct remap_ring : ring<S> {
    typedef typename word_of<sizeof(pack_of<S>)>::type word;
    enum { READS = (remap_ring::PACKS + S::block::COUNT - 1) / S::block::COUNT };
    const pack_of<S> *base;
    unsigned from[READS];
    word soon[READS];
    /* destination of the last read; reads beyond the plane repeat its last vector */
    int last;
};

/* Opens the ring `at` bytes into shared memory. */
template <class S>
INLINE void open_ring(remap_ring<S> &r, int at, const work &w, const grid &g,
                      const tile &b)
{
    place_ring(r, at, b);
    r.base = first_in_plane(r, g, b);
    for (int n = 0; n < r.READS; n++) {
        r.last = (int)lesser(thread_in_block() + n * S::block::COUNT, r.PACKS - 1);
        r.from[n] = offset_in_plane(r, r.last, w, g, b);
    }
}

/* Loads plane `number` of the level into registers. */
template <class S>
INLINE void read_plane(remap_ring<S> &r, int64_t number, int64_t stride)
{
    typedef typename word_of<sizeof(pack_of<S>)>::type word;
    const pack_of<S> *from = r.base + number * (stride / S::VECTOR);

#pragma unroll
    for (int n = 0; n < r.READS; n++)
        r.soon[n] = __ldg((const word *)(from + r.from[n]));
}

/* Stores the loaded plane in shared memory: plane z, relative to the computed one. */
template <class S> INLINE void keep_plane(const remap_ring<S> &r, int z)
{
    typedef typename word_of<sizeof(pack_of<S>)>::type word;
    word *to = (word *)(r.planes + r.plane(z));

#pragma unroll
    for (int n = 0; n < r.READS - 1; n++)
        to[thread_in_block() + n * S::block::COUNT] = r.soon[n];
    to[r.last] = r.soon[r.READS - 1];
}

/* ==== kernel_ring_split ==== */
/* Rings of doubles stored in two halves: all lower 32-bit words of a plane, then all
 * higher ones. Neighbouring threads then read neighbouring banks, without bank conflicts.
 * Copies of 4 bytes separate the halves. */
template <class S> struct split_ring : async_ring<S> {
    static_assert(sizeof(typename S::value) == 8, "doubles are split");
    enum {
        HIGH = S::VECTOR *
               split_ring::SPAN /* words from a lower half to its higher half */
    };

    /* The lower half of the first point of a plane. */
    INLINE unsigned *low(int z) const
    {
        return (unsigned *)(this->planes + this->plane(z));
    }

    /* Index of a point in a plane, counted from the thread's own first one. */
    INLINE int point(int y, int x) const
    {
        return ((int)(this->own - this->planes) + y * this->WIDTH) * S::VECTOR + x;
    }
};

/* Starts to copy plane z, relative to the computed one; `number` is its index in the
 * level. */
template <class S>
INLINE void copy_plane(const split_ring<S> &r, int z, int64_t number, int64_t stride)
{
    const pack_of<S> *from = r.base + number * (stride / S::VECTOR);
    const int thread = thread_in_block();
    unsigned *low = r.low(z) + S::VECTOR * thread;

#pragma unroll
    for (int n = 0; n < r.COPIES; n++)
        if ((n + 1) * S::block::COUNT <= r.PACKS ||
            thread + n * S::block::COUNT < r.PACKS)
#pragma unroll
            for (int k = 0; k < S::VECTOR; k++) {
                const unsigned *point = (const unsigned *)(from + r.from[n]) + 2 * k;
                unsigned *to = low + n * S::block::COUNT * S::VECTOR + k;
                kernel_copy_async<4>(to, point);
                kernel_copy_async<4>(to + r.HIGH, point + 1);
            }
}

template <class S>
INLINE pack_of<S> vector_in(const split_ring<S> &r, int z, int y, int x)
{
    typedef typename word_of<4 * S::VECTOR>::type halves;
    const unsigned *at = r.low(z) + r.point(y, x * S::VECTOR);
    const halves low = *(const halves *)at, high = *(const halves *)(at + r.HIGH);
    unsigned lower[S::VECTOR], higher[S::VECTOR];
    pack_of<S> p;

    memcpy(lower, &low, sizeof lower);
    memcpy(higher, &high, sizeof higher);
    for (int k = 0; k < S::VECTOR; k++)
        p.v[k] = __hiloint2double((int)higher[k], (int)lower[k]);
    return p;
}

template <class S>
INLINE typename S::value point_in(const split_ring<S> &r, int z, int y, int x)
{
    const unsigned *at = r.low(z) + r.point(y, x);

    return __hiloint2double((int)at[r.HIGH], (int)at[0]);
}

/* ==== kernel_ring_tensor ==== */
/* Rings filled by the tensor memory accelerator (sm_90 and later). One thread of a block
 * requests a plane; the accelerator copies it and counts its bytes at an mbarrier.
 *
 * Step n of a sweep uses gates n % GATES. Copies started in step n belong to step n +
 * AHEAD:
 *
 *     free     all warps have reached step n, so planes last read in step n - 1 may be
 *              overwritten
 *     there    all planes first read in step n have arrived
 *
 * There is one gate more than steps in flight. So the copies for step n + GATES, and the
 * arrivals of warps in it, come after all warps have left step n: no gate is ever two
 * phases ahead of a waiting thread. */
#ifndef PAV_NO_PTX
INLINE unsigned shared_address(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

INLINE void kernel_mbarrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

/* Afterwards the barrier's memory may be reused. */
INLINE void kernel_mbarrier_end(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

/* Makes initialised barriers visible to the accelerator. */
INLINE void kernel_mbarrier_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

INLINE void kernel_mbarrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

/* Adds bytes to the transfers awaited in this phase. The caller must not have arrived
 * yet. */
INLINE void kernel_mbarrier_await(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

INLINE bool has_left(uint64_t *barrier, unsigned parity)
{
    unsigned passed;

    asm volatile("{\n"
                 "    .reg .pred p;\n"
                 "    mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "    selp.u32 %0, 1, 0, p;\n"
                 "}"
                 : "=r"(passed)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return passed;
}

INLINE void kernel_mbarrier_wait(uint64_t *barrier, unsigned parity)
{
    while (!has_left(barrier, parity)) {
    }
}

/* Copies a box of the tensor map, from word x of row y of plane z on. The accelerator
 * fills words outside the map with zeros. */
INLINE void kernel_tensor_load(void *to, const uint64_t *map, int x, int y, int z,
                               uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
                 : "memory");
}
#endif

/* The tensor map of a level for the accelerator, and the indices along x, y and z of the
 * first point in the map. */
struct alignas(64) tensor {
    uint64_t map[16];
    int64_t first[3];
};

/* ---- gates ------------------------------------------------------------------------- */

template <class B, int AHEAD> struct gates {
    enum { GATES = AHEAD + 1, WARPS = (B::COUNT + 31) / 32 };
    uint64_t *there, *free;
    int now;         /* gate of this step */
    unsigned parity; /* parity of the gate's phase */

    /* The gate of the step AHEAD planes further on. */
    INLINE uint64_t *asked() const
    {
        return there + (now > 0 ? now - 1 : AHEAD);
    }
};

/* True in the one thread that starts copies. */
INLINE bool copies_planes()
{
    return thread_in_block() == 0;
}

/* Opens the gates `at` bytes into shared memory. */
template <class B, int AHEAD> INLINE void open_gates(gates<B, AHEAD> &g, int at)
{
    g.there = (uint64_t *)(kernel_shared<unsigned char>() + at);
    g.free = g.there + g.GATES;
    g.now = 0;
    g.parity = 0;
    if (copies_planes()) {
        for (int n = 0; n < g.GATES; n++) {
            kernel_mbarrier_init(&g.there[n], 1);
            kernel_mbarrier_init(&g.free[n], g.WARPS);
        }
        kernel_mbarrier_fence();
    }
    __syncthreads();
}

/* Closes the gates after all threads have finished. */
template <class B, int AHEAD> INLINE void close_gates(const gates<B, AHEAD> &g)
{
    __syncthreads();
    if (copies_planes())
        for (int n = 0; n < 2 * g.GATES; n++)
            kernel_mbarrier_end(&g.there[n]);
}

/* Signals that the thread has reached this step: one lane arrives for its whole warp. */
template <class B, int AHEAD> INLINE void come(const gates<B, AHEAD> &g)
{
    const int lane = thread_in_block() % 32, first = thread_in_block() - lane;

    __syncwarp(B::COUNT - first < 32 ? (1U << (B::COUNT - first)) - 1 : 0xffffffffU);
    if (lane == 0)
        kernel_mbarrier_arrive(&g.free[g.now]);
}

template <class B, int AHEAD> INLINE void wait_for_all(const gates<B, AHEAD> &g)
{
    kernel_mbarrier_wait(&g.free[g.now], g.parity);
}

template <class B, int AHEAD> INLINE void wait_for_planes(const gates<B, AHEAD> &g)
{
    kernel_mbarrier_wait(&g.there[g.now], g.parity);
}

/* Advances to the gate of the next step. */
template <class B, int AHEAD> INLINE void turn(gates<B, AHEAD> &g)
{
    g.now = g.now < AHEAD ? g.now + 1 : 0;
    g.parity ^= g.now == 0;
}

/* ---- planes ------------------------------------------------------------------------ */

template <class S> struct tensor_ring : ring<S> {
    enum {
        BYTES = tensor_ring::PACKS * sizeof(pack_of<S>),
        WORD = sizeof(pack_of<S>) < 8 ? sizeof(pack_of<S>)
                                      : 8 /* bytes of the tensor map's element */
    };
    const tensor *map_of;
    int x, y; /* the block's first vector, in the map's elements and rows */
};

/* Opens the ring `at` bytes into shared memory. */
template <class S>
INLINE void open_ring(tensor_ring<S> &r, int at, const tensor &t, const tile &b)
{
    place_ring(r, at, b);
    r.map_of = &t;
    r.x = (int)((b.x - S::VECTOR * r.BEGIN - t.first[0]) *
                (int64_t)sizeof(typename S::value) / r.WORD);
    r.y = (int)(b.y - S::BELOW - t.first[1]);
}

/* Starts to copy plane z, relative to the computed one; `number` is its index in the
 * level. The gate waits for its bytes. */
template <class S>
INLINE void copy_plane(const tensor_ring<S> &r, uint64_t *gate, int z, int64_t number)
{
    kernel_mbarrier_await(gate, r.BYTES);
    kernel_tensor_load(r.planes + r.plane(z), r.map_of->map, r.x, r.y,
                       (int)(number - r.map_of->first[2]), gate);
}
