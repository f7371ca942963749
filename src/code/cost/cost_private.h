/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside cost only: the models, a column of SCHEDULE_TABLE, and their common
 * parts. Each model gives the terms of a step. */
#ifndef COST_COST_PRIVATE_H
#define COST_COST_PRIVATE_H

#include "cost/cost.h"

typedef pav_status cost_model(const cost_question *q, step_cost *c);

/* Processors: single steps; time tiles. GPUs: single steps; fused and persistent
 * launches. */
cost_model cost_loops, cost_tiles, cost_stages, cost_time;

/* 0 for an unknown rate. */
static inline double cost_seconds(double amount, double rate)
{
    return rate > 0 ? amount / rate : 0;
}

/* Efficiency of the arithmetic units, and instructions to load a value. */
typedef struct unit_use {
    double efficiency, read;
} unit_use;

static inline unit_use cost_host_use(void)
{
    return (unit_use){.efficiency = 1, .read = cpu_costs_of()->read};
}

/* Seconds of arithmetic of a stage, and of all stages of a step. */
pav_status cost_stage_arithmetic(const cost_question *q, const ir_stage *s, unit_use u,
                                 double *seconds);
pav_status cost_step_arithmetic(const cost_question *q, unit_use u, double *seconds);
/* Joint time of overlapping parts of a GPU: the longest one, and a little more if others
 * are nearly equal. */
double cost_overlap(const step_cost *c);

#endif
