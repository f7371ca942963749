/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of adjacent lines. They begin at multiples of their width, where segments of
 * memory begin. */
FUNCTION int64_t NAME(groups)(const work &w, int axis, int width)
{
    const int across = axis == 0, outer = axis == 2 ? 1 : 2;

    return ((w.hi[across] + width - 1) / width - w.lo[across] / width) *
           (w.hi[outer] - w.lo[outer]);
}

FUNCTION NAME(lines)
    NAME(group)(const work &w, const grid &g, int axis, int width, int64_t number)
{
    const int across = axis == 0, outer = axis == 2 ? 1 : 2;
    const int64_t stride[3] = {1, g.y, g.z}, from = w.lo[across] / width;
    const int64_t abreast = (w.hi[across] + width - 1) / width - from;
    const int64_t first = (from + number % abreast) * width;
    const int64_t left = w.hi[across] - first, n = w.lo[outer] + number / abreast;

    return {(REAL *)g.data + w.lo[axis] * stride[axis] + first * stride[across] +
                n * stride[outer],
            stride[axis],
            stride[across],
            first < w.lo[across] ? (int)(w.lo[across] - first) : 0,
            left < width ? (int)left : width,
            width};
}
