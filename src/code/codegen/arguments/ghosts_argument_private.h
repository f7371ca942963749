/* SPDX-License-Identifier: BSD-3-Clause */
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
