/* SPDX-License-Identifier: BSD-3-Clause */
/* Faces of a field, and ghosts beyond them that are copies of points along the same
 * line. */
#include <string.h>

#include "domain/domain.h"

/* ---- faces ------------------------------------------------------------------------- */

void border_slab(const view *v, int axis, int side, bool stored, box *b)
{
    const int inner = stored;
    const int64_t first = view_first(v, axis), end = first + v->extent[axis];

    b->lo[axis] = side ? end - inner : first - v->halo[axis][0];
    b->hi[axis] = side ? end + v->halo[axis][1] : first + inner;
}

box border_box(const view *v, int axis, int side, bool stored)
{
    const box all = view_points(v);
    box b = view_window(v);

    for (int a = axis; a < PAV_MAX_DIMENSIONS; a++) {
        b.lo[a] = all.lo[a];
        b.hi[a] = all.hi[a];
    }
    border_slab(v, axis, side, stored, &b);
    return b;
}

int border_rounds(const view *v, int axis)
{
    const int *halo = v->halo[axis];
    return v->extent[axis] <= (halo[0] > halo[1] ? halo[0] : halo[1]) + 1 ? 2 : 1;
}

/* ---- signs ------------------------------------------------------------------------- */

/* Changes the sign of `count` floats; u8 has none. */
static void negate(char *at, size_t size, int64_t count)
{
    const int one = 1;
    unsigned char *sign = (unsigned char *)at + (*(const char *)&one == 1 ? size - 1 : 0);

    for (int64_t i = 0; size > 1 && i < count; i++, sign += size)
        *sign ^= 0x80U;
}

/* ---- along x ----------------------------------------------------------------------- */

enum { ROWS = 64 }; /* whose ends stay in L1 while all their ghosts are written */

/* Rows whose ends are filled together. */
typedef struct ends {
    char *row;             /* the first point of the first */
    int64_t count, stride; /* bytes from row to row */
    size_t size;           /* of an element */
} ends;

/* One element of each row. Constant sizes let the compiler make moves of the calls. */
static inline void copy_each(ends e, int64_t to, int64_t from, size_t size)
{
    const int64_t back = (from - to) * (int64_t)size;
    char *at = e.row + to * (int64_t)size;

    for (int64_t n = 0; n < e.count; n++, at += e.stride)
        memcpy(at, at + back, size);
}

static void copy_element(const ends *e, int64_t to, int64_t from)
{
    e->size == 2   ? copy_each(*e, to, from, 2)
    : e->size == 4 ? copy_each(*e, to, from, 4)
    : e->size == 8 ? copy_each(*e, to, from, 8)
                   : copy_each(*e, to, from, e->size);
}

static void negate_element(const ends *e, int64_t at)
{
    for (int64_t n = 0; n < e->count; n++)
        negate(e->row + n * e->stride + at * (int64_t)e->size, e->size, 1);
}

static void zero_element(const ends *e, int64_t at)
{
    for (int64_t n = 0; n < e->count; n++)
        memset(e->row + n * e->stride + at * (int64_t)e->size, 0, e->size);
}

static void fill_ends(const view *v, const ends *e, int side, ghost_map map)
{
    const int64_t n = v->extent[0];

    for (int k = 1; k <= v->halo[0][side]; k++) {
        const int64_t to = side ? n - 1 + k : -k;
        copy_element(e, to, border_source(map, n, to));
        if (map & GHOST_NEGATIVE)
            negate_element(e, to);
    }
    if (border_zeroes_face(map))
        zero_element(e, side ? n - 1 : 0);
}

/* The ends of the rows that follow, which come from memory one line at a time. */
static void prefetch_row_ends(const view *v, const ends *e, int64_t count)
{
    const int64_t last = (v->extent[0] - 1) * (int64_t)e->size;
    const char *row = e->row + e->count * e->stride;

    for (int64_t n = 0; n < count; n++, row += e->stride) {
        __builtin_prefetch(row);
        __builtin_prefetch(row + last);
        __builtin_prefetch(row + last + (int64_t)e->size, 1);
    }
}

/* Fills the ghosts at both ends of a row before the next row, because the end of a row
 * and the beginning of the next one share cache lines. */
static void fill_x(const view *v, ghost_sides sides, const box *range)
{
    const int64_t size = (int64_t)pav_type_size(v->type), end = range->hi[1];
    ends e = {.stride = v->stride[1] * size, .size = (size_t)size};

    for (int64_t k = range->lo[2]; k < range->hi[2]; k++)
        for (int64_t j = range->lo[1]; j < end; j += ROWS) {
            e.row = view_at(v, view_first(v, 0), j, k);
            e.count = end - j < ROWS ? end - j : ROWS;
            prefetch_row_ends(v, &e, end - j < 2 * ROWS ? end - j - e.count : ROWS);
            for (int side = 0; side < 2; side++)
                if (sides.filled[side])
                    fill_ends(v, &e, side, sides.map[side]);
        }
}

/* ---- along y and z ----------------------------------------------------------------- */

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
    const box rows = box_along(*range, axis, l->at, l->at + 1);

    for (int64_t k = rows.lo[2]; count > 0 && k < rows.hi[2]; k++)
        for (int64_t j = rows.lo[1]; j < rows.hi[1]; j++) {
            char *row = view_at(v, range->lo[0], j, k);
            if (l->zero)
                memset(row, 0, (size_t)count * size);
            else
                memcpy(row, row + back, (size_t)count * size);
            if (l->negative)
                negate(row, size, count);
        }
}

static void fill_layers(const view *v, int axis, int side, ghost_map map,
                        const box *range)
{
    const int64_t n = v->extent[axis], first = view_first(v, axis);
    const int64_t face = first + (side ? n - 1 : 0);
    const layer zeros = {face, face, true, false};

    for (int k = 1; k <= v->halo[axis][side]; k++) {
        const int64_t at = side ? n - 1 + k : -k;
        const layer ghosts = {first + at, first + border_source(map, n, at), false,
                              (map & GHOST_NEGATIVE) != 0};
        fill_layer(v, axis, &ghosts, range);
    }
    if (border_zeroes_face(map))
        fill_layer(v, axis, &zeros, range);
}

void ghost_fill(const view *v, int axis, ghost_sides sides, const box *range)
{
    if (axis == 0) {
        fill_x(v, sides, range);
        return;
    }
    for (int side = 0; side < 2; side++)
        if (sides.filled[side])
            fill_layers(v, axis, side, sides.map[side], range);
}

void ghost_fill_side(const view *v, int axis, int side, ghost_map map, const box *range)
{
    ghost_sides one = {0};

    one.filled[side] = true;
    one.map[side] = map;
    ghost_fill(v, axis, one, range);
}
