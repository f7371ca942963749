/* SPDX-License-Identifier: BSD-3-Clause */
/* The tuner: candidates, seconds, budget, the fastest, losses. Candidates are tried in
 * steps of the run itself, and the choice changes no bit. A slow candidate loses time
 * against the fastest one, and the sum of these losses stays below a share of the run. A
 * run of unknown length counts as UNKNOWN_STEPS steps, and its budget grows when it takes
 * more. A candidate without a measurement is assumed ASSUMED times slower than the
 * fastest. Its trial begins only if the budget allows such a loss. */
#include <assert.h>
#include <math.h>

#include "exec/exec.h"

static const double share = 0.05;
enum {
    UNKNOWN_STEPS = 1000,
    ASSUMED = 2,
    SLOW = 4 /* a candidate this many times slower is not tried again */
};

/* ---- budget ------------------------------------------------------------------------ */

bool trial_is_of(const box *tried, const box *b)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t width = b->hi[axis] - b->lo[axis];
        const int64_t own = tried->hi[axis] - tried->lo[axis];
        if (3 * width > 4 * own || 4 * width < 3 * own)
            return false;
    }
    return true;
}

double trial_allowance(int64_t known, int64_t done)
{
    return share * (double)int64_most(known > 0 ? known : UNKNOWN_STEPS, done);
}

bool trial_any_begins(int64_t known, double steps)
{
    return known == 0 || trial_allowance(known, 0) >= (ASSUMED - 1) * steps;
}

/* True if `seconds` more for so many steps, after `spent` seconds for `taken` steps, lose
 * no more than the allowance. */
static bool affords(const tuner *t, double seconds, double steps)
{
    const double lost = t->spent + seconds - (t->taken + steps) * t->best;
    return t->best <= 0 ||
           lost <= trial_allowance(t->known, t->done) * t->best * (1 + 1e-9);
}

bool tuner_may_begin(const tuner *t, double steps)
{
    const double own = t->seconds[t->current];
    return affords(t, steps * (own > 0 ? own : ASSUMED * t->best), steps);
}

static bool is_slow(const tuner *t)
{
    return t->seconds[t->current] > 0 && t->seconds[t->current] >= SLOW * t->best;
}

/* The first trial is no loss: the run would have taken that step anyway, including first
 * touches of pages. */
static void spend(tuner *t, double seconds, double steps, double each)
{
    if (t->best <= 0) {
        t->best = each;
        t->spent += seconds - steps * each;
        return;
    }
    t->spent += seconds;
    t->taken += steps;
    t->best = fmin(each, t->best);
}

bool tuner_affords(const tuner *t, double each, double more)
{
    tuner after = *t;
    spend(&after, each, 1, each);
    return affords(&after, more * each, 0);
}

/* ---- candidates -------------------------------------------------------------------- */

void tuner_open(tuner *t, int count, int rounds)
{
    assert(count <= TUNER_MOST); /* t->seconds has room */
    *t = (tuner){.count = count, .rounds = rounds, .current = rounds > 0 ? 0 : count};
}

static void keep_least(tuner *t, double seconds)
{
    double *own = &t->seconds[t->current];
    if (*own <= 0 || seconds < *own)
        *own = seconds;
}

/* ---- in turns ---------------------------------------------------------------------- */

static void turn(tuner *t)
{
    const int each = t->count - t->first;
    t->turns++;
    t->current = t->turns < t->rounds * each ? t->first + t->turns % each : t->count;
}

/* If the length of the run is known, a trial too expensive now will never be
 * affordable. */
bool tuner_next(tuner *t)
{
    for (; !tuner_is_over(t); turn(t)) {
        const bool slow = is_slow(t);
        if (!slow && tuner_may_begin(t, 1))
            return true;
        if (!slow && t->known == 0)
            return false;
    }
    return false;
}

void tuner_add(tuner *t, int count)
{
    /* all others are tried, and t->seconds has room */
    assert(tuner_is_over(t) && t->count + count <= TUNER_MOST);
    t->first = t->current = t->count;
    t->count += count;
    t->turns = 0;
}

void tuner_time(tuner *t, double each, double all)
{
    const double *seconds = t->seconds;
    spend(t, all, 1, each);
    keep_least(t, each);
    if (seconds[t->fastest] <= 0 || seconds[t->current] < seconds[t->fastest])
        t->fastest = t->current;
    turn(t);
}

/* ---- one after another ------------------------------------------------------------- */

tuner_verdict tuner_judge(tuner *t, double each, double steps, bool probe, bool patient)
{
    const int n = t->current;
    spend(t, steps * each, steps, probe ? INFINITY : each);
    keep_least(t, each);
    t->tried[n] += !probe;
    const bool slow = is_slow(t), last = t->tried[n] >= t->rounds;
    if (patient && !last && !slow)
        return TUNER_AGAIN;
    if (n != t->fastest && (probe ? slow : t->seconds[n] >= t->seconds[t->fastest]))
        return TUNER_LOST;
    if (!probe)
        t->fastest = n;
    return last || patient ? TUNER_WON : TUNER_AGAIN;
}

/* The models have put the better candidates first, so some losses in a row end the
 * trials. */
void tuner_next_candidate(tuner *t, bool lost)
{
    t->losses = lost ? t->losses + 1 : 0;
    t->current = t->losses < t->most_losses ? t->current + 1 : t->count;
}
