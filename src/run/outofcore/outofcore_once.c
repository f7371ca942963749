/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients that fit next to the window are on the device whole: they are sent before
 * the first block, and again only after the caller has changed them. */
#include "run/outofcore/outofcore_private.h"

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
