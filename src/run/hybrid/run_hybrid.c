/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the weights of unequal places, if the user gives none. In the model each place
 * gets a share in proportion to its copy bandwidth, which bounds a step, and within its
 * memory. If the exchange would cost more than sharing gains, the fastest place takes the
 * whole grid. In a long run, trial steps then measure both (hybrid_trials.c). */
#include <string.h>

#include "run/hybrid/hybrid_private.h"

/* A place slower than this share of the fastest rate is left out, because places wait for
 * each other. On an H100 and 16 processors with less than this share, both took five
 * times the GPU's time alone. */
static const double least_rate = 0.05;

/* ---- what places can --------------------------------------------------------------- */

/* Bytes of the planes that one seam brings to both sides. */
static int64_t seam_bytes(const pav_run *run)
{
    const ir *code = run->code;
    const int axis = code->dim - 1;
    int64_t bytes = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const halo_depth d = halo_depth_of(code, f);
        int64_t plane = (int64_t)pav_type_size(code->field[f].storage);
        for (int other = 0; other < axis; other++)
            plane *= code->field[f].extent[other];
        if (code->field[f].updated)
            bytes += plane * (d.side[axis][0] + d.side[axis][1]);
    }
    return bytes;
}

static pav_status measure_host(const pav_run *run, double *rate)
{
    copy_rate found;
    host_team *team;
    TRY(run_open_team(run, host_threads(), &team));
    const pav_status status = host_copy_rate(team, &found);
    host_team_close(team);
    *rate = found.usual;
    return status;
}

/* Leaves a tenth of the memory for other data than fields, the same as out of core. */
static int64_t memory_for(const pav_run *run, int64_t free)
{
    const int64_t given = run->options.device_memory;
    const int64_t most = free / 10 * 9;
    return given > 0 && (given < most || free == 0) ? given : most;
}

static pav_status measure(pav_run *run, double *exchange)
{
    *exchange = 0;
    for (int n = 0; n < run->places; n++) {
        exec_place *p = &run->place[n];
        place_measured found;
        TRY(place_measure(p, seam_bytes(run), &found));
        p->rate = found.rate;
        if (p->rate > 0)
            p->memory = memory_for(run, found.free);
        else
            TRY(measure_host(run, &p->rate));
        *exchange += found.exchange;
        if (p->rate <= 0)
            return FAIL(
                PAV_ENOMEM,
                "there is no memory to measure how fast %s copies: give --weights",
                p->name);
    }
    return PAV_OK;
}

/* ---- what a step takes by the model ------------------------------------------------ */

/* The fastest place that can hold the whole grid; -1: none can. */
static int fastest(const pav_run *run)
{
    int best = -1;
    for (int n = 0; n < run->places; n++)
        if (hybrid_holds_all(run, n) &&
            (best < 0 || run->place[n].rate > run->place[best].rate))
            best = n;
    return best;
}

static double all_rates(const pav_run *run)
{
    double all = 0;
    for (int n = 0; n < run->places; n++)
        all += run->place[n].rate;
    return all;
}

static double all_shares(const pav_run *run)
{
    double all = 0;
    for (int n = 0; n < run->places; n++)
        all += run->cut.share[n];
    return all;
}

/* Modelled seconds of a step: the seconds of the slowest place. */
static double seconds_shared(const pav_run *run)
{
    double most = 0;
    for (int n = 0; n < run->places; n++) {
        const double own = run->work.step_bytes * run->cut.share[n] / all_shares(run) /
                           run->place[n].rate;
        most = own > most ? own : most;
    }
    return most;
}

/* ---- one alone --------------------------------------------------------------------- */

pav_status hybrid_take_alone(pav_run *run, opening *how, int number)
{
    if (run->place[number].memory == 0)
        run->options.device_memory = 0; /* the limit was given for the other places */
    how->device = run->place[number].device;
    run->place[0] = run->place[number];
    run->places = 1;
    run->compiled = place_kind_of(how->device)->kernels;
    mem_free(run->cut.share);
    run->cut.share = NULL;
    run_name_device(run, pav_device_name(how->device));
    return run_take_options(run, how->device);
}

/* The fastest place takes the whole grid, as if the user had named it alone. */
static pav_status leave_alone(pav_run *run, opening *how, int best, double exchange)
{
    const double alone = run->work.step_bytes / run->place[best].rate;
    exec_note(&run->client,
              "%s alone runs this program: by the model a step takes %.3g us there, and "
              "%.3g us on %s, of which %.3g us are the exchange; --weights shares it all "
              "the same",
              run->place[best].name, 1e6 * alone, 1e6 * (seconds_shared(run) + exchange),
              run->device_name, 1e6 * exchange);
    return hybrid_take_alone(run, how, best);
}

/* True if all other places together would add too little. */
static bool is_far_ahead(const pav_run *run, int best)
{
    const double rate = run->place[best].rate;
    return all_rates(run) - rate < least_rate * rate;
}

static pav_status leave_others(pav_run *run, opening *how, int best)
{
    exec_note(&run->client,
              "%s alone runs this program: the others of %s copy memory at %.2g %% of "
              "its rate, and %.2g %% are the least that is worth an exchange; --weights "
              "shares it all the same",
              run->place[best].name, run->device_name,
              100 * (all_rates(run) / run->place[best].rate - 1), 100 * least_rate);
    return hybrid_take_alone(run, how, best);
}

/* The first place with too little memory for the thinnest box; -1: none. */
static int without_room(const pav_run *run)
{
    const int64_t least = subdomain_least_width(run->code, run->code->dim - 1);
    for (int n = 0; n < run->places; n++)
        if (hybrid_most_planes(run, n) < least)
            return n;
    return -1;
}

static pav_status leave_small(pav_run *run, opening *how, int best, int small)
{
    text t = {0};
    text_add_bytes_size(&t, run->place[small].memory);
    if (t.failed || best < 0) {
        text_free(&t);
        return FAIL(PAV_ENOMEM,
                    "the memory of %s does not hold a part of the grid that is as thick "
                    "as halos need: leave it out",
                    run->place[small].name);
    }
    exec_note(&run->client,
              "%s alone runs this program: %s of memory on %s do not hold a part of the "
              "grid that is as thick as halos need",
              run->place[best].name, t.data, run->place[small].name);
    text_free(&t);
    return hybrid_take_alone(run, how, best);
}

/* ---- shares ------------------------------------------------------------------------ */

void hybrid_add_shares(const pav_run *run, text *t)
{
    for (int n = 0; n < run->places; n++)
        text_add(t, "%s%.3g %% of the grid to %s", n ? ", " : "",
                 100 * run->cut.share[n] / all_shares(run), run->place[n].name);
}

static void add_memory(const pav_run *run, text *t)
{
    for (int n = 0; n < run->places; n++) {
        const int64_t most = hybrid_most_planes(run, n);
        if (run->cut.share[n] < (double)most || run->place[n].memory == 0)
            continue;
        text_add(t, "; the memory of %s, ", run->place[n].name);
        text_add_bytes_size(t, run->place[n].memory);
        text_add(t, ", holds no more than %lld of %lld planes", (long long)most,
                 (long long)points_along(run->code, run->code->dim - 1, false));
    }
}

static pav_status report_shares(pav_run *run, bool less, double exchange)
{
    text t = {0};
    hybrid_add_shares(run, &t);
    text_add(&t, ": by the rates at which they copy memory; the exchange by the host ");
    text_add(&t, "takes %.3g us a step where the whole would take %.3g us",
             1e6 * exchange, 1e6 * seconds_shared(run));
    if (less)
        add_memory(run, &t);
    else
        text_add(&t, "; runs of %d steps and more measure both by trial steps first",
                 hybrid_least_steps());
    return text_take(&t, &run->cut.hybrid);
}

static pav_status take_rates(pav_run *run)
{
    run->cut.share = mem_new(run->places, sizeof *run->cut.share);
    for (int n = 0; run->cut.share && n < run->places; n++)
        run->cut.share[n] = run->place[n].rate;
    return run->cut.share ? PAV_OK : PAV_ENOMEM;
}

pav_status hybrid_weigh(pav_run *run, opening *how)
{
    double exchange;
    bool less;
    TRY(measure(run, &exchange));
    const int best = fastest(run), small = without_room(run);
    if (small >= 0)
        return leave_small(run, how, best, small);
    if (best >= 0 && is_far_ahead(run, best))
        return leave_others(run, how, best);
    TRY(take_rates(run));
    TRY(hybrid_fit(run, &less));
    if (less && run->options.exchange_every == 0)
        run->options.exchange_every = 1; /* wider halos would take memory */
    const double shared = seconds_shared(run) + exchange;
    if (hybrid_has_trials(run, how, shared))
        return hybrid_refine(run, how, shared);
    if (best >= 0 && shared > HYBRID_WORTH * run->work.step_bytes / run->place[best].rate)
        return leave_alone(run, how, best, exchange);
    return report_shares(run, less, exchange);
}

/* ---- given weights ----------------------------------------------------------------- */

pav_status hybrid_check(pav_run *run)
{
    const int64_t planes = points_along(run->code, run->code->dim - 1, false);
    for (int n = 0; n < run->places && run->options.device_memory > 0; n++) {
        exec_place *p = &run->place[n];
        if (!p->kind->own_memory)
            continue;
        p->memory = run->options.device_memory;
        const int64_t most = hybrid_most_planes(run, n);
        const double own = run->cut.share[n] / all_shares(run) * (double)planes;
        if (own <= (double)most)
            continue;
        return FAIL(PAV_ENOMEM,
                    "by its weight %s has %.0f of %lld planes, and the device memory "
                    "that it may take holds %lld: give it less weight, or leave out "
                    "--weights",
                    p->name, own, (long long)planes, (long long)most);
    }
    return PAV_OK;
}
