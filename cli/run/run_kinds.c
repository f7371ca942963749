/* SPDX-License-Identifier: BSD-3-Clause */
/* Surveys of many shots. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* ---- surveys ----------------------------------------------------------------------- */

/* pavior run --shots: records a survey, one run for each shot of a list. */

int shots_read(const char *at_once, const char *together, pav_adjoint_options *wanted)
{
    int64_t runs = 0, shots = 0;

    if ((at_once && !number_read("at-once", at_once, 1, 64, &runs)) ||
        (together && strcmp(together, "auto") != 0 &&
         !number_read("together", together, 1, 64, &shots)))
        return EXIT_USAGE;
    wanted->at_once = (int)runs;
    wanted->together = (int)shots;
    return EXIT_DONE;
}

static void put_file(FILE *out, const char *key, const char *directory, const char *name)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", directory ? directory : ".", name);
    fprintf(out, ", \"%s\": ", key);
    json_put_string(out, path);
}

static int report_shots(const pav_record_result *r, const char *directory,
                        const summary_options *wanted)
{
    const long long found = r->found, taken = r->shots - r->found;
    const char *in = directory ? directory : ".";
    OWNED_BY(close_text) char *json = NULL;
    size_t length = 0;

    if (!wanted->json && !wanted->quiet) {
        printf("%lld shot%s recorded", taken, taken == 1 ? "" : "s");
        if (found > 0)
            printf(", %lld %s there", found, found == 1 ? "was" : "were");
        printf("; %s/recorded.csv lists them, for pavior migrate --shots\n", in);
        if (r->measures > 0)
            printf("%s/measures.csv has the measures of each\n", in);
    }
    FILE *out = open_memstream(&json, &length);
    if (!out)
        return fail_with(PAV_ENOMEM);
    fprintf(out, "{\"shots\": %lld, \"found\": %lld, \"failed\": %lld, \"seconds\": %.6g",
            (long long)r->shots, found, (long long)r->failed, r->seconds);
    put_file(out, "list", directory, "recorded.csv");
    if (r->measures > 0)
        put_file(out, "measures", directory, "measures.csv");
    fprintf(out, "}\n");
    const pav_status status = r->failed > 0 ? PAV_EEXPECT : PAV_OK;
    return fclose(out) == 0 ? summary_put(json, status, "some runs failed", wanted)
                            : fail_with(PAV_ENOMEM);
}

/* The table of measures and failures. */
static int report_sweep(const pav_record_result *r, const char *directory)
{
    char path[4096], line[4096];

    if (r->measures + r->failed == 0) {
        printf("%lld runs; the description has no measure, so there is no table\n",
               (long long)r->shots);
        return EXIT_DONE;
    }
    (void)snprintf(path, sizeof path, "%s/measures.csv", directory);
    OWNED_BY(close_file) FILE *const table = fopen(path, "r");
    if (!table)
        return LATE(PAV_EIO, "pavior: %s cannot be read: %s", path, strerror(errno));
    while (fgets(line, sizeof line, table))
        fputs(line, stdout);
    return EXIT_DONE;
}

int run_shots(const pav_program *program, const shots_run_words *w)
{
    pav_adjoint_options wanted = w->options;
    pav_record_result result;
    OWNED_BY(close_device) pav_device *device = NULL;
    live l;

    live_open(&l, w->summary.quiet);
    wanted.listener = live_listen;
    wanted.user = &l;
    pav_status status = pav_ranks_device(wanted.ranks, w->device, &device);
    if (status == PAV_OK)
        status = pav_record(program, device, &wanted, &result);
    live_close(&l);
    if (status == PAV_EINTERRUPTED)
        fprintf(stderr, "the same command continues with the missing shots\n");
    if (status != PAV_OK)
        return fail_with(status);
    DO(wanted.sweep && !w->summary.json
           ? report_sweep(&result, wanted.directory)
           : report_shots(&result, wanted.directory, &w->summary));
    return result.failed > 0 ? complain(PAV_EEXPECT, "pavior: %lld of %lld runs failed",
                                        (long long)result.failed, (long long)result.shots)
                             : EXIT_DONE;
}
