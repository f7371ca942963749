/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry of the interpreter: it evaluates uniforms first, checks the stage, ends early
 * for empty boxes, and then runs rows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interp/interp_private.h"

/* ---- leaves ------------------------------------------------------------------------ */

/* Leaves of a stage: constants, seeds, indices, views. Both interpreters share this
 * file. */

static bool leaves_are_uniform(const ir_stage *stage)
{
    return stage->outputs > 0 && stage->output[0].kind == IR_SET;
}

pav_type stage_real(const ir_stage *stage)
{
    return leaves_are_uniform(stage) && !stage->along ? PAV_F64 : stage->real;
}

double const_value(pav_type real, num value)
{
    return real == PAV_F32 ? (double)num_f32(value) : num_f64(value);
}

const view *view_of(const interp_args *args, int field, int level)
{
    const view *const *levels = args->view ? args->view[field] : NULL;

    return levels ? levels[1 - level] : NULL;
}

/* ---- checks ------------------------------------------------------------------------ */

/* Checks a stage: all its references must exist, and all reads and writes must stay
 * within the views. A failure is a defect in the code behind the stage or the views,
 * reported by a message instead of a crash. The check is cheap: it visits each node once,
 * not at each point. */

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

/* Checks access to the field at the points of the node: a load's points, or the stage's
 * points for a blank node. */
static pav_status check_access(const interp_args *args, int field, int level,
                               const ir_node *n)
{
    if (!within(field, args->code->fields) || level > 1 || level < -MAX_LEVEL - 1)
        return FAIL(PAV_EINTERNAL,
                    "stage '%s' refers to level %d of field %d of %" PRId64,
                    name_of(args), level, field, args->code->fields);
    const view *v = view_of(args, field, level);
    if (!v || !v->data || pav_type_size(v->type) == 0)
        return FAIL(PAV_EINTERNAL,
                    "stage '%s' touches %s, level %d, and was given no view of it",
                    name_of(args), field_name(args, field), level);
    /* indices first..last of each axis lie in the view, halo included */
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t lowest = v->first[axis] - v->halo[axis][0];
        const int64_t highest = v->first[axis] + v->extent[axis] - 1 + v->halo[axis][1];
        const int64_t first = ir_node_index(n, axis, args->box.lo[axis]),
                      last = ir_node_index(n, axis, args->box.hi[axis] - 1);
        if (first < lowest || last > highest)
            return FAIL(PAV_EINTERNAL,
                        "stage '%s' touches %s, level %d, at indices %" PRId64
                        " to %" PRId64 " along %c; it is kept from %" PRId64
                        " to %" PRId64,
                        name_of(args), field_name(args, field), level, first, last,
                        "xyz"[axis], lowest, highest);
    }
    return PAV_OK;
}

static pav_status check_node(const interp_args *args, int64_t k)
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
    if (n->op == IR_LOAD)
        return check_access(args, n->field, n->level, n);
    if (n->op == IR_TABLE) {
        if (!within(n->table, args->code->tables) || !args->table ||
            !args->table[n->table])
            return FAIL(PAV_EINTERNAL,
                        "stage '%s' reads table %d of %" PRId64 ", which is not there",
                        name_of(args), n->table, args->code->tables);
        const ir_table *table = &args->code->table[n->table];
        const int64_t first = args->box.lo[table->axis] + n->offset[0];
        const int64_t last = args->box.hi[table->axis] - 1 + n->offset[0];
        const int64_t end = points_along(args->code, table->axis, table->coarse) +
                            table->margin[1];
        return first < -table->margin[0] || last >= end
                   ? FAIL(PAV_EINTERNAL,
                          "stage '%s' reads table %d from %" PRId64 " to %" PRId64
                          "; it is kept from %d to %" PRId64,
                          name_of(args), n->table, first, last, -table->margin[0],
                          end - 1)
                   : PAV_OK;
    }
    const bool reads_uniform = n->op == IR_UNIFORM || n->op == IR_RANDOM;
    if (n->op == IR_INDEX   ? within(n->axis, MAX_DIM)
        : reads_uniform     ? within(n->uniform, args->code->uniforms) && args->uniform
        : n->op == IR_ROUND ? pav_type_size(n->type) > 0
                            : true)
        return PAV_OK;
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
    return !of_table && (!within(o->uniform, args->code->uniforms) || !args->uniform)
               ? FAIL(PAV_EINTERNAL,
                      "stage '%s': output %" PRId64 " goes to uniform %d of %" PRId64,
                      name_of(args), k, o->uniform, args->code->uniforms)
               : PAV_OK;
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

/* ---- entry ------------------------------------------------------------------------- */

pav_status stage_run_before(const interp_args *args,
                            pav_status (*run)(const interp_args *args))
{
    const int before = args->stage->before;
    interp_args uniforms = *args;

    if (before < 0)
        return PAV_OK;
    uniforms.stage = &args->code->stage[before];
    return before >= args->code->stages || !leaves_are_uniform(uniforms.stage) ||
                   uniforms.stage->before >= 0
               ? FAIL(PAV_EINTERNAL,
                      "stage %d is to run before another but computes no uniforms",
                      before)
               : run(&uniforms);
}

bool stage_start(interp_args *args)
{
    bool empty = false;

    if (leaves_are_uniform(args->stage))
        args->box = (box){{0, 0, 0}, {1, 1, 1}};
    for (int axis = 0; axis < MAX_DIM; axis++)
        empty = empty || args->box.hi[axis] <= args->box.lo[axis];
    for (const ir_output *o = NULL; empty && (o = ir_next_output(args->stage, o));)
        if (o->kind == IR_REDUCE)
            args->uniform[o->uniform] = tree_empty(o->reduction);
    return !empty;
}

static pav_status run_rows(const interp_args *args, int axis, double *values)
{
    row_program p;

    TRY(row_program_open(&p, args, axis, values));
    row_program_run(&p);
    row_program_close(&p);
    return PAV_OK;
}

bool interp_is_ordered(const interp_args *args)
{
    const int axis = abs(args->stage->along) - 1;

    return axis >= 0 && !args->stage->transform &&
           args->box.hi[axis] > args->box.lo[axis] + 1;
}

pav_status interp_in_order(const interp_args *args, plane_runner *run, void *user)
{
    const int along = args->stage->along, axis = abs(along) - 1;
    const int64_t from = args->box.lo[axis], end = args->box.hi[axis];
    interp_args plane = *args;

    for (int64_t n = from; n < end; n++) {
        plane.box.lo[axis] = along > 0 ? n : end - 1 - (n - from);
        plane.box.hi[axis] = plane.box.lo[axis] + 1;
        TRY(run(user, &plane));
    }
    return PAV_OK;
}

static pav_status run_plane(void *user, const interp_args *plane)
{
    (void)user;
    return interp_stage(plane);
}

pav_status interp_stage(const interp_args *args)
{
    interp_args a = *args;

    if (interp_is_ordered(args))
        return interp_in_order(args, run_plane, NULL);
    if (args->stage->transform)
        return stage_start(&a) ? interp_transform(args) : PAV_OK;
    TRY(stage_run_before(args, interp_stage));
    if (!stage_start(&a))
        return PAV_OK;
    TRY(stage_check(&a, false));
    return run_rows(&a, 0, NULL);
}

/* ---- tables ------------------------------------------------------------------------ */

static pav_status run_point(void *user, const interp_args *point)
{
    /* the row of a point along x begins at its index */
    return run_rows(point, 0, (double *)user + point->box.lo[1] + point->box.lo[2]);
}

pav_status interp_table(const ir *code, int table, const double *const *values,
                        double *out)
{
    if (table < 0 || table >= code->tables)
        return FAIL(PAV_EINTERNAL, "there is no table %d", table);
    const ir_table *t = &code->table[table];
    interp_args args = {
        .code = code,
        .stage = &t->stage,
        .table = values,
        .box = {{-t->margin[0], 0, 0},
                {points_along(code, t->axis, t->coarse) + t->margin[1], 1, 1}},
    };
    if (!leaves_are_uniform(args.stage))
        return FAIL(PAV_EINTERNAL, "table %d has a stage that gives no value", table);
    if (t->stage.along) {
        const box line = ir_stage_box(code, &t->stage);
        args.box = (box){{0, 0, 0}, {1, 1, 1}};
        args.box.lo[t->axis] = line.lo[t->axis];
        args.box.hi[t->axis] = line.hi[t->axis];
    }
    if (box_is_empty(&args.box))
        return PAV_OK;
    TRY(stage_check(&args, true));
    return t->stage.along ? interp_in_order(&args, run_point, out + t->margin[0])
                          : run_rows(&args, t->axis, out + t->margin[0]);
}
