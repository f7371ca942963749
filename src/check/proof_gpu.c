/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that kernels for a GPU give the interpreter's bits, after each step, with NaN around the points before.
 * Every program is there twice in a module: as any run has it, and with each of its stages in one of the ways
 * below, which follows from the program's seed. */
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

/* One that a stage cannot go by is what is usual for it. */
static const emit_gpu_schedule ways[] = {
    {.form = EMIT_GPU_POINT, .threads = {32, 1}},
    {.form = EMIT_GPU_POINT, .threads = {32, 4}},
    {.form = EMIT_GPU_POINT, .threads = {128, 2}},
};
enum { PLANES = 3 }; /* of a STREAM: grids are small */

struct gpu_proof {
    gpu_set *set;
    int64_t count;
    emit_gpu_schedule **of_program; /* NULL: as any run; then those in ways */
};

/* ---- kernels ------------------------------------------------------------------------------ */

static emit_gpu_schedule way_of(const ir *code, int64_t stage, uint64_t seed)
{
    const uint64_t number = hash_mix(seed + (uint64_t)stage) % COUNT_OF(ways);
    const emit_gpu_schedule *wanted = &ways[number];
    return emit_gpu_refusal(code, &code->stage[stage], wanted) ? (emit_gpu_schedule){0}
                                                               : *wanted;
}

static pav_status choose_ways(gpu_proof *k, int64_t n, const ir *code, uint64_t seed)
{
    emit_gpu_schedule *all = mem_new(code->stages + 1, sizeof *all);
    if (!all)
        return PAV_ENOMEM;
    for (int64_t s = 0; s < code->stages; s++)
        if (emit_gpu_has_kernel(code, &code->stage[s]))
            all[s] = way_of(code, s, seed);
    k->of_program[k->count + n] = all;
    return PAV_OK;
}

static pav_status compile(gpu_proof *k, gpu *g, const ir *const *code, unsigned how)
{
    const ir **twice = mem_new(2 * k->count, sizeof *twice);
    if (!twice)
        return PAV_ENOMEM;
    memcpy(twice, code, (size_t)k->count * sizeof *twice);
    memcpy(twice + k->count, code, (size_t)k->count * sizeof *twice);
    const pav_status status = gpu_set_open(
        g, twice, 2 * k->count, (const emit_gpu_schedule *const *)k->of_program,
        "Kernels of programs that are checked", how, &k->set);
    mem_free(twice);
    return status;
}

pav_status gpu_proof_open(gpu *g, const ir *const *code, const uint64_t *seed,
                          int64_t count, unsigned how, gpu_proof **result)
{
    gpu_proof *k = mem_new(1, sizeof *k);
    *result = NULL;
    if (!k)
        return PAV_ENOMEM;
    k->count = count;
    k->of_program = mem_new(2 * count, sizeof *k->of_program);
    pav_status status = k->of_program ? PAV_OK : PAV_ENOMEM;
    for (int64_t n = 0; n < count && status == PAV_OK; n++)
        status = choose_ways(k, n, code[n], seed[n]);
    if (status == PAV_OK)
        status = compile(k, g, code, how);
    if (status == PAV_OK)
        *result = k;
    else
        gpu_proof_close(k);
    return status;
}

void gpu_proof_close(gpu_proof *k)
{
    if (!k)
        return;
    for (int64_t n = 0; k->of_program && n < 2 * k->count; n++)
        mem_free(k->of_program[n]);
    mem_free(k->of_program);
    gpu_set_close(k->set);
    mem_free(k);
}

/* ---- two runs beside the interpreter's ---------------------------------------------------- */

/* Transcendental functions at points of a step are a GPU's own, which promises nothing of their last bits; what is
 * emulated calls the host's library, as the interpreter does. */
static bool bits_are_promised(const gpu *g, const ir *code)
{
    for (int64_t k = 0; k < code->stages && !gpu_tell(g)->emulated; k++)
        if (emit_gpu_has_kernel(code, &code->stage[k]) &&
            emit_gpu_differs(&code->stage[k]))
            return false;
    return true;
}

static pav_status told(int way, pav_status status)
{
    static const char *const names[] = {"as any run", "in the ways of its seed"};
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    char *why = strdup(pav_message());
    FAIL(status, "%s: %s", names[way], why ? why : "");
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
                TRY(told(n, pav_run_steps(run[n], 1)));
            TRY(told(n, runs_are_equal(reference, run[n], true)));
        }
    }
    return PAV_OK;
}

static pav_status open_both(const proof_case *c, const gpu_proof *k, int64_t number,
                            pav_run *run[2])
{
    TRY(told(0, run_open_gpu(c->program, k->set, number, 0, &run[0])));
    TRY(told(0, run_is_poisoned(run[0])));
    TRY(told(1, run_open_gpu(c->program, k->set, k->count + number, PLANES, &run[1])));
    return told(1, run_is_poisoned(run[1]));
}

static pav_status agree(const proof_case *c, const gpu_proof *k, int64_t number)
{
    pav_run *reference = NULL, *run[2] = {NULL, NULL};
    pav_status status = run_open_with(c->program, interp_stage, &reference);
    if (status == PAV_OK && bits_are_promised(c->gpu, run_code(reference)))
        status = open_both(c, k, number, run);
    if (status == PAV_OK && run[1])
        status = follow(reference, run);
    pav_run_free(run[0]);
    pav_run_free(run[1]);
    pav_run_free(reference);
    return status;
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
