/* SPDX-License-Identifier: BSD-3-Clause */
/* cost: the seconds that a step of a program takes by a schedule on a machine, and the
 * terms that they are made of, by models, before anything is compiled. A model of another
 * kind of schedule is one more function of models_private.h. */
#ifndef COST_COST_H
#define COST_COST_H

#include "base/base.h"
#include "codegen/codegen.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

/* ---- one entry point (cost_step.c) ------------------------------------------------- */

/* Where the time of a step goes. On a GPU memory, caches and arithmetic go on at once; on
 * processors they add up; what is left comes on top. */
typedef enum cost_term {
    COST_MEMORY,
    COST_CACHE,
    COST_ARITHMETIC,
    COST_SYNCHRONISE, /* blocks of a persistent kernel with their neighbours; halos of
                         subdomains; planes that cross the link out of core */
    COST_LAUNCH,      /* of kernels; of work for the threads of a team */
    COST_IDLE,        /* since not all units always have some */
    COST_TERMS
} cost_term;
const char *cost_term_name(cost_term term); /* "memory" */

typedef struct step_cost {
    double seconds;          /* of a step; 0: the machine's rates are not known */
    double term[COST_TERMS]; /* seconds each */
    double bytes;            /* of a step, to memory and from it */
    schedule schedule;       /* with defaults in place of what was left open */
} step_cost;

/* What is asked: the seconds of a step of a program by a schedule (not auto) on a
 * machine. What is NULL is found: the launch, skews of time blocks, and where it is 0 the
 * seconds of a step's arithmetic. With a box and a load in place of a program's step:
 * those of this stage by a loop schedule, without arithmetic. With a subdomain, or visits
 * of a grid out of core, in place of program and schedule: those of its step. */
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

/* The only way to ask what something costs. PAV_EUNSUPPORTED where the program cannot go
 * by the schedule, as emit_legal says; who gives a launch or skews has asked that. */
pav_status cost_forecast(const cost_question *q, step_cost *c);
const char *cost_bound(const step_cost *c); /* the name of its largest term */

double cost_points_of(const ir *code); /* of the grid */

/* ---- what a step moves and computes at least (stage_load.c) ------------------------ */

/* A stage, counted from the IR. */
typedef struct stage_load {
    double points, flops; /* flops: of a point */
    double streamed;      /* flops of a sweep, that holds what later planes need again */
    double instructions;  /* of those, an fma counted once */
    double reads;         /* values of fields that a point reads */
    double again;         /* bytes of those of fields that no step updates */
    double bytes;         /* of a point, read and written */
} stage_load;
pav_status stage_load_of(const ir *code, const ir_stage *s, stage_load *load);

/* ---- a stage on processors (cost_loops.c) ------------------------------------------ */

typedef struct cost_load {
    int64_t point_bytes;  /* of all levels that it touches */
    int64_t loaded_bytes; /* of those that it reads */
    int64_t rows, planes; /* the most of one level that it reads at once, along y and z */
    int64_t element;      /* bytes of the largest */
    int64_t levels;       /* that it touches */
} cost_load;
cost_load cost_load_of(const ir *code, const ir_stage *stage, const emit_slot *slot,
                       int64_t slots);
pav_status cost_load_of_stage(const ir *code, const ir_stage *stage, cost_load *load);

/* ---- a stage on a GPU (cost_stage.c) ----------------------------------------------- */

enum { COST_FIRST_PLANES = 16 }; /* of a sweep, where nothing else is known */
/* Bytes of all points of a stage, as of emit_gpu_footprint; settled: its schedule without
 * defaults. */
pav_status cost_stage_bytes(const ir *code, const ir_stage *stage,
                            const schedule *requested, schedule *settled, double *bytes);
/* Seconds of its launch in which multiprocessors would do nothing but wait for planes: as
 * many threads as they have room for, one plane after the other. */
pav_status cost_stage_waits(const ir *code, const ir_stage *stage,
                            const schedule *requested, const gpu_facts *gpu,
                            double *seconds);

/* ---- a fused launch on a GPU (cost_sweeps.c) --------------------------------------- */

typedef struct cost_launch {
    const ir *code;
    const emit_gpu_fused *what;
    const gpu_facts *gpu;
    int64_t stored;  /* planes that it stores, of a visit; 0: all */
    int64_t at_once; /* blocks that the GPU has at once; 0: as the facts say */
} cost_launch;
/* Planes that a block sweeps through; tail: of tiles that are left when others have
 * filled the GPU, 0: the same. */
typedef struct cost_sweep {
    int64_t planes, tail;
} cost_sweep;
/* The best by the model stand first. cost: planes in hundredths that one multiprocessor
 * sweeps through. */
enum { COST_SWEEPS = 8 };
typedef struct cost_sweep_list {
    int count;
    cost_sweep sweep[COST_SWEEPS];
    int64_t cost[COST_SWEEPS];
} cost_sweep_list;
void cost_sweeps(const cost_launch *l, cost_sweep_list *list);
/* The requested one, or the best; 0 planes: persistent blocks. */
cost_sweep cost_first_sweep(const cost_launch *l, const schedule *requested);
/* What a launch of such a sweep needs to know but for its steps. */
emit_gpu_fused_work cost_sweep_work(const cost_launch *l, cost_sweep sweep);
/* The mean number of planes that a block sweeps through; 0: persistent blocks. */
int64_t cost_sweep_mean(const cost_launch *l, const emit_gpu_fused_work *w);
/* Times the time of blocks that always fill the GPU and read nothing before their first
 * plane. */
double cost_sweep_idle(const cost_launch *l, cost_sweep sweep);
/* Of a point and launch. */
double cost_launch_bytes(const cost_launch *l, cost_sweep sweep);

/* ---- time tiles on processors (cost_tiles.c) --------------------------------------- */

/* Bytes of a point: of all levels that a step touches; and of those that a time block
 * moves to memory and from it. */
typedef struct cost_traffic {
    double touched, moved;
} cost_traffic;
pav_status cost_traffic_of(const ir *code, const ir_blocking *b, cost_traffic *t);
/* Points along an axis by which a time block is skewed, with what its operations read
 * ahead. */
int64_t cost_skew(const ir_blocking *b, int axis, int depth);
/* Of a point and step by skewed tiles: to memory, where time blocks have `steps` steps on
 * average. */
double cost_tile_bytes(const cost_traffic *t, const ir_blocking *b, int column,
                       const schedule *s, double steps);
/* The most that a step or an operation of it lags behind another: by so much boundaries
 * that turn move with each step. */
int cost_column_skew(const ir_blocking *b, int axis);
/* As cost_tile_bytes, of tiles whose boundaries turn, in time blocks of so many steps. */
double cost_turning_bytes(const cost_traffic *t, const ir_blocking *b, int column,
                          const schedule *s, int steps);
/* ---- a subdomain of a cut grid (cost_exchange.c) ----------------------------------- */

typedef struct cost_subdomain {
    double points;      /* of a step, of all subdomains of its place, */
    double point_bytes; /* and bytes of each */
    int stages;
    int faces; /* that have halos to receive, by the dearest link of them */
    halo_cost link;
    double halo_bytes; /* of all, of an exchange */
    int steps;         /* from one exchange to the next */
    bool hides;        /* halos travel while points are computed */
} cost_subdomain;

/* ---- a grid out of core (cost_visits.c) -------------------------------------------- */

typedef struct cost_visits {
    /* Bytes of one plane of all fields: that come and go each block, that a step reads
     * and stores, and of all buffers; and how many buffers. */
    double come, go, step, all, buffers;
    double kernels; /* seconds of a step of all planes in core; 0: by their bytes */
    /* Planes: of the grid; of a visit, and of those moved within the window; of the
     * window; and by how much more the last visit drains. */
    double extent, width, kept, window, drained;
    double stay;   /* on the device, of all */
    double visits; /* of a block */
    bool again;    /* what visits share is sent twice, in place of kept */
    /* Steps of a block; of these so many launches of `depth` each; stages of a step; what
     * launches and stages read around their planes. */
    int steps, launches, depth, stages, radius, halo;
    bool overlaps, pinned; /* planes cross the link meanwhile; of pinned memory */
    bool ends;             /* the first window fills while nothing is computed */
    double disk;           /* bytes a second, of fields on disk; 0: they are not */
    double missing;        /* of these, the part that the host does not hold */
} cost_visits;

pav_status cost_arithmetic(const ir *code, const machine_facts *m, double *seconds);

#endif
