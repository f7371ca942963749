/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts: points beyond a face that are copies of points along the same line. */
#include <string.h>

#include "grid/grid.h"

static int64_t remainder_of(int64_t value, int64_t period)
{
    const int64_t rest = value % period;

    return rest < 0 ? rest + period : rest;
}

/* The point of 0..n-1 that ghost `at` (below 0, or n and above) is a copy of. */
static int64_t source_of(ghost_kind kind, int64_t n, int64_t at)
{
    const int64_t period = kind == GHOST_PERIODIC ? n
                           : kind == GHOST_MIRROR ? 2 * n
                                                  : 2 * n - 2;

    if (n == 1)
        return 0;
    if (kind == GHOST_CLAMP)
        return at < 0 ? 0 : n - 1;
    const int64_t place = remainder_of(at, period);
    if (place < n)
        return place;
    return kind == GHOST_MIRROR ? period - 1 - place : period - place;
}

/* Changes the sign of `count` floats; u8 has none. */
static void negate(char *at, size_t size, int64_t count)
{
    const int one = 1;
    const bool little = *(const char *)&one == 1;
    unsigned char *sign = (unsigned char *)at + (little ? size - 1 : 0);

    for (int64_t i = 0; size > 1 && i < count; i++, sign += size)
        *sign ^= 0x80U;
}

/* One element. The constant sizes let the compiler make moves of the calls. */
static inline void copy_element(char *to, const char *from, size_t size)
{
    switch (size) {
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, size); break;
    }
}

/* Beyond faces of x: all ghosts of a row at once, since they share its cache lines. */
static void fill_row(const view *v, char *row, int side, ghost_kind kind)
{
    const size_t size = pav_type_size(v->type);
    const int64_t n = v->extent[0], step = (int64_t)size;

    for (int k = 1; k <= v->halo[0][side]; k++) {
        const int64_t to = side ? n - 1 + k : -k, from = source_of(kind, n, to);
        copy_element(row + to * step, row + from * step, size);
        if (kind == GHOST_ODD)
            negate(row + to * step, size, 1);
    }
    if (kind == GHOST_ODD)
        memset(row + (side ? n - 1 : 0) * step, 0, size);
}

static void fill_x(const view *v, int side, ghost_kind kind, const box *range)
{
    const int64_t size = (int64_t)pav_type_size(v->type);

    for (int64_t k = range->lo[2]; k < range->hi[2]; k++)
        for (int64_t j = range->lo[1]; j < range->hi[1]; j++)
            fill_row(v, (char *)v->data + view_index(v, 0, j, k) * size, side, kind);
}

/* What happens to one layer of points: it becomes a copy of another, or zero. */
typedef struct layer {
    int64_t at, from;
    bool zero, negative;
} layer;

static void fill_layer(const view *v, int axis, const layer *l, const box *range)
{
    const size_t size = pav_type_size(v->type);
    const int64_t count = range->hi[0] - range->lo[0];
    const int64_t back = (l->from - l->at) * v->stride[axis] * (int64_t)size;
    box rows = *range;

    rows.lo[axis] = l->at;
    rows.hi[axis] = l->at + 1;
    for (int64_t k = rows.lo[2]; count > 0 && k < rows.hi[2]; k++)
        for (int64_t j = rows.lo[1]; j < rows.hi[1]; j++) {
            char *row = (char *)v->data +
                        view_index(v, range->lo[0], j, k) * (int64_t)size;
            if (l->zero)
                memset(row, 0, (size_t)count * size);
            else
                memcpy(row, row + back, (size_t)count * size);
            if (l->negative)
                negate(row, size, count);
        }
}

void ghost_fill(const view *v, int axis, int side, ghost_kind kind, const box *range)
{
    const int64_t n = v->extent[axis];
    const bool odd = kind == GHOST_ODD;

    if (axis == 0) {
        fill_x(v, side, kind, range);
        return;
    }
    for (int k = 1; k <= v->halo[axis][side]; k++) {
        const int64_t at = side ? n - 1 + k : -k;
        const layer ghosts = {at, source_of(kind, n, at), false, odd};
        fill_layer(v, axis, &ghosts, range);
    }
    const int64_t face = side ? n - 1 : 0;
    const layer zeros = {face, face, true, false};
    if (odd)
        fill_layer(v, axis, &zeros, range);
}
