/* SPDX-License-Identifier: BSD-3-Clause */
/* The adjoint of a description for its user: its text, and the dot-product test. The
 * test: <F x, y> must equal <x, F' y>. F maps a trace x of each source, the same trace
 * at all positions of the source, to the record of the receivers. The record for x = 0
 * is subtracted, since a description may add a constant. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imaging/imaging_private.h"

pav_status pav_program_adjoint(const pav_program *p, int64_t steps, char **result)
{
    GUARDED;
    adjoint a = {0};
    const adjoint_wish wish = {.steps = steps};

    if (result)
        *result = NULL;
    if (!p || !result || steps < 0)
        return FAIL(PAV_EINVAL,
                    "pav_program_adjoint needs a program, a number of steps (0: the "
                    "description's) and a place for the text");
    TRY(adjoint_derive(&p->tree, &wish, &a));
    *result = a.source;
    a.source = NULL;
    adjoint_free(&a);
    return PAV_OK;
}

/* ---- the test ---------------------------------------------------------------------- */

typedef struct trial {
    const program *p;
    pav_device *device;
    const pav_adjoint_options *options;
    char folder[64], path[128];
    adjoint back;
    int sources;
    int64_t receivers;
    shot_channel *channel;
    rng random;
    double *x, *record, *at_rest, *y;
} trial;

static const char *path_of(trial *t, const char *stem, int number)
{
    char suffix[16] = "";

    if (number > 0)
        (void)snprintf(suffix, sizeof suffix, "-%d", number);
    (void)snprintf(t->path, sizeof t->path, "%s/%s%s.npy", t->folder, stem, suffix);
    return t->path;
}

static void fill(trial *t, double *value, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        value[k] = 2 * rng_unit(&t->random) - 1;
}

static pav_status derive(trial *t)
{
    const char *top = getenv("TMPDIR");

    (void)snprintf(t->folder, sizeof t->folder, "%s/pavior-adjoint-XXXXXX",
                   top && *top && strlen(top) < 32 ? top : "/tmp");
    if (!mkdtemp(t->folder)) {
        t->folder[0] = '\0';
        return FAIL(PAV_EIO, "no directory can be made: set $TMPDIR");
    }
    const adjoint_wish wish = {
        .steps = t->options ? t->options->steps : 0, .folder = t->folder, .test = true};
    return adjoint_derive(t->p, &wish, &t->back);
}

/* ---- forwards ---------------------------------------------------------------------- */

static pav_status open_run(const trial *t, const program *p, pav_run **run)
{
    const pav_run_options options = {.no_files = 1,
                                     .threads = t->options ? t->options->threads : 0,
                                     .nan_check_every = -1};

    return pav_run_open(public_program(p), t->device, &options, run);
}

/* Reads the channel's part of the row recorded at the present step. */
static pav_status record_channel(pav_run *run, const shot_channel *c, double *row)
{
    const int64_t columns = c->line->columns > 0 ? c->line->columns : 1;
    OWNED double *all = mem_new(columns * c->count + 1, sizeof *all);

    if (!all)
        return PAV_ENOMEM;
    TRY(pav_sample_read(run, c->sample, NULL, all, columns * c->count));
    memcpy(row + c->at, all + c->column * c->count, (size_t)c->count * sizeof *row);
    return PAV_OK;
}

static pav_status record(trial *t, pav_run *run, double **result)
{
    const int64_t steps = t->back.steps;

    mem_free(t->channel);
    TRY(channels_open(&t->back, run, &t->receivers, &t->channel));
    *result = mem_new((steps + 1) * t->receivers + 1, sizeof **result);
    if (!*result)
        return PAV_ENOMEM;
    for (int64_t step = 1; step <= steps; step++) {
        TRY(pav_run_steps(run, 1));
        for (int64_t k = 0; k < t->back.channels; k++)
            if (step % t->channel[k].every == 0)
                TRY(record_channel(run, &t->channel[k], *result + step * t->receivers));
    }
    return PAV_OK;
}

static pav_status go_forward(trial *t, double *x, double **result)
{
    const int64_t steps = t->back.steps;
    OWNED_BY(free_run) pav_run *run = NULL;

    for (int k = 0; k < t->sources; k++)
        TRY(npy_write_table(path_of(t, "source", k + 1), x + k * steps, steps, 1));
    TRY(open_run(t, t->back.forward, &run));
    return record(t, run, result);
}

/* ---- backwards --------------------------------------------------------------------- */

/* The value received at source `sample` after step `done` of the adjoint belongs to step
 * N - done of the run. */
static pav_status add_source(trial *t, pav_run *run, int64_t sample, int64_t count,
                             int64_t done, double *sum)
{
    const int64_t steps = t->back.steps;
    OWNED double *value = mem_new(count + 1, sizeof *value);

    if (!value)
        return PAV_ENOMEM;
    TRY(pav_sample_read(run, sample, NULL, value, count));
    for (int64_t k = 0; k < count; k++)
        *sum += t->x[sample * steps + steps - done] * value[k];
    return PAV_OK;
}

static pav_status gather(trial *t, pav_run *run, double *sum)
{
    for (int64_t done = 1; done <= t->back.steps; done++) {
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

static pav_status write_data(trial *t, int number)
{
    const int64_t steps = t->back.steps, n = t->receivers;
    const shot_channel *c = &t->channel[number];
    OWNED double *turned = mem_new((steps + 1) * c->count + 1, sizeof *turned);

    if (!turned)
        return PAV_ENOMEM;
    for (int64_t step = 0; step <= steps; step++)
        memcpy(turned + (steps - step) * c->count, t->y + step * n + c->at,
               (size_t)c->count * sizeof *turned);
    return npy_write_table(path_of(t, "data", number), turned, steps + 1, c->count);
}

static pav_status go_backward(trial *t, double *sum)
{
    OWNED_BY(free_run) pav_run *run = NULL;

    for (int k = 0; k < t->back.channels; k++)
        TRY(write_data(t, k));
    TRY(open_run(t, t->back.program, &run));
    return gather(t, run, sum);
}

/* ---- both -------------------------------------------------------------------------- */

static pav_status run_trial(trial *t, double *forward, double *backward, double *size)
{
    double data = 0, other = 0;

    TRY(derive(t));
    const int64_t steps = t->back.steps;
    for (const statement *s = t->p->first; s; s = s->next)
        t->sources += s->kind == STATEMENT_INJECT;
    if (t->sources == 0)
        return FAIL(PAV_EINVAL,
                    "%s injects nothing: the test goes from sources to receivers",
                    t->p->name);
    t->x = mem_new(t->sources * steps + 1, sizeof *t->x);
    if (!t->x)
        return PAV_ENOMEM;
    TRY(go_forward(t, t->x, &t->at_rest));
    fill(t, t->x, t->sources * steps);
    TRY(go_forward(t, t->x, &t->record));
    t->y = mem_new((steps + 1) * t->receivers + 1, sizeof *t->y);
    if (!t->y)
        return PAV_ENOMEM;
    for (int64_t step = 1; step <= steps; step++)
        for (int64_t k = 0; k < t->back.channels; k++)
            if (step % t->channel[k].every == 0)
                fill(t, t->y + step * t->receivers + t->channel[k].at,
                     t->channel[k].count);
    TRY(go_backward(t, backward));
    for (int64_t k = 0; k < (steps + 1) * t->receivers; k++) {
        const double made = t->record[k] - t->at_rest[k];
        *forward += made * t->y[k];
        data += made * made;
        other += t->y[k] * t->y[k];
    }
    *size = sqrt(data) * sqrt(other);
    return PAV_OK;
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
    trial t = {.p = &p->tree, .device = device, .options = options, .random = {2026}};
    const pav_status status = run_trial(&t, forward, backward, size);
    if (t.folder[0]) {
        for (int k = 0; k < t.back.channels; k++)
            (void)unlink(path_of(&t, "data", k));
        for (int k = 0; k < t.sources; k++)
            (void)unlink(path_of(&t, "source", k + 1));
        (void)rmdir(t.folder);
    }
    adjoint_free(&t.back);
    mem_free(t.channel);
    mem_free(t.x);
    mem_free(t.y);
    mem_free(t.record);
    mem_free(t.at_rest);
    return status;
}
