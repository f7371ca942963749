/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter: needs neither compiler nor accelerator, and is there on every
 * machine. */
#include "device/device_private.h"

static bool present(const char **why)
{
    *why = NULL;
    return true;
}

const device_ops interpreter_device = {
    .name = "interpreter",
    .about = "evaluates programs row by row on one core; needs nothing else",
    .present = present,
    .rank = 1,
};
