/* SPDX-License-Identifier: BSD-3-Clause */
/* The argument of a form's kernels; form_work of fem/gpu/form_gpu.c is the same. */
struct form_work {
    const real *in[27];        /* x, y, z, and the form's fields, at the nodes */
    const double *uniform;     /* what is the same in all cells */
    const int *corner;         /* columns of each cell's corners */
    const long long *first;    /* of each column that is gathered: its corners */
    const long long *incident; /* corners of cells, in the order of sums */
    const int *column;         /* its number; NULL: all are gathered */
    real *part, *out;
    long long cells, columns;
    int layers, levels, each; /* each: columns of cells that a warp goes through */
    int heights, level;       /* of what is gathered: levels, and the first of them */
};
