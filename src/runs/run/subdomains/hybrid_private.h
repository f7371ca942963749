/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared with tests only: shares of the grid for unequal places. */
#ifndef RUN_HYBRID_PRIVATE_H
#define RUN_HYBRID_PRIVATE_H

#include "run/run_private.h"

/* The rates of places with `count` points and `seconds` each; shares in these rates would
 * finish together. Returns the time of the slowest place over the mean. */
double hybrid_even_out(int places, const double *count, const double *seconds,
                       double *rate);

#endif
