/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage of a persistent kernel, in one thread tile: first all inputs are loaded to
 * registers row by row, each once. Then the points are computed one after another, by the
 * same text with other indices. */
#include "codegen/gpu/time/fused_private.h"

typedef struct stage_text {
    const fused_plan *p;
    const emit_gpu_fused *fused;
} stage_text;

/* The radius of a slot's loads, for one row of the thread tile or for all. */
typedef struct tile_reach {
    int far[MAX_DIM][2];
    bool any;
} tile_reach;

static bool is_load_of(const emit_stage *e, const ir_node *n, const emit_slot *slot)
{
    return n->op == IR_LOAD && n->field == slot->field && n->level == slot->level &&
           n - e->stage->node < e->stage->count;
}

static tile_reach reach_of(const emit_stage *e, const emit_slot *slot)
{
    tile_reach r = {0};

    r.any = persistent_radius(e->stage, slot->field, slot->level, r.far);
    return r;
}

/* True if some point of the thread tile loads from row y of plane z. */
static bool reaches(const stage_text *s, const ir_node *n, int y, int z)
{
    const int row = y - n->offset[1], plane = z - n->offset[2];

    return row >= 0 && row < s->p->schedule.thread.size[1] && plane >= 0 &&
           plane < s->p->schedule.planes;
}

static tile_reach reach_in_row(const emit_stage *e, const emit_slot *slot, int y, int z)
{
    tile_reach r = {0};

    for (int64_t k = 0; k < e->stage->count; k++)
        if (is_load_of(e, &e->stage->node[k], slot) &&
            reaches(e->user, &e->stage->node[k], y, z)) {
            persistent_note_radius(r.far, &e->stage->node[k]);
            r.any = true;
        }
    return r;
}

/* ---- loads ------------------------------------------------------------------------- */

static int rows_of(const emit_stage *e)
{
    const stage_text *s = e->user;

    return s->p->schedule.thread.size[1];
}

/* True if the row is the thread tile's own latest result. */
static bool is_kept(const emit_stage *e, const emit_slot *slot, int y, int z)
{
    const stage_text *s = e->user;

    return slot->level == 0 && persistent_keeps_in_registers(s->p, slot->field) &&
           y >= 0 && y < rows_of(e) && z >= 0 && z < s->p->schedule.planes;
}

static void add_row(const emit_stage *e, int k, const tile_reach *all, int y, int z)
{
    const emit_slot *slot = &e->slot[k];
    const tile_reach r = reach_in_row(e, slot, y, z);
    char name[EMIT_NAME];

    if (!r.any)
        return;
    const bool kept = is_kept(e, slot, y, z);
    text_add(e->t,
             "    %s<first_at<%d>, points_before<%d>, points_behind<%d>, tiles::N>(",
             kept ? "widen_row" : "load_row", all->far[0][0], r.far[0][0], r.far[0][1]);
    emit_slot_name(e, k, e->t);
    text_add(e->t, "[%d][%d], ", z + all->far[2][0], y + all->far[1][0]);
    if (kept)
        text_add(e->t, "v%d[%d][%d], ", slot->field, z, y);
    text_add(e->t, "at%d", k);
    (void)snprintf(name, sizeof name, "field_%d::Y", slot->field);
    emit_plus_times(name, y, e->t);
    (void)snprintf(name, sizeof name, "field_%d::Z", slot->field);
    emit_plus_times(name, z, e->t);
    text_add(e->t, ", bits);\n");
}

static void add_window(const emit_stage *e, const stage_text *s, int k)
{
    const emit_slot *slot = &e->slot[k];
    const tile_reach r = reach_of(e, slot);
    const char *type = emit_c_type(emit_storage(e, k));

    text_add(e->t, "    const %s *const at%d = field_%d::version_of(step", type, k,
             slot->field);
    emit_plus(slot->level, e->t);
    text_add(e->t, ")[place].v;\n    %s ", type);
    emit_slot_name(e, k, e->t);
    for (int axis = MAX_DIM - 1; axis >= 0; axis--) {
        text_add(e->t, "[tiles::%s", axis == 2 ? "PLANES" : axis == 1 ? "ROWS" : "N");
        emit_plus(r.far[axis][0] + r.far[axis][1], e->t);
        text_add(e->t, "]");
    }
    text_add(e->t, ";\n");
    if (slot->level == 0 && persistent_keeps_in_registers(s->p, slot->field))
        text_add(
            e->t,
            "    reload_rows<field_%d>(v%d, field_%d::version_of(step) + place, kept);\n",
            slot->field, slot->field, slot->field);
    for (int z = -r.far[2][0]; z < s->p->schedule.planes + r.far[2][1]; z++)
        for (int y = -r.far[1][0]; y < s->p->schedule.thread.size[1] + r.far[1][1]; y++)
            add_row(e, k, &r, y, z);
}

/* True if the slot is read only at the computed points themselves. */
static bool is_here(const tile_reach *r)
{
    int far = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        far += r->far[axis][0] + r->far[axis][1];
    return r->any && far == 0;
}

/* For a fixed field. */
static void add_still(const emit_stage *e, const stage_text *s, int k)
{
    const tile_reach r = reach_of(e, &e->slot[k]);

    if (!is_here(&r))
        return;
    text_add(e->t, "    %s ", emit_c_type(emit_storage(e, k)));
    emit_slot_name(e, k, e->t);
    text_add(e->t, "[tiles::PLANES][tiles::ROWS][tiles::N];\n"
                   "#pragma unroll\n"
                   "    for (int n = 0; n < tiles::PLANES * tiles::ROWS; n++)\n"
                   "        fixed_row<tiles>(");
    emit_slot_name(e, k, e->t);
    text_add(e->t,
             "[n / tiles::ROWS][n %% tiles::ROWS], a.g%d, p,\n"
             "                         index_along<tiles>(1, p.j + n %% tiles::ROWS),\n"
             "                         index_along<tiles>(2, p.k + n / tiles::ROWS));\n",
             fused_slot_of(s->fused, e->slot[k].field, e->slot[k].level, false));
}

static void add_slot(const emit_stage *e, const stage_text *s, int k)
{
    if (!s->p->moves[e->slot[k].field])
        add_still(e, s, k);
    else if (reach_of(e, &e->slot[k]).any)
        add_window(e, s, k);
}

static void add_place(const char *name, int offset, text *t)
{
    text_add(t, offset ? "[%s + %d]" : "[%s]", name, offset);
}

/* "f0_u[z][y + 1][x]", or for a fixed field, its point in memory. */
static void add_element(const emit_stage *e, int node, text *t)
{
    const stage_text *s = e->user;
    const ir_node *n = &e->stage->node[node];
    const int k = emit_slot_of(e, n->field, n->level);

    const tile_reach r = reach_of(e, &e->slot[k]);

    if (!s->p->moves[n->field] && !is_here(&r)) {
        text_add(t, "point_at<const %s>(a.g%d, i + (%d), j + (%d), k + (%d))",
                 emit_c_type(e->code->field[n->field].storage),
                 fused_slot_of(s->fused, n->field, n->level, false), n->offset[0],
                 n->offset[1], n->offset[2]);
        return;
    }
    emit_slot_name(e, k, t);
    add_place("z", n->offset[2] + r.far[2][0], t);
    add_place("y", n->offset[1] + r.far[1][0], t);
    add_place("x", n->offset[0] + r.far[0][0], t);
}

/* ---- results ----------------------------------------------------------------------- */

static void open_function(const emit_stage *e)
{
    text_add(e->t,
             "\nINLINE void thread_tile_%lld(const argument &a, const fused_block &b, "
             "int step, "
             "int place, unsigned bits, unsigned kept",
             (long long)e->number);
    for (int64_t k = 0; k < e->stage->outputs; k++)
        text_add(e->t, ", field_%d::unit (&v%d)[tiles::PLANES][tiles::ROWS]",
                 e->stage->output[k].field, e->stage->output[k].field);
    text_add(e->t, ")\n{\n    const tile_point p = vector_at<tiles>(b, place);\n\n");
}

static void open_points(text *t)
{
    static const char *const loop[] = {"z < tiles::PLANES; z", "y < tiles::ROWS; y",
                                       "x < tiles::N; x"};

    for (int n = 0; n < MAX_DIM; n++)
        text_add(t, "#pragma unroll\n    for (int %c = 0; %s++)%s\n", loop[n][0], loop[n],
                 n == 2 ? " {" : "");
    text_add(t, "        const int64_t i = index_along<tiles>(0, p.i * tiles::N + x);\n"
                "        const int64_t j = index_along<tiles>(1, p.j + y);\n"
                "        const int64_t k = index_along<tiles>(2, p.k + z);\n");
}

/* Points on faces keep their value if threads hold it in registers. */
static void add_result(emit_stage *e, const ir_output *o)
{
    const stage_text *s = e->user;

    text_add(e->t, "        v%d[z][y].v[x] = ", o->field);
    if (persistent_face_mask(s->p) > 0)
        text_add(e->t,
                 "made_%lld::is_cut(x) && !(bits >> (TILE_POINT_BITS + x) & 1) ? "
                 "v%d[z][y].v[x] : ",
                 (long long)e->number, o->field);
    emit_output_value(e, o, e->t);
    text_add(e->t, ";\n");
}

static void add_point(emit_stage *e)
{
    open_points(e->t);
    for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
        for (int64_t k = 0; k < e->stage->count; k++)
            if (e->place[k] == (emit_place)where)
                emit_node_line(e, (int)k, "        ");
    for (int64_t k = 0; k < e->stage->outputs; k++)
        add_result(e, &e->stage->output[k]);
    text_add(e->t, "    }\n}\n");
}

pav_status cuda_persistent_stage(const fused_plan *p, const emit_gpu_fused *fused,
                                 int64_t which, const fused_operation *operation, text *t)
{
    const stage_text s = {p, fused};
    emit_stage e;

    TRY(cuda_fused_survey(p, which, operation->stage, t, &e));
    e.user = &s;
    e.element = add_element;
    emit_stage_comment(&e, t);
    open_function(&e);
    cuda_fused_uniforms(&e);
    for (int k = 0; k < e.slots; k++)
        add_slot(&e, &s, k);
    add_point(&e);
    emit_survey_close(&e);
    return PAV_OK;
}
