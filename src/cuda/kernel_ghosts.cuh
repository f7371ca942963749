/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks that store ghosts beside the points that these are copies of, so that no kernel of borders has to come after
 * them. A point has an image beyond each side that it lies near to; near an edge or a corner images have images, too.
 * Those beyond the ends of rows, and whole rows beyond a face, are stored with their points, by the few warps that have
 * some; planes beyond a face after the walk. run/gpu_beyond.c has found out where images lie. */
struct image {
    bool there;
    int at;
};

/* Of point `at` beyond a side. */
INLINE image image_of(const images &b, int at)
{
    const int ghost = b.from + b.sign * at;

    return {(unsigned)(ghost - b.first) < (unsigned)b.depth, ghost};
}

INLINE bool has_images(const work &w, int axis, int at)
{
    return image_of(w.beyond[axis][0], at).there || image_of(w.beyond[axis][1], at).there;
}

/* Which points of a thread's packs have images beyond the ends of their row, and whether one of its rows has some: in the
 * upper bits of its row_ends, since a register more would be one too many. So there are packs of 8 points at most. */
enum { IMAGES = 8, ROW_IMAGES = 31 };

template <int AXIS, int N, int ROWS>
INLINE void note_images(row_ends &ends, const work &w, int i, int j)
{
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < N; n++)
            ends.inside |= (unsigned)image_of(w.beyond[0][side], i + n).there
                           << (IMAGES * (side + 1) + n);
    for (int row = 0; row < ROWS && AXIS == 2; row++)
        ends.inside |= (unsigned)has_images(w, 1, j + row) << ROW_IMAGES;
}

INLINE bool has_noted(const row_ends &ends)
{
    return ends.inside >> IMAGES != 0;
}

/* Beyond the ends of a row. */
template <class T, int N>
INLINE void store_beyond(T *to, const pack<T, N> &p, int i, const row_ends &ends,
                         const work &w)
{
#pragma unroll
    for (int side = 0; side < 2; side++) {
        const unsigned lanes = ends.inside >> IMAGES * (side + 1) & ((1U << N) - 1);
        const images &b = w.beyond[0][side];
        char *const first = (char *)(to + (b.from + b.sign * i - i));
        const int step = b.sign * (int)sizeof(T);
        for (int n = 0; n < N && lanes; n++)
            if (lanes >> n & 1)
                *(T *)(first + (int64_t)step * n) = p.v[n];
    }
}

/* What a pack of row j has in its plane: beyond the ends of its row, and rows beyond the faces. fresh: a pack of a plane
 * beyond a face, which is stored itself, too. */
template <int AXIS, class T, int N>
INLINE void store_in_plane(T *to, const pack<T, N> &p, bool fresh, int i, int j,
                           const row_ends &ends, const grid &g, const work &w)
{
#pragma unroll 1
    for (int n = 0; n < (AXIS == 2 ? 3 : 1); n++) {
        const image row = n > 0 ? image_of(w.beyond[1][n - 1], j) : image{true, j};
        T *const at = to + (row.at - j) * g.y;
        if (row.there && (fresh || n > 0))
            store_pack(at, p, ends);
        if (row.there)
            store_beyond(at, p, i, ends, w);
    }
}

/* Of a plane that has images beyond the faces that it is near to: row j is at `from`. */
template <int AXIS, int N, class T>
INLINE void store_planes(T *from, int i, int j, int plane, const row_ends &ends,
                         const grid &g, const work &w)
{
    pack<T, N> p;

    memcpy(&p, __builtin_assume_aligned(from, sizeof p), sizeof p);
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
        const image across = image_of(w.beyond[AXIS][side], plane);
        T *const to = from + (across.at - plane) * (AXIS == 2 ? g.z : g.y);
        if (across.there)
            store_in_plane<AXIS>(to, p, true, i, j, ends, g, w);
    }
}

/* After a walk, of all that it has stored in a level. */
template <int AXIS, int N, int ROWS, class T>
INLINE void store_faces(T *data, int i, int j, int64_t from, int64_t to,
                        const row_ends &ends, const grid &g, const work &w)
{
#pragma unroll 1
    for (int plane = (int)from; plane < (int)to; plane++)
#pragma unroll 1
        for (int row = 0; row < ROWS && has_images(w, AXIS, plane); row++) {
            T *const at = data +
                          (AXIS == 2 ? plane * g.z + (j + row) * g.y : plane * g.y);
            store_planes<AXIS, N>(at + i, i, j + row, plane, ends, g, w);
        }
}
