/* SPDX-License-Identifier: BSD-3-Clause */
/* Before the first step, checks linear equations with their actual coefficients: the step
 * may be too long for the scheme, or wavelengths may have too few points. */
#include <math.h>
#include <string.h>

#include "run/run_private.h"

static const double fewest = 4; /* points of a wavelength; fewer give a warning */

static void report(pav_run *run, const wave_limit *w, double dt)
{
    const char *name = w->equation->symbol->name;
    const int line = w->equation->at.line;
    const double each = wave_points(w, dt);

    if (w->growth > 1 + 1e-6 && w->shares)
        exec_warn(
            &run->client,
            "%s:%d: '%s'%s grows without bound: a step changes it by too much, and at "
            "most %.4g of that is stable with the coefficients that are there",
            run->program->name, line, name,
            w->equations > 1 ? ", as do the fields of its system," : "",
            1 / sqrt(w->growth));
    else if (w->growth > 1 + 1e-6 && run->program->dt)
        exec_warn(
            &run->client,
            "%s:%d: dt = %.4g is too long a step for '%s'%s: with the coefficients that "
            "are there the longest that is stable is %.4g",
            run->program->name, line, dt, name,
            w->equations > 1 ? " and the fields of its system" : "",
            dt / sqrt(w->growth));
    else if (w->growth > 1 + 1e-6)
        exec_warn(
            &run->client,
            "%s:%d: '%s' grows without bound: with the coefficients that are there "
            "the symbol of its scheme goes down to %.4g, and -4 is the least that is "
            "stable",
            run->program->name, line, name, -4 * w->growth);
    /* including the dispersion of the scheme */
    if (each > 0 && each < fewest * (1 - 1e-3))
        exec_warn(
            &run->client,
            "%s:%d: the shortest waves of '%s' have %.1f points, at 2.5 times the "
            "%.4g of the wavelet where they are slowest; order 8 needs 5, order 2 ten",
            run->program->name, line, name, each, w->frequency);
}

/* ---- points of a system ------------------------------------------------------------ */

/* The points with an extreme value of a coefficient, or of a product or quotient of two:
 * speeds are made of these. */
enum { MOST_EXTREMES = 3 * WAVE_COEFFICIENTS * WAVE_COEFFICIENTS };

typedef struct extremes {
    int coefficients, count;
    double at[MOST_EXTREMES];
    double value[MOST_EXTREMES][WAVE_COEFFICIENTS];
} extremes;

static void take(extremes *e, double figure, const double *value)
{
    const int n = e->count++;
    if (isnan(e->at[n]) || figure > e->at[n]) {
        e->at[n] = figure;
        memcpy(e->value[n], value, sizeof e->value[n]);
    }
}

/* Takes the largest, the least, and the least above 0: a fluid has no slow shear wave. */
static void take_all(extremes *e, double figure, const double *value)
{
    take(e, figure, value);
    take(e, -figure, value);
    take(e, figure > 0 ? -figure : -INFINITY, value);
}

static void take_point(extremes *e, const double *value)
{
    e->count = 0;
    for (int i = 0; i < e->coefficients; i++) {
        take_all(e, value[i], value);
        for (int j = 0; j < i; j++) {
            take_all(e, value[i] * value[j], value);
            take_all(e, value[i] / value[j], value);
        }
    }
}

static void join_extremes(void *own, const void *other)
{
    extremes *e = own;
    const extremes *o = other;

    if (o->count == 0 || o->coefficients == 0)
        return;
    e->count = 0;
    for (int n = 0; n < o->count; n++)
        take(e, o->at[n], o->value[n]);
}

/* The same part of each coefficient field. */
typedef struct part_values {
    const view *v[WAVE_COEFFICIENTS];
    box points;
} part_values;

/* Reads every n-th row, a few million points in all. */
static void take_rows(const part_values *p, int64_t parts, extremes *e)
{
    enum { SAMPLED = 1 << 22 };
    const box *all = &p->points;
    const int64_t rows = int_parts(box_points(all), all->hi[0] - all->lo[0]);
    const int64_t stride = int_parts(box_points(all), int_parts(SAMPLED, parts));
    double value[WAVE_COEFFICIENTS] = {0};

    for (int64_t n = 0; n < rows; n += stride) {
        const int64_t ny = all->hi[1] - all->lo[1];
        const int64_t y = all->lo[1] + n % ny, z = all->lo[2] + n / ny;
        for (int64_t x = all->lo[0]; x < all->hi[0]; x++) {
            for (int k = 0; k < e->coefficients; k++)
                value[k] = type_load(p->v[k]->type, view_at(p->v[k], x, y, z));
            take_point(e, value);
        }
    }
}

/* Parts come in the same order for each field. */
typedef struct gathering {
    part_values *part;
    int64_t parts;
    int coefficient;
} gathering;

static pav_status add_part(void *user, const view *v, const box *b)
{
    gathering *g = user;
    part_values *p = &g->part[g->parts++];

    p->v[g->coefficient] = v;
    p->points = *b;
    return PAV_OK;
}

static pav_status take_parts(pav_run *run, const wave_limit *w, extremes *e)
{
    gathering g = {.part = mem_new(run->part->inners + 1, sizeof *g.part)};
    const part_visit visit = {add_part, &g};
    pav_status status = g.part ? PAV_OK : PAV_ENOMEM;
    bool all_there = true;

    for (int k = 0; status == PAV_OK && k < w->coefficients; k++) {
        g.coefficient = k;
        g.parts = 0;
        status = run_visit_points(run, run_field_of(run, w->coefficient[k]), &visit);
        all_there = all_there && g.parts > 0;
    }
    for (int64_t n = 0; status == PAV_OK && all_there && n < g.parts; n++)
        take_rows(&g.part[n], g.parts, e);
    mem_free(g.part);
    return status;
}

static pav_status find_system(pav_run *run, double dt, wave_limit *w)
{
    extremes *e = mem_new(1, sizeof *e);
    if (!e)
        return PAV_ENOMEM;
    for (int n = 0; n < MOST_EXTREMES; n++)
        e->at[n] = NAN;
    e->coefficients = w->coefficients;
    e->count = w->coefficients == 0; /* without coefficients, any point will do */
    pav_status status = PAV_OK;
    if (w->coefficients > 0)
        status = take_parts(run, w, e);
    if (status == PAV_OK)
        status = run_join_ranks(run, e, sizeof *e, join_extremes);
    if (status == PAV_OK)
        status = wave_system_find(run->program, dt, e->value[0], e->count, w);
    mem_free(e);
    return status;
}

/* ---- all of it --------------------------------------------------------------------- */

pav_status run_wave_limit(pav_run *run, double *least, double *most, wave_limit *w)
{
    const symbol_list *fields = &run->program->fields;
    const double dt = subdomain_step_time(run->part);

    for (int64_t f = 0; f < fields->count; f++)
        least[f] = most[f] = 1;
    TRY(wave_limit_find(run->program, dt, least, most, w));
    if (!w->equation) {
        TRY(wave_system_find(run->program, dt, NULL, 0, w));
        return w->equation ? find_system(run, dt, w) : PAV_OK;
    }
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
        report(run, &w, dt);
    mem_free(range);
    return status;
}
