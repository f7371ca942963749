/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix of one step of a linear system at one wave number. Its eigenvalues give the
 * growth of the waves and the speed of the slowest wave. */
#include <math.h>
#include <string.h>

#include "solve/waves/waves_private.h"

enum { SQUARINGS = 20 };
static const double pi = 3.14159265358979323846;

static double complex symbol_of(const waves *w, const solve_form *f, const double *k)
{
    double complex sum = 0;

    for (int64_t n = 0; n < f->count; n++) {
        double phase = 0;
        for (int axis = 0; axis < w->d.p->dim; axis++)
            phase += f->tap[n].offset[axis] * k[axis];
        sum += f->tap[n].value * (cos(phase) + I * sin(phase));
    }
    return sum;
}

/* Fills the matrix, one row per level of each field. A new value follows from the
 * equation. An older level is a copy of the next newer level. */
static void find_matrix(const waves *w, const double *k, wave_matrix m)
{
    memset(m, 0, (size_t)w->states * sizeof *m);
    for (int n = 0; n < w->equations; n++) {
        double complex *row = m[w->first[n]];
        for (int f = 0; f < w->forms[n]; f++) {
            const line_form *form = &w->form[n][f];
            const double complex factor = symbol_of(w, &form->form, k);
            const double complex *from = m[w->first[form->newer ? form->column : 0]];
            if (!form->newer)
                row[form->column] += factor;
            for (int j = 0; j < w->states && form->newer; j++)
                row[j] += factor * from[j];
        }
        for (int j = 0; j < w->states; j++)
            row[j] = (j == w->first[n]) + w->share * (row[j] - (j == w->first[n]));
        for (int age = 1; age <= w->equation[n]->symbol->oldest; age++)
            m[w->first[n] + age][w->first[n] + age - 1] = 1;
    }
}

static double norm_of(const waves *w, wave_matrix m)
{
    double sum = 0;

    for (int i = 0; i < w->states; i++)
        for (int j = 0; j < w->states; j++)
            sum += creal(m[i][j]) * creal(m[i][j]) + cimag(m[i][j]) * cimag(m[i][j]);
    return sqrt(sum);
}

static void square(const waves *w, wave_matrix m)
{
    wave_matrix old;

    memcpy(old, m, (size_t)w->states * sizeof *m);
    for (int i = 0; i < w->states; i++)
        for (int j = 0; j < w->states; j++) {
            m[i][j] = 0;
            for (int k = 0; k < w->states; k++)
                m[i][j] += old[i][k] * old[k][j];
        }
}

/* The largest absolute eigenvalue, from the norm of a high power. */
static double growth_at(const waves *w, const double *k)
{
    wave_matrix m;
    double logarithm = 0, share = 1;

    find_matrix(w, k, m);
    if (w->states == 1)
        return cabs(m[0][0]);
    for (int n = 0; n < SQUARINGS; n++) {
        const double size = norm_of(w, m);
        if (!(size > 0) || !isfinite(size))
            return size > 0 ? INFINITY : 0;
        for (int i = 0; i < w->states; i++)
            for (int j = 0; j < w->states; j++)
                m[i][j] /= size;
        logarithm += share * log(size);
        share /= 2;
        square(w, m);
    }
    return exp(logarithm + share * log(fmax(norm_of(w, m), 1e-300)));
}

/* The maximum of `figure` over wave numbers from 0 to pi along x, and from -pi where axes
 * may differ: large systems are symmetric, and their matrices take long. */
static double most_of(const waves *w, double (*figure)(const waves *, const double *))
{
    enum { FEW_STATES = 4 };
    const int dim = w->d.p->dim, half = dim == 3 ? 4 : 8;
    const int from = w->states <= FEW_STATES ? -half : 0;
    const int last[] = {half, dim > 1 ? half : 0, dim > 2 ? half : 0};
    double most = 0;

    for (int z = dim > 2 ? from : 0; z <= last[2]; z++)
        for (int y = dim > 1 ? from : 0; y <= last[1]; y++)
            for (int x = 0; x <= last[0]; x++) {
                const double k[] = {x * pi / half, y * pi / half, z * pi / half};
                most = fmax(most, figure(w, k));
            }
    return most;
}

double wave_growth(const waves *w)
{
    return most_of(w, growth_at);
}

static double rate_at(const waves *w, const double *k)
{
    wave_matrix m;
    double most = 0;

    find_matrix(w, k, m);
    if (!wave_eigenvalues(w->states, m))
        return 0;
    for (int n = 0; n < w->states; n++)
        most = fmax(most, log(cabs(m[n][n])));
    return most;
}

double wave_rate(const waves *w)
{
    return most_of(w, rate_at);
}

double wave_slowest(const waves *w, int axis)
{
    const double each = pi / 16, hardly = 1e-2;
    double k[MAX_DIM] = {0};
    double fastest = 0, slowest = INFINITY;
    wave_matrix m;

    k[axis] = each;
    find_matrix(w, k, m);
    if (!wave_eigenvalues(w->states, m))
        return INFINITY;
    for (int n = 0; n < w->states; n++)
        fastest = fmax(fastest, fabs(carg(m[n][n])));
    for (int n = 0; n < w->states; n++) {
        const double turn = fabs(carg(m[n][n]));
        slowest = turn > hardly * fastest ? fmin(slowest, turn) : slowest;
    }
    return slowest / each;
}
