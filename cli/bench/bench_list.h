/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the command bench: what is measured is one file and one line in
 * the table of command_bench.c. */
#ifndef CLI_BENCH_LIST_H
#define CLI_BENCH_LIST_H

#include "cli.h"

/* What one line says (bench_rows.c). What is unknown is "" or NAN. */
typedef struct bench_row {
    char problem[JSON_TEXT], device[160], type[16], schedule[JSON_TEXT], tuned[JSON_TEXT];
    double threads, gpts, bound_gpts, percent, seconds_min, seconds_median, spread;
    double bytes_per_point, effective_bytes, footprint_bytes, copy_gbytes, steps;
    double arithmetic_gpts, depth, read_bytes, factor, predicted_seconds;
    char date[16], host[JSON_TEXT], list[16];
} bench_row;
typedef struct bench_rows {
    bench_row *row;
    int count, capacity;
} bench_rows;
/* The row of a result; its problem without the type, where it ends in that. */
bench_row bench_row_of(const char *problem, const pav_bench_result *r);
bench_row bench_row_of_copy(const pav_bench_result *r);
/* Of seconds alone, and of a number of steps. */
bench_row bench_row_of_time(const char *problem, const char *device, double seconds,
                            double steps);
bool bench_rows_add(bench_rows *rows, const bench_row *row);
void bench_rows_free(bench_rows *rows);
void bench_print_head(void); /* of the table, before its first line */
void bench_print_row(const bench_row *row);
void bench_print_json(const bench_row *row);
/* Lines of --json from a file or, for "-", standard input; an exit code. */
int bench_rows_read(const char *path, bench_rows *rows);
/* Draws the rates of the rows, of which there may be none; an exit code. Bars
 * (bench_figure.c); lines over the size of the grid, where that alone distinguishes rows
 * (bench_lines.c). */
int bench_draw(const char *path, const bench_rows *rows);
bool bench_are_lines(const bench_rows *rows);
int bench_draw_lines(const char *path, const bench_rows *rows);
/* A figure of rows whose words all begin alike, NULL: that are all of bench model: bytes
 * of what it is made from, zeros at first; an exit code. */
typedef struct bench_drawing {
    const char *prefix;
    size_t size;
    int (*draw)(const char *path, const bench_rows *rows, void *memory);
} bench_drawing;
extern const bench_drawing bench_wholes, bench_shares, bench_methods, bench_choices;
/* Whether there are rows, all of words that begin so. */
bool bench_all_begin(const bench_rows *rows, const char *prefix);
/* The parts of runs (bench_transfer.c), over their steps (bench_whole.c). */
enum { BENCH_PARTS = 4, BENCH_STEP = 2 };
extern const char *const bench_part_name[BENCH_PARTS];
#define BENCH_PART "transfer:" /* begins the words of all of them */
/* Time over the share of the processor, of rows of bench hybrid (bench_hybrid_draw.c). */
#define BENCH_HYBRID "hybrid" /* begins the words of all of them */
/* Methods over the size of the grid, of rows of bench outofcore
 * (bench_outofcore_draw.c). */
#define BENCH_OUTOFCORE "outofcore:" /* begins the words of all of them */
/* Writes a figure, or complains; an exit code (bench_write.c). */
int bench_write_figure(const char *path, const pav_figure *figure);

enum { BENCH_SIZES = 16, BENCH_WORD = 256 };
typedef struct bench {
    const options *o;
    pav_device *device;
    pav_bench_options how;
    const char *list, *word; /* that is measured now, and as it was given; or NULL */
    bench_rows rows;
    /* points along an axis: of --sizes, or the defaults of the device */
    int64_t size[BENCH_SIZES];
    int sizes;
    double link;             /* of --model: bytes a second; 0: it was not given, */
    double message;          /* and seconds of a message; < 0: by the machine's table */
    bool json, small, sized; /* sized: --sizes was given */
} bench;

/* What `pavior bench NAME` measures; an exit code. */
typedef struct bench_kind {
    const char *name, *about;
    int (*run)(bench *b);
    const char *fixed; /* why it takes no --schedule; NULL: it does */
    bool one_size;     /* of --sizes it takes but one */
    bool no_program;   /* that --set could change */
} bench_kind;
extern const bench_kind bench_copy, bench_stencils, bench_orders, bench_variants,
    bench_passes, bench_transfer, bench_coefficients, bench_access, bench_time,
    bench_prism, bench_multigrid, bench_async, bench_scaling, bench_hybrid,
    bench_outofcore, bench_gradient, bench_rtm, bench_auto, bench_model;
void bench_model_report(const bench_rows *rows); /* of such rows, how good it is */
/* Of each program and grid of bench model the rate of the first choice, what was expected
 * of it, and the best of all; how many there are, of which no more than `room` are
 * given. */
typedef struct bench_choice {
    const char *problem;
    double gpts, expected, best;
    int rank, count; /* of the first choice, of all in rate */
} bench_choice;
int bench_model_choices(const bench_rows *rows, bench_choice *list, int room);
bool bench_are_choices(const bench_rows *rows); /* all of them are of bench model */

/* bench_kinds.c: the list of that name, of which a part may follow a colon (auto:heat3d),
 * or NULL; whether what is given besides fits what is to be measured. */
typedef struct bench_given {
    bool small, set, model;
    const char *sizes, *schedule; /* or NULL */
} bench_given;
const bench_kind *bench_find(const char *word);
/* All programs of the catalogue that have a grid, up to one without a word. */
typedef struct bench_program {
    const char *word;
    int dim;
} bench_program;
extern const bench_program bench_programs[];
int bench_check(const options *o, const bench_given *given);
/* bench_places.c: one run of heat3d: on which devices, how the grid is shared out to them
 * ("": not said), and by which schedule; NULL: as bench says. Seconds of a step on a grid
 * as "@64x64x32/f32", and of its exchanges. A row of so many points. */
enum { BENCH_LEAST_WIDTH = 4 };
typedef struct bench_place {
    char device[64], subdomains[16], weights[32];
    const char *schedule;
} bench_place;
void bench_base_name(const bench *b, char name[32]); /* "cuda" of "cuda:1" */
int bench_measure_at(const bench *b, const bench_place *on, const char *grid,
                     double *seconds, double *exchange);
int bench_keep_at(bench *b, const char *word, const bench_place *on, double points,
                  double gpts, double bound);
/* bench_variants.c: a word by a schedule, NULL: what is fastest; why not, where it cannot
 * go by that. */
int bench_by(bench *b, const char *word, const char *schedule);
/* bench_measure.c. For qsort of doubles. */
int bench_by_value(const void *a, const void *b);
bool bench_on_gpu(const bench *b);
int bench_keep(bench *b, const bench_row *row); /* prints it, too */
/* A row that was not measured, which pav_message() says why, does not end a list where
 * that is for lack of memory or because of the schedule. */
int bench_missed(const bench *b, const char *what, pav_status status);
/* A description or a catalogue word. */
int bench_word(bench *b, const char *word);
/* The same in a list; text: a description, or NULL, and the word is one. */
int bench_item(bench *b, const char *word, const char *description);
/* "@64x64x64/f32", or "@64x64" where dim is 2. */
void bench_add_grid(char word[BENCH_WORD], int dim, int64_t size, const char *type);
/* Whether a list such as "auto:heat3d" names the program; "auto" names all. */
bool bench_wants(const bench *b, const char *program);
/* All words by all sizes by f32 and f64; a word ends before its grid. */
int bench_words(bench *b, const char *const *word, int words, int dim);

#endif
