/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures one row at a time: each program is measured, printed and kept. Lists combine
 * words, sizes and types. The first error is kept in bench.code: from then on nothing is
 * measured. */
#include <math.h>
#include <stdio.h>
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

void bench_keep(bench *b, const bench_row *row)
{
    bench_row kept = *row;
    if (bench_ended(b))
        return;
    if (b->list)
        snprintf(kept.list, sizeof kept.list, "%s", b->list);
    bench_row_print(&kept, b->json);
    if (!bench_rows_add(&b->rows, &kept))
        b->code = EXIT_RUN_FAILED;
}

void bench_missed(bench *b, const char *what, pav_status status)
{
    if (status != PAV_ENOMEM && status != PAV_EUNSUPPORTED) {
        b->code = fail_with(status);
        return;
    }
    if (!b->json)
        bench_print_head();
    fprintf(b->json ? stderr : stdout, "%-34s not measured: %s\n", what, pav_message());
}

/* ---- programs and runs ------------------------------------------------------------- */

pav_status bench_open(const bench *b, const char *word, const pav_run_options *how,
                      bench_trial *t)
{
    const pav_program_options of = {.set = b->o->set, .name = t->name};
    TRY(t->text ? pav_program_parse(t->text, strlen(t->text), &of, &t->program)
                : pav_program_load(word, &of, &t->program));
    return how ? pav_run_open(t->program, b->device, how, &t->run) : PAV_OK;
}

bool bench_close(bench *b, const char *what, pav_status status, bench_trial *t)
{
    pav_run_free(t->run);
    pav_program_free(t->program);
    if (status != PAV_OK)
        bench_missed(b, what, status);
    return status == PAV_OK;
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
        double seconds;
        TRY(bench_steps(run, count, &seconds));
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

static pav_status measure(bench *b, const char *word, bench_trial *t)
{
    pav_bench_result result;
    TRY(pav_bench_program(t->program, b->device, &b->how, &result));
    const bench_row row = bench_row_of(word, &result);
    bench_keep(b, &row);
    return PAV_OK;
}

/* "-" is standard input. */
static bool load(bench *b, const char *word, bench_trial *t)
{
    if (!bench_ended(b))
        b->code = load_program(word, b->o->set, &t->program);
    return !bench_ended(b);
}

void bench_word(bench *b, const char *word)
{
    bench_trial t = {0};
    const pav_status status = load(b, word, &t) ? measure(b, word, &t) : PAV_OK;
    pav_program_free(t.program);
    if (status != PAV_OK)
        b->code = fail_with(status);
}

void bench_item(bench *b, const char *word, const char *description)
{
    bench_trial t = {.text = description, .name = word};
    if (bench_ended(b))
        return;
    pav_status status = bench_open(b, word, NULL, &t);
    if (status == PAV_OK)
        status = measure(b, word, &t);
    bench_close(b, word, status, &t);
}

void bench_by(bench *b, const char *word, const char *schedule)
{
    char what[2 * BENCH_WORD];
    bench_trial t = {0};
    if (!load(b, word, &t))
        return;
    b->how.schedule = schedule;
    const pav_status status = measure(b, word, &t);
    b->how.schedule = NULL;
    snprintf(what, sizeof what, "%s by %s", word, schedule ? schedule : "auto");
    bench_close(b, what, status == PAV_EINVAL ? PAV_EUNSUPPORTED : status, &t);
}

/* ---- words, sizes and types -------------------------------------------------------- */

const char *const bench_types[] = {"f32", "f64"};

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
                snprintf(whole, sizeof whole, "%s", word[k]);
                bench_add_grid(whole, dim, size[n], bench_types[type]);
                bench_item(b, whole, NULL);
            }
}

int bench_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
