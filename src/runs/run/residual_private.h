/* SPDX-License-Identifier: BSD-3-Clause */
/* Residuals of an iteration, and the rule of a stall. Runs and generated programs share
 * this text, so both give up after the same steps. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { FEW_RESIDUALS = 5 }; /* their least value shows progress */

typedef struct residual_watch {
    double first, best;
    double last[2 * FEW_RESIDUALS]; /* a ring: residual n is at n % (2 * FEW_RESIDUALS) */
    int64_t count;
    int64_t since; /* residuals since the best one */
} residual_watch;

static inline void residual_note(residual_watch *w, double residual)
{
    w->since = w->count > 0 && !(residual < w->best * (1 - 1e-9)) ? w->since + 1 : 0;
    w->best = w->since > 0 ? w->best : residual;
    w->first = w->count > 0 ? w->first : residual;
    w->last[w->count++ % (2 * FEW_RESIDUALS)] = residual;
}

/* True if there is no new best residual, and the least of the last five does not fall
 * below the least of the five before. For steady methods a residual that stands still is
 * enough: the last ones changed by less than a hundredth in all. */
static inline bool residual_stalls(const residual_watch *w, int64_t patience, bool steady)
{
    const int64_t end = w->count;
    double late = HUGE_VAL, early = HUGE_VAL, most = 0;

    for (int64_t n = end - 2 * FEW_RESIDUALS; n < end; n++) {
        const double residual = n < 0 ? 0 : w->last[n % (2 * FEW_RESIDUALS)];
        late = n < end - FEW_RESIDUALS ? late : fmin(late, residual);
        early = n < end - FEW_RESIDUALS ? fmin(early, residual) : early;
        most = n < end - FEW_RESIDUALS - 1 ? most : fmax(most, residual);
    }
    const double before = w->last[(end + FEW_RESIDUALS - 1) % (2 * FEW_RESIDUALS)];
    /* The first step of cg keeps the residual of the start. */
    if (steady && end > FEW_RESIDUALS + 1 && most < 1.01 * fmin(late, before))
        return true;
    /* cg may rise before it falls: above the start it has five times the patience. */
    const bool above = w->last[(end - 1) % (2 * FEW_RESIDUALS)] > w->first;
    return w->since >= (above ? FEW_RESIDUALS : 1) * patience &&
           end > 2 * FEW_RESIDUALS + 2 && late > 0.9 * early;
}
