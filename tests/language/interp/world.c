/* SPDX-License-Identifier: BSD-3-Clause */
/* See world.h. */
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

world *world_new(uint64_t seed, pav_type real, int64_t nx, int64_t ny, int64_t nz)
{
    world *w = calloc(1, sizeof *w);
    const int64_t extent[MAX_DIM] = {nx, ny, nz};

    REQUIRE(w != NULL);
    w->random.state = seed;
    w->tree.dim = nz > 1 ? 3 : ny > 1 ? 2 : 1;
    w->code = (ir){.program = &w->tree,
                   .dim = w->tree.dim,
                   .stages = WORLD_STAGES,
                   .stage = w->stage,
                   .field = w->field,
                   .table = w->table,
                   .uniforms = WORLD_UNIFORMS,
                   .uniform = w->uniform};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        w->tree.axis[axis].points = extent[axis];
        w->box.hi[axis] = extent[axis];
    }
    for (int s = 0; s < WORLD_STAGES; s++)
        w->stage[s] = (ir_stage){.name = "by hand",
                                 .real = real,
                                 .before = -1,
                                 .node = w->node[s],
                                 .output = w->output[s]};
    for (int k = 0; k < WORLD_UNIFORMS; k++)
        w->slot[FAST][k] = w->slot[SLOW][k] = k + 0.1;
    return w;
}

void world_free(world *w)
{
    for (int f = 0; f < WORLD_FIELDS; f++)
        for (int l = 0; l < WORLD_LEVELS; l++) {
            free(w->memory[FAST][f][l]);
            free(w->memory[SLOW][f][l]);
        }
    for (int t = 0; t < WORLD_TABLES; t++)
        free(w->table_values[t]);
    free(w);
}

/* ---- fields ------------------------------------------------------------------------ */

/* Mostly ordinary numbers. One in twelve is difficult: NaN, infinite, subnormal or near
 * an overflow. */
static double draw_number(world *w)
{
    static const double odd[] = {0.0,      -0.0,     1.0,   INFINITY, -INFINITY,
                                 NAN,      1e-310,   3e-45, -1e-40,   65504.0,
                                 65520.0,  3.4e38,   1e39,  255.5,    0x1p-25,
                                 0x1p-133, 0x1p-134, 0.5,   1.5,      2.5};

    if (rng_below(&w->random, 12) == 0)
        return odd[rng_below(&w->random, COUNT_OF(odd))];
    return (rng_unit(&w->random) - 0.4) * (double)(1 + rng_below(&w->random, 8));
}

static view view_new(const world *w, pav_type storage, bool coarse, int64_t *elements)
{
    view v = {.type = storage, .stride = {1, 0, 0}};

    *elements = 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t n = w->tree.axis[axis].points;
        const int halo = axis < w->tree.dim ? WORLD_HALO : 0;
        v.extent[axis] = coarse ? (n + 1) / 2 : n;
        v.halo[axis][0] = v.halo[axis][1] = halo;
        v.stride[axis] = *elements;
        *elements *= v.extent[axis] + 2 * halo + (axis == 0 ? 3 : 0);
    }
    return v;
}

static int64_t first_element(const view *v)
{
    return -view_offset(v, -v->halo[0][0], -v->halo[1][0], -v->halo[2][0]);
}

/* Each block of memory has exactly the size of its level, so a sanitizer reports any
 * access beyond it. */
static void fill_level(world *w, int f, int l, const view *v)
{
    const size_t size = pav_type_size(v->type);

    for (int which = 0; which < 2; which++) {
        char *memory = malloc((size_t)w->elements[f] * size);
        REQUIRE(memory != NULL);
        w->memory[which][f][l] = memory;
        w->view[which][f][l] = *v;
        w->view[which][f][l].data = memory + first_element(v) * (int64_t)size;
        w->level[which][f][l] = &w->view[which][f][l];
        w->levels[which][f] = w->level[which][f];
    }
    for (int64_t e = 0; e < w->elements[f]; e++)
        type_store(v->type, (char *)w->memory[FAST][f][l] + (size_t)e * size,
                   draw_number(w));
    memcpy(w->memory[SLOW][f][l], w->memory[FAST][f][l], (size_t)w->elements[f] * size);
}

int world_field(world *w, pav_type storage, bool coarse)
{
    const int f = (int)w->code.fields++;

    REQUIRE(f < WORLD_FIELDS);
    const view v = view_new(w, storage, coarse, &w->elements[f]);
    w->field[f] = (ir_field){.name = "f", .storage = storage, .coarse = coarse};
    for (int l = 0; l < WORLD_LEVELS; l++)
        fill_level(w, f, l, &v);
    return f;
}

double world_get(const world *w, int which, int field, int level, int64_t i, int64_t j,
                 int64_t k)
{
    const view *v = w->level[which][field][1 - level];
    const int64_t size = (int64_t)pav_type_size(v->type);

    return type_load(v->type, (const char *)v->data + view_offset(v, i, j, k) * size);
}

void world_set(world *w, int field, int level, int64_t i, int64_t j, int64_t k,
               double value)
{
    for (int which = 0; which < 2; which++) {
        const view *v = w->level[which][field][1 - level];
        const int64_t size = (int64_t)pav_type_size(v->type);
        type_store(v->type, (char *)v->data + view_offset(v, i, j, k) * size, value);
    }
}

/* ---- nodes ------------------------------------------------------------------------- */

int world_add(world *w, ir_node n)
{
    ir_stage *s = &w->stage[0];

    REQUIRE(s->count < WORLD_NODES);
    s->node[s->count] = n;
    return (int)s->count++;
}

int world_op(world *w, ir_op op, int a, int b, int c)
{
    return world_add(w, (ir_node){.op = op, .arg = {a, b, c}});
}

int world_load(world *w, int field, int level, int x, int y, int z)
{
    return world_add(w, (ir_node){.op = IR_LOAD,
                                  .arg = {-1, -1, -1},
                                  .field = field,
                                  .level = level,
                                  .offset = {x, y, z}});
}

int world_const(world *w, double value)
{
    return world_add(
        w, (ir_node){.op = IR_CONST, .arg = {-1, -1, -1}, .value = num_double(value)});
}

void world_store(world *w, int node, int field, int level)
{
    ir_stage *s = &w->stage[0];

    REQUIRE(s->outputs < WORLD_OUTPUTS);
    s->output[s->outputs++] = (ir_output){
        .kind = IR_STORE, .node = node, .field = field, .level = level};
}

void world_reduce(world *w, int node, reduction_kind kind, int uniform)
{
    ir_stage *s = &w->stage[0];

    REQUIRE(s->outputs < WORLD_OUTPUTS);
    s->output[s->outputs++] = (ir_output){
        .kind = IR_REDUCE, .node = node, .reduction = kind, .uniform = uniform};
}

int world_table(world *w, int axis, bool coarse)
{
    const int t = (int)w->code.tables++;
    const int64_t n = w->tree.axis[axis].points;
    const int64_t count = (coarse ? (n + 1) / 2 : n) + 2 * WORLD_HALO;

    REQUIRE(t < WORLD_TABLES);
    w->table[t] = (ir_table){
        .axis = axis, .coarse = coarse, .margin = {WORLD_HALO, WORLD_HALO}};
    w->table_values[t] = malloc((size_t)count * sizeof(double));
    REQUIRE(w->table_values[t] != NULL);
    for (int64_t k = 0; k < count; k++)
        w->table_values[t][k] = 0.3 * (double)(k - WORLD_HALO);
    w->table_pointer[t] = w->table_values[t] + WORLD_HALO;
    return t;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || bits_of(a) == bits_of(b);
}

/* ---- running ----------------------------------------------------------------------- */

pav_status world_run(world *w, int which)
{
    const interp_args args = {.code = &w->code,
                              .stage = &w->stage[0],
                              .view = w->levels[which],
                              .table = w->table_pointer,
                              .uniform = w->slot[which],
                              .box = w->box};

    return which == FAST ? interp_stage(&args) : interp_stage_slow(&args);
}

static bool same_level(const world *w, int f, int l)
{
    const pav_type type = w->field[f].storage;
    const size_t size = pav_type_size(type);
    const char *fast = w->memory[FAST][f][l], *slow = w->memory[SLOW][f][l];

    for (int64_t e = 0; e < w->elements[f]; e++) {
        const double a = type_load(type, fast + (size_t)e * size);
        const double b = type_load(type, slow + (size_t)e * size);
        if (!same_number(a, b)) {
            printf("field %d (%s), level %d, element %lld: fast %.17g, slow %.17g\n", f,
                   pav_type_name(type), 1 - l, (long long)e, a, b);
            return false;
        }
    }
    return true;
}

bool world_agrees(world *w)
{
    bool same = true;

    REQUIRE_OK(world_run(w, FAST));
    REQUIRE_OK(world_run(w, SLOW));
    for (int k = 0; k < WORLD_UNIFORMS; k++)
        if (!same_number(w->slot[FAST][k], w->slot[SLOW][k])) {
            printf("uniform %d: fast %.17g, slow %.17g\n", k, w->slot[FAST][k],
                   w->slot[SLOW][k]);
            same = false;
        }
    for (int f = 0; f < (int)w->code.fields; f++)
        for (int l = 0; l < WORLD_LEVELS; l++)
            same = same && same_level(w, f, l);
    return same;
}
