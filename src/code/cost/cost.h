/* SPDX-License-Identifier: BSD-3-Clause */
/* cost: models of the seconds of a step of a program, by a schedule on a machine, and the
 * terms of this time. They need no compiled kernel. A model of another kind of schedule
 * is one more function of cost_private.h. */
#ifndef COST_COST_H
#define COST_COST_H

#include "base/base.h"
#include "codegen/codegen.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

/* ---- one entry point (cost_step.c) ------------------------------------------------- */

/* Terms of the time of a step. On a GPU memory, caches and arithmetic overlap; on
 * processors they add up. The other terms are added on top. */
typedef enum cost_term {
    COST_MEMORY,
    COST_CACHE,
    COST_ARITHMETIC,
    COST_SYNCHRONISE, /* persistent blocks with their neighbours; halos of subdomains;
                       * planes over the link out of core */
    COST_LAUNCH,      /* of kernels; of work for a team */
    COST_IDLE,        /* units without work */
    COST_TERMS
} cost_term;
const char *cost_term_name(cost_term term); /* "memory" */

typedef struct step_cost {
    double seconds;          /* of a step; 0: unknown rates */
    double term[COST_TERMS]; /* seconds each */
    double bytes;            /* memory traffic of a step */
    schedule schedule;       /* the schedule with its defaults filled in */
} step_cost;

/* A question: the seconds of a step of a program, by a schedule (not auto) on a machine.
 * NULL members are worked out: the launch, the skews of time blocks; also the seconds of
 * arithmetic if 0. Alternatives: `box` and `load` ask for one stage by a loop schedule,
 * without arithmetic; `subdomain`, or `visits` of a grid out of core, ask for a step of
 * these in place of program and schedule. */
typedef struct cost_question {
    const ir *code;
    const schedule *schedule;
    const machine_facts *machine;
    const struct cost_launch *launch;
    const ir_blocking *blocking;
    double arithmetic;
    const box *box;
    const struct cost_load *load;
    const struct cost_subdomain *subdomain;
    const struct cost_visits *visits;
} cost_question;

/* The only entry point for costs. PAV_EUNSUPPORTED if the schedule is not legal for the
 * program (emit_legal); callers with a launch or skews have checked this before. */
pav_status cost_forecast(const cost_question *q, step_cost *c);
const char *cost_bound(const step_cost *c); /* name of the largest term */

double cost_points_of(const ir *code); /* of the grid */

/* ---- least traffic and arithmetic of a step (cost_step.c) -------------------------- */

/* Costs of a stage, counted from the IR. */
typedef struct stage_load {
    double points, flops; /* points: 0 at rest; flops: of a point */
    double streamed;      /* flops in a sweep with carried values */
    double instructions;  /* of the flops; an fma counts once */
    double reads;         /* loads of a point */
    double again;         /* bytes of loads from fields that no step updates */
    double bytes;         /* of a point, loaded and stored */
} stage_load;
pav_status stage_load_of(const ir *code, const ir_stage *s, stage_load *load);

/* ---- a stage on processors (cost_processors.c) ------------------------------------- */

typedef struct cost_load {
    int64_t point_bytes;  /* of all levels touched, of a level and its successor once */
    int64_t overwritten;  /* bytes stored over levels that are loaded */
    int64_t loaded_bytes; /* of all levels loaded */
    int64_t rows, planes; /* largest extent of loads of one level, along y and z */
    int64_t element;      /* bytes of the largest element */
    int64_t levels;       /* number of levels touched */
} cost_load;
cost_load cost_load_of(const ir *code, const ir_stage *stage, const emit_slot *slot,
                       int64_t slots);
pav_status cost_load_of_stage(const ir *code, const ir_stage *stage, cost_load *load);

/* ---- a stage on a GPU (cost_gpu.c) ------------------------------------------------- */

enum { COST_FIRST_PLANES = 16 }; /* planes of a sweep, without better knowledge */
/* Memory traffic of all points of a stage, by emit_gpu_footprint; settled: its schedule
 * without defaults. */
pav_status cost_stage_bytes(const ir *code, const ir_stage *stage,
                            const schedule *requested, schedule *settled, double *bytes);

/* ---- a fused launch on a GPU (cost_gpu.c) ------------------------------------------ */

typedef struct cost_launch {
    const ir *code;
    const emit_gpu_fused *what;
    const gpu_facts *gpu;
    int64_t stored;  /* planes stored by a visit; 0: all */
    int64_t at_once; /* blocks resident on the GPU; 0: by the facts */
} cost_launch;
/* Planes swept by a block, and by the block of a tail tile (0: the same number). */
typedef struct cost_sweep {
    int64_t planes, tail;
} cost_sweep;
/* Sweeps for a launch, the best by the model first. cost: planes swept by one
 * multiprocessor, in hundredths. */
enum { COST_SWEEPS = 8 };
typedef struct cost_sweep_list {
    int count;
    cost_sweep sweep[COST_SWEEPS];
    int64_t cost[COST_SWEEPS];
} cost_sweep_list;
void cost_sweeps(const cost_launch *l, cost_sweep_list *list);
/* The requested sweep, or the best one; 0 planes: persistent blocks. */
cost_sweep cost_first_sweep(const cost_launch *l, const schedule *requested);
/* The work of a launch with this sweep, without its steps. */
emit_gpu_fused_work cost_sweep_work(const cost_launch *l, cost_sweep sweep);
/* Memory traffic of a point and launch. */
double cost_launch_bytes(const cost_launch *l, cost_sweep sweep);

/* ---- time tiles on processors (cost_processors.c) ---------------------------------- */

/* Bytes of a point. touched: all levels that a step reads or writes. moved: bytes to and
 * from memory in a time block, if its tiles fit in a cache. */
typedef struct cost_traffic {
    double touched, moved;
} cost_traffic;
pav_status cost_traffic_of(const ir *code, const ir_blocking *b, cost_traffic *t);
/* Skew of a time block along an axis in points, including the reads of its operations. */
int64_t cost_skew(const ir_blocking *b, int axis, int depth);
/* Memory traffic of a point and step by skewed tiles, in time blocks of `steps` steps on
 * average. */
double cost_tile_bytes(const cost_traffic *t, const ir_blocking *b, int column,
                       const schedule *s, double steps);
/* Largest lag between two steps or two operations of a step. Boundaries that turn back
 * move by this lag in each step. */
int cost_column_skew(const ir_blocking *b, int axis);
/* The same for tiles with turning boundaries, in time blocks of `steps` steps. */
double cost_turning_bytes(const cost_traffic *t, const ir_blocking *b, int column,
                          const schedule *s, int steps);
/* ---- a subdomain of a cut grid (cost_step.c) --------------------------------------- */

typedef struct cost_subdomain {
    double points;      /* in a step, of all subdomains of its place */
    double point_bytes; /* of a point */
    int stages;
    int faces; /* faces with halos; the slowest of their links counts */
    halo_cost link;
    double halo_bytes; /* of all halos in an exchange */
    int steps;         /* between two exchanges */
    bool hides;        /* halos travel during computing */
} cost_subdomain;

/* ---- a grid out of core (cost_step.c) ---------------------------------------------- */

typedef struct cost_visits {
    /* Bytes of one plane of all fields: uploaded and downloaded in each block, loaded and
     * stored in a step, and of all buffers; number of buffers. */
    double uploaded, downloaded, step, all, buffers;
    double kernels; /* seconds of a step of all planes in core; 0: from their bytes */
    /* Planes: of the grid; of a visit; moved within the window; of the window; additional
     * planes drained by the last visit. */
    double extent, width, kept, window, drained;
    double stay;   /* planes that stay on the device */
    double visits; /* of a block */
    bool again;    /* planes shared by two visits are sent twice instead of kept */
    /* Steps of a block; number of its launches, and their depth; stages of a step;
     * overlaps of launches and of stages, in planes. */
    int steps, launches, depth, stages, radius, halo;
    bool overlaps, pinned; /* the link is busy during computing; the memory is pinned */
    bool ends;             /* nothing is computed while the first window fills */
    double disk;           /* bytes a second, of fields on disk; 0: no disk */
    double missing;        /* share of the planes not held in the host's memory */
} cost_visits;

pav_status cost_arithmetic(const ir *code, const machine_facts *m, double *seconds);

#endif
