/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzes the heads of checkpoints. Any bytes must be accepted as the head of this
 * program's checkpoint, or refused with a message. */
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* fuzz/corpus/fuzz_checkpoint/ holds heads of this very program. */
static const char source[] =
    "grid x 8, y 4\nscalar s = 0.5\nfield u = x; v stored f32 = y\n"
    "u' = 2*u - prev(u) + 0.1*laplace(u)\nv' = 0.9*v + s*u\n"
    "border u = 0.01*s*t beyond\nborder periodic v\n"
    "inject sin(t) into u at (3.5, 2)\nsample u at (3, 2), (5.5, 1) every 3\n"
    "measure top = max(u) every 5\nsteps 9\n";

static pav_run *open_run(void)
{
    static pav_device *device;
    static pav_program *program;
    const pav_run_options how = {.no_files = 1};
    pav_run *run = NULL;
    if (!program && (pav_device_open("interpreter", &device) != PAV_OK ||
                     pav_program_parse(source, strlen(source), NULL, &program) != PAV_OK))
        abort();
    if (pav_run_open(program, device, &how, &run) != PAV_OK)
        abort();
    return run;
}

/* An accepted head is written again and must have the same bytes, except for its
 * version. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static pav_run *run;
    checkpoint_head h = {.path = "fuzzed"};
    if (!run)
        run = open_run();
    if (head_check(run, (const char *)data, (int64_t)size, &h) != PAV_OK) {
        if (!*pav_message())
            abort();
        return 0;
    }
    head_take(run, (const char *)data, (int64_t)size);
    text again = {0};
    if (pav_run_step(run) != h.step || head_write(run, &again) != PAV_OK ||
        head_check(run, again.data, again.length, &h) != PAV_OK)
        abort();
    text_free(&again);
    pav_run_free(run);
    run = NULL;
    return 0;
}
