/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights of unequal places, if the user gives none. In the model each place gets a share
 * in proportion to its copy bandwidth, which bounds a step, and within its memory. If the
 * exchange would cost more than sharing gains, the fastest place takes the whole grid.
 * Before the first step of a long run, trial steps measure both. */
#include <math.h>
#include <string.h>

#include "run/run_private.h"

/* A place slower than this share of the fastest rate is left out, because places wait for
 * each other. On an H100 and 16 processors with less than this share, both took five
 * times the GPU's time alone. */
static const double least_rate = 0.05;

/* Sharing pays if a step takes at most this share of the fastest place's time alone. */
static const double worth_sharing = 0.98;

enum {
    MOST_MOVES = 3,
    LEAST_STEPS = 500, /* steps of the shortest run with trials */
    /* rounds of steps in which places compute in turn; the least time counts */
    WEIGHED = 3,
};
/* the shortest such run in seconds, by the model */
static const double least_seconds = 0.1;
/* places are balanced if the slowest takes at most this multiple of the mean */
static const double is_even = 1.05;
static const double trial_part =
    0.1; /* the share of one trial in the seconds of all trials */

/* ---- shares within the memory of each place ---------------------------------------- */

/* Limits the share of each GPU to its memory, with halos counted; the host takes the
 * remaining planes. */

/* The shape of a field in a box with a neighbour on each side (subdomain_shape). */
static field_shape shape_of(const pav_run *run, const ir_field *f, int64_t planes)
{
    const ir *code = run->code;
    const int axis = code->dim - 1;
    const int64_t all = points_along(code, axis, false);
    const halo_depth d = halo_depth_of(code, f - code->field);
    field_shape shape = run_shape_of(run, f);
    shape.line = GPU_LINE;
    shape.extent[axis] = (shape.extent[axis] * planes + all - 1) / all;
    for (int side = 0; side < 2; side++) {
        shape.halo[axis][side] = int_most(shape.halo[axis][side], d.side[axis][side]);
        for (int other = 0; other < 2; other++)
            shape.room[other] += subdomain_least_width(code, other);
    }
    return shape;
}

static bool bytes_of(const pav_run *run, int64_t planes, int64_t *bytes)
{
    return run_fields_bytes(run, shape_of, planes, bytes) &&
           add_fits(*bytes, subdomain_table_bytes(run->code), bytes);
}

static int64_t all_planes(const pav_run *run)
{
    return points_along(run->code, run->code->dim - 1, false);
}

/* Planes across the slowest axis in the memory of a place; all planes for the host. */
static int64_t most_planes(const pav_run *run, int number)
{
    const int64_t limit = run->place[number].memory;
    const int64_t all = all_planes(run);
    return limit == 0 ? all : run_most_planes(run, bytes_of, all, limit);
}

/* True if the place can hold the whole grid. */
static bool holds_all(const pav_run *run, int number)
{
    return most_planes(run, number) == all_planes(run);
}

/* ---- shares within the memory ------------------------------------------------------ */

static double sum_of(const double *value, int count)
{
    double all = 0;
    for (int n = 0; n < count; n++)
        all += value[n];
    return all;
}

/* The share of a place in the whole grid, at most 1. */
static double share_of(const pav_run *run, int number)
{
    return run->cut.share[number] / sum_of(run->cut.share, run->places);
}

/* Gives the excess of full places to places with room, by their weights. *less: some
 * place had too much. */
static void move_excess(const pav_run *run, const double *weight, double *planes,
                        bool *less)
{
    double excess = 0, others = 0;
    for (int n = 0; n < run->places; n++) {
        const double most = (double)most_planes(run, n);
        if (planes[n] < most)
            others += weight[n];
        if (planes[n] > most) {
            excess += planes[n] - most;
            planes[n] = most;
            *less = true;
        }
    }
    for (int n = 0; n < run->places && others > 0 && excess > 0; n++)
        if (planes[n] < (double)most_planes(run, n))
            planes[n] += excess * weight[n] / others;
}

/* Turns run->cut.share into numbers of planes within the memory of each place. *less:
 * some share was reduced. If all places together have too little room, run_check_memory
 * refuses the run later. */
static pav_status fit_shares(pav_run *run, bool *less)
{
    double room = 0;
    bool again = true;
    *less = false;
    OWNED_NEW(double, planes, run->places);
    for (int n = 0; n < run->places; n++) {
        planes[n] = share_of(run, n) * (double)all_planes(run);
        room += (double)most_planes(run, n);
    }
    for (int n = 0; n < run->places && again && room >= (double)all_planes(run); n++) {
        again = false;
        move_excess(run, run->cut.share, planes, &again);
        *less = *less || again;
    }
    if (*less) {
        /* Rounds to whole planes with the right sum; the remainder goes to places with
         * room. */
        double left = (double)all_planes(run);
        for (int n = 0; n < run->places; n++) {
            planes[n] = floor(planes[n]);
            left -= planes[n];
        }
        for (int n = 0; n < run->places && left > 0; n++) {
            const double more = fmin((double)most_planes(run, n) - planes[n], left);
            planes[n] += more;
            left -= more;
        }
        for (int n = 0; n < run->places; n++)
            run->cut.share[n] = planes[n];
    }
    return PAV_OK;
}

/* ---- rates of places --------------------------------------------------------------- */

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
    OWNED_BY(close_team) host_team *team = NULL;
    TRY(run_open_team(run, host_threads(), &team));
    TRY(copy_rate_of(NULL, team, &found));
    *rate = found.usual;
    return PAV_OK;
}

static pav_status measure_places(pav_run *run, double *exchange)
{
    *exchange = 0;
    for (int n = 0; n < run->places; n++) {
        exec_place *p = &run->place[n];
        place_measured found;
        TRY(place_measure(p, seam_bytes(run), &found));
        p->rate = found.rate;
        if (p->rate > 0) {
            /* A tenth of the memory is for other data than fields, the same as out of
             * core. */
            const int64_t given = run->options.device_memory;
            const int64_t most = found.free / 10 * 9;
            p->memory = given > 0 && (given < most || found.free == 0) ? given : most;
        } else
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

/* ---- predicted seconds of a step --------------------------------------------------- */

static double all_rates(const pav_run *run)
{
    double all = 0;
    for (int n = 0; n < run->places; n++)
        all += run->place[n].rate;
    return all;
}

/* Modelled seconds of a step: the seconds of the slowest place. */
static double seconds_shared(const pav_run *run)
{
    double most = 0;
    for (int n = 0; n < run->places; n++) {
        most = fmax(run->work.step_bytes * share_of(run, n) / run->place[n].rate, most);
    }
    return most;
}

/* ---- one alone --------------------------------------------------------------------- */

static pav_status take_alone(pav_run *run, opening *how, int number)
{
    if (run->place[number].memory == 0)
        run->options.device_memory = 0; /* the limit was given for the other places */
    how->device = run->place[number].device;
    run->place[0] = run->place[number];
    run->places = 1;
    run->compiled = place_kind_of(how->device) == PLACE_PROCESSORS;
    mem_free(run->cut.share);
    run->cut.share = NULL;
    run_name_device(run, pav_device_name(how->device));
    return run_take_options(run, how->device);
}

static pav_status drop_small_place(pav_run *run, opening *how, int best, int small)
{
    OWNED_BY(text_free) text t = {0};
    text_add_bytes_size(&t, run->place[small].memory);
    if (t.failed || best < 0)
        return FAIL(PAV_ENOMEM,
                    "the memory of %s does not hold a part of the grid with the "
                    "thickness of its halos: leave it out",
                    run->place[small].name);
    exec_note(&run->client,
              "%s alone runs this program: %s of memory on %s do not hold a part of the "
              "grid with the thickness of its halos",
              run->place[best].name, t.data, run->place[small].name);
    return take_alone(run, how, best);
}

/* ---- shares ------------------------------------------------------------------------ */

static void add_shares(const pav_run *run, text *t)
{
    for (int n = 0; n < run->places; n++)
        text_add(t, "%s%.3g %% of the grid to %s", n ? ", " : "", 100 * share_of(run, n),
                 run->place[n].name);
}

/* ---- shares by trial steps --------------------------------------------------------- */

/* Before the first step of a long run, trial runs of the same program measure the best
 * shares of unequal places. The first trial takes the shares of the model. Then the seams
 * between places move, a few times, to balance the measured rates. Last, the fastest
 * place takes some steps alone, by its own best schedule. All trials together take a
 * limited share of the run's time. */

typedef struct trials {
    pav_run *run;
    const trial_runs *of;
    const pav_device *list;
    double begun, allowed; /* seconds allowed for all trials */
    double *share, *best;  /* the shares of the next trial; the fastest so far */
    double *each;          /* the last measured rate of each place */
    /* seconds of a step: in the last trial, and in the fastest */
    double seconds, best_seconds;
    double slowest; /* the imbalance in the last trial, by hybrid_even_out */
    int moves;
} trials;

/* ---- one trial --------------------------------------------------------------------- */

double hybrid_even_out(int places, const double *count, const double *seconds,
                       double *rate)
{
    double all = 0, rates = 0, most = 0;
    for (int n = 0; n < places; n++) {
        rate[n] = count[n] / seconds[n];
        all += count[n];
        rates += rate[n];
        most = seconds[n] > most ? seconds[n] : most;
    }
    return most * rates / all;
}

/* Notes the rates by the actual boxes, because shares were rounded to planes. */
static pav_status note_rates(trials *t, pav_run *trial)
{
    /* Measures the seconds of a step of each place alone. */
    const int steps = wide_halo_steps(trial->part->wide);
    const int64_t count = trial->part->inners;
    pav_status status = PAV_OK;
    OWNED_NEW(double, seconds, count);
    OWNED_NEW(double, own, count);
    for (int round = 0; round < WEIGHED && status == PAV_OK; round++) {
        memset(own, 0, (size_t)count * sizeof *own);
        exec_split_weigh(trial->part, own);
        status = pav_run_steps(trial, steps);
        for (int64_t n = 0; n < count; n++)
            if (!(seconds[n] > 0 && seconds[n] < own[n] / steps))
                seconds[n] = own[n] / steps;
    }
    exec_split_weigh(trial->part, NULL);
    TRY(status);
    for (int n = 0; n < t->run->places; n++)
        t->share[n] = (double)box_points(trial->part->inner[n].grid->box);
    t->slowest = hybrid_even_out(t->run->places, t->share, seconds, t->each);
    return PAV_OK;
}

/* Opens a trial run without notes, warnings, files and checkpoints, and times its steps.
 * The caller closes it, even after an error. */
static pav_status begin_trial(const trials *t, const pav_device *device,
                              const char *weights, pav_run **trial, double *seconds)
{
    const pav_run_options *o = &t->run->options;
    const pav_run_options own = {.steps = t->run->steps,
                                 .no_files = 1,
                                 .nan_check_every = -1,
                                 .copy_rate = -1,
                                 .early = -1,
                                 .threads = o->threads,
                                 .bind = o->bind,
                                 .schedule = o->schedule,
                                 .exchange_every = o->exchange_every,
                                 .device_memory = o->device_memory,
                                 .weights = weights};
    *trial = NULL;
    *seconds = 0;
    TRY(t->of->open(t->run->program, device, &own, trial));
    return run_time_steps(*trial, trial_part * t->allowed, seconds);
}

static pav_status try_shares(trials *t)
{
    const double all = sum_of(t->share, t->run->places);
    OWNED_BY(text_free) text weights = {0};
    pav_run *trial;
    for (int n = 0; n < t->run->places; n++)
        text_add(&weights, "%s%.15g", n ? "," : "", t->share[n] / all);
    if (weights.failed)
        return PAV_ENOMEM;
    pav_status status = begin_trial(t, t->list, weights.data, &trial, &t->seconds);
    if (status == PAV_OK)
        status = note_rates(t, trial);
    t->of->close(trial);
    return status;
}

/* ---- all of them ------------------------------------------------------------------- */

static void keep_best(trials *t)
{
    t->allowed = fmax(trial_allowance(t->run->steps, 0) * t->seconds, t->allowed);
    if (t->seconds <= 0 || (t->best_seconds > 0 && t->seconds >= t->best_seconds))
        return;
    t->best_seconds = t->seconds;
    memcpy(t->best, t->share, (size_t)t->run->places * sizeof *t->best);
}

static pav_status find_shares(trials *t)
{
    for (bool moved = true; moved && t->moves <= MOST_MOVES; t->moves++) {
        const double begun = clock_seconds();
        TRY(try_shares(t));
        keep_best(t);
        /* Moves the seams to balance the measured rates, within the memory of each
         * place. *moved: the imbalance was large enough to try again. */
        double *before = t->run->cut.share;
        bool less;
        memcpy(t->share, t->each, (size_t)t->run->places * sizeof *t->share);
        t->run->cut.share = t->share;
        const pav_status status = fit_shares(t->run, &less);
        t->run->cut.share = before;
        TRY(status);
        moved = t->slowest > is_even &&
                t->allowed - (clock_seconds() - t->begun) > 2 * (clock_seconds() - begun);
    }
    return PAV_OK;
}

static pav_status report_tried_shares(const trials *t, double alone, const char *name)
{
    pav_run *run = t->run;
    text words = {0};
    add_shares(run, &words);
    text_add(&words, ": by trial steps; one takes %.3g us", 1e6 * t->best_seconds);
    if (alone > 0)
        text_add(&words, ", and %.3g us on %s alone", 1e6 * alone, name);
    if (!words.failed)
        exec_note(&run->client, "%s", words.data);
    mem_free(run->cut.hybrid);
    run->cut.hybrid = NULL;
    return text_take(&words, &run->cut.hybrid);
}

/* Without a measurement, the shares of the model remain. */
static pav_status decide(trials *t, opening *how)
{
    int best = -1;
    double alone = 0;
    for (int n = 0; n < t->run->places; n++)
        if (holds_all(t->run, n) && (best < 0 || t->each[n] > t->each[best]))
            best = n;
    if (t->best_seconds <= 0)
        return PAV_OK;
    if (best >= 0) {
        pav_run *trial;
        const pav_status status = begin_trial(t, t->run->place[best].device, NULL, &trial,
                                              &alone);
        t->of->close(trial);
        TRY(status);
    }
    memcpy(t->run->cut.share, t->best, (size_t)t->run->places * sizeof *t->best);
    if (alone > 0 && t->best_seconds > worth_sharing * alone) {
        exec_note(
            &t->run->client,
            "%s alone runs this program: by trial steps one takes %.3g us there, and "
            "%.3g us on %s; --weights shares it all the same",
            t->run->place[best].name, 1e6 * alone, 1e6 * t->best_seconds,
            t->run->device_name);
        return take_alone(t->run, how, best);
    }
    return report_tried_shares(t, alone, best >= 0 ? t->run->place[best].name : "");
}

/* A solver's derived program is excluded, because each of its runs would have trials of
 * its own. So is a run of unknown length, because nobody knows if trials pay. */
static bool has_trials(const pav_run *run, const opening *how, double step)
{
    return how->trials && run->steps >= LEAST_STEPS &&
           (double)run->steps * step >= least_seconds && !run->solver.solution.program &&
           run->solver.solution.count == 0;
}

static pav_status report_model_shares(pav_run *run, bool less, double exchange)
{
    text t = {0};
    add_shares(run, &t);
    text_add(&t,
             ": by the rates at which they copy memory; the exchange by the host takes "
             "%.3g us a step where the whole would take %.3g us",
             1e6 * exchange, 1e6 * seconds_shared(run));
    if (less) {
        for (int n = 0; n < run->places; n++) {
            const int64_t most = most_planes(run, n);
            if (run->cut.share[n] < (double)most || run->place[n].memory == 0)
                continue;
            text_add(&t, "; the memory of %s, ", run->place[n].name);
            text_add_bytes_size(&t, run->place[n].memory);
            text_add(&t, ", holds no more than %lld of %lld planes", (long long)most,
                     (long long)points_along(run->code, run->code->dim - 1, false));
        }
    } else
        text_add(&t, "; runs of %d steps and more measure both by trial steps first",
                 LEAST_STEPS);
    return text_take(&t, &run->cut.hybrid);
}

pav_status hybrid_weigh(pav_run *run, opening *how)
{
    double exchange;
    bool less;
    TRY(measure_places(run, &exchange));
    const int64_t least = subdomain_least_width(run->code, run->code->dim - 1);
    int best = -1; /* the fastest place that can hold the whole grid; -1: none can */
    for (int n = 0; n < run->places; n++)
        if (holds_all(run, n) && (best < 0 || run->place[n].rate > run->place[best].rate))
            best = n;
    for (int n = 0; n < run->places; n++)
        if (most_planes(run, n) < least)
            return drop_small_place(run, how, best, n);
    const double rate = best >= 0 ? run->place[best].rate : 0;
    if (best >= 0 && all_rates(run) - rate < least_rate * rate) {
        exec_note(&run->client,
                  "%s alone runs this program: the others of %s copy memory at %.2g %% "
                  "of its rate, and an exchange pays from %.2g %% on; --weights divides "
                  "it all the same",
                  run->place[best].name, run->device_name,
                  100 * (all_rates(run) / run->place[best].rate - 1), 100 * least_rate);
        return take_alone(run, how, best);
    }
    TRY(mem_take(&run->cut.share, run->places, sizeof *run->cut.share));
    for (int n = 0; n < run->places; n++)
        run->cut.share[n] = run->place[n].rate;
    TRY(fit_shares(run, &less));
    if (less && run->options.exchange_every == 0)
        run->options.exchange_every = 1; /* wider halos would take memory */
    const double shared = seconds_shared(run) + exchange;
    if (has_trials(run, how, shared)) {
        OWNED_NEW(double, share, 3 * (int64_t)run->places);
        trials t = {.run = run,
                    .of = how->trials,
                    .list = how->device,
                    .begun = clock_seconds(),
                    .allowed = trial_allowance(run->steps, 0) * shared,
                    .share = share,
                    .best = share + run->places,
                    .each = share + 2 * run->places};
        memcpy(t.share, run->cut.share, (size_t)run->places * sizeof *t.share);
        TRY(find_shares(&t));
        return decide(&t, how);
    }
    if (best >= 0 && shared > worth_sharing * run->work.step_bytes / rate) {
        /* The fastest place takes the whole grid, as if the user had named it alone. */
        const double alone = run->work.step_bytes / run->place[best].rate;
        exec_note(&run->client,
                  "%s alone runs this program: by the model a step takes %.3g us there, "
                  "and %.3g us on %s, with %.3g us for the exchange; --weights divides "
                  "it all the same",
                  run->place[best].name, 1e6 * alone,
                  1e6 * (seconds_shared(run) + exchange), run->device_name,
                  1e6 * exchange);
        return take_alone(run, how, best);
    }
    return report_model_shares(run, less, exchange);
}

/* ---- given weights ----------------------------------------------------------------- */

pav_status hybrid_check(pav_run *run)
{
    const int64_t planes = points_along(run->code, run->code->dim - 1, false);
    for (int n = 0; n < run->places && run->options.device_memory > 0; n++) {
        exec_place *p = &run->place[n];
        if (p->kind != PLACE_GPU)
            continue;
        p->memory = run->options.device_memory;
        const int64_t most = most_planes(run, n);
        const double own = share_of(run, n) * (double)planes;
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
