/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits the stages of a step in parts. Each part reads neighbours in one direction: in
 * the planes across the slowest axis, or along this axis. Values from an earlier part for
 * a later one go through hidden fields, in the type of the computation. Nodes move from
 * stage to stage, and no bit changes.
 *
 * A value that reads only one plane is computed by the part PLANES. A value that reads
 * only its line along the slowest axis is computed by AFTER, and so is a value of both.
 * There is one exception: a sum may continue from the lines through the neighbours of a
 * plane, one by one. It is then computed in PLANES, and BEFORE hands over the first
 * terms.
 *
 * A value of a single plane is carried once, wherever the plane lies from the reader's
 * point. The symmetric 27-point operator has two such values, read in three planes. So
 * PLANES covers the planes beyond the box that are read. */
#include <string.h>

#include "plan/plan_private.h"

typedef enum part_kind { PART_BEFORE, PART_PLANES, PART_AFTER, PARTS } part_kind;
typedef enum part_reads { READS_POINT, READS_LINE, READS_PLANE, READS_BOTH } part_reads;

/* Properties of a node. placed: it depends on the plane, so lo and hi are valid. lo, hi:
 * the first and last plane of its inputs, relative to its point. wide: its inputs include
 * neighbours within a plane. part: the part that computes it. */
typedef struct parted_value {
    bool placed, wide;
    int lo, hi;
    part_reads reads;
    part_kind part;
} parted_value;

typedef struct carried_value {
    int node;
    part_kind part; /* the part that computes it */
} carried_value;

typedef struct parting {
    ir *code;
    ir_stage stage; /* whole */
    int axis;
    parted_value *of; /* of each node */
    ir_kind *kind;
    int *map;
    bool *needed;
    part_kind last;
    /* number of carried values; the farthest planes of them that are read */
    int count, reach[2];
    carried_value carried[IR_MOST_CARRIED];
    ir_stage made[PARTS];
    const char *why; /* why there are no parts; NULL: there are */
} parting;

/* ---- values and their parts -------------------------------------------------------- */

/* Finds the planes read by each value. Tables have no place: every part can read them. */
static void find_planes_read(parting *p)
{
    for (int64_t k = 0; k < p->stage.count; k++) {
        const ir_node *n = &p->stage.node[k];
        parted_value *v = &p->of[k];
        v->placed = n->op == IR_LOAD || n->op == IR_RANDOM ||
                    (n->op == IR_INDEX && n->axis == p->axis);
        v->lo = v->hi = n->op == IR_LOAD ? n->offset[p->axis] : 0;
        for (int axis = 0; n->op == IR_LOAD && axis < MAX_DIM; axis++)
            v->wide = v->wide || (axis != p->axis && n->offset[axis] != 0);
        for (int a = 0; a < ir_op_table[n->op].arguments; a++) {
            const parted_value *arg = &p->of[n->arg[a]];
            const bool first = arg->placed && !v->placed;
            v->wide = v->wide || arg->wide;
            v->placed = v->placed || arg->placed;
            if (first || (arg->placed && arg->lo < v->lo))
                v->lo = arg->lo;
            if (first || (arg->placed && arg->hi > v->hi))
                v->hi = arg->hi;
        }
        if (v->wide)
            v->reads = v->lo == v->hi ? READS_PLANE : READS_BOTH;
        else
            v->reads = v->lo != 0 || v->hi != 0 ? READS_LINE : READS_POINT;
    }
}

static bool is_off_plane(const parted_value *v)
{
    return v->reads == READS_LINE || (v->reads == READS_PLANE && v->lo != 0);
}

static void assign_parts(parting *p)
{
    const bool *live = stage_live(&p->stage, p->code->arena);

    for (int64_t k = 0; k < p->stage.count; k++) {
        const ir_node *n = &p->stage.node[k];
        /* neighbour: a load of a neighbour in a plane, not a value computed from some;
         * elsewhere: a plane other than the point's own */
        bool neighbour = false, elsewhere = false, off_plane = false, after = false;
        if (p->of[k].reads == READS_PLANE)
            p->of[k].part = PART_PLANES;
        if (!live[k] || p->of[k].reads != READS_BOTH)
            continue;
        for (int a = 0; a < ir_op_table[n->op].arguments; a++) {
            const parted_value *v = &p->of[n->arg[a]];
            const bool of_plane = v->reads == READS_PLANE;
            neighbour |= of_plane && p->stage.node[n->arg[a]].op == IR_LOAD;
            elsewhere |= of_plane && v->lo != 0;
            off_plane |= is_off_plane(v);
            after |= v->reads == READS_BOTH && v->part == PART_AFTER;
        }
        p->of[k].part = !neighbour && (after || off_plane) ? PART_AFTER : PART_PLANES;
        if (neighbour && elsewhere)
            p->why =
                "its sum continues from plane to plane, so no plane has a partial sum "
                "of its own";
        else if (neighbour && after)
            p->why = "it adds neighbours within a plane after neighbours across planes";
    }
}

/* A reason in the nature of the stage against splitting it. */
static const char *refusal(const parting *p)
{
    bool wide = false, deep = false;

    for (int64_t k = 0; k < p->stage.outputs; k++)
        if (p->stage.output[k].kind != IR_STORE)
            return "its reduction adds up pieces of rows, not planes";
    for (int64_t k = 0; k < p->stage.count; k++) {
        const ir_node *n = &p->stage.node[k];
        if (n->op == IR_LOAD && n->transfer != IR_SAME)
            return "it reads another grid than its own";
        wide = wide || p->of[k].wide;
        deep = deep || (n->op == IR_LOAD && n->offset[p->axis] != 0);
    }
    const box b = ir_stage_box(p->code, &p->stage);
    return box_is_empty(&b) ? "the grid has no points between its faces"
           : !wide          ? "it reads no neighbours in a plane"
           : !deep          ? "it reads no neighbours across its planes"
                            : NULL;
}

/* ---- carried values ---------------------------------------------------------------- */

/* True if the part gets the node from an earlier part. plane: the plane it computes, from
 * the point. */
static bool arrives(const parting *p, part_kind part, int plane, int64_t node)
{
    const parted_value *v = &p->of[node];

    return part == PART_AFTER ? v->reads >= READS_PLANE && v->part == PART_PLANES
                              : part == PART_PLANES && v->reads == READS_LINE &&
                                    (v->lo != plane || v->hi != plane);
}

/* The plane of the load, from the point. */
static int plane_of(const parting *p, int64_t node)
{
    return p->of[node].reads == READS_PLANE ? p->of[node].lo : 0;
}

/* The node's number among the carried values. */
static int carry(parting *p, int node)
{
    const int plane = plane_of(p, node);
    const bool of_plane = p->of[node].reads == READS_PLANE;
    int n = 0;

    p->reach[0] = int_most(p->reach[0], -plane);
    p->reach[1] = int_most(p->reach[1], plane);
    for (; n < p->count; n++) {
        const int known = p->carried[n].node;
        if (known == node || (of_plane && p->of[known].reads == READS_PLANE &&
                              p->kind[known].kind == p->kind[node].kind))
            return n;
    }
    if (n == IR_MOST_CARRIED) {
        p->why = "more than 12 values would go from one part to the next";
        return 0;
    }
    const bool of_line = p->of[node].reads == READS_LINE;
    p->carried[p->count++] = (carried_value){node, of_line ? PART_BEFORE : PART_PLANES};
    return n;
}

/* ---- nodes ------------------------------------------------------------------------- */

/* Builds the value of a node for a point in the node's plane. */
static int build_value(parting *p, builder *b, part_kind part, int root, int plane)
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
    for (int k = 0; k <= root; k++) {
        ir_node n = p->stage.node[k];
        if (!p->needed[k])
            continue;
        if (arrives(p, part, plane, k)) {
            ir_node load = node_blank(IR_LOAD);
            load.field = (int)p->code->fields + carry(p, k);
            load.offset[p->axis] = plane_of(p, k);
            p->map[k] = build_node(b, &load);
            if (ir_is_boolean(n.op))
                p->map[k] = build_op(b, IR_NE, p->map[k], build_const(b, num_int(0)), -1);
            continue;
        }
        if (n.op == IR_LOAD)
            n.offset[p->axis] -= plane;
        if (n.op == IR_TABLE && p->code->table[n.table].axis == p->axis)
            n.offset[0] -= plane;
        p->map[k] = build_copy(b, &n, p->map);
    }
    return p->map[root];
}

/* ---- stages ------------------------------------------------------------------------ */

/* From the last part to the first: the later parts determine the values to hand over. The
 * last part has the outputs of the stage. */
static void make_parts(parting *p)
{
    static const char *const name[PARTS] = {"lines before", "planes", "lines"};

    for (int part = (int)p->last; part >= 0; part--) {
        ir_stage *s = &p->made[part];
        *s = (ir_stage){.name = arena_print(p->code->arena, "%s, %s",
                                            p->stage.name ? p->stage.name : "",
                                            name[part]),
                        .real = p->stage.real,
                        .coarse = p->stage.coarse,
                        .before = -1};
        memcpy(s->inset, p->stage.inset, sizeof s->inset);
        builder b = builder_open(p->code, s);
        const bool is_last = part == (int)p->last;
        for (int64_t k = 0; is_last && k < p->stage.outputs; k++) {
            ir_output o = p->stage.output[k];
            o.node = build_value(p, &b, p->last, o.node, 0);
            stage_add_output(p->code, s, &o);
        }
        for (int n = 0; !is_last && n < p->count; n++) {
            if ((int)p->carried[n].part != part)
                continue;
            const int node = p->carried[n].node, plane = plane_of(p, node);
            const ir_output o = {.kind = IR_STORE,
                                 .node = build_value(p, &b, (part_kind)part, node, plane),
                                 .field = (int)p->code->fields + n};
            stage_add_output(p->code, s, &o);
        }
    }
    for (int side = 0; side < 2; side++)
        p->made[PART_PLANES].inset[p->axis][side] -= p->reach[side];
}

/* ---- the ir ------------------------------------------------------------------------ */

/* A part that goes beyond the grid also stores there. */
static void add_fields(const parting *p)
{
    ir *code = p->code;
    ir_field *all = arena_alloc(code->arena, code->fields + p->count, sizeof *all);

    memcpy(all, code->field, (size_t)code->fields * sizeof *all);
    code->field = all;
    for (int n = 0; n < p->count; n++) {
        const ir_stage *from = &p->made[p->carried[n].part];
        ir_field *f = &code->field[code->fields++];
        *f = (ir_field){
            .name = arena_print(code->arena, "part %lld", (long long)++code->carried),
            .storage = from->real,
            .coarse = from->coarse,
            .levels = 1};
        for (int face = 0; face < 2 * MAX_DIM; face++) {
            const int axis = face / 2, side = face % 2;
            f->extent[axis] = points_along(code, axis, f->coarse);
            f->halo[axis][side] = int_most(-from->inset[axis][side], 0);
            f->border[axis][side].stage = -1;
        }
    }
}

/* The last part takes the place of the whole stage, so a search for the stage that stores
 * a field still finds it. Returns the number of parts. */
static int64_t add_stages(parting *p, int64_t at)
{
    ir_list *step = &p->code->step;
    const int whole = step->stage[at];
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
        if (!last) {
            int64_t k = step->count;
            list_add(p->code, step, number);
            for (; k > at + count - 1; k--)
                step->stage[k] = step->stage[k - 1];
            step->stage[k] = number;
        }
        ir_stage_radius(p->code, number);
    }
    return count;
}

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
    /* Assigns values to parts, or sets `why`. */
    find_planes_read(p);
    p->why = refusal(p);
    if (!p->why)
        assign_parts(p);
    p->last = PART_PLANES;
    for (int64_t k = 0; k < p->stage.outputs; k++) {
        const parted_value *v = &p->of[p->stage.output[k].node];
        if (v->reads != READS_POINT && (v->part != PART_PLANES || is_off_plane(v)))
            p->last = PART_AFTER;
    }
    if (!p->why)
        make_parts(p);
    if (!p->why) {
        /* Planes beyond the grid need inputs there. */
        const ir_stage *s = &p->made[PART_PLANES];
        const int *inset = s->inset[p->axis];
        const bool far = p->reach[0] > 0 || p->reach[1] > 0;
        if (far && p->made[PART_BEFORE].outputs > 0)
            p->why =
                "it reads results of other planes, and these need results along lines";
        for (const ir_node *n = NULL; far && (n = ir_next_load(s, n));) {
            if (n->field >= p->code->fields)
                continue;
            const int *halo = p->code->field[n->field].halo[p->axis];
            if (halo[0] < -inset[0] || halo[1] < -inset[1])
                p->why =
                    "it needs results in planes beyond the grid, where a field has no "
                    "points";
        }
    }
    return PAV_OK;
}

static pav_status part_all(ir *code)
{
    for (int64_t at = 0; at < code->step.count; at++) {
        ir_stage *stage = &code->stage[code->step.stage[at]];
        if (code->dim < 2) {
            stage->whole = "a grid of one dimension has no planes";
            continue;
        }
        if (stage->along) {
            stage->whole = "its points are computed in order";
            continue;
        }
        parting p = open_parting(code, stage);
        TRY(make(&p));
        stage->whole = p.why;
        if (p.why)
            continue;
        add_fields(&p);
        at += add_stages(&p, at) - 1;
    }
    ir_know_stages(code);
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

/* False if a table ends before the planes that are computed beyond the grid. */
static bool has_tables(const parting *p)
{
    const ir_stage *s = &p->made[PART_PLANES];

    for (const ir_node *n = NULL; (n = ir_next_node(s, n));) {
        if (n->op != IR_TABLE || p->code->table[n->table].axis != p->axis)
            continue;
        const int *margin = p->code->table[n->table].margin;
        if (margin[0] + n->offset[0] < p->reach[0] ||
            margin[1] - n->offset[0] < p->reach[1])
            return false;
    }
    return true;
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

/* A sweep must save a quarter of the flops. */
pav_status ir_sweep_of(const ir *code, const ir_stage *stage, arena *a, ir_sweep *sweep)
{
    ir own = *code;

    own.arena = a;
    *sweep = (ir_sweep){0};
    if (code->dim != 3)
        return PAV_OK;
    const ir_cost cost = ir_stage_cost(code, stage);
    if (4 * cost.streamed <= 3 * cost.flops)
        RETURN_GUARDED(a, find_sweep(&own, stage, sweep));
    return PAV_OK;
}

pav_status ir_split_stages(ir *code)
{
    RETURN_GUARDED(code->arena, part_all(code));
}

int64_t ir_lasting_fields(const ir *code)
{
    return code->fields - code->carried;
}
