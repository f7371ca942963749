/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: what each schedule of a run costs by the models, before it
 * begins. One list has those of processors (cost_host.c) or of a device
 * (cost_device.c), single steps and several at once alike, the fastest first. */
#ifndef RUN_COST_PRIVATE_H
#define RUN_COST_PRIVATE_H

#include "run/run_private.h"

typedef struct cost_candidate {
    char words[SCHEDULE_STRING]; /* as a run's `schedule` takes it */
    schedule_kind kind;
    int steps;  /* of a time block or launch */
    bool tried; /* a run that is free to choose may come to it */
    step_cost cost;
} cost_candidate;

enum { COST_MOST = 192 };
typedef struct cost_list {
    int count;
    cost_candidate at[COST_MOST];
    char *reason[SCHEDULE_KINDS]; /* why there is none of a kind; or NULL */
} cost_list;

/* cost_list.c. Of a run that is not begun; no kernel is compiled. Nothing is listed of
 * runs on several devices, cut ones and those out of core, nor of the interpreter. */
pav_status cost_list_open(pav_run *run, cost_list *l);
void cost_list_close(cost_list *l);
/* In its place, once; what is slower than all of a full list is left out. */
void cost_put(cost_list *l, const schedule *s, const step_cost *c, bool tried);
/* The fastest of a kind, those that are tried first; or NULL. */
const cost_candidate *cost_best(const cost_list *l, schedule_kind kind);

pav_status cost_list_host(pav_run *run, cost_list *l);
pav_status cost_list_device(pav_run *run, cost_list *l);

/* cost_rates.c: the machine at a place of the run, with rates as measured and kept, or
 * else by default. */
machine_facts cost_machine(const pav_run *run, const exec_place *at);

#endif
