/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes one shot, or several together. The run goes forwards, the residual is the
 * record of the receivers minus the observed data, and the adjoint goes backwards with
 * the past of the run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "imaging/imaging_private.h"

enum { LOOKS = 16 }; /* NaN checks in each direction */

/* ---- telling ----------------------------------------------------------------------- */

/* Reports progress over the steps of both directions. Returns nonzero to stop. */
static int report(shot_state *s, int64_t reported)
{
    const pav_adjoint_options *o = s->wish->options;
    const double seconds = clock_seconds() - s->begun;

    if (reported > s->reported)
        s->reported = reported;
    s->reported_at = seconds;
    const double done = (double)(s->reported > 0 ? s->reported : 1);
    const double left = (double)s->all / done - 1;
    const pav_progress now = {.step = s->reported,
                              .steps = s->all,
                              .seconds = seconds,
                              .points = s->points * s->jobs,
                              .gpts = 1e-9 * done * (double)(s->points * s->jobs) /
                                      seconds,
                              .seconds_left = seconds * left};
    return o->listener(o->user, PAV_EVENT_PROGRESS, &now, NULL);
}

/* Listener of both runs: warnings are handed on, and progress becomes the progress of the
 * shot. */
static int listen(void *user, pav_event event, const pav_progress *progress,
                  const char *said)
{
    shot_state *s = user;
    const pav_adjoint_options *o = s->wish->options;

    if (!o->listener)
        return 0;
    if (event == PAV_EVENT_WARNING)
        return o->listener(o->user, event, progress, said);
    if (event != PAV_EVENT_PROGRESS || clock_seconds() - s->begun - s->reported_at < 0.2)
        return 0;
    return report(s, s->base < 0 ? s->reported : s->base + progress->step);
}

/* ---- opening ----------------------------------------------------------------------- */

pav_status shot_derive_one(const shot_state *s, const shot_job *job, bool scaled,
                           adjoint *back, program **forward)
{
    const program *p = job->p;
    const statement **receivers = NULL;
    const pav_adjoint_options *o = s->wish->options;
    const pav_program_options options = {.name = p->name, .directory = p->directory};
    TRY(receivers_choose(p, job->data, &receivers));
    const adjoint_wish wish = {.steps = o->steps,
                               .folder = SHOT_FOLDER,
                               .receivers = receivers,
                               .coefficients = s->wish->coefficients,
                               .image = s->wish->image,
                               .every = o->every,
                               .scaled = scaled};

    const pav_status status = adjoint_derive(p, &wish, back);
    mem_free(receivers);
    TRY(status);
    return program_parse(back->forward, (int64_t)strlen(back->forward), &options,
                         forward);
}

static void drop_derived(shot_state *s)
{
    shot_stack_close(s);
    adjoint_free(&s->back);
    program_free(s->forward);
    s->forward = NULL;
}

static pav_status derive(shot_state *s, bool scaled)
{
    drop_derived(s);
    TRY(shot_derive_one(s, s->job, scaled, &s->back, &s->forward));
    if (s->jobs > 1)
        TRY(shot_stack_open(s, scaled));
    return history_settle(s->forward, &s->back);
}

static pav_run_options run_options(shot_state *s)
{
    const pav_adjoint_options *o = s->wish->options;

    return (pav_run_options){.listener = listen,
                             .user = s,
                             .no_files = 1,
                             .threads = o->threads,
                             .schedule = o->schedule,
                             .nan_check_every = s->back.steps / LOOKS + 1,
                             .report_seconds = 0.1};
}

static pav_status open_forward(shot_state *s)
{
    const pav_run_options options = run_options(s);

    TRY(run_open_given(s->forward, s->device, &options, NULL, NULL, &s->run));
    TRY(channels_open(&s->back, s->run, &s->receivers, &s->channel));
    s->all = 2 * s->back.steps + 1;
    s->row = mem_new((s->back.steps + 1) * s->receivers + 1, sizeof *s->row);
    return s->row ? PAV_OK : PAV_ENOMEM;
}

/* Sets *found if a coefficient that divides the adjoint may be 0 somewhere. */
static pav_status any_zero(shot_state *s, const char *const *name, bool *found)
{
    double least, most;

    for (; *name && !*found; name++) {
        TRY(run_field_range(s->run, run_field_number(s->run, *name), &least, &most));
        *found = !(least > 0 || most < 0);
    }
    return PAV_OK;
}

/* Derives the adjoint without divisions if a divisor may be 0. The names in
 * s->back.divisor are the names of fields of the run. */
static pav_status settle(shot_state *s)
{
    bool zero = false;

    TRY(any_zero(s, s->back.divisor, &zero));
    if (!zero)
        return PAV_OK;
    pav_run_free(s->run);
    s->run = NULL;
    mem_free(s->row);
    mem_free(s->channel);
    TRY(derive(s, false));
    return open_forward(s);
}

/* ---- forwards ---------------------------------------------------------------------- */

static pav_status take_rows(shot_state *s, const shot_channel *c)
{
    const int64_t columns = c->line->columns > 0 ? c->line->columns : 1;
    kept_rows rows = {0};

    TRY(run_kept_sample(s->run, c->sample, &rows));
    for (int64_t k = 0; k < rows.count; k++) {
        const double *row = rows.row + k * rows.columns;
        const double *value = row + rows.columns - (columns - c->column) * c->count;
        const int64_t step = (int64_t)row[0];
        if (step <= s->back.steps)
            memcpy(s->row + step * s->receivers + c->at, value,
                   (size_t)c->count * sizeof *row);
    }
    return PAV_OK;
}

static pav_status take_all_rows(shot_state *s)
{
    for (int64_t k = 0; k < s->back.channels; k++)
        TRY(take_rows(s, &s->channel[k]));
    run_keep_no_rows(s->run);
    return PAV_OK;
}

static void warn_vanished(const shot_state *s)
{
    const pav_adjoint_options *o = s->wish->options;
    char said[160];
    narrowed n;

    if (!o->listener || !history_vanished(s->past, &n))
        return;
    const long long lost = n.lost, all = lost + n.kept;
    (void)snprintf(said, sizeof said,
                   "%lld of %lld levels of the past are 0 in %s, and were not before; "
                   "store it in another type, or raise the amplitude of the sources",
                   lost, all, o->stored);
    (void)o->listener(o->user, PAV_EVENT_WARNING, NULL, said);
}

static pav_status go_forward(shot_state *s)
{
    const double begun = clock_seconds();
    int64_t next = 0;

    run_keep_awake(s->run, true);
    pav_status status = history_note(s->past, &next);
    while (status == PAV_OK && pav_run_step(s->run) < s->back.steps) {
        status = run_go_steps(s->run, next - pav_run_step(s->run));
        if (status == PAV_OK)
            status = history_note(s->past, &next);
    }
    run_keep_awake(s->run, false);
    if (status == PAV_OK)
        status = take_all_rows(s);
    if (status == PAV_OK)
        warn_vanished(s);
    s->forward_seconds = clock_seconds() - begun;
    return status;
}

/* ---- backwards --------------------------------------------------------------------- */

/* Sets the weight of the past in the adjoint: size.every at steps that count, else 0. */
static pav_status weigh(shot_state *s, double times)
{
    return s->back.weight ? pav_run_set(s->backward, s->back.weight, times) : PAV_OK;
}

/* Takes steps of the adjoint from time m down to the next step whose past counts. */
static pav_status go_back_from(shot_state *s, int64_t m, int64_t *taken)
{
    const int64_t every = s->choice.size.every;
    const bool counts = m < s->back.steps && m % every == 0;

    *taken = counts ? 1 : m == s->back.steps ? m - (m - 1) / every * every : m % every;
    s->base = -1;
    if (counts)
        TRY(history_bring(s->past, m, s->backward));
    s->base = s->back.steps;
    TRY(weigh(s, counts ? (double)every : 0));
    return run_go_steps(s->backward, *taken);
}

static pav_status go_backward(shot_state *s)
{
    const double begun = clock_seconds();
    const pav_run_options options = run_options(s);
    pav_status status = PAV_OK;

    TRY(run_open_given(s->back.program, s->device, &options, s->given, s->run,
                       &s->backward));
    run_keep_no_rows(s->backward);
    shot_drop_traces(s);
    run_keep_awake(s->backward, true);
    for (int64_t m = s->back.steps, taken; status == PAV_OK && m >= 0; m -= taken)
        status = go_back_from(s, m, &taken);
    if (status == PAV_OK)
        status = pav_run_steps(s->backward, 0);
    run_keep_awake(s->backward, false);
    s->backward_seconds = clock_seconds() - begun;
    return status;
}

/* Copies each shot's part of one field into its result. */
static pav_status take_field(shot_state *s, const char *name, int64_t k)
{
    const int64_t all = s->points * s->jobs;
    double *value = mem_new(all, sizeof *value);

    if (!value)
        return PAV_ENOMEM;
    const pav_status status = pav_field_read(s->backward, name, 0, PAV_F64, value, all);
    for (int64_t n = 0; status == PAV_OK && n < s->jobs; n++)
        memcpy(s->result[n].value[k], value + n * s->points,
               (size_t)s->points * sizeof *value);
    mem_free(value);
    return status;
}

static void take_figures(const shot_state *s, shot_result *r)
{
    for (int64_t k = 0; k < r->count; k++)
        if (s->choice.taken == HISTORY_BOUNDARY && !s->wish->image)
            boundary_leave_inside(&s->choice.boundary, s->p, r->value[k]);
    r->steps_again = history_again(s->past);
    r->history_bytes = s->choice.way[s->choice.taken].bytes;
    r->disk_bytes = s->choice.way[s->choice.taken].disk;
    r->steps = s->back.steps;
    r->every = s->choice.size.every;
    r->forward_seconds = s->forward_seconds / (double)s->jobs;
    r->backward_seconds = s->backward_seconds / (double)s->jobs;
}

static pav_status take_results(shot_state *s)
{
    const char *const *name = s->wish->coefficients;
    int64_t count = s->wish->image ? 2 : 0;

    while (name && name[count])
        count++;
    for (int64_t n = 0; n < s->jobs; n++)
        TRY(shot_result_open(&s->result[n], count, s->points));
    for (int64_t k = 0; k < count; k++)
        TRY(take_field(s,
                       !s->wish->image ? s->back.gradient[k]
                       : k == 0        ? s->back.image
                                       : s->back.illumination,
                       k));
    for (int64_t n = 0; n < s->jobs; n++)
        take_figures(s, &s->result[n]);
    return PAV_OK;
}

/* ---- all of it --------------------------------------------------------------------- */

static pav_status take(shot_state *s)
{
    TRY(derive(s, true));
    TRY(history_choose(s->forward, &s->back, s->wish->options, &s->choice));
    if (s->jobs > 1 && s->choice.taken != HISTORY_ALL)
        return FAIL(PAV_EUNSUPPORTED, "the past of so many shots does not fit");
    TRY(open_forward(s));
    TRY(settle(s));
    TRY(shot_check_data(s));
    TRY(history_open(s->run, s->forward, &s->back, &s->choice, &s->past));
    shots_note_together(s->wish->options, s->jobs);
    TRY(go_forward(s));
    TRY(shot_give_traces(s));
    TRY(go_backward(s));
    return take_results(s);
}

pav_status shots_take(const shot_job *job, int64_t jobs, pav_device *device,
                      const shot_wish *wish, shot_result *result)
{
    pav_adjoint_options own = *wish->options;
    shot_wish settled = *wish;
    shot_state s = {.p = job->p,
                    .job = job,
                    .jobs = jobs,
                    .device = device,
                    .wish = &settled,
                    .result = result,
                    .points = program_all_points(job->p)};

    for (int64_t n = 0; n < jobs; n++)
        result[n] = (shot_result){0};
    settled.options = &own;
    TRY(every_settle(s.p, &own));
    s.begun = clock_seconds();
    const pav_status status = take(&s);
    history_close(s.past);
    pav_run_free(s.backward);
    pav_run_free(s.run);
    drop_derived(&s);
    shot_drop_traces(&s);
    mem_free(s.row);
    mem_free(s.channel);
    for (int64_t n = 0; n < jobs && status != PAV_OK; n++)
        shot_result_free(&result[n]); /* pav_message() is kept */
    return status;
}
