/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits the stages of a step in parts. Each part reads neighbours in one direction: in
 * the planes across the slowest axis, or along this axis. Values from an earlier part for
 * a later one go through hidden fields, in the type of the computation. Nodes move from
 * stage to stage, and no bit changes.
 *
 * A value of a single plane is carried once, wherever the plane lies from the reader's
 * point. The symmetric 27-point operator has two such values, read in three planes. So
 * PLANES covers the planes beyond the box that are read. */
#include <string.h>

#include "plan/plan_private.h"

/* ---- carried values ---------------------------------------------------------------- */

/* True if the part gets the node from an earlier part. plane: the plane it computes, from
 * the point. */
static bool arrives(const parting *p, part_kind part, int plane, int64_t node)
{
    const parted_value *v = &p->of[node];

    if (part == PART_AFTER)
        return v->reads >= READS_PLANE && v->part == PART_PLANES;
    return part == PART_PLANES && v->reads == READS_LINE &&
           (v->lo != plane || v->hi != plane);
}

/* The plane of the load, from the point. */
static int plane_of(const parting *p, int64_t node)
{
    return p->of[node].reads == READS_PLANE ? p->of[node].lo : 0;
}

static bool is_same_value(const parting *p, int one, int other)
{
    return one == other ||
           (p->of[one].reads == READS_PLANE && p->of[other].reads == READS_PLANE &&
            p->kind[one].kind == p->kind[other].kind);
}

static void reach_out(parting *p, int plane)
{
    p->reach[0] = -plane > p->reach[0] ? -plane : p->reach[0];
    p->reach[1] = plane > p->reach[1] ? plane : p->reach[1];
}

/* The node's number among the carried values. */
static int carry(parting *p, int node)
{
    int n = 0;

    reach_out(p, plane_of(p, node));
    while (n < p->count && !is_same_value(p, p->carried[n].node, node))
        n++;
    if (n < p->count)
        return n;
    if (n == IR_MOST_CARRIED) {
        p->why = "more than 12 values would go from part to part";
        return 0;
    }
    const bool of_line = p->of[node].reads == READS_LINE;
    p->carried[p->count++] = (carried_value){node, of_line ? PART_BEFORE : PART_PLANES};
    return n;
}

/* ---- nodes ------------------------------------------------------------------------- */

static int load_carried(parting *p, builder *b, int node)
{
    ir_node n = node_blank(IR_LOAD);

    n.field = (int)p->code->fields + carry(p, node);
    n.offset[p->axis] = plane_of(p, node);
    const int load = build_node(b, &n);
    return ir_is_boolean(p->stage.node[node].op)
               ? build_op(b, IR_NE, load, build_const(b, num_int(0)), -1)
               : load;
}

static int copy_shifted(parting *p, builder *b, int64_t node, int plane)
{
    ir_node n = p->stage.node[node];

    if (n.op == IR_LOAD)
        n.offset[p->axis] -= plane;
    if (n.op == IR_TABLE && p->code->table[n.table].axis == p->axis)
        n.offset[0] -= plane;
    return build_copy(b, &n, p->map);
}

static void find_needed(parting *p, part_kind part, int plane, int root)
{
    memset(p->needed, 0, (size_t)p->stage.count * sizeof *p->needed);
    p->needed[root] = true;
    for (int64_t k = root; k >= 0; k--) {
        const ir_node *n = &p->stage.node[k];
        if (!p->needed[k] || arrives(p, part, plane, k))
            continue;
        for (int a = 0; a < ir_op_table[n->op].arguments; a++)
            p->needed[n->arg[a]] = true;
    }
}

/* Builds the value of a node for a point in the node's plane. */
static int build_value(parting *p, builder *b, part_kind part, int root, int plane)
{
    find_needed(p, part, plane, root);
    for (int k = 0; k <= root; k++)
        if (p->needed[k])
            p->map[k] = arrives(p, part, plane, k) ? load_carried(p, b, k)
                                                   : copy_shifted(p, b, k, plane);
    return p->map[root];
}

/* ---- stages ------------------------------------------------------------------------ */

static void add_carried(parting *p, builder *b, part_kind part)
{
    for (int n = 0; n < p->count; n++) {
        if (p->carried[n].part != part)
            continue;
        const int node = p->carried[n].node;
        const ir_output o = {.kind = IR_STORE,
                             .node = build_value(p, b, part, node, plane_of(p, node)),
                             .field = (int)p->code->fields + n};
        stage_add_output(p->code, b->stage, &o);
    }
}

static void add_stored(parting *p, builder *b, part_kind part)
{
    for (int64_t k = 0; k < p->stage.outputs; k++) {
        ir_output o = p->stage.output[k];
        o.node = build_value(p, b, part, o.node, 0);
        stage_add_output(p->code, b->stage, &o);
    }
}

static void make_tensor(parting *p, part_kind part)
{
    static const char *const name[PARTS] = {"lines before", "planes", "lines"};
    ir_stage *s = &p->made[part];

    *s = (ir_stage){.name = arena_print(p->code->arena, "%s, %s",
                                        p->stage.name ? p->stage.name : "", name[part]),
                    .real = p->stage.real,
                    .coarse = p->stage.coarse,
                    .before = -1};
    memcpy(s->inset, p->stage.inset, sizeof s->inset);
    builder b = builder_open(p->code, s);
    if (part == p->last)
        add_stored(p, &b, part);
    else
        add_carried(p, &b, part);
}

/* From the last part to the first: the later parts determine the values to hand over. */
static void make_parts(parting *p)
{
    for (int part = (int)p->last; part >= 0; part--)
        make_tensor(p, (part_kind)part);
    for (int side = 0; side < 2; side++)
        p->made[PART_PLANES].inset[p->axis][side] -= p->reach[side];
}

/* ---- conditions -------------------------------------------------------------------- */

static bool has_planes(const parting *p, const ir_node *n)
{
    if (n->op != IR_LOAD || n->field >= p->code->fields)
        return true;
    const int *halo = p->code->field[n->field].halo[p->axis];
    const int *inset = p->made[PART_PLANES].inset[p->axis];
    return halo[0] >= -inset[0] && halo[1] >= -inset[1];
}

/* Planes beyond the grid need inputs there. */
static void check_planes(parting *p)
{
    const ir_stage *s = &p->made[PART_PLANES];
    const bool far = p->reach[0] > 0 || p->reach[1] > 0;

    if (far && p->made[PART_BEFORE].outputs > 0)
        p->why = "its planes are read at a distance, and take from the lines before";
    for (int64_t k = 0; k < s->count && far; k++)
        if (!has_planes(p, &s->node[k]))
            p->why = "values of planes beyond the grid are needed, where a field has no "
                     "points";
}

/* ---- the ir ------------------------------------------------------------------------ */

/* A part that goes beyond the grid also stores there. */
static void add_field(ir *code, const ir_stage *from)
{
    ir_field *f = &code->field[code->fields++];

    *f = (ir_field){
        .name = arena_print(code->arena, "part %lld", (long long)++code->carried),
        .storage = from->real,
        .coarse = from->coarse,
        .levels = 1};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        f->extent[axis] = points_along(code, axis, f->coarse);
        for (int side = 0; side < 2; side++) {
            const int inset = from->inset[axis][side];
            f->halo[axis][side] = inset < 0 ? -inset : 0;
            f->border[axis][side].stage = -1;
        }
    }
}

static void add_fields(const parting *p)
{
    ir *code = p->code;
    ir_field *all = arena_alloc(code->arena, code->fields + p->count, sizeof *all);

    memcpy(all, code->field, (size_t)code->fields * sizeof *all);
    code->field = all;
    for (int n = 0; n < p->count; n++)
        add_field(code, &p->made[p->carried[n].part]);
}

static void insert(ir *code, int64_t at, int stage)
{
    ir_list *step = &code->step;

    list_add(code, step, stage);
    memmove(&step->stage[at + 1], &step->stage[at],
            (size_t)(step->count - 1 - at) * sizeof *step->stage);
    step->stage[at] = stage;
}

/* The last part takes the place of the whole stage, so a search for the stage that stores
 * a field still finds it. Returns the number of parts. */
static int64_t add_stages(parting *p, int64_t at)
{
    const int whole = p->code->step.stage[at];
    int count = 0;

    for (int part = 0; part <= (int)p->last; part++) {
        ir_stage *s = &p->made[part];
        if (s->outputs == 0)
            continue;
        s->before = count == 0 ? p->stage.before : -1;
        s->part = ++count;
        const bool last = part == (int)p->last;
        const int number = last ? whole : code_add_stage(p->code, NULL, s->real, false);
        p->code->stage[number] = *s;
        if (!last)
            insert(p->code, at + count - 1, number);
        ir_stage_radius(p->code, number);
    }
    return count;
}

/* ---- all --------------------------------------------------------------------------- */

static parting open_parting(ir *code, const ir_stage *stage)
{
    arena *a = code->arena;
    const int64_t room = stage->count + 1;

    return (parting){.code = code,
                     .stage = *stage,
                     .axis = code->dim - 1,
                     .of = arena_alloc(a, room, sizeof(parted_value)),
                     .kind = arena_alloc(a, room, sizeof(ir_kind)),
                     .map = arena_alloc(a, room, sizeof(int)),
                     .needed = arena_alloc(a, room, sizeof(bool))};
}

static pav_status make(parting *p)
{
    TRY(ir_kinds(&p->stage, p->axis, p->kind));
    part_values(p);
    if (!p->why)
        make_parts(p);
    if (!p->why)
        check_planes(p);
    return PAV_OK;
}

static pav_status part_stage(ir *code, int64_t *at)
{
    ir_stage *stage = &code->stage[code->step.stage[*at]];
    parting p = open_parting(code, stage);

    TRY(make(&p));
    stage->whole = p.why;
    if (!p.why) {
        add_fields(&p);
        *at += add_stages(&p, *at) - 1;
    }
    return PAV_OK;
}

/* ---- a sweep ----------------------------------------------------------------------- */

static void find_reach(const parting *p, ir_sweep *w)
{
    const ir_stage *s = &p->made[PART_AFTER];

    w->lead = p->reach[1];
    for (int64_t k = 0; k < s->count; k++) {
        const int n = s->node[k].field - (int)p->code->fields;
        const int plane = s->node[k].offset[p->axis];
        if (s->node[k].op == IR_LOAD && n >= 0 && plane < w->field[n].first)
            w->field[n].first = plane;
    }
}

static bool saves_a_quarter(const ir *code, const ir_stage *stage)
{
    const ir_cost cost = ir_stage_cost(code, stage);

    return 4 * cost.streamed <= 3 * cost.flops;
}

/* False if a table ends before the planes that are computed beyond the grid. */
static bool has_table(const parting *p, const ir_node *n)
{
    if (n->op != IR_TABLE || p->code->table[n->table].axis != p->axis)
        return true;
    const int *margin = p->code->table[n->table].margin;
    return margin[0] + n->offset[0] >= p->reach[0] &&
           margin[1] - n->offset[0] >= p->reach[1];
}

static bool has_tables(const parting *p)
{
    const ir_stage *s = &p->made[PART_PLANES];
    bool has = true;

    for (int64_t k = 0; k < s->count; k++)
        has = has && has_table(p, &s->node[k]);
    return has;
}

static pav_status find_sweep(ir *code, const ir_stage *stage, ir_sweep *w)
{
    parting p = open_parting(code, stage);

    TRY(make(&p));
    w->pays = !p.why && p.last == PART_AFTER && p.made[PART_BEFORE].outputs == 0 &&
              has_tables(&p);
    if (!w->pays)
        return PAV_OK;
    w->first = p.made[PART_PLANES];
    w->last = p.made[PART_AFTER];
    w->fields = p.count;
    for (int64_t n = 0; n < w->fields; n++)
        w->field[n].first = p.reach[1];
    find_reach(&p, w);
    return PAV_OK;
}

pav_status ir_sweep_of(const ir *code, const ir_stage *stage, arena *a, ir_sweep *sweep)
{
    pav_status status = PAV_OK;
    ir own = *code;

    own.arena = a;
    *sweep = (ir_sweep){0};
    if (code->dim == 3 && saves_a_quarter(code, stage))
        ARENA_GUARD(a, status, find_sweep(&own, stage, sweep));
    return status;
}

static pav_status part_all(ir *code)
{
    for (int64_t at = 0; at < code->step.count; at++)
        if (code->dim > 1)
            TRY(part_stage(code, &at));
        else
            code->stage[code->step.stage[at]].whole = "a grid of one dimension has no "
                                                      "planes";
    return PAV_OK;
}

pav_status ir_split_stages(ir *code)
{
    pav_status status;

    ARENA_GUARD(code->arena, status, part_all(code));
    return status;
}

int64_t ir_lasting_fields(const ir *code)
{
    return code->fields - code->carried;
}
