/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of prisms, LANES layers at a time. A file that includes it defines `scalar`,
 * `real` and the macros of prism_cell_private.h. If the number of layers is no multiple
 * of LANES, the last vector begins earlier and computes some layers again, with the same
 * bits. So a mesh needs at least LANES layers. */
#define CELL FUNCTION __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 9")

#include "fem/kernels/prism_cell_private.h"

CELL real lanes_load(const void *from, int at)
{
    real value;
    __builtin_memcpy(&value, (const scalar *)from + at, sizeof value);
    return value;
}

CELL void lanes_store(void *to, int at, real value)
{
    __builtin_memcpy((scalar *)to + at, &value, sizeof value);
}

CELL int first_of(const prism_column *c, int layer)
{
    return layer + LANES <= c->layers ? layer : c->layers - LANES;
}

CELL void load_nodes(const prism_column *c, int layer, prism_vector *at)
{
    UNROLL
    for (int n = 0; n < 6; n++) {
        at[n].x = lanes_load(c->at[n % 3][0], layer + n / 3);
        at[n].y = lanes_load(c->at[n % 3][1], layer + n / 3);
        at[n].z = lanes_load(c->at[n % 3][2], layer + n / 3);
    }
}

CELL void load_values(const prism_column *c, int layer, real *u)
{
    UNROLL
    for (int n = 0; n < 6; n++)
        u[n] = lanes_load(c->u[n % 3], layer + n / 3);
}

CELL void store_sums(const prism_column *c, int layer, const real *out)
{
    UNROLL
    for (int k = 0; k < 3; k++) {
        lanes_store(c->low, k * c->layers + layer, out[k]);
        lanes_store(c->high, k * c->layers + layer, out[3 + k]);
    }
}

FUNCTION void column_action(const prism_column *c)
{
    const real stiffness = SPLAT(c->stiffness), mass = SPLAT(c->mass);

    for (int layer = 0; layer < c->layers; layer += LANES) {
        const int first = first_of(c, layer);
        prism_vector at[6];
        real u[6], out[6];
        load_nodes(c, first, at);
        load_values(c, first, u);
        prism_action(at, u, stiffness, mass, out);
        store_sums(c, first, out);
    }
}

FUNCTION void column_mass(const prism_column *c)
{
    const real mass = SPLAT(c->mass);

    for (int layer = 0; layer < c->layers; layer += LANES) {
        const int first = first_of(c, layer);
        prism_vector at[6];
        real u[6], out[6];
        load_nodes(c, first, at);
        load_values(c, first, u);
        prism_mass(at, u, mass, out);
        store_sums(c, first, out);
    }
}

FUNCTION void column_matrix(const prism_column *c)
{
    const real stiffness = SPLAT(c->stiffness), mass = SPLAT(c->mass);

    for (int layer = 0; layer < c->layers; layer += LANES) {
        const int first = first_of(c, layer);
        prism_vector at[6];
        real out[27];
        load_nodes(c, first, at);
        prism_matrix(at, stiffness, mass, out);
        UNROLL
        for (int i = 0; i < 3; i++)
            UNROLL
        for (int j = i; j < 3; j++) {
            const int ij = 3 * i + j;
            lanes_store(c->matrix, ij * c->layers + first, out[ij]);
            lanes_store(c->matrix, (9 + ij) * c->layers + first, out[9 + ij]);
        }
        UNROLL
        for (int k = 18; k < 27; k++)
            lanes_store(c->matrix, k * c->layers + first, out[k]);
    }
}
