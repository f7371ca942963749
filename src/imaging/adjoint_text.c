/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of the adjoint description, for users who want to read it. */
#include "imaging/imaging_private.h"

pav_status pav_program_adjoint(const pav_program *p, int64_t steps, char **result)
{
    GUARDED;
    adjoint a = {0};
    const adjoint_wish wish = {.steps = steps};

    if (result)
        *result = NULL;
    if (!p || !result || steps < 0)
        return FAIL(PAV_EINVAL,
                    "pav_program_adjoint needs a program, a number of steps (0: the "
                    "description's) and a place for the text");
    TRY(adjoint_derive(&p->tree, &wish, &a));
    *result = a.source;
    a.source = NULL;
    adjoint_free(&a);
    return PAV_OK;
}
