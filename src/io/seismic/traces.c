/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads traces into tables of doubles, one column per trace (wavelets, gathers). */
#include <math.h>
#include <string.h>

#include "io/io_private.h"

enum { MOST_VALUES = 1 << 28 }; /* of one table */

bool path_is_segy(const char *path)
{
    const char *ending = path_ending(path);

    return strcmp(ending, ".sgy") == 0 || strcmp(ending, ".segy") == 0;
}

/* ---- SEG-Y ------------------------------------------------------------------------- */

static pav_status put_trace(void *user, int64_t number, const segy_trace *trace,
                            const double *values)
{
    const trace_table *t = user;

    (void)trace;
    for (int64_t n = 0; n < t->rows; n++)
        t->value[n * t->columns + number] = values[n];
    return PAV_OK;
}

static pav_status too_many(const char *path, int64_t rows, int64_t columns)
{
    return FAIL(PAV_ELIMIT,
                "%s has %lld traces of %lld samples; at most %d values are read", path,
                (long long)columns, (long long)rows, MOST_VALUES);
}

static pav_status read_segy(const char *path, trace_table *t)
{
    segy_header h;

    TRY(segy_read_header(path, &h));
    if (h.traces > MOST_VALUES / h.samples)
        return too_many(path, h.samples, h.traces);
    t->rows = h.samples;
    t->columns = h.traces;
    t->interval = h.interval;
    t->value = mem_new(t->rows * t->columns, sizeof *t->value);
    return t->value ? segy_each(path, put_trace, t) : PAV_ENOMEM;
}

/* ---- NumPy ------------------------------------------------------------------------- */

static pav_status read_npy(const char *path, trace_table *t)
{
    npy_header h;

    TRY(npy_read_header(path, &h));
    if (h.dimensions < 1 || h.dimensions > 2 || h.count < 1)
        return FAIL(PAV_EFORMAT,
                    "%s holds no traces: an array of shape (n) or (n, traces) is needed",
                    path);
    t->columns = h.dimensions == 2 ? h.extent[1] : 1;
    if (h.count > MOST_VALUES || t->columns > INT32_MAX)
        return too_many(path, h.extent[0], t->columns);
    return npy_read_table(path, (int)t->columns, MOST_VALUES, &t->value, &t->rows);
}

static pav_status check_finite(const char *path, const trace_table *t)
{
    for (int64_t n = 0; n < t->rows * t->columns; n++)
        if (!isfinite(t->value[n]))
            return FAIL(PAV_EFORMAT, "%s: sample %lld of trace %lld is %s", path,
                        (long long)(n / t->columns) + 1, (long long)(n % t->columns) + 1,
                        isnan(t->value[n]) ? "not a number" : "infinite");
    return PAV_OK;
}

pav_status traces_read(const char *path, trace_table *t)
{
    *t = (trace_table){0};
    pav_status status = path_is_segy(path) ? read_segy(path, t) : read_npy(path, t);
    if (status == PAV_OK)
        status = check_finite(path, t);
    if (status != PAV_OK)
        traces_free(t);
    return status;
}

void traces_free(trace_table *t)
{
    mem_free(t->value);
    *t = (trace_table){0};
}
