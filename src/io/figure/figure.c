/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of measurements: a title, a subtitle with the hardware, a legend, and bars or
 * lines with their axes.
 *
 *     title
 *     subtitle
 *     # f32   # f64   | bound
 *            +-------------+
 *      label |====|        |
 *            +-------------+
 *               axis name
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io_private.h"

enum {
    MARGIN = 24,
    LINE = FONT_HEIGHT + 12,   /* height of a text line above the plot */
    SAMPLE = 2 * FONT_ADVANCE, /* width of a sample in the legend */
    LARGEST = 20000,           /* pixels of a side */
    MOST_VALUES = 10000,
    MOST_SERIES = 64,
};
const rgb figure_ink = {38, 38, 42}, figure_pale = {228, 228, 232};

/* The colours of Okabe and Ito's palette with enough contrast on white. */
rgb figure_colour(int64_t number)
{
    static const rgb colours[] = {{0, 114, 178}, {230, 159, 0},   {0, 158, 115},
                                  {213, 94, 0},  {204, 121, 167}, {86, 180, 233}};

    return colours[number % (int64_t)COUNT_OF(colours)];
}

/* ---- words ------------------------------------------------------------------------- */

double words_width(const char *words)
{
    return words ? canvas_text_width(words) : 0;
}

const char *figure_label(const char *words, char shown[FIGURE_LABEL + 1])
{
    enum { DOTS = 3, FIRST = FIGURE_LABEL / 3, LAST = FIGURE_LABEL - FIRST - DOTS };
    const size_t length = words ? strlen(words) : 0;

    if (length <= FIGURE_LABEL)
        (void)snprintf(shown, FIGURE_LABEL + 1, "%s", words ? words : "");
    else
        (void)snprintf(shown, FIGURE_LABEL + 1, "%.*s...%s", (int)FIRST, words,
                       words + length - LAST);
    return shown;
}

/* ---- the legend -------------------------------------------------------------------- */

static int64_t entries_of(const pav_figure *f)
{
    return f->series_count + (f->mark_name ? 1 : 0);
}

static const char *entry_name(const pav_figure *f, int64_t n)
{
    return n < f->series_count ? f->series[n].name : f->mark_name;
}

/* Draws the legend, or only measures it if l->pen is NULL. Returns its number of lines
 * within `width`; 0 for figures without a legend. */
static int lay_legend(const figure_layout *l, const figure_kind *kind, double left,
                      double top, double width)
{
    double x = left;
    int lines = 0;

    for (int64_t n = 0; kind->sample && n < entries_of(l->figure); n++) {
        const char *name = entry_name(l->figure, n);
        const double wide = SAMPLE + FIGURE_GAP + words_width(name) + 2 * FONT_ADVANCE;
        if (!name)
            continue;
        if (lines == 0 || x + wide > left + width) {
            x = left;
            lines++;
        }
        const double y = top + (lines - 1) * (double)LINE + FONT_HEIGHT / 2.0;
        if (l->pen) {
            kind->sample(l, n, (const double[]){x, y});
            l->pen->ops->words(l->pen, (const double[]){x + SAMPLE + FIGURE_GAP, y},
                               PEN_START, false, name, figure_ink);
        }
        x += wide;
    }
    return lines;
}

/* ---- layout ------------------------------------------------------------------------ */

static double head_width(const pav_figure *f)
{
    return fmax(words_width(f->title), words_width(f->subtitle));
}

void figure_place_axes(figure_layout *l)
{
    l->axis[0].low = l->left;
    l->axis[0].high = l->left + l->width - 1;
    l->axis[1].low = l->top + l->height - 1;
    l->axis[1].high = l->top;
}

static void write_line(const figure_layout *l, const char *words, double *y)
{
    if (!words)
        return;
    l->pen->ops->words(l->pen, (const double[]){MARGIN, *y + FONT_HEIGHT / 2.0},
                       PEN_START, false, words, figure_ink);
    *y += LINE;
}

static pav_status draw(figure_layout *l, const figure_kind *kind, pen *p)
{
    const pav_figure *f = l->figure;

    kind->measure(l);
    l->left += MARGIN;
    const double whole = fmax(l->left + l->width + l->right, head_width(f) + MARGIN);
    const double inner = whole - MARGIN;
    const int heads = (f->title ? 1 : 0) + (f->subtitle ? 1 : 0);
    const int legend = lay_legend(l, kind, MARGIN, 0, inner);
    l->top = MARGIN + FIGURE_GAP + (double)((heads + legend) * LINE);
    figure_place_axes(l);
    const double height = l->top + l->height + FIGURE_BELOW + MARGIN;
    if (whole > LARGEST || height > LARGEST)
        return FAIL(PAV_ELIMIT, "the figure would have %.0f x %.0f pixels, of %d at most",
                    whole, height, LARGEST);
    l->pen = p;
    TRY(p->ops->open(p, (int)whole + MARGIN, (int)height));
    double y = MARGIN;
    write_line(l, f->title, &y);
    write_line(l, f->subtitle, &y);
    (void)lay_legend(l, kind, MARGIN, y, inner);
    kind->draw(l);
    return PAV_OK;
}

/* ---- for callers ------------------------------------------------------------------- */

static pav_status check_series(const pav_figure *f)
{
    if (f->series_count < 1 || f->series_count > MOST_SERIES || !f->series)
        return FAIL(PAV_EINVAL, "a figure needs 1 to %d series, not %lld", MOST_SERIES,
                    (long long)f->series_count);
    for (int64_t n = 0; n < f->series_count; n++)
        if (f->series[n].count < 1 || f->series[n].count > MOST_VALUES || !f->series[n].y)
            return FAIL(PAV_EINVAL,
                        "series %lld of the figure needs 1 to %d values, not %lld",
                        (long long)n, MOST_VALUES, (long long)f->series[n].count);
    return PAV_OK;
}

static pav_status check(const pav_figure *f)
{
    TRY(check_series(f));
    if (f->kind != PAV_FIGURE_BARS && f->kind != PAV_FIGURE_LINES)
        return FAIL(PAV_EINVAL, "a figure is of bars or lines, not of kind %d",
                    (int)f->kind);
    if (f->kind == PAV_FIGURE_BARS && f->logarithmic[0])
        return FAIL(PAV_EINVAL, "bars begin at 0, which no logarithmic axis has");
    return PAV_OK;
}

static pav_status find_pen(const char *path, pen *p)
{
    static const pen_ops *const pens[] = {&canvas_pen, &svg_pen};
    const char *dot = strrchr(path, '.');

    for (size_t n = 0; n < COUNT_OF(pens); n++)
        if (dot && strcmp(dot, pens[n]->ending) == 0) {
            p->ops = pens[n];
            return PAV_OK;
        }
    return FAIL(PAV_EINVAL, "%s: figures are written as .png or .svg", path);
}

pav_status pav_figure_write(const char *path, const pav_figure *figure)
{
    GUARDED;
    figure_layout l = {.figure = figure};
    pen p = {0};

    if (!path)
        return FAIL(PAV_EINVAL, "pav_figure_write needs a path");
    TRY(find_pen(path, &p));
    if (!figure)
        return out_try(path);
    TRY(check(figure));
    pav_status status = draw(&l, figure->kind == PAV_FIGURE_BARS ? &bar_kind : &line_kind,
                             &p);
    if (status == PAV_OK)
        status = p.ops->write(&p, path);
    p.ops->close(&p);
    return status;
}
