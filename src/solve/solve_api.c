/* SPDX-License-Identifier: BSD-3-Clause */
/* The derived description, for who wants to read it. */
#include "solve/solve.h"

pav_status pav_program_solver(const pav_program *p, char **result)
{
    GUARDED;
    solution s;

    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_program_solver needs a program and a place for the text");
    if (p->tree.mesh) /* solved in another way */
        return PAV_OK;
    TRY(solve_derive(&p->tree, &s));
    *result = s.source;
    s.source = NULL;
    solution_free(&s);
    return PAV_OK;
}
