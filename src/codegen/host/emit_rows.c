/* SPDX-License-Identifier: BSD-3-Clause */
/* A function that goes through rows from end to end, a vector at a time: row_0_3 takes
 * one row, rows_0_3 several side by side (n12_0, n12_1, ...). It goes node by node, so
 * that chains of operations overlap and rows share their loads. Vectors begin at cache
 * lines. Points of the first and last vector outside the row are not stored. */
#include <assert.h>

#include "codegen/codegen_private.h"

/* Points from one cache line to the next in all stored fields. */
static int points_of_lines(const emit_stage *e)
{
    int least = (int)pav_type_size(e->real);

    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored && (int)pav_type_size(emit_storage(e, k)) < least)
            least = (int)pav_type_size(emit_storage(e, k));
    const int count = CPU_LINE / (least > 2 ? least : 2);
    assert((count & (count - 1)) == 0); /* first & -count begins a line */
    return count;
}

static const char *lanes_of(const emit_stage *e)
{
    return e->real == PAV_F32 ? "FLOATS" : "DOUBLES";
}

/* ---- values ------------------------------------------------------------------------ */

/* True if the value is only rounded to the type of its field and stored there. add_narrow
 * does the rounding then. */
static bool is_only_stored(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];

    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const ir_output *o = &e->stage->output[k];
        if (o->node == node && (n->op != IR_ROUND || o->kind != IR_STORE ||
                                n->type != e->code->field[o->field].storage))
            return false;
    }
    for (int64_t k = node + 1; n->op == IR_ROUND && k < e->stage->count; k++)
        for (int a = 0; a < ir_op_table[e->stage->node[k].op].arguments; a++)
            if (e->place[k] != PLACE_UNUSED && e->stage->node[k].arg[a] == node)
                return false;
    return n->op == IR_ROUND;
}

static void add_nodes(emit_stage *e)
{
    for (int64_t k = 0; k < e->ordered; k++)
        if (e->place[e->order[k]] == PLACE_POINT && !is_only_stored(e, e->order[k]))
            for (e->shift = 0; e->shift < e->height; e->shift++)
                emit_vector_line(e, e->order[k], e->t);
    e->shift = 0;
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

/* Converts a value to the field's type if this differs from the type of the computation.
 * A value already rounded to the field's type is converted directly, without widening. */
static void add_narrow(const emit_stage *e, const ir_output *o)
{
    const pav_type storage = e->code->field[o->field].storage;
    const ir_node *n = &e->stage->node[o->node];
    const bool rounded = n->op == IR_ROUND && n->type == storage;

    text_add(e->t, "        %s v%d_%d = %s_of_%s(", narrow_type(e, storage),
             emit_slot_of(e, o->field, o->level), e->shift, pav_type_name(storage),
             emit_vector_type(e));
    emit_vector_number(e, rounded ? n->arg[0] : o->node, e->t);
    text_add(e->t, ");\n");
}

static bool is_narrow(const emit_stage *e, const ir_output *o)
{
    return o->kind == IR_STORE && e->code->field[o->field].storage != e->real;
}

static void add_stored_value(const emit_stage *e, const ir_output *o)
{
    if (is_narrow(e, o))
        text_add(e->t, "v%d_%d", emit_slot_of(e, o->field, o->level), e->shift);
    else
        emit_vector_number(e, o->node, e->t);
}

/* ---- stores ------------------------------------------------------------------------ */

static void add_address(const emit_stage *e, int slot)
{
    static const int here[MAX_DIM];

    emit_address(e, slot, here, e->t);
}

static void add_store(const emit_stage *e, const ir_output *o, const char *how)
{
    text_add(e->t, "            %s(", how);
    add_address(e, emit_slot_of(e, o->field, o->level));
    text_add(e->t, ", ");
    add_stored_value(e, o);
    text_add(e->t, ");\n");
}

static void add_part(const emit_stage *e, const ir_output *o, bool past)
{
    const int slot = emit_slot_of(e, o->field, o->level);

    if (e->relaxed)
        text_add(e->t, "            RELAXED_LANES(");
    else if (is_narrow(e, o))
        text_add(e->t, "            STORE_LANES(");
    else
        text_add(e->t, "            %s_%s_part(", emit_vector_type(e),
                 past ? "stream" : "store");
    add_address(e, slot);
    text_add(e->t, ", ");
    add_stored_value(e, o);
    if (past) {
        text_add(e->t, ", ");
        add_address(e, emit_same_field(e, slot));
    }
    text_add(e->t, ", first - i, end - i);\n");
}

typedef enum store_kind { STREAM_WHOLE, STORE_WHOLE, STREAM_PART, STORE_PART } store_kind;

static void add_stores(emit_stage *e, store_kind kind)
{
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const ir_output *o = &e->stage->output[k];
        if (o->kind != IR_STORE)
            continue;
        const bool alike = !is_narrow(e, o) &&
                           emit_same_field(e, emit_slot_of(e, o->field, o->level)) >= 0;
        for (e->shift = 0; e->shift < e->height; e->shift++)
            if (kind == STREAM_WHOLE || kind == STORE_WHOLE)
                add_store(e, o, kind == STORE_WHOLE ? "STORE" : "STREAM");
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
             e->shift++)
            add_narrow(e, &e->stage->output[k]);
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
    bool any = false;

    for (int k = 0; k < e->slots && !e->in_planes; k++)
        any = any || leading_row(e, k);
    return any;
}

/* Distance from this row to the prefetched one. Compilers see when several slots have the
 * same distance. */
static void add_distances(const emit_stage *e)
{
    for (int k = 0; k < e->slots && !e->in_planes; k++)
        if (leading_row(e, k))
            text_add(e->t,
                     "    const int64_t soon%d = (p->prefetch_j - j) * y%d + "
                     "(p->prefetch_k - k) * z%d;\n",
                     k, k, k);
}

/* Once for each cache line: a vector may be a part of one. */
static void add_fetch(const emit_stage *e, int slot)
{
    const emit_row *lead = leading_row(e, slot);
    const int size = (int)pav_type_size(emit_storage(e, slot));

    text_add(e->t, "            if ((i & %d) == 0)\n                fetch(",
             CPU_LINE / size - 1);
    emit_address(e, slot, (const int[MAX_DIM]){0, lead->y, lead->z}, e->t);
    text_add(e->t, " + soon%d, %d * y%d, %d);\n", slot, size, slot, e->height);
}

static void add_fetches(const emit_stage *e)
{
    if (e->relaxed || !has_leading(e))
        return;
    text_add(e->t, "        if (ahead) {\n");
    for (int k = 0; k < e->slots && !e->in_planes; k++)
        if (leading_row(e, k))
            add_fetch(e, k);
    text_add(e->t, "        }\n");
}

/* ---- reductions -------------------------------------------------------------------- */

static void add_reduced_values(const emit_stage *e)
{
    int r = 0;

    for (int64_t k = 0; k < e->stage->outputs; k++)
        if (e->stage->output[k].kind == IR_REDUCE) {
            text_add(e->t, "        STORE(v%d + (i - from), f64_of_%s(", r++,
                     emit_vector_type(e));
            emit_vector_number(e, e->stage->output[k].node, e->t);
            text_add(e->t, "));\n");
        }
}

static void add_reductions(const emit_stage *e)
{
    int r = 0;

    for (int64_t k = 0; k < e->stage->outputs; k++)
        if (e->stage->output[k].kind == IR_REDUCE) {
            text_add(e->t,
                     "        *reduction_of(w, %d, x, j, k) = reduce(%s, v%d + (x - "
                     "from), x, n);\n",
                     r, emit_reduction_name(e->stage->output[k].reduction), r);
            r++;
        }
}

/* ---- all --------------------------------------------------------------------------- */

/* from: start of a cache line; first, to: the points in the row. */
static void add_loop(emit_stage *e, const char *first, const char *to)
{
    const char *lanes = lanes_of(e);

    text_add(e->t, "    const int64_t from = %s & -%d;\n", first, points_of_lines(e));
    if (stores(e) && !e->relaxed)
        text_add(
            e->t,
            "    const uint64_t wholes = end - first < %s ? 0 : end - first - %s + 1;\n",
            lanes, lanes);
    emit_pointers(e, "from");
    text_add(e->t, "    for (int64_t i = from; i < %s; i += %s) {\n", to, lanes);
    emit_each_pointer(e, "        OPAQUE(", ");\n");
    emit_opaque_strides(e);
    add_fetches(e);
    add_nodes(e);
    add_reduced_values(e);
    if (stores(e))
        add_all_stores(e);
    emit_each_pointer(e, "        ",
                      e->real == PAV_F32 ? " += FLOATS;\n" : " += DOUBLES;\n");
    text_add(e->t, "    }\n");
}

/* Keeps the values of a piece until all of them are computed. */
static void add_pieces(emit_stage *e)
{
    for (int r = 0; r < e->reductions; r++)
        text_add(e->t, "    ALIGNED double v%d[PIECE + 2 * %d];\n", r,
                 points_of_lines(e));
    text_add(e->t, "    for (int64_t x = first, n; x < end; x += n) {\n"
                   "        n = piece(x, end);\n");
    add_loop(e, "x", "x + n");
    add_reductions(e);
    text_add(e->t, "    }\n");
}

/* Loads the flags tested at each vector into registers. */
static void add_tests(const emit_stage *e)
{
    if (e->relaxed)
        return;
    if (has_leading(e))
        text_add(e->t, "    const int ahead = w->ahead > 0;\n");
    if (!e->in_planes && stores(e))
        text_add(e->t, "    const int streams = w->streams%s;\n",
                 has_alike(e) ? ", same_ends = w->same_ends" : "");
}

void emit_row_function(emit_stage *e, const char *name, int height)
{
    e->height = height;
    text_add(e->t, "\n%s void %s_%lld_%lld(const work *w, const place *p)\n{\n",
             e->in_planes ? "static" : "INLINE", name, (long long)e->program,
             (long long)e->number);
    emit_locals(e);
    if (!e->relaxed)
        add_distances(e);
    add_tests(e);
    if (e->reductions)
        add_pieces(e);
    else
        add_loop(e, "first", "end");
    text_add(e->t, "}\n");
}
