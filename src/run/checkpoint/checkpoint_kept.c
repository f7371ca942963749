/* SPDX-License-Identifier: BSD-3-Clause */
/* The checkpoint at the end of a run, if it still exists. */
#include <unistd.h>

#include "run/checkpoint/checkpoint_private.h"

const char *pav_run_checkpointed(const pav_run *run, int64_t *step)
{
    const bool there = run && run->checkpoint.path && run->checkpoint.saved >= 0 &&
                       access(run->checkpoint.path, F_OK) == 0;
    if (step)
        *step = there ? run->checkpoint.saved : -1;
    return there ? run->checkpoint.path : NULL;
}
