/* SPDX-License-Identifier: BSD-3-Clause */
/* What tuners may lose. All of them - of loops, of time tiles, of kernels and launches on
 * a GPU - try candidates in the steps of the run itself: one that turns out slower takes
 * longer than the fastest would have taken for the same steps, and the sum of that stays
 * a share of the run. Where nobody knows how long a run will be, it counts as one of
 * UNKNOWN_STEPS, and its share grows once it has taken more.
 *
 * What has not been tried is feared to be TRIAL_ASSUMED times as slow as the fastest: it
 * begins only where that is left. */
#include "exec/exec.h"

static const double share = 0.05;
enum { UNKNOWN_STEPS = 1000 };

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
    const int64_t expected = known > 0 ? known : UNKNOWN_STEPS;

    return share * (double)(expected > done ? expected : done);
}

static double lost(const trial_budget *b)
{
    return b->spent - b->taken * b->best;
}

bool trial_affords(const trial_budget *b, double allowance, double seconds, double steps)
{
    return b->best <= 0 ||
           lost(b) + seconds - steps * b->best <= allowance * b->best * (1 + 1e-9);
}

bool trial_may_begin(const trial_budget *b, double allowance, double each, double steps)
{
    return trial_affords(b, allowance,
                         steps * (each > 0 ? each : TRIAL_ASSUMED * b->best), steps);
}

bool trial_is_slow(const trial_budget *b, double each)
{
    return each > 0 && each >= TRIAL_SLOW * b->best;
}

bool trial_any_begins(int64_t known, double steps)
{
    return known == 0 || trial_allowance(known, 0) >= (TRIAL_ASSUMED - 1) * steps;
}

/* The first is what the run would have done anyway: pages that it touches first are no
 * loss. */
void trial_note(trial_budget *b, double seconds, double steps, double each)
{
    if (b->best <= 0) {
        b->best = each;
        b->spent += seconds - steps * each;
        return;
    }
    b->spent += seconds;
    b->taken += steps;
    b->best = each < b->best ? each : b->best;
}
