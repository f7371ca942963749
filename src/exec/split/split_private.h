/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of a grid that is cut: its executor, which hands each operation to the
 * executors of the subdomains, every one with its share of a box.
 *
 * All indices are those of the whole grid. Fields lie in the subdomains; the levels of the whole
 * are mirrors in the host's memory, filled where the host asks for them. */
#ifndef EXEC_SPLIT_PRIVATE_H
#define EXEC_SPLIT_PRIVATE_H

#include "exec/exec_private.h"

/* A buffer of a field, of the whole and of each subdomain. */
typedef struct split_level {
    bool host_is_new, parts_are_new; /* at least one is */
    bool stale;      /* points beyond seams are not those of the neighbours yet */
    halo_depth good; /* with wide halos: so far beyond seams they are */
} split_level;

/* Memory of the host that halos pass through between two places. */
typedef struct staging {
    char *bytes;
    int64_t room;
} staging;

/* A box of points on its way to another rank or from one. */
typedef struct parcel {
    halo_move what;
    staging values;
} parcel;

typedef struct split {
    executor base;
    subdomain *whole;
    decomposition *cut;  /* of the grid and its coarse ones */
    split_level **level; /* of every buffer of every field */
    bool *deep;          /* of every field: something is read beyond seams */
    staging staging;
    parcel *parcel; /* that are under way, of so many there is room for */
    int64_t parcels, parcel_room;
    int left;                /* steps that follow before halos are exchanged */
    int64_t exchanged_bytes; /* so far, and seconds of that */
    double exchanged_seconds;
    bool exchange_later; /* of some it is the time of asking */
} split;

/* Those points of a box of a grid that a subdomain has, or that lie beyond an outer face of it. */
box split_share(const split *s, int64_t n, int coarse, const box *all);
int split_coarse(const split *s, int64_t field); /* the grid that it is on */
bool split_has_all(const split *s,
                   int64_t field); /* all subdomains have all of its points */
int64_t split_buffer(const split *s, int64_t field, const view *v); /* v: of the whole */
const view *split_view(const split *s, int64_t n, int64_t field, int64_t buffer);

/* split_mirrors.c: the subdomains' side is new then; `stored`: it will be changed there. */
pav_status split_on_parts(split *s, int64_t field, int64_t buffer, bool stored);
pav_status split_host_view(executor *self, int64_t field, const view *v, host_use how,
                           const box *range, const view **host);

/* split_exchange.c: halos along one axis, or all; and of what a stage reads. Of a field that all
 * have all of: what each computed. */
pav_status split_exchange_points(split *s, int field, int64_t buffer);
pav_status split_exchange_axis(split *s, int field, int64_t buffer, int axis);
pav_status split_refresh(split *s, const interp_args *args, const halo_depth *extra);
void split_is_stale(split_level *l);

/* split_cut.c: how far a load reads; the field that has the buffer of a field; the larger of both. */
void halo_reach(const ir_node *n, int axis, int *depth);
int64_t halo_buffer_of(const ir *code, int64_t field);
void halo_depth_join(halo_depth *d, const halo_depth *other);

/* split_wide.c: once more, after stages were split; how far beyond seams a stage is computed where so many steps follow
 * before the next exchange. */
pav_status wide_halo_work_out(wide_halo *w, const ir *code);
halo_depth wide_halo_injected(const wide_halo *w, int64_t injection);
int wide_halo_levels(const wide_halo *w, int64_t field); /* that an exchange brings */
halo_depth wide_halo_extra(const wide_halo *w, const ir *code, int left,
                           const ir_stage *stage);
/* split_extra.c: what a stage leaves beyond seams, and a border, and an injection. */
halo_depth split_extra_of(const split *s, const interp_args *args);
void split_stored(split *s, const interp_args *args, const halo_depth *extra);
void split_limit(halo_depth *d, halo_depth other); /* the smaller of both */
void split_bordered(split *s, int field, int64_t buffer);
void split_injected(split *s, int64_t index, int64_t buffer, const interp_args *args);
bool split_is_good(const split *s, const ir_node *n, const view *v,
                   const halo_depth *extra);
box split_wide_share(const split *s, int64_t n, const interp_args *args,
                     const halo_depth *extra);
pav_status split_fill_wide(split *s, int field, int64_t buffer, int axis);

/* Memory of so many bytes. */
pav_status staging_room(staging *s, int64_t bytes);
int64_t halo_move_bytes(const halo_move *m);
box halo_move_source(const halo_move *m); /* its points in the source */

/* split_ranks.c, between ranks: what a neighbour has is sent on its way; all that is under way has
 * arrived. Points of subdomain n for the whole's level of every rank, or the first alone. */
bool split_is_apart(executor *a, executor *b);
pav_status split_post(const halo_move *m);
pav_status split_deliver(split *s);
pav_status split_bring(split *s, int64_t n, int field, const view *from, const view *to,
                       const box *b, bool first_alone);
void split_close_parcels(split *s);

/* split_shares.c, split_reduce.c */
pav_status split_stage(executor *self, const interp_args *args);
pav_status split_reduce(split *s, const interp_args *args);

/* split_points.c */
pav_status split_share_sources(split *s);
void split_close_sources(subdomain *inner);
pav_status split_inject(executor *self, int64_t index);
pav_status split_take_sample(executor *self, sampler *sample);

#endif
