/* SPDX-License-Identifier: BSD-3-Clause */
/* A schedule requested for a whole program. Stages without neighbours to share, and
 * reductions, use their default. But some stage of the step must use the requested
 * schedule, and no stage may contradict its settings. */
#include "codegen/codegen_private.h"

static void refuse(const ir_stage *stage, const char *reason, text *why)
{
    text_add(why, "stage %s: %s", stage->name ? stage->name : "without a name", reason);
}

/* Writes to `why` the machine's missing property for a stage whose nature allows the
 * schedule. */
pav_status emit_gpu_machine_lack(const ir *code, const ir_stage *stage,
                                 const schedule *requested, const gpu_facts *machine,
                                 text *why)
{
    emit_gpu_kernel k;

    TRY(emit_gpu_kernel_of(code, stage, requested, &k));
    const int64_t bytes = k.shared + k.fixed;
    if (k.parts > 0 && machine->no_tensors)
        text_add(why, "%s", machine->no_tensors);
    else if (bytes > machine->shared_block)
        text_add(why, "a block takes %lld bytes of shared memory, and has %d",
                 (long long)bytes, machine->shared_block);
    emit_gpu_kernel_free(&k);
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

static void check_steps(const ir *code, const schedule *requested, text *why)
{
    const ir_stage *left = NULL;
    bool any = false;

    for (int64_t n = 0; n < code->stages && why->length == 0; n++) {
        const ir_stage *stage = &code->stage[n];
        if (!emit_gpu_has_kernel(code, stage))
            continue;
        const bool lacks = emit_gpu_lack(code, stage, requested) != NULL;
        const char *reason = lacks ? NULL : emit_gpu_refusal(code, stage, requested);
        if (reason)
            refuse(stage, reason, why);
        left = lacks ? stage : left;
        any |= !lacks && cuda_is_listed(code, stage);
    }
    if (!any && left && why->length == 0)
        refuse(left, emit_gpu_lack(code, left, requested), why);
}

static bool has_numbers(const ir *code, const ir_stage *stage, const schedule *requested)
{
    emit_gpu_kernel k;

    if (emit_gpu_kernel_of(code, stage, requested, &k) != PAV_OK)
        return true; /* the caller that makes it reports the error */
    const bool any = k.number_bytes > 0;
    emit_gpu_kernel_free(&k);
    return any;
}

/* True if `has` holds for some stage with the requested schedule. */
static bool any_stage(const ir *code, const schedule *requested,
                      bool has(const ir *, const ir_stage *, const schedule *))
{
    for (int64_t n = 0; n < code->stages; n++) {
        const ir_stage *stage = &code->stage[n];
        if (emit_gpu_has_kernel(code, stage) && !emit_gpu_lack(code, stage, requested) &&
            has(code, stage, requested))
            return true;
    }
    return false;
}

static bool has_ghosts(const ir *code, const ir_stage *stage, const schedule *requested)
{
    schedule fused = *requested;

    fused.ghosts = GHOSTS_FUSED;
    const schedule s = cuda_with_defaults(code, stage, &fused);
    return cuda_stores_ghosts(code, stage, &s);
}

static void check_settings(const ir *code, const schedule *requested, text *why)
{
    if (why->length > 0)
        return;
    if (requested->ghosts == GHOSTS_SEPARATE && !any_stage(code, requested, has_ghosts))
        text_add(why, "no kernel of this program would store ghosts: leave out "
                      "ghosts=separate");
    else if (requested->coefficients != UNIFORMS_DEFAULT &&
             !any_stage(code, requested, has_numbers))
        text_add(why,
                 "all numbers of this program are literals of its kernels: leave out "
                 "coefficients");
}

static pav_status check_machine(const ir *code, const schedule *requested,
                                const gpu_facts *machine, text *why)
{
    text lack = {0};
    pav_status status = PAV_OK;

    for (int64_t n = 0; n < code->stages && status == PAV_OK && lack.length == 0; n++) {
        const ir_stage *stage = &code->stage[n];
        const schedule own = emit_gpu_schedule_of(code, n, requested);
        if (!emit_gpu_has_kernel(code, stage) || emit_gpu_is_open(&own))
            continue;
        status = emit_gpu_machine_lack(code, stage, &own, machine, &lack);
        if (lack.length > 0)
            refuse(stage, lack.data, why);
    }
    text_free(&lack);
    return status;
}

pav_status cuda_accept_stages(const ir *code, const schedule *s, const gpu_facts *machine,
                              text *why)
{
    check_steps(code, s, why);
    check_settings(code, s, why);
    return machine && why->length == 0 ? check_machine(code, s, machine, why) : PAV_OK;
}

/* Rows without padding have no vectors, and sweeps read vectors. */
schedule emit_gpu_schedule_of(const ir *code, int64_t stage, const schedule *requested)
{
    if (!emit_gpu_lack(code, &code->stage[stage], requested))
        return *requested;
    return (schedule){.kind = requested->plain ? SCHEDULE_POINT : SCHEDULE_AUTO,
                      .plain = requested->plain};
}
