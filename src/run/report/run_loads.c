/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes and operations of a step's stages, counted from the IR. */
#include "run/run_private.h"

pav_status run_arithmetic(const pav_run *run, double *products, double *sums)
{
    const ir *code = run->code;
    *products = *sums = 0;
    if (!run->part->executor->compiled || run_has_launches(run))
        return PAV_OK;
    for (int64_t k = 0; k < code->step.count; k++) {
        const ir_stage *s = &code->stage[code->step.stage[k]];
        stage_load load;
        ir_arithmetic a;
        TRY(stage_load_of(code, s, &load));
        TRY(ir_stage_arithmetic(code, s, &a));
        const double size = load.points * (double)pav_type_size(s->real);
        *products += size * (double)a.products;
        *sums += size * (double)a.sums;
    }
    return PAV_OK;
}

pav_status run_count_work(pav_run *run)
{
    const ir *code = run->code;
    run->work.step_bytes = run->work.step_flops = 0;
    run->work.points = points_along(code, 0, false) * points_along(code, 1, false) *
                       points_along(code, 2, false);
    for (int64_t k = 0; k < code->step.count; k++) {
        stage_load load;
        TRY(stage_load_of(code, &code->stage[code->step.stage[k]], &load));
        run->work.step_bytes += load.points * load.bytes;
        run->work.step_flops += load.points * load.flops;
    }
    if (run->work.least_bytes == 0)
        run->work.least_bytes = run->work.step_bytes;
    return PAV_OK;
}
