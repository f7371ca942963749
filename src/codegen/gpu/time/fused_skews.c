/* SPDX-License-Identifier: BSD-3-Clause */
/* The skews of a fused launch along its sweep: by how many planes each operation lags
 * behind the first; the overlap of its tiles; and how many planes of each version are
 * needed at the same time. Skews between time tiles on processors, in points along every
 * axis, are those of src/plan/depth.c. */
#include "codegen/gpu/time/fused_private.h"

/* ---- skews ------------------------------------------------------------------------- */

const fused_operation *fused_producer_of(const fused_plan *p, int field)
{
    for (int64_t n = 0; n < p->operations; n++)
        if (fused_stores(fused_stage_of(p, &p->operation[n]), field))
            return &p->operation[n];
    return NULL;
}

/* After which nothing changes it in its step: that, or the last injection. */
static const fused_operation *settler_of(const fused_plan *p, int field)
{
    for (int64_t n = p->operations; n-- > 0;)
        if (fused_stores(fused_stage_of(p, &p->operation[n]), field))
            return &p->operation[n];
    return NULL;
}

typedef void load_visit(fused_plan *p, fused_operation *operation, const fused_read *r);

static void each_load(fused_plan *p, load_visit *visit)
{
    for (int64_t n = 0; n < p->operations; n++)
        for (int64_t k = 0; k < p->operation[n].reads; k++)
            if (p->moves[p->operation[n].read[k].load->field])
                visit(p, &p->operation[n], &p->operation[n].read[k]);
}

/* What another warp made is there after the barrier that follows, a plane later; what a
 * thread and its warp hold is there at once. Where borders copy, what lies as far the
 * other way is read, too. */
static int planes_until(const fused_plan *p, const fused_read *r)
{
    const ir_node *n = r->load;

    if (!p->in_registers)
        return fused_distance(n, p->axis) +
               (n->offset[0] || (p->axis == 2 && n->offset[1]));
    return r->z + (p->axis == 2 && n->offset[1] != 0);
}

static void skew_of_operation(fused_plan *p, fused_operation *operation,
                              const fused_read *r)
{
    const int before = r->load->level == 1 ? fused_producer_of(p, r->load->field)->skew
                                           : 0;

    operation->skew = int_most(operation->skew, before + planes_until(p, r));
}

/* What a stage reads of its own step nothing has been added to yet. */
static void skew_of_sources(fused_plan *p, fused_operation *operation,
                            const fused_read *r)
{
    const ir_node *n = r->load;

    for (int64_t k = 0; k < p->operations && n->level == 1 && operation->event < 0; k++)
        if (p->operation[k].event >= 0 &&
            fused_stores(fused_stage_of(p, &p->operation[k]), n->field))
            p->operation[k].skew = int_most(p->operation[k].skew,
                                            operation->skew + planes_until(p, r));
}

/* All are as late as the last, so that at a point they come one after another. */
static void join_injections(fused_plan *p)
{
    int last = 0;

    for (int64_t n = 0; n < p->operations; n++)
        if (p->operation[n].event >= 0)
            last = int_most(last, p->operation[n].skew);
    for (int64_t n = 0; n < p->operations; n++)
        if (p->operation[n].event >= 0)
            p->operation[n].skew = last;
}

static void find_look(fused_plan *p)
{
    p->look = 0;
    for (int f = 0; f < p->code->fields; f++)
        if (p->field[f].seen)
            p->look = int_most(p->look, settler_of(p, f)->skew);
}

/* A level that is `steps` steps old. */
static void skew_of_step(fused_plan *p, fused_operation *operation, const fused_read *r)
{
    const int steps = 1 - r->load->level;
    const int more = settler_of(p, r->load->field)->skew + planes_until(p, r) -
                     operation->skew;

    if (steps > 0 && more > 0)
        p->skew = int_most(p->skew, (more + steps - 1) / steps);
}

int fused_last_skew(const fused_plan *p)
{
    int last = 0;

    for (int64_t n = 0; n < p->operations; n++)
        last = p->operation[n].skew > last ? p->operation[n].skew : last;
    return last + (p->schedule.tile.steps - 1) * p->skew;
}

/* ---- what is around ---------------------------------------------------------------- */

static void around_maker(fused_plan *p, fused_operation *operation, const fused_read *r)
{
    const ir_node *n = r->load;
    fused_operation *maker = (fused_operation *)(uintptr_t)fused_producer_of(p, n->field);

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int more = operation->around[axis] + fused_distance(n, axis);
        if (n->level == 1)
            maker->around[axis] = int_most(maker->around[axis], more);
        else
            p->reach[axis] = int_most(p->reach[axis], more);
    }
}

/* ---- planes ------------------------------------------------------------------------ */

int fused_age(const fused_plan *p, const fused_operation *operation, int field, int level,
              int z)
{
    return (1 - level) * p->skew + operation->skew - fused_producer_of(p, field)->skew -
           z;
}

int fused_input_age(const fused_operation *operation, int z)
{
    return operation->skew - z;
}

static void planes_of(fused_plan *p, fused_operation *operation, const fused_read *r)
{
    const ir_node *n = r->load;
    fused_field *f = &p->field[n->field];
    const int z = p->in_registers ? r->z : -fused_distance(n, p->axis);
    int age = fused_age(p, operation, n->field, n->level, z);

    if (n->level < 1) { /* in the last step that finds it */
        const int last = -n->level * p->skew + fused_input_age(operation, z);
        f->input_planes = int_most(f->input_planes, last + 1);
        age = int_most(age, last);
    }
    f->oldest = n->level < f->oldest ? n->level : f->oldest;
    f->within |= n->level == 1;
    f->planes = int_most(f->planes, age + 1);
    if (p->in_registers && p->axis == 2 && n->offset[1] != 0) {
        f->exchange = int_most(f->exchange, age + 1);
        f->edge = int_most(f->edge, fused_distance(n, 1));
    }
    f->whole = f->whole && operation->input && age > 0;
}

/* A plane that is read once it is published need not be kept in registers as well. */
static void show_whole(fused_field *f)
{
    f->whole = f->whole && f->exchange > 0;
    if (!f->whole)
        return;
    f->planes = 1;
    f->edge = MAX_OFFSET;
}

/* Of the step that samples observe. */
static int planes_seen(const fused_plan *p, int field)
{
    return p->field[field].seen ? p->look - fused_producer_of(p, field)->skew + 1 : 1;
}

static void find_planes(fused_plan *p)
{
    for (int f = 0; f < p->code->fields; f++) {
        const int levels = p->code->field[f].levels;
        p->field[f].planes = planes_seen(p, f);
        p->field[f].kept = p->moves[f] ? int_most(levels - 1, 1) : 0;
        p->field[f].whole = p->moves[f];
    }
    each_load(p, planes_of);
    for (int f = 0; f < p->code->fields; f++)
        show_whole(&p->field[f]);
}

/* As often as there are operations: each settles one more at least. */
void fused_find_skews(fused_plan *p)
{
    for (int64_t n = 0; n < p->operations; n++) {
        each_load(p, skew_of_operation);
        each_load(p, skew_of_sources);
        join_injections(p);
        each_load(p, around_maker);
    }
    find_look(p);
    p->skew = int_most(1, p->reach[p->axis]);
    each_load(p, skew_of_step);
    find_planes(p);
}
