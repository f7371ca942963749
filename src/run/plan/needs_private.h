/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run by what is known before a run begins: what it needs of memory and
 * disks, and plans. */
#ifndef RUN_NEEDS_PRIVATE_H
#define RUN_NEEDS_PRIVATE_H

#include "run/cost/cost_private.h"
#include "run/run_private.h"

/* What a run takes of every store that keeps bytes, found before any of it is taken. A
 * store is the memory of the host or a file system; the memory of another device is one
 * more line here. */
typedef enum need_kind {
    NEED_FIELD,
    NEED_WINDOW,
    NEED_COPIES,
    NEED_VERIFY,
    NEED_SOLVER,
    NEED_TABLES,
    NEED_REDUCTIONS,
    NEED_CHECKPOINT,
    NEED_POSITIONS,
    NEED_READING,
    NEED_WRITING,
    NEED_QUEUE,
    NEED_OUTPUT,
    NEED_ROWS,
    NEED_STAGED,
    NEED_CACHED,
    NEED_DISK,
    NEED_DRIVER,
} need_kind;
typedef enum need_surety {
    NEED_SURE, /* so many bytes */
    NEED_AT_MOST,
    NEED_SPARE, /* taken of what is left, and done without where nothing is */
} need_surety;

typedef struct need_item {
    need_kind kind;
    need_surety surety;
    int store;
    char *name; /* of a field, a file; or NULL */
    int64_t bytes;
    int64_t count;    /* levels, tables, positions, files, rows */
    levels_size size; /* of a field */
    const ir_field *field;
} need_item;

/* The host's memory is the first, those of GPUs follow where there are any; then file
 * systems. */
enum { STORE_HOST };
typedef enum need_tier { TIER_HOST, TIER_GPU, TIER_DISK } need_tier;
typedef struct need_store {
    need_tier tier;
    char *name; /* of a file system: a directory on it; of a GPU: its; of the host NULL */
    uint64_t which;     /* file system */
    int64_t available;  /* -1: unknown */
    int64_t sure, most; /* bytes needed; most: with those at most */
} need_store;

typedef struct needs {
    int64_t items, stores;
    need_item *item;
    need_store *store;
} needs;

/* run_needs.c */
const char *need_name(need_kind kind); /* "field", "tables", ... */
/* Fields, tables, values of reductions, the buffer of checkpoints: all that is of some
 * size for sure. */
pav_status needs_memory(const pav_run *run, needs *n);
/* run_needs_copies.c: levels on a GPU that the host has, too; its driver. */
pav_status needs_copies(const pav_run *run, needs *n);
/* `name` is copied. */
pav_status needs_add(needs *n, const need_item *what, const char *name);
/* The number of the file system that a path is on, or would be. */
pav_status needs_find_disk(needs *n, const char *path, int *store);
void needs_free(needs *n);

/* run_needs_files.c: files that are read and written, on disks and what they take of
 * memory. */
pav_status needs_files(const pav_run *run, needs *n);

/* run_refusal.c: the sentence of a run that needs more memory than a store, of this
 * number, has available. */
pav_status run_refuse_memory(const pav_run *run, const needs *n, int64_t number,
                             const char *advice);
/* The same where a store of memory does not hold what is sure; PAV_OK where they do. */
pav_status needs_fit(const pav_run *run, const needs *n, const char *advice);

/* ---- plans ------------------------------------------------------------------------- */

typedef struct plan_stage {
    const ir_stage *stage;
    stage_load load;
    loop_tuner loop_tuner; /* of the host */
    stage_forecast forecast;
    double seconds; /* at least; 0 where all may stay in caches */
} plan_stage;

/* run_plan_wave.c: what a wave equation allows with the coefficients of its start. */
typedef struct plan_wave {
    bool is, known;
    char *why; /* its coefficients are not known; or NULL */
    wave_limit limit;
    double dt, least[WAVE_COEFFICIENTS], most[WAVE_COEFFICIENTS];
} plan_wave;

struct pav_plan {
    pav_run *run; /* not begun */
    needs needs;
    plan_wave wave;
    int64_t stages, caches; /* caches: bytes of those that the threads use */
    plan_stage *stage;
    time_choice *blocks;  /* NULL: the device takes single steps */
    launch_list launches; /* of several steps, that are candidates */
    char *single;         /* why it must; or NULL */
    double copy_rate;     /* bytes a second; 0: not known */
    bool measured;
    double seconds;          /* of a step */
    exchange_cost *exchange; /* of a cut grid, as of run_exchange_costs; or NULL */
    cost_list *costs;        /* of all schedules; NULL: there are none */
    /* What wisdom says that the run takes, with measured seconds; 0: it knows nothing. */
    cost_candidate known;
    double modelled; /* its seconds by the model; 0: not known */
    pav_status verdict;
    char *why; /* or NULL */
};

bool plan_is_cached(const pav_plan *plan); /* all that a step moves may stay in caches */
/* run_plan_text.c, run_plan_json.c */
void plan_text(const pav_plan *plan, text *t);
/* run_plan_time.c: of several steps at once. */
pav_status plan_blocks(pav_plan *plan);
void plan_blocks_close(pav_plan *plan);
const char *plan_untried(const pav_plan *plan); /* why no time block is tried */
void plan_blocks_text(const pav_plan *plan, text *t);
void plan_blocks_json(const pav_plan *plan, text *t);
/* run_plan_costs.c: the seconds of the fastest schedule, what they are made of, and why
 * not another one. */
pav_status plan_costs(pav_plan *plan);
const cost_candidate *plan_expected(const pav_plan *plan); /* or NULL */
void plan_costs_text(const pav_plan *plan, text *t);
void plan_costs_json(const pav_plan *plan, text *t);
/* run_plan_subdomains.c */
void plan_drawing_text(const decomposition *d, int dim, text *t); /* of a cut grid */
void plan_subdomains_text(const pav_plan *plan, text *t);
void plan_subdomains_json(const pav_plan *plan, text *t);
/* outofcore_disk.c: bytes of the host's memory for planes on their way; how many disks
 * there are, and bytes on each; directories on them. */
int64_t outofcore_staged_bytes(const pav_run *run);
int64_t outofcore_cached_bytes(const pav_run *run); /* planes of files that stay there */
int outofcore_disks(const pav_run *run, int64_t *bytes);
const char *outofcore_disk(const pav_run *run, int number);
/* outofcore_text.c */
void plan_outofcore_text(const pav_plan *plan, text *t);
void plan_outofcore_json(const pav_plan *plan, text *t);
/* run_plan_launches.c: the same where a launch takes them. */
pav_status plan_launches(pav_plan *plan);
void plan_launches_text(const pav_plan *plan, text *t);
void plan_launches_json(const pav_plan *plan, text *t);
void plan_json(const pav_plan *plan, text *t);
pav_status plan_find_wave(pav_plan *plan);
void plan_wave_text(const pav_plan *plan, text *t);
void plan_wave_json(const pav_plan *plan, text *t);
/* run_layer_check.c: sources and receivers that lie in an absorbing layer, where the
 * description has their positions. */
void plan_add_layers(const pav_run *run, text *t);

#endif
