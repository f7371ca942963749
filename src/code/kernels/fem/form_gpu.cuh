/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of generated forms on a GPU. The build makes a text of each part
 * (cmake/embed.cmake). */

/* ==== form_gpu_work ==== */
/* The argument of a form's kernels. The host has the same structure: form_work of
 * fem/gpu/form_gpu.c. */
struct form_work {
    const real *in[27];        /* x, y, z, and the form's fields, at nodes or of cells */
    const double *uniform;     /* values common to all cells */
    const int *corner;         /* columns of each cell's corners */
    const long long *first;    /* first corner of each gathered column */
    const long long *incident; /* corners of cells, in the order of sums */
    const int *column;         /* numbers of the gathered columns; NULL: all columns */
    real *part, *out;
    long long cells, columns;
    int layers, levels, each; /* each: columns of cells for one warp */
    int heights, level;       /* gathered levels: their number, and the first */
};

/* ==== form_gpu_columns ==== */
/* Sums of a generated cell with layers: prisms, or the walls above the edges of a
 * border. */
extern "C" __global__ void __launch_bounds__(PRISM_THREADS, 3)
    form_sums(const __grid_constant__ form_work w)
{
    visit_columns<CORNERS>(
        w.cells, w.layers, w.each, w.part, [&](long long cell, int level, real *sum) {
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
 * warp for each column. */
extern "C" __global__ void form_gather(const __grid_constant__ form_work w)
{
    const long long which = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32;

    if (which >= w.columns)
        return;
    const long long column = w.column ? w.column[which] : which;
    real *out = w.out + column * w.levels + w.level;
    for (int height = threadIdx.x % 32; height < w.heights; height += 32)
        out[height] = gathered(out[height], w.part, w.incident, w.first[which],
                               w.first[which + 1], w.heights, height);
}
