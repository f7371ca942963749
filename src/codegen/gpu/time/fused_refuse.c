/* SPDX-License-Identifier: BSD-3-Clause */
/* Refusals of fused launches: the first reason is kept. */
#include <stdarg.h>
#include <stdio.h>

#include "codegen/gpu/time/fused_private.h"

void fused_refuse(fused_plan *p, const char *why, const char *name)
{
    if (p->refusal)
        return;
    (void)snprintf(p->said, sizeof p->said, why, name ? name : "");
    p->refusal = p->said;
}

void fused_refuse_with(fused_plan *p, const char *format, ...)
{
    va_list list;

    if (p->refusal)
        return;
    va_start(list, format);
    (void)vsnprintf(p->said, sizeof p->said, format, list);
    va_end(list);
    p->refusal = p->said;
}

bool fused_stores(const ir_stage *s, int field)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind == IR_STORE && s->output[k].field == field)
            return true;
    return false;
}
