/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks share the shots of a list: shot k belongs to rank k modulo the number of
 * ranks. */
#include <stdlib.h>
#include <string.h>

#include "imaging/imaging_private.h"

bool shots_own(const pav_adjoint_options *o, int64_t k)
{
    return k % ranks_count(o->ranks) == ranks_number(o->ranks);
}

pav_status shots_meet(pav_ranks *ranks, pav_status own)
{
    uint64_t failed = own != PAV_OK;
    char *why = own == PAV_OK ? NULL : strdup(pav_message());
    pav_status status = ranks_or(ranks, &failed, 1);

    if (own != PAV_OK)
        status = FAIL(own, "%s", why ? why : "memory ran out");
    else if (status == PAV_OK && failed)
        status = FAIL(PAV_EINTERRUPTED,
                      "a shot of another rank failed; given again, the survey goes on "
                      "with those that are missing");
    free(why);
    return status;
}
