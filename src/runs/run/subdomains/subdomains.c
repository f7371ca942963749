/* SPDX-License-Identifier: BSD-3-Clause */
/* The places of a run and the subdomains that they compute: the devices of a list or the
 * ranks, with their weights, and a grid cut by an option such as "2x1x2" or "4". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

/* ---- places ------------------------------------------------------------------------ */

/* The places of a run: the devices of a list, or the only one. Each gets a part of the
 * grid by its weight, given by the user or found for unequal places (hybrid.c). */

/* GPUs of one make in a list count as equal. */
static bool are_unequal(const pav_run *run)
{
    for (int n = 1; n < run->places; n++)
        if (run->place[n].device->ops != run->place[0].device->ops)
            return true;
    return false;
}

bool shares_read(const char *given, int count, double *share)
{
    for (int n = 0; n < count; n++) {
        char *end;
        share[n] = strtod(given, &end);
        if (end == given || !(share[n] > 0 && share[n] < 1e9) ||
            *end != (n + 1 < count ? ',' : '\0'))
            return false;
        given = end + 1;
    }
    return true;
}

pav_status places_find(pav_run *run, opening *how)
{
    const int listed = how->device ? how->device->places : 0;
    run->places = listed > 0 ? listed : 1;
    TRY(mem_take(&run->place, run->places, sizeof *run->place));
    for (int n = 0; n < run->places; n++) {
        exec_place *p = &run->place[n];
        p->device = device_place(how->device, n);
        p->kind = place_kind_of(p->device);
        (void)snprintf(p->name, sizeof p->name, "%s",
                       p->device ? pav_device_name(p->device) : run->device_name);
    }
    if (run->solver.outer) {
        /* A solver within a step uses the shares of the outer run. */
        const double *share = run->solver.outer->cut.share;
        if (share)
            TRY(mem_take(&run->cut.share, places_count(run), sizeof *share));
        for (int n = 0; share && n < places_count(run); n++)
            run->cut.share[n] = share[n];
        return PAV_OK;
    }
    if (run->options.weights) {
        const int count = places_count(run);
        if (count < 2)
            return FAIL(
                PAV_EINVAL,
                "weights share a grid out among devices or ranks: give several, as "
                "in --device cpu+cuda, or leave them out");
        if (run->options.subdomains)
            return FAIL(PAV_EINVAL,
                        "weights cut the grid into a subdomain for each device or rank: "
                        "leave out either them or the number of subdomains");
        TRY(mem_take(&run->cut.share, count, sizeof *run->cut.share));
        if (!shares_read(run->options.weights, count, run->cut.share))
            return FAIL(PAV_EINVAL,
                        "'%s' are no weights: give a positive number for each of the %d "
                        "%s, with commas between them, as in 1,3",
                        run->options.weights, count,
                        run->part->ranks ? "ranks" : "devices");
        return run->part->ranks ? PAV_OK : hybrid_check(run);
    }
    return are_unequal(run) && !run->options.subdomains ? hybrid_weigh(run, how) : PAV_OK;
}

/* ---- ranks ------------------------------------------------------------------------- */

/* A run shared by ranks. All ranks take the same steps over the same subdomains. After
 * each step they agree, by one word, on decisions from a clock, a signal or a failure. */

bool run_is_first(const pav_run *run)
{
    return ranks_number(run->part->ranks) == 0;
}

/* Fails if a rank has other settings than the first rank: `what` names them, `own` is
 * their hash. */
static pav_status check_same(pav_ranks *r, const char *what, uint64_t own)
{
    OWNED_NEW(uint64_t, all, ranks_count(r));
    int other = 0;
    TRY(ranks_gather(r, &own, sizeof own, all));
    for (int n = ranks_count(r) - 1; n > 0; n--)
        other = all[n] != all[0] ? n : other;
    return other ? FAIL(PAV_EINVAL,
                        "rank %d has another %s than rank 0: start all ranks by the same "
                        "command, with the same Pavior",
                        other, what)
                 : PAV_OK;
}

pav_status run_check_ranks(pav_run *run, const pav_device *device)
{
    uint64_t own = 0;
    if (!run->part->ranks)
        return PAV_OK;
    const char *what = device && device->places > 1 ? "a list of devices"
                       : run->options.out_of_core   ? "a run out of core"
                                                    : NULL;
    if (what)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s cannot be shared by ranks yet: each rank has one device", what);
    io_watch(ranks_alive, run->part->ranks);
    /* A hash of all statements and of the options with influence on steps. */
    const pav_run_options *o = &run->options;
    const int64_t numbers[] = {run->steps,          o->nan_check_every,
                               o->checkpoint_every, o->no_files != 0,
                               o->force != 0,       run->checkpoint.path != NULL,
                               o->listener != NULL, o->exchange_every};
    OWNED_BY(text_free) text t = {0};
    hash h;
    EACH_STATEMENT(s, run->program)
        statement_print(run->program, s, &t);
    hash_init(&h);
    const char *word[] = {t.data, pav_version(), o->subdomains, o->restart, o->weights};
    for (size_t n = 0; n < COUNT_OF(word); n++) {
        if (word[n])
            hash_add(&h, word[n], (int64_t)strlen(word[n]));
        hash_add(&h, "", 1);
    }
    hash_add(&h, numbers, (int64_t)sizeof numbers);
    own = hash_end(&h);
    TRY(t.failed ? PAV_ENOMEM : PAV_OK);
    return check_same(run->part->ranks, "description, version or setting", own);
}

/* Consecutive subdomains in equal number for each rank, at least one. */
static pav_status run_open_absent(pav_run *run)
{
    subdomain *whole = run->part;
    const int ranks = ranks_count(whole->ranks);
    if (ranks == 1)
        return PAV_OK;
    if (whole->inners < ranks)
        return FAIL(PAV_EINVAL,
                    "%lld subdomains are fewer than %d ranks: give as many at least, or "
                    "start fewer ranks",
                    (long long)decomposition_count(&run->cut.boxes), ranks);
    for (int64_t n = 0; n < whole->inners; n++) {
        executor *e;
        subdomain *inner = &whole->inner[n];
        inner->rank = run_place_of(run, n);
        inner->place = 0;
        if (inner->rank == ranks_number(whole->ranks) || inner->executor)
            continue;
        /* It knows the shapes of its fields only. */
        TRY(mem_take(&e, 1, sizeof *e));
        *e = (executor){.ops = executor_host_ops, .part = inner, .absent = true};
        subdomain_use(inner, e);
    }
    return PAV_OK;
}

/* ---- cutting the grid -------------------------------------------------------------- */

enum { MOST_SUBDOMAINS = 1024, MOST_STEPS = 64 };

/* ---- the requested cut ------------------------------------------------------------- */

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
        if (parts[axis] < 1 || *end != (axis + 1 < run->code->dim ? 'x' : '\0'))
            return not_counts(run);
        if (parts[axis] > MOST_SUBDOMAINS || (all *= parts[axis]) > MOST_SUBDOMAINS)
            return too_many(run);
        at = end + 1;
    }
    return PAV_OK;
}

/* The least width of a box, with halos wide enough for the steps between exchanges. */
static int64_t least_width(const pav_run *run, int axis)
{
    return (run->options.exchange_every > 1 ? run->options.exchange_every : 1) *
               (subdomain_least_width(run->code, axis) - 1) +
           1;
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

/* Cuts across the slowest axis, so that each seam is contiguous in memory. */
static pav_status cut_by_weights(pav_run *run, const int64_t *extent)
{
    const int axis = run->code->dim - 1, count = places_count(run);
    int64_t parts[MAX_DIM];
    OWNED_NEW(double, weight, count);
    cut_into_slabs(run, count, parts);
    TRY(decompose(extent, parts, &run->cut.boxes));
    TRY(run_find_order(run));
    /* groups may have places in another order */
    for (int n = 0; n < count; n++)
        weight[n] = run->cut.share[run->cut.order ? run->cut.order[n] : n];
    decomposition_free(&run->cut.boxes);
    return decompose_weighted(extent, axis, count, weight, run->cut.load[axis],
                              least_width(run, axis), &run->cut.boxes);
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
            place_kind_of(how->device) == PLACE_GPU);
}

static pav_status cut_as_requested(pav_run *run, const opening *how)
{
    int64_t parts[MAX_DIM], count = places_count(run);
    const box all = ir_grid_box(run->code);
    if (!run->cut.share || run->places == 1)
        TRY(run_find_loads(run)); /* shares of unequal places are measured with masks */
    if (run->cut.share)
        return cut_by_weights(run, all.hi);
    if (run->options.subdomains && !is_count(run->options.subdomains, &count))
        TRY(read_counts(run, parts));
    else if (count > MOST_SUBDOMAINS)
        return too_many(run);
    else if (wants_slabs(run, how, count))
        cut_into_slabs(run, count, parts);
    else
        TRY(run_choose_parts(run->code, count, parts));
    TRY(decompose(all.hi, parts, &run->cut.boxes));
    /* Boxes cost the same, even if masks skip points. */
    for (int axis = 0; axis < run->code->dim; axis++)
        if (run->cut.load[axis])
            decomposition_balance(&run->cut.boxes, axis, run->cut.load[axis],
                                  least_width(run, axis));
    return run_find_order(run);
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
    char string[SCHEDULE_STRING];
    TRY(check_exchange(run));
    if (run->stepper->windows)
        return PAV_OK;
    if (how->cut)
        TRY(decomposition_copy(how->cut, &run->cut.boxes));
    else if (run->options.subdomains || run->places > 1 || run->part->ranks)
        TRY(cut_as_requested(run, how));
    else
        return PAV_OK;
    if (decomposition_count(&run->cut.boxes) == 1 && run->part->ranks)
        return run_open_absent(run);
    if (decomposition_count(&run->cut.boxes) == 1)
        return run->places > 1 ? share_out(run) : PAV_OK;
    /* Fused launches on GPUs are checked later, when the GPUs are open. */
    if (run->schedule.kind == SCHEDULE_PERSISTENT)
        return FAIL(
            PAV_EUNSUPPORTED,
            "the schedule %s takes several steps of the whole grid at once, and "
            "subdomains exchange halos: give another, or run on one device without "
            "--subdomains",
            schedule_string(&run->schedule, string));
    find_period(run);
    const int every = how->every ? how->every : run->options.exchange_every;
    if (every > 1)
        TRY(wide_halo_new(run->code, &run->cut.boxes, every, &run->part->wide));
    TRY(subdomain_cut(run->part, &run->cut.boxes));
    run->cut.is_cut = true;
    TRY(share_out(run));
    return run_open_absent(run);
}

pav_status run_new_halo(const pav_run *run, int steps, wide_halo **wide)
{
    *wide = NULL;
    if (steps < 2)
        return PAV_OK;
    const pav_status status = wide_halo_new(run->code, &run->cut.boxes, steps, wide);
    if (status != PAV_OK)
        wide_halo_free(*wide);
    return status;
}

pav_status run_widen(pav_run *run, int steps)
{
    wide_halo *wide;
    TRY(run_new_halo(run, steps, &wide));
    return subdomain_widen(run->part, &run->cut.boxes, wide);
}

int64_t run_neighbour(const pav_run *run, int64_t n, int axis, int side)
{
    const int64_t parts = run->cut.boxes.parts[axis];
    bool any = false;
    int64_t at[MAX_DIM];
    for (int64_t f = 0; f < run->code->fields; f++)
        any = any || subdomain_is_seam(&run->part->inner[n], f, axis, side);
    decomposition_place(&run->cut.boxes, n, at);
    at[axis] = (at[axis] + (side ? 1 : -1) + parts) % parts;
    return any ? decomposition_number(&run->cut.boxes, at) : -1;
}
