/* SPDX-License-Identifier: BSD-3-Clause */
/* Coarse grids: their halved axes and their extents. */
#include "lang/lang_private.h"

bool coarse_halves(const program *p, int coarse, int axis)
{
    return !(p->kept[coarse] >> axis & 1);
}

int coarse_shift(const program *p, int coarse, int axis)
{
    int shift = 0;

    for (; coarse > 0; coarse--)
        shift += coarse_halves(p, coarse, axis);
    return shift;
}

int64_t coarse_extent(const program *p, int coarse, int axis)
{
    int64_t extent = axis < program_axes(p) ? p->axis[axis].points : 1;

    for (int k = coarse_shift(p, coarse, axis); k > 0; k--)
        extent = extent / 2 + extent % 2;
    return extent;
}

int64_t field_extent(const program *p, const symbol *field, int axis)
{
    return coarse_extent(p, field->coarse, axis);
}
