/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions of sources and receivers: arrays and datasets with a row for each, tables of
 * comma-separated values, and the headers of SEG-Y files. */
#include <ctype.h>
#include <string.h>

#include "io/io_private.h"

/* ---- SEG-Y ------------------------------------------------------------------------- */

typedef struct places {
    const char *letters; /* of the axes */
    bool sources;
    double *row;
} places;

static pav_status put_place(void *user, int64_t number, const segy_trace *trace,
                            const double *values)
{
    const places *p = user;
    const double *from = p->sources ? trace->source : trace->receiver;
    const int dim = (int)strlen(p->letters);

    (void)values;
    for (int axis = 0; axis < dim; axis++)
        p->row[number * dim + axis] = from[p->letters[axis] - 'x'];
    return PAV_OK;
}

/* Traces of one shot have one source. */
static bool is_one_place(const double *row, int64_t count, int dim)
{
    for (int64_t k = 1; k < count; k++)
        if (memcmp(row, row + k * dim, (size_t)dim * sizeof *row) != 0)
            return false;
    return true;
}

static pav_status read_segy(const char *path, const char *letters, bool sources,
                            int64_t most, double **rows, int64_t *count)
{
    const int dim = (int)strlen(letters);
    segy_header h;

    TRY(segy_read_header(path, &h));
    if (h.traces > most)
        return FAIL(PAV_ELIMIT, "%s has %lld traces; at most %lld positions are read",
                    path, (long long)h.traces, (long long)most);
    places p = {letters, sources, *rows = mem_new(h.traces * dim, sizeof **rows)};
    if (!p.row)
        return PAV_ENOMEM;
    TRY(segy_each(path, put_place, &p));
    *count = sources && is_one_place(p.row, h.traces, dim) ? 1 : h.traces;
    return PAV_OK;
}

/* ---- comma-separated values -------------------------------------------------------- */

enum { MOST_CELLS = 256, LETTERS = 3, CSV_BYTES = 1 << 30 };

typedef struct csv_input {
    const char *path;
    int dim;
    int column[LETTERS]; /* of each axis */
    bool named;          /* the first line has names */
    int64_t line, count, capacity;
    double *row;
} csv_input;

static bool read_number(const char *cell, double *value)
{
    const int sign = *cell == '-' || *cell == '+';
    num number;

    if (!num_parse(cell + sign, strlen(cell + sign), &number))
        return false;
    *value = *cell == '-' ? -num_f64(number) : num_f64(number);
    return true;
}

static pav_status take_line(csv_input *in, const char *letters, char *line, int64_t most)
{
    char *cell[MOST_CELLS];
    /* Splits a line into cells and removes the spaces around them. */
    int cells = 0;

    for (char *next = line; next && cells < MOST_CELLS; cells++) {
        cell[cells] = next;
        next = strchr(next, ',');
        if (next)
            *next++ = '\0';
        while (isspace((unsigned char)*cell[cells]))
            cell[cells]++;
        for (size_t n = strlen(cell[cells]);
             n > 0 && isspace((unsigned char)cell[cells][n - 1]); n--)
            cell[cells][n - 1] = '\0';
    }
    double number;

    if (cells == 1 && (!*cell[0] || *cell[0] == '#'))
        return PAV_OK;
    if (!in->named && in->count == 0 && !read_number(cell[0], &number)) {
        in->named = true;
        /* Finds the columns of the coordinates from a first line of names. */
        for (int axis = 0; axis < in->dim; axis++) {
            in->column[axis] = -1;
            for (int k = 0; k < cells; k++)
                if (cell[k][0] == letters[axis] && cell[k][1] == '\0')
                    in->column[axis] = k;
            if (in->column[axis] < 0)
                return FAIL(PAV_EFORMAT, "%s:%lld: no column is called %c", in->path,
                            (long long)in->line, letters[axis]);
        }
        return PAV_OK;
    }
    if (!in->named && cells != in->dim)
        return FAIL(PAV_EFORMAT,
                    "%s:%lld: %d values for a grid of %d axes; without a first line of "
                    "names a line is a position",
                    in->path, (long long)in->line, cells, in->dim);
    if (in->count == most)
        return FAIL(PAV_ELIMIT, "%s has more than %lld positions", in->path,
                    (long long)most);
    TRY(mem_reserve(&in->row, &in->capacity, in->count,
                    (size_t)in->dim * sizeof *in->row));
    for (int axis = 0; axis < in->dim; axis++) {
        const int k = in->column[axis];
        if (k >= cells || !read_number(cell[k], &in->row[in->count * in->dim + axis]))
            return FAIL(PAV_EFORMAT, "%s:%lld: '%s' in column %d is no number", in->path,
                        (long long)in->line, k < cells ? cell[k] : "", k + 1);
    }
    in->count++;
    return PAV_OK;
}

static pav_status read_csv(const char *path, const char *letters, int64_t most,
                           double **rows, int64_t *count)
{
    csv_input in = {.path = path, .dim = (int)strlen(letters), .column = {0, 1, 2}};
    OWNED char *bytes = NULL;
    int64_t length = 0;
    pav_status status = PAV_OK;

    TRY(file_read(path, CSV_BYTES, &bytes, &length));
    for (char *line = bytes, *next; line && status == PAV_OK; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        in.line++;
        status = take_line(&in, letters, line, most);
    }
    *rows = in.row;
    *count = in.count;
    return status;
}

/* ---- all of them ------------------------------------------------------------------- */

pav_status positions_read(const char *path, const char *letters, bool sources,
                          int64_t most, double **rows, int64_t *count)
{
    const int dim = (int)strlen(letters);
    pav_status status;

    *rows = NULL;
    *count = 0;
    if (path_is_segy(path))
        status = read_segy(path, letters, sources, most, rows, count);
    else if (strcmp(path_ending(path), ".csv") == 0)
        status = read_csv(path, letters, most, rows, count);
    else if (path_is_h5(path))
        status = h5_read_table(path, dim, most, rows, count);
    else
        return npy_read_table(path, dim, most, rows, count);
    if (status == PAV_OK && *count > 0)
        return PAV_OK;
    mem_free(*rows);
    *rows = NULL;
    return status != PAV_OK ? status : FAIL(PAV_EFORMAT, "%s has no positions", path);
}
