/* SPDX-License-Identifier: BSD-3-Clause */
/* The locals before the loop along x: tables, uniforms, strides, starts of rows, and
 * values constant along a row. In the loop each slot has one pointer, at the point,
 * hidden from the compiler's analysis. Other points of the slot are addressed by
 * multiples of the strides, constants if the run knows them. Separate pointers for all
 * rows would need more registers than there are. */
#include <assert.h>

#include "codegen/codegen_private.h"

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

/* ---- rows -------------------------------------------------------------------------- */

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

static void add_type(const emit_stage *e, int slot, text *t)
{
    text_add(t, "%s%s ", e->slot[slot].stored ? "" : "const ",
             emit_c_type(emit_storage(e, slot)));
}

/* A row of a finer or coarser grid: its indices differ from the point's. */
static void add_transferred(const emit_stage *e, const emit_row *row, text *t)
{
    text_add(t, "    ");
    add_type(e, row->slot, t);
    text_add(t, "*const ");
    emit_row_name(e, row, t);
    text_add(t, " = (");
    add_type(e, row->slot, t);
    text_add(t, "*)g[%d].data + ", row->slot);
    emit_index("j", row->y, ir_transfer_along(row->transfer, row->kept, 1), t);
    text_add(t, " * y%d + ", row->slot);
    emit_index("k", row->z, ir_transfer_along(row->transfer, row->kept, 2), t);
    text_add(t, " * z%d;\n", row->slot);
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
    bool first = has_own_strides(e, r->slot) && r->z != 0 && r->transfer == IR_SAME &&
                 r->shift < e->height;

    for (int64_t k = 0; first && k < row; k++)
        first = e->row[k].slot != r->slot || e->row[k].z != r->z ||
                e->row[k].transfer != IR_SAME;
    return first;
}

static void add_plane_name(const emit_stage *e, int slot, int z, text *t)
{
    emit_slot_name(e, slot, t);
    if (z != 0)
        text_add(t, "_%s%d", z < 0 ? "below" : "above", z < 0 ? -z : z);
}

bool emit_has_pointer(const emit_stage *e, int slot)
{
    bool any = e->slot[slot].stored;

    for (int64_t r = 0; r < e->rows; r++)
        any = any || (e->row[r].slot == slot && e->row[r].transfer == IR_SAME);
    return any;
}

/* Strides are constants only in steps on the finest grid: one kernel of the start serves
 * all fields, and one kernel of coarse grids serves all of them. */
static void add_strides(const emit_stage *e, int slot, text *t)
{
    const ir_field *f = &e->code->field[e->slot[slot].field];

    if (e->slot[slot].field >= e->carried && e->carried > 0)
        text_add(t, "    const int64_t y%d = CARRIED_PITCH / %d, z%d = 0;\n", slot,
                 (int)pav_type_size(f->storage), slot);
    else if (e->of_step && f->coarse == 0 && f->stride[1] > 0) {
        assert(f->stride[1] * (int64_t)pav_type_size(f->storage) % CPU_LINE == 0);
        text_add(t, "    const int64_t y%d = %lld, z%d = %lld;\n", slot,
                 (long long)f->stride[1], slot, (long long)f->stride[2]);
    } else
        text_add(t, "    %sint64_t y%d = g[%d].y, z%d = g[%d].z;\n",
                 has_own_strides(e, slot) ? "" : "const ", slot, slot, slot, slot);
}

static void add_rows(const emit_stage *e, text *t)
{
    for (int k = 0; k < e->slots; k++) {
        add_strides(e, k, t);
        if (!emit_has_pointer(e, k))
            continue;
        text_add(t, "    ");
        add_type(e, k, t);
        text_add(t, "*const row%d = (", k);
        add_type(e, k, t);
        text_add(t, "*)g[%d].data + j * y%d + k * z%d;\n", k, k, k);
    }
    for (int64_t r = 0; r < e->rows; r++)
        if (e->row[r].shift < e->height && e->row[r].transfer != IR_SAME)
            add_transferred(e, &e->row[r], t);
}

static void add_plane(const emit_stage *e, const emit_row *r)
{
    text_add(e->t, "    ");
    add_type(e, r->slot, e->t);
    text_add(e->t, "*");
    add_plane_name(e, r->slot, r->z, e->t);
    text_add(e->t, " = ");
    emit_slot_name(e, r->slot, e->t);
    text_add(e->t, " + %d * z%d;\n", r->z, r->slot);
}

void emit_pointers(const emit_stage *e, const char *from)
{
    for (int k = 0; k < e->slots; k++) {
        if (!emit_has_pointer(e, k))
            continue;
        text_add(e->t, "    ");
        add_type(e, k, e->t);
        text_add(e->t, "*");
        emit_slot_name(e, k, e->t);
        text_add(e->t, " = row%d + %s;\n", k, from);
    }
    for (int64_t r = 0; r < e->rows; r++)
        if (begins_plane(e, r))
            add_plane(e, &e->row[r]);
}

static void add_around(const emit_stage *e, int slot, int z, const char *before,
                       const char *behind)
{
    text_add(e->t, "%s", before);
    add_plane_name(e, slot, z, e->t);
    text_add(e->t, "%s", behind);
}

void emit_each_pointer(const emit_stage *e, const char *before, const char *behind)
{
    for (int k = 0; k < e->slots; k++)
        if (emit_has_pointer(e, k))
            add_around(e, k, 0, before, behind);
    for (int64_t r = 0; r < e->rows; r++)
        if (begins_plane(e, r))
            add_around(e, e->row[r].slot, e->row[r].z, before, behind);
}

void emit_opaque_strides(const emit_stage *e)
{
    for (int k = 0; k < e->slots; k++)
        if (has_own_strides(e, k) && strides_of(e, k) == k && e->code->dim > 1)
            text_add(e->t, "        OPAQUE(y%d);\n", k);
}

static void add_steps(int count, char axis, int slot, text *t)
{
    if (count == 0)
        return;
    text_add(t, " %c ", count < 0 ? '-' : '+');
    if (count != 1 && count != -1)
        text_add(t, "%d * ", count < 0 ? -count : count);
    text_add(t, "%c%d", axis, slot);
}

void emit_address(const emit_stage *e, int slot, const int offset[MAX_DIM], text *t)
{
    const bool planes = has_own_strides(e, slot);

    add_plane_name(e, slot, planes ? offset[2] : 0, t);
    add_steps(offset[1] + e->shift, 'y', strides_of(e, slot), t);
    add_steps(planes ? 0 : offset[2], 'z', slot, t);
    if (offset[0])
        text_add(t, " %c %d", offset[0] < 0 ? '-' : '+',
                 offset[0] < 0 ? -offset[0] : offset[0]);
}

int emit_same_field(const emit_stage *e, int slot)
{
    for (int k = 0; k < e->slots; k++)
        if (k != slot && e->slot[k].field == e->slot[slot].field && e->slot[k].loaded &&
            !e->slot[k].stored && emit_has_pointer(e, k))
            return k;
    return -1;
}

/* ---- values ------------------------------------------------------------------------ */

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
    text_add(e->t, "    const int64_t first = p->x, end = p->end, j = p->j, k = p->k;\n");
    add_tables(e, e->t);
    add_uniforms(e, e->t);
    add_rows(e, e->t);
    add_values(e);
}
