/* SPDX-License-Identifier: BSD-3-Clause */
/* All lines of a box, on processors. `room` has the buffers of HELD lines, then the
 * turns. */
FUNCTION void NAME(transform_box)(REAL *data, const int64_t *stride, const int64_t *lo,
                                  const int64_t *hi, int axis, const line_transform *t,
                                  const double *cosine, const double *parts, REAL *room)
{
    const int across = axis == 0, outer = axis == 2 ? 1 : 2;
    REAL *const turns = room + 4 * HELD * (int64_t)transform_places(transform_passes(t));

    NAME(fill_turns)(t, cosine, parts, room, turns);
    for (int64_t n = lo[outer]; n < hi[outer]; n++)
        for (int64_t m = lo[across]; m < hi[across]; m += HELD) {
            const NAME(lines) x = {
                .data = data + lo[axis] * stride[axis] + m * stride[across] +
                        n * stride[outer],
                .along = stride[axis],
                .across = stride[across],
                .count = hi[across] - m < HELD ? (int)(hi[across] - m) : HELD,
                .width = HELD,
            };
            NAME(transform)(&x, t, cosine, turns, room);
        }
}
