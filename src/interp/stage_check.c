/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks a stage: all its references must exist, and all reads and writes must stay
 * within the views. A failure is a defect in the code behind the stage or the views,
 * reported by a message instead of a crash. The check is cheap: it visits each node once,
 * not at each point. */
#include <inttypes.h>

#include "interp/interp_private.h"

static bool within(int64_t value, int64_t count)
{
    return value >= 0 && value < count;
}

static const char *name_of(const interp_args *args)
{
    return args->stage->name ? args->stage->name : "without a name";
}

static const char *field_name(const interp_args *args, int field)
{
    const char *name = args->code->field[field].name;

    return name ? name : "without a name";
}

/* Checks that indices first..last of each axis lie in the view, halo included. */
static pav_status check_reach(const interp_args *args, int field, int level,
                              const view *v, const int64_t *first, const int64_t *last)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t lowest = v->first[axis] - v->halo[axis][0];
        const int64_t highest = v->first[axis] + v->extent[axis] - 1 + v->halo[axis][1];
        if (first[axis] < lowest || last[axis] > highest)
            return FAIL(PAV_EINTERNAL,
                        "stage '%s' touches %s, level %d, at indices %" PRId64
                        " to %" PRId64 " along %c; it is kept from %" PRId64
                        " to %" PRId64,
                        name_of(args), field_name(args, field), level, first[axis],
                        last[axis], "xyz"[axis], lowest, highest);
    }
    return PAV_OK;
}

/* Checks access to the field at the points of the node: a load's points, or the stage's
 * points for a blank node. */
static pav_status check_access(const interp_args *args, int field, int level,
                               const ir_node *n)
{
    int64_t first[MAX_DIM], last[MAX_DIM];

    if (!within(field, args->code->fields) || level > 1 || level < -MAX_LEVEL - 1)
        return FAIL(PAV_EINTERNAL,
                    "stage '%s' refers to level %d of field %d of %" PRId64,
                    name_of(args), level, field, args->code->fields);
    const view *v = view_of(args, field, level);
    if (!v || !v->data || pav_type_size(v->type) == 0)
        return FAIL(PAV_EINTERNAL,
                    "stage '%s' touches %s, level %d, and was given no view of it",
                    name_of(args), field_name(args, field), level);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        first[axis] = node_index(n, axis, args->box.lo[axis]);
        last[axis] = node_index(n, axis, args->box.hi[axis] - 1);
    }
    return check_reach(args, field, level, v, first, last);
}

static pav_status check_table(const interp_args *args, const ir_node *n)
{
    if (!within(n->table, args->code->tables) || !args->table || !args->table[n->table])
        return FAIL(PAV_EINTERNAL,
                    "stage '%s' reads table %d of %" PRId64 ", which is not there",
                    name_of(args), n->table, args->code->tables);
    const ir_table *table = &args->code->table[n->table];
    const int64_t first = args->box.lo[table->axis] + n->offset[0];
    const int64_t last = args->box.hi[table->axis] - 1 + n->offset[0];
    const int64_t end = points_along(args->code, table->axis, table->coarse) +
                        table->margin[1];
    if (first < -table->margin[0] || last >= end)
        return FAIL(PAV_EINTERNAL,
                    "stage '%s' reads table %d from %" PRId64 " to %" PRId64
                    "; it is kept from %d to %" PRId64,
                    name_of(args), n->table, first, last, -table->margin[0], end - 1);
    return PAV_OK;
}

static pav_status check_arguments(const interp_args *args, int64_t k)
{
    const ir_node *n = &args->stage->node[k];

    if (!within((int64_t)n->op, IR_OP_COUNT))
        return FAIL(PAV_EINTERNAL, "stage '%s': node %" PRId64 " has operation %d",
                    name_of(args), k, (int)n->op);
    for (int a = 0; a < ir_op_table[n->op].arguments; a++)
        if (!within(n->arg[a], k))
            return FAIL(PAV_EINTERNAL,
                        "stage '%s': node %" PRId64 " has node %d as an argument",
                        name_of(args), k, n->arg[a]);
    return PAV_OK;
}

static pav_status check_node(const interp_args *args, int64_t k)
{
    const ir_node *n = &args->stage->node[k];

    TRY(check_arguments(args, k));
    switch (n->op) {
    case IR_LOAD: return check_access(args, n->field, n->level, n);
    case IR_TABLE: return check_table(args, n);
    case IR_INDEX:
        if (within(n->axis, MAX_DIM))
            return PAV_OK;
        break;
    case IR_UNIFORM:
    case IR_RANDOM:
        if (within(n->uniform, args->code->uniforms) && args->uniform)
            return PAV_OK;
        break;
    case IR_ROUND:
        if (pav_type_size(n->type) > 0)
            return PAV_OK;
        break;
    default: return PAV_OK;
    }
    return FAIL(PAV_EINTERNAL,
                "stage '%s': %s of node %" PRId64 " refers to nothing that exists",
                name_of(args), ir_op_table[n->op].text, k);
}

static pav_status check_output(const interp_args *args, int64_t k, bool of_table)
{
    static const ir_node here = {.op = IR_LOAD};
    const ir_stage *stage = args->stage;
    const ir_output *o = &stage->output[k];

    if (!within(o->node, stage->count) ||
        (o->kind == IR_SET) != leaves_are_uniform(stage))
        return FAIL(PAV_EINTERNAL,
                    "stage '%s': output %" PRId64 " does not fit the stage",
                    name_of(args), k);
    if (o->kind == IR_STORE)
        return check_access(args, o->field, o->level, &here);
    if (!of_table && (!within(o->uniform, args->code->uniforms) || !args->uniform))
        return FAIL(PAV_EINTERNAL,
                    "stage '%s': output %" PRId64 " goes to uniform %d of %" PRId64,
                    name_of(args), k, o->uniform, args->code->uniforms);
    return PAV_OK;
}

pav_status stage_check(const interp_args *args, bool of_table)
{
    const ir_stage *stage = args->stage;

    if (stage_real(stage) != PAV_F32 && stage_real(stage) != PAV_F64)
        return FAIL(PAV_EINTERNAL, "stage '%s' computes in %s", name_of(args),
                    pav_type_name(stage->real));
    for (int64_t k = 0; k < stage->count; k++)
        TRY(check_node(args, k));
    for (int64_t k = 0; k < stage->outputs; k++)
        TRY(check_output(args, k, of_table));
    return PAV_OK;
}
