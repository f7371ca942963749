/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: how a grid is shared out to unequal places. */
#ifndef RUN_HYBRID_PRIVATE_H
#define RUN_HYBRID_PRIVATE_H

#include "run/run_private.h"

/* A place is worth it where the time of a step is this share of that of the fastest
 * alone. */
#define HYBRID_WORTH 0.98

/* hybrid_memory.c: planes across the slowest axis that the memory of a place holds, all
 * if it is the host's; whether it holds all. run->cut.share becomes numbers of planes,
 * none of which is more; *less: some had to be. */
int64_t hybrid_most_planes(const pav_run *run, int number);
bool hybrid_holds_all(const pav_run *run, int number);
pav_status hybrid_fit(pav_run *run, bool *less);

/* run_hybrid.c: one of the places takes all, as if it had been asked for alone. */
pav_status hybrid_take_alone(pav_run *run, opening *how, int number);
/* ", 30 % of the grid to cpu, ...", and what memory had to do with it. */
void hybrid_add_shares(const pav_run *run, text *t);

/* hybrid_trials.c: whether the run is long enough for trials; shares become those that
 * trial steps measure, or the place that was faster alone takes all. step: seconds, by
 * the model. */
bool hybrid_has_trials(const pav_run *run, const opening *how, double step);
pav_status hybrid_refine(pav_run *run, opening *how, double step);
/* Steps of a run that has such trials. */
int hybrid_least_steps(void);
/* Of places that have so many points each and took so many seconds: their rates, by which
 * all would end at once; how many times as long the slowest took. */
double hybrid_even_out(int places, const double *count, const double *seconds,
                       double *rate);

#endif
