/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the derived description for the user. */
#include "solve/solve.h"

/* Prints the description of a step, followed by the solvers of its equations. */
static pav_status list_sources(const solution *s, char **result)
{
    text t = {0};

    text_add(&t, "%s", s->source);
    for (int64_t n = 0; n < s->count; n++)
        text_add(&t, "\n# what solves for %s' in each step\n%s", s->each[n].field,
                 s->each[n].source);
    return text_take(&t, result);
}

pav_status pav_program_solver(const pav_program *p, char **result)
{
    GUARDED;
    solution s;

    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_program_solver needs a program and a place for the text");
    if (p->tree.mesh) /* a different derivation */
        return PAV_OK;
    TRY(solve_derive(&p->tree, &s));
    pav_status status = PAV_OK;
    if (s.count > 0) {
        status = list_sources(&s, result);
    } else {
        *result = s.source;
        s.source = NULL;
    }
    solution_free(&s);
    return status;
}
