/* SPDX-License-Identifier: BSD-3-Clause */
/* The executor of a grid that is cut into subdomains: it hands each operation to the
 * executors of the subdomains, each with its share of a box.
 * All indices are those of the whole grid. Fields lie in the subdomains; the levels of
 * the whole are mirrors in the host's memory, filled when the host asks for them. */
#ifndef EXEC_SPLIT_PRIVATE_H
#define EXEC_SPLIT_PRIVATE_H

#include "exec/exec.h"

/* State of a buffer of a field, of the whole and of each subdomain. */
typedef struct split_level {
    bool host_is_new, parts_are_new; /* at least one is */
    bool stale;      /* points beyond seams are not yet those of the neighbours, ... */
    int from;        /* ... along axes from this one on */
    halo_depth good; /* with wide halos: valid depth beyond seams */
} split_level;

/* Memory of the host for halos between two places. */
typedef struct staging {
    char *bytes;
    int64_t room;
} staging;

/* A box of points on its way between two subdomains. */
typedef struct parcel {
    halo_move what;
    const transport *by;
    staging values;
    packed_box leaving, arriving; /* on devices */
    bool left; /* its values are in the host's memory, or on their way there */
} parcel;

/* The points of a field read beyond seams: beyond faces only; also edges and corners; or
 * corners read by borders, which must arrive together with the border. */
typedef enum halo_use { HALO_FACES, HALO_CORNERS, HALO_AT_ONCE } halo_use;

/* Costs of all exchanges so far: bytes, and seconds spent by the caller
 * (split_exchange.c). */
typedef struct exchange_mean {
    double seconds;
    int64_t count;
} exchange_mean;
typedef struct split_cost {
    const char *by; /* transport: the last one used between memories; or NULL */
    int64_t bytes;
    double seconds, begun;
    int nested;
    bool later;                  /* for some, the seconds cover the requests alone */
    int64_t exchanges;           /* exchanges of stages with an inside */
    exchange_mean whole, waited; /* timed exchanges: in all, and not hidden */
    /* an exchange on a GPU was timed, with marks not read yet */
    bool marked;
} split_cost;

/* Subdomains on processors that compute at the same time, each led by a leader
 * (split_stages.c). */
typedef struct leaders {
    host_team *team;       /* or NULL: they compute in turn */
    int groups, *group;    /* of each subdomain; -1: no group */
    double *uniform;       /* of each group */
    kept_failure *failure; /* of each leader */
    halo_move *move;       /* pending */
    int64_t moves, move_room;
} leaders;

/* Whole lines of a level at a subdomain: in the memory of its GPU, or in the mirror of
 * the whole. */
typedef struct split_lines {
    executor host; /* stands for the mirror */
    executor *at;  /* owner of the memory */
    view level;
    box range;
    void *memory; /* of the GPU, with room for some bytes */
    int64_t room;
} split_lines;

typedef struct split {
    executor base;
    subdomain *whole;
    decomposition *cut;  /* of the grid and its coarse grids */
    split_level **level; /* of every buffer of every field */
    bool *deep;          /* of every field: read beyond seams */
    halo_use *use;       /* of every field: its points read there */
    staging staging;
    parcel *parcel; /* parcels under way, and room for more */
    int64_t parcels, parcel_room;
    box *share, *inside; /* of each subdomain, for the present stage */
    int left;            /* steps left before halos are exchanged */
    bool behind;         /* the oldest levels do not belong to the present step */
    double *weighed;     /* of each subdomain: seconds of its stages; or NULL */
    split_cost cost;
    leaders leaders;
    split_lines *lines; /* of each subdomain */
    gpu_links *links;   /* or NULL */
    char unlinked[256]; /* reason, if they could not be opened */
} split;

/* ---- shares and fields (split_executor.c) ------------------------------------------ */

/* The points of a box of a grid that belong to a subdomain or lie beyond one of its outer
 * faces. */
box split_share(const split *s, int64_t n, int coarse, const box *all);
int split_coarse(const split *s, int64_t field); /* grid of a field */
/* True if all subdomains hold all points of a field. */
bool split_has_all(const split *s, int64_t field);
int64_t split_buffer(const split *s, int64_t field, const view *v); /* v: of the whole */
const view *split_view(const split *s, int64_t n, int64_t field, int64_t buffer);
bool split_is_in_step(const split *s); /* for asserts */
/* Updates the subdomains from the mirror; `stored`: they will change the level. */
pav_status split_on_parts(split *s, int64_t field, int64_t buffer, bool stored);
void split_close_sources(subdomain *inner);

/* ---- halos under way (split_exchange.c) -------------------------------------------- */

/* split_beyond: points of a halo along one axis. split_exchange_lines: points to
 * the owners of their lines, or `back`; without lines, for a field held whole by all
 * subdomains, the points computed by each. split_refresh_begin: halos read by a stage;
 * the last ones may be under way until split_arrive. split_progress advances them. */
box split_beyond(const subdomain *inner, int64_t field, halo_use use, const view *v,
                 int axis, int side);
pav_status split_exchange_lines(split *s, int field, int64_t buffer,
                                const split_lines *lines, bool back);
pav_status split_exchange_axis(split *s, int field, int64_t buffer, int axis);
pav_status split_refresh_begin(split *s, const interp_args *args,
                               const halo_depth *extra);
pav_status split_refresh_border(split *s, int field, const view *v);
/* Refreshes all halos that steps read, if they are stale within depth `needed`; NULL:
 * full depth. */
pav_status split_refresh_all(split *s, const halo_depth *needed);
bool split_is_cut(const split *s, int axis);
pav_status split_progress(split *s);
pav_status split_arrive(split *s);
void split_close_parcels(split *s);
pav_status staging_room(staging *s, int64_t bytes); /* grows to `bytes` bytes */
pav_status split_open_links(split *s);
/* split_is_awaited: this exchange is awaited at once, to measure it. split_note: the
 * exchange is over; `before`: seconds when it began. split_mark_inside sets a mark on a
 * GPU's clock. */
bool split_is_awaited(const split *s);
void split_note(split *s, double before);
pav_status split_mark_inside(split *s);
void split_add_figures(const split *s, executor_figures *all);

/* ---- depths of halos (split_cut.c) ------------------------------------------------- */

/* Radius of a load. A stage of two passes also computes planes beyond a face, where a
 * periodic axis has a seam. */
void halo_reach(const ir *code, const ir_stage *s, const ir_node *n, int axis,
                int *depth);
halo_use halo_use_of(const ir *code, int64_t field, bool wide);
/* wide_halo_work_out: again, after stages were split. wide_halo_extra: depth beyond seams
 * to compute a stage, `left` steps before the next exchange. */
pav_status wide_halo_work_out(wide_halo *w, const ir *code);
halo_depth wide_halo_injected(const wide_halo *w, int64_t injection);
halo_depth wide_halo_extra(const wide_halo *w, const ir *code, int left,
                           const ir_stage *stage);
/* Marks a level stale, or fresh. */
void split_is_stale(split_level *l);
void split_is_fresh(const split *s, int64_t field, split_level *l);
/* Valid depth beyond seams after a stage, a border, an injection. */
void split_limit(halo_depth *d, halo_depth other); /* the smaller depth */
bool halo_is_within(const halo_depth *d, const halo_depth *room);
void split_bordered(split *s, int field, int64_t buffer);
void split_injected(split *s, int64_t index, int64_t buffer, const interp_args *args);
bool split_is_good(const split *s, const ir_stage *stage, const ir_node *n, const view *v,
                   const halo_depth *extra);
/* For asserts: all loads of a stage find valid points, or halos are on their way. */
bool split_finds_halos(const split *s, const interp_args *args, const halo_depth *extra);
pav_status split_fill_wide(split *s, int field, int64_t buffer, int axis);

/* ---- stages (split_stages.c) ------------------------------------------------------- */

pav_status split_stage(executor *self, const interp_args *args);
/* split_lines.c: transforms lines that cross seams. */
pav_status split_transform(split *s, const interp_args *args);
void split_close_lines(split *s);
/* The work of a leader for subdomain n of its group, with its own uniform slots. Work of
 * all subdomains: in turn, then of those with leaders at the same time. */
typedef pav_status leader_work(split *s, int64_t n, int group, double *uniform,
                               void *user);
pav_status work_on_all(split *s, leader_work *work, double *uniform, void *user);
/* Leaders of subdomains on processors, and moves of halos left to them. */
pav_status leaders_open(split *s);
void leaders_close(split *s);
pav_status leaders_add_move(split *s, const halo_move *m);
void leaders_copy(split *s);

#endif
