/* SPDX-License-Identifier: BSD-3-Clause */
/* The one tuner: of loops, time tiles, kernels and launches on a GPU. It tries candidates
 * in steps of the run itself, within a budget of lost time. A client says what candidate
 * number n is, and how it is tried. Candidates take turns (tuner_next, tuner_time), or
 * are tried one after another (tuner_judge, tuner_next_candidate). */
#include "base/base.h"

enum { TUNER_MOST = 24 };
typedef struct tuner {
    int64_t known, done; /* steps of the run, 0: unknown; steps so far */
    /* current: candidate on trial; count: none is left. first: begin of the candidates
     * that take turns. */
    int count, first, current, fastest;
    int rounds, turns;       /* trials of each candidate; trials so far, of all in turn */
    int losses, most_losses; /* in a row, before the trials end */
    double best; /* seconds of a step of the fastest so far; 0: nothing was tried */
    /* after the first trial: seconds of all trials, and their steps */
    double spent, taken;
    double seconds[TUNER_MOST]; /* of a step of a candidate: the least; 0: not tried */
    int tried[TUNER_MOST];      /* number of its trials */
} tuner;

static inline bool tuner_is_over(const tuner *t)
{
    return t->current >= t->count;
}

typedef enum tuner_verdict { TUNER_AGAIN, TUNER_WON, TUNER_LOST } tuner_verdict;
