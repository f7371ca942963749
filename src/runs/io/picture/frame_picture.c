/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts frames of one or two axes to pictures and tables: values, axes and title. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_private.h"

static const char *axis_name(const io_frame *f, int axis)
{
    static const char *const names[] = {"x", "y", "z"};
    const char letter = f->scale[axis].letter;

    return names[letter ? letter - 'x' : axis];
}

/* ---- pictures ---------------------------------------------------------------------- */

/* The axis across a plane of a 3-D grid; -1: none. */
static int axis_across(const io_frame *f)
{
    for (int axis = 0; axis < f->grid_dimensions && f->dimensions < f->grid_dimensions;
         axis++)
        if (axis != f->axis[0] && axis != f->axis[1])
            return axis;
    return -1;
}

/* Writes " at z = 0.25", precise to a millionth of the spacing. */
static void say_where(const io_frame *f, int cut, char *where, size_t size)
{
    const double at = frame_coordinate(f, cut, 0);
    const double error = 1e-6 * frame_spacing(f, cut);

    for (int digits = 6; digits <= 17; digits++) {
        const int start = snprintf(where, size, " at %s = ", axis_name(f, cut));
        snprintf(where + start, size - (size_t)start, "%.*g", digits, at);
        if (fabs(strtod(where + start, NULL) - at) <= error)
            return;
    }
}

/* Writes the title, "u at z = 0.25, t = 0.5, step 100", without t if a step has no
 * length. A long name is cut to keep the rest. */
static void write_title(const io_frame *f, const char *name,
                        char title[PICTURE_TITLE + 1])
{
    char where[64] = "", rest[128], time[32] = "";
    const int cut = axis_across(f);

    if (f->timed || f->time != (double)f->step)
        (void)snprintf(time, sizeof time, ", t = %.6g", f->time);
    if (cut >= 0)
        say_where(f, cut, where, sizeof where);
    const int length = snprintf(rest, sizeof rest, "%s%s, step %lld", where, time,
                                (long long)f->step);
    const int room = PICTURE_TITLE - length;
    const bool fits = (int64_t)strlen(name) <= room;
    (void)snprintf(title, PICTURE_TITLE + 1, "%.*s%s", fits ? room : room - 3, name,
                   fits ? "" : "...");
    const size_t used = strlen(title);
    (void)snprintf(title + used, PICTURE_TITLE + 1 - used, "%s", rest);
}

static void find_range(const double *value, int64_t count, picture_range *range)
{
    range->from = INFINITY;
    range->to = -INFINITY;
    for (int64_t k = 0; k < count; k++)
        if (isfinite(value[k])) {
            range->from = fmin(range->from, value[k]);
            range->to = fmax(range->to, value[k]);
        }
}

static double *read_values(const io_frame *f)
{
    double *value = mem_new(frame_count(f), sizeof *value);

    for (int64_t j = 0; value && j < f->extent[1]; j++)
        frame_read(f, 0, j, 0, f->extent[0], PAV_F64, value + j * f->extent[0]);
    return value;
}

/* ---- stretched axes: pictures have one spacing ------------------------------------- */

/* The position of point i of `count` equally spaced points along side k, in points of the
 * frame. */
static double index_of(const io_frame *f, int k, int64_t i, int64_t count)
{
    const int axis = f->axis[k];
    int64_t low = 0, high = f->extent[k] - 1;

    if (count == 1 || !f->scale[axis].at)
        return count == 1 ? 0 : (double)(i * high) / (double)(count - 1);
    const double from = frame_coordinate(f, axis, 0),
                 to = frame_coordinate(f, axis, high),
                 at = from + (to - from) * (double)i / (double)(count - 1);
    while (high - low > 1) {
        const int64_t mid = low + (high - low) / 2;
        if (frame_coordinate(f, axis, mid) <= at)
            low = mid;
        else
            high = mid;
    }
    const double a = frame_coordinate(f, axis, low), b = frame_coordinate(f, axis, high);
    return fmin((double)low + (at - a) / (b - a), (double)(f->extent[k] - 1));
}

/* Number of equally spaced points along an axis of a picture with a stretched axis. The
 * sides have the proportions of the coordinates; the short side is at least an eighth.
 * SHOWN is a limit because a picture shows hardly more; the finest spacings may appear
 * coarser. */
enum { SHOWN = 1000, FLATTEST = 8 };
static int64_t spread_count(const io_frame *f, int k)
{
    double longest = 0, length[PAV_MAX_DIMENSIONS] = {0};
    int64_t most = 0;

    for (int n = 0; n < f->dimensions; n++) {
        const int axis = f->axis[n];
        length[n] = frame_coordinate(f, axis, f->extent[n] - 1) -
                    frame_coordinate(f, axis, 0);
        longest = fmax(longest, length[n]);
        if (f->scale[axis].at)
            most = int64_most(most, int64_most(SHOWN, 2 * f->extent[n]));
    }
    return most == 0 || f->extent[k] == 1
               ? f->extent[k]
               : (int64_t)ceil((double)most * fmax(length[k] / longest, 1.0 / FLATTEST));
}

static void swap(double *a, double *b)
{
    const double kept = *a;

    *a = *b;
    *b = kept;
}

static bool is_down(const io_frame *f)
{
    return f->dimensions == 2 && f->scale[f->axis[1]].down;
}

/* The values of a field at evenly spaced points, rows of `size[0]`, upwards in the
 * picture. NULL if memory runs out. */
static double *even_values(const io_frame *f, int64_t size[2])
{
    double *value = read_values(f), *all = NULL;

    size[0] = f->extent[0];
    size[1] = f->extent[1];
    if (value && frame_stretched(f)) {
        size[0] = spread_count(f, 0);
        size[1] = spread_count(f, 1);
        all = mem_new(size[0] * size[1], sizeof *all);
        for (int64_t n = 0; all && n < size[0] * size[1]; n++)
            all[n] = picture_between(
                value, f->extent[0],
                (const double[]){index_of(f, 0, n % size[0], size[0]),
                                 index_of(f, 1, n / size[0], size[1])});
        mem_free(value);
        value = all;
    }
    for (int64_t low = 0, high = size[1] - 1; value && is_down(f) && low < high;)
        for (int64_t i = 0, a = low++ * size[0], b = high-- * size[0]; i < size[0]; i++)
            swap(&value[a + i], &value[b + i]);
    return value;
}

/* Takes vectors from every few points, so the longer side has `most` at most. */
static pav_status take_arrows(const io_frame *f, int64_t most, frame_picture *p)
{
    picture_head *h = &p->head;
    int64_t size[2] = {h->width, h->height}, points = 1;

    for (int k = 0; k < 2; k++) {
        h->arrows[k] = int64_least(
            size[k], int64_most(1, most * size[k] / int64_most(size[0], size[1])));
        points *= h->arrows[k];
    }
    TRY(mem_take(&p->arrow, 2 * points, sizeof *p->arrow));
    for (double *to = p->arrow; (f = f->more);) {
        OWNED double *part = even_values(f, size);
        if (!part)
            return PAV_ENOMEM;
        for (int64_t n = 0; n < points; n++)
            *to++ = part[(2 * (n / h->arrows[0]) + 1) * size[1] / (2 * h->arrows[1]) *
                             size[0] +
                         (2 * (n % h->arrows[0]) + 1) * size[0] / (2 * h->arrows[0])];
    }
    for (int64_t n = 0; n < points; n++)
        h->range.longest = fmax(h->range.longest,
                                hypot(p->arrow[n], p->arrow[n + points]));
    return PAV_OK;
}

/* Points the picture to the head and the values. */
static void join(const series_style *style, frame_picture *p)
{
    const picture_head *h = &p->head;
    const double *range = style->ranged ? style->range : &h->range.from;

    p->picture = (picture){.title = h->title,
                           .axis_name = {h->axis_name[0], h->axis_name[1]},
                           .axis_from = {h->axis_from[0], h->axis_from[1]},
                           .axis_to = {h->axis_to[0], h->axis_to[1]},
                           .width = h->width,
                           .height = h->height,
                           .block = h->block,
                           .points = {h->points[0], h->points[1]},
                           .value = p->value,
                           .from = range[0],
                           .to = style->ranged ? range[1] : h->range.to,
                           .style = style->picture,
                           .arrows = {h->arrows[0], h->arrows[1]},
                           .arrow = p->arrow,
                           .longest = h->range.longest};
}

/* Vectors along the longer side: of arrows, and for streamlines. */
enum { ARROWS = 24, FLOW_VECTORS = 96 };

/* A 1-D field is drawn as a curve; its vertical axis is the value. */
pav_status frame_picture_make(const series_style *style, const io_frame *f,
                              frame_picture *p)
{
    const char *name = style->label ? style->label : f->name;
    picture_head *h = &p->head;
    int64_t size[2];

    *p = (frame_picture){.value = even_values(f, size)};
    if (!p->value)
        return PAV_ENOMEM;
    h->width = size[0];
    h->height = size[1];
    write_title(f, name, h->title);
    (void)snprintf(h->axis_name[1], sizeof h->axis_name[1], "%s", name);
    for (int k = 0; k < f->dimensions; k++) {
        const int axis = f->axis[k];
        (void)snprintf(h->axis_name[k], sizeof h->axis_name[k], "%s", axis_name(f, axis));
        h->axis_from[k] = frame_coordinate(f, axis, 0);
        h->axis_to[k] = frame_coordinate(f, axis, f->extent[k] - 1);
    }
    if (is_down(f))
        swap(&h->axis_from[1], &h->axis_to[1]);
    find_range(p->value, size[0] * size[1], &h->range);
    const int64_t most = style->picture.streamlines ? FLOW_VECTORS : ARROWS;
    const pav_status status = f->more ? take_arrows(f, most, p) : PAV_OK;
    if (status == PAV_OK)
        join(style, p);
    else
        frame_picture_free(p);
    return status;
}

void frame_picture_free(frame_picture *p)
{
    MEM_FREE_ALL(p->value, p->arrow);
}

/* ---- kept pictures ----------------------------------------------------------------- */

/* Codes of values: equal parts of the picture's range, and one for values not finite. */
enum { CODES = 65534, NOT_FINITE = 65535, MOST_POINTS = 1200 * 1200 };

pav_status frame_picture_pack(const series_style *style, frame_picture *p, text *bytes)
{
    picture_head *h = &p->head;
    OWNED double *less = NULL;

    TRY(picture_reduce(&p->picture, &less));
    h->width = p->picture.width;
    h->height = p->picture.height;
    h->block = p->picture.block;
    memcpy(h->points, p->picture.points, sizeof h->points);
    const double *value = p->picture.value;
    const int64_t count = h->width * h->height;
    OWNED_NEW(uint16_t, code, count);
    for (int64_t n = 0; n < count; n++) {
        const double share = (value[n] / 2 - h->range.from / 2) /
                             (h->range.to / 2 - h->range.from / 2);
        code[n] = !isfinite(value[n]) ? NOT_FINITE
                  : share > 0         ? (uint16_t)lround(fmin(share, 1) * CODES)
                                      : 0;
    }
    text_add_bytes(bytes, (const char *)h, sizeof *h);
    text_add_bytes(bytes, (const char *)p->arrow,
                   2 * h->arrows[0] * h->arrows[1] * (int64_t)sizeof(double));
    text_add_bytes(bytes, (const char *)code, count * (int64_t)sizeof *code);
    frame_picture_free(p);
    *p = (frame_picture){.value = NULL};
    return bytes->failed ? PAV_ENOMEM
                         : frame_picture_unpack(style, bytes->data, bytes->length, p);
}

/* A stranger's bytes are refused by their size. */
pav_status frame_picture_unpack(const series_style *style, const char *bytes,
                                int64_t length, frame_picture *p)
{
    picture_head *h = &p->head;
    const char *at = bytes + sizeof *h;
    uint16_t code;

    *p = (frame_picture){.value = NULL};
    if (length >= (int64_t)sizeof *h)
        memcpy(h, bytes, sizeof *h);
    const bool fits = h->width > 0 && h->height > 0 && h->width <= MOST_POINTS &&
                      h->height <= MOST_POINTS && h->arrows[0] >= 0 &&
                      h->arrows[1] >= 0 && h->arrows[0] <= h->width &&
                      h->arrows[1] <= h->height;
    const int64_t count = h->width * h->height, arrows = 2 * h->arrows[0] * h->arrows[1];
    if (!fits || length != (int64_t)sizeof *h + 8 * arrows + 2 * count)
        return FAIL(PAV_EFORMAT, "a picture of the animation is damaged");
    h->title[PICTURE_TITLE] = h->axis_name[0][PICTURE_TITLE] = '\0';
    h->axis_name[1][PICTURE_TITLE] = '\0';
    TRY(mem_take(&p->value, count, sizeof *p->value));
    TRY(mem_take(&p->arrow, arrows + 1, sizeof *p->arrow));
    memcpy(p->arrow, at, (size_t)arrows * sizeof *p->arrow);
    for (int64_t n = 0; n < count; n++) {
        memcpy(&code, at + 8 * arrows + 2 * n, sizeof code);
        const double share = (double)code / CODES;
        p->value[n] = code == NOT_FINITE
                          ? NAN
                          : (1 - share) * h->range.from + share * h->range.to;
    }
    join(style, p);
    return PAV_OK;
}

/* Memory: the values of a field and of arrows as doubles, and five buffers of the largest
 * canvas for drawing, packing and compressing. File: the pixels plus an eighth, and what
 * is kept. */
frame_need frame_picture_need(const io_frame *f)
{
    enum { PIXELS = 1600 * 1500 * 3, KEPT = 4 * MOST_POINTS };
    const int64_t pixels = PIXELS * int64_most(1, f->size * f->size);

    return (frame_need){2 * frame_count(f) * (int64_t)sizeof(double) + 5 * pixels + KEPT,
                        pixels + pixels / 8 + KEPT, false};
}

/* ---- tables ------------------------------------------------------------------------ */

/* A row for each point: its coordinates along the frame and its value. */
static pav_status write_rows(series *s, const char *path, const io_frame *f)
{
    const int columns = f->dimensions + 1;
    const int64_t count = frame_count(f);
    const char *heads[PAV_MAX_DIMENSIONS + 1] = {0};
    OWNED double *value = read_values(f);
    OWNED double *rows = value ? mem_new(count, (size_t)columns * sizeof *rows) : NULL;

    (void)s;
    if (!rows)
        return PAV_ENOMEM;
    for (int a = 0; a < f->dimensions; a++)
        heads[a] = axis_name(f, f->axis[a]);
    heads[f->dimensions] = f->name;
    for (int64_t k = 0; k < count; k++) {
        double *row = rows + k * columns;
        int64_t rest = k;
        for (int a = 0; a < f->dimensions; rest /= f->extent[a++])
            row[a] = frame_coordinate(f, f->axis[a], rest % f->extent[a]);
        row[f->dimensions] = value[k];
    }
    return csv_write(path, heads, rows, count, columns);
}

static frame_need need_of_rows(const io_frame *f)
{
    const int64_t numbers = frame_count(f) * (f->dimensions + 1);

    return (frame_need){(numbers + frame_count(f)) * (int64_t)sizeof(double) +
                            2 * numbers * MOST_DIGITS,
                        numbers * MOST_DIGITS, false};
}

const io_format csv_format = {
    .ending = ".csv",
    .about = "comma-separated values",
    .table = true,
    .write = write_rows,
    .need = need_of_rows,
};
