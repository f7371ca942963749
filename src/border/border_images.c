/* SPDX-License-Identifier: BSD-3-Clause */
/* Which point a ghost is a copy of: all that evaluates the bits of a ghost_map, but for
 * kernels/gpu/run/run_ghosts.cuh. */
#include "border/border.h"

border_image border_image_of(ghost_map map, int side)
{
    const int apart = map & GHOST_BETWEEN ? 1 : 0;

    if (map & GHOST_CLAMPS)
        return side ? (border_image){1, -1, 0} : (border_image){0, 0, 0};
    if (map & GHOST_WRAPS)
        return (border_image){side ? -1 : 1, 0, 1};
    return side ? (border_image){2, apart - 2, -1} : (border_image){0, -apart, -1};
}

int64_t border_image_at(ghost_map map, int64_t n, int64_t ghost)
{
    const border_image image = border_image_of(map, ghost < 0 ? 0 : 1);

    return n == 1 ? 0 : image.extents * n + image.shift + image.sign * ghost;
}

int64_t border_source(ghost_map map, int64_t n, int64_t ghost)
{
    while (ghost < 0 || ghost >= n)
        ghost = border_image_at(map, n, ghost);
    return ghost;
}
