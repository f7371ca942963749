/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel "adi" of PolyBench/C 4.2 as operations along axes: its numbers, computed by
 * its own loops. examples/heat/polybench-adi.pav is the same description. */
#include <math.h>
#include <stdlib.h>

#include "trial.h"

enum { MOST = 60 };

typedef double grid[MOST][MOST];

/* kernel_adi of PolyBench, with its names. */
static void kernel_adi(int tsteps, int n, grid u)
{
    static grid v, p, q;
    const double mul1 = 2.0 * (1.0 / tsteps) / (1.0 / n * (1.0 / n)), mul2 = mul1 / 2;
    const double a = -mul1 / 2, b = 1 + mul1, c = a, d = -mul2 / 2, e = 1 + mul2, f = d;

    for (int t = 1; t <= tsteps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[0][i] = q[i][0] = 1;
            p[i][0] = 0;
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - f * u[j][i + 1] -
                           a * q[i][j - 1]) /
                          (a * p[i][j - 1] + b);
            }
            v[n - 1][i] = 1;
            for (int j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
        for (int i = 1; i < n - 1; i++) {
            u[i][0] = q[i][0] = 1;
            p[i][0] = 0;
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -f / (d * p[i][j - 1] + e);
                q[i][j] = (-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - c * v[i + 1][j] -
                           d * q[i][j - 1]) /
                          (d * p[i][j - 1] + e);
            }
            u[i][n - 1] = 1;
            for (int j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
}

TEST(adi_of_polybench_has_the_numbers_of_its_loops)
{
    static const int sizes[][2] = {{20, 20}, {60, 40}}; /* MINI and SMALL: N, TSTEPS */
    static grid u;

    for (int k = 0; k < 2; k++) {
        const int n = sizes[k][0], steps = sizes[k][1];
        trial own = {0};
        int64_t count;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                u[i][j] = (double)(i + n - j) / n;
        kernel_adi(steps, n, u);
        trial_interpret(
            &own,
            "param n = %d; count = %d\ngrid x n, y n\n"
            "param a = -n^2/count; d = a/2\nlet start = (y + n - x)/n\n"
            "let ends(k) = where(k == 1, 1, 0) + where(k == n - 2, 1, 0)\n"
            "field u = start; v = 1\n"
            "v' = tridiagonal(a, 1 - 2*a, a, (1 + 2*d)*u - d*(u[-1,0] + u[1,0])"
            " - a*ends(y) along y)\n"
            "u' = tridiagonal(d, 1 - 2*d, d, (1 + 2*a)*v' - a*(v'[0,-1] + v'[0,1])"
            " - d*ends(x) along x)\n"
            "border v = 1\nborder u = where(step == 0, start, 1) at x-, x+\n"
            "border u = start at y-, y+\n",
            n, steps);
        trial_step(&own, steps);
        double *v = trial_read(&own, "u", &count);
        CHECK(count == n * n);
        for (int64_t i = 0; i < count; i++)
            CHECK_NEAR(v[i], u[i / n][i % n], 1e-13);
        free(v);
        trial_close(&own);
    }
}
