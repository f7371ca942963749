/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of one stage, from the inside out:
 *
 *     points_0_3   the stage at n points of one row, in a loop without branches
 *     some_0_3     the same with results stored where they belong
 *     row_0_3      a row: past the caches as far as lines are whole
 *     pav_0_3      the kernel: all rows of the box, by threads when it is large */
#include "emit/emit_private.h"

bool emit_repeats(const emit_stage *e)
{
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].loaded && e->slot[k].stored)
            return false;
    return true;
}

bool emit_streams(const emit_stage *e)
{
    bool stores = false;

    for (int64_t k = 0; k < e->slots; k++)
        stores = stores || e->slot[k].stored;
    return stores && emit_repeats(e) && e->reductions == 0;
}

static pav_type storage_of(const emit_stage *e, int64_t slot)
{
    return e->code->field[e->slot[slot].field].storage;
}

/* ---- what the stage does, for people ------------------------------------------------------ */

static void add_touched(const emit_stage *e, bool stored, text *t)
{
    const char *comma = stored ? " stores " : " loads ";

    for (int64_t k = 0; k < e->slots; k++)
        if (stored ? e->slot[k].stored : e->slot[k].loaded) {
            text_add(t, "%s", comma);
            emit_level_text(e->code, e->slot[k].field, e->slot[k].level, t);
            comma = ", ";
        }
    if (comma[0] == ',')
        text_add(t, ";");
}

static void add_comment(const emit_stage *e, text *t)
{
    text_add(t, "\n/* Stage %lld, ", (long long)e->number);
    emit_plain(e->stage->name ? e->stage->name : "without a name", t);
    text_add(t, ":");
    add_touched(e, true, t);
    add_touched(e, false, t);
    if (e->reductions)
        text_add(t, " reduces %d value%s;", e->reductions, e->reductions > 1 ? "s" : "");
    text_add(t, " in %s. */\n", pav_type_name(e->real));
}

/* ---- points ------------------------------------------------------------------------------- */

static void add_results(const emit_stage *e, text *t)
{
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored) {
            text_add(t, ",\n    %s *restrict ", emit_c_type(storage_of(e, k)));
            emit_slot_name(e, (int)k, t);
        }
    for (int r = 0; r < e->reductions; r++)
        text_add(t, ",\n    double *restrict v%d", r);
}

static void add_uniforms(const emit_stage *e, text *t)
{
    for (int64_t u = 0; u < e->code->uniforms; u++)
        if (e->uniform[u]) {
            text_add(t, "    const %s ", emit_c_type(e->real));
            emit_uniform_name(e->code, (int)u, t);
            text_add(t, " = %sw->uniform[%lld];\n", e->real == PAV_F32 ? "(float)" : "",
                     (long long)u);
        }
}

static void add_index_of(char name, int offset, ir_transfer transfer, text *t)
{
    if (transfer == IR_TO_COARSE)
        text_add(t, "((%c + (%d)) >> 1)", name, offset);
    else if (transfer == IR_TO_FINE)
        text_add(t, "(2 * %c + (%d))", name, offset);
    else if (offset)
        text_add(t, "(%c %c %d)", name, offset < 0 ? '-' : '+',
                 offset < 0 ? -offset : offset);
    else
        text_add(t, "%c", name);
}

/* A row's pointer is to the element that i = 0 reads with offset 0; on a coarse row to element 0. */
static void add_row(const emit_stage *e, const emit_row *row, text *t)
{
    const char *type = emit_c_type(storage_of(e, row->slot));

    text_add(t, "    const %s *restrict const ", type);
    emit_row_name(e, row, t);
    text_add(t, " =\n        (const %s *)g[%d].data + ", type, row->slot);
    if (row->transfer != IR_TO_COARSE)
        text_add(t, row->transfer == IR_TO_FINE ? "2 * x + " : "x + ");
    add_index_of('j', row->y, row->transfer, t);
    text_add(t, " * g[%d].y + ", row->slot);
    add_index_of('k', row->z, row->transfer, t);
    text_add(t, " * g[%d].z;\n", row->slot);
}

static void add_node(const emit_stage *e, int node, const char *indent, text *t)
{
    const bool boolean = ir_is_boolean(e->stage->node[node].op);

    text_add(t, "%sconst %s n%d = ", indent, boolean ? "int" : emit_c_type(e->real),
             node);
    emit_expression(e, node, t);
    text_add(t, ";\n");
}

static void add_nodes(const emit_stage *e, emit_place at, const char *indent, text *t)
{
    for (int64_t k = 0; k < e->stage->count; k++)
        if (e->place[k] == at)
            add_node(e, (int)k, indent, t);
}

static void add_output(const emit_stage *e, const ir_output *o, int reduction, text *t)
{
    const bool boolean = ir_is_boolean(e->stage->node[o->node].op);
    text value = {0};

    if (boolean)
        text_add(&value, "(%s)", emit_c_type(e->real));
    emit_operand(e, o->node, &value);
    text_add(t, "        ");
    if (o->kind == IR_STORE) {
        emit_slot_name(e, emit_slot_of(e, o->field, o->level), t);
        text_add(t, "[i] = ");
        if (value.data)
            emit_converted(e->code->field[o->field].storage, e->real, value.data, t);
    } else {
        text_add(t, "v%d[i] = %s", reduction, value.data ? value.data : "");
    }
    text_add(t, ";\n");
    t->failed = t->failed || value.failed;
    text_free(&value);
}

static void add_outputs(const emit_stage *e, text *t)
{
    int reduction = 0;

    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const ir_output *o = &e->stage->output[k];
        add_output(e, o, reduction, t);
        reduction += o->kind == IR_REDUCE;
    }
}

static void add_points(const emit_stage *e, text *t)
{
    text_add(t,
             "INLINE void points_%lld_%lld(\n    const work *w, int64_t x, "
             "int64_t n, int64_t j, int64_t k",
             (long long)e->program, (long long)e->number);
    add_results(e, t);
    text_add(t, ")\n{\n");
    if (e->rows)
        text_add(t, "    const grid *const g = w->grid;\n");
    add_uniforms(e, t);
    for (int64_t r = 0; r < e->rows; r++)
        add_row(e, &e->row[r], t);
    add_nodes(e, PLACE_ROW, "    ", t);
    text_add(t, "    (void)w, (void)x, (void)j, (void)k;\n");
    text_add(t, "    INDEPENDENT\n    for (int64_t i = 0; i < n; i++) {\n");
    add_nodes(e, PLACE_POINT, "        ", t);
    add_outputs(e, t);
    text_add(t, "    }\n}\n");
}

/* ---- rows --------------------------------------------------------------------------------- */

/* The row of a slot that is stored, from index 0 along x. */
static void add_targets(const emit_stage *e, text *t)
{
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored) {
            const char *type = emit_c_type(storage_of(e, k));
            text_add(t, "    %s *const ", type);
            emit_slot_name(e, (int)k, t);
            text_add(t,
                     " = (%s *)w->grid[%lld].data + j * w->grid[%lld].y + k * "
                     "w->grid[%lld].z;\n",
                     type, (long long)k, (long long)k, (long long)k);
        }
}

/* points_..(w, x + at, n, j, k, ...) with results in rows from `at`, or in spans beside them. */
static void add_call(const emit_stage *e, const char *at, const char *n, bool spans,
                     text *t)
{
    text_add(t, "points_%lld_%lld(w, x%s, %s, j, k", (long long)e->program,
             (long long)e->number, at, n);
    for (int64_t k = 0; k < e->slots; k++) {
        if (!e->slot[k].stored)
            continue;
        text_add(t, ", ");
        if (spans)
            text_add(t, "s%lld", (long long)k);
        else {
            emit_slot_name(e, (int)k, t);
            text_add(t, " + x%s", at);
        }
    }
    for (int r = 0; r < e->reductions; r++)
        text_add(t, ", v%d%s", r, at);
    text_add(t, ");\n");
}

/* n points from x: in strips, of which the last begins early enough to be whole, so that no point is left
 * to a slow remainder. Points may be computed twice where nothing is loaded that is stored. */
static void add_strips(const emit_stage *e, const char *indent, text *t)
{
    if (emit_repeats(e)) {
        text_add(t,
                 "%sfor (int64_t i = 0; i < n && n >= STRIP; i += STRIP) {\n"
                 "%s    const int64_t at = i + STRIP < n ? i : n - STRIP;\n%s    ",
                 indent, indent, indent);
        add_call(e, " + at", "STRIP", false, t);
        text_add(t, "%s}\n%sif (n < STRIP)\n    ", indent, indent);
    }
    text_add(t, "%s", indent);
    add_call(e, "", "n", false, t);
}

/* Of the rows of a slot, the one that comes from memory first: farthest along z, then y. */
static const emit_row *leading_row(const emit_stage *e, int slot)
{
    const emit_row *first = NULL;

    for (int64_t n = 0; n < e->rows; n++) {
        const emit_row *r = &e->row[n];
        if (r->slot == slot && r->transfer == IR_SAME &&
            (!first || r->z > first->z || (r->z == first->z && r->y > first->y)))
            first = r;
    }
    return first;
}

static void add_fetch(const emit_stage *e, int slot, text *t)
{
    const emit_row *row = leading_row(e, slot);
    const char *type = emit_c_type(storage_of(e, slot));

    if (!row)
        return;
    text_add(t, "            fetch((const %s *)w->grid[%d].data + x + ", type, slot);
    add_index_of('j', row->y, row->transfer, t);
    text_add(t, " * w->grid[%d].y + ", slot);
    add_index_of('k', row->z, row->transfer, t);
    text_add(t, " * w->grid[%d].z,\n                  SPAN * sizeof(%s), w->ahead);\n",
             slot, type);
}

static void add_stream(const emit_stage *e, int slot, text *t)
{
    text_add(t, "            stream(");
    emit_slot_name(e, slot, t);
    text_add(t, " + x, s%d, sizeof s%d);\n", slot, slot);
}

/* some_..(w, x, n, j, k) */
static void add_some(const emit_stage *e, text *t)
{
    text_add(t,
             "\nNOT_INLINE void some_%lld_%lld(const work *w, int64_t x, int64_t n, "
             "int64_t j, "
             "int64_t k)\n{\n",
             (long long)e->program, (long long)e->number);
    add_targets(e, t);
    add_strips(e, "    ", t);
    text_add(t, "}\n");
}

static void add_span(const emit_stage *e, text *t)
{
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored)
            text_add(t, "            ALIGNED %s s%lld[SPAN];\n",
                     emit_c_type(storage_of(e, k)), (long long)k);
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].loaded)
            add_fetch(e, (int)k, t);
    text_add(t, "            ");
    add_call(e, "", "SPAN", true, t);
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored)
            add_stream(e, (int)k, t);
}

/* The part of a row that consists of whole lines goes past the caches, span by span. */
static void add_streamed(const emit_stage *e, text *t)
{
    const long long p = e->program, s = e->number;

    add_targets(e, t);
    text_add(t,
             "    if (w->streams) {\n"
             "        const int64_t n = lead(x, end);\n"
             "        if (n > 0)\n"
             "            some_%lld_%lld(w, x, n, j, k);\n"
             "        for (x += n; x + SPAN <= end; x += SPAN) {\n",
             p, s);
    add_span(e, t);
    text_add(t, "        }\n    }\n    if (x < end)\n");
}

static void add_folds(const emit_stage *e, text *t)
{
    static const char *const kind[] = {[REDUCTION_SUM] = "FOLD_SUM",
                                       [REDUCTION_MIN] = "FOLD_MIN",
                                       [REDUCTION_MAX] = "FOLD_MAX",
                                       [REDUCTION_NORM] = "FOLD_SUM"};
    int reduction = 0;

    for (int64_t k = 0; k < e->stage->outputs; k++)
        if (e->stage->output[k].kind == IR_REDUCE) {
            text_add(t, "        *folded(w, %d, x, j, k) = fold(%s, v%d, x, n);\n",
                     reduction, kind[e->stage->output[k].reduction], reduction);
            reduction++;
        }
}

static void add_reduced(const emit_stage *e, text *t)
{
    add_targets(e, t);
    for (int r = 0; r < e->reductions; r++)
        text_add(t, "    ALIGNED double v%d[PIECE];\n", r);
    text_add(t, "    for (int64_t n; x < end; x += n) {\n"
                "        n = piece(x, end);\n");
    add_strips(e, "        ", t);
    add_folds(e, t);
    text_add(t, "    }\n");
}

static void add_row_function(const emit_stage *e, text *t)
{
    const long long p = e->program, s = e->number;

    if (!e->reductions)
        add_some(e, t);
    text_add(t,
             "\nstatic void row_%lld_%lld(const work *w, int64_t x, int64_t end, "
             "int64_t j, int64_t k)\n{\n",
             p, s);
    if (e->reductions) {
        add_reduced(e, t);
    } else {
        if (emit_streams(e))
            add_streamed(e, t);
        text_add(t, emit_streams(e) ? "    " : "");
        text_add(t, "    some_%lld_%lld(w, x, end - x, j, k);\n", p, s);
    }
    text_add(t, "}\n");
}

void emit_kernel_text(emit_stage *e)
{
    char name[EMIT_NAME];

    emit_kernel_name(name, e->program, e->number);
    add_comment(e, e->t);
    add_points(e, e->t);
    add_row_function(e, e->t);
    text_add(e->t, "\nvoid %s(const work *w)\n{\n    each_row(w, row_%lld_%lld);\n}\n",
             name, (long long)e->program, (long long)e->number);
}
