/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvalues of a small complex matrix: elimination to a Hessenberg matrix, then steps
 * of QR with Wilkinson's shift (Golub and Van Loan, Matrix Computations, 7.4 and 7.5). */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "solve/waves/waves_private.h"

static void swap(double complex *a, double complex *b)
{
    const double complex kept = *a;
    *a = *b;
    *b = kept;
}

static void swap_both(int n, wave_matrix m, int p, int q)
{
    for (int j = 0; j < n; j++)
        swap(&m[p][j], &m[q][j]);
    for (int i = 0; i < n; i++)
        swap(&m[i][p], &m[i][q]);
}

/* Subtracts `factor` times row c from row r, with the matching change of columns. */
static void eliminate(int n, wave_matrix m, int r, int c, double complex factor)
{
    for (int j = 0; j < n; j++)
        m[r][j] -= factor * m[c][j];
    for (int i = 0; i < n; i++)
        m[i][c] += factor * m[i][r];
}

static void to_hessenberg(int n, wave_matrix m)
{
    for (int c = 1; c < n - 1; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++)
            pivot = cabs(m[r][c - 1]) > cabs(m[pivot][c - 1]) ? r : pivot;
        if (cabs(m[pivot][c - 1]) == 0)
            continue;
        swap_both(n, m, pivot, c);
        for (int r = c + 1; r < n; r++)
            eliminate(n, m, r, c, m[r][c - 1] / m[c][c - 1]);
    }
}

/* Shift of the QR step: the eigenvalue of the last two rows closer to the last diagonal
 * element. */
static double complex shift_of(wave_matrix m, int last)
{
    const double complex a = m[last - 1][last - 1], d = m[last][last];
    const double complex half = (a - d) / 2;
    const double complex root = csqrt(half * half +
                                      m[last - 1][last] * m[last][last - 1]);
    return d + half + (cabs(half + root) < cabs(half - root) ? root : -root);
}

/* Replaces m = Q R by R Q, with rotations of neighbouring rows. */
static void take_step(wave_matrix m, int last, double complex shift)
{
    double complex c[WAVE_STATES], s[WAVE_STATES];

    for (int k = 0; k <= last; k++)
        m[k][k] -= shift;
    for (int k = 0; k < last; k++) {
        const double size = hypot(cabs(m[k][k]), cabs(m[k + 1][k]));
        c[k] = size > 0 ? m[k][k] / size : 1;
        s[k] = size > 0 ? m[k + 1][k] / size : 0;
        for (int j = k; j <= last; j++) {
            const double complex above = m[k][j], below = m[k + 1][j];
            m[k][j] = conj(c[k]) * above + conj(s[k]) * below;
            m[k + 1][j] = c[k] * below - s[k] * above;
        }
    }
    for (int k = 0; k < last; k++)
        for (int i = 0; i <= k + 1; i++) {
            const double complex left = m[i][k], right = m[i][k + 1];
            m[i][k] = left * c[k] + right * s[k];
            m[i][k + 1] = right * conj(c[k]) - left * conj(s[k]);
        }
    for (int k = 0; k <= last; k++)
        m[k][k] += shift;
}

bool wave_eigenvalues(int n, wave_matrix m)
{
    enum { MOST_TRIES = 60, UNUSUAL = 10 };
    int last = n - 1;

    to_hessenberg(n, m);
    for (int tries = 0; last > 0 && tries < MOST_TRIES; tries++) {
        const double below = cabs(m[last][last - 1]);
        if (below <= DBL_EPSILON * (cabs(m[last][last]) + cabs(m[last - 1][last - 1]))) {
            last--;
            tries = -1;
        } else {
            take_step(m, last,
                      tries % UNUSUAL == UNUSUAL - 1 ? m[last][last] + below
                                                     : shift_of(m, last));
        }
    }
    return last <= 0;
}
