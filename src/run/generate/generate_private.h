/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside generate only: writes a stand-alone program as text. Its run-time library
 * is C in src/kernels/program. The parts that depend on the description are written here,
 * in the order of the file. */
#ifndef RUN_GENERATE_PRIVATE_H
#define RUN_GENERATE_PRIVATE_H

#include "run/run_private.h"

enum { MOST_PARTS = 64, MOST_TILINGS = 4 };

typedef struct generation {
    const program *program;
    const ir *code;
    /* an unopened run; some functions need only its description */
    const pav_run *run;
    const pav_write_options *options;
    const char *name;       /* name of the program and its files */
    text *field;            /* the identifier of each field: "F0_u" */
    bool gpu;               /* steps run on one or several GPUs */
    int parts;              /* subdomains of the grid */
    int gpu_of[MOST_PARTS]; /* GPU number of each subdomain; -1: processors */
    double share[MOST_PARTS];
    schedule schedule;   /* the requested schedule of its GPU kernels */
    bool *used;          /* for each stage: the program calls it */
    bool *early, *later; /* for each stage: called at the start; called after it */
    int *border;         /* for each stage: the field of its border, or -1 */
    point_set *injection;
    point_set *sample; /* in the order of the statements */
    int64_t samples;
    bool points, reductions; /* there are any */
    ir_blocking blocking;    /* skews of a program with time tiles */
    int tilings;             /* candidates; 0: single steps */
    struct tiling {
        int64_t depth, across, along;
    } tiling[MOST_TILINGS];
} generation;

/* generate_source.c: identifiers: "total" for a measure's statement. name_fields sets
 * `field`. */
void add_identifier(const char *word, text *t);
pav_status name_fields(generation *g);
void add_string(const char *string, text *t);    /* a quoted C string */
void add_comment(const char *words, text *t);    /* escaped for a comment */
const char *program_file_name(const char *path); /* the last part of a path */
pav_status program_name_of(const program *p, const char *asked, text *name);

/* generate_source.c. find_stages sets `used`, `early`, `later`, `border`; add_source
 * writes PROGRAM.c. */
pav_status find_stages(generation *g);
pav_status add_source(const generation *g, text *t);

/* generate_steps.c */
pav_status add_tables_and_stages(const generation *g, text *t);
void add_stage_call(const generation *g, int stage, text *t); /* with its full box */

/* generate_steps.c: the start, a step, and the numbers printed between steps. */
void add_start(const generation *g, text *t);
void add_step(const generation *g, text *t);
void add_numbers(const generation *g, text *t);

/* generate_tiles.c. find_tilings sets `blocking`, `tilings`, `tiling`. The others write
 * the constants for tiles, and the operations of a step. */
pav_status find_tilings(generation *g);
void add_tile_numbers(const generation *g, text *t);
void add_tile_operations(const generation *g, text *t);

/* generate_source.c */
pav_status open_points(generation *g);
void close_points(generation *g);
void add_injections(const generation *g, text *t);

/* generate_main.c: the other files. */
pav_status add_main(const generation *g, text *t);
void add_header(const generation *g, text *t);
void add_makefile(text *t);
/* -fno-builtin-exp and the like, for a Makefile. LISTED_FUNCTION: words for CMake. */
void add_no_builtins(text *t);
#define LISTED_FUNCTION(NAME, word, ...) " " #word
void add_cmake(text *t);
void add_readme(const generation *g, text *t);

/* generate_cuda.c. add_part copies the lines of a text of src/kernels/program selected by
 * `#if ON_GPU` and the like: ON_CPU, ON_TILES, ON_SINGLE (without tiles), ON_TABLES.
 * runs_on_gpu: the program launches a kernel for this stage. */
void add_part(const generation *g, const char *source, text *t);
bool runs_on_gpu(const generation *g, int64_t stage);
void add_gpu_header(const generation *g, text *t);
pav_status add_cuda(const generation *g, text *t);
void add_cuda_makefile(text *t);
void add_cuda_cmake(text *t);

/* generate_source.c: values from files */
bool program_reads_files(const generation *g);
void add_reading(const generation *g, const ir_start *s, text *t);
void add_input_path(const generation *g, const char *directory, int64_t field, text *t);
pav_status check_input_files(const generation *g);
pav_status write_input_files(const generation *g, const char *directory);

/* A list of events of the program, in the order of their numbers. */
typedef struct event_group {
    const ir_event_list *list;
    const char *word; /* "MEASURE" */
} event_group;
enum { EVENT_GROUPS = 3 };
void event_groups(const ir *code, event_group group[EVENT_GROUPS]);
void add_event_name(const event_group *group, int64_t number, text *t);

#endif
