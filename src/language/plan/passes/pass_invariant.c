/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes that move values out of the loop over points.
 *
 * tabulate: values that depend only on constants and the index along one axis are
 * computed once, in f64, and read from a table. Conditions stay, but their operands are
 * read from tables. Tables equal up to a shift are merged. For this, every linear
 * function a*i + b of the index is written f(i + s) with 0 <= b - a*s < a, and becomes a
 * leaf at place s; alike.c does the comparison.
 *
 * hoist: values computed only from constants and uniforms move to a stage evaluated once
 * before this one, in f64, and are read from a slot. Conditions stay (a slot holds a
 * real), but their operands move; a lone negation stays, because it is free.
 *
 * lines: the values of a line operation that are the same on every line and in every
 * step, such as the factors of a constant matrix. They are computed once, for one line,
 * in the arithmetic and the order of their stage, and read from tables. Their fields
 * vanish, so the pass follows all others and looks at all stages of a step. */
#include <stdlib.h>

#include "plan/plan_private.h"

enum {
    MOST_COMPARED = 64,               /* tables compared with a new one */
    FARTHEST_SHARED = 2 * MAX_OFFSET, /* farthest offset for reading a shared table */
};

/* slope*i + start; slope 0 for other values. */
typedef struct affine {
    bool known;
    num slope, start;
} affine;

/* Shapes of all tables and candidates, of all stages. They are kept from stage to stage,
 * since a cycle on many grids has hundreds of equal stages. */
struct ir_shapes {
    ir_stage stage;
    builder builder; /* into stage */
    alike alike;
    int *table; /* the shape of each known table */
    int64_t tables, capacity;
};

typedef struct tabulation {
    ir *code;
    ir_stage old;
    ir_shapes *shapes;
    int *shape_of; /* of old nodes, in shapes */
    int first;     /* table compared with */
    const unsigned char *depends;
    const bool *root;   /* of old nodes: to be read from a table */
    int *map;           /* of old nodes, into the table that is made */
    int *stamp, stamps; /* of old nodes, while the nodes of one table are collected */
} tabulation;

/* ---- the moved nodes --------------------------------------------------------------- */

/* True if points need not compute the value of a node themselves. */
typedef bool can_move(const ir_stage *s, const unsigned char *depends, int n);

/* Roots are nodes that move and are read by an output or by a node that stays. Conditions
 * stay, and so do the indices in EVEN. */
static bool *find_roots(const ir_stage *s, const unsigned char *depends, can_move *moves,
                        arena *a, int *roots)
{
    bool *needed = arena_alloc(a, s->count + 1, sizeof *needed),
         *root = arena_alloc(a, s->count + 1, sizeof *root);

    for (int64_t k = 0; k < s->outputs; k++)
        needed[s->output[k].node] = true;
    for (int k = (int)s->count; k-- > 0;) {
        const ir_node *n = &s->node[k];
        root[k] = needed[k] && !ir_is_boolean(n->op) && moves(s, depends, k);
        *roots += root[k];
        if (n->op == IR_EVEN)
            continue;
        for (int i = 0; needed[k] && !root[k] && i < ir_op_table[n->op].arguments; i++)
            needed[n->arg[i]] = true;
    }
    return root;
}

/* ---- shapes ------------------------------------------------------------------------ */

static affine line_of(const ir_node *n, const affine *a, const affine *b)
{
    const num zero = num_int(0);
    affine r = {.known = true, .slope = zero, .start = zero};

    switch (n->op) {
    case IR_CONST: r.start = n->value; break;
    case IR_INDEX: r.slope = num_int(1); break;
    case IR_NEG:
    case IR_ADD:
    case IR_SUB:
        r = (affine){a->known && (b->known || n->op == IR_NEG),
                     num_operate(n->op, a->slope, b->slope),
                     num_operate(n->op, a->start, b->start)};
        break;
    case IR_MUL:
        if (!num_equal(a->slope, zero)) {
            const affine *swap = a;
            a = b;
            b = swap;
        }
        r = (affine){a->known && b->known && num_equal(a->slope, zero),
                     num_mul(a->start, b->slope), num_mul(a->start, b->start)};
        break;
    default: r.known = false;
    }
    r.known = r.known && r.slope.exact && r.start.exact;
    return r;
}

/* A leaf for slope*i + start: the shift is its place, the remainder of start goes into
 * the kind. */
static int build_line(builder *b, const affine *line)
{
    const double v = num_f64(num_div(line->start, line->slope));
    ir_node n = node_blank(IR_LOAD);

    n.offset[0] = v > -1e9 && v < 1e9 ? (int)v - (v < (int)v) : 0;
    const num rest = num_sub(line->start, num_mul(line->slope, num_int(n.offset[0])));
    n.field = build_const(b, line->slope);
    n.level = build_const(b, rest);
    return build_node(b, &n);
}

/* Shapes of all nodes that depend on at most one index. */
static int *build_shapes(tabulation *t, const ir_stage *s, const unsigned char *depends)
{
    arena *a = t->code->arena;
    builder *b = &t->shapes->builder;
    affine *line = arena_alloc(a, s->count + 1, sizeof *line);
    int *shape = arena_alloc(a, s->count + 1, sizeof *shape);

    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        if (depends[k] & ~(unsigned)ON_AXES)
            continue;
        const int left = n->arg[0] < 0 ? 0 : n->arg[0],
                  right = n->arg[1] < 0 ? 0 : n->arg[1];
        line[k] = line_of(n, &line[left], &line[right]);
        shape[k] = line[k].known && !num_is_zero(line[k].slope) ? build_line(b, &line[k])
                                                                : build_copy(b, n, shape);
    }
    alike_update(&t->shapes->alike, &t->shapes->stage);
    return shape;
}

static void add_shape(tabulation *t, int shape)
{
    ir_shapes *s = t->shapes;

    ARENA_ADD(t->code->arena, s->table, s->tables, s->capacity) = shape;
}

static void shape_tables(tabulation *t)
{
    const int tables = (int)t->code->tables;

    t->first = tables > MOST_COMPARED / 2 ? tables - MOST_COMPARED / 2 : 0;
    for (int k = (int)t->shapes->tables; k < tables; k++) {
        const ir_stage *s = &t->code->table[k].stage;
        const unsigned char *depends = stage_depends(t->code, s, t->code->arena);
        add_shape(t, build_shapes(t, s, depends)[s->output[0].node]);
    }
}

/* ---- tables ------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The nodes needed by the root, in order. */
static int64_t list_needed(tabulation *t, int root, int **result)
{
    arena *a = t->code->arena;
    int *found = NULL;
    int64_t count = 0, capacity = 0;

    t->stamp[root] = ++t->stamps;
    ARENA_ADD(a, found, count, capacity) = root;
    for (int64_t k = 0; k < count; k++) {
        const ir_node *n = &t->old.node[found[k]];
        for (int i = 0; i < ir_op_table[n->op].arguments; i++) {
            if (t->stamp[n->arg[i]] == t->stamps)
                continue;
            t->stamp[n->arg[i]] = t->stamps;
            ARENA_ADD(a, found, count, capacity) = n->arg[i];
        }
    }
    qsort(found, (size_t)count, sizeof *found, by_number);
    *result = found;
    return count;
}

static int make_table(tabulation *t, int root, int axis)
{
    int *node = NULL, *map = t->map;
    const int64_t count = list_needed(t, root, &node);
    ir *code = t->code;
    const int number = code_add_table(code, axis, t->old.coarse);
    ir_stage *s = &code->table[number].stage;
    builder b = builder_open(code, s);

    for (int64_t k = 0; k < count; k++)
        map[node[k]] = build_copy(&b, &t->old.node[node[k]], map);
    const ir_output output = {.kind = IR_SET, .node = map[root], .uniform = -1};
    stage_add_output(code, s, &output);
    add_shape(t, t->shape_of[root]);
    return number;
}

/* An equal table and the offset to read it at; or -1. */
static int find_table(const tabulation *t, int root, int axis, int *offset)
{
    const alike *shapes = &t->shapes->alike;
    const alike_place *mine = &shapes->node[t->shape_of[root]];

    for (int k = t->first; k < (int)t->code->tables && k - t->first < MOST_COMPARED;
         k++) {
        const alike_place *its = &shapes->node[t->shapes->table[k]];
        const ir_table *table = &t->code->table[k];
        *offset = mine->at[0] - its->at[0];
        if (its->kind == mine->kind && table->axis == axis &&
            table->coarse == t->old.coarse && abs(*offset) <= FARTHEST_SHARED)
            return k;
    }
    *offset = 0;
    return -1;
}

static bool is_of_one_axis(const ir_stage *s, const unsigned char *depends, int n)
{
    (void)s;
    return depends[n] == ON_X || depends[n] == ON_X << 1 || depends[n] == ON_X << 2;
}

static int build_table(builder *b, int table, int offset)
{
    ir_node n = node_blank(IR_TABLE);

    n.axis = b->code->table[table].axis;
    n.table = table;
    n.offset[0] = offset;
    return build_node(b, &n);
}

static int read_table(builder *b, const ir_node *old, const int *map)
{
    tabulation *t = b->user;
    const int k = (int)(old - t->old.node);
    int offset = 0;

    if (!t->root[k])
        return build_copy(b, old, map);
    const int axis = t->depends[k] == ON_X ? 0 : t->depends[k] == ON_X << 1 ? 1 : 2;
    const int known = find_table(t, k, axis, &offset);
    return build_table(b, known < 0 ? make_table(t, k, axis) : known, offset);
}

void pass_tabulate(ir *code, int stage)
{
    arena *a = code->arena;
    const ir_stage old = code->stage[stage];
    unsigned char *depends = arena_alloc(a, old.count + 1, 1);
    tabulation t = {.code = code, .old = old, .depends = depends};
    int roots = 0;

    if (ir_is_uniform(&old))
        return;
    for (int64_t k = 0; k < old.count; k++)
        depends[k] = old.node[k].op == IR_TABLE
                         ? ON_POINT
                         : (unsigned char)node_depends(code, &old.node[k], depends);
    t.root = find_roots(&old, depends, is_of_one_axis, a, &roots);
    if (roots == 0)
        return;
    if (!code->shapes) {
        code->shapes = arena_alloc(a, 1, sizeof *code->shapes);
        code->shapes->builder = builder_open(code, &code->shapes->stage);
        code->shapes->alike = alike_open(a, ON_X);
    }
    t.shapes = code->shapes;
    t.map = arena_alloc(a, old.count + 1, sizeof *t.map);
    t.stamp = arena_alloc(a, old.count + 1, sizeof *t.stamp);
    shape_tables(&t);
    t.shape_of = build_shapes(&t, &old, depends);
    stage_rewrite(code, &code->stage[stage], read_table, &t);
}

/* ---- hoist ------------------------------------------------------------------------- */

typedef struct hoisting {
    builder before;
    const ir_stage *old;
    int *before_map;  /* of moved old nodes */
    const bool *root; /* to be read from a slot */
} hoisting;

static bool has_work(const ir_stage *s, int n)
{
    const ir_node *node = &s->node[n];

    return ir_op_table[node->op].arguments != 0 &&
           (node->op != IR_NEG || ir_op_table[s->node[node->arg[0]].op].arguments > 0);
}

static bool is_uniform_work(const ir_stage *s, const unsigned char *depends, int n)
{
    return (depends[n] & ~(unsigned)ON_UNIFORM) == 0 && has_work(s, n);
}

static int read_slot(builder *b, const ir_node *old, const int *map)
{
    hoisting *h = b->user;
    const int64_t k = old - h->old->node;

    if (!h->root[k])
        return build_copy(b, old, map);
    const int slot = code_add_uniform(b->code, UNIFORM_COMPUTED, NULL, 0);
    const ir_output set = {.kind = IR_SET, .node = h->before_map[k], .uniform = slot};
    stage_add_output(b->code, h->before.stage, &set);
    return build_uniform(b, slot);
}

/* The hoisted nodes go into a new stage, run before this one. Lowering leaves stages
 * without such a predecessor, and the pass runs once, so there is none to extend. */
void pass_hoist(ir *code, int stage)
{
    const ir_stage old = code->stage[stage];
    arena *a = code->arena;
    hoisting h = {.old = &old};
    int roots = 0;

    if (ir_is_uniform(&old))
        return;
    h.root = find_roots(&old, stage_depends(code, &old, a), is_uniform_work, a, &roots);
    if (roots == 0)
        return;
    const int before = code_add_stage(code, arena_print(a, "before %s", old.name),
                                      PAV_F64, false);
    code->stage[stage].before = before;
    h.before = builder_open(code, &code->stage[before]);
    h.before_map = arena_alloc(a, old.count + 1, sizeof *h.before_map);
    /* Moves all nodes needed by roots, in order. */
    bool *wanted = arena_alloc(code->arena, h.old->count + 1, sizeof *wanted);
    for (int64_t k = h.old->count; k-- > 0;) {
        const ir_node *n = &h.old->node[k];
        wanted[k] = wanted[k] || h.root[k];
        for (int i = 0; wanted[k] && i < ir_op_table[n->op].arguments; i++)
            wanted[n->arg[i]] = true;
    }
    for (int64_t k = 0; k < h.old->count; k++)
        if (wanted[k])
            h.before_map[k] = build_copy(&h.before, &h.old->node[k], h.before_map);
    stage_rewrite(code, &code->stage[stage], read_slot, &h);
}

/* ---- lines ------------------------------------------------------------------------- */

typedef struct line_tables {
    ir *code;
    /* 1 + the table with the values of a field; 0: there is none; -1: nobody reads it */
    int *of_field;
    ir_stage old;
    int *of_node; /* likewise, of old nodes; or NULL */
} line_tables;

static int axis_of(const ir_stage *s)
{
    return abs(s->along) - 1;
}

/* A field's table, or -1. */
static int read_by(const line_tables *t, const ir_node *n)
{
    return n->op == IR_LOAD ? t->of_field[n->field] - 1 : -1;
}

static int read_line(builder *b, const ir_node *old, const int *map)
{
    const line_tables *t = b->user;
    const int own = t->of_node ? t->of_node[old - t->old.node] - 1 : -1,
              table = read_by(t, old);

    if (own >= 0)
        return build_table(b, own, 0);
    return table < 0 ? build_copy(b, old, map)
                     : build_table(b, table, old->offset[b->code->table[table].axis]);
}

/* Dependences of all nodes. */
static void survey_line(const line_tables *t, unsigned char *depends)
{
    for (int64_t k = 0; k < t->old.count; k++) {
        const int table = read_by(t, &t->old.node[k]);
        depends[k] = (unsigned char)(table < 0
                                         ? node_depends(t->code, &t->old.node[k], depends)
                                         : (unsigned)ON_X << t->code->table[table].axis);
    }
}

/* Adds a table of a node, so far with all nodes of its stage. Returns its number + 1. */
static int add_line(const line_tables *t, int node)
{
    const int number = code_add_table(t->code, axis_of(&t->old), t->old.coarse);
    ir_stage *s = &t->code->table[number].stage;
    const ir_output value = {.kind = IR_SET, .node = node, .uniform = -1};

    *s = t->old;
    s->before = -1;
    s->outputs = s->output_capacity = 0;
    stage_add_output(t->code, s, &value);
    return number + 1;
}

/* True if an output is a hidden field with the same values on all lines. The values at
 * the point before are assumed to be so, too. */
static bool is_same(const line_tables *t, const ir_output *o, unsigned char *depends)
{
    const symbol *field = o->kind == IR_STORE ? t->code->field[o->field].symbol : NULL;

    if (!t->old.along || !field || !field->line_of)
        return false;
    t->of_field[o->field] = add_line(t, o->node);
    survey_line(t, depends);
    if (!(depends[o->node] & ~(unsigned)(ON_X << axis_of(&t->old)))) {
        t->code->table[t->of_field[o->field] - 1].field = field;
        return true;
    }
    t->of_field[o->field] = 0;
    t->code->tables--;
    return false;
}

static bool is_of_line(const ir_stage *s, const unsigned char *depends, int n)
{
    return s->along && depends[n] == ON_X << axis_of(s) && has_work(s, n);
}

/* Moves what is the same on all lines from a stage of the step to tables. */
static void tabulate_line(line_tables *t, ir_stage *s)
{
    arena *a = t->code->arena;
    unsigned char *depends = arena_alloc(a, s->count + 1, 1);
    int *of_node = arena_alloc(a, s->count + 1, sizeof *of_node), roots = 0;
    const int64_t before = t->code->tables;

    t->old = *s;
    s->outputs = 0;
    for (const ir_output *o = NULL; (o = ir_next_output(&t->old, o));)
        if (o->kind == IR_STORE && t->of_field[o->field] < 0)
            continue;
        else if (is_same(t, o, depends))
            of_node[o->node] = t->of_field[o->field];
        else
            s->output[s->outputs++] = *o;
    survey_line(t, depends);
    const bool *root = find_roots(s, depends, is_of_line, a, &roots);
    for (int k = 0; k < (int)s->count; k++)
        if (root[k] && !of_node[k])
            of_node[k] = add_line(t, k);
    t->of_node = NULL;
    for (int64_t k = before; k < t->code->tables; k++)
        stage_rewrite(t->code, &t->code->table[k].stage, read_line, t);
    t->of_node = of_node;
    stage_rewrite(t->code, s, read_line, t);
}

/* Marks the hidden fields of lines without readers: their readers joined their stage. */
static void find_unread(line_tables *t)
{
    const ir *code = t->code;

    for (int64_t f = 0; f < code->fields; f++)
        t->of_field[f] = code->field[f].symbol && code->field[f].symbol->line_of ? -1 : 0;
    for (int64_t k = 0; k < code->stages; k++)
        for (const ir_node *n = NULL; (n = ir_next_load(&code->stage[k], n));)
            t->of_field[n->field] = 0;
}

/* Removes the fields with tables or without readers. */
static void drop_fields(ir *code, const int *of_field)
{
    int *now = arena_alloc(code->arena, code->fields + 1, sizeof *now);
    const ir_event_list events[] = {code->injections, code->solves};
    int64_t kept = 0, items = 0;

    for (int64_t f = 0; f < code->fields; f++) {
        now[f] = (int)kept;
        if (!of_field[f])
            code->field[kept++] = code->field[f];
    }
    code->fields = kept;
    for (int64_t f = 0; f < kept; f++)
        for (int m = 0; m < code->field[f].masks; m++)
            code->field[f].mask[m] = now[code->field[f].mask[m]];
    for (int64_t n = 0; n < code->stages; n++) {
        const ir_stage *s = &code->stage[n];
        for (int64_t k = 0; k < s->count; k++)
            if (s->node[k].op == IR_LOAD)
                s->node[k].field = now[s->node[k].field];
        for (int64_t k = 0; k < s->outputs; k++)
            if (s->output[k].kind == IR_STORE)
                s->output[k].field = now[s->output[k].field];
    }
    for (int64_t k = 0; k < code->start.count; k++) {
        ir_start item = code->start.item[k];
        if (item.field >= 0 && of_field[item.field])
            continue;
        item.field = item.field < 0 ? item.field : now[item.field];
        code->start.item[items++] = item;
    }
    code->start.count = items;
    for (int e = 0; e < 2; e++)
        for (int64_t k = 0; k < events[e].count; k++)
            events[e].item[k].field = now[events[e].item[k].field];
}

void ir_tabulate_lines(ir *code)
{
    line_tables t = {.code = code};
    const int64_t tables = code->tables;
    int64_t kept = 0;

    t.of_field = arena_alloc(code->arena, code->fields + 1, sizeof *t.of_field);
    find_unread(&t);
    for (int64_t k = 0; k < code->step.count; k++) {
        ir_stage *s = &code->stage[code->step.stage[k]];
        if ((s->along || code->tables > tables) && !s->transform && !ir_is_uniform(s))
            tabulate_line(&t, s);
        if (s->outputs > 0)
            code->step.stage[kept++] = code->step.stage[k];
    }
    code->step.count = kept;
    drop_fields(code, t.of_field);
}
