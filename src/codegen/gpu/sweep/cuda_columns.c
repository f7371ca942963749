/* SPDX-License-Identifier: BSD-3-Clause */
/* The loads of a sweeping thread: aligned vectors of neighbouring points, or a single
 * point if only one point of a vector is needed. A column needed in several planes stays
 * in registers from one plane to the next, while registers last. */
#include "codegen/codegen_private.h"

static int row_of(const emit_stage *e, const ir_node *n)
{
    return e->sweep_plan->axis == 2 ? n->offset[1] : 0;
}

/* ---- finding them ------------------------------------------------------------------ */

static int floor_div(int a, int b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

static column *find_column(const sweep_plan *s, int slot, int block, int y)
{
    for (int64_t c = 0; c < s->columns; c++)
        if (s->column[c].slot == slot && s->column[c].block == block &&
            s->column[c].y == y)
            return &s->column[c];
    return NULL;
}

static void note_read(sweep_plan *s, const column *want)
{
    column *c = find_column(s, want->slot, want->block, want->y);

    if (!c) {
        s->column[s->columns++] = *want;
        return;
    }
    c->first = want->first < c->first ? want->first : c->first;
    c->last = want->last > c->last ? want->last : c->last;
    c->early = c->early || want->early;
    if (c->single != want->single)
        c->single = -1;
}

/* Notes the reads of a load for a point `ahead` planes from the sweep's position. */
static void note_load(const emit_stage *e, sweep_plan *s, int64_t node, int ahead,
                      bool early)
{
    const ir_node *n = &e->stage->node[node];
    const int z = n->offset[s->axis] + ahead, y = s->axis == 2 ? n->offset[1] : 0;

    for (int row = 0; row < s->rows; row++)
        for (int lane = 0; lane < s->lanes; lane++) {
            const int x = n->offset[0] + lane, block = floor_div(x, s->lanes);
            const column want = {.slot = emit_slot_of(e, n->field, n->level),
                                 .block = block,
                                 .y = y + row,
                                 .first = z,
                                 .last = z,
                                 .single = x - block * s->lanes,
                                 .early = early};
            note_read(s, &want);
        }
}

/* In the order of input planes, a node loads its arguments for its own plane. */
static void note_loads(const emit_stage *e, sweep_plan *s, int64_t node)
{
    const ir_node *n = &e->stage->node[node];

    if (n->op == IR_LOAD)
        note_load(e, s, node, 0, s->early[node]);
    for (int a = 0; s->due && a < ir_op_table[n->op].arguments; a++)
        if (e->stage->node[n->arg[a]].op == IR_LOAD)
            note_load(e, s, n->arg[a], s->due[node], s->early[node]);
}

static bool is_own(const sweep_plan *s, const column *c)
{
    return c->block == 0 && c->y >= 0 && c->y < s->rows;
}

static int registers(const emit_stage *e, const sweep_plan *s, const column *c)
{
    const int count = c->single >= 0 ? 1 : s->lanes;
    const int size = (int)pav_type_size(emit_storage(e, c->slot));

    return c->last == c->first
               ? 0
               : (c->last + s->ahead - c->first) * ((count * size + 3) / 4);
}

int cuda_lead(const sweep_plan *s, const column *c)
{
    return c->kept ? c->last + s->ahead : c->last;
}

/* The thread's own columns come first: other threads hold their own planes, but nobody
 * else reads this thread's outer columns. Columns held by neighbour threads are loaded
 * when they are needed. */
static void choose_registers(const emit_stage *e, sweep_plan *s)
{
    int left = GPU_NEIGHBOUR_REGISTERS;

    if (s->indexed)
        return;

    for (int64_t c = 0; c < s->columns; c++)
        if (is_own(s, &s->column[c])) {
            s->column[c].kept = s->column[c].first < s->column[c].last;
            left -= registers(e, s, &s->column[c]);
        }
    for (int64_t c = 0; c < s->columns; c++) {
        column *other = &s->column[c];
        const int cost = registers(e, s, other);
        if (is_own(s, other) || cost == 0 || cost > left ||
            cuda_may_use_shared(e, other->slot) || cuda_neighbour(e, s, other))
            continue;
        other->kept = true;
        left -= cost;
    }
}

pav_status cuda_find_columns(const emit_stage *e, sweep_plan *s)
{
    int64_t loads = 0;

    for (int64_t n = 0; n < e->stage->count; n++)
        loads += e->stage->node[n].op == IR_LOAD;
    s->column = mem_new(loads * s->rows * s->lanes + 1, sizeof *s->column);
    if (!s->column)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < e->stage->count; n++)
        if (s->fate[n] != FATE_NONE)
            note_loads(e, s, n);
    for (int64_t o = 0; s->due && o < e->stage->outputs; o++)
        if (e->stage->node[e->stage->output[o].node].op == IR_LOAD)
            note_load(e, s, e->stage->output[o].node, 0, false);
    choose_registers(e, s);
    return PAV_OK;
}

const column *cuda_column_at(const sweep_plan *s, int slot, int block, int y)
{
    return find_column(s, slot, block, y);
}

const column *cuda_own_column(const emit_stage *e, int slot, int row)
{
    const column *c = find_column(e->sweep_plan, slot, 0, row);
    const bool here = c && c->first <= 0 && c->last >= 0 && c->single < 0;

    return here ? c : NULL;
}

/* ---- as text ----------------------------------------------------------------------- */

void cuda_column_name(const emit_stage *e, const column *c, int z, text *t)
{
    const int x = c->block * e->sweep_plan->lanes + (c->single > 0 ? c->single : 0);

    emit_slot_name(e, c->slot, t);
    emit_name_offset('x', x, t);
    emit_name_offset('y', c->y, t);
    emit_name_offset('z', z, t);
}

void cuda_column_type(const emit_stage *e, const column *c, text *t)
{
    const char *type = emit_c_type(emit_storage(e, c->slot));

    if (c->single >= 0)
        text_add(t, "%s ", type);
    else
        text_add(t, "pack<%s, %d> ", type, e->sweep_plan->lanes);
}

void cuda_add_stride(int count, char axis, int slot, text *t)
{
    const int size = count < 0 ? -count : count;

    if (count == 0)
        return;
    text_add(t, count < 0 ? " - " : " + ");
    if (size > 1)
        text_add(t, "%d * ", size);
    text_add(t, "a.g%d.%c", slot, axis);
}

/* `plane`: the offset from the slot's pointer to the plane, " + a.g0.z", or "". */
void cuda_column_address(const emit_stage *e, const column *c, const char *plane, text *t)
{
    const int x = c->block * e->sweep_plan->lanes + (c->single > 0 ? c->single : 0);

    text_add(t, "at_");
    emit_slot_name(e, c->slot, t);
    text_add(t, "%s", plane);
    cuda_add_stride(c->y, 'y', cuda_stride_slot(e, c->slot), t);
    cuda_add_wrap(e, c->block, t);
    if (x)
        text_add(t, " %c %d", x < 0 ? '-' : '+', x < 0 ? -x : x);
}

void cuda_column_load(const emit_stage *e, const column *c, const char *plane, text *t)
{
    if (c->single >= 0)
        text_add(t, "load_one(");
    else
        text_add(t, "load_vector<%d>(", e->sweep_plan->lanes);
    cuda_column_address(e, c, plane, t);
    text_add(t, ")");
}

const column *cuda_find_column(const emit_stage *e, int node, int row, int lane)
{
    const ir_node *n = &e->stage->node[node];
    const sweep_plan *s = e->sweep_plan;

    return find_column(s, emit_slot_of(e, n->field, n->level),
                       floor_div(n->offset[0] + lane, s->lanes), row_of(e, n) + row);
}

void cuda_column_element(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];
    const sweep_plan *s = e->sweep_plan;
    const int x = n->offset[0] + e->lane;
    const column *c = cuda_find_column(e, node, e->shift, e->lane);

    cuda_column_name(e, c, n->offset[s->axis] + e->ahead, t);
    if (c->single < 0)
        text_add(t, ".v[%d]", x - c->block * s->lanes);
}
