/* SPDX-License-Identifier: BSD-3-Clause */
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
