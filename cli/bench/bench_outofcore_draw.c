/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws results of bench outofcore: rates over grid size, one line for each method. Below
 * the title are the ratios of the paper and the measured ratios. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { MOST_LINES = 16, MOST_POINTS = BENCH_SIZES };
static const char prefix[] = BENCH_OUTOFCORE;

typedef struct line {
    char name[JSON_TEXT];
    int points;
    double n[MOST_POINTS], gpts[MOST_POINTS];
} line;

typedef struct lines {
    line line[MOST_LINES];
    int count;
    pav_figure_series series[MOST_LINES];
} lines;

static line *find_line(lines *all, const char *name, size_t length)
{
    for (int k = 0; k < all->count; k++)
        if (strlen(all->line[k].name) == length &&
            strncmp(all->line[k].name, name, length) == 0)
            return &all->line[k];
    if (all->count == MOST_LINES)
        return NULL;
    line *l = &all->line[all->count++];
    snprintf(l->name, sizeof l->name, "%.*s", (int)length, name);
    return l;
}

/* Sorts by size; the last row of each size counts. */
static bool put(line *l, double n, double gpts)
{
    int at = 0;
    while (at < l->points && l->n[at] < n)
        at++;
    if (at == l->points || l->n[at] != n) {
        if (l->points == MOST_POINTS)
            return false;
        for (int k = l->points++; k > at; k--) {
            l->n[k] = l->n[k - 1];
            l->gpts[k] = l->gpts[k - 1];
        }
    }
    l->n[at] = n;
    l->gpts[at] = gpts;
    return true;
}

/* "outofcore:mp-mmtb@512x512x512/f32" */
static bool fill(lines *all, const bench_rows *rows)
{
    for (int k = 0; k < rows->count; k++) {
        const char *name = rows->row[k].problem + strlen(prefix);
        const char *at = strchr(name, '@');
        if (!at || !isfinite(rows->row[k].gpts))
            continue;
        line *l = find_line(all, name, (size_t)(at - name));
        if (!l || !put(l, strtod(at + 1, NULL), rows->row[k].gpts))
            return false;
    }
    return all->count > 0;
}

/* On the largest grid; NAN: not measured. */
static double rate_of(const lines *all, const char *name)
{
    for (int k = 0; k < all->count; k++)
        if (strcmp(all->line[k].name, name) == 0)
            return all->line[k].gpts[all->line[k].points - 1];
    return NAN;
}

static void write_caption(const bench_row *first, const lines *all, char *t, size_t room)
{
    const double mp = rate_of(all, "mp-mmtb"), naive = rate_of(all, "naive");
    const double others = (rate_of(all, "m-mmtb") + rate_of(all, "mmtb") +
                           rate_of(all, "mmt") + rate_of(all, "mm")) /
                          4;
    const int length = snprintf(t, room, "%s, %s", first->device, first->date);
    if (isfinite(mp / others) && isfinite(mp / naive) && length < (int)room)
        snprintf(t + length, room - (size_t)length,
                 "; mp-mmtb %.3g times the others' mean, %.3g times naive "
                 "(Jin, Endo, Matsuoka: 1.35, 16.7)",
                 mp / others, mp / naive);
}

static int draw(const char *path, const bench_rows *rows, void *memory)
{
    lines *all = memory;
    char caption[2 * JSON_TEXT];
    if (!fill(all, rows)) {
        complain(PAV_ELIMIT,
                 "%s: there are no rates, or more than %d methods or %d sizes", path,
                 MOST_LINES, MOST_POINTS);
        return EXIT_USAGE;
    }
    write_caption(&rows->row[0], all, caption, sizeof caption);
    for (int k = 0; k < all->count; k++)
        all->series[k] = (pav_figure_series){.name = all->line[k].name,
                                             .x = all->line[k].n,
                                             .y = all->line[k].gpts,
                                             .count = all->line[k].points,
                                             .dashed = all->line[k].name[0] == 'i'};
    const pav_figure figure = {.kind = PAV_FIGURE_LINES,
                               .title = "Methods out of core over the size of the grid",
                               .subtitle = caption,
                               .axis_name = {"points along an axis", "Gpts/s"},
                               .logarithmic = {1, 1},
                               .series = all->series,
                               .series_count = all->count};
    return bench_write_figure(path, &figure);
}

const bench_drawing bench_methods = {BENCH_OUTOFCORE, sizeof(lines), draw};
