/* SPDX-License-Identifier: BSD-3-Clause */
/* The value of a field at a position of a tile: a point; or beyond a face the border's
 * value from the points inside. The order matches single steps: along x first, so that
 * values beyond faces of later axes use the values of earlier axes. */
#include "codegen/gpu/time/fused_private.h"

static const char index_of[] = "ijk";

const ir_field *cuda_border_field(const border_text *b)
{
    return &b->p->code->field[b->field];
}

const char *cuda_border_type(const border_text *b)
{
    return emit_c_type(cuda_border_field(b)->storage);
}

/* ---- values ------------------------------------------------------------------------ */

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
    cuda_fused_uniforms(e);
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

    TRY(cuda_fused_survey(b->p, b->which, stage, b->t, &e));
    e.element = add_own;
    add_value(&e, cuda_border_type(b));
    emit_survey_close(&e);
    return PAV_OK;
}

pav_status cuda_border_values(const border_text *b)
{
    for (int face = 0; face < 2 * MAX_DIM; face++) {
        const int stage = cuda_border_field(b)->border[face / 2][face % 2].stage;
        bool known = stage < 0;
        for (int before = 0; before < face; before++)
            known |= cuda_border_field(b)->border[before / 2][before % 2].stage == stage;
        if (!known)
            TRY(add_value_of(b, stage));
    }
    return PAV_OK;
}

/* ---- one face ---------------------------------------------------------------------- */

/* "field_0_y(a, b, version, i, -j, k)": the copied point, with the borders of earlier
 * axes. */
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
    const border_kind kind = cuda_border_field(b)->border[axis][side].kind;
    const border_image image = border_image_of(border_rules[kind].map, side);

    if (image.extents > 1)
        text_add(from, "%d * ", image.extents);
    if (image.extents > 0)
        text_add(from, "a.w.extent[%d] - %d", axis, -image.shift);
    else
        text_add(from, "%d", image.shift);
    if (image.sign < 0)
        text_add(from, " - %c", index_of[axis]);
}

/* "border_5(a, version - 1, own, i, wrapped(j, a.w.extent[1]), k)" */
void cuda_border_call(const border_text *b, int stage, const char *own)
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
    if (cuda_border_field(b)->storage == PAV_F32 ||
        cuda_border_field(b)->storage == PAV_F64)
        text_add(b->t, "-%s", value);
    else if (cuda_border_field(b)->storage == PAV_U8)
        text_add(b->t, "%s", value);
    else
        text_add(b->t, "%s ^ 0x8000", value);
}

static void add_copied(const border_text *b, int axis, int side)
{
    const ir_border *border = &cuda_border_field(b)->border[axis][side];
    text from = {0};

    copied_from(b, axis, side, &from);
    text_add(b->t, "        const %s own = ", cuda_border_type(b));
    add_source(b, axis, from.data ? from.data : "0");
    text_add(b->t, ";\n        return ");
    if (border->stage >= 0)
        cuda_border_call(b, border->stage, "own");
    else if (border_rules[border->kind].map & GHOST_NEGATIVE)
        negated(b, "own");
    else
        text_add(b->t, "own");
    text_add(b->t, ";\n");
    b->t->failed = b->t->failed || from.failed;
    text_free(&from);
}

static void add_side(const border_text *b, int axis, int side)
{
    const ir_border *border = &cuda_border_field(b)->border[axis][side];
    const border_kind kind = border->kind;
    const bool values = border_rules[kind].values;
    const char index = index_of[axis];

    if (!border_copies_inside(kind) && (!values || border->stage < 0))
        return;
    if (border_zeroes_face(border_rules[kind].map) && side == 0)
        text_add(b->t, "    if (%c == 0)\n        return 0;\n", index);
    else if (border_zeroes_face(border_rules[kind].map))
        text_add(b->t, "    if (%c == a.w.extent[%d] - 1)\n        return 0;\n", index,
                 axis);
    if (side == 0)
        text_add(b->t, "    if (%c %s 0) {\n", index,
                 border_stores_face(kind) ? "<=" : "<");
    else
        text_add(b->t, "    if (%c >= a.w.extent[%d]%s) {\n", index, axis,
                 border_stores_face(kind) ? " - 1" : "");
    if (values) {
        text_add(b->t, "        return ");
        cuda_border_call(b, border->stage, "0");
        text_add(b->t, ";\n");
    } else {
        add_copied(b, axis, side);
    }
    text_add(b->t, "    }\n");
}

/* ---- all --------------------------------------------------------------------------- */

static void open_function(const border_text *b, char axis)
{
    text_add(
        b->t,
        "\nINLINE %s field_%d_%c(const argument &a, const fused_block &b, int version, "
        "int64_t i, int64_t j, int64_t k)\n{\n",
        cuda_border_type(b), b->field, axis);
}

static void add_axis(const border_text *b, int axis)
{
    open_function(b, "xyz"[axis]);
    for (int side = 0; side < 2; side++)
        add_side(b, axis, side);
    text_add(b->t, "    return field_%d_%c(a, b, version, i, j, k);\n}\n", b->field,
             "0xy"[axis]);
}

/* Input levels already have their borders. */
static void add_field(const border_text *b)
{
    open_function(b, '0');
    text_add(b->t, "    return field_%d::at(b, version, i, j, k);\n}\n", b->field);
    for (int axis = 0; axis < b->p->code->dim; axis++)
        add_axis(b, axis);
    text_add(
        b->t,
        "\nINLINE %s field_%d_at(const argument &a, const fused_block &b, int version, "
        "int64_t i, int64_t j, int64_t k)\n{\n"
        "    return version <= 0 ? field_%d::at(b, version, i, j, k) : field_%d_%c(a, b, "
        "version, i, j, k);\n}\n",
        cuda_border_type(b), b->field, b->field, b->field, "xyz"[b->p->axis]);
}

pav_status cuda_each_border(const fused_plan *p, int64_t which, border_print *print,
                            text *t)
{
    for (int f = 0; f < p->code->fields; f++) {
        const border_text b = {p, which, f, t};
        if (!p->moves[f])
            continue;
        TRY(cuda_border_values(&b));
        print(&b);
    }
    return PAV_OK;
}

pav_status cuda_fused_borders(const fused_plan *p, int64_t which, text *t)
{
    return cuda_each_border(p, which, add_field, t);
}
