/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole source: the prelude once, then the kernels of each program. The kernels are
 * printed first, because they determine the prelude.
 *
 * Stages with equal text but for names share one kernel. Shared kernels get the program
 * number after the last program, and each stage has an entry that calls its shared
 * kernel. */
#include <stdio.h>

#include "codegen/codegen_private.h"

typedef struct source {
    const ir *const *code;
    int64_t programs;
    emit_shared_kernels shared;
    bool holds;
    text *t;
    text_pieces pieces; /* from the first kernel on */
} source;

void emit_kernel_name(char name[EMIT_NAME], int64_t which, int64_t stage)
{
    (void)snprintf(name, EMIT_NAME, "pav_%lld_%lld", (long long)which, (long long)stage);
}

static bool has_kernel(const void *user, int64_t which, int64_t stage)
{
    const source *s = user;

    return emit_has_kernel(&s->code[which]->stage[stage]);
}

static pav_status survey(const source *s, const emit_shared_kernel *k, emit_stage *e)
{
    const ir *code = s->code[k->program];

    TRY(emit_survey(code, &code->stage[k->stage], e));
    e->program = k->program;
    e->number = k->stage;
    e->t = s->t;
    return PAV_OK;
}

static pav_status add_text(source *s, emit_stage *e)
{
    const pav_status status = emit_kernel_text(e);

    s->holds |= e->holds;
    return status;
}

static pav_status add_nameless(source *s, const emit_shared_kernel *k, int64_t number,
                               text *t)
{
    emit_stage e;

    TRY(survey(s, k, &e));
    e.program = s->programs;
    e.number = number;
    e.nameless = true;
    e.t = t;
    const pav_status status = add_text(s, &e);
    emit_survey_close(&e);
    return status;
}

static pav_status print_unnamed(void *user, int64_t which, int64_t stage, text *t)
{
    source s = *(const source *)user;

    return add_nameless(&s, &(emit_shared_kernel){.program = which, .stage = stage}, 0,
                        t);
}

static pav_status add_entry(source *s, const emit_shared_kernel *k)
{
    const bool shared = s->shared.kernel[k->first].uses > 1;
    emit_stage e;

    TRY(survey(s, k, &e));
    pav_status status = PAV_OK;
    if (shared)
        emit_call_shared(&e, s->programs, k->first);
    else
        status = add_text(s, &e);
    emit_survey_close(&e);
    return status;
}

/* A shared kernel, then the entry of each of its stages; or the kernel of a single
 * stage. */
static pav_status add_kernel(source *s, int64_t first)
{
    const emit_shared_kernels *all = &s->shared;

    if (all->kernel[first].uses > 1)
        TRY(add_nameless(s, &all->kernel[first], first, s->t));
    for (int64_t k = first; k < all->count; k++)
        if (all->kernel[k].first == first)
            TRY(add_entry(s, &all->kernel[k]));
    s->pieces.end[s->pieces.count++] = s->t->length;
    return PAV_OK;
}

static pav_status add_kernels(source *s)
{
    TRY(emit_shared_kernels_find(s->code, s->programs, has_kernel, print_unnamed, s,
                                 &s->shared));
    s->pieces.end = mem_new(s->shared.count + 1, sizeof *s->pieces.end);
    if (!s->pieces.end)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < s->shared.count; k++)
        if (s->shared.kernel[k].first == k)
            TRY(add_kernel(s, k));
    return PAV_OK;
}

static void hand_over(text_pieces *own, int64_t head, text_pieces *pieces)
{
    own->head = head;
    for (int64_t k = 0; k < own->count; k++)
        own->end[k] += head;
    if (pieces)
        *pieces = *own;
    else
        mem_free(own->end);
}

pav_status emit_source(const ir *const *code, int64_t count, const char *head, text *t,
                       text_pieces *pieces)
{
    text kernels = {0};
    source s = {.code = code, .programs = count, .t = &kernels};
    const pav_status status = add_kernels(&s);

    emit_shared_kernels_free(&s.shared);
    text_add(t, "/* ");
    emit_plain(head, t);
    text_add(t, " */\n");
    const int64_t begin = t->length;
    emit_prelude(code, count, s.holds, t);
    const int64_t end = t->length;
    text_add_bytes(t, kernels.data, kernels.length);
    const pav_status pruned = emit_prune(t, begin, end);
    hand_over(&s.pieces, t->length - kernels.length, pieces);
    const bool failed = t->failed || kernels.failed;
    text_free(&kernels);
    TRY(status);
    TRY(pruned);
    return failed ? FAIL(PAV_ENOMEM, "memory ran out while C was being written") : PAV_OK;
}
