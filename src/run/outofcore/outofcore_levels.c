/* SPDX-License-Identifier: BSD-3-Clause */
/* The buffers of a step's levels in the window and in the store, the levels that move
 * between them, and the bytes of a window. */
#include <assert.h>

#include "run/outofcore/outofcore_private.h"

/* ---- of the window ----------------------------------------------------------------- */

/* The newest buffer of the store once the blocks before this one are over. */
static int newest_of(const outofcore_block *b, int field)
{
    const levels *store = &b->run->part->field[field];
    const int64_t turns = b->run->code->field[field].updated ? b->ahead : 0;
    return (int)((store->newest + store->count - turns % store->count) % store->count);
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
    const int turns = f->updated ? launches * (f->levels - 1) + singles : 0;
    return (first + l->count - turns % l->count) % l->count;
}

void outofcore_turn(const outofcore_block *b, int launches, int singles)
{
    assert(launches >= 0 && singles >= 0);
    assert(launches * b->o->depth + singles <= b->steps); /* within the block */
    for (int f = 0; f < b->run->code->fields; f++)
        b->window->field[f].newest = outofcore_newest(b, f, launches, singles);
    subdomain_refresh_views(b->window);
}

/* ---- between the store and the window ---------------------------------------------- */

/* A block does not read the oldest level, because its first step overwrites this buffer.
 * The next block does not read it either if it follows at once. */
static bool is_read(const outofcore_block *b, int field, int level, int where)
{
    const ir_field *f = &b->run->code->field[field];
    return f->levels == 1 || !f->updated || f->shared ||
           (where == TO_STORE && b->whole) || level + 1 < f->levels;
}

/* all: unread levels, too. */
bool outofcore_moves(const outofcore_block *b, int field, int level, int where, bool all)
{
    const ir_field *f = &b->run->code->field[field];
    if (f->memory || outofcore_is_whole(b->o, f) ||
        (where == TO_STORE && !f->updated && !f->shared))
        return false;
    return all || is_read(b, field, level, where);
}

static int buffer_of(const levels *l, int newest, int level)
{
    return l->count == 1 ? 0 : (newest + 1 + level) % l->count;
}

const view *outofcore_in_window(const outofcore_block *b, int field, int level, int where)
{
    const bool turned = where != TO_DEVICE;
    const int launches = turned ? b->launches : 0;
    const int singles = turned ? b->steps - launches * b->o->depth : 0;
    const levels *l = &b->window->field[field];
    return &l->level[buffer_of(l, outofcore_newest(b, field, launches, singles), level)];
}

int outofcore_store_buffer(const outofcore_block *b, int field, int level, int where)
{
    const levels *l = &b->run->part->field[field];
    const bool turns = where != TO_DEVICE && b->run->code->field[field].updated;
    const int turned = turns ? b->steps % l->count : 0;
    return buffer_of(l, newest_of(b, field) + l->count - turned, level);
}

const view *outofcore_in_store(const outofcore_block *b, int field, int level, int where)
{
    return &b->run->part->field[field]
                .level[outofcore_store_buffer(b, field, level, where)];
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

bool outofcore_window_bytes(const pav_run *run, int64_t *planes, int64_t *bytes)
{
    *planes = run->outofcore->planes;
    return run_fields_bytes(run, outofcore_shape_of, *planes, bytes);
}

/* 0: not even one plane fits. */
int64_t outofcore_most_planes(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    const int64_t all = 4 * (o->extent + 2 * o->halo + o->unit);
    return run_most_planes(run, outofcore_bytes, all, o->limit);
}
