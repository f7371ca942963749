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
 * length. A long name is cut to keep the rest. `time` is printed, or as wide as any time.
 * Returns the length. */
static int write_title(const io_frame *f, const char *name, int64_t step, bool widest,
                       char title[PICTURE_TITLE + 1])
{
    char where[64] = "", rest[128], time[32] = "";
    const int cut = axis_across(f);

    if (f->time != (double)f->step)
        (void)snprintf(time, sizeof time, ", t = %.6g", widest ? -1.23456e-100 : f->time);

    if (cut >= 0)
        say_where(f, cut, where, sizeof where);
    const int length = snprintf(rest, sizeof rest, "%s%s, step %lld", where, time,
                                (long long)step);
    const int room = PICTURE_TITLE - length;
    if (strlen(name) <= (size_t)room)
        return snprintf(title, PICTURE_TITLE + 1, "%s%s", name, rest);
    return snprintf(title, PICTURE_TITLE + 1, "%.*s...%s", room - 3, name, rest);
}

static void find_range(const double *value, int64_t count, double *range)
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int64_t k = 0; k < count; k++) {
        range[0] = value[k] < range[0] ? value[k] : range[0];
        range[1] = value[k] > range[1] ? value[k] : range[1];
    }
    if (!(range[0] <= range[1]))
        range[0] = range[1] = 0;
}

static double *read_values(const io_frame *f)
{
    double *value = mem_new(frame_count(f), sizeof *value);

    for (int64_t j = 0; value && j < f->extent[1]; j++)
        frame_read(f, 0, j, 0, f->extent[0], PAV_F64, value + j * f->extent[0]);
    return value;
}

/* ---- stretched axes: pictures have one spacing ------------------------------------- */

/* Interpolates linearly between points of the frame. */
static double value_between(const io_frame *f, const double *value, const double *index)
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
            sum += weight * value[at[1] * f->extent[0] + at[0]];
    }
    return sum;
}

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
    if (most == 0 || f->extent[k] == 1)
        return f->extent[k];
    return (int64_t)ceil((double)most * fmax(length[k] / longest, 1.0 / FLATTEST));
}

/* Fills in the axes. A 1-D field is drawn as a curve; its vertical axis is the value. */
static void describe_axes(const io_frame *f, const char *name, picture *p)
{
    p->axis_name[1] = name;
    for (int k = 0; k < f->dimensions; k++) {
        const int axis = f->axis[k];
        p->axis_name[k] = axis_name(f, axis);
        p->axis_from[k] = frame_coordinate(f, axis, 0);
        p->axis_to[k] = frame_coordinate(f, axis, f->extent[k] - 1);
    }
}

static void swap(double *a, double *b)
{
    const double kept = *a;

    *a = *b;
    *b = kept;
}

/* Turns the picture, so the first row is on top. */
static void turn_down(picture *p, double *value)
{
    for (int64_t low = 0, high = p->height - 1; low < high; low++, high--)
        for (int64_t i = 0; i < p->width; i++)
            swap(&value[low * p->width + i], &value[high * p->width + i]);
    swap(&p->axis_from[1], &p->axis_to[1]);
}

pav_status frame_picture_make(const series_style *style, const io_frame *f,
                              frame_picture *p)
{
    char last[PICTURE_TITLE + 1];
    const int64_t last_step = style->last_step > f->step ? style->last_step : f->step;
    const char *name = style->label ? style->label : f->name;
    double range[2];

    *p = (frame_picture){.value = read_values(f)};
    if (!p->value)
        return PAV_ENOMEM;
    write_title(f, name, f->step, false, p->title);
    p->picture = (picture){.title_room = write_title(f, name, last_step, true, last),
                           .width = f->extent[0],
                           .height = f->extent[1],
                           .value = p->value,
                           .colours = style->colours};
    find_range(p->value, frame_count(f), range);
    if (frame_stretched(f)) {
        const int64_t nx = spread_count(f, 0), ny = spread_count(f, 1);
        double *all = mem_new(nx * ny, sizeof *all);

        for (int64_t j = 0; all && j < ny; j++)
            for (int64_t i = 0; i < nx; i++) {
                const double index[] = {index_of(f, 0, i, nx), index_of(f, 1, j, ny)};
                all[j * nx + i] = value_between(f, p->value, index);
            }
        p->picture.width = nx;
        p->picture.height = ny;
        mem_free(p->value);
        p->picture.value = p->value = all;
        if (!all)
            return PAV_ENOMEM;
    }
    describe_axes(f, name, &p->picture);
    if (f->dimensions == 2 && f->scale[f->axis[1]].down)
        turn_down(&p->picture, p->value);
    p->picture.from = style->ranged ? style->range[0] : range[0];
    p->picture.to = style->ranged ? style->range[1] : range[1];
    return PAV_OK;
}

static void free_values(frame_picture *p)
{
    mem_free(p->value);
}

static pav_status write_picture(series *s, const char *path, const io_frame *f)
{
    OWNED_BY(free_values) frame_picture p = {.value = NULL};

    TRY(frame_picture_make(&s->style, f, &p));
    p.picture.title = p.title;
    return png_write(path, &p.picture);
}

/* Memory: the values as doubles, and five buffers of the largest canvas for drawing,
 * packing and compressing. File: the pixels plus an eighth. */
frame_need frame_picture_need(const io_frame *f)
{
    enum { PIXELS = 1600 * 1500 * 3 };

    return (frame_need){frame_count(f) * (int64_t)sizeof(double) + 5 * PIXELS,
                        PIXELS + PIXELS / 8, false};
}

const io_format png_format = {
    .ending = ".png",
    .about = "picture of a slice",
    .picture = true,
    .write = write_picture,
    .need = frame_picture_need,
};

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

    return (frame_need){(numbers + frame_count(f)) * (int64_t)sizeof(double),
                        numbers * MOST_DIGITS, false};
}

const io_format csv_format = {
    .ending = ".csv",
    .about = "comma-separated values",
    .table = true,
    .write = write_rows,
    .need = need_of_rows,
};
