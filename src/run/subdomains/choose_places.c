/* SPDX-License-Identifier: BSD-3-Clause */
/* Assigns groups of boxes to places or ranks: groups that exchange much get places with a
 * fast link, by the machine's table of links. A group is a run of consecutive boxes, one
 * group per place. The order of the list remains unless another order makes all halos
 * faster. */
#include "run/run_private.h"

enum { MOST_SWAPPED = 128 }; /* with more places, not all pairs are tried */
static const double worth = 0.99;

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

/* Swaps pairs of groups until no swap makes halos faster. */
static void swap_while_better(ordering *o)
{
    bool any = o->places <= MOST_SWAPPED;
    while (any) {
        any = false;
        for (int a = 0; a < o->places; a++)
            for (int b = a + 1; b < o->places; b++) {
                const double before = cost_of_group(o, a) + cost_of_group(o, b);
                swap_groups(o, a, b);
                if (cost_of_group(o, a) + cost_of_group(o, b) < worth * before)
                    any = true;
                else
                    swap_groups(o, a, b);
            }
    }
}

static double seconds_of_link(const ordering *o, int a, int b)
{
    enum { USUAL = 1 << 20 };
    const halo_cost *c = &o->between[a * o->places + b];
    return c->begin + USUAL / c->rate;
}

/* Starts at `first` and always goes on to the nearest free place, so that consecutive
 * groups are near each other. Among equally near places, the first of the list wins. */
static void follow_links(ordering *o, int first)
{
    for (int n = 0; n < o->places; n++)
        o->order[n] = n == 0 ? first : n - (n <= first);
    for (int n = 1; n < o->places; n++) {
        int best = n;
        for (int k = n + 1; k < o->places; k++)
            if (seconds_of_link(o, o->order[n - 1], o->order[k]) <
                worth * seconds_of_link(o, o->order[n - 1], o->order[best]))
                best = k;
        const int nearest = o->order[best];
        for (int k = best; k > n; k--) /* keeps the order of the others */
            o->order[k] = o->order[k - 1];
        o->order[n] = nearest;
    }
}

static double cost_from(ordering *o, int first)
{
    follow_links(o, first);
    swap_while_better(o);
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
    double least = worth * cost_of_all(&o);
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

int run_group_of(const pav_run *run, int64_t n)
{
    return (int)(n * places_count(run) / decomposition_count(&run->cut.boxes));
}

/* Adds the bytes of the faces between groups, at eight a point; this is enough to
 * compare. */
static void add_faces(const pav_run *run, int64_t n, double *bytes)
{
    const box b = decomposition_box(&run->cut.boxes, n);
    for (int axis = 0; axis < run->code->dim; axis++) {
        const int64_t parts = run->cut.boxes.parts[axis];
        int64_t at[MAX_DIM];
        decomposition_place(&run->cut.boxes, n, at);
        if (parts < 2 || (++at[axis] == parts && !run_wraps(run->code, axis)))
            continue;
        at[axis] %= parts;
        const int own = run_group_of(run, n);
        const int other = run_group_of(run, decomposition_number(&run->cut.boxes, at));
        const double area = (double)box_points(&b) / (double)(b.hi[axis] - b.lo[axis]);
        bytes[own * places_count(run) + other] += own == other ? 0 : 8 * area;
    }
}

static pav_status find_links(const pav_run *run, halo_cost *between)
{
    const int count = places_count(run);
    pav_ranks *ranks = run->part->ranks;
    rank_where *where = mem_new(count, sizeof *where);
    pav_status status = where ? PAV_OK : PAV_ENOMEM;
    if (status == PAV_OK && ranks)
        status = ranks_locate(ranks, where);
    for (int a = 0; status == PAV_OK && a < count; a++)
        for (int b = 0; b < count; b++)
            between[a * count + b] = halo_cost_of(
                ranks ? ranks_link(&where[a], &where[b])
                      : device_link(run->place[a].device, run->place[b].device));
    mem_free(where);
    return status;
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
    double *bytes = mem_new(count * count, sizeof *bytes);
    halo_cost *between = mem_new(count * count, sizeof *between);
    mem_free(run->cut.order);
    run->cut.order = mem_new(count, sizeof *run->cut.order);
    pav_status status = bytes && between && run->cut.order ? PAV_OK : PAV_ENOMEM;
    if (status == PAV_OK)
        status = find_links(run, between);
    for (int64_t n = 0; status == PAV_OK && n < decomposition_count(&run->cut.boxes); n++)
        add_faces(run, n, bytes);
    if (status == PAV_OK)
        run_order_places((int)count, bytes, between, run->cut.order);
    mem_free(bytes);
    mem_free(between);
    return status;
}

int run_place_of(const pav_run *run, int64_t n)
{
    const int group = run_group_of(run, n);
    return run->cut.order ? run->cut.order[group] : group;
}
