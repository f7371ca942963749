/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixed tree of reductions. An odd index is the right half of a block and completes
 * it; an even index waits for its partner. Waiting values are stored by falling level,
 * like the ones of a binary counter. So adding is cheap, and no other values are
 * stored. */
#include <math.h>

#include "interp/interp_private.h"

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
static void combine_pairs(reduction_kind kind, double *values, int64_t pairs)
{
    switch (kind) {
    case REDUCTION_MIN:
        INDEPENDENT
        for (int64_t j = 0; j < pairs; j++)
            values[j] = tree_combine(REDUCTION_MIN, values[2 * j], values[2 * j + 1]);
        break;
    case REDUCTION_MAX:
        INDEPENDENT
        for (int64_t j = 0; j < pairs; j++)
            values[j] = tree_combine(REDUCTION_MAX, values[2 * j], values[2 * j + 1]);
        break;
    default:
        INDEPENDENT
        for (int64_t j = 0; j < pairs; j++)
            values[j] = tree_combine(REDUCTION_SUM, values[2 * j], values[2 * j + 1]);
    }
}

double tree_fold(reduction_kind kind, double *values, int64_t first, int64_t count)
{
    for (int level = 0; count > 1 && level < TOP_LEVEL; level++) {
        const int64_t last = first + count - 1;
        const int64_t alone = first & 1; /* the first one has no partner */
        const int64_t pairs = (count - alone) / 2;
        combine_pairs(kind, values + alone, pairs);
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

/* True if the last waiting block has this level. Then it is the left half of the next
 * block. */
static bool partner_waits(const tree *t, int level)
{
    return t->depth > 0 && t->block[t->depth - 1].level == level;
}

void tree_add(tree *t, int64_t index, double value)
{
    int level = 0;

    for (; (index & 1) && level < TOP_LEVEL; index >>= 1, level++)
        if (partner_waits(t, level))
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
