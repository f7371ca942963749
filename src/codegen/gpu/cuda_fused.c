/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of general fused launches: every version of a field is in shared memory, and a
 * thread has one point. Fused launches in registers use its argument and its borders. */
#include "codegen/gpu/fused_private.h"

/* ---- points off the grid ----------------------------------------------------------- */
/* Sources and receivers in a fused launch. After a plane is computed, and before any
 * other thread reads it, the thread of a point adds the values of the lists in their
 * order. It also stores samples of the point, if its block stores the point. */

static const char *fused_position(const fused_plan *p)
{
    return p->axis == 2 ? "x = b.i, y = b.j, z = plane" : "x = b.i, y = plane, z = 0";
}

static void cuda_fused_points(const fused_plan *p, text *t)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (axis <= p->axis && p->periodic[axis])
            text_add(t, "    const int64_t %c = wrapped(%c, a.w.extent[%d]);\n",
                     "ijk"[axis], "xyz"[axis], axis);
        else
            text_add(t, "    const int64_t %c = %c;\n", "ijk"[axis], "xyz"[axis]);
}

/* "k, i, j": the plane and the place in it. */
static const char *place_in_plane(const fused_plan *p)
{
    return p->axis == 2 ? "k, i, j" : "j, i, 0";
}

/* The last step is observed after the launch, like a single step. */
static void add_sample(const fused_plan *p, const statement *s, int64_t number, text *t)
{
    int field = 0;

    while (p->code->field[field].symbol != s->symbol)
        field++;

    text_add(t,
             "\n/* What a sample sees of %s. */\n"
             "INLINE void sample_%lld(const argument &a, const fused_block &b, int step, "
             "int64_t "
             "plane)\n{\n    const int64_t %s;\n",
             s->symbol->name, (long long)number, fused_position(p));

    text_add(t,
             "    if (step == (int)a.w.steps - 1 || !is_needed<tile>(b, plane, 0, 0, 0)");
    for (int axis = 0; axis <= p->axis; axis++)
        text_add(t, " ||\n        !is_within(%c, 0, a.w.extent[%d], 0)", "xyz"[axis],
                 axis);
    text_add(t, ")\n        return;\n");

    cuda_fused_points(p, t);
    text_add(
        t,
        "    const mark_range at = marks_at(a.sample%lld.points, %s);\n"
        "    for (const fused_point *m = at.from; m < at.to; m++)\n"
        "        ((%s *)a.sample%lld.value)[step * a.sample%lld.count + m->number] =\n"
        "            field_%d_at(a, b, step + 1, x, y, z);\n}\n",
        (long long)number, place_in_plane(p), emit_c_type(p->code->field[field].storage),
        (long long)number, (long long)number, field);
}

/* ---- one stage --------------------------------------------------------------------- */
/* A stage of a step within a fused launch: a thread computes its point of one plane. */

/* Loads: fields stored by the launch come from its own versions, at positions (x, y, z);
 * other fields come from memory, at points. */
typedef struct stage_text {
    const fused_plan *p;
    const emit_gpu_fused *fused;
    const fused_operation *operation;
} stage_text;

static void add_position(const char *names, const ir_node *n, text *t)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        text_add(t, ", %c", names[axis]);
        emit_plus(n->offset[axis], t);
    }
}

static void add_element(const emit_stage *e, int node, text *t)
{
    const stage_text *s = e->user;
    const ir_node *n = &e->stage->node[node];

    if (s->p->moves[n->field]) {
        text_add(t, "field_%d_at(a, b, ", n->field);
        text_add(t, "step");
        emit_plus(n->level, t);
        add_position("xyz", n, t);
    } else {
        text_add(t, "point_at<const %s>(a.g%d",
                 emit_c_type(e->code->field[n->field].storage),
                 fused_slot_of(s->fused, n->field, n->level, false));
        add_position("ijk", n, t);
    }
    text_add(t, ")");
}

/* ---- computed points --------------------------------------------------------------- */

static void add_around(const stage_text *s, text *t)
{
    text_add(t, "    const int left = (int)a.w.steps - 1 - step;\n"
                "    if (!is_needed<tile>(b, plane");
    for (int n = 0; n < MAX_DIM; n++) {
        const int axis = n < 2 ? n : s->p->axis;
        text_add(t, ", ");
        emit_times("left", s->p->reach[axis], t);
        emit_plus(s->operation->around[axis], t);
    }
    text_add(t, ")");
}

/* ---- for all fused launches -------------------------------------------------------- */

pav_status cuda_fused_survey(const fused_plan *p, int64_t which, int stage, text *t,
                             emit_stage *e)
{
    TRY(emit_survey(p->code, &p->code->stage[stage], e));
    e->program = which;
    e->number = stage;
    e->t = t;
    return PAV_OK;
}

void cuda_fused_uniforms(const emit_stage *e)
{
    for (int64_t n = 0; n < e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    const double *const table%lld = a.table%lld;\n",
                     (long long)n, (long long)n);

    for (int64_t u = 0; u < e->code->uniforms; u++) {
        if (!e->uniform[u])
            continue;
        text_add(e->t, "    const %s ",
                 emit_is_seed(e, u)   ? "uint64_t"
                 : e->real == PAV_F32 ? "float"
                                      : "double");
        emit_uniform_name(e, (int)u, e->t);
        if ((int)u == cuda_weight(e)) {
            text_add(e->t, " = %sweight;\n", e->real == PAV_F32 ? "(float)" : "");
            continue;
        }
        text_add(e->t, " = __ldg(&a.step[step].of_%lld.", (long long)e->number);
        emit_uniform_name(e, (int)u, e->t);
        text_add(e->t, ");\n");
    }
}

/* ---- all --------------------------------------------------------------------------- */

/* The computation at a point. */
static void add_values(emit_stage *e, const stage_text *s)
{
    cuda_fused_uniforms(e);
    emit_node_lines(e, "    ");

    text_add(e->t, "    const bool is_own = is_needed<tile>(b, plane, 0, 0, 0)");
    for (int axis = 0; axis <= s->p->axis; axis++)
        if (s->p->periodic[axis])
            text_add(e->t, " && is_within(%c, 0, a.w.extent[%d], 0)", "xyz"[axis], axis);
    text_add(e->t, ";\n");
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const ir_output *o = &e->stage->output[k];
        const bool within = s->p->field[o->field].within;

        text_add(e->t,
                 "    const %s v%d = ", emit_c_type(e->code->field[o->field].storage),
                 o->field);
        emit_output_value(e, o, e->t);
        text_add(e->t, ";\n");
        if (!within)
            text_add(e->t, "    if (left > 0)\n    ");
        text_add(e->t, "    field_%d::at(b, step + 1, x, y, z) = v%d;\n", o->field,
                 o->field);

        for (int age = 0; age < s->p->field[o->field].kept; age++)
            text_add(e->t,
                     "    if (left == %d && is_own)\n"
                     "        point_at<%s>(a.g%d, x, y, z) = v%d;\n",
                     age, emit_c_type(s->p->code->field[o->field].storage),
                     fused_slot_of(s->fused, o->field, -age, true), o->field);
    }
}

static void add_body(emit_stage *e, const stage_text *s)
{
    text_add(e->t,
             "\nINLINE void stage_%d(const argument &a, const fused_block &b, int step, "
             "int64_t plane)\n{\n    const int64_t %s;\n",
             s->operation->stage, fused_position(s->p));
    add_around(s, e->t);

    for (int axis = 0; axis <= s->p->axis; axis++) {
        const int *inset = e->stage->inset[axis];
        if (!s->p->periodic[axis])
            text_add(e->t, " ||\n        !is_within(%c, %d, a.w.extent[%d], %d)",
                     "xyz"[axis], inset[0], axis, inset[1]);
    }
    text_add(e->t, ")\n        return;\n");

    cuda_fused_points(s->p, e->t);
    if (s->operation->event >= 0)
        text_add(
            e->t,
            "    const mark_range at = marks_at(a.inject%d, %s);\n"
            "    for (const fused_point *m = at.from; m < at.to; m++)\n"
            "        inject_%d(a, b, step, left, plane, x, y, z, i, j, k, m->weight);\n",
            s->operation->event, place_in_plane(s->p), s->operation->event);
    else
        add_values(e, s);
    text_add(e->t, "}\n");
}

static pav_status fused_stage(const fused_plan *p, const emit_gpu_fused *fused,
                              int64_t which, const fused_operation *operation, text *t)
{
    const stage_text s = {p, fused, operation};
    emit_stage e;

    TRY(cuda_fused_survey(p, which, operation->stage, t, &e));
    e.user = &s;
    e.element = add_element;
    emit_stage_comment(&e, t);
    if (operation->event >= 0) {
        /* The addition of a source at a point, called for each entry of the point in its
         * list. */
        text_add(
            e.t,
            "\nINLINE void inject_%d(const argument &a, const fused_block &b, int step, "
            "int "
            "left, int64_t plane,\n                     int64_t x, int64_t y, int64_t z, "
            "int64_t i, int64_t j, int64_t k, double weight)\n{\n",
            s.operation->event);
        add_values(&e, &s);
        text_add(e.t, "}\n");
    }
    add_body(&e, &s);
    emit_survey_close(&e);
    return PAV_OK;
}

/* ---- borders ----------------------------------------------------------------------- */
/* The value of a field at a position of a tile: a point; or beyond a face the border's
 * value from the points inside. The order matches single steps: along x first, so that
 * values beyond faces of later axes use the values of earlier axes. */

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
    (void)e;
    (void)node;
    text_add(t, "own");
}

static void add_value(emit_stage *e, const char *type)
{
    text_add(e->t,
             "\n/* %s */\nINLINE %s border_%lld(const argument &a, int step, %s own, "
             "int64_t i, int64_t j, int64_t k)\n{\n",
             e->stage->name, type, (long long)e->number, type);
    cuda_fused_uniforms(e);
    emit_node_lines(e, "    ");
    text_add(e->t, "    return ");
    emit_output_value(e, &e->stage->output[0], e->t);
    text_add(e->t, ";\n}\n");
}

/* ---- one face ---------------------------------------------------------------------- */

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

static void add_copied(const border_text *b, int axis, int side)
{
    const ir_border *border = &cuda_border_field(b)->border[axis][side];
    text from = {0};

    const border_image image = border_image_of(border_rules[border->kind].map, side);

    if (image.extents > 1)
        text_add(&from, "%d * ", image.extents);
    if (image.extents > 0)
        text_add(&from, "a.w.extent[%d] - %d", axis, -image.shift);
    else
        text_add(&from, "%d", image.shift);
    if (image.sign < 0)
        text_add(&from, " - %c", index_of[axis]);

    text_add(b->t, "        const %s own = ", cuda_border_type(b));

    /* "field_0_y(a, b, version, i, -j, k)": the copied point, with the borders of earlier
     * axes. */
    text_add(b->t, "field_%d_%c(a, b, version", b->field, "0xy"[axis]);
    for (int n = 0; n < MAX_DIM; n++)
        if (n == axis)
            text_add(b->t, ", %s", from.data ? from.data : "0");
        else
            text_add(b->t, ", %c", index_of[n]);
    text_add(b->t, ")");

    text_add(b->t, ";\n        return ");
    if (border->stage >= 0)
        cuda_border_call(b, border->stage, "own");
    else if (border_rules[border->kind].map & GHOST_NEGATIVE) {
        const pav_type storage = cuda_border_field(b)->storage;
        text_add(b->t, storage == PAV_F32 || storage == PAV_F64 ? "-own"
                       : storage == PAV_U8                      ? "own"
                                                                : "own ^ 0x8000");
    } else
        text_add(b->t, "own");
    text_add(b->t, ";\n");
    emit_close(&from, b->t);
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

/* Input levels already have their borders. */
static void add_field(const border_text *b)
{
    open_function(b, '0');
    text_add(b->t, "    return field_%d::at(b, version, i, j, k);\n}\n", b->field);
    for (int axis = 0; axis < b->p->code->dim; axis++) {
        open_function(b, "xyz"[axis]);
        for (int side = 0; side < 2; side++)
            add_side(b, axis, side);
        text_add(b->t, "    return field_%d_%c(a, b, version, i, j, k);\n}\n", b->field,
                 "0xy"[axis]);
    }
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

        /* Of all stages: "border_5" */
        for (int face = 0; face < 2 * MAX_DIM; face++) {
            const int stage = cuda_border_field(&b)->border[face / 2][face % 2].stage;
            bool known = stage < 0;
            for (int before = 0; before < face; before++)
                known |= cuda_border_field(&b)->border[before / 2][before % 2].stage ==
                         stage;
            if (!known) {
                emit_stage e;

                TRY(cuda_fused_survey(b.p, b.which, stage, b.t, &e));
                e.element = add_own;
                add_value(&e, cuda_border_type(&b));
                emit_survey_close(&e);
            }
        }

        print(&b);
    }
    return PAV_OK;
}

pav_status cuda_fused_borders(const fused_plan *p, int64_t which, text *t)
{
    return cuda_each_border(p, which, add_field, t);
}

/* ---- the kernel -------------------------------------------------------------------- */

extern const char cuda_kernel_fused[];

/* ---- argument ---------------------------------------------------------------------- */

pav_status cuda_fused_argument(const fused_plan *p, const emit_gpu_fused *fused,
                               int64_t which, text *t)
{
    for (int64_t n = 0; n < fused->stages; n++) {
        static const schedule plain = {.coefficients = UNIFORMS_ARGUMENT};
        emit_stage e;

        TRY(cuda_fused_survey(p, which, fused->stage[n], t, &e));
        e.schedule = &plain;
        cuda_uniforms(&e);
        emit_survey_close(&e);
    }
    if (fused->stages > 0)
        text_add(t, "\n/* Of one step. */\nstruct numbers {\n");
    for (int64_t n = 0; n < fused->stages; n++)
        text_add(t, "    numbers_%lld_%d of_%d;\n", (long long)which, fused->stage[n],
                 fused->stage[n]);
    text_add(t, "%s\nstruct argument {\n    fused_work w;\n",
             fused->stages > 0 ? "};\n" : "");
    for (int64_t k = 0; k < fused->slots; k++) {
        text_add(t, "    grid g%lld; /* ", (long long)k);
        emit_level_text(p->code, fused->slot[k].field, fused->slot[k].level, t);
        text_add(t, fused->slot[k].stored ? " of the end */\n" : " */\n");
    }
    for (int64_t n = 0; n < fused->tables; n++)
        text_add(t, "    const double *table%d; /* from index 0 */\n", fused->table[n]);
    for (int64_t n = 0; n < fused->injections; n++)
        text_add(t, "    fused_points inject%lld;\n", (long long)n);
    for (int64_t n = 0; n < fused->samples; n++)
        text_add(t, "    fused_sample sample%lld; /* %s */\n", (long long)n,
                 fused->sample[n]->symbol->name);
    text_add(t, "%s", fused->stages > 0 ? "    const numbers *step;\n" : "");
    for (int64_t n = 0; n < fused->parts; n++)
        text_add(t, "    tensor m%lld; /* of g%d */\n", (long long)n,
                 fused->part[n].slot);
    text_add(t, "};\n");
    return PAV_OK;
}

/* ---- shared memory ----------------------------------------------------------------- */

static void add_fields(const fused_plan *p, text *t)
{
    text_add(t,
             "\nenum {\n    POINTS_X = %d, /* of a tile with its overlap */\n"
             "    POINTS_Y = %d,\n    OVERLAP_X = %d,\n    OVERLAP_Y = %d,\n"
             "    SWEEP_AXIS = %d\n};\n"
             "typedef tile_of<POINTS_X, POINTS_Y, OVERLAP_X, OVERLAP_Y, SWEEP_AXIS> "
             "tile;\n",
             fused_points(p, 0), fused_points(p, 1), fused_overlap(p, 0),
             p->axis == 2 ? fused_overlap(p, 1) : 0, p->axis);
    for (int f = 0; f < p->code->fields; f++) {
        if (!p->moves[f])
            continue;
        text_add(t,
                 "struct planes_%d {\n    enum { FIRST = %d, PLANES = %d, AT = %lld };\n"
                 "};\ntypedef versions<%s, tile, planes_%d> field_%d; /* ",
                 f, p->field[f].oldest, p->field[f].planes, (long long)p->field[f].at,
                 emit_c_type(p->code->field[f].storage), f, f);
        emit_level_text(p->code, f, 0, t);
        text_add(t, " */\n");
    }
}

/* ---- input levels ------------------------------------------------------------------ */

static void add_load(const fused_plan *p, const emit_gpu_fused *fused, int field, text *t)
{
    const ir_field *f = &p->code->field[field];

    text_add(t, "    if (");
    for (int axis = 0; axis <= p->axis; axis++) {
        const int *halo = f->halo[axis];
        if (!p->periodic[axis])
            text_add(t, "is_within(%c, -%d, a.w.extent[%d], -%d) && ", "xyz"[axis],
                     halo[0], axis, halo[1]);
    }
    text_add(t, "true) {\n");
    for (int level = 0; level >= p->field[field].oldest; level--)
        text_add(t,
                 "        field_%d::at(b, %d, x, y, z) = point_at<const %s>(a.g%d, i, j, "
                 "k);\n",
                 field, level, emit_c_type(f->storage),
                 fused_slot_of(fused, field, level, false));
    text_add(t, "    }\n");
}

/* ---- the sweep --------------------------------------------------------------------- */

static void add_sweep(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    const int far = p->reach[p->axis];
    int last = p->receiver_skew;

    for (int64_t n = 0; n < p->operations; n++)
        last = p->operation[n].skew + p->operation[n].around[p->axis] > last
                   ? p->operation[n].skew + p->operation[n].around[p->axis]
                   : last;
    text_add(t, "\nINLINE void sweep(const argument &a)\n{\n"
                "    const int steps = (int)a.w.steps;\n"
                "    const fused_block b = place_in_tile<tile>(a.w, ");
    emit_times("steps", far, t);
    text_add(t, ");\n    const int64_t last = b.to");
    emit_plus_times("(steps - 1)", p->skew, t);
    emit_plus(last, t);
    text_add(t, ";\n\n    for (int64_t k = b.first; k < last; k++) {\n"
                "        load(a, b, k);\n"
                "        for (int step = 0; step < steps; step++) {\n");
    for (int64_t n = 0; n < p->operations; n++) {
        text_add(t, "            stage_%d(a, b, step, ", p->operation[n].stage);
        cuda_skewed_plane(p, p->operation[n].skew, t);
    }
    for (int64_t n = 0; n < fused->samples; n++) {
        text_add(t, "            sample_%lld(a, b, step, ", (long long)n);
        cuda_skewed_plane(p, p->receiver_skew, t);
    }
    text_add(t, "        }\n        __syncthreads();\n    }\n}\n");
}

void cuda_fused_kernel(const fused_plan *p, int64_t which, const char *bounds,
                       const char *entry, text *t)
{
    text_add(t,
             "\n} // namespace fused_%lld\n\n"
             "extern \"C\" __global__ void __launch_bounds__(%d%s)\n"
             "    pav_fused_%lld(const __grid_constant__ fused_%lld::argument a)\n"
             "{\n    fused_%lld::%s(a);\n}\n",
             (long long)which, p->schedule.tile.size[0] * p->schedule.tile.size[1],
             bounds, (long long)which, (long long)which, (long long)which, entry);
}

static pav_status print_registers(const fused_plan *p, const emit_gpu_fused *fused,
                                  int64_t which, text *t)
{
    cuda_registers_fields(p, t);
    TRY(cuda_registers_borders(p, which, t));
    cuda_registers_arrivals(p, fused, t);
    for (int64_t n = 0; n < p->operations; n++)
        TRY(cuda_registers_stage(p, fused, which, &p->operation[n], t));
    cuda_registers_sweep(p, t);
    cuda_fused_kernel(p, which, "", "sweep", t);
    return PAV_OK;
}

static pav_status print(const fused_plan *p, const emit_gpu_fused *fused, int64_t which,
                        text *t)
{
    text_add(t, "\nnamespace fused_%lld {\n", (long long)which);
    TRY(cuda_fused_argument(p, fused, which, t));
    if (p->in_registers)
        return print_registers(p, fused, which, t);
    add_fields(p, t);
    TRY(cuda_fused_borders(p, which, t));

    text_add(
        t,
        "\n/* What was found of a plane. */\n"
        "INLINE void load(const argument &a, const fused_block &b, int64_t plane)\n{\n"
        "    const int64_t %s;\n",
        fused_position(p));
    cuda_fused_points(p, t);
    text_add(t, "\n    if (plane >= b.to + (b.from - b.first))\n        return;\n");
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_load(p, fused, f, t);
    text_add(t, "}\n");

    for (int64_t n = 0; n < p->operations; n++)
        TRY(fused_stage(p, fused, which, &p->operation[n], t));

    /* Points off the grid. The position of a thread as a parameter; the points i, j, k of
     * positions x, y, z; the addition at the points of a source; and the stores of
     * samples. */
    for (int64_t n = 0; n < fused->samples; n++)
        add_sample(p, fused->sample[n], n, t);
    add_sweep(p, fused, t);
    cuda_fused_kernel(p, which, "", "sweep", t);
    return PAV_OK;
}

const cuda_launch_kind cuda_time = {
    .sweeps = true,
    .least_dim = 2,
    .place = fused_choose_place,
    .settings = fused_check_shared,
    .choose = fused_choose,
    .describe = fused_describe_sweeps,
    .extent = fused_extent_of_sweeps,
    .text = print,
};
