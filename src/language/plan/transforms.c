/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms along an axis. Their kind follows from the borders of the field; a table has
 * their cosines. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_private.h"

/* ---- kinds ------------------------------------------------------------------------- */

/* A line beside a wall. The wall lies at the outermost point (0), half a spacing behind
 * it (1), or on the point behind it (2). The line continues as an even or odd mirror
 * image. */
typedef struct wall {
    int behind;
    bool odd;
} wall;

static wall wall_of(const ir_field *f, int axis, int side)
{
    const border_rule *r = &border_rules[f->border[axis][side].kind];

    return (wall){.behind = r->has_face || r->wall == WALL_ON_GHOST ? 2
                            : r->wall == WALL_BETWEEN               ? 1
                                                                    : 0,
                  .odd = r->fixes_wall};
}

/* The inverse exchanges the roles of points and frequencies: both are counted in halves,
 * and a point of an odd line may lie on the whole one before it. */
static line_transform inverse_of(const line_transform *t)
{
    const bool whole = !t->half, odd = t->part == 1;
    line_transform i = *t;

    i.before = t->shift / 2;
    i.half = t->shift % 2;
    i.shift = 2 * t->before + t->half;
    i.sign = whole == odd ? -1 : 1;
    i.scale = t->scale / t->period;
    return i;
}

line_transform ir_transform_of(const ir *code, const ir_stage *stage)
{
    const int axis = stage->along - 1;
    const ir_field *f = &code->field[stage->output[0].field];
    const box all = ir_stage_box(code, stage);
    const int count = (int)(all.hi[axis] - all.lo[axis]);
    line_transform t = {.points = count,
                        .period = count,
                        .scale = 0.5,
                        .part = stage->transform > MAX_DIM ? 3 : 2};

    if (!border_wraps(f->border[axis][0].kind)) {
        const wall left = wall_of(f, axis, 0), right = wall_of(f, axis, 1);
        t = (line_transform){.points = count,
                             .period = 2 * count - 2 + left.behind + right.behind,
                             .before = left.behind / 2,
                             .half = left.behind % 2,
                             .sign = right.odd ? -1 : 1,
                             .part = left.odd,
                             .shift = left.odd != right.odd ? 1 : 2 * left.odd,
                             .scale = 0.5};
        if (stage->transform < 0)
            t = inverse_of(&t);
    } else if (stage->transform < 0)
        t.scale /= count;
    t.padded = transform_padding(transform_length(&t));
    if (t.padded)
        t.scale /= t.padded;
    return t;
}

/* ---- cosines ----------------------------------------------------------------------- */

static int add_table(ir *code, int axis, int coarse, int64_t period)
{
    const int64_t extent = points_along(code, axis, coarse);
    const int number = code_add_table(code, axis, coarse);

    code->table[number].margin[1] = (int)int64_most(4 * period - extent, 0);
    /* The cosine of part n of 4*period is the sine of the part period - n, within a
     * quarter turn: n is counted from the nearer end. */
    builder b = builder_open(code, &code->table[number].stage);
    ir_node index = node_blank(IR_INDEX);
    index.axis = axis;
    const int n = build_node(&b, &index);
    const int back = build_op(&b, IR_SUB, build_const(&b, num_int(4 * period)), n, -1),
              near = build_op(&b, IR_MIN, n, back, -1),
              part = build_op(&b, IR_SUB, build_const(&b, num_int(period)), near, -1),
              share = build_op(&b, IR_DIV, part, build_const(&b, num_int(2 * period)),
                               -1);
    const int angle = build_op(&b, IR_MUL, share, build_const(&b, num_double(PI)), -1);
    const ir_output output = {
        .kind = IR_SET, .node = build_op(&b, IR_SIN, angle, -1, -1), .uniform = -1};
    stage_add_output(code, &code->table[number].stage, &output);
    return number;
}

/* Tables from number `first` on have these periods. */
typedef struct cosines {
    int64_t first;
    int *period;
} cosines;

static ir_node table_of(ir *code, const cosines *c, const ir_stage *s, int period)
{
    const int axis = s->along - 1;
    ir_node node = node_blank(IR_TABLE);
    int64_t k = c->first;

    while (k < code->tables &&
           (code->table[k].axis != axis || code->table[k].coarse != s->coarse ||
            c->period[k - c->first] != period))
        k++;
    c->period[k - c->first] = period;
    node.axis = axis;
    node.table = k < code->tables ? (int)k : add_table(code, axis, s->coarse, period);
    return node;
}

void ir_add_cosines(ir *code)
{
    const cosines c = {code->tables,
                       arena_alloc(code->arena, 2 * code->stages + 1, sizeof *c.period)};

    for (int64_t k = 0; k < code->stages; k++) {
        ir_stage *s = &code->stage[k];
        if (!s->transform)
            continue;
        const line_transform t = ir_transform_of(code, s);
        if (t.period < 1 || t.period > INT_MAX / 64)
            arena_fail(code->arena, PAV_ELIMIT,
                       "%s: a line of %d points is too short or too long for a transform",
                       code->program->name, t.points);
        ir_node *node = arena_alloc(code->arena, s->count + 2, sizeof *node);
        if (s->count > 0)
            memcpy(node, s->node, (size_t)s->count * sizeof *node);
        node[s->count] = table_of(code, &c, s, t.period);
        node[s->count + 1] = table_of(code, &c, s, t.padded ? t.padded / 4 : t.period);
        s->node = node;
        s->count += 2;
        s->capacity = s->count;
    }
}
