/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis of skews for time tiles on processors, windows out of core and fused
 * launches on GPUs: from the uses and stores of a step's operations, it finds the
 * necessary lag between operations.
 *
 * Every use of a field is compared with every operation that stores the field. The store
 * is in the same step, in the step that made the value read, or in the step that
 * overwrites its buffer. Each pair requires a lag of one operation behind the other.
 * Within a step the skews follow in the order of the operations. The skew of a whole step
 * is then the least value for the pairs of different steps. */
#include <assert.h>

#include "plan/plan_private.h"

static bool stores(const ir_uses *u, int64_t operation, int field)
{
    return u->stored[operation * u->fields + field];
}

/* ---- pairs ------------------------------------------------------------------------- */

/* Operation `later`, `steps` steps afterwards, stays at least `apart` behind operation
 * `before`. */
typedef void pair_visit(ir_skews *s, int64_t before, int64_t later, int steps,
                        const int *apart);

/* A level is stored `made` steps before it is used. Its buffer is overwritten levels -
 * made steps after the use. */
static void visit_use(const ir_uses *u, const ir_use *one, int64_t operation, ir_skews *s,
                      pair_visit *visit)
{
    const int made = 1 - one->level;

    if (!stores(u, operation, one->field))
        return;
    if (made > 0 || operation < one->operation)
        visit(s, operation, one->operation, made, one->far);
    if (one->level == 1 && operation > one->operation)
        visit(s, one->operation, operation, 0, one->far);
    if (u->levels)
        visit(s, one->operation, operation, u->levels[one->field] - made, one->far);
}

static void visit_pairs(const ir_uses *u, ir_skews *s, pair_visit *visit)
{
    for (int64_t k = 0; k < u->uses; k++)
        for (int64_t operation = 0; operation < u->operations; operation++)
            visit_use(u, &u->use[k], operation, s, visit);
}

static void skew_within(ir_skews *s, int64_t before, int64_t later, int steps,
                        const int *apart)
{
    for (int axis = 0; axis < MAX_DIM && steps == 0 && before < later; axis++)
        s->of[later].skew[axis] = int_most(s->of[later].skew[axis],
                                           s->of[before].skew[axis] + apart[axis]);
}

static void skew_between(ir_skews *s, int64_t before, int64_t later, int steps,
                         const int *apart)
{
    for (int axis = 0; axis < MAX_DIM && steps > 0; axis++) {
        const int more = apart[axis] + s->of[before].skew[axis] - s->of[later].skew[axis];
        s->step[axis] = int_most(s->step[axis],
                                 more > 0 ? (more + steps - 1) / steps : 0);
    }
}

/* ---- reach ------------------------------------------------------------------------- */

/* The distance around the points of a step to which operation `k` must be computed for
 * its users. */
static int beyond(const ir_uses *u, const ir_skews *s, int64_t k, int axis, int side)
{
    int most = 0;

    for (int64_t n = 0; n < u->uses; n++) {
        const ir_use *one = &u->use[n];
        if (one->operation > k && one->level == 1 && stores(u, k, one->field))
            most = int_most(most, s->of[one->operation].around[axis][side] +
                                      one->reach[axis][side]);
    }
    return most;
}

static void find_reach(const ir_uses *u, ir_skews *s, int axis, int side)
{
    for (int64_t k = u->operations; k-- > 0;)
        s->of[k].around[axis][side] = beyond(u, s, k, axis, side);
    for (int64_t n = 0; n < u->uses; n++)
        if (u->use[n].level < 1)
            s->reach[axis][side] = int_most(
                s->reach[axis][side], s->of[u->use[n].operation].around[axis][side] +
                                          u->use[n].reach[axis][side]);
}

/* Each round settles at least one more operation. */
void ir_find_skews(const ir_uses *u, ir_skews *s)
{
    for (int64_t n = 0; n < u->operations; n++)
        visit_pairs(u, s, skew_within);
    visit_pairs(u, s, skew_between);
    for (int64_t n = 0; n < u->operations; n++) /* tiles are skewed to one side */
        for (int axis = 0; axis < MAX_DIM; axis++)
            assert(s->of[n].skew[axis] >= 0 && s->step[axis] >= 0);
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++)
            find_reach(u, s, axis, side);
}
