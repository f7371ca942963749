/* SPDX-License-Identifier: BSD-3-Clause */
/* exec: a subdomain, which is a box of the grid with its halo at one place, and the
 * executor that takes its steps there. Nothing above asks which device that is. */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include "base/base.h"
#include "cost/cost.h"
#include "device/device.h"
#include "domain/domain.h"
#include "interp/interp.h"
#include "io/io.h"
#include "plan/plan.h"
#include "ranks/ranks.h"
#include "schedule/schedule.h"

/* ---- executor ---------------------------------------------------------------------- */

/* Who reads or writes a level on the host: to read, to change, or to give all points new
 * values. For a file: to read; of several ranks the first alone has the values. */
typedef enum host_use { HOST_READ, HOST_CHANGE, HOST_FILL, HOST_FILE } host_use;

typedef struct executor executor;
typedef struct place_ops place_ops; /* place/place.h */
typedef struct subdomain subdomain;
typedef struct wide_halo wide_halo;
typedef struct active_boxes active_boxes;

/* Positions of an injection or a sample, with their neighbours and weights worked out:
 * those of position `row` are first[row] .. first[row + 1] - 1. */
typedef struct point_set {
    int64_t count, neighbours, capacity;
    int64_t *first;
    int64_t (*index)[MAX_DIM];
    double *weight;
    double *position; /* dim coordinates each */
    /* an injection's from a file: of all positions, or one for each; or none */
    trace_table trace;
} point_set;
/* Who takes samples: a row of values, of the step and time that it belongs to, goes to
 * `keep`. */
typedef struct sampler {
    int field;
    const point_set *points;
    double *row; /* room for one */
    pav_status (*keep)(void *user, int64_t step, double time, const double *values);
    void *user;
    struct gpu_sample *on_gpu; /* of rows that are not kept yet; or NULL */
} sampler;

/* How an executor is set at present, for reports and for who chooses numbers of steps. */
typedef struct executor_figures {
    const char *name; /* of what it runs on, besides the device; NULL: threads */
    int crossing;     /* steps that are one crossing of memory */
    int depth;        /* steps that it may take at once, and the single one after them */
    int least;        /* the fewest of those */
    int shorter;      /* steps of its shorter launches; 0: it has none */
    int64_t bytes;    /* that it took of memory of its own */
    const char *exchanged_by; /* a transport; or NULL */
    int64_t exchanged_bytes;  /* of halos, so far, and seconds of that */
    double exchanged_seconds;
    bool exchange_later; /* GPUs exchange by themselves: seconds are those of asking */
    double exchange_whole,
        exchange_waited; /* of one: in all, and not hidden; 0: unknown */
    bool behind;         /* the oldest levels are not those of the present step */
    bool persistent;     /* its launches are those of a persistent kernel */
} executor_figures;

/* Of exchange: a box that goes to a field from the host's memory, or from there. */
typedef struct box_move {
    int field;
    const view *there, *here;
    box range;  /* of `there` */
    int64_t by; /* planes of the slowest axis that it lies farther on in `here` */
    bool up;    /* to the field */
} box_move;

/* Memory of a device for a box on its way. */
typedef struct packed_box {
    executor *owner; /* or NULL: it has none */
    void *memory;
    int64_t room;
} packed_box;

/* What an executor does. The host's, which keeps fields in the host's memory and is done
 * when it returns, has executor_host_ops; others begin with a copy of those and put their
 * own in their place. v: of part->field. */
typedef struct executor_ops {
    pav_status (*stage)(executor *self, const interp_args *args);
    bool (*tuned)(const executor *self);
    const char *(*schedule)(const executor *self);
    /* What stage n of a single step goes by; false: the interpreter or the host runs it,
     * or it was not called yet. */
    bool (*chosen)(const executor *self, int64_t n, schedule *s);
    void (*close)(executor *self);
    /* What was asked for is done. */
    pav_status (*wait)(executor *self);
    /* Memory of one field, filled; then once all fields and views are there; then once
     * the tables are, and the points of sources. */
    pav_status (*take_field)(executor *self, int64_t field, const field_shape *shape,
                             progress_sink *progress);
    pav_status (*place_views)(executor *self);
    pav_status (*fill_tables)(executor *self);
    /* The level for the host; range: the points that are read, or NULL: all, with what is
     * around them. */
    pav_status (*host_view)(executor *self, int64_t field, const view *v, host_use how,
                            const box *range, const view **host);
    /* from: NULL for zeros. */
    pav_status (*copy_points)(executor *self, int field, const view *to, const view *from,
                              progress_sink *progress);
    /* Points of a box of `to` from those `shift` farther on in a level of field `of` of
     * another executor, or the same, at the same place or one that it reads. */
    pav_status (*copy_box)(executor *self, int field, const view *to, const box *range,
                           executor *source, int of, const view *from,
                           const int64_t *shift);
    /* Whether copy_box reads fields of an executor at another place. */
    bool (*reads)(executor *self, executor *source);
    /* Points of a box to the host's memory and from there: dense, x fastest, in the
     * field's type. */
    pav_status (*read_box)(executor *self, int field, const view *v, const box *range,
                           void *values);
    pav_status (*write_box)(executor *self, int field, const view *v, const box *range,
                            const void *values);
    /* A second stream. From BEGIN to END work is queued on it, after all that was queued
     * before BEGIN; join: later work of `self` waits for the second stream of
     * `source`. */
    pav_status (*concurrent)(executor *self, gpu_concurrent_step step);
    pav_status (*join)(executor *self, executor *source);
    /* Copying a box to the host's memory begins, and is done when `packed` returns;
     * unpack_box copies a box that was received into the field. pass_box sends what was
     * packed from memory of the device to another, or receives what is unpacked from
     * there (values: NULL). */
    pav_status (*pack_box)(executor *self, int field, const view *v, const box *range,
                           packed_box *staged, void *values);
    pav_status (*packed)(executor *self, packed_box *staged, int64_t bytes, void *values);
    pav_status (*unpack_box)(executor *self, int field, const view *v, const box *range,
                             packed_box *staged, const void *values);
    pav_status (*pass_box)(executor *self, const view *v, const box *range,
                           packed_box *staged, const gpu_links *links, int other,
                           bool sends);
    void (*drop_box)(executor *self, packed_box *staged); /* gives its memory back */
    /* The device's clock, at marks in the order of work; *seconds is 0 where there is
     * none. */
    pav_status (*mark)(executor *self, int mark);
    pav_status (*between)(executor *self, int from, int to, double *seconds);
    /* Points of a box, whole rows of it, from a view of the host's memory, or to it,
     * whose rows lie as far from each other. */
    pav_status (*from_host)(executor *self, int field, const view *to, const box *range,
                            const view *host);
    pav_status (*to_host)(executor *self, int field, const view *from, const box *range,
                          const view *host);
    /* Memory at a place that is not the host's; points of a level (range; NULL: all),
     * dense, x fastest, in the field's type, into it, and from it, be it that another
     * executor of the same run took it. NULL: the host has what is kept. */
    pav_status (*take_memory)(executor *self, int64_t bytes, void **memory);
    void (*release_memory)(executor *self, void *memory);
    pav_status (*keep_points)(executor *self, int field, const view *v, const box *range,
                              void *memory);
    pav_status (*bring_points)(executor *self, int field, const view *v, const box *range,
                               void *memory);
    /* Such boxes, copied while stages run: once what was asked for before is done, and
     * before `exchanged` returns. In between nobody touches them; the list lasts. */
    pav_status (*exchange)(executor *self, const box_move *list, int64_t count);
    pav_status (*exchanged)(executor *self);
    /* *any: whether a point of the box is not finite; the first one. */
    pav_status (*find_not_finite)(executor *self, int field, const view *v,
                                  const box *range, int64_t *point, bool *any);
    /* In a run for measurements, some numbers for what a stage would be slow to give
     * here; else *done is false. */
    pav_status (*fill_roughly)(executor *self, const ir_stage *s, int field,
                               const view *v, bool *done);
    pav_status (*begin)(executor *self); /* the start is over */
    /* Around the stages of a single step; whether the last call of a stage filled the
     * borders of what it stored. */
    pav_status (*begin_step)(executor *self);
    pav_status (*end_step)(executor *self);
    bool (*fills_borders)(const executor *self, const ir_stage *s);
    /* Borders of a level along axes from `axis` up to `end`; they may wait until
     * end_borders. copy_ghosts: those of one axis that are copies of points, over a range
     * of the others. */
    pav_status (*fill_axes)(executor *self, int field, const view *v, int axis, int end);
    pav_status (*end_borders)(executor *self);
    pav_status (*copy_ghosts)(executor *self, int field, const view *v, int axis,
                              ghost_sides sides, const box *range);
    /* Adds at the points of injection `index`. */
    pav_status (*inject)(executor *self, int64_t index);
    /* A row of values at positions, of level 0, is kept: now, or by flush_sample at the
     * latest. */
    pav_status (*take_sample)(executor *self, sampler *s);
    pav_status (*flush_sample)(executor *self, sampler *s);
    void (*close_sample)(executor *self, sampler *s);
    /* The next steps, at most so many; *done is false where the run takes them stage by
     * stage. */
    pav_status (*advance)(executor *self, int64_t most, bool *done);
    executor_figures (*figures)(const executor *self);
    /* What it goes by, with all settings. */
    void (*describe)(const executor *self, text *t);
    /* Of a step: bytes that it moves where no cache hands anything from tile to tile,
     * seconds that its arithmetic takes at least; 0: not known. */
    pav_status (*limits)(const executor *self, double *bytes, double *seconds);
} executor_ops;

struct executor {
    executor_ops ops;
    subdomain *part;
    host_team *team;   /* NULL: the caller alone */
    bool compiled;     /* its stages are kernels */
    int64_t full;      /* points that keep its GPU busy; 0: it has none */
    bool absent;       /* another rank has its fields, and does what there is to do */
    bool linked;       /* its GPU is, to those of all others that are (split_links.c) */
    const void *place; /* of its fields: one place has one memory; NULL: the host's */
    bool own_memory;   /* its fields lie in memory that the host sees by host_view */
    bool asynchronous; /* it may return before what it was asked for is done */
    const place_ops *place_ops; /* what a run asks of such a place; NULL: nothing */
    int64_t line; /* rows are whole multiples of so many bytes; 0: the host's default */
};

/* How stages are executed: interp_stage, or interp_stage_slow for checks. */
typedef pav_status (*stage_runner)(const interp_args *args);
/* interp/exec_interp.c: one that knows no schedule. */
pav_status exec_interp_open(subdomain *part, stage_runner runner, executor **result);
/* split/split_absent.c: of a subdomain that another rank has: it knows the shapes of its
 * fields. */
pav_status exec_absent_open(subdomain *part, executor **result);

/* executor.c */
extern const executor_ops executor_host_ops;
/* The one that the subdomain has now, if any, is closed. */
void subdomain_use(subdomain *part, executor *e);
/* Buffers of a field: as many as levels, or what fused launches need. */
int field_buffers(const ir_field *f, bool fuses_steps);

/* ---- subdomain (subdomain.c) ------------------------------------------------------- */

/* What a subdomain has of the grid, or of one of the coarse grids. */
typedef struct subdomain_grid {
    box box;               /* the points that it computes, in indices of that grid */
    bool cut[MAX_DIM];     /* along these axes it does not have all points */
    bool seam[MAX_DIM][2]; /* these faces of its box are inside of the grid */
    bool all; /* the grid is too small: each computes its box, and all have all points */
} subdomain_grid;

/* Who keeps fields where they may be damaged is asked before the host reads points of a
 * level, or changes them (range: NULL: all). */
typedef struct field_keeper {
    pav_status (*ask)(void *user, int field, const view *v, host_use how,
                      const box *range);
    void *user;
} field_keeper;

/* Between steps view[f][0] of an updated field is the buffer that the next step writes;
 * in a run on a GPU the views point into the GPU's memory, and are not for the host. */
struct subdomain {
    ir *code; /* of the whole grid; not its own */
    executor *executor;
    /* What it is cut into, if it is; whose tables, uniform slots and time are its own. */
    struct subdomain *inner;
    int64_t inners;
    subdomain_grid *grid; /* of an inner one, [coarse]: what it has; or NULL */
    bool is_inner;
    wide_halo *wide; /* of inner ones, and of the whole, whose own it is; or NULL */
    int place; /* of an inner one: the number of its device among those of the run */
    int rank;  /* of an inner one: which has it, of ... */
    pav_ranks *ranks; /* ... those that share the whole; or NULL */
    progress_sink
        *setup;    /* is informed, and may stop, while its fields are filled; or NULL */
    levels *field; /* of every field of the IR */
    bool fuses_steps; /* fields have buffers for several steps in one launch of a GPU */
    bool plain;       /* rows of fields on a GPU have no padding, whatever the schedule */
    uint64_t *kept;   /* of each field: buffers whose border needs no more filling */
    const view **views;       /* all pointers behind `view` */
    const view *const **view; /* [field][1 - level] */
    double **table_memory;    /* from index -margin */
    const double **table;     /* from index 0 */
    double *uniform;
    point_set *injection; /* of every injection of the IR */
    int64_t step;         /* that level 0 of its fields is of */
    int64_t singles;      /* steps in a row that were taken stage by stage, */
    int64_t steady;       /* and since a caller or the start gave fields values */
    active_boxes *active; /* of every stage: where masks let it compute; or NULL */
    field_keeper keeper;  /* of a whole one; or none */
    bool timed;           /* t is `time`, whatever the step */
    double time;
};

/* Bytes of which rows are whole multiples: of its executor, or one point where they are
 * plain. */
int64_t subdomain_line(const subdomain *part, pav_type type);
/* Lists of fields and their borders, none of which has memory yet. */
pav_status subdomain_open_fields(subdomain *part);
/* Once all fields have memory: views and uniform slots. */
pav_status subdomain_open_values(subdomain *part);
/* The same of an inner one, which has the uniform slots and tables of the whole. */
pav_status subdomain_open_views(subdomain *part, const subdomain *whole);
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
/* Level 0 belongs to this step, also in all subdomains that the part is cut into. */
void subdomain_set_step(subdomain *part, int64_t step);

/* Its keeper is asked. */
pav_status subdomain_ask(const subdomain *part, int field, const view *v, host_use how,
                         const box *range);
/* Level 0, -1, ... of a field for the host: executor_ops.host_view says how; NULL where
 * it is not kept. */
pav_status subdomain_host_view(const subdomain *part, int field, int level, host_use how,
                               const box *range, const view **v);
/* layered_step.c. A stage of a single step over all its points, without what matched
 * layers add where that is nothing; and whether it is taken so at present. */
pav_status subdomain_step_stage(subdomain *part, int stage);
bool subdomain_is_layered(const subdomain *part, int stage);
/* Whether a single step leaves the stage out: what it stores stays as it is. */
bool subdomain_rests(subdomain *part, int stage);
/* masked_step.c: whether a stage leaves points alone that masks give, and computes one of
 * its fields at a point, by the masks' level 0; a stage of a step over the rows that
 * compute within its box; buffers of the field with the most. */
bool stage_is_masked(const ir *code, const ir_stage *s);
bool subdomain_is_masked(const subdomain *whole, const ir_stage *s); /* by now */
bool stage_computes(const ir *code, const ir_stage *s, const view *const *mask,
                    const int64_t *at);
pav_status subdomain_masked_stage(subdomain *part, const interp_args *args);
void subdomain_close_active(subdomain *part);
int64_t subdomain_most_buffers(const subdomain *part);
/* A stage over a box, or NULL: over all its points. */
pav_status subdomain_stage(subdomain *part, int stage, const box *where);
bool stage_may_be_cut(const ir_stage *s); /* a reduction is over its whole box */
/* Work on a box of points; while a run is set up in the host's memory in pieces, in the
 * order of rows, and the listener may stop it between two of them. `counted`: they are
 * reported as points that are done. */
typedef pav_status piece_work(subdomain *part, const box *b, void *user);
pav_status subdomain_in_pieces(subdomain *part, const box *all, bool counted,
                               piece_work *work, void *user);

/* ---- a grid that is cut (split/) --------------------------------------------------- */

/* How deep a field is read beyond a seam. */
typedef struct halo_depth {
    int side[MAX_DIM][2];
} halo_depth;
halo_depth halo_depth_of(const ir *code, int64_t field); /* by one stage */
/* Wide halos (split_wide.c): an exchange brings what so many steps read beyond seams,
 * which compute points of their neighbours again. Refused where that would give other
 * bits. */
pav_status wide_halo_new(const ir *code, const decomposition *d, int steps,
                         wide_halo **result);
void wide_halo_free(wide_halo *w);
int wide_halo_steps(const wide_halo *w);                          /* 1 of NULL */
halo_depth subdomain_depth(const subdomain *part, int64_t field); /* that is exchanged */

/* Subdomains of a whole one, none of which has an executor yet. Refused where a box is
 * thinner than what its neighbours read of it, or the program cannot be cut. */
pav_status subdomain_cut(subdomain *whole, const decomposition *d);
/* Points that a box must have along an axis: all that is read of it from beyond either
 * face. */
int64_t subdomain_least_width(const ir *code, int axis);
int subdomain_grids(
    const ir *code); /* the grid and its coarse ones, as far as there are fields */
/* The same cuts of a coarse grid, at its points there or behind. */
pav_status decompose_coarse(const ir *code, const decomposition *d, int coarse,
                            decomposition *result);
void subdomain_uncut(subdomain *whole); /* closes their executors */
/* The executor of the whole, once all of them have theirs: closed before they are. */
pav_status exec_split_open(subdomain *whole, const decomposition *d, executor **result);
/* From now on subdomains take turns, and what the stages of each take is added up: for
 * every one of them, or NULL: they do not any more. */
void exec_split_weigh(subdomain *whole, double *seconds);
/* Why GPUs of several ranks are not linked, though they might be; or "". */
const char *exec_split_unlinked(const executor *e);
/* Several steps at once within each subdomain (split_fused.c). */
typedef struct split_fused {
    int axis;   /* that the grid is cut along */
    int steps;  /* of a launch */
    int around; /* planes that it reads around those that it stores */
    int left;   /* launches that follow before halos are exchanged */
    pav_status (*launch)(void *user, int64_t n, const box *where); /* of subdomain n */
    void *user;
} split_fused;
pav_status exec_split_fused(subdomain *whole, const split_fused *how);
/* Several steps at once within each subdomain on processors, where halos are wide
 * (split_blocks.c): halos come; what subdomain n computes of a stage where so many steps
 * follow; where it adds an injection; each does its work, at the same time where they
 * have teams of their own; so many steps are over. */
typedef pav_status split_work(void *user, int64_t n);
pav_status exec_split_block_begin(subdomain *whole);
box exec_split_share(const subdomain *whole, int64_t n, const ir_stage *stage, int left);
box exec_split_injected(const subdomain *inner, int64_t index);
pav_status exec_split_each(subdomain *whole, split_work *work, void *user);
pav_status exec_split_block_end(subdomain *whole, int steps);
/* Halos of all fields become at least so deep along an axis, those of fields that no step
 * stores `more` on top of it; injections add there. */
void wide_halo_deepen(wide_halo *w, const ir *code, int axis, int depth, int more);
/* Inner ones get halos as wide; refused where a box is too thin for them. */
pav_status subdomain_widen(subdomain *whole, const decomposition *d, wide_halo *wide);
/* Parts of a level in the host's memory (split_parts.c): the own points of each subdomain
 * that this rank has; to read, of those of a box; to give them new values. */
typedef struct part_visit {
    pav_status (*part)(void *user, const view *host, const box *b);
    void *user;
} part_visit;
pav_status exec_split_read(subdomain *whole, int field, int level, const box *range,
                           const part_visit *visit);
pav_status exec_split_fill(subdomain *whole, int field, int level,
                           const part_visit *visit);
/* The memory of a field of an inner one. */
field_shape subdomain_shape(const subdomain *inner, int64_t field,
                            const field_shape *of_whole);
/* Bytes that the exchange of a step, or of several, brings to a subdomain, and to all. */
int64_t split_bytes_of(const subdomain *inner);
/* The same from beyond one of its faces, in so many messages. */
int64_t split_bytes_from(const subdomain *inner, int axis, int side, int64_t *messages);
int64_t split_exchange_bytes(const subdomain *whole);
/* Points that it computes in a step, with those of its neighbours, in the mean. */
double split_points_of(const subdomain *inner);
/* How halos get from one subdomain to another: the first that joins them. */
typedef struct halo_move {
    struct split *split; /* whose they are, with the host's memory between two others */
    int64_t to_part, from_part;
    executor *to, *from;
    int field;
    const view *target, *source;
    box range;              /* of the target's halo */
    int64_t shift[MAX_DIM]; /* to its points in the source */
} halo_move;
struct parcel; /* split/ */
typedef struct transport {
    const char *name;
    bool later;                                /* it returns before it is done */
    bool (*joins)(executor *a, executor *b);   /* a: which gets them */
    pav_status (*at_once)(const halo_move *m); /* or NULL: by a parcel that ... */
    pav_status (*leave)(struct parcel *p);
    pav_status (*go_on)(struct parcel *p); /* once it is out of its device; or NULL */
    bool together; /* all that have left go on at once, before anything is computed */
    pav_status (*arrive)(struct parcel *p); /* once ranks have what they wait for */
} transport;
const transport *transport_between(executor *a, executor *b); /* or NULL */
/* What a run of several ranks would take, as far as this one knows: `here` is the
 * executor of its GPU; NULL: it has none. */
const transport *transport_between_ranks(const executor *here);

/* ---- borders (fill_borders.c) ------------------------------------------------------ */

/* Whether a neighbour lies beyond a face, which may be around the grid. */
bool subdomain_is_seam(const subdomain *part, int64_t field, int axis, int side);
/* Of a face of a subdomain: none where a neighbour lies beyond it. */
const ir_border *subdomain_border(const subdomain *part, int64_t field, int axis,
                                  int side);
/* Fills the border of one level; `step` is the step that level belongs to. */
pav_status subdomain_fill_border(subdomain *part, int field, int level, int64_t step);
/* The same after a step, which leaves a border alone that was filled before and never
 * changes. It may wait for others until end_borders. */
pav_status subdomain_keep_border(subdomain *part, int field, int level, int64_t step);
/* Of the borders of all buffers: filled after every step; filled and never changed; still
 * to be filled so. */
typedef enum border_state { BORDER_LIVE, BORDER_KEPT, BORDER_TO_KEEP } border_state;
border_state subdomain_border_state(const subdomain *part, int field);
bool subdomain_ends_are_alike(const subdomain *part, const ir_stage *s);
/* Along one axis, by an executor's copy_ghosts and stage. */
pav_status border_fill_axis(subdomain *part, int field, const view *v, int axis);
/* In a small grid the ghosts of side - may be copies of the face of side +, which gets
 * its value after them: a second round knows it. */
int border_rounds(const view *v, int axis);
/* Its ghosts are copies of points, or it has none at all. */
bool border_only_copies(const ir_border *b);
/* On the host: ghosts that are copies; and the ghosts and given points of a face along
 * its axis. */
void border_copy(const view *v, int axis, int side, border_kind kind, const box *range);
void border_slab(const view *v, int axis, int side, border_kind kind, box *b);
box border_box(const view *v, int axis, int side, border_kind kind); /* all of them */
/* A point whose value a border or a mask gives: an injection adds nothing to it. First
 * bring_masks: the host reads the masks. */
pav_status subdomain_bring_masks(subdomain *part, int field);
bool subdomain_point_is_fixed(const subdomain *part, int field, const int64_t *point);
bool point_is_given(const ir *code, int field, const int64_t *point); /* by a border */
/* Whether all faces, or what lies beyond them, have values that depend on neither time
 * nor fields. */
bool borders_are_still(const ir *code, const ir_field *f);

/* ---- sources and receivers --------------------------------------------------------- */

/* points.c: what is added at a neighbour of position `row` at a step, by which stage of
 * the injection, one point after the other; whether a sample is taken after a step, and
 * its row, from values of all neighbours or from a level. */
double source_amount(const point_set *set, double weight, int64_t row, int64_t step);
int source_stage(const ir_event *event);
pav_status subdomain_inject_each(subdomain *part, int64_t index);
bool sample_is_due(const statement *sample, int64_t step);
void sample_row(const point_set *set, const double *value, double *row);
void sample_view(const point_set *set, const view *v, double *row);
double point_value(const view *v, const int64_t *point);
box point_box(const int64_t *point);
void box_add_point(box *b, const int64_t *point); /* an empty one becomes the point's */

/* placed_points.c: neighbours of positions, sorted along one axis, those of a place in
 * the order of the positions. The list knows its axis: who asks need not. */
typedef struct placed_point {
    int64_t point[MAX_DIM], number, row; /* row: of its position */
    double weight;
} placed_point;
typedef struct placed_points {
    int64_t count;
    placed_point *item;
    int axis;       /* that they are sorted along */
    bool near_face; /* the border of a face depends on some of them */
} placed_points;
/* Of a source, without those that borders and masks fix; of a sample, all. */
pav_status placed_of_source(const subdomain *part, int64_t index, int axis,
                            placed_points *result);
pav_status placed_of_sample(const point_set *set, int axis, placed_points *result);
void placed_close(placed_points *m);
/* What a source adds at a step within a box; the values that a sample reads there, each
 * at the place of its number, and the box around them. */
typedef pav_status source_visit(void *user, double amount, const box *point);
pav_status sources_within(const point_set *set, const placed_points *m, const box *b,
                          int64_t step, source_visit *add_it, void *user);
pav_status placed_values(const placed_points *m, const box *b, const view *v,
                         double *value);
pav_status placed_box(const placed_points *m, const box *b, box *around);

/* ---- what tuners count ------------------------------------------------------------- */

/* trial_budget.c: what tuners may lose by candidates that turn out slower. */
enum {
    TRIAL_ASSUMED = 2, /* as slow as the fastest, so many times: what was not tried yet */
    TRIAL_SLOW = 4,    /* what turns out so many times as slow is not tried again */
};
typedef struct trial_budget {
    double best; /* seconds of a step of the fastest so far; 0: nothing was tried */
    double spent, taken; /* seconds of trials after the first, and their steps */
} trial_budget;
/* Whether a box is nearly as large as the one whose candidates are tried, wherever it
 * lies: as of another visit out of core, or of a subdomain that computes the strips along
 * its seams later. */
bool trial_is_of(const box *tried, const box *b);
/* Steps of the fastest that trials may lose. known: steps of the run, 0: nobody knows. */
double trial_allowance(int64_t known, int64_t done);
/* Whether a trial may take so many seconds for so many steps. */
bool trial_affords(const trial_budget *b, double allowance, double seconds, double steps);
/* The same of a candidate whose steps take `each` seconds; 0: it has not been tried. */
bool trial_may_begin(const trial_budget *b, double allowance, double each, double steps);
bool trial_is_slow(const trial_budget *b, double each);
/* False where a run is so short that nothing is tried besides the first candidate. */
bool trial_any_begins(int64_t known, double steps);
/* A trial took so many seconds in all, for so many steps, of which one takes `each`. */
void trial_note(trial_budget *b, double seconds, double steps, double each);

/* Bytes a second at which a memory is copied. */
typedef struct copy_rate {
    double usual, best;
} copy_rate;

#endif
