/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields in memory: time levels, halo, padding, borders copying values, and points off
 * the grid. This layer knows no IR: the caller computes border values. */
#ifndef DOMAIN_DOMAIN_H
#define DOMAIN_DOMAIN_H

#include "base/base.h"
#include "border/border.h"
#include "device/device.h"

/* A sink for the progress of long work, called every few million points. A status other
 * than PAV_OK ends the work and becomes its result. The sink or `ask` may be NULL. */
typedef struct progress_sink {
    pav_status (*ask)(void *user, int64_t points);
    void *user;
    int64_t points; /* points not yet reported */
} progress_sink;
pav_status progress_add(progress_sink *a, int64_t points);

/* The time levels of one field; level +1 has age 0. Rotation changes indices and copies
 * nothing. */
typedef struct levels {
    int count;   /* number of buffers, at least 1 */
    view *level; /* level[age % count ...]: use levels_view */
    int newest;
    int64_t bytes; /* size of `block` with all levels; 0: the caller owns the block */
    /* size of one level; the first begins LEVELS_SLACK into the block */
    int64_t level_bytes;
    void *block;
} levels;

typedef struct field_shape {
    pav_type type;
    int dimensions;
    int64_t first[PAV_MAX_DIMENSIONS]; /* index of the first point: see view */
    int64_t extent[PAV_MAX_DIMENSIONS];
    int halo[PAV_MAX_DIMENSIONS][2];
    /* minimum room for halo points in the strides along x and y, on a GPU */
    int64_t room[2];
    int count;
    int64_t line; /* alignment of rows in bytes; 0: 64 */
} field_shape;

/* Unused memory before and after all levels, and before and after tables along x. Kernels
 * compute whole vectors: they load values beyond a row and ignore the results. */
enum { LEVELS_SLACK = 1024 }; /* bytes */
/* The memory of levels_new: total, points, ghost points, and padding beyond both. */
typedef struct levels_size {
    int64_t bytes, point_bytes, halo_bytes, padding_bytes;
} levels_size;
/* Returns false if the size overflows 64 bits. */
bool levels_measure(const field_shape *shape, levels_size *size);
/* The strides of the levels' views; 0 if they overflow. */
void levels_strides(const field_shape *shape, int64_t stride[PAV_MAX_DIMENSIONS]);
/* Allocates the levels. Index 0 along x is 64-byte aligned, even if outside the view.
 * Large strides are odd multiples of 64 bytes, so rows and planes spread over all cache
 * sets. Halo and padding are poisoned with NaN (u8: 255); points are zero. Entries of
 * absent axes are ignored. Each thread of the team first touches its own partition_box.
 * `a` counts the points of every level. On failure *result is all zero. */
pav_status levels_new(const field_shape *shape, host_team *team, progress_sink *a,
                      levels *result);
/* The same in a given block of the size of levels_measure. The block is not touched, so
 * it may be a GPU's. */
pav_status levels_at(const field_shape *shape, void *block, levels *result);
void levels_free(levels *l);
/* The view of a level; NULL if the level is not kept. The oldest level has the buffer of
 * level +1. */
view *levels_view(const levels *l, int level);
/* Level +1 becomes 0, 0 becomes -1, and so on; the oldest level's memory becomes the new
 * +1. */
void levels_rotate(levels *l);

/* ---- boxes (partition.c) ----------------------------------------------------------- */

bool box_is_inside(box b, box outer);
int64_t box_points(box b);
box box_common(box a, box b); /* may be empty */
/* The box from lo to hi - 1 along an axis, and as before along the others. */
box box_along(box b, int axis, int64_t lo, int64_t hi);
box box_moved(box b, const int64_t *by);
box view_points(const view *v); /* without halo */
box view_window(const view *v); /* with halo */
box point_box(const int64_t *point);
/* an empty box becomes the point's box */
void box_add_point(box *b, const int64_t *point);

/* ---- decomposition (decompose.c) --------------------------------------------------- */

/* A grid cut into subdomains: parts[axis] along each axis. Part n along an axis has the
 * points from cut[axis][n] to cut[axis][n + 1] - 1. Subdomains are numbered x first. */
typedef struct decomposition {
    int64_t parts[PAV_MAX_DIMENSIONS];
    int64_t *cut[PAV_MAX_DIMENSIONS];
} decomposition;
/* Cuts the grid into boxes of nearly equal size. */
pav_status decompose(const int64_t *extent, const int64_t *parts, decomposition *d);
/* Cuts along one axis in proportion to positive weights, with at least `least` points
 * each if there are enough. load: the cost of each plane across the axis; NULL: all
 * planes cost the same. */
pav_status decompose_weighted(const int64_t *extent, int axis, int64_t count,
                              const double *weight, const double *load, int64_t least,
                              decomposition *d);
/* Moves the cuts along an axis so all boxes cost the same. */
void decomposition_balance(decomposition *d, int axis, const double *load, int64_t least);
pav_status decomposition_copy(const decomposition *from, decomposition *d);
void decomposition_free(decomposition *d);
int64_t decomposition_count(const decomposition *d);
box decomposition_box(const decomposition *d, int64_t n);
/* decomposition_place: position of subdomain n along each axis. decomposition_number:
 * number of the subdomain at a position. */
void decomposition_place(const decomposition *d, int64_t n, int64_t *place);
int64_t decomposition_number(const decomposition *d, const int64_t *place);
int64_t decomposition_along(const decomposition *d, int axis, int64_t index);

/* ---- sharing (partition.c) --------------------------------------------------------- */

enum {
    PARTITION_PIECE = 512
}; /* indivisible groups of points along x, beginning at multiples of this size */
/* The outermost axis with nearly equal parts; if there is none, the longest axis. */
int partition_axis(const box *b, int parts);
/* Part n of `parts` along the axis; false if it has no points. */
bool partition_box(const box *b, int axis, int64_t parts, int64_t n, box *part);

/* ---- faces (ghosts.c) -------------------------------------------------------------- */

/* border_slab: the ghosts beyond a face, along its axis. stored: with the outermost
 * points, because a border prescribes them. border_box: the slab over all other axes:
 * lower axes with their halo, higher axes without. */
void border_slab(const view *v, int axis, int side, bool stored, box *b);
box border_box(const view *v, int axis, int side, bool stored);
/* How often the borders along an axis must be filled. Usually once. In a small grid,
 * ghosts of side - may copy a point of the face of side +, and the border sets that point
 * later, so a second round is needed. */
int border_rounds(const view *v, int axis);
/* Fills ghost points with copies of points along one axis, beyond side - and side +.
 * `range` gives the range along the other axes and may include halo; its range along the
 * axis itself is ignored. In a small grid, ghosts beyond the reach of a map repeat the
 * pattern, so only points along the axis are read. */
typedef struct ghost_sides {
    bool filled[2];
    ghost_map map[2];
} ghost_sides;
void ghost_fill(const view *v, int axis, ghost_sides sides, const box *range);
void ghost_fill_side(const view *v, int axis, int side, ghost_map map, const box *range);
/* Finds the first value of the box not finite; false if all are finite. */
bool view_find_not_finite(const view *v, const box *range, int64_t *point);

/* Copies the points (without halo) to or from a dense array, x fastest, converting with
 * one rounding. */
void view_read(const view *v, pav_type type, void *values);
void view_write(const view *v, pav_type type, const void *values);
/* The same for a box; it may lie in the halo. */
void view_read_box(const view *v, const box *range, pav_type type, void *values);
void view_write_box(const view *v, const box *range, pav_type type, const void *values);

/* Neighbours and weights of a position in index units (0 is point 0). Linear: 2
 * neighbours per axis. Sinc: 8 per axis, Hicks' Kaiser-windowed sinc of radius 4. The
 * weights sum to 1; a position on a grid point has this point alone. Neighbours outside
 * the grid are ghosts: their weight goes to the points copied by the border's map. With
 * POINT_STRAIGHT, u(-k) = 2*u(0) - u(k), the field continues linearly beyond the
 * outermost point. A position not finite, or at least one point outside, has no
 * neighbours. */
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
