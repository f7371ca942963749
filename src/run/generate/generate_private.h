/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside generate only: a stand-alone program as text. What it does at run time is
 * C in src/kernels/program; what depends on the description is written here, part by
 * part, in the order in which it stands in the file. */
#ifndef RUN_GENERATE_PRIVATE_H
#define RUN_GENERATE_PRIVATE_H

#include "run/run_private.h"

enum { MOST_PARTS = 64, MOST_TILINGS = 4 };

typedef struct generation {
    const program *program;
    const ir *code;
    /* not opened: what the parts of a run that only look at the description need */
    const pav_run *run;
    const pav_write_options *options;
    const char *name;       /* of the program and its files */
    bool gpu;               /* its steps are for one, or several */
    int parts;              /* of the grid */
    int gpu_of[MOST_PARTS]; /* of each its number; -1: the processors */
    double share[MOST_PARTS];
    schedule schedule;   /* asked for of its kernels there */
    bool *used;          /* of each stage: the program calls it */
    bool *early, *later; /* at the start; after it */
    int *border;         /* of each stage: the field whose border it gives, or -1 */
    point_set *injection;
    point_set *sample; /* in the order of their statements */
    int64_t samples;
    bool points, reductions; /* there are some */
    ir_blocking blocking;    /* of a program whose steps are taken in time tiles */
    int tilings;             /* that it tries; 0: it takes single steps */
    struct tiling {
        int64_t depth, across, along;
    } tiling[MOST_TILINGS];
} generation;

/* generate_names.c: identifiers. "F0_u" of a field; "total" of a measure's statement. */
void add_identifier(const char *word, text *t);
void add_field(const generation *g, int64_t field, text *t);
void add_string(const char *string, text *t);    /* quoted, as C has it */
void add_comment(const char *words, text *t);    /* as it may stand inside one */
const char *program_file_name(const char *path); /* without its folders */
pav_status program_name_of(const program *p, const char *asked, text *name);

/* generate_source.c: sets `used`, `early`, `later`, `border`; PROGRAM.c. */
pav_status find_stages(generation *g);
pav_status add_source(const generation *g, text *t);

/* generate_stages.c */
pav_status add_tables_and_stages(const generation *g, text *t);
void add_stage_call(const generation *g, int stage, text *t); /* with its whole box */

/* generate_fields.c: numbers of fields and uniforms, the memory of fields, what lies
 * beyond their faces. */
void add_constants(const generation *g, text *t);
pav_status add_fields(const generation *g, text *t);
void add_faces(const generation *g, text *t);

/* generate_steps.c: start and step; numbers asked for between steps. */
void add_start(const generation *g, text *t);
void add_step(const generation *g, text *t);
void add_numbers(const generation *g, text *t);

/* generate_tiles.c: sets `blocking`, `tilings`, `tiling`; numbers that the text of tiles
 * needs, and what a step is made of there. */
pav_status find_tilings(generation *g);
void add_tile_numbers(const generation *g, text *t);
void add_tile_operations(const generation *g, text *t);

/* generate_points.c */
pav_status open_points(generation *g);
void close_points(generation *g);
void add_points(const generation *g, text *t);
void add_injections(const generation *g, text *t);
void add_samples(const generation *g, text *t);

/* generate_main.c, generate_texts.c: the other files. */
pav_status add_main(const generation *g, text *t);
void add_header(const generation *g, text *t);
void add_makefile(text *t);
void add_cmake(text *t);
void add_readme(const generation *g, text *t);

/* generate_cuda.c: of texts of src/kernels/program those lines that `#if ON_GPU` or
 * the like leaves: ON_CPU, ON_TILES, ON_SINGLE (without tiles), ON_TABLES;
 * whether a stage has a kernel that the program launches, and by which schedule. */
void add_part(const generation *g, const char *source, text *t);
bool runs_on_gpu(const generation *g, int64_t stage);
schedule program_schedule_of(const generation *g, int64_t stage);
void add_gpu_header(const generation *g, text *t);
pav_status add_cuda(const generation *g, text *t);
void add_cuda_makefile(text *t);
void add_cuda_cmake(text *t);

/* generate_devices.c: sets `gpu`, `parts`, `gpu_of`, `share`; whether the grid can be
 * shared out. */
pav_status find_devices(generation *g);
pav_status refuse_parts(const generation *g);

/* generate_files.c */
bool program_reads_files(const generation *g);
void add_reading(const generation *g, const ir_start *s, text *t);
void add_input_path(const generation *g, const char *directory, int64_t field, text *t);
pav_status write_input_files(const generation *g, const char *directory);

/* generate_place.c: nothing is there in place of a file but what was generated. */
pav_status check_place(const generation *g, const char *directory);

/* generate_refusal.c */
pav_status refuse_program(const generation *g);

/* A list of events of the program, in the order of its numbers. */
typedef struct event_group {
    const ir_event_list *list;
    const char *word; /* "MEASURE" */
} event_group;
enum { EVENT_GROUPS = 3 };
void event_groups(const ir *code, event_group group[EVENT_GROUPS]);
void add_event_name(const event_group *group, int64_t number, text *t);

#endif
