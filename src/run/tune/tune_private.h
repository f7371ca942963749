/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: tuning. Candidates are listed in the order of the models
 * (tune_list_*.c), measured (tune_measure.c), and those that are left are measured again
 * and longer, half as many each time (tune.c). What was measured is kept, so that tuning
 * that was stopped goes on (tune_kept.c). */
#ifndef RUN_TUNE_PRIVATE_H
#define RUN_TUNE_PRIVATE_H

#include "run/choice/choice_private.h"

enum { TUNE_MOST = 256 };
typedef struct tune_candidate {
    char asked[WISDOM_SCHEDULE]; /* a choice, as it was listed ... */
    char words[WISDOM_SCHEDULE]; /* ... and as its run settled it */
    double seconds;              /* of a step: the least so far; 0: not measured */
    bool refused;                /* it cannot be, or what it makes is wrong */
} tune_candidate;

typedef struct tuning {
    const program *program;
    pav_device *device;
    const pav_tune_options *options;
    pav_run_options run_options;
    wisdom_effort effort;
    double begun, seconds; /* the limit */
    pav_run *like; /* not begun: what candidates are listed from, and the problem */
    int count, measured, known, tried; /* known: by an earlier tuning */
    tune_candidate candidate[TUNE_MOST];
} tuning;

/* Once more is nothing. */
void tune_add(tuning *t, const char *words);
/* The stages of a step in words, of the nth candidate of each, for each n below `count`;
 * NULL-kind ones are the host's or the interpreter's. */
typedef bool tune_stage(const tuning *t, int64_t stage, int n, schedule *s);
void tune_add_stages(tuning *t, tune_stage *of, int count);
pav_status tune_list_host(tuning *t);
pav_status tune_list_device(tuning *t);

/* Takes steps for at least so many seconds; what a run fixed by its own trials is then in
 * the words. */
pav_status tune_measure(tuning *t, tune_candidate *c, double seconds);
/* Compares bits with those of the interpreter, or on large grids of the plainest
 * kernels. */
pav_status tune_verify(tuning *t, const tune_candidate *c);

/* What an earlier tuning of the problem has measured; one more; and nothing any more. */
void tune_recall(tuning *t);
void tune_keep(const tuning *t, const tune_candidate *c);
void tune_forget(const tuning *t);

#endif
