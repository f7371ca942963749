/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the fastest visits by the model of cost.h, within the limit of the memory. The
 * model goes by the rates of the device, of its link and of the disks: measured ones of
 * `pavior doctor --measure`, or else rates measured for the plan. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cost/cost.h"
#include "run/outofcore/outofcore_private.h"

/* ---- rates ------------------------------------------------------------------------- */

/* Bytes moved for a measurement: a sixteenth of the store, at most. */
enum { DISK_TRIAL = 64 << 20, LEAST_TRIAL = 4 << 20, DISK_UNIT = 1 << 20 };

/* ---- disks ------------------------------------------------------------------------- */

static pav_status time_both(striped *files, void *memory, int64_t bytes, double *seconds)
{
    uint64_t sum[DISK_TRIAL / DISK_UNIT] = {0};
    striped_move m = {0, bytes, DISK_UNIT, memory, sum, true};
    const double begun = clock_seconds();
    TRY(striped_begin(files, &m));
    TRY(striped_wait(files));
    m.write = false;
    TRY(striped_begin(files, &m));
    TRY(striped_wait(files));
    *seconds = clock_seconds() - begun;
    return PAV_OK;
}

static pav_status time_disks(const disk_tier *t, int64_t bytes, double *seconds)
{
    char *path[STRIPED_FILES] = {NULL};
    void *memory = mem_big(bytes);
    striped *files = NULL;
    pav_status status = memory ? PAV_OK : PAV_ENOMEM;
    for (int n = 0; n < t->paths && status == PAV_OK; n++) {
        text name = {0};
        text_add(&name, "%s/.pavior-trial-%ld-%d", t->path[n], (long)getpid(), n);
        status = text_take(&name, &path[n]);
    }
    const striped_options o = {.path = path, .paths = t->paths, .bytes = bytes};
    if (status == PAV_OK)
        status = striped_open(&o, &files);
    if (status == PAV_OK)
        memset(memory, 1, (size_t)bytes);
    if (status == PAV_OK)
        status = time_both(files, memory, bytes, seconds);
    striped_close(files);
    for (int n = 0; n < t->paths; n++)
        mem_free(path[n]);
    if (memory)
        mem_big_free(memory, bytes);
    return status;
}

/* Measures the rate each way while both go on. A failing disk is reported later by the
 * run. */
static void measure_disks(disk_tier *t)
{
    double seconds = 0;
    const int64_t bytes = int64_least(t->bytes / 16 / DISK_UNIT * DISK_UNIT, DISK_TRIAL);
    if (t->there || bytes < LEAST_TRIAL || time_disks(t, bytes, &seconds) != PAV_OK ||
        seconds <= 0)
        return;
    t->rate = (double)bytes / seconds;
    t->is_measured = true;
}

/* ---- devices ----------------------------------------------------------------------- */

/* True if the device's rates can be measured by a clock. */
static bool is_timed(const pav_run *run)
{
    const machine_facts m = place_machine(run_place(run), 1);
    return machine_has_link(&m);
}

/* If no memory is left to measure the link, its rates are assumed. */
void outofcore_measure(pav_run *run)
{
    outofcore *o = run->outofcore;
    /* An emulated GPU gets the visits of its model. */
    o->machine = machine_modelled(&run->client.machine);
    if (o->disk)
        measure_disks(o->disk);
    if (is_timed(run) && o->machine.rate.link.busy <= 0 &&
        place_link_rates(run_place(run), &o->machine.rate) != PAV_OK)
        o->machine.rate.link = o->machine.rate.staged = (machine_link){0};
}

/* The shape of a block. */
typedef struct visit_shape {
    int steps;
    int64_t width, stay;
    bool overlaps;
} visit_shape;

static visit_shape visits_of(const outofcore *o)
{
    return (visit_shape){o->steps, o->width, o->stay, o->overlaps};
}

/* ---- costs ------------------------------------------------------------------------- */

outofcore_plane outofcore_plane_of(const pav_run *run)
{
    outofcore_plane c = {0};
    for (int64_t n = 0; n < run->code->fields; n++) {
        const ir_field *f = &run->code->field[n];
        double one = f->memory ? 0 : (double)pav_type_size(f->storage);
        for (int axis = 0; axis < run->code->dim - 1; axis++)
            one *= (double)(f->extent[axis] + f->halo[axis][0] + f->halo[axis][1]);
        const bool whole = outofcore_is_whole(run->outofcore, f);
        const int kept = ir_kept_levels(f);
        c.uploaded += whole ? 0 : one * kept;
        c.downloaded += f->updated || f->shared ? one * kept : 0;
        c.step += one * (kept + f->updated);
        c.all += whole ? 0 : one * f->levels;
    }
    return c;
}

double outofcore_single_seconds(const pav_run *run)
{
    const schedule loops = {.kind = SCHEDULE_ROWS, .tile.ahead = 1};
    const cost_question q = {
        .code = run->part->code, .schedule = &loops, .machine = &run->client.machine};
    step_cost c;
    return cost_forecast(&q, &c) == PAV_OK ? c.seconds : 0;
}

/* Seconds of a step in core on processors, by the loops or tiles of the visits; 0 on a
 * GPU. */
static double kernels_of(const pav_run *run, int64_t width)
{
    const outofcore *o = run->outofcore;
    if (!outofcore_has_tiles(o))
        return run_has_launches(run) ? 0 : outofcore_single_seconds(run);
    if (!o->state.blocking.periodic[o->axis])
        return o->tile_seconds;
    /* On a periodic axis the last visit takes single steps. */
    const double last = 1 / (double)int64_most(o->extent / width, 1);
    return (1 - last) * o->tile_seconds + last * outofcore_single_seconds(run);
}

/* Windows computing at the same time: one on each device. */
static int side_by_side(const pav_run *run)
{
    return int_least(outofcore_at_once(run->outofcore), run->places);
}

static cost_visits visits_cost(const pav_run *run, const visit_shape *v)
{
    const outofcore_plane plane = outofcore_plane_of(run);
    outofcore with = *run->outofcore;
    with.width = v->width;
    with.stay = v->stay;
    const time_axis axis = outofcore_axis(&with, v->steps);
    int64_t out = 0;
    const int64_t planes = outofcore_planes(&with, v->steps, v->width, v->overlaps, &out);
    /* the cached part of a store on disk, besides these visits */
    const int64_t cached = with.disk ? disk_cached_planes(run, planes, v->width) : 0;
    cost_visits c = {.uploaded = plane.uploaded,
                     .downloaded = plane.downloaded,
                     .step = plane.step,
                     .all = plane.all,
                     .kernels = kernels_of(run, v->width),
                     .again = with.requested.again,
                     .steps = v->steps,
                     .launches = outofcore_launches(&with, v->steps, false),
                     .depth = with.launch.depth,
                     .stages = (int)outofcore_stages_of(&with),
                     .radius = with.launch.radius,
                     .halo = (int)with.halo,
                     .overlaps = v->overlaps,
                     .pinned = outofcore_pins(run, v->steps),
                     .disk = with.disk ? with.disk->rate / side_by_side(run) : 0,
                     .missing = 1 - (double)cached / (double)with.extent,
                     .extent = (double)with.extent,
                     .width = (double)v->width,
                     .kept = (double)(out - v->width),
                     .stay = (double)v->stay,
                     .visits = (double)axis.tiles,
                     .window = (double)(v->width + outofcore_reach(&with)),
                     .drained = (double)outofcore_most_shift(&with, v->steps),
                     .ends = axis.first == 0 || !v->overlaps};
    for (int64_t f = 0; f < run->code->fields; f++)
        c.buffers += outofcore_buffers(run, &run->code->field[f]);
    return c;
}

static step_cost forecast(const pav_run *run, const visit_shape *v)
{
    const cost_visits visits = visits_cost(run, v);
    step_cost c;
    (void)cost_forecast(
        &(cost_question){.machine = &run->outofcore->machine, .visits = &visits}, &c);
    return c;
}

double outofcore_seconds(const pav_run *run, double *work, double *link)
{
    const outofcore *o = run->outofcore;
    const visit_shape v = visits_of(o);
    const step_cost c = forecast(run, &v);
    const int at_once = side_by_side(run);
    *work = c.term[COST_MEMORY] / at_once;
    *link = c.term[COST_SYNCHRONISE] / at_once;
    /* The interpreter has no model. */
    const bool is_predicted = run_uses_device_memory(run) ? is_timed(run) : run->compiled;
    if (!is_predicted || o->why_stages[0])
        return 0;
    /* Resident planes are uploaded before the first block, and brought back after the
     * last. */
    const outofcore_plane plane = outofcore_plane_of(run);
    const machine_link rate = machine_link_of(&o->machine, outofcore_pins(run, v.steps));
    const double once = (double)v.stay * (plane.uploaded + plane.downloaded) / rate.alone;
    return c.seconds / at_once + (run->steps > 0 ? once / (double)run->steps : 0);
}

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
    return o->state.blocking.periodic[o->axis] ? o->extent / parts
                                               : int_parts(o->extent, parts);
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
    if (observed > 0)
        most = int64_least(most, observed);
    return (int)int64_least(most, TIME_MOST_STEPS);
}

/* ---- the cheapest ------------------------------------------------------------------ */

typedef struct choice {
    visit_shape best;
    double least; /* seconds of a step; 0: no choice yet */
} choice;

static void consider(const pav_run *run, const visit_shape *v, choice *c)
{
    const double cost = forecast(run, v).seconds;
    if (c->best.width == 0 || cost < c->least)
        *c = (choice){*v, cost};
}

/* `steps` or fewer: blocks until the next observation get equal lengths, in whole
 * launches. */
static int even(const pav_run *run, int steps, int most)
{
    const int64_t all = run_steps_to_observer(run);
    if (all <= 0 || run->outofcore->requested.steps > 0)
        return steps;
    const int64_t blocks = int_parts(all, steps);
    const int each = (int)int_parts(all, blocks),
              whole = (int)int_rounded(each, run->outofcore->launch.depth);
    return blocks > 1 && whole <= most ? whole : each;
}

/* Tries narrower visits, because they leave room for resident planes. If the memory holds
 * less than a third of the grid, too few planes could stay. */
static void try_resident_planes(const pav_run *run, const visit_shape *wide,
                                int64_t planes, choice *c)
{
    const outofcore *o = run->outofcore;
    const bool asked = o->requested.stays;
    if (!outofcore_may_be_resident(o) ||
        (asked ? o->requested.stay == 0 : 3 * planes < o->extent))
        return;
    visit_shape v = *wide;
    for (int64_t parts = int_parts(o->extent, v.width); v.width > 2 * o->halo;
         parts += 1 + parts / 3) {
        v.width = int_parts(o->extent, parts);
        /* the requested planes, or all that fit next to the window */
        int64_t out;
        const int64_t needed = outofcore_planes(o, v.steps, v.width, v.overlaps, &out);
        const int64_t room = int64_least(
            planes - needed, o->extent - v.width - outofcore_reach(o) + o->halo);
        v.stay = asked ? o->requested.stay : room;
        if (needed > 0 && v.stay <= room && v.stay > o->halo)
            consider(run, &v, c);
        if (o->requested.parts > 0)
            return;
    }
}

/* Tries narrower visits, because they leave host memory for cached planes of a store on
 * disk. */
static void consider_cached(const pav_run *run, const visit_shape *wide, choice *c)
{
    const outofcore *o = run->outofcore;
    visit_shape v = *wide;
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
    visit_shape v = {.steps = steps,
                     .overlaps = overlaps,
                     .width = widest(run, steps, overlaps, planes)};
    if (v.width == 0)
        return;
    const bool several = int_parts(o->extent, v.width) > 1;
    v.overlaps = overlaps && several;
    if (!o->requested.stay)
        consider(run, &v, c);
    if (several)
        try_resident_planes(run, &v, planes, c);
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
    const visit_shape v = visits_of(run->outofcore);
    return forecast(run, &v).seconds;
}

/* Uploads coefficients once if they fit, and if this gains more than the smaller window
 * loses. */
static bool choose_sent(const pav_run *run)
{
    outofcore *o = run->outofcore;
    const int most = most_steps(run);
    const bool found = choose_overlapped(run, most);
    const outofcore sent = *o;
    const double least = found ? cost_now(run) : 0;
    bool any = false; /* coefficients */
    o->sent_once = true;
    for (int64_t f = 0; f < run->code->fields && !o->requested.resend; f++)
        any = any || outofcore_is_whole(o, &run->code->field[f]);
    if (any && choose_overlapped(run, most) && (!found || cost_now(run) < least))
        return true;
    *o = sent;
    return found;
}

static void explain_single_steps(outofcore *o, int depth, double gain, double compiles)
{
    char costs[100] = "are compiled (--schedule time takes them)";
    if (isinf(compiles))
        (void)snprintf(costs, sizeof costs,
                       "are not in the cache, and may not be compiled");
    else if (compiles > 0)
        (void)snprintf(costs, sizeof costs,
                       "their compiler takes %.2g s (--schedule time takes them)",
                       compiles);
    (void)snprintf(o->launch.why_single, sizeof o->launch.why_single,
                   "launches of %d would gain %s by the model, and %s", depth,
                   duration_words(NULL, gain).s, costs);
}

/* Without a request, fused launches are chosen only if the whole run gains more than
 * their compile time. Kernels in the cache compile in no time. */
bool outofcore_choose(const pav_run *run)
{
    outofcore *o = run->outofcore;
    const bool found = choose_sent(run);
    if (o->launch.depth == 1 || outofcore_asks_for_launch(run))
        return found;
    const outofcore fused = *o;
    const double with = found ? cost_now(run) : 0;
    o->launch.depth = 1;
    const bool single = choose_sent(run);
    const double gain = single ? (cost_now(run) - with) * (double)run->steps : 0;
    const double compiles = place_compiles(run_place(run), &fused.launch.launch);
    if (found && (!single || gain > compiles))
        *o = fused;
    else if (found)
        explain_single_steps(o, fused.launch.depth, gain > 0 ? gain : 0, compiles);
    return found || single;
}
