/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface shared by the files of the command bench. Each list is one file and one line
 * in the table of command_bench.c. */
#ifndef CLI_BENCH_LIST_H
#define CLI_BENCH_LIST_H

#include "cli.h"

/* One measured row (bench_measure.c). Unknown members are "" or NAN. */
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
/* A row with a time alone, and the number of steps in that time. */
bench_row bench_row_of_time(const char *problem, const char *device, double seconds,
                            double steps);
/* The same with a rate: updated points a step; bound: 1e9 points a second, or NAN. */
bench_row bench_row_of_rate(const char *problem, const char *device, const char *type,
                            double seconds, double steps, double points, double bound);
/* Reads lines of --json from a file or, for "-", standard input; an exit code. */
int bench_rows_read(const char *path, bench_rows *rows);
/* Draws the rates of the rows (there may be none) as lines over grid size, if only the
 * size differs, else as bars (bench_figure.c); an exit code. */
int bench_draw(const char *path, const bench_rows *rows);
/* Times of a run's parts over its number of steps (bench_transfer.c). */
enum { BENCH_PARTS = 4, BENCH_STEP = 2 };
extern const char *const bench_part_name[BENCH_PARTS];
/* prefix of all these problems */
#define BENCH_PART "transfer:"
/* prefix of all these problems */
#define BENCH_HYBRID "hybrid"
/* prefix of all these problems */
#define BENCH_OUTOFCORE "outofcore:"

enum { BENCH_SIZES = 16, BENCH_WORD = 256, BENCH_MOST_REPETITIONS = 9999 };
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
    double link;                   /* bytes per second, from --model; 0: not requested */
    double message;                /* seconds of a message; < 0: the machine's table */
    bool json, small, sized, cold; /* sized: --sizes is present */
} bench;

/* A list of `pavior bench NAME`. A list goes on after an error, but measures and keeps
 * nothing more. So its loops need no checks. */
typedef struct bench_kind {
    const char *name;
    void (*run)(bench *b);
    const char *fixed;   /* reason for refusing --schedule; NULL: accepted */
    const char *of_gpus; /* what it does on GPUs alone; or NULL */
    bool one_size;       /* accepts only one value in --sizes */
    bool no_program;     /* has no program, so --set has no meaning */
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
CLOSES(close_choices, bench_choice, free)
int bench_model_choices(const bench_rows *rows, bench_choice *list, int room);
bool bench_are_choices(const bench_rows *rows); /* true if all rows are of bench model */

/* bench_places.c: seconds of a step of heat3d on several devices, and of its halo
 * exchange (may be NULL). `how` divides the grid and has the schedule. */
enum { BENCH_LEAST_WIDTH = 4 };
double bench_seconds_at(bench *b, const char *device, pav_run_options how, int64_t size,
                        int64_t depth, double *exchange);

/* ---- measuring (bench_measure.c) --------------------------------------------------- */

bool bench_on_gpu(const bench *b);
bool bench_on(const bench *b, const char *device); /* the device has this name */
bool bench_ended(const bench *b);                  /* after an error */
void bench_keep(bench *b, bench_row row);          /* also prints the row */
/* Reports a failed measurement with pav_message(). Lack of memory and illegal schedules
 * do not end a list, unless `what` is NULL: the list needs this measurement. */
void bench_missed(bench *b, const char *what, pav_status status);
void bench_check(bench *b, pav_status status); /* a failure ends the list */
/* Memory for an array; NULL: the list has ended. */
void *bench_take(bench *b, int64_t count, size_t size);

/* The program of a row, and its run. bench_open parses the text or, if there is none,
 * loads the word (a file or a catalogue word). It opens a run with the options, unless
 * they are NULL. If the list has ended, nothing is opened, and `status` is not PAV_OK.
 * bench_close frees both, and reports a failure about `what`; true: there was none. */
typedef struct bench_trial {
    pav_program *program;
    pav_run *run;
    pav_status status;
} bench_trial;
bench_trial bench_open(const bench *b, const char *word, const char *text,
                       const pav_run_options *how);
bool bench_close(bench *b, const char *what, bench_trial *t);
/* Options of a timed run: without files, without checks. */
pav_run_options bench_run_options(const bench *b, const char *schedule);
pav_status bench_steps(pav_run *run, int64_t steps, double *seconds); /* of all steps */
/* Seconds of a step: the least of some windows. The steps of a window are doubled until
 * it lasts long enough. Windows in which kernels were compiled do not count: tuning
 * compiles candidates in the middle of a run. */
pav_status bench_least(pav_run *run, double window, int windows, double *least);

/* Measures a description file or a catalogue word. */
void bench_word(bench *b, const char *word);
/* Measures one item of a list. description: its text, or NULL if the word is a file or a
 * catalogue word. */
void bench_item(bench *b, const char *word, const char *description);
/* Measures a program with a schedule (NULL: the fastest). If the schedule is illegal, it
 * prints the reason. */
void bench_by(bench *b, const char *word, const char *schedule);
/* Prints a word, and behind it "@64x64x32/f32", or "@64x32/f32" if dim is 2; `last` is
 * the extent along the last axis. */
void bench_name(char word[BENCH_WORD], int dim, int64_t size, int64_t last,
                const char *type, const char *format, ...)
    __attribute__((__format__(__printf__, 6, 7)));
/* Opens, measures and closes the programs of the catalogue in a list such as
 * "auto:heat3d"; "auto" includes all. Sizes are those of --sizes, or the usual ones of
 * the program's dimension. */
typedef pav_status bench_measure(bench *b, const char *word, const pav_program *program,
                                 double points);
typedef struct bench_usual {
    int sizes;
    int64_t size[4][3]; /* by dimension */
} bench_usual;
void bench_catalogue(bench *b, const bench_usual *usual, bench_measure *measure_one);
/* Size of the grids of a list with a single size: --sizes, or at most this one. */
int64_t bench_one_size(const bench *b, int64_t usual);
/* Measures all words with all sizes, in f32 and f64; the words have no grid. */
extern const char *const bench_types[2];          /* "f32", "f64" */
int bench_by_value(const void *a, const void *b); /* compares doubles, for qsort */

#endif
