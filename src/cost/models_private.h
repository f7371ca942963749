/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside cost only: the models, which are a column of SCHEDULE_TABLE. Each gives
 * the terms of a step. */
#ifndef COST_MODELS_PRIVATE_H
#define COST_MODELS_PRIVATE_H

#include "cost/cost.h"

typedef pav_status cost_model(const cost_question *q, step_cost *c);

/* On processors: stage by stage; time tiles. On GPUs: stage by stage; fused launches that
 * sweep; persistent ones. */
cost_model cost_loops, cost_tiles, cost_stages, cost_time, cost_persistent;

/* 0: no rate is known. */
static inline double cost_seconds(double amount, double rate)
{
    return rate > 0 ? amount / rate : 0;
}

/* Bytes that a step must at least move to memory and from it; 0 where L2 holds them. The
 * more values each point has, the less of its rate a GPU's memory reaches. */
typedef struct cost_least {
    double bytes, slower;
} cost_least;
pav_status cost_least_of(const cost_question *q, cost_least *l);
/* The terms of memory, caches and arithmetic of a fused launch (cost_fused.c). */
pav_status cost_add_fused(const cost_question *q, const cost_launch *l, cost_sweep sweep,
                          step_cost *c);
/* Seconds and terms of what is no schedule of a program's step. */
void cost_add_exchange(const cost_question *q, step_cost *c);
void cost_add_visits(const cost_question *q, step_cost *c);
/* The terms of a box of a stage by a loop schedule are added, of which arithmetic takes
 * so many seconds (cost_loops.c). */
void cost_add_loop(const box *b, const cost_load *load, const cost_question *q,
                   double arithmetic, step_cost *c);
/* Times the bytes that caches and memory hand over. */
double cost_crowd(const cost_load *load);
/* The terms of time tiles (cost_tiles.c). */
pav_status cost_add_tiles(const cost_question *q, const ir_blocking *b, double arithmetic,
                          step_cost *c);

#endif
