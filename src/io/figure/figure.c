/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of measurements: a title, a subtitle with the hardware, a legend, and bars or
 * lines with their axes.
 *
 * title subtitle # f32 # f64 | bound +-------------+ label |====| | +-------------+ axis
 * name */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io_private.h"

static rgb figure_colour(int64_t number);
static void figure_place_axes(figure_layout *l);

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

static void measure_bars(figure_layout *l)
{
    const pav_figure *f = l->figure;
    const int64_t groups = groups_of(f);
    char shown[FIGURE_LABEL + 1];
    double labels = 0, notes = 0, height = GROUP_GAP;

    axis_begin(&l->axis[0], false);
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

static void dot(const figure_layout *l, double x, double y, double r, rgb colour)
{
    (void)r;
    l->pen->ops->line(l->pen, (const double[]){x, y}, (const double[]){x, y}, 10, colour);
}

static void square(const figure_layout *l, double x, double y, double r, rgb colour)
{
    l->pen->ops->fill(l->pen, x - r, y - r, 2 * r, 2 * r, colour);
}

static void triangle(const figure_layout *l, double x, double y, double r, rgb colour)
{
    stroke(l, x - r, y + r, x + r, y + r, colour);
    stroke(l, x - r, y + r, x, y - r, colour);
    stroke(l, x + r, y + r, x, y - r, colour);
}

static void cross(const figure_layout *l, double x, double y, double r, rgb colour)
{
    stroke(l, x - r, y - r, x + r, y + r, colour);
    stroke(l, x - r, y + r, x + r, y - r, colour);
}

static void diamond(const figure_layout *l, double x, double y, double r, rgb colour)
{
    stroke(l, x - r, y, x, y - r, colour);
    stroke(l, x, y - r, x + r, y, colour);
    stroke(l, x + r, y, x, y + r, colour);
    stroke(l, x, y + r, x - r, y, colour);
}

static void plus(const figure_layout *l, double x, double y, double r, rgb colour)
{
    stroke(l, x - r, y, x + r, y, colour);
    stroke(l, x, y - r, x, y + r, colour);
}

/* When the colours repeat, each colour takes the next shape of point. */
static void draw_point(const figure_layout *l, int64_t number, const double at[2])
{
    static void (*const shapes[])(const figure_layout *l, double x, double y, double r,
                                  rgb colour) = {dot,   square,  triangle,
                                                 cross, diamond, plus};
    const int64_t count = COUNT_OF(shapes);

    shapes[(number + number / count) % count](l, at[0], at[1], 4.5,
                                              figure_colour(number));
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

/* The first series of a panel. */
static int64_t first_of(const pav_figure *f, int64_t panel)
{
    int64_t s = 0;

    while (place_of(f, s) > 0 || panels_before(f, s) < panel)
        s++;
    return s;
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

/* Finds the axes of a panel. All panels have the same horizontal range; the vertical
 * range covers the series of the panel. */
static void find_axes(const pav_figure *f, const grid *g, int64_t of, figure_axis axis[2])
{
    figure_axis unused;

    axis_begin(&axis[0], f->logarithmic[0] != 0);
    axis_begin(&axis[1], f->logarithmic[1] != 0);
    axis_begin(&unused, f->logarithmic[1] != 0);
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
typedef struct labels {
    int64_t series[MOST_LABELS];
    /* x, y: end of the line; at: height of the name */
    double x[MOST_LABELS], y[MOST_LABELS], at[MOST_LABELS];
    int count;
} labels;

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

/* Inserts a label, in the order of the lines' ends, downwards. */
static void add_label(labels *all, int64_t which, const double end[2])
{
    int n = all->count++;

    for (; n > 0 && all->y[n - 1] > end[1]; n--) {
        all->series[n] = all->series[n - 1];
        all->x[n] = all->x[n - 1];
        all->y[n] = all->y[n - 1];
    }
    all->series[n] = which;
    all->x[n] = end[0];
    all->y[n] = end[1];
}

/* Moves names apart so all are legible and none lies below the plot. */
static void part(labels *all, double bottom)
{
    for (int n = 0; n < all->count; n++)
        all->at[n] = n > 0 ? fmax(all->y[n], all->at[n - 1] + LABEL) : all->y[n];
    for (int n = all->count - 1; n >= 0; n--) {
        all->at[n] = fmin(all->at[n], bottom);
        bottom = all->at[n] - LABEL;
    }
}

static void draw_labels(const figure_layout *l, int64_t of)
{
    const double right = l->left + l->width + 2 * FIGURE_GAP;
    labels all = {0};
    double end[2];

    for (int64_t s = of; s < l->figure->series_count && all.count < MOST_LABELS; s++)
        if (share(l->figure, s, of) && l->figure->series[s].name &&
            find_end(l, &l->figure->series[s], end))
            add_label(&all, s, end);
    part(&all, l->top + l->height - LABEL / 2.0);
    for (int n = 0; n < all.count; n++) {
        const rgb colour = figure_colour(place_of(l->figure, all.series[n]));
        if (all.x[n] < right - 4 * FIGURE_GAP || fabs(all.at[n] - all.y[n]) > 2)
            l->pen->ops->line(l->pen, (const double[]){all.x[n], all.y[n]},
                              (const double[]){right - 4, all.at[n]}, 0.7, colour);
        l->pen->ops->words(l->pen, (const double[]){right, all.at[n]}, PEN_START, false,
                           l->figure->series[all.series[n]].name, colour);
    }
}

/* ---- drawing ----------------------------------------------------------------------- */

/* The names of a panel's axes. Axes are named only at the left and the bottom of the
 * figure. */
static pav_figure names_of(const pav_figure *f, const grid *g, int64_t panel)
{
    pav_figure shown = *f;

    if (panel % g->columns > 0)
        shown.axis_name[1] = NULL;
    if (panel + g->columns < g->panels)
        shown.axis_name[0] = NULL;
    return shown;
}

static void draw_panel(const figure_layout *l, const grid *g, int64_t panel)
{
    const int64_t of = first_of(l->figure, panel);
    const pav_figure shown = names_of(l->figure, g, panel);
    const int64_t row = panel / g->columns, column = panel % g->columns;
    figure_layout inner = {.figure = &shown, .pen = l->pen};

    find_axes(l->figure, g, of, inner.axis);
    inner.left = l->left + (double)column * cell_width(g);
    inner.top = l->top + (double)row * cell_height(g) + g->heading;
    inner.width = g->shape.width;
    inner.height = g->shape.height;
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
    draw_labels(&inner, of);
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

/* The colours of Okabe and Ito's palette with enough contrast on white. */
static rgb figure_colour(int64_t number)
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

static void figure_place_axes(figure_layout *l)
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
