/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage of a step within a fused launch: a thread computes its point of one plane. */
#include "codegen/gpu/time/fused_private.h"

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
        emit_offset(n->offset[axis], t);
    }
}

static void add_version(int level, text *t)
{
    text_add(t, "step");
    emit_offset(level, t);
}

static void add_element(const emit_stage *e, int node, text *t)
{
    const stage_text *s = e->user;
    const ir_node *n = &e->stage->node[node];

    if (s->p->moves[n->field]) {
        text_add(t, "field_%d_at(a, b, ", n->field);
        add_version(n->level, t);
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

static void add_within(const stage_text *s, const ir_stage *stage, text *t)
{
    for (int axis = 0; axis <= s->p->axis; axis++) {
        const int *inset = stage->inset[axis];
        if (!s->p->periodic[axis])
            text_add(t, " ||\n        !is_within(%c, %d, a.w.extent[%d], %d)",
                     "xyz"[axis], inset[0], axis, inset[1]);
    }
    text_add(t, ")\n        return;\n");
}

/* ---- results ----------------------------------------------------------------------- */

static void add_kept(const stage_text *s, const ir_output *o, text *t)
{
    for (int age = 0; age < s->p->field[o->field].kept; age++)
        text_add(t,
                 "    if (left == %d && is_own)\n"
                 "        point_at<%s>(a.g%d, x, y, z) = v%d;\n",
                 age, emit_c_type(s->p->code->field[o->field].storage),
                 fused_slot_of(s->fused, o->field, -age, true), o->field);
}

static void add_output(const emit_stage *e, const stage_text *s, const ir_output *o,
                       text *t)
{
    const bool within = s->p->field[o->field].within;

    text_add(t, "    const %s v%d = ", emit_c_type(e->code->field[o->field].storage),
             o->field);
    emit_output_value(e, o, t);
    text_add(t, ";\n");
    if (!within)
        text_add(t, "    if (left > 0)\n    ");
    text_add(t, "    field_%d::at(b, step + 1, x, y, z) = v%d;\n", o->field, o->field);
    add_kept(s, o, t);
}

static void add_outputs(const emit_stage *e, const stage_text *s)
{
    text_add(e->t, "    const bool is_own = is_needed<tile>(b, plane, 0, 0, 0)");
    for (int axis = 0; axis <= s->p->axis; axis++)
        if (s->p->periodic[axis])
            text_add(e->t, " && is_within(%c, 0, a.w.extent[%d], 0)", "xyz"[axis], axis);
    text_add(e->t, ";\n");
    for (int64_t k = 0; k < e->stage->outputs; k++)
        add_output(e, s, &e->stage->output[k], e->t);
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

static void add_tables(const emit_stage *e)
{
    for (int64_t n = 0; n < e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    const double *const table%lld = a.table%lld;\n",
                     (long long)n, (long long)n);
}

void cuda_fused_uniforms(const emit_stage *e)
{
    add_tables(e);
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
    for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
        for (int64_t k = 0; k < e->stage->count; k++)
            if (e->place[k] == (emit_place)where)
                emit_node_line(e, (int)k, "    ");
    add_outputs(e, s);
}

static void add_body(emit_stage *e, const stage_text *s)
{
    text_add(e->t,
             "\nINLINE void stage_%d(const argument &a, const fused_block &b, int step, "
             "int64_t plane)\n{\n    const int64_t %s;\n",
             s->operation->stage, cuda_fused_position(s->p));
    add_around(s, e->t);
    add_within(s, e->stage, e->t);
    cuda_fused_points(s->p, e->t);
    if (s->operation->event >= 0)
        cuda_fused_inject(s->p, s->operation, e->t);
    else
        add_values(e, s);
    text_add(e->t, "}\n");
}

/* The addition of a source at a point, called for each entry of the point in its list. */
static void add_injected(emit_stage *e, const stage_text *s)
{
    text_add(
        e->t,
        "\nINLINE void inject_%d(const argument &a, const fused_block &b, int step, int "
        "left, int64_t plane,\n                     int64_t x, int64_t y, int64_t z, "
        "int64_t i, int64_t j, int64_t k, double weight)\n{\n",
        s->operation->event);
    add_values(e, s);
    text_add(e->t, "}\n");
}

pav_status cuda_fused_stage(const fused_plan *p, const emit_gpu_fused *fused,
                            int64_t which, const fused_operation *operation, text *t)
{
    const stage_text s = {p, fused, operation};
    emit_stage e;

    TRY(cuda_fused_survey(p, which, operation->stage, t, &e));
    e.user = &s;
    e.element = add_element;
    emit_stage_comment(&e, t);
    if (operation->event >= 0)
        add_injected(&e, &s);
    add_body(&e, &s);
    emit_survey_close(&e);
    return PAV_OK;
}
