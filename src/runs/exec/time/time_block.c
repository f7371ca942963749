/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporal blocking on processors, a wavefront: the walk of a block of steps. Threads
 * take columns of tiles, row by row. In each tile the operation instances of the row are
 * done one after another. Blocks also run within subdomains, and without any waiting
 * (asynchronous relaxation). */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "exec/time/instances_private.h"

enum {
    FEW = 24,            /* a thread may wait for one in this many tiles of its group */
    PIECE = CPU_LINE / 2 /* points that fill whole lines of memory in any type */
};

/* ---- one operation of a tile ------------------------------------------------------- */

/* A thread's work on an operation instance. */
typedef struct tile_work {
    const time_block *block;
    const time_instance *instance;
    const time_fill *fill; /* the border that is filled */
    int64_t injection;     /* that adds its values */
    walk_seat seat;
    double *uniform;     /* room for uniforms */
    _Atomic int *failed; /* status shared by all threads */
} tile_work;

/* After a failure threads still synchronise, so that no thread waits for ever. */
static void note(const tile_work *w, pav_status status)
{
    if (status != PAV_OK)
        atomic_store(w->failed, (int)status);
}

static bool works(const tile_work *w)
{
    return atomic_load(w->failed) == PAV_OK;
}

static pav_status inject_one(void *user, double amount, const box *point)
{
    const tile_work *w = user;
    const ir *code = w->block->part->code;
    const int64_t k = w->injection;
    ready_stage one = w->instance->inject[k];
    memcpy(w->uniform, one.args.uniform, (size_t)code->uniforms * sizeof *w->uniform);
    w->uniform[code->injections.item[k].weight] = amount;
    one.args.uniform = w->uniform;
    one.work.uniform = w->uniform;
    return ready_call(&one, point);
}

static pav_status inject_sources(tile_work *w, const box *b)
{
    const time_block *p = w->block;
    assert(p->state->ready); /* points are sorted before a block */
    for (w->injection = 0; w->injection < p->part->code->injections.count;
         w->injection++) {
        const int64_t k = w->injection;
        const box here = p->number < 0 ? *b
                                       : box_common(*b, exec_split_injected(p->part, k));
        TRY(sources_within(&p->whole->injection[k], &p->state->injection[k], &here,
                           p->step + w->instance->step, inject_one, w));
    }
    return PAV_OK;
}

/* Samples after the last step of a time block are taken like after any step, unless other
 * steps follow at once. */
static pav_status take_samples(const time_block *p, const time_instance *m, const box *b)
{
    const time_state *s = p->state;
    const box own = p->number < 0 ? *b : p->part->grid->box, here = box_common(*b, own);
    const bool is_own = m->step + 1 < p->steps || p->goes_on;
    /* time_state_open made room for all steps */
    assert(s->receivers == 0 || p->before + m->step < s->sampled_steps);
    for (int64_t k = 0; k < s->receivers && is_own; k++) {
        const time_receiver *r = &s->receiver[k];
        if (!r->points ||
            !subdomain_is_due(p->whole, r->statement, p->step + m->step + 1))
            continue;
        TRY(placed_values(&s->sample[k], &here,
                          m->view[r->field][!p->whole->code->field[r->field].updated],
                          s->sampled[k] + (p->before + m->step) * s->sample[k].count));
    }
    return PAV_OK;
}

/* First point of the n-th thread along x. */
static int64_t cut(const box *b, int threads, int n)
{
    const int64_t at = b->lo[0] + (b->hi[0] - b->lo[0]) * n / threads;
    const int64_t piece = at & -(int64_t)PIECE;
    return n == threads ? b->hi[0] : piece > b->lo[0] ? piece : b->lo[0];
}

static void do_part(void *user, const box *b)
{
    tile_work *w = user;
    const time_instance *m = w->instance;
    if (!works(w))
        return;
    if (m->operation->kind == OPERATION_STAGE) {
        const int threads = w->seat.group->threads;
        const box all = box_common(*b, m->box);
        if (box_is_empty(&all))
            return;
        const box part = box_along(all, 0, cut(&all, threads, w->seat.number),
                                   cut(&all, threads, w->seat.number + 1));
        /* parts of threads ascend */
        assert(w->seat.number < threads && part.lo[0] <= part.hi[0]);
        note(w, ready_call(&m->stage, &part));
    } else {
        note(w, m->operation->kind == OPERATION_INJECT ? inject_sources(w, b)
                                                       : take_samples(w->block, m, b));
    }
}

/* Fills the ghosts of a face next to, or copied from, points already done. */
static void fill_face(void *user, int axis, int side, const box *where)
{
    const tile_work *w = user;
    const time_fill *fill = w->fill;
    const ready_stage *stage = &fill->face[axis][side];
    const border_kind kind = fill->field->border[axis][side].kind;
    box b = box_common(*where, box_along(view_window(fill->view), axis, where->lo[axis],
                                         where->hi[axis]));
    if (border_rules[kind].copies)
        ghost_fill_side(fill->view, axis, side, border_rules[kind].map, &b);
    border_slab(fill->view, axis, side, border_stores_face(kind), &b);
    if (stage->there && works(w))
        note(w, ready_call(stage, &b));
}

static void fill_borders(tile_work *w, const walk_tile *t)
{
    for (int64_t k = 0; k < w->instance->fills; k++) {
        w->fill = &w->instance->fill[k];
        walk_faces(t, w->instance->shift, w->fill->ends, fill_face, w);
    }
}

/* ---- one tile ---------------------------------------------------------------------- */

typedef struct rolling {
    const time_block *block;
    walk walk;
    int64_t first_column, first_tile;
    double *uniform;    /* of each thread: room for uniforms */
    _Atomic int failed; /* a status */
} rolling;

/* All threads of a group share the tile. They divide the points of a stage along x, so
 * that each keeps its piece of all rows in its own cache, and synchronise after it. Every
 * other operation is done by the first thread. */
static void do_tile(void *user, const walk_place *at)
{
    rolling *r = user;
    const time_block *p = r->block;
    const time_state *s = p->state;
    const bool first = at->seat.number == 0;
    tile_work w = {
        .block = p, .seat = at->seat, .uniform = at->own, .failed = &r->failed};
    walk_tile t = {.axis = p->axis};
    int begin, end;
    time_steps_of_row(&p->columns, at->row, p->steps, &begin, &end);
    /* Along the sweep and along x each row begins anew, so columns have equal length in
     * all rows. */
    for (int axis = 0; axis < MAX_DIM; axis++)
        t.back[axis] = axis == s->column ? 0 : (int64_t)begin * s->blocking.skew[axis];
    if (s->column >= 0)
        t.at[s->column] = r->first_column + at->column;
    t.at[s->stream] = r->first_tile + at->tile;
    for (int64_t n = begin * s->blocking.operations; n < end * s->blocking.operations;
         n++) {
        const time_instance *m = w.instance = &p->instance[n];
        const bool all = m->operation->kind == OPERATION_STAGE;
        if (m->operation->kind == OPERATION_SAMPLE && s->receivers == 0)
            continue;
        if (all || first)
            walk_points(&t, m->shift, do_part, &w);
        if (all)
            walk_synchronise(at->seat.group);
        if (first && works(&w))
            fill_borders(&w, &t);
        if (!all || m->fills > 0)
            walk_synchronise(at->seat.group);
    }
}

/* ---- columns ----------------------------------------------------------------------- */

/* Numbers of one thread, in cache lines of their own. */
static int64_t uniform_room(const time_block *p)
{
    return p->part->code->uniforms + CPU_LINE / (int64_t)sizeof(double);
}

/* How many tiles a column stays behind the column before it. A tile and the next one
 * should no longer be written by that column: cache lines that move between cores cost
 * most. But a larger distance delays the last thread, and leaves others idle after the
 * first one ends, so it is limited. */
static int64_t tiles_behind_column(const rolling *r, int64_t groups)
{
    const time_block *p = r->block;
    const int stream = p->state->stream;
    const int64_t skewed = p->instance[p->instances - 1].shift[stream] /
                           p->axis[stream].width;
    const int64_t most = r->walk.tiles * int_parts(r->walk.columns, groups) /
                         (FEW * groups);
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

static void begin_walk(rolling *r, int share)
{
    const int threads = r->block->threads;
    walk *w = &r->walk;
    w->behind = w->turns ? tiles_behind_row(r)
                         : tiles_behind_column(r, int_parts(threads, share));
    walk_begin(w, threads, share);
}

static void take_columns(void *argument, int64_t thread)
{
    const rolling *r = argument;
    walk_take(&r->walk, thread, r->uniform + thread * uniform_room(r->block));
}

/* Threads share tiles only if they can run at once. */
static void run_groups(rolling *r)
{
    const time_block *p = r->block;
    const int share = int_least(p->shape.device.size[0], p->threads);
    if (share > 1) {
        begin_walk(r, share);
        if (host_team_run_at_once(p->team, p->threads, take_columns, r)) {
            if (p->number < 0)
                p->count->sharers = int_most(p->count->sharers, share);
            return;
        }
    }
    begin_walk(r, 1);
    host_team_run(p->team, p->threads, take_columns, r);
}

static pav_status roll_block(const time_block *p)
{
    const time_slab *slab = &p->slab;
    const bool across = slab->axis == p->state->column;
    rolling r = {
        .block = p,
        .walk = {.tile = do_tile,
                 .rows = p->columns.rows,
                 .columns = p->state->column >= 0 ? p->axis[p->state->column].tiles : 1,
                 .tiles = p->axis[p->state->stream].tiles,
                 .turns = p->columns.turn > 0,
                 .around = p->columns.axis.periodic}};
    walk *w = &r.walk;
    w->user = &r;
    if (slab->cut) {
        /* The planes of a visit are tiles of its axis. */
        assert(across || slab->axis == p->state->stream);
        /* a visit has tiles of the cut */
        assert(slab->first >= 0 && slab->first + slab->tiles <= slab->cut->tiles);
        *(across ? &r.first_column : &r.first_tile) = slab->first;
        *(across ? &w->columns : &w->tiles) = slab->tiles;
    }
    assert(w->rows > 0 && w->columns > 0 && w->tiles > 0); /* no block is empty */
    r.uniform = mem_new(p->threads * uniform_room(p), sizeof *r.uniform);
    const bool opened = walk_open(w, p->threads) && r.uniform;
    if (opened)
        run_groups(&r);
    walk_close(w);
    mem_free(r.uniform);
    if (!opened)
        return PAV_ENOMEM;
    const pav_status status = (pav_status)atomic_load(&r.failed);
    return status == PAV_OK ? PAV_OK
                            : FAIL(status, "a tile of several steps could not be "
                                           "computed: is memory short?");
}

/* ---- a whole time block ------------------------------------------------------------ */

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
    /* p->state->time has room */
    assert(p->steps > 0 && p->before + p->steps <= TIME_MOST_STEPS);
    /* A block of the whole grid begins with the step of its levels. */
    assert(p->slab.cut || p->step == p->whole->step);
    p->threads = p->team ? host_team_threads(p->team) : 1;
    const ir_blocking *b = &p->state->blocking;
    tile_count *count = p->count;
    p->columns = time_columns_in(p->part->code, b, &p->shape, p->steps);
    count->turned |= p->columns.turn > 0;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        time_axis *a = &p->axis[axis];
        const bool is_slab = p->slab.cut && axis == p->slab.axis;
        *a = is_slab ? *p->slab.cut
                     : time_axis_in(p->part->code, b, &p->shape, axis, p->steps);
        if (is_slab && axis == p->state->column)
            p->columns.axis.periodic = false; /* a slab does not wrap around */
        count->most[axis] = int64_most(count->most[axis], a->tiles);
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
    OWNED_NEW(double, before, whole->code->uniforms + 1);
    memcpy(before, whole->uniform, bytes);
    for (int64_t n = 0; n < whole->inners; n++) {
        block[n] = *like;
        block[n].part = &whole->inner[n];
        block[n].number = n;
        block[n].team = whole->inner[n].executor->team;
        memcpy(whole->uniform, before, bytes);
        if (!whole->inner[n].executor->absent)
            TRY(open_block(&block[n]));
    }
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
    OWNED_NEW(time_block, block, whole->inners);
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

static pav_status compute_planes(const blocks *b, const time_instance *m, span own,
                                 span planes)
{
    const int axis = b->axis;
    box part = m->box;
    part.lo[axis] = int64_most(planes.lo, part.lo[axis]);
    const int64_t end = int64_least(planes.hi, part.hi[axis]);
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

static void take_planes(void *argument, int64_t thread)
{
    blocks *b = argument;
    const time_block *p = &b->block;
    const int64_t count = p->axis[b->axis].tiles, first = thread * count / p->threads;
    const int64_t end = (thread + 1) * count / p->threads;
    const span own = planes_of(b, first, end);
    tile_work w = {.block = p, .failed = &b->failed};
    walk_tile t = {.axis = p->axis};
    for (t.at[b->axis] = first; t.at[b->axis] < end; t.at[b->axis]++)
        for (int64_t n = 0; n < p->instances && works(&w); n++) {
            const int64_t k = t.at[b->axis];
            w.instance = &p->instance[n];
            if (w.instance->operation->kind != OPERATION_STAGE)
                continue;
            note(&w, compute_planes(b, w.instance, own, planes_of(b, k, k + 1)));
            fill_borders(&w, &t);
        }
}

/* ---- a block of steps -------------------------------------------------------------- */

pav_status time_block_take_async(const time_block *like, int64_t width,
                                 int64_t read_by_others)
{
    blocks b = {.block = *like,
                .axis = like->whole->code->dim - 1,
                .read_by_others = read_by_others};
    /* Every thread gets at least one block; a block is no wider than an even share of
     * the planes. */
    const ir *code = b.block.whole->code;
    const int threads = b.block.team ? host_team_threads(b.block.team) : 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        time_axis *a = &b.block.axis[axis];
        const int64_t n = axis < code->dim ? points_along(code, axis, false) : 1;
        *a = (time_axis){.extent = n, .width = n, .tiles = 1};
        if (axis != b.axis)
            continue;
        const int64_t share = (n + threads - 1) / threads;
        a->width = width < share ? width : share;
        a->tiles = (n + a->width - 1) / a->width;
        b.block.threads = a->tiles < threads ? (int)a->tiles : threads;
    }
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
