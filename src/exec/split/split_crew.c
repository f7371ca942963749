/* SPDX-License-Identifier: BSD-3-Clause */
/* Subdomains on processors side by side: where their executors have teams of their own,
 * each of which has a part of the threads, a leader of every team takes its subdomains
 * through a stage while the others do the same. Scalars that a stage evaluates first are
 * every leader's own, and the same. */
#include <stdlib.h>
#include <string.h>

#include "exec/split/split_private.h"

/* ---- who leads what ---------------------------------------------------------------- */

static bool is_of_crew(const executor *e)
{
    return !e->far && !e->absent && e->compiled && e->team;
}

static int group_of(const split *s, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (s->crew.group[k] >= 0 &&
            s->whole->inner[k].executor->team == s->whole->inner[n].executor->team)
            return s->crew.group[k];
    return s->crew.groups;
}

static pav_status find_groups(split *s)
{
    s->crew.group = mem_new(s->whole->inners, sizeof *s->crew.group);
    if (!s->crew.group)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < s->whole->inners; n++) {
        s->crew.group[n] = is_of_crew(s->whole->inner[n].executor) ? group_of(s, n) : -1;
        if (s->crew.group[n] >= s->crew.groups)
            s->crew.groups = s->crew.group[n] + 1;
    }
    return PAV_OK;
}

pav_status crew_open(split *s)
{
    crew *c = &s->crew;
    TRY(find_groups(s));
    if (c->groups < 2)
        return PAV_OK;
    c->uniform = mem_new(c->groups * (s->whole->code->uniforms + 1), sizeof *c->uniform);
    c->status = mem_new(c->groups, sizeof *c->status);
    c->why = mem_new(c->groups, sizeof *c->why);
    if (!c->uniform || !c->status || !c->why)
        return PAV_ENOMEM;
    return host_team_open(c->groups, HOST_BIND_NONE, &c->leaders);
}

void crew_close(split *s)
{
    crew *c = &s->crew;
    host_team_close(c->leaders);
    mem_free(c->group);
    mem_free(c->uniform);
    mem_free(c->status);
    mem_free(c->why);
    mem_free(c->move);
}

/* ---- work -------------------------------------------------------------------------- */

typedef struct shared {
    split *s;
    crew_work *work;
    void *user;
} shared;

static void lead(void *argument, int64_t group)
{
    const shared *w = argument;
    crew *c = &w->s->crew;
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

/* The first failure is reported; all leave the same scalars. */
pav_status crew_run(split *s, crew_work *work, void *user)
{
    crew *c = &s->crew;
    shared w = {s, work, user};
    pav_status status = PAV_OK;
    host_team_run(c->leaders, c->groups, lead, &w);
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

pav_status crew_add_move(split *s, const halo_move *m)
{
    crew *c = &s->crew;
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

/* Between two places of the host's memory nothing can fail. */
static void copy_some(void *argument, int64_t part)
{
    const crew *c = argument;
    for (int64_t n = part; n < c->moves; n += c->groups) {
        const halo_move *m = &c->move[n];
        (void)m->to->ops.copy_box(m->to, m->field, m->target, &m->range, m->from,
                                  m->field, m->source, m->shift);
    }
}

void crew_copy(split *s)
{
    crew *c = &s->crew;
    if (c->moves > 0)
        host_team_run(c->leaders, c->groups, copy_some, c);
    c->moves = 0;
}
