/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that GPU kernels give values bitwise identical to the interpreter's after
 * each step, with NaN around the points before. It covers the schedules of any run and of
 * gpu_proof_kernels.c. If a step uses functions of the GPU's own, both forms must be
 * bitwise identical to kernels with one thread per point. These are compared with a
 * direct evaluation. */
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

/* A GPU's own transcendental functions promise nothing about their last bits. An emulated
 * GPU calls the host's library, like the interpreter. */
bool gpu_bits_are_promised(const gpu *g, const ir *code)
{
    for (int64_t k = 0; k < code->stages && !gpu_facts_of(g)->emulated; k++)
        if (emit_gpu_has_kernel(code, &code->stage[k]) &&
            emit_gpu_differs(&code->stage[k]))
            return false;
    return true;
}

static pav_status named(int which, pav_status status)
{
    static const char *const names[] = {"as any run", "in the ways of its seed",
                                        "point by point"};
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    char *why = strdup(pav_message());
    FAIL(status, "%s: %s", names[which], why ? why : "");
    free(why);
    return status;
}

static pav_status follow(pav_run *reference, pav_run *const run[2])
{
    for (int step = 0; step <= PROOF_STEPS; step++) {
        if (step > 0)
            TRY(pav_run_steps(reference, 1));
        for (int n = 0; n < 2; n++) {
            if (step > 0)
                TRY(named(n, pav_run_steps(run[n], 1)));
            TRY(named(n, runs_are_equal(reference, run[n], true)));
        }
    }
    return PAV_OK;
}

static pav_status open_form(const proof_case *c, const gpu_proof *k, int64_t number,
                            int which, pav_run **run)
{
    const place_opening how = gpu_proof_of(k, number, which);

    TRY(named(which, run_open_there(c->program, &how, run)));
    return named(which, run_is_poisoned(*run));
}

/* Opens the run that all other runs must equal. */
static pav_status open_reference(const proof_case *c, const gpu_proof *k, int64_t number,
                                 bool *promised, pav_run **run)
{
    TRY(run_open_with(c->program, interp_stage, run));
    *promised = gpu_bits_are_promised(c->gpu, run_code(*run));
    if (*promised)
        return PAV_OK;
    pav_run_free(*run);
    *run = NULL;
    return open_form(c, k, number, POINT_BY_POINT, run);
}

static pav_status is_near(const proof_case *c, const gpu_proof *k, int64_t number)
{
    direct_tally tally = {0};
    pav_run *run = NULL;
    pav_status status = open_form(c, k, number, POINT_BY_POINT, &run);
    if (status == PAV_OK)
        status = named(POINT_BY_POINT, direct_follow(c->program, run, PROOF_STEPS,
                                                     ROUNDED_BY_GPU, &tally));
    if (status == PAV_OK)
        status = proof_is_sharp(tally.compared, tally.sharp);
    pav_run_free(run);
    return status;
}

static pav_status agree(const proof_case *c, const gpu_proof *k, int64_t number)
{
    pav_run *reference = NULL, *run[2] = {NULL, NULL};
    bool promised = true;
    pav_status status = open_reference(c, k, number, &promised, &reference);
    for (int which = 0; which < 2 && status == PAV_OK; which++)
        status = open_form(c, k, number, which, &run[which]);
    if (status == PAV_OK)
        status = follow(reference, run);
    pav_run_free(run[0]);
    pav_run_free(run[1]);
    pav_run_free(reference);
    const place_opening whole = gpu_proof_of(k, number, AS_ANY_RUN);
    const cut_opening cut = {.there = &whole};
    if (status == PAV_OK && promised)
        status = subdomains_equal_one(c, cut);
    if (status == PAV_OK && promised && !whole.plain)
        status = visits_equal_one(c, cut, gpu_proof_fused(k, number));
    if (status == PAV_OK && promised)
        status = gpu_fused_equal_steps(c, k, number);
    return status == PAV_OK && !promised ? is_near(c, k, number) : status;
}

static pav_status agree_alone(const proof_case *c)
{
    ir *code = NULL;
    gpu_proof *k = NULL;
    pav_status status = ir_build(c->program, NULL, &code);
    const ir *const all[] = {code};
    if (status == PAV_OK)
        status = gpu_proof_open(c->gpu, all, &c->seed, 1, HOST_QUICK, &k);
    if (status == PAV_OK)
        status = agree(c, k, 0);
    gpu_proof_close(k);
    ir_free(code);
    return status;
}

pav_status gpu_equals_rows(const proof_case *c)
{
    return c->gpu_kernels ? agree(c, c->gpu_kernels, c->number) : agree_alone(c);
}
