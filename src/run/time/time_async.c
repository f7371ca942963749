/* SPDX-License-Identifier: BSD-3-Clause */
/* `chaotic n by m`: blocks of m planes (rows, in two dimensions) take up to n steps
 * without waiting for each other, and read of each other what is there.
 *
 * Threads have planes in a row, and go through them block by block, all steps of one
 * after the other. What two of them touch, the planes at the ends of a thread's, they
 * load and store as relaxed atomic numbers. Everybody has the same level, and the newest
 * of others, when the steps are over. */
#include <stdatomic.h>

#include "run/time/time_private.h"

struct async_tiles {
    time_state state;
    int axis;      /* the slowest */
    int64_t shown; /* planes at the ends of a thread's that others read, or that lie
                      within a vector of such */
};

typedef struct blocks {
    time_block block;
    const struct async_tiles *async;
    _Atomic int failed; /* a status */
} blocks;

/* ---- one block --------------------------------------------------------------------- */

/* The planes of a thread, and of one of its blocks. */
static span planes_of(const blocks *b, int64_t first, int64_t end)
{
    const time_axis *a = &b->block.axis[b->async->axis];
    const int64_t hi = end * a->width;
    return (span){first * a->width, hi < a->extent ? hi : a->extent};
}

static pav_status go_through(const blocks *b, const time_instance *m, span own,
                             span planes)
{
    const int axis = b->async->axis;
    box part = m->box;
    part.lo[axis] = planes.lo > part.lo[axis] ? planes.lo : part.lo[axis];
    const int64_t end = planes.hi < part.hi[axis] ? planes.hi : part.hi[axis];
    const int64_t shown = b->block.threads > 1 ? b->async->shown : 0;
    const int64_t until[] = {own.lo + shown, own.hi - shown, end};
    for (int n = 0; n < 3; n++) {
        part.hi[axis] = until[n] < end ? until[n] : end;
        if (part.hi[axis] <= part.lo[axis])
            continue;
        if (n == 1)
            TRY(ready_call(&m->stage, &part));
        else
            ready_call_relaxed(&m->stage, &part);
        part.lo[axis] = part.hi[axis];
    }
    return PAV_OK;
}

static pav_status all_steps(const blocks *b, span own, int64_t block)
{
    time_tile t = {.end = b->block.instances};
    t.at[b->async->axis] = block;
    for (int64_t n = 0; n < b->block.instances; n++) {
        const time_instance *m = &b->block.instance[n];
        if (m->operation->kind != OPERATION_STAGE)
            continue;
        TRY(go_through(b, m, own, planes_of(b, block, block + 1)));
        TRY(time_fill_borders(&b->block, m, &t));
    }
    return PAV_OK;
}

static void take_planes(void *argument, int64_t thread)
{
    blocks *b = argument;
    const int64_t count = b->block.axis[b->async->axis].tiles;
    const int64_t first = thread * count / b->block.threads;
    const int64_t end = (thread + 1) * count / b->block.threads;
    pav_status status = PAV_OK;
    for (int64_t k = first; k < end && status == PAV_OK; k++)
        status = all_steps(b, planes_of(b, first, end), k);
    if (status != PAV_OK)
        atomic_store(&b->failed, (int)status);
}

/* ---- steps ------------------------------------------------------------------------- */

/* As many threads as have a block, which is no wider than an even share. */
static void cut_axes(blocks *b)
{
    const pav_run *run = b->block.run;
    const int threads = run->team ? host_team_threads(run->team) : 1;
    const int64_t wanted = run->program->chaotic_block;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        time_axis *a = &b->block.axis[axis];
        const int64_t n = axis < run->code->dim ? points_along(run->code, axis, false)
                                                : 1;
        *a = (time_axis){.extent = n, .width = n, .tiles = 1};
        if (axis != b->async->axis)
            continue;
        const int64_t share = (n + threads - 1) / threads;
        a->width = wanted < share ? wanted : share;
        a->tiles = (n + a->width - 1) / a->width;
        b->block.threads = a->tiles < threads ? (int)a->tiles : threads;
    }
}

static pav_status take(pav_run *run, struct async_tiles *c, int steps)
{
    blocks b = {.block = {.run = run,
                          .part = run->part,
                          .number = -1,
                          .team = run->team,
                          .state = &c->state,
                          .shape = {.kind = SCHEDULE_ROWS},
                          .step = run->part->step,
                          .steps = steps},
                .async = c};
    cut_axes(&b);
    pav_status status = time_instances_open(&b.block);
    for (int64_t n = 0; status == PAV_OK && n < b.block.instances; n++)
        for (int axis = 0; axis < MAX_DIM; axis++)
            b.block.instance[n].shift[axis] = 0;
    if (status == PAV_OK)
        host_team_run(run->team, b.block.threads, take_planes, &b);
    time_instances_close(&b.block);
    TRY(status);
    status = (pav_status)atomic_load(&b.failed);
    if (status != PAV_OK)
        return FAIL(status, "a block of several steps could not be computed");
    time_end_steps(run, steps);
    run_count_block(run, steps);
    return PAV_OK;
}

pav_status async_steps(pav_run *run, int64_t most, bool *done)
{
    const int64_t room = time_until_event(run, most);
    const int64_t steps = room < run->program->chaotic ? room : run->program->chaotic;
    *done = run->async && steps > 1 && temporal_borders_are_kept(run);
    return *done ? take(run, run->async, (int)steps) : PAV_OK;
}

/* ---- opening ----------------------------------------------------------------------- */

/* Ghosts that are copies are not for other threads: so nothing wraps around the slowest
 * axis, and points of other planes are read in the same row and column alone. */
static const char *against_borders(const ir *code, int axis)
{
    for (int64_t k = 0; k < code->step.count; k++) {
        const ir_stage *s = &code->stage[code->step.stage[k]];
        for (int64_t n = 0; n < s->count; n++) {
            const ir_node *node = &s->node[n];
            if (node->op != IR_LOAD || node->offset[axis] == 0)
                continue;
            for (int other = 0; other < axis; other++)
                if (node->offset[other] != 0)
                    return "points are read across corners";
        }
    }
    return NULL;
}

static const char *reason_against(const pav_run *run, const ir_blocking *b, int axis)
{
    const ir *code = run->code;
    if (run->schedule.kind != SCHEDULE_AUTO)
        return "a schedule was asked for";
    if (run->is_cut || run->outofcore)
        return "the grid is cut";
    if (code->dim < 2)
        return "the grid has one dimension";
    if (b->refusal)
        return b->refusal;
    if (b->periodic[axis])
        return "fields wrap around its slowest axis";
    if (code->injections.count > 0)
        return "there are sources";
    for (int64_t k = 0; k < run->recorders; k++)
        if (run->recorder[k].statement->kind == STATEMENT_SAMPLE)
            return "there are receivers";
    for (int64_t k = 0; k < code->step.count; k++)
        if (!emit_has_kernel(&code->stage[code->step.stage[k]]))
            return "a stage has no kernel";
    return against_borders(code, axis);
}

pav_status async_open(pav_run *run)
{
    const int axis = run->code->dim - 1;
    if (!run->program->chaotic)
        return PAV_OK;
    struct async_tiles *c = run->async = mem_new(1, sizeof *c);
    if (!c)
        return PAV_ENOMEM;
    TRY(ir_blocking_open(run->code, NULL, &c->state.blocking));
    c->axis = axis;
    for (int side = 0; side < 2; side++)
        c->shown = int_most((int)c->shown, c->state.blocking.reach[axis][side] + 1);
    run->no_async = reason_against(run, &c->state.blocking, axis);
    if (run->no_async)
        async_close(run);
    return PAV_OK;
}

void async_close(pav_run *run)
{
    if (run->async)
        ir_blocking_close(&run->async->state.blocking);
    mem_free(run->async);
    run->async = NULL;
}
