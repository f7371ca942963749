/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills the ghosts of all axes in one launch. Filled axis by axis, x first, a ghost would
 * become a copy of a copy. Here a thread follows those copies back, last axis first, to
 * an inner point and takes its bits. Along each axis a level has inner and outer points:
 * ghosts, and faces set to 0. Part 1 + 2 + 4 has the points outer along x, y and z, so
 * parts 1, 2 and 4 contain nearly all outer points. They are usually straight: one
 * multiplication along one axis finds the source. `gpu_borders.c` precomputes all
 * constants. */
/* The treatment of a point, its element and the source's. */
struct ghost {
    int64_t at, from;
    int how;
};

/* Follows the copies of a ghost back to their source. The search ends at an axis without
 * filled ghosts, because faster axes were not filled there either. */
INLINE ghost ghost_of(const emit_gpu_border &b, const int *at)
{
    int from[3] = {at[0], at[1], at[2]}, how = 0;

    for (int axis = 2; axis >= 0; axis--) {
        const emit_gpu_border_axis &a = b.axis[axis];
        const bool high = at[axis] >= a.first + a.inner;
        const int map = a.side[high].map;
        if (at[axis] >= a.first && !high)
            continue;
        if (map < 0)
            break;
        if (at[axis] >= 0 && at[axis] < a.extent) {
            how |= EMIT_GPU_GHOST_FILLED | EMIT_GPU_GHOST_ZERO;
            break;
        }
        from[axis] = (int)border_source((ghost_map)map, a.extent, at[axis]);
        how = (how | EMIT_GPU_GHOST_FILLED) ^
              (map & GHOST_NEGATIVE ? EMIT_GPU_GHOST_NEGATED : 0);
    }
    return {element_of(b.view, at[0], at[1], at[2]),
            element_of(b.view, from[0], from[1], from[2]), how};
}

/* The same for a straight part; its strides fit in 32 bits. */
INLINE ghost ghost_along(const emit_gpu_border &b, int axis, const int *at)
{
    const emit_gpu_border_axis &a = b.axis[axis];
    const int here = axis == 0 ? at[0] : axis == 1 ? at[1] : at[2];
    const emit_gpu_border_side &s = a.side[here >= a.first];
    const bool zero = here >= 0 && here < a.extent;
    const int y = (int)b.view.y, z = (int)b.view.z,
              stride = axis == 0   ? 1
                       : axis == 1 ? y
                                   : z;
    const int64_t element = at[0] + (int64_t)at[1] * y + (int64_t)at[2] * z;

    return {element, element + (int64_t)(s.from + s.sign * here - here) * stride,
            zero ? EMIT_GPU_GHOST_FILLED | EMIT_GPU_GHOST_ZERO : s.how};
}

/* Element: an unsigned number of the size of the field's; only bytes have no sign. */
template <class element, int count>
INLINE void fill_elements(const emit_gpu_view &v, const ghost *g)
{
    const element sign = sizeof(element) > 1 ? (element)1 << (8 * sizeof(element) - 1)
                                             : 0;
    element *const data = (element *)v.data;
    element value[count];

    for (int k = 0; k < count; k++)
        value[k] = (g[k].how & (EMIT_GPU_GHOST_FILLED | EMIT_GPU_GHOST_ZERO)) ==
                           EMIT_GPU_GHOST_FILLED
                       ? data[g[k].from]
                       : 0;
    for (int k = 0; k < count; k++)
        if (g[k].how & EMIT_GPU_GHOST_FILLED)
            data[g[k].at] = value[k] ^ (g[k].how & EMIT_GPU_GHOST_NEGATED ? sign : 0);
}

template <int count> INLINE void fill_ghosts(const emit_gpu_view &v, const ghost *g)
{
    switch (bytes_of(v.type)) {
    case 1: fill_elements<uint8_t, count>(v, g); break;
    case 2: fill_elements<uint16_t, count>(v, g); break;
    case 4: fill_elements<uint32_t, count>(v, g); break;
    default: fill_elements<uint64_t, count>(v, g); break;
    }
}

/* Points of a part along an axis: `count` points from `first` on; `between` inner points
 * are skipped after the first `low`. */
struct places {
    int count, first, low, between;
};

INLINE places places_of(const emit_gpu_border_axis &a, bool outer)
{
    return {outer ? a.outer : a.inner, outer ? -a.halo : a.first, a.low,
            outer ? a.inner : 0};
}

INLINE int place_of(const places &p, int n)
{
    return p.first + n + (n >= p.low ? p.between : 0);
}

/* Thread n of a part fills the same position of EMIT_GPU_BORDER_LINES lines along x. It
 * loads `count` of them before it stores, to hide latency. */
template <int count> INLINE void fill_part(const emit_gpu_border &b, int part, unsigned n)
{
    const places x = places_of(b.axis[0], part & 1), y = places_of(b.axis[1], part & 2),
                 z = places_of(b.axis[2], part & 4);
    const unsigned lines = (unsigned)y.count * z.count, nx = x.count;

    if (n >= nx * ((lines + EMIT_GPU_BORDER_LINES - 1) / EMIT_GPU_BORDER_LINES))
        return;
    const unsigned line = n / nx * EMIT_GPU_BORDER_LINES;
    int at[3] = {place_of(x, n % nx)}, j = line % y.count, k = line / y.count;
#pragma unroll 1
    for (int done = 0; done < EMIT_GPU_BORDER_LINES; done += count) {
        ghost g[count];
        for (int i = 0; i < count; i++) {
            at[1] = place_of(y, j);
            at[2] = place_of(z, k);
            g[i] = count == 1 ? ghost_of(b, at) : ghost_along(b, part / 2, at);
            g[i].how = line + done + i < lines ? g[i].how : 0;
            k += ++j == y.count;
            j = j == y.count ? 0 : j;
        }
        fill_ghosts<count>(b.view, g);
    }
}

extern "C" __global__ void run_borders(const __grid_constant__ emit_gpu_borders a)
{
    const emit_gpu_border &b = a.level[blockIdx.y];
    const int block = blockIdx.x;
    int part = 1;

    while (part < 7 && block >= b.end[part])
        part++;
    const unsigned n = (block - b.end[part - 1]) * blockDim.x + threadIdx.x;
    if (b.straight >> part & 1)
        fill_part<EMIT_GPU_BORDER_LINES>(b, part, n);
    else
        fill_part<1>(b, part, n);
}
