/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole source: the prelude once, then the kernels of each program, which are written first, since they tell what the
 * prelude has to hold. */
#include <stdio.h>

#include "codegen/codegen_private.h"

void emit_kernel_name(char name[EMIT_NAME], int64_t which, int64_t stage)
{
    (void)snprintf(name, EMIT_NAME, "pav_%lld_%lld", (long long)which, (long long)stage);
}

static pav_status add_stage(const ir *code, int64_t which, int64_t number, bool *holds,
                            text *t)
{
    emit_stage e;

    TRY(emit_survey(code, &code->stage[number], &e));
    e.program = which;
    e.number = number;
    e.t = t;
    const pav_status status = emit_kernel_text(&e);
    *holds |= e.holds;
    emit_survey_close(&e);
    return status;
}

static pav_status add_stages(const ir *const *code, int64_t count, bool *holds, text *t)
{
    for (int64_t p = 0; p < count; p++)
        for (int64_t s = 0; code[p] && s < code[p]->stages; s++)
            if (emit_has_kernel(&code[p]->stage[s]))
                TRY(add_stage(code[p], p, s, holds, t));
    return PAV_OK;
}

pav_status emit_source(const ir *const *code, int64_t count, const char *head, text *t)
{
    text kernels = {0};
    bool holds = false;
    const pav_status status = add_stages(code, count, &holds, &kernels);

    text_add(t, "/* ");
    emit_plain(head, t);
    text_add(t, " */\n");
    emit_prelude(code, count, holds, t);
    text_add_bytes(t, kernels.data, kernels.length);
    const bool failed = t->failed || kernels.failed;
    text_free(&kernels);
    TRY(status);
    return failed ? FAIL(PAV_ENOMEM, "memory ran out while C was being written") : PAV_OK;
}
