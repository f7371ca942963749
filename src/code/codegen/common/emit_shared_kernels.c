/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages with different names but equal text share one compiled kernel. Examples are the
 * stages of a multigrid cycle on each of its grids, and the borders of their fields.
 * Their texts are compared after printing without names. */
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen_private.h"

typedef struct search {
    const ir *const *code;
    int64_t programs;
    emit_shared_has *has_kernel;
    emit_shared_same *same;
    emit_shared_print *print;
    void *user;
    emit_shared_kernels *shared;
} search;

static int64_t count_kernels(const search *s)
{
    int64_t count = 0;

    for (int64_t p = 0; p < s->programs; p++)
        for (int64_t n = 0; s->code[p] && n < s->code[p]->stages; n++)
            count += s->has_kernel(s->user, p, n);
    return count;
}

static void find_first(const emit_shared_kernels *t, int64_t number)
{
    emit_shared_kernel *k = &t->kernel[number];

    k->first = number;
    for (int64_t n = 0; n < number && k->first == number; n++)
        if (t->kernel[n].first == n &&
            (t->kernel[n].key == k->key && t->kernel[n].nameless.length > 0 &&
             t->kernel[n].nameless.length == k->nameless.length &&
             memcmp(t->kernel[n].nameless.data, k->nameless.data,
                    (size_t)t->kernel[n].nameless.length) == 0))
            k->first = n;
    t->kernel[k->first].uses++;
    if (k->first != number)
        text_free(&k->nameless);
}

/* Stages that are alike (ir_known) have equal texts, so one of them is printed.
 * kernel[stage]: its number in the list, from 1; 0: none. */
static pav_status find_of(const search *s, int64_t p, int64_t *kernel)
{
    emit_shared_kernels *t = s->shared;
    const ir *code = s->code[p];

    for (int64_t n = 0; n < code->stages; n++) {
        if (!s->has_kernel(s->user, p, n))
            continue;
        const int64_t like = ir_known_of(code, &code->stage[n])->like;
        const int64_t first = kernel[like] > 0 ? t->kernel[kernel[like] - 1].first : 0;
        emit_shared_kernel *k = &t->kernel[t->count];
        *k = (emit_shared_kernel){.program = p, .stage = n, .first = first};
        kernel[n] = ++t->count;
        if (like < n && kernel[like] > 0 && t->kernel[first].nameless.length > 0 &&
            s->same(s->user, p, like, n)) {
            t->kernel[first].uses++;
            continue;
        }
        TRY(s->print(s->user, k->program, k->stage, &k->nameless));
        if (k->nameless.failed)
            return FAIL(PAV_ENOMEM, "memory ran out while a kernel was being written");
        if (k->nameless.length > 0)
            k->key = hash_bytes(k->nameless.data, k->nameless.length);
        find_first(t, t->count - 1);
    }
    return PAV_OK;
}

static pav_status find_all(const search *s)
{
    for (int64_t p = 0; p < s->programs; p++) {
        OWNED_NEW(int64_t, kernel, s->code[p] ? s->code[p]->stages + 1 : 1);
        TRY(s->code[p] ? find_of(s, p, kernel) : PAV_OK);
    }
    return PAV_OK;
}

pav_status emit_shared_kernels_find(const ir *const *code, int64_t count,
                                    emit_shared_has *has_kernel, emit_shared_same *same,
                                    emit_shared_print *print, void *user,
                                    emit_shared_kernels *shared)
{
    const search s = {code, count, has_kernel, same, print, user, shared};

    *shared = (emit_shared_kernels){0};
    shared->kernel = mem_new(count_kernels(&s) + 1, sizeof *shared->kernel);
    const pav_status status = shared->kernel ? find_all(&s) : PAV_ENOMEM;
    for (int64_t k = 0; k < shared->count; k++)
        text_free(&shared->kernel[k].nameless);
    if (status != PAV_OK)
        emit_shared_kernels_free(shared);
    return status;
}

/* The order of the list. */
static int by_stage(const void *a, const void *b)
{
    const emit_shared_kernel *x = a, *y = b;

    return x->program != y->program
               ? (x->program > y->program) - (x->program < y->program)
               : (x->stage > y->stage) - (x->stage < y->stage);
}

const emit_shared_kernel *emit_shared_kernels_first(const emit_shared_kernels *t,
                                                    int64_t which, int64_t stage)
{
    const emit_shared_kernel key = {.program = which, .stage = stage};
    const emit_shared_kernel *own = t->count > 0
                                        ? bsearch(&key, t->kernel, (size_t)t->count,
                                                  sizeof key, by_stage)
                                        : NULL;

    return own ? &t->kernel[own->first] : NULL;
}

void emit_shared_kernels_name(const emit_shared_kernels *t, int64_t which, int64_t stage,
                              char name[EMIT_NAME])
{
    const emit_shared_kernel *first = emit_shared_kernels_first(t, which, stage);
    const bool nameless = first && first->key != 0;

    emit_kernel_name(name, nameless ? 0 : which,
                     nameless ? emit_shared_number(first) : stage);
}

void emit_shared_kernels_free(emit_shared_kernels *t)
{
    mem_free(t->kernel);
    *t = (emit_shared_kernels){0};
}
