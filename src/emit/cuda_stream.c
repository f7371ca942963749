/* SPDX-License-Identifier: BSD-3-Clause */
/* The form STREAM: a thread computes a pack of points along x of some rows, and walks with them from plane to
 * plane along the slowest axis. In each plane, in this order:
 *
 *     pass on     what is held moves on by one plane
 *     early       columns that are held, and values that are held, are read and computed as far ahead as needed
 *     the rest    other columns are read, other values computed
 *     store       packs of results
 *
 * Before its first plane a walk fills what is held: columns are read; values need some planes that are walked
 * without storing anything (`warm`). What those read may lie before the planes that may be read, where the
 * first of these is taken: what comes of it is never used. */
#include "emit/emit_private.h"

static const char *axis_index(const stream *s)
{
    return s->axis == 2 ? "k" : "j";
}

static char axis_stride(const stream *s)
{
    return s->axis == 2 ? 'z' : 'y';
}

/* ---- planes ------------------------------------------------------------------------------- */

/* The first plane that the stage reads of a slot, in columns or for what is held. */
static int first_plane(const emit_stage *e, int slot)
{
    int first = MAX_OFFSET;

    for (int64_t n = 0; n < e->stage->count; n++) {
        const ir_node *node = &e->stage->node[n];
        if (node->op == IR_LOAD && e->place[n] != PLACE_UNUSED &&
            emit_slot_of(e, node->field, node->level) == slot &&
            node->offset[e->stream->axis] < first)
            first = node->offset[e->stream->axis];
    }
    return first;
}

/* " + 2 * a.g0.z"; of columns that are read before the first plane " + ahead(2, ...) * a.g0.z". */
static void plane_text(const emit_stage *e, const column *c, int z, bool early, text *t)
{
    const stream *s = e->stream;

    if (early && s->warm > 0)
        text_add(t, " + plane_within(%d, %d, %s - from) * a.g%d.%c", z,
                 first_plane(e, c->slot), axis_index(s), c->slot, axis_stride(s));
    else if (z == 1 || z == -1)
        text_add(t, " %c a.g%d.%c", z < 0 ? '-' : '+', c->slot, axis_stride(s));
    else if (z)
        text_add(t, " %c %d * a.g%d.%c", z < 0 ? '-' : '+', z < 0 ? -z : z, c->slot,
                 axis_stride(s));
}

/* "load_pack<4>(at_f0_u + a.g0.z)" */
static void add_load(const emit_stage *e, const column *c, int z, bool early)
{
    text plane = {0};

    plane_text(e, c, z, early, &plane);
    cuda_column_load(e, c, plane.data ? plane.data : "", e->t);
    e->t->failed = e->t->failed || plane.failed;
    text_free(&plane);
}

/* ---- before the walk ---------------------------------------------------------------------- */

static void add_pointers(const emit_stage *e)
{
    for (int k = 0; k < e->slots; k++) {
        const char *only = e->slot[k].stored ? "" : "const ";
        text_add(e->t, "    %s%s *at_", only, emit_c_type(emit_storage(e, k)));
        emit_slot_name(e, k, e->t);
        text_add(e->t, " = (%s%s *)a.g%d.data + i + ", only,
                 emit_c_type(emit_storage(e, k)), k);
        if (e->stream->axis == 2)
            text_add(e->t, "j * a.g%d.y + ", k);
        text_add(e->t, "(from - WARM) * a.g%d.%c;\n", k, axis_stride(e->stream));
    }
}

/* All but that of the farthest plane, which the walk reads first of all. */
static void add_held_column(const emit_stage *e, const column *c)
{
    for (int z = c->first; z <= c->last; z++) {
        text_add(e->t, "    ");
        cuda_column_type(e, c, e->t);
        cuda_column_name(e, c, z, e->t);
        if (z == c->first || e->stream->warm > 0) {
            text_add(e->t, " = {};\n");
            continue;
        }
        text_add(e->t, " = ");
        add_load(e, c, z - 1, false);
        text_add(e->t, ";\n");
    }
}

/* Where no node stands for a value in a plane, it has the lead's name and the plane. */
static void add_value_name(emit_stage *e, const kept_value *v, int p)
{
    if (v->node[p - v->first] >= 0) {
        emit_node_name(e, v->node[p - v->first], e->t);
        return;
    }
    emit_node_name(e, v->lead, e->t);
    text_add(e->t, "_%d", p - v->first);
}

static void each_point(emit_stage *e, void (*print)(emit_stage *e, const kept_value *v),
                       const kept_value *v)
{
    for (e->shift = 0; e->shift < e->stream->rows; e->shift++)
        for (e->lane = 0; e->lane < e->stream->lanes; e->lane++)
            print(e, v);
    e->shift = e->lane = 0;
}

static void add_held_value(emit_stage *e, const kept_value *v)
{
    for (int p = v->first; p <= v->last; p++) {
        text_add(e->t, "    %s ",
                 ir_is_boolean(e->stage->node[v->lead].op) ? "int"
                 : e->real == PAV_F32                      ? "float"
                                                           : "double");
        add_value_name(e, v, p);
        text_add(e->t, " = 0;\n");
    }
}

static void add_held(emit_stage *e)
{
    for (int64_t c = 0; c < e->stream->columns; c++)
        if (e->stream->column[c].kept)
            add_held_column(e, &e->stream->column[c]);
    for (int64_t v = 0; v < e->stream->values; v++)
        each_point(e, add_held_value, &e->stream->value[v]);
}

/* ---- one plane ---------------------------------------------------------------------------- */

static void pass_value(emit_stage *e, const kept_value *v)
{
    for (int p = v->first; p < v->last; p++) {
        text_add(e->t, "        ");
        add_value_name(e, v, p);
        text_add(e->t, " = ");
        add_value_name(e, v, p + 1);
        text_add(e->t, ";\n");
    }
}

static void pass_column(const emit_stage *e, const column *c)
{
    for (int z = c->first; z < c->last; z++) {
        text_add(e->t, "        ");
        cuda_column_name(e, c, z, e->t);
        text_add(e->t, " = ");
        cuda_column_name(e, c, z + 1, e->t);
        text_add(e->t, ";\n");
    }
}

static void pass_on(emit_stage *e)
{
    for (int64_t c = 0; c < e->stream->columns; c++)
        if (e->stream->column[c].kept)
            pass_column(e, &e->stream->column[c]);
    for (int64_t v = 0; v < e->stream->values; v++)
        each_point(e, pass_value, &e->stream->value[v]);
}

static void read_column(const emit_stage *e, const column *c)
{
    for (int z = c->kept ? c->last : c->first; z <= c->last; z++) {
        text_add(e->t, "        ");
        if (!c->kept) {
            text_add(e->t, "const ");
            cuda_column_type(e, c, e->t);
        }
        cuda_column_name(e, c, z, e->t);
        text_add(e->t, " = ");
        add_load(e, c, z, c->kept || c->early);
        text_add(e->t, ";\n");
    }
}

static void read_columns(const emit_stage *e, bool early)
{
    for (int64_t c = 0; c < e->stream->columns; c++) {
        const column *one = &e->stream->column[c];
        if ((one->kept || one->early) == early)
            read_column(e, one);
    }
}

static void add_node(emit_stage *e, int node)
{
    if (e->stream->fate[node] == FATE_COMPUTED) {
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

    for (e->shift = 0; e->shift < e->stream->rows; e->shift++)
        for (e->lane = 0; e->lane < (of_row ? 1 : e->stream->lanes); e->lane++)
            add_node(e, node);
    e->shift = e->lane = 0;
}

static void compute(emit_stage *e, bool early)
{
    const stream *s = e->stream;

    for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
        for (int n = 0; n < e->stage->count; n++)
            if (e->place[n] == (emit_place)where && s->early[n] == early &&
                (s->fate[n] == FATE_COMPUTED || s->fate[n] == FATE_LEAD))
                compute_node(e, n);
}

/* ---- results ------------------------------------------------------------------------------ */

static void add_result(emit_stage *e, const ir_output *o, int slot)
{
    text_add(e->t, "        pack<%s, %d> r%d_%d;\n", emit_c_type(emit_storage(e, slot)),
             e->stream->lanes, slot, e->shift);
    for (e->lane = 0; e->lane < e->stream->lanes; e->lane++) {
        text_add(e->t, "        r%d_%d.v[%d] = ", slot, e->shift, e->lane);
        emit_output_value(e, o, e->t);
        text_add(e->t, ";\n");
    }
    e->lane = 0;
}

/* "store_pack(at_f0_u_new + a.g1.y, r1_1, f0_u_yp1, i, a.w);" */
static void add_store(const emit_stage *e, int slot)
{
    const int alike = emit_alike(e, slot);
    const column *other = alike >= 0 ? cuda_own_column(e, alike, e->shift) : NULL;

    text_add(e->t, "        store_pack(at_");
    emit_slot_name(e, slot, e->t);
    if (e->shift > 0)
        text_add(e->t, " + %d * a.g%d.y", e->shift, slot);
    text_add(e->t, ", r%d_%d, ", slot, e->shift);
    if (other) {
        cuda_column_name(e, other, 0, e->t);
        text_add(e->t, ", ");
    }
    text_add(e->t, "i, a.w);\n");
}

static void store(emit_stage *e)
{
    for (; e->shift < e->stream->rows; e->shift++)
        for (int64_t k = 0; k < e->stage->outputs; k++) {
            const ir_output *o = &e->stage->output[k];
            const int slot = emit_slot_of(e, o->field, o->level);
            add_result(e, o, slot);
            add_store(e, slot);
        }
    e->shift = 0;
}

/* ---- the walk ----------------------------------------------------------------------------- */

static void add_steps(const emit_stage *e)
{
    for (int k = 0; k < e->slots; k++) {
        text_add(e->t, ", at_");
        emit_slot_name(e, k, e->t);
        text_add(e->t, " += a.g%d.%c", k, axis_stride(e->stream));
    }
}

static void add_planes(emit_stage *e)
{
    const char *index = axis_index(e->stream);

    text_add(e->t, "    for (int64_t %s = from - WARM; %s < to; %s++", index, index,
             index);
    add_steps(e);
    text_add(e->t, ") {\n");
    pass_on(e);
    read_columns(e, true);
    compute(e, true);
    if (e->stream->warm > 0)
        text_add(e->t, "        if (%s < from)\n            continue;\n", index);
    read_columns(e, false);
    compute(e, false);
    store(e);
    text_add(e->t, "    }\n");
}

static void add_walk(emit_stage *e)
{
    text_add(e->t,
             "\n/* From plane `from` on to plane `to`. */\n"
             "INLINE void walk_%lld_%lld(const argument_%lld_%lld &a, int64_t i, "
             "%sint64_t from, int64_t to)\n{\n"
             "    enum { WARM = %d };\n",
             (long long)e->program, (long long)e->number, (long long)e->program,
             (long long)e->number, e->stream->axis == 2 ? "int64_t j, " : "",
             e->stream->warm);
    cuda_leaves(e, NULL);
    add_pointers(e);
    add_held(e);
    add_planes(e);
    text_add(e->t, "}\n");
}

static void add_call(const emit_stage *e)
{
    const int axis = e->stream->axis, rows = e->stream->rows;

    text_add(e->t, "            walk_%lld_%lld(a, i, ", (long long)e->program,
             (long long)e->number);
    if (axis == 2)
        text_add(e->t, rows > 1 ? "rows_from<%d>(a.w, j), " : "j, ", rows);
    text_add(e->t, "from, end_of_walk(a.w, %d, from));\n}\n", axis);
}

static void add_loops(const emit_stage *e)
{
    const int axis = e->stream->axis, rows = e->stream->rows;
    const char across = axis == 2 ? 'z' : 'y';

    text_add(e->t, "    const int64_t i = first_pack<%d>(a.w), planes = a.w.planes;\n",
             e->stream->lanes);
    if (axis == 2)
        text_add(e->t, "    const int64_t rows = (int64_t)gridDim.y * blockDim.y * %d;\n",
                 rows);
    text_add(
        e->t,
        "\n    if (i + %d <= a.w.lo[0] || i >= a.w.hi[0])\n        return;\n"
        "    for (int64_t from = a.w.lo[%d] + blockIdx.%c * planes; from < a.w.hi[%d]; "
        "from += gridDim.%c * planes)\n",
        e->stream->lanes, axis, across, axis, across);
    if (axis == 2)
        text_add(e->t,
                 "        for (int64_t j = first_of_rows<%d>(a.w); j < a.w.hi[1]; j += "
                 "rows)\n",
                 rows);
    add_call(e);
}

static pav_status survey(emit_stage *e, stream *s)
{
    *s = (stream){.lanes = e->schedule->vector,
                  .rows = e->schedule->rows,
                  .axis = e->code->dim - 1};
    e->stream = s;
    TRY(cuda_keep(e, s));
    TRY(cuda_find_columns(e, s));
    return cuda_find_warm(e, s);
}

pav_status cuda_stream_text(emit_stage *e)
{
    stream s;
    const pav_status status = survey(e, &s);

    if (status == PAV_OK) {
        e->element = cuda_column_element;
        e->lanes = s.lanes;
        e->height = s.rows;
        add_walk(e);
        cuda_open_kernel(e, "", e->schedule->threads[0] * e->schedule->threads[1],
                         e->schedule->blocks);
        add_loops(e);
    }
    cuda_keep_close(&s);
    e->stream = NULL;
    return status;
}
