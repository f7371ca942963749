/* SPDX-License-Identifier: BSD-3-Clause */
/* A schedule that is asked for of a whole program. What reduces, or has no neighbours to share, has no part in it and goes
 * as is usual; but some stage of the step has to go by what was asked for, and none may stand against its settings. */
#include "codegen/codegen_private.h"

static pav_status refuse(const char *name, const ir_stage *stage, const char *why)
{
    return FAIL(PAV_EUNSUPPORTED, "the schedule %s cannot be: stage %s: %s", name,
                stage->name ? stage->name : "without a name", why);
}

static pav_status check_steps(const ir *code, const char *name,
                              const emit_gpu_schedule *requested)
{
    const ir_stage *left = NULL;
    bool any = false;

    for (int64_t n = 0; n < code->stages; n++) {
        const ir_stage *stage = &code->stage[n];
        if (!emit_gpu_has_kernel(code, stage))
            continue;
        const bool lacks = emit_gpu_lack(code, stage, requested) != NULL;
        const char *why = lacks ? NULL : emit_gpu_refusal(code, stage, requested);
        if (why)
            return refuse(name, stage, why);
        left = lacks ? stage : left;
        any |= !lacks && cuda_is_listed(code, stage);
    }
    return any || !left ? PAV_OK
                        : refuse(name, left, emit_gpu_lack(code, left, requested));
}

static bool has_numbers(const ir *code, const ir_stage *stage,
                        const emit_gpu_schedule *requested)
{
    emit_gpu_kernel k;

    if (emit_gpu_kernel_of(code, stage, requested, &k) != PAV_OK)
        return true; /* which is told where it is made */
    const bool any = k.number_bytes > 0;
    emit_gpu_kernel_free(&k);
    return any;
}

/* Whether some stage that goes by the schedule has what a setting is about. */
static bool any_stage(const ir *code, const emit_gpu_schedule *requested,
                      bool has(const ir *, const ir_stage *, const emit_gpu_schedule *))
{
    for (int64_t n = 0; n < code->stages; n++) {
        const ir_stage *stage = &code->stage[n];
        if (emit_gpu_has_kernel(code, stage) && !emit_gpu_lack(code, stage, requested) &&
            has(code, stage, requested))
            return true;
    }
    return false;
}

static bool has_ghosts(const ir *code, const ir_stage *stage,
                       const emit_gpu_schedule *requested)
{
    emit_gpu_schedule beside = *requested;

    beside.apart = false;
    const emit_gpu_schedule s = cuda_with_defaults(code, stage, &beside);
    return cuda_stores_ghosts(code, stage, &s);
}

static pav_status check_settings(const ir *code, const char *name,
                                 const emit_gpu_schedule *requested)
{
    if (requested->apart && !any_stage(code, requested, has_ghosts))
        return FAIL(PAV_EUNSUPPORTED,
                    "the schedule %s cannot be: no kernel of this program would store "
                    "ghosts: leave out ghosts=separate",
                    name);
    if (requested->coefficients != EMIT_GPU_PLACE_DEFAULT &&
        !any_stage(code, requested, has_numbers))
        return FAIL(PAV_EUNSUPPORTED,
                    "the schedule %s cannot be: all numbers of this program are literals "
                    "of its kernels: leave out coefficients",
                    name);
    return PAV_OK;
}

pav_status emit_gpu_schedule_for(const ir *code, const char *name, emit_gpu_schedule *s)
{
    TRY(emit_gpu_schedule_find(name, s));
    if (s->kind == EMIT_GPU_DEFAULT || emit_gpu_fuses_steps(s))
        return PAV_OK;
    TRY(check_steps(code, name, s));
    return check_settings(code, name, s);
}

/* Rows without padding have no packs, which walks read. */
emit_gpu_schedule emit_gpu_schedule_of(const ir *code, int64_t stage,
                                       const emit_gpu_schedule *requested)
{
    if (!emit_gpu_lack(code, &code->stage[stage], requested))
        return *requested;
    return (emit_gpu_schedule){.kind = requested->plain ? EMIT_GPU_POINT
                                                        : EMIT_GPU_DEFAULT,
                               .plain = requested->plain};
}
