/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of steps: the window visits all of the grid once, and in each visit takes its
 * part of every step. */
#include "run/checkpoint/checkpoint_private.h"
#include "run/outofcore/outofcore_private.h"

/* ---- one operation ----------------------------------------------------------------- */

static pav_status act_on(outofcore_block *b, const outofcore_operation *m,
                         const box *where)
{
    const ir *code = b->run->code;
    if (!m->what)
        return outofcore_launch(b, m, where);
    if (m->what->kind == OPERATION_INJECT)
        return outofcore_inject(b, m, where);
    if (m->what->kind == OPERATION_SAMPLE)
        return outofcore_sample(b, m, where);
    const box all = ir_stage_box(code, &code->stage[m->what->stage]);
    const box part = box_common(&all, where);
    return box_is_empty(&part) ? PAV_OK
                               : subdomain_stage(b->window, m->what->stage, &part);
}

static pav_status do_operation(outofcore_block *b, const outofcore_operation *m)
{
    const int axis = b->o->axis;
    const spans at = outofcore_points(b, m->shift);
    outofcore_turn(b, m->launches, m->singles);
    b->window->uniform = m->uniform;
    for (int n = 0; n < at.count; n++) {
        box where = {{0}, {0}};
        for (int a = 0; a < MAX_DIM; a++)
            where.hi[a] = a < b->run->code->dim ? points_along(b->run->code, a, false)
                                                : 1;
        where.lo[axis] = at.at[n].lo;
        where.hi[axis] = at.at[n].hi;
        outofcore_place(b, b->at.wrapped > 0 && where.lo[axis] < b->at.lo);
        TRY(act_on(b, m, &where));
    }
    outofcore_place(b, false);
    if (!m->what)
        return outofcore_fill_launch(b, m);
    return m->fill ? outofcore_fill(b, m) : PAV_OK;
}

/* ---- a block ----------------------------------------------------------------------- */

static pav_status visit_all(outofcore_block *b)
{
    TRY(outofcore_operations_open(b));
    outofcore_turn(b, 0, 0);
    if (b->o->disk)
        TRY(disk_begin_block(b));
    b->window->grid->cut[b->o->axis] = b->axis.tiles > 1;
    for (int64_t visit = 0; visit < b->axis.tiles; visit++) {
        const double begun = clock_seconds();
        TRY(outofcore_go_to(b, visit));
        TRY(outofcore_note(b->run, true, visit, begun));
        const double moved = clock_seconds();
        for (int64_t n = 0; n < b->operations; n++)
            TRY(do_operation(b, &b->operation[n]));
        TRY(outofcore_note(b->run, false, visit, moved));
    }
    const double begun = clock_seconds();
    outofcore_turn(b, 0, 0);
    TRY(outofcore_leave(b));
    return outofcore_note(b->run, true, b->axis.tiles - 1, begun);
}

static void end_steps(pav_run *run, int steps)
{
    for (int n = 0; n < steps; n++)
        subdomain_rotate(run->part);
    run->part->step += steps;
    subdomain_set_time(run->part, run->part->step);
}

static pav_status take_block(pav_run *run, int steps, bool whole)
{
    outofcore *o = run->outofcore;
    outofcore_block b = {.run = run,
                         .o = o,
                         .window = run->part->inner,
                         .arena = arena_new(),
                         .axis = outofcore_axis(o, steps),
                         .step = run->part->step,
                         .steps = steps,
                         .whole = whole};
    pav_status status = b.arena ? time_state_ready(run, &o->state, steps) : PAV_ENOMEM;
    if (status == PAV_OK)
        status = visit_all(&b);
    if (status != PAV_OK)
        (void)outofcore_exchanged(&b); /* what is on its way has to come first */
    b.window->uniform = run->part->uniform;
    mem_free(b.move);
    outofcore_forget_old(&b);
    arena_free(b.arena);
    TRY(status);
    o->blocks++;
    o->behind = !whole;
    end_steps(run, steps);
    run_count_block(run, steps);
    return time_keep_rows(run, &o->state, b.step, steps);
}

/* Who stops the run, or keeps its state, waits for a block after which all levels are
 * there. */
static bool is_waited_for(const pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    return run->stopped || run->limit.over ||
           (c->path && (c->waits || checkpoint_is_wished(run)));
}

/* The last steps before something observes the fields are parted evenly. */
pav_status outofcore_steps(pav_run *run, int64_t most)
{
    const int64_t room = time_until_event(run, most), depth = run->outofcore->steps;
    if (run->outofcore->disk)
        TRY(checkpoint_of_start(run));
    const int64_t blocks = (room + depth - 1) / depth;
    const int64_t steps = room >= 2 * depth ? depth : (room + blocks - 1) / blocks;
    return take_block(run, (int)steps, steps == room || is_waited_for(run));
}
