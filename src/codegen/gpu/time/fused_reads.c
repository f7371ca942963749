/* SPDX-License-Identifier: BSD-3-Clause */
/* The loads of an operation in a fused launch, and their planes. An operation goes in the
 * order of input planes (cuda_partial_sums.c) if versions are kept in registers, and
 * loads in its farthest plane are not at the point alone. Each plane then contributes
 * once to all results. Registers keep partial results instead of planes, and only the
 * newest plane is published to other warps. A star reads its farthest plane at the point
 * alone; its other terms need not wait for the barrier before this plane. */
#include "codegen/gpu/time/fused_private.h"

/* ---- order of planes --------------------------------------------------------------- */

static int farthest_of(const fused_plan *p, const ir_stage *stage, bool neighbours)
{
    const int across = p->axis == 2 ? 1 : 0;
    int far = -MAX_OFFSET;

    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op == IR_LOAD && p->moves[n->field] && (!neighbours || n->offset[across]))
            far = int_most(far, n->offset[p->axis]);
    }
    return far;
}

static bool takes_input(const fused_plan *p, const fused_operation *operation)
{
    const ir_stage *stage = fused_stage_of(p, operation);
    const int far = farthest_of(p, stage, false);

    return p->in_registers && far > 0 && farthest_of(p, stage, true) == far &&
           !cuda_knows_plane(p->code, stage);
}

pav_status fused_partial_sums_open(const fused_plan *p, const fused_operation *operation,
                                   emit_stage *e, sweep_plan *s)
{
    *s = (sweep_plan){.axis = p->axis, .lanes = 1, .rows = 1};
    e->sweep_plan = s;
    return operation->input ? cuda_find_partial_sums(e, s) : PAV_OK;
}

/* ---- loads ------------------------------------------------------------------------- */

static void note(const fused_plan *p, fused_operation *operation, const ir_node *n,
                 int ahead)
{
    if (n->op == IR_LOAD)
        operation->read[operation->reads++] = (fused_read){n, n->offset[p->axis] + ahead};
}

/* A node reads its loads in its own plane. */
static void note_flow(const fused_plan *p, fused_operation *operation,
                      const emit_stage *e, const sweep_plan *s)
{
    const ir_stage *stage = e->stage;

    for (int64_t n = 0; n < stage->count; n++)
        for (int a = 0; s->fate[n] && a < ir_op_table[stage->node[n].op].arguments; a++)
            note(p, operation, &stage->node[stage->node[n].arg[a]], s->due[n]);
    for (int64_t o = 0; o < stage->outputs; o++)
        note(p, operation, &stage->node[stage->output[o].node], 0);
    for (int64_t v = 0; v < s->values; v++)
        operation->sum[operation->sums++] = (fused_sum){s->value[v].lead,
                                                        1 - s->value[v].first};
}

static pav_status find_reads(const fused_plan *p, fused_operation *operation,
                             emit_stage *e)
{
    const ir_stage *stage = e->stage;
    sweep_plan s;
    pav_status status = fused_partial_sums_open(p, operation, e, &s);

    operation->read = mem_new(3 * stage->count + stage->outputs + 1,
                              sizeof *operation->read);
    operation->sum = mem_new(s.values + 1, sizeof *operation->sum);
    if (status == PAV_OK && (!operation->read || !operation->sum))
        status = PAV_ENOMEM;
    if (status == PAV_OK && operation->input)
        note_flow(p, operation, e, &s);
    for (int64_t n = 0; status == PAV_OK && !operation->input && n < stage->count; n++)
        note(p, operation, &stage->node[n], 0);
    cuda_sweep_close(&s);
    e->sweep_plan = NULL;
    return status;
}

pav_status fused_find_reads(fused_plan *p)
{
    for (int64_t n = 0; n < p->operations; n++) {
        fused_operation *operation = &p->operation[n];
        emit_stage e;
        TRY(emit_survey(p->code, fused_stage_of(p, operation), &e));
        operation->input = takes_input(p, operation);
        const pav_status status = find_reads(p, operation, &e);
        emit_survey_close(&e);
        TRY(status);
    }
    return PAV_OK;
}
