/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves out the work of a matched layer at points without effect. The memory of a layer
 * is +0 beyond its points, in every buffer computed whole once, because its equation
 * gives b*0 + 0*D there. So inside of all layers, single steps may leave out a stage that
 * only computes such memory. Another stage may be replaced by one with constant 0 for
 * each read of the memory: the same operations on the same values, hence the same bits.
 * The memory of slower axes is treated like this in the strips inside of their layers.
 * Values that are not finite are the exception, because 0 times them is not 0.
 *
 * This file also finds the stages that may be left out in whole steps. */
#include <string.h>

#include "plan/plan_private.h"

/* along x the inside begins at a multiple of this number of points */
enum { ALONG_ROWS = 8 };

static const symbol *layer_of(const ir *code, int field)
{
    const symbol *s = code->field[field].symbol;

    return s && s->layered ? s : NULL;
}

/* ---- the inside -------------------------------------------------------------------- */

/* Shrinks a box to the points with memory 0 at `offset`. */
static void leave(const ir *code, const symbol *s, int field, int offset, box *inside)
{
    const int axis = s->layer_axis;
    const int64_t first = s->layer[0] - offset;
    const int64_t end = code->field[field].extent[axis] - s->layer[1] - offset;

    if (s->layer[0] > 0 && inside->lo[axis] < first)
        inside->lo[axis] = first;
    if (s->layer[1] > 0 && inside->hi[axis] > end)
        inside->hi[axis] = end;
}

static bool find_inside(const ir *code, const ir_stage *s, box *inside)
{
    bool any = false, plain = s->coarse == 0;

    *inside = ir_stage_box(code, s);
    for (const ir_node *n = NULL; (n = ir_next_node(s, n));) {
        const symbol *layer = n->op == IR_LOAD ? layer_of(code, n->field) : NULL;
        any = any || layer;
        plain = plain && (!layer || n->transfer == IR_SAME);
        if (layer)
            leave(code, layer, n->field, n->offset[layer->layer_axis], inside);
    }
    for (const ir_output *o = NULL; (o = ir_next_output(s, o));) {
        const symbol *layer = o->kind == IR_STORE ? layer_of(code, o->field) : NULL;
        any = any || layer;
        plain = plain && o->kind == IR_STORE;
        if (layer)
            leave(code, layer, o->field, 0, inside);
    }
    inside->lo[0] = (inside->lo[0] + ALONG_ROWS - 1) / ALONG_ROWS * ALONG_ROWS;
    inside->hi[0] = inside->hi[0] / ALONG_ROWS * ALONG_ROWS;
    for (int axis = 0; axis < MAX_DIM; axis++)
        plain = plain && inside->lo[axis] < inside->hi[axis];
    return any && plain;
}

/* ---- the stage without ------------------------------------------------------------- */

typedef enum zero_kind { NO_ZERO, PLUS, MINUS } zero_kind;

/* The sign of a node that is 0 because of its arguments. */
static zero_kind zero_of(const ir_stage *s, const ir_node *n, const zero_kind *zero)
{
    const zero_kind a = n->arg[0] >= 0 ? zero[n->arg[0]] : NO_ZERO,
                    b = n->arg[1] >= 0 ? zero[n->arg[1]] : NO_ZERO;

    if (n->op == IR_NEG && a != NO_ZERO)
        return a == PLUS ? MINUS : PLUS;
    if (n->op == IR_ADD && a != NO_ZERO && b != NO_ZERO)
        return a == MINUS && b == MINUS ? MINUS : PLUS;
    if (n->op == IR_SUB && a != NO_ZERO && b != NO_ZERO)
        return a == MINUS && b == PLUS ? MINUS : PLUS;
    if (n->op != IR_MUL || (a == NO_ZERO) == (b == NO_ZERO))
        return NO_ZERO;
    const ir_node *by = &s->node[n->arg[a == NO_ZERO ? 0 : 1]];
    const zero_kind own = a == NO_ZERO ? b : a;
    if (by->op != IR_CONST || !(by->value.v > 0 || by->value.v < 0))
        return NO_ZERO;
    return by->value.v > 0 ? own : own == PLUS ? MINUS : PLUS;
}

/* Appends a copy of the stage for one box. The box lies outside the absorbing layers
 * across axes beyond `axis`, so their memory fields are +0 there: the copy has the
 * constant +0 for each node that is certainly +0. */
static int add_part(ir *code, const ir_stage *s, const box *where, int axis,
                    const char *called)
{
    const box all = ir_stage_box(code, s);
    const bool *live = stage_live(s, code->arena);
    int *map = arena_alloc(code->arena, s->count + 1, sizeof *map);
    zero_kind *zero = arena_alloc(code->arena, s->count + 1, sizeof *zero);
    ir_stage part = {.name = arena_print(code->arena, "%s, %s", s->name, called),
                     .real = s->real,
                     .before = s->before,
                     .stands_in = true};

    for (int a = 0; a < MAX_DIM; a++) {
        part.inset[a][0] = s->inset[a][0] + (int)(where->lo[a] - all.lo[a]);
        part.inset[a][1] = s->inset[a][1] + (int)(all.hi[a] - where->hi[a]);
    }
    builder b = builder_open(code, &part);
    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        const symbol *layer = n->op == IR_LOAD ? layer_of(code, n->field) : NULL;
        if (!live[k])
            continue;
        zero[k] = layer && layer->layer_axis > axis ? PLUS : zero_of(s, n, zero);
        map[k] = zero[k] == PLUS ? build_const(&b, num_int(0)) : build_copy(&b, n, map);
    }
    for (int64_t k = 0; k < s->outputs; k++) {
        ir_output o = s->output[k];
        o.node = map[o.node];
        stage_add_output(code, &part, &o);
    }
    stage_sweep(code, &part);
    const int number = code_add_stage(code, part.name, part.real, 0);
    code->stage[number] = part;
    return number;
}

/* The rest around the inside, slower axes first: for each axis the strip across it, on
 * its side - if this is not empty. Strips across the slowest axis use the full stage and
 * its sweep. Strips across other axes are narrow for a sweep, and have separate stages
 * with separate schedules. */
static void find_strips(ir *code, const ir_stage *s, int number)
{
    const box inside = code->stage[number].inside;

    for (int axis = 0; axis < MAX_DIM; axis++) {
        box strip = ir_stage_box(code, s);
        for (int a = axis + 1; a < MAX_DIM; a++) {
            strip.lo[a] = inside.lo[a];
            strip.hi[a] = inside.hi[a];
        }
        if (strip.lo[axis] < inside.lo[axis])
            strip.hi[axis] = inside.lo[axis];
        else
            strip.lo[axis] = inside.hi[axis];
        const bool own = axis + 1 < code->dim && !box_is_empty(&strip);
        const int part = own ? add_part(code, s, &strip, axis, "strip") : number;
        code->stage[number].strip[axis] = part;
    }
}

/* All fields stored by a gated stage have the same gate. */
static void find_gate(const ir *code, ir_stage *s)
{
    const symbol *gate = NULL;

    for (const ir_output *o = NULL; (o = ir_next_output(s, o));) {
        const symbol *own = o->kind == IR_STORE ? code->field[o->field].symbol : NULL;
        if (!own || !own->gate || (gate && own->gate != gate))
            return;
        gate = own->gate;
    }
    for (int64_t u = 0; gate && u < code->uniforms; u++)
        if (code->uniform[u].kind == UNIFORM_SCALAR &&
            strcmp(code->uniform[u].name, gate->name) == 0) {
            s->gated = true;
            s->gate = (int)u;
        }
}

void ir_find_layered(ir *code)
{
    for (int64_t n = 0; n < code->step.count; n++) {
        ir_stage *s = &code->stage[code->step.stage[n]];
        find_gate(code, s);
        for (const ir_output *o = NULL; (o = ir_next_store(s, o));)
            s->rests &= code->field[o->field].levels == 1;
    }
    for (int64_t n = 0; n < code->step.count; n++) {
        const int number = code->step.stage[n];
        const ir_stage s = code->stage[number];
        box inside;
        if (!find_inside(code, &s, &inside))
            continue;
        int64_t memory = 0; /* outputs that are memory of layers */
        for (int64_t k = 0; k < s.outputs; k++)
            memory += layer_of(code, s.output[k].field) != NULL;
        if (memory > 0 && memory < s.outputs)
            continue;
        const int bare = memory > 0 ? -1 : add_part(code, &s, &inside, -1, "inside");
        code->stage[number].layered = true;
        code->stage[number].inside = inside;
        code->stage[number].bare = bare;
        find_strips(code, &s, number);
    }
}
