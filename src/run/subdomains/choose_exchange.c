/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the steps between halo exchanges, unless requested. The model (cost.h) weighs
 * the latency and bytes of an exchange against the redundant computation of deeper halos.
 * On one machine an exchange in each step is mostly best. Deeper halos pay on a slow
 * network, or for many small boxes on GPUs. */
#include <math.h>

#include "cost/cost.h"
#include "run/cost/cost_private.h"
#include "run/run_private.h"

enum { MOST_STEPS = 16 };
static const double worth = 0.9; /* share of a step's time with an exchange each */

/* The links between the places of a run, or between ranks. */
typedef struct links {
    halo_cost message;      /* of ranks; rate 0: no ranks */
    machine_facts *machine; /* of each place; NULL: no model of steps */
} links;

/* The prediction for one number of steps: seconds of a step, and exchange within it. */
typedef struct forecast {
    double step, exchange;
} forecast;

static halo_cost cost_between(const pav_run *run, const links *l, const subdomain *to,
                              const subdomain *from)
{
    const bool same = to->rank == from->rank;
    halo_cost c = halo_cost_of(
        place_link(&run->place[to->place], same ? &run->place[from->place] : NULL));
    if (same)
        return c;
    c.begin += l->message.begin;
    c.rate = 1 / (1 / l->message.rate + 1 / c.rate);
    return c;
}

static pav_status find_message(const pav_run *run, links *l)
{
    pav_ranks *ranks = run->part->ranks;
    return ranks ? ranks_measure(ranks, &l->message.begin, &l->message.rate) : PAV_OK;
}

pav_status run_exchange_costs(const pav_run *run, exchange_cost *cost)
{
    links l = {.machine = NULL};
    TRY(find_message(run, &l));
    for (int64_t n = 0; n < run->part->inners; n++)
        for (int face = 0; face < 2 * run->code->dim; face++) {
            const subdomain *inner = &run->part->inner[n];
            const int64_t next = run_neighbour(run, n, face / 2, face % 2);
            exchange_cost *c = &cost[n * 2 * MAX_DIM + face];
            *c = (exchange_cost){.from = next};
            if (next < 0)
                continue;
            c->bytes = split_bytes_from(inner, face / 2, face % 2, &c->messages);
            const halo_cost by = cost_between(run, &l, inner, &run->part->inner[next]);
            c->seconds = (double)c->messages * by.begin + (double)c->bytes / by.rate;
        }
    return PAV_OK;
}

/* The slowest link of its faces stands for all. */
static void find_link(const pav_run *run, const links *l, int64_t n, cost_subdomain *s)
{
    const subdomain *inner = &run->part->inner[n];
    s->link = (halo_cost){0, 1e30};
    for (int face = 0; face < 2 * run->code->dim; face++) {
        const int64_t next = run_neighbour(run, n, face / 2, face % 2);
        if (next < 0)
            continue;
        const halo_cost c = cost_between(run, l, inner, &run->part->inner[next]);
        s->link.begin = fmax(s->link.begin, c.begin);
        s->link.rate = fmin(s->link.rate, c.rate);
        s->faces++;
    }
}

static pav_status find_machines(const pav_run *run, links *l)
{
    l->machine = mem_new(run->places, sizeof *l->machine);
    for (int n = 0; l->machine && n < run->places; n++)
        l->machine[n] = cost_machine(run, &run->place[n]);
    return l->machine ? PAV_OK : PAV_ENOMEM;
}

/* The points computed by this place and rank together: its subdomains share its
 * processors, while places work at the same time. */
static double points_with(const pav_run *run, const subdomain *like)
{
    double count = 0;
    for (int64_t n = 0; n < run->part->inners; n++)
        if (run->part->inner[n].place == like->place &&
            run->part->inner[n].rank == like->rank)
            count += split_points_of(&run->part->inner[n]);
    return count;
}

/* If work is asynchronous, halos travel during it (split_stages.c). */
static pav_status cost_of(const pav_run *run, const links *l, int64_t n, step_cost *c)
{
    const subdomain *inner = &run->part->inner[n];
    cost_subdomain s = {.points = points_with(run, inner),
                        .point_bytes = run->work.step_bytes / (double)run->work.points,
                        .stages = (int)run->code->step.count,
                        .halo_bytes = (double)split_bytes_of(inner),
                        .steps = wide_halo_steps(run->part->wide),
                        .hides = place_is_asynchronous(&run->place[inner->place]) &&
                                 !inner->grid->cut[0]};
    find_link(run, l, n, &s);
    const cost_question q = {.machine = &l->machine[inner->place], .subdomain = &s};
    return cost_forecast(&q, c);
}

/* The slowest subdomain counts. */
static pav_status forecast_of(const pav_run *run, const links *l, forecast *f)
{
    *f = (forecast){0};
    for (int64_t n = 0; n < run->part->inners; n++) {
        step_cost c;
        TRY(cost_of(run, l, n, &c));
        f->exchange = fmax(f->exchange, c.term[COST_SYNCHRONISE]);
        f->step = fmax(f->step, c.seconds);
    }
    return PAV_OK;
}

/* Tries halos for `steps` steps; an error ends the search. */
static pav_status try_steps(pav_run *run, int steps)
{
    wide_halo *wide = NULL;
    if (steps > 1) {
        const pav_status status = wide_halo_new(run->code, &run->cut.boxes, steps, &wide);
        if (status != PAV_OK) {
            wide_halo_free(wide);
            return status;
        }
    }
    return subdomain_widen(run->part, &run->cut.boxes, wide);
}

/* Deeper halos are left out where the memory of a place does not hold them. */
static pav_status find_best(pav_run *run, const links *l, int *best)
{
    forecast least;
    *best = 1;
    TRY(try_steps(run, 1));
    TRY(forecast_of(run, l, &least));
    least.step *= worth;
    run->cut.exchange = least.exchange;
    for (int steps = 2; steps <= MOST_STEPS; steps++) {
        const pav_status status = try_steps(run, steps);
        if (status == PAV_ENOMEM)
            return status;
        if (status != PAV_OK || run_check_memory(run) != PAV_OK)
            break;
        forecast f;
        TRY(forecast_of(run, l, &f));
        if (f.step >= least.step)
            continue;
        least = f;
        *best = steps;
    }
    return try_steps(run, *best);
}

/* If ranks have different devices, fused launches need all of them. */
static pav_status agree_on_launches(pav_run *run, bool *any)
{
    pav_ranks *ranks = run->part->ranks;
    const int own = launches_depth(run);
    int *all = mem_new(ranks_count(ranks), sizeof *all), least = own;
    const pav_status status = all ? ranks_gather(ranks, &own, sizeof own, all)
                                  : PAV_ENOMEM;
    for (int n = 0; status == PAV_OK && n < ranks_count(ranks); n++)
        least = all[n] < least ? all[n] : least;
    mem_free(all);
    *any = least > 1 && least == own;
    if (status == PAV_OK && !*any && own > 1)
        return launches_leave(run, "another rank has none");
    return status;
}

/* The first rank's choice holds for all. */
pav_status run_choose_exchange(pav_run *run, const opening *how)
{
    pav_ranks *ranks = run->part->ranks;
    links l = {.machine = NULL};
    bool fused;
    int best;
    if (!run->cut.is_cut || !how->device || how->every || how->cut || run->solver.outer)
        return PAV_OK;
    TRY(agree_on_launches(run, &fused));
    if (fused || run->options.exchange_every > 0)
        return PAV_OK;
    TRY(find_message(run, &l));
    pav_status status = find_machines(run, &l);
    if (status == PAV_OK)
        status = find_best(run, &l, &best);
    mem_free(l.machine);
    TRY(status);
    TRY(ranks_share(ranks, 0, &best, (int64_t)sizeof best));
    run->cut.exchange_every = best;
    return try_steps(run, best);
}
