/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of a stage as expressions of vectors (kernels/host/kernel_vector.c), one for
 * each operation, as defined in plan.h. All loads are unconditional, since memory
 * continues beyond rows: a select chooses between two loaded values. Booleans are masks,
 * and conversions to and from numbers are explicit. */
#include "codegen/codegen_private.h"

const char *emit_vector_type(const emit_stage *e)
{
    return e->real == PAV_F32 ? "floats" : "doubles";
}

/* ---- leaves ------------------------------------------------------------------------ */

static void add_here(const emit_stage *e, int node, pav_type storage, text *t)
{
    const ir_node *n = &e->stage->node[node];

    if (e->relaxed) {
        /* Loads point by point, since vectors are not atomic. It loads nothing for points
         * outside the row: other threads fill the ghosts there. */
        text element = {0};

        text_add(&element, "relaxed_%s(", emit_c_type(storage));
        emit_address(e, emit_slot_of(e, n->field, n->level), n->offset, &element);
        text_add(&element, " + lane)");
        text_add(t, "EACH_%s(i + lane >= first && i + lane < end ? ",
                 e->real == PAV_F32 ? "FLOAT" : "DOUBLE");
        if (element.data)
            emit_converted(e->real, storage, element.data, t);
        text_add(t, " : 0)");
        emit_close(&element, t);

        return;
    }
    text_add(t, "%s_at", emit_vector_type(e));
    if (storage != e->real)
        text_add(t, "_%s", pav_type_name(storage));
    text_add(t, "(");
    emit_address(e, emit_slot_of(e, n->field, n->level), n->offset, t);
    text_add(t, ")");
}

/* From the finer grid every second point; from the coarser grid each point twice. i is
 * even. */
static void add_transferred(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];
    const ir_transfer along = ir_transfer_along(n->transfer, n->kept, 0);
    const bool fine = along == IR_TO_FINE;

    if (along == IR_SAME) {
        text_add(t, "%s_at(", emit_vector_type(e));
        emit_loaded_row(e, node, t);
        text_add(t, " + i");
        emit_plus(n->offset[0], t);
        text_add(t, ")");
        return;
    }
    text_add(t, "%s_%s(", emit_vector_type(e), fine ? "second" : "twice");
    emit_loaded_row(e, node, t);
    text_add(t, fine ? " + 2 * i" : " + (i >> 1)");
    emit_plus(fine ? n->offset[0] : n->offset[0] >> 1, t);
    text_add(t, fine ? ")" : ", %d)", n->offset[0] & 1);
}

static void add_load(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];
    const pav_type storage = e->code->field[n->field].storage;

    if (n->transfer == IR_SAME)
        add_here(e, node, storage, t);
    else if (storage == e->real)
        add_transferred(e, node, t);
    else {
        /* The same for narrow storage, point by point. */
        text element = {0};

        emit_loaded_row(e, node, &element);
        text_add(&element, "[");
        emit_index("(i + lane)", n->offset[0], ir_transfer_along(n->transfer, n->kept, 0),
                   &element);
        text_add(&element, "]");
        text_add(t, "EACH_%s(", e->real == PAV_F32 ? "FLOAT" : "DOUBLE");
        if (element.data)
            emit_converted(e->real, storage, element.data, t);
        text_add(t, ")");
        emit_close(&element, t);
    }
}

/* Tables are along x and always in f64. */
static void add_table(const emit_stage *e, const ir_node *n, text *t)
{
    text_add(t, "%s_at_f64(", emit_vector_type(e));
    emit_table_name(e, n->table, t);
    text_add(t, " + i");
    emit_plus(n->offset[0], t);
    text_add(t, ")");
}

/* For initial values only. */
static void add_random(const emit_stage *e, const ir_node *n, text *t)
{
    static const char *const index[MAX_DIM] = {"(i + lane)", "j", "k"};

    text_add(t, e->real == PAV_F32 ? "EACH_FLOAT((float)random_at("
                                   : "EACH_DOUBLE(random_at(");
    emit_uniform_name(e, n->uniform, t);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        text_add(t, ", ");
        emit_index(index[axis], n->offset[axis],
                   ir_transfer_along(n->transfer, n->kept, axis), t);
    }
    text_add(t, "))");
}

/* ---- operands ---------------------------------------------------------------------- */

/* The operand unconverted: a number, or a mask. */
static void add_operand(const emit_stage *e, int node, text *t)
{
    if (e->place[node] == PLACE_POINT) {
        emit_node_name(e, node, t);
    } else if (e->stage->node[node].op == IR_LOAD) {
        add_load(e, node, t);
    } else {
        text_add(t, "%s_of(", emit_vector_type(e));
        emit_operand(e, node, t);
        text_add(t, ")");
    }
}

void emit_vector_number(const emit_stage *e, int node, text *t)
{
    if (emit_is_boolean(e, node))
        text_add(t, "%s_of_mask(", emit_vector_type(e));
    add_operand(e, node, t);
    if (emit_is_boolean(e, node))
        text_add(t, ")");
}

static void add_mask(const emit_stage *e, int node, text *t)
{
    text_add(t, emit_is_boolean(e, node) ? "" : "(");
    add_operand(e, node, t);
    if (!emit_is_boolean(e, node))
        text_add(t, " != %s_of(0))", emit_vector_type(e));
}

/* ---- operations -------------------------------------------------------------------- */

static void add_numbers(const emit_stage *e, const ir_node *n, text *t)
{
    for (int a = 0; a < ir_op_table[n->op].arguments; a++) {
        text_add(t, a ? ", " : "");
        emit_vector_number(e, n->arg[a], t);
    }
    text_add(t, ")");
}

static void add_where(const emit_stage *e, const ir_node *n, text *t)
{
    text_add(t, "%s_where(", emit_vector_type(e));
    add_mask(e, n->arg[0], t);
    for (int a = 1; a < 3; a++) {
        text_add(t, ", ");
        emit_vector_number(e, n->arg[a], t);
    }
    text_add(t, ")");
}

static void add_round(const emit_stage *e, const ir_node *n, text *t)
{
    const char *type = emit_vector_type(e), *storage = pav_type_name(n->type);

    if (n->type == e->real)
        text_add(t, "(");
    else
        text_add(t, "%s_of_%s(%s_of_%s(", type, storage, storage, type);
    emit_vector_number(e, n->arg[0], t);
    text_add(t, n->type == e->real ? ")" : "))");
}

static void add_operation(const emit_stage *e, const ir_node *n, text *t)
{
    switch (n->op) {
    case IR_NEG:
        text_add(t, "-");
        emit_vector_number(e, n->arg[0], t);
        break;
    case IR_NOT:
        text_add(t, "~");
        add_mask(e, n->arg[0], t);
        break;
    case IR_MIN:
    case IR_MAX:
        text_add(t, "%s_%s(", emit_vector_type(e), n->op == IR_MIN ? "min" : "max");
        add_numbers(e, n, t);
        break;
    case IR_SELECT: add_where(e, n, t); break;
    case IR_AND: emit_infix(e, n, "&", add_mask, t); break;
    case IR_OR: emit_infix(e, n, "|", add_mask, t); break;
    case IR_ROUND: add_round(e, n, t); break;
    case IR_NE: emit_infix(e, n, "!=", emit_vector_number, t); break;
    default:
        if (emit_call_name(n->op)) {
            /* By the vector's own function, for example fma, or by the library's scalar
             * function. */
            const char *name = emit_call_name(n->op);

            if (n->op == IR_FMA || n->op == IR_POW || n->op == IR_ABS)
                text_add(t, "%s_%s(", emit_vector_type(e), name);
            else
                text_add(t, "%s_each(%s%s, ", emit_vector_type(e), name,
                         e->real == PAV_F32 ? "f" : "");
            add_numbers(e, n, t);
        } else
            emit_infix(e, n, emit_sign(n->op), emit_vector_number, t);
    }
}

void emit_vector_line(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];

    text_add(t, "        %s ",
             !emit_is_boolean(e, node) ? emit_vector_type(e)
             : e->real == PAV_F32      ? "ints"
                                       : "longs");
    emit_node_name(e, node, t);
    text_add(t, " = ");
    switch (n->op) {
    case IR_LOAD: add_load(e, node, t); break;
    case IR_TABLE: add_table(e, n, t); break;
    case IR_INDEX: text_add(t, "%s_index(i)", emit_vector_type(e)); break;
    case IR_RANDOM: add_random(e, n, t); break;
    default: add_operation(e, n, t);
    }
    text_add(t, ";\n");
}
