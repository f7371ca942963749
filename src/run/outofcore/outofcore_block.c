/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of steps: the window passes over the grid once, and in each visit takes its
 * part of every step. */
#include <assert.h>

#include "run/outofcore/outofcore_private.h"

/* ---- one operation ----------------------------------------------------------------- */

/* True if the window has the planes of the stage's results. */
static bool has_room(const outofcore_block *b, int stage, const box *part)
{
    const ir_stage *s = &b->run->code->stage[stage];
    for (int64_t k = 0; k < s->outputs; k++) {
        const ir_output *o = &s->output[k];
        const view *v = o->kind == IR_STORE ? b->window->view[o->field][1 - o->level]
                                            : NULL;
        if (v && !outofcore_has_planes(b, v, part))
            return false;
    }
    return true;
}

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
    assert(box_is_empty(&part) || has_room(b, m->what->stage, &part));
    return box_is_empty(&part) ? PAV_OK
                               : subdomain_stage(b->window, m->what->stage, &part);
}

static box planes_of(const outofcore_block *b, const span *s)
{
    const ir *code = b->run->code;
    box where = {{0}, {0}};
    for (int a = 0; a < MAX_DIM; a++)
        where.hi[a] = a < code->dim ? points_along(code, a, false) : 1;
    where.lo[b->o->axis] = s->lo;
    where.hi[b->o->axis] = s->hi;
    return where;
}

static pav_status end_launch(outofcore_block *b, const outofcore_operation *m,
                             const spans *at)
{
    TRY(outofcore_fill_launch(b, m));
    for (int n = 0; n < at->count; n++) {
        const box where = planes_of(b, &at->at[n]);
        TRY(outofcore_sample_launch(b, m, &where));
    }
    return PAV_OK;
}

/* A launch over the end of a periodic axis finds the first planes behind the last
 * ones. */
static pav_status act_around(outofcore_block *b, const outofcore_operation *m,
                             const spans *at)
{
    const span all = {at->at[at->count - 1].lo, b->o->extent + at->at[0].hi};
    const box where = planes_of(b, at->count > 1 ? &all : &at->at[0]);
    return act_on(b, m, &where);
}

static pav_status act_on_all(outofcore_block *b, const outofcore_operation *m,
                             const spans *at)
{
    if (!m->what && b->at.wrapped > 0)
        return act_around(b, m, at);
    for (int n = 0; n < at->count; n++) {
        const box where = planes_of(b, &at->at[n]);
        outofcore_place(b, b->at.wrapped > 0 && at->at[n].lo < b->at.lo);
        TRY(act_on(b, m, &where));
    }
    outofcore_place(b, false);
    return PAV_OK;
}

static pav_status do_operation(outofcore_block *b, const outofcore_operation *m)
{
    const spans at = outofcore_points(b, m->shift);
    outofcore_turn(b, m->launches, m->singles);
    b->window->uniform = m->uniform;
    TRY(act_on_all(b, m, &at));
    if (!m->what)
        return end_launch(b, m, &at);
    return m->fill ? outofcore_fill(b, m) : PAV_OK;
}

/* ---- a block ----------------------------------------------------------------------- */

pav_status outofcore_block_open(outofcore_block *b)
{
    b->begun = true;
    b->arena = arena_new();
    TRY(b->arena ? time_state_ready(b->run, outofcore_state(b->o), b->steps)
                 : PAV_ENOMEM);
    if (outofcore_has_tiles(b->o))
        TRY(outofcore_tiles_open(b));
    if (!outofcore_is_tiled(b, b->axis.tiles - 1))
        TRY(outofcore_operations_open(b));
    outofcore_turn(b, 0, 0);
    TRY(outofcore_send_whole(b));
    if (b->o->disk && b->first)
        TRY(disk_seal_round(b->run));
    if (b->o->disk && b->first)
        TRY(disk_begin_round(b));
    b->window->grid->cut[b->o->axis] = b->axis.tiles > 1;
    return PAV_OK;
}

pav_status outofcore_block_visit(outofcore_block *b)
{
    const int64_t visit = b->next++;
    assert(b->begun && visit < b->axis.tiles);
    const double begun = clock_seconds();
    outofcore_turn(b, 0, 0);
    TRY(outofcore_go_to(b, visit));
    TRY(outofcore_note(b, true, visit, begun));
    const double moved = clock_seconds();
    const bool is_tiled = outofcore_is_tiled(b, visit);
    if (is_tiled)
        TRY(outofcore_tiles_visit(b));
    for (int64_t n = 0; n < b->operations && !is_tiled; n++)
        TRY(do_operation(b, &b->operation[n]));
    return outofcore_note(b, false, visit, moved);
}

pav_status outofcore_block_end(outofcore_block *b)
{
    const double begun = clock_seconds();
    outofcore_turn(b, 0, 0);
    TRY(outofcore_leave(b));
    return outofcore_note(b, true, b->axis.tiles - 1, begun);
}

/* Waits for transfers of the block, except those that drain during the next block. */
void outofcore_block_close(outofcore_block *b)
{
    if (b->begun && (b->moves > 0 || b->o->disk))
        (void)outofcore_exchanged(b);
    b->window->uniform = b->run->part->uniform;
    mem_free(b->move);
    outofcore_forget_old(b);
    arena_free(b->arena);
}
