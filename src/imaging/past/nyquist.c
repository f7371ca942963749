/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the stride between the past steps that count. The sum over time of the product
 * of two waves needs only every n-th step if n steps last at most 1/(2*f). f is the
 * highest frequency of the sources, and of the waves. */
#include <math.h>
#include <stdlib.h>

#include "imaging/imaging_private.h"

/* Amplitudes below this part of the largest amplitude are ignored. The spectrum of a
 * Ricker wavelet of frequency f falls to this part at 3*f. */
static const double least_part = 0.003, ricker_end = 3;
static const double pi = 3.14159265358979323846;

/* ---- the spectrum of a trace ------------------------------------------------------- */

static void swap_reversed(double (*v)[2], int64_t n)
{
    for (int64_t i = 1, j = 0; i < n; i++) {
        int64_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        for (int part = 0; i < j && part < 2; part++) {
            const double kept = v[i][part];
            v[i][part] = v[j][part];
            v[j][part] = kept;
        }
    }
}

/* The discrete Fourier transform of n values in place; n is a power of 2 (Cooley,
 * Tukey). */
static void transform(double (*v)[2], int64_t n)
{
    swap_reversed(v, n);
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t k = 0; k < half; k++) {
            const double c = cos(pi * (double)k / (double)half);
            const double s = -sin(pi * (double)k / (double)half);
            for (int64_t i = k; i < n; i += 2 * half) {
                double *a = v[i], *b = v[i + half];
                const double re = c * b[0] - s * b[1], im = c * b[1] + s * b[0];
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
        }
}

/* Highest frequency with an amplitude above least_part of the largest, in cycles per
 * step. */
static double highest_of(const double (*v)[2], int64_t n)
{
    double most = 0;
    int64_t last = 0;

    for (int64_t k = 0; k <= n / 2; k++)
        most = fmax(most, hypot(v[k][0], v[k][1]));
    for (int64_t k = 0; k <= n / 2; k++)
        if (hypot(v[k][0], v[k][1]) > least_part * most)
            last = k + 1;
    return (double)last / (double)n;
}

static pav_status highest_of_traces(const trace_table *t, double *highest)
{
    int64_t n = 2;

    while (n < 2 * t->rows)
        n *= 2;
    double(*v)[2] = mem_new(n, sizeof *v);
    if (!v)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < t->columns; k++) {
        for (int64_t i = 0; i < n; i++) {
            v[i][0] = i < t->rows ? t->value[i * t->columns + k] : 0;
            v[i][1] = 0;
        }
        transform(v, n);
        *highest = fmax(*highest, highest_of((const double(*)[2])v, n));
    }
    mem_free(v);
    return PAV_OK;
}

/* ---- the sources ------------------------------------------------------------------- */

/* Raises *highest to the source's highest frequency, in cycles per step. */
static pav_status highest_of_source(const program *p, const statement *inject, double dt,
                                    double *highest)
{
    const double ricker = wave_ricker(p, inject->value);
    trace_table t = {0};

    if (!inject->trace) {
        *highest = fmax(*highest, ricker_end * ricker * dt);
        return ricker > 0 ? PAV_OK
                          : FAIL(PAV_EUNSUPPORTED,
                                 "%s:%d: how fast this source varies is not known, since "
                                 "it is no ricker(f, t) of a known f and no file: give "
                                 "the number of steps in place of auto",
                                 p->name, inject->at.line);
    }
    TRY(shot_read_wavelet(p, inject, &t));
    const pav_status status = highest_of_traces(&t, highest);
    traces_free(&t);
    return status;
}

static pav_status find_highest(const program *p, double *highest)
{
    const symbol *dt = p->dt;
    int64_t sources = 0;

    if (dt && !dt->constant)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s: dt follows from fields, so that the steps that count cannot be "
                    "chosen before a run: give their number in place of auto",
                    p->name);
    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_INJECT && ++sources > 0)
            TRY(highest_of_source(p, s, dt ? num_f64(dt->number) : 1, highest));
    return sources > 0 ? PAV_OK
                       : FAIL(PAV_EUNSUPPORTED,
                              "%s has no source whose spectrum would say how many steps "
                              "count: give their number in place of auto",
                              p->name);
}

pav_status every_settle(const program *p, pav_adjoint_options *o)
{
    double highest = 0;

    if (o->every != PAV_EVERY_AUTO)
        return PAV_OK;
    TRY(find_highest(p, &highest));
    const double steps = highest > 0 ? floor(1 / (2 * highest) * (1 + 1e-9)) : 1;
    o->every = steps < 1 ? 1 : steps > 1e6 ? 1000000 : (int64_t)steps;
    return PAV_OK;
}
