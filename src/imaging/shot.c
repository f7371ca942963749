/* SPDX-License-Identifier: BSD-3-Clause */
/* One shot: its run forwards, what the receivers record less what was observed, and the adjoint backwards, with
 * the past of the former. */
#include <math.h>
#include <string.h>

#include "imaging/imaging_private.h"

/* ---- telling ------------------------------------------------------------------------------------------ */

static pav_status tell(shot_state *s)
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

static pav_status derive(shot_state *s)
{
    char *data = NULL;
    const pav_program_options options = {.name = s->p->name,
                                         .directory = s->p->directory};

    TRY(shot_path(s, "data.npy", &data));
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

static pav_run_options run_options(const shot_state *s)
{
    const pav_adjoint_options *o = s->wish->options;

    return (pav_run_options){.listener = hear,
                             .user = (void *)(uintptr_t)o,
                             .no_files = 1,
                             .threads = o->threads,
                             .schedule = o->schedule,
                             .report_seconds = 1e9};
}

static pav_status open_forward(shot_state *s)
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
    return s->row ? history_open(s->run, s->forward, &s->back, &s->choice, &s->past)
                  : PAV_ENOMEM;
}

/* ---- forwards -------------------------------------------------------------------------------------------- */

static pav_status keep_row(shot_state *s, int64_t step)
{
    if (step % s->every != 0)
        return PAV_OK;
    return pav_sample_read(s->run, 0, NULL, s->row + step * s->receivers, s->receivers);
}

static pav_status go_forward(shot_state *s)
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

/* ---- backwards --------------------------------------------------------------------------------------------- */

static pav_status go_backward(shot_state *s)
{
    const double begun = clock_seconds();
    const pav_run_options options = run_options(s);

    TRY(pav_run_open((const pav_program *)(const void *)s->back.program, s->device,
                     &options, &s->backward));
    shot_remove_folder(s); /* all traces were read */
    for (int64_t m = s->back.steps; m >= 0; m--) {
        if (m < s->back.steps)
            TRY(history_bring(s->past, m, s->backward));
        TRY(pav_run_steps(s->backward, 1));
        TRY(tell(s));
    }
    s->backward_seconds = clock_seconds() - begun;
    return PAV_OK;
}

static pav_status take_field(shot_state *s, const char *name, int64_t k)
{
    shot_result *r = s->result;

    r->value[k] = mem_new(r->points, sizeof **r->value);
    return r->value[k]
               ? pav_field_read(s->backward, name, 0, PAV_F64, r->value[k], r->points)
               : PAV_ENOMEM;
}

static pav_status take_results(shot_state *s)
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
    for (int64_t n = 0; s->wish->image && n < r->points; n++)
        r->value[1][n] /= (double)
                              s->choice.size.every; /* squares of `every` times a value */
    r->steps_again = s->choice.way[s->choice.taken].steps_again;
    r->history_bytes = s->choice.way[s->choice.taken].bytes;
    r->steps = s->back.steps;
    r->forward_seconds = s->forward_seconds;
    r->backward_seconds = s->backward_seconds;
    return PAV_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static pav_status take(shot_state *s)
{
    TRY(shot_name_folder(s));
    TRY(derive(s));
    TRY(history_settle(s->forward, &s->back));
    s->result->points = 1;
    for (int axis = 0; axis < s->p->dim; axis++)
        s->result->points *= s->p->axis[axis].points;
    TRY(history_choose(s->forward, &s->back, s->wish->options, &s->choice));
    TRY(open_forward(s));
    TRY(go_forward(s));
    TRY(shot_write_traces(s));
    TRY(go_backward(s));
    return take_results(s);
}

pav_status shot_take(const program *p, pav_device *device, const shot_wish *wish,
                     shot_result *result)
{
    shot_state s = {.p = p, .device = device, .wish = wish, .result = result};

    *result = (shot_result){0};
    s.begun = clock_seconds();
    const pav_status status = take(&s);
    history_close(s.past);
    pav_run_free(s.run);
    pav_run_free(s.backward);
    program_free(s.forward);
    adjoint_free(&s.back);
    shot_remove_folder(&s);
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
