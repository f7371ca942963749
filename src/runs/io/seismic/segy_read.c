/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads traces, SEG-Y files and raw models. */
#include <math.h>
#include <string.h>

#include "io/io_private.h"

/* ---- headers ----------------------------------------------------------------------- */

/* Headers of SEG-Y files (revisions 0 and 1, all traces of one length): the first 3600
 * bytes of the file and 240 bytes per trace. Sizes in a header are trusted only after
 * comparison with the file's size. */

static uint32_t get(const char *at, int bytes)
{
    uint32_t value = 0;

    for (int i = 0; i < bytes; i++)
        value = value << 8 | (uint8_t)at[i];
    return value;
}

static int segy_get_16(const char *at)
{
    return (int16_t)get(at, 2);
}

/* Bytes of a sample; 0 if the format is not supported. */
static int sample_bytes(int format)
{
    switch (format) {
    case SEGY_IBM:
    case SEGY_INT32:
    case SEGY_IEEE: return 4;
    case SEGY_INT16: return 2;
    case SEGY_INT8: return 1;
    default: return 0;
    }
}

/* Parses the binary header. A count of samples is unsigned: files with more than 32767
 * exist. */
static pav_status parse_binary(const char *b, int64_t first_samples, segy_header *h)
{
    const int extended = segy_get_16(b + 304);

    h->format = segy_get_16(b + 24);
    h->bytes = sample_bytes(h->format);
    h->interval = 1e-6 * get(b + 16, 2);
    h->samples = get(b + 20, 2) > 0 ? get(b + 20, 2) : first_samples;
    if (h->bytes == 0)
        return FAIL(PAV_EFORMAT,
                    "its samples are of format %d; read are 1 (IBM floats), 2, 3 and 8 "
                    "(whole numbers of 4, 2 and 1 bytes) and 5 (IEEE floats)",
                    h->format);
    if (h->samples < 1)
        return FAIL(PAV_EFORMAT, "its headers say that a trace has no samples");
    if (extended < 0 || extended > 1000)
        return FAIL(PAV_EFORMAT, "its header says that %d more headers follow it",
                    extended);
    h->first = SEGY_HEAD + extended * (int64_t)SEGY_TEXT;
    return PAV_OK;
}

pav_status segy_parse_header(const char *head, int64_t length, int64_t file_bytes,
                             segy_header *h)
{
    *h = (segy_header){0};
    if (length < SEGY_HEAD + SEGY_TRACE)
        return FAIL(PAV_EFORMAT,
                    "it has %lld bytes, and a SEG-Y file at least 3840 and a sample",
                    (long long)length);
    TRY(parse_binary(head + SEGY_TEXT, get(head + SEGY_HEAD + 114, 2), h));
    const int64_t each = SEGY_TRACE + h->samples * h->bytes;
    const int64_t left = file_bytes - h->first;
    h->traces = left > 0 ? left / each : 0;
    if (h->traces < 1 || left % each != 0)
        return FAIL(PAV_EFORMAT,
                    "%lld bytes of traces are no whole number of them: each has 240 and "
                    "%lld samples of %d bytes; it is cut, or its traces differ in length",
                    (long long)(left > 0 ? left : 0), (long long)h->samples, h->bytes);
    return PAV_OK;
}

/* Applies a scalar: -100 divides by 100, 100 multiplies by 100, 0 does nothing. */
static double scaled(const char *at, int scalar)
{
    const double value = (int32_t)get(at, 4);

    return scalar < 0 ? value / -scalar : scalar > 0 ? value * scalar : value;
}

static void segy_parse_trace(const char *t, segy_trace *result)
{
    const int level = segy_get_16(t + 68), place = segy_get_16(t + 70);

    *result = (segy_trace){
        .samples = get(t + 114, 2),
        .source = {scaled(t + 72, place), scaled(t + 76, place),
                   scaled(t + 48, level) - scaled(t + 44, level)},
        .receiver = {scaled(t + 80, place), scaled(t + 84, place),
                     -scaled(t + 40, level)},
    };
}

/* ---- SEG-Y ------------------------------------------------------------------------- */

/* Reads SEG-Y files trace by trace, so a file may be larger than memory. */

typedef struct segy_file {
    in_file in;
    segy_header header;
    char *bytes; /* of one trace */
    double *values;
} segy_file;

/* ---- opening ----------------------------------------------------------------------- */

static void close_segy(segy_file *f)
{
    in_close(&f->in);
    MEM_FREE_ALL(f->bytes, f->values);
}

/* The caller owns the file, also after a failure. */
static pav_status open_segy(const char *path, segy_file *f)
{
    TRY(in_open(&f->in, path));
    char head[SEGY_HEAD + SEGY_TRACE];
    segy_header *h = &f->header;
    int64_t there, got;
    TRY(in_size(&f->in, &there));
    TRY(in_read(&f->in, head, sizeof head, &got));
    if (segy_parse_header(head, got, there, h) != PAV_OK)
        return FAIL(PAV_EFORMAT, "%s is no SEG-Y file that can be read: %s", f->in.path,
                    pav_message());
    TRY(in_skip(&f->in, h->first - got)); /* back to the first trace */
    f->bytes = mem_new(SEGY_TRACE + h->samples * h->bytes, 1);
    f->values = mem_new(h->samples, sizeof *f->values);
    return f->bytes && f->values ? PAV_OK : PAV_ENOMEM;
}

pav_status segy_read_header(const char *path, segy_header *h)
{
    OWNED_BY(close_segy) segy_file f = {0};

    *h = (segy_header){0};
    TRY(open_segy(path, &f));
    *h = f.header;
    return PAV_OK;
}

/* ---- samples ----------------------------------------------------------------------- */

static double ibm_float(uint32_t bits)
{
    const double value = ldexp((double)(bits & 0xffffff) / 0x1p24,
                               4 * ((int)(bits >> 24 & 0x7f) - 64));

    return bits >> 31 ? -value : value;
}

static double sample_of(int format, const char *at)
{
    const uint32_t word = get(at, sample_bytes(format));

    switch (format) {
    case SEGY_IBM: return ibm_float(word);
    case SEGY_IEEE: return type_load(PAV_F32, &word);
    case SEGY_INT32: return (int32_t)word;
    case SEGY_INT16: return (int16_t)word;
    default: return (int8_t)word;
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

pav_status segy_each(const char *path, segy_visit *visit, void *user)
{
    segy_trace trace;
    OWNED_BY(close_segy) segy_file f = {0};

    TRY(open_segy(path, &f));
    for (int64_t n = 0; n < f.header.traces; n++) {
        TRY(read_trace(&f, n, &trace));
        TRY(visit(user, n, &trace, f.values));
    }
    return PAV_OK;
}

/* ---- fields ------------------------------------------------------------------------ */

typedef struct raw_columns {
    const view *v;
    int dimensions;
    progress_sink *progress;
} raw_columns;

/* Stores a trace: it is a line of the field along the last axis. Lines are ordered along
 * x first, then y. */
static pav_status put_column(void *user, int64_t number, const segy_trace *trace,
                             const double *values)
{
    const raw_columns *c = user;
    const view *v = c->v;
    const int last = c->dimensions - 1;
    const int64_t width = int64_most(v->extent[0], 1);
    const int64_t at[PAV_MAX_DIMENSIONS] = {number % width, number / width};
    box part = {.hi = {1, 1, 1}};

    (void)trace;
    for (int axis = 0; axis < last; axis++) {
        part.lo[axis] = at[axis];
        part.hi[axis] = at[axis] + 1;
    }
    part.hi[last] = v->extent[last];
    view_write_box(v, &part, PAV_F64, values);
    return progress_add(c->progress, v->extent[last]);
}

pav_status segy_read_view(const char *path, int dimensions, const view *v,
                          progress_sink *a)
{
    raw_columns c = {v, dimensions, a};
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

/* ---- raw models -------------------------------------------------------------------- */

/* Raw binary models: values without a header. The description gives type, byte order and
 * order of axes. */

typedef struct raw_file {
    in_file in;
    const raw_layout *layout;
} raw_file;

static pav_status check_size(const char *path, const in_file *in, const raw_layout *l,
                             int dimensions, const view *v)
{
    int64_t there, needed = (int64_t)pav_type_size(l->type);

    for (int axis = 0; axis < dimensions; axis++)
        needed *= v->extent[axis];
    TRY(in_size(in, &there));
    if (there < 0 || there == needed)
        return PAV_OK;
    return FAIL(PAV_EFORMAT, "%s has %lld bytes, but the grid's points in %s take %lld",
                path, (long long)there, pav_type_name(l->type), (long long)needed);
}

static void turn_bytes(char *bytes, int64_t count, int size)
{
    for (int64_t n = 0; n < count; n++, bytes += size)
        for (int i = 0; i < size / 2; i++) {
            const char kept = bytes[i];
            bytes[i] = bytes[size - 1 - i];
            bytes[size - 1 - i] = kept;
        }
}

static pav_status next_values(void *file, double *values, int64_t count)
{
    raw_file *f = file;
    in_file *in = &f->in;
    const raw_layout *l = f->layout;
    const int size = (int)pav_type_size(l->type);
    char bytes[LINE_PIECE * sizeof(double)];
    int64_t got;

    if (!values)
        return in_skip(in, count * size);
    TRY(in_read(in, bytes, count * size, &got));
    if (got < count * size)
        return FAIL(PAV_EFORMAT, "%s is cut short", in->path);
    if (l->swapped)
        turn_bytes(bytes, count, size);
    for (int64_t n = 0; n < count; n++)
        values[n] = type_load(l->type, bytes + n * size);
    return PAV_OK;
}

pav_status raw_read_view(const char *path, const raw_layout *l, int dimensions,
                         const view *v, const box *part, progress_sink *a)
{
    int axis[PAV_MAX_DIMENSIONS] = {0, 1, 2};
    raw_file f = {.layout = l};

    for (int k = 0; k < dimensions; k++)
        axis[k] = l->axis[k];
    TRY(in_open(&f.in, path));
    pav_status status = check_size(path, &f.in, l, dimensions, v);
    if (status == PAV_OK)
        status = lines_read(v, part, axis, next_values, &f, a);
    in_close(&f.in);
    return status;
}

/* ---- tables of traces -------------------------------------------------------------- */

/* Reads traces into tables of doubles, one column per trace (wavelets, gathers). */

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
    if (h.traces * h.samples > MOST_VALUES) /* both are limited by the file */
        return too_many(path, h.samples, h.traces);
    *t = (trace_table){.rows = h.samples,
                       .columns = h.traces,
                       .interval = h.interval,
                       .value = mem_new(h.samples * h.traces, sizeof *t->value)};
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
