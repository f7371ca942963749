/* SPDX-License-Identifier: BSD-3-Clause */
/* The last axis of a stack (lang/program.c). It is added after all passes, so that
 * the stages equal those of one of its programs. Reductions at the start cover only the
 * first copy. */
#include "plan/plan_private.h"

void ir_stack(ir *code)
{
    const program *p = code->program;

    code->dim = program_axes(p);
    for (int64_t n = 0; n < code->start.count && p->shots > 0; n++) {
        const int stage = code->start.item[n].stage;
        if (stage >= 0 && ir_reductions(&code->stage[stage]) > 0)
            code->stage[stage].inset[p->dim][1] = (int)p->shots - 1;
    }
}
