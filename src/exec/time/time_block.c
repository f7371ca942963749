/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporal blocking on processors, a wavefront: threads take columns of tiles, row by
 * row. In each column the operation instances of the row advance tile by tile, some tiles
 * behind the columns they depend on. Blocks also run within subdomains, and without any
 * waiting (asynchronous relaxation). */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "exec/time/tile_private.h"

enum { FEW = 24 /* a thread may wait for one in this many tiles of its group */ };

/* Progress of a column, in a cache line of its own, because other threads poll it all the
 * time. */
typedef struct progress {
    _Atomic int64_t tiles;
    char apart[CPU_LINE - sizeof(int64_t)];
} progress;

typedef struct rolling {
    const time_block *block;
    progress *done;      /* [row][column] */
    _Atomic char *taken; /* of each column: 1 if a group took it */
    int64_t rows, columns;
    int64_t first_column, first_tile;
    int64_t tiles;  /* of a column, along the sweep */
    int64_t behind; /* distance, in tiles, to the columns it depends on */
    int64_t groups;
    _Atomic int failed; /* a status */
    time_own *own;      /* of each thread */
    time_group *group;
} rolling;

/* ---- columns ----------------------------------------------------------------------- */

static bool is_done(const progress *column, int64_t tiles)
{
    return atomic_load_explicit(&column->tiles, memory_order_acquire) >= tiles;
}

static void wait_for(const progress *column, int64_t tiles)
{
    int spins = 0;
    while (!is_done(column, tiles))
        time_spin(&spins);
}

static progress *progress_of(const rolling *r, int64_t row, int64_t column)
{
    return &r->done[row * r->columns + column];
}

/* Waits until another column has done all tiles needed by tile k, counted in the order of
 * work. */
static void wait_for_column(const rolling *r, int64_t row, int64_t column, int64_t k)
{
    const int64_t tiles = int64_least(k + r->behind, r->tiles);
    const bool around = r->block->columns.axis.periodic;
    if (around || (column >= 0 && column < r->columns))
        wait_for(progress_of(r, row, (column + r->columns) % r->columns), tiles);
}

static bool take_column(const rolling *r, int64_t row, int64_t column)
{
    return time_is_in_row(&r->block->columns, row, column) &&
           !atomic_exchange(&r->taken[row * r->columns + column], 1);
}

/* Tiles of a row with turning boundaries are independent: a group first takes the columns
 * of its own memory pages, then columns nobody has taken. All groups go from row to row,
 * so a column that another one waits for has always been taken. */
static void find_next(const rolling *r, time_group *g)
{
    const int64_t first = r->block->columns.turn > 0
                              ? time_first_column(r->columns, r->groups, g - r->group)
                              : 0;
    for (; g->row < r->rows; g->row++, g->tried = 0)
        while (g->tried < r->columns) {
            g->column = (first + g->tried++) % r->columns;
            if (take_column(r, g->row, g->column))
                return;
        }
}

static void take_columns(void *argument, int64_t thread)
{
    const rolling *r = argument;
    time_own *mine = &r->own[thread];
    for (;;) {
        if (mine->number == 0)
            find_next(r, mine->group);
        time_synchronise(mine->group);
        if (mine->group->row >= r->rows)
            return;
        const time_state *s = r->block->state;
        const int64_t row = mine->group->row, column = mine->group->column;
        time_tile t = time_tile_of(r->block, row, r->first_column + column);
        for (int64_t k = 0; k < r->tiles; k++) {
            t.at[s->stream] = r->first_tile + k;
            /* Skewed tiles depend on the column before; other tiles on both neighbours in
             * the row before. */
            if (r->block->columns.turn == 0) {
                wait_for_column(r, row, column - 1, k);
            } else if (row > 0) {
                wait_for_column(r, row - 1, column - 1, k);
                wait_for_column(r, row - 1, column + 1, k);
            }
            time_do_tile(r->block, mine, &t);
            if (mine->number == 0)
                atomic_store_explicit(&progress_of(r, row, column)->tiles, k + 1,
                                      memory_order_release);
        }
        time_synchronise(mine->group);
    }
}

/* Distance to the column before. A tile and the next one should no longer be written by
 * that column, because cache lines that move between cores cost most. But a larger
 * distance delays the last thread, and leaves others idle after the first one ends, so it
 * is limited. */
static int64_t tiles_behind_column(const rolling *r)
{
    const time_block *p = r->block;
    const int stream = p->state->stream;
    const int64_t skewed = p->instance[p->instances - 1].shift[stream] /
                           p->axis[stream].width;
    const int64_t each = r->tiles * int_parts(r->columns, r->groups);
    const int64_t most = each / (FEW * r->groups);
    return 1 + (skewed + 1 < most ? skewed + 1 : most);
}

/* The row before is a phase ahead along the sweep. Along a periodic axis it does its
 * first points last. */
static int64_t tiles_behind_row(const rolling *r)
{
    const time_state *s = r->block->state;
    const time_axis *a = &r->block->axis[s->stream];
    const int64_t ahead = (int64_t)r->block->columns.turn * s->blocking.skew[s->stream];
    return a->periodic ? a->tiles : 2 + (ahead + a->width - 1) / a->width;
}

/* Threads with consecutive numbers form a group; the last group may be smaller. */
static void make_groups(rolling *r, int share)
{
    const int threads = r->block->threads;
    r->groups = int_parts(threads, share);
    for (int n = 0; n < r->groups; n++)
        r->group[n] = (time_group){.threads = int_least(share, threads - n * share)};
    for (int n = 0; n < threads; n++) {
        r->own[n].group = &r->group[n / share];
        r->own[n].number = n % share;
        r->own[n].failed = &r->failed;
    }
    r->behind = r->block->columns.turn > 0 ? tiles_behind_row(r) : tiles_behind_column(r);
}

static pav_status open_rolling(rolling *r)
{
    const int threads = r->block->threads;
    r->done = mem_new(r->rows * r->columns, sizeof *r->done);
    r->taken = mem_new(r->rows * r->columns, sizeof *r->taken);
    r->own = mem_new(threads, sizeof *r->own);
    r->group = mem_new(threads, sizeof *r->group);
    for (int n = 0; r->own && n < threads; n++) {
        r->own[n].uniform = mem_new(r->block->part->code->uniforms + 1, sizeof(double));
        if (!r->own[n].uniform)
            return PAV_ENOMEM;
    }
    return r->done && r->taken && r->own && r->group ? PAV_OK : PAV_ENOMEM;
}

static void close_rolling(rolling *r)
{
    for (int n = 0; r->own && n < r->block->threads; n++)
        mem_free(r->own[n].uniform);
    mem_free(r->group);
    mem_free(r->own);
    mem_free(r->taken);
    mem_free(r->done);
}

/* Threads share tiles only if they can run at once. */
static void run_groups(rolling *r)
{
    const time_block *p = r->block;
    const int share = int_least(p->shape.device.size[0], p->threads);
    if (share > 1) {
        make_groups(r, share);
        if (host_team_run_at_once(p->team, p->threads, take_columns, r)) {
            if (p->number < 0)
                p->count->sharers = int_most(p->count->sharers, share);
            return;
        }
    }
    make_groups(r, 1);
    host_team_run(p->team, p->threads, take_columns, r);
}

static void find_slab(rolling *r)
{
    const time_slab *slab = &r->block->slab;
    const bool across = slab->axis == r->block->state->column;
    if (!slab->cut)
        return;
    /* The planes of a visit are tiles of its axis. */
    assert(across || slab->axis == r->block->state->stream);
    assert(slab->first >= 0 && slab->first + slab->tiles <= slab->cut->tiles);
    *(across ? &r->first_column : &r->first_tile) = slab->first;
    *(across ? &r->columns : &r->tiles) = slab->tiles;
}

static pav_status roll_block(const time_block *p)
{
    const time_state *s = p->state;
    rolling r = {.block = p,
                 .rows = p->columns.rows,
                 .columns = s->column >= 0 ? p->axis[s->column].tiles : 1,
                 .tiles = p->axis[s->stream].tiles};
    find_slab(&r);
    assert(r.rows > 0 && r.columns > 0 && r.tiles > 0);
    pav_status status = open_rolling(&r);
    if (status == PAV_OK)
        run_groups(&r);
    close_rolling(&r);
    TRY(status);
    status = (pav_status)atomic_load(&r.failed);
    return status == PAV_OK ? PAV_OK
                            : FAIL(status, "a tile of several steps could not be "
                                           "computed: is memory short?");
}

/* ---- a whole time block ------------------------------------------------------------ */

static void cut_axes(time_block *p)
{
    p->columns = time_columns_in(p->part->code, &p->state->blocking, &p->shape, p->steps);
    for (int axis = 0; axis < MAX_DIM; axis++)
        p->axis[axis] = time_axis_in(p->part->code, &p->state->blocking, &p->shape, axis,
                                     p->steps);
    if (!p->slab.cut)
        return;
    p->axis[p->slab.axis] = *p->slab.cut;
    /* a slab does not wrap around */
    p->columns.axis.periodic &= p->slab.axis != p->state->column;
}

/* Ends `steps` steps, like single steps end. */
static void end_steps(subdomain *whole, int steps)
{
    /* subdomains rotate their levels together with the whole */
    assert(whole->inners == 0);
    for (int64_t f = 0; f < whole->code->fields; f++)
        for (int n = 0; n < steps && whole->code->field[f].updated; n++)
            levels_rotate(&whole->field[f]);
    subdomain_refresh_views(whole);
    subdomain_set_step(whole, whole->step + steps);
}

static pav_status open_block(time_block *p)
{
    assert(p->steps > 0 && p->before + p->steps <= TIME_MOST_STEPS);
    /* A block of the whole grid begins with the step of its levels. */
    assert(p->slab.cut || p->step == p->whole->step);
    p->threads = p->team ? host_team_threads(p->team) : 1;
    cut_axes(p);
    tile_count *count = p->count;
    count->turned |= p->columns.turn > 0;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const time_axis *a = &p->axis[axis];
        if (a->tiles > count->most[axis])
            count->most[axis] = a->tiles;
        count->around[axis] |= a->periodic && a->tiles > 1;
    }
    return time_instances_open(p);
}

pav_status time_block_take_slab(time_block *p)
{
    pav_status status = open_block(p);
    if (status == PAV_OK)
        status = roll_block(p);
    time_instances_close(p);
    return status;
}

pav_status time_block_take(time_block *p)
{
    TRY(time_block_take_slab(p));
    end_steps(p->whole, p->steps);
    return PAV_OK;
}

/* ---- blocks within subdomains ------------------------------------------------------ */

/* Time blocks within subdomains on processors. Halos are exchanged once for all steps of
 * a block. Each subdomain then computes its part of the tiles of the whole grid, as far
 * as its shrinking halo allows. The points are the same as in single steps between two
 * exchanges. */

static pav_status roll_within(void *user, int64_t n)
{
    const time_block *block = user;
    return roll_block(&block[n]);
}

static pav_status take_all(time_block *block, const time_block *like)
{
    /* Each subdomain begins with the scalars of the step before the block. */
    subdomain *whole = like->whole;
    const size_t bytes = (size_t)whole->code->uniforms * sizeof *whole->uniform;
    double *before = mem_new(whole->code->uniforms + 1, sizeof *before);
    pav_status status = before ? PAV_OK : PAV_ENOMEM;
    if (before)
        memcpy(before, whole->uniform, bytes);
    for (int64_t n = 0; n < whole->inners && status == PAV_OK; n++) {
        block[n] = *like;
        block[n].part = &whole->inner[n];
        block[n].number = n;
        block[n].team = whole->inner[n].executor->team;
        memcpy(whole->uniform, before, bytes);
        if (!whole->inner[n].executor->absent)
            status = open_block(&block[n]);
    }
    mem_free(before);
    TRY(status);
    TRY(exec_split_each(like->whole, roll_within, block));
    const time_state *s = like->state;
    for (int64_t k = 0; k < s->receivers; k++)
        if (s->sample[k].count > 0)
            TRY(ranks_or(like->whole->ranks, (uint64_t *)(void *)s->sampled[k],
                         like->steps * s->sample[k].count));
    return PAV_OK;
}

pav_status time_block_take_within(const time_block *like)
{
    subdomain *whole = like->whole;
    assert(like->steps <= wide_halo_steps(whole->wide)); /* halos are deep enough */
    time_block *block = mem_new(whole->inners, sizeof *block);
    if (!block)
        return PAV_ENOMEM;
    pav_status status = exec_split_block_begin(whole);
    /* Each rank has the values of receivers at its own points, and 0 bits elsewhere. */
    const time_state *s = like->state;
    for (int64_t k = 0; k < s->receivers && like->whole->ranks; k++)
        memset(s->sampled[k], 0,
               (size_t)(like->steps * s->sample[k].count) * sizeof **s->sampled);
    if (status == PAV_OK)
        status = take_all(block, like);
    for (int64_t n = 0; n < whole->inners; n++)
        if (block[n].whole)
            time_instances_close(&block[n]);
    mem_free(block);
    return status == PAV_OK ? exec_split_block_end(whole, like->steps) : status;
}

/* ---- asynchronous relaxation ------------------------------------------------------- */

/* Asynchronous relaxation: blocks of planes (rows, in two dimensions) take several steps
 * without waiting for each other, and read the values their neighbours have at that
 * moment (`chaotic n by m`).
 * A thread goes through its planes block by block, and takes all steps of a block one
 * after another. The planes at the ends of its range are touched by two threads, so they
 * are loaded and stored with relaxed atomic accesses. After the steps all threads have
 * the same level, and see the newest values of others. */

typedef struct blocks {
    time_block block;
    int axis;               /* the slowest */
    int64_t read_by_others; /* planes at the ends of a thread's range, and planes in a
                             * vector with them */
    _Atomic int failed;     /* a status */
} blocks;

/* ---- one block --------------------------------------------------------------------- */

/* The planes of a thread, or of one of its blocks. */
static span planes_of(const blocks *b, int64_t first, int64_t end)
{
    const time_axis *a = &b->block.axis[b->axis];
    const int64_t hi = end * a->width;
    return (span){first * a->width, hi < a->extent ? hi : a->extent};
}

static pav_status go_through(const blocks *b, const time_instance *m, span own,
                             span planes)
{
    const int axis = b->axis;
    box part = m->box;
    part.lo[axis] = planes.lo > part.lo[axis] ? planes.lo : part.lo[axis];
    const int64_t end = planes.hi < part.hi[axis] ? planes.hi : part.hi[axis];
    const int64_t ends = b->block.threads > 1 ? b->read_by_others : 0;
    const int64_t until[] = {own.lo + ends, own.hi - ends, end};
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
    t.at[b->axis] = block;
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
    const int64_t count = b->block.axis[b->axis].tiles;
    const int64_t first = thread * count / b->block.threads;
    const int64_t end = (thread + 1) * count / b->block.threads;
    pav_status status = PAV_OK;
    for (int64_t k = first; k < end && status == PAV_OK; k++)
        status = all_steps(b, planes_of(b, first, end), k);
    if (status != PAV_OK)
        atomic_store(&b->failed, (int)status);
}

/* ---- a block of steps -------------------------------------------------------------- */

/* Every thread gets at least one block; a block is no wider than an even share of the
 * planes. */
static void cut_planes(blocks *b, int64_t requested)
{
    const ir *code = b->block.whole->code;
    const int threads = b->block.team ? host_team_threads(b->block.team) : 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        time_axis *a = &b->block.axis[axis];
        const int64_t n = axis < code->dim ? points_along(code, axis, false) : 1;
        *a = (time_axis){.extent = n, .width = n, .tiles = 1};
        if (axis != b->axis)
            continue;
        const int64_t share = (n + threads - 1) / threads;
        a->width = requested < share ? requested : share;
        a->tiles = (n + a->width - 1) / a->width;
        b->block.threads = a->tiles < threads ? (int)a->tiles : threads;
    }
}

pav_status time_block_take_async(const time_block *like, int64_t width,
                                 int64_t read_by_others)
{
    blocks b = {.block = *like,
                .axis = like->whole->code->dim - 1,
                .read_by_others = read_by_others};
    cut_planes(&b, width);
    pav_status status = time_instances_open(&b.block);
    for (int64_t n = 0; status == PAV_OK && n < b.block.instances; n++)
        for (int axis = 0; axis < MAX_DIM; axis++)
            b.block.instance[n].shift[axis] = 0;
    if (status == PAV_OK)
        host_team_run(b.block.team, b.block.threads, take_planes, &b);
    time_instances_close(&b.block);
    TRY(status);
    status = (pav_status)atomic_load(&b.failed);
    if (status != PAV_OK)
        return FAIL(status, "a block of several steps could not be computed");
    end_steps(like->whole, like->steps);
    return PAV_OK;
}
