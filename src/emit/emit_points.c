/* SPDX-License-Identifier: BSD-3-Clause */
/* The stage at points: what stands in front of a loop along x, and what stands in it. All of it is either
 * of one row, or of the rows of a tile side by side (n12_0, n12_1, ...), node by node, so that chains of
 * operations overlap and rows share what they load. */
#include "emit/emit_private.h"

pav_type emit_storage(const emit_stage *e, int64_t slot)
{
    return e->code->field[e->slot[slot].field].storage;
}

int emit_strip(const emit_stage *e)
{
    return TILE_POINTS / e->height;
}

/* ---- in front of the loop ----------------------------------------------------------------- */

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

/* j, k or their neighbours, on the grid that is read. */
static void add_index(char name, int offset, ir_transfer transfer, text *t)
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

static void add_row(const emit_stage *e, const emit_row *row, text *t)
{
    const char *type = emit_c_type(emit_storage(e, row->slot));

    text_add(t, "    const %s *restrict const ", type);
    emit_row_name(e, row, t);
    text_add(t, " = (const %s *)g[%d].data + ", type, row->slot);
    add_index('j', row->y, row->transfer, t);
    text_add(t, " * g[%d].y + ", row->slot);
    add_index('k', row->z, row->transfer, t);
    text_add(t, " * g[%d].z;\n", row->slot);
}

static void add_loaded(const emit_stage *e, text *t)
{
    for (int64_t r = 0; r < e->rows; r++)
        if (e->shift >= 0 || e->row[r].single)
            add_row(e, &e->row[r], t);
}

/* The row of each slot that is stored; of a tile, its first. */
static void add_stored(const emit_stage *e, text *t)
{
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored) {
            const char *type = emit_c_type(emit_storage(e, k));
            text_add(t, "    %s *restrict const ", type);
            emit_slot_name(e, (int)k, t);
            text_add(t, " = (%s *)g[%lld].data + j * g[%lld].y + k * g[%lld].z;\n", type,
                     (long long)k, (long long)k, (long long)k);
        }
}

/* ---- values ------------------------------------------------------------------------------- */

static void add_node(const emit_stage *e, int node, const char *indent, text *t)
{
    const bool boolean = ir_is_boolean(e->stage->node[node].op);

    text_add(t, "%sconst %s ", indent, boolean ? "int" : emit_c_type(e->real));
    emit_node_name(e, node, t);
    text_add(t, " = ");
    emit_expression(e, node, t);
    text_add(t, ";\n");
}

static void add_nodes(emit_stage *e, emit_place at, int height, const char *indent)
{
    for (int64_t k = 0; k < e->stage->count; k++)
        if (e->place[k] == at)
            for (int r = 0; r < (height ? height : 1); r++) {
                e->shift = height ? r : -1;
                add_node(e, (int)k, indent, e->t);
            }
}

/* Where a value goes: to the field, or to the strip of a tile; what is reduced to v0, v1, ... */
static void add_target(const emit_stage *e, const ir_output *o, int reduction, text *t)
{
    const int slot = o->kind == IR_STORE ? emit_slot_of(e, o->field, o->level) : -1;

    if (o->kind != IR_STORE)
        text_add(t, "v%d[i - x]", reduction);
    else if (e->shift >= 0)
        text_add(t, "strip%d[%d][i - at]", slot, e->shift);
    else {
        emit_slot_name(e, slot, t);
        text_add(t, "[i]");
    }
}

static void add_output(const emit_stage *e, const ir_output *o, int reduction,
                       const char *indent, text *t)
{
    text value = {0};

    if (ir_is_boolean(e->stage->node[o->node].op))
        text_add(&value, "(%s)", emit_c_type(e->real));
    emit_operand(e, o->node, &value);
    text_add(t, "%s", indent);
    add_target(e, o, reduction, t);
    text_add(t, " = ");
    if (value.data && o->kind == IR_STORE)
        emit_converted(e->code->field[o->field].storage, e->real, value.data, t);
    else if (value.data)
        text_add(t, "%s", value.data);
    text_add(t, ";\n");
    t->failed = t->failed || value.failed;
    text_free(&value);
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

/* ---- both --------------------------------------------------------------------------------- */

void emit_before_loop(emit_stage *e, int height)
{
    e->shift = height ? 0 : -1;
    text_add(e->t, "    const grid *const g = w->grid;\n");
    add_uniforms(e, e->t);
    add_loaded(e, e->t);
    add_stored(e, e->t);
    add_nodes(e, PLACE_ROW, height, "    ");
    text_add(e->t, "    (void)g, (void)j, (void)k;\n");
}

void emit_in_loop(emit_stage *e, int height, const char *indent)
{
    add_nodes(e, PLACE_POINT, height, indent);
    e->shift = height ? 0 : -1;
    do
        add_outputs(e, indent, e->t);
    while (height && ++e->shift < height);
}
