/* SPDX-License-Identifier: BSD-3-Clause */
/* Results over the size of the grid: a line for each program and type, across the points along an axis; dashed the rate
 * at which its bytes could be copied and, where that is lower at some size, the one that its arithmetic allows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { MOST_LINES = 21, NAME = 2 * JSON_TEXT, NUMBERS = 4 /* of a point */ };

typedef struct line {
    char name[NAME], bound_name[NAME + 16], limit_name[NAME + 16];
    double *x, *y, *bound, *limit;
    int count;
    bool is_limited;
} line;

typedef struct chart {
    line *line;
    int lines;
    double *memory;
    pav_figure_series series[3 * MOST_LINES];
    int drawn;
} chart;

/* The program, and the points along x of its grid; 0 where it names none. */
static double split(const bench_row *row, char name[NAME])
{
    const char *at = strchr(row->problem, '@');
    const size_t length = at ? (size_t)(at - row->problem) : strlen(row->problem);
    snprintf(name, NAME, "%.*s, %s", (int)length, row->problem, row->type);
    return at ? strtod(at + 1, NULL) : 0;
}

static bool is_drawn(const bench_row *row)
{
    return isfinite(row->gpts);
}

static bool same_place(const bench_row *a, const bench_row *b)
{
    return strcmp(a->device, b->device) == 0 && strcmp(a->date, b->date) == 0 &&
           strcmp(a->schedule, b->schedule) == 0 && a->threads == b->threads;
}

/* Every program has two sizes at least, and nothing else tells its rows apart. */
bool bench_are_lines(const bench_rows *rows)
{
    int drawn = 0;
    for (int a = 0; a < rows->count; a++) {
        bool other = !is_drawn(&rows->row[a]);
        char one[NAME], two[NAME];
        const double size = split(&rows->row[a], one);
        drawn += is_drawn(&rows->row[a]);
        for (int b = 0; b < rows->count && is_drawn(&rows->row[a]); b++) {
            const double also = split(&rows->row[b], two);
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

static line *find_line(chart *c, const char *name, int room)
{
    for (int k = 0; k < c->lines; k++)
        if (strcmp(c->line[k].name, name) == 0)
            return &c->line[k];
    if (c->lines == MOST_LINES)
        return NULL;
    line *l = &c->line[c->lines];
    snprintf(l->name, NAME, "%s", name);
    snprintf(l->bound_name, sizeof l->bound_name, "%s: copying", name);
    snprintf(l->limit_name, sizeof l->limit_name, "%s: arithmetic", name);
    l->x = c->memory + (size_t)c->lines++ * NUMBERS * (size_t)room;
    l->y = l->x + room;
    l->bound = l->y + room;
    l->limit = l->bound + room;
    return l;
}

/* In order of x. */
static void add_point(line *l, double x, const bench_row *row)
{
    int at = l->count++;
    for (; at > 0 && l->x[at - 1] > x; at--) {
        l->x[at] = l->x[at - 1];
        l->y[at] = l->y[at - 1];
        l->bound[at] = l->bound[at - 1];
        l->limit[at] = l->limit[at - 1];
    }
    l->x[at] = x;
    l->y[at] = row->gpts;
    l->bound[at] = row->bound_gpts;
    l->limit[at] = row->arithmetic_gpts;
    l->is_limited = l->is_limited || row->arithmetic_gpts < row->bound_gpts;
}

static bool fill(chart *c, const bench_rows *rows)
{
    for (int k = 0; k < rows->count; k++) {
        char name[NAME];
        const double x = split(&rows->row[k], name);
        line *l = is_drawn(&rows->row[k]) ? find_line(c, name, rows->count) : NULL;
        if (l)
            add_point(l, x, &rows->row[k]);
        else if (is_drawn(&rows->row[k]))
            return false;
    }
    return true;
}

static void add_series(chart *c, const line *l, const char *name, const double *y)
{
    c->series[c->drawn++] = (pav_figure_series){
        .name = name, .x = l->x, .y = y, .count = l->count, .dashed = y != l->y};
}

static void make_series(chart *c)
{
    for (int k = 0; k < c->lines; k++)
        add_series(c, &c->line[k], c->line[k].name, c->line[k].y);
    for (int k = 0; k < c->lines; k++)
        add_series(c, &c->line[k], c->line[k].bound_name, c->line[k].bound);
    for (int k = 0; k < c->lines; k++)
        if (c->line[k].is_limited)
            add_series(c, &c->line[k], c->line[k].limit_name, c->line[k].limit);
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
    snprintf(subtitle, sizeof subtitle, "%s, %s", first->device, first->date);
    const pav_figure figure = {.kind = PAV_FIGURE_LINES,
                               .title = "Rates of programs by the size of their grid",
                               .subtitle = subtitle,
                               .axis_name = {"points along an axis", "Gpts/s"},
                               .logarithmic = {1, 0},
                               .series = c->series,
                               .series_count = c->drawn};
    const pav_status status = pav_figure_write(path, &figure);
    if (status != PAV_OK)
        complain(status, "%s", pav_message());
    return status == PAV_OK ? EXIT_DONE : EXIT_RUN_FAILED;
}

int bench_draw_lines(const char *path, const bench_rows *rows)
{
    chart *c = calloc(1, sizeof *c);
    int code = EXIT_RUN_FAILED;
    if (c) {
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
