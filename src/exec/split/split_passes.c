/* SPDX-License-Identifier: BSD-3-Clause */
/* Several steps within each subdomain between two exchanges: fused launches on GPUs, and
 * time blocks on processors. */
#include <assert.h>

#include "exec/split/split_private.h"

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

static pav_status end_steps(split *s, const split_fused *how)
{
    const halo_depth good = depth_of(how, how->left);
    subdomain *whole = s->whole;
    subdomain_turn(whole);
    for (int64_t n = 0; n < whole->inners; n++)
        subdomain_turn(&whole->inner[n]);
    note_stored(s, &good);
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
        box where = g->box;
        where.lo[how->axis] -= g->seam[how->axis][0] ? more : 0;
        where.hi[how->axis] += g->seam[how->axis][1] ? more : 0;
        where.lo[how->axis] = where.lo[how->axis] < 0 ? 0 : where.lo[how->axis];
        where.hi[how->axis] = where.hi[how->axis] > end ? end : where.hi[how->axis];
        assert(how->left >= 0 && box_is_inside(&g->box, &where));
        if (!whole->inner[n].executor->absent)
            TRY(how->launch(how->user, n, &where));
    }
    return end_steps(s, how);
}

/* ---- time blocks ------------------------------------------------------------------- */

/* Temporal blocking within each subdomain on processors. First an exchange brings halos
 * deep enough for all steps of a block. Each subdomain then computes the same points as
 * single steps would, including points of its neighbours. */

pav_status exec_split_block_begin(subdomain *whole)
{
    return split_refresh_all((split *)whole->executor, NULL);
}

box exec_split_share(const subdomain *whole, int64_t n, const ir_stage *stage, int left)
{
    const interp_args args = {
        .code = whole->code, .stage = stage, .box = ir_stage_box(whole->code, stage)};
    const halo_depth extra = wide_halo_extra(whole->wide, whole->code, left, stage);
    return split_wide_share((const split *)whole->executor, n, &args, &extra);
}

/* ---- work of all subdomains -------------------------------------------------------- */

typedef struct each {
    split_work *work;
    void *user;
} each;

static pav_status lead(split *s, int64_t n, int group, double *uniform, void *user)
{
    const each *e = user;
    (void)s, (void)group, (void)uniform;
    return e->work(e->user, n);
}

pav_status exec_split_each(subdomain *whole, split_work *work, void *user)
{
    split *s = (split *)whole->executor;
    each e = {work, user};
    for (int64_t n = 0; n < whole->inners; n++)
        if (!whole->inner[n].executor->absent &&
            (!s->leaders.team || s->leaders.group[n] < 0))
            TRY(work(user, n));
    return s->leaders.team ? leaders_run(s, lead, &e) : PAV_OK;
}

/* ---- the end of a block ------------------------------------------------------------ */

/* The newest levels of the field, after the rotation. The oldest one is the target of the
 * next step. */
static void note_block(split *s, int64_t field, int steps)
{
    const levels *l = &s->whole->field[field];
    for (int age = 0; age < steps && age < l->count; age++) {
        const view *v = levels_view(l, age > 0 && age + 1 == l->count ? 1 : -age);
        split_level *own = &s->level[field][split_buffer(s, field, v)];
        *own = (split_level){.parts_are_new = true};
        split_is_stale(own);
    }
}

static void note_stage(split *s, const ir_stage *stage, int steps)
{
    for (int64_t k = 0; k < stage->outputs; k++)
        if (stage->output[k].kind == IR_STORE)
            note_block(s, stage->output[k].field, steps);
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
        note_stage(s, &code->stage[code->step.stage[k]], steps);
    for (int64_t k = 0; k < code->injections.count; k++)
        note_block(s, code->injections.item[k].field, steps);
    s->left = 0;
    s->behind = false;
    subdomain_set_step(whole, whole->step + steps);
    assert(split_is_in_step(s));
    return PAV_OK;
}
