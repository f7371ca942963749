/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that a grid out of core gives the bits of one in core: in random numbers of
 * steps and parts, by the interpreter, compiled kernels and those for GPUs. */
#include <stdlib.h>

#include "check/check_private.h"

enum { VISIT_STEPS = 7, MOST_PARTS = 5, MOST_STAY = 12 };

static const char *temporary_directory(void)
{
    const char *top = getenv("TMPDIR");
    return top && *top ? top : "/tmp";
}

static bool open_parts(const program *p, int64_t parts, cut_opening *how,
                       outofcore_request *requested, pav_run **run)
{
    how->visits = requested;
    for (; parts > 0; parts--) {
        requested->parts = parts;
        if (run_open_cut(p, how, run) == PAV_OK)
            return true;
    }
    return false;
}

/* Steps that cannot share a visit go stage by stage, where nothing else is asked for. */
static bool open_plain(const program *p, int64_t parts, cut_opening *how,
                       outofcore_request *requested, pav_run **run)
{
    *requested = (outofcore_request){.always = true, .disk = requested->disk};
    return open_parts(p, parts, how, requested, run);
}

/* The first request that the program allows, of fewer and fewer parts; false: there is
 * none. */
static bool draw(const program *p, uint64_t seed, cut_opening *how,
                 outofcore_request *requested, pav_run **run)
{
    rng r = {seed ^ UINT64_C(0x0c0e)};
    int64_t parts = 2 + rng_below(&r, MOST_PARTS - 1);
    requested->steps = 1 + rng_below(&r, VISIT_STEPS);
    requested->single = requested->steps == 1;
    requested->again = requested->steps > 1 && rng_below(&r, 3) == 0;
    requested->resend = rng_below(&r, 4) == 0;
    requested->disk = rng_below(&r, 4) == 0 ? temporary_directory() : NULL;
    requested->windows = how->there ? 0 : 1 + rng_below(&r, 3);
    requested->stays = requested->windows <= 1 && rng_below(&r, 2) == 0;
    requested->stay = requested->stays ? rng_below(&r, MOST_STAY) : 0;
    if (open_parts(p, parts, how, requested, run))
        return true;
    requested->stay = 0; /* not all programs can have any */
    return open_parts(p, parts, how, requested, run) ||
           open_plain(p, parts, how, requested, run);
}

static pav_status compare(const proof_case *c, pav_run *visited)
{
    pav_run *whole = NULL;
    pav_status status = run_open_with(c->program, interp_stage, &whole);
    if (status == PAV_OK)
        status = runs_are_equal(whole, visited, true);
    if (status == PAV_OK)
        status = pav_run_steps(whole, VISIT_STEPS);
    if (status == PAV_OK)
        status = pav_run_steps(visited, VISIT_STEPS);
    if (status == PAV_OK)
        status = runs_are_equal(whole, visited, true);
    pav_run_free(whole);
    return status;
}

pav_status visits_equal_one(const proof_case *c, cut_opening how)
{
    outofcore_request requested = {.always = true};
    pav_run *run = NULL;
    if (!draw(c->program, c->seed, &how, &requested, &run))
        return PAV_OK;
    pav_status status = compare(c, run);
    if (c->tally)
        c->tally->visits = (int)requested.parts;
    if (status != PAV_OK && status != PAV_ENOMEM) {
        text why = {0};
        text_add(&why, "%s", pav_message());
        FAIL(status, "out of core, %lld steps in %lld parts%s: %s",
             (long long)requested.steps, (long long)requested.parts,
             requested.disk ? " on disk" : "", why.data ? why.data : "");
        text_free(&why);
    }
    pav_run_free(run);
    return status;
}

pav_status visits_of_interpreter(const proof_case *c)
{
    return visits_equal_one(c, (cut_opening){0});
}
