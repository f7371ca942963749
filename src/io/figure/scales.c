/* SPDX-License-Identifier: BSD-3-Clause */
/* The scales of a plot: value range, colours, and pixel sizes. Small slices are enlarged
 * by whole factors, so every point is a square of one colour; large slices show means of
 * blocks. */
#include <float.h>
#include <math.h>

#include "io/io_private.h"

enum {
    PREFERRED = 1100,   /* pixels of the longer side, at most, when points are enlarged */
    LARGEST = 1200,     /* largest number of points with a pixel each, longer side */
    MOST_ZOOM = 200,    /* pixels of a point */
    NARROWEST = 64,     /* pixels of the shorter side */
    CURVE_WIDTH = 1000, /* pixels */
    CURVE_HEIGHT = 480,
};

/* Chooses the range so from < to, whatever the input. */
static void choose_range(plot *p)
{
    const picture *what = p->picture;
    const bool usable = isfinite(what->from) && isfinite(what->to);

    p->from = usable ? fmin(what->from, what->to) : 0;
    p->to = usable ? fmax(what->from, what->to) : 1;
    const double more = p->from < 0 || p->from > 0 ? fabs(p->from) / 2 : 1;
    if (!(p->to / 2 - p->from / 2 > DBL_MIN)) {
        p->from = fmax(p->from - more, -DBL_MAX);
        p->to = fmin(p->to + more, DBL_MAX);
    }
}

/* Chooses a diverging map if both signs matter: the smaller side has at least a twentieth
 * of the range. */
static pav_status choose_colours(plot *p)
{
    const char *name = p->picture->colours;
    const bool both = fmin(-p->from, p->to) >= 0.05 * fmax(-p->from, p->to);

    if (!name)
        name = both && p->picture->from < p->picture->to ? "seismic" : "viridis";
    p->map = colours_find(name);
    if (!p->map)
        return FAIL(PAV_EINVAL, "there are no colours called '%s'; known are %s", name,
                    colours_list());
    return PAV_OK;
}

static int pixels_of(const plot *p, int axis, int64_t points)
{
    return (int)((points + p->block[axis] - 1) / p->block[axis]) * p->zoom[axis];
}

static void scale_cells(plot *p)
{
    const int64_t points[2] = {p->picture->width, p->picture->height};
    const int64_t longer = points[0] > points[1] ? points[0] : points[1];
    const int64_t zoom = longer < PREFERRED ? PREFERRED / longer : 1;

    for (int axis = 0; axis < 2; axis++) {
        p->block[axis] = longer > LARGEST ? (longer + LARGEST - 1) / LARGEST : 1;
        p->zoom[axis] = (int)(zoom < MOST_ZOOM ? zoom : MOST_ZOOM);
        const int pixels = pixels_of(p, axis, points[axis]);
        if (pixels < NARROWEST)
            p->zoom[axis] *= (NARROWEST + pixels - 1) / pixels;
    }
    p->width = pixels_of(p, 0, points[0]);
    p->height = pixels_of(p, 1, points[1]);
}

/* The scale of a curve: the values are the vertical axis, with some room above and
 * below. */
static void scale_curve(plot *p)
{
    const double room = 0.05 * (p->to / 2 - p->from / 2) * 2;

    p->block[0] = (p->picture->width + 4 * CURVE_WIDTH - 1) / (4 * CURVE_WIDTH);
    p->block[1] = 1;
    p->zoom[0] = p->zoom[1] = 1;
    p->width = CURVE_WIDTH;
    p->height = CURVE_HEIGHT;
    p->from = fmax(p->from - room, -DBL_MAX);
    p->to = fmin(p->to + room, DBL_MAX);
}

pav_status plot_scale(plot *p)
{
    choose_range(p);
    TRY(choose_colours(p));
    if (p->curve)
        scale_curve(p);
    else
        scale_cells(p);
    return PAV_OK;
}

double plot_position(const plot *p, int axis, double coordinate)
{
    const picture *what = p->picture;
    const bool value = p->curve && axis == 1;
    const double from = value ? p->from : what->axis_from[axis];
    const double to = value ? p->to : what->axis_to[axis];
    const int64_t points = axis == 0 ? what->width : what->height;
    const int pixels = axis == 0 ? p->width : p->height;
    const double share = (coordinate / 2 - from / 2) / (to / 2 - from / 2);

    if (p->curve)
        return share * (pixels - 1);
    const double cell = (double)p->zoom[axis] / (double)p->block[axis];
    return fmin((share * (double)(points - 1) + 0.5) * cell, pixels - 1);
}
