/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: autotuning of a whole run (`pavior tune`). Candidates are
 * listed in the order of the models (tune_list_*.c) and measured (tune_measure.c). The
 * better half is measured again for longer, until one is left (tune.c). Measurements are
 * kept on disk, so that an interrupted tuning continues (tune_kept.c). */
#ifndef RUN_TUNE_PRIVATE_H
#define RUN_TUNE_PRIVATE_H

#include "run/choice/choice_private.h"

enum { TUNE_MOST = 256 };
typedef struct tune_candidate {
    char asked[WISDOM_SCHEDULE]; /* the listed schedule string */
    char words[WISDOM_SCHEDULE]; /* the schedule string after autotuning of its run */
    double seconds;              /* of a step: the least so far; 0: not measured */
    bool refused;                /* impossible, or its results are wrong */
} tune_candidate;

typedef struct tuning {
    const program *program;
    pav_device *device;
    const pav_tune_options *options;
    pav_run_options run_options;
    wisdom_effort effort;
    double begun, seconds; /* the time limit */
    pav_run *like;         /* an unstarted run, to list candidates and find the key */
    int count, measured, known, tried; /* known: measured by an earlier tuning */
    tune_candidate candidate[TUNE_MOST];
} tuning;

/* A candidate added twice counts once. */
void tune_add(tuning *t, const char *words);
/* Adds, for each n below `count`, the schedule string made of the n-th candidate of each
 * stage. Stages with kind NONE belong to the host or the interpreter. */
typedef bool tune_stage(const tuning *t, int64_t stage, int n, schedule *s);
void tune_add_stages(tuning *t, tune_stage *of, int count);
pav_status tune_list_host(tuning *t);
pav_status tune_list_device(tuning *t);

/* Measures steps for at least `seconds`; then c->words has the choices of the run's own
 * trials. */
pav_status tune_measure(tuning *t, tune_candidate *c, double seconds);
/* Compares bits with the interpreter, or on large grids with the simplest kernels. */
pav_status tune_verify(tuning *t, const tune_candidate *c);

/* Measurements of earlier tunings of this problem: read all, add one, delete all. */
void tune_recall(tuning *t);
void tune_keep(const tuning *t, const tune_candidate *c);
void tune_forget(const tuning *t);

#endif
