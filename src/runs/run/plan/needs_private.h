/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: estimates before a run begins, of its needs of memory and
 * disks, and plans. */
#ifndef RUN_NEEDS_PRIVATE_H
#define RUN_NEEDS_PRIVATE_H

#include "run/cost/cost_private.h"
#include "run/run_private.h"

/* Bytes that a run needs of each store, known before any allocation. A store is a memory
 * or a file system. */
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
    NEED_SURE, /* exactly this number of bytes */
    NEED_AT_MOST,
    NEED_SPARE, /* uses free memory only, and works without */
} need_surety;

typedef struct need_item {
    need_kind kind;
    need_surety surety;
    int store;
    char *name; /* name of a field or file; or NULL */
    int64_t bytes;
    int64_t count;    /* levels, tables, positions, files, rows */
    levels_size size; /* for a field */
    const ir_field *field;
} need_item;

/* The host's memory comes first, then the memories of GPUs, then file systems. */
enum { STORE_HOST };
typedef enum need_tier { TIER_HOST, TIER_GPU, TIER_DISK } need_tier;
typedef struct need_store {
    need_tier tier;
    char *name;     /* directory on the file system; name of the GPU; NULL for the host */
    uint64_t which; /* number of the file system */
    int64_t available;  /* -1: unknown */
    int64_t sure, most; /* bytes: sure needs; with NEED_AT_MOST added */
} need_store;

typedef struct needs {
    int64_t items, stores;
    need_item *item;
    need_store *store;
} needs;

/* needs.c */
extern const char *const need_names[]; /* by need_kind: "field", "tables", ... */
/* Adds all needs of known size: fields, tables, values of reductions, the buffer of
 * checkpoints. */
pav_status needs_memory(const pav_run *run, needs *n);
void needs_free(needs *n);

/* needs.c: files for reading and writing: their bytes on disks, and their
 * buffers in memory. */
pav_status needs_files(const pav_run *run, needs *n);

/* The same if the sure needs of some memory exceed it; else PAV_OK. */
pav_status needs_fit(const pav_run *run, const needs *n, const char *advice);

/* ---- plans ------------------------------------------------------------------------- */

typedef struct plan_stage {
    const ir_stage *stage;
    stage_load load;
    loop_tuner loop_tuner; /* tuner of the host's loops */
    stage_forecast forecast;
    double seconds; /* at least; 0 if all data may stay in caches */
} plan_stage;

/* stability.c: the longest stable step of a wave equation, with its initial
 * coefficients. */
typedef struct plan_wave {
    bool is, known;
    char *why; /* why its coefficients are unknown; or NULL */
    wave_limit limit;
    double dt, least[WAVE_COEFFICIENTS], most[WAVE_COEFFICIENTS];
} plan_wave;

struct pav_plan {
    pav_run *run; /* not started */
    needs needs;
    plan_wave wave;
    int64_t stages, caches; /* caches: bytes of the caches of the run's threads */
    plan_stage *stage;
    time_choice *blocks;  /* NULL: the device takes single steps */
    launch_list launches; /* fused launches among the candidates */
    char *single;         /* the reason for single steps; or NULL */
    double copy_rate;     /* bytes a second; 0: not known */
    bool measured;
    double seconds;          /* seconds of a step */
    exchange_cost *exchange; /* for a decomposed grid, from run_exchange_costs; or NULL */
    cost_list *costs;        /* costs of all schedules; NULL: unknown */
    /* The schedule from wisdom, with measured seconds; 0: not in wisdom. */
    cost_candidate known;
    double modelled; /* its seconds by the model; 0: unknown */
    pav_status verdict;
    char *why; /* or NULL */
};

bool plan_is_cached(const pav_plan *plan); /* all data of a step may stay in caches */
/* Writes a part of a plan as text, or as members of its JSON object: all of it
 * (plan_print.c); time blocks; the predicted seconds of the fastest schedule, their
 * parts, and reasons against the other schedules (plan.c); subdomains
 * (plan_subdomains.c); the stability of waves (observe/stability.c). */
typedef void plan_writer(const pav_plan *plan, text *t);
plan_writer plan_text, plan_json, plan_blocks_text, plan_costs_text, plan_costs_json,
    plan_subdomains_text, plan_subdomains_json, plan_wave_text, plan_wave_json;
/* planes of the files kept in host memory */
int64_t outofcore_cached_bytes(const pav_run *run);
/* outofcore/report.c */
void plan_outofcore(const pav_plan *plan, bool json, text *t);
pav_status plan_find_wave(pav_plan *plan);
/* points.c: sources and receivers in an absorbing layer, if the description has
 * their positions. */
void plan_add_layers(const pav_run *run, text *t);

#endif
