/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in front of the kernels: those files of prelude/ that some stage needs. Narrow storage is
 * converted there by the same arithmetic as in the interpreter (base/type_rows.c tells why it is
 * right); tests/run/test_kernel_storage.c compares the two value by value. */
#include "emit/emit_private.h"

/* Made of the files by the build. */
extern const char kernel_types[], kernel_walk[], kernel_stream[], kernel_vector[],
    kernel_bits[], kernel_bf16[], kernel_f16[], kernel_u8[], kernel_fold[];

typedef struct needs {
    bool storage[PAV_U8 + 1], folds, streams;
} needs;

/* ---- which ones --------------------------------------------------------------------------- */

static void note_stage(const ir *code, const ir_stage *s, needs *n)
{
    for (int64_t k = 0; k < s->count; k++) {
        if (s->node[k].op == IR_ROUND)
            n->storage[s->node[k].type] = true;
        else if (s->node[k].op == IR_LOAD)
            n->storage[code->field[s->node[k].field].storage] = true;
    }
    for (int64_t k = 0; k < s->outputs; k++) {
        if (s->output[k].kind == IR_REDUCE)
            n->folds = true;
        else
            n->storage[code->field[s->output[k].field].storage] = n->streams = true;
    }
}

static void note_programs(const ir *const *code, int64_t count, needs *n)
{
    for (int64_t p = 0; p < count; p++)
        for (int64_t s = 0; code[p] && s < code[p]->stages; s++)
            if (emit_has_kernel(&code[p]->stage[s]))
                note_stage(code[p], &code[p]->stage[s], n);
}

void emit_prelude(const ir *const *code, int64_t count, text *t)
{
    needs n = {0};

    note_programs(code, count, &n);
    const struct {
        bool wanted;
        const char *part;
    } parts[] = {
        {true, kernel_types},
        {true, kernel_walk},
        {n.streams, kernel_stream},
        {n.streams, kernel_vector},
        {n.storage[PAV_BF16] || n.storage[PAV_F16], kernel_bits},
        {n.storage[PAV_BF16], kernel_bf16},
        {n.storage[PAV_F16], kernel_f16},
        {n.storage[PAV_U8], kernel_u8},
        {n.folds, kernel_fold},
    };
    for (size_t k = 0; k < COUNT_OF(parts); k++)
        if (parts[k].wanted)
            text_add(t, "\n%s", parts[k].part);
}
