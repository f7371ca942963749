/* SPDX-License-Identifier: BSD-3-Clause */
/* One step in the order of struct ir: stages, borders of their results, injections,
 * rotation. */
#include "run/run_private.h"

static pav_status fill_stored(pav_run *run, const ir_stage *s)
{
    executor *e = run->part->executor;
    for (int64_t k = 0; k < s->outputs; k++) {
        const ir_output *o = &s->output[k];
        if (o->kind == IR_STORE && !e->ops.fills_borders(e, s))
            TRY(subdomain_keep_border(run->part, o->field, o->level,
                                      run->part->step + o->level));
    }
    TRY(e->ops.end_borders(e));
    subdomain_set_time(run->part, run->part->step);
    return PAV_OK;
}

pav_status run_list(pav_run *run, const ir_list *list)
{
    for (int64_t k = 0; k < list->count; k++) {
        if (subdomain_rests(run->part, list->stage[k]))
            continue;
        if (run->solver.before_stage)
            TRY(run->solver.before_stage(run, list->stage[k]));
        TRY(list == &run->part->code->step
                ? outofcore_stage(run, list->stage[k])
                : subdomain_step_stage(run->part, list->stage[k]));
        TRY(fill_stored(run, &run->part->code->stage[list->stage[k]]));
    }
    return PAV_OK;
}

static pav_status inject_all(pav_run *run)
{
    executor *e = run->part->executor;
    for (int64_t k = 0; k < run->part->code->injections.count; k++)
        TRY(run_inject(run, k));
    for (int64_t k = 0; k < run->part->code->injections.count; k++)
        TRY(subdomain_keep_border(run->part, run->part->code->injections.item[k].field, 1,
                                  run->part->step + 1));
    return e->ops.end_borders(e);
}

pav_status run_one_step(pav_run *run)
{
    executor *e = run->part->executor;
    TRY(e->ops.begin_step(e));
    subdomain_set_time(run->part, run->part->step);
    TRY(run_list(run, &run->part->code->step));
    TRY(inject_all(run));
    subdomain_rotate(run->part);
    subdomain_set_step(run->part, run->part->step + 1);
    run->part->singles++;
    run->part->steady++;
    return e->ops.end_step(e);
}
