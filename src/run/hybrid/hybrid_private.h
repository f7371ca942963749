/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: shares of the grid for unequal places. */
#ifndef RUN_HYBRID_PRIVATE_H
#define RUN_HYBRID_PRIVATE_H

#include "run/run_private.h"

/* Sharing pays if a step takes at most this share of the fastest place's time alone. */
#define HYBRID_WORTH 0.98

/* hybrid_memory.c. hybrid_most_planes: planes across the slowest axis in the memory of a
 * place; all planes for the host. hybrid_holds_all: the place can hold the whole grid.
 * hybrid_fit turns run->cut.share into numbers of planes within these limits; *less: some
 * share was reduced. */
int64_t hybrid_most_planes(const pav_run *run, int number);
bool hybrid_holds_all(const pav_run *run, int number);
pav_status hybrid_fit(pav_run *run, bool *less);

/* run_hybrid.c: gives the whole grid to one place, as if the user had named only this
 * device. */
pav_status hybrid_take_alone(pav_run *run, opening *how, int number);
/* Appends ", 30 % of the grid to cpu, ...", with the effect of limited memory. */
void hybrid_add_shares(const pav_run *run, text *t);

/* hybrid_trials.c. hybrid_has_trials: the run is long enough for trials; step: modelled
 * seconds. hybrid_refine measures shares by trial steps, or gives the grid to the fastest
 * place alone. */
bool hybrid_has_trials(const pav_run *run, const opening *how, double step);
pav_status hybrid_refine(pav_run *run, opening *how, double step);
/* Steps of the shortest run with trials. */
int hybrid_least_steps(void);
/* The rates of places with `count` points and `seconds` each; shares in these rates would
 * finish together. Returns the time of the slowest place over the mean. */
double hybrid_even_out(int places, const double *count, const double *seconds,
                       double *rate);

#endif
