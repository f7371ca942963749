/* SPDX-License-Identifier: BSD-3-Clause */
/* The places of a run: the devices of a list, or the only one. Each gets a part of the
 * grid by its weight. Unequal places without given weights get those of the rates at
 * which they copy memory, since that bounds a step; where the exchange would take more
 * than is won, the fastest alone takes all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_private.h"

static const double worth = 0.98; /* of the time of the fastest place alone */
/* Of the rate of the fastest: what a slower place would add goes on waiting for each
 * other. On an H100 and 16 processors, whose share is less, both took five times as long
 * as the GPU alone. */
static const double least_rate = 0.05;

void places_close(pav_run *run)
{
    mem_free(run->place);
    mem_free(run->share);
    mem_free(run->hybrid);
}

/* Of this process, or of each rank, which has one. */
int places_count(const pav_run *run)
{
    return run->places * ranks_count(run->part->ranks);
}

/* ---- given weights ----------------------------------------------------------------- */

static pav_status not_weights(const pav_run *run)
{
    return FAIL(PAV_EINVAL,
                "'%s' are no weights: give a positive number for each of the %d %s, "
                "with commas between them, as in 1,3",
                run->options.weights, places_count(run),
                run->part->ranks ? "ranks" : "devices");
}

static pav_status read_weights(pav_run *run)
{
    const char *at = run->options.weights;
    const int count = places_count(run);
    run->share = mem_new(count, sizeof *run->share);
    if (!run->share)
        return PAV_ENOMEM;
    for (int n = 0; n < count; n++) {
        char *end;
        run->share[n] = strtod(at, &end);
        if (end == at || !(run->share[n] > 0 && run->share[n] < 1e9) ||
            *end != (n + 1 < count ? ',' : '\0'))
            return not_weights(run);
        at = end + 1;
    }
    return PAV_OK;
}

static pav_status check_weights(const pav_run *run)
{
    if (places_count(run) < 2)
        return FAIL(PAV_EINVAL,
                    "weights share a grid out among devices or ranks: give several, as "
                    "in --device cpu+cuda, or leave them out");
    if (run->options.subdomains)
        return FAIL(PAV_EINVAL,
                    "weights cut the grid into a subdomain for each device or rank: "
                    "leave out either them or the number of subdomains");
    return PAV_OK;
}

/* ---- measured weights -------------------------------------------------------------- */

/* Bytes of a plane across the axis along which the grid is cut: what a seam brings to
 * each side. */
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
    const pav_status status = run_copy_rate(team, &found);
    host_team_close(team);
    *rate = found.usual;
    return status;
}

static pav_status measure(pav_run *run, double *exchange)
{
    *exchange = 0;
    for (int n = 0; n < run->places; n++) {
        run_place *p = &run->place[n];
        double seconds = 0;
        TRY(far_measure(p->device, seam_bytes(run), &p->rate, &seconds));
        if (p->rate <= 0)
            TRY(measure_host(run, &p->rate));
        *exchange += seconds;
        if (p->rate <= 0)
            return FAIL(
                PAV_ENOMEM,
                "there is no memory to measure how fast %s copies: give --weights",
                p->name);
    }
    return PAV_OK;
}

/* ---- which pay --------------------------------------------------------------------- */

static int fastest(const pav_run *run)
{
    int best = 0;
    for (int n = 1; n < run->places; n++)
        if (run->place[n].rate > run->place[best].rate)
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

static pav_status tell_shares(pav_run *run, double exchange)
{
    text t = {0};
    for (int n = 0; n < run->places; n++)
        text_add(&t, "%s%.3g %% of the grid to %s", n ? ", " : "",
                 100 * run->place[n].rate / all_rates(run), run->place[n].name);
    text_add(&t, ": by the rates at which they copy memory; the exchange by the host ");
    text_add(&t, "takes %.3g us a step where the whole would take %.3g us",
             1e6 * exchange, 1e6 * run->step_bytes / all_rates(run));
    return text_take(&t, &run->hybrid);
}

static pav_status take_alone(pav_run *run, opening *how)
{
    const int best = fastest(run);
    how->device = run->place[best].device;
    run->place[0] = run->place[best];
    run->places = 1;
    run->compiled = how->device->ops->compiled;
    run_name_device(run, pav_device_name(how->device));
    return run_take_options(run, how->device);
}

/* The fastest alone goes on as if it had been asked for alone. */
static pav_status leave_alone(pav_run *run, opening *how, double exchange)
{
    const int best = fastest(run);
    const double alone = run->step_bytes / run->place[best].rate;
    exec_note(&run->client,
              "%s alone runs this program: by the model a step takes %.3g us there, and "
              "%.3g us on %s, of which %.3g us are the exchange; --weights shares it all "
              "the same",
              run->place[best].name, 1e6 * alone,
              1e6 * (run->step_bytes / all_rates(run) + exchange), run->device_name,
              1e6 * exchange);
    return take_alone(run, how);
}

/* All others would add too little. */
static bool is_far_ahead(const pav_run *run)
{
    const double best = run->place[fastest(run)].rate;
    return all_rates(run) - best < least_rate * best;
}

static pav_status leave_others(pav_run *run, opening *how)
{
    const double best = run->place[fastest(run)].rate;
    exec_note(&run->client,
              "%s alone runs this program: the others of %s copy memory at %.2g %% of "
              "its rate, and %.2g %% are the least that is worth an exchange; --weights "
              "shares it all the same",
              run->place[fastest(run)].name, run->device_name,
              100 * (all_rates(run) / best - 1), 100 * least_rate);
    return take_alone(run, how);
}

static pav_status take_rates(pav_run *run)
{
    run->share = mem_new(run->places, sizeof *run->share);
    for (int n = 0; run->share && n < run->places; n++)
        run->share[n] = run->place[n].rate;
    return run->share ? PAV_OK : PAV_ENOMEM;
}

static pav_status weigh(pav_run *run, opening *how)
{
    double exchange;
    TRY(measure(run, &exchange));
    if (is_far_ahead(run))
        return leave_others(run, how);
    const double shared = run->step_bytes / all_rates(run) + exchange;
    const double alone = run->step_bytes / run->place[fastest(run)].rate;
    if (shared > worth * alone)
        return leave_alone(run, how, exchange);
    TRY(take_rates(run));
    return tell_shares(run, exchange);
}

/* GPUs of one list that are of one make are taken to be equal. */
static bool are_unequal(const pav_run *run)
{
    for (int n = 1; n < run->places; n++)
        if (run->place[n].device->ops != run->place[0].device->ops)
            return true;
    return false;
}

/* What solves an equation of a step is where the step is. */
static pav_status take_outer(pav_run *run)
{
    const int count = run->outer->share ? places_count(run) : 0;
    run->share = count > 0 ? mem_new(count, sizeof *run->share) : NULL;
    for (int n = 0; n < count && run->share; n++)
        run->share[n] = run->outer->share[n];
    return count == 0 || run->share ? PAV_OK : PAV_ENOMEM;
}

pav_status places_find(pav_run *run, opening *how)
{
    const int listed = how->device ? how->device->places : 0;
    run->places = listed > 0 ? listed : 1;
    run->place = mem_new(run->places, sizeof *run->place);
    if (!run->place)
        return PAV_ENOMEM;
    for (int n = 0; n < run->places; n++) {
        run_place *p = &run->place[n];
        p->device = device_place(how->device, n);
        (void)snprintf(p->name, sizeof p->name, "%s",
                       p->device ? pav_device_name(p->device) : run->device_name);
    }
    if (run->outer)
        return take_outer(run);
    if (run->options.weights) {
        TRY(check_weights(run));
        return read_weights(run);
    }
    return are_unequal(run) && !run->options.subdomains ? weigh(run, how) : PAV_OK;
}
