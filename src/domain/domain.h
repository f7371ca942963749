/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields in memory: time levels, halo, padding, borders that only move values, and
 * the points off the grid. Knows no IR: what a border value is, is computed by the
 * caller. */
#ifndef DOMAIN_DOMAIN_H
#define DOMAIN_DOMAIN_H

#include "base/base.h"
#include "border/border.h"
#include "device/device.h"

/* Long work reports the points it has done, a few million at a time; anything but PAV_OK
 * ends it, and is its result. Where nobody asks: NULL, or `ask` is. */
typedef struct progress_sink {
    pav_status (*ask)(void *user, int64_t points);
    void *user;
    int64_t points; /* not reported yet */
} progress_sink;
pav_status progress_add(progress_sink *a, int64_t points);

/* Levels of one field; level +1 is age 0. Rotation renames, it copies nothing. */
typedef struct levels {
    int count;   /* buffers: at least 1 */
    view *level; /* level[age % count ...]: use levels_view */
    int newest;
    int64_t bytes; /* of `block`, which holds all levels; 0: it is somebody else's */
    int64_t level_bytes; /* of one level; the first begins LEVELS_SLACK into the block */
    void *block;
} levels;

typedef struct field_shape {
    pav_type type;
    int dimensions;
    int64_t first[PAV_MAX_DIMENSIONS]; /* index of the first point: see view */
    int64_t extent[PAV_MAX_DIMENSIONS];
    int halo[PAV_MAX_DIMENSIONS][2];
    /* along x and y: halo points that strides have room for at least, on a GPU */
    int64_t room[2];
    int count;
    int64_t line; /* bytes to which rows are aligned; 0: 64 */
} field_shape;

/* In front of all levels and behind them, and in front of and behind tables along x:
 * kernels compute strips of whole vectors, and what lies beyond a row is loaded, but
 * counts for nothing. */
enum { LEVELS_SLACK = 1024 }; /* bytes */
/* Bytes that levels_new would take, and what they are: points, ghost points, and what is
 * beyond both. */
typedef struct levels_size {
    int64_t bytes, point_bytes, halo_bytes, padding_bytes;
} levels_size;
/* False when the number overflows 64 bits. */
bool levels_measure(const field_shape *shape, levels_size *size);
/* The strides that the views of its levels will have; 0 when they overflow. */
void levels_strides(const field_shape *shape, int64_t stride[PAV_MAX_DIMENSIONS]);
/* Index 0 along x, there or not, is 64-byte aligned; large strides are odd multiples of
 * 64 bytes, so that rows and planes spread over all cache sets. Halo and padding are
 * poisoned with NaN (u8: 255), points are zero. Entries of absent axes are ignored. The
 * team's threads each touch first what partition_box gives them. `a` is informed of every
 * level. On failure *result is all zero. */
pav_status levels_new(const field_shape *shape, host_team *team, progress_sink *a,
                      levels *result);
/* The same in a block of as many bytes as levels_measure says, which is not touched: it
 * may be a GPU's. */
pav_status levels_at(const field_shape *shape, void *block, levels *result);
void levels_free(levels *l);
/* Level +1 of a field with one buffer does not exist: its only level is 0 (updated fields
 * have two buffers at least). NULL when that level is not kept. */
view *levels_view(const levels *l, int level);
/* +1 becomes 0, 0 becomes -1, ...; the oldest level's memory is the new +1. One buffer
 * stays. */
void levels_rotate(levels *l);

/* ---- boxes (boxes.c) --------------------------------------------------------------- */

bool box_is_inside(const box *b, const box *outer);
int64_t box_points(const box *b);
box box_common(const box *a, const box *b); /* may be empty */
box view_points(const view *v);             /* without halo */
box view_window(const view *v);             /* with halo */

/* ---- decomposition (decompose.c) --------------------------------------------------- */

/* A grid cut into subdomains: parts[axis] of them along each axis, of which number n has
 * the points from cut[axis][n] up to cut[axis][n + 1]. Numbers of all count x first. */
typedef struct decomposition {
    int64_t parts[PAV_MAX_DIMENSIONS];
    int64_t *cut[PAV_MAX_DIMENSIONS];
} decomposition;
/* Into boxes that are as large as each other, or nearly so. */
pav_status decompose(const int64_t *extent, const int64_t *parts, decomposition *d);
/* Along one axis, as the weights are, all positive, with `least` points each as far as
 * there are any. load: what each plane across the axis costs; NULL: all the same. */
pav_status decompose_weighted(const int64_t *extent, int axis, int64_t count,
                              const double *weight, const double *load, int64_t least,
                              decomposition *d);
/* Cuts along an axis go to where all boxes cost the same. */
void decomposition_balance(decomposition *d, int axis, const double *load, int64_t least);
pav_status decomposition_copy(const decomposition *from, decomposition *d);
void decomposition_free(decomposition *d);
int64_t decomposition_count(const decomposition *d);
box decomposition_box(const decomposition *d, int64_t n);
/* Where subdomain n stands along each axis; and the number of the one that stands
 * there. */
void decomposition_place(const decomposition *d, int64_t n, int64_t *place);
int64_t decomposition_number(const decomposition *d, const int64_t *place);
int64_t decomposition_along(const decomposition *d, int axis, int64_t index);

/* ---- sharing (partition.c) --------------------------------------------------------- */

enum {
    PARTITION_PIECE = 512
}; /* points along x that are never parted; at multiples of it */
/* The outermost axis that gives all parts nearly the same, or else the longest. */
int partition_axis(const box *b, int parts);
/* Part n of so many along the axis; false when it has no points. */
bool partition_box(const box *b, int axis, int64_t parts, int64_t n, box *part);

/* Ghost values that are copies of points, along one axis, beyond side -, then +, over the
 * given range of the other axes, which may include halo; the range along the axis itself
 * is ignored. Ghosts farther out than a map reaches in a small grid repeat the pattern:
 * nothing is read outside of the points along the axis. */
typedef struct ghost_sides {
    bool filled[2];
    ghost_map map[2];
} ghost_sides;
void ghost_fill(const view *v, int axis, ghost_sides sides, const box *range);
void ghost_fill_side(const view *v, int axis, int side, ghost_map map, const box *range);
/* The first point of the box that is not finite; false when all are. */
bool view_find_not_finite(const view *v, const box *range, int64_t *point);

/* Dense copies of the points (no halo), x fastest, converted with one rounding; and
 * back. */
void view_read(const view *v, pav_type type, void *values);
void view_write(const view *v, pav_type type, const void *values);
/* The same of a box, which may lie in the halo. */
void view_read_box(const view *v, const box *range, pav_type type, void *values);
void view_write_box(const view *v, const box *range, pav_type type, const void *values);

/* Neighbours and weights of a position given in index units (0 is point 0). Linear: 2 an
 * axis; sinc: Hicks' Kaiser-windowed sinc of radius 4, 8 an axis. The weights sum to 1;
 * positions on a grid point give that point alone, with weight 1. Weights of neighbours
 * outside go to the points that their values are copies of by the border's map, or by
 * POINT_STRAIGHT, u(-k) = 2*u(0) - u(k), which goes on straight beyond the outermost
 * point. None is left of a position a point or more outside, or not finite. */
enum { MAX_POINT_NEIGHBOURS = 512, POINT_STRAIGHT = GHOST_MAPS };
typedef struct point_weights {
    int count;
    int64_t index[MAX_POINT_NEIGHBOURS][PAV_MAX_DIMENSIONS];
    double weight[MAX_POINT_NEIGHBOURS];
} point_weights;
typedef struct point_borders {
    unsigned side[PAV_MAX_DIMENSIONS][2]; /* a ghost_map, or POINT_STRAIGHT */
} point_borders;
void point_weigh(int dimensions, const int64_t *extent, const point_borders *borders,
                 const double *position, bool sinc, point_weights *result);

#endif
