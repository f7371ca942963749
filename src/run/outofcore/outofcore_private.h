/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: a grid that a device's memory does not hold.
 *
 * All of it is the run's own subdomain, in the host's memory: the store. The device has a
 * window of it, some planes across the slowest axis, which moves along this axis once for
 * a block of several steps. What is done there in one place is a visit, and is a time
 * tile (exec/time): operation n of the block lies shift(n) planes before operation 0. So
 * each plane goes to the device once and comes back once a block, nothing is computed
 * twice, and the planes that the next visit needs stay where they are. The store is read
 * and written in place.
 *
 * Where the axis wraps around, the first planes come behind the last ones in the last
 * visit.
 *
 * All that is not a step is done in the store, by an executor of the host: initial
 * values, measures, outputs, checkpoints. */
#ifndef RUN_OUTOFCORE_PRIVATE_H
#define RUN_OUTOFCORE_PRIVATE_H

#include "io/striped/striped.h"
#include "run/plan/needs_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

/* What the host did from one time to another: of a timeline. */
typedef struct outofcore_span {
    bool moves; /* planes; else it asked for the operations of the visit */
    int64_t visit, block;
    double begun, ended;
} outofcore_span;

typedef struct disk_tier disk_tier;

/* Memory that planes pass through on their way to the disk and from it. */
typedef struct disk_area {
    char *memory;
    int64_t bytes, used;
} disk_area;
typedef struct disk_planes {
    int field, buffer;
    int64_t lo, hi;
    char *memory; /* of plane lo */
} disk_planes;
typedef struct disk_passage {
    disk_area in, out;
    disk_planes *staged; /* that came meanwhile */
    int64_t staged_count;
} disk_passage;

struct outofcore {
    outofcore_request requested;
    disk_tier *disk;      /* the store is in files, of all windows; or NULL */
    disk_passage passage; /* of this window */
    time_state state;     /* skews; sources and receivers by their place */
    schedule tile;        /* of visits of processors in time tiles; NONE: single steps */
    char tile_words[SCHEDULE_STRING];
    double tile_seconds; /* of a step by them, by the model */
    int64_t visit_tiles; /* of a visit along the axis */
    time_state tiles;    /* as `state`, of these */
    bool is_planned;
    int axis, steps;      /* steps: the most of a block */
    int depth;            /* steps of a fused launch; 1: there are none ... */
    char why_single[240]; /* ... for this reason; empty: nobody asked for one */
    char why_stages[240]; /* steps are taken stage by stage; empty: in blocks */
    int64_t radius;       /* planes around its own that a fused launch reads ... */
    int64_t ahead;        /* ... and asks for, behind those of the window, too ... */
    int64_t begin;        /* ... so that the first one begins with this plane where the
                             axis wraps around, in whose last visit are the others */
    schedule launch;      /* of fused launches */
    place_launch *fused;  /* once the run is open */
    executor *executor;   /* of this window; or NULL */
    subdomain *window;
    int windows;                /* that take turns at the blocks */
    outofcore *other;           /* as this one, of windows 1, 2, ... */
    int64_t extent, halo, unit; /* of the axis; it moves by multiples of the unit */
    int64_t width, planes;      /* that a visit goes on by; of the window */
    bool overlaps;  /* planes come and go while a visit goes on: behind its own ... */
    int64_t out;    /* ... are those that come, and from this one on those that go */
    int64_t stay;   /* the first planes, ghosts counted, lie before the window's ... */
    bool stays;     /* ... where they are there as of the last step ... */
    bool stale;     /* ... so that the store has older ones there ... */
    bool drains;    /* ... while the last planes of the block are still on their way */
    int *newest;    /* ... of each field in this buffer */
    int64_t pinned; /* bytes of the store that the device copies by itself */
    machine_facts machine; /* with rates as the model has them */
    int64_t limit, bytes;  /* of the device's memory: what there is, and what is taken */
    int64_t staged; /* bytes of the host's memory for planes on their way to disk */
    int64_t blocks, visits, sent, got; /* so far; bytes to the device and back */
    double first;         /* when the first exchange began; 0: there was none */
    int64_t exchanges;    /* that were begun */
    outofcore_span *span; /* of a run with a timeline */
    int64_t spans, span_room;
    bool sent_once; /* fields that no step stores are on the device whole ... */
    bool are_there; /* ... and as the store has them */
    bool stops;     /* somebody has stopped the run, and knows what is waited for */
    bool behind;    /* the oldest levels in the store are not those of the present step */
    bool under_way; /* visits of a block, so that fields are of no step */
    pav_status broken; /* visits failed: fields are of no step ... */
    char *why_broken;  /* ... for this reason; NULL: memory ran out */
};

/* outofcore_request.c: "naive", "auto:steps=8,parts=4". */
pav_status outofcore_parse(const pav_run *run, outofcore_request *requested);
/* For plans and reports: "3 visits"; "auto:steps=8,parts=4", which asks for the same
 * visits again; the method and that in JSON. Whether planes come and go between visits,
 * though asked for otherwise. */
void outofcore_add_count(text *t, int64_t count, const char *what);
void outofcore_add_as(const pav_run *run, text *t);
void outofcore_add_method_json(const pav_run *run, text *t);
bool outofcore_is_not_overlapped(const outofcore *o);
/* outofcore_refusal.c: why a program cannot be visited, in `why`; else it stays empty. No
 * visits fit into the memory. */
void outofcore_refusal(const pav_run *run, const outofcore *o, text *why);
pav_status outofcore_too_little(const pav_run *run);
pav_status outofcore_check_settings(const pav_run *run);
pav_status outofcore_check_resident(const pav_run *run); /* planes that are asked for */

/* ---- outofcore_shape.c: where the window is ---------------------------------------- */

int64_t outofcore_reach(const outofcore *o);     /* of an operation, and of its ghosts */
int64_t outofcore_stages_of(const outofcore *o); /* of a step */
int64_t outofcore_most_shift(const outofcore *o, int steps);
time_axis outofcore_axis(const outofcore *o, int steps);
/* How far an operation lies behind the first; of mm, how much less of it is computed.
 * before: launches, stages of the block before it. */
int64_t outofcore_shift(const outofcore *o, const ir_operation *what, int step,
                        int launches, int64_t before);
/* Fused launches of a block of so many steps, before its single ones. whole: the last
 * step is a single one, which alone leaves the oldest level. */
int outofcore_launches(const outofcore *o, int steps, bool whole);
/* Of visit k of a block: planes from lo up to hi, ghosts counted; then of those behind
 * the end that are the first again, which the last visit has where the axis wraps
 * around. */
typedef struct outofcore_window {
    int64_t lo, hi;
    int64_t wrapped; /* from 0 up to this; 0: none */
} outofcore_window;
outofcore_window outofcore_window_of(const outofcore *o, int steps, int64_t k);
int64_t outofcore_resident_end(
    const outofcore *o); /* the first plane that comes and goes */
/* Offset in planes at which wrapped planes 0, 1, ... lie behind the last plane. */
int64_t outofcore_around(const outofcore *o, const ir_field *f);
/* Planes that any visit of so many steps has, with this width; 0: they cannot be.
 * overlaps: with those of the next one and those that the one before left, which begin at
 * *out. */
int64_t outofcore_planes(const outofcore *o, int steps, int64_t width, bool overlaps,
                         int64_t *out);
bool outofcore_is_wide_enough(const outofcore *o, int steps, int64_t width);

/* ---- outofcore_plan.c: steps and planes from what the memory holds ----------------- */

/* Bytes of a window; planes of the largest that the device's memory holds. */
bool outofcore_bytes(const pav_run *run, int64_t planes, int64_t *bytes);
int64_t outofcore_most_planes(const pav_run *run);
/* outofcore_choose.c: false: no visits fit. */
bool outofcore_choose(const pav_run *run);
field_shape outofcore_shape_of(const pav_run *run, const ir_field *f, int64_t planes);
/* outofcore_rates.c: of the device, its link and the disks; whether they are those of a
 * clock. */
pav_status outofcore_measure(pav_run *run);
bool outofcore_is_timed(const pav_run *run);
bool outofcore_is_predicted(const pav_run *run); /* by a model */
/* How a block goes. */
typedef struct outofcore_visits {
    int steps;
    int64_t width, stay;
    bool overlaps;
} outofcore_visits;
outofcore_visits outofcore_visits_of(const outofcore *o);
/* outofcore_cost.c: seconds of a step by the model. */
double outofcore_cost(const pav_run *run, const outofcore_visits *v);
double outofcore_single_seconds(const pav_run *run); /* in core, by loops of processors */
/* The same as chosen, and those of kernels and of the link; 0: the device has
 * none. */
double outofcore_seconds(const pav_run *run, double *work, double *link);

/* ---- outofcore_stages.c: steps that are taken stage by stage ----------------------- */

pav_status outofcore_find_stages(pav_run *run); /* whether they are, and why */
bool outofcore_choose_stages(const pav_run *run, int64_t planes);
pav_status outofcore_single_step(pav_run *run);
/* Whether a window visits the stage, else the host takes it in the store; levels that go
 * with it. */
bool outofcore_is_visited(const ir *code, const ir_stage *s);
bool outofcore_stage_moves(const ir *code, const ir_stage *s, int field, int level,
                           int where);

/* ---- outofcore_fused.c: fused launches on a GPU ------------------------------------ */

pav_status outofcore_find_launch(pav_run *run);   /* what it would be, if any */
pav_status outofcore_make_launches(pav_run *run); /* compiled */
bool outofcore_asks_for_launch(const pav_run *run);
int outofcore_buffers(const pav_run *run, const ir_field *f); /* of the window */

/* ---- outofcore_tiles.c: visits of processors in time tiles ------------------------- */

pav_status outofcore_find_tiles(pav_run *run); /* whether, and which */
static inline bool outofcore_has_tiles(const outofcore *o)
{
    return o->tile.kind == SCHEDULE_CPU_TIME;
}

/* Of blocks as they go. */
static inline time_state *outofcore_state(outofcore *o)
{
    return outofcore_has_tiles(o) ? &o->tiles : &o->state;
}

/* That one takes; 1: there are none. */
static inline int outofcore_tile_steps(const outofcore *o)
{
    return outofcore_has_tiles(o) ? int_least(o->tile.tile.steps, o->steps) : 1;
}

void outofcore_fit_tiles(const pav_run *run); /* once visits are chosen */

/* ---- outofcore_block.c: a block of steps, visit by visit --------------------------- */

typedef struct outofcore_operation {
    const ir_operation *what; /* NULL: a fused launch */
    int step;                 /* of the block, the first */
    int launches, singles;    /* of the block that were before it */
    int64_t shift;
    const void *numbers; /* of a fused launch */
    double *uniform;     /* as the operation finds them */
    double **inject;     /* of OPERATION_INJECT: the same of each injection */
    const bool *fill;    /* fields whose borders it leaves to be filled */
} outofcore_operation;

typedef struct outofcore_block {
    pav_run *run;
    outofcore *o;
    subdomain *window;
    arena *arena;
    time_axis axis;
    int64_t ahead; /* steps of blocks before it that are not over yet */
    bool goes_on;  /* the next block follows at once: no observer is between */
    bool begun;
    int64_t stages; /* of all operations so far, */
    int launches;   /* and fused launches */
    int64_t number; /* of the run's blocks */
    int64_t step;   /* that it begins with */
    int steps;
    bool whole;       /* the oldest levels come back, too: somebody may read them */
    bool first, last; /* of those that are taken together */
    int64_t operations;
    outofcore_operation *operation;
    int64_t visit, next; /* the present one; the one that is to come */
    outofcore_window at;
    int64_t come; /* planes up to this one are there, maybe for the next visit */
    int64_t left_lo, left_hi; /* that lie at `out`, to go back */
    box_move *move;           /* of the present exchange, of `moves` */
    int64_t moves;
    view *old;       /* of mm: planes of each buffer as before the block */
    double *uniform; /* of time tiles: scalars as the block finds them; */
    bool *kept;      /* of each field, whether its borders are there */
} outofcore_block;

/* outofcore_tiles.c: of visits in time tiles; whether one is. */
bool outofcore_is_tiled(const outofcore_block *b, int64_t visit);
pav_status outofcore_tiles_open(outofcore_block *b);
pav_status outofcore_tiles_visit(outofcore_block *b);
/* outofcore_block.c: `steps` of them `ahead` steps on; its next visit, of axis.tiles. */
pav_status outofcore_block_open(outofcore_block *b);
pav_status outofcore_block_visit(outofcore_block *b);
pav_status outofcore_block_end(outofcore_block *b); /* what is left comes back */
void outofcore_block_close(outofcore_block *b);
/* outofcore_windows.c: window n of a run; how many blocks may be under way at once. */
outofcore *outofcore_of(const pav_run *run, int window);
int outofcore_at_once(const outofcore *o);
pav_status outofcore_open_windows(pav_run *run);
void outofcore_close_windows(pav_run *run);
int64_t outofcore_first(const outofcore_block *b); /* of the window's memory */
/* Planes of an operation in the present visit; less those that a border gives of a field;
 * whether it fills the ghosts of a face. */
spans outofcore_points(const outofcore_block *b, int64_t shift);
spans outofcore_inner(const outofcore_block *b, int64_t shift, const ir_field *f);
bool outofcore_has_face(const outofcore_block *b, int64_t shift, const ir_field *f,
                        int side);
/* outofcore_again.c: from visit to visit by mm. */
pav_status outofcore_go_again(outofcore_block *b, const outofcore_window *next);
void outofcore_forget_old(outofcore_block *b);
void outofcore_own(const outofcore_block *b, int64_t visit, int64_t *lo, int64_t *hi);
pav_status outofcore_move_planes(outofcore_block *b, int64_t lo, int64_t hi, int where,
                                 bool all, bool ghosts);
/* outofcore_fused.c: of the planes of the box. */
pav_status outofcore_launch(outofcore_block *b, const outofcore_operation *m,
                            const box *where);
/* Whether a field is on the device whole; they are sent. */
bool outofcore_is_whole(const outofcore *o, const ir_field *f);
pav_status outofcore_send_whole(outofcore_block *b);
/* outofcore_resident.c: planes that stay on the device from block to block. Whether there
 * may be any; from which plane on a block brings them; they come back to the store; where
 * their levels are. */
bool outofcore_may_be_resident(const outofcore *o);
pav_status outofcore_resident_open(const pav_run *run);
int64_t outofcore_resident_from(const outofcore_block *b, int64_t lo);
pav_status outofcore_resident_back(outofcore_block *b);
void outofcore_resident_note(const outofcore_block *b);
/* outofcore_operations.c: all of them, in the order of single steps. */
pav_status outofcore_operations_open(outofcore_block *b);
/* outofcore_move.c: the window goes on to a visit; and after the last. For asserts:
 * whether a level has memory for the planes of a range. */
bool outofcore_has_planes(const outofcore_block *b, const view *v, const box *range);
pav_status outofcore_go_to(outofcore_block *b, int64_t visit);
pav_status outofcore_leave(outofcore_block *b);
/* Indices name planes where they lie in the grid; wrapped: behind the end. */
void outofcore_place(outofcore_block *b, bool wrapped);
/* Levels move between the store and the window: 0 is the one before the block, or after
 * it, 1 the one before that, and so on; the last is the oldest. */
enum {
    TO_DEVICE,
    TO_STORE,
    TO_DEVICE_AGAIN /* what the block itself has sent to the store */
};
bool outofcore_moves(const outofcore_block *b, int field, int level, int where, bool all);
/* The buffer of such a level there and here. */
const view *outofcore_in_window(const outofcore_block *b, int field, int level,
                                int where);
const view *outofcore_in_store(const outofcore_block *b, int field, int level, int where);
/* The buffer that the operation behind so many launches and single steps would store
 * first. */
int outofcore_newest(const outofcore_block *b, int field, int launches, int singles);
/* The window's levels as the next operation names them. */
void outofcore_turn(const outofcore_block *b, int launches, int singles);
box outofcore_range(const outofcore_block *b, int field, int64_t lo, int64_t hi,
                    bool ghosts);
bool outofcore_all_go(const outofcore_block *b, int64_t lo);
/* The number of that buffer in the store. */
int outofcore_store_buffer(const outofcore_block *b, int field, int level, int where);
/* outofcore_exchange.c: planes that come and go while a visit goes on. */
bool outofcore_overlaps(const outofcore_block *b, const outofcore_window *next);
pav_status outofcore_save(outofcore_block *b, int64_t lo, int64_t hi); /* to `out` */
pav_status outofcore_exchange(outofcore_block *b);
/* The last planes go while the next block begins; whether they may. */
bool outofcore_may_drain(const outofcore_block *b);
pav_status outofcore_drain(outofcore_block *b);
pav_status outofcore_exchanged(outofcore_block *b);
/* outofcore_pin.c: the store, as far as the system allows. */
pav_status outofcore_pin(pav_run *run);
bool outofcore_pins(const pav_run *run, int steps); /* blocks of so many are worth it */
void outofcore_unpin(pav_run *run);
/* outofcore_timeline.c: nothing in a run without one. */
pav_status outofcore_note(const outofcore_block *b, bool moves, int64_t visit,
                          double begun);
/* Seconds that a GPU's kernels waited for the link, and the link for kernels. */
void outofcore_waits(const pav_run *run, double *kernels, double *link);
/* Seconds in which the kernels of visits were busy, and the link was. */
void outofcore_busy(const pav_run *run, double *kernels, double *link);
/* outofcore_borders.c: of what an operation stored in the present visit. */
pav_status outofcore_fill(outofcore_block *b, const outofcore_operation *m);
pav_status outofcore_fill_launch(outofcore_block *b, const outofcore_operation *m);
/* Borders of a field that depend on neither time nor fields: filled where planes come,
 * and never after it. */
bool outofcore_keeps_border(const outofcore_block *b, int field);
pav_status outofcore_keep_borders(outofcore_block *b, int64_t lo, int64_t hi);
/* ---- a store on disks -------------------------------------------------------------- */

/* A buffer of the store is in one slot of its field, and what a round writes of it, a
 * block or those that follow each other through several windows, goes to another that is
 * free: until the round is over, all that it began with is there. */
typedef struct disk_buffer {
    int slot, fresh; /* fresh: of the present round; -1: none */
    bool lives;      /* the round began with it */
    char *written;   /* planes, by the present round */
} disk_buffer;
typedef struct disk_field {
    int slots, buffers;
    int64_t planes, plane; /* of a slot, ghosts counted; bytes of one */
    view *slot;
    uint64_t *sum; /* of each plane of each slot; 0: it has none ... */
    bool *seen;    /* ... which the host has compared since the last block */
    disk_buffer *buffer;
} disk_field;

struct disk_tier {
    char *path[STRIPED_FILES]; /* directories, then files in them */
    int paths;
    bool there; /* the files are those of a checkpoint that the run goes on from */
    bool kept;  /* they are part of the run's checkpoint */
    char *former[STRIPED_FILES]; /* files of the checkpoint that this one takes the
                                    place of */
    int formers;
    int64_t there_bytes; /* of fields in those files, as the checkpoint says */
    int64_t limit;       /* bytes of the host's memory; 0: what is free */
    int64_t bytes;       /* of all slots */
    int64_t cached;      /* planes of each slot that stay in the host's memory */
    double rate;         /* bytes a second, each way, while both go on; */
    bool is_measured;    /* else it is assumed */
    striped *files;      /* NULL: not open yet */
    disk_field *field;
    disk_area some; /* that what is waited for at once passes through */
};

/* outofcore_disk.c: whether there is one, its bytes; its files, slots and memory. */
pav_status disk_find(pav_run *run);
bool disk_is_gone_on_from(const pav_run *run); /* a checkpoint whose fields are there */
pav_status disk_plan(pav_run *run);
int64_t disk_staged_bytes(const pav_run *run, int64_t width); /* at best */
pav_status disk_open_areas(pav_run *run);
/* outofcore_cached.c: planes of each slot that the host's memory holds besides a window
 * of so many planes and what is on its way; they are cached. */
int64_t disk_cached_planes(const pav_run *run, int64_t planes, int64_t width);
pav_status disk_cache(pav_run *run);
void disk_close(pav_run *run);
/* outofcore_commit.c: paths of the files of a checkpoint, to be freed, and bytes of the
 * fields in them; none: it has its fields itself, or is none. */
pav_status disk_peek(const char *checkpoint, char **path, int *paths, int64_t *bytes);
/* outofcore_slots.c */
pav_status disk_open_slots(pav_run *run);
int64_t disk_bytes(const pav_run *run, const ir_field *f);
int disk_slots(const pav_run *run, const ir_field *f);
int disk_kept(const ir_field *f); /* levels that a block begins with */
void disk_close_slots(pav_run *run);
pav_status disk_begin_round(const outofcore_block *b);           /* its first */
int disk_fresh(const outofcore_block *b, int field, int buffer); /* to write to */
void disk_end_round(const outofcore_block *b);                   /* its last */
void disk_place(const disk_field *d, int buffer, levels *l);
char *disk_plane_at(const outofcore *o, const view *v, int64_t plane);
int64_t disk_place_in_files(const outofcore *o, const disk_field *d, int slot,
                            int64_t plane);
void disk_forget_sums(const pav_run *run, int64_t field, bool ghosts);
/* outofcore_sums.c: planes without a sum that are to be read get one; so they do before a
 * block, and after a step that the host takes; before that all are compared. Whenever the
 * host reads planes, those are. */
pav_status disk_seal(const pav_run *run);
pav_status disk_seal_round(const pav_run *run);
pav_status disk_begin_single(const pav_run *run);
void disk_keep_watch(pav_run *run);
/* outofcore_staged.c: planes between the window and the disk. */
pav_status disk_bring(outofcore_block *b, int field, int level, const box *range,
                      int where);
pav_status disk_keep(outofcore_block *b, int field, int level, const box *range);
pav_status disk_prefetch(outofcore_block *b); /* for the next visit */
pav_status disk_wait(outofcore_block *b);

/* outofcore_points.c: sources and receivers in a box. */
pav_status outofcore_inject(outofcore_block *b, const outofcore_operation *m,
                            const box *where);
pav_status outofcore_sample(outofcore_block *b, const outofcore_operation *m,
                            const box *where);
/* Of a fused launch, after each of its steps; the last of which borders have filled. */
pav_status outofcore_sample_launch(outofcore_block *b, const outofcore_operation *m,
                                   const box *where);

#endif
