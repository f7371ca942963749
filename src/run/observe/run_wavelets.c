/* SPDX-License-Identifier: BSD-3-Clause */
/* Before the first step: warns of wavelets sampled at another interval than the step, and
 * of wavelets cut before their end. */
#include <math.h>

#include "run/run_private.h"

/* audible: share of the largest value, above this a wavelet has not ended. rounded:
 * tolerance of dt, because SEG-Y rounds it. */
static const double audible = 0.01, rounded = 1e-3;

static double largest(const trace_table *t, int64_t from, int64_t to)
{
    double most = 0;

    for (int64_t n = from * t->columns; n < to * t->columns; n++)
        most = fmax(most, fabs(t->value[n]));
    return most;
}

static void check_interval(pav_run *run, const statement *s, const trace_table *t)
{
    const double dt = subdomain_step_time(run->part);

    if (t->interval > 0 && run->program->dt && fabs(t->interval - dt) > rounded * dt)
        exec_warn(&run->client,
                  "%s:%d: %s has a sample each %.6g s, and a step takes %.6g: sample n "
                  "is injected in step n; resample the wavelet, or change dt",
                  run->program->name, s->at.line, s->trace, t->interval, dt);
}

static void check_end(pav_run *run, const statement *s, const trace_table *t)
{
    const double all = largest(t, 0, t->rows);
    const int64_t taken = run->steps < t->rows ? run->steps : t->rows;
    const bool more = t->rows > run->steps + 1;
    const double left = more ? largest(t, run->steps, t->rows)
                             : largest(t, t->rows - 1, t->rows);

    if (run->steps <= 0 || left <= audible * all || (!more && t->rows >= run->steps))
        return;
    exec_warn(&run->client,
              "%s:%d: %s holds %lld samples, and the run takes %lld steps: after step "
              "%lld, where it is still %.0f %% of its largest value, %s",
              run->program->name, s->at.line, s->trace, (long long)t->rows,
              (long long)run->steps, (long long)taken, 100 * left / all,
              more ? "the rest is not injected" : "nothing is injected");
}

void run_check_wavelets(pav_run *run)
{
    const ir_event_list *list = &run->code->injections;

    for (int64_t k = 0; k < list->count && !run->opened.given; k++) {
        const statement *s = list->item[k].statement;
        const trace_table *t = &run->part->injection[k].trace;
        if (!s->trace || t->rows < 1)
            continue;
        check_interval(run, s, t);
        check_end(run, s, t);
    }
}
