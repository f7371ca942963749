/* SPDX-License-Identifier: BSD-3-Clause */
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
#include <math.h>
#include <string.h>

#include "io/io_private.h"

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

static void measure(figure_layout *l)
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

static void draw(const figure_layout *l)
{
    const grid g = find_grid(l->figure);

    for (int64_t panel = 0; panel < g.panels; panel++)
        draw_panel(l, &g, panel);
}

const figure_kind line_kind = {.measure = measure, .draw = draw};
