/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a run: every level of every field gets its first values, in the order of the IR's
 * start list. */
#include <string.h>

#include "run/run_private.h"

void run_input_path(const pav_run *run, const char *file, text *t)
{
    if (file[0] != '/' && strcmp(run->program->directory, ".") != 0)
        text_add(t, "%s/", run->program->directory);
    text_add(t, "%s", file);
}

static const view *view_of(const pav_run *run, const ir_start *s)
{
    return run->view[s->field][1 - s->level];
}

static pav_status load_file(pav_run *run, const ir_start *s)
{
    const ir_field *f = &run->code->field[s->field];
    text path = {0};
    run_input_path(run, f->file, &path);
    const pav_status status = path.failed ? PAV_ENOMEM
                                          : npy_read_view(path.data, run->code->dim,
                                                          view_of(run, s));
    text_free(&path);
    if (status == PAV_OK)
        return PAV_OK;
    return f->symbol
               ? FAIL(status, "%s:%d: field %s: %s", run->program->name,
                      f->symbol->at.line, f->name, pav_message())
               : FAIL(status, "%s: %s: %s", run->program->name, f->name, pav_message());
}

static char *row_of(const view *v, int64_t j, int64_t k)
{
    return (char *)v->data + view_index(v, 0, j, k) * (int64_t)pav_type_size(v->type);
}

/* Rows of level 0, or zeros where `from` is NULL (all bits zero is 0 in every type). */
static void fill_rows(const view *v, const view *from)
{
    const size_t bytes = (size_t)v->extent[0] * pav_type_size(v->type);
    for (int64_t k = 0; k < v->extent[2]; k++)
        for (int64_t j = 0; j < v->extent[1]; j++)
            if (from)
                memcpy(row_of(v, j, k), row_of(from, j, k), bytes);
            else
                memset(row_of(v, j, k), 0, bytes);
}

static pav_status start_one(pav_run *run, const ir_start *s)
{
    run_set_time(run, s->field >= 0 ? s->level : 0);
    switch (s->kind) {
    case START_STAGE: return run_stage(run, s->stage, NULL);
    case START_FILE: return load_file(run, s);
    case START_COPY: fill_rows(view_of(run, s), run->view[s->field][1]); return PAV_OK;
    case START_ZERO: fill_rows(view_of(run, s), NULL); return PAV_OK;
    case START_BORDERS: return run_fill_border(run, s->field, s->level, s->level);
    }
    return FAIL(PAV_EINTERNAL, "a start item of kind %d", (int)s->kind);
}

pav_status run_start(pav_run *run)
{
    for (int64_t k = 0; k < run->code->start.count; k++)
        TRY(start_one(run, &run->code->start.item[k]));
    run_set_time(run, 0);
    return PAV_OK;
}
