/* SPDX-License-Identifier: BSD-3-Clause */
/* If the device's memory holds most of the grid, its first planes are resident from block
 * to block, and only the others move. The resident planes lie before the window's. Each
 * level is one array with both while the window stands at their end, so visits and
 * launches need no special case. The store gets them back before anybody reads it. */
#include "run/outofcore/outofcore_private.h"

/* A block must leave its results in the place of the next block's input. */
bool outofcore_may_be_resident(const outofcore *o)
{
    const outofcore_request *r = &o->requested;
    return !r->single && !r->again && !r->unshifted && !o->disk && !o->why_stages[0] &&
           o->windows == 1 && o->unit == 1 && !outofcore_has_tiles(o) &&
           !o->state.blocking.periodic[o->axis];
}

pav_status outofcore_resident_open(const pav_run *run)
{
    outofcore *o = run->outofcore;
    if (o->stay == 0)
        return PAV_OK;
    o->newest = mem_new(run->code->fields + 1, sizeof *o->newest);
    return o->newest ? PAV_OK : PAV_ENOMEM;
}

/* The first plane to upload. The first block uploads the resident planes, and so does the
 * first block after the caller has changed the store. */
int64_t outofcore_resident_from(const outofcore_block *b, int64_t lo)
{
    return b->o->stay > 0 && !b->o->stays ? -b->o->halo : lo;
}

/* Copies the resident planes to the store; they begin the window's memory. */
pav_status outofcore_resident_back(outofcore_block *b)
{
    const outofcore_window at = b->at;
    if (b->o->stay == 0)
        return PAV_OK;
    b->at.lo = outofcore_resident_end(b->o);
    outofcore_place(b, false);
    const pav_status status = outofcore_move_planes(b, -b->o->halo, b->at.lo, TO_STORE,
                                                    false, true);
    b->at = at;
    b->o->stale = false;
    return status;
}

/* After a block, the resident planes belong to its last step. */
void outofcore_resident_note(const outofcore_block *b)
{
    outofcore *o = b->o;
    const int singles = b->steps - b->launches * o->depth;
    for (int f = 0; f < b->run->code->fields && o->stay > 0; f++)
        o->newest[f] = outofcore_newest(b, f, b->launches, singles);
    o->stays = o->stay > 0;
    o->stale = o->stays && !b->whole;
}

/* Called if an unexpected observer reads the store between blocks. */
pav_status outofcore_settle(pav_run *run)
{
    outofcore *o = run->outofcore;
    if (!o || !o->stale)
        return PAV_OK;
    outofcore_block none = {.run = run, .o = o, .window = o->window, .visit = 1};
    TRY(outofcore_exchanged(&none));
    outofcore_turn(&none, 0, 0);
    return outofcore_resident_back(&none);
}

/* ---- coefficients ------------------------------------------------------------------ */

/* Coefficients that fit next to the window are on the device whole. They are uploaded
 * before the first block, and again only after the caller has changed them. */
bool outofcore_is_whole(const outofcore *o, const ir_field *f)
{
    return o->sent_once && !f->updated && !f->shared && !f->memory && !f->coarse;
}

static pav_status send(outofcore_block *b, int field)
{
    executor *e = b->window->executor;
    const levels *store = &b->run->part->field[field];
    levels *there = &b->window->field[field];
    for (int n = 0; n < store->count; n++) {
        const box all = view_window(&store->level[n]);
        TRY(subdomain_ask(b->run->part, field, &store->level[n], HOST_READ, NULL));
        TRY(e->ops.from_host(e, field, &there->level[n], &all, &store->level[n]));
        b->run->outofcore->sent += box_points(&all) *
                                   (int64_t)pav_type_size(store->level[n].type);
    }
    return PAV_OK;
}

pav_status outofcore_send_whole(outofcore_block *b)
{
    if (!b->o->sent_once || b->o->are_there)
        return PAV_OK;
    for (int f = 0; f < b->run->code->fields; f++)
        if (outofcore_is_whole(b->o, &b->run->code->field[f]))
            TRY(send(b, f));
    b->o->are_there = true;
    return PAV_OK;
}
