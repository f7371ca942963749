/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws results of bench: lines over grid size if nothing else differs, else bars with a
 * group for each problem, and a series for each combination of the other traits (device,
 * date, type, ...). Traits common to all rows go below the title. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

/* ---- lines over grid size ---------------------------------------------------------- */

/* Draws results as lines. Rates: one panel for each program and type, over the points
 * along an axis, the steps of a time block, or schedules in the model's order; dashed:
 * the bound; dotted: a lower limit. Whole runs: seconds over steps, a line for each
 * device. bench hybrid: milliseconds of a step over the share of the processor. bench
 * outofcore: rates over grid size, a line for each method. */

/* Writes a figure or prints a complaint; an exit code. */
static int bench_write_figure(const char *path, const pav_figure *figure)
{
    const pav_status status = pav_figure_write(path, figure);
    if (status != PAV_OK)
        complain(status, "%s", pav_message());
    return status == PAV_OK ? EXIT_DONE : EXIT_RUN_FAILED;
}

/* ---- lines ------------------------------------------------------------------------- */

enum { MOST_LINES = 64, NAME = 2 * JSON_TEXT };

/* A line of a figure; its points are sorted by x. */
typedef struct line {
    char name[NAME], panel[NAME]; /* panel "": the figure has one */
    double *x, *y;
    int count, dashed;
    bool hidden;
} line;

typedef struct line_set {
    line line[MOST_LINES];
    int count, room; /* room: points of a line, at most */
    bool full;       /* there were more lines than MOST_LINES */
    double *memory;
    pav_figure_series series[MOST_LINES];
} line_set;

/* The line of this name in this panel, made if need be; NULL: the set is full. */
static line *find_line(line_set *s, const char *panel, const char *name, int dashed)
{
    for (int k = 0; k < s->count; k++)
        if (strcmp(s->line[k].panel, panel) == 0 && strcmp(s->line[k].name, name) == 0)
            return &s->line[k];
    s->full |= s->count == MOST_LINES;
    if (s->full)
        return NULL;
    line *const l = &s->line[s->count];
    l->x = s->memory + 2 * (size_t)s->count++ * (size_t)s->room;
    l->y = l->x + s->room;
    l->dashed = dashed;
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

/* A figure of lines, apart from its lines. */
typedef struct look {
    const char *title, *axis[2];
    char subtitle[NAME]; /* "": the date of the rows */
    int logarithmic[2];
} look;

/* Puts the rows into lines and describes the figure. */
typedef void fill_lines(line_set *s, const bench_rows *rows, look *as);

static void free_lines(line_set **s)
{
    if (*s)
        free((*s)->memory);
    free(*s);
}

static int draw_lines(const char *path, const bench_rows *rows, fill_lines *fill)
{
    enum { MADE = 16 /* points of lines that no row has */ };
    OWNED_BY(free_lines) line_set *s = calloc(1, sizeof *s);
    look as = {0};
    int drawn = 0;
    if (s) {
        s->room = rows->count + MADE;
        s->memory = calloc(2 * (size_t)MOST_LINES * (size_t)s->room, sizeof *s->memory);
    }
    if (!s || !s->memory)
        return complain(PAV_ENOMEM, "%s is not drawn: memory ran out", path);
    fill(s, rows, &as);
    if (s->full || s->count == 0)
        return complain(PAV_ELIMIT, "%s: there are %s lines; draw other rows", path,
                        s->full ? "too many" : "no");
    for (const line *l = s->line; l < s->line + s->count; l++)
        if (!l->hidden)
            s->series[drawn++] = (pav_figure_series){.name = l->name,
                                                     .x = l->x,
                                                     .y = l->y,
                                                     .count = l->count,
                                                     .dashed = l->dashed,
                                                     .panel = *l->panel ? l->panel
                                                                        : NULL};
    return bench_write_figure(
        path, &(pav_figure){.kind = PAV_FIGURE_LINES,
                            .title = as.title,
                            .subtitle = *as.subtitle ? as.subtitle : rows->row[0].date,
                            .axis_name = {as.axis[0], as.axis[1]},
                            .logarithmic = {as.logarithmic[0], as.logarithmic[1]},
                            .series = s->series,
                            .series_count = drawn});
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

static bool bench_are_lines(const bench_rows *rows)
{
    return are_of(rows, is_of_model) || are_of(rows, is_of_passes) || are_sizes(rows);
}

/* Of rows with the same x the fastest is kept. The lower limit is drawn if it is lower at
 * some point, or if steps are fused. */
static void add_rate(line_set *s, const across *over, const bench_row *row)
{
    char panel[NAME];
    double x = over->place(row, panel);
    line *const measured = find_line(s, panel, "measured", 0);
    line *const bound = find_line(s, panel, over->bound, 1);
    line *const limit = over->limit ? find_line(s, panel, over->limit, 2) : NULL;
    bool is_new;
    if (s->full)
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

static void fill_rates(line_set *s, const bench_rows *rows, look *as)
{
    const across *const over = are_of(rows, is_of_model)    ? &places
                               : are_of(rows, is_of_passes) ? &depths
                                                            : &sizes;
    const bench_row *const first = rows->row;
    for (int k = 0; k < rows->count; k++)
        if (is_rate(&rows->row[k]))
            add_rate(s, over, &rows->row[k]);
    *as = (look){.title = over->title,
                 .axis = {over->axis, "Gpts/s"},
                 .logarithmic = {over->logarithmic, 0}};
    snprintf(as->subtitle, NAME, "%s%s%s", first->device,
             first->device[0] && first->date[0] ? ", " : "", first->date);
}

static int bench_draw_lines(const char *path, const bench_rows *rows)
{
    return draw_lines(path, rows, fill_rates);
}

/* ---- bench transfer: whole runs ---------------------------------------------------- */

/* The part of a run in this row; `grid`: the rest of the problem's name. */
static int part_of(const bench_row *row, const char **grid)
{
    const char *part = row->problem + strlen(BENCH_PART);
    *grid = strchr(part, '@');
    for (int k = 0; k < BENCH_PARTS && *grid; k++)
        if (strlen(bench_part_name[k]) == (size_t)(*grid - part) &&
            strncmp(part, bench_part_name[k], strlen(bench_part_name[k])) == 0)
            return k;
    return BENCH_PARTS;
}

/* The lines cross where the GPU begins to win. Dashed: the time outside the steps
 * (set-up, upload and download). */
static void fill_wholes(line_set *s, const bench_rows *rows, look *as)
{
    enum { POINTS = 13 /* 1, 2, 4, ... steps */ };
    double seconds[MOST_LINES][BENCH_PARTS] = {{0}};
    for (int k = 0; k < rows->count; k++) {
        const char *grid;
        const int part = part_of(&rows->row[k], &grid);
        line *const l = part < BENCH_PARTS
                            ? find_line(s, grid + 1, rows->row[k].device, 0)
                            : NULL;
        if (l)
            seconds[l - s->line][part] = rows->row[k].seconds_median;
    }
    for (int runs = s->count, k = 0; k < runs; k++) {
        char name[NAME + 16];
        double outside = 0;
        for (int part = 0; part < BENCH_PARTS; part++)
            outside += part == BENCH_STEP ? 0 : seconds[k][part];
        snprintf(name, sizeof name, "%s: no steps", s->line[k].name);
        name[NAME - 1] = '\0';
        line *const still = find_line(s, s->line[k].panel, name, 1);
        for (int n = 0; n < POINTS; n++) {
            put(&s->line[k], ldexp(1, n), outside + ldexp(seconds[k][BENCH_STEP], n));
            put(still, ldexp(1, n), outside);
        }
    }
    *as = (look){.title = "Seconds of a run by its steps",
                 .axis = {"steps of the run", "seconds"},
                 .logarithmic = {1, 1}};
}

/* ---- bench hybrid: shares ---------------------------------------------------------- */

static const struct kind {
    const char *word, *name;
    int dashed;
} kinds[] = {{"", "both together", 0},
             {"-model", "both, by the model", 1},
             {"-cpu", "the processor's part alone", 0},
             {"-gpu", "the GPU's part alone", 0},
             {"-exchange", "the exchange", 2},
             {"-gpus", "two GPUs by weights", 0}};

/* Splits "hybrid-gpu:cpu=4/16@64x64x64/f32" into kind, share (25 %) and grid. */
static const struct kind *read_share(const char *word, double *share, const char **grid)
{
    const char *const what = word + strlen(BENCH_HYBRID),
                      *const colon = strchr(what, ':'), *const equals = strchr(what, '=');
    *grid = strchr(what, '@');
    if (!colon || !equals || !*grid)
        return NULL;
    *share = 100 * strtod(equals + 1, NULL) / 16;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strlen(kinds[k].word) == (size_t)(colon - what) &&
            strncmp(what, kinds[k].word, (size_t)(colon - what)) == 0)
            return &kinds[k];
    return NULL;
}

static void fill_shares(line_set *s, const bench_rows *rows, look *as)
{
    for (int n = 0; n < rows->count; n++) {
        const char *grid;
        double share;
        const struct kind *const k = read_share(rows->row[n].problem, &share, &grid);
        if (k)
            put(find_line(s, grid + 1, k->name, k->dashed), share,
                1e3 * rows->row[n].seconds_median);
    }
    *as = (look){.title = "A step on processors and a GPU by their shares",
                 .axis = {"% of the grid at the first place", "milliseconds of a step"},
                 .logarithmic = {0, 1}};
}

/* ---- bench outofcore: methods ------------------------------------------------------ */

/* On the largest grid; NAN: not measured. */
static double rate_of(const line_set *s, const char *name)
{
    for (int k = 0; k < s->count; k++)
        if (strcmp(s->line[k].name, name) == 0)
            return s->line[k].y[s->line[k].count - 1];
    return NAN;
}

/* Below the title are the ratios of the paper and the measured ratios. */
static void write_ratios(const bench_row *first, const line_set *s, char t[NAME])
{
    const double mp = rate_of(s, "mp-mmtb"), naive = rate_of(s, "naive");
    const double others = (rate_of(s, "m-mmtb") + rate_of(s, "mmtb") + rate_of(s, "mmt") +
                           rate_of(s, "mm")) /
                          4;
    const int length = snprintf(t, NAME, "%s, %s", first->device, first->date);
    if (isfinite(mp / others) && isfinite(mp / naive) && length < NAME)
        snprintf(t + length, NAME - (size_t)length,
                 "; mp-mmtb %.3g times the others' mean, %.3g times naive "
                 "(Jin, Endo, Matsuoka: 1.35, 16.7)",
                 mp / others, mp / naive);
}

/* "outofcore:mp-mmtb@512x512x512/f32" */
static void fill_methods(line_set *s, const bench_rows *rows, look *as)
{
    for (int k = 0; k < rows->count; k++) {
        char name[NAME];
        snprintf(name, NAME, "%s", rows->row[k].problem + strlen(BENCH_OUTOFCORE));
        char *const at = strchr(name, '@');
        if (!at || !isfinite(rows->row[k].gpts))
            continue;
        *at = '\0';
        put(find_line(s, "", name, name[0] == 'i'), strtod(at + 1, NULL),
            rows->row[k].gpts);
    }
    *as = (look){.title = "Methods out of core over the size of the grid",
                 .axis = {"points along an axis", "Gpts/s"},
                 .logarithmic = {1, 1}};
    write_ratios(&rows->row[0], s, as->subtitle);
}

/* True if there are rows, and all problems begin with the prefix. */
static bool all_begin(const bench_rows *rows, const char *prefix)
{
    for (int k = 0; k < rows->count; k++)
        if (strncmp(rows->row[k].problem, prefix, strlen(prefix)) != 0)
            return false;
    return rows->count > 0;
}

/* Draws rows of one list with a figure of its own (whole runs, shares, methods); false:
 * they are none of these lists. *code: the exit code. */
static bool bench_draw_special(const char *path, const bench_rows *rows, int *code)
{
    static const struct {
        const char *prefix;
        fill_lines *fill;
    } special[] = {{BENCH_PART, fill_wholes},
                   {BENCH_HYBRID, fill_shares},
                   {BENCH_OUTOFCORE, fill_methods}};
    for (size_t n = 0; n < sizeof special / sizeof *special; n++)
        if (all_begin(rows, special[n].prefix)) {
            *code = draw_lines(path, rows, special[n].fill);
            return true;
        }
    return false;
}

enum { MOST_SERIES = 64, NOTE = 16 };

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
