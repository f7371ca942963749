/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws results of bench. A chart holds series of points: lines over x, or bars with a
 * group for each label. Rows of one list may have a figure of their own; other rows are
 * lines over grid size if nothing else differs, else bars with a group for each problem,
 * and a series for each combination of the other traits (device, date, type, ...). Traits
 * common to all rows go below the title. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

/* ---- charts ------------------------------------------------------------------------ */

enum { MOST_SERIES = 64, NAME = 2 * JSON_TEXT, NOTE = 32 };

/* The points of a series are sorted by x; bars stand at the number of their label. */
typedef struct line {
    char name[NAME], panel[NAME]; /* "": it has none */
    double *x, *y, *mark;
    const char **note;
    int count, dashed;
    bool hidden;
} line;

typedef struct chart {
    line line[MOST_SERIES];
    int count, room; /* room: points of a line, at most */
    bool full;       /* there were more lines than MOST_SERIES */
    double *memory;  /* x, y and mark of all lines */
    char (*words)[NOTE];
    const char **note, **label; /* label: of bars */
    int labels;
    pav_figure_series series[MOST_SERIES];
    pav_figure figure;
    char subtitle[NAME]; /* "": the date of the rows */
} chart;

/* The line of this name in this panel, made if need be; NULL: the chart is full. */
static line *find_line(chart *c, const char *panel, const char *name, int dashed)
{
    for (int k = 0; k < c->count; k++)
        if (strcmp(c->line[k].panel, panel) == 0 && strcmp(c->line[k].name, name) == 0)
            return &c->line[k];
    c->full |= c->count == MOST_SERIES;
    if (c->full)
        return NULL;
    const size_t room = (size_t)c->room, first = (size_t)c->count * room;
    line *const l = &c->line[c->count++];
    double *const memory = c->memory + 3 * first;
    *l = (line){.x = memory,
                .y = memory + room,
                .mark = memory + 2 * room,
                .note = c->note + first,
                .dashed = dashed};
    snprintf(l->name, NAME, "%s", name);
    snprintf(l->panel, NAME, "%s", panel);
    return l;
}

/* The place of the point at x; *is_new: there was none, and y is not set. */
static int place_of(line *l, double x, bool *is_new)
{
    int at = 0;
    while (at < l->count && l->x[at] < x)
        at++;
    *is_new = at == l->count || l->x[at] != x;
    if (*is_new) {
        memmove(l->x + at + 1, l->x + at, (size_t)(l->count - at) * sizeof *l->x);
        memmove(l->y + at + 1, l->y + at, (size_t)(l->count++ - at) * sizeof *l->y);
        l->x[at] = x;
    }
    return at;
}

/* Of points with the same x the last one counts. */
static void put(line *l, double x, double y)
{
    bool is_new;
    if (l)
        l->y[place_of(l, x, &is_new)] = y;
}

/* Sets a bar of the group with this label. A later bar replaces an earlier one. */
static void put_bar(chart *c, line *l, const char *label, double y, double mark,
                    const char *note)
{
    int at = 0;
    if (!l)
        return;
    while (at < c->labels && strcmp(c->label[at], label) != 0)
        at++;
    c->label[at] = label;
    c->labels += at == c->labels;
    for (; l->count <= at; l->count++) {
        l->y[l->count] = l->mark[l->count] = NAN;
        l->note[l->count] = c->words[l->note - c->note + l->count];
    }
    l->y[at] = y;
    l->mark[at] = mark;
    snprintf(c->words[l->note - c->note + at], NOTE, "%s", note);
}

/* Puts the rows into lines and describes the figure. */
typedef void fill_chart(chart *c, const bench_rows *rows);

static void free_chart(chart **c)
{
    if (!*c)
        return;
    free((*c)->memory);
    free((*c)->words);
    free((*c)->note);
    free((*c)->label);
    free(*c);
}

static int draw(const char *path, const bench_rows *rows, fill_chart *fill)
{
    enum { MADE = 16 /* points of lines that no row has */ };
    OWNED_BY(free_chart) chart *c = calloc(1, sizeof *c);
    const size_t room = (size_t)rows->count + MADE, all = MOST_SERIES * room;
    if (c) {
        c->room = (int)room;
        c->memory = calloc(3 * all, sizeof *c->memory);
        c->words = calloc(all, sizeof *c->words);
        c->note = calloc(all, sizeof *c->note);
        c->label = calloc(room, sizeof *c->label);
    }
    if (!c || !c->memory || !c->words || !c->note || !c->label)
        return complain(PAV_ENOMEM, "%s is not drawn: memory ran out", path);
    fill(c, rows);
    if (c->full)
        return complain(PAV_ELIMIT,
                        "%s: the rows are of more than %d kinds; draw one list at a time",
                        path, MOST_SERIES);
    if (c->count == 0)
        return complain(PAV_ELIMIT, "%s: there are no lines; draw other rows", path);
    const bool bars = c->figure.kind == PAV_FIGURE_BARS;
    for (const line *l = c->line; l < c->line + c->count; l++)
        if (!l->hidden)
            c->series[c->figure.series_count++] = (pav_figure_series){
                .name = *l->name ? l->name : NULL,
                .x = bars ? NULL : l->x,
                .y = l->y,
                .mark = bars ? l->mark : NULL,
                .note = bars ? l->note : NULL,
                .count = l->count,
                .dashed = l->dashed,
                .panel = *l->panel ? l->panel : NULL};
    c->figure.subtitle = *c->subtitle ? c->subtitle : rows->row[0].date;
    c->figure.label = c->label;
    c->figure.series = c->series;
    return exit_of(pav_figure_write(path, &c->figure));
}

/* ---- rates of programs ------------------------------------------------------------- */

enum { AS_THEY_COME = -1 };

/* One kind of diagram: its axis and its bounds. */
typedef struct across {
    const char *title, *axis, *bound, *limit;
    bool logarithmic;
    double (*place)(const bench_row *row, char name[NAME]);
    double (*limit_of)(const bench_row *row);
} across;

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
                              NULL};

static bool is_rate(const bench_row *row)
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
    return !is_rate(row) || (strcmp(row->list, "time") == 0 && isfinite(row->depth));
}

static bool is_of_model(const bench_row *row)
{
    return !is_rate(row) || strcmp(row->list, "model") == 0;
}

static bool are_of(const bench_rows *rows, bool (*is_of)(const bench_row *row))
{
    int drawn = 0;
    for (int k = 0; k < rows->count; k++) {
        if (!is_of(&rows->row[k]))
            return false;
        drawn += is_rate(&rows->row[k]);
    }
    return drawn > 0;
}

/* True if each program has two sizes or more, and its rows differ in nothing else. */
static bool are_sizes(const bench_rows *rows)
{
    int drawn = 0;
    for (int a = 0; a < rows->count; a++) {
        bool other = !is_rate(&rows->row[a]);
        char one[NAME], two[NAME];
        const double size = size_of(&rows->row[a], one);
        drawn += is_rate(&rows->row[a]);
        for (int b = 0; b < rows->count && is_rate(&rows->row[a]); b++) {
            const double also = size_of(&rows->row[b], two);
            if (a == b || !is_rate(&rows->row[b]) || strcmp(one, two) != 0)
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

/* Of rows with the same x the fastest is kept. The lower limit is drawn if it is lower at
 * some point, or if steps are fused. */
static void add_rate(chart *c, const across *over, const bench_row *row)
{
    char panel[NAME];
    double x = over->place(row, panel);
    line *const measured = find_line(c, panel, "measured", 0);
    line *const bound = find_line(c, panel, over->bound, 1);
    line *const limit = over->limit ? find_line(c, panel, over->limit, 2) : NULL;
    bool is_new;
    if (c->full)
        return;
    if (measured->count == 0 && limit)
        limit->hidden = true;
    if (x == AS_THEY_COME)
        x = measured->count + 1;
    const int at = place_of(measured, x, &is_new);
    if (!is_new && row->gpts <= measured->y[at])
        return;
    measured->y[at] = row->gpts;
    put(bound, x, row->bound_gpts);
    if (!limit)
        return;
    put(limit, x, over->limit_of(row));
    if (over->limit_of(row) < row->bound_gpts || row->depth > 1)
        limit->hidden = false;
}

static void fill_rates(chart *c, const bench_rows *rows)
{
    const across *const over = are_of(rows, is_of_model)    ? &places
                               : are_of(rows, is_of_passes) ? &depths
                                                            : &sizes;
    const bench_row *const first = rows->row;
    for (int k = 0; k < rows->count; k++)
        if (is_rate(&rows->row[k]))
            add_rate(c, over, &rows->row[k]);
    c->figure = (pav_figure){.kind = PAV_FIGURE_LINES,
                             .title = over->title,
                             .axis_name = {over->axis, "Gpts/s"},
                             .logarithmic = {over->logarithmic, 0}};
    snprintf(c->subtitle, NAME, "%s%s%s", first->device,
             first->device[0] && first->date[0] ? ", " : "", first->date);
}

/* ---- figures of one list ----------------------------------------------------------- */

/* Copies the rest of a problem's name behind a prefix, up to one of the characters `end`.
 * Returns the grid behind "@"; NULL: there is none. */
static const char *split_name(const bench_row *row, const char *prefix, const char *end,
                              char word[NAME])
{
    const char *const rest = row->problem + strlen(prefix), *const at = strchr(rest, '@');
    snprintf(word, NAME, "%.*s", (int)strcspn(rest, end), rest);
    return at ? at + 1 : NULL;
}

/* bench transfer: seconds of whole runs over steps, a line for each device. The lines
 * cross where the GPU begins to win. Dashed: the time outside the steps (set-up, upload
 * and download). */
static void fill_wholes(chart *c, const bench_rows *rows)
{
    enum { POINTS = 13 /* 1, 2, 4, ... steps */ };
    double seconds[MOST_SERIES][BENCH_PARTS] = {{0}};
    for (int k = 0; k < rows->count; k++) {
        char name[NAME];
        int part = 0;
        const char *const grid = split_name(&rows->row[k], BENCH_PART, "@", name);
        while (part < BENCH_PARTS && strcmp(bench_part_name[part], name) != 0)
            part++;
        line *const l = grid && part < BENCH_PARTS
                            ? find_line(c, grid, rows->row[k].device, 0)
                            : NULL;
        if (l)
            seconds[l - c->line][part] = rows->row[k].seconds_median;
    }
    for (int runs = c->count, k = 0; k < runs; k++) {
        char name[NAME + 16];
        double outside = 0;
        for (int part = 0; part < BENCH_PARTS; part++)
            outside += part == BENCH_STEP ? 0 : seconds[k][part];
        snprintf(name, sizeof name, "%s: no steps", c->line[k].name);
        name[NAME - 1] = '\0';
        line *const still = find_line(c, c->line[k].panel, name, 1);
        for (int n = 0; n < POINTS; n++) {
            put(&c->line[k], ldexp(1, n), outside + ldexp(seconds[k][BENCH_STEP], n));
            put(still, ldexp(1, n), outside);
        }
    }
    c->figure = (pav_figure){.kind = PAV_FIGURE_LINES,
                             .title = "Seconds of a run by its steps",
                             .axis_name = {"steps of the run", "seconds"},
                             .logarithmic = {1, 1}};
}

/* bench hybrid: milliseconds of a step over the share of the processor, from names such
 * as "hybrid-gpu:cpu=4/16@64x64x64/f32" (25 %). */
static void fill_shares(chart *c, const bench_rows *rows)
{
    static const struct {
        const char *word, *name;
        int dashed;
    } kinds[] = {{"", "both together", 0},
                 {"-model", "both, by the model", 1},
                 {"-cpu", "the processor's part alone", 0},
                 {"-gpu", "the GPU's part alone", 0},
                 {"-exchange", "the exchange", 2},
                 {"-gpus", "two GPUs by weights", 0}};
    for (int n = 0; n < rows->count; n++) {
        const bench_row *row = &rows->row[n];
        char word[NAME];
        const char *const grid = split_name(row, BENCH_HYBRID, ":", word),
                          *const share = strchr(row->problem, '=');
        for (size_t k = 0; grid && share && k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(kinds[k].word, word) == 0)
                put(find_line(c, grid, kinds[k].name, kinds[k].dashed),
                    100 * strtod(share + 1, NULL) / 16, 1e3 * row->seconds_median);
    }
    c->figure = (pav_figure){
        .kind = PAV_FIGURE_LINES,
        .title = "A step on processors and a GPU by their shares",
        .axis_name = {"% of the grid at the first place", "milliseconds of a step"},
        .logarithmic = {0, 1}};
}

/* On the largest grid; NAN: not measured. */
static double rate_of(const chart *c, const char *name)
{
    for (int k = 0; k < c->count; k++)
        if (strcmp(c->line[k].name, name) == 0)
            return c->line[k].y[c->line[k].count - 1];
    return NAN;
}

/* bench outofcore: rates over grid size, a line for each method. Below the title are the
 * ratios of the paper and the measured ratios. */
static void fill_methods(chart *c, const bench_rows *rows)
{
    for (int k = 0; k < rows->count; k++) {
        char name[NAME];
        const char *const grid = split_name(&rows->row[k], BENCH_OUTOFCORE, "@", name);
        if (grid && isfinite(rows->row[k].gpts))
            put(find_line(c, "", name, name[0] == 'i'), strtod(grid, NULL),
                rows->row[k].gpts);
    }
    c->figure = (pav_figure){.kind = PAV_FIGURE_LINES,
                             .title = "Methods out of core over the size of the grid",
                             .axis_name = {"points along an axis", "Gpts/s"},
                             .logarithmic = {1, 1}};
    const double mp = rate_of(c, "mp-mmtb"), naive = rate_of(c, "naive");
    const double others = (rate_of(c, "m-mmtb") + rate_of(c, "mmtb") + rate_of(c, "mmt") +
                           rate_of(c, "mm")) /
                          4;
    const int length = snprintf(c->subtitle, NAME, "%s, %s", rows->row[0].device,
                                rows->row[0].date);
    if (isfinite(mp / others) && isfinite(mp / naive) && length < NAME)
        snprintf(c->subtitle + length, NAME - (size_t)length,
                 "; mp-mmtb %.3g times the others' mean, %.3g times naive "
                 "(Jin, Endo, Matsuoka: 1.35, 16.7)",
                 mp / others, mp / naive);
}

/* bench model: for each program the rate of the model's first choice, in percent of the
 * best measured rate. A mark shows the model's prediction. */
static void fill_choices(chart *c, const bench_rows *rows)
{
    OWNED_BY(close_choices)
    bench_choice *choice = calloc((size_t)rows->count, sizeof *choice);
    const int count = choice ? bench_model_choices(rows, choice, rows->count) : 0;
    line *const l = find_line(c, "", "", 0);
    for (int n = 0; n < count; n++) {
        const bench_choice *of = &choice[n];
        char note[NOTE];
        snprintf(note, NOTE, "%.0f %%, rank %d of %d", 100 * of->gpts / of->best,
                 of->rank, of->count);
        put_bar(c, l, of->problem, 100 * of->gpts / of->best,
                100 * of->expected / of->best, note);
    }
    c->figure = (pav_figure){.title = "What the model chooses first",
                             .axis_name = {"percent"},
                             .mark_name = "as predicted"};
    snprintf(c->subtitle, NAME, "%s, %s, %s: percent of the best that was measured",
             rows->row[0].device, rows->row[0].host, rows->row[0].date);
}

/* ---- bars -------------------------------------------------------------------------- */

/* Traits of a row besides its problem. The schedule is used only if no other trait
 * differs. */
enum { HOST, DEVICE, THREADS, DATE, TYPE, SCHEDULE, TRAITS };
typedef char trait[JSON_TEXT];

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

static bool same_but_schedule(const bench_row *a, const bench_row *b)
{
    for (int k = 0; k < SCHEDULE; k++)
        if (!same_trait(a, b, k))
            return false;
    return strcmp(a->problem, b->problem) == 0;
}

static bool pair_differs(const bench_row *a, const bench_row *b, int which)
{
    return is_rate(a) && is_rate(b) && !same_trait(a, b, which) &&
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

/* Rates in groups by problem, as far as rows have them. */
static void fill_bars(chart *c, const bench_rows *rows)
{
    bool apart[TRAITS], common[TRAITS];
    for (int k = 0; k < TRAITS; k++) {
        apart[k] = k == TYPE || differs(rows, k);
        common[k] = !apart[k] && k != SCHEDULE;
    }
    for (const bench_row *row = rows->row; row < rows->row + rows->count; row++) {
        char name[NAME], note[NOTE] = "";
        if (!is_rate(row))
            continue;
        if (c->count == 0)
            join(row, common, c->subtitle);
        join(row, apart, name);
        if (isfinite(row->percent))
            snprintf(note, NOTE, "%.1f %%", row->percent);
        put_bar(c, find_line(c, "", name, 0), row->problem, row->gpts, row->bound_gpts,
                note);
    }
    c->figure = (pav_figure){.title = "Rates of programs, beside the rate of copying",
                             .axis_name = {"Gpts/s"},
                             .mark_name = "as fast as copying"};
}

/* ---- all figures ------------------------------------------------------------------- */

/* True if there are rows, and all problems begin with the prefix. */
static bool all_begin(const bench_rows *rows, const char *prefix)
{
    for (int k = 0; k < rows->count; k++)
        if (strncmp(rows->row[k].problem, prefix, strlen(prefix)) != 0)
            return false;
    return rows->count > 0;
}

int bench_draw(const char *path, const bench_rows *rows)
{
    int first = 0;
    while (first < rows->count && !is_rate(&rows->row[first]))
        first++;
    fill_chart *const fill = bench_are_choices(rows)            ? fill_choices
                             : all_begin(rows, BENCH_PART)      ? fill_wholes
                             : all_begin(rows, BENCH_HYBRID)    ? fill_shares
                             : all_begin(rows, BENCH_OUTOFCORE) ? fill_methods
                             : first == rows->count             ? NULL
                             : are_of(rows, is_of_model) || are_of(rows, is_of_passes) ||
                                     are_sizes(rows)
                                 ? fill_rates
                                 : fill_bars;
    return fill
               ? draw(path, rows, fill)
               : complain(PAV_EINVAL,
                          "%s is not drawn: there is no program among the results", path);
}
