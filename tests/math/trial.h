/* SPDX-License-Identifier: BSD-3-Clause */
/* trial.h: runs of descriptions that a test writes, through the public interface.
 * Whatever fails ends the test. Descriptions are printf formats, so that tables of
 * parameters fit in. */
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
/* Without kernels, whose compilation would take longer than the steps. */
void trial_interpret(trial *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void trial_step(trial *t, int64_t steps);
/* A param, scalar or measure. */
double trial_get(trial *t, const char *name);
/* Level 0 of a field as doubles, freed with free. */
double *trial_read(trial *t, const char *field, int64_t *count);
void trial_close(trial *t);

/* The measure `e` after all steps of a description. */
double trial_end(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The order p of an error that goes as n^-p, from errors on n[0] < n[1] < n[2] points.
 * The slopes between neighbours differ from p by a multiple of n^-2; with both that part
 * is taken off, so that coarse grids do, on which the error stands far above rounding. */
double order_of(const double error[3], const int n[3]);

#endif
