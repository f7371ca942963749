/* SPDX-License-Identifier: BSD-3-Clause */
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
