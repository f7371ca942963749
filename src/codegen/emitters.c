/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of schedules as codegen knows them, a row each: whether a program can go by one,
 * on which machine, and who prints its kernels. */
#include "codegen/gpu/time/fused_private.h"

static pav_status accept_all(const ir *code, const schedule *s, const gpu_facts *machine,
                             text *why)
{
    (void)code;
    (void)s;
    (void)machine;
    (void)why;
    return PAV_OK;
}

static pav_status accept_time_blocks(const ir *code, const schedule *s,
                                     const gpu_facts *machine, text *why)
{
    ir_blocking b;

    (void)s;
    (void)machine;
    TRY(ir_blocking_open(code, NULL, &b));
    if (b.refusal)
        text_add(why, "%s", b.refusal);
    ir_blocking_close(&b);
    return PAV_OK;
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

static pav_status print_launch(const ir *code, const schedule *all, const char *head,
                               text *t)
{
    return emit_gpu_fused_source(&code, 1, &all, head, t);
}

/* On processors one text serves all kinds. TWO_PASS is a sweep of each part of a stage. */
#define SWEEPS                                                                           \
    .accepts = cuda_accept_stages, .print = print_stages, .stage = cuda_sweep_text,      \
    .settle = cuda_settle_sweep, .refusal = cuda_sweep_settings,                         \
    .extent = cuda_extent_sweep
static const emitter table[SCHEDULE_KINDS] = {
    [SCHEDULE_AUTO] = {.accepts = accept_all, .print = print_stages},
    [SCHEDULE_ROWS] = {.accepts = accept_all},
    [SCHEDULE_BLOCKS] = {.accepts = accept_all},
    [SCHEDULE_CPU_TIME] = {.accepts = accept_time_blocks},
    [SCHEDULE_POINT] = {.accepts = cuda_accept_stages,
                        .print = print_stages,
                        .stage = cuda_point_text,
                        .settle = cuda_settle_point,
                        .extent = cuda_extent_point},
    [SCHEDULE_SWEEP] = {SWEEPS},
    [SCHEDULE_TWO_PASS] = {SWEEPS},
    [SCHEDULE_GPU_TIME] = {.accepts = cuda_accept_launch,
                           .print = print_launch,
                           .launch = cuda_fused_text},
    [SCHEDULE_PERSISTENT] = {.accepts = cuda_accept_launch,
                             .print = print_launch,
                             .launch = cuda_persistent_text},
};

const emitter *emitter_of(schedule_kind kind)
{
    return &table[kind];
}

pav_status emit_legal(const ir *code, const schedule *s, const gpu_facts *machine,
                      text *why)
{
    TRY(table[s->kind].accepts(code, s, machine, why));
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

pav_status emit_gpu_program(const ir *code, const schedule *s, const char *head, text *t)
{
    return table[s->kind].print(code, s, head, t);
}
