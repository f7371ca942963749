/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes one shot, or several together. The run goes forwards, the residual is the
 * record of the receivers minus the observed data, and the adjoint goes backwards with
 * the past of the run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "imaging/imaging_private.h"

/* ---- stacks ------------------------------------------------------------------------ */

/* Shots computed together. Their steps may differ only in the positions of sources and
 * receivers. Their runs and adjoints become stacks (lang/program.c), so small shots
 * fill a device. Each shot's values are bitwise identical to its own run. */

static bool same_number(num a, num b)
{
    return a.exact == b.exact && (a.exact ? a.p == b.p && a.q == b.q : a.v == b.v);
}

/* Grids, and statements but for positions; the number of positions may not differ. */
static bool same_programs(const program *a, const program *b)
{
    const statement *s = a->first, *t = b->first;
    bool same = a->dim == b->dim && a->steps == b->steps;

    for (int axis = 0; same && axis < a->dim; axis++) {
        const axis_grid *g = &a->axis[axis], *h = &b->axis[axis];
        same = g->points == h->points && !g->at && !h->at &&
               same_number(g->origin, h->origin) && same_number(g->step, h->step);
    }
    for (int64_t k = 0; same && k < a->fields.count; k++)
        same = !a->fields.item[k]->coarse;
    for (; same && s && t; s = s->next, t = t->next) {
        same = s->kind == t->kind && s->every_steps == t->every_steps &&
               same_number(s->interval, t->interval) &&
               s->points.count == t->points.count &&
               s->points.line_points == t->points.line_points && s->taps == t->taps &&
               s->forms == t->forms;
        for (int n = 0; same && n < s->taps; n++)
            same = same_number(s->tap[n].weight, t->tap[n].weight) &&
                   memcmp(s->tap[n].offset, t->tap[n].offset, sizeof s->tap[n].offset) ==
                       0;
    }
    return same && !s && !t;
}

/* True if no value depends on all points of the grid or on the number of a point. */
static bool can_stack(const ir *code)
{
    bool can = code->measures.count + code->untils.count + code->expects.count +
                   code->solves.count ==
               0;

    for (int64_t n = 0; can && n < code->step.count; n++)
        can = ir_reductions(&code->stage[code->step.stage[n]]) == 0;
    for (int64_t k = 0; can && k < code->stages; k++)
        for (int64_t n = 0; can && n < code->stage[k].count; n++)
            can = code->stage[k].node[n].op != IR_RANDOM;
    for (int64_t k = 0; can && k < code->injections.count; k++)
        can = code->injections.item[k].list.count == 1;
    return can;
}

pav_status shots_alike(const program *a, const program *b)
{
    OWNED_BY(free_code) ir *first = NULL, *second = NULL;
    OWNED_BY(text_free) text s = {0}, t = {0};
    bool same = same_programs(a, b);

    if (a->dim == MAX_DIM)
        return FAIL(PAV_EUNSUPPORTED, "their grids have three axes, and shots that are "
                                      "one lie along another");
    if (same) {
        TRY(ir_build(a, NULL, &first));
        TRY(ir_build(b, NULL, &second));
        ir_print(first, &s);
        ir_print(second, &t);
        if (s.failed || t.failed)
            return PAV_ENOMEM;
        same = s.length == t.length && memcmp(s.data, t.data, (size_t)s.length) == 0 &&
               first->uniforms == second->uniforms &&
               same_number(first->dt_value, second->dt_value) && can_stack(first);
    }
    for (int64_t k = 0; same && k < first->uniforms; k++)
        same = first->uniform[k].kind == second->uniform[k].kind &&
               first->uniform[k].value == second->uniform[k].value &&
               /* distinguishes 0 from -0 */
               !signbit(first->uniform[k].value) == !signbit(second->uniform[k].value);
    return same ? PAV_OK
                : FAIL(PAV_EUNSUPPORTED,
                       "the shots differ in more than positions and data");
}

static void drop_derived(shot_state *s)
{
    for (int64_t k = 0; k < s->jobs; k++)
        adjoint_free(&s->back[k]);
}

/* Derives all shots, and makes the programs of the first shot the stack of all shots. */
static pav_status derive(shot_state *s, bool scaled)
{
    const pav_adjoint_options *o = s->wish->options;

    drop_derived(s);
    for (int64_t k = 0; k < s->jobs; k++) {
        const shot_job *job = s->job[k];
        OWNED const statement **receivers = NULL;
        TRY(receivers_choose(job->program, job->data, &receivers));
        const adjoint_wish wish = {.steps = o->steps,
                                   .folder = SHOT_FOLDER,
                                   .receivers = receivers,
                                   .coefficients = s->wish->coefficients,
                                   .image = s->wish->image,
                                   .every = o->every,
                                   .scaled = scaled};
        TRY(adjoint_derive(job->program, &wish, &s->back[k]));
        s->stacked[0][k] = s->back[k].forward;
        s->stacked[1][k] = s->back[k].program;
        for (int n = 0; n < 2 && k > 0; n++)
            TRY(shots_alike(s->stacked[n][0], s->stacked[n][k]));
    }
    if (s->jobs > 1) {
        program_stack(s->back->forward, s->stacked[0], s->jobs);
        program_stack(s->back->program, s->stacked[1], s->jobs);
    }
    return PAV_OK;
}

enum { LOOKS = 16 }; /* NaN checks in each direction */

/* ---- telling ----------------------------------------------------------------------- */

/* Listener of both runs: warnings are handed on, and progress becomes the progress of the
 * shot, over the steps of both directions. */
static int listen(void *user, pav_event event, const pav_progress *progress,
                  const char *said)
{
    shot_state *s = user;
    const pav_adjoint_options *o = s->wish->options;
    const double seconds = clock_seconds() - s->begun;

    if (!o->listener)
        return 0;
    if (event == PAV_EVENT_WARNING)
        return o->listener(o->user, event, progress, said);
    if (event != PAV_EVENT_PROGRESS || seconds - s->reported_at < 0.2)
        return 0;
    s->reported_at = seconds;
    if (s->base >= 0) /* else steps are taken again */
        s->reported = int64_most(s->reported, s->base + progress->step);
    const double done = (double)int64_most(s->reported, 1);
    const pav_progress now = {.step = s->reported,
                              .steps = s->all,
                              .seconds = seconds,
                              .points = s->points * s->jobs,
                              .gpts = 1e-9 * done * (double)(s->points * s->jobs) /
                                      seconds,
                              .seconds_left = seconds * ((double)s->all / done - 1)};
    return o->listener(o->user, PAV_EVENT_PROGRESS, &now, NULL);
}

/* ---- opening ----------------------------------------------------------------------- */

static pav_run_options run_options(shot_state *s)
{
    const pav_adjoint_options *o = s->wish->options;

    return (pav_run_options){.listener = listen,
                             .user = s,
                             .no_files = 1,
                             .threads = o->threads,
                             .schedule = o->schedule,
                             .nan_check_every = s->back->steps / LOOKS + 1,
                             .report_seconds = 0.1};
}

static pav_status open_forward(shot_state *s)
{
    const pav_run_options options = run_options(s);

    TRY(run_open_given(s->back->forward, s->device, &options, NULL, NULL, &s->run));
    TRY(channels_open(s->back, s->run, &s->receivers, &s->channel));
    s->all = 2 * s->back->steps + 1;
    return mem_take(&s->row, (s->back->steps + 1) * s->receivers + 1, sizeof *s->row);
}

/* Derives the adjoint without divisions if a divisor may be 0. The names in
 * s->back->divisor are the names of fields of the run. */
static pav_status settle(shot_state *s)
{
    bool zero = false;
    double least, most;

    for (const char *const *name = s->back->divisor; *name && !zero; name++) {
        TRY(run_field_range(s->run, run_field_number(s->run, *name), &least, &most));
        zero = !(least > 0 || most < 0);
    }
    if (!zero)
        return PAV_OK;
    pav_run_free(s->run);
    s->run = NULL;
    MEM_FREE_ALL(s->row, s->channel);
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
        if (step <= s->back->steps)
            memcpy(s->row + step * s->receivers + c->at, value,
                   (size_t)c->count * sizeof *row);
    }
    return PAV_OK;
}

/* Takes all steps and stores the past. */
static pav_status take_steps(shot_state *s)
{
    int64_t next = 0;

    TRY(history_note(s->past, &next));
    while (pav_run_step(s->run) < s->back->steps) {
        TRY(run_advance(s->run, next - pav_run_step(s->run)));
        TRY(history_note(s->past, &next));
    }
    return PAV_OK;
}

/* ---- backwards --------------------------------------------------------------------- */

/* Takes steps of the adjoint from its last time down to 0, each time to the next step
 * whose past counts. */
static pav_status take_steps_back(shot_state *s)
{
    const int64_t every = s->choice.size.every, steps = s->back->steps;

    for (int64_t m = steps, taken; m >= 0; m -= taken) {
        const bool counts = m < steps && m % every == 0;
        taken = counts ? 1 : m == steps ? m - (m - 1) / every * every : m % every;
        s->base = -1;
        if (counts)
            TRY(history_restore(s->past, m, s->backward));
        s->base = steps;
        if (s->back->weight) /* size.every at steps that count, else 0 */
            TRY(pav_run_set(s->backward, s->back->weight, counts ? (double)every : 0));
        TRY(run_advance(s->backward, taken));
    }
    return pav_run_steps(s->backward, 0);
}

static void shot_drop_traces(shot_state *s)
{
    for (given_traces *g = s->given; g && *g->name; g++)
        mem_free(g->table.value);
    mem_free(s->given);
    s->given = NULL;
}

static pav_status go_backward(shot_state *s)
{
    const double begun = clock_seconds();
    const pav_run_options options = run_options(s);

    TRY(run_open_given(s->back->program, s->device, &options, s->given, s->run,
                       &s->backward));
    run_keep_no_rows(s->backward);
    shot_drop_traces(s);
    run_keep_awake(s->backward, true);
    const pav_status status = take_steps_back(s);
    run_keep_awake(s->backward, false);
    s->backward_seconds = clock_seconds() - begun;
    return status;
}

/* Sets the values of all points outside of `inside` to 0. */
static void boundary_leave_inside(const boundary_shape *b, const program *p,
                                  double *value)
{
    int64_t n[MAX_DIM] = {1, 1, 1};

    for (int axis = 0; axis < p->dim; axis++)
        n[axis] = p->axis[axis].points;
    for (int64_t k = 0; k < n[2]; k++)
        for (int64_t j = 0; j < n[1]; j++)
            for (int64_t i = 0; i < n[0]; i++) {
                const box here = {{i, j, k}, {i + 1, j + 1, k + 1}};
                if (!box_is_inside(here, b->inside))
                    value[(k * n[1] + j) * n[0] + i] = 0;
            }
}

/* Copies each shot's part of the fields into its result. */
static pav_status take_results(shot_state *s)
{
    const char *const *name = s->wish->coefficients;
    const int64_t all = s->points * s->jobs;
    const history_way *way = &s->choice.way[s->choice.taken];
    int64_t count = s->wish->image ? 2 : 0;
    OWNED_NEW(double, value, all);

    while (name && name[count])
        count++;
    for (int64_t n = 0; n < s->jobs; n++)
        TRY(shot_result_open(&s->job[n]->result, count, s->points));
    for (int64_t k = 0; k < count; k++) {
        const char *field = !s->wish->image ? s->back->gradient[k]
                            : k == 0        ? s->back->image
                                            : s->back->illumination;
        TRY(pav_field_read(s->backward, field, 0, PAV_F64, value, all));
        for (int64_t n = 0; n < s->jobs; n++) {
            double *to = s->job[n]->result.value[k];
            memcpy(to, value + n * s->points, (size_t)s->points * sizeof *value);
            if (s->choice.taken == HISTORY_BOUNDARY && !s->wish->image)
                boundary_leave_inside(&s->choice.boundary, s->p, to);
        }
    }
    for (int64_t n = 0; n < s->jobs; n++) {
        pav_adjoint_result *of = &s->job[n]->result.of;
        *of = (pav_adjoint_result){
            .misfit = of->misfit,
            .steps = s->back->steps,
            .steps_again = history_again(s->past),
            .history_bytes = way->bytes,
            .disk_bytes = way->disk,
            .forward_seconds = s->forward_seconds / (double)s->jobs,
            .backward_seconds = s->backward_seconds / (double)s->jobs,
            .every = s->choice.size.every};
    }
    return PAV_OK;
}

/* ---- a shot from start to end ------------------------------------------------------ */

static pav_status take(shot_state *s)
{
    TRY(derive(s, true));
    TRY(history_choose(s->back, s->wish->options, &s->choice));
    if (s->jobs > 1 && s->choice.taken != HISTORY_ALL)
        return FAIL(PAV_EUNSUPPORTED, "the past of so many shots does not fit");
    TRY(open_forward(s));
    TRY(settle(s));
    TRY(shot_check_data(s));
    s->past = history_open(s->arena, s->run, s->back, &s->choice);
    shots_note_together(s->wish->options, s->jobs);
    const pav_adjoint_options *o = s->wish->options;
    const double begun = clock_seconds();
    char said[160];
    narrowed n;
    run_keep_awake(s->run, true);
    const pav_status status = take_steps(s);
    run_keep_awake(s->run, false);
    TRY(status);
    for (int64_t k = 0; k < s->back->channels; k++)
        TRY(take_rows(s, &s->channel[k]));
    run_keep_no_rows(s->run);
    if (o->listener && history_vanished(s->past, &n)) {
        (void)snprintf(
            said, sizeof said,
            "%lld of %lld levels of the past are 0 in %s, and were not before; "
            "store it in another type, or raise the amplitude of the sources",
            (long long)n.lost, (long long)n.lost + n.kept, o->stored);
        (void)o->listener(o->user, PAV_EVENT_WARNING, NULL, said);
    }
    s->forward_seconds = clock_seconds() - begun;
    TRY(shot_give_traces(s));
    TRY(go_backward(s));
    return take_results(s);
}

pav_status shots_take(shot_job *const *job, int64_t jobs, pav_device *device,
                      const shot_wish *wish)
{
    pav_adjoint_options own = *wish->options;
    shot_wish settled = *wish;
    pav_status status = PAV_ENOMEM;
    shot_state s = {.p = job[0]->program,
                    .job = job,
                    .jobs = jobs,
                    .device = device,
                    .wish = &settled,
                    .points = program_all_points(job[0]->program)};

    settled.options = &own;
    TRY(every_settle(s.p, &own));
    s.begun = clock_seconds();
    s.arena = arena_new();
    if (s.arena) {
        s.arena->limit = INT64_MAX; /* histories of long runs are long */
        ARENA_GUARD(s.arena, status, take(&s));
    }
    history_close(s.past);
    pav_run_free(s.backward);
    pav_run_free(s.run);
    drop_derived(&s);
    shot_drop_traces(&s);
    arena_free(s.arena);
    MEM_FREE_ALL(s.row, s.channel);
    for (int64_t n = 0; n < jobs && status != PAV_OK; n++)
        shot_result_free(&job[n]->result); /* pav_message() is kept */
    return status;
}
