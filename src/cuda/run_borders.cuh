/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts of all axes at once. Filled axis by axis, x first, a ghost becomes a copy of a copy; here a thread for each
 * follows those copies back, last axis first, to a point that nobody fills, and takes its bits. */
struct borders {
    int64_t kind[3][2]; /* below 0: this side's ghosts stay as they are */
    int64_t extent[3], halo[3][2];
    view v[BORDERS];
};

/* The ghosts that are filled beyond a face: of lower axes all points, of higher ones those without ghosts. */
INLINE void layers_of(const borders &a, int axis, int side, int64_t *lo, int64_t *hi)
{
    for (int other = 0; other < 3; other++) {
        lo[other] = other < axis ? -a.halo[other][0] : 0;
        hi[other] = a.extent[other] + (other < axis ? a.halo[other][1] : 0);
    }
    lo[axis] = side ? a.extent[axis] : -a.halo[axis][0];
    hi[axis] = side ? a.extent[axis] + a.halo[axis][1] : 0;
}

/* Ghost n of all that are filled, face by face; false when there are fewer. */
INLINE bool ghost_of(const borders &a, int64_t n, point &p)
{
    int64_t lo[3], hi[3];

    for (int face = 0; face < 6; face++) {
        if (a.kind[face / 2][face % 2] < 0)
            continue;
        layers_of(a, face / 2, face % 2, lo, hi);
        if (point_of(lo, hi, n, p))
            return true;
        n -= (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]);
    }
    return false;
}

/* Ghosts that stay as they are end the way: axes below them were not filled there either. */
INLINE point origin_of(const borders &a, const point &p)
{
    int64_t at[3] = {p.i, p.j, p.k};
    bool ended = false;

    for (int axis = 2; axis >= 0; axis--) {
        const bool low = at[axis] < 0, ghost = low || at[axis] >= a.extent[axis];
        const int64_t kind = low ? a.kind[axis][0] : a.kind[axis][1];
        ended = ended || (ghost && kind < 0);
        if (ghost && !ended)
            at[axis] = source_of(kind, a.extent[axis], at[axis]);
    }
    return {at[0], at[1], at[2]};
}

/* Element: an unsigned number of the size of the field's. */
template <class element>
INLINE void copy_ghost(const view &v, const point &p, const point &from)
{
    element *const data = (element *)v.data;

    data[element_of(v, p.i, p.j, p.k)] = data[element_of(v, from.i, from.j, from.k)];
}

extern "C" __global__ void run_borders(const __grid_constant__ borders a)
{
    const view &v = a.v[blockIdx.y];
    point p;

    if (!ghost_of(a, thread_number(), p))
        return;
    const point from = origin_of(a, p);
    switch (bytes_of(v.type)) {
    case 1: copy_ghost<uint8_t>(v, p, from); break;
    case 2: copy_ghost<uint16_t>(v, p, from); break;
    case 4: copy_ghost<uint32_t>(v, p, from); break;
    default: copy_ghost<uint64_t>(v, p, from); break;
    }
}
