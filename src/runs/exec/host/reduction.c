/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of a box: a kernel leaves one value for each piece of a row. The fixed tree
 * goes on from pieces to rows, from rows to planes, and from planes to one value, so
 * neither threads nor tiles change a bit. One text for the library and for generated
 * programs. */
#include "exec/host/host.h"

int64_t reduction_piece(int64_t x)
{
    return (x & -(int64_t)PARTITION_PIECE) / PARTITION_PIECE;
}

void reduction_sizes(const box *b, int64_t size[PAV_MAX_DIMENSIONS])
{
    size[0] = reduction_piece(b->hi[0] - 1) - reduction_piece(b->lo[0]) + 1;
    size[1] = size[0] * (b->hi[1] - b->lo[1]);
    size[2] = size[1] * (b->hi[2] - b->lo[2]);
}

int64_t reduction_offset(const box *whole, const box *part)
{
    int64_t size[PAV_MAX_DIMENSIONS];

    reduction_sizes(whole, size);
    return reduction_piece(part->lo[0]) - reduction_piece(whole->lo[0]) +
           (part->lo[1] - whole->lo[1]) * size[0] +
           (part->lo[2] - whole->lo[2]) * size[1];
}

void reduction_to_rows(reduction_kind kind, const box *b, double *value)
{
    const int64_t rows = (b->hi[1] - b->lo[1]) * (b->hi[2] - b->lo[2]);
    int64_t size[PAV_MAX_DIMENSIONS];

    reduction_sizes(b, size);
    for (int64_t n = 0; n < rows; n++)
        value[n] = interp_reduce(kind, value + n * size[0], reduction_piece(b->lo[0]),
                                 size[0]);
}

double reduction_of_rows(reduction_kind kind, const box *b, double *value)
{
    const int64_t ny = b->hi[1] - b->lo[1], nz = b->hi[2] - b->lo[2];

    for (int64_t n = 0; n < nz; n++)
        value[n] = interp_reduce(kind, value + n * ny, b->lo[1], ny);
    return interp_reduce(kind, value, b->lo[2], nz);
}
