/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of proofs, and two self-comparisons: the printed form of a program with its
 * parsed form, and the interpreter's rows with its single points. */
#include <string.h>

#include "check/check_private.h"

/* ---- the canonical form ------------------------------------------------------------ */

static pav_status print_again(const char *source, int64_t length, const program *p,
                              text *again)
{
    const pav_program_options options = {.name = "the canonical form",
                                         .directory = p->directory};
    program *q = NULL;
    TRY(program_parse(source, length, &options, &q));
    program_print(q, again);
    program_free(q);
    return again->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status prints_and_parses_back(const proof_case *c)
{
    const program *p = c->program;
    text once = {0}, again = {0};
    program_print(p, &once);
    pav_status status = once.failed ? PAV_ENOMEM
                                    : print_again(once.data, once.length, p, &again);
    if (status == PAV_OK && strcmp(once.data, again.data) != 0)
        status = FAIL(PAV_EINTERNAL, "printed once\n%sprinted again\n%s", once.data,
                      again.data);
    text_free(&once);
    text_free(&again);
    return status;
}

/* ---- rows against points ----------------------------------------------------------- */

pav_status runs_agree(pav_run *a, pav_run *b, bool any_nan)
{
    TRY(runs_are_equal(a, b, any_nan));
    for (int step = 0; step < PROOF_STEPS; step++) {
        TRY(pav_run_steps(a, 1));
        TRY(pav_run_steps(b, 1));
        TRY(runs_are_equal(a, b, any_nan));
    }
    return PAV_OK;
}

pav_status runners_agree(const program *p, stage_runner one, stage_runner other)
{
    pav_run *a = NULL, *b = NULL;
    pav_status status = run_open_with(p, one, &a);
    if (status == PAV_OK)
        status = run_open_with(p, other, &b);
    if (status == PAV_OK)
        status = runs_agree(a, b, false);
    pav_run_free(a);
    pav_run_free(b);
    return status;
}

/* Compares whole stages with split stages, the parts of a GPU stage with neighbours in
 * one direction each. */
static pav_status split_stages_equal_whole_ones(const proof_case *c)
{
    pav_run *whole = NULL, *split = NULL;
    pav_status status = run_open_with(c->program, interp_stage, &whole);
    if (status == PAV_OK)
        status = run_open_split(c->program, &split);
    if (status == PAV_OK)
        status = runs_agree(whole, split, true);
    pav_run_free(whole);
    pav_run_free(split);
    return status;
}

static pav_status rows_equal_points(const proof_case *c)
{
    return runners_agree(c->program, interp_stage, interp_stage_slow);
}

static pav_status passes_agree(const proof_case *c)
{
    return passes_keep_the_values(c->program, c->seed);
}

static pav_status evaluation_agrees(const proof_case *c)
{
    return direct_agrees(c->program, c->seed);
}

const proof proof_table[] = {
    {"the printed form parses back", prints_and_parses_back},
    {"passes keep the values", passes_agree},
    {"rows equal points", rows_equal_points},
    {"stages in parts equal whole ones", split_stages_equal_whole_ones},
    {"subdomains equal one", subdomains_of_interpreter},
    {"visits out of core equal one", visits_of_interpreter},
    {"kernels equal rows", kernels_equal_rows},
    {"a direct evaluation agrees", evaluation_agrees},
    {NULL, NULL},
};

const proof compile_table[] = {
    {"NVRTC compiles the kernels", gpu_kernels_compile},
    {NULL, NULL},
};
