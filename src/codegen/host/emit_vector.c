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

static const char *each_of(const emit_stage *e)
{
    return e->real == PAV_F32 ? "EACH_FLOAT" : "EACH_DOUBLE";
}

static const char *load_here(const emit_stage *e, const ir_node *n, pav_type storage)
{
    const char *address = emit_address(e, emit_slot_of(e, n->field, n->level), n->offset);

    if (e->relaxed) {
        /* Loads point by point, since vectors are not atomic. It loads nothing for points
         * outside the row: other threads fill the ghosts there. */
        const char *element = arena_print(e->arena, "relaxed_%s(%s + lane)",
                                          emit_c_type(storage), address);

        return arena_print(e->arena, "%s(i + lane >= first && i + lane < end ? %s : 0)",
                           each_of(e),
                           emit_converted(e->arena, e->real, storage, element));
    }
    return storage == e->real
               ? arena_print(e->arena, "%s_at(%s)", emit_vector_type(e), address)
               : arena_print(e->arena, "%s_at_%s(%s)", emit_vector_type(e),
                             pav_type_name(storage), address);
}

/* From the finer grid every second point; from the coarser grid each point twice. i is
 * even. */
static const char *load_transferred(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];
    const char *type = emit_vector_type(e), *row = emit_loaded_row(e, node);
    const int x = n->offset[0];

    switch (ir_transfer_along(n->transfer, n->kept, 0)) {
    case IR_TO_FINE:
        return arena_print(e->arena, "%s_second(%s + 2 * i%s)", type, row,
                           emit_plus(e->arena, x));
    case IR_TO_COARSE:
        return arena_print(e->arena, "%s_twice(%s + (i >> 1)%s, %d)", type, row,
                           emit_plus(e->arena, x >> 1), x & 1);
    default:
        return arena_print(e->arena, "%s_at(%s + i%s)", type, row,
                           emit_plus(e->arena, x));
    }
}

static const char *load_of(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];
    const pav_type storage = e->code->field[n->field].storage;

    if (n->transfer == IR_SAME)
        return load_here(e, n, storage);
    if (storage == e->real)
        return load_transferred(e, node);

    /* Point by point for narrow storage. */
    const char *index = emit_index(e->arena, "(i + lane)", n->offset[0],
                                   ir_transfer_along(n->transfer, n->kept, 0));
    const char *element = arena_print(e->arena, "%s[%s]", emit_loaded_row(e, node),
                                      index);
    return arena_print(e->arena, "%s(%s)", each_of(e),
                       emit_converted(e->arena, e->real, storage, element));
}

/* ---- operands ---------------------------------------------------------------------- */

/* The operand unconverted: a number, or a mask. */
static const char *operand_of(const emit_stage *e, int node)
{
    if (e->place[node] == PLACE_POINT)
        return emit_node_name(e, node);
    if (e->stage->node[node].op == IR_LOAD)
        return load_of(e, node);
    return arena_print(e->arena, "%s_of(%s)", emit_vector_type(e), emit_operand(e, node));
}

const char *emit_vector_number(const emit_stage *e, int node)
{
    const char *operand = operand_of(e, node);

    return emit_is_boolean(e, node)
               ? arena_print(e->arena, "%s_of_mask(%s)", emit_vector_type(e), operand)
               : operand;
}

static const char *mask_of(const emit_stage *e, int node)
{
    const char *operand = operand_of(e, node);

    return emit_is_boolean(e, node)
               ? operand
               : arena_print(e->arena, "(%s != %s_of(0))", operand, emit_vector_type(e));
}

/* ---- operations -------------------------------------------------------------------- */

static const char *rounded(const emit_stage *e, const ir_node *n)
{
    const char *type = emit_vector_type(e), *storage = pav_type_name(n->type);
    const char *number = emit_vector_number(e, n->arg[0]);

    return n->type == e->real ? arena_print(e->arena, "(%s)", number)
                              : arena_print(e->arena, "%s_of_%s(%s_of_%s(%s))", type,
                                            storage, storage, type, number);
}

/* By the vector's own function, for example fma, or by the library's scalar
 * function. */
static const char *call_of(const emit_stage *e, const ir_node *n)
{
    const char *name = emit_call_name(n->op), *type = emit_vector_type(e);
    const char *arguments = emit_arguments(e, n, emit_vector_number);

    return n->op == IR_FMA || n->op == IR_POW || n->op == IR_ABS
               ? arena_print(e->arena, "%s_%s(%s)", type, name, arguments)
               : arena_print(e->arena, "%s_each(%s%s, %s)", type, name,
                             e->real == PAV_F32 ? "f" : "", arguments);
}

static const char *operation(const emit_stage *e, const ir_node *n)
{
    const char *type = emit_vector_type(e);

    switch (n->op) {
    case IR_NEG: return arena_print(e->arena, "-%s", emit_vector_number(e, n->arg[0]));
    case IR_NOT: return arena_print(e->arena, "~%s", mask_of(e, n->arg[0]));
    case IR_MIN:
    case IR_MAX:
        return arena_print(e->arena, "%s_%s(%s)", type, n->op == IR_MIN ? "min" : "max",
                           emit_arguments(e, n, emit_vector_number));
    case IR_SELECT:
        return arena_print(e->arena, "%s_where(%s, %s, %s)", type, mask_of(e, n->arg[0]),
                           emit_vector_number(e, n->arg[1]),
                           emit_vector_number(e, n->arg[2]));
    case IR_AND: return emit_infix(e, n, "&", mask_of);
    case IR_OR: return emit_infix(e, n, "|", mask_of);
    case IR_ROUND: return rounded(e, n);
    default:
        return emit_call_name(n->op)
                   ? call_of(e, n)
                   : emit_infix(e, n, emit_sign(n->op), emit_vector_number);
    }
}

static const char *expression(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];
    const char *type = emit_vector_type(e);

    switch (n->op) {
    case IR_LOAD: return load_of(e, node);
    /* Tables are along x and always in f64. */
    case IR_TABLE:
        return arena_print(e->arena, "%s_at_f64(table%d + i%s)", type,
                           emit_table_number(e, n->table),
                           emit_plus(e->arena, n->offset[0]));
    case IR_INDEX: return arena_print(e->arena, "%s_index(i)", type);
    /* For initial values only. */
    case IR_RANDOM:
        return arena_print(e->arena, "%s(%s)", each_of(e),
                           emit_random(e, n, "(i + lane)"));
    default: return operation(e, n);
    }
}

void emit_vector_line(const emit_stage *e, int node)
{
    text_add(e->t, "        %s %s = %s;\n",
             !emit_is_boolean(e, node) ? emit_vector_type(e)
             : e->real == PAV_F32      ? "ints"
                                       : "longs",
             emit_node_name(e, node), expression(e, node));
}
