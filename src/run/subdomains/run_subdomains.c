/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts the grid of a run into subdomains, by an option such as "2x1x2" or "4". */
#include <stdlib.h>
#include <string.h>

#include "run/run_private.h"
#include "run/time/time_private.h"

enum { MOST_SUBDOMAINS = 1024, MOST_STEPS = 64 };

/* ---- what was asked for ------------------------------------------------------------ */

static pav_status not_counts(const pav_run *run)
{
    return FAIL(PAV_EINVAL,
                "'%s' is no number of subdomains: give that of all, such as 4%s",
                run->options.subdomains,
                run->code->dim == 1   ? ""
                : run->code->dim == 2 ? ", or those along each axis, such as 2x4"
                                      : ", or those along each axis, such as 2x1x4");
}

static pav_status too_many(const pav_run *run)
{
    return FAIL(PAV_ELIMIT, "%s are more than %d subdomains", run->options.subdomains,
                MOST_SUBDOMAINS);
}

/* Parses "8", the number of all subdomains; false: not a number. */
static bool is_count(const char *given, int64_t *count)
{
    char *end = NULL;
    if (*given < '0' || *given > '9')
        return false;
    *count = strtoll(given, &end, 10);
    return *end == '\0' && *count > 0;
}

/* Parses "2x1x4", one number for each axis. */
static pav_status read_counts(const pav_run *run, int64_t *parts)
{
    const char *at = run->options.subdomains;
    int64_t all = 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        char *end = NULL;
        parts[axis] = 1;
        if (axis >= run->code->dim)
            continue;
        if (*at < '0' || *at > '9')
            return not_counts(run);
        parts[axis] = strtoll(at, &end, 10);
        const char next = axis + 1 < run->code->dim ? 'x' : '\0';
        if (parts[axis] < 1 || *end != next)
            return not_counts(run);
        if (parts[axis] > MOST_SUBDOMAINS || (all *= parts[axis]) > MOST_SUBDOMAINS)
            return too_many(run);
        at = end + 1;
    }
    return PAV_OK;
}

/* Fused launches on GPUs are checked later, when the GPUs are open. */
static pav_status check_schedule(const pav_run *run)
{
    char string[SCHEDULE_STRING];
    if (run->schedule.kind == SCHEDULE_PERSISTENT)
        return FAIL(
            PAV_EUNSUPPORTED,
            "the schedule %s takes several steps of the whole grid at once, and "
            "subdomains exchange halos: give another, or run on one device without "
            "--subdomains",
            schedule_string(&run->schedule, string));
    return PAV_OK;
}

/* The least width of a box, with halos wide enough for the steps between exchanges. */
static int64_t least_width(const pav_run *run, int axis)
{
    const int every = run->options.exchange_every > 1 ? run->options.exchange_every : 1;
    return every * (subdomain_least_width(run->code, axis) - 1) + 1;
}

static bool are_thick(const pav_run *run)
{
    for (int axis = 0; axis < run->code->dim; axis++)
        for (int64_t n = 0;
             n < run->cut.boxes.parts[axis] && run->cut.boxes.parts[axis] > 1; n++)
            if (run->cut.boxes.cut[axis][n + 1] - run->cut.boxes.cut[axis][n] <
                least_width(run, axis))
                return false;
    return true;
}

/* Time blocks on processors: exchange once per block, with fewer steps if boxes are too
 * thin. */
static void find_period(pav_run *run)
{
    enum { USUAL = 8 };
    const int asked = run->schedule.tile.steps;
    int *every = &run->options.exchange_every;
    if (run->schedule.kind != SCHEDULE_CPU_TIME || *every > 0)
        return;
    *every = asked > 1 ? asked : USUAL;
    while (asked <= 1 && *every > 1 && !are_thick(run))
        --*every;
}

static void cut_into_slabs(const pav_run *run, int64_t count, int64_t *parts)
{
    parts[0] = parts[1] = parts[2] = 1;
    parts[run->code->dim - 1] = count;
}

/* The weight of each group; groups may have places in another order. */
static pav_status order_weights(pav_run *run, double *weight)
{
    TRY(run_find_order(run));
    for (int n = 0; n < places_count(run); n++)
        weight[n] = run->cut.share[run->cut.order ? run->cut.order[n] : n];
    return PAV_OK;
}

/* Cuts across the slowest axis, so that each seam is contiguous in memory. */
static pav_status cut_by_weights(pav_run *run, const int64_t *extent)
{
    const int axis = run->code->dim - 1, count = places_count(run);
    int64_t parts[MAX_DIM];
    double *weight = mem_new(count, sizeof *weight);
    pav_status status = weight ? PAV_OK : PAV_ENOMEM;
    cut_into_slabs(run, count, parts);
    if (status == PAV_OK)
        status = decompose(extent, parts, &run->cut.boxes);
    if (status == PAV_OK)
        status = order_weights(run, weight);
    decomposition_free(&run->cut.boxes);
    if (status == PAV_OK)
        status = decompose_weighted(extent, axis, count, weight, run->cut.load[axis],
                                    least_width(run, axis), &run->cut.boxes);
    mem_free(weight);
    return status;
}

/* Moves the cuts so that boxes cost the same if masks skip points. */
static void balance(pav_run *run)
{
    for (int axis = 0; axis < run->code->dim; axis++)
        if (run->cut.load[axis])
            decomposition_balance(&run->cut.boxes, axis, run->cut.load[axis],
                                  least_width(run, axis));
}

/* Fused launches on GPUs need slabs. While slabs are thick, fusing gains more than their
 * larger surface costs. */
static bool wants_slabs(const pav_run *run, const opening *how, int64_t count)
{
    enum { THICK = 32 };
    const int axis = run->code->dim - 1;
    const bool thick = points_along(run->code, axis, false) / count >=
                       THICK * subdomain_least_width(run->code, axis);
    return run->schedule.kind == SCHEDULE_GPU_TIME ||
           (run->schedule.kind == SCHEDULE_AUTO && thick &&
            place_kind_of(how->device)->launches);
}

static pav_status cut_as_asked(pav_run *run, const opening *how)
{
    int64_t parts[MAX_DIM], extent[MAX_DIM], count = places_count(run);
    for (int axis = 0; axis < MAX_DIM; axis++)
        extent[axis] = points_along(run->code, axis, false);
    if (!run->cut.share || run->places == 1)
        TRY(run_find_loads(run)); /* shares of unequal places are measured with masks */
    if (run->cut.share)
        return cut_by_weights(run, extent);
    if (run->options.subdomains && !is_count(run->options.subdomains, &count))
        TRY(read_counts(run, parts));
    else if (count > MOST_SUBDOMAINS)
        return too_many(run);
    else if (wants_slabs(run, how, count))
        cut_into_slabs(run, count, parts);
    else
        TRY(run_choose_parts(run->code, count, parts));
    TRY(decompose(extent, parts, &run->cut.boxes));
    balance(run);
    return run_find_order(run);
}

/* Wide halos, if requested. */
static pav_status widen_halos(pav_run *run, const opening *how)
{
    const int every = how->every ? how->every : run->options.exchange_every;
    return every > 1 ? wide_halo_new(run->code, &run->cut.boxes, every, &run->part->wide)
                     : PAV_OK;
}

static pav_status check_exchange(const pav_run *run)
{
    const int every = run->options.exchange_every;
    if (every < 0 || every > MOST_STEPS)
        return FAIL(PAV_EINVAL,
                    "halos are exchanged every 1 to %d steps, not every %d: give another "
                    "number of steps",
                    MOST_STEPS, every);
    if (every > 1 && !run->options.subdomains && run->places == 1 && !run->part->ranks)
        return FAIL(
            PAV_EINVAL,
            "there are no halos to exchange every %d steps: give several "
            "subdomains (--subdomains 4) or devices (--device cuda:0-1), or start "
            "ranks",
            every);
    return PAV_OK;
}

/* Gives each place an equal number of consecutive subdomains, at least one. */
static pav_status share_out(pav_run *run)
{
    const int64_t count = run->part->inners;
    if (count < run->places)
        return FAIL(PAV_EINVAL,
                    "%lld subdomains are fewer than the %d devices of %s: give as many "
                    "at least, or fewer devices",
                    (long long)decomposition_count(&run->cut.boxes), run->places,
                    run->device_name);
    for (int64_t n = 0; n < count; n++)
        run->part->inner[n].place = run->part->ranks ? 0 : run_place_of(run, n);
    return PAV_OK;
}

/* ---- cutting and joining ----------------------------------------------------------- */

pav_status run_cut(pav_run *run, const opening *how)
{
    TRY(check_exchange(run));
    if (run->outofcore)
        return PAV_OK;
    if (how->cut)
        TRY(decomposition_copy(how->cut, &run->cut.boxes));
    else if (run->options.subdomains || run->places > 1 || run->part->ranks)
        TRY(cut_as_asked(run, how));
    else
        return PAV_OK;
    if (decomposition_count(&run->cut.boxes) == 1 && run->part->ranks)
        return run_open_absent(run);
    if (decomposition_count(&run->cut.boxes) == 1)
        return run->places > 1 ? share_out(run) : PAV_OK;
    TRY(check_schedule(run));
    find_period(run);
    TRY(widen_halos(run, how));
    TRY(subdomain_cut(run->part, &run->cut.boxes));
    run->cut.is_cut = true;
    TRY(share_out(run));
    return run_open_absent(run);
}

int64_t run_neighbour(const pav_run *run, int64_t n, int axis, int side)
{
    const subdomain *inner = &run->part->inner[n];
    const int64_t parts = run->cut.boxes.parts[axis];
    bool any = false;
    int64_t at[MAX_DIM];
    for (int64_t f = 0; f < run->code->fields; f++)
        any = any || subdomain_is_seam(inner, f, axis, side);
    decomposition_place(&run->cut.boxes, n, at);
    at[axis] = (at[axis] + (side ? 1 : -1) + parts) % parts;
    return any ? decomposition_number(&run->cut.boxes, at) : -1;
}

pav_status run_join(pav_run *run)
{
    executor *e;
    TRY(exec_split_open(run->part, &run->cut.boxes, &e));
    subdomain_use(run->part, e);
    if (*exec_split_unlinked(e))
        exec_note(&run->client, "halos pass through the memory of the host: %s",
                  exec_split_unlinked(e));
    return PAV_OK;
}

void run_uncut(pav_run *run)
{
    subdomain_uncut(run->part);
    decomposition_free(&run->cut.boxes);
    run_close_loads(run);
}
