/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages with different names but equal text share one compiled kernel. Examples are the
 * stages of a multigrid cycle on each of its grids, and the borders of their fields.
 * Their texts are compared after printing without names. */
#include <string.h>

#include "codegen/codegen_private.h"

typedef struct search {
    const ir *const *code;
    int64_t programs;
    emit_shared_has *has;
    emit_shared_print *print;
    void *user;
    emit_shared_kernels *shared;
} search;

static int64_t count_kernels(const search *s)
{
    int64_t count = 0;

    for (int64_t p = 0; p < s->programs; p++)
        for (int64_t n = 0; s->code[p] && n < s->code[p]->stages; n++)
            count += s->has(s->user, p, n);
    return count;
}

static pav_status find_text(const search *s, emit_shared_kernel *k)
{
    TRY(s->print(s->user, k->program, k->stage, &k->nameless));
    if (k->nameless.failed)
        return FAIL(PAV_ENOMEM, "memory ran out while a kernel was being written");
    k->key = hash_bytes(k->nameless.data, k->nameless.length);
    return PAV_OK;
}

static bool is_like(const emit_shared_kernel *a, const emit_shared_kernel *b)
{
    return a->key == b->key && a->nameless.length > 0 &&
           a->nameless.length == b->nameless.length &&
           memcmp(a->nameless.data, b->nameless.data, (size_t)a->nameless.length) == 0;
}

static void find_first(const emit_shared_kernels *t, int64_t number)
{
    emit_shared_kernel *k = &t->kernel[number];

    k->first = number;
    for (int64_t n = 0; n < number && k->first == number; n++)
        if (t->kernel[n].first == n && is_like(&t->kernel[n], k))
            k->first = n;
    t->kernel[k->first].uses++;
    if (k->first != number)
        text_free(&k->nameless);
}

static pav_status find_all(const search *s)
{
    emit_shared_kernels *t = s->shared;

    for (int64_t p = 0; p < s->programs; p++)
        for (int64_t n = 0; s->code[p] && n < s->code[p]->stages; n++) {
            if (!s->has(s->user, p, n))
                continue;
            t->kernel[t->count] = (emit_shared_kernel){.program = p, .stage = n};
            TRY(find_text(s, &t->kernel[t->count++]));
            find_first(t, t->count - 1);
        }
    return PAV_OK;
}

pav_status emit_shared_kernels_find(const ir *const *code, int64_t count,
                                    emit_shared_has *has, emit_shared_print *print,
                                    void *user, emit_shared_kernels *shared)
{
    const search s = {code, count, has, print, user, shared};

    *shared = (emit_shared_kernels){0};
    shared->kernel = mem_new(count_kernels(&s) + 1, sizeof *shared->kernel);
    const pav_status status = shared->kernel ? find_all(&s) : PAV_ENOMEM;
    for (int64_t k = 0; k < shared->count; k++)
        text_free(&shared->kernel[k].nameless);
    if (status != PAV_OK)
        emit_shared_kernels_free(shared);
    return status;
}

void emit_shared_kernels_first(const emit_shared_kernels *t, int64_t *which,
                               int64_t *stage)
{
    for (int64_t k = 0; k < t->count; k++) {
        const emit_shared_kernel *own = &t->kernel[k], *first = &t->kernel[own->first];
        if (own->program != *which || own->stage != *stage)
            continue;
        *which = first->program;
        *stage = first->stage;
        return;
    }
}

void emit_shared_kernels_free(emit_shared_kernels *t)
{
    mem_free(t->kernel);
    *t = (emit_shared_kernels){0};
}
