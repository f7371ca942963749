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
#include <stdio.h>

#include "codegen/codegen_private.h"

/* ---- before the sweep -------------------------------------------------------------- */

/* True for own columns in all rows of a thread. */
static bool has_own_columns(const emit_stage *e, int slot)
{
    for (int row = 0; row < e->sweep_plan->rows; row++)
        if (!cuda_own_column(e, slot, row))
            return false;
    return true;
}

/* True if a store also writes neighbouring points of another level, and no thread holds
 * them. */
static bool has_neighbours(const emit_stage *e, int slot)
{
    for (int k = 0; k < e->slots; k++)
        if (e->slot[k].stored && cuda_level_of_neighbours(e, k) == slot &&
            !has_own_columns(e, slot))
            return true;
    return false;
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
    bool carried = false;

    for (int64_t c = 0; c < e->sweep_plan->columns; c++)
        carried = carried || (e->sweep_plan->column[c].slot == slot &&
                              e->sweep_plan->column[c].kept);
    return has_steps(e, slot) || (carried && e->sweep_plan->warm == 0);
}

static void add_pointers(const emit_stage *e)
{
    for (int k = 0; k < e->slots; k++) {
        if (!has_pointer(e, k))
            continue;
        const char *only = e->slot[k].stored ? "" : "const ";
        text_add(e->t, "    %s%s *at_", only, emit_c_type(emit_storage(e, k)));
        emit_slot_name(e, k, e->t);
        text_add(e->t, " = (%s%s *)a.g%d.data + i + ", only,
                 emit_c_type(emit_storage(e, k)), k);
        if (e->sweep_plan->axis == 2)
            text_add(e->t, "j * a.g%d.y + ", k);
        text_add(e->t, "(from - WARM) * a.g%d.%c;\n", k,
                 cuda_plane_stride(e->sweep_plan));
    }
}

/* All planes but the farthest, which the sweep loads first. */
static void add_carried_column(const emit_stage *e, const column *c)
{
    text distance = {0};

    for (int z = c->first; z <= cuda_lead(e->sweep_plan, c); z++) {
        text_add(e->t, "    ");
        cuda_column_type(e, c, e->t);
        cuda_column_name(e, c, z, e->t);
        if (z == c->first || e->sweep_plan->warm > 0) {
            text_add(e->t, " = {};\n");
            continue;
        }
        text_add(e->t, " = ");
        distance.length = 0;
        cuda_add_stride(z - 1, cuda_plane_stride(e->sweep_plan), c->slot, &distance);
        cuda_column_load(e, c, distance.length ? distance.data : "", e->t);
        text_add(e->t, ";\n");
    }
    e->t->failed = e->t->failed || distance.failed;
    text_free(&distance);
}

static void add_carried_value(emit_stage *e, const carried_value *v)
{
    for (int p = v->first; p <= v->last; p++) {
        text_add(e->t, "    %s ",
                 ir_is_boolean(e->stage->node[v->lead].op) ? "int"
                 : e->real == PAV_F32                      ? "float"
                                                           : "double");
        cuda_value_text(e, v, p, e->t);
        text_add(e->t, " = 0;\n");
    }
}

static void add_carried(emit_stage *e)
{
    cuda_each_carried(e, add_carried_column, add_carried_value);
}

/* ---- the sweep --------------------------------------------------------------------- */

static void add_steps(const emit_stage *e)
{
    for (int k = 0; k < e->slots; k++) {
        if (!has_steps(e, k))
            continue;
        text_add(e->t, ", at_");
        emit_slot_name(e, k, e->t);
        text_add(e->t, " += a.g%d.%c", k, cuda_plane_stride(e->sweep_plan));
    }
}

static void add_planes(emit_stage *e)
{
    const char *index = cuda_plane_index(e->sweep_plan);

    if (e->schedule->unroll > 0)
        text_add(e->t, "#pragma unroll %d\n", e->schedule->unroll);
    text_add(e->t, "    for (int64_t %s = from - WARM; %s < to; %s++", index, index,
             index);
    add_steps(e);
    cuda_release_rings(e);
    text_add(e->t, ") {\n");
    if (e->sweep_plan->indexed)
        cuda_add_index(e);
    cuda_prefetch(e);
    cuda_plane_text(e);
    text_add(e->t, "    }\n");
    if (e->sweep_plan->rings > 0)
        cuda_close_rings(e);
    cuda_store_ghosts(e);
}

/* "int64_t i, int64_t j, "; threads with rings find their places in the block's tile. */
static void add_places(const emit_stage *e)
{
    if (e->sweep_plan->rings > 0)
        text_add(e->t, "const tile &b, ");
    else
        text_add(e->t,
                 e->sweep_plan->axis == 2 ? "int64_t i, int64_t j, " : "int64_t i, ");
}

static void add_sweep(emit_stage *e)
{
    const long long which = e->program, number = e->number;

    text_add(e->t,
             "\n/* From plane `from` on to plane `to`. */\n"
             "INLINE void sweep_%lld_%lld(const argument_%lld_%lld &a, ",
             which, number, which, number);
    add_places(e);
    text_add(e->t, "int64_t from, int64_t to)\n{\n    enum { WARM = %d",
             e->sweep_plan->warm);
    if (e->sweep_plan->rings > 0)
        text_add(e->t, ", AHEAD = %d", e->schedule->tile.ahead);
    text_add(e->t, " };\n");
    cuda_leaves(e, NULL);
    if (e->sweep_plan->rings > 0)
        cuda_open_rings(e);
    cuda_find_neighbours(e);
    text_add(e->t, "    const row_ends ends = ends_of<%d>(i, a.w);\n",
             e->sweep_plan->lanes);
    cuda_find_wraps(e);
    add_pointers(e);
    add_carried(e);
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
    const int rows = e->sweep_plan->rows, lanes = e->sweep_plan->lanes;
    const bool together = e->schedule->tile.storage == STORAGE_REGISTERS;
    char where[64];

    text_add(e->t, "    const int64_t i = %s<%d>(a.w), planes = a.w.planes;\n",
             together ? "vector_within" : "first_vector", lanes);
    if (e->sweep_plan->axis == 2)
        text_add(e->t, "    const int64_t rows = (int64_t)gridDim.y * blockDim.y * %d;\n",
                 rows);
    text_add(e->t, "\n");
    if (!together)
        text_add(e->t,
                 "    if (i + %d <= a.w.lo[0] || i >= a.w.hi[0])\n        return;\n",
                 lanes);
    add_sweeps(e);
    if (e->sweep_plan->axis == 2)
        text_add(e->t,
                 "        for (int64_t j = first_of_rows<%d>(a.w); j < a.w.hi[1]; j += "
                 "rows)\n",
                 rows);
    (void)snprintf(where, sizeof where, rows > 1 ? "i, rows_from<%d>(a.w, j)" : "i, j",
                   rows);
    add_call(e, e->sweep_plan->axis == 2 ? where : "i");
}

/* All threads of a block: none may leave, because they synchronise. */
static void add_shared_loops(const emit_stage *e)
{
    cuda_block_shape(e);
    text_add(e->t,
             "    enum { VECTOR = %d };\n    const int64_t planes = a.w.planes;\n\n",
             e->sweep_plan->lanes);
    add_sweeps(e);
    if (e->sweep_plan->axis == 2)
        text_add(e->t, "        for (int64_t y = a.w.lo[1] + (int64_t)blockIdx.y * "
                       "threads::ROWS; y < a.w.hi[1];\n"
                       "             y += (int64_t)gridDim.y * threads::ROWS)\n");
    add_call(e, e->sweep_plan->axis == 2 ? "tile_at<threads, VECTOR>(a.w, y)"
                                         : "tile_of_row<threads, VECTOR>(a.w)");
}

static void add_kernel(const emit_stage *e)
{
    cuda_open_kernel(e, "", e->schedule->tile.size[0] * e->schedule->tile.size[1],
                     e->schedule->blocks);
    if (e->sweep_plan->rings > 0)
        add_shared_loops(e);
    else
        add_loops(e);
}

pav_status cuda_sweep_survey(emit_stage *e, sweep_plan *s)
{
    *s = (sweep_plan){.lanes = e->schedule->thread.size[0],
                      .rows = e->schedule->thread.size[1],
                      .axis = e->code->dim - 1,
                      .ahead = e->schedule->tile.storage == STORAGE_SHARED
                                   ? 0
                                   : e->schedule->tile.ahead};
    e->sweep_plan = s;
    TRY(e->schedule->input ? cuda_find_partial_sums(e, s) : cuda_find_carried(e, s));
    s->indexed = s->values == 0 && cuda_may_index(e);
    TRY(cuda_find_columns(e, s));
    TRY(cuda_find_rings(e, s));
    return cuda_find_warm_up(e, s);
}

static pav_status print(emit_stage *e)
{
    sweep_plan s;
    const pav_status status = cuda_sweep_survey(e, &s);

    if (status == PAV_OK) {
        e->element = cuda_column_element;
        e->value = s.due ? cuda_partial_sums_operand : NULL;
        e->lanes = s.lanes;
        e->height = s.rows;
        add_sweep(e);
        add_kernel(e);
    }
    cuda_sweep_close(&s);
    e->sweep_plan = NULL;
    e->value = NULL;
    return status;
}

pav_status cuda_sweep_shared(emit_stage *e, emit_gpu_kernel *k)
{
    sweep_plan s = {0};

    if (e->schedule->kind != SCHEDULE_SWEEP ||
        e->schedule->tile.storage != STORAGE_SHARED)
        return PAV_OK;
    pav_status status = cuda_sweep_survey(e, &s);
    if (status == PAV_OK)
        k->shared = cuda_ring_bytes(e, &s);
    if (status == PAV_OK)
        status = cuda_find_tensor_boxes(e, k);
    cuda_sweep_close(&s);
    e->sweep_plan = NULL;
    return status;
}

const cuda_kind cuda_sweep = {
    .lack = cuda_sweep_lack,
    .settle = cuda_settle_sweep,
    .refusal = cuda_sweep_settings,
    .text = print,
    .extent = cuda_extent_sweep,
};
