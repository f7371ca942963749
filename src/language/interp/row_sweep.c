/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates a prepared stage: planes, rows, pieces of rows, nodes. A node is evaluated
 * for the whole piece before the next node. */
#include <math.h>

#include "interp/interp_private.h"

/* ---- the tree of reductions -------------------------------------------------------- */

/* The fixed tree of reductions. An odd index is the right half of a block and completes
 * it; an even index waits for its partner. Waiting values are stored by falling level,
 * like the ones of a binary counter. So adding is cheap, and no other values are
 * stored. */

enum {
    TOP_LEVEL = 62, /* here negative and other indices form two blocks of one tree */
};

double tree_empty(reduction_kind kind)
{
    switch (kind) {
    case REDUCTION_MIN: return (double)INFINITY;
    case REDUCTION_MAX: return (double)-INFINITY;
    default: return 0;
    }
}

/* Like MIN and MAX of stages, but NaN on either side wins. */
double tree_combine(reduction_kind kind, double left, double right)
{
    switch (kind) {
    case REDUCTION_MIN: return left < right || left != left ? left : right;
    case REDUCTION_MAX: return left > right || left != left ? left : right;
    default: return left + right;
    }
}

/* Combines values[2j] with values[2j + 1]. Writing values[j] is safe, because it was read
 * before. */
INLINE void combine_as(reduction_kind kind, double *values, int64_t pairs)
{
    INDEPENDENT
    for (int64_t j = 0; j < pairs; j++)
        values[j] = tree_combine(kind, values[2 * j], values[2 * j + 1]);
}

double interp_reduce(reduction_kind kind, double *values, int64_t first, int64_t count)
{
    for (int level = 0; count > 1 && level < TOP_LEVEL; level++) {
        const int64_t last = first + count - 1;
        const int64_t alone = first & 1; /* the first one has no partner */
        const int64_t pairs = (count - alone) / 2;
        /* Each kind has its own loop, so it is a constant in it. */
        switch (kind) {
        case REDUCTION_MIN: combine_as(REDUCTION_MIN, values + alone, pairs); break;
        case REDUCTION_MAX: combine_as(REDUCTION_MAX, values + alone, pairs); break;
        default: combine_as(REDUCTION_SUM, values + alone, pairs);
        }
        if (count - alone > 2 * pairs)
            values[alone + pairs] = values[count - 1];
        first >>= 1;
        count = (last >> 1) - first + 1;
    }
    return count > 1 ? tree_combine(kind, values[0], values[1]) : values[0];
}

void tree_start(tree *t, reduction_kind kind)
{
    t->kind = kind;
    t->depth = 0;
}

void tree_add(tree *t, int64_t index, double value)
{
    int level = 0;

    for (; (index & 1) && level < TOP_LEVEL; index >>= 1, level++)
        /* the last waiting block of this level is the left half of the next one */
        if (t->depth > 0 && t->block[t->depth - 1].level == level)
            value = tree_combine(t->kind, t->block[--t->depth].value, value);
    t->block[t->depth++] = (struct tree_block){level, value};
}

double tree_value(const tree *t)
{
    if (t->depth == 0)
        return tree_empty(t->kind);
    double value = t->block[t->depth - 1].value;
    for (int k = t->depth - 2; k >= 0; k--)
        value = tree_combine(t->kind, t->block[k].value, value);
    return value;
}

/* ---- sweeps ------------------------------------------------------------------------ */

static ir_transfer transfer_along(const row_span *s, int axis)
{
    return ir_transfer_along(s->transfer, s->kept, axis);
}

static void *span_at(const row_span *s, int64_t i)
{
    return s->data + (s->row + ir_index_read(transfer_along(s, 0), i, s->offset[0])) *
                         (int64_t)s->size;
}

/* ---- nodes over a piece ------------------------------------------------------------ */

/* Loads between grids. From the finer grid: every second element, out[i] = in[2*i]. From
 * the coarser grid: each element twice, but the first one only once if the first point is
 * odd. */
INLINE void spread_elements(size_t size, ir_transfer transfer, int64_t odd, int64_t count,
                            char *out, const char *in)
{
    if (transfer == IR_TO_FINE)
        for (int64_t i = 0; i < count; i++)
            __builtin_memcpy(out + (size_t)i * size, in + (size_t)(2 * i) * size, size);
    else
        for (int64_t i = 0; i < count; i++)
            __builtin_memcpy(out + (size_t)i * size, in + (size_t)((i + odd) >> 1) * size,
                             size);
}

static void run_load(row_program *p, int node, int64_t i, int64_t count, void *out)
{
    const row_span *s = &p->span[p->value[node].span];

    if (transfer_along(s, 0) == IR_SAME)
        type_convert(p->real, out, s->type, span_at(s, i), count);
    else {
        const int64_t first = ir_index_read(s->transfer, i, s->offset[0]),
                      last = ir_index_read(s->transfer, i + count - 1, s->offset[0]);
        const int64_t odd = (i + s->offset[0]) & 1;
        const char *in = span_at(s, i);
        if (s->type != p->real) {
            type_convert(p->real, p->scratch, s->type, in, last - first + 1);
            in = p->scratch;
        }
        if (p->real == PAV_F32)
            spread_elements(sizeof(float), s->transfer, odd, count, out, in);
        else
            spread_elements(sizeof(double), s->transfer, odd, count, out, in);
    }
}

static void run_random(row_program *p, const ir_node *n, const int64_t at[MAX_DIM],
                       int64_t count, void *out)
{
    const double seed = p->args->uniform[n->uniform];
    int64_t from[MAX_DIM] = {0, ir_node_index(n, 1, at[1]), ir_node_index(n, 2, at[2])};

    for (int64_t k = 0; k < count; k++) {
        from[0] = ir_node_index(n, 0, at[0] + k);
        p->numbers[k] = ir_random(n, seed, from);
    }
    type_convert(p->real, out, PAV_F64, p->numbers, count);
}

/* The value of a node for the whole piece. A constant is copied to scratch. */
static const void *whole(row_program *p, int node, int64_t count)
{
    const operand v = p->value[node].place;

    if (v.step != 0)
        return v.at;
    p->op(p->real, IR_ROUND, count, p->scratch, (operand[3]){v, v, v});
    return p->scratch;
}

static void run_metric(row_program *p, const row_step *s, int64_t count, void *out)
{
    type_convert(PAV_F64, p->numbers, p->real, whole(p, s->arg[0], count), count);
    for (int64_t k = 0; k < count; k++)
        p->numbers[k] = ir_metric_value(p->args->code, p->stage->node[s->node].field,
                                        (int64_t)p->numbers[k]);
    type_convert(p->real, out, PAV_F64, p->numbers, count);
}

static void run_op(row_program *p, const row_step *s, int64_t count, void *out)
{
    const operand in[3] = {p->value[s->arg[0]].place, p->value[s->arg[1]].place,
                           p->value[s->arg[2]].place};

    p->op(p->real, s->op, count, out, in);
}

static void run_round(row_program *p, const row_step *s, int64_t count, void *out)
{
    if (s->type == p->real || s->type == PAV_F64) {
        run_op(p, s, count, out);
        return;
    }
    type_convert(s->type, p->numbers, p->real, whole(p, s->arg[0], count), count);
    type_convert(p->real, out, s->type, p->numbers, count);
}

static void run_step(row_program *p, const row_step *s, const int64_t at[MAX_DIM],
                     int64_t count)
{
    void *out = p->value[s->node].place.at;

    switch (s->op) {
    case IR_LOAD:
    case IR_TABLE: run_load(p, s->node, at[0], count, out); break;
    case IR_INDEX:
        for (int64_t n = 0; n < count; n++)
            p->numbers[n] = (double)(at[0] + n);
        type_convert(p->real, out, PAV_F64, p->numbers, count);
        break;
    case IR_RANDOM: run_random(p, &p->stage->node[s->node], at, count, out); break;
    default:
        (s->op == IR_METRIC  ? run_metric
         : s->op == IR_ROUND ? run_round
                             : run_op)(p, s, count, out);
    }
}

/* ---- pieces ------------------------------------------------------------------------ */

static void store(row_program *p, const row_span *s, int64_t i, int64_t count)
{
    const operand v = p->value[s->node].place;

    if (s->type == p->real)
        p->op(p->real, IR_ROUND, count, span_at(s, i), (operand[3]){v, v, v});
    else
        type_convert(s->type, span_at(s, i), p->real, whole(p, s->node, count), count);
}

static void reduce(row_program *p, int64_t output, int64_t i, int64_t count)
{
    const ir_output *o = &p->stage->output[output];

    type_convert(PAV_F64, p->numbers, p->real, whole(p, o->node, count), count);
    const double value = interp_reduce(o->reduction, p->numbers, i, count);
    tree_add(&p->trees[output][0], (i & -p->piece) / p->piece, value);
}

static void run_piece(row_program *p, const int64_t at[MAX_DIM], int64_t count)
{
    for (int64_t k = 0; k < p->spans; k++)
        if (p->span[k].in_place)
            p->value[p->span[k].node].place.at = span_at(&p->span[k], at[0]);
    for (int64_t k = 0; k < p->steps; k++)
        run_step(p, &p->step[k], at, count);
    for (int64_t k = 0; k < p->stage->outputs; k++) {
        if (p->stage->output[k].kind == IR_REDUCE)
            reduce(p, k, at[0], count);
        else if (!p->span[p->loads + k].in_place)
            store(p, &p->span[p->loads + k], at[0], count);
    }
}

/* ---- rows -------------------------------------------------------------------------- */

static double fixed_value(const row_program *p, const ir_node *n,
                          const int64_t at[MAX_DIM])
{
    if (n->op == IR_INDEX)
        return (double)at[n->axis];
    const int64_t index = at[p->args->code->table[n->table].axis] + n->offset[0];
    return p->args->table[n->table][index];
}

static void run_row(row_program *p, int64_t j, int64_t k)
{
    const int64_t end = p->args->box.hi[0];
    int64_t at[MAX_DIM] = {p->args->box.lo[0], j, k};

    for (int64_t n = 0; n < p->spans; n++) {
        row_span *s = &p->span[n];
        s->row = ir_index_read(transfer_along(s, 1), at[1], s->offset[1]) * s->stride[1] +
                 ir_index_read(transfer_along(s, 2), at[2], s->offset[2]) * s->stride[2];
    }
    for (int64_t n = 0; n < p->fixeds; n++) {
        const int node = p->fixed[n];
        const double value = fixed_value(p, &p->stage->node[node], at);
        for (int i = 0; i < LANE; i++)
            p->numbers[i] = value;
        type_convert(p->real, p->value[node].place.at, PAV_F64, p->numbers, LANE);
    }
    while (at[0] < end) {
        const int64_t cut = (at[0] & -p->piece) + p->piece, stop = cut < end ? cut : end;
        run_piece(p, at, stop - at[0]);
        at[0] = stop;
    }
}

/* ---- planes ------------------------------------------------------------------------ */

static void start_trees(row_program *p, int axis)
{
    for (int64_t k = 0; p->trees && k < p->stage->outputs; k++)
        tree_start(&p->trees[k][axis], p->stage->output[k].reduction);
}

/* The reduction along one axis becomes one value of the next axis. */
static void end_trees(row_program *p, int axis, int64_t index)
{
    for (int64_t k = 0; p->trees && k < p->stage->outputs; k++)
        if (p->stage->output[k].kind == IR_REDUCE)
            tree_add(&p->trees[k][axis + 1], index, tree_value(&p->trees[k][axis]));
}

/* Stores the reductions of the finished row, for callers with `rows`. */
static void give_row(const row_program *p, int64_t j, int64_t k)
{
    const box *b = &p->args->box;
    const int64_t ny = b->hi[1] - b->lo[1], nz = b->hi[2] - b->lo[2];
    double *to = p->args->rows;
    if (!p->trees || !to)
        return;
    to += (k - b->lo[2]) * ny + j - b->lo[1];
    for (int64_t n = 0; n < p->stage->outputs; n++)
        if (p->stage->output[n].kind == IR_REDUCE) {
            *to = tree_value(&p->trees[n][0]);
            to += ny * nz;
        }
}

void row_program_run(row_program *p)
{
    start_trees(p, 2);
    for (int64_t k = p->args->box.lo[2]; k < p->args->box.hi[2]; k++) {
        start_trees(p, 1);
        for (int64_t j = p->args->box.lo[1]; j < p->args->box.hi[1]; j++) {
            start_trees(p, 0);
            run_row(p, j, k);
            give_row(p, j, k);
            end_trees(p, 0, j);
        }
        end_trees(p, 1, k);
    }
    for (int64_t k = 0; k < p->stage->outputs; k++) {
        const ir_output *o = &p->stage->output[k];
        if (o->kind == IR_REDUCE && !p->args->rows)
            p->args->uniform[o->uniform] = tree_value(&p->trees[k][2]);
    }
}
