/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws one row of values: a curve. */
#include <math.h>

#include "io/io_private.h"

static const rgb grid_colour = {228, 228, 232}, curve_colour = {38, 84, 168};

static void draw_grid(const plot *p)
{
    for (int n = 0; n < p->ticks[0].count; n++) {
        const int x = p->left + (int)plot_position(p, 0, p->ticks[0].value[n]);
        canvas_fill(&p->canvas, x, p->top, 1, p->height, grid_colour);
    }
    for (int n = 0; n < p->ticks[1].count; n++) {
        const int y = p->top + p->height - 1 -
                      (int)plot_position(p, 1, p->ticks[1].value[n]);
        canvas_fill(&p->canvas, p->left, y, p->width, 1, grid_colour);
    }
}

/* Finds the pixel of a block's mean; false if the mean is not finite. */
static bool locate(const plot *p, int64_t column, int64_t columns, double at[2])
{
    const double value = block_mean(p, column, 0);
    const double share = columns > 1 ? (double)column / (double)(columns - 1) : 0.5;

    at[0] = p->left + 0.5 + share * (p->width - 1);
    if (!isfinite(value))
        return false;
    at[1] = p->top + p->height - 0.5 -
            plot_position(p, 1, fmin(fmax(value, p->from), p->to));
    return true;
}

void curve_draw(const plot *p)
{
    const int64_t columns = (p->picture->width + p->block[0] - 1) / p->block[0];
    double last[2] = {0}, at[2] = {0};
    bool drawing = false;

    draw_grid(p);
    for (int64_t column = 0; column < columns; column++) {
        const bool finite = locate(p, column, columns, at);
        if (!finite)
            canvas_fill(&p->canvas, (int)at[0] - 1, p->top, 3, p->height,
                        colours_not_finite(p->map));
        else
            canvas_line(&p->canvas, drawing ? last : at, at, 2.5, curve_colour);
        drawing = finite;
        last[0] = at[0];
        last[1] = at[1];
    }
}
