/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in front of the loop along x: tables, uniforms, rows that are read and stored, and numbers that are the same
 * along a row. */
#include "codegen/codegen_private.h"

enum { MOST_POINTERS = 16 /* registers of a processor */ };

static void add_tables(const emit_stage *e, text *t)
{
    for (int64_t n = 0; n < e->code->tables; n++)
        if (e->table[n])
            text_add(t, "    const double *const table%d = w->table[%d];\n",
                     emit_table_number(e, (int)n), emit_table_number(e, (int)n));
}

static void add_uniforms(const emit_stage *e, text *t)
{
    for (int64_t u = 0; u < e->code->uniforms; u++) {
        if (!e->uniform[u])
            continue;
        const bool seed = emit_is_seed(e, u);
        text_add(t, "    const %s ", seed ? "uint64_t" : emit_c_type(e->real));
        emit_uniform_name(e, (int)u, t);
        text_add(t,
                 seed                 ? " = bits_of(w->uniform[%d]);\n"
                 : e->real == PAV_F32 ? " = (float)w->uniform[%d];\n"
                                      : " = w->uniform[%d];\n",
                 emit_uniform_number(e, (int)u));
    }
}

/* ---- rows --------------------------------------------------------------------------------- */

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

static void add_row(const emit_stage *e, const emit_row *row, text *t)
{
    const char *type = emit_c_type(emit_storage(e, row->slot));
    const char *qualifier = e->slot[row->slot].stored ? "" : "const ";

    text_add(t, "    %s%s *restrict const ", qualifier, type);
    emit_row_name(e, row, t);
    text_add(t, " = (%s%s *)g[%d].data + ", qualifier, type, row->slot);
    emit_index("j", row->y, row->transfer, t);
    text_add(t, " * g[%d].y + ", row->slot);
    emit_index("k", row->z, row->transfer, t);
    text_add(t, " * g[%d].z;\n", row->slot);
}

/* Tiles of wide stencils read more rows than there are registers for pointers. So only every height-th row of a slot has
 * one, and those between are as far from it as the rows of the tile are from its first. */
bool emit_shares_pointers(const emit_stage *e, int slot)
{
    int rows = 0;

    for (int64_t r = 0; r < e->rows; r++) {
        if (e->row[r].slot == slot && e->row[r].transfer != IR_SAME)
            return false;
        rows += e->row[r].slot == slot && e->row[r].shift < e->height;
    }
    return e->height > 1 && rows > MOST_POINTERS;
}

emit_row emit_row_base(const emit_stage *e, const emit_row *row)
{
    emit_row base = *row;

    if (emit_shares_pointers(e, row->slot))
        base.y -= ((row->y % e->height) + e->height) % e->height;
    return base;
}

static bool is_same(const emit_row *a, const emit_row *b)
{
    return a->slot == b->slot && a->transfer == b->transfer && a->y == b->y &&
           a->z == b->z;
}

static bool is_first(const emit_stage *e, int64_t row)
{
    const emit_row base = emit_row_base(e, &e->row[row]);

    for (int64_t r = 0; r < row; r++) {
        const emit_row other = emit_row_base(e, &e->row[r]);
        if (e->row[r].shift < e->height && is_same(&other, &base))
            return false;
    }
    return true;
}

static void add_loaded(const emit_stage *e, text *t)
{
    for (int64_t r = 0; r < e->rows; r++) {
        const emit_row base = emit_row_base(e, &e->row[r]);
        if (e->row[r].shift < e->height && is_first(e, r))
            add_row(e, &base, t);
    }
    for (int k = 0; k < e->slots; k++)
        if (emit_shares_pointers(e, k))
            text_add(t, "    const int64_t stride%d = g[%d].y;\n", k, k);
}

static void add_stored(const emit_stage *e, text *t)
{
    for (int k = 0; k < e->slots; k++)
        for (int shift = 0; e->slot[k].stored && shift < e->height; shift++)
            add_row(e, &(emit_row){.slot = k, .y = shift}, t);
}

int emit_same_field(const emit_stage *e, int slot)
{
    for (int k = 0; k < e->slots; k++)
        if (k != slot && e->slot[k].field == e->slot[slot].field && e->slot[k].loaded &&
            !e->slot[k].stored)
            return k;
    return -1;
}

/* The same row of a level that holds the same beyond it, if there is one. */
static void add_alike(const emit_stage *e, text *t)
{
    for (int k = 0; k < e->slots; k++) {
        const int other = e->slot[k].stored ? emit_same_field(e, k) : -1;
        const char *type = emit_c_type(emit_storage(e, k));
        if (other >= 0 && !e->in_planes && emit_storage(e, k) == e->real)
            text_add(
                t,
                "    const %s *const alike%d = (const %s *)g[%d].data + j * g[%d].y + "
                "k * g[%d].z;\n",
                type, k, type, other, other, other);
    }
}

/* ---- values ------------------------------------------------------------------------------- */

static void add_values(emit_stage *e)
{
    for (int64_t k = 0; k < e->stage->count; k++)
        for (e->shift = 0; e->place[k] == PLACE_ROW && e->shift < e->height; e->shift++)
            emit_node_line(e, (int)k, "    ");
    e->shift = 0;
}

void emit_locals(emit_stage *e)
{
    if (e->slots)
        text_add(e->t, "    const grid *const g = w->grid;\n");
    text_add(e->t, "    const int64_t end = p->end, j = p->j, k = p->k;\n");
    add_tables(e, e->t);
    add_uniforms(e, e->t);
    add_loaded(e, e->t);
    add_stored(e, e->t);
    add_alike(e, e->t);
    add_values(e);
}
