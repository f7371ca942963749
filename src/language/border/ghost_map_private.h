/* SPDX-License-Identifier: BSD-3-Clause */
/* Which point a ghost is a copy of: all that evaluates the bits of a ghost_map. One text
 * for the library, generated programs and kernels of GPUs. */
#ifndef INLINE /* kernels and programs have one of their own */
#include "base/base.h"
#endif

/* Bits. Without any it is the mirror image in the outermost point, u(-k) = u(k). */
typedef enum ghost_map {
    GHOST_EVEN = 0,
    GHOST_WRAPS = 1,    /* u(-k) = u(n-k) */
    GHOST_CLAMPS = 2,   /* u(-k) = u(0) */
    GHOST_BETWEEN = 4,  /* the image in the wall half a cell outside: u(-k) = u(k-1) */
    GHOST_NEGATIVE = 8, /* negated; in the outermost point, which is 0 then, or a wall */
    GHOST_MAPS = 16     /* one more than all of them */
} ghost_map;

/* The point that a ghost is a copy of: `extents` times the points of the axis, and
 * `shift`, and `sign` times the ghost's own index; beyond a face, the ghost there. */
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

/* By it, of an axis of n points: one image; and images of images, to one of 0 .. n-1. */
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

/* Whether the outermost point is its own image and negated: it is 0. */
INLINE bool border_zeroes_face(ghost_map map)
{
    return (map & GHOST_NEGATIVE) && !(map & GHOST_BETWEEN);
}
