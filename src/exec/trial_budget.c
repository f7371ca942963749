/* SPDX-License-Identifier: BSD-3-Clause */
/* Budget of autotuning. All tuners (of loops, time tiles, kernels and launches on a GPU)
 * try candidates in steps of the run itself. A slow candidate loses time against the
 * fastest one, and the sum of these losses stays below a share of the run. A run of
 * unknown length counts as UNKNOWN_STEPS steps, and its budget grows when it takes more.
 * A candidate without a measurement is assumed TRIAL_ASSUMED times slower than the
 * fastest. Its trial begins only if the budget allows such a loss. */
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

/* The first trial is no loss: the run would have taken that step anyway, including first
 * touches of pages. */
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
