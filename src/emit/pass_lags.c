/* SPDX-License-Identifier: BSD-3-Clause */
/* When a pass computes what: how many planes each act stays behind, how much around its tile a block must compute, and how
 * many planes of each version are needed at the same time. */
#include "emit/pass_private.h"

/* ---- lags --------------------------------------------------------------------------------- */

const pass_act *pass_maker_of(const pass_plan *p, int field)
{
    for (int64_t n = 0; n < p->acts; n++)
        if (pass_stores(pass_stage_of(p, &p->act[n]), field))
            return &p->act[n];
    return NULL;
}

/* After which nothing changes it in its step: that, or the last injection. */
static const pass_act *settler_of(const pass_plan *p, int field)
{
    for (int64_t n = p->acts; n-- > 0;)
        if (pass_stores(pass_stage_of(p, &p->act[n]), field))
            return &p->act[n];
    return NULL;
}

typedef void load_visit(pass_plan *p, pass_act *act, const pass_read *r);

static void each_load(pass_plan *p, load_visit *visit)
{
    for (int64_t n = 0; n < p->acts; n++)
        for (int64_t k = 0; k < p->act[n].reads; k++)
            if (p->moves[p->act[n].read[k].load->field])
                visit(p, &p->act[n], &p->act[n].read[k]);
}

/* What another warp made is there after the barrier that follows, a plane later; what a thread and its warp hold is
 * there at once. Where borders copy, what lies as far the other way is read, too. */
static int planes_until(const pass_plan *p, const pass_read *r)
{
    const ir_node *n = r->load;

    if (!p->held)
        return pass_distance(n, p->axis) +
               (n->offset[0] || (p->axis == 2 && n->offset[1]));
    return r->z + (p->axis == 2 && n->offset[1] != 0);
}

static void lag_of_act(pass_plan *p, pass_act *act, const pass_read *r)
{
    const int before = r->load->level == 1 ? pass_maker_of(p, r->load->field)->lag : 0;

    act->lag = int_most(act->lag, before + planes_until(p, r));
}

/* What a stage reads of its own step nothing has been added to yet. */
static void lag_of_injections(pass_plan *p, pass_act *act, const pass_read *r)
{
    const ir_node *n = r->load;

    for (int64_t k = 0; k < p->acts && n->level == 1 && act->event < 0; k++)
        if (p->act[k].event >= 0 && pass_stores(pass_stage_of(p, &p->act[k]), n->field))
            p->act[k].lag = int_most(p->act[k].lag, act->lag + planes_until(p, r));
}

/* All are as late as the last, so that at a point they come one after another. */
static void join_injections(pass_plan *p)
{
    int last = 0;

    for (int64_t n = 0; n < p->acts; n++)
        if (p->act[n].event >= 0)
            last = int_most(last, p->act[n].lag);
    for (int64_t n = 0; n < p->acts; n++)
        if (p->act[n].event >= 0)
            p->act[n].lag = last;
}

static void find_look(pass_plan *p)
{
    p->look = 0;
    for (int f = 0; f < p->code->fields; f++)
        if (p->field[f].seen)
            p->look = int_most(p->look, settler_of(p, f)->lag);
}

/* A level that is `steps` steps old. */
static void lag_of_step(pass_plan *p, pass_act *act, const pass_read *r)
{
    const int steps = 1 - r->load->level;
    const int more = settler_of(p, r->load->field)->lag + planes_until(p, r) - act->lag;

    if (steps > 0 && more > 0)
        p->lag = int_most(p->lag, (more + steps - 1) / steps);
}

int pass_last_lag(const pass_plan *p)
{
    int last = 0;

    for (int64_t n = 0; n < p->acts; n++)
        last = p->act[n].lag > last ? p->act[n].lag : last;
    return last + (p->schedule.depth - 1) * p->lag;
}

/* ---- what is around ----------------------------------------------------------------------- */

static void around_maker(pass_plan *p, pass_act *act, const pass_read *r)
{
    const ir_node *n = r->load;
    pass_act *maker = (pass_act *)(uintptr_t)pass_maker_of(p, n->field);

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int more = act->around[axis] + pass_distance(n, axis);
        if (n->level == 1)
            maker->around[axis] = int_most(maker->around[axis], more);
        else
            p->reach[axis] = int_most(p->reach[axis], more);
    }
}

/* ---- planes ------------------------------------------------------------------------------- */

int pass_age(const pass_plan *p, const pass_act *act, int field, int level, int z)
{
    return (1 - level) * p->lag + act->lag - pass_maker_of(p, field)->lag - z;
}

int pass_age_found(const pass_act *act, int z)
{
    return act->lag - z;
}

static void planes_of(pass_plan *p, pass_act *act, const pass_read *r)
{
    const ir_node *n = r->load;
    pass_field *f = &p->field[n->field];
    const int z = p->held ? r->z : -pass_distance(n, p->axis);
    int age = pass_age(p, act, n->field, n->level, z);

    if (n->level < 1) { /* in the last step that finds it */
        const int last = -n->level * p->lag + pass_age_found(act, z);
        f->found = int_most(f->found, last + 1);
        age = int_most(age, last);
    }
    f->oldest = n->level < f->oldest ? n->level : f->oldest;
    f->within |= n->level == 1;
    f->planes = int_most(f->planes, age + 1);
    if (p->held && p->axis == 2 && n->offset[1] != 0) {
        f->shown = int_most(f->shown, age + 1);
        f->edge = int_most(f->edge, pass_distance(n, 1));
    }
    f->whole = f->whole && act->input && age > 0;
}

/* A plane that is read once it is shown need not be held as well. */
static void show_whole(pass_field *f)
{
    f->whole = f->whole && f->shown > 0;
    if (!f->whole)
        return;
    f->planes = 1;
    f->edge = MAX_OFFSET;
}

/* Of the step that samples look at. */
static int planes_seen(const pass_plan *p, int field)
{
    return p->field[field].seen ? p->look - pass_maker_of(p, field)->lag + 1 : 1;
}

static void find_planes(pass_plan *p)
{
    for (int f = 0; f < p->code->fields; f++) {
        const int levels = p->code->field[f].levels;
        p->field[f].planes = planes_seen(p, f);
        p->field[f].kept = p->moves[f] ? int_most(levels - 1, 1) : 0;
        p->field[f].whole = p->moves[f];
    }
    each_load(p, planes_of);
    for (int f = 0; f < p->code->fields; f++)
        show_whole(&p->field[f]);
}

/* As often as there are acts: each settles one more at least. */
void pass_find_lags(pass_plan *p)
{
    for (int64_t n = 0; n < p->acts; n++) {
        each_load(p, lag_of_act);
        each_load(p, lag_of_injections);
        join_injections(p);
        each_load(p, around_maker);
    }
    find_look(p);
    p->lag = int_most(1, p->reach[p->axis]);
    each_load(p, lag_of_step);
    find_planes(p);
}
