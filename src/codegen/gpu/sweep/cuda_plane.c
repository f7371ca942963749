/* SPDX-License-Identifier: BSD-3-Clause */
/* One plane of a sweep (cuda_sweep.c): registers shift, columns are loaded, values
 * computed, vectors of results stored. */
#include <string.h>

#include "codegen/codegen_private.h"

const char *cuda_plane_index(const sweep_plan *s)
{
    return s->axis == 2 ? "k" : "j";
}

char cuda_plane_stride(const sweep_plan *s)
{
    return s->axis == 2 ? 'z' : 'y';
}

/* The first and the last plane of a slot read by the stage, in columns or for carried
 * values. */
cuda_planes cuda_planes_read(const emit_stage *e, int slot)
{
    cuda_planes p = {MAX_OFFSET, -MAX_OFFSET};

    for (int64_t n = 0; n < e->stage->count; n++) {
        const ir_node *node = &e->stage->node[n];
        const int z = node->offset[e->sweep_plan->axis];
        if (node->op != IR_LOAD || e->place[n] == PLACE_UNUSED ||
            emit_slot_of(e, node->field, node->level) != slot)
            continue;
        p.first = z < p.first ? z : p.first;
        p.last = z > p.last ? z : p.last;
    }
    return p;
}

static void add_planes(const emit_stage *e, int slot, const char *planes, text *t)
{
    text_add(t, " + %s * a.g%d.%c", planes, cuda_stride_slot(e, slot),
             cuda_plane_stride(e->sweep_plan));
}

/* "plane_within(2, -1, k - from)" for columns loaded before the first plane;
 * "plane_until(2, 1, to - 1 - k)" for columns loaded ahead, or for unused results beyond
 * the last plane. */
static void plane_text(const emit_stage *e, const column *c, int z, text *t)
{
    const sweep_plan *s = e->sweep_plan;
    const char *index = cuda_plane_index(s);
    const bool early = s->warm > 0 && (c->kept || c->early);
    const cuda_planes read = cuda_planes_read(e, c->slot);

    if (early)
        text_add(t, "plane_within(");
    if (z > read.last)
        text_add(t, "plane_until(%d, %d, to - 1 - %s)", z, read.last, index);
    else
        text_add(t, "%d", z);
    if (early)
        text_add(t, ", %d, %s - from)", read.first, index);
}

/* "load_vector<4>(at_f0_u + 2 * a.g0.z)" */
static void add_load(const emit_stage *e, const column *c, int z)
{
    text planes = {0}, distance = {0};

    if (cuda_ring_of(e->sweep_plan, c->slot)) {
        cuda_ring_load(e, c, z, e->t);
        return;
    }
    plane_text(e, c, z, &planes);
    if (planes.data && strchr(planes.data, '('))
        add_planes(e, c->slot, planes.data, &distance);
    else
        cuda_add_stride(z, cuda_plane_stride(e->sweep_plan), cuda_stride_slot(e, c->slot),
                        &distance);
    const char *plane = distance.data ? distance.data : "";
    if (cuda_neighbour(e, e->sweep_plan, c))
        cuda_neighbour_load(e, c, z, plane, e->t);
    else
        cuda_column_load(e, c, plane, e->t);
    e->t->failed = e->t->failed || planes.failed || distance.failed;
    text_free(&planes);
    text_free(&distance);
}

/* A value without a node in a plane has the lead's name and the plane. */
void cuda_value_text(const emit_stage *e, const carried_value *v, int p, text *t)
{
    if (v->node[p - v->first] >= 0) {
        emit_node_name(e, v->node[p - v->first], t);
        return;
    }
    emit_node_name(e, v->lead, t);
    text_add(t, "_%d", p - v->first);
}

static void each_point(emit_stage *e,
                       void (*print)(emit_stage *e, const carried_value *v),
                       const carried_value *v)
{
    for (e->shift = 0; e->shift < e->sweep_plan->rows; e->shift++)
        for (e->lane = 0; e->lane < e->sweep_plan->lanes; e->lane++)
            print(e, v);
    e->shift = e->lane = 0;
}

void cuda_each_carried(emit_stage *e,
                       void (*print_column)(const emit_stage *e, const column *c),
                       void (*print_value)(emit_stage *e, const carried_value *v))
{
    for (int64_t c = 0; c < e->sweep_plan->columns; c++)
        if (e->sweep_plan->column[c].kept)
            print_column(e, &e->sweep_plan->column[c]);
    for (int64_t v = 0; v < e->sweep_plan->values; v++)
        each_point(e, print_value, &e->sweep_plan->value[v]);
}

/* ---- statements -------------------------------------------------------------------- */

static void shift_value(emit_stage *e, const carried_value *v)
{
    for (int p = v->first; p < v->last; p++) {
        text_add(e->t, "        ");
        cuda_value_text(e, v, p, e->t);
        text_add(e->t, " = ");
        cuda_value_text(e, v, p + 1, e->t);
        text_add(e->t, ";\n");
    }
}

static void shift_column(const emit_stage *e, const column *c)
{
    for (int z = c->first; z < cuda_lead(e->sweep_plan, c); z++) {
        text_add(e->t, "        ");
        cuda_column_name(e, c, z, e->t);
        text_add(e->t, " = ");
        cuda_column_name(e, c, z + 1, e->t);
        text_add(e->t, ";\n");
    }
}

static void shift_planes(emit_stage *e)
{
    cuda_each_carried(e, shift_column, shift_value);
}

static void read_column(const emit_stage *e, const column *c)
{
    const int lead = cuda_lead(e->sweep_plan, c);

    for (int z = c->kept ? lead : c->first; z <= lead; z++) {
        text_add(e->t, "        ");
        if (!c->kept) {
            text_add(e->t, "const ");
            cuda_column_type(e, c, e->t);
        }
        cuda_column_name(e, c, z, e->t);
        text_add(e->t, " = ");
        add_load(e, c, z);
        text_add(e->t, ";\n");
    }
}

/* Each thread loads its own columns first, then takes columns of neighbour threads. */
static void read_columns(const emit_stage *e, bool early)
{
    for (int of_others = 0; of_others < 2; of_others++)
        for (int64_t c = 0; c < e->sweep_plan->columns; c++) {
            const column *one = &e->sweep_plan->column[c];
            if ((one->kept || one->early) == early &&
                (cuda_neighbour(e, e->sweep_plan, one) != NULL) == (of_others > 0))
                read_column(e, one);
        }
}

static void add_node(emit_stage *e, int node)
{
    if (e->sweep_plan->fate[node] == FATE_COMPUTED) {
        emit_node_line(e, node, "        ");
        return;
    }
    text_add(e->t, "        ");
    emit_node_name(e, node, e->t);
    text_add(e->t, " = ");
    emit_expression(e, node, e->t);
    text_add(e->t, ";\n");
}

static void compute_node(emit_stage *e, int node)
{
    const bool of_row = e->place[node] == PLACE_ROW;

    e->ahead = e->sweep_plan->due ? e->sweep_plan->due[node] : 0;
    for (e->shift = 0; e->shift < e->sweep_plan->rows; e->shift++)
        for (e->lane = 0; e->lane < (of_row ? 1 : e->sweep_plan->lanes); e->lane++)
            add_node(e, node);
    e->shift = e->lane = e->ahead = 0;
}

static void compute(emit_stage *e, bool early)
{
    const sweep_plan *s = e->sweep_plan;

    for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
        for (int n = 0; n < e->stage->count; n++)
            if (e->place[n] == (emit_place)where && s->early[n] == early &&
                (s->fate[n] == FATE_COMPUTED || s->fate[n] == FATE_LEAD))
                compute_node(e, n);
}

/* ---- results ----------------------------------------------------------------------- */

static void add_result(emit_stage *e, const ir_output *o, int slot)
{
    text_add(e->t, "        pack<%s, %d> r%d_%d;\n", emit_c_type(emit_storage(e, slot)),
             e->sweep_plan->lanes, slot, e->shift);
    for (e->lane = 0; e->lane < e->sweep_plan->lanes; e->lane++) {
        text_add(e->t, "        r%d_%d.v[%d] = ", slot, e->shift, e->lane);
        emit_output_value(e, o, e->t);
        text_add(e->t, ";\n");
    }
    e->lane = 0;
}

/* A slot that holds the neighbours of the results in their vectors; -1: none, or
 * unknown. */
int cuda_level_of_neighbours(const emit_stage *e, int slot)
{
    const box b = ir_stage_box(e->code, e->stage);
    const int lanes = e->sweep_plan->lanes;
    const bool whole = b.lo[0] % lanes == 0 && b.hi[0] % lanes == 0;

    return whole ? -1 : emit_same_field(e, slot);
}

/* "neighbours1_1": the neighbours of a row's results, if no thread has them. */
static void add_neighbour_name(const emit_stage *e, int slot)
{
    text_add(e->t, "neighbours%d_%d", slot, e->shift);
}

static const char *from_the_first(const emit_stage *e)
{
    return e->sweep_plan->axis == 2 ? "plane_within(0, 0, k - from)"
                                    : "plane_within(0, 0, j - from)";
}

static void add_neighbours(emit_stage *e, int slot)
{
    const int alike = cuda_level_of_neighbours(e, slot);

    if (!e->slot[slot].stored || alike < 0 || cuda_own_column(e, alike, e->shift))
        return;
    text_add(e->t, "        const pack<%s, %d> ", emit_c_type(emit_storage(e, slot)),
             e->sweep_plan->lanes);
    add_neighbour_name(e, slot);
    text_add(e->t, " = load_same_field<%d>(at_", e->sweep_plan->lanes);
    emit_slot_name(e, alike, e->t);
    if (e->sweep_plan->warm > 0)
        add_planes(e, alike, from_the_first(e), e->t);
    cuda_add_stride(e->shift, 'y', cuda_stride_slot(e, alike), e->t);
    text_add(e->t, ", ends);\n");
}

static void read_neighbours(emit_stage *e)
{
    for (; e->shift < e->sweep_plan->rows; e->shift++)
        for (int slot = 0; slot < e->slots; slot++)
            add_neighbours(e, slot);
    e->shift = 0;
}

/* "store_vector(at_f0_u_new + a.g1.y, r1_1, f0_u_yp1, ends);" */
static void add_store(const emit_stage *e, int slot)
{
    const int alike = cuda_level_of_neighbours(e, slot);

    text_add(e->t, e->whole ? "        store_whole(at_" : "        store_vector(at_");
    emit_slot_name(e, slot, e->t);
    if (e->shift > 0)
        text_add(e->t, " + %d * a.g%d.y", e->shift, cuda_stride_slot(e, slot));
    text_add(e->t, ", r%d_%d", slot, e->shift);
    if (e->whole) {
        text_add(e->t, ");\n");
        return;
    }
    text_add(e->t, ", ");
    if (alike >= 0) {
        const column *other = cuda_own_column(e, alike, e->shift);
        if (other)
            cuda_column_name(e, other, 0, e->t);
        else
            add_neighbour_name(e, slot);
        text_add(e->t, ", ");
    }
    text_add(e->t, "ends);\n");
}

static void each_output(emit_stage *e, void (*print)(emit_stage *e, const ir_output *o))
{
    for (; e->shift < e->sweep_plan->rows; e->shift++)
        for (int64_t k = 0; k < e->stage->outputs; k++)
            print(e, &e->stage->output[k]);
    e->shift = 0;
}

static void add_output(emit_stage *e, const ir_output *o)
{
    const int slot = emit_slot_of(e, o->field, o->level);
    add_result(e, o, slot);
    add_store(e, slot);
}

static void add_result_of(emit_stage *e, const ir_output *o)
{
    add_result(e, o, emit_slot_of(e, o->field, o->level));
}

static void add_store_of(emit_stage *e, const ir_output *o)
{
    add_store(e, emit_slot_of(e, o->field, o->level));
}

/* Many results are stored behind one common branch: with a branch around each store
 * compilers cannot reorder. */
static void store(emit_stage *e)
{
    if (!e->sweep_plan->indexed) {
        each_output(e, add_output);
        return;
    }
    each_output(e, add_result_of);
    text_add(e->t, "        if (is_whole<%d>(ends)) {\n", e->sweep_plan->lanes);
    e->whole = true;
    each_output(e, add_store_of);
    e->whole = false;
    text_add(e->t, "        } else {\n");
    each_output(e, add_store_of);
    text_add(e->t, "        }\n");
}

/* The body of the loop over planes. */
void cuda_plane_text(emit_stage *e)
{
    shift_planes(e);
    if (e->sweep_plan->rings > 0)
        cuda_rotate_rings(e);
    read_columns(e, true);
    read_neighbours(e);
    compute(e, true);
    if (e->sweep_plan->warm > 0)
        text_add(e->t, "        if (%s < from)\n            continue;\n",
                 cuda_plane_index(e->sweep_plan));
    read_columns(e, false);
    compute(e, false);
    store(e);
}
