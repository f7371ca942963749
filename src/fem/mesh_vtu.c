/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh and values at its nodes as ParaView's unstructured grid. */
#include "fem/fem.h"
#include "io/io.h"

static void nodes_of(const void *context, int64_t cell, int64_t node[6])
{
    const pav_mesh *m = context;

    mesh_cell(m, cell / m->layers, (int)(cell % m->layers), node);
}

pav_status mesh_write_vtu(const pav_mesh *m, const char *path, const char *const *names,
                          const double *const *values, int count)
{
    const vtu v = {.nodes = m->nodes,
                   .cells = m->cells,
                   .at = {m->at[0], m->at[1], m->at[2]},
                   .cell = nodes_of,
                   .context = m,
                   .name = names,
                   .value = values,
                   .count = count};

    return vtu_write(path, &v);
}
