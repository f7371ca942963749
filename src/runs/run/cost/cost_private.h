/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: the modelled costs of each schedule of a run, before it begins.
 * One list has schedules of processors or of a device, single steps and fused ones
 * together, the fastest first. */
#ifndef RUN_COST_PRIVATE_H
#define RUN_COST_PRIVATE_H

#include "run/run_private.h"

typedef struct cost_candidate {
    char words[SCHEDULE_STRING]; /* a schedule string for a run's `schedule` */
    schedule_kind kind;
    int steps;  /* of a time block or fused launch */
    bool tried; /* a candidate of autotuning */
    step_cost cost;
} cost_candidate;

enum { COST_MOST = 192 };
typedef struct cost_list {
    int count;
    cost_candidate at[COST_MOST];
    /* for each kind without a candidate: the reason; or NULL */
    char *reason[SCHEDULE_KINDS];
} cost_list;

/* Lists schedules of an unstarted run without compiling. The list is empty
 * for several devices, decomposed grids, grids out of core, and the interpreter. */
pav_status cost_list_open(pav_run *run, cost_list *l);
/* The fastest of a kind, candidates of autotuning first; or NULL. */
const cost_candidate *cost_best(const cost_list *l, schedule_kind kind);

/* The machine at a place of the run, with its measured or default rates. */
machine_facts cost_machine(const pav_run *run, const exec_place *at);

#endif
