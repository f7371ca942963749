/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh on a GPU, for hand-written prisms, for generated forms, and for iterations over
 * the nodes. */
#ifndef FEM_FEM_GPU_PRIVATE_H
#define FEM_FEM_GPU_PRIVATE_H

#include "fem/form/form_private.h"

enum { GPU_THREADS = 128 /* of a block; PRISM_THREADS of kernels/fem */ };

/* A GPU and its copy of the mesh. Coordinates and vectors have the type
 * `type`. */
typedef struct mesh_gpu {
    const pav_mesh *m;
    pav_type type;
    gpu *g;
    gpu_module *vectors; /* of iterations; NULL: there are none */
    void *at[3];
    void *narrow; /* on the host, where type is f32 */
} mesh_gpu;

/* Cells summed by one kernel: prisms, walls above a border's edges, or triangles of a
 * level. `incident` lists the corners of cells at each gathered column; `column` lists
 * these columns, or is NULL for all. */
typedef struct mesh_sheet {
    int corners;
    int64_t cells, columns;
    int heights, level; /* number of summed levels, and the first one */
    void *corner, *first, *incident, *column, *part;
} mesh_sheet;
/* The `place` of a solver; act: y = A x, both on the GPU. */
typedef struct mesh_place {
    mesh_gpu *mesh;
    void *context;
    pav_status (*act)(void *context, const void *x, void *y);
    struct mesh_vectors *vectors;
} mesh_place;

/* The sum of forms on a GPU. Kernels are added in the order of the host's sums. Close it
 * even after a failure. */
typedef struct form_gpu form_gpu;
pav_status form_gpu_open(const pav_mesh_run *r, form_gpu **result);
void form_gpu_close(form_gpu *f);
mesh_gpu *form_gpu_mesh(form_gpu *f);
pav_status form_gpu_add(form_gpu *f, const element *k, const char *border);
pav_status form_gpu_apply(void *context, const void *x, void *y); /* on the GPU */
pav_status form_gpu_source(const element *k, text *t);

#endif
