/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside cost only: the models, a column of SCHEDULE_TABLE. Each model gives the
 * terms of a step. */
#ifndef COST_MODELS_PRIVATE_H
#define COST_MODELS_PRIVATE_H

#include "cost/cost.h"

typedef pav_status cost_model(const cost_question *q, step_cost *c);

/* Processors: single steps; time tiles. GPUs: single steps; fused launches with sweeps;
 * persistent launches. */
cost_model cost_loops, cost_tiles, cost_stages, cost_time, cost_persistent;

/* 0 for an unknown rate. */
static inline double cost_seconds(double amount, double rate)
{
    return rate > 0 ? amount / rate : 0;
}

/* Least memory traffic of a step; 0 if L2 holds all levels. A point with many values
 * slows down the memory of a GPU by the factor `slower`. */
typedef struct cost_least {
    double bytes, slower;
} cost_least;
pav_status cost_least_of(const cost_question *q, cost_least *l);
/* Adds memory, caches and arithmetic of a fused launch (cost_fused.c). */
pav_status cost_add_fused(const cost_question *q, const cost_launch *l, cost_sweep sweep,
                          step_cost *c);
/* Seconds and terms of a subdomain's step, and of a step out of core. */
void cost_add_exchange(const cost_question *q, step_cost *c);
void cost_add_visits(const cost_question *q, step_cost *c);
/* Adds the terms of a box of a stage by a loop schedule, with `arithmetic` seconds of
 * arithmetic (cost_loops.c). */
void cost_add_loop(const box *b, const cost_load *load, const cost_question *q,
                   double arithmetic, step_cost *c);
/* Factor on the bytes from caches and memory. */
double cost_crowd(const cost_load *load);
/* Adds the terms of time tiles (cost_tiles.c). */
pav_status cost_add_tiles(const cost_question *q, const ir_blocking *b, double arithmetic,
                          step_cost *c);

#endif
