/* SPDX-License-Identifier: BSD-3-Clause */
/* A time block: threads take columns of tiles, row by row, and let the operation
 * instances of the row roll through each, some tiles behind the columns that it uses. */
#include <sched.h>
#include <stdatomic.h>

#include "run/time/time_private.h"

enum {
    LOOKS = 2000, /* at a neighbour's progress before others get the processor */
    FEW = 24,     /* of that many tiles of a thread, one may be waited for */
};

/* How far a column is: apart from others, since threads observe it all the time. */
typedef struct progress {
    _Atomic int64_t tiles;
    char apart[CPU_LINE - sizeof(int64_t)];
} progress;

/* A thread's own: room for uniforms, and memory that it asks for; apart from others',
 * since it changes with each strip. */
typedef struct own {
    double *uniform;
    time_prefetch ahead;
    char apart[2 * CPU_LINE];
} own;

typedef struct rolling {
    const time_block *block;
    progress *done;      /* [row][column] */
    _Atomic char *taken; /* of each, whether a thread has it */
    int64_t rows, columns, tiles;
    int64_t behind;     /* tiles that a column keeps from those before: at least one */
    _Atomic int failed; /* a status */
    own *own;           /* of each thread */
} rolling;

/* ---- one tile ---------------------------------------------------------------------- */

typedef struct tile_work {
    const time_block *block;
    const time_instance *instance;
    own *own;
} tile_work;

static pav_status act_on(void *user, const box *b)
{
    const tile_work *w = user;
    const time_instance *m = w->instance;
    if (m->operation->kind == OPERATION_INJECT)
        return time_inject(w->block, m, b, w->own->uniform);
    if (m->operation->kind == OPERATION_SAMPLE)
        return time_sample(w->block, m, b);
    const box part = box_common(b, &m->box);
    return ready_call(&m->stage, &part, &w->own->ahead.requested);
}

static pav_status do_instance(const tile_work *w, const time_tile *t)
{
    spans at[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        at[axis] = time_points(&w->block->axis[axis], t->at[axis],
                               time_shift_in(t, w->instance, axis));
    TRY(time_boxes(at, act_on, (void *)(uintptr_t)w));
    return time_fill_borders(w->block, w->instance, t);
}

static pav_status do_tile(const time_block *p, own *mine, const time_tile *t)
{
    time_prefetch_of(p, t, &mine->ahead);
    for (int64_t n = t->first; n < t->end; n++) {
        const tile_work w = {p, &p->instance[n], mine};
        TRY(do_instance(&w, t));
    }
    return PAV_OK;
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

/* Along the sweep each row begins anew, so columns are as long in each of them. */
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

/* ---- columns ----------------------------------------------------------------------- */

static bool is_done(const progress *column, int64_t tiles)
{
    return atomic_load_explicit(&column->tiles, memory_order_acquire) >= tiles;
}

static void wait_for(const progress *column, int64_t tiles)
{
    for (int looks = 0; !is_done(column, tiles); looks++)
        if (looks >= LOOKS)
            (void)sched_yield();
}

static progress *progress_of(const rolling *r, int64_t row, int64_t column)
{
    return &r->done[row * r->columns + column];
}

/* What tile k of a column uses of another. */
static void wait_for_column(const rolling *r, int64_t row, int64_t column, int64_t k)
{
    const int64_t tiles = k + r->behind < r->tiles ? k + r->behind : r->tiles;
    const bool around = r->block->columns.axis.periodic;
    if (around || (column >= 0 && column < r->columns))
        wait_for(progress_of(r, row, (column + r->columns) % r->columns), tiles);
}

/* Skewed tiles use the column before; others their neighbours in the row before. */
static void wait_for_others(const rolling *r, int64_t row, int64_t column, int64_t k)
{
    if (r->block->columns.turn == 0) {
        wait_for_column(r, row, column - 1, k);
    } else if (row > 0) {
        wait_for_column(r, row - 1, column - 1, k);
        wait_for_column(r, row - 1, column + 1, k);
    }
}

/* A column that fails goes on to the end without doing anything, so that nobody waits for
 * it. */
static void roll(rolling *r, int64_t row, int64_t column, own *mine)
{
    const time_state *s = r->block->state;
    time_tile t = time_tile_of(r->block, row, column);
    for (int64_t k = 0; k < r->tiles; k++) {
        t.at[s->stream] = k;
        wait_for_others(r, row, column, k);
        if (atomic_load(&r->failed) == PAV_OK) {
            const pav_status status = do_tile(r->block, mine, &t);
            if (status != PAV_OK)
                atomic_store(&r->failed, (int)status);
        }
        atomic_store_explicit(&progress_of(r, row, column)->tiles, k + 1,
                              memory_order_release);
    }
}

static bool take_column(rolling *r, int64_t row, int64_t column)
{
    return time_is_in_row(&r->block->columns, row, column) &&
           !atomic_exchange(&r->taken[row * r->columns + column], 1);
}

/* Where the tiles of a row are independent, a thread takes those first whose points it
 * was the first to touch, and then what others have not come to. What is waited for was
 * taken by then, since all threads go from row to row. */
static void take_columns(void *argument, int64_t thread)
{
    rolling *r = argument;
    const int64_t first = r->block->columns.turn > 0
                              ? time_first_column(r->columns, r->block->threads, thread)
                              : 0;
    for (int64_t row = 0; row < r->rows; row++)
        for (int64_t n = 0; n < r->columns; n++)
            if (take_column(r, row, (first + n) % r->columns))
                roll(r, row, (first + n) % r->columns, &r->own[thread]);
}

/* So far that a tile and the rows asked for after it are no longer stored by the column
 * before, since lines that go to and fro between cores take longest; but no farther than
 * pays: until the last thread begins, and after the first has ended, others have nothing
 * to do. */
static int64_t tiles_behind_column(const rolling *r)
{
    const time_block *p = r->block;
    const int stream = p->state->stream;
    const int64_t skewed = p->instance[p->instances - 1].shift[stream] /
                           p->axis[stream].width;
    const int64_t each = r->tiles * ((r->columns + p->threads - 1) / p->threads);
    const int64_t most = each / (FEW * (int64_t)p->threads);
    return 1 + (skewed + 1 < most ? skewed + 1 : most);
}

/* The row before is a phase ahead along the sweep, too. Around a face that wraps it has
 * its first points last. */
static int64_t tiles_behind_row(const rolling *r)
{
    const time_axis *a = &r->block->axis[r->block->state->stream];
    const int64_t ahead = (int64_t)r->block->columns.turn *
                          r->block->state->blocking.skew[r->block->state->stream];
    return a->periodic ? r->tiles : 2 + (ahead + a->width - 1) / a->width;
}

static pav_status open_rolling(rolling *r)
{
    const int threads = r->block->threads;
    r->done = mem_new(r->rows * r->columns, sizeof *r->done);
    r->taken = mem_new(r->rows * r->columns, sizeof *r->taken);
    r->own = mem_new(threads, sizeof *r->own);
    for (int n = 0; r->own && n < threads; n++) {
        r->own[n].uniform = mem_new(r->block->part->code->uniforms + 1, sizeof(double));
        TRY(time_prefetch_open(r->block, &r->own[n].ahead));
        if (!r->own[n].uniform)
            return PAV_ENOMEM;
    }
    return r->done && r->taken && r->own ? PAV_OK : PAV_ENOMEM;
}

static void close_rolling(rolling *r)
{
    for (int n = 0; r->own && n < r->block->threads; n++) {
        mem_free(r->own[n].uniform);
        time_prefetch_close(&r->own[n].ahead);
    }
    mem_free(r->own);
    mem_free(r->taken);
    mem_free(r->done);
}

pav_status time_block_roll(const time_block *p)
{
    const time_state *s = p->state;
    rolling r = {.block = p,
                 .rows = p->columns.rows,
                 .columns = s->column >= 0 ? p->axis[s->column].tiles : 1,
                 .tiles = p->axis[s->stream].tiles};
    r.behind = p->columns.turn > 0 ? tiles_behind_row(&r) : tiles_behind_column(&r);
    pav_status status = open_rolling(&r);
    if (status == PAV_OK)
        host_team_run(p->team, p->threads, take_columns, &r);
    close_rolling(&r);
    TRY(status);
    status = (pav_status)atomic_load(&r.failed);
    return status == PAV_OK ? PAV_OK
                            : FAIL(status, "a tile of several steps could not be "
                                           "computed: is memory short?");
}

/* ---- all --------------------------------------------------------------------------- */

static void cut_axes(time_block *p)
{
    p->columns = time_columns_in(p->part->code, &p->state->blocking, &p->shape, p->steps);
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->axis[axis] = time_axis_in(p->part->code, &p->state->blocking, &p->shape, axis,
                                     p->steps);
}

static void count_tiles(const time_block *p)
{
    block_count *count = &p->run->count;
    count->turned |= p->columns.turn > 0;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const time_axis *a = &p->axis[axis];
        if (a->tiles > count->tiles[axis])
            count->tiles[axis] = a->tiles;
        count->around[axis] |= a->periodic && a->tiles > 1;
    }
}

/* As run_one_step, so many times. */
void time_end_steps(pav_run *run, int steps)
{
    for (int64_t f = 0; f < run->part->code->fields; f++)
        for (int n = 0; n < steps && run->part->code->field[f].updated; n++)
            levels_rotate(&run->part->field[f]);
    subdomain_refresh_views(run->part);
    run->part->step += steps;
    subdomain_set_time(run->part, run->part->step);
}

pav_status time_block_open(time_block *p)
{
    p->threads = p->team ? host_team_threads(p->team) : 1;
    cut_axes(p);
    count_tiles(p);
    TRY(time_instances_open(p));
    return time_find_prefetches(p);
}

void time_block_close(time_block *p)
{
    time_instances_close(p);
    mem_free(p->fetch);
}

pav_status time_take(pav_run *run, time_state *s, const schedule *shape, int steps)
{
    time_block p = {.run = run,
                    .part = run->part,
                    .number = -1,
                    .team = run->team,
                    .state = s,
                    .shape = *shape,
                    .step = run->part->step,
                    .steps = steps};
    TRY(time_state_ready(run, s, steps));
    pav_status status = time_block_open(&p);
    if (status == PAV_OK)
        status = time_block_roll(&p);
    time_block_close(&p);
    TRY(status);
    time_end_steps(run, steps);
    return PAV_OK;
}
