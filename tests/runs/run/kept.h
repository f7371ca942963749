/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.h: runs with a checkpoint, in a folder of the test's own. The folder is removed
 * after the test. */
#ifndef KEPT_H
#define KEPT_H

#include "finished.h"

/* A program with everything a checkpoint must hold: two levels, narrow storage, a border
 * with a time-dependent value, sources, receivers, tables of both kinds. It takes `steps`
 * steps. */
const char *kept_program(int steps);
const char *kept_program_on(int nx, int ny, int steps); /* of nx x ny points */
/* The path of a file in the folder; valid until the fourth call from now. */
const char *kept_path(const char *name);
char *kept_bytes(const char *path, int64_t *length); /* to be freed with mem_free */
void kept_write(const char *path, const char *bytes, int64_t length);
bool kept_same(const char *a, const char *b);
/* Opens a run on a device; outputs go to `directory`. */
pav_status kept_open(const char *source, const char *device,
                     const pav_run_options *options, begun *b);
/* Runs to the end; the status of it. */
pav_status kept_run(const char *source, const char *device,
                    const pav_run_options *options);
/* The device cpu if it is available, whatever device the tests use; else the
 * interpreter. */
const char *kept_kernels(void);
extern char kept_notes[4096]; /* messages of runs with kept_listen */
int kept_listen(void *user, pav_event event, const pav_progress *progress,
                const char *said);

#endif
