/* SPDX-License-Identifier: BSD-3-Clause */
/* The argument of a kernel, and the locals for its members: tables, uniforms, and
 * pointers at the point. There is one pointer for each loaded row, so neighbours along x
 * are a constant offset away. */
#include "codegen/codegen_private.h"

static void add_level(const emit_stage *e, int64_t slot)
{
    if (!e->nameless) {
        text_add(e->t, " /* ");
        emit_level_text(e->code, e->slot[slot].field, e->slot[slot].level, e->t);
        text_add(e->t, " */");
    }
    text_add(e->t, "\n");
}

static void add_tensors(const emit_stage *e)
{
    int count = 0;

    for (int k = 0; k < e->slots; k++)
        if (cuda_may_use_shared(e, k)) {
            text_add(e->t, "    tensor m%d;", count++);
            add_level(e, k);
        }
}

void cuda_argument(const emit_stage *e)
{
    cuda_uniforms(e);
    text_add(e->t, "\nstruct argument_%lld_%lld {\n    work w;\n", (long long)e->program,
             (long long)e->number);
    for (int64_t k = 0; k < e->slots; k++) {
        text_add(e->t, "    grid g%lld;", (long long)k);
        add_level(e, k);
    }
    for (int64_t n = 0; n < e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    const double *table%d; /* from index 0 */\n",
                     emit_table_number(e, (int)n));
    cuda_uniform_member(e);
    if (e->schedule->tile.copy == COPY_TMA)
        add_tensors(e);
    text_add(e->t, "};\n");
}

int cuda_weight(const emit_stage *e)
{
    for (int64_t u = 0; u < e->code->uniforms; u++)
        if (e->uniform[u] && e->code->uniform[u].kind == UNIFORM_WEIGHT)
            return (int)u;
    return -1;
}

static void add_uniform(const emit_stage *e, int uniform, const char *weight)
{
    const bool seed = emit_is_seed(e, uniform), single = e->real == PAV_F32;

    text_add(e->t, "    const %s ", seed ? "uint64_t" : single ? "float" : "double");
    emit_uniform_name(e, uniform, e->t);
    text_add(e->t, " = ");
    if (weight)
        text_add(e->t, seed ? "bits_of(%s)" : single ? "(float)%s" : "%s", weight);
    else
        cuda_uniform(e, uniform, e->t);
    text_add(e->t, ";\n");
}

void cuda_leaves(const emit_stage *e, const char *weight)
{
    for (int64_t n = 0; n < e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    const double *const table%d = a.table%d;\n",
                     emit_table_number(e, (int)n), emit_table_number(e, (int)n));
    for (int64_t u = 0; u < e->code->uniforms; u++)
        if (e->uniform[u])
            add_uniform(e, (int)u, u == cuda_weight(e) ? weight : NULL);
}

/* ---- pointers ---------------------------------------------------------------------- */

static void open_pointer(const emit_stage *e, int slot, text *t)
{
    text_add(t, "    %s%s *const ", e->slot[slot].stored ? "" : "const ",
             emit_c_type(emit_storage(e, slot)));
}

/* "(float *)a.g1.data + j * a.g1.y + k * a.g1.z + i" */
static void add_place(const emit_stage *e, const emit_row *row, text *t)
{
    text_add(t, " = (%s%s *)a.g%d.data + ", e->slot[row->slot].stored ? "" : "const ",
             emit_c_type(emit_storage(e, row->slot)), row->slot);
    const ir_transfer x = ir_transfer_along(row->transfer, row->kept, 0);

    emit_index("j", row->y, ir_transfer_along(row->transfer, row->kept, 1), t);
    text_add(t, " * a.g%d.y + ", row->slot);
    emit_index("k", row->z, ir_transfer_along(row->transfer, row->kept, 2), t);
    text_add(t, " * a.g%d.z", row->slot);
    if (x != IR_TO_COARSE)
        text_add(t, x == IR_TO_FINE ? " + 2 * i" : " + i");
    text_add(t, ";\n");
}

static void add_slot(const emit_stage *e, int slot)
{
    const emit_row here = {.slot = slot};

    open_pointer(e, slot, e->t);
    emit_slot_name(e, slot, e->t);
    add_place(e, &here, e->t);
}

/* A row's pointer from the slot's own pointer, at a distance equal for all threads. */
static void add_neighbour(const emit_stage *e, const emit_row *row, text *t)
{
    open_pointer(e, row->slot, t);
    emit_row_name(e, row, t);
    text_add(t, " = ");
    emit_slot_name(e, row->slot, t);
    cuda_add_stride(row->y, 'y', row->slot, t);
    cuda_add_stride(row->z, 'z', row->slot, t);
    text_add(t, ";\n");
}

static void add_row(const emit_stage *e, const emit_row *row, text *t)
{
    if (row->transfer == IR_SAME) {
        if (row->y || row->z)
            add_neighbour(e, row, t);
        return;
    }
    open_pointer(e, row->slot, t);
    emit_row_name(e, row, t);
    add_place(e, row, t);
}

/* True if the slot is stored, or a row is addressed from the slot's own pointer. */
static bool has_point(const emit_stage *e, int slot)
{
    bool found = e->slot[slot].stored;

    for (int64_t r = 0; r < e->rows; r++)
        found = found || (e->row[r].slot == slot && e->row[r].shift == 0 &&
                          e->row[r].transfer == IR_SAME);
    return found;
}

void cuda_pointers(const emit_stage *e)
{
    for (int k = 0; k < e->slots; k++)
        if (has_point(e, k))
            add_slot(e, k);
    for (int64_t r = 0; r < e->rows; r++)
        if (e->row[r].shift == 0)
            add_row(e, &e->row[r], e->t);
}
