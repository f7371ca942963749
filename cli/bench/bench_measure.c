/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures one row at a time: each program is measured, printed and kept. Lists combine
 * words, sizes and types. The first error is kept in bench.code: from then on nothing is
 * measured. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

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
    bench_row_print(&row, b->json);
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

void bench_words(bench *b, const char *const *word, int words, int dim,
                 const int64_t *size, int sizes)
{
    for (int k = 0; k < words; k++)
        for (int type = 0; type < 2; type++)
            for (int n = 0; n < sizes; n++) {
                char whole[BENCH_WORD];
                bench_name(whole, dim, size[n], size[n], bench_types[type], "%s",
                           word[k]);
                bench_item(b, whole, NULL);
            }
}

int bench_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
