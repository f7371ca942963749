/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that NVRTC makes kernels of every stage, whole and in parts, on its usual schedule, for every architecture
 * that is supported, and that none of them needs more registers than there are. It takes no GPU. NVRTC 13.0 puts a few bytes
 * aside in some kernels that have registers left (4 at 48 of 255, 20 at 128, both for sm_100): those pass. */
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

static const int architectures[] = {80, 90, 100};
enum { FEW = 32 }; /* bytes that a thread may spill */

pav_status gpu_compiler_is_here(void)
{
    static const char nothing[] = "extern \"C\" __global__ void nothing() {}\n";
    text stats = {0};
    pav_status status = PAV_OK;

    for (size_t n = 0; n < COUNT_OF(architectures) && status == PAV_OK; n++)
        status = gpu_try_compile(architectures[n], nothing, sizeof nothing - 1, &stats);
    text_free(&stats);
    return status;
}

/* Of the kernel that a line tells of; FEW + 1 where it does not say. */
static long spilled(const char *line, int length)
{
    static const char word[] = " bytes spill stores";
    const char *found = strstr(line, word);

    if (!found || found > line + length)
        return FEW + 1;
    while (found > line && found[-1] >= '0' && found[-1] <= '9')
        found--;
    return strtol(found, NULL, 10);
}

pav_status kernels_have_no_spills(const char *stats, int architecture)
{
    while (stats && *stats) {
        const int length = (int)strcspn(stats, "\n");
        if (spilled(stats, length) > FEW)
            return FAIL(PAV_EINTERNAL, "for sm_%d a kernel spills registers: %.*s",
                        architecture, length, stats);
        stats += length + (stats[length] == '\n');
    }
    return PAV_OK;
}

static pav_status compile(const text *source, int architecture)
{
    text stats = {0};
    pav_status status = gpu_try_compile(architecture, source->data, source->length,
                                        &stats);

    if (status == PAV_OK)
        status = stats.failed ? PAV_ENOMEM
                              : kernels_have_no_spills(stats.data, architecture);
    text_free(&stats);
    return status;
}

static bool has_kernels(const ir *code)
{
    for (int64_t n = 0; n < code->stages; n++)
        if (emit_gpu_has_kernel(code, &code->stage[n]))
            return true;
    return false;
}

static pav_status compile_for_all(const ir *const *code, int64_t count,
                                  const emit_gpu_schedule *const *ways)
{
    text source = {0};
    pav_status status = emit_gpu_source(code, count, ways, "Kernels of a program",
                                        &source);

    if (status == PAV_OK && source.failed)
        status = PAV_ENOMEM;
    for (size_t n = 0; n < COUNT_OF(architectures) && status == PAV_OK; n++)
        status = compile(&source, architectures[n]);
    text_free(&source);
    return status;
}

/* The program as it is, and the parts that its stages have. */
static pav_status compile_both(const ir *code, const ir *parted)
{
    const ir *const both[] = {code, parted};
    emit_gpu_schedule *parts = mem_new(parted->stages + 1, sizeof *parts);
    const emit_gpu_schedule *const ways[] = {NULL, parts};

    if (!parts)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < parted->stages; n++)
        parts[n].form = parted->stage[n].part > 0 ? EMIT_GPU_TWO_PASS : EMIT_GPU_NONE;
    const pav_status status = compile_for_all(both, COUNT_OF(both), ways);
    mem_free(parts);
    return status;
}

pav_status gpu_kernels_compile(const proof_case *c)
{
    ir *code = NULL, *parted = NULL;
    pav_status status = ir_build(c->program, NULL, &code);

    if (status == PAV_OK)
        status = ir_build(c->program, NULL, &parted);
    if (status == PAV_OK && parts_are_proved(c->seed))
        status = ir_part(parted);
    if (status == PAV_OK && has_kernels(code))
        status = compile_both(code, parted);
    ir_free(code);
    ir_free(parted);
    return status;
}
