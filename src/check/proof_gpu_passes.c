/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that several steps in one launch of a GPU give the bits of single steps: in tiles of a few points, walks of
 * a few planes, passes of all lengths up to the depth. Programs whose steps cannot share a launch are not walked. */
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

enum { FEW_PLANES = 5 };

/* The first steps are single ones where borders are kept; then come passes as long as they can be, and a shorter one. */
static pav_status follow_passes(pav_run *reference, pav_run *run, int depth)
{
    const int64_t steps[] = {2, depth + 1, 2 * depth + 3};

    for (size_t n = 0; n < COUNT_OF(steps); n++) {
        TRY(pav_run_steps(reference, steps[n]));
        TRY(pav_run_steps(run, steps[n]));
        TRY(runs_are_equal(reference, run, true));
    }
    return PAV_OK;
}

static pav_status said_of(const emit_gpu_schedule *s, pav_status status)
{
    text words = {0};
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    char *why = strdup(pav_message());
    emit_gpu_schedule_words(s, &words);
    FAIL(status, "%s: %s", words.data ? words.data : "passes", why ? why : "");
    text_free(&words);
    free(why);
    return status;
}

pav_status gpu_passes_equal_steps(const proof_case *c, const gpu_proof *k, int64_t number)
{
    const emit_gpu_schedule *s = gpu_proof_pass(k, number);
    pav_run *reference = NULL, *run = NULL;
    int64_t at;
    bool parted;
    if (!s)
        return PAV_OK;
    const gpu_set *set = gpu_proof_set(k, number, AS_ANY_RUN, &at, &parted);
    pav_status status = run_open_with(c->program, interp_stage, &reference);
    if (status == PAV_OK)
        status = run_open_gpu_passes(c->program, set, at, FEW_PLANES, &run);
    if (status == PAV_OK)
        status = follow_passes(reference, run, s->depth);
    pav_run_free(run);
    pav_run_free(reference);
    return said_of(s, status);
}
