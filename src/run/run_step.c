/* SPDX-License-Identifier: BSD-3-Clause */
/* One step, as struct ir describes it: stages, borders of what they stored, injections, rotation. */
#include "run/gpu/gpu_private.h"

double run_step_time(const pav_run *run)
{
    const ir *code = run->code;
    return code->dt >= 0 ? run->uniform[code->dt] : num_f64(code->dt_value);
}

void run_set_time(pav_run *run, int64_t step)
{
    run->uniform[run->code->uniform_step] = (double)step;
    run->uniform[run->code->uniform_t] = (double)step * run_step_time(run);
}

pav_status run_stage(pav_run *run, int stage, const box *where)
{
    const ir_stage *s = &run->code->stage[stage];
    const interp_args args = {
        .code = run->code,
        .stage = s,
        .view = run->view,
        .table = run->table,
        .uniform = run->uniform,
        .box = where ? *where : ir_stage_box(run->code, s),
        .ends_alike = !where && run_ends_are_alike(run, s),
    };
    if (run->executor)
        return run->executor->stage(run->executor, &args);
    return run->runner(&args);
}

static pav_status fill_stored(pav_run *run, const ir_stage *s)
{
    for (int64_t k = 0; k < s->outputs; k++) {
        const ir_output *o = &s->output[k];
        if (o->kind == IR_STORE && !gpu_stage_fills(run, s))
            TRY(run_keep_border(run, o->field, o->level, run->step + o->level));
    }
    TRY(run_end_borders(run));
    run_set_time(run, run->step);
    return PAV_OK;
}

pav_status run_list(pav_run *run, const ir_list *list)
{
    for (int64_t k = 0; k < list->count; k++) {
        TRY(run_stage(run, list->stage[k], NULL));
        TRY(fill_stored(run, &run->code->stage[list->stage[k]]));
    }
    return PAV_OK;
}

static pav_status inject_all(pav_run *run)
{
    for (int64_t k = 0; k < run->code->injections.count; k++)
        TRY(run_inject(run, k));
    for (int64_t k = 0; k < run->code->injections.count; k++)
        TRY(run_keep_border(run, run->code->injections.item[k].field, 1, run->step + 1));
    return run_end_borders(run);
}

pav_status run_one_step(pav_run *run)
{
    TRY(gpu_fused_borders(run));
    run_set_time(run, run->step);
    TRY(run_list(run, &run->code->step));
    TRY(inject_all(run));
    for (int64_t f = 0; f < run->code->fields; f++)
        if (run->code->field[f].updated)
            levels_rotate(&run->field[f]);
    run_refresh_views(run);
    run->step++;
    run_set_time(run, run->step);
    return run->gpu ? gpurun_step(run->gpu, false) : PAV_OK;
}
