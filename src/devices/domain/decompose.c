/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a grid into boxes by planes across the whole grid. */
#include <assert.h>
#include <string.h>

#include "domain/domain.h"

enum { WHOLE_LINES = 64 }; /* indivisible groups of points along x in large parts */

static int64_t even_cut(int64_t extent, int64_t parts, int64_t n, int axis)
{
    const int64_t at = extent / parts * n + extent % parts * n / parts;
    return axis == 0 && extent / parts >= 4 * WHOLE_LINES && n < parts
               ? at & -(int64_t)WHOLE_LINES
               : at;
}

/* The cuts are not set. */
static pav_status open_cuts(const int64_t *parts, decomposition *d)
{
    *d = (decomposition){0};
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        d->parts[axis] = parts[axis];
        d->cut[axis] = mem_new(parts[axis] + 1, sizeof *d->cut[axis]);
        if (d->cut[axis])
            continue;
        decomposition_free(d);
        return PAV_ENOMEM;
    }
    return PAV_OK;
}

pav_status decompose(const int64_t *extent, const int64_t *parts, decomposition *d)
{
    TRY(open_cuts(parts, d));
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++)
        for (int64_t n = 0; n <= parts[axis]; n++)
            d->cut[axis][n] = even_cut(extent[axis], parts[axis], n, axis);
    return PAV_OK;
}

/* The number of first planes whose cost is closest to this share of the total cost. load:
 * cost of each plane; NULL: all planes cost the same. */
static int64_t planes_of(int64_t extent, const double *load, double share)
{
    double all = 0, before = 0;
    int64_t n = 0;
    for (int64_t k = 0; load && k < extent; k++)
        all += load[k];
    if (!load || all <= 0)
        return (int64_t)((double)extent * share + 0.5);
    while (n < extent && before + load[n] / 2 < share * all)
        before += load[n++];
    return n;
}

/* Moves a cut so that the part before it and each part behind it get at least `least`
 * points. If there are too few points, all parts get an equal number. */
static int64_t within_least(int64_t at, const decomposition *d, int axis, int64_t n,
                            int64_t least)
{
    const int64_t parts = d->parts[axis], fair = d->cut[axis][parts] / parts;
    least = least < fair ? least : fair;
    const int64_t lowest = d->cut[axis][n - 1] + least;
    const int64_t highest = d->cut[axis][parts] - (parts - n) * least;
    const int64_t within = at > highest ? highest : at;
    return within < lowest ? lowest : within;
}

pav_status decompose_weighted(const int64_t *extent, int axis, int64_t count,
                              const double *weight, const double *load, int64_t least,
                              decomposition *d)
{
    int64_t parts[PAV_MAX_DIMENSIONS] = {1, 1, 1};
    double all = 0, before = 0;
    parts[axis] = count;
    TRY(decompose(extent, parts, d));
    for (int64_t n = 0; n < count; n++)
        all += weight[n];
    for (int64_t n = 1; n < count; n++) {
        before += weight[n - 1];
        const int64_t at = planes_of(extent[axis], load, before / all);
        d->cut[axis][n] = within_least(at, d, axis, n, least);
    }
    return PAV_OK;
}

void decomposition_balance(decomposition *d, int axis, const double *load, int64_t least)
{
    const int64_t parts = d->parts[axis], extent = d->cut[axis][parts];
    for (int64_t n = 1; n < parts; n++) {
        const int64_t at = planes_of(extent, load, (double)n / (double)parts);
        d->cut[axis][n] = within_least(at, d, axis, n, least);
    }
}

pav_status decomposition_copy(const decomposition *from, decomposition *d)
{
    TRY(open_cuts(from->parts, d));
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++)
        memcpy(d->cut[axis], from->cut[axis],
               (size_t)(from->parts[axis] + 1) * sizeof *d->cut[axis]);
    return PAV_OK;
}

void decomposition_free(decomposition *d)
{
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++)
        mem_free(d->cut[axis]);
    *d = (decomposition){0};
}

int64_t decomposition_count(const decomposition *d)
{
    return d->parts[0] * d->parts[1] * d->parts[2];
}

void decomposition_place(const decomposition *d, int64_t n, int64_t *place)
{
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        place[axis] = n % d->parts[axis];
        n /= d->parts[axis];
    }
}

int64_t decomposition_number(const decomposition *d, const int64_t *place)
{
    return (place[2] * d->parts[1] + place[1]) * d->parts[0] + place[0];
}

box decomposition_box(const decomposition *d, int64_t n)
{
    int64_t place[PAV_MAX_DIMENSIONS];
    box b;
    assert(n >= 0 && n < decomposition_count(d)); /* parts are numbered from 0 */
    decomposition_place(d, n, place);
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        b.lo[axis] = d->cut[axis][place[axis]];
        b.hi[axis] = d->cut[axis][place[axis] + 1];
        assert(b.lo[axis] <= b.hi[axis]); /* cuts ascend */
    }
    return b;
}

int64_t decomposition_along(const decomposition *d, int axis, int64_t index)
{
    int64_t n = 0;
    while (n + 1 < d->parts[axis] && index >= d->cut[axis][n + 1])
        n++;
    return n;
}
