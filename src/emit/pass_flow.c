/* SPDX-License-Identifier: BSD-3-Clause */
/* What an act of a pass reads of which plane. Where versions are held in registers, and the farthest plane is read beside
 * the points, too, planes are used as they come (cuda_flow.c): what can be computed of a plane is computed once for all
 * results that need it, so partial results are held in place of planes, and no plane but the newest is shown to other
 * warps. Where it is read at the points alone, as of a star, the rest need not wait for the barrier before that plane. */
#include "emit/pass_private.h"

/* ---- which way ---------------------------------------------------------------------------- */

static int farthest_of(const pass_plan *p, const ir_stage *stage, bool beside)
{
    const int across = p->axis == 2 ? 1 : 0;
    int far = -MAX_OFFSET;

    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op == IR_LOAD && p->moves[n->field] && (!beside || n->offset[across]))
            far = int_most(far, n->offset[p->axis]);
    }
    return far;
}

static bool takes_input(const pass_plan *p, const pass_act *act)
{
    const ir_stage *stage = pass_stage_of(p, act);
    const int far = farthest_of(p, stage, false);

    return p->held && far > 0 && farthest_of(p, stage, true) == far &&
           !cuda_knows_plane(p->code, stage);
}

pav_status pass_flow_open(const pass_plan *p, const pass_act *act, emit_stage *e,
                          stream *s)
{
    *s = (stream){.axis = p->axis, .lanes = 1, .rows = 1};
    e->stream = s;
    return act->input ? cuda_flow(e, s) : PAV_OK;
}

/* ---- what is read ------------------------------------------------------------------------- */

static void note(const pass_plan *p, pass_act *act, const ir_node *n, int ahead)
{
    if (n->op == IR_LOAD)
        act->read[act->reads++] = (pass_read){n, n->offset[p->axis] + ahead};
}

/* Loads are part of what is computed of them. */
static void note_flow(const pass_plan *p, pass_act *act, const emit_stage *e,
                      const stream *s)
{
    const ir_stage *stage = e->stage;

    for (int64_t n = 0; n < stage->count; n++)
        for (int a = 0; s->fate[n] && a < ir_op_table[stage->node[n].op].arguments; a++)
            note(p, act, &stage->node[stage->node[n].arg[a]], s->due[n]);
    for (int64_t o = 0; o < stage->outputs; o++)
        note(p, act, &stage->node[stage->output[o].node], 0);
    for (int64_t v = 0; v < s->values; v++)
        act->sum[act->sums++] = (pass_sum){s->value[v].lead, 1 - s->value[v].first};
}

static pav_status find_reads(const pass_plan *p, pass_act *act, emit_stage *e)
{
    const ir_stage *stage = e->stage;
    stream s;
    pav_status status = pass_flow_open(p, act, e, &s);

    act->read = mem_new(3 * stage->count + stage->outputs + 1, sizeof *act->read);
    act->sum = mem_new(s.values + 1, sizeof *act->sum);
    if (status == PAV_OK && (!act->read || !act->sum))
        status = PAV_ENOMEM;
    if (status == PAV_OK && act->input)
        note_flow(p, act, e, &s);
    for (int64_t n = 0; status == PAV_OK && !act->input && n < stage->count; n++)
        note(p, act, &stage->node[n], 0);
    cuda_keep_close(&s);
    e->stream = NULL;
    return status;
}

pav_status pass_find_reads(pass_plan *p)
{
    for (int64_t n = 0; n < p->acts; n++) {
        pass_act *act = &p->act[n];
        emit_stage e;
        TRY(emit_survey(p->code, pass_stage_of(p, act), &e));
        act->input = takes_input(p, act);
        const pav_status status = find_reads(p, act, &e);
        emit_survey_close(&e);
        TRY(status);
    }
    return PAV_OK;
}
