/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside generate only: writes a stand-alone program as text. Its run-time library
 * is C in kernels/program. The parts that depend on the description are written here,
 * in the order of the file. */
#ifndef RUN_GENERATE_PRIVATE_H
#define RUN_GENERATE_PRIVATE_H

#include "run/run_private.h"

/* The licence in the first line of each file. */
#define LICENCE "SPDX-License-Identifier: BSD-3-Clause"

enum { MOST_PARTS = 64, MOST_TILINGS = 4, GENERATED_FILES = 8 };

/* A list of events of the program, in the order of their numbers. */
typedef struct event_group {
    const ir_event_list *list;
    const char *word; /* "MEASURE" */
} event_group;
enum { EVENT_GROUPS = 3 };

typedef struct generation {
    const program *asked; /* the description of the user */
    const program *program;
    ir *code;
    /* an unopened run; some functions need only its description */
    const pav_run *run;
    const pav_write_options *options;
    const char *directory;
    arena *arena;               /* memory for all but points and texts */
    text file[GENERATED_FILES]; /* the texts of its files */
    const char *name;           /* name of the program and its files */
    const char *const *field;   /* the identifier of each field: "F0_u" */
    bool gpu;                   /* steps run on one or several GPUs */
    int parts;                  /* subdomains of the grid */
    int gpu_of[MOST_PARTS];     /* GPU number of each subdomain; -1: processors */
    double share[MOST_PARTS];
    schedule schedule;   /* the requested schedule of its GPU kernels */
    bool *early, *later; /* for each stage: called at the start; called after it */
    int *border;         /* for each stage: the field of its border, or -1 */
    point_set *injection;
    point_set *sample; /* of each field, in the order of the statements */
    int64_t fields_sampled, samples;
    event_group group[EVENT_GROUPS];
    bool points, reductions, transforms; /* there are any */
    const solution *whole;               /* its steps are a method for one equation */
    /* The program of a step has a library for each equation that it solves: */
    int64_t solvers;
    struct generation *solver;
    /* ... this is one; its number from 1 */
    const solution *solution;
    int stage;            /* the step's stage that needs the solution */
    ir_blocking blocking; /* skews of a program with time tiles */
    int tilings;          /* candidates; 0: single steps */
    struct tiling {
        int64_t depth, across, along;
    } tiling[MOST_TILINGS];
} generation;

/* True if the program calls the stage. */
static inline bool is_used(const generation *g, int64_t stage)
{
    return g->early[stage] || g->later[stage];
}

/* generate_source.c: identifier_of: "total" for a measure's statement.
 * program_name_of sets `name`. */
const char *identifier_of(const generation *g, const char *word);
pav_status program_name_of(generation *g);
void add_text(text *part, text *t); /* moves a part to the end of a text */
/* As strings of the arena: words escaped for a comment; a number in C. */
const char *comment_of(const generation *g, const char *words);
const char *number_of(const generation *g, double value);
const char *program_file_name(const char *path); /* the last part of a path */

void add_heading(const char *title, text *t);
bool starts(const char *line, const char *word);
/* The text of a library file, without #include. All its functions become static. */
void add_own(const char *source, text *t);

/* Writes a file, or a part that may fail. add_source (generate_source.c) writes
 * PROGRAM.c by parts: add_tables_and_stages, add_step (generate_steps.c), add_solvers
 * (the use of solvers by the program). The other files are in generate_main.c. */
typedef pav_status file_writer(const generation *g, text *t);
file_writer add_source, add_main, add_header, add_makefile, add_cmake, add_readme,
    add_tables_and_stages, add_step, add_solvers;
/* Writes a part: the start and the numbers printed between steps (generate_steps.c); the
 * part of an equation's library (generate_solvers.c); the constants for tiles and the
 * operations of a step (generate_tiles.c); injections (generate_source.c). */
typedef void part_writer(const generation *g, text *t);
part_writer add_start, add_numbers, add_solve, add_tile_numbers, add_tile_operations,
    add_injections;

/* generate_steps.c */
void add_stage_call(const generation *g, int stage, text *t); /* with its full box */

/* generate_steps.c: the item computes the expression of an output. */
bool is_shown(const generation *g, const ir_start *s);

/* generate_solvers.c. open_solvers makes the libraries for the equations of a step, their
 * texts not included. */
pav_status open_solvers(generation *g, const solution *all);

/* generate_tiles.c: sets `blocking`, `tilings`, `tiling`. */
pav_status find_tilings(generation *g);

/* generate_source.c */
pav_status open_points(generation *g);
void close_points(generation *g);
/* The points of a sample, or of its parts; NULL: the statement is no sample. */
const point_set *points_of(const generation *g, const statement *s);

/* add_part copies the lines of a text of kernels/program selected by
 * `#if ON_GPU` and the like: ON_CPU, ON_TILES, ON_SINGLE (without tiles), ON_TABLES.
 * runs_on_gpu: the program launches a kernel for this stage. */
void add_part(const generation *g, const char *source, text *t);
bool runs_on_gpu(const generation *g, int64_t stage);

/* generate_source.c: values from files */
bool program_reads_files(const generation *g);

const char *event_name(const generation *g, const event_group *group, int64_t number);

#endif
