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

/* A picture with too many points for a pixel each shows means of blocks. Blocks with a
 * value that is not finite are not finite. */
pav_status picture_reduce(picture *p, double **owned)
{
    enum { LARGEST = 1200, LARGEST_CURVE = 4000 };
    const int64_t points[] = {p->width, p->height};
    const int64_t block = int_parts(int64_most(points[0], points[1]),
                                    points[1] == 1 ? LARGEST_CURVE : LARGEST);
    const int64_t size[] = {int_parts(points[0], block), int_parts(points[1], block)};

    if (block == 1)
        return PAV_OK;
    TRY(mem_take(owned, size[0] * size[1], sizeof **owned));
    for (int64_t n = 0; n < size[0] * size[1]; n++) {
        const int64_t i0 = n % size[0] * block, i1 = int64_least(i0 + block, points[0]);
        const int64_t j0 = n / size[0] * block, j1 = int64_least(j0 + block, points[1]);
        const double count = (double)(i1 - i0) * (double)(j1 - j0);
        for (int64_t k = 0; k < (i1 - i0) * (j1 - j0); k++)
            (*owned)[n] +=
                p->value[(j0 + k / (i1 - i0)) * points[0] + i0 + k % (i1 - i0)] / count;
    }
    memcpy(p->points, points, sizeof points);
    p->block = block;
    p->value = *owned;
    p->width = size[0];
    p->height = size[1];
    return PAV_OK;
}

double picture_between(const double *value, int64_t row, const double index[2])
{
    double sum = 0;

    for (int corner = 0; corner < 4; corner++) {
        double weight = 1;
        int64_t at[2];
        for (int k = 0; k < 2; k++) {
            const int64_t low = (int64_t)index[k];
            const double part = index[k] - (double)low;
            at[k] = low + (corner >> k & 1);
            weight *= corner >> k & 1 ? part : 1 - part;
        }
        if (weight > 0)
            sum += weight * value[at[1] * row + at[0]];
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
static const rgb ink = {38, 38, 42}, white = {255, 255, 255};
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

/* A title too long for the picture is written small, so all pictures of a series have one
 * size. */
static pav_status make_canvas(plot *p)
{
    const char *title = words_of(p->picture->title);
    p->left = MARGIN +
              (*words_of(p->picture->axis_name[1]) && !p->curve ? FONT_DEPTH + GAP : 0) +
              label_room(p) + GAP + TICK;
    p->top = MARGIN + (*title ? FONT_HEIGHT + 2 * GAP : 0);
    const int width = p->left + p->width +
                      (p->curve ? MARGIN + widest(&p->ticks[0]) / 2
                                : BAR_GAP + BAR_WIDTH + TICK + GAP + LABEL + MARGIN);
    const int below = TICK + 3 * GAP + 2 * FONT_HEIGHT + MARGIN;
    const int room = width - 2 * MARGIN, length = canvas_label_width(title, room);
    if (!canvas_new(&p->canvas, width, p->top + p->height + below,
                    int_most((int)p->picture->style.size, 1)))
        return PAV_ENOMEM;
    const int middle = p->left + p->width / 2 - length / 2;
    canvas_label(&p->canvas, int_most(int_least(middle, width - MARGIN - length), MARGIN),
                 MARGIN + FONT_HEIGHT / 2, title, room, ink);
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
        canvas_label(&p->canvas,
                     p->left - TICK - GAP - canvas_label_width(words, label_room(p)), y,
                     words, label_room(p), ink);
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

static void frame(const canvas *c, int x, int y, int width, int height, rgb colour)
{
    canvas_fill(c, x, y, width, 1, colour);
    canvas_fill(c, x, y + height - 1, width, 1, colour);
    canvas_fill(c, x, y, 1, height, colour);
    canvas_fill(c, x + width - 1, y, 1, height, colour);
}

static void draw_bar(const plot *p)
{
    const int left = p->left + p->width + BAR_GAP,
              below = p->top + p->height + TICK + GAP;

    for (int y = 0; y < p->height; y++) {
        const double share = (p->height - y - 0.5) / p->height;
        canvas_fill(&p->canvas, left, p->top + y, BAR_WIDTH, 1,
                    colours_at(p->map, p->from + share * (p->to / 2 - p->from / 2) * 2,
                               p->from, p->to));
    }
    frame(&p->canvas, left - 1, p->top - 1, BAR_WIDTH + 2, p->height + 2, ink);
    draw_bar_ticks(p, left + BAR_WIDTH + 1);
    if (!p->not_finite)
        return;
    canvas_fill(&p->canvas, left, below, BAR_WIDTH, FONT_HEIGHT,
                colours_at(p->map, NAN, 0, 1));
    frame(&p->canvas, left - 1, below - 1, BAR_WIDTH + 2, FONT_HEIGHT + 2, ink);
    canvas_text(&p->canvas, left + BAR_WIDTH + 1 + TICK + GAP, below, not_finite_words,
                ink);
}

/* ---- contours and arrows ----------------------------------------------------------- */

/* Draws a level inside a triangle of values at pixels, in a colour that differs from its
 * own. Where a value is not finite, there is no contour. */
static void draw_level(const plot *p, const double *const at[3], double level)
{
    const rgb c = colours_at(p->map, level, p->from, p->to);
    double end[3][2];
    int ends = 0;

    for (int k = 0; k < 3; k++) {
        const double *a = at[k], *b = at[(k + 1) % 3];
        const double share = (level / 2 - a[2] / 2) / (b[2] / 2 - a[2] / 2);
        if (!isfinite(share) || (a[2] < level) == (b[2] < level))
            continue;
        end[ends][0] = a[0] + share * (b[0] - a[0]);
        end[ends++][1] = a[1] + share * (b[1] - a[1]);
    }
    if (ends == 2)
        canvas_line(&p->canvas, end[0], end[1], 1.5,
                    299 * c.r + 587 * c.g + 114 * c.b > 128000 ? ink : white);
}

/* Four triangles lie between four cells. They meet in the middle, at the mean. */
static void draw_contours(const plot *p)
{
    const int64_t columns = p->picture->width, rows = p->picture->height;

    for (int64_t n = 0; p->levels.count > 0 && n < (columns - 1) * (rows - 1); n++) {
        double at[5][3] = {{0}};
        for (int k = 0; k < 4; k++) {
            const int64_t i = n % (columns - 1) + (k == 1 || k == 2),
                          j = n / (columns - 1) + k / 2;
            at[k][0] = p->left + ((double)i + 0.5) * p->zoom[0];
            at[k][1] = p->top + p->height - ((double)j + 0.5) * p->zoom[1];
            at[k][2] = p->picture->value[j * columns + i];
            for (int m = 0; m < 3; m++)
                at[4][m] += at[k][m] / 4;
        }
        for (int k = 0; k < 4 * p->levels.count; k++)
            draw_level(p, (const double *const[]){at[k % 4], at[(k + 1) % 4], at[4]},
                       p->levels.value[k / 4]);
    }
}

/* An arrow is black with a white edge, so it is visible on all colours. */
static void draw_arrow(const plot *p, const double middle[2], double dx, double dy)
{
    const double tip[] = {middle[0] + dx / 2, middle[1] + dy / 2};

    for (int edge = 1; edge >= 0; edge--)
        for (int k = -1; k <= 1; k++) {
            const double back = k ? 0.35 : 1, side = 0.2 * k;
            canvas_line(&p->canvas, tip,
                        (const double[]){tip[0] - back * dx + side * dy,
                                         tip[1] - back * dy - side * dx},
                        edge ? 4 : 2, edge ? white : ink);
        }
}

static void draw_arrows(const plot *p)
{
    const picture *what = p->picture;
    const int64_t count = what->arrows[0] * what->arrows[1];
    char words[64];

    for (int64_t n = 0; n < count && what->longest > 0 && !what->style.streamlines; n++) {
        const int64_t i = n % what->arrows[0], j = n / what->arrows[0];
        const double column = (double)i + 0.5, row = (double)j + 0.5;
        const double wide = (double)p->width / (double)what->arrows[0],
                     high = (double)p->height / (double)what->arrows[1];
        const double length = 0.9 * fmin(wide, high);
        const double dx = length * (what->arrow[n] / what->longest),
                     dy = -length * (what->arrow[n + count] / what->longest);
        if (isfinite(dx) && isfinite(dy) && hypot(dx, dy) >= 1)
            draw_arrow(p,
                       (const double[]){p->left + column * wide,
                                        p->top + p->height - row * high},
                       dx, what->axis_from[1] <= what->axis_to[1] ? dy : -dy);
    }
    (void)snprintf(words, sizeof words, "longest %s %.4g",
                   what->style.streamlines ? "vector" : "arrow", what->longest);
    if (count > 0)
        canvas_label(&p->canvas, p->left,
                     p->top + p->height + TICK + 3 * GAP + 3 * FONT_HEIGHT / 2, words,
                     p->width / 3, ink);
}

/* ---- streamlines ------------------------------------------------------------------- */

/* A line follows the vectors both ways from a seed, the middle of a square cell of the
 * plot. It ends near the edge, at a cell with another line, or without a direction. So
 * lines keep a cell apart, and every cell is tried as a seed. Places are pixels from the
 * lower left corner of the plot. */
enum {
    FLOW_CELLS = 30,    /* along the longer side, at most */
    FLOW_STEP = 3,      /* pixels */
    FLOW_STEPS = 1500,  /* each way, at most */
    FLOW_SHORTEST = 15, /* steps of a line */
    FLOW_HEAD = 6,      /* steps of the arrow in its middle */
    FLOW_EDGE = 2,      /* pixels */
    FLOW_PRIME = 1621,
};
typedef struct flow {
    const plot *plot;
    int columns, cell, first, last; /* cell: its side; the line: path[first .. last] */
    bool taken[FLOW_CELLS * FLOW_CELLS];
    double path[2 * FLOW_STEPS + 1][2];
} flow;

static bool *cell_of(flow *f, const double at[2])
{
    return &f->taken[(int)at[1] / f->cell * f->columns + (int)at[0] / f->cell];
}

/* Moves from a place along the direction at another place. False if there is none, or at
 * the edge. */
static bool move_along(const plot *p, const double from[2], const double place[2],
                       double pixels, double to[2])
{
    const picture *what = p->picture;
    const double size[] = {p->width, p->height};
    double index[2];

    for (int k = 0; k < 2; k++)
        index[k] = fmin(fmax(place[k] / size[k] * (double)what->arrows[k] - 0.5, 0),
                        (double)what->arrows[k] - 1);
    for (int k = 0; k < 2; k++)
        to[k] = picture_between(what->arrow + k * what->arrows[0] * what->arrows[1],
                                what->arrows[0], index) /
                what->longest * (size[k] - p->zoom[k]) /
                (what->axis_to[k] - what->axis_from[k]);
    const double share = pixels / sqrt(to[0] * to[0] + to[1] * to[1]);
    for (int k = 0; k < 2; k++)
        to[k] = from[k] + share * to[k];
    return to[0] >= FLOW_EDGE && to[0] <= size[0] - FLOW_EDGE && to[1] >= FLOW_EDGE &&
           to[1] <= size[1] - FLOW_EDGE;
}

/* Finds the line of a seed. */
static void trace(flow *f, const double seed[2])
{
    f->first = f->last = FLOW_STEPS;
    memcpy(f->path[FLOW_STEPS], seed, sizeof f->path[0]);
    *cell_of(f, seed) = true;
    for (int way = -1; way <= 1; way += 2)
        for (int n = 0; n < FLOW_STEPS; n++) {
            const double *at = f->path[FLOW_STEPS + way * n];
            double *next = f->path[FLOW_STEPS + way * (n + 1)], half[2];
            if (!move_along(f->plot, at, at, 0.5 * way * FLOW_STEP, half) ||
                !move_along(f->plot, at, half, way * FLOW_STEP, next) ||
                (cell_of(f, next) != cell_of(f, at) && *cell_of(f, next)))
                break;
            *cell_of(f, next) = true;
            *(way < 0 ? &f->first : &f->last) += way;
        }
}

/* Lines look as arrows do. One arrow shows the direction of each. */
static void draw_streamline(const flow *f)
{
    const plot *p = f->plot;

    for (int n = 0; n <= 2 * (f->last - f->first); n++) {
        const bool edge = n < f->last - f->first, arrow = n == 2 * (f->last - f->first);
        const int at = arrow ? (f->first + f->last) / 2
                             : f->first + n % (f->last - f->first);
        const double *a = f->path[at], *b = f->path[at + 1];
        const double from[] = {p->left + a[0], p->top + p->height - a[1]},
                     to[] = {p->left + b[0], p->top + p->height - b[1]};
        if (arrow)
            draw_arrow(p, from, FLOW_HEAD * (to[0] - from[0]),
                       FLOW_HEAD * (to[1] - from[1]));
        else
            canvas_line(&p->canvas, from, to, edge ? 4 : 2, edge ? white : ink);
    }
}

/* Seeds are scattered: the cells in turn, in steps of a prime. */
static pav_status draw_streamlines(const plot *p)
{
    const int cell = int_most(p->width, p->height) / FLOW_CELLS + 1,
              columns = (p->width - 1) / cell + 1, rows = (p->height - 1) / cell + 1;
    OWNED_NEW(flow, f, 1);

    *f = (flow){.plot = p, .columns = columns, .cell = cell};
    for (int n = 0; n < rows * columns && p->picture->longest > 0; n++) {
        const int at = n * FLOW_PRIME % (rows * columns), row = at / columns;
        const double seed[] = {fmin((at % columns + 0.5) * cell, p->width - 1),
                               fmin((row + 0.5) * cell, p->height - 1)};
        if (*cell_of(f, seed))
            continue;
        trace(f, seed);
        if (f->last - f->first >= FLOW_SHORTEST)
            draw_streamline(f);
        else
            while (f->first <= f->last)
                *cell_of(f, f->path[f->first++]) = false;
    }
    return PAV_OK;
}

pav_status picture_draw(const picture *what, canvas *result)
{
    OWNED double *less = NULL;
    picture small = *what;
    plot p = {.picture = &small, .curve = what->height == 1 && what->width > 1};

    *result = (canvas){0};
    if (what->width < 1 || what->height < 1)
        return FAIL(PAV_EINVAL, "a picture needs points: it has %lld x %lld",
                    (long long)what->width, (long long)what->height);
    TRY(picture_reduce(&small, &less));
    TRY(plot_scale(&p));
    const double a = p.picture->axis_from[1], b = p.picture->axis_to[1];
    const int most = int_most(p.height / 60, 2);

    choose_ticks_across(&p);
    if (p.curve)
        ticks_choose(p.from, p.to, most, &p.ticks[1]);
    else
        ticks_choose(fmin(a, b), fmax(a, b), most, &p.ticks[1]);
    ticks_choose(p.from, p.to, most, &p.bar);
    if (small.style.levels && small.style.contours > 0)
        memcpy(p.levels.value, small.style.levels,
               (size_t)(p.levels.count = (int)small.style.contours) * sizeof(double));
    else if (small.style.contours > 0)
        ticks_choose(p.from, p.to, (int)small.style.contours, &p.levels);
    for (int64_t n = 0; n < small.width * small.height && !p.not_finite; n++)
        p.not_finite = !isfinite(small.value[n]);
    TRY(make_canvas(&p));
    if (p.curve)
        curve_draw(&p);
    else {
        for (int y = 1; y <= small.height; y++)
            for (int x = 0; x < small.width; x++)
                canvas_fill(&p.canvas, p.left + x * p.zoom[0],
                            p.top + p.height - y * p.zoom[1], p.zoom[0], p.zoom[1],
                            colours_at(p.map, small.value[(y - 1) * small.width + x],
                                       p.from, p.to));
    }
    draw_contours(&p);
    draw_arrows(&p);
    const pav_status status = small.style.streamlines ? draw_streamlines(&p) : PAV_OK;
    frame(&p.canvas, p.left - 1, p.top - 1, p.width + 2, p.height + 2, ink);
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
    return status;
}
