/* SPDX-License-Identifier: BSD-3-Clause */
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
