/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous relaxation on processors (`chaotic n by m`): blocks of m planes, or rows
 * in two dimensions, take up to n steps without waiting for each other
 * (exec/time/time_block.c). */
#include "run/time/time_private.h"

struct async_tiles {
    time_state state;
    /* planes at the ends of a thread's range, or in a vector with such a plane */
    int64_t read_by_others;
};

/* ---- steps ------------------------------------------------------------------------- */

static pav_status take_steps(pav_run *run, int64_t most)
{
    struct async_tiles *c = run->blocks.async;
    const int64_t steps = int64_least(time_until_event(run, most), run->program->chaotic);
    const time_block block = {.whole = run->part,
                              .part = run->part,
                              .number = -1,
                              .team = run->team.all,
                              .state = &c->state,
                              .shape = {.kind = SCHEDULE_ROWS},
                              .step = run->part->step,
                              .steps = (int)steps};
    if (steps < 2 || !temporal_borders_are_kept(run))
        return run_one_step(run, most);
    TRY(time_block_take_async(&block, run->program->chaotic_block, c->read_by_others));
    run_count_block(run, steps);
    return PAV_OK;
}

static void add_figures(const pav_run *run, executor_figures *f)
{
    (void)run;
    f->tuned = true;
}

static void close_tiles(pav_run *run)
{
    ir_blocking_close(&run->blocks.async->state.blocking);
    mem_free(run->blocks.async);
    run->blocks.async = NULL;
    run->stepper = &single_steps;
}

const stepper async_steps = {
    .steps = take_steps, .figures = add_figures, .close = close_tiles};

/* ---- opening ----------------------------------------------------------------------- */

static const char *reason_against(const pav_run *run, const ir_blocking *b, int axis)
{
    const ir *code = run->code;
    if (run->schedule.kind != SCHEDULE_AUTO)
        return "a schedule was asked for";
    if (run->cut.is_cut)
        return "the grid is cut";
    if (code->dim < 2)
        return "the grid has one dimension";
    if (b->refusal)
        return b->refusal;
    if (b->periodic[axis])
        return "fields wrap around its slowest axis";
    if (code->injections.count > 0)
        return "there are sources";
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (run->observers.recorder[k].statement->kind == STATEMENT_SAMPLE)
            return "there are receivers";
    for (int64_t k = 0; k < code->step.count; k++)
        if (!emit_has_kernel(&code->stage[code->step.stage[k]]))
            return "a stage has no kernel";
    /* Ghosts copied from points are not safe for other threads. So nothing may be
     * periodic along the slowest axis, and neighbours in other planes must lie in the
     * same row and column. */
    for (int64_t k = 0; k < code->step.count; k++) {
        for (const ir_node *node = NULL;
             (node = ir_next_load(&code->stage[code->step.stage[k]], node));) {
            if (node->offset[axis] == 0)
                continue;
            for (int other = 0; other < axis; other++)
                if (node->offset[other] != 0)
                    return "points are read across corners";
        }
    }
    return NULL;
}

pav_status async_open(pav_run *run)
{
    const int axis = run->code->dim - 1;
    if (!run->program->chaotic)
        return PAV_OK;
    struct async_tiles *c = run->blocks.async = mem_new(1, sizeof *c);
    if (!c)
        return PAV_ENOMEM;
    run->stepper = &async_steps;
    TRY(ir_blocking_open(run->code, NULL, &c->state.blocking));
    for (int side = 0; side < 2; side++)
        c->read_by_others = int_most((int)c->read_by_others,
                                     c->state.blocking.reach[axis][side] + 1);
    run->blocks.no_async = reason_against(run, &c->state.blocking, axis);
    if (run->blocks.no_async)
        close_tiles(run);
    return PAV_OK;
}
