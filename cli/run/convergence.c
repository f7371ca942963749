/* SPDX-License-Identifier: BSD-3-Clause */
/* run --convergence FILE: draws the residuals of an equation over the steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

int convergence_check(const char *path)
{
    const pav_status status = pav_figure_write(path, NULL);
    return status == PAV_OK ? EXIT_DONE : fail_with(status);
}

/* Looks are evenly spaced, except the last. */
static void find_steps(int64_t steps, int64_t count, double *at)
{
    const int64_t gaps = count - 1;
    const int64_t every = gaps > 0 ? (steps + gaps - 1) / gaps : 1;
    for (int64_t k = 0; k < count; k++)
        at[k] = (double)(k * every < steps ? k * every : steps);
}

static int draw(const char *path, const pav_run *run, int64_t count, double *value)
{
    double *at = value + count;
    char said[128];
    pav_run_residuals(run, value, count);
    find_steps(pav_run_step(run), count, at);
    (void)snprintf(
        said, sizeof said, "%lld steps, mean factor %.3g a step",
        (long long)pav_run_step(run),
        pow(value[count - 1] / value[0], 1 / fmax((double)pav_run_step(run), 1)));
    const pav_figure_series series = {.x = at, .y = value, .count = count};
    const pav_figure figure = {.kind = PAV_FIGURE_LINES,
                               .title = "Residual of the equation",
                               .subtitle = said,
                               .axis_name = {"step", "norm"},
                               .logarithmic = {0, 1},
                               .series = &series,
                               .series_count = 1};
    const pav_status status = pav_figure_write(path, &figure);
    return status == PAV_OK ? EXIT_DONE : fail_with(status);
}

int convergence_draw(const char *path, const pav_run *run)
{
    const int64_t count = pav_run_residuals(run, NULL, 0);
    if (count < 1) {
        complain(PAV_EINVAL, "--convergence draws the residuals of an equation to solve, "
                             "and there is none here that stands alone");
        return EXIT_USAGE;
    }
    double *value = calloc(2 * (size_t)count, sizeof *value);
    if (!value) {
        complain(PAV_ENOMEM, "memory ran out for a figure of %lld residuals",
                 (long long)count);
        return EXIT_RUN_FAILED;
    }
    const int code = draw(path, run, count, value);
    free(value);
    return code;
}
