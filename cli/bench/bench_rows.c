/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of results, printed in a table for people or in JSON objects. This file reads the
 * JSON objects, too. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_list.h"

/* Members of a JSON object in their order; `size`: bytes of a string, 0 for a number. */
static const struct member {
    const char *name;
    size_t at, size;
    const char *format;
} members[] = {
#define STRING(name)                                                                     \
    {                                                                                    \
#name, offsetof(bench_row, name), sizeof(((bench_row *)NULL)->name), NULL        \
    }
#define NUMBER(name, digits)                                                             \
    {                                                                                    \
#name, offsetof(bench_row, name), 0, "%." #digits "g"                            \
    }
    STRING(problem),
    STRING(device),
    STRING(type),
    STRING(schedule),
    NUMBER(threads, 6),
    NUMBER(gpts, 6),
    NUMBER(bound_gpts, 6),
    NUMBER(percent, 4),
    NUMBER(seconds_min, 6),
    NUMBER(seconds_median, 6),
    NUMBER(spread, 4),
    NUMBER(bytes_per_point, 6),
    NUMBER(copy_gbytes, 6),
    STRING(date),
    STRING(host),
    NUMBER(effective_bytes, 6),
    NUMBER(steps, 6),
    NUMBER(footprint_bytes, 6),
    STRING(tuned),
    NUMBER(arithmetic_gpts, 6),
    STRING(list),
    NUMBER(depth, 6),
    NUMBER(read_bytes, 4),
    NUMBER(factor, 4),
    NUMBER(predicted_seconds, 6),
#undef STRING
#undef NUMBER
};
enum { MEMBERS = sizeof members / sizeof *members };

/* The member of a row; numbers are of double. */
static void *member_of(const bench_row *row, const struct member *m)
{
    return (char *)(uintptr_t)row + m->at;
}

static bench_row unknown_row(void)
{
    bench_row row = {.problem = ""};
    for (int k = 0; k < MEMBERS; k++)
        if (members[k].size == 0)
            *(double *)member_of(&row, &members[k]) = NAN;
    return row;
}

/* ---- rows -------------------------------------------------------------------------- */

/* Today, in universal time. */
static void fill_place(bench_row *row)
{
    const time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day))
        strftime(row->date, sizeof row->date, "%Y-%m-%d", &day);
    snprintf(row->host, sizeof row->host, "%s", pav_host_name());
}

static void cut_type(bench_row *row)
{
    const size_t length = strlen(row->problem), ending = strlen(row->type) + 1;
    char *at = row->problem + (length > ending ? length - ending : 0);
    if (*at == '/' && strcmp(at + 1, row->type) == 0)
        *at = '\0';
}

static double known(double value)
{
    return value > 0 ? value : NAN;
}

bench_row bench_row_of(const char *problem, const pav_bench_result *r)
{
    bench_row row = {
        .threads = r->threads,
        .gpts = r->gpts,
        .bound_gpts = r->bound_gpts,
        .percent = 100 * r->share,
        .seconds_min = r->seconds_min,
        .seconds_median = r->seconds_median,
        .spread = r->spread,
        .bytes_per_point = r->bytes_per_point,
        .effective_bytes = r->bytes_per_point / r->share,
        .footprint_bytes = known(r->footprint_bytes),
        .arithmetic_gpts = known(r->arithmetic_gpts),
        .copy_gbytes = r->copy_bytes_per_second / 1e9,
        .steps = NAN,
        .depth = r->depth,
        .read_bytes = known(r->read_bytes),
        .factor = NAN,
    };
    snprintf(row.problem, sizeof row.problem, "%s", problem);
    snprintf(row.device, sizeof row.device, "%s", r->device);
    snprintf(row.type, sizeof row.type, "%s", pav_type_name(r->type));
    snprintf(row.schedule, sizeof row.schedule, "%s", r->schedule);
    snprintf(row.tuned, sizeof row.tuned, "%s", r->tuned);
    cut_type(&row);
    fill_place(&row);
    return row;
}

bench_row bench_row_of_time(const char *problem, const char *device, double seconds,
                            double steps)
{
    bench_row row = unknown_row();
    snprintf(row.problem, sizeof row.problem, "%s", problem);
    snprintf(row.device, sizeof row.device, "%s", device);
    row.seconds_median = row.seconds_min = seconds;
    row.steps = steps;
    fill_place(&row);
    return row;
}

bench_row bench_row_of_rate(const char *problem, const char *device, const char *type,
                            double seconds, double steps, double points, double bound)
{
    bench_row row = bench_row_of_time(problem, device, seconds, steps);
    row.gpts = 1e-9 * points / seconds;
    row.bound_gpts = bound;
    row.percent = 100 * row.gpts / bound;
    snprintf(row.type, sizeof row.type, "%s", type);
    return row;
}

bool bench_rows_add(bench_rows *rows, const bench_row *row)
{
    if (rows->count == rows->capacity) {
        const int capacity = 2 * rows->capacity + 16;
        bench_row *more = realloc(rows->row, (size_t)capacity * sizeof *more);
        if (!more)
            return REFUSED(PAV_ENOMEM, "memory ran out while keeping %d rows",
                           rows->count);
        rows->row = more;
        rows->capacity = capacity;
    }
    rows->row[rows->count++] = *row;
    return true;
}

void bench_rows_free(bench_rows *rows)
{
    free(rows->row);
    *rows = (bench_rows){0};
}

/* ---- printing ---------------------------------------------------------------------- */

void bench_print_head(void)
{
    static bool printed;
    if (printed)
        return;
    printed = true;
    printf("%-34s %4s %9s %9s %7s %12s %7s %9s %7s %7s  %s\n", "program", "type",
           "Gpts/s", "bound", "share", "ms a step", "spread", "B a point", "halos",
           "read", "how");
}

/* A column; an unknown number leaves it blank. */
static void print_number(int width, int digits, const char *unit, double number)
{
    if (isfinite(number))
        printf("%*.*f%s ", width - (int)strlen(unit), digits, number, unit);
    else
        printf("%*s ", width, "");
}

static void print_line(const bench_row *row)
{
    const char *how = row->tuned[0] ? row->tuned : row->schedule;
    bench_print_head();
    if (isfinite(row->gpts) && isfinite(row->bound_gpts)) {
        printf("%-34s %4s %9.3f %9.3f ", row->problem, row->type, row->gpts,
               row->bound_gpts);
        print_number(7, 1, "%", row->percent);
        printf("%12.4g ", 1e3 * row->seconds_median);
        print_number(7, 1, "%", 100 * row->spread);
        print_number(9, 2, "", row->effective_bytes);
        print_number(7, 2, "", row->footprint_bytes);
        print_number(7, 2, "", row->read_bytes);
        printf(" ");
    } else if (isfinite(row->copy_gbytes) && !isfinite(row->seconds_median)) {
        printf("%s: %.1f GB/s read and written, spread %.1f%%  ", row->problem,
               row->copy_gbytes, 100 * row->spread);
    } else {
        printf("%-34s ", row->problem);
        if (isfinite(row->seconds_median))
            printf("%.4g s  ", row->seconds_median);
        if (isfinite(row->gpts))
            printf("%.4g Gcells/s  %s  ", row->gpts, row->type);
        else if (isfinite(row->steps))
            printf("%.0f steps  ", row->steps);
        if (isfinite(row->factor))
            printf("factor %.3f  %s  ", row->factor, row->type);
    }
    printf("%s%s%s", how, how[0] && row->device[0] ? ", " : "", row->device);
    if (row->threads > 0 && !strchr(row->device, '('))
        printf("%s%.0f thread%s", row->device[0] ? ", " : "", row->threads,
               row->threads == 1 ? "" : "s");
    if (row->arithmetic_gpts < row->bound_gpts)
        printf(", arithmetic allows %.4g Gpts/s", row->arithmetic_gpts);
    printf("\n");
}

static void print_json(const bench_row *row)
{
    for (const struct member *m = members; m < members + MEMBERS; m++) {
        const void *at = member_of(row, m);
        printf("%s\"%s\": ", m > members ? ", " : "{", m->name);
        if (m->size > 0 && *(const char *)at)
            json_put_string(stdout, at);
        else if (m->size == 0 && isfinite(*(const double *)at))
            printf(m->format, *(const double *)at);
        else
            printf("null");
    }
    printf("}\n");
}

void bench_row_print(const bench_row *row, bool json)
{
    (json ? print_json : print_line)(row);
    fflush(stdout);
}

/* ---- reading ----------------------------------------------------------------------- */

static void take_member(void *user, const json_member *m)
{
    for (int k = 0; k < MEMBERS; k++) {
        void *at = member_of(user, &members[k]);
        if (strcmp(members[k].name, m->key) != 0)
            continue;
        if (members[k].size > 0 && m->kind == JSON_STRING)
            snprintf(at, members[k].size, "%s", m->string);
        else if (members[k].size == 0 && m->kind == JSON_NUMBER)
            *(double *)at = m->number;
    }
}

static bool read_line(const char *path, int number, const char *line, bench_rows *rows)
{
    bench_row row = unknown_row();
    if (line[strspn(line, " \t\r\n")] == '\0')
        return true;
    if (!json_read_object(line, take_member, &row))
        return REFUSED(PAV_EFORMAT,
                       "%s, line %d: a JSON object is expected, as `--json` prints", path,
                       number);
    if (row.problem[0] && (isfinite(row.gpts) || isfinite(row.copy_gbytes) ||
                           isfinite(row.seconds_median) || isfinite(row.steps)))
        return bench_rows_add(rows, &row);
    return REFUSED(PAV_EFORMAT, "%s, line %d: it holds no \"%s\"", path, number,
                   row.problem[0] ? "gpts" : "problem");
}

static bool read_lines(const char *path, FILE *in, bench_rows *rows)
{
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    for (int n = 1; good && getline(&line, &size, in) >= 0; n++)
        good = read_line(path, n, line, rows);
    free(line);
    if (good && ferror(in))
        complain(PAV_EIO, "%s cannot be read: %s", path, strerror(errno));
    else if (good && rows->count == 0)
        complain(PAV_EFORMAT, "%s holds no results", path);
    return good && !ferror(in) && rows->count > 0;
}

int bench_rows_read(const char *path, bench_rows *rows)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "r");
    if (!in) {
        complain(PAV_EIO, "%s cannot be opened: %s", path, strerror(errno));
        return EXIT_USAGE;
    }
    const bool good = read_lines(standard ? "standard input" : path, in, rows);
    if (!standard)
        fclose(in);
    return good ? EXIT_DONE : EXIT_USAGE;
}
