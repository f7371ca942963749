/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of a grid that is cut: the shares of the subdomains, computed in turn, at the
 * same time, or around an exchange of halos; reductions; and several steps within each
 * subdomain between two exchanges. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/host/host.h"
#include "exec/split/split_private.h"

/* ---- leaders ----------------------------------------------------------------------- */

/* Subdomains on processors that compute side by side. Their executors have teams of their
 * own, each with a part of the threads. The leader of a team takes its subdomains through
 * a stage, at the same time as the other leaders. Each leader computes the scalars of a
 * stage itself, with equal results. */

/* ---- leaders and their groups ------------------------------------------------------ */

static bool is_led(const executor *e)
{
    return !e->absent && e->compiled && e->team;
}

static int group_of(const split *s, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (s->leaders.group[k] >= 0 &&
            s->whole->inner[k].executor->team == s->whole->inner[n].executor->team)
            return s->leaders.group[k];
    return s->leaders.groups;
}

pav_status leaders_open(split *s)
{
    leaders *c = &s->leaders;
    TRY(mem_take(&c->group, s->whole->inners, sizeof *c->group));
    for (int64_t n = 0; n < s->whole->inners; n++) {
        c->group[n] = is_led(s->whole->inner[n].executor) ? group_of(s, n) : -1;
        c->groups = int_most(c->groups, c->group[n] + 1);
    }
    if (c->groups < 2)
        return PAV_OK;
    TRY(mem_take(&c->uniform, c->groups * (s->whole->code->uniforms + 1),
                 sizeof *c->uniform));
    TRY(mem_take(&c->failure, c->groups, sizeof *c->failure));
    return host_team_open(c->groups, HOST_BIND_NONE, &c->team);
}

void leaders_close(split *s)
{
    leaders *c = &s->leaders;
    host_team_close(c->team);
    MEM_FREE_ALL(c->group, c->uniform, c->failure, c->move);
}

/* ---- work -------------------------------------------------------------------------- */

typedef struct shared {
    split *s;
    leader_work *work;
    void *user;
} shared;

static void lead(void *argument, int64_t group)
{
    const shared *w = argument;
    leaders *c = &w->s->leaders;
    const int64_t uniforms = w->s->whole->code->uniforms;
    double *own = c->uniform + group * (uniforms + 1);
    pav_status status = PAV_OK;
    memcpy(own, w->s->whole->uniform, (size_t)uniforms * sizeof *own);
    for (int64_t n = 0; n < w->s->whole->inners && status == PAV_OK; n++)
        if (c->group[n] == group)
            status = w->work(w->s, n, (int)group, own, w->user);
    failure_keep(&c->failure[group], status);
}

/* Reports the first failure. All leaders leave equal scalars. */
static pav_status leaders_run(split *s, leader_work *work, void *user)
{
    leaders *c = &s->leaders;
    shared w = {s, work, user};
    pav_status status = PAV_OK;
    assert(c->team && c->moves == 0); /* no halo waits while they compute */
    host_team_run(c->team, c->groups, lead, &w);
    memcpy(s->whole->uniform, c->uniform,
           (size_t)s->whole->code->uniforms * sizeof *c->uniform);
    for (int n = c->groups - 1; n >= 0; n--) { /* the first one is reported last */
        const pav_status own = failure_report(&c->failure[n]);
        status = own != PAV_OK ? own : status;
    }
    return status;
}

pav_status work_on_all(split *s, leader_work *work, double *uniform, void *user)
{
    for (int64_t n = 0; n < s->whole->inners; n++)
        if (!s->leaders.team || s->leaders.group[n] < 0)
            TRY(work(s, n, 0, uniform, user));
    return s->leaders.team ? leaders_run(s, work, user) : PAV_OK;
}

/* ---- halos ------------------------------------------------------------------------- */

pav_status leaders_add_move(split *s, const halo_move *m)
{
    leaders *c = &s->leaders;
    TRY(mem_reserve(&c->move, &c->move_room, c->moves, sizeof *c->move));
    c->move[c->moves++] = *m;
    return PAV_OK;
}

/* Copies within the host's memory cannot fail. */
static void copy_some(void *argument, int64_t part)
{
    const leaders *c = argument;
    for (int64_t n = part; n < c->moves; n += c->groups) {
        const halo_move *m = &c->move[n];
        (void)m->to->ops.copy_box(m->to, m->field, m->target, &m->range, m->from,
                                  m->field, m->source, m->shift);
    }
}

void leaders_copy(split *s)
{
    leaders *c = &s->leaders;
    if (c->moves > 0)
        host_team_run(c->team, c->groups, copy_some, c);
    c->moves = 0;
}

/* ---- reductions -------------------------------------------------------------------- */

/* Reductions by the fixed tree over the indices of the whole grid, independent of the
 * cuts.
 * Along x the tree is descended to the largest nodes that lie in one subdomain each. A
 * subdomain reduces the part of every row below such a node. The rest of the tree is
 * computed here. */

enum { MOST_NODES = 4096 };

/* Indices along x below one node. */
typedef struct span {
    int64_t lo, hi;
} span;

typedef struct reducing {
    split *s;
    const interp_args *args;
    int64_t reductions, lines; /* lines along x of its box */
    span node[MOST_NODES];
    int64_t nodes;
    double *value; /* [node][reduction][k][j]; values of other ranks are 0 bits at
                    * first */
    double *rows;  /* room for one call of each leader */
    int64_t at;    /* the present node */
} reducing;

static bool is_whole(const decomposition *d, int64_t lo, int64_t hi)
{
    return decomposition_along(d, 0, lo) == decomposition_along(d, 0, hi - 1);
}

/* ---- nodes along x ----------------------------------------------------------------- */

static bool find_nodes(reducing *r, int64_t first, int64_t size)
{
    const box *b = &r->args->box;
    const int64_t end = first + size;
    const span own = {first > b->lo[0] ? first : b->lo[0],
                      end < b->hi[0] ? end : b->hi[0]};
    if (own.lo >= own.hi)
        return true;
    if (!is_whole(&r->s->cut[r->args->stage->coarse], own.lo, own.hi))
        return find_nodes(r, first, size / 2) &&
               find_nodes(r, first + size / 2, size / 2);
    if (r->nodes == MOST_NODES)
        return false;
    r->node[r->nodes++] = own;
    return true;
}

static double join(reduction_kind kind, double left, double right)
{
    double pair[] = {left, right};
    return interp_reduce(kind, pair, 0, 2);
}

/* Value of a row below a node of the tree, joined from the values of `row` in order;
 * false: the row has no points there. */
static bool row_below(const reducing *r, reduction_kind kind, int64_t first, int64_t size,
                      const double *row, int64_t *next, double *value)
{
    const span *own = &r->node[*next];
    const int64_t half = size / 2;
    double right;
    if (*next == r->nodes || own->lo >= first + size)
        return false;
    if (own->hi <= first + size && (*next + 1 == r->nodes || own[1].lo >= first + size)) {
        *value = row[(*next)++ * r->reductions * r->lines];
        return true;
    }
    const bool any = row_below(r, kind, first, half, row, next, value);
    if (!row_below(r, kind, first + half, half, row, next, any ? &right : value))
        return any;
    if (any)
        *value = join(kind, *value, right);
    return true;
}

static int64_t tree_size(const box *b)
{
    int64_t size = 1;
    while (size < b->hi[0])
        size *= 2;
    return size;
}

/* ---- rows -------------------------------------------------------------------------- */

static pav_status reduce_share(split *s, int64_t n, int group, double *uniform,
                               void *user)
{
    reducing *r = user;
    const int64_t rows = r->reductions * r->lines;
    const subdomain *inner = &s->whole->inner[n];
    interp_args own = *r->args;
    own.box = box_along(own.box, 0, r->node[r->at].lo, r->node[r->at].hi);
    own.box = split_share(s, n, own.stage->coarse, &own.box);
    own.view = inner->view;
    own.uniform = uniform;
    own.rows = r->rows + group * rows;
    if (box_is_empty(&own.box) || inner->executor->absent)
        return PAV_OK;
    TRY(inner->executor->ops.stage(inner->executor, &own));
    exec_put_rows(&r->args->box, &own.box, r->reductions, own.rows,
                  r->value + r->at * rows);
    return PAV_OK;
}

/* ---- whole reductions -------------------------------------------------------------- */

static double reduce_all(const reducing *r, reduction_kind kind, int64_t number)
{
    const box *b = &r->args->box;
    const int64_t count = r->lines, size = tree_size(b);
    double *value = r->rows;
    for (int64_t n = 0; n < count; n++) {
        int64_t next = 0;
        (void)row_below(r, kind, 0, size, r->value + number * count + n, &next,
                        &value[n]);
        assert(next == r->nodes); /* the tree used every node once */
    }
    return reduction_of_rows(kind, b, value);
}

/* ---- overlap with an exchange ------------------------------------------------------ */

/* Overlap of halos and computing. While halos are under way, every subdomain computes the
 * points that read no halo, then the strips along its seams (the two phases of
 * Micikevicius, 3D finite difference computation on GPUs, 2009). The points of strips
 * leave in the next exchange, at once.
 * Rows stay whole: strips are never cut off along x. If the grid is cut along x, the
 * halos are awaited first. */

enum {
    /* share of the inside, on processors, before messages of ranks are polled ... */
    FIRST_PIECE = 16,
    LEAST_POINTS = 1 << 18 /* ... if the inside has at least this many points */
};

/* Finds the radius of a stage beyond its points, at seams of the fields it reads. Fields
 * may differ: one may be periodic, another not. -1: nothing is read there. With wide
 * halos the points beyond the seam are the subdomain's. False: the stage also reads other
 * grids. */
static bool find_reach(const subdomain *inner, const ir_stage *stage,
                       int reach[MAX_DIM][2])
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        reach[axis][0] = reach[axis][1] = -1;
    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));) {
        if (n->transfer != IR_SAME)
            return false;
        for (int axis = 0; axis < MAX_DIM; axis++) {
            int of_load[2] = {0, 0};
            halo_reach(inner->code, stage, n, axis, of_load);
            for (int side = 0; side < 2; side++)
                if (subdomain_is_seam(inner, n->field, axis, side) &&
                    reach[axis][side] < of_load[side])
                    reach[axis][side] = of_load[side];
        }
    }
    return true;
}

/* Points of a share that read nothing beyond seams; false: fewer than half of the
 * share. */
static bool find_inside(const subdomain *inner, const interp_args *args, const box *share,
                        box *inside)
{
    const subdomain_grid *g = &inner->grid[args->stage->coarse];
    int reach[MAX_DIM][2];
    *inside = *share;
    if (g->all || g->cut[0] || inner->executor->absent ||
        !find_reach(inner, args->stage, reach))
        return false;
    for (int axis = 1; axis < MAX_DIM; axis++) {
        const int64_t lo = g->box.lo[axis] + reach[axis][0],
                      hi = g->box.hi[axis] - reach[axis][1];
        if (reach[axis][0] >= 0)
            inside->lo[axis] = int64_most(inside->lo[axis], lo);
        if (reach[axis][1] >= 0)
            inside->hi[axis] = int64_least(inside->hi[axis], hi);
    }
    /* the inside is a part of the share */
    assert(box_is_empty(inside) || box_is_inside(*inside, *share));
    return !box_is_empty(inside) && 2 * box_points(*inside) >= box_points(*share);
}

/* The share grows beyond seams between subdomains, and seams around the grid. */
static box wide_share(const split *s, int64_t n, const interp_args *args,
                      const halo_depth *extra)
{
    const subdomain *inner = &s->whole->inner[n];
    box b = split_share(s, n, args->stage->coarse, &args->box);
    if (box_is_empty(&b) || !stage_may_be_cut(args->stage))
        return b;
    const int field = args->stage->output[0].field;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int *more = extra->side[axis];
        if (subdomain_is_seam(inner, field, axis, 0))
            b.lo[axis] -= more[0];
        if (subdomain_is_seam(inner, field, axis, 1))
            b.hi[axis] += more[1];
        if (inner->grid->seam[axis][0] && b.lo[axis] < args->box.lo[axis])
            b.lo[axis] = args->box.lo[axis];
        if (inner->grid->seam[axis][1] && b.hi[axis] > args->box.hi[axis])
            b.hi[axis] = args->box.hi[axis];
    }
    return b;
}

/* True if a wide halo may need points of a level that the stage overwrites. */
static bool overwrites_halos(const split *s, const interp_args *args)
{
    for (const ir_output *o = NULL;
         s->whole->wide && (o = ir_next_store(args->stage, o));)
        if (args->code->field[o->field].in_place)
            return true;
    return false;
}

/* Finds the box to compute in each subdomain, and the part computed before halos arrive;
 * false: no overlap. */
static bool find_overlap(const split *s, const interp_args *args, const halo_depth *extra,
                         box *share, box *inside)
{
    const bool waits = s->parcels == 0 || !stage_may_be_cut(args->stage) ||
                       overwrites_halos(s, args);
    bool any = false;
    for (int64_t n = 0; n < s->whole->inners; n++) {
        share[n] = s->whole->wide ? wide_share(s, n, args, extra)
                                  : split_share(s, n, args->stage->coarse, &args->box);
        inside[n] = share[n];
        if (waits || box_is_empty(&share[n]))
            continue;
        if (find_inside(&s->whole->inner[n], args, &share[n], &inside[n]))
            any = true;
        else
            inside[n].hi[0] = inside[n].lo[0];
    }
    return any;
}

/* ---- two phases -------------------------------------------------------------------- */

/* The right halo of a row and the left halo of the next one may share a line of memory.
 * With wide halos along x a stage stores both, so no row may overwrite its ends. */
static bool has_same_ends(const subdomain *inner, const interp_args *args, const box *b)
{
    const box *own = &inner->grid[args->stage->coarse].box;
    return args->same_ends && b->lo[0] >= own->lo[0] && b->hi[0] <= own->hi[0];
}

/* True if the memory of the subdomain holds all points stored by a stage. */
static bool has_room(const subdomain *inner, const interp_args *args, const box *b)
{
    for (const ir_output *o = NULL; (o = ir_next_store(args->stage, o));) {
        if (!box_is_inside(*b, view_window(inner->view[o->field][1 - o->level])))
            return false;
    }
    return true;
}

static pav_status compute_box(const split *s, int64_t n, const interp_args *args,
                              const box *b)
{
    subdomain *inner = &s->whole->inner[n];
    interp_args own = *args;
    own.view = inner->view;
    own.box = *b;
    own.same_ends = has_same_ends(inner, args, b);
    if (box_is_empty(b) || inner->executor->absent)
        return PAV_OK;
    assert(has_room(inner, args, b));
    return inner->executor->compiled && subdomain_is_masked(s->whole, args->stage)
               ? subdomain_masked_stage(inner, &own)
               : inner->executor->ops.stage(inner->executor, &own);
}

/* Cuts along the outermost axis with several points. */
static bool cut_off(const box *all, box *first, box *rest)
{
    int axis = MAX_DIM - 1;
    while (axis > 1 && all->hi[axis] - all->lo[axis] < 2)
        axis--;
    const int64_t count = all->hi[axis] - all->lo[axis];
    *first = *rest = *all;
    rest->lo[axis] = first->hi[axis] = all->lo[axis] +
                                       (count + FIRST_PIECE - 1) / FIRST_PIECE;
    return box_points(*all) >= LEAST_POINTS && rest->lo[axis] < rest->hi[axis];
}

/* Computes the strips of a share, on both sides of the outermost axis, then of the next
 * one. */
static pav_status compute_strips(const split *s, const interp_args *args,
                                 const box *share, const box *inside, bool asynchronous)
{
    for (int64_t n = 0; n < s->whole->inners; n++) {
        box left = share[n];
        if (s->whole->inner[n].executor->asynchronous != asynchronous)
            continue;
        if (box_is_empty(&inside[n])) {
            TRY(compute_box(s, n, args, &left));
            continue;
        }
        for (int axis = MAX_DIM - 1; axis > 0; axis--) {
            const int64_t lo = inside[n].lo[axis], hi = inside[n].hi[axis];
            const box below = box_along(left, axis, left.lo[axis], lo),
                      above = box_along(left, axis, hi, left.hi[axis]);
            TRY(compute_box(s, n, args, &below));
            TRY(compute_box(s, n, args, &above));
            left = box_along(left, axis, lo, hi);
        }
    }
    return PAV_OK;
}

static pav_status compute_during_exchange(split *s, const interp_args *args,
                                          const box *share, const box *inside)
{
    /* Computes boxes in all subdomains with asynchronous executors, or in all others. */
    for (int64_t n = 0; n < s->whole->inners; n++)
        if (s->whole->inner[n].executor->asynchronous == true)
            TRY(compute_box(s, n, args, &inside[n]));
    TRY(split_mark_inside(s));
    TRY(split_progress(s));
    /* Messages of ranks advance only during calls of MPI, so the inside is computed in
     * two pieces. */
    for (int64_t n = 0; n < s->whole->inners; n++) {
        box first, rest;
        if (s->whole->inner[n].executor->asynchronous)
            continue;
        if (s->whole->ranks && cut_off(&inside[n], &first, &rest)) {
            TRY(compute_box(s, n, args, &first));
            TRY(split_progress(s));
            TRY(compute_box(s, n, args, &rest));
        } else {
            TRY(compute_box(s, n, args, &inside[n]));
        }
    }
    TRY(split_arrive(s));
    TRY(compute_strips(s, args, share, inside, true));
    return compute_strips(s, args, share, inside, false);
}

/* ---- stages ------------------------------------------------------------------------ */

/* Runs a stage over a box of the whole: every subdomain computes its share. */

static pav_status take_share(split *s, int64_t n, int group, double *uniform, void *user)
{
    interp_args own = *(const interp_args *)user;
    (void)group;
    own.uniform = uniform;
    return compute_box(s, n, &own, &s->share[n]);
}

/* Subdomains on processors compute in turn, or have leaders. */
static pav_status take_turns(split *s, const interp_args *args, bool asynchronous)
{
    const bool led = s->leaders.team && stage_may_be_cut(args->stage);
    for (int64_t n = 0; n < s->whole->inners; n++)
        if (s->whole->inner[n].executor->asynchronous == asynchronous &&
            (!led || s->leaders.group[n] < 0))
            TRY(take_share(s, n, 0, args->uniform, (void *)(uintptr_t)args));
    return led && !asynchronous ? leaders_run(s, take_share, (void *)(uintptr_t)args)
                                : PAV_OK;
}

void exec_split_weigh(subdomain *whole, double *seconds)
{
    ((split *)whole->executor)->weighed = seconds;
}

/* Computes all shares. GPUs start first, and compute while processors do their shares.
 * Leaders wait for halos first, so that all subdomains on processors compute at once.
 * before: seconds of earlier exchanges. */
static pav_status take_shares(split *s, const interp_args *args, const halo_depth *extra,
                              double before)
{
    /* The inside of a subdomain may follow points beside its seam in an order. */
    const bool overlaps = find_overlap(s, args, extra, s->share, s->inside) &&
                          !args->stage->along;
    if (s->weighed) {
        /* Computes shares one after the other, to time each. */
        TRY(split_arrive(s));
        for (int64_t n = 0; n < s->whole->inners; n++) {
            executor *e = s->whole->inner[n].executor;
            TRY(e->ops.wait(e));
            const double begun = clock_seconds();
            TRY(take_share(s, n, 0, args->uniform, (void *)(uintptr_t)args));
            TRY(e->ops.wait(e));
            s->weighed[n] += clock_seconds() - begun;
        }
        return PAV_OK;
    }
    if (overlaps && !s->leaders.team && !split_is_awaited(s)) {
        TRY(compute_during_exchange(s, args, s->share, s->inside));
        split_note(s, before);
        return PAV_OK;
    }
    TRY(split_arrive(s));
    if (overlaps)
        split_note(s, before);
    TRY(take_turns(s, args, true));
    return take_turns(s, args, false);
}

static pav_status reduce(split *s, const interp_args *args)
{
    TRY(split_arrive(s));
    const box *b = &args->box;
    OWNED_NEW(reducing, r, 1);
    *r = (reducing){.s = s,
                    .args = args,
                    .lines = (b->hi[1] - b->lo[1]) * (b->hi[2] - b->lo[2]),
                    .reductions = ir_reductions(args->stage)};
    if (!find_nodes(r, 0, tree_size(b)))
        return FAIL(PAV_ELIMIT, "a reduction over a grid in more than %d pieces along x",
                    MOST_NODES);
    const int64_t count = r->reductions * r->lines;
    OWNED_NEW(double, value, count * r->nodes);
    OWNED_NEW(double, rows, (s->leaders.team ? s->leaders.groups : 1) * count);
    r->value = value;
    r->rows = rows;
    for (r->at = 0; r->at < r->nodes; r->at++)
        TRY(work_on_all(r->s, reduce_share, r->args->uniform, r));
    TRY(ranks_or(r->s->whole->ranks, (uint64_t *)(void *)r->value,
                 r->nodes * r->reductions * r->lines));
    int64_t number = 0;
    for (const ir_output *o = NULL; (o = ir_next_output(r->args->stage, o));)
        if (o->kind == IR_REDUCE)
            r->args->uniform[o->uniform] = reduce_all(r, o->reduction, number++);
    return PAV_OK;
}

/* Runs an ordered stage on one row of subdomains after the other. Each row refreshes its
 * halo of the values just computed by the row before. */
static pav_status stage_in_turn(executor *self, const interp_args *args)
{
    const split *s = (const split *)self;
    const int along = args->stage->along, axis = abs(along) - 1;
    interp_args part = *args;
    int64_t at = along > 0 ? args->box.lo[axis] : args->box.hi[axis];

    while (along > 0 ? at < args->box.hi[axis] : at > args->box.lo[axis]) {
        const box *own = NULL;
        for (int64_t n = 0; n < s->whole->inners; n++) {
            const box *b = &s->whole->inner[n].grid[args->stage->coarse].box;
            if (along > 0 ? b->lo[axis] <= at && at < b->hi[axis]
                          : b->lo[axis] < at && at <= b->hi[axis])
                own = b;
        }
        assert(own); /* subdomains cover the grid */
        part.box.lo[axis] = along > 0 ? at
                                      : int64_most(own->lo[axis], args->box.lo[axis]);
        part.box.hi[axis] = along > 0 ? int64_least(own->hi[axis], args->box.hi[axis])
                                      : at;
        TRY(split_stage(self, &part));
        at = along > 0 ? part.box.hi[axis] : part.box.lo[axis];
    }
    return PAV_OK;
}

/* True if an ordered stage crosses a seam. */
static bool crosses_seam(const split *s, const interp_args *args)
{
    const int axis = abs(args->stage->along) - 1;
    int64_t met = 0;

    for (int64_t n = 0; axis >= 0 && n < s->whole->inners; n++) {
        const subdomain_grid *g = &s->whole->inner[n].grid[args->stage->coarse];
        met += g->box.lo[axis] > args->box.lo[axis] &&
               g->box.lo[axis] < args->box.hi[axis];
    }
    return met > 0;
}

static bool is_of_all(const interp_args *args)
{
    return box_is_inside(ir_stage_box(args->code, args->stage), args->box);
}

static void split_stored(split *s, const interp_args *args, const halo_depth *extra)
{
    if (!s->whole->wide || !is_of_all(args))
        return;
    for (const ir_output *o = NULL; (o = ir_next_store(args->stage, o));) {
        const halo_depth room = subdomain_depth(s->whole, o->field);
        assert(halo_is_within(extra, &room)); /* valid points need memory */
        s->level[o->field][split_buffer(s, o->field, args->view[o->field][1 - o->level])]
            .good = *extra;
    }
}

pav_status split_stage(executor *self, const interp_args *args)
{
    split *s = (split *)self;
    if (box_is_empty(&args->box) || ir_is_uniform(args->stage))
        return interp_stage(args);
    if (crosses_seam(s, args))
        return args->stage->transform ? split_transform(s, args)
                                      : stage_in_turn(self, args);
    const halo_depth none = {{{0}}};

    const halo_depth extra = s->whole->wide ? wide_halo_extra(s->whole->wide, args->code,
                                                              s->left, args->stage)
                                            : none;
    const double before = s->cost.seconds;
    TRY(split_refresh_begin(s, args, &extra));
    assert(split_finds_halos(s, args, &extra));
    /* The subdomains now own the newest outputs; halos beyond seams are stale. */
    for (const ir_output *o = NULL; (o = ir_next_store(args->stage, o));) {
        const int64_t buffer = split_buffer(s, o->field,
                                            args->view[o->field][1 - o->level]);
        TRY(split_on_parts(s, o->field, buffer, true));
        split_is_stale(&s->level[o->field][buffer]);
    }
    TRY(ir_reductions(args->stage) > 0 ? reduce(s, args)
                                       : take_shares(s, args, &extra, before));
    split_stored(s, args, &extra);
    return PAV_OK;
}

/* ---- fused launches ---------------------------------------------------------------- */

/* Fused launches on GPUs within each subdomain. A launch reads some planes around its
 * stored planes, along the cut axis. If further launches follow before halos are
 * exchanged, it also stores planes of the neighbours, bitwise identical to theirs. */

/* Depth beyond seams needed by some launches. */
static halo_depth depth_of(const split_fused *how, int launches)
{
    halo_depth d = {{{0}}};
    d.side[how->axis][0] = d.side[how->axis][1] = launches * how->around;
    return d;
}

static pav_status end_steps(split *s, const split_fused *how)
{
    const halo_depth good = depth_of(how, how->left);
    subdomain *whole = s->whole;
    subdomain_turn(whole);
    for (int64_t n = 0; n < whole->inners; n++)
        subdomain_turn(&whole->inner[n]);
    for (int64_t f = 0; f < s->whole->code->fields; f++) {
        const ir_field *field = &s->whole->code->field[f];
        for (int age = 0; field->updated && age < ir_kept_levels(field); age++) {
            split_level *l = &s->level[f][split_buffer(s, f, s->whole->view[f][1 + age])];
            *l = (split_level){.parts_are_new = true, .stale = true, .good = good};
        }
    }
    subdomain_set_step(whole, whole->step + how->steps);
    TRY(subdomain_keep_borders(whole));
    s->left = 0;
    TRY(whole->executor->ops.end_step(whole->executor));
    s->behind = true;
    return PAV_OK;
}

pav_status exec_split_fused(subdomain *whole, const split_fused *how)
{
    split *s = (split *)whole->executor;
    const halo_depth needed = depth_of(how, how->left + 1);
    assert(split_is_in_step(s) && how->steps > 0);
    TRY(split_refresh_all(s, &needed));
    for (int64_t n = 0; n < whole->inners; n++) {
        /* Points of subdomain n, and points of its neighbours for the next launches. */
        const subdomain_grid *g = s->whole->inner[n].grid;
        const int more = how->left * how->around;
        const int64_t end = points_along(s->whole->code, how->axis, false);
        const int64_t lo = g->box.lo[how->axis] - (g->seam[how->axis][0] ? more : 0);
        const box where = box_along(
            g->box, how->axis, int64_most(lo, 0),
            int64_least(g->box.hi[how->axis] + (g->seam[how->axis][1] ? more : 0), end));
        /* launches store all points of the part */
        assert(how->left >= 0 && box_is_inside(g->box, where));
        if (!whole->inner[n].executor->absent)
            TRY(how->launch(how->user, n, &where));
    }
    return end_steps(s, how);
}

/* ---- time blocks ------------------------------------------------------------------- */

/* Temporal blocking within each subdomain on processors. First an exchange brings
 * halos deep enough for all steps of a block. Each subdomain then computes the same
 * points as single steps would, including points of its neighbours. */

pav_status exec_split_block_begin(subdomain *whole)
{
    return split_refresh_all((split *)whole->executor, NULL);
}

box exec_split_share(const subdomain *whole, int64_t n, const ir_stage *stage, int left)
{
    const interp_args args = {
        .code = whole->code, .stage = stage, .box = ir_stage_box(whole->code, stage)};
    const halo_depth extra = wide_halo_extra(whole->wide, whole->code, left, stage);
    return wide_share((const split *)whole->executor, n, &args, &extra);
}

/* ---- work of all subdomains -------------------------------------------------------- */

typedef struct one_each {
    split_work *work;
    void *user;
} one_each;

static pav_status lead_one(split *s, int64_t n, int group, double *uniform, void *user)
{
    const one_each *e = user;
    (void)group, (void)uniform;
    return s->whole->inner[n].executor->absent ? PAV_OK : e->work(e->user, n);
}

pav_status exec_split_each(subdomain *whole, split_work *work, void *user)
{
    one_each e = {work, user};
    return work_on_all((split *)whole->executor, lead_one, NULL, &e);
}

/* ---- the end of a block ------------------------------------------------------------ */

/* Marks the newest levels of a field, after the rotation, as computed by a time block. */
static void note_block(split *s, int64_t field, int steps)
{
    const levels *l = &s->whole->field[field];
    for (int age = 0; age < steps && age < l->count; age++) {
        split_level *own = &s->level[field][split_buffer(s, field, levels_view(l, -age))];
        *own = (split_level){.parts_are_new = true};
        split_is_stale(own);
    }
}

pav_status exec_split_block_end(subdomain *whole, int steps)
{
    split *s = (split *)whole->executor;
    const ir *code = whole->code;
    /* The last exchange covered at least these steps. */
    assert(steps > 0 && steps <= wide_halo_steps(whole->wide));
    for (int n = 0; n < steps; n++)
        subdomain_rotate(whole);
    for (int64_t k = 0; k < code->step.count; k++)
        for (const ir_output *o = NULL;
             (o = ir_next_store(&code->stage[code->step.stage[k]], o));)
            note_block(s, o->field, steps);
    for (int64_t k = 0; k < code->injections.count; k++)
        note_block(s, code->injections.item[k].field, steps);
    s->left = 0;
    s->behind = false;
    subdomain_set_step(whole, whole->step + steps);
    assert(split_is_in_step(s));
    return PAV_OK;
}
