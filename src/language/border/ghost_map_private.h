/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the point that a ghost copies. This file alone interprets the bits of a
 * ghost_map. It is compiled into the library and embedded in generated programs and GPU
 * kernels. */
#ifndef INLINE /* kernels and programs define INLINE themselves */
#include "base/base.h"
#endif

/* Bits of a map. Without any bit, a ghost copies its mirror image in the outermost point,
 * u(-k) = u(k). */
typedef enum ghost_map {
    GHOST_EVEN = 0,
    GHOST_WRAPS = 1,    /* u(-k) = u(n-k) */
    GHOST_CLAMPS = 2,   /* u(-k) = u(0) */
    GHOST_BETWEEN = 4,  /* mirrored at a wall half a cell outside: u(-k) = u(k-1) */
    GHOST_NEGATIVE = 8, /* the copy is negated; without GHOST_BETWEEN the outermost point
                         * is 0 */
    GHOST_MAPS = 16     /* number of combinations */
} ghost_map;

/* The index of the copied point is extents * n + shift + sign * ghost, for an axis of n
 * points and the index of the ghost. If this index lies beyond a face, it is a ghost,
 * too, and is mapped again. */
typedef struct border_image {
    int extents, shift, sign;
} border_image;

INLINE border_image border_image_of(ghost_map map, int side)
{
    const int apart = map & GHOST_BETWEEN ? 1 : 0;
    border_image image = {side ? 2 : 0, side ? apart - 2 : -apart, -1};

    if (map & (GHOST_CLAMPS | GHOST_WRAPS)) {
        image.extents = map & GHOST_CLAMPS ? side : side ? -1 : 1;
        image.shift = map & GHOST_CLAMPS ? -side : 0;
        image.sign = map & GHOST_CLAMPS ? 0 : 1;
    }
    return image;
}

/* border_image_at maps once. border_source maps until the point lies inside, in 0 ..
 * n-1. */
INLINE int64_t border_image_at(ghost_map map, int64_t n, int64_t ghost)
{
    const border_image image = border_image_of(map, ghost < 0 ? 0 : 1);

    return n == 1 ? 0 : image.extents * n + image.shift + image.sign * ghost;
}

INLINE int64_t border_source(ghost_map map, int64_t n, int64_t ghost)
{
    while (ghost < 0 || ghost >= n)
        ghost = border_image_at(map, n, ghost);
    return ghost;
}

/* True if the outermost point would be its own negated image: then it is 0. */
INLINE bool border_zeroes_face(ghost_map map)
{
    return (map & GHOST_NEGATIVE) && !(map & GHOST_BETWEEN);
}
