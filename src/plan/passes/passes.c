/* SPDX-License-Identifier: BSD-3-Clause */
/* The passes in their order. The order is part of the arithmetic: changing it changes
 * bits. */
#include "plan/plan_private.h"

const ir_pass pass_table[] = {
    {"fold", "constants computed exactly, identities removed, divisors inverted",
     pass_fold},
    {"powers", "integer powers by multiplication, halves by roots", pass_powers},
    {"sums", "equal weights factored, mirror images paired, planes shared", pass_sums},
    {"tabulate", "what depends on one coordinate alone read from tables", pass_tabulate},
    {"hoist", "what is the same at all points computed once a step", pass_hoist},
    {"fma", "products contracted into the sums they stand in", pass_fma},
    {NULL, NULL, NULL},
};
