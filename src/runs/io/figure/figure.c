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
 *               axis name */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io_private.h"

/* The colours of Okabe and Ito's palette with enough contrast on white. */
static rgb figure_colour(int64_t number)
{
    static const rgb colours[] = {{0, 114, 178}, {230, 159, 0},   {0, 158, 115},
                                  {213, 94, 0},  {204, 121, 167}, {86, 180, 233}};

    return colours[number % (int64_t)COUNT_OF(colours)];
}

static void figure_place_axes(figure_layout *l)
{
    l->axis[0].low = l->left;
    l->axis[0].high = l->left + l->width - 1;
    l->axis[1].low = l->top + l->height - 1;
    l->axis[1].high = l->top;
}

/* ---- bars -------------------------------------------------------------------------- */

/* Figures of horizontal bars: one group per label, from top to bottom, with a bar for
 * each series with a value there. A mark, for example a bound, stands across each bar; a
 * note follows both. */

enum {
    BAR = 18,       /* pixels high */
    BETWEEN = 2,    /* pixels between bars of a group */
    GROUP_GAP = 16, /* pixels between groups */
    WIDTH = 640,    /* width of the plot */
    MOST_TICKS = 8,
};

static int64_t groups_of(const pav_figure *f)
{
    int64_t most = 0;

    for (int64_t s = 0; s < f->series_count; s++)
        most = f->series[s].count > most ? f->series[s].count : most;
    return most;
}

static bool has_bar(const pav_figure_series *s, int64_t n)
{
    return n < s->count && isfinite(s->y[n]);
}

/* The height of a group. An empty group is one bar high, for its label. */
static double group_height(const pav_figure *f, int64_t group)
{
    int64_t bars = 0;

    for (int64_t s = 0; s < f->series_count; s++)
        bars += has_bar(&f->series[s], group);
    return (double)((bars > 0 ? bars : 1) * (BAR + BETWEEN) - BETWEEN);
}

static const char *label_of(const pav_figure *f, int64_t group, char *shown)
{
    return figure_label(f->label ? f->label[group] : NULL, shown);
}

static double mark_of(const pav_figure_series *s, int64_t n)
{
    return s->mark ? s->mark[n] : NAN;
}

static void begin_axis(figure_axis *a, bool logarithmic)
{
    *a = (figure_axis){.logarithmic = logarithmic, .from = INFINITY, .to = -INFINITY};
}

static void measure_bars(figure_layout *l)
{
    const pav_figure *f = l->figure;
    const int64_t groups = groups_of(f);
    char shown[FIGURE_LABEL + 1];
    double labels = 0, notes = 0, height = GROUP_GAP;

    begin_axis(&l->axis[0], false);
    for (int64_t s = 0; s < f->series_count; s++)
        for (int64_t n = 0; n < f->series[s].count; n++) {
            axis_take(&l->axis[0], f->series[s].y[n]);
            axis_take(&l->axis[0], mark_of(&f->series[s], n));
            if (f->series[s].note)
                notes = fmax(notes, words_width(f->series[s].note[n]));
        }
    axis_finish(&l->axis[0], MOST_TICKS, true);
    for (int64_t n = 0; n < groups; n++) {
        labels = fmax(labels, words_width(label_of(f, n, shown)));
        height += group_height(f, n) + GROUP_GAP;
    }
    l->left = labels + 2 * FIGURE_GAP;
    l->width = WIDTH;
    l->height = height;
    l->right = notes + 2 * FIGURE_GAP;
}

/* Draws a mark: dark with a white edge, so it is visible on the bar and beside it. */
static void draw_mark(const figure_layout *l, double x, double y)
{
    static const rgb white = {255, 255, 255};

    l->pen->ops->fill(l->pen, x - 3, y - 1, 6, BAR + 2, white);
    l->pen->ops->fill(l->pen, x - 1.5, y - 2, 3, BAR + 4, figure_ink);
}

static void draw_bar(const figure_layout *l, int64_t number, int64_t n, double y)
{
    const pav_figure_series *s = &l->figure->series[number];
    const figure_axis *a = &l->axis[0];
    const double zero = axis_position(a, 0), mark = mark_of(s, n);
    double end = zero;

    if (axis_shows(a, s->y[n])) {
        end = axis_position(a, s->y[n]);
        l->pen->ops->fill(l->pen, fmin(zero, end), y, fabs(end - zero), BAR,
                          figure_colour(number));
    }
    end = fmax(end, zero);
    if (axis_shows(a, mark)) {
        draw_mark(l, axis_position(a, mark), y);
        end = fmax(end, axis_position(a, mark) + 2);
    }
    if (s->note && s->note[n])
        l->pen->ops->words(l->pen, (const double[]){end + FIGURE_GAP, y + BAR / 2.0},
                           PEN_START, false, s->note[n], figure_ink);
}

static void draw_group(const figure_layout *l, int64_t n, double y)
{
    const pav_figure *f = l->figure;
    const double middle = y + group_height(f, n) / 2;
    char shown[FIGURE_LABEL + 1];

    l->pen->ops->words(l->pen, (const double[]){l->left - 2.0 * FIGURE_GAP + 2, middle},
                       PEN_END, false, label_of(f, n, shown), figure_ink);
    for (int64_t s = 0; s < f->series_count; s++) {
        if (!has_bar(&f->series[s], n))
            continue;
        draw_bar(l, s, n, y);
        y += BAR + BETWEEN;
    }
}

static void draw_bars(const figure_layout *l)
{
    const pav_figure *f = l->figure;
    const double zero = axis_position(&l->axis[0], 0);
    double y = l->top + GROUP_GAP;

    axis_draw_across(l);
    for (int64_t n = 0; n < groups_of(f); n++) {
        draw_group(l, n, y);
        y += group_height(f, n) + GROUP_GAP;
    }
    l->pen->ops->fill(l->pen, zero - 1, l->top, 1, l->height + 1, figure_ink);
}

/* Draws the legend's sample of a series; the number after the last series means the
 * mark. */
static void sample(const figure_layout *l, int64_t number, const double at[2])
{
    const double y = at[1] - BAR / 2.0;

    if (number < l->figure->series_count)
        l->pen->ops->fill(l->pen, at[0], y, 2 * FONT_ADVANCE, BAR, figure_colour(number));
    else
        draw_mark(l, at[0] + FONT_ADVANCE, y);
}

const figure_kind bar_kind = {
    .measure = measure_bars, .draw = draw_bars, .sample = sample};

/* ---- lines ------------------------------------------------------------------------- */

/* A line of a figure, distinguished from others by colour and by the shape of its
 * points. */

static const double thickness = 2.5;

/* Lengths of a dash and of the gap between two dashes, by the kind of dashed line. */
static const double dash[] = {0, 9, 1}, pause[] = {0, 7, 6};

static double line_x(const pav_figure_series *s, int64_t n)
{
    return s->x ? s->x[n] : (double)n;
}

/* ---- strokes ----------------------------------------------------------------------- */

static void stroke(const figure_layout *l, double x0, double y0, double x1, double y1,
                   rgb colour)
{
    l->pen->ops->line(l->pen, (const double[]){x0, y0}, (const double[]){x1, y1},
                      thickness, colour);
}

/* Draws a dashed piece of a line. `along` points to the length of the line so far, so the
 * dashes continue from piece to piece. */
static void dashed(const figure_layout *l, int how, const double from[2],
                   const double to[2], double *along, rgb colour)
{
    const double piece = dash[how > 1 ? 2 : 1], turn = piece + pause[how > 1 ? 2 : 1];
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    const double dx = (to[0] - from[0]) / length, dy = (to[1] - from[1]) / length;

    double at = -fmod(*along, turn);
    while (at < length) {
        const double begin = fmax(at, 0), end = fmin(at + piece, length);
        if (begin < end)
            stroke(l, from[0] + begin * dx, from[1] + begin * dy, from[0] + end * dx,
                   from[1] + end * dy, colour);
        at += turn;
    }
    *along += length;
}

/* Shapes of points: strokes between corners, in units of the point's radius. Without
 * strokes it is a filled square, with a stroke of no length a dot. */
typedef struct point_shape {
    int strokes;
    int stroke[4][4]; /* x and y of both ends */
} point_shape;

static const point_shape point_shapes[] = {
    {1, {{0, 0, 0, 0}}},
    {0, {{0}}},
    {3, {{-1, 1, 1, 1}, {-1, 1, 0, -1}, {1, 1, 0, -1}}},
    {2, {{-1, -1, 1, 1}, {-1, 1, 1, -1}}},
    {4, {{-1, 0, 0, -1}, {0, -1, 1, 0}, {1, 0, 0, 1}, {0, 1, -1, 0}}},
    {2, {{-1, 0, 1, 0}, {0, -1, 0, 1}}},
};

/* When the colours repeat, each colour takes the next shape of point. */
static void draw_point(const figure_layout *l, int64_t number, const double at[2])
{
    const int64_t count = COUNT_OF(point_shapes);
    const point_shape *p = &point_shapes[(number + number / count) % count];
    const rgb colour = figure_colour(number);
    const double r = 4.5;

    if (p->strokes == 0)
        l->pen->ops->fill(l->pen, at[0] - r, at[1] - r, 2 * r, 2 * r, colour);
    else if (p->strokes == 1)
        l->pen->ops->line(l->pen, at, at, 10, colour);
    for (int n = 0; n < p->strokes && p->strokes > 1; n++)
        stroke(l, at[0] + p->stroke[n][0] * r, at[1] + p->stroke[n][1] * r,
               at[0] + p->stroke[n][2] * r, at[1] + p->stroke[n][3] * r, colour);
}

/* ---- series ------------------------------------------------------------------------ */

/* Draws a series. A missing value breaks the line. */
static void line_draw(const figure_layout *l, const pav_figure_series *s, int64_t number)
{
    const rgb colour = figure_colour(number);
    double last[2] = {0}, along = 0;
    bool drawing = false;

    for (int64_t n = 0; n < s->count; n++) {
        const double x = line_x(s, n), y = s->y[n];
        const bool shown = axis_shows(&l->axis[0], x) && axis_shows(&l->axis[1], y);
        if (shown) {
            const double at[2] = {axis_position(&l->axis[0], x),
                                  axis_position(&l->axis[1], y)};
            if (drawing && s->dashed)
                dashed(l, s->dashed, last, at, &along, colour);
            else if (drawing)
                stroke(l, last[0], last[1], at[0], at[1], colour);
            if (!s->dashed)
                draw_point(l, number, at);
            last[0] = at[0];
            last[1] = at[1];
        }
        drawing = shown;
    }
}

/* ---- panels ------------------------------------------------------------------------ */

/* Figures of lines in panels: the series of a panel share a plot. Panels stand in rows;
 * they share the horizontal range, and each has its own vertical range. A name stands at
 * the end of its line.
 *
 *     panel                 panel
 *     +---------+ f32       +---------+
 *     |      __/|           |    ____/| f32
 *     | ____/   | copying   | __/     | copying
 *     +---------+           +---------+
 */

enum {
    ACROSS = 10, /* ticks at most, of one panel */
    UPWARDS = 8,
    LABEL = FONT_HEIGHT + 8, /* pixels from a name to the next one below */
    HEADING = FONT_HEIGHT + 12,
};

/* Sizes of a panel, by the number of panels in a row. */
static const struct shape {
    double width, height;
    int across, upwards;
} shapes[] = {{900, 480, ACROSS, UPWARDS}, {460, 300, 6, 6}, {340, 240, 5, 5}};

typedef struct grid {
    int64_t panels, columns, rows;
    struct shape shape;
    /* left: room for ticks and the axis name of a panel; right: room for labels */
    double left, right;
    double heading;
} grid;

/* ---- series and panels ------------------------------------------------------------- */

static bool share(const pav_figure *f, int64_t a, int64_t b)
{
    const char *one = f->series[a].panel, *other = f->series[b].panel;

    return one && other ? strcmp(one, other) == 0 : one == other;
}

/* Number of earlier series in the same panel. */
static int64_t place_of(const pav_figure *f, int64_t s)
{
    int64_t place = 0;

    for (int64_t n = 0; n < s; n++)
        place += share(f, n, s);
    return place;
}

static int64_t panels_before(const pav_figure *f, int64_t s)
{
    int64_t panels = 0;

    for (int64_t n = 0; n < s; n++)
        panels += place_of(f, n) == 0;
    return panels;
}

/* ---- layout ------------------------------------------------------------------------ */

static void take_series(figure_axis *across, figure_axis *upwards,
                        const pav_figure_series *s)
{
    for (int64_t n = 0; n < s->count; n++) {
        const double x = line_x(s, n), y = s->y[n];
        if (!axis_shows(across, x) || !axis_shows(upwards, y))
            continue;
        axis_take(across, x);
        axis_take(upwards, y);
    }
}

/* Finds the ranges of a panel's axes. The horizontal range covers all series, so it is
 * the same for all panels. The vertical range covers the series of this panel. */
static void find_axes(const pav_figure *f, const grid *g, int64_t of, figure_axis axis[2])
{
    figure_axis unused;

    begin_axis(&axis[0], f->logarithmic[0] != 0);
    begin_axis(&axis[1], f->logarithmic[1] != 0);
    begin_axis(&unused, f->logarithmic[1] != 0);
    for (int64_t s = 0; s < f->series_count; s++)
        take_series(&axis[0], share(f, s, of) ? &axis[1] : &unused, &f->series[s]);
    axis_finish(&axis[0], g->shape.across, false);
    axis_finish(&axis[1], g->shape.upwards, true);
}

static grid find_grid(const pav_figure *f)
{
    grid g = {.panels = panels_before(f, f->series_count)};
    double numbers = 0, names = 0, most = 0;

    g.columns = g.panels > 4 ? 3 : g.panels > 1 ? 2 : 1;
    g.rows = (g.panels + g.columns - 1) / g.columns;
    g.shape = shapes[g.columns - 1];
    for (int64_t s = 0; s < f->series_count; s++) {
        figure_axis axis[2];
        find_axes(f, &g, s, axis);
        numbers = fmax(numbers, axis_widest(&axis[1]));
        names = fmax(names, fmax(words_width(f->series[s].name),
                                 words_width(f->series[s].panel) - g.shape.width));
        most = fmax(most, (double)place_of(f, s) + 1);
        g.heading = f->series[s].panel ? HEADING : g.heading;
    }
    g.shape.height = fmax(g.shape.height, most * LABEL);
    g.left = (f->axis_name[1] ? FONT_DEPTH + FIGURE_GAP : 0) + numbers + 2 * FIGURE_GAP;
    g.right = names + 4 * FIGURE_GAP;
    return g;
}

static double cell_width(const grid *g)
{
    return g->left + g->shape.width + g->right;
}

static double cell_height(const grid *g)
{
    return g->heading + g->shape.height + FIGURE_BELOW;
}

static void measure_panels(figure_layout *l)
{
    const grid g = find_grid(l->figure);

    l->left = g.left;
    l->right = g.right;
    l->width = (double)g.columns * cell_width(&g) - g.left - g.right;
    l->height = (double)g.rows * cell_height(&g) - FIGURE_BELOW;
}

/* ---- names at the ends of lines ---------------------------------------------------- */

enum { MOST_LABELS = 64 };
typedef struct line_label {
    int64_t series;
    double end[2], at; /* the end of the line; height of the name */
} line_label;

static bool find_end(const figure_layout *l, const pav_figure_series *s, double end[2])
{
    int64_t n = s->count - 1;

    while (n >= 0 &&
           (!axis_shows(&l->axis[0], line_x(s, n)) || !axis_shows(&l->axis[1], s->y[n])))
        n--;
    if (n < 0)
        return false;
    end[0] = axis_position(&l->axis[0], line_x(s, n));
    end[1] = axis_position(&l->axis[1], s->y[n]);
    return true;
}

/* ---- drawing ----------------------------------------------------------------------- */

/* Draws a panel. Axes are named only at the left and the bottom of the figure. */
static void draw_panel(const figure_layout *l, const grid *g, int64_t panel)
{
    /* The first series of a panel. */
    int64_t of = 0;

    while (place_of(l->figure, of) > 0 || panels_before(l->figure, of) < panel)
        of++;
    const int64_t row = panel / g->columns, column = panel % g->columns;
    pav_figure shown = *l->figure;
    figure_layout inner = {.figure = &shown,
                           .pen = l->pen,
                           .left = l->left + (double)column * cell_width(g),
                           .top = l->top + (double)row * cell_height(g) + g->heading,
                           .width = g->shape.width,
                           .height = g->shape.height};

    if (column > 0)
        shown.axis_name[1] = NULL;
    if (panel + g->columns < g->panels)
        shown.axis_name[0] = NULL;
    find_axes(l->figure, g, of, inner.axis);
    figure_place_axes(&inner);
    if (shown.series[of].panel)
        l->pen->ops->words(l->pen,
                           (const double[]){inner.left, inner.top - HEADING / 2.0 - 2},
                           PEN_START, false, shown.series[of].panel, figure_ink);
    axis_draw_across(&inner);
    axis_draw_upwards(&inner);
    for (int64_t s = of; s < shown.series_count; s++)
        if (share(&shown, s, of))
            line_draw(&inner, &shown.series[s], place_of(&shown, s));
    /* Draws names in the order of the lines' ends, apart so all are legible and none
     * lies below the plot. */
    const double right = inner.left + inner.width + 2 * FIGURE_GAP;
    double bottom = inner.top + inner.height - LABEL / 2.0;
    line_label all[MOST_LABELS], one = {0};
    int count = 0;

    for (one.series = of; one.series < inner.figure->series_count && count < MOST_LABELS;
         one.series++) {
        const pav_figure_series *s = &inner.figure->series[one.series];
        if (!share(inner.figure, one.series, of) || !s->name ||
            !find_end(&inner, s, one.end))
            continue;
        int n = count++;
        for (; n > 0 && all[n - 1].end[1] > one.end[1]; n--)
            all[n] = all[n - 1];
        all[n] = one;
    }
    for (int n = 0; n < count; n++)
        all[n].at = n > 0 ? fmax(all[n].end[1], all[n - 1].at + LABEL) : all[n].end[1];
    for (int n = count - 1; n >= 0; n--) {
        all[n].at = fmin(all[n].at, bottom);
        bottom = all[n].at - LABEL;
    }
    for (const line_label *k = all; k < all + count; k++) {
        const rgb colour = figure_colour(place_of(inner.figure, k->series));
        if (k->end[0] < right - 4 * FIGURE_GAP || fabs(k->at - k->end[1]) > 2)
            inner.pen->ops->line(inner.pen, k->end, (const double[]){right - 4, k->at},
                                 0.7, colour);
        inner.pen->ops->words(inner.pen, (const double[]){right, k->at}, PEN_START, false,
                              inner.figure->series[k->series].name, colour);
    }
}

static void draw_panels(const figure_layout *l)
{
    const grid g = find_grid(l->figure);

    for (int64_t panel = 0; panel < g.panels; panel++)
        draw_panel(l, &g, panel);
}

const figure_kind line_kind = {.measure = measure_panels, .draw = draw_panels};

/* ---- figures ----------------------------------------------------------------------- */

enum {
    MARGIN = 24,
    LINE = FONT_HEIGHT + 12,   /* height of a text line above the plot */
    SAMPLE = 2 * FONT_ADVANCE, /* width of a sample in the legend */
    LARGEST = 20000,           /* pixels of a side */
    MOST_VALUES = 10000,
    MOST_SERIES = 64,
};
const rgb figure_ink = {38, 38, 42}, figure_pale = {228, 228, 232};

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

/* Draws the legend, or only measures it if l->pen is NULL. Returns its number of lines
 * within `width`; 0 for figures without a legend. */
static int lay_legend(const figure_layout *l, const figure_kind *kind, double left,
                      double top, double width)
{
    double x = left;
    int lines = 0;

    for (int64_t n = 0; kind->sample && n <= l->figure->series_count; n++) {
        const char *name = n < l->figure->series_count ? l->figure->series[n].name
                                                       : l->figure->mark_name;
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
    const double head = fmax(words_width(f->title), words_width(f->subtitle)) + MARGIN,
                 whole = fmax(l->left + l->width + l->right, head);
    const double inner = whole - MARGIN;
    const int heads = (f->title ? 1 : 0) + (f->subtitle ? 1 : 0);
    l->top = MARGIN + FIGURE_GAP +
             (double)((heads + lay_legend(l, kind, MARGIN, 0, inner)) * LINE);
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

static void close_pen(pen *p)
{
    if (p->ops)
        p->ops->close(p);
}

pav_status pav_figure_write(const char *path, const pav_figure *figure)
{
    GUARDED;
    static const pen_ops *const pens[] = {&canvas_pen, &svg_pen};
    figure_layout l = {.figure = figure};
    OWNED_BY(close_pen) pen p = {0};

    if (!path)
        return FAIL(PAV_EINVAL, "pav_figure_write needs a path");
    const char *dot = strrchr(path, '.');
    for (size_t n = 0; n < COUNT_OF(pens); n++)
        if (dot && strcmp(dot, pens[n]->ending) == 0)
            p.ops = pens[n];
    if (!p.ops)
        return FAIL(PAV_EINVAL, "%s: figures are written as .png or .svg", path);
    if (!figure)
        return out_try(path);
    if (figure->series_count < 1 || figure->series_count > MOST_SERIES || !figure->series)
        return FAIL(PAV_EINVAL, "a figure needs 1 to %d series, not %lld", MOST_SERIES,
                    (long long)figure->series_count);
    for (int64_t n = 0; n < figure->series_count; n++)
        if (figure->series[n].count < 1 || figure->series[n].count > MOST_VALUES ||
            !figure->series[n].y)
            return FAIL(PAV_EINVAL,
                        "series %lld of the figure needs 1 to %d values, not %lld",
                        (long long)n, MOST_VALUES, (long long)figure->series[n].count);
    if (figure->kind != PAV_FIGURE_BARS && figure->kind != PAV_FIGURE_LINES)
        return FAIL(PAV_EINVAL, "a figure is of bars or lines, not of kind %d",
                    (int)figure->kind);
    if (figure->kind == PAV_FIGURE_BARS && figure->logarithmic[0])
        return FAIL(PAV_EINVAL, "bars begin at 0, which no logarithmic axis has");
    TRY(draw(&l, figure->kind == PAV_FIGURE_BARS ? &bar_kind : &line_kind, &p));
    return p.ops->write(&p, path);
}
