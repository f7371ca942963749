/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs brought through the first passes, up to one of them. */
#ifndef PASSED_H
#define PASSED_H

#include "lowered.h"

/* Through the pass of that name; "" for none, NULL for all, and halos are set. */
lowered passed_open(const char *source, const char *last);
/* What an output of a stage is, as an expression with all parentheses; for a few
 * calls. */
const char *output_text(const lowered *l, const ir_stage *stage, int64_t output);
/* So the new value of u, on a 3-D grid of fields u, v, w, with a param k = 3 and a scalar
 * s. */
const char *passed_text(const char *right, const char *last);
/* The cost of that step. */
ir_cost passed_cost(const char *right, const char *last);
ir_cost program_cost(const char *source, const char *last);

#endif
