/* SPDX-License-Identifier: BSD-3-Clause */
/* exec: a subdomain, which is a box of the grid with its halo at one place, and the executor that takes its steps
 * there. Nothing above asks which device that is. */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include "base/base.h"
#include "device/device.h"
#include "domain/domain.h"
#include "interp/interp.h"
#include "plan/plan.h"

/* ---- executor ----------------------------------------------------------------------------- */

/* Runs stages in another way than a stage_runner: with something made ready once for the run. */
typedef struct executor executor;
struct executor {
    pav_status (*stage)(executor *self, const interp_args *args);
    bool (*tuned)(const executor *self);
    const char *(*schedule)(const executor *self);
    void (*close)(executor *self);
};

/* How stages are executed: interp_stage, or interp_stage_slow for checks. */
typedef pav_status (*stage_runner)(const interp_args *args);

/* ---- subdomain (subdomain.c) -------------------------------------------------------------- */

/* Positions of an injection or a sample, with their neighbours and weights worked out: those of position `row` are
 * first[row] .. first[row + 1] - 1. */
typedef struct point_set {
    int64_t count, neighbours, capacity;
    int64_t *first;
    int64_t (*index)[MAX_DIM];
    double *weight;
    double *position; /* dim coordinates each */
} point_set;

/* Between steps view[f][0] of an updated field is the buffer that the next step writes; in a run on a GPU the views
 * point into the GPU's memory, and are not for the host. */
typedef struct subdomain {
    ir *code;           /* of its box; not its own */
    executor *executor; /* in place of the runner; or NULL */
    stage_runner runner;
    levels *field;  /* of every field of the IR */
    bool passes;    /* fields have buffers for several steps in one launch of a GPU */
    bool plain;     /* rows of fields on a GPU have no padding, whatever the schedule */
    uint64_t *kept; /* of each field: buffers whose border needs no more filling */
    const view **views;       /* all pointers behind `view` */
    const view *const **view; /* [field][1 - level] */
    double **table_memory;    /* from index -margin */
    const double **table;     /* from index 0 */
    double *uniform;
    point_set *injection; /* of every injection of the IR */
    int64_t step;         /* that level 0 of its fields is of */
} subdomain;

/* Lists of fields and their borders, none of which has memory yet. */
pav_status subdomain_open_fields(subdomain *part);
/* Once all fields have memory: views and uniform slots. */
pav_status subdomain_open_values(subdomain *part);
pav_status subdomain_fill_tables(subdomain *part);
void subdomain_release(subdomain *part);
int64_t subdomain_table_count(const ir *code, const ir_table *table); /* doubles */
int64_t subdomain_table_bytes(const ir *code);
/* The views name the levels as they are now: after every rotation. */
void subdomain_refresh_views(subdomain *part);
/* Levels of all updated fields, so many times. */
void subdomain_rotate(subdomain *part);
double subdomain_step_time(const subdomain *part); /* dt */
/* Uniform slots are those of a step. */
void subdomain_set_time(subdomain *part, int64_t step);

#endif
