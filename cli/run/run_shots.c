/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior run --shots: records a survey, one run for each shot of a list. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

bool shots_read(const char *at_once, const char *together, pav_adjoint_options *wanted)
{
    int64_t runs = 0, shots = 0;

    if (at_once && !number_read("at-once", at_once, 1, 64, &runs))
        return false;
    if (together && strcmp(together, "auto") != 0 &&
        !number_read("together", together, 1, 64, &shots))
        return false;
    wanted->at_once = (int)runs;
    wanted->together = (int)shots;
    return true;
}

static void put_object(const pav_record_result *r, const char *list)
{
    printf("{\"status\": \"%s\", \"shots\": %lld, \"found\": %lld, ",
           pav_status_name(PAV_OK), (long long)r->shots, (long long)r->found);
    printf("\"seconds\": %.6g, \"list\": ", r->seconds);
    json_put_string(stdout, list);
    printf("}\n");
}

static void report(const pav_record_result *r, const char *directory, bool json)
{
    const long long found = r->found, taken = r->shots - r->found;
    char list[4096];

    (void)snprintf(list, sizeof list, "%s/recorded.csv", directory ? directory : ".");
    if (json) {
        put_object(r, list);
        return;
    }
    printf("%lld shot%s recorded", taken, taken == 1 ? "" : "s");
    if (found > 0)
        printf(", %lld %s there", found, found == 1 ? "was" : "were");
    printf("; %s lists them, for pavior migrate --shots\n", list);
}

int run_shots(const pav_program *program, const shots_run_words *w)
{
    pav_adjoint_options wanted = w->options;
    pav_record_result result;
    pav_device *device = NULL;
    live l;

    live_open(&l, w->quiet);
    wanted.listener = live_listen;
    wanted.user = &l;
    pav_status status = pav_ranks_device(wanted.ranks, w->device, &device);
    if (status == PAV_OK)
        status = pav_record(program, device, &wanted, &result);
    live_close(&l);
    pav_device_free(device);
    if (status == PAV_EINTERRUPTED)
        fprintf(stderr, "given again, it goes on with the shots that are missing\n");
    if (status != PAV_OK)
        return fail_with(status);
    if (w->json || !w->quiet)
        report(&result, wanted.directory, w->json);
    return EXIT_DONE;
}
