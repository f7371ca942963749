/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of all schedules of a run, the fastest first, and the reasons against each
 * missing kind. */
#include <stdlib.h>
#include <string.h>

#include "run/cost/cost_private.h"

static int find(const cost_list *l, const char *words)
{
    int at = 0;
    while (at < l->count && strcmp(l->at[at].words, words) != 0)
        at++;
    return at;
}

void cost_put(cost_list *l, const schedule *s, const step_cost *c, bool tried)
{
    cost_candidate one = {.kind = s->kind,
                          .steps = schedule_fuses_steps(s) ? c->schedule.tile.steps : 1,
                          .tried = tried,
                          .cost = *c};
    if (!(c->seconds > 0))
        return;
    schedule_string(s, one.words);
    if (find(l, one.words) < l->count)
        return;
    int at = l->count;
    while (at > 0 && l->at[at - 1].cost.seconds > one.cost.seconds)
        at--;
    if (at == COST_MOST)
        return;
    l->count += l->count < COST_MOST;
    memmove(&l->at[at + 1], &l->at[at], (size_t)(l->count - 1 - at) * sizeof one);
    l->at[at] = one;
}

/* ---- what is missing --------------------------------------------------------------- */

const cost_candidate *cost_best(const cost_list *l, schedule_kind kind)
{
    const cost_candidate *best = NULL;
    for (int n = 0; n < l->count; n++)
        if (l->at[n].kind == kind && (!best || (l->at[n].tried && !best->tried)))
            best = &l->at[n];
    return best;
}

/* The reason lies in the program, in the device, or in the observers. */
static pav_status reason_of(pav_run *run, schedule_kind kind, text *why)
{
    const machine_facts m = place_machine(run_place(run), run_threads(run));
    const schedule any = {.kind = kind};
    TRY(emit_legal(run->part->code, &any, m.gpu, why));
    if (why->length == 0 && schedule_fuses_steps(&any))
        run_list_observers(run, 2, why);
    if (why->length == 0)
        text_add(why, "none of its settings suits this program");
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status add_reasons(pav_run *run, cost_list *l)
{
    for (int kind = SCHEDULE_AUTO + 1; kind < SCHEDULE_KINDS; kind++) {
        text why = {0};
        if (schedule_is_of_gpus((schedule_kind)kind) != run_has_launches(run) ||
            cost_best(l, (schedule_kind)kind))
            continue;
        pav_status status = reason_of(run, (schedule_kind)kind, &why);
        if (status == PAV_OK)
            status = text_take(&why, &l->reason[kind]);
        text_free(&why);
        TRY(status);
    }
    return PAV_OK;
}

/* ---- all of it --------------------------------------------------------------------- */

static bool is_listed(const pav_run *run)
{
    return run->places == 1 && !run->cut.is_cut && !run->outofcore &&
           run->code->step.count > 0 && run_has_kernels(run);
}

pav_status cost_list_open(pav_run *run, cost_list *l)
{
    *l = (cost_list){0};
    if (!is_listed(run))
        return PAV_OK;
    TRY(run_has_launches(run) ? cost_list_device(run, l) : cost_list_host(run, l));
    return add_reasons(run, l);
}

void cost_list_close(cost_list *l)
{
    for (int kind = 0; kind < SCHEDULE_KINDS; kind++)
        free(l->reason[kind]);
    *l = (cost_list){0};
}
