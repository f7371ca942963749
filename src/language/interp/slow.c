/* SPDX-License-Identifier: BSD-3-Clause */
/* The slow interpreter evaluates one point and one node at a time, in plain variables,
 * and reductions by the definition of their tree. It is written for readability, and
 * interp_stage must be bitwise identical to it. It shares leaves, checks and the text of
 * functions with the fast interpreter, but no other arithmetic. */
#include <math.h>

#include "base/functions/functions.h"
#include "interp/interp_private.h"

typedef struct slow_stage {
    const interp_args *args;
    const ir_stage *stage;
    pav_type real;
    double *value;   /* of each node at the point; f32 values are kept exactly */
    double **points; /* one per output with a reduction: its values, x fastest */
} slow_stage;

double interp_apply(ir_op op, double a, double b, double c)
{
    switch (op) {
    case IR_NEG: return -a;
    case IR_ADD: return a + b;
    case IR_SUB: return a - b;
    case IR_MUL: return a * b;
    case IR_DIV: return a / b;
    case IR_FMA: return fma(a, b, c);
    case IR_MIN: return a < b ? a : b;
    case IR_MAX: return a > b ? a : b;
    case IR_ABS: return fabs(a);
    case IR_SQRT: return sqrt(a);
#define F64_ONE(NAME, word, ...)                                                         \
    case IR_##NAME: return f64_##word(a);
        SMOOTH_FUNCTION_LIST(F64_ONE)
        STEPWISE_FUNCTION_LIST(F64_ONE)
#define F64_PAIR(NAME, word, ...)                                                        \
    case IR_##NAME: return f64_##word(a, b);
        PAIR_FUNCTION_LIST(F64_PAIR)
    case IR_LT: return a < b;
    case IR_LE: return a <= b;
    case IR_EQ: return a == b;
    case IR_NE: return a != b;
    case IR_AND: return a != 0 && b != 0;
    case IR_OR: return a != 0 || b != 0;
    case IR_NOT: return a == 0;
    case IR_EVEN: return f64_mod(a, 2) == 0;
    case IR_SELECT: return a != 0 ? b : c;
    default: return (double)NAN;
    }
}

/* Operations with a special f32 version, because the rounded f64 result would differ.
 * Sums, products, quotients and roots need none: 53 bits are more than twice 24, so
 * rounding twice does no harm. Operations that return an operand or a boolean are
 * exact. */
static float apply_f32(ir_op op, float a, float b, float c)
{
    switch (op) {
    case IR_FMA: return fmaf(a, b, c);
#define F32_ONE(NAME, word, ...)                                                         \
    case IR_##NAME: return f32_##word(a);
        SMOOTH_FUNCTION_LIST(F32_ONE)
        STEPWISE_FUNCTION_LIST(F32_ONE)
#define F32_PAIR(NAME, word, ...)                                                        \
    case IR_##NAME: return f32_##word(a, b);
        PAIR_FUNCTION_LIST(F32_PAIR)
    default: return (float)interp_apply(op, (double)a, (double)b, (double)c);
    }
}

static double round_to(pav_type type, double value)
{
    double room = 0;

    type_store(type, &room, value);
    return type_load(type, &room);
}

static double node_value(const slow_stage *s, const ir_node *n, const int64_t at[MAX_DIM])
{
    const interp_args *args = s->args;
    double a[3] = {0, 0, 0};
    int64_t from[MAX_DIM]; /* the point that a LOAD reads and a RANDOM uses */

    for (int k = 0; k < ir_op_table[n->op].arguments; k++)
        a[k] = s->value[n->arg[k]];
    for (int axis = 0; axis < MAX_DIM; axis++)
        from[axis] = ir_node_index(n, axis, at[axis]);
    switch (n->op) {
    case IR_CONST: return const_value(s->real, n->value);
    case IR_UNIFORM: return args->uniform[n->uniform];
    case IR_INDEX: return (double)at[n->axis];
    case IR_TABLE:
        return args->table[n->table][at[args->code->table[n->table].axis] + n->offset[0]];
    case IR_LOAD: {
        const view *v = view_of(args, n->field, n->level);
        return type_load(v->type, view_at(v, from[0], from[1], from[2]));
    }
    case IR_RANDOM: return ir_random(n, args->uniform[n->uniform], from);
    case IR_METRIC: return ir_metric_value(args->code, n->field, (int64_t)a[0]);
    case IR_ROUND: return round_to(n->type, a[0]);
    default:
        return s->real == PAV_F32
                   ? (double)apply_f32(n->op, (float)a[0], (float)a[1], (float)a[2])
                   : interp_apply(n->op, a[0], a[1], a[2]);
    }
}

/* ---- points ------------------------------------------------------------------------ */

static void run_outputs(const slow_stage *s, const int64_t at[MAX_DIM], int64_t point)
{
    for (int64_t k = 0; k < s->stage->outputs; k++) {
        const ir_output *o = &s->stage->output[k];
        const double value = s->value[o->node];
        if (o->kind == IR_REDUCE) {
            s->points[k][point] = value;
        } else if (o->kind == IR_SET) {
            s->args->uniform[o->uniform] = value;
        } else {
            const view *v = view_of(s->args, o->field, o->level);
            type_store(v->type, (char *)(uintptr_t)view_at(v, at[0], at[1], at[2]),
                       value);
        }
    }
}

static void run_points(const slow_stage *s)
{
    const box *b = &s->args->box;
    int64_t at[MAX_DIM], point = 0;

    for (at[2] = b->lo[2]; at[2] < b->hi[2]; at[2]++)
        for (at[1] = b->lo[1]; at[1] < b->hi[1]; at[1]++)
            for (at[0] = b->lo[0]; at[0] < b->hi[0]; at[0]++) {
                for (int64_t k = 0; k < s->stage->count; k++)
                    s->value[k] = round_to(s->real,
                                           node_value(s, &s->stage->node[k], at));
                run_outputs(s, at, point++);
            }
}

/* ---- reductions -------------------------------------------------------------------- */

static double combine(reduction_kind kind, double a, double b)
{
    if (kind == REDUCTION_SUM)
        return a + b;
    return isnan(a) || isnan(b)    ? (double)NAN
           : kind == REDUCTION_MIN ? (a < b ? a : b)
                                   : (a > b ? a : b);
}

/* The tree over the indices first .. first + size - 1 inside the box. It has two halves,
 * each a tree; an empty half is skipped. values[0] belongs to the box's first point. All
 * axes below `axis` are reduced before. */
static double tree_over(const slow_stage *s, int64_t output, int axis, int64_t first,
                        int64_t size, const double *values);

static double tree_along(const slow_stage *s, int64_t output, int axis,
                         const double *values)
{
    return axis < 0 ? values[0]
                    : tree_over(s, output, axis, -(INT64_C(1) << 61), INT64_C(1) << 62,
                                values);
}

static double tree_over(const slow_stage *s, int64_t output, int axis, int64_t first,
                        int64_t size, const double *values)
{
    const box *b = &s->args->box;
    const int64_t lo = b->lo[axis], hi = b->hi[axis], half = size / 2,
                  middle = first + half;

    if (size == 1) {
        int64_t step = 1;
        for (int below = 0; below < axis; below++)
            step *= b->hi[below] - b->lo[below];
        return tree_along(s, output, axis - 1, values + (first - lo) * step);
    }
    if (hi <= middle)
        return tree_over(s, output, axis, first, half, values);
    return lo >= middle ? tree_over(s, output, axis, middle, half, values)
                        : combine(s->stage->output[output].reduction,
                                  tree_over(s, output, axis, first, half, values),
                                  tree_over(s, output, axis, middle, half, values));
}

/* ---- the stage --------------------------------------------------------------------- */

static pav_status find_room(slow_stage *s)
{
    const box *b = &s->args->box;
    int64_t count = 1;

    for (int axis = 0; axis < MAX_DIM; axis++)
        count *= b->hi[axis] - b->lo[axis];
    TRY(mem_take(&s->value, s->stage->count, sizeof *s->value));
    TRY(mem_take(&s->points, s->stage->outputs, sizeof *s->points));
    for (int64_t k = 0; k < s->stage->outputs; k++) {
        if (s->stage->output[k].kind == IR_REDUCE)
            TRY(mem_take(&s->points[k], count, sizeof **s->points));
    }
    return PAV_OK;
}

static void free_room(const slow_stage *s)
{
    for (int64_t k = 0; s->points && k < s->stage->outputs; k++)
        mem_free(s->points[k]);
    MEM_FREE_ALL(s->points, s->value);
}

static pav_status run_plane(void *user, const interp_args *plane)
{
    (void)user;
    return interp_stage_slow(plane);
}

pav_status interp_stage_slow(const interp_args *args)
{
    if (interp_is_ordered(args))
        return interp_in_order(args, run_plane, NULL);
    if (args->stage->transform)
        return interp_stage(args);
    interp_args a = *args;
    OWNED_BY(free_room)
    slow_stage s = {.args = &a, .stage = args->stage, .real = stage_real(args->stage)};

    TRY(stage_run_before(args, interp_stage_slow));
    if (!stage_start(&a))
        return PAV_OK;
    TRY(stage_check(&a, false));
    TRY(find_room(&s));
    run_points(&s);
    for (int64_t k = 0; k < s.stage->outputs; k++)
        if (s.stage->output[k].kind == IR_REDUCE)
            s.args->uniform[s.stage->output[k].uniform] = tree_along(&s, k, MAX_DIM - 1,
                                                                     s.points[k]);
    return PAV_OK;
}
