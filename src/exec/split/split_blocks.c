/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporal blocking within each subdomain on processors. First an exchange brings halos
 * deep enough for all steps of a block. Each subdomain then computes the same points as
 * single steps would, including points of its neighbours. */
#include <assert.h>

#include "exec/split/split_private.h"

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
static void note_stored(split *s, int64_t field, int steps)
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
            note_stored(s, stage->output[k].field, steps);
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
        note_stored(s, code->injections.item[k].field, steps);
    s->left = 0;
    s->behind = false;
    subdomain_set_step(whole, whole->step + steps);
    assert(split_is_in_step(s));
    return PAV_OK;
}
