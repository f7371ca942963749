/* SPDX-License-Identifier: BSD-3-Clause */
/* What a field is at a position of a tile: a point's value, or beyond a face what its border makes of the points inside,
 * as single steps would fill it: along x first, so what is beyond faces of later axes is asked of those before. */
#include "emit/pass_private.h"

static const char index_of[] = "ijk";

typedef struct border_text {
    const pass_plan *p;
    int64_t which;
    int field;
    text *t;
} border_text;

static const ir_field *field_of(const border_text *b)
{
    return &b->p->code->field[b->field];
}

static const char *type_of(const border_text *b)
{
    return emit_c_type(field_of(b)->storage);
}

/* ---- values ------------------------------------------------------------------------------- */

static void add_own(const emit_stage *e, int node, text *t)
{
    (void)node;
    text_add(t, "own");
    (void)e;
}

static void add_value(emit_stage *e, const char *type)
{
    text_add(e->t,
             "\n/* %s */\nINLINE %s border_%lld(const argument &a, int step, %s own, "
             "int64_t i, int64_t j, int64_t k)\n{\n",
             e->stage->name, type, (long long)e->number, type);
    cuda_pass_numbers(e);
    for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
        for (int64_t k = 0; k < e->stage->count; k++)
            if (e->place[k] == (emit_place)where)
                emit_node_line(e, (int)k, "    ");
    text_add(e->t, "    return ");
    emit_output_value(e, &e->stage->output[0], e->t);
    text_add(e->t, ";\n}\n");
}

static pav_status add_value_of(const border_text *b, int stage)
{
    emit_stage e;

    TRY(cuda_pass_survey(b->p, b->which, stage, b->t, &e));
    e.element = add_own;
    add_value(&e, type_of(b));
    emit_survey_close(&e);
    return PAV_OK;
}

static pav_status add_values(const border_text *b)
{
    for (int face = 0; face < 2 * MAX_DIM; face++) {
        const int stage = field_of(b)->border[face / 2][face % 2].stage;
        bool known = stage < 0;
        for (int before = 0; before < face; before++)
            known |= field_of(b)->border[before / 2][before % 2].stage == stage;
        if (!known)
            TRY(add_value_of(b, stage));
    }
    return PAV_OK;
}

/* ---- one face ----------------------------------------------------------------------------- */

/* "field_0_y(a, b, version, i, -j, k)": what the axes before make of the point that is copied. */
static void add_source(const border_text *b, int axis, const char *from)
{
    text_add(b->t, "field_%d_%c(a, b, version", b->field, "0xy"[axis]);
    for (int n = 0; n < MAX_DIM; n++)
        if (n == axis)
            text_add(b->t, ", %s", from);
        else
            text_add(b->t, ", %c", index_of[n]);
    text_add(b->t, ")");
}

static void copied_from(const border_text *b, int axis, int side, text *from)
{
    const char index = index_of[axis];
    const border_kind kind = field_of(b)->border[axis][side].kind;
    const int apart = kind == BORDER_MIRROR ? 1 : 0;

    if (kind == BORDER_CLAMP && side == 0)
        text_add(from, "0");
    else if (kind == BORDER_CLAMP)
        text_add(from, "a.w.extent[%d] - 1", axis);
    else if (side == 0)
        text_add(from, "-%d - %c", apart, index);
    else
        text_add(from, "2 * a.w.extent[%d] - %d - %c", axis, 2 - apart, index);
}

/* "border_5(a, version - 1, own, i, wrapped(j, a.w.extent[1]), k)" */
static void add_call(const border_text *b, int stage, const char *own)
{
    text_add(b->t, "border_%d(a, version - 1, %s", stage, own);
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (axis <= b->p->axis && b->p->periodic[axis])
            text_add(b->t, ", wrapped(%c, a.w.extent[%d])", index_of[axis], axis);
        else
            text_add(b->t, ", %c", index_of[axis]);
    text_add(b->t, ")");
}

static void negated(const border_text *b, const char *value)
{
    if (field_of(b)->storage == PAV_F32 || field_of(b)->storage == PAV_F64)
        text_add(b->t, "-%s", value);
    else if (field_of(b)->storage == PAV_U8)
        text_add(b->t, "%s", value);
    else
        text_add(b->t, "%s ^ 0x8000", value);
}

static void add_copied(const border_text *b, int axis, int side)
{
    const ir_border *border = &field_of(b)->border[axis][side];
    const border_kind kind = border->kind;
    text from = {0};

    copied_from(b, axis, side, &from);
    text_add(b->t, "        const %s own = ", type_of(b));
    add_source(b, axis, from.data ? from.data : "0");
    text_add(b->t, ";\n        return ");
    if (border->stage >= 0)
        add_call(b, border->stage, "own");
    else if (kind == BORDER_ODD)
        negated(b, "own");
    else
        text_add(b->t, "own");
    text_add(b->t, ";\n");
    b->t->failed = b->t->failed || from.failed;
    text_free(&from);
}

static void add_side(const border_text *b, int axis, int side)
{
    const ir_border *border = &field_of(b)->border[axis][side];
    const border_kind kind = border->kind;
    const char index = index_of[axis];

    if (kind == BORDER_NONE || kind == BORDER_PERIODIC ||
        (border->stage < 0 && (kind == BORDER_VALUE || kind == BORDER_BEYOND)))
        return;
    if (kind == BORDER_ODD && side == 0)
        text_add(b->t, "    if (%c == 0)\n        return 0;\n", index);
    else if (kind == BORDER_ODD)
        text_add(b->t, "    if (%c == a.w.extent[%d] - 1)\n        return 0;\n", index,
                 axis);
    if (side == 0)
        text_add(b->t, "    if (%c %s 0) {\n", index, kind == BORDER_VALUE ? "<=" : "<");
    else
        text_add(b->t, "    if (%c >= a.w.extent[%d]%s) {\n", index, axis,
                 kind == BORDER_VALUE ? " - 1" : "");
    if (kind == BORDER_VALUE || kind == BORDER_BEYOND) {
        text_add(b->t, "        return ");
        add_call(b, border->stage, "0");
        text_add(b->t, ";\n");
    } else {
        add_copied(b, axis, side);
    }
    text_add(b->t, "    }\n");
}

/* ---- all ---------------------------------------------------------------------------------- */

static void open_function(const border_text *b, char axis)
{
    text_add(
        b->t,
        "\nINLINE %s field_%d_%c(const argument &a, const pass_place &b, int version, "
        "int64_t i, int64_t j, int64_t k)\n{\n",
        type_of(b), b->field, axis);
}

static void add_axis(const border_text *b, int axis)
{
    open_function(b, "xyz"[axis]);
    for (int side = 0; side < 2; side++)
        add_side(b, axis, side);
    text_add(b->t, "    return field_%d_%c(a, b, version, i, j, k);\n}\n", b->field,
             "0xy"[axis]);
}

/* What a pass finds has its borders already. */
static void add_field(const border_text *b)
{
    open_function(b, '0');
    text_add(b->t, "    return field_%d::at(b, version, i, j, k);\n}\n", b->field);
    for (int axis = 0; axis < b->p->code->dim; axis++)
        add_axis(b, axis);
    text_add(
        b->t,
        "\nINLINE %s field_%d_at(const argument &a, const pass_place &b, int version, "
        "int64_t i, int64_t j, int64_t k)\n{\n"
        "    return version <= 0 ? field_%d::at(b, version, i, j, k) : field_%d_%c(a, b, "
        "version, i, j, k);\n}\n",
        type_of(b), b->field, b->field, b->field, "xyz"[b->p->axis]);
}

pav_status cuda_pass_borders(const pass_plan *p, int64_t which, text *t)
{
    for (int f = 0; f < p->code->fields; f++) {
        const border_text b = {p, which, f, t};
        if (!p->moves[f])
            continue;
        TRY(add_values(&b));
        add_field(&b);
    }
    return PAV_OK;
}

/* ---- of what is held ---------------------------------------------------------------------- */

static void add_given_side(const border_text *b, int axis, int side)
{
    const ir_border *border = &field_of(b)->border[axis][side];
    const border_kind kind = border->kind;

    if ((kind != BORDER_VALUE && kind != BORDER_BEYOND) || border->stage < 0)
        return;
    if (side == 0)
        text_add(b->t, "    if (%c %s 0)\n", index_of[axis],
                 kind == BORDER_VALUE ? "<=" : "<");
    else
        text_add(b->t, "    if (%c >= (int)a.w.extent[%d]%s)\n", index_of[axis], axis,
                 kind == BORDER_VALUE ? " - 1" : "");
    text_add(b->t, "        return ");
    add_call(b, border->stage, "own");
    text_add(b->t, ";\n");
}

/* What borders of the axes up to one give. The later axes come first: what they give stands. */
static void add_given(const border_text *b, int last, const char *name)
{
    const char *type = type_of(b);

    text_add(
        b->t,
        "\nINLINE %s %s_%d(const argument &a, int version, %s own, int i, int j, int k)\n"
        "{\n",
        type, name, b->field, type);
    for (int axis = last; axis >= 0; axis--)
        for (int side = 0; side < 2; side++)
            add_given_side(b, axis, side);
    text_add(b->t, "    return own;\n}\n");
}

/* All points of a thread, or in place of "r" those of a row that is given: y + r. */
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

/* The stage that gives all faces and what is beyond them; -1: there are several, or ways. */
static int only_stage(const border_text *b)
{
    int stage = -1;

    for (int face = 0; face < 2 * b->p->code->dim; face++) {
        const ir_border *border = &field_of(b)->border[face / 2][face % 2];
        if (border->kind == BORDER_PERIODIC)
            continue;
        if (border->kind != BORDER_VALUE || border->stage < 0 ||
            (stage >= 0 && border->stage != stage))
            return -1;
        stage = border->stage;
    }
    return stage;
}

/* A row that lies on a face, or beyond it. */
static void add_given_row(const border_text *b)
{
    if (only_stage(b) < 0) {
        add_points_of(b, "            ", "given");
        return;
    }
    text_add(b->t,
             "#pragma unroll\n            for (int l = 0; l < tile::N; l++) {\n"
             "                const auto own = rows[r].v[l];\n"
             "                const int i = x + l, j = %s, k = %s;\n"
             "                (void)own, (void)i, (void)j, (void)k;\n"
             "                rows[r].v[l] = ",
             b->p->axis == 2 ? "y + r" : "plane", b->p->axis == 2 ? "plane" : "0");
    add_call(b, only_stage(b), "own");
    text_add(b->t, ";\n            }\n");
}

static bool has_faces(const border_text *b, int axis)
{
    return axis <= b->p->axis && !b->p->periodic[axis];
}

/* Whether what faces along x give is as soon there as a branch. */
static bool is_short_along(const border_text *b)
{
    enum { SHORT = 4 };
    int64_t count = 0;

    for (int side = 0; side < 2; side++) {
        const int stage = field_of(b)->border[0][side].stage;
        count += stage >= 0 ? b->p->code->stage[stage].count : 0;
    }
    return count <= SHORT;
}

static bool reads_beyond(const border_text *b, const ir_stage *s)
{
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_LOAD && s->node[k].field == b->field &&
            pass_distance(&s->node[k], 0) > 1)
            return true;
    return false;
}

/* Whether nothing is read beyond faces along x: then of a pack its first point and its last one are given, where the grid
 * ends with a pack. */
static bool has_ends_alone(const border_text *b)
{
    bool alone = true;

    for (int64_t n = 0; n < b->p->acts; n++)
        alone = alone && !reads_beyond(b, pass_stage_of(b->p, &b->p->act[n]));
    for (int side = 0; side < 2; side++)
        alone = alone && field_of(b)->border[0][side].kind == BORDER_VALUE;
    return alone;
}

static void add_ends(const border_text *b)
{
    add_each_row(b, "        ");
    text_add(
        b->t,
        "#pragma unroll\n"
        "            for (int l = 0; l < tile::N; l += tile::N > 1 ? tile::N - 1 : 1)\n"
        "                rows[r].v[l] = given_along_%d(a, step + 1, rows[r].v[l], x + "
        "l, %s);\n"
        "    }\n    if (!INSIDE && (int)a.w.extent[0] %% tile::N != 0) {\n",
        b->field, b->p->axis == 2 ? "y + r, plane" : "plane, 0");
}

/* Few threads of a row have points of a face along x. */
static void add_given_along(const border_text *b)
{
    if (!has_faces(b, 0))
        return;
    text_add(b->t, "    if (%sx <= 0 || x + tile::N >= (int)a.w.extent[0]) {\n",
             is_short_along(b) ? "INSIDE || " : "");
    if (has_ends_alone(b))
        add_ends(b);
    add_each_row(b, "        ");
    add_points_of(b, "            ", "given_along");
    text_add(b->t, "    }\n");
}

/* A row is a warp's, and what later axes give stands. */
static void add_given_rows(const border_text *b)
{
    const int walk = b->p->axis;
    const bool beside = walk == 2 && has_faces(b, 1);

    if (!has_faces(b, walk) && !beside)
        return;
    text_add(b->t, "    if (flat%s) {\n        no_earlier();\n",
             beside ? " || y <= 0 || y + tile::ROWS >= (int)a.w.extent[1]" : "");
    add_each_row(b, "        ");
    text_add(b->t, "            if (flat%s) {\n",
             beside ? " || y + r <= 0 || y + r >= (int)a.w.extent[1] - 1" : "");
    add_given_row(b);
    text_add(b->t, "            }\n    }\n");
}

/* "i <= 0 || i >= (int)a.w.extent[0] - 1" behind what is given, where that axis has faces. */
static void add_on_face(const border_text *b, const char *before, const char *at,
                        int axis)
{
    if (has_faces(b, axis))
        text_add(b->t, "%s%s <= 0 || %s >= (int)a.w.extent[%d] - 1", before, at, at,
                 axis);
}

static void add_flat(const border_text *b)
{
    const int walk = b->p->axis;

    text_add(b->t, "    const bool flat = ");
    add_on_face(b, "!INSIDE && (", "plane", walk);
    text_add(b->t, has_faces(b, walk) ? ");\n" : "false;\n");
}

/* One value for all faces of two axes: a choice at each point in place of branches. */
static void add_chosen(const border_text *b)
{
    add_flat(b);
    text_add(b->t,
             "    const int version = step + 1, j = plane, k = 0;\n"
             "    (void)version, (void)j, (void)k;\n"
             "#pragma unroll\n    for (int l = 0; l < tile::N; l++) {\n"
             "        const auto own = rows[0].v[l];\n"
             "        const int i = b.x + l;\n        (void)own;\n        if (flat");
    add_on_face(b, " || ", "i", 0);
    text_add(b->t, ")\n            rows[0].v[l] = ");
    add_call(b, only_stage(b), "own");
    text_add(b->t, ";\n    }\n");
}

static bool is_short(const border_text *b)
{
    enum { SHORT = 2 };
    const int stage = only_stage(b);

    return stage >= 0 && b->p->code->stage[stage].count <= SHORT;
}

/* By axis, with branches where few threads or planes have points of a face. */
static void add_branches(const border_text *b)
{
    add_flat(b);
    text_add(b->t,
             "\n    if (!INSIDE && !flat && !b.edge)\n        return;\n"
             "    const int x = INSIDE ? b.x : looked_up(b.x), version = step + 1;\n"
             "    const int y = INSIDE ? b.y : looked_up(b.y);\n"
             "    (void)x, (void)y, (void)version;\n");
    add_given_along(b);
    add_given_rows(b);
}

static void add_gift(const border_text *b)
{
    const bool chosen = b->p->axis == 1 && is_short(b);

    if (only_stage(b) < 0)
        add_given(b, b->p->axis, "given");
    if (!chosen)
        add_given(b, 0, "given_along");
    text_add(b->t,
             "\n/* On faces and beyond them. */\n"
             "template <bool INSIDE>\n"
             "INLINE void give_%d(const argument &a, const held_place &b, int step, int "
             "plane, pack<%s, tile::N> (&rows)[tile::ROWS])\n{\n",
             b->field, type_of(b));
    if (chosen)
        add_chosen(b);
    else
        add_branches(b);
    text_add(b->t, "}\n");
}

pav_status cuda_held_borders(const pass_plan *p, int64_t which, text *t)
{
    for (int f = 0; f < p->code->fields; f++) {
        const border_text b = {p, which, f, t};
        if (!p->moves[f])
            continue;
        TRY(add_values(&b));
        add_gift(&b);
    }
    return PAV_OK;
}
