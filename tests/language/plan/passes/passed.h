/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers for tests of passes: a program after some of the passes, and its stages as
 * text. */
#ifndef PASSED_H
#define PASSED_H

#include "lowered.h"

/* Runs the passes up to and including `last`: "" runs none. NULL runs all and sets the
 * halos. */
lowered passed_open(const char *source, const char *last);
/* The expression of an output, with all parentheses. The text stays valid for the next
 * seven calls. */
const char *output_text(const lowered *l, const ir_stage *stage, int64_t output);
/* The expression of the new value of u on a 3-D grid, with fields u, v, w, a param k = 3
 * and a scalar s. */
const char *passed_text(const char *right, const char *last);
/* The cost of the same step. */
ir_cost passed_cost(const char *right, const char *last);
ir_cost program_cost(const char *source, const char *last);

#endif
