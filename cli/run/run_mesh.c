/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior run and plan for a program on a mesh. It has no steps: it is solved and reported
 * at once. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static int report(const pav_mesh_run *run, const mesh_run_words *w)
{
    char *said = NULL;
    const pav_status status = w->quiet && !w->json
                                  ? PAV_OK
                                  : pav_mesh_run_report(run, w->json, &said);

    if (status != PAV_OK)
        return fail_with(status);
    if (said)
        fputs(said, stdout);
    pav_text_free(said);
    return EXIT_DONE;
}

/* The report is printed even if an expectation fails, with the failure after it. With
 * --json it is printed after every failure. */
static int finish(pav_mesh_run *run, const mesh_run_words *w)
{
    const pav_status status = pav_mesh_run_finish(run);

    if (status != PAV_OK && status != PAV_EEXPECT && !w->json)
        return fail_with(status);
    const int failed = status == PAV_OK ? EXIT_DONE : fail_with(status);
    const int code = report(run, w);
    return failed != EXIT_DONE ? failed : code;
}

int run_mesh(const pav_program *program, const mesh_run_words *w)
{
    const pav_mesh_run_options options_of = {.directory = w->directory,
                                             .no_files = w->no_files,
                                             .threads = w->threads,
                                             .allow_outside = w->allow_outside};
    pav_device *device = NULL;
    pav_mesh_run *run = NULL;
    pav_status status = pav_device_open(w->device, &device);

    if (status == PAV_OK)
        status = pav_mesh_run_open(program, device, &options_of, &run);
    const int code = status == PAV_OK ? finish(run, w) : fail_with(status);
    pav_mesh_run_free(run);
    pav_device_free(device);
    return code;
}

/* The mesh is opened to count its nodes; nothing is solved. */
int plan_mesh(const pav_program *program, bool json)
{
    pav_mesh_run *run = NULL;
    char *said = NULL;
    pav_status status = pav_mesh_run_open(program, NULL, NULL, &run);

    if (status == PAV_OK)
        status = pav_mesh_run_plan(run, json, &said);
    const int code = print_text(status, said);
    pav_mesh_run_free(run);
    return code;
}
