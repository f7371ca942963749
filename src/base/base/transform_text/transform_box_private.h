/* SPDX-License-Identifier: BSD-3-Clause */
/* All lines of a box, on processors: HELD adjacent lines at once. Lines along x, and
 * groups beyond the box, are copied to a buffer with HELD of them abreast, and back. */
enum { NAME(HELD) = LEVEL_BYTES / (int)sizeof(REAL) };

/* Numbers of two vectors in turns: of their first halves, and of their second ones. */
#undef FIRST_HALVES
#undef SECOND_HALVES
#if LANES_OF(REAL) == 2
#define FIRST_HALVES 0, 2
#define SECOND_HALVES 1, 3
#elif LANES_OF(REAL) == 4
#define FIRST_HALVES 0, 4, 1, 5
#define SECOND_HALVES 2, 6, 3, 7
#elif LANES_OF(REAL) == 8
#define FIRST_HALVES 0, 8, 1, 9, 2, 10, 3, 11
#define SECOND_HALVES 4, 12, 5, 13, 6, 14, 7, 15
#else
#define FIRST_HALVES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define SECOND_HALVES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#endif

/* Stores a square of numbers transposed, from rows `step` apart to rows `to_step` apart.
 * Each round merges the first and the second half of the rows. */
FUNCTION void NAME(transpose)(const REAL *from, int64_t step, REAL *to, int64_t to_step)
{
    VALUE row[NAME(HELD)], next[NAME(HELD)];

    UNROLLED for (int n = 0; n < NAME(HELD); n++)
        row[n] = *(const VALUE *)(from + n * step);
    UNROLLED for (int merged = 1; merged < NAME(HELD); merged *= 2)
    {
        UNROLLED for (int n = 0; n < NAME(HELD) / 2; n++)
        {
            const VALUE a = row[n], b = row[n + NAME(HELD) / 2];
            next[2 * n] = MERGED(a, b, FIRST_HALVES);
            next[2 * n + 1] = MERGED(a, b, SECOND_HALVES);
        }
        UNROLLED for (int n = 0; n < NAME(HELD); n++) row[n] = next[n];
    }
    UNROLLED for (int n = 0; n < NAME(HELD); n++) * (VALUE *)(to + n * to_step) = row[n];
}

/* Copies elements between a group of lines and a buffer with their vectors. The first and
 * the last line stand for lines beyond the box. */
FUNCTION void NAME(move)(const NAME(lines) * x, int length, REAL *held, bool back)
{
    const int n = NAME(HELD), last = x->count - 1;
    const bool whole = HAS_MERGED && x->along == 1 && x->first == 0 && last == n - 1;

    for (int e = 0; e < length; e++) {
        REAL *const at = x->data + e * x->along;
        if (whole && e + n <= length && e % n == 0) {
            NAME(transpose)
            (back ? held + e * n : at, back ? n : x->across, back ? at : held + e * n,
             back ? x->across : n);
            e += n - 1;
        } else
            for (int l = back ? x->first : 0; l < (back ? x->count : n); l++) {
                const int line = l < x->first ? x->first : l < last ? l : last;
                if (back)
                    at[line * x->across] = held[e * n + l];
                else
                    held[e * n + l] = at[line * x->across];
            }
    }
}

/* A group of lines. room: 4 vectors for each place of the passes. */
FUNCTION void NAME(group)(const NAME(lines) * x, const line_transform *t,
                          const double *cosine, const REAL *turns, VALUE *room,
                          bool reads)
{
    const int length = transform_passes(t), size = transform_places(length);
    const bool moved = x->across != 1 || x->first > 0 || x->count < NAME(HELD);
    NAME(buffer) z[2] = {NAME(half)(room, size, 0), NAME(half)(room, size, 1)};
    NAME(lines) from = {x->data, x->along, 0, 0, 1, 1};
    int first = reads ? transform_radix(length) : 1;

    if (moved) {
        from.data = (REAL *)z[1].re;
        from.along = NAME(HELD);
        NAME(move)(x, t->points, from.data, false);
    }
    if (reads)
        NAME(pass)(z[0], z[0], length, 1, first, 1, turns, &from, t, cosine);
    else
        NAME(load)(&from, t, cosine, z[0]);
    if (t->padded)
        NAME(turn_squares)(z[0], t, cosine, length, 1);
    NAME(all_passes)(z, length, first, 1, turns);
    if (t->padded) {
        NAME(convolve)(z[0], t, turns, 1);
        z[0] = NAME(exchanged)(z[0]);
        z[1] = NAME(exchanged)(z[1]);
        NAME(all_passes)(z, length, 1, 1, turns);
        z[0] = NAME(exchanged)(z[0]);
        NAME(turn_squares)(z[0], t, cosine, transform_length(t), 1);
    }
    if (moved)
        from.data = (REAL *)(z[1].re < z[1].im ? z[1].re : z[1].im);
    NAME(store)(&from, t, cosine, z[0]);
    if (moved)
        NAME(move)(x, t->points, from.data, true);
}

/* Lines of an even period, with all walls on points, have fewer cases. */
FUNCTION void NAME(transform)(const NAME(lines) * x, const line_transform *t,
                              const double *cosine, const REAL *turns, VALUE *room)
{
    const bool is_even = t->period % 2 == 0 && t->shift % 2 == 0 && !t->half &&
                         !t->padded;
    line_transform even = *t;

    even.period &= ~1;
    even.shift &= 2;
    even.half = even.padded = 0;
    if (is_even && transform_has_radix(transform_radix(transform_length(t))))
        NAME(group)(x, &even, cosine, turns, room, true);
    else
        NAME(group)(x, t, cosine, turns, room, false);
}

/* `room` has transform_box_room numbers: the buffers of a group of lines, then turns. */
FUNCTION void NAME(transform_box)(REAL *data, const int64_t *stride, const int64_t *lo,
                                  const int64_t *hi, int axis, const line_transform *t,
                                  const double *cosine, const double *parts, REAL *room)
{
    const int across = axis == 0, outer = axis == 2 ? 1 : 2, held = NAME(HELD);
    REAL *const aligned = room + (0 - (uintptr_t)room) % 64 / sizeof(REAL),
                *const turns = aligned +
                               4 * held * (int64_t)transform_places(transform_passes(t));

    NAME(fill_turns)(t, cosine, parts, (VALUE *)aligned, turns);
    for (int64_t n = lo[outer]; n < hi[outer]; n++)
        for (int64_t m = lo[across] / held * held; m < hi[across]; m += held) {
            const NAME(lines) x = {
                .data = data + lo[axis] * stride[axis] + m * stride[across] +
                        n * stride[outer],
                .along = stride[axis],
                .across = stride[across],
                .first = m < lo[across] ? (int)(lo[across] - m) : 0,
                .count = hi[across] - m < held ? (int)(hi[across] - m) : held,
            };
            NAME(transform)(&x, t, cosine, turns, (VALUE *)aligned);
        }
}
