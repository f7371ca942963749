/* SPDX-License-Identifier: BSD-3-Clause */
/* A program by a schedule: whether it can go so, on which machine, and the text of its
 * kernels. The kinds are rows of gpu/cuda_kinds.c (single steps) and of
 * gpu/time/cuda_fused_source.c (fused launches); on processors one text serves all. */
#include "codegen/codegen_private.h"

static pav_status accept_time_blocks(const ir *code, text *why)
{
    ir_blocking b;

    TRY(ir_blocking_open(code, NULL, &b));
    if (b.refusal)
        text_add(why, "%s", b.refusal);
    ir_blocking_close(&b);
    return PAV_OK;
}

static pav_status accept(const ir *code, const schedule *s, const gpu_facts *machine,
                         text *why)
{
    if (s->kind == SCHEDULE_CPU_TIME)
        return accept_time_blocks(code, why);
    if (schedule_fuses_steps(s))
        return cuda_accept_launch(code, s, machine, why);
    return schedule_is_of_gpus(s->kind) ? cuda_accept_stages(code, s, machine, why)
                                        : PAV_OK;
}

pav_status emit_legal(const ir *code, const schedule *s, const gpu_facts *machine,
                      text *why)
{
    TRY(accept(code, s, machine, why));
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

pav_status emit_check(const ir *code, const schedule *s)
{
    char string[SCHEDULE_STRING];
    text why = {0};
    pav_status status = emit_legal(code, s, NULL, &why);

    if (status == PAV_OK && why.length > 0)
        status = schedule_fuses_steps(s)
                     ? FAIL(PAV_EUNSUPPORTED,
                            "%s cannot take several steps in one launch: %s",
                            code->program->name, why.data)
                     : FAIL(PAV_EUNSUPPORTED, "the schedule %s cannot be: %s",
                            schedule_string(s, string), why.data);
    text_free(&why);
    return status;
}

static pav_status print_stages(const ir *code, const schedule *all, const char *head,
                               text *t)
{
    schedule *of_stage = mem_new(code->stages + 1, sizeof *of_stage);
    const schedule *const list[] = {of_stage};

    for (int64_t k = 0; of_stage && k < code->stages; k++)
        of_stage[k] = emit_gpu_schedule_of(code, k, all);
    const pav_status status = of_stage ? emit_gpu_source(&code, 1, list, head, t)
                                       : PAV_ENOMEM;
    mem_free(of_stage);
    return status;
}

pav_status emit_gpu_program(const ir *code, const schedule *s, const char *head, text *t)
{
    return schedule_fuses_steps(s) ? emit_gpu_fused_source(&code, 1, &s, head, t)
                                   : print_stages(code, s, head, t);
}
