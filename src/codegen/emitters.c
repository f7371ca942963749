/* SPDX-License-Identifier: BSD-3-Clause */
/* A program by a schedule: whether it can go so, on which machine, and the text of its
 * kernels, as the emitter says that the schedule has in SCHEDULE_TABLE. */
#include "codegen/codegen_private.h"

/* Each stage by its default. */
static const emitter stages_by_default = {.emit = cuda_emit_stages};

#define ROW(kind, name, on, steps, options, entry, model) [SCHEDULE_##kind] = &(entry),
static const emitter *const table[SCHEDULE_KINDS] = {[SCHEDULE_AUTO] = &stages_by_default,
                                                     SCHEDULE_TABLE(ROW)};

const emitter *emitter_of(schedule_kind kind)
{
    return table[kind];
}

pav_status emit_legal(const ir *code, const schedule *s, const gpu_facts *machine,
                      text *why)
{
    if (table[s->kind]->accept)
        TRY(table[s->kind]->accept(code, s, machine, why));
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
    return table[s->kind]->split ? table[s->kind]->split(code) : PAV_OK;
}

pav_status emit_program(const ir *code, const schedule *s, const char *head, text *t)
{
    return table[s->kind]->emit(code, s, head, t);
}
