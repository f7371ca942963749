/* SPDX-License-Identifier: BSD-3-Clause */
/* A transform along an axis; transform_text_private.h gives its sums. A line has `points`
 * elements. Point 0 of its period is element 0, or with `before` the wall before it. */
typedef struct line_transform {
    int points, period;
    int before; /* 0 or 1 */
    int half;   /* 1: points lie half a spacing off the mirror */
    int sign;   /* of the mirror image behind the last wall; 0: the line is periodic */
    int shift;  /* twice the frequency of output 0: 0, 1 or 2 */
    int part;   /* 0: cosines, 1: sines, 2: their sum, 3: their difference */
    double scale;
    int padded; /* length of a convolution in place of large prime factors; or 0 */
} line_transform;

/* Complex numbers of a packed line. */
INLINE int transform_length(const line_transform *t)
{
    return t->period % 2 == 0 ? t->period / 2 : t->period;
}

/* Numbers of its passes. */
INLINE int transform_passes(const line_transform *t)
{
    return t->padded ? t->padded : transform_length(t);
}

/* Places of their buffers: kernels leave one free after each eight. */
INLINE int transform_places(int length)
{
    return (length + length / 8 + 15) / 16 * 16;
}

/* The radix of the next pass: 8, 4 or 2, or the least prime factor of the rest; 1 for no
 * pass. */
INLINE int transform_radix(int rest)
{
    int radix = rest == 1 ? 1 : rest % 4 != 0 ? 2 : rest % 8 != 0 ? 4 : 8;

    while (rest % radix != 0)
        radix += radix == 2 ? 1 : 2;
    return radix;
}

/* Passes of these radices hold their numbers in registers. */
INLINE bool transform_has_radix(int radix)
{
    return radix == 8 || (radix > 1 && radix <= 5);
}

/* The table of angles has the order of the passes, unless a sum of an odd radix needs any
 * of them. A pass of radix r after `done` numbers then has the places from `done` to
 * r*done - 1. */
INLINE bool transform_turns_by_pass(int length)
{
    return (length & (length - 1)) == 0;
}

/* The angle at a place of the table, in parts of the length. */
INLINE int transform_turn(int length, int place)
{
    int done = 1, radix = transform_radix(length);

    if (!transform_turns_by_pass(length))
        return place;
    while (done * radix <= place) {
        done *= radix;
        radix = transform_radix(length / done);
    }
    return place / done * (place % done) * (length / radix / done);
}

/* Numbers for `buffers` buffers of a line, for the angles, and for the factors of a
 * convolution. */
INLINE int64_t transform_room(const line_transform *t, int buffers)
{
    return (int64_t)(2 * buffers + (t->padded ? 4 : 2)) *
           transform_places(transform_passes(t));
}

/* The same on processors, for vectors of at most 64 bytes and to align them. */
INLINE int64_t transform_box_room(const line_transform *t)
{
    return transform_room(t, 2 * 16) + 16;
}

/* Threads of a GPU for this many complex numbers: eight of them for each. */
INLINE int transform_threads(int numbers)
{
    const int warps = (numbers + 255) / 256;

    return 32 * (warps < 2 ? 2 : warps < 16 ? warps : 16);
}
