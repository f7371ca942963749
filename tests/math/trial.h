/* SPDX-License-Identifier: BSD-3-Clause */
/* trial.h: runs of the descriptions of a test, through the public interface. Every
 * failure ends the test. Descriptions are printf formats, so a table can supply their
 * parameters. */
#ifndef TRIAL_H
#define TRIAL_H

#include "test.h"

typedef struct trial {
    pav_device *device;
    pav_program *program;
    pav_run *run;
} trial;

/* A problem of the catalogue. */
void trial_load(trial *t, const char *word);
void trial_open(trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Opens a run on the interpreter, because compiling kernels would take longer than the
 * steps. */
void trial_interpret(trial *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void trial_step(trial *t, int64_t steps);
/* The value of a param, scalar or measure. */
double trial_get(trial *t, const char *name);
/* Level 0 of a field, converted to doubles; the caller frees it with free. */
double *trial_read(trial *t, const char *field, int64_t *count);
void trial_close(trial *t);

/* The measure `e` after all steps of a description. */
double trial_end(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The order p of an error proportional to n^-p, from its values on n[0] < n[1] < n[2]
 * points. The slope between two grids differs from p by a multiple of n^-2, and two
 * slopes suffice to remove this term. So coarse grids can be used: their errors are far
 * above rounding. */
double order_of(const double error[3], const int n[3]);

#endif
