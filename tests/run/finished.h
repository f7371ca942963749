/* SPDX-License-Identifier: BSD-3-Clause */
/* finished.h: runs of a description, the files that they write and what they report. */
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
/* Begins a run that writes into a folder of the test's own. */
void begin_in_folder(const char *source, begun *b);
/* Runs to the end, which is a good one, and writes into a folder of the test's own. */
void finish_in_folder(const char *source);
/* Path in that folder; the bytes of a file there, NUL-terminated, after which the file is
 * gone, and so is the folder once it is empty. */
const char *folder_path(const char *name);
const char *folder_take(const char *name, int64_t *length);

/* The report of a run; freed by the next call. */
const char *report_of(begun *b, int json);
/* A number of its JSON by name; NaN where there is none. */
double report_number(begun *b, const char *name);

#endif
