/* SPDX-License-Identifier: BSD-3-Clause */
/* A drawing of a decomposed grid: the numbers of its boxes in their positions. The
 * slowest cut axis points upwards and the fastest goes across. Slices along a third axis
 * stand side by side. */
#include <stdio.h>

#include "run/plan/needs_private.h"
#include "run/run_private.h"

enum { MOST_ROWS = 16, MOST_CELLS = 16 };

/* Axes: across, upwards, side by side; an axis without a cut has one box. */
static void find_axes(const decomposition *d, int dim, int axis[MAX_DIM])
{
    int cuts = 0;
    for (int a = 0; a < dim; a++)
        if (d->parts[a] > 1)
            axis[cuts++] = a;
    const int cut = cuts;
    for (int a = 0; a < MAX_DIM; a++)
        if (a >= dim || d->parts[a] == 1)
            axis[cuts++] = a;
    if (cut == MAX_DIM) { /* slices of y stand side by side, so z points upwards */
        axis[1] = 2;
        axis[2] = 1;
    }
}

static void add_row(const decomposition *d, const int axis[MAX_DIM], int64_t row,
                    int width, text *t)
{
    int64_t at[MAX_DIM];
    at[axis[1]] = row;
    for (int64_t layer = 0; layer < d->parts[axis[2]]; layer++) {
        at[axis[2]] = layer;
        text_add(t, "%s|", layer > 0 ? "   " : "");
        for (int64_t n = 0; n < d->parts[axis[0]]; n++) {
            at[axis[0]] = n;
            text_add(t, " %*lld |", width, (long long)decomposition_number(d, at));
        }
    }
}

static void add_legend(const decomposition *d, const int axis[MAX_DIM], text *t)
{
    text_add(t, "%-12s %c across", "", "xyz"[axis[0]]);
    if (d->parts[axis[1]] > 1)
        text_add(t, ", %c upwards", "xyz"[axis[1]]);
    if (d->parts[axis[2]] > 1)
        text_add(t, ", %c side by side", "xyz"[axis[2]]);
    text_add(t, "\n");
}

void plan_drawing_text(const decomposition *d, int dim, text *t)
{
    int axis[MAX_DIM] = {0, 1, 2};
    char longest[24];
    find_axes(d, dim, axis);
    if (d->parts[axis[1]] > MOST_ROWS ||
        d->parts[axis[0]] * d->parts[axis[2]] > MOST_CELLS)
        return;
    const int width = snprintf(longest, sizeof longest, "%lld",
                               (long long)decomposition_count(d) - 1);
    for (int64_t row = d->parts[axis[1]] - 1; row >= 0; row--) {
        text_add(t, "%-12s ", "");
        add_row(d, axis, row, width, t);
        text_add(t, "\n");
    }
    add_legend(d, axis, t);
}
