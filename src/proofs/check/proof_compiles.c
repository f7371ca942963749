/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that NVRTC compiles kernels of every stage. Default schedules are compiled
 * for all supported architectures, of whole and split stages. Another candidate, and a
 * schedule of proof_gpu.c chosen by the seed, are compiled for one architecture.
 * Default schedules must not spill registers; split stages and candidates may, since runs
 * measure them first. NVRTC 13.0 spills a few bytes in some kernels with free registers
 * (4 bytes at 48 of 255, 20 at 128, both for sm_100; 64 at 64,
 * for sm_90); these pass. Every third program also
 * compiles one fused launch, for one architecture, since it takes the time of all other
 * kernels. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

enum {
    FEW = 64,       /* largest spill of a thread, bytes, ... */
    MANY = 3 << 10, /* ... and of a fused launch: more is not worth a trial */
    ANY = INT_MAX,
    PASS_EVERY = 3
};

pav_status gpu_compiler_is_here(void)
{
    static const char nothing[] = "extern \"C\" __global__ void nothing() {}\n";
    OWNED_BY(text_free) text stats = {0};

    for (int n = 0; n < GPU_GENERATIONS; n++)
        TRY(gpu_try_compile(gpu_generations[n], nothing, sizeof nothing - 1, &stats));
    return PAV_OK;
}

/* Bytes spilled by the kernel of a line; more than any kernel spills if the line has no
 * number. */
static long spilled(const char *line, int length)
{
    static const char word[] = " bytes spill stores";
    const char *found = strstr(line, word);

    if (!found || found > line + length)
        return LONG_MAX;
    while (found > line && found[-1] >= '0' && found[-1] <= '9')
        found--;
    return strtol(found, NULL, 10);
}

static pav_status check_spills(const char *stats, int architecture, int most)
{
    while (stats && *stats) {
        const int length = (int)strcspn(stats, "\n");
        if (spilled(stats, length) > most)
            return FAIL(PAV_EINTERNAL, "for sm_%d a kernel spills registers: %.*s",
                        architecture, length, stats);
        stats += length + (stats[length] == '\n');
    }
    return PAV_OK;
}

pav_status kernels_have_no_spills(const char *stats, int architecture)
{
    return check_spills(stats, architecture, FEW);
}

static pav_status compile(const text *source, int architecture, int most)
{
    OWNED_BY(text_free) text stats = {0};

    TRY(gpu_try_compile(architecture, source->data, source->length, &stats));
    return stats.failed ? PAV_ENOMEM : check_spills(stats.data, architecture, most);
}

static bool has_kernels(const ir *code)
{
    for (int64_t n = 0; n < code->stages; n++)
        if (emit_gpu_has_kernel(code, &code->stage[n]))
            return true;
    return false;
}

/* Compiles a program with one schedule per stage (NULL: the default schedules) for some
 * architectures. */
static pav_status compile_for(const ir *code, const schedule *way,
                              const int *architecture, int count, int most)
{
    OWNED_BY(text_free) text source = {0};

    TRY(emit_gpu_source(&code, 1, way ? &way : NULL, "Kernels of a program", &source));
    if (source.failed)
        return PAV_ENOMEM;
    for (int n = 0; n < count; n++)
        TRY(compile(&source, architecture[n], most));
    return PAV_OK;
}

/* ---- as the seed says -------------------------------------------------------------- */

static pav_status compile_other(const ir *code, uint64_t seed, bool candidates,
                                schedule *other)
{
    const int architecture = gpu_generations[hash_mix(seed) % GPU_GENERATIONS];
    schedule list[EMIT_GPU_CANDIDATES];

    for (int64_t n = 0; n < code->stages; n++) {
        if (!emit_gpu_has_kernel(code, &code->stage[n]))
            continue;
        other[n] = gpu_schedule_of_seed(architecture, code, n, seed);
        if (!candidates)
            continue;
        const schedule *found =
            &list[seed % (uint64_t)emit_gpu_candidates(code, &code->stage[n], list)];
        other[n] = emit_gpu_oldest(found) <= architecture ? *found : list[0];
    }
    return compile_for(code, other, &architecture, 1, ANY);
}

/* ---- passes ------------------------------------------------------------------------ */

/* Chooses a fused schedule: a candidate for GPUs of this architecture, else a schedule
 * used only by proofs. SCHEDULE_AUTO stands for single steps. */
static pav_status pass_of(const ir *code, uint64_t seed, int architecture,
                          schedule *fused)
{
    enum { AHEAD = 2 };
    schedule list[EMIT_GPU_FUSED_CANDIDATES];
    int count;

    TRY(emit_gpu_fused_candidates(code, list, &count));
    *fused = count > 0 ? list[seed / PASS_EVERY % (uint64_t)count]
                       : gpu_fused_of_seed(architecture, code, seed);
    if (emit_gpu_oldest(fused) > architecture) {
        fused->tile.copy = COPY_ASYNC;
        fused->prefetch = AHEAD;
    }
    if (fused->kind != SCHEDULE_PERSISTENT)
        return PAV_OK;
    gpu_facts smallest = *gpu_facts_smallest();
    smallest.shared_block = gpu_architecture_of(architecture)->shared_block;
    const pav_status status = emit_gpu_fused_fit(code, &smallest, fused);
    if (status == PAV_EUNSUPPORTED)
        *fused = (schedule){0};
    return status == PAV_EUNSUPPORTED ? PAV_OK : status;
}

/* Finds whether GPUs of this architecture can run the schedule, and the number of values
 * in its source. */
static pav_status look_at(const ir *code, const schedule *requested, int architecture,
                          bool *fits, int64_t *values)
{
    OWNED_BY(emit_gpu_fused_free) emit_gpu_fused fused = {0};

    TRY(emit_gpu_fused_of(code, requested, NULL, &fused));
    *fits = fused.shared <= gpu_architecture_of(architecture)->shared_block &&
            emit_gpu_oldest(&fused.schedule) <= architecture;
    *values = fused.sweeps ? gpu_fused_values(code, &fused.schedule) : 0;
    return PAV_OK;
}

pav_status gpu_fused_compiles(const ir *code, const schedule *requested, int architecture)
{
    OWNED_BY(text_free) text source = {0};
    int64_t values;
    bool fits;

    TRY(look_at(code, requested, architecture, &fits, &values));
    TRY(emit_gpu_fused_source(&code, 1, &requested, "Passes of a program", &source));
    return fits ? compile(&source, architecture, MANY) : PAV_OK;
}

/* Replaces a schedule with a long compile time by the smallest one, or by SCHEDULE_AUTO
 * if that is too heavy, too. */
static pav_status lighten(const ir *code, int architecture, schedule *fused)
{
    enum { HEAVY = 2000 };
    const schedule least = {.kind = SCHEDULE_GPU_TIME, .tile.steps = 2};
    int64_t values;
    bool fits;

    TRY(look_at(code, fused, architecture, &fits, &values));
    if (values <= HEAVY)
        return PAV_OK;
    *fused = least;
    const pav_status status = look_at(code, fused, architecture, &fits, &values);
    if (status == PAV_EUNSUPPORTED || values > HEAVY)
        *fused = (schedule){0};
    return status == PAV_EUNSUPPORTED ? PAV_OK : status;
}

/* Compiles the default schedules of the program's stages, whole and split, then others
 * for one architecture. */
static pav_status compile_all(const ir *code, const ir *split, uint64_t seed)
{
    const int architecture = gpu_generations[hash_mix(seed) % GPU_GENERATIONS];
    schedule fused;
    bool any = false;

    OWNED_NEW(schedule, ways, int64_most(code->stages, split->stages) + 1);
    for (int64_t n = 0; n < split->stages; n++) {
        ways[n].kind = split->stage[n].part > 0 ? SCHEDULE_TWO_PASS : SCHEDULE_NONE;
        any |= split->stage[n].part > 0;
    }
    TRY(compile_for(code, NULL, gpu_generations, GPU_GENERATIONS, FEW));
    if (any)
        TRY(compile_for(split, ways, gpu_generations, GPU_GENERATIONS, ANY));
    TRY(compile_other(code, seed, true, ways));
    TRY(compile_other(code, seed, false, ways));
    if (seed % PASS_EVERY != 0)
        return PAV_OK;
    TRY(pass_of(code, seed, architecture, &fused));
    if (fused.kind != SCHEDULE_AUTO)
        TRY(lighten(code, architecture, &fused));
    return fused.kind != SCHEDULE_AUTO ? gpu_fused_compiles(code, &fused, architecture)
                                       : PAV_OK;
}

pav_status gpu_kernels_compile(const proof_case *c)
{
    OWNED_BY(free_code) ir *code = NULL, *split = NULL;

    TRY(ir_build(c->program, NULL, &code));
    TRY(ir_build(c->program, NULL, &split));
    if (split_stages_are_proved(c->seed))
        TRY(ir_split_stages(split));
    return has_kernels(code) ? compile_all(code, split, c->seed) : PAV_OK;
}
