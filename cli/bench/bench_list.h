/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface shared by the files of the command bench. Each list is one file and one line
 * in the table of command_bench.c. */
#ifndef CLI_BENCH_LIST_H
#define CLI_BENCH_LIST_H

#include "cli.h"

/* One measured row (bench_rows.c). Unknown members are "" or NAN. */
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
/* Makes the row of a result. If the problem ends in its type, the type is removed
 * there. */
bench_row bench_row_of(const char *problem, const pav_bench_result *r);
bench_row bench_row_of_copy(const pav_bench_result *r);
/* A row with a time alone, and the number of steps in that time. */
bench_row bench_row_of_time(const char *problem, const char *device, double seconds,
                            double steps);
/* The same with a rate: updated points a step; bound: 1e9 points a second, or NAN. */
bench_row bench_row_of_rate(const char *problem, const char *device, const char *type,
                            double seconds, double steps, double points, double bound);
bool bench_rows_add(bench_rows *rows, const bench_row *row);
void bench_rows_free(bench_rows *rows);
void bench_print_head(void); /* of the table, once */
void bench_row_print(bench_row *row, bool json);
/* Reads lines of --json from a file or, for "-", standard input; an exit code. */
int bench_rows_read(const char *path, bench_rows *rows);
/* Draws the rates of the rows (there may be none) as lines over grid size, if only the
 * size differs (bench_lines.c), else as bars (bench_figure.c); an exit code. */
int bench_draw(const char *path, const bench_rows *rows);
bool bench_are_lines(const bench_rows *rows);
int bench_draw_lines(const char *path, const bench_rows *rows);
/* Draws rows of one list with a figure of its own (whole runs, shares, methods); false:
 * they are none of these lists. *code: the exit code. */
bool bench_draw_special(const char *path, const bench_rows *rows, int *code);
/* True if there are rows, and all problems begin with the prefix. */
bool bench_all_begin(const bench_rows *rows, const char *prefix);
/* Times of a run's parts over its number of steps (bench_transfer.c). */
enum { BENCH_PARTS = 4, BENCH_STEP = 2 };
extern const char *const bench_part_name[BENCH_PARTS];
/* prefix of all these problems */
#define BENCH_PART "transfer:"
/* prefix of all these problems */
#define BENCH_HYBRID "hybrid"
/* prefix of all these problems */
#define BENCH_OUTOFCORE "outofcore:"
/* Writes a figure or prints a complaint; an exit code (bench_lines.c). */
int bench_write_figure(const char *path, const pav_figure *figure);

enum { BENCH_SIZES = 16, BENCH_WORD = 256 };
typedef struct bench {
    const options *o;
    pav_device *device;
    char base[32]; /* name of the device without a number: "cuda" for "cuda:1" */
    pav_bench_options how;
    /* name of the present list, and its full argument; or NULL */
    const char *list, *word;
    bench_rows rows;
    int code; /* exit code; a value other than EXIT_DONE ends all lists */
    /* Points along an axis, from --sizes or the defaults of the device. */
    int64_t size[BENCH_SIZES];
    int sizes;
    double link;             /* bytes per second, from --model; 0: not requested */
    double message;          /* seconds of a message; < 0: the machine's table */
    bool json, small, sized; /* sized: --sizes is present */
} bench;

/* A list of `pavior bench NAME`. A list goes on after an error, but measures and keeps
 * nothing more. So its loops need no checks. */
typedef struct bench_kind {
    const char *name;
    void (*run)(bench *b);
    const char *fixed; /* reason for refusing --schedule; NULL: accepted */
    bool one_size;     /* accepts only one value in --sizes */
    bool no_program;   /* has no program, so --set has no meaning */
} bench_kind;
extern const bench_kind bench_copy, bench_stencils, bench_orders, bench_variants,
    bench_passes, bench_transfer, bench_coefficients, bench_access, bench_time,
    bench_prism, bench_multigrid, bench_async, bench_scaling, bench_hybrid,
    bench_outofcore, bench_gradient, bench_rtm, bench_auto, bench_model;
void bench_model_report(const bench_rows *rows); /* quality of the model for these rows */
/* For each program and grid of bench model: rates of the first choice (measured and
 * expected), and the best measured rate. Returns the number of choices; at most `room`
 * are stored. */
typedef struct bench_choice {
    const char *problem;
    double gpts, expected, best;
    int rank, count; /* rank of the first choice by measured rate */
} bench_choice;
int bench_model_choices(const bench_rows *rows, bench_choice *list, int room);
bool bench_are_choices(const bench_rows *rows); /* true if all rows are of bench model */

/* command_bench.c. bench_find: the list with this name, or NULL; a part may follow a
 * colon (auto:heat3d). */
const bench_kind *bench_find(const char *word);
/* All catalogue programs with a grid; the last entry has no word. */
typedef struct bench_program {
    const char *word;
    int dim;
} bench_program;
extern const bench_program bench_programs[];
/* bench_places.c: heat3d on several devices. A bench_place names the devices, the
 * division of the grid ("": default) and the schedule (NULL: the default of bench).
 * bench_measure_at: seconds of a step, and of its halo exchange (may be NULL), on a grid
 * such as "@64x64x32/f32". bench_keep_at: adds a row for a number of points. */
enum { BENCH_LEAST_WIDTH = 4 };
typedef struct bench_place {
    char device[64], subdomains[16], weights[32];
    const char *schedule;
} bench_place;
double bench_measure_at(bench *b, const bench_place *on, const char *grid,
                        double *exchange);
void bench_keep_at(bench *b, const char *word, const bench_place *on, double points,
                   double gpts, double bound);

/* ---- measuring (bench_measure.c) --------------------------------------------------- */

bool bench_on_gpu(const bench *b);
bool bench_on(const bench *b, const char *device); /* the device has this name */
bool bench_ended(const bench *b);                  /* after an error */
void bench_keep(bench *b, const bench_row *row);   /* also prints the row */
/* Reports a failed measurement with pav_message(). Lack of memory and illegal schedules
 * do not end a list. */
void bench_missed(bench *b, const char *what, pav_status status);

/* The program of a row, and its run. bench_open loads the text or, if there is none, the
 * word (a file or a catalogue word). It opens a run with the options, unless they are
 * NULL. bench_close reports a failure about `what`; true: there was none. */
typedef struct bench_trial {
    const char *text, *name;
    pav_program *program;
    pav_run *run;
} bench_trial;
pav_status bench_open(const bench *b, const char *word, const pav_run_options *how,
                      bench_trial *t);
bool bench_close(bench *b, const char *what, pav_status status, bench_trial *t);
/* Options of a timed run: without files, without checks. */
pav_run_options bench_run_options(const bench *b, const char *schedule);
pav_status bench_steps(pav_run *run, int64_t steps, double *seconds); /* of all steps */
/* Seconds of a step: the least of some windows. The steps of a window are doubled until
 * it lasts long enough. */
pav_status bench_least(pav_run *run, double window, int windows, double *least);

/* Measures a description file or a catalogue word. */
void bench_word(bench *b, const char *word);
/* Measures one item of a list. description: its text, or NULL if the word is a file or a
 * catalogue word. */
void bench_item(bench *b, const char *word, const char *description);
/* Measures a program with a schedule (NULL: the fastest). If the schedule is illegal, it
 * prints the reason. */
void bench_by(bench *b, const char *word, const char *schedule);
/* Appends "@64x64x64/f32", or "@64x64" if dim is 2. */
void bench_add_grid(char word[BENCH_WORD], int dim, int64_t size, const char *type);
/* True if a list such as "auto:heat3d" includes the program; "auto" includes all. */
bool bench_wants(const bench *b, const char *program);
/* Size of the grids of a list with a single size: --sizes, or at most this one. */
int64_t bench_one_size(const bench *b, int64_t usual);
/* Measures all words with all sizes, in f32 and f64; the words have no grid. */
void bench_words(bench *b, const char *const *word, int words, int dim,
                 const int64_t *size, int sizes);
extern const char *const bench_types[2];          /* "f32", "f64" */
int bench_by_value(const void *a, const void *b); /* compares doubles, for qsort */

#endif
