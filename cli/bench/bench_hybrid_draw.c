/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws results of bench hybrid: milliseconds of a step over the share of the grid on the
 * processor (or on the first of two GPUs), one panel for each grid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { MOST_LINES = 24, MOST_POINTS = 32, NAME = JSON_TEXT };
static const char prefix[] = BENCH_HYBRID;

static const struct kind {
    const char *word, *name;
    int dashed;
} kinds[] = {{"", "both together", 0},
             {"-model", "both, by the model", 1},
             {"-cpu", "the processor's part alone", 0},
             {"-gpu", "the GPU's part alone", 0},
             {"-exchange", "the exchange", 2},
             {"-gpus", "two GPUs by weights", 0}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct line {
    char grid[NAME];
    int kind, points;
    double share[MOST_POINTS], ms[MOST_POINTS];
} line;

typedef struct lines {
    line line[MOST_LINES];
    int count;
    pav_figure_series series[MOST_LINES];
} lines;

/* Splits "hybrid-gpu:cpu=4/16@64x64x64/f32" into kind, share (25 %) and grid. */
static bool read_word(const char *word, int *kind, double *share, const char **grid)
{
    const char *what = word + strlen(prefix), *colon = strchr(what, ':'),
               *equals = strchr(what, '=');
    *grid = strchr(what, '@');
    if (!colon || !equals || !*grid)
        return false;
    for (*kind = 0; *kind < KINDS; ++*kind)
        if (strlen(kinds[*kind].word) == (size_t)(colon - what) &&
            strncmp(what, kinds[*kind].word, (size_t)(colon - what)) == 0)
            break;
    *share = 100 * strtod(equals + 1, NULL) / 16;
    return *kind < KINDS;
}

static line *find_line(lines *all, int kind, const char *grid)
{
    for (int n = 0; n < all->count; n++)
        if (all->line[n].kind == kind && strcmp(all->line[n].grid, grid + 1) == 0)
            return &all->line[n];
    if (all->count == MOST_LINES)
        return NULL;
    line *l = &all->line[all->count++];
    snprintf(l->grid, sizeof l->grid, "%s", grid + 1);
    l->kind = kind;
    return l;
}

/* Sorts by share. */
static void put(line *l, double share, double ms)
{
    int at = l->points++;
    for (; at > 0 && l->share[at - 1] > share; at--) {
        l->share[at] = l->share[at - 1];
        l->ms[at] = l->ms[at - 1];
    }
    l->share[at] = share;
    l->ms[at] = ms;
}

static bool fill(lines *all, const bench_rows *rows)
{
    for (int n = 0; n < rows->count; n++) {
        const bench_row *r = &rows->row[n];
        const char *grid;
        double share;
        int kind;
        if (!read_word(r->problem, &kind, &share, &grid))
            continue;
        line *l = find_line(all, kind, grid);
        if (!l || l->points == MOST_POINTS)
            return false;
        put(l, share, 1e3 * r->seconds_median);
    }
    return true;
}

static int draw(const char *path, const bench_rows *rows, void *memory)
{
    lines *all = memory;
    if (!fill(all, rows)) {
        complain(PAV_ELIMIT,
                 "%s: there are more than %d lines of %d points; draw fewer "
                 "grids",
                 path, MOST_LINES, MOST_POINTS);
        return EXIT_USAGE;
    }
    for (int n = 0; n < all->count; n++)
        all->series[n] = (pav_figure_series){.name = kinds[all->line[n].kind].name,
                                             .x = all->line[n].share,
                                             .y = all->line[n].ms,
                                             .count = all->line[n].points,
                                             .dashed = kinds[all->line[n].kind].dashed,
                                             .panel = all->line[n].grid};
    const pav_figure figure = {
        .kind = PAV_FIGURE_LINES,
        .title = "A step on processors and a GPU by their shares",
        .subtitle = rows->row[0].date,
        .axis_name = {"% of the grid at the first place", "milliseconds of a step"},
        .logarithmic = {0, 1},
        .series = all->series,
        .series_count = all->count};
    return bench_write_figure(path, &figure);
}

const bench_drawing bench_shares = {BENCH_HYBRID, sizeof(lines), draw};
