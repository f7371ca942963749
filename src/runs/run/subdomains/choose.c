/* SPDX-License-Identifier: BSD-3-Clause */
/* How the grid is cut: the boxes along each axis, the place or rank of each box, and the
 * steps between halo exchanges, unless the user gives them. All choices are for fast
 * exchanges, by the machine's table of links and by the model. */
#include <math.h>
#include <string.h>

#include "cost/cost.h"
#include "run/cost/cost_private.h"
#include "run/run_private.h"

/* ---- boxes along each axis --------------------------------------------------------- */

/* Chooses the number of boxes along each axis, given their product, for the fewest
 * exchanged bytes. Points beyond a face across x lie in different cache lines, and each
 * line moves as a whole. */

static double bytes_of_point(const ir *code, int axis, int side)
{
    double bytes = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const halo_depth d = halo_depth_of(code, f);
        const double own = d.side[axis][side] *
                           (double)pav_type_size(code->field[f].storage);
        if (code->field[f].updated && code->field[f].coarse == 0)
            bytes += axis == 0 && own > 0 && own < CPU_LINE ? CPU_LINE : own;
    }
    return bytes;
}

/* True if a step transforms whole lines along an axis. */
static bool transforms_along(const ir *code, int axis)
{
    for (int64_t k = 0; k < code->step.count; k++)
        if (code->stage[code->step.stage[k]].transform &&
            code->stage[code->step.stage[k]].along == axis + 1)
            return true;
    return false;
}

/* Bytes of the faces between `parts` boxes along an axis. Transforms across cuts move all
 * points to whole lines and back. */
static double bytes_across(const ir *code, int axis, int64_t parts)
{
    const double faces = (double)(parts - 1) + (parts > 1 && axis_wraps(code, axis));
    double area = 1;
    for (int other = 0; other < code->dim; other++)
        area *= other == axis ? 1 : (double)points_along(code, other, 0);
    const bool moves = parts > 1 && transforms_along(code, axis);
    return area *
           (faces * (bytes_of_point(code, axis, 0) + bytes_of_point(code, axis, 1)) +
            (moves ? 2 * sizeof(double) : 0) * (double)points_along(code, axis, 0));
}

static bool fit(const ir *code, const int64_t *parts)
{
    for (int axis = 0; axis < code->dim; axis++)
        if (parts[axis] > 1 &&
            points_along(code, axis, 0) / parts[axis] < subdomain_least_width(code, axis))
            return false;
    return true;
}

static double cost_of_parts(const ir *code, const int64_t *parts)
{
    double bytes = 0;
    for (int axis = 0; axis < code->dim; axis++)
        bytes += bytes_across(code, axis, parts[axis]);
    return bytes;
}

typedef struct choice {
    const ir *code;
    int64_t parts[MAX_DIM], best[MAX_DIM];
    double cost; /* of the best; < 0: none yet */
} choice;

/* Tries all ways to cut the axes from `axis` down to x into `count` boxes. Among cuts of
 * equal cost the first one wins: it cuts the last axis most. */
static void try_axes(choice *c, int axis, int64_t count)
{
    if (axis == 0) {
        c->parts[0] = count;
        const double cost = fit(c->code, c->parts) ? cost_of_parts(c->code, c->parts)
                                                   : -1;
        if (cost < 0 || (c->cost >= 0 && cost >= c->cost))
            return;
        c->cost = cost;
        memcpy(c->best, c->parts, sizeof c->best);
        return;
    }
    for (int64_t n = count; n >= 1; n--)
        if (count % n == 0) {
            c->parts[axis] = n;
            try_axes(c, axis - 1, count / n);
        }
}

pav_status run_choose_parts(const ir *code, int64_t count, int64_t *parts)
{
    choice c = {.code = code, .parts = {1, 1, 1}, .cost = -1};
    try_axes(&c, code->dim - 1, count);
    if (c.cost < 0)
        return FAIL(PAV_EINVAL,
                    "the grid cannot be cut into %lld subdomains: they would be thinner "
                    "than what is read beyond their faces; give fewer, or a number "
                    "that has factors",
                    (long long)count);
    memcpy(parts, c.best, sizeof c.best);
    return PAV_OK;
}

/* ---- a place for each box ---------------------------------------------------------- */

/* Assigns groups of boxes to places or ranks: groups that exchange much get places with a
 * fast link, by the machine's table of links. A group is a run of consecutive boxes, one
 * group per place. The order of the list remains unless another order makes all halos
 * faster. */

enum { MOST_SWAPPED = 128 }; /* with more places, not all pairs are tried */
static const double worth_swap = 0.99;

/* ---- an order ---------------------------------------------------------------------- */

typedef struct ordering {
    int places;
    const double *bytes;      /* bytes between groups: [a * places + b] */
    const halo_cost *between; /* cost between places */
    int *order;               /* the place of each group */
} ordering;

static double cost_of_pair(const ordering *o, int a, int b)
{
    const double bytes = o->bytes[a * o->places + b];
    const halo_cost *c = &o->between[o->order[a] * o->places + o->order[b]];
    return bytes > 0 ? c->begin + bytes / c->rate : 0;
}

static double cost_of_group(const ordering *o, int a)
{
    double all = 0;
    for (int b = 0; b < o->places; b++)
        all += b == a ? 0 : cost_of_pair(o, a, b) + cost_of_pair(o, b, a);
    return all;
}

static double cost_of_all(const ordering *o)
{
    double all = 0;
    for (int a = 0; a < o->places; a++)
        all += cost_of_group(o, a) / 2;
    return all;
}

static void swap_groups(ordering *o, int a, int b)
{
    const int before = o->order[a];
    o->order[a] = o->order[b];
    o->order[b] = before;
}

static double seconds_of_link(const ordering *o, int a, int b)
{
    enum { USUAL = 1 << 20 };
    const halo_cost *c = &o->between[a * o->places + b];
    return c->begin + USUAL / c->rate;
}

static double cost_from(ordering *o, int first)
{
    /* Starts at `first` and always goes on to the nearest free place, so that
     * consecutive groups are near each other. Among equally near places, the first of
     * the list wins. */
    for (int n = 0; n < o->places; n++)
        o->order[n] = n == 0 ? first : n - (n <= first);
    for (int n = 1; n < o->places; n++) {
        int best = n;
        for (int k = n + 1; k < o->places; k++)
            if (seconds_of_link(o, o->order[n - 1], o->order[k]) <
                worth_swap * seconds_of_link(o, o->order[n - 1], o->order[best]))
                best = k;
        const int nearest = o->order[best];
        for (int k = best; k > n; k--) /* keeps the order of the others */
            o->order[k] = o->order[k - 1];
        o->order[n] = nearest;
    }
    /* Swaps pairs of groups until no swap makes halos faster. */
    bool any = o->places <= MOST_SWAPPED;
    while (any) {
        any = false;
        for (int a = 0; a < o->places; a++)
            for (int b = a + 1; b < o->places; b++) {
                const double before = cost_of_group(o, a) + cost_of_group(o, b);
                swap_groups(o, a, b);
                if (cost_of_group(o, a) + cost_of_group(o, b) < worth_swap * before)
                    any = true;
                else
                    swap_groups(o, a, b);
            }
    }
    return cost_of_all(o);
}

void run_order_places(int places, const double *bytes, const halo_cost *between,
                      int *order)
{
    const int starts = places <= MOST_SWAPPED ? places : 1;
    ordering o = {places, bytes, between, order};
    int best = -1;
    for (int n = 0; n < places; n++)
        order[n] = n;
    double least = worth_swap * cost_of_all(&o);
    for (int n = 0; n < starts; n++) {
        const double found = cost_from(&o, n);
        best = found < least ? n : best;
        least = found < least ? found : least;
    }
    if (best >= 0)
        (void)cost_from(&o, best);
    for (int n = 0; n < places && best < 0; n++)
        order[n] = n;
}

/* ---- of a run ---------------------------------------------------------------------- */

/* The places of this process, or one for each rank. */
int places_count(const pav_run *run)
{
    return run->places * ranks_count(run->part->ranks);
}

static int run_group_of(const pav_run *run, int64_t n)
{
    return (int)(n * places_count(run) / decomposition_count(&run->cut.boxes));
}

static pav_status find_links(const pav_run *run, halo_cost *between)
{
    const int count = places_count(run);
    pav_ranks *ranks = run->part->ranks;
    OWNED_NEW(rank_where, where, count);
    if (ranks)
        TRY(ranks_gather(ranks, &(rank_where){host_name_hash(), host_node()},
                         sizeof *where, where));
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            between[a * count + b] = halo_cost_of(
                ranks ? ranks_link(&where[a], &where[b])
                      : device_link(run->place[a].device, run->place[b].device));
    return PAV_OK;
}

/* Shares of unequal places belong to the list, so its order remains. */
static bool may_be_ordered(const pav_run *run)
{
    return places_count(run) > 2 && (run->part->ranks || !run->cut.share) &&
           decomposition_count(&run->cut.boxes) >= places_count(run) &&
           (run->part->ranks || run->place[0].device);
}

pav_status run_find_order(pav_run *run)
{
    const int64_t count = places_count(run);
    if (!may_be_ordered(run))
        return PAV_OK;
    mem_free(run->cut.order);
    TRY(mem_take(&run->cut.order, count, sizeof *run->cut.order));
    OWNED_NEW(double, bytes, (count * count));
    OWNED_NEW(halo_cost, between, count * count);
    TRY(find_links(run, between));
    for (int64_t n = 0; n < decomposition_count(&run->cut.boxes); n++) {
        /* Adds the bytes of the faces between groups, at eight a point; this is enough
         * to compare. */
        const box b = decomposition_box(&run->cut.boxes, n);
        for (int axis = 0; axis < run->code->dim; axis++) {
            const int64_t parts = run->cut.boxes.parts[axis];
            int64_t at[MAX_DIM];
            decomposition_place(&run->cut.boxes, n, at);
            if (parts < 2 || (++at[axis] == parts && !axis_wraps(run->code, axis)))
                continue;
            at[axis] %= parts;
            const int own = run_group_of(run, n);
            const int other = run_group_of(run,
                                           decomposition_number(&run->cut.boxes, at));
            const double area = (double)box_points(b) / (double)(b.hi[axis] - b.lo[axis]);
            bytes[own * places_count(run) + other] += own == other ? 0 : 8 * area;
        }
    }
    run_order_places((int)count, bytes, between, run->cut.order);
    return PAV_OK;
}

int run_place_of(const pav_run *run, int64_t n)
{
    const int group = run_group_of(run, n);
    return run->cut.order ? run->cut.order[group] : group;
}

/* ---- steps between exchanges ------------------------------------------------------- */

/* Chooses the steps between halo exchanges, unless requested. The model (cost.h) weighs
 * the latency and bytes of an exchange against the redundant computation of deeper halos.
 * On one machine an exchange in each step is mostly best. Deeper halos pay on a slow
 * network, or for many small boxes on GPUs. */

enum { MOST_STEPS = 16 };
static const double worth_waiting =
    0.9; /* share of a step's time with an exchange each */

/* The links between the places of a run, or between ranks. */
typedef struct links {
    halo_cost message;      /* of ranks; rate 0: no ranks */
    machine_facts *machine; /* of each place; NULL: no model of steps */
} links;

/* The prediction for one number of steps: seconds of a step, and exchange within it. */
typedef struct forecast {
    double step, exchange;
} forecast;

/* The link for halos from another place, or from itself; without `same`, of another rank:
 * these come through the host's memory. */
static halo_link link_between(const exec_place *to, const exec_place *from, bool same)
{
    if (same && from != to && to->device && from->device)
        return device_link(to->device, from->device);
    return !to->executor ? HALO_BY_PROCESSORS : same ? HALO_BY_GPU : HALO_STAGED;
}

static halo_cost cost_between(const pav_run *run, const links *l, const subdomain *to,
                              const subdomain *from)
{
    const bool same = to->rank == from->rank;
    halo_cost c = halo_cost_of(
        link_between(&run->place[to->place], &run->place[from->place], same));
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
    s->link = (halo_cost){0, 1e30};
    for (int face = 0; face < 2 * run->code->dim; face++) {
        const int64_t next = run_neighbour(run, n, face / 2, face % 2);
        if (next < 0)
            continue;
        const halo_cost c = cost_between(run, l, &run->part->inner[n],
                                         &run->part->inner[next]);
        s->link.begin = fmax(s->link.begin, c.begin);
        s->link.rate = fmin(s->link.rate, c.rate);
        s->faces++;
    }
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

/* The slowest subdomain counts. */
static pav_status forecast_of(const pav_run *run, const links *l, forecast *f)
{
    *f = (forecast){0};
    for (int64_t n = 0; n < run->part->inners; n++) {
        step_cost c;
        /* If work is asynchronous, halos travel during it (exec/split/split_stages.c). */
        const subdomain *inner = &run->part->inner[n];
        /* work on it that continues while the host does other things hides exchanges */
        const executor *own = run->place[inner->place].executor;
        cost_subdomain s = {.points = points_with(run, inner),
                            .point_bytes = run->work.step_bytes /
                                           (double)run->work.points,
                            .stages = (int)run->code->step.count,
                            .halo_bytes = (double)split_bytes_of(inner),
                            .steps = wide_halo_steps(run->part->wide),
                            .hides = own && own->asynchronous && !inner->grid->cut[0]};
        find_link(run, l, n, &s);
        const cost_question q = {.machine = &l->machine[inner->place], .subdomain = &s};
        TRY(cost_forecast(&q, &c));
        f->exchange = fmax(f->exchange, c.term[COST_SYNCHRONISE]);
        f->step = fmax(f->step, c.seconds);
    }
    return PAV_OK;
}

/* Deeper halos are left out where the memory of a place does not hold them. */
static pav_status find_best(pav_run *run, const links *l, int *best)
{
    forecast least;
    *best = 1;
    TRY(run_widen(run, 1));
    TRY(forecast_of(run, l, &least));
    least.step *= worth_waiting;
    run->cut.exchange = least.exchange;
    for (int steps = 2; steps <= MOST_STEPS; steps++) {
        const pav_status status = run_widen(run, steps);
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
    return run_widen(run, *best);
}

/* If ranks have different devices, fused launches need all of them. */
static void join_least(void *own, const void *other)
{
    int *least = own;
    *least = int_least(*least, *(const int *)other);
}

/* The first rank's choice holds for all. */
pav_status run_choose_exchange(pav_run *run, const opening *how)
{
    links l = {.machine = NULL};
    bool fused;
    int best;
    if (!run->cut.is_cut || !how->device || how->every || how->cut || run->solver.outer)
        return PAV_OK;
    const int own = launches_depth(run);
    int least = own;
    TRY(run_join_ranks(run, &least, sizeof least, join_least));
    fused = least > 1 && least == own;
    TRY(!fused && own > 1 ? launches_leave(run, "another rank has none") : PAV_OK);
    if (fused || run->options.exchange_every > 0)
        return PAV_OK;
    TRY(find_message(run, &l));
    OWNED_NEW(machine_facts, machine, run->places);
    for (int n = 0; n < run->places; n++)
        machine[n] = cost_machine(run, &run->place[n]);
    l.machine = machine;
    TRY(find_best(run, &l, &best));
    TRY(ranks_share(run->part->ranks, 0, &best, (int64_t)sizeof best));
    run->cut.exchange_every = best;
    return run_widen(run, best);
}
