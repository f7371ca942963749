/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the sums of the neighbouring cells to the nodes of a column, in a fixed order. One
 * warp for each column. Only for the faces of a border: the volume's kernel gathers,
 * too. */
extern "C" __global__ void form_gather(const __grid_constant__ form_work w)
{
    const long long which = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32;

    if (which < w.columns)
        gather_column(w, which);
}
