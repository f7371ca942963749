/* SPDX-License-Identifier: BSD-3-Clause */
/* plan --sizes: for grids of several sizes, a row with the out-of-core plan, after the
 * table of Jin, Endo and Matsuoka ("A Multi-level Optimization method for Stencil
 * Computation on the Domain that is bigger than Memory Capacity of GPU"). For sizes in
 * that table the row adds the paper's number of sub-domains (NSD) and of temporal steps
 * (TTS): MP-MMTB, 7 points, on a GPU of 3 GB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_WORD = 256 };

static const struct paper_row {
    int64_t n;
    int nsd, tts;
} paper[] = {
    {120, 2, 60},   {240, 2, 120},  {480, 2, 240},  {640, 2, 166},
    {690, 3, 230},  {720, 3, 154},  {840, 8, 112},  {1200, 16, 72},
    {1440, 30, 48}, {1680, 48, 34}, {1920, 80, 24}, {2160, 108, 20},
};

/* ---- a description of that size ---------------------------------------------------- */

/* Sets the size: the param n of a file, or the extents of a catalogue word. */
static pav_status load_with_n(const options *o, int64_t n, pav_program **program)
{
    char given[MOST_WORD];
    const char **set = calloc((size_t)o->set_count + 2, sizeof *set);
    if (!set)
        return PAV_ENOMEM;
    for (int k = 0; k < o->set_count; k++)
        set[k] = o->set[k];
    snprintf(given, sizeof given, "n=%lld", (long long)n);
    set[o->set_count] = given;
    const pav_program_options how = {.set = set};
    const pav_status status = pav_program_load(o->plain[0], &how, program);
    free(set);
    return status;
}

static pav_status load(const options *o, int64_t n, pav_program **program)
{
    const pav_program_options how = {.set = o->set};
    const bool is_file = strchr(o->plain[0], '.') || strchr(o->plain[0], '/');
    char word[MOST_WORD];
    pav_status status = PAV_EINVAL;
    for (int dim = 3; dim > 0 && !is_file && status != PAV_OK; dim--) {
        int length = snprintf(word, sizeof word, "%.128s@%lld", o->plain[0],
                              (long long)n);
        for (int axis = 1; axis < dim; axis++)
            length += snprintf(word + length, sizeof word - (size_t)length, "x%lld",
                               (long long)n);
        status = pav_program_load(word, &how, program);
    }
    return status == PAV_OK ? status : load_with_n(o, n, program);
}

/* ---- rows -------------------------------------------------------------------------- */

static void print_row(int64_t n, const char *report)
{
    const char *visits = strstr(report, "\"out_of_core\": {");
    const double seconds = visits ? json_number_of(visits, "predicted_seconds") : 0;
    printf("%6lld ", (long long)n);
    if (visits)
        printf("%8.0f %6.0f %7.0f %7.0f %10.3f", json_number_of(visits, "visits"),
               json_number_of(visits, "steps"), json_number_of(visits, "planes"),
               json_number_of(visits, "window_planes"),
               json_number_of(visits, "device_bytes") / (1 << 30));
    else
        printf("%8s %6s %7s %7s %10s", "in core", "", "", "", "");
    if (seconds > 0)
        printf(" %10.4g", 1e3 * seconds);
    else
        printf(" %10s", "");
    for (size_t k = 0; k < sizeof paper / sizeof *paper; k++)
        if (paper[k].n == n)
            printf(" %9d %5d", paper[k].nsd, paper[k].tts);
    printf("\n");
}

static void print_head(void)
{
    printf("%6s %8s %6s %7s %7s %10s %10s %9s %5s\n", "n", "visits", "steps", "planes",
           "window", "GiB", "ms a step", "paper NSD", "TTS");
}

static int row(const options *o, const plan_request *r, int64_t n, bool json)
{
    pav_program *program = NULL;
    pav_plan *plan = NULL;
    char *report = NULL;
    pav_status status = load(o, n, &program);
    if (status == PAV_OK)
        status = pav_plan_open(program, r->device, r->how, r->copy_gbytes, &plan);
    if (status == PAV_OK)
        status = pav_plan_report(plan, true, &report);
    if (status == PAV_OK && json)
        printf("%s", report);
    else if (status == PAV_OK)
        print_row(n, report);
    pav_text_free(report);
    pav_plan_free(plan);
    pav_program_free(program);
    return status == PAV_OK ? EXIT_DONE : fail_with(status);
}

/* "120,240,480" */
int plan_sizes(const options *o, const plan_request *r, const char *list, bool json)
{
    int code = EXIT_DONE;
    if (json)
        printf("[");
    else
        print_head();
    for (const char *at = list; *at && code == EXIT_DONE;) {
        char *end;
        const long long n = strtoll(at, &end, 10);
        if (end == at || n < 1 || n > 1 << 24 || (*end && *end != ',') ||
            (*end == ',' && !end[1])) {
            complain(PAV_EINVAL,
                     "pavior: --sizes takes numbers of points along an axis, as in "
                     "480,960,1920, not '%s'",
                     list);
            return EXIT_USAGE;
        }
        code = row(o, r, n, json);
        if (json && *end)
            printf(", ");
        at = *end ? end + 1 : end;
    }
    if (json && code == EXIT_DONE)
        printf("]\n");
    return code;
}
