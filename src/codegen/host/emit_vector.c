/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a strip as vectors (prelude/kernel_vector.c): what compilers made of loops over single points kept few
 * of them in registers, and loaded neighbours along x across lines. For stages of plain arithmetic; others stay loops
 * over points, of which compilers make vectors. */
#include "codegen/codegen_private.h"

static bool is_plain(const emit_stage *e, const ir_node *n)
{
    switch (n->op) {
    case IR_CONST:
    case IR_UNIFORM:
    case IR_TABLE:
    case IR_NEG:
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_DIV:
    case IR_FMA: return true;
    case IR_INDEX: return n->axis != 0;
    case IR_LOAD:
        return n->transfer == IR_SAME && e->code->field[n->field].storage == e->real;
    default: return false;
    }
}

bool emit_has_vectors(const emit_stage *e)
{
    for (int64_t k = 0; k < e->stage->count; k++)
        if (e->place[k] != PLACE_UNUSED && !is_plain(e, &e->stage->node[k]))
            return false;
    for (int64_t k = 0; k < e->slots; k++)
        if (emit_storage(e, k) != e->real)
            return false;
    return true;
}

const char *emit_vector_type(const emit_stage *e)
{
    return e->real == PAV_F32 ? "floats" : "doubles";
}

/* ---- expressions -------------------------------------------------------------------------- */

/* Whether neighbours come out of whole lines. Where rows of several levels are read at once from memory, one by one, the
 * 25-point wave was slower that way; where one level is read, or tiles go through the caches, it is faster. */
static bool by_lines(const emit_stage *e)
{
    int loaded = 0;

    for (int64_t k = 0; k < e->slots; k++)
        loaded += e->slot[k].loaded;
    return e->height > 1 || loaded == 1;
}

static void add_load(const emit_stage *e, int node, text *t)
{
    const int offset = e->stage->node[node].offset[0];
    const bool beside = offset && by_lines(e);

    text_add(t, beside ? "%s_beside(" : "%s_at(", emit_vector_type(e));
    emit_loaded_row(e, node, t);
    text_add(t, " + i");
    if (offset)
        text_add(t, beside ? ", %d" : " + (%d)", offset);
    text_add(t, ")");
}

/* Tables are in f64, whatever the fields are in. */
static void add_table(const emit_stage *e, const ir_node *n, text *t)
{
    text_add(t, "%s_in(table%d + i", emit_vector_type(e), n->table);
    if (n->offset[0])
        text_add(t, " + (%d)", n->offset[0]);
    text_add(t, ")");
}

/* What is one number for all points of a row. */
static void add_single(const emit_stage *e, int node, text *t)
{
    text_add(t, "%s_of(", emit_vector_type(e));
    emit_operand(e, node, t);
    text_add(t, ")");
}

void emit_vector_operand(const emit_stage *e, int node, text *t)
{
    if (e->place[node] == PLACE_POINT)
        emit_node_name(e, node, t);
    else if (e->stage->node[node].op == IR_LOAD)
        add_load(e, node, t);
    else
        add_single(e, node, t);
}

static void add_fma(const emit_stage *e, const ir_node *n, text *t)
{
    text_add(t, "%s_fma(", emit_vector_type(e));
    for (int a = 0; a < 3; a++) {
        text_add(t, a ? ", " : "");
        emit_vector_operand(e, n->arg[a], t);
    }
    text_add(t, ")");
}

void emit_vector(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];

    if (n->op == IR_LOAD) {
        add_load(e, node, t);
    } else if (n->op == IR_TABLE) {
        add_table(e, n, t);
    } else if (n->op == IR_FMA) {
        add_fma(e, n, t);
    } else if (n->op == IR_NEG) {
        text_add(t, "-");
        emit_vector_operand(e, n->arg[0], t);
    } else {
        emit_vector_operand(e, n->arg[0], t);
        text_add(t, " %s ", emit_sign(n->op));
        emit_vector_operand(e, n->arg[1], t);
    }
}
