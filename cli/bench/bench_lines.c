/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws results as lines, one panel for each program and type. Three kinds of diagram
 * share this file. Over the points along an axis: measured rates; dashed: the rate at
 * copy bandwidth; dotted: the bound of arithmetic, if it is lower at some size. Over the
 * steps of a time block: the fastest rate of each depth; dashed: single steps at copy
 * bandwidth; dotted: time blocks with the model's traffic. Over schedules in the model's
 * order: measured rates; dashed: the model's prediction. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum {
    MOST_LINES = 21,
    NAME = 2 * JSON_TEXT,
    NUMBERS = 4 /* of a point */,
    AS_THEY_COME = -1
};

/* One kind of diagram: its axis and its bounds. */
typedef struct across {
    const char *title, *axis, *bound, *limit;
    bool logarithmic;
    double (*place)(const bench_row *row, char name[NAME]);
    double (*limit_of)(const bench_row *row);
} across;

typedef struct line {
    char name[NAME];
    double *x, *y, *bound, *limit;
    int count;
    bool is_limited;
} line;

typedef struct chart {
    const across *over;
    line *line;
    int lines;
    double *memory;
    pav_figure_series series[3 * MOST_LINES];
    int drawn;
} chart;

/* Line name (program and type), and points along x of the row's grid; 0: no grid in its
 * name. */
static double size_of(const bench_row *row, char name[NAME])
{
    const char *at = strchr(row->problem, '@');
    const size_t length = at ? (size_t)(at - row->problem) : strlen(row->problem);
    snprintf(name, NAME, "%.*s, %s", (int)length, row->problem, row->type);
    return at ? strtod(at + 1, NULL) : 0;
}

static double arithmetic_of(const bench_row *row)
{
    return row->arithmetic_gpts;
}

/* Line name (program with its grid), and steps of a time block. */
static double depth_of(const bench_row *row, char name[NAME])
{
    snprintf(name, NAME, "%s, %s", row->problem, row->type);
    return row->depth;
}

static double model_of(const bench_row *row)
{
    return row->copy_gbytes /
           (row->depth > 1 ? row->footprint_bytes : row->bytes_per_point);
}

static double model_place_of(const bench_row *row, char name[NAME])
{
    snprintf(name, NAME, "%s", row->problem);
    return AS_THEY_COME;
}

static double no_limit(const bench_row *row)
{
    (void)row;
    return NAN;
}

static const across sizes = {"Rates of programs by the size of their grid",
                             "points along an axis",
                             "copying",
                             "arithmetic",
                             true,
                             size_of,
                             arithmetic_of};
static const across depths = {"Rates of programs by the steps of a time block",
                              "fused steps",
                              "copying",
                              "the model",
                              true,
                              depth_of,
                              model_of};
static const across places = {"Rates of schedules, in the model's order",
                              "place in the model's order",
                              "predicted",
                              NULL,
                              false,
                              model_place_of,
                              no_limit};

static bool is_drawn(const bench_row *row)
{
    return isfinite(row->gpts);
}

static bool same_place(const bench_row *a, const bench_row *b)
{
    return strcmp(a->device, b->device) == 0 && strcmp(a->date, b->date) == 0 &&
           strcmp(a->schedule, b->schedule) == 0 && a->threads == b->threads;
}

static bool is_of_passes(const bench_row *row)
{
    return !is_drawn(row) || (strcmp(row->list, "time") == 0 && isfinite(row->depth));
}

static bool is_of_model(const bench_row *row)
{
    return !is_drawn(row) || strcmp(row->list, "model") == 0;
}

static bool are_of(const bench_rows *rows, bool (*is_of)(const bench_row *row))
{
    int drawn = 0;
    for (int k = 0; k < rows->count; k++) {
        if (!is_of(&rows->row[k]))
            return false;
        drawn += is_drawn(&rows->row[k]);
    }
    return drawn > 0;
}

/* True if each program has two sizes or more, and its rows differ in nothing else. */
static bool are_sizes(const bench_rows *rows)
{
    int drawn = 0;
    for (int a = 0; a < rows->count; a++) {
        bool other = !is_drawn(&rows->row[a]);
        char one[NAME], two[NAME];
        const double size = size_of(&rows->row[a], one);
        drawn += is_drawn(&rows->row[a]);
        for (int b = 0; b < rows->count && is_drawn(&rows->row[a]); b++) {
            const double also = size_of(&rows->row[b], two);
            if (a == b || !is_drawn(&rows->row[b]) || strcmp(one, two) != 0)
                continue;
            if (!same_place(&rows->row[a], &rows->row[b]) || also == size)
                return false;
            other = true;
        }
        if (!other)
            return false;
    }
    return drawn > 0;
}

bool bench_are_lines(const bench_rows *rows)
{
    return are_of(rows, is_of_model) || are_of(rows, is_of_passes) || are_sizes(rows);
}

static line *find_line(chart *c, const char *name, int room)
{
    for (int k = 0; k < c->lines; k++)
        if (strcmp(c->line[k].name, name) == 0)
            return &c->line[k];
    if (c->lines == MOST_LINES)
        return NULL;
    line *l = &c->line[c->lines];
    snprintf(l->name, NAME, "%s", name);
    l->x = c->memory + (size_t)c->lines++ * NUMBERS * (size_t)room;
    l->y = l->x + room;
    l->bound = l->y + room;
    l->limit = l->bound + room;
    return l;
}

static void put(line *l, int at, double x, const bench_row *row, double limit)
{
    l->x[at] = x;
    l->y[at] = row->gpts;
    l->bound[at] = row->bound_gpts;
    l->limit[at] = limit;
    l->is_limited = l->is_limited || limit < row->bound_gpts || row->depth > 1;
}

static int find_point(const line *l, double x)
{
    int at = 0;
    while (at < l->count && l->x[at] != x)
        at++;
    return at;
}

/* Sorts by x; of rows with the same x the fastest is kept. */
static void add_point(line *l, double x, const bench_row *row, double limit)
{
    int at = find_point(l, x);
    if (at < l->count) {
        if (row->gpts > l->y[at])
            put(l, at, x, row, limit);
        return;
    }
    for (l->count++; at > 0 && l->x[at - 1] > x; at--) {
        l->x[at] = l->x[at - 1];
        l->y[at] = l->y[at - 1];
        l->bound[at] = l->bound[at - 1];
        l->limit[at] = l->limit[at - 1];
    }
    put(l, at, x, row, limit);
}

static bool fill(chart *c, const bench_rows *rows)
{
    for (int k = 0; k < rows->count; k++) {
        const bench_row *row = &rows->row[k];
        char name[NAME];
        const double x = c->over->place(row, name);
        line *l = is_drawn(row) ? find_line(c, name, rows->count) : NULL;
        if (l)
            add_point(l, x == AS_THEY_COME ? l->count + 1 : x, row,
                      c->over->limit_of(row));
        else if (is_drawn(row))
            return false;
    }
    return true;
}

static void add_series(chart *c, const line *l, const char *name, const double *y,
                       int dashed)
{
    c->series[c->drawn++] = (pav_figure_series){.name = name,
                                                .x = l->x,
                                                .y = y,
                                                .count = l->count,
                                                .dashed = dashed,
                                                .panel = l->name};
}

static void make_series(chart *c)
{
    for (int k = 0; k < c->lines; k++) {
        add_series(c, &c->line[k], "measured", c->line[k].y, 0);
        add_series(c, &c->line[k], c->over->bound, c->line[k].bound, 1);
        if (c->line[k].is_limited)
            add_series(c, &c->line[k], c->over->limit, c->line[k].limit, 2);
    }
}

static int draw(const char *path, const bench_rows *rows, chart *c)
{
    const bench_row *first = rows->row;
    char subtitle[NAME];
    if (!fill(c, rows)) {
        complain(PAV_ELIMIT, "%s: there are more than %d programs and types", path,
                 MOST_LINES);
        return EXIT_USAGE;
    }
    make_series(c);
    snprintf(subtitle, sizeof subtitle, "%s%s%s", first->device,
             first->device[0] && first->date[0] ? ", " : "", first->date);
    const pav_figure figure = {.kind = PAV_FIGURE_LINES,
                               .title = c->over->title,
                               .subtitle = subtitle,
                               .axis_name = {c->over->axis, "Gpts/s"},
                               .logarithmic = {c->over->logarithmic, 0},
                               .series = c->series,
                               .series_count = c->drawn};
    return bench_write_figure(path, &figure);
}

int bench_draw_lines(const char *path, const bench_rows *rows)
{
    chart *c = calloc(1, sizeof *c);
    int code = EXIT_RUN_FAILED;
    if (c) {
        c->over = are_of(rows, is_of_model)    ? &places
                  : are_of(rows, is_of_passes) ? &depths
                                               : &sizes;
        c->line = calloc(MOST_LINES, sizeof *c->line);
        c->memory = calloc((size_t)MOST_LINES * NUMBERS * (size_t)rows->count,
                           sizeof(double));
    }
    if (c && c->line && c->memory)
        code = draw(path, rows, c);
    else
        complain(PAV_ENOMEM, "%s is not drawn: memory ran out", path);
    if (c) {
        free(c->line);
        free(c->memory);
    }
    free(c);
    return code;
}
