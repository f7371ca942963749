/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of generated forms on a GPU. The build makes a text of each part
 * (cmake/embed.cmake). */

/* ==== form_gpu_work ==== */
/* The argument of a form's kernels. The host has the same structure: form_work of
 * fem/gpu/mesh_gpu.c. */
struct form_work : column_work {
    const real *in[27];    /* x, y, z, and the form's fields, at nodes or of cells */
    const double *uniform; /* values common to all cells */
};

/* ==== form_gpu_columns ==== */
/* Sums of a generated cell with layers: prisms, or the walls above the edges of a
 * border. */
extern "C" __global__ void __launch_bounds__(PRISM_THREADS, 3)
    form_sums(const __grid_constant__ form_work w)
{
    visit_columns<CORNERS>(w, [&](long long cell, int level, real *sum) {
        long long node[CORNERS + 1];
        UNROLL
        for (int c = 0; c < CORNERS; c++)
            node[c] = (long long)w.corner[CORNERS * cell + c] * w.levels + level;
        node[CORNERS] = cell * w.layers + level;
        form_cell(w, node, sum);
    });
}

/* ==== form_gpu_lids ==== */
/* Sums of a generated cell without layers, on the level w.level: the triangles of a
 * bottom or top. */
extern "C" __global__ void form_sums(const __grid_constant__ form_work w)
{
    const long long cell = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long node[CORNERS + 1] = {};
    real sum[CORNERS];

    if (cell >= w.cells)
        return;
    for (int c = 0; c < CORNERS; c++)
        node[c] = (long long)w.corner[CORNERS * cell + c] * w.levels + w.level;
    form_cell(w, node, sum);
    for (int c = 0; c < CORNERS; c++)
        w.part[CORNERS * cell + c] = sum[c];
}

/* ==== form_gpu_gather ==== */
/* Adds the sums of the neighbouring cells to the nodes of a column, in a fixed order. One
 * warp for each column. Only for the faces of a border: the volume's kernel gathers,
 * too. */
extern "C" __global__ void form_gather(const __grid_constant__ form_work w)
{
    const long long which = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32;

    if (which < w.columns)
        gather_column(w, which);
}
