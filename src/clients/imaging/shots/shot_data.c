/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a shot: their identity, the receivers with data, and the traces passed
 * from a shot to its adjoint. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "imaging/imaging_private.h"

/* ---- identity ---------------------------------------------------------------------- */

/* The input files of a shot: the files read by its description, and its data. A rewritten
 * file has another size or time, so results of the old file are not used again. */

/* Hashes path, size and time of one file. */
static void file_hash(const char *path, hash *h)
{
    struct stat about;

    hash_add(h, path, (int64_t)strlen(path) + 1);
    if (stat(path, &about) != 0)
        return;
    hash_add(h, &about.st_size, sizeof about.st_size);
    hash_add(h, &about.st_mtim.tv_sec, sizeof about.st_mtim.tv_sec);
    hash_add(h, &about.st_mtim.tv_nsec, sizeof about.st_mtim.tv_nsec);
}

/* The file of "model.h5:/vp" is model.h5. */
static pav_status add_file(const program *p, const char *file, hash *h)
{
    OWNED_BY(text_free) text path = {0};

    if (!file)
        return PAV_OK;
    const char *colon = strstr(file, ":/");
    const int length = colon ? (int)(colon - file) : (int)strlen(file);
    if (file[0] != '/')
        text_add(&path, "%s/", p->directory ? p->directory : ".");
    TRY(text_print(&path, "%.*s", length, file));
    file_hash(path.data, h);
    return PAV_OK;
}

pav_status files_hash(const program *p, hash *h)
{
    for (int axis = 0; axis < p->dim; axis++)
        TRY(add_file(p, p->axis[axis].table, h));
    EACH_STATEMENT(s, p) {
        const bool reads = s->kind == STATEMENT_FIELD || s->kind == STATEMENT_INITIAL ||
                           s->kind == STATEMENT_MASK;
        TRY(add_file(p, reads ? s->file : NULL, h));
        TRY(add_file(p, s->points.file, h));
        TRY(add_file(p, s->trace, h));
    }
    for (int64_t k = 0; k < p->fields.count; k++)
        TRY(add_file(p, p->fields.item[k]->file, h));
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

/* Chooses the receivers of a description: all samples, or only the samples whose files
 * are in the data. Finds the data file of each receiver. */

static bool is_directory(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

pav_status receivers_choose(const program *p, const char *data, const statement ***list)
{
    const bool directory = data && is_directory(data);
    int64_t samples = 0, count = 0;

    *list = NULL;
    EACH_STATEMENT(s, p)
        samples += sample_is_whole(s);
    if (!data || (samples <= 1 && !directory))
        return PAV_OK;
    OWNED_NEW(const statement *, found, samples + 1);
    EACH_STATEMENT(s, p)
        if (sample_is_whole(s) && s->file &&
            (directory
                 ? path_is_segy(s->file) || strcmp(path_ending(s->file), ".npy") == 0
                 : strcmp(path_name(s->file), path_name(data)) == 0))
            found[count++] = s;
    if (count == 0 && directory)
        return FAIL(PAV_EINVAL,
                    "%s is a directory, and no `sample` of %s is recorded `into` a .npy "
                    "or SEG-Y file that could lie there",
                    data, p->name);
    if (count == 0)
        return FAIL(PAV_EINVAL,
                    "%s has %lld `sample` lines, and none `into \"%s\"`: let the data "
                    "have the name of one's file, or name the directory that holds those "
                    "of all",
                    p->name, (long long)samples, path_name(data));
    *list = mem_hand_over(&found);
    return PAV_OK;
}

static pav_status receivers_path(const statement *line, const char *data, text *path)
{
    const bool below = is_directory(data);

    return text_print(path, "%s%s%s", data, below ? "/" : "", below ? line->file : "");
}

pav_status receivers_hash(const program *p, const char *data, hash *h)
{
    OWNED const statement **list = NULL;

    file_hash(data, h);
    TRY(receivers_choose(p, data, &list));
    for (int64_t k = 0; list && list[k]; k++) {
        OWNED_BY(text_free) text path = {0};
        if (receivers_path(list[k], data, &path) == PAV_OK)
            file_hash(path.data, h);
    }
    return PAV_OK;
}

/* ---- their columns in a table of all shots ----------------------------------------- */

pav_status channels_open(const adjoint *a, pav_run *run, int64_t *columns,
                         shot_channel **result)
{
    shot_channel *channel = mem_new(a->channels + 1, sizeof *channel);
    int64_t sample = -1;

    *columns = 0;
    *result = channel;
    for (int64_t k = 0; channel && k < a->channels; k++) {
        const statement *line = a->channel[k].line;
        pav_item item;
        sample += a->channel[k].column == 0;
        channel[k] = (shot_channel){.line = line,
                                    .column = a->channel[k].column,
                                    .sample = sample,
                                    .at = *columns,
                                    .every = line->every_steps > 0 ? line->every_steps
                                                                   : 1};
        for (int64_t n = 0; n < pav_run_items(run); n++)
            if (pav_run_describe(run, n, &item) == PAV_OK &&
                item.kind == PAV_KIND_SAMPLE && item.index == sample)
                channel[k].count = item.extent[0]; /* positions */
        *columns += channel[k].count;
    }
    return channel ? PAV_OK : PAV_ENOMEM;
}

/* ---- traces ------------------------------------------------------------------------ */

/* Traces passed from a shot to its adjoint: data of the receivers and amounts of the
 * sources, reversed in time. They stay in memory under names that are the same for each
 * shot. Kernels contain the names of the description, so all shots share their
 * kernels. */

static pav_status read_data(const shot_state *s, int64_t n, const shot_channel *c,
                            trace_table *t)
{
    const int64_t rows = s->back->steps / c->every + 1;
    const int64_t columns = c->line->columns > 0 ? c->line->columns : 1;
    const int64_t each = c->count / s->jobs * columns;
    OWNED_BY(text_free) text path = {0};

    TRY(receivers_path(c->line, s->job[n]->data, &path));
    TRY(traces_read(path.data, t));
    if (t->columns == each && t->rows == rows)
        return PAV_OK;
    return FAIL(PAV_EFORMAT,
                "%s holds %lld rows of %lld traces; the receivers of %s record %lld "
                "rows of %lld",
                path.data, (long long)t->rows, (long long)t->columns, s->p->name,
                (long long)rows, (long long)each);
}

pav_status shot_check_data(const shot_state *s)
{
    for (int64_t k = 0; k < s->back->channels; k++)
        for (int64_t n = 0; n < s->jobs; n++) {
            OWNED_BY(traces_free) trace_table t = {0};
            if (s->channel[k].column == 0 && s->job[n]->data)
                TRY(read_data(s, n, &s->channel[k], &t));
        }
    return PAV_OK;
}

void shot_trace_name(const char *what, int64_t number, char name[40])
{
    char end[24] = "";

    if (number > 0)
        (void)snprintf(end, sizeof end, "-%lld", (long long)number);
    (void)snprintf(name, 40, SHOT_FOLDER "/%.8s%s.npy", what, end);
}

/* Reverses `columns` columns of a table of `all` columns in time. */
static pav_status give_turned(const shot_state *s, given_traces *g, const double *value,
                              int64_t rows, int64_t columns, int64_t all)
{
    const int64_t steps = s->back->steps;

    g->table = (trace_table){.rows = steps + 1, .columns = columns};
    TRY(mem_take(&g->table.value, (steps + 1) * columns + 1, sizeof *value));
    for (int64_t step = 0; step <= steps && step < rows; step++)
        memcpy(g->table.value + (steps - step) * columns, value + step * all,
               (size_t)columns * sizeof *value);
    return PAV_OK;
}

/* For an image, the data go back, summed over time if the equation is of second order in
 * time: the wave sent back by a line of receivers lacks half the phase of such a sum, and
 * a reflector becomes a peak of the image. For a gradient, the record minus the data goes
 * back. */
static pav_status give_residual(shot_state *s, int64_t number)
{
    const shot_channel *c = &s->channel[number];
    given_traces *g = &s->given[number];
    const int64_t each = c->count / s->jobs, steps = s->back->steps;
    const double own = s->wish->image ? 0 : 1, sign = s->wish->image ? 1 : -1;
    const bool sums = s->wish->image && c->line->symbol->oldest >= 1;

    for (int64_t n = 0; n < s->jobs; n++) {
        OWNED_BY(traces_free) trace_table t = {0};
        double *misfit = &s->job[n]->result.of.misfit;
        if (s->job[n]->data)
            TRY(read_data(s, n, c, &t));
        for (int64_t step = 0; step <= steps; step++)
            for (int64_t k = 0; k < each; k++) {
                double *value = s->row + step * s->receivers + c->at + n * each + k;
                if (t.value && step % c->every == 0)
                    *value = own * *value + sign * t.value[step / c->every * t.columns +
                                                           c->column * each + k];
                *misfit += *value * *value / 2;
            }
    }
    for (int64_t step = c->every; step <= steps && sums; step += c->every)
        for (int64_t k = c->at; k < c->at + c->count; k++)
            s->row[step * s->receivers + k] +=
                s->row[(step - c->every) * s->receivers + k];
    shot_trace_name("data", number, g->name);
    return give_turned(s, g, s->row + c->at, steps + 1, c->count, s->receivers);
}

pav_status shot_read_wavelet(const program *p, const statement *inject, trace_table *t)
{
    OWNED_BY(text_free) text path = {0};
    const bool whole = inject->trace[0] == '/';

    text_add(&path, "%s%s%s", whole ? "" : p->directory, whole ? "" : "/", inject->trace);
    return path.failed ? PAV_ENOMEM : traces_read(path.data, t);
}

/* Passes on the traces of a source. The gradient of a coefficient inside a source needs
 * them. */
static pav_status give_source(shot_state *s, given_traces *g, const statement *inject,
                              int number)
{
    OWNED_BY(traces_free) trace_table t = {0};

    shot_trace_name("source", number, g->name);
    TRY(shot_read_wavelet(s->p, inject, &t));
    return give_turned(s, g, t.value, t.rows, t.columns, t.columns);
}

pav_status shot_give_traces(shot_state *s)
{
    int number = 0;
    int64_t given = s->back->channels, sources = 0;

    EACH_STATEMENT(i, s->p)
        sources += i->kind == STATEMENT_INJECT;
    TRY(mem_take(&s->given, given + sources + 1, sizeof *s->given));
    for (int64_t k = 0; k < given; k++)
        TRY(give_residual(s, k));
    for (const statement *i = s->p->first; s->wish->coefficients && i; i = i->next)
        if (i->kind == STATEMENT_INJECT && (++number, i->trace))
            TRY(give_source(s, &s->given[given++], i, number));
    return PAV_OK;
}
