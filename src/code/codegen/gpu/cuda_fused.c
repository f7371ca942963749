/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of general fused launches: every version of a field is in shared memory, and a
 * thread has one point. Fused launches in registers (cuda_registers.c) use the argument
 * and the borders printed here. */
#include "codegen/gpu/fused_private.h"

/* ---- points off the grid ----------------------------------------------------------- */
/* Sources and receivers in a fused launch. After a plane is computed, and before any
 * other thread reads it, the thread of a point adds the values of the lists in their
 * order. It also stores samples of the point, if its block stores the point. */

static const char *position_of(const fused_plan *p)
{
    return p->axis == 2 ? "x = b.i, y = b.j, z = plane" : "x = b.i, y = plane, z = 0";
}

static void add_points(const fused_plan *p)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (p->periodic[axis])
            text_add(p->t, "    const int64_t %c = wrapped(%c, a.w.extent[%d]);\n",
                     "ijk"[axis], "xyz"[axis], axis);
        else
            text_add(p->t, "    const int64_t %c = %c;\n", "ijk"[axis], "xyz"[axis]);
}

/* "k, i, j": the plane and the place in it. */
static const char *place_in_plane(const fused_plan *p)
{
    return p->axis == 2 ? "k, i, j" : "j, i, 0";
}

/* The last step is observed after the launch, like a single step. */
static void add_sample(const fused_plan *p, int number)
{
    const statement *s = p->fused->sample[number];
    int field = 0;

    while (p->code->field[field].symbol != s->symbol)
        field++;

    text_add(p->t,
             "\n/* The values of %s at the points of a sample. */\n"
             "INLINE void sample_%d(const argument &a, const fused_block &b, int step, "
             "int64_t plane)\n{\n    const int64_t %s;\n"
             "    if (step == (int)a.w.steps - 1 || !is_needed<tile>(b, plane, 0, 0, 0)",
             s->symbol->name, number, position_of(p));
    for (int axis = 0; axis <= p->axis; axis++)
        text_add(p->t, " ||\n        !is_within(%c, 0, a.w.extent[%d], 0)", "xyz"[axis],
                 axis);
    text_add(p->t, ")\n        return;\n");

    add_points(p);
    text_add(p->t,
             "    const mark_range at = marks_at(a.sample%d.points, %s);\n"
             "    for (const fused_point *m = at.from; m < at.to; m++)\n"
             "        ((%s *)a.sample%d.value)[step * a.sample%d.count + m->number] =\n"
             "            field_%d_at(a, b, step + 1, x, y, z);\n}\n",
             number, place_in_plane(p), fused_type(p, field), number, number, field);
}

/* ---- one stage --------------------------------------------------------------------- */
/* A stage of a step within a fused launch: a thread computes its point of one plane. */

/* "x + 1, y, z - 2" */
static const char *place_of(const fused_plan *p, const char *names, const ir_node *n)
{
    arena *const a = p->arena;

    return arena_print(a, "%c%s, %c%s, %c%s", names[0], emit_plus(a, n->offset[0]),
                       names[1], emit_plus(a, n->offset[1]), names[2],
                       emit_plus(a, n->offset[2]));
}

/* Fields stored by the launch come from its own versions, at positions (x, y, z); other
 * fields come from memory, at points. */
static const char *element_of(const emit_stage *e, int node)
{
    const fused_plan *p = e->user;
    const ir_node *n = &e->stage->node[node];

    return p->moves[n->field]
               ? arena_print(p->arena, "field_%d_at(a, b, step%s, %s)", n->field,
                             emit_plus(p->arena, n->level), place_of(p, "xyz", n))
               : fused_fixed(p, n, (const char *const[]){"i", "j", "k"});
}

/* ---- for all fused launches -------------------------------------------------------- */

emit_stage cuda_fused_survey(const fused_plan *p, int stage)
{
    return emit_survey((emit_stage){.code = p->code,
                                    .stage = &p->code->stage[stage],
                                    .arena = p->arena,
                                    .program = p->which,
                                    .number = stage,
                                    .t = p->t,
                                    .user = p});
}

const char *fused_type(const fused_plan *p, int field)
{
    return emit_c_type(p->code->field[field].storage);
}

void cuda_fused_uniforms(const emit_stage *e)
{
    const int weight = cuda_weight(e);

    for (int n = 0; n < (int)e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    const double *const table%d = a.table%d;\n", n, n);
    for (int u = 0; u < (int)e->code->uniforms; u++) {
        if (!e->uniform[u])
            continue;
        const char *type = emit_uniform_type(e, u), *name = emit_uniform_name(e, u);
        if (u == weight)
            text_add(e->t, "    const %s %s = %sweight;\n", type, name,
                     e->real == PAV_F32 ? "(float)" : "");
        else
            text_add(e->t,
                     e->code->group_of
                         ? "    const %s %s = a.step[step].of_%lld.%s;\n"
                         : "    const %s %s = __ldg(&a.step[step].of_%lld.%s);\n",
                     type, name, (long long)e->number, name);
    }
}

/* ---- all --------------------------------------------------------------------------- */

/* The computation at a point. */
static void add_values(const emit_stage *e)
{
    const fused_plan *p = e->user;

    cuda_fused_uniforms(e);
    emit_node_lines(e, "    ");

    text_add(e->t, "    const bool is_own = is_needed<tile>(b, plane, 0, 0, 0)");
    for (int axis = 0; axis <= p->axis; axis++)
        if (p->periodic[axis])
            text_add(e->t, " && is_within(%c, 0, a.w.extent[%d], 0)", "xyz"[axis], axis);
    text_add(e->t, ";\n");
    for (const ir_output *o = NULL; (o = ir_next_output(e->stage, o));) {
        const fused_field *f = &p->field[o->field];

        text_add(
            e->t,
            "    const %s v%d = %s;\n%s    field_%d::at(b, step + 1, x, y, z) = v%d;\n",
            fused_type(p, o->field), o->field, emit_output_value(e, o),
            f->within ? "" : "    if (left > 0)\n    ", o->field, o->field);
        for (int age = 0; age < f->kept; age++)
            text_add(e->t,
                     "    if (left == %d && is_own)\n"
                     "        point_at<%s>(a.g%d, x, y, z) = v%d;\n",
                     age, fused_type(p, o->field),
                     fused_slot_of(p->fused, o->field, -age, true), o->field);
    }
}

static void add_body(const emit_stage *e, const fused_operation *operation)
{
    const fused_plan *p = e->user;

    text_add(e->t,
             "\nINLINE void stage_%d(const argument &a, const fused_block &b, int step, "
             "int64_t plane)\n{\n    const int64_t %s;\n"
             "    const int left = (int)a.w.steps - 1 - step;\n"
             "    if (!is_needed<tile>(b, plane",
             operation->stage, position_of(p));
    for (int n = 0; n < MAX_DIM; n++) {
        const int axis = n < 2 ? n : p->axis;

        text_add(e->t, ", %s%s", emit_times(p->arena, "left", p->reach[axis]),
                 emit_plus(p->arena, operation->around[axis]));
    }
    text_add(e->t, ")");
    for (int axis = 0; axis <= p->axis; axis++) {
        const int *inset = e->stage->inset[axis];
        if (!p->periodic[axis])
            text_add(e->t, " ||\n        !is_within(%c, %d, a.w.extent[%d], %d)",
                     "xyz"[axis], inset[0], axis, inset[1]);
    }
    text_add(e->t, ")\n        return;\n");

    add_points(p);
    if (operation->event >= 0)
        text_add(
            e->t,
            "    const mark_range at = marks_at(a.inject%d, %s);\n"
            "    for (const fused_point *m = at.from; m < at.to; m++)\n"
            "        inject_%d(a, b, step, left, plane, x, y, z, i, j, k, m->weight);\n",
            operation->event, place_in_plane(p), operation->event);
    else
        add_values(e);
    text_add(e->t, "}\n");
}

static void fused_stage(const fused_plan *p, const fused_operation *operation)
{
    emit_stage e = cuda_fused_survey(p, operation->stage);

    e.element = element_of;
    emit_stage_comment(&e, p->t);
    if (operation->event >= 0) {
        /* The addition of a source at a point, called for each entry of the point in its
         * list. */
        text_add(
            p->t,
            "\nINLINE void inject_%d(const argument &a, const fused_block &b, int step, "
            "int left, int64_t plane,\n                     int64_t x, int64_t y, "
            "int64_t z, int64_t i, int64_t j, int64_t k, double weight)\n{\n",
            operation->event);
        add_values(&e);
        text_add(p->t, "}\n");
    }
    add_body(&e, operation);
}

/* ---- borders ----------------------------------------------------------------------- */
/* The value of a field at a position of a tile: a point; or beyond a face the border's
 * value from the points inside. The order matches single steps: along x first, so that
 * values beyond faces of later axes use the values of earlier axes. */

static const char index_of[] = "ijk";

/* ---- values ------------------------------------------------------------------------ */

static const char *own_element(const emit_stage *e, int node)
{
    (void)e;
    (void)node;
    return "own";
}

static void add_value(const fused_plan *p, int stage, const char *type)
{
    emit_stage e = cuda_fused_survey(p, stage);

    e.element = own_element;
    text_add(p->t,
             "\n/* %s */\nINLINE %s border_%d(const argument &a, int step, %s own, "
             "int64_t i, int64_t j, int64_t k)\n{\n",
             e.stage->name, type, stage, type);
    cuda_fused_uniforms(&e);
    emit_node_lines(&e, "    ");
    text_add(p->t, "    return %s;\n}\n", emit_output_value(&e, &e.stage->output[0]));
}

/* ---- one face ---------------------------------------------------------------------- */

/* "i", or "wrapped(i, a.w.extent[0])" */
static const char *index_along(const fused_plan *p, int axis)
{
    return p->periodic[axis] ? arena_print(p->arena, "wrapped(%c, a.w.extent[%d])",
                                           index_of[axis], axis)
                             : arena_print(p->arena, "%c", index_of[axis]);
}

/* "border_5(a, version - 1, own, i, wrapped(j, a.w.extent[1]), k)" */
const char *cuda_border_call(const fused_plan *p, int stage, const char *own)
{
    return arena_print(p->arena, "border_%d(a, version - 1, %s, %s, %s, %s)", stage, own,
                       index_along(p, 0), index_along(p, 1), index_along(p, 2));
}

/* The copy with its sign; a stage adds the border's value to it. */
static const char *copied_value(const fused_plan *p, int field, const ir_border *border)
{
    const pav_type storage = p->code->field[field].storage;
    const bool turned = border_rules[border->kind].map & GHOST_NEGATIVE &&
                        storage != PAV_U8;
    const char *copy = !turned                                    ? "own"
                       : storage == PAV_F32 || storage == PAV_F64 ? "-own"
                                                                  : "own ^ 0x8000";

    return border->stage >= 0 ? cuda_border_call(p, border->stage, copy) : copy;
}

/* "field_0_y(a, b, version, i, -j, k)": the copied point, with the borders of earlier
 * axes. */
static void add_copied(const fused_plan *p, int field, int axis, int side)
{
    const ir_border *border = &p->code->field[field].border[axis][side];
    const char *at[] = {"i", "j", "k"};

    const border_image image = border_image_of(border_rules[border->kind].map, side);
    arena *const a = p->arena;
    const char *from = image.extents > 0
                           ? arena_print(a, "a.w.extent[%d] - %d", axis, -image.shift)
                           : arena_print(a, "%d", image.shift);

    if (image.extents > 1)
        from = arena_print(a, "%d * %s", image.extents, from);

    at[axis] = image.sign < 0 ? arena_print(a, "%s - %c", from, index_of[axis]) : from;
    text_add(p->t,
             "        const %s own = field_%d_%c(a, b, version, %s, %s, %s);\n"
             "        return %s;\n",
             fused_type(p, field), field, "0xy"[axis], at[0], at[1], at[2],
             copied_value(p, field, border));
}

/* "j <= 0", "j >= a.w.extent[1] - 1" */
const char *cuda_on_side(const fused_plan *p, const ir_border *border, int axis, int side,
                         const char *extent)
{
    const bool face = border_stores_face(border->kind);

    return side == 0 ? arena_print(p->arena, "%c %s 0", index_of[axis], face ? "<=" : "<")
                     : arena_print(p->arena, "%c >= %s[%d]%s", index_of[axis], extent,
                                   axis, face ? " - 1" : "");
}

static void add_side(const fused_plan *p, int field, int axis, int side)
{
    const ir_border *border = &p->code->field[field].border[axis][side];
    const border_rule *rule = &border_rules[border->kind];

    if (!border_copies_inside(border->kind) && (!rule->values || border->stage < 0))
        return;
    if (border_zeroes_face(rule->map) && side == 0)
        text_add(p->t, "    if (%c == 0)\n        return 0;\n", index_of[axis]);
    else if (border_zeroes_face(rule->map))
        text_add(p->t, "    if (%c == a.w.extent[%d] - 1)\n        return 0;\n",
                 index_of[axis], axis);
    text_add(p->t, "    if (%s) {\n", cuda_on_side(p, border, axis, side, "a.w.extent"));
    if (rule->values)
        text_add(p->t, "        return %s;\n", cuda_border_call(p, border->stage, "0"));
    else
        add_copied(p, field, axis, side);
    text_add(p->t, "    }\n");
}

/* ---- all --------------------------------------------------------------------------- */

/* Input levels already have their borders. */
static void add_field(const fused_plan *p, int field)
{
    static const char open[] =
        "\nINLINE %s field_%d_%s(const argument &a, const fused_block &b, int version, "
        "int64_t i, int64_t j, int64_t k)\n{\n";
    static const char *const last[] = {"x", "y", "z"};
    const char *type = fused_type(p, field);

    text_add(p->t, open, type, field, "0");
    text_add(p->t, "    return field_%d::at(b, version, i, j, k);\n}\n", field);
    for (int axis = 0; axis < p->code->dim; axis++) {
        text_add(p->t, open, type, field, last[axis]);
        for (int side = 0; side < 2; side++)
            add_side(p, field, axis, side);
        text_add(p->t, "    return field_%d_%c(a, b, version, i, j, k);\n}\n", field,
                 "0xy"[axis]);
    }
    text_add(p->t, open, type, field, "at");
    text_add(p->t,
             "    return version <= 0 ? field_%d::at(b, version, i, j, k) : "
             "field_%d_%s(a, b, version, i, j, k);\n}\n",
             field, field, last[p->axis]);
}

static bool has_border(const ir_field *f, int stage)
{
    for (int face = 0; face < 2 * MAX_DIM; face++)
        if (f->border[face / 2][face % 2].stage == stage)
            return true;
    return false;
}

void cuda_each_border(const fused_plan *p, cuda_print_field *print)
{
    for (int f = 0; f < p->code->fields; f++) {
        if (!p->moves[f])
            continue;

        /* Of all stages: "border_5" */
        const ir_field *field = &p->code->field[f];
        for (int face = 0; face < 2 * MAX_DIM; face++) {
            const int stage = field->border[face / 2][face % 2].stage;
            bool known = stage < 0;
            for (int before = 0; before < face; before++)
                known |= field->border[before / 2][before % 2].stage == stage;
            for (int g = 0; g < f && !known; g++)
                known = p->moves[g] && has_border(&p->code->field[g], stage) &&
                        p->code->field[g].storage == field->storage;
            if (!known)
                add_value(p, stage, fused_type(p, f));
        }
        print(p, f);
    }
}

void cuda_fused_borders(const fused_plan *p)
{
    cuda_each_border(p, add_field);
}

/* ---- argument ---------------------------------------------------------------------- */

void cuda_fused_argument(const fused_plan *p)
{
    static const schedule plain = {.coefficients = UNIFORMS_ARGUMENT};
    const emit_gpu_fused *fused = p->fused;
    text *const t = p->t;

    text_add(t, "\nnamespace fused_%lld {\n", (long long)p->which);
    for (int64_t n = 0; n < fused->stages; n++) {
        emit_stage e = cuda_fused_survey(p, fused->stage[n]);

        e.schedule = &plain;
        cuda_uniforms(&e);
    }
    if (fused->stages > 0)
        text_add(t, "\n/* The uniforms of one step. */\nstruct numbers {\n");
    for (int64_t n = 0; n < fused->stages; n++)
        text_add(t, "    numbers_%lld_%d of_%d;\n", (long long)p->which, fused->stage[n],
                 fused->stage[n]);
    text_add(t, "%s\nstruct argument {\n    fused_work w;\n",
             fused->stages > 0 ? "};\n" : "");
    for (int k = 0; k < fused->slots; k++) {
        const emit_slot *s = &fused->slot[k];

        text_add(t, "    grid g%d; /* %s%s */\n", k,
                 emit_level(p->arena, p->code, s->field, s->level),
                 s->stored ? ", stored by the launch" : "");
    }
    for (int64_t n = 0; n < fused->tables; n++)
        text_add(t, "    const double *table%d; /* from index 0 */\n", fused->table[n]);
    for (int n = 0; n < fused->injections; n++)
        text_add(t, "    fused_points inject%d;\n", n);
    for (int n = 0; n < fused->samples; n++)
        text_add(t, "    fused_sample sample%d; /* %s */\n", n,
                 fused->sample[n]->symbol->name);
    text_add(t, "%s",
             fused->stages == 0  ? ""
             : p->code->group_of ? "    numbers step[1];\n"
                                 : "    const numbers *step;\n");
    for (int n = 0; n < fused->parts; n++)
        text_add(t, "    tensor m%d; /* tensor map of g%d */\n", n, fused->part[n].slot);
    text_add(t, "};\n");
}

/* ---- shared memory ----------------------------------------------------------------- */

static void add_fields(const fused_plan *p)
{
    text_add(
        p->t,
        "\nenum {\n    POINTS_X = %d, /* points of a tile with its overlap */\n"
        "    POINTS_Y = %d,\n    OVERLAP_X = %d,\n    OVERLAP_Y = %d,\n"
        "    SWEEP_AXIS = %d\n};\n"
        "typedef tile_of<POINTS_X, POINTS_Y, OVERLAP_X, OVERLAP_Y, SWEEP_AXIS> tile;\n",
        fused_points(p, 0), fused_points(p, 1), fused_overlap(p, 0),
        p->axis == 2 ? fused_overlap(p, 1) : 0, p->axis);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            text_add(
                p->t,
                "struct planes_%d {\n    enum { FIRST = %d, PLANES = %d, AT = %lld };\n"
                "};\ntypedef versions<%s, tile, planes_%d> field_%d; /* %s */\n",
                f, p->field[f].oldest, p->field[f].planes, (long long)p->field[f].at,
                fused_type(p, f), f, f, emit_level(p->arena, p->code, f, 0));
}

/* ---- input levels ------------------------------------------------------------------ */

static void add_load(const fused_plan *p, int field)
{
    text_add(p->t, "    if (");
    for (int axis = 0; axis <= p->axis; axis++) {
        const int *halo = p->code->field[field].halo[axis];
        if (!p->periodic[axis])
            text_add(p->t, "is_within(%c, -%d, a.w.extent[%d], -%d) && ", "xyz"[axis],
                     halo[0], axis, halo[1]);
    }
    text_add(p->t, "true) {\n");
    for (int level = 0; level >= p->field[field].oldest; level--)
        text_add(p->t,
                 "        field_%d::at(b, %d, x, y, z) = point_at<const %s>(a.g%d, i, j, "
                 "k);\n",
                 field, level, fused_type(p, field),
                 fused_slot_of(p->fused, field, level, false));
    text_add(p->t, "    }\n");
}

static void add_loads(const fused_plan *p)
{
    text_add(p->t,
             "\n/* Loads a plane of the input levels into shared memory. */\n"
             "INLINE void load(const argument &a, const fused_block &b, int64_t plane)\n"
             "{\n    const int64_t %s;\n",
             position_of(p));
    add_points(p);
    text_add(p->t, "\n    if (plane >= b.to + (b.from - b.first))\n        return;\n");
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_load(p, f);
    text_add(p->t, "}\n");
}

/* ---- the sweep --------------------------------------------------------------------- */

static void add_sweep(const fused_plan *p)
{
    arena *const a = p->arena;
    int last = p->receiver_skew;

    for (int64_t n = 0; n < p->operations; n++)
        last = int_most(last, p->operation[n].skew + p->operation[n].around[p->axis]);
    text_add(p->t,
             "\nINLINE void sweep(const argument &a)\n{\n"
             "    const int steps = (int)a.w.steps;\n"
             "    const fused_block b = place_in_tile<tile>(a.w, %s);\n"
             "    const int64_t last = b.to%s%s;\n\n"
             "    for (int64_t k = b.first; k < last; k++) {\n"
             "        load(a, b, k);\n"
             "        for (int step = 0; step < steps; step++) {\n",
             emit_times(a, "steps", p->reach[p->axis]),
             emit_plus_times(a, "(steps - 1)", p->skew), emit_plus(a, last));
    for (int64_t n = 0; n < p->operations; n++)
        text_add(p->t, "            stage_%d(a, b, step, %s);\n", p->operation[n].stage,
                 cuda_skewed_plane(p, p->operation[n].skew));
    for (int n = 0; n < p->fused->samples; n++)
        text_add(p->t, "            sample_%d(a, b, step, %s);\n", n,
                 cuda_skewed_plane(p, p->receiver_skew));
    text_add(p->t, "        }\n        __syncthreads();\n    }\n}\n");
}

void cuda_fused_kernel(const fused_plan *p, const char *bounds, const char *entry)
{
    const long long which = p->which;

    text_add(p->t,
             "\n} // namespace fused_%lld\n\n"
             "extern \"C\" __global__ void __launch_bounds__(%d%s)\n"
             "    pav_fused_%lld(const __grid_constant__ fused_%lld::argument a)\n"
             "{\n    fused_%lld::%s(a);\n}\n",
             which, p->schedule.tile.size[0] * p->schedule.tile.size[1], bounds, which,
             which, which, entry);
}

static void print(const fused_plan *p)
{
    cuda_fused_argument(p);
    if (p->in_registers)
        cuda_registers(p);
    else {
        add_fields(p);
        cuda_fused_borders(p);
        add_loads(p);
        for (int64_t n = 0; n < p->operations; n++)
            fused_stage(p, &p->operation[n]);
        for (int n = 0; n < p->fused->samples; n++)
            add_sample(p, n);
        add_sweep(p);
    }
    cuda_fused_kernel(p, "", "sweep");
}

static void describe_sweeps(const fused_plan *p, emit_gpu_fused *fused)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int around = axis > p->axis ? 0 : fused_overlap(p, axis);
        fused->around[axis] = around;
        fused->useful[axis] = axis < p->axis ? fused_points(p, axis) - 2 * around : 1;
    }
}

static void extent_of_sweeps(const ir *code, const emit_gpu_fused *fused,
                             const emit_gpu_fused_work *w, int64_t blocks[3],
                             int threads[3])
{
    const int axis = code->dim - 1;

    for (int n = 0; n < MAX_DIM; n++) {
        blocks[n] = n < axis ? int_parts(w->extent[n], (int64_t)fused->useful[n] *
                                                           (n == 0 ? fused->together : 1))
                             : 1;
        threads[n] = n < 2 ? fused->schedule.tile.size[n] : 1;
    }
    blocks[axis] = int_parts(w->end - w->begin, w->planes);
    if (axis == 2 && fused->schedule.tile.storage == STORAGE_REGISTERS) {
        /* Puts all blocks in one row, like sweep_of_block of registers.cuh. */
        const int64_t others = blocks[0] * blocks[1] - w->tiles;

        blocks[0] = w->tiles * blocks[2] +
                    (others > 0 ? others * int_parts(w->end - w->begin, w->tail) : 0);
        blocks[1] = blocks[2] = 1;
    }
}

static bool has_marks(const fused_plan *p)
{
    bool sampled = p->code->injections.count > 0;

    for (int f = 0; f < p->code->fields; f++)
        sampled |= p->field[f].sampled;
    return sampled;
}

static const char *registers_refusal(const fused_plan *p, const schedule *s)
{
    const int pack = s->thread.size[0] > 0 ? s->thread.size[0] : fused_vector(p);

    for (int f = 0; f < p->code->fields; f++)
        for (int face = 0; face < 2 * p->code->dim && fused_producer_of(p, f); face++)
            if (border_copies_inside(p->code->field[f].border[face / 2][face % 2].kind))
                return "borders with copied points cannot be filled in registers";
    for (int64_t n = 0; n < p->operations; n++)
        for (const ir_node *load = NULL;
             (load = ir_next_load(fused_stage_of(p, &p->operation[n]), load));)
            if (p->moves[load->field] && fused_distance(load, 0) > pack)
                return "neighbours along x are farther away than the next vector";
    return has_marks(p) ? "sources and receivers cannot be served from registers"
           : s->tile.size[0] > 0 && s->tile.size[0] != GPU_WARP
               ? "a row of a block is a warp of 32 threads"
               : NULL;
}

/* Chooses registers if possible, unless the request names shared memory. */
static void choose_place(fused_plan *p, const schedule *requested)
{
    const char *why = registers_refusal(p, requested);

    p->schedule = *requested;
    p->why_not_registers = why;
    p->in_registers = !why && requested->tile.storage != STORAGE_SHARED;
    p->schedule.tile.storage = p->in_registers ? STORAGE_REGISTERS : STORAGE_SHARED;
    fused_refuse_if(p, requested->tile.storage == STORAGE_REGISTERS && why, "%s", why);
}

const cuda_launch_kind cuda_time = {
    .sweeps = true,
    .least_dim = 2,
    .place = choose_place,
    .settings = fused_check_shared,
    .choose = fused_choose,
    .describe = describe_sweeps,
    .extent = extent_of_sweeps,
    .text = print,
};
