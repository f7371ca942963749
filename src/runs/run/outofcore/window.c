/* SPDX-License-Identifier: BSD-3-Clause */
/* The window of a run out of core: its position along its axis, its number of planes and
 * bytes, the buffers of a step's levels in the window and in the store, and the levels
 * that move between them. */
#include <assert.h>

#include "run/outofcore/outofcore_private.h"

/* ---- position and planes ----------------------------------------------------------- */

int64_t outofcore_stages_of(const outofcore *o)
{
    const ir_blocking *b = &o->state.blocking;
    int64_t count = 0;
    for (int64_t k = 0; k < b->operations; k++)
        count += b->operation[k].kind == OPERATION_STAGE;
    return count;
}

int outofcore_launches(const outofcore *o, int steps, bool whole)
{
    return o->launch.depth > 1 ? (steps - whole) / o->launch.depth : 0;
}

/* The shift of a step after fused launches, or of the launch that begins with it. */
static int64_t shift_of(const outofcore *o, int step, int launches)
{
    return (o->launch.depth > 1 ? o->begin : 0) + launches * o->launch.radius +
           (step - launches * o->launch.depth) * (int64_t)o->state.blocking.skew[o->axis];
}

/* For mm: the planes that an operation computes less than the first one, on either side,
 * after `launches` launches and `stages` stages. */
static int64_t less_of(const outofcore *o, int64_t launches, int64_t stages)
{
    return launches > 0 ? (launches - 1) * o->launch.radius + (stages + 1) * o->halo
                        : stages * o->halo;
}

int64_t outofcore_shift(const outofcore *o, const ir_operation *what, int step,
                        int launches, int64_t before)
{
    if (!o->requested.again)
        return shift_of(o, step, launches) + (what ? what->skew[o->axis] : 0);
    if (!what)
        return launches * o->launch.radius;
    const int64_t last = what->kind == OPERATION_STAGE ? before : before - 1;
    return less_of(o, launches, last > 0 ? last : 0);
}

/* For mm: the planes missing after the last step. Ghosts are copies of points this far
 * inside. */
static int64_t most_planes_missing(const outofcore *o, int steps, bool whole)
{
    const int launches = outofcore_launches(o, steps, whole);
    return less_of(o, launches,
                   (steps - launches * o->launch.depth) * outofcore_stages_of(o));
}

int64_t outofcore_most_shift(const outofcore *o, int steps)
{
    if (o->requested.again)
        return int64_most(most_planes_missing(o, steps, true),
                          most_planes_missing(o, steps, false));
    return shift_of(o, steps - 1, outofcore_launches(o, steps, true)) +
           time_skew_within(&o->state.blocking, o->axis);
}

/* All resident planes lie within two visits, which read no planes behind them. During
 * these visits the last planes of the block before go back, and then planes for the third
 * visit come. */
static int64_t first_of(const outofcore *o, int64_t width)
{
    const int64_t wider = outofcore_resident_end(o) - 2 * width - outofcore_reach(o);
    return wider > 0 ? wider : 0;
}

time_axis outofcore_axis(const outofcore *o, int steps)
{
    const int64_t most = outofcore_most_shift(o, steps);
    const int64_t first = o->requested.again ? 0 : first_of(o, o->width);
    time_axis a = time_axis_of(o->extent - first, o->width,
                               o->state.blocking.periodic[o->axis],
                               o->requested.again ? 0 : most);
    a.extent = o->extent;
    a.first = first;
    a.overlap = o->requested.again ? most : 0; /* visits compute it again */
    return a;
}

/* Planes beyond an operation's own: it reads them, or its ghosts are copies of them. */
int64_t outofcore_reach(const outofcore *o)
{
    const int64_t launch = o->launch.depth > 1 ? o->launch.radius + o->halo : 0;
    return launch > 2 * o->halo ? launch : 2 * o->halo;
}

int64_t outofcore_resident_end(const outofcore *o)
{
    return o->stay > 0 ? o->stay - o->halo : -o->halo - o->unit;
}

static outofcore_window window_of(const outofcore *o, const time_axis *a, int64_t most,
                                  int64_t k)
{
    const bool is_last = k + 1 == a->tiles;
    const int64_t stay = outofcore_resident_end(o), reach = outofcore_reach(o);
    const int64_t last = o->extent + o->halo;
    const int64_t from = a->first + k * a->width - most - reach;
    const int64_t lo = k == 0 || from < -o->halo ? -o->halo : from;
    const int64_t hi = a->first + (k + 1) * a->width + a->overlap + reach;
    return (outofcore_window){
        .lo = int64_most(lo - ((lo % o->unit) + o->unit) % o->unit, stay),
        .hi = int64_most(is_last || hi > last ? last : hi, stay),
        .wrapped = a->periodic && a->tiles > 1 && is_last ? most + reach : 0};
}

/* Resident planes lie before the moving ones. */
int64_t outofcore_first(const outofcore_block *b)
{
    return b->at.lo - b->o->stay;
}

outofcore_window outofcore_window_of(const outofcore *o, int steps, int64_t k)
{
    const time_axis a = outofcore_axis(o, steps);
    return window_of(o, &a, outofcore_most_shift(o, steps), k);
}

/* On a periodic axis, the first and the last visit have no common planes, except the
 * repeated ones. */
bool outofcore_is_wide_enough(const outofcore *o, int steps, int64_t width)
{
    const int64_t most = outofcore_most_shift(o, steps);
    if (width < 1 || width > o->extent)
        return false;
    return !o->state.blocking.periodic[o->axis] || width == o->extent ||
           (width > 2 * (most + outofcore_reach(o)) && o->extent / width > 1);
}

/* Planes of visit k, with the planes uploaded during it for the next visit. */
static int64_t planes_of(const outofcore *o, const time_axis *a, int64_t most, int64_t k,
                         bool overlaps)
{
    const outofcore_window w = window_of(o, a, most, k);
    const int64_t own = w.hi - w.lo + (w.wrapped ? w.wrapped + o->halo : 0);
    if (!overlaps || k + 1 >= a->tiles)
        return own;
    const outofcore_window next = window_of(o, a, most, k + 1);
    return next.wrapped ? own : int64_most(own, next.hi - w.lo);
}

/* The most planes left behind by visit k. A shorter block has a smaller skew and leaves
 * more planes; rounding may change this order, so all lengths are tried. */
static int64_t most_planes_left(const outofcore *o, const time_axis *a, int steps,
                                int64_t k)
{
    int64_t left = 0;
    for (int n = 1; n <= (o->unit > 1 ? steps : 1); n++) {
        const int64_t most = outofcore_most_shift(o, n);
        left = int64_most(left,
                          window_of(o, a, most, k + 1).lo - window_of(o, a, most, k).lo);
    }
    return left;
}

int64_t outofcore_planes(const outofcore *o, int steps, int64_t width, bool overlaps,
                         int64_t *out)
{
    const int64_t most = outofcore_most_shift(o, steps);
    outofcore with = *o;
    int64_t planes = 0, left = 0;
    with.width = width;
    if (!outofcore_is_wide_enough(o, steps, width))
        return 0;
    const time_axis a = outofcore_axis(&with, steps);
    for (int64_t k = 0; k < a.tiles; k++) {
        planes = int64_most(planes, planes_of(&with, &a, most, k, overlaps));
        if (overlaps && k + 1 < a.tiles)
            left = int64_most(left, most_planes_left(&with, &a, steps, k));
    }
    *out = planes;
    return o->stay + planes + left + (o->launch.depth > 1 ? o->launch.ahead : 0) +
           (o->requested.unshifted ? most : 0);
}

/* ---- planes in memory -------------------------------------------------------------- */

char *outofcore_plane_at(const outofcore *o, const view *v, int64_t plane)
{
    const box all = view_window(v);
    int64_t at[MAX_DIM] = {all.lo[0], all.lo[1], all.lo[2]};
    at[o->axis] = plane;
    return view_at(v, at[0], at[1], at[2]);
}

/* ---- of the window ----------------------------------------------------------------- */

/* The newest buffer of the store once the blocks before this one are over. */
static int newest_of(const outofcore_block *b, int field)
{
    const levels *store = &b->run->part->field[field];
    return (int)((store->newest + store->count -
                  (b->run->code->field[field].updated ? b->ahead : 0) % store->count) %
                 store->count);
}

/* If the window has more buffers than the store, each block begins with buffer 0, unless
 * resident planes fix the buffer. */
int outofcore_newest(const outofcore_block *b, int field, int launches, int singles)
{
    const ir_field *f = &b->run->code->field[field];
    const levels *l = &b->window->field[field], *store = &b->run->part->field[field];
    const int first = b->o->stay > 0             ? b->o->newest[field]
                      : l->count == store->count ? newest_of(b, field)
                                                 : 0;
    const int turns = f->updated ? launches * ir_kept_levels(f) + singles : 0;
    return (first + l->count - turns % l->count) % l->count;
}

void outofcore_turn(const outofcore_block *b, int launches, int singles)
{
    assert(launches >= 0 && singles >= 0); /* turns count from the block's begin */
    assert(launches * b->o->launch.depth + singles <= b->steps); /* within the block */
    for (int f = 0; f < b->run->code->fields; f++)
        b->window->field[f].newest = outofcore_newest(b, f, launches, singles);
    subdomain_refresh_views(b->window);
}

/* ---- between the store and the window ---------------------------------------------- */

/* A block does not read the oldest level, because its first step overwrites this buffer.
 * The next block does not read it either if it follows at once. all: unread levels,
 * too. */
bool outofcore_moves(const outofcore_block *b, int field, int level, int where, bool all)
{
    const ir_field *f = &b->run->code->field[field];
    if (f->memory || outofcore_is_whole(b->o, f) ||
        (where == TO_STORE && !f->updated && !f->shared))
        return false;
    return all || (where == TO_STORE && b->whole) || level < ir_kept_levels(f);
}

static int buffer_of(const levels *l, int newest, int level)
{
    return (newest + 1 + level) % l->count;
}

const view *outofcore_in_window(const outofcore_block *b, int field, int level, int where)
{
    const bool turned = where != TO_DEVICE;
    const int launches = turned ? b->launches : 0;
    const int singles = turned ? b->steps - launches * b->o->launch.depth : 0;
    const levels *l = &b->window->field[field];
    return &l->level[buffer_of(l, outofcore_newest(b, field, launches, singles), level)];
}

int outofcore_store_buffer(const outofcore_block *b, int field, int level, int where)
{
    const levels *l = &b->run->part->field[field];
    const int turned = where != TO_DEVICE && b->run->code->field[field].updated
                           ? b->steps % l->count
                           : 0;
    return buffer_of(l, newest_of(b, field) + l->count - turned, level);
}

/* ---- memory ------------------------------------------------------------------------ */

field_shape outofcore_shape_of(const pav_run *run, const ir_field *f, int64_t planes)
{
    const int axis = run->outofcore->axis;
    field_shape shape = run_shape_of(run, f);
    shape.count = outofcore_buffers(run, f);
    if (outofcore_is_whole(run->outofcore, f))
        return shape;
    shape.extent[axis] = f->coarse ? 1 : planes; /* visits skip coarse fields */
    shape.halo[axis][0] = shape.halo[axis][1] = 0;
    return shape;
}

bool outofcore_bytes(const pav_run *run, int64_t planes, int64_t *bytes)
{
    const int64_t others = run_uses_device_memory(run)
                               ? subdomain_table_bytes(run->code) +
                                     place_reduction_bytes(run_place(run), run->code)
                               : 0;
    return run_fields_bytes(run, outofcore_shape_of, planes, bytes) &&
           add_fits(*bytes, others, bytes);
}

/* 0: not even one plane fits. */
int64_t outofcore_most_planes(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    return run_most_planes(run, outofcore_bytes, 4 * (o->extent + 2 * o->halo + o->unit),
                           o->limit);
}
