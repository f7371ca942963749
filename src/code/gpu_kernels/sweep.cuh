/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that sweep along the slowest axis, without shared memory: the loop over
 * planes, neighbours in registers and shuffles, and the ghosts stored by a sweep. The
 * build makes a text of each part (cmake/embed.cmake). */

/* ==== kernel_sweep ==== */
/* A vector: neighbouring points along x, loaded, computed and stored together by one
 * thread. */
template <class T, int N> struct alignas(N * sizeof(T)) pack {
    T v[N];
};

/* The type of one load or store, by its size in bytes. */
template <int BYTES> struct word_of;
template <> struct word_of<1> {
    typedef unsigned char type;
};
template <> struct word_of<2> {
    typedef unsigned short type;
};
template <> struct word_of<4> {
    typedef unsigned int type;
};
template <> struct word_of<8> {
    typedef uint2 type;
};
template <> struct word_of<16> {
    typedef uint4 type;
};

/* Loads a vector from memory never written by this kernel. */
template <int N, class T> INLINE pack<T, N> load_vector(const T *from)
{
    typedef typename word_of<N * sizeof(T)>::type word;
    const word w = __ldg((const word *)from);
    pack<T, N> p;

    memcpy(&p, &w, sizeof p);
    return p;
}

#ifndef PAV_NO_PTX
/* Prefetches a cache line to L2. */
INLINE void kernel_prefetch(const void *at)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/* Hides a value from the optimiser. */
INLINE int64_t kernel_opaque(int64_t number)
{
    asm volatile("" : "+l"(number));
    return number;
}
#endif

template <class T> INLINE T load_one(const T *from)
{
    return __ldg(from);
}

template <class T, int N> INLINE void store_whole(T *to, const pack<T, N> &p)
{
    typename word_of<N * sizeof(T)>::type w;

    memcpy(&w, &p, sizeof w);
    *(decltype(w) *)to = w;
}

/* Bit n of `inside` is set if point i + n lies inside the box. The mask is the same for
 * all planes, so the inner loop tests one bit instead of comparing two 64-bit indices.
 * alike: same_ends of the work. */
struct row_ends {
    unsigned inside;
    bool alike;
};

template <int N> INLINE row_ends ends_of(int64_t i, const work &w)
{
    row_ends ends = {0, w.same_ends != 0};

    for (int n = 0; n < N; n++)
        ends.inside |= (unsigned)(i + n >= w.lo[0] && i + n < w.hi[0]) << n;
    return ends;
}

/* On periodic rows: the extra offset from the first vector to the last one, its left
 * neighbour; then from the last vector to the first, its right neighbour. */
INLINE int before_row(int64_t i, const work &w)
{
    return i == 0 ? (int)w.around : 0;
}

template <int N> INLINE int behind_row(int64_t i, const work &w)
{
    return i + N == w.around ? -(int)w.around : 0;
}

INLINE bool is_inside(const row_ends &ends, int n)
{
    return ends.inside >> n & 1;
}

template <int N> INLINE bool is_whole(const row_ends &ends)
{
    return ends.inside == (1U << N) - 1;
}

/* Stores only points inside the box. */
template <class T, int N>
INLINE void store_vector(T *to, const pack<T, N> &p, const row_ends &ends)
{
    if (is_whole<N>(ends)) {
        store_whole(to, p);
        return;
    }
    for (int n = 0; n < N; n++)
        if (is_inside(ends, n))
            to[n] = p.v[n];
}

/* Stores a vector. If all levels of the field are equal around the rows of the box,
 * points outside the box are stored too, with their values in `other`: memory takes whole
 * lines faster than parts of lines. All vectors select point by point. A branch for whole
 * vectors made warps diverge and was slower. */
template <class T, int N>
INLINE void store_vector(T *to, pack<T, N> p, const pack<T, N> &other,
                         const row_ends &ends)
{
    if (!ends.alike) {
        store_vector(to, p, ends);
        return;
    }
    for (int n = 0; n < N; n++)
        if (!is_inside(ends, n))
            p.v[n] = other.v[n];
    store_whole(to, p);
}

/* Loads `other` of store_vector if no register has it: early, so that no store waits for
 * the load. */
template <int N, class T>
INLINE pack<T, N> load_same_field(const T *from, const row_ends &ends)
{
    return is_whole<N>(ends) ? pack<T, N>{} : load_vector<N>(from);
}

/* The first point along x of this thread's first vector. Blocks begin at multiples of
 * their width, so that warps load whole lines. A thread may therefore lie before the
 * box. */
template <int N> INLINE int64_t first_vector(const work &w)
{
    return (w.lo[0] & -(int64_t)(N * blockDim.x)) +
           ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * N;
}

/* The first of N rows of this thread. */
template <int N> INLINE int64_t first_of_rows(const work &w)
{
    return w.lo[1] + ((int64_t)blockIdx.y * blockDim.y + threadIdx.y) * N;
}

/* Moves the rows of a thread back inside the box. Two threads may compute the same row,
 * with equal results. */
template <int N> INLINE int64_t rows_from(const work &w, int64_t j)
{
    return j < w.hi[1] - N ? j : w.hi[1] - N;
}

/* The plane at offset z, but not before the first readable plane; `swept`: planes swept
 * so far. */
INLINE int64_t plane_within(int64_t z, int first, int64_t swept)
{
    return z > first - swept ? z : first - swept;
}

/* The same for prefetched planes: `left` planes are still to come, and they read no
 * farther than offset `last`. */
INLINE int64_t plane_until(int z, int last, int64_t left)
{
    return z < last + left ? z : last + left;
}

/* The end of a block's sweep: `planes` planes from `from` on, cut at the end of the
 * box. */
INLINE int64_t end_of_sweep(const work &w, int axis, int64_t from)
{
    return from + w.planes < w.hi[axis] ? from + w.planes : w.hi[axis];
}

/* ==== kernel_neighbours ==== */
/* Neighbours along x by shuffle: the lanes of a warp take points from each other instead
 * of loading them again. */
enum { ALL_LANES = 32 };

/* The vector of this thread, clamped to the box. Every lane must take part in a shuffle,
 * so lanes outside the box repeat a vector inside. */
template <int N> INLINE int64_t vector_within(const work &w)
{
    const int64_t first = w.lo[0] & -(int64_t)N, last = (w.hi[0] - 1) & -(int64_t)N;
    const int64_t i = first_vector<N>(w);

    return i < first ? first : i > last ? last : i;
}

INLINE int neighbour_lane(int by)
{
    return threadIdx.x % ALL_LANES + by;
}

/* True if the lane BY vectors further along x exists in this warp and has exactly the
 * neighbour vector. */
template <int BY, int N> INLINE bool has_neighbour(int64_t i)
{
    const int lane = neighbour_lane(BY);
    const int there = __shfl_sync(0xffffffffU, (int)i, lane & (ALL_LANES - 1));

    return lane >= 0 && lane < ALL_LANES && there == (int)i + BY * N;
}

/* The neighbour lane's vector; loaded from memory if `there` is false. */
template <int BY, class T, int N>
INLINE pack<T, N> neighbour_vector(const pack<T, N> &own, const T *from, bool there)
{
    enum { WORDS = (sizeof own + 3) / 4 };
    unsigned word[WORDS] = {};
    pack<T, N> p;

    memcpy(word, &own, sizeof own);
#pragma unroll
    for (int n = 0; n < WORDS; n++)
        word[n] = __shfl_sync(0xffffffffU, word[n], neighbour_lane(BY) & (ALL_LANES - 1));
    memcpy(&p, word, sizeof p);
    return there ? p : load_vector<N>(from);
}

template <int BY, class T> INLINE T neighbour_point(T own, const T *from, bool there)
{
    return neighbour_vector<BY>(pack<T, 1>{{own}}, from, there).v[0];
}

/* ==== kernel_ghosts ==== */
/* Sweeps that also store ghosts, to save a launch of the border kernel. After its last
 * plane a thread stores the images of its points: their copies beyond the faces. A point
 * near a face has one image; near an edge or a corner the images have images too. Few
 * threads have any. They read their points again, usually from L2. Storing the images
 * inside the loop over planes cost registers and branches in all threads, and took longer
 * than it saved. `gpu_borders.c` computes the positions of images. */
struct image {
    bool there;
    int at;
};

/* The image of point `at` beyond a side. */
INLINE image image_of(const images &b, int at)
{
    const int ghost = b.from + b.sign * at;

    return {(unsigned)(ghost - b.first) < (unsigned)b.depth, ghost};
}

INLINE bool has_images(const work &w, int axis, int at)
{
    return image_of(w.beyond[axis][0], at).there || image_of(w.beyond[axis][1], at).there;
}

INLINE int earlier(int a, int b)
{
    return a < b ? a : b;
}

/* The points stored by a sweep: a vector from point i on, from row j on. In two
 * dimensions j is 0. */
struct stored {
    int i, j;
    row_ends ends;
    int64_t own; /* rows before it are stored by another thread */
};

template <int N> INLINE bool has_images_in_pack(const work &w, int i)
{
    bool any = false;

    for (int n = 0; n < N; n++)
        any |= has_images(w, 0, i + n);
    return any;
}

/* Stores the images beyond the ends of a row. Points of a vector outside the box have no
 * images. */
template <class T, int N>
INLINE void store_beyond(T *to, const pack<T, N> &p, int i, const work &w)
{
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < N; n++) {
            const image x = image_of(w.beyond[0][side], i + n);
            if (x.there)
                to[x.at - i] = p.v[n];
        }
}

/* Stores the images of a vector of row j within a plane: beyond the ends of its row, and
 * in rows beyond the faces. itself: the vector itself is also stored. */
template <int AXIS, class T, int N>
INLINE void store_in_plane(T *to, const pack<T, N> &p, bool itself, int j,
                           const stored &s, const grid &g, const work &w)
{
#pragma unroll 1
    for (int n = 0; n < (AXIS == 2 ? 3 : 1); n++) {
        const image row = n > 0 ? image_of(w.beyond[1][n - 1], j) : image{true, j};
        T *const at = to + (row.at - j) * g.y;
        if (row.there && (itself || n > 0))
            store_vector(at, p, s.ends);
        if (row.there)
            store_beyond(at, p, s.i, w);
    }
}

/* Stores all images of a vector of row j of a plane; `from` is its address. */
template <int AXIS, class T, int N>
INLINE void store_images(T *from, const pack<T, N> &p, int j, int plane, const stored &s,
                         const grid &g, const work &w)
{
    store_in_plane<AXIS>(from, p, false, j, s, g, w);
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
        const image across = image_of(w.beyond[AXIS][side], plane);
        if (across.there)
            store_in_plane<AXIS>(from + (across.at - plane) * (AXIS == 2 ? g.z : g.y), p,
                                 true, j, s, g, w);
    }
}

/* Stores the images of a row that lie beyond its ends only. Several planes are loaded
 * before the first store to hide latency; the last plane may be loaded twice. */
template <int N, class T>
INLINE void store_ends(T *row, int64_t stride, int from, int to, int i, const work &w)
{
    enum { AT_ONCE = 3 };
    pack<T, N> p[AT_ONCE];

#pragma unroll 1
    for (int first = from; first < to; first += AT_ONCE) {
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++)
            p[n] = *(const pack<T, N> *)(row + earlier(first + n, to - 1) * stride);
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++)
            store_beyond(row + earlier(first + n, to - 1) * stride, p[n], i, w);
    }
}

/* Stores the images of row j for all planes that have images, or for every plane if the
 * row is near a face. */
template <int AXIS, int N, class T>
INLINE void store_row(T *row, int64_t stride, int j, bool near, int from, int to,
                      const stored &s, const grid &g, const work &w)
{
#pragma unroll 1
    for (int plane = from; plane < to; plane++) {
        T *const at = row + plane * stride;
        if (near || has_images(w, AXIS, plane))
            store_images<AXIS>(at, *(const pack<T, N> *)at, j, plane, s, g, w);
    }
}

/* True if some of these planes have images. A plane farther from a face than its number
 * of ghosts has none. */
template <int AXIS> INLINE bool is_near_face(const work &w, int from, int to)
{
    const int depth = w.beyond[AXIS][0].depth + w.beyond[AXIS][1].depth;

    return from <= depth || to >= (int)w.hi[AXIS] - depth;
}

/* Stores the images of all points stored by a sweep in a level. */
template <int AXIS, int N, int ROWS, class T>
INLINE void store_ghosts(T *data, const stored &s, int64_t from, int64_t to,
                         const grid &g, const work &w)
{
    const int64_t stride = AXIS == 2 ? g.z : g.y;
    const bool ends = has_images_in_pack<N>(w, s.i),
               face = is_near_face<AXIS>(w, (int)from, (int)to);

#pragma unroll 1
    for (int j = s.j; j < s.j + ROWS; j++) {
        if (j < s.own)
            continue;
        const bool near = AXIS == 2 && has_images(w, 1, j);
        T *const row = data + s.i + (AXIS == 2 ? j * g.y : 0);
        if (near || face)
            store_row<AXIS, N>(row, stride, j, near || ends, (int)from, (int)to, s, g, w);
        else if (ends)
            store_ends<N>(row, stride, (int)from, (int)to, s.i, w);
    }
}
