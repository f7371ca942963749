/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches on GPUs within each subdomain. A launch reads some planes around its
 * stored planes, along the cut axis. If further launches follow before halos are
 * exchanged, it also stores planes of the neighbours, bitwise identical to theirs. */
#include <assert.h>

#include "exec/split/split_private.h"

/* Depth beyond seams needed by some launches. */
static halo_depth depth_of(const split_fused *how, int launches)
{
    halo_depth d = {{{0}}};
    d.side[how->axis][0] = d.side[how->axis][1] = launches * how->around;
    return d;
}

/* Points of subdomain n, and points of its neighbours for the next launches. */
static box stored_box(const split *s, int64_t n, const split_fused *how)
{
    const subdomain_grid *g = s->whole->inner[n].grid;
    const int more = how->left * how->around;
    const int64_t end = points_along(s->whole->code, how->axis, false);
    box b = g->box;
    b.lo[how->axis] -= g->seam[how->axis][0] ? more : 0;
    b.hi[how->axis] += g->seam[how->axis][1] ? more : 0;
    b.lo[how->axis] = b.lo[how->axis] < 0 ? 0 : b.lo[how->axis];
    b.hi[how->axis] = b.hi[how->axis] > end ? end : b.hi[how->axis];
    assert(how->left >= 0 && box_is_inside(&g->box, &b));
    return b;
}

/* One rotation for each level kept: the oldest level is not kept. */
static void turn_levels(subdomain *part)
{
    for (int64_t f = 0; f < part->code->fields; f++)
        for (int n = 1; n < part->code->field[f].levels && part->code->field[f].updated;
             n++)
            levels_rotate(&part->field[f]);
    subdomain_refresh_views(part);
}

static void note_stored(split *s, const halo_depth *good)
{
    for (int64_t f = 0; f < s->whole->code->fields; f++) {
        const ir_field *field = &s->whole->code->field[f];
        for (int age = 0; age + 1 < field->levels && field->updated; age++) {
            const view *v = s->whole->view[f][1 + age];
            split_level *l = &s->level[f][split_buffer(s, f, v)];
            *l = (split_level){.parts_are_new = true, .stale = true, .good = *good};
        }
    }
}

static pav_status fill_borders(subdomain *whole)
{
    for (int f = 0; f < whole->code->fields; f++)
        for (int age = 0; age + 1 < whole->code->field[f].levels; age++)
            if (whole->code->field[f].updated)
                TRY(subdomain_keep_border(whole, f, -age, whole->step - age));
    TRY(whole->executor->ops.end_borders(whole->executor));
    subdomain_set_time(whole, whole->step);
    return PAV_OK;
}

static pav_status end_steps(split *s, const split_fused *how)
{
    const halo_depth good = depth_of(how, how->left);
    subdomain *whole = s->whole;
    turn_levels(whole);
    for (int64_t n = 0; n < whole->inners; n++)
        turn_levels(&whole->inner[n]);
    note_stored(s, &good);
    subdomain_set_step(whole, whole->step + how->steps);
    TRY(fill_borders(whole));
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
        const box where = stored_box(s, n, how);
        if (!whole->inner[n].executor->absent)
            TRY(how->launch(how->user, n, &where));
    }
    return end_steps(s, how);
}
