/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that several steps in one pass over memory give the bits of single steps: with different depths, tiles
 * so small that they lean over each other, and different numbers of threads. Programs whose steps cannot share a
 * pass are not walked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

enum { TIME_RUNS = 3, TIME_STEPS = 7 };

/* All shapes come up in some hundred programs: what the seed says is parted among them. */
static time_shape shape_of(const program *p, uint64_t seed)
{
    static const int64_t wide[] = {1, 2, 3, 5, 8, 33}, thick[] = {1, 2, 3, 7};
    time_shape s = {.depth = 2 + (int)(seed % 6), .plain = seed >> 8 & 1};

    s.tile[p->dim > 1] = thick[(seed >> 16) % COUNT_OF(thick)];
    if (p->dim > 1)
        s.tile[p->dim == 3 ? 2 : 0] = wide[(seed >> 24) % COUNT_OF(wide)];
    return s;
}

static pav_status agree_in_time(const proof_case *c, const kernel_set *set,
                                int64_t number, uint64_t seed, pav_run *reference)
{
    static const int threads[] = {1, 2, 3, 5};
    const time_shape shape = shape_of(c->program, seed);
    const kernel_manner manner = {.threads = threads[(seed >> 40) % COUNT_OF(threads)],
                                  .axis = c->program->dim - 1,
                                  .tall = true};
    pav_run *run = NULL;
    bool several;
    pav_status status = run_open_timed(c->program, set, number, &manner, &shape, &run,
                                       &several);

    if (status == PAV_OK && several)
        status = pav_run_steps(run, TIME_STEPS);
    if (status == PAV_OK && several)
        status = runs_are_equal(reference, run, true);
    if (status != PAV_OK && status != PAV_ENOMEM) {
        char *why = strdup(pav_message());
        FAIL(
            status,
            "passes of %d steps, tiles of %lldx%lldx%lld points (0: all), %d threads: %s",
            shape.depth, (long long)shape.tile[0], (long long)shape.tile[1],
            (long long)shape.tile[2], manner.threads, why ? why : "");
        free(why);
    }
    pav_run_free(run);
    return status;
}

pav_status passes_equal_steps(const proof_case *c, const kernel_set *set, int64_t number)
{
    pav_run *reference = NULL;
    uint64_t seed = c->seed;
    pav_status status = run_open_with(c->program, interp_stage, &reference);

    if (status == PAV_OK)
        status = pav_run_steps(reference, TIME_STEPS);
    for (int n = 0; n < TIME_RUNS && status == PAV_OK; n++) {
        seed = hash_mix(seed + (uint64_t)n + 1);
        status = agree_in_time(c, set, number, seed, reference);
    }
    pav_run_free(reference);
    return status;
}
