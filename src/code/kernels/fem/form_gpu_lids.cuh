/* SPDX-License-Identifier: BSD-3-Clause */
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
