/* SPDX-License-Identifier: BSD-3-Clause */
/* A small world for the evaluation of a stage: an IR built by hand, and two copies of
 * each field, one for each interpreter. */
#ifndef WORLD_H
#define WORLD_H

#include "interp/interp.h"
#include "test.h"

enum {
    WORLD_FIELDS = 8,
    WORLD_LEVELS = 4, /* +1, 0, -1, -2 */
    WORLD_NODES = 200,
    WORLD_STAGES = 2,
    WORLD_OUTPUTS = 8,
    WORLD_UNIFORMS = 8,
    WORLD_TABLES = 4,
    WORLD_HALO = 8,
    FAST = 0,
    SLOW = 1,
};

typedef struct world {
    rng random;
    program tree;
    ir code;
    ir_field field[WORLD_FIELDS];
    ir_stage stage[WORLD_STAGES];
    ir_node node[WORLD_STAGES][WORLD_NODES];
    ir_output output[WORLD_STAGES][WORLD_OUTPUTS];
    ir_uniform uniform[WORLD_UNIFORMS];
    ir_table table[WORLD_TABLES];
    ir_node table_node[WORLD_TABLES][2];
    ir_output table_output[WORLD_TABLES];
    double *table_values[WORLD_TABLES];
    const double *table_pointer[WORLD_TABLES]; /* to index 0 */
    view view[2][WORLD_FIELDS][WORLD_LEVELS];
    const view *level[2][WORLD_FIELDS][WORLD_LEVELS];
    const view *const *levels[2][WORLD_FIELDS];
    void *memory[2][WORLD_FIELDS][WORLD_LEVELS];
    int64_t elements[WORLD_FIELDS]; /* of one level, halo included */
    double slot[2][WORLD_UNIFORMS];
    box box;
} world;

/* A world with a stage in `real` over all points of the grid. The functions below add
 * nodes and outputs to this stage. */
world *world_new(uint64_t seed, pav_type real, int64_t nx, int64_t ny, int64_t nz);
void world_free(world *w);
/* A field of random numbers with a halo of WORLD_HALO, at all levels. */
int world_field(world *w, pav_type storage, bool coarse);
/* A table of the axis's indices times 0.3, with margins of WORLD_HALO. */
int world_table(world *w, int axis, bool coarse);

int world_add(world *w, ir_node n);
int world_op(world *w, ir_op op, int a, int b, int c);
int world_load(world *w, int field, int level, int x, int y, int z);
int world_const(world *w, double value);
void world_store(world *w, int node, int field, int level);
void world_reduce(world *w, int node, reduction_kind kind, int uniform);

/* True for equal bits, or for two NaNs. */
bool same_number(double a, double b);
pav_status world_run(world *w, int which);
/* Runs both interpreters and compares all fields and uniforms with same_number. */
bool world_agrees(world *w);

/* An element of a field, converted to double. */
double world_get(const world *w, int which, int field, int level, int64_t i, int64_t j,
                 int64_t k);
void world_set(world *w, int field, int level, int64_t i, int64_t j, int64_t k,
               double value);

#endif
