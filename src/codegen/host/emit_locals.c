/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in front of the loops along x: tables, uniforms, rows that are read and stored, and values
 * that are the same along a row. A strip gets them as parameters of the same names. */
#include "codegen/codegen_private.h"

/* A local is printed as its definition, as a parameter, or as an argument. */
typedef enum form { DEFINED, PARAMETER, ARGUMENT } form;

enum { LINE_END = 66 };

static int64_t width_so_far(const text *t)
{
    int64_t n = 0;

    while (n < t->length && t->data[t->length - 1 - n] != '\n')
        n++;
    return n;
}

static void open_local(const char *type, form f, text *t)
{
    const bool first = t->length > 0 && t->data[t->length - 1] == '(';

    if (f == DEFINED)
        text_add(t, "    %s", type);
    else
        text_add(t, "%s%s",
                 first                        ? ""
                 : width_so_far(t) > LINE_END ? ",\n                "
                                              : ", ",
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

static const char *uniform_type(const emit_stage *e, int64_t uniform)
{
    return emit_is_seed(e, uniform) ? "const uint64_t "
           : e->real == PAV_F32     ? "const float "
                                    : "const double ";
}

static void add_uniforms(const emit_stage *e, form f, text *t)
{
    for (int64_t u = 0; u < e->code->uniforms; u++) {
        if (!e->uniform[u])
            continue;
        open_local(uniform_type(e, u), f, t);
        emit_uniform_name(e->code, (int)u, t);
        if (f == DEFINED && emit_is_seed(e, u))
            text_add(t, " = bits_of(w->uniform[%lld]);\n", (long long)u);
        else if (f == DEFINED)
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

void emit_index(const char *name, int offset, ir_transfer transfer, text *t)
{
    if (transfer == IR_TO_COARSE)
        text_add(t, "((%s + (%d)) >> 1)", name, offset);
    else if (transfer == IR_TO_FINE)
        text_add(t, "(2 * %s + (%d))", name, offset);
    else if (offset)
        text_add(t, "(%s %c %d)", name, offset < 0 ? '-' : '+',
                 offset < 0 ? -offset : offset);
    else
        text_add(t, "%s", name);
}

static void add_place(const emit_stage *e, const emit_row *row, const char *qualifier,
                      text *t)
{
    text_add(t, " = (%s%s *)g[%d].data + ", qualifier,
             emit_c_type(emit_storage(e, row->slot)), row->slot);
    emit_index("j", row->y, row->transfer, t);
    text_add(t, " * g[%d].y + ", row->slot);
    emit_index("k", row->z, row->transfer, t);
    text_add(t, " * g[%d].z;\n", row->slot);
}

static void add_loaded(const emit_stage *e, form f, text *t)
{
    for (int64_t r = 0; r < e->rows; r++) {
        const emit_row *row = &e->row[r];
        if (row->shift >= emit_rows_at_once(e))
            continue;
        open_pointer(emit_storage(e, row->slot), false, f, t);
        emit_row_name(e, row, t);
        if (f == DEFINED)
            add_place(e, row, "const ", t);
    }
}

int emit_same_field(const emit_stage *e, int slot)
{
    for (int k = 0; k < e->slots; k++)
        if (k != slot && e->slot[k].field == e->slot[slot].field && e->slot[k].loaded &&
            !e->slot[k].stored)
            return k;
    return -1;
}

/* The same row of a level that holds the same around it, if there is one. */
static void add_alike(const emit_stage *e, int slot, form f, text *t)
{
    const int other = emit_same_field(e, slot);
    const char *type = emit_c_type(emit_storage(e, slot));

    if (other < 0 || e->height == 0)
        return;
    open_pointer(emit_storage(e, slot), false, f, t);
    text_add(t, "alike%d", slot);
    if (f == DEFINED)
        text_add(t,
                 " = w->ends_alike ? (const %s *)g[%d].data + j * g[%d].y + k * g[%d].z "
                 ": 0;\n",
                 type, other, other, other);
}

static void add_stride(const emit_stage *e, int slot, form f, text *t)
{
    if (e->height <= 1 || emit_is_hidden(e, slot))
        return;
    open_local("const int64_t ", f, t);
    text_add(t, "stride%d", slot);
    if (f == DEFINED)
        text_add(t, " = %d * g[%d].y;\n", (int)pav_type_size(emit_storage(e, slot)),
                 slot);
}

/* The row of each slot that is stored; of a tile, its first, and the bytes from row to row. */
static void add_stored(const emit_stage *e, form f, text *t)
{
    for (int k = 0; k < e->slots; k++) {
        const emit_row row = {.slot = k};
        if (!e->slot[k].stored)
            continue;
        open_pointer(emit_storage(e, k), true, f, t);
        emit_slot_name(e, k, t);
        if (f == DEFINED)
            add_place(e, &row, "", t);
        add_alike(e, k, f, t);
        add_stride(e, k, f, t);
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
