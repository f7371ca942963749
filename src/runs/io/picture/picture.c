/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a picture: title on top, the plot with its axes, the colour bar to the
 * right.
 *
 *         title
 *        +-------+  +-+
 *      y |       |  | |- range
 *        +-------+  +-+
 *            x */
#include <math.h>
#include <string.h>

#include "io/io_private.h"

/* ---- cells ------------------------------------------------------------------------- */

/* The cells of a picture: each point is a square of pixels, or a pixel is the mean of
 * many points. */

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

/* ---- layout ------------------------------------------------------------------------ */

enum {
    GAP = 8,
    TICK = 7,     /* length of a tick */
    MARGIN = 20,  /* around everything */
    BAR_GAP = 28, /* between plot and colour bar */
    BAR_WIDTH = 26,
    LABEL = 10 * FONT_ADVANCE, /* room for labels of values, whatever these are */
};
static const rgb ink = {38, 38, 42};
static const char not_finite_words[] = "not finite";

/* ---- ticks ------------------------------------------------------------------------- */

static int widest(const ticks *t)
{
    int width = 0;

    for (int n = 0; n < t->count; n++)
        width = int_most(width, canvas_text_width(t->text[n]));
    return width;
}

/* Chooses the most ticks fitting side by side. */
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

/* ---- layout ------------------------------------------------------------------------ */

static const char *words_of(const char *words)
{
    return words ? words : "";
}

/* Left of the plot: coordinates, or the values of a curve. */
static int label_room(const plot *p)
{
    return p->curve ? LABEL : widest(&p->ticks[1]);
}

static int right_margin(const plot *p)
{
    if (p->curve)
        return MARGIN + widest(&p->ticks[0]) / 2;
    return BAR_GAP + BAR_WIDTH + TICK + GAP + LABEL + MARGIN;
}

static pav_status make_canvas(plot *p)
{
    char title[PICTURE_TITLE + 1];

    (void)snprintf(title, sizeof title, "%s", words_of(p->picture->title));
    const bool named = *words_of(p->picture->axis_name[1]) && !p->curve;

    p->left = MARGIN + (named ? FONT_DEPTH + GAP : 0) + label_room(p) + GAP + TICK;
    p->top = MARGIN + (*title ? FONT_HEIGHT + 2 * GAP : 0);
    const int width = p->left + p->width + right_margin(p);
    const int below = TICK + 3 * GAP + 2 * FONT_HEIGHT + MARGIN;
    const int room = p->picture->title_room < PICTURE_TITLE ? p->picture->title_room
                                                            : PICTURE_TITLE;
    const int longest = int_most(canvas_text_width(title), room * FONT_ADVANCE);
    const int whole = int_most(width, longest + 2 * MARGIN);
    if (!canvas_new(&p->canvas, whole, p->top + p->height + below,
                    int_most(p->picture->size, 1)))
        return PAV_ENOMEM;
    const int middle = p->left + p->width / 2 - canvas_text_width(title) / 2;
    const int last = whole - MARGIN - canvas_text_width(title);
    canvas_text(&p->canvas, int_most(middle < last ? middle : last, MARGIN), MARGIN,
                title, ink);
    return PAV_OK;
}

/* ---- drawing around the plot ------------------------------------------------------- */

static void draw_axis_upwards(const plot *p)
{
    const char *name = p->curve ? "" : words_of(p->picture->axis_name[1]);

    for (int n = 0; n < p->ticks[1].count; n++) {
        const char *words = p->ticks[1].text[n];
        const int y = p->top + p->height - 1 -
                      (int)plot_position(p, 1, p->ticks[1].value[n]);
        canvas_fill(&p->canvas, p->left - TICK, y, TICK, 1, ink);
        const int left = p->left - TICK - GAP - canvas_label_width(words, label_room(p));
        canvas_label(&p->canvas, left, y, words, label_room(p), ink);
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
        canvas_label(&p->canvas, right + TICK + GAP, y, p->bar.text[n], LABEL, ink);
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

pav_status picture_draw(const picture *what, canvas *result)
{
    plot p = {.picture = what, .curve = what->height == 1 && what->width > 1};

    *result = (canvas){0};
    if (what->width < 1 || what->height < 1)
        return FAIL(PAV_EINVAL, "a picture needs points: it has %lld x %lld",
                    (long long)what->width, (long long)what->height);
    TRY(plot_scale(&p));
    const double a = p.picture->axis_from[1], b = p.picture->axis_to[1];
    const int most = int_most(p.height / 60, 2);

    choose_ticks_across(&p);
    if (p.curve)
        ticks_choose(p.from, p.to, most, &p.ticks[1]);
    else
        ticks_choose(fmin(a, b), fmax(a, b), most, &p.ticks[1]);
    ticks_choose(p.from, p.to, most, &p.bar);
    for (int64_t n = 0; n < what->width * what->height && !p.not_finite; n++)
        p.not_finite = !isfinite(what->value[n]);
    TRY(make_canvas(&p));
    if (p.curve)
        curve_draw(&p);
    else {
        const int columns = p.width / p.zoom[0], rows = p.height / p.zoom[1];

        for (int row = 0; row < rows; row++)
            for (int column = 0; column < columns; column++) {
                const double value = block_mean(&p, column, row);
                const int y = p.top + p.height - (row + 1) * p.zoom[1];
                canvas_fill(&p.canvas, p.left + column * p.zoom[0], y, p.zoom[0],
                            p.zoom[1], colours_at(p.map, value, p.from, p.to));
            }
    }
    canvas_frame(&p.canvas, p.left - 1, p.top - 1, p.width + 2, p.height + 2, ink);
    const int bottom = p.top + p.height;
    const char *name = words_of(p.picture->axis_name[0]);

    for (int n = 0; n < p.ticks[0].count; n++) {
        const char *words = p.ticks[0].text[n];
        const int x = p.left + (int)plot_position(&p, 0, p.ticks[0].value[n]);
        canvas_fill(&p.canvas, x, bottom, 1, TICK, ink);
        canvas_text(&p.canvas, x - canvas_text_width(words) / 2 + 1, bottom + TICK + GAP,
                    words, ink);
    }
    canvas_text(&p.canvas, p.left + p.width / 2 - canvas_text_width(name) / 2,
                bottom + TICK + 3 * GAP + FONT_HEIGHT, name, ink);
    draw_axis_upwards(&p);
    if (!p.curve)
        draw_bar(&p);
    *result = p.canvas;
    return PAV_OK;
}
