/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of results: one measured at a time, printed as a table or as JSON, and read
 * again. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_list.h"

/* ---- text -------------------------------------------------------------------------- */

/* Results of bench as text: a table for people, or JSON objects; this file also reads the
 * JSON objects back. */

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

static char *string_of(bench_row *row, const struct member *m)
{
    return (char *)row + m->at;
}

static double *number_of(bench_row *row, const struct member *m)
{
    return (double *)(void *)((char *)row + m->at);
}

static bench_row unknown_row(void)
{
    bench_row row;
    memset(&row, 0, sizeof row);
    for (int k = 0; k < MEMBERS; k++)
        if (members[k].size == 0)
            *number_of(&row, &members[k]) = NAN;
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

bench_row bench_row_of_copy(const pav_bench_result *r)
{
    bench_row row = unknown_row();
    snprintf(row.problem, sizeof row.problem, "copy");
    snprintf(row.device, sizeof row.device, "%s", r->device);
    row.threads = r->threads;
    row.spread = r->spread;
    row.copy_gbytes = r->copy_bytes_per_second / 1e9;
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

static bool bench_rows_add(bench_rows *rows, const bench_row *row)
{
    if (rows->count == rows->capacity) {
        const int capacity = 2 * rows->capacity + 16;
        bench_row *more = realloc(rows->row, (size_t)capacity * sizeof *more);
        if (!more) {
            complain(PAV_ENOMEM, "memory ran out while keeping %d rows", rows->count);
            return false;
        }
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

static void bench_print_head(void)
{
    static bool printed;
    if (printed)
        return;
    printed = true;
    printf("%-34s %4s %9s %9s %7s %12s %7s %9s %7s %7s  %s\n", "program", "type",
           "Gpts/s", "bound", "share", "ms a step", "spread", "B a point", "halos",
           "read", "how");
}

static void print_place(const bench_row *row)
{
    const char *how = row->tuned[0] ? row->tuned : row->schedule;
    printf("%s%s%s", how, how[0] && row->device[0] ? ", " : "", row->device);
    if (row->threads > 0 && !strchr(row->device, '('))
        printf("%s%.0f thread%s", row->device[0] ? ", " : "", row->threads,
               row->threads == 1 ? "" : "s");
    if (row->arithmetic_gpts < row->bound_gpts)
        printf(", arithmetic allows %.4g Gpts/s", row->arithmetic_gpts);
    printf("\n");
}

static void print_bytes(int width, double bytes)
{
    if (isfinite(bytes))
        printf("%*.2f ", width, bytes);
    else
        printf("%*s ", width, "");
}

static void print_rate(const bench_row *row)
{
    printf("%-34s %4s %9.3f %9.3f ", row->problem, row->type, row->gpts, row->bound_gpts);
    if (isfinite(row->percent))
        printf("%6.1f%% ", row->percent);
    else
        printf("%7s ", "");
    printf("%12.4g ", 1e3 * row->seconds_median);
    if (isfinite(row->spread))
        printf("%6.1f%% ", 100 * row->spread);
    else
        printf("%7s ", "");
    print_bytes(9, row->effective_bytes);
    print_bytes(7, row->footprint_bytes);
    print_bytes(7, row->read_bytes);
    printf(" ");
    print_place(row);
}

static void print_time(const bench_row *row)
{
    printf("%-34s ", row->problem);
    if (isfinite(row->seconds_median))
        printf("%.4g s  ", row->seconds_median);
    if (isfinite(row->gpts))
        printf("%.4g Gcells/s  %s  ", row->gpts, row->type);
    else if (isfinite(row->steps))
        printf("%.0f steps  ", row->steps);
    if (isfinite(row->factor))
        printf("factor %.3f  %s  ", row->factor, row->type);
    print_place(row);
}

static void bench_print_row(const bench_row *row)
{
    bench_print_head();
    if (isfinite(row->gpts) && isfinite(row->bound_gpts)) {
        print_rate(row);
    } else if (isfinite(row->copy_gbytes) && !isfinite(row->seconds_median)) {
        printf("%s: %.1f GB/s read and written, spread %.1f%%  ", row->problem,
               row->copy_gbytes, 100 * row->spread);
        print_place(row);
    } else {
        print_time(row);
    }
    fflush(stdout);
}

static void put_member(bench_row *row, const struct member *m)
{
    printf("\"%s\": ", m->name);
    if (m->size > 0 && *string_of(row, m))
        json_put_string(stdout, string_of(row, m));
    else if (m->size == 0 && isfinite(*number_of(row, m)))
        printf(m->format, *number_of(row, m));
    else
        printf("null");
}

static void bench_print_json(const bench_row *row)
{
    bench_row copy = *row;
    for (int k = 0; k < MEMBERS; k++) {
        printf(k > 0 ? ", " : "{");
        put_member(&copy, &members[k]);
    }
    printf("}\n");
    fflush(stdout);
}

/* ---- reading ----------------------------------------------------------------------- */

static void take_member(void *user, const json_member *m)
{
    bench_row *row = user;
    for (int k = 0; k < MEMBERS; k++) {
        if (strcmp(members[k].name, m->key) != 0)
            continue;
        if (members[k].size > 0 && m->kind == JSON_STRING)
            snprintf(string_of(row, &members[k]), members[k].size, "%s", m->string);
        else if (members[k].size == 0 && m->kind == JSON_NUMBER)
            *number_of(row, &members[k]) = m->number;
    }
}

static bool read_line(const char *path, int number, const char *line, bench_rows *rows)
{
    bench_row row = unknown_row();
    if (line[strspn(line, " \t\r\n")] == '\0')
        return true;
    if (!json_read_object(line, take_member, &row)) {
        complain(PAV_EFORMAT,
                 "%s, line %d: a JSON object is expected, as `--json` prints", path,
                 number);
        return false;
    }
    if (row.problem[0] && (isfinite(row.gpts) || isfinite(row.copy_gbytes) ||
                           isfinite(row.seconds_median) || isfinite(row.steps)))
        return bench_rows_add(rows, &row);
    complain(PAV_EFORMAT, "%s, line %d: it holds no \"%s\"", path, number,
             row.problem[0] ? "gpts" : "problem");
    return false;
}

static bool read_lines(const char *path, FILE *in, bench_rows *rows)
{
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    for (int n = 1; good && getline(&line, &size, in) >= 0; n++)
        good = read_line(path, n, line, rows);
    free(line);
    if (good && ferror(in)) {
        complain(PAV_EIO, "%s cannot be read: %s", path, strerror(errno));
        good = false;
    }
    return good;
}

int bench_rows_read(const char *path, bench_rows *rows)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "r");
    if (!in) {
        complain(PAV_EIO, "%s cannot be opened: %s", path, strerror(errno));
        return EXIT_USAGE;
    }
    bool good = read_lines(standard ? "standard input" : path, in, rows);
    if (!standard)
        fclose(in);
    if (good && rows->count == 0) {
        complain(PAV_EFORMAT, "%s holds no results", path);
        good = false;
    }
    return good ? EXIT_DONE : EXIT_USAGE;
}

bool bench_all_begin(const bench_rows *rows, const char *prefix)
{
    for (int k = 0; k < rows->count; k++)
        if (strncmp(rows->row[k].problem, prefix, strlen(prefix)) != 0)
            return false;
    return rows->count > 0;
}

/* ---- measuring --------------------------------------------------------------------- */

/* Measures one row at a time: each description is measured, printed and kept. Lists
 * combine words, sizes and types. */

/* True for GPUs of every vendor; false for device lists beginning with the processors. */
bool bench_on_gpu(const bench *b)
{
    const char *name = pav_device_name(b->device);
    return strncmp(name, "cpu", 3) != 0 && strcmp(name, "interpreter") != 0;
}

int bench_keep(bench *b, const bench_row *row)
{
    bench_row kept = *row;
    if (b->list)
        snprintf(kept.list, sizeof kept.list, "%s", b->list);
    if (b->json)
        bench_print_json(&kept);
    else
        bench_print_row(&kept);
    return bench_rows_add(&b->rows, &kept) ? EXIT_DONE : EXIT_RUN_FAILED;
}

int bench_missed(const bench *b, const char *what, pav_status status)
{
    if (status != PAV_ENOMEM && status != PAV_EUNSUPPORTED)
        return fail_with(status);
    if (!b->json)
        bench_print_head();
    fprintf(b->json ? stderr : stdout, "%-34s not measured: %s\n", what, pav_message());
    return EXIT_DONE;
}

static pav_status measure(bench *b, const char *word, const pav_program *program,
                          int *code)
{
    pav_bench_result result;
    const pav_status status = pav_bench_program(program, b->device, &b->how, &result);
    if (status != PAV_OK)
        return status;
    const bench_row row = bench_row_of(word, &result);
    *code = bench_keep(b, &row);
    return PAV_OK;
}

int bench_word(bench *b, const char *word)
{
    pav_program *program = NULL;
    int code = load_program(word, b->o->set, &program);
    if (code != EXIT_DONE)
        return code;
    const pav_status status = measure(b, word, program, &code);
    pav_program_free(program);
    return status == PAV_OK ? code : fail_with(status);
}

int bench_item(bench *b, const char *word, const char *description)
{
    const pav_program_options how = {.set = b->o->set, .name = word};
    pav_program *program = NULL;
    int code = EXIT_DONE;
    pav_status status = description ? pav_program_parse(description, strlen(description),
                                                        &how, &program)
                                    : pav_program_load(word, &how, &program);
    if (status == PAV_OK)
        status = measure(b, word, program, &code);
    pav_program_free(program);
    return status == PAV_OK ? code : bench_missed(b, word, status);
}

void bench_add_grid(char word[BENCH_WORD], int dim, int64_t size, const char *type)
{
    size_t length = strlen(word);
    for (int axis = 0; axis < dim; axis++)
        length += (size_t)snprintf(word + length, BENCH_WORD - length, "%c%lld",
                                   axis == 0 ? '@' : 'x', (long long)size);
    snprintf(word + length, BENCH_WORD - length, "/%s", type);
}

bool bench_wants(const bench *b, const char *program)
{
    const char *colon = b->word ? strchr(b->word, ':') : NULL;
    const size_t length = strcspn(program, ":");
    return !colon ||
           (strlen(colon + 1) == length && strncmp(colon + 1, program, length) == 0);
}

int bench_words(bench *b, const char *const *word, int words, int dim)
{
    static const char *const types[] = {"f32", "f64"};
    int code = EXIT_DONE;
    for (int k = 0; k < words; k++)
        for (int type = 0; type < 2; type++)
            for (int n = 0; n < b->sizes && code == EXIT_DONE; n++) {
                char whole[BENCH_WORD];
                snprintf(whole, sizeof whole, "%s", word[k]);
                bench_add_grid(whole, dim, b->size[n], types[type]);
                code = bench_item(b, whole, NULL);
            }
    return code;
}

int bench_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
