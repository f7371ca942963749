/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of a grid that is cut: its executor, which hands each operation to
 * the executors of the subdomains, every one with its share of a box.
 *
 * All indices are those of the whole grid. Fields lie in the subdomains; the levels of
 * the whole are mirrors in the host's memory, filled where the host asks for them. */
#ifndef EXEC_SPLIT_PRIVATE_H
#define EXEC_SPLIT_PRIVATE_H

#include "exec/exec_private.h"

/* A buffer of a field, of the whole and of each subdomain. */
typedef struct split_level {
    bool host_is_new, parts_are_new; /* at least one is */
    bool stale;      /* points beyond seams are not those of the neighbours yet, */
    int from;        /* along axes from this one on */
    halo_depth good; /* with wide halos: so far beyond seams they are */
} split_level;

/* Memory of the host that halos pass through between two places. */
typedef struct staging {
    char *bytes;
    int64_t room;
} staging;

/* A box of points on its way. */
typedef struct parcel {
    halo_move what;
    const transport *by;
    staging values;
    packed_box leaving, arriving; /* on devices */
    bool left; /* its values are in the host's memory, or on their way */
} parcel;

/* What is read of a field beyond seams: points beyond faces alone; edges and corners,
 * too; the same by borders, which look for themselves, so that they must be there with
 * the border. */
typedef enum halo_use { HALO_FACES, HALO_CORNERS, HALO_AT_ONCE } halo_use;

/* Of all exchanges so far: bytes, and seconds that the caller spent on them
 * (split_cost.c). */
typedef struct exchange_mean {
    double seconds;
    int64_t count;
} exchange_mean;
typedef struct split_cost {
    const char *by; /* which transport, the last that is not within a memory; or NULL */
    int64_t bytes;
    double seconds, begun;
    int nested;
    bool later;                  /* of some it is the time of asking */
    int64_t exchanges;           /* next to an inside */
    exchange_mean whole, waited; /* of those that were timed: in all, and not hidden */
    bool marked;                 /* one was, on a GPU, whose marks are not read yet */
} split_cost;

/* Leaders of subdomains on processors that compute at the same time (split_leaders.c). */
typedef struct leaders {
    host_team *team;    /* or NULL: they take turns */
    int groups, *group; /* of each subdomain; -1: of none */
    double *uniform;    /* of each group */
    pav_status *status;
    char **why;
    halo_move *move; /* that wait */
    int64_t moves, move_room;
} leaders;

typedef struct split {
    executor base;
    subdomain *whole;
    decomposition *cut;  /* of the grid and its coarse ones */
    split_level **level; /* of every buffer of every field */
    bool *deep;          /* of every field: something is read beyond seams, */
    halo_use *use;       /* and what */
    staging staging;
    parcel *parcel; /* that are under way, of so many there is room for */
    int64_t parcels, parcel_room;
    box *share, *inside; /* of each subdomain, of the stage that is computed */
    int left;            /* steps that follow before halos are exchanged */
    bool behind;         /* the oldest levels are not those of the present step */
    double *weighed;     /* of each subdomain: seconds of its stages; or NULL */
    split_cost cost;
    leaders leaders;
    gpu_links *links;   /* or NULL */
    char unlinked[256]; /* why they could not be opened */
} split;

/* Those points of a box of a grid that a subdomain has, or that lie beyond an outer face
 * of it. */
box split_share(const split *s, int64_t n, int coarse, const box *all);
int split_coarse(const split *s, int64_t field); /* the grid that it is on */
bool split_has_all(const split *s,
                   int64_t field); /* all subdomains have all of its points */
int64_t split_buffer(const split *s, int64_t field, const view *v); /* v: of the whole */
const view *split_view(const split *s, int64_t n, int64_t field, int64_t buffer);
bool split_is_in_step(const split *s); /* for asserts */

/* split_mirrors.c: the subdomains' side is new then; `stored`: it will be changed
 * there. */
pav_status split_on_parts(split *s, int64_t field, int64_t buffer, bool stored);
pav_status split_host_view(executor *self, int64_t field, const view *v, host_use how,
                           const box *range, const view **host);

/* split_exchange.c: halos along one axis; of a field that all have all of, what each
 * computed; of what a stage reads, of which the last may be under way until
 * split_arrive. */
box split_beyond(const subdomain *inner, int64_t field, halo_use use, const view *v,
                 int axis, int side);
pav_status split_exchange_points(split *s, int field, int64_t buffer);
pav_status split_exchange_axis(split *s, int field, int64_t buffer, int axis);
pav_status split_refresh_begin(split *s, const interp_args *args,
                               const halo_depth *extra);
pav_status split_refresh(split *s, const interp_args *args, const halo_depth *extra);
/* All that steps read, where it is not so far beyond seams those of the neighbours; NULL:
 * as far as halos go. */
pav_status split_refresh_all(split *s, const halo_depth *needed);
bool split_is_cut(const split *s, int axis);
int split_last_cut(const split *s); /* axis; -1: none */
/* split_extra.c */
void split_is_stale(split_level *l);
void split_is_fresh(const split *s, int64_t field, split_level *l);

/* split_transport.c */
pav_status split_move(split *s, halo_move *m);
pav_status split_progress(split *s); /* what is under way gets on */
pav_status split_arrive(split *s);
void split_close_parcels(split *s);
pav_status staging_room(staging *s, int64_t bytes); /* memory of so many bytes */
int64_t halo_move_bytes(const halo_move *m);

/* What has left and goes on together is on its way then. */
pav_status split_go_together(split *s, int64_t count);

/* split_links.c: the number of the GPU of an executor among those that are linked. */
pav_status split_open_links(split *s);
int split_link_number(const executor *e);
bool split_may_link(const executor *here); /* by what this rank knows of itself */

/* split_cost.c: around what an exchange takes; they may nest. Whether this one is awaited
 * at once, to see what it takes; it is over, and had cost `before` when it began. Marks
 * on a GPU's clock. */
void split_clock_in(split *s);
void split_clock_out(split *s);
bool split_is_awaited(const split *s);
void split_note(split *s, double before);
pav_status split_mark_leaving(split *s);
pav_status split_mark_there(split *s);
pav_status split_mark_inside(split *s);
void split_add_figures(const split *s, executor_figures *all);

/* split_cut.c: how far a load reads; the field that has the buffer of a field; the larger
 * of both. */
void halo_reach(const ir_node *n, int axis, int *depth);
int64_t halo_buffer_of(const ir *code, int64_t field);
void halo_depth_join(halo_depth *d, const halo_depth *other);
halo_use halo_use_of(const ir *code, int64_t field, bool wide);

/* split_wide.c: once more, after stages were split; how far beyond seams a stage is
 * computed where so many steps follow before the next exchange. */
pav_status wide_halo_work_out(wide_halo *w, const ir *code);
halo_depth wide_halo_injected(const wide_halo *w, int64_t injection);
int wide_halo_levels(const wide_halo *w, int64_t field); /* that an exchange brings */
halo_depth wide_halo_extra(const wide_halo *w, const ir *code, int left,
                           const ir_stage *stage);
/* split_extra.c: what a stage leaves beyond seams, and a border, and an injection. */
halo_depth split_extra_of(const split *s, const interp_args *args);
void split_stored(split *s, const interp_args *args, const halo_depth *extra);
void split_limit(halo_depth *d, halo_depth other); /* the smaller of both */
bool halo_is_within(const halo_depth *d, const halo_depth *room);
void split_bordered(split *s, int field, int64_t buffer);
void split_injected(split *s, int64_t index, int64_t buffer, const interp_args *args);
bool split_is_good(const split *s, const ir_node *n, const view *v,
                   const halo_depth *extra);
/* For asserts: so do all loads of a stage, or halos are on their way. */
bool split_finds_halos(const split *s, const interp_args *args, const halo_depth *extra);
box split_wide_share(const split *s, int64_t n, const interp_args *args,
                     const halo_depth *extra);
pav_status split_fill_wide(split *s, int field, int64_t buffer, int axis);

/* split_gather.c: points of subdomain n for the whole's level of every rank, or the first
 * alone. */
pav_status split_bring(split *s, int64_t n, int field, const view *from, const view *to,
                       const box *b, bool first_alone);

/* split_overlap.c: what each computes of a stage, and which points of that before halos
 * arrive; false: none of any. And both. */
bool split_overlaps(const split *s, const interp_args *args, const halo_depth *extra,
                    box *share, box *inside);
pav_status split_overlap(split *s, const interp_args *args, const box *share,
                         const box *inside);

/* split_leaders.c, where there are leaders: what one does for subdomain n of its group,
 * with these uniform slots; halos. */
typedef pav_status leader_work(split *s, int64_t n, int group, double *uniform,
                               void *user);
pav_status leaders_open(split *s);
void leaders_close(split *s);
pav_status leaders_run(split *s, leader_work *work, void *user);
pav_status leaders_add_move(split *s, const halo_move *m);
void leaders_copy(split *s);

/* split_shares.c, split_reduce.c */
box split_share_of(const split *s, int64_t n, const interp_args *args,
                   const halo_depth *extra);
pav_status split_compute(const split *s, int64_t n, const interp_args *args,
                         const box *b); /* points of a box of subdomain n */
pav_status split_stage(executor *self, const interp_args *args);
pav_status split_reduce(split *s, const interp_args *args);

/* split_points.c */
pav_status split_share_sources(split *s);
void split_close_sources(subdomain *inner);
pav_status split_inject(executor *self, int64_t index);
pav_status split_take_sample(executor *self, sampler *sample);

#endif
