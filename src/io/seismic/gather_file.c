/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers: all rows of a sample, collected in f32 and written when complete, either a
 * picture with time downwards or the traces of a SEG-Y file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/seismic/segy_private.h"

enum { SHOWN = 1 << 18 }; /* number of values used to find the colour range */

struct trace_gather {
    gather_info info;
    text path, rows; /* rows: floats */
    int64_t count;
    double first, last; /* times */
};

bool gather_is(const char *path)
{
    return path_is_segy(path) || strcmp(path_ending(path), ".png") == 0;
}

pav_status gather_open(const char *path, const gather_info *info, int64_t rows,
                       trace_gather **result)
{
    *result = NULL;
    if (path_is_segy(path))
        TRY(segy_check(path, info, rows));
    TRY(out_try(path));
    trace_gather *g = mem_new(1, sizeof *g);
    if (!g)
        return PAV_ENOMEM;
    g->info = *info;
    text_add(&g->path, "%s", path);
    if (g->path.failed) {
        gather_close(g);
        return PAV_ENOMEM;
    }
    *result = g;
    return PAV_OK;
}

pav_status gather_add(trace_gather *g, const double *row, double time)
{
    for (int64_t k = 0; k < g->info.columns; k++) {
        const float value = (float)row[k];
        text_add_bytes(&g->rows, (const char *)&value, sizeof value);
    }
    if (g->rows.failed)
        return FAIL(PAV_ENOMEM, "the rows of %s have no room in memory: %s", g->path.data,
                    pav_message());
    g->first = g->count == 0 ? time : g->first;
    g->last = time;
    g->count++;
    return PAV_OK;
}

/* ---- pictures ---------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const float one = *(const float *)a, other = *(const float *)b;

    return (one > other) - (one < other);
}

/* The bound not exceeded by 99 % of the values. */
static double clip_of(const float *value, int64_t count)
{
    const int64_t stride = count / SHOWN + 1;
    float *size = mem_new(count / stride + 1, sizeof *size), clip = 0;
    int64_t n = 0;

    for (int64_t k = 0; size && k < count; k += stride)
        if (isfinite(value[k]))
            size[n++] = fabsf(value[k]);
    if (n > 0) {
        qsort(size, (size_t)n, sizeof *size, by_size);
        clip = size[n - 1 - n / 100] > 0 ? size[n - 1 - n / 100] : size[n - 1];
    }
    mem_free(size);
    return clip > 0 ? clip : 1;
}

/* The only axis with different positions; -1 if there are several, or if a position has
 * several traces. */
static int line_axis(const gather_info *g)
{
    int found = -1;

    for (int axis = 0; axis < g->dimensions; axis++)
        for (int64_t k = 1; k < g->columns; k++)
            if (g->position[k * g->dimensions + axis] != g->position[axis]) {
                if (found >= 0 && found != axis)
                    return -1;
                found = axis;
            }
    return g->parts > 1 ? -1 : found;
}

static void name_axes(const trace_gather *g, char *letter, picture *p)
{
    const gather_info *i = &g->info;
    const int axis = line_axis(i);

    p->axis_name[0] = "receiver";
    p->axis_from[0] = 1;
    p->axis_to[0] = (double)i->columns;
    if (axis >= 0) {
        letter[0] = i->letters[axis];
        p->axis_name[0] = letter;
        p->axis_from[0] = i->position[axis];
        p->axis_to[0] = i->position[(i->columns - 1) * i->dimensions + axis];
    }
    p->axis_name[1] = "t";
    p->axis_from[1] = g->last;
    p->axis_to[1] = g->first;
}

/* Picture points per trace: a few traces are widened to make them visible. */
static int64_t width_of(const trace_gather *g)
{
    enum { WIDE = 800 };
    const int64_t wide = g->count < WIDE ? g->count : WIDE;

    return g->info.columns < wide ? wide / g->info.columns : 1;
}

static pav_status write_picture(const trace_gather *g, const float *rows)
{
    const int64_t columns = g->info.columns, wide = width_of(g);
    const double clip = clip_of(rows, columns * g->count);
    double *value = mem_new(columns * wide * g->count, sizeof *value), *to = value;
    char letter[2] = "";
    picture p = {.title = g->info.title,
                 .width = columns * wide,
                 .height = g->count,
                 .value = value,
                 .from = g->info.ranged ? g->info.range[0] : -clip,
                 .to = g->info.ranged ? g->info.range[1] : clip,
                 .colours = g->info.colours ? g->info.colours : "grey"};

    if (!value)
        return PAV_ENOMEM;
    for (int64_t n = g->count - 1; n >= 0; n--)
        for (int64_t k = 0; k < columns * wide; k++)
            *to++ = rows[n * columns + k / wide];
    name_axes(g, letter, &p);
    const pav_status status = png_write(g->path.data, &p);
    mem_free(value);
    return status;
}

/* ---- files ------------------------------------------------------------------------- */

pav_status gather_write(const trace_gather *g)
{
    const float *rows = (const float *)(const void *)g->rows.data;

    if (g->count == 0)
        return PAV_OK;
    return path_is_segy(g->path.data) ? segy_write(g->path.data, &g->info, rows, g->count)
                                      : write_picture(g, rows);
}

const char *gather_path(const trace_gather *g)
{
    return g->path.data;
}

void gather_close(trace_gather *g)
{
    if (!g)
        return;
    text_free(&g->path);
    text_free(&g->rows);
    mem_free(g);
}

/* ---- formats ----------------------------------------------------------------------- */

static pav_status refuse_field(series *s, const char *path, const io_frame *f)
{
    (void)s;
    return FAIL(PAV_EUNSUPPORTED,
                "%s: a SEG-Y file holds traces of a sample, not the field %s", path,
                f->name);
}

const io_format sgy_format = {
    .ending = ".sgy",
    .about = "SEG-Y traces of a sample",
    .write = refuse_field,
};

const io_format segy_format = {
    .ending = ".segy",
    .about = "the same",
    .write = refuse_field,
};
