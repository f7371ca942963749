/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvalues of small matrices. Each matrix is similar to a diagonal matrix, so its
 * eigenvalues are known. */
#include <math.h>

#include "solve/waves/waves_private.h"
#include "test.h"

enum { N = 9 };

/* A similarity transform: row i gains a multiple of row j, and column j loses the same
 * multiple of column i. */
static void mix(double complex factor, int i, int j, wave_matrix m)
{
    for (int k = 0; k < N; k++)
        m[i][k] += factor * m[j][k];
    for (int k = 0; k < N; k++)
        m[k][j] -= factor * m[k][i];
}

static void make(const double complex *value, wave_matrix m)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = i == j ? value[i] : 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (i != j)
                mix(0.3 * sin(1 + 3 * i + 7 * j) + 0.2 * I * cos(i - 2 * j), i, j, m);
}

/* Each eigenvalue is found exactly once. */
static void check_found(const double complex *value, double error)
{
    static wave_matrix m;
    bool taken[N] = {false};

    make(value, m);
    REQUIRE(wave_eigenvalues(N, m));
    for (int i = 0; i < N; i++) {
        int nearest = -1;
        for (int k = 0; k < N; k++)
            if (!taken[k] && (nearest < 0 || cabs(m[k][k] - value[i]) <
                                                 cabs(m[nearest][nearest] - value[i])))
                nearest = k;
        taken[nearest] = true;
        CHECK_NEAR(cabs(m[nearest][nearest] - value[i]), 0, error);
    }
}

TEST(eigenvalues_apart_are_found)
{
    const double complex value[N] = {3,     -2,     1 + 2 * I, 1 - 2 * I, 0.5,
                                     7 * I, -4 + I, 0,         0.1};
    check_found(value, 1e-11);
}

/* The eigenvalues of one step of elastic waves: three pairs on the unit circle, two of
 * them equal, and the eigenvalue 1 for static states. */
TEST(eigenvalues_of_a_step_are_found)
{
    const double complex fast = cexp(0.2 * I), slow = cexp(0.01 * I);
    const double complex value[N] = {fast,       conj(fast), slow, conj(slow), slow,
                                     conj(slow), 1,          1,    1};
    check_found(value, 1e-7);
}
