/* SPDX-License-Identifier: BSD-3-Clause */
/* One point of a stage as the body of a function. The caller defines its accesses:
 * IN(field, offset along x) loads, OUT(field) stores, UNIFORM(slot) is a uniform. */
#include "codegen/codegen_private.h"

static void add_element(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];

    text_add(t, "IN(%d, %d)", n->field, n->offset[0]);
}

static void add_uniforms(const emit_stage *e)
{
    for (int64_t u = 0; u < e->code->uniforms; u++)
        if (e->uniform[u]) {
            text_add(e->t, "    %s ",
                     e->real == PAV_F32 ? "const float" : "const double");
            emit_uniform_name(e, (int)u, e->t);
            text_add(e->t, " = (%s)UNIFORM(%lld);\n", emit_c_type(e->real), (long long)u);
        }
}

static void add_results(const emit_stage *e)
{
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        text_add(e->t, "    OUT(%d) = ", e->stage->output[k].field);
        emit_output_value(e, &e->stage->output[k], e->t);
        text_add(e->t, ";\n");
    }
}

pav_status emit_cell_lines(const ir *code, const ir_stage *stage, text *t)
{
    emit_stage e;

    TRY(emit_survey(code, stage, &e));
    e.t = t;
    e.element = add_element;
    add_uniforms(&e);
    for (int64_t k = 0; k < stage->count; k++)
        if (e.place[k] == PLACE_ROW || e.place[k] == PLACE_POINT)
            emit_node_line(&e, (int)k, "    ");
    add_results(&e);
    emit_survey_close(&e);
    return PAV_OK;
}
