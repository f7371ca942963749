/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry of the interpreter: it evaluates uniforms first, checks the stage, ends early for
 * empty boxes, and then runs rows. */
#include "interp/interp_private.h"

pav_status stage_run_before(const interp_args *args,
                            pav_status (*run)(const interp_args *args))
{
    const int before = args->stage->before;
    interp_args uniforms = *args;

    if (before < 0)
        return PAV_OK;
    uniforms.stage = &args->code->stage[before];
    if (before >= args->code->stages || !leaves_are_uniform(uniforms.stage) ||
        uniforms.stage->before >= 0)
        return FAIL(PAV_EINTERNAL,
                    "stage %d is to run before another but computes no uniforms", before);
    return run(&uniforms);
}

bool stage_start(interp_args *args)
{
    bool empty = false;

    if (leaves_are_uniform(args->stage))
        args->box = (box){{0, 0, 0}, {1, 1, 1}};
    for (int axis = 0; axis < MAX_DIM; axis++)
        empty = empty || args->box.hi[axis] <= args->box.lo[axis];
    for (int64_t k = 0; k < args->stage->outputs; k++) {
        const ir_output *o = &args->stage->output[k];
        if (empty && o->kind == IR_REDUCE)
            args->uniform[o->uniform] = tree_empty(o->reduction);
    }
    return !empty;
}

static pav_status run_rows(const interp_args *args, int axis, double *values)
{
    row_program p;

    TRY(row_program_open(&p, args, axis, values));
    row_program_run(&p);
    row_program_close(&p);
    return PAV_OK;
}

pav_status interp_stage(const interp_args *args)
{
    interp_args a = *args;

    TRY(stage_run_before(args, interp_stage));
    if (!stage_start(&a))
        return PAV_OK;
    TRY(stage_check(&a, false));
    return run_rows(&a, 0, NULL);
}

pav_status interp_check(const interp_args *args)
{
    return stage_check(args, false);
}

double interp_reduce(reduction_kind kind, double *values, int64_t first, int64_t count)
{
    return tree_fold(kind, values, first, count);
}

pav_status interp_table(const ir *code, int table, double *out)
{
    if (table < 0 || table >= code->tables)
        return FAIL(PAV_EINTERNAL, "there is no table %d", table);
    const ir_table *t = &code->table[table];
    const int64_t extent = points_along(code, t->axis, t->coarse);
    const interp_args args = {
        .code = code,
        .stage = &t->stage,
        .box = {{-t->margin[0], 0, 0}, {extent + t->margin[1], 1, 1}},
    };
    if (!leaves_are_uniform(args.stage))
        return FAIL(PAV_EINTERNAL, "table %d has a stage that gives no value", table);
    TRY(stage_check(&args, true));
    return run_rows(&args, t->axis, out + t->margin[0]);
}
