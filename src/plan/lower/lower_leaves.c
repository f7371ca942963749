/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers shared by all of lowering: errors, names of stages, the depth of expressions,
 * single nodes. */
#include <stdio.h>

#include "plan/plan_private.h"

enum {
    MOST_DEPTH = 6000, /* of expressions with their lets expanded */
};

void lower_fail(lowering *l, pav_status status, const char *format, ...)
{
    char sentence[512];
    va_list list;

    va_start(list, format);
    (void)vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    arena_fail(l->arena, status, "%s:%d:%d: %s", l->program->name, l->at.line,
               l->at.column, sentence);
}

static const char *take_scratch(lowering *l)
{
    if (l->scratch->failed)
        lower_fail(l, PAV_ENOMEM, "memory ran out while an expression was written down");
    return arena_copy(l->arena, l->scratch->data, (size_t)l->scratch->length);
}

const char *lower_text(lowering *l, const expr *e)
{
    text_free(l->scratch);
    expr_print(e, l->scratch);
    if (l->program->upright && !l->scratch->failed)
        upright_swap(l->scratch->data, l->scratch->length);
    return take_scratch(l);
}

const char *lower_digits(lowering *l, num value)
{
    text_free(l->scratch);
    num_print(l->scratch, value);
    return take_scratch(l);
}

void lower_enter(lowering *l)
{
    if (++l->depth > MOST_DEPTH)
        lower_fail(l, PAV_ELIMIT,
                   "with its lets put in, an expression is nested more than %d deep",
                   MOST_DEPTH);
}

void lower_leave(lowering *l)
{
    l->depth--;
}

int lower_op(lowering *l, ir_op op, int a0, int a1)
{
    return build_op(&l->draft->build, op, a0, a1, -1);
}

int lower_const(lowering *l, num value)
{
    return build_const(&l->draft->build, value);
}
