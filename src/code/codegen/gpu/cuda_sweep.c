/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule sweep: a thread computes a vector of points along x in some rows, and
 * sweeps with them from plane to plane along the slowest axis. In each plane, in this
 * order:
 *
 *     shift    columns and values in registers move on by one plane
 *     early    kept columns are loaded and carried values computed, several planes ahead
 *     late     other columns are loaded, other values computed
 *     store    vectors of results
 *
 * Before its first plane a sweep fills the registers: columns are loaded; carried values
 * need some planes that are swept without any store (`warm`). Loads there may lie before
 * the first readable plane. Then the first readable plane is loaded instead: its values
 * are never used. */
#include "codegen/codegen_private.h"

/* ---- prefetches -------------------------------------------------------------------- */
/* Sweeps with prefetch: threads request planes some time before the loads, so that the
 * loads hit L2. A thread requests only its own points: other threads request the points
 * around them. Unlike loads ahead of time, this costs no registers. */

enum { NONE = -MAX_OFFSET };

/* The farthest plane already loaded. */
static int lead_of(const emit_stage *e, int slot)
{
    const sweep_plan *s = e->sweep_plan;
    int lead = NONE;

    for (int64_t n = 0; n < s->columns; n++)
        if (s->column[n].slot == slot)
            lead = int_most(lead, cuda_lead(s, &s->column[n]));
    return cuda_ring_of(s, slot) ? lead + e->schedule->tile.ahead : lead;
}

static void add_prefetch(const emit_stage *e, int slot)
{
    const sweep_plan *s = e->sweep_plan;
    const int lead = lead_of(e, slot), plane = lead + e->schedule->prefetch;
    const cuda_planes read = cuda_planes_read(e, slot);
    const char *index = cuda_plane_index(s);

    if (lead == NONE)
        return;
    text_add(e->t, "        if (");
    if (plane - s->warm < read.first)
        text_add(e->t, "%s + %d >= from + (%d) && ", index, plane, read.first);
    text_add(e->t, "%s + %d < to + %d) {\n", index, plane, read.last);
    for (int row = 0; row < s->rows; row++)
        text_add(e->t, "            kernel_prefetch(at_%s%s%s);\n",
                 emit_slot_name(e, slot),
                 cuda_stride(e->arena, plane, cuda_plane_stride(s), slot),
                 cuda_stride(e->arena, row, 'y', slot));
    text_add(e->t, "        }\n");
}

/* ---- one plane --------------------------------------------------------------------- */

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
        p.first = int_least(p.first, z);
        p.last = int_most(p.last, z);
    }
    return p;
}

/* " + plane_until(2, 1, to - 1 - k) * a.g0.z" */
static const char *distance_of(const emit_stage *e, int slot, const char *planes)
{
    return arena_print(e->arena, " + %s * a.g%d.%c", planes, cuda_stride_slot(e, slot),
                       cuda_plane_stride(e->sweep_plan));
}

/* "load_vector<4>(at_f0_u + 2 * a.g0.z)" */
static const char *load_of(const emit_stage *e, const column *c, int z)
{
    const sweep_plan *s = e->sweep_plan;

    if (cuda_ring_of(s, c->slot))
        return cuda_ring_load(e, c, z);

    /* "plane_within(2, -1, k - from)" for columns loaded before the first plane;
     * "plane_until(2, 1, to - 1 - k)" for columns loaded ahead, or for unused results
     * beyond the last plane. */
    const char *index = cuda_plane_index(s), *planes = NULL;
    const bool early = s->warm > 0 && (c->kept || c->early);
    const cuda_planes read = cuda_planes_read(e, c->slot);

    if (z > read.last)
        planes = arena_print(e->arena, "plane_until(%d, %d, to - 1 - %s)", z, read.last,
                             index);
    if (early)
        planes = arena_print(e->arena, "plane_within(%s, %d, %s - from)",
                             planes ? planes : arena_print(e->arena, "%d", z), read.first,
                             index);

    const char *plane = planes ? distance_of(e, c->slot, planes)
                               : cuda_stride(e->arena, z, cuda_plane_stride(s),
                                             cuda_stride_slot(e, c->slot));
    return cuda_neighbour(e, s, c) ? cuda_neighbour_load(e, c, z, plane)
                                   : cuda_column_load(e, c, plane);
}

/* A value without a node in a plane has the lead's name and the plane. */
static const char *value_name(const emit_stage *e, const carried_value *v, int p)
{
    const int node = v->node[p - v->first];

    return node >= 0
               ? emit_node_name(e, node)
               : arena_print(e->arena, "%s_%d", emit_node_name(e, v->lead), p - v->first);
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

/* Calls print_column for each kept column and print_value for each point of each carried
 * value. */
static void each_carried(emit_stage *e,
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
    for (int p = v->first; p < v->last; p++)
        text_add(e->t, "        %s = %s;\n", value_name(e, v, p),
                 value_name(e, v, p + 1));
}

static void shift_column(const emit_stage *e, const column *c)
{
    for (int z = c->first; z < cuda_lead(e->sweep_plan, c); z++)
        text_add(e->t, "        %s = %s;\n", cuda_column_name(e, c, z),
                 cuda_column_name(e, c, z + 1));
}

static const char *column_type(const emit_stage *e, const column *c)
{
    const char *type = emit_c_type(emit_storage(e, c->slot));

    return c->single >= 0
               ? type
               : arena_print(e->arena, "pack<%s, %d>", type, e->sweep_plan->lanes);
}

static void read_column(const emit_stage *e, const column *c)
{
    const int lead = cuda_lead(e->sweep_plan, c);

    if (c->kept)
        text_add(e->t, "        %s = %s;\n", cuda_column_name(e, c, lead),
                 load_of(e, c, lead));
    for (int z = c->first; !c->kept && z <= lead; z++)
        text_add(e->t, "        const %s %s = %s;\n", column_type(e, c),
                 cuda_column_name(e, c, z), load_of(e, c, z));
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
    if (e->sweep_plan->fate[node] == FATE_COMPUTED)
        emit_node_line(e, node, "        ");
    else
        text_add(e->t, "        %s = %s;\n", emit_node_name(e, node),
                 emit_expression(e, node));
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
    for (e->lane = 0; e->lane < e->sweep_plan->lanes; e->lane++)
        text_add(e->t, "        r%d_%d.v[%d] = %s;\n", slot, e->shift, e->lane,
                 emit_output_value(e, o));
    e->lane = 0;
}

/* A slot that holds the neighbours of the results in their vectors; -1: none, or
 * unknown. */
static int level_of_neighbours(const emit_stage *e, int slot)
{
    const box b = ir_stage_box(e->code, e->stage);
    const int lanes = e->sweep_plan->lanes;
    return b.lo[0] % lanes == 0 && b.hi[0] % lanes == 0 ? -1 : emit_same_field(e, slot);
}

/* "neighbours1_1": the neighbours of a row's results, if no thread has them. */
static void add_neighbours(emit_stage *e, int slot)
{
    const sweep_plan *s = e->sweep_plan;
    const int alike = level_of_neighbours(e, slot);

    if (!e->slot[slot].stored || alike < 0 || cuda_own_column(e, alike, e->shift))
        return;
    const char *plane = s->warm == 0
                            ? ""
                            : distance_of(e, alike,
                                          s->axis == 2 ? "plane_within(0, 0, k - from)"
                                                       : "plane_within(0, 0, j - from)");
    text_add(e->t,
             "        const pack<%s, %d> neighbours%d_%d = "
             "load_same_field<%d>(at_%s%s%s, ends);\n",
             emit_c_type(emit_storage(e, slot)), s->lanes, slot, e->shift, s->lanes,
             emit_slot_name(e, alike), plane,
             cuda_stride(e->arena, e->shift, 'y', cuda_stride_slot(e, alike)));
}

/* "store_vector(at_f0_u_new + a.g1.y, r1_1, f0_u_yp1, ends);" Several threads compute
 * points near the ends of a box. If the stage stores in place, one of them stores: a
 * thread may read a point after another one has stored it. */
static void add_store(const emit_stage *e, int slot)
{
    const int alike = level_of_neighbours(e, slot);
    const column *column_here = alike >= 0 ? cuda_own_column(e, alike, e->shift) : NULL;
    const char *row = e->shift == 0 ? ""
                                    : arena_print(e->arena, " + %d * a.g%d.y", e->shift,
                                                  cuda_stride_slot(e, slot));
    const char *others = alike < 0 ? ""
                         : column_here
                             ? arena_print(e->arena, "%s, ",
                                           cuda_column_name(e, column_here, 0))
                             : arena_print(e->arena, "neighbours%d_%d, ", slot, e->shift);

    const char *own = !e->in_place ? ""
                      : e->sweep_plan->axis < 2
                          ? "if (own == 0) "
                          : arena_print(e->arena, "if (j + %d >= own) ", e->shift);

    if (e->whole)
        text_add(e->t, "        %sstore_whole(at_%s%s, r%d_%d);\n", own,
                 emit_slot_name(e, slot), row, slot, e->shift);
    else
        text_add(e->t, "        %sstore_vector(at_%s%s, r%d_%d, %sends);\n", own,
                 emit_slot_name(e, slot), row, slot, e->shift, others);
}

static void add_outputs(emit_stage *e, bool results, bool stores)
{
    for (; e->shift < e->sweep_plan->rows; e->shift++)
        for (const ir_output *o = NULL; (o = ir_next_output(e->stage, o));) {
            const int slot = emit_slot_of(e, o->field, o->level);
            if (results)
                add_result(e, o, slot);
            if (stores)
                add_store(e, slot);
        }
    e->shift = 0;
}

/* The body of the loop over planes. */
static void add_plane(emit_stage *e)
{
    each_carried(e, shift_column, shift_value);
    if (e->sweep_plan->rings > 0)
        cuda_rotate_rings(e);
    read_columns(e, true);

    for (; e->shift < e->sweep_plan->rows; e->shift++)
        for (int slot = 0; slot < e->slots; slot++)
            add_neighbours(e, slot);
    e->shift = 0;

    compute(e, true);
    if (e->sweep_plan->warm > 0)
        text_add(e->t, "        if (%s < from)\n            continue;\n",
                 cuda_plane_index(e->sweep_plan));
    read_columns(e, false);
    compute(e, false);

    /* Many results are stored behind one common branch: with a branch around each store
     * compilers cannot reorder. */
    if (!e->sweep_plan->indexed) {
        add_outputs(e, true, true);
        return;
    }
    add_outputs(e, true, false);
    text_add(e->t, "        if (is_whole<%d>(ends)) {\n", e->sweep_plan->lanes);
    e->whole = true;
    add_outputs(e, false, true);
    e->whole = false;
    text_add(e->t, "        } else {\n");
    add_outputs(e, false, true);
    text_add(e->t, "        }\n");
}

/* ---- ghosts ------------------------------------------------------------------------ */
/* Sweeps that also store ghosts. If all borders of the stored fields are copies of
 * points, the thread of a point stores its images beyond the faces (sweep.cuh).
 * With 512 points along each axis, a separate kernel for borders took a tenth of a step's
 * time: it reads and writes a sector of 32 bytes for each point of a face along x. For
 * many fields the text would be longer than the sweep itself and take its registers. */

enum { MOST_STORED = 8 /* fields */ };

/* True if each ghost copies a point bit for bit. Clamped borders are excluded: a point
 * may have many ghosts there. */
static bool has_images(const ir *code, const ir_output *o)
{
    for (int face = 0; o->kind == IR_STORE && face < 2 * code->dim; face++) {
        const ir_border *b = &code->field[o->field].border[face / 2][face % 2];
        const border_rule *r = &border_rules[b->kind];
        if (b->stage >= 0 || !r->copies || (r->map & (GHOST_CLAMPS | GHOST_NEGATIVE)))
            return false;
    }
    return o->kind == IR_STORE;
}

bool cuda_stores_ghosts(const ir *code, const ir_stage *stage, const schedule *s)
{
    bool all = s->kind == SCHEDULE_SWEEP && stage->outputs > 0 &&
               stage->outputs <= MOST_STORED && cuda_is_called(code, stage);

    for (int64_t o = 0; o < stage->outputs; o++)
        all = all && has_images(code, &stage->output[o]);
    return all;
}

/* After the last plane. */
static void add_ghosts(const emit_stage *e)
{
    if (!cuda_stores_ghosts(e->code, e->stage, e->schedule))
        return;
    text_add(e->t,
             "    enum { SWEEP_AXIS = %d, VECTOR = %d, ROWS = %d };\n"
             "    const stored mine = {(int)i, %s, ends, %s};\n",
             e->sweep_plan->axis, e->sweep_plan->lanes, e->sweep_plan->rows,
             e->sweep_plan->axis == 2 ? "(int)j" : "0", e->in_place ? "own" : "0");
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        /* "store_ghosts<SWEEP_AXIS, VECTOR, ROWS>((float *)a.g1.data, mine, from, to,
         * a.g1, a.w);" */
        const ir_output *o = &e->stage->output[k];
        const int slot = emit_slot_of(e, o->field, o->level);

        text_add(e->t,
                 "    store_ghosts<SWEEP_AXIS, VECTOR, ROWS>((%s *)a.g%d.data, mine, "
                 "from, to, a.g%d, a.w);\n",
                 emit_c_type(emit_storage(e, slot)), slot, slot);
    }
}

/* ---- before the sweep -------------------------------------------------------------- */

/* True if a store also writes neighbouring points of another level, and no thread holds
 * them in own columns of all its rows. */
static bool has_neighbours(const emit_stage *e, int slot)
{
    bool own = true, any = false;

    for (int row = 0; row < e->sweep_plan->rows; row++)
        own = own && cuda_own_column(e, slot, row);
    for (int k = 0; !own && k < e->slots; k++)
        any |= e->slot[k].stored && level_of_neighbours(e, k) == slot;
    return any;
}

static bool has_steps(const emit_stage *e, int slot)
{
    return !e->sweep_plan->indexed &&
           (e->schedule->prefetch > 0 || !cuda_ring_of(e->sweep_plan, slot) ||
            has_neighbours(e, slot));
}

/* A slot in shared memory needs a pointer only for its first planes and for
 * prefetches. */
static bool has_pointer(const emit_stage *e, int slot)
{
    const sweep_plan *s = e->sweep_plan;

    for (int64_t c = 0; c < s->columns && s->warm == 0; c++)
        if (s->column[c].slot == slot && s->column[c].kept)
            return true;
    return has_steps(e, slot);
}

/* All planes but the farthest, which the sweep loads first. */
static void add_carried_column(const emit_stage *e, const column *c)
{
    const sweep_plan *s = e->sweep_plan;

    for (int z = c->first; z <= cuda_lead(s, c); z++) {
        const char *plane = cuda_stride(e->arena, z - 1, cuda_plane_stride(s), c->slot);

        text_add(e->t, "    %s %s = %s;\n", column_type(e, c), cuda_column_name(e, c, z),
                 z == c->first || s->warm > 0 ? "{}" : cuda_column_load(e, c, plane));
    }
}

static void add_carried_value(emit_stage *e, const carried_value *v)
{
    for (int p = v->first; p <= v->last; p++)
        text_add(e->t, "    %s %s = 0;\n",
                 emit_is_boolean(e, v->lead) ? "int" : emit_c_type(e->real),
                 value_name(e, v, p));
}

/* ---- the sweep --------------------------------------------------------------------- */

static void add_planes(emit_stage *e)
{
    const sweep_plan *s = e->sweep_plan;
    const char *index = cuda_plane_index(s);

    if (e->schedule->unroll > 0)
        text_add(e->t, "#pragma unroll %d\n", e->schedule->unroll);
    text_add(e->t, "    for (int64_t %s = from - WARM; %s < to; %s++", index, index,
             index);
    for (int k = 0; k < e->slots; k++)
        if (has_steps(e, k))
            text_add(e->t, ", at_%s += a.g%d.%c", emit_slot_name(e, k), k,
                     cuda_plane_stride(s));
    text_add(e->t, "%s) {\n", cuda_release_rings(e));
    if (s->indexed) {
        /* Hides the index from compilers: else they make a pointer for each field. */
        const bool planes = e->sweep_plan->axis == 2;
        text_add(e->t, "        const int64_t at = kernel_opaque(i + j * a.g0.y%s);\n",
                 planes ? " + k * a.g0.z" : "");
        for (int k = 0; k < e->slots; k++)
            text_add(e->t, "        %s *at_%s = (%s *)a.g%d.data + at;\n",
                     emit_slot_type(e, k), emit_slot_name(e, k), emit_slot_type(e, k), k);
    }
    for (int slot = 0; slot < e->slots && e->schedule->prefetch > 0; slot++)
        add_prefetch(e, slot);
    add_plane(e);
    text_add(e->t, "    }\n");
    if (s->rings > 0)
        cuda_close_rings(e);
    add_ghosts(e);
}

static void add_sweep(emit_stage *e)
{
    const sweep_plan *s = e->sweep_plan;
    const long long which = e->program, number = e->number;

    /* Threads with rings find their places in the block's tile. */
    text_add(e->t,
             "\n/* Sweeps from plane `from` to plane `to` - 1. */\n"
             "INLINE void sweep_%lld_%lld(const argument_%lld_%lld &a, %s%sint64_t from, "
             "int64_t to)\n{\n    enum { WARM = %d",
             which, number, which, number,
             s->rings > 0   ? "const tile &b, "
             : s->axis == 2 ? "int64_t i, int64_t j, "
                            : "int64_t i, ",
             e->in_place && s->rings == 0 ? "int64_t own, " : "", s->warm);
    if (s->rings > 0)
        text_add(e->t, ", AHEAD = %d", e->schedule->tile.ahead);
    text_add(e->t, " };\n");
    cuda_leaves(e, NULL);
    if (s->rings > 0)
        cuda_open_rings(e);
    if (e->in_place && s->rings > 0)
        text_add(e->t, "    const int64_t own = b.own;\n");
    cuda_find_neighbours(e);
    text_add(e->t, "    const row_ends ends = ends_of<%d>(i, a.w);\n", s->lanes);
    if (cuda_wraps_around(e->code, e->stage, e->schedule))
        text_add(e->t,
                 "    const int before = before_row(i, a.w);\n"
                 "    const int behind = behind_row<%d>(i, a.w);\n",
                 s->lanes);

    for (int k = 0; k < e->slots; k++)
        if (has_pointer(e, k))
            text_add(
                e->t,
                "    %s *at_%s = (%s *)a.g%d.data + i + %s(from - WARM) * a.g%d.%c;\n",
                emit_slot_type(e, k), emit_slot_name(e, k), emit_slot_type(e, k), k,
                s->axis == 2 ? arena_print(e->arena, "j * a.g%d.y + ", k) : "", k,
                cuda_plane_stride(s));

    each_carried(e, add_carried_column, add_carried_value);
    add_planes(e);
    text_add(e->t, "}\n");
}

/* ---- the kernel -------------------------------------------------------------------- */

static void add_call(const emit_stage *e, const char *where)
{
    text_add(
        e->t,
        "            sweep_%lld_%lld(a, %s, from, end_of_sweep(a.w, %d, from));\n}\n",
        (long long)e->program, (long long)e->number, where, e->sweep_plan->axis);
}

static void add_sweeps(const emit_stage *e)
{
    const int axis = e->sweep_plan->axis;
    const char across = axis == 2 ? 'z' : 'y';

    text_add(e->t,
             "    for (int64_t from = a.w.lo[%d] + blockIdx.%c * planes; from < "
             "a.w.hi[%d]; from += gridDim.%c * planes)\n",
             axis, across, axis, across);
}

/* Each thread on its own; or each warp, complete if its threads exchange values. */
static void add_loops(const emit_stage *e)
{
    const sweep_plan *s = e->sweep_plan;
    const bool together = e->schedule->tile.storage == STORAGE_REGISTERS;

    text_add(e->t, "    const int64_t i = %s<%d>(a.w), planes = a.w.planes;\n",
             together ? "vector_within" : "first_vector", s->lanes);
    if (s->axis == 2)
        text_add(e->t, "    const int64_t rows = (int64_t)gridDim.y * blockDim.y * %d;\n",
                 s->rows);
    text_add(e->t, "\n");
    if (!together)
        text_add(e->t,
                 "    if (i + %d <= a.w.lo[0] || i >= a.w.hi[0])\n        return;\n",
                 s->lanes);
    add_sweeps(e);
    if (s->axis == 2)
        text_add(e->t,
                 "        for (int64_t j = first_of_rows<%d>(a.w); j < a.w.hi[1]; j += "
                 "rows)\n",
                 s->rows);
    const char *at = s->axis != 2 ? "i"
                     : s->rows > 1
                         ? arena_print(e->arena, "i, rows_from<%d>(a.w, j)", s->rows)
                         : "i, j";
    if (e->in_place) /* the first row that no other thread computes, too */
        at = arena_print(
            e->arena, "%s, %s%s", at,
            together ? arena_print(e->arena,
                                   "i != first_vector<%d>(a.w) ? INT64_MAX : ", s->lanes)
                     : "",
            s->axis == 2 ? "j" : "0");
    add_call(e, at);
}

void cuda_sweep_survey(emit_stage *e, sweep_plan *s)
{
    *s = (sweep_plan){.lanes = e->schedule->thread.size[0],
                      .rows = e->schedule->thread.size[1],
                      .axis = e->code->dim - 1,
                      .ahead = e->schedule->tile.storage == STORAGE_SHARED
                                   ? 0
                                   : e->schedule->tile.ahead};
    e->sweep_plan = s;
    if (e->schedule->input)
        cuda_find_partial_sums(e, s);
    else
        cuda_find_carried(e, s);
    s->indexed = (e->schedule->input || s->values == 0) && cuda_may_index(e);
    cuda_find_columns(e, s);
    cuda_find_rings(e, s);
    cuda_find_warm_up(e, s);
}

static const char *column_element(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];
    const sweep_plan *s = e->sweep_plan;
    const int x = n->offset[0] + e->lane;
    const column *c = cuda_find_column(e, node, e->shift, e->lane);
    const char *name = cuda_column_name(e, c, n->offset[s->axis] + e->ahead);

    return c->single < 0
               ? arena_print(e->arena, "%s.v[%d]", name, x - c->block * s->lanes)
               : name;
}

/* Prints a value from so many planes ago that it belongs to the plane being computed. */
static const char *partial_sums_operand(const emit_stage *e, int node)
{
    const sweep_plan *s = e->sweep_plan;
    const int stands = s->stands[node];

    if (stands < 0)
        return emit_node_name(e, node);
    for (int64_t v = 0; v < s->values && s->due[node] != e->ahead; v++)
        if (s->value[v].lead == stands)
            return value_name(e, &s->value[v], e->ahead - s->due[node]);
    return emit_node_name(e, stands);
}

void cuda_sweep_text(emit_stage *e)
{
    sweep_plan s;

    cuda_sweep_survey(e, &s);
    e->element = column_element;
    e->value = s.due ? partial_sums_operand : NULL;
    e->lanes = s.lanes;
    e->height = s.rows;
    add_sweep(e);

    cuda_open_kernel(e, "", e->schedule->tile.size[0] * e->schedule->tile.size[1],
                     e->schedule->blocks);
    if (s.rings > 0) {
        /* All threads of a block: none may leave, because they synchronise. */
        cuda_block_shape(e);
        text_add(e->t,
                 "    enum { VECTOR = %d };\n    const int64_t planes = a.w.planes;\n\n",
                 s.lanes);
        add_sweeps(e);
        if (s.axis == 2)
            text_add(e->t, "        for (int64_t y = a.w.lo[1] + (int64_t)blockIdx.y * "
                           "threads::ROWS; y < a.w.hi[1];\n"
                           "             y += (int64_t)gridDim.y * threads::ROWS)\n");
        add_call(e, s.axis == 2 ? "tile_at<threads, VECTOR>(a.w, y)"
                                : "tile_of_row<threads, VECTOR>(a.w)");
    } else
        add_loops(e);
    e->sweep_plan = NULL;
    e->value = NULL;
}

void cuda_sweep_shared(emit_stage *e, emit_gpu_kernel *k)
{
    sweep_plan s;

    if (e->schedule->kind != SCHEDULE_SWEEP ||
        e->schedule->tile.storage != STORAGE_SHARED)
        return;
    cuda_sweep_survey(e, &s);
    k->shared = cuda_ring_bytes(e, &s);
    cuda_find_tensor_boxes(e, k);
    e->sweep_plan = NULL;
}
