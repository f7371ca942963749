/* SPDX-License-Identifier: BSD-3-Clause */
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
