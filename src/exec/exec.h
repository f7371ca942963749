/* SPDX-License-Identifier: BSD-3-Clause */
/* exec: a subdomain, which is a box of the grid with its halo at one place, and the executor that takes its steps
 * there. Nothing above asks which device that is. */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include "base/base.h"
#include "device/device.h"
#include "domain/domain.h"
#include "interp/interp.h"
#include "io/io.h"
#include "plan/plan.h"

/* ---- executor ----------------------------------------------------------------------------- */

/* Who reads or writes a level on the host: to read, to change, or to give all points new values. */
typedef enum host_use { HOST_READ, HOST_CHANGE, HOST_FILL } host_use;

typedef struct executor executor;
typedef struct subdomain subdomain;

/* How an executor is set at present, for reports and for who chooses numbers of steps. */
typedef struct executor_figures {
    const char *name; /* of what it runs on, beside that of the device; NULL: threads */
    int crossing;     /* steps that are one crossing of memory */
    int depth;        /* steps that it may take at once, and the single one after them */
    int least;        /* the fewest of those */
    int shorter;      /* steps of its shorter launches; 0: it has none */
    int64_t bytes;    /* that it took of memory of its own */
    bool behind;      /* the oldest levels are not those of the present step */
} executor_figures;

/* What an executor does. The host's, which keeps fields in the host's memory and is done when it returns, has
 * executor_host_ops; others begin with a copy of those and put their own in their place. v: of part->field. */
typedef struct executor_ops {
    pav_status (*stage)(executor *self, const interp_args *args);
    bool (*tuned)(const executor *self);
    const char *(*schedule)(const executor *self);
    void (*close)(executor *self);
    /* What was asked for is done. */
    pav_status (*wait)(executor *self);
    /* Memory of one field, filled; then once all fields and views are there; then once the tables are. */
    pav_status (*take_field)(executor *self, int64_t field, const field_shape *shape,
                             progress_sink *progress);
    pav_status (*place_views)(executor *self);
    pav_status (*fill_tables)(executor *self);
    /* The level for the host; range: the points that are read, or NULL: all, with what is around them. */
    pav_status (*host_view)(executor *self, int64_t field, const view *v, host_use how,
                            const box *range, const view **host);
    /* from: NULL for zeros. */
    pav_status (*copy_points)(executor *self, int field, const view *to, const view *from,
                              progress_sink *progress);
    /* *any: whether a point of the box is not finite; the first one. */
    pav_status (*find_not_finite)(executor *self, int field, const view *v,
                                  const box *range, int64_t *point, bool *any);
    /* In a run for measurements, some numbers for what a stage would be slow to give here; else *done is false. */
    pav_status (*fill_roughly)(executor *self, const ir_stage *s, int field,
                               const view *v, bool *done);
    pav_status (*begin)(executor *self); /* the start is over */
    /* Around the stages of a single step; whether the last call of a stage filled the borders of what it stored. */
    pav_status (*begin_step)(executor *self);
    pav_status (*end_step)(executor *self);
    bool (*fills_borders)(const executor *self, const ir_stage *s);
    /* Adds at the points of injection `index`; *done is false where its stage is to be run at each of them. */
    pav_status (*inject)(executor *self, int64_t index, bool *done);
    /* The next steps, at most so many; *done is false where the run takes them stage by stage. */
    pav_status (*advance)(executor *self, int64_t most, bool *done);
    executor_figures (*figures)(const executor *self);
    /* What it goes by, with all settings. */
    void (*describe)(const executor *self, text *t);
    /* Of a step: bytes that it moves where no cache hands anything from tile to tile, seconds that its arithmetic takes at
     * least; 0: not known. */
    pav_status (*limits)(const executor *self, double *bytes, double *seconds);
} executor_ops;

struct executor {
    executor_ops ops;
    subdomain *part;
    host_team *team; /* NULL: the caller alone */
    bool compiled;   /* its stages are kernels */
    bool
        far; /* its fields are not in the host's memory, and it is not done when it returns */
};

/* How stages are executed: interp_stage, or interp_stage_slow for checks. */
typedef pav_status (*stage_runner)(const interp_args *args);
/* interp/exec_interp.c: one that knows no schedule. */
pav_status exec_interp_open(subdomain *part, stage_runner runner, executor **result);

/* executor.c */
extern const executor_ops executor_host_ops;
/* The one that the subdomain has now, if any, is closed. */
void subdomain_use(subdomain *part, executor *e);

/* ---- subdomain (subdomain.c) -------------------------------------------------------------- */

/* Positions of an injection or a sample, with their neighbours and weights worked out: those of position `row` are
 * first[row] .. first[row + 1] - 1. */
typedef struct point_set {
    int64_t count, neighbours, capacity;
    int64_t *first;
    int64_t (*index)[MAX_DIM];
    double *weight;
    double *position; /* dim coordinates each */
    trace_table
        trace; /* an injection's from a file: of all positions, or one for each; or none */
} point_set;

/* The factor of position `row` at a step: 1 where there are no traces, 0 behind their end (signals.c). */
double point_signal(const point_set *set, int64_t row, int64_t step);
int64_t point_row(const point_set *set, int64_t neighbour); /* whose neighbour it is */

/* Between steps view[f][0] of an updated field is the buffer that the next step writes; in a run on a GPU the views
 * point into the GPU's memory, and are not for the host. */
struct subdomain {
    ir *code; /* of its box; not its own */
    executor *executor;
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
};

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
