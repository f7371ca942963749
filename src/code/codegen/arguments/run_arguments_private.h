/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the kernels of a run, for the host and for GPUs. The build makes a text
 * of each part (cmake/embed.cmake). */

/* ==== ghosts_argument_private ==== */
/* One text for the host and for kernels. */

/* One level of a field. data: point (0, 0, 0); strides in elements; type: a pav_type. */
typedef struct emit_gpu_view {
    void *data;
    int64_t y, z, type;
} emit_gpu_view;

/* run_ghosts: the GPU's ghost_fill (domain.h). lo and hi along `axis` are ignored. One
 * thread for each line along the axis. */
typedef struct emit_gpu_ghosts {
    emit_gpu_view view;
    int64_t lo[3], hi[3];
    int64_t axis, side, map;
    int64_t extent, depth; /* points and ghost points along the axis */
} emit_gpu_ghosts;

/* run_copy: copies the points of a box from a view of the same type, or writes zeros if
 * from.data is NULL. One thread for each point. */
typedef struct emit_gpu_copy {
    emit_gpu_view to, from;
    int64_t lo[3], hi[3];
} emit_gpu_copy;

/* ==== run_arguments_private ==== */
/* One text for the host and for kernels. */

/* run_borders: fills the ghosts of several levels; blocks along y are levels. It calls
 * the equivalent of ghost_fill for all axes and sides in turn, except sides with map -1,
 * which stay unchanged. A face becomes 0 only if no ghost along its axis copies a point
 * on a face. gpu_border_of (gpu_borders.c) computes the argument, and run_borders
 * explains its numbers. Along x, each part has its own blocks up to its `end`, with one
 * thread for each EMIT_GPU_BORDER_LINES of its points. The struct has no padding, so
 * equal launches have equal bytes. */
enum { EMIT_GPU_BORDERS = 12, EMIT_GPU_BORDER_LINES = 4, EMIT_GPU_BORDER_PARTS = 8 };
/* The treatment of a point. A negated copy of 0 is -0, so ZERO and NEGATED may both be
 * set. */
enum { EMIT_GPU_GHOST_FILLED = 1, EMIT_GPU_GHOST_ZERO = 2, EMIT_GPU_GHOST_NEGATED = 4 };
typedef struct emit_gpu_border_side {
    int map;        /* below 0: its ghosts are not filled */
    int how;        /* EMIT_GPU_GHOST_ flags of its ghosts */
    int from, sign; /* ghost `at` of a straight part is a copy of from + sign * at */
} emit_gpu_border_side;
typedef struct emit_gpu_border_axis {
    int extent;
    int first, inner; /* inner points */
    int outer, low;   /* outer points; outer points below the inner ones */
    int halo;         /* ghosts on the lower side */
    emit_gpu_border_side side[2];
} emit_gpu_border_axis;
typedef struct emit_gpu_border {
    emit_gpu_view view;
    emit_gpu_border_axis axis[3];
    int end[EMIT_GPU_BORDER_PARTS]; /* end of the blocks of each part */
    int straight;                   /* bit n is set if part n is straight */
    int unused;
} emit_gpu_border;
typedef struct emit_gpu_borders {
    emit_gpu_border level[EMIT_GPU_BORDERS];
} emit_gpu_borders;

/* run_samples: value[row] is the sum, from 0 and in this order, of weight[k] times the
 * point at index[k], for k from first[row] on, in f64. One thread for each row. */
typedef struct emit_gpu_samples {
    emit_gpu_view view;
    const int64_t *first;
    const int64_t (*index)[3];
    const double *weight;
    double *value;
    int64_t count;
} emit_gpu_samples;

/* run_reductions: to[g] equals interp_reduce of from[g * count ...] with indices from
 * `first` on. kind: a reduction_kind. A group has a thread if its indices lie between two
 * multiples of EMIT_GPU_TINY; else, with at most EMIT_GPU_SHORT values, a warp; else a
 * block. `to` and `from` are different memory. */
enum { EMIT_GPU_TINY = 8, EMIT_GPU_SHORT = 512 };
typedef struct emit_gpu_reductions {
    const double *from;
    double *to;
    int64_t first, count, groups, kind;
} emit_gpu_reductions;

/* run_check_nan: *found becomes the minimum of itself and the number within the box, x
 * fastest, of every point with a NaN or infinity. A thread checks several points, a block
 * apart from each other. */
enum { EMIT_GPU_CHECKED = 8 };
typedef struct emit_gpu_nan_check {
    emit_gpu_view view;
    int64_t lo[3], hi[3];
    uint64_t *found;
} emit_gpu_nan_check;
