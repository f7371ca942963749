/* SPDX-License-Identifier: BSD-3-Clause */
/* Periodic rows without ghosts. A sweep that wraps around (codegen/gpu/cuda_columns.c)
 * need not store ghosts beyond the ends of rows if all other stages of a step have chosen
 * such sweeps. These ghosts are filled before another reader: a measure, another kernel
 * in a trial, or a fused launch. */
#include "exec/gpu/gpu_private.h"

static bool reads_ends(const ir_stage *s)
{
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_LOAD &&
            (s->node[k].offset[0] != 0 || s->node[k].transfer != IR_SAME))
            return true;
    return false;
}

static bool wraps_around(const gpurun *g, const ir_stage *stage, const gpu_variant *v)
{
    const ir_field *field = g->base.part->code->field;

    return v->what.around &&
           field[stage->output->field].extent[0] % v->what.schedule.thread.size[0] == 0;
}

static bool stage_goes_around(const gpurun *g, int64_t number)
{
    const ir_stage *stage = &g->base.part->code->stage[number];
    const gpu_stage *s = &g->stage[number];

    if (!reads_ends(stage))
        return true;
    return s->variants > 0 && gpu_tuner_is_tuned(&s->tuner) &&
           wraps_around(
               g, stage,
               &s->variant[gpu_tuner_candidate(&s->tuner, &s->tuner.box).kernel]);
}

/* Computed borders run in the middle of a step. */
static bool borders_read_ends(const ir *code)
{
    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < SIDES * code->dim; face++) {
            const int stage = code->field[f].border[face / SIDES][face % SIDES].stage;
            if (stage >= 0 && reads_ends(&code->stage[stage]))
                return true;
        }
    return false;
}

/* True if no other stage of this step reads ghosts beyond the ends of rows. */
static bool others_wrap(const gpurun *g, const ir_stage *stage)
{
    const ir *code = g->base.part->code;

    for (int64_t n = 0; n < code->step.count; n++)
        if (&code->stage[code->step.stage[n]] != stage &&
            !stage_goes_around(g, code->step.stage[n]))
            return false;
    return !borders_read_ends(code);
}

void gpu_wrap(gpurun *g, const gpu_stage *s, const gpu_variant *v,
              const interp_args *args, emit_gpu_work *w)
{
    if (!wraps_around(g, args->stage, v) || !gpu_is_of_all_points(args))
        return;
    w->around = w->hi[0];
    if (!s->fills || !others_wrap(g, args->stage))
        return;
    w->beyond[0][0].depth = w->beyond[0][1].depth = 0;
    g->wrap_ghosts_stale = true;
}

pav_status gpu_refresh_wrapped_ghosts(gpurun *g, const ir_stage *stage)
{
    return g->wrap_ghosts_stale && reads_ends(stage) ? gpu_fill_borders(g) : PAV_OK;
}
