/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh on a GPU, for hand-written prisms, for generated forms, and for iterations over
 * the nodes. */
#ifndef FEM_FEM_GPU_PRIVATE_H
#define FEM_FEM_GPU_PRIVATE_H

#include "fem/form/form_private.h"

enum { GPU_THREADS = 128 /* of a block; PRISM_THREADS of kernels/fem */ };

/* mesh_gpu.c: a GPU and its copy of the mesh. Coordinates and vectors have the type
 * `type`. */
typedef struct mesh_gpu {
    const pav_mesh *m;
    pav_type type;
    gpu *g;
    void *at[3];
    void *narrow; /* on the host, where type is f32 */
} mesh_gpu;
pav_status mesh_gpu_open(const pav_mesh *m, const pav_device *device, pav_type type,
                         mesh_gpu *result);
void mesh_gpu_close(mesh_gpu *p);
/* Values at all nodes, from and to doubles of the host. */
pav_status mesh_gpu_take(mesh_gpu *p, const char *what, void **values);
pav_status mesh_gpu_send(mesh_gpu *p, const double *from, void *to);
/* Takes memory and sends the values. */
pav_status mesh_gpu_upload(mesh_gpu *p, const char *what, const double *from, void **to);
pav_status mesh_gpu_fetch(mesh_gpu *p, const void *from, double *to);
/* Launches a kernel with this number of threads, or of warps. */
pav_status mesh_gpu_threads(mesh_gpu *p, gpu_kernel *kernel, const void *argument,
                            int64_t bytes, int64_t threads);
pav_status mesh_gpu_warps(mesh_gpu *p, gpu_kernel *kernel, const void *argument,
                          int64_t bytes, int64_t warps);
/* Number of columns of cells per warp of visit_columns
 * (kernels/fem/prism_traversal.cuh). */
int mesh_visit_each(int layers);

/* Cells summed by one kernel: prisms, walls above a border's edges, or triangles of a
 * level. `incident` lists the corners of cells at each gathered column; `column` lists
 * these columns, or is NULL for all. */
typedef struct mesh_sheet {
    int corners;
    int64_t cells, columns;
    int heights, level; /* number of summed levels, and the first one */
    void *corner, *first, *incident, *column, *part;
} mesh_sheet;
pav_status mesh_sheet_volume(mesh_gpu *p, mesh_sheet *s);
pav_status mesh_sheet_walls(mesh_gpu *p, const char *border, mesh_sheet *s);
/* The `place` of a solver; act: y = A x, both on the GPU. */
typedef struct mesh_place {
    mesh_gpu *mesh;
    void *context;
    pav_status (*act)(void *context, const void *x, void *y);
    struct mesh_vectors *vectors;
} mesh_place;

/* form_gpu.c: the sum of forms on a GPU. Kernels are added in the order of the host's
 * sums. The result is NULL if the iterations run on the host. Close it even after a
 * failure. */
typedef struct form_gpu form_gpu;
pav_status form_gpu_open(const pav_mesh_run *r, form_gpu **result);
void form_gpu_close(form_gpu *f);
mesh_gpu *form_gpu_mesh(form_gpu *f);
pav_status form_gpu_add(form_gpu *f, const element *k, const char *border);
pav_status form_gpu_apply(void *context, const void *x, void *y); /* on the GPU */
pav_status form_gpu_source(const element *k, text *t);

#endif
