/* SPDX-License-Identifier: BSD-3-Clause */
/* imaging computes gradients and images of shots. A shot is run forwards, its past is
 * kept within a budget of memory, and its adjoint is run backwards. A survey adds up the
 * results of many shots. */
#ifndef IMAGING_IMAGING_H
#define IMAGING_IMAGING_H

#include "base/base.h"
#include "io/io.h"
#include "lang/lang.h"
#include "run/run.h"
#include "solve/solve.h"

/* Revolve (past/history.c) chooses which states to keep. All states of `steps` steps
 * are needed backwards, and there is room for `room` states besides the first.
 * revolve_cost is the number of steps taken again. revolve_advance is the number of steps
 * from the first state to the next state to keep. */
int64_t revolve_cost(int64_t steps, int64_t room);
int64_t revolve_advance(int64_t steps, int64_t room);

#endif
