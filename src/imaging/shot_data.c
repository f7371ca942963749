/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes from a shot to its adjoint: traces of the receivers and of the sources, turned around in time, in a folder
 * that is there only while the adjoint's run reads it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "imaging/imaging_private.h"

/* A name that is free; the folder itself is made when there is something to write. */
pav_status shot_name_folder(shot_state *s)
{
    const char *top = getenv("TMPDIR");
    text t = {0};

    text_add(&t, "%s/pavior-adjoint-XXXXXX", top && *top ? top : "/tmp");
    TRY(text_take(&t, &s->folder));
    if (mkdtemp(s->folder) && rmdir(s->folder) == 0)
        return PAV_OK;
    const pav_status status = FAIL(PAV_EIO, "no directory %s can be made: set $TMPDIR",
                                   s->folder);
    mem_free(s->folder);
    s->folder = NULL;
    return status;
}

pav_status shot_path(const shot_state *s, const char *name, char **path)
{
    text t = {0};

    text_add(&t, "%s/%s", s->folder, name);
    return text_take(&t, path);
}

/* ---- what goes into the receivers ----------------------------------------------------------------------- */

static pav_status check_data(const shot_state *s, const trace_table *t)
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
static pav_status subtract(shot_state *s)
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

static pav_status write_turned(const shot_state *s, const char *name, const double *value,
                               int64_t rows, int64_t columns)
{
    const int64_t steps = s->back.steps;
    double *turned = mem_new((steps + 1) * columns + 1, sizeof *turned);
    char *path = NULL;
    pav_status status = turned ? shot_path(s, name, &path) : PAV_ENOMEM;

    for (int64_t step = 0; status == PAV_OK && step <= steps && step < rows; step++)
        memcpy(turned + (steps - step) * columns, value + step * columns,
               (size_t)columns * sizeof *value);
    if (status == PAV_OK)
        status = npy_write_table(path, turned, steps + 1, columns);
    mem_free(path);
    mem_free(turned);
    return status;
}

/* What a line of receivers sends back has half the phase of a sum over time less than the wave that came, where the
 * equation is of second order in time; with it a reflector is a peak of the image. */
static void add_up(shot_state *s)
{
    if (!s->wish->image || s->back.receivers->symbol->oldest < 1)
        return;
    for (int64_t step = s->every; step <= s->back.steps; step += s->every)
        for (int64_t k = 0; k < s->receivers; k++)
            s->row[step * s->receivers + k] +=
                s->row[(step - s->every) * s->receivers + k];
}

static pav_status write_residual(shot_state *s)
{
    TRY(subtract(s));
    for (int64_t k = 0; k < (s->back.steps + 1) * s->receivers; k++)
        s->result->misfit += s->row[k] * s->row[k] / 2;
    add_up(s);
    return write_turned(s, "data.npy", s->row, s->back.steps + 1, s->receivers);
}

/* Traces of sources, for gradients with respect to what stands in them. */
static pav_status write_source(shot_state *s, const statement *inject, int number)
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

pav_status shot_write_traces(shot_state *s)
{
    int number = 0;

    if (mkdir(s->folder, 0700) != 0)
        return FAIL(PAV_EIO, "no directory %s can be made: set $TMPDIR", s->folder);
    TRY(write_residual(s));
    if (!s->wish->coefficients)
        return PAV_OK;
    for (const statement *i = s->p->first; i; i = i->next)
        if (i->kind == STATEMENT_INJECT && (++number, i->trace))
            TRY(write_source(s, i, number));
    return PAV_OK;
}

void shot_remove_folder(const shot_state *s)
{
    int number = 0;
    char *path = NULL;
    text name = {0};

    if (!s->folder)
        return;
    if (shot_path(s, "data.npy", &path) == PAV_OK)
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
