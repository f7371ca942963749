/* SPDX-License-Identifier: BSD-3-Clause */
/* A program by a schedule: whether it can go so, on which machine, and the text of its
 * kernels: of stages for single steps of a GPU, of a fused launch for several; on
 * processors one text serves all. */
#include "codegen/codegen_private.h"

static pav_status accept_all(const ir *code, const schedule *s, const gpu_facts *machine,
                             text *why)
{
    (void)code;
    (void)s;
    (void)machine;
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

typedef struct emitter {
    pav_status (*accept)(const ir *code, const schedule *s, const gpu_facts *machine,
                         text *why);
    pav_status (*emit)(const ir *code, const schedule *s, const char *head, text *t);
} emitter;

#define CPU_SINGLE                                                                       \
    {                                                                                    \
        accept_all, host_emit                                                            \
    }
#define CPU_FUSED                                                                        \
    {                                                                                    \
        host_accept_time, host_emit                                                      \
    }
#define GPU_SINGLE                                                                       \
    {                                                                                    \
        cuda_accept_stages, cuda_emit_stages                                             \
    }
#define GPU_FUSED                                                                        \
    {                                                                                    \
        cuda_accept_launch, cuda_emit_launch                                             \
    }
#define ROW(kind, name, on, steps, options, emitter, model)                              \
    [SCHEDULE_##kind] = on##_##steps,
static const emitter table[SCHEDULE_KINDS] = {
    [SCHEDULE_AUTO] = {accept_all, cuda_emit_stages}, SCHEDULE_TABLE(ROW)};

pav_status emit_legal(const ir *code, const schedule *s, const gpu_facts *machine,
                      text *why)
{
    TRY(table[s->kind].accept(code, s, machine, why));
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

pav_status emit_split_stages(ir *code, const schedule *s)
{
    const cuda_kind *of = cuda_kind_of(s->kind);

    return of->split ? of->split(code) : PAV_OK;
}

pav_status emit_program(const ir *code, const schedule *s, const char *head, text *t)
{
    return table[s->kind].emit(code, s, head, t);
}
