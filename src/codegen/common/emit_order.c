/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of computation in a row: each value just before its first use. If several
 * operands are missing, the operand with the most registers comes first. Compilers keep
 * this order, and fewer values are alive than in the order of the IR. */
#include "codegen/codegen_private.h"

typedef struct traversal {
    const emit_stage *e;
    int *registers; /* needed by a value and its operands */
    int *stack;
    bool *seen;
} traversal;

/* Operands are computed by decreasing register count; each computed operand keeps one
 * register during the next ones. */
static int registers_of(const ir_node *n, const int *registers)
{
    int most = 1;
    bool counted[3] = {false};

    for (int kept = 0; kept < ir_op_table[n->op].arguments; kept++) {
        int next = -1;
        for (int a = 0; a < ir_op_table[n->op].arguments; a++)
            if (!counted[a] &&
                (next < 0 || registers[n->arg[a]] > registers[n->arg[next]]))
                next = a;
        counted[next] = true;
        if (registers[n->arg[next]] > 0 && registers[n->arg[next]] + kept > most)
            most = registers[n->arg[next]] + kept;
    }
    return most;
}

static void count_registers(const emit_stage *e, int *registers)
{
    for (int64_t k = 0; k < e->stage->count; k++)
        if (e->place[k] == PLACE_POINT)
            registers[k] = registers_of(&e->stage->node[k], registers);
}

/* The operand to compute next; -1: all are computed. */
static int missing_operand(const traversal *w, int node)
{
    const ir_node *n = &w->e->stage->node[node];
    int next = -1;

    for (int a = 0; a < ir_op_table[n->op].arguments; a++) {
        const int arg = n->arg[a];
        if (!w->seen[arg] && (next < 0 || w->registers[arg] > w->registers[next] ||
                              (w->registers[arg] == w->registers[next] && arg < next)))
            next = arg;
    }
    return next;
}

static void visit(const traversal *w, int node, int *order, int64_t *count)
{
    int64_t height = 0;

    if (!w->seen[node])
        w->stack[height++] = node;
    while (height > 0) {
        const int top = w->stack[height - 1], next = missing_operand(w, top);
        if (next >= 0) {
            w->stack[height++] = next;
            continue;
        }
        w->seen[top] = true;
        order[(*count)++] = top;
        height--;
    }
}

bool emit_find_order(emit_stage *e)
{
    const int64_t room = e->stage->count + 1;
    const traversal w = {e, mem_new(room, sizeof *w.registers),
                         mem_new(room, sizeof *w.stack), mem_new(room, sizeof *w.seen)};
    const bool good = w.registers && w.stack && w.seen;

    if (good)
        count_registers(e, w.registers);
    for (int64_t k = 0; good && k < e->stage->outputs; k++)
        visit(&w, e->stage->output[k].node, e->order, &e->ordered);
    mem_free(w.registers);
    mem_free(w.stack);
    mem_free(w.seen);
    return good;
}
