/* SPDX-License-Identifier: BSD-3-Clause */
/* Subdomains on processors that compute side by side. Their executors have teams of their
 * own, each with a part of the threads. The leader of a team takes its subdomains through
 * a stage, at the same time as the other leaders. Each leader computes the scalars of a
 * stage itself, with equal results. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/split/split_private.h"

/* ---- leaders and their groups ------------------------------------------------------ */

static bool is_led(const executor *e)
{
    return !e->absent && e->compiled && e->team;
}

static int group_of(const split *s, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (s->leaders.group[k] >= 0 &&
            s->whole->inner[k].executor->team == s->whole->inner[n].executor->team)
            return s->leaders.group[k];
    return s->leaders.groups;
}

static pav_status find_groups(split *s)
{
    s->leaders.group = mem_new(s->whole->inners, sizeof *s->leaders.group);
    if (!s->leaders.group)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < s->whole->inners; n++) {
        s->leaders.group[n] = is_led(s->whole->inner[n].executor) ? group_of(s, n) : -1;
        if (s->leaders.group[n] >= s->leaders.groups)
            s->leaders.groups = s->leaders.group[n] + 1;
    }
    return PAV_OK;
}

pav_status leaders_open(split *s)
{
    leaders *c = &s->leaders;
    TRY(find_groups(s));
    if (c->groups < 2)
        return PAV_OK;
    c->uniform = mem_new(c->groups * (s->whole->code->uniforms + 1), sizeof *c->uniform);
    c->status = mem_new(c->groups, sizeof *c->status);
    c->why = mem_new(c->groups, sizeof *c->why);
    if (!c->uniform || !c->status || !c->why)
        return PAV_ENOMEM;
    return host_team_open(c->groups, HOST_BIND_NONE, &c->team);
}

void leaders_close(split *s)
{
    leaders *c = &s->leaders;
    host_team_close(c->team);
    mem_free(c->group);
    mem_free(c->uniform);
    mem_free(c->status);
    mem_free(c->why);
    mem_free(c->move);
}

/* ---- work -------------------------------------------------------------------------- */

typedef struct shared {
    split *s;
    leader_work *work;
    void *user;
} shared;

static void lead(void *argument, int64_t group)
{
    const shared *w = argument;
    leaders *c = &w->s->leaders;
    const int64_t uniforms = w->s->whole->code->uniforms;
    double *own = c->uniform + group * (uniforms + 1);
    pav_status status = PAV_OK;
    memcpy(own, w->s->whole->uniform, (size_t)uniforms * sizeof *own);
    for (int64_t n = 0; n < w->s->whole->inners && status == PAV_OK; n++)
        if (c->group[n] == group)
            status = w->work(w->s, n, (int)group, own, w->user);
    c->status[group] = status;
    c->why[group] = status == PAV_OK ? NULL : strdup(pav_message());
}

/* Reports the first failure. All leaders leave equal scalars. */
pav_status leaders_run(split *s, leader_work *work, void *user)
{
    leaders *c = &s->leaders;
    shared w = {s, work, user};
    pav_status status = PAV_OK;
    assert(c->team && c->moves == 0); /* no halo waits while they compute */
    host_team_run(c->team, c->groups, lead, &w);
    memcpy(s->whole->uniform, c->uniform,
           (size_t)s->whole->code->uniforms * sizeof *c->uniform);
    for (int n = 0; n < c->groups; n++) {
        if (status == PAV_OK && c->status[n] != PAV_OK)
            status = FAIL(c->status[n], "%s", c->why[n] ? c->why[n] : "a stage failed");
        free(c->why[n]);
    }
    return status;
}

/* ---- halos ------------------------------------------------------------------------- */

pav_status leaders_add_move(split *s, const halo_move *m)
{
    leaders *c = &s->leaders;
    if (c->moves == c->move_room) {
        const int64_t room = 2 * c->move_room + 32;
        halo_move *grown = mem_grow(c->move, room, sizeof *grown);
        if (!grown)
            return PAV_ENOMEM;
        c->move = grown;
        c->move_room = room;
    }
    c->move[c->moves++] = *m;
    return PAV_OK;
}

/* Copies within the host's memory cannot fail. */
static void copy_some(void *argument, int64_t part)
{
    const leaders *c = argument;
    for (int64_t n = part; n < c->moves; n += c->groups) {
        const halo_move *m = &c->move[n];
        (void)m->to->ops.copy_box(m->to, m->field, m->target, &m->range, m->from,
                                  m->field, m->source, m->shift);
    }
}

void leaders_copy(split *s)
{
    leaders *c = &s->leaders;
    if (c->moves > 0)
        host_team_run(c->team, c->groups, copy_some, c);
    c->moves = 0;
}
