/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of bad input: a description, the place of its mistake, and a phrase
 * of the expected message. */
#ifndef BAD_HELPER_H
#define BAD_HELPER_H

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct bad {
    const char *source;
    const char *place;  /* line:column of the first mistake */
    const char *phrase; /* of the message */
} bad;

/* Checks one row of a table, and prints the actual message after a failure. */
static inline void check_said(const char *source, const char *place, const char *phrase)
{
    char at[64];
    snprintf(at, sizeof at, "bad.pav:%s:", place);
    const bool there = strncmp(pav_message(), at, strlen(at)) == 0;
    const bool said = strstr(pav_message(), phrase) != NULL;
    CHECK(there);
    CHECK(said);
    if (!there || !said)
        printf("---- %s\n---- said:\n%s\n---- not: %s ... %s\n", source, pav_message(),
               at, phrase);
}

static inline pav_status parse_bytes(const char *source, size_t length)
{
    const pav_program_options options = {.name = "bad.pav"};
    pav_program *program = NULL;
    const pav_status status = pav_program_parse(source, length, &options, &program);
    CHECK((status == PAV_OK) == (program != NULL));
    pav_program_free(program);
    return status;
}

static inline void check_refused(const bad *row, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const pav_status status = parse_bytes(row[k].source, strlen(row[k].source));
        CHECK_STATUS(status, PAV_ESYNTAX);
        if (status == PAV_ESYNTAX)
            check_said(row[k].source, row[k].place, row[k].phrase);
        else
            printf("---- %s\n", row[k].source);
    }
}

/* Parses and opens, for mistakes that only a run can find. */
static inline pav_status open_text(const char *source)
{
    const pav_program_options options = {.name = "bad.pav"};
    const pav_run_options quiet = {.no_files = 1};
    pav_program *program = NULL;
    pav_device *device = NULL;
    pav_run *run = NULL;
    pav_status status = pav_program_parse(source, strlen(source), &options, &program);
    if (status == PAV_OK)
        status = pav_device_open("auto", &device);
    if (status == PAV_OK)
        status = pav_run_open(program, device, &quiet, &run);
    CHECK((status == PAV_OK) == (run != NULL));
    pav_run_free(run);
    pav_device_free(device);
    pav_program_free(program);
    return status;
}

#endif
