/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps an expression at a spot to its node, with an open-addressing table. So the cost of
 * composed stencils (a laplacian of a laplacian of ...) is proportional to the number of
 * their spots. */
#include "plan/plan_private.h"

enum {
    FIRST_ENTRIES = 64, /* a power of two; doubled when half full */
    MOST_ENTRIES = 1 << 20,
};

static uint64_t spot_hash(const expr *e, const spot *at)
{
    uint64_t h = hash_mix((uint64_t)(uintptr_t)e ^ (uint64_t)at->coarse);

    h = hash_mix(h ^ (uint64_t)(uintptr_t)at->scope);
    for (int axis = 0; axis < MAX_DIM; axis++)
        h = hash_mix(h ^ (uint32_t)at->offset[axis]);
    return h;
}

static bool same_spot(const spot *a, const spot *b)
{
    return a->scope == b->scope && a->coarse == b->coarse &&
           a->offset[0] == b->offset[0] && a->offset[1] == b->offset[1] &&
           a->offset[2] == b->offset[2];
}

/* The entry, or the free entry for it. */
static memo_entry *find(const memo *m, const expr *e, const spot *at)
{
    const uint64_t mask = (uint64_t)m->capacity - 1;
    uint64_t slot = spot_hash(e, at) & mask;

    while (m->entry[slot].expr &&
           !(m->entry[slot].expr == e && same_spot(&m->entry[slot].at, at)))
        slot = (slot + 1) & mask;
    return &m->entry[slot];
}

static void grow(lowering *l, memo *m)
{
    const memo old = *m;

    m->capacity = old.capacity ? 2 * old.capacity : FIRST_ENTRIES;
    if (m->capacity > MOST_ENTRIES)
        lower_fail(l, PAV_ELIMIT,
                   "the parts of this statement are read at more than %d points, as "
                   "derivatives of derivatives are; split it in two equations",
                   MOST_ENTRIES / 2);
    m->entry = arena_alloc(l->arena, m->capacity, sizeof *m->entry);
    for (int64_t k = 0; k < old.capacity; k++)
        if (old.entry[k].expr)
            *find(m, old.entry[k].expr, &old.entry[k].at) = old.entry[k];
}

int memo_get(const memo *m, const expr *e, const spot *at)
{
    if (!m->capacity)
        return -1;
    const memo_entry *entry = find(m, e, at);
    return entry->expr ? entry->value : -1;
}

void memo_put(lowering *l, memo *m, const expr *e, const spot *at, int value)
{
    if (2 * m->count >= m->capacity)
        grow(l, m);
    *find(m, e, at) = (memo_entry){.expr = e, .at = *at, .value = value};
    m->count++;
}
