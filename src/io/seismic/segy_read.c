/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads SEG-Y files trace by trace, so a file may be larger than memory. */
#include <math.h>
#include <string.h>

#include "io/seismic/segy_private.h"

typedef struct segy_file {
    in_file in;
    segy_header header;
    char *bytes; /* of one trace */
    double *values;
} segy_file;

/* ---- opening ----------------------------------------------------------------------- */

static pav_status read_head(segy_file *f, char *head)
{
    int64_t there, got;

    TRY(in_size(&f->in, &there));
    TRY(in_read(&f->in, head, SEGY_HEAD + SEGY_TRACE, &got));
    if (segy_parse_header(head, got, there, &f->header) != PAV_OK)
        return FAIL(PAV_EFORMAT, "%s is no SEG-Y file that can be read: %s", f->in.path,
                    pav_message());
    return PAV_OK;
}

/* Goes back to the first trace; its header was read before. */
static pav_status rewind_to_traces(segy_file *f, const char *path)
{
    char piece[SEGY_TEXT];
    int64_t left = f->header.first, got = 1;

    in_close(&f->in);
    TRY(in_open(&f->in, path));
    for (; left > 0 && got > 0; left -= got)
        TRY(in_read(&f->in, piece, left < SEGY_TEXT ? left : SEGY_TEXT, &got));
    return PAV_OK;
}

static void close_segy(segy_file *f)
{
    in_close(&f->in);
    mem_free(f->bytes);
    mem_free(f->values);
}

static pav_status open_segy(const char *path, segy_file *f)
{
    char head[SEGY_HEAD + SEGY_TRACE];

    *f = (segy_file){0};
    TRY(in_open(&f->in, path));
    pav_status status = read_head(f, head);
    if (status == PAV_OK)
        status = rewind_to_traces(f, path);
    if (status == PAV_OK) {
        f->bytes = mem_new(SEGY_TRACE + f->header.samples * f->header.bytes, 1);
        f->values = mem_new(f->header.samples, sizeof *f->values);
        status = f->bytes && f->values ? PAV_OK : PAV_ENOMEM;
    }
    if (status != PAV_OK)
        close_segy(f);
    return status;
}

pav_status segy_read_header(const char *path, segy_header *h)
{
    segy_file f;

    *h = (segy_header){0};
    TRY(open_segy(path, &f));
    *h = f.header;
    close_segy(&f);
    return PAV_OK;
}

/* ---- samples ----------------------------------------------------------------------- */

static double ibm_float(uint32_t bits)
{
    const double part = (double)(bits & 0xffffff) / 0x1p24;
    const double value = ldexp(part, 4 * ((int)(bits >> 24 & 0x7f) - 64));

    return bits >> 31 ? -value : value;
}

static double ieee_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static double sample_of(int format, const char *at)
{
    switch (format) {
    case SEGY_IBM: return ibm_float((uint32_t)segy_get_32(at));
    case SEGY_IEEE: return ieee_float((uint32_t)segy_get_32(at));
    case SEGY_INT32: return segy_get_32(at);
    case SEGY_INT16: return segy_get_16(at);
    default: return (int8_t)*at;
    }
}

static pav_status read_trace(segy_file *f, int64_t number, segy_trace *trace)
{
    const segy_header *h = &f->header;
    const int64_t length = SEGY_TRACE + h->samples * h->bytes;
    int64_t got;

    TRY(in_read(&f->in, f->bytes, length, &got));
    if (got < length)
        return FAIL(PAV_EFORMAT, "%s is cut short: trace %lld of %lld has %lld bytes",
                    f->in.path, (long long)number + 1, (long long)h->traces,
                    (long long)got);
    segy_parse_trace(f->bytes, trace);
    if (trace->samples > 0 && trace->samples != h->samples)
        return FAIL(
            PAV_EFORMAT,
            "%s: trace %lld says that it has %lld samples, the file that each has "
            "%lld; traces of one length are read",
            f->in.path, (long long)number + 1, (long long)trace->samples,
            (long long)h->samples);
    for (int64_t n = 0; n < h->samples; n++)
        f->values[n] = sample_of(h->format, f->bytes + SEGY_TRACE + n * h->bytes);
    return PAV_OK;
}

static pav_status each_trace(segy_file *f, segy_visit *visit, void *user)
{
    for (int64_t n = 0; n < f->header.traces; n++) {
        segy_trace trace;
        TRY(read_trace(f, n, &trace));
        TRY(visit(user, n, &trace, f->values));
    }
    return PAV_OK;
}

pav_status segy_each(const char *path, segy_visit *visit, void *user)
{
    segy_file f;

    TRY(open_segy(path, &f));
    const pav_status status = each_trace(&f, visit, user);
    close_segy(&f);
    return status;
}

/* ---- fields ------------------------------------------------------------------------ */

typedef struct columns {
    const view *v;
    int dimensions;
    progress_sink *progress;
} columns;

/* Stores a trace: it is a line of the field along the last axis. Lines are ordered along
 * x first, then y. */
static pav_status put_column(void *user, int64_t number, const segy_trace *trace,
                             const double *values)
{
    const columns *c = user;
    const view *v = c->v;
    const int last = c->dimensions - 1;
    box part = {.hi = {1, 1, 1}};

    (void)trace;
    if (last > 0) {
        part.lo[0] = number % v->extent[0];
        part.hi[0] = part.lo[0] + 1;
    }
    if (last > 1) {
        part.lo[1] = number / v->extent[0];
        part.hi[1] = part.lo[1] + 1;
    }
    part.hi[last] = v->extent[last];
    view_write_box(v, &part, PAV_F64, values);
    return progress_add(c->progress, v->extent[last]);
}

pav_status segy_read_view(const char *path, int dimensions, const view *v,
                          progress_sink *a)
{
    columns c = {v, dimensions, a};
    segy_header h;
    int64_t traces = 1;

    for (int axis = 0; axis < dimensions - 1; axis++)
        traces *= v->extent[axis];
    if (v->type == PAV_U8)
        return FAIL(PAV_EUNSUPPORTED,
                    "a mask is not read from a SEG-Y file; make a .npy of "
                    "it, or a field and `mask rock > 0`");
    TRY(segy_read_header(path, &h));
    if (h.traces != traces || h.samples != v->extent[dimensions - 1])
        return FAIL(PAV_EFORMAT,
                    "%s does not fit: it has %lld traces of %lld samples, the grid needs "
                    "%lld of %lld, a trace for each column along its last axis",
                    path, (long long)h.traces, (long long)h.samples, (long long)traces,
                    (long long)v->extent[dimensions - 1]);
    return segy_each(path, put_column, &c);
}
