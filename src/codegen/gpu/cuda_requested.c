/* SPDX-License-Identifier: BSD-3-Clause */
/* A schedule that is asked for of a whole program. What reduces, or has no neighbours to share, has no part in it and goes
 * as is usual; but some stage of the step has to go by what was asked for, and none may stand against its settings. */
#include "codegen/codegen_private.h"

static pav_status refuse(const schedule *requested, const ir_stage *stage,
                         const char *why)
{
    char string[SCHEDULE_STRING];

    return FAIL(PAV_EUNSUPPORTED, "the schedule %s cannot be: stage %s: %s",
                schedule_string(requested, string),
                stage->name ? stage->name : "without a name", why);
}

static pav_status check_steps(const ir *code, const schedule *requested)
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
            return refuse(requested, stage, why);
        left = lacks ? stage : left;
        any |= !lacks && cuda_is_listed(code, stage);
    }
    return any || !left ? PAV_OK
                        : refuse(requested, left, emit_gpu_lack(code, left, requested));
}

static bool has_numbers(const ir *code, const ir_stage *stage, const schedule *requested)
{
    emit_gpu_kernel k;

    if (emit_gpu_kernel_of(code, stage, requested, &k) != PAV_OK)
        return true; /* which is told where it is made */
    const bool any = k.number_bytes > 0;
    emit_gpu_kernel_free(&k);
    return any;
}

/* Whether some stage that goes by the schedule has what a setting is about. */
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
    schedule beside = *requested;

    beside.separate_ghosts = false;
    const schedule s = cuda_with_defaults(code, stage, &beside);
    return cuda_stores_ghosts(code, stage, &s);
}

static pav_status check_settings(const ir *code, const schedule *requested)
{
    char string[SCHEDULE_STRING];
    const char *name = schedule_string(requested, string);

    if (requested->separate_ghosts && !any_stage(code, requested, has_ghosts))
        return FAIL(PAV_EUNSUPPORTED,
                    "the schedule %s cannot be: no kernel of this program would store "
                    "ghosts: leave out ghosts=separate",
                    name);
    if (requested->coefficients != UNIFORMS_DEFAULT &&
        !any_stage(code, requested, has_numbers))
        return FAIL(PAV_EUNSUPPORTED,
                    "the schedule %s cannot be: all numbers of this program are literals "
                    "of its kernels: leave out coefficients",
                    name);
    return PAV_OK;
}

pav_status emit_gpu_check(const ir *code, const schedule *requested)
{
    if (requested->kind == SCHEDULE_AUTO || schedule_fuses_steps(requested))
        return PAV_OK;
    TRY(check_steps(code, requested));
    return check_settings(code, requested);
}

bool emit_gpu_is_open(const schedule *s)
{
    const schedule bare = {.kind = s->kind};

    return s->kind == SCHEDULE_AUTO || schedule_fuses_steps(s) ||
           (s->kind == SCHEDULE_TWO_PASS && schedule_is_same(s, &bare));
}

pav_status emit_gpu_split_stages(ir *code, const schedule *s)
{
    return s->kind == SCHEDULE_TWO_PASS ? ir_split_stages(code) : PAV_OK;
}

/* Rows without padding have no packs, which walks read. */
schedule emit_gpu_schedule_of(const ir *code, int64_t stage, const schedule *requested)
{
    if (!emit_gpu_lack(code, &code->stage[stage], requested))
        return *requested;
    return (schedule){.kind = requested->plain ? SCHEDULE_POINT : SCHEDULE_AUTO,
                      .plain = requested->plain};
}
