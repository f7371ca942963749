/* SPDX-License-Identifier: BSD-3-Clause */
/* Before the first step: whether a wave equation goes past what its own scheme allows
 * with the coefficients that are there, a step that is too long or waves of too few
 * points. */
#include <math.h>

#include "run/run_private.h"

static const double fewest = 4; /* points of a wavelength, below which a warning is due */

static void tell(pav_run *run, const wave_limit *w, double dt)
{
    const char *name = w->equation->symbol->name;
    const int line = w->equation->at.line;
    const double each = w->frequency > 0 ? w->speed / (2.5 * w->frequency * dt) : 0;

    if (w->growth > 1 + 1e-6 && run->program->dt)
        exec_warn(
            &run->client,
            "%s:%d: dt = %.4g is too long a step for '%s': with the coefficients that "
            "are there the longest that is stable is %.4g",
            run->program->name, line, dt, name, dt / sqrt(w->growth));
    else if (w->growth > 1 + 1e-6)
        exec_warn(
            &run->client,
            "%s:%d: '%s' grows without bound: with the coefficients that are there "
            "the symbol of its scheme goes down to %.4g, and -4 is the least that is "
            "stable",
            run->program->name, line, name, -4 * w->growth);
    if (each > 0 && each < fewest)
        exec_warn(
            &run->client,
            "%s:%d: the shortest waves of '%s' have %.1f points, at 2.5 times the "
            "%.4g of the wavelet where they are slowest; order 8 needs 5, order 2 ten",
            run->program->name, line, name, each, w->frequency);
}

pav_status run_wave_limit(pav_run *run, double *least, double *most, wave_limit *w)
{
    const symbol_list *fields = &run->program->fields;
    const double dt = subdomain_step_time(run->part);

    for (int64_t f = 0; f < fields->count; f++)
        least[f] = most[f] = 1;
    TRY(wave_limit_find(run->program, dt, least, most, w));
    if (!w->equation)
        return PAV_OK;
    for (int64_t f = 0; f < fields->count; f++)
        if (!fields->item[f]->updated && !fields->item[f]->coarse)
            TRY(run_field_range(run, run_field_of(run, fields->item[f]), &least[f],
                                &most[f]));
    return wave_limit_find(run->program, dt, least, most, w);
}

pav_status run_check_wave(pav_run *run)
{
    const int64_t count = run->program->fields.count;
    const double dt = subdomain_step_time(run->part);
    double *range = mem_new(2 * count + 1, sizeof *range);
    wave_limit w = {0};

    if (!range)
        return PAV_ENOMEM;
    const pav_status status = run_wave_limit(run, range, range + count, &w);
    if (status == PAV_OK && w.equation)
        tell(run, &w, dt);
    mem_free(range);
    return status;
}
