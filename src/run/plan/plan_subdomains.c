/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a plan about a decomposed grid: the boxes, the halo widths, the exchanges
 * between neighbours, and a drawing. */
#include <stdio.h>
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/run_private.h"

/* ---- the drawing ------------------------------------------------------------------- */

/* A drawing of a decomposed grid: the numbers of its boxes in their positions. The
 * slowest cut axis points upwards and the fastest goes across. Slices along a third axis
 * stand side by side. */

enum { MOST_ROWS = 16, MOST_CELLS = 16 };

/* Axes: across, upwards, side by side; an axis without a cut has one box. */
static void find_axes(const decomposition *d, int dim, int axis[MAX_DIM])
{
    int cuts = 0;
    for (int a = 0; a < dim; a++)
        if (d->parts[a] > 1)
            axis[cuts++] = a;
    const int cut = cuts;
    for (int a = 0; a < MAX_DIM; a++)
        if (a >= dim || d->parts[a] == 1)
            axis[cuts++] = a;
    if (cut == MAX_DIM) { /* slices of y stand side by side, so z points upwards */
        axis[1] = 2;
        axis[2] = 1;
    }
}

static void add_row(const decomposition *d, const int axis[MAX_DIM], int64_t row,
                    int width, text *t)
{
    int64_t at[MAX_DIM];
    at[axis[1]] = row;
    for (int64_t layer = 0; layer < d->parts[axis[2]]; layer++) {
        at[axis[2]] = layer;
        text_add(t, "%s|", layer > 0 ? "   " : "");
        for (int64_t n = 0; n < d->parts[axis[0]]; n++) {
            at[axis[0]] = n;
            text_add(t, " %*lld |", width, (long long)decomposition_number(d, at));
        }
    }
}

static void add_legend(const decomposition *d, const int axis[MAX_DIM], text *t)
{
    text_add(t, "%-12s %c across", "", "xyz"[axis[0]]);
    if (d->parts[axis[1]] > 1)
        text_add(t, ", %c upwards", "xyz"[axis[1]]);
    if (d->parts[axis[2]] > 1)
        text_add(t, ", %c side by side", "xyz"[axis[2]]);
    text_add(t, "\n");
}

static void plan_drawing_text(const decomposition *d, int dim, text *t)
{
    int axis[MAX_DIM] = {0, 1, 2};
    char longest[24];
    find_axes(d, dim, axis);
    if (d->parts[axis[1]] > MOST_ROWS ||
        d->parts[axis[0]] * d->parts[axis[2]] > MOST_CELLS)
        return;
    const int width = snprintf(longest, sizeof longest, "%lld",
                               (long long)decomposition_count(d) - 1);
    for (int64_t row = d->parts[axis[1]] - 1; row >= 0; row--) {
        text_add(t, "%-12s ", "");
        add_row(d, axis, row, width, t);
        text_add(t, "\n");
    }
    add_legend(d, axis, t);
}

/* ---- boxes and exchanges ----------------------------------------------------------- */

enum { MOST_LISTED = 16 };

static int deepest(const subdomain *part, const bool *cut)
{
    const ir *code = part->code;
    int most = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const halo_depth d = subdomain_depth(part, f);
        for (int face = 0; face < 2 * code->dim; face++)
            if (cut[face / 2] && d.side[face / 2][face % 2] > most)
                most = d.side[face / 2][face % 2];
    }
    return most;
}

static void add_box(const subdomain *inner, int dim, text *t)
{
    for (int axis = 0; axis < dim; axis++)
        text_add(t, "%s%c %lld to %lld", axis ? ", " : "", "xyz"[axis],
                 (long long)inner -> grid -> box.lo[axis],
                 (long long)inner->grid->box.hi[axis] - 1);
}

/* Names each neighbour once, even if a periodic axis has only two boxes. */
static void add_neighbours(const pav_run *run, int64_t n, const char *between, text *t)
{
    const char *next = "";
    for (int axis = 0; axis < run->code->dim; axis++) {
        const int64_t before = run_neighbour(run, n, axis, 0);
        const int64_t after = run_neighbour(run, n, axis, 1);
        if (before >= 0)
            text_add(t, "%s%lld", next, (long long)before);
        next = before >= 0 ? between : next;
        if (after >= 0 && after != before)
            text_add(t, "%s%lld", next, (long long)after);
        next = after >= 0 ? between : next;
    }
}

/* The transport between two places. Executors in the same memory may not be open yet;
 * those of devices are. */
static const char *transport_name(const pav_run *run, const subdomain *s,
                                  const subdomain *other)
{
    const int a = s->place, b = other->place;
    if (s->rank != other->rank)
        return transport_between_ranks(places_have_memory(run) ? run->place->executor
                                                               : NULL)
            ->name;
    executor *to = run->place[a].executor, *from = run->place[b].executor;
    if (a == b)
        return "same memory";
    return to && from ? transport_between(to, from)->name : "staged copy";
}

static void add_transports(const pav_run *run, text *t)
{
    const subdomain *whole = run->part;
    const char *listed[3] = {NULL};
    int count = 0;
    for (int64_t n = 1; n < whole->inners; n++) {
        const char *name = transport_name(run, &whole->inner[n], &whole->inner[n - 1]);
        bool is_new = true;
        for (int k = 0; k < count; k++)
            is_new = is_new && strcmp(listed[k], name) != 0;
        if (is_new)
            text_add(t, "%s%s", count ? ", " : "", name);
        if (is_new)
            listed[count++] = name;
    }
}

static void add_period(const subdomain *whole, const char *before, text *t)
{
    const int steps = wide_halo_steps(whole->wide);
    if (steps > 1)
        text_add(t, "%severy %d steps", before, steps);
    else
        text_add(t, "%sa step", before);
}

static void add_choice(const pav_run *run, text *t)
{
    if (run->cut.exchange_every > 1)
        text_add(t,
                 "%-12s the model chose every %d steps: an exchange a step would take "
                 "%.3g us of it (--exchange-every 1 asks for that)\n",
                 "", run->cut.exchange_every, 1e6 * run->cut.exchange);
}

/* The messages and bytes received by one box in an exchange, from all its neighbours. */
static exchange_cost received_by(const pav_plan *plan, int64_t n)
{
    exchange_cost all = {.from = -1};
    for (int face = 0; face < 2 * plan->run->code->dim; face++) {
        const exchange_cost *c = &plan->exchange[n * 2 * MAX_DIM + face];
        all.messages += c->messages;
        all.bytes += c->bytes;
        all.seconds += c->seconds;
    }
    return all;
}

static void add_exchange(const pav_plan *plan, text *t)
{
    int64_t messages = 0;
    double most = 0;
    for (int64_t n = 0; n < plan->run->part->inners; n++) {
        const exchange_cost own = received_by(plan, n);
        messages += own.messages;
        most = own.seconds > most ? own.seconds : most;
    }
    text_add(t, "%-12s an exchange is %lld messages; by the model a box waits for its ",
             "", (long long)messages);
    text_add(t, "own for %.3g us at most\n", 1e6 * most);
}

/* The share of slab n in the cost of all planes across an axis, in percent. */
static double load_of(const pav_run *run, int axis, int64_t n)
{
    const int64_t *cut = run->cut.boxes.cut[axis];
    double all = 0, own = 0;
    for (int64_t k = 0; k < cut[run->cut.boxes.parts[axis]]; k++) {
        all += run->cut.load[axis][k];
        own += k >= cut[n] && k < cut[n + 1] ? run->cut.load[axis][k] : 0;
    }
    return all > 0 ? 100 * own / all : 0;
}

static void add_loads_along(const pav_run *run, int axis, text *t)
{
    for (int64_t n = 0; n < run->cut.boxes.parts[axis] && n < MOST_LISTED; n++)
        text_add(t, "%s%.3g", n ? ", " : "", load_of(run, axis, n));
    if (run->cut.boxes.parts[axis] > MOST_LISTED)
        text_add(t, ", ...");
}

static void add_loads(const pav_run *run, text *t)
{
    if (run->cut.unknown_mask)
        text_add(t,
                 "%-12s a mask is not known before the run: boxes are cut without it\n",
                 "");
    if (!run->cut.load[0])
        return;
    text_add(t, "%-12s weights: masks let %.3g %% of the points compute, of whose ", "",
             100 * run->cut.computed_share);
    text_add(t, "rows boxes have");
    const char *next = "";
    for (int axis = 0; axis < run->code->dim; axis++)
        if (run->cut.boxes.parts[axis] > 1) {
            text_add(t, "%s along %c ", next, "xyz"[axis]);
            add_loads_along(run, axis, t);
            text_add(t, " %%");
            next = ";";
        }
    text_add(t, "\n");
}

void plan_subdomains_text(const pav_plan *plan, text *t)
{
    const subdomain *whole = plan->run->part;
    const int dim = whole->code->dim;
    if (!plan->run->cut.is_cut)
        return;
    text_add(t, "%-12s ", "subdomains");
    text_add_extent(t, dim, plan->run->cut.boxes.parts);
    text_add(t, ", halos up to %d deep, ", deepest(whole, whole->inner->grid->cut));
    text_add_bytes_size(t, split_exchange_bytes(whole));
    add_period(whole, " exchanged ", t);
    text_add(t, " (");
    add_transports(plan->run, t);
    text_add(t, ")\n");
    add_choice(plan->run, t);
    if (plan->run->cut.hybrid)
        text_add(t, "%-12s %s\n", "", plan->run->cut.hybrid);
    add_exchange(plan, t);
    add_loads(plan->run, t);
    launches_text(plan->run, t);
    plan_drawing_text(&plan->run->cut.boxes, dim, t);
    for (int64_t n = 0; n < whole->inners && n < MOST_LISTED; n++) {
        text_add(t, "%-12s %lld", "", (long long)n);
        if (whole->ranks)
            text_add(t, " on rank %d", whole->inner[n].rank);
        if (plan->run->places > 1)
            text_add(t, " on %s", plan->run->place[whole->inner[n].place].name);
        text_add(t, ": ");
        add_box(&whole->inner[n], dim, t);
        text_add(t, "; ");
        text_add_bytes_size(t, split_bytes_of(&whole->inner[n]));
        add_period(whole, " ", t);
        text_add(t, " from ");
        add_neighbours(plan->run, n, ", ", t);
        const exchange_cost own = received_by(plan, n);
        text_add(t, " in %lld message%s, %.3g us\n", (long long)own.messages,
                 own.messages == 1 ? "" : "s", 1e6 * own.seconds);
    }
    if (whole->inners > MOST_LISTED)
        text_add(t, "%-12s and %lld more\n", "", (long long)whole->inners - MOST_LISTED);
}

static void add_indices(const int64_t *index, int dim, text *t)
{
    for (int axis = 0; axis < dim; axis++)
        text_add(t, "%s%lld", axis ? ", " : "[", (long long)index[axis]);
    text_add(t, "]");
}

static void add_messages(const pav_plan *plan, int64_t n, text *t)
{
    const char *next = "";
    for (int face = 0; face < 2 * plan->run->code->dim; face++) {
        const exchange_cost *c = &plan->exchange[n * 2 * MAX_DIM + face];
        if (c->from < 0)
            continue;
        text_add(t, "%s{\"from\": %lld, \"count\": %lld, ", next, (long long)c->from,
                 (long long)c->messages);
        text_add(t, "\"bytes\": %lld, \"seconds\": %.6g, \"by\": ", (long long)c->bytes,
                 c->seconds);
        text_add_json(t, transport_name(plan->run, &plan->run->part->inner[n],
                                        &plan->run->part->inner[c->from]));
        text_add(t, "}");
        next = ", ";
    }
}

void plan_subdomains_json(const pav_plan *plan, text *t)
{
    const subdomain *whole = plan->run->part;
    const int dim = whole->code->dim;
    const int64_t count = plan->run->cut.is_cut ? whole->inners : 0;
    text_add(t, ", \"subdomains\": [");
    for (int64_t n = 0; n < count; n++) {
        text_add(t, "%s{\"rank\": %d, \"place\": ", n ? ", " : "", whole->inner[n].rank);
        text_add_json(t, plan->run->place[whole->inner[n].place].name);
        text_add(t, ", \"from\": ");
        add_indices(whole->inner[n].grid->box.lo, dim, t);
        text_add(t, ", \"end\": ");
        add_indices(whole->inner[n].grid->box.hi, dim, t);
        text_add(t, ", \"neighbours\": [");
        add_neighbours(plan->run, n, ", ", t);
        text_add(t, "], \"messages\": [");
        add_messages(plan, n, t);
        text_add(t, "], \"received_bytes\": %lld}",
                 (long long)split_bytes_of(&whole->inner[n]));
    }
    text_add(t, "], \"exchanged_bytes\": %lld, \"exchange_every\": %d",
             (long long)(count ? split_exchange_bytes(whole) : 0),
             wide_halo_steps(whole->wide));
    for (int axis = 0; axis < dim && count > 0 && plan->run->cut.load[axis]; axis++) {
        text_add(t, ", \"weights_%c\": [", "xyz"[axis]);
        for (int64_t n = 0; n < plan->run->cut.boxes.parts[axis]; n++)
            text_add(t, "%s%.6g", n ? ", " : "", load_of(plan->run, axis, n));
        text_add(t, "]");
    }
}
