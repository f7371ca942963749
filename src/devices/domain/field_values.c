/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a view in a box: copies between views and dense arrays of any type, and
 * the search for values not finite. */
#include <string.h>

#include "domain/domain.h"

/* ---- reading and writing ----------------------------------------------------------- */

void view_read_box(const view *v, const box *range, pav_type type, void *values)
{
    const int64_t count = range->hi[0] - range->lo[0];
    char *to = values;

    for (int64_t k = range->lo[2]; count > 0 && k < range->hi[2]; k++)
        for (int64_t j = range->lo[1]; j < range->hi[1]; j++) {
            type_convert(type, to, v->type, view_at(v, range->lo[0], j, k), count);
            to += count * (int64_t)pav_type_size(type);
        }
}

void view_write_box(const view *v, const box *range, pav_type type, const void *values)
{
    const int64_t count = range->hi[0] - range->lo[0];
    const char *from = values;

    for (int64_t k = range->lo[2]; count > 0 && k < range->hi[2]; k++)
        for (int64_t j = range->lo[1]; j < range->hi[1]; j++) {
            type_convert(v->type, view_at(v, range->lo[0], j, k), type, from, count);
            from += count * (int64_t)pav_type_size(type);
        }
}

void view_read(const view *v, pav_type type, void *values)
{
    const box all = view_points(v);

    view_read_box(v, &all, type, values);
}

void view_write(const view *v, pav_type type, const void *values)
{
    const box all = view_points(v);

    view_write_box(v, &all, type, values);
}

/* ---- not finite -------------------------------------------------------------------- */

/* A float is not finite if all bits of its exponent are set. Each element size has its
 * own loop without branches, so compilers vectorise it. */
#define ANY_OF(name, word)                                                               \
    static bool name(const char *at, int64_t count, word exponent)                       \
    {                                                                                    \
        word found = 0;                                                                  \
        for (int64_t i = 0; i < count; i++) {                                            \
            word bits;                                                                   \
            memcpy(&bits, at + (int64_t)sizeof bits * i, sizeof bits);                   \
            found |= (word)((bits & exponent) == exponent);                              \
        }                                                                                \
        return found != 0;                                                               \
    }
ANY_OF(any_of_16, uint16_t)
ANY_OF(any_of_32, uint32_t)
ANY_OF(any_of_64, uint64_t)

static bool any_not_finite(pav_type type, const char *at, int64_t count)
{
    switch (type) {
    case PAV_F32: return any_of_32(at, count, UINT32_C(0xff) << 23);
    case PAV_F64: return any_of_64(at, count, UINT64_C(0x7ff) << 52);
    case PAV_BF16: return any_of_16(at, count, 0x7f80);
    case PAV_F16: return any_of_16(at, count, 0x7c00);
    case PAV_U8: break;
    }
    return false;
}

/* Index of the first value of a row not finite, or -1. Searches piece by piece, then
 * inside the piece. */
static int64_t find_in_row(pav_type type, const char *row, int64_t count)
{
    enum { PIECE = 1024 };
    const int64_t size = (int64_t)pav_type_size(type);

    for (int64_t from = 0; from < count; from += PIECE) {
        const int64_t length = count - from < PIECE ? count - from : PIECE;
        if (!any_not_finite(type, row + from * size, length))
            continue;
        while (!any_not_finite(type, row + from * size, 1))
            from++;
        return from;
    }
    return -1;
}

bool view_find_not_finite(const view *v, const box *range, int64_t *point)
{
    const int64_t count = range->hi[0] - range->lo[0];

    for (int64_t k = range->lo[2]; k < range->hi[2]; k++)
        for (int64_t j = range->lo[1]; j < range->hi[1]; j++) {
            const int64_t i = find_in_row(v->type, view_at(v, range->lo[0], j, k), count);
            if (i < 0)
                continue;
            point[0] = range->lo[0] + i;
            point[1] = j;
            point[2] = k;
            return true;
        }
    return false;
}
