/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a picture: each point is a square of pixels, or a pixel is the mean of
 * many points. */
#include <math.h>

#include "io/io_private.h"

double block_mean(const plot *p, int64_t column, int64_t row)
{
    const picture *what = p->picture;
    const int64_t i0 = column * p->block[0],
                  i1 = int64_least(i0 + p->block[0], what->width);
    const int64_t j0 = row * p->block[1],
                  j1 = int64_least(j0 + p->block[1], what->height);
    const double count = (double)(i1 - i0) * (double)(j1 - j0);
    double sum = 0;

    for (int64_t j = j0; j < j1; j++)
        for (int64_t i = i0; i < i1; i++) {
            const double value = what->value[j * what->width + i];
            if (!isfinite(value))
                return NAN;
            sum += value / count;
        }
    return sum;
}

void cells_draw(const plot *p)
{
    const int columns = p->width / p->zoom[0], rows = p->height / p->zoom[1];

    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            const double value = block_mean(p, column, row);
            const int y = p->top + p->height - (row + 1) * p->zoom[1];
            canvas_fill(&p->canvas, p->left + column * p->zoom[0], y, p->zoom[0],
                        p->zoom[1], colours_at(p->map, value, p->from, p->to));
        }
}
