/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills ghosts that copy points of the same line. One thread fills all ghosts of a line,
 * because a face set to 0 must be copied first. */
/* Element: an unsigned number of the size of the field's; only bytes have no sign. */
template <class element> INLINE void fill_line(const emit_gpu_ghosts &a, const point &p)
{
    const ghost_map map = (ghost_map)a.map;
    const int64_t stride = a.axis == 0   ? 1
                           : a.axis == 1 ? a.view.y
                                         : a.view.z,
                  n = a.extent;
    const bool negative = (map & GHOST_NEGATIVE) != 0;
    const bool is_signed = negative && sizeof(element) > 1;
    const element sign = is_signed ? (element)1 << (8 * sizeof(element) - 1) : 0;
    element *const line = (element *)a.view.data + element_of(a.view, p.i, p.j, p.k);

    for (int64_t d = 1; d <= a.depth; d++) {
        const int64_t to = a.side ? n - 1 + d : -d;
        line[to * stride] = line[border_source(map, n, to) * stride] ^ sign;
    }
    if (border_zeroes_face(map))
        line[(a.side ? n - 1 : 0) * stride] = 0;
}

extern "C" __global__ void run_ghosts(const __grid_constant__ emit_gpu_ghosts a)
{
    int64_t lo[3] = {a.lo[0], a.lo[1], a.lo[2]}, hi[3] = {a.hi[0], a.hi[1], a.hi[2]};
    point p;

    for (int axis = 0; axis < 3; axis++)
        if (axis == a.axis) {
            lo[axis] = 0;
            hi[axis] = 1;
        }
    if (!point_of(lo, hi, thread_number(), p))
        return;
    switch (bytes_of(a.view.type)) {
    case 1: fill_line<uint8_t>(a, p); break;
    case 2: fill_line<uint16_t>(a, p); break;
    case 4: fill_line<uint32_t>(a, p); break;
    default: fill_line<uint64_t>(a, p); break;
    }
}
