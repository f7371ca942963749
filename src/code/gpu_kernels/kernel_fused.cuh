/* SPDX-License-Identifier: BSD-3-Clause */
/* A fused launch: several steps in one launch. A block owns a tile of points across the
 * slowest axis, with an overlap wide enough for all steps, and sweeps along the slowest
 * axis. Blocks compute the overlap redundantly, so they never synchronise. Positions
 * continue beyond faces: on a periodic axis they are points again; on other axes border
 * rules compute them from the points inside. */
struct fused_work {
    int64_t extent[3];
    int64_t begin, end; /* stored planes: all, or the planes of one visit */
    int64_t behind;     /* end of the readable planes, without ghosts */
    int64_t steps;
    int64_t planes;      /* planes stored by a block for its tile; */
    int64_t tail, tiles; /* tiles from number `tiles` on store `tail` planes */
    void *exchange;      /* memory for the signals of persistent blocks */
    int64_t epoch;       /* synchronisations before this launch */
};

INLINE constexpr int parts_of(int count, int each)
{
    return (count + each - 1) / each;
}

/* A thread of a block. */
struct fused_block {
    int x, y;         /* its point in the tile */
    int64_t i, j;     /* that point in the grid */
    int64_t i0, j0;   /* the tile's first point in the grid */
    int64_t from, to; /* planes stored by the block */
    int64_t first;    /* first plane read by the block */
};

/* A tile of X x Y points. OVERLAP points on either side belong to neighbour tiles. AXIS:
 * the axis of the sweep. */
template <int X_POINTS, int Y_POINTS, int HALO_X, int HALO_Y, int SWEEP> struct tile_of {
    enum {
        X = X_POINTS,
        Y = Y_POINTS,
        OVERLAP_X = HALO_X,
        OVERLAP_Y = HALO_Y,
        AXIS = SWEEP,
        OWN_X = X - 2 * OVERLAP_X,
        OWN_Y = Y - 2 * OVERLAP_Y
    };
};

/* Finds the thread's place. `before`: planes read before the first stored plane. */
template <class T> INLINE fused_block place_in_tile(const fused_work &w, int before)
{
    const int64_t across = T::AXIS == 2 ? blockIdx.z : blockIdx.y;
    fused_block b;

    b.x = threadIdx.x;
    b.y = threadIdx.y;
    b.i0 = (int64_t)blockIdx.x * T::OWN_X - T::OVERLAP_X;
    b.j0 = T::AXIS == 2 ? (int64_t)blockIdx.y * T::OWN_Y - T::OVERLAP_Y : 0;
    b.i = b.i0 + b.x;
    b.j = b.j0 + b.y;
    b.from = w.begin + across * w.planes;
    b.to = b.from + w.planes < w.end ? b.from + w.planes : w.end;
    b.first = b.from - before;
    return b;
}

/* True if a thread computes its point of a plane in an operation that is needed x, y and
 * z points around the stored points. */
template <class T>
INLINE bool is_needed(const fused_block &b, int64_t plane, int x, int y, int z)
{
    return b.x >= T::OVERLAP_X - x && b.x < T::X - T::OVERLAP_X + x &&
           (T::AXIS < 2 || (b.y >= T::OVERLAP_Y - y && b.y < T::Y - T::OVERLAP_Y + y)) &&
           plane >= b.from - z && plane < b.to + z;
}

/* True if a position is a point, and not one of the `low` or `high` points next to the
 * faces. */
INLINE bool is_within(int64_t at, int low, int64_t extent, int high)
{
    return at >= low && at < extent - high;
}

/* The point of a position on a periodic axis. */
INLINE int64_t wrapped(int64_t at, int64_t extent)
{
    const int64_t tail = at % extent;

    return tail < 0 ? tail + extent : tail;
}

template <class V> INLINE V &point_at(const grid &g, int64_t i, int64_t j, int64_t k)
{
    return ((V *)g.data)[i + j * g.y + k * g.z];
}

/* A point of a sorted list: by planes, then by y, x and number. */
struct fused_point {
    int64_t i, j, number;
    double weight;
};
struct fused_points {
    const int64_t *first; /* first entry of each plane, and the end of the list */
    const fused_point *mark;
};
struct fused_sample {
    fused_points points;
    void *value; /* a value for each step and each number */
    int64_t count;
};
struct mark_range {
    const fused_point *from, *to;
};

INLINE bool is_before(const fused_point &m, int64_t i, int64_t j)
{
    return m.j < j || (m.j == j && m.i < i);
}

/* The list entries of one point, by binary search. Most planes have none. */
INLINE mark_range marks_at(const fused_points &m, int64_t plane, int64_t i, int64_t j)
{
    const int64_t end = m.first[plane + 1];
    int64_t lo = m.first[plane], hi = end;

    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (is_before(m.mark[middle], i, j))
            lo = middle + 1;
        else
            hi = middle;
    }
    for (hi = lo; hi < end && m.mark[hi].i == i && m.mark[hi].j == j;)
        hi++;
    return {m.mark + lo, m.mark + hi};
}

/* The newest P::PLANES planes of each version of a field from version P::FIRST on, in
 * shared memory from byte P::AT on. */
template <class V, class T, class P> struct versions {
    static INLINE V &at(const fused_block &b, int version, int64_t i, int64_t j,
                        int64_t k)
    {
        const int64_t plane = T::AXIS == 2 ? k : j, row = T::AXIS == 2 ? j - b.j0 : 0;
        const int turn = (int)((plane - b.first) % P::PLANES);
        V *const all = (V *)(kernel_shared<unsigned char>() + P::AT);

        return all[(((version - P::FIRST) * P::PLANES + turn) * T::Y + row) * T::X +
                   (i - b.i0)];
    }
};
