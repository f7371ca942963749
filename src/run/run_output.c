/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs: a field, or a slice of it as a picture, into a file named after the step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_private.h"

static const char *const axis_names[MAX_DIM] = {"x", "y", "z"};

/* "out/heat.npy" at step 100 is "out/heat-000100.npy"; step < 0: the name as it is. */
pav_status run_path(const pav_run *run, const char *file, int64_t step, text *t)
{
    const char *slash = strrchr(file, '/');
    const char *dot = strrchr(slash ? slash : file, '.');
    const int64_t stem = dot ? dot - file : (int64_t)strlen(file);
    if (run->options.directory && file[0] != '/')
        text_add(t, "%s/", run->options.directory);
    text_add_bytes(t, file, stem);
    if (step >= 0)
        text_add(t, "-%06lld", (long long)step);
    text_add(t, "%s", file + stem);
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

/* Numbers of a plane of a field that outputs show: all of a field in 1-D and 2-D, the slice in 3-D. */
typedef struct plane {
    int axes, axis[2]; /* those along it */
    int cut;           /* the axis across it; -1: none */
    int64_t at;        /* its index there */
    view points;       /* dense, of the field's type */
} plane;

static void choose_plane(const pav_run *run, const statement *s, const view *v, plane *p)
{
    *p = (plane){.cut = -1};
    if (run->code->dim == MAX_DIM) {
        p->cut = s->slice_axis >= 0 ? s->slice_axis : MAX_DIM - 1;
        p->at = s->slice_axis >= 0 ? s->slice_index : v->extent[p->cut] / 2;
    }
    for (int axis = 0; axis < run->code->dim; axis++)
        if (axis != p->cut)
            p->axis[p->axes++] = axis;
}

/* The plane's view, a point at a time: along x the points of a plane may lie rows apart. */
static pav_status copy_plane(const view *v, plane *p)
{
    const int64_t size = (int64_t)pav_type_size(v->type);
    const int64_t width = v->extent[p->axis[0]];
    const int64_t height = p->axes > 1 ? v->extent[p->axis[1]] : 1;
    p->points = (view){.type = v->type,
                       .extent = {width, height, 1},
                       .stride = {1, width, width * height}};
    p->points.data = mem_new(width * height, (size_t)size);
    if (!p->points.data)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < width * height; k++) {
        int64_t point[MAX_DIM] = {0};
        point[p->axis[0]] = k % width;
        if (p->axes > 1)
            point[p->axis[1]] = k / width;
        if (p->cut >= 0)
            point[p->cut] = p->at;
        memcpy((char *)p->points.data + k * size,
               (const char *)v->data + view_index(v, point[0], point[1], point[2]) * size,
               (size_t)size);
    }
    return PAV_OK;
}

static int64_t count_points(const plane *p)
{
    return p->points.extent[0] * p->points.extent[1];
}

/* The coordinate of a point of a field. */
static double coordinate(const pav_run *run, const ir_field *f, int axis, int64_t index)
{
    const axis_grid *g = &run->program->axis[axis];
    const num way = num_mul(num_int(f->coarse ? 2 * index : index), g->span);
    return num_f64(num_add(g->origin, num_div(way, g->over)));
}

static void value_range(const double *value, int64_t count, double *range)
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

/* A 1-D field is a row, drawn as a curve: its vertical axis is the value. */
static void describe_axes(const pav_run *run, const ir_field *f, const plane *shown,
                          picture *p)
{
    p->axis_name[1] = f->name;
    for (int k = 0; k < shown->axes; k++) {
        const int axis = shown->axis[k];
        p->axis_name[k] = axis_names[axis];
        p->axis_from[k] = coordinate(run, f, axis, 0);
        p->axis_to[k] = coordinate(run, f, axis, f->extent[axis] - 1);
    }
}

/* " at z = 0.25": right to a millionth of the spacing. */
static void say_where(const pav_run *run, const ir_field *f, const plane *p, char *where,
                      size_t size)
{
    const double at = coordinate(run, f, p->cut, p->at);
    const double error = 1e-6 * num_f64(run->program->axis[p->cut].step);
    for (int digits = 6; digits <= 17; digits++) {
        const int start = snprintf(where, size, " at %s = ", axis_names[p->cut]);
        snprintf(where + start, size - (size_t)start, "%.*g", digits, at);
        if (fabs(strtod(where + start, NULL) - at) <= error)
            return;
    }
}

/* "u at z = 0.25, step 100". A long name is cut, so that the rest stays. */
static void write_title(const pav_run *run, const ir_field *f, const plane *p,
                        int64_t step, text *t)
{
    char where[64] = "", rest[96];
    if (p->cut >= 0)
        say_where(run, f, p, where, sizeof where);
    const int length = snprintf(rest, sizeof rest, "%s, step %lld", where,
                                (long long)step);
    const int room = PICTURE_TITLE - length;
    if (strlen(f->name) <= (size_t)room)
        text_add(t, "%s%s", f->name, rest);
    else
        text_add(t, "%.*s...%s", room - 3, f->name, rest);
}

static pav_status write_picture(const pav_run *run, const statement *s, const ir_field *f,
                                const plane *shown, const double *value, const char *path)
{
    picture p = {.width = shown->points.extent[0],
                 .height = shown->points.extent[1],
                 .value = value,
                 .colours = s->colours};
    text title = {0}, last = {0};
    double range[2];
    write_title(run, f, shown, run->step, &title);
    write_title(run, f, shown, run->steps > run->step ? run->steps : run->step, &last);
    p.title = title.data;
    p.title_room = (int)last.length;
    describe_axes(run, f, shown, &p);
    value_range(value, count_points(shown), range);
    p.from = s->range[0] ? num_f64(s->range_value[0]) : range[0];
    p.to = s->range[1] ? num_f64(s->range_value[1]) : range[1];
    const bool failed = title.failed || last.failed;
    const pav_status status = failed ? PAV_ENOMEM : png_write(path, &p);
    text_free(&title);
    text_free(&last);
    return status;
}

/* A row for each point: its coordinates along the plane and its value. */
static pav_status write_rows(const pav_run *run, const ir_field *f, const plane *shown,
                             const double *value, const char *path)
{
    const int64_t count = count_points(shown), columns = shown->axes + 1;
    const char *heads[MAX_DIM + 1] = {0};
    double *rows = mem_new(count, (size_t)columns * sizeof *rows);
    if (!rows)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < count; k++) {
        int64_t rest = k;
        for (int a = 0; a < shown->axes; rest /= shown->points.extent[a++])
            rows[k * columns + a] = coordinate(run, f, shown->axis[a],
                                               rest % shown->points.extent[a]);
        rows[k * columns + shown->axes] = value[k];
    }
    for (int a = 0; a < shown->axes; a++)
        heads[a] = axis_names[shown->axis[a]];
    heads[shown->axes] = f->name;
    const pav_status status = csv_write(path, heads, rows, count, columns);
    mem_free(rows);
    return status;
}

static pav_status write_plane(const pav_run *run, const statement *s, const ir_field *f,
                              const io_format *format, const plane *p, const char *path)
{
    if (format->field)
        return npy_write_view(path, p->axes, &p->points);
    double *value = mem_new(count_points(p), sizeof *value);
    if (!value)
        return PAV_ENOMEM;
    view_read(&p->points, PAV_F64, value);
    const pav_status status = format->picture ? write_picture(run, s, f, p, value, path)
                                              : write_rows(run, f, p, value, path);
    mem_free(value);
    return status;
}

static pav_status write_field(const pav_run *run, const statement *s, const char *path)
{
    const int number = run_field_of(run, s->symbol);
    const view *v = run->view[number][1];
    const io_format *format = io_find(path);
    plane p;
    if (!format)
        return PAV_EUNSUPPORTED;
    if (format->field && s->slice_axis < 0)
        return npy_write_view(path, run->code->dim, v);
    choose_plane(run, s, v, &p);
    pav_status status = copy_plane(v, &p);
    if (status == PAV_OK)
        status = write_plane(run, s, &run->code->field[number], format, &p, path);
    mem_free(p.points.data);
    return status;
}

pav_status output_write(pav_run *run, const statement *s)
{
    text usual = {0}, path = {0};
    text_add(&usual, "%s.npy", s->symbol->name);
    const char *file = s->file ? s->file : usual.data;
    pav_status status = file ? run_path(run, file, s->every ? run->step : -1, &path)
                             : PAV_ENOMEM;
    text_free(&usual);
    if (status == PAV_OK)
        status = write_field(run, s, path.data);
    if (status == PAV_OK)
        run_note(run, "step %lld: wrote %s", (long long)run->step, path.data);
    text_free(&path);
    return status;
}
