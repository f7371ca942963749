/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage within a fused launch with versions in registers: all points of a thread in one
 * plane. Each row that it reads has one name. It is the thread's own row; or a row
 * published by another warp, with the points of neighbour lanes; or a row of a fixed
 * field, from memory. */
#include "codegen/gpu/fused_private.h"

/* ---- borders ----------------------------------------------------------------------- */
/* Border values of versions in registers: they replace points of a tile on a face or
 * beyond, after the points are computed or loaded. Most tiles touch no face and test
 * nothing. In two dimensions a tile belongs to one warp, and short values are selected
 * without a branch. */

/* The arguments of a point in row r of a thread, at y + r. */
static const char *point_of_row(const fused_plan *p)
{
    return p->axis == 2 ? "y + r, plane" : "plane, 0";
}

/* Values of the borders of all axes up to `last`, on these sides. Later axes come first,
 * because their values take precedence. */
static void add_given(const fused_plan *p, int field, int last, int first_side,
                      int last_side, const char *name)
{
    const char *type = fused_type(p, field);

    text_add(p->t,
             "\nINLINE %s %s_%d(const argument &a, int version, %s own, int i, int j, "
             "int k)\n{\n",
             type, name, field, type);
    for (int axis = last; axis >= 0; axis--)
        for (int side = first_side; side <= last_side; side++) {
            const ir_border *border = &p->code->field[field].border[axis][side];

            if (border_rules[border->kind].values && border->stage >= 0)
                text_add(p->t, "    if (%s)\n        return %s;\n",
                         cuda_on_side(p, border, axis, side, "(int)a.w.extent"),
                         cuda_border_call(p, border->stage, "own"));
        }
    text_add(p->t, "    return own;\n}\n");
}

static void add_points_of(const fused_plan *p, int field, const char *indent,
                          const char *name)
{
    text_add(p->t,
             "#pragma unroll\n%sfor (int l = 0; l < tile::N; l++)\n"
             "%s    rows[r].v[l] = %s_%d(a, step + 1, rows[r].v[l], x + l, %s);\n",
             indent, indent, name, field, point_of_row(p));
}

static void add_each_row(const fused_plan *p, const char *indent)
{
    text_add(p->t, "#pragma unroll\n%sfor (int r = 0; r < tile::ROWS; r++)\n", indent);
}

/* The only stage for all faces and points beyond; -1: there are several. */
static int only_stage(const fused_plan *p, int field)
{
    int stage = -1;

    for (int face = 0; face < 2 * p->code->dim; face++) {
        const ir_border *border = &p->code->field[field].border[face / 2][face % 2];
        if (border_wraps(border->kind))
            continue;
        if (!border_stores_face(border->kind) || border->stage < 0 ||
            (stage >= 0 && border->stage != stage))
            return -1;
        stage = border->stage;
    }
    return stage;
}

static bool has_faces(const fused_plan *p, int axis)
{
    return axis <= p->axis && !p->periodic[axis];
}

/* True if the values of faces along x cost no more than a branch. */
static bool is_short_along(const fused_plan *p, int field)
{
    enum { SHORT = 4 };
    int64_t count = 0;

    for (int side = 0; side < 2; side++) {
        const int stage = p->code->field[field].border[0][side].stage;
        count += stage >= 0 ? p->code->stage[stage].count : 0;
    }
    return count <= SHORT;
}

static bool reads_beyond(const ir_stage *s, int field)
{
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        if (n->field == field && fused_distance(n, 0) > 1)
            return true;
    return false;
}

/* True if no load reads beyond faces along x. If the grid also ends with a whole vector,
 * only the first and the last point of a vector can lie on a face. */
static bool has_ends_alone(const fused_plan *p, int field)
{
    const ir_border *border = p->code->field[field].border[0];

    for (int64_t n = 0; n < p->operations; n++)
        if (reads_beyond(fused_stage_of(p, &p->operation[n]), field))
            return false;
    return border_stores_face(border[0].kind) && border_stores_face(border[1].kind);
}

static void add_end(const fused_plan *p, int field, const char *name, const char *l)
{
    text_add(
        p->t,
        "            rows[r].v[%s] = %s_%d(a, step + 1, rows[r].v[%s], x + %s, %s);\n", l,
        name, field, l, l, point_of_row(p));
}

/* Few threads of a row have points of a face along x. */
static void add_given_along(const fused_plan *p, int field)
{
    if (!has_faces(p, 0))
        return;
    text_add(p->t,
             "    if (INSIDE ? has_ends<tile>(a.w, b)%s : x <= 0 || x + tile::N >= "
             "(int)a.w.extent[0]) {\n",
             is_short_along(p, field)
                 ? ""
                 : " && (x <= 0 || x + tile::N >= (int)a.w.extent[0])");
    if (has_ends_alone(p, field)) {
        add_each_row(p, "        ");
        text_add(p->t, "        {\n");
        add_end(p, field, "given_last", "tile::N - 1");
        add_end(p, field, "given_first", "0");
        text_add(p->t, "        }\n    }\n"
                       "    if (!INSIDE && (int)a.w.extent[0] %% tile::N != 0) {\n");
    }
    add_each_row(p, "        ");
    add_points_of(p, field, "            ", "given_along");
    text_add(p->t, "    }\n");
}

/* Sets given values in rows and planes on a face. A row belongs to one warp, so the
 * branch is uniform. If a point lies on faces of two axes, the later axis wins, so it is
 * done last. */
static void add_given_rows(const fused_plan *p, int field)
{
    const bool edges = p->axis == 2 && has_faces(p, 1);

    if (!has_faces(p, p->axis) && !edges)
        return;
    text_add(p->t, "    if (%sflat%s) {\n        no_earlier();\n",
             edges ? "INSIDE ? b.rows != 0 : " : "",
             edges ? " || y <= 0 || y + tile::ROWS >= (int)a.w.extent[1]" : "");
    add_each_row(p, "        ");
    text_add(p->t, "            if (%sflat%s) {\n                no_earlier();\n",
             edges ? "INSIDE ? (b.rows >> r & 1) != 0 : " : "",
             edges ? " || y + r <= 0 || y + r >= (int)a.w.extent[1] - 1" : "");
    /* A row on a face, or beyond it. */
    if (only_stage(p, field) < 0)
        add_points_of(p, field, "            ", "given");
    else
        text_add(p->t,
                 "#pragma unroll\n            for (int l = 0; l < tile::N; l++) {\n"
                 "                const auto own = rows[r].v[l];\n"
                 "                const int i = x + l;\n"
                 "                const int j = %s;\n"
                 "                const int k = %s;\n"
                 "                rows[r].v[l] = %s;\n            }\n",
                 p->axis == 2 ? "y + r" : "plane", p->axis == 2 ? "plane" : "0",
                 cuda_border_call(p, only_stage(p, field), "own"));
    text_add(p->t, "            }\n    }\n");
}

/* "i <= 0 || i >= (int)a.w.extent[0] - 1" */
static const char *is_on_face(const fused_plan *p, const char *at, int axis)
{
    return arena_print(p->arena, "%s <= 0 || %s >= (int)a.w.extent[%d] - 1", at, at,
                       axis);
}

static bool is_short(const fused_plan *p, int stage)
{
    enum { SHORT = 2 };

    return stage >= 0 && p->code->stage[stage].count <= SHORT;
}

static void add_border_function(const fused_plan *p, int field)
{
    const int only = only_stage(p, field);
    const bool chosen = p->axis == 1 && is_short(p, only);

    if (only < 0)
        add_given(p, field, p->axis, 0, 1, "given");
    if (!chosen)
        add_given(p, field, 0, 0, 1, "given_along");
    if (!chosen && has_faces(p, 0) && has_ends_alone(p, field)) {
        add_given(p, field, 0, 0, 0, "given_first");
        add_given(p, field, 0, 1, 1, "given_last");
    }
    text_add(p->t,
             "\n/* Sets the points on faces and beyond faces by the border. */\n"
             "template <bool INSIDE>\n"
             "INLINE void give_%d(const argument &a, const thread_place &b, int step, "
             "int plane, pack<%s, tile::N> (&rows)[tile::ROWS])\n{\n",
             field, fused_type(p, field));
    if (has_faces(p, p->axis))
        text_add(p->t, "    const bool flat = !INSIDE && (%s);\n",
                 is_on_face(p, "plane", p->axis));
    else
        text_add(p->t, "    const bool flat = false;\n");
    if (chosen)
        /* If one stage serves the faces of both axes: a select at each point instead of
         * branches. */
        text_add(p->t,
                 "    const int version = step + 1;\n"
                 "    const int j = plane;\n"
                 "    const int k = 0;\n"
                 "#pragma unroll\n    for (int l = 0; l < tile::N; l++) {\n"
                 "        const auto own = rows[0].v[l];\n"
                 "        const int i = b.x + l;\n        if (flat%s%s)\n"
                 "            rows[0].v[l] = %s;\n    }\n",
                 has_faces(p, 0) ? " || " : "",
                 has_faces(p, 0) ? is_on_face(p, "i", 0) : "",
                 cuda_border_call(p, only, "own"));
    else {
        /* Axis by axis, with branches because few threads or planes have points of a
         * face. */
        text_add(p->t, "\n    if (!INSIDE && !flat && !b.edge)\n        return;\n"
                       "    const int version = step + 1;\n"
                       "    const int x = INSIDE ? b.x : kept_opaque(b.x);\n"
                       "    const int y = INSIDE ? b.y : kept_opaque(b.y);\n");
        add_given_along(p, field);
        add_given_rows(p, field);
    }
    text_add(p->t, "}\n");
}

void cuda_registers_borders(const fused_plan *p)
{
    cuda_each_border(p, add_border_function);
}

/* ---- a stage ----------------------------------------------------------------------- */

typedef struct register_row {
    int field, level, z, y;
    int left, right; /* points next to the vector */
    bool named;      /* already named in the text */
} register_row;

typedef struct registers_text {
    const fused_plan *p;
    const fused_operation *operation;
    register_row *row;
    int rows;
    int at; /* the row of the thread being printed */
} registers_text;

/* The offset of a load across the rows of a plane. */
static int across_of(const registers_text *h, const ir_node *n)
{
    return h->p->axis == 2 ? n->offset[1] : 0;
}

/* ---- loaded rows ------------------------------------------------------------------- */

static int find_row(const registers_text *h, const ir_node *n, int z, int at)
{
    const int y = across_of(h, n) + at;

    for (int k = 0; k < h->rows; k++) {
        const register_row *r = &h->row[k];
        if (r->field == n->field && r->level == n->level && r->z == z && r->y == y)
            return k;
    }
    return -1;
}

static void note_row(registers_text *h, const ir_node *n, int z, int at)
{
    int k = find_row(h, n, z, at);

    if (k < 0) {
        k = h->rows++;
        h->row[k] = (register_row){
            .field = n->field, .level = n->level, .z = z, .y = across_of(h, n) + at};
    }
    register_row *r = &h->row[k];
    r->left = int_most(r->left, -n->offset[0]);
    r->right = int_most(r->right, n->offset[0]);
}

/* False for loads of a fixed field beside the thread's own points: they come from memory
 * point by point. */
static bool is_row(const registers_text *h, const ir_node *n)
{
    return n->op == IR_LOAD &&
           (h->p->moves[n->field] || (n->offset[0] == 0 && n->transfer == IR_SAME));
}

/* ---- sources of rows --------------------------------------------------------------- */

/* Planes since the row was computed, or loaded: "1", "step > 1 ? 8 : 4 + step * 4". */
static const char *age_of(const registers_text *h, const register_row *r)
{
    const int made = fused_age(h->p, h->operation, r->field, r->level, r->z);
    const int found = fused_input_age(h->operation, r->z);

    return r->level == 1 || (r->level == 0 && made == found)
               ? arena_print(h->p->arena, "%d", made)
               : arena_print(h->p->arena, "step > %d ? %d : %d + step * %d", -r->level,
                             made, found, h->p->skew);
}

/* "step < 1 ? found_0::row(b, step, slot_before<5>(s.ring0, 1), -1) : " */
static const char *found_row(const registers_text *h, const register_row *r,
                             const char *version)
{
    const fused_plan *p = h->p;
    const int age = fused_input_age(h->operation, r->z);
    const char *ago = r->level < 0 ? arena_print(p->arena, "%d + step * %d", age, p->skew)
                                   : arena_print(p->arena, "%d", age);

    return arena_print(p->arena,
                       "step < %d ? found_%d::row(b, %s, %s, %d) : ", 1 - r->level,
                       r->field, version, cuda_ring_slot(p, ago), r->y);
}

/* "s.phase" or "s.turn0": the slot for published rows of a field. */
static const char *exchange_slot(const fused_plan *p, int field)
{
    return fused_has_phase(p, field)
               ? "s.phase"
               : arena_print(p->arena, "s.turn%d", p->field[field].exchange);
}

static void add_row(const registers_text *h, int k)
{
    const fused_plan *p = h->p;
    arena *const a = p->arena;
    register_row *r = &h->row[k];
    const int f = r->field, further = r->level - p->field[f].oldest;
    const char *name = arena_print(a, "r%d", k);
    const char *comment = arena_print(a, "%s: row %d, plane %d",
                                      emit_level(a, p->code, f, r->level), r->y, r->z);

    r->named = true;
    if (!p->moves[f]) {
        text_add(p->t, "    pack<%s, tile::N> %s = {}; /* %s */\n    %s",
                 fused_type(p, r->field), name, comment,
                 cuda_registers_load(p, r->field,
                                     fused_slot_of(p->fused, r->field, r->level, false),
                                     arena_print(p->arena, "b.j + (%d)", r->y),
                                     arena_print(p->arena, "plane + (%d)", r->z),
                                     &(load_target){name, false, false}));
        return;
    }
    const bool own = r->y >= 0 && r->y < p->schedule.thread.size[1] && !p->field[f].whole;
    const char *version = further ? arena_print(a, "step + %d", further) : "step";
    const char *row = own ? arena_print(a, "s.f%d[%s].at[%s][%d]", f, version,
                                        age_of(h, r), r->y)
                          : arena_print(
                                a, "exchange_%d::row(b, %s, slot_before<%d>(%s, %s), %d)",
                                f, version, fused_exchange_planes(p, f),
                                exchange_slot(p, f), age_of(h, r), r->y);

    text_add(p->t,
             "    const auto %s = widened<points_before<%d>, points_behind<%d>>(%s%s); "
             "/* %s */\n",
             name, r->left, r->right,
             p->rings && r->level < 1 ? found_row(h, r, version) : "", row, comment);
}

/* ---- a point
 * ----------------------------------------------------------------------- */

static const char *element_of(const emit_stage *e, int node)
{
    const registers_text *h = e->user;
    const fused_plan *p = h->p;
    const ir_node *n = &e->stage->node[node];
    const int z = n->offset[p->axis] + e->ahead;

    if (is_row(h, n)) {
        const int k = find_row(h, n, z, h->at);
        const int further = n->offset[0] + (p->moves[n->field] ? h->row[k].left : 0);
        return arena_print(p->arena, further ? "r%d.v[l + %d]" : "r%d.v[l]", k, further);
    }
    ir_node at = *n;
    at.offset[p->axis] = z;
    return fused_fixed(p, &at, (const char *const[]){"i", "j", "k"});
}

/* A value of the plane being computed, kept some planes ago. */
static const char *value_of(const emit_stage *e, int node)
{
    const registers_text *h = e->user;
    const sweep_plan *s = e->sweep_plan;
    const int stands = s->stands ? s->stands[node] : -1;

    return stands < 0 ? emit_node_name(e, node)
           : s->due[node] == e->ahead
               ? emit_node_name(e, stands)
               : arena_print(e->arena, "s.sum%d_%d[step].at[%d][%d].v[l]",
                             h->operation->stage, stands, s->due[node] - e->ahead, h->at);
}

/* The point's indices; outside the grid, the indices of the nearest point. */
static void add_indices(const registers_text *h)
{
    const fused_plan *p = h->p;
    const char *row = arena_print(p->arena, "b.j + %d", h->at);
    const char *const at[] = {"b.i + l", p->axis == 2 ? row : "plane", "plane"};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const char *wraps = cuda_registers_wraps(p, axis);
        if (axis > p->axis)
            text_add(p->t, "        const int %c = 0;\n", "ijk"[axis]);
        else
            text_add(p->t,
                     "        const int %c = %s ? nearly<%s>(%s, a.w.extent[%d]) : "
                     "index_at<%s>(%s, a.w.extent[%d], 0, 0);\n",
                     "ijk"[axis], axis == p->axis ? "INSIDE" : "!EDGE", wraps, at[axis],
                     axis, wraps, at[axis], axis);
    }
}

static bool is_computed(const emit_stage *e, int64_t node, emit_place where)
{
    return e->place[node] == where &&
           (!e->sweep_plan->fate || e->sweep_plan->fate[node] != FATE_NONE);
}

/* In the order of input planes, a node may belong to results some planes back. */
static void add_node(emit_stage *e, const registers_text *h, int node)
{
    const sweep_plan *s = e->sweep_plan;

    e->ahead = s->due ? s->due[node] : 0;
    emit_node_line(e, node, "        ");
    e->ahead = 0;
    if (s->fate && s->fate[node] == FATE_LEAD)
        text_add(e->t, "        s.sum%d_%d[step].at[0][%d].v[l] = n%d;\n",
                 h->operation->stage, node, h->at, node);
}

static void add_points(emit_stage *e, registers_text *h)
{
    for (h->at = 0; h->at < h->p->schedule.thread.size[1]; h->at++) {
        /* Names rows just before their first use, because compilers load them there. */
        if (h->p->rings)
            text_add(e->t, "    if (step == 0)\n        no_earlier();\n");
        for (int64_t k = 0; k < h->operation->reads; k++) {
            const fused_read *read = &h->operation->read[k];
            if (!is_row(h, read->load))
                continue;
            const int row = find_row(h, read->load, read->z, h->at);
            if (!h->row[row].named)
                add_row(h, row);
        }

        text_add(e->t, "#pragma unroll\n    for (int l = 0; l < tile::N; l++) {\n");
        add_indices(h);
        for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
            for (int64_t k = 0; k < e->stage->count; k++)
                if (is_computed(e, k, (emit_place)where))
                    add_node(e, h, (int)k);
        for (int64_t k = 0; k < e->stage->outputs; k++)
            text_add(e->t, "        v%d[%d].v[l] = %s;\n", e->stage->output[k].field,
                     h->at, emit_output_value(e, &e->stage->output[k]));
        text_add(e->t, "    }\n");
    }
}

/* ---- results ----------------------------------------------------------------------- */

static void add_stores(const fused_plan *p, int field)
{
    const fused_field *f = &p->field[field];
    const int version = 1 - f->oldest;

    for (int age = 0; age < f->kept; age++)
        text_add(p->t,
                 "    if (step == DEPTH - %d)\n        store_own_rows<INSIDE, EDGE, %s, "
                 "tile>(a.g%d, a.w, b, plane, v%d);\n",
                 age + 1, fused_type(p, field),
                 fused_slot_of(p->fused, field, -age, true), field);
    if (fused_versions(p, field) == 0)
        return;
    text_add(p->t,
             "%s#pragma unroll\n        for (int r = 0; r < tile::ROWS; r++)\n"
             "            s.f%d[step + %d].at[0][r] = v%d[r];\n",
             f->within ? "    {\n" : "    if (step + 1 < DEPTH) {\n", field, version,
             field);
    if (f->exchange > 0)
        text_add(p->t, "        exchange_%d::publish(b, step + %d, %s, v%d);\n", field,
                 version, exchange_slot(p, field), field);
    text_add(p->t, "    }\n");
}

static bool is_on_faces(const fused_plan *p, const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->outputs; k++)
        for (int face = 0; face < 2 * p->code->dim; face++) {
            const ir_field *f = &p->code->field[stage->output[k].field];
            if (border_rules[f->border[face / 2][face % 2].kind].values)
                return true;
        }
    return false;
}

void cuda_registers_stage(const fused_plan *p, const fused_operation *operation)
{
    const int rows = p->schedule.thread.size[1];
    emit_stage e = cuda_fused_survey(p, operation->stage);
    const sweep_plan s = fused_sweep_plan(p, operation, &e);
    registers_text h = {.p = p, .operation = operation};

    e.sweep_plan = &s;
    e.user = &h;
    e.element = element_of;
    e.value = value_of;
    h.row = arena_alloc(p->arena, operation->reads * rows + 1, sizeof *h.row);
    for (int64_t k = 0; k < operation->reads; k++)
        for (int at = 0; at < rows; at++)
            if (is_row(&h, operation->read[k].load))
                note_row(&h, operation->read[k].load, operation->read[k].z, at);

    emit_stage_comment(&e, p->t);
    text_add(p->t,
             "\ntemplate <bool INSIDE, bool EDGE>\n"
             "INLINE void stage_%d(const argument &a, const thread_place &b, state &s, "
             "int step, int plane)\n{\n",
             operation->stage);
    cuda_fused_uniforms(&e);
    for (int64_t k = 0; k < e.stage->outputs; k++) {
        const int field = e.stage->output[k].field;
        text_add(e.t, "    pack<%s, tile::N> v%d[tile::ROWS];\n\n",
                 fused_type(h.p, field), field);
    }
    add_points(&e, &h);
    for (int64_t k = 0; is_on_faces(h.p, e.stage) && k < e.stage->outputs; k++)
        text_add(e.t, "    if (EDGE)\n        give_%d<INSIDE>(a, b, step, plane, v%d);\n",
                 e.stage->output[k].field, e.stage->output[k].field);
    for (int64_t k = 0; k < e.stage->outputs; k++)
        add_stores(h.p, e.stage->output[k].field);
    text_add(p->t, "}\n");
}
