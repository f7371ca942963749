/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage within a fused launch with versions in registers: all points of a thread in one
 * plane. Each row that it reads has one name. It is the thread's own row; or a row
 * published by another warp, with the points of neighbour lanes; or a row of a fixed
 * field, from memory. */
#include <stdio.h>

#include "codegen/gpu/fused_private.h"

/* ---- borders ----------------------------------------------------------------------- */
/* Border values of versions in registers: they replace points of a tile on a face or
 * beyond, after the points are computed or loaded. Most tiles touch no face and test
 * nothing. In two dimensions a tile belongs to one warp, and short values are selected
 * without a branch. */

static const char index_of[] = "ijk";

static void add_given_side(const border_text *b, int axis, int side)
{
    const ir_border *border = &cuda_border_field(b)->border[axis][side];
    const border_kind kind = border->kind;

    if (!border_rules[kind].values || border->stage < 0)
        return;
    if (side == 0)
        text_add(b->t, "    if (%c %s 0)\n", index_of[axis],
                 border_stores_face(kind) ? "<=" : "<");
    else
        text_add(b->t, "    if (%c >= (int)a.w.extent[%d]%s)\n", index_of[axis], axis,
                 border_stores_face(kind) ? " - 1" : "");
    text_add(b->t, "        return ");
    cuda_border_call(b, border->stage, "own");
    text_add(b->t, ";\n");
}

/* Values of the borders of all axes up to `last`, on these sides. Later axes come first,
 * because their values take precedence. */
static void add_given(const border_text *b, int last, int first_side, int last_side,
                      const char *name)
{
    const char *type = cuda_border_type(b);

    text_add(
        b->t,
        "\nINLINE %s %s_%d(const argument &a, int version, %s own, int i, int j, int k)\n"
        "{\n",
        type, name, b->field, type);
    for (int axis = last; axis >= 0; axis--)
        for (int side = first_side; side <= last_side; side++)
            add_given_side(b, axis, side);
    text_add(b->t, "    return own;\n}\n");
}

/* The points of row r of a thread, at y + r. */
static void add_points_of(const border_text *b, const char *indent, const char *name)
{
    text_add(b->t,
             "#pragma unroll\n%sfor (int l = 0; l < tile::N; l++)\n"
             "%s    rows[r].v[l] = %s_%d(a, step + 1, rows[r].v[l], x + l, %s);\n",
             indent, indent, name, b->field,
             b->p->axis == 2 ? "y + r, plane" : "plane, 0");
}

static void add_each_row(const border_text *b, const char *indent)
{
    text_add(b->t, "#pragma unroll\n%sfor (int r = 0; r < tile::ROWS; r++)\n", indent);
}

/* The only stage for all faces and points beyond; -1: there are several. */
static int only_stage(const border_text *b)
{
    int stage = -1;

    for (int face = 0; face < 2 * b->p->code->dim; face++) {
        const ir_border *border = &cuda_border_field(b)->border[face / 2][face % 2];
        if (border_wraps(border->kind))
            continue;
        if (!border_stores_face(border->kind) || border->stage < 0 ||
            (stage >= 0 && border->stage != stage))
            return -1;
        stage = border->stage;
    }
    return stage;
}

/* A row on a face, or beyond it. */
static void add_given_row(const border_text *b)
{
    if (only_stage(b) < 0) {
        add_points_of(b, "            ", "given");
        return;
    }
    text_add(b->t,
             "#pragma unroll\n            for (int l = 0; l < tile::N; l++) {\n"
             "                const auto own = rows[r].v[l];\n"
             "                const int i = x + l;\n"
             "                const int j = %s;\n"
             "                const int k = %s;\n"
             "                rows[r].v[l] = ",
             b->p->axis == 2 ? "y + r" : "plane", b->p->axis == 2 ? "plane" : "0");
    cuda_border_call(b, only_stage(b), "own");
    text_add(b->t, ";\n            }\n");
}

static bool has_faces(const border_text *b, int axis)
{
    return axis <= b->p->axis && !b->p->periodic[axis];
}

/* True if the values of faces along x cost no more than a branch. */
static bool is_short_along(const border_text *b)
{
    enum { SHORT = 4 };
    int64_t count = 0;

    for (int side = 0; side < 2; side++) {
        const int stage = cuda_border_field(b)->border[0][side].stage;
        count += stage >= 0 ? b->p->code->stage[stage].count : 0;
    }
    return count <= SHORT;
}

static bool reads_beyond(const border_text *b, const ir_stage *s)
{
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_LOAD && s->node[k].field == b->field &&
            fused_distance(&s->node[k], 0) > 1)
            return true;
    return false;
}

/* True if no load reads beyond faces along x. If the grid also ends with a whole vector,
 * only the first and the last point of a vector can lie on a face. */
static bool has_ends_alone(const border_text *b)
{
    bool alone = true;

    for (int64_t n = 0; n < b->p->operations; n++)
        alone = alone && !reads_beyond(b, fused_stage_of(b->p, &b->p->operation[n]));
    for (int side = 0; side < 2; side++)
        alone = alone && border_stores_face(cuda_border_field(b)->border[0][side].kind);
    return alone;
}

static void add_end(const border_text *b, const char *name, const char *l)
{
    text_add(
        b->t,
        "            rows[r].v[%s] = %s_%d(a, step + 1, rows[r].v[%s], x + %s, %s);\n", l,
        name, b->field, l, l, b->p->axis == 2 ? "y + r, plane" : "plane, 0");
}

/* Few threads of a row have points of a face along x. */
static void add_given_along(const border_text *b)
{
    if (!has_faces(b, 0))
        return;
    text_add(b->t,
             "    if (INSIDE ? has_ends<tile>(a.w, b)%s : x <= 0 || x + tile::N >= "
             "(int)a.w.extent[0]) {\n",
             is_short_along(b) ? ""
                               : " && (x <= 0 || x + tile::N >= (int)a.w.extent[0])");
    if (has_ends_alone(b)) {
        add_each_row(b, "        ");
        text_add(b->t, "        {\n");
        add_end(b, "given_last", "tile::N - 1");
        add_end(b, "given_first", "0");
        text_add(b->t, "        }\n    }\n"
                       "    if (!INSIDE && (int)a.w.extent[0] %% tile::N != 0) {\n");
    }
    add_each_row(b, "        ");
    add_points_of(b, "            ", "given_along");
    text_add(b->t, "    }\n");
}

/* A row belongs to one warp, so the branch is uniform. Values of later axes take
 * precedence. */
static void add_given_rows(const border_text *b)
{
    const int sweep = b->p->axis;
    const bool edges = sweep == 2 && has_faces(b, 1);

    if (!has_faces(b, sweep) && !edges)
        return;
    text_add(b->t, "    if (%sflat%s) {\n        no_earlier();\n",
             edges ? "INSIDE ? b.rows != 0 : " : "",
             edges ? " || y <= 0 || y + tile::ROWS >= (int)a.w.extent[1]" : "");
    add_each_row(b, "        ");
    text_add(b->t, "            if (%sflat%s) {\n                no_earlier();\n",
             edges ? "INSIDE ? (b.rows >> r & 1) != 0 : " : "",
             edges ? " || y + r <= 0 || y + r >= (int)a.w.extent[1] - 1" : "");
    add_given_row(b);
    text_add(b->t, "            }\n    }\n");
}

/* `before` and "i <= 0 || i >= (int)a.w.extent[0] - 1", if this axis has faces. */
static void add_on_face(const border_text *b, const char *before, const char *at,
                        int axis)
{
    if (has_faces(b, axis))
        text_add(b->t, "%s%s <= 0 || %s >= (int)a.w.extent[%d] - 1", before, at, at,
                 axis);
}

static void add_flat(const border_text *b)
{
    const int sweep = b->p->axis;

    text_add(b->t, "    const bool flat = ");
    add_on_face(b, "!INSIDE && (", "plane", sweep);
    text_add(b->t, has_faces(b, sweep) ? ");\n" : "false;\n");
}

static bool is_short(const border_text *b)
{
    enum { SHORT = 2 };
    const int stage = only_stage(b);

    return stage >= 0 && b->p->code->stage[stage].count <= SHORT;
}

static void add_gift(const border_text *b)
{
    const bool chosen = b->p->axis == 1 && is_short(b);

    if (only_stage(b) < 0)
        add_given(b, b->p->axis, 0, 1, "given");
    if (!chosen)
        add_given(b, 0, 0, 1, "given_along");
    if (!chosen && has_faces(b, 0) && has_ends_alone(b)) {
        add_given(b, 0, 0, 0, "given_first");
        add_given(b, 0, 1, 1, "given_last");
    }
    text_add(
        b->t,
        "\n/* On faces and beyond them. */\n"
        "template <bool INSIDE>\n"
        "INLINE void give_%d(const argument &a, const thread_place &b, int step, int "
        "plane, pack<%s, tile::N> (&rows)[tile::ROWS])\n{\n",
        b->field, cuda_border_type(b));
    if (chosen) {
        /* If one stage serves the faces of both axes: a select at each point instead of
         * branches. */
        add_flat(b);
        text_add(b->t, "    const int version = step + 1;\n"
                       "    const int j = plane;\n"
                       "    const int k = 0;\n"
                       "#pragma unroll\n    for (int l = 0; l < tile::N; l++) {\n"
                       "        const auto own = rows[0].v[l];\n"
                       "        const int i = b.x + l;\n        if (flat");
        add_on_face(b, " || ", "i", 0);
        text_add(b->t, ")\n            rows[0].v[l] = ");
        cuda_border_call(b, only_stage(b), "own");
        text_add(b->t, ";\n    }\n");
    } else {
        /* Axis by axis, with branches because few threads or planes have points of a
         * face. */
        add_flat(b);
        text_add(b->t, "\n    if (!INSIDE && !flat && !b.edge)\n        return;\n"
                       "    const int version = step + 1;\n"
                       "    const int x = INSIDE ? b.x : kept_opaque(b.x);\n"
                       "    const int y = INSIDE ? b.y : kept_opaque(b.y);\n");
        add_given_along(b);
        add_given_rows(b);
    }
    text_add(b->t, "}\n");
}

pav_status cuda_registers_borders(const fused_plan *p, int64_t which, text *t)
{
    return cuda_each_border(p, which, add_gift, t);
}

/* ---- a stage ----------------------------------------------------------------------- */

typedef struct register_row {
    int field, level, z, y;
    int left, right; /* points next to the vector */
    bool named;      /* already named in the text */
} register_row;

typedef struct registers_text {
    const fused_plan *p;
    const emit_gpu_fused *fused;
    const fused_operation *operation;
    register_row *row;
    int64_t rows;
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

    for (int64_t k = 0; k < h->rows; k++) {
        const register_row *r = &h->row[k];
        if (r->field == n->field && r->level == n->level && r->z == z && r->y == y)
            return (int)k;
    }
    return -1;
}

static void note_row(registers_text *h, const ir_node *n, int z, int at)
{
    int k = find_row(h, n, z, at);

    if (k < 0) {
        k = (int)h->rows++;
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
    return n->op == IR_LOAD && (h->p->moves[n->field] || n->offset[0] == 0);
}

/* ---- sources of rows --------------------------------------------------------------- */

/* Planes since the row was computed, or loaded: "1", "step > 1 ? 8 : 4 + step * 4". */
static void add_age(const registers_text *h, const register_row *r, text *t)
{
    const int made = fused_age(h->p, h->operation, r->field, r->level, r->z);
    const int found = fused_input_age(h->operation, r->z);

    if (r->level == 1 || (r->level == 0 && made == found))
        text_add(t, "%d", made);
    else
        text_add(t, "step > %d ? %d : %d + step * %d", -r->level, made, found,
                 h->p->skew);
}

static void add_version(const registers_text *h, const register_row *r, text *t)
{
    const int further = r->level - h->p->field[r->field].oldest;

    text_add(t, further ? "step + %d" : "step", further);
}

static void add_comment(const registers_text *h, const register_row *r, text *t)
{
    emit_level_text(h->p->code, r->field, r->level, t);
    text_add(t, ": row %d, plane %d */\n", r->y, r->z);
}

static void add_still(const registers_text *h, int64_t k, text *t)
{
    const register_row *r = &h->row[k];
    char row[32], plane[32], name[32];
    const load_target to = {name, false, false};

    (void)snprintf(row, sizeof row, "b.j + (%d)", r->y);
    (void)snprintf(plane, sizeof plane, "plane + (%d)", r->z);
    (void)snprintf(name, sizeof name, "r%lld", (long long)k);
    text_add(t, "    pack<%s, tile::N> %s = {}; /* ",
             emit_c_type(h->p->code->field[r->field].storage), name);
    add_comment(h, r, t);
    text_add(t, "    ");
    cuda_registers_load(h->p, r->field,
                        fused_slot_of(h->fused, r->field, r->level, false), row, plane,
                        &to, t);
}

static void add_row(const registers_text *h, int64_t k, text *t)
{
    register_row *r = &h->row[k];

    r->named = true;
    if (!h->p->moves[r->field]) {
        add_still(h, k, t);
        return;
    }
    text_add(t, "    const auto r%lld = ", (long long)k);

    const bool own = r->y >= 0 && r->y < h->p->schedule.thread.size[1] &&
                     !h->p->field[r->field].whole;

    text_add(t, "widened<points_before<%d>, points_behind<%d>>(", r->left, r->right);
    if (h->p->rings && r->level < 1) {
        /* "step < 1 ? found_0::row(b, step, slot_before<5>(s.ring0, 1), -1) : " */
        const int age = fused_input_age(h->operation, r->z);
        char ago[48];

        text_add(t, "step < %d ? found_%d::row(b, ", 1 - r->level, r->field);
        add_version(h, r, t);
        (void)snprintf(ago, sizeof ago, r->level < 0 ? "%d + step * %d" : "%d", age,
                       h->p->skew);
        text_add(t, ", ");
        cuda_ring_slot(ago, t);
        text_add(t, ", %d) : ", r->y);
    }
    if (own) {
        text_add(t, "s.f%d[", r->field);
        add_version(h, r, t);
        text_add(t, "].at[");
        add_age(h, r, t);
        text_add(t, "][%d]", r->y);
    } else {
        text_add(t, "exchange_%d::row(b, ", r->field);
        add_version(h, r, t);
        text_add(t, ", slot_before<%d>(", fused_exchange_planes(h->p, r->field));
        cuda_exchange_slot(h->p, r->field, t);
        text_add(t, ", ");
        add_age(h, r, t);
        text_add(t, "), %d)", r->y);
    }
    text_add(t, ");");

    text_add(t, " /* ");
    add_comment(h, r, t);
}

/* ---- a point ----------------------------------------------------------------------- */

static void add_element(const emit_stage *e, int node, text *t)
{
    const registers_text *h = e->user;
    const ir_node *n = &e->stage->node[node];
    const int z = n->offset[h->p->axis] + e->ahead;

    if (is_row(h, n)) {
        const int k = find_row(h, n, z, h->at);
        const int further = n->offset[0] + (h->p->moves[n->field] ? h->row[k].left : 0);
        text_add(t, further ? "r%d.v[l + %d]" : "r%d.v[l]", k, further);
        return;
    }
    text_add(t, "point_at<const %s>(a.g%d", emit_c_type(e->code->field[n->field].storage),
             fused_slot_of(h->fused, n->field, n->level, false));
    for (int axis = 0; axis < MAX_DIM; axis++)
        text_add(t, ", %c + (%d)", "ijk"[axis], axis == h->p->axis ? z : n->offset[axis]);
    text_add(t, ")");
}

/* Prints a value of the plane being computed, kept some planes ago. */
static void add_value(const emit_stage *e, int node, text *t)
{
    const registers_text *h = e->user;
    const int stands = e->sweep_plan->stands ? e->sweep_plan->stands[node] : -1;

    if (stands < 0)
        emit_node_name(e, node, t);
    else if (e->sweep_plan->due[node] == e->ahead)
        emit_node_name(e, stands, t);
    else
        text_add(t, "s.sum%d_%d[step].at[%d][%d].v[l]", h->operation->stage, stands,
                 e->sweep_plan->due[node] - e->ahead, h->at);
}

/* The point's indices; outside the grid, the indices of the nearest point. */
static void add_indices(const registers_text *h, text *t)
{
    char row[32];
    (void)snprintf(row, sizeof row, "b.j + %d", h->at);
    const char *const at[] = {"b.i + l", h->p->axis == 2 ? row : "plane", "plane"};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const char *wraps = cuda_registers_wraps(h->p, axis);
        if (axis > h->p->axis)
            text_add(t, "        const int %c = 0;\n", "ijk"[axis]);
        else
            text_add(t,
                     "        const int %c = %s ? nearly<%s>(%s, a.w.extent[%d]) : "
                     "index_at<%s>(%s, a.w.extent[%d], 0, 0);\n",
                     "ijk"[axis], axis == h->p->axis ? "INSIDE" : "!EDGE", wraps,
                     at[axis], axis, wraps, at[axis], axis);
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
                add_row(h, row, e->t);
        }

        text_add(e->t, "#pragma unroll\n    for (int l = 0; l < tile::N; l++) {\n");
        add_indices(h, e->t);
        for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
            for (int64_t k = 0; k < e->stage->count; k++)
                if (is_computed(e, k, (emit_place)where))
                    add_node(e, h, (int)k);

        for (int64_t k = 0; k < e->stage->outputs; k++) {
            const ir_output *o = &e->stage->output[k];
            text_add(e->t, "        v%d[%d].v[l] = ", o->field, h->at);
            emit_output_value(e, o, e->t);
            text_add(e->t, ";\n");
        }

        text_add(e->t, "    }\n");
    }
}

/* ---- results ----------------------------------------------------------------------- */

static void add_body(emit_stage *e, registers_text *h)
{
    cuda_fused_uniforms(e);
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const int field = e->stage->output[k].field;
        text_add(e->t, "    pack<%s, tile::N> v%d[tile::ROWS];\n\n",
                 emit_c_type(e->code->field[field].storage), field);
    }
    add_points(e, h);
    for (int64_t k = 0; fused_has_faces(h->p, e->stage) && k < e->stage->outputs; k++)
        text_add(e->t,
                 "    if (EDGE)\n        give_%d<INSIDE>(a, b, step, plane, v%d);\n",
                 e->stage->output[k].field, e->stage->output[k].field);
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const int field = e->stage->output[k].field;
        const fused_field *f = &h->p->field[field];
        const int version = 1 - f->oldest;

        for (int age = 0; age < f->kept; age++)
            text_add(
                e->t,
                "    if (step == DEPTH - %d)\n        store_own_rows<INSIDE, EDGE, %s, "
                "tile>(a.g%d, a.w, b, plane, v%d);\n",
                age + 1, emit_c_type(h->p->code->field[field].storage),
                fused_slot_of(h->fused, field, -age, true), field);
        text_add(e->t, f->within ? "    {\n" : "    if (step + 1 < DEPTH) {\n");
        text_add(e->t,
                 "#pragma unroll\n        for (int r = 0; r < tile::ROWS; r++)\n"
                 "            s.f%d[step + %d].at[0][r] = v%d[r];\n",
                 field, version, field);
        if (f->exchange > 0) {
            text_add(e->t, "        exchange_%d::publish(b, step + %d, ", field, version);
            cuda_exchange_slot(h->p, field, e->t);
            text_add(e->t, ", v%d);\n", field);
        }
        text_add(e->t, "    }\n");
    }
}

static void add_stage(emit_stage *e, registers_text *h)
{
    e->user = h;
    e->element = add_element;
    e->value = add_value;

    for (int64_t k = 0; k < h->operation->reads; k++)
        for (int at = 0; at < h->p->schedule.thread.size[1]; at++)
            if (is_row(h, h->operation->read[k].load))
                note_row(h, h->operation->read[k].load, h->operation->read[k].z, at);

    emit_stage_comment(e, e->t);
    text_add(e->t,
             "\ntemplate <bool INSIDE, bool EDGE>\n"
             "INLINE void stage_%d(const argument &a, const thread_place &b, state &s, "
             "int step, int plane)\n{\n",
             h->operation->stage);
    add_body(e, h);
    text_add(e->t, "}\n");
}

pav_status cuda_registers_stage(const fused_plan *p, const emit_gpu_fused *fused,
                                int64_t which, const fused_operation *operation, text *t)
{
    registers_text h = {.p = p, .fused = fused, .operation = operation};
    sweep_plan s;
    emit_stage e;

    TRY(cuda_fused_survey(p, which, operation->stage, t, &e));
    pav_status status = fused_partial_sums_open(p, operation, &e, &s);
    h.row = mem_new(operation->reads * p->schedule.thread.size[1] + 1, sizeof *h.row);
    if (status == PAV_OK && !h.row)
        status = PAV_ENOMEM;
    if (status == PAV_OK)
        add_stage(&e, &h);
    cuda_sweep_close(&s);
    emit_survey_close(&e);
    mem_free(h.row);
    return status;
}
