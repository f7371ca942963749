/* SPDX-License-Identifier: BSD-3-Clause */
/* One time tile: its operation instances one after another. All threads of a group share
 * the tile. They divide the points of an operation along x, so that each keeps its piece
 * of all rows in its own cache, and synchronise after it. A group of one thread needs no
 * synchronisation. */
#include <assert.h>
#include <sched.h>
#include <stdatomic.h>

#include "exec/time/tile_private.h"

enum {
    SPINS = 2000,        /* before other threads get the processor */
    PIECE = CPU_LINE / 2 /* points that fill whole lines of memory in any type */
};

/* ---- groups ------------------------------------------------------------------------ */

void time_spin(int *spins)
{
    if (++*spins > SPINS)
        (void)sched_yield();
}

void time_synchronise(time_group *g)
{
    int spins = 0;
    const unsigned turn = atomic_load_explicit(&g->turn, memory_order_relaxed);
    if (g->threads == 1)
        return;
    if (atomic_fetch_add(&g->come, 1) == g->threads - 1) {
        atomic_store_explicit(&g->come, 0, memory_order_relaxed);
        atomic_store_explicit(&g->turn, turn + 1, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&g->turn, memory_order_acquire) == turn)
        time_spin(&spins);
}

/* First point of the n-th thread along x. */
static int64_t cut(const box *b, int threads, int n)
{
    const int64_t at = b->lo[0] + (b->hi[0] - b->lo[0]) * n / threads;
    const int64_t piece = at & -(int64_t)PIECE;
    return n == threads ? b->hi[0] : piece > b->lo[0] ? piece : b->lo[0];
}

box time_part(const time_own *mine, const box *b)
{
    box part = *b;
    part.lo[0] = cut(b, mine->group->threads, mine->number);
    part.hi[0] = cut(b, mine->group->threads, mine->number + 1);
    assert(mine->number < mine->group->threads && part.lo[0] <= part.hi[0]);
    return part;
}

/* ---- one operation ----------------------------------------------------------------- */

typedef struct tile_work {
    const time_block *block;
    const time_instance *instance;
    time_own *own;
} tile_work;

static pav_status act_on(void *user, const box *b)
{
    const tile_work *w = user;
    const time_instance *m = w->instance;
    if (m->operation->kind == OPERATION_INJECT)
        return time_inject(w->block, m, b, w->own->uniform);
    if (m->operation->kind == OPERATION_SAMPLE)
        return time_sample(w->block, m, b);
    const box all = box_common(b, &m->box), part = time_part(w->own, &all);
    return ready_call(&m->stage, &part);
}

static pav_status do_points(const tile_work *w, const time_tile *t)
{
    spans at[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        at[axis] = time_points(&w->block->axis[axis], t->at[axis],
                               time_shift_in(t, w->instance, axis));
    return time_boxes(at, act_on, (void *)(uintptr_t)w);
}

/* After a failure threads still synchronise, so that no thread waits for ever. */
static void note(time_own *mine, pav_status status)
{
    if (status != PAV_OK)
        atomic_store(mine->failed, (int)status);
}

static bool works(const time_own *mine)
{
    return atomic_load(mine->failed) == PAV_OK;
}

/* All threads compute a part of a stage; every other operation is done by the first
 * thread. */
static void do_instance(const tile_work *w, const time_tile *t)
{
    const time_instance *m = w->instance;
    const bool all = m->operation->kind == OPERATION_STAGE, first = w->own->number == 0;
    if (m->operation->kind == OPERATION_SAMPLE && w->block->state->receivers == 0)
        return;
    if ((all || first) && works(w->own))
        note(w->own, do_points(w, t));
    if (all)
        time_synchronise(w->own->group);
    if (first && works(w->own))
        note(w->own, time_fill_borders(w->block, m, t));
    if (!all || m->fills > 0)
        time_synchronise(w->own->group);
}

/* ---- a whole tile ------------------------------------------------------------------ */

void time_do_tile(const time_block *p, time_own *mine, const time_tile *t)
{
    for (int64_t n = t->first; n < t->end; n++) {
        const tile_work w = {p, &p->instance[n], mine};
        do_instance(&w, t);
    }
}

int64_t time_shift_in(const time_tile *t, const time_instance *m, int axis)
{
    return m->shift[axis] - t->back[axis];
}

static void find_column(const time_block *p, int axis, time_tile *t)
{
    t->column = (span){p->axis[axis].extent, 0};
    for (int64_t n = t->first; n < t->end; n++) {
        const span s = time_last_points(&p->axis[axis], t->at[axis],
                                        time_shift_in(t, &p->instance[n], axis));
        t->column.lo = s.lo < t->column.lo ? s.lo : t->column.lo;
        t->column.hi = s.hi > t->column.hi ? s.hi : t->column.hi;
    }
}

/* Along the sweep and along x each row begins anew, so columns have equal length in all
 * rows. */
time_tile time_tile_of(const time_block *p, int64_t row, int64_t column)
{
    const ir_blocking *b = &p->state->blocking;
    int first, end;
    time_steps_of_row(&p->columns, row, p->steps, &first, &end);
    time_tile t = {.first = first * b->operations, .end = end * b->operations};
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (axis != p->state->column)
            t.back[axis] = (int64_t)first * b->skew[axis];
    if (p->state->column < 0)
        return t;
    t.at[p->state->column] = column;
    find_column(p, p->state->column, &t);
    return t;
}
