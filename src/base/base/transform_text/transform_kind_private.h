/* SPDX-License-Identifier: BSD-3-Clause */
/* A transform along an axis; transform_text_private.h gives its sums. A line has `points`
 * elements. Point 0 of its period is element 0, or with `before` the wall before it. */
typedef struct line_transform {
    int points, period;
    int before; /* 0 or 1 */
    int half;   /* 1: points lie half a spacing off the mirror */
    int sign;   /* of the mirror image behind the last wall; 0: the line is periodic */
    int shift;  /* twice the frequency of output 0: 0, 1 or 2 */
    int part;   /* 0: cosines, 1: sines, 2: their sum */
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

/* Places of their buffers, and of the cosines of so many angles: whole groups of 16, as
 * kernels reorder the places of a group. */
INLINE int transform_places(int length)
{
    return (length + 15) / 16 * 16;
}

/* Numbers for the buffers of `lines` lines, for turns, and for factors of a
 * convolution. */
INLINE int64_t transform_room(const line_transform *t, int lines)
{
    return (int64_t)(4 * lines + (t->padded ? 4 : 2)) *
           transform_places(transform_passes(t));
}

/* The radix of the next pass: 8, 4 or 2, or the least prime factor of the rest. */
INLINE int transform_radix(int rest)
{
    int radix = rest % 4 != 0 ? 2 : rest % 8 != 0 ? 4 : 8;

    while (rest % radix != 0)
        radix += radix == 2 ? 1 : 2;
    return radix;
}
