/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses in a view, and boxes of points. One text for the library and for generated
 * programs, each with its own view. */
#ifndef INLINE /* programs have one of their own */
#include "base/base.h"
#endif
#ifndef BASE_BOX_PRIVATE_H
#define BASE_BOX_PRIVATE_H

/* Converts an index of the whole grid to this view's memory: view_offset in elements from
 * `data`, view_at the address. Only the offset is local to the view. */
typedef int64_t local_offset;

static inline local_offset view_offset(const view *v, int64_t i, int64_t j, int64_t k)
{
    return i + j * v->stride[1] + k * v->stride[2];
}

static inline void *view_at(const view *v, int64_t i, int64_t j, int64_t k)
{
    return (char *)v->data + view_offset(v, i, j, k) * (int64_t)pav_type_size(v->type);
}

/* A box of points, lo inclusive, hi exclusive. */
typedef struct box {
    int64_t lo[PAV_MAX_DIMENSIONS], hi[PAV_MAX_DIMENSIONS];
} box;

__attribute__((unused)) static inline bool box_is_empty(const box *b)
{
    return b->lo[0] >= b->hi[0] || b->lo[1] >= b->hi[1] || b->lo[2] >= b->hi[2];
}
#endif
