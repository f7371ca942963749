/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in front of the loops along x: tables, uniforms, rows that are read and stored, and values
 * that are the same along a row. A strip gets them as parameters of the same names. */
#include "emit/emit_private.h"

/* A local is printed as its definition, as a parameter, or as an argument. */
typedef enum form { DEFINED, PARAMETER, ARGUMENT } form;

static void open_local(const char *type, form f, text *t)
{
    if (f == DEFINED)
        text_add(t, "    %s", type);
    else
        text_add(t, "%s%s", t->length && t->data[t->length - 1] != '(' ? ", " : "",
                 f == PARAMETER ? type : "");
}

static void add_tables(const emit_stage *e, form f, text *t)
{
    for (int64_t n = 0; n < e->code->tables; n++) {
        if (!e->table[n])
            continue;
        open_local("const double *", f, t);
        text_add(t, f == DEFINED ? "const table%lld = w->table[%lld];\n" : "table%lld",
                 (long long)n, (long long)n);
    }
}

static void add_uniforms(const emit_stage *e, form f, text *t)
{
    for (int64_t u = 0; u < e->code->uniforms; u++) {
        if (!e->uniform[u])
            continue;
        open_local(e->real == PAV_F32 ? "const float " : "const double ", f, t);
        emit_uniform_name(e->code, (int)u, t);
        if (f == DEFINED)
            text_add(t, " = %sw->uniform[%lld];\n", e->real == PAV_F32 ? "(float)" : "",
                     (long long)u);
    }
}

/* ---- rows --------------------------------------------------------------------------------- */

static void open_pointer(pav_type storage, bool stored, form f, text *t)
{
    open_local("", f, t);
    if (f != ARGUMENT)
        text_add(t, "%s%s *restrict %s", stored ? "" : "const ", emit_c_type(storage),
                 f == DEFINED ? "const " : "");
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

static void add_place(const emit_stage *e, const emit_row *row, const char *qualifier,
                      text *t)
{
    text_add(t, " = (%s%s *)g[%d].data + ", qualifier,
             emit_c_type(emit_storage(e, row->slot)), row->slot);
    add_index('j', row->y, row->transfer, t);
    text_add(t, " * g[%d].y + ", row->slot);
    add_index('k', row->z, row->transfer, t);
    text_add(t, " * g[%d].z;\n", row->slot);
}

static void add_loaded(const emit_stage *e, form f, text *t)
{
    for (int64_t r = 0; r < e->rows; r++) {
        const emit_row *row = &e->row[r];
        if (e->height <= 1 && !row->single)
            continue;
        open_pointer(emit_storage(e, row->slot), false, f, t);
        emit_row_name(e, row, t);
        if (f == DEFINED)
            add_place(e, row, "const ", t);
    }
}

/* The row of each slot that is stored; of a tile, its first, and the bytes from row to row. */
static void add_stored(const emit_stage *e, form f, text *t)
{
    for (int64_t k = 0; k < e->slots; k++) {
        const emit_row row = {.slot = (int)k};
        if (!e->slot[k].stored)
            continue;
        open_pointer(emit_storage(e, k), true, f, t);
        emit_slot_name(e, (int)k, t);
        if (f == DEFINED)
            add_place(e, &row, "", t);
        if (e->height <= 1)
            continue;
        open_local("const int64_t ", f, t);
        text_add(t, "stride%lld", (long long)k);
        if (f == DEFINED)
            text_add(t, " = %lld * g[%lld].y;\n",
                     (long long)pav_type_size(emit_storage(e, k)), (long long)k);
    }
}

/* ---- values ------------------------------------------------------------------------------- */

static void add_value(emit_stage *e, int node, form f)
{
    if (f == DEFINED) {
        emit_node_line(e, node, "    ");
        return;
    }
    open_local(emit_node_type(e, node), f, e->t);
    emit_node_name(e, node, e->t);
}

static void add_values(emit_stage *e, form f)
{
    for (int64_t k = 0; k < e->stage->count; k++)
        if (e->place[k] == PLACE_ROW)
            for (e->shift = 0; e->shift < emit_rows_at_once(e); e->shift++)
                add_value(e, (int)k, f);
    e->shift = 0;
}

static void add_all(emit_stage *e, form f)
{
    add_tables(e, f, e->t);
    add_uniforms(e, f, e->t);
    add_loaded(e, f, e->t);
    add_stored(e, f, e->t);
    add_values(e, f);
}

void emit_locals(emit_stage *e)
{
    text_add(e->t, "    const grid *const g = w->grid;\n"
                   "    const int64_t end = p->end, j = p->j, k = p->k;\n");
    add_all(e, DEFINED);
    text_add(e->t, "    (void)g, (void)j, (void)k;\n");
}

void emit_parameters(emit_stage *e)
{
    add_all(e, PARAMETER);
}

void emit_arguments(emit_stage *e)
{
    add_all(e, ARGUMENT);
}
