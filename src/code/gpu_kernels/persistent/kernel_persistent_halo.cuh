/* SPDX-License-Identifier: BSD-3-Clause */
/* The halo exchange of persistent blocks, and the points on faces and beyond. Each thread
 * finds its halo units and their addresses once, before the first step. */

/* ---- halos of other blocks --------------------------------------------------------- */

template <class T> INLINE int halo_vectors(int axis, bool before)
{
    return !T::is_parted(axis) ? 0 : before ? T::before(axis) : T::behind(axis);
}

template <class T> struct halo_size {
    enum {
        X = T::is_parted(0) ? T::LEFT + T::RIGHT : 0,
        Y = T::is_parted(1) ? T::near::Y : 0,
        Z = T::is_parted(2) ? T::near::Z : 0
    };
    typedef shell_size<T::X + X, T::Y + Y, T::Z + Z, X + T::RAGGED_X, Y + T::RAGGED_Y,
                       Z + T::RAGGED_Z>
        type;
};

/* The halo units of a thread, one for each turn. place: index in shared memory, negative
 * if there is none. from: index in the exchange buffer. */
template <class T> struct halo_units {
    typedef typename halo_size<T>::type size;
    enum { TURNS = at_least(1, parts_of(size::MOST, T::THREADS)) };
    int place[TURNS], from[TURNS];

    /* The index of a unit in the exchange buffer of its block. Negative: the unit lies
     * outside the grid, or the stencil does not read it. */
    static INLINE int published_at(const persistent_block &b, const tile_point &p)
    {
        const int at[3] = {p.i, p.j, p.k};
        int block[3] = {}, off[3] = {}, inside[3] = {};

        for (int axis = 0; axis < 3; axis++) {
            const int unit = wrapped_index<T>(axis, at[axis], T::units(axis));
            off[axis] = at[axis] < b.lo[axis] ? -1 : at[axis] >= b.hi[axis];
            block[axis] = neighbour_block<T>(axis, b.at[axis], off[axis]);
            inside[axis] = unit - first_vector_of<T>(axis, block[axis]) + T::before(axis);
            if (unit < 0 || unit >= T::units(axis))
                return -1;
        }
        if (!is_read<T>(off[0], off[1], off[2]))
            return -1;
        return number_of_block<T>(block) * T::SPAN + inside[2] * T::PLANE +
               inside[1] * T::WIDTH + inside[0];
    }

    INLINE explicit halo_units(const persistent_block &b)
    {
        shell s;

        for (int axis = 0; axis < 3; axis++) {
            s.lo[axis] = b.lo[axis] - halo_vectors<T>(axis, true);
            s.hi[axis] = b.hi[axis] + halo_vectors<T>(axis, false);
            s.from[axis] = b.lo[axis];
            s.to[axis] = b.hi[axis];
        }
        count_rows<size>(s);
#pragma unroll
        for (int turn = 0; turn < TURNS; turn++) {
            tile_point p;
            const bool is_there = in_shell<T, size>(s, turn, p);
            from[turn] = is_there ? published_at(b, p) : -1;
            place[turn] = from[turn] >= 0 ? place_of<T>(b, p.i, p.j, p.k) : -1;
        }
    }
};

/* Fetches the halo. AT_ONCE loads are in flight before the first store, to hide the
 * latency of global memory. */
template <class F, bool RELAXED, class T>
INLINE void fetch_halo(const persistent_block &b, const halo_units<T> &t, int version,
                       int level, unsigned epoch)
{
    enum { TURNS = halo_units<T>::TURNS, AT_ONCE = TURNS < 4 ? TURNS : 4 };
    typename F::unit *const to = F::version_of(version + level);
    const typename F::unit *const from = F::exchange(b, level, epoch);

#pragma unroll
    for (int turn = 0; turn < TURNS; turn += AT_ONCE) {
        typename F::unit v[AT_ONCE];
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++)
            if (turn + n < TURNS && t.place[turn + n] >= 0)
                v[n] = load_exchange<RELAXED>(from + t.from[turn + n]);
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++)
            if (turn + n < TURNS && t.place[turn + n] >= 0)
                to[t.place[turn + n]] = v[n];
    }
}

/* ---- faces ------------------------------------------------------------------------- */

/* Sets points on faces and beyond to `value`: no stage computes these points. */
template <class F, class B, class M>
INLINE void fill_faces(const persistent_block &b, int version, const M &value)
{
    typedef typename F::tiles T;
    typedef shell_size<T::X * T::N + T::near::X, T::Y + T::near::Y, T::Z + T::near::Z, 0,
                       0, 0>
        size;
    shell s;

    for (int axis = 0; axis < 3; axis++) {
        s.lo[axis] = F::first(b, axis);
        s.hi[axis] = F::end(b, axis);
        s.from[axis] = B::first_made(axis, s.lo[axis], s.hi[axis]);
        s.to[axis] = B::end_made(axis, s.from[axis], s.hi[axis]);
    }
    count_rows<size>(s);
    tile_point p;
    for (int turn = 0; has_turn<T, size>(s, turn); turn++)
        if (in_shell<T, size>(s, turn, p))
            *F::point(b, version, p.i, p.j, p.k) = value(p);
}
