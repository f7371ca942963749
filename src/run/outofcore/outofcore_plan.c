/* SPDX-License-Identifier: BSD-3-Clause */
/* How many steps a block has, and how many planes a visit goes on by: as many as the
 * device's memory holds the window of.
 *
 * A block of T steps sends each plane once, so many steps are good; but the window keeps
 * T times the skew of a step besides the planes that a visit goes on by, and what it
 * keeps is moved within it. */
#include "run/outofcore/outofcore_private.h"

/* ---- memory ------------------------------------------------------------------------ */

field_shape outofcore_shape_of(const pav_run *run, const ir_field *f, int64_t planes)
{
    const int axis = run->outofcore->axis;
    field_shape shape = run_shape_of(run, f);
    shape.count = outofcore_buffers(run, f);
    if (outofcore_is_whole(run->outofcore, f))
        return shape;
    shape.extent[axis] = f->coarse ? 1 : planes; /* of those nothing is visited */
    shape.halo[axis][0] = shape.halo[axis][1] = 0;
    return shape;
}

static bool fields_bytes(const pav_run *run, int64_t planes, int64_t *bytes)
{
    const ir *code = run->code;
    *bytes = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const field_shape shape = outofcore_shape_of(run, &code->field[f], planes);
        levels_size size;
        if (code->field[f].memory)
            continue;
        if (!levels_measure(&shape, &size) || !add_fits(*bytes, size.bytes, bytes))
            return false;
    }
    return true;
}

static bool window_bytes(const pav_run *run, int64_t planes, int64_t *bytes)
{
    const executor *far = places_far(run);
    const int64_t beside = far ? subdomain_table_bytes(run->code) +
                                     far->there->reduction_bytes(run->code)
                               : 0;
    return fields_bytes(run, planes, bytes) && add_fits(*bytes, beside, bytes);
}

bool outofcore_window_bytes(const pav_run *run, int64_t *planes, int64_t *bytes)
{
    *planes = run->outofcore->planes;
    return fields_bytes(run, *planes, bytes);
}

/* The most planes of a window that the memory holds; 0: none. */
static int64_t most_planes(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    int64_t lo = 0, hi = 4 * (o->extent + 2 * o->halo + o->unit);
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo + 1) / 2;
        int64_t bytes;
        if (window_bytes(run, middle, &bytes) && bytes <= o->limit)
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}

/* ---- steps and width --------------------------------------------------------------- */

/* With the memory that planes on their way to a disk take besides the window. */
static bool holds(const pav_run *run, int64_t planes, int64_t width)
{
    const disk_tier *t = run->outofcore->disk;
    int64_t bytes = 0, all;
    if (!t)
        return true;
    return (places_far(run) || window_bytes(run, planes, &bytes)) &&
           add_fits(bytes, disk_staged_bytes(run, width), &all) && all <= t->limit;
}

/* The widest that a window of so many planes allows, of equal parts; 0: none. */
static int64_t widest(const pav_run *run, int steps, bool overlaps, int64_t planes)
{
    const outofcore *o = run->outofcore;
    int64_t out;
    const int64_t first = o->requested.parts > 0 ? o->requested.parts : 1;
    const bool periodic = o->state.blocking.periodic[o->axis];
    for (int64_t parts = first; parts <= o->extent; parts++) {
        const int64_t width = periodic ? o->extent / parts
                                       : (o->extent + parts - 1) / parts;
        const int64_t needed = outofcore_planes(o, steps, width, overlaps, &out);
        if (needed > 0 && needed <= planes && holds(run, needed, width))
            return width;
        if (needed == 0 || o->requested.parts > 0)
            return 0;
    }
    return 0;
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

static double plane_bytes(const pav_run *run, const ir_field *f)
{
    double bytes = (double)pav_type_size(f->storage);
    for (int axis = 0; axis < run->code->dim - 1; axis++)
        bytes *= (double)(f->extent[axis] + f->halo[axis][0] + f->halo[axis][1]);
    return bytes;
}

/* Of one plane: that come and go each block, that a step reads and stores, and of all its
 * buffers. */
typedef struct plane_cost {
    double come, go, step, all;
} plane_cost;
static plane_cost plane_cost_of(const pav_run *run)
{
    plane_cost c = {0};
    for (int64_t n = 0; n < run->code->fields; n++) {
        const ir_field *f = &run->code->field[n];
        const double one = f->memory ? 0 : plane_bytes(run, f);
        const bool whole = outofcore_is_whole(run->outofcore, f);
        const int spare = f->updated && f->levels > 1 && !f->shared;
        c.come += whole ? 0 : one * (f->levels - spare);
        c.go += f->updated || f->shared ? one * (f->levels - spare) : 0;
        c.step += one * (f->levels > 1 ? f->levels : 1 + f->updated);
        c.all += whole ? 0 : one * f->levels;
    }
    return c;
}

/* How much more than its own planes a launch reads. */
static double around(int64_t planes, double width)
{
    return (width + (double)planes) / width;
}

/* Seconds of a step whose planes are all computed once: fused launches move about as much
 * as a step, and read planes around their own. */
static double work_of(const pav_run *run, const machine_facts *m, int steps,
                      int64_t width, double planes)
{
    const outofcore *o = run->outofcore;
    const outofcore_costs *costs = outofcore_costs_of(m);
    const int fused = o->depth * outofcore_launches(o, steps, false);
    const double wide = (double)width, bytes = planes * plane_cost_of(run).step;
    const double launches = fused * costs->fused * around(2 * o->radius, wide) / o->depth;
    const double singles = (steps - fused) * costs->single * around(o->halo, wide);
    return bytes / m->rate.memory * (launches + singles) / steps;
}

typedef struct block_cost {
    double visits, kept, twice; /* kept: planes of a visit that move within the window */
    double work, link, ends;    /* seconds of a step; ends: when nothing is concurrent */
} block_cost;

static double link_of(const pav_run *run, machine_link rate, bool overlaps, double come,
                      double go)
{
    const disk_tier *disk = run->outofcore->disk;
    const double most = come > go ? come : go;
    if (disk)
        return most / disk->rate;
    return overlaps ? most / rate.busy : (come + go) / rate.alone;
}

/* Seconds of the launches of a visit, and of its planes' moves, besides their bytes: a
 * launch sweeps over the planes around its own one after another. */
static double calls_of(const pav_run *run, const outofcore_costs *costs, int steps)
{
    const outofcore *o = run->outofcore;
    const int launches = outofcore_launches(o, steps, false);
    const double singles = steps - launches * o->depth;
    return launches * (costs->operation + costs->plane * (double)(2 * o->radius)) +
           singles * (double)outofcore_stages_of(o) *
               (costs->operation + costs->plane * (double)(2 * o->halo));
}

static double moves_of(const pav_run *run, const outofcore_costs *costs, double kept,
                       double width)
{
    double buffers = 0;
    for (int64_t f = 0; f < run->code->fields; f++)
        buffers += outofcore_buffers(run, &run->code->field[f]);
    return (kept / width + 1) * buffers * costs->move;
}

static block_cost block_cost_of(const pav_run *run, int steps, int64_t width,
                                bool overlaps)
{
    outofcore with = *run->outofcore;
    const machine_facts m = with.machine;
    const machine_link rate = machine_link_of(&m, outofcore_pins(run, steps));
    const outofcore_costs *costs = outofcore_costs_of(&m);
    const plane_cost c = plane_cost_of(run);
    const double extent = (double)with.extent, depth = steps, wide = (double)width;
    const double most = (double)outofcore_most_shift(&with, steps);
    int64_t out = 0;
    with.width = width;
    (void)outofcore_planes(&with, steps, width, overlaps, &out);
    block_cost b = {.visits = (double)outofcore_axis(&with, steps).tiles,
                    .kept = (double)(out - width)};
    b.twice = with.requested.again ? b.visits * b.kept : 0;
    b.work = work_of(run, &m, steps, width, extent + b.twice / 2) +
             b.visits *
                 (calls_of(run, costs, steps) + moves_of(run, costs, b.kept, wide) +
                  b.kept * 2 * c.all * costs->single / m.rate.memory) /
                 depth;
    b.link = link_of(run, rate, overlaps, (extent + b.twice) * c.come / depth,
                     extent * c.go / depth);
    const double window = (double)(width + outofcore_reach(&with));
    b.ends = (window * c.come + (window + most) * c.go) / rate.alone / depth;
    return b;
}

/* Seconds of a step. Planes cross the link both ways, which goes on while others are
 * computed but for those of the first visit of a block and of the last. */
static double cost_of(const pav_run *run, int steps, int64_t width, bool overlaps)
{
    const block_cost b = block_cost_of(run, steps, width, overlaps);
    const bool beside = overlaps || run->outofcore->disk;
    const double alone = b.work + b.ends; /* which the link shares in, too */
    if (!beside || b.visits <= 1)
        return b.link + b.work;
    return b.link > alone ? b.link : alone;
}

double outofcore_seconds(const pav_run *run, double *work, double *link)
{
    const outofcore *o = run->outofcore;
    const block_cost b = block_cost_of(run, o->steps, o->width, o->overlaps);
    *work = b.work;
    *link = b.link;
    return outofcore_is_timed(run) && !o->why_stages[0]
               ? cost_of(run, o->steps, o->width, o->overlaps) / outofcore_at_once(o)
               : 0;
}

static bool is_better(const pav_run *run, int steps, bool overlaps, int64_t planes,
                      double *least, int64_t *width)
{
    const outofcore *o = run->outofcore;
    *width = widest(run, steps, overlaps, planes);
    const double cost = *width > 0 ? cost_of(run, steps, *width, overlaps) : 0;
    if (*width == 0 || (o->width > 0 && cost >= *least))
        return false;
    *least = cost;
    return true;
}

/* As many, or fewer, so that blocks have as many steps as each other, in whole
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

/* Fewer steps by a tenth, from the most on; false: none fits. */
static bool choose_by(const pav_run *run, int most, int64_t planes, bool only_beside)
{
    outofcore *o = run->outofcore;
    const bool may_overlap = !o->requested.single && !o->requested.again &&
                             !o->requested.between && !o->disk;
    double least = 0;
    int64_t width;
    o->width = 0;
    for (int next = most; next > 0; next -= 1 + next / 10) {
        const int steps = even(run, next, most);
        for (int overlaps = may_overlap; overlaps >= only_beside; overlaps--)
            if (is_better(run, steps, overlaps, planes, &least, &width)) {
                o->steps = steps;
                o->width = width;
                o->overlaps = overlaps && outofcore_axis(o, steps).tiles > 1;
            }
        if (o->requested.steps > 0 && o->width > 0)
            break;
    }
    return o->width > 0;
}

static bool choose_beside(const pav_run *run, int most)
{
    const bool beside = run->outofcore->requested.beside && !run->outofcore->disk;
    const int64_t planes = most_planes(run);
    return choose_by(run, most, planes, beside) ||
           (beside && choose_by(run, most, planes, false));
}

static double cost_now(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    return cost_of(run, o->steps, o->width, o->overlaps);
}

static bool has_constants(const pav_run *run)
{
    outofcore whole = {.sent_once = true};
    for (int64_t f = 0; f < run->code->fields; f++)
        if (outofcore_is_whole(&whole, &run->code->field[f]))
            return true;
    return false;
}

/* Coefficients are sent once where they fit, and what they take of the window costs less
 * than to send them in every block. */
static bool choose(const pav_run *run, int most)
{
    outofcore *o = run->outofcore;
    const bool found = choose_beside(run, most);
    const outofcore sent = *o;
    if (o->requested.resend || !has_constants(run))
        return found;
    const double least = found ? cost_now(run) : 0;
    o->sent_once = true;
    if (choose_beside(run, most) && (!found || cost_now(run) < least))
        return true;
    *o = sent;
    return found;
}

/* ---- what is refused --------------------------------------------------------------- */

static int64_t least_bytes(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    const int64_t narrow = o->state.blocking.periodic[o->axis]
                               ? 2 * (outofcore_most_shift(o, 1) + 2 * o->halo) + 1
                               : 1;
    int64_t bytes = 0, out;
    const int64_t planes = o->why_stages[0] ? 2 * o->halo + o->unit
                                            : outofcore_planes(o, 1, narrow, false, &out);
    return planes > 0 && window_bytes(run, planes, &bytes) ? bytes : 0;
}

/* Of those that were asked for. */
static pav_status parts_do_not_fit(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    if (o->state.blocking.periodic[o->axis] && o->requested.parts > 1)
        return FAIL(
            PAV_EINVAL,
            "%lld parts along %c, which wraps around, are too many: each must have "
            "%lld planes or more; give fewer (--out-of-core auto:parts=N)",
            (long long)o->requested.parts, "xyz"[o->axis],
            (long long)(2 * (outofcore_most_shift(o, 1) + 2 * o->halo) + 1));
    return FAIL(PAV_ENOMEM,
                "%s does not fit so into the device's memory: give more parts "
                "(--out-of-core auto:parts=N), or leave them to be chosen",
                run->program->name);
}

static pav_status too_little_memory(const pav_run *run, int64_t window)
{
    text needed = {0}, given = {0};
    text_add_bytes_size(&needed,
                        disk_staged_bytes(run, 1) + (places_far(run) ? 0 : window));
    text_add_bytes_size(&given, run->outofcore->disk->limit);
    const pav_status status = FAIL(
        PAV_ENOMEM,
        "%s needs %s of the host's memory for planes on their way to and from the "
        "disk, and has %s: give more (--host-memory), or a grid whose planes are "
        "smaller",
        run->program->name, needed.data, given.data);
    text_free(&needed);
    text_free(&given);
    return status;
}

static pav_status too_little(const pav_run *run)
{
    text needed = {0}, given = {0};
    const outofcore *o = run->outofcore;
    const int64_t least = least_bytes(run);
    if (o->disk && !o->why_stages[0] &&
        disk_staged_bytes(run, 1) + (places_far(run) ? 0 : least) > o->disk->limit)
        return too_little_memory(run, least);
    if (least <= o->limit)
        return parts_do_not_fit(run);
    text_add_bytes_size(&needed, least);
    text_add_bytes_size(&given, run->outofcore->limit);
    const pav_status status = FAIL(
        PAV_ENOMEM,
        "%s needs %s of the device's memory for the thinnest part of its grid, and has "
        "%s: "
        "give more (--device-memory), or a grid whose planes are smaller",
        run->program->name, needed.data, given.data);
    text_free(&needed);
    text_free(&given);
    return status;
}

static int greater(int a, int b)
{
    return a > b ? a : b;
}

/* Ghosts of any field, and neighbours of any stage, which may have all of them inside. */
static int deepest(const ir *code, int axis)
{
    int most = 0;
    for (int64_t f = 0; f < code->fields; f++)
        for (int side = 0; side < 2; side++)
            most = greater(most, code->field[f].halo[axis][side]);
    for (int64_t n = 0; n < code->stages; n++)
        for (int64_t k = 0; k < code->stage[n].count; k++) {
            const ir_node *node = &code->stage[n].node[k];
            const int far = node->op == IR_LOAD ? node->offset[axis] : 0;
            most = greater(most, far < 0 ? -far : far);
        }
    return most;
}

static pav_status check(const pav_run *run)
{
    text why = {0};
    pav_status status = PAV_OK;
    outofcore_refusal(run, run->outofcore, &why);
    if (why.failed)
        status = PAV_ENOMEM;
    else if (why.length > 0)
        status = FAIL(PAV_EUNSUPPORTED, "%s cannot be computed out of core: %s",
                      run->program->name, why.data);
    text_free(&why);
    return status;
}

/* ---- all --------------------------------------------------------------------------- */

/* Of all windows on one device. */
static int64_t limit_of_all(const pav_run *run)
{
    const int64_t given = run->outofcore->requested.bytes;
    if (given > 0)
        return given;
    if (places_far(run))
        return places_far(run)->there->free_memory(places_far(run), 1) / 10 * 9;
    return run->outofcore->disk ? run->outofcore->disk->limit : INT64_MAX;
}

static int64_t limit_of(const pav_run *run)
{
    return limit_of_all(run) / int_parts(run->outofcore->windows, run->places);
}

static pav_status choose_window(const pav_run *run)
{
    outofcore *o = run->outofcore;
    if (o->why_stages[0])
        return outofcore_choose_stages(run, most_planes(run)) ? PAV_OK : too_little(run);
    if (!choose(run, most_steps(run)))
        return too_little(run);
    o->planes = outofcore_planes(o, o->steps, o->width, o->overlaps, &o->out);
    o->staged = o->disk ? disk_staged_bytes(run, o->width) : 0;
    return PAV_OK;
}

/* Once the executor of the window is known, by which its rows lie. */
pav_status outofcore_plan(pav_run *run)
{
    outofcore *o = run->outofcore;
    if (!o || o->is_planned)
        return PAV_OK;
    o->axis = o->state.stream = run->code->dim - 1;
    o->state.column = -1;
    o->extent = points_along(run->code, o->axis, false);
    o->halo = deepest(run->code, o->axis);
    o->unit = o->axis == 0 ? 64 : 1;
    TRY(ir_blocking_open(run->code, NULL, &o->state.blocking));
    TRY(check(run));
    TRY(outofcore_find_stages(run));
    if (places_far(run))
        run->part->executor->line = run->part->inner->executor->line;
    o->depth = 1;
    if (!o->why_stages[0])
        TRY(outofcore_find_launch(run));
    if (o->disk)
        TRY(disk_plan(run));
    o->limit = limit_of(run);
    TRY(outofcore_measure(run));
    TRY(choose_window(run));
    o->is_planned = true;
    return window_bytes(run, o->planes, &o->bytes)
               ? PAV_OK
               : FAIL(PAV_EINTERNAL, "the window has more bytes than 64 bits can count");
}
