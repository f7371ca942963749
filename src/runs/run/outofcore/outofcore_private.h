/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: a grid larger than the device's memory.
 *
 * The whole grid is the run's own subdomain in the host's memory, the store. The device
 * has a window of it, some planes across the slowest axis. The window moves along this
 * axis once per block of several steps. Each position of the window is a visit, and is
 * computed like a time tile (exec/time): operation n of the block lies shift(n) planes
 * before operation 0. So each plane is uploaded once and comes back once per block, and
 * nothing is computed twice. Planes needed by the next visit stay on the device. The
 * store is read and written in place.
 *
 * On a periodic axis, the last visit has the first planes again, behind the last ones.
 *
 * An executor of the host works on the store for all but the steps: initial values,
 * measures, outputs, checkpoints. */
#ifndef RUN_OUTOFCORE_PRIVATE_H
#define RUN_OUTOFCORE_PRIVATE_H

#include "io/striped/striped.h"
#include "run/plan/needs_private.h"
#include "run/record_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

/* One activity of the host, for the timeline. */
typedef struct outofcore_span {
    bool moves; /* moves planes; else launches the operations of the visit */
    int64_t visit, block;
    double begun, ended;
} outofcore_span;

typedef struct disk_tier disk_tier;

/* Staging memory between a window and the disk. */
typedef struct disk_area {
    char *memory;
    int64_t bytes, used;
} disk_area;
typedef struct disk_planes {
    int field, buffer;
    int64_t lo, hi;
    char *memory; /* address of plane lo */
} disk_planes;
typedef struct disk_passage {
    disk_area in, out;
    disk_planes *staged; /* planes read ahead for the next visit */
    int64_t staged_count;
} disk_passage;

struct outofcore {
    outofcore_request requested;
    disk_tier *disk;      /* files of the store, shared by all windows; or NULL */
    disk_passage passage; /* staging memory of this window */
    time_state state;     /* skews, sources and receivers by their planes */
    /* schedule of time tiles for visits on processors; NONE: single steps */
    schedule tile;
    char tile_words[SCHEDULE_STRING];
    double tile_seconds; /* modelled seconds of a step by tiles */
    int64_t visit_tiles; /* tiles of a visit along the axis */
    time_state tiles;    /* the same as `state`, for the tiles */
    bool is_planned;
    int axis, steps;     /* steps: the most of a block */
    visit_launch launch; /* fused launches of a visit */
    /* the reason for taking steps stage by stage; empty: in blocks */
    char why_stages[240];
    /* the first plane of the first launch; on a periodic axis, the last visit has the
     * planes before it */
    int64_t begin;
    place_launch *fused; /* the compiled launch, once the run is open */
    executor *executor;  /* the executor of this window; or NULL */
    subdomain *window;
    int windows;      /* windows with blocks in turn */
    outofcore *other; /* windows 1, 2, ... in the same form */
    /* planes of the axis; its moves are multiples of `unit` */
    int64_t extent, halo, unit;
    int64_t width, planes; /* width: planes from visit to visit; planes: of the window */
    /* planes move during a visit; those for the next visit lie behind its own */
    bool overlaps;
    int64_t out;  /* offset in planes where planes of the last visit wait to go back */
    int64_t stay; /* the first planes, ghosts counted, resident in front of the window */
    bool stays;   /* they have the values of the last step */
    bool stale;   /* the store has older values of them */
    bool drains;  /* the last planes of the block are still on their way to the store */
    int *newest;  /* for each field: outofcore_newest at the end of the last block */
    int64_t pinned;        /* bytes of the store pinned for the device */
    machine_facts machine; /* with the rates of the model */
    int64_t limit, bytes;  /* bytes of the device's memory: available, and used */
    int64_t staged; /* bytes of the host's memory for planes on their way to disk */
    /* so far; sent, got: bytes to the device and back */
    int64_t blocks, visits, sent, got;
    double first;         /* clock at the start of the first exchange; 0: none yet */
    int64_t exchanges;    /* exchanges begun */
    outofcore_span *span; /* the spans of a timeline, if requested */
    int64_t spans, span_room;
    bool sent_once; /* unchanging fields are on the device whole */
    bool are_there; /* they have the store's values */
    bool stops;  /* the user has stopped the run, and the remaining time was reported */
    bool behind; /* the oldest levels in the store are older than the present step */
    bool under_way;      /* a block is under way, so levels belong to different steps */
    kept_failure broken; /* a visit failed, so levels belong to different steps */
};

/* plan.c. outofcore_parse: "naive", "auto:steps=8,parts=4". */
pav_status outofcore_parse(const pav_run *run, outofcore_request *requested);

/* ---- the operations of the stepper ------------------------------------------------- */

pav_status outofcore_plan(pav_run *run);                /* plan.c: chooses the visits */
pav_status outofcore_steps(pav_run *run, int64_t most); /* blocks.c */
pav_status outofcore_stage(pav_run *run, int stage);    /* stages.c */
pav_status outofcore_settle(pav_run *run);              /* move.c */
/* timeline.c: if requested, an empty file at the start, and all spans at the end. */
pav_status outofcore_begin_timeline(const pav_run *run);
pav_status outofcore_write_timeline(const pav_run *run);

/* ---- window.c: where the window is ------------------------------------------------- */

/* planes beyond an operation's own: read, or copied by ghosts */
int64_t outofcore_reach(const outofcore *o);
int64_t outofcore_stages_of(const outofcore *o); /* stages of one step */
int64_t outofcore_most_shift(const outofcore *o, int steps);
time_axis outofcore_axis(const outofcore *o, int steps);
/* The shift of an operation in planes; for mm, the planes that it computes less than the
 * first one. launches, before: fused launches and stages of the block before it. */
int64_t outofcore_shift(const outofcore *o, const ir_operation *what, int step,
                        int launches, int64_t before);
/* Fused launches of a block of `steps` steps, before its single ones. whole: the last
 * step is a single one, because only a single step leaves the oldest level. */
int outofcore_launches(const outofcore *o, int steps, bool whole);
/* The planes of visit k of a block, ghosts counted. On a periodic axis the last visit
 * also has the first planes again, behind the end. */
typedef struct outofcore_window {
    int64_t lo, hi;
    int64_t wrapped; /* planes 0 to `wrapped` again; 0: none */
} outofcore_window;
outofcore_window outofcore_window_of(const outofcore *o, int steps, int64_t k);
int64_t outofcore_resident_end(const outofcore *o); /* the first plane to move */
/* The planes of the largest visit of a block with this width; 0: impossible. overlaps:
 * with room for the planes of the next visit and, from *out on, for the planes of the
 * last one. */
int64_t outofcore_planes(const outofcore *o, int steps, int64_t width, bool overlaps,
                         int64_t *out);
bool outofcore_is_wide_enough(const outofcore *o, int steps, int64_t width);

/* outofcore_bytes: bytes of a window. outofcore_most_planes: planes of the largest window
 * in the device's memory. */
bool outofcore_bytes(const pav_run *run, int64_t planes, int64_t *bytes);
int64_t outofcore_most_planes(const pav_run *run);
field_shape outofcore_shape_of(const pav_run *run, const ir_field *f, int64_t planes);

/* ---- choose.c: steps and planes for the memory ------------------------------------- */

/* outofcore_measure finds the rates of the device, its link and the disks.
 * outofcore_choose: false: no visits fit. */
void outofcore_measure(pav_run *run);
bool outofcore_choose(const pav_run *run);
/* Modelled seconds of a step. */
double outofcore_single_seconds(const pav_run *run); /* in core, by loops of processors */
/* Bytes of one plane: uploaded and brought back per block, moved by a step, and in all
 * its buffers. */
typedef struct outofcore_plane {
    double uploaded, downloaded, step, all;
} outofcore_plane;
outofcore_plane outofcore_plane_of(const pav_run *run);
/* Modelled seconds of a step by the chosen visits; work: of the kernels; link: of the
 * transfers; 0: the device has no link. */
double outofcore_seconds(const pav_run *run, double *work, double *link);

/* ---- stages.c: steps stage by stage ------------------------------------------------ */

/* outofcore_is_visited: a window visits the stage; otherwise the host computes it in the
 * store. outofcore_stage_moves: the level is uploaded or brought back for the stage. */
bool outofcore_is_visited(const ir *code, const ir_stage *s);
bool outofcore_stage_moves(const ir *code, const ir_stage *s, int field, int level,
                           int where);

/* ---- block.c: fused launches on a GPU ---------------------------------------------- */

bool outofcore_asks_for_launch(const pav_run *run);
int outofcore_buffers(const pav_run *run, const ir_field *f); /* of the window */

/* ---- tiles.c: visits of processors in time tiles ----------------------------------- */

/* decides whether, and chooses the schedule */
pav_status outofcore_find_tiles(pav_run *run);
static inline bool outofcore_has_tiles(const outofcore *o)
{
    return o->tile.kind == SCHEDULE_CPU_TIME;
}

/* The state of the blocks, by the schedule of their visits. */
static inline time_state *outofcore_state(outofcore *o)
{
    return outofcore_has_tiles(o) ? &o->tiles : &o->state;
}

/* Steps of a time tile; 1: no tiles. */
static inline int outofcore_tile_steps(const outofcore *o)
{
    return outofcore_has_tiles(o) ? int_least(o->tile.tile.steps, o->steps) : 1;
}

void outofcore_fit_tiles(const pav_run *run); /* after visits are chosen */

/* ---- block.c: a block of steps, visit by visit ------------------------------------- */

typedef struct outofcore_operation {
    const ir_operation *what; /* NULL: a fused launch */
    int step;                 /* the first step, counted in the block */
    int launches, singles;    /* launches and single steps of the block before it */
    int64_t shift;
    const void *numbers; /* kernel arguments of a fused launch */
    double *uniform;     /* uniforms of the operation */
    double **inject;     /* for OPERATION_INJECT: the uniforms of each source */
    const bool *fill;    /* for each field: fill its border after the operation */
} outofcore_operation;

typedef struct outofcore_block {
    pav_run *run;
    outofcore *o;
    subdomain *window;
    arena *arena;
    time_axis axis;
    int64_t ahead; /* steps of unfinished blocks before it */
    bool goes_on;  /* the next block follows at once, without an observer */
    bool begun;
    int64_t stages; /* stages of all operations so far */
    int launches;   /* fused launches so far */
    int listed;     /* steps with operations so far */
    int64_t number; /* number of the block in the run */
    int64_t step;   /* its first step */
    int steps;
    bool whole; /* the oldest levels come back, too, because an observer may read them */
    bool first, last; /* the first, the last block of a round */
    int64_t operations;
    outofcore_operation *operation;
    int64_t visit, next; /* the present and the next visit */
    outofcore_window at;
    int64_t
        loaded_end; /* planes up to this one are on the device, some for the next visit */
    int64_t left_lo, left_hi; /* planes saved at `out`, to go back */
    box_move *move;           /* the present exchange, of `moves` */
    int64_t moves, moved_by;  /* moved_by: planes that results lie lower in the window */
    view *old;                /* for mm: planes of each buffer before the block */
    double *uniform;          /* for time tiles: uniforms at the start of the block */
    bool *kept;               /* for each field: its borders need no filling */
} outofcore_block;

/* tiles.c: visits by time tiles. */
pav_status outofcore_tiles_visit(outofcore_block *b);
/* outofcore_block_open prepares a block of `steps` steps. Each
 * outofcore_block_visit takes its next visit, of axis.tiles. */
pav_status outofcore_block_open(outofcore_block *b);
pav_status outofcore_block_visit(outofcore_block *b);
/* outofcore.c. outofcore_of: window n of a run. outofcore_at_once: blocks that
 * may be under way at once. */
outofcore *outofcore_of(const pav_run *run, int window);
int outofcore_at_once(const outofcore *o);
/* window.c: the address of a plane in a view. */
char *outofcore_plane_at(const outofcore *o, const view *v, int64_t plane);
/* first plane of the window's memory */
int64_t outofcore_first(const outofcore_block *b);
/* move.c. outofcore_forget_old: for the method mm, frees the planes of old levels. */
void outofcore_forget_old(outofcore_block *b);
/* The field is on the device as a whole. */
bool outofcore_is_whole(const outofcore *o, const ir_field *f);
/* Planes resident on the device from block to block. */
bool outofcore_may_be_resident(const outofcore *o);
/* outofcore_go_to moves the window to a visit; outofcore_leave ends the
 * last one. outofcore_has_planes, for asserts: a level has memory for the planes of a
 * range. */
bool outofcore_has_planes(const outofcore_block *b, const view *v, const box *range);
/* Copies planes between the window and the host's memory, and counts their bytes. */
pav_status outofcore_copy(outofcore_block *b, int field, const view *there,
                          const view *host, const box *range, int where);
/* Calls `work` for each level that moves, with the planes from `lo` up to `hi`, unless
 * there are none. all: unread levels, too. ghosts: on a periodic axis, also planes beyond
 * its ends. */
typedef pav_status outofcore_level_work(outofcore_block *b, int field, int level,
                                        const box *range, int where);
pav_status outofcore_each_level(outofcore_block *b, int64_t lo, int64_t hi, int where,
                                bool all, bool ghosts, outofcore_level_work *work);
pav_status outofcore_go_to(outofcore_block *b, int64_t visit);
pav_status outofcore_leave(outofcore_block *b);
/* Places the window's views, so that indices are planes of the grid; wrapped: the first
 * planes behind the end. */
void outofcore_place(outofcore_block *b, bool wrapped);
/* Direction of a move. Level 0 is the newest before the block (after it, on the way to
 * the store), level 1 the one before, and so on; the last is the oldest. */
enum {
    TO_DEVICE,
    TO_STORE,
    TO_DEVICE_AGAIN /* planes sent to the store by the block itself */
};
/* window.c. outofcore_moves: the level moves; all: unread levels, too. */
bool outofcore_moves(const outofcore_block *b, int field, int level, int where, bool all);
/* The buffer of a level in the window and in the store. */
const view *outofcore_in_window(const outofcore_block *b, int field, int level,
                                int where);
/* The buffer for the first result after this many launches and single steps. */
int outofcore_newest(const outofcore_block *b, int field, int launches, int singles);
/* Rotates the window's levels to the names of the next operation. */
void outofcore_turn(const outofcore_block *b, int launches, int singles);
/* move.c. outofcore_range: the planes of a range in the store's view of a field. */
box outofcore_range(const outofcore_block *b, int field, int64_t lo, int64_t hi,
                    bool ghosts);
/* The number of a level's buffer in the store. */
int outofcore_store_buffer(const outofcore_block *b, int field, int level, int where);
/* Waits for the planes that move during a visit. */
pav_status outofcore_exchanged(outofcore_block *b);
/* pinning pays for blocks of `steps` steps */
bool outofcore_pins(const pav_run *run, int steps);
/* timeline.c: does nothing in a run without a timeline. */
pav_status outofcore_note(const outofcore_block *b, bool moves, int64_t visit,
                          double begun);
/* Seconds of GPU kernels and the link waiting for each other, and of both being busy. */
typedef struct outofcore_use {
    double kernels_waited, link_waited, kernels_busy, link_busy;
} outofcore_use;
outofcore_use outofcore_use_of(const pav_run *run);
/* Keeps the ghosts of borders that are filled once, when their planes are uploaded. */
pav_status outofcore_keep_borders(outofcore_block *b, int64_t lo, int64_t hi);

/* ---- a store on disks -------------------------------------------------------------- */

/* A buffer of the store lives in one slot of its field. A round is a block, or several
 * blocks in several windows. It writes each buffer to a free slot, so all its input
 * survives until it is over. */
typedef struct disk_buffer {
    int slot, fresh; /* fresh: slot written by the present round; -1: none */
    bool lives;      /* the round reads it as input */
    char *written;   /* for each plane: the present round has written it */
} disk_buffer;
typedef struct disk_field {
    int slots, buffers;
    int64_t planes, plane; /* planes of a slot, ghosts counted; bytes of a plane */
    view *slot;
    uint64_t *sum; /* checksum of each plane of each slot; 0: none yet */
    bool *seen;    /* the host has compared it since the last block */
    disk_buffer *buffer;
} disk_field;

struct disk_tier {
    char *path[STRIPED_FILES]; /* directories, later files in them */
    int paths;
    bool there; /* the files are those of the checkpoint at the start of the run */
    bool kept;  /* the files are part of the run's checkpoint */
    char *former[STRIPED_FILES]; /* files of the checkpoint that this one replaces */
    int formers;
    int64_t there_bytes; /* bytes of fields in those files, from the checkpoint */
    int64_t limit;       /* bytes of the host's memory; 0: the free memory */
    int64_t bytes;       /* bytes of all slots */
    int64_t cached;      /* planes of each slot kept in the host's memory */
    double rate;         /* bytes a second, each way, while both go on */
    bool is_measured;    /* else it is assumed */
    striped *files;      /* NULL: not open yet */
    disk_field *field;
    arena *arena;   /* memory of `field` */
    disk_area some; /* staging memory for planes read without prefetching */
};

/* disk.c: whether the store is on disk, its size, its files, slots and
 * memory. */
pav_status disk_find(pav_run *run);
/* from a checkpoint with its fields in files */
bool disk_store_is_restarted(const pav_run *run);
int64_t disk_staged_bytes(const pav_run *run, int64_t width); /* at best */
pav_status disk_open_areas(pav_run *run);
pav_status disk_open_store(pav_run *run); /* maps the memory of all fields */
/* Planes of each slot that the host's memory can hold besides a window of `planes` planes
 * and its staging memory. */
int64_t disk_cached_planes(const pav_run *run, int64_t planes, int64_t width);
void disk_close(pav_run *run);
/* disk_planes.c */
pav_status disk_open_slots(pav_run *run);
int64_t disk_bytes(const pav_run *run, const ir_field *f);
int disk_slots(const ir_field *f);
pav_status disk_begin_round(const outofcore_block *b); /* before its first block */
void disk_place(const disk_field *d, int buffer, levels *l);
int64_t disk_place_in_files(const outofcore *o, const disk_field *d, int slot,
                            int64_t plane);
void disk_forget_sums(const pav_run *run, int64_t field, bool ghosts);
/* disk_seal gives each plane without a checksum its own.
 * disk_seal_round does so before a block. disk_begin_single prepares a step on the host:
 * it compares all planes, and drops the checksums of planes that the step may change. */
pav_status disk_seal(const pav_run *run);
pav_status disk_seal_round(const pav_run *run);
pav_status disk_begin_single(const pav_run *run);
/* Moves planes between the window and the disk. */
pav_status disk_fetch(outofcore_block *b, int field, int level, const box *range,
                      int where);
pav_status disk_keep(outofcore_block *b, int field, int level, const box *range);
pav_status disk_prefetch(outofcore_block *b); /* for the next visit */

#endif
