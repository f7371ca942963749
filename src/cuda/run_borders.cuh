/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts of all axes at once. Filled axis by axis, x first, a ghost becomes a copy of a copy; here a thread for each
 * follows those copies back, last axis first, to a point that nobody fills, and takes its bits. */
struct border {
    view v;
    int64_t extent[3];
    int halo[3][2];
    int kind[3][2]; /* below 0: this side's ghosts stay as they are */
};

struct borders {
    border level[BORDERS];
};

/* The points that are filled beyond a face, and on it where it becomes 0: of lower axes all, of higher ones those
 * without ghosts. */
INLINE void layers_of(const border &b, int axis, int side, int64_t *lo, int64_t *hi)
{
    const int face = b.kind[axis][side] == GHOST_ODD;

    for (int other = 0; other < 3; other++) {
        lo[other] = other < axis ? -b.halo[other][0] : 0;
        hi[other] = b.extent[other] + (other < axis ? b.halo[other][1] : 0);
    }
    lo[axis] = side ? b.extent[axis] - face : -b.halo[axis][0];
    hi[axis] = side ? b.extent[axis] + b.halo[axis][1] : face;
}

/* Number n of all points that are filled, face by face; false when there are fewer. */
INLINE bool filled_of(const border &b, int64_t n, point &p)
{
    int64_t lo[3], hi[3];

    for (int face = 0; face < 6; face++) {
        if (b.kind[face / 2][face % 2] < 0)
            continue;
        layers_of(b, face / 2, face % 2, lo, hi);
        if (point_of(lo, hi, n, p))
            return true;
        n -= (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]);
    }
    return false;
}

struct origin {
    point p;
    bool zero, negative;
};

INLINE bool is_zero(const border &b, int axis, int64_t at)
{
    return (at == 0 && b.kind[axis][0] == GHOST_ODD) ||
           (at == b.extent[axis] - 1 && b.kind[axis][1] == GHOST_ODD);
}

/* Ghosts that stay as they are end the way: axes below them were not filled there either. */
INLINE origin origin_of(const border &b, const point &p)
{
    int64_t at[3] = {p.i, p.j, p.k};
    bool ended = false, zero = false, negative = false;

    for (int axis = 2; axis >= 0; axis--) {
        const bool low = at[axis] < 0, ghost = low || at[axis] >= b.extent[axis];
        const int kind = low ? b.kind[axis][0] : b.kind[axis][1];
        zero = zero || (!ended && !ghost && is_zero(b, axis, at[axis]));
        ended = ended || zero || (ghost && kind < 0);
        if (!ghost || ended)
            continue;
        at[axis] = source_of(kind, b.extent[axis], at[axis]);
        negative = negative != (kind == GHOST_ODD);
    }
    return {{at[0], at[1], at[2]}, zero, negative};
}

/* Element: an unsigned number of the size of the field's; only bytes have no sign. */
template <class element>
INLINE void fill_point(const view &v, const point &p, const origin &o)
{
    const bool is_signed = o.negative && sizeof(element) > 1;
    const element sign = is_signed ? (element)1 << (8 * sizeof(element) - 1) : 0;
    element *const data = (element *)v.data;
    const element from = o.zero ? 0 : data[element_of(v, o.p.i, o.p.j, o.p.k)];

    data[element_of(v, p.i, p.j, p.k)] = from ^ sign;
}

extern "C" __global__ void run_borders(const __grid_constant__ borders a)
{
    const border &b = a.level[blockIdx.y];
    point p;

    if (!filled_of(b, thread_number(), p))
        return;
    const origin o = origin_of(b, p);
    switch (bytes_of(b.v.type)) {
    case 1: fill_point<uint8_t>(b.v, p, o); break;
    case 2: fill_point<uint16_t>(b.v, p, o); break;
    case 4: fill_point<uint32_t>(b.v, p, o); break;
    default: fill_point<uint64_t>(b.v, p, o); break;
    }
}
