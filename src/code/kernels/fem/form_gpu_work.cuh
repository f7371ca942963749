/* SPDX-License-Identifier: BSD-3-Clause */
/* The argument of a form's kernels. The host has the same structure: form_work of
 * fem/gpu/mesh_gpu.c. */
struct form_work : column_work {
    const real *in[27];    /* x, y, z, and the form's fields, at nodes or of cells */
    const double *uniform; /* values common to all cells */
};
