/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs: a field, a crop or a slice of it at the present step, handed to the writer. */
#include <string.h>

#include "run/run_private.h"

pav_status run_path(const pav_run *run, const char *file, text *t)
{
    if (run->options.directory && file[0] != '/')
        text_add(t, "%s/", run->options.directory);
    text_add(t, "%s", file);
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

/* ---- what is shown ----------------------------------------------------------------- */

static int64_t shown_along(const statement *s, int axis)
{
    return (s->crop_to[axis] - s->crop_from[axis]) / s->stride_of[axis] + 1;
}

int64_t output_unit(const pav_run *run, const statement *s, int axis)
{
    return INT64_C(1) << coarse_shift(run->program, s->symbol->coarse, axis);
}

/* The axis of a slice; -1: none. A picture of a 3-D field needs a slice. */
static int find_cut(const pav_run *run, const statement *s)
{
    const format_info *format = s->file ? format_find(s->file) : NULL;

    if (s->slice_axis >= 0)
        return s->slice_axis;
    return run->code->dim == MAX_DIM && format && !format->field ? MAX_DIM - 1 : -1;
}

/* The positions of the shown points along an axis, in indices of the grid; for a slice,
 * its own. */
static frame_axis scale_of(const pav_run *run, const statement *s, int axis, bool cut)
{
    const axis_grid *g = &run->program->axis[axis];
    const int64_t unit = output_unit(run, s, axis), every = s->stride_of[axis];
    int64_t first = s->crop_from[axis];

    if (cut)
        first = s->slice_axis >= 0 ? s->slice_index
                                   : first + shown_along(s, axis) / 2 * every;
    return (frame_axis){.at = g->at,
                        .origin = g->origin,
                        .span = g->span,
                        .over = g->over,
                        .first = unit * first,
                        .every = unit * every,
                        .letter = axis_letter(run->program, axis),
                        .down = g->down};
}

io_frame output_frame(const pav_run *run, const statement *s)
{
    const int cut = find_cut(run, s), dim = run->code->dim;
    io_frame f = {.name = s->symbol->name,
                  .grid_dimensions = dim,
                  .extent = {1, 1, 1},
                  .type = run->code->field[run_field_of(run, s->symbol)].storage};

    for (int axis = 0; axis < dim; axis++) {
        f.scale[axis] = scale_of(run, s, axis, axis == cut);
        if (axis == cut)
            continue;
        f.axis[f.dimensions] = axis;
        f.extent[f.dimensions++] = shown_along(s, axis);
    }
    return f;
}

/* The box from the first to the last shown point. */
static box shown_box(const pav_run *run, const statement *s, const io_frame *f)
{
    box b = {.hi = {1, 1, 1}};

    for (int axis = 0; axis < run->code->dim; axis++) {
        b.lo[axis] = f->scale[axis].first / output_unit(run, s, axis);
        b.hi[axis] = b.lo[axis] + 1;
    }
    for (int k = 0; k < f->dimensions; k++)
        b.hi[f->axis[k]] += (f->extent[k] - 1) * s->stride_of[f->axis[k]];
    return b;
}

static pav_status frame_of(const pav_run *run, const statement *s, const box *shown,
                           io_frame *f)
{
    const box b = *shown;
    const view *v;

    TRY(subdomain_host_view(run->part, run_field_of(run, s->symbol), 0, HOST_FILE, &b,
                            &v));
    for (int k = 0; k < f->dimensions; k++)
        f->stride[k] = s->stride_of[f->axis[k]] * v->stride[f->axis[k]];
    f->data = view_at(v, b.lo[0], b.lo[1], b.lo[2]);
    return PAV_OK;
}

/* ---- where to ---------------------------------------------------------------------- */

pav_status output_path(const pav_run *run, const statement *s, text *t)
{
    text usual = {0};

    text_add(&usual, "%s.npy", s->symbol->name);
    const char *file = s->file ? s->file : usual.data;
    const pav_status status = file ? run_path(run, file, t) : PAV_ENOMEM;
    text_free(&usual);
    return status;
}

pav_status output_open(const pav_run *run, recorder *r)
{
    const statement *s = r->statement;
    const series_style style = {
        .numbered = s->every != NULL,
        .colours = s->colours,
        .ranged = s->range[0] != NULL,
        .range = {num_f64(s->range_value[0]), num_f64(s->range_value[1])},
        .last_step = run->steps,
        .every = s->every_steps,
    };
    text path = {0};

    pav_status status = output_path(run, s, &path);
    if (status == PAV_OK && run->options.directory)
        status = directory_make(run->options.directory);
    if (status == PAV_OK)
        status = series_open(path.data, &style, &r->series);
    if (status == PAV_OK) /* an error now is better than after an hour of steps */
        status = series_try(r->series);
    text_free(&path);
    return status;
}

static pav_status resume(pav_run *run, recorder *r)
{
    series_past past = {.frame = output_frame(run, r->statement),
                        .step = run->part->step + !run_recorder_is_due(run, r, false),
                        .frames = r->rows,
                        .bytes = r->bytes,
                        .step_time = subdomain_step_time(run->part)};
    text said = {0};

    past.frame.step = run->part->step;
    const pav_status status = series_resume(r->series, &past, &said);
    if (status == PAV_OK && said.length > 0)
        exec_warn(&run->client, "%s", said.data);
    run->checkpoint.outdated |= r->rows > past.frames;
    r->rows = past.frames;
    text_free(&said);
    return status;
}

pav_status outputs_resume(pav_run *run)
{
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (run->observers.recorder[k].series)
            TRY(resume(run, &run->observers.recorder[k]));
    return PAV_OK;
}

void output_report(pav_run *run)
{
    text path = {0};
    int64_t step;

    while (run->observers.writer && writer_next(run->observers.writer, &step, &path))
        if (path.length > 0)
            exec_note(&run->client, "step %lld: wrote %s", (long long)step, path.data);
    text_free(&path);
}

pav_status output_write(pav_run *run, recorder *r)
{
    io_frame f = output_frame(run, r->statement);
    const box shown = shown_box(run, r->statement, &f);
    bool done;
    f.step = run->part->step;
    f.time = run->part->uniform[run->code->uniform_t];
    TRY(output_write_parts(run, r, &f, &shown, &done));
    r->rows += done;
    if (done)
        return PAV_OK;
    TRY(frame_of(run, r->statement, &shown, &f));
    if (!run_is_first(run))
        return PAV_OK;
    if (!run->observers.writer)
        TRY(writer_open(0, &run->observers.writer));
    const pav_status status = writer_add(run->observers.writer, r->series, &f);
    r->rows++;
    output_report(run);
    return status;
}

pav_status output_wait(pav_run *run)
{
    const pav_status status = writer_wait(run->observers.writer);

    output_report(run);
    return status;
}
