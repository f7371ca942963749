/* SPDX-License-Identifier: BSD-3-Clause */
/* One shot: its run forwards, what the receivers record less what was observed, and the adjoint backwards, with
 * the past of the former. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imaging/imaging_private.h"

typedef struct shot {
    const program *p;
    pav_device *device;
    const shot_wish *wish;
    shot_result *result;
    char *folder; /* of what goes from the run to its adjoint; removed at the end */
    adjoint back;
    program *forward;
    pav_run *run, *backward;
    history *past;
    history_choice choice;
    int64_t receivers, every;
    double *row;       /* (steps + 1) x receivers: what is recorded, then the residual */
    int64_t told, all; /* steps, of both ways */
    double begun, told_at, forward_seconds, backward_seconds;
} shot;

/* ---- telling ------------------------------------------------------------------------------------------ */

static pav_status tell(shot *s)
{
    const pav_adjoint_options *o = s->wish->options;
    const double seconds = clock_seconds() - s->begun;
    const double done = (double)++s->told;

    if (!o->listener || seconds - s->told_at < 0.2)
        return PAV_OK;
    s->told_at = seconds;
    const int64_t shots = s->wish->shots > 0 ? s->wish->shots : 1;
    const double left = (double)(s->all * (shots - s->wish->number)) / done - 1;
    const pav_progress now = {.step = s->told + s->wish->number * s->all,
                              .steps = s->all * shots,
                              .seconds = seconds,
                              .points = s->result->points,
                              .gpts = 1e-9 * done * (double)s->result->points / seconds,
                              .seconds_left = seconds * left};
    if (o->listener(o->user, PAV_EVENT_PROGRESS, &now, NULL))
        return FAIL(PAV_EINTERRUPTED, "stopped after %lld of %lld steps",
                    (long long)s->told, (long long)s->all);
    return PAV_OK;
}

/* Warnings of the runs alone are handed on. */
static int hear(void *user, pav_event event, const pav_progress *progress,
                const char *said)
{
    const pav_adjoint_options *o = user;

    return event == PAV_EVENT_WARNING && o->listener
               ? o->listener(o->user, event, progress, said)
               : 0;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

static pav_status make_folder(shot *s)
{
    const char *top = getenv("TMPDIR");
    text t = {0};

    text_add(&t, "%s/pavior-adjoint-XXXXXX", top && *top ? top : "/tmp");
    TRY(text_take(&t, &s->folder));
    if (mkdtemp(s->folder))
        return PAV_OK;
    const pav_status status = FAIL(PAV_EIO, "no directory %s can be made: set $TMPDIR",
                                   s->folder);
    mem_free(s->folder);
    s->folder = NULL;
    return status;
}

static pav_status path_of(const shot *s, const char *name, char **path)
{
    text t = {0};

    text_add(&t, "%s/%s", s->folder, name);
    return text_take(&t, path);
}

static pav_status derive(shot *s)
{
    char *data = NULL;
    const pav_program_options options = {.name = s->p->name,
                                         .directory = s->p->directory};

    TRY(path_of(s, "data.npy", &data));
    const adjoint_wish wish = {.steps = s->wish->options->steps,
                               .data = data,
                               .folder = s->folder,
                               .coefficients = s->wish->coefficients,
                               .image = s->wish->image};
    pav_status status = adjoint_derive(s->p, &wish, &s->back);
    mem_free(data);
    if (status == PAV_OK)
        status = program_parse(s->back.forward, (int64_t)strlen(s->back.forward),
                               &options, &s->forward);
    return status;
}

static pav_run_options run_options(const shot *s)
{
    const pav_adjoint_options *o = s->wish->options;

    return (pav_run_options){.listener = hear,
                             .user = (void *)(uintptr_t)o,
                             .no_files = 1,
                             .threads = o->threads,
                             .schedule = o->schedule,
                             .report_seconds = 1e9};
}

static pav_status open_forward(shot *s)
{
    const pav_run_options options = run_options(s);
    const statement *receivers = s->back.receivers;
    pav_item item = {0};

    TRY(pav_run_open((const pav_program *)(const void *)s->forward, s->device, &options,
                     &s->run));
    for (int64_t k = 0; k < pav_run_items(s->run); k++) {
        TRY(pav_run_describe(s->run, k, &item));
        if (item.kind == PAV_KIND_SAMPLE)
            s->receivers = item.extent[0];
    }
    s->every = receivers->every_steps > 0 ? receivers->every_steps : 1;
    s->all = 2 * s->back.steps + 1;
    s->row = mem_new((s->back.steps + 1) * s->receivers + 1, sizeof *s->row);
    return s->row ? history_open(s->run, s->forward, &s->back,
                                 &s->choice.way[s->choice.taken], &s->past)
                  : PAV_ENOMEM;
}

/* ---- forwards -------------------------------------------------------------------------------------------- */

static pav_status keep_row(shot *s, int64_t step)
{
    if (step % s->every != 0)
        return PAV_OK;
    return pav_sample_read(s->run, 0, NULL, s->row + step * s->receivers, s->receivers);
}

static pav_status go_forward(shot *s)
{
    const double begun = clock_seconds();

    for (int64_t step = 0; step < s->back.steps; step++) {
        TRY(history_note(s->past));
        TRY(pav_run_steps(s->run, 1));
        TRY(keep_row(s, step + 1));
        TRY(tell(s));
    }
    TRY(history_note(s->past));
    s->forward_seconds = clock_seconds() - begun;
    return PAV_OK;
}

/* ---- what goes into the receivers ----------------------------------------------------------------------- */

static pav_status check_data(const shot *s, const trace_table *t)
{
    const int64_t rows = s->back.steps / s->every + 1;

    if (t->columns != s->receivers || t->rows != rows)
        return FAIL(PAV_EFORMAT,
                    "%s holds %lld rows of %lld traces; the receivers of %s record %lld "
                    "rows of %lld",
                    s->wish->data, (long long)t->rows, (long long)t->columns, s->p->name,
                    (long long)rows, (long long)s->receivers);
    return PAV_OK;
}

/* Of an image the data themselves go back, of a gradient what is recorded less them. */
static pav_status subtract(shot *s)
{
    trace_table t = {0};
    const double own = s->wish->image ? 0 : 1, sign = s->wish->image ? 1 : -1;

    if (!s->wish->data)
        return PAV_OK;
    pav_status status = traces_read(s->wish->data, &t);
    if (status == PAV_OK)
        status = check_data(s, &t);
    for (int64_t step = 0; status == PAV_OK && step <= s->back.steps; step++)
        for (int64_t k = 0; step % s->every == 0 && k < s->receivers; k++) {
            double *value = s->row + step * s->receivers + k;
            *value = own * *value + sign * t.value[step / s->every * t.columns + k];
        }
    traces_free(&t);
    return status;
}

static pav_status write_turned(const shot *s, const char *name, const double *value,
                               int64_t rows, int64_t columns)
{
    const int64_t steps = s->back.steps;
    double *turned = mem_new((steps + 1) * columns + 1, sizeof *turned);
    char *path = NULL;
    pav_status status = turned ? path_of(s, name, &path) : PAV_ENOMEM;

    for (int64_t step = 0; status == PAV_OK && step <= steps && step < rows; step++)
        memcpy(turned + (steps - step) * columns, value + step * columns,
               (size_t)columns * sizeof *value);
    if (status == PAV_OK)
        status = npy_write_table(path, turned, steps + 1, columns);
    mem_free(path);
    mem_free(turned);
    return status;
}

static pav_status write_residual(shot *s)
{
    TRY(subtract(s));
    for (int64_t k = 0; k < (s->back.steps + 1) * s->receivers; k++)
        s->result->misfit += s->row[k] * s->row[k] / 2;
    return write_turned(s, "data.npy", s->row, s->back.steps + 1, s->receivers);
}

/* Traces of sources, for gradients with respect to what stands in them. */
static pav_status write_source(shot *s, const statement *inject, int number)
{
    trace_table t = {0};
    text path = {0}, name = {0};

    text_add(&path, "%s%s%s", inject->trace[0] == '/' ? "" : s->p->directory,
             inject->trace[0] == '/' ? "" : "/", inject->trace);
    text_add(&name, "source-%d.npy", number);
    pav_status status = path.failed || name.failed ? PAV_ENOMEM
                                                   : traces_read(path.data, &t);
    if (status == PAV_OK)
        status = write_turned(s, name.data, t.value, t.rows, t.columns);
    traces_free(&t);
    text_free(&path);
    text_free(&name);
    return status;
}

static pav_status write_sources(shot *s)
{
    int number = 0;

    for (const statement *i = s->p->first; i; i = i->next)
        if (i->kind == STATEMENT_INJECT && (++number, i->trace))
            TRY(write_source(s, i, number));
    return PAV_OK;
}

/* ---- backwards --------------------------------------------------------------------------------------------- */

static pav_status go_backward(shot *s)
{
    const double begun = clock_seconds();
    const pav_run_options options = run_options(s);

    TRY(pav_run_open((const pav_program *)(const void *)s->back.program, s->device,
                     &options, &s->backward));
    for (int64_t m = s->back.steps; m >= 0; m--) {
        if (m < s->back.steps)
            TRY(history_bring(s->past, m, s->backward));
        TRY(pav_run_steps(s->backward, 1));
        TRY(tell(s));
    }
    s->backward_seconds = clock_seconds() - begun;
    return PAV_OK;
}

static pav_status take_field(shot *s, const char *name, int64_t k)
{
    shot_result *r = s->result;

    r->value[k] = mem_new(r->points, sizeof **r->value);
    return r->value[k]
               ? pav_field_read(s->backward, name, 0, PAV_F64, r->value[k], r->points)
               : PAV_ENOMEM;
}

static pav_status take_results(shot *s)
{
    shot_result *r = s->result;
    const char *const *name = s->wish->coefficients;

    while (name && name[r->count])
        r->count++;
    r->count = s->wish->image ? 2 : r->count;
    r->value = mem_new(r->count + 1, sizeof *r->value);
    if (!r->value)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < r->count; k++)
        TRY(take_field(s,
                       !s->wish->image ? s->back.gradient[k]
                       : k == 0        ? s->back.image
                                       : s->back.illumination,
                       k));
    r->steps_again = s->choice.way[s->choice.taken].steps_again;
    r->history_bytes = s->choice.way[s->choice.taken].bytes;
    r->steps = s->back.steps;
    r->forward_seconds = s->forward_seconds;
    r->backward_seconds = s->backward_seconds;
    return PAV_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static pav_status take(shot *s)
{
    TRY(make_folder(s));
    TRY(derive(s));
    TRY(history_settle(s->forward, &s->back));
    s->result->points = 1;
    for (int axis = 0; axis < s->p->dim; axis++)
        s->result->points *= s->p->axis[axis].points;
    TRY(history_choose(s->forward, &s->back, s->wish->options, &s->choice));
    TRY(open_forward(s));
    TRY(go_forward(s));
    TRY(write_residual(s));
    if (s->wish->coefficients)
        TRY(write_sources(s));
    TRY(go_backward(s));
    return take_results(s);
}

static void remove_folder(const shot *s)
{
    int number = 0;
    char *path = NULL;
    text name = {0};

    if (!s->folder)
        return;
    if (path_of(s, "data.npy", &path) == PAV_OK)
        (void)unlink(path);
    mem_free(path);
    for (const statement *i = s->p->first; i; i = i->next)
        if (i->kind == STATEMENT_INJECT) {
            name.length = 0;
            text_add(&name, "%s/source-%d.npy", s->folder, ++number);
            if (name.data)
                (void)unlink(name.data);
        }
    text_free(&name);
    (void)rmdir(s->folder);
}

pav_status shot_take(const program *p, pav_device *device, const shot_wish *wish,
                     shot_result *result)
{
    shot s = {.p = p, .device = device, .wish = wish, .result = result};

    *result = (shot_result){0};
    s.begun = clock_seconds();
    const pav_status status = take(&s);
    history_close(s.past);
    pav_run_free(s.run);
    pav_run_free(s.backward);
    program_free(s.forward);
    adjoint_free(&s.back);
    remove_folder(&s);
    mem_free(s.folder);
    mem_free(s.row);
    if (status != PAV_OK)
        shot_result_free(result); /* and the message stays */
    return status;
}

void shot_result_free(shot_result *r)
{
    for (int64_t k = 0; r->value && k < r->count; k++)
        mem_free(r->value[k]);
    mem_free(r->value);
    *r = (shot_result){0};
}
