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

/* The rates of rows, by series, then by problem; NAN: there is none. */
typedef struct table {
    double *value, *mark;
    char (*note)[NOTE];
    const char **label, **notes;
    int columns, problems, series; /* columns: room for problems */
    char name[MOST_SERIES][NAME];
    pav_figure_series drawn[MOST_SERIES];
} table;

static void trait_of(const bench_row *row, int which, trait words)
{
    const char *const words_of[TRAITS] = {[HOST] = row->host,
                                          [DEVICE] = row->device[0] ? row->device
                                                                    : "unknown",
                                          [DATE] = row->date,
                                          [TYPE] = row->type,
                                          [SCHEDULE] = row->schedule};
    if (which == THREADS)
        snprintf(words, sizeof(trait), "%.0f thread%s", row->threads,
                 row->threads == 1 ? "" : "s");
    else
        snprintf(words, sizeof(trait), "%s%s", which == DEVICE ? "device " : "",
                 words_of[which]);
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
        const bench_row *row = &rows->row[n];
        char name[NAME];
        if (!is_drawn(row))
            continue;
        join(row, wanted, name);
        const int problem = find_problem(t, row->problem), series = find_series(t, name);
        if (series < 0)
            return false;
        const int at = series * t->columns + problem;
        t->value[at] = row->gpts;
        t->mark[at] = row->bound_gpts;
        t->note[at][0] = '\0';
        if (isfinite(row->percent))
            snprintf(t->note[at], NOTE, "%.1f %%", row->percent);
    }
    for (int s = 0, first = 0; s < t->series; s++, first += t->columns)
        t->drawn[s] = (pav_figure_series){.name = t->name[s][0] ? t->name[s] : NULL,
                                          .y = t->value + first,
                                          .mark = t->mark + first,
                                          .note = t->notes + first,
                                          .count = t->problems};
    return true;
}

static bool open_table(table *t, int columns)
{
    const size_t cells = (size_t)MOST_SERIES * (size_t)columns;
    t->columns = columns;
    t->value = calloc(cells, sizeof *t->value);
    t->mark = calloc(cells, sizeof *t->mark);
    t->note = calloc(cells, sizeof *t->note);
    t->notes = calloc(cells, sizeof *t->notes);
    t->label = calloc((size_t)columns, sizeof *t->label);
    if (!t->value || !t->mark || !t->note || !t->notes || !t->label)
        return false;
    for (size_t k = 0; k < cells; k++) {
        t->value[k] = t->mark[k] = NAN;
        t->notes[k] = t->note[k];
    }
    return true;
}

static void close_table(table *t)
{
    free(t->value);
    free(t->mark);
    free(t->note);
    free(t->notes);
    free(t->label);
}

/* ---- drawing ----------------------------------------------------------------------- */

/* Bars, from the first row with a rate on. */
static int draw(const char *path, const bench_rows *rows, int first)
{
    bool apart[TRAITS], common[TRAITS];
    char subtitle[NAME];
    OWNED_BY(close_table) table t = {0};
    if (!open_table(&t, rows->count))
        return complain(PAV_ENOMEM, "%s is not drawn: memory ran out", path);
    for (int k = 0; k < TRAITS; k++) {
        apart[k] = k == TYPE || differs(rows, k);
        common[k] = !apart[k] && k != SCHEDULE;
    }
    join(&rows->row[first], common, subtitle);
    if (!fill(&t, rows, apart))
        return complain(PAV_ELIMIT,
                        "%s: the rows are of more than %d kinds; draw one list at a time",
                        path, MOST_SERIES);
    const pav_figure figure = {.title = "Rates of programs, beside the rate of copying",
                               .subtitle = subtitle,
                               .axis_name = {"Gpts/s"},
                               .label = t.label,
                               .mark_name = "as fast as copying",
                               .series = t.drawn,
                               .series_count = t.series};
    return bench_write_figure(path, &figure);
}

/* ---- bench model: first choices ---------------------------------------------------- */

/* Bars: for each program the rate of the model's first choice, in percent of the best
 * measured rate. A mark shows the model's prediction. */
enum { MOST_PROGRAMS = 64 };

static int draw_choices(const char *path, const bench_rows *rows)
{
    bench_choice choice[MOST_PROGRAMS];
    double reached[MOST_PROGRAMS], expected[MOST_PROGRAMS];
    char note[MOST_PROGRAMS][JSON_TEXT], caption[2 * JSON_TEXT];
    const char *label[MOST_PROGRAMS], *notes[MOST_PROGRAMS];
    const int count = bench_model_choices(rows, choice, MOST_PROGRAMS);
    if (count > MOST_PROGRAMS)
        return complain(PAV_ELIMIT,
                        "%s: there are %d programs and grids, %d at most are drawn", path,
                        count, MOST_PROGRAMS);
    for (int n = 0; n < count; n++) {
        const bench_choice *c = &choice[n];
        label[n] = c->problem;
        reached[n] = 100 * c->gpts / c->best;
        expected[n] = 100 * c->expected / c->best;
        snprintf(note[n], sizeof note[n], "%.0f %%, rank %d of %d", reached[n], c->rank,
                 c->count);
        notes[n] = note[n];
    }
    snprintf(caption, sizeof caption, "%s, %s, %s: percent of the best that was measured",
             rows->row[0].device, rows->row[0].host, rows->row[0].date);
    const pav_figure_series series = {
        .y = reached, .mark = expected, .note = notes, .count = count};
    const pav_figure figure = {.title = "What the model chooses first",
                               .subtitle = caption,
                               .axis_name = {"percent"},
                               .label = label,
                               .mark_name = "as predicted",
                               .series = &series,
                               .series_count = 1};
    return bench_write_figure(path, &figure);
}

/* ---- all figures ------------------------------------------------------------------- */

int bench_draw(const char *path, const bench_rows *rows)
{
    int first = 0, code;
    if (bench_are_choices(rows))
        return draw_choices(path, rows);
    if (bench_draw_special(path, rows, &code))
        return code;
    if (bench_are_lines(rows))
        return bench_draw_lines(path, rows);
    while (first < rows->count && !is_drawn(&rows->row[first]))
        first++;
    if (first < rows->count)
        return draw(path, rows, first);
    return complain(PAV_EINVAL, "%s is not drawn: there is no program among the results",
                    path);
}
