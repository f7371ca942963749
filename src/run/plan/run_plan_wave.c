/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits of linear equations with their initial coefficients: the longest stable
 * step, and the points of the shortest waves. The interpreter computes the coefficients,
 * on small grids only. */
#include <math.h>
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/run_private.h"

enum { MOST_POINTS = 1 << 22 };

static pav_status find_wave(plan_wave *w, pav_run *run)
{
    const symbol_list *fields = &run->program->fields;
    double *range = mem_new(2 * fields->count + 1, sizeof *range);

    if (!range)
        return PAV_ENOMEM;
    w->dt = subdomain_step_time(run->part);
    const pav_status status = run_wave_limit(run, range, range + fields->count,
                                             &w->limit);
    for (int k = 0; status == PAV_OK && k < w->limit.coefficients; k++) {
        const bool system = w->limit.equations > 0;
        const int64_t f = w->limit.coefficient[k]->index;
        w->least[k] = system ? w->limit.worst[k] : range[f];
        w->most[k] = system ? w->limit.worst[k] : range[fields->count + f];
    }
    mem_free(range);
    return status;
}

/* True if the description has linear equations, whatever their coefficients are. */
static bool is_wave(const pav_run *run)
{
    const int64_t count = run->program->fields.count;
    double *one = mem_new(count + 1, sizeof *one);
    wave_limit w = {0};

    for (int64_t f = 0; one && f < count; f++)
        one[f] = 1;
    bool is = one && wave_limit_find(run->program, 1, one, one, &w) == PAV_OK &&
              w.equation;
    mem_free(one);
    if (!is)
        is = wave_system_find(run->program, 1, NULL, 0, &w) == PAV_OK && w.equation &&
             !w.shares;
    return is;
}

/* If input files are missing, the plan is made without them. */
pav_status plan_find_wave(pav_plan *plan)
{
    pav_run *begun = NULL;

    if (!is_wave(plan->run))
        return PAV_OK;
    plan->wave.is = true;
    if (plan->run->work.points > MOST_POINTS)
        return PAV_OK;
    pav_status status = run_open_with(plan->run->program, interp_stage, &begun);
    if (status == PAV_OK)
        status = find_wave(&plan->wave, begun);
    if (status == PAV_OK && plan->wave.limit.equations > 0 &&
        !(plan->wave.limit.growth > 0))
        plan->wave.is = false; /* it grows with any step, so it may be no wave */
    plan->wave.known = status == PAV_OK && plan->wave.limit.equation &&
                       plan->wave.limit.growth > 0;
    if (status != PAV_OK)
        plan->wave.why = strdup(pav_message());
    pav_run_free(begun);
    return status == PAV_ENOMEM ? status : PAV_OK;
}

/* ---- telling ----------------------------------------------------------------------- */

static double longest(const plan_wave *w)
{
    return w->dt / sqrt(w->limit.growth);
}

static void add_coefficients(const plan_wave *w, text *t)
{
    for (int k = 0; k < w->limit.coefficients; k++) {
        text_add(t, "%s%s ", k ? ", " : "; ", w->limit.coefficient[k]->name);
        if (w->limit.equations > 0)
            text_add(t, "%.6g", w->most[k]);
        else
            text_add(t, "from %.6g to %.6g", w->least[k], w->most[k]);
    }
    text_add(t, w->limit.equations > 0 && w->limit.coefficients > 0
                    ? " where that is least"
                    : "");
}

void plan_wave_text(const pav_plan *plan, text *t)
{
    const plan_wave *w = &plan->wave;

    if (!w->is)
        return;
    text_add(t, "\n%-12s ", "stability");
    if (!w->known) {
        if (plan->run->work.points > MOST_POINTS)
            text_add(t, "its longest step is found by runs: the grid is large\n");
        else
            text_add(t, "its coefficients could not be worked out before the run%s%s\n",
                     w->why ? ": " : "", w->why ? w->why : "");
        return;
    }
    text_add(t, "the longest stable step is %.4g, dt is %.4g%s", longest(w), w->dt,
             w->limit.growth > 1 + 1e-6 ? ": TOO LONG" : "");
    add_coefficients(w, t);
    text_add(t, "\n");
    if (wave_points(&w->limit, w->dt) > 0)
        text_add(t,
                 "%-12s the shortest waves, of 2.5 times %.4g where they are slowest, "
                 "have %.3g points\n",
                 "", w->limit.frequency, wave_points(&w->limit, w->dt));
}

void plan_wave_json(const pav_plan *plan, text *t)
{
    const plan_wave *w = &plan->wave;

    if (!w->is || !w->known)
        return;
    text_add(t, ", \"wave\": {\"dt\": %.9g, \"longest_dt\": %.9g, \"points\": %.6g",
             w->dt, longest(w), wave_points(&w->limit, w->dt));
    text_add(t, ", \"coefficients\": [");
    for (int k = 0; k < w->limit.coefficients; k++)
        text_add(t, "%s{\"name\": \"%s\", \"least\": %.9g, \"most\": %.9g}",
                 k ? ", " : "", w->limit.coefficient[k]->name, w->least[k], w->most[k]);
    text_add(t, "]}");
}
