/* SPDX-License-Identifier: BSD-3-Clause */
/* With wide halos: depth beyond seams to which the points of a level are valid copies of
 * the neighbours' points, computed again. */
#include <assert.h>

#include "exec/split/split_private.h"

void split_is_stale(split_level *l)
{
    l->stale = true;
    l->from = 0;
    l->good = (halo_depth){{{0}}};
}

void split_is_fresh(const split *s, int64_t field, split_level *l)
{
    l->stale = false;
    l->good = subdomain_depth(s->whole, field);
}

bool halo_is_within(const halo_depth *d, const halo_depth *room)
{
    bool within = true;
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++)
            within = within && d->side[axis][side] <= room->side[axis][side];
    return within;
}

void split_limit(halo_depth *d, halo_depth other)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++)
            if (d->side[axis][side] > other.side[axis][side])
                d->side[axis][side] = other.side[axis][side];
}

/* ---- loads ------------------------------------------------------------------------- */

/* True if all points read by a load are valid, with its stage computed to depth `extra`
 * beyond seams. */
bool split_is_good(const split *s, const ir_node *n, const view *v,
                   const halo_depth *extra)
{
    const split_level *l = &s->level[n->field][split_buffer(s, n->field, v)];
    bool good = s->whole->wide && l->parts_are_new;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int reach[2] = {0, 0};
        halo_reach(n, axis, reach);
        for (int side = 0; side < 2 && split_is_cut(s, axis); side++)
            good = good &&
                   l->good.side[axis][side] >= extra->side[axis][side] + reach[side];
    }
    return good;
}

bool split_finds_halos(const split *s, const interp_args *args, const halo_depth *extra)
{
    for (int64_t k = 0; k < args->stage->count; k++) {
        const ir_node *n = &args->stage->node[k];
        const view *v = n->op == IR_LOAD ? args->view[n->field][1 - n->level] : NULL;
        const split_level *l = v ? &s->level[n->field][split_buffer(s, n->field, v)]
                                 : NULL;
        bool beyond = false;
        for (int axis = 0; axis < MAX_DIM; axis++)
            beyond = beyond || (split_is_cut(s, axis) && n->offset[axis] != 0);
        if (v && (!l->parts_are_new ||
                  (s->whole->wide ? !split_is_good(s, n, v, extra) : beyond && l->stale)))
            return false;
    }
    return true;
}

/* Depth 0 for a stage that belongs to no step. */
halo_depth split_extra_of(const split *s, const interp_args *args)
{
    const halo_depth none = {{{0}}};
    return s->whole->wide
               ? wide_halo_extra(s->whole->wide, args->code, s->left, args->stage)
               : none;
}

/* ---- shares ------------------------------------------------------------------------ */

/* The share grows beyond seams between subdomains, and seams around the grid. */
box split_wide_share(const split *s, int64_t n, const interp_args *args,
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

static bool is_of_all(const interp_args *args)
{
    const box all = ir_stage_box(args->code, args->stage);
    return box_is_inside(&all, &args->box);
}

void split_stored(split *s, const interp_args *args, const halo_depth *extra)
{
    for (int64_t k = 0; s->whole->wide && k < args->stage->outputs; k++) {
        const ir_output *o = &args->stage->output[k];
        const view *v = o->kind == IR_STORE ? args->view[o->field][1 - o->level] : NULL;
        if (!v || !is_of_all(args))
            continue;
        const halo_depth room = subdomain_depth(s->whole, o->field);
        assert(halo_is_within(extra, &room)); /* valid points need memory */
        s->level[o->field][split_buffer(s, o->field, v)].good = *extra;
    }
}

/* ---- borders and injections -------------------------------------------------------- */

/* A view that includes the points beyond seams. */
static view widened(const subdomain *inner, int field, const view *v)
{
    view w = *v;
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++) {
            if (!subdomain_is_seam(inner, field, axis, side))
                continue;
            w.first[axis] -= side ? 0 : v->halo[axis][0];
            w.extent[axis] += v->halo[axis][side];
            w.halo[axis][side] = 0;
        }
    return w;
}

/* Fills ghosts beyond outer faces, also next to points beyond seams. */
pav_status split_fill_wide(split *s, int field, int64_t buffer, int axis)
{
    for (int64_t n = 0; n < s->whole->inners; n++) {
        subdomain *inner = &s->whole->inner[n];
        view *level = &inner->field[field].level[buffer];
        const view own = *level;
        *level = widened(inner, field, level);
        const pav_status status = inner->executor->ops.fill_axes(inner->executor, field,
                                                                 level, axis, axis + 1);
        *level = own;
        TRY(status);
    }
    return PAV_OK;
}

/* Ghosts computed from other fields inherit the smallest valid depth of these fields. */
void split_bordered(split *s, int field, int64_t buffer)
{
    const ir *code = s->whole->code;
    split_level *l = &s->level[field][buffer];
    l->stale = true;
    l->from = 0;
    for (int face = 0; face < 2 * code->dim; face++) {
        const int stage = code->field[field].border[face / 2][face % 2].stage;
        for (int64_t k = 0; stage >= 0 && k < code->stage[stage].count; k++) {
            const ir_node *n = &code->stage[stage].node[k];
            const view *v = n->op == IR_LOAD && n->field != field
                                ? s->whole->view[n->field][1 - n->level]
                                : NULL;
            if (v)
                split_limit(&l->good,
                            s->level[n->field][split_buffer(s, n->field, v)].good);
        }
    }
}

/* Sources beyond seams were added, too. The result is valid if all points read there are
 * valid. */
void split_injected(split *s, int64_t index, int64_t buffer, const interp_args *args)
{
    const int field = args->code->injections.item[index].field;
    split_level *l = &s->level[field][buffer];
    halo_depth good = l->good;
    if (s->whole->wide)
        split_limit(&good, wide_halo_injected(s->whole->wide, index));
    for (int64_t k = 0; k < args->stage->count; k++) {
        const ir_node *n = &args->stage->node[k];
        const view *v = n->op == IR_LOAD ? args->view[n->field][1 - n->level] : NULL;
        if (v && !split_is_good(s, n, v, &good))
            good = (halo_depth){{{0}}};
    }
    l->stale = true;
    l->from = 0;
    l->good = good;
}
