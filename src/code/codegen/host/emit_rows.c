/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of a stage for rows on processors. A function goes through rows from end to
 * end, a vector at a time: row_0_3 takes one row, rows_0_3 several side by side (n12_0,
 * n12_1, ...). It goes node by node, so that chains of operations overlap and rows share
 * their loads. Vectors begin at cache lines. Points of the first and last vector outside
 * the row are not stored. */
#include <assert.h>
#include <stdlib.h>

#include "codegen/codegen_private.h"

/* ---- locals before the loop -------------------------------------------------------- */
/* The locals before the loop along x: tables, uniforms, strides, starts of rows, and
 * values constant along a row. In the loop each slot has one pointer, at the point,
 * hidden from the compiler's analysis. Other points of the slot are addressed by
 * multiples of the strides, constants if the run knows them. Separate pointers for all
 * rows would need more registers than there are. */

/* ---- rows -------------------------------------------------------------------------- */

const char *emit_index(arena *a, const char *name, int offset, ir_transfer transfer)
{
    if (transfer == IR_TO_COARSE)
        return arena_print(a, "((%s + (%d)) >> 1)", name, offset);
    return transfer == IR_TO_FINE ? arena_print(a, "(2 * %s + (%d))", name, offset)
           : offset               ? arena_print(a, "(%s%s)", name, emit_plus(a, offset))
                                  : name;
}

/* True if the slot's strides come with each call, in a loop of a step. */
static bool has_own_strides(const emit_stage *e, int slot)
{
    const ir_field *f = &e->code->field[e->slot[slot].field];
    const bool carried = e->carried > 0 && e->slot[slot].field >= e->carried;

    return e->of_step && !carried && f->coarse == 0 && f->stride[1] <= 0;
}

/* The first slot of the same field: all levels of a field have its strides. */
static int strides_of(const emit_stage *e, int slot)
{
    int of = 0;

    if (!has_own_strides(e, slot))
        return slot;
    while (e->slot[of].field != e->slot[slot].field)
        of++;
    return of;
}

/* True if the row is the first with its plane of the slot, except the plane of the
 * point. */
static bool begins_plane(const emit_stage *e, int64_t row)
{
    const emit_row *r = &e->row[row];

    for (int64_t k = 0; k < row; k++)
        if (e->row[k].slot == r->slot && e->row[k].z == r->z &&
            e->row[k].transfer == IR_SAME)
            return false;
    return has_own_strides(e, r->slot) && r->z != 0 && r->transfer == IR_SAME &&
           r->shift < e->height;
}

static const char *plane_name(const emit_stage *e, int slot, int z)
{
    const char *name = emit_slot_name(e, slot);

    return z ? arena_print(e->arena, "%s_%s%d", name, z < 0 ? "below" : "above", abs(z))
             : name;
}

/* slot: -1 is any. */
static bool has_row(const emit_stage *e, int slot, ir_transfer transfer)
{
    for (int64_t r = 0; r < e->rows; r++)
        if ((slot < 0 || e->row[r].slot == slot) && e->row[r].transfer == transfer)
            return true;
    return false;
}

/* True if the slot has a pointer to the point, named like the slot. */
static bool has_pointer(const emit_stage *e, int slot)
{
    return e->slot[slot].stored || has_row(e, slot, IR_SAME);
}

static void add_rows(const emit_stage *e, text *t)
{
    for (int k = 0; k < e->slots; k++) {
        /* Strides are constants only in steps on the finest grid: one kernel of the start
         * serves all fields, and one kernel of coarse grids serves all of them. */
        const ir_field *f = &e->code->field[e->slot[k].field];
        const int size = (int)pav_type_size(f->storage);

        if (e->slot[k].field >= e->carried && e->carried > 0)
            text_add(t, "    const int64_t y%d = CARRIED_PITCH / %d, z%d = 0;\n", k, size,
                     k);
        else if (e->of_step && f->coarse == 0 && f->stride[1] > 0) {
            /* rows are whole lines */
            assert(f->stride[1] * (int64_t)size % CPU_LINE == 0);
            text_add(t, "    const int64_t y%d = %lld, z%d = %lld;\n", k,
                     (long long)f->stride[1], k, (long long)f->stride[2]);
        } else
            text_add(t, "    %sint64_t y%d = g[%d].y, z%d = g[%d].z;\n",
                     has_own_strides(e, k) ? "" : "const ", k, k, k, k);

        if (has_pointer(e, k))
            text_add(t, "    %s *const row%d = (%s *)g[%d].data + j * y%d + k * z%d;\n",
                     emit_slot_type(e, k), k, emit_slot_type(e, k), k, k, k);
    }
    for (int64_t r = 0; r < e->rows; r++)
        if (e->row[r].shift < e->height && e->row[r].transfer != IR_SAME) {
            /* A row of a finer or coarser grid: its indices differ from the point's. */
            const emit_row *row = &e->row[r];
            const char *type = emit_slot_type(e, row->slot);

            text_add(t, "    %s *const %s = (%s *)g[%d].data + %s * y%d + %s * z%d;\n",
                     type, emit_row_name(e, row), type, row->slot,
                     emit_index(e->arena, "j", row->y,
                                ir_transfer_along(row->transfer, row->kept, 1)),
                     row->slot,
                     emit_index(e->arena, "k", row->z,
                                ir_transfer_along(row->transfer, row->kept, 2)),
                     row->slot);
        }
}

static void declare_pointers(const emit_stage *e, const char *from)
{
    for (int k = 0; k < e->slots; k++)
        if (has_pointer(e, k))
            text_add(e->t, "    %s *%s = row%d + %s;\n", emit_slot_type(e, k),
                     emit_slot_name(e, k), k, from);
    for (int64_t r = 0; r < e->rows; r++)
        if (begins_plane(e, r)) {
            const int slot = e->row[r].slot, z = e->row[r].z;

            text_add(e->t, "    %s *%s = %s + %d * z%d;\n", emit_slot_type(e, slot),
                     plane_name(e, slot, z), emit_slot_name(e, slot), z, slot);
        }
}

/* A line for each pointer in the loop. */
static void each_pointer(const emit_stage *e, const char *before, const char *behind)
{
    for (int k = 0; k < e->slots; k++)
        if (has_pointer(e, k))
            text_add(e->t, "%s%s%s", before, emit_slot_name(e, k), behind);
    for (int64_t r = 0; r < e->rows; r++)
        if (begins_plane(e, r))
            text_add(e->t, "%s%s%s", before, plane_name(e, e->row[r].slot, e->row[r].z),
                     behind);
}

static const char *steps_along(const emit_stage *e, int count, char axis, int slot)
{
    return emit_steps(e->arena, count, arena_print(e->arena, "%c%d", axis, slot));
}

static const char *address_at(const emit_stage *e, int slot, const int offset[MAX_DIM])
{
    const bool planes = has_own_strides(e, slot);

    return arena_print(e->arena, "%s%s%s%s", plane_name(e, slot, planes ? offset[2] : 0),
                       steps_along(e, offset[1] + e->shift, 'y', strides_of(e, slot)),
                       steps_along(e, planes ? 0 : offset[2], 'z', slot),
                       emit_plus(e->arena, offset[0]));
}

int emit_same_field(const emit_stage *e, int slot)
{
    for (int k = 0; k < e->slots; k++)
        if (k != slot && e->slot[k].field == e->slot[slot].field && e->slot[k].loaded &&
            !e->slot[k].stored && has_pointer(e, k))
            return k;
    return -1;
}

/* ---- values ------------------------------------------------------------------------ */

/* A local for a table or uniform, number `own` in the stage. */
static void add_argument(const emit_stage *e, bool table, int k, int own)
{
    const char *of = e->nameless ? arena_print(e->arena, "w->%ss[%d]",
                                               table ? "table" : "uniform", own)
                                 : arena_print(e->arena, "%d", k);

    if (table)
        text_add(e->t, "    const double *const table%d = w->table[%s];\n", own, of);
    else
        text_add(e->t,
                 emit_is_seed(e, k)   ? "    const %s %s = bits_of(w->uniform[%s]);\n"
                 : e->real == PAV_F32 ? "    const %s %s = (float)w->uniform[%s];\n"
                                      : "    const %s %s = w->uniform[%s];\n",
                 emit_uniform_type(e, k), emit_uniform_name(e, k), of);
}

/* Tables, then uniforms, by their numbers in the stage. */
static void add_arguments(const emit_stage *e, bool table)
{
    const int count = (int)(table ? e->code->tables : e->code->uniforms);
    const bool *used = table ? e->table : e->uniform;
    int *at = arena_alloc(e->arena, count + 1, sizeof *at); /* from 1 */

    for (int k = 0; k < count; k++)
        if (used[k])
            at[table ? emit_table_number(e, k) : emit_uniform_number(e, k)] = k + 1;
    for (int own = 0; own < count; own++)
        if (at[own])
            add_argument(e, table, at[own] - 1, own);
}

static void add_locals(emit_stage *e)
{
    if (e->slots)
        text_add(e->t, "    const grid *const g = w->grid;\n");
    text_add(e->t, "    const int64_t first = p->x, end = p->end, j = p->j, k = p->k;\n");

    add_arguments(e, true);
    add_arguments(e, false);
    add_rows(e, e->t);

    for (int64_t k = 0; k < e->stage->count; k++)
        for (e->shift = 0; e->place[k] == PLACE_ROW && e->shift < e->height; e->shift++)
            emit_node_line(e, (int)k, "    ");
    e->shift = 0;
}

/* ---- vectors ----------------------------------------------------------------------- */
/* The nodes of a stage as expressions of vectors (kernels/host/kernel_vector.c), one for
 * each operation, as defined in plan.h. All loads are unconditional, since memory
 * continues beyond rows: a select chooses between two loaded values. Booleans are masks,
 * and conversions to and from numbers are explicit. */

static const char *vector_type(const emit_stage *e)
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
    const char *address = address_at(e, emit_slot_of(e, n->field, n->level), n->offset);

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
               ? arena_print(e->arena, "%s_at(%s)", vector_type(e), address)
               : arena_print(e->arena, "%s_at_%s(%s)", vector_type(e),
                             pav_type_name(storage), address);
}

/* From the finer grid every second point; from the coarser grid each point twice. i is
 * even. */
static const char *load_transferred(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];
    const char *type = vector_type(e), *row = emit_loaded_row(e, node);
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
    return e->place[node] == PLACE_POINT ? emit_node_name(e, node)
           : e->stage->node[node].op == IR_LOAD
               ? load_of(e, node)
               : arena_print(e->arena, "%s_of(%s)", vector_type(e),
                             emit_operand(e, node));
}

static const char *vector_number(const emit_stage *e, int node)
{
    const char *operand = operand_of(e, node);

    return emit_is_boolean(e, node)
               ? arena_print(e->arena, "%s_of_mask(%s)", vector_type(e), operand)
               : operand;
}

/* True if a sum of indices has that along x. */
static bool adds_x(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];

    return n->op == IR_INDEX ? n->axis == 0
                             : adds_x(e, n->arg[0]) || adds_x(e, n->arg[1]);
}

static const char *mask_of(const emit_stage *e, int node)
{
    const char *operand = operand_of(e, node);

    return emit_is_boolean(e, node)
               ? operand
               : arena_print(e->arena, "(%s != %s_of(0))", operand, vector_type(e));
}

/* ---- operations -------------------------------------------------------------------- */

static const char *rounded(const emit_stage *e, const ir_node *n)
{
    const char *type = vector_type(e), *storage = pav_type_name(n->type);
    const char *number = vector_number(e, n->arg[0]);

    return n->type == e->real ? arena_print(e->arena, "(%s)", number)
                              : arena_print(e->arena, "%s_of_%s(%s_of_%s(%s))", type,
                                            storage, storage, type, number);
}

static const char *operation(const emit_stage *e, const ir_node *n)
{
    const char *type = vector_type(e);

    switch (n->op) {
    case IR_NEG: return arena_print(e->arena, "-%s", vector_number(e, n->arg[0]));
    case IR_NOT: return arena_print(e->arena, "~%s", mask_of(e, n->arg[0]));
    case IR_MIN:
    case IR_MAX:
        return arena_print(e->arena, "%s_%s(%s)", type, n->op == IR_MIN ? "min" : "max",
                           emit_arguments(e, n, vector_number));
    case IR_SELECT:
        return arena_print(e->arena, "%s_where(%s, %s, %s)", type, mask_of(e, n->arg[0]),
                           vector_number(e, n->arg[1]), vector_number(e, n->arg[2]));
    case IR_AND: return emit_infix(e, n, "&", mask_of);
    case IR_OR: return emit_infix(e, n, "|", mask_of);
    case IR_EVEN:
        return emit_sums_indices(e->stage, n->arg[0])
                   ? arena_print(e->arena, "%s_even_%s(%s)", type,
                                 adds_x(e, n->arg[0]) ? "from" : "all",
                                 emit_index_sum(e, n->arg[0]))
                   : arena_print(e->arena, "%s_even(%s)", type,
                                 vector_number(e, n->arg[0]));
    case IR_ROUND: return rounded(e, n);
    default:
        return emit_call_name(n->op)
                   ? arena_print(e->arena, "%s_%s(%s)", type, emit_call_name(n->op),
                                 emit_arguments(e, n, vector_number))
                   : emit_infix(e, n, emit_sign(n->op), vector_number);
    }
}

static const char *expression(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];
    const char *type = vector_type(e);

    switch (n->op) {
    case IR_LOAD: return load_of(e, node);
    /* Tables are along x and always in f64. */
    case IR_TABLE:
        return arena_print(e->arena, "%s_at_f64(table%d + i%s)", type,
                           emit_table_number(e, n->table),
                           emit_plus(e->arena, n->offset[0]));
    case IR_INDEX: return arena_print(e->arena, "%s_index(i)", type);
    case IR_RANDOM:
        return arena_print(e->arena, "%s(%s)", each_of(e),
                           emit_random(e, n, "(i + lane)"));
    default: return operation(e, n);
    }
}

static void add_vector_line(const emit_stage *e, int node)
{
    text_add(e->t, "        %s %s = %s;\n",
             !emit_is_boolean(e, node) ? vector_type(e)
             : e->real == PAV_F32      ? "ints"
                                       : "longs",
             emit_node_name(e, node), expression(e, node));
}

/* ---- rows -------------------------------------------------------------------------- */

/* Points from one cache line to the next in all stored fields. */
static int points_of_lines(const emit_stage *e)
{
    int least = (int)pav_type_size(e->real);

    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored && (int)pav_type_size(emit_storage(e, k)) < least)
            least = (int)pav_type_size(emit_storage(e, k));
    return CPU_LINE / (least > 2 ? least : 2); /* a power of two */
}

/* ---- values ------------------------------------------------------------------------ */

/* True if the value is only rounded to the type of its field and stored there. add_narrow
 * does the rounding then. */
static bool is_only_stored(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];

    for (const ir_output *o = NULL; (o = ir_next_output(e->stage, o));)
        if (o->node == node && (n->op != IR_ROUND || o->kind != IR_STORE ||
                                n->type != e->code->field[o->field].storage))
            return false;
    for (int64_t k = node + 1; n->op == IR_ROUND && k < e->stage->count; k++)
        for (int a = 0; a < ir_op_table[e->stage->node[k].op].arguments; a++)
            if (e->place[k] != PLACE_UNUSED && e->stage->node[k].arg[a] == node)
                return false;
    return n->op == IR_ROUND;
}

/* A type with one element for each point of a vector. */
static const char *narrow_type(const emit_stage *e, pav_type storage)
{
    const bool few = e->real == PAV_F64;

    switch (storage) {
    case PAV_F64: return "wide_doubles";
    case PAV_F32: return "few_floats";
    case PAV_U8: return few ? "few_bytes" : "bytes";
    default: return few ? "few_halves" : "halves";
    }
}

static bool is_narrow(const emit_stage *e, const ir_output *o)
{
    return o->kind == IR_STORE && e->code->field[o->field].storage != e->real;
}

static const char *stored_value(const emit_stage *e, const ir_output *o)
{
    return is_narrow(e, o) ? arena_print(e->arena, "v%d_%d",
                                         emit_slot_of(e, o->field, o->level), e->shift)
                           : vector_number(e, o->node);
}

/* ---- stores ------------------------------------------------------------------------ */

static const char *address_of(const emit_stage *e, int slot)
{
    static const int here[MAX_DIM];

    return address_at(e, slot, here);
}

static void add_part(const emit_stage *e, const ir_output *o, bool past)
{
    const int slot = emit_slot_of(e, o->field, o->level);
    const char *kind = e->relaxed ? "RELAXED_LANES"
                       : is_narrow(e, o)
                           ? "STORE_LANES"
                           : arena_print(e->arena, "%s_%s_part", vector_type(e),
                                         past ? "stream" : "store");

    text_add(e->t, "            %s(%s, %s%s%s, first - i, end - i);\n", kind,
             address_of(e, slot), stored_value(e, o), past ? ", " : "",
             past ? address_of(e, emit_same_field(e, slot)) : "");
}

typedef enum store_kind { STREAM_WHOLE, STORE_WHOLE, STREAM_PART, STORE_PART } store_kind;

static void add_stores(emit_stage *e, store_kind kind)
{
    for (const ir_output *o = NULL; (o = ir_next_store(e->stage, o));) {
        const int slot = emit_slot_of(e, o->field, o->level);
        const bool alike = !is_narrow(e, o) && emit_same_field(e, slot) >= 0;
        for (e->shift = 0; e->shift < e->height; e->shift++)
            if (kind == STREAM_WHOLE || kind == STORE_WHOLE)
                text_add(e->t, "            %s(%s, %s);\n",
                         kind == STORE_WHOLE ? "STORE" : "STREAM", address_of(e, slot),
                         stored_value(e, o));
            else
                add_part(e, o, kind == STREAM_PART && alike);
    }
    e->shift = 0;
}

static bool stores(const emit_stage *e)
{
    return e->stage->outputs > e->reductions;
}

static bool has_alike(const emit_stage *e)
{
    for (int k = 0; k < e->slots; k++)
        if (e->slot[k].stored && emit_same_field(e, k) >= 0)
            return true;
    return false;
}

static void add_all_stores(emit_stage *e)
{
    for (int64_t k = 0; k < e->stage->outputs; k++)
        for (e->shift = 0; is_narrow(e, &e->stage->output[k]) && e->shift < e->height;
             e->shift++) {
            /* Converts a value to the field's type if this differs from the type of the
             * computation. A value already rounded to the field's type is converted
             * directly, without widening. */
            const ir_output *o = &e->stage->output[k];
            const pav_type storage = e->code->field[o->field].storage;
            const ir_node *n = &e->stage->node[o->node];
            const bool rounded = n->op == IR_ROUND && n->type == storage;

            text_add(e->t, "        %s v%d_%d = %s_of_%s(%s);\n", narrow_type(e, storage),
                     emit_slot_of(e, o->field, o->level), e->shift,
                     pav_type_name(storage), vector_type(e),
                     vector_number(e, rounded ? n->arg[0] : o->node));
        }
    if (e->relaxed) {
        add_stores(e, STORE_PART);
        return;
    }
    text_add(e->t, "        const int whole = (uint64_t)(i - first) < wholes;\n");
    if (e->in_planes) {
        text_add(e->t, "        if (whole) {\n");
    } else {
        text_add(e->t, "        if (whole && streams) {\n");
        add_stores(e, STREAM_WHOLE);
        text_add(e->t, "        } else if (whole) {\n");
    }
    add_stores(e, STORE_WHOLE);
    if (!e->in_planes && has_alike(e)) {
        text_add(e->t, "        } else if (streams && same_ends) {\n");
        add_stores(e, STREAM_PART);
    }
    text_add(e->t, "        } else {\n");
    add_stores(e, STORE_PART);
    text_add(e->t, "        }\n");
}

/* ---- prefetch ---------------------------------------------------------------------- */

/* The row of a slot that the sweep touches first: farthest along z, then y; NULL:
 * none. */
static const emit_row *leading_row(const emit_stage *e, int slot)
{
    const emit_row *lead = NULL;

    for (int64_t n = 0; n < e->rows; n++) {
        const emit_row *r = &e->row[n];
        if (r->slot == slot && r->transfer == IR_SAME && r->shift == 0 &&
            (!lead || r->z > lead->z || (r->z == lead->z && r->y > lead->y)))
            lead = r;
    }
    return lead;
}

static bool has_leading(const emit_stage *e)
{
    for (int k = 0; k < e->slots && !e->in_planes; k++)
        if (leading_row(e, k))
            return true;
    return false;
}

static void add_fetches(const emit_stage *e)
{
    if (e->relaxed || !has_leading(e))
        return;
    text_add(e->t, "        if (ahead) {\n");
    for (int k = 0; k < e->slots && !e->in_planes; k++)
        if (leading_row(e, k)) {
            /* Once for each cache line: a vector may be a part of one. */
            const emit_row *lead = leading_row(e, k);
            const int size = (int)pav_type_size(emit_storage(e, k));

            text_add(e->t,
                     "            if ((i & %d) == 0)\n"
                     "                fetch(%s + soon%d, %d * y%d, %d);\n",
                     CPU_LINE / size - 1,
                     address_at(e, k, (const int[MAX_DIM]){0, lead->y, lead->z}), k, size,
                     k, e->height);
        }
    text_add(e->t, "        }\n");
}

/* ---- all --------------------------------------------------------------------------- */

/* from: start of a cache line; first, to: the points in the row. */
static void add_loop(emit_stage *e, const char *first, const char *to)
{
    const char *lanes = e->real == PAV_F32 ? "FLOATS" : "DOUBLES";

    text_add(e->t, "    const int64_t from = %s & -%d;\n", first, points_of_lines(e));
    if (stores(e) && !e->relaxed)
        text_add(
            e->t,
            "    const uint64_t wholes = end - first < %s ? 0 : end - first - %s + 1;\n",
            lanes, lanes);
    declare_pointers(e, "from");
    /* Each lane has an address of its own on a finer grid. For hundreds of them gcc's
     * choice of induction variables takes half a minute, and spills more registers. */
    text_add(e->t,
             has_row(e, -1, IR_TO_FINE)
                 ? "    for (int64_t at = from; at < %s; at += %s) {\n"
                   "        int64_t i = at;\n        OPAQUE(i);\n"
                 : "    for (int64_t i = from; i < %s; i += %s) {\n",
             to, lanes);
    each_pointer(e, "        OPAQUE(", ");\n");

    for (int k = 0; k < e->slots; k++)
        if (has_own_strides(e, k) && strides_of(e, k) == k && e->code->dim > 1)
            text_add(e->t, "        OPAQUE(y%d);\n", k);
    add_fetches(e);

    for (int64_t k = 0; k < e->ordered; k++)
        if (e->place[e->order[k]] == PLACE_POINT && !is_only_stored(e, e->order[k]))
            for (e->shift = 0; e->shift < e->height; e->shift++)
                add_vector_line(e, e->order[k]);
    e->shift = 0;

    for (int64_t k = 0, r = 0; k < e->stage->outputs; k++)
        if (e->stage->output[k].kind == IR_REDUCE)
            text_add(e->t, "        STORE(v%lld + (i - from), f64_of_%s(%s));\n",
                     (long long)r++, vector_type(e),
                     vector_number(e, e->stage->output[k].node));

    if (stores(e))
        add_all_stores(e);
    each_pointer(e, "        ", e->real == PAV_F32 ? " += FLOATS;\n" : " += DOUBLES;\n");
    text_add(e->t, "    }\n");
}

/* ---- rows in order ----------------------------------------------------------------- */

/* A value at a point of row `shift`, x fastest. */
static const char *element_at(const emit_stage *e, int slot, const int offset[MAX_DIM])
{
    const int of = strides_of(e, slot);

    return arena_print(e->arena, "row%d[i%s%s%s]", slot, emit_plus(e->arena, offset[0]),
                       steps_along(e, offset[1] + e->shift, 'y', of),
                       steps_along(e, offset[2], 'z', of));
}

static const char *element_of_row(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];

    return n->transfer == IR_SAME
               ? element_at(e, emit_slot_of(e, n->field, n->level), n->offset)
               : arena_print(e->arena, "%s[%s]", emit_loaded_row(e, node),
                             emit_index(e->arena, "i", n->offset[0],
                                        ir_transfer_along(n->transfer, n->kept, 0)));
}

/* Point by point, since each point of an operation along x needs the one before. The
 * chains of several rows overlap. */
static void add_ordered_loop(emit_stage *e)
{
    static const int here[MAX_DIM];

    text_add(e->t, e->stage->along > 0
                       ? "    for (int64_t i = first; i < end; i++) {\n"
                       : "    for (int64_t i = end - 1; i >= first; i--) {\n");
    e->element = element_of_row;
    for (int64_t k = 0; k < e->ordered; k++)
        for (e->shift = 0; e->place[e->order[k]] == PLACE_POINT && e->shift < e->height;
             e->shift++)
            emit_node_line(e, e->order[k], "        ");
    for (int64_t k = 0; k < e->stage->outputs; k++)
        for (e->shift = 0; e->shift < e->height; e->shift++) {
            const ir_output *o = &e->stage->output[k];
            text_add(e->t, "        %s = %s;\n",
                     element_at(e, emit_slot_of(e, o->field, o->level), here),
                     emit_output_value(e, o));
        }
    e->shift = 0;
    e->element = NULL;
    text_add(e->t, "    }\n");
}

void emit_row_function(emit_stage *e, const char *name, int height)
{
    e->height = height;
    text_add(e->t, "\n%s void %s_%lld_%lld(const work *w, const place *p)\n{\n",
             e->in_planes ? "static" : "INLINE", name, (long long)e->program,
             (long long)e->number);
    add_locals(e);
    if (abs(e->stage->along) == 1) {
        add_ordered_loop(e);
        text_add(e->t, "}\n");
        return;
    }

    /* Distance from this row to the prefetched one. Compilers see when several slots have
     * the same distance. */
    for (int k = 0; k < e->slots && !e->in_planes && !e->relaxed; k++)
        if (leading_row(e, k))
            text_add(e->t,
                     "    const int64_t soon%d = (p->prefetch_j - j) * y%d + "
                     "(p->prefetch_k - k) * z%d;\n",
                     k, k, k);

    /* Loads the flags tested at each vector into registers. */
    if (!e->relaxed && has_leading(e))
        text_add(e->t, "    const int ahead = w->ahead > 0;\n");
    if (!e->relaxed && !e->in_planes && stores(e))
        text_add(e->t, "    const int streams = w->streams%s;\n",
                 has_alike(e) ? ", same_ends = w->same_ends" : "");
    if (e->reductions) {
        /* Keeps the values of a piece until all of them are computed. */
        for (int r = 0; r < e->reductions; r++)
            text_add(e->t, "    ALIGNED double v%d[PIECE + 2 * %d];\n", r,
                     points_of_lines(e));
        text_add(e->t, "    for (int64_t x = first, n; x < end; x += n) {\n"
                       "        n = piece(x, end);\n");
        add_loop(e, "x", "x + n");
        for (int64_t k = 0, r = 0; k < e->stage->outputs; k++)
            if (e->stage->output[k].kind == IR_REDUCE) {
                text_add(e->t,
                         "        *reduction_of(w, %lld, x, j, k) = reduce(%s, v%lld + "
                         "(x - from), x, n);\n",
                         (long long)r, emit_reduction_name(e->stage->output[k].reduction),
                         (long long)r);
                r++;
            }
        text_add(e->t, "    }\n");
    } else
        add_loop(e, "first", "end");
    text_add(e->t, "}\n");
}
