/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows a step: measures and samples are recorded, `until` is asked, expectations are checked at
 * the end, and fields are watched for values that are not finite. */
#include <math.h>

#include "run/run_private.h"

pav_status series_add(series *s, const double *row)
{
    if (s->rows == s->capacity) {
        const int64_t capacity = s->capacity ? 2 * s->capacity : 64;
        int64_t all;
        if (!mul_fits(capacity, s->columns, &all))
            return FAIL(PAV_ELIMIT, "a record of %lld columns grew beyond 64-bit sizes",
                        (long long)s->columns);
        void *grown = mem_grow(s->value, all, sizeof *s->value);
        if (!grown)
            return PAV_ENOMEM;
        s->value = grown;
        s->capacity = capacity;
    }
    for (int64_t k = 0; k < s->columns; k++)
        s->value[s->rows * s->columns + k] = row[k];
    s->rows++;
    return PAV_OK;
}

pav_status run_event_value(pav_run *run, const ir_event *event, double *value)
{
    run_set_time(run, run->step);
    TRY(run_list(run, &event->list));
    *value = run->uniform[event->result];
    return PAV_OK;
}

static pav_status record_measure(pav_run *run, recorder *r)
{
    double row[LEADING + 1] = {(double)run->step};
    TRY(run_event_value(run, r->event, &row[LEADING]));
    row[1] = run->uniform[run->code->uniform_t];
    TRY(series_add(&r->series, row));
    if (r->statement->every)
        run_note(run, "step %lld: %s = %.9g", (long long)run->step,
                 r->statement->symbol->name, row[2]);
    return PAV_OK;
}

static pav_status record_sample(pav_run *run, recorder *r)
{
    const view *v = run->view[run_field_of(run, r->statement->symbol)][1];
    double *row = mem_new(r->series.columns, sizeof *row);
    if (!row)
        return PAV_ENOMEM;
    row[0] = (double)run->step;
    row[1] = run->uniform[run->code->uniform_t];
    for (int64_t k = 0; k < r->points.count; k++)
        row[LEADING + k] = points_value(v, &r->points, k);
    const pav_status status = series_add(&r->series, row);
    mem_free(row);
    return status;
}

static pav_status record(pav_run *run, recorder *r)
{
    r->last_step = run->step;
    switch (r->statement->kind) {
    case STATEMENT_MEASURE: return record_measure(run, r);
    case STATEMENT_SAMPLE: return record_sample(run, r);
    default: return run->options.no_files ? PAV_OK : output_write(run, r->statement);
    }
}

/* `every k`: at the steps that k divides, step 0 among them. Without: a sample at every step, the others
 * at the end. */
static bool is_due(const pav_run *run, const recorder *r, bool last)
{
    const int64_t every = r->statement->every_steps;
    if (r->last_step == run->step)
        return false;
    if (every > 0)
        return run->step % every == 0;
    return r->statement->kind == STATEMENT_SAMPLE || last;
}

pav_status run_record(pav_run *run, bool last)
{
    for (int64_t k = 0; k < run->recorders; k++)
        if (is_due(run, &run->recorder[k], last))
            TRY(record(run, &run->recorder[k]));
    return PAV_OK;
}

pav_status run_check_until(pav_run *run, bool *met)
{
    *met = false;
    for (int64_t k = 0; k < run->code->untils.count && !*met; k++) {
        const ir_event *event = &run->code->untils.item[k];
        const int64_t every = event->statement->every_steps;
        double value;
        if (run->step % (every > 0 ? every : 1) != 0)
            continue;
        TRY(run_event_value(run, event, &value));
        *met = value != 0;
        if (*met)
            run_note(run, "step %lld: %s holds", (long long)run->step, event->text);
    }
    return PAV_OK;
}

/* The first expectation that does not hold becomes the message; all are checked and kept. */
pav_status run_check_expects(pav_run *run)
{
    pav_status status = PAV_OK;
    for (int64_t k = 0; k < run->code->expects.count; k++) {
        const ir_event *event = &run->code->expects.item[k];
        expectation *e = &run->expected[k];
        TRY(run_event_value(run, event, &e->value));
        e->left = event->left >= 0 ? run->uniform[event->left] : NAN;
        e->right = event->right >= 0 ? run->uniform[event->right] : NAN;
        if (e->value == 0 && status == PAV_OK)
            status = FAIL(PAV_EEXPECT,
                          event->left >= 0
                              ? "%s:%d: expected %s, but the sides are %.9g and %.9g"
                              : "%s:%d: expected %s, which does not hold",
                          run->program->name, event->statement->at.line, event->text,
                          e->left, e->right);
    }
    run->checked = true;
    return status;
}

static pav_status not_finite(const pav_run *run, const ir_field *f, const int64_t *point)
{
    text at = {0};
    for (int axis = 0; axis < run->code->dim; axis++)
        text_add(&at, "%s%lld", axis ? ", " : "", (long long)point[axis]);
    const pav_status status =
        run->step == 0
            ? FAIL(PAV_ENOTFINITE,
                   "field %s is not finite at point (%s) at the start: look at its "
                   "initial value",
                   f->name, at.data)
            : FAIL(PAV_ENOTFINITE,
                   "field %s is not finite at point (%s) after step %lld (after step "
                   "%lld all "
                   "was finite): is the time step too long for this scheme?",
                   f->name, at.data, (long long)run->step, (long long)run->watched);
    text_free(&at);
    return status;
}

pav_status run_watch(pav_run *run)
{
    for (int64_t f = 0; f < run->code->fields; f++) {
        const ir_field *field = &run->code->field[f];
        const view *v = run->view[f][1];
        int64_t point[MAX_DIM];
        const box all = {{0, 0, 0}, {v->extent[0], v->extent[1], v->extent[2]}};
        if (field->updated && view_find_not_finite(v, &all, point))
            return not_finite(run, field, point);
    }
    run->watched = run->step;
    return PAV_OK;
}
