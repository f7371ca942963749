/* SPDX-License-Identifier: BSD-3-Clause */
/* Both interpreters give the same bits for random stages: all operations, storages,
 * levels, transfers, sizes, boxes with halo points, and outputs of every kind. */
#include <stdio.h>

#include "world.h"

static int64_t draw(world *w, int64_t n)
{
    return rng_below(&w->random, n);
}

static void draw_offset(world *w, ir_node *n)
{
    for (int axis = 0; axis < w->tree.dim; axis++)
        n->offset[axis] = draw(w, 2) ? 0 : (int)draw(w, 7) - 3;
}

static ir_node draw_load(world *w)
{
    ir_node n = {.op = IR_LOAD, .arg = {-1, -1, -1}};
    const bool coarse = w->stage[0].coarse;

    n.field = (int)draw(w, w->code.fields);
    n.level = -(int)draw(w, 3); /* level +1 is only stored */
    draw_offset(w, &n);
    if (w->field[n.field].coarse != coarse)
        n.transfer = coarse ? IR_TO_FINE : IR_TO_COARSE;
    return n;
}

static ir_node draw_leaf(world *w)
{
    ir_node n = {.op = IR_CONST, .arg = {-1, -1, -1}};

    switch (draw(w, 12)) {
    case 0:
        n.value = num_ratio((i128)(draw(w, 100) - 50), (i128)(1 + draw(w, 9)));
        return n;
    case 1:
        n.op = IR_UNIFORM;
        n.uniform = (int)draw(w, WORLD_UNIFORMS);
        return n;
    case 2:
        n.op = IR_INDEX;
        n.axis = (int)draw(w, w->tree.dim);
        return n;
    case 3:
        n.op = IR_TABLE;
        n.table = (int)draw(w, w->code.tables);
        n.offset[0] = (int)draw(w, 7) - 3;
        return n;
    case 4:
        n.op = IR_RANDOM;
        n.uniform = (int)draw(w, WORLD_UNIFORMS);
        draw_offset(w, &n);
        if (draw(w, 2))
            n.transfer = w->stage[0].coarse ? IR_TO_FINE : IR_TO_COARSE;
        return n;
    default: return draw_load(w);
    }
}

static bool gives_boolean(const ir_node *n)
{
    return ir_is_boolean(n->op);
}

/* A random earlier node of the requested kind, boolean or number. Nodes 0 and 1 are a
 * number and a boolean, for the case of bad luck. */
static int draw_node(world *w, bool boolean)
{
    for (int tries = 0; tries < 50; tries++) {
        const int k = (int)draw(w, w->stage[0].count);
        if (gives_boolean(&w->stage[0].node[k]) == boolean)
            return k;
    }
    return boolean ? 1 : 0;
}

static bool takes_boolean(ir_op op, int argument)
{
    return op == IR_AND || op == IR_OR || op == IR_NOT ||
           (op == IR_SELECT && argument == 0);
}

static ir_node draw_op(world *w)
{
    static const pav_type types[] = {PAV_F32, PAV_F64, PAV_BF16, PAV_F16, PAV_U8};
    ir_node n = {.op = (ir_op)(IR_NEG + draw(w, IR_OP_COUNT - IR_NEG)),
                 .arg = {-1, -1, -1}};

    n.type = types[draw(w, COUNT_OF(types))];
    for (int a = 0; a < ir_op_table[n.op].arguments; a++)
        n.arg[a] = draw_node(w, takes_boolean(n.op, a));
    return n;
}

static void draw_nodes(world *w)
{
    const int count = 3 + (int)draw(w, WORLD_NODES - 3);

    const int first = world_add(w, draw_load(w));
    world_add(w, (ir_node){.op = IR_LE, .arg = {first, first, -1}});
    while (w->stage[0].count < count)
        world_add(w, draw(w, 3) == 0 ? draw_leaf(w) : draw_op(w));
}

/* Stages store to level +1, never loaded, or in place to level 0 of the last field,
 * loaded only at the point itself. */
static void draw_outputs(world *w)
{
    const int count = 1 + (int)draw(w, 4);
    const bool coarse = w->stage[0].coarse;

    for (int k = 0; k < count; k++) {
        const int node = (int)(w->stage[0].count - 1 - draw(w, w->stage[0].count) / 4);
        if (draw(w, 3) == 0)
            world_reduce(w, node, (reduction_kind)draw(w, 3), k);
        else if (w->field[k].coarse == coarse)
            world_store(w, node, k, 1);
        else
            world_reduce(w, node, REDUCTION_SUM, k);
    }
}

static void store_in_place(world *w)
{
    const int last = (int)w->code.fields - 1;

    if (w->field[last].coarse != w->stage[0].coarse)
        return;
    for (int64_t k = 0; k < w->stage[0].count; k++) {
        ir_node *n = &w->stage[0].node[k];
        if (n->op == IR_LOAD && n->field == last && n->level == 0)
            memset(n->offset, 0, sizeof n->offset);
    }
    world_store(w, (int)w->stage[0].count - 1, last, 0);
}

static world *draw_world(uint64_t seed)
{
    static const int64_t widths[] = {
        1,  2,   3,   7,   63,  31,  33,
        64, 127, 129, 511, 512, 513, 1025}; /* in 3-D the first 7 */
    static const pav_type storage[] = {PAV_F32, PAV_F64, PAV_BF16, PAV_F16, PAV_U8};
    rng r = {seed};
    const int dim = 1 + (int)rng_below(&r, 3);
    const int64_t nx = widths[rng_below(&r, dim == 3 ? 7 : COUNT_OF(widths))];
    const int64_t ny = dim > 1 ? 1 + rng_below(&r, 5) : 1,
                  nz = dim > 2 ? 2 + rng_below(&r, 4) : 1;
    world *w = world_new(seed, rng_below(&r, 2) ? PAV_F32 : PAV_F64, nx, ny + (dim > 1),
                         nz);

    w->stage[0].coarse = draw(w, 4) == 0;
    for (int f = 0; f < 5; f++)
        world_field(w,
                    draw(w, 2) ? w->stage[0].real : storage[draw(w, COUNT_OF(storage))],
                    draw(w, 3) == 0);
    for (int axis = 0; axis < w->tree.dim; axis++)
        world_table(w, axis, w->stage[0].coarse);
    return w;
}

/* A random box: part of the grid and of one halo point beyond each end. */
static void draw_box(world *w)
{
    for (int axis = 0; axis < w->tree.dim; axis++) {
        const int64_t n = w->tree.axis[axis].points;
        const int64_t size = w->stage[0].coarse ? (n + 1) / 2 : n;
        w->box.lo[axis] = draw(w, 2) ? 0 : -1 + draw(w, size);
        w->box.hi[axis] = draw(w, 2)
                              ? size
                              : w->box.lo[axis] + 1 + draw(w, size + 1 - w->box.lo[axis]);
        if (w->box.hi[axis] <= w->box.lo[axis])
            w->box.hi[axis] = w->box.lo[axis] + 1;
    }
}

LONG_TEST(random_stages_come_out_the_same_fast_and_slow)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        world *w = draw_world(seed);
        draw_nodes(w);
        draw_outputs(w);
        if (draw(w, 2))
            store_in_place(w);
        draw_box(w);
        const bool same = world_agrees(w);
        if (!same)
            printf("  in the world of seed %llu\n", (unsigned long long)seed);
        REQUIRE(same);
        world_free(w);
    }
}
