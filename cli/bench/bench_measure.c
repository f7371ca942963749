/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures one row at a time: each program is measured, printed and kept. Lists combine
 * words, sizes and types. The first error is kept in bench.code: from then on nothing is
 * measured. Rows come first: made, printed and read. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_list.h"

/* ---- members of rows --------------------------------------------------------------- */

/* Rows of results, printed in a table for people or in JSON objects. This file reads the
 * JSON objects, too. */

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
    const size_t length = strlen(row.problem), ending = strlen(row.type) + 1;
    char *at = row.problem + (length > ending ? length - ending : 0);
    if (*at == '/' && strcmp(at + 1, row.type) == 0)
        *at = '\0';
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

static bool bench_rows_add(bench_rows *rows, const bench_row *row)
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
    OWNED_BY(close_text) char *line = NULL;
    size_t size = 0;
    bool good = true;
    for (int n = 1; good && getline(&line, &size, in) >= 0; n++)
        good = read_line(path, n, line, rows);
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

/* ---- the device and its rows ------------------------------------------------------- */

/* True for GPUs of every vendor; false for device lists beginning with the processors. */
bool bench_on_gpu(const bench *b)
{
    return strncmp(pav_device_name(b->device), "cpu", 3) != 0 &&
           !bench_on(b, "interpreter");
}

bool bench_on(const bench *b, const char *device)
{
    return strcmp(pav_device_name(b->device), device) == 0;
}

bool bench_ended(const bench *b)
{
    return b->code != EXIT_DONE;
}

void bench_keep(bench *b, bench_row row)
{
    if (bench_ended(b))
        return;
    if (b->list)
        snprintf(row.list, sizeof row.list, "%s", b->list);
    (b->json ? print_json : print_line)(&row);
    fflush(stdout);
    if (!bench_rows_add(&b->rows, &row))
        b->code = EXIT_RUN_FAILED;
}

void bench_missed(bench *b, const char *what, pav_status status)
{
    if (!what || (status != PAV_ENOMEM && status != PAV_EUNSUPPORTED)) {
        b->code = fail_with(status);
        return;
    }
    if (!b->json)
        bench_print_head();
    fprintf(b->json ? stderr : stdout, "%-34s not measured: %s\n", what, pav_message());
}

void bench_check(bench *b, pav_status status)
{
    if (status != PAV_OK && !bench_ended(b))
        b->code = fail_with(status);
}

void *bench_take(bench *b, int64_t count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    if (memory)
        return memory;
    b->code = complain(PAV_ENOMEM, "memory ran out for an array of %lld numbers",
                       (long long)count);
    return NULL;
}

/* ---- programs and runs ------------------------------------------------------------- */

bench_trial bench_open(const bench *b, const char *word, const char *text,
                       const pav_run_options *how)
{
    const pav_program_options of = {.set = b->o->set, .name = word};
    bench_trial t = {.status = PAV_EINTERRUPTED};
    if (bench_ended(b))
        return t;
    t.status = text ? pav_program_parse(text, strlen(text), &of, &t.program)
                    : pav_program_load(word, &of, &t.program);
    if (t.status == PAV_OK && how)
        t.status = pav_run_open(t.program, b->device, how, &t.run);
    return t;
}

bool bench_close(bench *b, const char *what, bench_trial *t)
{
    pav_run_free(t->run);
    pav_program_free(t->program);
    if (t->status != PAV_OK && !bench_ended(b))
        bench_missed(b, what, t->status);
    return t->status == PAV_OK;
}

pav_run_options bench_run_options(const bench *b, const char *schedule)
{
    return (pav_run_options){.no_files = 1,
                             .nan_check_every = -1,
                             .copy_rate = -1,
                             .threads = b->how.threads,
                             .bind = b->how.bind,
                             .schedule = schedule};
}

pav_status bench_steps(pav_run *run, int64_t steps, double *seconds)
{
    const double begun = seconds_now();
    const pav_status status = pav_run_steps(run, steps);
    *seconds = seconds_now() - begun;
    return status;
}

pav_status bench_least(pav_run *run, double window, int windows, double *least)
{
    enum { MOST_STEPS = 1 << 28 };
    int64_t count = 1;
    *least = INFINITY;
    for (int n = 0; n < windows;) {
        const int64_t loads = pav_kernel_loads();
        double seconds;
        TRY(bench_steps(run, count, &seconds));
        if (pav_kernel_loads() != loads)
            continue;
        if (seconds < window && count < MOST_STEPS) {
            count *= 2;
            continue;
        }
        n++;
        *least = fmin(*least, seconds / (double)count);
    }
    return PAV_OK;
}

/* ---- items ------------------------------------------------------------------------- */

static pav_status measure(bench *b, const char *word, const pav_program *program)
{
    pav_bench_result result;
    TRY(pav_bench_program(program, b->device, &b->how, &result));
    bench_keep(b, bench_row_of(word, &result));
    return PAV_OK;
}

/* "-" is standard input. */
void bench_word(bench *b, const char *word)
{
    OWNED_BY(close_program) pav_program *program = NULL;
    b->code = load_program(word, b->o->set, &program);
    const pav_status status = bench_ended(b) ? PAV_OK : measure(b, word, program);
    if (status != PAV_OK)
        b->code = fail_with(status);
}

void bench_item(bench *b, const char *word, const char *description)
{
    bench_trial t = bench_open(b, word, description, NULL);
    if (t.status == PAV_OK)
        t.status = measure(b, word, t.program);
    bench_close(b, word, &t);
}

void bench_by(bench *b, const char *word, const char *schedule)
{
    char what[2 * BENCH_WORD];
    bench_trial t = bench_open(b, word, NULL, NULL);
    b->how.schedule = schedule;
    if (t.status == PAV_OK)
        t.status = measure(b, word, t.program);
    if (t.program && t.status == PAV_EINVAL)
        t.status = PAV_EUNSUPPORTED;
    b->how.schedule = NULL;
    snprintf(what, sizeof what, "%s by %s", word, schedule ? schedule : "auto");
    bench_close(b, what, &t);
}

/* ---- words, sizes and types -------------------------------------------------------- */

const char *const bench_types[] = {"f32", "f64"};

void bench_name(char word[BENCH_WORD], int dim, int64_t size, int64_t last,
                const char *type, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(word, BENCH_WORD, format, list);
    va_end(list);
    for (int axis = 0; axis < dim; axis++) {
        const size_t length = strlen(word);
        snprintf(word + length, BENCH_WORD - length, "%c%lld", axis == 0 ? '@' : 'x',
                 (long long)(axis == dim - 1 ? last : size));
    }
    const size_t length = strlen(word);
    snprintf(word + length, BENCH_WORD - length, "/%s", type);
}

/* All catalogue programs with a grid, for lists over all of them. */
static const struct program {
    const char *word;
    int dim;
} programs[] = {
    {"star1d", 1},      {"star2d", 2},      {"star3d", 3},    {"box2d", 2},
    {"box3d", 3},       {"sym27", 3},       {"heat1d", 1},    {"heat2d", 2},
    {"heat3d", 3},      {"wave2d", 2},      {"wave3d", 3},    {"jacobi2d", 2},
    {"grayscott2d", 2}, {"grayscott3d", 3}, {"elastic2d", 2}, {"elastic3d", 3},
    {"maxwell2d", 2},   {"advect2d", 2},    {"burgers1d", 1}, {"aniso2d", 2},
    {"blur3d", 3},      {"lbm3d", 3}};

void bench_catalogue(bench *b, const bench_usual *usual, bench_measure *measure_one)
{
    const char *const colon = strchr(b->word, ':'), *const only = colon ? colon + 1
                                                                        : NULL;
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        const struct program *p = &programs[k];
        if (only && strcmp(only, p->word) != 0)
            continue;
        for (int n = 0; n < (b->sized ? b->sizes : usual->sizes); n++) {
            const int64_t size = b->sized ? b->size[n] : usual->size[p->dim][n];
            char word[BENCH_WORD];
            bench_name(word, p->dim, size, size, "f32", "%s", p->word);
            bench_trial t = bench_open(b, word, NULL, NULL);
            if (t.status == PAV_OK)
                t.status = measure_one(b, word, t.program, pow((double)size, p->dim));
            bench_close(b, word, &t);
        }
    }
}

int64_t bench_one_size(const bench *b, int64_t usual)
{
    const int64_t largest = b->size[b->sizes - 1];
    return b->sized || largest < usual ? largest : usual;
}

int bench_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
