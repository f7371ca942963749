/* SPDX-License-Identifier: BSD-3-Clause */
/* Before the first step of a long run, trial runs of the same program measure the best
 * shares of unequal places. The first trial takes the shares of the model. Then the seams
 * between places move, a few times, to balance the measured rates. Last, the fastest
 * place takes some steps alone, by its own best schedule. All trials together take a
 * limited share of the run's time. */
#include <string.h>

#include "run/hybrid/hybrid_private.h"

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
static const double part = 0.1; /* the share of one trial in the seconds of all trials */

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

int hybrid_least_steps(void)
{
    return LEAST_STEPS;
}

/* ---- one trial --------------------------------------------------------------------- */

static pav_status add_weights(const trials *t, text *words)
{
    double all = 0;
    for (int n = 0; n < t->run->places; n++)
        all += t->share[n];
    for (int n = 0; n < t->run->places; n++)
        text_add(words, "%s%.15g", n ? "," : "", t->share[n] / all);
    return words->failed ? PAV_ENOMEM : PAV_OK;
}

/* Opens a trial run without notes, warnings, files and checkpoints. */
static pav_status open_trial(const trials *t, const pav_device *device,
                             const char *weights, pav_run **trial)
{
    const pav_run_options *o = &t->run->options;
    const pav_run_options own = {.steps = t->run->steps,
                                 .no_files = 1,
                                 .nan_check_every = -1,
                                 .copy_rate = -1,
                                 .threads = o->threads,
                                 .bind = o->bind,
                                 .schedule = o->schedule,
                                 .exchange_every = o->exchange_every,
                                 .device_memory = o->device_memory,
                                 .weights = weights};
    return t->of->open(t->run->program, device, &own, trial);
}

static double least_of(double a, double b)
{
    return a > 0 && a < b ? a : b;
}

/* Measures the seconds of a step of each place alone. */
static pav_status weigh(pav_run *trial, double *seconds)
{
    const int steps = wide_halo_steps(trial->part->wide);
    const int64_t count = trial->part->inners;
    double *own = mem_new(count, sizeof *own);
    pav_status status = own ? PAV_OK : PAV_ENOMEM;
    memset(seconds, 0, (size_t)count * sizeof *seconds);
    for (int round = 0; round < WEIGHED && status == PAV_OK; round++) {
        memset(own, 0, (size_t)count * sizeof *own);
        exec_split_weigh(trial->part, own);
        status = pav_run_steps(trial, steps);
        for (int64_t n = 0; n < count; n++)
            seconds[n] = least_of(seconds[n], own[n] / steps);
    }
    exec_split_weigh(trial->part, NULL);
    mem_free(own);
    return status;
}

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
    double *seconds = mem_new(trial->part->inners, sizeof *seconds);
    const pav_status status = seconds ? weigh(trial, seconds) : PAV_ENOMEM;
    for (int n = 0; n < t->run->places; n++)
        t->share[n] = (double)box_points(&trial->part->inner[n].grid->box);
    if (status == PAV_OK)
        t->slowest = hybrid_even_out(t->run->places, t->share, seconds, t->each);
    mem_free(seconds);
    return status;
}

static double left(const trials *t)
{
    return t->allowed - (clock_seconds() - t->begun);
}

static pav_status try_shares(trials *t)
{
    text weights = {0};
    pav_run *trial = NULL;
    pav_status status = add_weights(t, &weights);
    if (status == PAV_OK)
        status = open_trial(t, t->list, weights.data, &trial);
    t->seconds = 0;
    if (status == PAV_OK)
        status = run_time_steps(trial, part * t->allowed, &t->seconds);
    if (status == PAV_OK)
        status = note_rates(t, trial);
    t->of->close(trial);
    text_free(&weights);
    return status;
}

static pav_status try_alone(const trials *t, int number, double *seconds)
{
    pav_run *trial = NULL;
    *seconds = 0;
    TRY(open_trial(t, t->run->place[number].device, NULL, &trial));
    const pav_status status = run_time_steps(trial, part * t->allowed, seconds);
    t->of->close(trial);
    return status;
}

/* ---- all of them ------------------------------------------------------------------- */

static void keep_best(trials *t)
{
    const double allowed = trial_allowance(t->run->steps, 0) * t->seconds;
    t->allowed = allowed > t->allowed ? allowed : t->allowed;
    if (t->seconds <= 0 || (t->best_seconds > 0 && t->seconds >= t->best_seconds))
        return;
    t->best_seconds = t->seconds;
    memcpy(t->best, t->share, (size_t)t->run->places * sizeof *t->best);
}

/* Moves the seams to balance the measured rates, within the memory of each place. *moved:
 * the imbalance was large enough to try again. */
static pav_status move_seams(trials *t, bool *moved)
{
    double *before = t->run->cut.share;
    bool less;
    memcpy(t->share, t->each, (size_t)t->run->places * sizeof *t->share);
    t->run->cut.share = t->share;
    const pav_status status = hybrid_fit(t->run, &less);
    t->run->cut.share = before;
    *moved = t->slowest > is_even;
    return status;
}

static pav_status find_shares(trials *t)
{
    for (bool moved = true; moved && t->moves <= MOST_MOVES; t->moves++) {
        const double begun = clock_seconds();
        TRY(try_shares(t));
        keep_best(t);
        TRY(move_seams(t, &moved));
        moved = moved && left(t) > 2 * (clock_seconds() - begun);
    }
    return PAV_OK;
}

static int fastest(const trials *t)
{
    int best = -1;
    for (int n = 0; n < t->run->places; n++)
        if (hybrid_holds_all(t->run, n) && (best < 0 || t->each[n] > t->each[best]))
            best = n;
    return best;
}

static pav_status report_shares(const trials *t, double alone, const char *name)
{
    pav_run *run = t->run;
    text words = {0};
    hybrid_add_shares(run, &words);
    text_add(&words, ": by trial steps; one takes %.3g us", 1e6 * t->best_seconds);
    if (alone > 0)
        text_add(&words, ", and %.3g us on %s alone", 1e6 * alone, name);
    if (!words.failed)
        exec_note(&run->client, "%s", words.data);
    mem_free(run->cut.hybrid);
    run->cut.hybrid = NULL;
    return text_take(&words, &run->cut.hybrid);
}

static pav_status take_alone(const trials *t, opening *how, int number, double alone)
{
    exec_note(&t->run->client,
              "%s alone runs this program: by trial steps one takes %.3g us there, and "
              "%.3g us on %s; --weights shares it all the same",
              t->run->place[number].name, 1e6 * alone, 1e6 * t->best_seconds,
              t->run->device_name);
    return hybrid_take_alone(t->run, how, number);
}

/* Without a measurement, the shares of the model remain. */
static pav_status decide(trials *t, opening *how)
{
    const int best = fastest(t);
    double alone = 0;
    if (t->best_seconds <= 0)
        return PAV_OK;
    if (best >= 0)
        TRY(try_alone(t, best, &alone));
    memcpy(t->run->cut.share, t->best, (size_t)t->run->places * sizeof *t->best);
    if (alone > 0 && t->best_seconds > HYBRID_WORTH * alone)
        return take_alone(t, how, best, alone);
    return report_shares(t, alone, best >= 0 ? t->run->place[best].name : "");
}

static pav_status go_through(trials *t, opening *how)
{
    memcpy(t->share, t->run->cut.share, (size_t)t->run->places * sizeof *t->share);
    TRY(find_shares(t));
    return decide(t, how);
}

/* A solver's derived program is excluded, because each of its runs would have trials of
 * its own. So is a run of unknown length, because nobody knows if trials pay. */
bool hybrid_has_trials(const pav_run *run, const opening *how, double step)
{
    return how->trials && run->steps >= LEAST_STEPS &&
           (double)run->steps * step >= least_seconds && !run->solver.solution.program &&
           run->solver.solution.count == 0;
}

pav_status hybrid_refine(pav_run *run, opening *how, double step)
{
    trials t = {
        .run = run, .of = how->trials, .list = how->device, .begun = clock_seconds()};
    t.allowed = trial_allowance(run->steps, 0) * step;
    t.share = mem_new(3 * (int64_t)run->places, sizeof *t.share);
    if (!t.share)
        return PAV_ENOMEM;
    t.best = t.share + run->places;
    t.each = t.best + run->places;
    const pav_status status = go_through(&t, how);
    mem_free(t.share);
    return status;
}
