/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a run: their shape in memory, the strides known to kernels, their
 * memory, and their initial values, set in the order of the IR's start list. A long
 * set-up reports its progress. */
#include <assert.h>
#include <string.h>

#include "run/run_private.h"

/* ---- shape ------------------------------------------------------------------------- */

field_shape run_shape_whole(const ir *code, const ir_field *f)
{
    field_shape shape = {.type = f->storage, .dimensions = code->dim, .count = f->levels};

    memcpy(shape.extent, f->extent, sizeof f->extent);
    memcpy(shape.halo, f->halo, sizeof f->halo);
    /* Fields of one size get the same strides, because GPU kernels may assume this.
     * Fields in the buffer of another have its halo. */
    for (int64_t n = 0; n < code->fields; n++) {
        const ir_field *other = &code->field[n];
        if (other->memory || memcmp(other->extent, f->extent, sizeof f->extent) != 0 ||
            pav_type_size(other->storage) != pav_type_size(f->storage))
            continue;
        for (int axis = 0; axis < 2; axis++) {
            const int64_t room = other->halo[axis][0] + other->halo[axis][1];
            shape.room[axis] = int64_most(room, shape.room[axis]);
        }
    }
    return shape;
}

field_shape run_shape_of(const pav_run *run, const ir_field *f)
{
    field_shape shape = run_shape_whole(run->part->code, f);

    shape.count = field_buffers(f, run->part->fuses_steps);
    shape.line = subdomain_line(run->part, f->storage);
    return shape;
}

/* ---- strides compiled into kernels ------------------------------------------------- */

/* Kernels of a bundle do not know the grid's size, except those compiled for it. Kernels
 * of the installation know no size. */
bool run_serves_sizes(const pav_run *run)
{
    return run->options.bundle || images_are_recorded() || run->opened.installed;
}

int64_t run_most_planes(const pav_run *run, planes_bytes *of, int64_t most, int64_t limit)
{
    int64_t low = 0, high = most, bytes;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (of(run, middle, &bytes) && bytes <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

bool run_fields_bytes(const pav_run *run, planes_shape *of, int64_t planes,
                      int64_t *bytes)
{
    const ir *code = run->code;
    *bytes = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const field_shape shape = of(run, &code->field[f], planes);
        levels_size size;
        if (code->field[f].memory)
            continue;
        if (!levels_measure(&shape, &size) || !add_fits(*bytes, size.bytes, bytes))
            return false;
    }
    return true;
}

/* ---- initial values ---------------------------------------------------------------- */

enum { LONGEST = 1 << 21 /* points filled at once */ };

pav_status run_input_path(const pav_run *run, const char *file, text *t)
{
    if (file[0] != '/' && strcmp(run->program->directory, ".") != 0)
        text_add(t, "%s/", run->program->directory);
    return text_print(t, "%s", file);
}

/* Reads values from a file of the whole grid; range NULL: all points of the view. */
static pav_status read_values(const pav_run *run, const ir_field *f, const char *path,
                              const view *v, const box *range, progress_sink *a)
{
    const int dim = run->program->dim;
    const raw_file *raw = f->symbol ? f->symbol->raw : NULL;
    if (raw) {
        const uint16_t one = 1;
        const bool little = *(const uint8_t *)&one == 1;
        raw_layout layout = {.type = raw->type, .swapped = raw->big == little};
        memcpy(layout.axis, raw->axis, sizeof layout.axis);
        return raw_read_view(path, &layout, dim, v, range, a);
    }
    return range ? field_read_part(path, dim, v, range, a)
                 : field_read(path, dim, run->program->axis[dim - 1].down, v, a);
}

static pav_status named(const pav_run *run, const ir_field *f, pav_status status)
{
    if (status == PAV_OK)
        return PAV_OK;
    return FAIL(status, "%s:%d: %s%s: %s", run->program->name, f->line,
                f->symbol ? "field " : "", f->name, pav_message());
}

pav_status run_read_file(const pav_run *run, const ir_field *f, const view *v,
                         progress_sink *a)
{
    const int axis = run->program->dim;
    OWNED_BY(text_free) text path = {0};
    pav_status status = run_input_path(run, f->file, &path);
    if (status == PAV_OK && run->program->shots == 0)
        status = read_values(run, f, path.data, v, NULL, a);
    /* The file has one shot; all shots of a stack get its values. */
    for (int64_t k = 0;
         status == PAV_OK && run->program->shots > 0 && k < v->extent[axis]; k++) {
        view copy = *v;
        copy.data = view_at(v, 0, axis == 1 ? k : 0, axis == 2 ? k : 0);
        copy.extent[axis] = 1;
        status = read_values(run, f, path.data, &copy, NULL, a);
    }
    return named(run, f, status);
}

/* ---- each subdomain its own points ------------------------------------------------- */

typedef struct part_reading {
    pav_run *run;
    const ir_field *field;
    text path;
} part_reading;

/* The file has the whole grid, the view a part of it. */
static pav_status read_part(void *user, const view *host, const box *b)
{
    const part_reading *r = user;
    view all = *host;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        all.first[axis] = 0;
        all.extent[axis] = r->field->extent[axis];
    }
    return read_values(r->run, r->field, r->path.data, &all, b, &r->run->setup.sink);
}

static pav_status load_parts(pav_run *run, const ir_start *s)
{
    const ir_field *f = &run->part->code->field[s->field];
    part_reading r = {run, f, {0}};
    const part_visit visit = {read_part, &r};
    pav_status status = run_input_path(run, f->file, &r.path);
    if (status == PAV_OK)
        status = exec_split_fill(run->part, s->field, s->level, &visit);
    text_free(&r.path);
    return named(run, f, status);
}

static pav_status load_file(pav_run *run, const ir_start *s)
{
    const ir_field *f = &run->part->code->field[s->field];
    const view *v;
    if (run->cut.is_cut && ((f->symbol && f->symbol->raw) || field_has_parts(f->file)))
        return load_parts(run, s);
    TRY(run_host_view(run, s->field, s->level, HOST_FILL, &v));
    return run_read_file(run, f, v, &run->setup.sink);
}

/* Copies points to level 0; from NULL: zeros. */
static pav_status fill_rows(pav_run *run, const ir_start *s, const view *from)
{
    const view *v = run->part->view[s->field][1 - s->level];
    executor *e = run->part->executor;
    return e->ops.copy_points(e, s->field, v, from, &run->setup.sink);
}

/* ---- the start, in parts with progress --------------------------------------------- */

static int64_t work_of(const pav_run *run, const ir_start *s)
{
    if (s->field < 0 || s->kind == START_BORDERS)
        return 0;
    const int64_t *n = run->part->code->field[s->field].extent;
    return n[0] * n[1] * n[2];
}

static pav_status start_stage(pav_run *run, const ir_start *s)
{
    const ir_stage *stage = &run->part->code->stage[s->stage];
    if (!stage_may_be_cut(stage) || s->field < 0)
        return subdomain_stage(run->part, s->stage, NULL);
    const box all = ir_stage_box(run->part->code, stage);
    const int axis = run->part->code->dim - 1;
    const int64_t layer = box_points(all) / (all.hi[axis] - all.lo[axis] + 1) + 1;
    const int64_t thick = layer < LONGEST ? LONGEST / layer : 1;
    box part = all;
    for (; part.lo[axis] < all.hi[axis]; part.lo[axis] = part.hi[axis]) {
        const int64_t left = all.hi[axis] - part.lo[axis];
        part.hi[axis] = part.lo[axis] + (left < thick ? left : thick);
        TRY(subdomain_stage(run->part, s->stage, &part));
        TRY(progress_add(&run->setup.sink, box_points(part)));
    }
    return PAV_OK;
}

static pav_status start_item(pav_run *run, const ir_start *s)
{
    subdomain_set_time(run->part, s->field >= 0 ? s->level : 0);
    subdomain_close_active(run->part);
    run->part->steady = 0;
    switch (s->kind) {
    case START_STAGE: return start_stage(run, s);
    case START_FILE: return load_file(run, s);
    case START_COPY: return fill_rows(run, s, run->part->view[s->field][1]);
    case START_ZERO: return fill_rows(run, s, NULL);
    case START_BORDERS:
        return subdomain_fill_border(run->part, s->field, s->level, s->level);
    }
    return FAIL(PAV_EINTERNAL, "a start item of kind %d", (int)s->kind);
}

pav_status run_show(pav_run *run, int64_t field)
{
    const ir *code = run->part->code;
    assert(!run->stepper->windows);
    subdomain_close_active(run->part);
    run->part->steady = 0;
    for (int64_t k = 0; k < code->start.count; k++)
        if (code->start.item[k].field == field && code->start.item[k].kind == START_STAGE)
            TRY(start_stage(run, &code->start.item[k]));
    return PAV_OK;
}

int64_t run_start_work(const pav_run *run)
{
    int64_t work = 0;
    for (int64_t k = 0; k < run->part->code->start.count; k++)
        work += work_of(run, &run->part->code->start.item[k]);
    return work;
}

pav_status run_start(pav_run *run)
{
    for (const ir_start *s = NULL; (s = ir_next_start(run->part->code, s));) {
        const char *name = s->field >= 0 ? run->part->code->field[s->field].name
                                         : "params";
        const int64_t done = run->setup.done, work = work_of(run, s);
        TRY(run_report_setup(run, "filling", name, done));
        TRY(start_item(run, s));
        TRY(run_report_setup(run, "filling", name, done + work));
    }
    subdomain_set_time(run->part, 0);
    return PAV_OK;
}

pav_status run_start_given(pav_run *run)
{
    for (const ir_start *s = NULL; (s = ir_next_start(run->code, s));) {
        const bool given = s->kind != START_BORDERS && s->level == 0 && s->field >= 0 &&
                           run->setup.written[s->field];
        if (!given)
            TRY(start_item(run, s));
    }
    subdomain_set_time(run->part, 0);
    return run->part->executor->ops.begin(run->part->executor);
}

/* ---- memory ------------------------------------------------------------------------ */

static int64_t levels_work(const ir_field *f)
{
    return f->levels * f->extent[0] * f->extent[1] * f->extent[2];
}

pav_status run_allocate(pav_run *run)
{
    const ir *code = run->part->code;
    executor *e = run->part->executor;
    int64_t done = 0;
    for (int64_t f = 0; f < code->fields; f++)
        run->setup.points += levels_work(&code->field[f]);
    run->setup.points += run->options.restart ? run->setup.points : run_start_work(run);
    TRY(subdomain_open_fields(run->part));
    TRY(mem_take(&run->setup.written, code->fields + 1, sizeof *run->setup.written));
    for (int64_t f = 0; f < code->fields; f++) {
        const field_shape shape = run_shape_of(run, &code->field[f]);
        TRY(run_report_setup(run, "taking memory for", code->field[f].name, done));
        TRY(run->stepper->take_field ? run->stepper->take_field(run, f, &shape)
                                     : e->ops.take_field(e, f, &shape, &run->setup.sink));
        done += levels_work(&code->field[f]);
    }
    run->setup.done = done;
    TRY(subdomain_open_values(run->part));
    return e->ops.place_views(e);
}
