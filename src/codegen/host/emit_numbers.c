/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of uniforms, and tables, as bodies of C functions. They are computed in f64 once
 * a step or once a run. */
#include "codegen/codegen_private.h"

static void add_uniforms(const emit_stage *e)
{
    for (int64_t u = 0; u < e->code->uniforms; u++)
        if (e->uniform[u]) {
            text_add(e->t, "    const double ");
            emit_uniform_name(e, (int)u, e->t);
            text_add(e->t, " = p->uniform[%lld];\n", (long long)u);
        }
}

static void add_results(const emit_stage *e, bool of_table)
{
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const ir_output *o = &e->stage->output[k];
        if (of_table)
            text_add(e->t, "    return ");
        else
            text_add(e->t, "    p->uniform[%d] = ", o->uniform);
        emit_output_value(e, o, e->t);
        text_add(e->t, ";\n");
    }
}

pav_status emit_number_lines(const ir *code, const ir_stage *stage, bool of_table,
                             text *t)
{
    emit_stage e;

    TRY(emit_survey(code, stage, &e));
    e.real = PAV_F64;
    e.t = t;
    add_uniforms(&e);
    for (int64_t k = 0; k < stage->count; k++)
        if (e.place[k] == PLACE_ROW || e.place[k] == PLACE_POINT)
            emit_node_line(&e, (int)k, "    ");
    add_results(&e, of_table);
    emit_survey_close(&e);
    return PAV_OK;
}
