/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a stage over a box of the whole: every subdomain computes its share. */
#include <assert.h>

#include "exec/split/split_private.h"

/* The subdomains now own the newest outputs; halos beyond seams are stale. */
static pav_status claim_stored(split *s, const interp_args *args)
{
    for (int64_t k = 0; k < args->stage->outputs; k++) {
        const ir_output *o = &args->stage->output[k];
        const view *v = o->kind == IR_STORE ? args->view[o->field][1 - o->level] : NULL;
        if (!v)
            continue;
        const int64_t buffer = split_buffer(s, o->field, v);
        TRY(split_on_parts(s, o->field, buffer, true));
        split_is_stale(&s->level[o->field][buffer]);
    }
    return PAV_OK;
}

box split_share_of(const split *s, int64_t n, const interp_args *args,
                   const halo_depth *extra)
{
    return s->whole->wide ? split_wide_share(s, n, args, extra)
                          : split_share(s, n, args->stage->coarse, &args->box);
}

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
    for (int64_t k = 0; k < args->stage->outputs; k++) {
        const ir_output *o = &args->stage->output[k];
        const view *v = o->kind == IR_STORE ? inner->view[o->field][1 - o->level] : NULL;
        const box window = v ? view_window(v) : *b;
        if (!box_is_inside(b, &window))
            return false;
    }
    return true;
}

pav_status split_compute(const split *s, int64_t n, const interp_args *args, const box *b)
{
    subdomain *inner = &s->whole->inner[n];
    interp_args own = *args;
    own.view = inner->view;
    own.box = *b;
    own.same_ends = has_same_ends(inner, args, b);
    if (box_is_empty(b))
        return PAV_OK;
    assert(has_room(inner, args, b));
    if (inner->executor->compiled && !inner->executor->absent &&
        subdomain_is_masked(s->whole, args->stage))
        return subdomain_masked_stage(inner, &own);
    return inner->executor->ops.stage(inner->executor, &own);
}

static pav_status take_share(const split *s, int64_t n, const interp_args *args,
                             double *uniform)
{
    interp_args own = *args;
    own.uniform = uniform;
    return split_compute(s, n, &own, &s->share[n]);
}

static pav_status lead_share(split *s, int64_t n, int group, double *uniform, void *user)
{
    (void)group;
    return take_share(s, n, user, uniform);
}

/* Subdomains on processors compute in turn, or have leaders. */
static pav_status take_turns(split *s, const interp_args *args, bool asynchronous)
{
    const bool led = s->leaders.team && stage_may_be_cut(args->stage);
    for (int64_t n = 0; n < s->whole->inners; n++)
        if (s->whole->inner[n].executor->asynchronous == asynchronous &&
            (!led || s->leaders.group[n] < 0))
            TRY(take_share(s, n, args, args->uniform));
    return led && !asynchronous ? leaders_run(s, lead_share, (void *)(uintptr_t)args)
                                : PAV_OK;
}

/* Computes shares one after the other, to time each. */
static pav_status weigh_shares(split *s, const interp_args *args)
{
    TRY(split_arrive(s));
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        TRY(e->ops.wait(e));
        const double begun = clock_seconds();
        TRY(take_share(s, n, args, args->uniform));
        TRY(e->ops.wait(e));
        s->weighed[n] += clock_seconds() - begun;
    }
    return PAV_OK;
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
    const bool overlaps = split_overlaps(s, args, extra, s->share, s->inside);
    if (s->weighed)
        return weigh_shares(s, args);
    if (overlaps && !s->leaders.team && !split_is_awaited(s)) {
        TRY(split_overlap(s, args, s->share, s->inside));
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
    return split_reduce(s, args);
}

pav_status split_stage(executor *self, const interp_args *args)
{
    split *s = (split *)self;
    if (box_is_empty(&args->box) || ir_is_uniform(args->stage))
        return interp_stage(args);
    const halo_depth extra = split_extra_of(s, args);
    const double before = s->cost.seconds;
    TRY(split_refresh_begin(s, args, &extra));
    assert(split_finds_halos(s, args, &extra));
    TRY(claim_stored(s, args));
    TRY(ir_reductions(args->stage) > 0 ? reduce(s, args)
                                       : take_shares(s, args, &extra, before));
    split_stored(s, args, &extra);
    return PAV_OK;
}
