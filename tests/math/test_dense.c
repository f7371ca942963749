/* SPDX-License-Identifier: BSD-3-Clause */
/* Random operators on tiny grids, solved by every method and by elimination: c*u -
 * div(k*grad(u)) = f, u given at x-, x+ and insulated at y-, y+, on any extents. */
#include <math.h>
#include <stdlib.h>

#include "trial.h"

enum { MOST = 80 };

typedef struct dense {
    int nx, ny;
    const double *k, *f;
    double a[MOST][MOST + 1]; /* the right side is the last column */
} dense;

static int mirrored(int j, int n)
{
    return j < 0 ? -j : j >= n ? 2 * (n - 1) - j : j;
}

/* Adds a weight to the matrix. The unknown is 0 at x- and x+, so weights of these points
 * are dropped. */
static void add(dense *d, int row, int i, int j, double weight)
{
    if (i > 0 && i < d->nx - 1)
        d->a[row][(i - 1) + (d->nx - 2) * mirrored(j, d->ny)] += weight;
}

static double k_at(const dense *d, int i, int j)
{
    return d->k[i + d->nx * mirrored(j, d->ny)];
}

static void add_row(dense *d, int i, int j)
{
    static const int step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    const int row = (i - 1) + (d->nx - 2) * j;

    for (int n = 0; n < 4; n++) {
        const int to[2] = {i + step[n][0], j + step[n][1]};
        const double weight = (k_at(d, i, j) + k_at(d, to[0], to[1])) / 2;
        add(d, row, i, j, weight);
        add(d, row, to[0], to[1], -weight);
    }
    add(d, row, i, j, 0.1);
    d->a[row][(d->nx - 2) * d->ny] = d->f[i + d->nx * j];
}

/* The matrix is diagonally dominant, so no pivots are needed. */
static void eliminate(dense *d, int n)
{
    for (int p = 0; p < n; p++)
        for (int r = 0; r < n; r++) {
            const double factor = d->a[r][p] / d->a[p][p];
            for (int c = p; c <= n && r != p; c++)
                d->a[r][c] -= factor * d->a[p][c];
        }
}

static double difference(dense *d, const double *u)
{
    const int n = (d->nx - 2) * d->ny;
    double most = 0;

    for (int row = 0; row < n; row++)
        add_row(d, row % (d->nx - 2) + 1, row / (d->nx - 2));
    eliminate(d, n);
    for (int row = 0; row < n; row++) {
        const int at = row % (d->nx - 2) + 1 + d->nx * (row / (d->nx - 2));
        most = fmax(most, fabs(u[at] - d->a[row][n] / d->a[row][row]));
    }
    return most;
}

static void compare(const char *method, int nx, int ny, int seed)
{
    trial t;
    int64_t count = 0;
    trial_interpret(&t,
                    "grid x %d, y %d\nfield u; f = random(%d) - 1/2\n"
                    "field k = 100^random(%d)\n"
                    "let e = (k + k[1,0])/2*(u[1,0] - u)\n"
                    "let n = (k + k[0,1])/2*(u[0,1] - u)\n"
                    "solve u/10 - (e - e[-1,0]) - (n - n[0,-1]) = f for u by %s to "
                    "1e-12\nborder u = 0\nborder neumann u at y-, y+\n"
                    "border neumann k\n",
                    nx, ny, seed, seed + 100, method);
    REQUIRE_OK(pav_run_finish(t.run));
    double *u = trial_read(&t, "u", &count), *k = trial_read(&t, "k", &count),
           *f = trial_read(&t, "f", &count);
    dense d = {.nx = nx, .ny = ny, .k = k, .f = f};
    CHECK_NEAR(difference(&d, u), 0, 1e-10);
    free(u);
    free(k);
    free(f);
    trial_close(&t);
}

TEST(random_operators_are_solved_as_by_elimination)
{
    static const char *const method[] = {"auto",
                                         "cg(preconditioner = multigrid)",
                                         "cg",
                                         "jacobi",
                                         "sor",
                                         "chebyshev",
                                         "multigrid(pre = 4, post = 4)",
                                         "async-1(block = 3)",
                                         "async-3(block = 4)"};
    static const int extent[][2] = {{9, 9}, {7, 5}, {8, 10}, {10, 6}};
    for (int n = 0; n < 36; n++)
        compare(method[n % 9], extent[n / 9][0], extent[n / 9][1], n + 1);
}
