/* SPDX-License-Identifier: BSD-3-Clause */
/* Border values of versions in registers: they replace points of a tile on a face or
 * beyond, after the points are computed or loaded. Most tiles touch no face and test
 * nothing. In two dimensions a tile belongs to one warp, and short values are selected
 * without a branch. */
#include "codegen/gpu/time/fused_private.h"

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

static void begin_given(const border_text *b, const char *name)
{
    const char *type = cuda_border_type(b);

    text_add(
        b->t,
        "\nINLINE %s %s_%d(const argument &a, int version, %s own, int i, int j, int k)\n"
        "{\n",
        type, name, b->field, type);
}

/* Values of the borders of all axes up to `last`. Later axes come first, because their
 * values take precedence. */
static void add_given(const border_text *b, int last, const char *name)
{
    begin_given(b, name);
    for (int axis = last; axis >= 0; axis--)
        for (int side = 0; side < 2; side++)
            add_given_side(b, axis, side);
    text_add(b->t, "    return own;\n}\n");
}

/* The value of one face along x. */
static void add_given_end(const border_text *b, int side, const char *name)
{
    begin_given(b, name);
    add_given_side(b, 0, side);
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

static void add_ends(const border_text *b)
{
    add_each_row(b, "        ");
    text_add(b->t, "        {\n");
    add_end(b, "given_last", "tile::N - 1");
    add_end(b, "given_first", "0");
    text_add(b->t, "        }\n    }\n"
                   "    if (!INSIDE && (int)a.w.extent[0] %% tile::N != 0) {\n");
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
    if (has_ends_alone(b))
        add_ends(b);
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

/* If one stage serves the faces of both axes: a select at each point instead of
 * branches. */
static void add_chosen(const border_text *b)
{
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
}

static bool is_short(const border_text *b)
{
    enum { SHORT = 2 };
    const int stage = only_stage(b);

    return stage >= 0 && b->p->code->stage[stage].count <= SHORT;
}

/* Axis by axis, with branches because few threads or planes have points of a face. */
static void add_branches(const border_text *b)
{
    add_flat(b);
    text_add(b->t, "\n    if (!INSIDE && !flat && !b.edge)\n        return;\n"
                   "    const int version = step + 1;\n"
                   "    const int x = INSIDE ? b.x : kept_opaque(b.x);\n"
                   "    const int y = INSIDE ? b.y : kept_opaque(b.y);\n");
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
    if (!chosen && has_faces(b, 0) && has_ends_alone(b)) {
        add_given_end(b, 0, "given_first");
        add_given_end(b, 1, "given_last");
    }
    text_add(
        b->t,
        "\n/* On faces and beyond them. */\n"
        "template <bool INSIDE>\n"
        "INLINE void give_%d(const argument &a, const thread_place &b, int step, int "
        "plane, pack<%s, tile::N> (&rows)[tile::ROWS])\n{\n",
        b->field, cuda_border_type(b));
    if (chosen)
        add_chosen(b);
    else
        add_branches(b);
    text_add(b->t, "}\n");
}

pav_status cuda_registers_borders(const fused_plan *p, int64_t which, text *t)
{
    return cuda_each_border(p, which, add_gift, t);
}
