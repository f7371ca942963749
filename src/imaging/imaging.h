/* SPDX-License-Identifier: BSD-3-Clause */
/* imaging: gradients and images of shots: a run forwards, its past under a budget of
 * memory, a run of the adjoint backwards, and what many shots add up to. */
#ifndef IMAGING_IMAGING_H
#define IMAGING_IMAGING_H

#include "base/base.h"
#include "io/io.h"
#include "lang/lang.h"
#include "run/run.h"
#include "solve/solve.h"

/* Revolve (revolve.c). Steps taken again where all states of `steps` steps are needed
 * backwards, with room for so many states besides the first; and after how many of them
 * the next state is kept. */
int64_t revolve_cost(int64_t steps, int64_t room);
int64_t revolve_advance(int64_t steps, int64_t room);

#endif
