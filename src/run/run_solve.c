/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves an equation of a description in one call: takes values of some fields, runs the
 * steps of the method, and returns the unknown. */
#include <stdlib.h>
#include <string.h>

#include "run/run_private.h"

/* ---- what is asked for ------------------------------------------------------------- */

static pav_status check_run(const pav_run *run, int64_t fields)
{
    if (!run->solver.solution.start)
        return FAIL(PAV_EINVAL,
                    "%s: pav_solve solves an equation that stands alone, as "
                    "in `solve -laplace(u) = f by auto to 1e-8`; %s",
                    run->program->name,
                    run->solver.solution.count > 0 ? "those within steps are solved by "
                                                     "pav_run_steps"
                                                   : "here is none");
    if (fields > 0 && run->outofcore)
        return FAIL(PAV_EUNSUPPORTED, "fields cannot be given to what is solved out of "
                                      "core: let the description read them from files");
    return PAV_OK;
}

/* Recomputes all that depends on the values, such as the norm of the first residual. */
static pav_status give(pav_run *run, const pav_solve_field *given, int64_t fields)
{
    for (int64_t k = 0; k < fields; k++)
        TRY(pav_field_write(run, given[k].name, 0, PAV_F64, given[k].values,
                            given[k].count));
    return fields > 0 ? run_start_given(run) : PAV_OK;
}

/* ---- what comes back --------------------------------------------------------------- */

static void report(const pav_run *run, pav_solve_result *result)
{
    if (!result || run->solver.residuals == 0)
        return;
    const double first = run->solver.residual[0],
                 last = run->solver.residual[run->solver.residuals - 1];
    result->iterations = run->part->step;
    result->residual = first > 0 ? last / first : last;
}

/* Also reads the unknown if the method did not converge; the message of the method
 * remains. */
static pav_status read(pav_run *run, pav_status status, double *u, int64_t count)
{
    const bool any = status == PAV_OK || status == PAV_ECONVERGE;
    if (!u || !any)
        return status;
    char *why = status == PAV_OK ? NULL : strdup(pav_message());
    const pav_status got = pav_field_read(run, run->solver.solution.field, 0, PAV_F64, u,
                                          count);
    if (got == PAV_OK && status != PAV_OK)
        FAIL(status, "%s", why ? why : "the method did not converge");
    free(why);
    return got == PAV_OK ? status : got;
}

pav_status pav_solve(const pav_program *p, pav_device *device,
                     const pav_run_options *options, const pav_solve_field *given,
                     int64_t fields, double *u, int64_t count, pav_solve_result *result)
{
    GUARDED;
    const double begun = clock_seconds();
    pav_run *run = NULL;
    if (result)
        *result = (pav_solve_result){0};
    if (fields < 0 || (fields > 0 && !given))
        return FAIL(PAV_EINVAL,
                    "pav_solve needs the fields that are given: %lld are not "
                    "there",
                    (long long)fields);
    TRY(pav_run_open(p, device, options, &run));
    pav_status status = check_run(run, fields);
    if (status == PAV_OK)
        status = give(run, given, fields);
    const double opened = clock_seconds();
    if (status == PAV_OK)
        status = pav_run_finish(run);
    report(run, result);
    status = read(run, status, u, count);
    if (result) {
        result->setup_seconds = opened - begun;
        result->seconds = clock_seconds() - begun;
    }
    pav_run_free(run);
    return status;
}
