/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures one row at a time: each description is measured, printed and kept. Lists
 * combine words, sizes and types. */
#include <stdio.h>
#include <string.h>

#include "bench_list.h"

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
