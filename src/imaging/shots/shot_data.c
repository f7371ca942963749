/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces passed from a shot to its adjoint: data of the receivers and amounts of the
 * sources, reversed in time. They stay in memory under names that are the same for each
 * shot. Kernels contain the names of the description, so all shots share their
 * kernels. */
#include <stdio.h>
#include <string.h>

#include "imaging/imaging_private.h"

/* ---- what goes into the receivers -------------------------------------------------- */

static pav_status check_data(const shot_state *s, const char *path, const shot_channel *c,
                             const trace_table *t)
{
    const int64_t rows = s->back.steps / c->every + 1;
    const int64_t columns = c->line->columns > 0 ? c->line->columns : 1;
    const int64_t each = c->count / s->jobs * columns;

    if (t->columns != each || t->rows != rows)
        return FAIL(PAV_EFORMAT,
                    "%s holds %lld rows of %lld traces; the receivers of %s record %lld "
                    "rows of %lld",
                    path, (long long)t->rows, (long long)t->columns, s->p->name,
                    (long long)rows, (long long)each);
    return PAV_OK;
}

/* For an image, the data go back. For a gradient, the record minus the data goes back. */
static void subtract(shot_state *s, int64_t n, const shot_channel *c,
                     const trace_table *t)
{
    const int64_t each = c->count / s->jobs;
    const double own = s->wish->image ? 0 : 1, sign = s->wish->image ? 1 : -1;

    for (int64_t step = 0; step <= s->back.steps; step += c->every)
        for (int64_t k = 0; k < each; k++) {
            double *value = s->row + step * s->receivers + c->at + n * each + k;
            const double *data = t->value + step / c->every * t->columns;
            *value = own * *value + sign * data[c->column * each + k];
        }
}

static pav_status read_data(const shot_state *s, int64_t n, const shot_channel *c,
                            trace_table *t)
{
    text path = {0};

    pav_status status = receivers_path(c->line, s->job[n].data, &path);
    if (status == PAV_OK)
        status = traces_read(path.data, t);
    if (status == PAV_OK)
        status = check_data(s, path.data, c, t);
    text_free(&path);
    return status;
}

static pav_status take_data(shot_state *s, int64_t n, const shot_channel *c)
{
    trace_table t = {0};

    if (!s->job[n].data)
        return PAV_OK;
    const pav_status status = read_data(s, n, c, &t);
    if (status == PAV_OK)
        subtract(s, n, c, &t);
    traces_free(&t);
    return status;
}

pav_status shot_check_data(const shot_state *s)
{
    pav_status status = PAV_OK;

    for (int64_t k = 0; k < s->back.channels; k++)
        for (int64_t n = 0; n < s->jobs && status == PAV_OK; n++) {
            trace_table t = {0};
            if (s->channel[k].column == 0 && s->job[n].data)
                status = read_data(s, n, &s->channel[k], &t);
            traces_free(&t);
        }
    return status;
}

/* Reverses `columns` columns of a table of `all` columns in time. */
static pav_status give_turned(const shot_state *s, given_traces *g, const char *name,
                              const double *value, int64_t rows, int64_t columns,
                              int64_t all)
{
    const int64_t steps = s->back.steps;

    (void)snprintf(g->name, sizeof g->name, "%s", name);
    g->table = (trace_table){.rows = steps + 1, .columns = columns};
    g->table.value = mem_new((steps + 1) * columns + 1, sizeof *value);
    if (!g->table.value)
        return PAV_ENOMEM;
    for (int64_t step = 0; step <= steps && step < rows; step++)
        memcpy(g->table.value + (steps - step) * columns, value + step * all,
               (size_t)columns * sizeof *value);
    return PAV_OK;
}

/* Sums the data over time for an image. If the equation is of second order in time, the
 * wave sent back by a line of receivers lacks half the phase of such a sum. With the sum,
 * a reflector becomes a peak of the image. */
static void add_up(shot_state *s, const shot_channel *c)
{
    if (!s->wish->image || c->line->symbol->oldest < 1)
        return;
    for (int64_t step = c->every; step <= s->back.steps; step += c->every)
        for (int64_t k = c->at; k < c->at + c->count; k++)
            s->row[step * s->receivers + k] +=
                s->row[(step - c->every) * s->receivers + k];
}

static void add_misfit(const shot_state *s, int64_t n, const shot_channel *c)
{
    const int64_t each = c->count / s->jobs, from = c->at + n * each;

    for (int64_t step = 0; step <= s->back.steps; step++)
        for (int64_t k = from; k < from + each; k++) {
            const double value = s->row[step * s->receivers + k];
            s->result[n].misfit += value * value / 2;
        }
}

static pav_status give_residual(shot_state *s, int64_t number)
{
    const shot_channel *c = &s->channel[number];
    given_traces *g = &s->given[number];

    for (int64_t n = 0; n < s->jobs; n++) {
        TRY(take_data(s, n, c));
        add_misfit(s, n, c);
    }
    add_up(s, c);
    TRY(give_turned(s, g, SHOT_FOLDER "/data.npy", s->row + c->at, s->back.steps + 1,
                    c->count, s->receivers));
    if (number > 0)
        (void)snprintf(g->name, sizeof g->name, SHOT_FOLDER "/data-%lld.npy",
                       (long long)number);
    return PAV_OK;
}

pav_status shot_read_wavelet(const program *p, const statement *inject, trace_table *t)
{
    text path = {0};

    text_add(&path, "%s%s%s", inject->trace[0] == '/' ? "" : p->directory,
             inject->trace[0] == '/' ? "" : "/", inject->trace);
    const pav_status status = path.failed ? PAV_ENOMEM : traces_read(path.data, t);
    text_free(&path);
    return status;
}

/* Passes on the traces of a source. The gradient of a coefficient inside a source needs
 * them. */
static pav_status give_source(shot_state *s, given_traces *g, const statement *inject,
                              int number)
{
    trace_table t = {0};
    char name[sizeof g->name];

    (void)snprintf(name, sizeof name, SHOT_FOLDER "/source-%d.npy", number);
    pav_status status = shot_read_wavelet(s->p, inject, &t);
    if (status == PAV_OK)
        status = give_turned(s, g, name, t.value, t.rows, t.columns, t.columns);
    traces_free(&t);
    return status;
}

static int64_t count_sources(const shot_state *s)
{
    int64_t count = 0;

    for (const statement *i = s->p->first; i; i = i->next)
        count += i->kind == STATEMENT_INJECT;
    return count;
}

pav_status shot_give_traces(shot_state *s)
{
    int number = 0;
    int64_t given = s->back.channels;

    s->given = mem_new(given + count_sources(s) + 1, sizeof *s->given);
    if (!s->given)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < given; k++)
        TRY(give_residual(s, k));
    for (const statement *i = s->p->first; s->wish->coefficients && i; i = i->next)
        if (i->kind == STATEMENT_INJECT && (++number, i->trace))
            TRY(give_source(s, &s->given[given++], i, number));
    return PAV_OK;
}

void shot_drop_traces(shot_state *s)
{
    for (given_traces *g = s->given; g && *g->name; g++)
        mem_free(g->table.value);
    mem_free(s->given);
    s->given = NULL;
}
