/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a plan about a decomposed grid: the boxes, the halo widths, the exchanges
 * between neighbours, and a drawing. */
#include <stdio.h>
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/record_private.h"
#include "run/run_private.h"

/* ---- the drawing ------------------------------------------------------------------- */

/* A drawing of a decomposed grid: the numbers of its boxes in their positions. The
 * slowest cut axis points upwards and the fastest goes across. Slices along a third axis
 * stand side by side. */

enum { MOST_ROWS = 16, MOST_CELLS = 16 };

static void plan_drawing_text(const decomposition *d, int dim, text *t)
{
    int axis[MAX_DIM] = {0, 1, 2};
    char longest[24];
    /* Axes: across, upwards, side by side; an axis without a cut has one box. */
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
    if (d->parts[axis[1]] > MOST_ROWS ||
        d->parts[axis[0]] * d->parts[axis[2]] > MOST_CELLS)
        return;
    const int width = snprintf(longest, sizeof longest, "%lld",
                               (long long)decomposition_count(d) - 1);
    for (int64_t row = d->parts[axis[1]] - 1; row >= 0; row--) {
        text_add(t, "%-12s ", "");
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
        text_add(t, "\n");
    }
    text_add(t, "%-12s %c across", "", "xyz"[axis[0]]);
    if (d->parts[axis[1]] > 1)
        text_add(t, ", %c upwards", "xyz"[axis[1]]);
    if (d->parts[axis[2]] > 1)
        text_add(t, ", %c side by side", "xyz"[axis[2]]);
    text_add(t, "\n");
}

/* ---- boxes and exchanges ----------------------------------------------------------- */

enum { MOST_LISTED = 16 };

static int deepest(const subdomain *part, const bool *cut)
{
    const ir *code = part->code;
    int most = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const halo_depth d = subdomain_depth(part, f);
        for (int axis = 0; axis < code->dim; axis++)
            if (cut[axis])
                most = int_most(most, int_most(d.side[axis][0], d.side[axis][1]));
    }
    return most;
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
    return a == b       ? "same memory"
           : to && from ? transport_between(to, from)->name
                        : "staged copy";
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

static void add_loads(const pav_run *run, text *t)
{
    const char *next = "";
    if (run->cut.unknown_mask)
        text_add(t,
                 "%-12s a mask is not known before the run: boxes are cut without it\n",
                 "");
    if (!run->cut.load[0])
        return;
    text_add(t,
             "%-12s weights: masks let %.3g %% of the points compute, of whose rows "
             "boxes have",
             "", 100 * run->cut.computed_share);
    for (int axis = 0; axis < run->code->dim; axis++)
        if (run->cut.boxes.parts[axis] > 1) {
            text_add(t, "%s along %c ", next, "xyz"[axis]);
            for (int64_t n = 0; n < run->cut.boxes.parts[axis] && n < MOST_LISTED; n++)
                text_add(t, "%s%.3g", n ? ", " : "", load_of(run, axis, n));
            text_add(t, "%s %%", run->cut.boxes.parts[axis] > MOST_LISTED ? ", ..." : "");
            next = ";";
        }
    text_add(t, "\n");
}

/* One line of the list of boxes. */
static void add_box(const pav_plan *plan, int64_t n, const char *period, text *t)
{
    const pav_run *run = plan->run;
    const subdomain *inner = &run->part->inner[n];
    const exchange_cost own = received_by(plan, n);
    const box *b = &inner->grid->box;
    OWNED_BY(text_free) text extent = {0}, from = {0};
    for (int axis = 0; axis < run->code->dim; axis++)
        text_add(&extent, "%s%c %lld to %lld", axis ? ", " : "", "xyz"[axis],
                 (long long)b -> lo[axis], (long long)b -> hi[axis] - 1);
    add_neighbours(run, n, ", ", &from);
    const json_fact fact[] = {
        json_count("box", n),
        json_count("rank", inner->rank),
        json_word("place", run->place[inner->place].name),
        json_word("extent", extent.data),
        in_unit(&unit_bytes, json_count("bytes", split_bytes_of(inner))),
        json_word("period", period),
        json_word("from", from.data),
        json_count("messages", own.messages),
        in_unit(&unit_microseconds, json_number("seconds", own.seconds)),
        {.kind = JSON_END}};
    SAY(t, fact, {"", true, "{box}"}, {NULL, run->part->ranks != NULL, " on rank {rank}"},
        {NULL, run->places > 1, " on {place}"},
        {NULL, true,
         ": {extent}; {bytes} {period} from {from} in {messages:message}, {seconds}"});
    t->failed |= extent.failed || from.failed;
}

static int64_t exchange_bytes(const subdomain *whole)
{
    int64_t bytes = 0;
    for (int64_t n = 0; n < whole->inners; n++)
        bytes += split_bytes_of(&whole->inner[n]);
    return bytes;
}

void plan_subdomains_text(const pav_plan *plan, text *t)
{
    const pav_run *run = plan->run;
    const subdomain *whole = run->part;
    const int dim = whole->code->dim, steps = wide_halo_steps(whole->wide);
    char period[40] = "a step";
    int64_t messages = 0;
    double most = 0;
    OWNED_BY(text_free) text transports = {0};
    if (!run->cut.is_cut)
        return;
    if (steps > 1)
        (void)snprintf(period, sizeof period, "every %d steps", steps);
    add_transports(run, &transports);
    for (int64_t n = 0; n < whole->inners; n++) {
        const exchange_cost own = received_by(plan, n);
        messages += own.messages;
        most = own.seconds > most ? own.seconds : most;
    }
    const short_words parts = extent_words(t, dim, run->cut.boxes.parts);
    const json_fact fact[] = {
        json_word("parts", parts.s),
        json_count("depth", deepest(whole, whole->inner->grid->cut)),
        in_unit(&unit_bytes, json_count("bytes", exchange_bytes(whole))),
        json_word("period", period),
        json_word("transports", transports.data),
        json_count("every", run->cut.exchange_every),
        in_unit(&unit_microseconds, json_number("exchange", run->cut.exchange)),
        json_word("hybrid", run->cut.hybrid),
        json_count("messages", messages),
        in_unit(&unit_microseconds, json_number("most", most)),
        json_count("others", whole->inners - MOST_LISTED),
        {.kind = JSON_END}};
    SAY(t, fact,
        {"subdomains", true,
         "{parts}, halos up to {depth} deep, {bytes} exchanged {period} ({transports})"},
        {"", run->cut.exchange_every > 1,
         "the model chose every {every} steps: with --exchange-every 1 an exchange "
         "would take {exchange} of each step"},
        {"", run->cut.hybrid != NULL, "{hybrid}"},
        {"", true,
         "an exchange is {messages} messages; by the model a box waits for its own for "
         "{most} at most"});
    add_loads(run, t);
    launches_text(run, t);
    plan_drawing_text(&run->cut.boxes, dim, t);
    for (int64_t n = 0; n < whole->inners && n < MOST_LISTED; n++)
        add_box(plan, n, period, t);
    SAY(t, fact, {"", whole->inners > MOST_LISTED, "and {others} more"});
    t->failed |= transports.failed;
}

void plan_subdomains_json(const pav_plan *plan, text *t)
{
    const subdomain *whole = plan->run->part;
    const int dim = whole->code->dim;
    const int64_t count = plan->run->cut.is_cut ? whole->inners : 0;
    json_open(t, "subdomains", '[');
    for (int64_t n = 0; n < count; n++) {
        const subdomain *inner = &whole->inner[n];
        json_open(t, NULL, '{');
        JSON_ADD(t, json_count("rank", inner->rank),
                 json_word("place", plan->run->place[inner->place].name));
        json_list(t, "from", inner->grid->box.lo, dim);
        json_list(t, "end", inner->grid->box.hi, dim);
        json_open(t, "neighbours", '[');
        add_neighbours(plan->run, n, ", ", t);
        text_add(t, "]");
        json_open(t, "messages", '[');
        for (int face = 0; face < 2 * plan->run->code->dim; face++) {
            const exchange_cost *c = &plan->exchange[n * 2 * MAX_DIM + face];
            if (c->from < 0)
                continue;
            JSON_OBJECT(t, NULL, json_count("from", c->from),
                        json_count("count", c->messages), json_count("bytes", c->bytes),
                        json_digits("seconds", 6, c->seconds),
                        json_word("by", transport_name(plan->run, inner,
                                                       &whole->inner[c->from])));
        }
        text_add(t, "]");
        JSON_ADD(t, json_count("received_bytes", split_bytes_of(inner)));
        text_add(t, "}");
    }
    text_add(t, "]");
    JSON_ADD(t, json_count("exchanged_bytes", count ? exchange_bytes(whole) : 0),
             json_count("exchange_every", wide_halo_steps(whole->wide)));
    for (int axis = 0; axis < MAX_DIM && axis < dim && count > 0; axis++) {
        static const char *const keys[MAX_DIM] = {"weights_x", "weights_y", "weights_z"};
        if (!plan->run->cut.load[axis])
            break;
        json_open(t, keys[axis], '[');
        for (int64_t n = 0; n < plan->run->cut.boxes.parts[axis]; n++)
            JSON_ADD(t, json_digits(NULL, 6, load_of(plan->run, axis, n)));
        text_add(t, "]");
    }
}
