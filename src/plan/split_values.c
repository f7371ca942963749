/* SPDX-License-Identifier: BSD-3-Clause */
/* Assigns the values of a stage to its parts, by the places of their neighbours.
 *
 * A value that reads only one plane is computed by the part PLANES. A value that reads
 * only its line along the slowest axis is computed by AFTER, and so is a value of both.
 * There is one exception: a sum may continue from the lines through the neighbours of a
 * plane, one by one. It is then computed in PLANES, and BEFORE hands over the first
 * terms. */
#include "plan/plan_private.h"

/* ---- places of loads --------------------------------------------------------------- */

static void stand_at(parted_value *v, int at)
{
    v->placed = true;
    v->lo = v->hi = at;
}

/* Tables have no place: every part can read them. */
static void see_leaf(const parting *p, const ir_node *n, parted_value *v)
{
    if (n->op == IR_INDEX && n->axis == p->axis)
        stand_at(v, 0);
    if (n->op != IR_LOAD)
        return;
    stand_at(v, n->offset[p->axis]);
    for (int axis = 0; axis < MAX_DIM; axis++)
        v->wide = v->wide || (axis != p->axis && n->offset[axis] != 0);
}

static void see_argument(parted_value *v, const parted_value *arg)
{
    const bool first = arg->placed && !v->placed;

    v->wide = v->wide || arg->wide;
    v->placed = v->placed || arg->placed;
    if (first || (arg->placed && arg->lo < v->lo))
        v->lo = arg->lo;
    if (first || (arg->placed && arg->hi > v->hi))
        v->hi = arg->hi;
}

static part_reads reads_of(const parted_value *v)
{
    if (v->wide)
        return v->lo == v->hi ? READS_PLANE : READS_BOTH;
    return v->lo != 0 || v->hi != 0 ? READS_LINE : READS_POINT;
}

static void see_all(parting *p)
{
    for (int64_t k = 0; k < p->stage.count; k++) {
        const ir_node *n = &p->stage.node[k];
        parted_value *v = &p->of[k];
        see_leaf(p, n, v);
        for (int a = 0; a < ir_op_table[n->op].arguments; a++)
            see_argument(v, &p->of[n->arg[a]]);
        v->reads = reads_of(v);
    }
}

/* ---- values of planes and lines ---------------------------------------------------- */

static bool is_off_plane(const parted_value *v)
{
    return v->reads == READS_LINE || (v->reads == READS_PLANE && v->lo != 0);
}

/* The arguments of an operation on planes and lines. */
typedef struct grounds {
    bool neighbour; /* a load of a neighbour in a plane, not a value computed from some */
    bool elsewhere; /* a plane other than the point's own */
    bool off_plane, after;
} grounds;

static grounds grounds_of(const parting *p, const ir_node *n)
{
    grounds g = {0};

    for (int a = 0; a < ir_op_table[n->op].arguments; a++) {
        const parted_value *v = &p->of[n->arg[a]];
        const bool of_plane = v->reads == READS_PLANE;
        g.neighbour |= of_plane && p->stage.node[n->arg[a]].op == IR_LOAD;
        g.elsewhere |= of_plane && v->lo != 0;
        g.off_plane |= is_off_plane(v);
        g.after |= v->reads == READS_BOTH && v->part == PART_AFTER;
    }
    return g;
}

static void settle(parting *p, int64_t node)
{
    const grounds g = grounds_of(p, &p->stage.node[node]);

    p->of[node].part = g.neighbour              ? PART_PLANES
                       : g.after || g.off_plane ? PART_AFTER
                                                : PART_PLANES;
    if (g.neighbour && g.elsewhere)
        p->why = "what it sums goes on from plane to plane, so that none has a part of "
                 "its own";
    else if (g.neighbour && g.after)
        p->why = "its sums come back to the plane after the neighbours across it";
}

static void settle_all(parting *p)
{
    const bool *live = stage_live(&p->stage, p->code->arena);

    for (int64_t k = 0; k < p->stage.count; k++) {
        if (live[k] && p->of[k].reads == READS_BOTH)
            settle(p, k);
        else if (p->of[k].reads == READS_PLANE)
            p->of[k].part = PART_PLANES;
    }
}

/* ---- all --------------------------------------------------------------------------- */

static bool is_of_planes(const parted_value *v)
{
    return v->reads == READS_POINT || (v->part == PART_PLANES && !is_off_plane(v));
}

static void find_last(parting *p)
{
    p->last = PART_PLANES;
    for (int64_t k = 0; k < p->stage.outputs; k++)
        if (!is_of_planes(&p->of[p->stage.output[k].node]))
            p->last = PART_AFTER;
}

static bool has_points(const parting *p)
{
    const box b = ir_stage_box(p->code, &p->stage);

    return b.lo[0] < b.hi[0] && b.lo[1] < b.hi[1] && b.lo[2] < b.hi[2];
}

/* A reason in the nature of the stage against splitting it. */
static const char *refusal(const parting *p)
{
    bool wide = false, deep = false;

    for (int64_t k = 0; k < p->stage.outputs; k++)
        if (p->stage.output[k].kind != IR_STORE)
            return "what is reduced goes piece by piece of a row";
    for (int64_t k = 0; k < p->stage.count; k++) {
        const ir_node *n = &p->stage.node[k];
        if (n->op == IR_LOAD && n->transfer != IR_SAME)
            return "it reads another grid than its own";
        wide = wide || p->of[k].wide;
        deep = deep || (n->op == IR_LOAD && n->offset[p->axis] != 0);
    }
    return !has_points(p) ? "the grid has no points between its faces"
           : !wide        ? "it reads no neighbours in a plane"
           : !deep        ? "it reads no neighbours across its planes"
                          : NULL;
}

void part_values(parting *p)
{
    see_all(p);
    p->why = refusal(p);
    if (!p->why)
        settle_all(p);
    find_last(p);
}
