/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws results of bench model as bars: for each program the rate of the model's first
 * choice, in percent of the best measured rate. A mark shows the model's prediction. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { MOST_PROGRAMS = 64 };

typedef struct bars {
    bench_choice choice[MOST_PROGRAMS];
    double reached[MOST_PROGRAMS], expected[MOST_PROGRAMS];
    char note[MOST_PROGRAMS][JSON_TEXT];
    const char *label[MOST_PROGRAMS], *notes[MOST_PROGRAMS];
} bars;

static void fill(bars *b, int count)
{
    for (int n = 0; n < count; n++) {
        const bench_choice *c = &b->choice[n];
        b->label[n] = c->problem;
        b->reached[n] = 100 * c->gpts / c->best;
        b->expected[n] = 100 * c->expected / c->best;
        snprintf(b->note[n], sizeof b->note[n], "%.0f %%, rank %d of %d", b->reached[n],
                 c->rank, c->count);
        b->notes[n] = b->note[n];
    }
}

static int draw(const char *path, const bench_rows *rows, void *memory)
{
    bars *b = memory;
    char caption[2 * JSON_TEXT];
    const int count = bench_model_choices(rows, b->choice, MOST_PROGRAMS);
    if (count > MOST_PROGRAMS) {
        complain(PAV_ELIMIT, "%s: there are %d programs and grids, %d at most are drawn",
                 path, count, MOST_PROGRAMS);
        return EXIT_USAGE;
    }
    fill(b, count);
    snprintf(caption, sizeof caption, "%s, %s, %s: percent of the best that was measured",
             rows->row[0].device, rows->row[0].host, rows->row[0].date);
    const pav_figure_series series = {
        .y = b->reached, .mark = b->expected, .note = b->notes, .count = count};
    const pav_figure figure = {.title = "What the model chooses first",
                               .subtitle = caption,
                               .axis_name = {"percent"},
                               .label = b->label,
                               .mark_name = "as predicted",
                               .series = &series,
                               .series_count = 1};
    return bench_write_figure(path, &figure);
}

const bench_drawing bench_choices = {NULL, sizeof(bars), draw};
