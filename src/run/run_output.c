/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs: a field, or a slice of it as a picture, into a file named after the step; samples and
 * measures into tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"

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

/* The two axes of the picture: those left when the slice's is taken out. */
static void picture_axes(const pav_run *run, const statement *s, int *axes)
{
    const int dim = run->code->dim;
    const int cut = dim < 3 ? dim : s->slice_axis >= 0 ? s->slice_axis : 2;
    int n = 0;
    for (int axis = 0; axis < MAX_DIM && n < 2; axis++)
        if (axis != cut)
            axes[n++] = axis;
}

static double *slice_values(const view *v, const int *axes, int64_t *point)
{
    const int64_t width = v->extent[axes[0]], height = v->extent[axes[1]];
    const int64_t size = (int64_t)pav_type_size(v->type);
    int64_t count;
    double *value = mul_fits(width, height, &count) ? mem_new(count, sizeof *value)
                                                    : NULL;
    for (int64_t row = 0; value && row < height; row++)
        for (int64_t column = 0; column < width; column++) {
            point[axes[0]] = column;
            point[axes[1]] = row;
            const int64_t at = view_index(v, point[0], point[1], point[2]);
            value[row * width + column] = type_load(v->type,
                                                    (const char *)v->data + at * size);
        }
    return value;
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
static void describe_axes(const pav_run *run, const ir_field *f, const int *axes,
                          picture *p)
{
    p->axis_name[1] = f->name;
    for (int k = 0; k < 2 && axes[k] < run->code->dim; k++) {
        const axis_grid *axis = &run->program->axis[axes[k]];
        const double step = num_f64(axis->step) * (f->coarse ? 2 : 1);
        p->axis_name[k] = (const char *[]){"x", "y", "z"}[axes[k]];
        p->axis_from[k] = num_f64(axis->origin);
        p->axis_to[k] = p->axis_from[k] + step * (double)(f->extent[axes[k]] - 1);
    }
}

/* "u at z = 0.25, step 100": the slice by its coordinate. */
static void write_title(const pav_run *run, const ir_field *f, const int *axes,
                        const int64_t *point, char *title, size_t size)
{
    char where[64] = "";
    if (run->code->dim == 3) {
        const int cut = 3 - axes[0] - axes[1];
        const axis_grid *axis = &run->program->axis[cut];
        const double step = num_f64(axis->step) * (f->coarse ? 2 : 1);
        snprintf(where, sizeof where, " at %c = %.6g", "xyz"[cut],
                 num_f64(axis->origin) + (double)point[cut] * step);
    }
    snprintf(title, size, "%.64s%s, step %lld", f->name, where, (long long)run->step);
}

static pav_status write_picture(const pav_run *run, const statement *s, const ir_field *f,
                                const view *v, const char *path)
{
    int axes[2] = {0, 1};
    int64_t point[MAX_DIM] = {0};
    picture_axes(run, s, axes);
    if (run->code->dim == 3) {
        const int cut = 3 - axes[0] - axes[1];
        point[cut] = s->slice_axis >= 0 ? s->slice_index : v->extent[cut] / 2;
    }
    picture p = {
        .width = v->extent[axes[0]], .height = v->extent[axes[1]], .colours = s->colours};
    char title[160];
    write_title(run, f, axes, point, title, sizeof title);
    p.title = title;
    describe_axes(run, f, axes, &p);
    double *value = slice_values(v, axes, point);
    if (!value)
        return PAV_ENOMEM;
    double range[2];
    value_range(value, p.width * p.height, range);
    p.from = s->range[0] ? num_f64(s->range_value[0]) : range[0];
    p.to = s->range[1] ? num_f64(s->range_value[1]) : range[1];
    p.value = value;
    const pav_status status = png_write(path, &p);
    mem_free(value);
    return status;
}

/* A 1-D field as a table of x and value. */
static pav_status write_columns(const pav_run *run, const ir_field *f, const view *v,
                                const char *path)
{
    const axis_grid *axis = &run->program->axis[0];
    const double step = num_f64(axis->step) * (f->coarse ? 2 : 1);
    double *rows = mem_new(2 * v->extent[0], sizeof *rows);
    if (!rows)
        return PAV_ENOMEM;
    for (int64_t i = 0; i < v->extent[0]; i++) {
        const int64_t size = (int64_t)pav_type_size(v->type);
        rows[2 * i] = num_f64(axis->origin) + (double)i * step;
        rows[2 * i + 1] = type_load(v->type, (const char *)v->data + i * size);
    }
    const char *const heads[] = {"x", f->name};
    const pav_status status = csv_write(path, heads, rows, v->extent[0], 2);
    mem_free(rows);
    return status;
}

static pav_status write_field(const pav_run *run, const statement *s, const char *path)
{
    const int number = run_field_of(run, s->symbol);
    const ir_field *f = &run->code->field[number];
    const view *v = run->view[number][1];
    const io_format *format = io_find(path);
    if (!format)
        return PAV_EUNSUPPORTED;
    if (format->picture)
        return write_picture(run, s, f, v, path);
    if (format->table && !format->field)
        return write_columns(run, f, v, path);
    return npy_write_view(path, run->code->dim, v);
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

/* Seismograms and the like: the samples alone, (times, positions). */
static pav_status write_samples(const series *s, const char *path)
{
    const int64_t columns = s->columns - LEADING;
    int64_t count;
    double *rows = mul_fits(s->rows, columns, &count) ? mem_new(count + 1, sizeof *rows)
                                                      : NULL;
    if (!rows)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < s->rows; k++)
        memcpy(rows + k * columns, s->value + k * s->columns + LEADING,
               (size_t)columns * sizeof *rows);
    const pav_status status = npy_write_table(path, rows, s->rows, columns);
    mem_free(rows);
    return status;
}

/* Columns step, t and the measure's name, or u 1, u 2, ... of the positions. */
static pav_status write_csv(const recorder *r, const char *path)
{
    const series *s = &r->series;
    const char *name = r->statement->symbol->name;
    text names = {0};
    const char **heads = mem_new(s->columns, sizeof *heads);
    int64_t *at = mem_new(s->columns, sizeof *at);
    pav_status status = PAV_ENOMEM;
    for (int64_t k = LEADING; heads && at && k < s->columns; k++) {
        at[k] = names.length;
        text_add(&names, r->event ? "%s" : "%s %lld", name, (long long)k - LEADING + 1);
        text_add_bytes(&names, "", 1);
    }
    if (heads && at && !names.failed) {
        heads[0] = "step";
        heads[1] = "t";
        for (int64_t k = LEADING; k < s->columns; k++)
            heads[k] = names.data + at[k];
        status = csv_write(path, heads, s->value, s->rows, s->columns);
    }
    text_free(&names);
    mem_free(heads);
    mem_free(at);
    return status;
}

static pav_status write_table(const recorder *r, const char *path)
{
    const series *s = &r->series;
    const io_format *format = io_find(path);
    if (!format)
        return PAV_EUNSUPPORTED;
    if (!format->field)
        return write_csv(r, path);
    return r->event ? npy_write_table(path, s->value, s->rows, s->columns)
                    : write_samples(s, path);
}

pav_status run_write_series(pav_run *run)
{
    for (int64_t k = 0; k < run->recorders && !run->options.no_files; k++) {
        const recorder *r = &run->recorder[k];
        if (r->statement->kind == STATEMENT_OUTPUT || !r->statement->file)
            continue;
        text path = {0};
        pav_status status = run_path(run, r->statement->file, -1, &path);
        if (status == PAV_OK)
            status = write_table(r, path.data);
        if (status == PAV_OK)
            run_note(run, "wrote %s: %lld rows", path.data, (long long)r->series.rows);
        text_free(&path);
        TRY(status);
    }
    return PAV_OK;
}
