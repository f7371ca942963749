/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds equal nodes of a stage up to a shift of the point. u[1,0,0] - u is u - u[-1,0,0]
 * seen from one point further along x, so both are of one kind, at places 0 and -1.
 *
 * A node's place along an axis is the least of its arguments' places. Its kind is its
 * operation, the kinds of its arguments, and their places relative to its own. A value
 * unchanged by a shift (a constant, a table of another axis) has no place. An index
 * depends on its position and cannot be shifted. */
#include <string.h>

#include "plan/plan_private.h"

enum {
    PAYLOAD = 11, /* identity of a node without its arguments */
    KEY = PAYLOAD + 3 * (1 + MAX_DIM),
    FIRST_SLOTS = 64,
};

struct alike_key {
    int word[KEY];
};

alike alike_open(arena *a, unsigned axes)
{
    alike k = {.arena = a, .axes = axes, .slots = FIRST_SLOTS};

    k.slot = arena_alloc(a, k.slots, sizeof *k.slot);
    return k;
}

/* ---- kinds ------------------------------------------------------------------------- */

static int *find_slot(const alike *k, const struct alike_key *key)
{
    const uint64_t mask = (uint64_t)k->slots - 1;
    uint64_t h = 0;

    for (int i = 0; i < KEY; i++)
        h = hash_word(h, (uint32_t)key->word[i]);
    for (h = hash_mix(h) & mask; k->slot[h]; h = (h + 1) & mask)
        if (memcmp(&k->key[k->slot[h] - 1], key, sizeof *key) == 0)
            break;
    return &k->slot[h];
}

static int kind_of(alike *k, const struct alike_key *key)
{
    int *slot = find_slot(k, key);

    if (*slot)
        return *slot - 1;
    ARENA_ADD(k->arena, k->key, k->kinds, k->kind_capacity) = *key;
    *slot = (int)k->kinds;
    if (2 * k->kinds > k->slots) {
        k->slots *= 2;
        k->slot = arena_alloc(k->arena, k->slots, sizeof *k->slot);
        for (int i = 0; i < (int)k->kinds; i++)
            *find_slot(k, &k->key[i]) = i + 1;
    }
    return (int)k->kinds - 1;
}

/* ---- places ------------------------------------------------------------------------ */

/* The place of a leaf; the remainder of its offsets goes to `rest`. A shift of a coarse
 * point by one moves its loads from the grid by two. */
static void place_leaf(const alike *k, const ir_node *n, alike_place *p, int *rest)
{
    memcpy(rest, n->offset, sizeof n->offset);
    if (n->op == IR_INDEX || n->op == IR_TABLE)
        p->bound = k->axes & 1u << n->axis;
    else if (n->op == IR_LOAD || n->op == IR_RANDOM)
        p->bound = k->axes;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        if (!(p->bound & 1u << axis))
            continue;
        int *offset = n->op == IR_TABLE ? &rest[0] : &rest[axis];
        const bool fine = ir_transfer_along(n->transfer, n->kept, axis) == IR_TO_FINE;
        const int step = n->op == IR_LOAD && fine ? 2 : 1;
        p->at[axis] = step == 2 ? (int)int_floor_half(*offset) : *offset;
        *offset -= step * p->at[axis];
    }
}

static void place_operation(const alike *k, const ir_node *n, alike_place *p)
{
    for (int i = 0; i < ir_op_table[n->op].arguments; i++) {
        const alike_place *arg = &k->node[n->arg[i]];
        for (int axis = 0; axis < MAX_DIM; axis++) {
            const unsigned bit = 1u << axis;
            if ((arg->bound & bit) && (!(p->bound & bit) || arg->at[axis] < p->at[axis]))
                p->at[axis] = arg->at[axis];
        }
        p->bound |= arg->bound;
    }
}

/* Puts exchangeable arguments in a fixed order. */
static void order_arguments(int *first)
{
    int *second = first + 1 + MAX_DIM, spare[1 + MAX_DIM];

    for (int i = 0; i <= MAX_DIM; i++) {
        if (first[i] == second[i])
            continue;
        if (first[i] > second[i]) {
            memcpy(spare, first, sizeof spare);
            memcpy(first, second, sizeof spare);
            memcpy(second, spare, sizeof spare);
        }
        return;
    }
}

static void take(alike *k, const ir_node *n, int number)
{
    struct alike_key key;
    alike_place p = {.kind = 0};
    int rest[MAX_DIM] = {0};

    if (ir_op_table[n->op].arguments)
        place_operation(k, n, &p);
    else
        place_leaf(k, n, &p, rest);
    memset(&key, 0, sizeof key);
    const int payload[PAYLOAD] = {(int)n->op,
                                  n->uniform,
                                  n->axis,
                                  n->op == IR_TABLE ? n->table : n->field,
                                  n->level,
                                  (int)n->transfer | (int)n->kept << 8,
                                  (int)n->type,
                                  rest[0],
                                  rest[1],
                                  rest[2],
                                  n->op == IR_CONST ? number : 0};
    memcpy(key.word, payload, sizeof payload);
    for (int i = 0; i < ir_op_table[n->op].arguments; i++) {
        const alike_place *q = &k->node[n->arg[i]];
        int *word = &key.word[PAYLOAD + i * (1 + MAX_DIM)];
        word[0] = q->kind + 1;
        for (int axis = 0; axis < MAX_DIM; axis++)
            word[1 + axis] = q->bound & 1u << axis ? q->at[axis] - p.at[axis] : 0;
    }
    if (ir_commutes(n->op))
        order_arguments(&key.word[PAYLOAD]);
    p.kind = kind_of(k, &key);
    k->node[number] = p;
}

void alike_update(alike *k, const ir_stage *stage)
{
    for (; k->done < stage->count; k->done++) {
        arena_reserve(k->arena, &k->node, k->done, &k->capacity, sizeof *k->node);
        take(k, &stage->node[k->done], (int)k->done);
    }
}

/* ---- for schedules ----------------------------------------------------------------- */

static pav_status report_kinds(const ir_stage *stage, int axis, arena *a, ir_kind *kind)
{
    alike k = alike_open(a, 1u << axis);

    alike_update(&k, stage);
    for (int64_t n = 0; n < stage->count; n++)
        kind[n] = (ir_kind){k.node[n].kind, k.node[n].at[axis], k.node[n].bound != 0};
    return PAV_OK;
}

pav_status ir_kinds(const ir_stage *stage, int axis, ir_kind *kind)
{
    RETURN_IN_ARENA(a, report_kinds(stage, axis, a, kind));
}
