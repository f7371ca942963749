/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the fastest visits by the model, within the limit of the memory. */
#include <math.h>
#include <stdio.h>

#include "run/outofcore/outofcore_private.h"

/* ---- steps and width --------------------------------------------------------------- */

/* True if the host's memory holds the window and the staging memory for the disk. */
static bool holds(const pav_run *run, int64_t planes, int64_t width)
{
    const disk_tier *t = run->outofcore->disk;
    int64_t bytes = 0, all;
    if (!t)
        return true;
    return (run_uses_device_memory(run) || outofcore_bytes(run, planes, &bytes)) &&
           bytes <= t->limit / run->outofcore->windows &&
           add_fits(bytes * run->outofcore->windows, disk_staged_bytes(run, width),
                    &all) &&
           all <= t->limit;
}

static int64_t width_of(const outofcore *o, int64_t parts)
{
    const bool periodic = o->state.blocking.periodic[o->axis];
    return periodic ? o->extent / parts : int_parts(o->extent, parts);
}

/* Parameters of a visit, without its width. */
typedef struct visit_question {
    const pav_run *run;
    int steps;
    bool overlaps;
    int64_t planes; /* of a window */
} visit_question;

static bool has_room(const visit_question *r, int64_t parts)
{
    int64_t out;
    const int64_t width = width_of(r->run->outofcore, parts),
                  needed = outofcore_planes(r->run->outofcore, r->steps, width,
                                            r->overlaps, &out);
    return needed > 0 && needed <= r->planes && holds(r->run, needed, width);
}

/* The most parts, counted from `first` on, of sufficient width; first - 1: even `first`
 * parts are too narrow. */
static int64_t most_parts(const outofcore *o, int steps, int64_t first)
{
    int64_t good = first - 1, end = o->extent + 1;
    while (good + 1 < end) {
        const int64_t middle = good + (end - good) / 2;
        if (outofcore_is_wide_enough(o, steps, width_of(o, middle)))
            good = middle;
        else
            end = middle;
    }
    return good;
}

/* The largest width of equal parts in a window of `planes` planes; 0: none. Narrower
 * parts never need more planes, so bisection finds it. */
static int64_t widest(const pav_run *run, int steps, bool overlaps, int64_t planes)
{
    const outofcore *o = run->outofcore;
    const visit_question r = {run, steps, overlaps, planes};
    const int64_t parts = o->requested.parts;
    if (planes <= 0 || parts > o->extent)
        return 0;
    if (parts > 0)
        return has_room(&r, parts) ? width_of(o, parts) : 0;
    int64_t least = int_parts(o->extent, planes), most = most_parts(o, steps, least);
    if (most < least || !has_room(&r, most))
        return 0;
    while (least < most) {
        const int64_t middle = least + (most - least) / 2;
        if (has_room(&r, middle))
            most = middle;
        else
            least = middle + 1;
    }
    return width_of(o, most);
}

static int most_steps(const pav_run *run)
{
    const outofcore_request *r = &run->outofcore->requested;
    const int64_t observed = run_steps_to_observer(run);
    int64_t most = r->single ? 1 : r->steps > 0 ? r->steps : TIME_MOST_STEPS;
    if (observed > 0 && observed < most)
        most = observed;
    return (int)(most < TIME_MOST_STEPS ? most : TIME_MOST_STEPS);
}

/* ---- the cheapest ------------------------------------------------------------------ */

outofcore_visits outofcore_visits_of(const outofcore *o)
{
    return (outofcore_visits){o->steps, o->width, o->stay, o->overlaps};
}

typedef struct choice {
    outofcore_visits best;
    double least; /* seconds of a step; 0: no choice yet */
} choice;

static void consider(const pav_run *run, const outofcore_visits *v, choice *c)
{
    const double cost = outofcore_cost(run, v);
    if (c->best.width > 0 && cost >= c->least)
        return;
    *c = (choice){*v, cost};
}

/* `steps` or fewer: blocks until the next observation get equal lengths, in whole
 * launches. */
static int even(const pav_run *run, int steps, int most)
{
    const int64_t all = run_steps_to_observer(run);
    const int depth = run->outofcore->depth;
    if (all <= 0 || run->outofcore->requested.steps > 0)
        return steps;
    const int64_t blocks = (all + steps - 1) / steps;
    const int each = (int)((all + blocks - 1) / blocks);
    const int whole = (each + depth - 1) / depth * depth;
    return blocks > 1 && whole <= most ? whole : each;
}

/* Planes that can be resident next to a window for these visits: the requested number, or
 * all that fit. Negative: no room. */
static int64_t room_to_stay(const pav_run *run, const outofcore_visits *v, int64_t planes)
{
    const outofcore *o = run->outofcore;
    const int64_t end = o->extent - v->width - outofcore_reach(o);
    int64_t out;
    const int64_t needed = outofcore_planes(o, v->steps, v->width, v->overlaps, &out);
    const int64_t free = planes - needed, most = end + o->halo;
    const int64_t room = free < most ? free : most;
    const int64_t asked = o->requested.stays ? o->requested.stay : room;
    return needed == 0 || asked > room ? -1 : asked;
}

/* Tries narrower visits, because they leave room for resident planes. If the memory holds
 * less than a third of the grid, too few planes could stay. */
static void consider_stay(const pav_run *run, const outofcore_visits *wide,
                          int64_t planes, choice *c)
{
    const outofcore *o = run->outofcore;
    const bool asked = o->requested.stays;
    if (!outofcore_may_be_resident(o) ||
        (asked ? o->requested.stay == 0 : 3 * planes < o->extent))
        return;
    outofcore_visits v = *wide;
    for (int64_t parts = int_parts(o->extent, v.width); v.width > 2 * o->halo;
         parts += 1 + parts / 3) {
        v.width = int_parts(o->extent, parts);
        v.stay = room_to_stay(run, &v, planes);
        if (v.stay > o->halo)
            consider(run, &v, c);
        if (o->requested.parts > 0)
            return;
    }
}

/* Tries narrower visits, because they leave host memory for cached planes of a store on
 * disk. */
static void consider_cached(const pav_run *run, const outofcore_visits *wide, choice *c)
{
    const outofcore *o = run->outofcore;
    outofcore_visits v = *wide;
    const bool may = o->disk && o->requested.host_bytes > 0 && o->requested.parts == 0;
    for (int64_t parts = int_parts(o->extent, v.width) + 1; may && v.width > 2 * o->halo;
         parts += 1 + parts / 3) {
        int64_t out;
        v.width = o->state.blocking.periodic[o->axis] ? o->extent / parts
                                                      : int_parts(o->extent, parts);
        if (outofcore_planes(o, v.steps, v.width, v.overlaps, &out) > 0)
            consider(run, &v, c);
    }
}

static void consider_steps(const pav_run *run, int steps, bool overlaps, int64_t planes,
                           choice *c)
{
    const outofcore *o = run->outofcore;
    outofcore_visits v = {.steps = steps, .overlaps = overlaps};
    v.width = widest(run, steps, overlaps, planes);
    if (v.width == 0)
        return;
    const bool several = int_parts(o->extent, v.width) > 1;
    v.overlaps = overlaps && several;
    if (!o->requested.stay)
        consider(run, &v, c);
    if (several)
        consider_stay(run, &v, planes, c);
    consider_cached(run, &v, c);
}

/* Tries fewer and fewer steps, by a tenth each time; false: none fits. */
static bool choose_by(const pav_run *run, int most, int64_t planes, bool only_overlapped)
{
    outofcore *o = run->outofcore;
    const bool may_overlap = !o->requested.single && !o->requested.again &&
                             !o->requested.between && !o->disk;
    choice c = {.least = 0};
    o->stay = 0;
    for (int next = most; next > 0; next -= 1 + next / 10) {
        const int steps = even(run, next, most);
        for (int overlaps = may_overlap; overlaps >= only_overlapped; overlaps--)
            consider_steps(run, steps, overlaps, planes, &c);
        if (o->requested.steps > 0 && c.best.width > 0)
            break;
    }
    o->steps = c.best.steps;
    o->width = c.best.width;
    o->stay = c.best.stay;
    o->overlaps = c.best.overlaps;
    return o->width > 0;
}

static bool choose_overlapped(const pav_run *run, int most)
{
    const bool overlapped = run->outofcore->requested.overlapped && !run->outofcore->disk;
    const int64_t planes = outofcore_most_planes(run);
    return choose_by(run, most, planes, overlapped) ||
           (overlapped && choose_by(run, most, planes, false));
}

static double cost_now(const pav_run *run)
{
    const outofcore_visits v = outofcore_visits_of(run->outofcore);
    return outofcore_cost(run, &v);
}

static bool has_constants(const pav_run *run)
{
    outofcore whole = {.sent_once = true};
    for (int64_t f = 0; f < run->code->fields; f++)
        if (outofcore_is_whole(&whole, &run->code->field[f]))
            return true;
    return false;
}

/* Uploads coefficients once if they fit, and if this gains more than the smaller window
 * loses. */
static bool choose_sent(const pav_run *run)
{
    outofcore *o = run->outofcore;
    const int most = most_steps(run);
    const bool found = choose_overlapped(run, most);
    const outofcore sent = *o;
    if (o->requested.resend || !has_constants(run))
        return found;
    const double least = found ? cost_now(run) : 0;
    o->sent_once = true;
    if (choose_overlapped(run, most) && (!found || cost_now(run) < least))
        return true;
    *o = sent;
    return found;
}

static void say_no_gain(outofcore *o, int depth, double gain, double compiles)
{
    text t = {0};
    text_add(&t, "launches of %d would gain ", depth);
    text_add_duration(&t, gain);
    text_add(&t, " by the model, and ");
    if (isinf(compiles))
        text_add(&t, "are not in the cache, and may not be compiled");
    else if (compiles > 0)
        text_add(&t, "their compiler takes %.2g s (--schedule time takes them)",
                 compiles);
    else
        text_add(&t, "are compiled (--schedule time takes them)");
    (void)snprintf(o->why_single, sizeof o->why_single, "%s", t.data ? t.data : "");
    text_free(&t);
}

/* Without a request, fused launches are chosen only if the whole run gains more than
 * their compile time. Kernels in the cache compile in no time. */
bool outofcore_choose(const pav_run *run)
{
    outofcore *o = run->outofcore;
    const bool found = choose_sent(run);
    if (o->depth == 1 || outofcore_asks_for_launch(run))
        return found;
    const outofcore fused = *o;
    const double with = found ? cost_now(run) : 0;
    o->depth = 1;
    const bool single = choose_sent(run);
    const double gain = single ? (cost_now(run) - with) * (double)run->steps : 0;
    const double compiles = place_compiles(run_place(run), &fused.launch);
    if (found && (!single || gain > compiles))
        *o = fused;
    else if (found)
        say_no_gain(o, fused.depth, gain > 0 ? gain : 0, compiles);
    return found || single;
}
