/* SPDX-License-Identifier: BSD-3-Clause */
/* finished.h: runs of a description, with their files and reports. */
#ifndef FINISHED_H
#define FINISHED_H

#include "run/run.h"
#include "test.h"

typedef struct begun {
    pav_device *device;
    pav_program *program;
    pav_run *run;
} begun;

/* Options NULL: no files. */
pav_status begin_text(const char *source, const pav_run_options *options, begun *b);
void close_begun(begun *b);
/* Begins a run with files in a folder of the test's own. */
void begin_in_folder(const char *source, begun *b);
/* Runs successfully to the end, with files in a folder of the test's own. */
void finish_in_folder(const char *source);
/* folder_path: a path in that folder. folder_take: the bytes of a file there,
 * NUL-terminated. It removes the file, and the folder when it is empty. */
const char *folder_path(const char *name);
const char *folder_take(const char *name, int64_t *length);

/* The report of a run; freed by the next call. */
const char *report_of(begun *b, int json);
/* A number of the JSON report by name; NaN if it is missing. */
double report_number(begun *b, const char *name);

#endif
