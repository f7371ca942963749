/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws results of bench as bars: a group for each problem, and a series for each
 * combination of the other traits (device, date, type, ...). Traits common to all rows go
 * below the title. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { MOST_SERIES = 64, NOTE = 16, NAME = 2 * JSON_TEXT };

/* Traits of a row besides its problem. The schedule is used only if no other trait
 * differs. */
enum { HOST, DEVICE, THREADS, DATE, TYPE, SCHEDULE, TRAITS };
typedef char trait[JSON_TEXT];

/* The rows with a rate, by problem and series. */
typedef struct table {
    const bench_row **row; /* by series, then by problem; NULL: none */
    double *value, *mark;
    char (*note)[NOTE];
    const char **label, **notes;
    int problems, series;
    char name[MOST_SERIES][NAME];
    pav_figure_series drawn[MOST_SERIES];
} table;

static void trait_of(const bench_row *row, int which, trait words)
{
    const char *device = row->device[0] ? row->device : "unknown";
    switch (which) {
    case HOST: snprintf(words, sizeof(trait), "%s", row->host); break;
    case DEVICE: snprintf(words, sizeof(trait), "device %s", device); break;
    case THREADS:
        snprintf(words, sizeof(trait), "%.0f thread%s", row->threads,
                 row->threads == 1 ? "" : "s");
        break;
    case DATE: snprintf(words, sizeof(trait), "%s", row->date); break;
    case TYPE: snprintf(words, sizeof(trait), "%s", row->type); break;
    default: snprintf(words, sizeof(trait), "%s", row->schedule);
    }
}

static bool same_trait(const bench_row *a, const bench_row *b, int which)
{
    trait left, right;
    trait_of(a, which, left);
    trait_of(b, which, right);
    return strcmp(left, right) == 0;
}

static bool is_drawn(const bench_row *row)
{
    return isfinite(row->gpts);
}

static bool same_but_schedule(const bench_row *a, const bench_row *b)
{
    bool same = strcmp(a->problem, b->problem) == 0;
    for (int k = 0; k < SCHEDULE; k++)
        same = same && same_trait(a, b, k);
    return same;
}

static bool pair_differs(const bench_row *a, const bench_row *b, int which)
{
    return is_drawn(a) && is_drawn(b) && !same_trait(a, b, which) &&
           (which != SCHEDULE || same_but_schedule(a, b));
}

static bool differs(const bench_rows *rows, int which)
{
    for (int a = 0; a < rows->count; a++)
        for (int b = 0; b < a; b++)
            if (pair_differs(&rows->row[a], &rows->row[b], which))
                return true;
    return false;
}

/* The requested traits of a row, separated by commas. */
static void join(const bench_row *row, const bool wanted[TRAITS], char name[NAME])
{
    size_t length = 0;
    name[0] = '\0';
    for (int k = 0; k < TRAITS; k++) {
        trait words;
        trait_of(row, k, words);
        if (wanted[k] && words[0] && length < NAME)
            length += (size_t)snprintf(name + length, NAME - length, "%s%s",
                                       length ? ", " : "", words);
    }
}

/* ---- the table --------------------------------------------------------------------- */

static int find_problem(table *t, const char *problem)
{
    for (int k = 0; k < t->problems; k++)
        if (strcmp(t->label[k], problem) == 0)
            return k;
    t->label[t->problems] = problem;
    return t->problems++;
}

/* -1: too many series. */
static int find_series(table *t, const char *name)
{
    for (int k = 0; k < t->series; k++)
        if (strcmp(t->name[k], name) == 0)
            return k;
    if (t->series == MOST_SERIES)
        return -1;
    snprintf(t->name[t->series], NAME, "%s", name);
    return t->series++;
}

/* If several rows have the same problem and series, the last is drawn. */
static bool fill(table *t, const bench_rows *rows, const bool wanted[TRAITS])
{
    for (int n = 0; n < rows->count; n++) {
        char name[NAME];
        if (!is_drawn(&rows->row[n]))
            continue;
        join(&rows->row[n], wanted, name);
        const int problem = find_problem(t, rows->row[n].problem);
        const int series = find_series(t, name);
        if (series < 0)
            return false;
        t->row[series * rows->count + problem] = &rows->row[n];
    }
    return true;
}

static void make_series(table *t, int columns)
{
    for (int s = 0; s < t->series; s++)
        for (int n = 0; n < t->problems; n++) {
            const int at = s * columns + n;
            const bench_row *row = t->row[at];
            t->value[at] = row ? row->gpts : NAN;
            t->mark[at] = row ? row->bound_gpts : NAN;
            if (row && isfinite(row->percent))
                snprintf(t->note[at], NOTE, "%.1f %%", row->percent);
            t->notes[at] = t->note[at];
        }
    for (int s = 0; s < t->series; s++)
        t->drawn[s] = (pav_figure_series){.name = t->name[s][0] ? t->name[s] : NULL,
                                          .y = t->value + s * columns,
                                          .mark = t->mark + s * columns,
                                          .note = t->notes + s * columns,
                                          .count = t->problems};
}

static bool open_table(table *t, int count)
{
    const size_t cells = (size_t)MOST_SERIES * (size_t)count;
    t->row = calloc(cells, sizeof *t->row);
    t->value = calloc(cells, sizeof *t->value);
    t->mark = calloc(cells, sizeof *t->mark);
    t->note = calloc(cells, sizeof *t->note);
    t->notes = calloc(cells, sizeof *t->notes);
    t->label = calloc((size_t)count, sizeof *t->label);
    return t->row && t->value && t->mark && t->note && t->notes && t->label;
}

static void close_table(table *t)
{
    free(t->row);
    free(t->value);
    free(t->mark);
    free(t->note);
    free(t->notes);
    free(t->label);
    free(t);
}

/* ---- drawing ----------------------------------------------------------------------- */

static int draw(const char *path, const bench_rows *rows, int first, table *t)
{
    bool apart[TRAITS], common[TRAITS];
    char subtitle[NAME];
    for (int k = 0; k < TRAITS; k++) {
        apart[k] = k == TYPE || differs(rows, k);
        common[k] = !apart[k] && k != SCHEDULE;
    }
    join(&rows->row[first], common, subtitle);
    if (!fill(t, rows, apart)) {
        complain(PAV_ELIMIT,
                 "%s: the rows are of more than %d kinds; draw one list at a time", path,
                 MOST_SERIES);
        return EXIT_USAGE;
    }
    make_series(t, rows->count);
    const pav_figure figure = {.title = "Rates of programs, beside the rate of copying",
                               .subtitle = subtitle,
                               .axis_name = {"Gpts/s"},
                               .label = t->label,
                               .mark_name = "as fast as copying",
                               .series = t->drawn,
                               .series_count = t->series};
    return bench_write_figure(path, &figure);
}

static int no_memory(const char *path)
{
    complain(PAV_ENOMEM, "%s is not drawn: memory ran out", path);
    return EXIT_RUN_FAILED;
}

/* ---- bench model: first choices ---------------------------------------------------- */

/* Bars: for each program the rate of the model's first choice, in percent of the best
 * measured rate. A mark shows the model's prediction. */
enum { MOST_PROGRAMS = 64 };

typedef struct bars {
    bench_choice choice[MOST_PROGRAMS];
    double reached[MOST_PROGRAMS], expected[MOST_PROGRAMS];
    char note[MOST_PROGRAMS][JSON_TEXT];
    const char *label[MOST_PROGRAMS], *notes[MOST_PROGRAMS];
} bars;

static void fill_choices(bars *b, int count)
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

static int draw_choices(const char *path, const bench_rows *rows, bars *b)
{
    char caption[2 * JSON_TEXT];
    const int count = bench_model_choices(rows, b->choice, MOST_PROGRAMS);
    if (count > MOST_PROGRAMS) {
        complain(PAV_ELIMIT, "%s: there are %d programs and grids, %d at most are drawn",
                 path, count, MOST_PROGRAMS);
        return EXIT_USAGE;
    }
    fill_choices(b, count);
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

/* ---- all figures ------------------------------------------------------------------- */

int bench_draw(const char *path, const bench_rows *rows)
{
    int first = 0, code;
    if (bench_are_choices(rows)) {
        bars *const b = calloc(1, sizeof *b);
        code = b ? draw_choices(path, rows, b) : no_memory(path);
        free(b);
        return code;
    }
    if (bench_draw_special(path, rows, &code))
        return code;
    if (bench_are_lines(rows))
        return bench_draw_lines(path, rows);
    while (first < rows->count && !is_drawn(&rows->row[first]))
        first++;
    if (first == rows->count) {
        complain(PAV_EINVAL, "%s is not drawn: there is no program among the results",
                 path);
        return EXIT_USAGE;
    }
    table *t = calloc(1, sizeof *t);
    code = t && open_table(t, rows->count) ? draw(path, rows, first, t) : no_memory(path);
    if (t)
        close_table(t);
    return code;
}
