/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws results of bench transfer: seconds of a whole run over its number of steps, a
 * line for each device and a panel for each grid. The lines cross where the GPU begins to
 * win. Dashed: the time outside the steps (set-up, upload and download). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { MOST_RUNS = 8, POINTS = 13, NAME = 2 * JSON_TEXT };
static const char prefix[] = BENCH_PART;

typedef struct whole {
    char name[NAME], still_name[NAME + 64], grid[NAME];
    double seconds[BENCH_PARTS];
    double steps[POINTS], all[POINTS], still[POINTS];
} whole;

typedef struct wholes {
    whole run[MOST_RUNS];
    int count;
    pav_figure_series series[2 * MOST_RUNS];
} wholes;

/* The part of a run in this row; `grid`: the rest of the problem's name. */
static int part_of(const bench_row *row, const char **grid)
{
    const char *part = row->problem + strlen(prefix);
    *grid = strchr(part, '@');
    for (int k = 0; k < BENCH_PARTS && *grid; k++)
        if (strlen(bench_part_name[k]) == (size_t)(*grid - part) &&
            strncmp(part, bench_part_name[k], strlen(bench_part_name[k])) == 0)
            return k;
    return BENCH_PARTS;
}

static whole *find_run(wholes *w, const char *name, const char *grid)
{
    for (int k = 0; k < w->count; k++)
        if (strcmp(w->run[k].name, name) == 0 && strcmp(w->run[k].grid, grid) == 0)
            return &w->run[k];
    if (w->count == MOST_RUNS)
        return NULL;
    whole *run = &w->run[w->count++];
    snprintf(run->name, sizeof run->name, "%s", name);
    snprintf(run->grid, sizeof run->grid, "%s", grid);
    snprintf(run->still_name, sizeof run->still_name, "%s: no steps", name);
    return run;
}

static bool fill(wholes *w, const bench_rows *rows)
{
    for (int k = 0; k < rows->count; k++) {
        const char *grid;
        const int part = part_of(&rows->row[k], &grid);
        if (part == BENCH_PARTS)
            continue;
        whole *run = find_run(w, rows->row[k].device, grid + 1);
        if (!run)
            return false;
        run->seconds[part] = rows->row[k].seconds_median;
    }
    return true;
}

/* Of 1, 2, 4, ... steps. */
static void make_line(whole *run)
{
    double still = 0;
    for (int k = 0; k < BENCH_PARTS; k++)
        still += k == BENCH_STEP ? 0 : run->seconds[k];
    for (int n = 0; n < POINTS; n++) {
        run->steps[n] = ldexp(1, n);
        run->still[n] = still;
        run->all[n] = still + run->steps[n] * run->seconds[BENCH_STEP];
    }
}

static void make_series(wholes *w)
{
    for (int k = 0; k < w->count; k++) {
        whole *run = &w->run[k];
        make_line(run);
        w->series[k] = (pav_figure_series){.name = run->name,
                                           .x = run->steps,
                                           .y = run->all,
                                           .count = POINTS,
                                           .panel = run->grid};
        w->series[w->count + k] = (pav_figure_series){.name = run->still_name,
                                                      .x = run->steps,
                                                      .y = run->still,
                                                      .count = POINTS,
                                                      .dashed = 1,
                                                      .panel = run->grid};
    }
}

static int draw(const char *path, const bench_rows *rows, void *memory)
{
    wholes *w = memory;
    if (!fill(w, rows)) {
        complain(PAV_ELIMIT, "%s: there are more than %d devices and grids", path,
                 MOST_RUNS);
        return EXIT_USAGE;
    }
    make_series(w);
    const pav_figure figure = {.kind = PAV_FIGURE_LINES,
                               .title = "Seconds of a run by its steps",
                               .subtitle = rows->row[0].date,
                               .axis_name = {"steps of the run", "seconds"},
                               .logarithmic = {1, 1},
                               .series = w->series,
                               .series_count = 2 * (int64_t)w->count};
    return bench_write_figure(path, &figure);
}

const bench_drawing bench_wholes = {BENCH_PART, sizeof(wholes), draw};
