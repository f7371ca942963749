/* SPDX-License-Identifier: BSD-3-Clause */
/* The text before the kernels: the files of kernels/host that some stage needs. Narrow
 * storage is converted by the interpreter's arithmetic (base/type.c explains
 * why it is right); test_kernel_storage.c compares the two value by value. */
#include "codegen/codegen_private.h"

/* Generated from the files by the build. */
extern const char kernel_types[], kernel_loops[], kernel_carried[], kernel_store[],
    kernel_vector[], kernel_vector_bf16[], kernel_vector_f16[], kernel_vector_u8[],
    kernel_bits[], kernel_random[], kernel_bf16[], kernel_f16[], kernel_u8[],
    kernel_join[], kernel_reduce[];

/* ---- needed files ------------------------------------------------------------------ */

void emit_note_needs(const ir *code, const ir_stage *s, emit_needs *n)
{
    for (int64_t k = 0; k < s->count; k++) {
        if (s->node[k].op == IR_ROUND)
            n->storage[s->node[k].type] = true;
        else if (s->node[k].op == IR_RANDOM)
            n->random = true;
        else if (s->node[k].op == IR_LOAD)
            n->storage[code->field[s->node[k].field].storage] = true;
    }
    for (int64_t k = 0; k < s->outputs; k++) {
        if (s->output[k].kind == IR_REDUCE)
            n->folds = true;
        else
            n->storage[code->field[s->output[k].field].storage] = true;
    }
}

static void note_programs(const ir *const *code, int64_t count, emit_needs *n)
{
    for (int64_t p = 0; p < count; p++)
        for (int64_t s = 0; code[p] && s < code[p]->stages; s++)
            if (emit_has_kernel(&code[p]->stage[s]))
                emit_note_needs(code[p], &code[p]->stage[s], n);
}

typedef struct prelude_part {
    bool needed;
    const char *words;
} prelude_part;

static void add_parts(const prelude_part *part, size_t count, text *t)
{
    for (size_t k = 0; k < count; k++)
        if (part[k].needed)
            text_add(t, "\n%s", part[k].words);
}

void emit_shared_prelude(const emit_needs *n, text *t)
{
    const prelude_part part[] = {
        {n->storage[PAV_BF16] || n->storage[PAV_F16] || n->random, kernel_bits},
        {n->random, kernel_random},
        {n->storage[PAV_BF16], kernel_bf16},
        {n->storage[PAV_F16], kernel_f16},
        {n->storage[PAV_U8], kernel_u8},
        {n->folds, kernel_join},
    };
    add_parts(part, COUNT_OF(part), t);
}

void emit_prelude(const ir *const *code, int64_t count, bool holds, text *t)
{
    emit_needs n = {0};

    note_programs(code, count, &n);
    const prelude_part first[] = {{true, kernel_types},
                                  {true, kernel_loops},
                                  {holds, kernel_carried},
                                  {true, kernel_vector},
                                  {true, kernel_store}};
    const prelude_part last[] = {{n.storage[PAV_BF16], kernel_vector_bf16},
                                 {n.storage[PAV_F16], kernel_vector_f16},
                                 {n.storage[PAV_U8], kernel_vector_u8},
                                 {n.folds, kernel_reduce}};
    add_parts(first, COUNT_OF(first), t);
    emit_shared_prelude(&n, t);
    add_parts(last, COUNT_OF(last), t);
}
