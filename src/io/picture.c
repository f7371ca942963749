/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a picture: title on top, the plot with its axes, the colour bar to the right.
 *
 *       title
 *     +-------+  +-+
 *   y |       |  | |- range
 *     +-------+  +-+
 *         x
 *
 * Small slices are enlarged by whole factors, so that every point is a square of one colour; large
 * ones show means of blocks. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "io/io_private.h"

enum {
    PREFERRED = 1100,   /* pixels of the longer side, at most, when points are enlarged */
    LARGEST = 1200,     /* points of the longer side that have a pixel each */
    MOST_ZOOM = 200,    /* pixels of a point */
    NARROWEST = 64,     /* pixels of the shorter side */
    CURVE_WIDTH = 1000, /* pixels */
    CURVE_HEIGHT = 480,
    GAP = 8,
    TICK = 7,     /* length of a tick */
    MARGIN = 20,  /* around everything */
    BAR_GAP = 28, /* between plot and colour bar */
    BAR_WIDTH = 26,
    TITLE_SIZE = 81 /* longer ones are cut */
};
static const rgb ink = {38, 38, 42};
static const char not_finite_words[] = "not finite";

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* ---- ranges and scales -------------------------------------------------------------------- */

/* from < to whatever was given. */
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

/* A diverging map where both signs count: the weaker has a twentieth of the range at least. */
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

/* The values are the vertical axis, with some room above and below. */
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

/* ---- ticks -------------------------------------------------------------------------------- */

static int widest(const ticks *t)
{
    int width = 0;

    for (int n = 0; n < t->count; n++)
        width = larger(width, canvas_text_width(t->text[n]));
    return width;
}

/* As many as fit side by side. */
static void choose_ticks_across(plot *p)
{
    const double a = p->picture->axis_from[0], b = p->picture->axis_to[0];

    for (int most = p->width / 60; most >= 2; most--) {
        ticks_choose(fmin(a, b), fmax(a, b), most, &p->ticks[0]);
        if ((widest(&p->ticks[0]) + 2 * FONT_ADVANCE) * p->ticks[0].count < p->width)
            return;
    }
    p->ticks[0].count = 0;
}

static void choose_ticks(plot *p)
{
    const double a = p->picture->axis_from[1], b = p->picture->axis_to[1];
    const int most = larger(p->height / 60, 2);

    choose_ticks_across(p);
    if (p->curve)
        ticks_choose(p->from, p->to, most, &p->ticks[1]);
    else
        ticks_choose(fmin(a, b), fmax(a, b), most, &p->ticks[1]);
    ticks_choose(p->from, p->to, most, &p->bar);
}

static void find_not_finite(plot *p)
{
    const int64_t count = p->picture->width * p->picture->height;

    for (int64_t n = 0; n < count && !p->not_finite; n++)
        p->not_finite = !isfinite(p->picture->value[n]);
}

/* ---- layout ------------------------------------------------------------------------------- */

static const char *words_of(const char *words)
{
    return words ? words : "";
}

static int left_margin(const plot *p)
{
    const int name = *words_of(p->picture->axis_name[1]) && !p->curve ? FONT_DEPTH + GAP
                                                                      : 0;

    return MARGIN + name + widest(&p->ticks[1]) + GAP + TICK;
}

static int right_margin(const plot *p)
{
    const int half_label = widest(&p->ticks[0]) / 2;
    const int legend = p->not_finite ? canvas_text_width(not_finite_words) : 0;

    if (p->curve)
        return MARGIN + half_label;
    return BAR_GAP + BAR_WIDTH + TICK + GAP + larger(widest(&p->bar), legend) + MARGIN;
}

static pav_status make_canvas(plot *p)
{
    char title[TITLE_SIZE];

    (void)snprintf(title, sizeof title, "%s", words_of(p->picture->title));
    p->left = left_margin(p);
    p->top = MARGIN + (*title ? FONT_HEIGHT + 2 * GAP : 0);
    const int width = p->left + p->width + right_margin(p);
    const int below = TICK + 3 * GAP + 2 * FONT_HEIGHT + MARGIN;
    const int whole = larger(width, canvas_text_width(title) + 2 * MARGIN);
    if (!canvas_new(&p->canvas, whole, p->top + p->height + below))
        return PAV_ENOMEM;
    const int middle = p->left + p->width / 2 - canvas_text_width(title) / 2;
    const int last = whole - MARGIN - canvas_text_width(title);
    canvas_text(&p->canvas, larger(middle < last ? middle : last, MARGIN), MARGIN, title,
                ink);
    return PAV_OK;
}

/* ---- drawing around the plot -------------------------------------------------------------- */

static void draw_axis_across(const plot *p)
{
    const int bottom = p->top + p->height;
    const char *name = words_of(p->picture->axis_name[0]);

    for (int n = 0; n < p->ticks[0].count; n++) {
        const char *words = p->ticks[0].text[n];
        const int x = p->left + (int)plot_position(p, 0, p->ticks[0].value[n]);
        canvas_fill(&p->canvas, x, bottom, 1, TICK, ink);
        canvas_text(&p->canvas, x - canvas_text_width(words) / 2 + 1, bottom + TICK + GAP,
                    words, ink);
    }
    canvas_text(&p->canvas, p->left + p->width / 2 - canvas_text_width(name) / 2,
                bottom + TICK + 3 * GAP + FONT_HEIGHT, name, ink);
}

static void draw_axis_upwards(const plot *p)
{
    const char *name = p->curve ? "" : words_of(p->picture->axis_name[1]);

    for (int n = 0; n < p->ticks[1].count; n++) {
        const char *words = p->ticks[1].text[n];
        const int y = p->top + p->height - 1 -
                      (int)plot_position(p, 1, p->ticks[1].value[n]);
        canvas_fill(&p->canvas, p->left - TICK, y, TICK, 1, ink);
        canvas_text(&p->canvas, p->left - TICK - GAP - canvas_text_width(words),
                    y - FONT_HEIGHT / 2, words, ink);
    }
    canvas_text_upwards(&p->canvas, MARGIN,
                        p->top + p->height / 2 + canvas_text_width(name) / 2, name, ink);
}

static void draw_bar_ticks(const plot *p, int right)
{
    for (int n = 0; n < p->bar.count; n++) {
        const double share = (p->bar.value[n] / 2 - p->from / 2) /
                             (p->to / 2 - p->from / 2);
        const int y = p->top + p->height - 1 - (int)(share * (p->height - 1) + 0.5);
        canvas_fill(&p->canvas, right, y, TICK, 1, ink);
        canvas_text(&p->canvas, right + TICK + GAP, y - FONT_HEIGHT / 2, p->bar.text[n],
                    ink);
    }
}

static void draw_bar(const plot *p)
{
    const int left = p->left + p->width + BAR_GAP,
              below = p->top + p->height + TICK + GAP;

    for (int y = 0; y < p->height; y++) {
        const double share = (p->height - y - 0.5) / p->height;
        const double value = p->from + share * (p->to / 2 - p->from / 2) * 2;
        canvas_fill(&p->canvas, left, p->top + y, BAR_WIDTH, 1,
                    colours_at(p->map, value, p->from, p->to));
    }
    canvas_frame(&p->canvas, left - 1, p->top - 1, BAR_WIDTH + 2, p->height + 2, ink);
    draw_bar_ticks(p, left + BAR_WIDTH + 1);
    if (!p->not_finite)
        return;
    canvas_fill(&p->canvas, left, below, BAR_WIDTH, FONT_HEIGHT,
                colours_not_finite(p->map));
    canvas_frame(&p->canvas, left - 1, below - 1, BAR_WIDTH + 2, FONT_HEIGHT + 2, ink);
    canvas_text(&p->canvas, left + BAR_WIDTH + 1 + TICK + GAP, below, not_finite_words,
                ink);
}

static void draw_all(const plot *p)
{
    if (p->curve)
        curve_draw(p);
    else
        cells_draw(p);
    canvas_frame(&p->canvas, p->left - 1, p->top - 1, p->width + 2, p->height + 2, ink);
    draw_axis_across(p);
    draw_axis_upwards(p);
    if (!p->curve)
        draw_bar(p);
}

pav_status picture_draw(const picture *what, canvas *result)
{
    plot p = {.picture = what, .curve = what->height == 1 && what->width > 1};

    *result = (canvas){0};
    if (what->width < 1 || what->height < 1)
        return FAIL(PAV_EINVAL, "a picture needs points: it has %lld x %lld",
                    (long long)what->width, (long long)what->height);
    choose_range(&p);
    TRY(choose_colours(&p));
    if (p.curve)
        scale_curve(&p);
    else
        scale_cells(&p);
    choose_ticks(&p);
    find_not_finite(&p);
    TRY(make_canvas(&p));
    draw_all(&p);
    *result = p.canvas;
    return PAV_OK;
}
