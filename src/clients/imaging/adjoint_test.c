/* SPDX-License-Identifier: BSD-3-Clause */
/* The adjoint of a description for its user: its text, and the dot-product test. The
 * test: <F x, y> must equal <x, F' y>. F maps a trace x of each source, the same trace
 * at all positions of the source, to the record of the receivers. The record for x = 0
 * is subtracted, since a description may add a constant. */
#include <math.h>
#include <string.h>

#include "imaging/imaging_private.h"

pav_status pav_program_adjoint(const pav_program *p, int64_t steps, char **result)
{
    GUARDED;
    OWNED_BY(adjoint_free) adjoint a = {0};

    if (result)
        *result = NULL;
    if (!p || !result || steps < 0)
        return FAIL(PAV_EINVAL,
                    "pav_program_adjoint needs a program, a number of steps (0: the "
                    "description's) and a place for the text");
    TRY(adjoint_derive(&p->tree, &(adjoint_wish){.steps = steps}, &a));
    *result = mem_hand_over(&a.source);
    return PAV_OK;
}

/* ---- the test ---------------------------------------------------------------------- */

typedef struct trial {
    const program *p;
    pav_device *device;
    const pav_adjoint_options *options;
    adjoint back;
    int64_t sources, receivers;
    shot_channel *channel;
    rng random;
    double *x, *record, *at_rest, *y;
} trial;

static void fill(trial *t, double *value, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        value[k] = 2 * rng_unit(&t->random) - 1;
}

static pav_status open_run(const trial *t, const program *p, const given_traces *given,
                           pav_run **run)
{
    const pav_run_options options = {.no_files = 1,
                                     .threads = t->options ? t->options->threads : 0,
                                     .nan_check_every = -1};

    return run_open_given(p, t->device, &options, given, NULL, run);
}

/* ---- forwards ---------------------------------------------------------------------- */

/* Reads the channel's part of the row recorded at the present step. */
static pav_status record_channel(pav_run *run, const shot_channel *c, double *row)
{
    const int64_t columns = c->line->columns > 0 ? c->line->columns : 1;
    OWNED_NEW(double, all, columns * c->count + 1);

    TRY(pav_sample_read(run, c->sample, NULL, all, columns * c->count));
    memcpy(row + c->at, all + c->column * c->count, (size_t)c->count * sizeof *row);
    return PAV_OK;
}

/* Records the run whose sources have the traces x. */
static pav_status go_forward(trial *t, double **result)
{
    const int64_t steps = t->back.steps;
    OWNED_NEW(given_traces, given, t->sources + 1);
    OWNED_BY(free_run) pav_run *run = NULL;
    for (int64_t k = 0; k < t->sources; k++) {
        given[k].table = (trace_table){steps, 1, t->x + k * steps, 0};
        shot_trace_name("source", k + 1, given[k].name);
    }
    TRY(open_run(t, t->back.forward, given, &run));
    mem_free(t->channel);
    TRY(channels_open(&t->back, run, &t->receivers, &t->channel));
    TRY(mem_take(result, (steps + 1) * t->receivers + 1, sizeof **result));
    for (int64_t step = 1; step <= steps; step++) {
        TRY(pav_run_steps(run, 1));
        for (int64_t k = 0; k < t->back.channels; k++)
            if (step % t->channel[k].every == 0)
                TRY(record_channel(run, &t->channel[k], *result + step * t->receivers));
    }
    return PAV_OK;
}

/* ---- backwards --------------------------------------------------------------------- */

/* The value received at source `sample` after step `done` of the adjoint belongs to step
 * N - done of the run. */
static pav_status add_source(trial *t, pav_run *run, int64_t sample, int64_t count,
                             int64_t done, double *sum)
{
    const int64_t steps = t->back.steps;
    OWNED_NEW(double, value, count + 1);

    TRY(pav_sample_read(run, sample, NULL, value, count));
    for (int64_t k = 0; k < count; k++)
        *sum += t->x[sample * steps + steps - done] * value[k];
    return PAV_OK;
}

/* The data y go back, reversed in time. */
static pav_status go_backward(trial *t, double *sum)
{
    const int64_t steps = t->back.steps;
    OWNED_NEW(given_traces, given, t->back.channels + 1);
    OWNED_NEW(double, turned, (steps + 1) * t->receivers + 1);
    OWNED_BY(free_run) pav_run *run = NULL;

    for (int64_t k = 0; k < t->back.channels; k++) {
        const shot_channel *c = &t->channel[k];
        double *value = turned + (steps + 1) * c->at;
        for (int64_t step = 0; step <= steps; step++)
            memcpy(value + (steps - step) * c->count, t->y + step * t->receivers + c->at,
                   (size_t)c->count * sizeof *value);
        given[k].table = (trace_table){steps + 1, c->count, value, 0};
        shot_trace_name("data", k, given[k].name);
    }
    TRY(open_run(t, t->back.program, given, &run));
    for (int64_t done = 1; done <= steps; done++) {
        TRY(pav_run_steps(run, 1));
        for (int64_t k = 0; k < pav_run_items(run); k++) {
            pav_item item;
            TRY(pav_run_describe(run, k, &item));
            if (item.kind == PAV_KIND_SAMPLE)
                TRY(add_source(t, run, item.index, item.extent[0], done, sum));
        }
    }
    return PAV_OK;
}

/* ---- both -------------------------------------------------------------------------- */

static void close_trial(trial *t)
{
    adjoint_free(&t->back);
    MEM_FREE_ALL(t->channel, t->x, t->y, t->record, t->at_rest);
}

pav_status pav_adjoint_test(const pav_program *p, pav_device *device,
                            const pav_adjoint_options *options, double *forward,
                            double *backward, double *size)
{
    GUARDED;
    if (!p || !device || !forward || !backward || !size)
        return FAIL(PAV_EINVAL,
                    "pav_adjoint_test needs a program, a device and places for three "
                    "numbers");
    *forward = *backward = *size = 0;
    OWNED_BY(close_trial)
    trial t = {.p = &p->tree, .device = device, .options = options, .random = {2026}};
    const adjoint_wish wish = {
        .steps = t.options ? t.options->steps : 0, .folder = SHOT_FOLDER, .test = true};
    double data = 0, other = 0;
    TRY(adjoint_derive(t.p, &wish, &t.back));
    const int64_t steps = t.back.steps;
    EACH_STATEMENT(s, t.p)
        t.sources += s->kind == STATEMENT_INJECT;
    if (t.sources == 0)
        return FAIL(PAV_EINVAL,
                    "%s injects nothing: the test goes from sources to receivers",
                    t.p->name);
    TRY(mem_take(&t.x, t.sources * steps + 1, sizeof *t.x));
    TRY(go_forward(&t, &t.at_rest));
    fill(&t, t.x, t.sources * steps);
    TRY(go_forward(&t, &t.record));
    TRY(mem_take(&t.y, (steps + 1) * t.receivers + 1, sizeof *t.y));
    for (int64_t step = 1; step <= steps; step++)
        for (int64_t k = 0; k < t.back.channels; k++)
            if (step % t.channel[k].every == 0)
                fill(&t, t.y + step * t.receivers + t.channel[k].at, t.channel[k].count);
    TRY(go_backward(&t, backward));
    for (int64_t k = 0; k < (steps + 1) * t.receivers; k++) {
        const double made = t.record[k] - t.at_rest[k];
        *forward += made * t.y[k];
        data += made * made;
        other += t.y[k] * t.y[k];
    }
    *size = sqrt(data) * sqrt(other);
    return PAV_OK;
}
