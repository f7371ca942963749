/* SPDX-License-Identifier: BSD-3-Clause */
/* The stage at points: what stands in a loop along x. All of it is either of one row, or of the rows of a
 * tile side by side (n12_0, n12_1, ...), node by node, so that chains of operations overlap and rows
 * share what they load. */
#include "codegen/codegen_private.h"

pav_type emit_storage(const emit_stage *e, int64_t slot)
{
    return e->code->field[e->slot[slot].field].storage;
}

bool emit_is_hidden(const emit_stage *e, int slot)
{
    return e->hidden > 0 && e->slot[slot].field >= e->hidden;
}

int emit_strip(const emit_stage *e)
{
    if (e->vectors && e->height > 1)
        return e->real == PAV_F32 ? 16 : 8;
    return e->code->dim > 1 && e->height == 1 ? ROW_STRIP : TILE_POINTS / e->height;
}

/* ---- values ------------------------------------------------------------------------------- */

const char *emit_node_type(const emit_stage *e, int node)
{
    return ir_is_boolean(e->stage->node[node].op) ? "const int "
           : e->real == PAV_F32                   ? "const float "
                                                  : "const double ";
}

void emit_node_line(const emit_stage *e, int node, const char *indent)
{
    text_add(e->t, "%s%s", indent, emit_node_type(e, node));
    emit_node_name(e, node, e->t);
    text_add(e->t, " = ");
    emit_expression(e, node, e->t);
    text_add(e->t, ";\n");
}

int emit_rows_at_once(const emit_stage *e)
{
    return e->height > 0 ? e->height : 1;
}

static void add_vector_line(emit_stage *e, int node, const char *indent)
{
    text_add(e->t, "%sconst %s ", indent, emit_vector_type(e));
    emit_node_name(e, node, e->t);
    text_add(e->t, " = ");
    emit_vector(e, node, e->t);
    text_add(e->t, ";\n");
}

static bool is_in_vectors(const emit_stage *e)
{
    return e->vectors && e->height > 0;
}

static void add_line(emit_stage *e, int node, const char *indent)
{
    if (is_in_vectors(e))
        add_vector_line(e, node, indent);
    else
        emit_node_line(e, node, indent);
}

static void add_nodes(emit_stage *e, const char *indent)
{
    for (int64_t k = 0; k < e->ordered; k++)
        if (e->place[e->order[k]] == PLACE_POINT)
            for (e->shift = 0; e->shift < emit_rows_at_once(e); e->shift++)
                add_line(e, e->order[k], indent);
    e->shift = 0;
}

/* Where a value goes: to the field, or to the strip of a tile; what is reduced to v0, v1, ... */
static void add_target(const emit_stage *e, const ir_output *o, int reduction, text *t)
{
    const int slot = o->kind == IR_STORE ? emit_slot_of(e, o->field, o->level) : -1;

    if (o->kind != IR_STORE)
        text_add(t, "v%d[i - x]", reduction);
    else if (e->height > 0)
        text_add(t, "strip%d[%d][i - at]", slot, e->shift);
    else {
        emit_slot_name(e, slot, t);
        text_add(t, "[i]");
    }
}

void emit_output_value(const emit_stage *e, const ir_output *o, text *t)
{
    text value = {0};

    if (ir_is_boolean(e->stage->node[o->node].op))
        text_add(&value, "(%s)", emit_c_type(e->real));
    emit_operand(e, o->node, &value);
    if (value.data && o->kind == IR_STORE)
        emit_converted(e->code->field[o->field].storage, e->real, value.data, t);
    else if (value.data)
        text_add(t, "%s", value.data);
    t->failed = t->failed || value.failed;
    text_free(&value);
}

static void put_vectors(const emit_stage *e, const char *indent, text *t)
{
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const ir_output *o = &e->stage->output[k];
        text_add(t, "%sput_%s(&strip%d[%d][n], ", indent, emit_vector_type(e),
                 emit_slot_of(e, o->field, o->level), e->shift);
        emit_vector_operand(e, o->node, t);
        text_add(t, ");\n");
    }
}

static void add_output(const emit_stage *e, const ir_output *o, int reduction,
                       const char *indent, text *t)
{
    text_add(t, "%s", indent);
    add_target(e, o, reduction, t);
    text_add(t, " = ");
    emit_output_value(e, o, t);
    text_add(t, ";\n");
}

static void add_outputs(const emit_stage *e, const char *indent, text *t)
{
    int reduction = 0;

    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const ir_output *o = &e->stage->output[k];
        add_output(e, o, reduction, indent, t);
        reduction += o->kind == IR_REDUCE;
    }
}

void emit_in_loop(emit_stage *e, const char *indent)
{
    add_nodes(e, indent);
    for (; e->shift < emit_rows_at_once(e); e->shift++)
        if (is_in_vectors(e))
            put_vectors(e, indent, e->t);
        else
            add_outputs(e, indent, e->t);
    e->shift = 0;
}
