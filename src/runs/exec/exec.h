/* SPDX-License-Identifier: BSD-3-Clause */
/* exec: a subdomain is a box of the grid with its halo at one place; its executor takes
 * steps there. The folders above exec never ask for the kind of device. */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include <string.h>

#include "base/base.h"
#include "cost/cost.h"
#include "device/device.h"
#include "domain/domain.h"
#include "exec/tuner_private.h"
#include "interp/interp.h"
#include "io/io.h"
#include "lang/lang.h"
#include "plan/plan.h"
#include "ranks/ranks.h"
#include "schedule/schedule.h"

/* For OWNED_BY. */
RELEASES(free_program, program, program_free)

/* Copies the bounds of a box to the argument of a kernel. */
static inline void box_bounds(const box *b, int64_t lo[MAX_DIM], int64_t hi[MAX_DIM])
{
    memcpy(lo, b->lo, sizeof b->lo);
    memcpy(hi, b->hi, sizeof b->hi);
}

/* ---- executor ---------------------------------------------------------------------- */

/* How the host uses a level: it reads, changes, or overwrites all points. HOST_FILE reads
 * points for a file: of several ranks, only the first one gets the values. */
typedef enum host_use { HOST_READ, HOST_CHANGE, HOST_FILL, HOST_FILE } host_use;

typedef struct executor executor;
typedef struct subdomain subdomain;
typedef struct wide_halo wide_halo;
typedef struct active_boxes active_boxes;

/* Positions of an injection or a sample, with the neighbours and weights of each
 * position. The neighbours of position `row` are first[row] .. first[row + 1] - 1. */
typedef struct point_set {
    int64_t count, neighbours, capacity;
    int64_t *first;
    int64_t (*index)[MAX_DIM];
    double *weight;
    double *position; /* dim coordinates each */
    /* time series of an injection from a file: one for all positions, one for each, or
     * none */
    trace_table trace;
} point_set;
/* A consumer of samples: `keep` takes a row of values with the step and time of the
 * sample. */
typedef struct sampler {
    int field;
    const point_set *points;
    double *row; /* room for one */
    pav_status (*keep)(void *user, int64_t step, double time, const double *values);
    void *user;
    struct gpu_sample *on_gpu; /* rows on a GPU, not yet given to `keep`; or NULL */
} sampler;

/* Present settings of an executor, for reports and for choosing the number of steps. */
typedef struct executor_figures {
    const char *name; /* of its GPU; NULL: threads */
    int crossing;     /* steps fused into one pass over memory */
    int depth;        /* most steps of one call: a fused launch and the single step after
                       * it */
    int least;        /* fewest steps of one call */
    int shorter;      /* depth of its shorter launches; 0: none */
    int64_t bytes;    /* of memory taken by the executor */
    const char *exchanged_by; /* name of the transport; or NULL */
    int64_t exchanged_bytes;  /* of halos so far, and the seconds spent on them */
    double exchanged_seconds;
    bool exchange_later; /* GPUs exchange by themselves: the seconds cover the requests
                          * alone */
    double exchange_whole,
        exchange_waited; /* seconds of one exchange: in all, and not hidden; 0: unknown */
    bool behind;         /* the oldest levels do not belong to the present step */
    bool persistent;     /* its launches are launches of a persistent kernel */
    /* Of a run (run_executor_figures), whose steps may be fused without the executor. */
    const char *schedule; /* of fused steps; NULL: the executor's */
    double step_bytes;    /* moved by a fused step, by the model; 0: single steps */
    bool tuned;           /* autotuning is over (run_is_tuned alone) */
} executor_figures;

/* A box for exchange: copied between the host's memory and a field. */
typedef struct box_move {
    int field;
    const view *there, *here;
    box range;  /* of `there` */
    int64_t by; /* shift of the box in `here`, in planes of the slowest axis */
    bool up;    /* to the field */
} box_move;

/* Memory of a device for a box on its way. */
typedef struct packed_box {
    executor *owner; /* or NULL: it has none */
    void *memory;
    int64_t room;
} packed_box;

/* Operations of an executor. executor_host_ops keeps fields in the host's memory, and its
 * calls are complete on return. Other executors replace some entries of this table
 * (executor_ops_with). Every view v belongs to part->field. */
typedef struct executor_ops {
    pav_status (*stage)(executor *self, const interp_args *args);
    bool (*tuned)(const executor *self);
    const char *(*schedule)(const executor *self);
    /* The schedule of stage n of a single step. False: the interpreter or the host runs
     * the stage, or no call has been made yet. */
    bool (*chosen)(const executor *self, int64_t n, schedule *s);
    void (*close)(executor *self);
    /* Waits until all requested work is done. */
    pav_status (*wait)(executor *self);
    /* take_field gives one field memory and fills it. place_views follows when all fields
     * and views exist, fill_tables when the tables and the points of sources are
     * ready. */
    pav_status (*take_field)(executor *self, int64_t field, const field_shape *shape,
                             progress_sink *progress);
    pav_status (*place_views)(executor *self);
    pav_status (*fill_tables)(executor *self);
    /* The level for the host. range: the points to read; NULL: all points with their
     * halo. */
    pav_status (*host_view)(executor *self, int64_t field, const view *v, host_use how,
                            const box *range, const view **host);
    /* Other code of the process may read and write the level, until the next call with
     * this level; NULL: it is in the host's memory. *number: of the GPU; -1: it is
     * emulated. */
    pav_status (*lend)(executor *self, int64_t field, const view *v, int *number);
    /* Copies all points of a level; from NULL: fills with zeros. */
    pav_status (*copy_points)(executor *self, int field, const view *to, const view *from,
                              progress_sink *progress);
    /* Copies points of box `range` of `to`. They lie `shift` farther on in a level of
     * field `of` of `source`: the same executor, one at the same place, or one at a place
     * that gpu_reads_fields allows. */
    pav_status (*copy_box)(executor *self, int field, const view *to, const box *range,
                           executor *source, int of, const view *from,
                           const int64_t *shift);
    /* Copies points of a box to the host's memory, or from it: dense, x fastest, in the
     * field's type. */
    pav_status (*read_box)(executor *self, int field, const view *v, const box *range,
                           void *values);
    pav_status (*write_box)(executor *self, int field, const view *v, const box *range,
                            const void *values);
    /* Copies a box of whole rows from a view of the host's memory (up), or to it. Rows
     * are equally far apart in both memories. */
    pav_status (*move_rows)(executor *self, int field, const view *v, const box *range,
                            const view *host, bool up);
    /* Memory at a place outside the host's memory, and copies of points of a level into
     * it, or back: dense, x fastest, in the field's type. range NULL: all points. Another
     * executor of the same run may have taken the memory. NULL: copies are kept in the
     * host's memory. */
    pav_status (*take_memory)(executor *self, int64_t bytes, void **memory);
    void (*release_memory)(executor *self, void *memory);
    pav_status (*keep_points)(executor *self, int field, const view *v, const box *range,
                              void *memory, bool back);
    /* Copies a list of boxes while stages run. The copies start after all earlier work
     * and end before `exchanged` returns. Until then nobody touches the boxes, and the
     * list stays valid. */
    pav_status (*exchange)(executor *self, const box_move *list, int64_t count);
    pav_status (*exchanged)(executor *self);
    /* *any: a point of the box is not finite; *point: the first such point. */
    pav_status (*find_not_finite)(executor *self, int field, const view *v,
                                  const box *range, int64_t *point, bool *any);
    pav_status (*begin)(executor *self); /* the initial values are complete */
    /* Calls around the stages of a single step. fills_borders: true if the last call of a
     * stage also filled the borders of its outputs; NULL: no call does. */
    pav_status (*begin_step)(executor *self);
    pav_status (*end_step)(executor *self);
    bool (*fills_borders)(const executor *self, const ir_stage *s);
    /* fill_axes fills borders of a level along the axes `axis` .. `end` - 1; the work may
     * be deferred until end_borders. copy_ghosts fills the ghosts of one axis that copy
     * points, over a range of the other axes. */
    pav_status (*fill_axes)(executor *self, int field, const view *v, int axis, int end);
    pav_status (*end_borders)(executor *self);
    pav_status (*copy_ghosts)(executor *self, int field, const view *v, int axis,
                              ghost_sides sides, const box *range);
    /* Adds injection `index` at its points. */
    pav_status (*inject)(executor *self, int64_t index);
    /* Samples level 0 at the positions. The row reaches `keep` now, or at flush_sample at
     * the latest. */
    pav_status (*take_sample)(executor *self, sampler *s);
    pav_status (*flush_sample)(executor *self, sampler *s);
    void (*close_sample)(executor *self, sampler *s);
    /* Takes at most `most` steps. NULL: the run takes steps stage by stage, or fuses
     * them. */
    pav_status (*advance)(executor *self, int64_t most);
    executor_figures (*figures)(const executor *self);
    /* The present schedule with all its settings. */
    void (*describe)(const executor *self, text *t);
    /* Costs of a step: bytes moved without any reuse between tiles, and a lower bound of
     * the seconds of arithmetic; 0: unknown. */
    pav_status (*limits)(const executor *self, double *bytes, double *seconds);
} executor_ops;

struct executor {
    executor_ops ops;
    subdomain *part;
    host_team *team;   /* NULL: the caller alone */
    bool compiled;     /* its stages are kernels */
    int64_t full;      /* points needed to keep its GPU busy; 0: no GPU */
    bool absent;       /* another rank has its fields and does its work */
    bool linked;       /* its GPU is linked to the GPUs of all other subdomains
                        * (split_exchange.c) */
    const void *place; /* place of its fields, with one memory; NULL: the host */
    bool own_memory;   /* its fields lie in other memory; the host reaches them by
                        * host_view */
    bool asynchronous; /* calls may return before the work is done */
    int64_t line;      /* alignment of rows, in bytes; 0: the host's default */
};

/* A function that runs a stage: interp_stage, or interp_stage_slow for checks. */
typedef pav_status (*stage_runner)(const interp_args *args);
/* executor.c: the interpreter, without schedules. */
pav_status exec_interp_open(subdomain *part, stage_runner runner, executor **result);

/* executor.c */
extern const executor_ops executor_host_ops;
/* The table of the host's memory with the entries of `own` in place of its own. */
executor_ops executor_ops_with(const executor_ops *own);
/* Gives the subdomain this executor and closes the previous one. */
void subdomain_use(subdomain *part, executor *e);
/* Number of buffers of a field: its levels, or more if fused launches need more. */
int field_buffers(const ir_field *f, bool fuses_steps);

/* ---- subdomain (subdomain.c) ------------------------------------------------------- */

/* The share of a subdomain in the grid, or in one of the coarse grids. */
typedef struct subdomain_grid {
    box box;               /* the points to compute, in indices of that grid */
    bool cut[MAX_DIM];     /* along these axes the subdomain has a part of the points */
    bool seam[MAX_DIM][2]; /* these faces of its box lie inside the grid */
    bool all; /* the grid is too small to cut: each subdomain computes its box, and all
               * have all points */
} subdomain_grid;

/* A guard of fields that may be damaged. It is called before the host reads or changes
 * points of a level (range: NULL: all points). */
typedef struct field_keeper {
    pav_status (*ask)(void *user, int field, const view *v, host_use how,
                      const box *range);
    void *user;
} field_keeper;

/* Between steps view[f][0] of an updated field is the buffer for the next step. On a GPU
 * the views point into the GPU's memory, and the host must not read them. */
struct subdomain {
    ir *code; /* of the whole grid; not owned */
    executor *executor;
    /* Inner subdomains of a grid that is cut; they share the tables, uniform slots and
     * time of the whole. */
    struct subdomain *inner;
    int64_t inners;
    subdomain_grid *grid; /* of an inner one, [coarse]: its share; or NULL */
    bool is_inner;
    wide_halo *wide;      /* owned by the whole, shared by inner ones; or NULL */
    int place;            /* of an inner one: number of its device in the run */
    int rank;             /* of an inner one: the rank with its fields */
    pav_ranks *ranks;     /* the ranks of the whole; or NULL */
    progress_sink *setup; /* receives progress and may stop the run; or NULL */
    levels *field;        /* of every field of the IR */
    bool fuses_steps;     /* fields have buffers for fused launches on a GPU */
    bool plain;           /* rows of fields on a GPU have no padding, by any schedule */
    uint64_t *kept;       /* of each field: buffers with a finished constant border */
    const view **views;   /* all pointers behind `view` */
    const view *const **view; /* [field][1 - level] */
    double **table_memory;    /* from index -margin */
    const double **table;     /* from index 0 */
    double *uniform;
    point_set *injection; /* of every injection of the IR */
    int64_t step;         /* step of level 0 of its fields */
    int64_t singles;      /* single steps in a row, taken stage by stage */
    int64_t steady;       /* single steps since a caller or the start set field values */
    bool set;             /* a caller has set a scalar since the last single step */
    active_boxes *active; /* of every stage: the boxes left active by masks; or NULL */
    field_keeper keeper;  /* of the whole; or none */
    bool timed;           /* t is `time` at every step */
    double time;
};

/* The inner subdomains one after the other: the first follows NULL, NULL the last. */
static inline subdomain *subdomain_next_inner(const subdomain *whole,
                                              const subdomain *inner)
{
    const int64_t next = inner ? inner - whole->inner + 1 : 0;
    return next < whole->inners ? &whole->inner[next] : NULL;
}

/* Row alignment in bytes, set by the executor; one point if rows are plain. */
int64_t subdomain_line(const subdomain *part, pav_type type);
/* Creates lists of fields and their borders, still without memory. */
pav_status subdomain_open_fields(subdomain *part);
/* Creates views and uniform slots; all fields have memory. */
pav_status subdomain_open_values(subdomain *part);
/* Creates views of an inner subdomain; it shares uniform slots and tables of the
 * whole. */
pav_status subdomain_open_views(subdomain *part, const subdomain *whole);
pav_status subdomain_fill_tables(subdomain *part);
void subdomain_release(subdomain *part);
int64_t subdomain_table_count(const ir *code, const ir_table *table); /* doubles */
int64_t subdomain_table_bytes(const ir *code);
/* Updates the views after every rotation of levels. */
void subdomain_refresh_views(subdomain *part);
/* Rotates the levels of all updated fields by one step, here and in inner subdomains. */
void subdomain_rotate(subdomain *part);
/* After a fused launch: one rotation for each level kept. The oldest level is not
 * kept. */
void subdomain_turn(subdomain *part);
double subdomain_step_time(const subdomain *part); /* dt */
/* Sets the uniform slots to the values of a step. */
double subdomain_time(const subdomain *part, int64_t step); /* t of a step's level */
void subdomain_set_time(subdomain *part, int64_t step);
/* True if a statement with `every` is due after a step; of a scalar dt: at the present
 * one. Samples without `every` are due after each step. */
bool subdomain_is_due(const subdomain *part, const statement *s, int64_t step);
/* Steps until the statement is due again; 0: it has no `every`. */
int64_t subdomain_steps_until_due(const subdomain *part, const statement *s);
/* Level 0 belongs to this step, here and in all inner subdomains. */
void subdomain_set_step(subdomain *part, int64_t step);

/* Calls the field keeper. */
pav_status subdomain_ask(const subdomain *part, int field, const view *v, host_use how,
                         const box *range);
/* Level 0, -1, ... of a field for the host, by executor_ops.host_view; NULL if the level
 * is not kept. */
pav_status subdomain_host_view(const subdomain *part, int field, int level, host_use how,
                               const box *range, const view **v);
/* single_step.c. subdomain_is_layered: only the layers of a stage of a single step need
 * its terms of matched layers. subdomain_layered_stage runs such a stage, and skips these
 * terms elsewhere. */
pav_status subdomain_layered_stage(subdomain *part, int stage);
bool subdomain_is_layered(const subdomain *part, int stage);
/* Skips a stage of a single step if its outputs would not change: rotates their levels
 * and returns true. */
bool subdomain_skips_stage(subdomain *part, int stage);
/* single_step.c: stage_is_masked: masks exclude some points of a stage. stage_computes:
 * the stage computes one of its fields at a point, by level 0 of the masks.
 * subdomain_masked_stage runs a stage over the active rows of its box. */
bool stage_is_masked(const ir *code, const ir_stage *s);
bool subdomain_is_masked(const subdomain *whole, const ir_stage *s); /* by now */
bool stage_computes(const ir *code, const ir_stage *s, const view *const *mask,
                    const int64_t *at);
pav_status subdomain_masked_stage(subdomain *part, const interp_args *args);
void subdomain_close_active(subdomain *part);
/* Runs a stage over a box; NULL: over all its points. */
pav_status subdomain_stage(subdomain *part, int stage, const box *where);
/* Runs operations along one axis by kernels of processors (kernels_lines). */
pav_status subdomain_lines(subdomain *part, const int *stage, int64_t count);
bool stage_may_be_cut(const ir_stage *s); /* false: a reduction needs its whole box */
/* Work on a box of points. During set-up in the host's memory the box is split into
 * pieces in the order of rows, and the listener may stop between two pieces. `counted`:
 * pieces are reported to it as finished points. */
typedef pav_status piece_work(subdomain *part, const box *b, void *user);
pav_status subdomain_in_pieces(subdomain *part, const box *all, bool counted,
                               piece_work *work, void *user);

/* ---- grids cut into subdomains (split/) -------------------------------------------- */

bool axis_wraps(const ir *code, int axis); /* periodic for some field */
/* Depth of the reads of a field beyond a seam, in points. */
typedef struct halo_depth {
    int side[MAX_DIM][2];
} halo_depth;
halo_depth halo_depth_of(const ir *code, int64_t field); /* by one stage */
/* Wide halos (split_cut.c): one exchange brings all points read by `steps` steps beyond
 * seams; in between, subdomains compute points of their neighbours again. Refused if
 * other bits would result. */
pav_status wide_halo_new(const ir *code, const decomposition *d, int steps,
                         wide_halo **result);
void wide_halo_free(wide_halo *w);
int wide_halo_steps(const wide_halo *w);                          /* 1 of NULL */
halo_depth subdomain_depth(const subdomain *part, int64_t field); /* of an exchange */

/* Cuts a whole subdomain; the inner ones have no executor yet. Refused if a box is
 * thinner than the reads of its neighbours, or if the program cannot be cut. */
pav_status subdomain_cut(subdomain *whole, const decomposition *d);
/* Least width of a box along an axis: its neighbours must find all their halo points in
 * it. */
int64_t subdomain_least_width(const ir *code, int axis);
int subdomain_grids(
    const ir *code); /* number of grids: the finest, and coarse ones with fields */
/* The cuts of a coarse grid at the places of the cuts of the fine grid. A cut between two
 * coarse points moves to the next coarse point. */
pav_status decompose_coarse(const ir *code, const decomposition *d, int coarse,
                            decomposition *result);
void subdomain_uncut(subdomain *whole); /* closes their executors */
/* Opens the executor of the whole, after the executors of all inner subdomains; closed
 * before them. */
pav_status exec_split_open(subdomain *whole, const decomposition *d, executor **result);
/* From now on subdomains compute in turn, and the seconds of their stages are added to
 * `seconds`, one sum for each. NULL ends this. */
void exec_split_weigh(subdomain *whole, double *seconds);
/* Why the GPUs of several ranks are not linked although they could be; or "". */
const char *exec_split_unlinked(const executor *e);
/* Fused launches within each subdomain (split_stages.c). */
typedef struct split_fused {
    int axis;   /* cut axis of the grid */
    int steps;  /* steps of a launch */
    int around; /* overlap: planes read around the stored ones */
    int left;   /* launches left before halos are exchanged */
    pav_status (*launch)(void *user, int64_t n, const box *where); /* of subdomain n */
    void *user;
} split_fused;
pav_status exec_split_fused(subdomain *whole, const split_fused *how);
/* Temporal blocking within each subdomain on processors, with wide halos
 * (split_stages.c). exec_split_block_begin exchanges halos. exec_split_share: the box of
 * a stage of subdomain n, `left` steps before the next exchange. exec_split_injected: the
 * box of an injection. exec_split_each: runs all subdomains, at the same time if they
 * have teams of their own. exec_split_block_end: `steps` steps are over. */
typedef pav_status split_work(void *user, int64_t n);
pav_status exec_split_block_begin(subdomain *whole);
box exec_split_share(const subdomain *whole, int64_t n, const ir_stage *stage, int left);
box exec_split_injected(const subdomain *inner, int64_t index);
pav_status exec_split_each(subdomain *whole, split_work *work, void *user);
pav_status exec_split_block_end(subdomain *whole, int steps);
/* Makes halos of all fields at least `depth` deep along an axis, and `more` deeper for
 * fields that no step stores. Injections add their values there, too. */
void wide_halo_deepen(wide_halo *w, const ir *code, int axis, int depth, int more);
/* Gives inner subdomains such halos; refused if a box is too thin for them. */
pav_status subdomain_widen(subdomain *whole, const decomposition *d, wide_halo *wide);
/* Parts of a level in the host's memory (split_executor.c): the own points of each
 * subdomain of this rank, to read a box of them, or to set new values. */
typedef struct part_visit {
    pav_status (*part)(void *user, const view *host, const box *b);
    void *user;
} part_visit;
pav_status exec_split_read(subdomain *whole, int field, int level, const box *range,
                           const part_visit *visit);
pav_status exec_split_fill(subdomain *whole, int field, int level,
                           const part_visit *visit);
/* Shape of a field of an inner subdomain. */
field_shape subdomain_shape(const subdomain *inner, int64_t field,
                            const field_shape *of_whole);
/* Bytes received by a subdomain in one exchange. */
int64_t split_bytes_of(const subdomain *inner);
/* Bytes received from beyond one face, and the number of messages. */
int64_t split_bytes_from(const subdomain *inner, int axis, int side, int64_t *messages);
/* Mean number of points computed in a step, including points of neighbours. */
double split_points_of(const subdomain *inner);
/* A halo on its way from one subdomain to another, by the first transport between
 * them. */
typedef struct halo_move {
    struct split *split; /* owner of the move, and of staging memory on the host */
    int64_t to_part, from_part;
    executor *to, *from;
    int field;
    const view *target, *source;
    box range;              /* in the target's halo */
    int64_t shift[MAX_DIM]; /* from `range` to its source points */
} halo_move;
struct parcel; /* split/ */
typedef struct transport {
    const char *name;
    bool later;                              /* calls return before the move is done */
    bool (*joins)(executor *a, executor *b); /* a: the receiver */
    /* moves it directly; NULL: a parcel travels */
    pav_status (*at_once)(const halo_move *m);
    pav_status (*leave)(struct parcel *p);
    pav_status (*go_on)(struct parcel *p); /* after it has left its device; or NULL */
    bool together; /* all parcels that have left go on together, before any computing */
    pav_status (*arrive)(struct parcel *p); /* after ranks have received their data */
} transport;
const transport *transport_between(executor *a, executor *b); /* or NULL */
/* The transport of a run of several ranks, as far as this rank can tell. `here`: the
 * executor of its GPU; NULL: no GPU. */
const transport *transport_between_ranks(const executor *here);

/* ---- borders (borders.c) ----------------------------------------------------------- */

/* True if a neighbour lies beyond the face, possibly around the grid. */
bool subdomain_is_seam(const subdomain *part, int64_t field, int axis, int side);
/* Border of a face of a subdomain: none if a neighbour lies beyond it. */
const ir_border *subdomain_border(const subdomain *part, int64_t field, int axis,
                                  int side);
/* Fills borders of a level along the axes `axis` .. `end` - 1, with other bounds than its
 * own for the call. Executors find a level by its address. */
pav_status subdomain_fill_as(subdomain *part, int field, view *level, const view *as,
                             int axis, int end);
/* Fills the border of one level; `step` is the step of that level. */
pav_status subdomain_fill_border(subdomain *part, int field, int level, int64_t step);
/* Fills the border after a step, unless it never changes and was filled before. The work
 * may be deferred until end_borders. */
pav_status subdomain_keep_border(subdomain *part, int field, int level, int64_t step);
/* Fills the borders of all levels kept by a fused launch. */
pav_status subdomain_keep_borders(subdomain *part);
/* State of the borders of all buffers: filled after every step; constant and filled;
 * constant, not filled yet. */
typedef enum border_state { BORDER_LIVE, BORDER_KEPT, BORDER_TO_KEEP } border_state;
border_state subdomain_border_state(const subdomain *part, int field);
bool subdomain_ends_are_alike(const subdomain *part, const ir_stage *s);
/* Fills borders along one axis, by the copy_ghosts and stage operations of an
 * executor. */
pav_status border_fill_axis(subdomain *part, int field, const view *v, int axis);
/* The ghosts are copies of points, or there are none. */
bool border_only_copies(const ir_border *b);
/* Brings the masks of a field to the host, which reads them at injected points. */
pav_status subdomain_bring_masks(subdomain *part, int field);
bool point_is_given(const ir *code, int field, const int64_t *point); /* by a border */
/* True if values at and beyond all faces depend on neither time nor fields. */
bool borders_are_still(const ir *code, const ir_field *f);
bool stage_is_still(const ir_stage *s); /* reads neither fields nor uniforms */

/* ---- sources and receivers --------------------------------------------------------- */

/* points.c. source_amount: the value added at a neighbour of position `row` at a step.
 * source_stage: the stage that adds it, point by point. sample_row, sample_view: the row
 * of a sample, from values of all neighbours or from a level. */
double source_amount(const point_set *set, double weight, int64_t row, int64_t step);
int source_stage(const ir_event *event);
/* Evaluates the stages of an injection before it, which have uniforms only. */
pav_status subdomain_source_numbers(subdomain *part, int64_t index);
pav_status subdomain_inject_each(subdomain *part, int64_t index);
void sample_row(const point_set *set, const double *value, double *row);
void sample_view(const point_set *set, const view *v, double *row);
double point_value(const view *v, const int64_t *point);

/* points.c: neighbours of positions, sorted along one axis; equal coordinates keep
 * the order of the positions. The list stores its axis, so callers need not know it. */
typedef struct placed_point {
    int64_t point[MAX_DIM], number, row; /* row: of its position */
    double weight;
} placed_point;
typedef struct placed_points {
    int64_t count;
    placed_point *item;
    int axis;       /* sort axis */
    bool near_face; /* the border of a face depends on some of them */
} placed_points;
/* Points of a source, without those fixed by borders and masks; of a sample, all
 * points. */
pav_status placed_of_source(const subdomain *part, int64_t index, int axis,
                            placed_points *result);
pav_status placed_of_sample(const point_set *set, int axis, placed_points *result);
void placed_close(placed_points *m);
/* sources_within: calls add_it for each value that a source adds within a box at a step.
 * placed_values: the values read by a sample there, each stored at its number.
 * placed_box: the bounding box of the points. */
typedef pav_status source_visit(void *user, double amount, const box *point);
pav_status sources_within(const point_set *set, const placed_points *m, const box *b,
                          int64_t step, source_visit *add_it, void *user);
pav_status placed_values(const placed_points *m, const box *b, const view *v,
                         double *value);
pav_status placed_box(const placed_points *m, const box *b, box *around);

/* ---- autotuning (tuner.c) ---------------------------------------------------------- */

/* rounds 0: nothing is tried. */
void tuner_open(tuner *t, int count, int rounds);
/* True if the present candidate may be tried for so many steps now. tuner_affords: `more`
 * further trials of `each` seconds. */
bool tuner_may_begin(const tuner *t, double steps);
bool tuner_affords(const tuner *t, double each, double more);
/* In turns: true if there is a candidate to try in the next step. tuner_add: adds
 * candidates that take turns when the others are over. tuner_time: notes the seconds of a
 * step, and of the whole trial. */
bool tuner_next(tuner *t);
void tuner_add(tuner *t, int count);
void tuner_time(tuner *t, double each, double all);
/* For clients that try candidates one after another. tuner_judge notes the seconds of
 * each step of a trial, and decides if the trial goes on. probe: the trial has too few
 * steps for a comparison with the fastest. patient: a candidate can lose only after all
 * rounds. tuner_next_candidate: moves to the next candidate. */
tuner_verdict tuner_judge(tuner *t, double each, double steps, bool probe, bool patient);
void tuner_next_candidate(tuner *t, bool lost);
/* True if a box is nearly as large as the box of the trials, wherever it lies. Visits out
 * of core and subdomains with overlapped exchange call stages with different boxes. */
bool trial_is_of(const box *tried, const box *b);
/* Allowance for trials, in steps of the fastest candidate. known: steps of the run; 0:
 * unknown. */
double trial_allowance(int64_t known, int64_t done);
/* False if the run is too short to try more than the first candidate. */
bool trial_any_begins(int64_t known, double steps);

/* Copy bandwidth of a memory, in bytes a second. */
typedef struct copy_rate {
    double usual, best;
} copy_rate;

/* ---- the client of executors ------------------------------------------------------- */

/* The run. Executors call it by one table of operations, so they need not know observers,
 * outputs, checkpoints and options. */

/* State that changes from step to step. */
typedef struct client_state {
    int64_t steps;     /* of the run; 0: unknown */
    int64_t expected;  /* a solver may end after this many steps */
    double seconds;    /* of the steps so far */
    double step_bytes; /* least memory traffic of a step */
    int64_t inners;    /* subdomains sharing the host's caches; 0: the grid is not cut */
    bool only_single;  /* single steps are known to be fastest */
    bool wants_single; /* a stop or a checkpoint waits for a single step */
} client_state;

typedef struct exec_client exec_client;
typedef pav_status sample_visit(void *user, const statement *s, sampler *of);
typedef struct exec_client_ops {
    client_state (*state)(const pav_run *run);
    /* one_step: takes a single step, stage by stage. record: does the work due after a
     * step, unless it is the last one. */
    pav_status (*one_step)(pav_run *run);
    pav_status (*record)(pav_run *run);
    /* Counts steps taken by one launch. shorter: by a shorter launch before an
     * observation. */
    void (*count)(pav_run *run, int64_t steps, bool shorter);
    /* Steps until the next observation, at most `most`. */
    int64_t (*until_event)(const pav_run *run, int64_t most);
    /* Steps between observations, or steps of the run if it is shorter; 0: unlimited.
     * list_observers: adds the observers that act more often than every `least` steps. */
    int64_t (*to_observer)(const pav_run *run);
    void (*list_observers)(const pav_run *run, int64_t least, text *why);
    /* sampler_of: sampler of a sample statement. each_sample: visits all samples due
     * after a step, and marks them taken. */
    const sampler *(*sampler_of)(const pav_run *run, const statement *s);
    pav_status (*each_sample)(pav_run *run, int64_t step, sample_visit *visit,
                              void *user);
    /* A schedule known to be fast for a stage, or NULL; is_hint: known from another
     * size. */
    const schedule *(*known)(const pav_run *run, int64_t stage, bool *is_hint);
    /* Threads for kernels of the host. threads: their number. host_team: creates the team
     * if needed. has_kernels: tells if such kernels exist. */
    int (*threads)(const pav_run *run);
    pav_status (*host_team)(pav_run *run, host_team **team);
    void (*has_kernels)(pav_run *run, bool there);
    void (*report)(const pav_run *run, bool warning, const char *line);
} exec_client_ops;

struct exec_client {
    const exec_client_ops *ops;
    pav_run *run; /* for its operations alone */
    const program *program;
    const schedule *schedule; /* requested */
    const char *device_name;
    machine_facts machine; /* machine of its first place */
    bool rough;            /* for benchmarks: no trials */
    bool waits;            /* the first step waits for all kernels */
    bool noted_hosts;      /* a note told that the host runs some stages of a GPU */
};

/* Copies the rows of a part of a box, for each reduction, to their places among all
 * rows. */
void exec_put_rows(const box *whole, const box *part, int64_t reductions,
                   const double *from, double *to);

void exec_report(const exec_client *c, bool warning, const char *format, ...)
    PRINTF_LIKE(3, 4);
#define exec_note(client, ...) exec_report(client, false, __VA_ARGS__)
#define exec_warn(client, ...) exec_report(client, true, __VA_ARGS__)

#endif
